"""The class's page before a lecture: the code of the answers, and which are the same."""

import ast
import json
import re
import shutil

import pytest

from autograder.marks import answers as answers_module
from autograder.marks.answers import Answers
from autograder.marks.gradebook import Gradebook
from autograder.marks.overview import summaries
from autograder.marks.report import write_pages
from autograder.marks.standing import standing_in
from autograder.model.assignment import Assignment
from autograder.model.paths import ROOT
from autograder.model.results import SubmissionResult
from autograder.read.bounded import ReaderKilled
from autograder.read.submission import digest_of
from tests.support import LATE, RIGHT, verdict

IDEA = {"failed_stage": "misconception", "misconception": "mask_after_softmax"}
WITH_HELPER = '''
import torch
SCALE = 2
unused = 3

def helper(X):
    """A text that names unused."""
    return X * SCALE

def masked_softmax(X, valid_length):
    # A remark.
    return helper(X)
'''


@pytest.fixture
def hand_in(tmp_path):
    """Makes a class of these sources, by the names of their files; gives its gradebook."""
    folder = tmp_path / "class"
    opened = []

    def make(sources, *changes, framework="torch", more=()):
        folder.mkdir(exist_ok=True)
        book = Gradebook(tmp_path / "book")
        opened.append(book)
        book.begin(str(folder), [*sources, *more], Assignment({"masked_softmax": 2.0}), practice=False)
        for (name, source), fields in zip(sources.items(), changes or [{}] * len(sources), strict=True):
            (folder / name).parent.mkdir(exist_ok=True)
            data = source.encode()
            (folder / name).write_bytes(data)
            verdicts = [verdict(**{"framework": framework, **fields})]
            book.add(SubmissionResult(name, digest_of(data, name), None, verdicts), "all")
        return book

    yield make
    for book in opened:
        book.close()


def read(book):
    standing = standing_in(book)
    return standing.learners, Answers(standing, book.folders())


def code(book):
    """The code of each learner's answer."""
    everyone, answers = read(book)
    return {who.name: answer.code if (answer := answers.of(who, who.marks[0])) else None for who in everyone}


def same(book):
    _, answers = read(book)
    return [([who.name for who in a.learners], a.what) for a in answers.similar_answers()]


def test_an_answer_is_its_definition_and_what_it_uses_of_the_learners_own(hand_in):
    text = code(hand_in({"ann.py": WITH_HELPER}))["ann"]
    assert text == "SCALE = 2\n\n" + WITH_HELPER[WITH_HELPER.index("def helper") :].strip()
    assert "unused = 3" not in text and "import" not in text


def test_of_several_frameworks_the_answer_of_the_verdict_is_shown(hand_in):
    cells = [("framework-torch", RIGHT), ("framework-mxnet", "def masked_softmax(X, n):\n    return 'other'")]
    notebook = {
        "nbformat": 4,
        "nbformat_minor": 5,
        "metadata": {},
        "cells": [
            {"cell_type": "code", "metadata": {"tags": [tag]}, "source": text, "outputs": []}
            for tag, text in cells
        ],
    }
    book = hand_in({"ann.ipynb": json.dumps(notebook)}, framework="mxnet")
    assert code(book)["ann"] == cells[1][1]


def test_of_a_definition_in_a_block_or_in_no_python_the_whole_cell_is_shown(hand_in):
    block = "if True:\n    def masked_softmax(X, n):\n        return X"
    broken = "def masked_softmax(X, n)\n    return X"
    book = hand_in({"ann.py": block, "bo.py": broken, "cy.py": broken, "di.py": f"{block}\n{block}"})
    assert code(book) == {"ann": block, "bo": broken, "cy": broken, "di": f"{block}\n{block}"}
    assert [names for names, _ in same(book)] == []


def test_what_has_changed_since_or_is_gone_is_not_shown_and_said(hand_in, tmp_path):
    book = hand_in({"ann.py": RIGHT, "bo.py": LATE, "cy.py": RIGHT + "#"})
    (tmp_path / "class" / "ann.py").write_text(LATE + "# another")
    (tmp_path / "class" / "bo.py").unlink()
    assert [name for name, text in code(book).items() if text] == ["cy"]
    assert "The code of 2 answers is not shown" in write_pages(book, tmp_path / "pages").read_text()
    shutil.move(tmp_path / "class", tmp_path / "moved")
    (tmp_path / "moved" / "ann.py").write_text(RIGHT)
    assert read(book)[1].num_gone == 3
    moved, rules = str(tmp_path / "moved"), Assignment({"masked_softmax": 2.0})
    book.begin(moved, ["ann.py", "bo.py", "cy.py"], rules, practice=False)
    assert "The code of 1 answer is not shown" in write_pages(book, tmp_path / "pages").read_text()
    (tmp_path / "moved" / "other").write_text("")
    (tmp_path / "moved" / "renamed.py").write_text(LATE)
    assert "is not shown" not in write_pages(book, tmp_path / "pages").read_text()


def test_the_code_of_a_file_is_shown_that_is_as_large_as_the_assignment_allows(hand_in, tmp_path):
    book = hand_in({"ann.py": RIGHT + "#" * 200_000})
    path = str(tmp_path / "class")
    for megabytes, is_shown in ((0.1, False), (0.2, True)):
        rules = Assignment({"masked_softmax": 2.0}, limits={"megabytes": megabytes})
        book.begin(path, ["ann.py"], rules, practice=False)
        page = write_pages(book, tmp_path / "pages").read_text()
        assert ("is not shown" not in page) is is_shown


def test_what_cannot_be_read_again_costs_no_page(hand_in, monkeypatch):
    book = hand_in({"ann.py": RIGHT, "bo.py": LATE})

    def killed(data, name, megabytes):
        raise ReaderKilled

    monkeypatch.setattr(answers_module, "read_bytes", killed)
    assert code(book) == {"ann": None, "bo": None}


def test_a_stub_is_no_answer(hand_in):
    stub = "def masked_softmax(X, n):\n    raise NotImplementedError"
    book = hand_in({"ann.py": stub, "bo.py": stub + "\n"}, {"outcome": "missing"}, {"outcome": "missing"})
    everyone, answers = read(book)
    assert (
        not answers.codes and not answers.num_gone and answers.of(everyone[0], everyone[0].marks[0]) is None
    )


def test_the_same_answers_are_listed_with_what_is_the_same(hand_in):
    other_names = RIGHT.replace("mask", "keep").replace("keeped_softmax", "masked_softmax")
    remark = RIGHT.replace(
        "    if valid_length is None", '    """Mine."""\n    # A remark.\n\n    if valid_length is None'
    )
    assert same(hand_in({"ann.py": RIGHT, "bo.py": LATE, "cy.py": LATE.replace("* mask", "*  mask")})) == [
        (["bo", "cy"], "the same code")
    ]
    assert same(hand_in({"ann.py": RIGHT, "bo.py": remark, "cy/a.py": other_names, "di.py": LATE})) == [
        (["ann", "bo", "cy"], "the same but for names")
    ]
    assert same(hand_in({"ann.py": RIGHT, "bo.py": RIGHT, "cy.py": LATE})) == [
        (["ann", "bo"], "the same file")
    ]


def test_the_same_as_the_courses_own_solution_is_said(hand_in):
    solution = (ROOT / "solutions" / "masked_softmax" / "in_torch.py").read_text()
    solution = solution.replace("positions", "places").partition("def masked_softmax_or_zero")[0]
    book = hand_in({"ann.py": solution, "bo.py": solution + "#", "cy.py": RIGHT, "di.py": RIGHT + "#"})
    assert sorted(same(book)) == [
        (["ann", "bo"], "the same code, and the course's own solution"), (["cy", "di"], "the same code")
    ]  # fmt: skip


def test_the_same_code_is_the_same_in_any_framework_and_the_first_learners_is_shown(hand_in):
    plain = "def masked_softmax(X, n):\n    a = X\n    b = a\n    return b\n"
    book = hand_in({"ann.py": plain, "bo.py": plain.replace("a", "c")}, {}, {"framework": "mxnet"})
    assert not code(book)["bo"]
    book = hand_in({"ann.py": plain, "bo.py": plain.replace("b", "c")}, {}, {"framework": "mxnet"})
    assert same(book) == [(["ann", "bo"], "the same but for names")]
    _, answers = read(book)
    assert answers.similar_answers()[0].examples[0].code == plain.strip()


def test_names_that_are_not_the_learners_own_tell_answers_apart(hand_in):
    other = RIGHT.replace("torch.arange", "torch.range")
    library = RIGHT.replace("import torch", "import torch as t").replace("torch.", "t.")
    assert same(hand_in({"ann.py": RIGHT, "bo.py": other, "cy.py": library})) == []


def test_a_class_and_its_functions_are_numbered_too(hand_in):
    text = (
        "class masked_softmax:\n    def go(self, a: int):\n        b = a\n        c = b\n        return c\n"
    )
    book = hand_in({"ann.py": text, "bo.py": re.sub(r"\bb\b", "z", text).replace("go", "run")})
    assert same(book) == [(["ann", "bo"], "the same but for names")]


METHODS = """
class masked_softmax:
    def __init__(self, size):
        self.size = size
    def _cut(self, X):
        return X[: self.size]
    def _rest(self, X):
        return X[self.size :]
    def __call__(self, X):
        return self._cut(X), self._rest(X)
"""


def test_attributes_and_methods_that_the_learner_named_are_numbered_too(hand_in):
    """An argument may have the name of the attribute; two methods in each other's place are other code."""
    other = METHODS.replace("self.size", "self.n").replace("_cut", "_first")
    turned = METHODS.replace("self._cut(X), self._rest(X)", "self._rest(X), self._cut(X)")
    book = hand_in({"ann.py": METHODS, "bo.py": other, "cy.py": turned})
    assert same(book) == [(["ann", "bo"], "the same but for names")]


def test_short_answers_are_left_out(hand_in):
    short = "def masked_softmax(X, n):\n    '''Text.'''\n    a = X\n    return a\n"
    longer = "def masked_softmax(X, n):\n    a = X\n    b = a\n    return b\n"
    book = hand_in({"ann.py": short, "bo.py": short, "cy.py": longer, "di.py": longer + "#"})
    assert same(book) == [(["cy", "di"], "the same code")]
    everyone, answers = read(book)
    assert [answers.of(who, who.marks[0]).statements for who in everyone] == [3, 3, 4, 4]


def test_only_answers_that_count_are_compared(hand_in):
    book = hand_in({"ann/a.py": RIGHT, "ann/b.py": LATE, "bo.py": LATE}, {"outcome": "accepted"}, IDEA, IDEA)
    assert same(book) == []


def test_exercises_come_in_the_order_of_the_course_and_long_answers_first(hand_in):
    longer = "def masked_softmax(X, n):\n" + "    X = X + 1\n" * 20 + "    return X\n"
    book = hand_in({"ann.py": RIGHT, "bo.py": RIGHT, "cy.py": longer, "di.py": longer})
    assert [names for names, _ in same(book)] == [["cy", "di"], ["ann", "bo"]]


def test_what_more_than_five_have_written_comes_last(hand_in):
    common = {f"{i}.py": RIGHT for i in range(6)}
    book = hand_in({**common, "ann.py": LATE, "bo.py": LATE})
    assert [names for names, _ in same(book)] == [["ann", "bo"], list("012345")]


def test_a_long_answer_is_cut_off_and_a_tree_that_is_too_deep_is_not_compared(hand_in):
    long = "def masked_softmax(X, n):\n" + "\tX = X\n" * 100 + "\treturn '" + "x" * 300 + "'\n"
    deep = "def masked_softmax(X, n):\n    a = 1\n    b = 1\n    return " + "+".join(["X"] * 2000) + "\n"
    book = hand_in({"ann.py": long, "bo.py": deep, "cy.py": deep + "#"})
    everyone, answers = read(book)
    lines = answers.of(everyone[0], everyone[0].marks[0]).lines
    assert len(lines) == 61 and lines[1] == "    X = X" and lines[-1] == "…"
    assert answers.of(everyone[1], everyone[1].marks[0]).code == deep.strip()
    (who,), answers = read(hand_in({"ann.py": "def masked_softmax(X, n):\n" + "    X = X\n" * 59}))
    assert (
        len(answers.of(who, who.marks[0]).lines) == 60
        and answers.of(who, who.marks[0]).lines[-1] == "    X = X"
    )
    short = "def masked_softmax(X, n):\n    return '" + "x" * 300 + "'"
    (who,), answers = read(hand_in({"ann.py": short}))
    assert [len(line) for line in answers.of(who, who.marks[0]).lines] == [25, 160]


def test_an_answer_has_no_more_than_a_hundred_parts(hand_in):
    helpers = "".join(f"a{i} = a{i + 1}\n" for i in range(150))
    book = hand_in({"ann.py": helpers + "def masked_softmax(X, n):\n    return a0\n"})
    assert len(code(book)["ann"].split("\n\n")) == 100


def test_statements_that_share_a_line_are_looked_at_once(hand_in, monkeypatch):
    """A line may hold tens of thousands, and the page must not take hours."""
    line = "x=1;" * 2000
    book = hand_in({"ann.py": f"{line}\ndef masked_softmax(X, n):\n    return x\n"})
    looked_at = []
    original = ast.walk
    monkeypatch.setattr(ast, "walk", lambda node: looked_at.append(node) or original(node))
    assert code(book)["ann"].startswith(line)
    assert len(looked_at) < 40_000


def test_an_idea_leads_to_its_learners_and_their_code(hand_in, tmp_path):
    book = hand_in(
        {"ann.py": LATE, "bo.py": LATE + "#", "cy.py": RIGHT, "di.py": "def masked_softmax(X, n):\n    1 / 0\n"},
        IDEA, IDEA, {"outcome": "accepted"}, {"outcome": "error", "message": "It divides by zero."},
    )  # fmt: skip
    text = write_pages(book, tmp_path / "pages").read_text()
    idea, _, rest = text.partition("mask_after_softmax")[2].partition(
        "no idea that is known: It divides by zero."
    )
    assert idea.count('#masked_softmax">') == 2 and idea.count("torch.softmax(X, dim=-1) * mask") == 2
    assert ">ann</a>, torch</summary>" in idea.replace("\n", "")
    assert ">di</a>, torch: It divides by zero.</summary>" in rest.replace("\n", "") and "1 / 0" in rest
    part = text.partition("The same answers")[2]
    assert "the same code: " in part and part.count("* mask") == 1
    assert "<b>2×</b>" in text and "3 wrong of 4 answers" in text


def test_the_code_of_what_is_to_be_looked_at_is_there(hand_in, tmp_path):
    book = hand_in({"ann.py": RIGHT}, {"outcome": "accepted", "flag": "its source names layer_norm"})
    part = write_pages(book, tmp_path / "pages").read_text().partition("To look at")[2].partition("<h2>")[0]
    assert "torch.where(mask, X, -1e6)" in part and "(torch, accepted): its source names layer_norm" in part
    assert "The same answers" not in write_pages(book, tmp_path / "pages").read_text()


def test_hostile_code_stays_text(hand_in, tmp_path):
    hostile = "def masked_softmax(X, n):\n    return '</pre><script>alert(1)</script>\u202e'\n"
    text = write_pages(hand_in({"ann.py": hostile}, IDEA), tmp_path / "pages").read_text()
    assert "&lt;/pre&gt;&lt;script&gt;" in text and "\u202e" not in text
    assert text.count("<script") == 1 and "alert(1)" not in text.partition("<script")[2]


def test_the_exercise_with_the_most_wrong_answers_comes_first(tmp_path):
    book = Gradebook(tmp_path / "book")
    names = ("masked_softmax", "masked_softmax_or_zero", "scaled_scores", "dot_product_attention")
    outcomes = {  # of ann, bo, cy
        names[0]: ("rejected", "accepted", "accepted"), names[1]: ("error", "timeout", "missing"),
        names[2]: ("missing", "missing", "missing"), names[3]: ("rejected", "missing", "accepted"),
    }  # fmt: skip
    for i, who in enumerate(("ann", "bo", "cy")):
        verdicts = [verdict(name, outcome=outcomes[name][i]) for name in names]
        book.add(SubmissionResult(f"{who}.py", who, None, verdicts), "all")
    in_order = summaries(standing_in(book).learners)
    assert [(s.exercise.name, s.wrong, s.attempted) for s in in_order] == [
        (names[1], 2, 2), (names[3], 1, 2), (names[0], 1, 3), (names[2], 0, 0)
    ]  # fmt: skip
    text = write_pages(book, tmp_path / "pages").read_text()
    assert [text.index(f"({s.exercise.name}, ") for s in in_order] == sorted(
        text.index(f"({s.exercise.name}, ") for s in in_order
    )
    heads = re.findall(r"<span>(\w+)</span>", text.partition("<h2>Marks")[2])
    assert set(heads) == set(names)
    row = text.partition(">bo</a></td>")[2].partition("</tr>")[0]
    cells = dict(zip(heads, re.findall(r'title="(\w+)">([\d–]+)<', row), strict=True))
    assert cells[names[0]] == ("accepted", "2") and cells[names[1]] == ("timeout", "0")
    assert cells[names[2]] == ("missing", "–")
    possible = text.partition("<tr><td>possible</td>")[2]
    assert re.findall(r'number">(\d+)<', possible)[:2] == [f"{standing_in(book).possible:g}", "4"]
    book.close()


def test_what_no_idea_explains_comes_after_the_ideas(tmp_path):
    book = Gradebook(tmp_path / "book")
    fields = [{"failed_stage": "values"}] * 3 + [IDEA] * 2 + [IDEA | {"misconception": "mask_ignored"}] * 3
    for i, more in enumerate(fields):
        book.add(SubmissionResult(f"u{i}.py", f"d{i}", None, [verdict(**more)]), "all")
    (summary,) = summaries(standing_in(book).learners)
    groups = [(finding.idea, finding.hint is None, len(finding.answers)) for finding in summary.mistakes]
    assert groups == [("mask_ignored", False, 3), ("mask_after_softmax", False, 2), ("values", True, 3)]
    book.close()
