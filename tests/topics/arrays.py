"""The same computation in MXNet and in PyTorch: NumPy's arrays in, numbers out, and gradients."""

import numpy as np

from autograder.frameworks import adapter_of
from autograder.frameworks.libraries import mx, torch
from tests.support import need


def array(framework, value):
    """Return an array of a framework, of single precision if it holds real numbers."""
    need(framework)
    value = np.asarray(value)
    value = value.astype(np.float32) if value.dtype.kind == "f" else value
    return torch.tensor(value) if framework == "torch" else mx.nd.array(value)


def arrays(framework, *values):
    return [array(framework, value) for value in values]


def numbers(value):
    """Return what an array of either framework holds."""
    return value.asnumpy() if hasattr(value, "asnumpy") else value.detach().numpy()


def close(result, expected, rtol=1e-4, atol=1e-5):
    np.testing.assert_allclose(result, expected, rtol=rtol, atol=atol)


def computed(framework, function, values):
    """Return the result of a function of arrays."""
    return numbers(function(*arrays(framework, *values)))


def differentiated(framework, function, values, slope):
    """Return the result of a function of arrays, and the gradients of that result times `slope`."""
    inputs = arrays(framework, *values)
    if framework == "torch":
        result = function(*(value.requires_grad_() for value in inputs))
    else:
        for value in inputs:
            value.attach_grad()
        with mx.autograd.record():
            result = function(*inputs)
    result.backward(array(framework, slope))
    return numbers(result), [gradient(value) for value in inputs]


def gradient(value):
    """Return the gradient of an array, or of a learned array; PyTorch has none for what takes no part."""
    slope = value.grad() if callable(value.grad) else value.grad
    return np.zeros(value.shape) if slope is None else numbers(slope)


def learned(layer):
    """Return the learned arrays of a layer of either framework, by their names."""
    if hasattr(layer, "named_parameters"):
        return dict(layer.named_parameters())
    return layer._collect_params_with_prefix()


def with_learned(framework, layer, weights):
    """Return a layer whose learned arrays hold these weights."""
    if framework == "mxnet":
        layer.initialize()
    for name, value in weights.items():
        adapter_of(framework).set_parameter(layer, name, np.float32(value))
    return layer
