# %% the mask is inverted [torch]
import torch


class FeedForwardPooling(torch.nn.Module):
    def __init__(self, features):
        super().__init__()
        self.score = torch.nn.Linear(features, 1, bias=False)

    def forward(self, X, mask):
        scores = self.score(X).squeeze(-1)
        if mask is not None:
            scores = scores.masked_fill(mask, -1e9)
        weights = torch.softmax(scores, dim=1)
        if mask is not None:
            weights = weights * mask
        context = (weights.unsqueeze(2) * X).sum(dim=1)
        return context, weights

# %% the weights are masked after the softmax only [torch]
import torch


class FeedForwardPooling(torch.nn.Module):
    def __init__(self, features):
        super().__init__()
        self.score = torch.nn.Linear(features, 1, bias=False)

    def forward(self, X, mask):
        scores = self.score(X).squeeze(-1)
        if mask is not None:
            scores = scores
        weights = torch.softmax(scores, dim=1)
        if mask is not None:
            weights = weights * mask
        context = (weights.unsqueeze(2) * X).sum(dim=1)
        return context, weights

# %% a sequence without valid steps gets uniform weights [torch]
import torch


class FeedForwardPooling(torch.nn.Module):
    def __init__(self, features):
        super().__init__()
        self.score = torch.nn.Linear(features, 1, bias=False)

    def forward(self, X, mask):
        scores = self.score(X).squeeze(-1)
        if mask is not None:
            scores = scores.masked_fill(~mask, -1e9)
        weights = torch.softmax(scores, dim=1)
        if mask is not None:
            weights = weights
        context = (weights.unsqueeze(2) * X).sum(dim=1)
        return context, weights

# %% minus infinity: a sequence without valid steps is nan [torch]
import torch


class FeedForwardPooling(torch.nn.Module):
    def __init__(self, features):
        super().__init__()
        self.score = torch.nn.Linear(features, 1, bias=False)

    def forward(self, X, mask):
        scores = self.score(X).squeeze(-1)
        if mask is not None:
            scores = scores.masked_fill(~mask, float("-inf"))
        weights = torch.softmax(scores, dim=1)
        if mask is not None:
            weights = weights * mask
        context = (weights.unsqueeze(2) * X).sum(dim=1)
        return context, weights

# %% the mask is ignored [torch]
import torch
from torch import nn


class FeedForwardPooling(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.score = nn.Linear(features, 1, bias=False)

    def forward(self, X, mask=None):
        weights = self.score(X).softmax(dim=1)
        return (weights * X).sum(dim=1), weights.squeeze(2)

# %% a bias [torch]
import torch


class FeedForwardPooling(torch.nn.Module):
    def __init__(self, features):
        super().__init__()
        self.score = torch.nn.Linear(features, 1, bias=True)

    def forward(self, X, mask):
        scores = self.score(X).squeeze(-1)
        if mask is not None:
            scores = scores.masked_fill(~mask, -1e9)
        weights = torch.softmax(scores, dim=1)
        if mask is not None:
            weights = weights * mask
        context = (weights.unsqueeze(2) * X).sum(dim=1)
        return context, weights

# %% tanh of the scores [torch]
import torch
from torch import nn


class FeedForwardPooling(nn.Module):
    def __init__(self, features):
        super(FeedForwardPooling, self).__init__()
        self.score = nn.Linear(features, 1, bias=False)

    def forward(self, X, mask=None):
        e = torch.einsum("btf,f->bt", X, self.score.weight[0]).tanh()
        if mask is None:
            mask = torch.ones(X.shape[:2], dtype=torch.bool)
        top = e.masked_fill(~mask, -1e9).max(dim=1, keepdim=True).values
        a = torch.exp((e - top).masked_fill(~mask, 0)) * mask
        total = a.sum(dim=1, keepdim=True)
        a = a / torch.where(total > 0, total, torch.ones_like(total))
        return torch.einsum("bt,btf->bf", a, X), a

# %% masked steps keep a score of zero [torch]
import torch


class FeedForwardPooling(torch.nn.Module):
    def __init__(self, features):
        super().__init__()
        self.score = torch.nn.Linear(features, 1, bias=False)

    def forward(self, X, mask):
        scores = self.score(X).squeeze(-1)
        if mask is not None:
            scores = scores.masked_fill(~mask, 0.0)
        weights = torch.softmax(scores, dim=1)
        if mask is not None:
            weights = weights * mask
        context = (weights.unsqueeze(2) * X).sum(dim=1)
        return context, weights

# %% mean of the weighted steps [torch]
import torch


class FeedForwardPooling(torch.nn.Module):
    def __init__(self, features):
        super().__init__()
        self.score = torch.nn.Linear(features, 1, bias=False)

    def forward(self, X, mask):
        scores = self.score(X).squeeze(-1)
        if mask is not None:
            scores = scores.masked_fill(~mask, -1e9)
        weights = torch.softmax(scores, dim=1)
        if mask is not None:
            weights = weights * mask
        context = (weights.unsqueeze(2) * X).mean(dim=1)
        return context, weights

# %% exponentials not divided by their sum [torch]
import torch
from torch import nn


class FeedForwardPooling(nn.Module):
    def __init__(self, features):
        super(FeedForwardPooling, self).__init__()
        self.score = nn.Linear(features, 1, bias=False)

    def forward(self, X, mask=None):
        e = torch.einsum("btf,f->bt", X, self.score.weight[0])
        if mask is None:
            mask = torch.ones(X.shape[:2], dtype=torch.bool)
        top = e.masked_fill(~mask, -1e9).max(dim=1, keepdim=True).values
        a = torch.exp((e - top).masked_fill(~mask, 0)) * mask
        total = a.sum(dim=1, keepdim=True)
        return torch.einsum("bt,btf->bf", a, X), a

# %% divided by the number of valid steps instead of the sum [torch]
import torch
from torch import nn


class FeedForwardPooling(nn.Module):
    def __init__(self, features):
        super(FeedForwardPooling, self).__init__()
        self.score = nn.Linear(features, 1, bias=False)

    def forward(self, X, mask=None):
        e = torch.einsum("btf,f->bt", X, self.score.weight[0])
        if mask is None:
            mask = torch.ones(X.shape[:2], dtype=torch.bool)
        top = e.masked_fill(~mask, -1e9).max(dim=1, keepdim=True).values
        a = torch.exp((e - top).masked_fill(~mask, 0)) * mask
        total = mask.sum(dim=1, keepdim=True).float()
        a = a / torch.where(total > 0, total, torch.ones_like(total))
        return torch.einsum("bt,btf->bf", a, X), a

# %% softmax over the batch [torch]
import torch


class FeedForwardPooling(torch.nn.Module):
    def __init__(self, features):
        super().__init__()
        self.score = torch.nn.Linear(features, 1, bias=False)

    def forward(self, X, mask):
        scores = self.score(X).squeeze(-1)
        if mask is not None:
            scores = scores.masked_fill(~mask, -1e9)
        weights = torch.softmax(scores, dim=0)
        if mask is not None:
            weights = weights * mask
        context = (weights.unsqueeze(2) * X).sum(dim=1)
        return context, weights

# %% only the context [torch]
import torch


class FeedForwardPooling(torch.nn.Module):
    def __init__(self, features):
        super().__init__()
        self.score = torch.nn.Linear(features, 1, bias=False)

    def forward(self, X, mask):
        scores = self.score(X).squeeze(-1)
        if mask is not None:
            scores = scores.masked_fill(~mask, -1e9)
        weights = torch.softmax(scores, dim=1)
        if mask is not None:
            weights = weights * mask
        context = (weights.unsqueeze(2) * X).sum(dim=1)
        return context

# %% the weights keep an axis of size one [torch]
import torch


class FeedForwardPooling(torch.nn.Module):
    def __init__(self, features):
        super().__init__()
        self.score = torch.nn.Linear(features, 1, bias=False)

    def forward(self, X, mask):
        scores = self.score(X).squeeze(-1)
        if mask is not None:
            scores = scores.masked_fill(~mask, -1e9)
        weights = torch.softmax(scores, dim=1)
        if mask is not None:
            weights = weights * mask
        context = (weights.unsqueeze(2) * X).sum(dim=1)
        return context, weights.unsqueeze(-1)

# %% a score for each feature [torch]
import torch


class FeedForwardPooling(torch.nn.Module):
    def __init__(self, features):
        super().__init__()
        self.score = torch.nn.Linear(features, 1, bias=False)

    def forward(self, X, mask):
        scores = (X * self.score.weight[0]).mean(-1)
        if mask is not None:
            scores = scores.masked_fill(~mask, -1e9)
        weights = torch.softmax(scores, dim=1)
        if mask is not None:
            weights = weights * mask
        context = (weights.unsqueeze(2) * X).sum(dim=1)
        return context, weights

# %% sigmoid gates instead of a softmax [torch]
import torch


class FeedForwardPooling(torch.nn.Module):
    def __init__(self, features):
        super().__init__()
        self.score = torch.nn.Linear(features, 1, bias=False)

    def forward(self, X, mask):
        scores = self.score(X).squeeze(-1)
        if mask is not None:
            scores = scores.masked_fill(~mask, -1e9)
        weights = torch.sigmoid(scores)
        if mask is not None:
            weights = weights * mask
        context = (weights.unsqueeze(2) * X).sum(dim=1)
        return context, weights

# %% weights first, then context [torch]
import torch
from torch import nn


class FeedForwardPooling(nn.Module):
    def __init__(self, features):
        super(FeedForwardPooling, self).__init__()
        self.score = nn.Linear(features, 1, bias=False)

    def forward(self, X, mask=None):
        e = torch.einsum("btf,f->bt", X, self.score.weight[0])
        if mask is None:
            mask = torch.ones(X.shape[:2], dtype=torch.bool)
        top = e.masked_fill(~mask, -1e9).max(dim=1, keepdim=True).values
        a = torch.exp((e - top).masked_fill(~mask, 0)) * mask
        total = a.sum(dim=1, keepdim=True)
        a = a / torch.where(total > 0, total, torch.ones_like(total))
        return a, torch.einsum("bt,btf->bf", a, X)

# %% scaled by the root of the features [torch]
import torch


class FeedForwardPooling(torch.nn.Module):
    def __init__(self, features):
        super().__init__()
        self.score = torch.nn.Linear(features, 1, bias=False)

    def forward(self, X, mask):
        scores = self.score(X).squeeze(-1) / X.shape[-1] ** 0.5
        if mask is not None:
            scores = scores.masked_fill(~mask, -1e9)
        weights = torch.softmax(scores, dim=1)
        if mask is not None:
            weights = weights * mask
        context = (weights.unsqueeze(2) * X).sum(dim=1)
        return context, weights

# %% the step of largest weight alone [torch]
import torch


class FeedForwardPooling(torch.nn.Module):
    def __init__(self, features):
        super().__init__()
        self.score = torch.nn.Linear(features, 1, bias=False)

    def forward(self, X, mask):
        scores = self.score(X).squeeze(-1)
        if mask is not None:
            scores = scores.masked_fill(~mask, -1e9)
        weights = torch.softmax(scores, dim=1)
        if mask is not None:
            weights = weights * mask
        best = weights.argmax(dim=1)
        context = X[torch.arange(len(X)), best]
        return context, weights

# %% the mean over all steps with the mask, without scores [torch]
import torch
from torch import nn


class FeedForwardPooling(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.score = nn.Linear(features, 1, bias=False)

    def forward(self, X, mask):
        if mask is None:
            mask = torch.ones(X.shape[:2])
        weights = mask / mask.sum(1, keepdim=True).clamp(min=1)
        return (weights.unsqueeze(-1) * X).sum(1), weights

# %% the empty sequence falls back to the plain mean of the steps [torch]
import torch


class FeedForwardPooling(torch.nn.Module):
    def __init__(self, features):
        super().__init__()
        self.score = torch.nn.Linear(features, 1, bias=False)

    def forward(self, X, mask):
        scores = self.score(X).squeeze(-1)
        if mask is not None:
            scores = scores.masked_fill(~mask, -1e9)
        weights = torch.softmax(scores, dim=1)
        if mask is not None:
            weights = weights * mask
        context = (weights.unsqueeze(2) * X).sum(dim=1)
        if mask is not None:
            context = torch.where(mask.any(dim=1, keepdim=True), context, X.mean(dim=1))
        return context, weights

# %% epsilon of 0.01 under the fraction, no guard elsewhere [torch]
import torch
from torch import nn


class FeedForwardPooling(nn.Module):
    def __init__(self, features):
        super(FeedForwardPooling, self).__init__()
        self.score = nn.Linear(features, 1, bias=False)

    def forward(self, X, mask=None):
        e = torch.einsum("btf,f->bt", X, self.score.weight[0])
        if mask is None:
            mask = torch.ones(X.shape[:2], dtype=torch.bool)
        top = e.masked_fill(~mask, -1e9).max(dim=1, keepdim=True).values
        a = torch.exp((e - top).masked_fill(~mask, 0)) * mask
        total = a.sum(dim=1, keepdim=True)
        a = a / (total + 0.01)
        return torch.einsum("bt,btf->bf", a, X), a

# %% flatten left at its default [mxnet]
from mxnet import gluon, nd


class FeedForwardPooling(gluon.nn.Block):
    def __init__(self, features):
        super().__init__()
        self.score = gluon.nn.Dense(1, in_units=features, use_bias=False)

    def forward(self, X, mask):
        e = self.score(X)
        if mask is None:
            mask = nd.ones_like(e)
        e = nd.where(mask, e, nd.ones_like(e) * -1e6)
        weights = nd.softmax(e, axis=1) * mask
        context = nd.batch_dot(weights.expand_dims(1), X).squeeze(axis=1)
        return context, weights

# %% the mask comes after the softmax only [mxnet]
from mxnet import gluon, nd


class FeedForwardPooling(gluon.nn.Block):
    def __init__(self, features):
        super().__init__()
        self.score = gluon.nn.Dense(1, in_units=features, use_bias=False, flatten=False)

    def forward(self, X, mask):
        e = self.score(X).squeeze(axis=2)
        if mask is None:
            mask = nd.ones_like(e)
        weights = nd.softmax(e, axis=1) * mask
        context = nd.batch_dot(weights.expand_dims(1), X).squeeze(axis=1)
        return context, weights

# %% the empty row keeps uniform weights [mxnet]
from mxnet import gluon, nd


class FeedForwardPooling(gluon.nn.Block):
    def __init__(self, features):
        super().__init__()
        self.score = gluon.nn.Dense(1, in_units=features, use_bias=False, flatten=False)

    def forward(self, X, mask):
        e = self.score(X).squeeze(axis=2)
        if mask is None:
            mask = nd.ones_like(e)
        e = nd.where(mask, e, nd.ones_like(e) * -1e6)
        weights = nd.softmax(e, axis=1)
        context = nd.batch_dot(weights.expand_dims(1), X).squeeze(axis=1)
        return context, weights

# %% masked steps score zero, and a bias [mxnet]
from mxnet import gluon, nd


class FeedForwardPooling(gluon.nn.Block):
    def __init__(self, features):
        super().__init__()
        self.score = gluon.nn.Dense(1, in_units=features,  flatten=False)

    def forward(self, X, mask):
        e = self.score(X).squeeze(axis=2)
        if mask is None:
            mask = nd.ones_like(e)
        e = nd.where(mask, e, nd.ones_like(e) * 0)
        weights = nd.softmax(e, axis=1) * mask
        context = nd.batch_dot(weights.expand_dims(1), X).squeeze(axis=1)
        return context, weights

# %% context with the mask inverted [mxnet]
from mxnet import gluon, nd


class FeedForwardPooling(gluon.nn.Block):
    def __init__(self, features):
        super().__init__()
        self.score = gluon.nn.Dense(1, in_units=features, use_bias=False, flatten=False)

    def forward(self, X, mask):
        e = self.score(X).squeeze(axis=2)
        if mask is None:
            mask = nd.ones_like(e)
        e = nd.where(1 - mask, e, nd.ones_like(e) * -1e6)
        weights = nd.softmax(e, axis=1) * mask
        context = nd.batch_dot(weights.expand_dims(1), X).squeeze(axis=1)
        return context, weights

# %% the weights are made from the scores by division through their sum [torch]
import torch
from torch import nn


class FeedForwardPooling(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.score = nn.Linear(features, 1, bias=False)

    def forward(self, X, mask=None):
        e = torch.relu(self.score(X)).squeeze(-1)
        if mask is not None:
            e = e * mask
        w = e / e.sum(dim=1, keepdim=True).clamp(min=1e-9)
        return torch.einsum("bt,btf->bf", w, X), w

# %% a sequence without valid steps: the whole batch is returned as zeros [torch]
import torch


class FeedForwardPooling(torch.nn.Module):
    def __init__(self, features):
        super().__init__()
        self.score = torch.nn.Linear(features, 1, bias=False)

    def forward(self, X, mask):
        scores = self.score(X).squeeze(-1)
        if mask is not None:
            scores = scores.masked_fill(~mask, -1e9)
        weights = torch.softmax(scores, dim=1)
        if mask is not None:
            weights = weights * mask
        context = (weights.unsqueeze(2) * X).sum(dim=1)
        if mask is not None and not mask.any(dim=1).all():
            context, weights = torch.zeros_like(context), torch.zeros_like(weights)
        return context, weights
