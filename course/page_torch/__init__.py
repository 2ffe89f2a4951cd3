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
    from course.page_torch import dtypes, gradient, optim, reductions, tape, tensor
    from course.page_torch.arguments import FUNCTIONS
    from course.page_torch.nn.functional import F
    from course.page_torch.nn.layers import LAYERS
    from course.page_torch.nn.utils import clip_grad_norm_

    in_both = ("layer_norm", "dropout", "cosine_similarity", "embedding", "rms_norm")
    others = {
        "newaxis": None,
        "__version__": VERSION,
        "Tensor": tensor.Tensor,
        "Size": tensor.Size,
        "device": tensor.Device,
        "dtype": dtypes.NumberType,
        "finfo": dtypes.NumberLimits,
        "get_default_dtype": dtypes.get_default_dtype,
        "set_default_dtype": dtypes.set_default_dtype,
        "set_num_threads": lambda count: None,
        "no_grad": tape.GradientMode,
        "inference_mode": tape.GradientMode,
        "is_grad_enabled": tape.is_recording,
    }
    numbers = {name: getattr(math, name) for name in ("pi", "inf", "nan", "e")}
    contents: dict[str, dict[str, Any]] = {
        "torch": {name: F[name] for name in in_both} | FUNCTIONS | dtypes.ALL | numbers | others,
        "torch.nn": LAYERS,
        "torch.nn.functional": F,
        "torch.nn.parameter": {
            "Parameter": LAYERS["Parameter"],
            "is_lazy": lambda parameter: parameter.is_lazy,
        },
        "torch.nn.utils": {"clip_grad_norm_": clip_grad_norm_},
        "torch.optim": {"SGD": optim.SGD, "Adam": optim.Adam, "AdamW": optim.AdamW},
        "torch.autograd": {"grad": gradient.grad},
        "torch.linalg": {"norm": reductions.linalg_norm, "vector_norm": reductions.vector_norm},
        "torch.cuda": {"is_available": lambda: False},
    }
    torchs: dict[str, ModuleType] = {name: TorchModule(name) for name in contents}
    for name, module in torchs.items():
        vars(module).update(contents[name], __path__=[])
        parent, _, last = name.rpartition(".")
        if parent:
            setattr(torchs[parent], last, module)
    return torchs


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
