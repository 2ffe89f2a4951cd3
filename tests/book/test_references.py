"""Citations, equations and terms: each leads somewhere, and nothing is named without a link."""

import doctest
import json
import re

import numpy as np
import pytest
import torch
from citations import FirstAuthorAndYear  # _ext is in pytest's path
from pybtex.richtext import Text

from autograder.book.bibliography import address_of, authors_of, cited, works
from autograder.model.paths import ROOT
from tools.sync import BOX

FOLDER = ROOT / "chapters"
CHAPTERS = sorted(FOLDER.glob("*.ipynb"))
PAGES = sorted(FOLDER.glob("*.md"))
PREREQUISITES = FOLDER / "prerequisites.ipynb"
each_chapter = pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda path: path.stem)
CITED = re.compile(r"\{(cite[:\w]*)\}`([^`]+)`")
TERM = re.compile(r"\{term\}`(?:[^`<]*<)?([^`<>]+)>?`")
NUMBERED = re.compile(r"\$\$ \(([\w-]+)\)")
REFERRED = re.compile(r"\{eq\}`([\w-]+)`")
# A year behind a name, and a number on arXiv: how a paper is named where it is not cited.
CITATION = re.compile(r"[A-Z]\w+(?: et al\.|(?:, [A-Z]\w+)* and [A-Z]\w+),? \(?(?:19|20)\d\d|arXiv:\d")
ROLE = re.compile(r"\{[\w:]+\}`[^`]*`")


def cells(path):
    """The Markdown of a page, cell by cell, without the boxes of the exercises."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".md":
        return [text]
    notebook_cells = json.loads(text)["cells"]
    return [
        BOX.sub("", "".join(cell["source"])) for cell in notebook_cells if cell["cell_type"] == "markdown"
    ]


def prose(path):
    return "\n\n".join(cells(path))


def keys_in(text):
    return {key.strip() for _, keys in CITED.findall(text) for key in keys.split(",")}


def test_every_citation_is_of_a_known_work_and_every_work_is_cited():
    assert set().union(*(keys_in(prose(path)) for path in [*CHAPTERS, *PAGES])) == set(works().entries)


@each_chapter
def test_no_chapter_names_a_paper_without_citing_it(chapter):
    text = prose(chapter)
    assert CITATION.findall(ROLE.sub("", text)) == []
    authors = {authors_of(works().entries[key]) for key in keys_in(text)}
    for group in re.findall(r"[A-Z]\w+ et al\.", ROLE.sub("", text)):
        assert group in authors, f"{group} are named, and no work of theirs is cited"


@pytest.mark.parametrize("text", ["Luong et al. (2015)", "(Jain and Wallace, 2019)", "arXiv:1706.03762"])
def test_a_paper_that_is_not_cited_is_noticed(text):
    assert CITATION.findall(text) and not CITATION.findall(ROLE.sub("", "{cite:t}`luong2015`"))


def test_every_work_says_who_when_and_where():
    for key, work in works().entries.items():
        assert work.persons["author"] and work.fields["title"] and work.fields["year"].isdigit(), key
        places = ("eprint", "doi", "url", "journal", "booktitle", "institution", "howpublished")
        assert any(place in work.fields for place in places), f"{key} says nowhere where it is published"
        if "eprint" in work.fields:
            assert re.fullmatch(r"\d{4}\.\d{4,5}", work.fields["eprint"]), key
            begun = 2000 + int(work.fields["eprint"][:2])
            assert begun in (int(work.fields["year"]), int(work.fields["year"]) - 1), key
        assert address_of(work).startswith("https://") or not address_of(work)


def test_a_year_of_the_history_is_that_of_a_works_first_public_version():
    rows = re.findall(r"^\| (\d{4})(?:–(\d{4}))? \|(.*)$", prose(FOLDER / "attention.ipynb"), re.MULTILINE)
    dated = [(key, int(first), int(last or first)) for first, last, row in rows for key in keys_in(row)]
    assert len(dated) > 20 and [first for _, first, _ in dated] == sorted(first for _, first, _ in dated)
    for key, first, last in dated:
        fields = works().entries[key].fields
        begun = 2000 + int(fields["eprint"][:2]) if "eprint" in fields else int(fields["year"])
        assert first <= begun <= last, (key, begun)


def test_a_title_has_no_mathematics_that_the_bibliography_cannot_set():
    titles = [str(Text.from_latex(work.fields["title"])) for work in works().entries.values()]
    assert [title for title in titles if set(title) & set("$\\{}^")] == []


def test_works_stand_in_the_order_of_their_first_authors_and_years():
    """Whatever the co-authors' names, and braces around the name of a group."""
    positions = {
        work.key: place for place, work in enumerate(FirstAuthorAndYear().sort(works().entries.values()))
    }
    for before, after in (
        ("press2017", "press2022"),
        ("radford2019", "radford2022"),
        ("gemma2024", "graves2013"),
    ):
        assert positions[before] < positions[after]


def test_no_name_of_an_author_is_left_in_latex():
    names = {key: authors_of(work) for key, work in works().entries.items()}
    assert names["velickovic2018"] == "Veličković et al."
    assert {key: name for key, name in names.items() if set(name) & set("{}\\")} == {}


def test_a_work_that_is_not_there_is_an_error():
    with pytest.raises(KeyError):
        cited("cite:t", "nobody1900")


@pytest.mark.parametrize("path", [*CHAPTERS, *PAGES], ids=lambda path: path.stem)
def test_the_equations_with_numbers_are_those_that_the_page_refers_to(path):
    text = prose(path)
    numbered = NUMBERED.findall(text)
    assert len(set(numbered)) == len(numbered)
    assert set(REFERRED.findall(text)) == set(numbered)


def test_labels_of_equations_are_those_of_one_place():
    every = [label for path in [*CHAPTERS, *PAGES] for label in NUMBERED.findall(prose(path))]
    assert len(set(every)) == len(every) > 20


def glossary():
    """The terms of the glossary, in its order."""
    text = (FOLDER / "glossary.md").read_text(encoding="utf-8")
    return re.findall(r"^(\S[^\n]*)\n  \S", text, re.MULTILINE)


def test_every_term_is_linked_from_somewhere_and_every_link_is_to_a_term():
    linked = {term for path in [*CHAPTERS, *PAGES] for term in TERM.findall(prose(path))}
    assert linked == set(glossary())
    assert glossary() and len(set(glossary())) == len(glossary())


# Abbreviations that people look up, and the page that introduces each: a term of the glossary, or a word of the index.
ABBREVIATIONS = {
    "ALiBi": "positions", "BLEU": "glossary", "BPE": "language_model", "CLA": "compressed", "GQA": "sparse",
    "GRU": "prerequisites", "KV cache": "glossary", "LSTM": "glossary", "MLA": "compressed", "MoE": "language_model",
    "MQA": "sparse", "NoPE": "positions", "PI": "positions", "QK-norm": "language_model", "REINFORCE": "glossary",
    "RMSNorm": "glossary", "RoPE": "positions", "SwiGLU": "glossary", "YaRN": "glossary",
}  # fmt: skip


@pytest.mark.parametrize("short", ABBREVIATIONS)
def test_an_abbreviation_is_an_entry_of_the_index(short):
    """Sphinx makes an entry of each term of the glossary, and of each `{index}` in a page."""
    page = ABBREVIATIONS[short]
    path = next(path for path in [*CHAPTERS, *PAGES] if path.stem == page)
    assert short in glossary() if page == "glossary" else f"{{index}}`{short}`" in prose(path)


@each_chapter
def test_a_term_is_linked_where_it_first_stands(chapter):
    """At most once in a chapter, and not behind a paragraph that uses the same word."""
    linked = TERM.findall(prose(chapter))
    assert len(linked) >= 5 and len(set(linked)) == len(linked)
    # The first cell is the title and a question; headings, tables, code and formulas hold no links.
    text = "\n\n".join(cells(chapter)[1:]).partition("## Sources")[0]
    for term in linked:
        before = text[: re.search(rf"\{{term\}}`(?:[^`<]*<)?{re.escape(term)}>?`", text).start()]
        before = re.sub(r"^```.*?^```$|^:::.*?^:::$|\$\$.*?\$\$", "", before, flags=re.M | re.S)
        before = re.sub(r"^[#|].*$|`[^`]*`|\$[^$]*\$|\[[^\]]*\]|\*\*[^*]{25,}\*\*", "", before, flags=re.M)
        assert not re.search(rf"(?<![\w-]){re.escape(term)}(?![\w-])", before), term


def test_the_lines_of_the_prerequisites_give_what_they_say():
    examples = doctest.DocTestParser().get_doctest(prose(PREREQUISITES), {}, PREREQUISITES.name, None, 0)
    results = doctest.DocTestRunner().run(examples)
    assert results.attempted > 20 and not results.failed


@pytest.fixture
def defined():
    """What the code of the prerequisites defines."""
    names = {}
    for example in doctest.DocTestParser().get_examples(prose(PREREQUISITES)):
        exec(compile(example.source, "prerequisites", "single"), names)
    return names


def parts(layer, names, size):
    """The weights of a cell of PyTorch in float64, cut into its gates and put in another order."""
    order = "rzn" if len(layer.bias_ih) == 3 * size else "ifgo"
    arrays = (layer.weight_ih, layer.weight_hh, layer.bias_ih, layer.bias_hh)
    cut = [dict(zip(order, a.detach().numpy().reshape(len(order), size, -1), strict=True)) for a in arrays]
    return [
        [one[name].squeeze(-1) if one[name].shape[-1] == 1 else one[name] for name in names] for one in cut
    ]


def test_the_gated_unit_of_the_prerequisites_is_that_of_pytorch(defined):
    torch.manual_seed(0)
    layer = torch.nn.GRUCell(3, 4).double()
    x, h = torch.randn(3).double(), torch.randn(4).double()
    W, U, b_in, b_state = parts(layer, "rzn", 4)
    b = [b_in[0] + b_state[0], b_in[1] + b_state[1], b_in[2]]
    mine = defined["gru_step"](x.numpy(), h.numpy(), W, U, b, b_state[2])
    np.testing.assert_allclose(mine, layer(x, h).detach().numpy(), rtol=1e-10)


def test_the_lstm_of_the_prerequisites_is_that_of_pytorch(defined):
    torch.manual_seed(0)
    layer = torch.nn.LSTMCell(3, 4).double()
    x, h, c = torch.randn(3).double(), torch.randn(4).double(), torch.randn(4).double()
    W, U, b_in, b_state = parts(layer, "ifog", 4)
    b = [one + other for one, other in zip(b_in, b_state, strict=True)]
    mine = defined["lstm_step"](x.numpy(), h.numpy(), c.numpy(), W, U, b)
    for result, expected in zip(mine, layer(x, (h, c)), strict=True):
        np.testing.assert_allclose(result, expected.detach().numpy(), rtol=1e-10)
