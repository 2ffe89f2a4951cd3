"""What a job of GitHub Actions says: points and words, and nothing that GitHub would take for an order."""

import pytest

from autograder.marks.exports.classroom import command, summary
from autograder.marks.standing import one_learner
from autograder.model.assignment import Assignment
from autograder.model.results import SubmissionResult
from tests.support import verdict


def learner(*verdicts, problem=None, practice=False):
    result = SubmissionResult("work.py", "bytes", problem, verdicts, practice=practice)
    return one_learner([result], Assignment.of(["masked_softmax", "scaled_scores"]))


def test_the_table_has_a_row_for_each_exercise_of_the_assignment():
    lines = summary(learner(verdict(outcome="accepted"))).splitlines()
    assert lines[0] == "## 2 of 3 points" and lines[2:4] == [
        "| exercise | outcome | points | |",
        "| --- | --- | ---: | --- |",
    ]
    assert lines[4] == "| Softmax over the valid keys | accepted | 2 of 2 | A sentence. |"
    assert (
        lines[5].startswith("| Every query with every key | missing | 0 of 1 | Nothing ") and len(lines) == 6
    )


def test_problems_and_practice_are_said_above_the_table():
    who = learner(problem="work.py is not UTF-8.")
    assert summary(who, "Nothing came.").splitlines()[2:5:2] == ["Nothing came.", "work.py is not UTF-8."]
    assert "Practice" not in summary(learner(verdict()))
    line = summary(learner(verdict(), practice=True)).splitlines()[2]
    assert line == "Practice\\: the full lock was not required, so no mark is official."


@pytest.mark.parametrize(
    "words", ["<b>bold</b>", "a | b", "`code`", "[text](place)", "::notice::x", "@all #1"]
)
def test_words_of_a_learner_are_shown_as_they_stand(words):
    (line,) = [s for s in summary(learner(verdict(message=words))).splitlines() if "rejected" in s]
    cell = line.split(" | ")[-1].removesuffix(" |") if words != "a | b" else "a \\| b"
    assert cell in line and "::" not in line
    assert cell.replace("\\", "") == words and cell != words


def test_an_annotation_is_one_line():
    assert command("notice", "A title", "50 %\r\nmore") == "::notice title=A title::50 %25%0D%0Amore"
