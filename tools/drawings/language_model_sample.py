"""From probabilities to a token: as they are, at a low temperature, and the most probable ones alone."""

import numpy as np

from course.data.prose import stored_model
from solutions.language_model.common import decode, encode
from solutions.language_model.in_numpy import top_p
from tools.drawings.kit import Drawing, share
from tools.drawings.language_model import BEGINNING, next_token
from tools.drawings.language_model_whole import strip

COUNT, TEMPERATURE, P = 6, 0.5, 0.5
LEFT, WIDE, FULL, TOP, ROW = 84, 220, 105, 138, 36


def draw() -> Drawing:
    """Draw the tokens that the stored model may write after the chapter's beginning."""
    stored = stored_model()
    likely = next_token(encode(BEGINNING, stored.merges), stored)
    sharper = likely ** (1 / TEMPERATURE)
    ways = {
        "as they are": likely,
        f"temperature {TEMPERATURE}": sharper / sharper.sum(),
        f"top-p {P}": top_p(likely[None], P)[0],
    }
    best = [int(token) for token in np.argsort(-likely)[:COUNT]]
    names = [decode([token], stored.merges).strip() or "(blank)" for token in best]
    # A sum of zeros is exactly zero on each machine; a difference of two sums may not be.
    parts = [[*map(float, way[best]), float(np.delete(way, best).sum())] for way in ways.values()]
    svg = Drawing(
        "The probabilities of the next token: as they are, at a low temperature, and those of the most probable alone",
        f"Three columns of bars for the tokens {', '.join(names)} and all others together. "
        + " ".join(f"{way}: {', '.join(map(share, part))}." for way, part in zip(ways, parts, strict=True))
        + " At a low temperature, and more so with top-p, nothing or little is left for the many improbable tokens.",
        height=TOP + ROW * (COUNT + 1) + 4,
    )
    strip(svg, "next token")
    for j, (way, part) in enumerate(zip(ways, parts, strict=True)):
        x = LEFT + WIDE * j
        svg.text(x, 86, way, "ink", "start", "small strong")
        for i, probability in enumerate(part):
            y, role = TOP + ROW * i, "mute" if i == COUNT else "ink"
            svg.bar(x, y - 12, FULL * probability / 0.45, 24, role)
            svg.text(
                x + FULL * probability / 0.45 + 8, y, share(round(probability, 6)), role, "start", "small"
            )
    for i, name in enumerate([*names, "others"]):
        svg.text(LEFT - 12, TOP + ROW * i, name, "mute" if i == COUNT else "ink", "end", "small")
    return svg
