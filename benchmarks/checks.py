"""How many wrong implementations the checks reject: `python -m benchmarks.checks`.

Misconceptions are the wrong ideas of each exercise, written in both frameworks. Mutants are
small mechanical changes of the reference solutions; those that change no result are listed
by hand, with a reason, in `exercises/wrong_versions/<topic>.py`.
"""

import warnings

from autograder.judge.trial import judge
from autograder.learner.check import LocalTransport
from autograder.model.catalogue import all_exercises
from exercises.wrong_versions import FRAMEWORKS
from tools.figures import parser, report
from tools.mutants import equivalent, survivors
from tools.wrong_versions import define, wrong_source, wrong_versions


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


def main() -> None:
    keep = parser("checks", __doc__).parse_args().store
    warnings.simplefilter("ignore")
    count, rejected, named = misconceptions()
    made, changing, caught = mutated()
    exercises = len(all_exercises())
    figures = {
        "exercises": exercises,
        "misconceptions": {"made": count, "rejected": rejected, "named": named},
        "mutants": {"exercises": exercises, "made": made, "changing": changing, "rejected": caught},
    }
    report("checks", figures, keep)


if __name__ == "__main__":
    main()
