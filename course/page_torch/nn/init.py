"""What stands for torch.nn.init."""

import math
from typing import Any

import numpy as np

from course.page_torch.creation import random_numbers
from course.page_torch.errors import public
from course.page_torch.tensor import Tensor


def _put(tensor: Tensor, numbers: Any) -> Tensor:
    return (
        tensor.detach()._write(np.asarray(np.broadcast_to(numbers, tensor.shape), tensor.dtype.numpy))
        and tensor
    )


def _bound(tensor: Tensor, gain: float) -> float:
    return gain * math.sqrt(6 / (tensor.shape[0] + tensor.shape[1]))


def _uniform(tensor: Tensor, a: float, b: float) -> Tensor:
    return _put(tensor, random_numbers().uniform(a, b, tensor.shape))


def _normal(tensor: Tensor, mean: float, std: float) -> Tensor:
    return _put(tensor, random_numbers().normal(mean, std, tensor.shape))


FILLS: dict[str, Any] = {
    "zeros_": lambda tensor: _put(tensor, 0),
    "ones_": lambda tensor: _put(tensor, 1),
    "constant_": lambda tensor, val: _put(tensor, val),
    "uniform_": lambda tensor, a=0.0, b=1.0: _uniform(tensor, a, b),
    "normal_": lambda tensor, mean=0.0, std=1.0: _normal(tensor, mean, std),
    "xavier_uniform_": lambda tensor, gain=1.0: _uniform(tensor, -_bound(tensor, gain), _bound(tensor, gain)),
    "xavier_normal_": lambda tensor, gain=1.0: _normal(tensor, 0, _bound(tensor, gain) / math.sqrt(3)),
}
for _name, _fill in FILLS.items():
    _fill.__name__ = _name
INIT = {name: public(fill) for name, fill in FILLS.items()}
