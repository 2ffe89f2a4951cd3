"""Who may know whom: every import goes one way, and the trusted side stays small. How long code may be, and what is called how."""

import ast
import graphlib
import json
import subprocess
import sys

import pytest

from autograder.model.catalogue import all_exercises
from autograder.model.paths import ROOT

# The rooms of the engine; each imports only from itself and from those before it.
ROOMS = (
    "model", "frameworks", "sandbox", "read", "book", "html", "judge", "diagnose",
    "items", "checking", "copies", "page", "marks", "grade", "cli",
)  # fmt: skip
# Of these, what is a learner's and what is a teacher's know nothing of each other.
LEARNERS, TEACHERS = {"items", "checking", "copies", "page"}, {"marks", "grade"}
# What each package may import of the others.
MAY_IMPORT = {
    "course": {"course", "solutions", "autograder"},
    "solutions": {"solutions"},
    "exercises": {
        "exercises",
        "solutions",
        "autograder.frameworks",
        "autograder.model.exercise",
        "autograder.model.stand_ins",
    },
    "autograder": {"autograder", "exercises"},
    "tools": {"tools", "autograder", "course", "exercises", "solutions"},
    "benchmarks": {"benchmarks", "tools", "autograder", "course", "exercises", "solutions"},
}
PACKAGES = (*MAY_IMPORT, "tests", "_ext")
# Classes of one name that are two things, each where nobody meets the other.
NAMED_TWICE = {"Source": "the code that a chapter shows; the text of a part of a GPT"}
# Words that say nothing of what has them as its name.
SAYING_NOTHING = frozenset(
    (
        "alike", "asked", "called", "chosen", "drawn", "found", "given", "kept", "known", "made", "meant", "named",
        "others", "own", "said", "seen", "shown", "stated", "taken", "there", "told", "wanted", "written",
    )
)  # fmt: skip
# Lines and parameters of a function; how many ways lead through it, ruff counts (C901).
LONGEST_FUNCTION, MOST_PARAMETERS = 60, 10


def modules():
    """Every module of the project by its dotted name."""
    paths = {}
    for package in MAY_IMPORT:
        for path in sorted((ROOT / package).rglob("*.py")):
            parts = path.relative_to(ROOT).with_suffix("").parts
            paths[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return paths


MODULES = modules()


def imported(path):
    """The project's modules that a file imports, wherever in it."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{path}: write relative imports in full"
            whole = {f"{node.module}.{alias.name}" for alias in node.names}
            names |= {name if name in MODULES else node.module for name in whole}
    return {name for name in names if name.split(".")[0] in PACKAGES}


def test_every_package_imports_only_what_it_may_know():
    wrong = [
        f"{name} imports {other}"
        for name, path in MODULES.items()
        for other in imported(path)
        if not any(f"{other}.".startswith(f"{package}.") for package in MAY_IMPORT[name.split(".")[0]])
    ]
    assert wrong == []


def test_the_rooms_of_the_engine_import_one_way():
    def room(name):
        parts = name.split(".")
        return ROOMS.index(parts[1]) if len(parts) > 1 and parts[1] in ROOMS else None

    rooms = {name.split(".")[1] for name in MODULES if name.startswith("autograder.")} - {"__main__"}
    assert rooms == set(ROOMS)
    wrong = [
        f"{name} imports {other}"
        for name, path in MODULES.items()
        if name.startswith("autograder.") and room(name) is not None
        for other in imported(path)
        if other.startswith("autograder.") and (room(other) is None or room(other) > room(name))
    ]
    assert [w for w in wrong if not w.endswith("imports autograder")] == []


def test_what_is_a_learners_and_what_is_a_teachers_import_nothing_of_each_other():
    wrong = [
        f"{name} imports {other}"
        for one, opposite in ((LEARNERS, TEACHERS), (TEACHERS, LEARNERS))
        for name, path in MODULES.items()
        if name.startswith("autograder.") and name.split(".")[1] in one
        for other in imported(path)
        if other.startswith("autograder.") and other.split(".")[1] in opposite
    ]
    assert wrong == []


def test_no_modules_import_each_other():
    graph = {name: imported(path) & set(MODULES) - {name} for name, path in MODULES.items()}
    graphlib.TopologicalSorter(graph).prepare()  # raises CycleError, which names the circle


def test_solutions_know_their_own_framework_only():
    for name, path in MODULES.items():
        if name.startswith("solutions.") and ".in_" in name:
            framework = name.rsplit(".", 1)[1]
            solutions = {
                other for other in imported(path) if other.startswith("solutions.") and ".in_" in other
            }
            assert {other.rsplit(".", 1)[1] for other in solutions} <= {framework}, name


def engine():
    """Every module of the engine and of what chapters import, as (name, syntax tree)."""
    for name, path in MODULES.items():
        if name.startswith(("autograder.", "course.")):
            yield name, ast.parse(path.read_text())


def test_no_function_is_too_long_or_takes_too_much():
    """Options of a command that belong together are one dataclass (`autograder/cli/groups.py`)."""
    wrong = []
    for name, tree in engine():
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                lines = node.end_lineno - node.lineno + 1
                parameters = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
                if lines > LONGEST_FUNCTION or len(parameters) > MOST_PARAMETERS:
                    wrong.append(f"{name}.{node.name}: {lines} lines, {len(parameters)} parameters")
    assert wrong == []


def test_a_class_has_a_name_of_its_own():
    """One word for two things costs whoever reads one of them."""
    places = {}
    for name, tree in engine():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places.setdefault(node.name, []).append(name)
    twice = {name: where for name, where in places.items() if len(where) > 1}
    assert {name: where for name, where in twice.items() if name not in NAMED_TWICE} == {}
    assert set(NAMED_TWICE) == set(twice), "take out what is no longer there twice"


JUDGE = """
import sys
before = set(sys.modules)
{blocked}
import autograder.judge.trial, autograder.sandbox.session, autograder.model.catalogue
from autograder.model.catalogue import all_exercises
all_exercises()
loaded = {{name.split(".")[0] for name in set(sys.modules) - before if sys.modules[name] is not None}}
sys.stdout.write(" ".join(sorted(loaded - set(sys.stdlib_module_names))))
"""


@pytest.mark.parametrize("blocked", ["", "sys.modules |= {'torch': None, 'mxnet': None}"])
def test_the_judge_and_a_session_need_numpy_and_the_standard_library_alone(blocked):
    """So the trusted side stays small, and the same judge runs where neither framework does."""
    command = [sys.executable, "-c", JUDGE.format(blocked=blocked)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    packages = {"autograder", "course", "exercises", "solutions", "numpy", "cython_runtime"}
    assert {name for name in done.stdout.split() if not name.startswith("_")} <= packages


COMMANDS = """
import sys
import autograder.cli.commands
sys.stdout.write(" ".join(name for name in ("torch", "mxnet", "matplotlib", "nbformat", "requests") if name in sys.modules))
"""


def test_a_command_starts_without_frameworks_and_what_draws_or_downloads():
    """The two frameworks alone take four seconds of the processor, which every command would wait for; the others a second."""
    done = subprocess.run([sys.executable, "-c", COMMANDS], cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, ""), done.stderr


def bound(tree, in_function=False):
    """What a module binds: each name with what has it."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name, "local" if in_function and not isinstance(node, ast.ClassDef) else "definition"
        if isinstance(node, ast.arg):
            yield node.arg, "local" if isinstance(tree, ast.Lambda) else "parameter"
        if isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Store):
            name = node.id if isinstance(node, ast.Name) else node.attr
            yield name, "local" if in_function and isinstance(node, ast.Name) else "attribute"
        is_function = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        yield from bound(node, is_function or (in_function and not isinstance(node, ast.ClassDef)))


# The names of solutions stand in the edits that wrong ideas are.
@pytest.mark.parametrize("package", sorted({*PACKAGES} - {"solutions"}))
def test_a_name_says_what_it_is_the_name_of(package):
    """Pronouns and participles are no nouns. Beside a local name its value stands; elsewhere none is in sight."""
    paths = [path for path in sorted((ROOT / package).rglob("*.py")) if "sample_class" not in path.parts]
    names = [(path, *pair) for path in paths for pair in bound(ast.parse(path.read_text(encoding="utf-8")))]
    nothing = [entry for entry in names if entry[1].strip("_").lower() in SAYING_NOTHING]
    modules = [str(path) for path in paths if path.stem in SAYING_NOTHING]
    if package != "tests":  # there a fixture is a parameter
        assert modules + [entry for entry in nothing if entry[2] != "local"] == []
    assert len(nothing) <= 0.005 * len(names), nothing


@pytest.mark.parametrize("chapter", sorted((ROOT / "chapters").glob("*.ipynb")), ids=lambda path: path.stem)
def test_a_name_in_a_chapter_says_what_it_is_the_name_of(chapter):
    """But for arguments and results of its exercises, whose names answers have."""
    exercises = [e for e in all_exercises().values() if e.topic == chapter.stem]
    of_exercises = {part.name for e in exercises for part in (*e.arguments, *e.returns)}
    cells = [
        cell
        for cell in json.loads(chapter.read_text(encoding="utf-8"))["cells"]
        if cell["cell_type"] == "code"
    ]
    names = {name for cell in cells for name, _ in bound(ast.parse("".join(cell["source"])))}
    assert names & SAYING_NOTHING <= of_exercises
