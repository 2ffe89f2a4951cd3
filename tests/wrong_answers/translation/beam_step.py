# %% each hypothesis goes on with its own best word [torch]
import torch


def beam_step(log_probs, totals, finished, end):
    beam, size = log_probs.shape
    step, words = log_probs.max(dim=1)
    step = torch.where(finished, torch.zeros_like(step), step)
    words = torch.where(finished, torch.full_like(words, end), words)
    best, order = (totals + step).sort(descending=True)
    return best, order, words[order]

# %% the totals are not added [torch]
import torch


def beam_step(log_probs, totals, finished, end):
    beam, size = log_probs.shape
    stay = torch.full_like(log_probs, -1e9)
    stay[:, end] = 0
    step = torch.where(finished.unsqueeze(1), stay, log_probs)
    table = step
    best, index = table.flatten().topk(beam)
    return best, index // size, index % size

# %% the logarithms are multiplied [torch]
import torch


def beam_step(log_probs, totals, finished, end):
    beam, size = log_probs.shape
    stay = torch.full_like(log_probs, -1e9)
    stay[:, end] = 0
    step = torch.where(finished.unsqueeze(1), stay, log_probs)
    table = totals.unsqueeze(1) * step
    best, index = table.flatten().topk(beam)
    return best, index // size, index % size

# %% the totals are added along the words [torch]
import torch


def beam_step(log_probs, totals, finished, end):
    beam, size = log_probs.shape
    table = totals.repeat(size)[: beam * size].reshape(beam, size) + log_probs
    table[finished] = -1e9
    table[finished, end] = totals[finished]
    best, index = table.flatten().topk(beam)
    return best, index // size, index % size

# %% finished hypotheses go on like others [torch]
import torch


def beam_step(log_probs, totals, finished, end):
    beam, size = log_probs.shape
    stay = torch.full_like(log_probs, -1e9)
    stay[:, end] = 0
    step = log_probs
    table = totals.unsqueeze(1) + step
    best, index = table.flatten().topk(beam)
    return best, index // size, index % size

# %% finished hypotheses are dropped [torch]
import torch


def beam_step(log_probs, totals, finished, end):
    beam, size = log_probs.shape
    candidates = []
    for b in range(beam):
        if finished[b]:
            continue
        for w in range(size):
            candidates.append((totals[b] + log_probs[b, w], b, w))
    candidates.sort(key=lambda c: float(c[0]), reverse=True)
    best = candidates[:beam]
    return (
        torch.stack([c[0] for c in best]),
        torch.tensor([c[1] for c in best]),
        torch.tensor([c[2] for c in best]),
    )

# %% a finished one pays for its end token [torch]
import torch


def beam_step(log_probs, totals, finished, end):
    beam, size = log_probs.shape
    candidates = []
    for b in range(beam):
        if finished[b]:
            candidates.append((totals[b] + log_probs[b, end], b, end))
            continue
        for w in range(size):
            candidates.append((totals[b] + log_probs[b, w], b, w))
    candidates.sort(key=lambda c: float(c[0]), reverse=True)
    best = candidates[:beam]
    return (
        torch.stack([c[0] for c in best]),
        torch.tensor([c[1] for c in best]),
        torch.tensor([c[2] for c in best]),
    )

# %% a finished one may go on with any word at no cost [torch]
import torch


def beam_step(log_probs, totals, finished, end):
    beam, size = log_probs.shape
    stay = torch.zeros_like(log_probs)
    step = torch.where(finished.unsqueeze(1), stay, log_probs)
    table = totals.unsqueeze(1) + step
    best, index = table.flatten().topk(beam)
    return best, index // size, index % size

# %% the finished ones are the wrong ones: inverted [torch]
import torch


def beam_step(log_probs, totals, finished, end):
    beam, size = log_probs.shape
    stay = torch.full_like(log_probs, -1e9)
    stay[:, end] = 0
    step = torch.where(finished.unsqueeze(1), log_probs, stay)
    table = totals.unsqueeze(1) + step
    best, index = table.flatten().topk(beam)
    return best, index // size, index % size

# %% hypothesis and word interchanged [torch]
import torch


def beam_step(log_probs, totals, finished, end):
    beam, size = log_probs.shape
    stay = torch.full_like(log_probs, -1e9)
    stay[:, end] = 0
    step = torch.where(finished.unsqueeze(1), stay, log_probs)
    table = totals.unsqueeze(1) + step
    best, index = table.flatten().topk(beam)
    return best, index % size, index // size

# %% divided by the beam instead of the vocabulary's size [torch]
import torch


def beam_step(log_probs, totals, finished, end):
    beam, size = log_probs.shape
    stay = torch.full_like(log_probs, -1e9)
    stay[:, end] = 0
    step = torch.where(finished.unsqueeze(1), stay, log_probs)
    table = totals.unsqueeze(1) + step
    best, index = table.flatten().topk(beam)
    return best, index // beam, index % beam

# %% worst first [torch]
import torch


def beam_step(log_probs, totals, finished, end):
    beam, size = log_probs.shape
    stay = torch.full_like(log_probs, -1e9)
    stay[:, end] = 0
    step = torch.where(finished.unsqueeze(1), stay, log_probs)
    table = totals.unsqueeze(1) + step
    best, index = table.flatten().topk(beam, largest=False)
    return best, index // size, index % size

# %% sorted upwards, the best last [torch]
import torch


def beam_step(log_probs, totals, finished, end):
    beam, size = log_probs.shape
    stay = torch.full_like(log_probs, -1e9)
    stay[:, end] = 0
    step = torch.where(finished.unsqueeze(1), stay, log_probs)
    table = totals.unsqueeze(1) + step
    best, index = table.flatten().topk(beam)
    best, index = best.flip(0), index.flip(0)
    return best, index // size, index % size

# %% the new log-probabilities are returned, not the totals [torch]
import torch


def beam_step(log_probs, totals, finished, end):
    beam, size = log_probs.shape
    stay = torch.full_like(log_probs, -1e9)
    stay[:, end] = 0
    step = torch.where(finished.unsqueeze(1), stay, log_probs)
    table = totals.unsqueeze(1) + step
    best, index = table.flatten().topk(beam)
    return step.flatten()[index], index // size, index % size

# %% the flat index is returned as the hypothesis [torch]
import torch


def beam_step(log_probs, totals, finished, end):
    beam, size = log_probs.shape
    stay = torch.full_like(log_probs, -1e9)
    stay[:, end] = 0
    step = torch.where(finished.unsqueeze(1), stay, log_probs)
    table = totals.unsqueeze(1) + step
    best, index = table.flatten().topk(beam)
    return best, index, index % size

# %% the mean over the length so far instead of the sum [torch]
import torch


def beam_step(log_probs, totals, finished, end):
    beam, size = log_probs.shape
    stay = torch.full_like(log_probs, -1e9)
    stay[:, end] = 0
    step = torch.where(finished.unsqueeze(1), stay, log_probs)
    table = (totals.unsqueeze(1) + step) / 2
    best, index = table.flatten().topk(beam)
    return best, index // size, index % size

# %% probabilities instead of logarithms are added [torch]
import torch


def beam_step(log_probs, totals, finished, end):
    beam, size = log_probs.shape
    stay = torch.full_like(log_probs, -1e9)
    stay[:, end] = 0
    step = torch.where(finished.unsqueeze(1), stay, log_probs)
    table = totals.unsqueeze(1).exp() + step.exp()
    best, index = table.flatten().topk(beam)
    return best, index // size, index % size

# %% one hypothesis only, the best [torch]
import torch


def beam_step(log_probs, totals, finished, end):
    beam, size = log_probs.shape
    stay = torch.full_like(log_probs, -1e9)
    stay[:, end] = 0
    step = torch.where(finished.unsqueeze(1), stay, log_probs)
    table = totals.unsqueeze(1) + step
    best, index = table.flatten().topk(1)
    return best, index // size, index % size

# %% the finished one keeps its total but the last word of the vocabulary [torch]
import torch


def beam_step(log_probs, totals, finished, end):
    beam, size = log_probs.shape
    stay = torch.full_like(log_probs, -1e9)
    stay[:, -1] = 0
    step = torch.where(finished.unsqueeze(1), stay, log_probs)
    table = totals.unsqueeze(1) + step
    best, index = table.flatten().topk(beam)
    return best, index // size, index % size

# %% a finished hypothesis gets minus infinity everywhere [torch]
import torch


def beam_step(log_probs, totals, finished, end):
    beam, size = log_probs.shape
    stay = torch.full_like(log_probs, -1e9)
    step = torch.where(finished.unsqueeze(1), stay, log_probs)
    table = totals.unsqueeze(1) + step
    best, index = table.flatten().topk(beam)
    return best, index // size, index % size

# %% the word that ends a hypothesis is forbidden to the others [torch]
import torch


def beam_step(log_probs, totals, finished, end):
    beam, size = log_probs.shape
    candidates = []
    for b in range(beam):
        if finished[b]:
            candidates.append((totals[b], b, end))
            continue
        for w in range(size):
            if w == end:
                continue
            candidates.append((totals[b] + log_probs[b, w], b, w))
    candidates.sort(key=lambda c: float(c[0]), reverse=True)
    best = candidates[:beam]
    return (
        torch.stack([c[0] for c in best]),
        torch.tensor([c[1] for c in best]),
        torch.tensor([c[2] for c in best]),
    )

# %% the best two words of every hypothesis only, and the finished ones as others [torch]
import torch


def beam_step(log_probs, totals, finished, end):
    beam, size = log_probs.shape
    values, words = log_probs.topk(1, dim=1)
    table = (totals.unsqueeze(1) + values).flatten()
    best, index = table.topk(beam)
    return best, index, words.flatten()[index]

# %% the division is not rounded down [mxnet]
from mxnet import nd


def beam_step(log_probs, totals, finished, end):
    beam, size = log_probs.shape
    only_end = (nd.one_hot(nd.array([end]), size) - 1) * 1e9
    only_end = only_end.broadcast_like(log_probs)
    done = finished.reshape((-1, 1)).broadcast_like(log_probs)
    step = nd.where(done, only_end, log_probs)
    table = nd.broadcast_add(totals.reshape((-1, 1)), step).reshape((-1,))
    best, index = nd.topk(table, k=beam, ret_typ="both")
    return best, index / size, index % size

# %% finished ones go on like others [mxnet]
from mxnet import nd


def beam_step(log_probs, totals, finished, end):
    beam, size = log_probs.shape
    only_end = (nd.one_hot(nd.array([end]), size) - 1) * 1e9
    only_end = only_end.broadcast_like(log_probs)
    done = finished.reshape((-1, 1)).broadcast_like(log_probs)
    step = log_probs
    table = nd.broadcast_add(totals.reshape((-1, 1)), step).reshape((-1,))
    best, index = nd.topk(table, k=beam, ret_typ="both")
    return best, nd.floor(index / size), index % size

# %% totals are left out [mxnet]
from mxnet import nd


def beam_step(log_probs, totals, finished, end):
    beam, size = log_probs.shape
    only_end = (nd.one_hot(nd.array([end]), size) - 1) * 1e9
    only_end = only_end.broadcast_like(log_probs)
    done = finished.reshape((-1, 1)).broadcast_like(log_probs)
    step = nd.where(done, only_end, log_probs)
    table = step.reshape((-1,))
    best, index = nd.topk(table, k=beam, ret_typ="both")
    return best, nd.floor(index / size), index % size

# %% the where is the wrong way round [mxnet]
from mxnet import nd


def beam_step(log_probs, totals, finished, end):
    beam, size = log_probs.shape
    only_end = (nd.one_hot(nd.array([end]), size) - 1) * 1e9
    only_end = only_end.broadcast_like(log_probs)
    done = finished.reshape((-1, 1)).broadcast_like(log_probs)
    step = nd.where(done, log_probs, only_end)
    table = nd.broadcast_add(totals.reshape((-1, 1)), step).reshape((-1,))
    best, index = nd.topk(table, k=beam, ret_typ="both")
    return best, nd.floor(index / size), index % size

# %% ranked by row [mxnet]
from mxnet import nd


def beam_step(log_probs, totals, finished, end):
    beam, size = log_probs.shape
    only_end = (nd.one_hot(nd.array([end]), size) - 1) * 1e9
    only_end = only_end.broadcast_like(log_probs)
    done = finished.reshape((-1, 1)).broadcast_like(log_probs)
    step = nd.where(done, only_end, log_probs)
    table = nd.broadcast_add(totals.reshape((-1, 1)), step)
    best, index = nd.topk(table, k=1, ret_typ="both")
    return best.reshape((-1,)), nd.arange(beam), index.reshape((-1,))

# %% hypothesis and word interchanged, and worst first [mxnet]
from mxnet import nd


def beam_step(log_probs, totals, finished, end):
    beam, size = log_probs.shape
    only_end = (nd.one_hot(nd.array([end]), size) - 1) * 1e9
    only_end = only_end.broadcast_like(log_probs)
    done = finished.reshape((-1, 1)).broadcast_like(log_probs)
    step = nd.where(done, only_end, log_probs)
    table = nd.broadcast_add(totals.reshape((-1, 1)), step).reshape((-1,))
    best, index = nd.topk(table, k=beam, ret_typ="both", is_ascend=True)
    return best, index % size, nd.floor(index / size)
