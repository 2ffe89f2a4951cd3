"""A gradebook, a table or an assignment that lies among what is graded may be a learner's: it is refused."""

import contextlib

import pytest
from typer.testing import CliRunner

from autograder.cli.commands import app
from autograder.marks.gradebook import Gradebook
from autograder.model.assignment import Assignment
from autograder.model.results import SubmissionResult
from tests.support import LATE, verdict

RULES = Assignment({"masked_softmax": 2.0}, name="First")


def typed(folder, *words):
    """What a command says that is typed in a folder, and its status."""
    with contextlib.chdir(folder):
        done = CliRunner(env={"COLUMNS": "1000"}).invoke(app, list(map(str, words)), catch_exceptions=False)
    return done.exit_code, " ".join((done.stdout + done.stderr).split())


def forged(path, folder):
    """A gradebook in which a rejected answer is accepted, as ten lines of Python make it."""
    book = Gradebook(path)
    book.begin(str(folder), ["eve.py"], RULES, practice=False)
    book.add(SubmissionResult("eve.py", "1", None, [verdict(outcome="accepted")], 0.5, False), "all")
    book.close()
    return path


@pytest.fixture
def drop(tmp_path):
    """A flat folder into which learners write: a wrong answer lies there."""
    folder = tmp_path / "drop"
    folder.mkdir()
    (folder / "eve.py").write_text(LATE)
    return folder


def refused(done, *names):
    status, output = done
    return status == 2 and "among what was handed in" in output and all(name in output for name in names)


def test_a_gradebook_that_is_handed_in_is_refused_where_the_teacher_stands_in_the_folder(drop):
    forged(drop / "gradebook.sqlite", drop)
    before = (drop / "gradebook.sqlite").read_bytes()
    options = ("--exercise", "masked_softmax", "--practice")
    assert refused(typed(drop, "grade", ".", *options), "gradebook.sqlite", "--gradebook")
    assert refused(typed(drop, "grade", "."), "gradebook.sqlite")
    assert refused(typed(drop.parent, "grade", "drop", "--gradebook", "drop/gradebook.sqlite", *options))
    assert (drop / "gradebook.sqlite").read_bytes() == before
    for words in (("export", "csv"), ("report",), ("changes",), ("feedback", "web")):
        assert refused(typed(drop, *words), "gradebook.sqlite"), words
    (drop / "gradebook.sqlite").unlink()
    assert refused(typed(drop, "grade", ".", *options)) and not (drop / "gradebook.sqlite").exists()


def test_a_table_of_corrections_or_times_that_is_handed_in_is_refused(drop):
    """The gradebook lies elsewhere; what belongs to it is a link to what lies in the folder."""
    for ending in ("corrections", "times"):
        table = drop / f"first.{ending}.csv"
        table.write_text("learner,exercise,points\neve,masked_softmax,2\n")
        link = drop.parent / table.name
        link.symlink_to(table)
        book = forged(drop.parent / "first.sqlite", drop)
        assert refused(typed(drop.parent, "export", "csv", book), table.name)
        assert refused(typed(drop.parent, "grade", drop, "--gradebook", book, "--practice"), table.name)
        link.unlink()
        assert typed(drop.parent, "export", "csv", book)[0] == 0


def test_an_assignment_or_exercises_that_are_handed_in_are_refused(drop):
    (drop / "first.toml").write_text("[exercises]\nmasked_softmax = 100\n")
    (drop / "own").mkdir()
    grade = ("grade", "drop", "--gradebook", "first.sqlite", "--practice")
    assert refused(typed(drop.parent, *grade, "--assignment", "drop/first.toml"), "first.toml")
    command = ("classroom", "drop", "graded", "--practice")
    assert refused(typed(drop.parent, *command, "--assignment", "drop/first.toml"), "first.toml")
    assert refused(typed(drop.parent, "classroom", "drop", "drop/graded", "--practice"), "gradebook.sqlite")


def test_a_gradebook_beside_the_folder_is_used_and_one_through_a_link_is_not(drop):
    book = forged(drop.parent / "first.sqlite", drop)
    assert typed(drop.parent, "export", "csv", book)[0] == 0
    (drop.parent / "linked").symlink_to(drop)
    forged(drop / "own.sqlite", drop)
    grade = (
        "grade",
        "drop",
        "--gradebook",
        "linked/own.sqlite",
        "--exercise",
        "masked_softmax",
        "--practice",
    )
    assert refused(typed(drop.parent, *grade), "own.sqlite")
