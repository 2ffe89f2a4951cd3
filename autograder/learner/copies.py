"""`start`: a learner's copies of the chapters, with the solutions taken out."""

import ast
import copy
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from autograder.learner import progress
from autograder.model.catalogue import all_exercises
from course.paths import BOOK

PREFIX = "exercise:"
STARTER = "starter:"
Cell = dict[str, Any]


def start(folder: Path) -> tuple[list[Path], list[Path]]:
    """Make copies of all chapters in a folder; gives those written, and those left as they were."""
    folder.mkdir(parents=True, exist_ok=True)
    progress.create(folder)
    written, kept = [], []
    for chapter in sorted((BOOK / "chapters").glob("*.ipynb")):
        copied = folder / chapter.name
        if copied.exists():
            kept.append(copied)
            continue
        notebook = json.loads(chapter.read_text(encoding="utf-8"))
        copied.write_text(
            json.dumps(learners_copy(notebook), indent=1, ensure_ascii=False) + "\n", encoding="utf-8"
        )
        written.append(copied)
    return written, kept


def learners_copy(notebook: dict[str, Any]) -> dict[str, Any]:
    """The notebook without outputs and with a stub, or a broken start, for each solution."""
    notebook = copy.deepcopy(notebook)
    starters = {tag: source(cell) for cell in notebook["cells"] for tag in tags(cell, STARTER)}
    for place, cell in enumerate(notebook["cells"]):
        if cell["cell_type"] != "code":
            continue
        cell["outputs"], cell["execution_count"] = [], None
        names = tags(cell, PREFIX)
        if names:
            framework = next(t for t in cell["metadata"]["tags"] if t.startswith("framework-"))
            begun = starters.get(f"{STARTER}{names[0].removeprefix(PREFIX)}:{framework}")
            cell["source"] = begun or stub(source(cell))
            cell["metadata"]["tags"] = [t for t in cell["metadata"]["tags"] if t != "hide-input"]
            _for_nbgrader(names[0].removeprefix(PREFIX), framework, cell, notebook["cells"][place + 1])
        else:
            cell["metadata"]["course"] = {"given": True}
            if "framework-keras" in cell["metadata"].get("tags", []):
                # A third form of what the learner writes in the other two.
                cell["source"] = stub(source(cell))
    return notebook


def _for_nbgrader(name: str, framework: str, answer: Cell, test: Cell) -> None:
    """Metadata, schema version 3, that lets nbgrader grade an answer by the `check` behind it."""
    shared = {
        "schema_version": 3,
        "task": False,
        "grade_id": f"{name}-{framework.removeprefix('framework-')}",
    }
    answer["metadata"]["nbgrader"] = {**shared, "grade": False, "solution": True, "locked": False}
    test["source"] = f"{source(test)}.mark()"
    test["metadata"]["nbgrader"] = {
        **shared,
        "grade_id": f"check-{shared['grade_id']}",
        "grade": True,
        "solution": False,
        "locked": True,
        "points": all_exercises()[name].points,
    }


def tags(cell: Cell, prefix: str) -> list[str]:
    """A cell's tags with a prefix; starters are told apart by their framework too."""
    found = cell.get("metadata", {}).get("tags", [])
    framework = next((t for t in found if t.startswith("framework-")), "")
    named = [t for t in found if t.startswith(prefix)]
    return [f"{t}:{framework}" for t in named] if prefix == STARTER else named


def source(cell: Cell) -> str:
    """A cell's source as one string."""
    text = cell["source"]
    return text if isinstance(text, str) else "".join(text)


def stub(text: str) -> str:
    """Signatures and docstrings of a source; every body becomes `raise NotImplementedError`."""
    lines = text.split("\n")
    kept: list[str] = []
    at = 0
    for function in _functions(ast.parse(text).body):
        start = _body_start(function, lines)
        kept += lines[at:start]
        kept.append(" " * _indent(function) + "raise NotImplementedError")
        at = function.end_lineno or len(lines)
    return "\n".join([*kept, *lines[at:]]).rstrip("\n")


def _functions(body: Iterable[ast.stmt]) -> Iterable[ast.FunctionDef]:
    for statement in body:
        if isinstance(statement, ast.FunctionDef):
            yield statement
        elif isinstance(statement, ast.ClassDef):
            yield from _functions(statement.body)


def _has_docstring(function: ast.FunctionDef) -> bool:
    first = function.body[0]
    return (
        isinstance(first, ast.Expr)
        and isinstance(first.value, ast.Constant)
        and isinstance(first.value.value, str)
    )


def _body_start(function: ast.FunctionDef, lines: list[str]) -> int:
    """The index of the first line after the signature, or after the docstring if there is one."""
    first = function.body[0]
    if _has_docstring(function):
        return first.end_lineno or first.lineno
    start = first.lineno - 1
    while lines[start - 1].strip().startswith("#") or not lines[start - 1].strip():
        start -= 1  # comments between the signature and the body belong to the body
    return start


def _indent(function: ast.FunctionDef) -> int:
    return function.body[0].col_offset
