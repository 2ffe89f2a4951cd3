"""An answer that is written in the book's own page, in NumPy: what the page's worker calls.

It runs in the reader's browser (Python compiled to WebAssembly), where only NumPy, Jinja and the standard
library are there. The judge is that of `check`.
"""

import io
from contextlib import redirect_stderr, redirect_stdout
from typing import Any

from autograder.checking.check import check
from autograder.checking.shown_verdict import ShownVerdict
from autograder.judge.words import place, raised
from autograder.model.catalogue import all_exercises
from autograder.model.exercise import Exercise
from autograder.model.verdict import unjudged
from autograder.sandbox.worker import run_cells

SOURCE = "<your answer>"
MAX_PRINTED = 1000


def check_text(name: str, text: str) -> dict[str, str]:
    """Run a reader's source, and judge what it defines.

    name: the exercise's. text: the source.
    Returns the outcome ("accepted", "rejected", …), the verdict as HTML and as text, its message alone, and the
    beginning of what the source printed. Raises KeyError for an unknown exercise.
    """
    exercise = all_exercises()[name]
    printed = io.StringIO()
    with redirect_stdout(printed), redirect_stderr(printed):
        verdict = _verdict(exercise, text)
    # `check` prints its verdict where no notebook shows it.
    own = printed.getvalue().removesuffix(f"{verdict}\n")
    return {
        "outcome": verdict.outcome,
        "html": verdict._repr_html_(),
        "text": str(verdict),
        "message": verdict.message,
        "idea": verdict.misconception or "",
        "printed": own if len(own) <= MAX_PRINTED else f"{own[:MAX_PRINTED]}…",
    }


def _verdict(exercise: Exercise, text: str) -> ShownVerdict:
    namespace, errors = run_cells({SOURCE: text})
    if exercise.entry in namespace:
        return check(namespace[exercise.entry], "numpy", exercise.name)
    outcome, words = "missing", f"It defines no {exercise.kind} named {exercise.entry}."
    if errors:  # why the source stopped before it defined the entry
        failure: Any = {"line": None, "source": None} | errors[0] | {"where": None, "function": None}
        outcome, words = "error", f"It stops with {raised(failure)}{place(failure)}."
    return ShownVerdict.of(unjudged(exercise, "numpy", outcome, words))
