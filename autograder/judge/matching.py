"""Which misconception an answer computes."""

from collections.abc import Sequence
from typing import Any

from autograder.judge.compare import same
from autograder.judge.protocol import Answer
from autograder.model.exercise import Case, Exercise, Misconception

Outputs = tuple[Any, ...]


class Matcher:
    """The misconceptions of an exercise on the cases of one submission, each computed once."""

    def __init__(self, exercise: Exercise, cases: Sequence[Case]) -> None:
        self.exercise, self.cases = exercise, cases
        self.computed: dict[tuple[str, int], Outputs | None] = {}

    def outputs(self, misconception: Misconception, i: int) -> Outputs | None:
        """What a misconception gives on a case; None if it does not even run on these shapes."""
        key = (misconception.name, i)
        if key not in self.computed:
            try:
                self.computed[key] = self.exercise.compute(misconception.function, self.cases[i])
            except (ValueError, IndexError):
                self.computed[key] = None
        return self.computed[key]

    def explains(self, answers: list[Answer], wrong: list[int]) -> Misconception | None:
        """The misconception that gives every wrong answer; first one that gives the right ones too."""

        def computes(misconception: Misconception, i: int) -> bool:
            outputs = self.outputs(misconception, i)
            return outputs is not None and self._same(i, answers[i].outputs, outputs)

        found = [m for m in self.exercise.misconceptions if all(computes(m, i) for i in wrong)]
        right = [i for i in range(len(self.cases)) if i not in wrong]
        wholly = (m for m in found if all(computes(m, i) for i in right))
        return next(wholly, found[0] if found else None)

    def that_stop(self, i: int) -> list[Misconception]:
        """The misconceptions that do not run on a case."""
        return [m for m in self.exercise.misconceptions if self.outputs(m, i) is None]

    def stops_alike(
        self, candidates: list[Misconception], answers: list[Answer], expected: list[Outputs]
    ) -> tuple[Misconception, int] | None:
        """The misconception that stops where the answers stop and gives the others; and a case that shows it."""

        def computes(misconception: Misconception, i: int) -> bool:
            outputs = self.outputs(misconception, i)
            if answers[i].error is not None or outputs is None:
                return answers[i].error is not None and outputs is None
            return answers[i].contract_broken is None and self._same(i, answers[i].outputs, outputs)

        everywhere = range(len(self.cases))
        for misconception in candidates:
            ran = [i for i in everywhere if self.outputs(misconception, i) is not None]
            shown = [i for i in ran if not self._same(i, self.outputs(misconception, i) or (), expected[i])]
            if shown and all(computes(misconception, i) for i in everywhere):
                return misconception, shown[0]
        return None

    def _same(self, i: int, got: Outputs, wanted: Outputs) -> bool:
        return same(self.exercise, self.cases[i], got, wanted)
