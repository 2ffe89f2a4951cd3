"""Set the formulas of all pages when the book is built: MathJax weighs as much as a long chapter, and lines would move.

Where node is missing, a page loads MathJax and sets them itself.
"""

from __future__ import annotations

import importlib.util
import json
import re
import sys
import tempfile
from collections.abc import Mapping, Sequence
from html import unescape
from os.path import relpath
from pathlib import Path
from typing import Any

from page_assets import run_node, shorten_font, write
from sphinx.application import Sphinx
from sphinx.util.fileutil import copy_asset

from autograder.model.errors import ToolError

SET = Path(__file__).parents[1] / "set_formulas.mjs"
# In a line, and on one of its own, which may begin with its number.
FORMULA = re.compile(
    r'(?<= notranslate nohighlight">)\\\((.*?)\\\)(?=</span>)|(?<=[>\n])\\\[(.*?)\\\](?=</div>)', re.DOTALL
)
SCRIPTS = re.compile(r"<script[^>]*(?:>window\.MathJax = [^<]*|mathjax/startup\.js[^>]*>)</script>")
ESCAPED = re.compile(r"\\([0-9A-F]+)")  # a sign by its number
FOLDER, SHEET = "_static/mathjax", "formulas.css"
# MathJax in other forms: it loads its parts by itself (`loader` in `_config.yml`).
BUNDLE = re.compile(r"(?!startup|core)[^/]*\.js")
FONTS = "output/chtml/fonts/woff-v2"
EMPTY = "\ueffc"  # the one sign of MathJax_Zero, which each formula asks for first: a font without any does not load


def mathjax() -> Path:
    """Return the folder of MathJax, in a package that as an extension would copy it whole at each build."""
    package = importlib.util.find_spec("sphinx-mathjax-offline")
    assert package is not None and package.origin is not None
    return Path(package.origin).parent / "static" / "mathjax"


def set_formulas(formulas: Sequence[tuple[str, str]], config: dict[str, Any]) -> tuple[list[str], str]:
    """Return formulas as HTML, and the style of all. config: MathJax's. Raises ToolError where node is missing."""
    with tempfile.TemporaryDirectory() as scratch:
        job = Path(scratch, "job.json")
        texts = [[unescape(text) for text in formula] for formula in formulas]
        job.write_text(json.dumps({"formulas": texts, "config": config}), encoding="utf-8")
        run_node("formulas", SET, mathjax(), job)
        result = json.loads(job.read_text(encoding="utf-8"))
    return result["html"], result["style"]


def style_formulas(folder: Path, style: str) -> None:
    """Write the style of all formulas, those of pages that are not written anew too, and MathJax's fonts."""
    (folder / FONTS).mkdir(parents=True, exist_ok=True)
    sheet = folder / SHEET
    old = sheet.read_text(encoding="utf-8") if sheet.exists() else ""
    rules = "\n\n".join(dict.fromkeys(f"{style}\n\n{old}".split("\n\n")))
    write(sheet, rules.encode())
    for font in (mathjax() / FONTS).glob("*.woff"):
        shorten_font(font, folder / FONTS, EMPTY + ESCAPED.sub(lambda code: chr(int(code[1], 16)), rules))


def set_all(app: Sphinx, error: Exception | None) -> None:
    """Set the formulas of the pages that were written, and take MathJax from pages that have nothing left to set."""
    if error is not None or app.builder.format != "html":
        return
    texts = {path: path.read_text(encoding="utf-8") for path in Path(app.outdir).rglob("*.html")}
    pages = {path: page for path, page in texts.items() if "window.MathJax" in page}
    formulas = list(dict.fromkeys(pair for page in pages.values() for pair in FORMULA.findall(page)))
    looks = _looks(formulas, Path(app.outdir, FOLDER), app.config.mathjax3_config) if formulas else {}
    for path, page in pages.items():
        write(
            path, _with_formulas(page, looks, relpath(Path(app.outdir, FOLDER, SHEET), path.parent)).encode()
        )


def _looks(
    formulas: Sequence[tuple[str, str]], folder: Path, config: dict[str, Any]
) -> dict[tuple[str, ...], str]:
    """Return each formula's HTML, and write its style; where node is missing none, and write MathJax instead."""
    try:
        html, style = set_formulas(formulas, config | {"chtml": {"fontURL": FONTS}})
    except ToolError as problem:
        sys.stderr.write(f"Pages set their formulas themselves: {problem}.\n")
        copy_asset(mathjax(), folder, excluded=lambda name: bool(BUNDLE.fullmatch(name)))
        return {}
    style_formulas(folder, style)
    return dict(zip(formulas, html, strict=True))


def _with_formulas(page: str, looks: Mapping[tuple[str, ...], str], sheet: str) -> str:
    """Return a page with its formulas set, and without MathJax if none is left."""
    changed = FORMULA.sub(lambda match: looks.get(match.groups(""), match[0]), page)
    if changed != page:
        changed = changed.replace("</head>", f'<link rel="stylesheet" href="{sheet}"></head>', 1)
    return changed if FORMULA.search(changed) else SCRIPTS.sub("", changed)


def register(app: Sphinx) -> None:
    """Set them before the policies name what a page holds."""
    app.connect("build-finished", set_all, priority=945)
