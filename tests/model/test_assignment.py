"""An assignment: lateness, frameworks, and what a gradebook keeps of it."""

from datetime import UTC, datetime, timedelta

import pytest

from autograder.model.assignment import Assignment, LateRule, needs_no_framework, rounded
from autograder.model.catalogue import all_exercises

DUE = datetime(2030, 1, 31, 12, tzinfo=UTC)
RULE = LateRule(DUE, timedelta(minutes=15), 10, DUE + timedelta(days=7))


@pytest.mark.parametrize(
    ("late", "days"),
    [
        (timedelta(-1), 0),
        (timedelta(0), 0),
        (timedelta(minutes=15), 0),
        (timedelta(minutes=16), 1),
        (timedelta(days=1), 1),
        (timedelta(days=1, seconds=1), 2),
    ],
)
def test_a_day_counts_when_it_begins_and_nothing_is_late_within_the_grace(late, days):
    assert RULE.days(DUE + late) == days


def test_the_share_falls_by_the_day_and_never_below_zero():
    assert [RULE.share_left(days) for days in (0, 1, 10, 11)] == [1, 0.9, 0, 0]
    assert LateRule(DUE).share_left(3) == 1


def test_after_the_last_moment_nothing_counts():
    assert not RULE.is_over(DUE + timedelta(days=7)) and RULE.is_over(DUE + timedelta(days=7, seconds=1))
    assert not LateRule(DUE).is_over(DUE + timedelta(days=999))


def test_a_gradebook_keeps_all_of_it():
    whole = Assignment(
        {"masked_softmax": 2.5}, True, "First", ("torch",), "both", RULE, {"call_seconds": 9.0}
    )
    assert Assignment.from_dict(whole.as_dict()) == whole
    open_end = Assignment({"masked_softmax": 1.0}, late=LateRule(DUE))
    assert Assignment.from_dict(open_end.as_dict()) == open_end


def test_exercises_come_in_the_order_of_the_course_whoever_names_them():
    names = list(all_exercises())
    assert list(Assignment.of(names[4:1:-1]).exercises) == names[2:5]
    assert not Assignment.of(names[::-1]).is_selection


def test_frameworks_share_the_points_of_what_is_written_in_them():
    both = Assignment({}, frameworks=("mxnet", "torch"), count="both")
    assert (
        both.sharing_frameworks("masked_softmax") == ("mxnet", "torch")
        and both.sharing_frameworks("predict_shapes") == ()
    )
    assert Assignment({}, frameworks=("mxnet", "torch")).sharing_frameworks("masked_softmax") == ()


def test_a_shape_counts_in_whichever_framework_it_was_tried():
    torch_only = Assignment({}, frameworks=("torch",))
    assert torch_only.counts("masked_softmax", "torch") and not torch_only.counts("masked_softmax", "mxnet")
    assert torch_only.counts("predict_shapes", "mxnet") and Assignment({}).counts("masked_softmax", "mxnet")
    assert needs_no_framework("predict_shapes") and not needs_no_framework("masked_softmax")
    assert not needs_no_framework("no_such_exercise")


def test_points_are_kept_without_the_dust_of_binary_fractions():
    assert rounded(7 * 0.9) == 6.3 and rounded(1 / 3) == 0.3333
