# %% not scaled [torch]
import math

import torch


def self_attention(X, W_q, W_k, W_v):
    Q, K, V = X @ W_q, X @ W_k, X @ W_v
    scores = Q @ K.transpose(-2, -1)
    weights = torch.softmax(scores, dim=-1)
    return weights @ V, weights

# %% the root of d_model [torch]
import math

import torch


def self_attention(X, W_q, W_k, W_v):
    Q, K, V = X @ W_q, X @ W_k, X @ W_v
    scores = Q @ K.transpose(-2, -1) / math.sqrt(X.shape[-1])
    weights = torch.softmax(scores, dim=-1)
    return weights @ V, weights

# %% divided by d_k [torch]
import math

import torch


def self_attention(X, W_q, W_k, W_v):
    Q, K, V = X @ W_q, X @ W_k, X @ W_v
    scores = Q @ K.transpose(-2, -1) / K.shape[-1]
    weights = torch.softmax(scores, dim=-1)
    return weights @ V, weights

# %% the root of the values' width [torch]
import math

import torch


def self_attention(X, W_q, W_k, W_v):
    Q, K, V = X @ W_q, X @ W_k, X @ W_v
    scores = Q @ K.transpose(-2, -1) / math.sqrt(V.shape[-1])
    weights = torch.softmax(scores, dim=-1)
    return weights @ V, weights

# %% the embeddings are the values [torch]
import math

import torch


def self_attention(X, W_q, W_k, W_v):
    Q, K, V = X @ W_q, X @ W_k, X @ W_v
    scores = Q @ K.transpose(-2, -1) / math.sqrt(K.shape[-1])
    weights = torch.softmax(scores, dim=-1)
    return weights @ X, weights

# %% the embeddings are the queries and keys [torch]
import math

import torch


def self_attention(X, W_q, W_k, W_v):
    Q, K, V = X, X, X @ W_v
    scores = Q @ K.transpose(-2, -1) / math.sqrt(K.shape[-1])
    weights = torch.softmax(scores, dim=-1)
    return weights @ V, weights

# %% queries and keys interchanged [torch]
import math

import torch


def self_attention(X, W_q, W_k, W_v):
    Q, K, V = X @ W_k, X @ W_q, X @ W_v
    scores = Q @ K.transpose(-2, -1) / math.sqrt(K.shape[-1])
    weights = torch.softmax(scores, dim=-1)
    return weights @ V, weights

# %% one matrix for queries and keys [torch]
import math

import torch


def self_attention(X, W_q, W_k, W_v):
    Q, K, V = X @ W_q, X @ W_q, X @ W_v
    scores = Q @ K.transpose(-2, -1) / math.sqrt(K.shape[-1])
    weights = torch.softmax(scores, dim=-1)
    return weights @ V, weights

# %% softmax over the queries [torch]
import math

import torch


def self_attention(X, W_q, W_k, W_v):
    Q, K, V = X @ W_q, X @ W_k, X @ W_v
    scores = Q @ K.transpose(-2, -1) / math.sqrt(K.shape[-1])
    weights = torch.softmax(scores, dim=1)
    return weights @ V, weights

# %% softmax twice [torch]
import math

import torch


def self_attention(X, W_q, W_k, W_v):
    Q, K, V = X @ W_q, X @ W_k, X @ W_v
    scores = Q @ K.transpose(-2, -1) / math.sqrt(K.shape[-1])
    weights = torch.softmax(torch.softmax(scores, dim=-1), dim=-1)
    return weights @ V, weights

# %% the scores are returned as weights [torch]
import math

import torch


def self_attention(X, W_q, W_k, W_v):
    Q, K, V = X @ W_q, X @ W_k, X @ W_v
    scores = Q @ K.transpose(-2, -1) / math.sqrt(K.shape[-1])
    weights = torch.softmax(scores, dim=-1)
    return weights @ V, scores

# %% weights first [torch]
import math

import torch


def self_attention(X, W_q, W_k, W_v):
    Q, K, V = X @ W_q, X @ W_k, X @ W_v
    scores = Q @ K.transpose(-2, -1) / math.sqrt(K.shape[-1])
    weights = torch.softmax(scores, dim=-1)
    return weights, weights @ V

# %% only the context [torch]
import math

import torch


def self_attention(X, W_q, W_k, W_v):
    Q, K, V = X @ W_q, X @ W_k, X @ W_v
    scores = Q @ K.transpose(-2, -1) / math.sqrt(K.shape[-1])
    weights = torch.softmax(scores, dim=-1)
    return weights @ V

# %% no token attends to itself [torch]
import math

import torch


def self_attention(X, W_q, W_k, W_v):
    Q, K, V = X @ W_q, X @ W_k, X @ W_v
    scores = Q @ K.transpose(-2, -1) / math.sqrt(K.shape[-1])
    scores = scores.masked_fill(torch.eye(X.shape[1], dtype=torch.bool), -1e9)
    weights = torch.softmax(scores, dim=-1)
    return weights @ V, weights

# %% no token attends to a later one [torch]
import math

import torch


def self_attention(X, W_q, W_k, W_v):
    Q, K, V = X @ W_q, X @ W_k, X @ W_v
    scores = Q @ K.transpose(-2, -1) / math.sqrt(K.shape[-1])
    scores = scores.masked_fill(torch.ones(scores.shape[1:]).triu(1).bool(), -1e9)
    weights = torch.softmax(scores, dim=-1)
    return weights @ V, weights

# %% transposed weights in the sum [torch]
import torch
import torch.nn.functional as F


def self_attention(X, W_q, W_k, W_v):
    q = torch.einsum("bnm,md->bnd", X, W_q)
    k = torch.einsum("bnm,md->bnd", X, W_k)
    v = torch.einsum("bnm,md->bnd", X, W_v)
    scores = torch.einsum("bid,bjd->bij", q, k) * W_k.shape[1] ** -0.5
    attn = F.softmax(scores, dim=2)
    out = torch.einsum("bji,bjd->bid", attn, v)
    return out, attn

# %% scaled at the queries and at the scores [torch]
import torch
import torch.nn.functional as F


def self_attention(X, W_q, W_k, W_v):
    q = torch.einsum("bnm,md->bnd", X, W_q) * W_k.shape[1] ** -0.5
    k = torch.einsum("bnm,md->bnd", X, W_k)
    v = torch.einsum("bnm,md->bnd", X, W_v)
    scores = torch.einsum("bid,bjd->bij", q, k) * W_k.shape[1] ** -0.5
    attn = F.softmax(scores, dim=2)
    out = torch.einsum("bij,bjd->bid", attn, v)
    return out, attn

# %% a residual: X comes on top of the weights' sum [torch]
import torch


def self_attention(X, W_q, W_k, W_v):
    d = W_k.size(1)
    weights = ((X @ W_q) @ (X @ W_k).mT / d**0.5).softmax(-1)
    context = weights @ (X @ W_v)
    return context + (X @ W_v), weights

# %% scores over the whole batch at once [torch]
import torch


def self_attention(X, W_q, W_k, W_v):
    b, n, m = X.shape
    flat = X.reshape(b * n, m)
    scores = (flat @ W_q) @ (flat @ W_k).T / W_k.shape[1] ** 0.5
    weights = scores.softmax(dim=-1)
    context = (weights @ (flat @ W_v)).reshape(b, n, -1)
    return context, weights[:n, :n].expand(b, n, n)

# %% not scaled, and values not projected [torch]
import torch
import torch.nn.functional as F


def self_attention(X, W_q, W_k, W_v):
    q = torch.einsum("bnm,md->bnd", X, W_q)
    k = torch.einsum("bnm,md->bnd", X, W_k)
    v = X
    scores = torch.einsum("bid,bjd->bij", q, k)
    attn = F.softmax(scores, dim=2)
    out = torch.einsum("bij,bjd->bid", attn, v)
    return out, attn

# %% not scaled [mxnet]
import math

from mxnet import nd


def self_attention(X, W_q, W_k, W_v):
    Q = nd.dot(X, W_q)
    K = nd.dot(X, W_k)
    V = nd.dot(X, W_v)
    scores = nd.batch_dot(Q, K, transpose_b=True)
    weights = nd.softmax(scores, axis=-1)
    return nd.batch_dot(weights, V), weights

# %% root of d_model [mxnet]
import math

from mxnet import nd


def self_attention(X, W_q, W_k, W_v):
    Q = nd.dot(X, W_q)
    K = nd.dot(X, W_k)
    V = nd.dot(X, W_v)
    scores = nd.batch_dot(Q, K, transpose_b=True) / math.sqrt(X.shape[-1])
    weights = nd.softmax(scores, axis=-1)
    return nd.batch_dot(weights, V), weights

# %% the matrices are applied transposed [mxnet]
import math

from mxnet import nd


def self_attention(X, W_q, W_k, W_v):
    Q = nd.dot(X, W_q)
    K = nd.dot(X, W_k)
    V = nd.dot(X, W_v, transpose_b=True)
    scores = nd.batch_dot(Q, K, transpose_b=True) / math.sqrt(K.shape[-1])
    weights = nd.softmax(scores, axis=-1)
    return nd.batch_dot(weights, V), weights

# %% softmax over the queries [mxnet]
import math

from mxnet import nd


def self_attention(X, W_q, W_k, W_v):
    Q = nd.dot(X, W_q)
    K = nd.dot(X, W_k)
    V = nd.dot(X, W_v)
    scores = nd.batch_dot(Q, K, transpose_b=True) / math.sqrt(K.shape[-1])
    weights = nd.softmax(scores, axis=1)
    return nd.batch_dot(weights, V), weights

# %% the keys are used as values [mxnet]
import math

from mxnet import nd


def self_attention(X, W_q, W_k, W_v):
    Q = nd.dot(X, W_q)
    K = nd.dot(X, W_k)
    V = K
    scores = nd.batch_dot(Q, K, transpose_b=True) / math.sqrt(K.shape[-1])
    weights = nd.softmax(scores, axis=-1)
    return nd.batch_dot(weights, V), weights

# %% attention over the features instead of the tokens [torch]
import torch


def self_attention(X, W_q, W_k, W_v):
    Q, K, V = X @ W_q, X @ W_k, X @ W_v
    scores = torch.bmm(Q.transpose(1, 2), K) / X.shape[1] ** 0.5
    weights = scores.softmax(dim=-1)
    return torch.bmm(V[:, :, : weights.shape[1]], weights), weights

# %% exponentials over the sum of the whole matrix [torch]
import torch


def self_attention(X, W_q, W_k, W_v):
    scores = (X @ W_q) @ (X @ W_k).transpose(1, 2) / W_k.shape[1] ** 0.5
    e = torch.exp(scores)
    weights = e / e.sum(dim=(1, 2), keepdim=True)
    return weights @ (X @ W_v), weights
