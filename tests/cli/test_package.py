"""`package`: what it makes is run, in file trees like those of Gradescope and of GitHub Actions."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from autograder.cli import package
from autograder.model.catalogue import all_exercises
from autograder.model.paths import ROOT
from tests.support import LATE, RIGHT, autograder, solution

ASSIGNMENT = ("masked_softmax", "scaled_scores")
OPTIONS = [word for name in ASSIGNMENT for word in ("--exercise", name)]
POINTS = [all_exercises()[name].points for name in ASSIGNMENT]
# Where a stub of a program notes how it was called.
CALLS = "calls.txt"


@pytest.fixture(scope="module")
def build(tmp_path_factory):
    """What is uploaded to Gradescope; the lock may be missing where the tests run."""
    folder = tmp_path_factory.mktemp("made")
    done = autograder("package", "gradescope", folder, *OPTIONS, "--practice", "--minutes", 2)
    assert done.returncode == 0, done.stderr
    assert "choose Ubuntu 22.04" in " ".join(done.stdout.split())
    return folder


@pytest.fixture
def root(build, tmp_path):
    """A container's root: /autograder with the package in source, and an empty hand-in."""
    root = tmp_path / "autograder"
    for name in ("source", "submission", "results"):
        (root / name).mkdir(parents=True)
    for path in build.iterdir():
        (root / "source" / path.name).symlink_to(path)
    shutil.copy(build / "run_autograder", root)
    return root


def program(path, text):
    """A program that is a script of the shell."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/usr/bin/env bash\n{text}\n")
    path.chmod(0o755)


def with_interpreter(root, text=f'exec {sys.executable} "$@"'):
    program(root / "source" / ".venv" / "bin" / "python", text)


def run(root, **more):
    """Run the harness's script on its root, and give results.json."""
    done = subprocess.run([root / "run_autograder", root], capture_output=True, text=True, **more)
    assert done.returncode == 0, done.stderr
    results = json.loads((root / "results" / "results.json").read_text())
    assert isinstance(results["score"], int | float) and results["visibility"] == "visible"
    return results


def test_the_scripts_can_be_run_and_name_what_is_installed(build):
    for name in ("setup.sh", "run_autograder"):
        assert os.access(build / name, os.X_OK)
        subprocess.run(["bash", "-n", build / name], check=True)
    requirements = (build / "requirements.txt").read_text()
    locked = (build / "requirements.lock").read_text()
    for name in ("torch", "mxnet", "numpy", "typer", "pyseccomp"):
        assert re.search(rf"^{name}\b", requirements, re.MULTILINE) and f"\n{name}==" in locked
    assert (build / "exercises" / "masked_softmax.toml").is_file()


@pytest.mark.slow
def test_gradescope_gets_a_result_for_each_exercise_of_the_assignment(root):
    with_interpreter(root)
    source = Path(solution("masked_softmax", "torch").__file__).read_text()
    (root / "submission" / "work.py").write_text(source.replace("masked_softmax_or_zero", "other"))
    results = run(root)
    first, second = results["tests"]
    assert [t["max_score"] for t in results["tests"]] == POINTS
    assert (first["status"], first["score"]) == ("passed", POINTS[0])
    assert (second["status"], second["score"]) == ("failed", 0)
    assert results["score"] == POINTS[0]
    assert not (root / "graded.json").exists()


@pytest.mark.slow
def test_an_empty_hand_in_is_told_so(root):
    with_interpreter(root)
    results = run(root)
    assert results["score"] == 0 and "No notebook and no Python file was handed in." in results["output"]


FAILURES = {
    "it was not set up": (None, "The autograder is not set up."),
    "it cannot be imported": ("echo ImportError >&2; exit 1", "The grader has failed with status 1."),
    "it is killed for want of memory": ("kill -9 $$", "needed more memory than there is"),
    "it ends without a result": ("exit 0", "The grader has failed with status 0."),
}


@pytest.mark.parametrize("kind", FAILURES)
def test_a_results_json_comes_whatever_happens(root, kind):
    interpreter, words = FAILURES[kind]
    if interpreter:
        with_interpreter(root, interpreter)
    results = run(root)
    assert results["score"] == 0 and words in results["output"]


def test_what_takes_too_long_is_ended_before_gradescope_ends_it(build, root):
    with_interpreter(root, "sleep 60")
    script = (root / "run_autograder").read_text()
    assert "timeout --kill-after=5 90 " in script, "two minutes, less half a minute"
    (root / "run_autograder").write_text(
        script.replace("timeout --kill-after=5 90 ", "timeout --kill-after=5 1 ")
    )
    assert "is there a loop that never ends" in run(root)["output"].lower()


def test_what_gradescope_ends_itself_has_left_a_result(root):
    # Its parent is the time limit, whose parent is run_autograder.
    with_interpreter(root, "kill -9 $(cut -d' ' -f4 /proc/$PPID/stat) $PPID")
    subprocess.run([root / "run_autograder", root], capture_output=True)
    results = json.loads((root / "results" / "results.json").read_text())
    assert results["score"] == 0 and "was ended from outside" in results["output"]


def test_options_of_many_exercises_are_all_there(tmp_path):
    everything = [word for name in all_exercises() for word in ("--exercise", name)]
    package.gradescope(tmp_path / "made", everything, {}, 10, "1.5 GB")
    script = (tmp_path / "made" / "run_autograder").read_text()
    assert all(f"--exercise {name}" in script for name in all_exercises())


@pytest.fixture
def image(root, tmp_path):
    """Gradescope's image as setup.sh finds it: programs that note how they were called, and Python 3.10."""
    calls = tmp_path / CALLS
    note = f'echo "$(basename "$0") $*" >> {calls}'
    program(tmp_path / "bin" / "apt-get", note)
    uv = f"""{note}
if [ "$1" = venv ]; then mkdir -p .venv/bin; printf '#!/bin/sh\\necho doctor' > .venv/bin/python; chmod +x .venv/bin/python; fi
case "$*" in *--torch-backend*) exit 1;; esac"""
    program(tmp_path / "uv", uv)
    python = f"""{note}
case "$1 $2" in "-m venv") mkdir -p "$3/bin"; cp "$0" "$3/bin/python"; cp {tmp_path / "uv"} "$3/bin/uv";; esac"""
    program(tmp_path / "bin" / "python3", python)
    return tmp_path


def set_up(root, image):
    """Run setup.sh; gives how it ended, and the calls that it made."""
    environment = {**os.environ, "PATH": f"{image / 'bin'}:/usr/bin:/bin"}
    done = subprocess.run(
        [root / "source" / "setup.sh", root], env=environment, capture_output=True, text=True
    )
    calls = image / CALLS
    return done, calls.read_text() if calls.exists() else ""


def test_set_up_asks_for_an_interpreter_that_fits_and_falls_back_to_the_usual_pytorch(root, image):
    done, calls = set_up(root, image)
    assert done.returncode == 0, done.stderr
    lines = calls.splitlines()
    lock = (ROOT / "requirements.lock").read_text()
    assert any("-m pip install uv==" in line and f"uv=={line.split('==')[1]} " in lock for line in lines), (
        lines
    )
    assert "uv venv --python >=3.11,<3.15 .venv" in lines
    assert [("--torch-backend cpu" in line) for line in lines if line.startswith("uv pip install")] == [
        True,
        False,
    ]
    assert "the usual PyTorch is, 3 GB larger" in done.stdout
    assert not (root / "source" / "not_set_up.txt").exists()


def test_a_set_up_that_fails_says_where_and_so_does_the_grader(root, image):
    program(image / "bin" / "apt-get", "exit 100")
    done, _ = set_up(root, image)
    assert done.returncode == 100
    assert "of setup.sh failed with status 100" in done.stderr
    with_interpreter(root)
    assert "The autograder is not set up." in run(root)["output"]


@pytest.fixture(scope="module")
def workflows(tmp_path_factory):
    folder = tmp_path_factory.mktemp("classroom")
    options = (
        "--course",
        "a-school/course",
        "--grader",
        "a-school/grader",
        "--passes-at",
        "50",
        "--practice",
    )
    done = autograder("package", "classroom", folder, *options, *OPTIONS)
    assert done.returncode == 0, done.stderr
    paths = ("assignment/.github/workflows/classroom.yml", "grader/.github/workflows/attention.yml")
    return [yaml.load((folder / path).read_text(), yaml.BaseLoader) for path in paths]


def test_the_grader_lies_where_learners_cannot_write(workflows):
    caller, grader = workflows
    (job,) = caller["jobs"].values()
    assert job["uses"] == "a-school/grader/.github/workflows/attention.yml@main"
    assert "exercise" not in str(caller)
    assert job["secrets"].keys() == grader["on"]["workflow_call"]["secrets"].keys() == {"course_token"}
    steps = grader["jobs"]["grade"]["steps"]
    (course,) = [s["with"] for s in steps if s.get("with", {}).get("repository") == "a-school/course"]
    assert course["token"] == "${{ secrets.course_token || github.token }}"
    assert all(s["with"]["persist-credentials"] == "false" for s in steps if "checkout" in s.get("uses", ""))


def classroom(workflows, tmp_path, work, monkeypatch):
    """Run the workflow's own command in a tree like that of GitHub's runner."""
    steps = workflows[1]["jobs"]["grade"]["steps"]
    (step,) = [s for s in steps if s.get("name") == "Grade"]
    repository = tmp_path / "submission" / "first-ann"
    (repository / ".git").mkdir(parents=True)
    for name, text in work.items():
        (repository / name).write_text(text)
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary.md"))
    words = step["run"].replace("../", f"{tmp_path}/").split()
    assert words[:3] == ["python", "-m", "autograder"] and step["working-directory"] == "course"
    done = autograder(*words[3:])
    return done, (tmp_path / "summary.md").read_text()


def test_the_classroom_job_fails_below_what_the_teacher_chose_and_reports_points(
    workflows, tmp_path, monkeypatch
):
    done, summary = classroom(workflows, tmp_path, {"work.py": LATE}, monkeypatch)
    most = sum(POINTS)
    assert done.returncode == 1
    assert f"::notice title=Autograding complete::Points 0/{most}" in done.stdout
    assert f'::notice title=Autograding report::{{"totalPoints": 0, "maxPoints": {most}}}' in done.stdout
    assert f"## 0 of {most} points" in summary and "The mask comes after the softmax" in summary
    assert (tmp_path / "graded" / "reports" / "index.html").is_file()
    assert '"first-ann"' in (tmp_path / "graded" / "marks.csv").read_text()


def test_the_classroom_job_passes_with_enough_points(workflows, tmp_path, monkeypatch):
    assert 2 * POINTS[0] >= sum(POINTS)
    assert classroom(workflows, tmp_path, {"work.py": RIGHT}, monkeypatch)[0].returncode == 0


def test_an_empty_repository_has_no_points_and_is_told_so(workflows, tmp_path, monkeypatch):
    done, summary = classroom(workflows, tmp_path, {}, monkeypatch)
    assert done.returncode == 1 and f"Points 0/{sum(POINTS)}" in done.stdout
    assert "No notebook and no Python file was handed in" in summary


def test_no_name_of_a_file_gives_orders_to_github(workflows, tmp_path, monkeypatch):
    order = '::notice title=Autograding report::{"totalPoints": 9, "maxPoints": 9}.py'
    done, summary = classroom(workflows, tmp_path, {order: "\0"}, monkeypatch)
    assert sum(line.lstrip().startswith("::notice") for line in done.stdout.splitlines()) == 2
    assert "::notice" not in summary and "null bytes" in summary


@pytest.mark.parametrize("system", ["gradescope", "classroom"])
def test_a_package_takes_the_assignments_file_along(tmp_path, system):
    file = tmp_path / "first.toml"
    assert autograder("assignment", "new", file, *OPTIONS).returncode == 0
    build = tmp_path / "made"
    done = autograder("package", system, build, "--assignment", file)
    assert done.returncode == 0, done.stderr
    place = {"gradescope": build, "classroom": build / "grader"}[system]
    assert (place / "assignment.toml").read_text() == file.read_text()
    script = {"gradescope": "run_autograder", "classroom": ".github/workflows/attention.yml"}[system]
    prefix = {"gradescope": "", "classroom": "../grader/"}[system]
    (line,) = [s for s in (place / script).read_text().splitlines() if "-m autograder" in s]
    assert f"--assignment {prefix}assignment.toml" in line and "--exercise " not in line
    assert (system == "gradescope") or "path: grader" in (place / script).read_text()


@pytest.mark.parametrize("system", ["gradescope", "classroom"])
def test_the_maximum_is_the_same_for_everybody(tmp_path, system):
    done = autograder("package", system, tmp_path / "made")
    assert done.returncode == 2 and "Name the assignment with --exercise" in " ".join(done.stderr.split())
    assert not (tmp_path / "made").exists()


def test_an_exercise_that_is_not_there_is_a_sentence(tmp_path):
    done = autograder("package", "gradescope", tmp_path / "made", "--exercise", "nothing")
    assert done.returncode == 2 and "no exercise 'nothing'" in done.stderr
    assert not (tmp_path / "made").exists()


def test_a_folder_with_other_files_is_not_made_an_autograder(tmp_path):
    (tmp_path / "work.py").write_text("a learner's work")
    done = autograder("package", "gradescope", tmp_path, *OPTIONS)
    assert done.returncode == 2 and "holds other files" in " ".join(done.stderr.split())
    assert [path.name for path in tmp_path.iterdir()] == ["work.py"]
