"""A verdict as `check` gives it: it shows itself in a notebook, and knows the learner's progress."""

import sys
from dataclasses import dataclass, fields

from autograder.learner.pages import verdict_html
from autograder.model.verdict import Verdict


@dataclass(frozen=True, repr=False)
class ShownVerdict(Verdict):
    """A verdict for the learner. progress: how many exercises are passed of all, in words."""

    progress: str | None = None

    @classmethod
    def of(cls, verdict: Verdict, progress: str | None = None) -> "ShownVerdict":
        """The same verdict, ready to be shown."""
        return cls(**{f.name: getattr(verdict, f.name) for f in fields(Verdict)}, progress=progress)

    def __str__(self) -> str:
        text = super().__str__()
        return f"{text}\n  {self.progress}" if self.progress else text

    def mark(self) -> float:
        """Show the verdict and give its points: nbgrader takes a number that ends a cell for the mark."""
        if "IPython" in sys.modules:
            sys.modules["IPython"].display.display(self)
        return self.points

    def _repr_html_(self) -> str:
        return verdict_html(self, self.progress)
