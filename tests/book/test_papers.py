"""README, BENCHMARKS, CONTRIBUTING and ARCHITECTURE name only what is there."""

import re
from functools import cache

import pytest
from typer.main import get_command

from autograder.cli.commands import app
from autograder.model.paths import ROOT

PAPERS = ("README.md", "BENCHMARKS.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "chapters/extending.md")
CODE = re.compile(r"`([^`\n]+)`")
BLOCK = re.compile(r"^```(?!mermaid)\w*\n(.*?)^```", re.MULTILINE | re.DOTALL)
PATH = re.compile(r"\.?[\w.<>*-]+(?:/[\w.<>*-]+)*/?")
ENDINGS = (".py", ".md", ".ipynb", ".toml", ".lock", ".txt", ".yml", ".json", ".css", ".js", ".png")
NAME = re.compile(r"[A-Za-z_]\w+")
# Made by a command, or in another's hands.
OUTPUTS = (
    ".venv",
    "_build",
    "learn",
    "index.ipynb",
    "reports",
    "first.toml",
    "results.json",
    "commit.txt",
    "conf.py",
    "requirements.txt",
    "multi30k_raw",
    "sentiment",
)
SKIPPED = {".git", ".venv", "_build", "learn", "__pycache__"}


def text(paper):
    return (ROOT / paper).read_text(encoding="utf-8")


def words(paper):
    """What stands in backticks or in a block of code, word by word."""
    whole = text(paper)
    inline = CODE.findall(BLOCK.sub("", whole))
    return [word.strip("(),;:") for part in [*inline, *BLOCK.findall(whole)] for word in part.split()]


def paths(words):
    """The words that are paths in this repository."""
    candidates = [w for w in words if PATH.fullmatch(w) and ("/" in w or w.endswith(ENDINGS))]
    return [w for w in candidates if w.split("/")[0] not in OUTPUTS and not re.search(r"^[A-Z-]+/|/\d", w)]


@cache
def tree():
    """Every file and folder of the repository, as paths from its root."""
    entries = [path.relative_to(ROOT) for path in ROOT.rglob("*")]
    return [path for path in entries if not SKIPPED & set(path.parts)]


def matches(path):
    """The files and folders that a path means; <topic> stands for any, a bare name may lie anywhere."""
    pattern = re.sub(r"<\w+>", "*", path).rstrip("/")
    if "/" in path.rstrip("/") or path.endswith("/"):
        return [p for p in ROOT.glob(pattern) if p.is_dir() or not path.endswith("/")]
    return [ROOT / p for p in tree() if p.match(pattern)]


@pytest.mark.parametrize("paper", PAPERS)
def test_every_path_that_is_named_is_there(paper):
    candidates = paths(words(paper))
    assert candidates
    assert [path for path in candidates if not matches(path)] == []


def test_a_path_that_is_not_there_is_noticed():
    text = "autograder/nowhere.py exercises/<topic>.toml nothing.ipynb tests/nowhere/ 1/2 word"
    candidates = paths(text.split())
    assert [p for p in candidates if not matches(p)] == [
        "autograder/nowhere.py",
        "nothing.ipynb",
        "tests/nowhere/",
    ]


def test_every_name_in_the_architecture_is_in_a_file_of_its_line():
    """Numbered lines walk the code: what they name stands in the files that they name."""
    steps = [line for line in text("ARCHITECTURE.md").splitlines() if re.match(r"\d+\. ", line)]
    assert len(steps) == 20, "two journeys of ten steps"
    for step in steps:
        marked = CODE.findall(step)
        candidates = [path for word in paths(marked) for path in matches(word)]
        files = [p for path in candidates for p in (path.rglob("*.py") if path.is_dir() else [path])]
        source = "\n".join(file.read_text(encoding="utf-8") for file in files)
        absent = [word for word in marked if NAME.fullmatch(word) and word not in source]
        assert absent == [], step


def test_every_module_of_the_engine_has_a_line_in_the_index():
    descriptions = dict(
        re.findall(r"^\| `(autograder/[\w/]+\.py)` \| (.+) \|$", text("autograder/README.md"), re.MULTILINE)
    )
    modules = {path.relative_to(ROOT).as_posix() for path in (ROOT / "autograder").rglob("*.py")}
    assert {name for name in modules - descriptions.keys() if not name.endswith("__init__.py")} == set()
    assert all(re.search(r"[.`)]$", words) for words in descriptions.values())


def test_every_target_of_make_that_is_named_is_there():
    targets = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    for paper in PAPERS:
        names = set(re.findall(r"(?:`|^)make ([a-z-]+)", text(paper), re.MULTILINE))
        assert names - targets == set(), paper


def test_every_command_that_is_named_is_there():
    commands = set(get_command(app).commands)
    for paper in PAPERS:
        names = set(re.findall(r"(?:`|^)attention (?:--verbose )?([a-z]+)", text(paper), re.MULTILINE))
        assert names - commands == set(), paper


@pytest.mark.parametrize(
    ("papers", "most"),
    [("README.md", 600), ("CONTRIBUTING.md", 1600), ("ARCHITECTURE.md", 2000), ("*.md", 10_000)],
)
def test_papers_stay_short(papers, most):
    """Grading, figures and settings have pages of their own."""
    assert sum(len(paper.read_text(encoding="utf-8").split()) for paper in ROOT.glob(papers)) <= most
