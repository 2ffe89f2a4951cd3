"""`make exercise` makes a skeleton in all places, which imports, and of which the tests say what is missing."""

import ast
import json
import os
import shutil
import subprocess
import sys

import pytest

from autograder.book.contents import source, tags
from autograder.model.catalogue import topics
from autograder.model.errors import ToolError
from autograder.model.paths import ROOT
from tests.support import need
from tools.new_exercise import skeleton

pytestmark = pytest.mark.slow  # whole classes, in processes of their own

COPIED = (
    "autograder", "benchmarks", "chapters", "course", "exercises", "solutions", "tests", "tools",
    "README.md", "BENCHMARKS.md", "_toc.yml", "pyproject.toml",
)  # fmt: skip


@pytest.fixture(scope="module")
def copied(tmp_path_factory):
    """A copy of the repository in which `row_entropy` was made."""
    root = tmp_path_factory.mktemp("copied")
    for name in COPIED:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, root / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / name, root)
    command = ["tools.new_exercise", "row_entropy", "masked_softmax", "Entropy of a row", "--arguments"]
    done = run(root, *command, "X", "valid_length")
    assert done.returncode == 0, done.stderr
    return root


def run(root, *command):
    environment = os.environ | {"PYTHONPATH": str(root)}
    return subprocess.run(
        [sys.executable, "-m", *command], cwd=root, env=environment, capture_output=True, text=True
    )


def test_the_skeleton_stands_in_its_chapter(copied):
    cells = json.loads((copied / "chapters" / "masked_softmax.ipynb").read_text())["cells"]
    assert source(cells[-5]).startswith("```{exercise} Entropy of a row\n:label: ex-row_entropy\n")
    assert [tags(cell, "exercise:") for cell in cells[-4:]] == [["exercise:row_entropy"], []] * 2
    assert "def row_entropy(X, valid_length):" in source(cells[-4])


def test_the_tests_say_what_is_missing(copied):
    need("mxnet")
    done = run(copied, "pytest", "-p", "no:cacheprovider", "-k", "row_entropy", "tests/exercises")
    assert done.returncode == 1
    for words in (
        "row_entropy has 1 misconceptions, but must have at least 4",
        "must have at least 3 cases, but has 0",
        "row_entropy in exercises/masked_softmax.py: '' must have words",
    ):
        assert words in done.stdout, done.stdout


def test_the_first_exercise_of_a_chapter_makes_the_modules_of_its_topic_and_sync_and_the_linter_agree(copied):
    title = {"cell_type": "markdown", "id": "title", "metadata": {}, "source": ["# A new chapter"]}
    imports = {**title, "cell_type": "code", "id": "imports", "source": ["from autograder import check"]}
    imports |= {"execution_count": None, "outputs": []}
    notebook = {
        "cells": [title, dict(sorted(imports.items()))],
        "metadata": {},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    (copied / "chapters" / "new_topic.ipynb").write_text(json.dumps(notebook, indent=1) + "\n")
    done = run(copied, "tools.new_exercise", "first_of_all", "new_topic", "The first")
    assert done.returncode == 0, done.stderr
    listed = json.loads(run(copied, "autograder", "exercises", "--json").stdout)
    assert (listed[-1]["name"], listed[-1]["topic"]) == ("first_of_all", "new_topic")
    (exercise,) = [row for row in listed if row["name"] == "row_entropy"]
    assert (exercise["topic"], exercise["title"]) == ("masked_softmax", "Entropy of a row")
    assert exercise["signature"].startswith("row_entropy(X: , valid_length: )")
    cells = json.loads((copied / "chapters" / "new_topic.ipynb").read_text())["cells"]
    assert source(cells[0]) == "# A new chapter" and len(cells) == 7
    for command in (["tools.sync", "--check"], ["ruff", "check", "."], ["ruff", "format", "--check", "."]):
        done = run(copied, *command)
        assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("topic", topics())
def test_every_topic_takes_a_new_exercise(topic):
    for path, text in skeleton("brand_new", topic, 'A "new" one', ["X"]).items():
        added = set(text.split("\n")) - set(path.read_text().split("\n"))
        assert any("brand_new" in line for line in added), path
        if path.suffix != ".py":
            continue
        bound = {n.asname or n.name for s in ast.walk(ast.parse(text)) for n in getattr(s, "names", [])}
        if path.parent.name == "exercises":
            assert {"np", "Argument", "Case", "Exercise", "Output", "brand_new"} <= bound


@pytest.mark.parametrize(
    ("name", "topic", "title", "arguments", "sentence"),
    [
        ("brand_new", "nowhere", "A", ["X"], "There is no topic 'nowhere': TOPIC must be one of attention, "),
        ("masked_softmax", "attention", "A", ["X"], "masked_softmax has an exercise named 'masked_softmax'"),
        (
            "pieces_of",
            "language_model",
            "A",
            ["X"],
            "solutions/language_model/common.py defines pieces_of already",
        ),
        (
            "plain_exponential",
            "masked_softmax",
            "A",
            ["X"],
            "exercises/masked_softmax.py defines plain_exponential",
        ),
        ("class", "attention", "A", ["X"], "'class' cannot be the name"),
        ("brand_new", "attention", "A", ["1x"], "'1x' cannot be the name"),
        ("BrandNew", "attention", "A", ["X"], "'BrandNew' must be written in small letters"),
        ("brand_new", "attention", " ", ["X"], "An exercise must have a title"),
    ],
)
def test_what_cannot_be_made_is_refused_with_a_sentence(name, topic, title, arguments, sentence):
    with pytest.raises(ToolError) as error:
        skeleton(name, topic, title, arguments)
    assert sentence in str(error.value)
