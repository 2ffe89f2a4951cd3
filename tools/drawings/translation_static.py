"""The gradient through three steps whose first state is a constant: where compiled code went wrong."""

import numpy as np

from tools.drawings.kit import Drawing, number

OUTPUTS, STEPS = np.array([0.5, -1.0, 2.0]), 3  # the chapter's
LEFT, STEP, HIGH = 14, 198, 46
STATE, BACK, MEAN = 62, 142, 206


def draw() -> Drawing:
    """Draw states in a row, the mean of the outputs below, and gradients on their way back."""
    states = [0.0]
    for _ in range(STEPS):
        states.append(float(np.tanh(states[-1] + OUTPUTS.mean())))
    slope, gradient = 1.0, 0.0
    for state in reversed(states[1:]):
        slope *= 1 - state**2
        gradient += slope / len(OUTPUTS)
    svg = Drawing(
        "Gradients come back to the outputs through three sums; the first sum also has a constant, which needs none",
        f"A row of states: {', '.join(number(state) for state in states)}. Each is the tanh of a sum, of the state before and of "
        f"the mean of the outputs, which stands below. Arrows come back from each sum to the outputs, whose gradient is "
        f"{number(gradient, 4)} each. No arrow leads back to the first state, a constant of zeros.",
        height=306,
    )
    for i, state in enumerate(states):
        x, first = LEFT + i * STEP, i == 0
        svg.box(x, STATE, 88, HIGH, "mute" if first else "key", number(state))
        words, role = ("constant", "mute") if first else (f"state {i}", "key")
        svg.text(x + 44, STATE - 24, words, role, kind="small")
        if i < STEPS:
            plus = x + 143
            svg.line([(x + 88, STATE + 23), (plus - 17, STATE + 23)], "mute", 2, "dashed" if first else "")
            svg.arrow([(plus + 17, STATE + 23), (x + STEP, STATE + 23)], "mute")
            svg.box(plus - 17, STATE + 6, 34, 34, "ink", "+", kind="empty")
            svg.text(plus, STATE - 24, "tanh", "mute", kind="small")
            svg.arrow([(plus, BACK), (plus, MEAN - 4)], "context", 3)
    svg.line(
        [(LEFT + 3 * STEP + 44, STATE + HIGH), (LEFT + 3 * STEP + 44, BACK), (LEFT + 143, BACK)], "context", 3
    )
    svg.line([(LEFT + 143, BACK), (LEFT + 44, BACK), (LEFT + 44, STATE + HIGH)], "mute", 2, "dashed")
    words = f"outputs {', '.join(number(x) for x in OUTPUTS)}: their mean, {number(OUTPUTS.mean())}"
    svg.box(LEFT, MEAN, 3 * STEP + 88, HIGH, "value", words)
    svg.text(LEFT + 44, BACK + 26, "none", "mute", kind="small")
    svg.text(LEFT + 3 * STEP + 44, BACK + 26, "gradients", "context", kind="small")
    svg.text(LEFT, MEAN + 72, f"gradient of each output: {number(gradient, 4)}", "context", "start", "strong")
    return svg
