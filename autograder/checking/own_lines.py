"""What a learner's own lines say of a wrong answer: a setting of the notebook's, a call that names no axis."""

import ast
import dis
import inspect
from textwrap import dedent
from typing import Any

from autograder.checking.imports import functions_of
from autograder.frameworks import frameworks
from autograder.model.exercise import Exercise

OUTER = (
    "In {method}, {name} is the notebook's variable and not this layer's: keep the layer's in __init__, "
    "self.{name} = {name}, and use self.{name}."
)
NO_AXIS = (
    "`{code}` names no axis, so it takes the whole array as one long row: with more than one axis, say which, by "
    "{keyword}=."
)


def outer_setting(exercise: Exercise, entry: Any) -> str | None:
    """A sentence, if a method of a class reads one of the exercise's settings from the notebook."""
    if not isinstance(entry, type):
        return None
    settings = {argument.name for argument in exercise.settings}
    for method in functions_of(entry):
        for step in dis.get_instructions(method):
            known = step.argval in settings and step.argval in method.__globals__
            if step.opname == "LOAD_GLOBAL" and known:
                return OUTER.format(method=method.__name__, name=step.argval)
    return None


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
                return NO_AXIS.format(code=ast.unparse(call), keyword=keyword)
    return None
