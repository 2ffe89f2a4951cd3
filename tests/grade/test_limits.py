"""What one submission may take of the grader's time and memory, over all of its exercises."""

from dataclasses import replace

import pytest

from autograder.grade import processes
from autograder.grade.one_submission import Grader, Job
from autograder.judge.cases import draw_cases
from autograder.judge.trial import Trial
from autograder.model.catalogue import all_exercises
from autograder.read.submission import read_bytes
from autograder.sandbox.clock import Clock
from tests import support

EXERCISES = [all_exercises()[name] for name in ("masked_softmax", "masked_softmax_or_zero")]
BOTH = support.RIGHT + "\ndef masked_softmax_or_zero(X, valid_length):\n    return X\n"


def test_what_is_left_when_a_submissions_time_is_used_up_gets_a_timeout_that_says_so(zygote, monkeypatch):
    decided = Trial.verdict

    def slow(trial):
        zygote.used += support.QUICK.submission_seconds
        return decided(trial)

    assert [v.outcome for v in support.graded(zygote, BOTH, "a.py", EXERCISES)] == ["accepted", "rejected"]
    monkeypatch.setattr(Trial, "verdict", slow)
    # The second is judged in the same worker, and would be judged again in one of its own.
    first, second = support.graded(zygote, BOTH, "a.py", EXERCISES)
    assert (first.outcome, second.outcome) == ("accepted", "timeout")
    assert "300 s for a file and 600 s for all files" in second.message
    assert "Judged before: masked_softmax" in second.message


def test_after_three_time_outs_of_a_file_little_is_left_for_the_rest(zygote, monkeypatch):
    monkeypatch.setattr(processes, "REST", 0.0)
    monkeypatch.setattr(Clock, "was_kept_waiting", lambda clock: False)
    exercises, never = never_ends(5)
    verdicts = support.graded(
        zygote, never, "a.py", exercises, "torch", replace(support.QUICK, call_seconds=0.5)
    )
    assert [v.outcome for v in verdicts] == ["timeout"] * 5
    assert ["used up" in v.message for v in verdicts] == [False] * 3 + [True] * 2
    assert all(v.is_settled for v in verdicts)


@pytest.fixture
def seconds_for_a_call(zygote, monkeypatch):
    """What each worker gets for a call, in the order in which they start."""
    seconds, fork = [], zygote.fork
    monkeypatch.setattr(
        zygote, "fork", lambda deadlines: seconds.append(deadlines.call_seconds) or fork(deadlines)
    )
    return seconds


def never_ends(number):
    names = ("masked_softmax", "masked_softmax_or_zero", "scaled_scores", "additive_scores", "head_sizes")
    exercises = [all_exercises()[name] for name in names[:number]]
    return exercises, "".join(f"def {e.entry}(*given):\n    while True: pass\n" for e in exercises)


def test_a_file_that_never_ends_is_waited_for_half_as_long_after_the_first_time(
    zygote, monkeypatch, seconds_for_a_call
):
    monkeypatch.setattr(Clock, "was_kept_waiting", lambda clock: False)
    exercises, never = never_ends(4)
    support.graded(zygote, never, "a.py", exercises, "torch", replace(support.QUICK, call_seconds=0.8))
    assert seconds_for_a_call == [0.12, 0.8, 0.4, 0.4, 0.4]


def test_what_does_not_end_on_a_busy_machine_is_waited_for_once_in_full(
    zygote, monkeypatch, seconds_for_a_call
):
    monkeypatch.setattr(Clock, "was_kept_waiting", lambda clock: True)
    source = support.RIGHT + "def scaled_scores(*given):\n    while True: pass\n"
    exercises = [*EXERCISES[:1], all_exercises()["scaled_scores"]]
    verdicts = support.graded(
        zygote, source, "a.py", exercises, "torch", replace(support.QUICK, call_seconds=2.0)
    )
    assert [(v.outcome, v.is_settled) for v in verdicts] == [("accepted", True), ("timeout", False)]
    assert seconds_for_a_call == [0.3]


def test_a_wrong_answer_costs_the_right_one_behind_it_no_worker(zygote, seconds_for_a_call):
    source = support.LATE + "\ndef scaled_scores(Q, K):\n    return Q @ K.mT / Q.shape[-1] ** 0.5\n"
    exercises = [*EXERCISES[:1], all_exercises()["scaled_scores"]]
    verdicts = support.graded(zygote, source, "a.py", exercises, "torch")
    assert [v.outcome for v in verdicts] == ["rejected", "accepted"] and len(seconds_for_a_call) == 2


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
    deadlines = replace(support.QUICK, call_seconds=1.0)
    (verdict,) = support.graded(zygote, source, "a.py", EXERCISES[:1], deadlines=deadlines)
    assert (verdict.outcome, verdict.message) == ("rejected", "The values of weights are not right.")


def test_a_file_that_its_learners_other_files_left_no_time_is_tried_again(zygote):
    job = Job(
        "a.py",
        support.RIGHT.encode(),
        ("masked_softmax",),
        "torch",
        support.QUICK,
        b"",
        False,
        seconds_left=0.0,
    )
    (verdict,) = Grader(zygote, read_bytes(job.data, job.name), job).grade(EXERCISES[:1])
    assert verdict.outcome == "timeout" and not verdict.is_settled
    assert "600 s for all files of a learner" in verdict.message


def test_a_worker_gets_no_more_time_than_its_submission_has_left(zygote):
    source = "import torch, time\ndef masked_softmax(X, valid_length):\n    time.sleep(1000)\n"
    deadlines = replace(support.QUICK, call_seconds=500, seconds=500, submission_seconds=2)
    (verdict,) = support.graded(zygote, source, "a.py", EXERCISES[:1], deadlines=deadlines)
    assert verdict.outcome == "timeout"


def test_time_of_processors_counts_too(zygote):
    budget = processes.Budget(zygote, support.QUICK)
    before = zygote.used
    support.graded(zygote, support.RIGHT, "a.py", EXERCISES[:1])
    assert zygote.used > before
    assert budget.remaining() < support.QUICK.submission_seconds
    zygote.used += support.QUICK.submission_seconds
    assert budget.remaining() <= 0
    assert budget.deadlines().seconds == pytest.approx(0.1)


def returns(size):
    """An answer that returns so many bytes."""
    return f"import torch\ndef masked_softmax(X, valid_length):\n    return torch.zeros({size}, dtype=torch.uint8)\n"


def test_a_result_far_larger_than_the_one_asked_for_is_told_to_the_learner(zygote):
    (verdict,) = support.graded(zygote, returns(2 << 20), "a.py", EXERCISES[:1])
    assert verdict.outcome == "rejected" and "far larger than the one asked for" in verdict.message


def test_what_the_judge_holds_of_one_exercise_is_bounded(zygote, monkeypatch):
    """Each answer alone is small enough; all together are not."""
    monkeypatch.setattr(processes, "MAX_ANSWERS", 3 << 20)
    (verdict,) = support.graded(zygote, returns(1 << 20), "a.py", EXERCISES[:1])
    assert verdict.outcome == "tampering" and "larger than those asked for" in verdict.message
    (verdict,) = support.graded(zygote, support.RIGHT, "b.py", EXERCISES[:1])
    assert verdict.outcome == "accepted"
