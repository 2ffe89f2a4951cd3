"""The faces in which tests measure words: what a machine happens to have decides nothing.

A page that a test writes takes a sheet of this module, and each word is then as wide on every machine and with every
browser. The files stand in the sheet itself, so that a page needs no server for them.
"""

import base64
import os
from functools import cache
from itertools import starmap
from pathlib import Path
from tempfile import TemporaryDirectory

import matplotlib as mpl
import pytest
from page_assets import copy_fonts
from playwright.sync_api import Page
from side_by_side.faces import face_rule

from autograder.model.errors import ToolError
from autograder.model.paths import ROOT

# What a machine has is replaced by DejaVu: it stands on the desktops of Debian and Ubuntu, is wider than most faces, and
# comes with matplotlib.
TRUETYPE = Path(mpl.get_data_path(), "fonts", "ttf")
INSTEAD = {
    "system-ui": "DejaVu Sans",
    "sans-serif": "DejaVu Sans",
    "serif": "DejaVu Serif",
    "monospace": "DejaVu Sans Mono",
}
FONTCONFIG = """<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir>{folder}</dir><cachedir>{cache}</cachedir>
<selectfont><acceptfont><glob>*/DejaVu*</glob></acceptfont><rejectfont><glob>*</glob></rejectfont></selectfont>
{aliases}</fontconfig>
"""
ALIAS = "<alias><family>{0}</family><prefer><family>{1}</family></prefer></alias>\n"
LOADED = "() => Promise.all([...document.fonts].map((face) => face.load())).then(() => null)"


@cache
def book_faces() -> str:
    """Return the sheet that sets a page in the book's own faces; skip the test where npm cannot bring them."""
    with TemporaryDirectory() as folder:
        try:
            names = copy_fonts(Path(folder))
        except ToolError as error:
            if "not installed" in str(error) or "did not send" in str(error):
                pytest.skip(f"{error}: it brings the faces in which the words of a page are measured")
            raise
        rules = "".join(face_rule(name, data(Path(folder, name))) for name in names)
    used = (ROOT / "_static" / "type.css").read_text(encoding="utf-8")
    return f"{rules.replace('optional', 'block')}\n{used}\nbody{{font-family:var(--book-sans)}}"


def without_the_machines(folder: Path) -> dict[str, str]:
    """Return the environment in which a browser has the same faces on every machine. folder: for its files."""
    aliases = "".join(starmap(ALIAS.format, INSTEAD.items()))
    path = folder / "fonts.conf"
    path.write_text(FONTCONFIG.format(folder=TRUETYPE, cache=folder / "cache", aliases=aliases))
    return {**os.environ, "FONTCONFIG_FILE": str(path)}


def data(path: Path) -> str:
    """Return the address that holds a file itself."""
    return f"data:font/{path.suffix[1:]};base64,{base64.b64encode(path.read_bytes()).decode()}"


def load_faces(page: Page) -> None:
    """Wait until each face of the page is there: before that, words have another width."""
    page.evaluate(LOADED)
