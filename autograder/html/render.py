"""HTML of the autograder. Every word that goes in is escaped."""

import base64
import hashlib
from collections.abc import Sequence
from functools import cache
from typing import Any

import jinja2
import numpy as np
from markupsafe import Markup, escape

from autograder.frameworks import title_of
from autograder.model.text import clean
from autograder.model.verdict import ATOL, RTOL, Difference, Verdict, describe

# Green, amber, red of middle lightness: visible on white and on black.
APPEARANCE = {
    "accepted": ("#2e9e5b", "✓", "passed"),
    "rejected": ("#d9822b", "✗", "not yet"),
    "missing": ("#8a8a8a", "○", "not written yet"),
}
OTHER = ("#d64545", "✗", "")
MAX_SIDE = 12


@cache
def templates() -> jinja2.Environment:
    """The templates. Whatever is filled in is cleaned first, and escaped."""
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("autograder.html"),
        autoescape=True,
        trim_blocks=True,
        undefined=jinja2.StrictUndefined,
        finalize=lambda value: clean(value) if type(value) is str else value,
    )
    environment.filters |= {"with_code": with_code, "sha256": _sha256}
    return environment


def filled(template: str, **values: Any) -> str:
    """A template with these values in it."""
    return templates().get_template(template).render(**values)


def with_code(text: str) -> Markup:
    """A sentence as HTML, cleaned and escaped, in which what stands between two backticks is code."""
    parts = clean(text).split("`")
    # A backtick that has no second one stays as it is.
    last = "" if len(parts) % 2 else f"`{parts.pop()}"
    shown = (
        Markup("<code>{}</code>").format(part) if i % 2 else escape(part) for i, part in enumerate(parts)
    )
    return Markup("").join(shown) + escape(last)


def _sha256(text: str) -> str:
    """A script's digest, as a Content-Security-Policy names it."""
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def verdict_html(
    verdict: Verdict, progress: str | None = None, example: str = "", stuck: str | None = None
) -> str:
    """A verdict as a notebook shows it.

    progress: a line at the end, in words; example: what it is wrong on; stuck: how to ask for a hint.
    """
    colour, mark, word = APPEARANCE.get(verdict.outcome, OTHER)
    difference = verdict.difference
    return filled(
        "verdict.html",
        v=verdict,
        progress=progress,
        example=example,
        stuck=stuck,
        colour=colour,
        mark=mark,
        word=word or verdict.outcome,
        framework=title_of(verdict.framework),
        place=describe(difference) if difference else None,
        maps=maps(difference) if difference else None,
    )


def curve_of(points: Sequence[tuple[int, float, float]]) -> dict[str, str] | None:
    """The losses as lines in a picture of 600 by 240, and the ends of its axes; None for fewer than two points.

    points: the step, and the losses on the training text and on held-out text.
    """
    if len(points) < 2:
        return None
    losses = [loss for _, *both in points for loss in both]
    low, high = min(losses), max(losses)
    first, last = points[0][0], points[-1][0]

    def line(column: int) -> str:
        return " ".join(
            f"{600 * (point[0] - first) / max(last - first, 1):.1f},{240 * (high - point[column]) / max(high - low, 1e-9):.1f}"
            for point in points
        )

    ends = {"highest": f"{high:.2f}", "lowest": f"{low:.2f}", "first": str(first), "last": str(last)}
    return {"train": line(1), "held_out": line(2), **ends}


def maps(difference: Difference) -> list[tuple[str, list[list[dict[str, Any]]]]]:
    """Got beside expected, each with the place of its matrix in the output, as rows of cells; empty if there is none."""
    got, expected = difference.got_map, difference.expected_map
    if got is None or expected is None or max(got.shape) > MAX_SIDE:
        return []
    wrong = ~np.isclose(got, expected, rtol=RTOL[difference.dtype], atol=ATOL[difference.dtype])
    # Weights lie between 0 and 1; scores are shaded from the least to the greatest that is expected.
    finite = expected[np.isfinite(expected)]
    ends = float(np.min(finite, initial=0.0)), float(np.max(finite, initial=1.0))
    outer = difference.where[:-2]  # the batch element, and the head where there is one
    which = difference.output + (f"[{', '.join(map(str, outer))}]" if outer else "")
    right = np.zeros_like(wrong)
    return [
        (f"{which}, yours", _cells(got, wrong, ends)),
        (f"{which}, expected", _cells(expected, right, ends)),
    ]


def _cells(matrix: np.ndarray, wrong: np.ndarray, ends: tuple[float, float]) -> list[list[dict[str, Any]]]:
    low, high = ends

    def cell(value: float, differs: bool) -> dict[str, Any]:
        shade = float(np.clip((np.nan_to_num(value) - low) / (high - low), 0, 1)) * 0.5
        border = "2px solid #d64545" if differs else "2px solid transparent"
        return {"text": f"{value:.3f}", "shade": f"{shade:.2f}", "border": border}

    return [
        [cell(float(v), bool(w)) for v, w in zip(*rows, strict=True)]
        for rows in zip(matrix, wrong, strict=True)
    ]
