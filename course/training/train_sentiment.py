"""`python -m course.training sentiment`: every classifier of the chapter, on any of its reviews, from several seeds.

Each finished training is written to the result at once; the same command given again continues after it.
"""

import json
import sys
from dataclasses import asdict, replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from autograder.frameworks.libraries import installed_versions
from course.data import review_archives
from course.data.download import DataError
from course.data.reviews import bag_of_words_accuracy
from course.display.progress_bar import bar as progress_bar
from course.display.terminal import fail
from course.training import commands
from course.training.commands import FrameworkName
from course.training.sentiment import (
    CLASSIFIER_SETTINGS,
    WRITTEN_WINDOWS,
    ClassifierSettings,
    Dataset,
    evidence_share,
    make_model,
    num_steps,
    steps,
    written_dataset,
)
from course.training.sentiment import dataset as make_dataset


class ReviewData(StrEnum):
    """The reviews to train on."""

    grammar = "grammar"
    uci = "uci"
    films = "films"


class SentimentFramework(StrEnum):
    """The frameworks that the classifiers are written in."""

    torch = FrameworkName.torch.value
    mxnet = FrameworkName.mxnet.value
    keras = "keras"


class Kind(StrEnum):
    """The encoder and the pooling of a classifier."""

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
    data: Annotated[
        ReviewData, typer.Option(help="uci and films are fetched once by npm and pip.")
    ] = ReviewData.grammar,
    framework: Annotated[SentimentFramework, typer.Option()] = SentimentFramework.torch,
    kind: Annotated[list[Kind] | None, typer.Option(help="May be given several times; all of them.")] = None,
    seeds: Annotated[int, typer.Option(min=1, help="How many, from 0.")] = 5,
    epochs: Annotated[int | None, typer.Option(min=1)] = None,
    result: Annotated[
        Path | None, typer.Option(help="A JSON file for the numbers; a run in it is resumed.")
    ] = None,
) -> None:
    """Train classifiers with and without attention, and measure them on reviews that they have not seen."""
    commands.require(framework.value)
    available = IN_KERAS if framework is SentimentFramework.keras else list(Kind)
    kinds = kind or available
    if not set(kinds) <= set(available):
        raise fail(f"In Keras there are only the kinds {' and '.join(IN_KERAS)}.")
    try:
        dataset = _dataset(data)
    except DataError as error:
        raise fail(str(error)) from None
    report = _begin(data, framework, dataset, epochs, result)
    jobs = [(k, number) for k in kinds for number in range(seeds)]
    done = {(run["kind"], run["seed"]) for run in report["runs"]}
    for k, number in jobs:
        if (k.value, number) not in done:
            report["runs"].append(_run(data, framework, k, number, dataset, epochs))
            commands.write_result(report, result)
    report["summary"] = _summary(report["runs"])
    commands.write_result(report, result)
    sys.stdout.write(json.dumps(report["summary"], indent=1) + "\n")


def _dataset(data: ReviewData) -> Dataset:
    if data is ReviewData.grammar:
        return written_dataset()
    return make_dataset(review_archives.real_splits(data.value), CLASSIFIER_SETTINGS[data.value].at_least)


def _settings(data: ReviewData, kind: Kind, epochs: int | None) -> ClassifierSettings:
    windows = data is ReviewData.grammar and PARTS[kind][0] == "Convolution"
    settings = WRITTEN_WINDOWS if windows else CLASSIFIER_SETTINGS[data.value]
    return replace(settings, epochs=epochs or settings.epochs)


def _begin(
    data: ReviewData, framework: SentimentFramework, dataset: Dataset, epochs: int | None, result: Path | None
) -> dict[str, Any]:
    """Return what a report says before any run, with the runs that an earlier report of the same kind has."""
    settings = {k.value: asdict(_settings(data, k, epochs)) for k in Kind}
    begun: dict[str, Any] = {
        "command": commands.command_line(),
        "data": data.value,
        "framework": framework.value,
        "versions": installed_versions(),
        "reviews": {
            "train": len(dataset.train),
            "valid": len(dataset.valid),
            "test": len(dataset.test),
            "words": len(dataset.vocabulary),
        },
        "settings": settings,
        "bag_of_words": round(bag_of_words_accuracy(dataset.train, dataset.test, len(dataset.vocabulary)), 4),
        "runs": [],
    }
    if result is None or not result.exists():
        return begun
    try:
        before = json.loads(result.read_text())
        same = all(before[key] == begun[key] for key in ("data", "framework", "reviews", "settings"))
        return {**begun, "runs": before["runs"]} if same else begun
    except (OSError, ValueError, KeyError, TypeError):
        raise fail(f"{result} is there, and is no result of this command; move it away.") from None


def _run(
    data: ReviewData,
    framework: SentimentFramework,
    kind: Kind,
    number: int,
    dataset: Dataset,
    epochs: int | None,
) -> dict[str, Any]:
    settings = _settings(data, kind, epochs)
    started = commands.cpu_seconds()
    model = make_model(framework.value, len(dataset.vocabulary), *PARTS[kind], settings, number)
    with progress_bar() as bar:
        what = f"{kind.value}, seed {number}"
        for _ in bar.track(
            steps(model, dataset, number), total=num_steps(dataset, settings), description=what
        ):
            pass
    row: dict[str, Any] = {
        "kind": kind.value,
        "seed": number,
        "valid": round(model.accuracy(dataset.valid), 4),
        "test": round(model.accuracy(dataset.test), 4),
        "cpu_seconds": round(commands.cpu_seconds() - started, 1),
    }
    if data is ReviewData.grammar and model.pooling == "attention":
        row["evidence"] = round(evidence_share(model.weights(dataset.test), dataset.test), 4)
    return row


def _summary(runs: list[dict[str, Any]]) -> dict[str, dict[str, float]]:
    """Return of each kind the mean, the spread (standard deviation) and the extremes of the test accuracy."""
    summary = {}
    for kind in dict.fromkeys(run["kind"] for run in runs):
        test = np.array([run["test"] for run in runs if run["kind"] == kind])
        numbers = {"mean": test.mean(), "spread": test.std(ddof=len(test) > 1)}
        numbers |= {"lowest": test.min(), "highest": test.max()}
        rounded = {name: round(float(value), 4) for name, value in numbers.items()}
        summary[kind] = {"seeds": len(test), **rounded}
    return summary
