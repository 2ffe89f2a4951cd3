"""Which features turn together: neighbours, or those half a vector apart."""

from tools.drawings.kit import Drawing

FEATURES, LEFT, WIDE, CELL = 4, 40, 360, 70
FORMS = (("neighbours", ((0, 1), (2, 3))), ("halves", ((0, 2), (1, 3))))


def draw() -> Drawing:
    """Draw four features, paired in both ways."""
    svg = Drawing(
        "Two ways to pair four features: neighbours, and features half a vector apart",
        "Two rows of four features, 0 to 3. On the left 0 and 1 are a pair, and 2 and 3. On the right 0 and 2 are a "
        "pair, and 1 and 3. The first pair turns by the angle 1 for each position, the second by 0.01.",
        height=230,
    )
    for i, (name, pairs) in enumerate(FORMS):
        left = LEFT + i * WIDE
        svg.text(left + 2 * CELL, 22, name, kind="strong")
        for pair, angle, high in zip(pairs, ("angle 1", "angle 0.01"), (88, 188), strict=True):
            role, kind, edge = ("ink", "shape", 112) if high < 112 else ("mute", "empty", 164)
            first, second = (left + (feature + 0.5) * CELL for feature in pair)
            for feature in pair:
                svg.box(left + feature * CELL + 4, 114, CELL - 8, 48, role, str(feature), kind=kind)
            svg.line([(first, edge), (first, high), (second, high), (second, edge)], role, 3)
            svg.text((first + second) / 2, high + (-18 if high < 112 else 20), angle, role, kind="small")
    return svg
