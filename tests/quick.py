"""What `make test` runs before every commit, and what `make ci` runs after it.

Quick is every test that is neither slow nor in a browser nor of a second framework, and the chapters that differ from
main: text, solutions or exercises. Where none differs, as in a fresh clone, one of each of three parts of the book
stands for them.
"""

import subprocess
from functools import cache
from pathlib import Path

import pytest

from autograder.model.paths import ROOT

# Those that run in seconds.
SAMPLE = frozenset({"masked_softmax", "self_attention", "recurrence"})
FOLDERS = ("chapters", "exercises", "solutions")
OPTIONS = ("--quick", "--rest")


def add_options(parser: pytest.Parser) -> None:
    quick, rest = OPTIONS
    parser.addoption(quick, action="store_true", help="Leave out what is slow, browsers, unchanged chapters.")
    parser.addoption(rest, action="store_true", help="Run only what --quick leaves out.")


def is_left_out(item: pytest.Item) -> bool:
    """Whether an item is not for this part of the run."""
    quick, rest = map(item.config.getoption, OPTIONS)
    return (quick and not is_quick(item)) or (rest and is_quick(item))


def is_quick(item: pytest.Item) -> bool:
    if item.path.suffix == ".ipynb":
        return item.path.stem in quick_chapters()
    return not any(item.get_closest_marker(name) for name in ("slow", "browser", "ci"))


@cache
def quick_chapters() -> frozenset[str]:
    """Return the topics that differ from main; those of SAMPLE if none does, or if git cannot tell."""
    return frozenset(filter(None, map(topic_of, changed_files()))) or SAMPLE


def topic_of(path: str) -> str | None:
    """Return the topic whose chapter, solutions or exercises a path belongs to; None if it has no chapter.

    path: as git writes it, such as chapters/sparse.ipynb, solutions/sparse/in_torch.py or exercises/sparse.toml.
    """
    topic = Path(Path(path).parts[1]).stem
    return topic if (ROOT / "chapters" / f"{topic}.ipynb").is_file() else None


def changed_files() -> list[str]:
    """Return the files of FOLDERS that differ from main's last commit, new ones too."""
    branch = "main" if git("rev-parse", "--verify", "--quiet", "main") else "origin/main"
    return [
        *git("diff", "--name-only", branch, "--", *FOLDERS),
        *git("ls-files", "--others", "--exclude-standard", "--", *FOLDERS),
    ]


def git(*words: str) -> list[str]:
    """Return the lines that git prints; none where it fails, or is not there."""
    try:
        return subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True).stdout.splitlines()
    except FileNotFoundError:
        return []
