"""Grading on a Dask cluster gives the same gradebook, and whatever its workers answer runs nothing here."""

import json
import os
import pickle
import signal
import subprocess
import sys
from concurrent.futures import Executor, Future
from contextlib import contextmanager
from dataclasses import replace

import pytest

from autograder.grade import cluster as cluster_module
from autograder.grade.cluster import Cluster, NotAResult, packed, unpacked
from autograder.grade.one_submission import Job
from autograder.grade.run import GradeOptions, run_all
from autograder.model.assignment import Assignment, TimeLimits
from autograder.model.errors import LockRefused, UsageError
from autograder.model.paths import ROOT
from autograder.model.results import SubmissionResult
from autograder.read.submission import digest_of
from tests.classes import grade, make_class, rows
from tests.read.test_bounds import that_ends
from tests.support import QUICK, verdict

NEVER = "def masked_softmax(X, valid_length):\n    while True: pass\n"
RUN = GradeOptions(
    Assignment.of(["masked_softmax"]), None, TimeLimits(source_seconds=20, call_seconds=10, seconds=60)
)


@contextmanager
def cluster(workers=1, answer="honest", tls=(), evil=""):
    """The address of a cluster and the process ids of its workers."""
    command = [sys.executable, "-m", "tests.grade.dask_cluster", str(workers), answer, *map(str, tls)]
    environment = {**os.environ, "DASK_TEST_EVIL": str(evil)}
    with subprocess.Popen(
        command, cwd=ROOT, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        address, *pids = process.stdout.readline().split()
        yield address, [int(pid) for pid in pids]
        process.stdin.close()


def on(address, **more):
    return replace(RUN, cluster=Cluster(address, **more))


@pytest.mark.slow
def test_a_killed_worker_of_a_cluster_changes_nothing(tmp_path):
    make_class(tmp_path / "class", 10)
    grade(tmp_path / "class", tmp_path / "local", replace(RUN, processes=1))
    killed = []
    with cluster(workers=2) as (address, pids):

        def advance(done, total):
            if done == 3:
                os.kill(pids[0], signal.SIGKILL)
                killed.append(pids[0])

        graded = run_all(tmp_path / "class", tmp_path / "cluster", on(address), advance)
    assert killed and len(graded) == 10
    assert rows(tmp_path / "cluster") == rows(tmp_path / "local")


@pytest.mark.slow
@pytest.mark.parametrize("answer", ["result", "error", "warning", "forged", "array", "objects"])
def test_what_a_worker_answers_runs_nothing_and_gives_no_marks_of_its_own(tmp_path, answer):
    make_class(tmp_path / "class", 1)
    with cluster(answer=answer, evil=tmp_path / "evil") as (address, _):
        (result,) = grade(tmp_path / "class", tmp_path / "book", on(address))
    noted = (tmp_path / "evil").read_text().split() if (tmp_path / "evil").exists() else []
    assert str(os.getpid()) not in noted
    if answer == "warning":
        assert result.verdicts[0].outcome == "accepted"
    else:
        assert result.problem and not result.verdicts and not result.is_settled
        assert "from the cluster within" not in result.problem


class ManyBytes:
    def __reduce__(self):
        return bytes, (3_000_000_000,)


def test_a_pickle_that_would_make_many_bytes_is_refused():
    with pytest.raises(TypeError):
        cluster_module._loads(pickle.dumps(ManyBytes()))
    assert cluster_module._loads(pickle.dumps(b"a result")) == b"a result"


@pytest.mark.slow
def test_what_ended_by_its_deadline_on_a_busy_cluster_is_graded_once_more_alone(tmp_path):
    make_class(tmp_path / "class", 2)
    (tmp_path / "class" / "never.py").write_text(NEVER)
    run = replace(RUN, time_limits=TimeLimits(source_seconds=20, call_seconds=1, seconds=60))
    grade(tmp_path / "class", tmp_path / "local", replace(run, processes=1))
    with cluster(answer="busy") as (address, _):
        results = grade(tmp_path / "class", tmp_path / "cluster", replace(run, cluster=Cluster(address)))
    assert [(r.name, [(v.outcome, v.is_settled) for v in r.verdicts], r.again) for r in results] == [
        ("late_001.py", [("rejected", True)], False),
        ("never.py", [("timeout", True)], True),
        ("right_000.py", [("accepted", True)], False),
    ]
    assert rows(tmp_path / "cluster") == rows(tmp_path / "local")


@pytest.mark.slow
def test_a_cluster_with_certificates_is_used_and_a_stranger_is_not(tmp_path):
    make_class(tmp_path / "class", 1)
    files = certificate(tmp_path, "own")
    with cluster(tls=files) as (address, _):
        assert address.startswith("tls://")
        (result,) = grade(
            tmp_path / "class", None, on(address, ca=files[0], certificate=files[0], key=files[1])
        )
        assert result.verdicts[0].outcome == "accepted"
        other = certificate(tmp_path, "other")
        with pytest.raises(UsageError):
            grade(tmp_path / "class", None, on(address, ca=files[0], certificate=other[0], key=other[1]))


def certificate(folder, name):
    """A certificate that is signed by itself, and its key."""
    files = folder / f"{name}.pem", folder / f"{name}.key"
    command = [
        "openssl",
        "req",
        "-x509",
        "-newkey",
        "rsa:2048",
        "-nodes",
        "-days",
        "2",
        "-subj",
        "/CN=localhost",
    ]
    subprocess.run([*command, "-out", files[0], "-keyout", files[1]], check=True, capture_output=True)
    return files


@pytest.mark.parametrize(
    "address", ["tcp://192.0.2.1:8786", "scheduler.example:8786", "tcp://[2001:db8::1]:1"]
)
def test_another_machine_is_not_spoken_to_without_encryption_unless_asked(address):
    with pytest.raises(UsageError, match="--insecure-cluster"):
        Cluster(address).refuse_open()
    Cluster(address, insecure=True).refuse_open()


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:8786", "localhost:8786", "tls://192.0.2.1:8786"])
def test_this_machine_and_an_encrypted_one_are(address):
    Cluster(address).refuse_open()


@pytest.mark.slow
def test_a_scheduler_that_is_not_there_gets_a_sentence(tmp_path):
    make_class(tmp_path / "class", 1)
    with pytest.raises(UsageError, match=r"no Dask scheduler at tcp://127\.0\.0\.1:9"):
        grade(tmp_path / "class", None, on("tcp://127.0.0.1:9"))


JOB = Job("a.py", b"x = 1\n", ("masked_softmax",), None, QUICK, b"key", False)
DIFFERENCE = {
    "output": "Y", "where": [0], "got": "1", "expected": "2", "got_map": None, "expected_map": None, "dtype": "float32"
}  # fmt: skip
RESULT = SubmissionResult("a.py", digest_of(b"x = 1\n", "a.py"), None, (verdict(outcome="accepted"),), 0.5)


def test_a_result_survives_the_way_and_a_reason_too():
    assert unpacked(packed(RESULT), JOB) == RESULT
    plain = json.loads(packed(RESULT))
    plain["verdicts"][0]["difference"] = DIFFERENCE
    assert unpacked(json.dumps(plain).encode(), JOB).verdicts[0].difference.where == (0,)
    with pytest.raises(LockRefused, match="no official mark"):
        unpacked(packed(LockRefused("no official mark")), JOB)


@pytest.mark.parametrize(
    "changes",
    [
        {"points": 100},
        {"max_points": 3},
        {"exercise": "row_entropy"},
        {"exercise": "masked_softmax_or_zero"},
        {"outcome": "excellent"},
        {"outcome": "rejected"},
        {"framework": "../torch"},
        {"message": 3},
        {"message": None},
        {"raised": ["ValueError"]},
        {"sizes": {"n": 3}},
        {"computed": {}},
        {"computed": [1.0] * 100_000},
        {"difference": DIFFERENCE | {"dtype": "float31"}},
        {"difference": DIFFERENCE | {"got_map": [1, 2]}},
        {"difference": DIFFERENCE | {"expected_map": [[1] * 500]}},
        {"message": "x" * 100_000},
        {"misconception": "<b>none</b>"},
        {"difference": {"output": 3}},
        {"final": "yes"},
    ],
    ids=str,
)
def test_a_result_with_a_forged_field_is_refused(changes):
    plain = json.loads(packed(RESULT))
    plain["verdicts"][0] |= changes
    with pytest.raises(NotAResult):
        unpacked(json.dumps(plain).encode(), JOB)


class Silent(Executor):
    """Takes every job, and ends none."""

    def submit(self, *arguments, **more):
        return Future()


def test_a_cluster_that_never_answers_is_not_waited_for(monkeypatch):
    monkeypatch.setattr(cluster_module, "PATIENCE", 0.1)
    job = replace(JOB, time_limits=replace(QUICK, submission_seconds=0.1))
    with that_ends():
        first, second = cluster_module.grade_all([job, job], Silent(), ahead=1)
    assert "got no result from the cluster within 0.2 s" in first.problem and second.problem
    assert not first.is_settled and not first.verdicts


@pytest.mark.parametrize("data", [None, "text", b"", b"[]", b"{}", b"\xff", b"[" * 100_000], ids=str)
def test_what_is_no_result_is_refused(data):
    with pytest.raises(NotAResult):
        unpacked(data, JOB)
