# %% not causal: the sums run over all tokens [torch]
import torch
import torch.nn.functional as F


def linear_attention(queries, keys, values):
    q = F.elu(queries) + 1
    k = F.elu(keys) + 1
    S = torch.bmm(k.transpose(1, 2), values)
    z = k.sum(dim=1, keepdim=True)
    return torch.bmm(q, S) / (q * z).sum(-1, keepdim=True)

# %% the division by the sum of the products is missing [torch]
import torch
import torch.nn.functional as F


def linear_attention(queries, keys, values):
    q = F.elu(queries) + 1
    k = F.elu(keys) + 1
    weights = torch.tril(q @ k.transpose(1, 2))
    return weights @ values

# %% the softmax of the products, as in ordinary attention [torch]
import torch
import torch.nn.functional as F


def linear_attention(queries, keys, values):
    q = F.elu(queries) + 1
    k = F.elu(keys) + 1
    scores = q @ k.transpose(1, 2)
    n = scores.shape[1]
    later = torch.ones(n, n).triu(1).bool()
    return scores.masked_fill(later, -1e6).softmax(-1) @ values

# %% elu without the 1 [torch]
import torch
import torch.nn.functional as F


def linear_attention(queries, keys, values):
    q, k = F.elu(queries), F.elu(keys)
    weights = torch.tril(q @ k.transpose(1, 2))
    return weights @ values / weights.sum(-1, keepdim=True)

# %% relu instead of elu [torch]
import torch


def linear_attention(queries, keys, values):
    q, k = torch.relu(queries) + 1, torch.relu(keys) + 1
    weights = torch.tril(q @ k.transpose(1, 2))
    return weights @ values / weights.sum(-1, keepdim=True)

# %% phi on the keys only [torch]
import torch
import torch.nn.functional as F


def linear_attention(queries, keys, values):
    k = F.elu(keys) + 1
    weights = torch.tril(queries @ k.transpose(1, 2))
    return weights @ values / weights.sum(-1, keepdim=True)

# %% read before write: a token does not see itself, and the first one is 0 / 0 [torch]
import torch
import torch.nn.functional as F


def linear_attention(queries, keys, values):
    b, n, d = queries.shape
    q, k = F.elu(queries) + 1, F.elu(keys) + 1
    S = torch.zeros(b, d, values.shape[-1])
    z = torch.zeros(b, d)
    out = []
    for t in range(n):
        top = torch.einsum("bd,bdv->bv", q[:, t], S)
        bottom = (q[:, t] * z).sum(-1, keepdim=True)
        out.append(top / (bottom + 1e-6))
        S = S + k[:, t, :, None] * values[:, t, None, :]
        z = z + k[:, t]
    return torch.stack(out, dim=1)

# %% phi on the values as well [torch]
import torch
import torch.nn.functional as F


def linear_attention(queries, keys, values):
    q, k, v = (F.elu(x) + 1 for x in (queries, keys, values))
    weights = torch.tril(q @ k.transpose(1, 2))
    return weights @ v / weights.sum(-1, keepdim=True)

# %% divided by the number of keys instead of the sum [torch]
import torch
import torch.nn.functional as F


def linear_attention(queries, keys, values):
    n = queries.shape[1]
    q, k = F.elu(queries) + 1, F.elu(keys) + 1
    weights = torch.tril(q @ k.transpose(1, 2))
    count = torch.arange(1, n + 1).view(1, n, 1)
    return weights @ values / count

# %% the features of the product instead of the product of the features [torch]
import torch
import torch.nn.functional as F


def linear_attention(queries, keys, values):
    scores = queries @ keys.transpose(1, 2)
    weights = torch.tril(F.elu(scores) + 1)
    return weights @ values / weights.sum(-1, keepdim=True)

# %% scaled by the root of d_k before phi [torch]
import torch
import torch.nn.functional as F


def linear_attention(queries, keys, values):
    d = queries.shape[-1]
    q, k = F.elu(queries / d**0.5) + 1, F.elu(keys) + 1
    weights = torch.tril(q @ k.transpose(1, 2))
    return weights @ values / weights.sum(-1, keepdim=True)

# %% S is overwritten, not added to [torch]
import torch
import torch.nn.functional as F


def linear_attention(queries, keys, values):
    q, k = F.elu(queries) + 1, F.elu(keys) + 1
    z = 0
    out = []
    for t in range(queries.shape[1]):
        S = k[:, t].unsqueeze(2) * values[:, t].unsqueeze(1)
        z = z + k[:, t]
        num = (q[:, t].unsqueeze(2) * S).sum(1)
        out.append(num / (q[:, t] * z).sum(1, keepdim=True))
    return torch.stack(out, 1)

# %% z is the sum of all keys, S only of those so far [torch]
import torch
import torch.nn.functional as F


def linear_attention(queries, keys, values):
    q, k = F.elu(queries) + 1, F.elu(keys) + 1
    S = (k.unsqueeze(3) * values.unsqueeze(2)).cumsum(dim=1)
    z = k.sum(dim=1, keepdim=True)
    num = (q.unsqueeze(3) * S).sum(2)
    return num / (q * z).sum(-1, keepdim=True)

# %% the sums are cumulated over the batch axis [torch]
import torch
import torch.nn.functional as F


def linear_attention(queries, keys, values):
    q, k = F.elu(queries) + 1, F.elu(keys) + 1
    S = torch.cumsum(k.unsqueeze(3) * values.unsqueeze(2), dim=0)
    z = torch.cumsum(k, dim=0)
    num = torch.einsum("bnd,bndv->bnv", q, S)
    return num / (q * z).sum(-1, keepdim=True)

# %% exp where elu + 1 is asked for [torch]
import torch


def linear_attention(queries, keys, values):
    q, k = queries.exp(), keys.exp()
    weights = torch.tril(q @ k.transpose(1, 2))
    return weights @ values / weights.sum(dim=-1, keepdim=True)

# %% the raw keys add up in z [torch]
import torch
import torch.nn.functional as F


def linear_attention(queries, keys, values):
    q, k = F.elu(queries) + 1, F.elu(keys) + 1
    S = z = 0
    out = []
    for t in range(queries.shape[1]):
        S = S + torch.einsum("bd,bv->bdv", k[:, t], values[:, t])
        z = z + keys[:, t]
        num = torch.einsum("bd,bdv->bv", q[:, t], S)
        out.append(num / (q[:, t] * z).sum(-1, keepdim=True))
    return torch.stack(out, dim=1)

# %% S is written in place and the same array is kept: an error in backward [torch]
import torch
import torch.nn.functional as F


def linear_attention(queries, keys, values):
    b, n, d = queries.shape
    q, k = F.elu(queries) + 1, F.elu(keys) + 1
    S = torch.zeros(b, d, values.shape[-1])
    z = torch.zeros(b, d)
    out = []
    for t in range(n):
        S += k[:, t].unsqueeze(2) * values[:, t].unsqueeze(1)
        z += k[:, t]
        num = torch.bmm(q[:, t : t + 1], S).squeeze(1)
        out.append(num / (q[:, t] * z).sum(-1, keepdim=True))
    return torch.stack(out, dim=1)

# %% the total is not q times z but the sum of z [mxnet]
from mxnet import nd


def linear_attention(queries, keys, values):
    q = nd.LeakyReLU(queries, act_type="elu", slope=1.0) + 1
    k = nd.LeakyReLU(keys, act_type="elu", slope=1.0) + 1
    S, z, out = 0, 0, []
    for t in range(queries.shape[1]):
        S = S + nd.batch_dot(k[:, t : t + 1], values[:, t : t + 1], transpose_a=True)
        z = z + k[:, t : t + 1]
        out.append(nd.batch_dot(q[:, t : t + 1], S) / z.sum(axis=2, keepdims=True))
    return nd.concat(*out, dim=1)

# %% LeakyReLU's elu with its default slope of 0.25 [mxnet]
from mxnet import nd


def linear_attention(queries, keys, values):
    q = nd.LeakyReLU(queries, act_type="elu") + 1
    k = nd.LeakyReLU(keys, act_type="elu") + 1
    S, z, out = 0, 0, []
    for t in range(queries.shape[1]):
        S = S + nd.batch_dot(k[:, t : t + 1], values[:, t : t + 1], transpose_a=True)
        z = z + k[:, t : t + 1]
        total = (q[:, t : t + 1] * z).sum(axis=2, keepdims=True)
        out.append(nd.batch_dot(q[:, t : t + 1], S) / total)
    return nd.concat(*out, dim=1)

# %% each step's context is divided, then added up [mxnet]
from mxnet import nd


def linear_attention(queries, keys, values):
    q = nd.LeakyReLU(queries, act_type="elu", slope=1.0) + 1
    k = nd.LeakyReLU(keys, act_type="elu", slope=1.0) + 1
    out, context, z = [], 0, 0
    for t in range(queries.shape[1]):
        now = slice(t, t + 1)
        z = z + k[:, now]
        weight = (q[:, now] * k[:, now]).sum(axis=2, keepdims=True)
        total = (q[:, now] * z).sum(axis=2, keepdims=True)
        context = context + weight * values[:, now] / total
        out.append(context)
    return nd.concat(*out, dim=1)
