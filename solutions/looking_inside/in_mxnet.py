"""What heads attend to, and a layer without them, in MXNet."""

from mxnet import nd

from solutions.looking_inside.common import equal_weights_score as equal_weights_score
from solutions.looking_inside.common import scores_near_one as scores_near_one


def previous_token_score(weights):
    """Each head's mean weight on the token before.

    weights: (batch, num_heads, num_tokens, num_tokens)
    """
    # (batch, num_heads, num_tokens - 1)
    before = nd.diag(weights, k=-1, axis1=2, axis2=3)
    return before.mean(axis=(0, 2))


def induction_score(weights, tokens):
    """Each head's weight on what came after the token.

    weights: (batch, num_heads, num_tokens, num_tokens)
    tokens: (batch, num_tokens)
    """
    same = tokens.expand_dims(2) == tokens.expand_dims(1)
    place = nd.arange(tokens.shape[1])
    row, column = place.expand_dims(1), place.expand_dims(0)
    earlier = same * (column < row).expand_dims(0)
    # One column on: the token after an occurrence
    nothing = nd.zeros_like(earlier[:, :, :1])
    after = nd.concat(nothing, earlier[:, :, :-1], dim=2)
    # 1 for each query that has such a token
    asking = after.max(axis=2)
    hits = weights * after.expand_dims(1)
    return hits.sum(axis=(0, 2, 3)) / asking.sum()


def remove_heads(contexts, W_o, kept, instead):
    """A layer's result with some heads removed.

    contexts: (batch, num_heads, num_tokens, head_size)
    W_o: (num_hiddens, num_hiddens)
    kept: (num_heads,), 1 or 0
    instead: (num_heads, head_size)
    """
    kept = kept.reshape((1, -1, 1, 1))
    instead = instead.expand_dims(0).expand_dims(2)
    left = kept * contexts + (1 - kept) * instead
    # (batch, num_tokens, num_hiddens)
    joined = left.swapaxes(1, 2).reshape((0, 0, -1))
    return nd.dot(joined, W_o, transpose_b=True)
