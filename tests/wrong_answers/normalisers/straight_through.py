# %% the soft weights are returned [torch]
import torch


def straight_through(scores, noise, temperature):
    return torch.softmax((scores + noise) / temperature, dim=-1)

# %% the choice alone, without a gradient [torch]
import torch
import torch.nn.functional as F


def straight_through(scores, noise, temperature):
    best = (scores + noise).argmax(dim=-1)
    return F.one_hot(best, scores.shape[-1]).to(scores.dtype)

# %% detach is forgotten: soft minus soft has no gradient [torch]
import torch
import torch.nn.functional as F


def straight_through(scores, noise, temperature):
    soft = ((scores + noise) / temperature).softmax(dim=-1)
    hard = F.one_hot(soft.argmax(dim=-1), scores.shape[-1])
    return hard + soft - soft

# %% the wrong one is detached: the gradient has the wrong sign [torch]
import torch
import torch.nn.functional as F


def straight_through(scores, noise, temperature):
    soft = ((scores + noise) / temperature).softmax(dim=-1)
    hard = F.one_hot(soft.argmax(dim=-1), scores.shape[-1])
    return hard - soft + soft.detach()

# %% the soft weights are without the noise [torch]
import torch
import torch.nn.functional as F


def straight_through(scores, noise, temperature):
    soft = (scores / temperature).softmax(dim=-1)
    hard = F.one_hot((scores + noise).argmax(dim=-1), scores.shape[-1])
    return (hard - soft).detach() + soft

# %% the noise is forgotten [torch]
import torch
import torch.nn.functional as F


def straight_through(scores, noise, temperature):
    soft = torch.softmax(scores / temperature, dim=-1)
    hard = F.one_hot(soft.argmax(dim=-1), scores.shape[-1])
    return (hard - soft).detach() + soft

# %% the temperature multiplies [torch]
import torch
import torch.nn.functional as F


def straight_through(scores, noise, temperature):
    soft = torch.softmax((scores + noise) * temperature, dim=-1)
    hard = F.one_hot(soft.argmax(dim=-1), scores.shape[-1])
    return (hard - soft).detach() + soft

# %% the temperature is forgotten [torch]
import torch
import torch.nn.functional as F


def straight_through(scores, noise, temperature):
    soft = torch.softmax(scores + noise, dim=-1)
    hard = F.one_hot(soft.argmax(dim=-1), scores.shape[-1])
    return hard - soft.detach() + soft

# %% only the scores are divided by the temperature, not the noise [torch]
import torch
import torch.nn.functional as F


def straight_through(scores, noise, temperature):
    noisy = scores / temperature + noise
    soft = noisy.softmax(dim=-1)
    hard = F.one_hot(noisy.argmax(dim=-1), scores.shape[-1])
    return (hard - soft).detach() + soft

# %% the gradient goes to the scores as they are, without a softmax [torch]
import torch
import torch.nn.functional as F


def straight_through(scores, noise, temperature):
    noisy = (scores + noise) / temperature
    hard = F.one_hot(noisy.argmax(dim=-1), scores.shape[-1])
    return (hard - noisy).detach() + noisy

# %% the uniform noise is made Gumbel once more [torch]
import torch
import torch.nn.functional as F


def straight_through(scores, noise, temperature):
    gumbel = -torch.log(-torch.log(torch.sigmoid(noise)))
    soft = ((scores + gumbel) / temperature).softmax(dim=-1)
    hard = F.one_hot(soft.argmax(dim=-1), scores.shape[-1])
    return (hard - soft).detach() + soft

# %% noise of its own is drawn [torch]
import torch
import torch.nn.functional as F


def straight_through(scores, noise, temperature):
    return F.gumbel_softmax(scores, tau=temperature, hard=True, dim=-1)

# %% the largest over the queries, not the keys [torch]
import torch
import torch.nn.functional as F


def straight_through(scores, noise, temperature):
    soft = ((scores + noise) / temperature).softmax(dim=1)
    hard = F.one_hot(soft.argmax(dim=1), scores.shape[1]).transpose(1, 2)
    return (hard - soft).detach() + soft

# %% the index of the best key is returned [torch]
import torch


def straight_through(scores, noise, temperature):
    return ((scores + noise) / temperature).argmax(dim=-1)

# %% the noise multiplies the scores [torch]
import torch
import torch.nn.functional as F


def straight_through(scores, noise, temperature):
    soft = (scores * noise / temperature).softmax(dim=-1)
    hard = F.one_hot(soft.argmax(dim=-1), scores.shape[-1])
    return (hard - soft).detach() + soft

# %% the noise is subtracted [torch]
import torch
import torch.nn.functional as F


def straight_through(scores, noise, temperature):
    soft = ((scores - noise) / temperature).softmax(dim=-1)
    hard = F.one_hot(soft.argmax(dim=-1), scores.shape[-1])
    return (hard - soft).detach() + soft

# %% rounded softmax: a row without a weight above one half is zero [torch]
import torch


def straight_through(scores, noise, temperature):
    soft = ((scores + noise) / temperature).softmax(dim=-1)
    return (soft.round() - soft).detach() + soft

# %% hard and soft are averaged [torch]
import torch
import torch.nn.functional as F


def straight_through(scores, noise, temperature):
    soft = ((scores + noise) / temperature).softmax(dim=-1)
    hard = F.one_hot(soft.argmax(dim=-1), scores.shape[-1])
    return (hard + soft) / 2

# %% nothing is stopped: soft minus soft [mxnet]
from mxnet import nd


def straight_through(scores, noise, temperature):
    soft = nd.softmax((scores + noise) / temperature, axis=-1)
    hard = nd.one_hot(nd.argmax(soft, axis=-1), scores.shape[-1])
    return hard - soft + soft

# %% the choice multiplies the soft weights [mxnet]
from mxnet import nd


def straight_through(scores, noise, temperature):
    soft = nd.softmax((scores + noise) / temperature, axis=-1)
    hard = nd.one_hot(nd.argmax(soft, axis=-1), scores.shape[-1])
    return hard * soft

# %% the noise is added after the softmax [mxnet]
from mxnet import nd


def straight_through(scores, noise, temperature):
    soft = nd.softmax(scores / temperature, axis=-1) + noise
    hard = nd.one_hot(nd.argmax(soft, axis=-1), scores.shape[-1])
    return nd.BlockGrad(hard - soft) + soft
