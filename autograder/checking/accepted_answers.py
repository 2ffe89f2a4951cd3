"""Accepted answers, kept as text in the learner's own folder, so that later notebooks and new kernels use them.

They stand in `answers.json` beside `progress.json`: by exercise and framework a source that needs nothing of the
notebook in which it was written. It is the learner's own code; only what runs on the learner's side reads it.
"""

import ast
import inspect
import linecache
import sys
from collections.abc import Mapping
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

from autograder.checking.answer_code import functions_of, names_used
from autograder.model.learner_files import read_json, write_json
from autograder.model.misconceptions import define_entry
from autograder.read.syntax import definitions

FILE = "answers.json"
PLAIN = (bool, int, float, complex, str, bytes, type(None), tuple, list, dict, set, frozenset)


class UnstorableAnswer(Exception):
    """An answer uses something that cannot be written down; the message says what."""


def read(folder: Path) -> dict[str, dict[str, str]]:
    """Return the sources by exercise and framework; what is damaged is put aside. Raises UsageError."""
    return read_json(folder / FILE, usable=_texts)


def _texts(sources: Any) -> dict[str, str] | None:
    if not isinstance(sources, dict):
        return None
    return {framework: text for framework, text in sources.items() if isinstance(text, str)}


def keep(folder: Path, exercise: str, framework: str, source: str) -> None:
    """Keep an answer; it takes the place of an earlier one."""
    answers = read(folder)
    answers[exercise] = {**answers.get(exercise, {}), framework: source}
    write_json(folder / FILE, answers)


def entry_of(source: str, exercise: str, framework: str, entry: str) -> Any:
    """Return the function or class that a kept source defines. Raises whatever its code raises."""
    return define_entry(source, f"{exercise}, {framework}, kept", entry, {"__name__": "accepted_answers"})


def source_of(answer: Any, origins: Mapping[int, tuple[str, str]]) -> str:
    """Return an answer as text, with the helpers, constants and imports of its notebook that it uses.

    origins: the module and the name of objects that another module has taken over, by their ids.
    Raises UnstorableAnswer for what cannot be written down.
    """
    function = next(functions_of(answer), None)
    if function is None:
        raise UnstorableAnswer("it is no function, and no class with one")
    names = inspect.unwrap(function).__globals__
    imports: dict[str, None] = {}
    constants: list[str] = []
    definitions: dict[str, str] = {}
    visited: set[str] = set()

    def add_definition(name: str, value: Any) -> None:
        """Add the text of a function or class behind what it uses, such as the class that it extends."""
        text = _definition(value)
        for used in sorted(names_used(text) & names.keys()):
            if used not in visited:
                visited.add(used)
                add(used, names[used])
        definitions[name] = text

    def add(name: str, value: Any) -> None:
        if line := _import(name, value, answer.__module__, origins):
            imports[line] = None
        elif isinstance(value, FunctionType | type):
            if value.__name__ != name:
                raise UnstorableAnswer(f"`{name}` is another name for `{value.__name__}`")
            add_definition(name, value)
        elif _is_plain(value):
            constants.append(f"{name} = {value!r}")
        else:
            raise UnstorableAnswer(
                f"`{name}` is made in another cell, and is no function, class, number or text"
            )

    visited.add(answer.__name__)
    add_definition(answer.__name__, answer)
    parts = [*sorted(imports), "", *constants, "", "\n\n".join(definitions.values()), ""]
    return "\n".join(parts).lstrip()


def _import(name: str, value: Any, notebook: str, origins: Mapping[int, tuple[str, str]]) -> str | None:
    """Return the line that imports a value; None if it is of the notebook itself."""
    if isinstance(value, ModuleType):
        return f"import {value.__name__}{_as(name, value.__name__)}"
    origin = getattr(value, "__module__", None), getattr(value, "__qualname__", "")
    module, original = origins.get(id(value), origin)
    is_importable = id(value) in origins or getattr(sys.modules.get(str(module)), original, None) is value
    if not is_importable or module == notebook:
        return None
    return f"from {module} import {original}{_as(name, original)}"


def _as(name: str, original: str) -> str:
    return "" if name == original else f" as {name}"


def _definition(value: Any) -> str:
    """Return the text of a function or class, from the cell or file in which it was defined."""
    function = next(functions_of(value), None)
    if function is None:
        raise UnstorableAnswer(f"`{value.__name__}` has no text")
    text = "".join(linecache.getlines(inspect.unwrap(function).__code__.co_filename))
    try:
        return definitions(text)[value.__name__].rstrip("\n")
    except SyntaxError as error:
        raise UnstorableAnswer(f"the text of `{value.__name__}` cannot be read") from error
    except KeyError as error:
        raise UnstorableAnswer(f"`{value.__name__}` is not defined at the left margin of its cell") from error


def _is_plain(value: Any) -> bool:
    try:
        return isinstance(value, PLAIN) and ast.literal_eval(repr(value)) == value
    except (ValueError, SyntaxError):
        return False
