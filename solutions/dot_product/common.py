"""Predictions about scores, in any framework."""

from math import sqrt


def weights_after(change):
    """What the weights do when queries and keys change.

    change: one of those that the exercise names
    """
    return {
        # All scores of a query grow by one number.
        "a vector added to all keys": "same",
        # Each key's score grows by another number.
        "a vector added to all queries": "other",
        "queries doubled": "sharper",
        "queries doubled, keys halved": "same",
        # The sum stays, and sqrt(d_k) grows.
        "a feature of 0 for both": "flatter",
        # The sum doubles, sqrt(d_k) grows by sqrt(2).
        "every feature twice": "sharper",
        # The same terms, added in another order.
        "features of both in one new order": "same",
        "features of the keys in a new order": "other",
    }[change]


def score_spread(d, query_std, key_std, scaled):
    """The standard deviation of a score.

    d: the number of components, independent, of mean zero
    query_std, key_std: the spread of each component
    scaled: whether the score is divided by sqrt(d)
    """
    # Variances multiply in each of d products, and add up.
    variance = d * query_std**2 * key_std**2
    return sqrt(variance / d) if scaled else sqrt(variance)
