"""What the tests of the pages share: a server, the book and its sample, and a reader in a browser."""

from __future__ import annotations

import functools
import io
import time
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler
from pathlib import Path
from typing import Any

import yaml
from playwright.sync_api import Page

from tests.book.sample_book import ROOT
from tests.support import PATIENCE
from tools.serve import serving

WIDE, NARROW = 1400, 420


def pages_of_toc() -> list[str]:
    """The address of every page that _toc.yml lists, without its suffix."""
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
    pages = [toc["root"]]

    def walk(node: object) -> None:
        if isinstance(node, dict):
            pages.extend([node["file"]] if "file" in node else [])
            walk(list(node.values()))
        elif isinstance(node, list):
            for child in node:
                walk(child)

    walk(toc)
    return pages


class QuietHandler(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        """Requests are checked in the browser, not read in a log."""


class WaitingHandler(QuietHandler):
    """Pages that wait for the book's faces, whose words are as wide at each visit.

    The book's own do not: on a busy machine a reader sees another face, of the machine's.
    """

    def copyfile(self, source: Any, outputfile: Any) -> None:
        """Send a file; a change keeps its length, which was told already."""
        if str(source.name).endswith(".html"):
            source = io.BytesIO(source.read().replace(b"font-display:optional", b"font-display:block   "))
        super().copyfile(source, outputfile)


def serve(folder: Path, handler: type[QuietHandler] = WaitingHandler) -> Iterator[str]:
    """Serve a folder on a free port; yields its address."""
    with serving(functools.partial(handler, directory=str(folder))) as address:
        yield address


def wait_until(page: Page, condition: str) -> None:
    """Wait for a condition in JavaScript. Playwright's own way evaluates text in the page, whose policy forbids it."""
    end = time.monotonic() + PATIENCE / 1000
    while not page.evaluate(condition):
        assert time.monotonic() < end, f"it never held: {condition}"
        page.wait_for_timeout(50)


def stale(page: str) -> bool:
    """Whether a page of the book is not built, or its source has changed since."""
    html = ROOT / "_build" / "html" / f"{page}.html"
    sources = (ROOT / page).parent.glob(f"{Path(page).name}.*")
    return not html.exists() or any(path.stat().st_mtime > html.stat().st_mtime for path in sources)
