# %% no tanh [torch]
import torch
from torch import nn
from solutions.masked_softmax.in_torch import masked_softmax


class AdditiveAttention(nn.Module):
    def __init__(self, units, dropout):
        super().__init__()
        self.W_q = nn.LazyLinear(units, bias=False)
        self.W_k = nn.LazyLinear(units, bias=False)
        self.w_v = nn.LazyLinear(1, bias=False)
        self.dropout = nn.Dropout(dropout)

    def forward(self, queries, keys, values, valid_length=None):
        queries, keys = self.W_q(queries), self.W_k(keys)
        features = queries.unsqueeze(2) + keys.unsqueeze(1)
        scores = self.w_v(features).squeeze(-1)
        self.attention_weights = masked_softmax(scores, valid_length)
        return torch.bmm(self.dropout(self.attention_weights), values)

# %% tanh before the addition [torch]
import torch
from torch import nn
from solutions.masked_softmax.in_torch import masked_softmax


class AdditiveAttention(nn.Module):
    def __init__(self, units, dropout):
        super().__init__()
        self.W_q = nn.LazyLinear(units, bias=False)
        self.W_k = nn.LazyLinear(units, bias=False)
        self.w_v = nn.LazyLinear(1, bias=False)
        self.dropout = nn.Dropout(dropout)

    def forward(self, queries, keys, values, valid_length=None):
        queries, keys = self.W_q(queries), self.W_k(keys)
        features = torch.tanh(queries.unsqueeze(2)) + torch.tanh(keys.unsqueeze(1))
        scores = self.w_v(features).squeeze(-1)
        self.attention_weights = masked_softmax(scores, valid_length)
        return torch.bmm(self.dropout(self.attention_weights), values)

# %% ReLU for tanh [torch]
import torch
from torch import nn
from solutions.masked_softmax.in_torch import masked_softmax


class AdditiveAttention(nn.Module):
    def __init__(self, units, dropout):
        super().__init__()
        self.W_q = nn.LazyLinear(units, bias=False)
        self.W_k = nn.LazyLinear(units, bias=False)
        self.w_v = nn.LazyLinear(1, bias=False)
        self.dropout = nn.Dropout(dropout)

    def forward(self, queries, keys, values, valid_length=None):
        queries, keys = self.W_q(queries), self.W_k(keys)
        features = torch.relu(queries.unsqueeze(2) + keys.unsqueeze(1))
        scores = self.w_v(features).squeeze(-1)
        self.attention_weights = masked_softmax(scores, valid_length)
        return torch.bmm(self.dropout(self.attention_weights), values)

# %% multiplies query and key [torch]
import torch
from torch import nn
from solutions.masked_softmax.in_torch import masked_softmax


class AdditiveAttention(nn.Module):
    def __init__(self, units, dropout):
        super().__init__()
        self.W_q = nn.LazyLinear(units, bias=False)
        self.W_k = nn.LazyLinear(units, bias=False)
        self.w_v = nn.LazyLinear(1, bias=False)
        self.dropout = nn.Dropout(dropout)

    def forward(self, queries, keys, values, valid_length=None):
        queries, keys = self.W_q(queries), self.W_k(keys)
        features = torch.tanh(queries.unsqueeze(2) * keys.unsqueeze(1))
        scores = self.w_v(features).squeeze(-1)
        self.attention_weights = masked_softmax(scores, valid_length)
        return torch.bmm(self.dropout(self.attention_weights), values)

# %% the layers have a bias [torch]
import torch
from torch import nn
from solutions.masked_softmax.in_torch import masked_softmax


class AdditiveAttention(nn.Module):
    def __init__(self, units, dropout):
        super().__init__()
        self.W_q = nn.LazyLinear(units)
        self.W_k = nn.LazyLinear(units)
        self.w_v = nn.LazyLinear(1, bias=False)
        self.dropout = nn.Dropout(dropout)

    def forward(self, queries, keys, values, valid_length=None):
        queries, keys = self.W_q(queries), self.W_k(keys)
        features = torch.tanh(queries.unsqueeze(2) + keys.unsqueeze(1))
        scores = self.w_v(features).squeeze(-1)
        self.attention_weights = masked_softmax(scores, valid_length)
        return torch.bmm(self.dropout(self.attention_weights), values)

# %% w_v is left out: the features are summed [torch]
import torch
from torch import nn
from solutions.masked_softmax.in_torch import masked_softmax


class AdditiveAttention(nn.Module):
    def __init__(self, units, dropout):
        super().__init__()
        self.W_q = nn.LazyLinear(units, bias=False)
        self.W_k = nn.LazyLinear(units, bias=False)
        self.w_v = nn.LazyLinear(1, bias=False)
        self.dropout = nn.Dropout(dropout)

    def forward(self, queries, keys, values, valid_length=None):
        queries, keys = self.W_q(queries), self.W_k(keys)
        features = torch.tanh(queries.unsqueeze(2) + keys.unsqueeze(1))
        scores = features.sum(dim=-1)
        self.attention_weights = masked_softmax(scores, valid_length)
        return torch.bmm(self.dropout(self.attention_weights), values)

# %% one matrix for queries and keys [torch]
import torch
from torch import nn
from solutions.masked_softmax.in_torch import masked_softmax


class AdditiveAttention(nn.Module):
    def __init__(self, units, dropout):
        super().__init__()
        self.W_q = nn.LazyLinear(units, bias=False)
        self.W_k = nn.LazyLinear(units, bias=False)
        self.w_v = nn.LazyLinear(1, bias=False)
        self.dropout = nn.Dropout(dropout)

    def forward(self, queries, keys, values, valid_length=None):
        queries, keys = self.W_q(queries), self.W_q(keys)
        features = torch.tanh(queries.unsqueeze(2) + keys.unsqueeze(1))
        scores = self.w_v(features).squeeze(-1)
        self.attention_weights = masked_softmax(scores, valid_length)
        return torch.bmm(self.dropout(self.attention_weights), values)

# %% the two matrices are interchanged [torch]
import torch
from torch import nn
from solutions.masked_softmax.in_torch import masked_softmax


class AdditiveAttention(nn.Module):
    def __init__(self, units, dropout):
        super().__init__()
        self.W_q = nn.LazyLinear(units, bias=False)
        self.W_k = nn.LazyLinear(units, bias=False)
        self.w_v = nn.LazyLinear(1, bias=False)
        self.dropout = nn.Dropout(dropout)

    def forward(self, queries, keys, values, valid_length=None):
        queries, keys = self.W_k(queries), self.W_q(keys)
        features = torch.tanh(queries.unsqueeze(2) + keys.unsqueeze(1))
        scores = self.w_v(features).squeeze(-1)
        self.attention_weights = masked_softmax(scores, valid_length)
        return torch.bmm(self.dropout(self.attention_weights), values)

# %% keeps the weights after dropout [torch]
import torch
from torch import nn
from solutions.masked_softmax.in_torch import masked_softmax


class AdditiveAttention(nn.Module):
    def __init__(self, units, dropout):
        super().__init__()
        self.W_q = nn.LazyLinear(units, bias=False)
        self.W_k = nn.LazyLinear(units, bias=False)
        self.w_v = nn.LazyLinear(1, bias=False)
        self.dropout = nn.Dropout(dropout)

    def forward(self, queries, keys, values, valid_length=None):
        queries, keys = self.W_q(queries), self.W_k(keys)
        features = torch.tanh(queries.unsqueeze(2) + keys.unsqueeze(1))
        scores = self.w_v(features).squeeze(-1)
        self.attention_weights = self.dropout(masked_softmax(scores, valid_length))
        return torch.bmm(self.attention_weights, values)

# %% dropout on the features [torch]
import torch
from torch import nn
from solutions.masked_softmax.in_torch import masked_softmax


class AdditiveAttention(nn.Module):
    def __init__(self, units, dropout):
        super().__init__()
        self.W_q = nn.LazyLinear(units, bias=False)
        self.W_k = nn.LazyLinear(units, bias=False)
        self.w_v = nn.LazyLinear(1, bias=False)
        self.dropout = nn.Dropout(dropout)

    def forward(self, queries, keys, values, valid_length=None):
        queries, keys = self.W_q(queries), self.W_k(keys)
        features = self.dropout(torch.tanh(queries.unsqueeze(2) + keys.unsqueeze(1)))
        scores = self.w_v(features).squeeze(-1)
        self.attention_weights = masked_softmax(scores, valid_length)
        return torch.bmm(self.attention_weights, values)

# %% no dropout [torch]
import torch
from torch import nn
from solutions.masked_softmax.in_torch import masked_softmax


class AdditiveAttention(nn.Module):
    def __init__(self, units, dropout):
        super().__init__()
        self.W_q = nn.LazyLinear(units, bias=False)
        self.W_k = nn.LazyLinear(units, bias=False)
        self.w_v = nn.LazyLinear(1, bias=False)
        self.dropout = nn.Dropout(dropout)

    def forward(self, queries, keys, values, valid_length=None):
        queries, keys = self.W_q(queries), self.W_k(keys)
        features = torch.tanh(queries.unsqueeze(2) + keys.unsqueeze(1))
        scores = self.w_v(features).squeeze(-1)
        self.attention_weights = masked_softmax(scores, valid_length)
        return torch.bmm(self.attention_weights, values)

# %% the valid length is ignored [torch]
import torch
from torch import nn
from solutions.masked_softmax.in_torch import masked_softmax


class AdditiveAttention(nn.Module):
    def __init__(self, units, dropout):
        super().__init__()
        self.W_q = nn.LazyLinear(units, bias=False)
        self.W_k = nn.LazyLinear(units, bias=False)
        self.w_v = nn.LazyLinear(1, bias=False)
        self.dropout = nn.Dropout(dropout)

    def forward(self, queries, keys, values, valid_length=None):
        queries, keys = self.W_q(queries), self.W_k(keys)
        features = torch.tanh(queries.unsqueeze(2) + keys.unsqueeze(1))
        scores = self.w_v(features).squeeze(-1)
        self.attention_weights = torch.softmax(scores, dim=-1)
        return torch.bmm(self.dropout(self.attention_weights), values)

# %% softmax over the queries, with the mask after it [torch]
import torch
from torch import nn
from solutions.masked_softmax.in_torch import masked_softmax


class AdditiveAttention(nn.Module):
    def __init__(self, units, dropout):
        super().__init__()
        self.W_q = nn.LazyLinear(units, bias=False)
        self.W_k = nn.LazyLinear(units, bias=False)
        self.w_v = nn.LazyLinear(1, bias=False)
        self.dropout = nn.Dropout(dropout)

    def forward(self, queries, keys, values, valid_length=None):
        queries, keys = self.W_q(queries), self.W_k(keys)
        features = torch.tanh(queries.unsqueeze(2) + keys.unsqueeze(1))
        scores = self.w_v(features).squeeze(-1)
        self.attention_weights = torch.softmax(scores, dim=1)
        return torch.bmm(self.dropout(self.attention_weights), values)

# %% scores divided by the root of the units [torch]
import torch
from torch import nn
from solutions.masked_softmax.in_torch import masked_softmax


class AdditiveAttention(nn.Module):
    def __init__(self, units, dropout):
        super().__init__()
        self.W_q = nn.LazyLinear(units, bias=False)
        self.W_k = nn.LazyLinear(units, bias=False)
        self.w_v = nn.LazyLinear(1, bias=False)
        self.dropout = nn.Dropout(dropout)

    def forward(self, queries, keys, values, valid_length=None):
        queries, keys = self.W_q(queries), self.W_k(keys)
        features = torch.tanh(queries.unsqueeze(2) + keys.unsqueeze(1))
        scores = self.w_v(features).squeeze(-1) / features.shape[-1] ** 0.5
        self.attention_weights = masked_softmax(scores, valid_length)
        return torch.bmm(self.dropout(self.attention_weights), values)

# %% tanh of the scores too [torch]
import torch
from torch import nn
from solutions.masked_softmax.in_torch import masked_softmax


class AdditiveAttention(nn.Module):
    def __init__(self, units, dropout):
        super().__init__()
        self.W_q = nn.LazyLinear(units, bias=False)
        self.W_k = nn.LazyLinear(units, bias=False)
        self.w_v = nn.LazyLinear(1, bias=False)
        self.dropout = nn.Dropout(dropout)

    def forward(self, queries, keys, values, valid_length=None):
        queries, keys = self.W_q(queries), self.W_k(keys)
        features = torch.tanh(queries.unsqueeze(2) + keys.unsqueeze(1))
        scores = torch.tanh(self.w_v(features)).squeeze(-1)
        self.attention_weights = masked_softmax(scores, valid_length)
        return torch.bmm(self.dropout(self.attention_weights), values)

# %% sums the projected keys instead of the values [torch]
import torch
from torch import nn
from solutions.masked_softmax.in_torch import masked_softmax


class AdditiveAttention(nn.Module):
    def __init__(self, units, dropout):
        super().__init__()
        self.W_q = nn.LazyLinear(units, bias=False)
        self.W_k = nn.LazyLinear(units, bias=False)
        self.w_v = nn.LazyLinear(1, bias=False)
        self.dropout = nn.Dropout(dropout)

    def forward(self, queries, keys, values, valid_length=None):
        queries, keys = self.W_q(queries), self.W_k(keys)
        features = torch.tanh(queries.unsqueeze(2) + keys.unsqueeze(1))
        scores = self.w_v(features).squeeze(-1)
        self.attention_weights = masked_softmax(scores, valid_length)
        return torch.bmm(self.dropout(self.attention_weights), keys)

# %% the weights are computed without gradient [torch]
import torch
from torch import nn
from solutions.masked_softmax.in_torch import masked_softmax


class AdditiveAttention(nn.Module):
    def __init__(self, units, dropout):
        super().__init__()
        self.W_q = nn.LazyLinear(units, bias=False)
        self.W_k = nn.LazyLinear(units, bias=False)
        self.w_v = nn.LazyLinear(1, bias=False)
        self.dropout = nn.Dropout(dropout)

    def forward(self, queries, keys, values, valid_length=None):
        queries, keys = self.W_q(queries), self.W_k(keys)
        features = torch.tanh(queries.unsqueeze(2) + keys.unsqueeze(1))
        scores = self.w_v(features).squeeze(-1)
        self.attention_weights = masked_softmax(scores, valid_length)
        self.attention_weights = self.attention_weights.detach()
        return torch.bmm(self.dropout(self.attention_weights), values)

# %% the difference of query and key [torch]
import torch
from torch import nn
from solutions.masked_softmax.in_torch import masked_softmax


class AdditiveAttention(nn.Module):
    def __init__(self, units, dropout):
        super().__init__()
        self.W_q = nn.LazyLinear(units, bias=False)
        self.W_k = nn.LazyLinear(units, bias=False)
        self.w_v = nn.LazyLinear(1, bias=False)
        self.dropout = nn.Dropout(dropout)

    def forward(self, queries, keys, values, valid_length=None):
        queries, keys = self.W_q(queries), self.W_k(keys)
        features = torch.tanh(queries.unsqueeze(2) - keys.unsqueeze(1))
        scores = self.w_v(features).squeeze(-1)
        self.attention_weights = masked_softmax(scores, valid_length)
        return torch.bmm(self.dropout(self.attention_weights), values)

# %% the context is divided by the number of keys [torch]
import torch
from torch import nn
from solutions.masked_softmax.in_torch import masked_softmax


class AdditiveAttention(nn.Module):
    def __init__(self, units, dropout):
        super().__init__()
        self.W_q = nn.LazyLinear(units, bias=False)
        self.W_k = nn.LazyLinear(units, bias=False)
        self.w_v = nn.LazyLinear(1, bias=False)
        self.dropout = nn.Dropout(dropout)

    def forward(self, queries, keys, values, valid_length=None):
        queries, keys = self.W_q(queries), self.W_k(keys)
        features = torch.tanh(queries.unsqueeze(2) + keys.unsqueeze(1))
        scores = self.w_v(features).squeeze(-1)
        self.attention_weights = masked_softmax(scores, valid_length)
        return torch.bmm(self.dropout(self.attention_weights), values) / values.shape[1]

# %% tanh before the addition, and the mask forgotten [torch]
import torch
from torch import nn
from solutions.masked_softmax.in_torch import masked_softmax


class AdditiveAttention(nn.Module):
    def __init__(self, units, dropout):
        super().__init__()
        self.W_q = nn.LazyLinear(units, bias=False)
        self.W_k = nn.LazyLinear(units, bias=False)
        self.w_v = nn.LazyLinear(1, bias=False)
        self.dropout = nn.Dropout(dropout)

    def forward(self, queries, keys, values, valid_length=None):
        queries, keys = self.W_q(queries), self.W_k(keys)
        features = torch.tanh(queries).unsqueeze(2) + torch.tanh(keys).unsqueeze(1)
        scores = self.w_v(features).squeeze(-1)
        self.attention_weights = masked_softmax(scores, None)
        return torch.bmm(self.dropout(self.attention_weights), values)

# %% attention_weights holds the scores [torch]
import torch
from torch import nn
from solutions.masked_softmax.in_torch import masked_softmax


class AdditiveAttention(nn.Module):
    def __init__(self, units, dropout):
        super().__init__()
        self.W_q = nn.LazyLinear(units, bias=False)
        self.W_k = nn.LazyLinear(units, bias=False)
        self.w_v = nn.LazyLinear(1, bias=False)
        self.dropout = nn.Dropout(dropout)

    def forward(self, queries, keys, values, valid_length=None):
        queries, keys = self.W_q(queries), self.W_k(keys)
        features = torch.tanh(queries.unsqueeze(2) + keys.unsqueeze(1))
        scores = self.w_v(features).squeeze(-1)
        self.attention_weights = scores
        return torch.bmm(self.dropout(masked_softmax(scores, valid_length)), values)

# %% flatten is left at its default, true [mxnet]
from mxnet import gluon, nd
from solutions.masked_softmax.in_mxnet import masked_softmax


class AdditiveAttention(gluon.nn.Block):
    def __init__(self, units, dropout):
        super().__init__()
        self.W_q = gluon.nn.Dense(units, use_bias=False)
        self.W_k = gluon.nn.Dense(units, use_bias=False)
        self.w_v = gluon.nn.Dense(1, use_bias=False)
        self.dropout = gluon.nn.Dropout(dropout)

    def forward(self, queries, keys, values, valid_length=None):
        q = self.W_q(queries).expand_dims(2)
        k = self.W_k(keys).expand_dims(1)
        scores = self.w_v(nd.tanh(nd.broadcast_add(q, k))).squeeze(axis=-1)
        self.attention_weights = masked_softmax(scores, valid_length)
        return nd.batch_dot(self.dropout(self.attention_weights), values)

# %% the layers have a bias [mxnet]
from mxnet import gluon, nd
from solutions.masked_softmax.in_mxnet import masked_softmax


class AdditiveAttention(gluon.nn.Block):
    def __init__(self, units, dropout):
        super().__init__()
        self.W_q = gluon.nn.Dense(units, flatten=False)
        self.W_k = gluon.nn.Dense(units, flatten=False)
        self.w_v = gluon.nn.Dense(1, flatten=False)
        self.dropout = gluon.nn.Dropout(dropout)

    def forward(self, queries, keys, values, valid_length=None):
        q = self.W_q(queries).expand_dims(2)
        k = self.W_k(keys).expand_dims(1)
        scores = self.w_v(nd.tanh(nd.broadcast_add(q, k))).squeeze(axis=-1)
        self.attention_weights = masked_softmax(scores, valid_length)
        return nd.batch_dot(self.dropout(self.attention_weights), values)

# %% no tanh [mxnet]
from mxnet import gluon, nd
from solutions.masked_softmax.in_mxnet import masked_softmax


class AdditiveAttention(gluon.nn.Block):
    def __init__(self, units, dropout):
        super().__init__()
        self.W_q = gluon.nn.Dense(units, use_bias=False, flatten=False)
        self.W_k = gluon.nn.Dense(units, use_bias=False, flatten=False)
        self.w_v = gluon.nn.Dense(1, use_bias=False, flatten=False)
        self.dropout = gluon.nn.Dropout(dropout)

    def forward(self, queries, keys, values, valid_length=None):
        q = self.W_q(queries).expand_dims(2)
        k = self.W_k(keys).expand_dims(1)
        scores = self.w_v(nd.broadcast_add(q, k)).squeeze(axis=-1)
        self.attention_weights = masked_softmax(scores, valid_length)
        return nd.batch_dot(self.dropout(self.attention_weights), values)

# %% sigmoid for tanh [mxnet]
from mxnet import gluon, nd
from solutions.masked_softmax.in_mxnet import masked_softmax


class AdditiveAttention(gluon.nn.Block):
    def __init__(self, units, dropout):
        super().__init__()
        self.W_q = gluon.nn.Dense(units, use_bias=False, flatten=False)
        self.W_k = gluon.nn.Dense(units, use_bias=False, flatten=False)
        self.w_v = gluon.nn.Dense(1, use_bias=False, flatten=False)
        self.dropout = gluon.nn.Dropout(dropout)

    def forward(self, queries, keys, values, valid_length=None):
        q = self.W_q(queries).expand_dims(2)
        k = self.W_k(keys).expand_dims(1)
        scores = self.w_v(nd.sigmoid(nd.broadcast_add(q, k))).squeeze(axis=-1)
        self.attention_weights = masked_softmax(scores, valid_length)
        return nd.batch_dot(self.dropout(self.attention_weights), values)

# %% mask after the softmax, on weights that are not divided again [mxnet]
from mxnet import gluon, nd
from solutions.masked_softmax.in_mxnet import masked_softmax


class AdditiveAttention(gluon.nn.Block):
    def __init__(self, units, dropout):
        super().__init__()
        self.W_q = gluon.nn.Dense(units, use_bias=False, flatten=False)
        self.W_k = gluon.nn.Dense(units, use_bias=False, flatten=False)
        self.w_v = gluon.nn.Dense(1, use_bias=False, flatten=False)
        self.dropout = gluon.nn.Dropout(dropout)

    def forward(self, queries, keys, values, valid_length=None):
        q = self.W_q(queries).expand_dims(2)
        k = self.W_k(keys).expand_dims(1)
        scores = self.w_v(nd.tanh(nd.broadcast_add(q, k))).squeeze(axis=-1)
        self.attention_weights = self._mask(scores.softmax(axis=-1), valid_length)
        return nd.batch_dot(self.dropout(self.attention_weights), values)

    def _mask(self, w, valid_length):
        if valid_length is None:
            return w
        if valid_length.ndim == 1:
            valid_length = valid_length.expand_dims(1)
        keys = nd.arange(w.shape[-1]).reshape((1, 1, -1))
        return nd.broadcast_mul(w, nd.broadcast_lesser(keys, valid_length.expand_dims(2)))

# %% dropout on the context [mxnet]
from mxnet import gluon, nd
from solutions.masked_softmax.in_mxnet import masked_softmax


class AdditiveAttention(gluon.nn.Block):
    def __init__(self, units, dropout):
        super().__init__()
        self.W_q = gluon.nn.Dense(units, use_bias=False, flatten=False)
        self.W_k = gluon.nn.Dense(units, use_bias=False, flatten=False)
        self.w_v = gluon.nn.Dense(1, use_bias=False, flatten=False)
        self.dropout = gluon.nn.Dropout(dropout)

    def forward(self, queries, keys, values, valid_length=None):
        q = self.W_q(queries).expand_dims(2)
        k = self.W_k(keys).expand_dims(1)
        scores = self.w_v(nd.tanh(nd.broadcast_add(q, k))).squeeze(axis=-1)
        self.attention_weights = masked_softmax(scores, valid_length)
        return self.dropout(nd.batch_dot(self.attention_weights, values))

# %% the layers are made anew in each call [torch]
import torch
from torch import nn
from solutions.masked_softmax.in_torch import masked_softmax


class AdditiveAttention(nn.Module):
    def __init__(self, units, dropout):
        super().__init__()
        self.W_q = nn.LazyLinear(units, bias=False)
        self.W_k = nn.LazyLinear(units, bias=False)
        self.w_v = nn.LazyLinear(1, bias=False)
        self.dropout = nn.Dropout(dropout)

    def forward(self, queries, keys, values, valid_length=None):
        units = self.w_v.in_features or 8
        queries = nn.Linear(queries.shape[-1], units, bias=False)(queries)
        keys = nn.Linear(keys.shape[-1], units, bias=False)(keys)
        features = torch.tanh(queries.unsqueeze(2) + keys.unsqueeze(1))
        scores = self.w_v(features).squeeze(-1)
        self.attention_weights = masked_softmax(scores, valid_length)
        return torch.bmm(self.dropout(self.attention_weights), values)

# %% the weight of a query's best key is rounded to one: argmax [torch]
import torch
from torch import nn
from solutions.masked_softmax.in_torch import masked_softmax


class AdditiveAttention(nn.Module):
    def __init__(self, units, dropout):
        super().__init__()
        self.W_q = nn.LazyLinear(units, bias=False)
        self.W_k = nn.LazyLinear(units, bias=False)
        self.w_v = nn.LazyLinear(1, bias=False)
        self.dropout = nn.Dropout(dropout)

    def forward(self, queries, keys, values, valid_length=None):
        queries, keys = self.W_q(queries), self.W_k(keys)
        features = torch.tanh(queries.unsqueeze(2) + keys.unsqueeze(1))
        scores = self.w_v(features).squeeze(-1)
        self.attention_weights = nn.functional.one_hot(masked_softmax(scores, valid_length).argmax(-1), keys.shape[1]).float()
        return torch.bmm(self.dropout(self.attention_weights), values)
