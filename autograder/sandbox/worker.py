"""One submission's process: runs the source and answers requests, once the lock is on."""

import ast
import codeop
import linecache
import signal
import socket
import sys
import threading
import time
import types
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import islice
from typing import TYPE_CHECKING, Any, cast

from autograder.frameworks import adapter_of
from autograder.sandbox.clock import Clock
from autograder.sandbox.refusals import refusing
from autograder.sandbox.requests import CallsRequest
from autograder.sandbox.session import Session, describe_error
from autograder.sandbox.wire import (
    Arrays,
    Closed,
    Header,
    WireError,
    encode,
    receive,
    send,
    send_frames,
    unpack_texts,
)

if TYPE_CHECKING:
    from autograder.sandbox.board import Board

MAX_ERRORS, MAX_CHARACTERS = 20, 200
# What is said of a reply that is longer than a frame may be: so many errors, each cut.
MAX_SHORT = 4
TOO_LONG = "what it returns, or what is said of it, is far longer than what is asked for"
# After the limit for a source, each further statement has this share of it.
LAST_SHARE = 0.02
# After how many bytes, or seconds, replies are sent that were to be sent together.
FLUSH_BYTES, FLUSH_SECONDS = 1 << 16, 0.005


class StatementTimeout(BaseException):
    """Raised in a statement that runs too long. No `except Exception` of a learner's catches it."""


def serve(connection: socket.socket, layers: dict[str, bool], clock: Clock, board: "Board") -> None:
    """Answer one request at a time until the judge hangs up; first say which layers hold.

    clock: this process's own, which cannot be opened behind the lock. board: where statements are noted as they begin.
    """
    submission: LoadedSource | None = None
    send(connection, {"ready": True, "layers": layers}, [])
    while True:
        try:
            header, arrays = receive(connection)
        except (Closed, WireError):
            return
        if header["do"] == "source":
            submission = LoadedSource(header, arrays, clock, board)
        elif submission is None:
            return
        if header["do"] == "calls":
            _answer_all(connection, submission.exchange_all(cast(CallsRequest, header), arrays))
        else:
            send_frames(connection, _encoded(submission.select(header["entry"]), []))


def _answer_all(connection: socket.socket, replies: Iterable[tuple[Header, Arrays]]) -> None:
    """Send replies, those of short calls together: each send wakes the judge, which takes longer than such a call."""
    frames, begun = b"", time.monotonic()
    for reply in replies:
        frames += _encoded(*reply)
        if len(frames) > FLUSH_BYTES or time.monotonic() - begun > FLUSH_SECONDS:
            send_frames(connection, frames)
            frames, begun = b"", time.monotonic()
    send_frames(connection, frames)


def _encoded(reply: Header, arrays: Arrays) -> bytes:
    """Return a reply's frame; of one that is longer than a frame may be, what its learner needs to know."""
    try:
        return encode(reply, arrays)
    except WireError:
        return encode(short(reply), [])


def short(reply: Header) -> Header:
    """Return a reply that fits into a frame, whatever the submission has put into this one."""
    if "errors" in reply:
        return {**reply, "errors": [_cut(error) for error in reply["errors"][:MAX_SHORT]]}
    if "error" in reply:
        return {"error": _cut(reply["error"])}
    return {"contract_broken": TOO_LONG}


def _cut(error: Header) -> Header:
    """Return an error with short texts alone."""
    return {key: value[:MAX_CHARACTERS] if isinstance(value, str) else value for key, value in error.items()}


class LoadedSource:
    """A submission's source after it has run, and the entry at hand."""

    def __init__(self, header: Header, arrays: Arrays, clock: Clock, board: "Board") -> None:
        texts = unpack_texts(arrays[0])
        self.cells = {f"<{name}>": text for name, text in texts["cells"].items()}
        provided = texts["provided"]
        self.adapter = adapter_of(header["framework"])
        helpers = _provide(provided)
        sys.modules["autograder"].solved = lambda framework: types.SimpleNamespace(**helpers)  # type: ignore[attr-defined]
        # A submission finds none of the grader's modules by name; the stub with `check` stays. They are kept: freeing
        # them would write to a thousand pages that are shared with the zygote.
        self.hidden = [sys.modules.pop(name, None) for name in names_of_the_grader()]
        with refusing(header["forbidden"]):
            self.namespace, self.errors = run_cells(self.cells, header["seconds"], clock, board)
        if header["override"]:
            self.namespace.update(helpers)
        self.session: Session | None = None

    def select(self, entry: str) -> Header:
        is_defined = entry in self.namespace
        is_own = self.cells.__contains__
        self.session = Session(self.adapter, self.namespace[entry], is_own) if is_defined else None
        return {"found": is_defined, "errors": self.errors}

    def exchange_all(self, request: CallsRequest, arrays: Arrays) -> Iterator[tuple[Header, Arrays]]:
        if self.session is None:
            yield {"contract_broken": "there is no entry"}, []
            return
        rest = iter(arrays)
        arrays_of_calls = [list(islice(rest, count)) for count in request["counts"]]
        yield from self.session.exchange_all(list(zip(request["calls"], arrays_of_calls, strict=True)))


def _provide(provided: dict[str, str]) -> dict[str, Any]:
    """Make modules that a submission may import, by their dotted names: reference solutions of what it builds on.

    Returns what they define.
    """
    names: dict[str, Any] = {}
    autograder: Any = types.ModuleType("autograder")
    autograder.check = autograder.hint = lambda *arguments, **more: None
    sys.modules["autograder"] = autograder
    for package in dict.fromkeys(["solutions", *(name.rpartition(".")[0] for name in provided)]):
        sys.modules[package] = types.ModuleType(package)
        sys.modules[package].__path__ = []
    for name, text in provided.items():
        package, _, last = name.rpartition(".")
        module = types.ModuleType(name)
        sys.modules[name] = module
        setattr(sys.modules[package], last, module)
        exec(compile(text, f"<{name}>", "exec"), module.__dict__)
        names |= {k: v for k, v in vars(module).items() if getattr(v, "__module__", "") == name}
    return names


@cache
def names_of_the_grader() -> list[str]:
    """Return the grader's modules that are imported at the first call: in the zygote, before it forks.

    In a worker it would write to the count of references of every module's name.
    """
    return [name for name in sys.modules if name.startswith("autograder.")]


def run_cells(
    cells: dict[str, str],
    seconds: float | None = None,
    clock: Clock | None = None,
    board: "Board | None" = None,
) -> tuple[dict[str, Any], list[Header]]:
    """Run sources in one module, statement by statement: one that fails stops no other.

    seconds: after which a statement that still runs is stopped, and soon each that follows; None for no limit.
    clock: on which they count; one of this process if None. board: where each is noted as it begins. Gives what they
    define, and a header for each that failed.
    """
    module = types.ModuleType("submission")
    sys.modules["submission"] = module
    errors: list[Header] = []
    compiled = codeop.Compile()  # what a cell imports from __future__ holds for all that follows
    if board:
        board.clear()
    with StatementLimit(seconds, clock) as limit:
        for number, (filename, source) in enumerate(cells.items(), 1):
            linecache.cache[filename] = (len(source), None, source.splitlines(keepends=True), filename)
            try:
                statements = ast.parse(source, filename).body
            except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
                errors.append({"cell": filename, **describe_error(error, cells.__contains__)})
                continue
            for statement in statements:
                line = min(node.lineno for node in (statement, *getattr(statement, "decorator_list", [])))
                if board:
                    board.begin(number, line)
                try:
                    module_of_one: Any = ast.Module([statement], [])
                    limit.run(compiled(module_of_one, filename, "exec"), module.__dict__)
                except StatementTimeout:
                    if board:
                        board.stop(number, line)
                    errors.append({"cell": filename, "type": "Stopped", "line": line})
                except (Exception, SystemExit, KeyboardInterrupt) as error:
                    errors.append({"cell": filename, **describe_error(error, cells.__contains__)})
    if board:
        board.clear()
    errors.sort(key=lambda error: error["type"] != "Stopped")  # of many, these must not be lost
    return module.__dict__, [
        {key: value[:MAX_CHARACTERS] if isinstance(value, str) else value for key, value in error.items()}
        for error in errors[:MAX_ERRORS]
    ]


class StatementLimit:
    """Stops statements that still run after a number of seconds; None for no limit. A context manager.

    Honest code is stopped by this, and what it defined before and defines after can be judged. Code that
    works against it meets the deadline of the process that grades.
    """

    def __init__(self, seconds: float | None, clock: Clock | None) -> None:
        # Other systems have no such timer, and signals go to the main thread alone.
        here = threading.current_thread() is threading.main_thread() and hasattr(signal, "setitimer")
        self.seconds = seconds if here else None
        self.clock = clock
        self.running = False

    def __enter__(self) -> "StatementLimit":
        if self.seconds is not None:
            self.clock = self.clock or Clock()
            self.previous = signal.signal(signal.SIGALRM, self._stop)
            self._allow(self.seconds)
        return self

    def _allow(self, seconds: float) -> None:
        assert self.clock is not None
        self.end = self.clock.now() + seconds
        signal.setitimer(signal.ITIMER_REAL, seconds)

    def __exit__(self, *error: object) -> None:
        if self.seconds is not None:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, self.previous)

    def run(self, code: types.CodeType, namespace: dict[str, Any]) -> None:
        """Run one statement. Raises StatementTimeout when its time is up, and whatever it raises itself."""
        self.running = True
        try:
            exec(code, namespace)
        finally:
            self.running = False

    def _stop(self, number: int, frame: types.FrameType | None) -> None:
        assert self.clock is not None and self.seconds is not None
        if (remaining := self.end - self.clock.now()) > 0:  # it waited for a processor meanwhile
            signal.setitimer(signal.ITIMER_REAL, max(remaining, 0.001))
            return
        self._allow(self.seconds * LAST_SHARE)
        if self.running and frame is not None and frame.f_code is not StatementLimit.run.__code__:
            raise StatementTimeout
