# %% the 2 in the denominator is forgotten [torch]
import torch


def nadaraya_watson(queries, keys, values, width):
    diff = queries.unsqueeze(2) - keys.unsqueeze(1)
    sq = (diff**2).sum(dim=-1)
    weights = torch.softmax(-sq / (width**2), dim=-1)
    return torch.bmm(weights, values)

# %% the width is not squared [torch]
import torch


def nadaraya_watson(queries, keys, values, width):
    diff = queries.unsqueeze(2) - keys.unsqueeze(1)
    sq = (diff**2).sum(dim=-1)
    weights = torch.softmax(-sq / (2 * width), dim=-1)
    return torch.bmm(weights, values)

# %% the 2 is squared along with the width [torch]
import torch


def nadaraya_watson(queries, keys, values, width):
    gap = queries[:, :, None, :] - keys[:, None, :, :]
    dist2 = gap.pow(2).sum(-1)
    kernel = torch.exp(-dist2 / (2 * width) ** 2)
    w = kernel / kernel.sum(-1, keepdim=True)
    return w @ values

# %% multiplies by 2 width squared, for lack of brackets [torch]
import torch


def nadaraya_watson(queries, keys, values, width):
    gap = queries[:, :, None, :] - keys[:, None, :, :]
    dist2 = gap.pow(2).sum(-1)
    kernel = torch.exp(-dist2 / 2 * width**2)
    w = kernel / kernel.sum(-1, keepdim=True)
    return w @ values

# %% the minus sign is missing [torch]
import torch


def nadaraya_watson(queries, keys, values, width):
    diff = queries.unsqueeze(2) - keys.unsqueeze(1)
    sq = (diff**2).sum(dim=-1)
    weights = torch.softmax(sq / (2 * width**2), dim=-1)
    return torch.bmm(weights, values)

# %% the kernel is not normalised [torch]
import torch


def nadaraya_watson(queries, keys, values, width):
    gap = queries[:, :, None, :] - keys[:, None, :, :]
    dist2 = gap.pow(2).sum(-1)
    kernel = torch.exp(-dist2 / (2 * width**2))
    w = kernel
    return w @ values

# %% normalised over the queries [torch]
import torch


def nadaraya_watson(queries, keys, values, width):
    diff = queries.unsqueeze(2) - keys.unsqueeze(1)
    sq = (diff**2).sum(dim=-1)
    weights = torch.softmax(-sq / (2 * width**2), dim=1)
    return torch.bmm(weights, values)

# %% the distance is used without its square [torch]
import torch


def nadaraya_watson(queries, keys, values, width):
    diff = queries.unsqueeze(2) - keys.unsqueeze(1)
    sq = (diff**2).sum(dim=-1).sqrt()
    weights = torch.softmax(-sq / (2 * width**2), dim=-1)
    return torch.bmm(weights, values)

# %% sum of absolute differences for the squared distance [torch]
import torch


def nadaraya_watson(queries, keys, values, width):
    gap = queries[:, :, None, :] - keys[:, None, :, :]
    dist2 = gap.abs().sum(-1)
    kernel = torch.exp(-dist2 / (2 * width**2))
    w = kernel / kernel.sum(-1, keepdim=True)
    return w @ values

# %% squares the sum of the differences [torch]
import torch


def nadaraya_watson(queries, keys, values, width):
    gap = queries[:, :, None, :] - keys[:, None, :, :]
    dist2 = gap.sum(-1).pow(2)
    kernel = torch.exp(-dist2 / (2 * width**2))
    w = kernel / kernel.sum(-1, keepdim=True)
    return w @ values

# %% mean over the coordinates for their sum [torch]
import torch


def nadaraya_watson(queries, keys, values, width):
    diff = queries.unsqueeze(2) - keys.unsqueeze(1)
    sq = (diff**2).mean(dim=-1)
    weights = torch.softmax(-sq / (2 * width**2), dim=-1)
    return torch.bmm(weights, values)

# %% the normal density's factor, and no division by the sum [torch]
import torch


def nadaraya_watson(queries, keys, values, width):
    gap = queries[:, :, None, :] - keys[:, None, :, :]
    dist2 = gap.pow(2).sum(-1)
    kernel = torch.exp(-dist2 / (2 * width**2))
    w = kernel / (width * (2 * torch.pi) ** 0.5)
    return w @ values

# %% divides by the sum over the whole batch element [torch]
import torch


def nadaraya_watson(queries, keys, values, width):
    gap = queries[:, :, None, :] - keys[:, None, :, :]
    dist2 = gap.pow(2).sum(-1)
    kernel = torch.exp(-dist2 / (2 * width**2))
    w = kernel / kernel.sum(dim=(1, 2), keepdim=True)
    return w @ values

# %% the term with the keys' squares is left out [torch]
import torch
import torch.nn.functional as F


def nadaraya_watson(queries, keys, values, width):
    # |q - k|^2 = |q|^2 - 2 q.k + |k|^2
    qq = (queries * queries).sum(-1, keepdim=True)
    kk = (keys * keys).sum(-1).unsqueeze(1)
    qk = torch.einsum("bqd,bkd->bqk", queries, keys)
    scores = -(qq - 2 * qk) / (2 * width**2)
    return torch.einsum("bqk,bkv->bqv", F.softmax(scores, dim=2), values)

# %% q.k only once in the expanded square [torch]
import torch
import torch.nn.functional as F


def nadaraya_watson(queries, keys, values, width):
    # |q - k|^2 = |q|^2 - 2 q.k + |k|^2
    qq = (queries * queries).sum(-1, keepdim=True)
    kk = (keys * keys).sum(-1).unsqueeze(1)
    qk = torch.einsum("bqd,bkd->bqk", queries, keys)
    scores = -(qq - qk + kk) / (2 * width**2)
    return torch.einsum("bqk,bkv->bqv", F.softmax(scores, dim=2), values)

# %% the sign of the product is wrong in the expanded square [torch]
import torch
import torch.nn.functional as F


def nadaraya_watson(queries, keys, values, width):
    # |q - k|^2 = |q|^2 - 2 q.k + |k|^2
    qq = (queries * queries).sum(-1, keepdim=True)
    kk = (keys * keys).sum(-1).unsqueeze(1)
    qk = torch.einsum("bqd,bkd->bqk", queries, keys)
    scores = -(qq + 2 * qk + kk) / (2 * width**2)
    return torch.einsum("bqk,bkv->bqv", F.softmax(scores, dim=2), values)

# %% softmax on the kernel that is exponential already [torch]
import torch


def nadaraya_watson(queries, keys, values, width):
    gap = queries[:, :, None, :] - keys[:, None, :, :]
    dist2 = gap.pow(2).sum(-1)
    kernel = torch.exp(-dist2 / (2 * width**2))
    w = kernel.softmax(dim=-1)
    return w @ values

# %% the width has no gradient, its number is taken out with item [torch]
import torch


def nadaraya_watson(queries, keys, values, width):
    diff = queries.unsqueeze(2) - keys.unsqueeze(1)
    sq = (diff**2).sum(dim=-1)
    weights = torch.softmax(-sq / (2 * width.item() ** 2), dim=-1)
    return torch.bmm(weights, values)

# %% a row for each key: the new axes of queries and keys are swapped [torch]
import torch


def nadaraya_watson(queries, keys, values, width):
    diff = queries.unsqueeze(1) - keys.unsqueeze(2)
    sq = (diff**2).sum(dim=-1)
    weights = torch.softmax(-sq / (2 * width**2), dim=-1)
    return torch.bmm(weights, values)

# %% minus sign missing and no 2 [mxnet]
from mxnet import nd


def nadaraya_watson(queries, keys, values, width):
    diff = nd.broadcast_sub(queries.expand_dims(2), keys.expand_dims(1))
    sq = (diff**2).sum(axis=-1)
    scores = sq / (width**2).reshape((1, 1, 1))
    weights = nd.softmax(scores, axis=-1)
    return nd.batch_dot(weights, values)

# %% the width is not squared [mxnet]
from mxnet import nd


def nadaraya_watson(queries, keys, values, width):
    diff = nd.broadcast_sub(queries.expand_dims(2), keys.expand_dims(1))
    sq = (diff**2).sum(axis=-1)
    scores = -sq / (2 * width).reshape((1, 1, 1))
    weights = nd.softmax(scores, axis=-1)
    return nd.batch_dot(weights, values)

# %% the distances are not squared before they are added [mxnet]
from mxnet import nd


def nadaraya_watson(queries, keys, values, width):
    diff = nd.broadcast_sub(queries.expand_dims(2), keys.expand_dims(1))
    sq = diff.sum(axis=-1)
    scores = -sq / (2 * width**2).reshape((1, 1, 1))
    weights = nd.softmax(scores, axis=-1)
    return nd.batch_dot(weights, values)

# %% root of the distance, and width not squared [mxnet]
from mxnet import nd


def nadaraya_watson(queries, keys, values, width):
    diff = nd.broadcast_sub(queries.expand_dims(2), keys.expand_dims(1))
    sq = nd.sqrt((diff**2).sum(axis=-1))
    scores = -sq / (2 * width).reshape((1, 1, 1))
    weights = nd.softmax(scores, axis=-1)
    return nd.batch_dot(weights, values)

# %% the minimum is taken instead of the weighted sum: nearest key only [mxnet]
from mxnet import nd


def nadaraya_watson(queries, keys, values, width):
    diff = nd.broadcast_sub(queries.expand_dims(2), keys.expand_dims(1))
    sq = (diff**2).sum(axis=-1)
    scores = -sq / (2 * width**2).reshape((1, 1, 1))
    weights = nd.one_hot(nd.argmax(scores, axis=-1), keys.shape[1])
    return nd.batch_dot(weights, values)

# %% queries and keys are compared only where they stand at the same place [torch]
import torch


def nadaraya_watson(queries, keys, values, width):
    distance = ((queries - keys) ** 2).sum(dim=-1)
    w = torch.exp(-distance / (2 * width**2))
    w = w / w.sum(dim=-1, keepdim=True)
    return w.unsqueeze(-1) * values

# %% only the first coordinate of queries and keys is used [torch]
import torch


def nadaraya_watson(queries, keys, values, width):
    gap = queries[:, :, :1] - keys[:, :, 0].unsqueeze(1)
    kernel = torch.exp(-(gap**2) / (2 * width**2))
    return torch.bmm(kernel / kernel.sum(dim=2, keepdim=True), values)

# %% dot products in the exponent, the width as temperature [torch]
import torch


def nadaraya_watson(queries, keys, values, width):
    scores = queries @ keys.transpose(1, 2) / (2 * width**2)
    return torch.softmax(scores, dim=-1) @ values

# %% the norm, then the square only of the width, in a loop over queries [torch]
import torch


def nadaraya_watson(queries, keys, values, width):
    out = []
    for i in range(queries.shape[1]):
        dist = torch.linalg.norm(queries[:, i : i + 1] - keys, dim=-1)
        w = torch.softmax(-dist / (2 * width**2), dim=-1)
        out.append((w.unsqueeze(-1) * values).sum(dim=1))
    return torch.stack(out, dim=1)

# %% normalised over the batch [torch]
import torch


def nadaraya_watson(queries, keys, values, width):
    d2 = torch.cdist(queries, keys) ** 2
    k = torch.exp(-0.5 * d2 / width**2)
    k = k / k.sum(dim=0, keepdim=True)
    return torch.einsum("bij,bjd->bid", k, values)
