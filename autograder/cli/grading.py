"""Commands that run submissions: `doctor` and `grade`."""

import signal
import time
from pathlib import Path
from types import FrameType
from typing import Annotated, NoReturn

import typer
from rich.box import SIMPLE
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from autograder.cli.app import Asked, app, chosen_exercises
from autograder.cli.tables import MAX_ROWS, console, print_class, print_json, print_table
from autograder.frameworks import graded
from autograder.grade import log
from autograder.grade.cluster import Cluster
from autograder.grade.processes import Deadlines, Zygote
from autograder.grade.run import GradeOptions, run_all
from autograder.model.errors import AutograderError, Interrupted, UsageError, ZygoteFailed
from autograder.model.results import SubmissionResult
from autograder.read.learners import SAID, Layout, recognised
from autograder.sandbox.layers import REQUIRED, closed_by_seccomp

LAYERS = {
    "rlimits": "limits on memory, processor time, files and output",
    "no_new_privs": "no way to gain rights",
    "landlock": "no file but the interpreter's and the system's can be read, none written",
    "seccomp": "no network, no new process or thread, no signal to others, none of the kernel's rarer calls",
    "user": "a user that owns nothing (when started as root, with an interpreter that all may read)",
    "namespaces": "a network of its own, with nothing on it",
}

# Neither Landlock nor seccomp looks at the path that is asked about.
NOT_CLOSED = (
    "No layer hides whether a file exists: a submission can ask for the size and the dates of a path that it "
    "knows (not in a folder that its user may not enter), but it can neither read the file nor list the folder."
)


def landlock_version() -> int:
    """The kernel's version of Landlock. The lock can be imported only on a system that has one."""
    from autograder.sandbox.lock import landlock_abi

    return landlock_abi()


@app.command()
def doctor() -> None:
    """Say which layers of the lock this machine offers, and what is missing."""
    try:
        with Zygote() as zygote, zygote.fork(Deadlines()) as worker:
            layers, frameworks, version = worker.layers, zygote.frameworks, landlock_version()
    except ZygoteFailed as error:
        raise UsageError(f"No submission can be run here: {error}.") from error
    table = Table("layer", "here", "what it does", box=SIMPLE)
    for layer, words in LAYERS.items():
        held = layers.get(layer, False)
        table.add_row(layer, Text("yes" if held else "no", style="green" if held else "yellow"), words)
    console.print(table)
    console.print(f"frameworks: {', '.join(frameworks)}")
    missing = [layer for layer in REQUIRED if not layers.get(layer)]
    if missing:
        raise UsageError(
            f"Without {' and '.join(missing)} no official mark is given here; --practice grades all the same."
        )
    console.print(f"Landlock is version {version}, and official marks need version 1.")
    for sentence in closed_by_seccomp(version):
        console.print(sentence)
    console.print(NOT_CLOSED)
    console.print("Official marks can be given on this machine.")


@app.command()
def grade(
    submissions: Annotated[Path, typer.Argument(help="A notebook, a Python file, or a folder of them.")],
    exercise: Asked = None,
    framework: Annotated[
        str | None, typer.Option(help=f"{' or '.join(graded())}; told from the code if not given.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object.")] = False,
    gradebook: Annotated[
        Path | None, typer.Option(help="Where results are kept; a folder's go to gradebook.sqlite.")
    ] = None,
    practice: Annotated[
        bool, typer.Option("--practice", help="Grade without the full lock; marks say so.")
    ] = False,
    processes: Annotated[int, typer.Option(help="How many at once; 0 for one on each processor.", min=0)] = 0,
    cluster: Annotated[str | None, typer.Option(help="The address of a Dask scheduler, tls://…")] = None,
    cluster_ca: Annotated[
        Path | None,
        typer.Option(help="The certificate that the cluster's are signed with; as Dask is set if none."),
    ] = None,
    cluster_certificate: Annotated[Path | None, typer.Option(help="Your own certificate.")] = None,
    cluster_key: Annotated[Path | None, typer.Option(help="The private key of your certificate.")] = None,
    insecure_cluster: Annotated[
        bool, typer.Option("--insecure-cluster", help="Use tcp:// to other machines, where no stranger is.")
    ] = False,
    call_seconds: Annotated[float, typer.Option(help="Seconds for one call.", min=0.1)] = 5.0,
    source_seconds: Annotated[
        float, typer.Option(help="Seconds for running a source, before its answers are called.", min=1.0)
    ] = 20.0,
    seconds: Annotated[float, typer.Option(help="Seconds for one exercise in all.", min=1.0)] = 60.0,
    learners: Annotated[
        Layout | None, typer.Option(help="What a learner is; recognised by the names of folders and files.")
    ] = None,
    submission_seconds: Annotated[
        float, typer.Option(help="Seconds for all exercises of one submission together.", min=1.0)
    ] = 300.0,
    key: Annotated[
        str | None, typer.Option(help="Draw the inputs from this key, as a run without a gradebook named it.")
    ] = None,
) -> None:
    """Grade submissions, each in a process of its own. Stop it at any time and run it again to continue."""
    chosen = chosen_exercises(exercise or [], framework)
    if not submissions.exists():
        raise UsageError(f"There is no file or folder {submissions}.")
    if gradebook is None and submissions.is_dir() and not as_json:
        gradebook = Path("gradebook.sqlite")
    deadlines = Deadlines(min(source_seconds, seconds), call_seconds, seconds, submission_seconds)
    names = tuple(e.name for e in chosen)
    machines = (
        Cluster(cluster, cluster_ca, cluster_certificate, cluster_key, insecure_cluster) if cluster else None
    )
    options = GradeOptions(
        names, framework, deadlines, practice, processes, machines, learners, **_key(key, gradebook)
    )
    before = signal.signal(signal.SIGINT, _stop)
    try:
        results = _grade(submissions, gradebook, options, quiet=as_json or log.level() > 0)
        signal.signal(signal.SIGINT, before)
    except AutograderError as error:
        raise UsageError(f"Grading stopped. {error}") from error
    except KeyboardInterrupt:
        kept = "What was graded is kept; run the same command again to continue."
        raise Interrupted(
            f"Stopped. {kept if gradebook else 'Without a gradebook nothing is kept.'}"
        ) from None
    if not results:
        raise UsageError(f"There is no notebook and no Python file in {submissions}.")
    if submissions.is_dir() and not as_json:
        console.print(Text(SAID[learners or recognised(submissions)]))
    if as_json:
        print_json(results, names, single=bool(exercise) and len(chosen) == len(results) == 1)
    elif len(results) > MAX_ROWS:
        print_class(results, names)
    else:
        print_table(results, names)
    if gradebook is None:
        Console(stderr=True).print(f"The same inputs again: --key {options.key.hex()}", soft_wrap=True)


def _key(key: str | None, gradebook: Path | None) -> dict[str, bytes]:
    """The key that was asked for, if one was, as an option of a run."""
    if key is None:
        return {}
    if gradebook is not None:
        raise UsageError(f"The gradebook {gradebook} has a key of its own: leave out --key.")
    try:
        return {"key": bytes.fromhex(key)}
    except ValueError as error:
        raise UsageError(f"{key} is no key: give the hexadecimal number that a run has named.") from error


def _stop(number: int, frame: FrameType | None) -> NoReturn:
    """The first Ctrl-C ends the run in order; a second one ends the process at once, wherever it is."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    raise KeyboardInterrupt


def _grade(
    submissions: Path, gradebook: Path | None, options: GradeOptions, quiet: bool
) -> list[SubmissionResult]:
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

        return run_all(submissions, gradebook, options, advance)
