# %% as printed: divided by the embeddings' width [torch]
import math

import torch


def mended_attention(embeddings, W_q, W_k, W_v):
    Q = torch.matmul(embeddings, W_q.T)
    K = torch.matmul(embeddings, W_k.T)
    V = torch.matmul(embeddings, W_v.T)
    products = torch.bmm(Q, K.transpose(1, 2))
    scaled = products / embeddings.shape[-1]
    return torch.bmm(scaled.softmax(dim=-1), V)

# %% the root of the embeddings' width [torch]
import math

import torch


def mended_attention(embeddings, W_q, W_k, W_v):
    Q = torch.matmul(embeddings, W_q.T)
    K = torch.matmul(embeddings, W_k.T)
    V = torch.matmul(embeddings, W_v.T)
    products = torch.bmm(Q, K.transpose(1, 2))
    scaled = products / math.sqrt(embeddings.shape[-1])
    return torch.bmm(scaled.softmax(dim=-1), V)

# %% divided by d_k without its root [torch]
import math

import torch


def mended_attention(embeddings, W_q, W_k, W_v):
    Q = torch.matmul(embeddings, W_q.T)
    K = torch.matmul(embeddings, W_k.T)
    V = torch.matmul(embeddings, W_v.T)
    products = torch.bmm(Q, K.transpose(1, 2))
    scaled = products / K.shape[-1]
    return torch.bmm(scaled.softmax(dim=-1), V)

# %% the root of the values' width [torch]
import math

import torch


def mended_attention(embeddings, W_q, W_k, W_v):
    Q = torch.matmul(embeddings, W_q.T)
    K = torch.matmul(embeddings, W_k.T)
    V = torch.matmul(embeddings, W_v.T)
    products = torch.bmm(Q, K.transpose(1, 2))
    scaled = products / math.sqrt(V.shape[-1])
    return torch.bmm(scaled.softmax(dim=-1), V)

# %% the root of the number of words [torch]
import math

import torch


def mended_attention(embeddings, W_q, W_k, W_v):
    Q = torch.matmul(embeddings, W_q.T)
    K = torch.matmul(embeddings, W_k.T)
    V = torch.matmul(embeddings, W_v.T)
    products = torch.bmm(Q, K.transpose(1, 2))
    scaled = products / math.sqrt(embeddings.shape[1])
    return torch.bmm(scaled.softmax(dim=-1), V)

# %% no scale [torch]
import math

import torch


def mended_attention(embeddings, W_q, W_k, W_v):
    Q = torch.matmul(embeddings, W_q.T)
    K = torch.matmul(embeddings, W_k.T)
    V = torch.matmul(embeddings, W_v.T)
    products = torch.bmm(Q, K.transpose(1, 2))
    scaled = products
    return torch.bmm(scaled.softmax(dim=-1), V)

# %% the scale comes after the softmax [torch]
import math

import torch


def mended_attention(embeddings, W_q, W_k, W_v):
    Q = torch.matmul(embeddings, W_q.T)
    K = torch.matmul(embeddings, W_k.T)
    V = torch.matmul(embeddings, W_v.T)
    products = torch.bmm(Q, K.transpose(1, 2))
    weights = products.softmax(dim=-1) / math.sqrt(K.shape[-1])
    return torch.bmm(weights, V)

# %% the scale divides the context [torch]
import math

import torch


def mended_attention(embeddings, W_q, W_k, W_v):
    Q = torch.matmul(embeddings, W_q.T)
    K = torch.matmul(embeddings, W_k.T)
    V = torch.matmul(embeddings, W_v.T)
    products = torch.bmm(Q, K.transpose(1, 2))
    return torch.bmm(products.softmax(dim=-1), V) / math.sqrt(K.shape[-1])

# %% multiplied by the root [torch]
import math

import torch


def mended_attention(embeddings, W_q, W_k, W_v):
    Q = torch.matmul(embeddings, W_q.T)
    K = torch.matmul(embeddings, W_k.T)
    V = torch.matmul(embeddings, W_v.T)
    products = torch.bmm(Q, K.transpose(1, 2))
    scaled = products * math.sqrt(K.shape[-1])
    return torch.bmm(scaled.softmax(dim=-1), V)

# %% scaled twice, queries and keys by the root each [torch]
import torch
import torch.nn.functional as F


def mended_attention(embeddings, W_q, W_k, W_v):
    q, k, v = (F.linear(embeddings, W) for W in (W_q, W_k, W_v))
    e = torch.einsum("bid,bjd->bij", q * k.size(-1) ** -0.5, k) * k.size(-1) ** -0.5
    return torch.einsum("bij,bjv->biv", F.softmax(e, dim=-1), v)

# %% softmax over the queries [torch]
import torch
import torch.nn.functional as F


def mended_attention(embeddings, W_q, W_k, W_v):
    q, k, v = (F.linear(embeddings, W) for W in (W_q, W_k, W_v))
    e = torch.einsum("bid,bjd->bij", q, k) * k.size(-1) ** -0.5
    return torch.einsum("bij,bjv->biv", F.softmax(e, dim=1), v)

# %% the embeddings are the values [torch]
import torch


def mended_attention(embeddings, W_q, W_k, W_v):
    Q, K = embeddings @ W_q.T, embeddings @ W_k.T
    weights = (Q @ K.mT / K.shape[-1] ** 0.5).softmax(-1)
    return weights @ embeddings

# %% queries and keys interchanged [torch]
import torch
import torch.nn.functional as F


def mended_attention(embeddings, W_q, W_k, W_v):
    k, q, v = (F.linear(embeddings, W) for W in (W_q, W_k, W_v))
    e = torch.einsum("bid,bjd->bij", q, k) * k.size(-1) ** -0.5
    return torch.einsum("bij,bjv->biv", F.softmax(e, dim=-1), v)

# %% the fourth root [torch]
import torch
import torch.nn.functional as F


def mended_attention(embeddings, W_q, W_k, W_v):
    q, k, v = (F.linear(embeddings, W) for W in (W_q, W_k, W_v))
    e = torch.einsum("bid,bjd->bij", q, k) * k.size(-1) ** -0.25
    return torch.einsum("bij,bjv->biv", F.softmax(e, dim=-1), v)

# %% causal: a word does not look at later ones [torch]
import math

import torch


def mended_attention(embeddings, W_q, W_k, W_v):
    Q = torch.matmul(embeddings, W_q.T)
    K = torch.matmul(embeddings, W_k.T)
    V = torch.matmul(embeddings, W_v.T)
    products = torch.bmm(Q, K.transpose(1, 2))
    scaled = products / math.sqrt(K.shape[-1])
    future = torch.ones(scaled.shape[1:], dtype=torch.bool).triu(1)
    scaled = scaled.masked_fill(future, -1e9)
    return torch.bmm(scaled.softmax(dim=-1), V)

# %% weights and context are returned [torch]
import math

import torch


def mended_attention(embeddings, W_q, W_k, W_v):
    Q = torch.matmul(embeddings, W_q.T)
    K = torch.matmul(embeddings, W_k.T)
    V = torch.matmul(embeddings, W_v.T)
    products = torch.bmm(Q, K.transpose(1, 2))
    scaled = products / math.sqrt(K.shape[-1])
    return torch.bmm(scaled.softmax(dim=-1), V), scaled.softmax(dim=-1)

# %% the matrices are applied untransposed [torch]
import math

import torch


def mended_attention(embeddings, W_q, W_k, W_v):
    Q = torch.matmul(embeddings, W_q)
    K = torch.matmul(embeddings, W_k)
    V = torch.matmul(embeddings, W_v.T)
    products = torch.bmm(Q, K.transpose(1, 2))
    scaled = products / math.sqrt(K.shape[-1])
    return torch.bmm(scaled.softmax(dim=-1), V)

# %% the library's function [torch]
import torch.nn.functional as F


def mended_attention(embeddings, W_q, W_k, W_v):
    q, k, v = embeddings @ W_q.T, embeddings @ W_k.T, embeddings @ W_v.T
    return F.scaled_dot_product_attention(q, k, v)

# %% the root of the embeddings' width, and softmax over the queries [torch]
import torch
import torch.nn.functional as F


def mended_attention(embeddings, W_q, W_k, W_v):
    q, k, v = (F.linear(embeddings, W) for W in (W_q, W_k, W_v))
    e = torch.einsum("bid,bjd->bij", q, k) * embeddings.size(-1) ** -0.5
    return torch.einsum("bij,bjv->biv", F.softmax(e, dim=1), v)

# %% as printed [mxnet]
import math

from mxnet import nd


def mended_attention(embeddings, W_q, W_k, W_v):
    Q = nd.dot(embeddings, W_q.T)
    K = nd.dot(embeddings, W_k.T)
    V = nd.dot(embeddings, W_v.T)
    products = nd.batch_dot(Q, K, transpose_b=True)
    scaled = products / embeddings.shape[-1]
    return nd.batch_dot(scaled.softmax(axis=-1), V)

# %% the root of the embeddings' width [mxnet]
import math

from mxnet import nd


def mended_attention(embeddings, W_q, W_k, W_v):
    Q = nd.dot(embeddings, W_q.T)
    K = nd.dot(embeddings, W_k.T)
    V = nd.dot(embeddings, W_v.T)
    products = nd.batch_dot(Q, K, transpose_b=True)
    scaled = products / math.sqrt(embeddings.shape[-1])
    return nd.batch_dot(scaled.softmax(axis=-1), V)

# %% the softmax before the scale [mxnet]
import math

from mxnet import nd


def mended_attention(embeddings, W_q, W_k, W_v):
    Q = nd.dot(embeddings, W_q.T)
    K = nd.dot(embeddings, W_k.T)
    V = nd.dot(embeddings, W_v.T)
    products = nd.batch_dot(Q, K, transpose_b=True)
    scaled = products.softmax(axis=-1) / math.sqrt(K.shape[-1])
    return nd.batch_dot(scaled, V)

# %% divided by d_k [mxnet]
import math

from mxnet import nd


def mended_attention(embeddings, W_q, W_k, W_v):
    Q = nd.dot(embeddings, W_q.T)
    K = nd.dot(embeddings, W_k.T)
    V = nd.dot(embeddings, W_v.T)
    products = nd.batch_dot(Q, K, transpose_b=True)
    scaled = products / K.shape[-1]
    return nd.batch_dot(scaled.softmax(axis=-1), V)

# %% the mean of both widths under the root [mxnet]
import math

from mxnet import nd


def mended_attention(embeddings, W_q, W_k, W_v):
    Q = nd.dot(embeddings, W_q.T)
    K = nd.dot(embeddings, W_k.T)
    V = nd.dot(embeddings, W_v.T)
    products = nd.batch_dot(Q, K, transpose_b=True)
    scaled = products / math.sqrt((K.shape[-1] + embeddings.shape[-1]) / 2)
    return nd.batch_dot(scaled.softmax(axis=-1), V)

# %% the scale stands under the embeddings, so the values shrink as well [torch]
def mended_attention(embeddings, W_q, W_k, W_v):
    x = embeddings / W_k.shape[0] ** 0.25
    scores = (x @ W_q.T) @ (x @ W_k.T).transpose(1, 2)
    return scores.softmax(dim=-1) @ (x @ W_v.T)

# %% a mean over the batch's words: softmax over the flattened scores [torch]
def mended_attention(embeddings, W_q, W_k, W_v):
    q, k, v = embeddings @ W_q.T, embeddings @ W_k.T, embeddings @ W_v.T
    s = q @ k.transpose(1, 2) / k.shape[-1] ** 0.5
    w = s.flatten(1).softmax(dim=-1).reshape(s.shape)
    return w @ v
