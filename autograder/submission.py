"""Reads what a learner hands in: a notebook or a Python file, as data.

Nothing is run here. Notebooks are read with plain `json`, under a size cap and a small schema.
"""

import ast
import hashlib
import json
import lzma
import re
import struct
import unicodedata
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path, PurePosixPath
from typing import Any

MAX_BYTES = 10 << 20
MAX_SOURCE = 256 << 10
MAX_MEMBERS = 200
MAX_RATIO = 200
# Cells that are much longer are hardly the same in two submissions.
MAX_REMEMBERED = 4096
SUFFIXES = (".ipynb", ".py")
LITTER = ("__pycache__", ".ipynb_checkpoints", ".git", "__MACOSX")
FRAMEWORKS = ("mxnet", "torch")
TAG = "framework-"
# Statements of a chapter's own cells that a submission may need.
NEEDED = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef)
# What a cell that is not Python was meant to define and to import.
DEFINITION = re.compile(r"^(?:def|class)\s+(\w+)", re.MULTILINE)
IMPORT = re.compile(r"^\s*(?:import|from)\s.*?\b(mxnet|mx|torch)\b", re.MULTILINE)
MAGIC = re.compile(r"^\s*[%!?]|\?\s*$|=\s*[%!]")
CELL_MAGIC = re.compile(r"\s*%%(\w+)[^\n]*(?:\n|$)")
RUNS_THE_CELL = ("time", "capture", "prun")
MAX_MAGICS = 50


# What `zipfile` raises for archives that are damaged, encrypted or forged.
DAMAGED = (
    zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error, RuntimeError, NotImplementedError,
    EOFError, LookupError, ValueError,
)  # fmt: skip


class Unreadable(Exception):
    """A submission that cannot be read; the message is a sentence for the report."""


@dataclass(frozen=True)
class Cell:
    """One code cell. `given` marks a cell of the chapter that a learner was not asked to write."""

    number: int
    source: str
    tags: frozenset[str] = frozenset()
    given: bool = False

    @property
    def framework(self) -> str | None:
        """The framework that the cell is tagged with, if any; one that is not graded counts too."""
        return next((t.removeprefix(TAG) for t in sorted(self.tags) if t.startswith(TAG)), None)

    @cached_property
    def statements(self) -> list[ast.stmt]:
        """The statements of the cell; none if it is not Python."""
        return _parse(self.source) or []

    @cached_property
    def defines(self) -> set[str]:
        """Names that the learner binds at the cell's top level, other than by taking a reference."""
        if self.given:
            return set()
        if _parse(self.source) is None:
            return set(DEFINITION.findall(self.source))
        return {name for s in self.statements for name in _bound(s)}

    def may_hold(self, names: set[str]) -> bool:
        """Whether a look at the statements is worth while: a name stands there, or could be spelled."""
        text = unicodedata.normalize("NFKC", self.source)
        return "\\" in text or not names.isdisjoint(re.findall(r"\w+", text))

    @cached_property
    def needed(self) -> str:
        """Its imports and definitions, with blank lines in place of the rest."""
        lines = self.source.split("\n")
        kept = [""] * len(lines)
        for statement in self.statements:
            if isinstance(statement, NEEDED):
                decorators = getattr(statement, "decorator_list", [])
                first = min(node.lineno for node in (statement, *decorators))
                last = statement.end_lineno or statement.lineno
                kept[first - 1 : last] = lines[first - 1 : last]
        return "\n".join(kept)


@dataclass(frozen=True)
class Submission:
    """One file of a learner. problem: why it cannot be graded, as a sentence, or None."""

    name: str
    digest: str
    cells: tuple[Cell, ...] = field(default=())
    problem: str | None = None

    def frameworks(self, entry: str) -> list[str]:
        """The frameworks in which the submission defines an entry, by tags or by what it imports."""
        cells = [cell for cell in self.cells if entry in cell.defines]
        tagged = {cell.framework for cell in cells if cell.framework}
        if tagged or not cells:
            return [f for f in FRAMEWORKS if f in tagged]
        imported = self._imports
        used = [f for f in FRAMEWORKS if imported.get(f, set()) & _names(cells[-1].statements, entry)]
        found = used if len(used) == 1 else [f for f in FRAMEWORKS if imported.get(f)]
        return found if len(found) == 1 else []

    def sources(self, framework: str) -> list[tuple[str, str]]:
        """What to run for a framework: names and sources of cells, in order."""
        kept = []
        for cell in self.cells:
            if cell.framework in (None, framework):
                source = cell.needed if cell.given else cell.source
                if source.strip():
                    kept.append(
                        (f"cell {cell.number}" if self.name.lower().endswith(".ipynb") else self.name, source)
                    )
        return kept

    def mentions(self, names: set[str], framework: str, elsewhere: set[str]) -> list[str]:
        """Which of these names the learner's source holds, as a name or a text.

        elsewhere: entries of other exercises; what defines them may hold the names.
        """
        cells = [c for c in self.cells if not c.given and c.framework in (None, framework)]
        cells = [c for c in cells if c.may_hold(names)]
        statements = [s for c in cells for s in c.statements if not _bound(s) & elsewhere]
        held = {word for s in statements for node in ast.walk(s) for word in _words(node)}
        return sorted(names & held)

    @cached_property
    def _imports(self) -> dict[str, set[str]]:
        """For each framework, the names under which its parts were imported."""
        found: dict[str, set[str]] = {}
        for cell in self.cells:
            if _parse(cell.source) is None:
                for module in IMPORT.findall(cell.source):
                    found.setdefault({"mx": "mxnet"}.get(module, module), set()).add(module)
            for statement in cell.statements:
                for node in ast.walk(statement):
                    for module, name in _imported(node):
                        found.setdefault(module.split(".")[0], set()).add(name)
        return found


@dataclass(frozen=True)
class Source:
    """Where a submission's bytes come from: a file, or a member of a zip archive."""

    name: str
    path: Path
    member: str | None = None

    def read(self) -> bytes:
        """The bytes, up to just above the size that is refused.

        Raises Unreadable, with a sentence, if they are gone or cannot be read.
        """
        try:
            if self.member is None:
                with self.path.open("rb") as file:
                    return file.read(MAX_BYTES + 1)
            with zipfile.ZipFile(self.path) as archive, archive.open(self.member) as file:
                return file.read(MAX_BYTES + 1)
        except OSError as error:
            raise Unreadable(f"cannot be read: {(error.strerror or 'unknown reason').lower()}.") from error
        except DAMAGED as error:
            raise Unreadable("cannot be read from its archive: it is damaged or encrypted.") from error


def find(path: Path) -> tuple[list[Source], dict[str, str]]:
    """The submissions at a path, and why some archives are refused, by name.

    path: a notebook, a Python file, a zip archive, or a folder of these at any depth.
    """
    files = [path]
    if path.is_dir():
        files = sorted(
            p for p in path.rglob("*")
            if p.suffix.lower() in (*SUFFIXES, ".zip") and p.is_file() and not _is_litter(p.relative_to(path).parts)
        )  # fmt: skip
    found: list[Source] = []
    refused = _empty_handed(path, files)
    for file in files:
        name = str(file.relative_to(path)) if file != path else file.name
        if not _is_utf8(name):
            name = name.encode("utf-8", "replace").decode("utf-8")
            refused[name] = f"{name} has a name that is not UTF-8: rename it."
            continue
        if file.is_symlink() and file != path:
            refused[name] = f"{name} is a link; hand in the file itself."
            continue
        if file.suffix.lower() != ".zip":
            found.append(Source(name, file))
            continue
        try:
            found += [Source(f"{name[: -len('.zip')]}/{m}", file, m) for m in _members(file)]
        except Unreadable as problem:
            refused[name] = f"{name} {problem}"
    times = Counter(source.name for source in found)
    for source in found:
        if times[source.name] > 1 and source.member is not None:
            archive = source.path.name
            refused[f"{source.name} in {archive}"] = (
                f"{source.name} is handed in twice, once inside {archive}: hand in one of them."
            )
    return [s for s in found if times[s.name] == 1 or s.member is None], refused


def _is_utf8(name: str) -> bool:
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _is_litter(parts: tuple[str, ...]) -> bool:
    """Whether a path is what systems and editors leave behind, and no submission."""
    return any(part in LITTER for part in parts) or parts[-1].startswith("._")


def _empty_handed(path: Path, files: list[Path]) -> dict[str, str]:
    """Where each learner has a folder: those that hold nothing to grade, and a sentence for each."""
    places = [file.relative_to(path).parts for file in files if file != path]
    full = {parts[0] for parts in places if len(parts) > 1}
    if not full:
        return {}
    folders = sorted(p.name for p in path.iterdir() if p.is_dir() and not p.name.startswith(("_", ".")))
    sentence = "holds no notebook, no Python file and no zip archive."
    return {f"{name}/": f"{name}/ {sentence}" for name in folders if name not in full}


def _members(path: Path) -> list[str]:
    """Names of the submissions in an archive, which is read in place and never unpacked."""
    try:
        with zipfile.ZipFile(path) as archive:
            entries = archive.infolist()
    except (OSError, *DAMAGED) as error:
        raise Unreadable("is not a readable zip archive.") from error
    if len(entries) > MAX_MEMBERS:
        raise Unreadable(f"holds more than {MAX_MEMBERS} members.")
    for entry in entries:
        place = PurePosixPath(entry.filename)
        if place.is_absolute() or ".." in place.parts or "\\" in entry.filename:
            raise Unreadable("holds a member whose name leads out of the archive.")
        if (entry.external_attr >> 16) & 0o170000 == 0o120000:
            raise Unreadable("holds a link.")
        if entry.file_size > MAX_RATIO * max(entry.compress_size, 1024):
            raise Unreadable("holds a member that unpacks to far more than its size.")
    names = [entry.filename for entry in entries if entry.filename.lower().endswith(SUFFIXES)]
    names = [name for name in names if not _is_litter(PurePosixPath(name).parts)]
    if len(set(names)) != len(names):
        raise Unreadable("holds two members of the same name.")
    if not names:
        raise Unreadable("holds no notebook and no Python file.")
    return sorted(names)


def digest_of(data: bytes, name: str) -> str:
    """The SHA-256 of a submission's bytes and of its name's ending, which says how they are read."""
    return hashlib.sha256(data + PurePosixPath(name).suffix.lower().encode("utf-8", "replace")).hexdigest()


def read_bytes(data: bytes, name: str) -> Submission:
    """A submission from a file's bytes. One that cannot be read has a problem."""
    digest = digest_of(data, name)
    try:
        return Submission(name, digest, _cells(data, name))
    except Unreadable as problem:
        return Submission(name, digest, problem=f"{name} {problem}")


def _cells(data: bytes, name: str) -> tuple[Cell, ...]:
    if len(data) > MAX_BYTES:
        raise Unreadable(f"is larger than {MAX_BYTES >> 20} MB; clear its outputs and hand it in again.")
    if not name.lower().endswith(SUFFIXES):
        raise Unreadable(f"is neither a notebook nor a Python file ({' or '.join(SUFFIXES)}).")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Unreadable(f"is not UTF-8 text (byte {error.start}).") from error
    if "\0" in text:
        raise Unreadable("holds null bytes, so it is not a text file.")
    cells = _notebook(text) if name.lower().endswith(".ipynb") else (Cell(1, text),)
    if sum(len(cell.source) for cell in cells) > MAX_SOURCE:
        raise Unreadable(f"holds more than {MAX_SOURCE >> 10} kB of code.")
    return cells


def _notebook(text: str) -> tuple[Cell, ...]:
    try:
        notebook = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise Unreadable(
            "is not a readable notebook: it is not valid JSON. Save it again in Jupyter."
        ) from error
    cells = notebook.get("cells") if isinstance(notebook, dict) else None
    if not isinstance(cells, list):
        raise Unreadable("is not a readable notebook: it has no list of cells (nbformat 4 is needed).")
    return tuple(_cell(number, cell) for number, cell in enumerate(cells, 1) if _is_code(cell))


def _is_code(cell: Any) -> bool:
    return isinstance(cell, dict) and cell.get("cell_type") == "code"


def _cell(number: int, cell: dict[str, Any]) -> Cell:
    source = cell.get("source", "")
    if isinstance(source, list) and all(isinstance(line, str) for line in source):
        source = "".join(source)
    if not isinstance(source, str):
        raise Unreadable(f"is not a readable notebook: the source of cell {number} is not text.")
    metadata = cell.get("metadata")
    metadata = metadata if isinstance(metadata, dict) else {}
    tags = metadata.get("tags")
    kept = frozenset(tag for tag in tags if isinstance(tag, str)) if isinstance(tags, list) else frozenset()
    course = metadata.get("course")
    given = isinstance(course, dict) and course.get("given") is True
    return Cell(number, without_magics(source), kept, given)


def without_magics(source: str) -> str:
    """The source with IPython's magics, shell escapes and questions blanked, lines kept in place."""
    if cell_magic := CELL_MAGIC.match(source):
        if cell_magic[1] not in RUNS_THE_CELL:
            return ""
        source = "\n" * cell_magic[0].count("\n") + source[cell_magic.end() :]
    if _parse(source) is not None:
        return source
    lines = source.split("\n")
    for _ in range(MAX_MAGICS):
        line = _complaint("\n".join(lines))
        if line is None or not MAGIC.search(lines[line - 1]):
            return "\n".join(lines)
        indentation = re.match(r"\s*", lines[line - 1])
        lines[line - 1] = f"{indentation[0] if indentation else ''}pass"
    return "\n".join("" if MAGIC.search(line) else line for line in lines)


def _complaint(source: str) -> int | None:
    """The line in which a source stops to be Python, if it does."""
    try:
        ast.parse(source)
    except SyntaxError as error:
        return min(error.lineno or 1, source.count("\n") + 1)
    except (ValueError, RecursionError, MemoryError):
        return None
    return None


def _parse(source: str) -> list[ast.stmt] | None:
    """The statements of a source; None if it is not Python."""
    return _parse_once(source) if len(source) <= MAX_REMEMBERED else _parse_anew(source)


def _parse_anew(source: str) -> list[ast.stmt] | None:
    try:
        return ast.parse(source).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


# A class hands in the same cells of the chapters again and again.
_parse_once = lru_cache(maxsize=64)(_parse_anew)


def _bound(statement: ast.stmt) -> set[str]:
    names: set[str] = set()
    waiting = [statement]
    while waiting:
        found = waiting.pop()
        if isinstance(found, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            names.add(found.name)
        elif isinstance(found, (ast.Import, ast.ImportFrom)):
            names |= {name for module, name in _imported(found) if module.split(".")[0] != "solutions"}
        else:
            targets = getattr(found, "targets", None) or [getattr(found, "target", None)]
            names |= {n.id for t in targets if t is not None for n in ast.walk(t) if isinstance(n, ast.Name)}
            waiting += _blocks(found)
    return names


def _words(node: ast.AST) -> Iterator[str]:
    """Names that a node refers to, and texts that `getattr` could turn into names."""
    if isinstance(node, ast.Name):
        yield node.id
    elif isinstance(node, ast.Attribute):
        yield node.attr
    elif isinstance(node, ast.alias):
        yield from node.name.split(".")
    elif isinstance(node, ast.ImportFrom):
        yield from (node.module or "").split(".")
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value


def _blocks(statement: ast.stmt) -> list[ast.stmt]:
    """Statements inside an `if`, a `match`, a `try`, a loop or a `with`."""
    blocks = [getattr(statement, name, []) for name in ("body", "orelse", "finalbody")]
    inner = [*getattr(statement, "handlers", []), *getattr(statement, "cases", [])]
    blocks += [part.body for part in inner]
    return [child for block in blocks for child in block]


def _imported(node: ast.AST) -> list[tuple[str, str]]:
    if isinstance(node, ast.Import):
        return [(alias.name, (alias.asname or alias.name).split(".")[0]) for alias in node.names]
    if isinstance(node, ast.ImportFrom) and node.module:
        found = [(node.module, alias.asname or alias.name) for alias in node.names]
        if node.module == "course.frameworks":
            return [({"mx": "mxnet"}.get(a.name, a.name), a.asname or a.name) for a in node.names]
        return found
    return []


def _names(statements: list[ast.stmt], entry: str) -> set[str]:
    """Names that the statements binding an entry refer to."""
    binding = [s for s in statements if entry in _bound(s)]
    return {n.id for s in binding for n in ast.walk(s) if isinstance(n, ast.Name)}
