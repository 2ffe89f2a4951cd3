"""What counts: the better of two frameworks, the best of several files, and what is shown."""

import pytest

from autograder.marks.standing import best, one_learner, verdicts_to_show, with_credit
from autograder.model.assignment import BETTER, BOTH, Assignment
from autograder.model.finding import Kind
from autograder.model.results import SubmissionResult
from tests.support import verdict

RIGHT = verdict(framework="torch", outcome="accepted")
WRONG = verdict(framework="mxnet", outcome="rejected")
STUB = verdict(framework="mxnet", outcome="missing", message="Not written yet.")


@pytest.mark.parametrize("verdicts", [[RIGHT, WRONG], [WRONG, RIGHT], [STUB, RIGHT, WRONG]])
def test_the_better_framework_counts_whichever_comes_last(verdicts):
    assert best(verdicts) == {"masked_softmax": RIGHT}
    who = one_learner([SubmissionResult("a.py", "d", None, verdicts)], Assignment.of(["masked_softmax"]))
    assert (who.points, who.possible, who.passed) == (2, 2, 1)


def test_the_best_of_several_files_counts_whichever_comes_last():
    for files in ([RIGHT], [WRONG]), ([WRONG], [RIGHT]):
        graded = [SubmissionResult(f"{i}.py", str(i), None, verdicts) for i, verdicts in enumerate(files)]
        who = one_learner(graded, Assignment.of(["masked_softmax"]))
        assert (who.points, who.best["masked_softmax"].outcome) == (2, "accepted")


def test_of_equal_points_the_earlier_counts_and_a_stub_only_if_there_is_nothing_else():
    other = verdict(outcome="timeout")
    assert best([WRONG, other]) == {"masked_softmax": WRONG}
    assert best([other, WRONG]) == {"masked_softmax": other}
    assert best([STUB, other]) == best([other, STUB]) == {"masked_softmax": other}
    assert best([STUB]) == {"masked_softmax": STUB}


def test_what_says_which_name_is_missing_tells_more_than_a_stub():
    stub = verdict(framework="mxnet", outcome="missing", kind=Kind.NOT_WRITTEN)
    misnamed = verdict(outcome="missing", message="your.py defines no function named masked_softmax.")
    assert best([stub, misnamed]) == best([misnamed, stub]) == {"masked_softmax": misnamed}


def test_points_of_different_exercises_add_up():
    both = [RIGHT, verdict("masked_softmax_or_zero", outcome="accepted"), verdict("scaled_scores")]
    rules = Assignment.of({v.exercise for v in both})
    who = one_learner([SubmissionResult("a.py", "d", None, both)], rules)
    assert (who.points, who.passed) == (4, 2)


def test_a_stub_is_told_only_where_no_framework_has_an_answer():
    assert verdicts_to_show([STUB, WRONG]) == [WRONG]
    assert verdicts_to_show([STUB]) == [STUB]


def test_a_run_over_one_learner_keeps_what_each_file_was():
    graded = [SubmissionResult(f"{i}.py", f"digest {i}", None, [WRONG], 0.25) for i in range(2)]
    who = one_learner(graded, Assignment.of(["masked_softmax"]))
    assert (who.name, {r.submission for r in who.results}, who.seconds) == ("learner", {"0.py", "1.py"}, 0.5)


@pytest.mark.parametrize("wrong", ["mxnet", "torch"])
def test_where_both_frameworks_count_the_one_that_fails_is_shown(wrong):
    """Beside half the points "accepted" would say nothing of what is missing."""
    other = {"mxnet": "torch", "torch": "mxnet"}[wrong]
    verdicts = [verdict(framework=wrong), verdict(framework=other, outcome="accepted")]
    rules = Assignment({"masked_softmax": 2.0}, frameworks=("mxnet", "torch"), count=BOTH)
    who = one_learner([SubmissionResult("a.py", "d", None, verdicts)], rules)
    result = who.best["masked_softmax"]
    assert (who.points, result.framework, result.outcome) == (1, wrong, "rejected")


def test_where_both_frameworks_count_each_answer_is_worth_its_part():
    """That is what the table and the JSON of a run show beside it."""
    right = verdict(framework="torch", outcome="accepted")
    for count, worth in ((BOTH, 3.0), (BETTER, 6.0)):
        rules = Assignment({"masked_softmax": 6.0}, frameworks=("mxnet", "torch"), count=count)
        credited = with_credit(right, rules)
        assert (credited.points, credited.max_points) == (worth, worth)
