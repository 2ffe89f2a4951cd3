"""Commands that say what an assignment is, `assignment new`, and that run submissions, `grade`."""

import time
from contextlib import closing
from dataclasses import asdict, astuple, dataclass, replace
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from autograder.cli.app import (
    GRADEBOOK,
    ExerciseNames,
    ExerciseOptions,
    InFramework,
    Practice,
    TeachersExercises,
    app,
    assignment_in,
    interruptible,
    refuse_handed_in,
    selected_exercises,
    use_exercises_in,
    use_exercises_of,
    warn,
)
from autograder.cli.groups import CommandLine
from autograder.cli.output import MAX_ROWS, console, print_class, print_json, print_table, stderr
from autograder.grade import log
from autograder.grade.cluster import Cluster
from autograder.grade.run import GradeOptions, deadline_notes, run_all
from autograder.marks.corrections import person_tables
from autograder.marks.gradebook import Gradebook
from autograder.marks.overview import spelling_notes, summaries
from autograder.marks.standing import Standing, standing_in, standing_of
from autograder.model.assignment import Assignment, TimeLimits
from autograder.model.errors import AutograderError, UsageError
from autograder.model.learner_files import as_usage_error
from autograder.model.results import SubmissionResult, identity, learner_of
from autograder.model.teachers_exercises import folders
from autograder.read.assignments import new_assignment
from autograder.read.files import A_CLASS, is_archive_of_a_class
from autograder.read.learners import DESCRIPTIONS, Layout, recognised

OLD_TABLE = "{} counts in the new gradebook {}: move it away if it is of an earlier term."
OTHER_FOLDER = (
    "{} is the gradebook of {}, and not of {}: for another class or term name a new one with --gradebook FILE; "
    "if all are one class, or the folder has moved, add --add-folder once."
)
OTHER_TERM = (
    "{} of {} learners of {} have no file in {} any more: is this another term? If so, grade again with a new "
    "gradebook, --gradebook FILE: corrections and times beside this one count for who repeats the course."
)
Limit = float | None
assignments = CommandLine(no_args_is_help=True, help="The file that describes an assignment.")
app.add_typer(assignments, name="assignment")


@assignments.command()
def new(
    file: Annotated[Path, "The file to make, such as first.toml."],
    exercise: ExerciseNames = None,
    teachers_exercises: TeachersExercises = None,
) -> None:
    """Make a new assignment's file, in which every key is explained. An existing file is not overwritten."""
    text = new_assignment(file, selected_exercises(exercise) if exercise else [])
    if file.exists():
        raise UsageError(f"{file} already exists: edit it, or name another.")
    with as_usage_error(file, "written"), file.open("x", encoding="utf-8") as opened:
        opened.write(text)
    console.print(f"made {file}: choose its exercises, points and date there.")


@dataclass(frozen=True)
class FrameworkOptions(ExerciseOptions):
    """What is graded, and in which framework."""

    framework: InFramework = None


@dataclass(frozen=True)
class StoreOptions:
    """Options that say where results go."""

    gradebook: Annotated[
        Path | None, "Where results are stored; for a folder, gradebook.sqlite by default."
    ] = None
    add_folder: Annotated[
        bool, "Grade into a gradebook of other folders: all count, as for a class in several folders."
    ] = False


@dataclass(frozen=True)
class MachineOptions:
    """Options that say where is graded: in how many processes here, or on a cluster."""

    cluster: Annotated[str | None, "The address of a Dask scheduler, tls://…"] = None
    cluster_ca: Annotated[
        Path | None, "The cluster's certificate authority; Dask's own setting by default."
    ] = None
    cluster_certificate: Annotated[Path | None, "Your own certificate."] = None
    cluster_key: Annotated[Path | None, "The private key of your certificate."] = None
    insecure_cluster: Annotated[bool, "Allow tcp:// to other machines, on a network that you trust."] = False
    processes: Annotated[int, "How many processes; 0 for one per processor.", 0] = 0

    @property
    def scheduler(self) -> Cluster | None:
        """Return the cluster; None to grade on this machine."""
        return None if self.cluster is None else Cluster(*astuple(self)[:-1])


@dataclass(frozen=True)
class LimitOptions:
    """Options that say how long a submission may take, and how large it may be; None leaves it to the assignment."""

    call_seconds: Annotated[Limit, "Seconds for one call; 1 by default.", 0.1] = None
    source_seconds: Annotated[
        Limit, "Seconds for running a source, before its answers are called; 2.5 by default.", 1.0
    ] = None
    seconds: Annotated[Limit, "Seconds for one exercise in all; 60 by default.", 1.0] = None
    submission_seconds: Annotated[
        Limit, "Seconds for all exercises of one submission together; 300 by default.", 1.0
    ] = None
    learner_seconds: Annotated[Limit, "Seconds for all files of one learner; 600 by default.", 1.0] = None
    megabytes: Annotated[Limit, "Megabytes of one file, its outputs included; 10 by default.", 0.1] = None

    def noted_in(self, assignment: Assignment) -> Assignment:
        """Return the assignment with the size that was said, which the pages need to find the same files again."""
        if self.megabytes is None:
            return assignment
        return replace(assignment, limits={**assignment.limits, "megabytes": self.megabytes})

    def time_limits(self, assignment: Assignment) -> TimeLimits:
        """Return the limits of a run: what was said, then what the assignment says, then the usual ones."""
        limits = {name: value for name, value in asdict(self).items() if value is not None}
        return TimeLimits.of({**assignment.limits, **limits})


@app.command()
def grade(
    context: typer.Context,
    submissions: Annotated[Path, "A notebook, a Python file, or a folder of them."],
    *,
    selection: FrameworkOptions,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    store: StoreOptions,
    practice: Practice = False,
    machines: MachineOptions,
    limits: LimitOptions,
    learners: Annotated[Layout | None, "Which names tell learners apart; detected by default."] = None,
    key: Annotated[
        str | None, "Draw the inputs from this key, which a run without a gradebook has printed."
    ] = None,
) -> None:
    """Grade submissions, each in a process of its own. Stop it at any time and run it again to continue."""
    if not submissions.exists():
        raise UsageError(f"There is no file or folder {submissions}.")
    if is_archive_of_a_class(submissions):
        raise UsageError(f"{submissions} {A_CLASS}")
    is_class = submissions.is_dir() and not as_json
    gradebook = store.gradebook or (GRADEBOOK if is_class else None)
    refuse_handed_in([submissions], gradebook, selection.assignment)
    use_exercises_in(selection.assignment)
    _look_at(gradebook)
    refuse_handed_in([submissions], *folders())
    assignment = limits.noted_in(_assignment(selection, gradebook))
    if not store.add_folder:
        _refuse_another_folder(gradebook, submissions)
    how = limits.time_limits(assignment), practice, machines.processes, machines.scheduler, learners
    command = {"words": context.meta["words"], "folder": str(Path.cwd())}
    options = GradeOptions(assignment, selection.framework, *how, command=command)
    if key is not None:
        options = replace(options, key=_key(key, gradebook))
    results = _grade(submissions, gradebook, options, quiet=as_json or log.level() > 0)
    if is_class:
        console.print(DESCRIPTIONS[learners or recognised(submissions)])
    standing = _standing(results, assignment, gradebook)
    if as_json:
        single = bool(selection.exercise) and len(assignment.exercises) == len(results) == 1
        print_json(results, standing, single)
    elif len(results) > MAX_ROWS:
        print_class(results, standing)
    else:
        print_table(results, standing)
    if not as_json:
        warn(*deadline_notes(results, options.time_limits))
    doubts = [summary.doubt for summary in summaries(standing.learners) if summary.doubt]
    warn(*doubts, *spelling_notes(standing.learners).values(), *standing.unread, *standing.unfinished)
    if gradebook is not None:
        _ask_of_another_term(gradebook, submissions)
    else:
        stderr.print(f"The same inputs again: --key {options.key.hex()}", soft_wrap=True)


def _standing(results: list[SubmissionResult], assignment: Assignment, gradebook: Path | None) -> Standing:
    """Return what the learners of this run have: as the gradebook says it, lateness and a person's word included."""
    if gradebook is None:
        return standing_of(results, assignment)
    with closing(Gradebook(gradebook)) as book:
        standing = standing_in(book)
    mine = {identity(learner_of(result.name)) for result in results}
    return replace(standing, learners=[who for who in standing.learners if identity(who.name) in mine])


def _look_at(gradebook: Path | None) -> None:
    """Take in the exercises that a gradebook remembers; say which tables lie beside one that is new."""
    if gradebook is None:
        return
    if gradebook.exists():
        with closing(Gradebook(gradebook)) as book:
            use_exercises_of(book)
    else:
        warn(*(OLD_TABLE.format(table, gradebook) for table in person_tables(gradebook)))


def _refuse_another_folder(gradebook: Path | None, submissions: Path) -> None:
    """Raise UsageError where a gradebook belongs to another folder, which may be that of an earlier term."""
    if gradebook is None or not gradebook.exists():
        return
    with closing(Gradebook(gradebook)) as book:
        places = book.folders()
    if places and submissions.resolve() not in places:
        raise UsageError(OTHER_FOLDER.format(gradebook, " and of ".join(map(str, places)), submissions))


def _ask_of_another_term(gradebook: Path, submissions: Path) -> None:
    """Ask where more learners are gone than half of those that are there, as where a folder was emptied and refilled."""
    with closing(Gradebook(gradebook)) as book:
        present = {identity(learner_of(name)) for name in book.files()}
        gone = {identity(learner_of(name)) for name in book.removed_files()} - present
    if 2 * len(gone) > len(present):
        warn(OTHER_TERM.format(len(gone), len(gone | present), gradebook, submissions))


def _assignment(selection: FrameworkOptions, gradebook: Path | None) -> Assignment:
    """Return the assignment; where nothing is said, that of the file with which the gradebook was graded last."""
    assignment = selection.read(selection.framework)
    is_said = selection.framework or selection.exercise or selection.assignment
    if is_said or gradebook is None or not gradebook.exists():
        return assignment
    with closing(Gradebook(gradebook)) as book:
        if not book.assignment().name:
            return assignment
        assignment = assignment_in(book, gradebook)
    stderr.print(f"The assignment is {assignment.name!r}, as {gradebook} remembers it.", soft_wrap=True)
    return assignment


def _key(key: str, gradebook: Path | None) -> bytes:
    if gradebook is not None:
        raise UsageError(f"The gradebook {gradebook} has a key of its own: leave out --key.")
    try:
        return bytes.fromhex(key)
    except ValueError as error:
        raise UsageError(f"{key} is not a key: give the hexadecimal number that a run has named.") from error


def _grade(
    submissions: Path, gradebook: Path | None, options: GradeOptions, quiet: bool
) -> list[SubmissionResult]:
    """Return the results of a run. Raises Interrupted on Ctrl-C, and UsageError where nothing can be graded."""
    columns = TextColumn("grading"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    rate = TextColumn("{task.fields[rate]}")
    bar = Progress(*columns, rate, console=stderr, transient=True, disable=quiet)
    task, begun = bar.add_task("grading", total=None, rate=""), time.monotonic()

    def advance(done: int, total: int) -> None:
        rate = f"{done / (time.monotonic() - begun):.1f} a second"
        bar.update(task, completed=done, total=total, rate=rate)

    advice = "What was graded is kept; run the same command again to continue."
    with interruptible(f"Stopped. {advice if gradebook else 'Without a gradebook nothing is kept.'}"), bar:
        try:
            results = run_all(submissions, gradebook, options, advance)
        except AutograderError as error:
            raise UsageError(f"Grading stopped. {error}") from error
    if not results:
        raise UsageError(f"There is no notebook and no Python file in {submissions}.")
    return results
