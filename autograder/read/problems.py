"""What went wrong while a source ran, as sentences for its learner.

The errors come from the process that ran it (`worker.run_cells`): from a stranger's they are checked first.
"""

import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from autograder.frameworks import checkable_frameworks, graded_frameworks, title_of
from autograder.model.catalogue import all_exercises
from autograder.model.exercise import Exercise
from autograder.model.paths import PACKAGES
from autograder.model.text import listed
from autograder.model.verdict import REFUSED_IMPORT, Verdict, is_wrong, with_wrong_helpers
from autograder.read.submission import StatementId, Submission

MAX_ERRORS, MAX_CHARACTERS = 20, 200
# How a statement failed that took too long, and one that ended its process.
STOPPED, ENDED = "Stopped", "Ended"
WHY_LEFT_OUT = {STOPPED: "took too long and was stopped", ENDED: "ended the process and is left out"}
SYNTAX = "SyntaxError"
NO_REASON = 4
REFUSED = "ContractBroken"
NO_SUCH_NAME = "name '{}' is not defined"
COURSE_IMPORTS = ("from course.", "from autograder", "import autograder")
IMPORT_ERRORS = ("ImportError", "ModuleNotFoundError")
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
    def location(self) -> str:
        """Return where it is, as words."""
        return f"line {self.line} of {self.cell}"

    def __str__(self) -> str:
        return f"{'' if self.type == REFUSED else self.type + ' '}in {self.location}: {self.message}"


class SourceRun:
    """What came of running a submission's source: the statements that failed.

    errors: of the process that ran it, which are checked here and shortened; those of another form are left out.
    skipped: statements that did not run this time, and how each failed before.
    """

    def __init__(
        self, submission: Submission, errors: Any, skipped: Mapping[StatementId, str] | None = None
    ) -> None:
        self.submission = submission
        self.problems = [Problem(cell, why, "", line, "") for (cell, line), why in (skipped or {}).items()]
        for cell in submission.cells:
            for m in cell.mistakes:  # of which nothing was run
                source = m.source[:MAX_CHARACTERS]
                self.problems.append(Problem(submission.name_of(cell), SYNTAX, str(m), m.line, source))
        for error in errors[:MAX_ERRORS] if isinstance(errors, list) else []:
            if isinstance(error, dict):
                values = (error.get(key) for key in ("cell", "type", "message", "source"))
                words = (value[:MAX_CHARACTERS] if isinstance(value, str) else "" for value in values)
                name, kind, message, source = words
                line = error.get("line")
                line = line if type(line) is int else 0
                self.problems.append(Problem(name.strip("<>"), kind, message, line, source))

    @property
    def stopped(self) -> set[StatementId]:
        """Return the statements that took too long, as far as the submission has such cells."""
        names = {self.submission.name_of(cell) for cell in self.submission.cells}
        return {(p.cell, p.line) for p in self.problems if p.type == STOPPED and p.cell in names}

    def why_not_defined(self, exercise: Exercise) -> tuple[str, str]:
        """Return outcome and sentence where an exercise's entry is not there after the source has run."""
        entry, missing = exercise.entry, ("missing", self.submission.not_defined(exercise))
        if not any(entry in cell.all_text for cell in self.submission.cells):
            return missing
        if stopped := [p for p in self.problems if p.type == STOPPED]:
            why = f"{stopped[0].location} did not end in time: is there a loop that never ends?"
            return "timeout", f"{entry} is never defined: {why}"
        if ended := [p for p in self.problems if p.type == ENDED]:
            return "error", f"{entry} is never defined: {ended[0].location} ended the process that ran it."
        # That it is not there, where it is used, is no reason.
        is_used = re.compile(NO_SUCH_NAME.format(entry))
        problems = [p for p in self.problems if not is_used.search(p.message)]
        likely = min(problems, key=lambda p: self._how_unlikely(p, entry), default=None)
        if likely is None or self._how_unlikely(likely, entry) == NO_REASON:
            return missing
        return "error", f"{entry} is never defined: {likely}{self._failed_import(likely.message)}"

    def _how_unlikely(self, problem: Problem, entry: str) -> int:
        """Return how little a problem explains that an entry is not there: from 0 to NO_REASON."""
        cells = {self.submission.name_of(d.cell) for d in self.submission.definitions.of(entry)}
        chapter_cells = {self.submission.name_of(c) for c in self.submission.cells if c.is_of_chapter}
        is_there, names_it = problem.cell in cells, entry in problem.source
        # What the course's own cells import cannot be had here; it defines no answer.
        is_own = problem.cell not in chapter_cells and not problem.source.startswith(COURSE_IMPORTS)
        reasons = (is_there and (names_it or problem.type == SYNTAX), is_there, names_it, is_own, True)
        return reasons.index(True)

    def _failed_import(self, message: str) -> str:
        """Return a sentence to add where a message says that a name is not defined and its import has failed."""
        name = re.search(NO_SUCH_NAME.format(r"(\w+)"), message)
        failed = {(p.cell, p.line): p.message for p in self.problems if p.type in IMPORT_ERRORS}
        for cell in self.submission.cells if name and failed else ():
            for module, bound, line in cell.imports:
                if bound == name[1] and (statement := (self.submission.name_of(cell), line)) in failed:  # type: ignore[index]
                    if module.startswith("solutions."):
                        return " " + REFUSED_IMPORT.format(module=module, name=bound)
                    return f" Its import of {module.split('.')[0]} failed: {failed[statement]}."
        return ""

    def notes(self, verdict: Verdict, skipped: Mapping[StatementId, str]) -> str:
        """Return what it adds to a verdict: an import that failed behind it, a call that was refused, statements that were stopped.

        skipped: in all runs of the submission, for whatever framework, and how each failed.
        """
        remarks = ""
        if verdict.outcome == "error":
            remarks = self._failed_import(f"{verdict.cause} {verdict.raised}")
            refused = next((p for p in self.problems if p.type == REFUSED), None)
            remarks += f" (L{refused.location[1:]} was refused: {refused.message}.)" if refused else ""
        return remarks + self._of_mistakes(verdict.exercise) + self.note_of(skipped, verdict.framework)

    def note_of(self, skipped: Mapping[StatementId, str], framework: str) -> str:
        """Return a remark in brackets on the statements that were left out of what was run; empty if there is none."""
        ran = {name for name, _ in self.submission.sources(framework)} if skipped else set()
        failed = [(statement, why) for statement, why in sorted(skipped.items()) if statement[0] in ran]
        return "".join(_left_out([p for p, how in failed if how == why], why) for why in WHY_LEFT_OUT)

    def _of_mistakes(self, exercise: str) -> str:
        """Name the mistakes of syntax that were left out of what defines an answer, as a remark in brackets."""
        entry = all_exercises()[exercise].entry
        cells = {self.submission.name_of(d.cell) for d in self.submission.definitions.of(entry)}
        mistakes = [p for p in self.problems if p.type == SYNTAX and p.cell in cells]
        more = f" and {len(mistakes) - 1} more" if len(mistakes) > 1 else ""
        return f" (Left out: {mistakes[0]}{more}; what else was defined is judged.)" if mistakes else ""


def _left_out(statements: Sequence[StatementId], why: str) -> str:
    """Say that statements were left out, as a remark in brackets; empty if there are none."""
    if not statements:
        return ""
    more = f" and {len(statements) - 1} more" if len(statements) > 1 else ""
    cell, line = statements[0]
    return f" (Line {line} of {cell}{more} {WHY_LEFT_OUT[why]}; what was defined is judged.)"


def in_no_framework(verdict: Verdict, entry: str, packages: Iterable[str]) -> Verdict:
    """Return the verdict on an answer that names no framework; where it stops, with what it uses in the place of one."""
    supported = {package for f in checkable_frameworks().values() for package in f.packages}
    foreign = sorted(set(packages) - sys.stdlib_module_names - supported - {*PACKAGES, ""})
    if not foreign or verdict.outcome != "error":
        return verdict
    titles = listed([title_of(f) for f in graded_frameworks()], "or")
    sentence = ELSEWHERE.format(entry, " and ".join(foreign), titles)
    return replace(verdict, message=f"{sentence} {verdict.message}")


def naming_prose(verdicts: Iterable[Verdict], submission: Submission) -> list[Verdict]:
    """Return the verdicts; of what is missing they say which cell defines it, and is no code."""
    results = []
    for v in verdicts:
        more = submission.in_prose(all_exercises()[v.exercise].entry) if v.outcome == "missing" else ""
        results.append(v if more in v.message else replace(v, message=v.message + more))
    return results


def naming_wrong_helpers(verdicts: Sequence[Verdict], submission: Submission) -> list[Verdict]:
    """Return the verdicts on a submission's answers; a wrong one names the wrong answers that it uses."""
    entries = {v.exercise: all_exercises()[v.exercise].entry for v in verdicts}
    wrong = [(entries[v.exercise], v.framework) for v in verdicts if is_wrong(v)]
    results = []
    for v in verdicts:
        entry = entries[v.exercise]
        names = {name for name, framework in wrong if framework == v.framework and name != entry}
        helpers = names & submission.used_by(entry, v.framework) if names and is_wrong(v) else ()
        results.append(with_wrong_helpers(v, helpers))
    return results
