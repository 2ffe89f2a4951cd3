"""What the sources get wrong, made right in MXNet."""

import math

from mxnet import nd


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


def wrong_lines(questions):
    """Which of three lines is wrong, for each question.

    questions: names of questions
    """
    answers = {
        "normaliser": "b",
        "shift": "c",
        "bias": "a",
        "scale": "b",
        "mask": "b",
        "order": "c",
        "base": "none",
    }
    return tuple(answers[name] for name in questions)


def claims_that_hold(claims):
    """Whether each claim is true.

    claims: names of claims
    """
    answers = {
        "twelve": False,
        "variance": True,
        "concat": True,
        "symmetric": False,
        "length": False,
        "window": False,
        "million": True,
        "bounded": True,
    }
    return tuple(answers[name] for name in claims)
