# %% a repeated word keeps only its last weight [torch]
import torch


def copy_distribution(vocabulary, weights, tokens, generate, size):
    batch, known = vocabulary.shape
    full = torch.cat([vocabulary, torch.zeros(batch, size - known)], dim=1)
    copied = torch.zeros(batch, size).scatter(1, tokens, weights)
    return generate * full + (1 - generate) * copied

# %% += with an index: repeats are lost [torch]
import torch


def copy_distribution(vocabulary, weights, tokens, generate, size):
    batch, known = vocabulary.shape
    full = torch.cat([vocabulary, torch.zeros(batch, size - known)], dim=1)
    copied = torch.zeros(batch, size)
    rows = torch.arange(batch)[:, None]
    copied[rows, tokens] += weights
    return generate * full + (1 - generate) * copied

# %% the gate is on the copy [torch]
import torch


def copy_distribution(vocabulary, weights, tokens, generate, size):
    batch, known = vocabulary.shape
    full = torch.cat([vocabulary, torch.zeros(batch, size - known)], dim=1)
    copied = torch.zeros(batch, size).scatter_add(1, tokens, weights)
    return (1 - generate) * full + generate * copied

# %% both are added without a gate, then divided by 2 [torch]
import torch


def copy_distribution(vocabulary, weights, tokens, generate, size):
    batch, known = vocabulary.shape
    full = torch.cat([vocabulary, torch.zeros(batch, size - known)], dim=1)
    return (full.scatter_add(1, tokens, weights)) / 2

# %% the words of the source alone are left out: the result has the vocabulary's size [torch]
import torch


def copy_distribution(vocabulary, weights, tokens, generate, size):
    batch, known = vocabulary.shape
    copied = torch.zeros(batch, size).scatter_add(1, tokens, weights)[:, :known]
    return generate * vocabulary + (1 - generate) * copied

# %% new words count as the unknown word 0 [torch]
import torch


def copy_distribution(vocabulary, weights, tokens, generate, size):
    batch, known = vocabulary.shape
    full = torch.cat([vocabulary, torch.zeros(batch, size - known)], dim=1)
    inside = torch.where(tokens < known, tokens, 0)
    copied = torch.zeros(batch, size).scatter_add(1, inside, weights)
    return generate * full + (1 - generate) * copied

# %% the weights stand at the positions of the source, not at its words [torch]
import torch


def copy_distribution(vocabulary, weights, tokens, generate, size):
    batch, known = vocabulary.shape
    full = torch.cat([vocabulary, torch.zeros(batch, size - known)], dim=1)
    n = min(weights.shape[1], size)
    copied = torch.nn.functional.pad(weights[:, :n], (0, size - n))
    return generate * full + (1 - generate) * copied

# %% each word of the source has the same weight [torch]
import torch


def copy_distribution(vocabulary, weights, tokens, generate, size):
    batch, known = vocabulary.shape
    full = torch.cat([vocabulary, torch.zeros(batch, size - known)], dim=1)
    even = torch.full_like(weights, 1 / weights.shape[1])
    copied = torch.zeros(batch, size).scatter_add(1, tokens, even)
    return generate * full + (1 - generate) * copied

# %% a softmax of the mixture [torch]
import torch


def copy_distribution(vocabulary, weights, tokens, generate, size):
    batch, known = vocabulary.shape
    full = torch.cat([vocabulary, torch.zeros(batch, size - known)], dim=1)
    copied = torch.zeros(batch, size).scatter_add(1, tokens, weights)
    return torch.softmax(generate * full + (1 - generate) * copied, dim=1)

# %% the vocabulary is padded in front [torch]
import torch


def copy_distribution(vocabulary, weights, tokens, generate, size):
    batch, known = vocabulary.shape
    full = torch.cat([torch.zeros(batch, size - known), vocabulary], dim=1)
    copied = torch.zeros(batch, size).scatter_add(1, tokens, weights)
    return generate * full + (1 - generate) * copied

# %% only the word with the largest weight is copied [torch]
import torch


def copy_distribution(vocabulary, weights, tokens, generate, size):
    batch, known = vocabulary.shape
    full = torch.cat([vocabulary, torch.zeros(batch, size - known)], dim=1)
    best = tokens.gather(1, weights.argmax(dim=1, keepdim=True))
    copied = torch.zeros(batch, size).scatter(1, best, 1.0)
    return generate * full + (1 - generate) * copied

# %% known words are generated and never copied [torch]
import torch


def copy_distribution(vocabulary, weights, tokens, generate, size):
    batch, known = vocabulary.shape
    full = torch.cat([vocabulary, torch.zeros(batch, size - known)], dim=1)
    copied = torch.zeros(batch, size).scatter_add(1, tokens, weights)
    copied = torch.cat([torch.zeros(batch, known), copied[:, known:]], dim=1)
    return generate * full + (1 - generate) * copied

# %% the larger of the two probabilities [torch]
import torch


def copy_distribution(vocabulary, weights, tokens, generate, size):
    batch, known = vocabulary.shape
    full = torch.cat([vocabulary, torch.zeros(batch, size - known)], dim=1)
    copied = torch.zeros(batch, size).scatter_add(1, tokens, weights)
    return torch.maximum(generate * full, (1 - generate) * copied)

# %% a hard choice: whichever the gate prefers [torch]
import torch


def copy_distribution(vocabulary, weights, tokens, generate, size):
    batch, known = vocabulary.shape
    full = torch.cat([vocabulary, torch.zeros(batch, size - known)], dim=1)
    copied = torch.zeros(batch, size).scatter_add(1, tokens, weights)
    return torch.where(generate > 0.5, full, copied)

# %% the copy is averaged over how often a word stands there [torch]
import torch


def copy_distribution(vocabulary, weights, tokens, generate, size):
    batch, known = vocabulary.shape
    full = torch.cat([vocabulary, torch.zeros(batch, size - known)], dim=1)
    copied = torch.zeros(batch, size).scatter_reduce(
        1, tokens, weights, reduce="mean", include_self=False
    )
    return generate * full + (1 - generate) * copied

# %% the mixture is taken of the logarithms [torch]
import torch


def copy_distribution(vocabulary, weights, tokens, generate, size):
    batch, known = vocabulary.shape
    full = torch.cat([vocabulary, torch.zeros(batch, size - known)], dim=1)
    copied = torch.zeros(batch, size).scatter_add(1, tokens, weights)
    mixed = generate * torch.log(full + 1e-9) + (1 - generate) * torch.log(copied + 1e-9)
    return mixed.exp()

# %% the copy is not weighed, the vocabulary is [torch]
import torch


def copy_distribution(vocabulary, weights, tokens, generate, size):
    batch, known = vocabulary.shape
    full = torch.cat([generate * vocabulary, torch.zeros(batch, size - known)], dim=1)
    return full.scatter_add(1, tokens, weights)

# %% the gate is passed through a sigmoid once more [torch]
import torch


def copy_distribution(vocabulary, weights, tokens, generate, size):
    batch, known = vocabulary.shape
    g = torch.sigmoid(generate)
    full = torch.cat([g * vocabulary, torch.zeros(batch, size - known)], dim=1)
    return full.scatter_add(1, tokens, (1 - g) * weights)

# %% the vocabulary is used as it is: sizes do not fit [torch]
import torch


def copy_distribution(vocabulary, weights, tokens, generate, size):
    copied = torch.zeros(vocabulary.shape[0], size).scatter_add(1, tokens, weights)
    return generate * vocabulary + (1 - generate) * copied

# %% every second weight of a repeated word is lost: the largest counts [mxnet]
from mxnet import nd


def copy_distribution(vocabulary, weights, tokens, generate, size):
    full = nd.dot(vocabulary, nd.eye(vocabulary.shape[1], size))
    places = nd.one_hot(tokens, size) * weights.expand_dims(-1)
    return generate * full + (1 - generate) * places.max(axis=1)

# %% the gate is on the copy [mxnet]
from mxnet import nd


def copy_distribution(vocabulary, weights, tokens, generate, size):
    full = nd.dot(vocabulary, nd.eye(vocabulary.shape[1], size))
    places = nd.one_hot(tokens, size) * weights.expand_dims(-1)
    return (1 - generate) * full + generate * places.sum(axis=1)
