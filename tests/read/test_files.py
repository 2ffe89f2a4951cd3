"""Which files of a folder are submissions."""

import os
import stat
import zipfile
from pathlib import Path

import pytest

from autograder.model.errors import Unreadable
from autograder.read.files import find
from autograder.read.learners import Layout, recognised
from tests.read.test_bounds import that_ends
from tests.support import RIGHT


def test_what_systems_leave_behind_is_no_submission(tmp_path):
    for name in ("a/work.py", "a/._work.py", "a/__MACOSX/work.py", "a/.ipynb_checkpoints/work.py"):
        path = tmp_path / "class" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(RIGHT)
    (tmp_path / "class" / "b").mkdir()
    (tmp_path / "class" / "b" / "work.pdf").write_text("")
    with zipfile.ZipFile(tmp_path / "class" / "c.zip", "w") as archive:
        for name in ("work.py", "__MACOSX/._work.py", "hw/.ipynb_checkpoints/work-checkpoint.ipynb"):
            archive.writestr(name, RIGHT)
    submissions, refused = find(tmp_path / "class")
    assert [source.name for source in submissions] == ["a/work.py", "c/work.py"]
    assert refused == {
        "b/": "b/ holds no notebook, no Python file and no zip archive. 1 file was not read: b/work.pdf. Hand in the "
        "notebook itself, whose name ends in .ipynb, or a Python file (.py)."
    }


@pytest.mark.parametrize("kind", ["pipe", "socket", "link to nothing", "link to a device"])
def test_what_is_no_plain_file_is_named(tmp_path, kind):
    (tmp_path / "ann").mkdir()
    (tmp_path / "ann" / "b.py").write_text(RIGHT)
    path = tmp_path / "ann" / "a.py"
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "socket":
        os.mknod(path, stat.S_IFSOCK | 0o600)
    else:
        path.symlink_to("nothing" if kind == "link to nothing" else "/dev/zero")
    with that_ends():
        submissions, refused = find(tmp_path)
    assert [source.name for source in submissions] == ["ann/b.py"]
    assert refused["ann/a.py"].startswith(
        "ann/a.py is " + ("a link" if "link" in kind else "not a plain file")
    )


def test_a_folder_with_a_wrong_name_only_is_told_which(tmp_path):
    for name in ("ann/a.py", "bo/homework.ipynb.txt"):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text(RIGHT)
    _, refused = find(tmp_path)
    assert "bo/homework.ipynb.txt. Hand in the notebook itself, whose name ends in .ipynb" in refused["bo/"]


def test_a_folder_that_may_not_be_read_is_not_called_empty(tmp_path, monkeypatch):
    """Refused here by hand: root, as whom a container runs tests, may read every folder."""
    for name in ("a", "b", "c"):
        (tmp_path / name).mkdir()
    (tmp_path / "a" / "work.py").write_text(RIGHT)
    may_be_read = Path.iterdir

    def iterdir(folder):
        if folder.name == "b":
            raise PermissionError(13, "Permission denied")
        return may_be_read(folder)

    monkeypatch.setattr(Path, "iterdir", iterdir)
    submissions, refused = find(tmp_path)
    assert [source.name for source in submissions] == ["a/work.py"]
    assert refused == {
        "b/": "b/ cannot be read: permission denied.",
        "c/": "c/ holds no notebook, no Python file and no zip archive.",
    }


@pytest.mark.parametrize("name", ["eve.py", "eve.txt", "eve"])
def test_a_link_that_leads_to_itself_costs_nobody_else_the_grading(tmp_path, name):
    """Whatever the order in which the system lists a folder: there are files enough around the link."""
    learners = [f"{letter}.py" for letter in "abcdfghij"]
    for learner in learners[:5]:
        (tmp_path / learner).write_text(RIGHT)
    (tmp_path / name).symlink_to(name)
    for learner in learners[5:]:
        (tmp_path / learner).write_text(RIGHT)
    submissions, refused = find(tmp_path)
    assert [source.name for source in submissions] == learners
    assert refused == {name: f"{name} is a link; hand in the file itself."}


def test_an_entry_that_the_system_refuses_costs_nothing_but_itself(tmp_path, monkeypatch):
    """Refused here by hand: root may look at every file."""
    for name in ("ann/a.py", "bo/b.py", "cy/c.py"):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text(RIGHT)
    is_link = Path.is_symlink

    def is_symlink(path):
        if path.name == "b.py":
            raise PermissionError(13, "Permission denied")
        return is_link(path)

    monkeypatch.setattr(Path, "is_symlink", is_symlink)
    submissions, refused = find(tmp_path)
    assert [source.name for source in submissions] == ["ann/a.py", "cy/c.py"]
    assert refused == {"bo/b.py": "bo/b.py cannot be read: permission denied."}


@pytest.mark.parametrize("folder", ["bo", "bo/hw", "ann/more", "."])
@pytest.mark.parametrize("layout", [None, Layout.file, Layout.github])
def test_a_folder_that_cannot_be_listed_is_named(tmp_path, monkeypatch, folder, layout):
    """Refused here by hand: root may list every folder."""
    for name in ("ann/more/a.py", "bo/hw/b.py", "cy/c.py"):
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).write_text(RIGHT)
    lists = os.scandir

    def scandir(path):
        if Path(path) == tmp_path / folder:
            raise PermissionError(13, "Permission denied")
        return lists(path)

    monkeypatch.setattr(os, "scandir", scandir)
    submissions, refused = find(tmp_path, layout)
    name = f"{tmp_path.name}/" if folder == "." else f"{folder}/"
    if layout is Layout.github and folder != ".":
        name = f"{tmp_path.name}/{name}"
    assert refused[name] == f"{name} cannot be read: permission denied."
    assert len(refused) == 1 and len(submissions) == (0 if folder == "." else 2)


def test_a_folder_in_which_no_repository_can_be_looked_for_is_none(tmp_path, monkeypatch):
    (tmp_path / "ann").mkdir()
    looks = os.stat

    def stat_of(path, **options):
        if Path(path).name == ".git":
            raise PermissionError(13, "Permission denied")
        return looks(path, **options)

    monkeypatch.setattr(os, "stat", stat_of)
    assert recognised(tmp_path) is Layout.folder


def archive(path, *names):
    """An archive of right answers, with the names as they are given."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w") as file:
        for name in names:
            file.writestr(name, f"{RIGHT}# {name}")
    return path


def test_an_archive_whose_folders_are_written_with_backslashes_is_read(tmp_path):
    submissions, refused = find(archive(tmp_path / "ann.zip", "hw\\one.py", "hw\\two.py"))
    assert [source.name for source in submissions] == ["ann/hw/one.py", "ann/hw/two.py"] and not refused
    assert [source.read().decode()[-9:] for source in submissions] == ["hw\\one.py", "hw\\two.py"]


def test_an_archive_with_slashes_and_backslashes_is_refused_by_a_true_sentence(tmp_path):
    submissions, refused = find(archive(tmp_path / "ann.zip", "hw/one.py", "hw\\two.py"))
    assert not submissions and "slashes and with backslashes" in refused["ann.zip"]


def test_files_that_are_no_notebooks_are_named_beside_those_that_are_read(tmp_path):
    names = ("ann/one.py", "ann/two.ipynb.txt", "ann/three.PDF", "bo/one.py", "bo/data.csv", "cy/four.pdf")
    for name in (*names, "ed/one.py", "ed/two.txt", "ed/three.html", "list.pdf"):
        (tmp_path / "class" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "class" / name).write_text(RIGHT + name)
    archive(tmp_path / "class" / "di.zip", "one.py", "more/two.zip")  # the inner one is no archive
    submissions, refused = find(tmp_path / "class")
    assert [source.name for source in submissions] == ["ann/one.py", "bo/one.py", "di/one.py", "ed/one.py"]
    assert refused.pop("cy/").startswith("cy/ holds no notebook")
    assert "2 files were not read: ed/three.html, ed/two.txt." in refused.pop("ed/files that were not read")
    assert refused.keys() == {"ann/files that were not read", "di/files that were not read"}
    assert refused["ann/files that were not read"].startswith(
        "2 files were not read: ann/three.PDF, ann/two.ipynb.txt. Hand"
    )
    assert "1 file was not read: di/more/two.zip. Hand" in refused["di/files that were not read"]


@pytest.fixture
def listed(tmp_path):
    """A learner's file, as it was found, and what it is to be exchanged for."""
    for name in ("class/eve/hw/a.py", "others/hw/a.py"):
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).write_text(f"# {name}\n{RIGHT}")
    (source,), _ = find(tmp_path / "class")
    return source, tmp_path


def exchanged(path, make):
    """Another thing in a file's place. A test that waits for it would wait for ever."""
    path.rename(path.with_suffix(".before"))
    make(path)


def test_a_pipe_in_the_place_of_a_file_is_a_sentence_and_holds_up_nothing(listed):
    source, folder = listed
    exchanged(folder / "class/eve/hw/a.py", os.mkfifo)
    with that_ends(), pytest.raises(Unreadable, match="cannot be read: it is not a plain file"):
        source.read()


@pytest.mark.parametrize("what", ["hw/a.py", "hw"])
def test_a_link_in_the_place_of_a_file_or_a_folder_gives_nobody_anothers_work(listed, what):
    source, folder = listed
    exchanged(folder / "class/eve" / what, lambda path: path.symlink_to(folder / "others" / what))
    assert "others" in (folder / "class/eve/hw/a.py").read_text()
    with pytest.raises(Unreadable, match="it is a link, or below one"):
        source.read()


@pytest.mark.parametrize("kind", ["pipe", "link"])
def test_an_archive_that_becomes_something_else_is_not_read(tmp_path, kind):
    place, other = archive(tmp_path / "class/ann.zip", "one.py"), archive(tmp_path / "bo.zip", "one.py")
    (source,), _ = find(tmp_path / "class")
    exchanged(place, os.mkfifo if kind == "pipe" else lambda path: path.symlink_to(other))
    with that_ends(), pytest.raises(Unreadable, match="cannot be read"):
        source.read()


def test_a_folder_and_a_file_that_the_teacher_names_by_a_link_are_read(listed):
    source, folder = listed
    (folder / "link").symlink_to(folder / "class")
    (folder / "own.py").symlink_to(folder / "class/eve/hw/a.py")
    for path in ("link", "own.py", "link/eve/hw/a.py"):
        (submission,), refused = find(folder / path)
        assert submission.read() == source.read() and not refused


def test_a_notebook_with_another_ending_is_read_below_a_folder_that_is_a_link(tmp_path):
    (tmp_path / "class" / "ann").mkdir(parents=True)
    (tmp_path / "class" / "ann" / "work.ipynb.txt").write_text('{"cells": [], "nbformat": 4}')
    (tmp_path / "link").symlink_to(tmp_path / "class")
    (source,), refused = find(tmp_path / "link")
    assert source.name == "ann/work.ipynb.txt" and not refused
    assert source.read().startswith(b'{"cells"')
