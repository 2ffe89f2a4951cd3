"""A hybrid: three layers with states, then one with a cache, and what a layer of each kind holds."""

from tools.drawings.kit import Drawing

# Qwen3-Next: 32 states of 128 by 128 in a layer, or keys and values of 2 groups of 256 for each token
STATE = 32 * 128 * 128
PER_TOKEN = 2 * 2 * 256
LENGTHS = (512, 1024, 4096)
LAYERS, EVERY, LEFT, STEP, UNIT = 8, 4, 14, 88, 17


def draw() -> Drawing:
    """Draw eight layers in a row, and bars for the numbers held after three lengths."""
    shares = [PER_TOKEN * n / STATE for n in LENGTHS]
    svg = Drawing(
        "Three layers with a state, then one with a cache; the state keeps its size, the cache grows with the text",
        f"Eight layers in a row. Each fourth one has a cache of keys and values, the others have states. Below are bars "
        f"for what a layer holds: one with states {STATE:,} numbers at any length; one with a cache "
        + ", ".join(
            f"{share:.0f} times as many after {n:,} tokens" for n, share in zip(LENGTHS, shares, strict=True)
        )
        + ".",
        height=372,
    )
    for i in range(LAYERS):
        cache = i % EVERY == EVERY - 1
        x = LEFT + i * STEP
        svg.box(x, 22, 76, 58, "key" if cache else "ink", "cache" if cache else "S", words="small")
        if i:
            svg.arrow([(x - 12, 51), (x, 51)], "mute")
    svg.text(LEFT, 112, "each fourth layer attends to all tokens", "key", "start", "small")
    svg.text(LEFT, 160, "numbers that a layer holds", "ink", "start", "small strong")
    base, states = 318, 110
    for i, (n, share) in enumerate(zip(LENGTHS, shares, strict=True)):
        x = states + i * 210
        svg.bar(x, base - UNIT, 60, UNIT, "ink")
        svg.bar(x + 70, base - share * UNIT, 60, share * UNIT, "key")
        svg.text(x + 100, base - share * UNIT - 14, f"× {share:.0f}", "key", kind="small")
        svg.text(x + 30, base - UNIT - 14, "S", "ink", kind="small")
        svg.text(x + 65, base + 24, f"{n:,} tokens", "mute", kind="small")
        svg.line([(x - 10, base), (x + 140, base)], "mute")
    return svg
