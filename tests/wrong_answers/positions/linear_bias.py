# %% heads are counted from 0, so the first slope is 1 [torch]
import torch


def linear_bias(scores):
    num_heads, n = scores.shape[1], scores.shape[2]
    slopes = 2.0 ** (-8 * torch.arange(num_heads) / num_heads)
    p = torch.arange(n)
    distance = p[:, None] - p[None, :]
    biased = scores - slopes[:, None, None] * distance
    return biased.masked_fill(distance < 0, -1e6).softmax(dim=-1)

# %% the bias is added: far tokens count more [torch]
import torch


def linear_bias(scores):
    b, h, n, _ = scores.shape
    slopes = torch.tensor([2 ** (-8 * (k + 1) / h) for k in range(h)])
    i = torch.arange(n).view(n, 1)
    j = torch.arange(n).view(1, n)
    biased = scores + torch.einsum("h,ij->hij", slopes, (i - j).float())
    biased = biased.masked_fill(j > i, float("-inf"))
    return torch.softmax(biased, dim=-1)

# %% the absolute distance, and no mask: later tokens are seen [torch]
import torch


def linear_bias(scores):
    num_heads, num_tokens = scores.shape[1:3]
    head = torch.arange(1, num_heads + 1)
    slopes = (2.0 ** (-8 * head / num_heads)).reshape(1, -1, 1, 1)
    p = torch.arange(num_tokens)
    distance = (p.unsqueeze(1) - p.unsqueeze(0)).abs()
    return (scores - slopes * distance).softmax(dim=-1)

# %% the mask comes after the softmax: rows do not sum to 1 [torch]
import torch


def linear_bias(scores):
    H, n = scores.shape[1], scores.shape[2]
    slopes = 2.0 ** (-8 * torch.arange(1, H + 1) / H)
    p = torch.arange(n)
    distance = p.reshape(-1, 1) - p
    weights = (scores - slopes.view(1, H, 1, 1) * distance).softmax(-1)
    return torch.tril(weights)

# %% the diagonal is masked as well: no token sees itself [torch]
import torch


def linear_bias(scores):
    num_heads, n = scores.shape[1:3]
    h = torch.arange(1, num_heads + 1).view(1, num_heads, 1, 1)
    slopes = 2.0 ** (-8 * h / num_heads)
    distance = torch.arange(n).view(n, 1) - torch.arange(n).view(1, n)
    later = torch.triu(torch.ones(n, n, dtype=torch.bool))
    biased = scores - slopes * distance
    return biased.masked_fill(later, -1e6).softmax(dim=-1)

# %% 8 // H cuts the slope's exponent to a whole number [torch]
import torch


def linear_bias(scores):
    _, num_heads, n, _ = scores.shape
    step = 8 // num_heads
    out = []
    p = torch.arange(n)
    distance = p[:, None] - p[None, :]
    for h in range(1, num_heads + 1):
        slope = 2.0 ** (-step * h)
        biased = scores[:, h - 1] - slope * distance
        biased = biased.masked_fill(distance < 0, -1e6)
        out.append(torch.softmax(biased, dim=-1))
    return torch.stack(out, dim=1)

# %% infinity times 0 in the mask: everything is nan [torch]
import torch


def linear_bias(scores):
    num_heads, n = scores.shape[1:3]
    slopes = 2.0 ** (-8 * torch.arange(1, num_heads + 1) / num_heads)
    p = torch.arange(n)
    bias = -slopes[:, None, None] * (p[:, None] - p)
    mask = torch.triu(torch.ones(n, n), diagonal=1) * float("-inf")
    return torch.softmax(scores + bias + mask, dim=-1)

# %% the tokens strictly between: a token and the one before it have the same distance 0 [torch]
import torch


def linear_bias(scores):
    num_heads, num_tokens = scores.shape[1:3]
    head = torch.arange(1, num_heads + 1)
    slopes = (2.0 ** (-8 * head / num_heads)).reshape(-1, 1, 1)
    key = torch.arange(num_tokens).reshape(1, -1)
    query = key.reshape(-1, 1)
    between = (query - key - 1).clamp(min=0)
    biased = scores - slopes * between
    return biased.masked_fill(key > query, -1e6).softmax(dim=-1)

# %% the slopes have the shape (H, 1) and do not fit [torch]
import torch


def linear_bias(scores):
    num_heads, num_tokens = scores.shape[1:3]
    slopes = 2.0 ** (-8 * torch.arange(1, num_heads + 1) / num_heads)
    p = torch.arange(num_tokens)
    distance = p.unsqueeze(1) - p.unsqueeze(0)
    biased = scores - slopes.unsqueeze(-1) * distance
    later = torch.ones(num_tokens, num_tokens).triu(1).bool()
    return biased.masked_fill(later, float("-inf")).softmax(dim=-1)

# %% later scores are multiplied by 0 instead of filled with -10^6 [torch]
import torch


def linear_bias(scores):
    H, n = scores.shape[1], scores.shape[2]
    slopes = torch.pow(2.0, -8.0 * torch.arange(1, H + 1) / H).view(1, H, 1, 1)
    positions = torch.arange(n, dtype=torch.float32)
    distance = positions.view(1, 1, n, 1) - positions.view(1, 1, 1, n)
    biased = scores - slopes * distance
    visible = torch.ones(n, n).tril()
    return torch.softmax(biased * visible, dim=3)

# %% the slope is 2 to the -h whatever the number of heads, and the softmax runs over the queries [torch]
import torch


def linear_bias(scores):
    num_heads, n = scores.shape[1:3]
    slopes = 0.5 ** torch.arange(1, num_heads + 1)
    distance = torch.arange(n)[:, None] - torch.arange(n)[None, :]
    biased = scores - slopes[None, :, None, None] * distance
    biased = biased.masked_fill(distance < 0, -1e6)
    return biased.softmax(dim=-2)

# %% the wrong triangle: the mask hides the earlier tokens [mxnet]
from mxnet import nd


def linear_bias(scores):
    num_heads, num_tokens = scores.shape[1:3]
    head = nd.arange(1, num_heads + 1)
    slopes = (2.0 ** (-8 * head / num_heads)).reshape((1, -1, 1, 1))
    key = nd.arange(num_tokens).reshape((1, 1, 1, -1))
    query = key.reshape((1, 1, -1, 1))
    distance = query - key
    biased = scores - slopes * distance
    visible = nd.broadcast_like(distance <= 0, scores)
    return nd.where(visible, biased, nd.ones_like(scores) * -1e6).softmax(axis=-1)

# %% the minus in the exponent is missing: slopes above 1 [mxnet]
from mxnet import nd


def linear_bias(scores):
    h = scores.shape[1]
    n = scores.shape[2]
    slopes = nd.array([2 ** (8 * k / h) for k in range(1, h + 1)])
    slopes = slopes.reshape((1, h, 1, 1))
    distance = nd.arange(n).reshape((n, 1)) - nd.arange(n).reshape((1, n))
    distance = distance.reshape((1, 1, n, n))
    biased = scores - slopes * distance
    visible = nd.broadcast_like(distance >= 0, scores)
    return nd.softmax(nd.where(visible, biased, nd.full(scores.shape, -1e6)), axis=-1)

# %% filled with 1e-6 where -1e6 is meant [mxnet]
from mxnet import nd


def linear_bias(scores):
    num_heads, num_tokens = scores.shape[1:3]
    slopes = 2.0 ** (-8 * nd.arange(1, num_heads + 1) / num_heads)
    key = nd.arange(num_tokens).reshape((1, 1, 1, -1))
    query = nd.arange(num_tokens).reshape((1, 1, -1, 1))
    biased = scores - slopes.reshape((1, -1, 1, 1)) * (query - key)
    visible = nd.broadcast_like(key <= query, scores)
    filled = nd.where(visible, biased, nd.full(scores.shape, 1e-6))
    return nd.softmax(filled, axis=-1)

# %% the slopes are subtracted from the weights, after the softmax [mxnet]
from mxnet import nd


def linear_bias(scores):
    b, h, n, _ = scores.shape
    slopes = (2.0 ** (-8 * nd.arange(1, h + 1) / h)).reshape((1, h, 1, 1))
    p = nd.arange(n)
    distance = (p.expand_dims(1) - p.expand_dims(0)).reshape((1, 1, n, n))
    seen = nd.broadcast_like(distance >= 0, scores)
    weights = nd.where(seen, scores, nd.full(scores.shape, -1e6)).softmax(axis=-1)
    return weights - slopes * distance * seen

# %% all heads have the slope of the first [mxnet]
from mxnet import nd


def linear_bias(scores):
    num_heads, num_tokens = scores.shape[1:3]
    slope = 2.0 ** (-8 * 1 / num_heads)
    columns = []
    for j in range(num_tokens):
        distance = (nd.arange(num_tokens) - j).reshape((1, 1, -1))
        seen = nd.broadcast_like(distance >= 0, scores[:, :, :, j])
        column = scores[:, :, :, j] - slope * distance
        columns.append(nd.where(seen, column, nd.full(column.shape, -1e6)))
    return nd.softmax(nd.stack(*columns, axis=3), axis=3)
