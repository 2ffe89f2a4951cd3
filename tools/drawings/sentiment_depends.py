"""What the vectors of two levels depend on: a sentence's on that sentence, a word's state on all words beside it."""

from tools.drawings.kit import Drawing

SENTENCES = (("my", "brother", "came", "along"), ("never", "stale", "for", "me"))  # words of the grammar
WORD, STATE, SENTENCE = 330, 206, 70
SPLIT, CELL = 360, 74


def draw() -> Drawing:
    """Draw two sentences: words below, a state above each, and a vector of each sentence."""
    first, second = (" ".join(sentence) for sentence in SENTENCES)
    svg = Drawing(
        "The vector of a sentence depends on this sentence alone; the state of one word depends on all words beside it",
        f"Two groups, parts of the sentences “{first}” and “{second}”. In each, lines lead from all words to the state "
        f"of the word “{SENTENCES[0][0]}”, or “{SENTENCES[1][0]}”; from the states lines lead to the vector of "
        f"the sentence. No line leads from one group to the other.",
        height=372,
    )
    svg.line([(SPLIT, 30), (SPLIT, 356)], "mute", 2, "dashed")
    for i, sentence in enumerate(SENTENCES):
        xs = [SPLIT * i + 50 + j * 86 for j in range(4)]
        middle = (xs[0] + xs[-1]) / 2
        for x, word in zip(xs, sentence, strict=True):
            svg.drop((xs[0], STATE + 34), (x, WORD - 16), "key", 3)
            svg.drop((middle, SENTENCE + 38), (x, STATE), "context", 2)
            svg.text(x, WORD, word, kind="strong" if x == xs[0] else "")
            role = "key" if x == xs[0] else "mute"
            kind, words = ("shape", "state") if x == xs[0] else ("empty", "")
            svg.box(x - CELL / 2, STATE, CELL, 34, role, words, kind=kind, text=role, words="small")
        words = f"vector of sentence {i + 1}"
        svg.box(middle - 118, SENTENCE, 236, 38, "context", words, text="context", words="small")
    svg.text(10, 30, "from its own sentence alone", "context", "start", "small")
    return svg
