"""What two sets cost and keep, in any framework."""


def order_proof_line(change):
    """The first line of the proof that does not hold.

    change: one of those that the exercise names
    """
    return {
        "learned queries": "none",
        "a mask that moves with the keys": "none",
        # Columns change places under any of its sums.
        "a softmax over the queries": "none",
        # Row i gets what belongs to place i.
        "a vector for each place added to Y": "1",
        "a mask of all keys after the third": "2",
        "the weighted values read by a recurrent net": "3",
    }[change]


def point_scores(side, patch, num_points):
    """Scores in all pairs and by way of points, and a rank.

    side: pixels of an image; patch: of a patch
    num_points: learned points
    """
    num_tokens = (side // patch) ** 2
    by_points = 2 * num_tokens * num_points
    rank = min(num_tokens, num_points)
    return num_tokens**2, by_points, rank
