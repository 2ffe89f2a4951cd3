"""Texts whose words are shaded by a number each, such as an attention weight.

A `Shading` as the last expression of a cell is displayed: as HTML in the book and in JupyterLab, as plain
text elsewhere. Nothing in it needs a script.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
MOST_WORDS = 2000  # in one picture
SPOKEN = 3  # words of a row that its description names


@dataclass(frozen=True)
class ShadedText:
    """One text: its words, a number for each, and its label.

    label: stands before the text, in a few words
    marks: words to underline, such as the evidence; none by default
    """

    label: str
    words: Sequence[str]
    weights: ArrayLike
    marks: Sequence[bool] = ()


@dataclass(frozen=True, eq=False)
class Shading:
    """Texts, each word shaded by its number.

    Positive numbers are shaded in blue and negative ones in orange, the strongest of each row fully, or
    all on one scale with `together`. The colours are described in words too: each row names its
    strongest words with their numbers, and a word shows its own when it is pointed at.

    Arguments:
        title: what is shown, in a few words.
        rows: the texts.
        mark_label: what an underline means.
        together: one scale for all rows.

    Raises:
        ValueError: another number of weights or marks than of words, numbers that are not finite, no rows,
            or too many words.
    """

    title: str
    rows: Sequence[ShadedText]
    mark_label: str = "evidence"
    together: bool = False

    def __post_init__(self) -> None:
        if not self.rows:
            raise ValueError(f"{self.title!r}: at least one row is needed.")
        for row in self.rows:
            self._check(row)
        if sum(len(row.words) for row in self.rows) > MOST_WORDS:
            raise ValueError(f"{self.title!r} has more than {MOST_WORDS} words: show fewer rows.")

    def _check(self, row: ShadedText) -> None:
        shape = np.shape(row.weights)
        if shape != (len(row.words),):
            raise ValueError(
                f"{self.title!r}, {row.label!r}: {len(row.words)} words need as many weights, "
                f"and there are {shape}."
            )
        if row.marks and len(row.marks) != len(row.words):
            raise ValueError(
                f"{self.title!r}, {row.label!r}: {len(row.words)} words and {len(row.marks)} marks."
            )
        if not np.isfinite(np.asarray(row.weights, dtype=np.float64)).all():
            raise ValueError(f"{self.title!r}, {row.label!r}: every weight must be finite.")

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        return {"text/html": self.html(), "text/plain": self.text()}

    def html(self) -> str:
        """Return the texts for a page."""
        marked = any(any(row.marks) for row in self.rows)
        legend = f'<p class="note"><u>underlined</u>: {escape(self.mark_label)}</p>' if marked else ""
        return "\n".join(
            [
                f'<figure class="shading"><figcaption>{escape(self.title)}</figcaption>',
                *(self._row_html(row) for row in self.rows),
                f"{legend}<style>{_stylesheet()}</style></figure>",
            ]
        )

    def text(self) -> str:
        """Return the same in plain characters: the words, and the strongest with their numbers."""
        lines = [f"{row.label}: {' '.join(row.words)}\n    {self._strongest(row)}" for row in self.rows]
        return "\n".join([self.title, *lines])

    def _row_html(self, row: ShadedText) -> str:
        words = " ".join(
            self._word_html(word, number, strength, mark)
            for word, number, strength, mark in zip(
                row.words,
                np.asarray(row.weights, dtype=np.float64),
                self._strengths(row),
                row.marks or [False] * len(row.words),
                strict=True,
            )
        )
        return (
            f'<div class="one-text"><p class="label">{escape(row.label)}</p><p class="words">{words}</p>'
            f'<p class="note">{escape(self._strongest(row))}</p></div>'
        )

    def _word_html(self, word: str, number: float, strength: float, mark: bool) -> str:
        element = "u" if mark else "span"
        percent = round(100 * abs(strength))
        shade = f' class="{"for" if strength > 0 else "against"}" style="--s:{percent}%"' if percent else ""
        return f'<{element}{shade} title="{_two_decimals(number)}">{escape(word)}</{element}>'

    def _strengths(self, row: ShadedText) -> Floats:
        """Return numbers from -1 to 1."""
        weights = np.asarray(row.weights, dtype=np.float64)
        compared = [r.weights for r in self.rows] if self.together else [weights]
        most = max((float(np.abs(np.asarray(w)).max(initial=0)) for w in compared), default=0.0)
        return weights / most if most else weights

    def _strongest(self, row: ShadedText) -> str:
        weights = np.asarray(row.weights, dtype=np.float64)
        order = np.argsort(-np.abs(weights), kind="stable")[:SPOKEN]
        strongest = [i for n, i in enumerate(order) if n == 0 or round(abs(weights[i]), 2)]
        return "strongest: " + ", ".join(f"{row.words[i]} {_two_decimals(weights[i])}" for i in strongest)


def _two_decimals(number: float) -> str:
    """Return two decimals, with a real minus sign and no negative zero."""
    return f"{round(float(number), 2) + 0.0:.2f}".replace("-", "−")


@cache
def _stylesheet() -> str:
    """Return the style, in one line."""
    from course.display.colours import DARK, LIGHT

    ends = "".join(
        f"--{name}:light-dark({getattr(LIGHT, end)},{getattr(DARK, end)});"
        for name, end in (("for", "high"), ("against", "low"))
    )
    text = Path(__file__).with_name("shading.css").read_text(encoding="utf-8")
    return f".shading:not(#_){{{ends}}} {' '.join(text.split())}"
