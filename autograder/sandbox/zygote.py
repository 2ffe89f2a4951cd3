"""Imports the frameworks once, then forks a worker for each submission.

Started afresh with a clean environment and one inherited socket; holds no secret; has one
thread and stays so, since a fork of several would hang.
"""

import gc
import importlib
import json
import linecache
import os
import signal
import socket
import sys
import time
from contextlib import ExitStack, suppress
from typing import Any

import numpy as np

from autograder.frameworks import adapter_of, checkable_frameworks, frameworks, library_attention, warm
from autograder.sandbox import worker
from autograder.sandbox.board import Board
from autograder.sandbox.clock import Clock
from autograder.sandbox.fork_tuning import collapse_into_huge_pages, exhaust_free_lists
from autograder.sandbox.lock import Lock
from autograder.sandbox.parent import die_with
from autograder.sandbox.refusals import let_refusals_stay, refusing
from autograder.sandbox.requests import CallRequest
from autograder.sandbox.session import Session

MAX_COMMAND = 4096
# How many threads libraries start, which those that are loaded later read from the environment.
THREADS = ("OMP_NUM_THREADS", "OMP_THREAD_LIMIT", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
# What notebooks import besides the frameworks, each if it is installed. A worker would take half a second for it, and
# two for the compiler, which the first optimiser of PyTorch imports; and Matplotlib, which must find or make a folder
# for its settings, cannot be imported there.
NOTEBOOKS_IMPORT = (
    "course.frameworks", "matplotlib.pyplot", "IPython.display", "torch.utils.flop_counter", "torch._dynamo"
)  # fmt: skip


def main(fd: int, memory: int, landlock: int | None = None) -> None:
    """Serve fork and end commands on an inherited socket until it is closed.

    memory: what the judge shares with all workers, as a descriptor (`board`). landlock: as for `Lock`.
    """
    control = socket.socket(fileno=fd)
    board = Board(memory)
    os.close(memory)
    installed = warm(checkable_frameworks())
    for name in NOTEBOOKS_IMPORT:
        with suppress(ImportError, OSError):
            importlib.import_module(name)
    if pyplot := sys.modules.get("matplotlib.pyplot"):
        pyplot.switch_backend("agg")  # it draws into memory and looks for no display
    replaced = ExitStack()  # never closed: what stands in for the original stays, in each worker too
    for framework in installed:
        _run_warm_up(framework)
        if replace := frameworks()[framework].while_answers_run:
            replaced.enter_context(replace())
    exhaust_free_lists()
    parent = os.getppid()
    lock = Lock(landlock)
    die_with(parent)
    if threads() != 1:
        raise SystemExit(f"the zygote has {threads()} threads and cannot fork safely")
    _clear_environment()
    worker.names_of_the_grader()
    let_refusals_stay()  # what most exercises forbid, once all is imported: a worker seldom needs to refuse more
    with refusing(library_attention()):
        pass
    gc.collect()
    gc.freeze()
    collapse_into_huge_pages()
    _reply(control, {"frameworks": installed})
    while True:
        message, fds, _, _ = socket.recv_fds(control, MAX_COMMAND, 1)
        if not message:
            return
        command = json.loads(message)
        if command["do"] == "fork":
            _reply(control, {"pid": _fork(control, fds, command["seconds"], lock, board)})
        else:
            _reply(control, _end(command["pid"], command["patience"]))


def _run_warm_up(framework: str) -> None:
    """Run a typical answer once: libraries set up here what would otherwise be set up in every worker."""
    source = frameworks()[framework].warm_up
    if not source:
        return
    filename = "<warm-up>"
    namespace, errors = worker.run_cells({filename: source})
    session = Session(adapter_of(framework), namespace["warm_up"], filename.__eq__)
    request: CallRequest = {
        "do": "call", "is_class": False, "settings": {}, "arguments": [{"name": "X", "array": 0}], "parameters": [],
        "outputs": [{"name": "weights", "attribute": False}], "train": False, "measure": False, "cotangents": [1],
        "earlier": [], "forbidden": [],
    }  # fmt: skip
    arrays = [np.ones((2, 3, 4), np.float32), np.ones((2, 3, 3), np.float32)]
    ((reply, _),) = session.exchange_all([(request, arrays)])
    if errors or "outputs" not in reply:
        raise SystemExit(f"{framework} does not work on this machine: {errors or reply}")
    linecache.cache.pop(filename)
    del sys.modules["submission"]


def _clear_environment() -> None:
    """Leave nothing that Python shows, and for libraries only what keeps them from starting threads."""
    needed = {*THREADS, *(name for framework in frameworks().values() for name in framework.environment)}
    variables = {name: value for name, value in os.environ.items() if name in needed}
    os.environ.clear()
    for name, value in variables.items():
        os.putenv(name, value)


def threads() -> int:
    """Count the threads of this process, as the kernel does."""
    return len(os.listdir("/proc/self/task")) if sys.platform == "linux" else 1  # noqa: PTH208


def _fork(control: socket.socket, fds: list[int], seconds: int, lock: Lock, board: Board) -> int:
    zygote = os.getpid()
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
        clock = Clock()  # its file is open before the lock closes
        layers = lock.apply([fd for fd in (connection.fileno(), clock.fd) if fd is not None], seconds)
        if os.getppid() != zygote:  # it was killed before the kernel knew that it takes this process with it
            os._exit(1)
        worker.serve(connection, layers, clock, board)
    finally:
        os._exit(0)


def _end(pid: int, patience: float) -> dict[str, Any]:
    """Return how a worker ended (its exit status, or minus the signal), whether it had to be killed here, and the
    seconds that it took of processors.

    patience: seconds for which a worker that has hung up may still be on its way out.
    """
    remaining = Clock(pid).allow(patience)
    killed = False
    while not (report := os.wait4(pid, 0 if killed else os.WNOHANG))[0]:
        if remaining() <= 0:
            os.kill(pid, signal.SIGKILL)
            killed = True
        else:
            time.sleep(0.001)
    _, status, used = report
    processor = used.ru_utime + used.ru_stime
    return {"status": os.waitstatus_to_exitcode(status), "killed": killed, "processor": processor}


def _reply(control: socket.socket, reply: dict[str, Any]) -> None:
    control.send(json.dumps(reply).encode())
