"""What an answer computes that no misconception is: the reference with an edit, or with two wrong ideas together.

Nearly all are thrown out on one small case, so some hundreds can be tried. How much is computed is counted, not
timed, so that the same answer gets the same words on every machine.
"""

import warnings
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from itertools import islice
from typing import Any

from autograder.diagnose.edits import Edit, edits, effort, outputs_of, read_only
from autograder.diagnose.two_ideas import both, two_ideas
from autograder.judge.sizes import size
from autograder.model.exercise import Case, Exercise, Function
from autograder.model.finding import Finding, Kind

Outputs = tuple[Any, ...]
# How much is computed for one answer: for nearly all below 0.3 s. The unit is a function's call on so many
# numbers, or a comparison with the answer; what is tried is compiled in so many, and any call takes so many besides.
WORK, NUMBERS, COMPILED, CALLED = 16_000, 1_000, 6, 2
# What is kept of it for the smallest input, and what a call of the answer takes there.
FOR_EXAMPLE, OF_ANSWER = 2_500, 50
# In so many cases each of two ideas must show: in a single one much holds by chance, as where all weights are equal.
FEWEST = 2


def single(edit: Edit) -> Finding:
    """One edit of the reference."""
    return Finding(Kind.EDIT, f"Your answer is what comes out when {edit.clause}.", name=edit.name)


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
        self.edits = edits(exercise)
        self.functions = effort(self.edits[0].family) if self.edits else 1
        # Each edit is tried, however many there are: all on one case, and some on more.
        once = len(self.edits) * (COMPILED + CALLED + self.functions)
        self.left = max(WORK - FOR_EXAMPLE, 2 * once)

    def found(self, two: bool) -> Finding | None:
        """The first that gives the answer. two: whether also two ideas together, or edits of the reference alone."""
        stages = [self._edited()]
        if two:
            stages += [self._together(), self._but_for_one_case()]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for stage in stages:
                for finding in stage:
                    if finding is not None:
                        return finding
                    if self.left <= 0:
                        return None
        return None

    # What is tried; each gives a name or None

    def _edited(self) -> Iterator[Finding | None]:
        for edit in self.edits:
            self.left -= COMPILED
            yield single(edit) if self._holds(edit.function) else None

    def _together(self) -> Iterator[Finding | None]:
        for pair in two_ideas(self.exercise):
            self.left -= COMPILED
            if not self._holds(pair.function):
                yield None
                continue
            ideas = [self.exercise.misconceptions[i].function for i in (pair.first, pair.second)]
            shown = all(len(list(islice(self._unlike(idea), FEWEST))) == FEWEST for idea in ideas)
            yield both(self.exercise, pair) if shown else None

    def _but_for_one_case(self) -> Iterator[Finding | None]:
        """A misconception that gives the answers to all cases but one, and wrong ones among them."""
        for idea in self.exercise.misconceptions:
            others = list(islice(self._unlike(idea.function), FEWEST))
            rest = [i for i in range(len(self.cases)) if i not in others]
            if len(others) < FEWEST and sum(i in self._wrong for i in rest) >= FEWEST:
                notes = [repr(self.cases[i].note) for i in others]
                more = [f"In the case {note} something else is wrong too." for note in notes]
                yield Finding(Kind.IDEA, " ".join([idea.hint, *more]), name=idea.name)
            yield None

    # Trying one

    @cached_property
    def _wrong(self) -> set[int]:
        """The cases in which the answer is not the reference's."""
        return set(self._unlike(self.exercise.reference))

    def _unlike(self, function: Function) -> Iterator[int]:
        """The cases to which a function does not give the answer."""
        return (i for i in range(len(self.cases)) if not self._gives(function, i))

    def _holds(self, function: Function | None) -> bool:
        """Whether a function gives the answer to every case."""
        return function is not None and all(self._gives(function, i) for i in range(len(self.cases)))

    def _gives(self, function: Function, i: int) -> bool:
        self.left -= CALLED + self.functions + size(self.cases[i]) // NUMBERS
        outputs = outputs_of(function, self.exercise, self.cases[i])
        return outputs is not None and self.agrees(i, outputs)
