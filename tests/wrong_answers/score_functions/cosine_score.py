# %% only the keys are normalised [torch]
import torch


def cosine_score(queries, keys):
    eps = 1e-12
    q = queries
    k = keys / (keys**2).sum(-1, keepdim=True).clamp(min=eps).sqrt()
    return torch.bmm(q, k.transpose(1, 2))

# %% only the queries are normalised [torch]
import torch
import torch.nn.functional as F


def cosine_score(queries, keys):
    q = F.normalize(queries, p=2, dim=-1)
    k = keys
    return torch.einsum("bqd,bkd->bqk", q, k)

# %% not normalised [torch]
import torch
import torch.nn.functional as F


def cosine_score(queries, keys):
    q = queries
    k = keys
    return torch.einsum("bqd,bkd->bqk", q, k)

# %% the root is missing: divides by the squared lengths [torch]
import torch


def cosine_score(queries, keys):
    eps = 1e-12
    q = queries / (queries**2).sum(-1, keepdim=True).clamp(min=eps)
    k = keys / (keys**2).sum(-1, keepdim=True).clamp(min=eps)
    return torch.bmm(q, k.transpose(1, 2))

# %% L1 norm [torch]
import torch
import torch.nn.functional as F


def cosine_score(queries, keys):
    q = F.normalize(queries, p=1, dim=-1)
    k = F.normalize(keys, p=1, dim=-1)
    return torch.einsum("bqd,bkd->bqk", q, k)

# %% no guard: a vector of zeros gives nan [torch]
import torch


def cosine_score(queries, keys):
    eps = 1e-12
    q = queries / (queries**2).sum(-1, keepdim=True).sqrt()
    k = keys / (keys**2).sum(-1, keepdim=True).sqrt()
    return torch.bmm(q, k.transpose(1, 2))

# %% normalised over the wrong axis [torch]
import torch
import torch.nn.functional as F


def cosine_score(queries, keys):
    q = F.normalize(queries, p=2, dim=1)
    k = F.normalize(keys, p=2, dim=1)
    return torch.einsum("bqd,bkd->bqk", q, k)

# %% a large epsilon is added to the norms [torch]
import torch


def cosine_score(queries, keys):
    eps = 0.1
    q = queries / ((queries**2).sum(-1, keepdim=True).sqrt() + eps)
    k = keys / ((keys**2).sum(-1, keepdim=True).sqrt() + eps)
    return torch.bmm(q, k.transpose(1, 2))

# %% divides by the length of the whole batch element [torch]
import torch


def cosine_score(queries, keys):
    dots = torch.bmm(queries, keys.transpose(1, 2))
    q = queries.norm(dim=(1, 2)).reshape(-1, 1, 1)
    k = keys.norm(dim=(1, 2)).reshape(-1, 1, 1)
    return dots / (q * k)

# %% divides by the sum of the norms, not the product [torch]
import torch


def cosine_score(queries, keys):
    dots = queries @ keys.mT
    q = queries.norm(dim=-1).unsqueeze(2)
    k = keys.norm(dim=-1).unsqueeze(1)
    return dots / (q + k).clamp(min=1e-12)

# %% sine-like: one minus the cosine, a distance [torch]
import torch
import torch.nn.functional as F


def cosine_score(queries, keys):
    q = F.normalize(queries, p=2, dim=-1)
    k = F.normalize(keys, p=2, dim=-1)
    return 1 - torch.einsum("bqd,bkd->bqk", q, k)

# %% the result is transposed [torch]
import torch
import torch.nn.functional as F


def cosine_score(queries, keys):
    q = F.normalize(queries, p=2, dim=-1)
    k = F.normalize(keys, p=2, dim=-1)
    return torch.einsum("bqd,bkd->bkq", q, k)

# %% divided by the root of d besides [torch]
import torch
import torch.nn.functional as F


def cosine_score(queries, keys):
    q = F.normalize(queries, p=2, dim=-1)
    k = F.normalize(keys, p=2, dim=-1)
    return torch.einsum("bqd,bkd->bqk", q, k) / queries.shape[-1] ** 0.5

# %% the absolute value of the cosine [torch]
import torch
import torch.nn.functional as F


def cosine_score(queries, keys):
    q = F.normalize(queries, p=2, dim=-1)
    k = F.normalize(keys, p=2, dim=-1)
    return torch.einsum("bqd,bkd->bqk", q, k).abs()

# %% the norms have no gradient [torch]
import torch


def cosine_score(queries, keys):
    eps = 1e-12
    q = queries / (queries**2).sum(-1, keepdim=True).clamp(min=eps).sqrt().detach()
    k = keys / (keys**2).sum(-1, keepdim=True).clamp(min=eps).sqrt().detach()
    return torch.bmm(q, k.transpose(1, 2))

# %% softmax included [torch]
import torch
import torch.nn.functional as F


def cosine_score(queries, keys):
    q = F.normalize(queries, p=2, dim=-1)
    k = F.normalize(keys, p=2, dim=-1)
    return torch.softmax(torch.einsum("bqd,bkd->bqk", q, k), dim=-1)

# %% keys centred first: the correlation [torch]
import torch


def cosine_score(queries, keys):
    eps = 1e-12
    queries = queries - queries.mean(-1, keepdim=True)
    keys = keys - keys.mean(-1, keepdim=True)
    q = queries / (queries**2).sum(-1, keepdim=True).clamp(min=eps).sqrt()
    k = keys / (keys**2).sum(-1, keepdim=True).clamp(min=eps).sqrt()
    return torch.bmm(q, k.transpose(1, 2))

# %% the zero vector gets the score 1 [torch]
import torch


def cosine_score(queries, keys):
    dots = torch.bmm(queries, keys.transpose(1, 2))
    lengths = queries.norm(dim=-1)[:, :, None] * keys.norm(dim=-1)[:, None, :]
    return torch.where(lengths == 0, torch.ones_like(dots), dots / lengths)

# %% no guard against zero [mxnet]
from mxnet import nd


def cosine_score(queries, keys):
    qn = nd.sqrt(nd.sum(queries**2, axis=-1, keepdims=True))
    kn = nd.sqrt(nd.sum(keys**2, axis=-1, keepdims=True))
    q = nd.broadcast_div(queries, qn)
    k = nd.broadcast_div(keys, kn)
    return nd.batch_dot(q, k, transpose_b=True)

# %% the root is missing [mxnet]
from mxnet import nd


def cosine_score(queries, keys):
    qn = nd.maximum(nd.sum(queries**2, axis=-1, keepdims=True), 1e-12)
    kn = nd.maximum(nd.sum(keys**2, axis=-1, keepdims=True), 1e-12)
    q = nd.broadcast_div(queries, qn)
    k = nd.broadcast_div(keys, kn)
    return nd.batch_dot(q, k, transpose_b=True)

# %% only the query's norm is divided by [mxnet]
from mxnet import nd


def cosine_score(queries, keys):
    qn = nd.sqrt(nd.maximum(nd.sum(queries**2, axis=-1, keepdims=True), 1e-12))
    kn = nd.sqrt(nd.maximum(nd.sum(keys**2, axis=-1, keepdims=True), 1e-12))
    q = nd.broadcast_div(queries, qn)
    k = keys
    return nd.batch_dot(q, k, transpose_b=True)

# %% squares forgotten: divides by the root of the sum [mxnet]
from mxnet import nd


def cosine_score(queries, keys):
    qn = nd.sqrt(nd.maximum(nd.sum(queries.abs(), axis=-1, keepdims=True), 1e-12))
    kn = nd.sqrt(nd.maximum(nd.sum(keys.abs(), axis=-1, keepdims=True), 1e-12))
    q = nd.broadcast_div(queries, qn)
    k = nd.broadcast_div(keys, kn)
    return nd.batch_dot(q, k, transpose_b=True)

# %% keys normalised twice, queries not [mxnet]
from mxnet import nd


def cosine_score(queries, keys):
    qn = nd.sqrt(nd.maximum(nd.sum(queries**2, axis=-1, keepdims=True), 1e-12))
    kn = nd.sqrt(nd.maximum(nd.sum(keys**2, axis=-1, keepdims=True), 1e-12))
    q = queries
    k = nd.broadcast_div(nd.broadcast_div(keys, kn), kn)
    return nd.batch_dot(q, k, transpose_b=True)

# %% the cosine of a query with the key at the same place only [torch]
import torch


def cosine_score(queries, keys):
    n = min(queries.shape[1], keys.shape[1])
    q, k = queries[:, :n], keys[:, :n]
    c = (q * k).sum(-1) / (q.norm(dim=-1) * k.norm(dim=-1))
    return torch.diag_embed(c)

# %% the query's length lacks its root, nan is replaced by zero [torch]
import torch


def cosine_score(queries, keys):
    dots = queries @ keys.transpose(1, 2)
    lengths = (queries**2).sum(-1)[:, :, None] * keys.norm(dim=-1)[:, None]
    return torch.nan_to_num(dots / lengths)

# %% the norm is taken over the rows' sum [torch]
def cosine_score(queries, keys):
    q = queries / queries.sum(dim=-1, keepdim=True)
    k = keys / keys.sum(dim=-1, keepdim=True)
    return (q @ k.transpose(1, 2)).nan_to_num()
