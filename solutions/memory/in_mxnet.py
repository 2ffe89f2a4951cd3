"""A memory addressed, read several times, and copied from, in MXNet."""

from mxnet import nd

from solutions.masked_softmax.in_mxnet import masked_softmax


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
    down = nd.concat(mixed[:, 1:], mixed[:, :1], dim=1)
    up = nd.concat(mixed[:, -1:], mixed[:, :-1], dim=1)
    shifted = shift[:, 0:1] * down + shift[:, 1:2] * mixed
    shifted = shifted + shift[:, 2:3] * up
    raised = shifted**sharpness
    return raised / raised.sum(axis=1, keepdims=True)


def memory_hops(queries, keys, values, hops, valid_length):
    """Read a memory several times, and add up.

    queries: (batch, num_queries, d)
    keys, values: (batch, num_keys, d)
    valid_length: None or (batch,)
    """
    state = queries
    for _ in range(hops):
        scores = nd.batch_dot(state, keys, transpose_b=True)
        weights = masked_softmax(scores, valid_length)
        state = state + nd.batch_dot(weights, values)
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
    num_words = vocabulary.shape[1]
    # Zeros for the words that only the source has
    generated = nd.dot(vocabulary, nd.eye(num_words, size))
    # (batch, num_keys, size): a 1 at each token
    places = nd.one_hot(tokens, size)
    copied = nd.batch_dot(weights.expand_dims(1), places)
    copied = copied.squeeze(axis=1)
    return generate * generated + (1 - generate) * copied
