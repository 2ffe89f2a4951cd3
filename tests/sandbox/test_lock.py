"""The lock: whose files and which files a worker may reach."""

import os
import stat
import struct
import sys
from itertools import pairwise
from pathlib import Path

import pytest

from autograder.grade.run import GradeOptions, run_all
from autograder.model.assignment import Assignment, TimeLimits
from autograder.model.catalogue import all_exercises
from autograder.model.errors import UsageError
from autograder.model.paths import ROOT
from autograder.sandbox import lock, readable_files
from tests.support import RIGHT, graded, solution

WHO = "import os\ndef masked_softmax(X, valid_length):\n    raise ValueError(f'uid {os.getuid()} {os.geteuid()}')\n"


MXNET_FUNCTION = """
from mxnet import autograd

class Copy(autograd.Function):
    def forward(self, X):
        return X * 1
    def backward(self, gradient):
        return gradient

reference = masked_softmax
def masked_softmax(X, valid_length):
    return reference(Copy()(X), valid_length)
"""
LIBRARIES_THAT_ASK_FOR_THREADS = {
    "torch, four threads": (
        "torch",
        "import torch\ntorch.set_num_threads(4)\ntorch.randn(3000, 3000).exp()\n" + RIGHT,
    ),
    "torch, four threads when called": (
        "torch",
        RIGHT.replace(
            "    if valid",
            "    torch.set_num_threads(4); torch.randn(600, 600) @ torch.randn(600, 600)\n    if valid",
            1,
        ),
    ),
    "mxnet, a function with its own gradient": ("mxnet", MXNET_FUNCTION),
}


def all_may_read(path):
    """Whether every user may read a file: its own rights and those of the folders above."""
    parents = all(stat.S_IMODE(parent.stat().st_mode) & 0o001 for parent in path.parents)
    return parents and bool(stat.S_IMODE(path.stat().st_mode) & 0o004)


def test_a_submission_runs_as_a_user_that_owns_nothing_where_that_can_be(zygote):
    (verdict,) = graded(zygote, WHO, "who.py", [all_exercises()["masked_softmax"]], "torch")
    needed = [Path(os.__file__), *(Path(m.__file__) for m in (sys.modules["numpy"], pytest))]
    if os.getuid() != 0:
        assert f"uid {os.getuid()} {os.geteuid()}" in verdict.message
    elif all(map(all_may_read, needed)):
        assert f"uid {lock.DEDICATED_USER} {lock.DEDICATED_USER}" in verdict.message
    else:
        pytest.skip("the interpreter lies where only its owner may read, so the user is kept")


@pytest.mark.parametrize("name", LIBRARIES_THAT_ASK_FOR_THREADS)
def test_libraries_that_would_start_threads_work_without(zygote, name):
    framework, source = LIBRARIES_THAT_ASK_FOR_THREADS[name]
    if framework == "mxnet":
        source = Path(solution("masked_softmax", "mxnet").__file__).read_text() + source
    exercise = all_exercises()["masked_softmax"]
    (verdict,) = graded(zygote, source, "threads.py", [exercise], framework)
    assert verdict.outcome == "accepted", verdict


def test_an_answer_that_starts_a_thread_is_told_so(zygote):
    source = RIGHT.replace(
        "    if valid",
        "    import threading; threading.Thread(target=print).start()\n    if valid",
        1,
    )
    (verdict,) = graded(zygote, source, "threads.py", [all_exercises()["masked_softmax"]], "torch")
    assert verdict.outcome == "error" and "can't start new thread" in verdict.message


def raised(lines):
    """A submission that raises what its lines leave in `found`."""
    body = "".join(f"    {line}\n" for line in lines.splitlines())
    return f"def masked_softmax(X, valid_length):\n{body}    raise ValueError(f'found {{found}}')\n"


def test_no_advice_breaks_memory_of_the_machine(zygote):
    """MADV_HWPOISON takes a page from all processes that share it, and root may ask for it. Here it is of no bytes."""
    advice = (
        "import ctypes\nlibc = ctypes.CDLL(None, use_errno=True)\n"
        "found = [(libc.madvise(None, 0, n), ctypes.get_errno()) for n in (4, 100, 101)]"
    )
    (verdict,) = graded(zygote, raised(advice), "a.py", [all_exercises()["masked_softmax"]], "torch")
    assert "found [(0, 0), (-1, 1), (-1, 1)]" in verdict.message


def test_what_a_submission_does_to_its_descriptors_no_other_sees(zygote):
    flags = "import fcntl, os\nfound = [fcntl.fcntl(n, fcntl.F_GETFL) & os.O_APPEND for n in (0, 1, 2)]"
    leave = "import fcntl, os\nfound = [fcntl.fcntl(n, fcntl.F_SETFL, os.O_APPEND) for n in (0, 1, 2)]"
    messages = [
        graded(zygote, raised(lines), "a.py", [all_exercises()["masked_softmax"]], "torch")[0].message
        for lines in (flags, leave, flags)
    ]
    assert all("found [0, 0, 0]" in message for message in messages)


def test_each_version_of_landlock_handles_what_the_one_before_does():
    """So that what version 1 leaves open to no attack, no later one does."""
    handled = [lock.landlock_attributes(version).ljust(24, b"\0") for version in range(1, 8)]
    fields = [struct.unpack("<3Q", attributes) for attributes in handled]
    for earlier, later in pairwise(fields):
        assert all(a & b == a for a, b in zip(earlier, later, strict=True))
    assert len(set(fields)) == 6  # version 7 handles nothing more, and writes a log


def test_only_libraries_and_programs_are_readable():
    paths = readable_files.readable_paths()
    assert not any(path.resolve() in (ROOT, *ROOT.parents) for path in paths)
    for path in ("/usr/local/share", "/usr/src", "/etc/passwd", "/home", "/tmp"):
        assert readable_files.readable_parent(Path(path)) is None
    assert readable_files.readable_parent(ROOT / "solutions" / "masked_softmax" / "in_numpy.py") is None
    assert readable_files.readable_parent(Path(os.__file__)) is not None


def test_the_course_is_left_out_of_a_folder_that_may_be_read(tmp_path, monkeypatch):
    """As after `pip install`: beside the libraries, and yet closed."""
    for name in ("numpy", "solutions", "exercises"):
        (tmp_path / "lib" / "site-packages" / name).mkdir(parents=True)
    (tmp_path / "lib" / "other").mkdir()
    packages = tmp_path / "lib" / "site-packages"
    monkeypatch.setattr(readable_files, "COURSE", (packages / "solutions", packages / "exercises"))
    monkeypatch.setattr(readable_files.sys, "prefix", str(tmp_path))
    paths = [path for path in readable_files.readable_paths() if tmp_path in path.parents]
    assert paths == [tmp_path / "lib" / "other", packages / "numpy"]
    assert readable_files.listable_folders() == [tmp_path / "lib", packages]
    assert readable_files.readable_parent(packages / "solutions" / "in_numpy.py") is None


def test_grading_refuses_what_submissions_could_read(tmp_path, monkeypatch):
    (tmp_path / "lib" / "class").mkdir(parents=True)
    monkeypatch.setattr(readable_files.sys, "prefix", str(tmp_path))
    options = GradeOptions(Assignment.of(["masked_softmax"]), None, TimeLimits())
    with pytest.raises(UsageError, match=r"class lies below .*lib, which submissions may read: move it"):
        run_all(tmp_path / "lib" / "class", tmp_path / "book", options, print)
    with pytest.raises(UsageError, match="book lies below"):
        run_all(tmp_path, tmp_path / "lib" / "book", options, print)
