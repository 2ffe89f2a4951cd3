"""PyTorch."""

import sys
import warnings
import weakref
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from functools import cache, partial
from itertools import takewhile
from types import CodeType, FunctionType
from typing import Any

import numpy as np

from autograder.frameworks import libraries as libs
from autograder.frameworks.base import (
    SUPER,
    Adapter,
    ContractBroken,
    Framework,
    FrameworkVocabulary,
    Memory,
    by_family,
    refusal,
    relatives,
)
from autograder.model.finding import Kind

WARM_UP = """
import torch

def warm_up(X):
    scores = torch.bmm(torch.tanh(torch.nn.Linear(4, 4)(X)), X.transpose(1, 2)) / 2
    mask = torch.arange(3) < torch.tensor([1, 3]).unsqueeze(1)
    kept = torch.where(mask.unsqueeze(1), scores, -1.0).masked_fill(~mask[:, None], 0).exp()
    return torch.softmax(kept, dim=-1) * kept.sum(dim=-1, keepdim=True).reshape(2, 3, 1)"""


class TorchAdapter(Adapter):
    name = "torch"

    def __init__(self) -> None:
        if libs.torch is None:
            raise ImportError("PyTorch is not installed")

    def array(self, value: np.ndarray, track: bool) -> tuple[Any, Any]:
        with libs.torch._C.DisableTorchFunction():  # such as a default device that an answer has set
            leaf = libs.torch.tensor(value)
            if not track:
                return leaf, leaf
            leaf.requires_grad_()
            # A copy, so that work in place is judged by its result and not refused for being a leaf.
            return leaf, leaf.clone()

    def is_array(self, value: Any) -> bool:
        return isinstance(value, libs.torch.Tensor)

    def numpy(self, value: Any) -> np.ndarray:
        value = value.detach()
        if value.dtype == libs.torch.bfloat16:
            raise ContractBroken("the result is bfloat16; return float32")
        return np.array(value.resolve_neg().resolve_conj().cpu().numpy())

    def joined(self, results: Sequence[Any]) -> Any:
        return libs.torch.cat(list(results), dim=1)

    def set_mode(self, module: Any, train: bool) -> None:
        if isinstance(module, libs.torch.nn.Module):
            module.train(train)

    def parameters(self, module: Any) -> dict[str, tuple[int, ...]]:
        if not isinstance(module, libs.torch.nn.Module):
            return {}
        lazy = libs.torch.nn.parameter.is_lazy
        return {path: () if lazy(p) else tuple(p.shape) for path, p in module.named_parameters()}

    def parameter_objects(self, module: Any) -> Iterable[Any]:
        return module.parameters() if isinstance(module, libs.torch.nn.Module) else ()

    def beginning(self, module: Any, path: str, shape: tuple[int, ...]) -> np.ndarray | None:
        parameter = dict(module.named_parameters())[path]
        return None if libs.torch.nn.parameter.is_lazy(parameter) else self.numpy(parameter)

    def set_parameter(self, module: Any, path: str, value: np.ndarray) -> Any:
        parameter = dict(module.named_parameters())[path]
        if libs.torch.nn.parameter.is_lazy(parameter):
            parameter.materialize(value.shape)
        with libs.torch.no_grad():
            parameter.copy_(libs.torch.tensor(value))
        return parameter

    def trainable_module(self, size: int, width: int) -> Any:
        class GainModule(libs.torch.nn.Module):  # type: ignore[misc,name-defined]
            def __init__(self) -> None:
                super().__init__()
                self.weight = libs.torch.nn.Parameter(libs.torch.ones(width))

            def forward(self, X: Any) -> Any:
                return self.weight * X

        nn = libs.torch.nn
        return nn.Sequential(nn.Embedding(size, width), GainModule(), nn.Linear(width, size))

    def gradients(
        self, outputs: Sequence[Any], cotangents: Sequence[np.ndarray], leaves: Sequence[Any]
    ) -> list[Any]:
        pairs = [(o, libs.torch.tensor(c).to(o)) for o, c in zip(outputs, cotangents, strict=True)]
        tracked = [(o, c) for o, c in pairs if o.requires_grad]
        if not tracked:
            return [None] * len(leaves)
        tracked_leaves = [leaf for leaf in leaves if leaf.requires_grad]
        # A number needs no cotangent; with one, PyTorch would import an algebra system first.
        loss = sum((o * c).sum() for o, c in tracked)
        slopes = iter(libs.torch.autograd.grad(loss, tracked_leaves, allow_unused=True))
        return [next(slopes) if leaf.requires_grad else None for leaf in leaves]

    @contextmanager
    def measured(self) -> Iterator[Memory]:
        """Measure what every operator gives, whichever way it was called, and none of what gradients would keep."""
        memory = Memory()
        with _dispatch_mode()(memory), libs.torch.no_grad():
            yield memory

    @contextmanager
    def in_double(self) -> Iterator[None]:
        before = libs.torch.get_default_dtype()
        libs.torch.set_default_dtype(libs.torch.float64)
        try:
            yield
        finally:
            libs.torch.set_default_dtype(before)


@cache
def _dispatch_mode() -> type:
    """Return what sees the result of every operator."""
    from torch.utils._python_dispatch import TorchDispatchMode

    class DispatchMode(TorchDispatchMode):  # type: ignore[misc]
        def __init__(self, memory: Memory) -> None:
            super().__init__()
            self.memory = memory

        @classmethod
        def _should_skip_dynamo(cls) -> bool:
            return False  # else PyTorch imports its compiler at the first operator, which takes seconds

        def __torch_dispatch__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            result = function(*args, **(kwargs or {}))
            for array in result if isinstance(result, tuple | list) else [result]:
                if isinstance(array, libs.torch.Tensor):
                    owner, numbers = _owner_and_size(array)
                    if self.memory.note(id(owner), numbers):
                        weakref.finalize(owner, self.memory.let_go, id(owner))
            return result

    return DispatchMode


def _owner_and_size(tensor: Any) -> tuple[Any, int]:
    """Return what keeps its numbers, and how many: a view, or an axis that only repeats, keeps none of its own."""
    try:
        storage = tensor.untyped_storage()
        return storage, int(storage.nbytes()) // int(tensor.element_size())
    except (NotImplementedError, RuntimeError):
        return tensor, int(tensor.numel())  # a sparse tensor has no such storage


# Where a call of an operator ends: dense arrays, those of the function transforms such as vmap, nested ones, and oneDNN's.
TRANSFORMS = "FuncTorchDynamicLayerFrontMode"
KEYS = ("CPU", "AutogradCPU", TRANSFORMS, "NestedTensorCPU", "AutogradNestedTensor", "MkldnnCPU")
# Kernels that are made of other operators, for all kinds of arrays.
COMPOSITE = (
    "CompositeImplicitAutograd",
    "CompositeExplicitAutograd",
    "CompositeExplicitAutogradNonFunctional",
)
# Names in the library's own module, while a refusal holds.
HOOK = "_refused_"


@contextmanager
def refuse(names: frozenset[str], calls: list[str]) -> Iterator[None]:
    """Refuse operators at the dispatcher, where every way to them ends, under all names that do the same.

    There they stay refused until others are asked for, or none: to refuse them takes longer than most calls.
    """
    refused, all_names = _OPERATORS.related_to(names) if names else ({}, frozenset())
    _KERNELS.refuse(refused, calls)
    with _without_bodies(all_names, calls):
        yield


class _Kernels:
    """What stands at the dispatcher in the place of operators."""

    def __init__(self) -> None:
        self.libraries: dict[str, Any] = {}
        self.refused: dict[str, str] = {}
        self.calls: list[str] = []

    def refuse(self, refused: dict[str, str], calls: list[str]) -> None:
        """Refuse these operators, each with its bare name, and no others; calls are noted in `calls`."""
        self.calls = calls
        # An answer may have undone a refusal, and so all of its library: no operator has a kernel of its own there.
        stay = all(_has_kernel(name, TRANSFORMS) for name in _by_library(refused).values())
        if refused != self.refused or not stay:
            self._lift()
            self._install(refused)

    def _lift(self) -> None:
        for library in self.libraries.values():
            library._destroy()
        self.libraries, self.refused = {}, {}

    def _install(self, refused: dict[str, str]) -> None:
        self.libraries = {space: libs.torch.library.Library(space, "IMPL") for space in _by_library(refused)}
        self.refused = refused
        with warnings.catch_warnings(action="ignore"):  # that a kernel is replaced is the point
            for name, bare in refused.items():
                space, _, operator = name.partition("::")
                for key in _keys_of(name):
                    self.libraries[space].impl(operator, partial(self._refusal, bare), key)

    def _refusal(self, bare: str, *arguments: Any, **more: Any) -> None:
        refusal(bare, self.calls)()


_KERNELS = _Kernels()


def _by_library(names: Iterable[str]) -> dict[str, str]:
    """Return one operator of each library."""
    return {name.partition("::")[0]: name for name in names}


def _has_kernel(name: str, key: str) -> bool:
    try:
        return bool(libs.torch._C._dispatch_has_kernel_for_dispatch_key(name, key))
    except RuntimeError:  # an operator of an answer's own, which is gone
        return False


@cache
def _keys_of(name: str) -> tuple[str, ...]:
    """Return where an operator ends that could compute anything; what has no kernel of its own raises anyway.

    To be asked for the first time before the operator is refused, and in the zygote for all workers.
    """
    if any(_has_kernel(name, key) for key in COMPOSITE):
        return KEYS
    return tuple(key for key in KEYS if key in ("CPU", TRANSFORMS) or _has_kernel(name, key))


class _Operators:
    """All operators by their bare names, and the names of each family: once in the zygote, for all workers."""

    def __init__(self) -> None:
        self.modules: set[str] = set()
        self.registered: set[str] = set()
        self.by_bare_name: defaultdict[str, list[str]] = defaultdict(list)
        self.families: defaultdict[str, set[str]] = defaultdict(set)
        self.related: dict[frozenset[str], tuple[dict[str, str], frozenset[str]]] = {}

    def related_to(self, names: frozenset[str]) -> tuple[dict[str, str], frozenset[str]]:
        """Return the operators that do what some names do, each with its bare name; and all such names."""
        self._look_again()
        if names not in self.related:
            all_names = relatives(names, self.families)
            operators = {name: bare for bare in all_names for name in self.by_bare_name.get(bare, ())}
            self.related[names] = operators, all_names
        return self.related[names]

    def _look_again(self) -> None:
        """Look for operators that have come since, as they do with modules.

        The newest modules come last. To look at all of them would write to a thousand pages that workers share.
        """
        new = set(takewhile(lambda name: name not in self.modules, reversed(sys.modules)))
        self.modules |= new
        # A worker has some modules of the grader's own; none of them brings operators.
        if not all(name.partition(".")[0] in ("autograder", "solutions", "submission") for name in new):
            self._add(set(libs.torch._C._dispatch_get_all_op_names()) - self.registered)

    def _add(self, operators: set[str]) -> None:
        self.related.clear()
        # Such as aten::layer_norm and aten::_native_batch_norm_legit.no_stats.
        bare_names = {name: name.partition("::")[2].split(".")[0] for name in operators}
        functions = () if self.registered else _python_functions()
        for family, members in by_family([*bare_names.values(), *functions]).items():
            self.families[family] |= members
        self.registered |= operators
        for name, bare in bare_names.items():
            self.by_bare_name[bare].append(name)
            if any(bare in members for members in self.families.values()):
                _keys_of(name)


_OPERATORS = _Operators()


@cache
def _python_functions() -> dict[str, FunctionType]:
    """Return the library's functions that have no operator, by name: asked for before an answer runs, which could replace one.

    Those of `torch.masked` bear the names of operators: they are called masked.softmax and so on.
    """
    functions = vars(libs.torch.nn.functional).items()
    masked = {f"masked.{name}": getattr(libs.torch.masked, name) for name in libs.torch.masked._ops.__all__}
    return masked | {
        name: f
        for name, f in functions
        if isinstance(f, FunctionType) and not hasattr(libs.torch.ops.aten, name)
    }


@contextmanager
def _without_bodies(names: frozenset[str], calls: list[str]) -> Iterator[None]:
    """Refuse the library's own Python functions that have no operator, whoever holds them."""
    with ExitStack() as restored:
        for name in names & _python_functions().keys():
            f, identifier = _python_functions()[name], name.replace(".", "_")
            hook = f"{HOOK}{identifier}"
            restored.callback(f.__globals__.pop, hook)
            restored.callback(setattr, f, "__code__", f.__code__)
            f.__globals__[hook] = refusal(name, calls)
            f.__code__ = _refusing(identifier)
        yield


@cache
def _refusing(name: str) -> CodeType:
    """Return the code of a function that takes anything and calls its refusal."""
    space: dict[str, Any] = {}
    exec(f"def {name}(*arguments, **more): {HOOK}{name}()", space)
    code: CodeType = space[name].__code__
    return code


@contextmanager
def without_compiler() -> Iterator[None]:
    """Let `torch.compile` give back what it gets, and what it has compiled before run as it was written.

    Values are the same. No compiler can run behind the lock, and in a notebook it would compile anew for each shape.
    """

    def compile(model: Any = None, **options: Any) -> Any:
        return (lambda decorated: decorated) if model is None else model

    original = libs.torch.compile
    libs.torch.compile = compile
    # It has compiled nothing where its own part is not imported, which takes seconds.
    is_compiler = "torch._dynamo" in sys.modules and hasattr(libs.torch.compiler, "set_stance")
    try:
        with libs.torch.compiler.set_stance("force_eager") if is_compiler else nullcontext():
            yield
    finally:
        libs.torch.compile = original


NO_GPU = r"Torch not compiled with CUDA|from the '(MPS|CUDA)' backend|No CUDA GPUs are available|no NVIDIA driver|(Found|Cannot find).{0,20}NVIDIA|not linked with support for (mps|cuda)|MPS backend is supported on"

VOCABULARY = FrameworkVocabulary(
    modules=("torch", "F"),
    arrays=("Tensor",),
    methods=(
        "unsqueeze", "masked_fill", "masked_fill_", "view", "permute", "bmm", "matmul", "size", "dim", "numpy", "unbind",
        "gather", "scatter", "repeat_interleave", "float", "long", "double", "bool", "unfold", "expand_as", "mm",
        "contiguous", "index_select",
    ),
    swapped="transpose(1, 2)",
    exceptions=(
        (r"object has no attribute '_(modules|parameters|buffers|forward_hooks)'", SUPER, Kind.SUPER_NOT_CALLED),
        (r"cannot assign (module|parameters?|buffers?) before Module\.__init__\(\) call", SUPER, Kind.SUPER_NOT_CALLED),
        (r"can't assign a (?P<kind>numpy\.ndarray) to a torch", "A NumPy array is put into {array}: make {array} of it first"),
        (r"Can't call numpy\(\) on Tensor that requires grad", "A NumPy function is called on {array}, so no gradient can pass: use the framework's own function"),
        (r"leaf Variable that requires grad is being used in an in-place", "It works in place on a tensor whose gradient is asked for: make a new one, such as x = x + y for x += y, or work under torch.no_grad() where a learned array is to change", Kind.IN_PLACE_ON_THE_RECORD),
        (r"modified by an inplace operation", "It changes in place what the gradient still needs: make a new tensor, such as x = x + y for x += y", Kind.IN_PLACE_ON_THE_RECORD),
        (r"softmax\(\) missing 1 required positional arguments?: \"dim\"", "softmax needs to be told the axis: dim=-1 is the last"),
        (r"torch\.return_types\.(?P<name>\w+)'", "{name} returns a pair, and here it is used as one tensor: write values, indices = x.{name}(...)"),
        (r"could not infer output dtype|only Tensors of floating point|not implemented for '(Long|Int|Bool)'|can only be of floating", "The tensor holds whole numbers, and this needs real ones: .float() makes them"),
        (r"value cannot be converted to type (c10::)?Half without overflow", "A number does not fit into half precision, whose largest is 65504: ask for the lowest that the type of the array holds"),
        (NO_GPU, "The grader has no GPU, as most machines have none: make new arrays on the device of the arguments, such as device=X.device, and call no .cuda()"),
        (r"on the same device|is not on the expected device", "Tensors on two devices meet: make new ones where the arguments are, such as device=X.device"),
        (r"view size is not compatible", "view needs numbers that lie in order in memory, and a transposed tensor's do not: use reshape"),
        (r"index out of range in self", "An index is larger than the last row of the table: is the index wrong, or is the table too short?"),
        (r"masked_fill_? only supports boolean masks|mask to be BoolTensor", "The mask must hold True and False, and it holds numbers: a comparison gives one, or .bool()"),
        (r"only implemented on integer and Boolean-type tensors", "~ inverts a mask of True and False, and this tensor holds real numbers: compare first, then invert"),
        (r"Subtraction, the `-` operator, with (a|two) bool tensors?", "A mask of True and False cannot be subtracted: ~mask inverts it"),
        (r"input\.dim\(\) = (?P<axes>\d+) is not equal to len\(dims\) = (?P<named>\d+)", "permute must name every axis: the tensor has {axes}, and {named} are named"),
    ),
    warnings=(
        ("Implicit dimension choice for", "softmax is called without an axis, and PyTorch then takes the first of three axes: dim=-1 is the last."),
        ("The use of `x.T` on tensors of dimension other than 2", "`.T` turns all axes round, the batch too."),
    ),
    without_axis={
        "roll": ("dims", 2), "repeat_interleave": ("dim", 2), "argmax": ("dim", 1), "argmin": ("dim", 1)
    },
)  # fmt: skip
FRAMEWORK = Framework(
    name="torch",
    title="PyTorch",
    position=2,
    colours=("#d9480f", "#ff9e70"),
    packages=("torch",),
    imports="import torch",
    layer_class="torch.nn.Module",
    array="a PyTorch tensor",
    requirements=("torch",),
    adapter=TorchAdapter,
    graded=True,
    attention=(
        "torch.nn.functional.scaled_dot_product_attention",
        "torch.nn.functional.multi_head_attention_forward",
        "torch.ops.aten._scaled_dot_product_attention_math",
        "torch.ops.aten._scaled_dot_product_flash_attention_for_cpu",
        "torch.ops.aten._native_multi_head_attention",
    ),
    refuse=refuse,
    warm_up=WARM_UP,
    while_answers_run=without_compiler,
    vocabulary=VOCABULARY,
)
