"""Whether an answer gets the same verdict whatever is installed: `python -m benchmarks.environments PYTHON ...`.

Each interpreter, of an environment with NumPy and PyTorch of its own, judges the wrong answers of `benchmarks/data`
and the solutions in its frameworks. What the first one says is compared with what the others say: outcome, and the
name of the wrong idea. Each answer with another verdict is named.
"""

import argparse
import json
import os
import subprocess
import sys
import warnings
from collections.abc import Iterator

from autograder.checking.check import LocalTransport
from autograder.diagnose.diagnosis import diagnose
from autograder.frameworks.libraries import mx, seed, torch, versions
from autograder.model.catalogue import all_exercises
from autograder.model.paths import ROOT
from autograder.model.verdict import Verdict
from benchmarks.answers import verdict_on, wrong_answers
from tools.wrong_versions import solution

TELL = "--tell"


def verdicts() -> Iterator[tuple[str, list[str | None]]]:
    """What this interpreter says of each answer: its outcome, and the wrong idea by name."""
    here = [name for name, module in (("torch", torch), ("mxnet", mx)) if module is not None]
    for name, exercise in all_exercises().items():
        for framework in here:
            entry = getattr(solution(exercise.topic, framework), exercise.entry)
            yield (
                f"{name} ({framework}), solution",
                told(diagnose(exercise, LocalTransport(framework, entry), framework)),
            )
    for answer in wrong_answers():
        if answer.framework in here:
            seed(0)  # which idea of dropout it is can hang on what is dropped
            key = f"{answer.exercise} ({answer.framework}), wrong answer {answer.number}"
            yield key, told(verdict_on(answer))


def told(verdict: Verdict) -> list[str | None]:
    return [verdict.outcome, verdict.misconception]


def asked(python: str) -> tuple[str, dict[str, list[str | None]]]:
    """The versions of another interpreter, and what it says."""
    variables = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [python, "-m", "benchmarks.environments", TELL]
    done = subprocess.run(command, cwd=ROOT, env=variables, stdout=subprocess.PIPE, text=True, check=True)
    here, said = json.loads(done.stdout.splitlines()[-1])
    return here, said


def main() -> None:
    made = argparse.ArgumentParser(
        prog="python -m benchmarks.environments", description=(__doc__ or "").split("\n")[0]
    )
    made.add_argument("pythons", nargs="+", metavar="PYTHON", help="interpreters; the first is compared with")
    made.add_argument(TELL, action="store_true", help=argparse.SUPPRESS)
    if TELL in sys.argv[1:]:
        warnings.simplefilter("ignore")
        sys.stdout.write(json.dumps([versions(), dict(verdicts())]) + "\n")
        return
    (first, expected), *others = map(asked, made.parse_args().pythons)
    sys.stdout.write(f"{first}: {len(expected)} answers\n")
    for named, found in others:
        both = [key for key in expected if key in found]
        differ = [key for key in both if expected[key] != found[key]]
        sys.stdout.write(f"{named}: {len(both)} answers, {len(differ)} with another verdict\n")
        for key in differ:
            sys.stdout.write(f"  {key}: {expected[key]} there, {found[key]} here\n")


if __name__ == "__main__":
    main()
