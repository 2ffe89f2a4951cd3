"""Commands that speak to Canvas or Moodle themselves: `push` and `pull`."""

from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer

from autograder.cli.app import Kept, app, interruptible, warn, writing
from autograder.cli.tables import console
from autograder.model.errors import AutograderError, UsageError
from autograder.model.text import clean, counted

# Systems that are spoken to, by the names of their modules.
Remote = StrEnum("Remote", ["canvas", "moodle"])

System = Annotated[Remote, "Its address and token come from CANVAS_URL and CANVAS_TOKEN, or MOODLE_…."]
Course = Annotated[str, "The number in the course's address there."]


def _loaded(name: str) -> Any:
    """What speaks to other systems; grading needs none of it."""
    try:
        return import_module(f"autograder.marks.remote.{name}")
    except ModuleNotFoundError as error:
        raise UsageError(f"This needs `pip install {error.name}`.") from error


def _assignment(system: Remote, course: str, name: str) -> Any:
    return getattr(_loaded(system.value), system.value.capitalize())(course, name)


@contextmanager
def _counting(one: str, several: str) -> Iterator[list[Any]]:
    """A list for what is done. What breaks the command off, Ctrl-C too, says how much that was, and what to type."""
    done: list[Any] = []
    try:
        with interruptible("Stopped."):
            yield done
    except AutograderError as error:
        said = f" {len(done)} {one if len(done) == 1 else several}; the same command goes on with the rest."
        raise type(error)(f"{error}{said if done else ''}") from error


@app.command()
def push(
    system: System,
    *,
    kept: Kept,
    course: Course,
    name: Annotated[str | None, "The assignment's name or number there; its own name if none."] = None,
    send: Annotated[bool, "Write the marks; without it they are shown."] = False,
    replace: Annotated[bool, "Write over marks that a person has set there."] = False,
    practice: Annotated[bool, "Write practice marks too."] = False,
    unscaled: Annotated[bool, "Write points as they are, whatever the maximum there."] = False,
) -> None:
    """Show which marks would change in Canvas or Moodle; with --send, write them there.

    A mark that a person has set there stays. The exit status is 0 if every learner's mark is (or would be) there, 1 if
    some are not (each is named) or a run has not finished, of which nothing is sent, and 2 if the command could not go on; typed again, it goes on where it stopped.
    """
    pushing = _loaded("pushing")
    with kept.opened() as book, _counting("mark was sent", "marks were sent") as sent:
        if send and book.is_read_only:
            raise UsageError(f"{kept.gradebook} cannot be written: what is sent must be noted there.")
        if not (name := name or book.assignment().name):
            raise UsageError("Say --name: the assignment's name or number there.")
        target = _assignment(system, course, name)
        if send and any(not file.is_tried for file in book.waiting()):
            warn("No mark was sent.")
            return
        plan = pushing.plan(book, target, practice, not unscaled, replace)
        warn(*plan.said, *plan.unmatched)
        left, shown = len(plan.unmatched), 0
        for change in pushing.send(book, target, plan.changes) if send else plan.changes:
            console.print(clean(change))
            left, shown = left + bool(change.kept), shown + (not change.kept)
            sent += [change] * (send and not change.kept)
        done = "sent" if send else "would change, and none was sent (--send sends them)"
        console.print(f"{counted(shown, 'mark')} {done}; {plan.same} are there already.")
        if left:
            are = "is" if left == 1 else "are"
            warn(f"{counted(left, 'mark')} of this gradebook {are} not in {target.title}.")
            raise typer.Exit(1)


@app.command()
def pull(
    system: System,
    to: Annotated[Path, "The folder that the files go to."],
    *,
    course: Course,
    name: Annotated[str, "The assignment's name or number there."],
    times: Annotated[Path | None, "A table for when each learner handed in, as first.times.csv."] = None,
) -> None:
    """Fetch what was handed in at Canvas or Moodle, as `grade` reads it; typed again, only what is new."""
    pulling = _loaded("pulling")
    with writing(to), _counting("file was brought up to date", "files were brought up to date") as done:
        for words in pulling.pull(_assignment(system, course, name), to, times):
            console.print(clean(words))
            done.append(words)
    console.print(f"{to} holds what is handed in now; {counted(len(done), 'file')} changed.")
