"""The book's MyST Markdown as plain Markdown: each form by itself, then every notebook that `start` makes."""

import json
import re
from dataclasses import replace

import pytest

from autograder.book.contents import file_of, source
from autograder.book.markdown import DIRECTIVE, PARSER, Links, Location, labels_of, plain_markdown
from autograder.book.teachers_chapter import box
from autograder.copies.start import start
from autograder.model.catalogue import all_exercises

LINKS = Links(
    files={"pooling": "08_pooling.ipynb", "errata": "15_errata.ipynb"},
    titles={"pooling": "Attention pooling", "errata": "Errata"},
    labels={
        "erratum-1": Location("15_errata.ipynb", "erratum-1", "1 · A query"),
        "eq-sum": Location("08_pooling.ipynb", "", "(1)"),
        "eq-here": Location("15_errata.ipynb", "", "(2)"),
        "fig-hill": Location("08_pooling.ipynb", "", "Attention pooling"),
        "fig-here": Location("15_errata.ipynb", "", "Errata"),
    },
    here="15_errata.ipynb",
)


@pytest.mark.parametrize(
    ("myst", "expected"),
    [
        ("Nothing special, `{doc}` as code and $a_1$.", "Nothing special, `{doc}` as code and $a_1$."),
        ("```{exercise} A sum\n:label: ex-sum\nAdd $x$.\n```\n\nThen.", '<a id="ex-sum"></a>\n\n### Exercise: A sum\n\nAdd $x$.\n\nThen.'),
        ("```{warning}\nMind the $$\na\n$$\n```", "> **Warning**\n>\n> Mind the $$ a $$"),
        (":::{note} A title\nBe careful.\n:::", "> **Note: A title**\n>\n> Be careful."),
        (":::{admonition} My {doc}`pooling`\nText.\n:::", "> **My [Attention pooling](08_pooling.ipynb)**\n>\n> Text."),
        ("````{tip}\n```{note}\nInner.\n```\n````", "> **Tip**\n>\n> > **Note**\n> >\n> > Inner."),
        ("```{math}\n:label: total\na + b\n```", "$$\na + b\n\\tag{total}\n$$"),
        ("$$\na + b\n$$ (total)", "$$\na + b\n\\tag{total}\n$$"),
        ("\\begin{align}\na &= b\n\\end{align}", "$$\n\\begin{aligned}\na &= b\n\\end{aligned}\n$$"),
        ("```{code-block} python\nx = 1\n```", "```python\nx = 1\n```"),
        ("```{figure} a.svg\n:alt: A sum\nThe sum.\n```", "![A sum](a.svg)\n\n*The sum.*"),
        ("````{tab-set}\n```{tab-item} MXNet\nText.\n```\n````", "**MXNet**\n\nText."),
        ("```{dropdown} Hint\nText.\n```", "<details>\n<summary>Hint</summary>\n\nText.\n\n</details>"),
        ("See {doc}`pooling` and {doc}`the end <errata>`.", "See [Attention pooling](08_pooling.ipynb) and the end."),
        ("On {ref}`the hill <fig-hill>`, {ref}`here <fig-here>`.", "On [the hill](08_pooling.ipynb), here."),
        ("By {eq}`eq-sum`, {eq}`eq-here` and {ref}`this <erratum-1>`.", "By [(1)](08_pooling.ipynb), (2) and [this](#erratum-1)."),
        ("$$\na + b\n$$ (eq-here)", "$$\na + b\n\\tag{2}\n$$"),
        ("| a | b |\n| --- | --- |\n| {sub}`1` | X {sub}`2` |", "| a | b |\n| --- | --- |\n| <sub>1</sub> | X <sub>2</sub> |"),
        ("By {cite:t}`bahdanau2015` ({cite:alp}`jain2019`, table 1).", "By [Bahdanau et al. (2015)](https://arxiv.org/abs/1409.0473) ([Jain and Wallace, 2019](https://arxiv.org/abs/1902.10186), table 1)."),
        ("By {cite:author}`jaeger2001`, {cite:year}`jaeger2001`.", "By Jaeger, 2001."),
        ("Old {cite:p}`nadaraya1964,jaeger2001`.", "Old ([Nadaraya, 1964](https://doi.org/10.1137/1109020); Jaeger, 2001)."),
        ("{math}`a_1`, {sub}`2`, {cite}`graves2013`, {term}`keys <key>`", "$a_1$, <sub>2</sub>, ([Graves, 2013](https://arxiv.org/abs/1308.0850)), keys"),
        ("[one](erratum-1), [](pooling.ipynb), [web](https://a.org)", "[one](#erratum-1), [Attention pooling](08_pooling.ipynb), [web](https://a.org)"),
        ("(erratum-1)=\n### 1 · A query", '<a id="erratum-1"></a>\n\n### 1 · A query'),
        ("% a remark\n\nText.\n\n+++\n\nMore.", "Text.\n\n\nMore."),
        ("A word.[^a]\n\n[^a]: Its note.", "A word.<sup>a</sup>\n\n<sup>a</sup> Its note."),
        (r"No \[^a\], and no \[^b].", r"No \[^a\], and no \[^b]."),
        ("- a list\n\n  ```{note}\n  Inside.\n  ```", "- a list\n\n  > **Note**\n  >\n  > Inside."),
        ("| a |\n| --- |\n| [x](errata.ipynb) {math}`b` |", "| a |\n| --- |\n| [x](15_errata.ipynb) $b$ |"),
        ("```python\n{doc}`pooling`\n```", "```python\n{doc}`pooling`\n```"),
    ],
)  # fmt: skip
def test_each_form_becomes_plain(myst, expected):
    assert plain_markdown(myst, LINKS) == expected


def test_without_links_the_words_stay():
    assert (
        plain_markdown("See {doc}`pooling` and {ref}`this <erratum-1>`.", Links()) == "See pooling and this."
    )


def test_labels_are_found_with_the_words_that_name_their_place():
    text = "(one)=\n## A `head`\n\n```{exercise} Add\n:label: ex-add\nText.\n```\n\n$$a$$ (total)"
    assert labels_of(text, "f") == {
        "one": Location("f", "one", "A `head`"),
        "ex-add": Location("f", "ex-add", "Add"),
        "total": Location("f", "", "(1)"),
    }


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("copy_distribution", [
            "`copy_distribution(vocabulary, weights, tokens, generate, size)`",
            "",
            "| name | shape | rule |",
            "| --- | --- | --- |",
            "| `vocabulary` | `(batch, vocabulary_size)` | each row with the sum 1 |",
        ]),
        ("local_predictive", [
            "`LocalPredictive(d_q, units, D)(queries, scores, valid_length)`",
            "",
            "| name | shape | rule |",
            "| --- | --- | --- |",
            "| `d_q`, `units` | int |  |",
            "| `D` | int | the σ of the Gaussian is `D / 2` |",
        ]),
        ("pool_over_time", ["| returns `mean`, `maximum`, `last` | `(batch, features)` |  |"]),
        ("luong_concat", ["| learns `v_a.weight` | `(1, units)` | without a bias |"]),
        ("layer_norm", [
            "| name | shape |",
            "| --- | --- |",
            "| `X` | `(batch, num_steps, num_hiddens)` |",
            "| `gain`, `bias` | `(num_hiddens,)` |",
            "| returns `normalised` | `(batch, num_steps, num_hiddens)` |",
        ]),
        ("dot_product_attention", [
            "| keeps `attention_weights` | `(batch, num_queries, num_keys)` | as they are before dropout |",
        ]),
        ("encoder_block", ["| `norm1`, `norm2` |  | keep their names, $10^{-5}$ inside the root, and what they begin with: a weight of 1 and a bias of 0 |"]),
        ("after_permuting", [
            '| `moved` | one of `"keys and values"`, `"keys"`, `"values"`, `"queries"`, `"queries, keys and values"` |',
        ]),
    ],
)  # fmt: skip
def test_a_table_has_a_row_for_each_argument_array_and_result(name, expected):
    """Neighbours of one shape share it; a layer stands for the arrays in it; without rules there is no column of them."""
    text = plain_markdown(box(all_exercises()[name]), LINKS)
    assert "\n".join(expected) in text
    assert "ffn1.weight" not in text


def test_a_bar_in_a_condition_ends_no_cell_of_the_table():
    exercise = replace(all_exercises()["layer_norm"], conditions={"X": "with |x| at most 1"})
    row = next(line for line in box(exercise).splitlines() if line.startswith("| `X` |"))
    assert len(re.findall(r"(?<!\\)\|", row)) == 4


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("learn")
    start(path)
    return path


def markdown_of(folder):
    """(notebook, text) for each Markdown cell of all copies."""
    for path in sorted(folder.glob("*.ipynb")):
        for cell in json.loads(path.read_text())["cells"]:
            if cell["cell_type"] == "markdown":
                yield path.name, source(cell)


def test_each_exercise_of_the_copies_has_its_table(folder):
    texts = "\n".join(text for _, text in markdown_of(folder))
    for exercise in all_exercises().values():
        assert f"`{exercise.call}`\n\n| name | shape |" in texts, exercise.name
        result = exercise.returns[0]
        assert re.search(rf"^\| {result.verb} `{result.name}`", texts, re.M), exercise.name


# What only MyST understands, told from the text alone: not by the parser that took it out.
ROLE = re.compile(r"\{[a-z][\w:+-]*\}`")
LINES = (
    r"(`{3,}|~{3,}|:{3,})\s*\{.*",  # a directive
    r":{3,}\s*",  # its end
    r"\([\w-]+\)=",  # a target
    r":[\w-]+:.*",  # an option
    r"\+\+\+.*",  # a break between blocks
    r"%.*",  # a comment
    r"\[\^[\w-]+\]:.*",  # a footnote
    r"\$\$\s*\([\w-]+\)",  # a labelled formula
    r"\\begin\{(align|equation|gather|multline)\*?\}.*",  # one without dollars
    r": .*",  # a definition
)
RAW = re.compile(rf"^[ >]*(?:{'|'.join(LINES)})\s*$", re.MULTILINE)


def raw_in(text):
    """What is left of MyST in a text."""
    code = re.compile(r"^```\w*$.*?^```$", re.MULTILINE | re.DOTALL)
    text = code.sub("", text)
    return [m[0] for m in (*RAW.finditer(text), *ROLE.finditer(text))] + re.findall(r"\{\{.*?\}\}", text)


@pytest.mark.parametrize(
    "text", ["```{note}\nx\n```", "a {doc}`b`", "(x)=", "$$a\n$$ (b)", "[^1]: x", "> :::"]
)
def test_what_is_left_of_myst_is_noticed(text):
    assert raw_in(text)


def test_no_copy_holds_myst(folder):
    remnants = [(name, raw) for name, text in markdown_of(folder) for raw in raw_in(text)]
    assert remnants == []


def test_every_link_of_a_copy_leads_somewhere(folder):
    targets = {}
    for name, text in markdown_of(folder):
        targets.setdefault(name, {""}).update(re.findall(r'<a id="([\w-]+)"></a>', text))
    hrefs = set()
    for name, text in markdown_of(folder):
        assert not any(DIRECTIVE.match(t.info) for t in PARSER.parse(text)), text
        for token in PARSER.parse(text):
            for child in token.children or ():
                href = child.attrs.get("href", child.attrs.get("src", ""))
                if href and not href.startswith(("http:", "https:", "data:")):
                    file, _, fragment = href.partition("#")
                    if file.startswith("drawings/"):
                        assert (folder / file).is_file(), f"{name}: {href}"
                        continue
                    assert fragment in targets[file or name], f"{name}: {href}"
                    hrefs.add(href)
    assert file_of("errata") in hrefs and any(href.startswith("#") for href in hrefs)
