# %% as published: one tanh for each term [torch]
import torch


def additive_scores(queries, keys, W_q, W_k, w_v):
    from_query = torch.tanh(queries @ W_q.T)
    from_key = torch.tanh(keys @ W_k.T)
    features = from_query.unsqueeze(2) + from_key.unsqueeze(1)
    return (features @ w_v.T).squeeze(dim=-1)

# %% no tanh at all [torch]
import torch


def additive_scores(queries, keys, W_q, W_k, w_v):
    q = queries @ W_q.T
    k = keys @ W_k.T
    features = q.unsqueeze(2) + k.unsqueeze(1)
    return (features @ w_v.T).squeeze(-1)

# %% a third tanh round the two that were there [torch]
import torch


def additive_scores(queries, keys, W_q, W_k, w_v):
    q = torch.tanh(queries @ W_q.T)
    k = torch.tanh(keys @ W_k.T)
    features = torch.tanh(q.unsqueeze(2) + k.unsqueeze(1))
    return (features @ w_v.T).squeeze(dim=-1)

# %% the tanh is left on the query only [torch]
import torch
import torch.nn.functional as F


def additive_scores(queries, keys, W_q, W_k, w_v):
    q = F.linear(queries, W_q)[:, :, None, :]
    k = F.linear(keys, W_k)[:, None, :, :]
    hidden = torch.tanh(q) + k
    return torch.einsum("bqku,u->bqk", hidden, w_v[0])

# %% the tanh is left on the key only [torch]
import torch
import torch.nn.functional as F


def additive_scores(queries, keys, W_q, W_k, w_v):
    q = F.linear(queries, W_q)[:, :, None, :]
    k = F.linear(keys, W_k)[:, None, :, :]
    hidden = q + torch.tanh(k)
    return torch.einsum("bqku,u->bqk", hidden, w_v[0])

# %% the product of the two terms instead of their sum [torch]
import torch


def additive_scores(queries, keys, W_q, W_k, w_v):
    q = queries @ W_q.T
    k = keys @ W_k.T
    features = torch.tanh(q.unsqueeze(2) * k.unsqueeze(1))
    return (features @ w_v.T).squeeze(-1)

# %% the difference instead of the sum [torch]
import torch
import torch.nn.functional as F


def additive_scores(queries, keys, W_q, W_k, w_v):
    q = F.linear(queries, W_q)[:, :, None, :]
    k = F.linear(keys, W_k)[:, None, :, :]
    hidden = torch.tanh(q - k)
    return torch.einsum("bqku,u->bqk", hidden, w_v[0])

# %% tanh of the score instead of the features [torch]
import torch


def additive_scores(queries, keys, W_q, W_k, w_v):
    q = queries @ W_q.T
    k = keys @ W_k.T
    features = q.unsqueeze(2) + k.unsqueeze(1)
    return torch.tanh(features @ w_v.T).squeeze(-1)

# %% ReLU for tanh [torch]
import torch
import torch.nn.functional as F


def additive_scores(queries, keys, W_q, W_k, w_v):
    q = F.linear(queries, W_q)[:, :, None, :]
    k = F.linear(keys, W_k)[:, None, :, :]
    hidden = F.relu(q + k)
    return torch.einsum("bqku,u->bqk", hidden, w_v[0])

# %% sigmoid for tanh [torch]
import torch


def additive_scores(queries, keys, W_q, W_k, w_v):
    q = queries @ W_q.T
    k = keys @ W_k.T
    features = torch.sigmoid(q.unsqueeze(2) + k.unsqueeze(1))
    return (features @ w_v.T).squeeze(-1)

# %% features added up without w_v [torch]
import torch


def additive_scores(queries, keys, W_q, W_k, w_v):
    q = queries @ W_q.T
    k = keys @ W_k.T
    features = torch.tanh(q.unsqueeze(2) + k.unsqueeze(1))
    return features.sum(-1)

# %% keys by queries: the new axes are on the wrong sides [torch]
import torch
import torch.nn.functional as F


def additive_scores(queries, keys, W_q, W_k, w_v):
    q = F.linear(queries, W_q)[:, None, :, :]
    k = F.linear(keys, W_k)[:, :, None, :]
    hidden = torch.tanh(q + k)
    return torch.einsum("bqku,u->bqk", hidden, w_v[0])

# %% softmax over the keys included [torch]
import torch


def additive_scores(queries, keys, W_q, W_k, w_v):
    rows = []
    for i in range(queries.shape[1]):
        row = []
        for j in range(keys.shape[1]):
            h = torch.tanh(queries[:, i] @ W_q.T + keys[:, j] @ W_k.T)
            row.append((h @ w_v.T)[:, 0])
        rows.append(torch.stack(row, dim=1))
    return torch.stack(rows, dim=1).softmax(dim=-1)

# %% stacked the wrong way round: transposed scores [torch]
import torch


def additive_scores(queries, keys, W_q, W_k, w_v):
    rows = []
    for i in range(queries.shape[1]):
        row = []
        for j in range(keys.shape[1]):
            h = torch.tanh(queries[:, i] @ W_q.T + keys[:, j] @ W_k.T)
            row.append((h @ w_v.T)[:, 0])
        rows.append(torch.stack(row, dim=1))
    return torch.stack(rows, dim=2)

# %% the last axis of size one stays [torch]
import torch


def additive_scores(queries, keys, W_q, W_k, w_v):
    q = queries @ W_q.T
    k = keys @ W_k.T
    features = torch.tanh(q.unsqueeze(2) + k.unsqueeze(1))
    return (features @ w_v.T)

# %% the query's matrix is used for the keys too [torch]
import torch


def additive_scores(queries, keys, W_q, W_k, w_v):
    rows = []
    for i in range(queries.shape[1]):
        row = []
        for j in range(keys.shape[1]):
            h = torch.tanh(queries[:, i] @ W_q.T + keys[:, j] @ W_q.T)
            row.append((h @ w_v.T)[:, 0])
        rows.append(torch.stack(row, dim=1))
    return torch.stack(rows, dim=1)

# %% scaled by the root of the units, as the dot product is [torch]
import torch


def additive_scores(queries, keys, W_q, W_k, w_v):
    rows = []
    for i in range(queries.shape[1]):
        row = []
        for j in range(keys.shape[1]):
            h = torch.tanh(queries[:, i] @ W_q.T + keys[:, j] @ W_k.T)
            row.append((h @ w_v.T)[:, 0])
        rows.append(torch.stack(row, dim=1))
    return torch.stack(rows, dim=1) / W_q.shape[0] ** 0.5

# %% the query counts twice, once for each matrix [torch]
import torch


def additive_scores(queries, keys, W_q, W_k, w_v):
    rows = []
    for i in range(queries.shape[1]):
        row = []
        for j in range(keys.shape[1]):
            h = torch.tanh(queries[:, i] @ W_q.T + keys[:, i] @ W_k.T)
            row.append((h @ w_v.T)[:, 0])
        rows.append(torch.stack(row, dim=1))
    return torch.stack(rows, dim=1)

# %% the mean over the units [torch]
import torch
import torch.nn.functional as F


def additive_scores(queries, keys, W_q, W_k, w_v):
    q = F.linear(queries, W_q)[:, :, None, :]
    k = F.linear(keys, W_k)[:, None, :, :]
    hidden = torch.tanh(q + k)
    return (hidden * w_v[0]).mean(dim=-1)

# %% tanh of the sum, but the query's tanh left in [mxnet]
from mxnet import nd


def additive_scores(queries, keys, W_q, W_k, w_v):
    q = nd.dot(queries, W_q.T).tanh().expand_dims(2)
    k = nd.dot(keys, W_k.T).expand_dims(1)
    features = nd.tanh(nd.broadcast_add(q, k))
    return nd.dot(features, w_v.T).squeeze(axis=-1)

# %% no tanh [mxnet]
from mxnet import nd


def additive_scores(queries, keys, W_q, W_k, w_v):
    q = nd.dot(queries, W_q.T).expand_dims(2)
    k = nd.dot(keys, W_k.T).expand_dims(1)
    features = nd.broadcast_add(q, k)
    return nd.dot(features, w_v.T).squeeze(axis=-1)

# %% multiplies the terms [mxnet]
from mxnet import nd


def additive_scores(queries, keys, W_q, W_k, w_v):
    q = nd.dot(queries, W_q.T).expand_dims(2)
    k = nd.dot(keys, W_k.T).expand_dims(1)
    features = nd.tanh(nd.broadcast_mul(q, k))
    return nd.dot(features, w_v.T).squeeze(axis=-1)

# %% sum of tanh's as published, and w_v left out [mxnet]
from mxnet import nd


def additive_scores(queries, keys, W_q, W_k, w_v):
    q = nd.dot(queries, W_q.T).expand_dims(2)
    k = nd.dot(keys, W_k.T).expand_dims(1)
    features = nd.broadcast_add(q.tanh(), k.tanh())
    return features.sum(axis=-1)

# %% expands both on the same side [mxnet]
from mxnet import nd


def additive_scores(queries, keys, W_q, W_k, w_v):
    q = nd.dot(queries, W_q.T).expand_dims(1)
    k = nd.dot(keys, W_k.T).expand_dims(1)
    features = nd.tanh(nd.broadcast_add(q, k))
    return nd.dot(features, w_v.T).squeeze(axis=-1)

# %% concatenates query and key terms and folds w_v over both [torch]
import torch


def additive_scores(queries, keys, W_q, W_k, w_v):
    q = torch.tanh(queries @ W_q.T) @ w_v.T
    k = torch.tanh(keys @ W_k.T) @ w_v.T
    return q + k.transpose(1, 2)

# %% only the first query of each batch element is added [torch]
import torch


def additive_scores(queries, keys, W_q, W_k, w_v):
    q = (queries[:, :1] @ W_q.T).unsqueeze(2)
    k = (keys @ W_k.T).unsqueeze(1)
    scores = torch.tanh(q + k) @ w_v.T
    return scores.squeeze(-1).expand(-1, queries.shape[1], -1)

# %% the matrices are used the wrong way round, by a reshape [torch]
import torch


def additive_scores(queries, keys, W_q, W_k, w_v):
    q = queries @ W_q.reshape(queries.shape[-1], -1)
    k = keys @ W_k.reshape(keys.shape[-1], -1)
    hidden = torch.tanh(q[:, :, None] + k[:, None])
    return (hidden @ w_v.reshape(-1, 1))[..., 0]
