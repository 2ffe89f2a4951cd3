"""What decoding costs, by plain arithmetic."""


def decoding_cost(steps, d_k, d_v):
    """Multiplications without and with a cache; its size.

    steps, d_k, d_v: plain numbers
    """
    without = with_cache = 0
    for t in range(1, steps + 1):
        # t queries with t keys each, or a single query.
        without += t * t * (d_k + d_v)
        with_cache += t * (d_k + d_v)
    return without, with_cache, steps * (d_k + d_v)
