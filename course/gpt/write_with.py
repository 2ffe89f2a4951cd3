"""A reader's answer as a part of the stored language model: what the page's worker calls to let it write."""

import io
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from typing import Any

import numpy as np

from autograder.frameworks import adapter_of
from autograder.frameworks.base import Adapter
from autograder.model.catalogue import all_exercises
from autograder.model.misconceptions import NUMPY
from autograder.page.check_text import SOURCE, check_text
from autograder.sandbox.worker import run_cells
from course.gpt.model_of_parts import PARTS, written_with

RIGHT = "Your answer writes this text: it stands in each block of the stored model."
RIGHT_TO_CHOOSE = "Your answer writes this text: each of its tokens was chosen with it."
WRONG = "The model writes this with your answer, which is not right yet. {0}"
SAME = "The model's own part writes the same text: this mistake does not show in it."
STOPS = "The model cannot write with your answer: {0}."


def write_with(name: str, text: str, framework: str = NUMPY, seed: int = 0) -> dict[str, str]:
    """Judge a reader's source, and let the stored model write with it, whether it is right or wrong.

    name: of an exercise in PARTS. text: the source. framework: in which it is written. seed: of the draws.
    Returns what `check_text` does, and `told`, a sentence; `written`, the text, empty where there is none; `own`,
    the text that the model's own part writes, where that is another one.
    """
    verdict = check_text(name, text, framework)
    with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        namespace, _ = run_cells({SOURCE: text})
        function = namespace.get(all_exercises()[name].entry)
        if verdict["outcome"] == "missing" or not callable(function):
            return _stopped(verdict, "there is nothing to call")
        in_numpy = function if framework == NUMPY else _on_arrays(function, adapter_of(framework))
        try:
            text_written = written_with(name, in_numpy, seed)
        except Exception as error:  # a reader's own code may raise whatever it likes
            return _stopped(verdict, f"{type(error).__name__}: {error}".rstrip("."))
    own_text = written_with(name, PARTS[name], seed)
    if verdict["outcome"] == "accepted":
        sentence = RIGHT_TO_CHOOSE if name == "top_p" else RIGHT
    else:
        sentence = WRONG.format(verdict["message"]) + (f" {SAME}" if text_written == own_text else "")
    return {
        **verdict,
        "told": sentence,
        "written": text_written,
        "own": "" if text_written == own_text else own_text,
    }


def _on_arrays(function: Callable[..., Any], adapter: Adapter) -> Callable[..., Any]:
    """Return a function of a framework as one that takes and gives NumPy arrays, as the stored model calls it."""

    def array(value: Any) -> Any:
        if not isinstance(value, np.ndarray):
            return value
        is_real = value.dtype.kind == "f"
        return adapter.array(value.astype(np.float32), False)[1] if is_real else adapter.integers(value)

    def numpy(result: Any) -> Any:
        if isinstance(result, tuple):
            return tuple(map(numpy, result))
        return adapter.numpy(result) if adapter.is_array(result) else result

    return lambda *arguments: numpy(function(*map(array, arguments)))


def _stopped(verdict: dict[str, str], why: str) -> dict[str, str]:
    return {**verdict, "told": STOPS.format(why), "written": "", "own": ""}
