"""Reads what a stranger handed in so that it cannot take the reading process's memory or time.

What is small is read in place: 64 kB of code take at most 60 MB and half a second, as measured on the worst
sources that were found. What is larger is first read in a process with limits, which gives back nothing but
that it could be read; reading it again, here, then takes no more.
"""

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

from autograder.model.assignment import MEGABYTES
from autograder.model.errors import Unreadable
from autograder.model.paths import ROOT
from autograder.read import submission
from autograder.read.cells import code_cells
from autograder.read.encodings import ending_of, is_notebook
from autograder.read.submission import Submission, digest_of, text_of

# Characters of code, and brackets and commas of JSON, that are read in place.
SMALL_CODE, SMALL_JSON = 64 << 10, 100_000
# What reading the largest may take: it grows by a quarter of this on the worst notebooks of 10 MB.
MEMORY = 1 << 30
SECONDS = 20
# How many reading processes may be killed from outside over the same submission.
ATTEMPTS = 2
TOO_MUCH = "takes too much memory or time to read: hand in less code, without outputs."
START = """
import sys
sys.path.insert(0, {root!r})
from autograder.sandbox.parent import die_with
die_with({parent})
from autograder.read.bounded import read_here
sys.exit(read_here(sys.stdin.buffer.read(), {name!r}, {memory}, {seconds}, {megabytes}))
"""
HELD = re.compile(r"^VmHWM:\s+(\d+) kB", re.MULTILINE)
# More threads of NumPy's would reserve more memory than the limit.
ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}


class ReaderKilled(Exception):
    """The process that reads was killed, and by no limit of its own: the kernel lacked memory, say."""


def read_bytes(data: bytes, name: str, megabytes: float = MEGABYTES) -> Submission:
    """Read a submission from a stranger's bytes. One that cannot be read, or not within limits, has a problem.

    megabytes: what it may hold. Raises ReaderKilled.
    """
    try:
        if len(data) > SMALL_CODE and not _is_small(data, name, megabytes):
            _read_apart(data, name, megabytes)
    except Unreadable as problem:
        return Submission(name, digest_of(data, name), problem=f"{name} {problem}")
    return submission.read_bytes(data, name, megabytes)


def _is_small(data: bytes, name: str, megabytes: float) -> bool:
    text = text_of(data, name, megabytes)
    in_notebook = is_notebook(name, text)
    if in_notebook and sum(map(text.count, "[{,")) > SMALL_JSON:
        return False
    return sum(len(source) for _, _, source in code_cells(text, in_notebook)) <= SMALL_CODE


def _read_apart(data: bytes, name: str, megabytes: float) -> None:
    """Read it in a process with limits. Raises Unreadable if that does not end well."""
    kind = f"a{ending_of(name)}"
    limits = {"memory": MEMORY, "seconds": SECONDS, "megabytes": megabytes}
    code = START.format(root=str(ROOT), parent=os.getpid(), name=kind, **limits)
    command, environment = [sys.executable, "-I", "-c", code], {**os.environ, **ONE_THREAD}
    for _ in range(ATTEMPTS):
        try:
            done = subprocess.run(
                command, input=data, capture_output=True, timeout=3 * SECONDS, cwd="/", env=environment
            )
        except subprocess.TimeoutExpired as error:
            raise Unreadable(TOO_MUCH) from error
        if not done.returncode:
            return
        if done.returncode != -signal.SIGKILL:
            raise Unreadable(TOO_MUCH)
    raise ReaderKilled


def read_here(data: bytes, name: str, memory: int, seconds: int, megabytes: float = MEGABYTES) -> bool:
    """Do all the work on a submission that grows with its text, in a process of its own; keep nothing of it.

    memory, in bytes, and seconds: what this may take. megabytes: what the submission may hold. Gives whether it took more memory than that.
    """
    try:
        import resource
    except ImportError:
        resource = None  # type: ignore[assignment]  # other systems have the deadline alone
    if resource:
        # Beyond twice the memory nothing is given; up to there it is counted, since parsers survive a refusal.
        statm = Path("/proc/self/statm")
        size = int(statm.read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE") if statm.exists() else 1 << 30
        room = size + 2 * memory
        # The processor's limit ends it with a signal of its own, a second before it would be SIGKILL.
        for what, soft, hard in (
            (resource.RLIMIT_AS, room, room),
            (resource.RLIMIT_CPU, seconds, seconds + 1),
            (resource.RLIMIT_CORE, 0, 0),
        ):
            _, most = resource.getrlimit(what)
            if most != resource.RLIM_INFINITY:  # such as `ulimit -v` sets, which may not be raised
                soft, hard = min(soft, most), min(hard, most)
            resource.setrlimit(what, (soft, hard))
    before = _peak()
    learner_code = submission.read_bytes(data, name, megabytes)
    for framework in learner_code.definitions.imported:
        learner_code.sources(framework)
    for cell in learner_code.cells:
        len(cell.code)
    return _peak() - before > memory


def _peak() -> int:
    """Return the most memory, in bytes, that this process has held; 0 where the system does not say.

    `getrusage` would begin with what the process that started this one has held.
    """
    status = Path("/proc/self/status")
    match = HELD.search(status.read_text()) if status.exists() else None
    return int(match[1]) << 10 if match else 0
