"""The book over http: smaller where the browser takes it, the same bytes once it is read."""

import functools
import gzip
from contextlib import closing, suppress
from http.client import BadStatusLine, HTTPConnection
from http.server import BaseHTTPRequestHandler
from urllib.parse import urlsplit

import pytest

from tools.serve import Compressing, serving

PAGE = "<p>attention</p>" * 500


@pytest.fixture
def ask(tmp_path):
    """A function that asks for a path, with headers; gives status, headers and body."""
    (tmp_path / "index.html").write_text(PAGE)
    (tmp_path / "numpy.zip").write_bytes(bytes(2000))

    class Quiet(Compressing):
        def log_message(self, format, *arguments):
            """Nothing."""

    with serving(functools.partial(Quiet, directory=str(tmp_path))) as address:

        def response_of(path, **headers):
            connection = HTTPConnection(urlsplit(address).netloc)
            connection.request("GET", path, headers={k.replace("_", "-"): v for k, v in headers.items()})
            answer = connection.getresponse()
            return answer.status, dict(answer.getheaders()), answer.read()

        yield response_of


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


def test_what_the_browser_has_is_not_sent_again_and_a_missing_file_is_told(ask, tmp_path):
    headers = ask("/index.html", Accept_Encoding="gzip")[1]
    again = ask("/index.html", Accept_Encoding="gzip", If_Modified_Since=headers["Last-Modified"])
    assert (again[0], again[2]) == (304, b"")
    assert ask("/nothing.html", Accept_Encoding="gzip")[0] == 404
    (tmp_path / "404.html").write_text("<p style='width: 100%'>No page here</p>")
    status, _, body = ask("/a/folder/nothing.html")
    assert status == 404 and body == b"<p style='width: 100%'>No page here</p>"
    assert ask("/../../etc/passwd", Accept_Encoding="gzip")[0] == 404


def test_a_browser_that_leaves_early_is_no_error_and_any_other_one_is_told(capfd):
    class Leaving(BaseHTTPRequestHandler):
        def do_GET(self):
            raise {"/left": BrokenPipeError, "/gone": ConnectionResetError, "/wrong": ZeroDivisionError}[
                self.path
            ]

    with serving(Leaving) as address:
        for path in ("/left", "/gone"):
            leave(address, path)
        assert capfd.readouterr().err == ""
        leave(address, "/wrong")
    assert "ZeroDivisionError" in capfd.readouterr().err


def leave(address, path):
    """Ask for a path of a server that answers nothing, and wait until it hangs up."""
    with (
        suppress(ConnectionError, BadStatusLine),
        closing(HTTPConnection(urlsplit(address).netloc)) as connection,
    ):
        connection.request("GET", path)
        connection.getresponse()
