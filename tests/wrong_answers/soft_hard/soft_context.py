# %% scores used as weights without softmax [torch]
import torch


def soft_context(features, scores):
    weights = scores
    context = (weights.unsqueeze(-1) * features).sum(dim=1)
    return context, weights

# %% softmax over the batch [torch]
import torch


def soft_context(features, scores):
    weights = torch.softmax(scores, dim=0)
    context = (weights.unsqueeze(-1) * features).sum(dim=1)
    return context, weights

# %% only the best patch [torch]
import torch


def soft_context(features, scores):
    weights = scores.softmax(dim=-1)
    best = weights.argmax(dim=-1)
    return features[torch.arange(features.shape[0]), best], weights

# %% weights and context interchanged [torch]
import torch


def soft_context(features, scores):
    weights = torch.softmax(scores, dim=-1)
    context = (weights.unsqueeze(-1) * features).sum(dim=1)
    return weights, context

# %% mean instead of sum [torch]
import torch


def soft_context(features, scores):
    weights = torch.softmax(scores, dim=-1)
    context = (weights.unsqueeze(-1) * features).mean(dim=1)
    return context, weights

# %% the returned weights are the scores [torch]
import torch


def soft_context(features, scores):
    weights = torch.softmax(scores, dim=-1)
    context = (weights.unsqueeze(-1) * features).sum(dim=1)
    return context, scores

# %% only the context is returned [torch]
import torch


def soft_context(features, scores):
    weights = torch.softmax(scores, dim=-1)
    context = (weights.unsqueeze(-1) * features).sum(dim=1)
    return context

# %% sigmoid instead of softmax [torch]
import torch


def soft_context(features, scores):
    weights = torch.sigmoid(scores)
    context = (weights.unsqueeze(-1) * features).sum(dim=1)
    return context, weights

# %% the softmax is applied twice [torch]
import torch


def soft_context(features, scores):
    weights = torch.softmax(torch.softmax(scores, dim=-1), dim=-1)
    context = (weights.unsqueeze(-1) * features).sum(dim=1)
    return context, weights

# %% scores divided by their sum, no exponential [torch]
import torch


def soft_context(features, scores):
    e = scores - scores.min(dim=1, keepdim=True).values
    alpha = e / e.sum(dim=1, keepdim=True)
    return torch.einsum("bp,bpd->bd", alpha, features), alpha

# %% divided by the number of patches besides [torch]
import torch


def soft_context(features, scores):
    e = torch.exp(scores - scores.max(dim=1, keepdim=True).values)
    alpha = e / e.sum(dim=1, keepdim=True)
    return torch.einsum("bp,bpd->bd", alpha, features) / features.shape[1], alpha

# %% the patches' axis stays: no sum [torch]
import torch


def soft_context(features, scores):
    weights = torch.softmax(scores, dim=-1)
    context = (weights.unsqueeze(-1) * features)
    return context, weights

# %% the features are summed over, not the patches [torch]
import torch


def soft_context(features, scores):
    weights = torch.softmax(scores, dim=-1)
    context = (weights.unsqueeze(-1) * features).sum(dim=2)
    return context, weights

# %% the weights have no gradient [torch]
import torch


def soft_context(features, scores):
    weights = torch.softmax(scores, dim=-1)
    context = (weights.detach().unsqueeze(-1) * features).sum(dim=1)
    return context, weights

# %% a sample is drawn instead [torch]
import torch


def soft_context(features, scores):
    weights = torch.softmax(scores, dim=-1)
    index = torch.multinomial(weights, 1)[:, 0]
    return features[torch.arange(len(features)), index], weights

# %% scores are scaled by the root of d [torch]
import torch


def soft_context(features, scores):
    scores = scores / features.shape[-1] ** 0.5
    e = torch.exp(scores - scores.max(dim=1, keepdim=True).values)
    alpha = e / e.sum(dim=1, keepdim=True)
    return torch.einsum("bp,bpd->bd", alpha, features), alpha

# %% log softmax [torch]
import torch


def soft_context(features, scores):
    weights = torch.log_softmax(scores, dim=-1)
    context = (weights.unsqueeze(-1) * features).sum(dim=1)
    return context, weights

# %% exponentials not divided by their sum [torch]
import torch


def soft_context(features, scores):
    e = torch.exp(scores - scores.max(dim=1, keepdim=True).values)
    alpha = e
    return torch.einsum("bp,bpd->bd", alpha, features), alpha

# %% softmax over the batch [mxnet]
from mxnet import nd


def soft_context(features, scores):
    weights = nd.softmax(scores, axis=0)
    context = nd.batch_dot(weights.expand_dims(1), features).squeeze(axis=1)
    return context, weights

# %% an axis of size one stays [mxnet]
from mxnet import nd


def soft_context(features, scores):
    weights = nd.softmax(scores, axis=1)
    context = nd.batch_dot(weights.expand_dims(1), features)
    return context, weights

# %% only the exponentials [mxnet]
from mxnet import nd


def soft_context(features, scores):
    weights = nd.exp(scores)
    context = nd.batch_dot(weights.expand_dims(1), features).squeeze(axis=1)
    return context, weights

# %% mean of the features, weights besides [mxnet]
from mxnet import nd


def soft_context(features, scores):
    weights = nd.softmax(scores, axis=1)
    context = features.mean(axis=1)
    return context, weights

# %% one weight for each feature instead of each patch [torch]
import torch


def soft_context(features, scores):
    weights = scores.softmax(dim=-1)
    gates = (features * scores.unsqueeze(-1)).softmax(dim=1)
    return (gates * features).sum(dim=1), weights

# %% works for one image: everything of the first [torch]
def soft_context(features, scores):
    w = scores[0].softmax(dim=-1)
    return (w @ features[0]).unsqueeze(0), w.unsqueeze(0)
