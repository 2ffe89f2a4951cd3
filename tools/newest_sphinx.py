"""The book without Jupyter Book: built with the newest Sphinx, theme and extensions, and compared page by page.

Jupyter Book 1 holds Sphinx at version 7 and is only kept working. `python -m tools.newest_sphinx` has it write its
settings as Sphinx's own `conf.py` into `_build/newest`, installs the newest packages into an environment there, and
builds the book with them. It is the way out of Jupyter Book, tried whenever somebody asks.
"""

import argparse
import runpy
import shutil
import subprocess
import sys
from collections import Counter
from importlib.metadata import distributions
from itertools import zip_longest
from pathlib import Path

from bs4 import BeautifulSoup, Tag

from autograder.model.errors import ToolError
from autograder.model.paths import ROOT

FOLDER = ROOT / "_build" / "newest"
SOURCES = ("_ext", "_static", "chapters")
PYTHON = "3.13"  # Sphinx 9.2 needs it
# What the book's own extensions import beside what Sphinx brings.
ALSO = ("sphinx", "numpy", "pooch")
# Jupyter Book as an extension only registers two settings, which others register too.
LEAVES = "jupyter_book"
CONF = f"""
import sys
sys.path[:0] = ["_ext", {str(ROOT)!r}]
extensions.remove({LEAVES!r})
"""
STRICT = ("--quiet", "--fail-on-warning", "--keep-going", "--nitpicky")


def write_sources(folder: Path) -> list[str]:
    """Copy the book's sources with a `conf.py` into `folder`; return the packages that `conf.py` needs."""
    for name in SOURCES:
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("_config.yml", "_toc.yml"):
        shutil.copy(ROOT / name, folder)
    _run(_program("jupyter-book"), "config", "sphinx", folder)
    conf = folder / "conf.py"
    conf.write_text(conf.read_text(encoding="utf-8") + CONF, encoding="utf-8")
    path = sys.path.copy()
    try:
        extensions = runpy.run_path(str(conf))["extensions"]
    finally:
        sys.path[:] = path
    extensions_here = {path.stem for path in (ROOT / "_ext").iterdir()}
    # A package has the name of its extension: an index takes - and _ and . for the same.
    return [*ALSO, *(e for e in extensions if e not in extensions_here and not e.startswith("sphinx.ext."))]


def install(python: str, folder: Path, packages: list[str]) -> list[str]:
    """Make an environment in `folder` with the newest of these packages; return all that it holds, with versions."""
    _run(_program("uv"), "venv", "--quiet", "--python", python, folder)
    _run(_program("uv"), "pip", "install", "--quiet", "--python", folder, *packages)
    paths = [str(path) for path in folder.glob("lib/python*/site-packages")]
    return sorted(f"{package.name} {package.version}" for package in distributions(path=paths))


def differences(usual: Path, newest: Path) -> list[str]:
    """Return what pages of two built books differ in, a line for each page; spaces do not count."""
    pages = sorted(
        {path.relative_to(book) for book in (usual, newest) for path in book.glob("chapters/*.html")}
    )
    lines = (f"{page}: {_difference(usual / page, newest / page)}" for page in pages)
    return [line for line in lines if not line.endswith(": ")]


def _difference(usual: Path, newest: Path) -> str:
    """Return the first thing in which two pages differ; empty if there is none."""
    if not (usual.exists() and newest.exists()):
        return f"{'Jupyter Book' if usual.exists() else 'the newest Sphinx'} alone builds it"
    one, other = (_article(page) for page in (usual, newest))
    counts = [Counter(_kinds(article)) for article in (one, other)]
    if changed := sorted(kind for kind in counts[0] | counts[1] if counts[0][kind] != counts[1][kind]):
        return ", ".join(f"{counts[0][kind]} {kind} have become {counts[1][kind]}" for kind in changed)
    words = zip_longest(*("".join(article.get_text().split()) for article in (one, other)), fillvalue="")
    index = next((index for index, (a, b) in enumerate(words) if a != b), None)
    if index is None:
        return ""
    texts = ("".join(article.get_text().split())[index : index + 40] for article in (one, other))
    return " has become ".join(repr(text) for text in texts)


def _article(page: Path) -> Tag:
    article = BeautifulSoup(page.read_text(encoding="utf-8"), "html.parser").find("article")
    if not isinstance(article, Tag):
        raise ToolError(f"{page} has no article")
    return article


def _kinds(article: Tag) -> list[str]:
    """Return the elements of an article and their classes: formulas, figures, exercises, tabs and all others."""
    elements = article.find_all(True)
    return [e.name for e in elements] + [
        f".{name}" for e in elements for name in e.get_attribute_list("class") if name
    ]


def _program(name: str) -> Path:
    return Path(sys.executable).with_name(name)


def _run(*command: str | Path) -> None:
    """Run a command, which says itself what is wrong."""
    if subprocess.run(command, cwd=ROOT).returncode:
        raise ToolError(f"{Path(command[0]).name} failed; what it said stands above")


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m tools.newest_sphinx", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument(
        "--python", default=PYTHON, help="a version or a path of Python, for uv (%(default)s)"
    )
    python = parser.parse_args(arguments).python
    shutil.rmtree(FOLDER, ignore_errors=True)
    try:
        packages = write_sources(FOLDER)
        print("\n".join(install(python, FOLDER / "environment", packages)))
        newest = FOLDER / "html"
        _run(FOLDER / "environment" / "bin" / "python", "-m", "sphinx", *STRICT, FOLDER, newest)
        # Both anew: a build that goes on from an earlier one writes only what it takes for changed.
        _run(_program("attention"), "book", "--to", FOLDER / "usual")
        changed = differences(FOLDER / "usual" / "_build" / "html", newest)
    except ToolError as error:
        raise SystemExit(f"{error}.") from None
    if changed:
        raise SystemExit("\n".join(["These pages differ from those that Jupyter Book builds:", *changed]))
    print(f"Every page is the same but for spaces: {newest}")


if __name__ == "__main__":
    main()
