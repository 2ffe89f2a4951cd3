"""Frames between the judge and a worker: a small JSON header and raw little-endian arrays.

    magic (4 bytes) | header length (4) | payload length (8) | header | payload

Nothing is pickled, and nothing is allocated before its size has been checked.
"""

import json
import math
import socket
import struct
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import numpy as np

from autograder.sandbox.clock import TimeLeft

MAGIC = b"ASBS"
PREFIX = struct.Struct("<4sIQ")
MAX_HEADER = 64 * 1024
MAX_PAYLOAD = 64 * 1024 * 1024
MAX_DIMENSIONS = 8
DTYPES = {
    name: np.dtype(name).newbyteorder("<")
    for name in ("float16", "float32", "float64", "int8", "int32", "int64", "uint8", "bool")
}
NAMES = {dtype: name for name, dtype in DTYPES.items()}

Header = dict[str, Any]
Arrays = list[np.ndarray]
Result = TypeVar("Result")


class WireError(Exception):
    """A frame that breaks the rules."""


class Closed(Exception):
    """The other end is gone."""


class TooLate(Exception):
    """No whole frame came before the deadline."""


def name_of(array: np.ndarray) -> str:
    """Return the name of its dtype, which NumPy composes anew each time it is asked."""
    return NAMES.get(array.dtype) or array.dtype.name


def encode(header: Mapping[str, Any], arrays: Arrays) -> bytes:
    """Return one frame. Arrays must have a dtype in DTYPES."""
    described, chunks = [], []
    for array in arrays:
        name = name_of(array)
        if name not in DTYPES:
            raise WireError(f"arrays of type {array.dtype} are not sent")
        described.append({"dtype": name, "shape": array.shape})
        chunks.append(array.astype(DTYPES[name], copy=False).tobytes())
    head = json.dumps({**header, "arrays": described}).encode()
    payload = b"".join(chunks)
    if len(head) > MAX_HEADER or len(payload) > MAX_PAYLOAD:
        raise WireError(f"a frame of {len(head)} + {len(payload)} bytes is too large")
    return PREFIX.pack(MAGIC, len(head), len(payload)) + head + payload


def decode(head: bytes, payload: bytes) -> tuple[Header, Arrays]:
    """Return the header and the arrays of a frame whose lengths have been checked."""
    try:
        header = json.loads(head)
    except (ValueError, RecursionError) as error:
        raise WireError("the header is not JSON") from error
    if not isinstance(header, dict) or not isinstance(header.get("arrays"), list):
        raise WireError("the header has no list of arrays")
    arrays, at = [], 0
    for described in header.pop("arrays"):
        dtype, shape = _describe(described)
        end = at + dtype.itemsize * math.prod(shape)
        if end > len(payload):
            raise WireError("an array is longer than the payload")
        arrays.append(np.frombuffer(payload[at:end], dtype=dtype).reshape(shape))
        at = end
    if at != len(payload):
        raise WireError("the payload is longer than its arrays")
    return header, arrays


def _describe(described: Any) -> tuple[np.dtype[Any], list[int]]:
    if not isinstance(described, dict) or described.get("dtype") not in DTYPES:
        raise WireError("an array of unknown type")
    shape = described.get("shape")
    if not isinstance(shape, list) or len(shape) > MAX_DIMENSIONS:
        raise WireError("an array of unknown shape")
    if not all(type(n) is int and 0 <= n <= MAX_PAYLOAD for n in shape):
        raise WireError("an array of impossible shape")
    return DTYPES[described["dtype"]], shape


def send(
    connection: socket.socket, header: Mapping[str, Any], arrays: Arrays, remaining: TimeLeft | None = None
) -> None:
    """Send one frame. remaining: the seconds that are left for it; None for no deadline."""
    send_frames(connection, encode(header, arrays), remaining)


def send_frames(connection: socket.socket, frames: bytes, remaining: TimeLeft | None = None) -> None:
    """Send frames that are encoded already."""
    rest = memoryview(frames)
    while rest:
        rest = rest[_in_time(connection, remaining, lambda: connection.send(rest)) :]  # noqa: B023


def receive(
    connection: socket.socket, remaining: TimeLeft | None = None, most: int = MAX_PAYLOAD
) -> tuple[Header, Arrays]:
    """Receive one frame. remaining: the seconds that are left for it; None for no deadline. most: bytes of its arrays."""
    magic, head_length, payload_length = PREFIX.unpack(_exactly(connection, PREFIX.size, remaining))
    if magic != MAGIC or head_length > MAX_HEADER or payload_length > MAX_PAYLOAD:
        raise WireError("the frame's prefix breaks the rules")
    if payload_length > most:
        raise WireError(f"its arrays are far larger than those asked for, {payload_length} bytes")
    body = _exactly(connection, head_length + payload_length, remaining)
    return decode(body[:head_length], body[head_length:])


def _exactly(connection: socket.socket, count: int, remaining: TimeLeft | None) -> bytes:
    chunks: list[bytes] = []
    while count:
        chunk = _in_time(connection, remaining, lambda: connection.recv(min(count, 1 << 20)))  # noqa: B023
        if not chunk:
            raise Closed
        chunks.append(chunk)
        count -= len(chunk)
    return b"".join(chunks)


def _in_time(connection: socket.socket, remaining: TimeLeft | None, step: Callable[[], Result]) -> Result:
    """Make one step of a transfer. What is left may grow while it waits. Raises TooLate and Closed."""
    while True:
        connection.settimeout(None if remaining is None else max(remaining(), 0.001))
        try:
            return step()
        except TimeoutError as error:
            if remaining is None or remaining() <= 0:
                raise TooLate from error
        except OSError as error:
            raise Closed from error


def tuples(value: Any) -> Any:
    """Return a plain value with tuples where JSON has lists."""
    return tuple(map(tuples, value)) if isinstance(value, list | tuple) else value


def pack_texts(texts: dict[str, list[tuple[str, str]]]) -> np.ndarray:
    """Pack named texts as one array: a header is too short for many."""
    # What is no UTF-8 becomes a question mark.
    return np.frombuffer(json.dumps(texts, ensure_ascii=False).encode("utf-8", "replace"), dtype=np.uint8)


def unpack_texts(array: np.ndarray) -> dict[str, dict[str, str]]:
    """Return what `pack_texts` packed, by kind and name."""
    return {kind: dict(pairs) for kind, pairs in json.loads(array.tobytes()).items()}
