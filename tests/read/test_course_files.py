"""Files of the course that are handed in are no answers; what a learner wrote is."""

import ast
import copy
import json
import shutil
import zipfile
from pathlib import Path

import pytest

from autograder.book.contents import chapters
from autograder.copies.start import start
from autograder.model.paths import BOOK, ROOT
from autograder.read.course_files import is_of_the_course, without_course_files
from autograder.read.files import find
from autograder.read.submission import read_bytes
from tests.classes import RUN, grade, rows
from tests.support import RIGHT

CHAPTERS = [BOOK / "chapters" / f"{name}.ipynb" for name in chapters()]


@pytest.fixture(scope="module")
def started(tmp_path_factory):
    folder = tmp_path_factory.mktemp("copies")
    start(folder)
    return folder


def hand_in(folder, started):
    """The course's folder as a learner zips it: nothing is done."""
    for name in ("solutions", "chapters", "exercises"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(started, folder / "learn")


def test_the_course_itself_earns_nothing(tmp_path, started):
    hand_in(tmp_path / "class" / "ann", started)
    (tmp_path / "class" / "bo.py").write_text(RIGHT)
    graded = {r.name: r for r in grade(tmp_path / "class", tmp_path / "book")}
    assert {r[0]: r[5] for r in rows(tmp_path / "book") if r[5]} == {"bo.py": 2}
    assert "files of the course do not count as answers" in graded["ann/files of the course"].problem


def test_an_archive_of_the_course_is_read_and_its_files_left_out(tmp_path, started):
    hand_in(tmp_path / "ann", started)
    (tmp_path / "ann" / "learn" / "mine.py").write_text(RIGHT)
    shutil.make_archive(str(tmp_path / "class" / "ann"), "zip", tmp_path / "ann")
    submissions, refused = find(tmp_path / "class")
    assert {Path(source.name).parts[1] for source in submissions} == {"learn"}
    assert "ann/learn/mine.py" in [source.name for source in submissions]
    assert list(refused) == ["ann/files of the course"]
    with zipfile.ZipFile(tmp_path / "class" / "ann.zip") as archive:
        assert len(archive.namelist()) > len(submissions)


def test_line_ends_of_another_system_make_no_answer(tmp_path):
    text = (ROOT / "solutions" / "additive" / "in_torch.py").read_bytes()
    (tmp_path / "ann").mkdir()
    (tmp_path / "ann" / "renamed.py").write_bytes(text.replace(b"\n", b"\r\n"))
    submissions, refused = find(tmp_path)
    assert submissions == [] and "ann/renamed.py" in refused["ann/files of the course"]


@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda path: path.stem)
def test_a_chapter_that_was_run_and_played_with_is_no_answer(chapter):
    notebook = json.loads(chapter.read_text())
    notebook["cells"].append({"cell_type": "code", "source": "X = 1", "metadata": {}, "outputs": []})
    submission = read_bytes(json.dumps(notebook).encode(), "ann/Untitled.ipynb")
    assert is_of_the_course(submission)
    assert "does not count as an answer" in without_course_files(submission).problem


@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda path: path.stem)
def test_a_learners_copy_is_the_learners_even_with_the_solutions_in_it(chapter, started):
    name = f"ann/chapters/{chapter.name}"
    copy = next(started.glob(f"??_{chapter.name}"))
    assert not is_of_the_course(read_bytes(copy.read_bytes(), name))
    copied, original = (json.loads(path.read_text()) for path in (copy, chapter))
    solved = {cell["id"]: cell["source"] for cell in original["cells"]}
    for mine in copied["cells"]:
        mine["source"] = solved.get(mine["id"], mine["source"])
    assert not is_of_the_course(read_bytes(json.dumps(copied).encode(), name))


def test_an_older_solution_at_its_place_is_no_answer(tmp_path):
    text = (ROOT / "solutions" / "additive" / "in_torch.py").read_text() + "\n# a line of last year\n"
    assert is_of_the_course(read_bytes(text.encode(), "ann/solutions/additive/in_torch.py"))
    assert not is_of_the_course(read_bytes(RIGHT.encode(), "ann/solutions/masked_softmax/in_torch.py"))


OWN_CLASS = "class MultiHeadAttention(torch.nn.Module):\n    def forward(self, queries, keys, values, valid_length):\n        return queries"


def without_marks(notebook, answers):
    """A notebook as another program saves it, without metadata, with answers in the cells that define them."""
    for cell in notebook["cells"]:
        cell["metadata"] = {}
        for answer in answers:
            if answer.split("(")[0] + "(" in "".join(cell["source"]):
                cell["source"] = answer
    return json.dumps(notebook).encode()


@pytest.fixture(scope="module")
def torch_copy(tmp_path_factory):
    folder = tmp_path_factory.mktemp("torch")
    start(folder, "torch")
    return next(folder.glob("??_multi_head.ipynb"))


def solution(name):
    file = "common.py" if name == "split_heads" else "in_torch.py"
    text = (ROOT / "solutions" / "multi_head" / file).read_text()
    (statement,) = [s for s in ast.parse(text).body if getattr(s, "name", "") == name]
    return "\n".join(text.split("\n")[statement.lineno - 1 : statement.end_lineno])


@pytest.mark.parametrize("answers", [("split_heads",), ("split_heads", "MultiHeadAttention")])
def test_a_copy_whose_metadata_is_lost_is_the_learners(torch_copy, answers):
    solutions = [solution(name) for name in answers]
    extras = [OWN_CLASS] if len(solutions) == 1 else []
    data = without_marks(json.loads(torch_copy.read_text()), [*solutions, *extras])
    assert not is_of_the_course(read_bytes(data, "ann/10_multi_head.ipynb"))


def test_the_books_chapter_with_an_own_answer_is_the_learners():
    name = "ann/10_multi_head.ipynb"
    chapter = json.loads((BOOK / "chapters" / "multi_head.ipynb").read_text())
    chapter["cells"] = [c for c in chapter["cells"] if "framework-mxnet" not in c["metadata"].get("tags", [])]
    whole = without_marks(copy.deepcopy(chapter), [])
    assert is_of_the_course(read_bytes(whole, name))
    assert not is_of_the_course(read_bytes(without_marks(chapter, [OWN_CLASS]), name))


def test_solutions_that_a_learner_has_put_together_are_graded():
    sources = ["import torch", solution("split_heads"), solution("MultiHeadAttention"), "split_heads(X, 2)"]
    cells = [{"cell_type": "code", "source": text, "metadata": {}} for text in sources]
    assert len(sources[2]) > 600
    assert not is_of_the_course(read_bytes(json.dumps({"cells": cells}).encode(), "ann/work.ipynb"))


def test_a_short_answer_that_is_the_same_by_chance_counts():
    text = (ROOT / "solutions" / "multi_head" / "common.py").read_text()
    cells = [{"cell_type": "code", "source": text.partition("\n\n\n")[2] or text, "metadata": {}}]
    first = cells[0]["source"].partition("\n\n\n")[0]
    cells[0]["source"] = first
    assert "def " in first
    assert not is_of_the_course(read_bytes(json.dumps({"cells": cells}).encode(), "ann/work.ipynb"))


def test_a_file_of_the_course_that_is_named_is_graded(tmp_path):
    path = ROOT / "solutions" / "masked_softmax" / "in_torch.py"
    (result,) = grade(path, None, RUN)
    assert result.problem is None and {v.outcome for v in result.verdicts} == {"accepted"}


def test_an_answer_with_a_long_sum_at_the_place_of_a_solution_is_read():
    """`ast.dump` calls itself for each term, of which Python's parser takes more than there may be such calls."""
    source = f"def masked_softmax(X, valid_length):\n    return {' + '.join(['X'] * 1500)}\n"
    assert not is_of_the_course(read_bytes(source.encode(), "ann/solutions/masked_softmax/in_torch.py"))
