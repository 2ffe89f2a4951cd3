"""The speed beside nbgrader, a ratio within one run, does not fall by more than a tenth without a reason."""

import json
import subprocess

import pytest

from autograder.model.paths import ROOT

PLACE = "benchmarks/results/graders.json"
ALLOWED = 0.9
# A line of a commit's message, from the one on that stored the figures.
REASON = "Slower: "


def ratios(figures):
    """How many times the submissions of nbgrader each way of this grader grades in the same time."""
    seconds = {row["grader"]: row["seconds"] / row["submissions"] for row in figures["graders"]}
    (theirs,) = (each for name, each in seconds.items() if name.startswith("nbgrader"))
    return {name: theirs / each for name, each in seconds.items() if name.startswith("this grader")}


def fallen(before, now, messages):
    """What has become slower by more than a tenth, if no message says why."""
    if any(line.startswith(REASON) for text in messages for line in text.splitlines()):
        return {}
    pairs = {name: (old, ratios(now).get(name, 0)) for name, old in ratios(before).items()}
    return {name: pair for name, pair in pairs.items() if pair[1] < ALLOWED * pair[0]}


def git(*words):
    done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, encoding="utf-8")
    return done.stdout if done.returncode == 0 else ""


def test_the_stored_speed_has_not_fallen_without_a_reason():
    stored = (ROOT / PLACE).read_text(encoding="utf-8")
    commits = git("log", "--format=%H", "-n", "2", "--", PLACE).split()
    if len(commits) < 2:
        pytest.skip("the figures from before are in no history here: this is no checkout, or a shallow one")
    newest, older = commits
    is_committed = git("show", f"{newest}:{PLACE}") == stored
    before = git("show", f"{older if is_committed else newest}:{PLACE}")
    messages = git("log", "--format=%B%x00", f"{newest}^..HEAD").split("\0") if is_committed else []
    assert fallen(json.loads(before), json.loads(stored), messages) == {}, f"say why in a line {REASON!r}"


def figures(seconds, whole=2.0):
    rows = (("this grader, ten cases", seconds), ("this grader, all it knows", whole), ("nbgrader 0", 100.0))
    return {"graders": [{"grader": name, "submissions": 1, "seconds": each} for name, each in rows]}


def test_more_than_a_tenth_needs_a_reason():
    assert fallen(figures(1.0), figures(1.1), []) == {}
    assert fallen(figures(1.0), figures(1.2), ["grade: all is new\n\nIt does more."]) == {
        "this grader, ten cases": (100.0, pytest.approx(83.3, abs=0.1))
    }
    assert (
        fallen(figures(1.0), figures(1.2), ["grade: all is new\n\nSlower: it reads what it grades twice."])
        == {}
    )
    # A machine that is twice as slow for both says nothing.
    slow = figures(2.0, 4.0)
    slow["graders"][-1]["seconds"] *= 2
    assert fallen(figures(1.0), slow, []) == {}
