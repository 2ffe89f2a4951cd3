# %% as published: the epsilon is added to the quotient [torch]
import torch


def guarded_pooling_weights(scores, mask, epsilon):
    a = torch.exp(torch.tanh(scores)) * mask
    return a / torch.sum(a, 1, keepdim=True) + epsilon

# %% the published quotient, masked [torch]
import torch


def guarded_pooling_weights(scores, mask, epsilon):
    a = torch.exp(torch.tanh(scores)) * mask
    return (a / torch.sum(a, 1, keepdim=True) + epsilon) * mask

# %% no epsilon [torch]
import torch


def guarded_pooling_weights(scores, mask, epsilon):
    a = torch.exp(torch.tanh(scores)) * mask
    return a / torch.sum(a, 1, keepdim=True)

# %% the larger of sum and epsilon [torch]
import torch


def guarded_pooling_weights(scores, mask, epsilon):
    a = torch.exp(torch.tanh(scores)) * mask
    return a / torch.sum(a, 1, keepdim=True).clamp(min=epsilon)

# %% epsilon also above the line [torch]
import torch


def guarded_pooling_weights(scores, mask, epsilon):
    a = torch.exp(torch.tanh(scores)) * mask
    return (a + epsilon) / (torch.sum(a, 1, keepdim=True) + epsilon)

# %% the tanh is left out [torch]
import torch


def guarded_pooling_weights(scores, mask, epsilon):
    a = torch.exp(scores) * mask
    return a / (torch.sum(a, 1, keepdim=True) + epsilon)

# %% the mask is left out [torch]
import torch


def guarded_pooling_weights(scores, mask, epsilon):
    a = torch.exp(torch.tanh(scores))
    return a / (torch.sum(a, 1, keepdim=True) + epsilon)

# %% epsilon is added to each exponential, so the sum has it many times [torch]
import torch


def guarded_pooling_weights(scores, mask, epsilon):
    a = torch.exp(torch.tanh(scores)) * mask + epsilon
    return a / torch.sum(a, 1, keepdim=True)

# %% a softmax over masked bounded scores [torch]
import torch


def guarded_pooling_weights(scores, mask, epsilon):
    bounded = torch.tanh(scores).masked_fill(~mask.bool(), -1e9)
    return torch.softmax(bounded, dim=1) * mask

# %% the sum is over the batch [torch]
import torch


def guarded_pooling_weights(scores, mask, epsilon):
    a = torch.exp(torch.tanh(scores)) * mask
    return a / (torch.sum(a, 0, keepdim=True) + epsilon)

# %% nan replaced by zero, epsilon dropped [torch]
import torch


def guarded_pooling_weights(scores, mask, epsilon):
    a = torch.exp(torch.tanh(scores)) * mask
    return torch.nan_to_num(a / torch.sum(a, 1, keepdim=True))

# %% the mask inside the exponential: masked steps are e to the zero [torch]
import torch


def guarded_pooling_weights(scores, mask, epsilon):
    a = torch.exp(torch.tanh(scores) * mask)
    return a / (torch.sum(a, 1, keepdim=True) + epsilon)

# %% the mask on the scores and on the result, not on the sum [torch]
import torch


def guarded_pooling_weights(scores, mask, epsilon):
    a = torch.exp(torch.tanh(scores))
    return a * mask / (torch.sum(a, 1, keepdim=True) + epsilon)

# %% epsilon is multiplied by the number of steps [torch]
import torch


def guarded_pooling_weights(scores, mask, epsilon):
    a = torch.exp(torch.tanh(scores)) * mask
    return a / (torch.sum(a, 1, keepdim=True) + epsilon * scores.shape[1])

# %% the epsilon only where the row is empty [torch]
import torch


def guarded_pooling_weights(scores, mask, epsilon):
    a = torch.exp(torch.tanh(scores)) * mask
    total = torch.sum(a, 1, keepdim=True)
    return a / torch.where(total == 0, torch.tensor(epsilon), total)

# %% the mean for the sum [torch]
import torch


def guarded_pooling_weights(scores, mask, epsilon):
    a = torch.exp(torch.tanh(scores)) * mask
    return a / (torch.mean(a, 1, keepdim=True) + epsilon)

# %% epsilon subtracted [torch]
import torch


def guarded_pooling_weights(scores, mask, epsilon):
    a = torch.exp(torch.tanh(scores)) * mask
    return a / (torch.sum(a, 1, keepdim=True) - epsilon)

# %% epsilon outside, as published, with brackets round the wrong part [mxnet]
from mxnet import nd


def guarded_pooling_weights(scores, mask, epsilon):
    a = nd.exp(nd.tanh(scores)) * mask
    return nd.broadcast_div(a, nd.sum(a, 1, keepdims=True)) + epsilon

# %% softmax and mask [mxnet]
from mxnet import nd


def guarded_pooling_weights(scores, mask, epsilon):
    a = nd.softmax(nd.tanh(scores), axis=1) * mask
    return nd.broadcast_div(a, nd.sum(a, 1, keepdims=True) + epsilon)

# %% no mask [mxnet]
from mxnet import nd


def guarded_pooling_weights(scores, mask, epsilon):
    a = nd.exp(nd.tanh(scores))
    return nd.broadcast_div(a, nd.sum(a, 1, keepdims=True) + epsilon)

# %% no tanh, and no epsilon [mxnet]
from mxnet import nd


def guarded_pooling_weights(scores, mask, epsilon):
    a = nd.exp(scores) * mask
    return nd.broadcast_div(a, nd.sum(a, 1, keepdims=True) )

# %% the tanh of the exponential [mxnet]
from mxnet import nd


def guarded_pooling_weights(scores, mask, epsilon):
    a = nd.tanh(nd.exp(scores)) * mask
    return nd.broadcast_div(a, nd.sum(a, 1, keepdims=True) + epsilon)

# %% epsilon goes into the exponential [torch]
import torch


def guarded_pooling_weights(scores, mask, epsilon):
    a = torch.exp(torch.tanh(scores) + epsilon) * mask
    total = a.sum(dim=1, keepdim=True)
    return torch.where(total > 0, a / total, torch.zeros_like(a))

# %% the guard replaces only sums that are exactly zero by one [torch]
import torch


def guarded_pooling_weights(scores, mask, epsilon):
    a = torch.exp(torch.tanh(scores)) * mask
    s = a.sum(dim=1, keepdim=True)
    s[s == 0] = 1
    return a / s
