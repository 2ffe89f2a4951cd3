"""Reads Python without running it: names that statements bind, use and import."""

import ast
import re
import warnings
from functools import lru_cache

from autograder.frameworks import framework_names

# Cells that are much longer are hardly the same in two submissions.
MAX_REMEMBERED = 4096
WORD = re.compile(r"\w+")
# A word in a text that looks like code.
CODE = re.compile(r"(?<![.\w])(\w+)\s*[.(\[]")
# The patterns of `match` that bind a name, and where each holds it.
CAPTURES = {ast.MatchAs: "name", ast.MatchStar: "name", ast.MatchMapping: "rest"}
IMPORT = re.compile(r"^[ \t]*(?:import|from)[ \t].*", re.MULTILINE)


def parse(source: str) -> list[ast.stmt] | None:
    """Return the statements of a source; None if it is not Python."""
    return _parse_once(source) if len(source) <= MAX_REMEMBERED else _parse_anew(source)


def _parse_anew(source: str) -> list[ast.stmt] | None:
    try:
        with warnings.catch_warnings(action="ignore"):  # Python's, on the teacher's terminal
            return ast.parse(source).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


# A class hands in the same cells of the chapters again and again.
_parse_once = lru_cache(maxsize=64)(_parse_anew)


def is_stub(statement: ast.stmt) -> bool:
    """Return whether a function, or every function of a class, does nothing but raise NotImplementedError.

    A call of the base class's `__init__`, which stands in the stubs of layers, does nothing of the task.
    """
    if isinstance(statement, ast.ClassDef):
        functions = [s for s in statement.body if isinstance(s, (ast.FunctionDef, ast.AsyncFunctionDef))]
        return bool(functions) and all(map(is_stub, functions))
    if not isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return False
    last = statement.body[-1]
    rest = [s for s in statement.body[:-1] if not is_docstring(s) and not _calls_base_init(s)]
    names = (name_of(node) for node in ast.walk(last))
    return not rest and isinstance(last, ast.Raise) and "NotImplementedError" in names


def surely_raises(statement: ast.stmt) -> bool:
    """Return whether the syntax tells for sure that a stub raises NotImplementedError, called or constructed."""
    if not isinstance(statement, ast.FunctionDef | ast.ClassDef) or statement.decorator_list:
        return False
    body = [s for s in statement.body if not is_docstring(s)]
    if isinstance(statement, ast.FunctionDef):
        return is_stub(statement) and _is_plain_raise(body[-1])
    has_init = any(getattr(s, "name", "") == "__init__" for s in body)
    return has_init and not statement.keywords and all(map(surely_raises, body))


def _calls_base_init(statement: ast.stmt) -> bool:
    """Return whether it is `super().__init__(…)`, which a stub of a class keeps."""
    match statement:
        case ast.Expr(ast.Call(ast.Attribute(ast.Call(ast.Name("super"), [], []), "__init__"))):
            return True
    return False


def _is_plain_raise(statement: ast.stmt) -> bool:
    """Return whether it is `raise NotImplementedError`, called with nothing or with one text."""
    match statement:
        case ast.Raise(ast.Name(name) | ast.Call(ast.Name(name), [] | [ast.Constant(str())], []), None):
            return name == "NotImplementedError"
    return False


def dumped(statement: ast.stmt) -> str:
    """Return the syntax of a statement as a text; an empty one if it is nested so deeply that none can be made.

    `ast.dump` calls itself for each level, and Python's parser takes thousands of them.
    """
    try:
        return ast.dump(statement)
    except RecursionError:
        return ""


def is_docstring(statement: ast.AST) -> bool:
    match statement:
        case ast.Expr(ast.Constant(str())):
            return True
    return False


def name_of(node: ast.AST) -> str:
    """Return the name of a variable, or of an attribute; empty for any other node."""
    return str(getattr(node, "id", getattr(node, "attr", "")))


def lines_of(statement: ast.stmt) -> tuple[int, int]:
    """Return its first line, with its decorators, and its last."""
    decorators = getattr(statement, "decorator_list", [])
    first = min(node.lineno for node in (statement, *decorators))
    return first, statement.end_lineno or statement.lineno


def text_lines(text: str) -> list[str]:
    """Return the lines of a source as the parser counts them: a form feed ends none."""
    return re.split(r"\r\n?|\n", text)


def definitions(text: str) -> dict[str, str]:
    """Return the lines of each function and class at the left margin, with its decorators; of several of a name the last.

    Raises SyntaxError and ValueError for what is no Python.
    """
    lines = text_lines(text)
    defined = (s for s in ast.parse(text).body if isinstance(s, ast.FunctionDef | ast.ClassDef))
    spans = ((statement.name, *lines_of(statement)) for statement in defined)
    return {name: "\n".join([*lines[first - 1 : last], ""]) for name, first, last in spans}


def bound_names(statement: ast.stmt) -> set[str]:
    """Return the names that a statement binds in its own scope, other than by importing a reference.

    What `except … as` binds is unbound again at the end of its block.
    """
    names: set[str] = set()
    pending: list[ast.AST] = [statement]
    while pending:
        node = pending.pop()
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            names.add(node.name)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            names |= {name for module, name in imported_names(node) if module.split(".")[0] != "solutions"}
        elif isinstance(node, ast.comprehension):
            pending += [node.iter, *node.ifs]  # its targets are names of its own scope
        elif not isinstance(node, ast.Lambda):
            is_stored = isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
            field = "id" if is_stored else CAPTURES.get(type(node))
            if field and (name := getattr(node, field)):
                names.add(name)
            pending += ast.iter_child_nodes(node)
    return names


def words_in(text: str) -> set[str]:
    """Return a text, and its words, which some calls turn into names; a plain one, which a sentence may hold, only where code would follow it."""
    words = {word for word in WORD.findall(text) if not (word.isalpha() and word.islower())}
    return {text, *words, *CODE.findall(text)}


def changed_names(statement: ast.stmt) -> set[str]:
    """Return the names whose objects get another attribute or entry in a statement, as in `A.g = f`."""
    parts = [n for n in ast.walk(statement) if isinstance(n, (ast.Attribute, ast.Subscript))]
    targets = [n for n in parts if not isinstance(n.ctx, ast.Load)]
    return {n.id for target in targets for n in ast.walk(target) if isinstance(n, ast.Name)}


def docstrings(statement: ast.stmt) -> set[int]:
    """Return the `id` of each docstring's node in a statement."""
    if is_docstring(statement):
        return {id(statement.value)}  # type: ignore[attr-defined]
    scopes = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    bodies = [n.body for n in ast.walk(statement) if isinstance(n, scopes)]
    return {id(body[0].value) for body in bodies if is_docstring(body[0])}  # type: ignore[attr-defined]


def imported_names(node: ast.AST) -> list[tuple[str, str]]:
    if isinstance(node, ast.Import):
        return [(alias.name, (alias.asname or alias.name).split(".")[0]) for alias in node.names]
    if not isinstance(node, ast.ImportFrom) or not node.module:
        return []
    if node.module == "course.frameworks":
        return [(framework_names().get(a.name, a.name), a.asname or a.name) for a in node.names]
    return [(node.module, alias.asname or alias.name) for alias in node.names]
