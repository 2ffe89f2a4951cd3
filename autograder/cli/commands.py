"""All commands together: those of the modules beside this one, and of installed packages.

A package names a group of commands by an entry point of the group `attention.commands`, whose name is the group's.
"""

import importlib
import pkgutil
from importlib.metadata import entry_points

from autograder import cli
from autograder.cli.app import app as app
from autograder.model.errors import UsageError, location_of

for module in pkgutil.iter_modules(cli.__path__):
    importlib.import_module(f"{cli.__name__}.{module.name}")
for point in entry_points(group="attention.commands"):
    try:
        app.add_typer(point.load(), name=point.name)
    except Exception as error:
        raise UsageError(f"The commands {point.value} cannot be imported{location_of(error)}.") from error
