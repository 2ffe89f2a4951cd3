"""Leave out of the theme's styles what holds for no element of the book: they are made for every kind of site."""

from __future__ import annotations

import re
from pathlib import Path

from page_assets import write
from sphinx.application import Sphinx

# Each build copies these anew.
SHEETS = ("styles/*.css", "*.min.css")
NAMES = re.compile(r'\b(?:class|id)="([^"]*)"')
WORDS = re.compile(r"[\w-]+")
COMPOSED = "bs-tooltip-auto"  # in a script, of its parts
# The font of icons, for which there are drawings (`icons.py`), and rules without others inside.
DROPPED = re.compile(r"/\*.*?\*/|@font-face\{[^}]*Awesome[^}]*\}", re.DOTALL)
RULE = re.compile(r"([^{};@]+)(\{[^{}]*\})")
SELECTORS = re.compile(r",(?![^(]*\))")
ARGUMENTS = re.compile(r"\([^()]*\)")
NAME = re.compile(r"[.#]((?:[\w-]|\\.)+)")


def used_rules(sheet: str, names: set[str]) -> str:
    """Return a style sheet without the rules that name a class or an id which is not among `names`."""

    def shorter(rule: re.Match[str]) -> str:
        selectors = [selector for selector in SELECTORS.split(rule[1]) if _is_used(selector, names)]
        return f"{','.join(selectors)}{rule[2]}" if selectors else ""

    return RULE.sub(shorter, DROPPED.sub("", sheet))


def _is_used(selector: str, names: set[str]) -> bool:
    return all(name.replace("\\", "") in names for name in NAME.findall(ARGUMENTS.sub("", selector)))


def shorten(app: Sphinx, error: Exception | None) -> None:
    """Leave out what no page has and no script names."""
    if error is not None or app.builder.format != "html":
        return
    names = {COMPOSED}
    for path in Path(app.outdir).rglob("*.html"):
        names.update(*(attribute.split() for attribute in NAMES.findall(path.read_text(encoding="utf-8"))))
    for path in [
        *Path(app.outdir, "_static").glob("*.js"),
        *Path(app.outdir, "_static/scripts").glob("*.js"),
    ]:
        names.update(WORDS.findall(path.read_text(encoding="utf-8")))
    for path in (path for pattern in SHEETS for path in Path(app.outdir, "_static").glob(pattern)):
        write(path, used_rules(path.read_text(encoding="utf-8"), names).encode())


def register(app: Sphinx) -> None:
    """Shorten them when the pages are written, icons too."""
    app.connect("build-finished", shorten, priority=945)
