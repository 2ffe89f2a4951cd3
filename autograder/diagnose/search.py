"""What an answer computes that is no misconception alone: two of them together, or one in all cases but one.

Nearly all are thrown out on one small case, so some hundreds can be tried. How much is computed is counted, not
timed, so that the same answer gets the same words on every machine.
"""

import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from itertools import chain, islice

from autograder.diagnose.misconception_pairs import (
    MisconceptionPair,
    misconception_pairs,
    pair_finding,
    pairs_with_a_variant,
)
from autograder.judge.axis_lengths import num_entries
from autograder.judge.protocol import Outputs
from autograder.model.exercise import IDEA_ERRORS, Case, Exercise, Function
from autograder.model.finding import Finding, Kind

# How much is computed for one answer. A call of a function counts as one, and as one more for so many numbers.
WORK, NUMBERS = 800, 1_000
# In so many cases each of two ideas must show: in a single one much holds by chance, as where all weights are equal.
FEWEST = 2
UNEXPLAINED = "This alone does not give what comes out in the case {!r}."


class Search:
    """Looks for what gives an answer, on one small case first.

    apart: whether two ideas must change places that do not touch. cases: that one, then all others. agrees(i, outputs): whether outputs are the answer to case i. budget: how much
    may still be computed.
    """

    def __init__(
        self, exercise: Exercise, apart: bool, cases: Sequence[Case], agrees: Callable[[int, Outputs], bool]
    ) -> None:
        self.exercise, self.cases, self.agrees, self.budget = exercise, cases, agrees, WORK
        pairs = chain(misconception_pairs(exercise), pairs_with_a_variant(exercise))
        self.pairs = (p for p in pairs if not (apart and p.touch))

    def finding(self) -> Finding | None:
        """Return the first finding that gives the answer."""
        with warnings.catch_warnings(action="ignore"):
            for pair in self.pairs:
                if self._shows_both(pair):
                    return pair_finding(self.exercise, pair)
                if self.budget <= 0:
                    return None
            return self._but_for_one_case()

    def _shows_both(self, pair: MisconceptionPair) -> bool:
        """Return whether two ideas together give the answer, and each of them shows."""
        together = pair.make_function()
        if together is None or next(self._unlike(together), None) is not None:
            return False
        return all(len(list(islice(self._unlike(idea), FEWEST))) == FEWEST for idea in pair.apart)

    def _but_for_one_case(self) -> Finding | None:
        """Return a misconception that gives the answers to all cases but one, and wrong ones among them."""
        wrong = set(self._unlike(self.exercise.reference))
        for idea in self.exercise.misconceptions:
            unlike = list(islice(self._unlike(idea.function), FEWEST))
            if len(unlike) < FEWEST and len(wrong.difference(unlike)) >= FEWEST:
                notes = [UNEXPLAINED.format(self.cases[i].note) for i in unlike]
                return Finding(Kind.IDEA, " ".join([idea.hint, *notes]), name=idea.name)
        return None

    def _unlike(self, function: Function) -> Iterator[int]:
        """Return the cases to which a function does not give the answer."""
        return (i for i in range(len(self.cases)) if not self._gives(function, i))

    def _gives(self, function: Function, i: int) -> bool:
        self.budget -= self.exercise.calls(self.cases[i]) + num_entries(self.cases[i]) // NUMBERS
        outputs = self.exercise.compute_or_none(function, self.cases[i]) or ()
        with suppress(*IDEA_ERRORS):  # what two edits together give may be no array
            return len(outputs) == len(self.exercise.returns) and self.agrees(i, outputs)
        return False
