"""The gradebook: one SQLite file, one row for each result, none overwritten but a timeout and what was to be tried again.

A result belongs to (submission's hash, exercise, framework, version of the check) and is written
in one transaction as it arrives, so that a run can be killed at any moment and continued.
What counts is what the last run found: its files, its exercises and points, its checks' versions.
"""

import json
import os
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from autograder.diagnose.fingerprint import with_misconception
from autograder.marks.check_versions import version_now, version_of_all
from autograder.model.assignment import EVERY_ANSWER, Assignment
from autograder.model.catalogue import all_exercises
from autograder.model.errors import UsageError
from autograder.model.results import ExerciseResult, SubmissionResult
from autograder.model.teachers_exercises import folders
from autograder.model.verdict import Verdict
from autograder.read.files import LEFT_OUT, NOT_READ

SCHEMA = """
create table if not exists files (
    id integer primary key, name text not null, digest text not null, problem text,
    unique (name, digest));
create table if not exists results (
    digest text not null, exercise text not null, framework text not null, version text not null,
    outcome text not null, points real not null, max_points real not null, practice integer not null,
    seconds real not null, verdict text not null, graded text not null default '',
    primary key (digest, exercise, framework, version, practice));
create table if not exists finished (
    digest text not null, version text not null, asked text not null, primary key (digest, version, asked));
create table if not exists course (name text primary key, value text not null);
create table if not exists present (name text primary key, place text not null, version text not null);
create table if not exists checked (
    run text not null, exercise text not null, version text not null, primary key (run, exercise));
create table if not exists tried (digest text not null, run text not null, primary key (digest, run));
create table if not exists arrived (
    id integer primary key, name text not null, digest text not null, time text not null default '',
    unique (name, digest));
create table if not exists waiting (name text primary key, tried integer not null);
"""
# Columns that an older gradebook has not.
ADDED = {"results": "graded", "arrived": "time"}
# What the last run of its folder has found and not finished, and whether it was tried.
WAITING = "select name, place, tried from present join waiting using (name)"
# The same of a gradebook that was kept before runs noted what is waiting.
WAITING_BEFORE = """
select name, place, 0 from present as p where not exists (
    select 1 from finished g where g.version = p.version and g.digest =
        (select digest from files f where f.name = p.name order by id desc limit 1))
"""
# Under which name the folder of one's own exercises is kept.
EXERCISES = "exercises"
TIME_FORMAT = "%Y-%m-%d %H:%M:%S UTC"
# How names end under which a run says something of a learner's folder: of no file.
NO_FILES = ("/", f"/{LEFT_OUT}", f"/{NOT_READ}")
# Stands in a kept sentence for the name of the file: others may have the same bytes.
NAME = "{name}"
# What a result is made of, of some bytes; COUNTED has the same columns, behind the file's name.
OF_DIGEST = """
select digest, verdict, seconds, practice, version, graded from results where digest = ? order by exercise, framework
"""
# The current bytes of each name: only names that the last run of their folder found, if a run was noted.
CURRENT = """
select name, max(id) as id, (select version from present where present.name = files.name) as version
from files where name in (select name from present) or not exists (select 1 from present) group by name
"""
# Whether a result is of the run's checks; before these had versions of their own, a run's was that of its results.
OF_THE_RUN = """({0}.version = c.version or {0}.version =
    (select k.version from checked k where k.run = c.version and k.exercise = {0}.exercise))"""
# What the run's checks have tried: what they found counts alone. Of other bytes, the newest of each exercise does.
COUNTED = f"""
select f.name, f.digest, r.verdict, r.seconds, r.practice, r.version, r.graded from ({CURRENT}) as c
join files f on f.id = c.id join results r on r.digest = f.digest and r.practice = :practice
where case when exists (select 1 from tried t where t.digest = r.digest and t.run = c.version)
             or exists (select 1 from results g where g.digest = r.digest and g.version = c.version
                        and g.practice = :practice)
             or exists (select 1 from finished g where g.digest = r.digest and g.version = c.version)
      then {OF_THE_RUN.format("r")}
      else r.rowid = (select max(rowid) from results g where g.digest = r.digest and g.exercise = r.exercise
                      and g.framework = r.framework and g.practice = :practice) end
order by f.name, r.exercise, r.framework
"""
# What is there stays, but for a timeout (with more time there may be an answer) and for what is not final.
INSERT = """
insert into results values (?,?,?,?,?,?,?,?,?,?,?) on conflict do update set
    outcome = excluded.outcome, points = excluded.points, seconds = excluded.seconds,
    verdict = excluded.verdict, graded = excluded.graded
    where results.outcome = 'timeout' or json_extract(results.verdict, '$.final') = 0
"""

GONE = f"select distinct name from files where name not in (select name from ({CURRENT})) order by name"
# Files of which older bytes are there again, in the place of newer ones that have results.
TAKEN_BACK = f"""
select distinct f.name from ({CURRENT}) as c join files f on f.id = c.id
join arrived a on a.name = f.name and a.digest = f.digest join arrived o on o.name = f.name and o.id > a.id
join results r on r.digest = o.digest and r.practice = :practice order by f.name
"""
# Given by a version of the check that was withdrawn: newer than what counts, and replaced by nothing.
LATER = f"""
select distinct r.rowid from ({CURRENT}) as c join files f on f.id = c.id join results r on r.digest = f.digest
where not coalesce({OF_THE_RUN.format("r")}, false)
and exists (select 1 from results g where g.digest = r.digest and g.practice = r.practice and g.rowid < r.rowid
            and {OF_THE_RUN.format("g")})
and not exists (select 1 from results g where g.digest = r.digest and g.practice = r.practice and g.rowid > r.rowid
                and g.exercise = r.exercise and g.framework = r.framework and {OF_THE_RUN.format("g")})
and (exists (select 1 from tried t where t.digest = r.digest and t.run = c.version)
     and exists (select 1 from checked k where k.run = c.version and k.exercise = r.exercise)
     or not exists (select 1 from checked k where k.run = c.version))
"""


def now() -> str:
    """Return the time, as it is kept and shown: in UTC, to the second."""
    return datetime.now(UTC).strftime(TIME_FORMAT)


class Waiting(NamedTuple):
    """A file that the last run of its folder has not finished. is_tried: whether it was graded at all."""

    name: str
    folder: str
    is_tried: bool


class Gradebook:
    """An open gradebook. Only one process writes to it.

    only: the exercises of the assignment, where not all that were graded are to count.
    """

    def __init__(self, path: Path, only: Iterable[str] = ()) -> None:
        self.path, self.only = path, tuple(only)
        self.exercises: tuple[str, ...] = ()
        paths = (path.resolve(), path.resolve().parent)
        self.is_read_only = path.is_file() and not all(map(_may_be_written, paths))
        with self._explained():
            self.connection = self._opened()
            if self.is_read_only:
                return
            self.connection.execute("pragma journal_mode = wal")
            self.connection.execute("pragma synchronous = normal")
            waiting = self.waiting() if self._has("present") and not self._has("waiting") else []
            self.connection.executescript(SCHEMA)
            rows = [(file.name, file.is_tried) for file in waiting]
            self.connection.executemany("insert into waiting values (?, ?)", rows)
            for table, column in ADDED.items():
                if column not in self._columns(table):
                    definition = f"{column} text not null default ''"
                    self.connection.execute(f"alter table {table} add column {definition}")

    def _opened(self) -> sqlite3.Connection:
        """Open it: an archived gradebook, which cannot be written, may still be shown."""
        if not self.is_read_only:
            return sqlite3.connect(self.path, timeout=10, isolation_level=None)
        path = self.path.resolve()
        journal = path.with_name(f"{path.name}-wal")
        # A folder that cannot be written has no place for what readers share; results in a journal are not passed over.
        is_whole = not journal.exists() or not journal.stat().st_size
        alone = "&immutable=1" if is_whole and not _may_be_written(path.parent) else ""
        address = f"{path.as_uri()}?mode=ro{alone}"
        return sqlite3.connect(address, uri=True, timeout=10, isolation_level=None)

    def close(self) -> None:
        """Fold the journal into the file."""
        self.connection.close()

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise UsageError(_explanation(self.path, error)) from error

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        with self._explained(), self.connection:
            self.connection.execute("begin immediate")
            yield self.connection

    def _rows(self, query: str, values: Mapping[str, Any] | Sequence[Any] = ()) -> list[Any]:
        with self._explained():
            return self.connection.execute(query, values).fetchall()

    def _has(self, table: str) -> bool:
        return bool(self._rows("select 1 from sqlite_master where name = ?", (table,)))

    def _columns(self, table: str) -> list[str]:
        return [row[1] for row in self._rows(f"pragma table_info({table})")]

    def key(self, fresh: bytes) -> bytes:
        """Return the course's secret, from which each submission's inputs are drawn; made once."""
        query = "select value from course where name = 'key'"
        if not self._rows(query):
            with self._transaction() as c:
                c.execute("insert or ignore into course values ('key', ?)", (fresh.hex(),))
        return bytes.fromhex(self._rows(query)[0][0])

    def _version(self) -> str:
        """Return the version of a run: of the checks that it asks for, or of all."""
        return version_of_all(self.exercises or all_exercises())

    def is_finished(self, digest: str, conditions: str) -> bool:
        """Return whether these bytes were graded already, for the same exercises, by the same checks."""
        query = "select 1 from finished where digest = ? and version = ? and asked = ?"
        return bool(self._rows(query, (digest, self._version(), conditions)))

    def make_current(self, name: str, digest: str) -> None:
        """Note that bytes which were graded before stand under a name now."""
        newest = "select digest from files where name = ? order by id desc limit 1"
        is_current = self._rows(newest, (name,)) == [(digest,)]
        problem = self._problem(digest)
        with self._transaction() as c:
            c.execute("delete from waiting where name = ?", (name,))
            if not is_current:
                _make_current(c, name, digest, problem)

    def add(self, result: SubmissionResult, conditions: str | None) -> None:
        """Write all results of one submission in one transaction. What is there stays, but for a timeout and what was to be tried again.

        conditions: under which it was graded, which then counts as finished; None if it is to be tried again.
        """
        digest, problem, graded = result.digest, _without_name(result.problem, result.name), now()
        with self._transaction() as c:
            _make_current(c, result.name, digest, problem)
            if conditions is not None:  # what is not final may come of more than the bytes
                c.execute("update files set problem = ? where digest = ?", (problem, digest))
            for v in result.verdicts:
                key = (digest, v.exercise, v.framework, version_now(v.exercise))
                values = (v.outcome, v.points, v.max_points, result.practice, result.seconds)
                c.execute(INSERT, (*key, *values, json.dumps(v.as_dict()), graded))
            c.execute("insert or ignore into tried values (?, ?)", (digest, self._version()))
            if conditions is None:
                c.execute("update waiting set tried = 1 where name = ?", (result.name,))
            else:
                done = (digest, self._version(), conditions)
                c.execute("insert or ignore into finished values (?, ?, ?)", done)
                c.execute("delete from waiting where name = ?", (result.name,))

    def begin(
        self,
        folder: str,
        names: Iterable[str],
        assignment: Assignment,
        practice: bool,
        command: Mapping[str, Any] | None = None,
    ) -> None:
        """Note what a run found. What an earlier run found in the same folder, and is gone, no longer counts.

        folder: the folder with the submissions. names: of all files in it, none of which the run has finished yet. command: what was typed.
        Raises UsageError for practice on official marks.
        """
        if practice and self.is_official():
            raise UsageError(
                f"{self.path} holds official marks, which practice must not change: name another with --gradebook."
            )
        self.exercises = tuple(assignment.exercises)
        run = self._version()
        with self._transaction() as c:
            notes = {f"command {folder}": command, EXERCISES: [*map(str, folders())]}
            notes["assignment"] = assignment.as_dict()
            rows = [(name, json.dumps(value)) for name, value in notes.items()]
            c.executemany("insert or replace into course values (?, ?)", rows)
            c.execute("delete from present where place = ?", (folder,))
            files = [(name, folder, run) for name in names]
            c.executemany("insert or replace into present values (?, ?, ?)", files)
            c.executemany("insert or replace into waiting values (?, 0)", [(name,) for name, *_ in files])
            checks = [(run, name, version_now(name)) for name in {*all_exercises(), *self.exercises}]
            c.executemany("insert or replace into checked values (?, ?, ?)", checks)

    def folders(self) -> list[Path]:
        """Return the folders and files in which the last runs found what counts."""
        return [Path(folder) for (folder,) in self._rows("select distinct place from present order by place")]

    def own_exercises(self) -> list[Path]:
        """Return the folders of one's own exercises that the last run had."""
        return [Path(folder) for folder in self._noted(EXERCISES)]

    def waiting(self) -> list[Waiting]:
        """Return the files that the last run of their folder has found and not finished."""
        query = WAITING if self._has("waiting") else WAITING_BEFORE
        rows = self._rows(f"{query} order by name")
        return [Waiting(name, folder, bool(tried)) for name, folder, tried in rows]

    def command(self, folder: str) -> dict[str, Any]:
        """Return what was typed to grade a folder last, as `begin` notes it; empty if it is not known."""
        return self._noted(f"command {folder}") or {}

    def assignment(self) -> Assignment:
        """Return what the last run graded, and how it counts."""
        values = self._noted("assignment")
        return Assignment.from_dict(values) if values else EVERY_ANSWER

    def note_export(self, record: Mapping[str, Any]) -> None:
        """Keep the marks that an export wrote to a file, in the place of those before, if anything can be kept."""
        if not self.is_read_only:
            with self._transaction() as c:
                c.execute("insert or replace into course values ('written', ?)", (json.dumps(record),))

    def last_export(self) -> dict[str, Any]:
        """Return the marks that the last export wrote to a file; empty if none did."""
        return self._noted("written")

    def _noted(self, name: str) -> Any:
        rows = self._rows("select value from course where name = ?", (name,))
        return json.loads(rows[0][0]) if rows else {}

    def is_official(self) -> bool:
        """Return whether a result was given where the full lock was required; practice results then count no more."""
        return bool(self._rows("select 1 from results where practice = 0 limit 1"))

    def results(self) -> list[ExerciseResult]:
        """Return the results that count: on the current file of each name, by the last run's grader."""
        return [*map(_result, self._rows(COUNTED, {"practice": not self.is_official()}))]

    def removed_files(self) -> list[str]:
        """Return the names of files that are no longer handed in."""
        return [name for (name,) in self._rows(GONE) if not name.endswith(NO_FILES)]

    def set_aside(self) -> list[str]:
        """Return what is kept and does not count, as sentences."""
        official = self.is_official()
        gone = self.removed_files()
        gone += [f"A newer {name}" for (name,) in self._rows(TAKEN_BACK, {"practice": not official})]
        ((later,),) = self._rows(f"select count(*) from ({LATER})")
        ((practice,),) = self._rows("select count(*) from results where practice and ?", (official,))
        notes = [f"{name} is no longer handed in: its results are kept, and do not count." for name in gone]
        origins = {"a version of the check that was withdrawn": later, "practice": practice}
        kept = "results are kept, and do not count."
        return notes + [f"Of {origin}, {number} {kept}" for origin, number in origins.items() if number]

    def results_of(self, digest: str) -> list[ExerciseResult]:
        """Return results of today's checks on one submission's bytes."""
        results = [_result(("", *row)) for row in self._rows(OF_DIGEST, (digest,))]
        return [result for result in results if result.version == version_now(result.verdict.exercise)]

    def _problem(self, digest: str) -> str | None:
        """Return why these bytes could not be read, if they could not, as it is kept."""
        rows = self._rows("select problem from files where digest = ? and problem is not null", (digest,))
        return rows[0][0] if rows else None

    def problem_of(self, digest: str, name: str) -> str | None:
        """Return why these bytes could not be read, if they could not, said of the file of this name."""
        return self._with_name(self._problem(digest), digest, name)

    def problems(self) -> dict[str, str]:
        """Return current files that could not be read, and why."""
        of_current = f"({CURRENT}) as c join files f on f.id = c.id"
        rows = self._rows(f"select f.name, digest, problem from {of_current} where problem is not null")
        return {name: self._with_name(problem, digest, name) or "" for name, digest, problem in rows}

    def _with_name(self, problem: str | None, digest: str, name: str) -> str | None:
        """Return a kept sentence with the name of a file at its head, whatever name it was kept with before."""
        if not problem or problem.startswith(NAME):
            return problem and problem.replace(NAME, name, 1)
        rows = self._rows("select name from files where digest = ? and name <> ?", (digest, name))
        before = next((other for (other,) in rows if problem.startswith(f"{other} ")), name)
        return name + problem.removeprefix(before) if problem.startswith(f"{before} ") else problem

    def files(self) -> list[str]:
        """Return the names of all current submissions."""
        # What a run has found and not read yet has no bytes.
        everything = f"select name from ({CURRENT}) union select name from present order by name"
        return [name for (name,) in self._rows(everything)]

    def first_times(self) -> dict[str, datetime]:
        """Return by name when a run first met the bytes that stand under it now, where that is known."""
        if "time" not in self._columns("arrived"):
            return {}
        of_current = f"({CURRENT}) as c join files f on f.id = c.id"
        arrived = "arrived a on a.name = f.name and a.digest = f.digest"
        rows = self._rows(f"select f.name, a.time from {of_current} join {arrived} where a.time <> ''")
        return {name: datetime.strptime(time, TIME_FORMAT).replace(tzinfo=UTC) for name, time in rows}


def _without_name(problem: str | None, name: str) -> str | None:
    """Return a sentence as it is kept with bytes that others may have, too."""
    is_named = problem is not None and problem.startswith(f"{name} ")
    return NAME + (problem or "").removeprefix(name) if is_named else problem


def _make_current(c: sqlite3.Connection, name: str, digest: str, problem: str | None) -> None:
    """Note which bytes stand under a name now, which is the newest row, and when they did so first."""
    c.execute("replace into files (name, digest, problem) values (?, ?, ?)", (name, digest, problem))
    values = (name, digest, now())
    c.execute("insert or ignore into arrived (name, digest, time) values (?, ?, ?)", values)


def _may_be_written(path: Path) -> bool:
    return os.access(path, os.W_OK, effective_ids=os.access in os.supports_effective_ids)


def _result(row: tuple[Any, ...]) -> ExerciseResult:
    name, digest, text, seconds, practice, version, graded = row
    verdict = with_misconception(Verdict.from_dict(json.loads(text)))
    return ExerciseResult(name, digest, verdict, seconds, bool(practice), version, graded)


def _explanation(path: Path, error: sqlite3.Error) -> str:
    words = str(error)
    advice = "What was graded stays in it; run the same command again to continue."
    if "malformed" in words or "not a database" in words:
        return f"{path} is damaged or is not a gradebook. Move it away and grade again, or restore a copy."
    if "locked" in words or "busy" in words:
        return f"{path} is in use by another run. Wait for it, or stop it. {advice}"
    if "full" in words:
        return f"The disk that holds {path} is full. Make room. {advice}"
    if "readonly" in words or "read-only" in words or "unable to open" in words:
        return f"{path} cannot be written: check the folder and its permissions, or name another with --gradebook."
    return f"{path} cannot be used: {words}. {advice}"
