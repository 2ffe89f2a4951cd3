# %% the diagonal itself: the weight that a token gives to its own place [torch]
import torch


def previous_token_score(weights):
    own = torch.diagonal(weights, dim1=2, dim2=3)
    return own.mean(dim=(0, 2))

# %% the diagonal above: the token after, not before [torch]
import torch


def previous_token_score(weights):
    nearby = torch.diagonal(weights, offset=1, dim1=-2, dim2=-1)
    return nearby.mean(dim=-1).mean(dim=0)

# %% divided by all tokens, the first one too [torch]
def previous_token_score(weights):
    batch, heads, n, _ = weights.shape
    total = 0
    for t in range(1, n):
        total = total + weights[:, :, t, t - 1]
    return (total / n).mean(dim=0)

# %% summed over the batch, not averaged [torch]
import torch


def previous_token_score(weights):
    below = torch.diagonal(weights, -1, 2, 3)
    return below.mean(-1).sum(0)

# %% one number for all heads [torch]
def previous_token_score(weights):
    return weights.diagonal(offset=-1, dim1=2, dim2=3).mean()

# %% the mean over the heads in place of that over the batch [torch]
def previous_token_score(weights):
    return weights.diagonal(offset=-1, dim1=2, dim2=3).mean(dim=(1, 2))

# %% one number for each sequence and head [torch]
def previous_token_score(weights):
    return weights.diagonal(offset=-1, dim1=2, dim2=3).mean(dim=-1)

# %% counts how often the previous token has the largest weight [torch]
import torch


def previous_token_score(weights):
    n = weights.shape[-1]
    best = weights.argmax(dim=-1)[:, :, 1:]
    before = torch.arange(n - 1)
    return (best == before).float().mean(dim=(0, 2))

# %% the largest weight on a previous token, not the mean [torch]
def previous_token_score(weights):
    below = weights.diagonal(offset=-1, dim1=2, dim2=3)
    return below.amax(dim=(0, 2))

# %% all earlier tokens together, not the one before [torch]
import torch


def previous_token_score(weights):
    n = weights.shape[2]
    earlier = torch.ones(n, n).tril(-1)
    found = (weights * earlier).sum(dim=3)[:, :, 1:]
    return found.mean(dim=(0, 2))

# %% the mean over all entries of the matrix, most of which are masked to 0 [torch]
import torch


def previous_token_score(weights):
    n = weights.shape[-1]
    mask = torch.zeros(n, n)
    for i in range(1, n):
        mask[i, i - 1] = 1
    return (weights * mask).mean(dim=(0, 2, 3))

# %% the token two places before [torch]
import torch


def previous_token_score(weights):
    n = weights.shape[-1]
    t = torch.arange(2, n)
    return weights[:, :, t, t - 2].mean(dim=(0, 2))

# %% index -1 for the first token, which is the last key [torch]
def previous_token_score(weights):
    n = weights.shape[-1]
    total = 0
    for t in range(n):
        total = total + weights[:, :, t, t - 1]
    return total.mean(dim=0) / n

# %% the last token is left out as well as the first [torch]
import torch


def previous_token_score(weights):
    n = weights.shape[-1]
    t = torch.arange(1, n - 1)
    return weights[:, :, t, t - 1].mean(dim=(0, 2))

# %% the sum over the queries, averaged over the batch only [torch]
def previous_token_score(weights):
    shifted = weights[:, :, 1:, :-1]
    return shifted.diagonal(dim1=2, dim2=3).sum(dim=-1).mean(dim=0)

# %% the first sequence only [torch]
def previous_token_score(weights):
    return weights[0].diagonal(offset=-1, dim1=1, dim2=2).mean(dim=1)

# %% the diagonal is taken over batch and heads, the first two axes [mxnet]
from mxnet import nd


def previous_token_score(weights):
    return nd.diag(weights, k=-1).mean(axis=(0, 1))

# %% detached: through NumPy, so no gradient [mxnet]
import numpy as np
from mxnet import nd


def previous_token_score(weights):
    found = np.diagonal(weights.asnumpy(), -1, 2, 3)
    return nd.array(found.mean(axis=(0, 2)))

# %% the upper diagonal: keys behind the query [mxnet]
from mxnet import nd


def previous_token_score(weights):
    return nd.diag(weights, k=1, axis1=2, axis2=3).mean(axis=(0, 2))
