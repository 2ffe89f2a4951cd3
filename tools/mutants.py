"""Mechanical wrong versions of a solution: one small change each, made on its syntax tree.

They measure the checks: every mutant that changes a result must be rejected.
"""

import ast
import difflib
import inspect
import signal
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from autograder.checking.check import LocalTransport
from autograder.judge.trial import judge
from autograder.model.exercise import Exercise
from tools.wrong_versions import define, solution

OPERATORS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.Pow: ast.Mult,
    ast.FloorDiv: ast.Mult,
}
COMPARISONS: dict[type[ast.cmpop], list[type[ast.cmpop]]] = {
    ast.Lt: [ast.LtE, ast.GtE],
    ast.LtE: [ast.Lt, ast.Gt],
    ast.Gt: [ast.GtE, ast.LtE],
    ast.GtE: [ast.Gt, ast.Lt],
    ast.Eq: [ast.NotEq],
    ast.NotEq: [ast.Eq],
}
NAMES = {
    "tanh": "sigmoid", "sigmoid": "tanh", "relu": "tanh", "sin": "cos", "cos": "sin", "max": "min", "min": "max",
    "sum": "mean", "mean": "sum", "exp": "sigmoid", "softmax": "log_softmax", "log_softmax": "softmax",
    "maximum": "minimum", "minimum": "maximum", "sqrt": "square", "square": "sqrt", "zeros": "ones", "ones": "zeros",
    "triu": "tril", "tril": "triu", "zeros_like": "ones_like", "ones_like": "zeros_like",
}  # fmt: skip
EQUIVALENT = Path(__file__).with_name("equivalent_mutants.toml")
LARGE = 1000
SECONDS = 10


def mutants(source: str) -> Iterator[tuple[str, str]]:
    """Yield (what changed, the mutated source) for each mutant of a function or class."""
    original = ast.unparse(ast.parse(source))
    texts = {original}
    for changed in _changed(ast.parse(source)):
        text = ast.unparse(changed)
        if text not in texts:
            texts.add(text)
            yield _difference(original, text), text


def _difference(before: str, after: str) -> str:
    """Return `old line → new line`; a line that is gone becomes nothing."""
    lines = list(difflib.ndiff(before.splitlines(), after.splitlines()))
    old = "; ".join(line[2:].strip() for line in lines if line.startswith("- "))
    new = "; ".join(line[2:].strip() for line in lines if line.startswith("+ "))
    return f"{old} → {new}"


def _changed(tree: ast.Module) -> Iterator[ast.Module]:
    """Yield the tree itself with one change at a time, which is undone when the next is asked for."""
    for node in list(ast.walk(tree)):
        for change in CHANGES:
            for variant in range(3):
                before = {
                    key: list(value) if isinstance(value, list) else value
                    for key, value in vars(node).items()
                }
                if change(tree, node, variant):
                    yield tree
                vars(node).update(before)


def _constant(tree: ast.Module, node: ast.AST, variant: int) -> bool:
    if not isinstance(node, ast.Constant) or isinstance(node.value, (str, bytes)) or node.value is None:
        return False
    if isinstance(node.value, bool):
        node.value = not node.value
        return variant == 0
    if not isinstance(node.value, (int, float)):
        return False
    if abs(node.value) >= LARGE:
        # Minus a million and minus two million mean the same; zero does not.
        node.value = 0
        return variant == 0
    node.value = [node.value + 1, node.value - 1, node.value * 2][variant]
    return variant < 2 or isinstance(node.value, float)


def _operator(tree: ast.Module, node: ast.AST, variant: int) -> bool:
    if variant or not isinstance(node, ast.BinOp) or type(node.op) not in OPERATORS:
        return False
    node.op = OPERATORS[type(node.op)]()
    return True


def _comparison(tree: ast.Module, node: ast.AST, variant: int) -> bool:
    if not isinstance(node, ast.Compare) or variant >= len(COMPARISONS.get(type(node.ops[0]), [])):
        return False
    node.ops[0] = COMPARISONS[type(node.ops[0])][variant]()
    return True


def _sign(tree: ast.Module, node: ast.AST, variant: int) -> bool:
    """Drop a minus, a tilde or a not."""
    for field, value in ast.iter_fields(node):
        if variant == 0 and isinstance(value, ast.UnaryOp):
            setattr(node, field, value.operand)
            return True
        if variant == 1 and isinstance(value, list):
            for i, item in enumerate(value):
                if isinstance(item, ast.UnaryOp):
                    value[i] = item.operand
                    return True
    return False


def _name(tree: ast.Module, node: ast.AST, variant: int) -> bool:
    if variant or not isinstance(node, ast.Attribute) or node.attr not in NAMES:
        return False
    node.attr = NAMES[node.attr]
    return True


def _swap(tree: ast.Module, node: ast.AST, variant: int) -> bool:
    """Swap two neighbouring arguments of a call, or the sides of a matrix product."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult) and variant == 0:
        node.left, node.right = node.right, node.left
        return True
    if isinstance(node, ast.Call) and len(node.args) > variant + 1:
        node.args[variant], node.args[variant + 1] = node.args[variant + 1], node.args[variant]
        return True
    return False


def _condition(tree: ast.Module, node: ast.AST, variant: int) -> bool:
    if variant or not isinstance(node, (ast.If, ast.IfExp)):
        return False
    node.test = ast.UnaryOp(ast.Not(), node.test)
    return True


def _delete(tree: ast.Module, node: ast.AST, variant: int) -> bool:
    """Leave out one statement of a body."""
    body = getattr(node, "body", None)
    if not isinstance(node, (ast.FunctionDef, ast.For, ast.If)) or not isinstance(body, list):
        return False
    statements = [s for s in body if not _is_text(s) and not isinstance(s, ast.Return)]
    if variant >= len(statements) or len(body) == 1:
        return False
    body.remove(statements[variant])
    return True


def _is_text(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


CHANGES = (_constant, _operator, _comparison, _sign, _name, _swap, _condition, _delete)


def equivalent(exercise: Exercise, framework: str) -> set[str]:
    """Return the changes that are listed by hand because they change no result."""
    return set(
        tomllib.loads(EQUIVALENT.read_text(encoding="utf-8")).get(exercise.name, {}).get(framework, {})
    )


def survivors(exercise: Exercise, framework: str) -> tuple[int, list[str]]:
    """Return (number of mutants, the changes that are accepted) for one exercise in one framework."""
    source = inspect.getsource(getattr(solution(exercise.topic, framework), exercise.entry))
    count, accepted = 0, []
    for change, mutated in mutants(source):
        count += 1
        if _passes(exercise, framework, mutated):
            accepted.append(change)
    return count, accepted


def _passes(exercise: Exercise, framework: str, source: str) -> bool:
    """Return whether the judge accepts a source; one that never ends does not pass."""
    try:
        with ended():
            transport = LocalTransport(framework, define(exercise, framework, source))
            return judge(exercise, transport, framework).outcome == "accepted"
    except Exception:
        return False


@contextmanager
def ended() -> Iterator[None]:
    """Raise TimeoutError in what takes more than SECONDS of the processor, on a busy machine too."""

    def give_up(number: int, frame: Any) -> None:
        raise TimeoutError

    previous = signal.signal(signal.SIGPROF, give_up)
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, previous)
