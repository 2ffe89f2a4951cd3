"""Citations by author and year in round brackets, and a bibliography that is labelled in the same way."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from pybtex import plugin as of_pybtex
from pybtex.database import Entry
from pybtex.plugin import register_plugin as register_with_pybtex
from pybtex.style.formatting.plain import Style as PlainStyle
from pybtex.style.labels import BaseLabelStyle
from pybtex.style.sorting import BaseSortingStyle
from sphinx.application import Sphinx
from sphinxcontrib.bibtex.plugin import register_plugin
from sphinxcontrib.bibtex.style.referencing import BracketStyle
from sphinxcontrib.bibtex.style.referencing.author_year import AuthorYearReferenceStyle

from autograder.book.bibliography import authors_of, decoded


def round_brackets() -> BracketStyle:
    """Return brackets of a citation in running text."""
    return BracketStyle(left="(", right=")")


@dataclass
class AuthorYearRound(AuthorYearReferenceStyle):
    """Bahdanau et al. (2015), or (Bahdanau et al., 2015)."""

    bracket_textual: BracketStyle = field(default_factory=round_brackets)
    bracket_parenthetical: BracketStyle = field(default_factory=round_brackets)


class AuthorYearLabels(BaseLabelStyle):
    """The label of a work in the bibliography: its authors and its year, as a citation has them."""

    def format_labels(self, sorted_entries: Sequence[Entry]) -> Iterator[str]:
        """Yield a label for each work."""
        for entry in sorted_entries:
            yield f"{authors_of(entry)}, {entry.fields['year']}"


class FirstAuthorAndYear(BaseSortingStyle):
    """Works in the order of their first authors' names and, where these are the same, of their years.

    pybtex's own order compares all authors before the year, and a name in braces by its brace.
    """

    def sorting_key(self, entry: Entry) -> tuple[str, str, str]:
        """Return the first author, the year, and the title for works of the same year."""
        first = decoded(str(entry.persons["author"][0]))
        return first.lower(), entry.fields["year"], decoded(entry.fields["title"])


class AuthorYearStyle(PlainStyle):
    """The plain style, sorted by first author and year, with labels of author and year."""

    default_label_style = "author_year_labels"
    default_sorting_style = "first_author_and_year"


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the two styles that `_config.yml` names."""
    # pybtex reads the metadata of all installed packages for each citation; they stay the same while a book is built.
    of_pybtex._load_entry_point = cache(of_pybtex._load_entry_point)
    register_plugin("sphinxcontrib.bibtex.style.referencing", "author_year_round", AuthorYearRound)
    register_with_pybtex("pybtex.style.labels", "author_year_labels", AuthorYearLabels)
    register_with_pybtex("pybtex.style.sorting", "first_author_and_year", FirstAuthorAndYear)
    register_with_pybtex("pybtex.style.formatting", "author_year_labels", AuthorYearStyle)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
