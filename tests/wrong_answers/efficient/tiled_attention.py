# %% not scaled [torch]
import math

import torch


def tiled_attention(queries, keys, values, tile):
    q = queries
    m = torch.full(q.shape[:2] + (1,), float("-inf"))
    total = torch.zeros_like(m)
    out = torch.zeros(q.shape[0], q.shape[1], values.shape[2])
    for i in range(0, keys.shape[1], tile):
        k, v = keys[:, i : i + tile], values[:, i : i + tile]
        s = torch.bmm(q, k.transpose(1, 2))
        new = torch.maximum(m, s.amax(dim=-1, keepdim=True))
        shrink = torch.exp(m - new)
        p = torch.exp(s - new)
        total = total * shrink + p.sum(dim=-1, keepdim=True)
        out = out * shrink + torch.bmm(p, v)
        m = new
    return out / total

# %% divided by d_k [torch]
import math

import torch


def tiled_attention(queries, keys, values, tile):
    q = queries / queries.shape[-1]
    m = torch.full(q.shape[:2] + (1,), float("-inf"))
    total = torch.zeros_like(m)
    out = torch.zeros(q.shape[0], q.shape[1], values.shape[2])
    for i in range(0, keys.shape[1], tile):
        k, v = keys[:, i : i + tile], values[:, i : i + tile]
        s = torch.bmm(q, k.transpose(1, 2))
        new = torch.maximum(m, s.amax(dim=-1, keepdim=True))
        shrink = torch.exp(m - new)
        p = torch.exp(s - new)
        total = total * shrink + p.sum(dim=-1, keepdim=True)
        out = out * shrink + torch.bmm(p, v)
        m = new
    return out / total

# %% the root of the tile's size [torch]
import math

import torch


def tiled_attention(queries, keys, values, tile):
    q = queries / math.sqrt(tile)
    m = torch.full(q.shape[:2] + (1,), float("-inf"))
    total = torch.zeros_like(m)
    out = torch.zeros(q.shape[0], q.shape[1], values.shape[2])
    for i in range(0, keys.shape[1], tile):
        k, v = keys[:, i : i + tile], values[:, i : i + tile]
        s = torch.bmm(q, k.transpose(1, 2))
        new = torch.maximum(m, s.amax(dim=-1, keepdim=True))
        shrink = torch.exp(m - new)
        p = torch.exp(s - new)
        total = total * shrink + p.sum(dim=-1, keepdim=True)
        out = out * shrink + torch.bmm(p, v)
        m = new
    return out / total

# %% not divided by the total at the end [torch]
import math

import torch


def tiled_attention(queries, keys, values, tile):
    q = queries / math.sqrt(queries.shape[-1])
    m = torch.full(q.shape[:2] + (1,), float("-inf"))
    total = torch.zeros_like(m)
    out = torch.zeros(q.shape[0], q.shape[1], values.shape[2])
    for i in range(0, keys.shape[1], tile):
        k, v = keys[:, i : i + tile], values[:, i : i + tile]
        s = torch.bmm(q, k.transpose(1, 2))
        new = torch.maximum(m, s.amax(dim=-1, keepdim=True))
        shrink = torch.exp(m - new)
        p = torch.exp(s - new)
        total = total * shrink + p.sum(dim=-1, keepdim=True)
        out = out * shrink + torch.bmm(p, v)
        m = new
    return out

# %% divided in each tile [torch]
import math

import torch


def tiled_attention(queries, keys, values, tile):
    q = queries / math.sqrt(queries.shape[-1])
    m = torch.full(q.shape[:2] + (1,), float("-inf"))
    total = torch.zeros_like(m)
    out = torch.zeros(q.shape[0], q.shape[1], values.shape[2])
    for i in range(0, keys.shape[1], tile):
        k, v = keys[:, i : i + tile], values[:, i : i + tile]
        s = torch.bmm(q, k.transpose(1, 2))
        new = torch.maximum(m, s.amax(dim=-1, keepdim=True))
        shrink = torch.exp(m - new)
        p = torch.exp(s - new)
        total = total * shrink + p.sum(dim=-1, keepdim=True)
        out = out * shrink + torch.bmm(p, v)
        out = out / total
        m = new
    return out

# %% the maximum is not kept [torch]
import math

import torch


def tiled_attention(queries, keys, values, tile):
    q = queries / math.sqrt(queries.shape[-1])
    m = torch.full(q.shape[:2] + (1,), float("-inf"))
    total = torch.zeros_like(m)
    out = torch.zeros(q.shape[0], q.shape[1], values.shape[2])
    for i in range(0, keys.shape[1], tile):
        k, v = keys[:, i : i + tile], values[:, i : i + tile]
        s = torch.bmm(q, k.transpose(1, 2))
        new = torch.maximum(m, s.amax(dim=-1, keepdim=True))
        shrink = torch.exp(m - new)
        p = torch.exp(s - new)
        total = total * shrink + p.sum(dim=-1, keepdim=True)
        out = out * shrink + torch.bmm(p, v)
    return out / total

# %% the total is not rescaled [torch]
import math

import torch


def tiled_attention(queries, keys, values, tile):
    q = queries / math.sqrt(queries.shape[-1])
    m = torch.full(q.shape[:2] + (1,), float("-inf"))
    total = torch.zeros_like(m)
    out = torch.zeros(q.shape[0], q.shape[1], values.shape[2])
    for i in range(0, keys.shape[1], tile):
        k, v = keys[:, i : i + tile], values[:, i : i + tile]
        s = torch.bmm(q, k.transpose(1, 2))
        new = torch.maximum(m, s.amax(dim=-1, keepdim=True))
        shrink = torch.exp(m - new)
        p = torch.exp(s - new)
        total = total + p.sum(dim=-1, keepdim=True)
        out = out * shrink + torch.bmm(p, v)
        m = new
    return out / total

# %% the output is not rescaled [torch]
import math

import torch


def tiled_attention(queries, keys, values, tile):
    q = queries / math.sqrt(queries.shape[-1])
    m = torch.full(q.shape[:2] + (1,), float("-inf"))
    total = torch.zeros_like(m)
    out = torch.zeros(q.shape[0], q.shape[1], values.shape[2])
    for i in range(0, keys.shape[1], tile):
        k, v = keys[:, i : i + tile], values[:, i : i + tile]
        s = torch.bmm(q, k.transpose(1, 2))
        new = torch.maximum(m, s.amax(dim=-1, keepdim=True))
        shrink = torch.exp(m - new)
        p = torch.exp(s - new)
        total = total * shrink + p.sum(dim=-1, keepdim=True)
        out = out + torch.bmm(p, v)
        m = new
    return out / total

# %% a softmax in each tile, and their sum [torch]
import torch


def tiled_attention(queries, keys, values, tile):
    out = 0
    for i in range(0, keys.shape[1], tile):
        s = queries @ keys[:, i : i + tile].mT / queries.shape[-1] ** 0.5
        out = out + s.softmax(dim=-1) @ values[:, i : i + tile]
    return out

# %% a softmax in each tile, and their mean [torch]
import torch


def tiled_attention(queries, keys, values, tile):
    parts = []
    for k, v in zip(keys.split(tile, dim=1), values.split(tile, dim=1)):
        s = queries @ k.mT / queries.shape[-1] ** 0.5
        parts.append(s.softmax(dim=-1) @ v)
    return torch.stack(parts).mean(dim=0)

# %% the last, shorter tile is left out [torch]
import math

import torch


def tiled_attention(queries, keys, values, tile):
    q = queries / math.sqrt(queries.shape[-1])
    m = torch.full(q.shape[:2] + (1,), float("-inf"))
    total = torch.zeros_like(m)
    out = torch.zeros(q.shape[0], q.shape[1], values.shape[2])
    for i in range(0, keys.shape[1] - tile + 1, tile):
        k, v = keys[:, i : i + tile], values[:, i : i + tile]
        s = torch.bmm(q, k.transpose(1, 2))
        new = torch.maximum(m, s.amax(dim=-1, keepdim=True))
        shrink = torch.exp(m - new)
        p = torch.exp(s - new)
        total = total * shrink + p.sum(dim=-1, keepdim=True)
        out = out * shrink + torch.bmm(p, v)
        m = new
    return out / total

# %% the loop runs over the queries' number [torch]
import math

import torch


def tiled_attention(queries, keys, values, tile):
    q = queries / math.sqrt(queries.shape[-1])
    m = torch.full(q.shape[:2] + (1,), float("-inf"))
    total = torch.zeros_like(m)
    out = torch.zeros(q.shape[0], q.shape[1], values.shape[2])
    for i in range(0, queries.shape[1], tile):
        k, v = keys[:, i : i + tile], values[:, i : i + tile]
        s = torch.bmm(q, k.transpose(1, 2))
        new = torch.maximum(m, s.amax(dim=-1, keepdim=True))
        shrink = torch.exp(m - new)
        p = torch.exp(s - new)
        total = total * shrink + p.sum(dim=-1, keepdim=True)
        out = out * shrink + torch.bmm(p, v)
        m = new
    return out / total

# %% the tiles overlap by one key [torch]
import math

import torch


def tiled_attention(queries, keys, values, tile):
    q = queries / math.sqrt(queries.shape[-1])
    m = torch.full(q.shape[:2] + (1,), float("-inf"))
    total = torch.zeros_like(m)
    out = torch.zeros(q.shape[0], q.shape[1], values.shape[2])
    for i in range(0, keys.shape[1], tile):
        k, v = keys[:, i : i + tile + 1], values[:, i : i + tile + 1]
        s = torch.bmm(q, k.transpose(1, 2))
        new = torch.maximum(m, s.amax(dim=-1, keepdim=True))
        shrink = torch.exp(m - new)
        p = torch.exp(s - new)
        total = total * shrink + p.sum(dim=-1, keepdim=True)
        out = out * shrink + torch.bmm(p, v)
        m = new
    return out / total

# %% only the first tile is read [torch]
import math

import torch


def tiled_attention(queries, keys, values, tile):
    q = queries / math.sqrt(queries.shape[-1])
    m = torch.full(q.shape[:2] + (1,), float("-inf"))
    total = torch.zeros_like(m)
    out = torch.zeros(q.shape[0], q.shape[1], values.shape[2])
    for i in range(0, keys.shape[1], tile):
        k, v = keys[:, i : i + tile], values[:, i : i + tile]
        s = torch.bmm(q, k.transpose(1, 2))
        new = torch.maximum(m, s.amax(dim=-1, keepdim=True))
        shrink = torch.exp(m - new)
        p = torch.exp(s - new)
        total = total * shrink + p.sum(dim=-1, keepdim=True)
        out = out * shrink + torch.bmm(p, v)
        m = new
        break
    return out / total

# %% the maximum begins at zero and is never taken off old sums [torch]
import math

import torch


def tiled_attention(queries, keys, values, tile):
    q = queries / math.sqrt(queries.shape[-1])
    m = torch.full(q.shape[:2] + (1,), float("-inf"))
    total = torch.zeros_like(m)
    out = torch.zeros(q.shape[0], q.shape[1], values.shape[2])
    for i in range(0, keys.shape[1], tile):
        k, v = keys[:, i : i + tile], values[:, i : i + tile]
        s = torch.bmm(q, k.transpose(1, 2))
        new = torch.maximum(m, s.amax(dim=-1, keepdim=True))
        shrink = 1.0
        p = torch.exp(s - new)
        total = total * shrink + p.sum(dim=-1, keepdim=True)
        out = out * shrink + torch.bmm(p, v)
        m = new
    return out / total

# %% exponentials without the maximum [torch]
import torch


def tiled_attention(queries, keys, values, tile):
    total, out = 0, 0
    for i in range(0, keys.shape[1], tile):
        p = torch.exp(queries @ keys[:, i : i + tile].mT / queries.shape[-1] ** 0.5)
        total = total + p.sum(dim=-1, keepdim=True)
        out = out + p @ values[:, i : i + tile]
    return out / total

# %% shrink is upside down [torch]
import math

import torch


def tiled_attention(queries, keys, values, tile):
    q = queries / math.sqrt(queries.shape[-1])
    m = torch.full(q.shape[:2] + (1,), float("-inf"))
    total = torch.zeros_like(m)
    out = torch.zeros(q.shape[0], q.shape[1], values.shape[2])
    for i in range(0, keys.shape[1], tile):
        k, v = keys[:, i : i + tile], values[:, i : i + tile]
        s = torch.bmm(q, k.transpose(1, 2))
        new = torch.maximum(m, s.amax(dim=-1, keepdim=True))
        shrink = torch.exp(new - m)
        p = torch.exp(s - new)
        total = total * shrink + p.sum(dim=-1, keepdim=True)
        out = out * shrink + torch.bmm(p, v)
        m = new
    return out / total

# %% the state is kept without its gradient [torch]
import math

import torch


def tiled_attention(queries, keys, values, tile):
    q = queries / math.sqrt(queries.shape[-1])
    m = torch.full(q.shape[:2] + (1,), float("-inf"))
    total = torch.zeros_like(m)
    out = torch.zeros(q.shape[0], q.shape[1], values.shape[2])
    for i in range(0, keys.shape[1], tile):
        k, v = keys[:, i : i + tile], values[:, i : i + tile]
        s = torch.bmm(q, k.transpose(1, 2))
        new = torch.maximum(m, s.amax(dim=-1, keepdim=True))
        shrink = torch.exp(m - new)
        p = torch.exp(s - new)
        total = total * shrink + p.sum(dim=-1, keepdim=True)
        out = out * shrink + torch.bmm(p, v)
        m, total, out = new.detach(), total.detach(), out.detach()
    return out / total

# %% scaled both before the loop and in it [torch]
import math

import torch


def tiled_attention(queries, keys, values, tile):
    q = queries / math.sqrt(queries.shape[-1])
    m = torch.full(q.shape[:2] + (1,), float("-inf"))
    total = torch.zeros_like(m)
    out = torch.zeros(q.shape[0], q.shape[1], values.shape[2])
    for i in range(0, keys.shape[1], tile):
        k, v = keys[:, i : i + tile], values[:, i : i + tile]
        s = torch.bmm(q, k.transpose(1, 2)) / math.sqrt(k.shape[-1])
        new = torch.maximum(m, s.amax(dim=-1, keepdim=True))
        shrink = torch.exp(m - new)
        p = torch.exp(s - new)
        total = total * shrink + p.sum(dim=-1, keepdim=True)
        out = out * shrink + torch.bmm(p, v)
        m = new
    return out / total

# %% the values always come from the first tile [torch]
import math

import torch


def tiled_attention(queries, keys, values, tile):
    q = queries / math.sqrt(queries.shape[-1])
    m = torch.full(q.shape[:2] + (1,), float("-inf"))
    total = torch.zeros_like(m)
    out = torch.zeros(q.shape[0], q.shape[1], values.shape[2])
    for i in range(0, keys.shape[1], tile):
        k, v = keys[:, i : i + tile], values[:, : min(tile, keys.shape[1] - i)]
        s = torch.bmm(q, k.transpose(1, 2))
        new = torch.maximum(m, s.amax(dim=-1, keepdim=True))
        shrink = torch.exp(m - new)
        p = torch.exp(s - new)
        total = total * shrink + p.sum(dim=-1, keepdim=True)
        out = out * shrink + torch.bmm(p, v)
        m = new
    return out / total

# %% not scaled, and the output not rescaled [torch]
import math

import torch


def tiled_attention(queries, keys, values, tile):
    q = queries
    m = torch.full(q.shape[:2] + (1,), float("-inf"))
    total = torch.zeros_like(m)
    out = torch.zeros(q.shape[0], q.shape[1], values.shape[2])
    for i in range(0, keys.shape[1], tile):
        k, v = keys[:, i : i + tile], values[:, i : i + tile]
        s = torch.bmm(q, k.transpose(1, 2))
        new = torch.maximum(m, s.amax(dim=-1, keepdim=True))
        shrink = torch.exp(m - new)
        p = torch.exp(s - new)
        total = total * shrink + p.sum(dim=-1, keepdim=True)
        out = out + torch.bmm(p, v)
        m = new
    return out / total

# %% not scaled [mxnet]
import math

from mxnet import nd


def tiled_attention(queries, keys, values, tile):
    q = queries
    total = nd.zeros_like(q[:, :, :1])
    m = total - 1e30
    out = 0
    for i in range(0, keys.shape[1], tile):
        k, v = keys[:, i : i + tile], values[:, i : i + tile]
        s = nd.batch_dot(q, k, transpose_b=True)
        new = nd.maximum(m, s.max(axis=-1, keepdims=True))
        shrink = nd.exp(m - new)
        p = nd.exp(s - new)
        total = total * shrink + p.sum(axis=-1, keepdims=True)
        out = out * shrink + nd.batch_dot(p, v)
        m = new
    return out / total

# %% the total is not rescaled [mxnet]
import math

from mxnet import nd


def tiled_attention(queries, keys, values, tile):
    q = queries / math.sqrt(queries.shape[-1])
    total = nd.zeros_like(q[:, :, :1])
    m = total - 1e30
    out = 0
    for i in range(0, keys.shape[1], tile):
        k, v = keys[:, i : i + tile], values[:, i : i + tile]
        s = nd.batch_dot(q, k, transpose_b=True)
        new = nd.maximum(m, s.max(axis=-1, keepdims=True))
        shrink = nd.exp(m - new)
        p = nd.exp(s - new)
        total = total + p.sum(axis=-1, keepdims=True)
        out = out * shrink + nd.batch_dot(p, v)
        m = new
    return out / total

# %% not divided at the end [mxnet]
import math

from mxnet import nd


def tiled_attention(queries, keys, values, tile):
    q = queries / math.sqrt(queries.shape[-1])
    total = nd.zeros_like(q[:, :, :1])
    m = total - 1e30
    out = 0
    for i in range(0, keys.shape[1], tile):
        k, v = keys[:, i : i + tile], values[:, i : i + tile]
        s = nd.batch_dot(q, k, transpose_b=True)
        new = nd.maximum(m, s.max(axis=-1, keepdims=True))
        shrink = nd.exp(m - new)
        p = nd.exp(s - new)
        total = total * shrink + p.sum(axis=-1, keepdims=True)
        out = out * shrink + nd.batch_dot(p, v)
        m = new
    return out

# %% the maximum is not kept [mxnet]
import math

from mxnet import nd


def tiled_attention(queries, keys, values, tile):
    q = queries / math.sqrt(queries.shape[-1])
    total = nd.zeros_like(q[:, :, :1])
    m = total - 1e30
    out = 0
    for i in range(0, keys.shape[1], tile):
        k, v = keys[:, i : i + tile], values[:, i : i + tile]
        s = nd.batch_dot(q, k, transpose_b=True)
        new = nd.maximum(m, s.max(axis=-1, keepdims=True))
        shrink = nd.exp(m - new)
        p = nd.exp(s - new)
        total = total * shrink + p.sum(axis=-1, keepdims=True)
        out = out * shrink + nd.batch_dot(p, v)
    return out / total

# %% the last tile is left out [mxnet]
import math

from mxnet import nd


def tiled_attention(queries, keys, values, tile):
    q = queries / math.sqrt(queries.shape[-1])
    total = nd.zeros_like(q[:, :, :1])
    m = total - 1e30
    out = 0
    for i in range(0, keys.shape[1] - tile, tile):
        k, v = keys[:, i : i + tile], values[:, i : i + tile]
        s = nd.batch_dot(q, k, transpose_b=True)
        new = nd.maximum(m, s.max(axis=-1, keepdims=True))
        shrink = nd.exp(m - new)
        p = nd.exp(s - new)
        total = total * shrink + p.sum(axis=-1, keepdims=True)
        out = out * shrink + nd.batch_dot(p, v)
        m = new
    return out / total

# %% tiles of queries instead of keys, softmax within a tile of keys [torch]
import torch


def tiled_attention(queries, keys, values, tile):
    out = []
    for i in range(0, queries.shape[1], tile):
        k, v = keys[:, i : i + tile], values[:, i : i + tile]
        s = queries[:, i : i + tile] @ k.mT / queries.shape[-1] ** 0.5
        out.append(s.softmax(-1) @ v)
    return torch.cat(out, dim=1)
