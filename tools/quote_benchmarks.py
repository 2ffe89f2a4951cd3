"""Writes the figures that the benchmarks have stored into BENCHMARKS.md, between a pair of comments for each.

Only what a benchmark has measured is quoted; the tests prove more: every misconception is rejected with its own hint.
"""

import re
from pathlib import Path

from tools.errors import ToolError
from tools.figures import QUOTES, stored

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
        text = text.replace(found[0], f"{start}\n\n{quote(stored(name, root))}\n\n{END}")
    return text
