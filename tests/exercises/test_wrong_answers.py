"""No answer of `tests/wrong_answers` is accepted: two for each exercise on every change, all in the whole run."""

import pytest

from autograder.judge.matching import Matcher
from autograder.model.catalogue import all_exercises
from benchmarks.checks import WrongAnswer, said, verdict_on, wrong_answers
from course.frameworks import mx
from course.paths import ROOT
from tests.support import need

ALL = wrong_answers(ROOT / "tests" / "wrong_answers")
KINDS = {"misconception", "edit", "general", "specific", "values"}
FEW = 2


def few():
    found: dict[str, list[WrongAnswer]] = {}
    for answer in ALL:
        found.setdefault(answer.exercise, []).append(answer)
    return [answer for answers in found.values() for answer in answers[:FEW]]


def ident(answer):
    return f"{answer.exercise}-{answer.number}"


@pytest.mark.parametrize("answer", few(), ids=ident)
def test_two_wrong_answers_are_not_accepted(answer):
    need(answer.framework)
    assert said(verdict_on(answer)) in KINDS, answer.title


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted({answer.exercise for answer in ALL}))
def test_no_wrong_answer_is_accepted(name, monkeypatch):
    # Which change of the reference it may be is asked of what is rejected already, and takes most of the time.
    monkeypatch.setattr(Matcher, "idea", lambda *_: None)
    found = [a for a in ALL if a.exercise == name and (a.framework != "mxnet" or mx is not None)]
    assert [a.title for a in found if said(verdict_on(a)) not in KINDS] == []


def test_each_exercise_has_wrong_answers():
    assert {answer.exercise for answer in ALL} == set(all_exercises())
