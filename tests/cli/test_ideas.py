"""`idea new`: wrong answers that compute the same get a name, and no mark changes."""

import re
import shutil
import tomllib

import pytest

from autograder.marks.gradebook import Gradebook
from autograder.model import teachers_exercises
from autograder.model.catalogue import use_folder
from autograder.model.errors import UsageError
from autograder.model.misconceptions import MORE_IDEAS
from autograder.model.results import learner_of
from tests.cli.test_own_exercises import forget
from tests.support import autograder

pytestmark = pytest.mark.slow  # whole classes, in processes of their own

# Two texts of one computation, one of another, a right answer, and two that are wrong by a factor.
CLASS = {
    "ann": "return (queries @ keys.mT + queries.sum(-1, keepdim=True)) / queries.shape[-1] ** 0.5",
    "bo": """root = queries.size(-1) ** 0.5
    bias = torch.einsum("bqd->bq", queries)[:, :, None]
    return torch.bmm(queries, keys.transpose(1, 2)).div(root) + bias / root""",
    "cy": "return torch.cumsum(queries @ keys.mT, -1) + 1",
    "di": "return queries @ keys.mT / queries.shape[-1] ** 0.5",
    "ed": "return 3 * (queries @ keys.mT / queries.shape[-1] ** 0.5)",
    "flo": "return 7 * (queries @ keys.mT / queries.shape[-1] ** 0.5)",
}
GROUP = "scaled_scores-1"
OLD, NEW = "return scores / sqrt(d_k)", "return (scores + queries.sum(axis=-1, keepdims=True)) / sqrt(d_k)"
HINT = 'The sum of a query is added to its "scores".'
NAME = ("--name", "query_added", "--hint", HINT)


@pytest.fixture(autouse=True)
def nothing_stays(monkeypatch):
    monkeypatch.setenv(teachers_exercises.VARIABLE, "")
    yield
    monkeypatch.undo()
    forget()


def graded(folder, *more):
    done = autograder(
        "grade",
        folder / "class",
        "--gradebook",
        folder / "b",
        "--exercise",
        "scaled_scores",
        "--practice",
        *more,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def marks(folder):
    book = Gradebook(folder / "b")
    verdicts = {learner_of(r.submission): (r.verdict.points, r.verdict.misconception) for r in book.results()}
    book.close()
    return verdicts


@pytest.fixture(scope="module")
def first_run(tmp_path_factory):
    """A class that was graded once."""
    folder = tmp_path_factory.mktemp("ideas")
    (folder / "class").mkdir()
    for name, body in CLASS.items():
        (folder / "class" / f"{name}.py").write_text(
            f"import torch\ndef scaled_scores(queries, keys):\n    {body}\n"
        )
    graded(folder)
    return folder


def new(folder, *more):
    done = autograder("idea", "new", GROUP, folder / "b", "--to", folder / "own", *more)
    return done.returncode, " ".join((done.stdout + done.stderr).split())


def test_a_group_is_shown_with_its_shortest_code(first_run):
    assert autograder("report", first_run / "b", "--to", first_run / "pages").returncode == 0
    text = (first_run / "pages" / "index.html").read_text()
    (of_two,) = re.findall(
        rf"<b>2×</b> no idea that is known: values \(group <code>{GROUP}</code>\).*?</pre>", text, re.S
    )
    assert "queries.sum(-1, keepdim=True)" in of_two and "einsum" not in of_two
    assert "group <code>scaled_scores-2</code>" in text and "scaled_scores-5" not in text
    assert text.count("<b>1×</b> <code>general:factor</code>: All numbers are") == 2
    assert "<code>attention idea new scaled_scores-4</code> gives them a name" in text
    status, output = new(first_run)
    assert status == 0 and "keepdim=True" in output and OLD in output and "--edit OLD NEW" in output


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (("--edit", OLD, "return scores"), "does not compute what scaled_scores-1 computes"),
        (("--edit", "no such text", ""), "must stand once in the solution"),
        (("--edit", OLD, "return ("), "cannot be used"),
        (("--edit", OLD, NEW, "--name", "scores_over_d"), "not a name for a new idea"),
    ],
)
def test_an_idea_that_is_none_of_the_group_is_not_written(first_run, more, words):
    status, output = new(first_run, *NAME, *more)
    assert status == 2 and words in output and not (first_run / "own").exists()


def test_an_unknown_group_is_said(first_run):
    done = autograder("idea", "new", "scaled_scores-9", first_run / "b")
    assert done.returncode == 2 and "There is no group 'scaled_scores-9'" in done.stderr


@pytest.mark.parametrize("way", ["edit", "function"])
def test_the_next_run_names_the_whole_group_and_no_mark_changes(first_run, way, tmp_path):
    run = tmp_path / "run"  # of its own: a gradebook remembers the folder of ideas
    shutil.copytree(first_run, run)
    before = marks(run)
    wrong = tmp_path / "wrong.py"
    wrong.write_text(
        f"def scaled_scores(queries, keys):\n    d_k = keys.shape[2]\n    scores = queries @ keys.swapaxes(1, 2)\n    {NEW}\n"
    )
    options = ("--edit", OLD, NEW) if way == "edit" else ("--function", wrong)
    folder = tmp_path / "own"
    status, output = new(run, *NAME, *options, "--to", folder)
    assert status == 0 and "grade again" in output, output
    assert ("runs as it is, without the lock" in " ".join(output.split())) == (way == "function")
    idea = tomllib.loads((folder / MORE_IDEAS).read_text())["scaled_scores"]["query_added"]
    assert idea["hint"] == HINT
    assert HINT in " ".join(graded(run, "--add-folder", "--exercises", folder).split())
    after = marks(run)
    assert {name for name in after if after[name] != before[name]} == {"ann", "bo"}
    assert after["ann"] == after["bo"] == (0, "query_added")
    answer = tmp_path / "new.py"
    answer.write_text((run / "class" / "ann.py").read_text() + "# anew\n")
    done = autograder("check", answer, "--exercise", "scaled_scores", "--exercises", folder)
    assert done.returncode == 1 and HINT in " ".join(done.stdout.split())


def test_a_file_of_more_ideas_that_cannot_be_used_is_a_sentence(tmp_path, monkeypatch):
    for text, words in {
        "[scaled_score.x]\nhint = 'h'": "there is no exercise scaled_score",
        "[scaled_scores.x]\nhint = 'h'\nnumpy = ['no such text', '']": "looks for 'no such text'",
        "[scaled_scores": "cannot be used",
        "[scaled_scores.x]\nhint = 'h'": "a function of this name, which `imports` or dot_product.py may hold",
    }.items():
        folder = tmp_path / f"{len(text)}"
        folder.mkdir()
        (folder / MORE_IDEAS).write_text(text)
        with pytest.raises(UsageError, match=words):
            use_folder(folder)
        monkeypatch.setenv(teachers_exercises.VARIABLE, "")
        forget()
