"""The figures of BENCHMARKS.md are those that the benchmarks have stored."""

import json
import shutil

import pytest

from autograder.model.errors import ToolError
from autograder.model.paths import ROOT
from tools import figures
from tools.figures import QUOTES, report, stored, table
from tools.quote_benchmarks import SAYING, quoted, with_seconds

BENCHMARKS = (ROOT / "BENCHMARKS.md").read_text()


@pytest.fixture
def copied(tmp_path):
    shutil.copytree(ROOT / "benchmarks" / "results", tmp_path / "benchmarks" / "results")
    return tmp_path


def store(root, name, result):
    (root / "benchmarks" / "results" / f"{name}.json").write_text(json.dumps(result))


def test_a_changed_figure_is_written_into_the_page_and_nothing_else_changes(copied):
    speed = json.loads(json.dumps(stored("speed")))
    rate = f"{speed['grade']['torch']:.0f} a second |\n"
    speed["grade"]["torch"] = 123456.0
    store(copied, "speed", speed)
    assert BENCHMARKS.count(rate) == 1
    assert quoted(BENCHMARKS, copied) == BENCHMARKS.replace(rate, "123456 a second |\n")


def test_seconds_in_a_sentence_are_those_that_are_stored_and_nothing_else_changes(copied):
    store(copied, "book", {"seconds": {"fresh": 61.6}})
    for path in SAYING:
        text = (ROOT / path).read_text()
        before, _, rest = text.partition("<!-- benchmarks.book, fresh -->")
        assert (
            with_seconds(text, copied)
            == f"{before}<!-- benchmarks.book, fresh -->62 s{rest[rest.index('<!-- end') :]}"
        )
        assert with_seconds(text, ROOT) == text, "run `make sync`"


def test_ratios_follow_from_the_stored_seconds(copied):
    rows = [
        {"grader": "this grader, ten cases", "submissions": 100, "seconds": 10},
        {"grader": "another", "submissions": 10, "seconds": 20},
        {"grader": "this grader, all it knows", "submissions": 100, "seconds": 40},
    ]
    store(copied, "graders", {"graders": rows})
    text = quoted(BENCHMARKS, copied)
    assert "| another | 10 | 20.0 | 30.0 | 20.0 × | 5.0 × |" in text
    assert "| this grader, all it knows | 100 | 40.0 | 150.0 | 4.0 × | 1.0 × |" in text


def test_a_row_holds_what_was_measured_and_no_count_of_today(copied):
    checks = json.loads(json.dumps(stored("checks")))
    checks["exercises"], checks["misconceptions"] = 71, {"made": 90, "rejected": 80, "named": 70}
    store(copied, "checks", checks)
    text = quoted(BENCHMARKS, copied)
    assert "; 71 exercises, each in MXNet" in text
    assert "| misconceptions, in both frameworks | 90 | | 80 | 70 |" in text


@pytest.mark.parametrize("name", QUOTES)
def test_a_page_without_a_place_for_the_figures_is_refused(name):
    text = BENCHMARKS.replace(f"benchmarks.{name}, written by", "nothing, written by")
    with pytest.raises(ToolError, match=f"for the figures of benchmarks.{name}"):
        quoted(text, ROOT)


@pytest.mark.parametrize("name", QUOTES)
def test_a_benchmark_prints_what_is_quoted_and_stores_what_it_printed(name, tmp_path, monkeypatch, capsys):
    (tmp_path / "benchmarks" / "results").mkdir(parents=True)
    monkeypatch.setattr(figures, "ROOT", tmp_path)
    result = stored(name, ROOT)
    report(name, result, keep=False)
    assert not list(tmp_path.rglob("*.json"))
    report(name, result, keep=True)
    printed = capsys.readouterr().out
    assert printed == f"\n{QUOTES[name](result)}\n" * 2
    new_result = stored(name, tmp_path)
    assert (
        QUOTES[name](new_result) == QUOTES[name](result)
        and new_result["command"] == f"python -m benchmarks.{name}"
    )


def test_a_table_aligns_numbers_to_the_right():
    assert table(["", "a"], [["x", "1"], ["y", ""]]) == "| | a |\n| --- | ---: |\n| x | 1 |\n| y | |"
