"""`export`: marks in the formats that other systems read, one module for each.

Each is a function, named by an entry point of the group `attention.exports`; a package that pip has installed brings
more. It takes the gradebook and, by their names, those of `GIVEN` that it needs, and gives an `Export`.
"""

import inspect
from collections.abc import Mapping
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from autograder.marks.exports.export import Export
from autograder.marks.gradebook import Gradebook
from autograder.model.errors import AutograderError, UsageError, where
from autograder.model.text import either

GROUP = "attention.exports"
# The course's own, known here too where it is not installed.
OWN = {
    name: EntryPoint(name, f"{__name__}.{function}", GROUP)
    for name, function in {
        "csv": "plain:plain_csv",
        "json": "plain:plain_json",
        "canvas": "canvas:canvas",
        "moodle": "moodle:moodle",
        "nbgrader": "plain:nbgrader",
    }.items()
}
# What an export may ask for, and the options of the command that say it.
GIVEN = {
    "path": "--roster FILE: the CSV that it exported",
    "assignment": "--name",
    "practice": "--practice",
    "written": "--keep or --replace",
    "scaled": "--unscaled",
    "named": "--column",
}


def exported(name: str, book: Gradebook, given: Mapping[str, Any]) -> Export:
    """The marks of a gradebook in the format of this name. given: what was said of GIVEN, None where it was not.

    Raises UsageError, with a sentence, if there is none of this name, or it lacks something or cannot be used.
    """
    point = _found(name)
    try:
        function = point.load()
        _, *wanted = inspect.signature(function).parameters.values()
        for parameter in wanted:
            if parameter.name not in GIVEN:
                raise UsageError(
                    f"The export {name!r} asks for {parameter.name!r}, and not for one of {', '.join(GIVEN)}."
                )
            if given[parameter.name] is None and parameter.default is parameter.empty:
                raise UsageError(f"{name} needs {GIVEN[parameter.name]}.")
        made = function(book, **{parameter.name: given[parameter.name] for parameter in wanted})
    except AutograderError:
        raise
    except Exception as error:
        raise UsageError(f"The export {name!r}, {point.value}, does not work{where(error)}.") from error
    if not isinstance(made, Export):
        raise UsageError(f"The export {name!r}, {point.value}, gives {made!r} and no Export.")
    return made


def _found(name: str) -> EntryPoint:
    installed = entry_points(group=GROUP)
    known = {p.value: p for p in (*OWN.values(), *installed) if p.name == name}
    if not known:
        names = sorted({*OWN, *(p.name for p in installed)})
        raise UsageError(f"There is no export {name!r}: use {either(names)}.")
    if len(known) > 1:
        raise UsageError(f"{' and '.join(known)} are both called {name!r}: leave only one of them installed.")
    return next(iter(known.values()))
