"""A language model: tokens in, a probability for each possible next one out, and the one drawn is appended."""

import numpy as np

from course.data.prose import StoredModel, stored_model
from solutions.language_model.common import decode, encode
from solutions.language_model.in_numpy import language_model
from tools.drawings.kit import Drawing, share

BEGINNING = "The weights of each row sum to"
COUNT = 4  # of the most probable next tokens
TOP, BLOCKS, BARS = 52, 146, 262
LEFT, GAP, LETTER = 24, 10, 12.5
BAR, LONGEST = 250, 900


def draw() -> Drawing:
    """Draw the chapter's own beginning, and what the stored model gives each next token."""
    stored = stored_model()
    tokens = encode(BEGINNING, stored.merges)
    words = [decode([token], stored.merges).strip() for token in tokens]
    likely = next_token(tokens, stored)
    best = [int(token) for token in np.argsort(-likely)[:COUNT]]
    names = [decode([token], stored.merges).strip() or "(blank)" for token in best]
    chances = ", ".join(f"{name} {share(likely[t])}" for name, t in zip(names, best, strict=True))
    svg = Drawing(
        "What a language model does: tokens go through blocks, each possible next token gets a probability, one is drawn and appended",
        f"Above stand the tokens {', '.join(words)}, and an empty place after them. They go through a stack of "
        "blocks, in which each token sees itself and those before it. Below, each possible next token has a "
        f"probability, drawn as a bar: {chances}, and less for all others. An arrow leads from one of them, "
        f"{names[0]}, back to the empty place.",
        height=BARS + COUNT * 38 + 56,
    )
    svg.text(LEFT, 20, "the tokens so far", "mute", "start", "small")
    x, middles = float(LEFT), []
    for word in words:
        width = LETTER * len(word) + 26
        svg.box(x, TOP - 8, width, 44, "key", word)
        svg.arrow([(x + width / 2, TOP + 36), (x + width / 2, BLOCKS)], "key")
        middles.append(x + width / 2)
        x += width + GAP
    empty = LETTER * len(names[0]) + 30
    svg.box(x, TOP - 8, empty, 44, "context", names[0], kind="empty dashed", text="context")
    lines = "blocks, one after the other:", "each token sees those before it"
    svg.box(LEFT, BLOCKS, x - GAP - LEFT, 66, "ink", *lines)
    svg.arrow([(middles[-1], BLOCKS + 66), (middles[-1], BARS - 24), (LEFT + 348, BARS - 24)])
    svg.text(LEFT, BARS - 24, "how probable is each next token?", "mute", "start", "small")
    for i, (name, token) in enumerate(zip(names, best, strict=True)):
        y, role = BARS + 22 + i * 38, "context" if i == 0 else "ink"
        svg.text(BAR - 90, y, name, role, "end", "strong" if i == 0 else "")
        svg.bar(BAR - 76, y - 12, max(LONGEST * float(likely[token]), 2), 24, "value")
        svg.text(BAR - 66 + LONGEST * float(likely[token]), y, share(likely[token]), "value", "start")
    svg.text(BAR - 90, BARS + 22 + COUNT * 38, "…", "mute", "end")
    right = x + empty / 2
    start = BAR - 8 + LONGEST * float(likely[best[0]])
    svg.arrow([(start, BARS + 22), (right, BARS + 22), (right, TOP + 36)], "context", 3)
    svg.text(right - 12, BARS + 46, "one is drawn", "context", "end", "small")
    svg.text(right - 12, BARS + 70, "and appended", "context", "end", "small")
    return svg


def next_token(tokens: list[int], stored: StoredModel) -> np.ndarray:
    """Return the probability of each token to be the next."""
    logits = language_model(np.array([tokens]), stored.weights, stored.num_heads)[0][0, -1]
    raised = np.exp(logits - logits.max())
    return np.asarray(raised / raised.sum())
