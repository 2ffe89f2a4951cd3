"""Sentiment: the classifiers of both frameworks, and attention at two levels."""

import numpy as np
import pytest

from course.data import reviews
from course.training.sentiment import ClassifierSettings, make_model, stored
from solutions.masked_softmax.in_numpy import softmax
from solutions.sentiment import in_numpy
from tests.course.training.small import each_classifier, padded, small_reviews, twin_classifiers
from tests.support import need

both_frameworks = pytest.mark.parametrize("framework", ["mxnet", "torch"])


@pytest.fixture(scope="module")
def small():
    """A little task, quick to learn from."""
    return small_reviews()


@each_classifier
def test_the_classifiers_of_both_frameworks_agree(small, encoder, pooling):
    classifiers = twin_classifiers(encoder, pooling)
    verdicts, votes = (
        [getattr(m, what)(small.test) for m in classifiers.values()] for what in ("verdicts", "votes")
    )
    for one, other in (verdicts, votes):
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-5)
    if pooling == "attention":
        one, other = (m.weights(small.test) for m in classifiers.values())
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-5)
        np.testing.assert_allclose((one * votes[0]).sum(axis=1), verdicts[0], rtol=1e-4, atol=1e-4)


@each_classifier
def test_steps_of_training_change_both_frameworks_alike(small, encoder, pooling):
    classifiers = twin_classifiers(encoder, pooling)
    before = classifiers["torch"].verdicts(small.test)
    for model in classifiers.values():
        for batch in reviews.batch_indices(60, 15, 2, seed=0):
            model.train_step(small.train, batch)
    one, other = (m.verdicts(small.test) for m in classifiers.values())
    # Adam divides by the size of a gradient: where that is nearly zero, rounding shows.
    moved = np.abs(one - before).mean()
    assert np.abs(one - other).mean() < 0.05 * moved


@both_frameworks
@each_classifier
def test_more_padding_changes_no_verdict(small, framework, encoder, pooling):
    need(framework)
    model = make_model(
        framework, len(small.vocabulary), encoder, pooling, ClassifierSettings(size=5), number=1
    )
    data = small.test
    np.testing.assert_allclose(model.verdicts(data), model.verdicts(padded(data)), rtol=1e-4, atol=1e-5)


@both_frameworks
def test_a_state_of_the_convolution_sees_two_words_on_each_side_and_one_of_the_lstm_sees_all(
    small, framework
):
    need(framework)
    for encoder, reach in (("Convolution", 2), ("Recurrent", 99)):
        model = make_model(
            framework, len(small.vocabulary), encoder, "attention", ClassifierSettings(size=5), number=1
        )
        tokens = small.test.tokens[:1].copy()
        length = small.test.lengths[0]
        before = model.votes(
            reviews.Encoded(tokens, small.test.lengths[:1], small.test.labels[:1], tokens > 0)
        )
        tokens[0, 7] = 2 if tokens[0, 7] != 2 else 3
        after = model.votes(
            reviews.Encoded(tokens, small.test.lengths[:1], small.test.labels[:1], tokens > 0)
        )
        changed = np.flatnonzero(np.abs(after - before)[0, :length] > 1e-7)
        expected = [i for i in range(length) if abs(i - 7) <= reach]
        assert changed.tolist() == expected


@pytest.mark.parametrize("pooling", ["attention", "mean"])
def test_the_keras_model_says_what_pytorch_says_and_its_mask_ends_at_the_pooling(small, pooling):
    keras = pytest.importorskip("keras")
    from solutions.sentiment import in_keras

    source = make_model(
        "torch", len(small.vocabulary), "Recurrent", pooling, ClassifierSettings(size=6), number=0
    )
    model, weights_model = in_keras.classifier(len(small.vocabulary), 6, pooling)
    in_keras.take_weights(model, source.model)
    tokens = small.test.tokens
    np.testing.assert_allclose(
        model.predict(tokens, verbose=0), source.verdicts(small.test), rtol=1e-3, atol=1e-4
    )
    if pooling == "attention":
        np.testing.assert_allclose(
            weights_model.predict(tokens, verbose=0), source.weights(small.test), rtol=1e-3, atol=1e-5
        )
    else:
        assert weights_model is None
    output = model(keras.ops.array(tokens[:2]))
    assert output.shape == (2,) and getattr(output, "_keras_mask", None) is None


def test_the_mean_the_maximum_and_the_last_are_those_of_a_loop():
    rng = np.random.default_rng(0)
    states, lengths = rng.normal(size=(4, 6, 3)), np.array([1, 6, 3, 4])
    results = in_numpy.pool_over_time(states, lengths)
    for row, length in enumerate(lengths):
        real = states[row, :length]
        for pooled, expected in zip(results, (real.mean(0), real.max(0), real[-1]), strict=True):
            np.testing.assert_allclose(pooled[row], expected)


def test_two_levels_of_attention_are_those_of_a_loop():
    rng = np.random.default_rng(0)
    states, lengths = rng.normal(size=(3, 4, 5, 2)), np.array([[5, 0, 1, 2], [3, 4, 5, 1], [0, 0, 2, 0]])
    word_query, sentence_query = rng.normal(size=2), rng.normal(size=2)
    context, sentence_weights, word_weights = in_numpy.hierarchical_attention(
        states, lengths, word_query, sentence_query
    )
    for b, review in enumerate(states):
        vectors = []
        for s, words in enumerate(review):
            real = words[: lengths[b, s]]
            if len(real):
                np.testing.assert_allclose(word_weights[b, s, : len(real)], softmax(real @ word_query))
                vectors.append(softmax(real @ word_query) @ real)
        weights = softmax(np.array(vectors) @ sentence_query)
        np.testing.assert_allclose(sentence_weights[b][lengths[b] > 0], weights)
        np.testing.assert_allclose(context[b], weights @ vectors)
    products = sentence_weights[..., None] * word_weights
    np.testing.assert_allclose(context, np.einsum("bst,bstf->bf", products, states))


def test_a_sentence_with_a_length_of_0_is_a_sentence_that_is_not_there():
    rng = np.random.default_rng(1)
    states, lengths = rng.normal(size=(2, 3, 4, 5)), np.array([[4, 2, 3], [1, 4, 4]])
    queries = rng.normal(size=(2, 5))
    without = in_numpy.hierarchical_attention(
        np.delete(states, 1, axis=1), np.delete(lengths, 1, axis=1), *queries
    )
    lengths[:, 1] = 0
    results = in_numpy.hierarchical_attention(states, lengths, *queries)
    np.testing.assert_allclose(results[0], without[0])
    np.testing.assert_allclose(np.delete(results[1], 1, axis=1), without[1])
    assert not results[1][:, 1].any() and not results[2][:, 1].any()


def test_what_the_chapter_says_of_the_stored_runs_holds():
    for framework in ("mxnet", "torch", "keras"):
        means = {kind: of["mean"] for kind, of in stored("grammar", framework)["summary"].items()}
        assert means["attention"] == max(means.values()) and means["attention"] - means["mean"] < 0.01
        assert means.get("last", 0) < means["mean"]
    for data, frameworks in (("uci", ("mxnet", "torch", "keras")), ("films", ("mxnet", "torch"))):
        for framework in frameworks:
            runs = stored(data, framework)
            means = {kind: numbers["mean"] for kind, numbers in runs["summary"].items()}
            if data == "films":
                assert runs["bag_of_words"] > max(means.values())
            assert all(abs(runs["bag_of_words"] - mean) < 0.02 for mean in means.values())
            assert means["attention"] - means["mean"] < 0.02
            assert means["attention"] - means.get("last", 1) < 0.03
