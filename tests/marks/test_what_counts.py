"""What counts is what the last run found: its files, its exercises, its grader; practice never in its place."""

import sqlite3
import unicodedata
from dataclasses import replace
from pathlib import Path

import pytest

from autograder.grade.run import GradeOptions
from autograder.marks import check_versions
from autograder.marks.check_versions import version_now
from autograder.marks.exports.plain import nbgrader, plain_csv
from autograder.marks.gradebook import Gradebook
from autograder.marks.overview import summaries
from autograder.marks.report import write_pages
from autograder.marks.standing import standing_in, standing_of
from autograder.model.assignment import Assignment
from autograder.model.catalogue import all_exercises
from autograder.model.errors import UsageError
from autograder.model.results import ExerciseResult, SubmissionResult, identity
from tests.classes import RUN, grade
from tests.support import LATE, RIGHT, verdict

POINTS = {"masked_softmax": 2.0, "masked_softmax_or_zero": 2.0}


@pytest.fixture
def book(tmp_path):
    opened = Gradebook(tmp_path / "book")
    yield opened
    opened.close()


def keep(book, name, *verdicts, practice=False, digest=None, scope="all"):
    graded = SubmissionResult(name, digest or f"bytes of {name}", None, verdicts, 0.25, practice)
    book.add(graded, f"{scope} practice={practice}")


def run(book, *names, points=POINTS, is_selection=True, practice=False, folder="class"):
    book.begin(folder, names, Assignment(points, is_selection), practice)


def marks(book):
    return {who.name: who.points for who in standing_in(book).learners}


def accepted(name="masked_softmax", **more):
    return verdict(name, outcome="accepted", **more)


def test_a_deleted_and_a_renamed_file_count_no_more_and_are_kept(book):
    run(book, "ann/a.py", "ann/late.py", "bo.py")
    keep(book, "ann/a.py", verdict())
    keep(book, "ann/late.py", accepted())
    keep(book, "bo.py", accepted())
    assert marks(book) == {"ann": 2, "bo": 2} and standing_in(book).set_aside == ()
    run(book, "ann/a.py", "robert.py")
    book.make_current("robert.py", "bytes of bo.py")
    assert marks(book) == {"ann": 0, "robert": 2}
    assert [words.partition(" is")[0] for words in standing_in(book).set_aside] == ["ann/late.py", "bo.py"]
    assert book._rows("select count(*) from results") == [(3,)]
    run(book, "ann/a.py", "ann/late.py", "bo.py")
    assert marks(book) == {"ann": 2, "bo": 2}


def newer_taken_back(book, **more):
    """The first bytes, the second ones, and the first ones again."""
    both = (accepted(), verdict("masked_softmax_or_zero"))
    for digest, verdicts in (("first", [verdict()]), ("second", both)):
        run(book, "ann.py", "bo.py", **more)
        keep(book, "ann.py", *verdicts, digest=digest, practice=more.get("practice", False))
    book.make_current("ann.py", "first")


NEWER = ("A newer ann.py is no longer handed in: its results are kept, and do not count.",)


def test_a_newer_file_that_is_taken_back_counts_no_more_and_is_told(book):
    newer_taken_back(book)
    keep(book, "bo.py", accepted(), digest="second")
    assert marks(book) == {"ann": 0, "bo": 2} and standing_in(book).set_aside == NEWER
    keep(book, "ann.py", verdict(), digest="first", scope="more")  # graded again: nothing else came in
    assert standing_in(book).set_aside == NEWER
    book.make_current("ann.py", "second")
    assert marks(book) == {"ann": 2, "bo": 2} and standing_in(book).set_aside == ()
    keep(book, "ann.py", verdict(), digest="first")
    assert marks(book) == {"ann": 0, "bo": 2} and standing_in(book).set_aside == NEWER
    keep(book, "ann.py", verdict(), digest="third")
    assert standing_in(book).set_aside == ()


def test_what_is_newer_for_others_was_not_taken_back(book):
    """Somebody hands in what another has handed in before: it is new here, and what was here is older."""
    run(book, "ann.py", "bo.py")
    keep(book, "bo.py", verdict(), digest="first")
    keep(book, "ann.py", accepted(), digest="second")
    book.make_current("ann.py", "first")
    assert marks(book) == {"ann": 0, "bo": 0} and standing_in(book).set_aside == ()


def test_what_was_taken_back_is_told_once_and_with_results_alone(book):
    newer_taken_back(book)
    book.add(SubmissionResult("bo.py", "read", None, (verdict(),)), "all")
    book.add(SubmissionResult("bo.py", "unread", "bo.py is not UTF-8."), "all")
    book.make_current("bo.py", "read")
    assert standing_in(book).set_aside == NEWER
    run(book, "bo.py")
    assert standing_in(book).set_aside == (NEWER[0].replace("A newer ann", "ann"),)


def test_practice_that_was_taken_back_is_told_among_practice(book):
    newer_taken_back(book, practice=True)
    assert standing_in(book).set_aside == NEWER
    run(book, "ann.py", "bo.py")
    keep(book, "ann.py", verdict(), digest="first")
    assert standing_in(book).set_aside == ("Of practice, 3 results are kept, and do not count.",)


def test_a_problem_of_a_file_that_is_gone_is_nobodys(book):
    run(book, "ann/a.py", "ann/b.py")
    keep(book, "ann/a.py", accepted())
    book.add(SubmissionResult("ann/b.py", "broken", "ann/b.py is not UTF-8."), "all")
    assert standing_in(book).learners[0].problems == ["ann/b.py is not UTF-8."]
    run(book, "ann/a.py")
    assert standing_in(book).learners[0].problems == []


def test_another_folder_of_the_same_class_stays(book):
    run(book, "ann.py", folder="first")
    keep(book, "ann.py", accepted())
    run(book, "bo.py", folder="second")
    keep(book, "bo.py", accepted())
    assert marks(book) == {"ann": 2, "bo": 2}
    run(book, folder="second")
    assert marks(book) == {"ann": 2}


def test_a_version_that_was_withdrawn_counts_no_more(book, monkeypatch):
    def by(version, points):
        monkeypatch.setattr(check_versions, "version_of", lambda name: version)
        run(book, "ann.py", points={"masked_softmax": points})
        if not book.is_finished("bytes of ann.py", "all practice=False"):
            keep(book, "ann.py", accepted(points=points, max_points=points))
        (who,) = standing_in(book).learners
        return who.points, who.possible

    assert by("1", 2.0) == (2, 2)
    assert by("2", 5.0) == (5, 5)
    assert by("1", 2.0) == (2, 2)
    assert "a version of the check that was withdrawn, 1 results" in standing_in(book).set_aside[0]
    assert by("3", 3.0) == (3, 3) and standing_in(book).set_aside == ()


def test_what_the_withdrawn_version_alone_had_accepted_counts_no_more(book, monkeypatch):
    for version, verdicts in (("1", [verdict()]), ("2", [verdict(), accepted(framework="mxnet")])):
        monkeypatch.setattr(check_versions, "version_of", lambda name, version=version: version)
        run(book, "ann.py")
        keep(book, "ann.py", *verdicts)
    assert marks(book) == {"ann": 2}
    monkeypatch.setattr(check_versions, "version_of", lambda name: "1")
    run(book, "ann.py")
    assert marks(book) == {"ann": 0}


def test_a_run_that_was_stopped_keeps_the_marks_of_the_one_before(book, monkeypatch):
    run(book, "ann.py")
    keep(book, "ann.py", accepted())
    monkeypatch.setattr(check_versions, "version_of", lambda name: "newer")
    run(book, "ann.py")
    assert marks(book) == {"ann": 2}
    keep(book, "ann.py", verdict())
    assert marks(book) == {"ann": 0}


def test_bytes_in_which_the_new_grader_finds_nothing_have_no_mark(book, monkeypatch):
    run(book, "ann.py")
    keep(book, "ann.py", accepted())
    monkeypatch.setattr(check_versions, "version_of", lambda name: "newer")
    run(book, "ann.py")
    keep(book, "ann.py")
    assert marks(book) == {"ann": 0}


def test_practice_on_official_marks_is_refused_and_changes_nothing(book):
    run(book, "ann.py")
    keep(book, "ann.py", accepted())
    with pytest.raises(UsageError, match="holds official marks"):
        run(book, practice=True)
    assert marks(book) == {"ann": 2} and not standing_in(book).practice


def test_an_official_run_takes_the_place_of_practice(book):
    run(book, "ann.py", practice=True)
    keep(book, "ann.py", accepted(), practice=True)
    assert marks(book) == {"ann": 2} and standing_in(book).practice
    run(book, "ann.py")
    keep(book, "ann.py", verdict())
    assert marks(book) == {"ann": 0} and not standing_in(book).practice
    assert standing_in(book).set_aside == ("Of practice, 1 results are kept, and do not count.",)


def test_official_marks_count_in_an_older_gradebook_that_holds_both(book):
    keep(book, "ann.py", accepted())
    keep(book, "ann.py", verdict(), practice=True)
    assert marks(book) == {"ann": 2} and not standing_in(book).practice


def test_a_gradebook_of_the_former_version_opens(tmp_path):
    book = Gradebook(tmp_path / "book")
    keep(book, "ann.py", accepted())
    book.connection.execute("drop table present")
    book.close()
    book = Gradebook(tmp_path / "book")
    assert marks(book) == {"ann": 2} and standing_in(book).possible == 2
    book.close()


def test_everybody_is_measured_by_the_assignment(book, tmp_path):
    run(book, "ann.py", "bo.py", "cy/")
    keep(book, "ann.py", accepted(), accepted("scaled_scores"))
    book.add(SubmissionResult("cy/", "cy", "cy/ holds no notebook."), "all")
    keep(book, "bo.py")
    standing = standing_in(book)
    assert list(standing.exercises) == list(POINTS) and standing.possible == 4
    assert [(who.name, who.points, who.possible, who.passed) for who in standing.learners] == [
        ("ann", 2, 4, 1), ("bo", 0, 4, 0), ("cy", 0, 4, 0)
    ]  # fmt: skip
    assert [v.outcome for v in standing.learners[0].marks] == ["accepted", "missing"]
    assert standing.set_aside == (
        "scaled_scores is no exercise of the last run: its results are kept, and do not count.",
    )
    write_pages(book, tmp_path / "pages")
    for who in standing.learners:
        page = (tmp_path / "pages" / who.page).read_text()
        assert f"{who.passed} of 2 passed, {who.points:g} of 4 points" in page
        assert page.count("Missing: nothing that was handed in") == 2 - who.passed
    assert "of 4, from 0 to 2." in (tmp_path / "pages" / "index.html").read_text()


def test_an_exercise_that_is_worth_something_else_now_counts_as_it_was_graded(book):
    run(book, "ann.py", points={"masked_softmax": 7.0})
    keep(book, "ann.py", accepted(points=7.0, max_points=7.0))
    (who,) = standing_in(book).learners
    assert (who.points, who.possible) == (7, 7)


def test_without_named_exercises_what_somebody_attempted_is_the_assignment(book):
    everything = {name: e.points for name, e in all_exercises().items()}
    run(book, "ann.py", "bo.py", points=everything, is_selection=False)
    keep(book, "ann.py", accepted())
    keep(book, "bo.py", verdict("scaled_scores"))
    assert sorted(standing_in(book).exercises) == ["masked_softmax", "scaled_scores"]
    assert not Assignment.of(everything).is_selection and Assignment.of(list(everything)[1:]).is_selection


def test_an_exercise_that_the_course_no_longer_has_is_set_aside(book):
    run(book, "ann.py", points={"masked_softmax": 2.0, "gone": 5.0}, is_selection=False)
    keep(book, "ann.py", accepted(), accepted("gone"))
    assert marks(book) == {"ann": 2} and "gone is no exercise" in standing_in(book).set_aside[0]


def test_one_learner_however_the_name_is_written(book):
    run(book, *(names := [unicodedata.normalize("NFD", "José/a.py"), "josé/b.py", "JOSÉ.py", "Jose.py"]))
    for name in names:
        keep(book, name, accepted("masked_softmax" if "a.py" in name else "masked_softmax_or_zero"))
    assert marks(book) == {"Jose": 2, "JOSÉ": 4}
    assert identity("ÄRZTE") == identity("ärzte") == identity("a\u0308rzte ")
    for one, other in (("STRASSE", "straße"), ("ﬁn", "fin"), ("İ", "i̇"), ("ß", "ss")):
        assert identity(one) != identity(other)


def test_two_learners_never_share_a_page(book):
    """Both begin with the same six hex digits of SHA-256, by which the pages were told apart."""
    names = ["bob!+!$ ]].py", "bob.py", "bob!.py"]
    run(book, *names)
    for name in names:
        keep(book, name, verdict())
    pages = [who.page for who in standing_in(book).learners]
    assert len(set(pages)) == 3 and all(len(page.rpartition("-")[2]) == len(".html") + 32 for page in pages)


def test_the_terminal_counts_as_the_gradebook_does(book):
    graded = [
        SubmissionResult("ann/a.py", "1", None, (verdict(), accepted("scaled_scores"))),
        SubmissionResult("Ann/b.py", "2", None, (accepted(),)),
        SubmissionResult("bo.py", "3", "bo.py is not UTF-8."),
    ]
    run(book, *(result.name for result in graded))
    for result in graded:
        book.add(result, "all")
    assert standing_of(graded[::-1], Assignment(POINTS)).learners == standing_in(book).learners
    assert standing_of(graded, Assignment(POINTS)).exercises == standing_in(book).exercises
    # Where no exercise was named, those count that somebody handed in.
    worth = {name: all_exercises()[name].points for name in ("masked_softmax", "scaled_scores")}
    assert standing_of(graded, Assignment.of(all_exercises())).exercises == worth
    assert (
        not standing_of(graded, Assignment({})).practice
        and standing_of([replace(graded[0], practice=True)], Assignment({})).practice
    )


def test_practice_marks_need_a_word_to_be_written_into_a_column(book):
    run(book, "ann.py", practice=True)
    keep(book, "ann.py", accepted(), practice=True)
    with pytest.raises(UsageError, match="These are practice marks"):
        nbgrader(book, "attention")
    assert "attention (practice)" in nbgrader(book, "attention", practice=True).text
    assert plain_csv(book).text.splitlines()[1].split(",")[5] == '"practice"'


def test_a_run_notes_what_it_found(tmp_path):
    """From the files to the marks: a deleted file, a practice run, and named exercises."""
    folder = tmp_path / "class"
    folder.mkdir()
    (folder / "ann.py").write_text(RIGHT)
    (folder / "bo.py").write_text(LATE)
    grade(folder, tmp_path / "book")
    (folder / "bo.py").unlink()
    grade(folder, tmp_path / "book")
    with pytest.raises(UsageError, match="holds official marks"):
        grade(folder, tmp_path / "book", replace(RUN, practice=True))
    book = Gradebook(tmp_path / "book")
    standing = standing_in(book)
    assert [(who.name, who.points, who.possible) for who in standing.learners] == [("ann", 2, 4)]
    assert list(standing.exercises) == list(RUN.assignment.exercises) and len(standing.set_aside) == 1
    book.close()
    assert isinstance(RUN, GradeOptions)


def test_a_damaged_gradebook_is_a_sentence_in_every_question(tmp_path):
    book = Gradebook(tmp_path / "book")
    sqlite3.connect(tmp_path / "book").execute("drop table results")
    for ask in (book.results, book.is_official, book.set_aside):
        with pytest.raises(UsageError, match="cannot be used"):
            ask()
    book.close()


def test_what_the_new_grader_found_counts_though_it_is_to_be_tried_again(book, monkeypatch):
    run(book, "ann.py")
    keep(book, "ann.py", accepted())
    monkeypatch.setattr(check_versions, "version_of", lambda name: "newer")
    run(book, "ann.py")
    book.add(SubmissionResult("ann.py", "bytes of ann.py", None, [verdict("scaled_scores")]), None)
    assert marks(book) == {"ann": 0}


def test_each_thing_is_set_aside_once(book, monkeypatch):
    for version in ("1", "2"):
        monkeypatch.setattr(check_versions, "version_of", lambda name, version=version: version)
        run(book, "ann.py", "bo.py", "cy.py")
        for name in ("ann.py", "bo.py"):
            more = [accepted(framework="mxnet"), accepted("masked_softmax_or_zero")] if version == "2" else []
            keep(book, name, accepted(), *more, digest="same")
        keep(book, "cy.py", accepted(), digest=f"cy {version}")
    monkeypatch.setattr(check_versions, "version_of", lambda name: "1")
    run(book, "ann.py", "bo.py")
    assert standing_in(book).set_aside == (
        "cy.py is no longer handed in: its results are kept, and do not count.",
        "Of a version of the check that was withdrawn, 3 results are kept, and do not count.",
    )


def test_a_page_is_named_after_its_learner(book):
    run(book, "Ann Lee!.py")
    keep(book, "Ann Lee!.py", verdict())
    assert standing_in(book).learners[0].page.startswith("Ann-Lee-")


def test_bytes_that_come_back_are_current_whatever_is_asked_of_them(book):
    """Handed in, replaced, and handed in again; by then another exercise is graded."""
    keep(book, "ann.py", accepted(), digest="first")
    keep(book, "ann.py", verdict(), digest="second")
    assert marks(book) == {"ann": 0}
    keep(book, "ann.py", verdict("scaled_scores"), digest="first", scope="another exercise")
    assert marks(book) == {"ann": 2}


def test_a_file_belongs_to_the_folder_in_which_it_was_found_last(book):
    for folder in ("first", "second"):
        run(book, "ann.py", folder=folder)
    keep(book, "ann.py", accepted())
    run(book, "bo.py", folder="first")
    assert marks(book) == {"ann": 2, "bo": 0} and standing_in(book).set_aside == ()


def test_what_a_stopped_run_has_not_graded_yet_is_not_set_aside(book, monkeypatch):
    for version, names in (("1", ["bo.py"]), ("2", ["ann.py"])):
        monkeypatch.setattr(check_versions, "version_of", lambda name, version=version: version)
        run(book, "ann.py", "bo.py")
        keep(book, names[0], accepted())
    monkeypatch.setattr(check_versions, "version_of", lambda name: "1")
    run(book, "ann.py", "bo.py")
    assert marks(book) == {"ann": 2, "bo": 2} and standing_in(book).set_aside == ()


@pytest.mark.parametrize(
    "graded",
    [
        (
            ("1", "bo.py", "masked_softmax"),
            ("2", "ann.py", "masked_softmax"),
            ("1", "ann.py", "scaled_scores"),
        ),
        (
            ("1", "ann.py", "scaled_scores"),
            ("2", "ann.py", "masked_softmax"),
            ("1", "ann.py", "masked_softmax"),
        ),
    ],
    ids=["older than what counts", "replaced since"],
)
def test_a_withdrawn_version_is_told_only_of_what_is_newer_and_not_replaced(book, monkeypatch, graded):
    for version, name, exercise in graded:
        monkeypatch.setattr(check_versions, "version_of", lambda name, version=version: version)
        run(book, "ann.py", "bo.py", points={"masked_softmax": 2.0, "scaled_scores": 1.0})
        keep(book, name, accepted(exercise))
    assert standing_in(book).set_aside == ()


def test_of_a_withdrawn_version_nothing_is_told_before_the_run_has_graded(book, monkeypatch):
    """Its checks have graded another exercise of ann, and nobody but bo since."""
    of = {"masked_softmax": "1", "scaled_scores": "1"}
    monkeypatch.setattr(check_versions, "version_of", lambda name: of.get(name, "0"))
    for version, name, exercise in (
        ("1", "ann.py", "scaled_scores"),
        ("2", "ann.py", "masked_softmax"),
        ("3", "bo.py", "masked_softmax"),
    ):
        of["masked_softmax"] = version
        run(book, "ann.py", "bo.py", points={"masked_softmax": 2.0, "scaled_scores": 1.0})
        keep(book, name, accepted(exercise))
    assert standing_in(book).set_aside == ()
    keep(book, "ann.py", accepted("scaled_scores"))
    assert [words.split(",")[0] for words in standing_in(book).set_aside] == [
        "Of a version of the check that was withdrawn"
    ]


def test_an_exercise_that_is_gone_is_no_withdrawn_version(book, monkeypatch):
    monkeypatch.setattr(check_versions, "version_of", lambda name: "1")
    run(book, "ann.py", points={**POINTS, "gone": 1.0})
    monkeypatch.setattr(check_versions, "version_of", lambda name: "2")
    run(book, "ann.py")
    keep(book, "ann.py", accepted())
    keep(book, "ann.py", replace(accepted(), exercise="gone"))
    assert standing_in(book).set_aside == ()


def test_each_place_of_what_counts_is_told_once(book):
    run(book, "ann.py", "bo.py", folder="second")
    run(book, "cy.py", folder="first")
    assert book.folders() == [Path("first"), Path("second")]


def test_practice_alone_is_not_set_aside(book):
    run(book, "ann.py", practice=True)
    keep(book, "ann.py", accepted(), practice=True)
    assert standing_in(book).set_aside == ()


def test_what_is_finished_is_these_bytes_by_this_grader_for_these_exercises(book, monkeypatch):
    book.add(SubmissionResult("ann.py", "one", None, [verdict()]), "all")
    assert book.is_finished("one", "all")
    assert not book.is_finished("two", "all") and not book.is_finished("one", "others")
    book.add(SubmissionResult("bo.py", "two", None, [verdict()]), None)
    assert not book.is_finished("two", "all")
    monkeypatch.setattr(check_versions, "version_of", lambda name: "newer")
    assert not book.is_finished("one", "all")


def test_what_is_known_of_some_bytes_is_what_this_grader_found(book, monkeypatch):
    verdicts = (accepted(), verdict("scaled_scores", framework="mxnet"))
    keep(book, "ann.py", *verdicts, digest="one", practice=True)
    keep(book, "bo.py", verdict(), digest="two")
    results = book.results_of("one")
    assert all(r.version == version_now(r.verdict.exercise) and r.graded_at.endswith(" UTC") for r in results)
    plain = [replace(r, version="", graded_at="") for r in results]
    assert plain == [ExerciseResult("", "one", v, 0.25, True) for v in verdicts]
    book.add(SubmissionResult("cy.py", "three", "cy.py is not UTF-8."), "all")
    assert (
        book.problem_of("three", "cy.py") == "cy.py is not UTF-8."
        and book.problem_of("one", "ann.py") is None
    )
    monkeypatch.setattr(check_versions, "version_of", lambda name: "newer")
    assert book.results_of("one") == []


def test_a_gradebook_that_is_closed_is_one_file(tmp_path):
    book = Gradebook(tmp_path / "book")
    keep(book, "ann.py", accepted())
    book.close()
    assert [path.name for path in tmp_path.iterdir()] == ["book"]
    with pytest.raises(UsageError, match="cannot be used"):
        book.files()


def test_one_mistake_is_one_group_whatever_sizes_its_message_names(book):
    """Sizes are drawn for each answer. The most frequent comes first, and says what it is."""
    message = "Sizes do not fit: {} of valid_length meets {} of X."
    names = [f"l{i}.py" for i in range(6)]
    run(book, *names)
    for i, name in enumerate(names[:3]):
        wrong = {"message": message.format(i, 2 * i), "case": "lengths have two axes"}
        keep(book, name, verdict(outcome="error", **wrong))
    keep(book, names[3], verdict(outcome="error", message=message.format(1, 2), case="lengths have one axis"))
    for name in names[4:]:
        keep(book, name, verdict(misconception="softmax_over_queries"))
    (summary, *_) = summaries(standing_in(book).learners)
    groups = [(len(f.answers), f.idea, f.hint is None) for f in summary.mistakes]
    assert groups[0] == (3, message.format(0, 0), True)
    assert groups[1][:2] == (2, "softmax_over_queries") and not groups[1][2]
    assert groups[2] == (1, message.format(1, 2), True)


def test_one_mistake_is_one_group_whatever_the_learners_own_line_is(book):
    cause = "Sizes do not fit: {0} meets {1}"
    message = cause + "; {2} is ({0}, {1}) (line {0} of a.py: `return {2} * X`)"
    names = [f"l{i}.py" for i in range(3)]
    run(book, *names)
    for name, values in zip(names, ((1, 2, "a"), (3, 4, "b")), strict=False):
        more = {"message": message.format(*values), "cause": cause.format(*values)}
        keep(book, name, verdict(outcome="error", **more))
    keep(book, names[2], verdict(outcome="error", message="It stops."))
    (summary, *_) = summaries(standing_in(book).learners)
    assert [(len(f.answers), f.idea) for f in summary.mistakes] == [
        (2, message.format(1, 2, "a")),
        (1, "It stops."),
    ]
