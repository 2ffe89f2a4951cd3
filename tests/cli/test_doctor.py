"""The command line: `doctor`."""

import platform
import re
import subprocess
from contextlib import nullcontext
from types import SimpleNamespace

import pytest
from typer.testing import CliRunner

from autograder.checking import progress
from autograder.cli import doctor
from autograder.cli.commands import app
from autograder.frameworks.libraries import to_install
from autograder.model.errors import ZygoteFailed
from autograder.sandbox import lock
from autograder.sandbox.layers import LATER_LANDLOCK, LAYERS, REQUIRED
from tests.support import autograder

ALL = dict.fromkeys(LAYERS, True)


def doctor_says(monkeypatch, layers, landlock=7):
    """What `doctor` says on a machine with these layers: its status, its table and its error."""
    monkeypatch.setattr(lock, "landlock_abi", lambda: landlock)
    zygote = SimpleNamespace(
        fork=lambda time_limits: nullcontext(SimpleNamespace(layers=layers)), frameworks=["torch"]
    )
    monkeypatch.setattr(doctor, "Zygote", lambda: nullcontext(zygote))
    monkeypatch.setattr(doctor, "for_a_learner", lambda: [])
    done = CliRunner().invoke(app, ["doctor"])
    return done.exit_code, done.stdout, " ".join(done.stderr.split())


@pytest.mark.slow
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
    versions = [int(number) for number in sentences]
    assert versions == list(range(version + 1, max(LATER_LANDLOCK) + 1))


def test_the_doctor_says_what_no_layer_closes(monkeypatch):
    _, words, _ = doctor_says(monkeypatch, ALL)
    assert "No layer hides whether a file exists" in words


def test_without_seccomp_it_closes_nothing_in_the_place_of_landlock(monkeypatch):
    status, words, _ = doctor_says(monkeypatch, {**ALL, "seccomp": False}, landlock=1)
    assert status == 2 and "here seccomp does" not in " ".join(words.split())


def test_a_machine_that_runs_no_submission_gets_a_sentence(monkeypatch):
    def fails():
        raise ZygoteFailed("it was killed")

    monkeypatch.setattr(doctor, "Zygote", fails)
    done = CliRunner().invoke(app, ["doctor"])
    assert done.exit_code == 2 and "No submission can be run here: it was killed." in done.stderr


# --- For a learner ---------------------------------------------------------------------------------


@pytest.fixture
def learners(monkeypatch, tmp_path):
    """What is said to a learner in an empty folder, as one text; without some modules."""

    def output(*missing):
        with monkeypatch.context() as here:
            here.chdir(tmp_path)
            here.setattr(doctor, "find_spec", lambda name: None if name in missing else name)
            here.setattr(doctor, "version", lambda name: "9.9" if name not in missing else no_package(name))
            done = SimpleNamespace(returncode=0, stdout="2.6\n")
            here.setattr(subprocess, "run", lambda command, **more: done)
            return " ".join(doctor.for_a_learner())

    return output


def no_package(name):
    raise doctor.PackageNotFoundError(name)


def test_a_learner_is_told_what_is_here(learners):
    output = learners()
    assert f"Python {platform.python_version()} runs this" in output and "PyTorch 2.6 is here." in output
    assert "MXNet 2.6 is here." in output and "JupyterLab 9.9 is here" in output
    assert "All that the chapters use is here: matplotlib, keras, scikit-learn" in output
    assert "not installed" not in output


@pytest.mark.parametrize(
    ("module", "typed"),
    [
        ("torch", "PyTorch is not installed: type `pip install torch`."),
        ("mxnet", f"{doctor.WITHOUT_MXNET} PyTorch alone is enough."),
        (
            "jupyterlab",
            "JupyterLab is not installed: type `pip install jupyterlab`, or open the copies in VS Code.",
        ),
        ("sklearn", "Some chapters also use scikit-learn: type `pip install scikit-learn`."),
    ],
)
def test_each_thing_that_is_missing_has_the_line_to_type(learners, module, typed):
    assert typed in learners(module) and "no exercise can be checked" not in learners(module)


def test_without_a_framework_nothing_can_be_checked(learners):
    assert "Without a framework no exercise can be checked." in learners("torch", "mxnet")


def test_a_framework_that_cannot_be_imported_is_not_here(monkeypatch):
    """It may be installed and broken; MXNet once ended its process where libgomp was missing."""
    misses = "libgomp.so.1: cannot open shared object file: No such file or directory"
    monkeypatch.setattr(
        doctor, "IMPORT", f"import autograder.frameworks.libraries; raise OSError({misses!r}) # {{0}}"
    )
    is_here, sentence = doctor._framework("torch")
    assert not is_here and sentence == (
        f"PyTorch is installed and cannot be imported: OSError: {misses}. "
        "On Debian and Ubuntu, type `apt install libgomp1`."
    )
    monkeypatch.setattr(doctor, "IMPORT", "import os; os.abort() # {0}")
    is_here, sentence = doctor._framework("torch")
    assert not is_here and re.search(r"its process ended with status -?\d+\.$", sentence)


@pytest.mark.parametrize(
    ("library", "typed"),
    [
        ("libquadmath.so.0", "On Debian and Ubuntu, type `apt install libquadmath0`."),
        (
            "libcudnn.so.9",
            "PyTorch's build for CUDA brings it along: type `pip install --force-reinstall torch`.",
        ),
        (
            "libnvrtc.so.13",
            "PyTorch's build for CUDA brings it along: type `pip install --force-reinstall torch`.",
        ),
        ("libGL.so.1", "On Debian and Ubuntu, `apt-file search libGL.so.1` names the package that has it."),
        (
            "libcublas.so.13.0.2",
            "PyTorch's build for CUDA brings it along: type `pip install --force-reinstall torch`.",
        ),
    ],
)
def test_no_package_is_named_that_debian_does_not_have(library, typed):
    words = f"{library}: cannot open shared object file: No such file or directory"
    assert to_install(words) == f" {typed}"


def test_where_the_copies_are_and_how_many_exercises_are_passed(learners, tmp_path):
    assert "There are no copies in this folder: type `attention learn`" in learners()
    (tmp_path / "learn").mkdir()
    progress.write_json(
        tmp_path / "learn" / progress.FILE, {"masked_softmax": ["torch"], "an_old_name": ["torch"]}
    )
    assert (
        f"Your copies are in {tmp_path / 'learn'}, with 1 exercises passed; they begin with index.ipynb."
        in learners()
    )


def test_elsewhere_than_on_linux_a_learner_is_served_and_a_teacher_told(monkeypatch):
    monkeypatch.setattr(doctor, "for_a_learner", lambda: ["PyTorch 2.6 is here."])
    monkeypatch.setattr(doctor, "sys", SimpleNamespace(platform="darwin"))
    done = CliRunner().invoke(app, ["doctor"])
    assert done.exit_code == 2 and done.stderr == ""
    assert done.stdout.index("PyTorch 2.6") < done.stdout.index("Grading a class needs Linux")


@pytest.mark.parametrize("layer", doctor.TO_HAVE)
def test_a_layer_that_can_be_had_is_told_with_what_to_type(monkeypatch, layer):
    _, _, error = doctor_says(monkeypatch, {**ALL, layer: False})
    assert doctor.TO_HAVE[layer] in error and error.count("type `apt") == (layer == "seccomp")
