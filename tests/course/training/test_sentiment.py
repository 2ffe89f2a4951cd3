"""Training the classifiers of reviews, and what is measured on them."""

from dataclasses import replace

import numpy as np
import pytest

from autograder.frameworks.libraries import torch
from course.training.sentiment import (
    ClassifierSettings,
    Model,
    evidence_share,
    make_model,
    num_steps,
    steps,
    trained,
)
from tests.course.training.small import small_reviews
from tests.support import need

both_frameworks = pytest.mark.parametrize("framework", ["mxnet", "torch"])


@pytest.fixture(scope="module")
def small():
    """A little task, quick to learn from."""
    return small_reviews()


def test_the_weights_of_the_best_validation_epoch_are_kept(small, monkeypatch):
    model = make_model(
        "torch",
        len(small.vocabulary),
        "Convolution",
        "mean",
        ClassifierSettings(size=4, batch=50, epochs=4),
        0,
    )
    accuracies = iter([0.5, 0.9, 0.9, 0.7])
    held = []

    def accuracy(self, data):
        assert data is small.valid
        held.append(self.parameters())
        return next(accuracies)

    monkeypatch.setattr(Model, "accuracy", accuracy)
    assert max(steps(model, small, 0)) == num_steps(small, model.settings) == 8
    for name, value in model.parameters().items():
        assert torch.equal(value, held[1][name])
    assert any(not torch.equal(value, held[3][name]) for name, value in model.parameters().items())


@pytest.mark.slow
@both_frameworks
def test_a_training_learns_its_reviews_and_the_same_seed_repeats_it(small, framework):
    need(framework)
    learned = replace(small, valid=small.train)
    settings = ClassifierSettings(size=16, batch=20, epochs=20)
    first, second = (trained(framework, learned, settings=settings, number=1) for _ in range(2))
    assert first.accuracy(learned.train) > 0.95
    np.testing.assert_allclose(first.verdicts(small.test), second.verdicts(small.test), rtol=1e-4, atol=1e-4)


def test_a_model_that_there_is_not_is_refused_in_a_sentence():
    for arguments, sentence in (
        (("jax", "Recurrent", "mean"), "There is no framework 'jax'"),
        (("torch", "Recurrent", "median"), "There is no pooling 'median'"),
        (("torch", "Transformer", "mean"), "There is no encoder 'Transformer'"),
        (("keras", "Recurrent", "last"), "In Keras there are"),
        (("keras", "Convolution", "mean"), "In Keras there are"),
    ):
        framework, encoder, pooling = arguments
        with pytest.raises(ValueError, match=sentence):
            make_model(framework, 10, encoder, pooling, ClassifierSettings(), 0)


def test_the_share_on_the_evidence_is_the_weight_that_lies_there(small):
    even = (small.test.tokens > 0) / small.test.lengths[:, None]
    share = (small.test.evidence.sum(axis=1) / small.test.lengths).mean()
    assert evidence_share(even, small.test) == pytest.approx(share)
    assert evidence_share(small.test.evidence / 3, small.test) == pytest.approx(1)
