"""Facts of the chapter on two sets that no exercise checks: order, rank, ranking, gradients, its data, what it cites."""

import importlib

import numpy as np
import pytest
from sklearn.datasets import load_digits

from course.data.digits import TRAINING_DIGITS, pairs
from exercises.sets import CHANGES
from solutions.additive.in_numpy import additive_scores
from solutions.masked_softmax.in_numpy import softmax
from solutions.sets.in_numpy import (
    graph_attention,
    hopfield_step,
    induced_attention,
    order_proof_line,
    point_scores,
)
from tests.support import FRAMEWORKS, need
from tests.topics.arrays import array, computed, differentiated, numbers
from tools.drawings.sets_graph import mask


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def test_induced_attention_follows_the_order_of_the_tokens_and_not_that_of_the_points(rng):
    X, points, lengths = rng.normal(size=(2, 7, 4)), rng.normal(size=(3, 4)), np.array([7, 7])
    context, order = induced_attention(X, points, lengths), rng.permutation(7)
    assert induced_attention(X[:, order], points, lengths) == pytest.approx(context[:, order])
    assert induced_attention(X, points[::-1], lengths) == pytest.approx(context)


def test_the_weights_by_way_of_m_points_have_the_rank_m(rng):
    # As values give back the weights themselves where they are the unit vectors, feed tokens that hold them.
    scores, back = rng.normal(size=(3, 12)), rng.normal(size=(12, 3))
    whole = softmax(back) @ softmax(scores)
    assert np.linalg.matrix_rank(whole) == 3 and whole.sum(axis=1) == pytest.approx(1)


@pytest.mark.parametrize("nodes", [2, 5])
def test_the_score_of_a_graph_is_the_additive_one_with_another_nonlinearity(rng, nodes):
    X, W_q, W_k = rng.normal(size=(1, nodes, 3)) / 1e4, *rng.normal(size=(2, 4, 3))
    w_v, edges = rng.normal(size=(1, 4)), np.ones((1, nodes, nodes))
    # Near zero a tanh is the identity, and so is LeakyReLU where all sums are above zero.
    W_q, W_k, X = abs(W_q), abs(W_k), abs(X)
    weights = softmax(additive_scores(X, X, W_q, W_k, w_v))
    assert graph_attention(X, edges, W_q, W_k, w_v) == pytest.approx(weights @ (X @ W_k.T), abs=1e-9)


def test_a_nonlinearity_at_the_end_gives_every_node_the_same_ranking(rng):
    queries, keys, w = rng.normal(size=(9, 1, 4)), rng.normal(size=(1, 6, 4)), rng.normal(size=4)
    sums = queries + keys
    last = np.maximum(sums @ w, 0.2 * (sums @ w))
    first = np.maximum(sums, 0.2 * sums) @ w
    assert len({tuple(order) for order in np.argsort(last, axis=1)}) == 1
    assert len({tuple(order) for order in np.argsort(first, axis=1)}) > 1


def test_a_graph_without_edges_between_nodes_gives_each_node_its_own_key(rng):
    X, W_q, W_k, w_v = rng.normal(size=(2, 4, 3)), *rng.normal(size=(2, 5, 3)), rng.normal(size=(1, 5))
    alone = np.broadcast_to(np.eye(4), (2, 4, 4))
    assert graph_attention(X, alone, W_q, W_k, w_v) == pytest.approx(X @ W_k.T)


def test_the_mask_of_the_drawing_is_symmetric_and_holds_each_node():
    assert (mask() == mask().T).all() and mask().diagonal().all() and not mask().all()


@pytest.mark.parametrize("beta", [0.01, 0.3, 1.0, 20.0])
def test_the_energy_falls_and_is_never_below_zero(rng, beta):
    patterns, states = 2 * rng.normal(size=(6, 5)), 3 * rng.normal(size=(8, 5))
    before = np.full(8, np.inf)
    for _ in range(20):
        states, energies = hopfield_step(states, patterns, beta)
        assert (energies <= before + 1e-9).all() and (energies >= 0).all()
        before = energies


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_a_step_is_one_of_gradient_descent(rng, framework):
    need(framework)
    step = importlib.import_module(f"solutions.sets.in_{framework}").hopfield_step
    states, patterns = rng.normal(size=(3, 5)).astype(np.float32), rng.normal(size=(4, 5)).astype(np.float32)
    expected, _ = hopfield_step(states, patterns, 0.7)
    new, energy = (lambda X, i=i: step(X, array(framework, patterns), 0.7)[i] for i in (0, 1))
    _, (gradient,) = differentiated(framework, energy, [states], np.ones(3))
    assert computed(framework, new, [states]) == pytest.approx(expected, abs=1e-5)
    assert states - gradient == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_the_model_without_places_knows_no_order_of_its_patches(rng, framework):
    need(framework)
    model = importlib.import_module(f"solutions.sets.in_{framework}").model
    shapes = {
        "embed": (4, 8),
        "place": (6, 8),
        "up": (8, 16),
        "down": (16, 8),
        "queries": (2, 8),
        "out": (8, 3),
    }
    shapes |= dict.fromkeys(("q", "k", "v", "k2", "v2"), (8, 8)) | {"bias": (3,)}
    w = {name: rng.normal(size=shape).astype(np.float32) / 2 for name, shape in shapes.items()}
    patches = rng.normal(size=(5, 6, 4)).astype(np.float32)

    def results(w, patches):
        w = {name: array(framework, w[name]) for name in w}
        return numbers(model(w, array(framework, patches))[0])

    blind, turned = w | {"place": 0 * w["place"]}, patches[:, ::-1].copy()
    assert results(blind, turned) == pytest.approx(results(blind, patches), abs=1e-5)
    assert results(w, turned) != pytest.approx(results(w, patches), abs=1e-3)


# --- Two digits on a canvas ------------------------------------------------------------------------


def test_a_pair_lies_on_its_canvas_where_its_centres_say_and_does_not_overlap():
    canvases, digits = pairs(60, seed=2, test=True), load_digits()
    label_of = {
        (i / 16).astype(np.float32).tobytes(): n for i, n in zip(digits.images, digits.target, strict=True)
    }
    unseen = {(i / 16).astype(np.float32).tobytes() for i in digits.images[TRAINING_DIGITS:]}
    for image, labels, centres in zip(canvases.images, canvases.labels, canvases.centres, strict=True):
        assert np.abs(centres[0] - centres[1]).max() >= 8
        for label, (row, column) in zip(labels, centres.astype(int), strict=True):
            piece = image[row - 4 : row + 4, column - 4 : column + 4].tobytes()
            assert piece in unseen and label_of[piece] == label


def test_neither_digit_of_a_pair_comes_first_by_its_place():
    centres = pairs(2000, seed=0).centres
    assert (centres[:, 0] < centres[:, 1]).mean(axis=0) == pytest.approx(
        (centres[:, 0] > centres[:, 1]).mean(axis=0), abs=0.05
    )
    with pytest.raises(ValueError, match="at least 1"):
        pairs(0, seed=0)


# --- What is said of published models --------------------------------------------------------------


def test_configurations_have_as_many_learned_queries_as_the_chapter_says():
    library = pytest.importorskip("transformers")
    assert library.DetrConfig().num_queries == 100
    assert library.Blip2Config().num_query_tokens == 32
    assert library.Mask2FormerConfig().num_queries == 100
    # Idefics is Flamingo, rebuilt.
    assert library.IdeficsConfig().perceiver_config.resampler_n_latents == 64


def recurrent(terms):
    """Read weighted values (queries, keys, d) one key after the other."""
    state = 0
    for step in range(terms.shape[1]):
        state = np.tanh(state + terms[:, step])
    return state


def parts(change, Y, order, queries, place):
    """Values, weights and result of attention to the rows of Y in an order, with a change in the proof."""
    hidden = {
        "a mask of all keys after the third": np.arange(len(Y)) > 2,
        "a mask that moves with the keys": order > 2,
    }.get(change, np.zeros(len(Y), bool))
    Y = Y[order] + (place if change.startswith("a vector") else 0)
    scores = np.where(hidden, -np.inf, queries @ Y.T)
    weights = softmax(scores, axis=0 if change == "a softmax over the queries" else -1)
    terms = weights[:, :, None] * Y
    return Y, weights, recurrent(terms) if "recurrent" in change else terms.sum(axis=1)


@pytest.mark.parametrize("change", CHANGES)
def test_the_line_that_does_not_hold_is_that_of_the_numbers(rng, change):
    Y, place, queries, order = (
        *rng.normal(size=(2, 6, 4)),
        rng.normal(size=(3, 4)),
        np.array([5, 3, 0, 1, 4, 2]),
    )
    before, after = (parts(change, Y, o, queries, place) for o in (np.arange(6), order))
    lines = {"1": before[0][order], "2": before[1][:, order], "3": before[2]}
    failing = [line for (line, it), got in zip(lines.items(), after, strict=True) if got != pytest.approx(it)]
    assert order_proof_line(change) == (failing or ["none"])[0]


def test_scores_by_way_of_points_are_those_of_the_chapter():
    assert point_scores(224, 16, 512) == (196**2, 2 * 196 * 512, 196)
    all_pairs, by_points, rank = point_scores(7, 1, 3)
    assert (all_pairs, by_points, rank) == (49**2, 2 * 49 * 3, 3)
