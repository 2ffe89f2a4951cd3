"""PyTorch for the book's page: a thin face on NumPy and `autograd`, which stands for `torch` where `install` is called.

It never guesses: what it does not know raises NotInPage and is noted (`course.page_torch.errors.unknown_names`).
"""

import math
import sys
from importlib.abc import MetaPathFinder
from types import ModuleType
from typing import Any

from course.page_torch.errors import unknown

VERSION = "2.13.0"


class TorchModule(ModuleType):
    """A module named as one of PyTorch's; a name that it does not have is noted."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise unknown(f"{self.__name__}.{name}".removeprefix("torch."))


def modules() -> dict[str, ModuleType]:
    """Return the modules that stand for PyTorch's, by their names."""
    from course.page_torch import creation, dtypes, methods, optim, tape, tensor
    from course.page_torch.functions import FUNCTIONS
    from course.page_torch.gradient import autograd_grad
    from course.page_torch.nn import clip, init
    from course.page_torch.nn.functional import F
    from course.page_torch.nn.modules import LAYERS

    constants = {
        "pi": math.pi,
        "inf": math.inf,
        "nan": math.nan,
        "e": math.e,
        "newaxis": None,
        "__version__": VERSION,
    }
    kinds: dict[str, Any] = {
        "Tensor": tensor.Tensor,
        "Size": tensor.Size,
        "device": tensor.Device,
        "dtype": dtypes.NumberType,
    }
    modes = {"no_grad": tape.GradientMode, "enable_grad": tape.RecordingMode, "inference_mode": tape.GradientMode, "set_grad_enabled": tape.GradientMode, "is_grad_enabled": tape.is_recording}  # fmt: skip
    types = dtypes.ALL | {"finfo": dtypes.NumberLimits, "iinfo": dtypes.NumberLimits, "result_type": dtypes.result_type,
        "get_default_dtype": dtypes.get_default_dtype, "set_default_dtype": dtypes.set_default_dtype, "is_tensor": lambda obj: isinstance(obj, tensor.Tensor)}  # fmt: skip
    linear_algebra = {"norm": methods.METHODS["norm"], "vector_norm": methods.linalg_norm}
    contents: dict[str, dict[str, Any]] = {
        "torch": {**_shared(F), **FUNCTIONS, **creation.CREATION, **constants, **kinds, **modes, **types},
        "torch.nn": LAYERS,
        "torch.nn.functional": F,
        "torch.nn.init": init.INIT,
        "torch.nn.parameter": {"Parameter": LAYERS["Parameter"]},
        "torch.nn.utils": {"clip_grad_norm_": clip.clip_grad_norm_},
        "torch.optim": {"SGD": optim.SGD, "Adam": optim.Adam, "AdamW": optim.AdamW},
        "torch.autograd": {"grad": autograd_grad},
        "torch.linalg": linear_algebra,
        "torch.cuda": {"is_available": lambda: False},
    }
    torchs: dict[str, ModuleType] = {name: TorchModule(name) for name in contents}
    for name, module in torchs.items():
        vars(module).update(contents[name], __path__=[])
        parent, _, last = name.rpartition(".")
        if parent:
            setattr(torchs[parent], last, module)
    return torchs


def _shared(functional: dict[str, Any]) -> dict[str, Any]:
    """Return what is in torch.nn.functional and in torch alike."""
    return {
        name: functional[name]
        for name in ("layer_norm", "dropout", "cosine_similarity", "embedding", "rms_norm")
    }


class OtherModules(MetaPathFinder):
    """Says of other modules of PyTorch that they are not known, also where an answer catches a failed import."""

    def find_spec(self, fullname: str, path: object = None, target: object = None) -> None:
        """Raise NotInPage for a module of PyTorch that is not here."""
        if fullname.startswith("torch."):
            raise unknown(fullname.removeprefix("torch."))


def install() -> None:
    """Let `import torch`, and imports of its modules, give these modules."""
    sys.modules.update(modules())
    sys.meta_path.insert(0, OtherModules())
