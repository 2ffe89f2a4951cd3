"""What is handed in is bounded before it is worked on: sizes, lengths, depths and names."""

import ast
import json
import signal
import struct
import subprocess
import sys
import warnings
import zipfile
from contextlib import contextmanager

import pytest

from autograder.grade.one_submission import Job
from autograder.grade.pool import grade_job
from autograder.model.assignment import TimeLimits
from autograder.model.errors import Unreadable
from autograder.model.paths import ROOT
from autograder.read import bounded, submission
from autograder.read.files import SubmittedFile, find
from autograder.read.submission import read_bytes

RIGHT = "import torch\ndef masked_softmax(X, valid_length):\n    return X\n"


def notebook(*sources):
    cells = [{"cell_type": "code", "metadata": {}, "source": source, "outputs": []} for source in sources]
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells}).encode()


@contextmanager
def that_ends():
    """Fails if the work takes minutes, as work that is not linear in the input does here."""

    def give_up(number, frame):
        pytest.fail("it has no end in sight")

    previous = signal.signal(signal.SIGALRM, give_up)
    signal.alarm(60)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, previous)


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_an_archive_packed_by_an_unusual_method_is_refused(tmp_path, method):
    """These are unpacked in one step, so that 2 kB can ask for gigabytes."""
    with zipfile.ZipFile(tmp_path / "a.zip", "w", method) as archive:
        archive.writestr("a.py", RIGHT)
    (tmp_path / "honest.py").write_text(RIGHT)
    submissions, refused = find(tmp_path)
    assert [source.name for source in submissions] == ["honest.py"]
    assert refused == {"a.zip": "a.zip is packed by an unusual method: make it again as a plain zip archive."}


def long_list(path, forged=None):
    """An archive with 30 000 members. forged: how it hides that: changes the record at its end, and what is before."""
    with zipfile.ZipFile(path, "w") as archive:
        for i in range(30_000):
            archive.writestr(f"{i}.py", "")
    if forged is not None:
        data = path.read_bytes()
        path.write_bytes(data[:-22] + forged(data[-22:]))
    return path


def within_itself(end):
    """The mark of the record stands in the record again, where it says the list's place, which nobody needs."""
    return end[:16] + b"PK\x05\x06" + end[20:]


def in_the_longer_record(end):
    """The record says that the list is short, and the one of 64 bits before it says how long it is."""
    _, _, _, _, count, size, offset, _ = struct.unpack("<4s4H2LH", end)
    longer = struct.pack("<4sQ2H2L4Q", b"PK\x06\x06", 44, 45, 45, 0, 0, count, count, size, offset)
    locator = struct.pack("<4sLQL", b"PK\x06\x07", 0, 0, 1)
    return longer + locator + struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 1, 1, 100, 0, 0)


@pytest.mark.parametrize("forged", [None, within_itself, in_the_longer_record])
def test_an_archive_with_a_long_list_is_refused_before_it_is_read(tmp_path, monkeypatch, forged):
    path = long_list(tmp_path / "many.zip", forged)
    words = "holds more than 400 members."
    try:
        with zipfile.ZipFile(path) as archive:
            assert len(archive.infolist()) == 30_000
    except zipfile.BadZipFile:  # Python 3.13.5 refuses the last one itself
        words = "is not a readable zip archive."
    monkeypatch.setattr(zipfile, "ZipInfo", lambda *arguments: pytest.fail("the list was read"))
    _, refused = find(tmp_path)
    assert refused == {"many.zip": f"many.zip {words}"}


def test_a_member_that_outgrows_memory_is_that_files_problem(tmp_path, monkeypatch):
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("a.py", RIGHT)

    def no_memory(self, count):
        raise MemoryError

    monkeypatch.setattr(zipfile.ZipExtFile, "read", no_memory)
    with pytest.raises(Unreadable, match="damaged or encrypted"):
        SubmittedFile("a/a.py", tmp_path / "a.zip", "a.py").read()


def test_a_long_cell_is_refused_before_it_is_parsed():
    long = notebook("x = 1\n" * 150_000)
    code = (
        "import resource, sys\n"
        "from autograder.read.submission import read_bytes\n"
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "found = read_bytes(sys.stdin.buffer.read(), 'a.ipynb')\n"
        "grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before\n"
        "assert found.problem == 'a.ipynb holds more than 256 kB of code.', found.problem\n"
        "assert grown < 60_000, f'{grown} kB'\n"
    )
    done = subprocess.run([sys.executable, "-c", code], input=long, cwd=ROOT, capture_output=True)
    assert done.returncode == 0, done.stderr.decode()


def test_a_long_cell_with_many_magics_is_parsed_a_few_times(monkeypatch):
    source = "".join(f"%magic {i}\n" + "x = [1, 2, 3]\n" * 250 for i in range(60))
    parsed = []
    original = ast.parse
    monkeypatch.setattr(ast, "parse", lambda text, *more: parsed.append(len(text)) or original(text, *more))
    assert 200_000 < len(source) < 256 << 10
    assert read_bytes(notebook(source), "a.ipynb").problem is None
    assert sum(parsed) < 3 << 20


def test_blank_lines_are_searched_in_linear_time():
    broken = "\n" * 200_000 + "def masked_softmax(:\n"
    with that_ends():
        assert read_bytes(broken.encode(), "a.py").frameworks("masked_softmax") == []


def test_spaces_behind_an_import_are_searched_in_linear_time():
    stub = "import torch\ndef masked_softmax(X, valid_length):\n    raise NotImplementedError\n"
    with that_ends():
        submission = read_bytes(f"{stub}# import{' ' * 200_000}x\n".encode(), "a.py")
        assert submission.definitions.is_not_written("masked_softmax", "torch")


@pytest.mark.skipif(sys.platform != "linux", reason="other systems refuse such a name")
def test_a_folder_whose_name_is_not_utf8_gets_a_sentence(tmp_path):
    (tmp_path / "honest").mkdir()
    (tmp_path / "honest" / "a.py").write_text(RIGHT)
    subprocess.run(["mkdir", bytes(tmp_path) + b"/m\xfcller"], check=True)
    submissions, refused = find(tmp_path)
    assert [source.name for source in submissions] == ["honest/a.py"]
    ((name, sentence),) = refused.items()
    assert name == "m?ller/" and "holds no notebook" in sentence
    assert sentence.encode("utf-8")


def test_folders_may_be_deeper_than_python_may_recurse(tmp_path):
    (tmp_path / "honest.py").write_text(RIGHT)
    # Made from the inside, since the whole path is longer than a system call takes.
    make = "import os, sys\nos.chdir(sys.argv[1])\nfor _ in range(1100): os.mkdir('d'); os.chdir('d')\n"
    subprocess.run([sys.executable, "-c", make, str(tmp_path)], check=True)
    submissions, _ = find(tmp_path)
    assert [source.name for source in submissions] == ["honest.py"]
    subprocess.run(["rm", "-rf", str(tmp_path / "d")], check=True)


def test_an_archive_may_lie_about_its_list(tmp_path):
    """A forged length makes a damaged archive, and nothing worse."""
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.py", RIGHT)
    data = bytearray(path.read_bytes())
    offset = data.rfind(b"PK\x05\x06")
    data[offset + 12 : offset + 16] = struct.pack("<I", 7)
    path.write_bytes(data)
    _, refused = find(tmp_path)
    assert refused == {"a.zip": "a.zip is not a readable zip archive."}


@pytest.mark.parametrize(
    "statement", ["a = a\n", "def a(): torch\ndef a(): mxnet\n", "from torch import a\n"]
)
def test_what_is_defined_again_and_again_is_sorted_in_linear_time(statement):
    many = "import torch, mxnet\n" + statement * (100_000 // len(statement))
    with that_ends():
        read_bytes(many.encode(), "a.py").sources("torch")


@pytest.mark.parametrize(
    "source",
    ["x = '\\d'\n" * 3, "%magic\nx = '\\w'\n", "x = '\\s'\ndef masked_softmax(:\n"],
    ids=["plain", "beside a magic", "in a broken cell"],
)
def test_what_python_finds_odd_in_a_submission_is_not_written_on_the_teachers_terminal(source):
    with warnings.catch_warnings(record=True) as messages:
        warnings.simplefilter("always")
        submission = read_bytes(f"# read by this test only\n{source}".encode(), "a.py")
        submission.frameworks("masked_softmax")
        submission.sources("torch")
    assert [str(warning.message) for warning in messages] == []


LARGE = "x = [1, 2, 3]\n" * 6_000
NESTED = b'{"cells": [' + b"[]," * 3_000_000 + b"[]]}"


def test_what_is_large_is_read_apart_first(monkeypatch):
    """Within the limits it is read; what breaks them never reaches the process that grades."""
    assert bounded.read_bytes((RIGHT + LARGE).encode(), "a.py").frameworks("masked_softmax") == ["torch"]
    monkeypatch.setattr(bounded, "MEMORY", 100 << 20)
    monkeypatch.setattr(submission, "read_bytes", lambda *arguments: pytest.fail("it was read here"))
    assert bounded.read_bytes(NESTED, "b.ipynb").problem == f"b.ipynb {bounded.TOO_MUCH}"


def test_a_file_is_read_apart_as_what_it_is(monkeypatch):
    """A browser's .txt behind .py makes it no text."""
    monkeypatch.setattr(bounded, "MEMORY", 1 << 20)
    for name in ("a.py", "a.py.txt", "A.PY.TXT"):
        assert bounded.read_bytes(LARGE.encode(), name).problem == f"{name} {bounded.TOO_MUCH}"
    assert submission.digest_of(b"", "a.py.txt") != submission.digest_of(b"", "a.txt")


def test_what_is_small_starts_no_process(monkeypatch):
    monkeypatch.setattr(subprocess, "run", lambda *arguments, **more: pytest.fail("a process was started"))
    figure = {"output_type": "display_data", "data": {"image/png": "A" * 2_000_000}}
    small = json.loads(notebook(RIGHT))
    small["cells"][0]["outputs"] = [figure]
    for data, name in ((RIGHT.encode(), "a.py"), (json.dumps(small).encode(), "a.ipynb")):
        assert bounded.read_bytes(data, name).frameworks("masked_softmax") == ["torch"]


def test_what_takes_long_to_read_is_given_up(monkeypatch):
    def too_late(command, **more):
        raise subprocess.TimeoutExpired(command, 1)

    monkeypatch.setattr(subprocess, "run", too_late)
    assert bounded.read_bytes(LARGE.encode(), "a.py").problem == f"a.py {bounded.TOO_MUCH}"


def reader(monkeypatch, before):
    """Have each process that reads run these lines first."""
    monkeypatch.setattr(bounded, "START", f"import os\n{before}\n{bounded.START}")


def test_a_reader_that_is_killed_from_outside_is_nobodys_fault(monkeypatch, tmp_path):
    """As the kernel ends a process when memory runs out: read again, and never a final zero."""
    name, text = tmp_path / "killed", (RIGHT + LARGE).encode()
    dies = f"open({str(name)!r}, 'a').write('x') > 0 and os.kill(os.getpid(), 9)"
    reader(monkeypatch, f"os.path.exists({str(name)!r}) or {dies}")
    assert bounded.read_bytes(text, "a.py").frameworks("masked_softmax") == ["torch"]
    assert name.exists()
    monkeypatch.undo()
    reader(monkeypatch, dies)
    result = grade_job(Job("a.py", text, ("masked_softmax",), None, TimeLimits(), b"key", practice=False))
    assert result.problem.startswith("a.py could not be read: the process that reads it was killed")
    assert not result.is_settled and not result.verdicts
    assert name.read_text() == "xxx"


def test_a_reader_that_uses_up_its_processor_time_was_not_killed_from_outside(monkeypatch):
    monkeypatch.setattr(bounded, "SECONDS", 1)
    endless = "sys.modules['autograder.read.submission'].read_bytes = lambda *given: exec('while 1: pass')"
    monkeypatch.setattr(bounded, "START", bounded.START.replace("sys.exit(", f"{endless}\nsys.exit("))
    assert bounded.read_bytes(LARGE.encode(), "a.py").problem == f"a.py {bounded.TOO_MUCH}"


def test_a_limit_that_the_reader_may_not_raise_costs_nobody_a_mark(monkeypatch):
    """Such as `ulimit -v` sets for all that a shell starts."""
    reader(monkeypatch, "import resource\nresource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))")
    assert bounded.read_bytes((RIGHT + LARGE).encode(), "a.py").frameworks("masked_softmax") == ["torch"]
