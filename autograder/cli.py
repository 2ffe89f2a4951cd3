"""The command line: exercises, start, grade."""

import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.box import SIMPLE
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from .exercise import Exercise
from .exercises import all_exercises
from .verdict import Verdict

app = typer.Typer(
    no_args_is_help=True, add_completion=False, help="Exercises on attention, and their grader."
)
console = Console()
MARKS = {"accepted": "green", "rejected": "yellow", "missing": "dim"}
MAX_WORD = 300


def fail(message: str) -> typer.Exit:
    """A sentence on standard error and exit status 2."""
    Console(stderr=True).print(Text(message, style="red"))
    return typer.Exit(2)


@app.command()
def exercises(as_json: Annotated[bool, typer.Option("--json", help="Machine-readable.")] = False) -> None:
    """List all exercises."""
    if as_json:
        sys.stdout.write(json.dumps([_described(e) for e in all_exercises().values()], indent=1) + "\n")
        return
    table = Table("exercise", "topic", "entry", "difficulty", "minutes", "points")
    for e in all_exercises().values():
        table.add_row(e.name, e.topic, e.entry, str(e.difficulty), str(e.minutes), str(e.points))
    console.print(table)


def _described(exercise: Exercise) -> dict[str, Any]:
    from .judge import prepare

    return {
        "name": exercise.name,
        "title": exercise.title,
        "topic": exercise.topic,
        "entry": exercise.entry,
        "kind": "class" if exercise.is_class else "function",
        "signature": exercise.signature,
        "frameworks": list(exercise.frameworks),
        "points": exercise.points,
        "difficulty": exercise.difficulty,
        "minutes": exercise.minutes,
        "cases": len(prepare(exercise, 0)),
        "misconceptions": [m.name for m in exercise.misconceptions],
    }


@app.command()
def start(
    folder: Annotated[Path, typer.Argument(help="Where the copies go.")] = Path("learn"),
) -> None:
    """Make a learner's copies of the chapters. What is there already is never overwritten."""
    from .learner import start as make

    try:
        written, kept = make(folder)
    except OSError as error:
        raise fail(f"The copies cannot be written to {folder}: {error.strerror}.") from error
    for path in written:
        console.print(Text(f"made {path}"))
    if kept:
        console.print(Text(f"{len(kept)} notebooks were there already and stay as they are."))


@app.command()
def grade(
    submissions: Annotated[Path, typer.Argument(help="A notebook, a Python file, or a folder of them.")],
    exercise: Annotated[str | None, typer.Option(help="Only this exercise.")] = None,
    framework: Annotated[
        str | None, typer.Option(help="torch or mxnet; told from the code if not given.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object.")] = False,
    call_seconds: Annotated[float, typer.Option(help="Seconds for one call.", min=0.1)] = 5.0,
    seconds: Annotated[float, typer.Option(help="Seconds for one exercise in all.", min=1.0)] = 60.0,
) -> None:
    """Grade submissions, each exercise in a process of its own."""
    from .grading import find
    from .remote import Deadlines, ZygoteFailed

    chosen = _chosen(exercise, framework)
    if not submissions.exists():
        raise fail(f"There is no file or folder {submissions}.")
    paths = find(submissions)
    if not paths:
        raise fail(f"There is no notebook and no Python file in {submissions}.")
    deadlines = Deadlines(source=min(20.0, seconds), call=call_seconds, whole=seconds)
    try:
        rows = _grade_all(paths, submissions, chosen, framework, deadlines, quiet=as_json)
    except ZygoteFailed as error:
        raise fail(f"Grading stopped: {error}.") from error
    if as_json:
        _print_json(rows, single=exercise is not None and len(paths) == 1)
    else:
        _print_table(rows)


def _chosen(exercise: str | None, framework: str | None) -> list[Exercise]:
    known = all_exercises()
    if exercise is not None and exercise not in known:
        raise fail(f"There is no exercise {exercise!r}. `python -m autograder exercises` lists them.")
    if framework not in (None, "mxnet", "torch"):
        raise fail(f"There is no framework {framework!r}: use torch or mxnet.")
    return [known[exercise]] if exercise else list(known.values())


Row = tuple[str, list[Verdict], float, str | None]


def _grade_all(
    paths: list[Path], root: Path, chosen: list[Exercise], framework: str | None, deadlines: Any, quiet: bool
) -> list[Row]:
    from .grading import grade as grade_paths

    columns = (TextColumn("grading"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True, disable=quiet) as bar:
        task = bar.add_task("grading", total=len(paths))
        rows: list[Row] = []
        for submission, verdicts, seconds in grade_paths(paths, root, chosen, framework, deadlines):
            rows.append((submission.name, verdicts, seconds, submission.problem))
            bar.advance(task)
    return rows


def _print_json(rows: list[Row], single: bool) -> None:
    found = [{"submission": name, **v.as_dict()} for name, verdicts, _, _ in rows for v in verdicts]
    if single:
        report: Any = found[0]
    else:
        report = {
            "submissions": [
                {"submission": name, "seconds": round(seconds, 3), "problem": problem, **_score(verdicts)}
                for name, verdicts, seconds, problem in rows
            ],
            "exercises": found,
        }
    sys.stdout.write(json.dumps(report, indent=1) + "\n")


def _score(verdicts: list[Verdict]) -> dict[str, float]:
    """Points earned: each exercise counts once, in the framework in which it went better."""
    best: dict[str, float] = {}
    for v in verdicts:
        best[v.exercise] = max(best.get(v.exercise, 0), v.points)
    return {"points": sum(best.values()), "accepted": sum(p > 0 for p in best.values())}


def _print_table(rows: list[Row]) -> None:
    table = Table("submission", "exercise", "framework", "outcome", "points", box=SIMPLE)
    said = []
    for name, verdicts, _, problem in rows:
        if not verdicts:
            table.add_row(_safe(name), "", "", Text("error" if problem else "missing", style="red"), "")
            said.append((name, problem or "It defines nothing that an exercise asks for."))
        for v in verdicts:
            outcome = Text(v.outcome, style=MARKS.get(v.outcome, "red"))
            table.add_row(_safe(name), v.exercise, v.framework, outcome, f"{v.points:g}/{v.max_points:g}")
            if v.outcome != "accepted":
                said.append((f"{name}, {v.exercise}", v.message))
    console.print(table)
    for where, words in said:
        console.print(Text.assemble((_safe(where).plain, "bold"), ": ", _safe(words).plain))
    summary = Table("submission", "exercises passed", "points", "seconds", box=SIMPLE)
    for name, verdicts, seconds, _ in rows:
        score = _score(verdicts)
        summary.add_row(_safe(name), f"{score['accepted']:g}", f"{score['points']:g}", f"{seconds:.2f}")
    console.print(summary)


def _safe(words: str) -> Text:
    """Words from a submission, without anything that a terminal would obey."""
    kept = "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in words)
    return Text(kept[:MAX_WORD])
