"""The figures that compute in a page: their scripts, and the still pictures that stand where no script runs.

A figure is `_static/figures/<name>.mjs`, which exports `figure`; its still, `<name>.svg` beside it, is what it draws
at first. What it imports lies beside it: the kit, and what it computes with.
`python _ext/live_figures.py` draws the stills anew, in Chromium.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from autograder.book.contents import FIGURES
from autograder.model.errors import ToolError
from course.data.prose import STORED

if TYPE_CHECKING:  # a book is built without it
    from playwright.sync_api import Page

CHROMIUM = "/usr/bin/chromium"
FIGURE = re.compile(r"^export const figure\b", re.MULTILINE)
# What is imported is there already where all stands in one script.
IMPORT = re.compile(r'^import \{[^}]*\} from "\./(\w+\.mjs)";\n', re.MULTILINE)
EXPORT = re.compile(r"^export ", re.MULTILINE)


def names() -> list[str]:
    """Return the names of all figures."""
    return sorted(
        path.stem for path in FIGURES.glob("*.mjs") if FIGURE.search(path.read_text(encoding="utf-8"))
    )


def parts(name: str) -> list[Path]:
    """Return the files of a figure's script: what it imports, then itself."""
    figure = FIGURES / f"{name}.mjs"
    return [*(FIGURES / part for part in IMPORT.findall(figure.read_text(encoding="utf-8"))), figure]


def script(name: str) -> str:
    """Return the figure and what it imports as one script, which a page that is opened as a file can run too.

    Raises ToolError where there is no figure of this name.
    """
    if name not in names():
        raise ToolError(f"There is no figure {name!r} in _static/figures. Use one of: {', '.join(names())}.")
    return "".join(IMPORT.sub("", EXPORT.sub("", path.read_text(encoding="utf-8"))) for path in parts(name))


def still(page: Page, name: str) -> str:
    """Return the figure as it begins, drawn by its own script in a browser."""
    open_empty(page)
    script_end = f"await figure.ready?.();\nwindow.drawn = still({name!r}, figure);"
    page.add_script_tag(type="module", content=f"{script(name)}\n{script_end}")
    page.wait_for_function("() => window.drawn")
    return str(page.evaluate("() => window.drawn"))


def open_empty(page: Page) -> None:
    """Open an empty page, from which the stored model can be loaded."""
    page.route("**/*", lambda route: route.fulfill(body="<!doctype html><title>A figure</title>"))
    page.route("**/prose_model.npz", lambda route: route.fulfill(path=STORED))
    page.goto("http://figure.invalid/")


def main() -> None:
    """Write all stills."""
    if not Path(CHROMIUM).exists():
        raise ToolError("Chromium is missing; install it with `apt install chromium`.")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        for name in names():
            (FIGURES / f"{name}.svg").write_text(still(browser.new_page(), name), encoding="utf-8")
            sys.stdout.write(f"{FIGURES.name}/{name}.svg\n")
        browser.close()


if __name__ == "__main__":
    main()
