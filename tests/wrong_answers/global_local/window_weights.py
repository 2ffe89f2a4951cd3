# %% strictly within D [torch]
import torch


def window_weights(scores, positions, valid_length, D):
    s = torch.arange(scores.shape[-1])
    near = (s - positions.unsqueeze(-1)).abs() < D
    real = s < valid_length.reshape(-1, 1, 1)
    mask = near & real
    w = scores.masked_fill(~mask, -1e9).softmax(dim=-1)
    return w * mask

# %% the window reaches D + 1 [torch]
import torch


def window_weights(scores, positions, valid_length, D):
    s = torch.arange(scores.shape[-1])
    near = (s - positions.unsqueeze(-1)).abs() <= D + 1
    real = s < valid_length.reshape(-1, 1, 1)
    mask = near & real
    w = scores.masked_fill(~mask, -1e9).softmax(dim=-1)
    return w * mask

# %% D words in all: D / 2 to each side [torch]
import torch


def window_weights(scores, positions, valid_length, D):
    s = torch.arange(scores.shape[-1])
    near = (s - positions.unsqueeze(-1)).abs() <= D / 2
    real = s < valid_length.reshape(-1, 1, 1)
    mask = near & real
    w = scores.masked_fill(~mask, -1e9).softmax(dim=-1)
    return w * mask

# %% the position is rounded first [torch]
import torch


def window_weights(scores, positions, valid_length, D):
    s = torch.arange(scores.shape[-1])
    near = (s - positions.round().unsqueeze(-1)).abs() <= D
    real = s < valid_length.reshape(-1, 1, 1)
    mask = near & real
    w = scores.masked_fill(~mask, -1e9).softmax(dim=-1)
    return w * mask

# %% the position is cut to a whole number [torch]
import torch
import torch.nn.functional as F


def window_weights(scores, positions, valid_length, D):
    keys = torch.arange(scores.size(2)).view(1, 1, -1)
    p = positions.long()[:, :, None]
    inside = (keys >= p - D) & (keys <= p + D)
    inside = inside & (keys < valid_length[:, None, None])
    filled = torch.where(inside, scores, torch.tensor(float("-inf")))
    empty = ~inside.any(dim=-1, keepdim=True)
    filled = filled.masked_fill(empty, 0.0)
    return F.softmax(filled, dim=-1).masked_fill(empty, 0.0)

# %% the window looks back only [torch]
import torch
import torch.nn.functional as F


def window_weights(scores, positions, valid_length, D):
    keys = torch.arange(scores.size(2)).view(1, 1, -1)
    p = positions[:, :, None]
    inside = (keys >= p - D) & (keys <= p)
    inside = inside & (keys < valid_length[:, None, None])
    filled = torch.where(inside, scores, torch.tensor(float("-inf")))
    empty = ~inside.any(dim=-1, keepdim=True)
    filled = filled.masked_fill(empty, 0.0)
    return F.softmax(filled, dim=-1).masked_fill(empty, 0.0)

# %% the window looks ahead only [torch]
import torch
import torch.nn.functional as F


def window_weights(scores, positions, valid_length, D):
    keys = torch.arange(scores.size(2)).view(1, 1, -1)
    p = positions[:, :, None]
    inside = (keys >= p) & (keys <= p + D)
    inside = inside & (keys < valid_length[:, None, None])
    filled = torch.where(inside, scores, torch.tensor(float("-inf")))
    empty = ~inside.any(dim=-1, keepdim=True)
    filled = filled.masked_fill(empty, 0.0)
    return F.softmax(filled, dim=-1).masked_fill(empty, 0.0)

# %% the end of the window is left out, as with range [torch]
import torch
import torch.nn.functional as F


def window_weights(scores, positions, valid_length, D):
    keys = torch.arange(scores.size(2)).view(1, 1, -1)
    p = positions[:, :, None]
    inside = (keys >= p - D) & (keys < p + D)
    inside = inside & (keys < valid_length[:, None, None])
    filled = torch.where(inside, scores, torch.tensor(float("-inf")))
    empty = ~inside.any(dim=-1, keepdim=True)
    filled = filled.masked_fill(empty, 0.0)
    return F.softmax(filled, dim=-1).masked_fill(empty, 0.0)

# %% the sentence's length is ignored [torch]
import torch


def window_weights(scores, positions, valid_length, D):
    s = torch.arange(scores.shape[-1])
    near = (s - positions.unsqueeze(-1)).abs() <= D
    real = s < valid_length.reshape(-1, 1, 1)
    mask = near
    w = scores.masked_fill(~mask, -1e9).softmax(dim=-1)
    return w * mask

# %% only the length counts, not the window [torch]
import torch


def window_weights(scores, positions, valid_length, D):
    s = torch.arange(scores.shape[-1])
    near = (s - positions.unsqueeze(-1)).abs() <= D
    real = s < valid_length.reshape(-1, 1, 1)
    mask = real.expand_as(scores)
    w = scores.masked_fill(~mask, -1e9).softmax(dim=-1)
    return w * mask

# %% one word beyond the sentence is let in [torch]
import torch


def window_weights(scores, positions, valid_length, D):
    s = torch.arange(scores.shape[-1])
    near = (s - positions.unsqueeze(-1)).abs() <= D
    real = s <= valid_length.reshape(-1, 1, 1)
    mask = near & real
    w = scores.masked_fill(~mask, -1e9).softmax(dim=-1)
    return w * mask

# %% near or real: the masks are joined by or [torch]
import torch


def window_weights(scores, positions, valid_length, D):
    s = torch.arange(scores.shape[-1])
    near = (s - positions.unsqueeze(-1)).abs() <= D
    real = s < valid_length.reshape(-1, 1, 1)
    mask = near | real
    w = scores.masked_fill(~mask, -1e9).softmax(dim=-1)
    return w * mask

# %% softmax first, then the window, not divided again [torch]
import torch


def window_weights(scores, positions, valid_length, D):
    s = torch.arange(scores.shape[-1])
    near = (s - positions.unsqueeze(-1)).abs() <= D
    real = s < valid_length.reshape(-1, 1, 1)
    mask = near & real
    w = scores.softmax(dim=-1)
    return w * mask

# %% an empty window stays uniform [torch]
import torch


def window_weights(scores, positions, valid_length, D):
    s = torch.arange(scores.shape[-1])
    near = (s - positions.unsqueeze(-1)).abs() <= D
    real = s < valid_length.reshape(-1, 1, 1)
    mask = near & real
    w = scores.masked_fill(~mask, -1e9).softmax(dim=-1)
    return w

# %% an empty window gives nan [torch]
import torch
import torch.nn.functional as F


def window_weights(scores, positions, valid_length, D):
    keys = torch.arange(scores.size(2)).view(1, 1, -1)
    p = positions[:, :, None]
    inside = (keys >= p - D) & (keys <= p + D)
    inside = inside & (keys < valid_length[:, None, None])
    filled = torch.where(inside, scores, torch.tensor(float("-inf")))
    empty = ~inside.any(dim=-1, keepdim=True)
    return F.softmax(filled, dim=-1)

# %% the distance without its absolute value [torch]
import torch


def window_weights(scores, positions, valid_length, D):
    s = torch.arange(scores.shape[-1])
    near = s - positions.unsqueeze(-1) <= D
    real = s < valid_length.reshape(-1, 1, 1)
    mask = near & real
    w = scores.masked_fill(~mask, -1e9).softmax(dim=-1)
    return w * mask

# %% zero is filled in before the softmax [torch]
import torch


def window_weights(scores, positions, valid_length, D):
    s = torch.arange(scores.shape[-1])
    near = (s - positions.unsqueeze(-1)).abs() <= D
    real = s < valid_length.reshape(-1, 1, 1)
    mask = near & real
    w = scores.masked_fill(~mask, 0.0).softmax(dim=-1)
    return w * mask

# %% softmax over all words of the sentence, then the window [torch]
import torch


def window_weights(scores, positions, valid_length, D):
    s = torch.arange(scores.shape[-1])
    near = (s - positions.unsqueeze(-1)).abs() <= D
    real = s < valid_length.reshape(-1, 1, 1)
    mask = near & real
    w = scores.masked_fill(~real, -1e9).softmax(dim=-1)
    return w * mask

# %% softmax over all words in the window, then the sentence [torch]
import torch


def window_weights(scores, positions, valid_length, D):
    s = torch.arange(scores.shape[-1])
    near = (s - positions.unsqueeze(-1)).abs() <= D
    real = s < valid_length.reshape(-1, 1, 1)
    mask = near & real
    w = scores.masked_fill(~near, -1e9).softmax(dim=-1)
    return w * mask

# %% the query's own index is the position (local-m) [torch]
import torch
import torch.nn.functional as F


def window_weights(scores, positions, valid_length, D):
    keys = torch.arange(scores.size(2)).view(1, 1, -1)
    p = torch.arange(positions.shape[1])[None, :, None]
    inside = (keys >= p - D) & (keys <= p + D)
    inside = inside & (keys < valid_length[:, None, None])
    filled = torch.where(inside, scores, torch.tensor(float("-inf")))
    empty = ~inside.any(dim=-1, keepdim=True)
    filled = filled.masked_fill(empty, 0.0)
    return F.softmax(filled, dim=-1).masked_fill(empty, 0.0)

# %% an empty window falls back to all words of the sentence [torch]
import torch
import torch.nn.functional as F


def window_weights(scores, positions, valid_length, D):
    keys = torch.arange(scores.size(2)).view(1, 1, -1)
    p = positions[:, :, None]
    inside = (keys >= p - D) & (keys <= p + D)
    inside = inside & (keys < valid_length[:, None, None])
    filled = torch.where(inside, scores, torch.tensor(float("-inf")))
    empty = ~inside.any(dim=-1, keepdim=True)
    filled = filled.masked_fill(empty, 0.0)
    whole = scores.masked_fill(keys >= valid_length[:, None, None], -1e9)
    return torch.where(empty, F.softmax(whole, dim=-1), F.softmax(filled, dim=-1))

# %% multiplied by a Gaussian besides [torch]
import torch


def window_weights(scores, positions, valid_length, D):
    s = torch.arange(scores.shape[-1])
    near = (s - positions.unsqueeze(-1)).abs() <= D
    real = s < valid_length.reshape(-1, 1, 1)
    mask = near & real
    w = scores.masked_fill(~mask, -1e9).softmax(dim=-1)
    gap = s - positions.unsqueeze(-1)
    return w * mask * torch.exp(-(gap**2) / (2 * (D / 2) ** 2))

# %% position counted from one [torch]
import torch


def window_weights(scores, positions, valid_length, D):
    s = torch.arange(1, scores.shape[-1] + 1)
    near = (s - positions.unsqueeze(-1)).abs() <= D
    real = s < valid_length.reshape(-1, 1, 1)
    mask = near & real
    w = scores.masked_fill(~mask, -1e9).softmax(dim=-1)
    return w * mask

# %% the position is clipped into the sentence [mxnet]
from mxnet import nd


def window_weights(scores, positions, valid_length, D):
    s = nd.arange(scores.shape[-1]).reshape((1, 1, -1))
    gap = nd.broadcast_sub(s, nd.broadcast_minimum(positions, (valid_length - 1).reshape((-1, 1))).expand_dims(2)).abs()
    real = nd.broadcast_lesser(s, valid_length.reshape((-1, 1, 1)))
    mask = nd.broadcast_mul(gap <= D, real)
    low = nd.ones_like(scores) * -1e6
    return nd.softmax(nd.where(mask, scores, low), axis=-1) * mask

# %% strictly within D [mxnet]
from mxnet import nd


def window_weights(scores, positions, valid_length, D):
    s = nd.arange(scores.shape[-1]).reshape((1, 1, -1))
    gap = nd.broadcast_sub(s, positions.expand_dims(2)).abs()
    real = nd.broadcast_lesser(s, valid_length.reshape((-1, 1, 1)))
    mask = nd.broadcast_mul(gap < D, real)
    low = nd.ones_like(scores) * -1e6
    return nd.softmax(nd.where(mask, scores, low), axis=-1) * mask

# %% the sentence's length is ignored [mxnet]
from mxnet import nd


def window_weights(scores, positions, valid_length, D):
    s = nd.arange(scores.shape[-1]).reshape((1, 1, -1))
    gap = nd.broadcast_sub(s, positions.expand_dims(2)).abs()
    real = nd.broadcast_lesser(s, valid_length.reshape((-1, 1, 1)))
    mask = gap <= D
    low = nd.ones_like(scores) * -1e6
    return nd.softmax(nd.where(mask, scores, low), axis=-1) * mask

# %% an empty window is not cleared [mxnet]
from mxnet import nd


def window_weights(scores, positions, valid_length, D):
    s = nd.arange(scores.shape[-1]).reshape((1, 1, -1))
    gap = nd.broadcast_sub(s, positions.expand_dims(2)).abs()
    real = nd.broadcast_lesser(s, valid_length.reshape((-1, 1, 1)))
    mask = nd.broadcast_mul(gap <= D, real)
    low = nd.ones_like(scores) * -1e6
    return nd.softmax(nd.where(mask, scores, low), axis=-1)

# %% softmax first, and strictly within D [mxnet]
from mxnet import nd


def window_weights(scores, positions, valid_length, D):
    s = nd.arange(scores.shape[-1]).reshape((1, 1, -1))
    gap = nd.broadcast_sub(s, positions.expand_dims(2)).abs()
    real = nd.broadcast_lesser(s, valid_length.reshape((-1, 1, 1)))
    mask = nd.broadcast_mul(gap < D, real)
    low = nd.ones_like(scores) * -1e6
    return nd.softmax(scores, axis=-1) * mask

# %% the window is cut out of the whole numbers around the rounded-down position [torch]
import torch


def window_weights(scores, positions, valid_length, D):
    keys = torch.arange(scores.shape[-1])
    start = torch.floor(positions).unsqueeze(-1) - D
    inside = (keys >= start) & (keys <= start + 2 * D)
    inside = inside & (keys < valid_length[:, None, None])
    w = torch.softmax(scores.masked_fill(~inside, -1e9), dim=-1)
    return w.masked_fill(~inside, 0.0)

# %% the windows beyond the sentence are moved back into it [torch]
import torch


def window_weights(scores, positions, valid_length, D):
    s = torch.arange(scores.shape[-1])
    last = (valid_length - 1).unsqueeze(1).to(positions.dtype)
    p = torch.minimum(positions, last).clamp(min=0).unsqueeze(2)
    ok = ((s - p).abs() <= D) & (s < valid_length[:, None, None])
    return scores.masked_fill(~ok, -1e9).softmax(-1) * ok
