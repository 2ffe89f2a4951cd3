"""A learner's package `my_gpt`, imported from the folder in which it stands."""

import importlib
import sys
import traceback
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import asdict, dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from autograder.frameworks import libraries
from autograder.model.errors import AutograderError
from course.training.backends import backend
from solutions.positions.in_numpy import bases_of, slowed

NAME = "my_gpt"
TABLES = ("embedding.weight", "positions.weight")


class GPTError(AutograderError):
    """Something that a learner can mend; the message says what."""


@dataclass(frozen=True)
class Sizes:
    """What a GPT is made with, by the names of its arguments.

    num_positions: how many positions GPT-2's form learns; 0 for the form with rotary positions. GPT-2's form has as
    many heads of keys as of queries, and no num_kv_heads.
    base: of rotary positions. scaling: what `slowed` of *Positions* takes besides the frequencies, as in Llama 3.1;
    empty where they stay as they are.
    """

    vocabulary_size: int
    d: int = 96
    num_heads: int = 6
    num_kv_heads: int = 2
    hidden: int = 256
    num_blocks: int = 4
    num_positions: int = 0
    base: float = 10000
    scaling: tuple[float, ...] = ()

    def arguments(self) -> dict[str, Any]:
        """Return those of the class."""
        unused = {"num_kv_heads", "base"} if self.num_positions else {"num_positions"}
        return {name: size for name, size in asdict(self).items() if name not in {*unused, "scaling"}}

    def bases(self) -> np.ndarray:
        """Return a base for each pair of features, with which `rotary` has the slowed frequencies."""
        size = self.d // self.num_heads
        rates = self.base ** (-np.arange(0, size, 2) / size)
        return bases_of(slowed(rates, *self.scaling)).reshape(1, 1, -1)


class Package:
    """The modules of `my_gpt` in a folder, as they are there now, and what they need of their framework.

    device: where models and arrays are made from now on; "cpu", and in PyTorch also "cuda" and "mps".
    """

    def __init__(self, home: Path, framework: str = "torch") -> None:
        """home: the folder in which `my_gpt` stands. Raises GPTError where it cannot be imported."""
        if framework == "torch" and libraries.torch is None:
            raise GPTError(libraries.WITHOUT_TORCH)
        if not (home / NAME).is_dir():
            raise GPTError(f"{home} holds no {NAME}: type `attention gpt`, which writes it.")
        try:
            self._backend = backend(framework)
        except ValueError as error:
            raise GPTError(str(error)) from error
        for name in [name for name in sys.modules if name.split(".")[0] == NAME]:
            del sys.modules[name]
        importlib.invalidate_caches()
        self.home, self.framework, self.device = home.resolve(), framework, "cpu"
        self.tokeniser, self.model = self._module("tokeniser"), self._module("model")
        self.gpt2 = self._module("gpt2")
        self.training, self.sampling = self._module("training"), self._module("sampling")
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

    def gpt(self, sizes: Sizes, seed: int | None = 0) -> Any:
        """Return a model with weights drawn as those of GPT-2: Radford et al. (2019), section 2.3; gains are 1.

        seed: None for a model whose weights come from elsewhere.
        """
        scaled = {"base": self.array(sizes.bases())} if sizes.scaling else {}
        with self.at_work():  # what a layer holds beside its learned arrays, too
            make = self.gpt2.GPT2 if sizes.num_positions else self.model.GPT
            model = make(**{**sizes.arguments(), **scaled})
        if self.framework == "mxnet":
            model.initialize()
            # Its layers learn their sizes from the first call.
            model(self.array(np.zeros((1, 1), dtype=np.int64)))
        rng = np.random.default_rng(seed)
        for name, shape in self.shapes(model).items() if seed is not None else ():
            if len(shape) > 1:
                narrow = name.endswith(("W_o.weight", "W_down.weight"))
                sums = 2 * sizes.num_blocks if narrow else 1
                inputs = 2500 if name in TABLES else shape[1]  # a deviation of 0.02
                draws = rng.normal(size=shape) * (inputs * sums) ** -0.5
            else:
                draws = np.full(shape, float(not name.endswith("bias")))
            self.take(model, {name: draws})
        return model

    def array(self, values: np.ndarray) -> Any:
        """Return an array of the framework, in single precision where it holds no whole numbers."""
        with self.at_work():
            return self._backend.array(
                values if values.dtype.kind in "iu" else values.astype(np.float32, copy=False)
            )

    def numpy(self, values: Any) -> np.ndarray:
        return self._backend.numpy(values)

    def arrays(self, model: Any) -> dict[str, np.ndarray]:
        """Return the learned arrays of a model by their names, which are the same in each framework."""
        learned = self._learned(model)
        return {n: self.numpy(a if self.framework == "torch" else a.data()) for n, a in learned.items()}

    def shapes(self, model: Any) -> dict[str, tuple[int, ...]]:
        """Return the shapes of its learned arrays by their names."""
        return {name: tuple(array.shape) for name, array in self._learned(model).items()}

    def take(self, model: Any, arrays: Mapping[str, np.ndarray]) -> None:
        """Give a model these arrays. Raises GPTError where it has no such array, or one of another shape."""
        learned, shapes = self._learned(model), self.shapes(model)
        for name, values in arrays.items():
            if shapes.get(name) != values.shape:
                state = f"of shape {shapes[name]}" if name in learned else "not there"
                raise GPTError(f"the array {name} of shape {values.shape} is {state} in your GPT")
        with self.at_rest():
            for name, values in arrays.items():
                if self.framework == "torch":
                    learned[name].copy_(libraries.torch.from_numpy(np.require(values, np.float32, "W")))
                else:
                    learned[name].set_data(self.array(values))

    def _learned(self, model: Any) -> dict[str, Any]:
        parameters = (
            model.named_parameters() if self.framework == "torch" else model._collect_params_with_prefix()
        )
        return dict(parameters)

    @contextmanager
    def at_work(self) -> Iterator[None]:
        """Make what the learner's code makes on the device: the numbers of positions, for one."""
        with libraries.torch.device(self.device) if self.framework == "torch" else nullcontext():
            yield

    @contextmanager
    def at_rest(self) -> Iterator[None]:
        """Do the same without gradients."""
        with self.at_work(), libraries.torch.no_grad() if self.framework == "torch" else nullcontext():
            yield


@contextmanager
def in_words(what: str) -> Iterator[None]:
    """Raise GPTError where the learner's code raises anything."""
    try:
        yield
    except GPTError:
        raise
    except Exception as error:
        raise GPTError(f"{what} failed: {where(error)}.") from error


def where(error: BaseException) -> str:
    """Return an error in words, with the last line of `my_gpt` that it passed."""
    message = f"{type(error).__name__}: {error}".rstrip(".")
    lines = [f for f in traceback.extract_tb(error.__traceback__) if Path(f.filename).parent.name == NAME]
    return (
        f"{message} ({NAME}/{Path(lines[-1].filename).name}, line {lines[-1].lineno})" if lines else message
    )
