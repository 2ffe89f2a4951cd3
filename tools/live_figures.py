"""The figures that compute in a page: their scripts, and the still pictures that stand where no script runs.

A figure is `_static/figures/<name>.mjs`; its still, `<name>.svg` beside it, is what it draws at first.
`python -m tools.live_figures` draws the stills anew, in Chromium.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from course.paths import BOOK
from tools.errors import ToolError

if TYPE_CHECKING:  # a book is built without it
    from playwright.sync_api import Page

FOLDER = BOOK / "_static" / "figures"
KIT = "kit.mjs"
CHROMIUM = "/usr/bin/chromium"
# The kit's names are there already where both stand in one script.
IMPORT = re.compile(r'^import \{[^}]*\} from "\./kit\.mjs";\n', re.MULTILINE)
EXPORT = re.compile(r"^export ", re.MULTILINE)


def names() -> list[str]:
    """The names of all figures."""
    return sorted(path.stem for path in FOLDER.glob("*.mjs") if path.name != KIT)


def script(name: str) -> str:
    """The figure and the kit as one script, which a page that is opened as a file can run too.

    Raises ToolError where there is no figure of this name.
    """
    if name not in names():
        raise ToolError(f"There is no figure {name!r} in _static/figures. Use one of: {', '.join(names())}.")
    kit, figure = ((FOLDER / file).read_text(encoding="utf-8") for file in (KIT, f"{name}.mjs"))
    return EXPORT.sub("", kit) + IMPORT.sub("", EXPORT.sub("", figure))


def still(page: Page, name: str) -> str:
    """The figure as it begins, drawn by its own script in a browser."""
    page.set_content("<!doctype html><title>A figure</title>")
    page.add_script_tag(type="module", content=f"{script(name)}\nwindow.drawn = still({name!r}, figure);")
    page.wait_for_function("() => window.drawn")
    return str(page.evaluate("() => window.drawn"))


def main() -> None:
    """Write all stills."""
    if not Path(CHROMIUM).exists():
        raise ToolError("Chromium is missing; install it with `apt install chromium`.")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        for name in names():
            (FOLDER / f"{name}.svg").write_text(still(browser.new_page(), name), encoding="utf-8")
            sys.stdout.write(f"{FOLDER.name}/{name}.svg\n")
        browser.close()


if __name__ == "__main__":
    main()
