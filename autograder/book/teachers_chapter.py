"""The box that announces an exercise, as MyST Markdown, and a notebook for exercises of a teacher's own.

These stand in no chapter: the notebook is made from their data, one for each topic.
"""

import inspect
from collections.abc import Container, Iterator, Sequence
from typing import Any

import numpy as np

from autograder.book.numpy_stub import definition, imports
from autograder.frameworks import graded_frameworks
from autograder.model.catalogue import all_exercises, by_entry, modules
from autograder.model.exercise import Exercise
from autograder.model.teachers_exercises import GIVEN_OUT
from autograder.model.text import counted

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

HINT = ":::{{dropdown}} Hint {number}\n{text}\n:::"
GRADIENTS = "Gradients are compared too."


def box(exercise: Exercise) -> str:
    """Return the `exercise` directive that announces an exercise, and its hints, folded."""
    facts = (
        f"**Difficulty {exercise.difficulty} of 5 · {exercise.minutes} minutes · "
        f"{counted(exercise.points, 'point')}.**"
    )
    also = (GRADIENTS,) if any(case.gradient for case in exercise.cases(np.random.default_rng(0))) else ()
    rules = " ".join((*exercise.rules, *also))
    paragraphs = [f"{facts} {exercise.statement}", f"`{exercise.signature}`", rules]
    text = "\n\n".join(filter(None, paragraphs))
    task = f"```{{exercise}} {exercise.title}\n:label: ex-{exercise.name}\n{text}\n```"
    hints = [HINT.format(number=i, text=hint) for i, hint in enumerate(exercise.hints, 1)]
    return "\n\n".join([task, *hints])


def teachers_chapter(topic: str, only: Container[str] | None = None) -> dict[str, Any]:
    """Return the exercises of a topic as a chapter has them: for each a box, and a stub and its check in each framework.

    The docstring of the teacher's file is title and text. only: the exercises that are wanted; all if not given.
    """
    exercises = [e for e in all_exercises().values() if e.topic == topic and (only is None or e.name in only)]
    cells = [new_cell("title", _heading(topic), {}), new_cell("first", FIRST, {}, code=True)]
    cells += [cell for framework in graded_frameworks() for cell in _first(exercises, framework)]
    for exercise in exercises:
        cells.append(new_cell(f"box-{exercise.name}", box(exercise), {}))
        cells += [cell for framework in graded_frameworks() for cell in _answer(exercise, framework)]
    return {"cells": [*cells, new_cell("end", "", {})], **FORM}


def _heading(topic: str) -> str:
    """Return the docstring of the topic's file, its first line as the title; without one, the topic's name."""
    title, _, rest = inspect.cleandoc(modules()[topic].__doc__ or "").partition("\n")
    title = title.strip().removesuffix(".") or topic.replace("_", " ").capitalize()
    return f"# {title}\n\n{rest.strip()}".strip()


def _first(exercises: Sequence[Exercise], framework: str) -> Iterator[dict[str, Any]]:
    """Yield the cell of imports in a framework, which stays when an answer's cell is written anew; none without exercises."""
    lines = dict.fromkeys(line for exercise in exercises for line in imports(exercise, framework))
    if lines:
        tags = {"tags": [f"framework-{framework}"]}
        yield new_cell(f"first-{framework}", "\n".join(lines), tags, code=True)


def _answer(exercise: Exercise, framework: str) -> Iterator[dict[str, Any]]:
    tag, suffix = f"framework-{framework}", f"{framework}-{exercise.name}"
    tags = {"tags": [tag, f"exercise:{exercise.name}"]}
    yield new_cell(suffix, "\n".join(definition(exercise, framework)), tags, code=True)
    # Another exercise may ask for a function of the same name.
    option = "" if by_entry(exercise.entry) == [exercise] else f', exercise="{exercise.name}"'
    check = f'check({exercise.entry}, "{framework}"{option})'
    yield new_cell(f"check-{suffix}", check, {"tags": [tag]}, code=True)


def new_cell(name: str, text: str, metadata: dict[str, Any], code: bool = False) -> dict[str, Any]:
    """Return a cell of text, or one of code. Its id has at most the 64 characters that Jupyter allows."""
    cell = {"cell_type": "markdown", "id": name[:64], "metadata": metadata, "source": text}
    return cell | {"cell_type": "code", "execution_count": None, "outputs": []} if code else cell
