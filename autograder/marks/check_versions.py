"""The version of a check: the hash of the code that decides what a submission to an exercise gets, and of no other.

It stands with each result, so that a mark can be explained later: with the commit of that day, the same code gives
the same version. A change of a page, of an export or of another chapter's exercises changes none; nor does one of a
comment, a docstring, a sentence or a local name, of a file's place, or of what only finds words for an answer that is
rejected, even where an assignment gives partial credit for a wrong idea. A result that is kept keeps the words with
which it was graded.
"""

import ast
import hashlib
import importlib.util
import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from types import ModuleType

from autograder import __version__
from autograder.frameworks.base import FrameworkVocabulary
from autograder.marks.local_names import number_local_names
from autograder.model.catalogue import all_exercises, modules
from autograder.model.paths import PACKAGES, ROOT
from autograder.model.teachers_exercises import folders

# Where judging begins, in the process of the grader and in that of the submission; the rest is imported from there.
BEGINNINGS = ("autograder.grade.pool", "autograder.sandbox.zygote")
# Frameworks are found by their place, and imported by no line.
FRAMEWORKS = ROOT / "autograder" / "frameworks"
# What only finds words for an answer that is rejected, whatever they say.
DIAGNOSIS = "autograder.diagnose"
# Three words in a row: a text that is read. A text that begins so is run.
SENTENCE = re.compile(r"[\w'’`]+[,;:]? [\w'’`]+[,;:]? [\w'’`]+")
RUN = ("import ", "from ")
# How an import of the course is written until it names what its module holds, wherever that lies.
IMPORTED = re.compile(r"<course: ([\w.]+)>")
DIGITS = 12


@cache
def version_of(exercise: str) -> str:
    """Return the version of the check of an exercise, by its name."""
    target = all_exercises()[exercise]
    files = _engine() | _closure([(modules()[target.topic].__name__, _file(modules()[target.topic]))])
    for topic in target.builds_on:
        for path in (ROOT / "solutions" / topic).glob("*.py"):
            files |= _closure([(f"solutions.{topic}.{path.stem}", path)])
    return _hashed(sorted(map(_digest, files)))


def teachers_files(topics: Iterable[str]) -> dict[str, Path]:
    """Return what these topics need of the folders of one's own: their files, and what they import there, by their places."""
    files: dict[str, Path] = {}
    for module in (modules()[topic] for topic in topics):
        path = _file(module)
        folder = next((f.resolve() for f in folders() if f.resolve() in path.resolve().parents), None)
        if folder is not None:
            needed = [p.resolve() for p in (*_closure([(module.__name__, path)]), path.with_suffix(".toml"))]
            inside = [p for p in needed if folder in p.parents and p.exists()]
            files |= {p.relative_to(folder).as_posix(): p for p in inside}
    return files


def version_now(exercise: str) -> str:
    """Return the version of an exercise's check here and now; none of an exercise that is gone."""
    return version_of(exercise) if exercise in all_exercises() else ""


def version_of_all(exercises: Iterable[str]) -> str:
    """Return the version of several checks together: it changes if one of them does."""
    return _hashed(f"{name} {version_now(name)}".encode() for name in sorted(exercises))


def _hashed(parts: Iterable[bytes]) -> str:
    return f"{__version__}+{hashlib.sha256(b''.join(parts)).hexdigest()[:DIGITS]}"


@cache
def _digest(path: Path) -> bytes:
    """Return the hash of a file's code, with what it imports of the course named by its content."""
    code = IMPORTED.sub(lambda match: _content(match[1]).hex(), _code(path))
    return hashlib.sha256(code.encode()).digest()


def _content(module: str) -> bytes:
    """Return the hash of a module's code, whatever it imports."""
    path = _path(module)
    return hashlib.sha256(IMPORTED.sub("", _code(path)).encode() if path else module.encode()).digest()


@cache
def _code(path: Path) -> str:
    """Return what decides in a file: neither words nor local names, and no places of modules."""
    tree = _WithoutWords().visit(ast.parse(_source(path)))
    number_local_names(tree)
    return ast.unparse(tree)


def _source(path: Path) -> bytes:
    return path.read_bytes()


class _WithoutWords(ast.NodeTransformer):
    """Empties all sentences, docstrings too, and marks imports of the course; what is compared with texts stays."""

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        return node

    def visit_Expr(self, node: ast.Expr) -> ast.AST:
        return ast.Pass() if isinstance(node.value, ast.Constant) else self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """Empty a framework's vocabulary, which only says what is wrong."""
        is_vocabulary = isinstance(node.func, ast.Name) and node.func.id == FrameworkVocabulary.__name__
        return ast.Constant("") if is_vocabulary else self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        return ast.Constant("") if isinstance(node.value, str) and _is_read(node.value) else node

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.AST:
        module = node.module or ""
        if not node.level and module.partition(".")[0] in PACKAGES and not module.startswith(DIAGNOSIS):
            node.module = f"<course: {module}>"
        return node

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.AST:
        """Keep the values that are put into it; the words between them only where they are no sentence."""
        texts = [str(part.value) if isinstance(part, ast.Constant) else "x" for part in node.values]
        if _is_read("".join(texts)):
            node.values = [part for part in node.values if not isinstance(part, ast.Constant)]
        return self.generic_visit(node)


def _is_read(text: str) -> bool:
    return bool(SENTENCE.search(text)) and not text.lstrip().startswith(RUN)


@cache
def _engine() -> frozenset[Path]:
    """Return all that reads, runs and judges answers, whatever the exercise."""
    frameworks = (f"autograder.frameworks.{p.stem}" for p in FRAMEWORKS.glob("*.py") if p.stem != "__init__")
    names = [*BEGINNINGS, *frameworks]
    return frozenset(_closure((name, path) for name in names if (path := _path(name))))


def _closure(beginnings: Iterable[tuple[str, Path]]) -> set[Path]:
    """Return the files of modules, and of what they import of the course or of their own package."""
    closure: set[Path] = set()
    waiting = list(beginnings)
    while waiting:
        name, path = waiting.pop()
        if path in closure:
            continue
        closure.add(path)
        package = name.partition(".")[0]
        for imported in _imports_of(name, path):
            is_followed = not imported.startswith(DIAGNOSIS) and imported.partition(".")[0] in (
                *PACKAGES,
                package,
            )
            if is_followed and (file := _path(imported)):
                waiting.append((imported, file))
    return closure


@cache
def _imports_of(name: str, path: Path) -> frozenset[str]:
    """Return the dotted names that a module may import, and the packages around them."""
    dotted: list[str] = []
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            dotted += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = importlib.util.resolve_name("." * node.level + (node.module or ""), package)
            dotted += [base, *(f"{base}.{alias.name}" for alias in node.names)]
    ends = ((name, i) for name in dotted for i, letter in enumerate(f"{name}.") if letter == ".")
    return frozenset(name[:i] for name, i in ends)


@cache
def _path(name: str) -> Path | None:
    """Return the file of a module, without importing it where it is the course's; None if there is none of this name."""
    top = name.partition(".")[0]
    if top in PACKAGES:
        path = ROOT.joinpath(*name.split("."))
        return next((p for p in (path.with_suffix(".py"), path / "__init__.py") if p.is_file()), None)
    try:
        spec = importlib.util.find_spec(name)
    except (ImportError, ValueError):
        return None
    return Path(spec.origin) if spec and spec.origin and Path(spec.origin).is_file() else None


def _file(module: ModuleType) -> Path:
    return Path(str(module.__file__))
