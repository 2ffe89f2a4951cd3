"""What windows cost and running sums hold, in any framework."""


def window_costs(num_tokens, window):
    """Pairs of a causal window; layers to hear the first.

    num_tokens: at least 2
    window: tokens, the token itself included; at least 2
    """
    # Of the first tokens, each sees one more.
    first = min(num_tokens, window)
    pairs = first * (first + 1) // 2
    pairs += (num_tokens - first) * window
    # Rounded up
    layers = -(-(num_tokens - 1) // (window - 1))
    return pairs, layers


def bound_proof_step(change):
    """The first step of the proof that need not hold.

    change: one of those that the exercise names
    """
    return {
        # A product of other positive features
        "the keys as queries": "none",
        # The exponential, or a 0, entry by entry
        "the softmax of the products": "2",
        "a causal mask": "2",
        # Only a square matrix has eigenvalues.
        "every guest asked for twice": "3",
        # No mean with weights from 0 to 1
        "features of either sign": "4",
        "rows not divided by their sums": "4",
    }[change]
