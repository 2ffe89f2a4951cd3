"""Trains the classifiers of `solutions/sentiment` and explains them, with the same calls in every framework."""

import importlib
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from autograder.frameworks.libraries import seed
from autograder.model.paths import ROOT
from course.data.reviews import (
    Encoded,
    ReviewVocabulary,
    Splits,
    batch_indices,
    encoded,
    splits,
    written_reviews,
)
from course.training.backends import backend

Floats = NDArray[np.float64]
FRAMEWORKS = ("torch", "mxnet", "keras")
ENCODERS = ("Recurrent", "Convolution")
POOLINGS = ("attention", "mean", "maximum", "last")


@dataclass(frozen=True)
class ClassifierSettings:
    """The sizes and the training of a classifier.

    at_least: how often a word must occur in training to get a number of its own
    """

    size: int = 24
    dropout: float = 0.0
    rate: float = 0.015
    batch: int = 100
    epochs: int = 7
    at_least: int = 1


GRAMMAR_SETTINGS = ClassifierSettings()
# A window of five words needs more steps than an LSTM.
WRITTEN_WINDOWS = ClassifierSettings(size=32, batch=50, epochs=10)
CLASSIFIER_SETTINGS = {
    "grammar": GRAMMAR_SETTINGS,
    "uci": ClassifierSettings(size=32, dropout=0.5, rate=0.005, batch=50, epochs=10, at_least=2),
    "films": ClassifierSettings(size=32, dropout=0.5, rate=0.005, epochs=8, at_least=2),
}


@dataclass(frozen=True)
class Dataset:
    """Reviews for training, validation and test, as words and as arrays; the vocabulary is that of the training."""

    reviews: Splits
    vocabulary: ReviewVocabulary
    train: Encoded
    valid: Encoded
    test: Encoded


def dataset(reviews: Splits, at_least: int = 1) -> Dataset:
    """Number the words of reviews."""
    vocabulary = ReviewVocabulary(reviews.train, at_least)
    parts = (encoded(part, vocabulary) for part in (reviews.train, reviews.valid, reviews.test))
    return Dataset(reviews, vocabulary, *parts)


def written_dataset() -> Dataset:
    """Return reviews of the grammar: 2000 for training, 400 for validation, 600 for the test."""
    return dataset(splits(written_reviews(3000, seed=0), 400, 600))


class Model:
    """A classifier of PyTorch or MXNet that takes and gives NumPy arrays; `make_model` makes one."""

    def __init__(
        self,
        framework: str,
        num_words: int,
        encoder: str,
        pooling: str,
        settings: ClassifierSettings,
        number: int,
    ) -> None:
        self.framework, self.encoder, self.pooling, self.settings = framework, encoder, pooling, settings
        self.code: ModuleType = importlib.import_module(f"solutions.sentiment.in_{framework}")
        seed(number)
        self._make(num_words, number)
        self.step = self.code.training_step(self.model, settings.rate)

    def _make(self, num_words: int, number: int) -> None:
        self.backend = backend(self.framework)
        s = self.settings
        encoder = getattr(self.code, self.encoder)
        self.model = self.code.Classifier(num_words, s.size, encoder, self.pooling, s.dropout)
        self.backend.initialise(self.model)

    def train_step(self, data: Encoded, indices: Any) -> None:
        """Take one step of training on some reviews."""
        self.step(*(self.backend.array(part) for part in data.batch(indices)))

    def verdicts(self, data: Encoded) -> Floats:
        """Return (n,): above 0 is praise."""
        return self._outputs(data)[0]

    def weights(self, data: Encoded) -> Floats:
        """Return (n, num_steps), zero for padding. Only a model with attention has them."""
        return self._outputs(data)[1]

    def votes(self, data: Encoded) -> Floats:
        """Return (n, num_steps): the verdict of each state alone. Not in Keras."""
        return self._outputs(data)[2]

    def accuracy(self, data: Encoded) -> float:
        """Return the share of right verdicts."""
        return float(((self.verdicts(data) > 0) == (data.labels > 0)).mean())

    def without_each_word(self, data: Encoded) -> Floats:
        """Return (n, num_steps): the verdict less the verdict without a word."""
        return self._explained("importance_without", data)

    def gradient_times_input(self, data: Encoded) -> Floats:
        """Return (n, num_steps): the gradient of the verdict times each word vector."""
        return self._explained("gradient_times_input", data)

    def _explained(self, measure: str, data: Encoded) -> Floats:
        explain = getattr(importlib.import_module(f"solutions.explanation.in_{self.framework}"), measure)
        arrays = self.backend.array(data.tokens), self.backend.array(data.lengths)
        return self._floats(explain(self.model, *arrays))

    def _outputs(self, data: Encoded) -> tuple[Floats, ...]:
        """Return the verdicts, the weights (without attention the verdicts again), and the votes."""
        with self.backend.evaluating(self.model):
            verdict = self.model(self.backend.array(data.tokens), self.backend.array(data.lengths))
        weights = self.model.weights if self.pooling == "attention" else verdict
        return self._floats(verdict), self._floats(weights), self._floats(self.model.votes)

    def _floats(self, values: Any) -> Floats:
        return np.asarray(self.backend.numpy(values), dtype=np.float64)

    def parameters(self) -> Any:
        """Return a copy of all learned arrays, for `set_parameters`."""
        return self.backend.parameters(self.model)

    def set_parameters(self, copies: Any) -> None:
        """Set all learned arrays to what `parameters` copied."""
        self.backend.set_parameters(self.model, copies)


class KerasModel(Model):
    """The same in Keras: an LSTM with attention or with the mean, without votes and explanations."""

    def _make(self, num_words: int, number: int) -> None:
        self.code.keras.utils.set_random_seed(number)
        s = self.settings
        self.model, self.weights_model = self.code.classifier(num_words, s.size, self.pooling, s.dropout)

    def train_step(self, data: Encoded, indices: Any) -> None:
        """Take one step of training; Keras finds the lengths by the padding."""
        tokens, _, labels = data.batch(indices)
        self.step(tokens, labels)

    def _outputs(self, data: Encoded) -> tuple[Floats, ...]:
        models = [model for model in (self.model, self.weights_model) if model]
        return tuple(np.asarray(model.predict(data.tokens, verbose=0), dtype=np.float64) for model in models)

    def parameters(self) -> Any:
        """Return a copy of all learned arrays, for `set_parameters`."""
        return self.model.get_weights()

    def set_parameters(self, copies: Any) -> None:
        """Set all learned arrays to what `parameters` copied."""
        self.model.set_weights(copies)


def make_model(
    framework: str, num_words: int, encoder: str, pooling: str, settings: ClassifierSettings, number: int
) -> Model:
    """Return a new classifier. number: the seed of the weights, and of dropout.

    Raises ValueError for a framework that is not installed, and for a framework, an encoder or a pooling
    that does not exist.
    """
    _refuse_unknown("framework", framework, FRAMEWORKS)
    _refuse_unknown("encoder", encoder, ENCODERS)
    _refuse_unknown("pooling", pooling, POOLINGS)
    if framework != "keras":
        return Model(framework, num_words, encoder, pooling, settings, number)
    if encoder != "Recurrent" or pooling not in ("attention", "mean"):
        raise ValueError("In Keras there are an LSTM with attention and one with the mean.")
    return KerasModel(framework, num_words, encoder, pooling, settings, number)


def _refuse_unknown(what: str, name: str, names: Sequence[str]) -> None:
    if name not in names:
        raise ValueError(f"There is no {what} {name!r}; there are: {', '.join(names)}.")


def steps(model: Model, data: Dataset, number: int) -> Iterator[int]:
    """Train a model; yields the number of steps taken so far.

    In the end it has the weights of the epoch that did best on the validation reviews, the first of
    them if there are several.
    """
    settings, best, copies = model.settings, -1.0, None
    num_batches = -(-len(data.train) // settings.batch)
    order = batch_indices(len(data.train), settings.batch, settings.epochs, number)
    for step, indices in enumerate(order, start=1):
        model.train_step(data.train, indices)
        if step % num_batches == 0 and (now := model.accuracy(data.valid)) > best:
            best, copies = now, model.parameters()
        yield step
    model.set_parameters(copies)


def num_steps(data: Dataset, settings: ClassifierSettings) -> int:
    """Return how many steps a training takes."""
    return settings.epochs * -(-len(data.train) // settings.batch)


def trained(
    framework: str,
    data: Dataset,
    encoder: str = "Recurrent",
    pooling: str = "attention",
    settings: ClassifierSettings = GRAMMAR_SETTINGS,
    number: int = 0,
    progress: Callable[[Iterator[int], int], Iterator[int]] | None = None,
) -> Model:
    """Return a trained model. number: its seed; progress: takes the steps and their count, and shows them pass."""
    model = make_model(framework, len(data.vocabulary), encoder, pooling, settings, number)
    run = steps(model, data, number)
    for _ in progress(run, num_steps(data, settings)) if progress else run:
        pass
    return model


def evidence_share(weights: Floats, data: Encoded) -> float:
    """Return the sum of the weights on the evidence, as a mean over reviews."""
    return float((weights * data.evidence).sum(axis=1).mean())


def stored(data: str, framework: str) -> dict[str, Any]:
    """Return what `python -m course.training sentiment` has written to `benchmarks/results`."""
    path = ROOT / "benchmarks" / "results" / f"sentiment_{data}_{framework}.json"
    report: dict[str, Any] = json.loads(path.read_text())
    return report
