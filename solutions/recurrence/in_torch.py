"""Attention as a recurrence, in PyTorch."""

import torch

from solutions.recurrence.common import numbers_held as numbers_held
from solutions.recurrence.common import value_after_writing as value_after_writing


def decayed_attention(queries, keys, values, decays):
    """Linear attention with decays, as a masked matrix.

    queries, keys: (batch, num_tokens, d_k)
    values: (batch, num_tokens, d_v)
    decays: (batch, num_tokens), above 0 and at most 1
    """
    sums = decays.log().cumsum(dim=1)
    gaps = sums.unsqueeze(2) - sums.unsqueeze(1)
    place = torch.arange(sums.shape[1], device=sums.device)
    later = place > place.unsqueeze(1)
    gaps = gaps.masked_fill(later, -1e6)
    scores = torch.bmm(queries, keys.transpose(1, 2))
    return torch.bmm(scores * gaps.exp(), values)


def delta_rule(queries, keys, values, rates, decays):
    """The gated delta rule, token by token.

    queries, keys: (batch, num_tokens, d_k)
    values: (batch, num_tokens, d_v)
    rates, decays: (batch, num_tokens)
    """
    batch, num_tokens, d_k = keys.shape
    S = keys.new_zeros(batch, d_k, values.shape[2])
    contexts = []
    for t in range(num_tokens):
        now = slice(t, t + 1)
        q = queries[:, now]
        k, v = keys[:, now], values[:, now]
        rate = rates[:, now, None]
        S = S * decays[:, now, None]
        # What the state gives for this key is too little.
        error = v - k @ S
        step = rate * error
        S = S + k.transpose(1, 2) @ step
        contexts.append(q @ S)
    return torch.cat(contexts, dim=1)


def chunked(queries, keys, values, decays, chunk):
    """Decayed attention, one chunk of tokens at a time.

    queries, keys: (batch, num_tokens, d_k)
    values: (batch, num_tokens, d_v)
    decays: (batch, num_tokens), above 0 and at most 1
    chunk: how many tokens are read at a time
    """
    batch, num_tokens, d_k = keys.shape
    S = keys.new_zeros(batch, d_k, values.shape[2])
    contexts = []
    for first in range(0, num_tokens, chunk):
        now = slice(first, first + chunk)
        q = queries[:, now]
        k, v = keys[:, now], values[:, now]
        inside = decayed_attention(q, k, v, decays[:, now])
        sums = decays[:, now].log().cumsum(dim=1)
        sums = sums[:, :, None]
        end = sums[:, -1:]
        before = torch.exp(sums) * (q @ S)
        contexts.append(inside + before)
        k = k * torch.exp(end - sums)
        S = S * torch.exp(end)
        S = S + k.transpose(1, 2) @ v
    return torch.cat(contexts, dim=1)


def written_values(keys, values, rates, decays):
    """What each token adds to an empty state.

    keys: (batch, num_tokens, d_k)
    values: (batch, num_tokens, d_v)
    rates, decays: (batch, num_tokens)
    """
    one = torch.eye(keys.shape[1]).to(keys)
    one = one.repeat(len(keys), 1, 1)
    # With the identity as values: the weights of pairs
    pairs = decayed_attention(keys, keys, one, decays)
    rates = rates.unsqueeze(2)
    system = one + rates * pairs.tril(-1)
    solve = torch.linalg.solve_triangular
    return solve(system, rates * values, upper=False)


def chunked_delta(
    queries,
    keys,
    values,
    rates,
    decays,
    chunk,
):
    """The gated delta rule, a chunk of tokens at a time.

    queries, keys: (batch, num_tokens, d_k)
    values: (batch, num_tokens, d_v)
    rates, decays: (batch, num_tokens)
    chunk: how many tokens are read at a time
    """
    batch, num_tokens, d_k = keys.shape
    S = keys.new_zeros(batch, d_k, values.shape[2])
    contexts = []
    for first in range(0, num_tokens, chunk):
        now = slice(first, first + chunk)
        q = queries[:, now]
        k, v = keys[:, now], values[:, now]
        rate, g = rates[:, now], decays[:, now]
        sums = g.log().cumsum(dim=1).unsqueeze(2)
        end = sums[:, -1:]
        old = torch.exp(sums) * (k @ S)
        added = written_values(k, v - old, rate, g)
        inside = decayed_attention(q, k, added, g)
        before = torch.exp(sums) * (q @ S)
        contexts.append(inside + before)
        k = k * torch.exp(end - sums)
        S = S * torch.exp(end)
        S = S + k.transpose(1, 2) @ added
    return torch.cat(contexts, dim=1)
