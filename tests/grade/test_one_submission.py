"""All answers of a submission: which share a process, how long its source may run, and what is left out of it afterwards."""

import json
from contextlib import AbstractContextManager
from dataclasses import replace
from types import SimpleNamespace

import pytest

from autograder.grade import one_submission, workers
from autograder.grade.one_submission import Grader, Job, _may_share_a_worker, _provided
from autograder.judge.protocol import Tampering
from autograder.model.assignment import Assignment, TimeLimits
from autograder.model.catalogue import all_exercises
from autograder.model.errors import LockRefused, ZygoteFailed
from autograder.model.verdict import NOT_WRITTEN
from autograder.read.problems import ENDED, STOPPED
from autograder.read.submission import read_bytes
from autograder.sandbox.board import Board, shared_memory
from autograder.sandbox.layers import REQUIRED
from autograder.sandbox.wire import Closed, TooLate, unpack_texts
from tests import classes, support

# A call in C, which no signal of Python ends.
LONG = "sum(range(10**12))"


def test_a_cell_runs_to_its_end_when_it_is_given_more_time(zygote):
    late = f"import time\ntime.sleep(2)\nlate = True\n{support.RIGHT}\nassert late\n"
    masked = [all_exercises()["masked_softmax"]]
    stopped, whole = (
        support.graded(
            zygote, late, "a.py", masked, time_limits=TimeLimits(source_seconds=seconds, call_seconds=10)
        )[0].message
        for seconds in (1, 20)
    )
    assert "(Line 2 of the file took too long and was stopped" in stopped
    assert "too long" not in whole


def test_results_depend_on_the_time_for_a_source():
    longer = replace(classes.RUN, time_limits=replace(classes.RUN.time_limits, source_seconds=40))
    assert longer.conditions != classes.RUN.conditions


def grader(zygote, text, name="a.py", seconds=1.0):
    """A grader for which nothing comes after this try, however busy the machine is."""
    limits = TimeLimits(source_seconds=seconds, call_seconds=10, seconds=60)
    job = Job(name, text.encode(), (), None, limits, b"tests", practice=False, last=True)
    return Grader(zygote, read_bytes(job.data, name), job)


ENDS = {
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
    run.job = replace(run.job, time_limits=replace(run.job.time_limits, call_seconds=1))
    (verdict,) = run.grade([all_exercises()["masked_softmax"]])
    assert verdict.outcome == "accepted", verdict


def test_what_builds_on_its_own_topic_has_a_worker_of_its_own():
    """There the reference of a neighbour of its topic is provided, which another answer must not find."""
    answers = [(exercise, f) for exercise in all_exercises().values() for f in support.FRAMEWORKS]
    apart = {exercise.name for exercise, _ in answers if exercise.topic in exercise.builds_on}
    shared = [exercise for exercise, _ in _may_share_a_worker(answers)]
    assert apart and {exercise.name for exercise in shared} == set(all_exercises()) - apart
    provided = set()
    for exercise in shared:
        provided |= set(exercise.builds_on)
        assert exercise.topic not in provided, exercise.name


# --- Workers that answer by a script -----------------------------------------------------------------------

SOFTMAX, OR_ZERO, SCORES, LAYER = (
    "masked_softmax",
    "masked_softmax_or_zero",
    "scaled_scores",
    "dot_product_attention",
)


class Killed(Closed):
    """A worker that somebody has killed."""


class Ended(Closed):
    """A worker that has ended with a status."""


class Script:
    """A zygote whose workers do for each answer what stands here: an outcome, a reply, or what is raised.

    A function is called first, and gives that.
    """

    def __init__(self, *workers):
        self.workers, self.requests, self.time_limits, self.seeds = list(workers), [], [], []
        self.board, self.used, self.frameworks = Board(shared_memory()), 0.0, ["mxnet", "torch"]
        self.layers, self.is_busy, self.is_there, self.closed = dict.fromkeys(REQUIRED, True), False, True, 0

    def fork(self, time_limits):
        self.time_limits.append(time_limits)
        self.requests.append([])
        self.board.clear()
        worker = self.workers.pop(0)
        if isinstance(worker, Exception):
            raise worker
        return ScriptedWorker(self, list(worker))

    def is_alive(self):
        return self.is_there

    def asked(self):
        """What each worker was asked to do."""
        return [[request["do"] for request in requests] for requests in self.requests]


class ScriptedWorker(AbstractContextManager):
    pid, status, differentiates = 7, None, True

    def __init__(self, zygote, steps):
        self.zygote, self.steps, self.layers = zygote, steps, zygote.layers
        self.clock = SimpleNamespace(was_kept_waiting=lambda: zygote.is_busy)

    def __exit__(self, *error):
        self.close()

    def close(self):
        self.zygote.closed += 1

    def exchange(self, request, arrays):
        self.zygote.requests[-1].append(request | {"texts": unpack_texts(arrays[0]) if arrays else {}})
        step = self.steps.pop(0)
        self.step = step = step(self) if callable(step) else step
        if isinstance(step, Exception):
            raise step
        return (step if isinstance(step, dict) else {"found": True, "errors": []}), []

    def end(self):
        return self.step.args[0]

    def was_killed_from_outside(self):
        return isinstance(self.step, Killed)


@pytest.fixture(autouse=True)
def trials_by_the_script(request, monkeypatch):
    """Of a scripted worker's answer its step is the outcome."""
    if "zygote" in request.fixturenames:
        return

    def trial(exercise, worker, framework, seed):
        worker.zygote.seeds.append(seed)
        decided = support.verdict(exercise.name, framework, worker.step, message="Judged.")
        return SimpleNamespace(verdict=lambda: decided)

    monkeypatch.setattr(one_submission, "Trial", trial)
    monkeypatch.setattr(one_submission, "explained", lambda trial, v: replace(v, message="Explained."))
    monkeypatch.setattr(one_submission, "with_fingerprint", lambda trial, v: replace(v, cause="f"))


def defining(*names):
    return "import torch\n" + "".join(f"{all_exercises()[name].entry} = print\n" for name in names)


LIMITS = TimeLimits(call_seconds=1, source_seconds=4, seconds=60, submission_seconds=300, learner_seconds=600)


def run_of(zygote, text, names, framework="torch", **more):
    """Grade a text; gives the grader and its verdicts."""
    name, data = ("a.ipynb", json.dumps(text)) if isinstance(text, dict) else ("a.py", text)
    data = data if isinstance(data, bytes) else data.encode()
    job = Job(name, data, (), framework, **{"time_limits": LIMITS, "key": b"key", "practice": False} | more)
    run = Grader(zygote, read_bytes(data, name), job)
    return run, run.grade([all_exercises()[name] for name in names])


def verdicts_of(zygote, *names, text=None, **more):
    return run_of(zygote, defining(*names) if text is None else text, names, **more)[1]


def outcomes(verdicts):
    return [verdict.outcome for verdict in verdicts]


def at(step, *places):
    """What a worker does while it is at the first of these statements, when the others were stopped."""

    def end(worker):
        board = worker.zygote.board
        board.begin(*places[0])
        for place in places[1:]:
            board.stop(*place)
        return step

    return end


def test_answers_share_a_worker_and_what_is_not_accepted_there_is_judged_apart():
    zygote = Script(["accepted", "rejected", "accepted"], ["rejected"])
    verdicts = verdicts_of(zygote, SOFTMAX, OR_ZERO, SCORES)
    assert outcomes(verdicts) == ["accepted", "rejected", "accepted"]
    # In the first worker nobody is told what is wrong: it is judged once more.
    assert [(v.message, v.cause) for v in verdicts] == [
        ("Judged.", None), ("Explained.", "f"), ("Judged.", None),
    ]  # fmt: skip
    assert zygote.asked() == [["source", "entry", "entry"], ["source"]] and zygote.closed == 2
    assert [d.call_seconds for d in zygote.time_limits] == [0.15, 1.0]
    first, apart = (requests[0] for requests in zygote.requests)
    assert (first["seconds"], first["framework"], first["entry"], first["override"]) == (
        3,
        "torch",
        SOFTMAX,
        False,
    )
    assert apart["entry"] == OR_ZERO and apart["forbidden"] == sorted(all_exercises()[OR_ZERO].forbidden)
    assert first["texts"]["cells"] == {"the file": defining(SOFTMAX, OR_ZERO, SCORES)}


def test_what_one_answer_of_a_worker_may_not_call_no_other_keeps_for_it():
    zygote = Script(["accepted", "accepted"])
    assert outcomes(verdicts_of(zygote, SOFTMAX, LAYER)) == ["accepted"] * 2
    assert zygote.asked() == [["source", "source"]]  # the second gets the first one's reference
    forbidden = {name for e in (SOFTMAX, LAYER) for name in all_exercises()[e].forbidden}
    assert all(request["forbidden"] == sorted(forbidden) != [] for request in zygote.requests[0])
    assert [bool(request["texts"]["provided"]) for request in zygote.requests[0]] == [False, True]


def test_one_answer_alone_has_no_shared_worker_and_a_stub_none():
    zygote = Script(["accepted"])
    assert outcomes(verdicts_of(zygote, SOFTMAX)) == ["accepted"]
    assert [d.call_seconds for d in zygote.time_limits] == [1.0]
    stub = "import torch\ndef masked_softmax(X, valid_length):\n    raise NotImplementedError\n"
    zygote = Script(["accepted"])
    verdicts = verdicts_of(zygote, SOFTMAX, SCORES, text=f"{stub}scaled_scores = print\n")
    assert outcomes(verdicts) == ["missing", "accepted"] and verdicts[0].message == NOT_WRITTEN
    assert len(zygote.requests) == 1


def test_what_cannot_be_run_here_is_told_and_costs_no_worker():
    zygote = Script()
    zygote.frameworks = ["mxnet"]
    for verdict in verdicts_of(zygote, SOFTMAX, SCORES):
        assert (verdict.outcome, verdict.message) == ("error", "PyTorch is not installed on this machine.")


def test_once_a_worker_is_lost_the_rest_is_judged_apart():
    for step, rest in (
        (TooLate(), [TooLate()]),
        (Tampering("no"), [Tampering("no")]),
        (Killed(), ["accepted"]),
    ):
        zygote = Script(["accepted", step], rest, ["accepted"])
        verdicts = verdicts_of(zygote, SOFTMAX, OR_ZERO, SCORES)
        assert outcomes(verdicts)[::2] == ["accepted"] * 2 and [len(a) for a in zygote.asked()] == [2, 1, 1]

    def ends(worker):
        worker.status = 0
        return Ended(3)

    zygote = Script([ends], ["accepted"], ["accepted"])
    assert outcomes(verdicts_of(zygote, SOFTMAX, OR_ZERO)) == ["accepted"] * 2
    assert [len(requests) for requests in zygote.requests] == [1, 1, 1]


def test_a_worker_that_is_killed_twice_is_no_mark():
    (verdict,) = verdicts_of(Script([Killed()], ["accepted"]), SOFTMAX)
    assert verdict.outcome == "accepted"
    (verdict,) = verdicts_of(Script([Killed()], [Killed()]), SOFTMAX)
    assert (verdict.outcome, verdict.message, verdict.is_settled) == ("error", one_submission.KILLED, False)


def test_a_statement_at_which_two_workers_were_killed_is_left_out():
    zygote = Script([at(Killed(), (1, 1))], [at(Killed(), (1, 1))], ["accepted"])
    (verdict,) = verdicts_of(zygote, SOFTMAX)
    assert verdict.outcome == "accepted" and "Line 1 of the file ended the process" in verdict.message
    zygote = Script([at(Killed(), (1, 1))], [at(Killed(), (1, 2))])
    assert verdicts_of(zygote, SOFTMAX)[0].message == one_submission.KILLED


def test_a_source_is_run_again_without_what_it_was_at_and_what_was_stopped_before():
    text = f"{defining(SOFTMAX, SCORES)}a = 1\nb = 1\n"
    for step, words in ((TooLate(), "took too long and was stopped"), (Ended(0), "ended the process")):
        zygote = Script([at(step, (1, 5), (1, 4))], ["accepted", "accepted"])
        run, verdicts = run_of(zygote, text, (SOFTMAX, SCORES))
        assert outcomes(verdicts) == ["accepted"] * 2 and run.repeats == 1
        assert run.skipped == {
            ("the file", 4): STOPPED,
            ("the file", 5): {TooLate: STOPPED}.get(type(step), ENDED),
        }
        assert all(words in verdict.message for verdict in verdicts)
        again = zygote.requests[1][0]["texts"]["cells"]["the file"]
        assert "scaled_scores = print" in again and "a = 1" not in again and "b = 1" not in again


def test_of_a_notebook_the_cell_is_named():
    cells = [
        {"cell_type": "code", "metadata": {}, "source": text} for text in ("a = 1\nb = 1", defining(SOFTMAX))
    ]
    notebook = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells}
    (verdict,) = verdicts_of(Script([at(TooLate(), (2, 1))], ["accepted"]), SOFTMAX, text=notebook)
    assert "Line 1 of cell 2 took too long" in verdict.message
    (verdict,) = verdicts_of(Script(*[[at(TooLate(), (2, 1), (1, 2))]] * 2), SOFTMAX, text=notebook)
    assert verdict.message.startswith("Line 1 of cell 2 did not end in time")


def test_what_was_judged_before_a_source_is_run_again_stands():
    zygote = Script(["accepted", at(TooLate(), (1, 1))], ["accepted"])
    verdicts = verdicts_of(zygote, SOFTMAX, LAYER)
    assert outcomes(verdicts) == ["accepted"] * 2 and zygote.asked() == [["source", "source"], ["source"]]


def test_a_source_is_run_again_a_few_times_and_not_for_the_same_statement():
    text = defining(SOFTMAX) + "a = 1\n" * 10
    zygote = Script(*([at(TooLate(), (1, line))] for line in range(3, 12)))
    run, (verdict,) = run_of(zygote, text, (SOFTMAX,))
    assert verdict.outcome == "timeout" and run.repeats == len(run.skipped) == one_submission.MAX_REPEATS
    assert verdict.message == "Line 11 of the file did not end in time: is there a loop that never ends?"
    zygote = Script([at(TooLate(), (1, 3))], [at(TooLate(), (1, 4), (1, 3))], ["accepted"])
    assert outcomes(verdicts_of(zygote, SOFTMAX, text=text)) == ["accepted"]
    zygote = Script(*[[at(TooLate(), (1, 3))]] * 2)
    run, (verdict,) = run_of(zygote, text, (SOFTMAX,))
    assert (verdict.outcome, run.repeats) == ("timeout", 1)


def test_a_call_that_does_not_end_runs_no_source_again():
    zygote = Script(["accepted", at(TooLate(), (1, 1))], [at(TooLate(), (1, 9))])
    verdicts = verdicts_of(zygote, SOFTMAX, SCORES)
    assert outcomes(verdicts) == ["accepted", "timeout"]
    assert verdicts[1].message == "It did not answer in time: is there a loop that never ends?"
    assert verdicts[1].is_settled


def test_after_an_answer_that_did_not_end_a_call_has_half_as_long():
    zygote = Script([TooLate()], [TooLate()], ["accepted"])
    assert outcomes(verdicts_of(zygote, SOFTMAX, SCORES)) == ["timeout", "accepted"]
    assert [d.call_seconds for d in zygote.time_limits] == [0.15, 1.0, 0.5]


def test_after_three_such_answers_little_is_left_for_the_rest(monkeypatch):
    monkeypatch.setattr(workers, "SHARE_AFTER_TIMEOUTS", 0.0)
    zygote = Script(*[[TooLate()]] * 4)
    verdicts = verdicts_of(zygote, SOFTMAX, OR_ZERO, SCORES, "additive_scores", "head_sizes")
    assert outcomes(verdicts) == ["timeout"] * 5 and all(v.is_settled for v in verdicts)
    assert ["used up" in v.message for v in verdicts] == [False] * 3 + [True] * 2


def test_an_answer_that_needs_a_statement_which_is_left_out_is_told_its_line():
    zygote = Script([at(TooLate(), (1, 1))], [{"found": False, "errors": []}])
    (verdict,) = verdicts_of(zygote, SOFTMAX)
    assert (verdict.outcome, verdict.is_settled) == ("timeout", True)
    assert "line 1 of the file did not end in time" in verdict.message


def test_what_was_kept_waiting_is_tried_once_and_not_final_unless_it_is_the_last_try():
    for last in (False, True):
        zygote = Script(["accepted", at(TooLate(), (1, 1))], [TooLate()])
        zygote.is_busy = True
        run, verdicts = run_of(zygote, defining(SOFTMAX, SCORES), (SOFTMAX, SCORES), last=last)
        assert (verdicts[1].outcome, verdicts[1].is_settled, run.hurried) == ("timeout", last, not last)
        assert len(zygote.requests) == 1 + last


def uses_up(step):
    """What a worker does that has taken all time for a file."""

    def use(worker):
        worker.zygote.used += LIMITS.submission_seconds
        return step

    return use


def test_an_answer_for_which_no_time_is_left_says_what_was_judged_before():
    run, verdicts = run_of(
        Script(["accepted", uses_up("rejected")]), defining(SOFTMAX, SCORES), (SOFTMAX, SCORES)
    )
    assert run.judged == [SOFTMAX, SCORES]
    assert (verdicts[1].outcome, verdicts[1].is_settled) == ("timeout", True)
    assert verdicts[1].message == (
        "Its time was used up before this exercise was judged: 300 s for a file and 600 s for all files of a learner, "
        "of which a tenth is left after 3 answers that did not end in time. Judged before: masked_softmax, scaled_scores."
    )
    (verdict,) = verdicts_of(Script(), SOFTMAX, seconds_left=0.0)
    assert verdict.message.endswith("Judged before: none.") and not verdict.is_settled
    assert outcomes(verdicts_of(Script(["accepted"]), SOFTMAX, seconds_left=0.5)) == ["accepted"]
    (verdict,) = verdicts_of(
        Script(), SOFTMAX, seconds_left=0.0, time_limits=replace(LIMITS, submission_seconds=0)
    )
    assert verdict.is_settled
    zygote = Script(["accepted", "accepted", uses_up(TooLate())], ["accepted"])
    zygote.is_busy = True
    verdicts = verdicts_of(zygote, SOFTMAX, OR_ZERO, SCORES, LAYER)
    assert [(v.outcome, v.is_settled) for v in verdicts[2:]] == [("timeout", False)] * 2


@pytest.mark.parametrize("error", [TooLate(), Closed()])
def test_without_a_worker_nothing_is_graded(error):
    with pytest.raises(ZygoteFailed, match="a worker did not start"):
        verdicts_of(Script(error), SOFTMAX)
    zygote = Script([Ended(0)])
    zygote.is_there = False
    with pytest.raises(ZygoteFailed, match="is gone"):
        verdicts_of(zygote, SOFTMAX)


def test_without_a_layer_of_the_lock_no_official_mark_is_given(monkeypatch):
    noted = []
    monkeypatch.setattr(one_submission, "note_layers", noted.append)
    zygote = Script(["accepted"], ["accepted"])
    zygote.layers |= {"landlock": False, "user": False}
    with pytest.raises(LockRefused, match="does not offer landlock, so a submission"):
        verdicts_of(zygote, SOFTMAX)
    assert zygote.closed == 1 and noted == [("rlimits", "no_new_privs", "seccomp")]
    assert outcomes(verdicts_of(zygote, SOFTMAX, practice=True)) == ["accepted"]


@pytest.mark.parametrize(
    ("step", "outcome", "words"),
    [
        ({"errors": []}, "missing", "The file defines no function named masked_softmax."),
        ({"found": 1, "errors": []}, "missing", "The file defines no function named masked_softmax."),
        (Ended(3), "error", "Its process ended itself with status 3 before it had answered."),
        (Ended(0), "error", "Its process ended itself with status 0 before it had answered."),
        (Ended(-1), "error", "Its process was ended by signal 1 before it had answered."),
        (Ended(-6), "error", "Its process was ended by signal 6 before it had answered."),
        (Ended(-24), "timeout", "It used up its time on the processor: is there a loop that never ends?"),
        (Tampering("it lies"), "tampering", "Its process did not answer as an honest one does: it lies."),
        (LookupError("no"), "tampering", "Its process sent an answer that cannot be judged."),
    ],
)
def test_what_keeps_a_worker_from_answering_is_told(step, outcome, words):
    (verdict,) = verdicts_of(Script([step]), SOFTMAX)
    assert (verdict.outcome, verdict.message, verdict.points) == (outcome, words, 0)


def test_what_took_too_long_before_an_answer_that_is_not_there_is_named():
    stopped = {"cell": "<the file>", "type": STOPPED, "line": 1}
    for more in ([], [{**stopped, "line": 9}]):
        run, (verdict,) = run_of(
            Script([{"found": False, "errors": [stopped, *more]}]), defining(SOFTMAX), (SOFTMAX,)
        )
        assert verdict.outcome == "timeout" and "line 1 of the file did not end in time" in verdict.message
        assert run.skipped[("the file", 1)] == STOPPED


def test_a_rejected_answer_stands_where_what_is_wrong_takes_too_long(monkeypatch):
    def takes_too_long(trial, verdict):
        raise TooLate

    monkeypatch.setattr(one_submission, "with_fingerprint", takes_too_long)
    run, (verdict,) = run_of(Script(["rejected"]), defining(SOFTMAX), (SOFTMAX,))
    assert (verdict.outcome, verdict.message, run.budget.timeouts) == ("rejected", "Explained.", 1)


def test_the_seed_follows_from_the_bytes_the_exercise_and_the_key():
    zygote = Script(*[["accepted"]] * 5)
    for name, text, key in (
        (SOFTMAX, "", b"key"), (SOFTMAX, "", b"key"), (SCORES, "", b"key"), (SOFTMAX, "\n", b"key"), (SOFTMAX, "", b"k"),
    ):  # fmt: skip
        verdicts_of(zygote, name, text=defining(SOFTMAX, SCORES) + text, key=key)
    assert zygote.seeds[0] == zygote.seeds[1] and len(set(zygote.seeds)) == 4


@pytest.mark.parametrize("first", ["rejected", "error"])
def test_with_the_reference_in_the_place_of_a_wrong_helper_an_answer_is_judged_once_more(first):
    zygote = Script([first], ["accepted"])
    (verdict,) = verdicts_of(zygote, LAYER)
    assert (verdict.outcome, verdict.message) == (
        "accepted",
        "Judged. (The reference stood in for masked_softmax.)",
    )
    assert [requests[0]["override"] for requests in zygote.requests] == [False, True]
    (verdict,) = verdicts_of(Script([first], ["error" if first == "rejected" else "rejected"]), LAYER)
    assert (verdict.outcome, verdict.message) == (first, "Explained.")
    assert outcomes(verdicts_of(Script([first]), SOFTMAX)) == [first]  # it builds on nothing
    assert outcomes(verdicts_of(Script([TooLate()]), LAYER)) == ["timeout"]


PLAIN = "def masked_softmax(X, valid_length):\n    return X\n"


def test_an_answer_in_no_framework_is_tried_in_each_until_it_is_accepted():
    (verdict,) = verdicts_of(Script(["rejected"], ["accepted"]), SOFTMAX, text=PLAIN, framework=None)
    assert (verdict.framework, verdict.outcome) == ("torch", "accepted")
    (verdict,) = verdicts_of(Script(["accepted"]), SOFTMAX, text=PLAIN, framework=None)
    assert verdict.framework == "mxnet"
    zygote = Script(["rejected"])
    zygote.frameworks = ["torch"]
    (verdict,) = verdicts_of(zygote, SOFTMAX, SCORES, text=PLAIN, framework=None)
    assert (verdict.framework, verdict.outcome) == ("torch", "rejected")
    zygote.frameworks = []
    (verdict,) = verdicts_of(zygote, SOFTMAX, text=PLAIN, framework=None)
    assert verdict.message == "MXNet is not installed on this machine."
    both = Assignment({SOFTMAX: 2.0}, frameworks=("mxnet", "torch"), count="both")
    assert len(verdicts_of(zygote, SOFTMAX, text=PLAIN, framework=None, assignment=both)) == 1
    verdicts = verdicts_of(
        Script(["accepted"], ["accepted"]), SOFTMAX, text=PLAIN, framework=None, assignment=both
    )
    assert [v.framework for v in verdicts] == ["mxnet", "torch"]
    sizes = "def head_sizes(num_steps, num_hiddens, num_heads):\n    return 1, 2, 3\n"
    both = Assignment({"head_sizes": 2.0}, frameworks=("mxnet", "torch"), count="both")
    assert (
        len(verdicts_of(Script(["accepted"]), "head_sizes", text=sizes, framework=None, assignment=both)) == 1
    )


def test_an_answer_in_another_package_is_told_so():
    text = "import jax\ndef masked_softmax(X, valid_length):\n    return jax.nn.softmax(X)\n"
    (verdict,) = verdicts_of(Script([Ended(1)], [Ended(1)]), SOFTMAX, text=text, framework=None)
    assert verdict.message.startswith("masked_softmax uses jax")


def test_only_what_counts_is_graded():
    only = Assignment({SOFTMAX: 2.0}, frameworks=("mxnet",))
    assert verdicts_of(Script(), SOFTMAX, SCORES, framework=None, assignment=only) == []
    assert verdicts_of(Script(), SOFTMAX, SCORES, framework="torch", assignment=only) == []
    (verdict,) = verdicts_of(Script(["accepted"]), SOFTMAX, framework="mxnet", assignment=only)
    assert (verdict.outcome, verdict.framework) == ("accepted", "mxnet")


def test_an_exercise_that_is_asked_for_alone_is_missing_where_nothing_defines_it():
    for framework, named in ((None, "?"), ("mxnet", "mxnet")):
        (verdict,) = verdicts_of(Script([{"errors": []}]), SOFTMAX, text="x = 1\n", framework=framework)
        assert (verdict.outcome, verdict.framework) == ("missing", named)
    assert verdicts_of(Script(), SOFTMAX, SCORES, text="x = 1\n", framework=None) == []


def test_what_cannot_be_read_is_told_for_each_answer_without_its_name():
    for framework, named in ((None, "torch"), ("mxnet", "mxnet")):
        (verdict,) = verdicts_of(Script(), SOFTMAX, text=b"\0", framework=framework)
        assert (verdict.outcome, verdict.framework) == ("error", named)
        assert verdict.message.startswith("The file ") and "a.py" not in verdict.message
    assert len(verdicts_of(Script(), SOFTMAX, SCORES, text=b"\0", framework="torch")) == 2
    assert verdicts_of(Script(), SOFTMAX, SCORES, text=b"\0", framework=None) == []


def test_what_stands_in_a_cell_that_is_no_code_is_missing_in_the_framework_that_is_imported():
    cells = [("raw", "def masked_softmax(X, valid_length):\n    return X"), ("code", "import torch")]
    notebook = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}}
    notebook["cells"] = [{"cell_type": kind, "metadata": {}, "source": text} for kind, text in cells]
    for frameworks, named in ((("mxnet", "torch"), "torch"), (("mxnet",), "mxnet")):
        rules = Assignment({SOFTMAX: 2.0, SCORES: 2.0}, frameworks=frameworks)
        (verdict,) = verdicts_of(Script(), SOFTMAX, SCORES, text=notebook, framework=None, assignment=rules)
        assert (verdict.outcome, verdict.framework) == (
            "missing",
            named,
        ) and "make it a code cell" in verdict.message
    rules = Assignment({SOFTMAX: 2.0}, frameworks=("jax",))
    assert verdicts_of(Script(), SOFTMAX, SCORES, text=notebook, framework=None, assignment=rules) == []


def test_what_a_teacher_should_look_at_is_flagged():
    for text, flag in (("", None), ("other = torch.sdpa", "its source names sdpa")):
        text = (defining(LAYER) + text).replace("sdpa", "nn.functional.scaled_dot_product_attention")
        (verdict,) = verdicts_of(Script(["accepted"]), LAYER, text=text)
        assert verdict.flag == (flag and flag.replace("sdpa", "scaled_dot_product_attention"))


def test_an_answer_is_not_provided_to_itself_and_what_is_imported_stands_before():
    exercise = replace(all_exercises()["split_heads"], builds_on=("multi_head",))
    modules = dict(_provided(exercise, "torch"))
    assert list(modules) == [
        "solutions.multi_head.common",
        "solutions.masked_softmax.in_torch",  # what multi_head imports comes along
        "solutions.multi_head.in_torch",
    ]
    assert "def join_heads" in modules["solutions.multi_head.common"]
    assert not any("def split_heads" in text or "import split_heads" in text for text in modules.values())
    assert "import head_sizes, join_heads\n" in modules["solutions.multi_head.in_torch"]
    # Of another topic its own name stays.
    assert (
        "def join_heads"
        in dict(_provided(replace(exercise, topic="gpt"), "torch"))["solutions.multi_head.common"]
    )
    assert _provided(exercise, "jax") == [
        ("solutions.multi_head.common", modules["solutions.multi_head.common"])
    ]
