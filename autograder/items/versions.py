"""The text of a solution and of its wrong versions, in each framework: read from its file, without the framework."""

import ast
import io
import re
import tokenize
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path

from autograder.model.exercise import Exercise, Misconception
from autograder.model.ideas import NUMPY, edited, source_of
from autograder.read.syntax import is_docstring
from course.paths import ROOT

SOLUTIONS = ROOT / "solutions"
# The longest line of a solution; a longer one would be seen at once.
LONGEST = 60
# Numbers that code about arrays uses everywhere.
USUAL = {"0", "1", "2"}
# So many tokens more, and none less, are seen as an addition.
MOST_GAINED = 8
GONE = "\0"
# What does nothing: another name for a value, or for a number; a sum with 0, a product or a quotient with 0 or 1, and a
# loop of one round.
IDLE = re.compile(
    r"""^\s*[\w.]+\ =\ (?:\w+|[\d.]+)$ | [+-]\ 0(?![\w.]) | (?:[*/]\ |\*\*\s?)[01](?:\.0)?(?![\w.])
        | (?<![\w.])[01](?:\.0)?\ [*](?![*]) | range\(1\)""",
    re.MULTILINE | re.VERBOSE,
)


def right_text(exercise: Exercise, framework: str) -> str | None:
    """The solution's text in a framework, as the chapter shows it; None where there is none."""
    if framework == NUMPY:
        return source_of(exercise.reference)
    folder = SOLUTIONS / exercise.topic
    for path in (folder / f"in_{framework}.py", folder / "common.py"):
        if path.is_file() and (found := _defined(path).get(exercise.entry)):
            return found
    return None


def without_comments(text: str) -> str:
    """The text without its comments, which say what the right code does."""
    lines = text.splitlines()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            row, column = token.start
            lines[row - 1] = lines[row - 1][:column].rstrip() or GONE
    return "\n".join([line for line in lines if line != GONE]) + "\n"


def wrong_text(exercise: Exercise, framework: str, idea: Misconception) -> str | None:
    """The text with a wrong idea in it; None where the idea is no edit there."""
    right, version = right_text(exercise, framework), idea.edits.get(framework)
    if right is None or version is None or isinstance(version, str):
        return None
    return edited(right, version, f"{exercise.name}.{idea.name}, {framework}")


def text_with_both(
    exercise: Exercise, framework: str, one: Misconception, other: Misconception
) -> str | None:
    """The text with two wrong ideas in it; None where they change one place, make no code, or one of them is no edit."""
    right = right_text(exercise, framework)
    with suppress(SyntaxError, ValueError, KeyError):
        text = right and edited(edited(right, one.edits[framework], ""), other.edits[framework], "")
        return text if text and ast.parse(text) else None
    return None


def line_that_differs(right: str, wrong: str) -> int | None:
    """The place of the line in which two texts differ, where that is a single one."""
    lines, others = right.splitlines(), wrong.splitlines()
    if len(lines) != len(others):
        return None
    differing = [i for i, (a, b) in enumerate(zip(lines, others, strict=True)) if a != b]
    return differing[0] if len(differing) == 1 else None


def lines_joined_with(lines: Sequence[str], place: int) -> set[int]:
    """The places of the lines that give a line a value by its name, and of those that take its own."""
    names = [set(re.findall(r"[A-Za-z_]\w*", line)) for line in lines]
    given = [set(re.findall(r"\w+", line.partition(" = ")[0])) if " = " in line else set() for line in lines]
    return {i for i in range(len(lines)) if given[i] & names[place] or given[place] & names[i]} - {place}


def lines_of_code(text: str) -> list[int]:
    """The places of the lines in which a statement begins: none of a signature, a docstring or a bracket."""
    headers = (ast.FunctionDef, ast.ClassDef, ast.Try)
    statements = [
        n for n in ast.walk(ast.parse(text)) if isinstance(n, ast.stmt) and not isinstance(n, headers)
    ]
    places = {n.lineno - 1 for n in statements if not is_docstring(n)}
    return sorted(i for i in places if text.splitlines()[i].strip() != "super().__init__()")


def is_odd(right: str, wrong: str, framework: str) -> bool:
    """Whether a fault is seen without being understood, since it stands in the text as one odd token.

    That is a name that no solution in this framework uses; a number that is not 0, 1 or 2 and that the right text
    does not have; what does nothing, or a constant True or False, which switch a part off as nobody would; a line that
    is longer than any of a solution; or one that keeps all it has and gains much.
    """
    longest = max(LONGEST, *map(len, right.splitlines()))
    gone, new = changed_tokens(right, wrong)
    if (not gone and new.total() > MOST_GAINED) or new.keys() & {"True", "False"}:
        return True
    if any(len(line) > longest for line in wrong.splitlines()) or _idle(wrong) - _idle(right):
        return True
    known = _vocabulary(framework) | set(_tokens(right)) | USUAL
    return any(token[0].isalnum() and token not in known for token in new)


def changed_tokens(right: str, wrong: str) -> tuple[Counter[str], Counter[str]]:
    """The tokens that the right text alone has, and those that the wrong one alone has."""
    one, other = Counter(_tokens(right)), Counter(_tokens(wrong))
    return one - other, other - one


def _idle(text: str) -> Counter[str]:
    return Counter(found[0].strip() for found in IDLE.finditer(text))


@cache
def _defined(path: Path) -> dict[str, str]:
    """The text of each function and class that a file defines."""
    text = path.read_text(encoding="utf-8")
    kinds = (ast.FunctionDef, ast.ClassDef)
    return {
        node.name: f"{ast.get_source_segment(text, node)}\n"
        for node in ast.parse(text).body
        if isinstance(node, kinds)
    }


@cache
def _vocabulary(framework: str) -> set[str]:
    """The names that any solution in a framework uses."""
    paths = [*SOLUTIONS.glob(f"*/in_{framework}.py"), *SOLUTIONS.glob("*/common.py")]
    found = {token for path in paths for token in _tokens(path.read_text(encoding="utf-8"))}
    return {token for token in found if not token[0].isdigit()}


@cache
def _tokens(text: str) -> tuple[str, ...]:
    """The tokens of a text but its comments and its docstrings."""
    kinds = (tokenize.NAME, tokenize.NUMBER, tokenize.OP)
    return tuple(t.string for t in tokenize.generate_tokens(io.StringIO(text).readline) if t.type in kinds)
