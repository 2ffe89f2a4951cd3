"""No answer of `benchmarks/data/wrong_answers.jsonl` is accepted: two for each exercise on every change, all in the whole run."""

import shlex
import sys

import pytest

from autograder.checking.lint import FAMILIES
from autograder.diagnose.matcher import Matcher
from autograder.diagnose.misconception_pairs import JOINT
from autograder.frameworks.libraries import mx
from autograder.model.catalogue import all_exercises
from benchmarks import answers
from benchmarks.answers import (
    BY_FAMILY,
    TWO,
    WrongAnswer,
    counted,
    how_specific,
    unseen,
    verdict_on,
    wrong_answers,
)
from tests.support import FRAMEWORKS, need

ALL = wrong_answers()
KINDS = {"misconception", "general", "specific", "values"}
FEW = 2


def few():
    answers_of: dict[str, list[WrongAnswer]] = {}
    for answer in ALL:
        answers_of.setdefault(answer.exercise, []).append(answer)
    return [answer for answers in answers_of.values() for answer in answers[:FEW]]


def ident(answer):
    return f"{answer.exercise}-{answer.number}"


@pytest.mark.parametrize("answer", few(), ids=ident)
def test_two_wrong_answers_are_not_accepted(answer):
    need(answer.framework)
    assert how_specific(verdict_on(answer)) in KINDS, answer.what


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted({answer.exercise for answer in ALL}))
def test_no_wrong_answer_is_accepted(name, monkeypatch):
    # Which two ideas it may be is asked of what is rejected already, and takes most of the time.
    monkeypatch.setattr(Matcher, "combination", lambda *_: None)
    answers = [a for a in ALL if a.exercise == name and (a.framework != "mxnet" or mx is not None)]
    assert [a.what for a in answers if how_specific(verdict_on(a)) not in KINDS] == []


@pytest.mark.slow
def test_answers_with_two_mistakes_are_rejected_and_most_are_told_two_ideas():
    need("torch")
    verdicts = [verdict_on(answer) for answer in wrong_answers(TWO)]
    assert {verdict.outcome for verdict in verdicts} == {"rejected"}
    assert sum(JOINT in (verdict.misconception or "") for verdict in verdicts) >= 60


def test_answers_by_family_belong_to_the_families_that_are_asked_for():
    assert {answer.what.split(":")[0] for answer in wrong_answers(BY_FAMILY)} == set(FAMILIES)


@pytest.mark.slow
def test_no_answer_by_family_is_accepted_and_most_are_named():
    need("torch")
    (counts,) = counted(("all", answer) for answer in wrong_answers(BY_FAMILY)).values()
    assert "accepted" not in counts
    assert counts["misconception"] + counts["general"] >= 0.7 * counts["answers"]


@pytest.mark.slow
def test_no_unseen_answer_is_accepted_and_most_are_named():
    need("torch")
    counts = unseen()
    assert "accepted" not in counts["one"]
    assert counts["one"]["misconception"] + counts["one"]["general"] >= 0.88 * counts["one"]["answers"]
    assert counts["two"]["both"] >= 0.6 * counts["two"]["answers"]


def test_each_exercise_has_wrong_answers():
    assert {answer.exercise for answer in ALL} == set(all_exercises())


GRADER = """
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    assert asked["statement"] and asked["signature"] and asked["code"]
    right = "WRONG" not in asked["code"]
    print(json.dumps({"accepted": right, "reason": None if right else "it is wrong"}), flush=True)
"""


def test_another_grader_is_asked_about_right_and_wrong_answers(monkeypatch, capsys):
    for framework in FRAMEWORKS:
        need(framework)
    one, other = ALL[0], ALL[-1]
    marked = WrongAnswer(**{**vars(other), "code": f"# WRONG\n{other.code}"})
    monkeypatch.setattr(answers, "wrong_answers", lambda: [one, marked])
    answers.compare(shlex.join([sys.executable, "-c", GRADER]))
    first, *missed = capsys.readouterr().out.splitlines()
    solutions = 2 * len(all_exercises())
    assert first.startswith(
        f"{solutions} of {solutions} right answers accepted, 1 of 2 wrong ones rejected, 1 with"
    )
    assert missed == [f"accepted: {one.exercise} {one.number} ({one.framework}): {one.what}"]


def test_what_is_wrong_is_listed_beside_what_is_told(monkeypatch):
    need(ALL[0].framework)
    monkeypatch.setattr(answers, "wrong_answers", lambda _: ALL[:1])
    ((place, what, name, message),) = (line.rstrip("\n").split("\t") for line in answers.listed())
    assert (place, what) == (ident(ALL[0]).replace("-", " "), ALL[0].what) and name and message


def test_a_grader_that_does_not_answer_is_told_in_a_sentence(monkeypatch):
    monkeypatch.setattr(answers, "right_answers", lambda: iter(()))
    with pytest.raises(SystemExit, match="true gave 0 lines of JSON for"):
        answers.compare("true")
