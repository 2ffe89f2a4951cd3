"""Rules that an exercise states beside its values: which of them decide, and which only explain."""

from dataclasses import replace

import pytest

from autograder.judge.functions import FunctionTransport
from autograder.judge.trial import judge
from autograder.model.catalogue import all_exercises
from autograder.model.exercise import Property


@pytest.mark.parametrize(("required", "outcome"), [(False, "accepted"), (True, "rejected")])
def test_a_rule_that_only_explains_is_not_asked_of_right_values(required, outcome):
    cases = []
    broken = Property("sum to 3", lambda run, case: cases.append(case) or "they sum to 1", required=required)
    exercise = replace(all_exercises()["layer_norm"], properties=(broken,))
    verdict = judge(exercise, FunctionTransport(exercise, exercise.reference), "numpy")
    assert (verdict.outcome, bool(cases)) == (outcome, required), verdict
