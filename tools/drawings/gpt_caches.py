"""What a GPT reads in each call while it writes, and what its caches hold behind it."""

from tools.drawings.gpt import VOCABULARY
from tools.drawings.kit import Drawing

PROMPT, CALLS = 3, 4
TOP, STEP, CELL, HIGH = 44, 58, 46, 38
LEFT, HELD, LOGITS = 84, 428, 560


def draw() -> Drawing:
    """Draw a row for each call, the tokens in columns."""
    svg = Drawing(
        f"The first call reads the {PROMPT} tokens of the beginning, each later call the one token that was chosen last",
        f"A row for each of {CALLS} calls. The first call reads {PROMPT} tokens, each later one a single token, which is "
        f"the one that was chosen from the logits before; the tokens of earlier calls are drawn as empty cells, since "
        f"their keys and values are in the caches. Behind the calls each cache holds "
        f"{', '.join(str(PROMPT + i) for i in range(CALLS))} tokens. The logits of a call have the shape (1, new tokens, "
        f"{VOCABULARY}), and the last row of them is used.",
        height=TOP + CALLS * STEP + 6,
    )
    svg.text(LEFT, 14, "tokens; filled: read now", "mute", "start", "small")
    svg.text(HELD, 14, "each cache", "key", "start", "small")
    svg.text(LOGITS, 14, "logits", "mute", "start", "small")
    for i in range(CALLS):
        y = TOP + i * STEP
        svg.text(6, y + HIGH / 2, f"call {i + 1}", anchor="start", kind="small")
        new = PROMPT if i == 0 else 1
        old = 0 if i == 0 else PROMPT + i - 1
        where = [[False] * old + [True] * new]
        svg.cells(LEFT, y, [list(map(str, range(old + new)))], "query", CELL, HIGH, where=where)
        svg.text(HELD, y + HIGH / 2, f"{old + new} tokens", "key", "start", "small")
        svg.text(LOGITS, y + HIGH / 2, f"(1, {new}, {VOCABULARY})", "mute", "start", "small")
    return svg
