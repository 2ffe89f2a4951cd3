"""Runs of `grade` that are killed: their processes, their classes and what their gradebooks hold."""

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import psutil

from autograder.marks.gradebook import Gradebook
from autograder.model.paths import ROOT

EXERCISES = ("masked_softmax", "masked_softmax_or_zero")
PATIENCE = 30  # seconds: generous, since tests share the machine
# The signal that ends one of a run's processes.
SIGNALS = {
    "main": signal.SIGKILL,
    "judge": signal.SIGKILL,
    "zygote": signal.SIGKILL,
    "terminal": signal.SIGHUP,
    "terminate": signal.SIGTERM,
}


class Run:
    """A `grade` command in a session of its own, with all processes that it has had."""

    def __init__(self, submissions: Path, book: Path, *more: str) -> None:
        exercises = [word for name in EXERCISES for word in ("--exercise", name)]
        command = [sys.executable, "-m", "autograder", "grade", str(submissions), "--gradebook", str(book)]
        self.main = subprocess.Popen(
            [*command, *exercises, "--processes", "2", *more],
            cwd=ROOT, start_new_session=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )  # fmt: skip
        self.pids = {self.main.pid}
        self.judges: list[psutil.Process] = []
        self.zygotes: list[psutil.Process] = []

    def look(self) -> list[psutil.Process]:
        """The processes that this run has started and that still run.

        Each names in its command whose end it shares; a worker, which is a fork, has the zygote's command.
        """
        commands = _commands()
        while new := {p.pid for p, c in commands.items() if _shares_end(c, self.pids)} - self.pids:
            self.pids |= new
        running = [process for process, command in commands.items() if _shares_end(command, self.pids)]
        self.judges = [process for process in running if "grading_processes.serve" in commands[process]]
        self.zygotes = [process for process in running if "zygote.main" in commands[process]]
        return running  # what reads a large submission is neither

    def wait_until_it_grades(self, seconds: float = 60, in_judges: bool = True) -> None:
        """Until workers run. in_judges: those of judges, which a run with a single submission does not have."""
        last = time.monotonic() + seconds
        while time.monotonic() < last and self.main.poll() is None:
            self.look()
            judges = {judge.pid for judge in self.judges} if in_judges else {self.main.pid}
            # A zygote of no judge only tries what the lock can do here.
            judging = {zygote.pid for zygote in self.zygotes if _parent(zygote) in judges}
            if any(_parent(worker) in judging for worker in self.zygotes):
                return
            time.sleep(0.1)

    def is_over(self) -> bool:
        return self.main.poll() is not None

    def kill(self, way: str) -> None:
        """End the process that the way names; of several, any."""
        self.look()
        pids = [p.pid for p in {"judge": self.judges, "zygote": self.zygotes}.get(way, [self.main])]
        with suppress(ProcessLookupError):  # it may have ended by itself meanwhile
            os.kill(random.choice(pids), SIGNALS[way]) if pids else None

    def remaining(self) -> list[str]:
        """Return the commands of the processes that still run PATIENCE seconds after the main process has ended."""
        self.main.wait()
        last = time.monotonic() + PATIENCE
        while (running := self.look()) and time.monotonic() < last:
            time.sleep(0.1)
        return [f"{process.pid} {' '.join(process.cmdline())[-60:]}" for process in running]

    def semaphores(self) -> list[str]:
        """Named semaphores that the run's processes hold, which would outlive them."""
        return [
            line.rsplit(None, 1)[-1]
            for pid in [self.main.pid, *(process.pid for process in self.look())]
            for line in _maps(pid)
            if "/dev/shm/" in line and "(deleted)" not in line
        ]


def _commands() -> dict[psutil.Process, str]:
    """The command of each process that runs; what has ended and is not yet collected has none."""
    commands = {}
    for process in psutil.process_iter():
        with suppress(psutil.Error):
            commands[process] = " ".join(process.cmdline())
    return commands


def _shares_end(command: str, pids: Iterable[int]) -> bool:
    return any(f"die_with({pid})" in command for pid in pids)


def _parent(process: psutil.Process) -> int:
    try:
        return process.ppid()
    except psutil.Error:
        return 0


def _maps(pid: int) -> list[str]:
    try:
        return Path(f"/proc/{pid}/maps").read_text().splitlines()
    except OSError:
        return []


def make_class(folder: Path, number: int) -> None:
    """Right and wrong answers, no two with the same bytes."""
    right = (ROOT / "solutions" / "masked_softmax" / "in_torch.py").read_text(encoding="utf-8")
    wrong = (ROOT / "tests" / "sample_class" / "mask_too_late.py").read_text(encoding="utf-8")
    folder.mkdir()
    for i in range(number):
        (folder / f"{i:03d}.py").write_text(f"{wrong if i % 3 else right}\n# {i}\n", encoding="utf-8")


def fresh_gradebook(path: Path) -> Path:
    """A gradebook with a key that is always the same, so that two can be compared."""
    book = Gradebook(path)
    book.key(b"kills" * 6)
    book.close()
    return path


def contents(path: Path) -> tuple[list[Any], dict[str, str]]:
    """All of a gradebook but the seconds and the times."""
    book = Gradebook(path)
    plain = {"seconds": 0.0, "graded_at": ""}
    rows = [replace(r, **plain, verdict=r.verdict.as_dict()) for r in book.results()]  # type: ignore[arg-type]
    problems = book.problems()
    book.close()
    return rows, problems
