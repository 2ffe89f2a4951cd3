"""MXNet and PyTorch on one and the same translator: `python -m benchmarks.translation`.

Both have the chapter's model with the same weights, and are given the same batches. They take turns, batch
by batch, so that whatever else the machine does falls on both alike; one thread each. The figure is the
median of the processor time of a batch, which other programs hardly lengthen.

`python -m benchmarks.translation --scores` trains the grammar's translator with every score function of the
course, and without attention, from two seeds.
"""

import argparse
import json
import statistics
import sys
import time
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from course.frameworks import mx, versions
from course.parallel import batches
from course.translation import SUITS, Learner, task


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


def with_every_score(seeds: int = 2) -> list[dict[str, Any]]:
    """The grammar, learnt in PyTorch with each score function; None stands for no attention."""
    from solutions.score_functions.in_torch import SCORES

    learned, rows = task("grammar"), []
    # Without attention it gets ten times as long as well.
    tried = [(score, SUITS["grammar"].epochs) for score in (*SCORES, None)]
    for score, epochs in [*tried, (None, 10 * SUITS["grammar"].epochs)]:
        for seed in range(seeds):
            learner = Learner(
                "torch", learned, replace(SUITS["grammar"], score=score, epochs=epochs, seed=seed)
            )
            learner.fit()
            found = learner.measure()
            row = {"score": score, "epochs": epochs, "seed": seed, "weights": learner.num_weights}
            rows.append(row | {name: value and round(value, 4) for name, value in asdict(found).items()})
            sys.stdout.write(f"{rows[-1]}\n")
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.translation", description=__doc__)
    parser.add_argument("--repeats", type=int, default=20, help="batches of each task")
    parser.add_argument("--result", type=Path, help="a JSON file for the numbers")
    parser.add_argument("--scores", action="store_true", help="compare the score functions")
    given = parser.parse_args()
    if given.scores:
        _keep(given.result, "python -m benchmarks.translation --scores", with_every_score())
        return
    if mx is None:
        parser.error("this comparison needs MXNet, which is not installed here")
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
