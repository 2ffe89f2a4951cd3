# %% the mean divides by all steps [torch]
import torch


def pool_over_time(states, valid_length):
    batch, num_steps, _ = states.shape
    mask = torch.arange(num_steps) < valid_length.unsqueeze(1)
    m = mask.unsqueeze(-1)
    mean = (states * m).sum(dim=1) / num_steps
    maximum = states.masked_fill(~m, float("-inf")).max(dim=1).values
    last = states[torch.arange(batch), valid_length - 1]
    return mean, maximum, last

# %% the mean takes padding in, over all steps [torch]
import torch


def pool_over_time(states, valid_length):
    batch, num_steps, _ = states.shape
    mask = torch.arange(num_steps) < valid_length.unsqueeze(1)
    m = mask.unsqueeze(-1)
    mean = states.mean(dim=1)
    maximum = states.masked_fill(~m, float("-inf")).max(dim=1).values
    last = states[torch.arange(batch), valid_length - 1]
    return mean, maximum, last

# %% padding in the sum, divided by the valid length [torch]
import torch


def pool_over_time(states, valid_length):
    batch, num_steps, _ = states.shape
    mask = torch.arange(num_steps) < valid_length.unsqueeze(1)
    m = mask.unsqueeze(-1)
    mean = states.sum(dim=1) / valid_length.unsqueeze(1)
    maximum = states.masked_fill(~m, float("-inf")).max(dim=1).values
    last = states[torch.arange(batch), valid_length - 1]
    return mean, maximum, last

# %% padding counts as zero in the maximum [torch]
import torch


def pool_over_time(states, valid_length):
    batch, num_steps, _ = states.shape
    mask = torch.arange(num_steps) < valid_length.unsqueeze(1)
    m = mask.unsqueeze(-1)
    mean = (states * m).sum(dim=1) / valid_length.unsqueeze(1)
    maximum = (states * m).max(dim=1).values
    last = states[torch.arange(batch), valid_length - 1]
    return mean, maximum, last

# %% the maximum takes padding in [torch]
import torch


def pool_over_time(states, valid_length):
    batch, num_steps, _ = states.shape
    mask = torch.arange(num_steps) < valid_length.unsqueeze(1)
    m = mask.unsqueeze(-1)
    mean = (states * m).sum(dim=1) / valid_length.unsqueeze(1)
    maximum = states.max(dim=1).values
    last = states[torch.arange(batch), valid_length - 1]
    return mean, maximum, last

# %% the last of all steps, padding or not [torch]
import torch


def pool_over_time(states, valid_length):
    batch, num_steps, _ = states.shape
    mask = torch.arange(num_steps) < valid_length.unsqueeze(1)
    m = mask.unsqueeze(-1)
    mean = (states * m).sum(dim=1) / valid_length.unsqueeze(1)
    maximum = states.masked_fill(~m, float("-inf")).max(dim=1).values
    last = states[:, -1]
    return mean, maximum, last

# %% the one after the last [torch]
import torch


def pool_over_time(states, valid_length):
    batch, num_steps, _ = states.shape
    mask = torch.arange(num_steps) < valid_length.unsqueeze(1)
    m = mask.unsqueeze(-1)
    mean = (states * m).sum(dim=1) / valid_length.unsqueeze(1)
    maximum = states.masked_fill(~m, float("-inf")).max(dim=1).values
    last = states[torch.arange(batch), valid_length.clamp(max=num_steps - 1)]
    return mean, maximum, last

# %% the one before the last [torch]
import torch


def pool_over_time(states, valid_length):
    batch, num_steps, _ = states.shape
    mask = torch.arange(num_steps) < valid_length.unsqueeze(1)
    m = mask.unsqueeze(-1)
    mean = (states * m).sum(dim=1) / valid_length.unsqueeze(1)
    maximum = states.masked_fill(~m, float("-inf")).max(dim=1).values
    last = states[torch.arange(batch), (valid_length - 2).clamp(min=0)]
    return mean, maximum, last

# %% the first state as the last [torch]
import torch


def pool_over_time(states, valid_length):
    batch, num_steps, _ = states.shape
    mask = torch.arange(num_steps) < valid_length.unsqueeze(1)
    m = mask.unsqueeze(-1)
    mean = (states * m).sum(dim=1) / valid_length.unsqueeze(1)
    maximum = states.masked_fill(~m, float("-inf")).max(dim=1).values
    last = states[:, 0]
    return mean, maximum, last

# %% the maximum returns positions [torch]
import torch


def pool_over_time(states, valid_length):
    batch, num_steps, _ = states.shape
    mask = torch.arange(num_steps) < valid_length.unsqueeze(1)
    m = mask.unsqueeze(-1)
    mean = (states * m).sum(dim=1) / valid_length.unsqueeze(1)
    maximum = states.masked_fill(~m, float("-inf")).max(dim=1).indices
    last = states[torch.arange(batch), valid_length - 1]
    return mean, maximum, last

# %% the maximum over the features [torch]
import torch


def pool_over_time(states, valid_length):
    batch, num_steps, _ = states.shape
    mask = torch.arange(num_steps) < valid_length.unsqueeze(1)
    m = mask.unsqueeze(-1)
    mean = (states * m).sum(dim=1) / valid_length.unsqueeze(1)
    maximum = states.masked_fill(~m, float("-inf")).max(dim=2).values
    last = states[torch.arange(batch), valid_length - 1]
    return mean, maximum, last

# %% the mask is inverted [torch]
import torch


def pool_over_time(states, valid_length):
    batch, num_steps, _ = states.shape
    mask = torch.arange(num_steps) >= valid_length.unsqueeze(1)
    m = mask.unsqueeze(-1)
    mean = (states * m).sum(dim=1) / valid_length.unsqueeze(1)
    maximum = states.masked_fill(~m, float("-inf")).max(dim=1).values
    last = states[torch.arange(batch), valid_length - 1]
    return mean, maximum, last

# %% one padding step in mean and maximum [torch]
import torch


def pool_over_time(states, valid_length):
    batch, num_steps, _ = states.shape
    mask = torch.arange(num_steps) <= valid_length.unsqueeze(1)
    m = mask.unsqueeze(-1)
    mean = (states * m).sum(dim=1) / valid_length.unsqueeze(1)
    maximum = states.masked_fill(~m, float("-inf")).max(dim=1).values
    last = states[torch.arange(batch), valid_length - 1]
    return mean, maximum, last

# %% the lengths index without the batch: every review's states at all lengths [torch]
import torch


def pool_over_time(states, valid_length):
    batch, num_steps, _ = states.shape
    mask = torch.arange(num_steps) < valid_length.unsqueeze(1)
    m = mask.unsqueeze(-1)
    mean = (states * m).sum(dim=1) / valid_length.unsqueeze(1)
    maximum = states.masked_fill(~m, float("-inf")).max(dim=1).values
    last = states[:, valid_length - 1]
    return mean, maximum, last

# %% the maximum of absolute values [torch]
import torch


def pool_over_time(states, valid_length):
    batch, num_steps, _ = states.shape
    mask = torch.arange(num_steps) < valid_length.unsqueeze(1)
    m = mask.unsqueeze(-1)
    mean = (states * m).sum(dim=1) / valid_length.unsqueeze(1)
    maximum = (states.abs() * m).max(dim=1).values
    last = states[torch.arange(batch), valid_length - 1]
    return mean, maximum, last

# %% the sum for the mean [torch]
import torch


def pool_over_time(states, valid_length):
    batch, num_steps, _ = states.shape
    mask = torch.arange(num_steps) < valid_length.unsqueeze(1)
    m = mask.unsqueeze(-1)
    mean = (states * m).sum(dim=1)
    maximum = states.masked_fill(~m, float("-inf")).max(dim=1).values
    last = states[torch.arange(batch), valid_length - 1]
    return mean, maximum, last

# %% maximum and mean interchanged in the result [torch]
import torch


def pool_over_time(states, valid_length):
    batch, num_steps, _ = states.shape
    mask = torch.arange(num_steps) < valid_length.unsqueeze(1)
    m = mask.unsqueeze(-1)
    mean = (states * m).sum(dim=1) / valid_length.unsqueeze(1)
    maximum = states.masked_fill(~m, float("-inf")).max(dim=1).values
    last = states[torch.arange(batch), valid_length - 1]
    return maximum, mean, last

# %% only the mean and the last [torch]
import torch


def pool_over_time(states, valid_length):
    batch, num_steps, _ = states.shape
    mask = torch.arange(num_steps) < valid_length.unsqueeze(1)
    m = mask.unsqueeze(-1)
    mean = (states * m).sum(dim=1) / valid_length.unsqueeze(1)
    maximum = states.masked_fill(~m, float("-inf")).max(dim=1).values
    last = states[torch.arange(batch), valid_length - 1]
    return mean, last

# %% the minimum for the maximum, with zeros for the padding [torch]
import torch


def pool_over_time(states, valid_length):
    batch, num_steps, _ = states.shape
    mask = torch.arange(num_steps) < valid_length.unsqueeze(1)
    m = mask.unsqueeze(-1)
    mean = (states * m).sum(dim=1) / valid_length.unsqueeze(1)
    maximum = (states * m).min(dim=1).values
    last = states[torch.arange(batch), valid_length - 1]
    return mean, maximum, last

# %% all three concatenated into one array [torch]
import torch


def pool_over_time(states, valid_length):
    batch, num_steps, _ = states.shape
    mask = torch.arange(num_steps) < valid_length.unsqueeze(1)
    m = mask.unsqueeze(-1)
    mean = (states * m).sum(dim=1) / valid_length.unsqueeze(1)
    maximum = states.masked_fill(~m, float("-inf")).max(dim=1).values
    last = states[torch.arange(batch), valid_length - 1]
    return torch.cat([mean, maximum, last], dim=1)

# %% padding is zero in the maximum, and the last step is that of the padded batch [torch]
import torch


def pool_over_time(states, valid_length):
    batch, num_steps, _ = states.shape
    mask = torch.arange(num_steps) < valid_length.unsqueeze(1)
    m = mask.unsqueeze(-1)
    mean = (states * m).sum(dim=1) / valid_length.unsqueeze(1)
    maximum = (states * m).max(dim=1).values
    last = states[:, -1]
    return mean, maximum, last

# %% padding counts as zero in the maximum [mxnet]
from mxnet import nd


def pool_over_time(states, valid_length):
    t = nd.arange(states.shape[1]).reshape((1, -1))
    n = valid_length.reshape((-1, 1))
    mask = nd.broadcast_lesser(t, n).expand_dims(2)
    mean = nd.broadcast_div(nd.broadcast_mul(states, mask).sum(axis=1), n)
    filled = nd.where(mask.broadcast_like(states), states, nd.zeros_like(states))
    maximum = filled.max(axis=1)
    last = nd.SequenceLast(states, valid_length, use_sequence_length=True, axis=1)
    return mean, maximum, last

# %% the last of all steps [mxnet]
from mxnet import nd


def pool_over_time(states, valid_length):
    t = nd.arange(states.shape[1]).reshape((1, -1))
    n = valid_length.reshape((-1, 1))
    mask = nd.broadcast_lesser(t, n).expand_dims(2)
    mean = nd.broadcast_div(nd.broadcast_mul(states, mask).sum(axis=1), n)
    filled = nd.where(mask.broadcast_like(states), states, nd.ones_like(states) * -1e9)
    maximum = filled.max(axis=1)
    last = states[:, -1]
    return mean, maximum, last

# %% axis left at 0 in SequenceLast [mxnet]
from mxnet import nd


def pool_over_time(states, valid_length):
    t = nd.arange(states.shape[1]).reshape((1, -1))
    n = valid_length.reshape((-1, 1))
    mask = nd.broadcast_lesser(t, n).expand_dims(2)
    mean = nd.broadcast_div(nd.broadcast_mul(states, mask).sum(axis=1), n)
    filled = nd.where(mask.broadcast_like(states), states, nd.ones_like(states) * -1e9)
    maximum = filled.max(axis=1)
    last = nd.SequenceLast(states, valid_length, use_sequence_length=True)
    return mean, maximum, last

# %% the mean divides by all steps [mxnet]
from mxnet import nd


def pool_over_time(states, valid_length):
    t = nd.arange(states.shape[1]).reshape((1, -1))
    n = valid_length.reshape((-1, 1))
    mask = nd.broadcast_lesser(t, n).expand_dims(2)
    mean = nd.broadcast_mul(states, mask).mean(axis=1)
    filled = nd.where(mask.broadcast_like(states), states, nd.ones_like(states) * -1e9)
    maximum = filled.max(axis=1)
    last = nd.SequenceLast(states, valid_length, use_sequence_length=True, axis=1)
    return mean, maximum, last

# %% one step too many in the mask [mxnet]
from mxnet import nd


def pool_over_time(states, valid_length):
    t = nd.arange(states.shape[1]).reshape((1, -1))
    n = valid_length.reshape((-1, 1))
    mask = nd.broadcast_lesser_equal(t, n).expand_dims(2)
    mean = nd.broadcast_div(nd.broadcast_mul(states, mask).sum(axis=1), n)
    filled = nd.where(mask.broadcast_like(states), states, nd.ones_like(states) * -1e9)
    maximum = filled.max(axis=1)
    last = nd.SequenceLast(states, valid_length, use_sequence_length=True, axis=1)
    return mean, maximum, last
