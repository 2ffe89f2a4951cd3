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
from autograder.model.assignment import Assignment
from autograder.model.results import SubmissionResult
from course.paths import ROOT
from tools.figures import parser, report

SUBMISSIONS = 10_000
PARTS = 10
# Memory is looked at so many submissions before the end of a part: behind the last, no process judges any more.
EARLY = 5
MIB = 1 << 20


def answers() -> tuple[str, str]:
    """A right answer, and one whose mask comes too late."""
    right = (ROOT / "solutions" / "masked_softmax" / "in_torch.py").read_text(encoding="utf-8")
    wrong = (ROOT / "tests" / "sample_class" / "mask_too_late.py").read_text(encoding="utf-8")
    return right, wrong


def held() -> tuple[float, float, float]:
    """MiB held by this process, by those that judge, and by those that fork."""
    me = psutil.Process()
    judges = [p for p in me.children() if "judges.serve" in " ".join(p.cmdline())]
    zygotes = [child for judge in judges for child in judge.children()]
    return tuple(sum(p.memory_info().rss for p in group) / MIB for group in ([me], judges, zygotes))  # type: ignore[return-value]


def grade(number: int, parts: list[dict[str, float]]) -> list[SubmissionResult]:
    """Grade a class of this size; add to `parts` what was measured after each tenth of it, memory in MiB."""
    right, wrong = answers()
    part, begun = number // PARTS, time.perf_counter()
    memory: dict[str, float] = {}

    def advance(done: int, total: int) -> None:
        nonlocal begun
        if (done + EARLY) % part == 0:
            memory.update(zip(("main", "judges", "zygotes"), held(), strict=True))
        if done % part == 0:
            now = time.perf_counter()
            parts.append({"graded": done, "rate": part / (now - begun), **memory})
            sys.stdout.write(f"{done} graded, {parts[-1]['rate']:.1f} a second\n")
            sys.stdout.flush()
            begun = now

    with tempfile.TemporaryDirectory() as folder:
        submissions = Path(folder, "class")
        submissions.mkdir()
        for i in range(number):
            text = wrong if i % 10 == 9 else right
            (submissions / f"{i:05d}.py").write_text(f"{text}\n# {i}\n", encoding="utf-8")
        run = GradeOptions(Assignment.of(["masked_softmax"]), "torch", Deadlines())
        return run_all(submissions, Path(folder, "gradebook.sqlite"), run, advance)


def slowest_hundredth(rows: list[SubmissionResult], outcome: str) -> float:
    """From how many times the median on the slowest hundredth of the answers with this outcome took."""
    seconds = [row.seconds for row in rows if row.verdicts[0].outcome == outcome]
    return statistics.quantiles(seconds, n=100)[98] / statistics.median(seconds)


def main() -> None:
    arguments = parser("scale", __doc__)
    arguments.add_argument("submissions", type=int, nargs="?", default=SUBMISSIONS)
    given = arguments.parse_args()
    number = given.submissions
    parts: list[dict[str, float]] = []
    rows = grade(number, parts)
    outcomes = [v.outcome for row in rows for v in row.verdicts]
    if outcomes.count("accepted") != number - number // 10 or outcomes.count("rejected") != number // 10:
        raise SystemExit("not every answer got the verdict that it deserves")
    slowest = {w: slowest_hundredth(rows, o) for w, o in (("right", "accepted"), ("wrong", "rejected"))}
    figures = {"processors": processes_here(), "submissions": number, "parts": parts, "slowest": slowest}
    report("scale", figures, given.store)


if __name__ == "__main__":
    main()
