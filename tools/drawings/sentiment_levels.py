"""Attention over the words of each sentence, then over the sentences of the review."""

import numpy as np

from solutions.sentiment.in_numpy import hierarchical_attention
from tools.drawings.kit import Drawing, share

STATES = np.array([[[1.0, 0.0], [0.0, 1.0]], [[1.0, 1.0], [0.0, 0.0]]])  # the chapter's review
LENGTHS, WORD_QUERY, SENTENCE_QUERY = np.array([[2, 1]]), np.array([1.0, 0.0]), np.array([0.0, 2.0])
WORDS, SENTENCES, REVIEW = 34, 300, 600
HIGHS = ((74, 168), (290,))  # of the words


def draw() -> Drawing:
    """Draw the chapter's review of two sentences, with the weights at both levels."""
    _, over, within = hierarchical_attention(STATES[None], LENGTHS, WORD_QUERY, SENTENCE_QUERY)
    svg = Drawing(
        "Words have weights within their sentence, sentences within the review; the weight of a word is a product",
        f"On the left the words of two sentences, in the middle the sentences, on the right the review. The words of "
        f"the first sentence have the weights {share(within[0, 0, 0])} and {share(within[0, 0, 1])} and the sentence "
        f"{share(over[0, 0])}; the second sentence has {share(over[0, 1])}, and its only word 1. Below each word "
        f"stands its weight in the review, the product of the two.",
        height=370,
    )
    for x, name in ((WORDS + 65, "words"), (SENTENCES + 75, "sentences"), (REVIEW + 50, "review")):
        svg.text(x, 22, name, kind="strong")
    middle = sum(sum(highs) / len(highs) for highs in HIGHS) / 2
    for i, (highs, weight) in enumerate(zip(HIGHS, over[0], strict=True)):
        high = sum(highs) / len(highs)
        for j, top in enumerate(highs):
            svg.box(WORDS, top - 22, 130, 44, "value", f"word {i + j + i + 1}")
            svg.bend((WORDS + 130, top), (SENTENCES, high), "weight", 14 * within[0, i, j] + 1)
            svg.text(
                (WORDS + 130 + SENTENCES) / 2, top + (26 if j else -20), share(within[0, i, j]), kind="small"
            )
            svg.text(
                WORDS + 65, top + 37, f"in the review {share(weight * within[0, i, j])}", "mute", kind="small"
            )
        svg.box(SENTENCES, high - 22, 150, 44, "value", f"sentence {i + 1}")
        svg.bend((SENTENCES + 150, high), (REVIEW, middle), "weight", 14 * weight + 1)
        svg.text(SENTENCES + 200, high + (28 if i else -20), share(weight), kind="small")
    svg.box(REVIEW, middle - 24, 100, 48, "context", "context")
    return svg
