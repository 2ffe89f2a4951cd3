"""An answer that stopped, as the rules that explain it see it."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from autograder.frameworks import frameworks
from autograder.judge import sizes
from autograder.model.exercise import Case, Exercise
from autograder.sandbox.requests import Failure


@dataclass(frozen=True)
class Stop:
    """An answer that stopped: with what, on which case, and in which framework."""

    exercise: Exercise
    case: Case
    error: Failure
    framework: str

    @property
    def text(self) -> str:
        """Type and message, as Python writes them."""
        return f"{self.error['type']}: {self.error['message']}"

    @property
    def source(self) -> str:
        """The learner's line; empty where none is known."""
        return self.error["source"] or ""

    @property
    def array(self) -> str:
        """What the framework calls its arrays: "a PyTorch tensor"."""
        return frameworks()[self.framework].array

    def named(self, length: str) -> str:
        """A length with the names of the axes that have it."""
        return sizes.named(self.exercise, self.case, int(length))

    @property
    def shapes(self) -> str:
        """The shapes that were handed in, as the end of a sentence."""
        handed = sizes.shapes(self.exercise, self.case)
        return f"; {handed}" if handed else ""


Rule = Callable[[Stop, re.Match[str]], str | None]
