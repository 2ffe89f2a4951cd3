"""Dropout that does not stop in evaluation mode is named."""

import pytest

from autograder import check
from autograder.model.catalogue import all_exercises
from exercises.shared import DROPOUT_IDEAS
from tests.support import need
from tools.wrong_versions import define, wrong_source

ALWAYS = {
    "mxnet": ("self.dropout(weights)", "nd.Dropout(weights, p=self.dropout._rate, mode='always')"),
    "torch": ("self.dropout(weights)", "torch.nn.functional.dropout(weights, self.dropout.p)"),
}


@pytest.mark.parametrize("framework", ALWAYS)
def test_dropout_in_evaluation_mode_is_named(framework):
    need(framework)
    exercise = all_exercises()["dot_product_attention"]
    entry = define(exercise, framework, wrong_source(exercise, framework, ALWAYS[framework]))
    verdict = check(entry, framework, exercise=exercise.name)
    assert verdict.misconception == "dropout_in_evaluation", verdict
    assert verdict.hint == DROPOUT_IDEAS["dropout_in_evaluation"]
