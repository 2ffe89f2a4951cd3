"""Speculative decoding: what a draft and the target have in common is kept, the rest is drawn anew."""

import numpy as np

from course.data import prose
from solutions.language_model.common import decode, encode
from tools.drawings.kit import Drawing, share
from tools.drawings.language_model import BEGINNING, next_token

COUNT, LEFT, WIDE, FULL, LARGEST, TOP, ROW = 5, 96, 200, 110, 0.2, 100, 46


def draw() -> Drawing:
    """Draw the tokens after the chapter's beginning, by the draft that counts pairs and by the stored model."""
    stored = prose.stored_model()
    tokens = encode(BEGINNING, stored.merges)
    corpus = np.array(encode(prose.split(prose.text())[0], stored.merges))
    p = next_token(tokens, stored)
    counts = np.full(len(p), 0.01)
    np.add.at(counts, corpus[1:][corpus[:-1] == tokens[-1]], 1)
    q = counts / counts.sum()
    common, rest = np.minimum(p, q), np.maximum(p - q, 0)
    best = [int(token) for token in np.argsort(-np.maximum(p, q))[:COUNT]]
    names = [decode([token], stored.merges).strip() or "(blank)" for token in best]
    columns = {"draft: q": q, "target: p": p, "kept, and new": common}
    sentences = [
        f"{name}: q {share(q[t])}, p {share(p[t])}, of which {share(common[t])} is kept and {share(rest[t])} new"
        for name, t in zip(names, best, strict=True)
    ]
    svg = Drawing(
        "What the draft and the target have in common is kept; what the target has more of is drawn anew",
        f"Three columns of bars for {COUNT} tokens. {'; '.join(sentences)}. The two parts of the third "
        f"column add up to the second, the probabilities of the target. Kept over all tokens: {share(common.sum())}.",
        height=TOP + ROW * COUNT + 54,
    )
    for j, (head, part) in enumerate(columns.items()):
        x = LEFT + WIDE * j
        svg.text(x, 22, head, "ink", "start", "strong")
        for i, token in enumerate(best):
            y, long = TOP + ROW * i - 30, FULL * float(part[token]) / LARGEST
            svg.bar(x, y - 13, max(long, 2), 26, "mute" if not j else "value" if j == 1 else "context")
            end = x + long
            if j == 2 and rest[token] > 0:
                more = FULL * float(rest[token]) / LARGEST
                svg.box(end, y - 13, max(more, 2), 26, "context", kind="empty dashed")
                end += more
            words = share(part[token])
            if j == 2:
                words = f"{words} + {share(rest[token])}" if rest[token] else words
                svg.text(max(end + 8, x + 8), y, words, "ink", "start", "small")
            else:
                svg.text(end + 8, y, words, "ink", "start", "small")
    for i, name in enumerate(names):
        svg.text(LEFT - 12, TOP + ROW * i - 30, name, anchor="end")
    bottom = TOP + ROW * COUNT
    svg.text(LEFT, bottom - 26, f"kept over all tokens: {share(common.sum())}", "context", "start", "strong")
    svg.text(LEFT, bottom + 6, "dashed: drawn anew where a token is not kept", "mute", "start", "small")
    svg.text(
        LEFT, bottom + 34, "kept and new together are the target's probabilities", "mute", "start", "small"
    )
    return svg
