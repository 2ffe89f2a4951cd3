# %% divided by all steps, padding too [torch]
import torch


def masked_loss(scores, wanted, length):
    log_p = torch.log_softmax(scores, dim=-1)
    picked = log_p.gather(2, wanted.unsqueeze(-1)).squeeze(-1)
    mask = torch.arange(wanted.shape[1]) < length.unsqueeze(1)
    loss = -(picked * mask).sum() / mask.numel()
    return loss.reshape(1)

# %% padding is not masked [torch]
import torch
import torch.nn.functional as F


def masked_loss(scores, wanted, length):
    batch, steps, size = scores.shape
    ce = F.cross_entropy(scores.reshape(-1, size), wanted.reshape(-1), reduction="none")
    ce = ce.reshape(batch, steps)
    keep = torch.arange(steps)[None, :] < length[:, None]
    return ce.mean().view(1)

# %% masked, then the plain mean [torch]
import torch
import torch.nn.functional as F


def masked_loss(scores, wanted, length):
    batch, steps, size = scores.shape
    ce = F.cross_entropy(scores.reshape(-1, size), wanted.reshape(-1), reduction="none")
    ce = ce.reshape(batch, steps)
    keep = torch.arange(steps)[None, :] < length[:, None]
    return (ce * keep).mean().view(1)

# %% a mean for each sentence, then their mean [torch]
import torch
import torch.nn.functional as F


def masked_loss(scores, wanted, length):
    batch, steps, size = scores.shape
    ce = F.cross_entropy(scores.reshape(-1, size), wanted.reshape(-1), reduction="none")
    ce = ce.reshape(batch, steps)
    keep = torch.arange(steps)[None, :] < length[:, None]
    return ((ce * keep).sum(dim=1) / length).mean().view(1)

# %% the sum instead of the mean [torch]
import torch


def masked_loss(scores, wanted, length):
    log_p = torch.log_softmax(scores, dim=-1)
    picked = log_p.gather(2, wanted.unsqueeze(-1)).squeeze(-1)
    mask = torch.arange(wanted.shape[1]) < length.unsqueeze(1)
    loss = -(picked * mask).sum()
    return loss.reshape(1)

# %% divided by the number of sentences [torch]
import torch


def masked_loss(scores, wanted, length):
    log_p = torch.log_softmax(scores, dim=-1)
    picked = log_p.gather(2, wanted.unsqueeze(-1)).squeeze(-1)
    mask = torch.arange(wanted.shape[1]) < length.unsqueeze(1)
    loss = -(picked * mask).sum() / wanted.shape[0]
    return loss.reshape(1)

# %% no minus sign [torch]
import torch


def masked_loss(scores, wanted, length):
    log_p = torch.log_softmax(scores, dim=-1)
    picked = log_p.gather(2, wanted.unsqueeze(-1)).squeeze(-1)
    mask = torch.arange(wanted.shape[1]) < length.unsqueeze(1)
    loss = (picked * mask).sum() / mask.sum()
    return loss.reshape(1)

# %% the mask keeps one word too many [torch]
import torch


def masked_loss(scores, wanted, length):
    log_p = torch.log_softmax(scores, dim=-1)
    picked = log_p.gather(2, wanted.unsqueeze(-1)).squeeze(-1)
    mask = torch.arange(wanted.shape[1]) <= length.unsqueeze(1)
    loss = -(picked * mask).sum() / mask.sum()
    return loss.reshape(1)

# %% the mask is inverted [torch]
import torch


def masked_loss(scores, wanted, length):
    log_p = torch.log_softmax(scores, dim=-1)
    picked = log_p.gather(2, wanted.unsqueeze(-1)).squeeze(-1)
    mask = torch.arange(wanted.shape[1]) >= length.unsqueeze(1)
    loss = -(picked * mask).sum() / mask.sum()
    return loss.reshape(1)

# %% the scores are multiplied by the mask, so padding costs log of the size [torch]
import torch
import torch.nn.functional as F


def masked_loss(scores, wanted, length):
    mask = torch.arange(wanted.shape[1]) < length.unsqueeze(1)
    scores = scores * mask.unsqueeze(-1)
    loss = F.cross_entropy(scores.flatten(0, 1), wanted.flatten())
    return loss.reshape(1)

# %% words of number zero are taken for padding [torch]
import torch.nn.functional as F


def masked_loss(scores, wanted, length):
    loss = F.cross_entropy(scores.transpose(1, 2), wanted, ignore_index=0)
    return loss.reshape(1)

# %% softmax over the steps [torch]
import torch


def masked_loss(scores, wanted, length):
    log_p = torch.log_softmax(scores, dim=1)
    picked = log_p.gather(2, wanted.unsqueeze(-1)).squeeze(-1)
    mask = torch.arange(wanted.shape[1]) < length.unsqueeze(1)
    loss = -(picked * mask).sum() / mask.sum()
    return loss.reshape(1)

# %% the log is forgotten [torch]
import torch


def masked_loss(scores, wanted, length):
    log_p = torch.softmax(scores, dim=-1)
    picked = log_p.gather(2, wanted.unsqueeze(-1)).squeeze(-1)
    mask = torch.arange(wanted.shape[1]) < length.unsqueeze(1)
    loss = -(picked * mask).sum() / mask.sum()
    return loss.reshape(1)

# %% the softmax is forgotten [torch]
import torch


def masked_loss(scores, wanted, length):
    log_p = scores
    picked = log_p.gather(2, wanted.unsqueeze(-1)).squeeze(-1)
    mask = torch.arange(wanted.shape[1]) < length.unsqueeze(1)
    loss = -(picked * mask).sum() / mask.sum()
    return loss.reshape(1)

# %% softmax before the cross-entropy that has one [torch]
import torch
import torch.nn.functional as F


def masked_loss(scores, wanted, length):
    batch, steps, size = scores.shape
    ce = F.cross_entropy(scores.softmax(-1).reshape(-1, size), wanted.reshape(-1), reduction="none")
    ce = ce.reshape(batch, steps)
    keep = torch.arange(steps)[None, :] < length[:, None]
    return ce[keep].mean().view(1)

# %% returns a number without an axis [torch]
import torch


def masked_loss(scores, wanted, length):
    log_p = torch.log_softmax(scores, dim=-1)
    picked = log_p.gather(2, wanted.unsqueeze(-1)).squeeze(-1)
    mask = torch.arange(wanted.shape[1]) < length.unsqueeze(1)
    loss = -(picked * mask).sum() / mask.sum()
    return loss

# %% the axes of steps and words are mixed by a reshape [torch]
import torch
import torch.nn.functional as F


def masked_loss(scores, wanted, length):
    batch, steps, size = scores.shape
    ce = F.cross_entropy(scores.reshape(batch, size, steps), wanted, reduction="none")
    mask = torch.arange(steps) < length[:, None]
    return ((ce * mask).sum() / mask.sum()).reshape(1)

# %% the loss of each sentence is returned [torch]
import torch
import torch.nn.functional as F


def masked_loss(scores, wanted, length):
    batch, steps, size = scores.shape
    ce = F.cross_entropy(scores.reshape(-1, size), wanted.reshape(-1), reduction="none")
    ce = ce.reshape(batch, steps)
    keep = torch.arange(steps)[None, :] < length[:, None]
    return (ce * keep).sum(1) / length

# %% log of base two: bits instead of nats [torch]
import torch


def masked_loss(scores, wanted, length):
    log_p = torch.log_softmax(scores, dim=-1)
    picked = log_p.gather(2, wanted.unsqueeze(-1)).squeeze(-1)
    mask = torch.arange(wanted.shape[1]) < length.unsqueeze(1)
    loss = -(picked * mask / 0.6931472).sum() / mask.sum()
    return loss.reshape(1)

# %% perplexity, the exponential [torch]
import torch
import torch.nn.functional as F


def masked_loss(scores, wanted, length):
    batch, steps, size = scores.shape
    ce = F.cross_entropy(scores.reshape(-1, size), wanted.reshape(-1), reduction="none")
    ce = ce.reshape(batch, steps)
    keep = torch.arange(steps)[None, :] < length[:, None]
    return ce[keep].mean().exp().view(1)

# %% the last word is never counted [torch]
import torch


def masked_loss(scores, wanted, length):
    log_p = torch.log_softmax(scores, dim=-1)
    picked = log_p.gather(2, wanted.unsqueeze(-1)).squeeze(-1)
    mask = torch.arange(wanted.shape[1]) < length.unsqueeze(1) - 1
    loss = -(picked * mask).sum() / mask.sum()
    return loss.reshape(1)

# %% only the first sentence's length is used [torch]
import torch
import torch.nn.functional as F


def masked_loss(scores, wanted, length):
    batch, steps, size = scores.shape
    ce = F.cross_entropy(scores.reshape(-1, size), wanted.reshape(-1), reduction="none")
    ce = ce.reshape(batch, steps)
    keep = torch.arange(steps)[None, :] < length[:1, None].expand(batch, 1)
    return ce[keep].mean().view(1)

# %% divided by all steps [mxnet]
from mxnet import nd


def masked_loss(scores, wanted, length):
    log_p = nd.log_softmax(scores, axis=-1)
    picked = nd.pick(log_p, wanted, axis=-1)
    steps = nd.arange(wanted.shape[1]).reshape((1, -1))
    mask = nd.broadcast_lesser(steps, length.reshape((-1, 1)))
    return -nd.sum(picked * mask) / wanted.size

# %% the mask is left out of the sum above [mxnet]
from mxnet import nd


def masked_loss(scores, wanted, length):
    log_p = nd.log_softmax(scores, axis=-1)
    picked = nd.pick(log_p, wanted, axis=-1)
    steps = nd.arange(wanted.shape[1]).reshape((1, -1))
    mask = nd.broadcast_lesser(steps, length.reshape((-1, 1)))
    return -nd.sum(picked) / nd.sum(mask)

# %% the mean of means [mxnet]
from mxnet import nd


def masked_loss(scores, wanted, length):
    log_p = nd.log_softmax(scores, axis=-1)
    picked = nd.pick(log_p, wanted, axis=-1)
    steps = nd.arange(wanted.shape[1]).reshape((1, -1))
    mask = nd.broadcast_lesser(steps, length.reshape((-1, 1)))
    return -nd.mean(nd.sum(picked * mask, axis=1) / length)

# %% no minus sign, and the sum instead of the mean [mxnet]
from mxnet import nd


def masked_loss(scores, wanted, length):
    log_p = nd.log_softmax(scores, axis=-1)
    picked = nd.pick(log_p, wanted, axis=-1)
    steps = nd.arange(wanted.shape[1]).reshape((1, -1))
    mask = nd.broadcast_lesser(steps, length.reshape((-1, 1)))
    return nd.sum(picked * mask)

# %% the log twice: pick from log of softmax plus log [mxnet]
from mxnet import nd


def masked_loss(scores, wanted, length):
    log_p = nd.log_softmax(nd.log_softmax(scores, axis=-1) * 2, axis=-1)
    picked = nd.pick(log_p, wanted, axis=-1)
    steps = nd.arange(wanted.shape[1]).reshape((1, -1))
    mask = nd.broadcast_lesser(steps, length.reshape((-1, 1)))
    return -nd.sum(picked * mask) / nd.sum(mask)

# %% the probability of the right word, one minus it [torch]
import torch


def masked_loss(scores, wanted, length):
    log_p = torch.log_softmax(scores, dim=-1)
    picked = log_p.gather(2, wanted.unsqueeze(-1)).squeeze(-1)
    mask = torch.arange(wanted.shape[1]) < length.unsqueeze(1)
    loss = ((1 - picked.exp()) * mask).sum() / mask.sum()
    return loss.reshape(1)

# %% the error rate: wrong words among those that count [torch]
import torch


def masked_loss(scores, wanted, length):
    wrong = (scores.argmax(dim=-1) != wanted).float()
    mask = torch.arange(wanted.shape[1]) < length[:, None]
    return ((wrong * mask).sum() / mask.sum()).reshape(1)
