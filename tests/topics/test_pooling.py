"""Feed-forward attention pooling: the wrong versions that people write, and what the pooling notes get wrong.

The pooling notes: "Attention Mechanism", after a Keras layer shared on Kaggle.
"""

import inspect
import json
import math
import warnings

import numpy as np
import pytest

from autograder.book.contents import source
from autograder.frameworks.libraries import torch
from autograder.judge.cases import draw_cases
from autograder.model.catalogue import all_exercises
from autograder.model.paths import ROOT
from autograder.read.cells import Cell
from autograder.read.submission import Submission
from solutions.errata.in_numpy import claims_that_hold
from solutions.pooling import in_numpy
from tests.support import solution
from tests.topics.arrays import array, numbers, with_learned

CELLS = json.loads((ROOT / "chapters" / "pooling.ipynb").read_text())["cells"]
both_frameworks = pytest.mark.parametrize("framework", ["mxnet", "torch"])


def pooling(framework, score):
    """The layer with a given score."""
    layer = solution("pooling", framework).FeedForwardPooling(score.shape[1])
    return with_learned(framework, layer, {"score.weight": score})


def keras_pooling(score):
    """The Keras layer with a given score."""
    layer = pytest.importorskip("solutions.pooling.in_keras").FeedForwardPooling()
    layer.build((None, None, score.shape[1]))
    layer.set_weights([score.astype(np.float32)])
    return layer


# --- The layer -------------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore:You are using a softmax over axis 1:UserWarning")
@pytest.mark.parametrize("number", range(len(draw_cases(all_exercises()["feed_forward_pooling"], 3))))
def test_keras_agrees_with_the_reference(number):
    exercise = all_exercises()["feed_forward_pooling"]
    case = draw_cases(exercise, seed=3)[number]
    X, mask = case.inputs["X"].astype(np.float32), case.inputs["mask"]
    tensor = None if mask is None else torch.tensor(mask)
    results = keras_pooling(case.parameters["score"])(torch.tensor(X), mask=tensor)
    for got, expected in zip(results, exercise.compute(exercise.reference, case), strict=True):
        np.testing.assert_allclose(numbers(got), expected, rtol=1e-4, atol=1e-5)


def test_keras_and_pytorch_agree_in_gradients():
    rng = np.random.default_rng(0)
    score, values = rng.normal(size=(1, 4)), rng.normal(size=(3, 5, 4)).astype(np.float32)
    mask = torch.tensor([[1, 1, 0, 1, 0], [0, 0, 0, 0, 0], [1, 1, 1, 1, 1]], dtype=torch.bool)
    gradients = []
    for layer in (pooling("torch", score), keras_pooling(score)):
        X = torch.tensor(values, requires_grad=True)
        context, weights = layer(X, mask=mask)
        loss = (context * torch.arange(1.0, 5.0)).sum() + (weights**2).sum()
        parameter = layer.score.weight if hasattr(layer.score, "weight") else layer.score.value
        gradients.append([numbers(g) for g in torch.autograd.grad(loss, [X, parameter])])
    for ours, theirs in zip(*gradients, strict=True):
        assert np.abs(ours).max() > 0.1
        np.testing.assert_allclose(ours, theirs, rtol=1e-4, atol=1e-5)


def test_the_keras_layer_takes_the_mask_of_the_layer_before_and_ends_it():
    keras_pooling(np.ones((1, 3)))
    import keras

    from solutions.pooling.in_keras import FeedForwardPooling

    class KeepsItsMask(FeedForwardPooling):
        """As published: without compute_mask of its own, a layer hands its mask on."""

        compute_mask = keras.layers.Layer.compute_mask

    tokens = torch.tensor([[5, 2, 0, 0], [1, 4, 3, 0]])
    words = keras.layers.Embedding(6, 3, mask_zero=True)(tokens)
    for layer, shape in ((FeedForwardPooling(), None), (KeepsItsMask(), (2, 4))):
        context, weights = layer(words)
        np.testing.assert_array_equal(numbers(weights) > 0, numbers(tokens) > 0)
        mask = getattr(context, "_keras_mask", None)
        assert (None if mask is None else tuple(mask.shape)) == shape
        assert tuple(context.shape) == (2, 3)


def test_a_keras_model_with_the_layer_can_be_saved_and_takes_any_length(tmp_path):
    keras_pooling(np.ones((1, 3)))
    import keras

    from solutions.pooling.in_keras import FeedForwardPooling

    inputs = keras.Input((None,), dtype="int32")
    context, _ = FeedForwardPooling()(keras.layers.Embedding(6, 3, mask_zero=True)(inputs))
    model = keras.Model(inputs, keras.layers.Dense(1)(context))
    model.save(tmp_path / "model.keras")
    again = keras.models.load_model(
        tmp_path / "model.keras", custom_objects={"FeedForwardPooling": FeedForwardPooling}
    )
    for num_steps in (3, 8):
        tokens = np.random.default_rng(num_steps).integers(1, 6, (2, num_steps))
        padded = np.pad(tokens, ((0, 0), (0, 2)))
        first = numbers(model(tokens))
        np.testing.assert_allclose(numbers(again(tokens)), first, rtol=1e-5)
        np.testing.assert_allclose(numbers(again(padded)), first, rtol=1e-5)


@both_frameworks
def test_padding_changes_nothing_and_the_order_of_the_steps_does_not_either(framework):
    rng = np.random.default_rng(1)
    layer = pooling(framework, rng.normal(size=(1, 4)))
    X = rng.normal(size=(2, 5, 4))
    context, _ = layer(array(framework, X), None)
    padded = np.concatenate([X, 100 * rng.normal(size=(2, 3, 4))], axis=1)
    mask = np.arange(8) < np.full((2, 1), 5)
    with_padding, weights = layer(array(framework, padded), array(framework, mask))
    np.testing.assert_allclose(numbers(with_padding), numbers(context), rtol=1e-5, atol=1e-6)
    assert (numbers(weights)[:, 5:] == 0).all()
    order = rng.permutation(5)
    shuffled, moved = layer(array(framework, X[:, order]), None)
    np.testing.assert_allclose(numbers(shuffled), numbers(context), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(numbers(moved), numbers(weights)[:, :5][:, order], rtol=1e-5, atol=1e-6)


@both_frameworks
def test_a_score_of_zeros_is_mean_pooling(framework):
    rng = np.random.default_rng(2)
    X, mask = rng.normal(size=(3, 6, 4)), np.arange(6) < np.array([[2], [6], [3]])
    inputs = array(framework, X), array(framework, mask)
    context, _ = pooling(framework, np.zeros((1, 4)))(*inputs)
    mean = solution("pooling", framework).mean_pooling(*inputs)
    np.testing.assert_allclose(numbers(mean), in_numpy.mean_pooling(X, mask), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(numbers(context), numbers(mean), rtol=1e-5, atol=1e-6)


def test_it_is_dot_product_attention_with_one_learned_query():
    rng = np.random.default_rng(3)
    X, score = rng.normal(size=(2, 5, 4)), rng.normal(size=(1, 4))
    layer = pooling("torch", score)
    states = torch.tensor(X, dtype=torch.float32)
    query = layer.score.weight.expand(2, 1, 4)
    attended = torch.nn.functional.scaled_dot_product_attention(query, states, states, scale=1.0)
    np.testing.assert_allclose(numbers(layer(states, None)[0]), numbers(attended)[:, 0], rtol=1e-5, atol=1e-6)


def test_the_chapter_shows_the_keras_layer_that_is_tested():
    sources = [source(cell) for cell in CELLS if "framework-keras" in cell["metadata"].get("tags", [])]
    keras_pooling(np.ones((1, 3)))
    from solutions.pooling.in_keras import FeedForwardPooling

    assert inspect.getsource(FeedForwardPooling).strip() in sources


def test_a_keras_layer_of_the_same_name_is_not_graded_as_pytorch():
    keras = Cell(2, "class FeedForwardPooling: ...", frozenset({"framework-keras"}))
    torchs = Cell(1, "class FeedForwardPooling: ...", frozenset({"framework-torch"}))
    submission = Submission("mine.ipynb", "", (torchs, keras), in_notebook=True)
    assert submission.frameworks("FeedForwardPooling") == ["torch"]
    assert [name for name, _ in submission.sources("torch")] == ["cell 1"]


# --- What the pooling notes get wrong --------------------------------------------------------------


@both_frameworks
def test_the_published_normaliser_gives_masked_steps_weight_and_an_empty_row_nan(framework):
    """Erratum 13."""
    scores = array(framework, np.zeros((2, 3)))
    mask = array(framework, np.array([[1, 1, 0], [0, 0, 0]], dtype=bool))
    a = scores.tanh().exp() * mask
    total = a.sum(axis=1, keepdims=True) if framework == "mxnet" else a.sum(1, keepdim=True)
    published = numbers(a / total + 1e-10)
    assert published[0, 2] == np.float32(1e-10)
    assert np.isnan(published[1]).all()
    mended = numbers(solution("pooling", framework).guarded_pooling_weights(scores, mask, 1e-10))
    np.testing.assert_array_equal(mended, [[0.5, 0.5, 0], [0, 0, 0]])


def test_a_hundred_bounded_steps_give_the_sharpest_one_less_than_seven_percent():
    """Erratum 14."""
    assert round(math.exp(2), 2) == 7.39
    assert round(in_numpy.largest_pooling_weight(100, 1), 3) == 0.069
    scores = np.full((1, 100), -1e3)
    scores[0, 0] = 1e3
    everything = np.ones((1, 100), dtype=bool)
    sharpest = in_numpy.guarded_pooling_weights(scores, everything, 1e-10)
    assert sharpest.max() == pytest.approx(in_numpy.largest_pooling_weight(100, 1))
    assert sharpest.max() / sharpest.min() == pytest.approx(math.exp(2))
    assert in_numpy.masked_weights(scores, everything).max() == 1
    assert claims_that_hold(("bounded",)) == (True,)


def test_no_bounded_scores_exceed_the_largest_weight():
    rng = np.random.default_rng(4)
    for num_steps in (2, 7, 50):
        ceiling = in_numpy.largest_pooling_weight(num_steps, 1)
        scores = rng.normal(size=(500, num_steps)) * rng.uniform(0, 50, (500, 1))
        weights = in_numpy.guarded_pooling_weights(scores, np.ones(scores.shape, dtype=bool), 1e-10)
        assert weights.max() <= ceiling + 1e-9


def test_a_bias_for_each_step_ties_a_layer_to_one_length_and_one_bias_for_all_cancels():
    """Erratum 15."""
    rng = np.random.default_rng(5)
    layer = pooling("torch", rng.normal(size=(1, 4)))
    X = torch.tensor(rng.normal(size=(2, 7, 4)), dtype=torch.float32)
    assert layer(X, None)[1].shape == (2, 7) and layer(X[:, :5], None)[1].shape == (2, 5)
    scores = layer.score(X).squeeze(-1)
    bias = torch.nn.Parameter(torch.zeros(5))
    with pytest.raises(RuntimeError, match="must match the size"):
        scores + bias
    np.testing.assert_allclose(
        numbers((scores + 3).softmax(1)), numbers(layer(X, None)[1]), rtol=1e-5, atol=1e-7
    )
    assert np.abs(numbers((scores + 1).tanh().softmax(1) - scores.tanh().softmax(1))).max() > 0.01


def test_the_published_layers_interfaces_are_gone_or_deprecated():
    """Erratum 16, as it stands with the versions of this course."""
    with pytest.warns(FutureWarning, match="deprecated"):
        torch.nn.init.xavier_uniform(torch.zeros(3, 1))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        torch.nn.init.xavier_uniform_(torch.zeros(3, 1))
    backend = pytest.importorskip("keras").backend
    assert not any(
        hasattr(backend, name) for name in ("dot", "reshape", "tanh", "cast", "sum", "expand_dims")
    )


# --- The adding problem ----------------------------------------------------------------------------


def test_the_adding_problem_marks_two_valid_steps_and_asks_for_their_sum():
    X, mask, answers = in_numpy.adding_problem(300, (4, 9), seed=0)
    values, marks = X[..., 0], X[..., 1]
    lengths = mask.sum(axis=1)
    assert set(lengths) == set(range(4, 10))
    assert (marks.sum(axis=1) == 2).all() and set(np.unique(marks)) == {0, 1}
    assert not X[~mask].any()
    np.testing.assert_allclose(answers[:, 0], (values * marks).sum(axis=1), rtol=1e-6)
    assert (np.abs(marks.sum(axis=0)[:4] - marks.sum(axis=0)[:4].mean()) < 30).all()
    again = in_numpy.adding_problem(300, (4, 9), seed=0)
    np.testing.assert_array_equal(X, again[0])
