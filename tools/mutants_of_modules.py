"""Mutants of the modules that decide a mark: `make mutants`, or `python -m tools.mutants_of_modules [MODULE [NAME …]]`.

Each small change of a module in `autograder/marks/` is tried against `tests/marks`, and of a module in DECIDING
against the test file of its name, in a process of its own; one that no test notices is listed. NAME: only these
functions, classes and constants of the module.
"""

import argparse
import ast
import os
import re
import select
import signal
import sys
import tomllib
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import groupby
from pathlib import Path
from types import ModuleType

import pytest

from autograder.model.paths import ROOT
from tools.mutants import mutants

MARKS = ROOT / "autograder" / "marks"
# Modules that decide a verdict; each has a test file of its name.
DECIDING = (
    "judge.trial", "judge.contract", "judge.protocol", "judge.compare", "judge.cases", "judge.axis_lengths", "judge.gradients",
    "sandbox.session", "sandbox.worker", "sandbox.wire", "grade.one_submission",
)  # fmt: skip
# The quick ones first: the first that fails ends it.
TESTS = (
    "test_standing.py", "test_what_counts.py", "test_assignments.py", "test_changes.py", "test_exports.py", "test_rosters.py",
    "test_answers.py", "test_feedback.py", "test_report.py", "test_classroom.py", "test_check_versions.py",
    "test_gradebook.py",
)  # fmt: skip
QUERY = ("select ", "insert ", "delete ", "update ", "create ")
QUERY_CHANGES = (
    ("max(", "min("), ("not exists", "exists"), ("exists", "not exists"), ("not in", "in"), (" and ", " or "),
    (" = ", " <> "), ("<>", "="), (" < ", " > "), ("asc", "desc"), ("is not null", "is null"), ("distinct ", ""),
    ("or replace ", "or ignore "), ("or ignore ", "or replace "),
)  # fmt: skip
# What a mutant may take of a processor, and so many times as long in all.
SECONDS, WAITS = 30, 20
# What a process says when no test has noticed its mutant.
NONE = "none"
# Changes that change no mark, and why.
READABLE = "readable = re.sub('[^A-Za-z0-9_-]+', '-', name).strip('-')[:{}] or 'learner'"
JSON = (
    "return json.dumps(report, indent={}) + '\\n'",
    "return Export(json.dumps(learners, indent={}) + '\\n', set_aside=standing.set_aside)",
)
NOT_COMPARED = "plain, renamed, statements, compared = ('', '', {}, Statements())"
CONNECT = (
    "return sqlite3.connect(self.path, timeout={}, isolation_level=None)",
    "return sqlite3.connect(address, uri=True, timeout={}, isolation_level=None)",
)
ONE_ROW = (
    "return bytes.fromhex(self._rows(query)[0][0])",
    "return json.loads(rows[0][0]) if rows else {}",
    "return rows[0][0] if rows else None",
)
MATCHES = "matches = [{} if len(fits) == 1 and times[{}.name] == 1 else None for fits in fitting]"
TIMES = "times = Counter(({}.name for fits in fitting if len(fits) == 1))"
FIRST, LAST = "fits[0]", "fits[-1]"
ONE_ELEMENT = (
    (MATCHES.format(FIRST, FIRST), MATCHES.format(LAST, FIRST)),
    (MATCHES.format(FIRST, FIRST), MATCHES.format(FIRST, LAST)),
    (TIMES.format(FIRST), TIMES.format(LAST)),
)
EQUIVALENT = {
    "@dataclass(frozen=True) → @dataclass(frozen=False)": "nothing sets a field of a result",
    **{
        f"{READABLE.format(40)} → {READABLE.format(n)}": "how long a page's name is, is no mark"
        for n in (39, 41)
    },
    **{f"DIGITS = 12 → DIGITS = {n}": "how long a version is, is no mark" for n in (11, 13)},
    **{
        f"{old} → {old.replace('[0][0]', new)}": "there is one row, of one column, or all rows are alike"
        for old in ONE_ROW
        for new in ("[-1][0]", "[0][-1]")
    },
    "column = column_numbers[0] → column = column_numbers[-1]": "there is one column",
    **{f"{old} → {new}": "the list has one element" for old, new in ONE_ELEMENT},
    **{
        f"{old} → {old.replace('strict=True', 'strict=False')}": "each row has a match"
        for old in (
            "free = [person for person, who in zip(people, matches, strict=True) if who is None]",
            "for row, person, who in zip(rows, people, matches, strict=True):",
            "for row, person, who in zip(roster.rows, people, matches, strict=True):",
            "for person, who in zip(people, match(people, standing.learners)[0], strict=True):",
        )
    },
    **{
        f"{text.format(1)} → {text.format(n)}": "how JSON is indented is no mark"
        for text in JSON
        for n in (2, 0)
    },
    **{f"MAX_WORDS = 300 → MAX_WORDS = {n}": "how long a comment may be is no mark" for n in (301, 299)},
    **{f"{NOT_COMPARED.format(0)} → {NOT_COMPARED.format(n)}": "so few are not compared" for n in (1, -1)},
    **{
        f"{connect.format(10)} → {connect.format(n)}": "how long another run is waited for is no mark"
        for connect in CONNECT
        for n in (11, 9)
    },
    "'or ignore ' → 'or replace ' in `insert or ignore into finished values (?, ?, ?)`": "all of it is the key",
    "'or ignore ' → 'or replace ' in `insert or ignore into tried values (?, ?)`": "all of it is the key",
}


@cache
def equivalent(module: str) -> dict[str, str]:
    """Return the changes of a module that change no verdict, each with its reason."""
    path = Path(__file__).with_name("equivalent_module_mutants.toml")
    return dict(tomllib.loads(path.read_text(encoding="utf-8")).get(module.removeprefix("autograder."), {}))


def module_mutants(source: str, names: Sequence[str] = ()) -> Iterator[tuple[str, str]]:
    """Yield (what changed, the module's mutated source) for each mutant of its definitions and queries."""
    tree = ast.parse(source)
    for index, change, mutated in statement_mutants(tree, names):
        body = [*tree.body[:index], *ast.parse(mutated).body, *tree.body[index + 1 :]]
        yield change, ast.unparse(ast.Module(body, []))


def statement_mutants(tree: ast.Module, names: Sequence[str] = ()) -> Iterator[tuple[int, str, str]]:
    """Yield (the index of a statement of a module, what changed, its mutated source)."""
    for index, statement in enumerate(tree.body):
        if isinstance(statement, (ast.Import, ast.ImportFrom, ast.Expr)):
            continue
        if names and not names_of(statement) & set(names):
            continue
        text = ast.unparse(statement)
        yield from ((index, *one) for one in (*mutants(text), *_query_mutants(text)))


def names_of(statement: ast.stmt) -> set[str]:
    """Return what a statement of a module defines."""
    if isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
        return {statement.name}
    return {node.id for node in ast.walk(statement) if isinstance(node, ast.Name)}


def _query_mutants(text: str) -> Iterator[tuple[str, str]]:
    """Yield mutants of the SQL in a statement: one word of one query each."""
    queries = [
        (i, node.value)
        for i, node in enumerate(ast.walk(ast.parse(text)))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and _is_query(node.value)
    ]
    for index, query in queries:
        for old, new in QUERY_CHANGES:
            for match in re.finditer(re.escape(old), query):
                tree = ast.parse(text)
                node = next(n for i, n in enumerate(ast.walk(tree)) if i == index)
                assert isinstance(node, ast.Constant)
                node.value = query[: match.start()] + new + query[match.end() :]
                context = " ".join(query[max(0, match.start() - 30) : match.start() + 40].split())
                yield f"{old!r} → {new!r} in `{context}`", ast.unparse(tree)


def _is_query(text: str) -> bool:
    return any(word in text for word in QUERY) or text.lstrip().startswith(("then", "where", ") as c"))


class Trials:
    """A pytest plugin: collects the tests once, then runs them on each mutant in a process of its own.

    results: for each module that was tried, the number of its mutants and the changes that no test notices.
    """

    def __init__(self, modules: Sequence[str], names: Sequence[str]) -> None:
        self.modules, self.names = modules, names
        self.results: dict[str, tuple[int, list[str]]] = {}
        self.failed: str | None = None

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.failed = report.nodeid

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        items = [item for item in session.items if not _grades(item)]
        for module in self.modules:
            path = ROOT / Path(*module.split(".")).with_suffix(".py")
            count, survivors = 0, []
            for change, source in module_mutants(path.read_text(encoding="utf-8"), self.names):
                if change.startswith("log.") or change in EQUIVALENT or change in equivalent(module):
                    continue  # what is logged is no mark
                count += 1
                noticed = self._noticed_by(items, module, source)
                if noticed is None:
                    survivors.append(change)
                    say(f"{module}: {change}")
                # Neighbouring mutants are mostly noticed by the same test, so it comes first.
                items.sort(key=lambda item: item.nodeid != noticed)
            self.results[module] = count, survivors
            say(f"{module}: {count} mutants, {len(survivors)} survive")
        return True

    def _noticed_by(self, items: Sequence[pytest.Item], module: str, source: str) -> str | None:
        """Return the first test that fails with this source as a module ("" for all); None if none does."""
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            signal.setitimer(signal.ITIMER_PROF, SECONDS)
            try:
                _silence()
                os.write(writing, self._first_failure(items, module, source).encode())
            finally:
                os._exit(0)
        os.close(writing)
        # A mutant that never ends, cannot be imported, or ends the process, is noticed too.
        is_over = select.select([reading], [], [], WAITS * SECONDS)[0]
        noticed = os.read(reading, 10_000).decode() if is_over else ""
        os.close(reading)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        return None if noticed == NONE else noticed

    def _first_failure(self, items: Sequence[pytest.Item], module: str, source: str) -> str:
        put_in_place(module, source)
        for item, after in zip(items, [*items[1:], None], strict=True):
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=after)
            if self.failed is not None:
                return self.failed
        return NONE


def _grades(item: pytest.Item) -> bool:
    """Return whether a test runs submissions, which takes seconds and adds nothing to the rules of the marks."""
    return "grade" in getattr(item, "function", _grades).__code__.co_names


def put_in_place(module: str, source: str) -> None:
    """Run a source as a module, and give what it defines to every module that has imported the original's."""
    original = sys.modules[module]
    mutated = ModuleType(module)
    mutated.__file__ = original.__file__
    sys.modules[module] = mutated
    exec(compile(source, str(mutated.__file__), "exec"), mutated.__dict__)
    replaced = {
        id(old): getattr(mutated, name, old) for name, old in vars(original).items() if name[:2] != "__"
    }
    replaced[id(original)] = mutated
    for other in list(sys.modules.values()):
        if other is original or not str(getattr(other, "__name__", "")).startswith(("autograder.", "tests.")):
            continue
        for name, value in list(vars(other).items()):
            if id(value) in replaced and (value is original or callable(value)):
                setattr(other, name, replaced[id(value)])


def _silence() -> None:
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, 1)
    os.dup2(nothing, 2)


def say(words: str) -> None:
    sys.stdout.write(f"{words}\n")
    sys.stdout.flush()


def try_all(modules: Sequence[str], names: Sequence[str] = ()) -> dict[str, tuple[int, list[str]]]:
    """Try the modules: (number of mutants, the changes that no test notices) of each. Raises ValueError if a test fails."""
    results: dict[str, tuple[int, list[str]]] = {}
    for tests, together in groupby(modules, files_for):
        trials = Trials([*together], names)
        options = ["-qq", "-s", "-p", "no:cacheprovider", "-m", "not slow and not browser", "--unlocked"]
        if status := pytest.main([*options, *map(str, tests)], [trials]):
            raise ValueError(f"The tests could not be collected: pytest ended with {status!r}.")
        results |= trials.results
    return results


def modules() -> list[str]:
    """Return every module that is tried, by its dotted name."""
    paths = [path for path in sorted(MARKS.rglob("*.py")) if path.name != "__init__.py"]
    return [f"autograder.{name}" for name in DECIDING] + [
        ".".join(path.relative_to(ROOT).with_suffix("").parts) for path in paths
    ]


def files_for(module: str) -> tuple[Path, ...]:
    """Return the test files that must notice each mutant of a module."""
    _, room, *name = module.split(".")
    if room == MARKS.name:
        return tuple(ROOT / "tests" / room / test for test in TESTS)
    return (ROOT / "tests" / room / f"test_{name[0]}.py",)


def main(words: Sequence[str] | None = None) -> int:
    """Try one module, or all; gives 1 if a mutant survives."""
    parser = argparse.ArgumentParser(
        prog="python -m tools.mutants_of_modules",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("module", metavar="MODULE", nargs="?", choices=modules(), help="all if none is named")
    parser.add_argument("names", metavar="NAME", nargs="*")
    options = parser.parse_args(words)
    results = try_all([options.module] if options.module else modules(), options.names)
    return int(any(changes for _, changes in results.values()))


if __name__ == "__main__":
    sys.exit(main())
