"""The command `doctor`: what this machine can do for a learner and for a teacher, and what to type where something is missing."""

import platform
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

import typer
from rich.text import Text

from autograder.book.contents import INDEX
from autograder.checking import progress
from autograder.cli.app import app
from autograder.cli.output import console, new_table
from autograder.copies.hosting import LIBRARIES
from autograder.frameworks import frameworks, graded_frameworks, title_of
from autograder.frameworks.libraries import WITHOUT_MXNET, WITHOUT_TORCH, to_install
from autograder.grade.workers import Zygote
from autograder.model.assignment import TimeLimits
from autograder.model.catalogue import all_exercises
from autograder.model.errors import UsageError, ZygoteFailed
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

# Where a required layer can be had.
TO_HAVE = {
    "landlock": (
        "Landlock needs Linux 5.13 or later, where `cat /sys/kernel/security/lsm` names it. A container must allow it: "
        "try `docker run --security-opt seccomp=unconfined`."
    ),
    "seccomp": "seccomp needs its library: type `apt install libseccomp2` and `pip install pyseccomp`.",
}
# What the import of a framework says of itself, in a process of its own: one that is broken may end it.
IMPORT = "import autograder.frameworks.libraries, {0}; print({0}.__version__)"
MISSING = {"torch": WITHOUT_TORCH, "mxnet": f"{WITHOUT_MXNET} PyTorch alone is enough."}


@app.command()
def doctor() -> None:
    """Report what works on this machine for learners and teachers, and what to type if something is missing.

    The exit status is 0 if official marks can be given here, and 2 if not.
    """
    console.print("For a learner", style="bold")
    for sentence in for_a_learner():
        console.print(sentence)
    console.print("\nFor a teacher", style="bold")
    if sys.platform != "linux":
        console.print("Grading a class needs Linux, or a Linux container. `attention check` does not.")
        raise typer.Exit(2)
    _say_what_the_lock_holds()


def for_a_learner() -> Iterator[str]:
    """Yield a sentence on each thing that a learner needs."""
    yield f"Python {platform.python_version()} runs this, {sys.executable}."
    works = False
    for name in graded_frameworks():
        is_here, sentence = _framework(name)
        works |= is_here
        yield sentence
    if not works:
        yield "Without a framework no exercise can be checked."
    yield from _libraries()
    yield _copies()


def _framework(name: str) -> tuple[bool, str]:
    """Return whether a framework can be imported, and a sentence that says so."""
    package, title = frameworks()[name].packages[0], title_of(name)
    if find_spec(package) is None:
        return False, MISSING.get(name, f"{title} is not installed: type `pip install {package}`.")
    done = subprocess.run([sys.executable, "-c", IMPORT.format(package)], capture_output=True, text=True)
    if done.returncode == 0:
        return True, f"{title} {done.stdout.split()[-1]} is here."
    why = (done.stderr.strip().splitlines() or [f"its process ended with status {done.returncode}"])[-1]
    return False, f"{title} is installed and cannot be imported: {why}.{to_install(why)}"


def _libraries() -> Iterator[str]:
    """Say whether JupyterLab is here, and what the chapters use beside a framework."""
    try:
        yield f"JupyterLab {version('jupyterlab')} is here, and opens the copies."
    except PackageNotFoundError:
        yield "JupyterLab is not installed: type `pip install jupyterlab`, or open the copies in VS Code."
    missing = [package for name, package in LIBRARIES.items() if find_spec(name) is None]
    if missing:
        yield f"Some chapters also use {', '.join(missing)}: type `pip install {' '.join(missing)}`."
    else:
        yield f"All that the chapters use is here: {', '.join(LIBRARIES.values())}."


def _copies() -> str:
    """Say where the copies are, and how far they are."""
    folder = progress.find_beside(Path.cwd())
    if folder is None:
        return "There are no copies in this folder: type `attention learn`, which puts them into `learn`."
    passed = len(progress.read(folder / progress.FILE).keys() & all_exercises().keys())
    return f"Your copies are in {folder}, with {passed} exercises passed; they begin with {INDEX}."


def _say_what_the_lock_holds() -> None:
    """Say what the layers of the lock hold; raise UsageError where one that marks need is missing."""
    from autograder.sandbox import lock  # it can be imported only on a system that has one

    try:
        with Zygote() as zygote, zygote.fork(TimeLimits()) as worker:
            layers, names, landlock = worker.layers, zygote.frameworks, lock.landlock_abi()
    except ZygoteFailed as error:
        raise UsageError(f"No submission can be run here: {error}.") from error
    table = new_table("layer", "here", "what it does")
    for layer, words in LAYERS.items():
        held = layers.get(layer, False)
        table.add_row(layer, Text("yes" if held else "no", style="green" if held else "yellow"), words)
    console.print(table)
    answer = f"Answers in {' and '.join(map(title_of, names))} can be graded."
    console.print(answer if names else "No answer can be graded: no framework is here.")
    missing = [layer for layer in REQUIRED if not layers.get(layer)]
    if missing:
        advice = [TO_HAVE[layer] for layer in missing if layer in TO_HAVE]
        refused = f"Without {' and '.join(missing)} no official mark is given here; --practice grades anyway."
        raise UsageError(" ".join([refused, *advice]))
    console.print(f"Landlock is version {landlock}, and official marks need version 1.")
    for sentence in closed_by_seccomp(landlock):
        console.print(sentence)
    console.print(NOT_CLOSED)
    console.print("Official marks can be given on this machine.")
