"""The command line: `doctor`."""

import re
from contextlib import nullcontext
from types import SimpleNamespace

import pytest
from typer.testing import CliRunner

from autograder.cli import grading
from autograder.cli.main import app
from autograder.model.errors import ZygoteFailed
from autograder.sandbox.layers import LAYERS, REQUIRED
from tests.support import autograder

ALL = dict.fromkeys(LAYERS, True)


def doctor_says(monkeypatch, layers):
    """What `doctor` says on a machine with these layers: its status, its table and its error."""
    zygote = SimpleNamespace(
        fork=lambda deadlines: nullcontext(SimpleNamespace(layers=layers)), frameworks=["torch"]
    )
    monkeypatch.setattr(grading, "Zygote", lambda: nullcontext(zygote))
    done = CliRunner().invoke(app, ["doctor"])
    return done.exit_code, done.stdout, " ".join(done.stderr.split())


def test_the_doctor_tells_of_each_layer_whether_this_machine_has_it():
    done = autograder("doctor")
    held = dict(re.findall(r"^\s*(\w+)\s+(yes|no)\b", done.stdout, re.MULTILINE))
    assert set(held) == set(LAYERS)
    whole = all(held[layer] == "yes" for layer in REQUIRED)
    assert done.returncode == (0 if whole else 2), done.stderr
    assert ("Official marks can be given" in done.stdout) == whole
    assert ("no official mark" in done.stderr) != whole


@pytest.mark.parametrize("missing", REQUIRED)
def test_without_a_required_layer_the_doctor_names_it_and_ends_with_2(monkeypatch, missing):
    status, table, error = doctor_says(monkeypatch, {**ALL, missing: False})
    assert status == 2 and f"Without {missing} no official mark" in error
    assert re.search(rf"{missing}\s+no\b", table) and "Official marks can be given" not in table


def test_the_other_layers_are_no_condition_for_official_marks(monkeypatch):
    status, table, error = doctor_says(monkeypatch, {layer: layer in REQUIRED for layer in LAYERS})
    assert (status, error) == (0, "") and "Official marks can be given" in table


def test_a_machine_that_runs_no_submission_gets_a_sentence(monkeypatch):
    def fails():
        raise ZygoteFailed("it was killed")

    monkeypatch.setattr(grading, "Zygote", fails)
    done = CliRunner().invoke(app, ["doctor"])
    assert done.exit_code == 2 and "No submission can be run here: it was killed." in done.stderr
