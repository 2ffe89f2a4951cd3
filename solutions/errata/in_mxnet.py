"""What the sources get wrong, made right in MXNet."""

import math

from mxnet import nd

from solutions.errata.common import (
    claims_that_hold,  # noqa: F401
    wrong_lines,  # noqa: F401
)


def mended_attention(embeddings, W_q, W_k, W_v):
    """Self-attention with the scale where it belongs.

    embeddings: (batch, num_words, D)
    W_q: (d_k, D)
    W_k: (d_k, D)
    W_v: (d_v, D)
    """
    queries = nd.dot(embeddings, W_q.T)
    keys = nd.dot(embeddings, W_k.T)
    values = nd.dot(embeddings, W_v.T)
    scores = nd.batch_dot(queries, keys, transpose_b=True)
    scores = scores / math.sqrt(keys.shape[-1])
    return nd.batch_dot(scores.softmax(axis=-1), values)
