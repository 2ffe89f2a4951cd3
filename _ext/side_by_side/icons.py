"""Draw the icons of the theme's buttons in the page itself: its font holds two thousand of them, and weighs as much as a chapter."""

from __future__ import annotations

import re
from pathlib import Path

from page_assets import write
from sphinx.application import Sphinx

# By the names that the theme gives them, as paths in a square of 16.
ICONS = {
    "angle-left": "M10 3 5 8l5 5",
    "angle-right": "M6 3l5 5-5 5",
    "arrow-up": "M8 14V2M3.5 6.5 8 2l4.5 4.5",
    "bars": "M2 3.5h12M2 8h12M2 12.5h12",
    "circle-half-stroke": "M8 1.5a6.5 6.5 0 1 0 0 13 6.5 6.5 0 1 0 0-13zM8 2v12M10 3v10M12 4.5v7",
    "download": "M8 1.5v8M4.5 6.5 8 10l3.5-3.5M2 11v3h12v-3",
    "expand": "M2 6V2h4M10 2h4v4M14 10v4h-4M6 14H2v-4",
    "file-pdf": "M4 6V2h8v4M4 11H2V6h12v5h-2M4 9.5h8V14H4z",
    "github": "M5 3.5 1 8l4 4.5M11 3.5 15 8l-4 4.5M9 3 7 13",
    "lightbulb": "M8 4v5M8 11.5v.5M8 1.5a6.5 6.5 0 1 0 0 13 6.5 6.5 0 1 0 0-13z",
    "list": "M2 3.5h.5M6 3.5h8M2 8h.5M6 8h8M2 12.5h.5M6 12.5h8",
    "magnifying-glass": "M7 2a5 5 0 1 0 0 10A5 5 0 1 0 7 2zM10.6 10.6 14.5 14.5",
    "moon": "M13.5 10A6 6 0 0 1 6 2.5a6 6 0 1 0 7.5 7.5z",
    "rocket": "M4 2.5v11l9-5.5z",
    "sun": "M8 5a3 3 0 1 0 0 6 3 3 0 1 0 0-6zM8 .8v1.6M8 13.6v1.6M.8 8h1.6M13.6 8h1.6M3 3l1 1M12 12l1 1M13 3l-1 1M4 12l-1 1",
}
PLACE = re.compile(r'(<(i|span) class=")([^"]*\bfa-[^"]*)("[^>]*>)(?=</\2>)')
NAME = re.compile(r"\b(?:fa[bs]?|fa-(?:solid|brands|lg|([\w-]+)))(?=\s|$)\s*")
ICON = '<svg class="drawn-icon" viewBox="0 0 16 16" aria-hidden="true"><path d="{}"/></svg>'


def with_icons(page: str) -> str:
    """Return a page with a drawing in each element that asks for an icon of the font."""
    return PLACE.sub(_icon, page)


def _icon(place: re.Match[str]) -> str:
    before, _, classes, after = place.groups()
    names = [name for name in NAME.findall(classes) if name]
    if not names or names[0] not in ICONS:
        return place[0]
    return f"{before}{NAME.sub('', classes).strip()}{after}{ICON.format(ICONS[names[0]])}"


def draw(app: Sphinx, error: Exception | None) -> None:
    """Draw the icons of all pages."""
    if error is not None or app.builder.format != "html":
        return
    for path in Path(app.outdir).rglob("*.html"):
        write(path, with_icons(path.read_text(encoding="utf-8")).encode())


def register(app: Sphinx) -> None:
    """Draw when the theme's templates are done, and before the policies name what a page holds."""
    app.connect("build-finished", draw, priority=940)
