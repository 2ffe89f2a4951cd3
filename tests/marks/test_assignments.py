"""An assignment's own points, frameworks and lateness, and what a person says: all in one rule of what counts."""

import csv
import io
import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from autograder.cli.output import print_table
from autograder.marks import gradebook
from autograder.marks.changes import changes, record
from autograder.marks.exports.canvas import canvas
from autograder.marks.exports.gradescope import gradescope
from autograder.marks.exports.moodle import moodle
from autograder.marks.exports.plain import nbgrader, plain_csv, plain_json
from autograder.marks.gradebook import Gradebook
from autograder.marks.overview import summaries
from autograder.marks.report import write_pages
from autograder.marks.standing import one_learner, standing_in, standing_of
from autograder.model.assignment import Assignment, LateRule
from autograder.model.errors import UsageError
from autograder.model.results import SubmissionResult
from tests.support import finish, verdict

DUE = datetime(2030, 1, 31, 12, tzinfo=UTC)
LATE = LateRule(DUE, timedelta(minutes=15), 10, DUE + timedelta(days=7))
POINTS = {"masked_softmax": 6.0, "scaled_scores": 4.0}
RULES = Assignment(POINTS, name="First", frameworks=("mxnet", "torch"), late=LATE)
HEADER = "learner,exercise,points,late_days,comment,date\n"


@pytest.fixture
def book(tmp_path):
    """A gradebook of an assignment of 10 points: ann has the first exercise right, bo both."""
    opened = Gradebook(tmp_path / "first.sqlite")
    begin(opened)
    keep(opened, "ann.py", right(), verdict("scaled_scores"))
    keep(opened, "bo.py", right(), right("scaled_scores"))
    yield opened
    opened.close()


def right(name="masked_softmax", **more):
    return verdict(name, outcome="accepted", **more)


def begin(book, rules=RULES, names=("ann.py", "bo.py")):
    book.begin("class", names, rules, practice=False)
    finish(book)


def keep(book, name, *verdicts, digest=None):
    book.add(SubmissionResult(name, digest or f"bytes of {name}", None, verdicts, 0.25, False), "all")


def beside(book, corrections="", times=""):
    for ending, text in (("corrections", corrections), ("times", times)):
        if text:
            (book.path.parent / f"first.{ending}.csv").write_text(text, encoding="utf-8")


def learner(book, name="ann"):
    (who,) = (who for who in standing_in(book).learners if who.name == name)
    return who


def rows(text):
    return list(csv.reader(io.StringIO(text)))


def row_of(pages, name):
    """The learner's row in the table of the class."""
    lines = (pages / "index.html").read_text().splitlines()
    (row,) = [line for line in lines if line.startswith("<tr><td>") and f">{name}</a></td>" in line]
    return row


def test_an_exercise_is_worth_what_the_assignment_says(book):
    assert (learner(book).points, learner(book, "bo").points) == (6, 10)
    assert [v.max_points for v in learner(book).marks] == [6, 4] and learner(book).possible == 10
    assert standing_in(book).possible == 10 and standing_in(book).assignment == RULES


def test_the_terminal_counts_by_the_same_rules():
    graded = [SubmissionResult("ann.py", "d", None, (right(), right("scaled_scores", framework="mxnet")))]
    only = Assignment(POINTS, frameworks=("torch",))
    assert standing_of(graded, only).learners[0].points == one_learner(graded, only).points == 6
    assert standing_of(graded, only).assignment == only and one_learner(graded, only).possible == 10


def test_an_answer_in_another_framework_does_not_count(book):
    begin(book, replace(RULES, frameworks=("mxnet",)))
    assert learner(book).points == 0 and learner(book).marks[0].outcome == "missing"
    keep(book, "ann.py", right(framework="mxnet"), digest="other")
    assert learner(book).points == 6


def test_where_both_frameworks_count_each_has_its_share(book):
    begin(book, replace(RULES, count="both"))
    who = learner(book, "bo")
    assert who.points == 5 and [v.outcome for v in who.marks] == ["missing", "missing"] and who.passed == 0
    assert who.marks[0].message == "Nothing that was handed in defines it in MXNet."
    keep(
        book,
        "bo.py",
        right(),
        right(framework="mxnet"),
        verdict("scaled_scores", framework="mxnet"),
        digest="2",
    )
    who = learner(book, "bo")
    assert who.points == 6 and [(v.outcome, v.points) for v in who.marks] == [
        ("accepted", 6),
        ("rejected", 0),
    ]
    assert who.marks[0].framework == "mxnet"
    keep(book, "bo.py", right("scaled_scores"), verdict("scaled_scores", framework="mxnet"), digest="3")
    mark = learner(book, "bo").marks[1]
    assert (mark.framework, mark.outcome, mark.points, mark.max_points) == ("mxnet", "rejected", 2, 4)


def test_of_several_files_the_best_counts_in_each_framework():
    both = Assignment({"masked_softmax": 6.0}, frameworks=("mxnet", "torch"), count="both")
    graded = [
        SubmissionResult(f"{i}.py", str(i), None, verdicts)
        for i, verdicts in enumerate(
            ([right(), verdict(framework="mxnet")], [verdict(), right(framework="mxnet")])
        )
    ]
    assert one_learner(graded, both).points == one_learner(graded[::-1], both).points == 6


def test_a_verdict_without_points_is_worth_nothing():
    lost = verdict(outcome="missing", max_points=0)
    who = one_learner([SubmissionResult("a.py", "d", None, [lost])], Assignment({"masked_softmax": 6.0}))
    assert (who.points, who.marks[0].max_points) == (0, 6)


@pytest.mark.parametrize(
    ("time", "points", "days"),
    [
        ("2030-01-31T12:15:00+00:00", 10, 0),
        ("2030-01-31T12:16:00+00:00", 9, 1),
        ("2030-02-02T12:00:00+00:00", 8, 2),
        ("2030-02-07T12:00:01+00:00", 0, 8),
    ],
)
def test_lateness_follows_from_the_time(book, time, points, days):
    beside(book, times=f"learner,time\nbo,{time}\n")
    who = learner(book, "bo")
    assert (who.points, who.earned, who.late_days) == (points, 10, days)
    assert bool(who.remarks) is bool(days)
    if days == 1:
        assert "1 day late: 1 of 10 points are taken off." in who.remarks[0]
        assert who.remarks[0].startswith(f"Handed in at {who.handed_in:%Y-%m-%d %H:%M}. ")
    if days == 8:
        assert who.remarks[0].endswith(f"What comes after {LATE.last:%Y-%m-%d %H:%M} counts nothing.")


def test_who_has_no_points_loses_none_by_lateness(book):
    beside(book, HEADER + "ann,,,2,,2030-02-10\nann,masked_softmax,0,,,2030-02-10\n")
    assert "2 days late." in learner(book).remarks


@pytest.mark.parametrize(
    ("export", "table", "penalty"),
    [
        (canvas, "Student,First (1)\nann,\nbo,\n", "a late policy of the course in Canvas"),
        (moodle, "Identifier,Full name,Grade\n,ann,\n,bo,\n", "a grade penalty of the assignment in Moodle"),
    ],
)
def test_an_export_says_that_lateness_may_cost_twice(book, tmp_path, export, table, penalty):
    (tmp_path / "table.csv").write_text(table)
    options = {"assignment": "First"} if export is canvas else {}
    assert "twice" not in " ".join(export(book, tmp_path / "table.csv", **options).notes)
    beside(book, times="learner,time\nbo,2030-02-01T12:00Z\n")
    sentences = " ".join(export(book, tmp_path / "table.csv", **options).notes)
    assert f"has taken points off 1 mark: if {penalty} takes some off too, lateness costs twice." in sentences


def test_without_a_late_rule_a_time_costs_nothing(book):
    begin(book, replace(RULES, late=None))
    beside(book, times="learner,time\nbo,2031-01-01 12:00\n")
    assert learner(book, "bo").points == 10 and learner(book, "bo").remarks == []
    assert standing_in(book).set_aside == ()


def test_of_several_times_the_latest_counts(book):
    lines = ["2030-02-01T12:00Z", "2030-02-02T12:00Z", "2030-01-31T12:00Z"]
    beside(book, times="learner,time\n" + "".join(f"bo,{line}\n" for line in lines))
    assert learner(book, "bo").late_days == 2


def test_the_same_bytes_handed_in_again_late_cost_nothing(tmp_path, monkeypatch):
    late = LateRule(datetime(2020, 1, 31, 12, tzinfo=UTC), per_cent=10)
    book = Gradebook(tmp_path / "first.sqlite")
    begin(book, replace(RULES, late=late), ["ann.py", "bo.py", "cy.py"])
    monkeypatch.setattr(gradebook, "now", lambda: "2020-01-30 12:00:00 UTC")
    keep(book, "ann.py", right(), right("scaled_scores"), digest="the same")
    keep(book, "bo.py", right(), digest="before")
    monkeypatch.setattr(gradebook, "now", lambda: "2020-02-03 12:00:00 UTC")
    keep(book, "bo.py", right(), right("scaled_scores"), digest="after")
    keep(
        book, "cy.py", right(), right("scaled_scores"), digest="the same"
    )  # a copy is no hand-in of one's own
    beside(
        book, times="learner,time\n" + "".join(f"{who},2020-02-02 12:00Z\n" for who in ("ann", "bo", "cy"))
    )
    assert [(who.late_days, who.points) for who in standing_in(book).learners] == [(0, 10), (2, 8), (2, 8)]
    book.close()


@pytest.mark.parametrize(("time", "points"), [("2030-02-05 12:00Z", 10), ("2030-02-06 12:00Z", 9), ("", 10)])
def test_a_learner_may_have_a_due_date_of_their_own(book, time, points):
    """The time after which nothing counts moves by as much."""
    beside(book, times=f"learner,time,due\nbo,{time},2030-02-05 12:00Z\nann,2030-02-02 12:00Z,\n")
    who = learner(book, "bo")
    assert who.points == points and who.remarks[0] == f"Due at {who.due:%Y-%m-%d %H:%M}, a date of its own."
    assert learner(book, "ann").late_days == 2
    beside(book, times="learner,time,due\nbo,2030-02-12 12:00Z,2030-02-05 12:00Z\n")
    assert learner(book, "bo").points == 3
    (book.path.parent / "first.times.own.csv").write_text("learner,due\nann,2030-02-09 12:00Z\n")
    assert learner(book).due == datetime(2030, 2, 9, 12, tzinfo=UTC) and learner(book, "bo").points == 3


def test_a_row_for_everybody_gives_points_to_all_who_have_no_row_of_their_own(book):
    beside(
        book,
        HEADER + "*,scaled_scores,4,,The question was broken.,2030-02-10\nbo,scaled_scores,3,,,2030-02-10\n",
    )
    ann, bo = standing_in(book).learners
    assert (ann.points, bo.points) == (10, 9) and "The question was broken." in ann.words_on("scaled_scores")[
        0
    ]
    beside(book, HEADER + "*,scaled_scores,4,,,\n*,scaled_scores,3,,,\n")
    (sentence,) = standing_in(book).unread
    assert "it gives points that first.corrections.csv, row 2, gives already" in sentence


@pytest.mark.parametrize(
    "time",
    ["Friday, 1 February 2030, 11:59 PM", "1 February 2030, 23:59", "Friday, February 1, 2030, 11:59 PM"],
)
def test_moodles_worksheet_gives_the_times(tmp_path, time):
    book = Gradebook(tmp_path / "first.sqlite")
    names = ["Ann B (Moodle 12)/a.py", "Bo C (Moodle 13)/a.py"]
    begin(book, names=names)
    for name in names:
        keep(book, name, right())
    text = f'Identifier,Full name,Last modified (submission)\nParticipant 12,Other,"{time}"\nParticipant 13,Bo C,-\n'
    beside(book, times=text)
    ann, bo = standing_in(book).learners
    assert ann.handed_in == datetime(2030, 2, 1, 23, 59).astimezone() and bo.handed_in is None
    book.close()


def test_who_has_no_time_is_named_and_counts_as_in_time(book):
    sentence = "When ann; bo handed in is not known, which counts as in time: first.times.csv may say it."
    assert standing_in(book).set_aside == (sentence,) and learner(book).late_days == 0
    beside(book, corrections=HEADER + "ann,,,0,,\n", times="learner,time\nbo,2030-01-01\n")
    assert standing_in(book).set_aside == ()
    for count, learners in ((3, "l0; l1; l2"), (4, "l0; l1; l2; and 1 more")):
        names = [f"l{i}.py" for i in range(count)]
        begin(book, names=names)
        for name in names:
            keep(book, name, right())
        assert f"When {learners} handed in" in standing_in(book).set_aside[-1]


def test_what_canvas_calls_late_is_said(book):
    name = "Ann (Canvas 12)/LATE_1_work.py"
    begin(book, names=[name, "bo.py"])
    keep(book, name, right())
    sentence = "Ann (Canvas 12) is late, as Canvas says; by how much is not known, and nothing is taken off."
    assert sentence in standing_in(book).set_aside
    beside(book, corrections=HEADER + "Ann,,,2,,\n")
    assert standing_in(book).learners[0].late_days == 2 and "Canvas" not in " ".join(
        standing_in(book).set_aside
    )


def test_a_person_sets_the_points_of_an_exercise(book):
    beside(book, HEADER + 'Ann,scaled_scores,3.5,,"The idea is right, the sign is not.",2030-02-10\n')
    who = learner(book)
    assert who.points == 9.5 and who.best["scaled_scores"].points == 0
    mark = who.marks[1]
    assert (mark.points, mark.outcome) == (3.5, "rejected") and who.passed == 1
    words = "Set by a person (2030-02-10): 3.5 points in place of 0. Comment (2030-02-10): The idea is right, the sign is not."
    assert mark.message == f"A sentence. {words}" and who.words_on("scaled_scores") == [words]
    assert who.words_on("masked_softmax") == [] and who.remarks == []
    # The class sees the answer on a slide; what a person says is for its learner alone.
    (mistake,) = next(s for s in summaries([who]) if s.exercise.name == "scaled_scores").mistakes
    assert mistake.example[1].message == "A sentence."


def test_a_person_gives_points_for_what_was_not_handed_in(book):
    keep(book, "ann.py", digest="empty")
    beside(book, HEADER + "ann,masked_softmax,6,,,2030-02-10\n")
    assert learner(book).points == 6
    assert learner(book).marks[0].message.endswith("Set by a person (2030-02-10): 6 points in place of 0.")


def test_a_person_may_say_several_things_of_one_exercise(book):
    beside(
        book,
        HEADER
        + "ann,scaled_scores,,,One,2030-02-10\nann,scaled_scores,1,,,2030-02-11\nann,scaled_scores,,,Two,2030-02-12\n",
    )
    assert learner(book).points == 7
    assert (
        learner(book).words_on("scaled_scores")[1] == "Set by a person (2030-02-11): 1 point in place of 0."
    )
    assert [words.split(" (")[0] for words in learner(book).words_on("scaled_scores")] == [
        "Comment", "Set by a person", "Comment"
    ]  # fmt: skip


def test_a_persons_days_stand_in_the_place_of_those_that_follow(book):
    beside(
        book, HEADER + "bo,,,0,Was ill.,2030-02-10\nann,,,1,,2030-02-10\n", "learner,time\nbo,2030-03-01\n"
    )
    assert (learner(book, "bo").points, learner(book).points) == (10, 5.4)
    remark = "Set by a person (2030-02-10): counted as 0 days late. Comment (2030-02-10): Was ill."
    assert learner(book, "bo").remarks == [remark]
    assert learner(book).remarks[0] == "1 day late: 0.6 of 6 points are taken off."


def test_a_persons_points_for_the_whole_come_last(book):
    beside(
        book,
        HEADER + "ann,,11,,Oral exam,2030-02-10\nann,masked_softmax,1,,,2030-02-10\nann,,,5,,2030-02-10\n",
    )
    who = learner(book)
    assert (who.points, who.earned, who.after_lateness, who.possible) == (11, 1, 0.5, 10)
    assert any("11 points in place of 0.5" in words for words in who.remarks)


def test_without_a_date_the_files_own_time_is_said(book):
    beside(book, HEADER + "ann,,,,Well done,\n")
    changed = datetime.fromtimestamp((book.path.parent / "first.corrections.csv").stat().st_mtime)
    assert learner(book).remarks == [f"Comment ({changed:%Y-%m-%d %H:%M}): Well done"]
    assert learner(book).points == 6


@pytest.mark.parametrize(
    "text",
    [
        "learner;exercise;points;comment\nann;scaled_scores;3,5;Well, well, well, well\n",
        "learner\texercise\tpoints\nANN\tscaled_scores\t3.5\n",
        '\ufefflearner,exercise,points\n\n ann , scaled_scores ,"3,5"\n,,\n',
    ],
)
def test_spreadsheets_of_all_kinds_are_read(book, text):
    beside(book, text)
    assert learner(book).points == 9.5


def test_rows_that_concern_nobody_are_said_and_do_not_count(book):
    begin(book, replace(RULES, late=None))
    beside(
        book,
        HEADER
        + "anne,,1,,,2030-02-10\nzzzzz,,1,,,2030-02-10\nbo,weights_after,,,Good,2030-02-10\n"
        + "bo,scaled_score,1,,,2030-02-10\n",
    )
    sentence = "first.corrections.csv, row {}, does not count: the {}"
    assert (
        standing_in(book).set_aside
        == standing_in(book).unread
        == (
            sentence.format(2, "gradebook has no learner 'anne'. Is it ann?"),
            sentence.format(3, "gradebook has no learner 'zzzzz'."),
            sentence.format(4, "assignment has no exercise 'weights_after'."),
            sentence.format(5, "assignment has no exercise 'scaled_score'. Is it scaled_scores?"),
        )
    )
    assert (learner(book).points, learner(book, "bo").points) == (6, 10)


def test_a_name_that_two_learners_have_is_nobodys(book):
    names = ["Ann (Canvas 1)/a.py", "Ann (Canvas 2)/a.py"]
    begin(book, replace(RULES, late=None), names)
    for name in names:
        keep(book, name, right())
    beside(book, HEADER + "Ann,,1,,,2030-02-10\n2,,3,,,2030-02-10\n")
    assert [who.points for who in standing_in(book).learners] == [6, 3]
    sentence = "row 2, does not count: 2 learners are called 'Ann': Ann (Canvas 1), Ann (Canvas 2)."
    assert sentence in standing_in(book).set_aside[-1]


WRONG = {
    ",,1,,,": "it must name a learner",
    "ann,scaled_scores,5,,,": "it must have a number from 0 to 4 in the column points, but has '5'.",
    "ann,scaled_scores,-1,,,": "from 0 to 4 in the column points, but has '-1'",
    "ann,,nan,,,": "must have a number from 0 on in the column points, but has 'nan'",
    f"ann,,{'9' * 400},,,": "must have a number from 0 on in the column points, but has '99",
    "ann,,inf,,,": "must have a number from 0 on in the column points, but has 'inf'",
    "ann,,,soon,,": "from 0 on in the column late_days, but has 'soon'",
    "ann,scaled_scores,,1,,": "must leave exercise empty where it has late_days",
    "ann,,,,,": "must have points, late_days or a comment",
    "ann,,1,,,soon": "has no date that is understood in 'soon'",
    "ann,,1,,Right, but late,2030-01-01": "it has more cells than there are columns",
    "bo,masked_softmax,1,,,": "gives points that first.corrections.csv, row 2, gives already: keep one of them",
    "bo,,,2,,": "gives late_days that first.corrections.csv, row 3, gives already",
    "anne,,1,,,": "the gradebook has no learner 'anne'. Is it ann?",
}


def test_all_mistakes_in_the_corrections_are_told_at_once_and_other_rows_count(book):
    beside(book, HEADER + "\n".join(["bo,masked_softmax,5,,,", "bo,,,0,,", *WRONG, "ann,,3,,,2030-01-01"]))
    unread = standing_in(book).unread
    assert len(unread) == len(WRONG)
    for number, (sentence, words) in enumerate(zip(unread, WRONG.values(), strict=True), 4):
        assert (
            sentence.startswith("first.corrections.csv, row ")
            and "does not count: " in sentence
            and words in sentence
        )
        # A row with a comma too much is told before the rows that can be understood.
        assert f"row {number}," in sentence or "more cells" in sentence
    assert (learner(book).points, learner(book, "bo").points) == (3, 9)


def test_rows_are_counted_as_a_spreadsheet_shows_them(book):
    beside(book, 'sep=;\r\nlearner;points;comment\r\nann;1;"two\r\nlines"\r\nanne;1;\r\n')
    (sentence,) = standing_in(book).unread
    assert sentence.startswith(
        "first.corrections.csv, row 3, does not count: the gradebook has no learner 'anne'"
    )


def test_columns_that_are_not_known_stop_every_command(book):
    beside(book, "name,mark\nann,1\n")
    with pytest.raises(
        UsageError, match=r"first.corrections.csv has the column 'name', where only learner, ex"
    ):
        standing_in(book)


def test_each_person_may_keep_a_table_of_corrections(book):
    beside(book, HEADER + "ann,scaled_scores,3,,,\n")
    folder = book.path.parent
    (folder / "first.corrections.ben.csv").write_text(
        HEADER + "bo,masked_softmax,1,,,\nann,scaled_scores,2,,,\n"
    )
    (folder / "first.corrections.csv.bak").write_text("nonsense")
    (folder / "first.correctionsold.csv").write_text("nonsense")
    (folder / "second.corrections.csv").write_text("nonsense")
    assert (learner(book).points, learner(book, "bo").points) == (9, 5)
    assert standing_in(book).unread == (
        "first.corrections.ben.csv, row 3, does not count: it gives points that first.corrections.csv, row 2, gives "
        "already: keep one of them.",
    )


def test_all_mistakes_in_the_times_are_told_and_other_rows_count(book):
    beside(book, times="learner,time\nann,tomorrow\nzoe,tomorrow\nbo,01.02.2030 14:00\nann,11/20/2030\n")
    form = "first.times.csv, row {}, does not count: it has no time that is understood in '{}': write it as"
    for sentence, words in zip(standing_in(book).unread, ((2, "tomorrow"), (5, "11/20/2030")), strict=True):
        assert sentence.startswith(form.format(*words))
    assert learner(book).handed_in is None
    assert learner(book, "bo").handed_in == datetime(2030, 2, 1, 14).astimezone()
    for text in ("01.02.2030 14:00:00", "1.2.2030 14:00"):
        beside(book, times=f"learner,time\nbo,{text}\n")
        assert learner(book, "bo").handed_in == datetime(2030, 2, 1, 14).astimezone()
    beside(book, times="learner,time\nbo,01.02.2030\n")
    assert learner(book, "bo").handed_in == datetime(2030, 2, 1).astimezone()


def test_times_without_the_columns_stop_every_command(book):
    for text, words in (
        ("learner,when\nann,1\n", "must have a column learner, Identifier"),
        ("who,time\nann,1\n", "ID number or Full name, and a column time or Last modified (submission): "),
        (
            "Vollständiger Name,Status\nann,1\n",
            "download a worksheet with Moodle set to English, or make a table",
        ),
    ):
        beside(book, times=text)
        with pytest.raises(UsageError) as raised:
            standing_in(book)
        assert words in str(raised.value)
    beside(book, times="learner,time\nzoe,tomorrow\nann,-\nann,\n")
    assert learner(book).handed_in is None


def test_a_file_beside_that_cannot_be_read_is_a_sentence(book):
    path = book.path.parent / "first.corrections.csv"
    path.mkdir()
    with pytest.raises(UsageError, match="cannot be read: Is a directory"):
        standing_in(book)


def test_a_persons_word_stands_on_the_page_and_in_every_export(book, tmp_path):
    beside(
        book,
        HEADER + "ann,scaled_scores,3,,Nearly!,2030-02-10\nann,,,,See me.,2030-02-11\n",
        "learner,time\nann,2030-02-01T12:00:00Z\nbo,2030-01-01\n",
    )
    write_pages(book, tmp_path / "pages")
    page = (tmp_path / "pages" / learner(book).page).read_text()
    remark = "Set by a person (2030-02-10): 3 points in place of 0. Comment (2030-02-10): Nearly!"
    for words in (remark, "Comment (2030-02-11): See me.", "1 day late: 0.9 of 9 points", "3 of 4 points."):
        assert words in page
    row = row_of(tmp_path / "pages", "ann")
    assert ">8.1<" in row and "See me." in row
    header, ann, bo = rows(plain_csv(book).text)
    assert header == ["learner", *POINTS, "points", "possible", "practice", "remarks", "graded", "checks"]
    assert (
        ann[1:5] == ["6", "3", "8.1", "10"] and f"scaled_scores: {remark}" in ann[6] and "See me." in ann[6]
    )
    assert bo[1:7] == [
        "6",
        "4",
        "10",
        "10",
        "",
        "masked_softmax: 6 of 6; scaled_scores: 4 of 4. In all: 10 of 10.",
    ]
    record = json.loads(plain_json(book).text)[0]
    assert (record["points"], record["earned"], record["late_days"]) == (8.1, 9, 1)
    assert [mark["points"] for mark in record["marks"]] == [6, 3] and record["remarks"] == learner(
        book
    ).remarks
    assert [c["comment"] for c in record["corrections"]] == ["Nearly!", "See me."]
    results = json.loads(gradescope(learner(book)))
    assert (
        results["score"] == 8.1 and "See me." in results["output"] and remark in results["tests"][1]["output"]
    )
    assert [test["score"] for test in results["tests"]] == [6, 3]
    table = rows(nbgrader(book, "First").text)
    assert table[1][1:3] == ["2030-01-31 12:00:00.000000", "2030-02-01 12:00:00.000000"]
    assert table[1][7:] == ["9", "0.9", "8.1", "10"] and table[2][8] == "0"
    roster = tmp_path / "moodle.csv"
    roster.write_text("Full name,Grade,Maximum Grade,Feedback comments\nann,,100,\n")
    row = rows(moodle(book, roster).text)[1]
    assert row[1] == "81.00" and remark in row[3] and "See me." in row[3]
    roster = tmp_path / "canvas.csv"
    roster.write_text("Student,A (1)\nann,\n")
    assert rows(canvas(book, roster, "A").text)[1][1] == "8.1"


def test_one_line_explains_a_mark_wherever_it_stands(book, tmp_path):
    """Points of each exercise, partial credit, lateness, and what a person said, by whom: what a learner may dispute."""
    begin(book, replace(RULES, late=LATE, partial={"gradients": 0.5}))
    keep(book, "ann.py", verdict(), verdict("scaled_scores", failed_stage="gradients"), digest="in part")
    beside(book, times=f"learner,time\nann,{(LATE.due + timedelta(hours=5)).isoformat()}\n")
    note = record(standing_in(book), "csv")
    table = book.path.with_name("first.corrections.ben.csv")
    table.write_text(HEADER + "ann,masked_softmax,3,,By heart.,2030-02-10\n")
    who = learner(book)
    assert who.explanation == (
        "masked_softmax: 3 of 6; scaled_scores: 2 of 4 (partial credit: 50 %). "
        "masked_softmax: Set by ben (2030-02-10): 3 points in place of 0. Comment by ben (2030-02-10): By heart. "
        f"{who.remarks[0]} In all: 4.5 of 10."
    )
    assert "1 day late: 0.5 of 5 points are taken off." in who.remarks[0]
    write_pages(book, tmp_path / "pages")
    assert who.explanation in (tmp_path / "pages" / who.page).read_text()
    assert who.explanation in row_of(tmp_path / "pages", "ann")
    assert rows(plain_csv(book).text)[1][6] == who.explanation
    assert changes(note, standing_in(book))[-1].explanation == who.explanation
    # No comment is cut off, and none is a part of the page.
    table.write_text(f"{HEADER}ann,masked_softmax,3,,{'word ' * 700}<b>end,2030-02-10\n")
    write_pages(book, tmp_path / "pages")
    assert "word &lt;b&gt;end Handed in" in (tmp_path / "pages" / who.page).read_text()


def test_a_long_message_cuts_off_no_comment(book, tmp_path):
    keep(book, "ann.py", verdict(message="A sentence. " * 50), digest="long")
    beside(book, HEADER + f"ann,masked_softmax,,,{'word ' * 80}end,2030-01-01\n")
    roster = tmp_path / "moodle.csv"
    roster.write_text("Full name,Grade,Feedback comments\nann,,\n")
    assert "word end scaled_scores: missing." in rows(moodle(book, roster).text)[1][2]


def test_a_mark_that_a_person_gave_for_nothing_is_no_empty_cell(book):
    keep(book, "ann.py", right(), digest="less")
    assert rows(plain_csv(book).text)[1][1:3] == ["6", ""]
    beside(book, HEADER + "ann,scaled_scores,,,Where is it?,2030-01-01\n")
    assert rows(plain_csv(book).text)[1][1:3] == ["6", ""]
    beside(book, HEADER + "ann,scaled_scores,0,,,2030-01-01\n")
    assert rows(plain_csv(book).text)[1][1:3] == ["6", "0"]


def test_the_class_page_shows_what_a_person_gave_for_nothing(book, tmp_path):
    keep(book, "ann.py", right(), digest="less")
    for correction, cell in (("", "–"), ("ann,scaled_scores,3,,,2030-01-01\n", "3")):
        beside(book, HEADER + correction)
        write_pages(book, tmp_path / "pages")
        row = row_of(tmp_path / "pages", "ann")
        assert f'title="missing">{cell}</td>' in row


def test_a_mark_leads_to_the_result_that_it_comes_from(book):
    first, second = verdict(), verdict()
    keep(book, "bo.py", first, second, right("scaled_scores", framework="mxnet"), digest="new")
    beside(book, HEADER + "bo,masked_softmax,3,,,2030-01-01\n")
    who = learner(book, "bo")
    for mark in who.marks:
        result = who.result_behind(mark)
        assert (result.verdict.exercise, result.verdict.framework) == (mark.exercise, mark.framework)
    keep(book, "bo.py", digest="nothing")
    assert [learner(book, "bo").result_behind(mark) for mark in learner(book, "bo").marks] == [None, None]


def test_the_page_says_what_is_missing_where_both_frameworks_count(book, tmp_path):
    begin(book, replace(RULES, count="both"))
    write_pages(book, tmp_path / "pages")
    page = (tmp_path / "pages" / learner(book, "bo").page).read_text()
    assert "3 of 6 points. Nothing that was handed in defines it in MXNet." in page


IDEA = {"failed_stage": "misconception", "misconception": "mask_after_softmax"}
SLOPES = {"failed_stage": "gradients"}


def points_of(rules, *verdicts):
    """The points of a learner by the file's rules, and what is said of the first exercise."""
    graded = [SubmissionResult("ann.py", "d", None, list(verdicts))]
    (who,) = standing_of(graded, rules).learners
    assert one_learner(graded, rules).points == who.points
    return who.points, who.marks[0].message


@pytest.mark.parametrize(
    ("partial", "wrong", "share"),
    [
        ({}, SLOPES, 0),
        ({}, IDEA, 0),
        ({"gradients": 0.5}, SLOPES, 0.5),
        ({"gradients": 0.5}, IDEA, 0),
        ({"gradients": 0.5}, {"failed_stage": "values"}, 0),
        ({"gradients": 0.5}, {"failed_stage": "gradients", "outcome": "error"}, 0),
        ({"ideas": {"mask_after_softmax": 0.25}}, IDEA, 0.25),
        ({"ideas": {"mask_after_softmax": 0.25}}, IDEA | {"misconception": "mask_ignored"}, 0),
        (
            {"ideas": {"mask_after_softmax": 0.25}},
            IDEA | {"misconception": "mask_after_softmax + mask_ignored"},
            0,
        ),
    ],
)
def test_what_is_nearly_right_gets_the_share_that_the_file_says(partial, wrong, share):
    rules = replace(RULES, partial=partial)
    points, note = points_of(rules, verdict(**wrong))
    assert points == 6 * share and (f"Partial credit: {100 * share:g} % of the points." in note) == bool(
        share
    )


def test_the_table_of_a_run_has_partial_credit_in_its_rows_too(capsys):
    rules = replace(RULES, partial={"gradients": 0.5})
    graded = [SubmissionResult("ann.py", "d", None, [verdict(**SLOPES)])]
    print_table(graded, standing_of(graded, rules))
    (row,) = (line for line in capsys.readouterr().out.splitlines() if line.split()[:1] == ["ann.py"])
    assert row.split()[-1] == "3/6", row


@pytest.mark.parametrize("share", [0, 0.25, 0.75])
def test_one_framework_alone_gets_its_share_and_never_less_than_before(share):
    both = replace(RULES, count="both")
    rules = replace(both, partial={"one_framework": share})
    for verdicts in ([right()], [right(), verdict(framework="mxnet")]):
        assert points_of(both, *verdicts)[0] == 3
        assert points_of(rules, *verdicts)[0] == max(3, 6 * share)
    assert points_of(rules, right(), right(framework="mxnet"))[0] == 6
    assert points_of(rules, verdict(), verdict(framework="mxnet"))[0] == 0


def test_of_several_files_the_one_with_the_share_counts_and_a_persons_word_comes_last(book, tmp_path):
    rules = replace(RULES, late=None, partial={"gradients": 0.5})
    begin(book, rules, ("ann/a.py", "ann/b.py"))
    keep(book, "ann/a.py", verdict(failed_stage="values"), digest="1")
    keep(book, "ann/b.py", verdict(**SLOPES), digest="2")
    (who,) = [who for who in standing_in(book).learners if who.name == "ann"]
    assert who.points == 3 and who.result_behind(who.judged[0]).submission == "ann/b.py" and who.passed == 0
    (tmp_path / "first.corrections.csv").write_text(f"{HEADER}ann,masked_softmax,1,,,2030-01-01\n")
    (who,) = [who for who in standing_in(book).learners if who.name == "ann"]
    assert who.points == 1
