"""Is attention explanation? What is measured on the classifiers, and what the weights show."""

from dataclasses import replace

import numpy as np
import pytest

from course.data import reviews
from course.training.sentiment import ClassifierSettings, evidence_share, make_model, stored, trained
from solutions.explanation import in_numpy
from tests.course.training.small import each_classifier, padded, small_reviews, twin_classifiers
from tests.support import need

both_frameworks = pytest.mark.parametrize("framework", ["mxnet", "torch"])


@pytest.fixture(scope="module")
def small():
    """A little task, quick to learn from."""
    return small_reviews()


@each_classifier
def test_the_measures_of_both_frameworks_agree(small, encoder, pooling):
    classifiers = twin_classifiers(encoder, pooling)
    for measure in ("gradient_times_input", "without_each_word"):
        one, other = (getattr(m, measure)(small.test) for m in classifiers.values())
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-5)


@both_frameworks
@each_classifier
def test_more_padding_changes_no_importance(small, framework, encoder, pooling):
    need(framework)
    model = make_model(
        framework, len(small.vocabulary), encoder, pooling, ClassifierSettings(size=5), number=1
    )
    data = small.test
    before, after = model.without_each_word(data), model.without_each_word(padded(data))
    np.testing.assert_allclose(before, after[:, :-4], rtol=1e-4, atol=1e-5)
    assert not after[:, -4:].any()


@both_frameworks
def test_leaving_a_word_out_is_a_review_without_it(small, framework):
    need(framework)
    model = make_model(
        framework, len(small.vocabulary), "Recurrent", "attention", ClassifierSettings(size=5), number=2
    )
    review = small.reviews.test[3]
    shorter = [
        reviews.Review(review.words[:t] + review.words[t + 1 :], review.label)
        for t in range(len(review.words))
    ]
    whole = model.verdicts(reviews.encoded([review], small.vocabulary))
    expected = whole - model.verdicts(reviews.encoded(shorter, small.vocabulary))
    differences = model.without_each_word(small.test)[3, : len(review.words)]
    np.testing.assert_allclose(differences, expected, rtol=1e-4, atol=1e-5)


@both_frameworks
def test_the_slope_is_that_of_the_verdict_along_each_word(small, framework):
    need(framework)
    model = make_model(
        framework, len(small.vocabulary), "Convolution", "attention", ClassifierSettings(size=5), number=2
    )
    data = reviews.encoded(small.reviews.test[:2], small.vocabulary)
    slopes = model.gradient_times_input(data)
    embedded = model.model.embedding(model.backend.array(data.tokens))
    for t in (0, 5):
        moved = []
        for size in (1.01, 0.99):
            factor = np.ones((*data.tokens.shape, 1), dtype=np.float32)
            factor[:, t] = size
            classified = model.model.classify(
                embedded * model.backend.array(factor), model.backend.array(data.lengths)
            )
            moved.append(classified.asnumpy() if framework == "mxnet" else classified.numpy(force=True))
        np.testing.assert_allclose(slopes[:, t], (moved[0] - moved[1]) / 0.02, rtol=0.03, atol=2e-3)


def test_a_large_weight_may_have_no_effect_and_a_word_without_a_vote_may_have_one():
    scores, votes = np.array([[0.0, 0, 2, 1]]), np.array([[0, 0.5, 0, -3]])
    importance = in_numpy.leave_one_out(scores, votes, np.array([4]))
    np.testing.assert_allclose(importance[0, 2:], [0.990, -0.685], atol=1e-3)
    same = in_numpy.leave_one_out(scores, np.full((1, 4), 1.5), np.array([4]))
    np.testing.assert_allclose(same, 0, atol=1e-12)


def test_permuting_weights_that_are_equal_changes_nothing():
    rng = np.random.default_rng(1)
    votes = rng.normal(size=(2, 5))
    orders = rng.permuted(np.tile(np.arange(5), (3, 2, 1)), axis=2)
    np.testing.assert_allclose(
        in_numpy.change_when_permuted(np.full((2, 5), 0.2), votes, orders), 0, atol=1e-12
    )
    uneven = np.array([[0.6, 0.1, 0.1, 0.1, 0.1]] * 2)
    assert (in_numpy.change_when_permuted(uneven, votes, orders) > 0).all()


@pytest.mark.slow
@both_frameworks
def test_a_price_turns_the_attention_away_and_the_verdicts_stay_right(small, framework):
    need(framework)
    settings = ClassifierSettings(size=16, batch=20, epochs=20)
    model = trained(framework, replace(small, valid=small.train), settings=settings, number=1)

    def price(weights, marked):
        share = (weights * marked).sum(**{"axis" if framework == "mxnet" else "dim": 1})
        return -(1.0001 - share).log().mean()

    before = evidence_share(model.weights(small.train), small.train)
    step = model.code.training_step(model.model, 0.01, price)
    for batch in reviews.batch_indices(60, 20, 15, seed=0):
        inputs = (*small.train.batch(batch), small.train.marked(batch))
        step(*map(model.backend.array, inputs))
    after = evidence_share(model.weights(small.train), small.train)
    assert before > 0.1 > 0.03 > after
    assert model.accuracy(small.train) > 0.95


def test_what_the_chapter_says_of_the_stored_runs_holds():
    for framework in ("mxnet", "torch", "keras"):
        attending = [run for run in stored("grammar", framework)["runs"] if "evidence" in run]
        assert min(run["test"] for run in attending) >= 0.99
        shares = {k: [r["evidence"] for r in attending if r["kind"] == k] for k in ("attention", "windows")}
        assert max(shares["attention"]) - min(shares["attention"]) > 0.4
        assert min(shares["windows"], default=1) > 0.5
