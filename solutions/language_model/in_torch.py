"""A small GPT and its parts in PyTorch."""

import math

import torch

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
from solutions.masked_softmax.in_torch import masked_softmax
from solutions.multi_head.in_torch import (
    join_heads,
    split_heads,
)
from solutions.positions.in_torch import rotary


def rms_norm(X, gain):
    """Divide by the root of the mean square; rescale.

    X: (batch, num_tokens, d)
    gain: (d,)
    """
    squares = X.square().mean(dim=-1, keepdim=True)
    return gain * X / torch.sqrt(squares + 1e-5)


def gated_feed_forward(X, W_gate, W_up, W_down):
    """SwiGLU: one layer opens and closes the other.

    X: (batch, num_tokens, d)
    W_gate, W_up: (d, hidden)
    W_down: (hidden, d)
    """
    gate = X @ W_gate
    # SiLU: (batch, num_tokens, hidden)
    opened = gate * gate.sigmoid()
    return (opened * (X @ W_up)) @ W_down


def attend(X, block, heads, past=None):
    """Causal attention, and the keys and values so far.

    X: (batch, num_tokens, d), new tokens only
    past: None, or keys and values of those before
    """
    Q = split_heads(X @ block["W_q"], heads)
    K = split_heads(X @ block["W_k"], heads)
    V = split_heads(X @ block["W_v"], heads)
    begin = 0 if past is None else past[0].shape[1]
    end = begin + X.shape[1]
    places = torch.arange(begin, end, device=X.device)
    places = places.repeat(len(Q), 1)
    Q, K = rotary(Q, places), rotary(K, places)
    if past is not None:
        K = torch.cat([past[0], K], dim=1)
        V = torch.cat([past[1], V], dim=1)
    scores = torch.bmm(Q, K.transpose(1, 2))
    scores = scores / math.sqrt(Q.shape[-1])
    # The token at place p sees p + 1 keys.
    weights = masked_softmax(scores, places + 1)
    context = join_heads(torch.bmm(weights, V), heads)
    return context @ block["W_o"], (K, V)


def language_model(tokens, model, heads, cache=None):
    """Logits for the next token at each position.

    tokens: (batch, num_tokens), only new ones with a cache
    model: the learned arrays by name
    cache: None, or a dictionary, empty at first
    """
    cache = {} if cache is None else cache
    X = model["embedding"][tokens]
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
    return rms_norm(X, model["norm"]) @ model["embedding"].T


def next_token_loss(logits, tokens, valid_length):
    """Mean cross-entropy of every next token, in nats.

    logits: (batch, num_tokens, vocabulary_size)
    tokens: (batch, num_tokens), whole numbers
    valid_length: None, or (batch,): no padding
    Returns (1,)
    """
    # Position t predicts token t + 1.
    logs = logits[:, :-1].log_softmax(dim=-1)
    labels = tokens[:, 1:]
    losses = -logs.gather(2, labels.unsqueeze(2)).squeeze(2)
    if valid_length is None:
        return losses.mean().reshape(1)
    n, device = tokens.shape[1], tokens.device
    places = torch.arange(1, n, device=device)
    real = places < valid_length.unsqueeze(1)
    return ((losses * real).sum() / real.sum()).reshape(1)


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
    factor = (max_norm / norm).clamp(max=1)
    return gradients * factor


def train(weights, heads, steps, max_norm=1.0, decay=0.1):
    """Learn by AdamW; returns the model and its losses.

    weights: the first ones, NumPy arrays by name
    steps: pairs of a learning rate and a batch of tokens
    max_norm: to which the gradients are clipped
    decay: of the matrices; gains do not decay
    """
    row, decays = in_a_row(weights, decay)
    row, decays = torch.tensor(row), torch.tensor(decays)
    mean = square = torch.zeros_like(row)
    losses = []
    for step, (rate, tokens) in enumerate(steps, 1):
        model = by_name(row.requires_grad_(), weights)
        loss = mean_loss(model, heads, torch.tensor(tokens))
        loss.backward()
        gradients = clip_gradients(row.grad, max_norm)
        row, mean, square = adamw_step(
            row.detach(), gradients, mean, square,
            step, rate, decays,
        )  # fmt: skip
        losses.append(loss.item())
    return by_name(row, weights), losses


def top_p(probabilities, p):
    """Keep the most probable tokens that reach p in sum.

    probabilities: (batch, vocabulary_size)
    p: a number, more than 0 and at most 1
    """
    ranked = probabilities.sort(dim=-1, descending=True)[0]
    before = ranked.cumsum(dim=-1) - ranked
    # Needed while those before it do not reach p
    needed = ranked.masked_fill(before >= p, 1.0)
    least = needed.amin(dim=-1, keepdim=True)
    kept = probabilities * (probabilities >= least)
    return kept / kept.sum(dim=-1, keepdim=True)


def draw_token(logits, temperature, p, numbers):
    """The next token of each sequence.

    logits: (batch, vocabulary_size)
    numbers: (batch, 1), random ones from 0 to 1
    """
    likely = (logits / temperature).softmax(dim=-1)
    up_to = top_p(likely, p).cumsum(dim=-1)
    # How many tokens lie below the random number
    below = up_to <= numbers * up_to[:, -1:]
    return below.sum(dim=-1, keepdim=True)


def write(model, heads, tokens, steps, choose):
    """Append tokens one by one, with a cache.

    tokens: (batch, num_tokens), the beginning
    choose: logits to (batch, 1) tokens
    """
    new, cache = tokens, {}
    for _ in range(steps):
        logits = language_model(new, model, heads, cache)
        new = choose(logits[:, -1])
        tokens = torch.cat([tokens, new], dim=1)
    return tokens
