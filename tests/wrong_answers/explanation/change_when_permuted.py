# %% the votes are permuted instead of the weights [torch]
import torch


def change_when_permuted(weights, votes, orders):
    before = torch.sigmoid((weights * votes).sum(dim=-1))
    change = 0
    for order in orders:
        permuted = votes.gather(1, order)
        after = torch.sigmoid((weights * permuted).sum(dim=-1))
        change = change + (after - before).abs()
    return change / len(orders)

# %% weights and votes are permuted together [torch]
import torch


def change_when_permuted(weights, votes, orders):
    before = torch.sigmoid((weights * votes).sum(dim=-1))
    change = 0
    for order in orders:
        permuted = weights.gather(1, order)
        after = torch.sigmoid((permuted * votes.gather(1, order)).sum(dim=-1))
        change = change + (after - before).abs()
    return change / len(orders)

# %% no absolute value [torch]
import torch


def change_when_permuted(weights, votes, orders):
    before = torch.sigmoid((weights * votes).sum(dim=-1))
    change = 0
    for order in orders:
        permuted = weights.gather(1, order)
        after = torch.sigmoid((permuted * votes).sum(dim=-1))
        change = change + (after - before)
    return change / len(orders)

# %% the absolute value of the mean [torch]
import torch


def change_when_permuted(weights, votes, orders):
    k, b, t = orders.shape
    w = weights.unsqueeze(0).expand(k, b, t).gather(-1, orders)
    p = torch.einsum("kbt,bt->kb", w, votes).sigmoid()
    p0 = torch.einsum("bt,bt->b", weights, votes).sigmoid()
    return (p - p0).mean(dim=0).abs()

# %% no sigmoid: the verdicts' change [torch]
import torch


def change_when_permuted(weights, votes, orders):
    k, b, t = orders.shape
    w = weights.unsqueeze(0).expand(k, b, t).gather(-1, orders)
    p = torch.einsum("kbt,bt->kb", w, votes)
    p0 = torch.einsum("bt,bt->b", weights, votes)
    return (p - p0).abs().mean(dim=0)

# %% the sigmoid of the verdicts' difference [torch]
import torch


def change_when_permuted(weights, votes, orders):
    k, b, t = orders.shape
    w = weights.unsqueeze(0).expand(k, b, t).gather(-1, orders)
    p = torch.einsum("kbt,bt->kb", w, votes)
    p0 = torch.einsum("bt,bt->b", weights, votes)
    return (p - p0).abs().sigmoid().mean(dim=0)

# %% the inverse of the order: step orders[t] takes the weight of step t [torch]
import torch


def change_when_permuted(weights, votes, orders):
    before = torch.sigmoid((weights * votes).sum(dim=-1))
    change = 0
    for order in orders:
        permuted = torch.zeros_like(weights).scatter(1, order, weights)
        after = torch.sigmoid((permuted * votes).sum(dim=-1))
        change = change + (after - before).abs()
    return change / len(orders)

# %% the sum over the orders [torch]
import torch


def change_when_permuted(weights, votes, orders):
    before = torch.sigmoid((weights * votes).sum(dim=-1))
    change = 0
    for order in orders:
        permuted = weights.gather(1, order)
        after = torch.sigmoid((permuted * votes).sum(dim=-1))
        change = change + (after - before).abs()
    return change

# %% the mean over everything [torch]
import torch


def change_when_permuted(weights, votes, orders):
    k, b, t = orders.shape
    w = weights.unsqueeze(0).expand(k, b, t).gather(-1, orders)
    p = torch.einsum("kbt,bt->kb", w, votes).sigmoid()
    p0 = torch.einsum("bt,bt->b", weights, votes).sigmoid()
    return (p - p0).abs().mean()

# %% the mean over the batch instead of the orders [torch]
import torch


def change_when_permuted(weights, votes, orders):
    k, b, t = orders.shape
    w = weights.unsqueeze(0).expand(k, b, t).gather(-1, orders)
    p = torch.einsum("kbt,bt->kb", w, votes).sigmoid()
    p0 = torch.einsum("bt,bt->b", weights, votes).sigmoid()
    return (p - p0).abs().mean(dim=1)

# %% the squared change [torch]
import torch


def change_when_permuted(weights, votes, orders):
    k, b, t = orders.shape
    w = weights.unsqueeze(0).expand(k, b, t).gather(-1, orders)
    p = torch.einsum("kbt,bt->kb", w, votes).sigmoid()
    p0 = torch.einsum("bt,bt->b", weights, votes).sigmoid()
    return (p - p0).square().mean(dim=0)

# %% the largest change [torch]
import torch


def change_when_permuted(weights, votes, orders):
    k, b, t = orders.shape
    w = weights.unsqueeze(0).expand(k, b, t).gather(-1, orders)
    p = torch.einsum("kbt,bt->kb", w, votes).sigmoid()
    p0 = torch.einsum("bt,bt->b", weights, votes).sigmoid()
    return (p - p0).abs().amax(dim=0)

# %% only the last order counts [torch]
import torch


def change_when_permuted(weights, votes, orders):
    before = torch.sigmoid((weights * votes).sum(dim=-1))
    change = 0
    for order in orders:
        permuted = weights.gather(1, order)
        after = torch.sigmoid((permuted * votes).sum(dim=-1))
        change = (after - before).abs()
    return change / len(orders)

# %% only the first order counts [torch]
import torch


def change_when_permuted(weights, votes, orders):
    k, b, t = orders.shape
    w = weights.unsqueeze(0).expand(k, b, t).gather(-1, orders)
    p = torch.einsum("kbt,bt->kb", w, votes).sigmoid()
    p0 = torch.einsum("bt,bt->b", weights, votes).sigmoid()
    return (p - p0).abs()[0]

# %% the mean of the permuted verdicts before the sigmoid [torch]
import torch


def change_when_permuted(weights, votes, orders):
    k, b, t = orders.shape
    w = weights.unsqueeze(0).expand(k, b, t).gather(-1, orders)
    p = torch.einsum("kbt,bt->kb", w, votes).mean(dim=0).sigmoid()
    p0 = torch.einsum("bt,bt->b", weights, votes).sigmoid()
    return (p - p0).abs()

# %% a permutation of the batch's rows [torch]
import torch


def change_when_permuted(weights, votes, orders):
    before = torch.sigmoid((weights * votes).sum(dim=-1))
    change = 0
    for order in orders:
        permuted = weights[torch.arange(len(weights)).flip(0)]
        after = torch.sigmoid((permuted * votes).sum(dim=-1))
        change = change + (after - before).abs()
    return change / len(orders)

# %% the first review's order for all [torch]
import torch


def change_when_permuted(weights, votes, orders):
    before = torch.sigmoid((weights * votes).sum(dim=-1))
    change = 0
    for order in orders:
        permuted = weights[:, order[0]]
        after = torch.sigmoid((permuted * votes).sum(dim=-1))
        change = change + (after - before).abs()
    return change / len(orders)

# %% the change against the order before, not against the first verdict [torch]
import torch


def change_when_permuted(weights, votes, orders):
    before = torch.sigmoid((weights * votes).sum(dim=-1))
    change = 0
    for order in orders:
        permuted = weights.gather(1, order)
        after = torch.sigmoid((permuted * votes).sum(dim=-1))
        change = change + (after - before).abs()
        before = after
    return change / len(orders)

# %% softmax of the weights again [torch]
import torch


def change_when_permuted(weights, votes, orders):
    k, b, t = orders.shape
    w = weights.softmax(dim=-1).unsqueeze(0).expand(k, b, t).gather(-1, orders)
    p = torch.einsum("kbt,bt->kb", w, votes).sigmoid()
    p0 = torch.einsum("bt,bt->b", weights, votes).sigmoid()
    return (p - p0).abs().mean(dim=0)

# %% tanh for the sigmoid [torch]
import torch


def change_when_permuted(weights, votes, orders):
    k, b, t = orders.shape
    w = weights.unsqueeze(0).expand(k, b, t).gather(-1, orders)
    p = torch.einsum("kbt,bt->kb", w, votes).tanh()
    p0 = torch.einsum("bt,bt->b", weights, votes).tanh()
    return (p - p0).abs().mean(dim=0)

# %% no absolute value, and sum [torch]
import torch


def change_when_permuted(weights, votes, orders):
    before = torch.sigmoid((weights * votes).sum(dim=-1))
    change = 0
    for order in orders:
        permuted = weights.gather(1, order)
        after = torch.sigmoid((permuted * votes).sum(dim=-1))
        change = change + (after - before)
    return change

# %% no absolute value [mxnet]
from mxnet import nd


def change_when_permuted(weights, votes, orders):
    before = nd.sigmoid((weights * votes).sum(axis=1))
    changes = []
    for k in range(orders.shape[0]):
        one_hot = nd.one_hot(orders[k], weights.shape[1])
        permuted = nd.batch_dot(one_hot, weights.expand_dims(2)).squeeze(axis=2)
        after = nd.sigmoid((permuted * votes).sum(axis=1))
        changes.append(after - before)
    return nd.stack(*changes).mean(axis=0)

# %% the inverse order [mxnet]
from mxnet import nd


def change_when_permuted(weights, votes, orders):
    before = nd.sigmoid((weights * votes).sum(axis=1))
    changes = []
    for k in range(orders.shape[0]):
        one_hot = nd.one_hot(orders[k], weights.shape[1])
        permuted = nd.batch_dot(one_hot.swapaxes(1, 2), weights.expand_dims(2)).squeeze(axis=2)
        after = nd.sigmoid((permuted * votes).sum(axis=1))
        changes.append(nd.abs(after - before))
    return nd.stack(*changes).mean(axis=0)

# %% no sigmoid [mxnet]
from mxnet import nd


def change_when_permuted(weights, votes, orders):
    before = (weights * votes).sum(axis=1)
    changes = []
    for k in range(orders.shape[0]):
        one_hot = nd.one_hot(orders[k], weights.shape[1])
        permuted = nd.batch_dot(one_hot, weights.expand_dims(2)).squeeze(axis=2)
        after = (permuted * votes).sum(axis=1)
        changes.append(nd.abs(after - before))
    return nd.stack(*changes).mean(axis=0)

# %% the sum over the orders [mxnet]
from mxnet import nd


def change_when_permuted(weights, votes, orders):
    before = nd.sigmoid((weights * votes).sum(axis=1))
    changes = []
    for k in range(orders.shape[0]):
        one_hot = nd.one_hot(orders[k], weights.shape[1])
        permuted = nd.batch_dot(one_hot, weights.expand_dims(2)).squeeze(axis=2)
        after = nd.sigmoid((permuted * votes).sum(axis=1))
        changes.append(nd.abs(after - before))
    return nd.stack(*changes).sum(axis=0)

# %% the mean over reviews [mxnet]
from mxnet import nd


def change_when_permuted(weights, votes, orders):
    before = nd.sigmoid((weights * votes).sum(axis=1))
    changes = []
    for k in range(orders.shape[0]):
        one_hot = nd.one_hot(orders[k], weights.shape[1])
        permuted = nd.batch_dot(one_hot, weights.expand_dims(2)).squeeze(axis=2)
        after = nd.sigmoid((permuted * votes).sum(axis=1))
        changes.append(nd.abs(after - before))
    return nd.stack(*changes).mean(axis=1)

# %% the permutation is drawn by itself, the orders are ignored [torch]
import torch


def change_when_permuted(weights, votes, orders):
    before = (weights * votes).sum(1).sigmoid()
    total = 0
    for _ in orders:
        p = torch.randperm(weights.shape[1])
        total = total + ((weights[:, p] * votes).sum(1).sigmoid() - before).abs()
    return total / len(orders)

# %% weights sorted by the order's values instead of taken from there [torch]
import torch


def change_when_permuted(weights, votes, orders):
    back = orders.argsort(dim=-1)
    moved = weights.expand(orders.shape).gather(2, back)
    p0 = (weights * votes).sum(-1).sigmoid()
    p = (moved * votes).sum(-1).sigmoid()
    return (p - p0).abs().mean(0)
