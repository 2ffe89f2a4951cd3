"""Masked softmax: what the Gluon notebook prints, and the wrong versions that people write."""

import numpy as np

from tests.support import solution

# What the Gluon notebook ("Attention Mechanism", after d2l.ai) prints for MXNet's default seed.
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
