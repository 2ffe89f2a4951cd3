"""The rules that make a mark, changed one by one: the tests of a module notice each change."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from autograder.marks import gradebook, standing
from autograder.model.paths import ROOT
from tools.mutants_of_modules import (
    DECIDING,
    EQUIVALENT,
    equivalent,
    files_for,
    main,
    module_mutants,
    modules,
    statement_mutants,
)


def changes(module, *names):
    return dict(module_mutants(Path(module.__file__).read_text(encoding="utf-8"), names))


def test_rules_and_queries_are_changed():
    assert any("max(id)" not in text and "min(id)" in text for text in changes(gradebook, "CURRENT").values())
    assert "min(rowid)" in "".join(changes(gradebook, "COUNTED").values())
    texts = changes(standing, "_rank", "best")
    assert any("verdict.outcome == 'missing'" in text for text in texts.values())
    assert all("def best" in text and "class Learner" in text for text in texts.values())


def test_every_module_of_the_marks_is_tried():
    names = {"standing", "gradebook", "report", "exports.export", "exports.canvas", "exports.moodle"}
    assert {f"autograder.marks.{name}" for name in names} <= set(modules())


def changes_of(module):
    """The changes that are made of a module."""
    path = ROOT.joinpath(*module.split(".")).with_suffix(".py")
    return {change for _, change, _ in statement_mutants(ast.parse(path.read_text(encoding="utf-8")))}


@pytest.mark.slow
def test_what_is_listed_as_equivalent_is_a_change_that_is_made():
    of_marks = [module for module in modules() if module.startswith("autograder.marks.")]
    assert set(EQUIVALENT) <= {change for module in of_marks for change in changes_of(module)}
    assert all(EQUIVALENT.values())


@pytest.mark.parametrize("name", DECIDING)
def test_a_module_that_decides_has_a_test_file_of_its_name_and_its_equivalent_changes_are_made(name):
    module = f"autograder.{name}"
    assert all(path.is_file() for path in files_for(module))
    listed = equivalent(module)
    assert not listed or (set(listed) <= changes_of(module) and all(listed.values()))


@pytest.mark.parametrize(
    ("words", "status", "sentence"),
    [("--help", 0, "usage: python -m tools.mutants_of_modules"), ("marks.standing", 2, "invalid choice")],
)
def test_what_can_be_tried_is_said(capsys, words, status, sentence):
    with pytest.raises(SystemExit) as ended:
        main([words])
    assert ended.value.code == status and sentence in "".join(capsys.readouterr())


@pytest.mark.slow
def test_no_change_of_the_rule_for_the_best_result_goes_unnoticed():
    """The short form; `python -m tools.mutants_of_modules` tries all modules."""
    command = [
        sys.executable,
        "-m",
        "tools.mutants_of_modules",
        "autograder.marks.standing",
        "_rank",
        "verdicts_to_show",
    ]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
