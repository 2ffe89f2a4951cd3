"""The stored language model, asked from the book's page about a reader's own text.

It runs in the reader's browser (Python compiled to WebAssembly) with NumPy alone, in the worker that judges
answers (`_static/in_page/worker.mjs`).
"""

from functools import cache
from typing import Any

import numpy as np

from course.data.prose import StoredModel, stored_model
from solutions.language_model.common import decode, encode
from solutions.language_model.in_numpy import language_model

# Together as long as the windows that the model was trained on.
MOST_READ = 32
MOST_WRITTEN = 32
SHOWN = 10
CUT = f"The text is too long: the model is given its last {MOST_READ} tokens."
# Of a pasted book only the end is cut into tokens.
MOST_CHARACTERS = 2000

stored = cache(stored_model)


def answer(
    text: str,
    off: tuple[int, int] | None = None,
    steps: int = 0,
    temperature: float = 1.0,
    seed: int = 0,
) -> dict[str, Any]:
    """What the model makes of a text: the next token, each head's weights, and how it writes on.

    text: not empty; of more than MOST_READ tokens the last ones are read.
    off: a head that is switched off, as (block, head), both counted from 0.
    steps: how many tokens to write on, at most MOST_WRITTEN, with the head switched off.
    temperature: divides the logits before a token is drawn; more than 0. seed: of the draws.
    Returns, ready for JSON: `read`, the text that is read; its `tokens` as words; `cut`, a sentence where the text was cut; `next`, the SHOWN most
    probable tokens, the most probable first, as (word, probability, probability without the head); `maps`, the
    weights (num_blocks, num_heads, num_tokens, num_tokens) of the model with all heads; `written`.
    Raises ValueError for an empty text, and for settings out of range.
    """
    if not text:
        raise ValueError("The text is empty: type a word, and ask again.")
    if temperature <= 0 or not 0 <= steps <= MOST_WRITTEN:
        raise ValueError(f"temperature must be above 0, and steps from 0 to {MOST_WRITTEN}.")
    model = stored()
    every = encode(text[-MOST_CHARACTERS:], model.merges)
    tokens = every[-MOST_READ:]
    logits, maps = _read(model, tokens, None)
    likely = softmax(logits)
    changed = likely if off is None else softmax(_read(model, tokens, off)[0])
    # With a head off another token may be the most probable one: it must be among those shown.
    best = np.argsort(-np.maximum(likely, changed), kind="stable")[:SHOWN]
    best = best[np.argsort(-likely[best], kind="stable")]
    return {
        "read": decode(tokens, model.merges),
        "tokens": [decode([token], model.merges) for token in tokens],
        "cut": CUT if len(every) > MOST_READ else "",
        "next": [(decode([i], model.merges), float(likely[i]), float(changed[i])) for i in best.tolist()],
        "maps": maps.round(3).tolist(),
        "written": decode(_written(model, tokens, off, steps, temperature, seed), model.merges),
    }


def softmax(logits: np.ndarray) -> np.ndarray:
    """The probabilities of logits (n,)."""
    powers = np.exp(logits - logits.max())
    return np.asarray(powers / powers.sum())


def _read(
    model: StoredModel, tokens: list[int], off: tuple[int, int] | None
) -> tuple[np.ndarray, np.ndarray]:
    """The logits behind the last token, and the weights (num_blocks, num_heads, n, n)."""
    without = () if off is None else ((off[0], off[1]),)
    logits, weights = language_model(np.array([tokens]), model.weights, model.num_heads, without)
    return logits[0, -1], weights[:, 0]


def _written(
    model: StoredModel,
    tokens: list[int],
    off: tuple[int, int] | None,
    steps: int,
    temperature: float,
    seed: int,
) -> list[int]:
    """Tokens that are drawn one after another."""
    rng = np.random.default_rng(seed)
    written: list[int] = []
    for _ in range(steps):
        likely = softmax(_read(model, [*tokens, *written], off)[0].astype(float) / temperature)
        written.append(int(rng.choice(len(likely), p=likely)))
    return written
