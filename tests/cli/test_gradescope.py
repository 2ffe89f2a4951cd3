"""Gradescope: whatever is handed in, results.json is written, with a sentence and no points.

GitHub Classroom: whatever keeps a job from grading is said in its log.
"""

import json
import zipfile

import pytest

from autograder.cli import systems
from autograder.cli.systems import classroom, gradescope
from autograder.model.errors import UsageError

ASSIGNMENT = ["masked_softmax", "scaled_scores"]


def bomb(folder):
    with zipfile.ZipFile(folder / "work.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("work.py", b"#" * (64 << 20))


def unusual(folder):
    with zipfile.ZipFile(folder / "work.zip", "w", zipfile.ZIP_BZIP2) as archive:
        archive.writestr("work.py", "x = 1")


HANDED_IN = {
    "nothing": (lambda folder: None, "No notebook and no Python file was handed in."),
    "a PDF": (
        lambda folder: (folder / "work.pdf").write_bytes(b"%PDF-1.4"),
        "No notebook and no Python file was handed in.",
    ),
    "a broken notebook": (
        lambda folder: (folder / "work.ipynb").write_text("{broken"),
        "work.ipynb is not a readable notebook: it is not valid JSON. Save it again in Jupyter.",
    ),
    "an archive bomb": (bomb, "work.zip holds a member that unpacks to far more than its size."),
    "an unusual archive": (
        unusual,
        "work.zip is packed by an unusual method: make it again as a plain zip archive.",
    ),
    "no folder": (lambda folder: folder.rmdir(), "work cannot be read: no such file or directory."),
}


@pytest.mark.parametrize("kind", HANDED_IN)
def test_what_cannot_be_graded_gets_a_sentence(tmp_path, kind):
    hand_in, sentence = HANDED_IN[kind]
    folder = tmp_path / "work"
    folder.mkdir()
    hand_in(folder)
    before = {*tmp_path.iterdir(), tmp_path / "results.json"}
    gradescope(folder, tmp_path / "results.json", exercise=ASSIGNMENT)
    results = json.loads((tmp_path / "results.json").read_text())
    assert (results["score"], results["output"]) == (0, sentence)
    assert [test["score"] for test in results["tests"]] == [0, 0]
    assert set(tmp_path.iterdir()) == before


def test_a_fault_of_the_grader_is_said_to_be_one(tmp_path, monkeypatch):
    def fails(*arguments):
        raise MemoryError("no room")

    monkeypatch.setattr(systems, "run_all", fails)
    gradescope(tmp_path, tmp_path / "results.json", exercise=ASSIGNMENT)
    results = json.loads((tmp_path / "results.json").read_text())
    assert (results["score"], results["tests"]) == (0, [])
    assert results["output"] == "The submission could not be graded; this is not its fault. no room"


def test_a_folder_that_cannot_be_written_is_an_error_of_the_job(tmp_path, capsys):
    (tmp_path / "handed_in").mkdir()
    (tmp_path / "folder").write_text("a file")
    with pytest.raises(UsageError, match="folder cannot be written: File exists"):
        classroom(tmp_path / "handed_in", tmp_path / "folder", exercise=ASSIGNMENT)
    assert capsys.readouterr().out.startswith("::error title=Not graded::")
