"""Where the course lies, and where it looks for data."""

import os
from pathlib import Path

# The folder of the packages: the checkout, or where pip has installed them.
ROOT = Path(__file__).parents[2]
# The folder of the chapters, of `_toc.yml` and of what builds the book; an installed package brings its own.
BOOK = ROOT if (ROOT / "_toc.yml").is_file() else ROOT / "course" / "book"
# The packages of the course that pip installs; with them, all folders of a checkout that hold code, texts or answers.
PACKAGES = ("autograder", "course", "exercises", "solutions")
FOLDERS = (*PACKAGES, "_ext", "benchmarks", "chapters", "tests", "tools")
# What a checkout holds, and an installed package does not.
CHECKOUT = ("_toc.yml", "pyproject.toml", "chapters", "autograder", "tests")
# A folder that several copies of the course share, with `multi30k_raw/` and `sentiment/`. It is only read;
# downloads go to the folder that ATTENTION_DATA names, or to the user's own cache.
SHARED_DATA = "ATTENTION_SHARED_DATA"


def checkout() -> Path | None:
    """Return the checkout of the course: where the packages lie, or the current folder; None if neither is one."""
    return next(filter(_is_checkout, (ROOT, Path.cwd())), None)


def other_checkout() -> Path | None:
    """Return the checkout of the course that the current folder lies in, if it is not the one that is running."""
    here = next(filter(_is_checkout, (Path.cwd(), *Path.cwd().parents)), None)
    return here if here and here.resolve() != ROOT.resolve() else None


def _is_checkout(folder: Path) -> bool:
    return all((folder / part).exists() for part in CHECKOUT)


def shared_data(name: str) -> list[Path]:
    """Return the folder of a collection below the shared one; none if the variable is not set."""
    return [Path(os.environ[SHARED_DATA], name)] if os.environ.get(SHARED_DATA) else []
