"""Predictions about attention, in any framework."""


def predict_shapes(batch, num_queries, num_keys, d_k, d_v):
    """Shapes of scores and context, weights per whole."""
    scores = (batch, num_queries, num_keys)
    context = (batch, num_queries, d_v)
    # Each query shares its attention over all keys.
    return scores, context, num_keys


def after_permuting(moved):
    """What the context does when inputs change order.

    moved: which inputs do, as the exercise names them
    """
    return {
        # A sum does not ask for the order of its terms.
        "keys and values": "same",
        # Weights meet the wrong values.
        "keys": "other",
        "values": "other",
        # One context for each query, wherever it stands.
        "queries": "moved",
        "queries, keys and values": "moved",
    }[moved]
