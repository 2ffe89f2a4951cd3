"""Options in groups: each is shown by itself, and a command gets them as one object."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import pytest
import typer
from typer.testing import CliRunner

from autograder.cli.app import Commands
from autograder.cli.grading import LimitOptions, MachineOptions
from autograder.cli.groups import CommandLine, grouped
from autograder.cli.marks import RosterOptions
from autograder.grade.cluster import Cluster
from autograder.marks.exports.roster import Overwriting
from autograder.model.assignment import Assignment, TimeLimits
from autograder.model.errors import UsageError


@dataclass(frozen=True)
class Colours:
    """Two options, of which one needs the other."""

    front: Annotated[str, typer.Option(help="The colour of the text.")] = "black"
    back: Annotated[str | None, typer.Option()] = None

    def __post_init__(self) -> None:
        if self.front == self.back:
            raise UsageError(f"Nobody can read {self.front} on {self.back}.")


def command():
    """A command line of one command, whose calls are kept."""
    app, calls = typer.Typer(cls=Commands), []
    app.callback()(lambda: None)

    @app.command()
    @grouped
    def paint(wall: str, *, coats: int = 1, colours: Colours) -> None:
        """Paint a wall."""
        calls.append((wall, coats, colours))

    return app, calls


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["north"], ("north", 1, Colours())),
        (["north", "--back", "white", "--coats", "2"], ("north", 2, Colours("black", "white"))),
        (["--front", "red", "north"], ("north", 1, Colours("red"))),
    ],
)
def test_a_group_is_one_object_for_the_command(words, expected):
    app, calls = command()
    done = CliRunner().invoke(app, ["paint", *words])
    assert done.exit_code == 0 and calls == [expected], done.output


def test_each_option_of_a_group_is_explained():
    output = CliRunner().invoke(command()[0], ["paint", "--help"]).output
    assert "Paint a wall." in output and "--front" in output and "The colour of the text." in output
    assert "--back" in output and "colours" not in output


def test_an_option_is_said_by_its_type_and_its_help():
    app, calls = CommandLine(cls=Commands), []
    app.callback()(lambda: None)

    @app.command()
    def paint(
        wall: Annotated[str, "Which wall."],
        coats: Annotated[int, "How often."] = 1,
        *,
        by_hand: Annotated[bool, "Take a brush."] = False,
        colour: Annotated[str, "Of what."],
    ) -> None:
        calls.append((wall, coats, by_hand, colour))

    output = CliRunner().invoke(app, ["paint", "--help"]).output
    assert all(
        words in output for words in ("Which wall.", "--coats", "How often.", "--by-hand", "Take a brush.")
    )
    assert "--no-by-hand" not in output
    for words in (["north", "--colour", "red"], ["--by-hand", "--colour", "red", "--coats", "2", "north"]):
        assert CliRunner().invoke(app, ["paint", *words]).exit_code == 0
    assert calls == [("north", 1, False, "red"), ("north", 2, True, "red")]
    assert CliRunner().invoke(app, ["paint", "north"]).exit_code == 2


def test_a_group_refuses_what_does_not_go_together():
    app, calls = command()
    done = CliRunner().invoke(app, ["paint", "north", "--back", "black"])
    assert done.exit_code == 2 and "Nobody can read black on black." in done.output and calls == []


def test_no_option_is_in_two_groups():
    def twice(*, front: str = "", colours: Colours) -> None: ...

    with pytest.raises(ValueError, match="front"):
        grouped(twice)


RULES = Assignment({"masked_softmax": 2.0}, limits={"call_seconds": 9.0, "seconds": 90.0})


@pytest.mark.parametrize(
    ("limits", "expected"),
    [
        (LimitOptions(), TimeLimits(call_seconds=9.0, seconds=90.0)),
        (LimitOptions(call_seconds=1.0), TimeLimits(call_seconds=1.0, seconds=90.0)),
        (LimitOptions(source_seconds=3.0, submission_seconds=7.0), TimeLimits(9.0, 3.0, 90.0, 7.0)),
        # A source gets no more than its exercise.
        (LimitOptions(seconds=2.0), TimeLimits(source_seconds=2.0, call_seconds=9.0, seconds=2.0)),
    ],
)
def test_a_limit_that_is_said_counts_before_that_of_the_assignment(limits, expected):
    assert limits.time_limits(RULES) == expected


@pytest.mark.parametrize(("limits", "expected"), [(LimitOptions(), 10), (LimitOptions(megabytes=25.0), 25)])
def test_the_size_that_is_said_is_noted_with_the_assignment(limits, expected):
    noted = limits.noted_in(RULES)
    assert noted.megabytes == expected and limits.time_limits(noted) == TimeLimits(
        call_seconds=9.0, seconds=90.0
    )
    of_the_file = replace(RULES, limits={"megabytes": 3.0})
    assert limits.noted_in(of_the_file).megabytes == (limits.megabytes or 3)


def test_a_cluster_is_what_its_options_say():
    assert MachineOptions().scheduler is None
    cluster = MachineOptions("tls://a:1", Path("ca"), Path("cert"), Path("key"), True).scheduler
    assert cluster == Cluster("tls://a:1", Path("ca"), Path("cert"), Path("key"), True)


def test_what_is_there_already_is_refused_kept_or_replaced():
    tables = [RosterOptions(), RosterOptions(keep=True), RosterOptions(replace=True)]
    assert [table.arguments()["overwriting"] for table in tables] == [
        Overwriting.refused,
        Overwriting.kept,
        Overwriting.replaced,
    ]
    with pytest.raises(UsageError, match="not both"):
        RosterOptions(keep=True, replace=True)
