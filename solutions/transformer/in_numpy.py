"""The transformer, the float64 reference (Vaswani et al. 2017, section 3).

A block's learned arrays are handed over by name: the name in the modules of MXNet and PyTorch with an
underscore for each dot, `attention_W_q_weight`, `norm1_weight`, `ffn1_bias`.
"""

from collections.abc import Callable, Mapping
from functools import partial
from types import SimpleNamespace

import numpy as np

from solutions.multi_head.in_numpy import multi_head_attention
from solutions.self_attention.in_numpy import positional_encoding

Parameters = Mapping[str, np.ndarray]
Layer = Callable[[np.ndarray], np.ndarray]
Attention = Callable[[np.ndarray, np.ndarray, np.ndarray, np.ndarray | None], np.ndarray]


def layer_norm(X: np.ndarray, gain: np.ndarray, bias: np.ndarray) -> np.ndarray:
    """Each position's features, shifted and scaled to mean 0 and variance 1 (Ba et al. 2016, eq. 3).

    X: (batch, num_steps, num_hiddens). gain, bias: (num_hiddens,). Returns X's shape.
    The variance is that of the features themselves, the mean of their squared distances from the
    mean; a small number is added to it before the root is taken.
    """
    mean = X.mean(axis=-1, keepdims=True)
    centred = X - mean
    variance = (centred**2).mean(axis=-1, keepdims=True)
    normalised = centred / np.sqrt(variance + 1e-5)
    return gain * normalised + bias


def norm(name: str, parameters: Parameters, X: np.ndarray) -> np.ndarray:
    """The layer norm called `name`."""
    return layer_norm(X, parameters[f"{name}_weight"], parameters[f"{name}_bias"])


def linear(name: str, parameters: Parameters, X: np.ndarray) -> np.ndarray:
    """The linear layer called `name`."""
    return np.asarray(X @ parameters[f"{name}_weight"].T + parameters[f"{name}_bias"])


def attend(
    name: str,
    parameters: Parameters,
    num_heads: int,
    queries: np.ndarray,
    keys: np.ndarray,
    values: np.ndarray,
    valid_length: np.ndarray | None,
) -> np.ndarray:
    """The multi-head attention called `name`."""
    weights = {f"W_{x}": parameters[f"{name}_W_{x}_weight"] for x in "qkvo"}
    num_hiddens = queries.shape[-1]
    return multi_head_attention(queries, keys, values, valid_length, num_hiddens, num_heads, **weights)[0]


class Modules(SimpleNamespace):
    """What a block consists of, as functions, by the names that its twins' modules have."""

    norm1: Layer
    norm2: Layer
    norm3: Layer
    ffn1: Layer
    ffn2: Layer
    attention: Attention
    self_attention: Attention
    cross_attention: Attention


def modules(num_heads: int, parameters: Parameters) -> Modules:
    """The modules that have these learned arrays."""
    self = Modules()
    for name in ("norm1", "norm2", "norm3"):
        setattr(self, name, partial(norm, name, parameters))
    for name in ("ffn1", "ffn2"):
        setattr(self, name, partial(linear, name, parameters))
    for name in ("attention", "self_attention", "cross_attention"):
        setattr(self, name, partial(attend, name, parameters, num_heads))
    return self


def encoder_block(
    X: np.ndarray,
    valid_length: np.ndarray | None,
    num_hiddens: int,
    num_heads: int,
    ffn_hiddens: int,
    **parameters: np.ndarray,
) -> np.ndarray:
    """Self-attention and feed-forward, each followed by LayerNorm(x + Sublayer(x)) (section 3.1).

    X: (batch, num_steps, num_hiddens). valid_length: None or (batch,). Returns X's shape.
    """
    self = modules(num_heads, parameters)
    context = self.attention(X, X, X, valid_length)
    Y = self.norm1(X + context)
    hidden = np.maximum(self.ffn1(Y), 0)
    return self.norm2(Y + self.ffn2(hidden))


def pre_norm_block(
    X: np.ndarray,
    valid_length: np.ndarray | None,
    num_hiddens: int,
    num_heads: int,
    ffn_hiddens: int,
    **parameters: np.ndarray,
) -> np.ndarray:
    """The same sublayers as x + Sublayer(LayerNorm(x)): x itself is only added to (Xiong et al. 2020)."""
    self = modules(num_heads, parameters)
    N = self.norm1(X)
    Y = X + self.attention(N, N, N, valid_length)
    hidden = np.maximum(self.ffn1(self.norm2(Y)), 0)
    return Y + self.ffn2(hidden)


def shift_right(tokens: np.ndarray, start: int) -> np.ndarray:
    """The decoder's input in training: the target, shifted by one step.

    tokens: (batch, num_steps) of whole numbers. Returns (batch, num_steps): `start` first, the last token dropped.
    """
    first = np.full((len(tokens), 1), start)
    return np.concatenate([first, tokens[:, :-1]], axis=1)


def decoder_block(
    X: np.ndarray,
    memory: np.ndarray,
    source_length: np.ndarray | None,
    num_hiddens: int,
    num_heads: int,
    ffn_hiddens: int,
    **parameters: np.ndarray,
) -> np.ndarray:
    """Causal self-attention, attention to the source, feed-forward (section 3.1).

    X: (batch, num_steps, num_hiddens), the target so far.
    memory: (batch, num_source, num_hiddens), what the encoder made of the source.
    source_length: None or (batch,). Returns X's shape.
    """
    self = modules(num_heads, parameters)
    batch, num_steps, _ = X.shape
    count = np.arange(1, num_steps + 1)
    count = np.tile(count, (batch, 1))
    context = self.self_attention(X, X, X, count)
    Y = self.norm1(X + context)
    attend = self.cross_attention
    context = attend(Y, memory, memory, source_length)
    Z = self.norm2(Y + context)
    hidden = np.maximum(self.ffn1(Z), 0)
    return self.norm3(Z + self.ffn2(hidden))


def initial_weights(
    vocabulary_size: int, num_hiddens: int, ffn_hiddens: int, num_layers: int, seed: int
) -> dict[str, np.ndarray]:
    """One start for every framework: the learned arrays of `Transformer` by name, as float32.

    Matrices are uniform with variance 2 / (in + out) (Glorot and Bengio 2010), embeddings normal with
    variance 1 / num_hiddens; gains start at one and biases at zero.
    """
    rng = np.random.default_rng(seed)
    d, f, v = num_hiddens, ffn_hiddens, vocabulary_size
    embeddings = {f"{side}_embedding.weight": (v, d) for side in ("source", "target")}
    matrices: dict[str, tuple[int, int]] = {"output.weight": (v, d)}
    weights = {"output.bias": np.zeros(v)}
    for stack, attentions, norms in (
        ("encoder", ["attention"], 2),
        ("decoder", ["self_attention", "cross_attention"], 3),
    ):
        for block in (f"{stack}.{i}" for i in range(num_layers)):
            matrices |= {f"{block}.{a}.W_{x}.weight": (d, d) for a in attentions for x in "qkvo"}
            matrices |= {f"{block}.ffn1.weight": (f, d), f"{block}.ffn2.weight": (d, f)}
            weights |= {f"{block}.ffn1.bias": np.zeros(f), f"{block}.ffn2.bias": np.zeros(d)}
            for i in range(1, norms + 1):
                weights |= {f"{block}.norm{i}.weight": np.ones(d), f"{block}.norm{i}.bias": np.zeros(d)}
    for name, shape in embeddings.items():
        weights[name] = rng.normal(size=shape) / np.sqrt(d)
    for name, shape in matrices.items():
        limit = np.sqrt(6 / sum(shape))
        weights[name] = rng.uniform(-limit, limit, size=shape)
    return {name: value.astype(np.float32) for name, value in weights.items()}


def transformer(
    source: np.ndarray,
    target: np.ndarray,
    source_length: np.ndarray | None,
    num_heads: int,
    weights: dict[str, np.ndarray],
) -> np.ndarray:
    """Scores for the next token after each step of the target (figure 1 of the paper).

    source: (batch, num_source), target: (batch, num_steps), whole numbers; the target starts with the
    start token. weights: as `initial_weights` names them.
    Returns (batch, num_steps, vocabulary_size).
    """

    def embed(tokens: np.ndarray, name: str) -> np.ndarray:
        table = weights[name].astype(np.float64)
        num_hiddens = table.shape[1]
        return table[tokens] * np.sqrt(num_hiddens) + positional_encoding(tokens.shape[1], num_hiddens)

    def blocks(stack: str) -> list[dict[str, np.ndarray]]:
        found: dict[str, dict[str, np.ndarray]] = {}
        for name, value in weights.items():
            if name.startswith(f"{stack}."):
                _, number, own = name.split(".", 2)
                found.setdefault(number, {})[own.replace(".", "_")] = value.astype(np.float64)
        return [found[number] for number in sorted(found, key=int)]

    memory = embed(source, "source_embedding.weight")
    size = memory.shape[-1]
    for parameters in blocks("encoder"):
        memory = encoder_block(
            memory, source_length, size, num_heads, len(parameters["ffn1_bias"]), **parameters
        )
    X = embed(target, "target_embedding.weight")
    for parameters in blocks("decoder"):
        X = decoder_block(
            X, memory, source_length, size, num_heads, len(parameters["ffn1_bias"]), **parameters
        )
    return X @ weights["output.weight"].astype(np.float64).T + weights["output.bias"]
