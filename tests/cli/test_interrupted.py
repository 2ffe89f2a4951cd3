"""Ctrl-C while a learner's file is checked: a sentence, no traceback, and nothing left behind."""

import os
import signal
import subprocess
import sys
import time

import pytest

from autograder.model.paths import ROOT

REACHED = "open('reached', 'w').close()\n"
LOOPS = {
    "in the answer, which catches exceptions": (
        f"def masked_softmax(X, valid_length):\n    {REACHED}    while True:\n"
        "        try:\n            while True: pass\n        except Exception: pass\n"
    ),
    "at the top level": f"def masked_softmax(X, valid_length):\n    return X\n{REACHED}while True: pass\n",
}


def started(folder, **variables):
    """A check of the file in a folder, once it has said that it is under way."""
    words = ["check", "answer.py", "--exercise", "masked_softmax", "--framework", "torch"]
    process = subprocess.Popen(
        [sys.executable, "-m", "autograder", *words],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{folder}", **variables},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    while not (folder / "reached").exists():
        assert process.poll() is None, process.communicate()
        time.sleep(0.02)
    return process


@pytest.mark.slow
@pytest.mark.parametrize("loop", LOOPS)
def test_a_check_that_is_stopped_says_so(tmp_path, loop):
    (tmp_path / "answer.py").write_text(LOOPS[loop])
    process = started(tmp_path)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (130, "")
    assert " ".join(err.split()) == "Stopped before answer.py was checked: is there a loop that never ends?"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["answer.py", "reached"]


@pytest.mark.slow
def test_a_second_ctrl_c_ends_what_catches_everything(tmp_path):
    catches = (
        "    while True:\n        try:\n            while True: pass\n        except BaseException: pass\n"
    )
    (tmp_path / "answer.py").write_text(f"def masked_softmax(X, valid_length):\n    {REACHED}{catches}")
    process = started(tmp_path)
    while process.poll() is None:
        process.send_signal(signal.SIGINT)
        time.sleep(0.1)
    assert process.returncode == -signal.SIGINT
    assert "Traceback" not in process.communicate()[1]


def test_ctrl_c_while_the_command_loads_shows_no_traceback(tmp_path):
    """A framework of one's own, which takes long to import, stands for the course's own modules."""
    (tmp_path / "slow.py").write_text(f"import time\n{REACHED}time.sleep(600)\n")
    process = started(tmp_path, ATTENTION_FRAMEWORKS="slow")
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (-signal.SIGINT, "", "")
