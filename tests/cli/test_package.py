"""`package`: what it makes is run, as Gradescope and GitHub Classroom would."""

import json
import os
import shlex
import subprocess
from pathlib import Path

import pytest
import yaml

from autograder.model.catalogue import all_exercises
from tests.support import autograder, need, solution

ASSIGNMENT = ("masked_softmax", "scaled_scores")
OPTIONS = [word for name in ASSIGNMENT for word in ("--exercise", name)]


@pytest.fixture
def submission(tmp_path):
    """One exercise right, the other not handed in."""
    folder = tmp_path / "submission"
    folder.mkdir()
    source = Path(solution("masked_softmax", "torch").__file__).read_text()
    (folder / "work.py").write_text(source.replace("masked_softmax_or_zero", "other"))
    return folder


@pytest.fixture(scope="module")
def packaged(tmp_path_factory):
    folder = tmp_path_factory.mktemp("gradescope")
    done = autograder("package", "gradescope", str(folder), *OPTIONS)
    assert done.returncode == 0, done.stderr
    return folder


def results_of(packaged, submission):
    """What run_autograder's own command writes, with the places that Gradescope fixes moved here."""
    (line,) = [n for n in (packaged / "run_autograder").read_text().splitlines() if n.startswith("exec ")]
    results = submission.parent / "results.json"
    line = line.replace("/autograder/submission", str(submission))
    line = line.replace("/autograder/results/results.json", str(results))
    words = shlex.split(line.removeprefix("exec .venv/bin/python -m autograder "))
    done = autograder(*words, packages=packaged)
    assert done.returncode == 0, done.stderr
    return json.loads(results.read_text())


def test_gradescope_is_given_what_it_runs(packaged):
    for name in ("setup.sh", "run_autograder"):
        assert os.access(packaged / name, os.X_OK)
        subprocess.run(["bash", "-n", packaged / name], check=True)
    wanted = (packaged / "requirements.txt").read_text()
    assert all(f"{name}==" in wanted for name in ("torch", "mxnet", "numpy", "typer", "pyseccomp"))


@pytest.mark.slow
def test_gradescope_gets_a_result_for_each_exercise_of_the_assignment(packaged, submission):
    results = results_of(packaged, submission)
    first, second = results["tests"]
    points = [all_exercises()[name].points for name in ASSIGNMENT]
    assert [t["max_score"] for t in results["tests"]] == points
    assert (first["status"], first["score"]) == ("passed", points[0])
    assert (second["status"], second["score"]) == ("failed", 0)
    assert results["score"] == points[0]


@pytest.mark.slow
def test_gradescope_gets_words_when_nothing_can_be_graded(packaged, tmp_path):
    missing = tmp_path / "submission"
    results = results_of(packaged, missing)
    assert results["score"] == 0 and results["output"]
    missing.mkdir()
    (missing / "work.ipynb").write_text("{broken")
    assert "work.ipynb" in results_of(packaged, missing)["output"]


@pytest.mark.slow
def test_the_classroom_workflow_runs(tmp_path, submission):
    need("mxnet")
    done = autograder("package", "classroom", str(tmp_path / "made"), "--course", "a-school/course", *OPTIONS)
    assert done.returncode == 0, done.stderr
    workflow = yaml.safe_load((tmp_path / "made" / "attention.yml").read_text())
    steps = workflow["jobs"]["grade"]["steps"]
    assert any(step.get("with", {}).get("repository") == "a-school/course" for step in steps)
    (grade,) = [step["run"] for step in steps if step.get("name") == "Grade"]
    for line in grade.strip().splitlines():
        words = shlex.split(line.replace("../", f"{tmp_path}/"))
        assert words[:3] == ["python", "-m", "autograder"]
        done = autograder(*words[3:])
        assert done.returncode == 0, done.stderr
    assert (tmp_path / "reports" / "index.html").is_file()
    assert '"submission"' in (tmp_path / "reports" / "marks.csv").read_text()


def test_gradescopes_maximum_is_the_same_for_everybody(tmp_path):
    done = autograder("package", "gradescope", str(tmp_path / "made"))
    assert done.returncode == 2 and "Say the assignment with --exercise" in " ".join(done.stderr.split())
    assert not (tmp_path / "made").exists()


def test_an_exercise_that_is_not_there_is_a_sentence(tmp_path):
    done = autograder("package", "gradescope", str(tmp_path / "made"), "--exercise", "nothing")
    assert done.returncode == 2 and "no exercise 'nothing'" in done.stderr
    assert not (tmp_path / "made").exists()


def test_a_folder_with_other_files_is_not_made_an_autograder(tmp_path):
    (tmp_path / "work.py").write_text("a learner's work")
    done = autograder("package", "gradescope", str(tmp_path), *OPTIONS)
    assert done.returncode == 2 and "holds other files" in " ".join(done.stderr.split())
    assert [path.name for path in tmp_path.iterdir()] == ["work.py"]
