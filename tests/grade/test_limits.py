"""What one submission may take of the grader's time and memory, over all of its exercises."""

from dataclasses import replace

import pytest

from autograder.grade import workers
from autograder.judge.cases import draw_cases
from autograder.model.catalogue import all_exercises
from tests import support

EXERCISES = [all_exercises()["masked_softmax"]]


# Wrong, and endless once it has been called for each case.
LATER = """
called = 0
def masked_softmax(X, valid_length):
    global called
    called += 1
    while called > {cases}:
        pass
    return X * 1.7 + X.sum()
"""


def test_what_is_decided_stands_where_the_answer_takes_too_long_while_its_cause_is_looked_for(zygote):
    cases = len(draw_cases(EXERCISES[0], 1))
    source = "import torch" + LATER.format(cases=cases)
    time_limits = replace(support.QUICK, call_seconds=1.0)
    (verdict,) = support.graded(zygote, source, "a.py", EXERCISES, time_limits=time_limits)
    assert (verdict.outcome, verdict.message) == ("rejected", "The values of weights are not right.")


def test_a_worker_gets_no_more_time_than_its_submission_has_left(zygote):
    source = "import torch, time\ndef masked_softmax(X, valid_length):\n    time.sleep(1000)\n"
    time_limits = replace(support.QUICK, call_seconds=500, seconds=500, submission_seconds=2)
    (verdict,) = support.graded(zygote, source, "a.py", EXERCISES, time_limits=time_limits)
    assert verdict.outcome == "timeout"


def test_time_of_processors_counts_too(zygote):
    budget = workers.Budget(zygote, support.QUICK)
    before = zygote.used
    support.graded(zygote, support.RIGHT, "a.py", EXERCISES)
    assert zygote.used > before
    assert budget.remaining() < support.QUICK.submission_seconds
    zygote.used += support.QUICK.submission_seconds
    assert budget.remaining() <= 0
    assert budget.time_limits().seconds == pytest.approx(0.1)


def returns(size):
    """An answer that returns so many bytes."""
    return f"import torch\ndef masked_softmax(X, valid_length):\n    return torch.zeros({size}, dtype=torch.uint8)\n"


def test_a_result_far_larger_than_the_one_asked_for_is_told_to_the_learner(zygote):
    (verdict,) = support.graded(zygote, returns(2 << 20), "a.py", EXERCISES)
    assert verdict.outcome == "rejected" and "far larger than the one asked for" in verdict.message


def test_what_the_judge_holds_of_one_exercise_is_bounded(zygote, monkeypatch):
    """Each answer alone is small enough; all together are not."""
    monkeypatch.setattr(workers, "MAX_ANSWERS", 3 << 20)
    (verdict,) = support.graded(zygote, returns(1 << 20), "a.py", EXERCISES)
    assert verdict.outcome == "tampering" and "larger than those asked for" in verdict.message
    (verdict,) = support.graded(zygote, support.RIGHT, "b.py", EXERCISES)
    assert verdict.outcome == "accepted"
