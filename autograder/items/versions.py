"""The text of a solution and of its wrong versions, in each framework: read from its file, without the framework."""

import ast
import io
import re
import tokenize
from collections import Counter
from contextlib import suppress
from functools import cache
from pathlib import Path

from autograder.model.exercise import Exercise, Misconception
from autograder.model.ideas import NUMPY, edited, source_of
from autograder.read.syntax import is_docstring
from course.paths import ROOT

SOLUTIONS = ROOT / "solutions"
COMMENT = re.compile(r"\s*#.*$", re.MULTILINE)
# The longest line of a solution; numbers that code about arrays uses everywhere; so many tokens more, and none less,
# are seen as an addition.
LONGEST, USUAL, MOST_GAINED = 60, {"0", "1", "2"}, 8
# What does nothing: another name for a value, or for a number; a sum with 0, a product or a quotient with 0 or 1, and a
# loop of one round.
IDLE = re.compile(
    r"""^\s*[\w.]+\ =\ (?:\w+|[\d.]+)$ | [+-]\ 0(?![\w.]) | (?:[*/]\ |\*\*\s?)[01](?:\.0)?(?![\w.])
        | (?<![\w.])[01](?:\.0)?\ [*](?![*]) | range\(1\)""",
    re.MULTILINE | re.VERBOSE,
)


def text_with(exercise: Exercise, framework: str, *ideas: Misconception) -> str | None:
    """The solution's text in a framework with wrong ideas in it, without its comments, which say what is right.

    None where there is no solution, where an idea is no edit of it, or where the ideas make no code together.
    """
    folder = SOLUTIONS / exercise.topic
    known = _defined(folder / "common.py") | _defined(folder / f"in_{framework}.py")
    with suppress(KeyError, ValueError, SyntaxError, TypeError, OSError):  # a reference may have no text
        text = source_of(exercise.reference) if framework == NUMPY else known.get(exercise.entry, "")
        for version in [idea.edits[framework] for idea in ideas]:
            text = "" if isinstance(version, str) else edited(text, version, "")
        text = COMMENT.sub("", text)
        return text if ast.parse(text).body else None
    return None


def places_that_differ(right: str, wrong: str) -> list[int]:
    """The places of the lines in which two texts of as many lines differ; none if they have not as many."""
    lines, others = right.splitlines(), wrong.splitlines()
    return [i for i in range(len(lines)) if len(lines) == len(others) and lines[i] != others[i]]


def lines_of_code(text: str) -> list[int]:
    """The places of the lines in which a statement begins: none of a signature, a docstring or a bracket."""
    headers, lines = (ast.FunctionDef, ast.ClassDef, ast.Try), text.splitlines()
    statements = [
        n for n in ast.walk(ast.parse(text)) if isinstance(n, ast.stmt) and not isinstance(n, headers)
    ]
    places = {n.lineno - 1 for n in statements if not is_docstring(n)}
    return sorted(i for i in places if lines[i].strip() != "super().__init__()")


def is_odd(right: str, wrong: str, framework: str) -> bool:
    """Whether a fault is seen without being understood, since it stands in the text as one odd token.

    That is a name that no solution in this framework uses; a number that is not 0, 1 or 2 and that the right text
    does not have; what does nothing, or a constant True or False, which switch a part off as nobody would; a line that
    is longer than any of a solution; or one that keeps all it has and gains much.
    """
    gone, new = changed_tokens(right, wrong)
    if (not gone and new.total() > MOST_GAINED) or new.keys() & {"True", "False"}:
        return True
    longest = max(LONGEST, *map(len, right.splitlines()))
    idle, known_idle = (Counter(IDLE.findall(text)) for text in (wrong, right))
    if any(len(line) > longest for line in wrong.splitlines()) or idle - known_idle:
        return True
    known = _vocabulary(framework) | set(_tokens(right)) | USUAL
    return any(token[0].isalnum() and token not in known for token in new)


def changed_tokens(right: str, wrong: str) -> tuple[Counter[str], Counter[str]]:
    """The tokens that the right text alone has, and those that the wrong one alone has."""
    one, other = Counter(_tokens(right)), Counter(_tokens(wrong))
    return one - other, other - one


@cache
def _defined(path: Path) -> dict[str, str]:
    """The text of each function and class that a file defines; nothing where there is no file."""
    text = path.read_text(encoding="utf-8") if path.is_file() else ""
    defined = [n for n in ast.parse(text).body if isinstance(n, ast.FunctionDef | ast.ClassDef)]
    return {node.name: f"{ast.get_source_segment(text, node)}\n" for node in defined}


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
