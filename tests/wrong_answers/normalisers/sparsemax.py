# %% small softmax weights are cut to zero and the rest divided by their sum [torch]
import torch


def sparsemax(scores):
    w = scores.softmax(dim=-1)
    w = torch.where(w < 0.1, torch.zeros_like(w), w)
    return w / w.sum(dim=-1, keepdim=True).clamp(min=1e-9)

# %% sorted upwards: the smallest scores make the threshold [torch]
import torch


def sparsemax(scores):
    z, _ = scores.sort(dim=-1)
    k = torch.arange(1, scores.shape[-1] + 1)
    t = (z.cumsum(dim=-1) - 1) / k
    n = (z > t).sum(dim=-1, keepdim=True).clamp(min=1)
    tau = t.gather(-1, n - 1)
    return (scores - tau).clamp(min=0)

# %% all keys make the threshold, also those that get no weight [torch]
import torch


def sparsemax(scores):
    tau = (scores.sum(dim=-1, keepdim=True) - 1) / scores.shape[-1]
    return torch.relu(scores - tau)

# %% the 1 is forgotten: the threshold is the mean of the kept scores [torch]
import torch


def sparsemax(scores):
    z = scores.sort(dim=-1, descending=True).values
    k = torch.arange(1, scores.shape[-1] + 1)
    cumulated = z.cumsum(dim=-1)
    support = (1 + k * z > cumulated).sum(dim=-1, keepdim=True)
    tau = cumulated.gather(-1, support - 1) / support
    return torch.clamp(scores - tau, min=0)

# %% the support is used as an index without minus 1: one key too many [torch]
import torch


def sparsemax(scores):
    n = scores.shape[-1]
    z = torch.sort(scores, dim=-1, descending=True)[0]
    t = (z.cumsum(-1) - 1) / torch.arange(1, n + 1)
    support = (z > t).sum(-1, keepdim=True)
    tau = t.gather(-1, support.clamp(max=n - 1))
    return (scores - tau).relu()

# %% over the queries instead of the keys [torch]
import torch


def sparsemax(scores):
    z = scores.sort(dim=1, descending=True).values
    k = torch.arange(1, scores.shape[1] + 1).view(1, -1, 1)
    t = (z.cumsum(dim=1) - 1) / k
    n = (z > t).sum(dim=1, keepdim=True)
    return (scores - t.gather(1, n - 1)).clamp(min=0)

# %% the sorted weights are returned, not in the order of the keys [torch]
import torch


def sparsemax(scores):
    z = scores.sort(dim=-1, descending=True).values
    k = torch.arange(1, scores.shape[-1] + 1)
    t = (z.cumsum(dim=-1) - 1) / k
    n = (z > t).sum(dim=-1, keepdim=True)
    return (z - t.gather(-1, n - 1)).clamp(min=0)

# %% nothing is cut off at zero: negative weights [torch]
import torch


def sparsemax(scores):
    z = scores.sort(dim=-1, descending=True).values
    k = torch.arange(1, scores.shape[-1] + 1)
    t = (z.cumsum(dim=-1) - 1) / k
    n = (z > t).sum(dim=-1, keepdim=True)
    return scores - t.gather(-1, n - 1)

# %% the threshold is detached: its gradient is missing [torch]
import torch


def sparsemax(scores):
    z = scores.detach().sort(dim=-1, descending=True).values
    k = torch.arange(1, scores.shape[-1] + 1)
    t = (z.cumsum(dim=-1) - 1) / k
    n = (z > t).sum(dim=-1, keepdim=True)
    return (scores - t.gather(-1, n - 1)).clamp(min=0)

# %% scores below zero are cut, the rest divided by their sum [torch]
import torch


def sparsemax(scores):
    kept = scores.clamp(min=0)
    return kept / kept.sum(dim=-1, keepdim=True).clamp(min=1e-9)

# %% the two largest always stay [torch]
import torch


def sparsemax(scores):
    k = min(2, scores.shape[-1])
    top = scores.topk(k, dim=-1).values
    tau = (top.sum(dim=-1, keepdim=True) - 1) / k
    return (scores - tau).clamp(min=0)

# %% a softmax over the keys that sparsemax keeps [torch]
import torch


def sparsemax(scores):
    z = scores.sort(dim=-1, descending=True).values
    k = torch.arange(1, scores.shape[-1] + 1)
    t = (z.cumsum(dim=-1) - 1) / k
    n = (z > t).sum(dim=-1, keepdim=True)
    kept = scores > t.gather(-1, n - 1)
    return scores.masked_fill(~kept, float("-inf")).softmax(dim=-1)

# %% the softmax is taken first [torch]
import torch


def sparsemax(scores):
    p = torch.softmax(scores, dim=-1)
    z = p.sort(dim=-1, descending=True).values
    k = torch.arange(1, p.shape[-1] + 1)
    t = (z.cumsum(dim=-1) - 1) / k
    n = (z > t).sum(dim=-1, keepdim=True)
    return (p - t.gather(-1, n - 1)).clamp(min=0)

# %% ranks from 0: division by zero [torch]
import torch


def sparsemax(scores):
    z = scores.sort(dim=-1, descending=True).values
    k = torch.arange(scores.shape[-1])
    t = (z.cumsum(dim=-1) - 1) / k
    n = (z > t).sum(dim=-1, keepdim=True)
    return (scores - t.gather(-1, n - 1)).clamp(min=0)

# %% the threshold of the row is its largest score minus 1 [torch]
import torch


def sparsemax(scores):
    tau = scores.max(dim=-1, keepdim=True).values - 1
    return (scores - tau).clamp(min=0)

# %% the same, divided by the row's sum [torch]
import torch


def sparsemax(scores):
    above = torch.relu(scores - scores.max(dim=-1, keepdim=True).values + 1)
    return above / above.sum(dim=-1, keepdim=True)

# %% one threshold for the whole batch element [torch]
import torch


def sparsemax(scores):
    b, q, n = scores.shape
    z = scores.reshape(b, q * n).sort(dim=-1, descending=True).values
    t = (z.cumsum(dim=-1) - 1) / torch.arange(1, q * n + 1)
    support = (z > t).sum(dim=-1, keepdim=True)
    tau = t.gather(-1, support - 1)
    return (scores - tau.unsqueeze(-1)).clamp(min=0)

# %% bisection with a step too few digits: the rows sum to almost 1 [torch]
import torch


def sparsemax(scores):
    high = scores.max(dim=-1, keepdim=True).values
    low = high - 1
    for _ in range(5):
        mid = (low + high) / 2
        too_low = (scores - mid).clamp(min=0).sum(dim=-1, keepdim=True) > 1
        low = torch.where(too_low, mid, low)
        high = torch.where(too_low, high, mid)
    return (scores - low).clamp(min=0)

# %% nd.sort sorts upwards by default [mxnet]
from mxnet import nd


def sparsemax(scores):
    z = nd.sort(scores, axis=-1)
    k = nd.arange(1, scores.shape[-1] + 1).reshape((1, 1, -1))
    t = (nd.cumsum(z, axis=2) - 1) / k
    count = nd.maximum((z > t).sum(axis=-1), 1)
    tau = nd.pick(t, count - 1, axis=-1, keepdims=True)
    return nd.relu(scores - tau)

# %% the threshold is added [mxnet]
from mxnet import nd


def sparsemax(scores):
    z = nd.sort(scores, axis=-1, is_ascend=False)
    k = nd.arange(1, scores.shape[-1] + 1).reshape((1, 1, -1))
    t = (nd.cumsum(z, axis=2) - 1) / k
    count = (z > t).sum(axis=-1)
    tau = nd.pick(t, count - 1, axis=-1, keepdims=True)
    return nd.relu(scores + tau)

# %% the scores are divided by the threshold's rank, and the smallest threshold is taken [mxnet]
from mxnet import nd


def sparsemax(scores):
    z = nd.sort(scores, axis=-1, is_ascend=False)
    k = nd.arange(1, scores.shape[-1] + 1).reshape((1, 1, -1))
    t = (nd.cumsum(z, axis=2) - 1) / k
    tau = t.min(axis=-1, keepdims=True)
    return nd.relu(scores - tau)
