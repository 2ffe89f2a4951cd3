"""A learner's package `my_gpt`, imported from the folder in which it stands."""

import importlib
import sys
import traceback
from dataclasses import asdict, dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from course import frameworks

NAME = "my_gpt"


class GPTError(Exception):
    """Something that a learner can mend; the message says what."""


@dataclass(frozen=True)
class Sizes:
    """What a GPT is made with, by the names of its arguments."""

    vocabulary_size: int
    d: int = 96
    num_heads: int = 6
    num_kv_heads: int = 2
    hidden: int = 256
    num_blocks: int = 4


class Package:
    """The modules of `my_gpt` in a folder, as they are there now."""

    def __init__(self, home: Path) -> None:
        """home: the folder in which `my_gpt` stands. Raises GPTError where it cannot be imported."""
        if frameworks.torch is None:
            raise GPTError(frameworks.WITHOUT_TORCH)
        if not (home / NAME).is_dir():
            raise GPTError(f"{home} holds no {NAME}: type `attention gpt`, which writes it.")
        for name in [name for name in sys.modules if name.split(".")[0] == NAME]:
            del sys.modules[name]
        importlib.invalidate_caches()
        self.home = home.resolve()
        self.tokeniser, self.model = self._module("tokeniser"), self._module("model")
        self.sampling = self._module("sampling")
        loaded = {name: module for name, module in sys.modules.items() if name.startswith(f"{NAME}.")}
        self.modules = {name.split(".")[1]: module for name, module in loaded.items()}

    def _module(self, name: str) -> ModuleType:
        sys.path.insert(0, str(self.home))
        try:
            return importlib.import_module(f"{NAME}.{name}")
        except Exception as error:  # whatever the learner's code raises
            raise GPTError(f"{NAME}/{name}.py cannot be imported: {where(error)}.") from error
        finally:
            sys.path.remove(str(self.home))

    def gpt(self, sizes: Sizes) -> Any:
        """A model with weights that are drawn as those of GPT-2: Radford et al. (2019), section 2.3."""
        made = self.model.GPT(**asdict(sizes))
        with frameworks.torch.no_grad():
            for name, array in made.named_parameters():
                if array.ndim > 1:
                    narrow = name.endswith(("W_o.weight", "W_down.weight"))
                    sums = 2 * sizes.num_blocks if narrow else 1
                    inputs = 2500 if "embedding" in name else array.shape[1]  # a deviation of 0.02
                    array.normal_(std=(inputs * sums) ** -0.5)
        return made


def where(error: BaseException) -> str:
    """An error in words, with the last line of `my_gpt` that it passed."""
    said = f"{type(error).__name__}: {error}".rstrip(".")
    lines = [f for f in traceback.extract_tb(error.__traceback__) if Path(f.filename).parent.name == NAME]
    return f"{said} ({NAME}/{Path(lines[-1].filename).name}, line {lines[-1].lineno})" if lines else said
