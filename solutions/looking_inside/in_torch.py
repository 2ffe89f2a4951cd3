"""What heads attend to, and a layer without them, in PyTorch."""

import torch

from solutions.looking_inside.common import equal_weights_score as equal_weights_score
from solutions.looking_inside.common import scores_near_one as scores_near_one


def previous_token_score(weights):
    """Each head's mean weight on the token before.

    weights: (batch, num_heads, num_tokens, num_tokens)
    """
    # (batch, num_heads, num_tokens - 1)
    before = weights.diagonal(-1, dim1=2, dim2=3)
    return before.mean(dim=(0, 2))


def induction_score(weights, tokens):
    """Each head's weight on what came after the token.

    weights: (batch, num_heads, num_tokens, num_tokens)
    tokens: (batch, num_tokens)
    """
    same = tokens.unsqueeze(2) == tokens.unsqueeze(1)
    earlier = same.float().tril(-1)
    # One column on: the token after an occurrence
    after = torch.zeros_like(earlier)
    after[:, :, 1:] = earlier[:, :, :-1]
    # 1 for each query that has such a token
    asking = after.amax(dim=2)
    hits = weights * after.unsqueeze(1)
    return hits.sum(dim=(0, 2, 3)) / asking.sum()


def remove_heads(contexts, W_o, kept, instead):
    """A layer's result with some heads removed.

    contexts: (batch, num_heads, num_tokens, head_size)
    W_o: (num_hiddens, num_hiddens)
    kept: (num_heads,), 1 or 0
    instead: (num_heads, head_size)
    """
    kept = kept.reshape((1, -1, 1, 1))
    instead = instead.unsqueeze(0).unsqueeze(2)
    left = kept * contexts + (1 - kept) * instead
    # (batch, num_tokens, num_hiddens)
    joined = left.transpose(1, 2).flatten(2)
    return joined @ W_o.T
