"""Which misconception an answer computes."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from autograder.judge.compare import same, same_output
from autograder.judge.edits import Edit, edits
from autograder.judge.protocol import Answer
from autograder.model.exercise import Case, Exercise, Misconception

Outputs = tuple[Any, ...]
# An edit is named if the answer differs from the reference in two cases, or in one in so many entries.
ENTRIES = 8


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

    def edit(self, answers: list[Answer], wrong: list[int], expected: list[Outputs]) -> Edit | None:
        """The first single edit of the reference that gives every answer, the right ones too."""
        differing = [self._entries(i, answers[i].outputs, expected[i]) for i in wrong]
        if sum(n > 0 for n in differing) < 2 and max(differing) < ENTRIES:
            return None
        order = [*wrong, *(i for i in range(len(self.cases)) if i not in wrong)]

        def computes(edit: Edit) -> bool:
            found = ((i, edit.outputs(self.exercise, self.cases[i])) for i in order)
            return all(o is not None and self._same(i, answers[i].outputs, o) for i, o in found)

        return next((edit for edit in edits(self.exercise) if computes(edit)), None)

    def _entries(self, i: int, got: Outputs, wanted: Outputs) -> int:
        """How many finite entries of an answer are wrong."""
        count = 0
        for output, g, w in zip(self.exercise.returns, got, wanted, strict=True):
            if same_output(output, self.cases[i], g, w):
                continue
            if output.plain:
                count += 1
            elif isinstance(g, np.ndarray) and g.dtype.kind in "fiub":
                differs = ~np.isclose(g, w) if g.shape == np.shape(w) else np.ones(g.shape, dtype=bool)
                count += int((np.isfinite(g) & differs).sum())
        return count

    def _same(self, i: int, got: Outputs, wanted: Outputs) -> bool:
        return same(self.exercise, self.cases[i], got, wanted)
