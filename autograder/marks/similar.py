"""Which answers of a class are alike in more than what is common in it.

An answer is the set of its statements, each for itself, so that their order says nothing. A statement is looked at in
two ways: with the names of variables as they are written, and with all names numbered that the answer itself gives.
A statement that all of N learners share weighs nothing, one that k share log2(N / k) bits. Bits are those of chance
only if statements were independent, which they are not: they sort, and are no probability.
"""

import ast
import hashlib
import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

from autograder.model.grouping import group_by

# More learners than this who have written the same are no group: it is common in the class.
RARE = 5
# With the names as they are: what share of the bits of both answers they share at least, and how many bits.
SHARE, BITS = 0.4, 24.0
# With all names numbered, answers must be equal, and hold as much as so many statements that two learners alone have.
EQUAL = 3.6
# Of several groups of equal answers those with so many statements that nobody else has.
EXCLUSIVE = 2
# In a smaller class nothing is known of what is common, and only what is the same but for names is found.
SMALL = 20
# Where a node holds its name.
NAMES = {ast.Name: "id", ast.arg: "arg", ast.Attribute: "attr", ast.FunctionDef: "name", ast.ClassDef: "name"}
INNER = ("body", "orelse", "finalbody", "handlers", "cases")


@dataclass(frozen=True)
class Statements:
    """The statements of an answer. with_names: with the names of variables as they are; numbered: without."""

    with_names: frozenset[str] = frozenset()
    numbered: frozenset[str] = frozenset()

    def without(self, excluded: Sequence["Statements"]) -> "Statements":
        """Return those that are in none of the excluded."""
        with_names = self.with_names.difference(*(e.with_names for e in excluded))
        return Statements(with_names, self.numbered.difference(*(e.numbered for e in excluded)))


def statements_of(tree: ast.Module) -> Statements:
    """Return what is compared of an answer. The tree is used up; may raise RecursionError."""
    normalised = _Normaliser().visit(tree)
    numbering = NameNumbering(normalised)
    nodes = [node for node in ast.walk(normalised) if isinstance(node, (ast.stmt, ast.ExceptHandler))]
    for node in nodes:
        for field in INNER:
            if hasattr(node, field):
                setattr(node, field, [])
    everything, views = numbering.names, []
    for view in ({name for name in everything if name.startswith(".")}, everything):
        numbering.names = view
        texts = []
        for node in nodes:
            numbering.numbers.clear()
            texts.append(digest(numbering.visit(node)))
        views.append(frozenset(texts))
    return Statements(*views)


def digest(tree: ast.AST) -> str:
    """Return a text that is equal for trees that are equal."""
    return hashlib.sha256(ast.dump(tree).encode("utf-8", "replace")).hexdigest()


def similar_groups(answers: Sequence[Statements], same: Sequence[str]) -> list[tuple[list[int], float]]:
    """Return groups of answers by their places, each with its bits, the least likely first.

    same: for each answer a digest, equal where answers are the same but for names.
    """
    if len(answers) < SMALL:
        indices = range(len(answers))
        bits = {pair: 0.0 for pair in combinations(indices, 2) if same[pair[0]] == same[pair[1]]}
    else:
        bits = _equal([a.numbered for a in answers]) | _near([a.with_names for a in answers])
    groups = map(sorted, _joined(bits))
    with_bits = [(group, max(bits.get(pair, 0) for pair in combinations(group, 2))) for group in groups]
    return sorted(with_bits, key=lambda group: -group[1])


def _equal(answers: Sequence[frozenset[str]]) -> dict[tuple[int, int], float]:
    """Return pairs of answers with the same statements, if that is unlikely and not common, with their bits."""
    holders = group_by(range(len(answers)), answers.__getitem__)
    weight, least = _weights(answers), EQUAL * math.log2(len(answers) / 2)
    bits = {statements: sum(weight[text] for text in statements) for statements in holders}
    groups = [(s, indices) for s, indices in holders.items() if 1 < len(indices) <= RARE and bits[s] >= least]
    times = [[round(len(answers) / 2 ** weight[text]) for text in s] for s, _ in groups]
    distinct = [g for g, many in zip(groups, times, strict=True) if many.count(len(g[1])) >= EXCLUSIVE]
    # Where several groups have written hardly anything that others have not, there are few ways to write it.
    selected = distinct if len(groups) - len(distinct) > 1 else groups
    return {pair: bits[statements] for statements, indices in selected for pair in combinations(indices, 2)}


def _near(answers: Sequence[frozenset[str]]) -> dict[tuple[int, int], float]:
    """Return pairs of answers that share much, and something that few have, with their bits."""
    holders: dict[str, list[int]] = defaultdict(list)
    for index, statements in enumerate(answers):
        for text in statements:
            holders[text].append(index)
    weight = _weights(answers)
    pairs = {}
    for pair in {p for indices in holders.values() if len(indices) <= RARE for p in combinations(indices, 2)}:
        one, other = (answers[index] for index in pair)
        bits = sum(weight[text] for text in one & other)
        if bits >= BITS and bits >= SHARE * sum(weight[text] for text in one | other):
            pairs[pair] = bits
    return pairs


def _weights(answers: Sequence[frozenset[str]]) -> dict[str, float]:
    times = Counter(text for statements in answers for text in statements)
    return {text: math.log2(len(answers) / many) for text, many in times.items()}


def _joined(pairs: Iterable[tuple[int, int]]) -> list[set[int]]:
    groups: dict[int, set[int]] = {}
    for one, other in pairs:
        together = groups.get(one, {one}) | groups.get(other, {other})
        groups |= dict.fromkeys(together, together)
    return list({id(group): group for group in groups.values()}.values())


class _Normaliser(ast.NodeTransformer):
    """What may be written in several ways without another thought, written in one."""

    def visit_arg(self, node: ast.arg) -> ast.AST:
        node.annotation = None
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.returns = None
        return self.generic_visit(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST | None:
        assignment = ast.Assign([node.target], node.value, lineno=0) if node.value else None
        return assignment and self.generic_visit(assignment)

    def visit_Assign(self, node: ast.Assign) -> ast.AST | list[ast.AST]:
        """Write a tuple's assignment as one for each of its parts."""
        self.generic_visit(node)
        target, value = node.targets[0], node.value
        if not (isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple)):
            return node
        if len(node.targets) > 1 or len(target.elts) != len(value.elts):
            return node
        return [ast.Assign([t], v, lineno=0) for t, v in zip(target.elts, value.elts, strict=True)]

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """Write keywords as plain arguments, and `super` without any."""
        self.generic_visit(node)
        is_super = isinstance(node.func, ast.Name) and node.func.id == "super"
        node.args = [] if is_super else [*node.args, *(keyword.value for keyword in node.keywords)]
        node.keywords = []
        return node

    def _left_out(self, node: ast.AST) -> None:
        return None

    visit_Pass = visit_Import = visit_ImportFrom = _left_out


class NameNumbering(ast.NodeTransformer):
    """Names that the code itself gives, in the order in which they appear; others stay."""

    def __init__(self, tree: ast.AST) -> None:
        nodes = list(ast.walk(tree))
        stored = {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        arguments = {n.arg for n in nodes if isinstance(n, ast.arg)}
        defined = {n.name for n in nodes if isinstance(n, (ast.FunctionDef, ast.ClassDef))}
        attributes = {n.attr for n in nodes if isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Store)}
        inner = [s for n in nodes if isinstance(n, ast.ClassDef) for s in n.body]
        self.methods = {id(s): s.name for s in inner if isinstance(s, ast.FunctionDef)}
        attributes.update(self.methods.values())
        # Attributes are names of their own: an argument may be called as the attribute that it is kept in.
        self.names = stored | arguments | defined | {f".{name}" for name in attributes}
        self.numbers: dict[str, str] = {}

    def visit(self, node: ast.AST) -> ast.AST:
        if field := NAMES.get(type(node)):
            name = getattr(node, field)
            name = f".{name}" if field == "attr" or id(node) in self.methods else name
            if name in self.names:
                setattr(node, field, self.numbers.setdefault(name, f"name {len(self.numbers)}"))
        return self.generic_visit(node)
