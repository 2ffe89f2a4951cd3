"""Trains and measures the translators of `solutions/translation`, in both frameworks by the same code.

Both frameworks begin with the same weights and get the same batches in the same order, so that two runs
differ by the framework alone.
"""

import importlib
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from autograder.frameworks.libraries import seed
from course.data import dates, grammar
from course.data.sentence_pairs import BEGIN, STOP, Batch, Pair, Vocabulary, batch_of, batches
from course.display.progress_bar import progress
from course.training.backends import backend

Floats = NDArray[np.float32]
KEY_STRENGTH = 10.0  # with which a content-based score begins, as in `solutions/score_functions`
SLOW_FROM = 0.5  # share of the steps after which the learning rate falls linearly to zero


@dataclass(frozen=True)
class TranslatorSettings:
    """What a run depends on, besides its data.

    score: a name of `solutions/score_functions`, or None: no attention
    """

    embed_size: int = 32
    num_hiddens: int = 64
    score: str | None = "additive"
    dropout: float = 0.0
    batch_size: int = 64
    epochs: int = 4
    rate: float = 0.01
    seed: int = 0


@dataclass(frozen=True)
class Corpus:
    """Pairs to learn from and pairs to be tested on, with their vocabularies.

    joiner: what stands between two tokens of a sentence
    """

    name: str
    train: list[Pair]
    test: list[Pair]
    joiner: str = " "
    at_least: int = 1
    source: Vocabulary = field(init=False)
    target: Vocabulary = field(init=False)

    def __post_init__(self) -> None:
        for side in ("source", "target"):
            sentences = (getattr(pair, side) for pair in self.train)
            object.__setattr__(self, side, Vocabulary(sentences, self.at_least))


# The two corpora that need no download, and settings that train for some seconds on one core.
SIZES = {"dates": 6000, "grammar": 4000}
TESTED = 500
TRANSLATOR_SETTINGS = {"dates": TranslatorSettings(epochs=3), "grammar": TranslatorSettings(epochs=4)}


def corpus(name: str) -> Corpus:
    """Return one of the generated corpora, "dates" or "grammar"; no test sentence is ever trained on."""
    sentences = {"dates": dates, "grammar": grammar}[name].pairs(SIZES[name] + TESTED, seed=1)
    train = sentences[: SIZES[name]]
    train_sources = {pair.source for pair in train}
    test = [pair for pair in sentences[SIZES[name] :] if pair.source not in train_sources]
    return Corpus(name, train, test, "" if name == "dates" else " ")


@dataclass(frozen=True)
class Measured:
    """How well a test set was translated, in shares from 0 to 1; BLEU goes from 0 to 100.

    exact: sentences without any mistake
    aligned: content words whose largest weight, that of the end token included, lies on their gold source
        word; None where unknown
    """

    exact: float
    bleu: float
    aligned: float | None

    def __str__(self) -> str:
        aligned = "" if self.aligned is None else f", aligned {self.aligned:.2f}"
        return f"exact {self.exact:.3f}, BLEU {self.bleu:.1f}{aligned}"


class Trainer:
    """A translator of one framework, with its training."""

    def __init__(self, framework: str, corpus: Corpus, settings: TranslatorSettings | None = None) -> None:
        """framework: "torch" or "mxnet"."""
        self.framework, self.corpus = framework, corpus
        self.settings = settings or TRANSLATOR_SETTINGS[corpus.name]
        self.backend = backend(framework)
        self.code = importlib.import_module(f"solutions.translation.in_{framework}")
        self.model, self.num_weights = self.begin()
        self.restart()

    def begin(self) -> tuple[Any, int]:
        """Return a model with its first weights, and how many these are."""
        s = self.settings
        sizes = len(self.corpus.source), len(self.corpus.target)
        model = self.code.Translator(*sizes, s.embed_size, s.num_hiddens, s.score, s.dropout)
        self.backend.initialise(model)
        shapes = {name: array.shape for name, array in self.code.named_weights(model).items()}
        self.code.set_weights(model, initial_weights(shapes, s.seed))
        return model, sum(int(np.prod(shape)) for shape in shapes.values())

    def restart(self) -> None:
        """Begin with a new optimiser and epoch 0; the weights stay."""
        self.training = self.code.Training(self.model, self.settings.rate)
        self.done = 0  # epochs

    # Training

    @property
    def num_batches(self) -> int:
        """Return batches in an epoch."""
        return -(-len(self.corpus.train) // self.settings.batch_size)

    def epoch(self) -> Iterator[float]:
        """Train through all pairs once; gives the loss of each batch."""
        s = self.settings
        # Every epoch has its own seed, so that a resumed run gives what an uninterrupted one gives.
        number = 1000 * s.seed + self.done
        seed(number)
        shuffled = batches(self.corpus.train, self.corpus.source, self.corpus.target, s.batch_size, number)
        for i, batch in enumerate(shuffled):
            passed = (self.done + i / self.num_batches) / s.epochs
            self.training.set_rate(s.rate * min(1, (1 - passed) / (1 - SLOW_FROM)))
            yield self.training.step(*self.arrays(batch))
        self.done += 1

    def fit(self, watched: Pair | None = None) -> list[float]:
        """Train all epochs, with a progress bar; returns the mean loss of each.

        watched: its attention weights before training and after each epoch are kept in `watched_weights`.
        """
        total = self.num_batches * (self.settings.epochs - self.done)
        losses = list(progress(self._remaining(watched), total, f"{self.framework}, {self.corpus.name}"))
        return [float(np.mean(part)) for part in np.array_split(losses, len(losses) // self.num_batches)]

    def _remaining(self, watched: Pair | None) -> Iterator[float]:
        self.watched_weights = [self.attention_weights(watched)] if watched is not None else []
        while self.done < self.settings.epochs:
            yield from self.epoch()
            if watched is not None:
                self.watched_weights.append(self.attention_weights(watched))

    # Use

    def translate(self, pairs: Sequence[Pair]) -> list[tuple[list[str], Floats]]:
        """Return the greedy translation of each pair's source, and its weights (num_words, num_source + 1)."""
        translations: list[tuple[list[str], Floats]] = []
        for start in range(0, len(pairs), 100):
            part = pairs[start : start + 100]
            batch = batch_of(part, self.corpus.source, self.corpus.target)
            steps = 2 * int(batch.source_length.max()) + 10
            # Enough for the longest translation that is wanted.
            steps = min(steps, max(len(p.target) for p in (*self.corpus.train, *part)) + 5)
            source, length = self.backend.array(batch.source), self.backend.array(batch.source_length)
            words, weights = self.greedy(source, length, steps)
            weights = self.backend.numpy(weights)
            for i, row in enumerate(self.backend.numpy(words).astype(int)):
                sentence = self.corpus.target.decode(row)
                translations.append((sentence, weights[i, : len(sentence), : batch.source_length[i]]))
        return translations

    def greedy(self, source: Any, length: Any, steps: int) -> tuple[Any, Any]:
        """Return words (batch, steps) and weights (batch, steps, num_source), arrays of the framework."""
        results: tuple[Any, Any] = self.code.greedy(self.model, source, length, BEGIN, steps)
        return results

    def beam(self, pair: Pair, width: int = 5) -> list[str]:
        """Return the translation of a pair's source by beam search."""
        numbers = np.array([[*self.corpus.source.encode(pair.source), STOP]])
        steps = 2 * numbers.shape[1] + 10
        numbers_of_best = self.code.beam_search(
            self.model, self.backend.array(numbers), BEGIN, STOP, width, steps
        )
        return self.corpus.target.decode(numbers_of_best)

    def attention_weights(self, pair: Pair) -> Floats:
        """Return the attention weights with teacher forcing, (num_words, num_source + 1).

        The last column is the token that ends the source.
        """
        return self.all_attention_weights([pair])[0]

    def measure(self, pairs: Sequence[Pair] | None = None) -> Measured:
        """Translate the test pairs, or others, and compare."""
        pairs = self.corpus.test if pairs is None else pairs
        translations = [sentence for sentence, _ in self.translate(pairs)]
        exact = np.mean([tuple(f) == p.target for f, p in zip(translations, pairs, strict=True)])
        return Measured(float(exact), bleu(translations, pairs), self.aligned(pairs))

    def aligned(self, pairs: Sequence[Pair], content: bool = True) -> float | None:
        """Return the share of content words, or of all others, whose largest weight lies on their gold word."""
        if self.settings.score is None or not pairs[0].gold:
            return None
        hits = []
        for pair, weights in zip(pairs, self.all_attention_weights(pairs), strict=True):
            peaks = weights.argmax(axis=1)
            for peak, gold, counts in zip(peaks, pair.gold, pair.content, strict=True):
                if gold and counts == content:
                    hits.append(int(peak) in gold)
        return float(np.mean(hits))

    def all_attention_weights(self, pairs: Sequence[Pair]) -> list[Floats]:
        """Return the same for many pairs."""
        rows = []
        for start in range(0, len(pairs), 100):
            part = pairs[start : start + 100]
            batch = batch_of(part, self.corpus.source, self.corpus.target)
            source, length, target, _ = self.arrays(batch)
            with self.backend.evaluating(self.model):
                _, weights = self.model(source, length, target[:, :-1])
            weights = self.backend.numpy(weights)
            rows += [weights[i, : len(p.target), : len(p.source) + 1] for i, p in enumerate(part)]
        return rows

    # Arrays

    def arrays(self, batch: Batch) -> list[Any]:
        """Return a batch as the arguments of `training.step`."""
        return [
            self.backend.array(a) for a in (batch.source, batch.source_length, batch.target, batch.length)
        ]


def gold_matrix(pair: Pair) -> NDArray[np.bool_]:
    """Return where the weights of `Trainer.attention_weights` should lie, (num_words, num_source + 1)."""
    gold = np.zeros((len(pair.target), len(pair.source) + 1), dtype=bool)
    for row, places in enumerate(pair.gold):
        gold[row, list(places)] = True
    return gold


def initial_weights(shapes: dict[str, tuple[int, ...]], seed: int) -> dict[str, Floats]:
    """Return initial weights, the same in both frameworks: the seed of each array comes from its name.

    Embeddings are Normal(0, 1), as PyTorch makes them; a matrix is uniform up to 1/√(its inputs); a GRU's,
    up to 1/√(its units); biases are zero, and the key strength of a content-based score is 10.
    """
    weights = {}
    for name, shape in shapes.items():
        rng = np.random.default_rng([seed, zlib.crc32(name.encode())])
        if name.endswith("embedding.weight"):
            values = rng.normal(size=shape)
        elif name.endswith("score.beta"):
            values = np.full(shape, KEY_STRENGTH)
        elif len(shape) == 1:
            values = np.zeros(shape)
        else:
            inputs = shape[0] // 3 if ".rnn." in name or ".cell." in name else shape[1]
            values = rng.uniform(-1, 1, size=shape) / np.sqrt(inputs)
        weights[name] = values.astype(np.float32)
    return weights


def bleu(translations: Sequence[Sequence[str]], pairs: Sequence[Pair]) -> float:
    """Return BLEU of token lists against the pairs' own tokens, by sacrebleu, without tokenising again."""
    import sacrebleu

    hypotheses, references = [" ".join(f) for f in translations], [" ".join(p.target) for p in pairs]
    return float(sacrebleu.corpus_bleu(hypotheses, [references], tokenize="none", force=True).score)
