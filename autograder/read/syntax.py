"""Reads Python without running it: names that statements bind, use and import."""

import ast
import re
import warnings
from collections.abc import Iterator
from functools import lru_cache

from autograder.frameworks import framework_names

# Cells that are much longer are hardly the same in two submissions.
MAX_REMEMBERED = 4096
IMPORT = re.compile(r"^[ \t]*(?:import|from)[ \t].*", re.MULTILINE)


def parse(source: str) -> list[ast.stmt] | None:
    """The statements of a source; None if it is not Python."""
    return _parse_once(source) if len(source) <= MAX_REMEMBERED else _parse_anew(source)


def _parse_anew(source: str) -> list[ast.stmt] | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Python warns on the teacher's terminal of what it finds odd
            return ast.parse(source).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


# A class hands in the same cells of the chapters again and again.
_parse_once = lru_cache(maxsize=64)(_parse_anew)


def bound_names(statement: ast.stmt) -> set[str]:
    names: set[str] = set()
    waiting = [statement]
    while waiting:
        found = waiting.pop()
        if isinstance(found, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            names.add(found.name)
        elif isinstance(found, (ast.Import, ast.ImportFrom)):
            names |= {name for module, name in imported_names(found) if module.split(".")[0] != "solutions"}
        else:
            targets = getattr(found, "targets", None) or [getattr(found, "target", None)]
            names |= {n.id for t in targets if t is not None for n in ast.walk(t) if isinstance(n, ast.Name)}
            waiting += _blocks(found)
    return names


def referred_words(node: ast.AST) -> Iterator[str]:
    """Names that a node refers to, and texts that `getattr` could turn into names."""
    if isinstance(node, ast.Name):
        yield node.id
    elif isinstance(node, ast.Attribute):
        yield node.attr
    elif isinstance(node, ast.alias):
        yield from node.name.split(".")
    elif isinstance(node, ast.ImportFrom):
        yield from (node.module or "").split(".")
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value


def _blocks(statement: ast.stmt) -> list[ast.stmt]:
    """Statements inside an `if`, a `match`, a `try`, a loop or a `with`."""
    blocks = [getattr(statement, name, []) for name in ("body", "orelse", "finalbody")]
    inner = [*getattr(statement, "handlers", []), *getattr(statement, "cases", [])]
    blocks += [part.body for part in inner]
    return [child for block in blocks for child in block]


def imported_names(node: ast.AST) -> list[tuple[str, str]]:
    if isinstance(node, ast.Import):
        return [(alias.name, (alias.asname or alias.name).split(".")[0]) for alias in node.names]
    if isinstance(node, ast.ImportFrom) and node.module:
        found = [(node.module, alias.asname or alias.name) for alias in node.names]
        if node.module == "course.frameworks":
            return [(framework_names().get(a.name, a.name), a.asname or a.name) for a in node.names]
        return found
    return []


def names_used_for(statements: list[ast.stmt], entry: str) -> set[str]:
    """Names that the statements binding an entry refer to."""
    binding = [s for s in statements if entry in bound_names(s)]
    return {n.id for s in binding for n in ast.walk(s) if isinstance(n, ast.Name)}
