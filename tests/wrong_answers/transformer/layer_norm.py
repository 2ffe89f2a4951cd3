# %% divided by one less than the number of features [torch]
import torch


def layer_norm(X, gain, bias):
    mu = X.mean(-1, keepdim=True)
    sigma2 = X.var(-1,  keepdim=True)
    normalised = (X - mu) * torch.rsqrt(sigma2 + 1e-5)
    return normalised * gain + bias

# %% epsilon outside of the root [torch]
import torch


def layer_norm(X, gain, bias):
    mean = X.mean(dim=-1, keepdim=True)
    var = ((X - mean) ** 2).mean(dim=-1, keepdim=True)
    return gain * (X - mean) / (torch.sqrt(var) + 1e-5) + bias

# %% no epsilon [torch]
import torch


def layer_norm(X, gain, bias):
    mean = X.mean(dim=-1, keepdim=True)
    var = ((X - mean) ** 2).mean(dim=-1, keepdim=True)
    return gain * (X - mean) / torch.sqrt(var ) + bias

# %% std with its correction, and epsilon outside [torch]
import torch


def layer_norm(X, gain, bias):
    mean = X.mean(-1, keepdim=True)
    std = X.std(-1, keepdim=True)
    return gain * (X - mean) / (std + 1e-5) + bias

# %% no root: divided by the variance [torch]
import torch


def layer_norm(X, gain, bias):
    mean = X.mean(dim=-1, keepdim=True)
    var = ((X - mean) ** 2).mean(dim=-1, keepdim=True)
    return gain * (X - mean) / (var + 1e-5) + bias

# %% the mean is not taken off [torch]
import torch


def layer_norm(X, gain, bias):
    mean = X.mean(dim=-1, keepdim=True)
    var = ((X - mean) ** 2).mean(dim=-1, keepdim=True)
    return gain * X / torch.sqrt(var + 1e-5) + bias

# %% normalised over the steps [torch]
import torch


def layer_norm(X, gain, bias):
    mean = X.mean(dim=1, keepdim=True)
    var = ((X - mean) ** 2).mean(dim=1, keepdim=True)
    return gain * (X - mean) / torch.sqrt(var + 1e-5) + bias

# %% normalised over the batch [torch]
import torch


def layer_norm(X, gain, bias):
    mean = X.mean(dim=0, keepdim=True)
    var = ((X - mean) ** 2).mean(dim=0, keepdim=True)
    return gain * (X - mean) / torch.sqrt(var + 1e-5) + bias

# %% over steps and features together [torch]
import torch


def layer_norm(X, gain, bias):
    mean = X.mean(dim=(1, 2), keepdim=True)
    var = ((X - mean) ** 2).mean(dim=(1, 2), keepdim=True)
    return gain * (X - mean) / torch.sqrt(var + 1e-5) + bias

# %% the bias is left out [torch]
import torch


def layer_norm(X, gain, bias):
    mean = X.mean(dim=-1, keepdim=True)
    var = ((X - mean) ** 2).mean(dim=-1, keepdim=True)
    return gain * (X - mean) / torch.sqrt(var + 1e-5)

# %% the gain is left out [torch]
import torch


def layer_norm(X, gain, bias):
    mean = X.mean(dim=-1, keepdim=True)
    var = ((X - mean) ** 2).mean(dim=-1, keepdim=True)
    return  (X - mean) / torch.sqrt(var + 1e-5) + bias

# %% gain and bias interchanged [torch]
import torch


def layer_norm(X, gain, bias):
    mu = X.mean(-1, keepdim=True)
    sigma2 = X.var(-1, unbiased=False, keepdim=True)
    normalised = (X - mu) * torch.rsqrt(sigma2 + 1e-5)
    return normalised * bias + gain

# %% the bias is multiplied by the gain too [torch]
import torch


def layer_norm(X, gain, bias):
    mu = X.mean(-1, keepdim=True)
    sigma2 = X.var(-1, unbiased=False, keepdim=True)
    normalised = (X - mu) * torch.rsqrt(sigma2 + 1e-5)
    return (normalised + bias) * gain

# %% the gain is added to 1 [torch]
import torch


def layer_norm(X, gain, bias):
    mu = X.mean(-1, keepdim=True)
    sigma2 = X.var(-1, unbiased=False, keepdim=True)
    normalised = (X - mu) * torch.rsqrt(sigma2 + 1e-5)
    return normalised * (1 + gain) + bias

# %% the mean of squares without centring, as in RMS norm [torch]
import torch


def layer_norm(X, gain, bias):
    mean = X.mean(dim=-1, keepdim=True)
    var = (X**2).mean(dim=-1, keepdim=True)
    return gain * (X - mean) / torch.sqrt(var + 1e-5) + bias

# %% the sum of squares for their mean [torch]
import torch


def layer_norm(X, gain, bias):
    mean = X.mean(dim=-1, keepdim=True)
    var = ((X - mean) ** 2).sum(dim=-1, keepdim=True)
    return gain * (X - mean) / torch.sqrt(var + 1e-5) + bias

# %% epsilon is much larger [torch]
import torch


def layer_norm(X, gain, bias):
    mean = X.mean(dim=-1, keepdim=True)
    var = ((X - mean) ** 2).mean(dim=-1, keepdim=True)
    return gain * (X - mean) / torch.sqrt(var + 1e-3) + bias

# %% the statistics carry no gradient [torch]
import torch


def layer_norm(X, gain, bias):
    mean = X.mean(dim=-1, keepdim=True)
    mean = mean.detach()
    var = ((X - mean) ** 2).mean(dim=-1, keepdim=True).detach()
    return gain * (X - mean) / torch.sqrt(var + 1e-5) + bias

# %% the mean absolute deviation for the standard deviation [torch]
import torch


def layer_norm(X, gain, bias):
    mean = X.mean(dim=-1, keepdim=True)
    var = ((X - mean) ** 2).mean(dim=-1, keepdim=True)
    return gain * (X - mean) / ((X - mean).abs().mean(dim=-1, keepdim=True) + 1e-5) + bias

# %% the caller's X is changed in place [torch]
import torch


def layer_norm(X, gain, bias):
    X -= X.mean(dim=-1, keepdim=True)
    X /= torch.sqrt((X**2).mean(dim=-1, keepdim=True) + 1e-5)
    return X * gain + bias

# %% epsilon outside of the root [mxnet]
from mxnet import nd


def layer_norm(X, gain, bias):
    mean = X.mean(axis=-1, keepdims=True)
    centred = nd.broadcast_sub(X, mean)
    var = nd.mean(centred**2, axis=-1, keepdims=True)
    out = nd.broadcast_div(centred, (nd.sqrt(var) + 1e-5))
    return nd.broadcast_add(nd.broadcast_mul(out, gain), bias)

# %% over the steps [mxnet]
from mxnet import nd


def layer_norm(X, gain, bias):
    mean = X.mean(axis=1, keepdims=True)
    centred = nd.broadcast_sub(X, mean)
    var = nd.mean(centred**2, axis=1, keepdims=True)
    out = nd.broadcast_div(centred, nd.sqrt(var + 1e-5))
    return nd.broadcast_add(nd.broadcast_mul(out, gain), bias)

# %% variance times n over n minus 1 [mxnet]
from mxnet import nd


def layer_norm(X, gain, bias):
    mean = X.mean(axis=-1, keepdims=True)
    centred = nd.broadcast_sub(X, mean)
    var = nd.sum(centred**2, axis=-1, keepdims=True) / (X.shape[-1] - 1)
    out = nd.broadcast_div(centred, nd.sqrt(var + 1e-5))
    return nd.broadcast_add(nd.broadcast_mul(out, gain), bias)

# %% the root is missing [mxnet]
from mxnet import nd


def layer_norm(X, gain, bias):
    mean = X.mean(axis=-1, keepdims=True)
    centred = nd.broadcast_sub(X, mean)
    var = nd.mean(centred**2, axis=-1, keepdims=True)
    out = nd.broadcast_div(centred, var + 1e-5)
    return nd.broadcast_add(nd.broadcast_mul(out, gain), bias)

# %% the root is missing and the bias too [mxnet]
from mxnet import nd


def layer_norm(X, gain, bias):
    mean = X.mean(axis=-1, keepdims=True)
    centred = nd.broadcast_sub(X, mean)
    var = nd.mean(centred**2, axis=-1, keepdims=True)
    out = nd.broadcast_div(centred, var + 1e-5)
    return nd.broadcast_mul(out, gain)

# %% each position is scaled to length one [torch]
def layer_norm(X, gain, bias):
    X = X - X.mean(dim=-1, keepdim=True)
    return gain * X / (X.norm(dim=-1, keepdim=True) + 1e-5) + bias

# %% each position is squeezed between 0 and 1 [torch]
def layer_norm(X, gain, bias):
    low = X.min(dim=-1, keepdim=True).values
    high = X.max(dim=-1, keepdim=True).values
    return gain * (X - low) / (high - low + 1e-5) + bias
