"""What a teacher should look at in a source: names that an exercise forbids, ways around a refusal, and loops.

A flag costs nothing. It can only be read off the source, so what it looks for is whatever could turn a text
into a name, or reach the process that runs the answer.
"""

import ast
import json
import re
from collections.abc import Iterator
from functools import cache

from autograder.model.catalogue import all_exercises
from autograder.model.exercise import Exercise
from autograder.read.cells import Cell
from autograder.read.submission import Submission
from autograder.read.syntax import bound_names, is_stub, lines_of
from course.paths import BOOK

# Names by which a source can go around a refusal; an answer seldom needs them.
BYPASSES = frozenset({
    "BaseConfigurator", "Bdb", "CachedOp", "CodeType", "CompilationUnit", "FunctionType", "GraphModule",
    "InteractiveConsole", "InteractiveInterpreter", "Library", "SymbolBlock", "_C", "__builtins__",
    "__closure__", "__code__", "__dict__", "__doc__", "__getattribute__", "__globals__", "__import__",
    "__self__", "__subclasses__", "_ctypes", "_current_frames", "_decomp", "_dynamo", "_get_operation",
    "_getframe", "_higher_order_ops", "_imperative_invoke", "_inductor", "_jit_get_operation", "_prims",
    "_refs", "_symbol_creator", "_sys", "attrgetter", "autograder", "builtins", "call_method",
    "cell_contents", "compile", "ctypes", "eval", "exec", "f_back", "f_builtins", "f_globals", "f_locals",
    "gc", "get_field", "get_type_hints", "getattr", "getmembers", "gi_frame", "import_module", "importlib",
    "inspect", "keras", "lambdify", "load_json", "make_fx", "marshal", "methodcaller", "mock", "pickle",
    "pkgutil", "pydoc", "quantizable", "resolve_dotted_attribute", "runcode", "runctx", "runpy", "runsource",
    "sandbox", "sympify", "sys", "tb_frame", "threading", "vars", "walk_stack",
})  # fmt: skip
# What an exercise that forbids one name forbids under another: a class that calls the function.
CALLED_BY = {"multi_head_attention_forward": "MultiheadAttention"}
LOOPS = (ast.For, ast.While, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
FOR_LEARNERS = ("check", "hint", "solved")
STUB = re.compile(r"^ *raise NotImplementedError$", re.MULTILINE)
# Characters of the longest statement of a chapter, and far more.
MAX_SHOWN = 20_000
# What `start` writes behind a check, for nbgrader.
TAKES_A_MARK = re.compile(r"\.mark\([^()]*\)$")


def flag(submission: Submission, framework: str, exercise: Exercise) -> str | None:
    """What a teacher should look at in the answer to an exercise, as the end of a sentence; None if nothing is."""
    names = suspicious_names(submission, framework, exercise)
    found = [f"its source names {', '.join(names)}"] if names else []
    if exercise.no_loop and (looping := with_loops(submission, framework, exercise.entry)):
        found.append(f"there is a loop in {', '.join(looping)}")
    return "; ".join(found) or None


def with_loops(submission: Submission, framework: str, entry: str) -> list[str]:
    """Which functions and classes hold a loop or a comprehension: the entry, and those that it uses."""
    definitions = {
        statement.name: statement
        for cell in submission.cells
        if cell.framework in (None, framework)
        for statement in cell.statements
        if isinstance(statement, ast.FunctionDef | ast.ClassDef)
    }
    used, waiting = set(), [entry]
    while waiting:
        name = waiting.pop()
        if name in definitions and name not in used:
            used.add(name)
            waiting += _taken_from_outside(definitions[name])
    return [name for name in definitions if name in used and _loops(definitions[name])]


def _taken_from_outside(definition: ast.FunctionDef | ast.ClassDef) -> set[str]:
    """Names that a definition reads and does not bind itself."""
    names = [node for node in ast.walk(definition) if isinstance(node, ast.Name)]
    own = {node.id for node in names if not isinstance(node.ctx, ast.Load)}
    own |= {node.arg for node in ast.walk(definition) if isinstance(node, ast.arg)}
    return {node.id for node in names} - own


def _loops(definition: ast.FunctionDef | ast.ClassDef) -> bool:
    return any(isinstance(node, LOOPS) for node in ast.walk(definition))


def suspicious_names(submission: Submission, framework: str, exercise: Exercise) -> list[str]:
    """Which forbidden names, and which ways around a refusal, a submission's source holds.

    Other exercises may ask for what this one forbids: there it counts only if this answer uses it. Text that
    stands in a chapter as it is does not count.
    """
    if not exercise.forbidden:
        return []
    forbidden = {name.rsplit(".", 1)[-1] for name in exercise.forbidden}
    forbidden |= {CALLED_BY[name] for name in forbidden & set(CALLED_BY)}
    entry, others = exercise.entry, {e.entry for e in all_exercises().values()} - {exercise.entry}
    wanted = (forbidden | BYPASSES) - {entry}
    cells = [c for c in submission.cells if c.framework in (None, framework) and c.may_hold(wanted)]
    held: set[str] = set()
    used = cache(lambda: _used_by(entry, submission, framework))
    own = _defined_in(submission) & forbidden
    for cell in cells:
        for statement, refers_to in cell.referred:
            words = refers_to & wanted
            if words & own:
                words -= own - _reached_elsewhere(statement)
            if not words or _is_of_a_chapter(cell, statement):
                continue
            if words & forbidden and (bound := bound_names(statement)) & others:
                words = words if bound & used() else words - forbidden
            held |= words
    return sorted(held)


def _defined_in(submission: Submission) -> set[str]:
    """Functions and classes of the submission's own; none if it may import others under any name."""
    statements = [statement for cell in submission.cells for statement in cell.statements]
    if any(isinstance(s, ast.ImportFrom) and s.names[0].name == "*" for s in statements):
        return set()
    return {s.name for s in statements if isinstance(s, ast.FunctionDef | ast.ClassDef)}


def _reached_elsewhere(statement: ast.stmt) -> set[str]:
    """Names that a statement imports, takes from an object or writes in a text, so that they may not be its own."""
    found: set[str] = set()
    for node in ast.walk(statement):
        if isinstance(node, ast.Attribute):
            found.add(node.attr)
        elif isinstance(node, ast.alias):
            found |= {node.name.rsplit(".", 1)[-1], node.asname or ""}
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            found |= set(re.findall(r"\w+", node.value))
    return found


def _used_by(entry: str, submission: Submission, framework: str) -> set[str]:
    """Names that an entry refers to, and what they refer to in turn."""
    refers: dict[str, set[str]] = {}
    for cell in submission.cells:
        if cell.framework in (None, framework):
            for statement in cell.statements:
                words = {n.id for n in ast.walk(statement) if isinstance(n, ast.Name)}
                for name in bound_names(statement):
                    refers.setdefault(name, set()).update(words)
    found, waiting = set(), [entry]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += refers.get(name, ())
    return found


def _is_of_a_chapter(cell: Cell, statement: ast.stmt) -> bool:
    """Whether a chapter shows a statement as it is, or what is left of it in a learner's copy."""
    if _imports_for_learners(statement):
        return True
    text = _text(cell, statement)
    if text is None:
        return False
    if TAKES_A_MARK.sub("", text) in chapter_statements():
        return True
    return is_stub(statement) and set(text.split("\n")) - _chapter_lines() <= set(STUB.findall(text))


def with_what_a_chapter_shows(cell: Cell) -> list[tuple[ast.stmt, bool]]:
    """Each statement of a cell, and whether a chapter shows it as it is, and not as the answer to an exercise."""
    return [(s, _text(cell, s) in chapter_statements()) for s in cell.statements]


def _imports_for_learners(statement: ast.stmt) -> bool:
    """Whether it imports from the grader nothing but what learners use."""
    return (
        isinstance(statement, ast.ImportFrom)
        and statement.module == "autograder"
        and all(alias.name in FOR_LEARNERS and alias.asname is None for alias in statement.names)
    )


def _text(cell: Cell, statement: ast.stmt) -> str | None:
    """The lines of a statement; None if they are longer than any that a chapter shows."""
    first, last = lines_of(statement)
    lines = cell.lines[first - 1 : last]
    # A line may hold tens of thousands of statements, and would be copied for each.
    return "\n".join(lines).strip() if sum(map(len, lines)) <= MAX_SHOWN else None


@cache
def _chapter_lines() -> frozenset[str]:
    return frozenset(line for text in chapter_statements() for line in text.split("\n"))


@cache
def chapter_statements() -> frozenset[str]:
    """The text of every statement that the chapters show, other than answers to exercises."""
    return frozenset(_statements_of_chapters())


def _statements_of_chapters() -> Iterator[str]:
    for path in sorted((BOOK / "chapters").glob("*.ipynb")):
        for number, cell in enumerate(json.loads(path.read_text(encoding="utf-8"))["cells"]):
            tags = cell["metadata"].get("tags", [])
            if cell["cell_type"] == "code" and not any(tag.startswith("exercise:") for tag in tags):
                shown = Cell(number, "".join(cell["source"]))
                yield from filter(None, (_text(shown, statement) for statement in shown.statements))
