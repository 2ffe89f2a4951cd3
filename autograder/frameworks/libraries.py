"""The one place that knows what MXNet and PyTorch need in order to be imported.

MXNet 1.9.1 is the last release of an archived project. It was written for
NumPy 1 and reads names that NumPy has removed since (`REMOVED`, `FINANCIAL`); and
on a system without libgomp it finds the copy that PyTorch brings, if that
is loaded first. Its OpenBLAS does not know today's processors. One of its operators loses gradients and another can end the process,
which is mended here too. Once this module is imported, `import mxnet` does all of it.
"""

import ctypes
import os
import platform
import re
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache, partial
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("KERAS_BACKEND", "torch")
# Sums in half precision are kept in single precision, as PyTorch does; MXNet warns otherwise.
os.environ.setdefault("MXNET_SAFE_ACCUMULATION", "1")

import numpy as np

if TYPE_CHECKING:
    mx: Any
    torch: Any


def __getattr__(name: str) -> Any:
    """Import `torch` or `mx` when it is first asked for; None where they are not installed."""
    if name not in ("torch", "mx"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = _torch() if name == "torch" else _mxnet()
    return globals()[name]


@contextmanager
def _without(*names: str) -> Iterator[None]:
    """Let imports of these fail, unless they are there already."""
    hidden = [name for name in names if name not in sys.modules]
    sys.modules |= dict.fromkeys(hidden)  # type: ignore[arg-type]
    try:
        yield
    finally:
        for name in hidden:
            del sys.modules[name]


@cache
def _torch() -> Any:
    try:
        import torch
    except ImportError:
        return None
    torch.set_num_threads(1)
    return torch


@cache
def _mxnet() -> Any:
    try:
        import mxnet
    except ImportError:
        return None
    except OSError as error:  # a library of the system's that MXNet does not bring along
        sys.stderr.write(f"MXNet cannot be loaded: {error}.{to_install(str(error))}\n")
        return None
    return mxnet


def to_install(error: str) -> str:
    """Return what to type for the system's library that an error misses, after a space; empty if it misses none."""
    match = re.search(r"\b(lib[\w+-]+)\.so\.(\d+)[\d.]*: cannot open shared object file", error)
    if not match:
        return ""
    if match[1].startswith(OF_CUDA):
        return " PyTorch's build for CUDA brings it along: type `pip install --force-reinstall torch`."
    package = f"{match[1]}{match[2]}"
    if package in PACKAGES:
        return f" On Debian and Ubuntu, type `apt install {package}`."
    return f" On Debian and Ubuntu, `apt-file search {match[1]}.so.{match[2]}` names the package that has it."


# Packages of Debian and Ubuntu that are called as their library is, with what MXNet and PyTorch need of it.
PACKAGES = (
    "libquadmath0",
    "libgomp1",
    "libgfortran5",
    "libopenblas0",
    "libatomic1",
    "libnuma1",
    "libstdc++6",
)
# How libraries are called that no package of Debian's has: pip installs them with PyTorch.
OF_CUDA = ("libcu", "libnv", "libnccl", "libtorch", "libc10")


REMOVED: dict[str, Any] = {
    "PZERO": 0.0,
    "NZERO": -0.0,
    "PINF": np.inf,
    "NINF": -np.inf,
    "Inf": np.inf,
    "NAN": np.nan,
    "NaN": np.nan,
    "alltrue": np.all,
    "sometrue": np.any,
    "round_": np.round,
    "product": np.prod,
    "in1d": np.isin,
    "trapz": getattr(np, "trapezoid", None),
}
# MXNet wraps these under the same names; nothing in the course calls them.
FINANCIAL = ("msort", "mirr", "npv", "pmt", "ppmt", "pv", "rate")


@contextmanager
def _names_of_numpy_1() -> Iterator[None]:
    """Give NumPy the names that it has no more: MXNet reads them while it is imported."""
    vars(np)["bool"] = np.bool_  # and this one later, too; NumPy 2 has it again
    names = REMOVED | dict.fromkeys(FINANCIAL, np.sort)
    missing = {name: value for name, value in names.items() if not hasattr(np, name)}
    vars(np).update(missing)
    try:
        yield
    finally:
        for name in missing:
            delattr(np, name)


@contextmanager
def _known_processor() -> Iterator[None]:
    """Let MXNet's OpenBLAS take its kernels for AVX2 where the processor has it, unless it was told otherwise.

    It is older than today's processors, and on one that it does not know it takes those of 2004: a quarter of the
    speed, and sums that differ in the last digit from those that the chapters show.
    """
    is_set = "OPENBLAS_CORETYPE" in os.environ
    info = Path("/proc/cpuinfo")
    flags = set(info.read_text(encoding="utf-8").split()) if info.is_file() else set[str]()
    if not is_set and {"avx2", "fma"} <= flags:
        os.environ["OPENBLAS_CORETYPE"] = "Haswell"
    try:
        yield
    finally:
        if not is_set:
            os.environ.pop("OPENBLAS_CORETYPE", None)


def _load_libgomp() -> None:
    """Load the libgomp that PyTorch brings, without PyTorch, whose import takes longer than MXNet's.

    MXNet takes it where the system has none, and PyTorch, where it is imported later, has the same one.
    """
    torch = find_spec("torch")
    for folder in (torch.submodule_search_locations if torch else None) or ():
        for library in Path(folder, "lib").glob("libgomp.so*"):
            ctypes.CDLL(str(library))


def _execute_mxnet(execute: Callable[[ModuleType], None], module: ModuleType) -> None:
    """Import MXNet with what it needs, whoever asks for it first. execute: as its own loader does."""
    _load_libgomp()
    # MXNet imports these if it can, for parts of it that nothing here uses.
    with warnings.catch_warnings(), _without("scipy", "sklearn", "h5py"):
        warnings.simplefilter("ignore")
        with _names_of_numpy_1(), _known_processor():
            execute(module)
    _keep_gradient_of_where(module)
    _refuse_wrong_axes(module)


class _MXNetFinder(MetaPathFinder):
    """Lets MXNet's loader do so."""

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        spec = PathFinder.find_spec(name, path, target) if name == "mxnet" else None
        if spec is not None and spec.loader is not None:
            spec.loader.exec_module = partial(_execute_mxnet, spec.loader.exec_module)  # type: ignore[method-assign]
        return spec


if "mxnet" not in sys.modules:
    sys.meta_path.insert(0, _MXNetFinder())


def _keep_gradient_of_where(module: ModuleType) -> None:
    """Let gradients pass `mx.np.where`: in MXNet 1.9.1 none does if one of its branches is a number."""
    where = module.np.where

    def where_of_arrays(condition: Any, x: Any = None, y: Any = None) -> Any:
        if x is None and y is None:
            return where(condition)
        if np.isscalar(x) and not np.isscalar(y):
            x = module.np.full_like(y, x)
        elif np.isscalar(y) and not np.isscalar(x):
            y = module.np.full_like(x, y)
        return where(condition, x, y)

    module.np.where = where_of_arrays


def _refuse_wrong_axes(module: ModuleType) -> None:
    """Refuse axes that do not fit: in MXNet 1.9.1 `nd.transpose` can end the process over them."""
    transpose = module.nd.transpose

    def transpose_checked(data: Any, axes: Any = (), **more: Any) -> Any:
        if axes and sorted(axes) != list(range(data.ndim)):
            raise ValueError(f"axes {tuple(axes)} do not fit an array of {data.ndim} dimensions")
        return transpose(data, axes=axes, **more)

    def method(self: Any, *axes: Any, **more: Any) -> Any:
        axes = more.pop("axes", axes)
        is_sequence = axes and isinstance(axes[0], tuple | list)
        return transpose_checked(self, axes[0] if is_sequence else axes, **more)

    module.nd.transpose = transpose_checked
    module.nd.NDArray.transpose = method


# There are packages of MXNet for these.
HAS_MXNET = sys.platform == "linux" or (sys.platform == "darwin" and platform.machine() == "x86_64")
WITHOUT_MXNET = (
    "MXNet is installed and cannot be loaded: `attention doctor` says why."
    if PathFinder.find_spec("mxnet") is not None
    # Without what it asks for: NumPy below 2, which Python 3.13 and later do not have.
    else "MXNet is not installed: type `pip install graphviz requests setuptools`, then `pip install --no-deps mxnet==1.9.1`."
    if HAS_MXNET
    else f"MXNet has no package for {platform.system()} on {platform.machine()}: the book reads and the "
    "PyTorch exercises work; for the MXNet half use Linux, or a Linux container (x86_64)."
)
WITHOUT_TORCH = "PyTorch is not installed: type `pip install torch`."


def seed(number: int) -> None:
    """Seed NumPy and every framework that is in use."""
    np.random.seed(number)
    if sys.modules.get("torch") is not None:
        sys.modules["torch"].manual_seed(number)
    if sys.modules.get("mxnet") is not None:
        sys.modules["mxnet"].random.seed(number)


def installed_versions() -> str:
    """Return one line that names the versions at work."""
    first = f"Python {platform.python_version()}, NumPy {np.__version__}"
    parts = (("PyTorch", _torch(), WITHOUT_TORCH), ("MXNet", _mxnet(), WITHOUT_MXNET))
    installed = [f", {title} {module.__version__}" for title, module, _ in parts if module is not None]
    missing = [words for _, module, words in parts if module is None]
    return ". ".join(filter(None, ["".join([first, *installed]), " ".join(missing)]))


if __name__ == "__main__":
    sys.stdout.write(installed_versions() + "\n")
