"""MXNet and PyTorch on one and the same translator: `python -m benchmarks.translation`.

Both have the chapter's model with the same weights, and are given the same batches. They take turns, batch
by batch, so that whatever else the machine does falls on both alike; one thread each. The figure is the
median of the processor time of a batch, which other programs hardly lengthen.

`--scores` trains the grammar's translator with every score function of the course, and without attention,
from three seeds; `--dates` the translator of dates from five, in both frameworks; `--static-alloc` shows what
MXNet's `hybridize(static_alloc=True)` does to the same training.
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
from course.training.translation import SUITS, Learner, task


@dataclass(frozen=True)
class Row:
    """One task, in milliseconds of processor time for each batch."""

    task: str
    sentences: int
    weights: int
    torch_training: float
    mxnet_training: float
    torch_translating: float
    mxnet_translating: float


def measure(name: str, repeats: int) -> Row:
    """Train and translate `repeats` batches in each framework, in turn."""
    learned = task(name)
    learners = {framework: Learner(framework, learned) for framework in ("torch", "mxnet")}
    drawn = batches(learned.train, learned.source, learned.target, SUITS[name].batch_size, seed=0)
    taken: dict[str, list[float]] = {
        f"{f}_{what}": [] for f in learners for what in ("training", "translating")
    }
    for number, batch in zip(range(repeats + 2), drawn, strict=False):
        part = learned.test[: len(batch)]
        for framework, learner in learners.items():
            start = time.process_time()
            learner.training.step(*learner._arrays(batch))
            between = time.process_time()
            learner.translate(part)
            end = time.process_time()
            if number >= 2:  # the first ones set things up
                taken[f"{framework}_training"].append(between - start)
                taken[f"{framework}_translating"].append(end - between)
    medians = {what: round(1000 * statistics.median(times), 1) for what, times in taken.items()}
    return Row(name, SUITS[name].batch_size, learners["torch"].num_weights, **medians)


def with_every_score(seeds: int = 3) -> list[dict[str, Any]]:
    """The grammar, learnt in PyTorch with each score function; None stands for no attention."""
    from solutions.score_functions.in_torch import SCORES

    few = SUITS["grammar"].epochs
    # Without attention it gets ten times as long as well.
    tried = [(score, few) for score in (*SCORES, None)] + [(None, 10 * few)]
    learned = task("grammar")
    return [
        _learnt(Learner("torch", learned, replace(SUITS["grammar"], score=score, epochs=epochs, seed=seed)))
        for score, epochs in tried
        for seed in range(seeds)
    ]


def dates(seeds: int = 5) -> list[dict[str, Any]]:
    """Dates, learnt in both frameworks from several seeds."""
    learned = task("dates")
    return [
        _learnt(Learner(framework, learned, replace(SUITS["dates"], seed=seed)))
        for framework in ("torch", "mxnet")
        for seed in range(seeds)
    ]


def static_alloc(seeds: int = 2) -> list[dict[str, Any]]:
    """The grammar in MXNet, with an attention that adds its mask, compiled in the right way and in the wrong.

    The mask needs no gradient and is a term of a sum: that is what `static_alloc=True` gets wrong.
    """
    from solutions.score_functions.in_mxnet import Attention

    class Compiled(mx.gluon.HybridBlock):  # type: ignore[misc, name-defined, unused-ignore]
        """The additive score, with a softmax behind it."""

        def __init__(self, d: int, units: int) -> None:
            super().__init__()
            no = {"use_bias": False, "flatten": False}
            self.W_q = mx.gluon.nn.Dense(units, in_units=d, **no)
            self.W_k = mx.gluon.nn.Dense(units, in_units=d, **no)
            self.v = mx.gluon.nn.Dense(1, in_units=units, **no)

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

    learned, rows = task("grammar"), []
    for how in ({"active": False}, {}, {"static_alloc": True}):
        for seed in range(seeds):
            learner = Learner("mxnet", learned, replace(SUITS["grammar"], seed=seed))
            weights = learner.code.named_weights(learner.model)
            d = learner.settings.num_hiddens
            compiled = Compiled(d, d // 2)
            compiled.hybridize(**how)
            learner.model.decoder.attention = Masked(compiled)
            learner.code.set_weights(learner.model, weights)
            learner.restart()
            written = ", ".join(f"{name}={value}" for name, value in how.items())
            rows.append({"hybridize": f"hybridize({written})"} | _learnt(learner))
    return rows


def _learnt(learner: Learner) -> dict[str, Any]:
    """Train to the end; what it was and how well it does."""
    losses = learner.fit()
    s = learner.settings
    row: dict[str, Any] = {"framework": learner.framework, "score": s.score, "epochs": s.epochs}
    row |= {"seed": s.seed, "weights": learner.num_weights}
    row["losses"] = [round(loss, 3) if math.isfinite(loss) else None for loss in losses]
    row |= {name: value and round(value, 4) for name, value in asdict(learner.measure()).items()}
    sys.stdout.write(f"{row}\n")
    return row


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.translation", description=__doc__)
    parser.add_argument("--repeats", type=int, default=20, help="batches of each task")
    parser.add_argument("--result", type=Path, help="a JSON file for the numbers")
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--scores", action="store_true", help="compare the score functions")
    which.add_argument("--dates", action="store_true", help="dates from several seeds")
    which.add_argument("--static-alloc", action="store_true", help="show what static_alloc=True does")
    given = parser.parse_args()
    if given.scores:
        _keep(given.result, "python -m benchmarks.translation --scores", with_every_score())
        return
    if mx is None:
        parser.error("this comparison needs MXNet, which is not installed here")
    if given.dates:
        _keep(given.result, "python -m benchmarks.translation --dates", dates())
        return
    if given.static_alloc:
        _keep(given.result, "python -m benchmarks.translation --static-alloc", static_alloc())
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
    _keep(given.result, "python -m benchmarks.translation", [asdict(row) for row in rows])


def _keep(path: Path | None, command: str, rows: list[dict[str, Any]]) -> None:
    if path is not None:
        report = {"command": command, "versions": versions(), "rows": rows}
        path.write_text(json.dumps(report, indent=1) + "\n")


if __name__ == "__main__":
    main()
