"""`export`: marks in the formats that other systems read, one module for each.

Each is a function, named by an entry point of the group `attention.exports`; a package that pip has installed brings
more. It takes the gradebook and, by their names, those of `PARAMETERS` that it needs, and gives an `Export`.
"""

import inspect
from collections.abc import Mapping
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from autograder.marks.exports.export import Export
from autograder.marks.gradebook import Gradebook
from autograder.model.errors import AutograderError, UsageError, location_of
from autograder.model.text import listed

GROUP = "attention.exports"
# The course's own, known here too where it is not installed.
BUILT_IN = {
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
PARAMETERS = {
    "path": "--roster FILE: the CSV that it exported",
    "assignment": "--name",
    "practice": "--practice",
    "overwriting": "--keep or --replace",
    "scaled": "--unscaled",
    "column_names": "--column",
}


def exported(name: str, book: Gradebook, arguments: Mapping[str, Any]) -> Export:
    """Return the marks of a gradebook in the format of this name. arguments: what was said of PARAMETERS, None where it was not.

    Raises UsageError, with a sentence, if there is none of this name, or it lacks something or cannot be used.
    """
    point = _entry_point(name)
    try:
        function = point.load()
        _, *parameters = inspect.signature(function).parameters.values()
        for parameter in parameters:
            if parameter.name not in PARAMETERS:
                raise UsageError(
                    f"The export {name!r} asks for {parameter.name!r}, and not for one of {', '.join(PARAMETERS)}."
                )
            if arguments[parameter.name] is None and parameter.default is parameter.empty:
                raise UsageError(f"{name} needs {PARAMETERS[parameter.name]}.")
        export = function(book, **{parameter.name: arguments[parameter.name] for parameter in parameters})
    except AutograderError:
        raise
    except Exception as error:
        raise UsageError(f"The export {name!r}, {point.value}, does not work{location_of(error)}.") from error
    if not isinstance(export, Export):
        raise UsageError(f"The export {name!r}, {point.value}, gives {export!r} and no Export.")
    return export


def _entry_point(name: str) -> EntryPoint:
    installed = entry_points(group=GROUP)
    points = {p.value: p for p in (*BUILT_IN.values(), *installed) if p.name == name}
    if not points:
        names = sorted({*BUILT_IN, *(p.name for p in installed)})
        raise UsageError(f"There is no export {name!r}: use {listed(names, 'or')}.")
    if len(points) > 1:
        raise UsageError(
            f"{' and '.join(points)} are both called {name!r}: leave only one of them installed."
        )
    return next(iter(points.values()))
