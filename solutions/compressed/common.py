"""What a token takes in a cache, by plain arithmetic."""


def cache_numbers(num_heads, num_groups, d, rank, d_r):
    """Numbers that a layer caches for each token.

    num_heads, num_groups: heads of queries, sets of keys
    d: numbers in a key, and in a value
    rank, d_r: numbers in a latent, in a rotary key
    """
    # A key and a value for each head, each group, once
    multi_head = 2 * num_heads * d
    grouped = 2 * num_groups * d
    multi_query = 2 * d
    # Keys and values are made of one vector.
    latent = rank + d_r
    return multi_head, grouped, multi_query, latent


def still_absorbed(change):
    """What need not be made of the latents of all tokens.

    change: one of those that the exercise names
    """
    return {
        "a rotation of the keys by position": "values",
        # q · b is added to all scores; weights sum to 1.
        "a bias added to keys and values": "both",
        "a ReLU after W_V": "keys",
        "a ReLU after W_K and W_V": "neither",
        # Each key is divided by a number of its own.
        "an RMSNorm of each key": "values",
        "an RMSNorm of the latents that are kept": "both",
    }[change]
