# %% key first, then query [torch]
import torch


class LuongConcat(torch.nn.Module):
    def __init__(self, d_q, d_k, units):
        super().__init__()
        self.W_a = torch.nn.Linear(d_q + d_k, units, bias=False)
        self.v_a = torch.nn.Linear(units, 1, bias=False)

    def forward(self, queries, keys):
        num_queries, num_keys = queries.shape[1], keys.shape[1]
        q = queries.unsqueeze(2).repeat(1, 1, num_keys, 1)
        k = keys.unsqueeze(1).repeat(1, num_queries, 1, 1)
        pairs = torch.cat([k, q], dim=-1)
        return self.v_a(torch.tanh(self.W_a(pairs))).squeeze(-1)

# %% no tanh [torch]
import torch


class LuongConcat(torch.nn.Module):
    def __init__(self, d_q, d_k, units):
        super().__init__()
        self.W_a = torch.nn.Linear(d_q + d_k, units, bias=False)
        self.v_a = torch.nn.Linear(units, 1, bias=False)

    def forward(self, queries, keys):
        num_queries, num_keys = queries.shape[1], keys.shape[1]
        q = queries.unsqueeze(2).repeat(1, 1, num_keys, 1)
        k = keys.unsqueeze(1).repeat(1, num_queries, 1, 1)
        pairs = torch.cat([q, k], dim=-1)
        return self.v_a(self.W_a(pairs)).squeeze(-1)

# %% ReLU for tanh [torch]
import torch
from torch import nn


class LuongConcat(nn.Module):
    def __init__(self, d_q, d_k, units):
        super().__init__()
        self.W_a = nn.Linear(d_q + d_k, units, bias=False)
        self.v_a = nn.Linear(units, 1, bias=False)

    def forward(self, queries, keys):
        columns = []
        for j in range(keys.size(1)):
            key = keys[:, j : j + 1].expand(-1, queries.size(1), -1)
            both = torch.cat((queries, key), dim=2)
            h = torch.relu(self.W_a(both))
            columns.append(self.v_a(h))
        return torch.cat(columns, dim=2)

# %% tanh after v_a too [torch]
import torch


class LuongConcat(torch.nn.Module):
    def __init__(self, d_q, d_k, units):
        super().__init__()
        self.W_a = torch.nn.Linear(d_q + d_k, units, bias=False)
        self.v_a = torch.nn.Linear(units, 1, bias=False)

    def forward(self, queries, keys):
        num_queries, num_keys = queries.shape[1], keys.shape[1]
        q = queries.unsqueeze(2).repeat(1, 1, num_keys, 1)
        k = keys.unsqueeze(1).repeat(1, num_queries, 1, 1)
        pairs = torch.cat([q, k], dim=-1)
        return torch.tanh(self.v_a(torch.tanh(self.W_a(pairs)))).squeeze(-1)

# %% tanh after v_a, none before [torch]
import torch


class LuongConcat(torch.nn.Module):
    def __init__(self, d_q, d_k, units):
        super().__init__()
        self.W_a = torch.nn.Linear(d_q + d_k, units, bias=False)
        self.v_a = torch.nn.Linear(units, 1, bias=False)

    def forward(self, queries, keys):
        num_queries, num_keys = queries.shape[1], keys.shape[1]
        q = queries.unsqueeze(2).repeat(1, 1, num_keys, 1)
        k = keys.unsqueeze(1).repeat(1, num_queries, 1, 1)
        pairs = torch.cat([q, k], dim=-1)
        return torch.tanh(self.v_a(self.W_a(pairs))).squeeze(-1)

# %% the first layer has a bias [torch]
import torch


class LuongConcat(torch.nn.Module):
    def __init__(self, d_q, d_k, units):
        super().__init__()
        self.W_a = torch.nn.Linear(d_q + d_k, units)
        self.v_a = torch.nn.Linear(units, 1, bias=False)

    def forward(self, queries, keys):
        num_queries, num_keys = queries.shape[1], keys.shape[1]
        q = queries.unsqueeze(2).repeat(1, 1, num_keys, 1)
        k = keys.unsqueeze(1).repeat(1, num_queries, 1, 1)
        pairs = torch.cat([q, k], dim=-1)
        return self.v_a(torch.tanh(self.W_a(pairs))).squeeze(-1)

# %% the second layer has a bias [torch]
import torch


class LuongConcat(torch.nn.Module):
    def __init__(self, d_q, d_k, units):
        super().__init__()
        self.W_a = torch.nn.Linear(d_q + d_k, units, bias=False)
        self.v_a = torch.nn.Linear(units, 1)

    def forward(self, queries, keys):
        num_queries, num_keys = queries.shape[1], keys.shape[1]
        q = queries.unsqueeze(2).repeat(1, 1, num_keys, 1)
        k = keys.unsqueeze(1).repeat(1, num_queries, 1, 1)
        pairs = torch.cat([q, k], dim=-1)
        return self.v_a(torch.tanh(self.W_a(pairs))).squeeze(-1)

# %% v_a left out: sum over the units [torch]
import torch


class LuongConcat(torch.nn.Module):
    def __init__(self, d_q, d_k, units):
        super().__init__()
        self.W_a = torch.nn.Linear(d_q + d_k, units, bias=False)
        self.v_a = torch.nn.Linear(units, 1, bias=False)

    def forward(self, queries, keys):
        num_queries, num_keys = queries.shape[1], keys.shape[1]
        q = queries.unsqueeze(2).repeat(1, 1, num_keys, 1)
        k = keys.unsqueeze(1).repeat(1, num_queries, 1, 1)
        pairs = torch.cat([q, k], dim=-1)
        return torch.tanh(self.W_a(pairs)).sum(dim=-1)

# %% last axis stays [torch]
import torch


class LuongConcat(torch.nn.Module):
    def __init__(self, d_q, d_k, units):
        super().__init__()
        self.W_a = torch.nn.Linear(d_q + d_k, units, bias=False)
        self.v_a = torch.nn.Linear(units, 1, bias=False)

    def forward(self, queries, keys):
        num_queries, num_keys = queries.shape[1], keys.shape[1]
        q = queries.unsqueeze(2).repeat(1, 1, num_keys, 1)
        k = keys.unsqueeze(1).repeat(1, num_queries, 1, 1)
        pairs = torch.cat([q, k], dim=-1)
        return self.v_a(torch.tanh(self.W_a(pairs)))

# %% softmax over the keys included [torch]
import torch
from torch import nn


class LuongConcat(nn.Module):
    def __init__(self, d_q, d_k, units):
        super().__init__()
        self.W_a = nn.Linear(d_q + d_k, units, bias=False)
        self.v_a = nn.Linear(units, 1, bias=False)

    def forward(self, queries, keys):
        columns = []
        for j in range(keys.size(1)):
            key = keys[:, j : j + 1].expand(-1, queries.size(1), -1)
            both = torch.cat((queries, key), dim=2)
            h = torch.tanh(self.W_a(both))
            columns.append(self.v_a(h))
        return torch.cat(columns, dim=2).softmax(dim=2)

# %% each query meets only the key of its own position [torch]
import torch


class LuongConcat(torch.nn.Module):
    def __init__(self, d_q, d_k, units):
        super().__init__()
        self.W_a = torch.nn.Linear(d_q + d_k, units, bias=False)
        self.v_a = torch.nn.Linear(units, 1, bias=False)

    def forward(self, queries, keys):
        both = torch.cat([queries, keys], dim=-1)
        return self.v_a(torch.tanh(self.W_a(both))).squeeze(-1)

# %% the keys are pooled to their mean first [torch]
import torch
from torch import nn


class LuongConcat(nn.Module):
    def __init__(self, d_q, d_k, units):
        super().__init__()
        self.W_a = nn.Linear(d_q + d_k, units, bias=False)
        self.v_a = nn.Linear(units, 1, bias=False)

    def forward(self, queries, keys):
        columns = []
        for j in range(keys.size(1)):
            key = keys.mean(dim=1, keepdim=True).expand(-1, queries.size(1), -1)
            both = torch.cat((queries, key), dim=2)
            h = torch.tanh(self.W_a(both))
            columns.append(self.v_a(h))
        return torch.cat(columns, dim=2)

# %% keys by queries [torch]
import torch


class LuongConcat(torch.nn.Module):
    def __init__(self, d_q, d_k, units):
        super().__init__()
        self.W_a = torch.nn.Linear(d_q + d_k, units, bias=False)
        self.v_a = torch.nn.Linear(units, 1, bias=False)

    def forward(self, queries, keys):
        num_queries, num_keys = queries.shape[1], keys.shape[1]
        q = queries.unsqueeze(2).repeat(1, 1, num_keys, 1)
        k = keys.unsqueeze(1).repeat(1, num_queries, 1, 1)
        pairs = torch.cat([q, k], dim=-1)
        return self.v_a(torch.tanh(self.W_a(pairs))).squeeze(-1).transpose(1, 2)

# %% the pairs are laid out by a reshape that mixes queries and keys [torch]
import torch


class LuongConcat(torch.nn.Module):
    def __init__(self, d_q, d_k, units):
        super().__init__()
        self.W_a = torch.nn.Linear(d_q + d_k, units, bias=False)
        self.v_a = torch.nn.Linear(units, 1, bias=False)

    def forward(self, queries, keys):
        num_queries, num_keys = queries.shape[1], keys.shape[1]
        q = queries.repeat(1, num_keys, 1).reshape(-1, num_queries, num_keys, queries.shape[2])
        k = keys.unsqueeze(1).repeat(1, num_queries, 1, 1)
        pairs = torch.cat([q, k], dim=-1)
        return self.v_a(torch.tanh(self.W_a(pairs))).squeeze(-1)

# %% tanh of the inputs before W_a [torch]
import torch


class LuongConcat(torch.nn.Module):
    def __init__(self, d_q, d_k, units):
        super().__init__()
        self.W_a = torch.nn.Linear(d_q + d_k, units, bias=False)
        self.v_a = torch.nn.Linear(units, 1, bias=False)

    def forward(self, queries, keys):
        num_queries, num_keys = queries.shape[1], keys.shape[1]
        q = queries.unsqueeze(2).repeat(1, 1, num_keys, 1)
        k = keys.unsqueeze(1).repeat(1, num_queries, 1, 1)
        pairs = torch.cat([q, k], dim=-1)
        return self.v_a(self.W_a(torch.tanh(pairs))).squeeze(-1)

# %% ReLU and a bias in the first layer [torch]
import torch
from torch import nn


class LuongConcat(nn.Module):
    def __init__(self, d_q, d_k, units):
        super().__init__()
        self.W_a = nn.Linear(d_q + d_k, units)
        self.v_a = nn.Linear(units, 1, bias=False)

    def forward(self, queries, keys):
        columns = []
        for j in range(keys.size(1)):
            key = keys[:, j : j + 1].expand(-1, queries.size(1), -1)
            both = torch.cat((queries, key), dim=2)
            h = torch.relu(self.W_a(both))
            columns.append(self.v_a(h))
        return torch.cat(columns, dim=2)

# %% queries cut off from the gradient [torch]
import torch


class LuongConcat(torch.nn.Module):
    def __init__(self, d_q, d_k, units):
        super().__init__()
        self.W_a = torch.nn.Linear(d_q + d_k, units, bias=False)
        self.v_a = torch.nn.Linear(units, 1, bias=False)

    def forward(self, queries, keys):
        num_queries, num_keys = queries.shape[1], keys.shape[1]
        q = queries.detach().unsqueeze(2).repeat(1, 1, num_keys, 1)
        k = keys.unsqueeze(1).repeat(1, num_queries, 1, 1)
        pairs = torch.cat([q, k], dim=-1)
        return self.v_a(torch.tanh(self.W_a(pairs))).squeeze(-1)

# %% key first, then query [mxnet]
from mxnet import gluon, nd


class LuongConcat(gluon.Block):
    def __init__(self, d_q, d_k, units):
        super().__init__()
        self.W_a = gluon.nn.Dense(units, in_units=d_q + d_k, use_bias=False, flatten=False)
        self.v_a = gluon.nn.Dense(1, in_units=units, use_bias=False, flatten=False)

    def forward(self, queries, keys):
        m, n = queries.shape[1], keys.shape[1]
        q = nd.repeat(queries.expand_dims(2), n, axis=2)
        k = nd.repeat(keys.expand_dims(1), m, axis=1)
        h = nd.tanh(self.W_a(nd.concat(k, q, dim=3)))
        return self.v_a(h).squeeze(axis=3)

# %% no tanh [mxnet]
from mxnet import gluon, nd


class LuongConcat(gluon.Block):
    def __init__(self, d_q, d_k, units):
        super().__init__()
        self.W_a = gluon.nn.Dense(units, in_units=d_q + d_k, use_bias=False, flatten=False)
        self.v_a = gluon.nn.Dense(1, in_units=units, use_bias=False, flatten=False)

    def forward(self, queries, keys):
        m, n = queries.shape[1], keys.shape[1]
        q = nd.repeat(queries.expand_dims(2), n, axis=2)
        k = nd.repeat(keys.expand_dims(1), m, axis=1)
        h = self.W_a(nd.concat(q, k, dim=3))
        return self.v_a(h).squeeze(axis=3)

# %% sigmoid for tanh [mxnet]
from mxnet import gluon, nd


class LuongConcat(gluon.Block):
    def __init__(self, d_q, d_k, units):
        super().__init__()
        self.W_a = gluon.nn.Dense(units, in_units=d_q + d_k, use_bias=False, flatten=False)
        self.v_a = gluon.nn.Dense(1, in_units=units, use_bias=False, flatten=False)

    def forward(self, queries, keys):
        m, n = queries.shape[1], keys.shape[1]
        q = nd.repeat(queries.expand_dims(2), n, axis=2)
        k = nd.repeat(keys.expand_dims(1), m, axis=1)
        h = nd.sigmoid(self.W_a(nd.concat(q, k, dim=3)))
        return self.v_a(h).squeeze(axis=3)

# %% tile where repeat is meant: queries lose their rows [mxnet]
from mxnet import gluon, nd


class LuongConcat(gluon.Block):
    def __init__(self, d_q, d_k, units):
        super().__init__()
        self.W_a = gluon.nn.Dense(units, in_units=d_q + d_k, use_bias=False, flatten=False)
        self.v_a = gluon.nn.Dense(1, in_units=units, use_bias=False, flatten=False)

    def forward(self, queries, keys):
        m, n = queries.shape[1], keys.shape[1]
        q = nd.tile(queries, (1, n, 1)).reshape((queries.shape[0], m, n, -1))
        k = nd.repeat(keys.expand_dims(1), m, axis=1)
        h = nd.tanh(self.W_a(nd.concat(q, k, dim=3)))
        return self.v_a(h).squeeze(axis=3)

# %% scaled by the root of the width [mxnet]
from mxnet import gluon, nd


class LuongConcat(gluon.Block):
    def __init__(self, d_q, d_k, units):
        super().__init__()
        self.W_a = gluon.nn.Dense(units, in_units=d_q + d_k, use_bias=False, flatten=False)
        self.v_a = gluon.nn.Dense(1, in_units=units, use_bias=False, flatten=False)

    def forward(self, queries, keys):
        m, n = queries.shape[1], keys.shape[1]
        q = nd.repeat(queries.expand_dims(2), n, axis=2)
        k = nd.repeat(keys.expand_dims(1), m, axis=1)
        h = nd.tanh(self.W_a(nd.concat(q, k, dim=3)))
        return self.v_a(h).squeeze(axis=3) / (queries.shape[2] + keys.shape[2]) ** 0.5

# %% W_a split in two, the query's part for the key [torch]
import torch
from torch import nn


class LuongConcat(nn.Module):
    def __init__(self, d_q, d_k, units):
        super().__init__()
        self.d_q, self.d_k = d_q, d_k
        self.W_a = nn.Linear(d_q + d_k, units, bias=False)
        self.v_a = nn.Linear(units, 1, bias=False)

    def forward(self, queries, keys):
        W = self.W_a.weight
        q = queries @ W[:, self.d_k :].T
        k = keys @ W[:, : self.d_k].T
        return self.v_a((q[:, :, None] + k[:, None]).tanh())[..., 0]

# %% a tanh for each half [torch]
import torch
from torch import nn


class LuongConcat(nn.Module):
    def __init__(self, d_q, d_k, units):
        super().__init__()
        self.d_q = d_q
        self.W_a = nn.Linear(d_q + d_k, units, bias=False)
        self.v_a = nn.Linear(units, 1, bias=False)

    def forward(self, queries, keys):
        Wq, Wk = self.W_a.weight[:, : self.d_q], self.W_a.weight[:, self.d_q :]
        q = torch.tanh(queries @ Wq.T).unsqueeze(2)
        k = torch.tanh(keys @ Wk.T).unsqueeze(1)
        return self.v_a(q + k).squeeze(-1)
