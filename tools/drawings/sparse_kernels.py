"""Dot products as kernels cancel; products of positive features do not."""

import math

import numpy as np

from tools.drawings.kit import Drawing, number
from tools.drawings.sparse import GUESTS

LEFTS, BASE, STEP = (20, 384), 170, 54
NAMES = [guest.split()[0].rstrip("?") for guest in GUESTS[:5]]


def draw() -> Drawing:
    """Draw the question for the chapter's first guest, with both kernels of the five keys."""
    angles = 2 * math.pi * np.arange(5) / 5
    keys = 3 * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    features = np.where(keys > 0, keys + 1, np.exp(np.minimum(keys, 0)))
    ways = {"dot products": keys @ keys[0], "positive features": features @ features[0]}
    totals = {name: number(float(products.sum()), 1) for name, products in ways.items()}
    svg = Drawing(
        "Dot products of either sign cancel, so there is nothing to divide by; products of positive features add up",
        f"Twice five bars for the keys of {', '.join(NAMES)}, with the query of {NAMES[0]}. "
        + ". ".join(
            f"{name}: {', '.join(number(float(p), 1) for p in products)}, with the sum {totals[name]}"
            for name, products in ways.items()
        )
        + ".",
        height=358,
    )
    for left, (name, products) in zip(LEFTS, ways.items(), strict=True):
        unit = 92 / float(products.max())
        svg.text(left, 24, name, anchor="start", kind="strong")
        for i, (product, guest) in enumerate(zip(products, NAMES, strict=True)):
            x, high = left + (i + 0.5) * STEP, unit * float(product)
            svg.bar(x - 17, BASE - max(high, 0), 34, abs(high), "weight" if product > 0 else "context")
            svg.text(x, BASE - high + (-14 if product > 0 else 15), number(float(product), 1), kind="small")
            svg.text(x, BASE + 118, guest, "key", kind="small")
        svg.line([(left, BASE), (left + 5 * STEP, BASE)], "mute")
        none = totals[name] == "0"
        svg.text(left, BASE + 158, f"sum {totals[name]}", "context" if none else "weight", "start", "strong")
        if none:
            svg.text(left + 96, BASE + 158, "nothing to divide by", "mute", "start", "small")
    return svg
