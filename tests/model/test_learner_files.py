"""What is kept in a learner's folder: it stays below it, no link is followed, and nothing damaged is written over."""

import json
import os
import re

import pytest

from autograder.model.errors import UsageError
from autograder.model.learner_files import (
    path_below,
    read_bytes,
    read_json,
    remove,
    take_notes,
    write_bytes,
    write_json,
    write_text,
)
from autograder.model.paths import ROOT

LONG = [
    pytest.param("[" * 100_000, id="lists"),
    pytest.param('{"a":' * 100_000, id="objects"),
    pytest.param("9" * 5000, id="digits"),
]
VICTIM = "not of this folder\n"


@pytest.fixture
def home(tmp_path):
    (tmp_path / "victim.txt").write_text(VICTIM)
    (tmp_path / "home" / "inner").mkdir(parents=True)
    yield tmp_path / "home"
    take_notes()
    assert (tmp_path / "victim.txt").read_text() == VICTIM


@pytest.mark.parametrize(
    "name", ["../victim.txt", "inner/../../victim.txt", "/etc/hostname", "", ".", "..", "a\0b", "inner/../x"]
)
def test_a_path_that_leads_out_of_the_folder_is_refused(home, name):
    for act in (
        lambda path: read_bytes(path, home),
        lambda path: write_text(path, "x", home),
        lambda path: remove(path, home),
    ):
        with pytest.raises(UsageError, match="it does not lie below"):
            act(home / name)


@pytest.mark.parametrize("name", ["a.json", "linked/victim.txt"])
def test_a_link_is_not_followed(home, name):
    (home / "a.json").symlink_to(home.parent / "victim.txt")
    (home / "linked").symlink_to(home.parent)
    for act in (
        lambda path: read_bytes(path, home),
        lambda path: write_text(path, "x", home),
        lambda path: remove(path, home),
    ):
        with pytest.raises(UsageError, match="is a link, and is not followed"):
            act(home / name)


def test_the_folder_itself_may_be_reached_by_a_link(home):
    (home.parent / "short").symlink_to(home)
    write_json(home.parent / "short" / "a.json", {"x": 1})
    assert read_json(home / "a.json") == {"x": 1}


def test_a_link_in_the_place_of_the_unfinished_file_is_not_written_through(home):
    for name in ("a.tmp", f"a.json.{os.getpid()}.tmp"):
        (home / name).symlink_to(home.parent / "victim.txt")
    write_json(home / "a.json", {"x": 1})
    assert read_json(home / "a.json") == {"x": 1}


def test_nobody_is_waited_for_who_writes_into_a_pipe(home):
    os.mkfifo(home / "pipe")
    with pytest.raises(UsageError, match="cannot be read: it is not a plain file"):
        read_json(home / "pipe")
    with pytest.raises(UsageError, match="cannot be read: it is not a plain file"):
        read_json(home / "inner")


@pytest.mark.parametrize("text", ["{", "[]", "null", "\0", *LONG])
def test_a_damaged_file_is_put_aside_and_it_is_said(home, text):
    for count in (1, 2):
        (home / "a.json").write_text(text)
        assert read_json(home / "a.json") == {}
        (note,) = take_notes()
        aside = "a.json.damaged" if count == 1 else "a.json.damaged-2"
        assert f"{home / 'a.json'} is damaged" in note and f"It is kept as {aside}," in note
        assert (home / aside).read_text() == text
        assert (home / "a.json").read_text() == "{}\n", "the folder is still known by it"
    assert take_notes() == []


def test_what_can_be_read_of_a_damaged_file_goes_on(home):
    write_json(home / "a.json", {"one": ["x"], "two": 2, "three": ["y"]})
    before = (home / "a.json").read_bytes()
    assert read_json(home / "a.json", usable=lambda v: v if isinstance(v, list) else None) == {
        "one": ["x"],
        "three": ["y"],
    }
    assert "(two)" in take_notes()[0] and (home / "a.json.damaged").read_bytes() == before
    assert read_json(home / "a.json") == {"one": ["x"], "three": ["y"]}


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_what_an_editor_has_saved_otherwise_is_read(home, encoding):
    (home / "a.json").write_bytes('{"é": 1}'.encode(encoding))
    assert read_json(home / "a.json") == {"é": 1} and take_notes() == []


def test_a_file_is_written_whole_or_not_at_all(home, monkeypatch):
    write_json(home / "a.json", {"x": 1})

    def full(path, to):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(type(home), "replace", full)
    with pytest.raises(UsageError, match=r"a\.json cannot be written: No space left on device"):
        write_bytes(home / "a.json", b"{}")
    assert json.loads((home / "a.json").read_text()) == {"x": 1}
    assert sorted(path.name for path in home.iterdir()) == ["a.json", "inner"]


def test_a_name_that_is_too_long_is_a_sentence(home):
    with pytest.raises(UsageError, match="cannot be used: File name too long"):
        path_below(home / ("x" * 300))


@pytest.mark.parametrize("room", ["checking", "copies", "items", "page"])
def test_nothing_else_on_a_learners_side_writes_or_removes_files(room):
    writes = re.compile(r"\.(write_text|write_bytes|unlink|rename|rmtree|rmdir|touch|mkdir|open)\(|\bopen\(")
    lines = {
        f"{path.name}: {line.strip()}"
        for path in (ROOT / "autograder" / room).glob("*.py")
        for line in path.read_text().splitlines()
        if writes.search(line)
    }
    # The folder of the copies itself, which its learner has named.
    assert lines <= {"start.py: folder.mkdir(parents=True, exist_ok=True)"}
