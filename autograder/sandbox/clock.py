"""The clock of every deadline: how long a process has had, whatever else the machine does meanwhile."""

import os
import time
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path

# Where the kernel does not count waits, only processor time counts; a sleeper ends after so many times as long.
SLEEPS = 10
# The share of its time for which a process has waited on a machine that is called busy.
BUSY = 0.2

TimeLeft = Callable[[], float]


class Clock:
    """Seconds of a process with one thread: those that have passed, less those that it waited for a processor.

    On Linux, `/proc/PID/schedstat` holds three numbers: nanoseconds on a processor, nanoseconds of waiting for
    one, and turns. Elsewhere processor time counts, and all time where that is not told either.
    """

    def __init__(self, pid: int | None = None) -> None:
        """pid: the process; this one if None."""
        self.begun = time.monotonic()
        self.is_another, self.folder = pid is not None, Path("/proc") / (str(pid) if pid else "self")
        # What clock_getcpuclockid(3) gives for a process.
        self.processor = ~(pid or 0) << 3 | 2
        self.fd: int | None = None
        self.base = self.last_waited = 0.0
        with suppress(OSError):
            self.fd = os.open(self.folder / "schedstat", os.O_RDONLY) if _tells_waits() else None
        with suppress(OSError, AttributeError):
            self.base = self._counted()

    def __del__(self) -> None:
        if self.fd is not None:
            with suppress(OSError):  # what a submission may have closed
                os.close(self.fd)

    def now(self) -> float:
        """Return the seconds since this clock was made."""
        return time.monotonic() - self.begun - self.waited()

    def waited(self) -> float:
        """Return the seconds that the process has waited for a processor; of one that is gone, what was last known."""
        with suppress(OSError, AttributeError):
            elapsed, counted = time.monotonic() - self.begun, self._counted() - self.base
            self.last_waited = counted if self.fd is not None else elapsed - max(counted, elapsed / SLEEPS)
        return self.last_waited

    def _counted(self) -> float:
        """Return what the kernel tells: seconds of waiting, or else of processor time."""
        return time.clock_gettime(self.processor) if self.fd is None else self._numbers()[1] / 1e9

    def was_kept_waiting(self) -> bool:
        """Return whether the machine was so busy that even a deadline on this clock may have come too early."""
        return self.waited() > BUSY * (time.monotonic() - self.begun)

    def allow(self, seconds: float, begun: float | None = None) -> TimeLeft:
        """Return what tells how much is left of so many seconds. begun: the time of this clock; now if None."""
        end = (self.now() if begun is None else begun) + seconds

        def remaining() -> float:
            if (rest := end - self.now()) > 0:  # each look at the clock costs a call of the system
                return rest
            self._let_a_wait_end()
            return end - self.now()

        return remaining

    def _let_a_wait_end(self) -> None:
        """Let a process that waits for a processor have one: the kernel counts a wait when it ends."""
        with suppress(OSError):
            before = self._numbers() if self.fd is not None else []
            while before and self._numbers() == before and self._is_runnable():
                time.sleep(0.01)

    def _is_runnable(self) -> bool:
        """Return whether it has a processor or waits for one; this process, which asks, waits for none."""
        return self.is_another and (self.folder / "stat").read_text().rpartition(")")[2].split()[0] == "R"

    def _numbers(self) -> list[int]:
        assert self.fd is not None
        return [int(number) for number in os.pread(self.fd, 100, 0).split()]


@cache
def _tells_waits() -> bool:
    """Return whether this kernel counts waits: one that was built without writes zeros, even of a process that runs."""
    return Path("/proc/self/schedstat").read_text().split()[2] != "0"
