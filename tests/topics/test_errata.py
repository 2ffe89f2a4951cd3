"""What the sources get wrong, item by item, as running code; and what only looks wrong.

Accused formulas and code are taken from the chapter's quotations: formulas are set by the MathJax of the
pages, code is run as it is printed. Where the sources lie beside the checkout, each quotation is looked up.
"""

import importlib.util
import json
import math
import re
import sys
import xml.etree.ElementTree as ET
from pathlib import Path
from textwrap import dedent
from types import SimpleNamespace
from typing import NamedTuple

import numpy as np
import pytest

from autograder import check
from autograder.book.contents import chapters
from autograder.frameworks.libraries import mx, torch
from autograder.model.paths import ROOT
from exercises.errata import QUESTIONS
from solutions.additive.in_numpy import additive_scores
from solutions.efficient.in_numpy import plain_attention
from solutions.errata.in_numpy import claims_that_hold, mended_attention, wrong_lines
from solutions.global_local.in_numpy import concat_score, general_score
from solutions.masked_softmax.in_numpy import softmax
from tests.support import FRAMEWORKS, need

sys.path.insert(0, str(ROOT / "_ext"))


def normal(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape)


# The exercises' answers, measured.


def wrong_among(right, *variants):
    """The letter of the variant that differs from what is right, or none."""
    wrong = [
        letter for letter, v in zip("abc", variants, strict=True) if not np.allclose(v, right, atol=1e-9)
    ]
    assert len(wrong) <= 1
    return wrong[0] if wrong else "none"


def test_the_wrong_normaliser_is_the_one_whose_guard_stands_outside_the_division():
    exps = np.exp(normal(3, 4)) * [1, 1, 1, 0]
    total, small = exps.sum(axis=-1, keepdims=True), 1e-3
    right = exps / total
    variants = (exps / (total + small), exps / total + small, exps / np.maximum(total, small))
    # Only what is masked tells them apart: its weight must be zero.
    masked = [variant[:, 3] for variant in variants]
    assert (wrong_among(right[:, 3], *masked),) == wrong_lines(("normaliser",))


def test_the_wrong_shift_is_the_one_that_differs_from_key_to_key():
    scores = normal(3, 4)
    shifted = [scores - scores.max(axis=axis, keepdims=True) for axis in (1, None, 0)]
    assert (wrong_among(softmax(scores), *map(softmax, shifted)),) == wrong_lines(("shift",))


def test_the_bias_that_matters_is_that_of_the_queries():
    queries, keys, values = normal(3, 4), normal(5, 4, seed=1), normal(5, 2, seed=2)
    b_q, b_k, b_v = normal(4, seed=3), normal(4, seed=4), normal(2, seed=5)

    def context(b_q=b_q, b_k=b_k, b_v=b_v):
        return softmax((queries + b_q) @ (keys + b_k).T) @ (values + b_v)

    left_out = context(b_q=0), context(b_k=0), context(b_v=0) + b_v
    assert (wrong_among(context(), *left_out),) == wrong_lines(("bias",))


def test_the_wrong_scale_stands_after_the_softmax():
    queries, keys, d = normal(3, 4), normal(5, 4, seed=1), 4
    right = softmax(queries @ keys.T / math.sqrt(d))
    variants = (
        softmax(queries / math.sqrt(d) @ keys.T),
        softmax(queries @ keys.T) / math.sqrt(d),
        softmax(queries / d**0.25 @ (keys / d**0.25).T),
    )
    assert (wrong_among(right, *variants),) == wrong_lines(("scale",))
    np.testing.assert_allclose(variants[1].sum(axis=-1), 1 / math.sqrt(d))


def test_the_wrong_mask_sets_scores_to_zero():
    scores, mask = normal(3, 5), np.arange(5) < 3
    late = softmax(scores) * mask
    variants = (
        late / late.sum(axis=-1, keepdims=True),
        softmax(np.where(mask, scores, 0)),
        softmax(np.where(mask, scores, -1e6)),
    )
    right = np.zeros((3, 5))
    right[:, :3] = softmax(scores[:, :3])
    assert (wrong_among(right, *variants),) == wrong_lines(("mask",))


def test_the_wrong_order_moves_keys_without_their_values():
    queries, keys, values = normal(1, 3, 4), normal(1, 5, 4, seed=1), normal(1, 5, 2, seed=2)
    right = plain_attention(queries, keys, values)
    moved = [2, 0, 4, 1, 3]
    variants = (
        plain_attention(queries, keys[:, moved], values[:, moved]),
        plain_attention(queries[:, [1, 2, 0]], keys, values)[:, [2, 0, 1]],
        plain_attention(queries, keys[:, moved], values),
    )
    assert (wrong_among(right, *variants),) == wrong_lines(("order",))


def test_no_base_of_the_softmax_is_wrong():
    scores = normal(3, 4)
    powers = 2 ** (scores * math.log2(math.e))
    variants = (
        np.exp(scores) / np.exp(scores).sum(axis=-1, keepdims=True),
        powers / powers.sum(axis=-1, keepdims=True),
        np.exp(scores - np.log(np.exp(scores).sum(axis=-1, keepdims=True))),
    )
    assert (wrong_among(softmax(scores), *variants),) == wrong_lines(("base",))


def test_the_last_digit_of_twelve_is_rounding():
    need("mxnet")
    values = mx.nd.arange(24).reshape((1, 6, 4))
    weights = mx.nd.zeros((1, 1, 6)).softmax(axis=-1)
    assert len(set(weights.asnumpy().ravel().tolist())) == 1
    context = mx.nd.batch_dot(weights, values).asnumpy().ravel()
    spacing = np.spacing(np.float32(12))
    assert 0 < context[2] - 12 <= spacing
    assert claims_that_hold(("twelve",)) == (False,)


def test_the_matrices_of_global_attention_have_one_size_for_every_length():
    W, W_concat, v = normal(4, 4), normal(6, 8, seed=1), normal(6, seed=2)
    for length in (3, 30):
        queries, keys = normal(1, 2, 4), normal(1, length, 4, seed=3)
        assert general_score(queries, keys, W).shape == (1, 2, length)
        assert concat_score(queries, keys, W_concat, v[None]).shape == (1, 2, length)
    assert claims_that_hold(("length",)) == (False,)


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_minus_a_million_is_exactly_no_weight_in_single_precision_only(framework):
    need(framework)
    scores = np.array([[3.0, -2.0, -1e6, -1e6]], dtype=np.float32)
    if framework == "torch":
        weights = torch.tensor(scores).softmax(dim=-1).numpy()
    else:
        weights = mx.nd.array(scores).softmax(axis=-1).asnumpy()
    assert (weights[0, 2:] == 0).all() and weights.sum() == pytest.approx(1)
    with np.errstate(over="ignore"):
        assert np.isinf(scores.astype(np.float16)[0, 2:]).all()
    assert claims_that_hold(("million",)) == (True,)


# The chapter's list.


def prose(chapter):
    """The text of a chapter, cell by cell, without its code."""
    cells = json.loads((ROOT / "chapters" / f"{chapter}.ipynb").read_text(encoding="utf-8"))["cells"]
    return "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")


def listed():
    """The rows of the list: number, number in the link, source, chapters that it links to."""
    sources = "|".join(FILES)
    rows = re.findall(
        rf"^\| \[(\d+)\]\(erratum-(\d+)\) \| ({sources}) \|.*\|(.*)\|$", prose("errata"), re.MULTILINE
    )
    return [
        (int(number), int(link), source, re.findall(r"\]\((\w+)\.ipynb\)", cell))
        for number, link, source, cell in rows
    ]


def test_list_and_sections_have_one_order():
    sections = re.findall(r"^\(erratum-(\d+)\)=\n### (\d+) · ", prose("errata"), re.MULTILINE)
    numbers = list(range(1, len(sections) + 1))
    assert len(numbers) > 20
    assert [int(n) for n, _ in sections] == [int(n) for _, n in sections] == numbers
    assert [n for n, *_ in listed()] == [n for _, n, *_ in listed()] == numbers


def test_each_entry_links_to_one_chapter_in_the_order_of_the_book():
    names = [name for *_, links in listed() for name in links]
    assert len(names) == len(listed())
    order = list(chapters())
    assert [order.index(name) for name in names] == sorted(order.index(name) for name in names)


# What is meant, by a word of the entry's title, in the order in which a chapter links to them.
LINKED = {
    "attention": ["parallel"],
    "additive": ["names", "vector", "comment"],
    "multi_head": ["width"],
    "score_functions": ["Citations"],
}


def test_other_chapters_link_to_the_entry_that_they_mean():
    titles = dict(re.findall(r"^\(erratum-(\d+)\)=\n### (.*)$", prose("errata"), re.MULTILINE))
    link = r"\[number (\d+)\]\(erratum-(\d+)\)|\{ref\}`erratum (\d+) <erratum-(\d+)>`"
    links_of = {name: re.findall(link, prose(name)) for name in chapters()}
    assert {name for name, links in links_of.items() if links} == set(LINKED)
    for name, words in LINKED.items():
        for numbers, word in zip(links_of[name], words, strict=True):
            (number,) = set(filter(None, numbers))
            assert word in titles[number], name


def test_no_dot_product_of_linear_maps_finds_a_place_between_the_ends():
    places = np.arange(6.0)[None, :, None]
    asking = np.concatenate([places, np.ones_like(places)], axis=-1)
    W_q, W_k = np.array([[-2.0, 1], [-2, -1]]), np.array([[2.0], [2]])
    hill = additive_scores(asking, places, W_q, W_k, np.array([[3.0, -3]]))[0]
    assert hill.argmax(axis=-1).tolist() == list(range(6))
    for seed in range(50):
        scores = asking[0] @ normal(2, 1, seed=seed) @ places[0].T
        assert set(scores.argmax(axis=-1)) <= {0, 5}


def test_a_context_has_one_size_for_every_length_of_the_source():
    state = normal(1, 1, 4)
    for length in (3, 30):
        memory = normal(1, length, 4, seed=1)
        weights = softmax(general_score(state, memory, normal(4, 4, seed=2)))
        assert weights.size == length and (weights @ memory).shape == state.shape


# The sources' own lines, as the chapter quotes them.

FILES = {
    "d2l notebook": "000",
    "Technion tutorial": "001",
    "Keras notebook": "002",
    "lecture notes": "003",
    "pooling notes": "004",
}
SOURCES = ROOT.parent / "shared" / "sources"


class Quoted(NamedTuple):
    """What an entry or a false alarm quotes of a source: words, lines of code, formulas."""

    source: str
    words: list[str]
    code: list[str]
    formulas: list[str]


def quotations():
    """Every quotation of the chapter, by the title of its entry or false alarm without the dot."""
    quoted = {}
    for section in re.split(r"^(?=### |\*\*)", prose("errata"), flags=re.MULTILINE):
        block = "\n".join(line[2:] for line in section.splitlines() if line.startswith(">"))
        if block:
            title = re.match(r"(?:### |\*\*)(.+?)\.?(?:\*\*)?\n", section)[1]
            fence, inline = r"```python\n(.*?)```", r"`([^`\n]+)`"
            code = [
                *re.findall(fence, block, re.DOTALL),
                *re.findall(inline, re.sub(fence, "", block, flags=re.DOTALL)),
            ]
            quoted[title] = Quoted(
                re.match(r"The (\w+ \w+)", block)[1],
                re.findall(r"“([^”]+)”", section),
                code,
                re.findall(r"\$([^$]+)\$", re.sub(inline, "", block)),
            )
    return quoted


def accused(number):
    """What the entry of this number quotes."""
    (entry,) = [q for title, q in quotations().items() if title.startswith(f"{number} · ")]
    return entry


def source_of(name):
    """The text of a source; skips where it does not lie beside the checkout."""
    files = sorted(SOURCES.glob(f"{FILES[name]}_*.txt"))
    if not files:
        pytest.skip(f"The sources are not in {SOURCES}, so quotations cannot be looked up.")
    return files[0].read_text(encoding="utf-8")


def even(text):
    """A text in which neither line ends nor stars matter, since Markdown marks words by stars."""
    return re.sub(r"\s+", " ", text.replace("*", "")).strip()


def test_each_entry_quotes_the_source_that_the_list_names():
    for number, _, source, _ in listed():
        entry = accused(number)
        assert entry.source == source and (entry.words or entry.code or entry.formulas), number


@pytest.mark.parametrize("title", quotations())
def test_a_quotation_stands_in_its_source(title):
    quoted = quotations()[title]
    source = even(source_of(quoted.source))
    # The tutorial's formula is written with macros of its own; it is compared as it is set, below.
    formulas = [] if quoted.source == "Technion tutorial" else quoted.formulas
    for text in (*quoted.words, *quoted.code, *formulas):
        parts = [re.escape(even(part)) for part in text.split("…")]
        assert re.search(".{0,300}?".join(parts), source), f"{text} is not in the {quoted.source}"


@pytest.fixture(scope="module")
def as_set(browser):
    """A function that sets a formula by the MathJax of the book's pages and reads what stands where."""
    page = browser.new_page()
    package = Path(importlib.util.find_spec("sphinx-mathjax-offline").origin)
    page.goto(package.as_uri())  # any file: from there scripts of other files can be loaded
    page.add_script_tag(url=(package.parent / "static" / "mathjax" / "tex-chtml.js").as_uri())
    page.evaluate("() => MathJax.startup.promise")

    def read(node):
        parts = [read(child) for child in node]
        tag = node.tag.rpartition("}")[2]
        forms = {"mfrac": "[{}]/[{}]", "msup": "{}^{}", "msub": "{}_{}", "msubsup": "{}_{}^{}"}
        if tag in forms:
            return forms[tag].format(*parts)
        whole = (node.text or "").strip() + "".join(parts)
        return f"√[{whole}]" if tag == "msqrt" else whole

    yield lambda tex: read(ET.fromstring(page.evaluate("tex => MathJax.tex2mmlPromise(tex)", tex)))
    page.close()


FRACTION = "A fraction that ends at its brace"
# What a reader of the page sees of each quoted formula.
AS_SET = {
    "2 · Transposed twice": ["α(Q,K)=⟨Q,K^T⟩/√[d]"],
    "3 · Why the square root": ["‖1_d‖_2=‖[1,…,1]^⊤‖_2=√[d⋅1^2]=√[d]."],
    "4 · A query without effect": ["α(k,q)=v^Ttanh(W_kk+W_qq)"],
    "6 · A vector of unknown length": ["W_k∈R^h×d_k", "W_q∈R^h×d_q", "v∈R^p"],
    "9 · Symmetric scores, weights that are not": ["S_ij=c_i^TW^TDWq_j"],
    "21 · A state is no word": ["i", "s_i", "f(s_i−1,y_i−1)"],
    "The space of a score": ["O((m+n)k)", "W", "k×d", "O(mnk)"],
    FRACTION: ["A(Q,K,V)=softmax[(QK^T)]/[√[d_k]]V"],
}


def test_each_quoted_formula_is_set_as_it_is_taken(as_set):
    formulas_of = {title: quoted.formulas for title, quoted in quotations().items() if quoted.formulas}
    assert {title: [as_set(tex) for tex in formulas] for title, formulas in formulas_of.items()} == AS_SET


def test_without_its_braces_the_fraction_of_the_lecture_notes_would_hold_all(as_set):
    """The numerator is QKᵀ alone, and V stands outside, because of the braces."""
    (formula,) = quotations()[FRACTION].formulas
    assert formula in quotations()[FRACTION].code
    bare = formula.replace("softmax}{", "softmax}").replace("d_k}}", "d_k}")
    assert as_set(bare) == "[A(Q,K,V)=softmax(QK^T)]/[√[d_k]V]"


def test_the_norm_is_set_as_the_tutorial_sets_it(as_set):
    source = source_of("Technion tutorial")
    macros, formula = source.split("$$")[1], re.search(r"\\norm\{\\vec\{1\}_d\}.*", source)[0]
    assert as_set(macros + formula) == as_set(accused(3).formulas[0])


def run(lines, **names):
    """What quoted lines of code leave behind."""
    exec(dedent(lines), names)
    return SimpleNamespace(**names)


def test_the_inner_product_that_is_printed_takes_keys_for_features():
    queries, keys = normal(3, 4), normal(5, 4, seed=1)
    np.testing.assert_allclose(np.inner(queries, keys), queries @ keys.T)
    with pytest.raises(ValueError, match="not aligned"):
        np.inner(queries, keys.T)
    assert not np.allclose(np.inner(queries, keys[:4].T), queries @ keys[:4].T)


def test_the_quoted_additive_layer_gives_every_query_the_same_weights():
    need("mxnet")
    layers, call, score = accused(4).code
    layer, inputs = SimpleNamespace(), (mx.nd.array(normal(1, 3, 4)), mx.nd.array(normal(1, 5, 4, seed=1)))
    run(layers, self=layer, nn=mx.gluon.nn, units=8)
    for part in vars(layer).values():
        part.initialize(mx.init.Normal(1))
    inside = run(call + score, self=layer, query=inputs[0], key=inputs[1]).scores
    # As the formula has it: the same weights, and the tanh around the sum.
    query, key = (
        mx.nd.dot(x, W.weight.data().T) for x, W in zip(inputs, (layer.W_k, layer.W_q), strict=True)
    )
    around = run(
        score.replace("self.v(features)", "self.v(features.tanh())"), self=layer, query=query, key=key
    )
    spreads = [np.ptp(s.softmax(axis=-1).asnumpy(), axis=1).max() for s in (inside, around.scores)]
    assert spreads[0] < 1e-6 and spreads[1] > 0.05
    assert np.ptp(inside.asnumpy(), axis=2).max() > 0.05


def test_the_quoted_call_gives_the_query_to_the_keys_matrix():
    (line,) = accused(5).code
    both = SimpleNamespace(W_q=lambda x: f"W_q {x}", W_k=lambda x: f"W_k {x}")
    result = run(line, self=both, query="query", key="key")
    assert (result.query, result.key) == ("W_k query", "W_q key")


def test_what_the_quoted_comment_recommends_loses_the_axis_that_it_says_it_keeps():
    need("mxnet")
    (advice,) = re.findall(r"flatten=(\w+) to keep", accused(7).code[0])
    layer = mx.gluon.nn.Dense(8, use_bias=False, flatten=advice == "True")
    layer.initialize()
    assert layer(mx.nd.ones((2, 3, 4))).shape == (2, 8)


def test_the_quoted_guard_gives_weight_to_what_is_masked_and_guards_nothing():
    need("torch")
    (line,) = accused(11).code
    for text, masked, empty in (
        (line, 1e-10, math.nan),
        ("a = a / (torch.sum(a, 1, keepdim=True) + 1e-10)", 0, 0),
    ):
        a = run(text, torch=torch, a=torch.tensor([[1.0, 2.0, 0.0], [0.0, 0.0, 0.0]])).a
        assert a[0, 2].item() == pytest.approx(masked) and a[1, 0].item() == pytest.approx(empty, nan_ok=True)
    assert np.float16(1e-10) == 0


def test_the_quoted_layer_passes_on_a_mask_of_steps_that_its_result_does_not_have():
    keras = pytest.importorskip("keras", reason="Keras is not installed.")
    masking, shape = accused(12).code
    layer = keras.layers.Layer()
    layer.feature_dim = 3
    run(masking, self=layer)
    result = eval(shape.removeprefix("return"), {"self": layer, "input_shape": (2, 5, 3)})
    assert result == (2, 3)
    assert layer.compute_mask(np.ones((2, 5, 3)), np.ones((2, 5), bool)).shape == (2, 5)


def test_each_of_the_three_quoted_softmaxes_is_one():
    words = ("The", "FBI", "is", "chasing")
    names = {
        "softmax": lambda score: softmax(np.array([score]))[0],
        "Q": dict(zip(words, normal(4, 3), strict=True)),
        "K": dict(zip(words, normal(4, 3, seed=1), strict=True)),
        "D": 9,
    }
    lines = accused(14).code
    assert len(lines) == 3
    for line in lines:
        assert eval(re.sub(r"([QK])”(\w+)”", r'\1["\2"]', line).replace(" .", " @"), names) == 1


def test_the_quoted_equation_divides_by_the_wrong_width_and_attends_to_later_words():
    line = accused(15).code[0].removeprefix("Z=").replace("*KT", " @ KT").replace(")V", ") @ V")
    embeddings, W_q, W_k, W_v = (
        normal(1, 4, 6),
        normal(3, 6, seed=1),
        normal(3, 6, seed=2),
        normal(2, 6, seed=3),
    )

    def printed(embeddings, D):
        Q, K, V = (embeddings[0] @ W.T for W in (W_q, W_k, W_v))
        return eval(line, {"Softmax": softmax, "Q": Q, "KT": K.T, "V": V, "D": D})

    right = mended_attention(embeddings, W_q, W_k, W_v)[0]
    assert not np.allclose(printed(embeddings, D=6), right, atol=0.1)
    np.testing.assert_allclose(printed(embeddings, D=math.sqrt(3)), right)
    later = embeddings.copy()
    later[:, 3] += 1
    assert np.abs(printed(later, D=6) - printed(embeddings, D=6))[:3].max() > 0.01


# The right versions, and what only looks wrong.


def test_a_quiz_says_how_many_answers_are_right_and_not_which():
    def wrong_lines(questions):
        return tuple("b" for _ in questions)

    verdict = check(wrong_lines, "numpy")
    assert verdict.failed_stage == "values"
    assert "3 of 7" in verdict.message
    assert not any(question in verdict.message for question in QUESTIONS)
