"""All answers of a submission: which share a process, how long its source may run, and what is left out of it afterwards."""

from dataclasses import replace
from types import SimpleNamespace

import pytest

from autograder.grade import one_submission
from autograder.grade.one_submission import Grader, Job, _may_share_a_worker
from autograder.model.assignment import Deadlines
from autograder.model.catalogue import all_exercises
from autograder.read.submission import read_bytes
from autograder.sandbox.board import Board, shared_memory
from tests import classes, support

# A call in C, which no signal of Python ends.
LONG = "sum(range(10**12))"


def test_a_cell_runs_to_its_end_when_it_is_given_more_time(zygote):
    late = f"import time\ntime.sleep(2)\nlate = True\n{support.RIGHT}\nassert late\n"
    masked = [all_exercises()["masked_softmax"]]
    stopped, whole = (
        support.graded(
            zygote, late, "a.py", masked, deadlines=Deadlines(source_seconds=seconds, call_seconds=10)
        )[0].message
        for seconds in (1, 20)
    )
    assert "(Line 2 of the file took too long and was stopped" in stopped
    assert "too long" not in whole


def test_results_depend_on_the_time_for_a_source():
    longer = replace(classes.RUN, deadlines=replace(classes.RUN.deadlines, source_seconds=40))
    assert longer.conditions != classes.RUN.conditions


def grader(zygote, text, name="a.py", seconds=1.0):
    """A grader for which nothing comes after this try, however busy the machine is."""
    limits = Deadlines(source_seconds=seconds, call_seconds=10, seconds=60)
    job = Job(name, text.encode(), (), None, limits, b"tests", practice=False, last=True)
    return Grader(zygote, read_bytes(job.data, name), job)


ENDS = {
    "a product": (f"n = {LONG}\n", "Line 1 of the file took too long and was stopped"),
    "a class": (f"class A:\n    n = {LONG}\n", "Line 1 of the file took too long and was stopped"),
    "a decorator": (
        f"@lambda f: {LONG}\ndef g():\n    pass\n",
        "Line 1 of the file took too long and was stopped",
    ),
    "several": (
        f"while True: pass\nn = {LONG}\nn = {LONG}\n",
        "Line 1 of the file and 2 more took too long and was stopped",
    ),
    "an exit": ("import os\nos._exit(0)\n", "Line 2 of the file ended the process and is left out"),
}


@pytest.mark.parametrize("what", ENDS)
def test_a_statement_that_no_signal_stops_costs_itself(zygote, what):
    text, words = ENDS[what]
    (verdict,) = grader(zygote, text + support.RIGHT).grade([all_exercises()["masked_softmax"]])
    assert verdict.outcome == "accepted" and words in verdict.message, verdict


def test_an_answer_that_needs_such_a_statement_is_told_its_line(zygote):
    text = f"n = {LONG}\n" + support.RIGHT.replace("def masked", "@lambda f: n and f\ndef masked")
    (verdict,) = grader(zygote, text).grade([all_exercises()["masked_softmax"]])
    assert verdict.outcome == "timeout" and "line 1 of the file did not end in time" in verdict.message


def test_all_answers_of_a_file_are_judged_without_such_a_statement(zygote):
    text = support.RIGHT + f"n = {LONG}\ndef scaled_scores(X):\n    return None\n"
    exercises = [all_exercises()[name] for name in ("masked_softmax", "scaled_scores")]
    verdicts = grader(zygote, text).grade(exercises)
    assert [v.outcome for v in verdicts][:1] == ["accepted"] and all(
        "Line 10 of the file" in v.message for v in verdicts
    )


def test_a_source_is_run_once_more_a_few_times_only(zygote, monkeypatch):
    monkeypatch.setattr(one_submission, "MAX_REPEATS", 2)
    again = grader(zygote, f"n = {LONG}\n" * 4 + support.RIGHT, seconds=0.3)
    (verdict,) = again.grade([all_exercises()["masked_softmax"]])
    assert again.repeats == 2 and verdict.outcome == "timeout"
    assert "Line 3 of the file did not end in time" in verdict.message


@pytest.mark.parametrize("place", [(0, 0), (1, 3), (2, 1), (2**32 - 1, 2**32 - 1)])
def test_what_a_worker_notes_is_believed_where_a_statement_begins_alone(place):
    board = Board(shared_memory())
    again = grader(SimpleNamespace(board=board, used=0), "x = 1\ny = (2 +\n 3)\n")
    begin = {"do": "source", "framework": "torch"}, []
    board.begin(*place)
    assert again._at_work(begin) == []
    board.begin(1, 2)
    board.stop(1, 1)
    board.stop(*place)
    assert again._at_work(begin) == [("the file", 2), ("the file", 1)]


def test_an_optimiser_costs_no_time_of_an_answer(zygote):
    """The first one of a process imports PyTorch's compiler, which takes seconds."""
    text = support.RIGHT.replace("    if valid", "    torch.optim.AdamW([torch.ones(2)])\n    if valid", 1)
    text += "import sys\nassert 'torch._dynamo' in sys.modules\n"
    run = grader(zygote, text)
    run.job = replace(run.job, deadlines=replace(run.job.deadlines, call_seconds=1))
    (verdict,) = run.grade([all_exercises()["masked_softmax"]])
    assert verdict.outcome == "accepted", verdict


def test_what_builds_on_its_own_topic_has_a_worker_of_its_own():
    """There the reference of a neighbour of its topic is provided, which another answer must not find."""
    answers = [(exercise, "torch") for exercise in all_exercises().values()]
    apart = {exercise.name for exercise, _ in answers if exercise.topic in exercise.builds_on}
    shared = [exercise for exercise, _ in _may_share_a_worker(answers)]
    assert apart and {exercise.name for exercise in shared} == set(all_exercises()) - apart
    provided = set()
    for exercise in shared:
        provided |= set(exercise.builds_on)
        assert exercise.topic not in provided, exercise.name
