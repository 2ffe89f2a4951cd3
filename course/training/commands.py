"""What the training commands share: their frameworks, their own command line, and their result files."""

import json
import os
import sys
from enum import StrEnum
from pathlib import Path
from typing import Any

from autograder.frameworks.libraries import WITHOUT_MXNET, mx
from course.display.terminal import fail


class FrameworkName(StrEnum):
    """The frameworks that a model is written in."""

    torch = "torch"
    mxnet = "mxnet"


def require(framework: str) -> None:
    """Refuse a framework that is not installed."""
    if framework == FrameworkName.mxnet and mx is None:
        raise fail(WITHOUT_MXNET)


def cpu_seconds() -> float:
    """Return the processor time of this process, which other programs on the machine do not lengthen."""
    times = os.times()
    return times.user + times.system


def command_line() -> str:
    """Return the command that repeats this run, without the names of folders on this machine."""
    words = sys.argv[1:]
    shared = [
        word
        for word, before in zip(words, ["", *words], strict=False)
        if not {word.split("=")[0], before} & {"--out", "--result"}
    ]
    return " ".join(["python -m course.training", *shared])


def as_json(report: dict[str, Any]) -> str:
    """Return a report as text."""
    return json.dumps(report, indent=1, ensure_ascii=False) + "\n"


def write_result(report: dict[str, Any], path: Path | None) -> None:
    """Write a report to a file, whole or not at all; nothing without a path."""
    if path is None:
        return
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_suffix(".part")
        part.write_text(as_json(report))
        part.replace(path)
    except OSError as error:
        raise fail(f"The result cannot be written to {path}: {error.strerror}.") from None
