"""How heavy a page is, and how soon it can be read: `python -m benchmarks.pages`.

Chromium opens each page of the built book with an empty cache, on a line of 1.6 Mbit/s and 150 ms, from a
server that compresses text, as web hosts do; `--plain` leaves the compression out, as `make serve` does.
Columns: what arrives, the first text, the theme's ground colour and the frames of cells at that moment, and
the layout shift (Chromium's measure; below 0.05 a reader does not notice).
"""

import argparse
import functools
import gzip
import sys
from http.server import SimpleHTTPRequestHandler
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, sync_playwright

from autograder.model.paths import ROOT
from tools.serve import serving

CHROMIUM = "/usr/bin/chromium"
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]
TEXT = (".html", ".css", ".js", ".svg")
BYTES_A_SECOND, LATENCY_MS = 1_600_000 // 8, 150
WIDE = {"width": 1400, "height": 900}
SETTLED_MS = 3000
OBSERVE = """
window.found = { shift: 0, paint: null, styled: null };
new PerformanceObserver((list) => list.getEntries().forEach((entry) => {
  if (!entry.hadRecentInput) found.shift += entry.value;
})).observe({ type: "layout-shift", buffered: true });
new PerformanceObserver((list) => list.getEntriesByName("first-contentful-paint").forEach((entry) => {
  found.paint = entry.startTime;
  const cell = document.querySelector("div.cell");
  const framed = !cell || getComputedStyle(cell).borderTopColor !== getComputedStyle(cell).color;
  found.styled = ["light", "dark"].includes(document.documentElement.dataset.theme) && framed;
})).observe({ type: "paint", buffered: true });
"""


class Handler(SimpleHTTPRequestHandler):
    """Serves a folder, with text compressed where the reader takes it and `compress` is set."""

    def __init__(self, *args: Any, compress: bool, **kwargs: Any) -> None:
        self.compress = compress
        super().__init__(*args, **kwargs)

    def do_GET(self) -> None:
        path = Path(self.translate_path(self.path))
        if not self.compress or path.suffix not in TEXT or not path.is_file():
            super().do_GET()
            return
        body = gzip.compress(path.read_bytes(), 6)
        self.send_response(200)
        self.send_header("Content-Type", self.guess_type(str(path)))
        self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """The table says what was loaded."""


def measured(browser: Browser, address: str) -> dict[str, Any]:
    """Kilobytes, milliseconds to the first text, whether it had its theme, and the layout shift of one visit."""
    context = browser.new_context(viewport=WIDE, color_scheme="dark")  # type: ignore[arg-type]
    page = context.new_page()
    page.add_init_script(OBSERVE)
    line = context.new_cdp_session(page)
    arrived: list[float] = []
    line.on("Network.loadingFinished", lambda event: arrived.append(event["encodedDataLength"]))
    line.send("Network.enable")
    limits = {"latency": LATENCY_MS, "downloadThroughput": BYTES_A_SECOND, "uploadThroughput": BYTES_A_SECOND}
    line.send("Network.emulateNetworkConditions", {"offline": False, **limits})
    page.goto(address, timeout=120_000)
    page.wait_for_timeout(SETTLED_MS)
    found: dict[str, Any] = page.evaluate("window.found")
    context.close()
    return {"kilobytes": sum(arrived) / 1000, **found}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("pages", nargs="*", help="names of chapters; all if none are given")
    parser.add_argument("--html", type=Path, default=ROOT / "_build" / "html", help="the built book")
    parser.add_argument("--plain", action="store_true", help="do not compress text")
    options = parser.parse_args()
    names = options.pages or [path.stem for path in sorted((options.html / "chapters").glob("*.html"))]
    if not names:
        raise SystemExit(
            f"{options.html} holds no pages: run `make book`, or name the book's folder with --html."
        )
    handler = functools.partial(Handler, directory=str(options.html), compress=not options.plain)
    with serving(handler) as server, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        sys.stdout.write(f"{'page':16} {'kB':>6} {'text, s':>8} {'themed':>7} {'shift':>6}\n")
        for name in names:
            got = measured(browser, f"{server}/chapters/{name}.html")
            themed = "yes" if got["styled"] else "no"
            sys.stdout.write(
                f"{name:16} {got['kilobytes']:6.0f} {got['paint'] / 1000:8.2f} {themed:>7} {got['shift']:6.3f}\n"
            )
            sys.stdout.flush()
        browser.close()


if __name__ == "__main__":
    main()
