# %% the minus sign is missing [torch]
import torch


def reinforce_loss(scores, index, rewards, baseline):
    log_p = torch.log_softmax(scores, dim=-1)
    chosen = log_p.gather(1, index.unsqueeze(1)).squeeze(1)
    return (torch.tensor(rewards) - baseline) * chosen

# %% cross-entropy with another minus [torch]
import torch
import torch.nn.functional as F


def reinforce_loss(scores, index, rewards, baseline):
    # cross_entropy is minus the log of the drawn patch's weight
    nll = F.cross_entropy(scores, index, reduction="none")
    advantage = torch.as_tensor(rewards) - baseline
    return -advantage * nll

# %% the baseline is added [torch]
import torch


def reinforce_loss(scores, index, rewards, baseline):
    log_p = torch.log_softmax(scores, dim=-1)
    chosen = log_p.gather(1, index.unsqueeze(1)).squeeze(1)
    return -(torch.tensor(rewards) + baseline) * chosen

# %% no baseline [torch]
import torch


def reinforce_loss(scores, index, rewards, baseline):
    log_p = torch.log_softmax(scores, dim=-1)
    chosen = log_p.gather(1, index.unsqueeze(1)).squeeze(1)
    return -torch.tensor(rewards) * chosen

# %% baseline minus reward, and no minus before it, and the sign again [torch]
import torch


def reinforce_loss(scores, index, rewards, baseline):
    alpha = scores.softmax(dim=-1)
    losses = []
    for b in range(len(index)):
        losses.append(-(baseline - rewards[b]) * torch.log(alpha[b, index[b]]))
    return torch.stack(losses)

# %% no log [torch]
import torch


def reinforce_loss(scores, index, rewards, baseline):
    alpha = scores.softmax(dim=-1)
    losses = []
    for b in range(len(index)):
        losses.append(-(rewards[b] - baseline) * alpha[b, index[b]])
    return torch.stack(losses)

# %% log of the scores instead of the weights' [torch]
import torch


def reinforce_loss(scores, index, rewards, baseline):
    log_p = scores
    chosen = log_p.gather(1, index.unsqueeze(1)).squeeze(1)
    return -(torch.tensor(rewards) - baseline) * chosen

# %% the mean over the images [torch]
import torch
import torch.nn.functional as F


def reinforce_loss(scores, index, rewards, baseline):
    # cross_entropy is minus the log of the drawn patch's weight
    nll = F.cross_entropy(scores, index, reduction="none")
    advantage = torch.as_tensor(rewards) - baseline
    return (advantage * nll).mean()

# %% the sum over the images [torch]
import torch


def reinforce_loss(scores, index, rewards, baseline):
    alpha = scores.softmax(dim=-1)
    losses = []
    for b in range(len(index)):
        losses.append(-(rewards[b] - baseline) * torch.log(alpha[b, index[b]]))
    return torch.stack(losses).sum()

# %% a mean over the batch inside cross_entropy [torch]
import torch
import torch.nn.functional as F


def reinforce_loss(scores, index, rewards, baseline):
    # cross_entropy is minus the log of the drawn patch's weight
    nll = F.cross_entropy(scores, index)
    advantage = torch.as_tensor(rewards) - baseline
    return advantage * nll

# %% softmax over the batch [torch]
import torch


def reinforce_loss(scores, index, rewards, baseline):
    log_p = torch.log_softmax(scores, dim=0)
    chosen = log_p.gather(1, index.unsqueeze(1)).squeeze(1)
    return -(torch.tensor(rewards) - baseline) * chosen

# %% the log probabilities of all patches are summed [torch]
import torch


def reinforce_loss(scores, index, rewards, baseline):
    log_p = torch.log_softmax(scores, dim=-1)
    chosen = log_p.sum(dim=1)
    return -(torch.tensor(rewards) - baseline) * chosen

# %% the best patch instead of the drawn one [torch]
import torch


def reinforce_loss(scores, index, rewards, baseline):
    log_p = torch.log_softmax(scores, dim=-1)
    chosen = log_p.gather(1, scores.argmax(dim=1, keepdim=True)).squeeze(1)
    return -(torch.tensor(rewards) - baseline) * chosen

# %% always the first image's patch [torch]
import torch


def reinforce_loss(scores, index, rewards, baseline):
    alpha = scores.softmax(dim=-1)
    losses = []
    for b in range(len(index)):
        losses.append(-(rewards[b] - baseline) * torch.log(alpha[b, index[0]]))
    return torch.stack(losses)

# %% the gather is left with its axis, so the result is a matrix [torch]
import torch


def reinforce_loss(scores, index, rewards, baseline):
    log_p = torch.log_softmax(scores, dim=-1)
    chosen = log_p.gather(1, index.unsqueeze(1))
    return -(torch.tensor(rewards) - baseline) * chosen

# %% the baseline is multiplied by the log probability only: brackets missing [torch]
import torch


def reinforce_loss(scores, index, rewards, baseline):
    log_p = torch.log_softmax(scores, dim=-1)
    chosen = log_p.gather(1, index.unsqueeze(1)).squeeze(1)
    return -torch.tensor(rewards) - baseline * chosen

# %% the log of base two [torch]
import torch


def reinforce_loss(scores, index, rewards, baseline):
    alpha = scores.softmax(dim=-1)
    losses = []
    for b in range(len(index)):
        losses.append(-(rewards[b] - baseline) * torch.log2(alpha[b, index[b]]))
    return torch.stack(losses)

# %% the reward is multiplied with the weight besides, for the expected reward [torch]
import torch


def reinforce_loss(scores, index, rewards, baseline):
    alpha = scores.softmax(dim=-1)
    losses = []
    for b in range(len(index)):
        losses.append(-(rewards[b] - baseline) * alpha[b, index[b]] * torch.log(alpha[b, index[b]]))
    return torch.stack(losses)

# %% the advantage is squared [torch]
import torch
import torch.nn.functional as F


def reinforce_loss(scores, index, rewards, baseline):
    # cross_entropy is minus the log of the drawn patch's weight
    nll = F.cross_entropy(scores, index, reduction="none")
    advantage = torch.as_tensor(rewards) - baseline
    return advantage**2 * nll

# %% the baseline is the mean of the rewards in the batch [torch]
import torch
import torch.nn.functional as F


def reinforce_loss(scores, index, rewards, baseline):
    # cross_entropy is minus the log of the drawn patch's weight
    nll = F.cross_entropy(scores, index, reduction="none")
    advantage = torch.as_tensor(rewards) - torch.as_tensor(rewards).mean()
    return advantage * nll

# %% the log weight is cut from the graph [torch]
import torch


def reinforce_loss(scores, index, rewards, baseline):
    log_p = torch.log_softmax(scores, dim=-1)
    chosen = log_p.gather(1, index.unsqueeze(1)).squeeze(1)
    return -(torch.tensor(rewards) - baseline) * chosen.detach()

# %% softmax, then log_softmax again [mxnet]
from mxnet import nd


def reinforce_loss(scores, index, rewards, baseline):
    log_p = nd.log_softmax(nd.softmax(scores, axis=-1), axis=-1)
    chosen = nd.pick(log_p, index, axis=-1)
    return -(nd.array(rewards) - baseline) * chosen

# %% no baseline and no minus [mxnet]
from mxnet import nd


def reinforce_loss(scores, index, rewards, baseline):
    log_p = nd.log_softmax(scores, axis=-1)
    chosen = nd.pick(log_p, index, axis=-1)
    return nd.array(rewards) * chosen

# %% no log [mxnet]
from mxnet import nd


def reinforce_loss(scores, index, rewards, baseline):
    log_p = nd.softmax(scores, axis=-1)
    chosen = nd.pick(log_p, index, axis=-1)
    return -(nd.array(rewards) - baseline) * chosen

# %% the loss of all images is one number [mxnet]
from mxnet import nd


def reinforce_loss(scores, index, rewards, baseline):
    log_p = nd.log_softmax(scores, axis=-1)
    chosen = nd.pick(log_p, index, axis=-1)
    return -(nd.array(rewards) - baseline) * chosen.sum()

# %% baseline added [mxnet]
from mxnet import nd


def reinforce_loss(scores, index, rewards, baseline):
    log_p = nd.log_softmax(scores, axis=-1)
    chosen = nd.pick(log_p, index, axis=-1)
    return -(nd.array(rewards) + baseline) * chosen

# %% the derivative itself is returned: minus advantage over the weight [torch]
import torch


def reinforce_loss(scores, index, rewards, baseline):
    p = scores.softmax(dim=-1)[torch.arange(len(index)), index]
    return -(torch.tensor(rewards) - baseline) / p

# %% the baseline is taken off the log probability [torch]
import torch


def reinforce_loss(scores, index, rewards, baseline):
    log_p = scores.log_softmax(dim=-1)[torch.arange(len(index)), index]
    return -torch.tensor(rewards) * (log_p - baseline)

# %% the expected reward under the weights, in the place of the log [torch]
import torch


def reinforce_loss(scores, index, rewards, baseline):
    weights = torch.softmax(scores, dim=-1)
    p = weights.gather(1, index[:, None])[:, 0]
    r = torch.tensor(rewards)
    return -(p * r - baseline)
