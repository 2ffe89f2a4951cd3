"""`python -m course.training sentiment`: every classifier of the chapter, on any of its reviews, from several seeds.

Each finished training is written to the result at once, and a command that is given again goes on from
there.
"""

import json
import sys
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from course.data import review_archives
from course.data.reviews import bag_of_words_accuracy
from course.display.progress_bar import bar as progress_bar
from course.frameworks import WITHOUT_MXNET, mx, versions
from course.training import checkpoints
from course.training.sentiment import (
    SUITS,
    WRITTEN_WINDOWS,
    Model,
    Settings,
    Task,
    described,
    evidence_share,
    num_steps,
    steps,
    task,
    written_task,
)


class Data(StrEnum):
    """Which reviews to learn."""

    grammar = "grammar"
    uci = "uci"
    films = "films"


class Framework(StrEnum):
    """Which library learns them."""

    torch = "torch"
    mxnet = "mxnet"
    keras = "keras"


class Kind(StrEnum):
    """What makes the states, and how they become one vector."""

    attention = "attention"
    mean = "mean"
    last = "last"
    windows = "windows"
    windows_mean = "windows-mean"


PARTS = {
    Kind.attention: ("Recurrent", "attention"),
    Kind.mean: ("Recurrent", "mean"),
    Kind.last: ("Recurrent", "last"),
    Kind.windows: ("Convolution", "attention"),
    Kind.windows_mean: ("Convolution", "mean"),
}
IN_KERAS = [Kind.attention, Kind.mean]


def sentiment(
    data: Annotated[Data, typer.Option(help="uci and films are fetched once by npm and pip.")] = Data.grammar,
    framework: Annotated[Framework, typer.Option()] = Framework.torch,
    kind: Annotated[list[Kind] | None, typer.Option(help="May be given several times; all of them.")] = None,
    seeds: Annotated[int, typer.Option(min=1, help="How many, from 0.")] = 5,
    epochs: Annotated[int | None, typer.Option(min=1)] = None,
    result: Annotated[
        Path | None, typer.Option(help="A JSON file for the numbers; a run there goes on.")
    ] = None,
) -> None:
    """Train classifiers with and without attention, and measure them on reviews that they have not seen."""
    if framework is Framework.mxnet and mx is None:
        raise checkpoints.fail(WITHOUT_MXNET)
    there = IN_KERAS if framework is Framework.keras else list(Kind)
    kinds = kind or there
    if not set(kinds) <= set(there):
        raise checkpoints.fail(f"In Keras there are only the kinds {' and '.join(IN_KERAS)}.")
    try:
        learned = _task(data)
    except review_archives.DataError as error:
        raise checkpoints.fail(str(error)) from None
    report = _begin(data, framework, learned, epochs, result)
    jobs = [(k, number) for k in kinds for number in range(seeds)]
    done = {(run["kind"], run["seed"]) for run in report["runs"]}
    for k, number in jobs:
        if (k.value, number) not in done:
            report["runs"].append(_run(data, framework, k, number, learned, epochs))
            _write(report, result)
    report["summary"] = _summary(report["runs"])
    _write(report, result)
    sys.stdout.write(json.dumps(report["summary"], indent=1) + "\n")


def _task(data: Data) -> Task:
    if data is Data.grammar:
        return written_task()
    return task(review_archives.real_splits(data.value), SUITS[data.value].at_least)


def _settings(data: Data, kind: Kind, epochs: int | None) -> Settings:
    windows = data is Data.grammar and PARTS[kind][0] == "Convolution"
    settings = WRITTEN_WINDOWS if windows else SUITS[data.value]
    return replace(settings, epochs=epochs or settings.epochs)


def _begin(
    data: Data, framework: Framework, learned: Task, epochs: int | None, result: Path | None
) -> dict[str, Any]:
    """What a report says before any run, with the runs that an earlier report of the same kind has."""
    settings = {k.value: described(_settings(data, k, epochs)) for k in Kind}
    begun: dict[str, Any] = {
        "command": " ".join(["python -m course.training", *sys.argv[1:]]),
        "data": data.value,
        "framework": framework.value,
        "versions": versions(),
        "reviews": {
            "train": len(learned.train),
            "valid": len(learned.valid),
            "test": len(learned.test),
            "words": len(learned.vocabulary),
        },
        "settings": settings,
        "bag_of_words": round(bag_of_words_accuracy(learned.train, learned.test, len(learned.vocabulary)), 4),
        "runs": [],
    }
    if result is None or not result.exists():
        return begun
    try:
        before = json.loads(result.read_text())
        same = all(before[key] == begun[key] for key in ("data", "framework", "reviews", "settings"))
        return {**begun, "runs": before["runs"]} if same else begun
    except (OSError, ValueError, KeyError, TypeError):
        raise checkpoints.fail(
            f"{result} is there, and is no result of this command; move it away."
        ) from None


def _run(
    data: Data, framework: Framework, kind: Kind, number: int, learned: Task, epochs: int | None
) -> dict[str, Any]:
    settings = _settings(data, kind, epochs)
    started = checkpoints.cpu_seconds()
    model = Model(framework.value, len(learned.vocabulary), *PARTS[kind], settings, number)
    with progress_bar() as bar:
        what = f"{kind.value}, seed {number}"
        for _ in bar.track(
            steps(model, learned, number), total=num_steps(learned, settings), description=what
        ):
            pass
    found: dict[str, Any] = {
        "kind": kind.value,
        "seed": number,
        "valid": round(model.accuracy(learned.valid), 4),
        "test": round(model.accuracy(learned.test), 4),
        "cpu_seconds": round(checkpoints.cpu_seconds() - started, 1),
    }
    if data is Data.grammar and model.pooling == "attention":
        found["evidence"] = round(evidence_share(model.weights(learned.test), learned.test), 4)
    return found


def _summary(found: list[dict[str, Any]]) -> dict[str, dict[str, float]]:
    """For each kind the mean, the spread (standard deviation) and the extremes of the test accuracy."""
    summary = {}
    for kind in dict.fromkeys(run["kind"] for run in found):
        test = np.array([run["test"] for run in found if run["kind"] == kind])
        numbers = {"mean": test.mean(), "spread": test.std(ddof=len(test) > 1)}
        numbers |= {"lowest": test.min(), "highest": test.max()}
        rounded = {name: round(float(value), 4) for name, value in numbers.items()}
        summary[kind] = {"seeds": len(test), **rounded}
    return summary


def _write(report: dict[str, Any], result: Path | None) -> None:
    if result is None:
        return
    try:
        result.parent.mkdir(parents=True, exist_ok=True)
        part = result.with_suffix(".part")
        part.write_text(json.dumps(report, indent=1) + "\n")
        part.replace(result)
    except OSError as error:
        raise checkpoints.fail(f"The result cannot be written to {result}: {error.strerror}.") from None
