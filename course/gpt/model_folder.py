"""A folder with a published model: its config, the shapes of its arrays and the arrays, its tokeniser.

It is a stranger's: what a file is in truth is named, and nothing is built or unpickled to find out.
"""

import importlib
import json
from pathlib import Path
from typing import Any

import numpy as np

from autograder.model.text import clean
from course.gpt.package import GPTError
from course.gpt.training import Chat

CONFIG, WEIGHTS, TOKENISER = "config.json", "model.safetensors", "tokenizer.json"
NOT_INSTALLED = "{} is not installed: type `pip install transformers gguf`."
# More than any config or tokeniser holds, in bytes; the list of arrays of a file is shorter by its format.
MOST = 256 << 20
POINTER = b"version https://git-lfs"
PLAIN_NUMBERS = ("F64", "F32", "F16", "BF16")
SAVED = "`from_pretrained(...).save_pretrained(FOLDER, max_shard_size='1TB')` of transformers makes one file of it"
# What else may be there in the place of the weights, by the patterns of its names.
OTHER_FILES = (
    (("adapter_*",), "{name} is of an adapter (LoRA), and no whole model: merge it into its model first"),
    (
        ("*.safetensors.index.json", "model-*-of-*"),
        f"its weights stand in several files (shards), such as {{name}}: {SAVED}",
    ),
    (("*.safetensors",), f"{{name}} has another name: call it {WEIGHTS} if it is the whole model"),
    (
        ("*.bin", "*.pt", "*.pth", "*.ckpt", "*.pkl"),
        f"{{name}} is a pickle, which can run code when it is opened, and is not read: {SAVED}",
    ),
    (("*.gguf",), "type `attention gpt load` with {name} itself"),
)
# Tokenisers in other formats.
OTHER_TOKENISERS = ("tokenizer.model", "spiece.model", "vocab.json", "vocab.txt")


def library(name: str) -> Any:
    """Import a library. Raises GPTError where it is not installed."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise GPTError(NOT_INSTALLED.format(name.split(".")[0])) from error


def read_config(folder: Path) -> dict[str, Any]:
    """Return what `config.json` says, by name. Raises GPTError where it cannot be read."""
    if not folder.is_dir():
        raise GPTError(f"{folder} cannot be read: there is no such folder.")
    path = folder / CONFIG
    data = _read(path)
    if data is None:
        raise GPTError(f"{path} cannot be read: there is no such file.")
    try:
        config = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise GPTError(f"{folder} holds no model in this format: {CONFIG} is not JSON.") from error
    if not isinstance(config, dict):
        raise GPTError(
            f"{folder} holds no model in this format: {CONFIG} must hold names with values, but holds {value_text(config)}."
        )
    return config


def value_text(value: Any, here: Any = None) -> str:
    """Return a value of a config in words that a terminal can print. here: what is expected of it."""
    if isinstance(value, dict | list):
        return "a list" if isinstance(value, list) else "an object"
    text = clean(value, 60)
    return f"the text {text!r}" if isinstance(value, str) and not isinstance(here, str) else text


def read_tokeniser(folder: Path) -> str:
    """Return the text of `tokenizer.json`; empty where there is none. Raises GPTError where it cannot be read."""
    data = _read(folder / TOKENISER)
    try:
        return (data or b"").decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise GPTError(f"{folder / TOKENISER} is not a text in UTF-8.") from error


def other_tokenisers(folder: Path) -> list[str]:
    """Return the names of tokenisers in formats that are not read."""
    return [name for name in OTHER_TOKENISERS if (folder / name).is_file()]


def _read(path: Path) -> bytes | None:
    """Return what a small file holds; None where there is none."""
    if not path.exists():
        return None
    _refuse_pointer(path)
    try:
        with path.open("rb") as file:
            data = file.read(MOST + 1)
    except OSError as error:
        raise GPTError(f"{path} cannot be read: {error.strerror or error}.") from error
    if len(data) > MOST:
        raise GPTError(f"{path} cannot be read: it holds more than {MOST >> 20} MB.")
    return data


def _refuse_pointer(path: Path) -> None:
    """Raise GPTError for what is not a plain file, and for one that only says where the true one lies."""
    if not path.is_file():
        raise GPTError(f"{path} cannot be read: it is not a plain file.")
    try:
        with path.open("rb") as file:
            is_pointer = file.read(len(POINTER)) == POINTER
    except OSError as error:
        raise GPTError(f"{path} cannot be read: {error.strerror or error}.") from error
    if is_pointer:
        raise GPTError(
            f"{path} is a pointer of Git LFS, and not the file itself: type `git lfs pull` in its folder."
        )


class Weights:
    """The arrays of `model.safetensors`: their shapes and types at once, each array when it is asked for."""

    are_neighbours = False  # the features of a pair

    def __init__(self, folder: Path) -> None:
        """Open the file. Raises GPTError where there is no such file, or where it is something else."""
        path = folder / WEIGHTS
        if not path.exists():
            raise GPTError(f"{folder} holds no {WEIGHTS}{_what_else(folder)}.")
        _refuse_pointer(path)
        opened = library("safetensors").safe_open
        try:
            self._file = opened(
                path, framework="pt"
            )  # it refuses a list of arrays that the file does not hold
            with path.open("rb") as file:
                arrays = json.loads(file.read(int.from_bytes(file.read(8), "little")))
        except Exception as error:  # safetensors has exceptions of its own
            raise GPTError(f"{folder} holds no model in this format: {clean(error)}.") from error
        self.types = {name: array["dtype"] for name, array in arrays.items() if name != "__metadata__"}
        self.shapes = {name: tuple(arrays[name]["shape"]) for name in self.types}

    def array(self, name: str) -> np.ndarray:
        """Return an array in single precision. Raises GPTError where it is quantised, or holds what is no number."""
        if self.types[name] not in PLAIN_NUMBERS:
            raise GPTError(
                f"The array {name} holds {self.types[name]}, and no floating-point numbers of 16 bits or more: the model "
                "is quantised, and your GPT is not."
            )
        return finite(name, self._file.get_tensor(name).float().numpy())


def finite(name: str, array: np.ndarray) -> np.ndarray:
    """Return an array. Raises GPTError where it holds what is no number."""
    if not np.isfinite(array).all():
        raise GPTError(
            f"The array {name} holds NaN or infinity: the file is damaged, or its training failed."
        )
    return array


def read_chat(folder: Path, config: dict[str, Any]) -> Chat | None:
    """Return how a model of a folder was taught to talk; None where nothing says it."""
    settings = _json(folder / "tokenizer_config.json") or {}
    jinja = _read(folder / "chat_template.jinja")
    template = settings.get("chat_template") if jinja is None else jinja.decode("utf-8", "replace")
    ends = config.get("eos_token_id")
    ends = ends if isinstance(ends, list) else [ends]
    if not isinstance(template, str) or not all(type(end) is int for end in ends):
        return None
    marks = {name: settings.get(name) for name in ("bos_token", "eos_token")}
    return Chat(template, ends, {name: mark for name, mark in marks.items() if isinstance(mark, str)})


def _json(path: Path) -> dict[str, Any] | None:
    """Return what a file holds by name; None where there is none, or where it holds something else."""
    try:
        value = json.loads(_read(path) or b"null")
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _what_else(folder: Path) -> str:
    """Return what is there in the place of the weights, as the end of a sentence."""
    for patterns, words in OTHER_FILES:
        names = sorted(path.name for pattern in patterns for path in folder.glob(pattern))
        if names:
            return f": {words.format(name=clean(names[0], 100))}"
    return ""
