"""Exports: the columns that other systems read, and no surprise in any cell."""

import csv
import io
import json
import unicodedata

import pytest

from autograder.marks.exports.canvas import canvas
from autograder.marks.exports.gradescope import gradescope
from autograder.marks.exports.moodle import moodle
from autograder.marks.exports.plain import nbgrader, plain_csv, plain_json
from autograder.marks.exports.roster import Overwriting
from autograder.marks.gradebook import Gradebook
from autograder.marks.standing import one_learner, standing_in
from autograder.model.assignment import Assignment
from autograder.model.catalogue import all_exercises
from autograder.model.errors import UsageError
from autograder.model.results import SubmissionResult
from autograder.model.verdict import Difference
from autograder.read.learners import Layout, Names
from tests.support import finish, verdict


@pytest.fixture
def book(tmp_path):
    opened = Gradebook(tmp_path / "book")
    both = [verdict(outcome="accepted"), verdict("masked_softmax_or_zero", outcome="rejected")]
    opened.add(SubmissionResult("u101.py", "d1", None, both, 0.5, False), "all")
    opened.add(
        SubmissionResult(
            "u102/work.ipynb", "d2", None, [verdict(message="=cmd()|' /C calc'!A0")], 0.25, False
        ),
        "all",
    )
    opened.add(SubmissionResult("stranger.py", "d3", None, [], 0.25, False), "all")
    yield opened
    opened.close()


def rows(text):
    return list(csv.reader(io.StringIO(text)))


def write(path, table):
    path.write_text("\r\n".join(",".join(f'"{cell}"' for cell in row) for row in table) + "\r\n")
    return path


def test_plain_csv_has_a_row_for_everyone(book):
    table = rows(plain_csv(book).text)
    assert table[0] == [
        "learner",
        "masked_softmax",
        "masked_softmax_or_zero",
        "points",
        "possible",
        "practice",
        "remarks",
        "graded",
        "checks",
    ]
    one, two = table[0][1:3]
    assert [row[:7] for row in table[1:]] == [
        [
            "stranger",
            "",
            "",
            "0",
            "4",
            "",
            f"{one}: 0 of 2 (missing); {two}: 0 of 2 (missing). In all: 0 of 4.",
        ],
        ["u101", "2", "0", "2", "4", "", f"{one}: 2 of 2; {two}: 0 of 2. In all: 2 of 4."],
        ["u102", "0", "", "0", "4", "", f"{one}: 0 of 2; {two}: 0 of 2 (missing). In all: 0 of 4."],
    ]


@pytest.mark.parametrize("first", "=+-@\uff1d\uff0b\uff0d\uff20")
def test_no_name_is_a_formula(tmp_path, first):
    book = Gradebook(tmp_path / "book")
    book.add(SubmissionResult(f"{first}1+1.py", "d1", None, [verdict()], 0, False), "all")
    assert rows(plain_csv(book).text)[1][0] == f"'{first}1+1"


def test_plain_json_holds_every_verdict(book):
    learners = {row["learner"]: row for row in json.loads(plain_json(book).text)}
    assert [r["outcome"] for r in learners["u101"]["results"]] == ["accepted", "rejected"]


def test_canvas_gets_its_own_columns_back_with_one_filled_in(book, tmp_path):
    header = ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", "Attention (8123)", "Other (9)"]
    roster = write(tmp_path / "canvas.csv", [
        header,
        ["    Points Possible", "", "", "", "", "4", "10"],
        ["Last 101, First", "1", "s1", "u101", "A", "", "7"],
        ["Last 102, First", "2", "s2", "u102", "A", "1.5", "8"],
        ["Absent, First", "3", "s3", "u103", "A", "3", "9"],
    ])  # fmt: skip
    export = canvas(book, roster, "Attention", overwriting=Overwriting.replaced)
    table = rows(export.text)
    assert table[0] == header[:6]
    assert table[1] == ["    Points Possible", "", "", "", "", "4"]
    assert [row[5] for row in table[2:]] == ["2", "0", "3"]
    assert export.unmatched == ("stranger: no row has this name or number",)


def test_canvas_is_never_given_an_unknown_column(book, tmp_path):
    roster = write(tmp_path / "canvas.csv", [["Student", "ID", "Other (9)"], ["a", "1", "2"]])
    with pytest.raises(
        UsageError, match=r"would make a new assignment in Canvas\. Give its name there with --name"
    ):
        canvas(book, roster, "Attention")


def test_moodles_worksheet_is_scaled_and_other_rows_stay(book, tmp_path):
    header = ["Identifier", "Full name", "Email address", "Status", "Grade", "Maximum Grade",
              "Grade can be changed", "Last modified (grade)", "Feedback comments"]  # fmt: skip
    roster = write(tmp_path / "moodle.csv", [
        header,
        ["Participant 1", "One", "u101", "Submitted", "", "100", "Yes", "-", ""],
        ["Participant 2", "Two", "u102", "Submitted", "", "100", "Yes", "-", ""],
        ["Participant 9", "Nine", "nobody", "No submission", "55.00", "100", "Yes", "-", "kept"],
    ])  # fmt: skip
    export = moodle(book, roster)
    table = rows(export.text)
    assert table[0] == header
    assert [row[4] for row in table[1:]] == ["50.00", "0.00", "55.00"]
    assert "masked_softmax: accepted" in table[1][8] and table[3][8] == "kept"


def test_moodle_without_a_grade_column_is_refused(book, tmp_path):
    roster = write(tmp_path / "moodle.csv", [["Email address", "Feedback comments"], ["u101", ""]])
    with pytest.raises(UsageError, match="would wipe grades"):
        moodle(book, roster)


def test_nbgraders_columns_come_in_its_order(book):
    table = rows(nbgrader(book, "attention").text)
    assert ",".join(table[0]) == (
        "assignment,duedate,timestamp,student_id,last_name,first_name,email,raw_score,"
        "late_submission_penalty,score,max_score"
    )
    assert table[2] == ["attention", "", "", "u101", "", "", "", "2", "0", "2", "4"]


# The keys and values that Gradescope documents for results.json.
TOP = {"score", "execution_time", "output", "output_format", "test_output_format", "test_name_format",
       "visibility", "stdout_visibility", "extra_data", "tests", "leaderboard"}  # fmt: skip
TEST = {"score", "max_score", "status", "name", "name_format", "number", "output", "output_format", "tags",
        "visibility", "extra_data"}  # fmt: skip


def test_gradescope_gets_only_what_it_documents(book):
    who = next(who for who in standing_in(book).learners if who.name == "u101")
    report = json.loads(gradescope(who))
    assert set(report) <= TOP
    assert report["score"] == sum(test["score"] for test in report["tests"]) == 2
    for test in report["tests"]:
        assert set(test) <= TEST
        assert test["status"] in ("passed", "failed")
        assert test["visibility"] in ("hidden", "after_due_date", "after_published", "visible")
        assert test["output_format"] in ("text", "simple_format", "html", "md", "ansi")
    assert [test["status"] for test in report["tests"]] == ["passed", "failed"]


def test_no_cell_begins_a_formula(tmp_path):
    book = Gradebook(tmp_path / "book")
    for i, name in enumerate(("=1+1", "+1", "-1", "@x", "\t=1", "\u202e=1")):
        book.add(SubmissionResult(f"{name}/a.py", f"d{i}", None, [verdict()], 0.1, False), "all")
    for text in (plain_csv(book).text, nbgrader(book, "=2+2").text):
        for row in rows(text)[1:]:
            assert not any(cell.lstrip().startswith(("=", "+", "@")) for cell in row), row
        assert all(line.startswith('"') for line in text.strip().split("\r\n"))


def test_names_as_canvas_and_moodle_write_them_into_downloads_are_known(tmp_path):
    book = Gradebook(tmp_path / "book")
    files = ("lastfirst_101_98765_answer.py", "lastother_LATE_102_98766_answer.py")
    for i, name in enumerate(Names(tmp_path, Layout.canvas).of(file)[0] for file in files):
        book.add(SubmissionResult(name, f"c{i}", None, [verdict(outcome="accepted")], 0.5, False), "all")
    header = ["Student", "ID", "Attention (8123)"]
    roster = write(tmp_path / "canvas.csv", [header, ["Last, First", "101", ""], ["Last, Other", "102", ""]])
    export = canvas(book, roster, "Attention")
    assert [row[2] for row in rows(export.text)[1:]] == ["2", "2"] and export.unmatched == ()

    book = Gradebook(tmp_path / "other")
    (name,) = Names(tmp_path, Layout.moodle).of("First Last_777_assignsubmission_file_/a.py")
    book.add(SubmissionResult(name, "m", None, [verdict(outcome="accepted")]), "all")
    header = ["Identifier", "Grade", "Maximum Grade"]
    roster = write(
        tmp_path / "moodle.csv", [header, ["Participant 777", "", "2"], ["Participant 77", "-", "2"]]
    )
    export = moodle(book, roster)
    assert [row[1] for row in rows(export.text)[1:]] == ["2.00", "-"] and export.unmatched == ()


def test_gradescope_tells_the_wrong_idea_beside_an_untouched_stub(tmp_path):
    book = Gradebook(tmp_path / "book")
    stub = verdict(framework="mxnet", outcome="missing", message="Not written yet.")
    book.add(
        SubmissionResult(
            "one.ipynb", "d1", None, [stub, verdict(misconception="mask_after_softmax")], 0.5, False
        ),
        "all",
    )
    (who,) = standing_in(book).learners
    (test,) = json.loads(gradescope(who))["tests"]
    assert test["output"] == "A sentence." and test["extra_data"]["misconception"] == "mask_after_softmax"


def test_an_assignment_counts_its_own_exercises_whoever_handed_in_more(book):
    book.only = ("masked_softmax", "scaled_scores")
    table = rows(plain_csv(book).text)
    assert table[0][:4] == ["learner", "masked_softmax", "scaled_scores", "points"]
    most = str(sum(all_exercises()[name].points for name in book.only))
    assert [row[:6] for row in table[1:]] == [
        ["stranger", "", "", "0", most, ""], ["u101", "2", "", "2", most, ""], ["u102", "0", "", "0", most, ""],
    ]  # fmt: skip
    assert table[2][6] == f"masked_softmax: 2 of 2; scaled_scores: 0 of 1 (missing). In all: 2 of {most}."


def match_names(tmp_path, rows_of_roster, *names):
    """What `canvas` writes for learners of these names, and what it says of the others; there is one more."""
    book = Gradebook(tmp_path / "more")
    for i, name in enumerate((*names, "known")):
        book.add(SubmissionResult(f"{name}/a.py", f"m{i}", None, [verdict(outcome="accepted")]), "all")
    header, last_row = ["Student", "ID", "SIS Login ID", "Attention (1)"], ["", "99", "known", ""]
    roster = write(tmp_path / "canvas.csv", [header, *rows_of_roster, last_row])
    export = canvas(book, roster, "Attention", overwriting=Overwriting.replaced, scaled=False)
    book.close()
    *marks, last = [row[3] for row in rows(export.text)[1:]]
    assert last == "2"
    return marks, list(export.unmatched)


def test_a_roster_finds_learners_however_their_names_are_written(tmp_path):
    people = [["Pérez, José", "1", "jose", "9"], ["Straße, Ann", "2", "ann", "9"]]
    matches = match_names(tmp_path, people, unicodedata.normalize("NFD", "pérez, josé"), "ANN")
    assert matches == (["2", "2"], [])


def test_several_files_of_one_learner_are_one_row(tmp_path):
    files = ("smithjoe_4711_9001_part1.py", "smithjoe_LATE_4711_9002_part2.py")
    learners = [Names(tmp_path, Layout.canvas).of(file)[0].partition("/")[0] for file in files]
    assert match_names(tmp_path, [["Smith, Joe", "4711", "", ""]], *learners[:1]) == (["2"], [])
    assert learners[0] == learners[1]


def test_a_number_in_a_folders_name_is_nobodys_number(tmp_path):
    marks, unmatched = match_names(tmp_path, [["Smith, Joe", "3", "", "7"]], "group_3", "3 (Moodle 3)")
    assert marks == ["7"]
    assert unmatched == [f"{name}: no row has this name or number" for name in ("3 (Moodle 3)", "group_3")]


def test_where_nobody_can_say_whose_mark_it_is_none_is_written(tmp_path):
    twice = [["Lee, Ann", "1", "", "7"], ["Lee, Ann", "2", "", "8"]]
    marks, unmatched = match_names(tmp_path, twice, "Lee, Ann")
    assert marks == ["7", "8"] and "not the only learner, or the only row" in unmatched[0]
    (tmp_path / "more").unlink()
    marks, unmatched = match_names(tmp_path, twice[:1], "x (Canvas 1)", "y (Canvas 1)")
    assert (
        marks == ["7"] and len(unmatched) == 2 and all("not the only learner" in words for words in unmatched)
    )


def test_gradescope_is_told_of_practice(book):
    (who,) = (who for who in standing_in(book).learners if who.name == "u101")
    report = json.loads(gradescope(who, practice=True))
    assert report["output"].startswith("Practice: ") and report["extra_data"]["practice"] is True
    report = json.loads(gradescope(who))
    assert "Practice" not in report["output"] and report["extra_data"]["practice"] is False


def test_moodle_says_practice_in_its_comments(tmp_path):
    book = Gradebook(tmp_path / "book")
    book.add(SubmissionResult("u1.py", "d", None, [verdict(outcome="accepted")], 0.5, True), "all")
    roster = write(tmp_path / "moodle.csv", [["Full name", "Grade", "Feedback comments"], ["u1", "", ""]])
    with pytest.raises(UsageError, match="practice marks"):
        moodle(book, roster)
    (_, row) = rows(moodle(book, roster, practice=True).text)
    assert row[1] == "2.00" and row[2].startswith("Practice: ")
    roster = write(tmp_path / "canvas.csv", [["Student", "A (1)"], ["u1", ""]])
    with pytest.raises(UsageError, match="practice marks"):
        canvas(book, roster, "A")
    assert rows(canvas(book, roster, "A", practice=True).text)[1][1] == "2"
    book.close()


def test_every_export_counts_the_same_exercises_and_points(tmp_path):
    book = Gradebook(tmp_path / "book")
    points = {name: all_exercises()[name].points for name in ("masked_softmax", "scaled_scores")}
    book.begin("class", ["u1.py"], Assignment(points), practice=False)
    book.add(SubmissionResult("u1.py", "d", None, [verdict(outcome="accepted")], 0.5, False), "all")
    most = sum(points.values())
    assert rows(plain_csv(book).text)[1][1:5] == ["2", "", "2", f"{most:g}"]
    (who,) = json.loads(plain_json(book).text)
    assert (who["possible"], who["missing"]) == (most, ["scaled_scores"])
    assert rows(nbgrader(book, "a").text)[1][-1] == f"{most:g}"
    tests = json.loads(gradescope(standing_in(book).learners[0]))["tests"]
    assert [(t["score"], t["max_score"]) for t in tests] == list(zip((2, 0), points.values(), strict=True))
    assert "Nothing that was handed in defines it" in tests[1]["output"]
    roster = write(tmp_path / "c.csv", [["Student", "A (1)"], ["    Points Possible", ""], ["u1", ""]])
    assert [row[1] for row in rows(canvas(book, roster, "A").text)[1:]] == ["", "2"]
    roster = write(tmp_path / "m.csv", [["Full name", "Grade", "Maximum Grade"], ["u1", "", "100"]])
    assert rows(moodle(book, roster).text)[1][1] == f"{200 / most:.2f}"
    book.close()


def test_an_export_says_what_it_set_aside(book):
    book.begin("class", ["u101.py"], Assignment({"masked_softmax": 2.0}), practice=False)
    for export in (plain_csv(book), plain_json(book), nbgrader(book, "a")):
        assert [words.split(" is ")[0] for words in export.set_aside] == [
            "stranger.py", "u102/work.ipynb", "masked_softmax_or_zero"
        ]  # fmt: skip


def test_canvas_takes_nobody_for_its_row_of_points(tmp_path):
    marks, unmatched = match_names(tmp_path, [["    Points Possible", "", "", "9"]], "Points Possible")
    assert marks == ["9"] and unmatched == ["Points Possible: no row has this name or number"]


def test_gradescope_tells_why_there_is_nothing_to_grade():
    graded = [SubmissionResult("a.pdf", "d", "a.pdf is no notebook.", [], 0.12345)]
    results = json.loads(gradescope(one_learner(graded, Assignment.of(["masked_softmax"]))))
    assert (results["output"], results["execution_time"]) == ("a.pdf is no notebook.", 0)
    assert [(test["score"], test["max_score"]) for test in results["tests"]] == [(0, 2)]
    graded = [SubmissionResult("a.py", "d", None, [verdict()], 0.12345)]
    results = json.loads(gradescope(one_learner(graded, Assignment.of(["masked_softmax"]))))
    assert results["execution_time"] == 0.123 and results["output"].startswith("Each exercise says")
    results = json.loads(gradescope(one_learner([], Assignment({})), "Nothing could be graded."))
    assert (results["score"], results["output"], results["execution_time"]) == (
        0,
        "Nothing could be graded.",
        0,
    )


def test_feedback_holds_the_case_and_the_place_besides_the_message(tmp_path):
    """What a learner reads in Moodle and in Gradescope tells as much as the learner's own `check`."""
    book = Gradebook(tmp_path / "book")
    wrong = verdict(
        case="one length for each query",
        axis_lengths="batch 2",
        difference=Difference("weights", (0, 1), 0.5, 0.25),
    )
    result = SubmissionResult("u101.py", "w", None, [wrong], 0.5, False)
    book.add(result, "all")
    roster = write(
        tmp_path / "moodle.csv",
        [["Email address", "Grade", "Feedback comments"], ["u101", "", ""]],
    )
    place = "weights[0, 1]: got 0.5, expected 0.25"
    words = rows(moodle(book, roster).text)[1][2]
    assert f"A sentence. (case: one length for each query (batch 2); {place})" in words
    output = json.loads(gradescope(one_learner([result], Assignment.of(["masked_softmax"]))))["tests"][0][
        "output"
    ]
    assert output.split("\n") == ["A sentence.", "case: one length for each query (batch 2)", place]


def test_gradescope_numbers_the_exercises_from_one(book):
    (who,) = (who for who in standing_in(book).learners if who.name == "u101")
    assert [test["number"] for test in json.loads(gradescope(who))["tests"]] == ["1", "2"]


def test_moodle_says_who_has_no_row_apart_from_what_is_set_aside(book, tmp_path):
    book.begin("class", ["u101.py", "stranger.py"], Assignment({"masked_softmax": 2.0}), practice=False)
    finish(book)
    roster = write(tmp_path / "moodle.csv", [["Full name", "Grade"], ["u101", ""]])
    export = moodle(book, roster)
    assert export.unmatched == ("stranger: no row has this name or number",)
    assert [words.split(" is ")[0] for words in export.set_aside] == [
        "u102/work.ipynb",
        "masked_softmax_or_zero",
    ]
