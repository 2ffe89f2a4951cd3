"""What an answer computes that no misconception is: a changed reference, or two ideas together.

Nearly all are thrown out on one small case, so some hundreds can be tried. How much is computed is counted, not
timed, so that the same answer gets the same words on every machine.
"""

import re
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice, product
from typing import Any

import numpy as np

from autograder.judge.edit_data import InputChange, OutputChange, changes_of_inputs, changes_of_outputs
from autograder.judge.edits import FAILS, Edit, edits, effort, outputs_of, read_only
from autograder.judge.sizes import size
from autograder.model.exercise import Case, Exercise, Function

Outputs = tuple[Any, ...]
JOINT = "+"
# How much is computed for one answer: for nearly all below 0.3 s. The unit is a function's call on so many
# numbers, or a comparison with the answer; an edit is compiled in so many, and any call takes so many besides.
WORK, NUMBERS, COMPILED, CALLED = 16_000, 1_000, 6, 2
# What is kept of it for the smallest input, and what a call of the answer takes there.
FOR_EXAMPLE, OF_ANSWER = 2_500, 50
# What a misconception says (the first of each two) and what a change says beside it that is about the same thing.
SCALE, WEIGHTS = re.compile("divi|√|root|scale|factor|multipl"), re.compile("softmax|exponential")
PLACES = re.compile(r"\b(before|behind|first|last|front|end|order|place)s?\b")
MOVES = re.compile("order|interchanged|reversed|moved|turned round")
SIGN = re.compile(r"\bsign\b")  # which a quotient of scores loses, where no exponential is left
SUBJECTS = ((SCALE, SCALE), (WEIGHTS, WEIGHTS), (SIGN, WEIGHTS), (PLACES, MOVES))
NAME = re.compile("`[^`]*`")
# From how many digits two functions count as different on the small case.
DIGITS = 7
# In so many cases each idea must show: in a single one much holds by chance, as where all weights are equal.
FEWEST = 2


@dataclass(frozen=True)
class Named:
    """What an answer computes. name: of a misconception, an edit or a change, two joined by "+"."""

    name: str
    hint: str


def _one_thing(said: str, clause: str) -> bool:
    """Whether a misconception and a change are about one thing, so that one may deny or contain the other."""
    named = {*NAME.findall(said)} & {*NAME.findall(clause)}
    return bool(named) or any(a.search(said) and b.search(clause) for a, b in SUBJECTS)


@dataclass(frozen=True)
class Base:
    """A function that is changed further. said: the hint of a misconception, or the clause of an edit."""

    name: str
    said: str
    known: bool
    function: Function | None

    def with_clause(self, name: str, clause: str) -> Named | None:
        """Both ideas together; None where they are about one thing."""
        if self.known and _one_thing(self.said, clause):
            return None
        if self.known:
            return Named(
                f"{self.name}{JOINT}{name}", f"Two mistakes together. First: {self.said} Second: {clause}."
            )
        return both(self.name, self.said, name, clause)


def both(name: str, clause: str, other: str, other_clause: str) -> Named:
    """Two edits together."""
    hint = f"Your answer is what comes out when {clause} and {other_clause}."
    return Named(f"{name}{JOINT}{other}", hint)


def single(change: InputChange | OutputChange | Edit) -> Named:
    """One change of the reference, of its inputs or of its results."""
    return Named(change.name, f"Your answer is what comes out when {change.clause}.")


class Search:
    """Looks for what gives an answer, on one small case first, in the order in which answers are explained so.

    cases: that one, then all others. agrees(i, outputs): whether outputs are the answer to case i. left: how much
    may still be computed.
    """

    def __init__(
        self, exercise: Exercise, cases: Sequence[Case], agrees: Callable[[int, Outputs], bool]
    ) -> None:
        self.exercise, self.agrees = exercise, agrees
        self.cases = [read_only(case) for case in cases]
        self.left = WORK - FOR_EXAMPLE
        self.made = edits(exercise)
        self.functions = effort(self.made[0].family) if self.made else 1
        self.known = [Base(m.name, m.hint, True, m.function) for m in exercise.misconceptions]
        self.outs = changes_of_outputs(exercise)
        self.ins = changes_of_inputs(exercise, self.cases)
        self.reference = Base("", "", False, exercise.reference)
        # Edits that leave out or replace a step; of those that give the same on the small case one.
        self.few: dict[Any, Edit | None] = {}

    def found(self, changes: bool, pairs: bool) -> Named | None:
        """The first that gives the answer. changes, pairs: whether also these, or edits of the reference alone."""
        stages = [self._edited()]
        stages += [self._changed()] if changes else []
        if changes and pairs:
            stages += [
                self._but_for_one_case(),
                self._with_outputs(),
                self._with_inputs(),
                self._known_and_edited(),
                self._in_and_out(),
            ]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for number, stage in enumerate(stages):
                # Of what is left after single changes half is for the pairs that follow.
                kept = self.left // 2 if number > 1 else 0
                for named in stage:
                    if named is not None:
                        return named
                    if self.left <= kept:
                        break
        return None

    # What is tried; each gives a name or None

    def _edited(self) -> Iterator[Named | None]:
        self.few[_digest(self._given(self.reference, 0))] = None
        for edit in self.made:
            self.left -= COMPILED
            base = Base("", "", False, edit.function)
            outputs = self._given(base, 0)
            if edit.rank == 0 and outputs is not None:
                self.few.setdefault(_digest(outputs), edit)
            yield single(edit) if self._holds(base, outputs) else None

    def _changed(self) -> Iterator[Named | None]:
        """One change of what goes in or comes out."""
        for into in self.ins:
            yield single(into) if self._holds_with(self.reference, into) else None
        for out in self._ends(self.reference, self._given(self.reference, 0)):
            yield single(out) if out else None

    def _but_for_one_case(self) -> Iterator[Named | None]:
        """A misconception that gives the answers to all cases but one, and wrong ones among them."""
        for base in self.known:
            others = list(islice(self._unlike(base), FEWEST))
            rest = [i for i in range(len(self.cases)) if i not in others]
            if len(others) < FEWEST and sum(i in self._wrong for i in rest) >= FEWEST:
                notes = [repr(self.cases[i].note) for i in others]
                more = [f"In the case {note} something else is wrong too." for note in notes]
                yield Named(base.name, " ".join([base.said, *more]))
            yield None

    def _with_outputs(self) -> Iterator[Named | None]:
        for base in self.known:
            for out in self._ends(base, self._given(base, 0)):
                yield self._both_needed(base, out) if out else None

    def _with_inputs(self) -> Iterator[Named | None]:
        for base, into in product(self.known, self.ins):
            yield self._both_needed(base, into) if self._holds_with(base, into) else None

    def _known_and_edited(self) -> Iterator[Named | None]:
        """A misconception, and an edit of the reference or of another function that the misconception calls."""
        few = [edit for edit in self.few.values() if edit]
        for i, j in _first_ones(len(self.known), len(few)):
            base, edit = self.known[i], few[j]
            if base.function and (function := edit.within(base.function)):
                self.left -= COMPILED
                holds = self._holds_with(Base("", "", False, function))
                yield self._both_needed(base, edit) if holds else None

    def _in_and_out(self) -> Iterator[Named | None]:
        for into in self.ins:
            for out in self._ends(self.reference, self._given(self.reference, 0, into), into):
                yield both(into.name, into.clause, out.name, out.clause) if out else None

    # Trying one

    @cached_property
    def _wrong(self) -> set[int]:
        """The cases in which the answer is not the reference's."""
        return set(self._unlike(self.reference))

    def _unlike(
        self, base: Base, into: InputChange | None = None, out: OutputChange | None = None
    ) -> Iterator[int]:
        """The cases to which a function so changed does not give the answer."""
        for i in range(len(self.cases)):
            outputs = self._given(base, i, into, out)
            if outputs is None or not self.agrees(i, outputs):
                yield i

    def _both_needed(self, base: Base, change: InputChange | OutputChange | Edit) -> Named | None:
        """A misconception and a change together; None where one alone gives the answer to all cases but one."""
        match change:
            case InputChange():
                alone = self._unlike(self.reference, into=change)
            case OutputChange():
                alone = self._unlike(self.reference, out=change)
            case _:
                alone = self._unlike(Base("", "", False, change.function))
        if any(len(list(islice(cases, FEWEST))) < FEWEST for cases in (self._unlike(base), alone)):
            return None
        return base.with_clause(change.name, change.clause)

    def _holds_with(self, base: Base, into: InputChange | None = None) -> bool:
        return self._holds(base, self._given(base, 0, into), into)

    def _holds(
        self,
        base: Base,
        first: Outputs | None,
        into: InputChange | None = None,
        out: OutputChange | None = None,
    ) -> bool:
        """Whether a function so changed gives the answer to every case. first: what it gives on the small one."""
        if first is None or not self.agrees(0, first):
            return False
        others = ((i, self._given(base, i, into, out)) for i in range(1, len(self.cases)))
        return all(outputs is not None and self.agrees(i, outputs) for i, outputs in others)

    def _given(
        self, base: Base, i: int, into: InputChange | None = None, out: OutputChange | None = None
    ) -> Outputs | None:
        """What a function so changed gives on a case; None if it does not run."""
        self.left -= CALLED + self.functions + size(self.cases[i]) // NUMBERS
        try:
            case = self.cases[i] if into is None else into.case(self.cases[i])
            outputs = outputs_of(base.function, self.exercise, case)
            return outputs if outputs is None or out is None else out.outputs(outputs)
        except FAILS:
            return None

    def _ends(
        self, base: Base, first: Outputs | None, into: InputChange | None = None
    ) -> Iterator[OutputChange | None]:
        """The changes of a function's results that give the answer, None for each that does not.

        first: its results on the small case.
        """
        for out in self.outs if first is not None else ():
            self.left -= 1
            try:
                changed = out.outputs(first or ())
            except FAILS:
                continue
            yield out if self._holds(base, changed, into, out) else None


def _first_ones(rows: int, columns: int) -> list[tuple[int, int]]:
    """All places of a table, from its corner on: those that come first say most."""
    return sorted(product(range(rows), range(columns)), key=lambda place: (sum(place), place))


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
