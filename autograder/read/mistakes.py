"""Mistakes of syntax: what they cost is left out, and the rest of a source is read."""

import ast
import re
import sys
import warnings
from collections.abc import Iterator
from dataclasses import dataclass

from autograder.read.magics import end_of_line, tokens_of_line, without_lines
from autograder.read.syntax import parse

# After so many mistakes the rest of a source is one.
MAX_MISTAKES = 10
# What ends a statement before it, however many brackets and quotes are open.
SURELY_BEGINS = re.compile(r"(?:async\s+def|def|class|import|from)\b|@")
# Lines at the left margin that go on with the statement before them.
GOES_ON = re.compile(r"(?:else|elif|except|finally)\b|[)\]}#]|\s|$")
# Syntax that Python has had from a version on, by what an older one says of a line, and by the line.
NEWER = (
    ((3, 12), re.compile(r"\Af-string|^\s*(?:async\s+def|def|class|type)\s+\w+\s*\[|^\s*type\s+\w+\s*=", re.M)),
    ((3, 14), re.compile(r"\Amultiple exception types must be|\Ainvalid syntax\b.*\n(?:.*[\s=(\[{,:])?[tT][rR]?[\"']")),
)  # fmt: skip
OLDER_HERE = "; this grader runs Python {}.{}, and from {}.{} on the line may be right"


@dataclass(frozen=True)
class SyntaxMistake:
    """Lines that are no Python.

    line, message: where and what Python says; text: what is left out for it; source: the line that is complained of.
    """

    line: int
    message: str
    text: str
    source: str = ""

    @property
    def newer_versions(self) -> list[tuple[int, int]]:
        """Return the versions of Python that may read it, though this one does not."""
        text = f"{self.message}\n{self.source}"
        return [version for version, pattern in NEWER if sys.version_info < version and pattern.search(text)]

    def __str__(self) -> str:
        newer = self.newer_versions
        return self.message + (OLDER_HERE.format(*sys.version_info[:2], *newer[0]) if newer else "")


def without_mistakes(source: str, in_notebook: bool) -> tuple[str, tuple[SyntaxMistake, ...]]:
    """Return what of a source is Python, in its lines, and the mistakes that are left out.

    Jupyter runs nothing of a cell with a mistake in it. Of a Python file, and of a cell that a newer Python may read,
    each mistake costs the statement at the top level that it stands in.
    """
    whole = mistake_in(source) if parse(source) is None else None
    if whole is None:
        return source, ()
    if in_notebook and not whole.newer_versions:
        return "", (whole,)
    mistakes = list(_mistakes(source))
    rest = without_lines(source, [lines for lines, _ in mistakes])
    return ("", (whole,)) if parse(rest) is None else (rest, tuple(mistake for _, mistake in mistakes))


def mistake_in(source: str, before: int = 0) -> SyntaxMistake | None:
    """Return what Python says of a source that it cannot read; None for one that it can. before: lines above it."""
    try:
        with warnings.catch_warnings(action="ignore"):
            ast.parse(source)
    except SyntaxError as error:
        line = min(error.lineno or 1, source.count("\n") + 1)
        return SyntaxMistake(before + line, error.msg, source, source.split("\n")[line - 1].strip())
    except (ValueError, RecursionError, MemoryError) as error:
        return SyntaxMistake(before + 1, str(error) or "it is too deeply nested", source)
    return None


def _mistakes(source: str) -> Iterator[tuple[tuple[int, int], SyntaxMistake]]:
    """Yield the statements at the top level that are no Python, with their first and last lines."""
    lines, first, count = source.split("\n"), 0, 0
    while first < len(lines):
        end = _end_of_statement(lines, first) if count < MAX_MISTAKES else len(lines)
        mistake = mistake_in("\n".join(lines[first:end]), first)
        if mistake is not None:
            count += 1
            if count < MAX_MISTAKES:
                end = next((i for i in range(first + 1, end) if _surely_begins(lines, i)), end)
                mistake = mistake_in("\n".join(lines[first:end]), first) or mistake
            yield (first + 1, end), mistake
        first = end


def _surely_begins(lines: list[str], i: int) -> bool:
    """Return whether a statement begins in a line, though the one before it may have no end."""
    return SURELY_BEGINS.match(lines[i]) is not None and not lines[i - 1].startswith("@")


def _end_of_statement(lines: list[str], first: int) -> int:
    """Return the index behind the statement at the top level that begins in a line."""
    end, is_decorator = first, True
    while end < len(lines) and (is_decorator or GOES_ON.match(lines[end])):
        blank = not lines[end].strip() or lines[end].lstrip().startswith("#")
        is_decorator = lines[end].startswith("@") or (is_decorator and blank)
        tokens = None if blank else tokens_of_line(lines, end)
        end = end_of_line(end, tokens or [])
    return end
