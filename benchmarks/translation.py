"""The same translator in MXNet and in PyTorch: `python -m benchmarks.translation`.

Both have the chapter's model with the same weights, and are given the same batches. They take turns, batch
by batch, so that other load on the machine affects both alike; one thread each. The figure is the
median of the processor time of a batch, which other programs hardly lengthen.

`--scores` trains the grammar's translator with every score function of the course, and without attention,
from three seeds; `--dates` the translator of dates from five, in both frameworks; `--static-alloc` shows what
MXNet's `hybridize(static_alloc=True)` does to the training.
"""

import argparse
import json
import math
import statistics
import sys
import time
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from course.data.sentence_pairs import batches
from course.frameworks import mx, versions
from course.training.translation import TRANSLATOR_SETTINGS, Trainer, corpus


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
    drawn = batches(pairs.train, pairs.source, pairs.target, TRANSLATOR_SETTINGS[name].batch_size, seed=0)
    taken: dict[str, list[float]] = {
        f"{f}_{what}": [] for f in trainers for what in ("training", "translating")
    }
    for number, batch in zip(range(repeats + 2), drawn, strict=False):
        part = pairs.test[: len(batch)]
        for framework, trainer in trainers.items():
            start = time.process_time()
            trainer.training.step(*trainer.arrays(batch))
            between = time.process_time()
            trainer.translate(part)
            end = time.process_time()
            if number >= 2:  # the first two calls also allocate and compile
                taken[f"{framework}_training"].append(between - start)
                taken[f"{framework}_translating"].append(end - between)
    medians = {what: round(1000 * statistics.median(times), 1) for what, times in taken.items()}
    return SpeedRow(name, TRANSLATOR_SETTINGS[name].batch_size, trainers["torch"].num_weights, **medians)


def with_every_score(seeds: int = 3) -> list[dict[str, Any]]:
    """The grammar, trained in PyTorch with each score function; None stands for no attention."""
    from solutions.score_functions.in_torch import SCORES

    few = TRANSLATOR_SETTINGS["grammar"].epochs
    # Without attention also with ten times the epochs.
    tried = [(score, few) for score in (*SCORES, None)] + [(None, 10 * few)]
    pairs = corpus("grammar")
    return [
        _trained(
            Trainer(
                "torch", pairs, replace(TRANSLATOR_SETTINGS["grammar"], score=score, epochs=epochs, seed=seed)
            )
        )
        for score, epochs in tried
        for seed in range(seeds)
    ]


def dates(seeds: int = 5) -> list[dict[str, Any]]:
    """Dates, trained in both frameworks from several seeds."""
    pairs = corpus("dates")
    return [
        _trained(Trainer(framework, pairs, replace(TRANSLATOR_SETTINGS["dates"], seed=seed)))
        for framework in ("torch", "mxnet")
        for seed in range(seeds)
    ]


def static_alloc(seeds: int = 2) -> list[dict[str, Any]]:
    """The grammar in MXNet, with an attention that adds its mask, compiled correctly and incorrectly.

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
            written = ", ".join(f"{name}={value}" for name, value in how.items())
            rows.append({"hybridize": f"hybridize({written})"} | _trained(trainer))
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
    which.add_argument("--scores", action="store_true", help="compare the score functions")
    which.add_argument("--dates", action="store_true", help="dates from several seeds")
    which.add_argument("--static-alloc", action="store_true", help="show what static_alloc=True does")
    given = parser.parse_args()
    if given.scores:
        _write(given.result, "python -m benchmarks.translation --scores", with_every_score())
        return
    if mx is None:
        parser.error("this comparison needs MXNet, which is not installed here")
    if given.dates:
        _write(given.result, "python -m benchmarks.translation --dates", dates())
        return
    if given.static_alloc:
        _write(given.result, "python -m benchmarks.translation --static-alloc", static_alloc())
        return
    rows = [measure(name, given.repeats) for name in ("dates", "grammar")]
    sys.stdout.write(f"{versions()}\nmilliseconds of one core for a batch\n")
    for row in rows:
        sys.stdout.write(
            f"{row.task} ({row.sentences} sentences, {row.weights} weights): training {row.torch_training} in PyTorch, "
            f"{row.mxnet_training} in MXNet ({row.mxnet_training / row.torch_training:.1f} times); translating "
            f"{row.torch_translating} and {row.mxnet_translating} "
            f"({row.mxnet_translating / row.torch_translating:.1f} times)\n"
        )
    _write(given.result, "python -m benchmarks.translation", [asdict(row) for row in rows])


def _write(path: Path | None, command: str, rows: list[dict[str, Any]]) -> None:
    if path is not None:
        report = {"command": command, "versions": versions(), "rows": rows}
        path.write_text(json.dumps(report, indent=1) + "\n")


if __name__ == "__main__":
    main()
