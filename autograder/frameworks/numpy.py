"""NumPy: values only, for who has no framework at hand."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from autograder.frameworks.base import Adapter, Framework


class NumPyAdapter(Adapter):
    name = "numpy"

    def array(self, value: np.ndarray, track: bool) -> tuple[Any, Any]:
        leaf = np.array(value)
        return leaf, leaf

    def is_array(self, value: Any) -> bool:
        return isinstance(value, (np.ndarray, np.generic))

    def numpy(self, value: Any) -> np.ndarray:
        return np.array(value)

    def prepare(self, module: Any, train: bool) -> None:
        return None

    def parameters(self, module: Any) -> dict[str, tuple[int, ...]]:
        return {k: v.shape for k, v in getattr(module, "__dict__", {}).items() if isinstance(v, np.ndarray)}

    def set_parameter(self, module: Any, path: str, value: np.ndarray) -> Any:
        setattr(module, path, value)
        return value

    def gradients(
        self, outputs: Sequence[Any], cotangents: Sequence[np.ndarray], leaves: Sequence[Any]
    ) -> list[Any]:
        raise NotImplementedError("NumPy computes values only")


FRAMEWORK = Framework(
    name="numpy",
    title="NumPy",
    place=4,
    colours=("#4d77cf", "#9db8f0"),
    packages=("numpy",),
    array="a NumPy array",
    requirements=("numpy",),
    adapter=NumPyAdapter,
    differentiates=False,
)
