"""Answers in PyTorch as a reader would write them in the page: each alone, with what it needs, in one text."""

import ast
import tomllib
from itertools import islice

from autograder.items.solution_texts import text_with
from autograder.model.catalogue import all_exercises
from autograder.model.paths import ROOT
from autograder.page.quiz import is_chosen

CODE = [e for e in all_exercises().values() if not is_chosen(e)]


def solution_text(topic, entry):
    """The definition of a solution, after those that it uses, wherever in the solutions they stand."""
    lines = {}
    _collect(f"solutions.{topic}.in_torch", entry, lines)
    return "\n\n".join(["import math", "import torch", *lines.values()])


def _collect(module, name, lines):
    tree = ast.parse((ROOT / f"{module.replace('.', '/')}.py").read_text(encoding="utf-8"))
    for statement in tree.body:
        if isinstance(statement, ast.Import | ast.ImportFrom):
            if name in [alias.asname or alias.name for alias in statement.names]:
                source = getattr(statement, "module", None) or ""
                if source.startswith("solutions."):
                    return _collect(source, name, lines)
                lines[name] = ast.unparse(statement)
        elif name in _bound(statement):
            lines[name] = ""  # its place, should it call itself
            for used in {node.id for node in ast.walk(statement) if isinstance(node, ast.Name)} - {name}:
                if used not in lines:
                    _collect(module, used, lines)
            del lines[name]
            lines[name] = ast.unparse(statement)
    return None


def _bound(statement):
    if isinstance(statement, ast.FunctionDef | ast.ClassDef):
        return {statement.name}
    targets = getattr(statement, "targets", [getattr(statement, "target", None)])
    return {
        node.id for target in targets if target for node in ast.walk(target) if isinstance(node, ast.Name)
    }


def wrong_answers(count):
    """Yield each exercise with its first wrong ideas that are edits of its solution in PyTorch, and such answers."""
    for exercise in CODE:
        yield from islice(_edits(exercise, solution_text(exercise.topic, exercise.entry)), count)


def _edits(exercise, solution):
    misconceptions = tomllib.loads(
        (ROOT / "exercises" / f"{exercise.topic}.toml").read_text(encoding="utf-8")
    )
    head = f"from itertools import pairwise\n{misconceptions.get('imports', '')}\n{solution}"
    for idea in exercise.misconceptions:
        right, wrong = (text_with(exercise, "torch", *ideas) for ideas in ((), (idea,)))
        if wrong and right:
            yield exercise, idea.name, f"{head}\n\n\n{wrong}"
