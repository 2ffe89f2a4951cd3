"""What IPython takes off a cell before Python reads it: magics, commands of the shell, questions, prompts, indentation.

IPython's own `TransformerManager` defines it, and a test compares. It is not called here: a mark must not depend on
whether IPython is installed, and here lines stay where they are.
"""

import io
import re
import tokenize
from collections.abc import Iterable
from contextlib import suppress
from textwrap import dedent

from autograder.read.syntax import parse

CELL_MAGIC = re.compile(r"\s*%%(\w+)[^\n]*(?:\n|$)")
# `%%writefile answers.py` too: what it holds is there to be imported, and no file can be written here.
RUNS_THE_CELL = ("time", "capture", "prun", "debug", "writefile", "file")
# What begins a command in the place of a statement: no statement of Python does.
COMMANDS = ("%", "!", "?", "/", ",", ";")
ASSIGNED = re.compile(r"[^=#!<>()]*=\s*(?:%\s*[^\W\d]|!)")
DOCTEST = re.compile(r"\s*(?:>>>|\.\.\.)[ \t]?")
DOCTEST_BEGINS = re.compile(r"\s*>>>")
PROMPT = re.compile(r"(?:(?:\[nav\]|\[ins\])? )?In \[\d+\]: |\s*\.{3,}: ?")
# Of one logical line, in a source that is not all Python.
MAX_LINES = 5000
# What a line holds that may go on in the next one, or that may be a question.
MAY_GO_ON = re.compile(r"[\"'(\[{\\?]")
TEXT = re.compile(r"\"\"\"|'''")


def without_magics(source: str) -> str:
    """Return the source of a cell as Python gets it: commands are blank, and the other lines stay in their places.

    So are texts at the top level that are no Python for their backslashes: exports write a notebook's prose so.
    """
    begin = 0
    while cell_magic := CELL_MAGIC.match(source, begin):
        if cell_magic[1] not in RUNS_THE_CELL:
            return ""
        begin = cell_magic.end()
    source = "\n" * source.count("\n", 0, begin) + source[begin:]
    if parse(source) is not None:
        return source
    # `dedent` empties lines of blanks, of which none is lost.
    for step in (_without_unreadable_texts, dedent, _without_prompts):
        source = step(source)
    return _without_commands(source)


def without_lines(source: str, lines: Iterable[tuple[int, int]]) -> str:
    """Return a source with blank lines in the place of some: the first and the last, counted from 1."""
    source_lines = source.split("\n")
    for first, last in lines:
        source_lines[first - 1 : last] = [""] * (last - first + 1)
    return "\n".join(source_lines)


def tokens_of_line(lines: list[str], first: int) -> list[tokenize.TokenInfo] | None:
    """Return the tokens of the logical line that begins at an index; None where Python's tokenizer stops in it.

    Of a line that is plainly one alone, none: most are, and a tokenizer for each takes long.
    """
    if not MAY_GO_ON.search(lines[first]):
        return []
    rest = (f"{line}\n" for line in lines[first : first + MAX_LINES])
    tokens: list[tokenize.TokenInfo] = []
    with suppress(tokenize.TokenError, SyntaxError):
        for token in tokenize.generate_tokens(lambda: next(rest, "")):
            tokens.append(token)
            if token.type in (tokenize.NEWLINE, tokenize.ENDMARKER):
                return tokens
    return None


def end_of_line(first: int, tokens: list[tokenize.TokenInfo]) -> int:
    """Return the index behind the logical line that begins at an index and has these tokens."""
    return first + (tokens[-1].start[0] if tokens else 1)


def _without_prompts(source: str) -> str:
    """Return the source without `>>>` and `...`, or `In [1]:` and `...:`, where it begins with such a prompt."""
    lines = source.split("\n")
    first = [line for line in lines if line.strip()][:2]
    if any(map(PROMPT.match, first)):
        return "\n".join(PROMPT.sub("", line, count=1) for line in lines)
    is_code = _outside_of_texts(lines)
    if not any(DOCTEST_BEGINS.match(line) for line, counts in zip(lines, is_code, strict=True) if counts):
        return source
    stripped = (DOCTEST.sub("", s, count=1) if c else s for s, c in zip(lines, is_code, strict=True))
    return dedent("\n".join(stripped))


def _outside_of_texts(lines: list[str]) -> list[bool]:
    """Return for each line whether it begins outside of a text of several lines; prompts may stand in the text."""
    is_code, inside = [], False
    for line in lines:
        is_code.append(not inside or bool(DOCTEST_BEGINS.match(lines[0])))
        inside ^= len(TEXT.findall(line)) % 2 == 1
    return is_code


def _without_commands(source: str) -> str:
    """Return the source with `pass` in the place of each command, of however many lines it is."""
    lines, i = source.split("\n"), 0
    while i < len(lines):
        code = lines[i].lstrip()
        end = i + 1
        if code and not code.startswith("#"):
            is_command = code.startswith(COMMANDS) or ASSIGNED.match(code) is not None
            tokens = [] if is_command else tokens_of_line(lines, i)
            if tokens is None:
                break
            end = _end_of_command(lines, i) if is_command else end_of_line(i, tokens)
            asks = len(tokens) > 2 and tokens[-2].string == "?"  # such as `softmax?`
            if is_command or asks:
                indentation = lines[i][: len(lines[i]) - len(code)]
                lines[i:end] = [f"{indentation}pass", *[""] * (end - i - 1)]
        i = end
    return "\n".join(lines)


def _end_of_command(lines: list[str], first: int) -> int:
    """Return the index behind a command: a line that ends with a backslash goes on in the next."""
    end = first + 1
    while end < len(lines) and lines[end - 1].endswith("\\"):
        end += 1
    return end


def _without_unreadable_texts(source: str) -> str:
    """Return the source without the statements at the top level that are a text alone, with a broken escape in it."""
    if "\\" not in source:
        return source
    line_ranges, begins, text = [], True, None
    # The tokenizer takes a text as it is; where the rest of the source stops it, what it has found counts.
    with suppress(tokenize.TokenError, SyntaxError):
        for token in tokenize.generate_tokens(io.StringIO(source).readline):
            if token.type == tokenize.NEWLINE and text and parse(text.string) is None:
                line_ranges.append((text.start[0], text.end[0]))
            is_text = token.type == tokenize.STRING and token.string.lstrip("bBrRuU")[0] in "'\""
            if token.type != tokenize.COMMENT:
                text = token if is_text and begins and not token.start[1] else None
            if token.type not in (tokenize.COMMENT, tokenize.INDENT, tokenize.DEDENT):
                begins = token.type in (tokenize.NEWLINE, tokenize.NL)
    return without_lines(source, line_ranges)
