"""Trains the classifiers of `solutions/sentiment`, and looks into them, the same in every framework."""

import importlib
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from course.data.reviews import Encoded, Splits, Vocabulary, batches, encoded, splits, written_reviews
from course.frameworks import WITHOUT_MXNET, mx, seed, torch
from course.paths import ROOT

Floats = NDArray[np.float64]
FRAMEWORKS = ("torch", "mxnet", "keras")
ENCODERS = ("Recurrent", "Convolution")
POOLINGS = ("attention", "mean", "maximum", "last")


@dataclass(frozen=True)
class Settings:
    """What a training is told. at_least: how often a word must occur to get a number."""

    size: int = 24
    dropout: float = 0.0
    rate: float = 0.015
    batch: int = 100
    epochs: int = 7
    at_least: int = 1


WRITTEN = Settings()
# A window sees less than an LSTM and needs more steps.
WRITTEN_WINDOWS = Settings(size=32, batch=50, epochs=10)
SUITS = {
    "grammar": WRITTEN,
    "uci": Settings(size=32, dropout=0.5, rate=0.005, batch=50, epochs=10, at_least=2),
    "films": Settings(size=32, dropout=0.5, rate=0.005, epochs=8, at_least=2),
}


@dataclass(frozen=True)
class Task:
    """Reviews dealt out, as words and as arrays; the vocabulary knows the training reviews only."""

    reviews: Splits
    vocabulary: Vocabulary
    train: Encoded
    valid: Encoded
    test: Encoded


def task(reviews: Splits, at_least: int = 1) -> Task:
    """Number the words of reviews."""
    vocabulary = Vocabulary(reviews.train, at_least)
    parts = (encoded(part, vocabulary) for part in (reviews.train, reviews.valid, reviews.test))
    return Task(reviews, vocabulary, *parts)


def written_task() -> Task:
    """2000 reviews of the grammar to learn from, 400 to choose by, and 600 to measure on."""
    return task(splits(written_reviews(3000, seed=0), 400, 600))


class Model:
    """A classifier of one framework that takes and gives NumPy arrays."""

    def __init__(
        self, framework: str, num_words: int, encoder: str, pooling: str, settings: Settings, number: int
    ) -> None:
        """number: the seed of the weights, and of dropout.

        Raises ValueError for a framework, an encoder or a pooling that there is not.
        """
        _known("framework", framework, FRAMEWORKS)
        _known("encoder", encoder, ENCODERS)
        _known("pooling", pooling, POOLINGS)
        if framework == "mxnet" and mx is None:
            raise ValueError(WITHOUT_MXNET)
        self.framework, self.encoder, self.pooling, self.settings = framework, encoder, pooling, settings
        self.code: ModuleType = importlib.import_module(f"solutions.sentiment.in_{framework}")
        seed(number)
        if framework == "keras":
            if encoder != "Recurrent" or pooling not in ("attention", "mean"):
                raise ValueError("In Keras there are an LSTM with attention and one with the mean.")
            self.code.keras.utils.set_random_seed(number)
            made = self.code.classifier(num_words, settings.size, pooling, settings.dropout)
            self.model, self.looks = made
        else:
            made = getattr(self.code, encoder)
            self.model = self.code.Classifier(num_words, settings.size, made, pooling, settings.dropout)
        if framework == "mxnet":
            # PyTorch's own start for dense layers.
            self.model.initialize(mx.init.Xavier(factor_type="in", magnitude=1))
        self.step = self.code.learner(self.model, settings.rate)

    def learn(self, data: Encoded, chosen: Any) -> None:
        """One step on some reviews."""
        tokens, lengths, labels = data.batch(chosen)
        if self.framework == "keras":
            self.step(tokens, labels)
        else:
            self.step(self.array(tokens), self.array(lengths), self.array(labels))

    def array(self, values: Any) -> Any:
        """An array of the framework."""
        return torch.tensor(values) if self.framework == "torch" else mx.nd.array(values)

    def verdicts(self, data: Encoded) -> Floats:
        """(n,): above 0 is praise."""
        return self._called(data)[0]

    def weights(self, data: Encoded) -> Floats:
        """(n, num_steps), zero for padding. Only a model with attention has them."""
        return self._called(data)[1]

    def votes(self, data: Encoded) -> Floats:
        """(n, num_steps): the verdict of each state alone. Not in Keras."""
        return self._called(data)[2]

    def accuracy(self, data: Encoded) -> float:
        """The share of right verdicts."""
        return float(((self.verdicts(data) > 0) == (data.labels > 0)).mean())

    def without_each_word(self, data: Encoded) -> Floats:
        """(n, num_steps): the verdict less the verdict without a word."""
        return self._explained(self.code.importance_without, data)

    def gradient_times_input(self, data: Encoded) -> Floats:
        """(n, num_steps): the slope of the verdict along each embedded word."""
        return self._explained(self.code.gradient_times_input, data)

    def _explained(self, explain: Callable[..., Any], data: Encoded) -> Floats:
        return _numpy(explain(self.model, self.array(data.tokens), self.array(data.lengths)))

    def _called(self, data: Encoded) -> tuple[Floats, ...]:
        if self.framework == "keras":
            found = [m.predict(data.tokens, verbose=0) for m in (self.model, self.looks) if m]
            return tuple(np.asarray(f, dtype=np.float64) for f in found)
        if self.framework == "torch":
            self.model.eval()
            with torch.no_grad():
                verdict = self.model(torch.tensor(data.tokens), torch.tensor(data.lengths))
        else:
            verdict = self.model(mx.nd.array(data.tokens), mx.nd.array(data.lengths))
        weights = self.model.weights if self.pooling == "attention" else verdict
        return _numpy(verdict), _numpy(weights), _numpy(self.model.votes)

    def kept(self) -> Any:
        """A copy of all weights, for `restore`."""
        if self.framework == "keras":
            return self.model.get_weights()
        if self.framework == "torch":
            return {name: value.clone() for name, value in self.model.state_dict().items()}
        return {name: p.data().copy() for name, p in self.model.collect_params().items()}

    def restore(self, kept: Any) -> None:
        """Take back the weights that `kept` copied."""
        if self.framework == "keras":
            self.model.set_weights(kept)
        elif self.framework == "torch":
            self.model.load_state_dict(kept)
        else:
            for name, p in self.model.collect_params().items():
                p.set_data(kept[name])


def _known(what: str, name: str, names: Sequence[str]) -> None:
    if name not in names:
        raise ValueError(f"There is no {what} {name!r}; there are: {', '.join(names)}.")


def _numpy(values: Any) -> Floats:
    found = values.asnumpy() if hasattr(values, "asnumpy") else values.numpy(force=True)
    return np.asarray(found, dtype=np.float64)


def steps(model: Model, learned: Task, number: int) -> Iterator[int]:
    """Train a model; yields the number of steps taken so far.

    In the end it has the weights of the epoch that did best on the validation reviews, the first of
    them if there are several.
    """
    settings, best, kept = model.settings, -1.0, None
    num_batches = -(-len(learned.train) // settings.batch)
    order = batches(len(learned.train), settings.batch, settings.epochs, number)
    for taken, chosen in enumerate(order, start=1):
        model.learn(learned.train, chosen)
        if taken % num_batches == 0 and (now := model.accuracy(learned.valid)) > best:
            best, kept = now, model.kept()
        yield taken
    model.restore(kept)


def num_steps(learned: Task, settings: Settings) -> int:
    """How many steps a training takes."""
    return settings.epochs * -(-len(learned.train) // settings.batch)


def trained(
    framework: str,
    learned: Task,
    encoder: str = "Recurrent",
    pooling: str = "attention",
    settings: Settings = WRITTEN,
    number: int = 0,
    shown: Callable[[Iterator[int], int], Iterator[int]] | None = None,
) -> Model:
    """A trained model. number: its seed; shown: wraps the steps and their count in a progress bar."""
    model = Model(framework, len(learned.vocabulary), encoder, pooling, settings, number)
    run = steps(model, learned, number)
    for _ in shown(run, num_steps(learned, settings)) if shown else run:
        pass
    return model


def evidence_share(weights: Floats, data: Encoded) -> float:
    """How much of the weights lies on the evidence, as a mean over reviews."""
    return float((weights * data.evidence).sum(axis=1).mean())


def described(settings: Settings) -> dict[str, Any]:
    """Settings for a report."""
    return asdict(settings)


def stored(data: str, framework: str) -> dict[str, Any]:
    """What `python -m course.training sentiment` has written to `benchmarks/results`."""
    path = ROOT / "benchmarks" / "results" / f"sentiment_{data}_{framework}.json"
    found: dict[str, Any] = json.loads(path.read_text())
    return found
