"""Attention: one query among keys; weights, values, context."""

import numpy as np

from solutions.attention.in_numpy import attention_pooling, softmax
from tools.drawings.kit import Drawing, number, share

STATIONS, READINGS, PLACE = [0.0, 1.0, 3.0], [10.0, 14.0, 20.0], 2.0  # km, °C, km


def draw() -> Drawing:
    """Draw three weather stations, and a place between them."""
    query, keys = np.array([[[PLACE]]]), np.array(STATIONS)[None, :, None]
    weights = softmax(-((query[:, :, None] - keys[:, None]) ** 2).sum(axis=-1) / 2)
    context = attention_pooling(weights, np.array(READINGS)[None, :, None])[0, 0, 0]
    shares = [share(w) for w in weights[0, 0]]
    svg = Drawing(
        "A query is compared with every key; the values are averaged with the weights that follow",
        f"How warm is it at {number(PLACE)} km? The query is compared with the keys, the places of three weather "
        f"stations at {', '.join(map(number, STATIONS))} km. Near stations get large weights: {', '.join(shares)}. "
        f"The values, {', '.join(map(number, READINGS))} °C, each times its weight, add up to the context, "
        f"{number(context, 1)} °C.",
        height=362,
    )
    heads = ("query", "keys", "weights", "values", "context")
    for x, head, role in zip(
        (75, 245, 365, 480, 638), heads, ("query", "key", "weight", "value", "context"), strict=True
    ):
        svg.text(x, 22, head, role, kind="strong")
    places = (94, 182, 270)
    svg.box(8, 146, 134, 72, "query", "how warm", f"at {number(PLACE)} km?")
    for y, place, weight, percent, reading in zip(
        places, STATIONS, weights[0, 0], shares, READINGS, strict=True
    ):
        svg.bend((142, 182), (190, y), "query", 2)
        svg.box(190, y - 26, 110, 52, "key", f"at {number(place)} km")
        svg.line([(300, y), (430, y)], "weight", 30 * weight, "faint")
        svg.text(365, y - 24, percent)
        svg.box(430, y - 26, 100, 52, "value", f"{number(reading)} °C")
        svg.bend((530, y), (576, 182), "weight", 30 * weight, "faint")
    svg.box(576, 146, 124, 72, "context", f"{number(context, 1)} °C", words="strong")
    terms = " + ".join(f"{w} · {number(r)}" for w, r in zip(shares, READINGS, strict=True))
    svg.text(360, 336, f"{terms} = {number(context, 1)}", "mute")
    return svg
