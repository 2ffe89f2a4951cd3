"""The built sample, the built book, and a reader's browser: the first two are built once for all processes of a run."""

import fcntl
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page

from tests.book.browsing import WIDE, QuietHandler, pages_of_toc, serve, stale
from tests.book.sample_book import ROOT, build, write_sample_book
from tests.support import PATIENCE


@pytest.fixture(scope="session")
def sample_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sample")
    write_sample_book(folder)
    build(folder)
    return folder


@pytest.fixture(scope="session")
def sample(sample_folder: Path) -> Iterator[str]:
    for address in serve(sample_folder / "_build" / "html"):
        yield f"{address}/chapters"


@pytest.fixture(scope="session")
def book_folder() -> Path:
    """The project's own book, as `make book` leaves it; built where it is missing or out of date, by the first that asks."""
    (ROOT / "_build").mkdir(exist_ok=True)
    with (ROOT / "_build" / "tests.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if any(stale(page) for page in pages_of_toc()):
            build(ROOT)
    return ROOT / "_build" / "html"


@pytest.fixture(scope="session")
def book(book_folder: Path) -> Iterator[str]:
    """The address of the book, for whatever is measured in it: its pages wait for their faces."""
    yield from serve(book_folder)


@pytest.fixture(scope="session")
def book_as_it_is(book_folder: Path) -> Iterator[str]:
    """The address of the book whose pages do not wait."""
    yield from serve(book_folder, QuietHandler)


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    """A reader who has chosen nothing yet, at a wide screen."""
    reader = browser.new_context(viewport={"width": WIDE, "height": 900})
    reader.set_default_timeout(PATIENCE)
    yield reader
    reader.close()


@pytest.fixture
def page(context: BrowserContext) -> Page:
    return context.new_page()
