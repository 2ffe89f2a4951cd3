"""What the d2l notebook ("Attention Mechanism", after d2l.ai) prints for equal keys, and the values 0 to 39."""

import numpy as np

from tests.topics.arrays import arrays, numbers

PRINTED = """[[[ 2.        3.        4.        5.      ]]

 [[10.       11.       12.000001 13.      ]]]"""


def assert_printed(framework, layer):
    """Assert that a layer gives that output digit for digit, and MXNet prints it."""
    values = np.repeat(np.arange(40.0).reshape(1, 10, 4), 2, axis=0)
    inputs = arrays(framework, np.ones((2, 1, 2)), np.ones((2, 10, 2)), values, np.array([2, 6]))
    context = layer(*inputs)
    expected = np.array([[[2, 3, 4, 5]], [[10, 11, 12.000001, 13]]], dtype=np.float32)
    np.testing.assert_array_equal(numbers(context), expected)
    assert framework != "mxnet" or str(context).split("<")[0].strip() == PRINTED
