# %% an ordinary masked softmax: the rows sum to 1 [torch]
import torch


def softmax_with_zero(scores, valid_length):
    positions = torch.arange(scores.shape[-1])
    mask = positions < valid_length.reshape(-1, 1, 1)
    return scores.masked_fill(~mask, -1e6).softmax(dim=-1) * mask

# %% exponentials as they are: large scores overflow [torch]
import torch


def softmax_with_zero(scores, valid_length):
    mask = torch.arange(scores.shape[-1]) < valid_length.reshape(-1, 1, 1)
    e = torch.exp(scores) * mask
    return e / (1 + e.sum(dim=-1, keepdim=True))

# %% the largest score is subtracted, and the 1 stays 1 [torch]
import torch


def softmax_with_zero(scores, valid_length):
    mask = torch.arange(scores.shape[-1]) < valid_length.reshape(-1, 1, 1)
    filled = scores.masked_fill(~mask, -1e6)
    e = torch.exp(filled - filled.max(dim=-1, keepdim=True).values) * mask
    return e / (1 + e.sum(dim=-1, keepdim=True))

# %% the extra weight is left in: one key too many [torch]
import torch


def softmax_with_zero(scores, valid_length):
    mask = torch.arange(scores.shape[-1]) < valid_length.reshape(-1, 1, 1)
    filled = scores.masked_fill(~mask, -1e6)
    zero = torch.zeros(*scores.shape[:2], 1)
    return torch.cat([filled, zero], dim=-1).softmax(dim=-1)

# %% the wrong end is cut off: the weight of the first key is gone, the extra one stays [torch]
import torch


def softmax_with_zero(scores, valid_length):
    mask = torch.arange(scores.shape[-1]) < valid_length.reshape(-1, 1, 1)
    filled = scores.masked_fill(~mask, -1e6)
    zero = torch.zeros(*scores.shape[:2], 1)
    return torch.cat([filled, zero], dim=-1).softmax(dim=-1)[..., 1:]

# %% the mask comes after the softmax: padding takes part in the sum [torch]
import torch


def softmax_with_zero(scores, valid_length):
    mask = torch.arange(scores.shape[-1]) < valid_length.reshape(-1, 1, 1)
    zero = torch.zeros(*scores.shape[:2], 1)
    w = torch.cat([scores, zero], dim=-1).softmax(dim=-1)[..., :-1]
    return w * mask

# %% padding scores 0, so each padded key is one more zero [torch]
import torch


def softmax_with_zero(scores, valid_length):
    mask = torch.arange(scores.shape[-1]) < valid_length.reshape(-1, 1, 1)
    zero = torch.zeros(*scores.shape[:2], 1)
    w = torch.cat([scores * mask, zero], dim=-1).softmax(dim=-1)[..., :-1]
    return w * mask

# %% the valid length is ignored [torch]
import torch


def softmax_with_zero(scores, valid_length):
    zero = torch.zeros(*scores.shape[:2], 1)
    return torch.cat([scores, zero], dim=-1).softmax(dim=-1)[..., :-1]

# %% a small number is added in place of 1 [torch]
import torch


def softmax_with_zero(scores, valid_length):
    mask = torch.arange(scores.shape[-1]) < valid_length.reshape(-1, 1, 1)
    filled = scores.masked_fill(~mask, -1e6)
    e = torch.exp(filled - filled.max(dim=-1, keepdim=True).values) * mask
    return e / (1e-9 + e.sum(dim=-1, keepdim=True))

# %% the extra score is 1, not 0 [torch]
import torch


def softmax_with_zero(scores, valid_length):
    mask = torch.arange(scores.shape[-1]) < valid_length.reshape(-1, 1, 1)
    filled = scores.masked_fill(~mask, -1e6)
    one = torch.ones(*scores.shape[:2], 1)
    return torch.cat([filled, one], dim=-1).softmax(dim=-1)[..., :-1]

# %% a sigmoid for each key [torch]
import torch


def softmax_with_zero(scores, valid_length):
    mask = torch.arange(scores.shape[-1]) < valid_length.reshape(-1, 1, 1)
    return torch.sigmoid(scores) * mask

# %% minus infinity and 0 times it: nan where a row is empty [torch]
import torch


def softmax_with_zero(scores, valid_length):
    mask = torch.arange(scores.shape[-1]) < valid_length.reshape(-1, 1, 1)
    filled = scores.masked_fill(~mask, float("-inf"))
    m = filled.max(dim=-1, keepdim=True).values
    e = torch.exp(filled - m)
    return e / (torch.exp(-m) + e.sum(dim=-1, keepdim=True))

# %% the zero is behind the padding and is masked with it [torch]
import torch


def softmax_with_zero(scores, valid_length):
    zero = torch.zeros(*scores.shape[:2], 1)
    longer = torch.cat([scores, zero], dim=-1)
    mask = torch.arange(longer.shape[-1]) < valid_length.reshape(-1, 1, 1)
    w = longer.masked_fill(~mask, -1e6).softmax(dim=-1)
    return w[..., :-1] * mask[..., :-1]

# %% one key too many is valid, since the zero is counted twice [torch]
import torch


def softmax_with_zero(scores, valid_length):
    zero = torch.zeros(*scores.shape[:2], 1)
    longer = torch.cat([zero, scores], dim=-1)
    mask = torch.arange(longer.shape[-1]) <= valid_length.reshape(-1, 1, 1) + 1
    return longer.masked_fill(~mask, -1e6).softmax(dim=-1)[..., 1:]

# %% the zero stands in front, but the length does not grow [torch]
import torch


def softmax_with_zero(scores, valid_length):
    zero = torch.zeros(*scores.shape[:2], 1)
    longer = torch.cat([zero, scores], dim=-1)
    mask = torch.arange(longer.shape[-1]) < valid_length.reshape(-1, 1, 1)
    return longer.masked_fill(~mask, -1e6).softmax(dim=-1)[..., 1:]

# %% the softmax runs over the queries [torch]
import torch


def softmax_with_zero(scores, valid_length):
    b, q, n = scores.shape
    mask = torch.arange(n) < valid_length.reshape(-1, 1, 1)
    filled = scores.masked_fill(~mask, -1e6)
    longer = torch.cat([filled, torch.zeros(b, 1, n)], dim=1)
    return longer.softmax(dim=1)[:, :-1]

# %% one zero for each key instead of one for the row [torch]
import torch


def softmax_with_zero(scores, valid_length):
    mask = torch.arange(scores.shape[-1]) < valid_length.reshape(-1, 1, 1)
    filled = scores.masked_fill(~mask, -1e6)
    longer = torch.cat([filled, torch.zeros_like(scores)], dim=-1)
    return longer.softmax(dim=-1)[..., : scores.shape[-1]]

# %% 1 is added to each exponential [torch]
import torch


def softmax_with_zero(scores, valid_length):
    mask = torch.arange(scores.shape[-1]) < valid_length.reshape(-1, 1, 1)
    e = torch.exp(scores.clamp(max=50)) * mask
    return e / (1 + e)

# %% clipped at zero before the exponential: negative scores count as 0 [mxnet]
from mxnet import nd


def softmax_with_zero(scores, valid_length):
    b, q, n = scores.shape
    positions = nd.arange(n).reshape((1, 1, -1))
    mask = nd.broadcast_like(positions < valid_length.reshape((-1, 1, 1)), scores)
    filled = nd.where(mask, nd.relu(scores), nd.full(scores.shape, -1e6))
    longer = nd.concat(filled, nd.zeros((b, q, 1)), dim=-1)
    return longer.softmax(axis=-1)[:, :, :-1]

# %% the largest is subtracted before the zero is put beside it [mxnet]
from mxnet import nd


def softmax_with_zero(scores, valid_length):
    b, q, n = scores.shape
    positions = nd.arange(n).reshape((1, 1, -1))
    mask = nd.broadcast_like(positions < valid_length.reshape((-1, 1, 1)), scores)
    filled = nd.where(mask, scores, nd.full(scores.shape, -1e6))
    filled = nd.broadcast_sub(filled, filled.max(axis=-1, keepdims=True))
    longer = nd.concat(filled, nd.zeros((b, q, 1)), dim=-1)
    return longer.softmax(axis=-1)[:, :, :-1]

# %% rows of length 0 are divided by zero [mxnet]
from mxnet import nd


def softmax_with_zero(scores, valid_length):
    positions = nd.arange(scores.shape[-1]).reshape((1, 1, -1))
    mask = nd.broadcast_like(positions < valid_length.reshape((-1, 1, 1)), scores)
    e = nd.exp(scores) * mask
    return nd.broadcast_div(e, e.sum(axis=-1, keepdims=True))
