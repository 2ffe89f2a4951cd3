"""What a teacher should look at in a source: names that an exercise forbids, names that are not known, and loops.

A flag costs nothing. It can only be read off the source: where an exercise forbids a call of the library, whatever
the course itself does not use may be a way around that.
"""

import ast
import re
from collections.abc import Iterable
from functools import cache, lru_cache
from graphlib import CycleError, TopologicalSorter

from autograder import FOR_LEARNERS
from autograder.model.catalogue import all_exercises
from autograder.model.exercise import Exercise
from autograder.read.cells import Cell, cells_of
from autograder.read.install_cell import is_of_the_install_cell
from autograder.read.known import LEAVES, REACHES, known, strange_names
from autograder.read.submission import Submission, reached, uses
from autograder.read.syntax import bound_names, is_stub, lines_of
from course.paths import BOOK, ROOT

# What an exercise that forbids one name forbids under another: a class that calls the function.
CALLED_BY = {"multi_head_attention_forward": "MultiheadAttention"}
# Calls that go through an array one by one.
CALLED_FOR_EACH = (
    "accumulate", "apply_along_axis", "apply_over_axes", "filter", "foreach", "map", "reduce", "starmap", "vectorize", "while_loop",
)  # fmt: skip
LOOPS = (ast.For, ast.While, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
STUB = re.compile(r"^ *raise NotImplementedError$", re.MULTILINE)
# Characters of the longest statement of a chapter, and far more.
MAX_SHOWN = 20_000
# Of strange names, how many are shown, and how many letters of each.
MAX_NAMES, MAX_LETTERS = 8, 40
# What `start` writes behind a check, for nbgrader.
TAKES_A_MARK = re.compile(r"\.mark\([^()]*\)$")


def flag(submission: Submission, framework: str, exercise: Exercise) -> str | None:
    """What a teacher should look at in the answer to an exercise, as the end of a sentence; None if nothing is."""
    names = [name[:MAX_LETTERS] for name in suspicious_names(submission, framework, exercise)]
    more = f" and {len(names) - MAX_NAMES} more" if len(names) > MAX_NAMES else ""
    found = [f"its source names {', '.join(names[:MAX_NAMES])}{more}"] if names else []
    if exercise.no_loop and (looping := with_loops(submission, framework, exercise.entry)):
        found.append(f"there is a loop in {', '.join(looping)}")
    return "; ".join(found) or None


def with_loops(submission: Submission, framework: str, entry: str) -> list[str]:
    """Which functions and classes hold a loop or a comprehension: the entry, and those that it uses."""
    definitions = {
        name: statement
        for cell in submission.cells_for(framework)
        for statement in cell.statements
        for name in _functions_of(statement)
    }
    taken = {name: _taken_from_outside(definition) for name, definition in definitions.items()}
    used = reached(entry, taken) & taken.keys()
    calls = {name: taken[name] for name in used if not isinstance(definitions[name], ast.ClassDef)}
    looping = {name for name in used if _loops(definitions[name])} | _in_a_circle(calls)
    return [name for name in definitions if name in looping]


def _functions_of(statement: ast.stmt) -> list[str]:
    """The function or the class that a statement defines, or the names that it gives to a `lambda`."""
    if isinstance(statement, ast.FunctionDef | ast.ClassDef):
        return [statement.name]
    if isinstance(statement, ast.Assign) and any(isinstance(n, ast.Lambda) for n in ast.walk(statement)):
        return [target.id for target in statement.targets if isinstance(target, ast.Name)]
    return []


def _in_a_circle(calls: dict[str, set[str]]) -> set[str]:
    """Functions that lead back to themselves, by what each uses; those of one circle, if there are several."""
    try:
        TopologicalSorter(calls).prepare()
    except CycleError as error:
        return set(error.args[1])
    return set()


def _taken_from_outside(definition: ast.stmt) -> set[str]:
    """Names that a definition reads and does not bind itself."""
    nodes = list(ast.walk(definition))
    names = [node for node in nodes if isinstance(node, ast.Name)]
    own = {node.id for node in names if not isinstance(node.ctx, ast.Load)} - {*_functions_of(definition)}
    own |= {node.arg for node in nodes if isinstance(node, ast.arg)}
    return {node.id for node in names if isinstance(node.ctx, ast.Load)} - own


def _loops(definition: ast.stmt) -> bool:
    """Whether it holds a loop, a call that is one, or a function that calls itself."""
    for node in ast.walk(definition):
        if isinstance(node, LOOPS) or getattr(node, "id", getattr(node, "attr", None)) in CALLED_FOR_EACH:
            return True
        if isinstance(node, ast.FunctionDef) and any(_reads(n, node.name) for n in ast.walk(node)):
            return True
    return False


def _reads(node: ast.AST, name: str) -> bool:
    """Whether a node reads a function by its name, or a method of one's own object."""
    if isinstance(node, ast.Attribute):
        return node.attr == name and isinstance(node.value, ast.Name) and node.value.id == "self"
    return isinstance(node, ast.Name) and node.id == name


def suspicious_names(submission: Submission, framework: str, exercise: Exercise) -> list[str]:
    """Which forbidden names, and which that are not known, a submission's source holds.

    Other exercises may ask for what this one forbids: there it counts only if this answer uses it. Text that
    stands in a chapter as it is does not count. What reaches out of the process counts in every exercise.
    """
    found = _strange(submission, framework)
    strange = {name for _, names in found for name in names} - (_forbidden() & known().names)
    if not exercise.forbidden:
        return sorted(strange & REACHES)
    if not any(known.of_memory for known in exercise.properties):
        strange -= LEAVES
    others = {e.entry for e in all_exercises().values()} - {exercise.entry}
    used = cache(lambda: reached(exercise.entry, uses(submission.cells_for(framework))))
    held: set[str] = set()
    for statement, names in found:
        if here := names & _forbidden(exercise.name) - {exercise.entry}:
            bound = bound_names(statement)
            held |= here if not bound & others or bound & used() else set()
    return [*sorted(held), *sorted(strange - held)]


@cache
def _forbidden(exercise: str = "") -> frozenset[str]:
    """What an exercise forbids, or any of them: each without its module."""
    forbid = [all_exercises()[exercise]] if exercise else all_exercises().values()
    found = {name.rsplit(".", 1)[-1] for e in forbid for name in e.forbidden}
    return frozenset(found | {CALLED_BY[name] for name in found & CALLED_BY.keys()})


@lru_cache(maxsize=2)
def _strange(submission: Submission, framework: str) -> list[tuple[ast.stmt, set[str]]]:
    """Statements with names that are not known, that leave the framework, or that an exercise forbids."""
    found = [(c, s, _source_of(c, s)) for c in submission.cells_for(framework) for s in c.statements]
    # What the first cell of a copy imports is for that cell alone, and stays strange in an answer.
    found = [(cell, s, text) for cell, s, text in found if not is_of_the_install_cell(text or "")]
    own = [(s, text in _solution_statements()) for c, s, text in found if not _is_of_a_chapter(c, s)]
    names = strange_names([s for _, s, _ in found], [s for s, _ in own], _forbidden())
    # In what a solution holds, the rest is the course's own.
    kept = ((s, n & _forbidden() if of_course else n) for (s, of_course), n in zip(own, names, strict=True))
    return [(statement, strange) for statement, strange in kept if strange]


def _is_of_a_chapter(cell: Cell, statement: ast.stmt) -> bool:
    """Whether a chapter shows a statement as it is, or what is left of it in a learner's copy.

    So is an import of nothing but what learners use of the grader.
    """
    if isinstance(statement, ast.ImportFrom) and statement.module == "autograder":
        return all(alias.name in FOR_LEARNERS and alias.asname is None for alias in statement.names)
    text = _source_of(cell, statement)
    if text is None:
        return False
    if TAKES_A_MARK.sub("", text) in chapter_statements() or is_of_the_install_cell(text):
        return True
    return is_stub(statement) and set(text.split("\n")) - _chapter_lines() <= set(STUB.findall(text))


def with_what_a_chapter_shows(cell: Cell) -> list[tuple[ast.stmt, bool]]:
    """Each statement of a cell, and whether a chapter shows it as it is, and not as the answer to an exercise.

    So does the cell with which each copy begins.
    """
    texts = [(statement, _source_of(cell, statement) or "") for statement in cell.statements]
    return [(s, text in chapter_statements() or is_of_the_install_cell(text)) for s, text in texts]


def _source_of(cell: Cell, statement: ast.stmt) -> str | None:
    """The lines of a statement; None if they are longer than any that a chapter shows."""
    first, last = lines_of(statement)
    lines = cell.lines[first - 1 : last]
    # A line may hold tens of thousands of statements, and would be copied for each.
    return "\n".join(lines).strip() if sum(map(len, lines)) <= MAX_SHOWN else None


@cache
def _chapter_lines() -> frozenset[str]:
    return frozenset(line for text in chapter_statements() for line in text.split("\n"))


@cache
def _solution_statements() -> frozenset[str]:
    """The text of every statement of the solutions."""
    paths = (ROOT / "solutions").rglob("*.py")
    return _statements_of(Cell(0, path.read_text(encoding="utf-8")) for path in paths)


@cache
def chapter_statements() -> frozenset[str]:
    """The text of every statement that the chapters show, other than answers to exercises."""
    texts = (path.read_text(encoding="utf-8") for path in (BOOK / "chapters").glob("*.ipynb"))
    return _statements_of(cell for text in texts for cell in cells_of(text, True) if not cell.exercise)


def _statements_of(cells: Iterable[Cell]) -> frozenset[str]:
    """The text of every statement, but of those that are too long."""
    return frozenset(filter(None, (_source_of(cell, s) for cell in cells for s in cell.statements)))
