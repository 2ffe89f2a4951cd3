"""A notebook for exercises of a teacher's own, which stand in no chapter: made from their data, one for each topic."""

import inspect
from collections.abc import Container, Iterator
from typing import Any

from autograder.book.boxes import box
from autograder.book.numpy_stub import NOT_WRITTEN, docstring, names
from autograder.frameworks import frameworks, graded
from autograder.model.catalogue import all_exercises, by_entry, modules
from autograder.model.exercise import Exercise
from autograder.model.own_exercises import GIVEN_OUT

FIRST = f"""\
# `check` knows these exercises from the folder {GIVEN_OUT}, beside this notebook.
import numpy as np

from autograder import check"""
# What every chapter says of itself.
FORM = {
    "metadata": {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    },
    "nbformat": 4,
    "nbformat_minor": 5,
}


def own_chapter(topic: str, only: Container[str] | None = None) -> dict[str, Any]:
    """The exercises of a topic as a chapter has them: for each a box, and a stub and its check in each framework.

    The docstring of the teacher's file is title and text. only: the exercises that are wanted; all if not given.
    """
    own = [e for e in all_exercises().values() if e.topic == topic and (only is None or e.name in only)]
    cells = [new_cell("title", _heading(topic), {}), new_cell("first", FIRST, {}, code=True)]
    for exercise in own:
        cells.append(new_cell(f"box-{exercise.name}", box(exercise), {}))
        cells += [cell for framework in graded() for cell in _answer(exercise, framework)]
    return {"cells": [*cells, new_cell("end", "", {})], **FORM}


def _heading(topic: str) -> str:
    """The docstring of the topic's file, its first line as the title; without one, the topic's name."""
    title, _, rest = inspect.cleandoc(modules()[topic].__doc__ or "").partition("\n")
    title = title.strip().removesuffix(".") or topic.replace("_", " ").capitalize()
    return f"# {title}\n\n{rest.strip()}".strip()


def _answer(exercise: Exercise, framework: str) -> Iterator[dict[str, Any]]:
    tag, place = f"framework-{framework}", f"{framework}-{exercise.name}"
    tags = {"tags": [tag, f"exercise:{exercise.name}"]}
    yield new_cell(place, framework_stub(exercise, framework), tags, code=True)
    # Another exercise may ask for a function of the same name.
    named = "" if by_entry(exercise.entry) == [exercise] else f', exercise="{exercise.name}"'
    check = f'check({exercise.entry}, "{framework}"{named})'
    yield new_cell(f"check-{place}", check, {"tags": [tag]}, code=True)


def new_cell(name: str, text: str, metadata: dict[str, Any], code: bool = False) -> dict[str, Any]:
    """A cell of text, or one of code. Its id has at most the 64 characters that Jupyter allows."""
    cell = {"cell_type": "markdown", "id": name[:64], "metadata": metadata, "source": text}
    return cell | {"cell_type": "code", "execution_count": None, "outputs": []} if code else cell


def framework_stub(exercise: Exercise, framework: str) -> str:
    """The source of an exercise's function or class in a framework, without its body."""
    known = frameworks()[framework]
    imports = known.imports or f"import {known.packages[0]}"
    lines = [imports, *_imports_of_solutions(exercise, framework), "", ""]
    if not exercise.is_class:
        lines += [f"def {exercise.entry}({names(exercise.arguments)}):", *docstring(exercise, 1)]
        return "\n".join([*lines, f"    {NOT_WRITTEN}"])
    base = f"({known.layer})" if known.layer else ""
    settings = ", ".join(["self", *(setting.name for setting in exercise.settings)])
    lines += [f"class {exercise.entry}{base}:", *_parameters(exercise), f"    def __init__({settings}):"]
    lines += ["        super().__init__()"] * bool(base) + [f"        {NOT_WRITTEN}", ""]
    call = "forward" if base else "__call__"
    lines += [f"    def {call}(self, {names(exercise.arguments)}):", *docstring(exercise, 2)]
    return "\n".join([*lines, f"        {NOT_WRITTEN}"])


def _parameters(exercise: Exercise) -> Iterator[str]:
    """The learned arrays that the class must hold, by their names, as its docstring."""
    if exercise.parameters:
        yield '    """It learns'
        yield ""
        yield from (f"    {p.path}: {p.shape}" for p in exercise.parameters.values())
        yield '    """'
        yield ""


def _imports_of_solutions(exercise: Exercise, framework: str) -> Iterator[str]:
    """Imports of the course's solutions that the exercise builds on."""
    for topic in exercise.builds_on:
        there = [e for e in all_exercises().values() if e.topic == topic]
        entries = [e.entry for e in there if not all(output.plain for output in e.returns)]
        if entries:
            yield f"from solutions.{topic}.in_{framework} import {', '.join(dict.fromkeys(entries))}"
