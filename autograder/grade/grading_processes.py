"""The processes of this machine that grade, one submission at a time each.

Neither queues nor semaphores stand between them and the main process, only a socket for each: nothing
stays behind, whatever is killed.
"""

import logging
import os
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from itertools import chain
from multiprocessing.connection import Connection, Pipe, wait
from typing import Any, Generic, TypeVar

from autograder.grade.log import level, to_standard_error
from autograder.model.errors import AutograderError

log = logging.getLogger(__name__)
BOOT = (
    "import sys; sys.path[:] = {path!r}; from autograder.sandbox.parent import die_with; die_with({parent}); "
    "from autograder.grade import grading_processes; grading_processes.serve({fd}, {level})"
)
# How many processes may die over the same job, and how many in a row before they have begun.
ATTEMPTS = 3
READY = "ready"

Job = TypeVar("Job")
Result = TypeVar("Result")


class GradingProcess(Generic[Job]):
    """A process that grades. job: what it has been given; deaths: how many processes have died over it."""

    def __init__(self, job: Job, deaths: int) -> None:
        self.job, self.deaths, self.is_ready = job, deaths, False
        self.connection, theirs = Pipe()
        boot = BOOT.format(path=sys.path, parent=os.getpid(), fd=theirs.fileno(), level=level())
        # A group of its own: Ctrl-C reaches the main process alone, which ends the others.
        self.popen = subprocess.Popen(
            [sys.executable, "-c", boot],
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
            process_group=0,
        )
        theirs.close()

    def send(self, function: Callable[[Job], Any]) -> None:
        """Give it its job. If it has died, nothing is received from it."""
        with suppress(OSError):
            self.connection.send((function, self.job))

    def end(self) -> None:
        """Kill it; the kernel then kills its zygote and that one's workers."""
        self.popen.kill()
        self.popen.wait()
        self.connection.close()


def serve(fd: int, level: int) -> None:
    """Grade, on the other side, until the main process hangs up."""
    to_standard_error(level)
    connection: Connection = Connection(fd)
    connection.send(READY)
    with suppress(EOFError, OSError):
        while True:
            function, job = connection.recv()
            try:
                answer = function(job)
            except AutograderError as error:
                answer = error
            connection.send(answer)


class GradingProcesses(Generic[Job, Result]):
    """Each job with what the function made of it, in the order in which they end, from as many processes.

    None: every process that had this job has died. Raises an AutograderError of the function, and
    AutograderError if no process can be started.
    """

    def __init__(self, function: Callable[[Job], Result], jobs: Iterable[Job], processes: int) -> None:
        self.function, self.processes = function, processes
        # Each job with how many processes have died over it.
        self.waiting: Iterator[tuple[Job, int]] = ((job, 0) for job in jobs)
        self.running: dict[Connection, GradingProcess[Job]] = {}
        self.failed_starts = 0

    def __iter__(self) -> Iterator[tuple[Job, Result | None]]:
        try:
            while True:
                while len(self.running) < self.processes and (next_job := next(self.waiting, None)):
                    process = GradingProcess(*next_job)
                    self.running[process.connection] = process
                if not self.running:
                    return
                for connection in wait(list(self.running)):
                    yield from self._hear(self.running[connection])  # type: ignore[index]
        finally:
            for process in self.running.values():
                process.end()

    def _hear(self, process: GradingProcess[Job]) -> Iterator[tuple[Job, Result | None]]:
        """Take one message of a process, or its death, and yield what follows."""
        try:
            answer = process.connection.recv()
        except (EOFError, OSError):
            yield from self._bury(process)
            return
        if isinstance(answer, AutograderError):
            raise answer
        if not process.is_ready:
            process.is_ready, self.failed_starts = True, 0
            process.send(self.function)
            return
        done = process.job
        # The next job goes out before this result is kept, so that the process does not wait.
        if next_job := next(self.waiting, None):
            process.job, process.deaths = next_job
            process.send(self.function)
        else:
            self._dismiss(process)
        yield done, answer

    def _dismiss(self, process: GradingProcess[Job]) -> None:
        del self.running[process.connection]
        process.end()

    def _bury(self, process: GradingProcess[Job]) -> Iterator[tuple[Job, None]]:
        """Give the job of a process that has died to another, but not for ever."""
        self._dismiss(process)
        log.warning("a process that grades has died: the submission that it had begins anew")
        process.deaths += process.is_ready
        self.failed_starts += not process.is_ready
        if self.failed_starts == ATTEMPTS:
            raise AutograderError(
                f"The processes that grade end as soon as they start (status {process.popen.returncode}): "
                "is there enough memory? Run the same command again, or with a smaller --processes."
            )
        if process.deaths < ATTEMPTS:
            self.waiting = chain([(process.job, process.deaths)], self.waiting)
        else:
            yield process.job, None
