"""The first page: a sentence that moves, numbers that are counted, a verdict of the judge, and every chapter."""

import json
import re

import numpy as np
import pytest
from playwright.sync_api import Browser, Page

from autograder.book.contents import chapters, notebook_of, opening
from autograder.book.times import exercises, reading
from autograder.frameworks import title_of
from autograder.model.catalogue import all_exercises
from autograder.model.errors import ToolError
from autograder.model.paths import ROOT
from course.display.figures import Slider, WeightMap
from tests.book.browsing import NARROW, WIDE
from tools.drawings.self_attention import WORDS
from tools.first_page import (
    EXAMPLE,
    PAGE,
    PICTURE,
    changes,
    page,
    sentence_part,
    verdict_part,
    weights,
    with_part,
    wrong_answer,
)
from tools.sentence import MAP, Sentence, drawing, sentence_of

TEXT = (ROOT / PAGE).read_text(encoding="utf-8")
NOTEBOOKS = {chapter: notebook_of(chapter) for chapter in chapters()}
FED = Sentence(
    ("oft", "hat", "<gefüttert>"), ("has", "fed"), np.array([[0.1, 0.85, 0.05], [0.0, 0.004, 0.996]])
)


def test_sync_has_written_the_first_page_and_the_picture_of_the_readme():
    assert [path.name for path in changes()] == []


@pytest.mark.parametrize("chapter", chapters())
def test_the_map_shows_every_chapter_with_its_question_its_drawing_and_its_times(chapter):
    number = chapters().index(chapter) + 1
    (card,) = re.findall(rf"^:::\{{grid-item-card\}} {number} · .*?^:::$", TEXT, re.MULTILINE | re.DOTALL)
    title, question = opening(chapter)
    count, minutes = exercises(chapter)
    assert f"{number} · {title}\n:link: {chapter}\n" in card and question in card
    assert f"](thumbnails/{chapter}.svg)" in card
    assert (
        f"{reading(NOTEBOOKS[chapter])} min to read · {count} exercise" in card and f"{minutes} min\n" in card
    )


def test_the_numbers_are_rounded_and_are_those_of_the_readme():
    """So no new exercise and no new idea changes a line that others change too."""
    exercises = all_exercises().values()
    counts = {
        "chapters": len(chapters()),
        "hours to read": sum(map(reading, NOTEBOOKS.values())) / 60,
        "exercises": len(exercises),
        "hours to solve": sum(exercise.minutes for exercise in exercises) / 60,
        "wrong ideas": sum(len(exercise.misconceptions) for exercise in exercises),
        "errors": len(set(re.findall(r"\(erratum-(\d+)\)=", json.dumps(NOTEBOOKS["errata"])))),
    }
    (line,) = re.findall(r"^\*\*More than .*", TEXT, re.MULTILINE)
    assert line in (ROOT / "README.md").read_text(encoding="utf-8").splitlines()
    for name, count in counts.items():
        ((bound, number),) = re.findall(rf"(More than|more than|about) ([\d,]+) {name}", line)
        least = 0.9 if bound == "about" else 1
        assert least <= count / int(number.replace(",", "")) < 1.25, f"round {count} {name} again"


def test_the_readme_shows_the_picture_of_the_same_sentence():
    assert f"]({PICTURE})" in (ROOT / "README.md").read_text(encoding="utf-8")[:2000]
    picture = (ROOT / PICTURE).read_text(encoding="utf-8")
    sentence = sentence_of(NOTEBOOKS["translation"])
    assert all(f">{word}</text>" in picture for word in (*sentence.source, *sentence.target))


# --- The verdict -----------------------------------------------------------------------------------


def test_the_verdict_is_the_judges_and_names_the_wrong_idea():
    text, verdict = wrong_answer()
    name, misconception, framework = EXAMPLE
    (idea,) = [m for m in all_exercises()[name].misconceptions if m.name == misconception]
    assert (verdict.outcome, verdict.misconception) == ("rejected", misconception)
    assert idea.hint in verdict.message
    part = verdict_part(text, verdict)
    assert part in TEXT
    assert idea.hint in part and title_of(framework) in part and '"""' not in part


def test_a_verdict_that_names_no_idea_stops_the_sync(monkeypatch):
    monkeypatch.setattr(
        "tools.first_page.wrong_source", lambda *_: "def masked_softmax(X, valid_length):\n    return X"
    )
    with pytest.raises(ToolError, match="does not name mask_after_softmax"):
        wrong_answer.__wrapped__()


# --- The parts -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["the sentence", "the verdict", "the chapters"])
def test_a_page_without_a_place_for_a_part_is_refused(name):
    with pytest.raises(ToolError, match=f"once, for {name}"):
        page(TEXT.replace(f"<!-- end of {name} -->", ""), NOTEBOOKS)


def test_a_part_takes_the_place_of_the_old_one_alone():
    text = "a\n<!-- x, written by `make sync` -->\nold\n<!-- end of x -->\nb"
    assert with_part(text, "x", r"new \1", PAGE) == text.replace("old", "\nnew \\1\n")


def test_the_sentence_is_that_of_the_chapters_map_in_its_last_state():
    weight_map = WeightMap(
        MAP,
        np.array([[[0.3, 0.3, 0.4], [0.3, 0.3, 0.4]], [[0.1, 0.7, 0.2], [0.2, 0.2, 0.6]]]),
        rows=("has", "end"),
        columns=("oft", "hat", "end"),
        sliders=(Slider("epochs", range(2), play=True),),
        row_label="English",
        column_label="German",
    )
    sentence = sentence_of(
        {"cells": [{}, {"outputs": [{"data": {}}, {"data": weight_map._repr_mimebundle_()}]}]}
    )
    assert (sentence.source, sentence.target) == (("oft", "hat"), ("has", "end"))
    assert np.allclose(sentence.weights, [[0.1, 0.7], [0.2, 0.2]])
    with pytest.raises(ToolError, match="run `make chapters TOPIC=translation`"):
        sentence_of({"cells": [{}]})


def test_the_sentence_is_one_in_which_attention_mixes():
    row = np.array(weights())
    assert row.sum() == pytest.approx(1) and row.max() < 0.7 and (row > 0.05).sum() > 2
    percents = [round(100 * weight) for weight in row]
    assert sum(percents) == 100
    part = sentence_part()
    order = sorted(zip(row, percents, WORDS, range(4), strict=True), reverse=True)
    parts = [f"[{percent}\u00a0%]{{.share .word-{i}}} of “{word}”" for _, percent, word, i in order]
    assert f"{', '.join(parts[:-1])} and {parts[-1]} itself" in part and part in TEXT


def test_the_translated_sentence_was_learnt():
    sentence = sentence_of(NOTEBOOKS["translation"])
    assert sentence.source[sentence.weights[sentence.first].argmax()] == "gefüttert"
    assert sentence.weights.max(axis=1).mean() > 0.7


def test_the_picture_says_in_words_what_it_shows():
    picture = drawing(FED)
    assert "“fed” takes 100 % from “<gefüttert>”" in picture.description
    assert 40 < len(picture.title) < 130
    # A line for each weight that can be seen.
    assert picture.svg().count("<path") == 4


# --- In a browser ----------------------------------------------------------------------------------


def first_page(browser: Browser, book: str, width: int = WIDE) -> Page:
    opened = browser.new_page(viewport={"width": width, "height": 900})
    opened.goto(f"{book}/chapters/index.html")
    return opened


def test_the_first_page_begins_with_a_figure_and_two_buttons_and_shows_chapters_on_its_second_screen(
    browser: Browser, book: str
):
    page = first_page(browser, book)
    page.wait_for_selector("figure.live .panel svg")
    tops = [
        page.locator(part).first.bounding_box()["y"]
        for part in (".begin a", "figure.live .panel", ".chapter-map .sd-card")
    ]
    assert tops == sorted(tops) and tops[1] < 700 and tops[2] < 1500
    assert page.locator(".begin a").all_text_contents() == ["Begin", "Try an exercise"]
    addresses = [link.get_attribute("href") for link in page.locator(".begin a").all()]
    assert addresses == ["attention.html", "masked_softmax.html#ex-masked_softmax"]
    assert page.locator("figure.live .panel:visible").count() == 3
    lefts = {
        round(page.locator(f"article {part}").first.bounding_box()["x"])
        for part in ("h1", ".chapter-map .sd-card", ".ways-in .sd-card", ".ways .sd-card")
    }
    assert len(lefts) == 1
    page.close()


@pytest.mark.parametrize("width", [WIDE, 1200, 768, NARROW])
def test_letters_on_the_cards_are_as_large_as_small_text(browser: Browser, book: str, width: int):
    page = first_page(browser, book, width)
    sizes = page.eval_on_selector_all(
        ".chapter-map svg text",
        """all => all.map((text) => parseFloat(getComputedStyle(text).fontSize)
            * text.ownerSVGElement.getBoundingClientRect().width / text.ownerSVGElement.viewBox.baseVal.width)""",
    )
    assert len(sizes) > 8 and min(sizes) >= 14
    page.close()


@pytest.mark.parametrize(
    ("name", "width"),
    [("index", WIDE), ("index", NARROW), ("attention", NARROW), ("language_model", NARROW)],
)
def test_no_line_of_a_page_moves_while_it_is_loaded(
    browser: Browser, book_as_it_is: str, name: str, width: int
):
    page = browser.new_page(viewport={"width": width, "height": 900})
    page.add_init_script(
        """window.moved = 0;
        new PerformanceObserver((list) => list.getEntries().forEach(({ value }) => { window.moved += value; }))
            .observe({ type: "layout-shift", buffered: true });"""
    )
    page.goto(f"{book_as_it_is}/chapters/{name}.html")
    page.wait_for_selector("figure.live .panel svg, figure.live .stage svg")
    page.evaluate("() => document.fonts.ready.then(() => null)")
    page.wait_for_timeout(500)
    assert page.evaluate("() => window.moved") < 0.05
    page.close()


def test_a_number_of_the_verdict_stays_in_one_line_on_a_phone(browser: Browser, book: str):
    page = first_page(browser, book, NARROW)
    cells = page.locator("div.verdict td")
    heights = cells.evaluate_all("all => all.map((cell) => cell.getBoundingClientRect().height)")
    assert len(heights) > 20 and max(heights) < 40
    assert all(box["x"] + box["width"] <= NARROW for box in (cell.bounding_box() for cell in cells.all()))
    page.close()
