# %% the weight times the vote: nothing is computed anew [torch]
import torch


def leave_one_out(scores, votes, valid_length):
    mask = torch.arange(scores.shape[1]) < valid_length[:, None]
    weights = scores.masked_fill(~mask, float("-inf")).softmax(dim=1)
    return weights * votes

# %% the weights of the others stay as they were, without summing to 1 [torch]
import torch
import torch.nn.functional as F


def leave_one_out(scores, votes, valid_length):
    steps = scores.size(1)
    real = torch.arange(steps)[None] < valid_length[:, None]
    alpha = F.softmax(scores.masked_fill(~real, -1e9), dim=-1)
    full = (alpha * votes).sum(-1, keepdim=True)
    keep = real[:, None, :] & ~torch.eye(steps, dtype=torch.bool)[None]
    beta = alpha[:, None, :] * keep
    rest = (beta * votes[:, None, :]).sum(-1)
    return (full - rest) * real

# %% without less with: the sign is wrong [torch]
import torch
import torch.nn.functional as F


def leave_one_out(scores, votes, valid_length):
    steps = scores.size(1)
    real = torch.arange(steps)[None] < valid_length[:, None]
    alpha = F.softmax(scores.masked_fill(~real, -1e9), dim=-1)
    full = (alpha * votes).sum(-1, keepdim=True)
    keep = real[:, None, :] & ~torch.eye(steps, dtype=torch.bool)[None]
    beta = F.softmax(scores[:, None, :].masked_fill(~keep, -1e9), dim=-1) * keep
    rest = (beta * votes[:, None, :]).sum(-1)
    return (rest - full) * real

# %% the step's score is set to zero instead of left out [torch]
import torch
import torch.nn.functional as F


def leave_one_out(scores, votes, valid_length):
    steps = scores.size(1)
    real = torch.arange(steps)[None] < valid_length[:, None]
    alpha = F.softmax(scores.masked_fill(~real, -1e9), dim=-1)
    full = (alpha * votes).sum(-1, keepdim=True)
    keep = real[:, None, :] & ~torch.eye(steps, dtype=torch.bool)[None]
    beta = F.softmax(scores[:, None, :].masked_fill(~keep, 0.0), dim=-1) * real[:, None, :]
    rest = (beta * votes[:, None, :]).sum(-1)
    return (full - rest) * real

# %% the step's vote is set to zero, its weight stays [torch]
import torch
import torch.nn.functional as F


def leave_one_out(scores, votes, valid_length):
    steps = scores.size(1)
    real = torch.arange(steps)[None] < valid_length[:, None]
    alpha = F.softmax(scores.masked_fill(~real, -1e9), dim=-1)
    full = (alpha * votes).sum(-1, keepdim=True)
    keep = real[:, None, :] & ~torch.eye(steps, dtype=torch.bool)[None]
    beta = F.softmax(scores[:, None, :].masked_fill(~real[:, None, :], -1e9), dim=-1).expand(-1, steps, -1) * keep
    rest = (beta * votes[:, None, :]).sum(-1)
    return (full - rest) * real

# %% padding is not masked in the verdict [torch]
import torch
import torch.nn.functional as F


def leave_one_out(scores, votes, valid_length):
    steps = scores.size(1)
    real = torch.arange(steps)[None] < valid_length[:, None]
    alpha = F.softmax(scores, dim=-1)
    full = (alpha * votes).sum(-1, keepdim=True)
    keep = real[:, None, :] & ~torch.eye(steps, dtype=torch.bool)[None]
    beta = F.softmax(scores[:, None, :].masked_fill(~keep, -1e9), dim=-1) * keep
    rest = (beta * votes[:, None, :]).sum(-1)
    return (full - rest) * real

# %% padding is not masked among the others [torch]
import torch
import torch.nn.functional as F


def leave_one_out(scores, votes, valid_length):
    steps = scores.size(1)
    real = torch.arange(steps)[None] < valid_length[:, None]
    alpha = F.softmax(scores.masked_fill(~real, -1e9), dim=-1)
    full = (alpha * votes).sum(-1, keepdim=True)
    keep = ~torch.eye(steps, dtype=torch.bool)[None]
    beta = F.softmax(scores[:, None, :].masked_fill(~keep, -1e9), dim=-1) * keep
    rest = (beta * votes[:, None, :]).sum(-1)
    return (full - rest) * real

# %% a review of one step: the rest is uniform over padding [torch]
import torch
import torch.nn.functional as F


def leave_one_out(scores, votes, valid_length):
    steps = scores.size(1)
    real = torch.arange(steps)[None] < valid_length[:, None]
    alpha = F.softmax(scores.masked_fill(~real, -1e9), dim=-1)
    full = (alpha * votes).sum(-1, keepdim=True)
    keep = real[:, None, :] & ~torch.eye(steps, dtype=torch.bool)[None]
    beta = F.softmax(scores[:, None, :].masked_fill(~keep, -1e9), dim=-1)
    rest = (beta * votes[:, None, :]).sum(-1)
    return (full - rest) * real

# %% a review of one step gives nan [torch]
import torch
import torch.nn.functional as F


def leave_one_out(scores, votes, valid_length):
    steps = scores.size(1)
    real = torch.arange(steps)[None] < valid_length[:, None]
    alpha = F.softmax(scores.masked_fill(~real, -1e9), dim=-1)
    full = (alpha * votes).sum(-1, keepdim=True)
    keep = real[:, None, :] & ~torch.eye(steps, dtype=torch.bool)[None]
    beta = F.softmax(scores[:, None, :].masked_fill(~keep, float("-inf")), dim=-1)
    rest = (beta * votes[:, None, :]).sum(-1)
    return (full - rest) * real

# %% the verdict without the step only [torch]
import torch
import torch.nn.functional as F


def leave_one_out(scores, votes, valid_length):
    steps = scores.size(1)
    real = torch.arange(steps)[None] < valid_length[:, None]
    alpha = F.softmax(scores.masked_fill(~real, -1e9), dim=-1)
    full = (alpha * votes).sum(-1, keepdim=True)
    keep = real[:, None, :] & ~torch.eye(steps, dtype=torch.bool)[None]
    beta = F.softmax(scores[:, None, :].masked_fill(~keep, -1e9), dim=-1) * keep
    rest = (beta * votes[:, None, :]).sum(-1)
    return rest * real

# %% the absolute difference [torch]
import torch
import torch.nn.functional as F


def leave_one_out(scores, votes, valid_length):
    steps = scores.size(1)
    real = torch.arange(steps)[None] < valid_length[:, None]
    alpha = F.softmax(scores.masked_fill(~real, -1e9), dim=-1)
    full = (alpha * votes).sum(-1, keepdim=True)
    keep = real[:, None, :] & ~torch.eye(steps, dtype=torch.bool)[None]
    beta = F.softmax(scores[:, None, :].masked_fill(~keep, -1e9), dim=-1) * keep
    rest = (beta * votes[:, None, :]).sum(-1)
    return (full - rest).abs() * real

# %% only the step is kept instead of left out [torch]
import torch
import torch.nn.functional as F


def leave_one_out(scores, votes, valid_length):
    steps = scores.size(1)
    real = torch.arange(steps)[None] < valid_length[:, None]
    alpha = F.softmax(scores.masked_fill(~real, -1e9), dim=-1)
    full = (alpha * votes).sum(-1, keepdim=True)
    keep = real[:, None, :] & torch.eye(steps, dtype=torch.bool)[None]
    beta = F.softmax(scores[:, None, :].masked_fill(~keep, -1e9), dim=-1) * keep
    rest = (beta * votes[:, None, :]).sum(-1)
    return (full - rest) * real

# %% the mean of the other votes, without weights [torch]
import torch


def leave_one_out(scores, votes, valid_length):
    n = scores.shape[1]
    mask = torch.arange(n) < valid_length.unsqueeze(1)
    exps = torch.exp(scores - scores.max(dim=1, keepdim=True).values) * mask
    verdict = (exps * votes).sum(dim=1) / exps.sum(dim=1)
    others = 1 - torch.eye(n)
    e = mask.unsqueeze(1) * others  # row t: without step t
    total = e.sum(dim=2)
    without = (e * votes.unsqueeze(1)).sum(dim=2) / total.clamp(min=1e-30)
    return (verdict.unsqueeze(1) - without) * mask

# %% divided by the full sum [torch]
import torch


def leave_one_out(scores, votes, valid_length):
    n = scores.shape[1]
    mask = torch.arange(n) < valid_length.unsqueeze(1)
    exps = torch.exp(scores - scores.max(dim=1, keepdim=True).values) * mask
    verdict = (exps * votes).sum(dim=1) / exps.sum(dim=1)
    others = 1 - torch.eye(n)
    e = exps.unsqueeze(1) * others  # row t: without step t
    total = exps.sum(dim=1, keepdim=True)
    without = (e * votes.unsqueeze(1)).sum(dim=2) / total.clamp(min=1e-30)
    return (verdict.unsqueeze(1) - without) * mask

# %% divided by the verdict: relative [torch]
import torch
import torch.nn.functional as F


def leave_one_out(scores, votes, valid_length):
    steps = scores.size(1)
    real = torch.arange(steps)[None] < valid_length[:, None]
    alpha = F.softmax(scores.masked_fill(~real, -1e9), dim=-1)
    full = (alpha * votes).sum(-1, keepdim=True)
    keep = real[:, None, :] & ~torch.eye(steps, dtype=torch.bool)[None]
    beta = F.softmax(scores[:, None, :].masked_fill(~keep, -1e9), dim=-1) * keep
    rest = (beta * votes[:, None, :]).sum(-1)
    return (full - rest) / full * real

# %% the sum over the wrong axis: columns of the left-out matrix [torch]
import torch


def leave_one_out(scores, votes, valid_length):
    n = scores.shape[1]
    mask = torch.arange(n) < valid_length.unsqueeze(1)
    exps = torch.exp(scores - scores.max(dim=1, keepdim=True).values) * mask
    verdict = (exps * votes).sum(dim=1) / exps.sum(dim=1)
    others = 1 - torch.eye(n)
    e = exps.unsqueeze(1) * others  # row t: without step t
    total = e.sum(dim=2)
    without = (e * votes.unsqueeze(1)).sum(dim=1) / total.clamp(min=1e-30)
    return (verdict.unsqueeze(1) - without) * mask

# %% the probabilities' difference, through the sigmoid [torch]
import torch
import torch.nn.functional as F


def leave_one_out(scores, votes, valid_length):
    steps = scores.size(1)
    real = torch.arange(steps)[None] < valid_length[:, None]
    alpha = F.softmax(scores.masked_fill(~real, -1e9), dim=-1)
    full = (alpha * votes).sum(-1, keepdim=True)
    keep = real[:, None, :] & ~torch.eye(steps, dtype=torch.bool)[None]
    beta = F.softmax(scores[:, None, :].masked_fill(~keep, -1e9), dim=-1) * keep
    rest = (beta * votes[:, None, :]).sum(-1)
    return (full.sigmoid() - rest.sigmoid()) * real

# %% step t and all after it are left out [torch]
import torch


def leave_one_out(scores, votes, valid_length):
    n = scores.shape[1]
    mask = torch.arange(n) < valid_length.unsqueeze(1)
    exps = torch.exp(scores - scores.max(dim=1, keepdim=True).values) * mask
    verdict = (exps * votes).sum(dim=1) / exps.sum(dim=1)
    others = torch.tril(torch.ones(n, n), diagonal=-1)
    e = exps.unsqueeze(1) * others  # row t: without step t
    total = e.sum(dim=2)
    without = (e * votes.unsqueeze(1)).sum(dim=2) / total.clamp(min=1e-30)
    return (verdict.unsqueeze(1) - without) * mask

# %% the vote itself less the verdict [torch]
import torch
import torch.nn.functional as F


def leave_one_out(scores, votes, valid_length):
    steps = scores.size(1)
    real = torch.arange(steps)[None] < valid_length[:, None]
    alpha = F.softmax(scores.masked_fill(~real, -1e9), dim=-1)
    full = (alpha * votes).sum(-1, keepdim=True)
    keep = real[:, None, :] & ~torch.eye(steps, dtype=torch.bool)[None]
    beta = F.softmax(scores[:, None, :].masked_fill(~keep, -1e9), dim=-1) * keep
    rest = (beta * votes[:, None, :]).sum(-1)
    return (votes - full) * real

# %% the importance is scaled to sum to 1 [torch]
import torch
import torch.nn.functional as F


def leave_one_out(scores, votes, valid_length):
    steps = scores.size(1)
    real = torch.arange(steps)[None] < valid_length[:, None]
    alpha = F.softmax(scores.masked_fill(~real, -1e9), dim=-1)
    full = (alpha * votes).sum(-1, keepdim=True)
    keep = real[:, None, :] & ~torch.eye(steps, dtype=torch.bool)[None]
    beta = F.softmax(scores[:, None, :].masked_fill(~keep, -1e9), dim=-1) * keep
    rest = (beta * votes[:, None, :]).sum(-1)
    d = (full - rest) * real
    return d / d.sum(dim=1, keepdim=True)

# %% the weights stay and the sign is wrong [mxnet]
from mxnet import nd


def leave_one_out(scores, votes, valid_length):
    n = scores.shape[1]
    mask = nd.broadcast_lesser(nd.arange(n).reshape((1, -1)), valid_length.reshape((-1, 1)))
    low = nd.ones_like(scores) * -1e9
    verdict = (nd.where(mask, scores, low).softmax(axis=1) * votes).sum(axis=1, keepdims=True)
    keep = nd.broadcast_mul(mask.expand_dims(1), (1 - nd.eye(n)).expand_dims(0))
    s = scores.expand_dims(1).broadcast_like(keep)
    w = nd.broadcast_mul(nd.where(mask, scores, low).softmax(axis=1).expand_dims(1), keep)
    without = nd.broadcast_mul(w, votes.expand_dims(1)).sum(axis=2)
    return -nd.broadcast_sub(verdict, without) * mask

# %% weights are not computed anew [mxnet]
from mxnet import nd


def leave_one_out(scores, votes, valid_length):
    n = scores.shape[1]
    mask = nd.broadcast_lesser(nd.arange(n).reshape((1, -1)), valid_length.reshape((-1, 1)))
    low = nd.ones_like(scores) * -1e9
    verdict = (nd.where(mask, scores, low).softmax(axis=1) * votes).sum(axis=1, keepdims=True)
    keep = nd.broadcast_mul(mask.expand_dims(1), (1 - nd.eye(n)).expand_dims(0))
    s = scores.expand_dims(1).broadcast_like(keep)
    w = nd.broadcast_mul(nd.where(mask, scores, low).softmax(axis=1).expand_dims(1), keep)
    without = nd.broadcast_mul(w, votes.expand_dims(1)).sum(axis=2)
    return nd.broadcast_sub(verdict, without) * mask

# %% the vote's share instead: weight times vote [mxnet]
from mxnet import nd


def leave_one_out(scores, votes, valid_length):
    n = scores.shape[1]
    mask = nd.broadcast_lesser(nd.arange(n).reshape((1, -1)), valid_length.reshape((-1, 1)))
    low = nd.ones_like(scores) * -1e9
    verdict = (nd.where(mask, scores, low).softmax(axis=1) * votes).sum(axis=1, keepdims=True)
    keep = nd.broadcast_mul(mask.expand_dims(1), (1 - nd.eye(n)).expand_dims(0))
    s = scores.expand_dims(1).broadcast_like(keep)
    w = nd.where(keep, s, nd.ones_like(s) * -1e9).softmax(axis=2) * keep
    without = nd.broadcast_mul(w, votes.expand_dims(1)).sum(axis=2)
    return nd.where(mask, scores, low).softmax(axis=1) * votes * mask

# %% softmax over the axis of the left-out steps [mxnet]
from mxnet import nd


def leave_one_out(scores, votes, valid_length):
    n = scores.shape[1]
    mask = nd.broadcast_lesser(nd.arange(n).reshape((1, -1)), valid_length.reshape((-1, 1)))
    low = nd.ones_like(scores) * -1e9
    verdict = (nd.where(mask, scores, low).softmax(axis=1) * votes).sum(axis=1, keepdims=True)
    keep = nd.broadcast_mul(mask.expand_dims(1), (1 - nd.eye(n)).expand_dims(0))
    s = scores.expand_dims(1).broadcast_like(keep)
    w = nd.where(keep, s, nd.ones_like(s) * -1e9).softmax(axis=1) * keep
    without = nd.broadcast_mul(w, votes.expand_dims(1)).sum(axis=2)
    return nd.broadcast_sub(verdict, without) * mask

# %% padding is not masked among the others [mxnet]
from mxnet import nd


def leave_one_out(scores, votes, valid_length):
    n = scores.shape[1]
    mask = nd.broadcast_lesser(nd.arange(n).reshape((1, -1)), valid_length.reshape((-1, 1)))
    low = nd.ones_like(scores) * -1e9
    verdict = (nd.where(mask, scores, low).softmax(axis=1) * votes).sum(axis=1, keepdims=True)
    keep = (1 - nd.eye(n)).expand_dims(0).broadcast_to((scores.shape[0], n, n))
    s = scores.expand_dims(1).broadcast_like(keep)
    w = nd.where(keep, s, nd.ones_like(s) * -1e9).softmax(axis=2) * keep
    without = nd.broadcast_mul(w, votes.expand_dims(1)).sum(axis=2)
    return nd.broadcast_sub(verdict, without) * mask

# %% the step's vote less the verdict without it [torch]
import torch


def leave_one_out(scores, votes, valid_length):
    n = scores.shape[1]
    mask = torch.arange(n) < valid_length[:, None]
    e = torch.exp(scores) * mask
    rest = (e * votes).sum(1, keepdim=True) - e * votes
    total = e.sum(1, keepdim=True) - e
    without = torch.where(total > 1e-6, rest / total.clamp(min=1e-6), 0.0)
    return (votes - without) * mask

# %% the review's length is shortened by its last step, whichever step is left out [torch]
import torch


def leave_one_out(scores, votes, valid_length):
    t = torch.arange(scores.shape[1])

    def verdict(length):
        mask = t < length[:, None]
        w = scores.masked_fill(~mask, -1e9).softmax(dim=1) * mask
        return (w * votes).sum(dim=1, keepdim=True)

    change = verdict(valid_length) - verdict(valid_length - 1)
    return change * (t < valid_length[:, None])

# %% a review of one step divides zero by zero [torch]
import torch


def leave_one_out(scores, votes, valid_length):
    mask = torch.arange(scores.shape[1]) < valid_length[:, None]
    w = scores.masked_fill(~mask, float("-inf")).softmax(dim=1)
    full = (w * votes).sum(dim=1, keepdim=True)
    without = (full - w * votes) / (1 - w)
    return (full - without) * mask
