"""NumPy: values only, for who has no framework at hand.

A class is a plain Python class: it is made with the exercise's settings, holds its learned arrays as
attributes, and is called as an object (`__call__`, or `forward` as in PyTorch). An array has the name of the
exercise's parameter, `self.W_q`; that of a layer inside may have an underscore for each dot,
`self.attention_W_q_weight`, or stand in an object, `self.attention.W_q`. Names that begin with an underscore,
and arrays that are no numbers with a fraction, are no learned arrays.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
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

    def joined(self, results: Sequence[Any]) -> Any:
        return np.concatenate(results, axis=1)

    def set_mode(self, module: Any, train: bool) -> None:
        kind = type(module)
        if not callable(module) and hasattr(kind, "forward"):
            kind.__call__ = lambda self, *inputs: self.forward(*inputs)

    def parameters(self, module: Any) -> dict[str, tuple[int, ...]]:
        return {path: value.shape for path, value in _learned(module)}

    def spellings(self, path: str) -> tuple[str, ...]:
        return (*super().spellings(path), *(s.replace(".", "_") for s in super().spellings(path)))

    def is_spare(self, path: str, settings: Mapping[str, Any]) -> bool:
        block = re.match(r"blocks[._](\d+)", path)
        return block is not None and int(block[1]) >= settings.get("num_blocks", 0)

    def set_parameter(self, module: Any, path: str, value: np.ndarray) -> Any:
        *owners, name = path.split(".")
        for owner in owners:
            module = getattr(module, owner)
        copy = np.array(value)  # a copy, so that work in place changes no case
        setattr(module, name, copy)
        return copy


def _learned(module: Any, depth: int = 3) -> Iterator[tuple[str, np.ndarray]]:
    """Yield the arrays of an object, and of the objects that it holds, by their paths."""
    for name, value in list(getattr(module, "__dict__", {}).items()):
        if name.startswith("_"):
            continue
        if isinstance(value, np.ndarray):
            if value.dtype.kind == "f":
                yield name, value
        elif depth > 1 and not isinstance(value, type):
            yield from ((f"{name}.{path}", array) for path, array in _learned(value, depth - 1))


FRAMEWORK = Framework(
    name="numpy",
    title="NumPy",
    position=4,
    colours=("#4d77cf", "#9db8f0"),
    packages=("numpy",),
    array="a NumPy array",
    requirements=("numpy",),
    adapter=NumPyAdapter,
    differentiates=False,
)
