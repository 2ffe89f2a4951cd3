"""What went wrong while a source ran, as sentences for its learner.

The errors come from the process that ran it (`worker.run_cells`): from a stranger's they are checked first.
"""

import ast
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from autograder.frameworks import graded, title_of, with_adapter
from autograder.model.catalogue import all_exercises
from autograder.model.exercise import Exercise
from autograder.model.text import either
from autograder.model.verdict import REFUSED_IMPORT, Verdict, is_wrong, with_wrong_helpers
from autograder.read.submission import Submission
from autograder.read.syntax import imported_names

MAX_ERRORS, MAX_CHARACTERS = 20, 200
STOPPED = "Stopped"
NO_REASON = 4
REFUSED = "ContractBroken"
NO_SUCH_NAME = re.compile(r"name '(\w+)' is not defined")
COURSE_IMPORTS = ("from course.", "from autograder", "import autograder")
IMPORT_ERRORS = ("ImportError", "ModuleNotFoundError")
OF_THE_COURSE = ("autograder", "course", "exercises", "solutions")
ELSEWHERE = "{} uses {}, and answers are graded in {} alone: write it in one of them."


@dataclass(frozen=True)
class Problem:
    """One statement that failed, or a cell that is not Python. cell: its name; source: the line that failed."""

    cell: str
    type: str
    message: str
    line: int
    source: str

    @property
    def place(self) -> str:
        """Where it is, as words."""
        return f"line {self.line} of {self.cell}"

    def __str__(self) -> str:
        return f"{'' if self.type == REFUSED else self.type + ' '}in {self.place}: {self.message}"


def problems(errors: Any) -> list[Problem]:
    """Errors of a worker, checked and shortened; those of another form are left out."""
    found = []
    for error in errors[:MAX_ERRORS] if isinstance(errors, list) else []:
        if isinstance(error, dict):
            given = (error.get(key) for key in ("cell", "type", "message", "source"))
            words = (value[:MAX_CHARACTERS] if isinstance(value, str) else "" for value in given)
            cell, kind, message, source = words
            line = error.get("line")
            found.append(Problem(cell.strip("<>"), kind, message, line if type(line) is int else 0, source))
    return found


def why_not_defined(exercise: Exercise, found: Sequence[Problem], submission: Submission) -> tuple[str, str]:
    """Outcome and sentence where an exercise's entry is not there after the source has run."""
    entry, missing = exercise.entry, ("missing", submission.not_defined(exercise))
    if stopped := [p for p in found if p.type == STOPPED]:
        place = stopped[0].place
        return (
            "timeout",
            f"{entry} is never defined: {place} did not end in time: is there a loop that never ends?",
        )
    if not any(entry in cell.source for cell in submission.cells):
        return missing
    # That it is not there, where it is used, is no reason.
    found = [p for p in found if not ((name := NO_SUCH_NAME.search(p.message)) and name[1] == entry)]
    rank = _how_unlikely(entry, submission)
    likely = min(found, key=rank, default=None)
    if likely is None or rank(likely) == NO_REASON:
        return missing
    sentence = f"{entry} is never defined: {likely}"
    return "error", sentence + failed_import(likely.message, found, submission)


def _how_unlikely(entry: str, submission: Submission) -> Callable[[Problem], int]:
    """How little a problem explains that an entry is not there: from 0 to NO_REASON."""
    cells = {submission.name_of(d.cell) for d in submission.definitions.of(entry)}
    given = {submission.name_of(cell) for cell in submission.cells if cell.given}

    def rank(p: Problem) -> int:
        is_there, names_it = p.cell in cells, entry in p.source
        # What the course's own cells import cannot be had here; it defines no answer.
        is_own = p.cell not in given and not p.source.startswith(COURSE_IMPORTS)
        said = (is_there and (names_it or p.type == "SyntaxError"), is_there, names_it, is_own, True)
        return said.index(True)

    return rank


def failed_import(message: str, found: Sequence[Problem], submission: Submission) -> str:
    """Where a message says that a name is not defined and its import has failed: a sentence to add."""
    name = NO_SUCH_NAME.search(message)
    if name is None:
        return ""
    failed = {(p.cell, p.line): p.message for p in found if p.type in IMPORT_ERRORS}
    for cell in submission.cells:
        for statement in cell.statements:
            for node in ast.walk(statement) if failed else ():
                for module, bound in imported_names(node):
                    if bound == name[1] and (place := (submission.name_of(cell), node.lineno)) in failed:  # type: ignore[attr-defined]
                        if module.startswith("solutions."):
                            return " " + REFUSED_IMPORT.format(module=module, name=bound)
                        return f" Its import of {module.split('.')[0]} failed: {failed[place]}."
    return ""


def in_no_framework(verdict: Verdict, entry: str, packages: Iterable[str]) -> Verdict:
    """The verdict on an answer that names no framework; where it stops, with what it uses in the place of one."""
    own = {package for f in with_adapter().values() for package in f.packages}
    others = sorted(set(packages) - sys.stdlib_module_names - own - {*OF_THE_COURSE, ""})
    if not others or verdict.outcome != "error":
        return verdict
    said = ELSEWHERE.format(entry, " and ".join(others), either([title_of(f) for f in graded()]))
    return replace(verdict, message=f"{said} {verdict.message}")


def naming_wrong_helpers(found: Sequence[Verdict], submission: Submission) -> list[Verdict]:
    """The verdicts on a submission's answers; a wrong one names the wrong answers that it uses."""
    entries = {v.exercise: all_exercises()[v.exercise].entry for v in found}
    wrong = [(entries[v.exercise], v.framework) for v in found if is_wrong(v)]
    told = []
    for v in found:
        others = {entry for entry, framework in wrong if framework == v.framework} - {entries[v.exercise]}
        helpers = (
            others & submission.used_by(entries[v.exercise], v.framework) if others and is_wrong(v) else ()
        )
        told.append(with_wrong_helpers(v, helpers))
    return told


def stopped_statements(found: Sequence[Problem], submission: Submission) -> set[tuple[str, int]]:
    """Statements that took too long, by their cell and first line, as far as the submission has such cells."""
    names = {submission.name_of(cell) for cell in submission.cells}
    return {(p.cell, p.line) for p in found if p.type == STOPPED and p.cell in names}


def note_on_refused(found: Sequence[Problem]) -> str:
    """A sentence on the first statement that called what the exercise forbids; empty if none did."""
    refused = next((p for p in found if p.type == REFUSED), None)
    return f" (L{refused.place[1:]} was refused: {refused.message}.)" if refused else ""


def note_on_stopped(stopped: set[tuple[str, int]], ran: set[str]) -> str:
    """A sentence on the statements that were stopped. ran: the names of the cells that were run."""
    places = [f"line {line} of {cell}" for cell, line in sorted(stopped) if cell in ran]
    if not places:
        return ""
    more = f" and {len(places) - 1} more" if len(places) > 1 else ""
    return f" (L{places[0][1:]}{more} took too long and was stopped; what was defined is judged.)"
