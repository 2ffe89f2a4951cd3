"""MXNet."""

import ctypes
import json
import math
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from functools import cache
from typing import Any

import numpy as np

from autograder.frameworks import libraries as libs
from autograder.frameworks.base import (
    SUPER,
    Adapter,
    Framework,
    FrameworkVocabulary,
    Memory,
    by_family,
    refusal,
    relatives,
)
from autograder.model.finding import Kind

WARM_UP = """
from mxnet import gluon, nd

def warm_up(X):
    layer = gluon.nn.Dense(4, flatten=False, in_units=4)
    layer.initialize()
    scores = nd.batch_dot(layer(X).tanh(), X.swapaxes(1, 2)) / 2
    mask = nd.arange(3).expand_dims(0) < nd.array([1, 3]).expand_dims(1)
    mask = mask.expand_dims(1).broadcast_like(scores)
    kept = nd.where(mask, scores, nd.zeros_like(scores) - 1).exp()
    return nd.softmax(kept, axis=-1) * kept.sum(axis=-1, keepdims=True).reshape((2, 3, 1))
"""


class MXNetAdapter(Adapter):
    name = "mxnet"

    def __init__(self) -> None:
        if libs.mx is None:
            raise ImportError("MXNet is not installed")
        self.make: Callable[..., Any] = _classic

    def array(self, value: np.ndarray, track: bool) -> tuple[Any, Any]:
        # MXNet's operators want lengths and masks in the type of the data.
        dtype = value.dtype if value.dtype.kind == "f" else np.dtype("float32")
        leaf = self.make(value, dtype=dtype)
        if track:
            leaf.attach_grad()
        return leaf, leaf

    def integers(self, value: np.ndarray) -> Any:
        return self.make(value, dtype=np.dtype("int32"))

    def is_array(self, value: Any) -> bool:
        return isinstance(value, libs.mx.nd.NDArray)

    def numpy(self, value: Any) -> np.ndarray:
        return np.array(value.asnumpy())

    def record(self, train: bool) -> AbstractContextManager[Any]:
        return libs.mx.autograd.record(train_mode=train)

    def joined(self, results: Sequence[Any]) -> Any:
        if isinstance(results[0], libs.mx.np.ndarray):
            return libs.mx.np.concatenate(results, axis=1)
        return libs.mx.nd.concat(*results, dim=1)

    def set_mode(self, module: Any, train: bool) -> None:
        if isinstance(module, libs.mx.gluon.Block):
            module.initialize()

    def parameters(self, module: Any) -> dict[str, tuple[int, ...]]:
        if not isinstance(module, libs.mx.gluon.Block):
            return {}
        return {path: tuple(max(n, 0) for n in p.shape or ()) for path, p in _learned(module).items()}

    def beginning(self, module: Any, path: str, shape: tuple[int, ...]) -> np.ndarray | None:
        parameter = _learned(module)[path]
        parameter.shape = shape
        if parameter._deferred_init:
            with libs.mx.autograd.pause():
                parameter._finish_deferred_init()
        return self.numpy(parameter.data())

    def set_parameter(self, module: Any, path: str, value: np.ndarray) -> Any:
        parameter = _learned(module)[path]
        parameter.shape = value.shape
        # A parameter of known shape holds data already, which may not be written while recording.
        with libs.mx.autograd.pause():
            parameter.set_data(self.make(value, dtype=value.dtype))
            if parameter._deferred_init:
                parameter._finish_deferred_init()
        return parameter.data()

    def trainable_module(self, size: int, width: int) -> Any:
        class GainBlock(libs.mx.gluon.nn.Block):  # type: ignore[misc,name-defined]
            def __init__(self) -> None:
                super().__init__()
                self.weight = self.params.get("weight", shape=(width,), init="ones")

            def forward(self, X: Any) -> Any:
                return X * self.weight.data()

        nn = libs.mx.gluon.nn
        model = nn.Sequential()
        model.add(nn.Embedding(size, width), GainBlock(), nn.Dense(size, flatten=False, in_units=width))
        model.initialize()
        return model

    def gradients(
        self, outputs: Sequence[Any], cotangents: Sequence[np.ndarray], leaves: Sequence[Any]
    ) -> list[Any]:
        heads = [self.make(c, dtype=o.dtype) for o, c in zip(outputs, cotangents, strict=True)]
        try:
            libs.mx.autograd.backward(list(outputs), heads)
        except libs.mx.base.MXNetError as error:
            if "part of a computational graph" not in str(error):
                raise
            return [None] * len(leaves)
        return [leaf.grad for leaf in leaves]

    @contextmanager
    def measured(self) -> Iterator[Memory]:
        """Measure every array of Python's, from when it is made until it is freed; a view counts as one of its own.

        A compiled block, whose arrays Python does not see, runs as it was written.
        """
        memory, base, block = Memory(), libs.mx.nd.ndarray.NDArrayBase, libs.mx.gluon.HybridBlock
        make, free = base.__init__, base.__del__

        def init(array: Any, handle: Any, *more: Any, **options: Any) -> None:
            make(array, handle, *more, **options)
            if handle is not None:
                memory.note(handle.value, math.prod(array.shape or ()))

        def freed(array: Any) -> None:
            if array.handle is not None:
                memory.let_go(array.handle.value)
            free(array)

        base.__init__, base.__del__ = init, freed
        block._active = property(lambda layer: False, lambda layer, value: vars(layer).update(_active=value))
        try:
            yield memory
        finally:
            base.__init__, base.__del__ = make, free
            del block._active

    def variants(self, answer: Any) -> list[AbstractContextManager[Any]]:
        """Return the modes for `mx.nd` and for `mx.np` arrays; the likelier first."""
        modules = {getattr(v, "__name__", "") for v in getattr(_function(answer), "__globals__", {}).values()}
        classic = self._handing_in(_classic)
        rules = libs.mx.util.np_shape(True), libs.mx.util.np_array(True)
        numpy_like = self._handing_in(libs.mx.np.array, *rules)
        written_for_numpy = {"mxnet.numpy", "mxnet.numpy_extension"} & modules
        return [numpy_like, classic] if written_for_numpy else [classic, numpy_like]

    @contextmanager
    def _handing_in(self, make: Callable[..., Any], *rules: AbstractContextManager[Any]) -> Iterator[None]:
        """Hand in arrays made by one of MXNet's two array types, under its rules for shapes."""
        self.make = make
        with ExitStack() as stack:
            for rule in rules:
                stack.enter_context(rule)
            try:
                yield
            except BaseException:
                # Calls run asynchronously: an error that is pending would be printed when the process ends.
                with suppress(libs.mx.base.MXNetError):
                    libs.mx.nd.waitall()
                raise


def _learned(module: Any) -> dict[str, Any]:
    """Return a layer's learned arrays by their paths; those of a norm are called as in PyTorch."""
    parameters = module._collect_params_with_prefix().items()
    return {path.replace(".gamma", ".weight").replace(".beta", ".bias"): array for path, array in parameters}


def _classic(value: np.ndarray, dtype: Any) -> Any:
    """Do what `mx.nd.array` does without its detour over slices, which takes most of the time of a small call."""
    array = libs.mx.nd.empty(value.shape, dtype=dtype)
    array._sync_copyfrom(np.ascontiguousarray(value, dtype=dtype))
    return array


def _function(answer: Any) -> Any:
    """Return the Python function behind a function, a partial, a class or an instance."""
    answer = getattr(answer, "func", answer)
    for name in ("forward", "hybrid_forward", "__call__"):
        method = getattr(answer if isinstance(answer, type) else type(answer), name, None)
        if hasattr(method, "__globals__") and not hasattr(answer, "__globals__"):
            return method
    return answer


@contextmanager
def refuse(names: frozenset[str], calls: list[str]) -> Iterator[None]:
    """Refuse operators where MXNet's generated functions call them, under all names that do the same."""
    if not names:
        yield
        return
    handles = _handles(names)

    def watched(original: Callable[..., Any]) -> Callable[..., Any]:
        def invoke(first: Any, *arguments: Any) -> Any:
            targets: list[Any] = [first]
            if not isinstance(first, int):  # the text of a graph
                nodes = json.loads(first.value)["nodes"]
                targets = [_handle(node["op"]) for node in nodes if node["op"] != "null"]
            for handle in targets:
                if handle in handles:
                    refusal(handles[handle], calls)()
            return original(first, *arguments)

        return invoke

    with ExitStack() as restored:
        for module, function in _invocations():
            original = getattr(module, function)
            restored.callback(setattr, module, function, original)
            setattr(module, function, watched(original))
        yield


@cache
def _invocations() -> tuple[tuple[Any, str], ...]:
    """Return what calls an operator, by every name that a module of MXNet has for it, so that none leads past a refusal."""
    originals = (libs.mx.ndarray.register._imperative_invoke, libs.mx.symbol.register._symbol_creator)
    modules = [module for name, module in sys.modules.items() if module and name.partition(".")[0] == "mxnet"]
    names = [
        (module, name)
        for module in modules
        for name, value in list(vars(module).items())
        if any(value is original for original in originals)
    ]
    return (*names, (libs.mx.base._LIB, "MXSymbolCreateFromJSON"))


@cache
def _handles(names: frozenset[str]) -> dict[int | None, str]:
    """Return the operators that do what some names do, by the numbers of their handles: each with the name that is asked for."""
    candidates = sorted(relatives(names, _families()), key=lambda name: (name in names, name))
    return {_handle(name): name for name in candidates}


@cache
def _families() -> dict[str, set[str]]:
    """Return MXNet's operators of each family: once in the zygote, for all workers."""
    return by_family(libs.mx.operator.get_all_registered_operators())


@cache
def _handle(name: str) -> int | None:
    """Return the number by which MXNet's generated functions name an operator."""
    handle = ctypes.c_void_p()
    for full in (name, f"_contrib_{name}"):
        if libs.mx.base._LIB.NNGetOpHandle(libs.mx.base.c_str(full), ctypes.byref(handle)) == 0:
            return handle.value
    raise LookupError(f"MXNet has no operator {name!r}")


VOCABULARY = FrameworkVocabulary(
    modules=("mx", "nd", "gluon", "autograd", "npx"),
    arrays=("NDArray",),
    methods=(
        "asnumpy", "asscalar", "expand_dims", "broadcast_like", "broadcast_to", "broadcast_axes", "attach_grad",
        "as_in_context", "slice_axis", "pick", "one_hot", "batch_dot", "wait_to_read",
    ),
    elsewhere={
        "elu": 'nd.LeakyReLU(X, act_type="elu", slope=1.0)', "gelu": 'nd.LeakyReLU(X, act_type="gelu")', "bmm": "nd.batch_dot",
        "matmul": "nd.batch_dot", "cat": "nd.concat", "masked_fill": "nd.where", "clamp": "nd.clip", "silu": "X * nd.sigmoid(X)",
        "outer": "nd.dot of a column and a row", "unsqueeze": "expand_dims", "tensor": "nd.array", "transpose": "swapaxes",
        "dim": "axis", "keepdim": "keepdims", "descending": "is_ascend=False",
    },
    swapped="swapaxes(1, 2)",
    exceptions=(
        (r"object has no attribute '_(children|reg_params|scope|forward_hooks)'", SUPER, Kind.SUPER_NOT_CALLED),
        (r"NDArray does not support slicing with key tensor", "{other}"),
        (r"AGInfo(?!.*Cannot differentiate)", "MXNet cannot work in place (+=, x[...] = ...) while it records for gradients: build a new array, with nd.stack or nd.concat for rows made in a loop", Kind.IN_PLACE_ON_THE_RECORD),
        (r"i >= 0 && i < ndim\(\): index = -\d+", "An operator of MXNet takes no negative axis, and nd.cumsum is one: count the axes from 0, axis=2 for the last of three"),
        (r"Non-uniform data type in \w+, expected data type (?P<left>\w+), got data type (?P<right>\w+)", "Arrays of two types meet, {left} and {right}: give new arrays the dtype of the arguments", Kind.TYPE_OF_A_NEW_ARRAY),
        (r"SequenceMask expects 1 inputs, but got 2", "SequenceMask uses the lengths only with use_sequence_length=True", Kind.LENGTHS_SWITCHED_OFF),
        (r"bad operand type for unary ~: 'NDArray'", "MXNet has no ~: a mask is 1 and 0 there, and 1 - mask inverts it"),
        (r"unsupported operand type\(s\) for (?P<sign>[&|]): 'NDArray'", "MXNet's arrays have no {sign}: comparisons give 1 and 0, so their product is *and*, and nd.broadcast_maximum is *or*"),
        (r"Operator where inferring shapes failed", "nd.where does not broadcast: its condition and both branches need one shape, which nd.broadcast_like gives"),
        (r"type <class '(?P<kind>list|tuple)'> not supported", "A {kind} meets {array}: make {array} of the {kind} first"),
        (r"Positional arguments must have NDArray type, but got \[", "nd.stack and nd.concat take arrays one by one and no list of them: put a star before the list, nd.stack(*arrays, axis=1)"),
    ),
    without_axis={"repeat": ("axis", 2), "argmax": ("axis", 1), "argmin": ("axis", 1)},
)  # fmt: skip
FRAMEWORK = Framework(
    name="mxnet",
    title="MXNet",
    position=1,
    colours=("#1f6fb2", "#74b3e8"),
    packages=("mxnet",),
    imports="from mxnet import gluon, nd",
    layer_class="gluon.nn.Block",
    array="an MXNet array",
    aliases=("mx",),
    requirements=("mxnet", "setuptools"),
    adapter=MXNetAdapter,
    graded=True,
    float_indices=True,
    attention=(
        "mxnet.nd.contrib.interleaved_matmul_selfatt_qk",
        "mxnet.nd.contrib.interleaved_matmul_selfatt_valatt",
        "mxnet.nd.contrib.interleaved_matmul_encdec_qk",
        "mxnet.nd.contrib.interleaved_matmul_encdec_valatt",
    ),
    refuse=refuse,
    # Its default engine starts threads in a forked child.
    environment={"MXNET_ENGINE_TYPE": "NaiveEngine"},
    warm_up=WARM_UP,
    vocabulary=VOCABULARY,
)
