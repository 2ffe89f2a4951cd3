"""The frameworks of the course: each is one module, and this is the table of them.

A module belongs to the table if it holds a `FRAMEWORK`. A package that pip has installed names such a
module by an entry point of the group `attention.frameworks`; others are named in the environment
variable ATTENTION_FRAMEWORKS, separated by commas.
"""

import importlib
import os
import pkgutil
from collections.abc import Iterable
from functools import cache
from importlib.metadata import entry_points
from importlib.util import find_spec

import numpy as np

from autograder.frameworks.base import Adapter, Framework
from autograder.model.errors import UsageError, location_of

VARIABLE = "ATTENTION_FRAMEWORKS"
GROUP = "attention.frameworks"


@cache
def frameworks() -> dict[str, Framework]:
    """Return every framework by its name, in the order in which they are shown.

    Raises UsageError, with a sentence, where one from outside cannot be used.
    """
    by_name: dict[str, Framework] = {}
    for module in pkgutil.iter_modules(__path__):
        built_in = getattr(importlib.import_module(f"{__name__}.{module.name}"), "FRAMEWORK", None)
        by_name |= {built_in.name: built_in} if built_in else {}
    modules = filter(None, os.environ.get(VARIABLE, "").split(","))
    for module_name in sorted({*modules, *(point.module for point in entry_points(group=GROUP))}):
        try:
            framework = getattr(importlib.import_module(module_name), "FRAMEWORK", None)
        except Exception as error:
            raise UsageError(
                f"The framework {module_name} cannot be imported{location_of(error)}."
            ) from error
        if not isinstance(framework, Framework):
            raise UsageError(f"{module_name} must define FRAMEWORK, a Framework, but has {framework!r}.")
        if framework.name in by_name:
            raise UsageError(
                f"{module_name} must have a name of its own, but {framework.name!r} is another's."
            )
        by_name[framework.name] = framework
    return {f.name: f for f in sorted(by_name.values(), key=lambda f: f.position)}


def graded_frameworks() -> tuple[str, ...]:
    """Return the names of the frameworks in which exercises are handed in."""
    return tuple(f.name for f in frameworks().values() if f.graded)


def only_installed_framework() -> str | None:
    """Return the framework that is installed, where it is the only one."""
    names = [name for name in graded_frameworks() if all(map(find_spec, frameworks()[name].packages))]
    return names[0] if len(names) == 1 else None


def checkable_frameworks() -> dict[str, Framework]:
    """Return the frameworks in which `check` can call an answer."""
    return {name: f for name, f in frameworks().items() if f.adapter is not None}


@cache
def framework_names() -> dict[str, str]:
    """Return what an answer may import of each framework: packages and aliases, and whose they are."""
    owners = {package: f.name for f in frameworks().values() for package in f.packages}
    return owners | {alias: f.name for f in frameworks().values() for alias in f.aliases}


def adapter_of(name: str) -> Adapter:
    """Return what calls answers written in a framework. Raises ImportError where it is not installed."""
    make = frameworks()[name].adapter
    if make is None:
        raise ImportError(f"{title_of(name)} is shown in the book, and answers in it are not called")
    return make()


def warm(names: Iterable[str]) -> list[str]:
    """Differentiate once in each of these frameworks, since the first time is slow.

    Returns the names of those that are installed.
    """
    installed = []
    for name in names:
        try:
            adapter = adapter_of(name)
        except ImportError:
            continue
        installed.append(name)
        if frameworks()[name].differentiates:
            with adapter.record(False):
                leaf, handed = adapter.array(np.ones((1, 2), np.float32), True)
                output = handed * 2
            adapter.gradients([output], [np.ones((1, 2), np.float32)], [leaf])
    return installed


def library_attention() -> tuple[str, ...]:
    """Return the frameworks' own attention, as dotted names that an exercise can forbid."""
    return tuple(name for f in frameworks().values() for name in f.attention)


def title_of(name: str) -> str:
    """Return the framework's name as it is written in a sentence."""
    return frameworks()[name].title if name in frameworks() else name
