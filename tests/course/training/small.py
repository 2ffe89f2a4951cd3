"""Tasks that are quick to learn, for tests of training and of the models."""

from dataclasses import replace
from functools import cache

from course.data import grammar, reviews
from course.training import sentiment
from course.training.translation import Corpus, Trainer, TranslatorSettings
from tests.support import need

SMALL = TranslatorSettings(embed_size=6, num_hiddens=8, batch_size=4, epochs=2, seed=3)


def small_corpus(count=12):
    return Corpus("small", grammar.pairs(count, seed=5), grammar.pairs(4, seed=6))


def small_trainer(framework, **changes):
    need(framework)
    return Trainer(framework, small_corpus(), replace(SMALL, **changes))


@cache
def small_reviews():
    """120 written reviews: 60 to learn from, 20 for validation, 40 for the test."""
    return sentiment.dataset(reviews.splits(reviews.written_reviews(120, seed=3), 20, 40))
