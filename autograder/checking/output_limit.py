"""Limit what an answer prints while it is judged: the first lines, since it is called for every case."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from typing import Any

from autograder.model.text import counted

MOST_LINES = 20


class _FirstLines:
    """A stream that passes the first lines on, and counts the others."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream
        self.whole, self.begun = 0, False  # lines that have come to their end; whether another has begun

    def write(self, text: str) -> int:
        for line in text.splitlines(keepends=True):
            if self.whole < MOST_LINES:
                self._stream.write(line)
            self.begun = not line.endswith("\n")
            self.whole += not self.begun
        return len(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


@contextmanager
def first_lines() -> Iterator[None]:
    """Show the first lines only of what is printed to standard output, and say how many more there are."""
    stdout = sys.stdout
    stream = _FirstLines(stdout)
    try:
        with redirect_stdout(stream):
            yield
    finally:
        if (more := stream.whole + stream.begun - MOST_LINES) > 0:
            stdout.write(f"… and {counted(more, 'more line')}\n")
