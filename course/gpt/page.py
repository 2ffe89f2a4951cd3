"""The page that `attention gpt check` writes: what was built, what was checked, and the training."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from autograder.html.render import templates
from autograder.model.verdict import Verdict
from course.gpt import training
from course.gpt.checks import CheckResult
from course.gpt.my_gpt import MARKS, MyGPT, PackagePart
from course.gpt.training import Trained

TEMPLATE = Path(__file__).with_name("gpt.html")


def page_of(
    built: MyGPT,
    parts: list[tuple[PackagePart, Verdict]],
    results: list[CheckResult],
    trained: Trained | None,
) -> str:
    """Return the page. trained: with its losses and a sample; None if it was not trained."""
    template = templates().from_string(TEMPLATE.read_text(encoding="utf-8"))
    return template.render(
        summary=built.summary,
        trained=trained,
        map=built.map(),
        marks=MARKS,
        verdicts={part.name: verdict.outcome for part, verdict in parts},
        checks=results,
        curve=curve_of(trained.curve) if trained else None,
        sample=training.write(trained, "The weights", 80, 0.8, 0.9, 0) if trained else "",
    )


def curve_of(points: Sequence[tuple[int, float, float]]) -> dict[str, str] | None:
    """Return the losses as lines in a picture of 600 by 240, and the ends of its axes; None for fewer than two points.

    points: the step, and the losses on the training text and on held-out text.
    """
    if len(points) < 2:
        return None
    steps, *losses = np.array(points).T
    low, high, first, last = np.min(losses), np.max(losses), steps[0], steps[-1]
    across = 600 * (steps - first) / max(last - first, 1)
    down = 240 * (high - losses) / max(high - low, 1e-9)
    train, held_out = (" ".join(f"{x:.1f},{y:.1f}" for x, y in zip(across, ys, strict=True)) for ys in down)
    ends = {"highest": f"{high:.2f}", "lowest": f"{low:.2f}", "first": f"{first:.0f}", "last": f"{last:.0f}"}
    return {"train": train, "held_out": held_out, **ends}
