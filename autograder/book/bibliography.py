"""The works that the chapters cite, as a learner's copy names them: by authors and year, with a link."""

from functools import cache

from pybtex.database import BibliographyData, Entry, parse_file
from pybtex.plugin import find_plugin
from pybtex.richtext import Text

from autograder.model.paths import BOOK

REFERENCES = BOOK / "chapters" / "references.bib"
# Roles of sphinxcontrib-bibtex, and how each shows one work.
FORMS = {"cite:t": "{authors} ({year})", "cite:author": "{authors}", "cite:year": "{year}"}
PARENTHETICAL = "{authors}, {year}"
BRACKETED = ("cite", "cite:p")


@cache
def works() -> BibliographyData:
    """Return all works, by key."""
    return parse_file(str(REFERENCES))


def decoded(latex: str) -> str:
    """Return a field of BibTeX as plain text: accents as letters, and no braces."""
    return str(Text.from_latex(latex))


def authors_of(work: Entry) -> str:
    """Return the authors' last names: one, two, or the first and "et al."."""
    people = work.persons["author"]
    names = [decoded(" ".join([*p.prelast_names, *p.last_names])) for p in people]
    return f"{names[0]} et al." if len(names) > 2 else " and ".join(names)


def address_of(work: Entry) -> str:
    """Return where the work can be read: its place on arXiv, its DOI or its address; nothing if none is known."""
    forms = {"eprint": "https://arxiv.org/abs/{}", "doi": "https://doi.org/{}", "url": "{}"}
    return next((form.format(work.fields[key]) for key, form in forms.items() if key in work.fields), "")


def cited(role: str, keys: str) -> str:
    """Return a citation in plain Markdown. Raises KeyError for a work that is not in the bibliography.

    role: as the chapter has it, such as `cite:t`; keys: one or several, with commas between them.
    """
    citation = "; ".join(_linked(role, works().entries[key.strip()]) for key in keys.split(","))
    return f"({citation})" if role in BRACKETED else citation


def _linked(role: str, work: Entry) -> str:
    words = FORMS.get(role, PARENTHETICAL).format(authors=authors_of(work), year=work.fields["year"])
    address = address_of(work)
    return f"[{words}]({address})" if address else words


def all_works() -> str:
    """Return the bibliography as a list in Markdown."""
    style = find_plugin("pybtex.style.formatting", "plain")()
    backend = find_plugin("pybtex.backends", "markdown")()
    return "\n".join(f"- {work.text.render(backend)}" for work in style.format_bibliography(works()))
