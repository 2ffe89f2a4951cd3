"""The single edits of a formula, each with its words: a step left out, an operator, an axis, a name, a constant.

Each rule takes a node of the syntax tree and gives changes: what the edit is called, its clause, and the node
that stands in the place of the old one. Whether an edit computes anything is found out by running it.
"""

import ast
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from autograder.diagnose.edit_words import FUNCTIONS, STEPS, Wording, axis_words, called, number_of


@dataclass(frozen=True)
class Change:
    """One edit at one node. clause: "the tanh is left out".

    rank: of edits that give the same, the one with the lowest is named: 0 for what is left out or replaced,
    1 for one name in place of another, 2 for what is added.
    """

    kind: str
    clause: str
    node: ast.expr
    rank: int = 0


Changes = Iterator[Change]
# What the name of an edit begins with.
PREFIX = "edit:"
OPERATORS = {
    ast.Add: "addition", ast.Sub: "subtraction", ast.Mult: "multiplication", ast.Div: "division",
    ast.MatMult: "matrix product", ast.Pow: "power", ast.FloorDiv: "division",
}  # fmt: skip
# What another comparison does.
COMPARISONS: dict[type[ast.cmpop], dict[type[ast.cmpop], str]] = {
    ast.Lt: {ast.LtE: "holds for equal numbers too", ast.Gt: "is turned round", ast.GtE: "is inverted"},
    ast.LtE: {ast.Lt: "does not hold for equal numbers", ast.GtE: "is turned round", ast.Gt: "is inverted"},
    ast.Gt: {ast.GtE: "holds for equal numbers too", ast.Lt: "is turned round", ast.LtE: "is inverted"},
    ast.GtE: {ast.Gt: "does not hold for equal numbers", ast.LtE: "is turned round", ast.Lt: "is inverted"},
}
BY_OR_BESIDE = ("the multiplication by {it}", "what multiplies {it}")
ADDED_OR_BESIDE = ("the addition of {it}", "what is added to {it}")
LEFT_OUT = ("tanh", "exp", "log", "sqrt", "abs", "floor", "ceil", "cumsum", "sin", "cos")
REPLACED = {
    "tanh": {"a ReLU": "np.maximum({x}, 0)", "a sigmoid": "1 / (1 + np.exp(-({x})))"},
    "sin": {"the cosine": "np.cos({x})"},
    "cos": {"the sine": "np.sin({x})"},
    "sqrt": {"the square": "({x}) ** 2"},
    "exp": {"the square": "({x}) ** 2"},
    "log": {"the binary logarithm": "np.log2({x})"},
    "abs": {"the square": "({x}) ** 2"},
    "ceil": {"the rounding down": "np.floor({x})"},
    "floor": {"the rounding up": "np.ceil({x})"},
}
RELU = {
    "tanh": "np.tanh({x})",
    "softplus": "np.log1p(np.exp({x}))",
    "a sigmoid": "1 / (1 + np.exp(-({x})))",
    "the absolute value": "np.abs({x})",
}
REDUCED = {
    "sum": ("mean", "max"),
    "mean": ("sum", "max"),
    "max": ("min", "sum", "mean"),
    "argmax": ("argmin",),
}
ALONG = {**FUNCTIONS, "concatenate": "the concatenation", "roll": "the shift", "repeat": "the repetition"}
OTHER = {"min": "the minimum", "argmin": "the place of the minimum", **FUNCTIONS}
MASKS = ("valid_length", "mask", "source_length", "lengths", "seen")
ADDED = {
    "a softmax over the last axis": "np.exp({x} - ({x}).max(-1, keepdims=True)) / "
    "np.exp({x} - ({x}).max(-1, keepdims=True)).sum(-1, keepdims=True)",
    "a division by the sum over the last axis": "({x}) / ({x}).sum(-1, keepdims=True)",
    "a tanh": "np.tanh({x})",
    "a ReLU": "np.maximum({x}, 0)",
    "a sigmoid": "1 / (1 + np.exp(-({x})))",
    "an exponential": "np.exp({x})",
    "a logarithm": "np.log({x})",
    "a square": "({x}) ** 2",
    "a square root": "np.sqrt({x})",
    "an absolute value": "np.abs({x})",
    "a change of sign": "-({x})",
    "a transposition of the last two axes": "np.swapaxes({x}, -1, -2)",
    "a reversal along the last axis": "({x})[..., ::-1]",
    "a reversal along axis 1": "({x})[:, ::-1]",
    "a division by the length of the last axis": "({x}) / np.shape({x})[-1]",
}
SCALES = ("np.sqrt(np.shape({a})[-1])", "np.shape({a})[-1]")
COUNTS = {
    "doubled": "2 * ({x})",
    "halved": "({x}) / 2",
    "one larger": "({x}) + 1",
    "one smaller": "({x}) - 1",
}


def expression(text: str, **parts: ast.expr) -> ast.expr:
    """A new expression in which {x} and the like stand for these nodes."""
    return ast.parse(text.format(**{k: ast.unparse(v) for k, v in parts.items()}), mode="eval").body


def operators(node: ast.AST, words: Wording) -> Changes:
    """A factor, a term or a divisor left out, put twice, or joined by another operator."""
    if not isinstance(node, ast.BinOp):
        return
    a, b = words.of(node.left), words.of(node.right)
    if rule := OF_OPERATORS.get(type(node.op)):
        yield from rule(node, words, b)
    if isinstance(node.op, (ast.Sub, ast.Div, ast.MatMult)) and a != b:
        name = OPERATORS[type(node.op)]
        turned = ast.BinOp(node.right, node.op, node.left)
        yield Change(
            f"{name.replace(' ', '_')}_turned", f"the two sides of the {name} are interchanged", turned
        )


# Of one operator; b: the words of what stands on its right.


def _quotient(node: ast.BinOp, words: Wording, b: str | None) -> Changes:
    yield Change("divide_left_out", f"the division{_by(b)} is left out", node.left)
    yield from _other(node, b, {"*": "the result is multiplied{by} and not divided"}, "divide")
    if b:
        yield Change("divide_twice", f"the division by {b} is done twice", _twice(node))


def _product(node: ast.BinOp, words: Wording, b: str | None) -> Changes:
    yield from _without(node, words, "factor_left_out", BY_OR_BESIDE)
    ways = {"/": "the result is divided{by} and not multiplied", "+": "a sum replaces the product"}
    yield from _other(node, b, ways, "multiply")
    if b:
        yield Change("factor_twice", f"the multiplication by {b} is done twice", _twice(node))


def _sum(node: ast.BinOp, words: Wording, b: str | None) -> Changes:
    yield from _without(node, words, "term_left_out", ADDED_OR_BESIDE)
    ways = {"*": "a product replaces the sum"} | ({"-": "{it} {is} subtracted and not added"} if b else {})
    yield from _other(node, b, ways, "add")


def _difference(node: ast.BinOp, words: Wording, b: str | None) -> Changes:
    yield Change("subtract_left_out", f"the subtraction{_of(b)} is left out", node.left)
    if b:
        yield from _other(node, b, {"+": "{it} {is} added and not subtracted"}, "subtract")


def _power(node: ast.BinOp, words: Wording, b: str | None) -> Changes:
    if b == "2":
        yield Change("square_left_out", f"the square{_of(words.of(node.left))} is left out", node.left)
        absolute = expression("abs({x})", x=node.left)
        yield Change("square_to_abs", "an absolute value replaces the square", absolute)


def _matrix_product(node: ast.BinOp, words: Wording, b: str | None) -> Changes:
    yield from _without(node, words, "product_left_out", ("the product with {it}",))


def _conjunction(node: ast.BinOp, words: Wording, b: str | None) -> Changes:
    yield from _without(node, words, "condition_left_out", ("the condition on {it}",))
    if b and (a := words.of(node.left)):
        either = ast.BinOp(node.left, ast.BitOr(), node.right)
        yield Change("or_for_and", f"the condition on {a} or that on {b} is enough", either)


OF_OPERATORS: dict[type[ast.operator], Callable[[ast.BinOp, Wording, str | None], Changes]] = {
    ast.Div: _quotient, ast.FloorDiv: _quotient, ast.Mult: _product, ast.Add: _sum, ast.Sub: _difference,
    ast.Pow: _power, ast.MatMult: _matrix_product, ast.BitAnd: _conjunction,
}  # fmt: skip


def _other(node: ast.BinOp, b: str | None, ways: dict[str, str], kind: str) -> Changes:
    for sign, clause in ways.items():
        text = clause.format(by=_by(b), it=b, **{"is": _verb(b or "")})
        yield Change(
            f"{kind}_replaced", text, expression(f"({{x}}) {sign} ({{y}})", x=node.left, y=node.right)
        )


def _twice(node: ast.BinOp) -> ast.expr:
    return ast.BinOp(node, node.op, node.right)


def _by(words: str | None) -> str:
    return f" by {words}" if words else ""


def _of(words: str | None) -> str:
    return f" of {words}" if words else ""


def _without(node: ast.BinOp, words: Wording, kind: str, ways: Sequence[str]) -> Changes:
    """One of two operands left out, if it has words of its own or stands beside one that has.

    ways: what is said of an operand with words, and of one without, beside {it}.
    """
    for out, rest in ((node.right, node.left), (node.left, node.right)):
        for clause, it in zip(ways, (words.of(out), words.of(rest)), strict=False):
            if it:
                yield Change(kind, f"{clause.format(it=it)} is left out", rest)
                break


def comparisons(node: ast.AST, words: Wording) -> Changes:
    """Another comparison, a bound one larger or smaller, a sign left out."""
    if isinstance(node, ast.Compare) and (ways := COMPARISONS.get(type(node.ops[0]))):
        right = node.comparators[0]
        a, b = words.of(node.left), words.of(right)
        for op, clause in ways.items() if a or b else ():
            changed = ast.Compare(node.left, [op()], [right])
            what = f"the comparison{_of(a)}{f' with {b}' if b else ''}"
            yield Change("comparison", f"{what} {clause}", changed)
        if b and number_of(right) is None:
            for sign, size in (("+", "larger"), ("-", "smaller")):
                moved = ast.Compare(node.left, node.ops, [expression(f"({{x}}) {sign} 1", x=right)])
                yield Change(f"bound_{size}", f"{b} {_verb(b)} taken one {size}", moved)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and number_of(node) is None:
        yield Change(
            "sign_left_out", f"the minus sign{_of(words.of(node.operand))} is left out", node.operand
        )


def calls(node: ast.AST, words: Wording) -> Changes:
    """A function left out or replaced, a mask inverted or ignored, an axis changed, a transposition reshaped."""
    if not isinstance(node, ast.Call):
        return
    name, x = called(node)
    if x is None:
        return
    of = _of(words.of(x))
    if name in LEFT_OUT:
        yield Change(f"{name}_left_out", f"{FUNCTIONS[name]}{of} is left out", x)
    for other, text in REPLACED.get(name, {}).items():
        yield Change(
            f"{name}_replaced", f"{other} stands in place of {FUNCTIONS[name]}{of}", expression(text, x=x)
        )
    for other in REDUCED.get(name, ()):
        if not isinstance(node.func, ast.Attribute):
            break
        changed = ast.Call(ast.Attribute(node.func.value, other), node.args, node.keywords)
        yield Change(
            f"{other}_for_{name}", f"{OTHER[other]} stands in place of {FUNCTIONS[name]}{of}", changed
        )
    if isinstance(node.func, ast.Name) and name in STEPS:
        yield Change("step_left_out", f"the step of {STEPS[name]} is left out", x)
        yield from _arguments(node, name, words)
    yield from _masked(node, name, words)
    yield from _bounded(node, name, words)
    yield from _arranged(node, name, x, of)
    yield from _along(node, name, of)


def _arguments(node: ast.Call, name: str, words: Wording) -> Changes:
    for i, value in enumerate(node.args):
        if isinstance(value, ast.Name) and value.id in MASKS and (called_it := words.name(value.id)):
            arguments = [*node.args[:i], ast.Constant(None), *node.args[i + 1 :]]
            yield Change("ignored", f"{called_it} is ignored", ast.Call(node.func, arguments, node.keywords))


def _masked(node: ast.Call, name: str, words: Wording) -> Changes:
    if name == "where" and len(node.args) == 3:
        condition, inside, outside = node.args
        hides = isinstance(outside, ast.UnaryOp)  # by minus infinity, or by a large negative number
        what = words.of(condition) or ("the mask" if hides else None)
        if what:
            yield Change("mask_left_out", f"{what} {_verb(what)} left out", inside)
            turned = ast.Call(node.func, [condition, outside, inside], [])
            yield Change("mask_inverted", f"{what} {_verb(what)} inverted", turned)
        if hides:
            zero = ast.Call(node.func, [condition, inside, ast.Constant(0.0)], [])
            yield Change("mask_with_zero", "masked entries are set to 0 and not to minus infinity", zero)


def _bounded(node: ast.Call, name: str, words: Wording) -> Changes:
    if name not in ("maximum", "minimum") or len(node.args) != 2:
        return
    x, bound = node.args
    relu = name == "maximum" and number_of(bound) == 0
    if it := words.of(bound):
        what = "the ReLU" if relu else f"the {name} with {it}"
        yield Change("bound_left_out", f"{what} is left out", x)
    for other, text in RELU.items() if relu else ():
        yield Change("relu_replaced", f"{other} stands in place of the ReLU", expression(text, x=x))


def _arranged(node: ast.Call, name: str, x: ast.expr, of: str) -> Changes:
    if name in ("swapaxes", "transpose"):
        yield Change("transposition_left_out", f"the transposition{of} is left out", x)
        reshaped = expression("np.reshape({x}, ({whole}).shape)", x=x, whole=node)
        yield Change("reshaped", f"a reshape stands in place of the transposition{of}", reshaped)
    if name == "concatenate" and isinstance(x, (ast.List, ast.Tuple)):
        turned = ast.Call(node.func, [ast.List(x.elts[::-1], ast.Load()), *node.args[1:]], node.keywords)
        yield Change("concatenation_turned", "the parts are concatenated in the other order", turned)
    if name == "repeat" and node.args[-1:] not in ([], [x]):
        clause = "the whole array is repeated, and not each entry"
        parts = {"x": x, "n": node.args[-1]} | {k.arg: k.value for k in node.keywords if k.arg}
        text = "np.concatenate([{x}] * ({n}), axis={axis})" if "axis" in parts else "np.tile({x}, {n})"
        yield Change("tiled", clause, expression(text, **parts))


def _along(node: ast.Call, name: str, of: str) -> Changes:
    for i, keyword in enumerate(node.keywords):
        old = number_of(keyword.value)
        if keyword.arg != "axis" or old is None or name not in ALONG:
            continue
        for new in (-1, 0, 1, 2):
            if new != old:
                axis = ast.keyword("axis", ast.Constant(new))
                changed = ast.Call(node.func, node.args, [*node.keywords[:i], axis, *node.keywords[i + 1 :]])
                clause = f"{ALONG[name]}{of} is taken over {axis_words(new)} and not over {axis_words(old)}"
                yield Change("axis", clause, changed)


def places(node: ast.AST, words: Wording) -> Changes:
    """The size of another axis or of another array, no transposition of a matrix, no epsilon."""
    match node:
        case ast.Subscript(value=ast.Attribute(value=owner, attr="shape") as shape, slice=axis):
            right = words.size(owner, axis)
            for new in (-1, 0, 1, 2):
                wrong = words.size(owner, ast.Constant(new))
                if right and wrong and new != number_of(axis):
                    changed = ast.Subscript(shape, ast.Constant(new), ast.Load())
                    yield Change("size", f"{wrong} stands in place of {right}", changed)
        case ast.Attribute(value=owner, attr="T"):
            yield Change(
                "transposition_left_out", f"the transposition{_of(words.of(owner))} is left out", owner
            )
        case ast.Name(id="EPSILON"):
            yield Change("epsilon_left_out", "epsilon is left out", ast.Constant(0.0))


def tuples(node: ast.AST, words: Wording) -> Changes:
    """Two parts of a tuple interchanged, such as two sizes of a shape, or one left out."""
    if not isinstance(node, ast.Tuple) or not isinstance(node.ctx, ast.Load):
        return
    parts = node.elts
    if any(isinstance(part, (ast.Slice, ast.Constant)) for part in parts):
        return
    for i, part in enumerate(parts):
        if not (what := words.of(part)):
            continue
        rest = ast.Tuple([*parts[:i], *parts[i + 1 :]], ast.Load())
        yield Change("part_left_out", f"{what} {_verb(what)} left out", rest)
        for j in range(i):
            turned = list(parts)
            turned[i], turned[j] = turned[j], turned[i]
            if (other := words.of(parts[j])) and other != what:
                clause = f"{other} and {what} are interchanged"
                yield Change("parts_turned", clause, ast.Tuple(turned, ast.Load()))


RULES: tuple[Callable[[ast.AST, Wording], Changes], ...] = (operators, comparisons, calls, places, tuples)


def applied(node: ast.AST, words: Wording, arguments: list[str]) -> Changes:
    """A function applied to an argument before it is used."""
    if isinstance(node, ast.Name) and node.id in arguments and (what := words.name(node.id)):
        for step in ("a tanh", "a ReLU", "an absolute value", "a square", "an exponential", "a square root"):
            kind = f"{step.split(' ', 1)[1].replace(' ', '_')}_of_{node.id}"
            yield Change(kind, f"{step} of {what} is taken", expression(ADDED[step], x=node), rank=2)


def names(node: ast.AST, words: Wording, others: list[str]) -> Changes:
    """Another name in the place of a name, the size of another array in the place of a size."""
    changed: ast.expr
    for other in others:
        match node:
            case ast.Name(id=name) if _is_size(other) == _is_size(name):
                right, wrong, changed = words.name(name), words.name(other), ast.Name(other, ast.Load())
            case ast.Subscript(value=ast.Attribute(value=ast.Name(id=name) as owner), slice=axis):
                array = ast.Name(other, ast.Load())
                right, wrong = words.size(owner, axis), words.size(array, axis)
                changed = ast.Subscript(ast.Attribute(array, "shape", ast.Load()), axis, ast.Load())
            case _:
                continue
        if right and wrong and wrong != right:
            clause = f"{wrong} {_verb(wrong)} used in place of {right}"
            yield Change(f"{other}_for_{name}", clause, changed, rank=1)


def additions(value: ast.expr, words: Wording, arguments: list[str]) -> Changes:
    """One more step at the end: of what is assigned, or of what is returned."""
    for what, text in ADDED.items():
        kind = f"{what.split(' ', 1)[1].replace(' ', '_')}_added"
        yield Change(kind, f"{what} is added", expression(text, x=value), rank=2)
    for name in arguments:
        a = ast.Name(name, ast.Load())
        if (argument := words.name(name)) is not None:
            clause = f"{argument} {_verb(argument)} added at the end"
            yield Change(f"{name}_added", clause, ast.BinOp(value, ast.Add(), a), rank=2)
        for text, root in zip(SCALES, ("the square root of ", ""), strict=True):
            if size := words.size(a, ast.Constant(-1)):
                divided = ast.BinOp(value, ast.Div(), expression(text, a=a))
                yield Change("division_added", f"a division by {root}{size} is added", divided, rank=2)


def counts(value: ast.expr) -> Changes:
    """A number taken too large or too small."""
    for what, text in COUNTS.items():
        yield Change(what.replace(" ", "_"), f"the number is {what}", expression(text, x=value), rank=2)


def _is_size(name: str) -> bool:
    return name.startswith(("num_", "d_")) or name in ("batch", "size", "units")


def _verb(words: str) -> str:
    plural = (
        words.startswith("the ") and " of " not in words and words.endswith("s") and not words.endswith("ss")
    )
    return "are" if plural else "is"
