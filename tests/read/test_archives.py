"""Archives: an archive in an archive, and tar archives, under the bounds of a zip archive."""

import gzip
import io
import random
import tarfile
import zipfile
import zlib

import pytest

from autograder.read import archives
from autograder.read.files import find
from tests.read.test_bounds import that_ends
from tests.support import RIGHT


def zipped(members):
    """A zip archive of these members, as bytes."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return buffer.getvalue()


def tarred(members, **other):
    """A tar.gz archive of these members, as bytes. other: fields of the last one."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        for number, (name, data) in enumerate(members.items(), 1):
            info = tarfile.TarInfo(name)
            info.size = len(data)
            for field, value in (other if number == len(members) else {}).items():
                setattr(info, field, value)
            archive.addfile(info, io.BytesIO(data))
    return buffer.getvalue()


def refusal(folder, name, data):
    """Why an archive is refused whole."""
    (folder / name).write_bytes(data)
    with that_ends():
        submissions, refused = find(folder)
    assert not submissions and list(refused) == [name]
    return refused[name]


CODE = RIGHT.encode()


@pytest.mark.parametrize(
    "outer", [("zip", zipped), ("tar.gz", tarred), ("TGZ", tarred)], ids=lambda pair: pair[0]
)
@pytest.mark.parametrize("inner", [("zip", zipped), ("tgz", tarred)], ids=lambda pair: pair[0])
def test_an_archive_in_an_archive_is_read(tmp_path, outer, inner):
    (ending, pack), (inner_ending, pack_inner) = outer, inner
    inner_name = "./b.py" if pack_inner is tarred else "b.py"  # as `tar` writes names
    both = {"a.py": CODE, f"more/hw.{inner_ending}": pack_inner({inner_name: CODE + b"# b"})}
    (tmp_path / f"ann.{ending}").write_bytes(pack(both))
    submissions, refused = find(tmp_path)
    assert [source.name for source in submissions] == ["ann/a.py", "ann/more/hw/b.py"] and not refused
    assert [source.read() for source in submissions] == [CODE, CODE + b"# b"]


def test_a_third_level_is_not_opened_and_is_named(tmp_path):
    deep = zipped({"a.zip": zipped({"b.zip": zipped({"c.py": CODE})})})
    sentence = refusal(tmp_path, "ann.zip", deep)
    assert sentence == "ann.zip holds a.zip, which holds no notebook and no Python file."


@pytest.mark.parametrize(("ending", "pack"), [("zip", zipped), ("tgz", tarred)])
def test_members_are_counted_over_all_levels(tmp_path, ending, pack):
    many = {f"{n}.py": CODE + random.Random(n).randbytes(40).hex().encode() for n in range(200)}
    (tmp_path / "ann.zip").write_bytes(zipped({f"a.{ending}": pack(many), "b.zip": zipped(many)}))
    submissions, refused = find(tmp_path)
    assert len(submissions) == 200 and "b.zip" in refused["ann/files that were not read"]
    (tmp_path / "ann.zip").unlink()
    more = {f"{n}.txt": b"" for n in range(201)}
    assert "holds more than 400 members" in refusal(tmp_path, "bo.tgz", tarred({**many, **more}))


@pytest.mark.parametrize(("ending", "pack"), [("zip", zipped), ("tgz", tarred)])
def test_what_unpacks_to_far_more_than_its_size_is_refused_over_all_levels(tmp_path, ending, pack):
    text = random.Random(1).randbytes(1250).hex().encode() + b"#" * 300_000
    inner = zipped({f"{n}.py": text for n in range(40)})
    name = f"ann.{ending}"
    (tmp_path / "eve.zip").write_bytes(inner)  # each level alone is within the bound
    assert len(find(tmp_path)[0]) == 40
    (tmp_path / "eve.zip").unlink()
    assert "far more than its size" in refusal(tmp_path, name, pack({"hw.zip": inner}))
    assert "far more than its size" in refusal(tmp_path, name, pack({"a.py": b"#" * 15_000_000}))


def test_a_gzip_bomb_is_unpacked_no_further_than_its_bound(tmp_path, monkeypatch):
    parts = []
    original = zlib.decompressobj

    class Counted:
        def __init__(self, **settings):
            self.inner = original(**settings)

        def decompress(self, data, most):
            parts.append(self.inner.decompress(data, most))
            return parts[-1]

    monkeypatch.setattr(archives.zlib, "decompressobj", Counted)
    bomb = gzip.compress(bytes(100 << 20))
    assert "far more than its size" in refusal(tmp_path, "ann.tgz", bomb)
    assert max(map(len, parts)) <= archives.MAX_RATIO * len(bomb) + 1 < 100 << 20


def test_a_large_tar_archive_is_refused_with_what_to_do(tmp_path, monkeypatch):
    monkeypatch.setattr(archives._Allowance.__init__, "__defaults__", (archives.MAX_MEMBERS, 1000))
    assert "hand in the notebooks themselves" in refusal(tmp_path, "ann.tgz", tarred({"a.py": CODE}))


@pytest.mark.parametrize(
    ("other", "words"),
    [
        ({"type": tarfile.SYMTYPE, "linkname": "/etc/passwd", "size": 0}, "holds a link."),
        ({"type": tarfile.LNKTYPE, "linkname": "a.py", "size": 0}, "holds a link."),
        ({"type": tarfile.FIFOTYPE, "size": 0}, "not a plain file"),
        ({"type": tarfile.CHRTYPE, "size": 0}, "not a plain file"),
        ({"name": "/tmp/b.py"}, "leads out of the archive"),
        ({"name": "hw/../../b.py"}, "leads out of the archive"),
        ({"name": "a.py"}, "two members of the same name"),
    ],
)
def test_what_a_tar_archive_may_not_hold(tmp_path, other, words):
    assert words in refusal(tmp_path, "ann.tar.gz", tarred({"a.py": CODE, "b.py": CODE}, **other))


def test_a_list_of_a_tar_archive_that_never_ends_is_ended(tmp_path):
    """The size in a header may be negative, so that reading goes back and forth."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.PAX_FORMAT) as archive:
        info = tarfile.TarInfo("a.py")
        info.pax_headers = {"size": "-512"}
        archive.addfile(info)
    assert refusal(tmp_path, "ann.tgz", gzip.compress(buffer.getvalue())).startswith("ann.tgz ")


# With ids of their own: a packed file holds the time at which it was made.
@pytest.mark.parametrize(
    "data",
    [b"", b"no gzip", gzip.compress(b"no tar"), tarred({"a.py": CODE})[:-20]],
    ids=["empty", "no gzip", "no tar", "cut short"],
)
def test_a_damaged_tar_archive_is_a_sentence(tmp_path, data):
    assert refusal(tmp_path, "ann.tgz", data) == "ann.tgz is not a readable tar.gz archive."
