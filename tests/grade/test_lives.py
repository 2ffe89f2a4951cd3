"""Whatever ends a run of `grade`: nothing is left behind, and the same command continues it."""

import os
import signal
import time
from contextlib import suppress

import pytest

from autograder.grade.run import GradeOptions
from autograder.marks.gradebook import Gradebook
from autograder.model.assignment import Assignment, TimeLimits
from autograder.model.results import SubmissionResult
from autograder.read.submission import digest_of
from tests import classes
from tests.grade.runs import Run, contents, fresh_gradebook, make_class
from tests.support import RIGHT, verdict

SLEEPS = "import torch, time\ndef masked_softmax(X, valid_length):\n    time.sleep(600)\n"


@pytest.mark.slow
def test_a_killed_run_leaves_nothing_and_its_continuation_gives_the_same_marks(tmp_path):
    make_class(tmp_path / "class", 6)
    # No run ends by itself before it is killed: these files take two seconds to load. Were a single file left, the run
    # would need no judges, and nobody would see it grade.
    for i in range(3):
        (tmp_path / "class" / f"slow_{i}.py").write_text(f"import time  # {i}\ntime.sleep(2)\n{RIGHT}")
    undisturbed, book = (fresh_gradebook(tmp_path / name) for name in ("undisturbed", "book"))
    classes.grade(tmp_path / "class", undisturbed)
    for signalled in ("main", "terminal", "terminate"):
        run = Run(tmp_path / "class", book, "--source-seconds", "20")
        run.wait_until_it_grades()
        assert not run.is_over(), f"before it is ended by {signalled}: {run.main.communicate()[0]}"
        assert len(run.look()) > 2 and run.semaphores() == []
        run.kill(signalled)
        assert run.remaining() == []
    run = Run(tmp_path / "class", book, "--source-seconds", "20")
    for killed in ("judge", "zygote"):
        run.wait_until_it_grades()
        run.kill(killed)
    words, _ = run.main.communicate()
    assert run.main.returncode == 0 and run.remaining() == [], words
    assert contents(book) == contents(undisturbed)


def test_a_run_shows_of_the_same_bytes_what_was_graded_as_it_grades(tmp_path):
    """Not what was found for practice too, where the lock was not required."""
    (tmp_path / "class").mkdir()
    (tmp_path / "class" / "ann.py").write_text(RIGHT)
    book, digest = Gradebook(tmp_path / "book"), digest_of(RIGHT.encode(), "ann.py")
    for practice in (True, False):
        run = GradeOptions(Assignment.of(["masked_softmax"]), "torch", TimeLimits(), practice)
        book.begin(str(tmp_path / "class"), ["ann.py"], run.assignment, practice)
        verdict_of_file = verdict(message=f"practice: {practice}")
        book.add(
            SubmissionResult("ann.py", digest, None, (verdict_of_file,), practice=practice), run.conditions
        )
    book.close()
    (result,) = classes.grade(tmp_path / "class", tmp_path / "book", run)
    assert [v.message for v in result.verdicts] == ["practice: False"]


@pytest.mark.slow
@pytest.mark.parametrize(("answers", "times"), [(1, 1), (3, 1), (3, 2)])
def test_ctrl_c_ends_a_run_that_waits_for_an_answer_and_keeps_what_was_graded(tmp_path, answers, times):
    """As a terminal sends it, to the whole group."""
    submissions, book = tmp_path / "class", fresh_gradebook(tmp_path / "book")
    make_class(submissions, 1 if answers > 1 else 0)
    for i in range(answers):
        (submissions / f"sleeps_{i}.py").write_text(f"{SLEEPS}# {i}\n")
    run = Run(submissions, book, "--call-seconds", "600", "--seconds", "600")
    run.wait_until_it_grades(in_judges=answers > 1)
    while answers > 1 and not contents(book)[0] and not run.is_over():
        time.sleep(0.1)
    for _ in range(times):
        with suppress(ProcessLookupError):
            os.killpg(run.main.pid, signal.SIGINT)
    words, _ = run.main.communicate(timeout=120)  # long before the answer
    assert run.remaining() == []
    if times == 1:
        assert run.main.returncode == 130
        assert "Stopped. What was graded is kept; run the same command again" in " ".join(words.split())
    assert run.main.returncode in (130, -signal.SIGINT)
    assert {row.submission for row in contents(book)[0]} == ({"000.py"} if answers > 1 else set())
