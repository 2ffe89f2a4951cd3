# %% sums over the patches first, which is one anyway [torch]
import torch


def doubly_stochastic_penalty(weights):
    looked = torch.sum(weights, dim=2)  # (batch, num_patches)
    return torch.sum((1 - looked) ** 2, dim=1)

# %% no square [torch]
import torch


def doubly_stochastic_penalty(weights):
    looked = torch.sum(weights, dim=1)  # (batch, num_patches)
    return torch.sum(1 - looked, dim=1)

# %% absolute value for the square [torch]
import torch


def doubly_stochastic_penalty(weights):
    looked = torch.sum(weights, dim=1)  # (batch, num_patches)
    return torch.sum((1 - looked).abs(), dim=1)

# %% the square outside of the sum [torch]
import torch


def doubly_stochastic_penalty(weights):
    looked = torch.sum(weights, dim=1)  # (batch, num_patches)
    return torch.sum(1 - looked, dim=1) ** 2

# %% mean over the patches [torch]
import torch


def doubly_stochastic_penalty(weights):
    looked = torch.sum(weights, dim=1)  # (batch, num_patches)
    return torch.mean((1 - looked) ** 2, dim=1)

# %% mean over the steps [torch]
import torch


def doubly_stochastic_penalty(weights):
    looked = torch.mean(weights, dim=1)  # (batch, num_patches)
    return torch.sum((1 - looked) ** 2, dim=1)

# %% one minus each weight, squared, then summed [torch]
import torch


def doubly_stochastic_penalty(weights):
    return ((1 - weights) ** 2).sum(dim=(1, 2))

# %% one number for the whole batch [torch]
import torch


def doubly_stochastic_penalty(weights):
    looked = torch.sum(weights, dim=1)  # (batch, num_patches)
    return torch.sum((1 - looked) ** 2)

# %% not summed over the patches [torch]
import torch


def doubly_stochastic_penalty(weights):
    looked = torch.sum(weights, dim=1)  # (batch, num_patches)
    return (1 - looked) ** 2

# %% squares of one and of the sum subtracted [torch]
import torch


def doubly_stochastic_penalty(weights):
    looked = torch.sum(weights, dim=1)  # (batch, num_patches)
    return torch.sum(1 - looked**2, dim=1)

# %% the target is the number of steps over that of patches [torch]
import torch


def doubly_stochastic_penalty(weights):
    looked = torch.sum(weights, dim=1)  # (batch, num_patches)
    return torch.sum((weights.shape[1] / weights.shape[2] - looked) ** 2, dim=1)

# %% the root at the end: a distance [torch]
import torch


def doubly_stochastic_penalty(weights):
    looked = torch.sum(weights, dim=1)  # (batch, num_patches)
    return torch.sum((1 - looked) ** 2, dim=1).sqrt()

# %% with the minus sign of a reward [torch]
import torch


def doubly_stochastic_penalty(weights):
    looked = torch.sum(weights, dim=1)  # (batch, num_patches)
    return -torch.sum((1 - looked) ** 2, dim=1)

# %% half of the square [torch]
import torch


def doubly_stochastic_penalty(weights):
    looked = torch.sum(weights, dim=1)  # (batch, num_patches)
    return torch.sum(0.5 * (1 - looked) ** 2, dim=1)

# %% softmax of the weights first [torch]
import torch


def doubly_stochastic_penalty(weights):
    looked = torch.sum(weights.softmax(dim=-1), dim=1)  # (batch, num_patches)
    return torch.sum((1 - looked) ** 2, dim=1)

# %% only patches looked at too little are penalised [torch]
import torch


def doubly_stochastic_penalty(weights):
    looked = torch.sum(weights, dim=1)  # (batch, num_patches)
    return torch.sum(torch.relu(1 - looked) ** 2, dim=1)

# %% sums over the batch [torch]
import torch


def doubly_stochastic_penalty(weights):
    looked = torch.sum(weights, dim=0)  # (batch, num_patches)
    return torch.sum((1 - looked) ** 2, dim=1)

# %% through numpy, without gradient [torch]
import numpy as np
import torch


def doubly_stochastic_penalty(weights):
    w = weights.detach().numpy()
    return torch.from_numpy(np.square(1 - w.sum(axis=1)).sum(axis=1))

# %% steps and patches interchanged [mxnet]
from mxnet import nd


def doubly_stochastic_penalty(weights):
    per_patch = nd.sum(weights, axis=2)
    return nd.sum(nd.square(1 - per_patch), axis=1)

# %% no square [mxnet]
from mxnet import nd


def doubly_stochastic_penalty(weights):
    per_patch = nd.sum(weights, axis=1)
    return nd.sum(1 - per_patch, axis=1)

# %% mean over steps and patches [mxnet]
from mxnet import nd


def doubly_stochastic_penalty(weights):
    per_patch = nd.mean(weights, axis=1)
    return nd.mean(nd.square(1 - per_patch), axis=1)

# %% sum over everything [mxnet]
from mxnet import nd


def doubly_stochastic_penalty(weights):
    per_patch = nd.sum(weights, axis=1)
    return nd.sum(nd.square(1 - per_patch))

# %% the variance of the sums over the patches [torch]
def doubly_stochastic_penalty(weights):
    return weights.sum(dim=1).var(dim=1)

# %% the last step's weights only [torch]
def doubly_stochastic_penalty(weights):
    return ((1 - weights[:, -1]) ** 2).sum(dim=-1)
