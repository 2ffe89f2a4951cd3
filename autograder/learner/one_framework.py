"""A copy for one framework: the other's cells, its imports, and what cannot run without them, left out."""

import ast
import copy
import symtable
from collections.abc import Iterator

from autograder.frameworks import framework_names, graded, title_of
from autograder.learner.contents import Cell, Notebook, framework_of, source

# The course itself stands on PyTorch, so it is there in every copy; given cells that use it stay.
ALWAYS_THERE = ("torch",)
# The tag of a cell that compares frameworks by names in its data, where no name of Python's shows it.
COMPARES = "compares-frameworks"
# Of a cell that goes on with a model of this framework, which it takes from its data.
NEEDS = "needs-"


def for_framework(notebook: Notebook, framework: str) -> None:
    """Take out of a chapter what needs another framework in which exercises are handed in.

    A cell that compares frameworks, or goes on with another's values, becomes a sentence that says so.
    """
    others = tuple(name for name in graded() if name != framework)
    missing = tuple(name for name in others if name not in ALWAYS_THERE)
    lost: set[str] = set()
    twin: set[str] = set()  # what the cells of this framework bind that stand beside the other's
    kept: list[Cell] = []
    for cell in notebook["cells"]:
        if framework_of(cell) is None:
            twin = set()
        if cell["cell_type"] == "code":
            statements = ast.parse(source(cell)).body
            if framework_of(cell) in others:
                lost |= bound(statements) - twin
                continue
            lost |= _drop_imports(cell, missing)
            statements = ast.parse(source(cell)).body
            if needed(statements) & lost or _compares(cell, others):
                lost |= bound(statements)
                cell = _note(cell, others)
            else:
                lost -= bound(statements)
                twin |= bound(statements)
        kept.append(cell)
    notebook["cells"] = kept


def _compares(cell: Cell, others: tuple[str, ...]) -> bool:
    """Whether a tag of the cell says that it needs another framework."""
    tags = cell["metadata"].get("tags", [])
    return COMPARES in tags or any(NEEDS + name in tags for name in others)


def _note(cell: Cell, others: tuple[str, ...]) -> Cell:
    """What stands in the place of a cell that is left out."""
    titles = " and ".join(map(title_of, others))
    words = f"*A cell that needs {titles} as well stands here in the book, and is left out of this copy.*"
    return {"cell_type": "markdown", "id": cell["id"], "metadata": {}, "source": words}


def _drop_imports(cell: Cell, others: tuple[str, ...]) -> set[str]:
    """Take the imports of other frameworks out of a cell; gives the names that are gone with them."""
    lost: set[str] = set()
    lines = source(cell).split("\n")
    for statement in reversed(ast.parse(source(cell)).body):
        if not isinstance(statement, ast.Import | ast.ImportFrom):
            continue
        theirs = [alias for alias in statement.names if _framework_imported(statement, alias) in others]
        if not theirs:
            continue
        lost |= {(alias.asname or alias.name).split(".")[0] for alias in theirs}
        statement.names = [alias for alias in statement.names if alias not in theirs]
        left = [ast.unparse(statement)] if statement.names else []
        lines[statement.lineno - 1 : statement.end_lineno] = left
    if lost:
        cell["source"] = "\n".join(lines).strip("\n")
    return lost


def _framework_imported(statement: ast.Import | ast.ImportFrom, alias: ast.alias) -> str | None:
    """The framework that an import asks for: its package, its alias, or a solution written in it."""
    module = (statement.module or "") if isinstance(statement, ast.ImportFrom) else alias.name
    if module == "course.frameworks":
        return framework_names().get(alias.name)
    if module.startswith("solutions."):
        last = f"{module}.{alias.name}".split("in_")[-1].split(".")[0]
        return last if last in graded() else None
    return framework_names().get(module.split(".")[0])


def bound(statements: list[ast.stmt]) -> set[str]:
    """The names that statements bind at the top level."""
    return {
        symbol.get_name()
        for statement in statements
        for symbol in _table(statement).get_symbols()
        if symbol.is_assigned() or symbol.is_imported()
    }


def needed(statements: list[ast.stmt]) -> set[str]:
    """The names that must be there before these statements run, those in bodies of functions included."""
    found: set[str] = set()
    there: set[str] = set()
    for statement in statements:
        there_behind = there | bound([statement])
        uses = set(_used(_table(statement)))
        if isinstance(statement, ast.FunctionDef | ast.ClassDef):
            uses -= bound([statement])
        if isinstance(statement, ast.AugAssign):
            uses |= bound([statement])
        found |= uses - (there_behind if isinstance(statement, ast.For | ast.While | ast.With) else there)
        there = there_behind
    return found


def _table(statement: ast.stmt) -> symtable.SymbolTable:
    return symtable.symtable(ast.unparse(_AsGenerators().visit(copy.deepcopy(statement))), "<cell>", "exec")


class _AsGenerators(ast.NodeTransformer):
    """From Python 3.12 on a comprehension has no table of its own for its names; a generator still has one."""

    def visit_ListComp(self, node: ast.ListComp | ast.SetComp) -> ast.AST:
        return self.generic_visit(ast.GeneratorExp(node.elt, node.generators))

    visit_SetComp = visit_ListComp

    def visit_DictComp(self, node: ast.DictComp) -> ast.AST:
        pair = ast.Tuple([node.key, node.value], ast.Load())
        return self.generic_visit(ast.GeneratorExp(pair, node.generators))


def _used(table: symtable.SymbolTable) -> Iterator[str]:
    top = table.get_type() == "module"
    for symbol in table.get_symbols():
        if symbol.is_referenced() and (top or symbol.is_global()):
            yield symbol.get_name()
    for child in table.get_children():
        yield from _used(child)
