"""Each chapter says before what it takes and teaches, and after what to keep, to ask and to read next."""

import json
import re
import shutil

import pytest

from autograder.book.bibliography import works
from autograder.book.contents import chapters, notebook_of, opening, source
from autograder.book.times import AFTER, BEFORE, STEP, duration_text, exercises, reading
from autograder.copies.start import start
from autograder.model.errors import ToolError
from autograder.model.paths import ROOT
from tools.figures import stored
from tools.frames import NEXT, TIME, WAYS, changes, framed, next_line, time_line

each_chapter = pytest.mark.parametrize("chapter", chapters())
QUESTION = re.compile(r"^:::\{dropdown\} (.+)\n((?:.+\n)+):::$", re.MULTILINE)


def frame(chapter, name):
    (cell,) = [cell for cell in notebook_of(chapter)["cells"] if cell["id"] == name]
    assert cell["cell_type"] == "markdown"
    return source(cell)


def notebook(*cells):
    """A notebook of (kind, id, source, tags)."""
    content = [
        {"cell_type": kind, "id": name, "source": text, "metadata": {"tags": list(tags)}}
        for kind, name, text, tags in cells
    ]
    return {"cells": content}


# --- The chapters ----------------------------------------------------------------------------------


@each_chapter
def test_the_frame_before_stands_behind_the_title_and_says_three_things(chapter):
    assert notebook_of(chapter)["cells"][1]["id"] == BEFORE
    text = frame(chapter, BEFORE)
    assert text.startswith(":::{admonition} Before you begin\n:class: before\n") and text.endswith("\n:::")
    order = [text.index(words) for words in ("**You need** ", "**You will be able to**\n", TIME)]
    assert order == sorted(order)
    assert 2 <= len(re.findall(r"^- \S", text, re.MULTILINE)) <= 5
    assert len(text.partition(WAYS)[0].split()) < 120


@each_chapter
def test_what_is_needed_comes_earlier_in_the_book(chapter):
    needed = re.findall(r"\{doc\}`(?:[^`<]*<)?(\w+)>?`", frame(chapter, BEFORE))
    earlier = {"prerequisites", *chapters()[: chapters().index(chapter)]}
    assert needed and set(needed) <= earlier


@each_chapter
def test_the_frame_after_ends_the_chapter_with_three_sentences_and_three_questions(chapter):
    assert notebook_of(chapter)["cells"][-1]["id"] == AFTER
    text = frame(chapter, AFTER)
    parts = ["## To take away", "### Ask yourself", "### Where this lives today", NEXT]
    places = [text.index(part) for part in parts]
    assert places == sorted(places)
    assert re.findall(r"^(\d)\. \S", text[: places[1]], re.MULTILINE) == ["1", "2", "3"]
    questions = QUESTION.findall(text)
    assert len(questions) == 3
    for question, answer in questions:
        # A summary shows no Markdown in a copy.
        assert question.endswith("?") and not set("`$*") & set(question) and len(answer.split()) > 10


@each_chapter
def test_where_it_lives_today_is_cited(chapter):
    today = frame(chapter, AFTER).partition("### Where this lives today")[2]
    cited = {key for keys in re.findall(r"\{cite:[pt]\}`([^`]+)`", today) for key in keys.split(",")}
    assert cited and cited <= set(works().entries)


def test_sync_has_written_every_frame():
    assert [path.name for path in changes()] == []


# --- What sync writes ------------------------------------------------------------------------------


@pytest.fixture
def copied(tmp_path):
    for folder in ("chapters", "benchmarks/results"):
        shutil.copytree(ROOT / folder, tmp_path / folder)
    return tmp_path


def test_a_frame_that_was_edited_is_written_anew_and_nothing_else_changes(copied):
    path = copied / "chapters" / "additive.ipynb"
    before = path.read_text()
    line = time_line("additive", notebook_of("additive"), stored("chapters")["seconds"]["additive"])
    path.write_text(before.replace(line, f"{TIME} no time at all."))
    assert path.read_text() != before
    assert changes(copied) == {path: before}


def test_what_the_same_sync_has_changed_already_is_kept(copied):
    path = copied / "chapters" / "additive.ipynb"
    edited = path.read_text().replace("Additive attention", "Another title").replace(NEXT, f"{NEXT} or")
    assert changes(copied, {path: edited}) == {path: edited.replace(f"{NEXT} or", NEXT)}


@pytest.mark.parametrize(("name", "line"), [(BEFORE, TIME), (AFTER, NEXT)])
def test_a_chapter_without_a_frame_says_what_to_write(name, line):
    notebook = notebook_of("additive")
    notebook["cells"] = [cell for cell in notebook["cells"] if cell["id"] != name]
    with pytest.raises(ToolError, match=rf"id '{name}' and one line that begins with {re.escape(line)}"):
        framed(json.dumps(notebook), "additive", 1.0)


def test_a_chapter_that_was_never_timed_says_which_command_times_it(copied):
    path = copied / "benchmarks" / "results" / "chapters.json"
    times = json.loads(path.read_text())
    del times["seconds"]["pooling"]
    path.write_text(json.dumps(times))
    with pytest.raises(ToolError, match=r"benchmarks\.chapters pooling --store"):
        changes(copied)


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(59.0, "less than a minute."), (61.0, "about 2 minutes."), (601.0, "about 11 minutes.")],
)
def test_the_line_of_times_adds_up_the_exercises_and_rounds_the_run_up(seconds, words):
    line = time_line("pooling", notebook_of("pooling"), seconds)
    count, minutes = exercises("pooling")
    assert f"and {minutes} for its {count} exercises." in line and line.endswith(words)


def test_the_next_chapter_is_linked_with_its_question_and_the_last_one_says_so():
    first, second = chapters()[:2]
    assert next_line(first) == f"{NEXT} {{doc}}`{second}`. *{opening(second)[1]}*"
    *_, last_but_one, last = chapters()
    assert f"the course ends here. After its end stands {{doc}}`{last}`" in next_line(last_but_one)
    assert next_line(last) == f"{NEXT} {{doc}}`The first page <index>` lists all chapters."


# --- Times -----------------------------------------------------------------------------------------


def test_words_and_lines_are_counted_once_and_what_is_folded_or_asked_for_is_not():
    prose = ("markdown", "a", "word " * 2000, ())  # 10 minutes
    lines = "x = 1\n" * 100  # 5 minutes
    assert reading(notebook(prose)) == 10
    assert reading(notebook(prose, ("code", "b", lines, ()))) == 15
    assert reading(notebook(prose, ("code", "b", lines, ("framework-torch",)))) == 15
    for tags in (("framework-mxnet",), ("hide-input",), ("framework-torch", "exercise:x")):
        assert reading(notebook(prose, ("code", "b", lines, tags))) == 10
    assert reading(notebook(prose, ("markdown", BEFORE, "word " * 2000, ()))) == 10
    assert reading(notebook()) == STEP


@pytest.mark.parametrize(
    ("minutes", "words"),
    [(55, "55 minutes"), (60, "1 hour"), (89, "1½ hours"), (110, "2 hours"), (870, "14½ hours")],
)
def test_a_time_is_spoken_in_minutes_and_then_in_half_hours(minutes, words):
    assert duration_text(minutes) == words


# --- Learners' copies ------------------------------------------------------------------------------


def test_frames_read_well_in_a_copy(tmp_path):
    start(tmp_path, "torch")
    for path in sorted(tmp_path.glob("[0-9]*.ipynb")):
        cells = {cell["id"]: source(cell) for cell in json.loads(path.read_text())["cells"]}
        assert cells[BEFORE].startswith("> **Before you begin**\n>\n> **You need** ")
        assert cells[AFTER].count("<details>\n<summary>") == 3
        for name in (BEFORE, AFTER):
            assert not re.search(r"\{[\w:]+\}`|:::", cells[name]), path.name
    first = source(json.loads((tmp_path / "01_attention.ipynb").read_text())["cells"][-1])
    assert f"{NEXT} [Masked softmax](02_masked_softmax.ipynb). *" in first


def test_a_chapter_says_what_may_be_skipped_on_each_way():
    (line,) = re.findall(r"^\*\*Ways:\*\*.*$", frame("positions", BEFORE), re.MULTILINE)
    assert (
        line == "**Ways:** *Build a GPT*: without *A bias for each distance*, *A slope instead of a table*."
    )
    assert WAYS not in frame("errata", BEFORE)
