"""Accepted answers and the course's solutions, written out as modules of one package that needs no other code of the course.

A part is a function or class. What it uses follows it: another part by an import from its module, a helper as its
text. Solutions are read as text; nothing is imported or run.
"""

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from autograder.checking.answer_code import names_used
from autograder.model.paths import ROOT
from autograder.read.syntax import bound_names, lines_of, text_lines


@dataclass(frozen=True)
class SolutionName:
    """A function or class of the course by the module that defines it: `solutions.positions.in_torch`, `rotary`."""

    module: str
    name: str


@dataclass
class Module:
    """A module of the package while it is written.

    bound: the text that binds each name. definitions: of these, those that are no imports, in their order.
    parts: the parts among them. imported: parts of other modules, by the names that they have here.
    """

    bound: dict[str, str] = field(default_factory=dict)
    definitions: dict[str, None] = field(default_factory=dict)
    parts: dict[str, SolutionName] = field(default_factory=dict)
    imported: dict[str, SolutionName] = field(default_factory=dict)


class Source:
    """A text of Python by the names that it binds at its left margin."""

    def __init__(self, text: str) -> None:
        self._lines = text_lines(text)
        self.imports: dict[str, tuple[str | None, str]] = {}
        self._statements: dict[str, ast.stmt] = {}
        for statement in ast.parse(text).body:
            if isinstance(statement, ast.Import | ast.ImportFrom):
                module = statement.module if isinstance(statement, ast.ImportFrom) else None
                for alias in statement.names:
                    bound = alias.asname or (alias.name if module else alias.name.split(".")[0])
                    self.imports[bound] = module, alias.name
            else:
                self._statements |= dict.fromkeys(bound_names(statement), statement)

    def defines(self, name: str) -> bool:
        return name in self._statements

    def text_of(self, name: str) -> str:
        """Return the statement that binds a name, its decorators included."""
        first, last = lines_of(self._statements[name])
        return "\n".join(self._lines[first - 1 : last])


@cache
def solution(module: str) -> Source:
    """Return the text of a module of `solutions`."""
    return Source(Path(ROOT, *module.split(".")).with_suffix(".py").read_text(encoding="utf-8"))


def defining(module: str, name: str) -> SolutionName:
    """Return the part that a module of `solutions` gives under a name, which it may import from another."""
    source = solution(module)
    if not source.defines(name) and name in source.imports:
        other, original = source.imports[name]
        if is_course(other):
            return defining(str(other), original)
    return SolutionName(module, name)


def is_course(module: str | None) -> bool:
    return str(module).split(".")[0] == "solutions"


class Linker:
    """Writes parts into modules.

    modules: the module of each part. answers: the learner's own text of a part, where there is one.
    """

    def __init__(self, modules: Mapping[SolutionName, str], answers: Mapping[SolutionName, str]) -> None:
        self._answers = answers
        self._by_name = {part.name: part for part in modules}
        self.modules: dict[str, Module] = {}
        # Where each part stands; a helper of several modules stands in the first that needs it.
        self.places: dict[SolutionName, str] = dict(modules)
        for part in modules:
            self._add(part)

    def _add(self, part: SolutionName) -> None:
        text = self._answers.get(part)
        source = solution(part.module) if text is None else Source(text)
        uses = self._uses(source, part, is_answer=text is not None)
        place = self.places[part]
        module = self.modules.setdefault(place, Module())
        if any(module.bound.get(name, text) != text for name, text in uses.bound.items()):
            # Two answers mean two things by one name: this one gets a module of its own.
            place = self.places[part] = part.name.lower()
            module = self.modules.setdefault(place, Module())
        module.bound |= uses.bound
        for helper in uses.imported.values():
            if helper not in self.places:
                self.places[helper] = place
                self._add(helper)
        module.imported |= uses.imported
        module.definitions |= uses.definitions
        module.parts[part.name] = part

    def _uses(self, source: Source, part: SolutionName, is_answer: bool) -> Module:
        """Return what the text of a part binds: itself and its helpers, imports of libraries, and other parts."""
        uses = Module()

        def define(name: str) -> None:
            text = uses.bound[name] = source.text_of(name)
            for used in sorted(names_used(text) - {name}):
                if used not in uses.bound and used not in uses.imported:
                    take(used)
            uses.definitions[name] = None

        def take(name: str) -> None:
            module, imported = source.imports.get(name, (None, ""))
            if source.defines(name) and is_answer and name not in self._by_name:
                define(name)
            elif source.defines(name):
                uses.imported[name] = self._by_name.get(name, SolutionName(part.module, name))
            elif is_course(module):
                uses.imported[name] = defining(str(module), imported)
            elif imported:
                uses.bound[name] = _import(name, module, imported)

        define(part.name)
        return uses

    def text(self, place: str, comments: Mapping[SolutionName, str]) -> str:
        """Return a module's text without its docstring. comments: a line above each part."""
        module = self.modules[place]
        imports = sorted(text for name, text in module.bound.items() if name not in module.definitions)
        names_by_module: dict[str, list[str]] = {}
        aliases = []
        for name, part in sorted(module.imported.items()):
            if self.places[part] != place:
                alias = "" if name == part.name else f" as {name}"
                names_by_module.setdefault(self.places[part], []).append(f"{part.name}{alias}")
            elif name != part.name:
                aliases.append(f"{name} = {part.name}")
        imports += [
            f"from .{other} import {', '.join(names)}" for other, names in sorted(names_by_module.items())
        ]
        blocks = ["\n".join(imports)] if imports else []
        for name in module.definitions:
            comment = comments.get(module.parts[name], "") if name in module.parts else ""
            blocks.append(f"{comment}\n{module.bound[name]}".lstrip("\n"))
        return "\n\n\n".join([*blocks, *aliases]) + "\n"


def _import(bound: str, module: str | None, name: str) -> str:
    alias = f" as {bound}" if bound != (name if module else name.split(".")[0]) else ""
    return f"{f'from {module} ' if module else ''}import {name}{alias}"
