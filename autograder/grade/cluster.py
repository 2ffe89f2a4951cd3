"""Grades on a Dask cluster: whom to speak to, and what to believe of what comes back.

Dask's own client unpickles what workers send, and a pickle runs what it likes. Here results travel as
JSON, the client may unpickle plain values only, and every field of a result is checked.
"""

import io
import json
import math
import pickle
from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import urlsplit

from autograder.diagnose.matcher import is_known
from autograder.frameworks import graded_frameworks
from autograder.grade.one_submission import Job
from autograder.grade.pool import grade_job, not_graded
from autograder.model.catalogue import all_exercises
from autograder.model.errors import AutograderError, LockRefused, UsageError, ZygoteFailed
from autograder.model.finding import Kind
from autograder.model.results import SubmissionResult
from autograder.model.verdict import MAX_MAP, OUTCOMES, RTOL, Verdict
from autograder.read.submission import digest_of

ENCRYPTED = ("tls", "wss")
HERE = ("127.0.0.1", "localhost", "::1")
MAX_TEXT, MAX_NUMBERS = 20_000, 1_000
# In flight for each processor: enough to keep it busy, few enough to keep memory flat.
IN_FLIGHT = 4
# Seconds without any result, beyond those that one submission may take.
PATIENCE = 120.0
TEXTS = ("layer", "misconception", "hint", "case", "flag", "kind", "cause", "raised", "sizes")


@dataclass(frozen=True)
class Cluster:
    """Where a Dask scheduler is. Certificates that are not named are those of Dask's own configuration.

    insecure: speak to another machine without encryption all the same.
    """

    address: str
    ca: Path | None = None
    certificate: Path | None = None
    key: Path | None = None
    insecure: bool = False

    def refuse_open(self) -> None:
        """Raise UsageError where whoever is on the network between could give marks, and run code."""
        parts = urlsplit(self.address if "://" in self.address else f"tcp://{self.address}")
        if parts.scheme not in ENCRYPTED and not self.insecure and parts.hostname not in HERE:
            raise UsageError(
                f"Anyone who reaches {self.address} could read the course's key, give marks and run code there: "
                "use tls:// with --cluster-ca, --cluster-certificate and --cluster-key, or say "
                "--insecure-cluster on a network of your own."
            )

    @contextmanager
    def client(self) -> Iterator[Any]:
        """Connect a client of the scheduler that unpickles plain values only. Raises UsageError."""
        self.refuse_open()
        try:
            from distributed import Client, Security
        except ImportError as error:
            raise UsageError("Grading on a cluster needs `pip install distributed`.") from error
        paths = {"tls_ca_file": self.ca, "tls_client_cert": self.certificate, "tls_client_key": self.key}
        settings: dict[str, Any] = {name: str(path) for name, path in paths.items() if path}
        with _only_plain_values():
            try:
                # Through the scheduler: no worker is spoken to directly.
                client = Client(
                    self.address, timeout=10, security=Security(**settings), direct_to_workers=False
                )
            except (OSError, TimeoutError, TypeError, ValueError, RuntimeError) as error:
                raise UsageError(f"There is no Dask scheduler at {self.address}: {error}.") from error
            with client:
                yield client


class PlainBytes(bytes):
    """The type of a task's result, which Dask names. Of a number, `bytes` would make so many."""

    def __new__(cls, content: bytes = b"") -> "PlainBytes":
        if not isinstance(content, bytes):
            raise TypeError(f"bytes are made of bytes here, but {content!r} is given")
        return super().__new__(cls, content)


# All that a pickle may name.
PLAIN = {("builtins", "bytes"): PlainBytes}


class Placeholder(Exception):
    """Stands in for an object that is not unpickled here. Dask expects one, and waits for ever if there is none."""

    def __init__(self, *values: object, **more: object) -> None:
        super().__init__("an object that is no plain value")

    def __setstate__(self, state: object) -> None:
        pass

    @classmethod
    def in_place_of(cls, header: object, frames: object) -> "Placeholder":
        """Stand in for what Dask has packed without pickle, such as an array: of that too it asks for the type."""
        return cls()


class _PlainUnpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        if module.startswith("tblib"):
            raise TypeError("no traceback is unpickled here")  # which Dask then does without
        return PLAIN.get((module, name), Placeholder)


def _loads(data: Any, /, *, buffers: Any = ()) -> Any:
    return _PlainUnpickler(io.BytesIO(data), buffers=buffers).load()


@contextmanager
def _only_plain_values() -> Iterator[None]:
    """Let Dask unpickle nothing else, in the whole process: it has no setting for that."""
    from distributed import client
    from distributed.protocol import pickle as protocol
    from distributed.protocol.serialize import dask_deserialize

    dask_deserialize.register(Placeholder, Placeholder.in_place_of)
    plain_pickle = SimpleNamespace(**{**vars(pickle), "loads": _loads})
    client.pickle, protocol.pickle = plain_pickle, plain_pickle
    try:
        yield
    finally:
        client.pickle, protocol.pickle = pickle, pickle


def grade_on_cluster(
    jobs: Iterable[Job], cluster: Cluster, at_once: int | None = None
) -> Iterator[SubmissionResult]:
    """Grade on all machines of a cluster, as the results come. Raises UsageError.

    at_once: how many are in flight; as many as keep all machines busy if None.
    """
    with cluster.client() as client:
        workers = max(1, sum(client.nthreads().values()))
        yield from grade_all(jobs, client.get_executor(pure=False), ahead=at_once or workers * IN_FLIGHT)


def grade_all(jobs: Iterable[Job], executor: Executor, ahead: int) -> Iterator[SubmissionResult]:
    """Grade jobs as they come, a few ahead, in the order in which they end.

    A job that the executor gives up is that submission's problem, but where the whole executor is broken. Where
    nothing comes back for longer than any submission may take, none of those in flight is waited for.
    """
    waiting: dict[Future[bytes], Job] = {}
    pending = iter(jobs)
    while True:
        for job in islice(pending, ahead - len(waiting)):
            waiting[executor.submit(grade_packed, job)] = job
        if not waiting:
            return
        silence = PATIENCE + max(job.time_limits.submission_seconds for job in waiting.values())
        done, _ = wait(waiting, timeout=silence, return_when=FIRST_COMPLETED)
        if not done:
            for future, job in waiting.items():
                future.cancel()
                yield not_graded(job, f"got no result from the cluster within {silence:g} s")
            waiting.clear()
        for future in done:
            yield _received(future, waiting.pop(future))


def _received(future: "Future[bytes]", job: Job) -> SubmissionResult:
    try:
        return unpacked(future.result(), job)
    except (AutograderError, BrokenExecutor):
        raise
    except NotAResult:
        return not_graded(job, "was answered by the cluster with something that is no result")
    except Exception as error:  # such as Dask's KilledWorker
        return not_graded(job, f"ended the process that graded it ({type(error).__name__})")


def grade_packed(job: Job) -> bytes:
    """Grade one submission, on a machine of the cluster."""
    try:
        return packed(grade_job(job))
    except AutograderError as error:
        return packed(error)


def packed(result: SubmissionResult | AutograderError) -> bytes:
    """Pack a result, or the reason why this machine cannot grade, as bytes."""
    if isinstance(result, AutograderError):
        fields: dict[str, Any] = {"refused": str(result), "lock": isinstance(result, LockRefused)}
    else:
        fields = {**vars(result), "verdicts": [verdict.as_dict() for verdict in result.verdicts]}
    return json.dumps(fields).encode()


class NotAResult(Exception):
    """What came back has not the form of a result."""


def unpacked(data: Any, job: Job) -> SubmissionResult:
    """Unpack and check what `packed` packed for this job. Raises NotAResult, LockRefused and ZygoteFailed."""
    try:
        fields = json.loads(data) if isinstance(data, bytes) else None
        if isinstance(fields, dict) and isinstance(fields.get("refused"), str):
            raise (LockRefused if fields.get("lock") is True else ZygoteFailed)(fields["refused"][:MAX_TEXT])
        return _result(fields, job)
    except (KeyError, IndexError, TypeError, ValueError, AttributeError, RecursionError) as error:
        raise NotAResult from error


def _result(fields: Any, job: Job) -> SubmissionResult:
    problem, seconds, is_settled = fields["problem"], fields["seconds"], fields["is_settled"]
    _require(fields["digest"] == digest_of(job.data, job.name) and type(is_settled) is bool)
    _require(problem is None or _is_text(problem))
    _require(type(seconds) in (int, float) and math.isfinite(seconds) and seconds >= 0)
    verdicts = tuple(_verdict(verdict, job) for verdict in fields["verdicts"])
    return SubmissionResult(job.name, fields["digest"], problem, verdicts, seconds, job.practice, is_settled)


def _verdict(fields: Any, job: Job) -> Verdict:
    exercise = all_exercises()[fields["exercise"]]
    _require(exercise.name in job.exercises and fields["outcome"] in OUTCOMES)
    _require(fields["framework"] in (*graded_frameworks(), "?"))
    _require(fields["points"] == (exercise.points if fields["outcome"] == "accepted" else 0))
    _require(fields["max_points"] == exercise.points and type(fields["final"]) is bool)
    _require(_is_text(fields["message"]))
    _require(all(fields[name] is None or _is_text(fields[name]) for name in TEXTS))
    _require(fields["kind"] is None or fields["kind"] in tuple(Kind))
    if (name := fields["misconception"]) is not None:
        _require(is_known(exercise, name))
    if (numbers := fields["computed"]) is not None:
        _require(type(numbers) is list and len(numbers) <= MAX_NUMBERS)
        _require(all(type(number) is float and math.isfinite(number) for number in numbers))
    if (difference := fields.get("difference")) is not None:
        _require(_is_text(difference["output"]) and difference["dtype"] in RTOL)
        _require(all(type(n) is int for n in difference["where"]))
    verdict = Verdict.from_dict(fields)
    if verdict.difference is not None:
        maps = (verdict.difference.got_map, verdict.difference.expected_map)
        _require(all(m is None or (m.ndim == 2 and m.size <= MAX_MAP) for m in maps))
    return verdict


def _require(holds: bool) -> None:
    if not holds:
        raise ValueError("a field of the result is not what a grader sends")


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and len(value) <= MAX_TEXT
