"""Sentiment: the classifiers of both frameworks, and what their weights explain."""

from dataclasses import replace

import numpy as np
import pytest

from course.data import reviews
from course.frameworks import mx
from course.training.sentiment import ClassifierSettings, evidence_share, make_model, stored, trained
from solutions.sentiment import in_numpy
from tests.course.training.small import small_reviews
from tests.support import need

both_frameworks = pytest.mark.parametrize("framework", ["mxnet", "torch"])


@pytest.fixture(scope="module")
def small():
    """A little task, quick to learn from."""
    return small_reviews()


def twins(small, encoder, pooling):
    """A classifier in MXNet and the same in PyTorch, with the same random weights."""
    need("mxnet")
    settings = ClassifierSettings(size=6)
    made = {
        f: make_model(f, len(small.vocabulary), encoder, pooling, settings, number=4)
        for f in ("mxnet", "torch")
    }
    held = made["torch"].model.state_dict()
    renamed = {}
    for name, value in held.items():
        if "lstm" in name:
            kind, gate = name.split(".")[-1].split("_")[:2]
            way = "back" if name.endswith("_reverse") else "there"
            side = "i2h" if gate == "ih" else "h2h"
            renamed[f"encoder.{way}._unfused.0.{side}_{kind}"] = value
        else:
            renamed[name] = value
    structured = made["mxnet"].model._collect_params_with_prefix()
    assert set(structured) == set(renamed)
    for name, parameter in structured.items():
        parameter.set_data(mx.nd.array(renamed[name].numpy()))
    return made


each_classifier = pytest.mark.parametrize(
    ("encoder", "pooling"),
    [
        ("Recurrent", "attention"),
        ("Recurrent", "last"),
        ("Convolution", "attention"),
        ("Convolution", "mean"),
        ("Convolution", "maximum"),
    ],
)


@each_classifier
def test_the_classifiers_of_both_frameworks_agree(small, encoder, pooling):
    made = twins(small, encoder, pooling)
    verdicts, votes, slopes, lost = (
        [getattr(m, what)(small.test) for m in made.values()]
        for what in ("verdicts", "votes", "gradient_times_input", "without_each_word")
    )
    for one, other in (verdicts, votes, slopes, lost):
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-5)
    if pooling == "attention":
        one, other = (m.weights(small.test) for m in made.values())
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-5)
        np.testing.assert_allclose((one * votes[0]).sum(axis=1), verdicts[0], rtol=1e-4, atol=1e-4)


@each_classifier
def test_steps_of_training_change_both_frameworks_alike(small, encoder, pooling):
    made = twins(small, encoder, pooling)
    before = made["torch"].verdicts(small.test)
    for model in made.values():
        for chosen in reviews.batch_indices(60, 15, 2, seed=0):
            model.train_step(small.train, chosen)
    one, other = (m.verdicts(small.test) for m in made.values())
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
    wider = reviews.Encoded(
        np.pad(data.tokens, ((0, 0), (0, 4))),
        data.lengths,
        data.labels,
        np.pad(data.evidence, ((0, 0), (0, 4))),
    )
    np.testing.assert_allclose(model.verdicts(data), model.verdicts(wider), rtol=1e-4, atol=1e-5)
    before, after = model.without_each_word(data), model.without_each_word(wider)
    np.testing.assert_allclose(before, after[:, :-4], rtol=1e-4, atol=1e-5)
    assert not after[:, -4:].any()


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
        wanted = [i for i in range(length) if abs(i - 7) <= reach]
        assert changed.tolist() == wanted


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
    wanted = whole - model.verdicts(reviews.encoded(shorter, small.vocabulary))
    found = model.without_each_word(small.test)[3, : len(review.words)]
    np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-5)


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
    called = model(keras.ops.array(tokens[:2]))
    assert called.shape == (2,) and getattr(called, "_keras_mask", None) is None


def test_the_mean_the_maximum_and_the_last_are_those_of_a_loop():
    rng = np.random.default_rng(0)
    states, lengths = rng.normal(size=(4, 6, 3)), np.array([1, 6, 3, 4])
    found = in_numpy.pool_over_time(states, lengths)
    for row, length in enumerate(lengths):
        real = states[row, :length]
        for pooled, wanted in zip(found, (real.mean(0), real.max(0), real[-1]), strict=True):
            np.testing.assert_allclose(pooled[row], wanted)


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
        there = (weights * marked).sum(**{"axis" if framework == "mxnet" else "dim": 1})
        return -(1.0001 - there).log().mean()

    before = evidence_share(model.weights(small.train), small.train)
    step = model.code.training_step(model.model, 0.01, price)
    for chosen in reviews.batch_indices(60, 20, 15, seed=0):
        given = (*small.train.batch(chosen), small.train.marked(chosen))
        step(*map(model.backend.array, given))
    after = evidence_share(model.weights(small.train), small.train)
    assert before > 0.1 > 0.03 > after
    assert model.accuracy(small.train) > 0.95


def test_what_the_chapter_says_of_the_stored_runs_holds():
    for framework in ("mxnet", "torch", "keras"):
        found = stored("grammar", framework)
        attending = [run for run in found["runs"] if "evidence" in run]
        assert min(run["test"] for run in attending) >= 0.99
        shares = {k: [r["evidence"] for r in attending if r["kind"] == k] for k in ("attention", "windows")}
        # "anywhere between ..." is said of all three together, and of each that they differ.
        assert max(shares["attention"]) - min(shares["attention"]) > 0.4
        assert min(shares["windows"], default=1) > 0.5
        means = {kind: numbers["mean"] for kind, numbers in found["summary"].items()}
        assert means["attention"] == max(means.values()) and means["attention"] - means["mean"] < 0.01
        assert means.get("last", 0) < means["mean"]
    for data, frameworks in (("uci", ("mxnet", "torch", "keras")), ("films", ("mxnet", "torch"))):
        for framework in frameworks:
            found = stored(data, framework)
            means = {kind: numbers["mean"] for kind, numbers in found["summary"].items()}
            if data == "films":
                assert found["bag_of_words"] > max(means.values())
            assert all(abs(found["bag_of_words"] - mean) < 0.02 for mean in means.values())
            assert means["attention"] - means["mean"] < 0.02
            assert means["attention"] - means.get("last", 1) < 0.03
