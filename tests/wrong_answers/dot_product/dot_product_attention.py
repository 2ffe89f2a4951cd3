# %% the scale is missing [torch]
import math

import torch
from solutions.masked_softmax.in_torch import masked_softmax


class DotProductAttention(torch.nn.Module):
    def __init__(self, dropout):
        super().__init__()
        self.dropout = torch.nn.Dropout(dropout)

    def forward(self, queries, keys, values, valid_length=None):
        d = queries.shape[-1]
        scores = torch.bmm(queries, keys.transpose(1, 2))
        self.attention_weights = masked_softmax(scores, valid_length)
        return torch.bmm(self.dropout(self.attention_weights), values)

# %% divides by d [torch]
import math

import torch
from solutions.masked_softmax.in_torch import masked_softmax


class DotProductAttention(torch.nn.Module):
    def __init__(self, dropout):
        super().__init__()
        self.dropout = torch.nn.Dropout(dropout)

    def forward(self, queries, keys, values, valid_length=None):
        d = queries.shape[-1]
        scores = torch.bmm(queries, keys.transpose(1, 2)) / d
        self.attention_weights = masked_softmax(scores, valid_length)
        return torch.bmm(self.dropout(self.attention_weights), values)

# %% root of the number of keys [torch]
import math

import torch
from solutions.masked_softmax.in_torch import masked_softmax


class DotProductAttention(torch.nn.Module):
    def __init__(self, dropout):
        super().__init__()
        self.dropout = torch.nn.Dropout(dropout)

    def forward(self, queries, keys, values, valid_length=None):
        d = keys.shape[1]
        scores = torch.bmm(queries, keys.transpose(1, 2)) / math.sqrt(d)
        self.attention_weights = masked_softmax(scores, valid_length)
        return torch.bmm(self.dropout(self.attention_weights), values)

# %% keeps the weights after dropout [torch]
import math

import torch
from solutions.masked_softmax.in_torch import masked_softmax


class DotProductAttention(torch.nn.Module):
    def __init__(self, dropout):
        super().__init__()
        self.dropout = torch.nn.Dropout(dropout)

    def forward(self, queries, keys, values, valid_length=None):
        d = queries.shape[-1]
        scores = torch.bmm(queries, keys.transpose(1, 2)) / math.sqrt(d)
        self.attention_weights = self.dropout(masked_softmax(scores, valid_length))
        return torch.bmm(self.attention_weights, values)

# %% dropout on the scores [torch]
import math

import torch
from solutions.masked_softmax.in_torch import masked_softmax


class DotProductAttention(torch.nn.Module):
    def __init__(self, dropout):
        super().__init__()
        self.dropout = torch.nn.Dropout(dropout)

    def forward(self, queries, keys, values, valid_length=None):
        d = queries.shape[-1]
        scores = self.dropout(torch.bmm(queries, keys.transpose(1, 2)) / math.sqrt(d))
        self.attention_weights = masked_softmax(scores, valid_length)
        return torch.bmm(self.attention_weights, values)

# %% dropout on the values [torch]
import math

import torch
from solutions.masked_softmax.in_torch import masked_softmax


class DotProductAttention(torch.nn.Module):
    def __init__(self, dropout):
        super().__init__()
        self.dropout = torch.nn.Dropout(dropout)

    def forward(self, queries, keys, values, valid_length=None):
        d = queries.shape[-1]
        scores = torch.bmm(queries, keys.transpose(1, 2)) / math.sqrt(d)
        self.attention_weights = masked_softmax(scores, valid_length)
        return torch.bmm(self.attention_weights, self.dropout(values))

# %% dropout on the context [torch]
import math

import torch
from solutions.masked_softmax.in_torch import masked_softmax


class DotProductAttention(torch.nn.Module):
    def __init__(self, dropout):
        super().__init__()
        self.dropout = torch.nn.Dropout(dropout)

    def forward(self, queries, keys, values, valid_length=None):
        d = queries.shape[-1]
        scores = torch.bmm(queries, keys.transpose(1, 2)) / math.sqrt(d)
        self.attention_weights = masked_softmax(scores, valid_length)
        return self.dropout(torch.bmm(self.attention_weights, values))

# %% no dropout [torch]
import math

import torch
from solutions.masked_softmax.in_torch import masked_softmax


class DotProductAttention(torch.nn.Module):
    def __init__(self, dropout):
        super().__init__()
        self.dropout = torch.nn.Dropout(dropout)

    def forward(self, queries, keys, values, valid_length=None):
        d = queries.shape[-1]
        scores = torch.bmm(queries, keys.transpose(1, 2)) / math.sqrt(d)
        self.attention_weights = masked_softmax(scores, valid_length)
        return torch.bmm(self.attention_weights, values)

# %% drops in evaluation too [torch]
import torch
import torch.nn as nn
import torch.nn.functional as F


class DotProductAttention(nn.Module):
    def __init__(self, dropout):
        super(DotProductAttention, self).__init__()
        self.p = dropout

    def forward(self, queries, keys, values, valid_length=None):
        e = torch.einsum("bqd,bkd->bqk", queries, keys)
        e = e * queries.size(2) ** -0.5
        if valid_length is not None:
            if valid_length.dim() == 1:
                lengths = valid_length.view(-1, 1, 1)
            else:
                lengths = valid_length.unsqueeze(2)
            pad = torch.arange(keys.size(1)).view(1, 1, -1) >= lengths
            e = e.masked_fill(pad, -1e9)
        alpha = F.softmax(e, dim=2)
        self.attention_weights = alpha
        alpha = F.dropout(alpha, self.p, training=True)
        return alpha @ values

# %% the valid length is ignored [torch]
import math

import torch
from solutions.masked_softmax.in_torch import masked_softmax


class DotProductAttention(torch.nn.Module):
    def __init__(self, dropout):
        super().__init__()
        self.dropout = torch.nn.Dropout(dropout)

    def forward(self, queries, keys, values, valid_length=None):
        d = queries.shape[-1]
        scores = torch.bmm(queries, keys.transpose(1, 2)) / math.sqrt(d)
        self.attention_weights = masked_softmax(scores, None)
        return torch.bmm(self.dropout(self.attention_weights), values)

# %% dropout gets the share to keep [torch]
import math

import torch
from solutions.masked_softmax.in_torch import masked_softmax


class DotProductAttention(torch.nn.Module):
    def __init__(self, dropout):
        super().__init__()
        self.dropout = torch.nn.Dropout(1 - dropout)

    def forward(self, queries, keys, values, valid_length=None):
        d = queries.shape[-1]
        scores = torch.bmm(queries, keys.transpose(1, 2)) / math.sqrt(d)
        self.attention_weights = masked_softmax(scores, valid_length)
        return torch.bmm(self.dropout(self.attention_weights), values)

# %% keeps the scores as attention_weights [torch]
import math

import torch
from solutions.masked_softmax.in_torch import masked_softmax


class DotProductAttention(torch.nn.Module):
    def __init__(self, dropout):
        super().__init__()
        self.dropout = torch.nn.Dropout(dropout)

    def forward(self, queries, keys, values, valid_length=None):
        d = queries.shape[-1]
        scores = torch.bmm(queries, keys.transpose(1, 2)) / math.sqrt(d)
        self.attention_weights = scores
        weights = masked_softmax(scores, valid_length)
        return torch.bmm(self.dropout(weights), values)

# %% weights are not kept [torch]
import torch
import torch.nn as nn
import torch.nn.functional as F


class DotProductAttention(nn.Module):
    def __init__(self, dropout):
        super(DotProductAttention, self).__init__()
        self.p = dropout

    def forward(self, queries, keys, values, valid_length=None):
        e = torch.einsum("bqd,bkd->bqk", queries, keys)
        e = e * queries.size(2) ** -0.5
        if valid_length is not None:
            if valid_length.dim() == 1:
                lengths = valid_length.view(-1, 1, 1)
            else:
                lengths = valid_length.unsqueeze(2)
            pad = torch.arange(keys.size(1)).view(1, 1, -1) >= lengths
            e = e.masked_fill(pad, -1e9)
        alpha = F.softmax(e, dim=2)
        alpha = F.dropout(alpha, self.p, training=self.training)
        return alpha @ values

# %% the weights are kept without their gradient and the context uses them [torch]
import math

import torch
from solutions.masked_softmax.in_torch import masked_softmax


class DotProductAttention(torch.nn.Module):
    def __init__(self, dropout):
        super().__init__()
        self.dropout = torch.nn.Dropout(dropout)

    def forward(self, queries, keys, values, valid_length=None):
        d = queries.shape[-1]
        scores = torch.bmm(queries, keys.transpose(1, 2)) / math.sqrt(d)
        self.attention_weights = masked_softmax(scores, valid_length).detach()
        return torch.bmm(self.dropout(self.attention_weights), values)

# %% multiplies the weights by the keys [torch]
import math

import torch
from solutions.masked_softmax.in_torch import masked_softmax


class DotProductAttention(torch.nn.Module):
    def __init__(self, dropout):
        super().__init__()
        self.dropout = torch.nn.Dropout(dropout)

    def forward(self, queries, keys, values, valid_length=None):
        d = queries.shape[-1]
        scores = torch.bmm(queries, keys.transpose(1, 2)) / math.sqrt(d)
        self.attention_weights = masked_softmax(scores, valid_length)
        return torch.bmm(self.dropout(self.attention_weights), keys)

# %% softmax over the queries [torch]
import torch
import torch.nn as nn
import torch.nn.functional as F


class DotProductAttention(nn.Module):
    def __init__(self, dropout):
        super(DotProductAttention, self).__init__()
        self.p = dropout

    def forward(self, queries, keys, values, valid_length=None):
        e = torch.einsum("bqd,bkd->bqk", queries, keys)
        e = e * queries.size(2) ** -0.5
        if valid_length is not None:
            if valid_length.dim() == 1:
                lengths = valid_length.view(-1, 1, 1)
            else:
                lengths = valid_length.unsqueeze(2)
            pad = torch.arange(keys.size(1)).view(1, 1, -1) >= lengths
            e = e.masked_fill(pad, -1e9)
        alpha = F.softmax(e, dim=1)
        self.attention_weights = alpha
        alpha = F.dropout(alpha, self.p, training=self.training)
        return alpha @ values

# %% the mask keeps one key too many [torch]
import torch
import torch.nn as nn
import torch.nn.functional as F


class DotProductAttention(nn.Module):
    def __init__(self, dropout):
        super(DotProductAttention, self).__init__()
        self.p = dropout

    def forward(self, queries, keys, values, valid_length=None):
        e = torch.einsum("bqd,bkd->bqk", queries, keys)
        e = e * queries.size(2) ** -0.5
        if valid_length is not None:
            if valid_length.dim() == 1:
                lengths = valid_length.view(-1, 1, 1)
            else:
                lengths = valid_length.unsqueeze(2)
            pad = torch.arange(keys.size(1)).view(1, 1, -1) > lengths
            e = e.masked_fill(pad, -1e9)
        alpha = F.softmax(e, dim=2)
        self.attention_weights = alpha
        alpha = F.dropout(alpha, self.p, training=self.training)
        return alpha @ values

# %% the mask is inverted [torch]
import torch
import torch.nn as nn
import torch.nn.functional as F


class DotProductAttention(nn.Module):
    def __init__(self, dropout):
        super(DotProductAttention, self).__init__()
        self.p = dropout

    def forward(self, queries, keys, values, valid_length=None):
        e = torch.einsum("bqd,bkd->bqk", queries, keys)
        e = e * queries.size(2) ** -0.5
        if valid_length is not None:
            if valid_length.dim() == 1:
                lengths = valid_length.view(-1, 1, 1)
            else:
                lengths = valid_length.unsqueeze(2)
            pad = torch.arange(keys.size(1)).view(1, 1, -1) < lengths
            e = e.masked_fill(pad, -1e9)
        alpha = F.softmax(e, dim=2)
        self.attention_weights = alpha
        alpha = F.dropout(alpha, self.p, training=self.training)
        return alpha @ values

# %% the mask comes before the scale and fills with a number too small [torch]
import torch
import torch.nn as nn
import torch.nn.functional as F


class DotProductAttention(nn.Module):
    def __init__(self, dropout):
        super(DotProductAttention, self).__init__()
        self.p = dropout

    def forward(self, queries, keys, values, valid_length=None):
        e = torch.einsum("bqd,bkd->bqk", queries, keys)
        if valid_length is not None:
            if valid_length.dim() == 1:
                lengths = valid_length.view(-1, 1, 1)
            else:
                lengths = valid_length.unsqueeze(2)
            pad = torch.arange(keys.size(1)).view(1, 1, -1) >= lengths
            e = e.masked_fill(pad, -5.0)
        e = e * queries.size(2) ** -0.5
        alpha = F.softmax(e, dim=2)
        self.attention_weights = alpha
        alpha = F.dropout(alpha, self.p, training=self.training)
        return alpha @ values

# %% returns context and weights [torch]
import math

import torch
from solutions.masked_softmax.in_torch import masked_softmax


class DotProductAttention(torch.nn.Module):
    def __init__(self, dropout):
        super().__init__()
        self.dropout = torch.nn.Dropout(dropout)

    def forward(self, queries, keys, values, valid_length=None):
        d = queries.shape[-1]
        scores = torch.bmm(queries, keys.transpose(1, 2)) / math.sqrt(d)
        self.attention_weights = masked_softmax(scores, valid_length)
        return torch.bmm(self.dropout(self.attention_weights), values), self.attention_weights

# %% zeros after the softmax, without normalising again [torch]
import torch
import torch.nn as nn
import torch.nn.functional as F


class DotProductAttention(nn.Module):
    def __init__(self, dropout):
        super(DotProductAttention, self).__init__()
        self.p = dropout

    def forward(self, queries, keys, values, valid_length=None):
        e = torch.einsum("bqd,bkd->bqk", queries, keys)
        e = e * queries.size(2) ** -0.5
        if valid_length is not None:
            if valid_length.dim() == 1:
                lengths = valid_length.view(-1, 1, 1)
            else:
                lengths = valid_length.unsqueeze(2)
            pad = torch.arange(keys.size(1)).view(1, 1, -1) >= lengths
            e = e.masked_fill(pad, 0.0)
        alpha = F.softmax(e, dim=2)
        self.attention_weights = alpha
        alpha = F.dropout(alpha, self.p, training=self.training)
        return alpha @ values

# %% no scale, and dropout before the weights are kept [torch]
import torch
import torch.nn as nn
import torch.nn.functional as F


class DotProductAttention(nn.Module):
    def __init__(self, dropout):
        super(DotProductAttention, self).__init__()
        self.p = dropout

    def forward(self, queries, keys, values, valid_length=None):
        e = torch.einsum("bqd,bkd->bqk", queries, keys)
        if valid_length is not None:
            if valid_length.dim() == 1:
                lengths = valid_length.view(-1, 1, 1)
            else:
                lengths = valid_length.unsqueeze(2)
            pad = torch.arange(keys.size(1)).view(1, 1, -1) >= lengths
            e = e.masked_fill(pad, -1e9)
        alpha = F.softmax(e, dim=2)
        alpha = F.dropout(alpha, self.p, training=self.training)
        self.attention_weights = alpha
        return alpha @ values

# %% the scale is missing [mxnet]
import math

from mxnet import gluon, nd
from solutions.masked_softmax.in_mxnet import masked_softmax


class DotProductAttention(gluon.nn.Block):
    def __init__(self, dropout):
        super().__init__()
        self.dropout = gluon.nn.Dropout(dropout)

    def forward(self, queries, keys, values, valid_length=None):
        d = queries.shape[-1]
        scores = nd.batch_dot(queries, keys, transpose_b=True)
        self.attention_weights = masked_softmax(scores, valid_length)
        return nd.batch_dot(self.dropout(self.attention_weights), values)

# %% keeps the dropped weights [mxnet]
import math

from mxnet import gluon, nd
from solutions.masked_softmax.in_mxnet import masked_softmax


class DotProductAttention(gluon.nn.Block):
    def __init__(self, dropout):
        super().__init__()
        self.dropout = gluon.nn.Dropout(dropout)

    def forward(self, queries, keys, values, valid_length=None):
        d = queries.shape[-1]
        scores = nd.batch_dot(queries, keys, transpose_b=True) / math.sqrt(d)
        self.attention_weights = self.dropout(masked_softmax(scores, valid_length))
        return nd.batch_dot(self.attention_weights, values)

# %% dropout on queries and keys [mxnet]
import math

from mxnet import gluon, nd
from solutions.masked_softmax.in_mxnet import masked_softmax


class DotProductAttention(gluon.nn.Block):
    def __init__(self, dropout):
        super().__init__()
        self.dropout = gluon.nn.Dropout(dropout)

    def forward(self, queries, keys, values, valid_length=None):
        d = queries.shape[-1]
        scores = nd.batch_dot(self.dropout(queries), self.dropout(keys), transpose_b=True) / math.sqrt(d)
        self.attention_weights = masked_softmax(scores, valid_length)
        return nd.batch_dot(self.attention_weights, values)

# %% reshapes the keys instead of transposing them [mxnet]
import math

from mxnet import gluon, nd
from solutions.masked_softmax.in_mxnet import masked_softmax


class DotProductAttention(gluon.nn.Block):
    def __init__(self, dropout):
        super().__init__()
        self.dropout = gluon.nn.Dropout(dropout)

    def forward(self, queries, keys, values, valid_length=None):
        d = queries.shape[-1]
        scores = nd.batch_dot(queries, keys.reshape((0, -1, keys.shape[1]))) / math.sqrt(d)
        self.attention_weights = masked_softmax(scores, valid_length)
        return nd.batch_dot(self.dropout(self.attention_weights), values)

# %% softmax without the mask [mxnet]
import math

from mxnet import gluon, nd
from solutions.masked_softmax.in_mxnet import masked_softmax


class DotProductAttention(gluon.nn.Block):
    def __init__(self, dropout):
        super().__init__()
        self.dropout = gluon.nn.Dropout(dropout)

    def forward(self, queries, keys, values, valid_length=None):
        d = queries.shape[-1]
        scores = nd.batch_dot(queries, keys, transpose_b=True) / math.sqrt(d)
        self.attention_weights = scores.softmax(axis=-1)
        return nd.batch_dot(self.dropout(self.attention_weights), values)

# %% dropout rate twice as high: dropout applied two times [mxnet]
import math

from mxnet import gluon, nd
from solutions.masked_softmax.in_mxnet import masked_softmax


class DotProductAttention(gluon.nn.Block):
    def __init__(self, dropout):
        super().__init__()
        self.dropout = gluon.nn.Dropout(dropout)

    def forward(self, queries, keys, values, valid_length=None):
        d = queries.shape[-1]
        scores = nd.batch_dot(queries, keys, transpose_b=True) / math.sqrt(d)
        self.attention_weights = masked_softmax(scores, valid_length)
        return nd.batch_dot(self.dropout(self.dropout(self.attention_weights)), values)

# %% the context is a sum over queries: weights transposed [torch]
import torch
import torch.nn as nn
import torch.nn.functional as F


class DotProductAttention(nn.Module):
    def __init__(self, dropout):
        super(DotProductAttention, self).__init__()
        self.p = dropout

    def forward(self, queries, keys, values, valid_length=None):
        e = torch.einsum("bqd,bkd->bqk", queries, keys)
        e = e * queries.size(2) ** -0.5
        if valid_length is not None:
            if valid_length.dim() == 1:
                lengths = valid_length.view(-1, 1, 1)
            else:
                lengths = valid_length.unsqueeze(2)
            pad = torch.arange(keys.size(1)).view(1, 1, -1) >= lengths
            e = e.masked_fill(pad, -1e9)
        alpha = F.softmax(e, dim=2)
        self.attention_weights = alpha
        alpha = F.dropout(alpha, self.p, training=self.training)
        return alpha.transpose(1, 2)[:, : queries.size(1), : keys.size(1)] @ values[:, : alpha.size(1)]

# %% the weights are kept as numpy [torch]
import math

import torch
from solutions.masked_softmax.in_torch import masked_softmax


class DotProductAttention(torch.nn.Module):
    def __init__(self, dropout):
        super().__init__()
        self.dropout = torch.nn.Dropout(dropout)

    def forward(self, queries, keys, values, valid_length=None):
        d = queries.shape[-1]
        scores = torch.bmm(queries, keys.transpose(1, 2)) / math.sqrt(d)
        self.attention_weights = masked_softmax(scores, valid_length)
        context = torch.bmm(self.dropout(self.attention_weights), values)
        self.attention_weights = self.attention_weights.detach().numpy()
        return context

# %% only the first query of each batch element attends [torch]
import torch
import torch.nn as nn
import torch.nn.functional as F


class DotProductAttention(nn.Module):
    def __init__(self, dropout):
        super(DotProductAttention, self).__init__()
        self.p = dropout

    def forward(self, queries, keys, values, valid_length=None):
        e = torch.einsum("bd,bkd->bk", queries[:, 0], keys).unsqueeze(1)
        e = e * queries.size(2) ** -0.5
        if valid_length is not None:
            if valid_length.dim() == 1:
                lengths = valid_length.view(-1, 1, 1)
            else:
                lengths = valid_length.unsqueeze(2)
            pad = torch.arange(keys.size(1)).view(1, 1, -1) >= lengths
            e = e.masked_fill(pad, -1e9)
        alpha = F.softmax(e, dim=2)
        self.attention_weights = alpha
        alpha = F.dropout(alpha, self.p, training=self.training)
        return alpha @ values

# %% dropout sets scores to minus infinity, so the rest is normalised again [torch]
import torch
import torch.nn as nn
import torch.nn.functional as F


class DotProductAttention(nn.Module):
    def __init__(self, dropout):
        super(DotProductAttention, self).__init__()
        self.p = dropout

    def forward(self, queries, keys, values, valid_length=None):
        e = torch.einsum("bqd,bkd->bqk", queries, keys)
        e = e * queries.size(2) ** -0.5
        if valid_length is not None:
            if valid_length.dim() == 1:
                lengths = valid_length.view(-1, 1, 1)
            else:
                lengths = valid_length.unsqueeze(2)
            pad = torch.arange(keys.size(1)).view(1, 1, -1) >= lengths
            e = e.masked_fill(pad, -1e9)
        gone = F.dropout(torch.ones_like(e), self.p, training=self.training) == 0
        alpha = F.softmax(e.masked_fill(gone, -1e9), dim=2)
        self.attention_weights = alpha
        return alpha @ values

# %% dropped weights are not made up for: the others are not divided by 1 - p [torch]
import torch
import torch.nn as nn
import torch.nn.functional as F


class DotProductAttention(nn.Module):
    def __init__(self, dropout):
        super(DotProductAttention, self).__init__()
        self.p = dropout

    def forward(self, queries, keys, values, valid_length=None):
        e = torch.einsum("bqd,bkd->bqk", queries, keys)
        e = e * queries.size(2) ** -0.5
        if valid_length is not None:
            if valid_length.dim() == 1:
                lengths = valid_length.view(-1, 1, 1)
            else:
                lengths = valid_length.unsqueeze(2)
            pad = torch.arange(keys.size(1)).view(1, 1, -1) >= lengths
            e = e.masked_fill(pad, -1e9)
        alpha = F.softmax(e, dim=2)
        self.attention_weights = alpha
        if self.training:
            alpha = alpha * (torch.rand_like(alpha) >= self.p)
        return alpha @ values
