"""Tasks that are quick to learn, for tests of training and of the models."""

from dataclasses import replace
from functools import cache

from course.data import grammar, reviews
from course.training import sentiment
from course.training.translation import Learner, Settings, Task
from tests.support import need

SMALL = Settings(embed_size=6, num_hiddens=8, batch_size=4, epochs=2, seed=3)


def small_task(count=12):
    return Task("small", grammar.pairs(count, seed=5), grammar.pairs(4, seed=6))


def small_learner(framework, **changes):
    need(framework)
    return Learner(framework, small_task(), replace(SMALL, **changes))


@cache
def small_reviews():
    """120 written reviews: 60 to learn from, 20 for validation, 40 for the test."""
    return sentiment.task(reviews.splits(reviews.written_reviews(120, seed=3), 20, 40))
