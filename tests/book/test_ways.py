"""The ways through the book: what they name is there, and they take as long as they say."""

import ast
import builtins
from types import SimpleNamespace

import pytest

from autograder.book.contents import chapters, notebook_of, source, tags
from autograder.book.times import reading
from autograder.book.ways import SECTION, ways, without
from autograder.checking import progress
from autograder.copies.one_framework import bound, needed
from autograder.copies.start import learners_copy
from autograder.frameworks import graded_frameworks
from autograder.model.catalogue import all_exercises
from autograder.read.magics import without_magics
from course.gpt.my_gpt import MODULES


def test_the_first_takes_three_hours_and_the_last_is_the_whole_book():
    first, gpt, everything = ways()
    assert (first.title, gpt.title) == ("Three hours", "Build a GPT")
    assert 150 <= first.minutes <= 195 and first.minutes < gpt.minutes < everything.minutes
    assert [step.chapter for step in everything.steps] == list(chapters())
    assert {e.name for e in everything.exercises} == set(all_exercises())


@pytest.mark.parametrize("way", ways(), ids=lambda way: way.title)
def test_what_a_way_names_is_in_its_chapter_and_in_the_books_order(way):
    order = [chapters().index(step.chapter) for step in way.steps]
    assert order == sorted(order)
    for step in way.steps:
        sections = {t for cell in notebook_of(step.chapter)["cells"] for t in SECTION.findall(source(cell))}
        assert set(step.skip) <= sections, (step.chapter, set(step.skip) - sections)
        assert {all_exercises()[name].topic for name in step.exercises} <= {step.chapter}


def test_the_way_to_a_gpt_asks_for_every_part_that_an_exercise_asks_for():
    on_the_way = {exercise.entry for exercise in ways()[1].exercises}
    parts = {
        n for module in MODULES if module != "gpt2" for names in MODULES[module][1].values() for n in names
    }
    entries = {exercise.entry for exercise in all_exercises().values()}
    assert parts & entries <= on_the_way


@pytest.mark.parametrize("way", ways(), ids=lambda way: way.title)
def test_no_exercise_of_a_way_stands_in_a_section_that_is_skipped(way):
    for step in way.steps:
        text = "".join(source(cell) for cell in without(notebook_of(step.chapter), step.skip)["cells"])
        assert all(f":label: ex-{name}\n" in text for name in step.exercises), step


@pytest.mark.parametrize("framework", graded_frameworks())
@pytest.mark.parametrize(
    "step", [s for way in ways() for s in way.steps if s.skip], ids=lambda step: step.chapter
)
def test_no_cell_needs_what_only_a_skipped_section_defines(step, framework):
    names = {*dir(builtins), "display"}
    copied = learners_copy(notebook_of(step.chapter), framework=framework)
    for cell in without(copied, step.skip)["cells"]:
        if cell["cell_type"] == "code" and not tags(cell, "starter:"):
            statements = ast.parse(without_magics(source(cell))).body
            assert needed(statements) <= names | bound(statements), source(cell)
            names |= bound(statements)


def test_without_its_sections_a_chapter_is_shorter():
    whole = notebook_of("attention")
    assert reading(without(whole, ways()[0].steps[0].skip)) < reading(whole)


def test_the_overview_says_how_far_one_is_on_each_way_and_what_comes_next(tmp_path):
    progress.create(tmp_path)
    progress.write_json(tmp_path / progress.FILE, {"predict_shapes": ["torch"], "masked_softmax": ["torch"]})
    overview = str(progress.overview(tmp_path))
    linked = "[A weighted sum of values](01_attention.ipynb#ex-attention_pooling) in *Attention*"
    assert f"| Three hours | 2 | {len(ways()[0].exercises)} | {linked} |" in overview
    progress.write_json(tmp_path / progress.FILE, {e.name: ["torch"] for e in ways()[0].exercises})
    assert "| Three hours | 8 | 8 | done |" in str(progress.overview(tmp_path))


def test_of_two_ways_that_are_equally_far_the_first_comes_next(monkeypatch):
    first, second = (SimpleNamespace(exercises=ways()[-1].exercises[i : i + 2]) for i in (0, 2))
    monkeypatch.setattr(progress, "ways", lambda: [first, second])
    passed = {way.exercises[0].name: ["torch"] for way in (first, second)}
    assert progress._on_the_furthest_way(passed) is first.exercises[1]
