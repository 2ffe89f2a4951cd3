"""Where the scores come from, in any framework."""


def citation(score):
    """The paper that a score function comes from.

    score: its name, as in SCORES
    """
    return {
        "content-based": "Graves 2014",
        "additive": "Bahdanau 2015",
        "location-based": "Luong 2015",
        "general": "Luong 2015",
        "dot": "Luong 2015",
        "scaled dot": "Vaswani 2017",
    }[score]
