"""How far pooling can go, in any framework."""

import math


def largest_pooling_weight(num_steps, bound):
    """The largest weight that one of the steps can get.

    num_steps: how many scores the softmax is over
    bound: every score lies in [-bound, bound]
    """
    # One score at the top, all others at the bottom.
    ratio = math.exp(2 * bound)
    return ratio / (ratio + num_steps - 1)
