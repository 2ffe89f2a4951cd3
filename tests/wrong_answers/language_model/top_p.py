# %% the token that crosses p is left out [torch]
import torch


def top_p(probabilities, p):
    ranked, order = probabilities.sort(dim=-1, descending=True)
    keep = ranked.cumsum(dim=-1) <= p
    kept = torch.zeros_like(probabilities).scatter(-1, order, ranked * keep)
    return kept / kept.sum(dim=-1, keepdim=True)

# %% not renormalised [torch]
import torch


def top_p(probabilities, p):
    ranked, order = probabilities.sort(dim=-1, descending=True)
    before = ranked.cumsum(dim=-1) - ranked
    least = ranked.masked_fill(before >= p, 1.0).amin(dim=-1, keepdim=True)
    return torch.where(probabilities >= least, probabilities, torch.zeros_like(probabilities))

# %% the result stays in sorted order [torch]
import torch


def top_p(probabilities, p):
    ranked, _ = torch.sort(probabilities, dim=-1, descending=True)
    before = torch.cumsum(ranked, dim=-1) - ranked
    kept = ranked * (before < p)
    return kept / kept.sum(dim=-1, keepdim=True)

# %% p is a threshold for each probability [torch]
import torch


def top_p(probabilities, p):
    kept = probabilities * (probabilities >= 1 - p)
    return kept / kept.sum(dim=-1, keepdim=True)

# %% everything above p times the largest is kept [torch]
import torch


def top_p(probabilities, p):
    most = probabilities.max(dim=-1, keepdim=True).values
    kept = probabilities.masked_fill(probabilities < p * most, 0)
    return kept / kept.sum(dim=-1, keepdim=True)

# %% sorted from the least probable on [torch]
import torch


def top_p(probabilities, p):
    ranked, order = torch.sort(probabilities, dim=-1)
    before = ranked.cumsum(dim=-1) - ranked
    kept = torch.zeros_like(probabilities).scatter(-1, order, ranked * (before < p))
    return kept / kept.sum(dim=-1, keepdim=True)

# %% not sorted at all: the sum runs in the order of the vocabulary [torch]
import torch


def top_p(probabilities, p):
    before = probabilities.cumsum(dim=-1) - probabilities
    kept = probabilities * (before < p)
    return kept / kept.sum(dim=-1, keepdim=True)

# %% one row decides for the whole batch [torch]
import torch


def top_p(probabilities, p):
    ranked = probabilities[0].sort(descending=True).values
    count = int((ranked.cumsum(0) - ranked < p).sum())
    least = probabilities.topk(count, dim=-1).values[:, -1:]
    kept = probabilities * (probabilities >= least)
    return kept / kept.sum(dim=-1, keepdim=True)

# %% divided by the sum of the whole batch [torch]
import torch


def top_p(probabilities, p):
    ranked = probabilities.sort(dim=-1, descending=True).values
    before = ranked.cumsum(dim=-1) - ranked
    least = ranked.masked_fill(before >= p, 1.0).amin(dim=-1, keepdim=True)
    kept = probabilities * (probabilities >= least)
    return kept / kept.sum()

# %% a softmax over the kept probabilities [torch]
import torch


def top_p(probabilities, p):
    ranked = probabilities.sort(dim=-1, descending=True).values
    before = ranked.cumsum(dim=-1) - ranked
    least = ranked.masked_fill(before >= p, 1.0).amin(dim=-1, keepdim=True)
    kept = probabilities.masked_fill(probabilities < least, float("-inf"))
    return kept.softmax(dim=-1)

# %% one token too many: compared with the sum before the token before [torch]
import torch


def top_p(probabilities, p):
    ranked, order = probabilities.sort(dim=-1, descending=True)
    total = ranked.cumsum(dim=-1)
    remove = total > p
    remove[:, 2:] = remove[:, :-2].clone()
    remove[:, :2] = False
    kept = torch.zeros_like(ranked).scatter(-1, order, ranked.masked_fill(remove, 0))
    return kept / kept.sum(dim=-1, keepdim=True)

# %% the shift of the mask is forgotten, and the first is kept by hand [torch]
import torch


def top_p(probabilities, p):
    ranked, order = torch.sort(probabilities, dim=-1, descending=True)
    remove = ranked.cumsum(dim=-1) > p
    remove[:, 0] = False
    kept = torch.zeros_like(ranked).scatter(-1, order, ranked.masked_fill(remove, 0.0))
    return kept / kept.sum(dim=-1, keepdim=True)

# %% order used where its inverse is needed: gather in place of scatter [torch]
import torch


def top_p(probabilities, p):
    ranked, order = probabilities.sort(dim=-1, descending=True)
    before = ranked.cumsum(dim=-1) - ranked
    kept = (ranked * (before < p)).gather(-1, order)
    return kept / kept.sum(dim=-1, keepdim=True)

# %% of equal ones only as many as needed [torch]
import torch


def top_p(probabilities, p):
    ranked, order = probabilities.sort(dim=-1, descending=True, stable=True)
    before = ranked.cumsum(dim=-1) - ranked
    kept = torch.zeros_like(ranked).scatter(-1, order, ranked * (before < p))
    return kept / kept.sum(dim=-1, keepdim=True)

# %% sorted along the batch [torch]
import torch


def top_p(probabilities, p):
    ranked = probabilities.sort(dim=0, descending=True).values
    before = ranked.cumsum(dim=0) - ranked
    least = ranked.masked_fill(before >= p, 1.0).amin(dim=0, keepdim=True)
    kept = probabilities * (probabilities >= least)
    return kept / kept.sum(dim=-1, keepdim=True)

# %% the probabilities are taken for logits: a softmax first [torch]
import torch


def top_p(probabilities, p):
    probabilities = probabilities.softmax(dim=-1)
    ranked = probabilities.sort(dim=-1, descending=True).values
    before = ranked.cumsum(dim=-1) - ranked
    least = ranked.masked_fill(before >= p, 1.0).amin(dim=-1, keepdim=True)
    kept = probabilities * (probabilities >= least)
    return kept / kept.sum(dim=-1, keepdim=True)

# %% the kept ones all become equally probable [torch]
import torch


def top_p(probabilities, p):
    ranked = probabilities.sort(dim=-1, descending=True).values
    before = ranked.cumsum(dim=-1) - ranked
    least = ranked.masked_fill(before >= p, 1.0).amin(dim=-1, keepdim=True)
    kept = (probabilities >= least).float()
    return kept / kept.sum(dim=-1, keepdim=True)

# %% the share p of the vocabulary is kept, a top-k [torch]
import math

import torch


def top_p(probabilities, p):
    k = math.ceil(p * probabilities.shape[-1])
    least = probabilities.topk(k, dim=-1).values[:, -1:]
    kept = probabilities * (probabilities >= least)
    return kept / kept.sum(dim=-1, keepdim=True)

# %% the nucleus is thrown away and the rest is kept [mxnet]
from mxnet import nd


def top_p(probabilities, p):
    ranked = probabilities.sort(axis=-1, is_ascend=False)
    before = nd.cumsum(ranked, axis=1) - ranked
    least = nd.where(before < p, ranked, nd.ones_like(ranked)).min(axis=-1, keepdims=True)
    kept = probabilities * (probabilities < least)
    return kept / (kept.sum(axis=-1, keepdims=True) + 1e-12)

# %% only the most probable token stays [mxnet]
from mxnet import nd


def top_p(probabilities, p):
    most = probabilities.max(axis=-1, keepdims=True)
    kept = nd.broadcast_equal(probabilities, most) * probabilities
    return kept / kept.sum(axis=-1, keepdims=True)

# %% the token that crosses p is left out, and a row may be empty [mxnet]
from mxnet import nd


def top_p(probabilities, p):
    ranked = probabilities.sort(axis=-1, is_ascend=False)
    total = nd.cumsum(ranked, axis=1)
    least = nd.where(total < p, ranked, nd.ones_like(ranked)).min(axis=-1, keepdims=True)
    kept = probabilities * (probabilities >= least)
    return kept / kept.sum(axis=-1, keepdims=True)

# %% divided by p in place of the sum [mxnet]
from mxnet import nd


def top_p(probabilities, p):
    ranked = probabilities.sort(axis=-1, is_ascend=False)
    before = nd.cumsum(ranked, axis=1) - ranked
    least = nd.where(before < p, ranked, nd.ones_like(ranked)).min(axis=-1, keepdims=True)
    kept = probabilities * (probabilities >= least)
    return kept / p
