"""How answers are called that are written in the page's PyTorch: as those in PyTorch are, by the same judge."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np

from autograder.frameworks.base import Adapter, Memory, by_family, refusal, relatives
from autograder.frameworks.torch import FRAMEWORK as PYTORCH
from course.page_torch import dtypes, errors
from course.page_torch.functions import FUNCTIONS, METHODS
from course.page_torch.gradient import autograd_grad
from course.page_torch.nn.functional import F
from course.page_torch.nn.modules import LAYERS, PageModule
from course.page_torch.tape import GradientMode
from course.page_torch.tensor import Tensor, memories


class PageTorchAdapter(Adapter):
    """Calls answers in this process, in which PyTorch need not be there."""

    name = "torch"

    def array(self, value: np.ndarray, track: bool) -> tuple[Any, Any]:
        whole = value.dtype == np.intp  # 32 bits in a page, where PyTorch has 64
        leaf = Tensor(np.array(value, np.int64 if whole else None))
        return (leaf.requires_grad_(), METHODS["clone"](leaf)) if track else (leaf, leaf)

    def is_array(self, value: Any) -> bool:
        return isinstance(value, Tensor)

    def numpy(self, value: Any) -> np.ndarray:
        return np.array(value.array)

    def joined(self, results: Sequence[Any]) -> Any:
        return FUNCTIONS["cat"](list(results), 1)

    def set_mode(self, module: Any, train: bool) -> None:
        if isinstance(module, PageModule):
            module.train(train)

    def parameters(self, module: Any) -> dict[str, tuple[int, ...]]:
        if not isinstance(module, PageModule):
            return {}
        return {path: () if one.is_lazy else tuple(one.shape) for path, one in module.named_parameters()}

    def parameter_objects(self, module: Any) -> Iterable[Any]:
        return module.parameters() if isinstance(module, PageModule) else ()

    def beginning(self, module: Any, path: str, shape: tuple[int, ...]) -> np.ndarray | None:
        parameter = dict(module.named_parameters())[path]
        return None if parameter.is_lazy else self.numpy(parameter)

    def set_parameter(self, module: Any, path: str, value: np.ndarray) -> Any:
        parameter = dict(module.named_parameters())[path]
        if parameter.is_lazy:
            parameter.materialize(value.shape)
        parameter.detach().copy_(Tensor(value))
        return parameter

    def table_and_layer(self, size: int, width: int) -> Any:
        return LAYERS["Sequential"](LAYERS["Embedding"](size, width), LAYERS["Linear"](width, size))

    def gradients(
        self, outputs: Sequence[Any], cotangents: Sequence[np.ndarray], leaves: Sequence[Any]
    ) -> list[Any]:
        ends = [
            (o, Tensor(c.astype(o.dtype.numpy)))
            for o, c in zip(outputs, cotangents, strict=True)
            if o.requires_grad
        ]
        targets = [leaf for leaf in leaves if leaf.requires_grad]
        if not ends or not targets:
            return [None] * len(leaves)
        slopes = iter(autograd_grad([o for o, _ in ends], targets, [c for _, c in ends], allow_unused=True))
        return [next(slopes) if leaf.requires_grad else None for leaf in leaves]

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
    def in_double(self) -> Iterator[None]:
        before = dtypes.get_default_dtype()
        dtypes.set_default_dtype(dtypes.DTYPES["float64"])
        try:
            yield
        finally:
            dtypes.set_default_dtype(before)


@contextmanager
def refuse(names: set[str], calls: list[str]) -> Iterator[None]:
    """Refuse functions of this module by their names, and those of their families."""
    refused = relatives(frozenset(names), by_family([*FUNCTIONS, *METHODS, *F]))
    errors.refused.update({name: refusal(name, calls) for name in refused})
    try:
        yield
    finally:
        errors.refused.clear()


FRAMEWORK = replace(PYTORCH, adapter=PageTorchAdapter, refuse=refuse, warm_up="", while_answers_run=None)
