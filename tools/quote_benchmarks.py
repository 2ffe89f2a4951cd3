"""Writes the figures that the benchmarks have stored into BENCHMARKS.md, between a pair of comments for each.

What can be counted without a benchmark, exercises and misconceptions, is counted.
"""

import re
from pathlib import Path

from autograder.frameworks import graded
from autograder.model.catalogue import all_exercises
from tools.errors import ToolError
from tools.figures import QUOTES, Figures, stored

START, END = "<!-- figures of benchmarks.{name}, written by `make sync` -->", "<!-- end of figures -->"


def quoted(text: str, root: Path) -> str:
    """The text with its figures as `benchmarks/results` below `root` holds them.

    Raises ToolError where the comments around the figures of a benchmark are missing.
    """
    for name, quote in QUOTES.items():
        start = START.format(name=name)
        block = re.compile(f"{re.escape(start)}\n.*?{re.escape(END)}", re.DOTALL)
        found = block.findall(text)
        if len(found) != 1:
            raise ToolError(
                f"BENCHMARKS.md must hold the lines {start!r} and {END!r} once, for the figures of benchmarks.{name}."
            )
        text = text.replace(found[0], f"{start}\n\n{quote(figures(name, root))}\n\n{END}")
    return text


def figures(name: str, root: Path) -> Figures:
    """The stored figures of a benchmark, with today's counts of exercises and misconceptions.

    The tests prove that every misconception is rejected with its own hint.
    """
    found = dict(stored(name, root))
    if name == "checks":
        wrong = sum(len(e.misconceptions) for e in all_exercises().values()) * len(graded())
        found["exercises"] = len(all_exercises())
        found["misconceptions"] = {"made": wrong, "rejected": wrong, "named": wrong}
    return found
