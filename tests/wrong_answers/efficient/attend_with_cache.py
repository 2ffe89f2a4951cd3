# %% attends to the cache only, not to itself [torch]
import torch


def attend_with_cache(query, key, value, cached_keys, cached_values):
    if cached_keys is None:
        return value, key, value
    s = query @ cached_keys.mT / query.shape[-1] ** 0.5
    context = s.softmax(-1) @ cached_values
    keys = torch.cat([cached_keys, key], dim=1)
    values = torch.cat([cached_values, value], dim=1)
    return context, keys, values

# %% the new position comes in front of the cache [torch]
import math

import torch


def attend_with_cache(query, key, value, cached_keys, cached_values):
    if cached_keys is None:
        keys, values = key, value
    else:
        keys = torch.cat([key, cached_keys], dim=1)
        values = torch.cat([value, cached_values], dim=1)
    scores = torch.bmm(query, keys.transpose(1, 2)) / math.sqrt(query.shape[-1])
    weights = scores.softmax(dim=-1)
    return torch.bmm(weights, values), keys, values

# %% keys at the front, values at the end [torch]
import math

import torch


def attend_with_cache(query, key, value, cached_keys, cached_values):
    if cached_keys is None:
        keys, values = key, value
    else:
        keys = torch.cat([key, cached_keys], dim=1)
        values = torch.cat([cached_values, value], dim=1)
    scores = torch.bmm(query, keys.transpose(1, 2)) / math.sqrt(query.shape[-1])
    weights = scores.softmax(dim=-1)
    return torch.bmm(weights, values), keys, values

# %% not scaled [torch]
import math

import torch


def attend_with_cache(query, key, value, cached_keys, cached_values):
    if cached_keys is None:
        keys, values = key, value
    else:
        keys = torch.cat([cached_keys, key], dim=1)
        values = torch.cat([cached_values, value], dim=1)
    scores = torch.bmm(query, keys.transpose(1, 2))
    weights = scores.softmax(dim=-1)
    return torch.bmm(weights, values), keys, values

# %% scaled by the root of the number of keys [torch]
import math

import torch


def attend_with_cache(query, key, value, cached_keys, cached_values):
    if cached_keys is None:
        keys, values = key, value
    else:
        keys = torch.cat([cached_keys, key], dim=1)
        values = torch.cat([cached_values, value], dim=1)
    scores = torch.bmm(query, keys.transpose(1, 2)) / math.sqrt(keys.shape[1])
    weights = scores.softmax(dim=-1)
    return torch.bmm(weights, values), keys, values

# %% the old caches are returned [torch]
import math

import torch


def attend_with_cache(query, key, value, cached_keys, cached_values):
    if cached_keys is None:
        keys, values = key, value
    else:
        keys = torch.cat([cached_keys, key], dim=1)
        values = torch.cat([cached_values, value], dim=1)
    scores = torch.bmm(query, keys.transpose(1, 2)) / math.sqrt(query.shape[-1])
    weights = scores.softmax(dim=-1)
    return torch.bmm(weights, values), cached_keys, cached_values

# %% only the new key and value are returned [torch]
import math

import torch


def attend_with_cache(query, key, value, cached_keys, cached_values):
    if cached_keys is None:
        keys, values = key, value
    else:
        keys = torch.cat([cached_keys, key], dim=1)
        values = torch.cat([cached_values, value], dim=1)
    scores = torch.bmm(query, keys.transpose(1, 2)) / math.sqrt(query.shape[-1])
    weights = scores.softmax(dim=-1)
    return torch.bmm(weights, values), key, value

# %% the oldest position is dropped [torch]
import math

import torch


def attend_with_cache(query, key, value, cached_keys, cached_values):
    if cached_keys is None:
        keys, values = key, value
    else:
        keys = torch.cat([cached_keys[:, 1:], key], dim=1)
        values = torch.cat([cached_values[:, 1:], value], dim=1)
    scores = torch.bmm(query, keys.transpose(1, 2)) / math.sqrt(query.shape[-1])
    weights = scores.softmax(dim=-1)
    return torch.bmm(weights, values), keys, values

# %% joined along the batch [torch]
import math

import torch


def attend_with_cache(query, key, value, cached_keys, cached_values):
    if cached_keys is None:
        keys, values = key, value
    else:
        keys = torch.cat([cached_keys, key], dim=0)
        values = torch.cat([cached_values, value], dim=0)
    scores = torch.bmm(query, keys.transpose(1, 2)) / math.sqrt(query.shape[-1])
    weights = scores.softmax(dim=-1)
    return torch.bmm(weights, values), keys, values

# %% joined along the features [torch]
import math

import torch


def attend_with_cache(query, key, value, cached_keys, cached_values):
    if cached_keys is None:
        keys, values = key, value
    else:
        keys = torch.cat([cached_keys, key], dim=2)
        values = torch.cat([cached_values, value], dim=2)
    scores = torch.bmm(query, keys.transpose(1, 2)) / math.sqrt(query.shape[-1])
    weights = scores.softmax(dim=-1)
    return torch.bmm(weights, values), keys, values

# %% None is not handled [torch]
import math

import torch


def attend_with_cache(query, key, value, cached_keys, cached_values):
    keys = torch.cat([cached_keys, key], dim=1)
    values = torch.cat([cached_values, value], dim=1)
    scores = torch.bmm(query, keys.transpose(1, 2)) / math.sqrt(query.shape[-1])
    weights = scores.softmax(dim=-1)
    return torch.bmm(weights, values), keys, values

# %% the query goes into the cache in place of the key [torch]
import math

import torch


def attend_with_cache(query, key, value, cached_keys, cached_values):
    if cached_keys is None:
        keys, values = query, value
    else:
        keys = torch.cat([cached_keys, query], dim=1)
        values = torch.cat([cached_values, value], dim=1)
    scores = torch.bmm(query, keys.transpose(1, 2)) / math.sqrt(query.shape[-1])
    weights = scores.softmax(dim=-1)
    return torch.bmm(weights, values), keys, values

# %% the context goes into the cache of values [torch]
import math

import torch


def attend_with_cache(query, key, value, cached_keys, cached_values):
    if cached_keys is None:
        keys, values = key, value
    else:
        keys = torch.cat([cached_keys, key], dim=1)
        values = torch.cat([cached_values, value], dim=1)
    scores = torch.bmm(query, keys.transpose(1, 2)) / math.sqrt(query.shape[-1])
    weights = scores.softmax(dim=-1)
    context = torch.bmm(weights, values)
    values = torch.cat([values[:, :-1], context], dim=1)
    return context, keys, values

# %% softmax over the axis of the single query [torch]
import math

import torch


def attend_with_cache(query, key, value, cached_keys, cached_values):
    if cached_keys is None:
        keys, values = key, value
    else:
        keys = torch.cat([cached_keys, key], dim=1)
        values = torch.cat([cached_values, value], dim=1)
    scores = torch.bmm(query, keys.transpose(1, 2)) / math.sqrt(query.shape[-1])
    weights = scores.softmax(dim=1)
    return torch.bmm(weights, values), keys, values

# %% the caches carry no gradient [torch]
import math

import torch


def attend_with_cache(query, key, value, cached_keys, cached_values):
    if cached_keys is None:
        keys, values = key, value
    else:
        keys = torch.cat([cached_keys.detach(), key], dim=1)
        values = torch.cat([cached_values.detach(), value], dim=1)
    scores = torch.bmm(query, keys.transpose(1, 2)) / math.sqrt(query.shape[-1])
    weights = scores.softmax(dim=-1)
    return torch.bmm(weights, values), keys, values

# %% the values are cached but the old ones not attended to [torch]
import math

import torch


def attend_with_cache(query, key, value, cached_keys, cached_values):
    if cached_keys is None:
        keys, values = key, value
    else:
        keys = torch.cat([cached_keys, key], dim=1)
        values = torch.cat([cached_values, value], dim=1)
    scores = torch.bmm(query, keys.transpose(1, 2)) / math.sqrt(query.shape[-1])
    weights = scores.softmax(dim=-1)
    return weights[:, :, -1:] * value, keys, values

# %% keys and values are returned the wrong way round [torch]
import math

import torch


def attend_with_cache(query, key, value, cached_keys, cached_values):
    if cached_keys is None:
        keys, values = key, value
    else:
        keys = torch.cat([cached_keys, key], dim=1)
        values = torch.cat([cached_values, value], dim=1)
    scores = torch.bmm(query, keys.transpose(1, 2)) / math.sqrt(query.shape[-1])
    weights = scores.softmax(dim=-1)
    return torch.bmm(weights, values), values, keys

# %% only the context is returned [torch]
import math

import torch


def attend_with_cache(query, key, value, cached_keys, cached_values):
    if cached_keys is None:
        keys, values = key, value
    else:
        keys = torch.cat([cached_keys, key], dim=1)
        values = torch.cat([cached_values, value], dim=1)
    scores = torch.bmm(query, keys.transpose(1, 2)) / math.sqrt(query.shape[-1])
    weights = scores.softmax(dim=-1)
    return torch.bmm(weights, values)

# %% at the first step the context is zero [torch]
import math

import torch


def attend_with_cache(query, key, value, cached_keys, cached_values):
    if cached_keys is None:
        return torch.zeros_like(value), key, value
    else:
        keys = torch.cat([cached_keys, key], dim=1)
        values = torch.cat([cached_values, value], dim=1)
    scores = torch.bmm(query, keys.transpose(1, 2)) / math.sqrt(query.shape[-1])
    weights = scores.softmax(dim=-1)
    return torch.bmm(weights, values), keys, values

# %% the cached keys are scaled and kept scaled [torch]
import math

import torch


def attend_with_cache(query, key, value, cached_keys, cached_values):
    if cached_keys is None:
        keys, values = key, value
    else:
        keys = torch.cat([cached_keys, key], dim=1)
        values = torch.cat([cached_values, value], dim=1)
    keys = keys / math.sqrt(query.shape[-1])
    scores = torch.bmm(query, keys.transpose(1, 2))
    weights = scores.softmax(dim=-1)
    return torch.bmm(weights, values), keys, values

# %% the new position twice [torch]
import math

import torch


def attend_with_cache(query, key, value, cached_keys, cached_values):
    if cached_keys is None:
        keys, values = key, value
    else:
        keys = torch.cat([cached_keys, key, key], dim=1)
        values = torch.cat([cached_values, value, value], dim=1)
    scores = torch.bmm(query, keys.transpose(1, 2)) / math.sqrt(query.shape[-1])
    weights = scores.softmax(dim=-1)
    return torch.bmm(weights, values), keys, values

# %% not scaled, and the new position in front [torch]
import math

import torch


def attend_with_cache(query, key, value, cached_keys, cached_values):
    if cached_keys is None:
        keys, values = key, value
    else:
        keys = torch.cat([key, cached_keys], dim=1)
        values = torch.cat([value, cached_values], dim=1)
    scores = torch.bmm(query, keys.transpose(1, 2))
    weights = scores.softmax(dim=-1)
    return torch.bmm(weights, values), keys, values

# %% the new position comes first [mxnet]
import math

from mxnet import nd


def attend_with_cache(query, key, value, cached_keys, cached_values):
    keys, values = key, value
    if cached_keys is not None:
        keys = nd.concat(key, cached_keys, dim=1)
        values = nd.concat(value, cached_values, dim=1)
    scores = nd.batch_dot(query, keys, transpose_b=True) / math.sqrt(query.shape[-1])
    weights = nd.softmax(scores, axis=-1)
    return nd.batch_dot(weights, values), keys, values

# %% not scaled [mxnet]
import math

from mxnet import nd


def attend_with_cache(query, key, value, cached_keys, cached_values):
    keys, values = key, value
    if cached_keys is not None:
        keys = nd.concat(cached_keys, key, dim=1)
        values = nd.concat(cached_values, value, dim=1)
    scores = nd.batch_dot(query, keys, transpose_b=True)
    weights = nd.softmax(scores, axis=-1)
    return nd.batch_dot(weights, values), keys, values

# %% joined along the features [mxnet]
import math

from mxnet import nd


def attend_with_cache(query, key, value, cached_keys, cached_values):
    keys, values = key, value
    if cached_keys is not None:
        keys = nd.concat(cached_keys, key, dim=2)
        values = nd.concat(cached_values, value, dim=2)
    scores = nd.batch_dot(query, keys, transpose_b=True) / math.sqrt(query.shape[-1])
    weights = nd.softmax(scores, axis=-1)
    return nd.batch_dot(weights, values), keys, values

# %% the new key takes the place of the last cached one [mxnet]
import math

from mxnet import nd


def attend_with_cache(query, key, value, cached_keys, cached_values):
    keys, values = key, value
    if cached_keys is not None:
        keys = nd.concat(cached_keys[:, :-1], key, dim=1)
        values = nd.concat(cached_values[:, :-1], value, dim=1)
    scores = nd.batch_dot(query, keys, transpose_b=True) / math.sqrt(query.shape[-1])
    weights = nd.softmax(scores, axis=-1)
    return nd.batch_dot(weights, values), keys, values

# %% the mean of the values, with all keys equal [mxnet]
import math

from mxnet import nd


def attend_with_cache(query, key, value, cached_keys, cached_values):
    keys, values = key, value
    if cached_keys is not None:
        keys = nd.concat(cached_keys, key, dim=1)
        values = nd.concat(cached_values, value, dim=1)
    scores = nd.batch_dot(query, keys, transpose_b=True) / math.sqrt(query.shape[-1])
    weights = nd.ones_like(scores) / scores.shape[-1]
    return nd.batch_dot(weights, values), keys, values
