"""What two scores say of simple heads, in any framework."""


def scores_near_one(head):
    """Which score is 1 for a head that looks at one place.

    head: one of those that the exercise names
    """
    return {
        "1 back, passages of 6": "previous",
        # What came after the same token, a passage ago
        "5 back, passages of 6": "induction",
        # The same token itself
        "6 back, passages of 6": "neither",
        "1 back, passages of 2": "both",
        "itself, passages of 1": "induction",
        "the first token, passages of 6": "neither",
    }[head]


def equal_weights_score(num_tokens, period):
    """The induction score of equal causal weights.

    num_tokens: more than period
    period: length of the passage that is repeated
    """
    # Token t, from 0 on, sees t + 1 keys, equally.
    queries = range(period, num_tokens)
    weights = [(t // period) / (t + 1) for t in queries]
    return sum(weights) / len(weights)
