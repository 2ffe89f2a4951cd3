"""The course's own prose, and a small language model that was trained on it."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

TEXT = Path(__file__).with_name("prose.txt")
STORED = Path(__file__).with_name("prose_model.npz")
# One paragraph of so many is held out.
EVERY = 10


@dataclass(frozen=True)
class StoredModel:
    """What `python -m benchmarks.language_model --store` has trained.

    weights: the learned arrays, float32, named as `solutions/language_model/in_numpy.py` says.
    merges: pairs of tokens; the pair i becomes the token 256 + i.
    held_out: the mean cross-entropy on paragraphs that were not trained on, in nats for each character.
    """

    weights: dict[str, np.ndarray]
    merges: list[tuple[int, int]]
    num_heads: int
    held_out: float


def text() -> str:
    """Return the prose of the course's chapters as it once was, a paragraph to a line; `tools/prose.py` made it."""
    return TEXT.read_text(encoding="utf-8")


def split(whole: str) -> tuple[str, str]:
    """Return the text to train on, and the text held out: every tenth line."""
    lines = whole.splitlines(keepends=True)
    held_out = lines[EVERY - 1 :: EVERY]
    return "".join(line for i, line in enumerate(lines) if i % EVERY != EVERY - 1), "".join(held_out)


def windows(tokens: np.ndarray, length: int) -> np.ndarray:
    """Cut tokens into rows of length + 1, each beginning with the last token of the row before; a rest is left out.

    So each token but the first is predicted once.
    """
    begins = np.arange(0, len(tokens) - length, length)
    return np.asarray(tokens[begins[:, None] + np.arange(length + 1)])


def steps(
    tokens: np.ndarray, number: int, rate: float, size: int = 32, length: int = 64, seed: int = 0
) -> Iterator[tuple[float, np.ndarray]]:
    """Yield for each step of training its learning rate and a batch (size, length + 1), drawn from the tokens.

    The rate rises for a twentieth of the steps, and then falls along a cosine to a hundredth of its largest value.
    """
    rng = np.random.default_rng(seed)
    rising = max(number // 20, 1)
    for step in range(number):
        along = max(step - rising, 0) / max(number - rising, 1)
        falling = 0.01 + 0.99 * (1 + math.cos(math.pi * along)) / 2
        begin = rng.integers(len(tokens) - length, size=(size, 1))
        yield rate * min((step + 1) / rising, falling), tokens[begin + np.arange(length + 1)]


def stored_model() -> StoredModel:
    """Return the model that comes with the course."""
    with np.load(STORED) as arrays:
        contents = {name: arrays[name] for name in arrays.files}
    merges = [(int(first), int(second)) for first, second in contents.pop("merges")]
    num_heads, held_out = int(contents.pop("num_heads")), float(contents.pop("held_out"))
    weights = {name: array.astype(np.float32) for name, array in contents.items()}
    return StoredModel(weights, merges, num_heads, held_out)
