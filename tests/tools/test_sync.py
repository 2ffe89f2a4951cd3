"""`make sync` writes boxes and solutions into chapters, and leaves everything else as it is."""

import json
import shutil
from dataclasses import replace

import pytest

from autograder.book.contents import source, tags
from autograder.model.catalogue import all_exercises
from autograder.model.errors import ToolError
from autograder.model.paths import ROOT
from tools import first_page
from tools.sync import box, changes, main, solution_source, synced_chapter

TOPIC, NAME = "masked_softmax", "masked_softmax"


@pytest.fixture
def copied(tmp_path):
    """A copy of all that a sync reads and writes."""
    for folder in ("autograder", "chapters", "solutions", "benchmarks/results"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__"))
    for paper in ("README.md", "BENCHMARKS.md"):
        shutil.copy(ROOT / paper, tmp_path)
    (tmp_path / "_static").mkdir()
    shutil.copy(ROOT / "_static" / "sentence.svg", tmp_path / "_static")
    return tmp_path


def with_changed(**changed):
    """All exercises, one of them changed."""
    return all_exercises() | {NAME: replace(all_exercises()[NAME], **changed)}


def chapter_of(root):
    return root / "chapters" / f"{TOPIC}.ipynb"


def cells_of(text):
    return [source(cell) for cell in json.loads(text)["cells"]]


@pytest.mark.parametrize(
    ("field", "value", "expected"),
    [
        ("title", "Another title", "```{exercise} Another title\n"),
        ("rules", ("One rule.", "Another rule with é."), "\n\nOne rule. Another rule with é. "),
        ("statement", r"Another $\frac{1}{2}$ task.", r".** Another $\frac{1}{2}$ task."),
        ("minutes", 99, " · 99 minutes · "),
        ("points", 1, " · 1 point.** "),
        ("difficulty", 5, "**Difficulty 5 of 5 · "),
        ("arguments", (), "\n`masked_softmax()`\n"),
        ("conditions", {"X": "small"}, "| `X` | `(batch, num_queries, num_keys)` | small |\n"),
    ],
)
def test_a_changed_fact_is_written_into_its_box_and_nothing_else_changes(copied, field, value, expected):
    exercises = with_changed(**{field: value})
    before = chapter_of(copied).read_text()
    texts = changes(copied, exercises)
    assert list(texts) == [chapter_of(copied)]
    after = texts[chapter_of(copied)]
    assert expected in box(exercises[NAME])
    assert after == before.replace(as_json(box(all_exercises()[NAME])), as_json(box(exercises[NAME])))
    chapter_of(copied).write_text(after)
    assert changes(copied, exercises) == {}


def as_json(text):
    """A text as it stands in a notebook, a line of the file for each of its own."""
    return json.dumps(text.splitlines(keepends=True), indent=1, ensure_ascii=False)[3:-2].replace(
        '\n "', '\n    "'
    )


def test_a_box_says_whether_gradients_are_compared():
    """Who does not know it writes the loop that works in place, and every case that only has values accepts it."""
    compared = all_exercises()[NAME]
    values = replace(
        compared, cases=lambda random: [replace(case, gradient=False) for case in compared.cases(random)]
    )
    assert box(compared).replace("values, gradients.", "values.") == box(values) != box(compared)


def test_a_changed_line_of_a_solution_is_written_into_its_cell_only(copied):
    path = copied / "solutions" / TOPIC / "in_torch.py"
    path.write_text(
        path.read_text().replace("    if valid_length is None:\n", "    if None is valid_length:\n")
    )
    before = cells_of(chapter_of(copied).read_text())
    (after,) = map(cells_of, changes(copied).values())
    changed = [(old, new) for old, new in zip(before, after, strict=True) if old != new]
    assert [new.replace("None is valid_length", "valid_length is None") for _, new in changed] == [
        old for old, _ in changed
    ]
    assert len(changed) == 1


def test_an_exercise_that_is_new_is_added_at_the_end_with_its_solutions_and_checks(copied):
    new = replace(all_exercises()[NAME], name="another", title="Another")
    before = json.loads(chapter_of(copied).read_text())["cells"]
    exercises = all_exercises() | {"another": new}
    text = synced_chapter(chapter_of(copied).read_text(), TOPIC, exercises.values(), copied)
    after = json.loads(text)["cells"]
    added = after[len(before) :]
    assert after[: len(before)] == before
    assert [source(cell) for cell in added] == [
        box(new),
        solution_source(copied, TOPIC, "mxnet", NAME),
        'check(masked_softmax, "mxnet")',
        solution_source(copied, TOPIC, "torch", NAME),
        'check(masked_softmax, "torch")',
    ]
    assert [tags(cell, "") for cell in added[1:3]] == [
        ["framework-mxnet", "exercise:another"],
        ["framework-mxnet"],
    ]
    assert synced_chapter(text, TOPIC, exercises.values(), copied) == text


def test_a_new_wrong_idea_changes_no_page_that_others_change_too(monkeypatch):
    """Two branches that each add one would write the same count, merge cleanly, and be wrong."""
    exercises = all_exercises()
    additive = exercises["additive_scores"]
    ideas = (*additive.misconceptions, *additive.misconceptions)
    monkeypatch.setitem(exercises, additive.name, replace(additive, misconceptions=ideas))
    papers = [ROOT / "README.md", ROOT / "BENCHMARKS.md", ROOT / "chapters" / "index.md"]
    assert not set(papers) & (changes(ROOT).keys() | first_page.changes(ROOT).keys())


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        (":label: ex-masked_softmax\\n", ":label: ex-nobody\\n", "whose label is no exercise"),
        ('"exercise:masked_softmax"', '"exercise:nobody"', "tagged exercise:nobody, which is no exercise"),
        ('check(masked_softmax, \\"torch\\")', "pass", "must be check(masked_softmax"),
        ('"exercise:masked_softmax"', '"other"', "has no cell tagged exercise:masked_softmax"),
        (
            "```{exercise} Softmax over",
            "```{note} Softmax over",
            "has no box with the label ex-masked_softmax",
        ),
    ],
)
def test_a_chapter_that_lacks_a_part_is_refused_with_a_sentence_that_says_which(copied, old, new, sentence):
    text = chapter_of(copied).read_text()
    assert old in text
    with pytest.raises(ToolError) as error:
        synced_chapter(text.replace(old, new), TOPIC, all_exercises().values(), copied)
    assert sentence in str(error.value) and "chapters/masked_softmax.ipynb" in str(error.value)


def test_a_solution_that_is_not_there_is_named(copied):
    with pytest.raises(ToolError, match=r"in_torch\.py defines no nobody: write the solution there"):
        solution_source(copied, TOPIC, "torch", "nobody")


@pytest.mark.slow
def test_the_check_names_the_file_and_the_command_that_mends_it(copied, monkeypatch, capsys):
    chapter = chapter_of(copied)
    chapter.write_text(chapter.read_text().replace("Each length is at least 1.", "Each length is at most 1."))
    monkeypatch.setattr("tools.sync.ROOT", copied)
    with pytest.raises(SystemExit) as ended:
        main(["--check"])
    assert ended.value.code == 1
    assert capsys.readouterr().err == (
        "chapters/masked_softmax.ipynb is not what `make sync` writes into it: run `make sync`.\n"
    )
    main([])
    assert capsys.readouterr().out == "wrote chapters/masked_softmax.ipynb\n"
    main(["--check"])
