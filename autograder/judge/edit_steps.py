"""Edits of whole steps: a wrong way from scores to weights, two steps in the other order, other lengths."""

import ast

from autograder.judge.edit_rules import MASKS, Change, Changes, expression
from autograder.judge.edit_words import FUNCTIONS, STEPS, Wording, called
from autograder.judge.wrong_steps import MASKED, WEIGHTS

# Which functions make weights of scores, and how many of their arguments the wrong ways take.
SOFTMAXES = {"softmax": 1, "masked_softmax": 2, "masked_softmax_or_zero": 2}
UNARY = (
    "tanh",
    "exp",
    "log",
    "sqrt",
    "abs",
    "_sigmoid",
    "norm",
    "layer_norm",
    "maximum",
    "sum",
    "mean",
    "unit",
)
LENGTHS = {
    "one larger": "None if ({x}) is None else ({x}) + 1",
    "one smaller": "None if ({x}) is None else ({x}) - 1",
}
SAME_LENGTH = {
    "that of the first batch element": "None if ({x}) is None else ({x}) * 0 + ({x})[:1]",
    "that of the first query": "({x})[:, 0] if np.ndim({x}) > 1 else ({x})",
    "the largest of all": "None if ({x}) is None else ({x}) * 0 + np.max({x})",
}


def weights(node: ast.AST, words: Wording) -> Changes:
    """A wrong way from scores to weights in the place of a softmax."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
        return
    taken = SOFTMAXES.get(node.func.id)
    if taken is None or node.keywords or len(node.args) != taken:
        return
    ways = WEIGHTS if taken == 1 else {**WEIGHTS, **MASKED}
    for step, clause in ways.items():
        name = ast.Name(f"_wrong_{step.__name__}", ast.Load())
        yield Change(f"weights_{step.__name__}", clause, ast.Call(name, node.args, []))


def lengths(node: ast.AST, words: Wording) -> Changes:
    """The valid length one too large or too small, or one for all."""
    if not isinstance(node, ast.Call):
        return
    for i, value in enumerate(node.args):
        if not isinstance(value, ast.Name) or value.id not in MASKS or not (it := words.name(value.id)):
            continue
        ways = {f"{it} is taken {size}": text for size, text in LENGTHS.items()}
        ways |= {f"{it} is taken as {which}": text for which, text in SAME_LENGTH.items()}
        for clause, text in ways.items():
            other = [*node.args[:i], expression(text, x=value), *node.args[i + 1 :]]
            yield Change("lengths", clause, ast.Call(node.func, other, node.keywords))


def orders(node: ast.AST, words: Wording) -> Changes:
    """A function taken of a part or of each part of what it is taken of, or before another one."""
    if isinstance(node, ast.Call) and (found := _unary(node)):
        what, x = found
        if isinstance(x, ast.BinOp):
            left, right = _with_first(node, x.left), _with_first(node, x.right)
            for part, alone in (
                (x.left, ast.BinOp(left, x.op, x.right)),
                (x.right, ast.BinOp(x.left, x.op, right)),
            ):
                if it := words.of(part):
                    yield _ordered(what, f"is taken of {it} alone", alone)
            yield _ordered(what, "is taken of each part and not of the whole", ast.BinOp(left, x.op, right))
        elif isinstance(x, ast.Call) and (inner := _unary(x)):
            turned = _with_first(x, _with_first(node, inner[1]))
            yield _ordered(what, f"is taken before {inner[0]} and not after it", turned)


def masks(node: ast.AST, words: Wording) -> Changes:
    """A mask that comes after the softmax of the masked scores."""
    match node:
        case ast.Call(func=ast.Name(id="softmax") as f, args=[ast.Call(args=[mask, x, _]) as where]) if (
            called(where)[0] == "where"
        ):
            parts = {"f": f, "m": mask, "x": x}
            after = expression("np.where({m}, {f}({x}), 0)", **parts)
            yield Change("mask_late", "the mask comes after the softmax", after)
            shared = "np.where({m}, {f}({x}), 0) / np.where({m}, {f}({x}), 0).sum(-1, keepdims=True)"
            clause = "the mask comes after the softmax, and each row is then divided by its sum"
            yield Change("mask_late_shared", clause, expression(shared, **parts))


def _unary(node: ast.Call) -> tuple[str, ast.expr] | None:
    """(its words, what it is taken of) for a function of one array."""
    name, x = called(node)
    if name not in UNARY or x is None:
        return None
    if name == "maximum":
        return "the ReLU", x
    words = FUNCTIONS.get(name) or STEPS.get(name)
    return (words, x) if words else None


def _with_first(call: ast.Call, x: ast.expr) -> ast.Call:
    """The same call of another array."""
    if isinstance(call.func, ast.Attribute) and not _is_module(call.func.value):
        return ast.Call(ast.Attribute(x, call.func.attr, ast.Load()), call.args, call.keywords)
    return ast.Call(call.func, [x, *call.args[1:]], call.keywords)


def _is_module(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id in ("np", "math")


def _ordered(what: str, clause: str, node: ast.expr) -> Change:
    return Change("order", f"{what} {clause}", node, rank=1)


STEP_RULES = (weights, lengths, orders, masks)
