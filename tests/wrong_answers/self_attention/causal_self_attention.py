# %% triu instead of tril: no token sees an earlier one [torch]
import math

import torch


def causal_self_attention(X, W_q, W_k, W_v, valid_length):
    n = X.shape[1]
    Q, K, V = X @ W_q, X @ W_k, X @ W_v
    scores = Q @ K.transpose(-2, -1) / math.sqrt(K.shape[-1])
    mask = torch.triu(torch.ones(n, n, dtype=torch.bool)).expand_as(scores)
    if valid_length is not None:
        real = torch.arange(n) < valid_length.reshape(-1, 1, 1)
        mask = mask & real
    weights = scores.masked_fill(~mask, -1e9).softmax(dim=-1)
    return weights @ V, weights

# %% sees one step too far [torch]
import math

import torch


def causal_self_attention(X, W_q, W_k, W_v, valid_length):
    n = X.shape[1]
    Q, K, V = X @ W_q, X @ W_k, X @ W_v
    scores = Q @ K.transpose(-2, -1) / math.sqrt(K.shape[-1])
    mask = torch.tril(torch.ones(n, n, dtype=torch.bool), diagonal=1).expand_as(scores)
    if valid_length is not None:
        real = torch.arange(n) < valid_length.reshape(-1, 1, 1)
        mask = mask & real
    weights = scores.masked_fill(~mask, -1e9).softmax(dim=-1)
    return weights @ V, weights

# %% does not see itself [torch]
import math

import torch


def causal_self_attention(X, W_q, W_k, W_v, valid_length):
    n = X.shape[1]
    Q, K, V = X @ W_q, X @ W_k, X @ W_v
    scores = Q @ K.transpose(-2, -1) / math.sqrt(K.shape[-1])
    mask = torch.tril(torch.ones(n, n, dtype=torch.bool), diagonal=-1).expand_as(scores)
    if valid_length is not None:
        real = torch.arange(n) < valid_length.reshape(-1, 1, 1)
        mask = mask & real
    weights = scores.masked_fill(~mask, -1e9).softmax(dim=-1)
    return weights @ V, weights

# %% no causal mask, only padding [torch]
import math

import torch


def causal_self_attention(X, W_q, W_k, W_v, valid_length):
    n = X.shape[1]
    Q, K, V = X @ W_q, X @ W_k, X @ W_v
    scores = Q @ K.transpose(-2, -1) / math.sqrt(K.shape[-1])
    mask = torch.ones(n, n, dtype=torch.bool).expand_as(scores)
    if valid_length is not None:
        real = torch.arange(n) < valid_length.reshape(-1, 1, 1)
        mask = mask & real
    weights = scores.masked_fill(~mask, -1e9).softmax(dim=-1)
    return weights @ V, weights

# %% the padding is not masked [torch]
import math

import torch


def causal_self_attention(X, W_q, W_k, W_v, valid_length):
    n = X.shape[1]
    Q, K, V = X @ W_q, X @ W_k, X @ W_v
    scores = Q @ K.transpose(-2, -1) / math.sqrt(K.shape[-1])
    mask = torch.tril(torch.ones(n, n, dtype=torch.bool)).expand_as(scores)
    if valid_length is not None:
        real = torch.arange(n) < valid_length.reshape(-1, 1, 1)
        mask = mask
    weights = scores.masked_fill(~mask, -1e9).softmax(dim=-1)
    return weights @ V, weights

# %% masked after the softmax, and not divided again [torch]
import math

import torch


def causal_self_attention(X, W_q, W_k, W_v, valid_length):
    n = X.shape[1]
    Q, K, V = X @ W_q, X @ W_k, X @ W_v
    scores = Q @ K.transpose(-2, -1) / math.sqrt(K.shape[-1])
    mask = torch.tril(torch.ones(n, n, dtype=torch.bool)).expand_as(scores)
    if valid_length is not None:
        real = torch.arange(n) < valid_length.reshape(-1, 1, 1)
        mask = mask & real
    weights = scores.softmax(dim=-1) * mask
    return weights @ V, weights

# %% future and padding: or instead of and [torch]
import math

import torch


def causal_self_attention(X, W_q, W_k, W_v, valid_length):
    n = X.shape[1]
    Q, K, V = X @ W_q, X @ W_k, X @ W_v
    scores = Q @ K.transpose(-2, -1) / math.sqrt(K.shape[-1])
    mask = torch.tril(torch.ones(n, n, dtype=torch.bool)).expand_as(scores)
    if valid_length is not None:
        real = torch.arange(n) < valid_length.reshape(-1, 1, 1)
        mask = mask | real
    weights = scores.masked_fill(~mask, -1e9).softmax(dim=-1)
    return weights @ V, weights

# %% padding as queries is masked, not as keys [torch]
import math

import torch


def causal_self_attention(X, W_q, W_k, W_v, valid_length):
    n = X.shape[1]
    Q, K, V = X @ W_q, X @ W_k, X @ W_v
    scores = Q @ K.transpose(-2, -1) / math.sqrt(K.shape[-1])
    mask = torch.tril(torch.ones(n, n, dtype=torch.bool)).expand_as(scores)
    if valid_length is not None:
        real = torch.arange(n) < valid_length.reshape(-1, 1, 1)
        real = real.transpose(1, 2)
        mask = mask & real
    weights = scores.masked_fill(~mask, -1e9).softmax(dim=-1)
    return weights @ V, weights

# %% the hidden scores are set to zero [torch]
import math

import torch


def causal_self_attention(X, W_q, W_k, W_v, valid_length):
    n = X.shape[1]
    Q, K, V = X @ W_q, X @ W_k, X @ W_v
    scores = Q @ K.transpose(-2, -1) / math.sqrt(K.shape[-1])
    mask = torch.tril(torch.ones(n, n, dtype=torch.bool)).expand_as(scores)
    if valid_length is not None:
        real = torch.arange(n) < valid_length.reshape(-1, 1, 1)
        mask = mask & real
    weights = scores.masked_fill(~mask, 0.0).softmax(dim=-1)
    return weights @ V, weights

# %% the causal mask before the softmax, the padding after it [torch]
import torch


def causal_self_attention(X, W_q, W_k, W_v, valid_length):
    n = X.size(1)
    scores = (X @ W_q) @ (X @ W_k).mT / W_q.size(1) ** 0.5
    future = torch.ones(n, n, dtype=torch.bool).triu(1)
    weights = scores.masked_fill(future, float("-inf")).softmax(-1)
    if valid_length is not None:
        weights = weights * (torch.arange(n) < valid_length[:, None, None])
    return weights @ (X @ W_v), weights

# %% one padding key is let in [torch]
import math

import torch


def causal_self_attention(X, W_q, W_k, W_v, valid_length):
    n = X.shape[1]
    Q, K, V = X @ W_q, X @ W_k, X @ W_v
    scores = Q @ K.transpose(-2, -1) / math.sqrt(K.shape[-1])
    mask = torch.tril(torch.ones(n, n, dtype=torch.bool)).expand_as(scores)
    if valid_length is not None:
        real = torch.arange(n) <= valid_length.reshape(-1, 1, 1)
        mask = mask & real
    weights = scores.masked_fill(~mask, -1e9).softmax(dim=-1)
    return weights @ V, weights

# %% not scaled [torch]
import math

import torch


def causal_self_attention(X, W_q, W_k, W_v, valid_length):
    n = X.shape[1]
    Q, K, V = X @ W_q, X @ W_k, X @ W_v
    scores = Q @ K.transpose(-2, -1)
    mask = torch.tril(torch.ones(n, n, dtype=torch.bool)).expand_as(scores)
    if valid_length is not None:
        real = torch.arange(n) < valid_length.reshape(-1, 1, 1)
        mask = mask & real
    weights = scores.masked_fill(~mask, -1e9).softmax(dim=-1)
    return weights @ V, weights

# %% scaled by the root of d_model [torch]
import math

import torch


def causal_self_attention(X, W_q, W_k, W_v, valid_length):
    n = X.shape[1]
    Q, K, V = X @ W_q, X @ W_k, X @ W_v
    scores = Q @ K.transpose(-2, -1) / math.sqrt(X.shape[-1])
    mask = torch.tril(torch.ones(n, n, dtype=torch.bool)).expand_as(scores)
    if valid_length is not None:
        real = torch.arange(n) < valid_length.reshape(-1, 1, 1)
        mask = mask & real
    weights = scores.masked_fill(~mask, -1e9).softmax(dim=-1)
    return weights @ V, weights

# %% the mask is inverted [torch]
import math

import torch


def causal_self_attention(X, W_q, W_k, W_v, valid_length):
    n = X.shape[1]
    Q, K, V = X @ W_q, X @ W_k, X @ W_v
    scores = Q @ K.transpose(-2, -1) / math.sqrt(K.shape[-1])
    mask = torch.tril(torch.ones(n, n, dtype=torch.bool)).expand_as(scores)
    if valid_length is not None:
        real = torch.arange(n) < valid_length.reshape(-1, 1, 1)
        mask = mask & real
    weights = scores.masked_fill(mask, -1e9).softmax(dim=-1)
    return weights @ V, weights

# %% softmax over the queries [torch]
import math

import torch


def causal_self_attention(X, W_q, W_k, W_v, valid_length):
    n = X.shape[1]
    Q, K, V = X @ W_q, X @ W_k, X @ W_v
    scores = Q @ K.transpose(-2, -1) / math.sqrt(K.shape[-1])
    mask = torch.tril(torch.ones(n, n, dtype=torch.bool)).expand_as(scores)
    if valid_length is not None:
        real = torch.arange(n) < valid_length.reshape(-1, 1, 1)
        mask = mask & real
    weights = scores.masked_fill(~mask, -1e9).softmax(dim=1)
    return weights @ V, weights

# %% lengths start at zero, as arange does [torch]
import torch
import torch.nn.functional as F
from solutions.masked_softmax.in_torch import masked_softmax


def causal_self_attention(X, W_q, W_k, W_v, valid_length):
    batch, num_tokens, _ = X.shape
    q, k, v = (X @ W for W in (W_q, W_k, W_v))
    scores = torch.einsum("bid,bjd->bij", q, k) / k.size(-1) ** 0.5
    lengths = torch.arange(num_tokens).repeat(batch, 1)
    if valid_length is not None:
        lengths = torch.minimum(lengths, valid_length.unsqueeze(1))
    weights = masked_softmax(scores, lengths)
    return torch.bmm(weights, v), weights

# %% the maximum of both lengths [torch]
import torch
import torch.nn.functional as F
from solutions.masked_softmax.in_torch import masked_softmax


def causal_self_attention(X, W_q, W_k, W_v, valid_length):
    batch, num_tokens, _ = X.shape
    q, k, v = (X @ W for W in (W_q, W_k, W_v))
    scores = torch.einsum("bid,bjd->bij", q, k) / k.size(-1) ** 0.5
    lengths = torch.arange(1, num_tokens + 1).repeat(batch, 1)
    if valid_length is not None:
        lengths = torch.maximum(lengths, valid_length.unsqueeze(1))
    weights = masked_softmax(scores, lengths)
    return torch.bmm(weights, v), weights

# %% the valid length replaces the causal one [torch]
import torch
import torch.nn.functional as F
from solutions.masked_softmax.in_torch import masked_softmax


def causal_self_attention(X, W_q, W_k, W_v, valid_length):
    batch, num_tokens, _ = X.shape
    q, k, v = (X @ W for W in (W_q, W_k, W_v))
    scores = torch.einsum("bid,bjd->bij", q, k) / k.size(-1) ** 0.5
    lengths = torch.arange(1, num_tokens + 1).repeat(batch, 1)
    if valid_length is not None:
        lengths = valid_length
    weights = masked_softmax(scores, lengths)
    return torch.bmm(weights, v), weights

# %% keys from the first batch element's length for all [torch]
import torch
import torch.nn.functional as F
from solutions.masked_softmax.in_torch import masked_softmax


def causal_self_attention(X, W_q, W_k, W_v, valid_length):
    batch, num_tokens, _ = X.shape
    q, k, v = (X @ W for W in (W_q, W_k, W_v))
    scores = torch.einsum("bid,bjd->bij", q, k) / k.size(-1) ** 0.5
    lengths = torch.arange(1, num_tokens + 1).repeat(batch, 1)
    if valid_length is not None:
        lengths = torch.minimum(lengths, valid_length[:1].unsqueeze(1))
    weights = masked_softmax(scores, lengths)
    return torch.bmm(weights, v), weights

# %% the future inputs are masked in X, not in the scores [torch]
import torch
import torch.nn.functional as F


def causal_self_attention(X, W_q, W_k, W_v, valid_length):
    if valid_length is not None:
        keep = torch.arange(X.shape[1])[None, :] < valid_length[:, None]
        X = X * keep.unsqueeze(-1)
    scores = (X @ W_q) @ (X @ W_k).transpose(1, 2) / W_k.shape[1] ** 0.5
    scores = scores.tril()
    weights = F.softmax(scores, dim=-1)
    return weights @ (X @ W_v), weights

# %% tril of the scores: the future has a score of zero [torch]
import torch


def causal_self_attention(X, W_q, W_k, W_v, valid_length):
    Q, K, V = X @ W_q, X @ W_k, X @ W_v
    scores = torch.tril(Q @ K.mT / K.shape[-1] ** 0.5)
    if valid_length is not None:
        pad = torch.arange(X.shape[1]) >= valid_length[:, None, None]
        scores = scores.masked_fill(pad, float("-inf"))
    weights = scores.softmax(-1)
    return weights @ V, weights

# %% rows of padding are cleared too [torch]
import math

import torch


def causal_self_attention(X, W_q, W_k, W_v, valid_length):
    n = X.shape[1]
    Q, K, V = X @ W_q, X @ W_k, X @ W_v
    scores = Q @ K.transpose(-2, -1) / math.sqrt(K.shape[-1])
    mask = torch.tril(torch.ones(n, n, dtype=torch.bool)).expand_as(scores)
    if valid_length is not None:
        real = torch.arange(n) < valid_length.reshape(-1, 1, 1)
        mask = mask & real
    weights = scores.masked_fill(~mask, -1e9).softmax(dim=-1)
    if valid_length is not None:
        weights = weights * real.transpose(1, 2)
    return weights @ V, weights

# %% queries and keys interchanged, so the mask is on the wrong side [torch]
import math

import torch


def causal_self_attention(X, W_q, W_k, W_v, valid_length):
    n = X.shape[1]
    Q, K, V = X @ W_q, X @ W_k, X @ W_v
    scores = K @ Q.transpose(-2, -1) / math.sqrt(K.shape[-1])
    mask = torch.tril(torch.ones(n, n, dtype=torch.bool)).expand_as(scores)
    if valid_length is not None:
        real = torch.arange(n) < valid_length.reshape(-1, 1, 1)
        mask = mask & real
    weights = scores.masked_fill(~mask, -1e9).softmax(dim=-1)
    return weights @ V, weights

# %% the mask is transposed: keys from the query on [mxnet]
import math

from mxnet import nd


def causal_self_attention(X, W_q, W_k, W_v, valid_length):
    n = X.shape[1]
    Q, K, V = nd.dot(X, W_q), nd.dot(X, W_k), nd.dot(X, W_v)
    scores = nd.batch_dot(Q, K, transpose_b=True) / math.sqrt(K.shape[-1])
    j = nd.arange(n).reshape((1, 1, -1))
    i = nd.arange(n).reshape((1, -1, 1))
    mask = nd.broadcast_lesser_equal(i, j)
    if valid_length is not None:
        mask = nd.broadcast_mul(mask, nd.broadcast_lesser(j, valid_length.reshape((-1, 1, 1))))
    mask = mask.broadcast_like(scores)
    weights = nd.where(mask, scores, nd.ones_like(scores) * -1e6).softmax(axis=-1)
    return nd.batch_dot(weights, V), weights

# %% a token does not see itself [mxnet]
import math

from mxnet import nd


def causal_self_attention(X, W_q, W_k, W_v, valid_length):
    n = X.shape[1]
    Q, K, V = nd.dot(X, W_q), nd.dot(X, W_k), nd.dot(X, W_v)
    scores = nd.batch_dot(Q, K, transpose_b=True) / math.sqrt(K.shape[-1])
    j = nd.arange(n).reshape((1, 1, -1))
    i = nd.arange(n).reshape((1, -1, 1))
    mask = nd.broadcast_lesser(j, i)
    if valid_length is not None:
        mask = nd.broadcast_mul(mask, nd.broadcast_lesser(j, valid_length.reshape((-1, 1, 1))))
    mask = mask.broadcast_like(scores)
    weights = nd.where(mask, scores, nd.ones_like(scores) * -1e6).softmax(axis=-1)
    return nd.batch_dot(weights, V), weights

# %% softmax, then the mask [mxnet]
import math

from mxnet import nd


def causal_self_attention(X, W_q, W_k, W_v, valid_length):
    n = X.shape[1]
    Q, K, V = nd.dot(X, W_q), nd.dot(X, W_k), nd.dot(X, W_v)
    scores = nd.batch_dot(Q, K, transpose_b=True) / math.sqrt(K.shape[-1])
    j = nd.arange(n).reshape((1, 1, -1))
    i = nd.arange(n).reshape((1, -1, 1))
    mask = nd.broadcast_lesser_equal(j, i)
    if valid_length is not None:
        mask = nd.broadcast_mul(mask, nd.broadcast_lesser(j, valid_length.reshape((-1, 1, 1))))
    mask = mask.broadcast_like(scores)
    weights = scores.softmax(axis=-1) * mask
    return nd.batch_dot(weights, V), weights

# %% padding is forgotten [mxnet]
import math

from mxnet import nd


def causal_self_attention(X, W_q, W_k, W_v, valid_length):
    n = X.shape[1]
    Q, K, V = nd.dot(X, W_q), nd.dot(X, W_k), nd.dot(X, W_v)
    scores = nd.batch_dot(Q, K, transpose_b=True) / math.sqrt(K.shape[-1])
    j = nd.arange(n).reshape((1, 1, -1))
    i = nd.arange(n).reshape((1, -1, 1))
    mask = nd.broadcast_lesser_equal(j, i)
    if valid_length is not None:
        pass
    mask = mask.broadcast_like(scores)
    weights = nd.where(mask, scores, nd.ones_like(scores) * -1e6).softmax(axis=-1)
    return nd.batch_dot(weights, V), weights

# %% not scaled, and sees one step ahead [mxnet]
import math

from mxnet import nd


def causal_self_attention(X, W_q, W_k, W_v, valid_length):
    n = X.shape[1]
    Q, K, V = nd.dot(X, W_q), nd.dot(X, W_k), nd.dot(X, W_v)
    scores = nd.batch_dot(Q, K, transpose_b=True)
    j = nd.arange(n).reshape((1, 1, -1))
    i = nd.arange(n).reshape((1, -1, 1))
    mask = nd.broadcast_lesser_equal(j, i + 1)
    if valid_length is not None:
        mask = nd.broadcast_mul(mask, nd.broadcast_lesser(j, valid_length.reshape((-1, 1, 1))))
    mask = mask.broadcast_like(scores)
    weights = nd.where(mask, scores, nd.ones_like(scores) * -1e6).softmax(axis=-1)
    return nd.batch_dot(weights, V), weights

# %% masks added: one is enough [mxnet]
import math

from mxnet import nd


def causal_self_attention(X, W_q, W_k, W_v, valid_length):
    n = X.shape[1]
    Q, K, V = nd.dot(X, W_q), nd.dot(X, W_k), nd.dot(X, W_v)
    scores = nd.batch_dot(Q, K, transpose_b=True) / math.sqrt(K.shape[-1])
    j = nd.arange(n).reshape((1, 1, -1))
    i = nd.arange(n).reshape((1, -1, 1))
    mask = nd.broadcast_lesser_equal(j, i)
    if valid_length is not None:
        mask = nd.broadcast_add(mask, nd.broadcast_lesser(j, valid_length.reshape((-1, 1, 1))))
    mask = mask.broadcast_like(scores)
    weights = nd.where(mask, scores, nd.ones_like(scores) * -1e6).softmax(axis=-1)
    return nd.batch_dot(weights, V), weights

# %% a mean of everything before: weights of equal size [torch]
import torch


def causal_self_attention(X, W_q, W_k, W_v, valid_length):
    n = X.shape[1]
    mask = torch.ones(n, n).tril().expand(len(X), n, n)
    if valid_length is not None:
        mask = mask * (torch.arange(n) < valid_length[:, None, None])
    weights = mask / mask.sum(dim=-1, keepdim=True)
    return weights @ (X @ W_v), weights

# %% masked late and divided again only for the future, not the padding [torch]
import torch


def causal_self_attention(X, W_q, W_k, W_v, valid_length):
    n = X.shape[1]
    scores = (X @ W_q) @ (X @ W_k).mT / W_k.shape[1] ** 0.5
    w = scores.softmax(-1).tril()
    w = w / w.sum(-1, keepdim=True)
    if valid_length is not None:
        w = w * (torch.arange(n) < valid_length[:, None, None])
    return w @ (X @ W_v), w
