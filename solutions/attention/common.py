"""Predictions about attention, in any framework."""


def predict_shapes(batch, num_queries, num_keys, d_k, d_v):
    """Shapes of scores and context; weights per query."""
    scores = (batch, num_queries, num_keys)
    context = (batch, num_queries, d_v)
    # One softmax for each query, over all keys.
    return scores, context, num_keys


def after_permuting(moved):
    """What the context does when inputs change order.

    moved: which inputs do, as the exercise names them
    """
    return {
        # A sum does not depend on the order of its terms.
        "keys and values": "same",
        # Each weight multiplies another key's value.
        "keys": "other",
        "values": "other",
        # One context for each query, wherever it stands.
        "queries": "moved",
        "queries, keys and values": "moved",
    }[moved]
