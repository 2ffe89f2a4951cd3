"""All commands together: those of the modules beside this one."""

import importlib
import pkgutil

from autograder import cli
from autograder.cli.app import app as app

for module in pkgutil.iter_modules(cli.__path__):
    importlib.import_module(f"{cli.__name__}.{module.name}")
