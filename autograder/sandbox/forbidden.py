"""Refuses the library's own version of what an exercise asks for, by every way that leads to it.

A submission may hold a function by any name, compile it, or ask the dispatcher for what lies
below; so the refusal sits where all of these end: at PyTorch's dispatcher, and where MXNet
looks an operator up.
"""

import ctypes
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import cache
from typing import Any

from course.frameworks import mx, torch

from .adapters import ContractBroken

KEYS = ("CPU", "AutogradCPU", "FuncTorchBatched")


@contextmanager
def forbid(names: Sequence[str]) -> Iterator[None]:
    """Refuse operators while a submission is called, of every framework: an answer may mix them.

    names: dotted, such as torch.nn.functional.layer_norm or mxnet.nd.LayerNorm.
    Raises ContractBroken if one of them was called, even if the submission has caught that.
    """
    called: list[str] = []
    with ExitStack() as stack:
        for framework, refuse in _REFUSALS.items():
            own = {name.rsplit(".", 1)[-1] for name in names if name.startswith(f"{framework}.")}
            if own:
                stack.enter_context(refuse(own, called))
        try:
            yield
        except Exception:
            if not called:
                raise
    if called:
        raise ContractBroken(f"it calls {called[0]}, which the exercise asks you to write yourself")


def _refusal(name: str, called: list[str]) -> Callable[..., Any]:
    def refused(*arguments: Any, **more: Any) -> Any:
        called.append(name)
        raise ContractBroken(f"it calls {name}, which the exercise asks you to write yourself")

    return refused


@contextmanager
def _refuse_in_torch(names: set[str], called: list[str]) -> Iterator[None]:
    operators = torch.library.Library("aten", "IMPL")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it warns that a kernel is replaced, which is the point
            for name in names:
                if hasattr(torch.ops.aten, name):
                    for key in KEYS:
                        operators.impl(name, _refusal(name, called), key)
        with _Functions(names, called):
            yield
    finally:
        operators._destroy()


class _Functions(torch.overrides.TorchFunctionMode):  # type: ignore[misc]
    """Sees calls of functions that are written in Python and have no operator of their own."""

    def __init__(self, names: set[str], called: list[str]) -> None:
        super().__init__()
        self.names, self.called = names, called

    def __torch_function__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        name = getattr(function, "__name__", "").split(".")[0]  # layer_norm, and layer_norm.default
        if name in self.names:
            _refusal(name, self.called)()
        return function(*args, **(kwargs or {}))


@contextmanager
def _refuse_in_mxnet(names: set[str], called: list[str]) -> Iterator[None]:
    handles = {_handle(name): name for name in names}
    imperative, symbolic = mx.ndarray.register, mx.symbol.register
    places = ((imperative, "_imperative_invoke"), (symbolic, "_symbol_creator"))
    before = [getattr(module, function) for module, function in places]

    def watched(original: Callable[..., Any]) -> Callable[..., Any]:
        def invoke(handle: int, *arguments: Any) -> Any:
            if handle in handles:
                _refusal(handles[handle], called)()
            return original(handle, *arguments)

        return invoke

    for (module, function), original in zip(places, before, strict=True):
        setattr(module, function, watched(original))
    try:
        yield
    finally:
        for (module, function), original in zip(places, before, strict=True):
            setattr(module, function, original)


@cache
def _handle(name: str) -> int | None:
    """The number by which MXNet's generated functions name an operator."""
    handle = ctypes.c_void_p()
    for full in (name, f"_contrib_{name}"):
        if mx.base._LIB.NNGetOpHandle(mx.base.c_str(full), ctypes.byref(handle)) == 0:
            return handle.value
    raise LookupError(f"MXNet has no operator {name!r}")


_REFUSALS = {"torch": _refuse_in_torch} | ({"mxnet": _refuse_in_mxnet} if mx is not None else {})
