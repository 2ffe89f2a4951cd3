"""Calls of a learner's that name no axis, so that the library takes the whole array as one long row."""

import ast
import inspect
from textwrap import dedent
from typing import Any

from autograder.frameworks import frameworks

SAID = (
    "`{code}` names no axis, so it takes the whole array as one long row: with more than one axis, say which, by "
    "{keyword}=."
)


def call_without_axis(entry: Any, framework: str) -> str | None:
    """A sentence on the first such call in a function or class; None if there is none, or no source."""
    try:
        tree = ast.parse(dedent(inspect.getsource(entry)))
    except (OSError, TypeError, SyntaxError):
        return None
    words = frameworks()[framework].words
    for call in ast.walk(tree):
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute):
            keyword, wanted = words.without_axis.get(call.func.attr, ("", 0))
            of_module = isinstance(call.func.value, ast.Name) and call.func.value.id in (*words.modules, "np")
            named = any(given.arg in (keyword, None) for given in call.keywords)
            if keyword and not named and len(call.args) - of_module < wanted:
                return SAID.format(code=ast.unparse(call), keyword=keyword)
    return None
