"""Attention with fewer pairs, or with none, in PyTorch."""

import math

import torch

from solutions.sparse.common import bound_proof_step as bound_proof_step
from solutions.sparse.common import window_costs as window_costs


def sparse_weights(scores, window, dilation, num_global):
    """Causal weights over a window and the first tokens.

    scores: (batch, num_tokens, num_tokens)
    window: how many keys, the query's own included
    dilation: the distance from one to the next
    num_global: how many first tokens all later ones see
    """
    num_keys, device = scores.shape[2], scores.device
    key = torch.arange(num_keys, device=device)
    distance = key.unsqueeze(1) - key
    near = distance < window * dilation
    near = near & (distance % dilation == 0)
    visible = (near | (key < num_global)) & (distance >= 0)
    filled = scores.masked_fill(~visible, -1e6)
    return filled.softmax(dim=-1)


def linear_attention(queries, keys, values):
    """Causal attention by running sums, without scores.

    queries, keys: (batch, num_tokens, d_k)
    values: (batch, num_tokens, d_v)
    """
    queries = torch.nn.functional.elu(queries) + 1
    keys = torch.nn.functional.elu(keys) + 1
    S = z = 0
    contexts = []
    for t in range(queries.shape[1]):
        now = slice(t, t + 1)
        q, k = queries[:, now], keys[:, now]
        v = values[:, now]
        # (batch, d_k, d_v) and (batch, 1, d_k)
        S = S + torch.bmm(k.transpose(1, 2), v)
        z = z + k
        total = (q * z).sum(dim=-1, keepdim=True)
        contexts.append(torch.bmm(q, S) / total)
    return torch.cat(contexts, dim=1)


def all_at_once(queries, keys, values):
    """Causal linear attention of all tokens at once.

    queries, keys: (batch, num_tokens, d_k)
    values: (batch, num_tokens, d_v)
    """
    q = torch.nn.functional.elu(queries) + 1
    k = torch.nn.functional.elu(keys) + 1
    weights = torch.bmm(q, k.transpose(1, 2)).tril()
    total = weights.sum(dim=-1, keepdim=True)
    return torch.bmm(weights / total, values)


def grouped_query(queries, keys, values):
    """Causal attention; a group of heads shares its keys.

    queries: (batch, num_heads, num_tokens, d_k)
    keys: (batch, num_groups, num_tokens, d_k)
    values: (batch, num_groups, num_tokens, d_v)
    """
    per_group = queries.shape[1] // keys.shape[1]
    # Each group as often as it has heads, side by side
    keys = keys.repeat_interleave(per_group, dim=1)
    values = values.repeat_interleave(per_group, dim=1)
    scores = queries @ keys.transpose(2, 3)
    scores = scores / math.sqrt(queries.shape[-1])
    n, device = queries.shape[2], queries.device
    position = torch.arange(n, device=device)
    later = position > position.unsqueeze(1)
    hidden = scores.masked_fill(later, -1e6)
    return hidden.softmax(dim=-1) @ values


def indexed_weights(
    scores, queries, keys, head_weights, top_k
):  # fmt: skip
    """An indexer's scores, and the weights of its keys.

    scores: (batch, num_tokens, num_tokens), of attention
    queries: (batch, num_heads, num_tokens, d)
    keys: (batch, num_tokens, d), shared by the heads
    head_weights: (batch, num_tokens, num_heads)
    top_k: how many keys a query attends to, at most
    """
    products = queries @ keys.unsqueeze(1).transpose(2, 3)
    products = products.relu()
    gates = head_weights.transpose(1, 2).unsqueeze(3)
    index = (products * gates).sum(dim=1)
    num_tokens, device = scores.shape[1], scores.device
    place = torch.arange(num_tokens, device=device)
    later = place > place.unsqueeze(1)
    masked = index.masked_fill(later, -1e6)
    ordered = masked.sort(dim=-1, descending=True).values
    least = ordered[:, :, :top_k][:, :, -1:]
    hidden = (masked < least) | later
    filled = scores.masked_fill(hidden, -1e6)
    index = index.masked_fill(later, 0)
    return index, filled.softmax(dim=-1)
