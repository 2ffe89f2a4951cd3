# %% repeat instead of repeat_interleave: the heads of a group are not neighbours [torch]
import math

import torch


def grouped_query(queries, keys, values):
    r = queries.shape[1] // keys.shape[1]
    keys, values = keys.repeat(1, r, 1, 1), values.repeat(1, r, 1, 1)
    scores = queries @ keys.transpose(-1, -2) / math.sqrt(queries.shape[-1])
    later = torch.ones(scores.shape[-2:]).triu(1).bool()
    return scores.masked_fill(later, -1e6).softmax(-1) @ values

# %% no mask [torch]
import math

import torch


def grouped_query(queries, keys, values):
    r = queries.shape[1] // keys.shape[1]
    keys = keys.repeat_interleave(r, dim=1)
    values = values.repeat_interleave(r, dim=1)
    scores = queries @ keys.transpose(2, 3) / math.sqrt(queries.shape[3])
    return scores.softmax(dim=-1) @ values

# %% only the first group is used, as in multi-query attention [torch]
import math

import torch


def grouped_query(queries, keys, values):
    scores = queries @ keys[:, :1].transpose(2, 3) / math.sqrt(queries.shape[3])
    n = queries.shape[2]
    mask = torch.tril(torch.ones(n, n)) == 0
    return scores.masked_fill(mask, float("-inf")).softmax(dim=-1) @ values[:, :1]

# %% the queries of a group are averaged [torch]
import math

import torch


def grouped_query(queries, keys, values):
    b, h, n, d = queries.shape
    g = keys.shape[1]
    q = queries.reshape(b, g, h // g, n, d).mean(dim=2)
    scores = q @ keys.transpose(2, 3) / math.sqrt(d)
    mask = torch.tril(torch.ones(n, n)) == 0
    context = scores.masked_fill(mask, -1e6).softmax(dim=-1) @ values
    return context.repeat_interleave(h // g, dim=1)

# %% not scaled [torch]
import torch


def grouped_query(queries, keys, values):
    r = queries.shape[1] // keys.shape[1]
    keys = keys.repeat_interleave(r, dim=1)
    values = values.repeat_interleave(r, dim=1)
    scores = queries @ keys.transpose(2, 3)
    n = queries.shape[2]
    mask = torch.tril(torch.ones(n, n)) == 0
    return scores.masked_fill(mask, -1e6).softmax(dim=-1) @ values

# %% scaled by the number of heads [torch]
import math

import torch


def grouped_query(queries, keys, values):
    r = queries.shape[1] // keys.shape[1]
    keys = torch.repeat_interleave(keys, r, dim=1)
    values = torch.repeat_interleave(values, r, dim=1)
    scores = queries @ keys.transpose(2, 3) / math.sqrt(queries.shape[1])
    n = queries.shape[2]
    mask = torch.tril(torch.ones(n, n)) == 0
    return scores.masked_fill(mask, -1e6).softmax(dim=-1) @ values

# %% keys interleaved, values not [torch]
import math

import torch


def grouped_query(queries, keys, values):
    r = queries.shape[1] // keys.shape[1]
    keys = keys.repeat_interleave(r, dim=1)
    values = values.repeat(1, r, 1, 1)
    scores = queries @ keys.transpose(2, 3) / math.sqrt(queries.shape[-1])
    n = queries.shape[2]
    mask = torch.tril(torch.ones(n, n)) == 0
    return scores.masked_fill(mask, -1e6).softmax(dim=-1) @ values

# %% repeated along the tokens instead of the heads [torch]
import math

import torch


def grouped_query(queries, keys, values):
    r = queries.shape[1] // keys.shape[1]
    keys = keys.repeat_interleave(r, dim=2)
    values = values.repeat_interleave(r, dim=2)
    scores = queries @ keys.transpose(2, 3) / math.sqrt(queries.shape[-1])
    return scores.softmax(dim=-1) @ values

# %% the diagonal is masked too [torch]
import math

import torch


def grouped_query(queries, keys, values):
    r = queries.shape[1] // keys.shape[1]
    keys = keys.repeat_interleave(r, dim=1)
    values = values.repeat_interleave(r, dim=1)
    scores = queries @ keys.transpose(2, 3) / math.sqrt(queries.shape[-1])
    n = queries.shape[2]
    mask = torch.triu(torch.ones(n, n)).bool()
    return scores.masked_fill(mask, -1e6).softmax(dim=-1) @ values

# %% the softmax runs over the heads [torch]
import math

import torch


def grouped_query(queries, keys, values):
    r = queries.shape[1] // keys.shape[1]
    keys = keys.repeat_interleave(r, dim=1)
    values = values.repeat_interleave(r, dim=1)
    scores = queries @ keys.transpose(2, 3) / math.sqrt(queries.shape[-1])
    n = queries.shape[2]
    mask = torch.triu(torch.ones(n, n), 1).bool()
    return scores.masked_fill(mask, -1e6).softmax(dim=1) @ values

# %% the result has one context for each group, the heads of a group added up [torch]
import math

import torch


def grouped_query(queries, keys, values):
    b, h, n, d = queries.shape
    g = keys.shape[1]
    q = queries.reshape(b, g, h // g, n, d)
    scores = q @ keys.unsqueeze(2).transpose(-1, -2) / math.sqrt(d)
    mask = torch.triu(torch.ones(n, n), 1).bool()
    context = scores.masked_fill(mask, -1e6).softmax(dim=-1) @ values.unsqueeze(2)
    return context.sum(dim=2)

# %% the heads come back in another order [torch]
import math

import torch


def grouped_query(queries, keys, values):
    b, h, n, d = queries.shape
    g = keys.shape[1]
    q = queries.reshape(b, g, h // g, n, d)
    scores = q @ keys.unsqueeze(2).transpose(-1, -2) / math.sqrt(d)
    mask = torch.triu(torch.ones(n, n), 1).bool()
    context = scores.masked_fill(mask, -1e6).softmax(dim=-1) @ values.unsqueeze(2)
    return context.transpose(1, 2).reshape(b, h, n, -1)

# %% the heads are not repeated and the shapes do not fit [torch]
import math

import torch


def grouped_query(queries, keys, values):
    scores = queries @ keys.transpose(2, 3) / math.sqrt(queries.shape[-1])
    n = queries.shape[2]
    mask = torch.triu(torch.ones(n, n), 1).bool()
    return scores.masked_fill(mask, -1e6).softmax(dim=-1) @ values

# %% head h uses group h modulo the number of groups [torch]
import math

import torch


def grouped_query(queries, keys, values):
    h, n = queries.shape[1:3]
    g = keys.shape[1]
    mask = torch.triu(torch.ones(n, n), 1).bool()
    out = []
    for head in range(h):
        group = head % g
        scores = queries[:, head] @ keys[:, group].transpose(1, 2)
        scores = scores / math.sqrt(queries.shape[-1])
        weights = scores.masked_fill(mask, -1e6).softmax(dim=-1)
        out.append(weights @ values[:, group])
    return torch.stack(out, dim=1)

# %% the group is h divided by the number of groups [torch]
import math

import torch


def grouped_query(queries, keys, values):
    h, n = queries.shape[1:3]
    g = keys.shape[1]
    mask = torch.triu(torch.ones(n, n), 1).bool()
    out = []
    for head in range(h):
        group = min(head // g, g - 1)
        scores = queries[:, head] @ keys[:, group].transpose(1, 2)
        scores = scores / math.sqrt(queries.shape[-1])
        weights = scores.masked_fill(mask, -1e6).softmax(dim=-1)
        out.append(weights @ values[:, group])
    return torch.stack(out, dim=1)

# %% all keys of all groups for every head [torch]
import math

import torch


def grouped_query(queries, keys, values):
    b, h, n, d = queries.shape
    g = keys.shape[1]
    k = keys.reshape(b, 1, g * n, d)
    v = values.reshape(b, 1, g * n, -1)
    scores = queries @ k.transpose(2, 3) / math.sqrt(d)
    later = torch.triu(torch.ones(n, n), 1).bool().repeat(1, g)
    return scores.masked_fill(later, -1e6).softmax(dim=-1) @ v

# %% tile where repeat is meant [mxnet]
import math

from mxnet import nd


def grouped_query(queries, keys, values):
    b, h, n, d = queries.shape
    r = h // keys.shape[1]
    keys, values = keys.tile((1, r, 1, 1)), values.tile((1, r, 1, 1))
    q = queries.reshape((b * h, n, d))
    k = keys.reshape((b * h, n, d))
    v = values.reshape((b * h, n, -1))
    scores = nd.batch_dot(q, k, transpose_b=True) / math.sqrt(d)
    p = nd.arange(n)
    later = (p.reshape((1, 1, n)) > p.reshape((1, n, 1))).broadcast_like(scores)
    weights = nd.where(later, nd.full(scores.shape, -1e6), scores).softmax(axis=-1)
    return nd.batch_dot(weights, v).reshape((b, h, n, -1))

# %% the context is returned with heads as batch elements [mxnet]
import math

from mxnet import nd


def grouped_query(queries, keys, values):
    b, h, n, d = queries.shape
    r = h // keys.shape[1]
    k = keys.repeat(r, axis=1).reshape((b * h, n, d))
    v = values.repeat(r, axis=1).reshape((b * h, n, -1))
    scores = nd.batch_dot(queries.reshape((b * h, n, d)), k, transpose_b=True)
    scores = scores / math.sqrt(d)
    p = nd.arange(n)
    later = (p.reshape((1, 1, n)) > p.reshape((1, n, 1))).broadcast_like(scores)
    weights = nd.where(later, nd.full(scores.shape, -1e6), scores).softmax(axis=-1)
    return nd.batch_dot(weights, v)

# %% later keys get the score 0 [mxnet]
import math

from mxnet import nd


def grouped_query(queries, keys, values):
    b, h, n, d = queries.shape
    r = h // keys.shape[1]
    k = keys.repeat(r, axis=1).reshape((b * h, n, d))
    v = values.repeat(r, axis=1).reshape((b * h, n, -1))
    scores = nd.batch_dot(queries.reshape((b * h, n, d)), k, transpose_b=True)
    p = nd.arange(n)
    seen = p.reshape((1, 1, n)) <= p.reshape((1, n, 1))
    weights = (scores / math.sqrt(d) * seen).softmax(axis=-1)
    return nd.batch_dot(weights, v).reshape((b, h, n, -1))
