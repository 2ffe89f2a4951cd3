"""A Content-Security-Policy in each page: what it may load and run, and that it connects to no other host.

The scripts and event attributes that stand in a page are named by their hashes, so that no other text becomes a
script. The workers of a page begin as a blob: such a worker has the page's policy, and one that is loaded by its
address has none.

A host may send a policy of its own, which often allows no styles in a page: all but those of its head go into a style
sheet of that page, so that drawings and maps keep their colours there.
"""

from __future__ import annotations

import base64
import hashlib
import re
from html import unescape
from html.parser import HTMLParser
from os.path import relpath
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
# Styles in a page, its own or those of one tag; scripts hold some as text.
STYLED = re.compile(
    r"<(script|head)\b.*?</\1>|<style>([^<]*)</style>|<[a-z](?:\"[^\"]*\"|[^\"<>])*>", re.DOTALL
)
STYLE = re.compile(r'\sstyle="([^"]*)"')
SHEET = '<link rel="stylesheet" href="{}?v={}"></head>'
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


def without_styles(page: str) -> tuple[str, str]:
    """Return a page whose body has no styles in it, and a style sheet that holds them. page: its HTML."""
    rules: list[str] = []
    looks: dict[str, str] = {}

    def move(match: re.Match[str]) -> str:
        text, part, sheet = match[0], match[1], match[2]
        if sheet:
            rules.append(sheet)
            return ""
        style = None if part else STYLE.search(text)
        if style is None:
            return text
        look = looks.setdefault(unescape(style[1]), f"look-{len(looks)}")
        text = text.replace(style[0], "")
        if ' class="' in text:
            return text.replace(' class="', f' class="{look} ', 1)
        return re.sub(r"^<[\w-]+", rf'\g<0> class="{look}"', text)

    moved = STYLED.sub(move, page)
    # As strong as the style of a tag.
    rules += [f".{look}:not(#_#_#_){{{style}}}" for style, look in looks.items()]
    return moved, "\n".join(rules)


def add_policy(app: Sphinx, error: Exception | None) -> None:
    """Write its policy into each page, once all of it stands there, and its styles into a file of its own."""
    if error is not None or app.builder.format != "html":
        return
    for path in Path(app.outdir).rglob("*.html"):
        page = path.read_text(encoding="utf-8")
        encoding = ENCODING.search(page)
        at = encoding.end() if encoding else 0
        if BEFORE.match(page, at):  # what an earlier build wrote has its policy
            continue
        page = page[:at] + ELEMENT.format(policy(page)) + page[at:]
        page, styles = without_styles(page)
        if styles:
            sheet = Path(app.outdir, "_static", "looks", path.relative_to(app.outdir)).with_suffix(".css")
            sheet.parent.mkdir(parents=True, exist_ok=True)
            sheet.write_text(styles, encoding="utf-8")
            link = SHEET.format(relpath(sheet, path.parent), hashlib.sha256(styles.encode()).hexdigest()[:8])
            page = page.replace("</head>", link, 1)
        path.write_text(page, encoding="utf-8")


def register(app: Sphinx) -> None:
    """Add the policies when all other extensions are done with the pages."""
    app.connect("build-finished", add_policy, priority=950)
