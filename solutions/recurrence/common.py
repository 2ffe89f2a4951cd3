"""What a hybrid of states and caches holds, by plain arithmetic."""


def numbers_held(
    num_layers,
    every,
    num_heads,
    num_groups,
    d,
    num_tokens,
):
    """Numbers in the caches and in the states of a hybrid.

    num_layers: of both kinds together
    every: layers every, 2 * every, … attend to all tokens
    num_heads: states in each of the other layers
    num_groups: sets of keys and values in a cache
    d: width of keys and of values
    num_tokens: how many have been read
    """
    full = num_layers // every
    caches = full * num_groups * 2 * d * num_tokens
    states = (num_layers - full) * num_heads * d * d
    return caches, states


def value_after_writing(written):
    """Where the value lies that is read with the old key.

    written: one of those that the exercise names
    """
    # The part of the way from the old value to the new one
    # is the rate times the square of the key's length.
    return {
        "rate 1, key of length 1": "new",
        "rate 1/2, key of length 1": "between",
        "rate 1, key of length 2": "beyond",
        "rate 1/4, key of length 2": "new",
        "rate 2, key of length 1": "beyond",
        "rate 1, a key orthogonal to the old one": "old",
    }[written]
