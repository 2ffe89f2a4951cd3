"""Each learner's page on its way back: for Moodle, for Canvas, and under names that nobody can guess."""

import csv
import re
import zipfile

import pytest

from autograder.marks.feedback import for_canvas, for_moodle, for_publishing
from autograder.marks.gradebook import Gradebook
from autograder.marks.report import write_pages
from autograder.marks.standing import standing_in
from autograder.model.errors import UsageError
from autograder.model.results import SubmissionResult
from autograder.read.learners import Layout, Names
from tests.support import verdict


def class_of(path, *files, layout=None):
    """A gradebook of these files, as a download of a system packs them."""
    book = Gradebook(path)
    for i, file in enumerate(files):
        name = Names(path.parent, layout).of(file)[0] if layout else file
        book.add(SubmissionResult(name, f"d{i}", None, [verdict(message=f"Said of {i}.")]), "all")
    return book


def packed(archive):
    with zipfile.ZipFile(archive) as opened:
        return {name: opened.read(name).decode() for name in opened.namelist()}


def test_moodle_gets_a_page_for_each_participant(tmp_path):
    files = ["Zoë Müller_777_assignsubmission_file_/a.py", "Ann Lee_778_assignsubmission_file_/b.py", "di.py"]
    book = class_of(tmp_path / "book", *files[:2], layout=Layout.moodle)
    book.add(SubmissionResult("di_x.py", "other", None, [verdict()]), "all")
    result = for_moodle(book, tmp_path / "f.zip", None, {})
    pages = packed(tmp_path / "f.zip")
    assert sorted(pages) == [
        "Ann Lee_778_assignsubmission_file_/feedback.html", "Zoë Müller_777_assignsubmission_file_/feedback.html"
    ]  # fmt: skip
    assert "Said of 1." in pages[sorted(pages)[0]] and "Said of 0." in pages[sorted(pages)[1]]
    assert result[0] == 2
    assert result[1] == ["di_x: it has no number of Moodle, which --roster WORKSHEET tells"]
    sheet = tmp_path / "sheet.csv"
    sheet.write_text(
        "Wer,Full name,Grade\nParticipant 780,di_x,\nParticipant 1,Bo,\n,Ann Lee,\n", encoding="utf-8"
    )
    result = for_moodle(book, tmp_path / "f.zip", sheet, {"identifier": "Wer"})
    assert result[0] == 3 and result[1] == []
    assert "di x_780_assignsubmission_file_/feedback.html" in packed(tmp_path / "f.zip")
    assert [path.name for path in tmp_path.glob("f.zip*")] == ["f.zip"]
    book.close()


def test_a_name_leads_out_of_no_archive(tmp_path):
    book = class_of(tmp_path / "book", "x/a.py")
    sheet = tmp_path / "sheet.csv"
    sheet.write_text("Identifier,Full name,Email address\nParticipant 3,../../\\x_1\t,x\n", encoding="utf-8")
    for_moodle(book, tmp_path / "f.zip", sheet, {})
    assert list(packed(tmp_path / "f.zip")) == [".. .. x 1 _3_assignsubmission_file_/feedback.html"]
    book.close()


def test_canvas_gets_a_page_named_like_the_file_that_it_answers(tmp_path):
    files = ("leeann_LATE_102_98766_b.py", "leeann_LATE_102_98767_c.py", "mullerzoe_101_98765_a.py")
    book = class_of(tmp_path / "book", *files, layout=Layout.canvas)
    book.add(SubmissionResult("anon_x1/4711_a.py", "an", None, [verdict()]), "all")
    book.add(SubmissionResult("group_7/55_a.py", "gr", None, [verdict()]), "all")
    book.add(SubmissionResult("bo (Canvas 103)/notes.py", "bo", None, [verdict()]), "all")
    result = for_canvas(book, tmp_path / "f.zip")
    pages = packed(tmp_path / "f.zip")
    assert sorted(pages) == [
        "anon_x1_4711_feedback.html", "leeann_102_98766_feedback.html", "mullerzoe_101_98765_feedback.html"
    ]  # fmt: skip
    assert "Said of 1." in pages["leeann_102_98766_feedback.html"] and result[0] == 3
    assert [words.partition(":")[0] for words in result[1]] == ["bo (Canvas 103)", "group_7"]
    # Canvas takes the first two parts that are numbers for the learner and the attachment.
    for name in list(pages)[1:]:
        assert re.findall(r"(?<=_)\d+(?=_)", name)[0] in ("101", "102")
    book.close()


def test_where_no_learner_has_a_number_nothing_is_written(tmp_path):
    book = class_of(tmp_path / "book", "ann.py", "x (Canvas 5)/y.py")
    with pytest.raises(UsageError, match="number of Moodle, which --roster"):
        for_moodle(book, tmp_path / "f.zip", None, {})
    with pytest.raises(UsageError, match="number of Canvas: grade the folder as Canvas packs it"):
        for_canvas(book, tmp_path / "f.zip")
    assert not (tmp_path / "f.zip").exists()
    book.close()


def test_pages_are_published_under_names_that_nobody_can_guess(tmp_path):
    pages = []
    for name in ("one", "two"):
        book = class_of(tmp_path / name, "ann.py", "=bo.py")
        folder = tmp_path / f"pages of {name}" / "public"
        result = for_publishing(book, folder)
        assert result == (2, [])
        listed = list(csv.reader((folder.parent / "public.csv").open(encoding="utf-8", newline="")))
        assert [row[0] for row in listed] == ["learner", "'=bo", "ann"]
        pages += [row[1] for row in listed[1:]]
        assert sorted(path.name for path in folder.iterdir()) == sorted([*pages[-2:], "index.html"])
        assert "Said of 0." in (folder / pages[-1]).read_text(encoding="utf-8")
        for path in folder.iterdir():
            text = path.read_text(encoding="utf-8")
            assert "href" not in text and "src=" not in text
            assert ("=bo" in text) is path.name.startswith("bo-")
        write_pages(book, tmp_path / "reports")
        assert all((tmp_path / "reports" / page).is_file() for page in pages[-2:])
        assert {who.page for who in standing_in(book).learners} == set(pages[-2:])
        book.close()
    assert len(set(pages)) == 4 and all(re.search(r"-[0-9a-f]{32}\.html$", page) for page in pages)


def test_pages_are_published_again_and_among_no_other_files(tmp_path):
    book = class_of(tmp_path / "book", "ann.py")
    for_publishing(book, tmp_path / "public")
    for_publishing(book, tmp_path / "public")
    (tmp_path / "public" / "marks.csv").write_text("")
    (tmp_path / "public" / "others.csv").write_text("")
    with pytest.raises(UsageError, match=r"public holds marks\.csv, which would be published too"):
        for_publishing(book, tmp_path / "public")
    book.close()
