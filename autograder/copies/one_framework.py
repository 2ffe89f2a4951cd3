"""A copy for one framework: without the cells and imports of others, and without imports of what stands in it."""

import ast
import dis
from collections.abc import Container, Mapping

from autograder.book.contents import EXERCISE, STARTER, Cell, Notebook, framework_of, source, tags
from autograder.book.edition import names_to_leave_out
from autograder.checking.answer_code import names_used
from autograder.frameworks import framework_names, frameworks

# Whose a name is that a given cell defines: the notebook's, which no import takes back.
NOTEBOOK = "notebook"


def for_framework(notebook: Notebook, framework: str) -> None:
    """Take out of a chapter what belongs to another framework, or compares.

    What a cell has defined or imported is imported from `solutions` again where the other framework's cell has bound
    its name in between; here nothing has, and what a reader changes above takes effect below.
    """
    left_out = names_to_leave_out(framework)
    origins: dict[str, str] = {}
    cells: list[Cell] = []
    for cell in notebook["cells"]:
        if framework_of(cell) in left_out:
            continue
        if cell["cell_type"] == "code":
            _drop_imports(cell, left_out, origins)
            if not source(cell):
                continue
            origins |= {name: whose for name, whose in _binds(cell).items() if origins.get(name) != NOTEBOOK}
        cells.append(cell)
    notebook["cells"] = cells


def _binds(cell: Cell) -> dict[str, str]:
    """Return the names that a cell binds: NOTEBOOK where it defines them, else what of the solutions it imports, if it does."""
    statements = ast.parse(source(cell)).body
    to_be_written = tags(cell, EXERCISE) + tags(cell, STARTER)
    whose = dict.fromkeys(bound(statements), "")
    for statement in statements:
        if isinstance(statement, ast.FunctionDef | ast.ClassDef) and not to_be_written:
            whose[statement.name] = NOTEBOOK
        elif isinstance(statement, ast.ImportFrom):
            whose |= {alias.asname or alias.name: _origin(statement, alias)[0] for alias in statement.names}
    return whose


def _origin(statement: ast.Import | ast.ImportFrom, alias: ast.alias) -> tuple[str, str | None]:
    """Return what of the solutions an import binds, empty for all else; and the framework that it asks for, if it does."""
    module = (statement.module or "") if isinstance(statement, ast.ImportFrom) else alias.name
    if module == "course.frameworks":
        return "", framework_names().get(alias.name)
    if not module.startswith("solutions."):
        return "", framework_names().get(module.split(".")[0])
    last = f"{module}.{alias.name}".split("in_")[-1].split(".")[0]
    return f"{module}.{alias.name}", last if last in frameworks() else None


def _drop_imports(cell: Cell, left_out: Container[str | None], origins: Mapping[str, str]) -> None:
    """Take the imports of other frameworks out of a cell, and those of the solutions that are there already.

    origins: whose the names are that the cells before have bound, as `_binds` says.
    """
    lines = source(cell).split("\n")
    for statement in reversed(ast.parse(source(cell)).body):
        if not isinstance(statement, ast.Import | ast.ImportFrom):
            continue
        aliases = []
        for alias in statement.names:
            origin, framework = _origin(statement, alias)
            is_there = origin and origins.get(alias.asname or alias.name) in (NOTEBOOK, origin)
            if framework not in left_out and not is_there:
                aliases.append(alias)
        if len(aliases) < len(statement.names):
            statement.names = aliases
            # MXNet is imported below this line, and `course.frameworks` must be there before.
            is_first = getattr(statement, "module", "") == "course.frameworks"
            rest = ["import course.frameworks"] if is_first else []
            lines[statement.lineno - 1 : statement.end_lineno] = [ast.unparse(statement)] if aliases else rest
    cell["source"] = "\n".join(lines).strip("\n")


def bound(statements: list[ast.stmt]) -> set[str]:
    """Return the names that statements bind at the top level."""
    code = compile(ast.Module(statements, []), "<cell>", "exec")
    return {step.argval for step in dis.get_instructions(code) if step.opname == "STORE_NAME"} - {"__doc__"}


def needed(statements: list[ast.stmt]) -> set[str]:
    """Return the names that must be there before these statements run, those in bodies of functions included."""
    names: set[str] = set()
    names_before: set[str] = set()
    for statement in statements:
        names_after = names_before | bound([statement])
        uses = names_used(ast.unparse(statement))
        if isinstance(statement, ast.FunctionDef | ast.ClassDef):
            uses -= bound([statement])
        if isinstance(statement, ast.AugAssign):
            uses |= bound([statement])
        is_block = isinstance(statement, ast.For | ast.While | ast.With)
        names |= uses - (names_after if is_block else names_before)
        names_before = names_after
    return names
