"""A small made-up framework in one module: arrays that answer like NumPy's, without gradients.

`ATTENTION_FRAMEWORKS=tests.frameworks.toyframe` registers it.
"""

import sys
from types import ModuleType
from typing import Any

import numpy as np

from autograder.frameworks.base import Adapter, Framework, FrameworkVocabulary


class Array(np.ndarray):
    """What an answer is handed and returns."""


def softmax(X: Array) -> Array:
    """(…, n) -> (…, n): over the last axis."""
    powers = np.exp(X - X.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


def masked(X: Array, mask: Any) -> Array:
    """X where the mask holds, minus a million elsewhere. Both have as many axes."""
    if np.ndim(mask) != X.ndim:
        raise ValueError(f"toymask of rank {np.ndim(mask)}")
    return np.where(mask, X, -1e6).astype(X.dtype).view(Array)


class ToyAdapter(Adapter):
    """Hands in `Array`s."""

    name = "toy"

    def array(self, value: np.ndarray, track: bool) -> tuple[Any, Any]:
        leaf = np.array(value).view(Array)
        return leaf, leaf

    def is_array(self, value: Any) -> bool:
        return isinstance(value, Array)

    def numpy(self, value: Any) -> np.ndarray:
        return np.array(value)


FRAMEWORK = Framework(
    name="toy",
    title="Toyframe",
    position=9,
    colours=("#123456", "#abcdef"),
    packages=("toyframe",),
    adapter=ToyAdapter,
    graded=True,
    differentiates=False,
    array="a toy array",
    vocabulary=FrameworkVocabulary(
        modules=("toyframe",),
        arrays=("Array",),
        exceptions=(
            (
                r"toymask of rank (?P<axes>\d)",
                "masked wants a mask with the axes of {array}, and gets one of {axes}",
            ),
        ),
        without_axis={"argmax": ("axis", 1)},
    ),
)
# What an answer imports.
toyframe: Any = ModuleType("toyframe")
toyframe.arange, toyframe.masked, toyframe.softmax = np.arange, masked, softmax
sys.modules["toyframe"] = toyframe
