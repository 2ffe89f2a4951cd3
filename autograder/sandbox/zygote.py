"""Imports the frameworks once, then forks a worker for each submission.

Started afresh with a clean environment and one inherited socket; holds no secret; has one
thread and stays so, since a fork of several would hang.
"""

import ctypes
import gc
import json
import linecache
import os
import signal
import socket
import sys
from pathlib import Path
from typing import Any

import numpy as np

from . import worker
from .adapters import ADAPTERS, warm
from .lock import Lock
from .session import Session

MAX_COMMAND = 4096
HUGE = 2 << 20
MAX_HOLES = 20_000
_HUGE_PAGES, _COLLAPSE = 14, 25
# Stands for a submission: operators of the kind that most of them use.
REHEARSAL = {
    "mxnet": """
from mxnet import gluon, nd

def rehearse(X):
    layer = gluon.nn.Dense(4, flatten=False, in_units=4)
    layer.initialize()
    scores = nd.batch_dot(layer(X).tanh(), X.swapaxes(1, 2)) / 2
    mask = nd.arange(3).expand_dims(0) < nd.array([1, 3]).expand_dims(1)
    mask = mask.expand_dims(1).broadcast_like(scores)
    kept = nd.where(mask, scores, nd.zeros_like(scores) - 1).exp()
    return nd.softmax(kept, axis=-1) * kept.sum(axis=-1, keepdims=True).reshape((2, 3, 1))
""",
    "torch": """
import torch

def rehearse(X):
    scores = torch.bmm(torch.tanh(torch.nn.Linear(4, 4)(X)), X.transpose(1, 2)) / 2
    mask = torch.arange(3) < torch.tensor([1, 3]).unsqueeze(1)
    kept = torch.where(mask.unsqueeze(1), scores, -1.0).masked_fill(~mask[:, None], 0).exp()
    return torch.softmax(kept, dim=-1) * kept.sum(dim=-1, keepdim=True).reshape(2, 3, 1)
""",
}


def main(fd: int) -> None:
    """Serve fork and end commands on an inherited socket until it is closed."""
    control = socket.socket(fileno=fd)
    there = warm()
    for framework in there:
        _rehearse(framework)
    _fill()
    lock = Lock()
    if threads() != 1:
        raise SystemExit(f"the zygote has {threads()} threads and cannot fork safely")
    os.environ.clear()
    gc.collect()
    gc.freeze()
    _fold()
    _reply(control, {"frameworks": there})
    while True:
        message, fds, _, _ = socket.recv_fds(control, MAX_COMMAND, 2)
        if not message:
            return
        command = json.loads(message)
        if command["do"] == "fork":
            _reply(control, {"pid": _fork(control, fds, command["seconds"], lock)})
        else:
            _reply(control, {"status": _end(command["pid"])})


def _rehearse(framework: str) -> None:
    """Do once what each worker will do: what is touched here need not be touched in all of them."""
    if framework not in REHEARSAL:
        return
    filename = "<rehearsal>"
    namespace, errors = worker.run_cells({filename: REHEARSAL[framework]})
    session = Session(ADAPTERS[framework](), namespace["rehearse"], filename.__eq__)
    header = {
        "do": "call",
        "is_class": False,
        "settings": {},
        "arguments": [{"name": "X", "array": 0}],
        "parameters": [],
        "outputs": [{"name": "weights", "attribute": False}],
        "forbidden": ["torch.nn.functional.layer_norm", "mxnet.nd.LayerNorm"],
        "train": False,
        "cotangents": [1],
    }
    arrays = [np.ones((2, 3, 4), np.float32), np.ones((2, 3, 3), np.float32)]
    reply, _ = session.exchange(header, arrays)
    if errors or "outputs" not in reply:
        raise SystemExit(f"{framework} does not work on this machine: {errors or reply}")
    linecache.cache.pop(filename)
    del sys.modules["submission"]


def _fill() -> None:
    """Use up the holes between what malloc has given out.

    A worker that takes one hole here and one there gets a copy of each page; what it takes
    after the last hole lies side by side.
    """
    if sys.platform != "linux":
        return
    malloc = ctypes.CDLL(None).malloc
    malloc.restype, malloc.argtypes = ctypes.c_void_p, [ctypes.c_size_t]
    for size in (*(1 << n for n in range(16, 10, -1)), *range(1016, 23, -16)):
        neighbours = last = 0
        for _ in range(MAX_HOLES):
            given = malloc(size)
            neighbours = neighbours + 1 if 0 < given - last <= size + 32 else 0
            last = given
            if neighbours == 8:
                break


def _fold() -> None:
    """Gather memory into huge pages: a fork copies the table of pages, and this makes it short.

    A kernel that cannot do it (before 6.1) refuses, and nothing changes.
    """
    maps = Path("/proc/self/maps")
    libc = ctypes.CDLL(None)
    for line in maps.read_text().splitlines() if maps.exists() else []:
        addresses, rights, _, _, _, *name = line.split()
        start, end = (int(address, 16) for address in addresses.split("-"))
        start, end = -(-start // HUGE) * HUGE, end // HUGE * HUGE
        if rights == "rw-p" and name in ([], ["[heap]"]) and start < end:
            for advice in (_HUGE_PAGES, _COLLAPSE):
                libc.madvise(ctypes.c_void_p(start), ctypes.c_size_t(end - start), advice)


def threads() -> int:
    """How many threads this process has, as the kernel counts them."""
    return len(os.listdir("/proc/self/task")) if sys.platform == "linux" else 1  # noqa: PTH208


def _fork(control: socket.socket, fds: list[int], seconds: int, lock: Lock) -> int:
    pid = os.fork()
    if pid:
        for fd in fds:
            os.close(fd)
        return pid
    try:
        connection = socket.socket(fileno=fds[0])
        control.close()
        if threads() != 1:
            os._exit(1)
        worker.serve(connection, lock.close(connection.fileno(), fds[1], seconds))
    finally:
        os._exit(0)


def _end(pid: int) -> int:
    """Kill a worker, if it still runs, and say how it ended: -signal or exit status."""
    found, status = os.waitpid(pid, os.WNOHANG)
    if not found:
        os.kill(pid, signal.SIGKILL)
        _, status = os.waitpid(pid, 0)
    return os.waitstatus_to_exitcode(status)


def _reply(control: socket.socket, reply: dict[str, Any]) -> None:
    control.send(json.dumps(reply).encode())
