"""The command line: `doctor`."""

import re
from contextlib import nullcontext
from types import SimpleNamespace

import pytest
from typer.testing import CliRunner

from autograder.cli import grading
from autograder.cli.commands import app
from autograder.model.errors import ZygoteFailed
from autograder.sandbox.layers import LATER_LANDLOCK, LAYERS, REQUIRED
from tests.support import autograder

ALL = dict.fromkeys(LAYERS, True)


def doctor_says(monkeypatch, layers, landlock=7):
    """What `doctor` says on a machine with these layers: its status, its table and its error."""
    monkeypatch.setattr(grading, "landlock_version", lambda: landlock)
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


@pytest.mark.parametrize("version", [1, *LATER_LANDLOCK])
def test_the_doctor_says_what_each_later_version_of_landlock_would_close(monkeypatch, version):
    status, words, _ = doctor_says(monkeypatch, ALL, landlock=version)
    assert status == 0 and f"Landlock is version {version}, and official marks need version 1." in words
    sentences = re.findall(r"Version (\d) refuses [^.;]+; here seccomp does \(", " ".join(words.split()))
    named = [int(found) for found in sentences]
    assert named == list(range(version + 1, max(LATER_LANDLOCK) + 1))


def test_the_doctor_says_what_no_layer_closes(monkeypatch):
    _, words, _ = doctor_says(monkeypatch, ALL)
    assert "No layer hides whether a file exists" in words


def test_without_seccomp_it_closes_nothing_in_the_place_of_landlock(monkeypatch):
    status, words, _ = doctor_says(monkeypatch, {**ALL, "seccomp": False}, landlock=1)
    assert status == 2 and "here seccomp does" not in " ".join(words.split())


def test_a_machine_that_runs_no_submission_gets_a_sentence(monkeypatch):
    def fails():
        raise ZygoteFailed("it was killed")

    monkeypatch.setattr(grading, "Zygote", fails)
    done = CliRunner().invoke(app, ["doctor"])
    assert done.exit_code == 2 and "No submission can be run here: it was killed." in done.stderr
