"""A Content-Security-Policy in each page: what it may load and run, and that it connects to no other host.

The scripts and event attributes that stand in a page are named by their hashes, so that no other text becomes a
script. The workers of a page begin as a blob: such a worker has the page's policy, and one that is loaded by its
address has none.
"""

from __future__ import annotations

import base64
import hashlib
import re
from html.parser import HTMLParser
from pathlib import Path

from sphinx.application import Sphinx

ELEMENT = '<meta http-equiv="Content-Security-Policy" content="{}">'
BEFORE = re.compile(ELEMENT.format('[^"]*'))
# The encoding must stand among the first 1024 bytes of a page, so the policy comes behind it.
ENCODING = re.compile(r'<meta charset="utf-8"\s*/?>', re.IGNORECASE)
# Some browsers match no file with 'self'; a page that came over http loads no file: address in any.
SAME_ORIGIN = "'self' file:"
SCRIPTS = ("", "module", "text/javascript")
# Of a page of thousands of elements few run something, and HTMLParser takes its time.
PARTS = re.compile(
    r"""<script\b.*?</script>|<[a-z](?:"[^"]*"|'[^']*'|[^"'<>])*>""", re.DOTALL | re.IGNORECASE
)
RUNS = re.compile(r"<script|.*\son\w+\s*=", re.DOTALL | re.IGNORECASE)


class _Inline(HTMLParser):
    """The scripts of a page that have no address, and its event attributes."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: set[str] = set()
        self.script: list[str] | None = None  # the parts of the one at hand

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep event attributes; begin a script."""
        attributes = {name: value or "" for name, value in attrs}
        self.texts |= {value for name, value in attributes.items() if name.startswith("on")}
        if tag == "script" and "src" not in attributes and attributes.get("type", "") in SCRIPTS:
            self.script = []

    def handle_endtag(self, tag: str) -> None:
        """Keep the script that ends: it holds no other elements."""
        if self.script is not None:
            self.texts.add("".join(self.script))
        self.script = None

    def handle_data(self, data: str) -> None:
        """Add a part of the script's text."""
        if self.script is not None:
            self.script.append(data)


def policy(page: str) -> str:
    """Return the policy of a page, as strict as what it holds allows. page: its HTML."""
    inline = _Inline()
    inline.feed("".join(filter(RUNS.match, PARTS.findall(page))))
    inline.close()
    hashes = sorted(
        base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in inline.texts
    )
    scripts = " ".join([f"script-src {SAME_ORIGIN} 'unsafe-hashes'", *(f"'sha256-{one}'" for one in hashes)])
    has_worker = '<div class="in-page' in page  # Python, in WebAssembly
    return "; ".join(
        [
            "default-src 'none'",
            f"{scripts} 'wasm-unsafe-eval'" if has_worker else scripts,
            f"style-src {SAME_ORIGIN} 'unsafe-inline'",
            f"img-src {SAME_ORIGIN} data:",
            f"font-src {SAME_ORIGIN}",
            "connect-src 'self'",
            "worker-src blob:" if has_worker else "worker-src 'none'",
            "base-uri 'none'",
            f"form-action {SAME_ORIGIN}",
        ]
    )


def add_policy(app: Sphinx, error: Exception | None) -> None:
    """Write its policy into each page, once all of it stands there."""
    if error is not None or app.builder.format != "html":
        return
    for path in Path(app.outdir).rglob("*.html"):
        page = path.read_text(encoding="utf-8")
        encoding = ENCODING.search(page)
        at = encoding.end() if encoding else 0
        if not BEFORE.match(page, at):  # what an earlier build wrote has its policy
            path.write_text(page[:at] + ELEMENT.format(policy(page)) + page[at:], encoding="utf-8")


def register(app: Sphinx) -> None:
    """Add the policies when all other extensions are done with the pages."""
    app.connect("build-finished", add_policy, priority=950)
