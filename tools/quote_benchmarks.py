"""Writes the figures that the benchmarks have stored into BENCHMARKS.md, the README and the manual, between a pair of
comments for each.

Only what a benchmark has measured is quoted; the tests prove more: every misconception is rejected with its own hint.
"""

import re
from pathlib import Path

from autograder.model.errors import ToolError
from tools.figures import QUOTES, stored

START, END = "<!-- figures of benchmarks.{name}, written by `make sync` -->", "<!-- end of figures -->"
# A figure in a sentence, by its benchmark and its name there.
IN_A_SENTENCE = re.compile(r"(<!-- benchmarks\.(\w+), ([\w ]+) -->).*?(?=<!-- end -->)")
# The files whose sentences say how many seconds something takes.
SAYING = (Path("README.md"), Path("chapters", "manual.md"))


def quoted(text: str, root: Path) -> str:
    """Return the text with its figures as `benchmarks/results` below `root` holds them.

    Raises ToolError where the comments around the figures of a benchmark are missing.
    """
    for name, quote in QUOTES.items():
        start = START.format(name=name)
        block = re.compile(f"{re.escape(start)}\n.*?{re.escape(END)}", re.DOTALL)
        blocks = block.findall(text)
        if len(blocks) != 1:
            raise ToolError(
                f"BENCHMARKS.md must hold the lines {start!r} and {END!r} once, for the figures of benchmarks.{name}."
            )
        text = text.replace(blocks[0], f"{start}\n\n{quote(stored(name, root))}\n\n{END}")
    return text


def with_seconds(text: str, root: Path) -> str:
    """Return a text with the seconds in its sentences as the benchmarks have stored them."""
    return IN_A_SENTENCE.sub(
        lambda place: f"{place[1]}{stored(place[2], root)['seconds'][place[3]]:.0f} s", text
    )
