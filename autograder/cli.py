"""The command line: exercises, start, grade."""

import json
import sys
import time
from collections import Counter
from difflib import get_close_matches
from enum import StrEnum
from pathlib import Path
from statistics import median
from typing import Annotated, Any

import typer
from rich.box import SIMPLE
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Column, Table
from rich.text import Text

from .exercise import Exercise
from .exercises import all_exercises
from .gradebook import Gradebook, GradebookError
from .grading import LockRefused
from .remote import Deadlines, Zygote, ZygoteFailed
from .runs import ClusterError, Row, Run, run_all, score
from .sandbox.lock import REQUIRED
from .verdict import OUTCOMES
from .words import clean

app = typer.Typer(
    no_args_is_help=True, add_completion=False, help="Exercises on attention, and their grader."
)
console = Console()
MARKS = {"accepted": "green", "rejected": "yellow", "missing": "dim"}
MAX_WORD = 300
# A larger class gets one table; its reports say the rest.
MAX_ROWS = 40


class Format(StrEnum):
    """What `export` can write."""

    csv = "csv"
    json = "json"
    gradescope = "gradescope"
    canvas = "canvas"
    moodle = "moodle"
    nbgrader = "nbgrader"


LAYERS = {
    "rlimits": "limits on memory, processor time, files and output",
    "no_new_privs": "no way to gain rights",
    "landlock": "no file but the interpreter's and the system's can be read, none written",
    "seccomp": "no network, no new process, no signal to others, none of the kernel's rarer calls",
    "user": "a user that owns nothing (when started as root, with an interpreter that all may read)",
    "namespaces": "a network of its own, with nothing on it",
}


def fail(message: str) -> typer.Exit:
    """A sentence on standard error and exit status 2."""
    Console(stderr=True).print(Text(message, style="red"))
    return typer.Exit(2)


Asked = Annotated[list[str] | None, typer.Option(help="Only this exercise; may be said several times.")]
Counted = Annotated[
    list[str] | None,
    typer.Option(
        help="An exercise of the assignment; may be said several times. All that was graded if none."
    ),
]


@app.command()
def exercises(as_json: Annotated[bool, typer.Option("--json", help="Machine-readable.")] = False) -> None:
    """List all exercises."""
    if as_json:
        sys.stdout.write(json.dumps([_described(e) for e in all_exercises().values()], indent=1) + "\n")
        return
    table = Table(_name("exercise"), _name("define"), "difficulty", "minutes", "points", box=SIMPLE)
    topic = ""
    for e in all_exercises().values():
        if e.topic != topic:
            topic = e.topic
            table.add_row(Text(topic, style="bold"), "", "", "", "")
        table.add_row(f"  {e.name}", e.entry, str(e.difficulty), str(e.minutes), str(e.points))
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


def _name(title: str) -> Column:
    """A column of names, which a narrow terminal folds and never cuts off."""
    return Column(title, overflow="fold")


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
def doctor() -> None:
    """Say which layers of the lock this machine offers, and what is missing."""
    try:
        with Zygote() as zygote, zygote.fork(Deadlines()) as worker:
            layers, frameworks = worker.layers, zygote.frameworks
    except ZygoteFailed as error:
        raise fail(f"No submission can be run here: {error}.") from error
    table = Table("layer", "here", "what it does", box=SIMPLE)
    for layer, words in LAYERS.items():
        held = layers.get(layer, False)
        table.add_row(layer, Text("yes" if held else "no", style="green" if held else "yellow"), words)
    console.print(table)
    console.print(f"frameworks: {', '.join(frameworks)}")
    missing = [layer for layer in REQUIRED if not layers.get(layer)]
    if missing:
        raise fail(
            f"Without {' and '.join(missing)} no official mark is given here; --practice grades all the same."
        )
    console.print("Official marks can be given on this machine.")


@app.command()
def grade(
    submissions: Annotated[Path, typer.Argument(help="A notebook, a Python file, or a folder of them.")],
    exercise: Asked = None,
    framework: Annotated[
        str | None, typer.Option(help="torch or mxnet; told from the code if not given.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object.")] = False,
    gradebook: Annotated[
        Path | None, typer.Option(help="Where results are kept; a folder's go to gradebook.sqlite.")
    ] = None,
    practice: Annotated[
        bool, typer.Option("--practice", help="Grade without the full lock; marks say so.")
    ] = False,
    processes: Annotated[int, typer.Option(help="How many at once; 0 for one on each processor.", min=0)] = 0,
    cluster: Annotated[str | None, typer.Option(help="The address of a Dask scheduler, tcp://…")] = None,
    call_seconds: Annotated[float, typer.Option(help="Seconds for one call.", min=0.1)] = 5.0,
    seconds: Annotated[float, typer.Option(help="Seconds for one exercise in all.", min=1.0)] = 60.0,
) -> None:
    """Grade submissions, each in a process of its own. Stop it at any time and run it again to continue."""
    chosen = _chosen(exercise or [], framework)
    if not submissions.exists():
        raise fail(f"There is no file or folder {submissions}.")
    if gradebook is None and submissions.is_dir() and not as_json:
        gradebook = Path("gradebook.sqlite")
    deadlines = Deadlines(source=min(20.0, seconds), call=call_seconds, whole=seconds)
    run = Run(tuple(e.name for e in chosen), framework, deadlines, practice, processes, cluster)
    try:
        graded = _grade(submissions, gradebook, run, quiet=as_json)
    except (ZygoteFailed, LockRefused, GradebookError, ClusterError) as error:
        raise fail(f"Grading stopped. {error}") from error
    except KeyboardInterrupt:
        raise fail("Stopped. What was graded is kept; run the same command again to continue.") from None
    if not graded:
        raise fail(f"There is no notebook and no Python file in {submissions}.")
    if as_json:
        _print_json(graded, single=bool(exercise) and len(chosen) == len(graded) == 1)
    elif len(graded) > MAX_ROWS:
        _print_class(graded)
    else:
        _print_table(graded)


def _chosen(exercises: list[str], framework: str | None) -> list[Exercise]:
    known = all_exercises()
    for name in exercises:
        if name in known:
            continue
        of_topic = [e.name for e in known.values() if e.topic == name]
        if of_topic:
            raise fail(f"{name!r} is a topic; its exercises are {', '.join(of_topic)}.")
        near = "".join(f" Is it {word}?" for word in get_close_matches(name, known, n=1))
        raise fail(f"There is no exercise {name!r}.{near} `python -m autograder exercises` lists them.")
    if framework not in (None, "mxnet", "torch"):
        raise fail(f"There is no framework {framework!r}: use torch or mxnet.")
    return [known[name] for name in exercises or known]


def _grade(submissions: Path, gradebook: Path | None, run: Run, quiet: bool) -> list[Row]:
    columns = (
        TextColumn("grading"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(),
        TextColumn("{task.fields[rate]}"),
    )  # fmt: skip
    with Progress(*columns, console=Console(stderr=True), transient=True, disable=quiet) as bar:
        task = bar.add_task("grading", total=None, rate="")
        begun = time.monotonic()

        def advance(done: int, total: int) -> None:
            rate = f"{done / (time.monotonic() - begun):.1f} a second"
            bar.update(task, completed=done, total=total, rate=rate)

        return run_all(submissions, gradebook, run, advance)


def _print_json(rows: list[Row], single: bool) -> None:
    found = [{"submission": row.name, **v} for row in rows for v in row.verdicts]
    if single:
        report: Any = found[0]
    else:
        report = {
            "submissions": [
                {
                    "submission": row.name,
                    "seconds": round(row.seconds, 3),
                    "problem": row.problem,
                    **score(row.verdicts),
                }
                for row in rows
            ],
            "exercises": found,
        }
    sys.stdout.write(json.dumps(report, indent=1) + "\n")


def _print_table(rows: list[Row]) -> None:
    table = Table(_name("submission"), _name("exercise"), "framework", "outcome", "points", box=SIMPLE)
    said = []
    for row in rows:
        if not row.verdicts:
            outcome = Text("error" if row.problem else "missing", style="red")
            table.add_row(_safe(row.name), "", "", outcome, "")
            said.append((row.name, row.problem or "it defines nothing that was asked for."))
        told = _told(row)
        for v in told:
            outcome = Text(v["outcome"], style=MARKS.get(v["outcome"], "red"))
            points = f"{v['points']:g}/{v['max_points']:g}"
            table.add_row(_safe(row.name), v["exercise"], v["framework"], outcome, points)
            if v["outcome"] != "accepted" and (v["outcome"] != "missing" or len(told) == 1):
                said.append((f"{row.name}, {v['exercise']}", v["message"]))
            if v.get("flag"):
                said.append((f"{row.name}, {v['exercise']}", f"to look at: {v['flag']}."))
    console.print(table)
    for where, words in said:
        words = words.removeprefix(f"{where} ")
        console.print(Text.assemble((_safe(where).plain, "bold"), ": ", _safe(words).plain))
    summary = Table("submission", "exercises passed", "points", "seconds", box=SIMPLE)
    for row in rows:
        earned = score(row.verdicts)
        summary.add_row(
            _safe(row.name), f"{earned['accepted']:g}", f"{earned['points']:g}", f"{row.seconds:.2f}"
        )
    console.print(summary)
    _say_practice(rows)


def _told(row: Row) -> list[dict[str, Any]]:
    """Its verdicts, without the framework in which an exercise is not written if there is another."""
    answered = {v["exercise"] for v in row.verdicts if v["outcome"] != "missing"}
    return [v for v in row.verdicts if v["outcome"] != "missing" or v["exercise"] not in answered]


def _print_class(rows: list[Row]) -> None:
    """How each exercise went, for a class too large to be read line by line."""
    counts = Counter((v["exercise"], v["framework"], v["outcome"]) for row in rows for v in row.verdicts)
    seen = [outcome for outcome in OUTCOMES if any(key[2] == outcome for key in counts)]
    table = Table(_name("exercise"), "framework", *seen, box=SIMPLE)
    for name, framework in sorted({key[:2] for key in counts}):
        table.add_row(name, framework, *(str(counts[name, framework, o] or "") for o in seen))
    console.print(table)
    unread = [row for row in rows if row.problem]
    for row in unread[:MAX_ROWS]:
        console.print(Text.assemble((_safe(row.name).plain, "bold"), ": ", _safe(row.problem or "").plain))
    if len(unread) > MAX_ROWS:
        console.print(f"… and {len(unread) - MAX_ROWS} more could not be read.")
    points = [score(row.verdicts)["points"] for row in rows]
    said = f"{len(rows)} submissions; points: median {median(points):g}, from {min(points):g} to {max(points):g}."
    console.print(
        f"{said} `python -m autograder report` writes a page for the class and one for each learner."
    )
    _say_practice(rows)


def _say_practice(rows: list[Row]) -> None:
    if any(row.practice for row in rows):
        console.print("These are practice results: the full lock did not hold.", style="yellow")


def _safe(words: str) -> Text:
    """Words from a submission, without anything that a terminal would obey."""
    return Text(clean(words, MAX_WORD))


@app.command()
def report(
    gradebook: Annotated[Path, typer.Argument(help="What `grade` kept.")] = Path("gradebook.sqlite"),
    to: Annotated[Path, typer.Option(help="The folder that the pages go to.")] = Path("reports"),
    exercise: Counted = None,
) -> None:
    """Write a page for the class and one for each learner: static, and readable without a network."""
    from .report import write

    book = _open(gradebook, exercise)
    try:
        page = write(book, to)
    except OSError as error:
        raise fail(f"The pages cannot be written to {to}: {error.strerror}.") from error
    finally:
        book.close()
    console.print(Text(f"Open {page}"))


def _open(gradebook: Path, exercises: list[str] | None) -> Gradebook:
    only = [e.name for e in _chosen(exercises, None)] if exercises else []
    if not gradebook.exists():
        raise fail(f"There is no gradebook {gradebook}: `python -m autograder grade FOLDER` makes one.")
    try:
        return Gradebook(gradebook, only)
    except GradebookError as error:
        raise fail(str(error)) from error


@app.command()
def export(
    form: Annotated[Format, typer.Argument(help="The system that reads it.")],
    gradebook: Annotated[Path, typer.Argument(help="What `grade` kept.")] = Path("gradebook.sqlite"),
    to: Annotated[Path | None, typer.Option(help="The file to write; standard output if not given.")] = None,
    roster: Annotated[Path | None, typer.Option(help="The CSV that Canvas or Moodle exported.")] = None,
    assignment: Annotated[str, typer.Option(help="The assignment's name in the other system.")] = "attention",
    learner: Annotated[str | None, typer.Option(help="Whose results.json (Gradescope).")] = None,
    exercise: Counted = None,
) -> None:
    """Write marks for Gradescope, Canvas, Moodle or nbgrader, or as plain CSV or JSON."""
    from .exports import ExportError

    book = _open(gradebook, exercise)
    try:
        made = _export(form, book, roster, assignment, learner)
    except (ExportError, GradebookError) as error:
        raise fail(str(error)) from error
    finally:
        book.close()
    _write(made.text, to)
    if made.unmatched:
        names = clean(", ".join(made.unmatched))
        Console(stderr=True).print(Text(f"No row in {roster} for: {names}", style="yellow"))


def _export(form: Format, book: Gradebook, roster: Path | None, assignment: str, learner: str | None) -> Any:
    from . import exports

    if form in (Format.canvas, Format.moodle) and roster is None:
        raise exports.ExportError(f"{form.value} needs --roster FILE: the CSV that it exported.")
    if form is Format.canvas:
        return exports.canvas(book, roster or Path(), assignment)
    if form is Format.moodle:
        return exports.moodle(book, roster or Path())
    if form is Format.nbgrader:
        return exports.nbgrader(book, assignment)
    if form is Format.gradescope:
        return _gradescope(book, learner)
    return exports.plain_csv(book) if form is Format.csv else exports.plain_json(book)


def _gradescope(book: Gradebook, learner: str | None) -> Any:
    from .exports import ExportError, gradescope
    from .report import counted, learners

    everyone = learners(book)
    found = [who for who in everyone if learner in (None, who.name)]
    if len(found) != 1:
        names = clean(", ".join(who.name for who in everyone)) or "nobody"
        raise ExportError(f"Say whose results: --learner NAME. The gradebook has {names}.")
    return gradescope(found[0], counted(book, everyone))


def _write(text: str, to: Path | None) -> None:
    if to is None:
        sys.stdout.write(text)
        return
    try:
        to.write_text(text, encoding="utf-8", newline="")
    except OSError as error:
        raise fail(f"{to} cannot be written: {error.strerror}.") from error


class System(StrEnum):
    """Where submissions can be graded as they come in."""

    gradescope = "gradescope"
    classroom = "classroom"


@app.command()
def package(
    system: Annotated[System, typer.Argument(help="Where it is to run.")],
    folder: Annotated[Path, typer.Argument(help="Where the files go.")],
    course: Annotated[str, typer.Option(help="The course's repository (GitHub Classroom).")] = "OWNER/COURSE",
    exercise: Asked = None,
    practice: Annotated[
        bool, typer.Option("--practice", help="Grade where the full lock cannot hold.")
    ] = False,
) -> None:
    """Make a Gradescope autograder's folder, or a GitHub Classroom workflow."""
    from .deploy import package as make

    chosen = _chosen(exercise, None) if exercise else []
    options = [word for e in chosen for word in ("--exercise", e.name)] + ["--practice"] * practice
    strange = folder.is_dir() and any(folder.iterdir()) and not (folder / "run_autograder").exists()
    if system is System.gradescope and strange:
        raise fail(f"{folder} holds other files, which would be uploaded too: name a new folder.")
    try:
        written = make(system.value, folder, course, " ".join(options))
    except OSError as error:
        raise fail(f"{folder} cannot be written: {error.strerror}.") from error
    for path in written:
        console.print(Text(f"made {path}"))
    if system is System.classroom and course == "OWNER/COURSE":
        console.print("Say --course OWNER/NAME, or put the course's repository there for OWNER/COURSE.")
    if system is System.gradescope:
        console.print(Text(f"Zip the contents of {folder} and upload the archive as the autograder."))


@app.command()
def gradescope(
    submission: Annotated[Path, typer.Argument(help="The folder that Gradescope puts the submission in.")],
    results: Annotated[Path, typer.Argument(help="The results.json to write.")],
    exercise: Asked = None,
    practice: Annotated[bool, typer.Option("--practice", help="Grade without the full lock.")] = False,
) -> None:
    """Grade one learner's folder and write results.json, on failure too."""
    from .exports import gradescope as write_results
    from .report import one_learner

    asked = [e.name for e in _chosen(exercise or [], None)]
    run = Run(tuple(asked), None, Deadlines(), practice, processes=1)
    try:
        rows = run_all(submission, None, run, lambda done, total: None)
        found = {v["exercise"] for row in rows for v in row.verdicts}
        made = write_results(one_learner(rows), [name for name in asked if exercise or name in found])
    except Exception as error:  # without results.json a learner sees nothing at all
        made = write_results(None, [], f"The submission could not be graded; this is not its fault. {error}")
    _write(made.text, results)
