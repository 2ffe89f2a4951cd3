"""How many wrong implementations the checks reject: `python -m benchmarks.checks`.

Misconceptions are the wrong ideas of each exercise, written in both frameworks. Mutants are
small mechanical changes of the reference solutions; those that change no result are listed
by hand, with a reason, in `exercises/wrong_versions/<topic>.py`. The wrong answers of `tests/wrong_answers`
were written without a look at the misconceptions: of how many is the wrong idea named? The odd ones were looked
at while the edits of `autograder/judge/edits.py` were written, the even ones were not.

`--cost` measures what `check` takes for these answers, and for a sample of the mutants, each with the search for a
name and for a smallest input.
"""

import inspect
import io
import linecache
import random
import re
import resource
import time
import warnings
from collections import Counter
from collections.abc import Iterator
from contextlib import redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from autograder.judge import edit_rules, general_ideas
from autograder.judge.trial import judge
from autograder.learner.check import LocalTransport, example
from autograder.model.catalogue import all_exercises
from autograder.model.exercise import Exercise
from autograder.model.verdict import Verdict
from course.paths import ROOT
from exercises.wrong_versions import FRAMEWORKS
from tools.figures import parser, report, stored
from tools.mutants import ended, equivalent, mutants, survivors
from tools.wrong_versions import define, solution, wrong_source, wrong_versions

# The end of a message that says no more than that values, or some of several answers, are wrong.
BARE = re.compile(r"( are not right| of \d+ (is|are) right)\.$")
# Of so many mutants the cost is measured, drawn by a seed.
SAMPLE, SEED = 600, 0


def misconceptions() -> tuple[int, int, int]:
    """(wrong versions, those rejected, those rejected with their own hint)."""
    versions = wrong_versions()
    rejected = named = 0
    for (name, misconception, framework), version in versions.items():
        exercise = all_exercises()[name]
        entry = define(exercise, framework, wrong_source(exercise, framework, version))
        verdict = judge(exercise, LocalTransport(framework, entry), framework)
        rejected += verdict.outcome == "rejected"
        named += verdict.misconception == misconception
    return len(versions), rejected, named


def mutated() -> tuple[int, int, int]:
    """(mutants, those that change a result, those of them that are rejected)."""
    made = changing = rejected = 0
    for exercise in all_exercises().values():
        for framework in FRAMEWORKS:
            count, accepted = survivors(exercise, framework)
            harmless = equivalent(exercise, framework)
            made += count
            changing += count - len(harmless)
            rejected += count - len(set(accepted) | harmless)
    return made, changing, rejected


@dataclass(frozen=True)
class WrongAnswer:
    """One cell of the set. number: its place in the file of its exercise, from 1."""

    exercise: str
    number: int
    title: str
    framework: str
    source: str


def wrong_answers(folder: Path) -> list[WrongAnswer]:
    """The set of wrong answers: `<topic>/<exercise>.py`, a cell for each, its title with the framework."""
    found = []
    for path in sorted(folder.glob("*/*.py")):
        cells = re.split(r"^# %% ", path.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
        for number, cell in enumerate(cells, 1):
            title, source = cell.split("\n", 1)
            what, framework = re.fullmatch(r"(.*) \[(\w+)\]", title.strip()).groups()  # type: ignore[union-attr]
            found.append(WrongAnswer(path.stem, number, what, framework, source))
    return found


def verdict_on(answer: WrongAnswer) -> Verdict:
    """What `check` says of it."""
    entry = entry_of(answer)
    return judge(all_exercises()[answer.exercise], LocalTransport(answer.framework, entry), answer.framework)


def entry_of(answer: WrongAnswer) -> Any:
    """The function or class that it defines, each in a namespace of its own."""
    name = f"<wrong answer {answer.exercise} {answer.number}>"
    lines = answer.source.splitlines(keepends=True)
    linecache.cache[name] = (len(answer.source), None, lines, name)
    namespace = {"__name__": "handed_in"}
    exec(compile(answer.source, name, "exec"), namespace)
    return namespace[all_exercises()[answer.exercise].entry]


def said(verdict: Verdict) -> str:
    """How much a verdict tells of what is wrong.

    A misconception of the exercise, an edit (alone or with another idea), an idea of any exercise, something
    specific, or the values.
    """
    if verdict.outcome == "accepted":
        return "accepted"
    if verdict.misconception:
        if verdict.misconception in general_ideas.NAMES:
            return "general"
        return "edit" if edit_rules.PREFIX in verdict.misconception else "misconception"
    return "values" if verdict.layer == "values" and BARE.search(verdict.message) else "specific"


def answered(folder: Path = ROOT / "tests" / "wrong_answers") -> dict[str, dict[str, int]]:
    """For the two halves of the set, how many answers are told what."""
    halves = {"seen": Counter[str](), "held out": Counter[str]()}
    for answer in wrong_answers(folder):
        half = halves["seen" if answer.number % 2 else "held out"]
        half["answers"] += 1
        half[said(verdict_on(answer))] += 1
    return {half: dict(count) for half, count in halves.items()}


def edited() -> Iterator[tuple[Exercise, str, Any]]:
    """A sample of the mutants, as entries."""
    made = [
        (exercise, framework, source)
        for exercise in all_exercises().values()
        for framework in FRAMEWORKS
        for _, source in mutants(
            inspect.getsource(getattr(solution(exercise.topic, framework), exercise.entry))
        )
    ]
    for exercise, framework, source in sorted(
        random.Random(SEED).sample(made, SAMPLE), key=lambda m: m[0].name
    ):
        yield exercise, framework, define(exercise, framework, source)


def cost() -> dict[str, Any]:
    """What `check` takes: milliseconds of processor for each set of answers, and the most memory in MiB."""
    answers = wrong_answers(ROOT / "tests" / "wrong_answers")
    sets = {
        "wrong answers": ((all_exercises()[a.exercise], a.framework, entry_of(a)) for a in answers),
        "mutants": edited(),
    }
    found: dict[str, Any] = {}
    for name, entries in sets.items():
        taken = sorted(milliseconds(*answer) for answer in entries)
        shown = {"p50": len(taken) // 2, "p99": 99 * len(taken) // 100, "max": -1}
        found[name] = {"answers": len(taken), **{words: taken[i] for words, i in shown.items()}}
        found["memory"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return found


def milliseconds(exercise: Exercise, framework: str, entry: Any) -> float:
    """Of processor, for a verdict on an answer and for its smallest input."""
    begun = time.process_time()
    with redirect_stdout(io.StringIO()), ended():
        verdict = judge(exercise, LocalTransport(framework, entry), framework)
        example(exercise, verdict, entry)
    return 1000 * (time.process_time() - begun)


def main() -> None:
    made = parser("checks", __doc__)
    made.add_argument("--cost", action="store_true", help="measure time and memory alone")
    made.add_argument("--answers", action="store_true", help="measure the wrong answers alone")
    options = made.parse_args()
    warnings.simplefilter("ignore")
    figures = dict(stored("checks")) if options.answers or options.cost else implementations()
    if not options.cost:
        figures["wrong answers"] = answered()
    if options.cost or not options.answers:
        figures["cost"] = cost()
    report("checks", figures, options.store)


def implementations() -> dict[str, Any]:
    """The figures of misconceptions and mutants."""
    count, rejected, named = misconceptions()
    made, changing, caught = mutated()
    exercises = len(all_exercises())
    return {
        "exercises": exercises,
        "misconceptions": {"made": count, "rejected": rejected, "named": named},
        "mutants": {"exercises": exercises, "made": made, "changing": changing, "rejected": caught},
    }


if __name__ == "__main__":
    main()
