"""Seven forms of a model, each trained from several seeds: their ranges overlap."""

import json

from autograder.model.paths import ROOT
from tools.drawings.kit import Drawing, number

LEFT, WIDE, TOP, ROW, LOW, HIGH = 240, 452, 78, 40, 1.9, 2.22


def draw() -> Drawing:
    """Draw the stored trainings in PyTorch, a dot for each seed."""
    stored = json.loads((ROOT / "benchmarks" / "results" / "gpt.json").read_text(encoding="utf-8"))
    by_change: dict[str, list[float]] = {}
    for row in stored["rows"]:
        if row["framework"] == "torch":
            by_change.setdefault(row["change"], []).append(row["held_out"])
    ranges = {name: (number(min(losses)), number(max(losses))) for name, losses in by_change.items()}
    (plain, *_), first = by_change, next(iter(by_change.values()))
    assert all(min(losses) < max(first) and max(losses) > min(first) for losses in by_change.values())
    svg = Drawing(
        "The losses of seven forms of the model from three seeds each: every range overlaps with that of the model as it is",
        "A row for each form, with a dot for each seed. "
        + "; ".join(f"{name}: {low} to {high}" for name, (low, high) in ranges.items())
        + f". A band marks the range of the model {plain}; each of the others reaches into it.",
        height=TOP + ROW * len(by_change) + 44,
    )

    def place(loss: float) -> float:
        return LEFT + WIDE * (loss - LOW) / (HIGH - LOW)

    svg.text(place(2.06), 22, "loss on held-out text, nats for each character", "mute", kind="small")
    bottom = TOP + ROW * len(by_change) - 14
    svg.bar(place(min(first)), TOP - 24, place(max(first)) - place(min(first)), bottom - TOP + 24, "mute")
    for i, (name, losses) in enumerate(by_change.items()):
        y = TOP + ROW * i
        svg.text(LEFT - 14, y, name, anchor="end", kind="small strong" if not i else "small")
        svg.line([(place(min(losses)), y), (place(max(losses)), y)], "ink", 3)
        for loss in losses:
            svg.dot(place(loss), y)
    svg.line([(LEFT, bottom), (LEFT + WIDE, bottom)], "mute")
    for tick in (1.9, 2.0, 2.1, 2.2):
        svg.line([(place(tick), bottom), (place(tick), bottom + 8)], "mute")
        svg.text(place(tick), bottom + 24, f"{tick:.1f}", "mute", kind="small")
    return svg
