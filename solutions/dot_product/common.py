"""Predictions about scores, in any framework."""

from math import sqrt


def result_shapes(batch, num_queries, num_keys, d_k, d_v):
    """The shapes of scores, weights and context."""
    scores = (batch, num_queries, num_keys)
    # The softmax keeps the shape; d_k is summed away.
    weights = scores
    context = (batch, num_queries, d_v)
    return scores, weights, context


def score_spread(d, query_std, key_std, scaled):
    """The standard deviation of a score.

    d: the number of components, independent, of mean zero
    query_std, key_std: the spread of each component
    scaled: whether the score is divided by sqrt(d)
    """
    # Variances multiply in each of d products, and add up.
    variance = d * query_std**2 * key_std**2
    return sqrt(variance / d) if scaled else sqrt(variance)
