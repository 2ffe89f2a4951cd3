"""Three rules for a state of fixed size: what each gives for Ana's room after each of three tokens."""

import numpy as np

from solutions.recurrence.in_numpy import decayed_attention, delta_rule
from tools.drawings.kit import Drawing, number

# The chapter's example: Ana's room is 12, Ben's 7, and then Ana moves to 5.
KEYS = np.array([[1.0, 0.0], [0.6, 0.8], [1.0, 0.0]])
ROOMS = np.array([12.0, 7.0, 5.0])
DECAY = 0.5
TOKENS = ("Ana 12", "Ben 7", "Ana 5")
LEFT, WIDE, BASE, UNIT, STEP = 14, 176, 270, 7.4, 54


def answers() -> dict[str, np.ndarray]:
    """Return what is found for Ana after each token: the right room, and what each rule gives."""
    ana = np.broadcast_to(KEYS[0], (1, 3, 2))
    arrays = ana, KEYS[None], ROOMS[None, :, None]
    one = np.ones((1, 3))
    results = {
        "sums": decayed_attention(*arrays, one),
        "decay ½": decayed_attention(*arrays, DECAY * one),
        "delta rule": delta_rule(*arrays, one, one),
    }
    return {"right": np.array([12.0, 12.0, 5.0])} | {name: array[0, :, 0] for name, array in results.items()}


def draw() -> Drawing:
    """Draw four groups of three bars, a bar for each token."""
    rows = answers()
    svg = Drawing(
        "Ana moves from room 12 to room 5: a sum gives both, a decay gives less of the old one, the delta rule gives 5",
        f"Three tokens are read: {', '.join(TOKENS)}. After each of them the state is asked for Ana's room. "
        + ". ".join(
            f"{name}: {', '.join(number(float(room), 1) for room in rooms)}" for name, rooms in rows.items()
        )
        + ". After the last token only the delta rule gives the right room, 5.",
        height=346,
    )
    svg.text(LEFT, 22, "read:", "mute", "start", "small")
    svg.texts([150, 290, 430], 22, TOKENS, "value", "strong")
    svg.text(590, 22, "asked: Ana?", "query", kind="strong")
    for i, (name, rooms) in enumerate(rows.items()):
        x = LEFT + i * WIDE
        middle = x + 1.5 * STEP
        svg.text(middle, 66, name, kind="strong")
        role = "value" if name == "right" else "context"
        svg.bars(x, BASE, rooms, UNIT, role, ("1", "2", "3"), STEP, 1)
    svg.text(360, 322, "tokens read", "mute", kind="small")
    return svg
