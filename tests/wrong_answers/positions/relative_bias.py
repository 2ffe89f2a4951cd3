# %% the query's position minus the key's: the table is read from the other end [torch]
import torch


def relative_bias(scores, table):
    most = table.shape[1] // 2
    pos = torch.arange(scores.shape[-1])
    distance = pos[:, None] - pos[None, :]
    index = torch.clamp(distance, -most, most) + most
    return scores + table[:, index]

# %% cut off above only: far earlier keys wrap around to the end of the table [torch]
import torch


def relative_bias(scores, table):
    b, h, n, _ = scores.shape
    most = (table.shape[1] - 1) // 2
    rows = []
    for i in range(n):
        row = []
        for j in range(n):
            distance = min(j - i, most)
            row.append(table[:, distance + most])
        rows.append(torch.stack(row, dim=-1))
    bias = torch.stack(rows, dim=1)
    return scores + bias

# %% distances are not moved by most: distance 0 reads the first number [torch]
import torch


def relative_bias(scores, table):
    most = table.shape[1] // 2
    n = scores.shape[2]
    j = torch.arange(n).unsqueeze(0)
    i = torch.arange(n).unsqueeze(1)
    index = (j - i).clamp(min=-most, max=most)
    return scores + table[:, index].unsqueeze(0)

# %% nothing is clipped: a sequence longer than the table stops [torch]
import torch


def relative_bias(scores, table):
    middle = table.shape[1] // 2
    num_tokens = scores.shape[2]
    positions = torch.arange(num_tokens)
    distance = positions.view(1, num_tokens) - positions.view(num_tokens, 1)
    bias = table[:, distance + middle]
    return scores + bias[None]

# %% distances beyond the table get no bias at all [torch]
import torch


def relative_bias(scores, table):
    most = table.shape[1] // 2
    p = torch.arange(scores.shape[2])
    distance = p.reshape(1, -1) - p.reshape(-1, 1)
    inside = distance.abs() <= most
    index = torch.where(inside, distance + most, torch.zeros_like(distance))
    bias = table[:, index] * inside
    return scores + bias.unsqueeze(0)

# %% all heads share the mean of the table's rows [torch]
import torch
import torch.nn.functional as F


def relative_bias(scores, table):
    most = table.shape[1] // 2
    p = torch.arange(scores.shape[2])
    index = (p[None, :] - p[:, None]).clamp(-most, most) + most
    one_hot = F.one_hot(index, table.shape[1]).to(table.dtype)
    bias = torch.einsum("ijk,hk->ij", one_hot, table) / table.shape[0]
    return scores + bias

# %% the scores that were given are changed in place [torch]
import torch


def relative_bias(scores, table):
    most = table.shape[1] // 2
    key = torch.arange(scores.shape[3])
    query = key.unsqueeze(-1)
    distance = torch.clip(key - query, -most, most)
    for h in range(scores.shape[1]):
        scores[:, h] += table[h][distance + most]
    return scores

# %% the numbers are taken out with item(), so the table learns nothing [torch]
import torch


def relative_bias(scores, table):
    num_heads, width = table.shape
    most = width // 2
    n = scores.shape[2]
    bias = torch.zeros(num_heads, n, n)
    for h in range(num_heads):
        for i in range(n):
            for j in range(n):
                distance = max(-most, min(most, j - i))
                bias[h, i, j] = table[h, distance + most].item()
    return scores + bias.unsqueeze(0)

# %% the heads of the bias lie on the batch axis [torch]
import torch


def relative_bias(scores, table):
    most = table.shape[1] // 2
    key = torch.arange(scores.shape[2]).reshape(1, -1)
    query = torch.arange(scores.shape[2]).reshape(-1, 1)
    distance = (key - query).clip(-most, most)
    bias = table[:, distance + most].unsqueeze(1)
    return scores + bias

# %% a table wider than the sequence is read from its left end, not around its middle [torch]
import torch


def relative_bias(scores, table):
    n = scores.shape[2]
    most = min(table.shape[1] // 2, n - 1)
    diagonals = table[:, : 2 * most + 1]
    bias = 0
    for distance in range(-(n - 1), n):
        k = max(-most, min(distance, most))
        ones = torch.diag(torch.ones(n - abs(distance)), distance)
        bias = bias + diagonals[:, k + most].view(-1, 1, 1) * ones
    return scores + bias

# %% the softmax is taken already, and the distances have the other sign [torch]
import torch


def relative_bias(scores, table):
    most = table.shape[1] // 2
    grid_query, grid_key = torch.meshgrid(
        torch.arange(scores.shape[2]), torch.arange(scores.shape[3]), indexing="ij"
    )
    distance = (grid_query - grid_key).clamp(-most, most)
    biased = scores + table[:, distance + most].unsqueeze(0)
    return torch.softmax(biased, dim=-1)

# %% clipped to most - 1 above, as if the end did not count [mxnet]
from mxnet import nd


def relative_bias(scores, table):
    most = table.shape[1] // 2
    n = scores.shape[2]
    key = nd.arange(n).reshape((1, n))
    query = nd.arange(n).reshape((n, 1))
    distance = nd.clip(key - query, -most, most - 1)
    bias = nd.take(table, distance + most, axis=1)
    return scores + bias.expand_dims(0)

# %% the distance has no sign: before and after are the same [mxnet]
from mxnet import nd


def relative_bias(scores, table):
    most = table.shape[1] // 2
    key = nd.arange(scores.shape[2]).reshape((1, -1))
    query = key.reshape((-1, 1))
    distance = nd.minimum(nd.abs(key - query), most)
    bias = nd.take(table, distance + most, axis=1)
    return nd.broadcast_add(scores, bias.expand_dims(0))

# %% the heads come last after take and are moved with reshape, not transpose [mxnet]
from mxnet import nd


def relative_bias(scores, table):
    num_heads = table.shape[0]
    n = scores.shape[2]
    most = table.shape[1] // 2
    p = nd.arange(n)
    distance = p.expand_dims(0) - p.expand_dims(1)
    index = distance.clip(-most, most) + most
    bias = nd.take(table.T, index, axis=0)
    bias = bias.reshape((1, num_heads, n, n))
    return scores + bias

# %% the table goes through NumPy and gets no gradient [mxnet]
import numpy as np
from mxnet import nd


def relative_bias(scores, table):
    numbers = table.asnumpy()
    most = numbers.shape[1] // 2
    p = np.arange(scores.shape[2])
    distance = np.clip(p[None, :] - p[:, None], -most, most)
    bias = nd.array(numbers[:, distance + most])
    return scores + bias.expand_dims(0)

# %% the middle of the table is counted from one: every distance reads one place too far right [mxnet]
from mxnet import nd


def relative_bias(scores, table):
    most = table.shape[1] // 2
    middle = (table.shape[1] + 1) // 2
    num_tokens = scores.shape[2]
    rows = []
    for i in range(num_tokens):
        distance = (nd.arange(num_tokens) - i).clip(-most, most)
        rows.append(nd.take(table, distance + middle, axis=1))
    bias = nd.stack(*rows, axis=1)
    return scores + bias.expand_dims(0)
