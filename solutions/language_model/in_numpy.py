"""A small GPT and its parts, the float64 reference; it imports NumPy and the standard library alone.

RMSNorm: Zhang and Sennrich (2019), equation 4. SwiGLU: Shazeer (2020), equation 6. Byte pairs: Sennrich et
al. (2016), section 3.2. Top-p: Holtzman et al. (2020), section 3.1. AdamW: Loshchilov and
Hutter (2019). Rotary positions: Su et al. (2021).

The learned arrays of a model are a dictionary, and every matrix is multiplied from the right:

    embedding                   (vocabulary_size, d), used again, transposed, for the logits
    block0_norm1, block0_norm2  (d,), the gains before the attention and before the feed-forward layers
    block0_W_q, _W_k, _W_v      (d, d), of all heads side by side: head h has the h-th part of the columns
    block0_W_o                  (d, d)
    block0_W_gate, block0_W_up  (d, hidden)
    block0_W_down               (hidden, d)
    norm                        (d,), the gain after the last block

and so on for block1, block2, …
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import pairwise

import numpy as np

from solutions.language_model.common import speculative_gain as speculative_gain
from solutions.language_model.common import whose_probabilities as whose_probabilities

EPSILON = 1e-5
NONE: frozenset[tuple[int, int]] = frozenset()


def initial_weights(
    vocabulary_size: int, d: int, hidden: int, num_blocks: int, seed: int = 0
) -> dict[str, np.ndarray]:
    """The first weights of a model, float32: gains of 1, all else normal with mean 0.

    A matrix (n, m) has the standard deviation 1 / sqrt(n), so that its results are as large as its inputs. What
    is added to X is smaller by the root of the number of sums, as in GPT-2, and the embedding has 0.02.
    """
    rng = np.random.default_rng(seed)
    shapes = {f"W_{x}": (d, d) for x in "qkvo"}
    shapes |= {"W_gate": (d, hidden), "W_up": (d, hidden), "W_down": (hidden, d)}
    weights = {"embedding": 0.02 * rng.normal(size=(vocabulary_size, d)), "norm": np.ones(d)}
    for i in range(num_blocks):
        weights |= {f"block{i}_{norm}": np.ones(d) for norm in ("norm1", "norm2")}
        for name, shape in shapes.items():
            sums = 2 * num_blocks if name in ("W_o", "W_down") else 1
            weights[f"block{i}_{name}"] = rng.normal(size=shape) / np.sqrt(shape[0] * sums)
    return {name: array.astype(np.float32) for name, array in weights.items()}


def rms_norm(X: np.ndarray, gain: np.ndarray) -> np.ndarray:
    """Each position's features divided by the root of their mean square; EPSILON stands inside the root.

    X: (..., d). gain: (d,). Returns X's shape.
    """
    squares = (X**2).mean(axis=-1, keepdims=True)
    return np.asarray(gain * X / np.sqrt(squares + EPSILON))


def gated_feed_forward(X: np.ndarray, W_gate: np.ndarray, W_up: np.ndarray, W_down: np.ndarray) -> np.ndarray:
    """SwiGLU: (SiLU(X W_gate) * (X W_up)) W_down, with SiLU(x) = x / (1 + exp(-x)).

    X: (..., d). W_gate, W_up: (d, hidden). W_down: (hidden, d). Returns X's shape.
    """
    gate = X @ W_gate
    opened = gate / (1 + np.exp(-gate))
    return (opened * (X @ W_up)) @ W_down


def language_model(
    tokens: np.ndarray,
    parameters: Mapping[str, np.ndarray],
    num_heads: int,
    without: Collection[tuple[int, int]] = NONE,
) -> tuple[np.ndarray, np.ndarray]:
    """The logits of the next token at each position, and the attention weights of all heads.

    tokens: (batch, num_tokens) of whole numbers, the first at position 0.
    parameters: the learned arrays, named and shaped as above.
    without: heads that are switched off, as (block, head), both counted from 0; such a head adds nothing to
        the result of its block. Its weights are returned all the same.
    Returns the logits (batch, num_tokens, vocabulary_size) and the weights
    (num_blocks, batch, num_heads, num_tokens, num_tokens).
    """
    X = parameters["embedding"][tokens]
    weights = []
    for i in range(num_blocks(parameters)):
        block = {name.removeprefix(f"block{i}_"): array for name, array in parameters.items()}
        off = [head for number, head in without if number == i]
        context, seen = _attention(rms_norm(X, block["norm1"]), block, num_heads, off)
        X = X + context
        N = rms_norm(X, block["norm2"])
        X = X + gated_feed_forward(N, block["W_gate"], block["W_up"], block["W_down"])
        weights.append(seen)
    return rms_norm(X, parameters["norm"]) @ parameters["embedding"].T, np.stack(weights)


def num_blocks(parameters: Mapping[str, np.ndarray]) -> int:
    """How many blocks a model with these arrays has."""
    return sum(name.endswith("_W_q") for name in parameters)


def _attention(
    X: np.ndarray, block: Mapping[str, np.ndarray], num_heads: int, off: Sequence[int]
) -> tuple[np.ndarray, np.ndarray]:
    """Causal attention with rotary positions: the result (batch, num_tokens, d), and the weights."""
    queries, keys, values = (_heads(X @ block[f"W_{x}"], num_heads) for x in "qkv")
    scores = _rotated(queries) @ _rotated(keys).swapaxes(-1, -2) / np.sqrt(queries.shape[-1])
    scores = np.where(np.tri(X.shape[1], dtype=bool), scores, -np.inf)
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = exps / exps.sum(axis=-1, keepdims=True)
    context = weights @ values
    context[:, list(off)] = 0
    return context.swapaxes(1, 2).reshape(X.shape) @ block["W_o"], weights


def _heads(X: np.ndarray, num_heads: int) -> np.ndarray:
    """(batch, num_tokens, d) to (batch, num_heads, num_tokens, d / num_heads)."""
    return X.reshape(*X.shape[:2], num_heads, -1).swapaxes(1, 2)


def _rotated(X: np.ndarray) -> np.ndarray:
    """Features 2i and 2i + 1 turned by the position times 10000^(-2i/d), as in the chapter on positions."""
    frequencies = 10000.0 ** (-np.arange(0, X.shape[-1], 2) / X.shape[-1])
    angles = np.arange(X.shape[-2])[:, None] * frequencies
    cos, sin = np.cos(angles), np.sin(angles)
    first, second = X[..., 0::2], X[..., 1::2]
    return np.stack((first * cos - second * sin, second * cos + first * sin), axis=-1).reshape(X.shape)


def top_p(probabilities: np.ndarray, p: float) -> np.ndarray:
    """The most probable tokens, as many as needed to reach p in sum, renormalised; all others get 0.

    probabilities: (batch, vocabulary_size), each row sums to 1. p: more than 0, at most 1. Tokens exactly as
    probable as the last one kept are kept too. Returns (batch, vocabulary_size).
    """
    ranked = -np.sort(-probabilities, axis=-1)
    # A token is needed while those before it do not reach p: the first always, and the one that reaches p.
    before = np.pad(ranked.cumsum(axis=-1)[:, :-1], ((0, 0), (1, 0)))
    needed = np.where(before < p, ranked, 1.0)
    least = needed.min(axis=-1, keepdims=True)
    kept = probabilities * (probabilities >= least)
    return kept / kept.sum(axis=-1, keepdims=True)


def log_softmax(X: np.ndarray) -> np.ndarray:
    """The logarithms of the softmax over the last axis. X: (..., n). Returns X's shape."""
    shifted = X - X.max(axis=-1, keepdims=True)
    return np.asarray(shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True)))


def next_token_loss(logits: np.ndarray, tokens: np.ndarray, valid_length: np.ndarray | None) -> np.ndarray:
    """Mean cross-entropy of every next token that is real, in nats.

    logits: (batch, num_tokens, vocabulary_size); those at position t are for token t + 1.
    tokens: (batch, num_tokens), integers. valid_length: None, or (batch,), how many tokens of each are no padding, at
    least 1, and in one sequence 2. Returns (1,).
    """
    logs = log_softmax(logits[:, :-1])
    labels = tokens[:, 1:]
    losses = -np.take_along_axis(logs, labels[:, :, None].astype(int), axis=2).squeeze(2)
    if valid_length is None:
        return np.reshape(losses.mean(), 1)
    places = np.arange(1, tokens.shape[1])
    real = places < valid_length[:, None]
    return np.reshape((losses * real).sum() / real.sum(), 1)


def clip_gradients(gradients: np.ndarray, max_norm: float) -> np.ndarray:
    """The gradients, all made smaller by one factor where their norm is larger than max_norm: Pascanu et al. (2013).

    gradients: (num_parameters,), those of all arrays of a model in one row. Returns their shape.
    """
    norm = np.sqrt((gradients**2).sum())
    factor = np.minimum(max_norm / norm, 1)
    return np.asarray(gradients * factor)


def adamw_step(
    weights: np.ndarray,
    gradients: np.ndarray,
    mean: np.ndarray,
    square: np.ndarray,
    step: int,
    rate: float,
    decay: np.ndarray,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """One step of Adam with decoupled weight decay: Loshchilov and Hutter (2019), algorithm 2.

    All arrays are (num_parameters,). mean, square: the running means of the gradients and of their squares, 0 before
    the first step. step: 1 at the first step. decay: of each parameter, multiplied by the rate as in PyTorch.
    Returns the weights, mean and square after the step.
    """
    mean = 0.9 * mean + 0.1 * gradients
    square = 0.999 * square + 0.001 * gradients**2
    m = mean / (1 - 0.9**step)
    s = square / (1 - 0.999**step)
    change = m / (np.sqrt(s) + 1e-8) + decay * weights
    return weights - rate * change, mean, square


def draw_token(logits: np.ndarray, temperature: float, p: float, numbers: np.ndarray) -> np.ndarray:
    """The next token of each sequence, by temperature and top-p.

    logits: (batch, vocabulary_size). numbers: (batch, 1), from 0 to below 1. Returns (batch, 1), whole numbers.
    """
    likely = np.exp(log_softmax(logits / temperature))
    up_to = top_p(likely, p).cumsum(axis=-1)
    # How many tokens lie below the random number
    below = up_to <= numbers * up_to[:, -1:]
    return np.asarray(below.sum(axis=-1, keepdims=True))


def merge_pair(tokens: Sequence[int], pair: tuple[int, int], new: int) -> list[int]:
    """The tokens with `new` in the place of each occurrence of the pair, from left to right.

    No token belongs to two occurrences: in a, a, a the pair (a, a) occurs once, at the beginning.
    """
    merged: list[int] = []
    for token in tokens:
        if merged and (merged[-1], token) == tuple(pair):
            merged[-1] = new
        else:
            merged.append(token)
    return merged


def learn_merges(counted: Iterable[tuple[str, int]], num_merges: int) -> list[tuple[int, int]]:
    """The pairs that are merged, the first to be merged first; the pair i becomes the token 256 + i.

    counted: each different piece of a text and how often it occurs. num_merges: how many pairs are learned; there
    are fewer where no pair is left. Of pairs that are equally frequent, that which occurs first is taken. A pair
    counts wherever its tokens are neighbours: twice in a, a, a.
    """
    words = [list(piece.encode()) for piece, _ in counted]
    counts = [count for _, count in counted]
    merges: list[tuple[int, int]] = []
    for new in range(256, 256 + num_merges):
        pairs: Counter[tuple[int, int]] = Counter()
        for tokens, n in zip(words, counts, strict=True):
            for pair in pairwise(tokens):
                pairs[pair] += n
        if not pairs:
            break
        best = max(pairs, key=pairs.__getitem__)
        merges.append(best)
        words = [merge_pair(w, best, new) for w in words]
    return merges


def encode_piece(piece: str, merges: Sequence[tuple[int, int]]) -> list[int]:
    """The tokens of a piece: its bytes, on which the merges are made one after the other, in their order.

    merges: as `learn_merges` gives them; the pair i becomes the token 256 + i.
    """
    tokens = list(piece.encode())
    for new, pair in enumerate(merges, 256):
        tokens = merge_pair(tokens, pair, new)
    return tokens


def pieces_of(text: str) -> list[str]:
    """A text cut into words and marks, each with the blank before it, and other white space, one by one."""
    return re.findall(r" ?\w+| ?[^\w\s]+|\s", text)


def encode(text: str, merges: Sequence[tuple[int, int]]) -> list[int]:
    """The tokens of a text, piece after piece. merges: as `learn_merges` gives them."""
    pieces = pieces_of(text)
    cached: dict[str, list[int]] = {}
    for piece in set(pieces):
        cached[piece] = encode_piece(piece, merges)
    return [t for piece in pieces for t in cached[piece]]


def decode(tokens: Sequence[int], merges: Sequence[tuple[int, int]]) -> str:
    """The text of tokens; bytes that are no valid UTF-8 become the character U+FFFD."""
    strings = [bytes([byte]) for byte in range(256)]
    for first, second in merges:
        strings.append(strings[first] + strings[second])
    joined = b"".join(strings[token] for token in tokens)
    return joined.decode(errors="replace")
