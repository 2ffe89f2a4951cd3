"""The index of the engine's modules in autograder/README.md: `make sync` writes it from their docstrings."""

import ast
from pathlib import Path

from tools.first_page import with_part

PAPER, ENGINE, PART = Path("autograder", "README.md"), "autograder", "the modules"


def changes(root: Path) -> dict[Path, str]:
    """Return the paper with its index written anew, if that changes it."""
    path = root / PAPER
    before = path.read_text(encoding="utf-8")
    after = with_part(before, PART, index(root), PAPER)
    return {path: after} if after != before else {}


def index(root: Path) -> str:
    """Return a table with a line for each module that is not empty: its path, and how its docstring begins."""
    modules = [
        path for path in sorted((root / ENGINE).rglob("*.py")) if path.read_text(encoding="utf-8").strip()
    ]
    rows = [f"| `{path.relative_to(root).as_posix()}` | {opening(path)} |" for path in modules]
    return "\n".join(["| module | what it is |", "| --- | --- |", *rows])


def opening(path: Path) -> str:
    """Return the first paragraph of a module's docstring, on one line."""
    docstring = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    return " ".join(docstring.partition("\n\n")[0].split()).replace("|", "\\|")
