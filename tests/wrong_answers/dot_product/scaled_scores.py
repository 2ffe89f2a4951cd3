# %% not scaled at all [torch]
import math

import torch


def scaled_scores(queries, keys):
    d_k = queries.shape[-1]
    return torch.bmm(queries, keys.transpose(1, 2))

# %% divided by d_k instead of its root [torch]
import math

import torch


def scaled_scores(queries, keys):
    d_k = queries.shape[-1]
    return torch.bmm(queries, keys.transpose(1, 2)) / d_k

# %% multiplied by the root [torch]
import math

import torch


def scaled_scores(queries, keys):
    d_k = queries.shape[-1]
    return torch.bmm(queries, keys.transpose(1, 2)) * math.sqrt(d_k)

# %% the root of the number of keys [torch]
import math

import torch


def scaled_scores(queries, keys):
    d_k = keys.shape[1]
    return torch.bmm(queries, keys.transpose(1, 2)) / math.sqrt(d_k)

# %% the root of the number of queries [torch]
import math

import torch


def scaled_scores(queries, keys):
    d_k = queries.shape[1]
    return torch.bmm(queries, keys.transpose(1, 2)) / math.sqrt(d_k)

# %% keys reshaped instead of transposed [torch]
import math

import torch


def scaled_scores(queries, keys):
    d_k = queries.shape[-1]
    return torch.bmm(queries, keys.reshape(keys.shape[0], d_k, -1)) / math.sqrt(d_k)

# %% softmax included [torch]
import math

import torch


def scaled_scores(queries, keys):
    d_k = queries.shape[-1]
    scores = torch.bmm(queries, keys.transpose(1, 2)) / math.sqrt(d_k)
    return scores.softmax(dim=-1)

# %% the result is transposed: keys by queries [torch]
import torch


def scaled_scores(queries, keys):
    scores = torch.einsum("bqd,bkd->bkq", queries, keys)
    return scores * queries.size(-1) ** -0.5

# %% scaled twice, at the queries and at the end [torch]
import torch


def scaled_scores(queries, keys):
    scores = torch.einsum("bqd,bkd->bqk", queries / queries.size(-1) ** 0.5, keys)
    return scores * queries.size(-1) ** -0.5

# %% both queries and keys divided by the root [torch]
import math

import torch


def scaled_scores(queries, keys):
    d_k = queries.shape[-1]
    return torch.bmm(queries / math.sqrt(d_k), keys.transpose(1, 2) / math.sqrt(d_k))

# %% mean of the products instead of sum over the root [torch]
import torch


def scaled_scores(queries, keys):
    b, m, d = queries.shape
    n = keys.shape[1]
    out = torch.zeros(b, m, n)
    for i in range(m):
        for j in range(n):
            out[:, i, j] = (queries[:, i] * keys[:, j]).mean(dim=1)
    return out

# %% mean and the root [torch]
import torch


def scaled_scores(queries, keys):
    b, m, d = queries.shape
    n = keys.shape[1]
    out = torch.zeros(b, m, n)
    for i in range(m):
        for j in range(n):
            out[:, i, j] = (queries[:, i] * keys[:, j]).mean(dim=1) / d**0.5
    return out

# %% divides by the norms of query and key [torch]
import torch


def scaled_scores(queries, keys):
    b, m, d = queries.shape
    n = keys.shape[1]
    out = torch.zeros(b, m, n)
    for i in range(m):
        for j in range(n):
            out[:, i, j] = (queries[:, i] * keys[:, j]).sum(dim=1) / (queries[:, i].norm(dim=1) * keys[:, j].norm(dim=1))
    return out

# %% integer exponent: d // 2 [torch]
import torch


def scaled_scores(queries, keys):
    b, m, d = queries.shape
    n = keys.shape[1]
    out = torch.zeros(b, m, n)
    for i in range(m):
        for j in range(n):
            out[:, i, j] = (queries[:, i] * keys[:, j]).sum(dim=1) / (d // 2)
    return out

# %% divides by two always, as in the chapter's example [torch]
import math

import torch


def scaled_scores(queries, keys):
    d_k = queries.shape[-1]
    return torch.bmm(queries, keys.transpose(1, 2)) / 2

# %% batch elements are mixed: all queries meet the first element's keys [torch]
import torch


def scaled_scores(queries, keys):
    scores = torch.einsum("bqd,kd->bqk", queries, keys[0])
    return scores * queries.size(-1) ** -0.5

# %% the logarithm for the root [torch]
import math

import torch


def scaled_scores(queries, keys):
    d_k = queries.shape[-1]
    return torch.bmm(queries, keys.transpose(1, 2)) / math.log(d_k)

# %% elementwise product with broadcasting, summed over nothing [torch]
import torch


def scaled_scores(queries, keys):
    return queries * keys / queries.shape[-1] ** 0.5

# %% not scaled [mxnet]
import math

from mxnet import nd


def scaled_scores(queries, keys):
    scores = nd.batch_dot(queries, keys, transpose_b=True)
    return scores

# %% transposes the queries instead of the keys [mxnet]
import math

from mxnet import nd


def scaled_scores(queries, keys):
    scores = nd.batch_dot(queries, keys, transpose_a=True)
    return scores / math.sqrt(queries.shape[2])

# %% root of the number of keys [mxnet]
import math

from mxnet import nd


def scaled_scores(queries, keys):
    scores = nd.batch_dot(queries, keys, transpose_b=True)
    return scores / math.sqrt(keys.shape[1])

# %% reshapes the keys [mxnet]
import math

from mxnet import nd


def scaled_scores(queries, keys):
    scores = nd.batch_dot(queries, keys.reshape((0, -1, keys.shape[1])))
    return scores / math.sqrt(queries.shape[2])

# %% divides by d, and softmax on top [mxnet]
import math

from mxnet import nd


def scaled_scores(queries, keys):
    scores = nd.batch_dot(queries, keys, transpose_b=True)
    return (scores / queries.shape[2]).softmax(axis=-1)

# %% works for as many queries as keys: entry by entry, then summed [torch]
def scaled_scores(queries, keys):
    d = queries.shape[-1]
    return (queries * keys).sum(dim=-1, keepdim=True) / d**0.5

# %% the batch is folded into the queries: scores of all with all [torch]
import torch


def scaled_scores(queries, keys):
    d = queries.shape[-1]
    scores = queries.reshape(-1, d) @ keys.reshape(-1, d).T / d**0.5
    return scores[: queries.shape[1], : keys.shape[1]].expand(len(queries), -1, -1)

# %% half precision on the way: rounded scores [torch]
import torch


def scaled_scores(queries, keys):
    s = queries.bfloat16() @ keys.bfloat16().transpose(1, 2)
    return s.float() / queries.shape[-1] ** 0.5

# %% negative squared distances for dot products [torch]
import torch


def scaled_scores(queries, keys):
    return -(torch.cdist(queries, keys) ** 2) / queries.shape[-1] ** 0.5
