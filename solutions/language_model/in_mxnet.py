"""A small GPT and its parts in MXNet."""

import math

from mxnet import autograd, nd

from solutions.language_model.common import (
    adamw_step,
    blocks_of,
    by_name,
    decode,  # noqa: F401
    encode,  # noqa: F401
    encode_piece,  # noqa: F401
    in_a_row,
    learn_merges,  # noqa: F401
    merge_pair,  # noqa: F401
    pieces_of,  # noqa: F401
    speculative_gain,  # noqa: F401
    whose_probabilities,  # noqa: F401
)
from solutions.masked_softmax.in_mxnet import masked_softmax
from solutions.multi_head.in_mxnet import (
    join_heads,
    split_heads,
)
from solutions.positions.in_mxnet import rotary


def rms_norm(X, gain):
    """Divide by the root of the mean square; rescale.

    X: (batch, num_tokens, d)
    gain: (d,)
    """
    squares = X.square().mean(axis=-1, keepdims=True)
    return gain * X / nd.sqrt(squares + 1e-5)


def gated_feed_forward(X, W_gate, W_up, W_down):
    """SwiGLU: one layer opens and closes the other.

    X: (batch, num_tokens, d)
    W_gate, W_up: (d, hidden)
    W_down: (hidden, d)
    """
    gate = nd.dot(X, W_gate)
    # SiLU: (batch, num_tokens, hidden)
    opened = gate * gate.sigmoid()
    return nd.dot(opened * nd.dot(X, W_up), W_down)


def attend(X, block, heads, past=None):
    """Causal attention, and the keys and values so far.

    X: (batch, num_tokens, d), new tokens only
    past: None, or keys and values of those before
    """
    Q = split_heads(nd.dot(X, block["W_q"]), heads)
    K = split_heads(nd.dot(X, block["W_k"]), heads)
    V = split_heads(nd.dot(X, block["W_v"]), heads)
    begin = 0 if past is None else past[0].shape[1]
    places = nd.arange(begin, begin + X.shape[1])
    places = places.tile((len(Q), 1))
    Q, K = rotary(Q, places), rotary(K, places)
    if past is not None:
        K = nd.concat(past[0], K, dim=1)
        V = nd.concat(past[1], V, dim=1)
    scores = nd.batch_dot(Q, K, transpose_b=True)
    scores = scores / math.sqrt(Q.shape[-1])
    # The token at place p sees p + 1 keys.
    weights = masked_softmax(scores, places + 1)
    context = nd.batch_dot(weights, V)
    context = join_heads(context, heads)
    return nd.dot(context, block["W_o"]), (K, V)


def language_model(tokens, model, heads, cache=None):
    """Logits for the next token at each position.

    tokens: (batch, num_tokens), only new ones with a cache
    model: the learned arrays by name
    cache: None, or a dictionary, empty at first
    """
    cache = {} if cache is None else cache
    X = nd.take(model["embedding"], tokens)
    for i, block in enumerate(blocks_of(model)):
        N = rms_norm(X, block["norm1"])
        past = cache.get(i)
        context, cache[i] = attend(N, block, heads, past)
        X = X + context
        N = rms_norm(X, block["norm2"])
        gate, up = block["W_gate"], block["W_up"]
        down = block["W_down"]
        X = X + gated_feed_forward(N, gate, up, down)
    # The embedding once more: weight tying
    N = rms_norm(X, model["norm"])
    return nd.dot(N, model["embedding"].T)


def next_token_loss(logits, tokens, valid_length):
    """Mean cross-entropy of every next token, in nats.

    logits: (batch, num_tokens, vocabulary_size)
    tokens: (batch, num_tokens), whole numbers
    valid_length: None, or (batch,): no padding
    Returns (1,)
    """
    # Position t predicts token t + 1.
    logs = logits[:, :-1].log_softmax(axis=-1)
    labels = tokens[:, 1:]
    losses = -logs.pick(labels, axis=-1)
    if valid_length is None:
        return losses.mean()
    places = nd.arange(1, tokens.shape[1]).expand_dims(0)
    real = places < valid_length.expand_dims(1)
    return (losses * real).sum() / real.sum()


def mean_loss(model, heads, tokens):
    """Mean cross-entropy of every next token, in nats.

    tokens: (batch, num_tokens)
    """
    logits = language_model(tokens, model, heads)
    return next_token_loss(logits, tokens, None)


def clip_gradients(gradients, max_norm):
    """Scale gradients down to a norm, if it is larger.

    gradients: (num_parameters,), of all arrays
    """
    norm = gradients.square().sum().sqrt()
    factor = nd.minimum(max_norm / norm, 1)
    return gradients * factor


def train(weights, heads, steps, max_norm=1.0, decay=0.1):
    """Learn by AdamW; returns the model and its losses.

    weights: the first ones, NumPy arrays by name
    steps: pairs of a learning rate and a batch of tokens
    max_norm: to which the gradients are clipped
    decay: of the matrices; gains do not decay
    """
    row, decays = in_a_row(weights, decay)
    row, decays = nd.array(row), nd.array(decays)
    mean = square = nd.zeros_like(row)
    losses = []
    for step, (rate, tokens) in enumerate(steps, 1):
        row.attach_grad()
        tokens = nd.array(tokens)
        with autograd.record():
            model = by_name(row, weights)
            loss = mean_loss(model, heads, tokens)
        loss.backward()
        gradients = clip_gradients(row.grad, max_norm)
        row, mean, square = adamw_step(
            row, gradients, mean, square,
            step, rate, decays,
        )  # fmt: skip
        losses.append(loss.asscalar())
    return by_name(row, weights), losses


def top_p(probabilities, p):
    """Keep the most probable tokens that reach p in sum.

    probabilities: (batch, vocabulary_size)
    p: a number, more than 0 and at most 1
    """
    ranked = probabilities.sort(axis=-1, is_ascend=False)
    before = nd.cumsum(ranked, axis=1) - ranked
    # Needed while those before it do not reach p
    ones = nd.ones_like(ranked)
    needed = nd.where(before < p, ranked, ones)
    least = needed.min(axis=-1, keepdims=True)
    kept = probabilities * (probabilities >= least)
    return kept / kept.sum(axis=-1, keepdims=True)


def draw_token(logits, temperature, p, numbers):
    """The next token of each sequence.

    logits: (batch, vocabulary_size)
    numbers: (batch, 1), random ones from 0 to 1
    """
    likely = (logits / temperature).softmax(axis=-1)
    up_to = nd.cumsum(top_p(likely, p), axis=1)
    # How many tokens lie below the random number
    below = up_to <= numbers * up_to[:, -1:]
    return below.sum(axis=-1, keepdims=True)


def write(model, heads, tokens, steps, choose):
    """Append tokens one by one, with a cache.

    tokens: (batch, num_tokens), the beginning
    choose: logits to (batch, 1) tokens
    """
    new, cache = tokens, {}
    for _ in range(steps):
        logits = language_model(new, model, heads, cache)
        new = choose(logits[:, -1])
        tokens = nd.concat(tokens, new, dim=1)
    return tokens
