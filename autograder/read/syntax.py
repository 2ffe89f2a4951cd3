"""Reads Python without running it: names that statements bind, use and import."""

import ast
import re
import warnings
from collections.abc import Iterable, Sequence
from functools import lru_cache

from autograder.frameworks import framework_names

# Cells that are much longer are hardly the same in two submissions.
MAX_REMEMBERED = 4096
WORD = re.compile(r"\w+")
# A word in a text that looks like code.
CODE = re.compile(r"(?<![.\w])(\w+)\s*[.(\[]")
IMPORT = re.compile(r"^[ \t]*(?:import|from)[ \t].*", re.MULTILINE)


def parse(source: str) -> list[ast.stmt] | None:
    """The statements of a source; None if it is not Python."""
    return _parse_once(source) if len(source) <= MAX_REMEMBERED else _parse_anew(source)


def _parse_anew(source: str) -> list[ast.stmt] | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Python warns on the teacher's terminal of what it finds odd
            return ast.parse(source).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


# A class hands in the same cells of the chapters again and again.
_parse_once = lru_cache(maxsize=64)(_parse_anew)


def is_stub(statement: ast.stmt) -> bool:
    """Whether a function, or every function of a class, does nothing but raise NotImplementedError.

    A call of the base class's `__init__`, which stands in the stubs of layers, does nothing of the task.
    """
    if isinstance(statement, ast.ClassDef):
        functions = [s for s in statement.body if isinstance(s, (ast.FunctionDef, ast.AsyncFunctionDef))]
        return bool(functions) and all(map(is_stub, functions))
    if not isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return False
    last = statement.body[-1]
    rest = [s for s in statement.body[:-1] if not is_docstring(s) and not _calls_base_init(s)]
    return not rest and isinstance(last, ast.Raise) and "NotImplementedError" in ast.dump(last)


def surely_raises(statement: ast.stmt) -> bool:
    """Whether the syntax tells for sure that a stub raises NotImplementedError, called or constructed."""
    if (
        not is_stub(statement)
        or getattr(statement, "decorator_list", [])
        or getattr(statement, "keywords", [])
    ):
        return False
    if isinstance(statement, ast.ClassDef):
        methods = [s for s in statement.body if not is_docstring(s)]
        return any(getattr(s, "name", "") == "__init__" for s in methods) and all(map(surely_raises, methods))
    if not isinstance(statement, ast.FunctionDef) or not isinstance(last := statement.body[-1], ast.Raise):
        return False
    raised = last.exc
    if isinstance(raised, ast.Call) and all(isinstance(argument, ast.Constant) for argument in raised.args):
        raised = None if raised.keywords else raised.func
    return last.cause is None and isinstance(raised, ast.Name) and raised.id == "NotImplementedError"


def _calls_base_init(statement: ast.stmt) -> bool:
    """Whether it is `super().__init__(…)`, which a stub of a class keeps."""
    return isinstance(statement, ast.Expr) and ast.unparse(statement).startswith("super().__init__(")


def is_docstring(statement: ast.AST) -> bool:
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Constant)
        and isinstance(statement.value.value, str)
    )


def lines_of(statement: ast.stmt) -> tuple[int, int]:
    """Its first line, with its decorators, and its last."""
    decorators = getattr(statement, "decorator_list", [])
    first = min(node.lineno for node in (statement, *decorators))
    return first, statement.end_lineno or statement.lineno


def bound_names(statement: ast.stmt) -> set[str]:
    """Names that a statement binds in its own scope, other than by importing a reference."""
    expressions = ast.walk(statement) if isinstance(statement, ast.Expr) else ()
    names = {n.target.id for n in expressions if isinstance(n, ast.NamedExpr)}
    waiting = [statement]
    while waiting:
        found = waiting.pop()
        if isinstance(found, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            names.add(found.name)
        elif isinstance(found, (ast.Import, ast.ImportFrom)):
            names |= {name for module, name in imported_names(found) if module.split(".")[0] != "solutions"}
        else:
            targets = getattr(found, "targets", None) or [getattr(found, "target", None)]
            names |= {n.id for t in targets if t is not None for n in ast.walk(t) if isinstance(n, ast.Name)}
            waiting += _blocks(found)
    return names


def open_names(statements: Sequence[ast.stmt]) -> set[str]:
    """Names that something else than a definition at the top level may bind, or may change what it is.

    A call of a name, and a check of it, change nothing.
    """
    nodes = [node for statement in statements for node in ast.walk(statement)]
    calls = [node for node in nodes if isinstance(node, ast.Call)]
    checks = [c for c in calls if isinstance(c.func, ast.Name) and c.func.id == "check"]
    only_used = [*(call.func for call in calls), *(argument for call in checks for argument in call.args)]
    passed = {id(node) for node in (*statements, *only_used)}
    return {name for n in nodes if id(n) not in passed for name in _touched(n)}


def _touched(node: ast.AST) -> Iterable[str]:
    """Names that a node binds or reads."""
    if isinstance(node, (ast.Global, ast.Nonlocal)):
        return node.names
    if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
        return ()
    fields = (getattr(node, field, None) for field in ("id", "attr", "name", "asname", "rest"))
    return [word for word in fields if isinstance(word, str)]


def words_in(text: str) -> set[str]:
    """A text, and its words, which some calls turn into names; a plain one, which a sentence may hold, only where code would follow it."""
    words = {word for word in WORD.findall(text) if not (word.isalpha() and word.islower())}
    return {text, *words, *CODE.findall(text)}


def docstrings(statement: ast.stmt) -> set[int]:
    """The `id` of each docstring's node in a statement."""
    if is_docstring(statement):
        return {id(statement.value)}  # type: ignore[attr-defined]
    scopes = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    bodies = [n.body for n in ast.walk(statement) if isinstance(n, scopes)]
    return {id(body[0].value) for body in bodies if is_docstring(body[0])}  # type: ignore[attr-defined]


def _blocks(statement: ast.stmt) -> list[ast.stmt]:
    """Statements inside an `if`, a `match`, a `try`, a loop or a `with`."""
    blocks = [getattr(statement, name, []) for name in ("body", "orelse", "finalbody")]
    inner = [*getattr(statement, "handlers", []), *getattr(statement, "cases", [])]
    blocks += [part.body for part in inner]
    return [child for block in blocks for child in block]


def imported_names(node: ast.AST) -> list[tuple[str, str]]:
    if isinstance(node, ast.Import):
        return [(alias.name, (alias.asname or alias.name).split(".")[0]) for alias in node.names]
    if not isinstance(node, ast.ImportFrom) or not node.module:
        return []
    if node.module == "course.frameworks":
        return [(framework_names().get(a.name, a.name), a.asname or a.name) for a in node.names]
    return [(node.module, alias.asname or alias.name) for alias in node.names]
