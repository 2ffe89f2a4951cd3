"""Commands for readers, learners and maintainers: `book`, `learn` and `test`, as `make` has them."""

import os
import subprocess
import sys
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from autograder.book.contents import INDEX
from autograder.checking import accepted_answers, progress
from autograder.checking.notebook_folder import forget
from autograder.cli.app import TeachersExercises, app
from autograder.cli.learning import Only, make_copies
from autograder.cli.output import console
from autograder.model.errors import UsageError
from autograder.model.paths import BOOK, ROOT, checkout

# Jupyter Book has no module that can be run. It imports jsonschema, which compiles 38 grammars of addresses for
# a check that no setting of the book needs: without them it begins about two seconds sooner. A build makes few
# cycles of objects, and looking for them takes a quarter of its time: it takes 15 MB more without.
JUPYTER_BOOK = """
import gc, sys
gc.disable()
sys.modules["rfc3987_syntax"] = None
from jupyter_book.cli.main import main
main()"""
# Settings of JupyterLab for a learner.
JUPYTER = ROOT / "course" / "jupyter"
STRICT = ("--quiet", "--warningiserror", "--keep-going", "--nitpick")
NBVAL = ("--nbval", "--nbval-sanitize-with", "tests/nbval.cfg")
# What a change must pass, in the order in which it fails soonest.
CHECKS = (
    ("ruff", "check", "."),
    ("ruff", "format", "--check", "."),
    ("mypy",),
    ("tools.sync", "--check"),
    ("pytest", "tests", "chapters", *NBVAL, "-n", "2", "--dist", "loadgroup", "--quick"),
)


@app.command()
def book(to: Annotated[Path | None, "The folder for `_build`; the checkout by default."] = None) -> None:
    """Build the book, and say which file to open."""
    here = checkout()
    folder = (to or here or Path.cwd()).resolve()
    _need("jupyter_book", "book")
    _run("-c", JUPYTER_BOOK, "build", str(here or BOOK), "--path-output", str(folder), *STRICT)
    page, where = folder / "_build" / "html" / "index.html", Path.cwd()
    path = page.relative_to(where) if page.is_relative_to(where) else page
    console.print(f"The book is built. Open {path}")


@app.command()
def learn(
    folder: Annotated[Path, typer.Argument(help="Where the copies go.")] = Path("learn"),
    framework: Only = None,
    teachers_exercises: TeachersExercises = None,
    forget: Annotated[
        str | None, typer.Option(metavar="NAME", help="Only remove the accepted answer to an exercise.")
    ] = None,
) -> None:
    """Make a learner's copies of the chapters, and open JupyterLab on their index."""
    if forget is not None:
        return _forget(folder, forget)
    _need("jupyterlab", "learn")
    make_copies(folder, framework)
    _run("-m", "jupyterlab", str(folder / INDEX), variables=without_news())


def _forget(folder: Path, name: str) -> None:
    if not (folder / progress.FILE).is_file():
        raise UsageError(f"{folder} holds no copies: name the folder that `attention learn` has made.")
    accepted = ", ".join(accepted_answers.read(folder)) or "none"
    passed = name != progress.ASSIGNED and forget(folder / progress.FILE, name)
    if not forget(folder / accepted_answers.FILE, name) and not passed:
        raise UsageError(f"No answer to {name} is accepted in {folder}. Accepted: {accepted}.")
    console.print(f"Forgotten: later notebooks use the course's {name} until yours is accepted again.")


@app.command()
def test() -> None:
    """Check a change of the course: lint, types, every quick test, and the chapters that differ from main."""
    here = checkout()
    if here is None:
        raise UsageError("There is no checkout of the course here: change to its folder, and try again.")
    for module, *words in CHECKS:
        if not (here / module.partition(".")[0]).is_dir():  # the checkout's own tools are there
            _need(module, "test")
        _run("-m", module, *words, folder=here)


def _need(module: str, extra: str) -> None:
    if find_spec(module) is None:
        raise UsageError(
            f'{module} is not installed: type `pip install ".[{extra}]"` in the course\'s folder. '
            "`attention doctor` says what else is missing."
        )


def without_news() -> dict[str, str]:
    """Return the environment in which JupyterLab asks no question about its news, which would lie over the first page."""
    config_paths = [str(JUPYTER), *filter(None, [os.environ.get("JUPYTER_CONFIG_PATH")])]
    return {"JUPYTER_CONFIG_PATH": os.pathsep.join(config_paths)}


def _run(*words: str, folder: Path | None = None, variables: Mapping[str, str] | None = None) -> None:
    """Run Python with these words; its failure is the command's."""
    # Small tensors on a shared machine: one thread each is the fastest.
    environment = {"OMP_NUM_THREADS": "1", **os.environ, **(variables or {})}
    status = subprocess.run([sys.executable, *words], cwd=folder, env=environment).returncode
    if status:
        raise typer.Exit(1)
