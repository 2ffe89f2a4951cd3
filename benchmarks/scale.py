"""Whether memory stays flat and time linear: `python -m benchmarks.scale [SUBMISSIONS]`, 10,000 by default.

A class of single answers in PyTorch, one in ten of them wrong, graded with the full lock into a
gradebook. After each tenth of the class: how fast it went, and what the processes hold.

With `--cluster ADDRESS` a Dask cluster grades. With `--five` each file has five answers, and it also says what 20,000
files cost: hours of a processor for answers and judges, which a busy machine does not change much.
"""

import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import psutil

from autograder.grade.cluster import Cluster
from autograder.grade.pool import processes_here
from autograder.grade.run import GradeOptions, run_all
from autograder.model.assignment import Assignment, TimeLimits
from autograder.model.catalogue import all_exercises
from autograder.model.paths import ROOT
from autograder.model.results import SubmissionResult
from tools.figures import parser, report
from tools.wrong_versions import wrong_source

SUBMISSIONS = 10_000
PARTS = 10
# Memory is looked at so many submissions before the end of a part: behind the last, no process judges any more.
EARLY = 5
MIB = 1 << 20
MEASURED = "the share of each process (PSS), so that what several share counts once"
# What a large course has, and what each file holds besides with `--five`.
LARGE = 20_000
FURTHER = ("attention_pooling", "nadaraya_watson", "masked_softmax_or_zero", "scaled_scores")


def answers() -> tuple[str, str]:
    """Return a right answer, and one whose mask comes too late."""
    right = (ROOT / "solutions" / "masked_softmax" / "in_torch.py").read_text(encoding="utf-8")
    wrong = (ROOT / "tests" / "sample_class" / "mask_too_late.py").read_text(encoding="utf-8")
    return right, wrong


def held() -> tuple[float, float, float]:
    """Return the MiB held by this process, by those that judge, and by those that fork, with what they forked.

    As PSS: what several processes share counts once, each with its part of it.
    """
    me = psutil.Process()
    judges = [p for p in me.children() if "grading_processes.serve" in " ".join(p.cmdline())]
    zygotes = [child for judge in judges for child in judge.children(recursive=True)]
    return tuple(sum(map(_pss, group)) / MIB for group in ([me], judges, zygotes))  # type: ignore[return-value]


def _pss(process: psutil.Process) -> int:
    with suppress(psutil.NoSuchProcess):  # a worker that has just ended
        return int(process.memory_full_info().pss)
    return 0


def grade(
    number: int, parts: list[dict[str, float]], further: Sequence[str] = (), cluster: str | None = None
) -> list[SubmissionResult]:
    """Grade a class of this size; add to `parts` what was measured after each tenth of it, memory in MiB.

    further: exercises to which each file holds the course's own answers too. cluster: a scheduler's address.
    """
    more = "\n".join(wrong_source(all_exercises()[name], "torch", []) for name in further)
    right, wrong = (f"from math import sqrt\n{answer}\n{more}" for answer in answers())
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
        assignment = Assignment.of(["masked_softmax", *further])
        run = GradeOptions(assignment, "torch", TimeLimits(), cluster=Cluster(cluster) if cluster else None)
        return run_all(submissions, Path(folder, "gradebook.sqlite"), run, advance)


def times_right(rows: list[SubmissionResult]) -> float:
    """Return how many times as long as a right answer a wrong one takes, in the median."""
    seconds = {o: [r.seconds for r in rows if r.verdicts[0].outcome == o] for o in ("accepted", "rejected")}
    return statistics.median(seconds["rejected"]) / statistics.median(seconds["accepted"])


def slowest_hundredth(rows: list[SubmissionResult], outcome: str) -> float:
    """Return from how many times the median on the slowest hundredth of the answers with this outcome took."""
    seconds = [row.seconds for row in rows if row.verdicts[0].outcome == outcome]
    return statistics.quantiles(seconds, n=100)[98] / statistics.median(seconds)


def main() -> None:
    arguments = parser("scale", __doc__)
    arguments.add_argument("submissions", type=int, nargs="?", default=SUBMISSIONS)
    arguments.add_argument("--five", action="store_true", help="five answers in each file")
    arguments.add_argument("--cluster", help="the address of a Dask scheduler")
    options = arguments.parse_args()
    number = options.submissions
    parts: list[dict[str, float]] = []
    further = FURTHER if options.five else ()
    rows = grade(number, parts, further, options.cluster)
    outcomes = [v.outcome for row in rows for v in row.verdicts]
    right = number * (1 + len(further)) - number // 10
    if outcomes.count("accepted") != right or outcomes.count("rejected") != number // 10:
        raise SystemExit("not every answer got the verdict that it deserves")
    if options.five:
        seconds = [row.seconds / 3600 * LARGE for row in rows]
        hours, error = statistics.mean(seconds), 2 * statistics.stdev(seconds) / number**0.5
        sys.stdout.write(f"{LARGE:,} files: {hours:.1f} ± {error:.1f} hours of one processor\n")
        return
    slowest = {w: slowest_hundredth(rows, o) for w, o in (("right", "accepted"), ("wrong", "rejected"))}
    figures = {"processors": processes_here(), "submissions": number, "parts": parts, "slowest": slowest}
    figures |= {"wrong_to_right": times_right(rows), "memory": MEASURED}
    report("scale", figures, options.store)


if __name__ == "__main__":
    main()
