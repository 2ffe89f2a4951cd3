"""How many wrong implementations the checks reject: `python -m benchmarks.checks`.

Misconceptions are the wrong ideas of each exercise, written in both frameworks. Mutants are
small mechanical changes of the reference solutions; those that change no result are listed
by hand, with a reason, in `tools/equivalent_mutants.toml`.

`--cost` measures what `check` takes for the wrong answers of `benchmarks/data` and for the mutants, each
with the search for a name and for a smallest input; `--memory` what a process holds that judges them, with one
framework and with all.
"""

import argparse
import inspect
import io
import resource
import subprocess
import sys
import time
import warnings
from collections.abc import Iterator, Sequence
from contextlib import redirect_stdout
from typing import Any

from autograder.checking.check import LocalTransport, example
from autograder.diagnose.diagnosis import diagnose
from autograder.frameworks import graded_frameworks
from autograder.model.catalogue import all_exercises
from autograder.model.exercise import Exercise
from benchmarks.answers import entry_of, wrong_answers
from tools.figures import parser, report, stored
from tools.mutants import ended, equivalent, mutants, survivors
from tools.wrong_versions import define, solution, wrong_source, wrong_versions

Answer = tuple[Exercise, str, Any]  # with its framework, and the function or class
NUMPY = "numpy"
HELD = "--held"


def misconceptions() -> tuple[int, int, int]:
    """Return (wrong versions, those rejected, those rejected with their own hint)."""
    versions = wrong_versions()
    rejected = with_hint = 0
    for (name, misconception, framework), version in versions.items():
        exercise = all_exercises()[name]
        entry = define(exercise, framework, wrong_source(exercise, framework, version))
        verdict = diagnose(exercise, LocalTransport(framework, entry), framework)
        rejected += verdict.outcome == "rejected"
        with_hint += verdict.misconception == misconception
    return len(versions), rejected, with_hint


def mutated() -> tuple[int, int, int]:
    """Return (mutants, those that change a result, those of them that are rejected)."""
    total = changing = rejected = 0
    for exercise in all_exercises().values():
        for framework in graded_frameworks():
            count, accepted = survivors(exercise, framework)
            harmless = equivalent(exercise, framework)
            total += count
            changing += count - len(harmless)
            rejected += count - len(set(accepted) | harmless)
    return total, changing, rejected


def edited(frameworks: Sequence[str]) -> Iterator[Answer]:
    """Yield the mutants that change a result, as entries."""
    for exercise in all_exercises().values():
        for framework in frameworks:
            harmless = equivalent(exercise, framework)
            text = inspect.getsource(getattr(solution(exercise.topic, framework), exercise.entry))
            for what, source in mutants(text):
                if what not in harmless:
                    yield exercise, framework, define(exercise, framework, source)


def sets_in(frameworks: Sequence[str]) -> dict[str, Iterator[Answer]]:
    """Return the wrong answers and the mutants in these frameworks; in NumPy the wrong ideas that are functions."""
    if NUMPY in frameworks:
        functions = [exercise for exercise in all_exercises().values() if not exercise.is_class]
        return {"wrong ideas": ((e, NUMPY, m.function) for e in functions for m in e.misconceptions)}
    answers = [a for a in wrong_answers() if a.framework in frameworks]
    return {
        "wrong answers": ((all_exercises()[a.exercise], a.framework, entry_of(a)) for a in answers),
        "mutants": edited(frameworks),
    }


def cost() -> dict[str, Any]:
    """Return what `check` takes: milliseconds of processor for each set of answers."""
    costs: dict[str, Any] = {}
    for name, entries in sets_in(graded_frameworks()).items():
        times = sorted(milliseconds(*answer) for answer in entries)
        indices = {"p50": len(times) // 2, "p99": 99 * len(times) // 100, "max": -1}
        costs[name] = {"answers": len(times), **{words: times[i] for words, i in indices.items()}}
    return costs


def memory() -> dict[str, float]:
    """Return the MiB that a process holds at most that judges them, by the frameworks that it uses.

    A process that is started counts as its own what the one that starts it holds then, so this comes before anything
    that imports a framework.
    """
    command = [sys.executable, "-m", "benchmarks.checks", HELD]
    every = [NUMPY, *graded_frameworks(), ",".join(graded_frameworks())]
    return {names: float(subprocess.check_output([*command, names], text=True)) for names in every}


def held(frameworks: Sequence[str]) -> float:
    """Return the MiB that this process has held at most once it has judged the answers in these frameworks."""
    for entries in sets_in(frameworks).values():
        for answer in entries:
            milliseconds(*answer)
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def milliseconds(exercise: Exercise, framework: str, entry: Any) -> float:
    """Return the milliseconds of processor for a verdict on an answer and for its smallest input."""
    begun = time.process_time()
    with redirect_stdout(io.StringIO()), ended():
        verdict = diagnose(exercise, LocalTransport(framework, entry), framework)
        example(exercise, verdict, entry)
    return 1000 * (time.process_time() - begun)


def main() -> None:
    command_line = parser("checks", __doc__)
    command_line.add_argument("--cost", action="store_true", help="measure time alone")
    command_line.add_argument("--memory", action="store_true", help="measure memory alone")
    command_line.add_argument(HELD, help=argparse.SUPPRESS)
    options = command_line.parse_args()
    warnings.simplefilter("ignore")
    if options.held:
        sys.stdout.write(f"{held(options.held.split(','))}\n")
        return
    figures = dict(stored("checks"))
    if not options.cost:
        figures["memory"] = memory()
    if not options.memory:
        figures["cost"] = cost()
    if not (options.cost or options.memory):
        figures |= implementations()
    report("checks", figures, options.store)


def implementations() -> dict[str, Any]:
    """Return the figures of misconceptions and mutants."""
    count, rejected, with_hint = misconceptions()
    total, changing, caught = mutated()
    exercises = len(all_exercises())
    return {
        "exercises": exercises,
        "misconceptions": {"made": count, "rejected": rejected, "named": with_hint},
        "mutants": {"exercises": exercises, "made": total, "changing": changing, "rejected": caught},
    }


if __name__ == "__main__":
    main()
