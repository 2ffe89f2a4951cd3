"""A date as it is written, and its digits in ISO 8601, each under the part that it comes from."""

from course.training.translation import corpus
from tools.drawings.kit import WIDTH, Drawing

CELL, HIGH, ABOVE, BELOW = 44, 46, 62, 200


def draw() -> Drawing:
    """Draw the chapter's second date."""
    pair = corpus("dates").test[1]
    parts = {"year": pair.gold[0], "month": pair.gold[5], "day": pair.gold[8]}
    source, target = "".join(pair.source), "".join(pair.target)
    svg = Drawing(
        "Each digit of the date in ISO 8601 comes from one part of the written date: its year, its month or its day",
        f"Above the date as it is written, “{source}”, a cell for each character; below the same in ISO 8601, "
        f"“{target}”. Thick lines lead from the year, the month and the day above to those below, and cross: "
        + ", ".join(
            f"the {name} is “{''.join(pair.source[i] for i in sorted(places))}”"
            for name, places in parts.items()
        )
        + ".",
        height=306,
    )
    lefts = [(WIDTH - CELL * len(words)) / 2 for words in (source, target)]
    ends: dict[str, list[float]] = {name: [] for name in parts}
    for left, y, role, words, golds in (
        (lefts[0], ABOVE, "key", source, [{i} for i in range(len(source))]),
        (lefts[1], BELOW, "query", target, list(pair.gold)),
    ):
        for name, places in parts.items():
            places_of_part = [i for i, gold in enumerate(golds) if gold and gold <= places]
            ends[name].append(left + CELL * (places_of_part[0] + len(places_of_part) / 2))
        inside = [bool(gold) and any(gold <= places for places in parts.values()) for gold in golds]
        letters, otherwise = [letter.strip() for letter in words], ("mute", "empty", "ink")
        svg.cells(left, y, [letters], role, CELL, HIGH, where=[inside], otherwise=otherwise)
    for name, (above, below) in ends.items():
        svg.drop((above, ABOVE + HIGH), (below, BELOW), "weight", 8, "faint")
        svg.text(above, ABOVE - 30, name, kind="strong")
    words = "aligned: the largest weight of a digit lies in its part above"
    svg.text(WIDTH / 2, BELOW + HIGH + 34, words, "mute", kind="small")
    return svg
