# %% softmax of the weights first, though they are weights already [torch]
import torch


def attention_pooling(weights, values):
    return torch.bmm(torch.softmax(weights, dim=-1), values)

# %% the sum over the keys becomes a mean [torch]
import torch


def attention_pooling(weights, values):
    batch, num_queries, num_keys = weights.shape
    out = torch.zeros(batch, num_queries, values.shape[2])
    for b in range(batch):
        for q in range(num_queries):
            for k in range(num_keys):
                out[b, q] += weights[b, q, k] * values[b, k]
    return out / num_keys

# %% the weights are divided by their sum again [torch]
import torch


def attention_pooling(weights, values):
    weights = weights / weights.sum(dim=-1, keepdim=True)
    return torch.bmm(weights, values)

# %% only the key with the largest weight is taken [torch]
import torch


def attention_pooling(weights, values):
    best = weights.argmax(dim=-1)
    index = best.unsqueeze(-1).expand(-1, -1, values.shape[-1])
    return torch.gather(values, 1, index)

# %% every batch element uses the values of the first [torch]
import torch


def attention_pooling(weights, values):
    return torch.einsum("bqk,kd->bqd", weights, values[0])

# %% overwrites in the loop where it should add, so the last key remains [torch]
import torch


def attention_pooling(weights, values):
    batch, num_queries, num_keys = weights.shape
    out = torch.zeros(batch, num_queries, values.shape[2])
    for b in range(batch):
        for q in range(num_queries):
            for k in range(num_keys):
                out[b, q] = weights[b, q, k] * values[b, k]
    return out

# %% the last key is left out of the loop [torch]
import torch


def attention_pooling(weights, values):
    batch, num_queries, num_keys = weights.shape
    out = torch.zeros(batch, num_queries, values.shape[2])
    for b in range(batch):
        for q in range(num_queries):
            for k in range(num_keys - 1):
                out[b, q] += weights[b, q, k] * values[b, k]
    return out

# %% squares the weights [torch]
import torch


def attention_pooling(weights, values):
    return torch.einsum("bqk,bkd->bqd", weights**2, values)

# %% the batch elements' values are added up too [torch]
import torch


def attention_pooling(weights, values):
    return torch.einsum("bqk,ckd->bqd", weights, values)

# %% returns one context for each batch element, summed over the queries [torch]
import torch


def attention_pooling(weights, values):
    return torch.einsum("bqk,bkd->bd", weights, values)

# %% the result has its last two axes swapped [torch]
import torch


def attention_pooling(weights, values):
    return torch.einsum("bqk,bkd->bdq", weights, values)

# %% weights reshaped to (num_keys, num_queries) and back instead of used as they are [torch]
import torch


def attention_pooling(weights, values):
    return torch.bmm(weights.reshape(weights.shape[0], weights.shape[2], weights.shape[1]).transpose(1, 2), values)

# %% returns the weighted values without adding them up [torch]
import torch


def attention_pooling(weights, values):
    return weights.unsqueeze(-1) * values.unsqueeze(1)

# %% weights cut off from the gradient [torch]
import torch


def attention_pooling(weights, values):
    return torch.bmm(weights.detach(), values)

# %% goes through numpy, so no gradient comes back [torch]
import numpy as np
import torch


def attention_pooling(weights, values):
    w = weights.detach().numpy()
    v = values.detach().numpy()
    return torch.tensor(np.matmul(w, v))

# %% dot instead of batch_dot [mxnet]
from mxnet import nd


def attention_pooling(weights, values):
    return nd.dot(weights, values)

# %% adds up over the queries instead of the keys [mxnet]
from mxnet import nd


def attention_pooling(weights, values):
    w = weights.expand_dims(3)  # (batch, num_queries, num_keys, 1)
    v = values.expand_dims(1)  # (batch, 1, num_keys, d_v)
    return nd.broadcast_mul(w, v).sum(axis=1)

# %% mean over the keys for the sum [mxnet]
from mxnet import nd


def attention_pooling(weights, values):
    w = weights.expand_dims(3)  # (batch, num_queries, num_keys, 1)
    v = values.expand_dims(1)  # (batch, 1, num_keys, d_v)
    return nd.broadcast_mul(w, v).mean(axis=2)

# %% softmax over the values before they are weighted [mxnet]
from mxnet import nd


def attention_pooling(weights, values):
    return nd.batch_dot(weights, values.softmax(axis=1))

# %% the product of weights and values is passed through tanh [mxnet]
from mxnet import nd


def attention_pooling(weights, values):
    return nd.tanh(nd.batch_dot(weights, values))

# %% works for a batch of one: only the first element is computed [torch]
import torch


def attention_pooling(weights, values):
    context = weights[0] @ values[0]
    return context.unsqueeze(0)

# %% the values are transposed, which fits where there are as many keys as entries [torch]
import torch


def attention_pooling(weights, values):
    return torch.matmul(weights, values.transpose(1, 2))

# %% a list of contexts instead of a tensor [torch]
def attention_pooling(weights, values):
    return [w @ v for w, v in zip(weights, values)]
