"""The book over http: smaller where the browser takes it, the same bytes once it is read."""

import functools
import gzip
import threading
from http.client import HTTPConnection
from http.server import ThreadingHTTPServer

import pytest

from tools.serve import Compressing

PAGE = "<p>attention</p>" * 500


@pytest.fixture
def ask(tmp_path):
    """A function that asks for a path, with headers; gives status, headers and body."""
    (tmp_path / "index.html").write_text(PAGE)
    (tmp_path / "numpy.zip").write_bytes(bytes(2000))

    class Quiet(Compressing):
        def log_message(self, format, *arguments):
            """Nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(tmp_path))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()

        def asked(path, **headers):
            connection = HTTPConnection("127.0.0.1", server.server_port)
            connection.request("GET", path, headers={k.replace("_", "-"): v for k, v in headers.items()})
            answer = connection.getresponse()
            return answer.status, dict(answer.getheaders()), answer.read()

        yield asked
        server.shutdown()


@pytest.mark.parametrize("path", ["/", "/index.html", "/index.html?page=1"])
def test_a_page_is_sent_compressed_and_is_the_same(ask, path):
    status, headers, body = ask(path, Accept_Encoding="gzip, deflate")
    assert (status, headers["Content-Encoding"], headers["Content-Type"]) == (200, "gzip", "text/html")
    assert len(body) == int(headers["Content-Length"]) < len(PAGE) / 10
    assert gzip.decompress(body).decode() == PAGE


def test_who_takes_no_gzip_gets_none_and_an_archive_is_sent_as_it_is(ask):
    assert ask("/index.html")[2].decode() == PAGE
    status, headers, body = ask("/numpy.zip", Accept_Encoding="gzip")
    assert status == 200 and "Content-Encoding" not in headers and body == bytes(2000)


def test_what_the_browser_has_is_not_sent_again_and_a_missing_file_is_told(ask):
    headers = ask("/index.html", Accept_Encoding="gzip")[1]
    again = ask("/index.html", Accept_Encoding="gzip", If_Modified_Since=headers["Last-Modified"])
    assert (again[0], again[2]) == (304, b"")
    assert ask("/nothing.html", Accept_Encoding="gzip")[0] == 404
    assert ask("/../../etc/passwd", Accept_Encoding="gzip")[0] == 404
