"""Variables of the notebook that an answer's class uses in the place of its own settings, which have the same names."""

import dis
import inspect
from typing import Any

from autograder.model.exercise import Exercise

OUTER = (
    "In {method}, {name} is the notebook's variable and not this layer's: keep the layer's in __init__, "
    "self.{name} = {name}, and use self.{name}."
)


def outer_setting(exercise: Exercise, entry: Any) -> str | None:
    """A sentence, if a method of a class reads one of the exercise's settings from the notebook."""
    if not isinstance(entry, type):
        return None
    settings = {argument.name for argument in exercise.settings}
    for method in filter(inspect.isfunction, vars(entry).values()):
        for step in dis.get_instructions(method):
            known = step.argval in settings and step.argval in method.__globals__
            if step.opname == "LOAD_GLOBAL" and known:
                return OUTER.format(method=method.__name__, name=step.argval)
    return None
