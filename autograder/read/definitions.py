"""What a submission's statements define, and in which framework each is written."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from autograder.frameworks import framework_names, graded_frameworks
from autograder.read.cells import DEFINITION, Cell
from autograder.read.syntax import IMPORT, WORD, bound_names, imported_names, is_stub, lines_of, surely_raises

# Ways to define a name that its syntax does not show: any may stand behind a backslash, as an escape sequence.
UNSEEN = re.compile(
    r"\\|\b(exec|eval|globals|locals|vars|setattr|__dict__|__builtins__|builtins|sys)\b|\bimport (\( )?\*"
)
# By these, besides its own names, a framework is known where its import was forgotten.
FORGOTTEN = {"nd": "mxnet", "gluon": "mxnet"}
# What may be left out of a source where another statement binds the same name.
REPLACEABLE = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Assign, ast.AnnAssign, ast.Expr)


@dataclass(frozen=True, eq=False)
class Definition:
    """A statement that binds names, or a mistake of syntax that was meant to.

    frameworks: those whose parts its text names. lines: its first and last line; None if it is no statement
    that may be left out. mistake: its text, if it is no Python.
    """

    cell: Cell
    names: frozenset[str]
    frameworks: frozenset[str]
    is_stub: bool = False
    surely_raises: bool = False
    lines: tuple[int, int] | None = None
    mistake: str = ""


class Definitions:
    """All that the cells of a submission define, in order."""

    def __init__(self, cells: Iterable[Cell]) -> None:
        cells = tuple(cells)
        self.cells = [cell for cell in cells if not cell.is_of_chapter]
        everywhere = [imports_of(cell) for cell in cells]
        if not any(f in graded_frameworks() for imports in everywhere for _, f in imports):
            everywhere += [forgotten_by(cell) for cell in cells]
        self.imported = {f for imports in everywhere for _, f in imports}
        # A name that no import has bound yet counts as what the first one will make of it.
        self.first = {name: f for imports in reversed(everywhere) for name, f in reversed(imports)}

    def of(self, name: str, framework: str | None = None) -> list[Definition]:
        """Return the definitions of a name; framework: only in cells that are run for it."""
        definitions = self._by_name.get(name, [])
        return [d for d in definitions if d.cell.framework in (None, framework or d.cell.framework)]

    def for_framework(self, name: str, framework: str) -> list[Definition]:
        """Return the definitions of a name that count for a framework: neither stubs nor other frameworks' if there are others."""
        here = self.of(name, framework)
        fitting = [d for d in here if not d.frameworks or framework in d.frameworks]
        return [d for d in fitting if not d.is_stub] or fitting or here

    def is_not_written(self, name: str, framework: str) -> bool:
        """Return whether it is sure without running anything that a name is an untouched stub.

        The syntax must show all that binds the name, each a stub that raises NotImplementedError.
        """
        definitions = self.of(name, framework)
        if not definitions or not all(d.surely_raises for d in definitions) or self.of("NotImplementedError"):
            return False
        # A stub, a call of it and a check of it change nothing.
        harmless = re.compile(rf"\b(def|class) {name}\b|\bcheck \( {name} [,)]|\b{name} \(")
        may_be = re.compile(rf"\b{name}\b")
        cells = [c for c in self.cells if c.framework in (None, framework)]
        return all(
            not c.mistakes and not UNSEEN.search(c.code) and not may_be.search(harmless.sub(" ", c.code))
            for c in cells
        )

    def lines_to_leave_out(self, framework: str) -> dict[int, set[tuple[int, int]]]:
        """Return what must not run for a framework, lines by cell: it would replace what is written in this one.

        A stub gives way to what is written out, and a definition that names other frameworks alone gives way
        to one that does not.
        """
        lines: defaultdict[int, set[tuple[int, int]]] = defaultdict(set)
        for name, all_of_it in self._by_name.items():
            if len(all_of_it) < 2:
                continue
            relevant = set(self.for_framework(name, framework))
            for d in self.of(name, framework):
                if d not in relevant and d.lines:
                    lines[d.cell.number].add(d.lines)
        return lines

    @cached_property
    def _by_name(self) -> dict[str, list[Definition]]:
        definitions: dict[str, list[Definition]] = {}
        bound: dict[str, str] = {}
        for cell in self.cells:
            for definition in self._in_cell(cell, bound):
                for name in definition.names:
                    definitions.setdefault(name, []).append(definition)
        return definitions

    def _in_cell(self, cell: Cell, bound: dict[str, str]) -> Iterable[Definition]:
        """Yield the definitions of one cell. bound: what imports have bound so far; it is updated."""
        for text in (mistake.text for mistake in cell.mistakes):
            of_mistake = self._frameworks_in(set(WORD.findall(text)), bound)
            yield Definition(cell, frozenset(DEFINITION.findall(text)), of_mistake, mistake=text)
        for statement in cell.statements:
            bound.update(_imported(statement))
            if names := bound_names(statement):
                lines = lines_of(statement) if isinstance(statement, REPLACEABLE) else None
                frameworks = self._frameworks_of(statement, bound)
                yield Definition(
                    cell, frozenset(names), frameworks, is_stub(statement), surely_raises(statement), lines
                )

    def _frameworks_of(self, statement: ast.stmt, bound: dict[str, str]) -> frozenset[str]:
        if len(self.imported) < 2 or isinstance(statement, (ast.Import, ast.ImportFrom)):
            return frozenset()
        nodes = list(ast.walk(statement))
        inner = {f for node in nodes for _, f in _imported(node)}
        return self._frameworks_in({n.id for n in nodes if isinstance(n, ast.Name)}, bound) | inner

    def _frameworks_in(self, words: set[str], bound: dict[str, str]) -> frozenset[str]:
        names = {bound.get(word) or self.first.get(word) for word in words}
        return frozenset(f for f in graded_frameworks() if f in names)


def imports_of(cell: Cell) -> list[tuple[str, str]]:
    """Return the names under which a cell imports parts of frameworks, and whose they are."""
    lines = [line for mistake in cell.mistakes for line in IMPORT.findall(mistake.text)]
    words = [word for line in lines for word in WORD.findall(line) if word in framework_names()]
    in_mistakes = [(word, framework_names()[word]) for word in words]
    return in_mistakes + [(bound, f) for module, bound, _ in cell.imports if (f := _framework_of(module))]


def forgotten_by(cell: Cell) -> list[tuple[str, str]]:
    """Return the names of parts of frameworks that a cell uses, and whose they are."""
    owners = framework_names() | FORGOTTEN
    used = {n.id for s in cell.statements for n in ast.walk(s) if isinstance(n, ast.Name)}
    return [(name, owners[name]) for name in sorted(used) if name in owners]


def _imported(node: ast.AST) -> list[tuple[str, str]]:
    return [(bound, f) for module, bound in imported_names(node) if (f := _framework_of(module))]


def _framework_of(module: str) -> str | None:
    """Return whose a module is, by its dotted name: a framework's own, or the solutions in one."""
    top, _, solved_in = module.partition(".in_")
    solved = solved_in if top.startswith("solutions.") and solved_in in graded_frameworks() else None
    return framework_names().get(module.split(".")[0], solved)
