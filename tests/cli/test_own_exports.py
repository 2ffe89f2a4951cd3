"""An export that another package brings, by an entry point of its own."""

import re
import sys

import pytest

from autograder.marks import exports
from autograder.marks.gradebook import Gradebook
from autograder.model.paths import ROOT
from autograder.model.results import SubmissionResult
from tests.support import autograder, verdict

GUIDE = (ROOT / "chapters" / "extending.md").read_text(encoding="utf-8")
(BRIGHTSPACE,) = [s for s in re.findall(r"```python\n(.*?)```", GUIDE, re.DOTALL) if "def brightspace" in s]


@pytest.fixture
def book(tmp_path):
    opened = Gradebook(tmp_path / "book")
    opened.add(SubmissionResult("u101.py", "d1", None, [verdict(outcome="accepted")], 0.5, False), "all")
    opened.close()
    return tmp_path / "book"


@pytest.fixture
def install(tmp_path, monkeypatch):
    """Makes a package of one module, which names an export, as pip would have installed it."""

    def make(text, name="brightspace", package="other_marks", function="brightspace"):
        (tmp_path / "site" / f"{package}-1.dist-info").mkdir(parents=True)
        (tmp_path / "site" / f"{package}.py").write_text(text)
        (tmp_path / "site" / f"{package}-1.dist-info" / "METADATA").write_text(
            f"Name: {package}\nVersion: 1\n"
        )
        (tmp_path / "site" / f"{package}-1.dist-info" / "entry_points.txt").write_text(
            f"[{exports.GROUP}]\n{name} = {package}:{function}\n"
        )
        monkeypatch.syspath_prepend(str(tmp_path / "site"))
        monkeypatch.delitem(sys.modules, package, raising=False)

    return make


def test_an_installed_package_brings_an_export(book, install, tmp_path):
    install(BRIGHTSPACE)
    done = autograder("export", "brightspace", book, "--name", "First", "--to", tmp_path / "marks.csv")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "marks.csv").read_text().splitlines() == [
        '"OrgDefinedId","First Points Grade","End-of-Line Indicator"',
        '"u101","2","#"',
    ]
    done = autograder("changes", book)  # what was written is known, as of the course's own exports
    assert done.returncode == 0 and "brightspace" in done.stdout + done.stderr


BROKEN = {
    "it cannot be imported": ("import nothing_of_this_name", "No module named 'nothing_of_this_name'"),
    "it has no such function": ("", "has no attribute 'brightspace'"),
    "it is no function": ("brightspace = 1", "does not work"),
    "it stops": ("def brightspace(book):\n    return 1 / 0", "line 2 of other_marks.py: ZeroDivisionError"),
    "it gives something else": ("def brightspace(book):\n    return 'marks'", "gives 'marks' and no Export"),
    "it asks for what there is not": (
        "def brightspace(book, colour): ...",
        "asks for 'colour', and not for one of",
    ),
    "it needs what was not said": ("def brightspace(book, path): ...", "brightspace needs --roster FILE"),
}


@pytest.mark.parametrize("fault", BROKEN)
def test_a_broken_export_gets_a_sentence_and_leaves_the_others_alone(fault, book, install):
    text, words = BROKEN[fault]
    install(text)
    done = autograder("export", "brightspace", book)
    output = " ".join(done.stderr.split())
    assert done.returncode == 2 and words in output and "Traceback" not in output, output
    assert autograder("export", "csv", book).returncode == 0


def test_a_name_is_not_taken_twice_and_an_unknown_one_is_answered_with_those_there_are(book, install):
    install(BRIGHTSPACE, name="csv")
    output = " ".join(autograder("export", "csv", book).stderr.split())
    assert "plain:plain_csv and other_marks:brightspace are both called 'csv'" in output
    install(BRIGHTSPACE, package="more_marks")
    done = autograder("export", "canvass", book)
    names = "brightspace, canvas, csv, json, moodle or nbgrader"
    assert done.returncode == 2 and f"no export 'canvass': use {names}." in " ".join(done.stderr.split())
