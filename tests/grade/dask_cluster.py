"""A Dask cluster in a process of its own, for tests: `dask_cluster.py WORKERS ANSWER [CERTIFICATE KEY]`.

Prints the scheduler's address and its workers' process ids, and ends when its standard input is closed. ANSWER is what
a worker gives back in the place of a result: `honest` for a result; `busy` for one from a machine that keeps
submissions waiting; `forged` for one with other points; `array` and `objects` for an array; the others run code in
whoever unpickles them, which writes into the file that the variable EVIL names.
"""

import os
import sys

import numpy
from distributed import LocalCluster, Security, get_worker

from autograder.grade import cluster as grading
from autograder.sandbox.clock import Clock

EVIL = "DASK_TEST_EVIL"


class Evil:
    """Notes the number of each process that unpickles it."""

    def __reduce__(self):
        return exec, (f"import os; open({os.environ[EVIL]!r}, 'a').write(f'{{os.getpid()}} ')",)


class EvilError(Exception):
    __reduce__ = Evil.__reduce__


def result(job):
    return Evil()


def error(job):
    raise EvilError


def warning(job):
    import pickle

    get_worker().log_event("warn", {"message": pickle.dumps(Evil())})
    return honest(job)


def array(job):
    return numpy.ones(3)


def objects(job):
    return numpy.array([Evil(), job], dtype=object)


def busy(job):
    Clock.was_kept_waiting = lambda clock: True
    return honest(job)


def forged(job):
    return honest(job).replace(b'"points": 1', b'"points": 100').replace(b'"points": 2', b'"points": 100')


honest = grading.grade_packed


if __name__ == "__main__":
    workers, answer, *tls = sys.argv[1:]
    if answer != "honest":
        grading.grade_packed = globals()[answer]
    security = None
    if tls:
        files = {f"tls_{who}_cert": tls[0] for who in ("scheduler", "worker", "client")}
        files |= {f"tls_{who}_key": tls[1] for who in ("scheduler", "worker", "client")}
        security = Security(tls_ca_file=tls[0], require_encryption=True, **files)
    with LocalCluster(
        n_workers=int(workers), threads_per_worker=1, processes=int(workers) > 1, security=security,
        dashboard_address=None, protocol="tls://" if tls else "tcp://", host="127.0.0.1",
    ) as cluster:  # fmt: skip
        pids = [w.process.pid for w in cluster.workers.values()] if int(workers) > 1 else []
        sys.stdout.write(" ".join([cluster.scheduler_address, *map(str, pids)]) + "\n")
        sys.stdout.flush()
        sys.stdin.read()
