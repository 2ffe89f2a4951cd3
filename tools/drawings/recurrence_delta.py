"""One step of the delta rule: the state is asked for the key, and what is missing is added."""

from solutions.recurrence.in_numpy import delta_rule
from tools.drawings.kit import Drawing, number
from tools.drawings.recurrence import KEYS, ROOMS


def draw() -> Drawing:
    """Draw the third token of the chapter's example, with a rate of 1."""
    one, arrays = KEYS[None, :2] * 0 + 1, (KEYS[None, [0, 0]], KEYS[None, :2], ROOMS[None, :2, None])
    old = float(delta_rule(*arrays, one[:, :, 0], one[:, :, 0])[0, 1, 0])
    svg = Drawing(
        "The delta rule: the key reads the old value, and the difference to the new one is written",
        f"The third token has the key of Ana and the value {number(ROOMS[2])}. The key reads {number(old)} from the state "
        f"S. The error is {number(ROOMS[2])} minus {number(old)}, {number(ROOMS[2] - old)}. The product of the key and the "
        "error, times the rate, is added to S. Then S gives 5 for Ana.",
        height=250,
    )
    svg.box(20, 60, 110, 56, "key", "key k")
    svg.arrow([(130, 88), (178, 88)], "key", 3)
    svg.box(180, 60, 80, 56, "ink", "S", words="strong")
    svg.arrow([(260, 88), (394, 88)], "value", 3)
    svg.text(328, 62, f"old {number(old)}", "value", kind="small")
    svg.box(396, 60, 130, 56, "ink", f"{number(ROOMS[2])} − {number(old)}")
    svg.box(600, 60, 104, 56, "value", f"value {number(ROOMS[2])}")
    svg.arrow([(600, 88), (528, 88)], "value", 3)
    svg.arrow([(461, 118), (461, 166)], "ink", 3)
    svg.text(461, 186, f"error {number(ROOMS[2] - old)}", kind="strong")
    svg.arrow([(382, 186), (220, 186), (220, 120)], "ink", 3)
    svg.text(236, 216, "add rate · k · error", "ink", "start", "small")
    svg.text(20, 24, "third token: Ana has moved to room 5", "mute", "start", "small")
    return svg
