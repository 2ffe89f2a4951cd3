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
