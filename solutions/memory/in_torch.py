"""A memory addressed, read several times, and copied from, in PyTorch."""

import torch

from solutions.masked_softmax.in_torch import masked_softmax


def location_addressing(
    content,
    previous,
    gate,
    shift,
    sharpness,
):
    """Interpolate, shift around the ring, sharpen.

    content, previous: (batch, num_slots)
    gate, sharpness: (batch, 1)
    shift: (batch, 3), for the shifts -1, 0 and +1
    """
    mixed = gate * content + (1 - gate) * previous
    down = mixed.roll(-1, dims=1)
    up = mixed.roll(1, dims=1)
    shifted = shift[:, 0:1] * down + shift[:, 1:2] * mixed
    shifted = shifted + shift[:, 2:3] * up
    raised = shifted**sharpness
    return raised / raised.sum(dim=1, keepdim=True)


def memory_hops(queries, keys, values, hops, valid_length):
    """Read a memory several times, and add up.

    queries: (batch, num_queries, d)
    keys, values: (batch, num_keys, d)
    valid_length: None or (batch,)
    """
    state = queries
    for _ in range(hops):
        scores = torch.bmm(state, keys.transpose(1, 2))
        weights = masked_softmax(scores, valid_length)
        state = state + torch.bmm(weights, values)
    return state


def copy_distribution(
    vocabulary,
    weights,
    tokens,
    generate,
    size,
):
    """Mix the vocabulary with the words of the source.

    vocabulary: (batch, vocabulary_size)
    weights, tokens: (batch, num_keys)
    generate: (batch, 1)
    """
    batch, num_words = vocabulary.shape
    extra = vocabulary.new_zeros(batch, size - num_words)
    generated = torch.cat((vocabulary, extra), dim=1)
    copied = torch.zeros_like(generated)
    # The weights of a repeated word add up.
    copied = copied.scatter_add(1, tokens, weights)
    return generate * generated + (1 - generate) * copied
