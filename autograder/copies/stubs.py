"""A solution without its bodies: what a learner begins with."""

import ast
import re
from collections.abc import Iterable

from autograder.read.syntax import is_docstring

BASE = re.compile(r"\s*super\(\).__init__\(")


def stub(text: str) -> str:
    """Return the signatures and docstrings of a source; every body becomes `raise NotImplementedError`.

    A call of the base class's `__init__`, which is never the point, stays.
    """
    lines = text.split("\n")
    stub_lines: list[str] = []
    at = 0
    for function in _functions(ast.parse(text).body):
        start = _body_start(function, lines)
        stub_lines += lines[at:start]
        stub_lines += [line for line in lines[start : function.end_lineno] if BASE.match(line)]
        stub_lines.append(" " * function.body[0].col_offset + "raise NotImplementedError")
        at = function.end_lineno or len(lines)
    return "\n".join([*stub_lines, *lines[at:]]).rstrip("\n")


def _functions(body: Iterable[ast.stmt]) -> Iterable[ast.FunctionDef]:
    for statement in body:
        if isinstance(statement, ast.FunctionDef):
            yield statement
        elif isinstance(statement, ast.ClassDef):
            yield from _functions(statement.body)


def _body_start(function: ast.FunctionDef, lines: list[str]) -> int:
    """Return the index of the first line after the signature, or after the docstring if there is one."""
    first = function.body[0]
    if is_docstring(first):
        return first.end_lineno or first.lineno
    start = first.lineno - 1
    while lines[start - 1].strip().startswith("#") or not lines[start - 1].strip():
        start -= 1  # comments between the signature and the body belong to the body
    return start
