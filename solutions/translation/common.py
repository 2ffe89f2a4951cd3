"""The choice among beams, in any framework."""


def best_sentence(sentences, totals, end):
    """The largest mean log-probability, up to the end.

    Every word makes a sentence less likely, so totals
    are divided by the number of words, the end included.
    """
    cut = [[w for w in s if w != end] for s in sentences]
    lengths = [len(words) + 1 for words in cut]
    scores = [totals[i] / n for i, n in enumerate(lengths)]
    return cut[scores.index(max(scores))]
