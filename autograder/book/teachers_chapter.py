"""The box that announces an exercise, as MyST Markdown, and a notebook for exercises of a teacher's own.

These stand in no chapter: the notebook is made from their data, one for each topic.
"""

import importlib
import inspect
import re
from collections.abc import Container, Iterator, Sequence
from itertools import groupby
from typing import Any

import numpy as np

from autograder.book.answer_stub import definition, helpers, imports
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
NOTEBOOK_FORMAT = {
    "metadata": {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    },
    "nbformat": 4,
    "nbformat_minor": 5,
}

HINT = ":::{{dropdown}} Hint {number}\n{text}\n:::"
HEAD = ("name", "shape", "rule")
# Where a shape in words ends and a condition begins: "(batch,), each at least 1".
CONDITION = re.compile(r', (?![("])(?![^("]*[)"])')
# Sizes, and answers that are offered.
CODE = re.compile(r'\([^()]*\)|"[^"]*"')


def box(exercise: Exercise) -> str:
    """Return the `exercise` directive that announces an exercise, and its hints, folded."""
    facts = (
        f"**Difficulty {exercise.difficulty} of 5 · {exercise.minutes} minutes · "
        f"{counted(exercise.points, 'point')}.**"
    )
    compared = f"**Compared:** {', '.join(_compared(exercise))}."
    rules = " ".join((*exercise.rules, *_helpers(exercise), compared))
    text = "\n\n".join([f"{facts} {exercise.statement}", f"`{exercise.call}`", _table(exercise), rules])
    task = f"```{{exercise}} {exercise.title}\n:label: ex-{exercise.name}\n{text}\n```"
    hints = [HINT.format(number=i, text=hint) for i, hint in enumerate(exercise.hints, 1)]
    return "\n\n".join([task, *hints])


def _helpers(exercise: Exercise) -> Iterator[str]:
    """Yield how each helper is called, and the module that an answer imports it from."""
    if exercise.helpers:
        calls = (
            f"{', '.join(f'`{_call(name, topic)}`' for name in entries)} in `solutions.{topic}`"
            for topic, entries in helpers(exercise).items()
        )
        yield f"**Provided:** {'; '.join(calls)}."


def _call(name: str, topic: str) -> str:
    if exercises := by_entry(name):
        return exercises[0].call
    function = getattr(importlib.import_module(f"solutions.{topic}.in_numpy"), name)
    return f"{name}({', '.join(inspect.signature(function).parameters)})"


def _compared(exercise: Exercise) -> Iterator[str]:
    """Yield what the check compares with the right results."""
    yield "the result" if exercise.is_plain else "values"
    if any(case.gradient for case in exercise.cases(np.random.default_rng(0))):
        yield "gradients"
    caches = (a.name for a in exercise.arguments if a.caches is not None)
    yield from (f"how many numbers `{name}` holds at most" for name in caches)


def _table(exercise: Exercise) -> str:
    """Return a table of what is handed in, what is learned and what is returned; without rules it has two columns."""
    rows = [HEAD, *_rows(exercise)]
    columns = 3 if any(rule for _, _, rule in rows[1:]) else 2
    escaped = [[part.replace("|", r"\|") for part in row[:columns]] for row in rows]
    lines = [f"| {' | '.join(row)} |" for row in escaped]
    return "\n".join([lines[0], "| --- " * columns + "|", *lines[1:]])


def _rows(exercise: Exercise) -> Iterator[tuple[str, str, str]]:
    """Yield names in Markdown, a shape, and what must hold; neighbours that are alike share a row."""
    rows = []
    for name, (verb, label, words) in _things(exercise).items():
        shape, *condition = CONDITION.split(words, 1)
        rule = "; ".join([*condition, *filter(None, [exercise.conditions.get(name)])])
        rows.append((label, (verb, CODE.sub(r"`\g<0>`", shape), rule)))
    for (verb, shape, rule), group in groupby(rows, lambda row: row[1]):
        yield f"{verb} {', '.join(label for label, _ in group)}".strip(), shape, rule


def _things(exercise: Exercise) -> dict[str, tuple[str, str, str]]:
    """Return the verb, the label and the shape of each row, by the name that `conditions` has for it.

    A layer that has a row of its own stands for the arrays in it.
    """
    inputs = (*exercise.settings, *exercise.arguments)
    arguments = {a.name: ("", f"`{a.name}`", a.description) for a in inputs}
    arrays = {p.path: ("learns", f"`{p.path}`", p.words) for p in exercise.parameters.values()}
    results = {f"{o.verb} {o.name}": (o.verb, f"`{o.name}`", o.description) for o in exercise.returns}
    named = arguments | arrays | results
    others = {words: ("", words, "") for words in exercise.conditions if words not in named}
    in_layers = [path for path in arrays if f"`{path.partition('.')[0]}`" in " ".join(others)]
    return arguments | others | {path: arrays[path] for path in arrays if path not in in_layers} | results


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
    return {"cells": [*cells, new_cell("end", "", {})], **NOTEBOOK_FORMAT}


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
