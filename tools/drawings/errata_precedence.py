"""Precedence: the small number after the division, and in the divisor."""

import numpy as np

from tools.drawings.kit import Drawing

A, SMALL_NUMBER = (1.0, 2.0, 0.0), 1e-10
LEFT, WIDE, HIGH = 190, 170, 56


def draw() -> Drawing:
    """Draw a row with a masked step and an empty row, as published and as they should be."""
    svg = Drawing(
        "As printed the small number is added after the division, so a masked step has a weight and an empty row none",
        f"Two rows of three boxes. Published, a / sum + 10⁻¹⁰: the row 1, 2, 0 gives its masked step the weight "
        f"{_last(A, False)}, and of the row 0, 0, 0 comes 0 / 0, which is no number. Right, a / (sum + 10⁻¹⁰): the masked "
        f"step has {_last(A, True)}, and so have all steps of the empty row.",
        height=246,
    )
    svg.text(LEFT + 1 * WIDE + 80, 26, "masked step", kind="strong")
    svg.text(LEFT + 2 * WIDE + 80, 26, "empty row", kind="strong")
    for y, name, formula, right in (
        (56, "published", "a / sum + 10⁻¹⁰", False),
        (150, "right", "a / (sum + 10⁻¹⁰)", True),
    ):
        role = "weight" if right else "context"
        svg.text(14, y + HIGH / 2, name, "ink", "start", "strong")
        svg.box(LEFT - 40, y, 200, HIGH, role, formula, kind="empty")
        svg.box(LEFT + WIDE + 10, y, 140, HIGH, role, _last(A, right), words="strong")
        svg.box(LEFT + 2 * WIDE + 10, y, 140, HIGH, role, _last((0.0, 0.0, 0.0), right), words="strong")
    svg.text(360, 230, "a: the exponentials; those of masked steps are 0", "mute", kind="small")
    return svg


def _last(row: tuple[float, ...], right: bool) -> str:
    """Return the weight of a row's last step, in words."""
    a = np.array(row)
    with np.errstate(invalid="ignore"):
        weight = (a / (a.sum() + SMALL_NUMBER) if right else a / a.sum() + SMALL_NUMBER)[-1]
    return "0 / 0" if np.isnan(weight) else "10⁻¹⁰" if weight else "0"
