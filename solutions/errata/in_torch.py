"""What the sources get wrong, made right in PyTorch."""

import math

import torch

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
    queries = torch.matmul(embeddings, W_q.T)
    keys = torch.matmul(embeddings, W_k.T)
    values = torch.matmul(embeddings, W_v.T)
    scores = torch.bmm(queries, keys.transpose(1, 2))
    scores = scores / math.sqrt(keys.shape[-1])
    return torch.bmm(scores.softmax(dim=-1), values)
