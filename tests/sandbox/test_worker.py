"""A submission's process: how its source is run, what it may import, and what is believed of its words."""

import os
import signal
import socket
import sys

import numpy as np
import pytest

from autograder.model.catalogue import all_exercises
from autograder.sandbox.board import Board, shared_memory
from autograder.sandbox.clock import Clock
from autograder.sandbox.wire import PREFIX, Closed, WireError, decode, encode, pack_texts, receive, send
from autograder.sandbox.worker import TOO_LONG, run_cells, serve, short
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
    source = "a = 1\ntry:\n    while True: pass\nexcept Exception:\n    pass\nb = 2\n@print\ndef f(): pass\nc = d\n"
    names, errors = run_cells({"<cell 1>": "", "<cell 2>": source}, 0.2, None, board)
    assert (names["a"], names["b"]) == (1, 2) and noted == [(2, 2)]
    assert (
        errors[0] == {"cell": "<cell 2>", "type": "Stopped", "line": 2} and errors[1]["type"] == "NameError"
    )
    assert board.read() == [] and signal.getitimer(signal.ITIMER_REAL)[0] == 0


def test_the_statement_at_work_is_noted_by_its_cell_and_its_first_line():
    board = Board(shared_memory())
    board.begin(7, 7)
    places = []
    board.begin = lambda *place: places.append(place)
    run_cells({"<cell 1>": "a = 1\n\nb = 2", "<cell 2>": "@print\ndef f(): pass"}, board=board)
    assert places == [(1, 1), (1, 3), (2, 1)] and board.read() == []


# --- Requests ----------------------------------------------------------------------------------------------


@pytest.fixture
def asked(request):
    """A function that sends a request to a worker in a process of its own, and gives its replies."""
    ours, theirs = socket.socketpair()
    if not (pid := os.fork()):
        try:
            ours.close()
            serve(theirs, {"landlock": True}, Clock(), Board(shared_memory()))
        finally:
            os._exit(0)
    theirs.close()
    assert receive(ours) == ({"ready": True, "layers": {"landlock": True}}, [])

    def ask(header, arrays=(), replies=1):
        send(ours, header, list(arrays))
        return [receive(ours) for _ in range(replies)]

    yield ask
    ours.close()
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0


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


def test_a_source_is_run_once_and_its_entries_are_called(asked):
    cells = [("cell 1", "import numpy as np\ndef f(X): return X + 1\ndef g(X): return X * 2\nh")]
    ((reply, _),) = asked(*source(cells))
    assert reply["found"] is True and [e["type"] for e in reply["errors"]] == ["NameError"]
    (one, sent), (two, more) = asked(*calls(np.ones(2), np.zeros(3)), replies=2)
    assert (
        sent[0].tolist() == [2, 2]
        and more[0].tolist() == [1, 1, 1]
        and one["changed"] == two["changed"] == []
    )
    assert asked({"do": "entry", "entry": "g"})[0][0]["found"] is True
    assert asked(*calls(np.ones(2)))[0][1][0].tolist() == [2, 2]
    assert asked({"do": "entry", "entry": "nowhere"})[0][0]["found"] is False
    assert asked(*calls(np.ones(2)))[0][0] == {"contract_broken": "there is no entry"}


def test_a_submission_imports_what_is_provided_and_nothing_of_the_grader(asked):
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
        "grader = [n for n in sys.modules if n.startswith('autograder.')]\nassert not grader, grader\n"
        "own = solved('numpy')\nassert own.third is third and own.double is common.double\nassert not hasattr(own, 'TWO')\n"
        "def double(X): return X\ndef f(X): return third(X) + double(X)\n"
    )
    ((reply, _),) = asked(*source([("cell 1", text)], provided=provided))
    assert reply == {"found": True, "errors": []}
    assert asked(*calls(np.ones(1)))[0][1][0].tolist() == [4]
    asked(*source([("cell 1", text)], provided=provided, override=True))
    assert asked(*calls(np.ones(1)))[0][1][0].tolist() == [
        5
    ]  # the reference's helper in the place of its own


def test_a_call_before_any_source_ends_the_process(asked):
    with pytest.raises(Closed):
        asked({"do": "entry", "entry": "f"})


def test_a_reply_that_is_too_long_is_sent_short(asked):
    asked(*source([("cell 1", "def f(X): return [[1] * 1000] * 1000")]))
    assert asked(*calls(np.ones(1)))[0][0] == {"contract_broken": TOO_LONG}


def test_what_is_forbidden_is_refused_while_a_source_runs(asked):
    need("torch")
    text = "import torch\nkept = torch.softmax(torch.ones(2), 0)\n"
    header, arrays = source([("cell 1", text)], framework="torch", forbidden=["torch.softmax"])
    ((reply, _),) = asked(header, arrays)
    assert [error["type"] for error in reply["errors"]] == ["ContractBroken"]


def test_of_a_long_reply_few_errors_are_sent_and_each_short():
    error = {"type": "T" * 300, "message": "m" * 300, "line": 3}
    sent = short({"found": False, "errors": [error] * 9})
    assert sent["found"] is False and len(sent["errors"]) == 4
    assert sent["errors"][0] == {"type": "T" * 200, "message": "m" * 200, "line": 3}
    assert short({"error": error, "more": 1}) == {"error": sent["errors"][0]}
