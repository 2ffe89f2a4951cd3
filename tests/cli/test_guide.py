"""The guide for teachers: what it says to type does what it says."""

import contextlib
import mailbox
import os
import re
import shlex
import shutil
import sqlite3
import subprocess
import sys
from email.message import EmailMessage

import pytest
from typer.main import get_command
from typer.testing import CliRunner

from autograder.cli.commands import app
from autograder.marks.gradebook import Gradebook
from autograder.model import teachers_exercises
from autograder.model.assignment import Assignment
from autograder.model.paths import ROOT
from autograder.model.results import SubmissionResult
from tests.cli.test_own_exercises import OVER_COLUMNS, example, forget, nothing_stays
from tests.support import slow_ones, verdict

__all__ = ["nothing_stays"]  # a fixture

TEACHING, MANUAL, EXTENDING = (
    (ROOT / "chapters" / f"{name}.md").read_text(encoding="utf-8").replace("\\\n", "")
    for name in ("teaching", "manual", "extending")
)
# What few teachers need stands in the manual, and is typed too.
FOR_FEW = MANUAL.split("## Answers that are alike")[1].split("## On a cluster")[0]
OWN_EXERCISES = EXTENDING.split("## An assignment with your own exercises")[1].split("\n## ")[0]
GUIDE = TEACHING + FOR_FEW + OWN_EXERCISES
AUTHOR = {
    f"GIT_{who}_{what}": value
    for who in ("AUTHOR", "COMMITTER")
    for what, value in (("NAME", "Ann"), ("EMAIL", "ann@example.org"))
}
HANDED_IN = ("right.py", "mask_too_late.py", "over_the_queries.py")
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]+")


def typed(*words, folder):
    return subprocess.run(
        [sys.executable, "-m", "autograder", *words], cwd=folder, capture_output=True, text=True, check=False
    )


@pytest.mark.slow
def test_one_assignment_goes_from_nothing_to_the_marks(tmp_path):
    commands = re.findall(r"```sh\nattention (.*)\n```", TEACHING)
    assert [command.split()[0] for command in commands] == [
        "assignment", "start", "grade", "report", "export", "changes",
    ]  # fmt: skip
    (tmp_path / "handed_in").mkdir()
    for name in HANDED_IN:
        shutil.copy(ROOT / "tests" / "sample_class" / name, tmp_path / "handed_in")
    for command in commands:
        done = typed(*shlex.split(command), folder=tmp_path)
        assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    marks = (tmp_path / "marks.csv").read_text(encoding="utf-8").splitlines()
    assert [line.split(",")[:5] for line in marks[1:]] == [
        [f'"{name.removesuffix(".py")}"', f'"{points}"', '""', f'"{points}"', '"3"']
        for name, points in zip(sorted(HANDED_IN), "002", strict=True)
    ]
    assert "mask_after_softmax" in (tmp_path / "pages" / "index.html").read_text(encoding="utf-8")
    assert (tmp_path / "handout" / "02_masked_softmax.ipynb").is_file()


@pytest.mark.parametrize("line", sorted(set(re.findall(r"attention ([a-z]+[^`\n|]*)", GUIDE))))
def test_every_command_and_option_of_the_guide_is_there(line):
    words = line.split()
    entry = get_command(app).commands[words[0]]
    if words[1:] and words[1] in getattr(entry, "commands", {}):
        entry = entry.commands[words[1]]
    options = {option for parameter in entry.params for option in parameter.opts}
    assert set(OPTION.findall(line)) <= options | {"--help"}


# What stands in no block, and the ways to another system: the other blocks are run as a whole, above and below.
IN_NO_BLOCK = re.sub(r"```sh\n.*?```", "", GUIDE, flags=re.DOTALL)
TYPED = sorted(
    {
        *re.findall(r"attention ([a-z]+[^`\n|]*)", IN_NO_BLOCK),
        *re.findall(r"^attention ((?:export|feedback) .*)$", GUIDE, re.MULTILINE),
    }
)
WORKSHEET = "Identifier,Full name,Grade,Maximum Grade,Feedback comments\nParticipant 7,Ann Lee,,10.00,\n"
GRADES = 'Student,ID,SIS Login ID,Section,First (12)\n    Points Possible,,,,10\n"Lee, Ann",7,ann,A,\n'


def in_folder(folder, command):
    """The command as it is typed there, in this process."""
    with contextlib.chdir(folder):
        return CliRunner().invoke(app, shlex.split(command), prog_name="attention")


@pytest.fixture(scope="module")
def after_grading(tmp_path_factory):
    """For each system a folder in which its download was graded, and its table lies."""
    folders = {}
    for system, file, table in (
        ("Moodle", "worksheet.csv", WORKSHEET),
        ("Canvas", "grades.csv", GRADES),
    ):
        folder = folders[system] = tmp_path_factory.mktemp(system)
        (folder / file).write_text(table)
        exercises = {"masked_softmax": 2.0}
        (folder / "first.toml").write_text("name = 'First'\n[exercises]\nmasked_softmax = 2\n")
        for name in ("first.sqlite", "gradebook.sqlite"):
            book = Gradebook(folder / name)
            handed_in = f"Ann Lee ({system} 7)/101_right.py"
            book.begin("class", [handed_in], Assignment(exercises, name="First"), practice=False)
            book.add(SubmissionResult(handed_in, "1", None, [verdict(outcome="accepted")], 0.5, False), "all")
            book.close()
    return folders


@pytest.mark.parametrize("command", slow_ones(TYPED, "doctor"))
def test_each_command_runs_as_it_is_printed(after_grading, command):
    folder = after_grading["Canvas" if "canvas" in command else "Moodle"]
    line = command.replace("FOLDER", "_".join(command.split()[:2]))
    done = in_folder(folder, line.replace("OWNER/NAME", "school/course"))
    asks_the_machine = command.startswith("doctor")  # whose answer is 1 where the lock does not hold
    assert done.exit_code == 0 or (asks_the_machine and done.exit_code == 1), (
        f"{done.output}{done.exception!r}"
    )


def test_a_new_gradebook_leaves_last_terms_corrections_where_they_are(after_grading, tmp_path):
    old, new = tmp_path / "old", tmp_path / "new"
    for term in (old, new):
        shutil.copytree(after_grading["Moodle"], term)
    (old / "first.corrections.csv").write_text("learner,exercise,points\nAnn Lee,masked_softmax,0.5\n")
    marks = {term: in_folder(term, "export csv first.sqlite").output for term in (old, new)}
    assert '"Ann Lee (Moodle 7)","0.5"' in marks[old] and '"Ann Lee (Moodle 7)","2"' in marks[new]


def test_the_questions_to_a_gradebook_are_answered(after_grading):
    questions = re.findall(r"```sql\n(.*?)```", GUIDE, re.DOTALL)
    assert len(questions) == 3
    (after_grading["Moodle"] / "asked").mkdir()
    path = after_grading["Moodle"] / "asked" / "first.sqlite"
    book = Gradebook(path)
    wrong = verdict(misconception="mask_after_softmax")
    files = {
        "ann.py": wrong,
        "bo.py": wrong,
        "cy.py": verdict(outcome="accepted"),
        "di.py": verdict(outcome="missing"),
    }
    for name, one in {**files, "ann_again.py": wrong}.items():
        book.add(SubmissionResult(name, name.replace("_again", ""), None, [one], 0.5, False), "all")
    book.close()
    ideas, right, slowest = (sqlite3.connect(path).execute(question).fetchall() for question in questions)
    assert ideas == [("masked_softmax", "mask_after_softmax", 3)]
    assert right == [("masked_softmax", "torch", 1, 4)]
    assert sorted(slowest) == [(name, 0.5) for name in sorted([*files, "ann_again.py"])]


def test_a_mailbox_becomes_a_folder_for_each_learner(tmp_path):
    """The later message counts, and no name leads out of the folder."""
    (script,) = re.findall(r"```python\n(.*?)```", GUIDE, re.DOTALL)
    box = mailbox.mbox(tmp_path / "course.mbox")
    sent = [
        ("Ann <Ann@x.org>", "a.py", "old"),
        ("ann@x.org", "a.py", "new"),
        ("Bo Lüdenscheidt <bo@x.org>", "Übung.IPYNB", "{}"),
        ("..@x", "../../b.ipynb", "{}"),
        ("c@x", "c.pdf", ""),
    ]
    for sender, name, text in sent:
        message = EmailMessage()
        message["From"] = sender
        message.add_attachment(text.encode(), maintype="text", subtype="plain", filename=name)
        box.add(message)
    box.close()
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, check=True, capture_output=True, text=True
    )
    assert done.stdout == "left out: c.pdf from c@x\n"
    files = {str(p.relative_to(tmp_path)): p.read_text() for p in tmp_path.rglob("*") if p.is_file()}
    del files["course.mbox"]
    assert files == {
        "handed_in/ann@x.org/a.py": "new",
        "handed_in/@x/b.ipynb": "{}",
        "handed_in/bo@x.org/Übung.IPYNB": "{}",
    }


def test_the_times_of_commits_are_written_as_the_guide_says(tmp_path):
    (script,) = re.findall(r"```sh\n(echo .*?)```", GUIDE, re.DOTALL)
    for who in ("ann", "bo lee"):
        home = tmp_path / "handed_in" / who
        home.mkdir(parents=True)
        environment = {**os.environ, "GIT_COMMITTER_DATE": "2030-01-31T12:00:00+01:00", **AUTHOR}
        for words in (["init", "-q"], ["commit", "-q", "--allow-empty", "-m", "done"]):
            subprocess.run(["git", "-C", str(home), *words], check=True, env=environment)
    subprocess.run(["bash", "-e", "-c", script], cwd=tmp_path, check=True)
    rows = (tmp_path / "first.times.csv").read_text().splitlines()
    assert rows == ["learner,time", "ann,2030-01-31T12:00:00+01:00", "bo lee,2030-01-31T12:00:00+01:00"]


@pytest.mark.slow
def test_exercises_of_ones_own_go_from_the_folder_to_the_class_page(tmp_path, monkeypatch, nothing_stays):
    """Each command as a process of its own, which knows only what its files name."""
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "our_course.py").write_text(example())
    (tmp_path / "handed_in").mkdir()
    (tmp_path / "handed_in" / "ann.py").write_text(OVER_COLUMNS)
    commands = re.findall(r"^attention (.*)$", OWN_EXERCISES, re.MULTILINE)
    assert [command.split()[0] for command in commands] == [
        "exercises", "assignment", "start", "grade", "report"
    ]  # fmt: skip
    for command in commands:
        monkeypatch.setenv(teachers_exercises.VARIABLE, "")
        done = in_folder(tmp_path, command.replace("FOLDER", "own"))
        assert done.exit_code == 0, f"{command}\n{done.output}{done.exception!r}"
        forget()
    assert (tmp_path / "handout" / "own_exercises" / "our_course.py").is_file()
    assert "over_the_columns" in (tmp_path / "pages" / "index.html").read_text(encoding="utf-8")
