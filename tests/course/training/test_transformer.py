"""The transformer as a translator: what it computes, in both frameworks, and how it is decoded."""

import numpy as np
import pytest

from course.data.sentence_pairs import BEGIN, PAD, batch_of
from course.training.transformer import TransformerSettings, TransformerTrainer
from solutions.transformer import in_numpy
from tests.course.training.small import small_corpus
from tests.support import FRAMEWORKS, need

SMALL = TransformerSettings(num_hiddens=8, num_heads=2, num_layers=2, batch_size=4, epochs=2, seed=3)
each_framework = pytest.mark.parametrize("framework", FRAMEWORKS)


def small_transformer(framework):
    need(framework)
    return TransformerTrainer(framework, small_corpus(), SMALL)


def scores_and_weights(trainer, batch):
    source, length, target, _ = trainer.arrays(batch)
    with trainer.backend.evaluating(trainer.model):
        outputs = trainer.model(source, length, target[:, :-1])
    return tuple(trainer.backend.numpy(value) for value in outputs)


def batch_of_some(trainer, count=3):
    batch = batch_of(trainer.corpus.train[:count], trainer.corpus.source, trainer.corpus.target)
    assert len(set(batch.source_length)) > 1
    return batch


@each_framework
def test_its_scores_are_those_of_the_course_transformer_in_numpy(framework):
    trainer = small_transformer(framework)
    batch, corpus = batch_of_some(trainer), trainer.corpus
    size = max(len(corpus.source), len(corpus.target))
    weights = in_numpy.initial_weights(size, 8, 16, 2, SMALL.seed)
    expected = in_numpy.transformer(batch.source, batch.target[:, :-1], batch.source_length, 2, weights)
    scores, _ = scores_and_weights(trainer, batch)
    np.testing.assert_allclose(scores, expected, rtol=1e-3, atol=1e-4)
    assert trainer.num_weights == sum(array.size for array in weights.values())


@each_framework
def test_its_weights_are_a_mean_of_heads_without_padding(framework):
    trainer = small_transformer(framework)
    batch = batch_of_some(trainer)
    _, weights = scores_and_weights(trainer, batch)
    assert weights.shape == (*batch.target[:, :-1].shape, batch.source.shape[1])
    np.testing.assert_allclose(weights.sum(axis=-1), 1, rtol=1e-5)
    for row, length in zip(weights, batch.source_length, strict=True):
        assert (row[:, :length] > 0).all() and not row[:, length:].any()
    last = (trainer.model.transformer.decoder)[1].cross_attention.attention_weights
    heads = trainer.backend.numpy(last).reshape(len(batch), 2, *weights.shape[1:])
    np.testing.assert_allclose(weights, heads.mean(axis=1), rtol=1e-5)
    assert not np.allclose(heads[:, 0], heads[:, 1])


@each_framework
def test_greedy_decoding_takes_the_likeliest_word_each_time(framework):
    trainer = small_transformer(framework)
    batch = batch_of_some(trainer)
    source, length = (trainer.backend.array(a) for a in (batch.source, batch.source_length))
    words, weights = (trainer.backend.numpy(a) for a in trainer.greedy(source, length, 5))
    decoder_inputs = np.concatenate([np.full((3, 1), BEGIN), words.astype(int)], axis=1)
    again = trainer.model(source, length, trainer.backend.array(decoder_inputs[:, :-1]))
    scores, expected = (trainer.backend.numpy(value) for value in again)
    np.testing.assert_array_equal(scores.argmax(axis=-1), words)
    np.testing.assert_allclose(weights, expected, rtol=1e-4, atol=1e-6)


@each_framework
def test_padding_changes_no_word_and_training_lowers_the_loss(framework):
    trainer = small_transformer(framework)
    batch = batch_of_some(trainer)
    wide = np.pad(batch.source, ((0, 0), (0, 4)), constant_values=PAD)
    length = trainer.backend.array(batch.source_length)
    words = [trainer.greedy(trainer.backend.array(a), length, 4)[0] for a in (batch.source, wide)]
    np.testing.assert_array_equal(*(trainer.backend.numpy(w) for w in words))
    losses = [np.mean(list(trainer.epoch())) for _ in range(2)]
    assert trainer.done == 2 and losses[1] < losses[0]


def test_both_frameworks_lose_alike_on_the_same_batches():
    losses = [list(small_transformer(framework).epoch()) for framework in FRAMEWORKS]
    np.testing.assert_allclose(losses[0], losses[1], rtol=1e-3)


def test_without_settings_it_has_those_of_the_chapter():
    trainer = TransformerTrainer("torch", small_corpus())
    assert trainer.settings == TransformerSettings()
    assert trainer.settings.epochs == 4 and trainer.settings.num_layers == 1
