"""HTML of the autograder. Every word that goes in is escaped."""

import base64
import hashlib
import re
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
# Of each cell its value, the strength of its colour and whether it is wrong.
Rows = list[list[tuple[float, float, bool]]]


@cache
def templates() -> jinja2.Environment:
    """Return the templates. Whatever is filled in is cleaned first, and escaped."""
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("autograder.html"),
        autoescape=True,
        trim_blocks=True,
        undefined=jinja2.StrictUndefined,
        finalize=lambda value: clean(value) if type(value) is str else value,
    )
    environment.filters |= {"with_code": with_code, "sha256": _sha256}
    return environment


def render_template(template: str, **values: Any) -> str:
    """Return a template with these values in it."""
    return templates().get_template(template).render(**values)


def with_code(text: str) -> Markup:
    """Return a sentence as HTML, cleaned and escaped, in which what stands between two backticks is code."""
    return Markup(re.sub("`(.*?)`", r"<code>\1</code>", str(escape(clean(text)))))


def _sha256(text: str) -> str:
    """Return a script's digest, as a Content-Security-Policy names it."""
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def verdict_html(
    verdict: Verdict,
    progress: str | None = None,
    example: str = "",
    stuck: str | None = None,
    drawing: str = "",
) -> str:
    """Return a verdict as a notebook shows it.

    progress: a line at the end, in words; example: what it is wrong on; stuck: how to ask for a hint; drawing: of its
    numbers, as HTML, which then lie in a fold.
    """
    colour, symbol, word = APPEARANCE.get(verdict.outcome, OTHER)
    difference = verdict.difference
    return render_template(
        "verdict.html",
        v=verdict,
        progress=progress,
        example=example,
        stuck=stuck,
        drawing=drawing,
        colour=colour,
        symbol=symbol,
        word=word or verdict.outcome,
        framework=title_of(verdict.framework),
        difference=describe(difference) if difference else None,
        maps=maps(difference) if difference else None,
    )


def maps(difference: Difference) -> list[tuple[str, Rows]]:
    """Return got beside expected, each with the place of its matrix in the output, as rows of cells; empty if there is none."""
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
        (f"{which}, yours", _cells(got, wrong, *ends)),
        (f"{which}, expected", _cells(expected, right, *ends)),
    ]


def _cells(matrix: np.ndarray, wrong: np.ndarray, low: float, high: float) -> Rows:
    values = matrix.astype(float)
    shades = 0.5 * np.clip((np.nan_to_num(values) - low) / (high - low), 0, 1)
    return [list(zip(*row, strict=True)) for row in zip(values, shades, wrong, strict=True)]
