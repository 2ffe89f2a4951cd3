"""What follows from rotary positions, in any framework."""

import math


def rotary_proof_line(change):
    """The first line of the proof that does not hold.

    change: one of those that the exercise names
    """
    return {
        "positions that begin at 1000": "none",
        "an angle of its own for each pair": "none",
        # (Rq + c) · (Rk + c) has terms beside q, k and R.
        "a vector added after the rotation": "1",
        # Its angles add up; its transpose is no shear back.
        "a shear [[1, a], [0, 1]] by the angle a": "2",
        # j² - i² is no function of j - i.
        "the angle i² θ at position i": "3",
        "keys that are not rotated": "3",
    }[change]


def turn_length(pair, d, base):
    """Tokens in which a pair makes one full turn.

    pair: from 0 on; d: features of the head
    base: of the frequencies
    """
    frequency = base ** (-2 * pair / d)
    return 2 * math.pi / frequency
