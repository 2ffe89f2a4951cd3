"""What a page need not load: formulas are set and the theme's styles are shortened when the book is built."""

from types import SimpleNamespace

import pytest
from fontTools.ttLib import TTFont
from page_assets import shorten_font
from side_by_side.formulas import FONTS, mathjax, set_all  # _ext is in pytest's path
from side_by_side.styles import used_rules

HEAD = '<head><script>window.MathJax = {"tex": {}}</script><script defer src="_static/mathjax/startup.js"></script></head>'
LINE = '<span class="math notranslate nohighlight">\\(a &lt; \\softmax b\\)</span>'
DISPLAY = '<div class="math notranslate nohighlight">\n<span class="eqno">(1)</span>\\[\\frac{c}{d}\\]</div>'
CODE = "<code>\\(not a formula\\)</code>"


@pytest.fixture
def built(tmp_path):
    """A book of two pages as Sphinx leaves it."""
    (tmp_path / "formulas.html").write_text(f"{HEAD}{LINE}{CODE}{DISPLAY}")
    (tmp_path / "text.html").write_text(f"{HEAD}{CODE}")
    config = SimpleNamespace(
        mathjax3_config={
            "loader": {"load": ["input/tex", "output/chtml", "a11y/assistive-mml"]},
            "tex": {"macros": {"softmax": "\\operatorname{softmax}"}},
        }
    )
    return SimpleNamespace(outdir=tmp_path, builder=SimpleNamespace(format="html"), config=config)


def text_of(built, name):
    return (built.outdir / f"{name}.html").read_text()


def test_formulas_are_set_and_no_page_loads_mathjax(built):
    set_all(built, None)
    page = text_of(built, "formulas")
    assert page.count("<mjx-container") == page.count("<math ") == 2
    assert "<mi>softmax</mi>" in page and "&lt;" in page and "<mfrac>" in page and CODE in page
    assert "<script" not in page and 'href="_static/mathjax/formulas.css"' in page
    assert text_of(built, "text") == f"<head></head>{CODE}"
    mathjax = built.outdir / "_static" / "mathjax"
    assert sorted(path.name for path in mathjax.iterdir()) == ["formulas.css", "output"]
    before = (mathjax / "formulas.css").read_text()
    assert TTFont(mathjax / FONTS / "MathJax_Zero.woff").getBestCmap(), (
        "a browser refuses a font without signs"
    )
    (built.outdir / "later.html").write_text(f"{HEAD}{LINE.replace('b', 'z')}")
    set_all(built, None)
    assert text_of(built, "formulas") == page
    rules = [set(style.split("\n\n")) for style in (before, (mathjax / "formulas.css").read_text())]
    assert rules[0] < rules[1]


def test_without_node_a_page_sets_its_formulas_itself(built, monkeypatch, capsys):
    monkeypatch.setenv("PATH", "")
    set_all(built, None)
    assert text_of(built, "formulas") == f"{HEAD}{LINE}{CODE}{DISPLAY}"
    assert text_of(built, "text") == f"<head></head>{CODE}"
    scripts = (built.outdir / "_static" / "mathjax").glob("*.js")
    assert sorted(path.name for path in scripts) == ["core.js", "startup.js"]
    assert capsys.readouterr().err == "Pages set their formulas themselves: node is not installed.\n"


def test_a_font_loses_what_the_book_does_not_show(tmp_path, monkeypatch):
    monkeypatch.setenv("ATTENTION_DATA", str(tmp_path / "cache"))
    font = tmp_path / "MathJax_Main-Regular.woff"
    for text in ("!a", "!az", "!az"):
        shorten_font(mathjax() / FONTS / font.name, tmp_path, [*text, "語"])
        assert set(map(chr, TTFont(font).getBestCmap())) == set(text) and TTFont(font).flavor == "woff"
    assert len(list((tmp_path / "cache" / "in_page").iterdir())) == 2


@pytest.mark.parametrize(
    ("sheet", "shorter"),
    [
        (".a{x:1}.b{y:2}", ".a{x:1}"),
        (".b,.a:not(.b) p,#b{x:1}", ".a:not(.b) p{x:1}"),
        ("@media print{.a .b{x:1}p{y:2}}", "@media print{p{y:2}}"),
        ("/* .a */@font-face{font-family:Awesome}:is(.a,.b){x:1}", ":is(.a,.b){x:1}"),
        (r".w\:1{x:1}@keyframes k{0%{x:1}to{x:2}}", r".w\:1{x:1}@keyframes k{0%{x:1}to{x:2}}"),
    ],
)
def test_rules_for_what_no_page_has_are_left_out(sheet, shorter):
    assert used_rules(sheet, {"a", "w:1"}) == shorter
