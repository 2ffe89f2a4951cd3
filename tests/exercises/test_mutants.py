"""Every mechanical change of a solution that changes a result is rejected.

Those that change nothing are listed by hand, each with its reason, in `tools/equivalent_mutants.toml`.
"""

import pytest

from autograder.model.catalogue import all_exercises
from tests.support import FRAMEWORKS, need
from tools.mutants import equivalent, survivors


@pytest.mark.slow
@pytest.mark.parametrize("framework", FRAMEWORKS)
@pytest.mark.parametrize("name", list(all_exercises()))
def test_every_mutant_that_changes_a_result_is_rejected(name, framework):
    need(framework)
    exercise = all_exercises()[name]
    _, accepted = survivors(exercise, framework)
    expected = equivalent(exercise, framework)
    missed, gone = sorted(set(accepted) - expected), sorted(expected - set(accepted))
    label = f"[{name}.{framework}] of tools/equivalent_mutants.toml"
    assert not missed, (
        f"{name} in {framework} accepts these changes of its solution:\n"
        + "\n".join(missed)
        + "\nIf one changes "
        f"a result, add a case to exercises/{exercise.topic}.py that shows it. If it changes none, list it in {label}: "
        '"change" = "reason".'
    )
    assert not gone, (
        f"{name} in {framework}: these are no longer accepted; take them out of {label}:\n" + "\n".join(gone)
    )
