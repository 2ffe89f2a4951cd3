"""Which names of a source are known: those that the course itself uses, and everyday ones of tensors.

What is not known may be harmless, or a way around a refusal; a teacher is told, and no mark depends on it.
"""

import ast
import builtins
import sys
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from autograder.read.cells import code_cells
from autograder.read.syntax import docstrings, words_in
from course.paths import BOOK, ROOT


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Built-ins that turn a text into a name, or reach whatever is defined.
HARMFUL = _words(
    "__build_class__ __builtins__ __import__ __loader__ __spec__ breakpoint compile delattr dir eval exec getattr "
    "globals help input locals memoryview open setattr vars"
)
HARMLESS = frozenset(dir(builtins)) - HARMFUL | {"__file__", "__name__"}
# What chapters and solutions use, and an answer seldom needs: it reaches code, files and the library's inside.
NOT_FOR_ANSWERS = _words(
    "FlopCounterMode ROOT TorchDispatchMode data_ptr executable getsource inspect keras load loads read_text "
    "run save subprocess sys untyped_storage"
)
# What reaches files, programs or the network, which no answer needs.
REACHES = _words("ctypes multiprocessing open os requests shutil socket sqlite3 subprocess urllib")
# Where arrays leave the framework, which then cannot measure what they hold.
LEAVES = _words("asarray asnumpy asscalar from_numpy numpy tolist")
MODULES = _words("__future__ abc copy enum numbers operator statistics tqdm")
# Of tensors, layers and Python's own types: what is common, and what the course has no use for.
EVERYDAY = _words(Path(__file__).with_name("everyday.txt").read_text(encoding="utf-8"))


def strange_names(
    statements: Sequence[ast.stmt], own_text: Sequence[ast.stmt], forbidden: frozenset[str]
) -> Iterator[set[str]]:
    """The names that are not known, and those of `forbidden`, in each of some statements.

    statements: all of a source, which say what it binds itself and what it imports. own_text: those that are
    looked at; others stand in a chapter as they are. A text holds a forbidden name where some call could make it one.
    """
    nodes = [node for statement in statements for node in ast.walk(statement)]
    imported, names, modules = _imported(nodes), known().names - forbidden, known().modules
    # Behind an import of everything a forbidden name may be the library's.
    takes_all = any(isinstance(s, ast.ImportFrom) and s.names[0].name == "*" for s in statements)
    bound = (_bound(nodes) | imported) - (forbidden if takes_all else set())
    # No attribute of its own hides one of these.
    attributes = {name for name in bound if not name.startswith("__")} - sys.stdlib_module_names - forbidden
    for statement in own_text:
        found: set[str] = set()
        looked_at = list(ast.walk(statement))
        roots, documentation = _roots(looked_at), docstrings(statement)
        for node in looked_at:
            if isinstance(node, ast.Name):
                found |= {node.id} & HARMFUL or {node.id} - bound - HARMLESS - names - modules
            elif isinstance(node, ast.Attribute | ast.MatchClass):
                words = [node.attr] if isinstance(node, ast.Attribute) else node.kwd_attrs
                found |= {*words} - names - (set() if roots.get(id(node)) in imported else attributes)
            elif isinstance(node, ast.Import | ast.ImportFrom):
                found |= _taken_by_import(node, names)
            elif isinstance(node, ast.FunctionDef) and node.name.startswith("__"):
                found |= {node.name} - names
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                found |= forbidden & words_in(node.value) if id(node) not in documentation else set()
        yield found


def _taken_by_import(node: ast.Import | ast.ImportFrom, allowed: frozenset[str]) -> set[str]:
    packages = {module.split(".")[0] for module in _modules(node)}
    # The course's solutions are there only where an exercise builds on them.
    names = _inside(node) - (known().names if "solutions" in packages else allowed) - {"*"}
    # What learners use of the grader is no part of it.
    of_the_grader = {"autograder" for module in _modules(node) if module.startswith("autograder.")}
    return packages - known().modules | names | of_the_grader


def _imported(nodes: Sequence[ast.AST]) -> set[str]:
    """Names of modules, and of what is imported or taken from a module by its name alone."""
    found = {
        (alias.asname or alias.name).split(".")[0]
        for node in nodes
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
    }
    for node in nodes:
        if isinstance(node, ast.Assign) and _root(node.value) in found:
            found |= {target.id for target in node.targets if isinstance(target, ast.Name)}
    return found


def _bound(nodes: Sequence[ast.AST]) -> set[str]:
    """Names that a source binds itself: variables, arguments, definitions and attributes of its own objects."""
    found: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Name | ast.Attribute) and not isinstance(node.ctx, ast.Load):
            found.add(node.id if isinstance(node, ast.Name) else node.attr)
        else:
            words = (getattr(node, field, None) for field in ("name", "arg", "rest"))
            found |= {word for word in words if isinstance(word, str)}
    return found


def _roots(nodes: Sequence[ast.AST]) -> dict[int, str]:
    """For the `id` of each attribute's node the name that its chain begins with; outer nodes come first."""
    found: dict[int, str] = {}
    for node in nodes:
        if isinstance(node, ast.Attribute) and id(node) not in found:
            root = _root(node)
            here: ast.expr = node
            while isinstance(here, ast.Attribute):
                found[id(here)], here = root, here.value
    return found


def _root(node: ast.AST) -> str:
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


class Known(NamedTuple):
    """Attributes and imported names of the solutions and the chapters, with everyday ones; and what these import."""

    names: frozenset[str]
    modules: frozenset[str]


@cache
def known() -> Known:
    """The names and the packages in the code of the solutions and of the chapters' own cells."""
    texts = [path.read_text(encoding="utf-8") for path in (ROOT / "solutions").rglob("*.py")]
    for path in (BOOK / "chapters").glob("*.ipynb"):
        texts += [source for _, _, source in code_cells(path.read_text(encoding="utf-8"))]
    names: set[str] = set()
    packages: set[str] = set()
    for node in (node for text in texts for node in ast.walk(ast.parse(text))):
        if isinstance(node, ast.Attribute):
            names.add(node.attr)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            packages |= {module.split(".")[0] for module in _modules(node)}
            names |= _inside(node)
    hidden = {word for word in names if word.startswith("_") and word != "__init__"}
    everyday = (names - hidden | EVERYDAY) - NOT_FOR_ANSWERS - LEAVES
    return Known(frozenset(everyday), frozenset(packages - NOT_FOR_ANSWERS | MODULES))


def _modules(node: ast.Import | ast.ImportFrom) -> list[str]:
    """The dotted names of the modules that an import names."""
    return [alias.name for alias in node.names] if isinstance(node, ast.Import) else [node.module or ""]


def _inside(node: ast.Import | ast.ImportFrom) -> set[str]:
    """What an import names inside of packages."""
    parts = {part for module in _modules(node) for part in module.split(".")[1:]}
    return parts | ({alias.name for alias in node.names} if isinstance(node, ast.ImportFrom) else set())
