# %% the old total is not rescaled [torch]
import torch


def online_softmax_step(maximum, total, context, scores, values):
    new_max = torch.maximum(maximum, scores.max(dim=-1, keepdim=True).values)
    factor = torch.exp(maximum - new_max)
    p = torch.exp(scores - new_max)
    new_total = total + p.sum(dim=-1, keepdim=True)
    new_context = factor * context + torch.bmm(p, values)
    return new_max, new_total, new_context

# %% the old context is not rescaled [torch]
import torch


def online_softmax_step(maximum, total, context, scores, values):
    new_max = torch.maximum(maximum, scores.max(dim=-1, keepdim=True).values)
    factor = torch.exp(maximum - new_max)
    p = torch.exp(scores - new_max)
    new_total = factor * total + p.sum(dim=-1, keepdim=True)
    new_context = context + torch.bmm(p, values)
    return new_max, new_total, new_context

# %% neither is rescaled [torch]
import torch


def online_softmax_step(maximum, total, context, scores, values):
    new_max = torch.maximum(maximum, scores.max(dim=-1, keepdim=True).values)
    factor = torch.exp(maximum - new_max)
    p = torch.exp(scores - new_max)
    new_total = total + p.sum(dim=-1, keepdim=True)
    new_context = context + torch.bmm(p, values)
    return new_max, new_total, new_context

# %% the factor is upside down [torch]
import torch


def online_softmax_step(maximum, total, context, scores, values):
    new_max = torch.maximum(maximum, scores.max(dim=-1, keepdim=True).values)
    factor = torch.exp(new_max - maximum)
    p = torch.exp(scores - new_max)
    new_total = factor * total + p.sum(dim=-1, keepdim=True)
    new_context = factor * context + torch.bmm(p, values)
    return new_max, new_total, new_context

# %% the maximum of the tile only [torch]
import torch


def online_softmax_step(maximum, total, context, scores, values):
    new_max = scores.max(dim=-1, keepdim=True).values
    factor = torch.exp(maximum - new_max)
    p = torch.exp(scores - new_max)
    new_total = factor * total + p.sum(dim=-1, keepdim=True)
    new_context = factor * context + torch.bmm(p, values)
    return new_max, new_total, new_context

# %% exponentials measured from the old maximum [torch]
import torch


def online_softmax_step(maximum, total, context, scores, values):
    new_max = torch.maximum(maximum, scores.max(dim=-1, keepdim=True).values)
    factor = torch.exp(maximum - new_max)
    p = torch.exp(scores - maximum)
    new_total = factor * total + p.sum(dim=-1, keepdim=True)
    new_context = factor * context + torch.bmm(p, values)
    return new_max, new_total, new_context

# %% exponentials measured from the tile's maximum [torch]
import torch


def online_softmax_step(maximum, total, context, scores, values):
    new_max = torch.maximum(maximum, scores.max(dim=-1, keepdim=True).values)
    factor = torch.exp(maximum - new_max)
    p = torch.exp(scores - scores.max(dim=-1, keepdim=True).values)
    new_total = factor * total + p.sum(dim=-1, keepdim=True)
    new_context = factor * context + torch.bmm(p, values)
    return new_max, new_total, new_context

# %% the maximum is not taken off [torch]
import torch


def online_softmax_step(maximum, total, context, scores, values):
    new_max = torch.maximum(maximum, scores.max(dim=-1, keepdim=True).values)
    factor = torch.exp(maximum - new_max)
    p = torch.exp(scores)
    new_total = factor * total + p.sum(dim=-1, keepdim=True)
    new_context = factor * context + torch.bmm(p, values)
    return new_max, new_total, new_context

# %% the context is divided already [torch]
import torch


def online_softmax_step(maximum, total, context, scores, values):
    new_max = torch.maximum(maximum, scores.max(dim=-1, keepdim=True).values)
    factor = torch.exp(maximum - new_max)
    p = torch.exp(scores - new_max)
    new_total = factor * total + p.sum(dim=-1, keepdim=True)
    new_context = factor * context + torch.bmm(p, values)
    return new_max, new_total, new_context / new_total

# %% softmax of the tile for its exponentials [torch]
import torch


def online_softmax_step(maximum, total, context, scores, values):
    new_max = torch.maximum(maximum, scores.max(dim=-1, keepdim=True).values)
    factor = torch.exp(maximum - new_max)
    p = torch.softmax(scores, dim=-1)
    new_total = factor * total + p.sum(dim=-1, keepdim=True)
    new_context = factor * context + torch.bmm(p, values)
    return new_max, new_total, new_context

# %% one maximum for all queries [torch]
import torch


def online_softmax_step(maximum, total, context, scores, values):
    new_max = torch.maximum(maximum, scores.amax(dim=(1, 2), keepdim=True))
    factor = torch.exp(maximum - new_max)
    p = torch.exp(scores - new_max)
    new_total = factor * total + p.sum(dim=-1, keepdim=True)
    new_context = factor * context + torch.bmm(p, values)
    return new_max, new_total, new_context

# %% the old maximum is returned [torch]
import torch


def online_softmax_step(maximum, total, context, scores, values):
    new_max = torch.maximum(maximum, scores.max(dim=-1, keepdim=True).values)
    factor = torch.exp(maximum - new_max)
    p = torch.exp(scores - new_max)
    new_total = factor * total + p.sum(dim=-1, keepdim=True)
    new_context = factor * context + torch.bmm(p, values)
    return maximum, new_total, new_context

# %% the mean of the exponentials [torch]
import torch


def online_softmax_step(maximum, total, context, scores, values):
    new_max = torch.maximum(maximum, scores.max(dim=-1, keepdim=True).values)
    factor = torch.exp(maximum - new_max)
    p = torch.exp(scores - new_max)
    new_total = factor * total + p.mean(dim=-1, keepdim=True)
    new_context = factor * context + torch.bmm(p, values)
    return new_max, new_total, new_context

# %% the old sums are forgotten [torch]
import torch


def online_softmax_step(maximum, total, context, scores, values):
    new_max = torch.maximum(maximum, scores.max(dim=-1, keepdim=True).values)
    factor = torch.exp(maximum - new_max)
    p = torch.exp(scores - new_max)
    new_total =  p.sum(dim=-1, keepdim=True)
    new_context =  torch.bmm(p, values)
    return new_max, new_total, new_context

# %% the new part is rescaled too [torch]
import torch


def online_softmax_step(maximum, total, context, scores, values):
    new_max = torch.maximum(maximum, scores.max(dim=-1, keepdim=True).values)
    factor = torch.exp(maximum - new_max)
    p = torch.exp(scores - new_max)
    new_total = factor * total + p.sum(dim=-1, keepdim=True)
    new_context = factor * context + factor * torch.bmm(p, values)
    return new_max, new_total, new_context

# %% the factor is squared for the context: applied twice [torch]
import torch


def online_softmax_step(maximum, total, context, scores, values):
    new_max = torch.maximum(maximum, scores.max(dim=-1, keepdim=True).values)
    factor = torch.exp(maximum - new_max)
    p = torch.exp(scores - new_max)
    new_total = factor * total + p.sum(dim=-1, keepdim=True)
    new_context = factor * factor * context + torch.bmm(p, values)
    return new_max, new_total, new_context

# %% total and context interchanged [torch]
import torch


def online_softmax_step(maximum, total, context, scores, values):
    new_max = torch.maximum(maximum, scores.max(dim=-1, keepdim=True).values)
    factor = torch.exp(maximum - new_max)
    p = torch.exp(scores - new_max)
    new_total = factor * total + p.sum(dim=-1, keepdim=True)
    new_context = factor * context + torch.bmm(p, values)
    return new_max, new_context, new_total

# %% the maximum lost its last axis and is wrong for square sizes [torch]
import torch


def online_softmax_step(maximum, total, context, scores, values):
    new_max = torch.maximum(maximum, scores.max(dim=-1).values)
    factor = torch.exp(maximum - new_max)
    p = torch.exp(scores - new_max)
    new_total = factor * total + p.sum(dim=-1, keepdim=True)
    new_context = factor * context + torch.bmm(p, values)
    return new_max, new_total, new_context

# %% the maximum over the queries [torch]
import torch


def online_softmax_step(maximum, total, context, scores, values):
    new_max = torch.maximum(maximum, scores.max(dim=1, keepdim=True).values.transpose(1, 2).mean(dim=1, keepdim=True))
    factor = torch.exp(maximum - new_max)
    p = torch.exp(scores - new_max)
    new_total = factor * total + p.sum(dim=-1, keepdim=True)
    new_context = factor * context + torch.bmm(p, values)
    return new_max, new_total, new_context

# %% the tile's context is weighted by the values' mean, and the total not rescaled [torch]
import torch


def online_softmax_step(maximum, total, context, scores, values):
    new_max = torch.maximum(maximum, scores.max(dim=-1, keepdim=True).values)
    factor = torch.exp(maximum - new_max)
    p = torch.exp(scores - new_max)
    new_total = total + p.sum(dim=-1, keepdim=True)
    new_context = factor * context + p.sum(dim=-1, keepdim=True) * values.mean(dim=1, keepdim=True)
    return new_max, new_total, new_context

# %% the old context is multiplied by the old total [torch]
import torch


def online_softmax_step(maximum, total, context, scores, values):
    new_max = torch.maximum(maximum, scores.max(dim=-1, keepdim=True).values)
    factor = torch.exp(maximum - new_max)
    p = torch.exp(scores - new_max)
    new_total = factor * total + p.sum(dim=-1, keepdim=True)
    new_context = factor * context * total + torch.bmm(p, values)
    return new_max, new_total, new_context

# %% the old total is not rescaled [mxnet]
from mxnet import nd


def online_softmax_step(maximum, total, context, scores, values):
    m = nd.maximum(maximum, scores.max(axis=-1, keepdims=True))
    factor = nd.exp(maximum - m)
    p = nd.exp(nd.broadcast_sub(scores, m))
    total = total + p.sum(axis=-1, keepdims=True)
    context = nd.broadcast_mul(factor, context) + nd.batch_dot(p, values)
    return m, total, context

# %% the factor is upside down [mxnet]
from mxnet import nd


def online_softmax_step(maximum, total, context, scores, values):
    m = nd.maximum(maximum, scores.max(axis=-1, keepdims=True))
    factor = nd.exp(m - maximum)
    p = nd.exp(nd.broadcast_sub(scores, m))
    total = factor * total + p.sum(axis=-1, keepdims=True)
    context = nd.broadcast_mul(factor, context) + nd.batch_dot(p, values)
    return m, total, context

# %% the context is divided [mxnet]
from mxnet import nd


def online_softmax_step(maximum, total, context, scores, values):
    m = nd.maximum(maximum, scores.max(axis=-1, keepdims=True))
    factor = nd.exp(maximum - m)
    p = nd.exp(nd.broadcast_sub(scores, m))
    total = factor * total + p.sum(axis=-1, keepdims=True)
    context = nd.broadcast_mul(factor, context) + nd.batch_dot(p, values)
    return m, total, nd.broadcast_div(context, total)

# %% the maximum of the tile only [mxnet]
from mxnet import nd


def online_softmax_step(maximum, total, context, scores, values):
    m = scores.max(axis=-1, keepdims=True)
    factor = nd.exp(maximum - m)
    p = nd.exp(nd.broadcast_sub(scores, m))
    total = factor * total + p.sum(axis=-1, keepdims=True)
    context = nd.broadcast_mul(factor, context) + nd.batch_dot(p, values)
    return m, total, context

# %% powers of two [mxnet]
from mxnet import nd


def online_softmax_step(maximum, total, context, scores, values):
    m = nd.maximum(maximum, scores.max(axis=-1, keepdims=True))
    factor = 2 ** (maximum - m)
    p = 2 ** nd.broadcast_sub(scores, m)
    total = factor * total + p.sum(axis=-1, keepdims=True)
    context = nd.broadcast_mul(factor, context) + nd.batch_dot(p, values)
    return m, total, context

# %% plain sums without any maximum; the maximum is only carried along [torch]
import torch


def online_softmax_step(maximum, total, context, scores, values):
    e = scores.exp()
    highest = torch.maximum(maximum, scores.amax(-1, keepdim=True))
    return highest, total + e.sum(-1, keepdim=True), context + e @ values

# %% the sums are changed in place [torch]
import torch


def online_softmax_step(maximum, total, context, scores, values):
    highest = torch.maximum(maximum, scores.amax(dim=-1, keepdim=True))
    shrink = torch.exp(maximum - highest)
    p = torch.exp(scores - highest)
    total *= shrink
    total += p.sum(dim=-1, keepdim=True)
    context *= shrink
    context += p @ values
    return highest, total, context
