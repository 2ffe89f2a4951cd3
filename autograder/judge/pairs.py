"""Two ideas together: a misconception or an edit of the reference, with a change of what goes in or comes out
or with another edit.

Nearly all are thrown out on one small case, so some thousands can be tried. How many is counted, not timed,
so that the same answer gets the same name on every machine.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import islice, product
from typing import Any

import numpy as np

from autograder.judge.edit_data import InputChange, OutputChange, changes_of_inputs, changes_of_outputs
from autograder.judge.edits import FAILS, Edit, edits, outputs_of
from autograder.model.exercise import Case, Exercise, Function

Outputs = tuple[Any, ...]
JOINT = "+"
# How many are tried, divided by the functions that the reference is made of: what a call takes. The second
# number is that of functions made of an edit and another idea, which takes longer.
TRIED = 4_000
COMPILED = 800
# From how many digits two functions count as different on the small case.
DIGITS = 7


@dataclass(frozen=True)
class Named:
    """What an answer computes. name: of a misconception, an edit or a change, two joined by "+"."""

    name: str
    hint: str


@dataclass(frozen=True)
class Base:
    """A function that is changed further. said: the hint of a misconception, or the clause of an edit."""

    name: str
    said: str
    known: bool
    function: Function | None

    def with_clause(self, name: str, clause: str) -> Named:
        """Both ideas together."""
        if self.known:
            return Named(
                f"{self.name}{JOINT}{name}", f"Two mistakes together. First: {self.said} Second: {clause}."
            )
        return both(self.name, self.said, name, clause)


def both(name: str, clause: str, other: str, other_clause: str) -> Named:
    """Two edits together."""
    hint = f"Your answer is what comes out when {clause} and {other_clause}."
    return Named(f"{name}{JOINT}{other}", hint)


def single(change: InputChange | OutputChange) -> Named:
    """One change of the reference's inputs or results."""
    return Named(change.name, f"Your answer is what comes out when {change.clause}.")


class Search:
    """Looks for what gives an answer, on one small case first.

    cases: that one, then all others. agrees(i, outputs): whether outputs are the answer to case i.
    """

    def __init__(
        self, exercise: Exercise, cases: Sequence[Case], agrees: Callable[[int, Outputs], bool]
    ) -> None:
        self.exercise, self.cases, self.agrees = exercise, cases, agrees
        self.small = cases[0]
        self.made = edits(exercise)
        self.left = TRIED // len(self.made[0].family) if self.made else 0
        self.known = [Base(m.name, m.hint, True, m.function) for m in exercise.misconceptions]
        self.outs = changes_of_outputs(exercise)
        self.ins = changes_of_inputs(exercise, cases)

    def single(self) -> Named | None:
        """One change of what goes in or comes out."""
        reference = Base("", "", False, self.exercise.reference)
        for into in self.ins:
            if self._holds(reference, into, None):
                return single(into)
        for out in self.outs:
            if self._holds(reference, None, out):
                return single(out)
        return None

    def pair(self) -> Named | None:
        """Two ideas."""
        reference = Base("", "", False, self.exercise.reference)
        tries = (
            self._with_outputs(self.known),
            self._with_inputs(self.known),
            self._known_and_edited(),
            self._both_inputs(reference),
            self._in_and_out(reference),
            self._with_outputs(self._distinct),
            self._with_inputs([base for base in self._distinct if base.name in self._plain]),
            self._two_edits(),
        )
        for found in tries:
            for named in found:
                if named is not None:
                    return named
                if self.left <= 0:
                    return None
        return None

    # What is tried; each gives a name or None

    def _with_outputs(self, bases: Sequence[Base]) -> Iterator[Named | None]:
        for base in bases:
            for out in self._ends(self._given(base.function, self.small)):
                if self._holds(base, None, out):
                    yield base.with_clause(out.name, out.clause)
            self.left -= 1
            yield None

    def _with_inputs(self, bases: Sequence[Base]) -> Iterator[Named | None]:
        for base in bases:
            for into in self.ins:
                self.left -= 1
                yield base.with_clause(into.name, into.clause) if self._holds(base, into, None) else None

    def _known_and_edited(self) -> Iterator[Named | None]:
        """A misconception, and an edit of the reference or of another function that the misconception calls."""
        tries = (
            (base, edit, function)
            for i, j in _first_ones(len(self.known), len(self._few))
            if (base := self.known[i]) and (edit := self._few[j])
            if base.function and (function := edit.within(base.function))
        )
        for base, edit, function in islice(tries, self._compiled):
            holds = self._holds(Base("", "", False, function), None, None)
            yield base.with_clause(edit.name, edit.clause) if holds else None

    def _in_and_out(self, reference: Base) -> Iterator[Named | None]:
        for into in self.ins:
            for out in self._ends(self._given(reference.function, self.small, into)):
                if self._holds(reference, into, out):
                    yield both(into.name, into.clause, out.name, out.clause)
            self.left -= 1
            yield None

    def _both_inputs(self, reference: Base) -> Iterator[Named | None]:
        for i, first in enumerate(self.ins):
            for second in self.ins[:i]:
                self.left -= 1
                joint = InputChange("", "", partial(_after, first, second))
                holds = self._holds(reference, joint, None)
                yield both(first.name, first.clause, second.name, second.clause) if holds else None

    def _two_edits(self) -> Iterator[Named | None]:
        pairs = ((i, j) for i, j in _first_ones(len(self._few), len(self._few)) if j < i)
        for i, j in islice(pairs, self._compiled):
            a, b = self._few[i], self._few[j]
            base = Base("", "", False, a.with_another(b))
            yield both(a.name, a.clause, b.name, b.clause) if self._holds(base, None, None) else None

    @property
    def _compiled(self) -> int:
        """How many edited functions each of these two searches tries."""
        return COMPILED // len(self._few[0].family) if self._few else 0

    @cached_property
    def _few(self) -> list[Edit]:
        """The edits that leave out or replace a step, of those that give the same on the small case one."""
        return [self._plain[base.name] for base in self._distinct if base.name in self._plain]

    @cached_property
    def _plain(self) -> dict[str, Edit]:
        """The edits that leave out or replace a step."""
        return {edit.name: edit for edit in self.made if edit.rank == 0}

    @cached_property
    def _distinct(self) -> list[Base]:
        """The edits, of those that give the same on the small case one."""
        found: dict[Any, Base] = {}
        seen = {_digest(self._given(self.exercise.reference, self.small))}
        for edit in self.made:
            outputs = self._given(edit.function, self.small)
            digest = _digest(outputs)
            if outputs is not None and digest not in seen:
                seen.add(digest)
                found[digest] = Base(edit.name, edit.clause, False, edit.function)
        return list(found.values())

    # Trying one

    def _holds(self, base: Base, into: InputChange | None, out: OutputChange | None) -> bool:
        """Whether a function so changed gives the answer to every case."""
        found = ((i, self._given(base.function, case, into, out)) for i, case in enumerate(self.cases))
        return all(outputs is not None and self.agrees(i, outputs) for i, outputs in found)

    def _given(
        self,
        function: Function | None,
        case: Case,
        into: InputChange | None = None,
        out: OutputChange | None = None,
    ) -> Outputs | None:
        try:
            outputs = outputs_of(function, self.exercise, case if into is None else into.case(case))
            return outputs if outputs is None or out is None else out.outputs(outputs)
        except FAILS:
            return None

    def _ends(self, first: Outputs | None) -> Iterator[OutputChange]:
        """The changes of these results that give the answer to the small case."""
        if first is None:
            return
        for out in self.outs:
            try:
                changed = out.outputs(first)
            except FAILS:
                continue
            if changed is not None and self.agrees(0, changed):
                yield out


def _first_ones(rows: int, columns: int) -> list[tuple[int, int]]:
    """All places of a table, from its corner on: those that come first say most."""
    return sorted(product(range(rows), range(columns)), key=lambda place: (sum(place), place))


def _after(first: InputChange, second: InputChange, values: Mapping[str, Any]) -> Mapping[str, Any]:
    """Two changes of inputs, one after the other."""
    once = first.change(values)
    return {**once, **second.change({**values, **once})}


def _digest(outputs: Outputs | None) -> Any:
    """What two functions share that give the same to some digits."""
    if outputs is None:
        return None
    with np.errstate(all="ignore"):
        return tuple(
            (value.shape, np.round(value.astype(float), DIGITS).tobytes())
            if isinstance(value, np.ndarray)
            else repr(value)
            for value in outputs
        )
