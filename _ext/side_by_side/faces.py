"""The faces of the book: text, headings and drawings, code. They come from npm when the book is built.

Where npm is missing the book is built without them, in the reader's own. No line should move when a face arrives: a page
that had to begin without it goes on without it, and a page from a server asks for them before its styles.
"""

from __future__ import annotations

import json
import re
import string
import sys
from html import unescape
from pathlib import Path
from typing import Any

from page_assets import copy, copy_fonts, shorten_font
from sphinx.application import Sphinx

from autograder.model.errors import ToolError

FOLDER = "_static/faces"
FAMILIES = {"source-serif": "Book Serif", "source-sans": "Book Sans", "mono": "Book Mono"}
FACE = (
    "@font-face{{font-family:'{family}';font-style:{style};font-weight:{weight};font-display:optional;"
    "src:url('{address}') format('woff2')}}"
)
CHARACTERS = string.printable  # what a reader may type
# A page from a file may not ask beforehand.
PRELOAD = """<script>if (location.protocol !== "file:") for (const href of {}) document.head.append(Object.assign(
document.createElement("link"), {{ rel: "preload", as: "font", type: "font/woff2", crossOrigin: "", href }}));</script>"""


def fetch(app: Sphinx) -> None:
    """Fetch the faces; they come into the book when it is known what of them is shown."""
    app.book_faces = []  # type: ignore[attr-defined]
    if app.builder.format != "html":
        return
    try:
        app.book_faces = copy_fonts(Path(app.doctreedir, "faces"))  # type: ignore[attr-defined]
    except (ToolError, OSError) as error:
        sys.stderr.write(f"The book is built without its own faces: {error}.\n")


def face_rule(name: str, address: str) -> str:
    """Return the rule that lets a page use the face of a file. name: the file's."""
    family = next(family for part, family in FAMILIES.items() if re.search(rf"\b{part}\b", name))
    style, weight = "italic" if "italic" in name else "normal", "200 800" if "wght" in name else "400"
    return FACE.format(family=family, style=style, weight=weight, address=address)


def link(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: object) -> None:
    """Name the faces in the head of a page."""
    rules, addresses = [], []
    for name in app.book_faces:  # type: ignore[attr-defined]
        address = context["pathto"](f"{FOLDER}/{name}", resource=True)
        rules.append(face_rule(name, address))
        addresses.append(address)
    if rules:
        faces = PRELOAD.format(json.dumps(addresses)) + f"<style>{''.join(rules)}</style>"
        context["metatags"] = context.get("metatags", "") + faces


def put(app: Sphinx, error: Exception | None) -> None:
    """Put the faces into the book, without what no page shows, and their licences."""
    if error is not None or not app.book_faces:  # type: ignore[attr-defined]
        return
    paths = [path for kind in ("*.html", "*.js", "*.mjs") for path in Path(app.outdir).rglob(kind)]
    characters = set(CHARACTERS).union(*(unescape(path.read_text("utf-8", "replace")) for path in paths))
    folder = Path(app.outdir, FOLDER)
    folder.mkdir(parents=True, exist_ok=True)
    for path in Path(app.doctreedir, "faces").iterdir():
        if path.name in app.book_faces:  # type: ignore[attr-defined]
            shorten_font(path, folder, characters)
        else:
            copy(path, folder / path.name)


def register(app: Sphinx) -> None:
    """Add the faces to all pages."""
    app.connect("builder-inited", fetch)
    app.connect("html-page-context", link)
    app.connect("build-finished", put, priority=960)
