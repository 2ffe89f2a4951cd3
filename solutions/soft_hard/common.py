"""Which attention is soft, in any framework."""


def kind_of_attention(mechanism):
    """Whether the choice needs a gradient estimator.

    mechanism: "global", "local-m", "local-p",
        "weighted patches", "sampled patch", "best patch"
    """
    choosing = ("sampled patch", "best patch")
    return "hard" if mechanism in choosing else "soft"
