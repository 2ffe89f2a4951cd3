"""Whether memory stays flat and time linear: `python -m benchmarks.scale [SUBMISSIONS]`, 10,000 by default.

A class of single answers in PyTorch, one in ten of them wrong, graded with the full lock into a
gradebook. After each tenth of the class: how fast it went, and what the processes hold.
"""

import statistics
import sys
import tempfile
import time
from pathlib import Path

import psutil

from autograder.grade.pool import processes_here
from autograder.grade.processes import Deadlines
from autograder.grade.run import GradeOptions, run_all
from autograder.model.results import SubmissionResult
from course.paths import ROOT

SUBMISSIONS = 10_000
PARTS = 10
MIB = 1 << 20


def answers() -> tuple[str, str]:
    """A right answer, and one whose mask comes too late."""
    right = (ROOT / "solutions" / "masked_softmax" / "in_torch.py").read_text(encoding="utf-8")
    wrong = (ROOT / "tests" / "sample_class" / "mask_too_late.py").read_text(encoding="utf-8")
    return right, wrong


def held() -> tuple[float, float, float]:
    """MiB held by this process, by those that judge, and by those that fork."""
    me = psutil.Process()
    judges = [p for p in me.children() if "spawn_main" in " ".join(p.cmdline())]
    zygotes = [child for judge in judges for child in judge.children()]
    return tuple(sum(p.memory_info().rss for p in group) / MIB for group in ([me], judges, zygotes))  # type: ignore[return-value]


def grade(number: int) -> list[SubmissionResult]:
    """Grade a class of this size, and write a line for each part of it."""
    right, wrong = answers()
    part, begun = number // PARTS, time.perf_counter()

    def advance(done: int, total: int) -> None:
        nonlocal begun
        if done % part == 0:
            now = time.perf_counter()
            memory = " | ".join(f"{mib:.0f}" for mib in held())
            sys.stdout.write(f"| {done} | {part / (now - begun):.1f} | {memory} |\n")
            sys.stdout.flush()
            begun = now

    with tempfile.TemporaryDirectory() as folder:
        submissions = Path(folder, "class")
        submissions.mkdir()
        for i in range(number):
            text = wrong if i % 10 == 9 else right
            (submissions / f"{i:05d}.py").write_text(f"{text}\n# {i}\n", encoding="utf-8")
        run = GradeOptions(("masked_softmax",), "torch", Deadlines())
        return run_all(submissions, Path(folder, "gradebook.sqlite"), run, advance)


def main() -> None:
    number = int(sys.argv[1]) if len(sys.argv) > 1 else SUBMISSIONS
    sys.stdout.write(f"{processes_here()} processors\n\n")
    sys.stdout.write("| graded | a second | this process, MiB | judges, MiB | zygotes, MiB |\n")
    sys.stdout.write("| ---: | ---: | ---: | ---: | ---: |\n")
    rows = grade(number)
    outcomes = [v.outcome for row in rows for v in row.verdicts]
    if outcomes.count("accepted") != number - number // 10 or outcomes.count("rejected") != number // 10:
        raise SystemExit("not every answer got the verdict that it deserves")
    for words, outcome in (("right", "accepted"), ("wrong", "rejected")):
        seconds = [row.seconds for row in rows if row.verdicts[0].outcome == outcome]
        median, slow = statistics.median(seconds), statistics.quantiles(seconds, n=100)[98]
        sys.stdout.write(
            f"\n{words} answers: median {1000 * median:.0f} ms, slowest hundredth from {1000 * slow:.0f} ms on, "
            f"{slow / median:.1f} times the median\n"
        )


if __name__ == "__main__":
    main()
