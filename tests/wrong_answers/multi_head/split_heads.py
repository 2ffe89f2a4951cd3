# %% one reshape, no transpose [torch]
import torch


def split_heads(X, num_heads):
    batch, steps, hiddens = X.shape
    X = X.reshape(batch, steps, num_heads, hiddens // num_heads)
    return X.reshape(batch * num_heads, steps, -1)

# %% a reshape straight to heads before steps [torch]
import torch


def split_heads(X, num_heads):
    batch, steps, hiddens = X.shape
    X = X.reshape(batch, num_heads, steps, hiddens // num_heads)
    return X.reshape(batch * num_heads, steps, -1)

# %% the heads first: all sentences of head 1, then of head 2 [torch]
import torch


def split_heads(X, num_heads):
    batch, steps, hiddens = X.shape
    X = X.reshape(batch, steps, num_heads, hiddens // num_heads)
    X = X.permute(2, 0, 1, 3)
    return X.reshape(batch * num_heads, steps, -1)

# %% concatenated: all sentences of a head together [torch]
import torch


def split_heads(X, num_heads):
    heads = torch.chunk(X, num_heads, dim=-1)
    return torch.cat(heads, dim=0)

# %% every head takes every num_heads-th feature [torch]
import torch


def split_heads(X, num_heads):
    batch, steps, hiddens = X.shape
    X = X.reshape(batch, steps, hiddens // num_heads, num_heads)
    X = X.permute(0, 3, 1, 2)
    return X.reshape(batch * num_heads, steps, -1)

# %% batch and heads are not folded [torch]
import torch


def split_heads(X, num_heads):
    batch, steps, hiddens = X.shape
    X = X.reshape(batch, steps, num_heads, hiddens // num_heads)
    X = X.permute(0, 2, 1, 3)
    return X

# %% the steps are cut instead of the features [torch]
import torch


def split_heads(X, num_heads):
    heads = torch.chunk(X, num_heads, dim=1)
    return torch.stack(heads, dim=1).flatten(0, 1)

# %% the sizes of number and size of heads are interchanged [torch]
import torch


def split_heads(X, num_heads):
    batch, steps, hiddens = X.shape
    X = X.reshape(batch, steps, hiddens // num_heads, num_heads)
    X = X.permute(0, 2, 1, 3)
    return X.reshape(batch * num_heads, steps, -1)

# %% steps and features of a head end up swapped [torch]
import torch


def split_heads(X, num_heads):
    batch, steps, hiddens = X.shape
    X = X.reshape(batch, steps, num_heads, hiddens // num_heads)
    X = X.permute(0, 2, 3, 1)
    return X.reshape(batch * num_heads, steps, -1)

# %% chunks of num_heads features [torch]
import torch


def split_heads(X, num_heads):
    heads = torch.split(X, num_heads, dim=-1)
    return torch.stack(heads, dim=1).flatten(0, 1)

# %% the heads follow the steps, not the batch [torch]
import torch


def split_heads(X, num_heads):
    heads = torch.chunk(X, num_heads, dim=-1)
    return torch.stack(heads, dim=2).flatten(1, 2)

# %% view on a permuted tensor, which stops [torch]
import torch


def split_heads(X, num_heads):
    batch, steps, hiddens = X.shape
    X = X.reshape(batch, steps, num_heads, hiddens // num_heads)
    X = X.permute(0, 2, 1, 3)
    return X.view(batch * num_heads, steps, -1)

# %% every head gets all features [torch]
import torch


def split_heads(X, num_heads):
    return X.repeat_interleave(num_heads, dim=0)

# %% a list of heads [torch]
import torch


def split_heads(X, num_heads):
    heads = torch.chunk(X, num_heads, dim=-1)
    return list(heads)

# %% only for a batch of one: the batch is lost in the loop [torch]
import torch


def split_heads(X, num_heads):
    size = X.shape[2] // num_heads
    heads = [X[0, :, h * size : (h + 1) * size] for h in range(num_heads)]
    return torch.stack(heads)

# %% the heads in reverse order [torch]
import torch


def split_heads(X, num_heads):
    heads = torch.chunk(X, num_heads, dim=-1)
    return torch.stack(heads[::-1], dim=1).flatten(0, 1)

# %% the batch is put into the middle [torch]
import torch


def split_heads(X, num_heads):
    batch, steps, hiddens = X.shape
    X = X.reshape(batch, steps, num_heads, hiddens // num_heads)
    X = X.permute(1, 2, 0, 3)
    return X.reshape(batch * num_heads, steps, -1)

# %% X.reshape at once to the final shape [mxnet]
from mxnet import nd


def split_heads(X, num_heads):
    batch, steps, hiddens = X.shape
    return X.reshape((batch * num_heads, steps, -1))

# %% heads before the batch [mxnet]
from mxnet import nd


def split_heads(X, num_heads):
    batch, steps, hiddens = X.shape
    X = X.reshape((batch, steps, num_heads, -1))
    X = nd.transpose(X, axes=(2, 0, 1, 3))
    return X.reshape((batch * num_heads, steps, -1))

# %% size before heads [mxnet]
from mxnet import nd


def split_heads(X, num_heads):
    batch, steps, hiddens = X.shape
    X = X.reshape((batch, steps, -1, num_heads))
    X = nd.transpose(X, axes=(0, 3, 1, 2))
    return X.reshape((batch * num_heads, steps, -1))

# %% split and concatenated along the batch [mxnet]
from mxnet import nd


def split_heads(X, num_heads):
    batch, steps, hiddens = X.shape
    return nd.concat(*nd.split(X, num_heads, axis=2), dim=0)

# %% not folded [mxnet]
from mxnet import nd


def split_heads(X, num_heads):
    batch, steps, hiddens = X.shape
    X = X.reshape((batch, steps, num_heads, -1))
    X = nd.transpose(X, axes=(0, 2, 1, 3))
    return X

# %% heads behind the steps, then folded into the batch by a view [torch]
def split_heads(X, num_heads):
    batch, steps, hiddens = X.shape
    X = X.reshape(batch, steps, num_heads, hiddens // num_heads)
    return X.transpose(0, 2).reshape(batch * num_heads, steps, -1)

# %% in a loop, heads outside and sentences inside [torch]
import torch


def split_heads(X, num_heads):
    size = X.shape[-1] // num_heads
    parts = []
    for h in range(num_heads):
        for b in range(X.shape[0]):
            parts.append(X[b, :, h * size : (h + 1) * size])
    return torch.stack(parts)
