"""What `grade` prints: JSON, a table, or a summary of a class."""

import json
import os
import re
import sys
from collections import defaultdict
from typing import Any

from rich.box import SIMPLE
from rich.console import Console
from rich.table import Column, Table
from rich.text import Text

from autograder.marks.overview import class_summary, summaries
from autograder.marks.standing import PRACTICE, UNGRADED, Standing, one_learner, verdicts_to_show, with_credit
from autograder.model.finding import Kind
from autograder.model.results import SubmissionResult, learner_of
from autograder.model.text import clean, few
from autograder.model.verdict import OUTCOMES
from autograder.read.files import LEFT_OUT, NOT_READ


def forget_odd_sizes() -> None:
    """Take sizes of a terminal that are none from the environment: `rich` would show nothing, or stop."""
    for name in ("COLUMNS", "LINES"):
        if not re.fullmatch(r"[1-9][0-9]{1,3}", os.environ.get(name, "")):
            os.environ.pop(name, None)


forget_odd_sizes()
# Where no terminal reads it, names stay whole, to be searched and copied; `rich` takes a width with a height only.
IS_READ = sys.stdout.isatty() or "COLUMNS" in os.environ

# Words are printed as they are: what a learner has chosen is no markup.
AS_IT_IS: dict[str, Any] = {"markup": False, "emoji": False, "highlight": False}
console = Console(**AS_IT_IS) if IS_READ else Console(width=200, height=50, **AS_IT_IS)
stderr = Console(stderr=True, **AS_IT_IS)

STYLES = {"accepted": "green", "rejected": "yellow", "missing": "dim"}
MAX_CHARACTERS = 500
NOTHING_DEFINED = "it defines nothing that was asked for: no code cell or line of it begins a def or class with the name of an exercise. A definition in a text, or in a cell that was deleted or turned to Markdown, is none."
# Of files of one learner of which the same is said.
MAX_FILES = 3
# A larger class gets one table; its reports say the rest.
MAX_ROWS = 40


def new_table(*titles: str) -> Table:
    """Return a table with these columns; a narrow terminal folds names in it and never cuts them off."""
    return Table(*(Column(title, overflow="fold") for title in titles), box=SIMPLE)


def print_json(results: list[SubmissionResult], standing: Standing, single: bool) -> None:
    verdicts = [
        {"submission": result.name, **with_credit(v, standing.assignment).as_dict()}
        for result in results
        for v in result.verdicts
    ]
    if single and verdicts:  # a file that cannot be read has none
        report: Any = verdicts[0]
    else:
        report = {
            "submissions": [
                {
                    "submission": result.name,
                    "seconds": round(result.seconds, 3),
                    "problem": result.problem,
                    "points": (counted := one_learner([result], standing.assignment)).points,
                    "accepted": counted.passed,
                }
                for result in results
            ],
            "learners": [
                {"learner": who.name, "points": who.points, "possible": who.possible, "passed": who.passed}
                for who in standing.learners
            ],
            "exercises": verdicts,
        }
    sys.stdout.write(json.dumps(report, indent=1) + "\n")


def print_table(results: list[SubmissionResult], standing: Standing) -> None:
    """Print every verdict, and what each learner has of the exercises that were asked for."""
    table = new_table("submission", "exercise", "framework", "outcome", "points")
    # Where, by the learner and what is said: a folder may hold many files that are as they were handed out.
    notes: dict[tuple[str, str], list[str]] = defaultdict(list)
    for result in results:
        if not result.verdicts:
            outcome = Text("error" if result.problem else "missing", style="red")
            table.add_row(safe(result.name), "", "", outcome, "")
            where, words = _refused(result)
            notes[learner_of(result.name), words].append(where)
        verdicts = [with_credit(v, standing.assignment) for v in verdicts_to_show(result.verdicts)]
        for v in verdicts:
            where = f"{result.name}, {v.exercise}"
            outcome = Text(v.outcome, style=STYLES.get(v.outcome, "red"))
            points = f"{v.points:g}/{v.max_points:g}"
            table.add_row(safe(result.name), v.exercise, v.framework, outcome, points)
            if v.outcome != "accepted" and (v.kind != Kind.NOT_WRITTEN or len(verdicts) == 1):
                notes[learner_of(result.name), v.message].append(where)
            if v.flag:
                notes[learner_of(result.name), f"to look at: {v.flag}."].append(where)
    console.print(table)
    for (_, words), names in notes.items():
        _say(few(names, MAX_FILES, "; "), words)
    summary = new_table("learner", "exercises passed", "points", "seconds")
    for who in standing.learners:
        passed, points = f"{who.passed} of {len(who.exercises)}", f"{who.points:g} of {who.possible:g}"
        summary.add_row(safe(who.name), passed, points, f"{who.seconds:.2f}")
    console.print(summary)
    _say_practice(standing)


def print_class(results: list[SubmissionResult], standing: Standing) -> None:
    """Print how each exercise went, as the class's page counts it, for a class too large to be read line by line."""
    order = list(standing.exercises)
    rows = sorted(summaries(standing.learners), key=lambda s: order.index(s.exercise.name))
    outcomes = [outcome for outcome in (*OUTCOMES, UNGRADED) if any(s.outcomes[outcome] for s in rows)]
    table = new_table("exercise", *outcomes)
    for s in rows:
        table.add_row(s.exercise.name, *(str(s.outcomes[outcome] or "") for outcome in outcomes))
    console.print(table)
    unread = [result for result in results if result.problem]
    for result in unread[:MAX_ROWS]:
        _say(*_refused(result))
    if len(unread) > MAX_ROWS:
        console.print(f"… and {len(unread) - MAX_ROWS} more could not be read.")
    console.print(f"{len(results)} submissions of {class_summary(standing)}")
    console.print("`attention report` writes a page for the class and one for each learner.")
    _say_practice(standing)


def _refused(result: SubmissionResult) -> tuple[str, str]:
    """Return what was refused, or defines nothing, and why: in words that do not name it again."""
    where = result.name.removesuffix(NOT_READ).removesuffix(LEFT_OUT).rstrip("/")
    return where, (result.problem or NOTHING_DEFINED).removeprefix(f"{result.name} ")


def _say(where: str, words: str) -> None:
    console.print(Text.assemble((safe(where), "bold"), ": ", safe(words)))


def _say_practice(standing: Standing) -> None:
    if standing.practice:
        console.print(PRACTICE, style="yellow")


def safe(words: str) -> str:
    """Return text from a submission, shortened and without control characters."""
    return clean(words, MAX_CHARACTERS)
