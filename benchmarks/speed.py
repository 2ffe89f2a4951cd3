"""How fast `check` and `grade` are: `python -m benchmarks.speed`."""

import statistics
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path

from autograder.grade.pool import processes_here
from autograder.grade.processes import Deadlines
from autograder.grade.run import GradeOptions, run_all
from autograder.judge.trial import judge
from autograder.learner.check import LocalTransport
from autograder.model.catalogue import all_exercises
from exercises.wrong import FRAMEWORKS
from tools.wrong_versions import solution

REPEATS = 5
SUBMISSIONS = 120


def seconds(run: Callable[[], object]) -> float:
    """The median of several runs, after one that does not count."""
    run()
    taken = []
    for _ in range(REPEATS):
        begun = time.perf_counter()
        run()
        taken.append(time.perf_counter() - begun)
    return statistics.median(taken)


def check_times(framework: str) -> list[float]:
    """Seconds for `check` on the solution of every exercise."""
    found = []
    for exercise in all_exercises().values():
        runner = LocalTransport(framework, getattr(solution(exercise.topic, framework), exercise.entry))
        found.append(seconds(lambda e=exercise, r=runner: judge(e, r, framework)))  # type: ignore[misc]
    return found


def grade_rate(framework: str) -> float:
    """Exercises a second, with the full lock, on all processors: a class of single answers."""
    source = Path(solution("masked_softmax", framework).__file__ or "").read_text(encoding="utf-8")
    run = GradeOptions(("masked_softmax",), framework, Deadlines())
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
    warnings.simplefilter("ignore")
    sys.stdout.write(f"{processes_here()} processors\n\n| | MXNet | PyTorch |\n| --- | ---: | ---: |\n")
    checks = {f: check_times(f) for f in FRAMEWORKS}
    for words, pick in (("median", statistics.median), ("slowest", max)):
        cells = " | ".join(f"{1000 * pick(checks[f]):.0f} ms" for f in FRAMEWORKS)
        sys.stdout.write(f"| `check`, {words} of all exercises | {cells} |\n")
    rates = " | ".join(f"{grade_rate(f):.0f} a second" for f in FRAMEWORKS)
    sys.stdout.write(f"| `grade`, full lock, one exercise in a submission | {rates} |\n")


if __name__ == "__main__":
    main()
