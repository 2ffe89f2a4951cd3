"""Serve the built book over http, compressed: `python -m tools.serve`, as `make serve` does.

From a file a browser loads no WebAssembly, so the checks in the pages need a server.
"""

import functools
import gzip
import io
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http import HTTPStatus
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, BinaryIO

from autograder.model.errors import ToolError
from autograder.model.paths import BOOK

BUILT = BOOK / "_build" / "html"
PORT = 8000
SMALLER = (".html", ".css", ".js", ".mjs", ".json", ".svg", ".wasm", ".txt")


@functools.cache
def compressed(path: Path, changed: float) -> bytes:
    """Return a file's content as gzip. changed: when it was written, so that a new one is read again."""
    return gzip.compress(path.read_bytes(), compresslevel=6, mtime=int(changed))


class Compressing(SimpleHTTPRequestHandler):
    """Files of a folder; those that become smaller are sent compressed where the browser takes it."""

    extensions_map = SimpleHTTPRequestHandler.extensions_map | {
        ".mjs": "text/javascript",
        ".wasm": "application/wasm",
    }

    def send_head(self) -> BinaryIO | io.BytesIO | None:
        """Return the headers, and what follows them."""
        path = Path(self.translate_path(self.path))
        path = path / "index.html" if path.is_dir() and self.path.endswith("/") else path
        takes = "gzip" in self.headers.get("Accept-Encoding", "")
        if (
            not takes
            or path.suffix not in SMALLER
            or not path.is_file()
            or self.headers.get("If-Modified-Since")
        ):
            return super().send_head()
        changed = path.stat().st_mtime
        content = compressed(path, changed)
        self.send_response(HTTPStatus.OK)
        for name, value in (
            ("Content-Type", self.guess_type(str(path))),
            ("Content-Encoding", "gzip"),
            ("Content-Length", str(len(content))),
            ("Last-Modified", self.date_time_string(int(changed))),
            ("Vary", "Accept-Encoding"),
        ):
            self.send_header(name, value)
        self.end_headers()
        return io.BytesIO(content)

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Send the book's own page for an address that it does not have."""
        page = Path(self.directory, "404.html")
        if code == HTTPStatus.NOT_FOUND and page.is_file():
            self.error_message_format = page.read_text(encoding="utf-8").replace("%", "%%")
        super().send_error(code, message, explain)


class Server(ThreadingHTTPServer):
    """A server for this machine, to which a browser that leaves early is no error."""

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Print what went wrong, unless it is that the other side is gone."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


@contextmanager
def serving(handler: Callable[..., Any]) -> Iterator[str]:
    """Serve on a free port in the background, for tests and benchmarks; yields the address."""
    with Server(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()


def main() -> None:
    if not (BUILT / "index.html").is_file():
        raise ToolError("The book is not built; build it with `make book`.")
    handler = functools.partial(Compressing, directory=str(BUILT))
    try:
        server = Server(("127.0.0.1", PORT), handler)
    except OSError as error:
        raise ToolError(f"Port {PORT} cannot be used: {error.strerror}.") from None
    with server:
        sys.stdout.write(f"The book is at http://localhost:{PORT}; Ctrl+C ends it.\n")
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            sys.stdout.write("\n")


if __name__ == "__main__":
    try:
        main()
    except ToolError as error:
        raise SystemExit(str(error)) from None
