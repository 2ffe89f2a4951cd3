# %% the empty row stays uniform: nothing is cleared [torch]
import torch


def masked_softmax_or_zero(X, valid_length):
    if valid_length.dim() == 1:
        valid_length = valid_length[:, None]
    mask = torch.arange(X.shape[-1]) < valid_length[..., None]
    filled = X.masked_fill(~mask, torch.finfo(X.dtype).min)
    weights = torch.softmax(filled, dim=-1)
    return weights

# %% fills with -1e6, which half precision does not hold [torch]
import torch


def masked_softmax_or_zero(X, valid_length):
    if valid_length.dim() == 1:
        valid_length = valid_length[:, None]
    mask = torch.arange(X.shape[-1]) < valid_length[..., None]
    filled = X.masked_fill(~mask, -1e6)
    weights = torch.softmax(filled, dim=-1)
    return weights * mask

# %% fills with -1e4 and forgets the empty rows [torch]
import torch


def masked_softmax_or_zero(X, valid_length):
    if valid_length.dim() == 1:
        valid_length = valid_length[:, None]
    mask = torch.arange(X.shape[-1]) < valid_length[..., None]
    filled = X.masked_fill(~mask, -1e4)
    weights = torch.softmax(filled, dim=-1)
    return weights

# %% minus infinity makes empty rows not a number [torch]
import torch


def masked_softmax_or_zero(X, valid_length):
    if valid_length.dim() == 1:
        valid_length = valid_length[:, None]
    mask = torch.arange(X.shape[-1]) < valid_length[..., None]
    filled = X.masked_fill(~mask, float("-inf"))
    weights = torch.softmax(filled, dim=-1)
    return weights * mask

# %% minus infinity, and nothing done for the empty row [torch]
import torch


def masked_softmax_or_zero(X, valid_length):
    if valid_length.ndim == 1:
        valid_length = valid_length.unsqueeze(-1).expand(X.shape[:2])
    ok = torch.arange(X.shape[2]).view(1, 1, -1) < valid_length.unsqueeze(-1)
    empty = (valid_length == 0).unsqueeze(-1)
    scores = X.masked_fill(~ok, float("-inf"))
    weights = scores.softmax(dim=-1)
    return weights

# %% only the mask after the softmax, the rest not normalised again [torch]
import torch


def masked_softmax_or_zero(X, valid_length):
    if valid_length.dim() == 1:
        valid_length = valid_length[:, None]
    mask = torch.arange(X.shape[-1]) < valid_length[..., None]
    filled = X.masked_fill(~mask, torch.finfo(X.dtype).min)
    weights = torch.softmax(X, dim=-1)
    return weights * mask

# %% the whole batch element is cleared if any query is empty [torch]
import torch


def masked_softmax_or_zero(X, valid_length):
    if valid_length.ndim == 1:
        valid_length = valid_length.unsqueeze(-1).expand(X.shape[:2])
    ok = torch.arange(X.shape[2]).view(1, 1, -1) < valid_length.unsqueeze(-1)
    empty = (valid_length == 0).any(dim=1, keepdim=True).unsqueeze(-1)
    scores = X.masked_fill(~ok, float("-inf"))
    scores = scores.masked_fill(empty, 0.0)
    weights = scores.softmax(dim=-1)
    return weights.masked_fill(empty, 0.0)

# %% the length is raised to 1 so that no row is empty [torch]
import torch


def masked_softmax_or_zero(X, valid_length):
    if valid_length.dim() == 1:
        valid_length = valid_length[:, None]
    valid_length = valid_length.clamp(min=1)
    mask = torch.arange(X.shape[-1]) < valid_length[..., None]
    filled = X.masked_fill(~mask, torch.finfo(X.dtype).min)
    weights = torch.softmax(filled, dim=-1)
    return weights * mask

# %% empty rows get not a number on purpose [torch]
import torch


def masked_softmax_or_zero(X, valid_length):
    if valid_length.ndim == 1:
        valid_length = valid_length.unsqueeze(-1).expand(X.shape[:2])
    ok = torch.arange(X.shape[2]).view(1, 1, -1) < valid_length.unsqueeze(-1)
    empty = (valid_length == 0).unsqueeze(-1)
    scores = X.masked_fill(~ok, float("-inf"))
    scores = scores.masked_fill(empty, 0.0)
    weights = scores.softmax(dim=-1)
    return weights.masked_fill(empty, float("nan"))

# %% uses the smallest positive number of the type [torch]
import torch


def masked_softmax_or_zero(X, valid_length):
    if valid_length.dim() == 1:
        valid_length = valid_length[:, None]
    mask = torch.arange(X.shape[-1]) < valid_length[..., None]
    filled = X.masked_fill(~mask, torch.finfo(X.dtype).tiny)
    weights = torch.softmax(filled, dim=-1)
    return weights * mask

# %% one key too many, so a length of 0 keeps the first key [torch]
import torch


def masked_softmax_or_zero(X, valid_length):
    if valid_length.dim() == 1:
        valid_length = valid_length[:, None]
    mask = torch.arange(X.shape[-1]) <= valid_length[..., None]
    filled = X.masked_fill(~mask, torch.finfo(X.dtype).min)
    weights = torch.softmax(filled, dim=-1)
    return weights * mask

# %% the whole row sums are checked for all queries at once: returns zeros if any length is 0 [torch]
import torch
import torch.nn.functional as F


def masked_softmax_or_zero(X, valid_length):
    if (valid_length == 0).any():
        return torch.zeros_like(X)
    if valid_length.ndim == 1:
        valid_length = valid_length.unsqueeze(1)
    mask = torch.arange(X.shape[-1]) < valid_length.unsqueeze(-1)
    return F.softmax(X.masked_fill(~mask, torch.finfo(X.dtype).min), dim=-1)

# %% a small epsilon is added to the sum of the masked exponentials [torch]
import torch


def masked_softmax_or_zero(X, valid_length):
    if valid_length.ndim == 1:
        valid_length = valid_length.unsqueeze(1)
    mask = torch.arange(X.shape[-1]) < valid_length.unsqueeze(-1)
    exps = torch.exp(X - X.amax(-1, keepdim=True)) * mask
    return exps / (exps.sum(-1, keepdim=True) + 1e-2)

# %% softmax over the queries [torch]
import torch


def masked_softmax_or_zero(X, valid_length):
    if valid_length.dim() == 1:
        valid_length = valid_length[:, None]
    mask = torch.arange(X.shape[-1]) < valid_length[..., None]
    filled = X.masked_fill(~mask, torch.finfo(X.dtype).min)
    weights = torch.softmax(filled, dim=-2)
    return weights * mask

# %% the mask is inverted at the second place only [torch]
import torch


def masked_softmax_or_zero(X, valid_length):
    if valid_length.dim() == 1:
        valid_length = valid_length[:, None]
    mask = torch.arange(X.shape[-1]) < valid_length[..., None]
    filled = X.masked_fill(~mask, torch.finfo(X.dtype).min)
    weights = torch.softmax(filled, dim=-1)
    return weights * ~mask

# %% the lengths of the batch elements land on the queries [torch]
import torch


def masked_softmax_or_zero(X, valid_length):
    if valid_length.dim() == 1:
        valid_length = valid_length[None, :]
    mask = torch.arange(X.shape[-1]) < valid_length[..., None]
    filled = X.masked_fill(~mask, torch.finfo(X.dtype).min)
    weights = torch.softmax(filled, dim=-1)
    return weights * mask

# %% -1e6 and no clearing [mxnet]
import numpy as np
from mxnet import nd


def masked_softmax_or_zero(X, valid_length):
    if valid_length.ndim == 1:
        valid_length = valid_length.expand_dims(1)
    keys = nd.arange(X.shape[-1]).reshape((1, 1, -1))
    mask = nd.broadcast_lesser(keys, valid_length.astype("float32").expand_dims(-1))
    mask = mask.astype(X.dtype).broadcast_like(X)
    low = nd.ones_like(X) * -1e6
    w = nd.softmax(nd.where(mask, X, low), axis=-1)
    return w

# %% masks the weights only, without filling the scores [mxnet]
import numpy as np
from mxnet import nd


def masked_softmax_or_zero(X, valid_length):
    if valid_length.ndim == 1:
        valid_length = valid_length.expand_dims(1)
    keys = nd.arange(X.shape[-1]).reshape((1, 1, -1))
    mask = nd.broadcast_lesser(keys, valid_length.astype("float32").expand_dims(-1))
    mask = mask.astype(X.dtype).broadcast_like(X)
    low = nd.ones_like(X) * float(np.finfo(X.dtype).min)
    w = nd.softmax(X, axis=-1)
    return w * mask

# %% the lowest of float32 whatever the type is [mxnet]
import numpy as np
from mxnet import nd


def masked_softmax_or_zero(X, valid_length):
    if valid_length.ndim == 1:
        valid_length = valid_length.expand_dims(1)
    keys = nd.arange(X.shape[-1]).reshape((1, 1, -1))
    mask = nd.broadcast_lesser(keys, valid_length.astype("float32").expand_dims(-1))
    mask = mask.astype(X.dtype).broadcast_like(X)
    low = nd.ones_like(X) * float(np.finfo("float32").min)
    w = nd.softmax(nd.where(mask, X, low), axis=-1)
    return w * mask

# %% scores times mask before the softmax [mxnet]
import numpy as np
from mxnet import nd


def masked_softmax_or_zero(X, valid_length):
    if valid_length.ndim == 1:
        valid_length = valid_length.expand_dims(1)
    keys = nd.arange(X.shape[-1]).reshape((1, 1, -1))
    mask = nd.broadcast_lesser(keys, valid_length.astype("float32").expand_dims(-1))
    mask = mask.astype(X.dtype).broadcast_like(X)
    low = nd.ones_like(X) * float(np.finfo(X.dtype).min)
    w = nd.softmax(X * mask, axis=-1)
    return w * mask

# %% the mask is inverted [mxnet]
import numpy as np
from mxnet import nd


def masked_softmax_or_zero(X, valid_length):
    if valid_length.ndim == 1:
        valid_length = valid_length.expand_dims(1)
    keys = nd.arange(X.shape[-1]).reshape((1, 1, -1))
    mask = nd.broadcast_lesser(keys, valid_length.astype("float32").expand_dims(-1))
    mask = mask.astype(X.dtype).broadcast_like(X)
    low = nd.ones_like(X) * float(np.finfo(X.dtype).min)
    w = nd.softmax(nd.where(mask, low, X), axis=-1)
    return w * mask

# %% the empty rows are dropped from the batch [torch]
import torch


def masked_softmax_or_zero(X, valid_length):
    if valid_length.ndim == 1:
        valid_length = valid_length.unsqueeze(1).expand(X.shape[:2])
    mask = torch.arange(X.shape[-1]) < valid_length.unsqueeze(-1)
    w = X.masked_fill(~mask, torch.finfo(X.dtype).min).softmax(-1)
    return w[valid_length > 0]

# %% only lengths of one number for each batch element are thought of [torch]
import torch


def masked_softmax_or_zero(X, valid_length):
    out = torch.zeros_like(X)
    for b, n in enumerate(valid_length):
        if n > 0:
            out[b, :, :n] = X[b, :, :n].softmax(dim=-1)
    return out

# %% the weights are compared with the uniform ones: such rows are cleared [torch]
import torch


def masked_softmax_or_zero(X, valid_length):
    if valid_length.ndim == 1:
        valid_length = valid_length.unsqueeze(1)
    mask = torch.arange(X.shape[-1]) < valid_length.unsqueeze(-1)
    w = X.masked_fill(~mask, torch.finfo(X.dtype).min).softmax(-1)
    uniform = w.max(-1, keepdim=True).values - w.min(-1, keepdim=True).values < 0.2
    return w.masked_fill(uniform, 0.0)
