"""The order of a decoder's steps: Bahdanau et al. and Luong et al."""

from tools.drawings.kit import Drawing

LEFT, STEP, WIDE, HIGH = 20, 176, 140, 50
ROWS = (
    ("Bahdanau et al.", ("s (t − 1)", "query"), ("context", "context"), ("s (t)", "ink"), ("word", "value")),
    ("Luong et al.", ("h (t)", "query"), ("context", "context"), ("attentional", "ink"), ("word", "value")),
)


def draw() -> Drawing:
    """Draw which state is the query, and what is computed from the context."""
    svg = Drawing(
        "Two orders of a decoder's steps: the query is the state before, or the state that was computed first",
        "Two rows of boxes with arrows. Bahdanau et al.: the state of the step before is the query and gives the "
        "context; from both comes the next state, and from it the word. Luong et al.: the state of this step is the "
        "query and gives the context; from both comes the attentional state, and from it the word.",
        height=330,
    )
    for i, (name, *boxes) in enumerate(ROWS):
        top = 56 + i * 154
        svg.text(LEFT, top - 30, name, anchor="start", kind="strong")
        for j, (words, role) in enumerate(boxes):
            x = LEFT + j * STEP
            svg.box(x, top, WIDE, HIGH, role, words)
            if j:
                svg.arrow([(x - STEP + WIDE, top + HIGH / 2), (x, top + HIGH / 2)])
        path = top + HIGH + 30
        ends = LEFT + WIDE / 2, LEFT + 2 * STEP + WIDE / 2
        svg.arrow([(ends[0], top + HIGH), (ends[0], path), (ends[1], path), (ends[1], top + HIGH)], "query")
    return svg
