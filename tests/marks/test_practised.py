"""Which faults a class overlooks, from files that learners hand in of their own will: a stranger's bytes."""

import json
from contextlib import closing
from datetime import UTC, datetime, timedelta

import pytest

from autograder.items import repetition
from autograder.items.repetition import Repetition
from autograder.marks.gradebook import Gradebook
from autograder.marks.practised import LARGEST, read_practised
from autograder.marks.report import write_pages
from autograder.model.errors import UsageError

LATE, OVER = "masked_softmax/line/mask_after_softmax", "masked_softmax/idea/softmax_over_queries"


def save(folder, **answers):
    """What `practise` keeps in a learner's folder, of answers in their order; 1 is right."""
    practice, now = Repetition(), datetime(2030, 1, 1, tzinfo=UTC)
    for key, rights in answers.items():
        for day, right in enumerate(rights):
            practice.answered(globals()[key], bool(right), now + timedelta(days=9 * day), 5)
    folder.mkdir(parents=True)
    repetition.write(folder, practice)


def rows(folder):
    return [(f.misconception.name, f.overlooked, f.answers) for f in read_practised(folder).faults]


def test_a_fault_that_was_overlooked_once_stays_so_however_often_it_is_found_later(tmp_path):
    save(tmp_path / "ann", LATE=[0, *[1] * 30], OVER=[1])
    save(tmp_path / "bo", LATE=[1, 1, 0], OVER=[1, 1, 1])
    save(tmp_path / "cy", LATE=[1] * 30, OVER=[0])
    assert rows(tmp_path) == [("mask_after_softmax", 2, 3), ("softmax_over_queries", 1, 3)]


CARD = {"difficulty": 7}
HOSTILE = {
    "no JSON": b"{",
    "another text": b"\xff\xfe",
    "a list": b"[1]",
    "cards that are no table": b'{"cards": [1]}',
    "what is no number of JSON": b'{"cards": {"%s": {"difficulty": NaN}}}' % LATE.encode(),
    "a nest": b"[" * 100_000,
    "too much": json.dumps({"cards": {LATE: CARD}, "more": "x" * LARGEST}).encode(),
}
PASSED_OVER = {
    "<script>alert(1)</script>/line/<b>": CARD,
    "masked_softmax/line/no_such_idea": CARD,
    "no slash": CARD,
    f"{'x' * 9000}/{'+' * 9000}": CARD,
    "masked_softmax/value/softmax_over_queries": {"difficulty": "7"},
    OVER: {"difficulty": 1e9},
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_what_is_no_such_file_is_counted_and_not_read(tmp_path, kind):
    (tmp_path / "Ann_7_practice.json").write_bytes(HOSTILE[kind])
    practised = read_practised(tmp_path)
    assert (practised.files, practised.unread, practised.faults) == (0, 1, [])


def test_a_link_is_not_followed(tmp_path):
    save(tmp_path / "elsewhere", LATE=[0])
    (tmp_path / "class").mkdir()
    (tmp_path / "class" / "practice.json").symlink_to(tmp_path / "elsewhere" / "practice.json")
    assert read_practised(tmp_path / "class").unread == 1


def test_the_class_page_shows_them_in_the_courses_own_words(tmp_path):
    (tmp_path / "saved").mkdir()
    (tmp_path / "saved" / "practice.json").write_text(json.dumps({"cards": {LATE: CARD, **PASSED_OVER}}))
    with closing(Gradebook(tmp_path / "book")) as book:
        page = write_pages(book, tmp_path / "pages", practised=tmp_path / "saved").read_text()
        assert "practised, without marks" not in write_pages(book, tmp_path / "pages").read_text().lower()
    part = page.partition("<h2>Practised, without marks</h2>")[2].partition("<h2>")[0]
    assert "<b>1 of 1</b>" in part and "<code>mask_after_softmax</code>" in part and part.count("<li>") == 1
    assert "from 1 file that" in part and "alert(1)" not in page


def test_a_folder_that_is_not_there_is_a_sentence(tmp_path):
    with pytest.raises(UsageError, match="There is no folder"):
        read_practised(tmp_path / "none")
