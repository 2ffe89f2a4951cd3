"""What a page loads to check answers: from npm by hash, and the course's own code."""

import gzip
import io
import os
import stat
import subprocess
import sys
import tarfile
import zipfile

import page_assets
import pytest
from page_assets import NUMPY, PYODIDE, copy_assets, course_zip

from autograder.model.errors import ToolError

CHECKED = """
import sys
before = set(sys.modules) | {"submission"}
sys.modules |= {"torch": None, "mxnet": None, "keras": None, "pytest": None}
from pathlib import Path
import autograder
from autograder.page.check_text import check_text
import course.gpt.write_with
assert Path(autograder.__file__).is_relative_to(Path.cwd()), autograder.__file__
text = "from solutions.masked_softmax.in_numpy import softmax\\ndef masked_softmax(X, valid_length): return softmax(X)"
found = check_text("masked_softmax", text)
assert "valid_length has no effect" in found["html"], found
blocked = {"torch", "mxnet", "keras", "pytest"}
loaded = {name.split(".")[0] for name in set(sys.modules) - before - blocked}
outside = loaded - set(sys.stdlib_module_names)
sys.stdout.write(" ".join(sorted(name for name in outside if not name.startswith("_"))))
"""


def test_the_courses_archive_checks_an_answer_by_itself(tmp_path):
    with zipfile.ZipFile(io.BytesIO(course_zip())) as archive:
        archive.extractall(tmp_path)
    assert not list(tmp_path.rglob("in_torch.py"))
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", CHECKED], cwd=tmp_path, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    modules = {"autograder", "course", "exercises", "solutions", "jinja2", "markupsafe"}
    assert modules <= set(done.stdout.split())
    assert set(done.stdout.split()) <= modules | {"numpy", "cython_runtime"}


def test_the_courses_archive_is_the_same_for_the_same_sources():
    assert course_zip() == course_zip()


def archive_of(files):
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w:gz") as archive:
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return file.getvalue()


def unpacked(path):
    return zipfile.ZipFile(io.BytesIO(gzip.decompress(path.read_bytes())))


@pytest.fixture
def npm(tmp_path, monkeypatch):
    """A folder that is all of PATH, with an empty cache."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.setenv("ATTENTION_DATA", str(tmp_path / "cache"))
    return folder


def write_npm(folder, script):
    program = folder / "npm"
    program.write_text(f"#!{sys.executable}\nimport sys\n{script}\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)


SENDS = """
from pathlib import Path
to = next(word.partition("=")[2] for word in sys.argv if word.startswith("--pack-destination"))
Path(to, "package.tgz").write_bytes(b"another file")
"""


@pytest.mark.parametrize(
    ("script", "words"),
    [
        (None, "npm is not installed"),
        ("sys.exit('npm error network ENOTFOUND')", "npm did not send pyodide: npm error network ENOTFOUND"),
        ("pass", "npm sent 0 archives in place of one for pyodide"),
        (SENDS, f"pyodide {PYODIDE.version} from npm has another hash than it must have"),
    ],
)
def test_what_npm_does_not_send_is_told_in_a_sentence_and_not_kept(tmp_path, npm, script, words):
    if script is not None:
        write_npm(npm, script)
    with pytest.raises(ToolError) as error:
        copy_assets(tmp_path / "made")
    assert str(error.value) == words
    folder = tmp_path / "cache" / "in_page"
    assert not folder.exists() or list(folder.iterdir()) == []


def test_only_what_a_page_loads_is_kept(tmp_path, monkeypatch, npm):
    """Archives as npm sends them, small: maps, types, tests and compilers' files stay out."""
    numpy = archive_of(
        {
            f"{page_assets.BELOW}numpy/{name}": b"kept" if keep else b"left out"
            for name, keep in {
                "__init__.py": True,
                "_core/umath.so": True,
                "_core/tests/test_umath.py": False,
                "_core/lib/npymath.a": False,
                "__init__.pyi": False,
                "f2py/__init__.py": False,
                "fft/__init__.py": False,
                "_core/_simd.cpython-312-wasm32-emscripten.so": False,
            }.items()
        }
    )
    library = io.BytesIO()
    with zipfile.ZipFile(library, "w") as archive:
        for name in ("xml/dom/__init__.py", "encodings/cp437.py", "encodings/big5.py", "json/__init__.py"):
            archive.writestr(name, "")
    files = {f"package/{name}": b"{}" for name in (*page_assets.PYODIDE_FILES, "pyodide.mjs.map")}
    sent = {
        PYODIDE: archive_of(files | {"package/python_stdlib.zip": library.getvalue()}),
        NUMPY: archive_of({"package/pkg/numpy.tar.gz": numpy}),
    }
    monkeypatch.setattr(page_assets, "_fetched", lambda package, folder: sent[package])
    monkeypatch.setattr(page_assets, "_compile", lambda archive, pyodide, read=(): None)
    copy_assets(tmp_path / "made")
    names = {path.name for path in (tmp_path / "made").iterdir()}
    assert names == {*page_assets.LOADED, page_assets.TORCH_ARCHIVE, "NOTICE.txt"}
    with unpacked(tmp_path / "made" / "numpy.zip.bin") as archive:
        assert {archive.read(name) for name in archive.namelist()} == {b"kept"}
        assert set(archive.namelist()) == {"numpy/__init__.py", "numpy/_core/umath.so"}
    with unpacked(tmp_path / "made" / "python_stdlib.zip.bin") as archive:
        assert set(archive.namelist()) == {"encodings/cp437.py", "json/__init__.py"}
    monkeypatch.setattr(page_assets, "_fetched", lambda package, folder: pytest.fail("fetched again"))
    copy_assets(tmp_path / "made")
