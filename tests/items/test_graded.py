"""Faults to be found as a part of an assignment, and on a sheet."""

import json
import re

import pytest

from autograder.checking import practise as practising
from autograder.checking.nearby import shell
from autograder.cli.app import read_assignment
from autograder.items.choose import drawn, verdict_on_faults
from autograder.items.practice import Practice, write
from autograder.marks.gradebook import Gradebook
from autograder.model.catalogue import all_exercises, use_faults
from autograder.model.errors import UsageError
from autograder.model.results import learner_of
from tests.support import RIGHT, autograder

NAME = "masked_softmax_faults_3"
ASSIGNMENT = """
[exercises]
masked_softmax = 2
[[practice]]
exercise = "masked_softmax"
items = 3
points = 4
"""


@pytest.fixture(autouse=True)
def nothing_stays():
    yield
    all_exercises.cache_clear()


@pytest.fixture
def file(tmp_path):
    (tmp_path / "first.toml").write_text(ASSIGNMENT)
    return tmp_path / "first.toml"


def items_of(seed):
    return drawn([all_exercises()["masked_softmax"]], 3, "torch", seed)


def answer(seed, wrong=0):
    letters = [item.question.right for item in items_of(seed)]
    letters[:wrong] = ["b" if letter == "a" else "a" for letter in letters[:wrong]]
    return f"torch {seed} {''.join(letters)}"


def test_the_same_seed_gives_the_same_items_and_neighbours_get_others():
    assert items_of(1) == items_of(1)
    assert [item.key for item in items_of(1)] != [item.key for item in items_of(2)]


def test_a_mark_depends_on_the_answer_alone():
    use_faults([NAME])
    exercise = all_exercises()[NAME]
    assert verdict_on_faults(exercise, answer(5)).outcome == "accepted"
    assert verdict_on_faults(exercise, answer(5).upper().replace(" ", "   ")).outcome == "accepted"
    missed = verdict_on_faults(exercise, answer(5, wrong=2))
    assert (missed.outcome, missed.points) == ("rejected", 0) and "1 of 3 faults found." in missed.message
    hints = [m.hint for m in exercise.misconceptions if m.name in {i.ideas[0] for i in items_of(5)[:2]}]
    assert all(hint in missed.message for hint in hints) and missed.hint in hints
    assert missed.framework == "torch"  # the line names it
    empty = verdict_on_faults(exercise, " ")
    assert (empty.outcome, empty.framework, empty.message) == ("missing", "", "Not answered yet.")
    for text in ("torch 5 ab", "jax 5 abc", "abc", "torch -5 abc"):
        verdict = verdict_on_faults(exercise, text)
        assert (verdict.outcome, verdict.layer) == ("rejected", "contract") and text in verdict.message


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('"masked_softmax"', '"softmix"', "must have an exercise that asks for code under .*'softmix'"),
        ("items = 3", "items = 0", "must have a whole number from 1 to 12 for items"),
        ("items = 3", "item = 3", "has 'item' in .*practice"),
        ("[[practice]]", "[practice]", "must have each practice as a table"),
    ],
)
def test_what_is_wrong_in_the_file_is_a_sentence(file, old, new, words):
    file.write_text(ASSIGNMENT.replace(old, new))
    with pytest.raises(UsageError, match=words):
        read_assignment(file)


def test_a_class_is_graded_reported_and_exported(file, tmp_path):
    (tmp_path / "class").mkdir()
    for name, text in {"ann": answer(1), "bo": answer(2, wrong=1), "cy": ""}.items():
        (tmp_path / "class" / f"{name}.py").write_text(f"{RIGHT}\nmasked_softmax_faults = {text!r}\n")
    book = tmp_path / "book"
    done = autograder("grade", tmp_path / "class", "--assignment", file, "--gradebook", book, "--practice")
    assert done.returncode == 0, done.stderr
    all_exercises.cache_clear()  # another process, which has the gradebook alone
    opened = Gradebook(book)
    opened.assignment()
    found = {
        learner_of(r.submission): r.verdict.outcome for r in opened.results() if r.verdict.exercise == NAME
    }
    opened.close()
    assert found == {"ann": "accepted", "bo": "rejected", "cy": "missing"}
    rows = autograder("export", "csv", book).stdout.splitlines()
    assert [row.split(",")[:4] for row in rows[1:]] == [
        ['"ann"', '"2"', '"4"', '"6"'],
        ['"bo"', '"2"', '"0"', '"2"'],
        ['"cy"', '"2"', '""', '"2"'],  # not answered: an empty cell, as for any exercise
    ]
    assert autograder("report", book, "--to", tmp_path / "pages").returncode == 0
    text = (tmp_path / "pages" / "index.html").read_text()
    assert "MXNet" not in text and "mxnet" not in text
    pages = {who: next((tmp_path / "pages").glob(f"{who}-*.html")).read_text() for who in found}
    assert f"{NAME}</b> · PyTorch: passed" in pages["ann"] and f"{NAME}</b>: not written yet" in pages["cy"]
    assert "Not answered yet." in pages["cy"] and "NotImplementedError" not in pages["cy"]
    overlooked = text.partition("Faults that are overlooked most")[2].partition("</ul>")[0]
    assert overlooked.count("<li>") == 1 and items_of(2)[0].ideas[0] in overlooked


def test_the_copies_ask_for_the_faults_and_hold_no_answer(file, tmp_path):
    done = autograder("start", tmp_path / "copies", "--assignment", file)
    assert "[[practice]] shows a solution of masked_softmax" in " ".join(done.stderr.split())
    assert done.returncode == 0, done.stderr
    (copy,) = (tmp_path / "copies").glob("*_masked_softmax.ipynb")
    cells = json.loads(copy.read_text())["cells"]
    texts = ["".join(cell["source"]) for cell in cells]
    assert "from autograder import practise\n\npractise('masked_softmax', graded=3)" in texts
    assert 'masked_softmax_faults = ""' in texts
    answered = "".join(texts).count("Find the fault: ")
    assert answered == 1
    done = autograder("grade", copy, "--assignment", file, "--practice", "--json")
    assert '"outcome": "accepted"' not in done.stdout and "Traceback" not in done.stdout + done.stderr


def test_practise_ends_with_the_line_that_answers(tmp_path, monkeypatch, capsys):
    assert shell() is None
    (tmp_path / "progress.json").write_text("{}")
    monkeypatch.chdir(tmp_path)
    write(tmp_path, Practice(seed=5))
    right = [item.question.right for item in items_of(5)]
    left = iter(right)
    monkeypatch.setattr("builtins.input", lambda prompt: next(left, ""))
    practising.practise("masked_softmax", "torch", graded=3)
    assert f'masked_softmax_faults = "{answer(5)}"' in capsys.readouterr().out


def test_a_sheet_has_its_answers_on_another_page(tmp_path):
    sheets = []
    for number, seed in enumerate((7, 7, 8)):
        path = tmp_path / f"{number}.html"
        done = autograder(
            "practise", "masked_softmax", "--framework", "torch", "--seed", seed, "--sheet", path
        )
        assert done.returncode == 0, done.stderr
        sheets.append(path.read_text())
    assert sheets[0] == sheets[1] != sheets[2]
    questions, _, answers = sheets[0].partition("Answers to sheet 7")
    letters = [item.question.right for item in drawn([all_exercises()["masked_softmax"]], 5, "torch", 7)]
    assert re.findall(r"<b>\d ([a-e])\.</b>", answers) == letters
    assert questions.count("<h2>") == 5 + 1 and "break-before: page" in questions
