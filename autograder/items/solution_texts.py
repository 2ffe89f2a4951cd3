"""The text of a solution and of its wrong versions, in each framework: read from its file, without the framework."""

import ast
import io
import re
import tokenize
from collections import Counter
from contextlib import suppress
from functools import cache, lru_cache
from pathlib import Path

from autograder.model.exercise import Exercise, Misconception
from autograder.model.misconceptions import NUMPY, edited, source_of
from autograder.model.paths import ROOT
from autograder.read.syntax import definitions, is_docstring

SOLUTIONS = ROOT / "solutions"
COMMENT = re.compile(r"\s*#.*$", re.MULTILINE)
# So many signs more than the right text has are seen as an addition.
MOST_GAINED = 30
# What does nothing: another name for a value, or for a number; a sum with 0, a product or a quotient with 0 or 1, and a
# loop of one round.
IDLE = re.compile(
    r"""^\s*[\w.]+\ =\ (?:\w+|[\d.]+)$ | [+-]\ 0(?![\w.]) | (?:[*/]\ |\*\*\s?)[01](?:\.0)?(?![\w.])
        | (?<![\w.])[01](?:\.0)?\ [*](?![*]) | range\(1\)""",
    re.MULTILINE | re.VERBOSE,
)


def text_with(exercise: Exercise, framework: str, *misconceptions: Misconception) -> str:
    """Return the solution's text in a framework with misconceptions in it, without its comments.

    It is in NumPy where there is no solution in the framework. Empty where a misconception is no edit of it, or where they
    make no code together.
    """
    folder = SOLUTIONS / exercise.topic
    texts = _defined(folder / "common.py") | _defined(folder / f"in_{framework}.py")
    with suppress(KeyError, ValueError, SyntaxError, TypeError, OSError):  # a reference may have no text
        framework = framework if exercise.entry in texts else NUMPY
        text = source_of(exercise.reference) if framework == NUMPY else texts[exercise.entry]
        for version in [m.edits[framework] for m in misconceptions]:
            text = "" if isinstance(version, str) else edited(text, version, "")
        text = COMMENT.sub("", text)
        return text if _parsed(text).body else ""
    return ""


@lru_cache(maxsize=256)  # as below
def places_that_differ(right: str, wrong: str) -> list[int]:
    """Return the places of the lines in which two texts of as many lines differ; none if they have not as many."""
    lines, wrong_lines = right.splitlines(), wrong.splitlines()
    return [i for i in range(len(lines)) if len(lines) == len(wrong_lines) and lines[i] != wrong_lines[i]]


def lines_of_code(text: str) -> list[int]:
    """Return the places of the lines in which a statement begins: none of a signature, a docstring or a bracket."""
    headers, lines = (ast.FunctionDef, ast.ClassDef, ast.Try), text.splitlines()
    statements = (node for node in ast.walk(_parsed(text)) if isinstance(node, ast.stmt))
    numbers = {s.lineno - 1 for s in statements if not (isinstance(s, headers) or is_docstring(s))}
    return sorted(i for i in numbers if lines[i].strip() != "super().__init__()")


@lru_cache(maxsize=1)  # a text is proven to be code, and then asked for its lines
def _parsed(text: str) -> ast.Module:
    return ast.parse(text)


def is_odd(right: str, wrong: str, framework: str) -> bool:
    """Return whether a fault is seen without being understood, since it stands in the text as one odd token.

    That is a name that no solution in this framework uses; a number but 0, 1 and 2 or a True or False that the right
    text does not have; what does nothing; or much more text than the right one has.
    """
    gained = (token for token in changed_tokens(right, wrong)[1] if token[0].isalnum())
    idle = Counter(IDLE.findall(wrong)) - Counter(IDLE.findall(right))
    is_new = any(token not in vocabulary(framework) and token not in _tokens(right) for token in gained)
    return is_new or bool(idle) or len(wrong) > len(right) + MOST_GAINED


@lru_cache(maxsize=256)  # the misconceptions of an exercise, which come in hundreds of pairs
def changed_tokens(right: str, wrong: str) -> tuple[Counter[str], Counter[str]]:
    """Return the tokens that the right text alone has, and those that the wrong one alone has."""
    one, other = Counter(_tokens(right)), Counter(_tokens(wrong))
    return one - other, other - one


@cache
def _defined(path: Path) -> dict[str, str]:
    """Return the text of each function and class that a file defines; nothing where there is no file."""
    return definitions(path.read_text(encoding="utf-8")) if path.is_file() else {}


@cache
def vocabulary(framework: str) -> set[str]:
    """Return the names that any solution in a framework uses, and numbers that code about arrays uses everywhere."""
    paths = [*SOLUTIONS.glob(f"*/in_{framework}.py"), *SOLUTIONS.glob("*/common.py")]
    tokens = {token for path in paths for token in _tokens(path.read_text(encoding="utf-8"))}
    return {token for token in tokens - {"True", "False"} if not token[0].isdigit()} | {"0", "1", "2"}


@cache
def _tokens(text: str) -> tuple[str, ...]:
    """Return the tokens of a text but its comments and its docstrings."""
    kinds = (tokenize.NAME, tokenize.NUMBER, tokenize.OP)
    return tuple(t.string for t in tokenize.generate_tokens(io.StringIO(text).readline) if t.type in kinds)
