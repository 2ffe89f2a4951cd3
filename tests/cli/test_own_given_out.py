"""`start` with exercises of one's own: notebooks for learners, what `check` needs beside them, and the marks on them."""

import ast
import json
import os
import shutil
import textwrap

import nbformat
import pytest
from nbclient import NotebookClient

from autograder.book.answer_stub import definition, imports
from autograder.book.contents import chapters, source
from autograder.checking import progress
from autograder.checking.check import check
from autograder.checking.hint import hint
from autograder.judge.trial import NOT_WRITTEN
from autograder.model.catalogue import all_exercises, use_folder
from autograder.model.paths import ROOT
from autograder.model.teachers_exercises import GIVEN_OUT, VARIABLE
from autograder.read.course_files import is_of_the_course
from autograder.read.files import find
from autograder.read.submission import read_bytes
from autograder.sandbox.worker import run_cells
from tests.cli.test_own_exercises import OVER_COLUMNS, RIGHT, example, folder, forget, nothing_stays
from tests.support import autograder, need, verdict

pytestmark = pytest.mark.slow  # whole classes, in processes of their own

__all__ = ["folder", "nothing_stays"]  # fixtures
COPY = f"{len(chapters()) + 1}_our_course.ipynb"
FILE = f"{GIVEN_OUT}/our_course.py"


@pytest.fixture
def start(folder, tmp_path, monkeypatch):
    """Makes copies for an assignment of these exercises, as another process would: afterwards none is known."""

    def handout(*exercises, name="handout"):
        file, to = tmp_path / f"{name}.toml", tmp_path / name
        options = [word for e in exercises for word in ("--exercise", e)]
        assert autograder("assignment", "new", file, *options, "--exercises", folder).returncode == 0
        done = autograder("start", to, "--assignment", file, "--exercises", folder)
        assert done.returncode == 0, done.stderr
        monkeypatch.setenv(VARIABLE, "")
        forget()
        return to, " ".join((done.stdout + done.stderr).split())

    return handout


def cells(path):
    return json.loads(path.read_text())["cells"]


def fill_in(path, answer, framework="torch"):
    """Write an answer into the notebook, as a learner would."""
    notebook = json.loads(path.read_text())
    tags = {"exercise:row_range", f"framework-{framework}"}
    (cell,) = [c for c in notebook["cells"] if tags <= set(c["metadata"].get("tags", ()))]
    cell["source"] = answer
    path.write_text(json.dumps(notebook))


def test_learners_get_a_notebook_and_what_check_needs(start):
    to, output = start("row_range")
    assert sorted(p.relative_to(to).as_posix() for p in to.rglob("*") if p.is_file()) == [
        COPY, "bibliography.ipynb", "glossary.ipynb", "index.ipynb", "notation.ipynb", FILE,
        "prerequisites.ipynb", "progress.json",
    ]  # fmt: skip
    assert (to / FILE).read_text() == example()
    assert "is what check needs for your own exercises" in output and "can read them" in output


def test_the_notebook_says_what_is_asked_and_has_a_stub_and_a_check(start):
    to, _ = start("row_range")
    title, _, first, in_mxnet, in_torch, box, *answers, end = cells(to / COPY)
    assert source(title).startswith(
        "# Exercises of our own course\n\n"
    ) and "[Contents](index.ipynb)" in source(title)
    assert "from autograder import check, hint" in source(first) and first["metadata"]["course"] == {
        "given": True
    }
    for words in (
        "### Exercise: The range of a row",
        "· 1 point.**",
        "For each row of X",
        "| `X` | `(rows, columns)` |",
    ):
        assert words in source(box), words
    assert [source(c).split("\n")[0] for c in answers] == ["# MXNet", "# MXNet", "# PyTorch", "# PyTorch"]
    # The imports stay when a cell is written anew as a whole.
    assert source(in_mxnet).endswith("from mxnet import gluon, nd") and source(in_torch).endswith(
        "import torch"
    )
    assert "import" not in source(answers[0]) + source(answers[2]) and "NotImplementedError" in source(
        answers[2]
    )
    assert source(answers[3]).endswith('check(row_range, "torch").mark(1, better=True)')
    assert answers[3]["metadata"]["nbgrader"]["points"] == 1 and source(end).startswith("---")
    nbformat.validate(nbformat.read(to / COPY, 4))


def test_the_index_leads_to_the_notebook(start):
    to, _ = start("row_range", "masked_softmax")
    text = source(cells(to / "index.ipynb")[-1])
    assert f"| [The range of a row]({COPY}#ex-row_range) | Exercises of our own course | 10 | 1 |" in text
    assert "02_masked_softmax.ipynb#ex-masked_softmax" in text


def test_without_an_assignment_they_stand_behind_the_chapters(folder, tmp_path):
    assert autograder("start", tmp_path / "learn", "--exercises", folder).returncode == 0
    assert len(list((tmp_path / "learn").glob("[0-9]*.ipynb"))) == len(chapters()) + 1
    text = source(cells(tmp_path / "learn" / "index.ipynb")[-1])
    assert "### Exercises of your class" in text and f"[{len(chapters()) + 1} · Exercises of our own" in text


def test_only_what_is_assigned_is_given_out(folder, start):
    more = example().split("EXERCISES = ")[0]
    second = example().split("EXERCISES = ")[1].replace('name="row_range"', 'name="of_next_week"')
    (folder / "later.py").write_text(f"from .shared_words import WORDS\n{more}EXERCISES = {second}")
    (folder / "shared_words.py").write_text("WORDS = 1")
    (folder / "marks.csv").write_text("secret")
    to, _ = start("row_range")
    assert [p.name for p in (to / GIVEN_OUT).iterdir()] == ["our_course.py"]
    to, _ = start("of_next_week", name="second")
    assert sorted(p.name for p in (to / GIVEN_OUT).iterdir()) == ["later.py", "shared_words.py"]
    (notebook,) = to.glob("[0-9]*.ipynb")
    checks = [source(c) for c in cells(notebook) if "check(row_range" in source(c)]
    # Two exercises ask for a function of this name.
    assert len(checks) == 2 and all('exercise="of_next_week")' in text for text in checks)


def test_other_exercises_of_the_file_are_not_shown(folder, start):
    two = example().replace("EXERCISES = (", "EXERCISES = TWO = (").rstrip()
    more = "\nfrom dataclasses import replace\nEXERCISES = (*TWO, replace(TWO[0], name='second', entry='second'))\n"
    (folder / "our_course.py").write_text(two + more)
    to, _ = start("second")
    text = "\n".join(source(c) for c in cells(to / COPY))
    assert "def second(X)" in text and "row_range" not in text


def test_the_docstring_of_the_file_is_the_text_of_the_notebook(folder, start):
    path = folder / "our_course.py"
    path.write_text(
        path.read_text().replace("own course.", "own *second* course.\n\nRead **page 3** first.\n", 1)
    )
    to, _ = start("row_range")
    title = source(cells(to / COPY)[0])
    assert title.startswith("# Exercises of our own *second* course\n") and "Read **page 3** first." in title


@pytest.mark.slow
@pytest.mark.parametrize("framework", ["torch", "mxnet"])
def test_a_learner_solves_it_and_is_graded(start, folder, tmp_path, monkeypatch, framework):
    need(framework)
    to, _ = start("row_range")
    right = (
        RIGHT if framework == "torch" else "def row_range(X):\n    return X.max(axis=-1) - X.min(axis=-1)\n"
    )
    fill_in(to / COPY, right, framework)
    notebook = nbformat.read(to / COPY, 4)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    NotebookClient(
        notebook, timeout=300, resources={"metadata": {"path": str(to)}}, allow_errors=True
    ).execute()
    outputs = [out for cell in notebook.cells if cell.cell_type == "code" for out in cell.outputs]
    html = "".join(out.get("data", {}).get("text/html", "") for out in outputs)
    assert "1 of 1 exercises passed" in html and not [out for out in outputs if out.output_type == "error"]
    nbformat.write(notebook, to / COPY)
    work = tmp_path / "handed_in"
    shutil.copytree(to, work / "Ann")  # all of it, with what was beside the notebook
    shutil.copytree(to, work / "Bo")
    fill_in(
        work / "Bo" / COPY, OVER_COLUMNS if framework == "torch" else right.replace("-1", "-2"), framework
    )
    (work / "Cy" / GIVEN_OUT).mkdir(parents=True)
    shutil.copy(to / FILE, work / "Cy" / FILE)
    book = tmp_path / "first.sqlite"
    options = (
        "--exercises",
        folder,
        "--assignment",
        tmp_path / "handout.toml",
        "--gradebook",
        book,
        "--practice",
    )
    done = autograder("grade", work, *options)
    assert done.returncode == 0, done.stderr
    assert "1 file of the course does not count as answers: Cy/own_exercises/our_course.py" in " ".join(
        done.stdout.split()
    )
    marks = autograder("export", "csv", book, "--exercises", folder).stdout.splitlines()[1:]
    assert [line.split(",")[:3] for line in marks] == [
        ['"Ann"', '"1"', '"1"'], ['"Bo"', '"0"', '"0"'], ['"Cy"', '""', '"0"']
    ]  # fmt: skip
    assert autograder("report", book, "--to", tmp_path / "pages", "--exercises", folder).returncode == 0
    page = (tmp_path / "pages" / "index.html").read_text()
    assert "over_the_columns" in page and "it is a file of the course" not in page


def answer():
    namespace = {"__name__": "__main__"}
    exec(RIGHT, namespace)
    return namespace["row_range"]


def test_check_knows_the_exercise_from_the_folder_beside_the_notebook(start, monkeypatch):
    to, _ = start("row_range")
    monkeypatch.chdir(to)
    assert check(answer(), "torch").outcome == "accepted"
    assert "| 1 | 1 |" in str(progress.overview())


def test_progress_and_a_files_check_know_it_too(start, monkeypatch, tmp_path):
    to, _ = start("row_range")
    monkeypatch.chdir(to)
    assert f"Next: [The range of a row]({COPY}#ex-row_range)" in str(progress.overview())
    monkeypatch.setenv(VARIABLE, "")
    forget()
    fill_in(to / COPY, RIGHT)
    monkeypatch.chdir(tmp_path)
    done = autograder("check", to / COPY)
    assert "row_range (torch): passed" in done.stdout, done.stderr


def test_without_the_folder_check_says_what_is_missing(start, monkeypatch):
    to, _ = start("row_range")
    shutil.rmtree(to / GIVEN_OUT)
    monkeypatch.chdir(to)
    with pytest.raises(LookupError, match="must lie beside the notebook, in the folder own_exercises"):
        check(answer(), "torch")


def test_without_the_folder_nothing_is_said_to_be_passed(start, monkeypatch):
    to, _ = start("row_range", "masked_softmax")
    shutil.rmtree(to / GIVEN_OUT)
    monkeypatch.chdir(to)
    overview = str(progress.overview())
    assert "#ex-masked_softmax)" in overview and "row_range cannot be checked here" in overview
    assert progress.keep(verdict(outcome="accepted")) == "1 of 2 exercises passed"
    overview = str(progress.overview())
    assert "All exercises are passed" not in overview and "row_range cannot be checked here" in overview


def test_what_a_teacher_has_named_comes_before_the_folder(start, folder, tmp_path, monkeypatch):
    to, _ = start("row_range")
    monkeypatch.chdir(to)
    use_folder(folder)
    assert check(answer(), "torch").outcome == "accepted"
    assert os.environ[VARIABLE] == str(folder)


def test_hints_do_not_promise_a_solution_in_the_book(start, folder, monkeypatch):
    path = folder / "our_course.py"
    path.write_text(path.read_text().replace('title="The', 'hints=("Look at an axis.",), title="The', 1))
    to, _ = start("row_range")
    monkeypatch.chdir(to)
    assert "Look at an axis" in repr(hint("row_range")) and "book" not in repr(hint("row_range"))


def test_grade_imports_nothing_that_was_handed_in(tmp_path, monkeypatch):
    """A folder of this name among the hand-ins is a stranger's, wherever the command is typed."""
    work = tmp_path / "class"
    (work / GIVEN_OUT).mkdir(parents=True)
    (work / GIVEN_OUT / "evil.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\nEXERCISES = ()\n")
    (work / "ann.py").write_text("def masked_softmax(X, valid_length):\n    raise NotImplementedError\n")
    monkeypatch.chdir(work)
    done = autograder(
        "grade", work, "--exercise", "masked_softmax", "--practice", "--gradebook", tmp_path / "b.sqlite"
    )
    assert done.returncode == 0 and not (tmp_path / "ran").exists()


def test_what_was_given_out_is_no_answer_even_if_it_has_changed_since(start, folder, tmp_path):
    to, _ = start("row_range")
    use_folder(folder)
    for path in (tmp_path / "class" / who for who in ("ann", "bo")):
        shutil.copytree(to / GIVEN_OUT, path / GIVEN_OUT)
    changed = tmp_path / "class" / "bo" / FILE
    changed.write_text(changed.read_text() + "# of last year\n")
    submissions, refused = find(tmp_path / "class")
    assert [s.name for s in submissions] == [f"bo/{FILE}"]
    assert "ann/own_exercises/our_course.py" in " ".join(refused.values())
    assert is_of_the_course(read_bytes(changed.read_bytes(), f"bo/{FILE}"))
    assert not is_of_the_course(read_bytes(RIGHT.encode(), "bo/own.py"))


LAYER = """
from autograder.model.exercise import Argument, Case, Exercise, Misconception, Output, Parameter
def scaled(X, factor, W):
    return X @ W.T * factor
def unscaled(X, factor, W):
    return X @ W.T
def cases(rng):
    return [Case(str(n), {"X": rng.normal(size=(n, 3))}, {"factor": 2.0}, {"W": rng.normal(size=(4, 3))}) for n in (1, 2, 5)]
EXERCISES = (Exercise(
    name="scaled_layer", entry="Scaled", title="A scaled layer", statement="Multiply.", is_class=True, reference=scaled,
    arguments=(Argument("X", "(rows, d)"),), settings=(Argument("factor", "a number"),),
    parameters={"W": Parameter("W.weight", "(units, d)")}, returns=(Output("Y", "(rows, units)"),), cases=cases,
    misconceptions=(Misconception(unscaled, "The factor is missing."),), builds_on=("masked_softmax",),
),)
"""


@pytest.mark.parametrize("framework", ["torch", "mxnet"])
def test_the_stub_of_a_layer_is_a_layer_that_is_not_written(tmp_path, framework):
    need(framework)
    (tmp_path / "layers.py").write_text(textwrap.dedent(LAYER))
    use_folder(tmp_path)
    exercise = all_exercises()["scaled_layer"]
    text = "\n".join([*imports(exercise, framework), *definition(exercise, framework)])
    assert "W.weight: (units, d)" in text and "def forward(self, X):" in text
    assert f"from solutions.masked_softmax.in_{framework} import masked_softmax" in text
    assert "class Scaled(" in ast.unparse(ast.parse(text))
    namespace, _ = run_cells({"<a cell>": text})
    verdict = check(namespace["Scaled"], framework)
    assert (verdict.outcome, verdict.message) == ("missing", NOT_WRITTEN)
    submission = read_bytes(f"import {framework}\n{text}".encode(), "a.py")
    assert submission.definitions.is_not_written("Scaled", framework)
