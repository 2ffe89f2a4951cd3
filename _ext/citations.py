"""Citations by author and year in round brackets, and a bibliography that is labelled in the same way."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from pybtex.database import Entry
from pybtex.plugin import register_plugin as register_with_pybtex
from pybtex.style.formatting.plain import Style as PlainStyle
from pybtex.style.labels import BaseLabelStyle
from sphinx.application import Sphinx
from sphinxcontrib.bibtex.plugin import register_plugin
from sphinxcontrib.bibtex.style.referencing import BracketStyle
from sphinxcontrib.bibtex.style.referencing.author_year import AuthorYearReferenceStyle

from autograder.learner.works import authors_of


def round_brackets() -> BracketStyle:
    """Brackets of a citation in running text."""
    return BracketStyle(left="(", right=")")


@dataclass
class AuthorYearRound(AuthorYearReferenceStyle):
    """Bahdanau et al. (2015), or (Bahdanau et al., 2015)."""

    bracket_textual: BracketStyle = field(default_factory=round_brackets)
    bracket_parenthetical: BracketStyle = field(default_factory=round_brackets)


class AuthorYearLabels(BaseLabelStyle):
    """The label of a work in the bibliography: its authors and its year, as a citation has them."""

    def format_labels(self, sorted_entries: Sequence[Entry]) -> Iterator[str]:
        """A label for each work."""
        for entry in sorted_entries:
            yield f"{authors_of(entry)}, {entry.fields['year']}"


class AuthorYearStyle(PlainStyle):
    """The plain style, sorted by author and year, with labels of author and year."""

    default_label_style = "author_year_labels"


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the two styles that `_config.yml` names."""
    register_plugin("sphinxcontrib.bibtex.style.referencing", "author_year_round", AuthorYearRound)
    register_with_pybtex("pybtex.style.labels", "author_year_labels", AuthorYearLabels)
    register_with_pybtex("pybtex.style.formatting", "author_year_labels", AuthorYearStyle)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
