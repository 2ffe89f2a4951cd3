"""Mutants of the modules that make a mark: `python -m tools.mutants_of_marks [MODULE [NAME …]]`.

Each small change of a module in `autograder/marks/` is tried against `tests/marks`, in a process of its own;
one that no test notices is listed. NAME: only these functions, classes and constants of the module.
"""

import ast
import os
import re
import signal
import sys
from collections.abc import Iterator, Sequence
from importlib import import_module
from pathlib import Path
from types import ModuleType

from autograder.model.catalogue import all_exercises
from course.paths import ROOT
from tools.mutants import mutants

MARKS = ROOT / "autograder" / "marks"
# The quick ones first: the first that fails ends it.
TESTS = ("test_standing.py", "test_what_counts.py", "test_exports.py", "test_report.py", "test_gradebook.py")
QUERY = ("select ", "insert ", "delete ", "update ", "create ")
QUERY_CHANGES = (
    ("max(", "min("), ("not exists", "exists"), ("exists", "not exists"), ("not in", "in"), (" and ", " or "),
    (" = ", " <> "), ("<>", "="), (" < ", " > "), ("asc", "desc"), ("is not null", "is null"), ("distinct ", ""),
    ("or replace ", "or ignore "), ("or ignore ", "or replace "),
)  # fmt: skip
SECONDS = 300
# Changes that change no mark, and why.
EQUIVALENT = {"@dataclass(frozen=True) → @dataclass(frozen=False)": "nothing sets a field of a result"}


def module_mutants(source: str, names: Sequence[str] = ()) -> Iterator[tuple[str, str]]:
    """(what changed, the module's mutated source) for each mutant of its definitions and queries."""
    tree = ast.parse(source)
    for place, statement in enumerate(tree.body):
        if isinstance(statement, (ast.Import, ast.ImportFrom, ast.Expr)):
            continue
        if names and not names_of(statement) & set(names):
            continue
        text = ast.unparse(statement)
        for change, mutated in (*mutants(text), *_query_mutants(text)):
            body = [*tree.body[:place], *ast.parse(mutated).body, *tree.body[place + 1 :]]
            yield change, ast.unparse(ast.Module(body, []))


def names_of(statement: ast.stmt) -> set[str]:
    """What a statement of a module defines."""
    if isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
        return {statement.name}
    return {node.id for node in ast.walk(statement) if isinstance(node, ast.Name)}


def _query_mutants(text: str) -> Iterator[tuple[str, str]]:
    """Mutants of the SQL in a statement: one word of one query each."""
    queries = [
        (i, node.value)
        for i, node in enumerate(ast.walk(ast.parse(text)))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and _is_query(node.value)
    ]
    for index, query in queries:
        for old, new in QUERY_CHANGES:
            for found in re.finditer(re.escape(old), query):
                tree = ast.parse(text)
                node = next(n for i, n in enumerate(ast.walk(tree)) if i == index)
                assert isinstance(node, ast.Constant)
                node.value = query[: found.start()] + new + query[found.end() :]
                shown = " ".join(query[max(0, found.start() - 30) : found.start() + 40].split())
                yield f"{old!r} → {new!r} in `{shown}`", ast.unparse(tree)


def _is_query(text: str) -> bool:
    return any(word in text for word in QUERY) or text.lstrip().startswith(("then", "where", ") as c"))


def survives(module: str, source: str) -> bool:
    """Whether the tests pass with this source in the place of a module; in a process of its own."""
    child = os.fork()
    if child == 0:
        signal.alarm(SECONDS)
        status = 1
        try:
            _silence()
            status = _run(module, source)
        finally:
            os._exit(status)
    return os.waitpid(child, 0)[1] == 0


def _silence() -> None:
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, 1)
    os.dup2(nothing, 2)


def _run(module: str, source: str) -> int:
    import pytest

    mutated = ModuleType(module)
    mutated.__file__ = str(ROOT / Path(*module.split(".")).with_suffix(".py"))
    sys.modules[module] = mutated
    exec(compile(source, mutated.__file__, "exec"), mutated.__dict__)
    package, _, name = module.rpartition(".")
    setattr(import_module(package), name, mutated)
    options = ["-x", "-q", "-p", "no:cacheprovider", "-m", "not slow and not browser"]
    tests = (str(ROOT / "tests" / "marks" / name) for name in TESTS)
    # One file at a time: most mutants need not wait until the others are collected.
    return next((int(status) for test in tests if (status := pytest.main([*options, test]))), 0)


def survivors(module: str, names: Sequence[str] = ()) -> tuple[int, list[str]]:
    """(number of mutants, the changes that no test notices) of one module."""
    path = ROOT / Path(*module.split(".")).with_suffix(".py")
    count, found = 0, []
    for change, source in module_mutants(path.read_text(encoding="utf-8"), names):
        if change in EQUIVALENT:
            continue
        count += 1
        if survives(module, source):
            found.append(change)
            sys.stdout.write(f"{module}: {change}\n")
            sys.stdout.flush()
    return count, found


def modules() -> list[str]:
    """Every module of the room, by its dotted name."""
    paths = [path for path in sorted(MARKS.rglob("*.py")) if path.name != "__init__.py"]
    return [".".join(path.relative_to(ROOT).with_suffix("").parts) for path in paths]


def main(words: Sequence[str]) -> int:
    """Try one module, or all; gives 1 if a mutant survives."""
    all_exercises()
    for module in ("pytest", "sqlite3", "tests.support", "autograder.grade.pool", "autograder.learner.pages"):
        import_module(module)  # once, for all children
    failed = 0
    for module in words[:1] or modules():
        count, found = survivors(module, words[1:])
        sys.stdout.write(f"{module}: {count} mutants, {len(found)} survive\n")
        failed += len(found)
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
