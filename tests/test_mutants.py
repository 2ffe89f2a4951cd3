"""Every mechanical change of a solution that changes a result is rejected.

Those that change nothing are listed by hand, each with its reason, in `EQUIVALENT` of the
topic's tests: (exercise, framework, what changed) → reason.
"""

import importlib
import inspect
import signal

import pytest

from autograder.checking import LocalRunner
from autograder.exercises import all_exercises
from autograder.judge import judge

from .mutants import mutants
from .topics import FRAMEWORKS, define, solution

SECONDS = 10


def equivalent(topic):
    return getattr(importlib.import_module(f"tests.test_{topic}"), "EQUIVALENT", {})


def survivors(exercise, framework):
    """(number of mutants, those accepted) for one exercise in one framework."""
    source = inspect.getsource(getattr(solution(exercise.topic, framework), exercise.entry))
    count, accepted = 0, []
    for change, mutated in mutants(source):
        count += 1
        if passes(exercise, framework, mutated):
            accepted.append(change)
    return count, accepted


def passes(exercise, framework, source):
    """Whether the judge accepts a source; one that never ends does not pass."""

    def give_up(number, frame):
        raise TimeoutError

    previous = signal.signal(signal.SIGALRM, give_up)
    signal.alarm(SECONDS)
    try:
        runner = LocalRunner(framework, define(exercise, framework, source))
        return judge(exercise, runner, framework).outcome == "accepted"
    except Exception:
        return False
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, previous)


@pytest.mark.parametrize("framework", FRAMEWORKS)
@pytest.mark.parametrize("name", list(all_exercises()))
def test_every_mutant_that_changes_a_result_is_rejected(name, framework):
    exercise = all_exercises()[name]
    _, accepted = survivors(exercise, framework)
    known = {change for e, f, change in equivalent(exercise.topic) if (e, f) == (name, framework)}
    assert set(accepted) == known
