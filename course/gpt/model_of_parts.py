"""The stored language model, made of parts that a reader's answers can take the place of.

In the book's pages it runs in the reader's browser with NumPy alone (`course/gpt/write_with.py`).
"""

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import numpy as np

from course.data.prose import StoredModel, stored_model
from solutions.language_model.common import decode, encode
from solutions.language_model.in_numpy import gated_feed_forward, num_blocks, rms_norm, top_p
from solutions.masked_softmax.in_numpy import softmax
from solutions.positions.in_numpy import rotary
from solutions.self_attention.in_numpy import causal_self_attention

# By the exercise that asks for it.
PARTS: Mapping[str, Callable[..., Any]] = {
    "causal_self_attention": causal_self_attention,
    "rotary": rotary,
    "gated_feed_forward": gated_feed_forward,
    "top_p": top_p,
}
BEGINNING, MOST_WRITTEN, TEMPERATURE, P = "The weights", 24, 0.7, 0.9
BASE = 10000  # of its rotary positions

stored = cache(stored_model)


def written_with(part: str, function: Callable[..., Any], seed: int) -> str:
    """Return what the model writes after BEGINNING where another function takes the place of one of its parts.

    part: one of PARTS. function: with the arguments of that exercise. seed: of the draws.
    Raises ValueError where what the function returns has another shape than the part's, or is not finite; and
    whatever the function raises.
    """
    model, parts = stored(), {**PARTS, part: function}
    rng = np.random.default_rng(seed)
    tokens = encode(BEGINNING, model.merges)
    for _ in range(MOST_WRITTEN):
        logits = last_logits(model, tokens, parts)
        likely = softmax(logits.astype(float) / TEMPERATURE)[None]
        up_to = _fitting(parts["top_p"](likely, P), likely.shape)[0].cumsum()
        tokens.append(int((up_to <= rng.random() * up_to[-1]).sum().clip(max=len(up_to) - 1)))
    return decode(tokens, model.merges)


def last_logits(model: StoredModel, tokens: list[int], parts: Mapping[str, Callable[..., Any]]) -> np.ndarray:
    """Return the logits after the last token, computed from parts; those of `language_model` with PARTS."""
    X = model.weights["embedding"][tokens][None]
    heads = model.num_heads
    for i in range(num_blocks(model.weights)):
        block = {n.removeprefix(f"block{i}_"): array for n, array in model.weights.items()}
        N = rms_norm(X, block["norm1"])
        # (heads, num_tokens, head_size), so that each head is an element of a batch
        Q, K, V = ((N[0] @ block[f"W_{x}"]).reshape(len(tokens), heads, -1).swapaxes(0, 1) for x in "qkv")
        places = np.tile(np.arange(len(tokens)), (heads, 1))
        Q, K = (_fitting(parts["rotary"](Y, places, BASE), Y.shape) for Y in (Q, K))
        # The exercise's function has matrices of its own: here they pick out what is projected and rotated already.
        picks = np.split(np.eye(3 * Q.shape[-1], dtype=Q.dtype), 3, axis=1)
        context, _ = parts["causal_self_attention"](np.concatenate([Q, K, V], axis=-1), *picks, None)
        X = X + _fitting(context, V.shape).swapaxes(0, 1).reshape(X.shape) @ block["W_o"]
        N = rms_norm(X, block["norm2"])
        matrices = (block["W_gate"], block["W_up"], block["W_down"])
        X = X + _fitting(parts["gated_feed_forward"](N, *matrices), X.shape)
    return np.asarray(rms_norm(X[0, -1], model.weights["norm"]) @ model.weights["embedding"].T)


def _fitting(result: Any, shape: tuple[int, ...]) -> np.ndarray:
    """Return a part's result. Raises ValueError where it has another shape, or an entry that is not finite."""
    if np.shape(result) != shape:
        raise ValueError(f"the part gives the shape {np.shape(result)} in the model, and must give {shape}")
    if not np.isfinite(result).all():
        raise ValueError("the part gives a number in the model that is not finite")
    return np.asarray(result)
