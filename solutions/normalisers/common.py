"""What follows from the formulas, in any framework."""


def gap_to_zero(a, num_best):
    """How far below the best a key has no weight.

    a: of the family of entmax, above 1
    num_best: how many keys share the largest score
    """
    # (a - 1) e - threshold of a best key: its weight is
    # 1 / num_best, and that is this to the 1 / (a - 1).
    above = (1 / num_best) ** (a - 1)
    return above / (a - 1)


def gumbel_proof_step(change):
    """The first step of the proof that does not hold.

    change: one of those that the exercise names
    """
    return {
        "a number added to all scores": "none",
        "ten thousand keys": "none",
        # The sum is no longer -log x.
        "the noise times 2": "1",
        "-log u as the noise": "1",
        "u drawn between 0 and 1/2": "2",
        # The draws depend on each other.
        "one u for all keys": "3",
    }[change]
