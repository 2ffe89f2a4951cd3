"""How many copies are found, and how many honest pairs are named: `python -m benchmarks.copies`.

A class of 300 honest answers to an exercise is made from those in `benchmarks/data`: each learner
takes one as a beginning and writes it in another of the ways that are open at each place (a method for a function, a
part of a line as a line of its own, a size read from the shape, …). Then one of twenty answers is handed in once more,
in each of twelve disguises.
"""

import ast
import random
import sys
from collections import Counter
from collections.abc import Callable
from itertools import pairwise
from typing import Any

from autograder.marks.similar import Statements, similar_groups, statements_of
from benchmarks.answers import wrong_answers

CLASS, COPIED = 300, 20
# Those with the longest answers in the data set; the class hands in each of them.
EXERCISES = (
    "multi_head_attention", "hierarchical_attention", "decoder_step", "decoder_block", "dot_product_attention",
)  # fmt: skip
WORDS = (
    "q", "k", "x", "out", "scores", "weights", "mask", "n", "total", "part", "rest", "first", "last", "size",
)  # fmt: skip


class Honest(ast.NodeTransformer):
    """One way to write an answer, of those that are open at each of its places."""

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
        # What comes before the line at hand; none where there is no such place, as in a condition.
        self.more: list[ast.stmt] | None = None

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.op, ast.MatMult) and self.chance.random() < 0.5:
            name = self.chance.choice(["torch.matmul", "torch.bmm"])
            return ast.Call(ast.parse(name, mode="eval").body, [node.left, node.right], [])
        if isinstance(node.op, (ast.Mult, ast.Add)) and self.chance.random() < 0.3:
            node.left, node.right = node.right, node.left
        return self._apart(node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.func, ast.Attribute):
            name = node.func.attr
            for group in (("view", "reshape"), ("transpose", "swapaxes"), ("unsqueeze", "expand_dims")):
                if name in group:
                    node.func.attr = self.chance.choice(group)
            if name in ("bmm", "matmul", "batch_dot") and len(node.args) == 2 and self.chance.random() < 0.5:
                return ast.BinOp(node.args[0], ast.MatMult(), node.args[1])
            if name in ("softmax", "sum", "mean", "tanh", "relu") and len(node.args) == 1:
                return self._apart(self._turned(node))
        return self._apart(node)

    def _turned(self, node: ast.Call) -> ast.Call:
        """Return a function of the library as a method, or the other way round."""
        assert isinstance(node.func, ast.Attribute)
        if self.chance.random() < 0.5:
            return node
        if isinstance(node.func.value, ast.Name) and node.func.value.id == "torch":
            return ast.Call(ast.Attribute(node.args[0], node.func.attr, ast.Load()), [], node.keywords)
        return node

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        self.generic_visit(node)
        is_size = isinstance(node.value, ast.Attribute) and node.value.attr == "shape"
        if is_size and isinstance(node.slice, ast.Constant) and self.chance.random() < 0.4:
            assert isinstance(node.value, ast.Attribute)
            return ast.Call(ast.Attribute(node.value.value, "size", ast.Load()), [node.slice], [])
        return self._apart(node)

    def _apart(self, node: Any) -> ast.AST:
        """Return a part of a line, or a variable of its own for it."""
        if self.more is None or self.chance.random() > 0.15:
            return node
        name = f"{self.chance.choice(WORDS)}_{self.chance.randrange(100)}"
        self.more.append(ast.Assign([ast.Name(name, ast.Store())], node, lineno=0))
        return ast.Name(name, ast.Load())

    def _line(self, node: Any) -> Any:
        before, self.more = self.more, []
        self.generic_visit(node)
        lines, self.more = [*self.more, node], before
        return lines

    visit_Assign = visit_Return = visit_AugAssign = _line


def honest(code: str, chance: random.Random) -> str:
    """Return the answer in one of the ways that are open, with other names for half of its variables."""
    tree = Honest(chance).visit(ast.parse(code))
    nodes = [node for node in ast.walk(tree) if isinstance(node, ast.Name)]
    variables = sorted({node.id for node in nodes if isinstance(node.ctx, ast.Store)})
    names = {
        name: f"{chance.choice(WORDS)}{chance.choice(WORDS)}" for name in variables if chance.random() < 0.5
    }
    for node in nodes:
        node.id = names.get(node.id, node.id)
    return ast.unparse(ast.fix_missing_locations(tree))


def _renamed(kind: Callable[[ast.AST], set[str]]) -> Callable[[ast.Module], None]:
    def rename(tree: ast.Module) -> None:
        names = {name for node in ast.walk(tree) for name in kind(node)}
        for node in ast.walk(tree):
            for field in ("id", "arg", "attr", "name"):
                if getattr(node, field, None) in names:
                    setattr(node, field, f"my_{getattr(node, field)}")

    return rename


def _bodies(tree: ast.Module) -> list[list[ast.stmt]]:
    return [node.body for node in ast.walk(tree) if isinstance(node, (ast.ClassDef, ast.FunctionDef))]


def _neighbours_swapped(kind: type[ast.stmt]) -> Callable[[ast.Module], None]:
    def swap(tree: ast.Module) -> None:
        for body in _bodies(tree):
            for i, (one, other) in enumerate(pairwise(body)):
                if isinstance(one, kind) and isinstance(other, kind):
                    body[i : i + 2] = [other, one]
                    return

    return swap


def _added(line: str) -> Callable[[ast.Module], None]:
    def add(tree: ast.Module) -> None:
        body = _bodies(tree)[-1]
        body.insert(len(body) - 1, ast.parse(line).body[0])

    return add


def _annotated(tree: ast.Module) -> None:
    for node in ast.walk(tree):
        if isinstance(node, ast.arg):
            node.annotation = ast.Name("object", ast.Load())


def _old_super(tree: ast.Module) -> None:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "super":
            node.args = [ast.Name("C", ast.Load()), ast.Name("self", ast.Load())]


def _root(tree: ast.Module) -> None:
    """Write `math.sqrt(x)` as `x ** 0.5`."""
    for node in ast.walk(tree):
        for field, value in ast.iter_fields(node):
            if isinstance(value, ast.Call) and getattr(value.func, "attr", "") == "sqrt":
                setattr(node, field, ast.BinOp(value.args[0], ast.Pow(), ast.Constant(0.5)))


def _positional(tree: ast.Module) -> None:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and node.keywords:
            node.args, node.keywords = [*node.args, *(k.value for k in node.keywords)], []


def _tuples_apart(tree: ast.Module) -> None:
    """Write the first two lines `a = x` and `b = y` as one; that is what a tuple in two lines is the other way round."""
    for body in _bodies(tree):
        for i, (one, other) in enumerate(pairwise(body)):
            if isinstance(one, ast.Assign) and isinstance(other, ast.Assign):
                target = ast.Tuple([one.targets[0], other.targets[0]], ast.Store())
                body[i : i + 2] = [
                    ast.Assign([target], ast.Tuple([one.value, other.value], ast.Load()), lineno=0)
                ]
                return


def _of(kind: Any, field: str, *, stored: bool = False) -> Callable[[ast.AST], set[str]]:
    def names(node: ast.AST) -> set[str]:
        is_one = isinstance(node, kind) and (not stored or isinstance(getattr(node, "ctx", None), ast.Store))
        return {getattr(node, field)} if is_one else set()

    return names


DISGUISES: dict[str, Callable[[ast.Module], Any]] = {
    "variables renamed": _renamed(_of(ast.Name, "id", stored=True)),
    "attributes renamed": _renamed(_of(ast.Attribute, "attr", stored=True)),
    "methods and functions renamed": _renamed(_of(ast.FunctionDef, "name")),
    "two assignments swapped": _neighbours_swapped(ast.Assign),
    "two functions swapped": _neighbours_swapped(ast.FunctionDef),
    "super with arguments": _old_super,
    "types annotated": _annotated,
    "a root as a power": _root,
    "keywords as plain arguments": _positional,
    "a line that does nothing": _added("pass"),
    "a dead assignment": _added("unused = 0"),
    "two assignments in a line": _tuples_apart,
}


def disguised(code: str, name: str) -> str:
    """Return the answer in a disguise; unchanged where it has no place for it."""
    tree = ast.parse(code)
    DISGUISES[name](tree)
    return ast.unparse(ast.fix_missing_locations(tree))


def compared(code: str) -> Statements:
    """Return what is compared of an answer."""
    return statements_of(ast.parse(code))


def found_in(answers: list[Statements]) -> list[list[int]]:
    """Return the groups that are named in a class; no two answers of it are the same text."""
    return [indices for indices, _ in similar_groups(answers, list(map(str, range(len(answers)))))]


def main(seed: int = 0) -> None:
    chance = random.Random(seed)
    caught, tried = Counter[str](), Counter[str]()
    for exercise in EXERCISES:
        begun = [answer.code for answer in wrong_answers() if answer.exercise == exercise]
        codes = [honest(chance.choice(begun), chance) for _ in range(CLASS)]
        answers = [compared(code) for code in codes]
        pairs = sum(len(group) - 1 for group in found_in(answers))
        sys.stdout.write(f"{exercise}: {pairs} honest pairs named in a class of {CLASS}\n")
        for index in chance.sample(range(CLASS), COPIED // len(EXERCISES)):
            for name in DISGUISES:
                copied = disguised(codes[index], name)
                if copied == codes[index]:  # it has no place for this disguise
                    continue
                tried[name] += 1
                groups = found_in([*answers, compared(copied)])
                caught[name] += any(index in group and CLASS in group for group in groups)
    for name in DISGUISES:
        sys.stdout.write(f"{name}: {caught[name]} of {tried[name]} copies found\n")


if __name__ == "__main__":
    main()
