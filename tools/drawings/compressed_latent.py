"""Latent attention: one latent and one rotary key are kept; keys and values of all heads are made of the latent."""

from tools.drawings.kit import Drawing

TOKEN, CACHED, COMPUTED = 60, 226, 478  # the middle of the token, and the left edges of two columns


def draw() -> Drawing:
    """Draw from a token's vector to what is kept, and from there to two heads."""
    svg = Drawing(
        "From a token's vector come a latent and a rotary key, which are kept; of these the keys and values of all heads",
        "On the left the vector of a token. Two arrows lead to what the cache keeps: a latent, and a rotary key with its "
        "position. From the latent arrows lead on to the keys and the values of head 1 and of head 2; the rotary key "
        "goes to the keys of both heads.",
        height=372,
    )
    svg.text(CACHED + 80, 24, "kept in the cache", kind="strong")
    svg.text(COMPUTED + 104, 24, "made when needed", kind="strong")
    svg.box(TOKEN - 44, 142, 88, 56, "ink", "x")
    svg.text(TOKEN, 226, "token", "mute", kind="small")
    svg.box(CACHED, 100, 160, 64, "context", "latent c", kind="shape thick", words="strong")
    svg.box(CACHED, 262, 160, 64, "key", "rotary key", kind="shape thick", words="strong")
    svg.arrow([(TOKEN + 44, 160), (CACHED, 134)], "ink")
    svg.arrow([(TOKEN + 44, 186), (CACHED, 288)], "ink")
    svg.text(TOKEN + 34, 300, "rotated by", "mute", kind="small")
    svg.text(TOKEN + 34, 322, "the position", "mute", kind="small")
    for head, top in ((1, 52), (2, 200)):
        svg.box(COMPUTED, top, 104, 52, "value", "values")
        svg.box(COMPUTED, top + 60, 104, 52, "key", "keys")
        svg.box(COMPUTED + 108, top + 60, 48, 52, "key")
        svg.text(COMPUTED + 190, top + 86, f"head {head}", "mute", kind="small")
        svg.bend((CACHED + 160, 124), (COMPUTED, top + 26), "context")
        svg.bend((CACHED + 160, 140), (COMPUTED, top + 86), "context")
    svg.line([(COMPUTED + 132, 260), (COMPUTED + 132, 164)], "key", kind="dashed")
    svg.arrow([(CACHED + 80, 326), (CACHED + 80, 350), (COMPUTED + 132, 350), (COMPUTED + 132, 312)], "key")
    svg.text(COMPUTED + 12, 332, "the same for all", "key", kind="small")
    return svg
