"""`start --assignment`: only its chapters or its exercises, its points, and the same points in nbgrader."""

import ast
import builtins
import json
import re
from datetime import UTC, datetime

import pytest

from autograder.book.contents import INDEX, PAGES, chapters, framework_of, notebook_of, source, tags
from autograder.checking import check as checks
from autograder.checking import progress
from autograder.checking.whole_file import check_file
from autograder.copies.for_assignment import for_assignment, mark_and_ending, points_of, with_points
from autograder.copies.one_framework import bound, needed
from autograder.copies.start import learners_copy, start
from autograder.model.assignment import Assignment, LateRule
from autograder.model.catalogue import all_exercises
from autograder.read.flags import TAKES_A_MARK
from autograder.read.submission import read_bytes
from tests.support import handed_in, verdict

BOTH = ("mxnet", "torch")
FIRST = Assignment(
    {"masked_softmax": 3.0, "weights_after": 1.5},
    name="First week",
    frameworks=BOTH,
    late=LateRule(
        datetime(2030, 1, 31, 12, tzinfo=UTC), per_cent=10, last=datetime(2030, 2, 7, 12, tzinfo=UTC)
    ),
)


def cells(path):
    return json.loads(path.read_text())["cells"]


def worth(copied):
    """What nbgrader gives, by the names of the cells."""
    marks = [c["metadata"]["nbgrader"] for c in copied if "nbgrader" in c["metadata"]]
    return {t["grade_id"]: t["points"] for t in marks if t["grade"]}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("learn")
    start(path, assignment=FIRST)
    return path


def test_only_its_chapters_are_given_out_and_lead_to_each_other(folder):
    assert [p.name for p in sorted(folder.glob("*.ipynb"))] == [
        "02_masked_softmax.ipynb",
        "03_dot_product.ipynb",
        *sorted([INDEX, *(f"{page}.ipynb" for page in PAGES)]),
    ]
    line = source(cells(folder / "02_masked_softmax.ipynb")[0]).split("\n")[2]
    assert "](03_dot_product.ipynb)" in line and "01_" not in line


def test_only_the_drawings_that_they_show_are_copied(folder, tmp_path):
    names = {path.name for path in (folder / "drawings").iterdir()}
    texts = [path.read_text(encoding="utf-8") for path in folder.glob("*.ipynb")]
    assert names == {name for text in texts for name in re.findall(r"drawings/(\w+\.svg)", text)}
    assert {"dot_product.svg", "masked_softmax.svg"} <= names and "gpt.svg" not in names
    start(tmp_path, assignment=FIRST, only_exercises=True)
    assert not (tmp_path / "drawings").exists()


def test_the_index_says_what_is_asked_and_until_when(folder):
    text = source(cells(folder / INDEX)[-1])
    exercise = all_exercises()["weights_after"]
    assert (
        "## First week" in text and f"| [{exercise.title}](03_dot_product.ipynb#ex-weights_after) |" in text
    )
    assert f"| {exercise.minutes} | 1.5 |" in text
    due, last = (f"{when:%Y-%m-%d %H:%M}" for when in (FIRST.late.due, FIRST.late.last))
    assert f"Due {due}. For each day that has begun after it, 10 % of" in text
    assert f"After {last} nothing counts." in text and "](notation.ipynb)" in text


def test_progress_counts_the_assignment(folder, monkeypatch):
    monkeypatch.chdir(folder)
    overview = str(progress.overview())
    assert "#ex-masked_softmax)" in overview.split("\n")[0] and "| 0 | 1 |" in overview
    assert [line.split("]")[0] for line in overview.split("\n")[4:]] == [
        "| [Masked softmax",
        "| [Dot-product attention",
    ]
    assert progress.keep(verdict(outcome="accepted")) == "1 of 2 exercises passed"
    progress.write_json(
        folder / progress.FILE, {"assignment": ["masked_softmax"], "masked_softmax": ["torch"]}
    )
    assert str(progress.overview()).startswith("All exercises are passed.")


def test_boxes_say_what_the_assignment_gives(folder):
    text = "\n".join(
        source(c) for c in cells(folder / "03_dot_product.ipynb") if c["cell_type"] == "markdown"
    )
    box = text.split("What changes the weights?")[1]
    assert "· 1.5 points.**" in box.split("\n\n")[1]
    assert "not part of the assignment.**" in text.split("Every query with every key")[1].split("\n\n")[1]


@pytest.mark.parametrize("chapter", chapters())
def test_every_box_can_say_other_points(chapter):
    mine = [e.name for e in all_exercises().values() if e.topic == chapter]
    if not mine:
        return
    text = "\n".join(source(c) for c in notebook_of(chapter)["cells"] if c["cell_type"] == "markdown")
    assert with_points(text, None) == text
    page = with_points(text, Assignment(dict.fromkeys(mine, 7.25)))
    assert page.count("7.25 points.**") == len(mine)


def test_nbgrader_gives_the_same_points(folder):
    copied = [c for path in folder.glob("0*.ipynb") for c in cells(path)]
    assert worth(copied) == {"check-masked_softmax-torch": 3, "check-weights_after-torch": 1.5}
    (mark,) = [source(c) for c in copied if source(c).startswith("# PyTorch\ncheck(masked_softmax, ")]
    assert mark.endswith('check(masked_softmax, "torch").mark(3, better=True)')


@pytest.mark.parametrize(
    ("frameworks", "count", "copied", "expected"),
    [
        (
            BOTH,
            "both",
            None,
            {"masked_softmax-mxnet": 1.5, "masked_softmax-torch": 1.5, "weights_after-torch": 1.5},
        ),
        (("torch",), "better", "torch", {"masked_softmax-torch": 3, "weights_after-torch": 1.5}),
        (("mxnet",), "better", "mxnet", {"masked_softmax-mxnet": 3, "weights_after-mxnet": 1.5}),
        (BOTH, "better", "mxnet", {"masked_softmax-mxnet": 3, "weights_after-mxnet": 1.5}),
    ],
)
def test_nbgraders_points_follow_the_frameworks(frameworks, count, copied, expected):
    rules = Assignment(FIRST.exercises, frameworks=frameworks, count=count)
    cells_of_both = [
        cell
        for chapter in ("masked_softmax", "dot_product")
        for cell in learners_copy(notebook_of(chapter), None, copied, rules)["cells"]
    ]
    assert worth(cells_of_both) == {f"check-{name}": points for name, points in expected.items()}


def test_a_mark_is_the_better_of_what_this_kernel_has_checked():
    right, wrong = handed_in("masked_softmax", "torch"), lambda X, valid_length: X
    checks.check(right, "torch")
    second = checks.check(wrong, "numpy", "masked_softmax")
    assert (float(second.mark(3)), float(second.mark(3, better=True)), float(second.mark())) == (0, 3, 0)
    again = checks.check(wrong, "torch", "masked_softmax")
    assert float(again.mark(3, better=True)) == 0
    assert float(checks.check(right, "torch").mark(2.5)) == 2.5


def test_what_start_writes_behind_a_check_is_no_text_of_a_learners():
    for assignment in (None, FIRST):
        for name in FIRST.exercises:
            _, ending = mark_and_ending(name, "torch", BOTH, assignment)
            assert TAKES_A_MARK.fullmatch(ending)


def test_points_are_whole_or_as_they_are():
    assert [points_of(p) for p in (2.0, 2.5, 100 / 3, 400 / 3)] == ["2", "2.5", "33.3333", "133.3333"]


@pytest.mark.parametrize(
    "chapter", [c for c in chapters() if any(e.topic == c for e in all_exercises().values())]
)
def test_the_exercises_alone_bring_all_that_their_solutions_use(chapter):
    """With each exercise alone, and in one framework: what is not there cannot be imported by a learner's habit."""
    for exercise in [e for e in all_exercises().values() if e.topic == chapter]:
        notebook = for_assignment(notebook_of(chapter), Assignment({exercise.name: 1.0}), only_exercises=True)
        copied = notebook["cells"]
        assert sum(f":label: ex-{exercise.name}" in source(c) for c in copied) == 1
        assert sum(bool(tags(c, "exercise:")) for c in copied) == 2
        assert len({c["id"] for c in copied}) == len(copied)
        for framework in BOTH:
            names = set(dir(builtins))
            for cell in (
                c for c in copied if c["cell_type"] == "code" and framework_of(c) in (None, framework)
            ):
                statements = ast.parse(source(cell)).body
                if tags(cell, "exercise:"):
                    assert needed(statements) <= names, (exercise.name, framework, needed(statements) - names)
                names |= bound(statements)


@pytest.mark.parametrize(
    "chapter", [c for c in chapters() if any(e.topic == c for e in all_exercises().values())]
)
def test_a_chapter_brings_the_helpers_that_are_no_part_of_the_assignment(chapter):
    for exercise in [e for e in all_exercises().values() if e.topic == chapter]:
        copied = for_assignment(notebook_of(chapter), Assignment({exercise.name: 1.0}), False)["cells"]
        assert len({c["id"] for c in copied}) == len(copied)
        for framework in BOTH:
            names = set(dir(builtins))
            for cell in copied:
                if cell["cell_type"] != "code" or framework_of(cell) not in (None, framework):
                    continue
                statements, labels = ast.parse(source(cell)).body, tags(cell, "exercise:")
                if labels == [f"exercise:{exercise.name}"]:
                    assert needed(statements) <= names, (exercise.name, framework, needed(statements) - names)
                names = names - bound(statements) if labels else names | bound(statements)


@pytest.mark.parametrize("only_exercises", [False, True])
def test_a_helper_that_is_not_assigned_can_be_used(tmp_path, only_exercises):
    start(tmp_path, "torch", Assignment({"multi_head_attention": 4.0}), only_exercises)
    path = next(tmp_path.glob("*multi_head.ipynb"))
    notebook = json.loads(path.read_text())
    right = next(
        source(c)
        for c in notebook_of("multi_head")["cells"]
        if c["metadata"].get("tags", [])[:2].count("exercise:multi_head_attention")
        and framework_of(c) == "torch"
    )
    (answer,) = [c for c in notebook["cells"] if tags(c, "exercise:") == ["exercise:multi_head_attention"]]
    answer["source"] = right
    path.write_text(json.dumps(notebook))
    (verdict,) = check_file(path, [all_exercises()["multi_head_attention"]], None, True)
    assert verdict.outcome == "accepted", verdict.message


def test_the_exercises_alone_are_graded_like_a_chapter(tmp_path):
    start(tmp_path, "torch", FIRST, only_exercises=True)
    path = tmp_path / "03_dot_product.ipynb"
    copied = cells(path)
    assert len(copied) < 10 and worth(copied) == {"check-weights_after-torch": 1.5}
    assert source(copied[0]).startswith(
        "# Dot-product attention\n\n[← Masked softmax](02_masked_softmax.ipynb)"
    )
    assert source(copied[-1]).startswith("---\n\n[← Masked softmax](02_masked_softmax.ipynb)")
    submission = read_bytes(path.read_bytes(), path.name)
    assert submission.problem is None and submission.frameworks("weights_after") == ["torch"]
