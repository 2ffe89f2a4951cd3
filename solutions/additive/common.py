"""What additive attention costs, by plain arithmetic."""


def score_bytes(batch, num_queries, num_keys, units):
    """Bytes of the largest float32 array that is made.

    Returns two numbers: additive score, dot product.
    """
    pairs = batch * num_queries * num_keys
    # A tanh for each unit of each pair, of 4 bytes.
    additive = 4 * pairs * units
    # One number for each pair: the scores themselves.
    dot_product = 4 * pairs
    return additive, dot_product
