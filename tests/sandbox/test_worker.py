"""A submission's process: how its source is run, what it may import, and what is believed of its words."""

import os
import signal
import socket
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from types import SimpleNamespace

import numpy as np
import pytest

from autograder.model.catalogue import all_exercises
from autograder.sandbox import worker
from autograder.sandbox.board import Board, shared_memory
from autograder.sandbox.clock import Clock
from autograder.sandbox.wire import (
    MAGIC,
    PREFIX,
    Closed,
    WireError,
    decode,
    encode,
    pack_texts,
    receive,
    send,
)
from autograder.sandbox.worker import TOO_LONG, StatementLimit, StatementTimeout, run_cells, serve, short
from tests.sandbox.attacks import WORKER, WRONG
from tests.sandbox.test_session import call
from tests.support import graded, need

EXERCISES = [all_exercises()["masked_softmax"]]


@pytest.mark.parametrize("words", ["7", "''", "['a']", "None"])
def test_a_reason_that_is_no_text_is_tampering(zygote, words):
    forged = f"worker['Session'].exchange = lambda *a: ({{'contract_broken': {words}}}, [])"
    (verdict,) = graded(zygote, WORKER + forged + WRONG, "a.py", EXERCISES, "torch")
    assert (verdict.outcome, verdict.points) == ("tampering", 0), verdict


def test_a_kind_that_there_is_not_is_tampering(zygote):
    forged = "worker['Session'].exchange = lambda *a: ({'contract_broken': 'no', 'kind': 'accepted'}, [])"
    (verdict,) = graded(zygote, WORKER + forged + WRONG, "a.py", EXERCISES, "torch")
    assert (verdict.outcome, verdict.points) == ("tampering", 0), verdict


def test_forged_errors_are_cut(zygote):
    long = "{'cell': '<a.py>', 'type': 'T' * 9000, 'message': 'm' * 30000, 'line': 'x', 'source': 'masked_softmax' * 900}"
    forged = f"worker['LoadedSource'].select = lambda *a: {{'found': False, 'errors': [{long}, 3, None]}}"
    (verdict,) = graded(zygote, WORKER + forged + WRONG, "a.py", EXERCISES, "torch")
    assert verdict.outcome == "error" and "never defined" in verdict.message, verdict
    assert len(verdict.message) < 1000


def test_forged_notes_name_no_cell_that_is_not_there(zygote):
    forged = "{'found': True, 'errors': [{'cell': '<of another>', 'type': 'Stopped', 'line': 3}]}"
    source = (
        WORKER
        + f"S = worker['LoadedSource'].select\nworker['LoadedSource'].select = lambda *a: S(*a) | {forged}"
    )
    (verdict,) = graded(zygote, source + WRONG, "a.py", EXERCISES, "torch")
    assert verdict.outcome == "rejected" and "another" not in verdict.message


FACES = "\U0001f600" * 2000  # twelve bytes each in JSON
ERROR = {
    "type": "ValueError",
    "message": FACES,
    "source": FACES,
    "function": FACES,
    "where": FACES,
    "line": 3,
}
LONG = {
    "an error": {"error": ERROR},
    "errors of a source": {"found": False, "errors": [{**ERROR, "cell": "<cell 1>"}] * 20},
    "a broken contract": {"contract_broken": FACES * 10, "kind": "contract"},
    "plain results": {"outputs": [{"plain": [[1] * 1000] * 1000, "tuple": False}], "changed": []},
}


@pytest.mark.parametrize("what", LONG)
def test_a_reply_that_is_longer_than_a_frame_says_what_it_can(what):
    with pytest.raises(WireError):
        encode(LONG[what], [])
    sent, _ = decode_frame(encode(short(LONG[what]), []))
    assert sent.keys() & {"error", "errors", "contract_broken"}
    error = sent.get("error") or (sent.get("errors") or [{}])[0]
    assert error.get("type", "ValueError") == "ValueError" and sent.get("contract_broken") != ""


def decode_frame(frame):
    _, length, _ = PREFIX.unpack(frame[: PREFIX.size])
    return decode(frame[PREFIX.size : PREFIX.size + length], frame[PREFIX.size + length :])


# --- A source is run ---------------------------------------------------------------------------------------


def test_each_statement_is_run_and_one_that_fails_stops_no_other():
    cells = {
        "<cell 1>": "a = 1\nb = c\nd = 2\n",
        "<cell 2>": "e = (\n",
        "<cell 3>": "raise SystemExit(3)\nf = a + d",
    }
    names, errors = run_cells(cells)
    assert (names["a"], names["d"], names["f"]) == (1, 2, 3) and sys.modules["submission"].__dict__ is names
    assert [(e["cell"], e["type"], e["line"]) for e in errors] == [
        ("<cell 1>", "NameError", 2), ("<cell 2>", "SyntaxError", 1), ("<cell 3>", "SystemExit", 1),
    ]  # fmt: skip
    assert errors[0]["source"] == "b = c"  # its line is there to be shown


def test_what_a_cell_imports_from_the_future_holds_for_those_after_it():
    future = "from __future__ import annotations\n"
    names, errors = run_cells({"<cell 1>": future, "<cell 2>": "def f(x: nowhere): pass\n"})
    assert not errors and names["f"].__annotations__ == {"x": "nowhere"}


def test_few_errors_are_told_and_each_is_cut():
    _, errors = run_cells({"<cell 1>": "\n".join(f"raise ValueError({'x' * 300!r})" for _ in range(25))})
    assert len(errors) == 20 and {len(error["message"]) for error in errors} == {200}


def test_a_statement_that_does_not_end_is_stopped_and_what_comes_after_it_is_run():
    board = Board(shared_memory())
    noted = []
    board.stop = lambda *place: noted.append(place)
    source = "a = 1\n\ntry:\n    while True: pass\nexcept Exception:\n    pass\nb = 2\n@print\ndef f(): pass\nc = d\n"
    names, errors = run_cells({"<cell 1>": "e = f", "<cell 2>": source}, 0.2, None, board)
    assert (names["a"], names["b"]) == (1, 2) and noted == [(2, 3)]
    # Of many, it must not be lost.
    assert errors[0] == {"cell": "<cell 2>", "type": "Stopped", "line": 3}
    assert [(error["cell"], error["type"]) for error in errors[1:]] == [
        ("<cell 1>", "NameError"), ("<cell 2>", "NameError"),
    ]  # fmt: skip
    assert board.read() == [] and signal.getitimer(signal.ITIMER_REAL)[0] == 0


def test_the_statement_at_work_is_noted_by_its_cell_and_its_first_line():
    board = Board(shared_memory())
    board.begin(7, 7)
    places = []
    board.begin = lambda *place: places.append((*place, *board.read()))
    run_cells({"<cell 1>": "a = 1\n\nb = 2", "<cell 2>": "@print\ndef f(): pass"}, board=board)
    assert places == [(1, 1), (1, 3), (2, 1)] and board.read() == []


def test_the_text_of_what_a_cell_defines_can_be_inspected():
    cell = "import inspect\ndef f():\n    return 1\ntext = inspect.getsource(f)"
    assert run_cells({"<cell 1>": cell})[0]["text"] == "def f():\n    return 1\n"


def test_after_its_limit_each_further_statement_has_a_fiftieth_of_it():
    """By the clock of the process alone: what passes while it waits for a processor does not count."""
    before, clock = signal.getsignal(signal.SIGALRM), SimpleNamespace(now=lambda: clock.time, time=3.0)
    frame = sys._getframe()

    def left():
        return signal.getitimer(signal.ITIMER_REAL)[0]

    with StatementLimit(1000, clock) as limit:
        limit.run(compile("a = limit.running", "<cell 1>", "exec"), names := {"limit": limit})
        assert names["a"] and not limit.running
        assert 900 < left() <= 1000
        clock.time = 503.0
        limit._stop(signal.SIGALRM, frame)
        assert 450 < left() <= 500
        clock.time = 1003.0
        limit._stop(signal.SIGALRM, frame)
        assert 18 < left() <= 20  # between two statements nothing is raised
        clock.time, limit.running = 1022.5, True
        limit._stop(signal.SIGALRM, frame)
        assert 0 < left() <= 0.5
        clock.time = 1023.0
        with pytest.raises(StatementTimeout):
            limit._stop(signal.SIGALRM, frame)
        assert 18 < left() <= 20
        for outside in (None, SimpleNamespace(f_code=StatementLimit.run.__code__)):
            clock.time += 20
            limit._stop(signal.SIGALRM, outside)
    assert left() == 0 and signal.getsignal(signal.SIGALRM) is before


def test_in_a_thread_there_is_no_limit():
    with ThreadPoolExecutor(1) as threads:
        names, errors = threads.submit(run_cells, {"<cell 1>": "a = 1"}, 0.2).result()
    assert names["a"] == 1 and not errors


# --- Requests ----------------------------------------------------------------------------------------------


def replies_to(*requests):
    """Return what a worker in a process of its own answers to all of these, one header and its arrays after another.

    It gets them at once and nothing after them, so that it ends by itself and nobody waits for a reply that never comes.
    """
    ours, theirs = socket.socketpair()
    if not (pid := os.fork()):
        status = 1
        try:
            ours.close()
            serve(theirs, {"landlock": True}, Clock(), Board(shared_memory()))
            status = 0
        finally:
            os._exit(status)
    theirs.close()
    replies = []
    with ours:
        for header, arrays in requests:
            send(ours, header, arrays)
        ours.shutdown(socket.SHUT_WR)
        with suppress(Closed):
            while True:
                replies.append(receive(ours))
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    assert replies.pop(0) == ({"ready": True, "layers": {"landlock": True}}, [])
    return replies


def test_replies_are_sent_together_until_they_are_many_or_have_waited(monkeypatch):
    """So much that a frame has exactly the bytes, and so long that the last call took exactly the time, still waits."""
    clock, sent = SimpleNamespace(time=0.0), []
    monkeypatch.setattr(worker, "time", SimpleNamespace(monotonic=lambda: clock.time))
    monkeypatch.setattr(worker, "send_frames", lambda connection, frames: sent.append(frames.count(MAGIC)))
    exact = (1 << 16) - len(encode({}, [np.zeros(60_000, np.uint8)])) + 60_000
    waited = []

    def replies():
        for seconds, count in ((0.005, 0), (0.0005, 0), (0, exact), (0, 1), (0.005, 0), (0, 0)):
            clock.time += seconds
            yield {}, [np.zeros(count, np.uint8)]
            waited.append(len(sent))

    worker._answer_all(None, replies())
    assert sent == [2, 2, 2] and waited == [0, 1, 1, 2, 2, 2]


def source(cells, entry="f", provided=(), **more):
    header = {
        "do": "source",
        "framework": "numpy",
        "entry": entry,
        "override": False,
        "seconds": 5,
        "forbidden": [],
    }
    return header | more, [pack_texts({"cells": cells, "provided": list(provided)})]


def calls(*inputs):
    requests = [call({"X": X}) for X in inputs]
    header = {"do": "calls", "calls": [r for r, _ in requests], "counts": [len(a) for _, a in requests]}
    return header, [array for _, arrays in requests for array in arrays]


def entry(name):
    return {"do": "entry", "entry": name}, []


def test_a_source_is_run_once_and_its_entries_are_called():
    cells = [("cell 1", "import numpy as np\ndef f(X): return X + 1\ndef g(X): return X * 2\nh")]
    two = calls(np.ones(2), np.zeros(3))
    of_g, of_none = (entry("g"), calls(np.ones(2))), (entry("nowhere"), calls(np.ones(2)))
    (reply, _), *replies = replies_to(source(cells), two, *of_g, *of_none)
    assert reply["found"] is True and [e["type"] for e in reply["errors"]] == ["NameError"]
    assert [header.get("found") for header, _ in replies] == [None, None, True, None, False, None]
    assert [array.tolist() for _, arrays in replies for array in arrays] == [[2, 2], [1, 1, 1], [2, 2]]
    assert replies[0][0]["changed"] == replies[1][0]["changed"] == []
    assert replies[-1][0] == {"contract_broken": "there is no entry"}


def test_a_submission_imports_what_is_provided_and_nothing_of_the_grader():
    provided = [
        ("solutions.topic.common", "TWO = 2\ndef double(X): return X * TWO"),
        (
            "solutions.topic.in_numpy",
            "from solutions.topic.common import double\ndef third(X): return double(X) + X",
        ),
    ]
    text = (
        "import sys\nfrom solutions.topic import common\nfrom solutions.topic.in_numpy import third\n"
        "from autograder import check, hint, solved\ncheck(third, 'torch'); hint('x', more=1)\n"
        "from solutions import topic\nassert topic.common is common\n"
        "grader = [n for n in sys.modules if n.startswith('autograder.')]\nassert not grader, grader\n"
        "own = solved('numpy')\nassert own.third is third and own.double is common.double\nassert not hasattr(own, 'TWO')\n"
        "def double(X): return X\ndef f(X): return third(X) + double(X)\n"
    )
    ways = (source([("cell 1", text)], provided=provided, override=override) for override in (False, True))
    replies = replies_to(*(request for run in ways for request in (run, calls(np.ones(1)))))
    assert [reply for reply, _ in replies[::2]] == [{"found": True, "errors": []}] * 2
    # With the reference's helper in the place of its own, it is another number.
    assert [arrays[0].tolist() for _, arrays in replies[1::2]] == [[4], [5]]


def test_what_is_not_provided_is_no_module():
    ((reply, _),) = replies_to(source([("cell 1", "import solutions.other.in_torch")]))
    assert [error["message"] for error in reply["errors"]] == ["No module named 'solutions.other'"]


def test_a_call_before_any_source_ends_the_process():
    assert replies_to(entry("f")) == []


def test_a_reply_that_is_too_long_is_sent_short():
    run = source([("cell 1", "def f(X): return [[1] * 1000] * 1000")])
    assert replies_to(run, calls(np.ones(1)))[1][0] == {"contract_broken": TOO_LONG}


def test_what_is_forbidden_is_refused_while_a_source_runs():
    need("torch")
    text = "import torch\nkept = torch.softmax(torch.ones(2), 0)\n"
    run = source([("cell 1", text)], framework="torch", forbidden=["torch.softmax"])
    ((reply, _),) = replies_to(run)
    assert [error["type"] for error in reply["errors"]] == ["ContractBroken"]


def test_of_a_long_reply_few_errors_are_sent_and_each_short():
    error = {"type": "T" * 300, "message": "m" * 300, "line": 3}
    sent = short({"found": False, "errors": [error] * 9})
    assert sent["found"] is False and len(sent["errors"]) == 4
    assert sent["errors"][0] == {"type": "T" * 200, "message": "m" * 200, "line": 3}
    assert short({"error": error, "more": 1}) == {"error": sent["errors"][0]}
