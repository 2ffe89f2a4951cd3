"""A learner's copy on a machine that has no course: where the course comes from, and links that open the copy there.

Where the course is published is said by `book_repository` in `_config.yml`, or by the variable BOOK_REPOSITORY.
"""

import ast
import os
import re
from collections.abc import Iterable
from functools import cache

from autograder.book.contents import CHAPTER, INDEX, Cell, source
from autograder.book.teachers_chapter import new_cell
from autograder.model.paths import BOOK, ROOT
from autograder.read.install_cell import install_source

SETTING = re.compile(r'^\s*book_repository:\s*"(.*)"', re.MULTILINE)
# The branch that holds the copies for PyTorch: the workflow makes it, and the repository itself holds none.
COPIES = "learn"
COLAB = "https://colab.research.google.com"
KAGGLE = "https://kaggle.com/kernels/welcome?src="
# By the names under which they are imported: what cells use beside the packages that the course stands on.
LIBRARIES = {name: name for name in ("matplotlib", "keras", "sklearn", "babel", "pooch", "sacrebleu")}
LIBRARIES["sklearn"] = "scikit-learn"
# Their modules are read for what they import in their turn.
OF_THE_COURSE = ("course", "solutions")


def repository() -> str:
    """Return the address of the course's repository; empty where nobody has said it."""
    setting = SETTING.search((BOOK / "_config.yml").read_text(encoding="utf-8"))
    return os.environ.get("BOOK_REPOSITORY", setting[1] if setting else "").rstrip("/")


def install_cell(cells: Iterable[Cell]) -> Cell:
    """Return the first code cell of a copy, folded: it installs the course, and what these cells import."""
    metadata = {**CHAPTER, "jupyter": {"source_hidden": True}}
    return new_cell("install", install_source(repository(), libraries(cells)), metadata, code=True)


def libraries(cells: Iterable[Cell]) -> dict[str, str]:
    """Return those of LIBRARIES that these cells import, themselves or by the course's modules."""
    pending = [name for c in cells if c["cell_type"] == "code" for name in _imported(source(c))]
    read: set[str] = set()
    while pending:
        if (name := pending.pop()) not in read:
            read.add(name)
            path = (ROOT / name.replace(".", "/")).with_suffix(".py")
            if name.split(".")[0] in OF_THE_COURSE and path.is_file():
                pending += _imported(path.read_text(encoding="utf-8"))
    imported = {name.split(".")[0] for name in read}
    return {name: package for name, package in LIBRARIES.items() if name in imported}


@cache  # each chapter is asked about the same modules
def _imported(text: str) -> tuple[str, ...]:
    """Return every module that a source may import, wherever in it; none if it holds more than Python."""
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return ()
    modules: list[str] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            modules += (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            modules += (node.module, *(f"{node.module}.{alias.name}" for alias in node.names))
    return tuple(modules)


def colab(address: str, file: str = INDEX) -> str:
    """Return where Colab opens a published copy; empty unless the repository lies on GitHub, the only host that it reads."""
    path = _on_github(address, file)
    return f"{COLAB}/github{path}" if path else ""


def badges(file: str) -> str:
    """Return links that open a published copy at Colab and at Kaggle; empty unless the course is known to lie on GitHub."""
    path = _on_github(repository(), file)
    kaggle = f"[Open in Kaggle]({KAGGLE}https://github.com{path})"
    return f"[Open in Colab]({colab(repository(), file)}) · {kaggle}" if path else ""


def _on_github(address: str, file: str) -> str:
    """Return the path of a published copy on GitHub; empty where the repository does not lie there."""
    match = re.fullmatch(r"https://github\.com(/[\w.-]+/[\w.-]+?)(?:\.git)?", address)
    return f"{match[1]}/blob/{COPIES}/{file}" if match else ""
