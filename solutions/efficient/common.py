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


def what_tiles_change(change):
    """The last result that another way to read changes.

    change: one of those that the exercise names
    """
    return {
        "tiles of another size": "nothing",
        "tiles in the opposite order": "nothing",
        # exp(s - m) stays if s and m grow alike.
        "a number added to all scores": "maximum",
        # Both sums have the same factor, which cancels.
        "a larger number for the maximum": "sums",
        "old sums that are not rescaled": "context",
        "old sums rescaled twice": "context",
    }[change]
