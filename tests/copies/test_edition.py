"""The text of a copy for one framework: what belongs to another is left out, and no mark stays."""

import pytest

from autograder import hint
from autograder.book.edition import text_for
from autograder.checking import hint as hints

TEXT = "Entries are [1 and 0 in MXNet]{.mxnet}[, and ]{.both}[`True` in PyTorch]{.torch}. [Both, [see](a.md).]{.both} End."
LIST = "- [an item `a[0]`]{.mxnet}\n- [another]{.torch}\n- both"
TABLE = "| what | MXNet | PyTorch |\n| --- | --- | --- |\n| an axis | `a \\| b` | `dim` |\n| [a row]{.mxnet} | x | |"


@pytest.mark.parametrize(
    ("framework", "text", "expected"),
    [
        ("torch", TEXT, "Entries are `True` in PyTorch. End."),
        ("mxnet", TEXT, "Entries are 1 and 0 in MXNet. End."),
        (None, TEXT, "Entries are 1 and 0 in MXNet, and `True` in PyTorch. Both, [see](a.md). End."),
        ("torch", LIST, "- another\n- both"),
        ("mxnet", LIST, "- an item `a[0]`\n- both"),
        (None, LIST, "- an item `a[0]`\n- another\n- both"),
        ("torch", TABLE, "| what | PyTorch |\n| --- | --- |\n| an axis | `dim` |"),
        ("mxnet", TABLE, "| what | MXNet |\n| --- | --- |\n| an axis | `a \\| b` |\n| a row | x |"),
        (None, TABLE, TABLE.replace("[a row]{.mxnet}", "a row")),
        ("torch", "One.\n\n[Two.]{.mxnet}\n\n[Two.]{.both}\n\nThree.", "One.\n\nThree."),
        ("torch", "[One.]{.mxnet}\n\nTwo:\n\n- [a]{.mxnet}\n- b\n\n[Three.]{.mxnet}", "Two:\n\n- b"),
        ("torch", "[One.]{.mxnet}\n\n[Two.]{.both}", ""),
        ("torch", "[Of MXNet.]{.mxnet} Of all ([x]{.mxnet}).", "Of all ()."),
        ("torch", "[`a`]{.torch}[ or ]{.both}[`b`]{.mxnet} keeps [x]{.torch} [y]{.mxnet}.", "`a` keeps x."),
        ("mxnet", "[`a`]{.torch}[ or ]{.both}[`b`]{.mxnet} keeps [x]{.torch} [y]{.mxnet}.", "`b` keeps y."),
        (None, "[Drag it.]{.page} It falls[ (*Play*)]{.page}.", "It falls."),
        (None, "| both | page |\n| --- | --- |\n| 1 | 2 |", "| both | page |\n| --- | --- |\n| 1 | 2 |"),
        ("torch", "Not a mark: [x]{.other}, [y](z).", "Not a mark: [x]{.other}, [y](z)."),
    ],
)
def test_what_belongs_to_another_framework_is_left_out(framework, text, expected):
    assert text_for(text, framework) == expected


@pytest.mark.parametrize(
    ("only", "expected"),
    [("torch", "`torch.bmm(…, …)`."), ("mxnet", "`nd.batch_dot(…, …)`."), (None, "`torch.bmm(…, …)` or `nd.batch_dot(…, …)`.")],
)  # fmt: skip
def test_a_hint_speaks_of_the_framework_that_is_installed(only, expected, monkeypatch):
    monkeypatch.setattr(hints, "only_installed_framework", lambda: only)
    monkeypatch.setattr(hints, "_num_hints", {"attention_pooling": 2})
    assert hint("attention_pooling").text.endswith(f"with the weights first: {expected}")
