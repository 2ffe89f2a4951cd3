# %% the mask is inverted: the valid keys are filled [torch]
import torch


def masked_softmax(X, valid_length):
    if valid_length is None:
        return torch.softmax(X, dim=-1)
    if valid_length.dim() == 1:
        valid_length = valid_length[:, None]
    steps = torch.arange(X.size(-1))
    mask = steps[None, None, :] < valid_length[:, :, None]
    X = X.masked_fill(mask, -1e9)
    return torch.softmax(X, dim=-1)

# %% one key too many is kept [torch]
import torch


def masked_softmax(X, valid_length):
    if valid_length is None:
        return torch.softmax(X, dim=-1)
    if valid_length.dim() == 1:
        valid_length = valid_length[:, None]
    steps = torch.arange(X.size(-1))
    mask = steps[None, None, :] <= valid_length[:, :, None]
    X = X.masked_fill(~mask, -1e9)
    return torch.softmax(X, dim=-1)

# %% one key too few is kept [torch]
import torch


def masked_softmax(X, valid_length):
    if valid_length is None:
        return torch.softmax(X, dim=-1)
    if valid_length.dim() == 1:
        valid_length = valid_length[:, None]
    steps = torch.arange(X.size(-1))
    mask = steps[None, None, :] + 1 < valid_length[:, :, None]
    X = X.masked_fill(~mask, -1e9)
    return torch.softmax(X, dim=-1)

# %% zero instead of minus infinity is filled in before the softmax [torch]
import torch


def masked_softmax(X, valid_length):
    if valid_length is None:
        return torch.softmax(X, dim=-1)
    if valid_length.dim() == 1:
        valid_length = valid_length[:, None]
    steps = torch.arange(X.size(-1))
    mask = steps[None, None, :] < valid_length[:, :, None]
    X = X.masked_fill(~mask, 0)
    return torch.softmax(X, dim=-1)

# %% a small positive number is filled in [torch]
import torch


def masked_softmax(X, valid_length):
    if valid_length is None:
        return torch.softmax(X, dim=-1)
    if valid_length.dim() == 1:
        valid_length = valid_length[:, None]
    steps = torch.arange(X.size(-1))
    mask = steps[None, None, :] < valid_length[:, :, None]
    X = X.masked_fill(~mask, 1e-9)
    return torch.softmax(X, dim=-1)

# %% the weights are masked after the softmax and not divided again [torch]
import torch


def masked_softmax(X, valid_length):
    if valid_length is None:
        return torch.softmax(X, dim=-1)
    if valid_length.dim() == 1:
        valid_length = valid_length[:, None]
    steps = torch.arange(X.size(-1))
    mask = steps[None, None, :] < valid_length[:, :, None]
    return torch.softmax(X, dim=-1) * mask

# %% the scores are multiplied by the mask [torch]
import torch


def masked_softmax(X, valid_length):
    if valid_length is None:
        return torch.softmax(X, dim=-1)
    if valid_length.dim() == 1:
        valid_length = valid_length[:, None]
    steps = torch.arange(X.size(-1))
    mask = steps[None, None, :] < valid_length[:, :, None]
    X = X * mask
    return torch.softmax(X, dim=-1)

# %% softmax over the queries [torch]
import torch


def masked_softmax(X, valid_length):
    if valid_length is None:
        return torch.softmax(X, dim=-1)
    if valid_length.dim() == 1:
        valid_length = valid_length[:, None]
    steps = torch.arange(X.size(-1))
    mask = steps[None, None, :] < valid_length[:, :, None]
    X = X.masked_fill(~mask, -1e9)
    return torch.softmax(X, dim=1)

# %% lengths are repeated as a list, [2, 4, 2, 4] [torch]
import torch
import torch.nn.functional as F


def masked_softmax(X, valid_length):
    if valid_length is None:
        return F.softmax(X, dim=-1)
    shape = X.shape
    if valid_length.dim() == 1:
        valid_length = valid_length.repeat(shape[1])
    else:
        valid_length = valid_length.reshape(-1)
    rows = X.reshape(-1, shape[-1])
    keep = torch.arange(shape[-1])[None, :] < valid_length[:, None]
    rows = torch.where(keep, rows, torch.full_like(rows, float("-inf")))
    return F.softmax(rows, dim=-1).reshape(shape)

# %% the caller's scores are changed in place [torch]
import torch


def masked_softmax(X, valid_length):
    if valid_length is None:
        return torch.softmax(X, dim=-1)
    if valid_length.dim() == 1:
        valid_length = valid_length[:, None]
    steps = torch.arange(X.size(-1))
    mask = steps[None, None, :] < valid_length[:, :, None]
    X.masked_fill_(~mask, -1e9)
    return torch.softmax(X, dim=-1)

# %% the length is ignored [torch]
import torch


def masked_softmax(X, valid_length=None):
    e = torch.exp(X - X.max(dim=-1, keepdim=True).values)
    return e / e.sum(dim=-1, keepdim=True)

# %% None returns the scores as they are, without softmax [torch]
import torch
import torch.nn.functional as F


def masked_softmax(X, valid_length):
    if valid_length is None:
        return X
    shape = X.shape
    if valid_length.dim() == 1:
        valid_length = torch.repeat_interleave(valid_length, shape[1])
    else:
        valid_length = valid_length.reshape(-1)
    rows = X.reshape(-1, shape[-1])
    keep = torch.arange(shape[-1])[None, :] < valid_length[:, None]
    rows = torch.where(keep, rows, torch.full_like(rows, float("-inf")))
    return F.softmax(rows, dim=-1).reshape(shape)

# %% cuts the row at the length but normalises over all keys [torch]
import torch


def masked_softmax(X, valid_length):
    batch, queries, num_keys = X.shape
    rows = []
    for b in range(batch):
        for q in range(queries):
            if valid_length is None:
                n = num_keys
            elif valid_length.dim() == 1:
                n = int(valid_length[b])
            else:
                n = int(valid_length[b, q])
            part = torch.softmax(X[b, q], dim=0)[:n]
            rows.append(torch.cat([part, torch.zeros(num_keys - n)]))
    return torch.stack(rows).reshape(X.shape)

# %% masks queries beyond the length instead of keys [torch]
import torch


def masked_softmax(X, valid_length):
    if valid_length is None:
        return torch.softmax(X, dim=-1)
    if valid_length.dim() == 1:
        valid_length = valid_length[:, None]
    steps = torch.arange(X.size(1))
    mask = steps[None, :, None] < valid_length[:, :1, None]
    X = X.masked_fill(~mask, -1e9)
    return torch.softmax(X, dim=-1)

# %% always the first query's length for a whole batch element [torch]
import torch


def masked_softmax(X, valid_length):
    if valid_length is None:
        return torch.softmax(X, dim=-1)
    if valid_length.dim() == 1:
        valid_length = valid_length[:, None]
    steps = torch.arange(X.size(-1))
    mask = steps[None, None, :] < valid_length[:, :1, None]
    X = X.masked_fill(~mask, -1e9)
    return torch.softmax(X, dim=-1)

# %% only the first batch element's length counts [torch]
import torch


def masked_softmax(X, valid_length):
    batch, queries, num_keys = X.shape
    rows = []
    for b in range(batch):
        for q in range(queries):
            if valid_length is None:
                n = num_keys
            elif valid_length.dim() == 1:
                n = int(valid_length[0])
            else:
                n = int(valid_length[b, q])
            part = torch.softmax(X[b, q, :n], dim=0)
            rows.append(torch.cat([part, torch.zeros(num_keys - n)]))
    return torch.stack(rows).reshape(X.shape)

# %% fills with -1, which is not low enough [torch]
import torch
import torch.nn.functional as F


def masked_softmax(X, valid_length):
    if valid_length is None:
        return F.softmax(X, dim=-1)
    shape = X.shape
    if valid_length.dim() == 1:
        valid_length = torch.repeat_interleave(valid_length, shape[1])
    else:
        valid_length = valid_length.reshape(-1)
    rows = X.reshape(-1, shape[-1])
    keep = torch.arange(shape[-1])[None, :] < valid_length[:, None]
    rows = torch.where(keep, rows, torch.full_like(rows, -1.0))
    return F.softmax(rows, dim=-1).reshape(shape)

# %% works on one length for each batch element only [torch]
import torch


def masked_softmax(X, valid_length):
    if valid_length is None:
        return X.softmax(-1)
    mask = torch.arange(X.shape[2]).view(1, 1, -1) >= valid_length.view(-1, 1, 1)
    return X.masked_fill(mask, float("-inf")).softmax(-1)

# %% exp times mask, divided by the sum over all exponentials [torch]
import torch


def masked_softmax(X, valid_length):
    exps = torch.exp(X)
    if valid_length is None:
        return exps / exps.sum(dim=-1, keepdim=True)
    if valid_length.ndim == 1:
        valid_length = valid_length.unsqueeze(1).expand(-1, X.shape[1])
    mask = (torch.arange(X.shape[2]) < valid_length.unsqueeze(2)).float()
    return exps * mask / exps.sum(dim=-1, keepdim=True)

# %% log_softmax for softmax [torch]
import torch
import torch.nn.functional as F


def masked_softmax(X, valid_length):
    if valid_length is None:
        return F.softmax(X, dim=-1)
    shape = X.shape
    if valid_length.dim() == 1:
        valid_length = torch.repeat_interleave(valid_length, shape[1])
    else:
        valid_length = valid_length.reshape(-1)
    rows = X.reshape(-1, shape[-1])
    keep = torch.arange(shape[-1])[None, :] < valid_length[:, None]
    rows = torch.where(keep, rows, torch.full_like(rows, float("-inf")))
    return F.log_softmax(rows, dim=-1).reshape(shape)

# %% mask inverted and applied after the softmax [torch]
import torch
import torch.nn.functional as F


def masked_softmax(X, valid_length):
    if valid_length is None:
        return F.softmax(X, dim=-1)
    shape = X.shape
    if valid_length.dim() == 1:
        valid_length = torch.repeat_interleave(valid_length, shape[1])
    else:
        valid_length = valid_length.reshape(-1)
    rows = X.reshape(-1, shape[-1])
    keep = torch.arange(shape[-1])[None, :] < valid_length[:, None]
    weights = F.softmax(rows, dim=-1)
    return torch.where(keep, torch.zeros_like(weights), weights).reshape(shape)

# %% the mask is inverted in where [mxnet]
from mxnet import nd


def masked_softmax(X, valid_length):
    if valid_length is None:
        return nd.softmax(X, axis=-1)
    if valid_length.ndim == 1:
        valid_length = valid_length.expand_dims(1)
    keys = nd.arange(X.shape[-1]).reshape((1, 1, -1))
    mask = nd.broadcast_lesser(keys, valid_length.expand_dims(2))
    mask = mask.broadcast_like(X)
    X = nd.where(mask, nd.ones_like(X) * -1e6, X)
    return nd.softmax(X, axis=-1)

# %% softmax first, then SequenceMask with zero [mxnet]
from mxnet import nd


def masked_softmax(X, valid_length):
    if valid_length is None:
        return X.softmax(axis=-1)
    shape = X.shape
    if valid_length.ndim == 1:
        valid_length = valid_length.repeat(shape[1])
    else:
        valid_length = valid_length.reshape((-1,))
    rows = X.reshape((-1, shape[-1]))
    rows = rows.softmax(axis=-1)
    return nd.SequenceMask(rows, valid_length, use_sequence_length=True, axis=1).reshape(shape)

# %% SequenceMask leaves its default value 0 [mxnet]
from mxnet import nd


def masked_softmax(X, valid_length):
    if valid_length is None:
        return X.softmax(axis=-1)
    shape = X.shape
    if valid_length.ndim == 1:
        valid_length = valid_length.repeat(shape[1])
    else:
        valid_length = valid_length.reshape((-1,))
    rows = X.reshape((-1, shape[-1]))
    rows = nd.SequenceMask(rows, valid_length, use_sequence_length=True, axis=1)
    return rows.softmax(axis=-1).reshape(shape)

# %% SequenceMask does not use the lengths, as the switch is forgotten [mxnet]
from mxnet import nd


def masked_softmax(X, valid_length):
    if valid_length is None:
        return X.softmax(axis=-1)
    shape = X.shape
    if valid_length.ndim == 1:
        valid_length = valid_length.repeat(shape[1])
    else:
        valid_length = valid_length.reshape((-1,))
    rows = X.reshape((-1, shape[-1]))
    rows = nd.SequenceMask(rows, valid_length,  axis=1, value=-1e6)
    return rows.softmax(axis=-1).reshape(shape)

# %% lengths are tiled where each should be repeated [mxnet]
from mxnet import nd


def masked_softmax(X, valid_length):
    if valid_length is None:
        return X.softmax(axis=-1)
    shape = X.shape
    if valid_length.ndim == 1:
        valid_length = nd.tile(valid_length, shape[1])
    else:
        valid_length = valid_length.reshape((-1,))
    rows = X.reshape((-1, shape[-1]))
    rows = nd.SequenceMask(rows, valid_length, use_sequence_length=True, axis=1, value=-1e6)
    return rows.softmax(axis=-1).reshape(shape)

# %% keeps one key too many [mxnet]
from mxnet import nd


def masked_softmax(X, valid_length):
    if valid_length is None:
        return nd.softmax(X, axis=-1)
    if valid_length.ndim == 1:
        valid_length = valid_length.expand_dims(1)
    keys = nd.arange(X.shape[-1]).reshape((1, 1, -1))
    mask = nd.broadcast_lesser_equal(keys, valid_length.expand_dims(2))
    mask = mask.broadcast_like(X)
    X = nd.where(mask, X, nd.ones_like(X) * -1e6)
    return nd.softmax(X, axis=-1)

# %% one length for all: the longest of the batch [torch]
import torch


def masked_softmax(X, valid_length):
    if valid_length is None:
        return X.softmax(dim=-1)
    n = int(valid_length.max())
    weights = torch.zeros_like(X)
    weights[:, :, :n] = X[:, :, :n].softmax(dim=-1)
    return weights

# %% the rows are cut off at the length, so they get shorter [torch]
import torch


def masked_softmax(X, valid_length):
    if valid_length is None:
        return X.softmax(dim=-1)
    n = int(valid_length.max())
    return X[:, :, :n].softmax(dim=-1)

# %% the smallest length for all queries of a batch element [torch]
import torch


def masked_softmax(X, valid_length):
    if valid_length is None:
        return X.softmax(dim=-1)
    if valid_length.ndim == 2:
        valid_length = valid_length.min(dim=1).values
    keep = torch.arange(X.shape[2]) < valid_length.reshape(-1, 1, 1)
    e = torch.exp(X) * keep
    return e / e.sum(dim=2, keepdim=True)

# %% the valid scores' minimum is subtracted and padding set to zero [torch]
import torch


def masked_softmax(X, valid_length):
    X = X - X.min(dim=-1, keepdim=True).values
    if valid_length is not None:
        if valid_length.dim() == 1:
            valid_length = valid_length[:, None].expand(X.shape[:2])
        X = X * (torch.arange(X.shape[-1]) < valid_length[..., None])
    return X.softmax(dim=-1)

# %% scores over their sum, with no exponential [torch]
import torch


def masked_softmax(X, valid_length):
    if valid_length is not None:
        if valid_length.dim() == 1:
            valid_length = valid_length.unsqueeze(1)
        X = X * (torch.arange(X.shape[-1]) < valid_length.unsqueeze(2))
    return X / X.sum(dim=-1, keepdim=True)
