"""`--verbose`: what a run logs, and what it never does."""

import ast
import logging
import shutil
import subprocess
import sys

import pytest

from autograder import __version__
from autograder.grade import log, pool
from autograder.grade.one_submission import Job
from autograder.marks.check_versions import version_of_all
from autograder.model.paths import ROOT
from tests.support import QUICK

# The two runs that they look at are made once.
pytestmark = [pytest.mark.xdist_group("log"), pytest.mark.slow]
SAMPLES = ROOT / "tests" / "sample_class"
# A name that would clear a terminal, and then begin a line of its own.
HOSTILE = "right\x1b[2J\n2026 autograder: forged.py"


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """Grade an answer that never ends and one with a hostile name; gives (status, log) with and without --verbose."""
    folder = tmp_path_factory.mktemp("class")
    shutil.copy(SAMPLES / "never_ends.py", folder)
    shutil.copy(SAMPLES / "right.py", folder / HOSTILE)

    def graded(*words):
        command = [sys.executable, "-m", "autograder", *words, "grade", str(folder), "--practice", "--json"]
        more = ["--exercise", "masked_softmax", "--call-seconds", "1"]
        return subprocess.run([*command, *more], cwd=ROOT, capture_output=True, text=True)

    return graded("--verbose"), graded()


def test_a_run_is_told_from_its_start_to_each_submission(run):
    log = run[0].stderr
    assert __version__ in log and version_of_all(["masked_softmax"]) in log
    assert "2 submissions on" in log and "exercises: masked_softmax" in log
    assert any("layers of the lock: " in line for line in log.splitlines())
    assert any(
        "never_ends.py: " in line and line.endswith("masked_softmax torch timeout")
        for line in log.splitlines()
    )
    assert any("on masked_softmax is killed: it does not answer in time" in line for line in log.splitlines())


def test_no_word_of_a_submission_is_logged_as_it_stands(run):
    log = run[0].stderr
    assert "forged.py: " in log and "\x1b" not in log
    assert not any(line.startswith("2026 autograder: forged") for line in log.splitlines())


def test_nothing_is_logged_unless_asked(run):
    # Without a gradebook it names its key, in any case.
    assert run[1].returncode == 0 and run[1].stderr.startswith("The same inputs again: --key ")
    assert run[1].stderr.count("\n") == 1


def job(source):
    return Job("answer.py", source.encode(), ("masked_softmax",), "torch", QUICK, b"key", True)


def test_a_zygote_that_dies_is_replaced_and_told(caplog):
    caplog.set_level(logging.INFO, "autograder")
    source = (SAMPLES / "right.py").read_text()
    first = pool._ZYGOTE.get()
    first.process.kill()
    first.process.wait()
    assert pool.grade_job(job(source)).verdicts[0].outcome == "accepted"
    assert "the zygote has died and is replaced" in caplog.messages
    assert pool._ZYGOTE.get() is pool._ZYGOTE.zygote is not first


def test_a_traceback_forges_no_line():
    try:
        raise ValueError("first\n2026-11-21 autograder: forged\x1b[2J")
    except ValueError:
        record = logging.LogRecord("autograder", logging.ERROR, "", 0, "failed", None, sys.exc_info())
    first, *more = log._Lines(log.FORMAT).format(record).split("\n")
    assert first.endswith("failed") and more
    assert all(line.startswith("    ") and "\x1b" not in line for line in more)


def test_the_process_that_runs_submissions_logs_nothing():
    for room in ("sandbox", "frameworks"):
        for path in (ROOT / "autograder" / room).glob("*.py"):
            for node in ast.walk(ast.parse(path.read_text())):
                names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
                names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
                assert not {"logging", "autograder.grade.log"} & set(names), path
