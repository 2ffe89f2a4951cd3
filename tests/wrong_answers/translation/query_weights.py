# %% as published: the entries of the result are the scores [torch]
import torch
from solutions.masked_softmax.in_torch import masked_softmax


def query_weights(y, state, outputs, valid_length, W):
    scores = torch.cat([y, state], dim=1) @ W.T
    scores = scores[:, : outputs.shape[1]].unsqueeze(1)
    return masked_softmax(scores, valid_length).squeeze(1)

# %% state first, then the word [torch]
import torch
from solutions.masked_softmax.in_torch import masked_softmax


def query_weights(y, state, outputs, valid_length, W):
    query = torch.cat([state, y], dim=1) @ W.T
    scores = torch.bmm(query.unsqueeze(1), outputs.transpose(1, 2))
    return masked_softmax(scores, valid_length).squeeze(1)

# %% scaled by the root of the width [torch]
import torch
from solutions.masked_softmax.in_torch import masked_softmax


def query_weights(y, state, outputs, valid_length, W):
    query = torch.cat([y, state], dim=1) @ W.T
    scores = torch.bmm(query.unsqueeze(1), outputs.transpose(1, 2)) / outputs.shape[-1] ** 0.5
    return masked_softmax(scores, valid_length).squeeze(1)

# %% tanh of the query [torch]
import torch
from solutions.masked_softmax.in_torch import masked_softmax


def query_weights(y, state, outputs, valid_length, W):
    query = torch.tanh(torch.cat([y, state], dim=1) @ W.T)
    scores = torch.bmm(query.unsqueeze(1), outputs.transpose(1, 2))
    return masked_softmax(scores, valid_length).squeeze(1)

# %% tanh of query and output added, as in the additive score [torch]
import torch


def query_weights(y, state, outputs, valid_length, W):
    q = torch.cat([y, state], dim=-1) @ W.t()
    scores = torch.tanh(q[:, None] + outputs).sum(dim=-1)
    pad = torch.arange(outputs.size(1)) >= valid_length[:, None]
    return scores.masked_fill(pad, float("-inf")).softmax(dim=1)

# %% not masked [torch]
import torch
from solutions.masked_softmax.in_torch import masked_softmax


def query_weights(y, state, outputs, valid_length, W):
    query = torch.cat([y, state], dim=1) @ W.T
    scores = torch.bmm(query.unsqueeze(1), outputs.transpose(1, 2))
    return torch.softmax(scores, dim=-1).squeeze(1)

# %% one padding position is let in [torch]
import torch


def query_weights(y, state, outputs, valid_length, W):
    q = torch.cat([y, state], dim=-1) @ W.t()
    scores = torch.einsum("bh,bkh->bk", q, outputs)
    pad = torch.arange(outputs.size(1)) > valid_length[:, None]
    return scores.masked_fill(pad, float("-inf")).softmax(dim=1)

# %% masked after the softmax [torch]
import torch


def query_weights(y, state, outputs, valid_length, W):
    q = torch.cat([y, state], dim=-1) @ W.t()
    scores = torch.einsum("bh,bkh->bk", q, outputs)
    pad = torch.arange(outputs.size(1)) >= valid_length[:, None]
    return scores.softmax(dim=1).masked_fill(pad, 0.0)

# %% softmax over the batch [torch]
import torch


def query_weights(y, state, outputs, valid_length, W):
    q = torch.cat([y, state], dim=-1) @ W.t()
    scores = torch.einsum("bh,bkh->bk", q, outputs)
    pad = torch.arange(outputs.size(1)) >= valid_length[:, None]
    return scores.masked_fill(pad, float("-inf")).softmax(dim=0)

# %% an axis of size one stays [torch]
import torch
from solutions.masked_softmax.in_torch import masked_softmax


def query_weights(y, state, outputs, valid_length, W):
    query = torch.cat([y, state], dim=1) @ W.T
    scores = torch.bmm(query.unsqueeze(1), outputs.transpose(1, 2))
    return masked_softmax(scores, valid_length)

# %% the context is returned [torch]
import torch
from solutions.masked_softmax.in_torch import masked_softmax


def query_weights(y, state, outputs, valid_length, W):
    query = torch.cat([y, state], dim=1) @ W.T
    scores = torch.bmm(query.unsqueeze(1), outputs.transpose(1, 2))
    return torch.bmm(masked_softmax(scores, valid_length), outputs).squeeze(1)

# %% the scores are returned [torch]
import torch


def query_weights(y, state, outputs, valid_length, W):
    q = torch.cat([y, state], dim=-1) @ W.t()
    scores = torch.einsum("bh,bkh->bk", q, outputs)
    pad = torch.arange(outputs.size(1)) >= valid_length[:, None]
    return scores.masked_fill(pad, float("-inf"))

# %% the sum of the outputs' entries instead of the product with the query [torch]
import torch


def query_weights(y, state, outputs, valid_length, W):
    q = torch.cat([y, state], dim=-1) @ W.t()
    scores = q.sum(dim=1, keepdim=True) * outputs.sum(dim=2)
    pad = torch.arange(outputs.size(1)) >= valid_length[:, None]
    return scores.masked_fill(pad, float("-inf")).softmax(dim=1)

# %% the mean over the width [torch]
import torch


def query_weights(y, state, outputs, valid_length, W):
    q = torch.cat([y, state], dim=-1) @ W.t()
    scores = (q[:, None] * outputs).mean(dim=-1)
    pad = torch.arange(outputs.size(1)) >= valid_length[:, None]
    return scores.masked_fill(pad, float("-inf")).softmax(dim=1)

# %% published scores times the norm of the output [torch]
import torch


def query_weights(y, state, outputs, valid_length, W):
    q = torch.cat([y, state], dim=-1) @ W.t()
    scores = q[:, :1] * outputs.norm(dim=2)
    pad = torch.arange(outputs.size(1)) >= valid_length[:, None]
    return scores.masked_fill(pad, float("-inf")).softmax(dim=1)

# %% the outputs carry no gradient, so the mending cannot be learned [torch]
import torch


def query_weights(y, state, outputs, valid_length, W):
    q = torch.cat([y, state], dim=-1) @ W.t()
    scores = torch.einsum("bh,bkh->bk", q, outputs.detach())
    pad = torch.arange(outputs.size(1)) >= valid_length[:, None]
    return scores.masked_fill(pad, float("-inf")).softmax(dim=1)

# %% the cosine instead of the dot product [torch]
import torch


def query_weights(y, state, outputs, valid_length, W):
    q = torch.cat([y, state], dim=-1) @ W.t()
    scores = torch.nn.functional.cosine_similarity(q[:, None], outputs, dim=-1)
    pad = torch.arange(outputs.size(1)) >= valid_length[:, None]
    return scores.masked_fill(pad, float("-inf")).softmax(dim=1)

# %% state and word the wrong way round, and not masked [torch]
import torch
from solutions.masked_softmax.in_torch import masked_softmax


def query_weights(y, state, outputs, valid_length, W):
    query = torch.cat([state, y], dim=1) @ W.T
    scores = torch.bmm(query.unsqueeze(1), outputs.transpose(1, 2))
    return torch.softmax(scores, dim=-1).squeeze(1)

# %% every sentence looks at the first one's outputs [torch]
import torch


def query_weights(y, state, outputs, valid_length, W):
    q = torch.cat([y, state], dim=-1) @ W.t()
    scores = torch.einsum("bh,kh->bk", q, outputs[0])
    pad = torch.arange(outputs.size(1)) >= valid_length[:, None]
    return scores.masked_fill(pad, float("-inf")).softmax(dim=1)

# %% as published [mxnet]
from mxnet import nd
from solutions.masked_softmax.in_mxnet import masked_softmax


def query_weights(y, state, outputs, valid_length, W):
    query = nd.dot(nd.concat(y, state, dim=1), W.T)
    scores = query[:, : outputs.shape[1]].expand_dims(1)
    return masked_softmax(scores, valid_length).squeeze(axis=1)

# %% not masked [mxnet]
from mxnet import nd
from solutions.masked_softmax.in_mxnet import masked_softmax


def query_weights(y, state, outputs, valid_length, W):
    query = nd.dot(nd.concat(y, state, dim=1), W.T)
    scores = nd.batch_dot(query.expand_dims(1), outputs, transpose_b=True)
    return nd.softmax(scores, axis=-1).squeeze(axis=1)

# %% scaled [mxnet]
from mxnet import nd
from solutions.masked_softmax.in_mxnet import masked_softmax


def query_weights(y, state, outputs, valid_length, W):
    query = nd.dot(nd.concat(y, state, dim=1), W.T)
    scores = nd.batch_dot(query.expand_dims(1), outputs, transpose_b=True) / outputs.shape[2] ** 0.5
    return masked_softmax(scores, valid_length).squeeze(axis=1)

# %% state first [mxnet]
from mxnet import nd
from solutions.masked_softmax.in_mxnet import masked_softmax


def query_weights(y, state, outputs, valid_length, W):
    query = nd.dot(nd.concat(state, y, dim=1), W.T)
    scores = nd.batch_dot(query.expand_dims(1), outputs, transpose_b=True)
    return masked_softmax(scores, valid_length).squeeze(axis=1)

# %% tanh of the scores [mxnet]
from mxnet import nd
from solutions.masked_softmax.in_mxnet import masked_softmax


def query_weights(y, state, outputs, valid_length, W):
    query = nd.dot(nd.concat(y, state, dim=1), W.T)
    scores = nd.batch_dot(query.expand_dims(1), outputs, transpose_b=True)
    return masked_softmax(nd.tanh(scores), valid_length).squeeze(axis=1)

# %% the word before alone asks [torch]
import torch
from solutions.masked_softmax.in_torch import masked_softmax


def query_weights(y, state, outputs, valid_length, W):
    q = y @ W[:, : y.shape[1]].T
    scores = (outputs @ q.unsqueeze(2)).transpose(1, 2)
    return masked_softmax(scores, valid_length).squeeze(1)

# %% the state alone asks [torch]
import torch
from solutions.masked_softmax.in_torch import masked_softmax


def query_weights(y, state, outputs, valid_length, W):
    q = state @ W[:, y.shape[1] :].T
    scores = torch.einsum("bkh,bh->bk", outputs, q)
    return masked_softmax(scores.unsqueeze(1), valid_length)[:, 0]
