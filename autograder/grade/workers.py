"""The processes that run submissions, as the judge holds them: a zygote, and the workers that it forks."""

import json
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import replace
from typing import Any

from autograder.frameworks import VARIABLE, frameworks
from autograder.judge.protocol import Request, Tampering
from autograder.model.assignment import TimeLimits
from autograder.model.errors import ZygoteFailed
from autograder.model.paths import ROOT
from autograder.sandbox.board import Board, shared_memory
from autograder.sandbox.clock import Clock, TimeLeft
from autograder.sandbox.requests import CallRequest, CallsRequest, EntryRequest, SourceRequest, failed
from autograder.sandbox.wire import Arrays, Header, WireError, receive, send

# The root is on the path only while the sandbox's own modules are imported.
BOOT = (
    "import sys; sys.path.insert(0, {root!r}); from autograder.sandbox.parent import die_with; die_with({parent}); "
    "from autograder.sandbox import zygote; zygote.frameworks(); sys.path.remove({root!r}); "
    "zygote.main({fd}, {memory}, {landlock})"
)
ENVIRONMENT = {
    "PATH": "/usr/bin:/bin",
    "LANG": "C.UTF-8",
    "OMP_NUM_THREADS": "1",
    "OMP_THREAD_LIMIT": "1",  # whatever an answer asks for: a worker may start none
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "MALLOC_ARENA_MAX": "2",
    # Memory in huge pages makes a fork cheaper (glibc 2.35 and later).
    "GLIBC_TUNABLES": "glibc.malloc.hugetlb=1",
    "PYTHONDONTWRITEBYTECODE": "1",
}
# Seconds for a worker that has hung up to be gone.
PATIENCE = 2.0
# After so many answers that do not end in time, what is left of a budget is this share of it. After one, a call of
# the same file has half as long: no less, for a right answer may stand behind it.
TIMEOUTS, SHARE_AFTER_TIMEOUTS = 3, 0.1
SHARE_OF_A_FIRST_CALL, SHARE_AFTER_A_TIMEOUT = 0.15, 0.5
# Bytes of all arrays that a worker may answer an exercise with; the judge keeps them. Right answers need 25 kB.
MAX_ANSWERS = 32 << 20


class Zygote(AbstractContextManager["Zygote"]):
    """A warm process that forks workers, until it is closed; a context manager closes it."""

    def __init__(self, landlock: int | None = None) -> None:
        """Start it. landlock: an older version of Landlock than the kernel's, to try what it leaves open."""
        self.used = 0.0  # seconds that its workers have taken, those that have ended
        self.control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        memory = shared_memory()
        self.board = Board(memory)
        numbers = {"parent": os.getpid(), "fd": theirs.fileno(), "memory": memory, "landlock": landlock}
        boot = BOOT.format(root=str(ROOT), **numbers)
        command = [sys.executable, "-I", "-c", boot]
        # What the frameworks need, and nothing of this process's own.
        needed = [pair for framework in frameworks().values() for pair in framework.environment.items()]
        variable = {VARIABLE: os.environ[VARIABLE]} if VARIABLE in os.environ else {}
        self.output = tempfile.TemporaryFile()  # noqa: SIM115
        self.process = subprocess.Popen(
            command,
            env={**ENVIRONMENT, **dict(needed), **variable},
            pass_fds=[theirs.fileno(), memory],
            stdin=subprocess.DEVNULL,
            stdout=self.output,
            stderr=self.output,
            cwd="/",
            process_group=0,  # Ctrl-C is for the process that grades
        )
        theirs.close()
        os.close(memory)
        try:
            self.frameworks: list[str] = self._reply()["frameworks"]
        except BaseException:
            self.close()
            raise

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """End the process at once, and with it every worker that it forked."""
        self.process.kill()
        self.process.wait()
        self.control.close()
        self.output.close()

    def fork(self, time_limits: TimeLimits) -> "Worker":
        """Fork a worker for one submission."""
        ours, theirs = socket.socketpair()
        self.board.clear()  # the worker before may have written anything there, and is gone
        with theirs:
            reply = self._command({"do": "fork", "seconds": int(time_limits.seconds) + 1}, [theirs.fileno()])
        return Worker(self, reply["pid"], ours, time_limits)

    def end(self, pid: int, patience: float, used: float = 0.0) -> tuple[int, bool]:
        """End a worker; returns its exit status (or minus the signal), and whether it had to be killed.

        patience: seconds to wait for a worker that has hung up. used: seconds for which answers were waited for;
        what it took of processors counts where that is more.
        """
        reply = self._command({"do": "end", "pid": pid, "patience": patience})
        self.used += max(used, float(reply["processor"]))
        return int(reply["status"]), bool(reply["killed"])

    def is_alive(self) -> bool:
        """Return whether the process still runs."""
        return self.process.poll() is None

    def _command(self, command: dict[str, Any], fds: Sequence[int] = ()) -> dict[str, Any]:
        """Send a command, with which descriptors may travel, and return the reply. Raises ZygoteFailed."""
        try:
            socket.send_fds(self.control, [json.dumps(command).encode()], fds)
        except OSError as error:
            raise ZygoteFailed("the process that forks workers is gone") from error
        return self._reply()

    def _reply(self) -> dict[str, Any]:
        try:
            message = self.control.recv(4096)
        except OSError:
            message = b""
        if not message:
            self.output.seek(0)
            last = self.output.read().decode("utf-8", "replace").strip().split("\n")[-1]
            raise ZygoteFailed(
                f"the process that forks workers has ended: {last or 'is there enough memory?'}"
            )
        return json.loads(message)


class Budget:
    """The time of one submission, over all workers of a zygote that run it.

    learner_limit: what its learner's other files have left of theirs; all if None.
    """

    def __init__(self, zygote: Zygote, time_limits: TimeLimits, learner_limit: float | None = None) -> None:
        self.zygote, self.whole, self.begun = zygote, time_limits, zygote.used
        self.file_limit = time_limits.submission_seconds
        self.learner_limit = time_limits.learner_seconds if learner_limit is None else learner_limit
        self.timeouts = 0

    def used(self) -> float:
        """Return the seconds that it has taken."""
        return self.zygote.used - self.begun

    def remaining(self) -> float:
        """Return the seconds that are left; zero or less if there are none."""
        return min(self.file_limit, self.learner_limit) - self.used()

    def note_timeout(self) -> None:
        """Note an answer that has not come in time: after a few of them, little time is left for the rest."""
        self.timeouts += 1
        if self.timeouts == TIMEOUTS:
            share = SHARE_AFTER_TIMEOUTS * self.whole.submission_seconds
            self.file_limit = min(self.file_limit, self.used() + share)

    def time_limits(self, is_first: bool = False) -> TimeLimits:
        """Return the time limits of the next worker, which gets no more than what is left.

        is_first: whether what does not end there is judged again, so that a short time for a call will do.
        """
        share = SHARE_OF_A_FIRST_CALL if is_first else SHARE_AFTER_A_TIMEOUT if self.timeouts else 1.0
        seconds = min(self.whole.seconds, max(self.remaining(), 0.1))
        return replace(self.whole, call_seconds=share * self.whole.call_seconds, seconds=seconds)


class Worker(AbstractContextManager["Worker"]):
    """One submission's process. Its `exchange_all` is what the judge calls.

    Its time limits are on a clock of its own, which runs while the judge waits for it.
    """

    def __init__(self, zygote: Zygote, pid: int, connection: socket.socket, time_limits: TimeLimits) -> None:
        self.zygote, self.pid, self.connection = zygote, pid, connection
        self.time_limits = time_limits
        self.differentiates = True
        self.clock = Clock(pid)
        self.used = 0.0
        self.room = MAX_ANSWERS
        self.status: int | None = None
        self.killed_here = False
        ready, _ = receive(connection, self.clock.allow(time_limits.source_seconds))
        self.layers: dict[str, bool] = ready["layers"]

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Stop the process and close the connection."""
        try:
            self.end()
        except ZygoteFailed:
            self.status = -signal.SIGKILL  # the end of its zygote has ended it too
        self.connection.close()

    def exchange(self, request: SourceRequest | EntryRequest, arrays: Arrays) -> tuple[Header, Arrays]:
        """Send one request and return its reply. Raises TooLate, Closed or Tampering."""
        self.room = MAX_ANSWERS  # another exercise begins
        seconds = self.time_limits.call_seconds
        if request["do"] == "source":
            self.differentiates = frameworks()[request["framework"]].differentiates
            seconds = self.time_limits.source_seconds
        self._send(request, arrays, seconds)
        return self._receive(seconds)

    def exchange_all(self, calls: Sequence[tuple[CallRequest, Arrays]]) -> list[tuple[Header, Arrays]]:
        """Send all calls at once, and return one reply after another, up to the first that says that its call has failed.

        Each has its own deadline, twice as long with gradients. Raises TooLate, Closed or Tampering.
        """
        counts = [len(arrays) for _, arrays in calls]
        request: CallsRequest = {"do": "calls", "calls": [call for call, _ in calls], "counts": counts}
        self._send(request, [array for _, arrays in calls for array in arrays], self.time_limits.call_seconds)
        replies: list[tuple[Header, Arrays]] = []
        for call, _ in calls:
            seconds = self.time_limits.call_seconds * (1 if call["cotangents"] is None else 2)
            replies.append(self._receive(seconds))
            if failed(replies[-1][0]):
                break
        return replies

    def _send(self, request: Request, arrays: Arrays, seconds: float) -> None:
        if select.select([self.connection], [], [], 0)[0]:
            with suppress(OSError):
                if self.connection.recv(1, socket.MSG_PEEK):
                    raise Tampering("it sent an answer before it was asked")
        with self._allowed(seconds) as remaining:
            send(self.connection, request, arrays, remaining)

    def _receive(self, seconds: float) -> tuple[Header, Arrays]:
        try:
            with self._allowed(seconds) as remaining:
                reply, answered = receive(self.connection, remaining, self.room)
        except WireError as error:
            raise Tampering(str(error)) from error
        self.room -= sum(array.nbytes for array in answered)
        return reply, answered

    @contextmanager
    def _allowed(self, seconds: float) -> Iterator[TimeLeft]:
        """Give what is left of so many seconds, and of the time for all, and note what was taken of it."""
        begun = self.clock.now()
        try:
            yield self.clock.allow(min(seconds, self.time_limits.seconds - self.used), begun)
        finally:
            self.used += self.clock.now() - begun

    def end(self, patience: float = 0.0) -> int:
        """Stop the process, once; returns its exit status, or minus the signal that ended it."""
        if self.status is None:
            self.status, self.killed_here = self.zygote.end(self.pid, patience, self.used)
        return self.status

    def was_killed_from_outside(self) -> bool:
        """Return whether somebody else killed it: the kernel for want of memory, an administrator, itself."""
        return self.end(PATIENCE) == -signal.SIGKILL and not self.killed_here
