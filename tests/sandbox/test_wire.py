"""Frames between the judge and a worker: what is sent comes back, and a frame that breaks a rule is refused."""

import json
import socket
import struct
import threading

import numpy as np
import pytest

from autograder.sandbox import wire
from autograder.sandbox.wire import Closed, TooLate, WireError, decode, encode, receive, send

PREFIX = struct.Struct("<4sIQ")
ARRAY = {"dtype": "float32", "shape": [2]}


@pytest.fixture
def ends():
    one, other = socket.socketpair()
    with one, other:
        yield one, other


def head_of(*arrays, **more):
    return json.dumps({**more, "arrays": list(arrays)}).encode()


def frame(head, payload, magic=b"ASBS", head_length=None, payload_length=None):
    lengths = len(head) if head_length is None else head_length, payload_length
    return PREFIX.pack(magic, lengths[0], len(payload) if lengths[1] is None else lengths[1]) + head + payload


@pytest.mark.parametrize(
    "dtype", ["float16", "float32", "float64", "int8", "int32", "int64", "uint8", "bool"]
)
def test_an_array_comes_back_as_it_was(dtype, ends):
    array = np.arange(6).reshape(2, 3).astype(dtype)
    send(ends[0], {"do": "call", "list": [1, None]}, [array, array[:0], np.array(1, dtype)])
    header, arrays = receive(ends[1])
    assert header == {"do": "call", "list": [1, None]}
    assert [a.dtype for a in arrays] == [np.dtype(dtype)] * 3
    assert [a.tolist() for a in arrays] == [array.tolist(), [], 1] and arrays[1].shape == (0, 3)


def test_an_array_in_another_order_of_bytes_or_with_gaps_is_sent_by_its_values(ends):
    array = np.arange(6, dtype=">i4").reshape(2, 3).T[::2]
    send(ends[0], {}, [array])
    assert receive(ends[1])[1][0].tolist() == array.tolist()


def test_a_frame_has_the_form_of_its_description():
    header, payload = {"a": 1}, np.array([1.5, -2.0], "<f4").tobytes()
    sent = encode(header, [np.array([1.5, -2.0], np.float32)])
    assert PREFIX.unpack(sent[: PREFIX.size]) == (b"ASBS", len(sent) - PREFIX.size - 8, 8)
    assert sent.endswith(payload)
    assert json.loads(sent[PREFIX.size : -8]) == {"a": 1, "arrays": [ARRAY]}


@pytest.mark.parametrize("array", [np.array(["a"]), np.array([1j]), np.array([None])])
def test_a_type_that_is_not_in_the_list_is_not_sent(array):
    with pytest.raises(WireError, match=f"arrays of type {array.dtype} are not sent"):
        encode({}, [array])


def test_what_is_too_large_is_not_sent(monkeypatch):
    monkeypatch.setattr(wire, "MAX_PAYLOAD", 8)
    monkeypatch.setattr(wire, "MAX_HEADER", 80)
    encode({}, [np.zeros(2, np.float32)])
    with pytest.raises(WireError, match=r"\+ 12 bytes is too large"):
        encode({}, [np.zeros(3, np.float32)])
    longest = "a" * (80 - len(encode({"a": ""}, [])) + PREFIX.size)
    encode({"a": longest}, [])
    with pytest.raises(WireError, match=r"a frame of 81 \+ 0 bytes"):
        encode({"a": longest + "a"}, [])


@pytest.mark.parametrize(
    ("head", "payload", "words"),
    [
        (b"{", b"", "is not JSON"),
        (b"[" * 100_000, b"", "is not JSON"),
        (b"[]", b"", "no list of arrays"),
        (b"{}", b"", "no list of arrays"),
        (b'{"arrays": {}}', b"", "no list of arrays"),
        (head_of(3), b"", "unknown type"),
        (head_of({"shape": [2]}), b"", "unknown type"),
        (head_of({"dtype": "object", "shape": [2]}), b"", "unknown type"),
        (head_of({"dtype": "float32"}), b"", "unknown shape"),
        (head_of({"dtype": "float32", "shape": 2}), b"", "unknown shape"),
        (head_of({"dtype": "float32", "shape": [1] * 9}), b"", "unknown shape"),
        (head_of({"dtype": "float32", "shape": [-1]}), b"", "impossible shape"),
        (head_of({"dtype": "float32", "shape": [2.0]}), b"", "impossible shape"),
        (head_of({"dtype": "float32", "shape": [True]}), b"1234", "impossible shape"),
        (head_of({"dtype": "float32", "shape": [64 * 1024 * 1024 + 1]}), b"", "impossible shape"),
        (head_of(ARRAY), b"1234567", "longer than the payload"),
        (head_of(ARRAY), b"123456789", "longer than its arrays"),
        (head_of(ARRAY, ARRAY), b"12345678", "longer than the payload"),
        (head_of(), b"1", "longer than its arrays"),
    ],
)
def test_a_header_that_does_not_fit_is_refused(head, payload, words):
    with pytest.raises(WireError, match=words):
        decode(head, payload)


def test_a_header_may_have_as_many_axes_as_there_are_and_empty_ones():
    _, (array, empty, large) = decode(
        head_of(
            {"dtype": "bool", "shape": [1] * 8},
            {"dtype": "bool", "shape": [0]},
            {"dtype": "bool", "shape": [0, 64 * 1024 * 1024]},
        ),
        b"\x01",
    )
    assert array.shape == (1,) * 8 and empty.shape == (0,) and large.shape == (0, 64 * 1024 * 1024)


def test_arrays_come_one_behind_the_other():
    numbers = np.arange(4, dtype="<f4")
    _, arrays = decode(head_of(ARRAY, ARRAY), numbers.tobytes())
    assert [array.tolist() for array in arrays] == [[0, 1], [2, 3]]


@pytest.mark.parametrize(
    ("sent", "words"),
    [
        (frame(head_of(), b"", magic=b"ASBT"), "prefix"),
        (frame(head_of(), b"", head_length=64 * 1024 + 1), "prefix"),
        (frame(head_of(), b"", payload_length=64 * 1024 * 1024 + 1), "prefix"),
        (frame(head_of(ARRAY), b"12345678"), "far larger than those asked for, 8 bytes"),
    ],
)
def test_a_prefix_that_breaks_a_rule_is_refused_before_anything_more_is_read(ends, sent, words):
    ends[0].sendall(sent)
    with pytest.raises(WireError, match=words):
        receive(ends[1], most=7)


def test_a_frame_may_be_as_large_as_the_largest(ends, monkeypatch):
    head = head_of(ARRAY, text="a" * (64 * 1024 - len(head_of(ARRAY, text=""))))
    monkeypatch.setattr(wire, "MAX_PAYLOAD", 8)
    sending = threading.Thread(target=ends[0].sendall, args=(frame(head, b"12345678"),))
    sending.start()
    assert receive(ends[1])[1][0].shape == (2,)
    sending.join()


def test_as_many_bytes_as_were_asked_for_are_read(ends):
    ends[0].sendall(frame(head_of(ARRAY), b"12345678") + b"more")
    assert receive(ends[1], most=8)[1][0].shape == (2,)
    assert ends[1].recv(10) == b"more"


@pytest.mark.parametrize("sent", [b"", b"ASB", frame(head_of(ARRAY), b"1234", payload_length=8)])
def test_an_end_that_is_closed_is_told_apart_from_one_that_is_late(ends, sent):
    ends[0].sendall(sent)
    with pytest.raises(TooLate):
        receive(ends[1], lambda: 0)
    ends[0].sendall(sent[:0])
    ends[0].close()
    with pytest.raises(Closed):
        receive(ends[1], lambda: 10)
    with pytest.raises(Closed):
        send(ends[1], {}, [np.zeros(1 << 20)])


def test_what_is_left_may_grow_while_it_is_waited_for(ends):
    """A busy machine gives more time: only where nothing is left it is too late."""
    seconds = iter([0.001, 0.001, 10, 10, 10, 10])
    later = threading.Timer(0.1, ends[0].sendall, [frame(head_of(), b"")])
    later.start()
    assert receive(ends[1], lambda: next(seconds, 10)) == ({}, [])
    later.join()


def test_a_frame_larger_than_a_socket_holds_is_sent_in_parts(ends):
    array = np.arange(1 << 19, dtype=np.float64)
    sending = threading.Thread(target=send, args=(ends[0], {}, [array], lambda: 10))
    sending.start()
    np.testing.assert_array_equal(receive(ends[1], lambda: 10)[1][0], array)
    sending.join()


def test_nobody_reads_and_the_time_is_up(ends):
    with pytest.raises(TooLate):
        send(ends[0], {}, [np.zeros(1 << 20)], lambda: 0)


def test_lists_of_json_become_tuples_as_deep_as_they_go():
    assert wire.tuples([1, ["a", []], (2,)]) == (1, ("a", ()), (2,))
    assert wire.tuples("ab") == "ab" and wire.tuples(None) is None


def test_named_texts_come_back_in_their_order_and_what_is_no_text_is_a_question_mark():
    packed = wire.pack_texts({"provided": [("b", "ü"), ("a", "x\udc80")], "helpers": []})
    assert packed.dtype == np.uint8
    unpacked = wire.unpack_texts(packed)
    assert unpacked == {"provided": {"b": "ü", "a": "x?"}, "helpers": {}}
    assert list(unpacked["provided"]) == ["b", "a"]
