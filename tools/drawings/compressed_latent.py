"""Latent attention: one latent and one rotary key are kept; keys and values of all heads are made of the latent."""

from tools.drawings.kit import Drawing

TOKEN, KEPT, MADE = 60, 226, 478  # the middle of the token, and the left edges of two columns


def draw() -> Drawing:
    """From a token's vector to what is kept, and from there to two heads."""
    svg = Drawing(
        "compressed_latent",
        "From a token's vector come a latent and a rotary key, which are kept; of these the keys and values of all heads",
        "On the left the vector of a token. Two arrows lead to what the cache keeps: a latent, and a rotary key with its "
        "position. From the latent arrows lead on to the keys and the values of head 1 and of head 2; the rotary key "
        "goes to the keys of both heads.",
        height=372,
    )
    svg.text(KEPT + 80, 24, "kept in the cache", kind="strong")
    svg.text(MADE + 104, 24, "made when needed", kind="strong")
    svg.box(TOKEN - 44, 142, 88, 56, "ink", "x")
    svg.text(TOKEN, 226, "token", "mute", kind="small")
    svg.box(KEPT, 100, 160, 64, "context", "latent c", kind="shape thick", words="strong")
    svg.box(KEPT, 262, 160, 64, "key", "rotary key", kind="shape thick", words="strong")
    svg.arrow([(TOKEN + 44, 160), (KEPT, 134)], "ink")
    svg.arrow([(TOKEN + 44, 186), (KEPT, 288)], "ink")
    svg.text(TOKEN + 34, 300, "rotated by", "mute", kind="small")
    svg.text(TOKEN + 34, 322, "the position", "mute", kind="small")
    for head, top in ((1, 52), (2, 200)):
        svg.box(MADE, top, 104, 52, "value", "values")
        svg.box(MADE, top + 60, 104, 52, "key", "keys")
        svg.box(MADE + 108, top + 60, 48, 52, "key")
        svg.text(MADE + 190, top + 86, f"head {head}", "mute", kind="small")
        svg.bend((KEPT + 160, 124), (MADE, top + 26), "context")
        svg.bend((KEPT + 160, 140), (MADE, top + 86), "context")
    svg.line([(MADE + 132, 260), (MADE + 132, 164)], "key", kind="dashed")
    svg.arrow([(KEPT + 80, 326), (KEPT + 80, 350), (MADE + 132, 350), (MADE + 132, 312)], "key")
    svg.text(MADE + 12, 332, "the same for all", "key", kind="small")
    return svg
