"""Words of a process that was taken over: of the right form, and short."""

import pytest

from autograder.model.catalogue import all_exercises
from autograder.sandbox.wire import PREFIX, WireError, decode, encode
from autograder.sandbox.worker import short
from tests.sandbox.attacks import WORKER, WRONG
from tests.support import graded

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
