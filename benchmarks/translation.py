"""The same translator in MXNet and in PyTorch: `python -m benchmarks.translation`.

Both have the chapter's model with the same weights, and are given the same batches. They take turns, batch
by batch, so that other load on the machine affects both alike; one thread each. The figure is the
median of the processor time of a batch, which other programs hardly lengthen.

`--scores` trains the grammar's translator with every score function of the course, and without attention,
from three seeds; `--dates` the translator of dates from five, in both frameworks; `--static-alloc` shows what
MXNet's `hybridize(static_alloc=True)` does to the training. `--transformer` trains the transformer on the grammar,
in both frameworks, from two seeds; `--lengths` trains three translators on
sentences of one to three clauses, and tests them on up to six. `--tutorial` counts what the Technion tutorial
prints of Multi30k, and stores no sentence.
"""

import argparse
import json
import math
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from autograder.frameworks.libraries import installed_versions, mx
from course.data import multi30k
from course.data.grammar import joined_pairs
from course.data.sentence_pairs import Pair, batches
from course.training.transformer import TransformerSettings, TransformerTrainer
from course.training.translation import TRANSLATOR_SETTINGS, Corpus, Trainer, TranslatorSettings, corpus

TRAINED_CLAUSES, TESTED_CLAUSES = (1, 2, 3), (1, 2, 3, 4, 5, 6)
COSINE = "cosine"  # the content-based score with its key strength held at 1
WORDS = 8  # of a source sentence, in one group of `lengths`


@dataclass(frozen=True)
class SpeedRow:
    """One corpus, in milliseconds of processor time for each batch."""

    task: str
    sentences: int
    weights: int
    torch_training: float
    mxnet_training: float
    torch_translating: float
    mxnet_translating: float


def measure(name: str, repeats: int) -> SpeedRow:
    """Train and translate `repeats` batches in each framework, in turn."""
    pairs = corpus(name)
    trainers = {framework: Trainer(framework, pairs) for framework in ("torch", "mxnet")}
    batches_of_corpus = batches(
        pairs.train, pairs.source, pairs.target, TRANSLATOR_SETTINGS[name].batch_size, seed=0
    )
    times_of: dict[str, list[float]] = {
        f"{f}_{what}": [] for f in trainers for what in ("training", "translating")
    }
    for number, batch in zip(range(repeats + 2), batches_of_corpus, strict=False):
        part = pairs.test[: len(batch)]
        for framework, trainer in trainers.items():
            start = time.process_time()
            trainer.training.step(*trainer.arrays(batch))
            between = time.process_time()
            trainer.translate(part)
            end = time.process_time()
            if number >= 2:  # the first two calls also allocate and compile
                times_of[f"{framework}_training"].append(between - start)
                times_of[f"{framework}_translating"].append(end - between)
    medians = {what: round(1000 * statistics.median(times), 1) for what, times in times_of.items()}
    return SpeedRow(name, TRANSLATOR_SETTINGS[name].batch_size, trainers["torch"].num_weights, **medians)


def with_every_score(seeds: int = 3) -> list[dict[str, Any]]:
    """Train the grammar in PyTorch with each score function; None stands for no attention."""
    from solutions.score_functions.in_torch import SCORES

    few = TRANSLATOR_SETTINGS["grammar"].epochs
    # Without attention also with ten times the epochs.
    tried = [(score, few) for score in (COSINE, *SCORES, None)] + [(None, 10 * few)]
    return [with_score(score, epochs, seed) for score, epochs in tried for seed in range(seeds)]


def with_score(score: str | None, epochs: int, seed: int) -> dict[str, Any]:
    """Train the grammar in PyTorch with one score function."""
    content = "content-based" if score == COSINE else score
    settings = replace(TRANSLATOR_SETTINGS["grammar"], score=content, epochs=epochs, seed=seed)
    trainer = Trainer("torch", corpus("grammar"), settings)
    if score == COSINE:
        strength = trainer.model.decoder.attention.score.beta
        strength.data.fill_(1.0)
        strength.requires_grad_(False)
    return _trained(trainer) | {"score": score}


def transformer(seeds: int = 2) -> list[dict[str, Any]]:
    """Train the grammar in both frameworks with the transformer."""
    pairs = corpus("grammar")
    return [
        _trained(TransformerTrainer(framework, pairs, TransformerSettings(seed=seed)))
        for framework in ("torch", "mxnet")
        for seed in range(seeds)
    ]


def lengths(seeds: int = 1) -> list[dict[str, Any]]:
    """Train on sentences of several clauses, in PyTorch; return each translator's measures by the number of source words."""
    pairs = clauses()
    names = ("no attention", "attention", "transformer")
    return [with_lengths(name, pairs, seed) for name in names for seed in range(seeds)]


def clauses() -> Corpus:
    """Return sentences of few clauses to learn from, and of up to twice as many to be tested on."""
    train = joined_pairs(4000, TRAINED_CLAUSES, seed=1)
    train_sources = {pair.source for pair in train}
    test = [pair for pair in joined_pairs(900, TESTED_CLAUSES, seed=2) if pair.source not in train_sources]
    return Corpus("clauses", train, test)


def with_lengths(name: str, pairs: Corpus, seed: int) -> dict[str, Any]:
    """Train and measure one translator; without attention with four times the epochs."""
    trainer = {
        "no attention": lambda: Trainer("torch", pairs, TranslatorSettings(score=None, epochs=24, seed=seed)),
        "attention": lambda: Trainer("torch", pairs, TranslatorSettings(epochs=6, seed=seed)),
        "transformer": lambda: TransformerTrainer("torch", pairs, TransformerSettings(epochs=6, seed=seed)),
    }[name]()
    row = _trained(trainer) | {"model": name, "longest_trained": max(len(p.source) for p in pairs.train)}
    return row | {"groups": by_length(trainer, pairs.test)}


def by_length(trainer: Trainer, test: list[Pair]) -> list[dict[str, Any]]:
    """Return the test sentences in groups of similar length, each measured; a group has 20 sentences at least."""
    groups: dict[int, list[Pair]] = {}
    for pair in test:
        groups.setdefault((len(pair.source) - 1) // WORDS, []).append(pair)
    rows = []
    for number, part in sorted(groups.items()):
        if len(part) >= 20:
            words = [number * WORDS + 1, (number + 1) * WORDS]
            measured = {
                name: value and round(value, 4) for name, value in asdict(trainer.measure(part)).items()
            }
            rows.append({"words": words, "sentences": len(part)} | measured)
    return rows


def dates(seeds: int = 5) -> list[dict[str, Any]]:
    """Train dates in both frameworks from several seeds."""
    pairs = corpus("dates")
    return [
        _trained(Trainer(framework, pairs, replace(TRANSLATOR_SETTINGS["dates"], seed=seed)))
        for framework in ("torch", "mxnet")
        for seed in range(seeds)
    ]


def static_alloc(seeds: int = 2) -> list[dict[str, Any]]:
    """Train the grammar in MXNet, with an attention that adds its mask, compiled correctly and incorrectly.

    The mask needs no gradient and is a term of a sum: that is what `static_alloc=True` gets wrong.
    """
    from solutions.score_functions.in_mxnet import Attention

    class Compiled(mx.gluon.HybridBlock):  # type: ignore[misc, name-defined, unused-ignore]
        """The additive score, followed by a softmax."""

        def __init__(self, d: int, units: int) -> None:
            super().__init__()
            options = {"use_bias": False, "flatten": False}
            self.W_q = mx.gluon.nn.Dense(units, in_units=d, **options)
            self.W_k = mx.gluon.nn.Dense(units, in_units=d, **options)
            self.v = mx.gluon.nn.Dense(1, in_units=units, **options)

        def hybrid_forward(self, F: Any, mask: Any, queries: Any, keys: Any) -> Any:
            features = F.tanh(F.broadcast_add(self.W_q(queries), self.W_k(keys)))
            return F.softmax(mask + F.swapaxes(self.v(features), 1, 2))

    class Masked(Attention):  # type: ignore[misc, valid-type, unused-ignore]
        """Attention with a mask that is added."""

        def forward(self, queries: Any, keys: Any, values: Any, valid_length: Any) -> Any:
            positions = mx.nd.arange(keys.shape[1]).reshape((1, 1, -1))
            beyond = positions >= valid_length.reshape((-1, 1, 1))
            self.weights = self.score(-1e6 * beyond, queries, keys)
            return mx.nd.batch_dot(self.weights, values)

    pairs, rows = corpus("grammar"), []
    for how in ({"active": False}, {}, {"static_alloc": True}):
        for seed in range(seeds):
            trainer = Trainer("mxnet", pairs, replace(TRANSLATOR_SETTINGS["grammar"], seed=seed))
            weights = trainer.code.named_weights(trainer.model)
            d = trainer.settings.num_hiddens
            compiled = Compiled(d, d // 2)
            compiled.hybridize(**how)
            trainer.model.decoder.attention = Masked(compiled)
            trainer.code.set_weights(trainer.model, weights)
            trainer.restart()
            settings = ", ".join(f"{name}={value}" for name, value in how.items())
            rows.append({"hybridize": f"hybridize({settings})"} | _trained(trainer))
    return rows


def tutorial() -> list[dict[str, Any]]:
    """Return the sizes of Multi30k's samples and vocabularies, and whether the Technion tutorial prints the same."""
    rows: list[dict[str, Any]] = []
    for language in multi30k.LANGUAGES:
        for number in multi30k.PRINTED:
            size, same = len(multi30k.sample(number, language)), multi30k.is_printed(number, language)
            rows.append({"language": language, "sample": number, "size": size, "printed": same})
        for lower in (True, False):
            size = multi30k.vocabulary_size(language, lower)
            same = size == multi30k.PRINTED_SIZES[language]
            rows.append({"language": language, "lower": lower, "size": size, "printed": same})
    return rows


def _trained(trainer: Trainer) -> dict[str, Any]:
    """Train to the end; the settings and the measurements."""
    losses = trainer.fit()
    s = trainer.settings
    row: dict[str, Any] = {"framework": trainer.framework, "score": s.score, "epochs": s.epochs}
    row |= {"seed": s.seed, "weights": trainer.num_weights}
    row["losses"] = [round(loss, 3) if math.isfinite(loss) else None for loss in losses]
    row |= {name: value and round(value, 4) for name, value in asdict(trainer.measure()).items()}
    sys.stdout.write(f"{row}\n")
    return row


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.translation", description=__doc__)
    parser.add_argument("--repeats", type=int, default=20, help="batches of each corpus")
    parser.add_argument("--result", type=Path, help="a JSON file for the numbers")
    which = parser.add_mutually_exclusive_group()
    for option, (_, help_text, _) in COMPARISONS.items():
        which.add_argument(option, dest="option", action="store_const", const=option, help=help_text)
    options = parser.parse_args()
    needs_mxnet, _, compare = COMPARISONS.get(options.option, (True, "", None))
    if needs_mxnet and mx is None:
        parser.error("this comparison needs MXNet, which is not installed here")
    if compare is not None:
        _write(options.result, f"python -m benchmarks.translation {options.option}", compare())
        return
    rows = [measure(name, options.repeats) for name in ("dates", "grammar")]
    sys.stdout.write(f"{installed_versions()}\nmilliseconds of one core for a batch\n")
    for row in rows:
        sys.stdout.write(
            f"{row.task} ({row.sentences} sentences, {row.weights} weights): training {row.torch_training} in PyTorch, "
            f"{row.mxnet_training} in MXNet ({row.mxnet_training / row.torch_training:.1f} times); translating "
            f"{row.torch_translating} and {row.mxnet_translating} "
            f"({row.mxnet_translating / row.torch_translating:.1f} times)\n"
        )
    _write(options.result, "python -m benchmarks.translation", [asdict(row) for row in rows])


# Option: whether it needs MXNet, its help, its function.
COMPARISONS: dict[str, tuple[bool, str, Callable[[], list[dict[str, Any]]]]] = {
    "--scores": (False, "compare the score functions", with_every_score),
    "--dates": (True, "dates from several seeds", dates),
    "--static-alloc": (True, "show what static_alloc=True does", static_alloc),
    "--transformer": (True, "the transformer on the same sentences", transformer),
    "--lengths": (False, "short and long sentences", lengths),
    "--tutorial": (False, "count what the Technion tutorial prints of Multi30k", tutorial),
}


def _write(path: Path | None, command: str, rows: list[dict[str, Any]]) -> None:
    if path is not None:
        report = {"command": command, "versions": installed_versions(), "rows": rows}
        path.write_text(json.dumps(report, indent=1) + "\n")


if __name__ == "__main__":
    main()
