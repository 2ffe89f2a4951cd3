"""A GPT as layers, the float64 reference: rotary positions, grouped heads and a cache; the block; the model; its writing.

Rotary positions: Su et al. (2021), section 3.2.2, features 2i and 2i + 1 a pair. Grouped heads: Ainslie et al.
(2023), section 2.2. RMS norm: Zhang and Sennrich (2019), equation 4. SwiGLU: Shazeer (2020), equation 6. Norms
before the layers: Xiong et al. (2020). Tied weights: Press and Wolf (2017).

A module's learned arrays are handed over by name: the name in the modules of MXNet and PyTorch with an underscore
for each dot, `attention_W_q_weight`, `norm1_weight`, `blocks_0_W_gate_weight`.
"""

import math
from collections.abc import Callable, Mapping, MutableMapping, Sequence
from typing import Any

import numpy as np

from solutions.gpt.common import cache_bytes as cache_bytes
from solutions.gpt.common import logits_that_change as logits_that_change
from solutions.language_model.in_numpy import (
    EPSILON,
    adamw_step,
    clip_gradients,
    gated_feed_forward,
    next_token_loss,
    rms_norm,
)
from solutions.masked_softmax.in_numpy import masked_softmax
from solutions.multi_head.in_numpy import join_heads, split_heads
from solutions.positions.in_numpy import rotary

Cache = MutableMapping[str, np.ndarray]


def rotary_attention(
    X: np.ndarray,
    d: int,
    num_heads: int,
    num_kv_heads: int,
    W_q_weight: np.ndarray,
    W_k_weight: np.ndarray,
    W_v_weight: np.ndarray,
    W_o_weight: np.ndarray,
    base: float = 10000,
    cache: Cache | None = None,
) -> np.ndarray:
    """Causal attention of the tokens of X to those in the cache and to themselves; updates the cache in place.

    X: (batch, num_tokens, d). cache: None, or a dictionary: empty, or with "keys", already rotated, and "values",
    both (batch * num_kv_heads, num_cached, head_size).
    W_q_weight, W_o_weight: (d, d). W_k_weight, W_v_weight: (num_kv_heads * head_size, d), with
    head_size = d / num_heads. base: of the rotary positions. Returns X's shape.
    """
    cache = {} if cache is None else cache
    Q = split_heads(X @ W_q_weight.T, num_heads)
    K = split_heads(X @ W_k_weight.T, num_kv_heads)
    V = split_heads(X @ W_v_weight.T, num_kv_heads)
    past = cache["keys"].shape[1] if cache else 0
    places = np.arange(past, past + X.shape[1])
    Q = rotary(Q, np.tile(places, (len(Q), 1)), base)
    K = rotary(K, np.tile(places, (len(K), 1)), base)
    if cache:
        K = np.concatenate([cache["keys"], K], axis=1)
        V = np.concatenate([cache["values"], V], axis=1)
    cache["keys"], cache["values"] = K, V
    # Each head of keys for a group of query heads
    group = num_heads // num_kv_heads
    K = K.repeat(group, axis=0)
    V = V.repeat(group, axis=0)
    scores = np.matmul(Q, K.swapaxes(1, 2))
    scores = scores / math.sqrt(Q.shape[-1])
    # The token at place p sees p + 1 keys.
    ends = np.tile(places + 1, (len(Q), 1))
    context = np.matmul(masked_softmax(scores, ends), V)
    return np.asarray(join_heads(context, num_heads) @ W_o_weight.T)


def rms_norm_layer(X: np.ndarray, d: int, weight: np.ndarray) -> np.ndarray:
    """`rms_norm` as a layer. X: (batch, num_tokens, d). weight: (d,), the gain. Returns X's shape."""
    squares = (X**2).mean(axis=-1, keepdims=True)
    return np.asarray(weight * X / np.sqrt(squares + EPSILON))


def _inside(name: str, parameters: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The learned arrays of the module `name` by their names in it."""
    start = f"{name}_"
    return {n.removeprefix(start): array for n, array in parameters.items() if n.startswith(start)}


def gpt_block(
    X: np.ndarray,
    d: int,
    num_heads: int,
    num_kv_heads: int,
    hidden: int,
    base: float = 10000,
    cache: Cache | None = None,
    **parameters: np.ndarray,
) -> np.ndarray:
    """x + Sublayer(norm(x)), with attention and then with the gated feed-forward layers as the sublayer.

    X: (batch, num_tokens, d). cache: of the attention. Returns X's shape.
    """
    attention = _inside("attention", parameters)
    N = rms_norm(X, parameters["norm1_weight"])
    X = X + rotary_attention(N, d, num_heads, num_kv_heads, base=base, cache=cache, **attention)
    N = rms_norm(X, parameters["norm2_weight"])
    # A layer keeps its matrix transposed.
    gate, up = parameters["W_gate_weight"].T, parameters["W_up_weight"].T
    down = parameters["W_down_weight"].T
    return X + gated_feed_forward(N, gate, up, down)


def gpt(
    tokens: np.ndarray,
    vocabulary_size: int,
    d: int,
    num_heads: int,
    num_kv_heads: int,
    hidden: int,
    num_blocks: int,
    base: float = 10000,
    caches: Sequence[Cache] | None = None,
    **parameters: np.ndarray,
) -> np.ndarray:
    """The logits of the next token after each of the tokens, (batch, num_tokens, vocabulary_size).

    tokens: (batch, num_tokens) of whole numbers. caches: None, or a dictionary for each block.
    """
    X = parameters["embedding_weight"][tokens]
    for i in range(num_blocks):
        cache = None if caches is None else caches[i]
        inside = _inside(f"blocks_{i}", parameters)
        X = gpt_block(X, d, num_heads, num_kv_heads, hidden, base, cache, **inside)
    # The embedding once more: weight tying
    return np.asarray(rms_norm(X, parameters["norm_weight"]) @ parameters["embedding_weight"].T)


def generate(
    model: Any,
    tokens: np.ndarray,
    num_new: int,
    choose: Callable[[np.ndarray], np.ndarray],
) -> np.ndarray:
    """Append tokens one by one, each chosen by the logits after the last one; the model reads each token once.

    model: with a list `blocks`; called on tokens (batch, num_tokens) and a dictionary for each block, it gives logits
    (batch, num_tokens, vocabulary_size). choose: logits (batch, vocabulary_size) to tokens (batch, 1). Returns
    (batch, num_tokens + num_new).
    """
    caches: list[Cache] = [{} for _ in model.blocks]
    new = tokens
    for _ in range(num_new):
        logits = model(new, caches)
        new = choose(logits[:, -1])
        tokens = np.concatenate([tokens, new], axis=1)
    return tokens


def training_step(model: Any, tokens: np.ndarray, state: MutableMapping[str, Any], rate: float) -> float:
    """One step of training: clipped to a norm of 1, then AdamW with a decay of 0.1 for matrices; gives the loss before it.

    model: called on tokens (batch, num_tokens) it gives logits; with `parameters`, its learned arrays, which are changed in
    place, and `gradients`, those of the loss for each of them. state: empty at first, updated in place. rate: of this step.
    """
    arrays = model.parameters()
    loss = next_token_loss(model(tokens), tokens, None)
    gradients = model.gradients(tokens)
    # Matrices decay, gains and biases do not.
    rates = [0.1 * (a.ndim > 1) for a in arrays]
    decays = map(np.full, [a.shape for a in arrays], rates)
    # Each array as a part of one row
    row = np.concatenate([a.ravel() for a in arrays])
    gradients = np.concatenate([g.ravel() for g in gradients])
    decay = np.concatenate([d.ravel() for d in decays])
    zeros = np.zeros_like(row)
    mean = state.get("mean", zeros)
    square = state.get("square", zeros)
    step = state.get("step", 0) + 1
    gradients = clip_gradients(gradients, 1.0)
    row, mean, square = adamw_step(
        row, gradients, mean, square, step, rate, decay
    )  # fmt: skip
    begin = 0
    for a in arrays:
        end = begin + a.size
        a[...] = row[begin:end].reshape(a.shape)
        begin = end
    state.update(mean=mean, square=square, step=step)
    return float(loss.item())


def initial_weights(
    vocabulary_size: int,
    d: int,
    num_heads: int,
    num_kv_heads: int,
    hidden: int,
    num_blocks: int,
    seed: int = 0,
) -> dict[str, np.ndarray]:
    """One start for every framework: the learned arrays of `GPT` by their paths in it, float32.

    Gains of 1, all else normal with mean 0. A matrix (m, n), applied as X @ W.T, has the standard deviation
    1 / sqrt(n); what is added to X is smaller by the root of the number of sums, as in GPT-2; the embedding has 0.02.
    """
    rng = np.random.default_rng(seed)
    shared = d // num_heads * num_kv_heads
    shapes = {f"attention.W_{x}": (d if x in "qo" else shared, d) for x in "qkvo"}
    shapes |= {"W_gate": (hidden, d), "W_up": (hidden, d), "W_down": (d, hidden)}
    weights = {"embedding.weight": 0.02 * rng.normal(size=(vocabulary_size, d)), "norm.weight": np.ones(d)}
    for i in range(num_blocks):
        weights |= {f"blocks.{i}.{norm}.weight": np.ones(d) for norm in ("norm1", "norm2")}
        for name, shape in shapes.items():
            sums = 2 * num_blocks if name in ("attention.W_o", "W_down") else 1
            weights[f"blocks.{i}.{name}.weight"] = rng.normal(size=shape) / np.sqrt(shape[1] * sums)
    return {name: array.astype(np.float32) for name, array in weights.items()}
