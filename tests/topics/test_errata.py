"""What the sources get wrong, item by item, as running code; and what only looks wrong.

The numbers are those of the chapter's table. The sources are the Gluon notebook ("Attention Mechanism"),
the Technion tutorial ("CS236781: Deep Learning, Tutorial 7: Attention"), the Keras notebook ("Attention
mechanism in keras"), the lecture notes ("Attention") and the pooling notes ("Attention Mechanism", after a
Keras layer shared on Kaggle).
"""

import json
import math
import re

import numpy as np
import pytest

from autograder import check
from autograder.learner.contents import chapters
from course.frameworks import mx, torch
from course.paths import ROOT
from solutions.additive.in_numpy import additive_scores
from solutions.efficient.in_numpy import causal_attention, online_softmax_step, plain_attention
from solutions.errata.in_numpy import CLAIMS, WRONG_LINES, mended_attention
from solutions.global_local.in_numpy import concat_score, general_score, window_mask
from solutions.masked_softmax.in_numpy import softmax
from solutions.score_functions.in_numpy import symmetric_score
from tests.support import FRAMEWORKS, need


def drawn(*shape, seed=0):
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
    exps = np.exp(drawn(3, 4)) * [1, 1, 1, 0]
    total, small = exps.sum(axis=-1, keepdims=True), 1e-3
    right = exps / total
    variants = (exps / (total + small), exps / total + small, exps / np.maximum(total, small))
    # Only what is masked tells them apart: its weight must be zero.
    masked = [variant[:, 3] for variant in variants]
    assert wrong_among(right[:, 3], *masked) == WRONG_LINES["normaliser"]


def test_the_wrong_shift_is_the_one_that_differs_from_key_to_key():
    scores = drawn(3, 4)
    shifted = [scores - scores.max(axis=axis, keepdims=True) for axis in (1, None, 0)]
    assert wrong_among(softmax(scores), *map(softmax, shifted)) == WRONG_LINES["shift"]


def test_the_bias_that_matters_is_that_of_the_queries():
    queries, keys, values = drawn(3, 4), drawn(5, 4, seed=1), drawn(5, 2, seed=2)
    b_q, b_k, b_v = drawn(4, seed=3), drawn(4, seed=4), drawn(2, seed=5)

    def context(b_q=b_q, b_k=b_k, b_v=b_v):
        return softmax((queries + b_q) @ (keys + b_k).T) @ (values + b_v)

    left_out = context(b_q=0), context(b_k=0), context(b_v=0) + b_v
    assert wrong_among(context(), *left_out) == WRONG_LINES["bias"]


def test_the_wrong_scale_stands_after_the_softmax():
    queries, keys, d = drawn(3, 4), drawn(5, 4, seed=1), 4
    right = softmax(queries @ keys.T / math.sqrt(d))
    variants = (
        softmax(queries / math.sqrt(d) @ keys.T),
        softmax(queries @ keys.T) / math.sqrt(d),
        softmax(queries / d**0.25 @ (keys / d**0.25).T),
    )
    assert wrong_among(right, *variants) == WRONG_LINES["scale"]
    np.testing.assert_allclose(variants[1].sum(axis=-1), 1 / math.sqrt(d))


def test_the_wrong_mask_sets_scores_to_zero():
    scores, mask = drawn(3, 5), np.arange(5) < 3
    late = softmax(scores) * mask
    variants = (
        late / late.sum(axis=-1, keepdims=True),
        softmax(np.where(mask, scores, 0)),
        softmax(np.where(mask, scores, -1e6)),
    )
    right = np.zeros((3, 5))
    right[:, :3] = softmax(scores[:, :3])
    assert wrong_among(right, *variants) == WRONG_LINES["mask"]


def test_the_wrong_order_moves_keys_without_their_values():
    queries, keys, values = drawn(1, 3, 4), drawn(1, 5, 4, seed=1), drawn(1, 5, 2, seed=2)
    right = plain_attention(queries, keys, values)
    moved = [2, 0, 4, 1, 3]
    variants = (
        plain_attention(queries, keys[:, moved], values[:, moved]),
        plain_attention(queries[:, [1, 2, 0]], keys, values)[:, [2, 0, 1]],
        plain_attention(queries, keys[:, moved], values),
    )
    assert wrong_among(right, *variants) == WRONG_LINES["order"]


def test_no_base_of_the_softmax_is_wrong():
    scores = drawn(3, 4)
    powers = 2 ** (scores * math.log2(math.e))
    variants = (
        np.exp(scores) / np.exp(scores).sum(axis=-1, keepdims=True),
        powers / powers.sum(axis=-1, keepdims=True),
        np.exp(scores - np.log(np.exp(scores).sum(axis=-1, keepdims=True))),
    )
    assert wrong_among(softmax(scores), *variants) == WRONG_LINES["base"]


def test_the_last_digit_of_twelve_is_rounding():
    need("mxnet")
    values = mx.nd.arange(24).reshape((1, 6, 4))
    weights = mx.nd.zeros((1, 1, 6)).softmax(axis=-1)
    assert len(set(weights.asnumpy().ravel().tolist())) == 1
    context = mx.nd.batch_dot(weights, values).asnumpy().ravel()
    spacing = np.spacing(np.float32(12))
    assert 0 < context[2] - 12 <= spacing
    assert CLAIMS["twelve"] is False


def test_the_dot_product_spreads_by_the_root_of_d():
    for d in (4, 64, 400):
        products = (drawn(20_000, d) * drawn(20_000, d, seed=1)).sum(axis=-1)
        assert products.std() == pytest.approx(math.sqrt(d), rel=0.03)
    assert CLAIMS["variance"] is True


def test_the_score_of_a_concatenation_is_the_sum_of_two_projections():
    queries, keys, W, v = drawn(2, 3, 4), drawn(2, 5, 4, seed=1), drawn(6, 8, seed=2), drawn(6, seed=3)
    apart = np.tanh((queries @ W[:, :4].T)[:, :, None] + (keys @ W[:, 4:].T)[:, None]) @ v
    np.testing.assert_allclose(concat_score(queries, keys, W, v[None]), apart)
    assert W.size == W[:, :4].size + W[:, 4:].size
    assert CLAIMS["concat"] is True


def test_a_symmetric_score_gives_weights_that_are_not_symmetric():
    words = drawn(1, 4, 3)
    scores = symmetric_score(words, words, drawn(2, 3, seed=1), np.array([1.0, 2.0]))[0]
    np.testing.assert_allclose(scores, scores.T)
    weights = softmax(scores)
    assert np.abs(weights - weights.T).max() > 0.1
    assert CLAIMS["symmetric"] is False


def test_the_matrices_of_global_attention_have_one_size_for_every_length():
    W, W_concat, v = drawn(4, 4), drawn(6, 8, seed=1), drawn(6, seed=2)
    for length in (3, 30):
        queries, keys = drawn(1, 2, 4), drawn(1, length, 4, seed=3)
        assert general_score(queries, keys, W).shape == (1, 2, length)
        assert concat_score(queries, keys, W_concat, v[None]).shape == (1, 2, length)
    assert CLAIMS["length"] is False


@pytest.mark.parametrize("D", [1, 2, 5])
def test_a_window_holds_its_centre_too(D):
    mask = window_mask(np.full((1, 1), 20.0), np.array([41]), 41, D)
    assert mask.sum() == 2 * D + 1
    assert CLAIMS["window"] is False


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
    assert CLAIMS["million"] is True


def test_bounded_scores_leave_a_hundred_steps_below_seven_percent():
    sharpest = softmax(np.array([1.0] + [-1.0] * 99))[0]
    assert sharpest == pytest.approx(math.e**2 / (math.e**2 + 99))
    assert sharpest < 0.07
    assert CLAIMS["bounded"] is True


# The chapter's list.


def prose(chapter):
    """The text of a chapter, cell by cell, without its code."""
    cells = json.loads((ROOT / "chapters" / f"{chapter}.ipynb").read_text(encoding="utf-8"))["cells"]
    return "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")


def listed():
    """The rows of the list: number, number in the link, chapters that it links to."""
    sources = "Gluon notebook|Technion tutorial|Keras notebook|lecture notes|pooling notes"
    rows = re.findall(
        rf"^\| \[(\d+)\]\(erratum-(\d+)\) \| (?:{sources}) \|.*\|(.*)\|$", prose("errata"), re.MULTILINE
    )
    return [(int(number), int(link), re.findall(r"\]\((\w+)\.ipynb\)", cell)) for number, link, cell in rows]


def test_list_and_sections_have_one_order():
    sections = re.findall(r"^\(erratum-(\d+)\)=\n### (\d+) · ", prose("errata"), re.MULTILINE)
    numbers = list(range(1, len(sections) + 1))
    assert len(numbers) >= 29
    assert [int(n) for n, _ in sections] == [int(n) for _, n in sections] == numbers
    assert [n for n, _, _ in listed()] == [n for _, n, _ in listed()] == numbers


def test_each_entry_links_to_one_chapter_in_the_order_of_the_book():
    names = [name for _, _, links in listed() for name in links]
    assert len(names) == len(listed())
    order = list(chapters())
    assert [order.index(name) for name in names] == sorted(order.index(name) for name in names)


LINKED = {"attention": "equivariant", "multi_head": "width", "score_functions": "Citations"}


def test_other_chapters_link_to_the_entry_that_they_mean():
    titles = dict(re.findall(r"^\(erratum-(\d+)\)=\n### (.*)$", prose("errata"), re.MULTILINE))
    found = {
        chapter: links
        for chapter in chapters()
        if (links := re.findall(r"\[number (\d+)\]\(erratum-(\d+)\)", prose(chapter)))
    }
    for chapter, links in found.items():
        for text, label in links:
            assert text == label and LINKED[chapter] in titles[label], chapter


def test_no_dot_product_of_linear_maps_finds_a_place_between_the_ends():
    places = np.arange(6.0)[None, :, None]
    asking = np.concatenate([places, np.ones_like(places)], axis=-1)
    W_q, W_k = np.array([[-2.0, 1], [-2, -1]]), np.array([[2.0], [2]])
    hill = additive_scores(asking, places, W_q, W_k, np.array([[3.0, -3]]))[0]
    assert hill.argmax(axis=-1).tolist() == list(range(6))
    for seed in range(50):
        scores = asking[0] @ drawn(2, 1, seed=seed) @ places[0].T
        assert set(scores.argmax(axis=-1)) <= {0, 5}


def test_a_context_has_one_size_for_every_length_of_the_source():
    state = drawn(1, 1, 4)
    for length in (3, 30):
        memory = drawn(1, length, 4, seed=1)
        weights = softmax(general_score(state, memory, drawn(4, 4, seed=2)))
        assert weights.size == length and (weights @ memory).shape == state.shape


# Mistakes that the list of the sources' known ones lacks.


def test_a_softmax_of_a_single_score_is_one():
    assert (softmax(drawn(5, 1)) == 1).all()


def test_a_scale_after_the_softmax_gives_rows_that_sum_to_its_inverse():
    """TeX's \\over divides all that stands before it, the softmax included."""
    embeddings, W_q, W_k, W_v = drawn(1, 4, 6), drawn(3, 6, seed=1), drawn(3, 6, seed=2), drawn(2, 6, seed=3)
    queries, keys, values = embeddings @ W_q.T, embeddings @ W_k.T, embeddings @ W_v.T
    literal = softmax(queries @ keys.swapaxes(1, 2)) / math.sqrt(3)
    np.testing.assert_allclose(literal.sum(axis=-1), 0.577, atol=1e-3)
    assert not np.allclose(literal @ values, mended_attention(embeddings, W_q, W_k, W_v))


def test_the_published_pooling_layer_calls_a_function_that_never_existed():
    assert not hasattr(torch, "unsequeeze") and hasattr(torch, "unsqueeze")


def test_flattening_would_lose_the_axis_that_the_comment_says_it_keeps():
    need("mxnet")
    shapes = []
    for flatten in (True, False):
        layer = mx.gluon.nn.Dense(8, use_bias=False, flatten=flatten)
        layer.initialize()
        shapes.append(layer(mx.nd.ones((2, 3, 4))).shape)
    assert shapes == [(2, 8), (2, 3, 8)]


def test_a_decoder_without_a_mask_lets_the_future_change_the_past():
    words = drawn(1, 5, 4)
    later = words.copy()
    later[:, 3:] += 1
    open_, closed = (
        [attend(w, w, w)[:, :3] for w in (words, later)] for attend in (plain_attention, causal_attention)
    )
    assert np.abs(open_[0] - open_[1]).max() > 0.1
    np.testing.assert_array_equal(*closed)


def test_the_linear_space_of_the_multiplicative_score_needs_tiles():
    """The lecture notes give O((m + n)k); the plain form holds m·n scores, the tiled one m·tile."""
    m, n, k, tile = 300, 400, 8, 20
    queries, keys, values = drawn(1, m, k), drawn(1, n, k, seed=1), drawn(1, n, k, seed=2)
    scores = queries @ keys.swapaxes(1, 2)
    assert scores.size > 10 * (m + n) * k
    state = np.full((1, m, 1), -np.inf), np.zeros((1, m, 1)), np.zeros((1, m, k))
    largest = 0
    for first in range(0, n, tile):
        part = queries @ keys[:, first : first + tile].swapaxes(1, 2) / math.sqrt(k)
        largest = max(largest, part.size, *(a.size for a in state))
        state = online_softmax_step(*state, part, values[:, first : first + tile])
    assert largest == m * tile <= (m + n) * k * 1.1
    np.testing.assert_allclose(state[2] / state[1], plain_attention(queries, keys, values))


def test_epsilon_is_zero_in_half_precision():
    assert np.float16(1e-10) == 0


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_a_new_dropout_layer_acts_in_pytorch_and_not_in_mxnet(framework):
    """Why the Gluon notebook can print an exact output although its dropout is a half."""
    need(framework)
    if framework == "torch":
        torch.manual_seed(0)
        changed = (torch.nn.Dropout(0.5)(torch.ones(100)) != 1).any()
        assert changed
        assert (torch.nn.Dropout(0.5).eval()(torch.ones(100)) == 1).all()
    else:
        layer = mx.gluon.nn.Dropout(0.5)
        assert (layer(mx.nd.ones(100)).asnumpy() == 1).all()
        with mx.autograd.record():
            assert (layer(mx.nd.ones(100)).asnumpy() != 1).any()


def test_a_quiz_says_how_many_answers_are_right_and_not_which():
    def wrong_lines(questions):
        return tuple("b" for _ in questions)

    verdict = check(wrong_lines, "numpy")
    assert verdict.layer == "values"
    assert "3 of 7" in verdict.message
    assert not any(question in verdict.message for question in WRONG_LINES)
