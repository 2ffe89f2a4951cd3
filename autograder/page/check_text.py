"""An answer that is written in the book's own page: what the page's worker calls.

It runs in the reader's browser (Python compiled to WebAssembly), where only NumPy, Jinja and the standard
library are there. The judge is that of `check`.
"""

import ast
import io
import re
from collections.abc import Sequence
from contextlib import redirect_stderr, redirect_stdout, suppress
from dataclasses import replace
from typing import Any

from autograder.checking.check import check, example
from autograder.checking.shown_verdict import ShownVerdict
from autograder.html.render import verdict_html
from autograder.judge.words import exception_text, quoted_line
from autograder.model.catalogue import all_exercises
from autograder.model.exercise import Exercise
from autograder.model.misconceptions import NUMPY
from autograder.model.verdict import unjudged
from autograder.page.drawing import drawing, least
from autograder.sandbox.wire import Header
from autograder.sandbox.worker import run_cells

SOURCE = "<your answer>"
MAX_PRINTED = 1000
NO_COMMANDS = (
    "A notebook's commands do not run in the page, and nothing can be installed there: leave this one out"
)
# What is said where there are cells, and what is said in the page.
WORDS = (
    (r"No module named '([\w.]+)'", r"\1 is not in the page: answer without it, or try it in the notebook"),
    (r"run the cell in which you write (\w+) again, and then this one", r"write \1 in the field"),
    (r"import it, or run the cell that does", "import it"),
    (r"(in|is) the (\w+) cell", r"\1 the \2 answer"),
    (r"It stops with SyntaxError: .*(?= \(line \d+: `[!%])", NO_COMMANDS),
    (
        r"^(It stops with NameError: name '(\w+)' is not defined.*?)\.?$",
        r"\1. Only what stands in the field runs: define \2 there, or import it.",
    ),
)
FAILED_IMPORT = "The import in line {line} failed: {why}."
NO_INPUT = "Nothing can be typed while an answer runs in the page: leave out input()."
# How Python in a browser says that there is no input.
ASKS = "OSError: [Errno 29]"
IMPORT_ERRORS = ("ImportError", "ModuleNotFoundError")
UNDEFINED = re.compile(r"name '(\w+)' is not defined")


def check_text(name: str, text: str, framework: str = NUMPY) -> dict[str, str]:
    """Run a reader's source, and judge what it defines.

    name: the exercise's. text: the source. framework: in which it is written.
    Returns the outcome ("accepted", "rejected", …), the verdict as HTML and as text, its message alone, and the
    beginning of what the source printed. Raises KeyError for an unknown exercise.
    """
    exercise = all_exercises()[name]
    printed = io.StringIO()
    with redirect_stdout(printed), redirect_stderr(printed):
        verdict, errors, answer = _verdict(exercise, text, framework)
    # `check` prints its verdict where no notebook shows it.
    answer_output = printed.getvalue().removesuffix(f"{verdict}\n")
    if verdict.outcome == "rejected" and verdict.failed_stage != "gradients":
        of_values = replace(verdict, failed_stage="values")
        verdict = replace(verdict, example=example(exercise, of_values, answer, least(exercise)))
    message, stop = _with_the_page(verdict, errors, text), verdict.raised or ""
    for pattern, words in WORDS:
        message, stop = (re.sub(pattern, words, sentence) for sentence in (message, stop))
    verdict = replace(verdict, message=message, raised=stop)
    drawn = drawing(exercise, verdict.example) if verdict.example else ""
    return {
        "outcome": verdict.outcome,
        "html": verdict_html(verdict, example=str(verdict.example or ""), drawing=drawn),
        "text": str(verdict),
        "message": verdict.message,
        "idea": verdict.misconception or "",
        "printed": answer_output if len(answer_output) <= MAX_PRINTED else f"{answer_output[:MAX_PRINTED]}…",
    }


def _verdict(exercise: Exercise, text: str, framework: str) -> tuple[ShownVerdict, Sequence[Header], Any]:
    """Return the verdict, the statements of the source that failed, and the answer."""
    namespace, errors = run_cells({SOURCE: text})
    if exercise.entry in namespace:
        answer = namespace[exercise.entry]
        return check(answer, framework, exercise.name), errors, answer
    outcome, words = "missing", f"It defines no {exercise.kind} named {exercise.entry}."
    if errors:  # why the source stopped before it defined the entry
        failure: Any = {"line": None, "source": None} | errors[0] | {"where": None, "function": None}
        outcome, words = "error", f"It stops with {exception_text(failure)}{quoted_line(failure)}."
    return ShownVerdict.of(unjudged(exercise, framework, outcome, words)), errors, None


def _with_the_page(verdict: ShownVerdict, errors: Sequence[Header], text: str) -> str:
    """Return the message of a verdict, behind what the page cannot do where the answer stops over that."""
    if verdict.outcome == "error" and ASKS in verdict.message:
        return f"{NO_INPUT} {verdict.message}"
    name = UNDEFINED.search(f"{verdict.message} {verdict.raised}")
    imports = _imports(text) if name else []
    for error in errors:
        aliases = [a for node in imports if node.lineno == error["line"] for a in node.names]
        names = {alias.asname or alias.name.partition(".")[0] for alias in aliases}
        if name and error["type"] in IMPORT_ERRORS and not names.isdisjoint({name[1], "*"}):
            return f"{FAILED_IMPORT.format(line=error['line'], why=error['message'].partition(' (/')[0])} {verdict.message}"
    return verdict.message


def _imports(text: str) -> list[ast.Import | ast.ImportFrom]:
    """Return the import statements of a text; none of one that is no code, which may quote the words of an error."""
    with suppress(SyntaxError, ValueError):
        return [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Import | ast.ImportFrom)]
    return []
