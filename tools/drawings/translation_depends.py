"""On which inputs weights depend: the size of the gradients, with and without the encoder's outputs in the scores."""

from collections.abc import Callable

import numpy as np

from solutions.masked_softmax.in_numpy import masked_softmax
from solutions.translation.in_numpy import query_weights
from tools.drawings.kit import Drawing, number

SEED, LENGTHS, STEP = 2, (5, 3), 1e-6  # the chapter's arrays
LEFTS, RIGHT, TOP, ROW, LONGEST = (118, 478), 118, 96, 54, 150
Weights = Callable[..., np.ndarray]


def from_query(
    y: np.ndarray, state: np.ndarray, outputs: np.ndarray, length: np.ndarray, W: np.ndarray
) -> np.ndarray:
    """Return the tutorial's weights: entry j of the layer's result is the score of position j."""
    scores = (np.concatenate([y, state], axis=1) @ W.T)[:, : outputs.shape[1]]
    return masked_softmax(scores[:, None], length)[:, 0]


def largest_gradients(weights_of: Weights) -> dict[str, float]:
    """Return of each input the largest gradient of the weights, multiplied by 0, 1, 2, … and summed."""
    rng = np.random.default_rng(SEED)
    y, state = rng.normal(size=(2, 3)), rng.normal(size=(2, 4))
    outputs, W = rng.normal(size=(2, 5, 6)), rng.normal(size=(6, 7))
    inputs = {"y": y, "state": state, "outputs": outputs}

    def total() -> float:
        weights = weights_of(*inputs.values(), np.array(LENGTHS), W)
        return float((weights * np.arange(weights.shape[1])).sum())

    slopes_of = {}
    for name, array in inputs.items():
        slopes = []
        for place in np.ndindex(array.shape):
            value, sums = array[place], []
            for side in (STEP, -STEP):
                array[place] = value + side
                sums.append(total())
            array[place] = value
            slopes.append(abs(sums[0] - sums[1]) / (2 * STEP))
        slopes_of[name] = round(max(slopes), 6)
    return slopes_of


def draw() -> Drawing:
    """Draw the chapter's random inputs, with the tutorial's weights and with the mended ones."""
    ways = {"the tutorial's": largest_gradients(from_query), "mended": largest_gradients(query_weights)}
    most = max(max(slopes.values()) for slopes in ways.values())
    svg = Drawing(
        "A gradient of zero shows it: the tutorial's weights do not depend on the encoder's outputs, the mended ones do",
        "Two groups of three bars, the largest gradient of the weights with respect to each input. "
        + ". ".join(
            f"{name}: {', '.join(f'{i} {number(g)}' for i, g in slopes.items())}"
            for name, slopes in ways.items()
        )
        + ". In the first group the bar of the encoder's outputs is missing.",
        height=TOP + 3 * ROW + 20,
    )
    for left, (name, slopes) in zip(LEFTS, ways.items(), strict=True):
        svg.text(left, 24, name, anchor="start", kind="strong")
        for i, (part, slope) in enumerate(slopes.items()):
            y, role = TOP + ROW * i - 20, "key" if part == "outputs" else "query"
            svg.text(left - 12, y, part, role, "end")
            svg.bar(left, y - 16, max(LONGEST * slope / most, 2), 32, role if slope else "mute")
            look = "ink" if slope else "context strong"
            svg.text(left + LONGEST * slope / most + 10, y, number(slope), look, "start")
    svg.text(
        RIGHT, TOP + 3 * ROW - 6, "the largest gradient with respect to each input", "mute", "start", "small"
    )
    return svg
