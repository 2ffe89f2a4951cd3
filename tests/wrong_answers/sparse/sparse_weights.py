# %% the window holds one key too many: <= [torch]
import torch


def sparse_weights(scores, window, dilation, num_global):
    n = scores.shape[-1]
    i = torch.arange(n).view(n, 1)
    j = torch.arange(n).view(1, n)
    d = i - j
    near = (d <= window * dilation) & (d % dilation == 0) & (d >= 0)
    visible = near | ((j < num_global) & (j <= i))
    return scores.masked_fill(~visible, float("-inf")).softmax(dim=-1)

# %% the window is meant in positions, so dilation thins it out [torch]
import torch


def sparse_weights(scores, window, dilation, num_global):
    n = scores.shape[-1]
    i = torch.arange(n)[:, None]
    j = torch.arange(n)[None, :]
    near = (i - j < window) & ((i - j) % dilation == 0)
    visible = (near | (j < num_global)) & (j <= i)
    return torch.softmax(scores.masked_fill(~visible, -1e9), dim=-1)

# %% all keys within the reach are seen, the gaps too [torch]
import torch


def sparse_weights(scores, window, dilation, num_global):
    n = scores.shape[-1]
    p = torch.arange(n)
    distance = p[:, None] - p[None, :]
    visible = (distance >= 0) & (distance <= (window - 1) * dilation)
    visible = visible | ((p < num_global)[None, :] & (distance >= 0))
    return scores.masked_fill(~visible, -1e6).softmax(dim=-1)

# %% the global tokens are visible to everyone, also to those before them [torch]
import torch


def sparse_weights(scores, window, dilation, num_global):
    n = scores.shape[-1]
    p = torch.arange(n)
    distance = p.unsqueeze(1) - p.unsqueeze(0)
    visible = (distance >= 0) & (distance < window * dilation) & (distance % dilation == 0)
    visible[:, :num_global] = True
    return scores.masked_fill(~visible, -1e6).softmax(dim=-1)

# %% the global tokens see everything, but are not seen [torch]
import torch


def sparse_weights(scores, window, dilation, num_global):
    n = scores.shape[-1]
    p = torch.arange(n)
    distance = p.unsqueeze(1) - p.unsqueeze(0)
    near = (distance % dilation == 0) & (distance // dilation < window)
    rows = (p < num_global).unsqueeze(1)
    visible = (near | rows) & (distance >= 0)
    return scores.masked_fill(~visible, -1e6).softmax(dim=-1)

# %% a window to both sides [torch]
import torch


def sparse_weights(scores, window, dilation, num_global):
    n = scores.shape[-1]
    p = torch.arange(n)
    distance = (p.unsqueeze(1) - p.unsqueeze(0)).abs()
    near = (distance % dilation == 0) & (distance < window * dilation)
    visible = near | (p < num_global)
    return scores.masked_fill(~visible, -1e6).softmax(dim=-1)

# %% the mask comes after the softmax [torch]
import torch


def sparse_weights(scores, window, dilation, num_global):
    n = scores.shape[-1]
    p = torch.arange(n)
    distance = p.unsqueeze(1) - p.unsqueeze(0)
    near = (distance % dilation == 0) & (distance < window * dilation)
    visible = (near | (p < num_global)) & (distance >= 0)
    return scores.softmax(dim=-1) * visible

# %% scores outside become 0 [torch]
import torch


def sparse_weights(scores, window, dilation, num_global):
    n = scores.shape[-1]
    p = torch.arange(n)
    distance = p.unsqueeze(1) - p.unsqueeze(0)
    near = (distance % dilation == 0) & (distance < window * dilation)
    visible = (near | (p < num_global)) & (distance >= 0)
    return torch.softmax(scores * visible, dim=-1)

# %% the loop over the window begins at the key before the own one [torch]
import torch


def sparse_weights(scores, window, dilation, num_global):
    b, n, _ = scores.shape
    mask = torch.zeros(n, n, dtype=torch.bool)
    for i in range(n):
        for step in range(1, window + 1):
            j = i - step * dilation
            if j >= 0:
                mask[i, j] = True
        for j in range(min(num_global, i + 1)):
            mask[i, j] = True
    return scores.masked_fill(~mask, -1e6).softmax(dim=-1)

# %% negative indices wrap around: early queries see the end [torch]
import torch


def sparse_weights(scores, window, dilation, num_global):
    b, n, _ = scores.shape
    mask = torch.zeros(n, n, dtype=torch.bool)
    for i in range(n):
        for step in range(window):
            j = i - step * dilation
            if j >= -n:
                mask[i, j] = True
        mask[i, : min(num_global, i + 1)] = True
    return scores.masked_fill(~mask, -1e6).softmax(dim=-1)

# %% key positions that are multiples of the dilation, and not distances [torch]
import torch


def sparse_weights(scores, window, dilation, num_global):
    n = scores.shape[-1]
    i = torch.arange(n).unsqueeze(1)
    j = torch.arange(n).unsqueeze(0)
    near = (i - j < window * dilation) & ((j % dilation == 0) | (i == j))
    visible = (near | (j < num_global)) & (j <= i)
    return scores.masked_fill(~visible, -1e6).softmax(dim=-1)

# %% the dilation is the size of the gap: steps of dilation + 1 [torch]
import torch


def sparse_weights(scores, window, dilation, num_global):
    n = scores.shape[-1]
    step = dilation + 1
    p = torch.arange(n)
    distance = p.unsqueeze(1) - p
    near = (distance % step == 0) & (distance < window * step)
    visible = (near | (p < num_global)) & (distance >= 0)
    return scores.masked_fill(~visible, -1e6).softmax(dim=-1)

# %% the softmax runs over the queries [torch]
import torch


def sparse_weights(scores, window, dilation, num_global):
    n = scores.shape[-1]
    p = torch.arange(n)
    distance = p.unsqueeze(1) - p
    near = (distance % dilation == 0) & (distance < window * dilation)
    visible = (near | (p < num_global)) & (distance >= 0)
    return scores.masked_fill(~visible, -1e6).softmax(dim=1)

# %% the global tokens are forgotten [torch]
import torch


def sparse_weights(scores, window, dilation, num_global):
    n = scores.shape[-1]
    mask = torch.zeros(n, n)
    for step in range(window):
        k = step * dilation
        if k < n:
            mask = mask + torch.diag(torch.ones(n - k), -k)
    return scores.masked_fill(mask == 0, -1e6).softmax(dim=-1)

# %% the mask is the wrong way round: what should be seen is filled [torch]
import torch


def sparse_weights(scores, window, dilation, num_global):
    n = scores.shape[-1]
    p = torch.arange(n)
    distance = p.unsqueeze(1) - p
    near = (distance % dilation == 0) & (distance < window * dilation)
    visible = (near | (p < num_global)) & (distance >= 0)
    return scores.masked_fill(visible, -1e6).softmax(dim=-1)

# %% first window and then global: the global keys that the window holds are counted twice [torch]
import torch


def sparse_weights(scores, window, dilation, num_global):
    n = scores.shape[-1]
    p = torch.arange(n)
    distance = p.unsqueeze(1) - p
    near = (distance % dilation == 0) & (distance < window * dilation) & (distance >= 0)
    first = (p < num_global) & (distance >= 0)
    times = near.float() + first.float()
    raised = torch.exp(scores) * times
    return raised / raised.sum(dim=-1, keepdim=True)

# %% and where it should be or: only global keys inside the window [mxnet]
from mxnet import nd


def sparse_weights(scores, window, dilation, num_global):
    n = scores.shape[2]
    j = nd.arange(n).reshape((1, n))
    i = nd.arange(n).reshape((n, 1))
    d = i - j
    near = (d < window * dilation) * (d % dilation == 0) * (d >= 0)
    visible = near * (j < num_global)
    visible = visible.expand_dims(0).broadcast_like(scores)
    return nd.where(visible, scores, nd.ones_like(scores) * -1e6).softmax(axis=-1)

# %% key minus query: the window looks ahead [mxnet]
from mxnet import nd


def sparse_weights(scores, window, dilation, num_global):
    n = scores.shape[2]
    j = nd.arange(n).reshape((1, n))
    i = nd.arange(n).reshape((n, 1))
    d = j - i
    near = (d < window * dilation) * (d % dilation == 0)
    visible = nd.broadcast_maximum(near, j < num_global) * (d >= 0)
    visible = visible.expand_dims(0).broadcast_like(scores)
    return nd.where(visible, scores, nd.ones_like(scores) * -1e6).softmax(axis=-1)

# %% the last tokens are the global ones [mxnet]
from mxnet import nd


def sparse_weights(scores, window, dilation, num_global):
    n = scores.shape[2]
    j = nd.arange(n).reshape((1, n))
    d = nd.arange(n).reshape((n, 1)) - j
    near = (d < window * dilation) * (d % dilation == 0)
    visible = nd.broadcast_maximum(near, j >= n - num_global) * (d >= 0)
    visible = visible.expand_dims(0).broadcast_like(scores)
    return nd.where(visible, scores, nd.ones_like(scores) * -1e6).softmax(axis=-1)

# %% the mask is added as 1 and 0 to the scores [mxnet]
from mxnet import nd


def sparse_weights(scores, window, dilation, num_global):
    n = scores.shape[2]
    j = nd.arange(n).reshape((1, n))
    d = nd.arange(n).reshape((n, 1)) - j
    near = (d < window * dilation) * (d % dilation == 0)
    visible = nd.broadcast_maximum(near, j < num_global) * (d >= 0)
    return nd.softmax(scores + visible.expand_dims(0), axis=-1)
