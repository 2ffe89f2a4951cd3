"""Which files of a folder are submissions."""

import zipfile
from pathlib import Path

from autograder.read.files import find
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
    found, refused = find(tmp_path / "class")
    assert [source.name for source in found] == ["a/work.py", "c/work.py"]
    assert refused == {"b/": "b/ holds no notebook, no Python file and no zip archive."}


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
    found, refused = find(tmp_path)
    assert [source.name for source in found] == ["a/work.py"]
    assert refused == {
        "b/": "b/ cannot be read: permission denied.",
        "c/": "c/ holds no notebook, no Python file and no zip archive.",
    }


def archive(path, *names):
    """An archive of right answers, with the names as they are given."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w") as made:
        for name in names:
            made.writestr(name, f"{RIGHT}# {name}")
    return path


def test_an_archive_whose_folders_are_written_with_backslashes_is_read(tmp_path):
    found, refused = find(archive(tmp_path / "ann.zip", "hw\\one.py", "hw\\two.py"))
    assert [source.name for source in found] == ["ann/hw/one.py", "ann/hw/two.py"] and not refused
    assert [source.read().decode()[-9:] for source in found] == ["hw\\one.py", "hw\\two.py"]


def test_an_archive_with_slashes_and_backslashes_is_refused_by_a_true_sentence(tmp_path):
    found, refused = find(archive(tmp_path / "ann.zip", "hw/one.py", "hw\\two.py"))
    assert not found and "slashes and with backslashes" in refused["ann.zip"]


def test_files_that_are_no_notebooks_are_named_beside_those_that_are_read(tmp_path):
    for name in ("ann/one.py", "ann/two.ipynb.txt", "ann/three.PDF", "bo/one.py", "cy/four.pdf", "list.pdf"):
        (tmp_path / "class" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "class" / name).write_text(RIGHT + name)
    archive(tmp_path / "class" / "di.zip", "one.py", "more/two.zip")
    found, refused = find(tmp_path / "class")
    assert [source.name for source in found] == ["ann/one.py", "bo/one.py", "di/one.py"]
    assert refused.pop("cy/").startswith("cy/ holds no notebook")
    assert refused.keys() == {"ann/files that were not read", "di/files that were not read"}
    assert refused["ann/files that were not read"].startswith(
        "2 files were not read: ann/three.PDF, ann/two.ipynb.txt. Hand"
    )
    assert "1 file was not read: di/more/two.zip. Hand" in refused["di/files that were not read"]
