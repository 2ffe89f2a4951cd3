"""All calls of an exercise in one exchange: what the judge asks, and what it believes of the replies."""

import os
import socket

import numpy as np
import pytest

from autograder.checking.check import LocalTransport
from autograder.frameworks import adapter_of
from autograder.grade import workers
from autograder.grade.workers import Worker
from autograder.judge.cases import draw_cases, extremes
from autograder.judge.gradients import Differentiation
from autograder.judge.protocol import CallResult, Tampering, call_request
from autograder.judge.trial import judge
from autograder.model.assignment import TimeLimits
from autograder.model.catalogue import all_exercises
from autograder.sandbox.session import Session
from autograder.sandbox.wire import Closed, TooLate, encode, receive, send
from tests.support import RIGHT, graded, solution

torch = pytest.importorskip("torch", reason="PyTorch is not installed.")

EXERCISE = all_exercises()["masked_softmax"]
RESULT = {"outputs": [{"array": 0}], "changed": []}
FAILURE = {"error": {"type": "ValueError", "message": "no", "line": None, "source": None}}


def calls(number, exercise=EXERCISE, framework="torch", gradients=False):
    """Requests for the first cases of an exercise."""
    return [
        call_request(exercise, case, False, [np.ones((1,), np.float32)] if gradients else None, framework)
        for case in draw_cases(exercise, 0)[:number]
    ]


@pytest.fixture
def worker_and_its_end():
    """A worker as the judge holds it, and the other end of its connection."""
    ours, theirs = socket.socketpair()
    send(theirs, {"ready": True, "layers": {}}, [])
    yield Worker(None, os.getpid(), ours, TimeLimits(call_seconds=0.2)), theirs
    ours.close()
    theirs.close()


def frames(theirs, *replies):
    theirs.sendall(
        b"".join(encode(reply, [np.ones(8, np.float32)] if "outputs" in reply else []) for reply in replies)
    )


@pytest.fixture
def answers_with(worker_and_its_end, monkeypatch):
    """The worker, whose other end sends these replies as soon as it is asked."""
    worker, theirs = worker_and_its_end

    def prepared(*replies):
        def send_and_answer(connection, header, arrays, remaining):
            send(connection, header, arrays, remaining)
            frames(theirs, *replies)

        monkeypatch.setattr(workers, "send", send_and_answer)
        return worker

    return prepared


def test_replies_come_in_the_order_of_the_calls(answers_with):
    replies = answers_with(*({**RESULT, "place": i} for i in range(3))).exchange_all(calls(3))
    assert [header["place"] for header, _ in replies] == [0, 1, 2]


def test_one_request_holds_all_calls_and_their_arrays(answers_with, worker_and_its_end):
    requests = calls(3)
    answers_with(RESULT, RESULT, RESULT).exchange_all(requests)
    header, arrays = receive(worker_and_its_end[1])
    assert header["calls"] == [call for call, _ in requests]
    assert header["counts"] == [len(inputs) for _, inputs in requests] and len(arrays) == sum(
        header["counts"]
    )


def test_nothing_after_a_failure_is_believed(answers_with):
    worker = answers_with(RESULT, FAILURE, RESULT)
    assert len(worker.exchange_all(calls(3))) == 2
    with pytest.raises(Tampering, match="before it was asked"):
        worker.exchange_all(calls(3))


def test_a_call_that_never_answers_is_too_late_whatever_came_before(answers_with):
    with pytest.raises(TooLate):
        answers_with(RESULT, RESULT).exchange_all(calls(3))


def test_a_worker_that_ends_after_some_replies_has_not_answered(
    answers_with, worker_and_its_end, monkeypatch
):
    worker = answers_with(RESULT, RESULT)
    answer = workers.send

    def send_and_end(*arguments):
        answer(*arguments)
        worker_and_its_end[1].close()

    monkeypatch.setattr(workers, "send", send_and_end)
    with pytest.raises(Closed):
        worker.exchange_all(calls(3))


def test_all_replies_together_are_bounded(answers_with):
    worker = answers_with(RESULT, RESULT)
    worker.room = 64
    assert len(worker.exchange_all(calls(2))) == 2
    worker = answers_with(RESULT, RESULT, RESULT)
    worker.room = 64
    with pytest.raises(Tampering, match="far larger"):
        worker.exchange_all(calls(3))


@pytest.mark.parametrize(("gradients", "seconds"), [(False, 5), (True, 10)])
def test_each_call_has_its_own_deadline_and_all_have_the_last(
    worker_and_its_end, monkeypatch, gradients, seconds
):
    worker, _ = worker_and_its_end
    now, seconds_left = [100.0], []

    def received(connection, remaining, limit):
        seconds_left.append(remaining())
        now[0] += 4
        return RESULT, []

    monkeypatch.setattr(worker.clock, "now", lambda: now[0])
    monkeypatch.setattr(workers, "receive", received)
    worker.time_limits = TimeLimits(call_seconds=5, seconds=4 + seconds)
    worker.exchange_all(calls(3, gradients=gradients))
    assert seconds_left == [seconds, seconds, seconds - 4]


@pytest.mark.parametrize("name", all_exercises())
def test_the_calls_of_an_exercise_fit_in_a_frame(name):
    requests = calls(100, all_exercises()[name])
    header = {
        "do": "calls",
        "calls": [call for call, _ in requests],
        "counts": [len(inputs) for _, inputs in requests],
    }
    encode(header, [array for _, inputs in requests for array in inputs])


def test_a_session_calls_nothing_after_a_failure():
    shapes = []

    def masked_softmax(X, valid_length):
        shapes.append(X.shape)
        if len(shapes) == 2:
            raise ValueError("the second")
        return X

    session = Session(adapter_of("torch"), masked_softmax, lambda filename: True)
    replies = list(session.exchange_all(calls(4)))
    assert len(replies) == len(shapes) == 2
    assert "outputs" in replies[0][0] and replies[1][0]["error"]["message"] == "the second"


def test_a_call_answers_for_what_it_called_even_if_it_has_caught_the_refusal():
    events = []

    def masked_softmax(X, valid_length):
        events.append(X)
        if len(events) == 2:
            try:
                torch.nn.functional.layer_norm(X, X.shape[-1:])
            except Exception:
                events.append("caught")
        return X

    requests = [
        ({**call, "forbidden": ["torch.nn.functional.layer_norm"]}, inputs) for call, inputs in calls(4)
    ]
    replies = list(Session(adapter_of("torch"), masked_softmax, lambda filename: True).exchange_all(requests))
    assert [list(header) for header, _ in replies] == [["outputs", "changed"], ["contract_broken", "kind"]]
    assert "caught" in events and "layer_norm" in replies[1][0]["contract_broken"]
    torch.nn.functional.layer_norm(torch.ones(3), (3,))  # refused no more


def test_an_argument_that_was_changed_is_named():
    def masked_softmax(X, valid_length):
        X += 1
        return X

    ((header, arrays),) = Session(adapter_of("torch"), masked_softmax, lambda f: True).exchange_all(calls(1))
    assert header["changed"] == ["X"] and len(arrays) == 1


def test_a_crash_in_a_late_case_is_an_error_and_costs_no_other_exercise(zygote):
    source = RIGHT.replace(
        "def masked_softmax(X, valid_length):",
        "import os\nseen = []\ndef masked_softmax(X, valid_length):\n    seen.append(1)\n"
        "    if len(seen) == 4: os._exit(3)",
    ) + (
        "\ndef scaled_scores(queries, keys):\n    return queries @ keys.transpose(1, 2) / queries.shape[-1] ** 0.5\n"
    )
    exercises = [EXERCISE, all_exercises()["scaled_scores"]]
    crashed, other = graded(zygote, source, "answer.py", exercises, "torch")
    assert (crashed.outcome, other.outcome) == ("error", "accepted"), (crashed, other)
    assert "status 3" in crashed.message


class Recorded(LocalTransport):
    """Notes of each call whether gradients were asked for."""

    def __init__(self, entry):
        super().__init__("torch", entry)
        self.requests = []

    def exchange_all(self, calls):
        self.requests.append([call["cotangents"] is not None for call, _ in calls])
        return super().exchange_all(calls)


def test_gradients_are_asked_for_at_once_and_only_if_the_values_are_right():
    right = Recorded(solution("masked_softmax", "torch").masked_softmax)
    assert judge(EXERCISE, right, "torch").outcome == "accepted"
    cases = draw_cases(EXERCISE, 0)
    gradients = sum(case.gradient for case in cases) + len(extremes(cases))
    values, again, differentiated = right.requests[:3]
    assert (values, differentiated) == ([False] * len(cases), [True] * gradients)
    assert again and not any(again)  # on other inputs, which tells what is kept of a call
    # MXNet ends the process over the gradients of some wrong answers.
    wrong = Recorded(lambda X, valid_length: torch.softmax(X, dim=0))
    assert judge(EXERCISE, wrong, "torch").outcome == "rejected"
    assert not any(any(flags) for flags in wrong.requests)


def problem_with_gradients(change, seed=0):
    """What is said of the gradients of additive_scores, right but for a change of their arrays."""
    exercise = all_exercises()["additive_scores"]
    case = next(case for case in draw_cases(exercise, seed) if case.gradient)
    random = np.random.default_rng(seed)
    one = Differentiation(exercise, case, exercise.compute(exercise.reference, case), random)
    transport = LocalTransport("torch", solution("additive", "torch").additive_scores)
    request = call_request(exercise, case, False, one.cotangents, "torch")
    ((header, arrays),) = transport.exchange_all([request])
    gradients = {g["name"]: arrays[g["array"]].copy() for g in header["gradients"]}
    change(gradients)
    one.answer = CallResult(gradients=gradients)
    return one.wrong()


def test_right_gradients_are_right():
    assert problem_with_gradients(lambda gradients: None) is None


@pytest.mark.parametrize("name", ["queries", "keys", "W_q", "W_k", "w_v"])
def test_one_wrong_gradient_among_right_ones_is_named(name):
    def change(gradients):
        gradients[name].flat[0] += 0.01 * max(1, np.abs(gradients[name]).max())

    assert f"the gradient of {name} is not" in problem_with_gradients(change).words


def test_wrong_gradients_of_opposite_signs_do_not_hide_each_other():
    def change(gradients):
        gradients["queries"] += 1
        gradients["keys"] -= 1

    for seed in range(20):
        assert problem_with_gradients(change, seed) is not None
