"""`grade` beside nbgrader and otter-grader: `python -m benchmarks.graders`.

First, a chapter's notebook as learners get it goes through nbgrader's own commands, and both
graders must give the same marks. Then all three grade one assignment: four exercises with ten
checks, two in MXNet and two in PyTorch. `grade` does it twice: with ten cases, one for each
check, and with all that it knows of the four exercises. Each uses two processes and pays for
its own start; they take turns, since the speed of a shared machine drifts.
"""

import copy
import csv
import json
import os
import subprocess
import sys
import tempfile
import time
import venv
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np

from autograder.book.contents import source, tags
from autograder.copies.start import learners_copy
from autograder.grade.one_submission import Job
from autograder.grade.pool import grade_job
from autograder.grade.run import GradeOptions, run_all
from autograder.marks.exports.plain import NBGRADER
from autograder.marks.exports.plain import nbgrader as nbgrader_csv
from autograder.marks.gradebook import Gradebook
from autograder.model.assignment import Assignment, TimeLimits
from autograder.model.catalogue import all_exercises
from autograder.model.exercise import Case, Exercise
from autograder.model.paths import ROOT
from autograder.model.results import SubmissionResult
from benchmarks.notebooks import finished
from tools.figures import parser, report

ENVIRONMENT = Path(sys.prefix) / "graders"
ASSIGNMENT = "attention"
# A learner's copy holds no solutions: nbgrader would take out the heads of its functions.
AS_IT_IS = "--ClearSolutions.enabled=False"
PROCESSES = 2
ROUNDS, OURS, THEIRS = 2, 2000, 8
Notebook = dict[str, Any]


@dataclass(frozen=True)
class Question:
    """An exercise as the other graders see it: lines that prepare, and lines that check."""

    exercise: str
    framework: str
    prepare: str
    checks: tuple[str, ...]


QUESTIONS = (
    Question(
        "masked_softmax",
        "mxnet",
        "X = np.linspace(-1, 1, 24, dtype=np.float32).reshape(2, 3, 4)\n"
        "found = masked_softmax(nd.array(X), nd.array([2, 3])).asnumpy()",
        (
            "assert found.shape == X.shape",
            "assert np.allclose(found.sum(axis=-1), 1, atol=1e-6)",
            "assert (found[0, :, 2:] == 0).all()",
        ),
    ),
    Question(
        "scaled_scores",
        "mxnet",
        "Q = np.linspace(-1, 1, 30, dtype=np.float32).reshape(2, 3, 5)\n"
        "K = np.linspace(2, -1, 40, dtype=np.float32).reshape(2, 4, 5)\n"
        "found = scaled_scores(nd.array(Q), nd.array(K)).asnumpy()",
        (
            "assert found.shape == (2, 3, 4)",
            "assert np.allclose(found, Q @ K.transpose(0, 2, 1) / np.sqrt(5), atol=1e-5)",
        ),
    ),
    Question(
        "additive_scores",
        "torch",
        "rng = np.random.default_rng(0)\n"
        "shapes = (2, 3, 4), (2, 5, 6), (7, 4), (7, 6), (1, 7)\n"
        "given = [rng.normal(size=shape).astype(np.float32) for shape in shapes]\n"
        "q, k, W_q, W_k, w_v = given\n"
        "found = additive_scores(*map(torch.tensor, given)).numpy()",
        (
            "assert found.shape == (2, 3, 5)",
            "hidden = np.tanh((q @ W_q.T)[:, :, None] + (k @ W_k.T)[:, None])\n"
            "assert np.allclose(found, hidden @ w_v[0], atol=1e-5)",
        ),
    ),
    Question(
        "dot_product_attention",
        "torch",
        "Q, K, V = (torch.linspace(-1, a, 24).reshape(2, 3, 4) for a in (1, 2, 3))\n"
        "attention = DotProductAttention(dropout=0.0).eval()\n"
        "found = attention(Q, K, V, torch.tensor([2, 3]))",
        (
            "assert found.shape == (2, 3, 4)",
            "assert torch.allclose(attention.attention_weights.sum(dim=-1), torch.ones(2, 3))",
            "assert torch.allclose(found, attention.attention_weights @ V, atol=1e-5)",
        ),
    ),
)
IMPORTS = (
    "import math\nfrom math import sqrt\n\nimport numpy as np\nfrom course.frameworks import mx, torch\n"
    "from mxnet import gluon, nd\n"
)
# The other two leave the answers that a later one builds on to the notebook.
BEFORE = {"dot_product_attention": "from solutions.masked_softmax.in_torch import masked_softmax"}


# Notebooks


def code(text: str, **metadata: Any) -> dict[str, Any]:
    """Return a code cell that has not been run."""
    return {"cell_type": "code", "execution_count": None, "metadata": metadata, "outputs": [], "source": text}


def notebook(cells: Sequence[dict[str, Any]]) -> Notebook:
    """Return a notebook of these cells, for the kernel named python3."""
    numbered = [{**cell, "id": f"cell-{number}"} for number, cell in enumerate(cells)]
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return {"nbformat": 4, "nbformat_minor": 5, "metadata": {"kernelspec": kernel}, "cells": numbered}


def answer(question: Question) -> str:
    """Return the reference solution of a question, as a learner would hand it in."""
    exercise = all_exercises()[question.exercise]
    chapter = json.loads((ROOT / "chapters" / f"{exercise.topic}.ipynb").read_text(encoding="utf-8"))
    marks = {f"exercise:{question.exercise}", f"framework-{question.framework}"}
    return next(source(c) for c in chapter["cells"] if marks <= set(c["metadata"].get("tags", [])))


def for_nbgrader(number: int) -> Notebook:
    """Return the assignment, solved, with nbgrader's metadata; `grade` reads it as well."""
    cells = [code(f"{IMPORTS}# learner {number}\n", course={"given": True})]
    for question in QUESTIONS:
        shared = {"schema_version": 3, "task": False}
        if question.exercise in BEFORE:
            names = [f"framework-{question.framework}"]
            cells.append(code(BEFORE[question.exercise], tags=names, course={"given": True}))
        solved = {**shared, "grade_id": question.exercise, "grade": False, "solution": True, "locked": False}
        tested = {**shared, "grade_id": f"test-{question.exercise}", "grade": True, "solution": False}
        tested |= {"locked": True, "points": len(question.checks)}
        names = [f"exercise:{question.exercise}", f"framework-{question.framework}"]
        cells.append(code(answer(question), nbgrader=solved, tags=names))
        test = "\n".join((question.prepare, *question.checks))
        cells.append(code(test, nbgrader=tested, course={"given": True}, tags=names[1:]))
    return notebook(cells)


def for_otter(number: int) -> Notebook:
    """Return the assignment, solved, with otter-grader's calls."""
    cells = [code(f"import otter\ngrader = otter.Notebook()\n{IMPORTS}# learner {number}\n")]
    for question in QUESTIONS:
        cells.append(code(f"{BEFORE.get(question.exercise, '')}\n\n{answer(question)}"))
        cells.append(code(f'grader.check("{question.exercise}")'))
    return notebook(cells)


def otter_test(question: Question) -> str:
    """Return a question's checks in otter-grader's format, a case for each."""
    cases = []
    for check in question.checks:
        lines = "\n".join(f">>> {line}" for line in (*question.prepare.split("\n"), *check.split("\n")))
        cases.append({"code": lines, "hidden": False, "locked": False})
    suite = {"cases": cases, "scored": True, "setup": "", "teardown": "", "type": "doctest"}
    test = {"name": question.exercise, "points": len(cases), "suites": [suite]}
    return f"OK_FORMAT = True\n\ntest = {test!r}\n"


def write(path: Path, content: Notebook) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content, indent=1), encoding="utf-8")


# The other graders


def environment() -> None:
    """Install both of them from PyPI, with the frameworks of the course within reach."""
    requirements = (ROOT / "benchmarks" / "graders.txt").read_text(encoding="utf-8")
    installed = ENVIRONMENT / "installed.txt"
    if installed.exists() and installed.read_text(encoding="utf-8") == requirements:
        return
    sys.stderr.write("Installing nbgrader and otter-grader …\n")
    venv.create(ENVIRONMENT, clear=True, with_pip=True)
    run("pip", "install", "--quiet", "--requirement", str(ROOT / "benchmarks" / "graders.txt"))
    libraries = next(ENVIRONMENT.glob("lib/python*/site-packages"))
    theirs = next(Path(sys.prefix).glob("lib/python*/site-packages"))
    (libraries / "course.pth").write_text(f"{ROOT}\n{theirs}\n", encoding="utf-8")
    installed.write_text(requirements, encoding="utf-8")


def start(*command: str, folder: Path | None = None) -> subprocess.Popen[str]:
    """Start a module of the other environment."""
    programs = ENVIRONMENT / "bin"
    words = [str(programs / "python"), "-m", *command]
    path = {"PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"}
    return subprocess.Popen(
        words,
        cwd=folder,
        env=os.environ | path,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
    )


def finish(process: subprocess.Popen[str]) -> str:
    """Return what a process printed. Stops the benchmark if it failed."""
    words, _ = process.communicate()
    if process.returncode:
        raise SystemExit(f"{process.args!r} failed:\n{words[-3000:]}")
    return words


def run(*command: str, folder: Path | None = None) -> str:
    return finish(start(*command, folder=folder))


def nbgrader(command: str, *words: str, folder: Path) -> str:
    return run("nbgrader", command, *words, folder=folder)


def nbgrader_course(folder: Path, assignment: Notebook, submitted: dict[str, Notebook]) -> None:
    """Make a course of nbgrader with one assignment, released, and what learners handed in."""
    folder.mkdir(parents=True)
    write(folder / "source" / ASSIGNMENT / "work.ipynb", assignment)
    nbgrader("generate_assignment", ASSIGNMENT, AS_IT_IS, folder=folder)
    for learner, handed_in in submitted.items():
        write(folder / "submitted" / learner / ASSIGNMENT / "work.ipynb", handed_in)


def nbgrader_marks(folder: Path) -> list[dict[str, str]]:
    nbgrader("export", folder=folder)
    with (folder / "grades.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


# One notebook for both graders


def chapter_for_both(folder: Path) -> None:
    """Grade a learner's copy of a chapter, solved, untouched and with a wrong idea, in nbgrader and in `grade`."""
    path = ROOT / "chapters" / "masked_softmax.ipynb"
    chapter = json.loads(path.read_text(encoding="utf-8"))
    untouched = learners_copy(chapter)
    solved = finished(chapter)
    wrong = copy.deepcopy(solved)
    first = next(c for c in wrong["cells"] if tags(c, "exercise:masked_softmax"))
    first["source"] = "def masked_softmax(X, valid_length):\n    return X.softmax(axis=-1)\n"
    class_ = {"solved": solved, "untouched": untouched, "wrong": wrong}

    nbgrader_course(folder / "course", untouched, class_)
    released = (folder / "course" / "release" / ASSIGNMENT / "work.ipynb").read_text(encoding="utf-8")
    if [source(c) for c in json.loads(released)["cells"]] != [source(c) for c in untouched["cells"]]:
        raise SystemExit("nbgrader gives out other cells than it was given")
    for name, handed_in in class_.items():
        write(folder / "ours" / f"{name}.ipynb", handed_in)
        report = nbgrader("validate", str(folder / "ours" / f"{name}.ipynb"), folder=folder / "course")
        if ("Success" in report) != (name == "solved"):
            raise SystemExit(f"nbgrader validate, {name}: {report}")
    nbgrader("autograde", ASSIGNMENT, folder=folder / "course")
    theirs = nbgrader_marks(folder / "course")

    in_chapter = tuple(e.name for e in all_exercises().values() if e.topic == "masked_softmax")
    gradebook = folder / "gradebook.sqlite"
    rows = run_all(
        folder / "ours",
        gradebook,
        GradeOptions(Assignment.of(in_chapter), None, TimeLimits()),
        lambda done, total: None,
    )
    book = Gradebook(gradebook)
    exported = list(csv.DictReader(nbgrader_csv(book, ASSIGNMENT).text.splitlines()))
    book.close()
    sys.stdout.write(
        "| a chapter handed in | nbgrader, both frameworks | `grade`, the same |\n| --- | ---: | ---: |\n"
    )
    for row, mark in zip(rows, sorted(theirs, key=lambda mark: mark["student_id"]), strict=True):
        points = sum(v.points for v in row.verdicts)
        sys.stdout.write(f"| {mark['student_id']} | {float(mark['score']):g} | {points:g} |\n")
        if float(mark["score"]) != points or not row.name.startswith(mark["student_id"]):
            raise SystemExit("the marks differ")
    if list(theirs[0]) != NBGRADER or list(exported[0]) != NBGRADER:
        raise SystemExit("`export nbgrader` writes other columns than `nbgrader export`")


# Speed


def timed(work: Callable[[], None]) -> float:
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


@cache
def leave_only_the_checks() -> None:
    """Leave of each exercise one case for each check of its question, and no gradients."""
    for question in QUESTIONS:
        whole = all_exercises()[question.exercise]
        cases = partial(first_cases, whole, len(question.checks))
        all_exercises()[question.exercise] = replace(whole, cases=cases, properties=())


def first_cases(exercise: Exercise, number: int, random: np.random.Generator) -> list[Case]:
    return [replace(case, gradient=False) for case in exercise.cases(random)[:number]]


def grade_by_the_checks(job: Job) -> SubmissionResult:
    """Grade a submission in a process that grades, by the checks of the questions alone."""
    leave_only_the_checks()
    return grade_job(job)


# The processes that grade are programs of their own, which are told the function's name.
TEN_CHECKS = """
from autograder.cli.commands import app
from autograder.grade import pool
from benchmarks.graders import grade_by_the_checks

pool.grade_job = grade_by_the_checks
if __name__ == "__main__":
    app()
"""


def time_ours(folder: Path, *program: str) -> float:
    """Return the seconds that a program, `grade` or one that leaves only the checks, takes for the class."""
    exercise_options = [word for question in QUESTIONS for word in ("--exercise", question.exercise)]
    command = [sys.executable, *program, "grade", str(folder), *exercise_options, "--json"]

    def work() -> None:
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
        outcomes = [v["outcome"] for v in json.loads(done.stdout)["exercises"]]
        if outcomes != ["accepted"] * len(list(folder.iterdir())) * len(QUESTIONS):
            raise SystemExit("a right answer was not accepted")

    return timed(work)


def time_nbgrader(folder: Path) -> float:
    courses = [folder / str(part) for part in range(PROCESSES)]
    for part, course in enumerate(courses):
        numbers = range(part, THEIRS, PROCESSES)
        nbgrader_course(course, for_nbgrader(-1), {f"learner{n}": for_nbgrader(n) for n in numbers})

    def work() -> None:
        for process in [start("nbgrader", "autograde", ASSIGNMENT, folder=course) for course in courses]:
            finish(process)

    seconds = timed(work)
    if any(row["score"] != row["max_score"] for course in courses for row in nbgrader_marks(course)):
        raise SystemExit("nbgrader did not give full marks")
    return seconds


OTTER = """
import sys
from otter.api import grade_submission

for path in sys.argv[1:]:
    results = grade_submission(path, "autograder.zip", quiet=True)
    assert results.total == results.possible == {checks}, results
"""


def time_otter(folder: Path) -> float:
    (folder / "tests").mkdir(parents=True)
    for question in QUESTIONS:
        path = folder / "tests" / f"{question.exercise}.py"
        path.write_text(otter_test(question), encoding="utf-8")
    run(
        "otter",
        "generate",
        "--tests-dir",
        "tests",
        "--output-path",
        "autograder.zip",
        "--no-environment",
        folder=folder,
    )
    for number in range(THEIRS):
        write(folder / f"{number}.ipynb", for_otter(number))
    checks = sum(len(q.checks) for q in QUESTIONS)
    (folder / "grade_all.py").write_text(OTTER.format(checks=checks), encoding="utf-8")

    def work() -> None:
        parts = [[f"{n}.ipynb" for n in range(p, THEIRS, PROCESSES)] for p in range(PROCESSES)]
        for process in [start("grade_all", *part, folder=folder) for part in parts]:
            finish(process)

    return timed(work)


def main() -> None:
    keep = parser("graders", __doc__).parse_args().store
    environment()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        chapter_for_both(folder / "chapter")
        for number in range(OURS):
            write(folder / "class" / f"{number:04d}.ipynb", for_nbgrader(number))
        ten_checks = folder / "ten_checks.py"
        ten_checks.write_text(TEN_CHECKS, encoding="utf-8")
        seconds: dict[str, float] = defaultdict(float)
        for turn in range(ROUNDS):
            seconds["this grader, ten cases"] += time_ours(folder / "class", str(ten_checks))
            seconds["nbgrader 0.9.6"] += time_nbgrader(folder / f"nbgrader {turn}")
            seconds["otter-grader 7.0.0"] += time_otter(folder / f"otter {turn}")
            seconds["this grader, all it knows"] += time_ours(folder / "class", "-m", "autograder")
    graded = {name: ROUNDS * (OURS if name.startswith("this") else THEIRS) for name in seconds}
    rows = [
        {"grader": name, "submissions": graded[name], "seconds": total} for name, total in seconds.items()
    ]
    report("graders", {"graders": rows}, keep)


if __name__ == "__main__":
    main()
