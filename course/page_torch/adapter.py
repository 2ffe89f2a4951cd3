"""How answers are called that are written in the page's PyTorch: as those in PyTorch are, by the same judge."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np

from autograder.frameworks.base import Memory, by_family, refusal, relatives
from autograder.frameworks.torch import FRAMEWORK as PYTORCH
from autograder.frameworks.torch import TorchAdapter
from course.page_torch import errors
from course.page_torch.arguments import FUNCTIONS, METHODS
from course.page_torch.nn.functional import F
from course.page_torch.tape import GradientMode
from course.page_torch.tensor import Tensor, memories


class PageTorchAdapter(TorchAdapter):
    """Calls answers in this process, in which this PyTorch is installed under the name of the real one."""

    def array(self, value: np.ndarray, track: bool) -> tuple[Any, Any]:
        is_whole = value.dtype == np.intp  # 32 bits in a page, where PyTorch has 64
        leaf = Tensor(np.array(value, np.int64 if is_whole else None))
        return (leaf.requires_grad_(), leaf.clone()) if track else (leaf, leaf)

    def numpy(self, value: Any) -> np.ndarray:
        return np.array(value.array)

    @contextmanager
    def measured(self) -> Iterator[Memory]:
        memory = Memory()
        memories.append(memory)
        try:
            with GradientMode():
                yield memory
        finally:
            memories.remove(memory)


@contextmanager
def refuse(names: frozenset[str], calls: list[str]) -> Iterator[None]:
    """Refuse functions of this module by their names, and those of their families."""
    refused = relatives(names, by_family([*FUNCTIONS, *METHODS, *F]))
    errors.refused.update({name: refusal(name, calls) for name in refused})
    try:
        yield
    finally:
        errors.refused.clear()


FRAMEWORK = replace(PYTORCH, adapter=PageTorchAdapter, refuse=refuse, warm_up="", while_answers_run=None)
