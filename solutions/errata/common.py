"""Answers about the sources, in any framework."""


def wrong_lines(questions):
    """Which of three lines is wrong, for each question.

    questions: names of questions
    """
    answers = {
        "normaliser": "b",
        "shift": "c",
        "bias": "a",
        "scale": "b",
        "mask": "b",
        "order": "c",
        "base": "none",
    }
    return tuple(answers[name] for name in questions)


def claims_that_hold(claims):
    """Whether each claim is true.

    claims: names of claims
    """
    answers = {
        "twelve": False,
        "variance": True,
        "concat": True,
        "symmetric": False,
        "length": False,
        "window": False,
        "million": True,
        "bounded": True,
    }
    return tuple(answers[name] for name in claims)
