# %% the state is replaced by what was read [torch]
import torch

from solutions.masked_softmax.in_torch import masked_softmax


def memory_hops(queries, keys, values, hops, valid_length):
    state = queries
    for _ in range(hops):
        weights = masked_softmax(state @ keys.transpose(1, 2), valid_length)
        state = weights @ values
    return state

# %% every hop asks with the first query [torch]
import torch

from solutions.masked_softmax.in_torch import masked_softmax


def memory_hops(queries, keys, values, hops, valid_length):
    state = queries
    for _ in range(hops):
        weights = masked_softmax(torch.bmm(queries, keys.transpose(1, 2)), valid_length)
        state = state + torch.bmm(weights, values)
    return state

# %% what was read is added to the first query, not to the state [torch]
import torch

from solutions.masked_softmax.in_torch import masked_softmax


def memory_hops(queries, keys, values, hops, valid_length):
    u = queries
    for _ in range(hops):
        p = masked_softmax(torch.bmm(u, keys.transpose(1, 2)), valid_length)
        u = queries + torch.bmm(p, values)
    return u

# %% the last reading alone is returned [torch]
import torch

from solutions.masked_softmax.in_torch import masked_softmax


def memory_hops(queries, keys, values, hops, valid_length):
    u = queries
    for _ in range(hops):
        p = masked_softmax(torch.bmm(u, keys.transpose(1, 2)), valid_length)
        o = torch.bmm(p, values)
        u = u + o
    return o

# %% return inside the loop: one hop only [torch]
import torch

from solutions.masked_softmax.in_torch import masked_softmax


def memory_hops(queries, keys, values, hops, valid_length):
    u = queries
    for _ in range(hops):
        p = masked_softmax(torch.bmm(u, keys.transpose(1, 2)), valid_length)
        u = u + torch.bmm(p, values)
        return u

# %% one hop too many [torch]
import torch

from solutions.masked_softmax.in_torch import masked_softmax


def memory_hops(queries, keys, values, hops, valid_length):
    u = queries
    for _ in range(hops + 1):
        p = masked_softmax(torch.bmm(u, keys.transpose(1, 2)), valid_length)
        u = u + torch.bmm(p, values)
    return u

# %% range(1, hops): one hop too few [torch]
import torch

from solutions.masked_softmax.in_torch import masked_softmax


def memory_hops(queries, keys, values, hops, valid_length):
    u = queries
    for _ in range(1, hops):
        p = masked_softmax(torch.bmm(u, keys.transpose(1, 2)), valid_length)
        u = u + torch.bmm(p, values)
    return u

# %% scaled by the root of d [torch]
import math

import torch

from solutions.masked_softmax.in_torch import masked_softmax


def memory_hops(queries, keys, values, hops, valid_length):
    state = queries
    for _ in range(hops):
        scores = torch.bmm(state, keys.transpose(1, 2)) / math.sqrt(keys.shape[-1])
        state = state + torch.bmm(masked_softmax(scores, valid_length), values)
    return state

# %% the keys are averaged instead of the values [torch]
import torch

from solutions.masked_softmax.in_torch import masked_softmax


def memory_hops(queries, keys, values, hops, valid_length):
    state = queries
    for _ in range(hops):
        weights = masked_softmax(torch.bmm(state, keys.transpose(1, 2)), valid_length)
        state = state + torch.bmm(weights, keys)
    return state

# %% the valid length is ignored [torch]
import torch


def memory_hops(queries, keys, values, hops, valid_length):
    state = queries
    for _ in range(hops):
        weights = torch.softmax(state @ keys.transpose(1, 2), dim=-1)
        state = state + weights @ values
    return state

# %% the valid length counts in the first hop only [torch]
import torch

from solutions.masked_softmax.in_torch import masked_softmax


def memory_hops(queries, keys, values, hops, valid_length):
    state = queries
    for hop in range(hops):
        scores = torch.bmm(state, keys.transpose(1, 2))
        weights = masked_softmax(scores, valid_length if hop == 0 else None)
        state = state + torch.bmm(weights, values)
    return state

# %% the softmax runs over the queries [torch]
import torch


def memory_hops(queries, keys, values, hops, valid_length):
    state = queries
    for _ in range(hops):
        scores = torch.bmm(state, keys.transpose(1, 2))
        if valid_length is not None:
            beyond = torch.arange(keys.shape[1]) >= valid_length[:, None, None]
            scores = scores.masked_fill(beyond, -1e6)
        state = state + torch.bmm(scores.softmax(dim=1), values)
    return state

# %% masked after the softmax [torch]
import torch


def memory_hops(queries, keys, values, hops, valid_length):
    state = queries
    for _ in range(hops):
        weights = torch.bmm(state, keys.transpose(1, 2)).softmax(dim=-1)
        if valid_length is not None:
            weights = weights * (torch.arange(keys.shape[1]) < valid_length[:, None, None])
        state = state + torch.bmm(weights, values)
    return state

# %% no softmax: the scores themselves weigh the values [torch]
import torch


def memory_hops(queries, keys, values, hops, valid_length):
    state = queries
    for _ in range(hops):
        scores = torch.bmm(state, keys.transpose(1, 2))
        if valid_length is not None:
            scores = scores.masked_fill(torch.arange(keys.shape[1]) >= valid_length[:, None, None], 0)
        state = state + torch.bmm(scores, values)
    return state

# %% only the best slot is read [torch]
import torch

from solutions.masked_softmax.in_torch import masked_softmax


def memory_hops(queries, keys, values, hops, valid_length):
    state = queries
    for _ in range(hops):
        weights = masked_softmax(torch.bmm(state, keys.transpose(1, 2)), valid_length)
        best = torch.nn.functional.one_hot(weights.argmax(-1), keys.shape[1]).float()
        state = state + torch.bmm(best, values)
    return state

# %% the readings are averaged over the hops [torch]
import torch

from solutions.masked_softmax.in_torch import masked_softmax


def memory_hops(queries, keys, values, hops, valid_length):
    state, total = queries, 0
    for _ in range(hops):
        weights = masked_softmax(torch.bmm(state, keys.transpose(1, 2)), valid_length)
        read = torch.bmm(weights, values)
        total = total + read
        state = state + read
    return queries + total / hops

# %% the state is divided by its length after each hop [torch]
import torch

from solutions.masked_softmax.in_torch import masked_softmax


def memory_hops(queries, keys, values, hops, valid_length):
    state = queries
    for _ in range(hops):
        weights = masked_softmax(torch.bmm(state, keys.transpose(1, 2)), valid_length)
        state = torch.nn.functional.normalize(state + torch.bmm(weights, values), dim=-1)
    return state

# %% the values become the keys of the next hop [torch]
import torch

from solutions.masked_softmax.in_torch import masked_softmax


def memory_hops(queries, keys, values, hops, valid_length):
    state = queries
    for _ in range(hops):
        weights = masked_softmax(torch.bmm(state, keys.transpose(1, 2)), valid_length)
        state = state + torch.bmm(weights, values)
        keys = values
    return state

# %% queries += changes what was handed in [torch]
import torch

from solutions.masked_softmax.in_torch import masked_softmax


def memory_hops(queries, keys, values, hops, valid_length):
    for _ in range(hops):
        weights = masked_softmax(torch.bmm(queries, keys.transpose(1, 2)), valid_length)
        queries += torch.bmm(weights, values)
    return queries

# %% every hop asks with the first query [mxnet]
from mxnet import nd

from solutions.masked_softmax.in_mxnet import masked_softmax


def memory_hops(queries, keys, values, hops, valid_length):
    weights = masked_softmax(nd.batch_dot(queries, keys, transpose_b=True), valid_length)
    state = queries
    for _ in range(hops):
        state = state + nd.batch_dot(weights, values)
    return state

# %% the state is what was read, without the question [mxnet]
from mxnet import nd

from solutions.masked_softmax.in_mxnet import masked_softmax


def memory_hops(queries, keys, values, hops, valid_length):
    u = queries
    for _ in range(hops):
        p = masked_softmax(nd.batch_dot(u, keys, transpose_b=True), valid_length)
        u = nd.batch_dot(p, values)
    return u
