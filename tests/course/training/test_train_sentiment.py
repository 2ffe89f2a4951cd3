"""`python -m course.training sentiment`: its results, and what it refuses."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

from course.training.sentiment import stored


def command(*arguments):
    from course.training.__main__ import app

    return CliRunner().invoke(app, ["sentiment", *arguments])


def test_the_command_writes_each_run_and_goes_on_where_it_was(tmp_path):
    result = tmp_path / "deep" / "result.json"
    arguments = ["--kind", "windows-mean", "--epochs", "1", "--result", str(result)]
    assert command(*arguments, "--seeds", "1").exit_code == 0
    first = json.loads(result.read_text())
    assert [(run["kind"], run["seed"]) for run in first["runs"]] == [("windows-mean", 0)]
    first["runs"][0]["test"] = 0.25
    result.write_text(json.dumps(first))
    assert command(*arguments, "--seeds", "2").exit_code == 0
    second = json.loads(result.read_text())
    assert [run["seed"] for run in second["runs"]] == [0, 1]
    assert second["runs"][0]["test"] == 0.25, "the finished run was made again"
    summary = second["summary"]["windows-mean"]
    assert summary["seeds"] == 2 and summary["lowest"] == 0.25


def test_the_command_leaves_a_file_alone_that_is_not_its_own(tmp_path):
    mine = tmp_path / "mine.json"
    mine.write_text("[1, 2")
    done = command("--kind", "windows-mean", "--epochs", "1", "--seeds", "1", "--result", str(mine))
    assert done.exit_code == 2 and mine.read_text() == "[1, 2"


def test_keras_has_attention_and_the_mean_only():
    done = command("--framework", "keras", "--kind", "mean", "--kind", "last")
    assert done.exit_code == 2 and "only the kinds attention and mean" in " ".join(done.stderr.split())


@pytest.mark.parametrize(
    "name",
    [f"{data}_{framework}" for data in ("grammar", "uci", "films") for framework in ("mxnet", "torch")]
    + ["grammar_keras", "uci_keras"],
)
def test_a_stored_result_says_how_it_was_made_and_sums_up_its_runs(name):
    result = stored(*name.split("_"))
    assert result["command"].startswith("python -m course.training sentiment")
    assert {run["kind"] for run in result["runs"]} == set(result["summary"])
    for kind, numbers in result["summary"].items():
        tests = [run["test"] for run in result["runs"] if run["kind"] == kind]
        assert len(tests) == numbers["seeds"] >= 3
        assert numbers["mean"] == pytest.approx(np.mean(tests), abs=1e-4)
        assert numbers["spread"] == pytest.approx(np.std(tests, ddof=1), abs=1e-4)
