"""Tasks that are quick to learn, for tests of training and of the models."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from autograder.frameworks.libraries import mx
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


def padded(data):
    """The same reviews with four more steps of padding."""
    wider = {name: np.pad(getattr(data, name), ((0, 0), (0, 4))) for name in ("tokens", "evidence")}
    return replace(data, **wider)


def twin_classifiers(encoder, pooling):
    """A classifier in MXNet and the same in PyTorch, with the same random weights."""
    need("mxnet")
    settings = sentiment.ClassifierSettings(size=6)
    classifiers = {
        f: sentiment.make_model(f, len(small_reviews().vocabulary), encoder, pooling, settings, number=4)
        for f in ("mxnet", "torch")
    }
    held = classifiers["torch"].model.state_dict()
    renamed = {}
    for name, value in held.items():
        if "lstm" in name:
            kind, gate = name.split(".")[-1].split("_")[:2]
            way = "back" if name.endswith("_reverse") else "there"
            side = "i2h" if gate == "ih" else "h2h"
            renamed[f"encoder.{way}._unfused.0.{side}_{kind}"] = value
        else:
            renamed[name] = value
    structured = classifiers["mxnet"].model._collect_params_with_prefix()
    assert set(structured) == set(renamed)
    for name, parameter in structured.items():
        parameter.set_data(mx.nd.array(renamed[name].numpy()))
    return classifiers
