"""The book with the newest Sphinx and without Jupyter Book."""

import pytest

from autograder.model.paths import ROOT
from tools import newest_sphinx
from tools.newest_sphinx import differences

PAGE = '<nav>the theme</nav><article><p class="{0}">a <b>weight</b> {1}</p></article>'


def write_book(folder, kind="math", text="of one", names=("masked_softmax", "pooling")):
    """A built book of pages that are the same."""
    (folder / "chapters").mkdir(parents=True)
    for name in names:
        (folder / "chapters" / f"{name}.html").write_text(PAGE.format(kind, text))
    return folder


@pytest.mark.parametrize(
    ("newest", "line"),
    [
        ({"text": "of \n one"}, None),
        ({"kind": "text"}, "chapters/pooling.html: 1 .math have become 0, 0 .text have become 1"),
        ({"text": "of two"}, "chapters/pooling.html: 'one' has become 'two'"),
        ({"text": "of one key"}, "chapters/pooling.html: '' has become 'key'"),
        ({"names": []}, "chapters/pooling.html: Jupyter Book alone builds it"),
    ],
)
def test_a_page_that_differs_is_named_with_its_first_difference(tmp_path, newest, line):
    usual = write_book(tmp_path / "usual", names=["pooling"])
    lines = differences(usual, write_book(tmp_path / "newest", **{"names": ["pooling"]} | newest))
    assert lines == [line] * (line is not None)


def test_every_page_is_compared(tmp_path):
    books = write_book(tmp_path / "usual"), write_book(tmp_path / "newest", text="of two")
    assert [line.partition(":")[0] for line in differences(*books)] == [
        "chapters/masked_softmax.html",
        "chapters/pooling.html",
    ]


def test_the_book_is_the_same_with_the_newest_sphinx_and_without_jupyter_book(request):
    python = request.config.getoption("--newest-sphinx")
    if python is None:
        pytest.skip("it downloads the newest Sphinx: --newest-sphinx 3.13 asks for it")
    newest_sphinx.main(["--python", python])
    page = (ROOT / "_build" / "newest" / "html" / "chapters" / "masked_softmax.html").read_text()
    for part in ('class="math', "<figure", "<svg", "ex-masked_softmax", "framework-mxnet", "framework-torch"):
        assert part in page, part
