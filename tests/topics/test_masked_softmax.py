"""Masked softmax: what the d2l notebook prints, and the wrong versions that people write."""

import numpy as np
import pytest

from autograder import check
from autograder.model.catalogue import all_exercises
from tests.support import need, solution
from tools.wrong_versions import define, wrong_source

# What the d2l notebook ("Attention Mechanism", after d2l.ai) prints for MXNet's default seed.
PRINTED = [
    [[0.488994, 0.511006, 0, 0], [0.4365484, 0.56345165, 0, 0]],
    [[0.288171, 0.3519408, 0.3598882, 0], [0.29034296, 0.25239873, 0.45725837, 0]],
]


def test_the_sources_printed_output_comes_out_digit_for_digit():
    masked_softmax = solution("masked_softmax", "mxnet").masked_softmax
    from mxnet import nd, random

    random.seed(0)
    weights = masked_softmax(nd.random.uniform(shape=(2, 2, 4)), nd.array([2, 3]))
    printed = np.array(PRINTED, dtype=np.float32)
    np.testing.assert_array_equal(weights.asnumpy(), printed)


@pytest.mark.parametrize(
    "framework, right, of_one_type",
    [
        ("mxnet", "filled.softmax(axis=-1) * mask", "(filled.softmax(axis=-1) * mask).astype('float32')"),
        ("torch", "filled.softmax(dim=-1) * mask", "(filled.softmax(dim=-1) * mask).float()"),
    ],
)
def test_weights_of_another_type_than_the_scores_are_rejected(framework, right, of_one_type):
    need(framework)
    exercise = all_exercises()["masked_softmax_or_zero"]
    entry = define(exercise, framework, wrong_source(exercise, framework, (right, of_one_type)))
    verdict = check(entry, framework)
    assert (verdict.outcome, verdict.failed_stage) == ("rejected", "properties")
    assert "must have the type of X, but X is float16" in verdict.message
