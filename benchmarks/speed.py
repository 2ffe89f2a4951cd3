"""How fast `check` and `grade` are: `python -m benchmarks.speed`."""

import statistics
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path

from autograder.checking.check import LocalTransport
from autograder.frameworks import graded_frameworks
from autograder.grade.pool import processes_here
from autograder.grade.run import GradeOptions, run_all
from autograder.judge.trial import judge
from autograder.model.assignment import Assignment, TimeLimits
from autograder.model.catalogue import all_exercises
from tools.figures import parser, report
from tools.wrong_versions import solution

REPEATS = 5
SUBMISSIONS = 120


def seconds(run: Callable[[], object]) -> float:
    """Return the median of several runs, after one that does not count."""
    run()
    times = []
    for _ in range(REPEATS):
        begun = time.perf_counter()
        run()
        times.append(time.perf_counter() - begun)
    return statistics.median(times)


def check_times(framework: str) -> list[float]:
    """Return the seconds of `check` on the solution of every exercise."""
    medians = []
    for exercise in all_exercises().values():
        runner = LocalTransport(framework, getattr(solution(exercise.topic, framework), exercise.entry))
        medians.append(seconds(lambda e=exercise, r=runner: judge(e, r, framework)))  # type: ignore[misc]
    return medians


def grade_rate(framework: str) -> float:
    """Return exercises a second, with the full lock, on all processors: a class of single answers."""
    source = Path(solution("masked_softmax", framework).__file__ or "").read_text(encoding="utf-8")
    run = GradeOptions(Assignment.of(["masked_softmax"]), framework, TimeLimits())
    with tempfile.TemporaryDirectory() as folder:
        for i in range(SUBMISSIONS):
            Path(folder, f"{i:03d}.py").write_text(f"{source}\n# {i}\n", encoding="utf-8")
        times: list[float] = []
        rows = run_all(Path(folder), None, run, lambda done, total: times.append(time.perf_counter()))
    if any(v.outcome != "accepted" for row in rows for v in row.verdicts):
        raise SystemExit("a right answer was not accepted")
    # From the first results on: the start of the processes is paid once.
    warm = len(times) // 5
    return (len(times) - warm) / (times[-1] - times[warm - 1])


def main() -> None:
    keep = parser("speed", __doc__).parse_args().store
    warnings.simplefilter("ignore")
    checks = {f: check_times(f) for f in graded_frameworks()}
    figures = {
        "processors": processes_here(),
        "check": {f: {"median": statistics.median(t), "slowest": max(t)} for f, t in checks.items()},
        "grade": {f: grade_rate(f) for f in graded_frameworks()},
    }
    report("speed", figures, keep)


if __name__ == "__main__":
    main()
