"""Whether a run of `grade` can be killed anywhere: `python -m benchmarks.kills [TIMES]`, 50 by default.

Kills, as often, at random moments: the main process alone, its whole group, a process that judges, and a
zygote; ends the main process as a closed terminal and as `kill` do, and the group as Ctrl-C does. Two seconds
later none of the run's processes may be left and none may have held a named semaphore, and after continuing
the gradebook must equal that of a run which nobody disturbed.
"""

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import psutil

from autograder.marks.gradebook import Gradebook
from autograder.model.paths import ROOT

TIMES = 50
SUBMISSIONS = 40
EXERCISES = ("masked_softmax", "masked_softmax_or_zero")
PATIENCE = 2.0
# Whom to kill, with which signal.
WAYS = {
    "main": signal.SIGKILL,
    "group": signal.SIGKILL,
    "judge": signal.SIGKILL,
    "zygote": signal.SIGKILL,
    "terminal": signal.SIGHUP,
    "terminate": signal.SIGTERM,
    "interrupt": signal.SIGINT,
}


class Run:
    """A `grade` command in a session of its own, with all processes that it has had."""

    def __init__(self, submissions: Path, book: Path, *more: str) -> None:
        chosen = [word for name in EXERCISES for word in ("--exercise", name)]
        command = [sys.executable, "-m", "autograder", "grade", str(submissions), "--gradebook", str(book)]
        self.main = subprocess.Popen(
            [*command, *chosen, "--processes", "2", *more],
            cwd=ROOT, start_new_session=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )  # fmt: skip
        self.seen = {self.main.pid}
        self.judges: list[psutil.Process] = []
        self.zygotes: list[psutil.Process] = []

    def look(self) -> list[psutil.Process]:
        """The processes that this run has started and that still run.

        Each names in its command whose end it shares; a worker, which is a fork, has the zygote's command.
        """
        commands = _commands()
        while (
            found := {p.pid: p for p, c in commands.items() if _shares_end(c, self.seen)}.keys() - self.seen
        ):
            self.seen |= found
        running = [process for process, command in commands.items() if _shares_end(command, self.seen)]
        self.judges = [process for process in running if "judges.serve" in commands[process]]
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
        """End the one that the way names; of several, any."""
        self.look()
        if way in ("group", "interrupt"):
            with suppress(ProcessLookupError):
                os.killpg(self.main.pid, WAYS[way])
            return
        pids = [p.pid for p in {"judge": self.judges, "zygote": self.zygotes}.get(way, [])]
        if way not in ("judge", "zygote"):
            pids = [self.main.pid]
        with suppress(ProcessLookupError):  # it may have ended by itself meanwhile
            os.kill(random.choice(pids), WAYS[way]) if pids else None

    def left(self, seconds: float = PATIENCE) -> list[str]:
        """The commands of the processes that are left so long after the main process has ended."""
        self.main.wait()
        last = time.monotonic() + seconds
        while (found := self.look()) and time.monotonic() < last:
            time.sleep(0.1)
        return [f"{process.pid} {' '.join(process.cmdline())[-60:]}" for process in found]

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
    found = {}
    for process in psutil.process_iter():
        try:
            found[process] = " ".join(process.cmdline())
        except psutil.Error:
            continue
    return found


def _shares_end(command: str, pids: Iterable[int]) -> bool:
    return any(f"end_with({pid})" in command for pid in pids)


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
    plain = {"seconds": 0.0, "graded": ""}
    rows = [replace(r, **plain, verdict=r.verdict.as_dict()) for r in book.results()]  # type: ignore[arg-type]
    problems = book.problems()
    book.close()
    return rows, problems


def finish(submissions: Path, book: Path) -> None:
    """Run the command to its end. Raises SystemExit if it fails."""
    run = Run(submissions, book)
    words, _ = run.main.communicate()
    if run.main.returncode:
        raise SystemExit(f"the run could not be continued: {words}")


def disturb(submissions: Path, book: Path, way: str, times: int) -> list[str]:
    """Grade, killing as often as asked for, if the class lasts; gives what went wrong."""
    run, wrong = Run(submissions, book), []
    for _ in range(times):
        time.sleep(random.uniform(0, 1) if random.random() < 0.5 else random.uniform(0, 6))
        wrong += run.semaphores()
        if run.is_over():
            break
        run.kill(way)
        if way not in ("judge", "zygote"):
            wrong += run.left()
            run = Run(submissions, book)
    run.main.communicate()
    return wrong + run.left()


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("times", type=int, nargs="?", default=TIMES)
    arguments.add_argument("--seed", type=int, default=0)
    given = arguments.parse_args()
    random.seed(given.seed)
    failed = False
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make_class(folder / "class", SUBMISSIONS)
        finish(folder / "class", fresh_gradebook(folder / "undisturbed"))
        wanted = contents(folder / "undisturbed")
        for way in WAYS:
            wrong, begun = [], time.monotonic()
            for part in range(-(-given.times // 5)):
                book = fresh_gradebook(folder / f"{way}_{part}")
                wrong += disturb(folder / "class", book, way, min(5, given.times - 5 * part))
                finish(folder / "class", book)
                if contents(book) != wanted:
                    wrong.append(f"{book.name} differs from the undisturbed gradebook")
            said = "; ".join(wrong) or "no process left, no semaphore, the same gradebook"
            seconds = time.monotonic() - begun
            sys.stdout.write(f"{way}, {given.times} times, {seconds:.0f} s: {said}\n")
            sys.stdout.flush()
            failed |= bool(wrong)
    raise SystemExit(failed)


if __name__ == "__main__":
    main()
