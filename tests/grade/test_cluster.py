"""Grading on a Dask cluster gives the same gradebook, even if a worker is killed."""

import os
import signal
import threading
import time

import pytest

from autograder.grade.processes import Deadlines
from autograder.grade.run import ClusterError, GradeOptions, run_all
from tests.classes import grade, make_class, rows

RUN = {
    "exercises": ("masked_softmax",),
    "framework": None,
    "deadlines": Deadlines(source=20, call=10, whole=60),
}


@pytest.mark.slow
def test_a_killed_worker_of_a_cluster_changes_nothing(tmp_path):
    from distributed import LocalCluster

    make_class(tmp_path / "class", 30)
    grade(tmp_path / "class", tmp_path / "local", GradeOptions(**RUN, processes=1))
    with LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster:
        pids = [worker.process.pid for worker in cluster.workers.values()]
        killed = []

        def advance(done, total):
            if done == 5:
                os.kill(pids[0], signal.SIGKILL)
                killed.append(pids[0])

        run = GradeOptions(**RUN, cluster=cluster.scheduler_address)
        graded = run_all(tmp_path / "class", tmp_path / "cluster", run, advance)
    assert killed and len(graded) == 30
    assert rows(tmp_path / "cluster") == rows(tmp_path / "local")


@pytest.mark.slow
def test_a_scheduler_that_is_not_there_gets_a_sentence(tmp_path):
    make_class(tmp_path / "class", 1)
    run = GradeOptions(**RUN, cluster="tcp://127.0.0.1:9")
    begun = time.monotonic()
    try:
        run_all(tmp_path / "class", None, run, lambda done, total: None)
    except ClusterError as error:
        assert "no Dask scheduler at tcp://127.0.0.1:9" in str(error)
    else:
        raise AssertionError("a scheduler was found where there is none")
    assert time.monotonic() - begun < 60
    assert threading.active_count() < 50
