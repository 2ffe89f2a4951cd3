"""What one layer keeps for each token: with many heads, with groups, with one set for all, and as a latent."""

from solutions.compressed.in_numpy import cache_numbers
from tools.drawings.kit import Drawing

HEADS, GROUPS, WIDTH, RANK, ROTARY = 32, 8, 128, 512, 64
NAMES = ("multi-head", "grouped-query", "multi-query", "latent")
LEFT, LONG, TOP, STEP, THICK = 206, 410, 62, 58, 34


def draw() -> Drawing:
    """Draw four bars: how many numbers a layer keeps for each token."""
    sizes = cache_numbers(HEADS, GROUPS, WIDTH, RANK, ROTARY)
    svg = Drawing(
        "What a layer keeps for each token: keys and values of all heads, of groups, of one set, or a latent",
        f"Four bars for {HEADS} heads of {WIDTH} numbers, as long as the numbers that are kept for each token. "
        + ", ".join(f"{name}: {numbers}" for name, numbers in zip(NAMES, sizes, strict=True))
        + f". The latent has {RANK} numbers for keys and values together, and {ROTARY} of a rotary key.",
        height=TOP + 4 * STEP + 6,
    )
    svg.text(LEFT, 24, "numbers kept for each token, in one layer", "mute", "start")
    for i, (name, numbers) in enumerate(zip(NAMES, sizes, strict=True)):
        y, long = TOP + i * STEP, LONG * numbers / sizes[0]
        svg.text(LEFT - 14, y + THICK / 2, name, anchor="end", kind="strong")
        if name == "latent":
            part = long * RANK / numbers
            svg.bar(LEFT, y, part, THICK, "context")
            svg.bar(LEFT + part, y, long - part, THICK, "key")
        else:
            svg.bar(LEFT, y, long / 2, THICK, "key")
            svg.bar(LEFT + long / 2, y, long / 2, THICK, "value")
        svg.text(LEFT + long + 12, y + THICK / 2, str(numbers), anchor="start")
    words = (("keys", "key"), ("values", "value"), ("latent", "context"))
    for i, (word, role) in enumerate(words):
        x = 400 + i * 108
        svg.bar(x, TOP + 2.6 * STEP, 22, 22, role)
        svg.text(x + 30, TOP + 2.6 * STEP + 12, word, role, "start", "small")
    return svg
