"""What has changed since marks were written out: each reason is given where it holds, and nowhere else."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from autograder.marks.changes import changes, record
from autograder.marks.standing import standing_in
from tests.marks.test_assignments import HEADER, LATE, RULES, begin, beside, book, keep, right
from tests.support import verdict

__all__ = ["book"]  # a fixture
WHOLE = ("(all)", "the exercises above")
RULE = "the assignment's frameworks, how they count, or partial credit"


def since(book):
    return changes(book.last_export(), standing_in(book))


def note(book):
    book.note_export(record(standing_in(book), "csv"))


def why(book, learner=None):
    """The exercises of a learner whose marks have changed, each with the reason; without a learner those of all."""
    return {(c.exercise, c.why) for c in since(book) if learner in (None, c.learner)}


def regrade(book, name, *verdicts):
    """The same bytes, judged once more by another version of the check."""
    book.connection.execute("delete from results where digest = ?", (f"bytes of {name}",))
    keep(book, name, *verdicts)


@pytest.fixture
def noted(book):
    """The gradebook of an assignment whose marks were written out."""
    note(book)
    return book


def test_nothing_has_changed_behind_an_export(book):
    assert book.last_export() == {}
    note(book)
    assert since(book) == []
    assert (
        book.last_export()["form"] == "csv"
        and datetime.fromisoformat(book.last_export()["time"]).tzinfo is UTC
    )


def test_a_check_that_was_mended_lists_whom_it_changes_and_why(noted):
    regrade(noted, "ann.py", right(), verdict("scaled_scores", outcome="accepted", message="Right."))
    one, whole = since(noted)
    assert (one.learner, one.exercise, one.before, one.now) == ("ann", "scaled_scores", 0, 4)
    assert one.why == "graded again: accepted. Right."
    assert (whole.learner, whole.before, whole.now) == ("ann", 6, 10) and (whole.exercise, whole.why) == WHOLE


def test_a_file_is_the_reason_for_its_own_exercise_alone(noted):
    """The same day a check is mended: the exercise that is judged anew in the same bytes has that reason."""
    keep(noted, "ann.py", verdict(), verdict("scaled_scores"), digest="other")
    assert why(noted) == {("masked_softmax", "another file counts"), WHOLE}
    begin(noted, names=["ann.py", "bo.py", "bo/more.py"])
    keep(noted, "bo/more.py", verdict(), digest="more")
    regrade(noted, "bo.py", right(), verdict("scaled_scores", message="Wrong."))
    assert why(noted, "bo") == {("scaled_scores", "graded again: rejected. Wrong."), WHOLE}


def test_an_answer_that_came_and_one_that_went_are_told(noted):
    keep(noted, "ann.py", right("scaled_scores"), digest="other")
    assert why(noted) == {
        ("masked_softmax", "there is no answer any more"),
        ("scaled_scores", "another file counts"),
        WHOLE,
    }
    note(noted)
    keep(noted, "ann.py", right(), right("scaled_scores"), digest="third")
    assert why(noted) == {("masked_softmax", "there is an answer now, and was none"), WHOLE}


def test_points_are_the_reason_where_only_points_have_changed(noted):
    begin(noted, replace(RULES, exercises={"masked_softmax": 7.5, "scaled_scores": 4.0}))
    assert why(noted) == {("masked_softmax", "it is worth 7.5 points, and was worth 6"), WHOLE}
    keep(noted, "bo.py", right(), right("scaled_scores"), digest="as right as the one before")
    assert why(noted, "bo") == {("masked_softmax", "it is worth 7.5 points, and was worth 6"), WHOLE}
    keep(noted, "bo.py", verdict(), right("scaled_scores"), digest="wrong")
    reason = "it is worth 7.5 points, and was worth 6; another file counts"
    assert why(noted, "bo") == {("masked_softmax", reason), WHOLE}


def test_an_exercise_that_was_added_or_left_out_is_told_so(noted):
    begin(noted, replace(RULES, exercises={"masked_softmax": 6.0, "masked_softmax_or_zero": 1.0}))
    rows = {c.exercise: (c.before, c.now, c.why) for c in since(noted) if c.learner == "bo"}
    assert rows == {
        "masked_softmax_or_zero": (None, 0, "it did not count before"),
        "scaled_scores": (4, None, "it does not count any more"),
        "(all)": (10, 6, "the exercises above"),
    }


def test_frameworks_are_the_reason_where_the_assignment_names_others(noted):
    keep(noted, "ann.py", right(), right(framework="mxnet"), verdict("scaled_scores"), digest="two")
    note(noted)
    begin(noted, replace(RULES, frameworks=("mxnet",)))
    assert why(noted, "ann") == set()  # the same file, and as right in the other framework
    assert why(noted, "bo") == {("masked_softmax", RULE), ("scaled_scores", RULE), WHOLE}
    begin(noted, replace(RULES, count="both"))
    assert why(noted, "ann") == set()
    assert why(noted, "bo") == {("masked_softmax", RULE), ("scaled_scores", RULE), WHOLE}
    keep(noted, "bo.py", right(), right(framework="mxnet"), verdict("scaled_scores"), digest="new")
    assert why(noted, "bo") == {("scaled_scores", "another file counts"), WHOLE}


def test_of_several_frameworks_each_file_is_looked_at(noted):
    begin(noted, replace(RULES, count="both"))
    keep(noted, "ann.py", right(), verdict(framework="mxnet"), digest="one")
    note(noted)
    begin(noted, replace(RULES, count="both"), names=["ann.py", "ann/more.py", "bo.py"])
    keep(noted, "ann/more.py", right(framework="mxnet"), digest="two")
    assert why(noted) == {("masked_softmax", "another file counts"), WHOLE}


def test_a_persons_word_is_the_reason_as_long_as_it_stands(noted):
    beside(noted, HEADER + "bo,masked_softmax,5,,,2030-01-01\n")
    keep(noted, "bo.py", verdict(), right("scaled_scores"), digest="other")
    assert why(noted) == {("masked_softmax", "corrected by a person"), WHOLE}
    note(noted)
    beside(noted, HEADER + "bo,masked_softmax,,,Well.,2030-01-01\n")
    assert why(noted) == {("masked_softmax", "the correction was taken back"), WHOLE}


def test_lateness_and_a_word_on_the_whole_are_told_apart(noted):
    def late(days, **rule):
        at = RULES.late.due + timedelta(days=days)
        beside(noted, times=f"learner,time\nbo,{at.isoformat()}\nann,{RULES.late.due.isoformat()}\n")
        begin(noted, replace(RULES, late=replace(LATE, **rule)))

    late(2)
    assert why(noted) == {("(all)", "days late: 2, and before 0")}
    note(noted)
    late(2, per_cent=50)
    assert why(noted) == {("(all)", "what the assignment says of lateness")}
    late(2, last=RULES.late.due)
    assert why(noted) == {("(all)", "what the assignment says of lateness")}
    late(2)
    beside(noted, HEADER + "bo,,,1,,2030-01-01\n")
    assert why(noted) == {("(all)", "the whole was corrected by a person")}
    beside(noted, HEADER + "bo,,3,,,2030-01-01\nbo,scaled_scores,1,,,2030-01-01\n")
    assert why(noted) == {
        ("scaled_scores", "corrected by a person"),
        ("(all)", "the exercises above; the whole was corrected by a person"),
    }


def test_another_day_of_lateness_that_costs_nothing_is_no_reason(noted):
    free = replace(RULES, late=replace(LATE, per_cent=0))
    begin(noted, free)
    note(noted)
    beside(noted, times=f"learner,time\nbo,{(LATE.due + timedelta(days=2)).isoformat()}\n")
    keep(noted, "bo.py", right(), verdict("scaled_scores"), digest="other")
    assert why(noted) == {("scaled_scores", "another file counts"), WHOLE}


def test_who_came_and_who_went_is_listed(noted):
    begin(noted, names=["bo.py", "new.py"])
    keep(noted, "new.py", right())
    assert [(c.learner, c.before, c.now, c.why) for c in since(noted)] == [
        ("new", None, 6, "was not among the learners before"),
        ("ann", 6, None, "is no longer among the learners"),
    ]
