# %% all positions are returned, also those beyond the source [torch]
import torch


class LocationScore(torch.nn.Module):
    def __init__(self, d, longest):
        super().__init__()
        self.W = torch.nn.Linear(d, longest, bias=False)

    def forward(self, queries, keys):
        scores = self.W(queries)
        return scores

# %% the last rows are taken, not the first [torch]
import torch


class LocationScore(torch.nn.Module):
    def __init__(self, d, longest):
        super().__init__()
        self.W = torch.nn.Linear(d, longest, bias=False)

    def forward(self, queries, keys):
        scores = self.W(queries)
        return scores[:, :, -keys.shape[1] :]

# %% one position too few [torch]
import torch


class LocationScore(torch.nn.Module):
    def __init__(self, d, longest):
        super().__init__()
        self.W = torch.nn.Linear(d, longest, bias=False)

    def forward(self, queries, keys):
        scores = self.W(queries)
        return scores[:, :, : keys.shape[1] - 1]

# %% cut to the number of queries [torch]
import torch


class LocationScore(torch.nn.Module):
    def __init__(self, d, longest):
        super().__init__()
        self.W = torch.nn.Linear(d, longest, bias=False)

    def forward(self, queries, keys):
        scores = self.W(queries)
        return scores[:, :, : queries.shape[1]]

# %% cut on the axis of the queries [torch]
import torch


class LocationScore(torch.nn.Module):
    def __init__(self, d, longest):
        super().__init__()
        self.W = torch.nn.Linear(d, longest, bias=False)

    def forward(self, queries, keys):
        scores = self.W(queries)
        return scores[:, : keys.shape[1], :]

# %% a bias [torch]
import torch


class LocationScore(torch.nn.Module):
    def __init__(self, d, longest):
        super().__init__()
        self.W = torch.nn.Linear(d, longest, bias=True)

    def forward(self, queries, keys):
        scores = self.W(queries)
        return scores[:, :, : keys.shape[1]]

# %% applied to the keys [torch]
import torch


class LocationScore(torch.nn.Module):
    def __init__(self, d, longest):
        super().__init__()
        self.W = torch.nn.Linear(d, longest, bias=False)

    def forward(self, queries, keys):
        K = self.W(keys)[:, :, : queries.shape[1]]
        return K.transpose(1, 2)

# %% multiplied by the dot product: the keys count again [torch]
import torch


class LocationScore(torch.nn.Module):
    def __init__(self, d, longest):
        super().__init__()
        self.W = torch.nn.Linear(d, longest, bias=False)

    def forward(self, queries, keys):
        scores = self.W(queries)
        return scores[:, :, : keys.shape[1]] * torch.bmm(queries, keys.transpose(1, 2))

# %% softmax included, over all positions before the cut [torch]
import torch


class LocationScore(torch.nn.Module):
    def __init__(self, d, longest):
        super().__init__()
        self.W = torch.nn.Linear(d, longest, bias=False)

    def forward(self, queries, keys):
        scores = self.W(queries).softmax(dim=-1)
        return scores[:, :, : keys.shape[1]]

# %% softmax included, after the cut [torch]
import torch


class LocationScore(torch.nn.Module):
    def __init__(self, d, longest):
        super().__init__()
        self.W = torch.nn.Linear(d, longest, bias=False)

    def forward(self, queries, keys):
        scores = self.W(queries)
        return scores[:, :, : keys.shape[1]].softmax(dim=-1)

# %% tanh of the score [torch]
import torch
from torch import nn


class LocationScore(nn.Module):
    def __init__(self, d, longest):
        super().__init__()
        self.W = nn.Linear(d, longest, bias=False)

    def forward(self, queries, keys):
        n = keys.size(1)
        W = self.W.weight[:n]  # (num_keys, d)
        return torch.tanh(torch.einsum("bqd,nd->bqn", queries, W))

# %% the score is that of the query's own position, the same for all keys [torch]
import torch


class LocationScore(torch.nn.Module):
    def __init__(self, d, longest):
        super().__init__()
        self.W = torch.nn.Linear(d, longest, bias=False)

    def forward(self, queries, keys):
        scores = self.W(queries)
        m = queries.shape[1]
        own = torch.diagonal(scores[:, :, :m], dim1=1, dim2=2)
        return own.unsqueeze(2).expand(-1, -1, keys.shape[1])

# %% scaled by the root of d [torch]
import torch
from torch import nn


class LocationScore(nn.Module):
    def __init__(self, d, longest):
        super().__init__()
        self.W = nn.Linear(d, longest, bias=False)

    def forward(self, queries, keys):
        n = keys.size(1)
        W = self.W.weight[:n]  # (num_keys, d)
        return torch.einsum("bqd,nd->bqn", queries, W) / queries.size(-1) ** 0.5

# %% W has a row for each feature and a column for each position [torch]
import torch


class LocationScore(torch.nn.Module):
    def __init__(self, d, longest):
        super().__init__()
        self.W = torch.nn.Linear(longest, d, bias=False)

    def forward(self, queries, keys):
        scores = queries @ self.W.weight
        return scores[:, :, : keys.shape[1]]

# %% the scores beyond the source are set to zero but stay [torch]
import torch


class LocationScore(torch.nn.Module):
    def __init__(self, d, longest):
        super().__init__()
        self.W = torch.nn.Linear(d, longest, bias=False)

    def forward(self, queries, keys):
        scores = self.W(queries)
        mask = torch.arange(scores.shape[-1]) < keys.shape[1]
        return scores * mask

# %% only the first query is asked [torch]
import torch
from torch import nn


class LocationScore(nn.Module):
    def __init__(self, d, longest):
        super().__init__()
        self.W = nn.Linear(d, longest, bias=False)

    def forward(self, queries, keys):
        n = keys.size(1)
        W = self.W.weight[:n]  # (num_keys, d)
        return torch.einsum("bd,nd->bn", queries[:, 0], W)

# %% the weights are cut off from the gradient [torch]
import torch
from torch import nn


class LocationScore(nn.Module):
    def __init__(self, d, longest):
        super().__init__()
        self.W = nn.Linear(d, longest, bias=False)

    def forward(self, queries, keys):
        n = keys.size(1)
        W = self.W.weight.data[:n]  # (num_keys, d)
        return torch.einsum("bqd,nd->bqn", queries, W)

# %% the result is transposed, positions by queries [torch]
import torch
from torch import nn


class LocationScore(nn.Module):
    def __init__(self, d, longest):
        super().__init__()
        self.W = nn.Linear(d, longest, bias=False)

    def forward(self, queries, keys):
        n = keys.size(1)
        W = self.W.weight[:n]  # (num_keys, d)
        return torch.einsum("bqd,nd->bnq", queries, W)

# %% all positions are returned [mxnet]
from mxnet import gluon, nd


class LocationScore(gluon.Block):
    def __init__(self, d, longest):
        super().__init__()
        self.W = gluon.nn.Dense(longest, in_units=d, use_bias=False, flatten=False)

    def forward(self, queries, keys):
        scores = self.W(queries)
        return scores

# %% a bias [mxnet]
from mxnet import gluon, nd


class LocationScore(gluon.Block):
    def __init__(self, d, longest):
        super().__init__()
        self.W = gluon.nn.Dense(longest, in_units=d,  flatten=False)

    def forward(self, queries, keys):
        scores = self.W(queries)
        return scores[:, :, : keys.shape[1]]

# %% flatten left at its default [mxnet]
from mxnet import gluon, nd


class LocationScore(gluon.Block):
    def __init__(self, d, longest):
        super().__init__()
        self.W = gluon.nn.Dense(longest, in_units=d, use_bias=False)

    def forward(self, queries, keys):
        scores = self.W(queries)
        return scores[:, :, : keys.shape[1]]

# %% the number of features instead of that of keys [mxnet]
from mxnet import gluon, nd


class LocationScore(gluon.Block):
    def __init__(self, d, longest):
        super().__init__()
        self.W = gluon.nn.Dense(longest, in_units=d, use_bias=False, flatten=False)

    def forward(self, queries, keys):
        scores = self.W(queries)
        return scores[:, :, : keys.shape[2]]

# %% a bias, and softmax [mxnet]
from mxnet import gluon, nd


class LocationScore(gluon.Block):
    def __init__(self, d, longest):
        super().__init__()
        self.W = gluon.nn.Dense(longest, in_units=d,  flatten=False)

    def forward(self, queries, keys):
        scores = self.W(queries)
        return scores[:, :, : keys.shape[1]].softmax(axis=-1)

# %% the score depends on the key's position times the query's mean [torch]
import torch


class LocationScore(torch.nn.Module):
    def __init__(self, d, longest):
        super().__init__()
        self.W = torch.nn.Linear(d, longest, bias=False)

    def forward(self, queries, keys):
        pooled = self.W(queries.mean(dim=1, keepdim=True))
        return pooled[:, :, : keys.shape[1]].expand(-1, queries.shape[1], -1)

# %% the rows of W are embeddings of positions, compared with the keys [torch]
import torch


class LocationScore(torch.nn.Module):
    def __init__(self, d, longest):
        super().__init__()
        self.W = torch.nn.Linear(d, longest, bias=False)

    def forward(self, queries, keys):
        places = self.W.weight[: keys.shape[1]]
        return torch.einsum("bqd,bkd->bqk", queries, keys + places)
