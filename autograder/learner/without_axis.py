"""Calls of a learner's that name no axis, so that the library takes the whole array as one long row."""

import ast
import inspect
from textwrap import dedent
from typing import Any

# By framework: the function, the keyword of its axis, and how many arguments a method has that names one by place.
FLAT = {
    "torch": {
        "roll": ("dims", 2),
        "repeat_interleave": ("dim", 2),
        "argmax": ("dim", 1),
        "argmin": ("dim", 1),
    },
    "mxnet": {"repeat": ("axis", 2), "argmax": ("axis", 1), "argmin": ("axis", 1)},
}
MODULES = ("torch", "nd", "mx", "np")
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
    for call in ast.walk(tree):
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute):
            keyword, wanted = FLAT.get(framework, {}).get(call.func.attr, ("", 0))
            of_module = isinstance(call.func.value, ast.Name) and call.func.value.id in MODULES
            named = any(given.arg in (keyword, None) for given in call.keywords)
            if keyword and not named and len(call.args) - of_module < wanted:
                return SAID.format(code=ast.unparse(call), keyword=keyword)
    return None
