"""What an answer computes that no misconception names: the reference with a single edit.

The edits are made on the syntax tree of the reference in NumPy and of the functions that it calls. Each has
words, in the terms of the field, that do not show the reference's code. Nothing of a submission is run here.
"""

import ast
import inspect
import textwrap
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from threading import Lock
from types import CodeType, FunctionType
from typing import Any

import numpy as np

from autograder.diagnose.bounded_numpy import SHORT
from autograder.diagnose.edit_rules import PREFIX, RULES, Change, additions, applied, counts, names
from autograder.diagnose.edit_words import STEPS, Wording
from autograder.diagnose.phrases import ORDINALS
from autograder.model.exercise import Case, Exercise, Function

# A node's holder, the field that it stands in, and its index if that is a list.
Place = tuple[ast.AST, str, int | None]
# A tree is changed in place while it is compiled, which spares a copy for each edit.
COMPILING = Lock()
# Of how many arguments the sizes are tried as divisors.
SIZED = 2
# How deep the functions are followed that a reference calls, and where they must stand.
DEPTH = 3
# How often a loop runs, about.
REPEATED = 2
OWN = ("solutions.", "exercises.")
# What an edit that makes no sense on these shapes stops with.
FAILS = (
    ArithmeticError, AssertionError, AttributeError, LookupError, MemoryError, NameError, RecursionError,
    TypeError, ValueError,
)  # fmt: skip


@dataclass(frozen=True)
class Spot:
    """A node of a function's syntax tree, where it stands, and what stands in its place."""

    tree: ast.FunctionDef
    place: Place
    old: ast.AST
    new: ast.AST

    def _put(self, node: ast.AST) -> None:
        holder, field, index = self.place
        if index is None:
            setattr(holder, field, node)
        else:
            getattr(holder, field)[index] = node

    def changed(self) -> None:
        """Put the new node into the tree."""
        self._put(self.new)

    def restored(self) -> None:
        """Put the old node back."""
        self._put(self.old)


def _code(spot: Spot) -> CodeType | None:
    """A function's code with the new node at a spot of its tree; None if it cannot be compiled."""
    ast.fix_missing_locations(spot.new)
    with COMPILING, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            spot.changed()
            compiled = compile(ast.Module([spot.tree], []), "<an edit>", "exec")
        except (SyntaxError, ValueError, TypeError, RecursionError):
            return None
        finally:
            spot.restored()
    return next(c for c in compiled.co_consts if isinstance(c, CodeType))


@dataclass(frozen=True)
class Edit:
    """One edit. name: `edit:scores:divide_left_out`; clause: what follows "comes out when"."""

    name: str
    clause: str
    spot: "Spot"
    edited: FunctionType
    family: tuple[FunctionType, ...]
    rank: int = 0

    @property
    def function(self) -> Function | None:
        """The reference so edited, made anew; None if it cannot be compiled."""
        return None if self._own_code is None else _rebound(self.family, {self.edited: self._own_code})

    @cached_property
    def _own_code(self) -> CodeType | None:
        return _code(self.spot)


def outputs_of(function: Function | None, exercise: Exercise, case: Case) -> tuple[Any, ...] | None:
    """What a changed function gives on a case; None if there is none or it does not run."""
    if function is None:
        return None
    try:
        found = exercise.compute(function, case)
    except FAILS:
        return None
    return found if len(found) == len(exercise.returns) else None


def edits(exercise: Exercise) -> tuple[Edit, ...]:
    """All edits of an exercise's reference, those first whose words say most; none for a choice of words."""
    if not exercise.hints:
        return ()
    known = [(a.name, a.name, False) for a in (*exercise.arguments, *exercise.settings)]
    known += [(name, parameter.path, True) for name, parameter in exercise.parameters.items()]
    returned = tuple((output.name, output.plain) for output in exercise.returns)
    return _edits(exercise.reference, tuple(known), returned)


@cache
def _edits(
    reference: FunctionType, known: tuple[tuple[str, str, bool], ...], returned: tuple[tuple[str, bool], ...]
) -> tuple[Edit, ...]:
    family = tuple(_called_by(reference, DEPTH))
    if _may_loop(family):
        return ()
    main = _main(reference)
    made: dict[str, Edit] = {}
    for function in family:
        own = function in (reference, main)
        tree = _definition(function)
        places = _places(tree)
        # The same name may mean another array in a function that is called, but a learned one does not.
        wording = Wording({name: path for name, path, learned in known if own or learned})
        near = own or function in set(_callees(main))
        for where, change, old in _changed(tree, wording, returned if own else (), near):
            place = where or STEPS.get(function.__name__)
            clause = f"{change.clause} in the computation of {place}" if place else change.clause
            name = _unused(f"{PREFIX}{_slug(place or function.__name__)}:{change.kind}", made)
            made[name] = Edit(
                name, clause, Spot(tree, places[old], old, change.node), function, family, change.rank
            )
    return tuple(sorted(made.values(), key=lambda edit: edit.rank))


def _slug(words: str) -> str:
    return words.removeprefix("the ").replace("`", "").replace(" ", "_").replace("'", "")


def _unused(name: str, taken: Mapping[str, Edit]) -> str:
    number = 2
    unused = name
    while unused in taken:
        unused, number = f"{name}_{number}", number + 1
    return unused


# The functions that are edited


def _called_by(function: FunctionType, depth: int) -> Iterator[FunctionType]:
    """The function, then those of the course that it calls by name, nearest first, each once."""
    found, nearest = {function: None}, [function]
    for _ in range(depth):
        nearest = [g for f in nearest for g in _callees(f) if g not in found]
        found |= dict.fromkeys(nearest)
    yield from found


@cache
def effort(family: tuple[FunctionType, ...]) -> int:
    """How much a call of these functions takes: 1 for each, and what a loop repeats."""
    nodes = (node for f in family for node in ast.walk(_definition(f)))
    return len(family) + REPEATED * sum(isinstance(node, ast.For | ast.comprehension) for node in nodes)


def _may_loop(family: Sequence[FunctionType]) -> bool:
    """Whether one of them has a loop that an edit could make endless."""
    return any(isinstance(node, ast.While) for f in family for node in ast.walk(_definition(f)))


def _main(reference: FunctionType) -> FunctionType:
    """The function that does the work where a reference only hands its arguments over."""
    match _definition(reference).body:
        case [ast.Return(value=ast.Call(func=ast.Name(id=name), args=args))]:
            callee = reference.__globals__.get(name)
            if callee in set(_callees(reference)) and all(isinstance(a, ast.Name) for a in args):
                return callee
    return reference


def _callees(function: FunctionType) -> Iterator[FunctionType]:
    for name in function.__code__.co_names:
        value = function.__globals__.get(name)
        if isinstance(value, FunctionType) and value.__module__.startswith(OWN):
            yield value


def _definition(function: FunctionType) -> ast.FunctionDef:
    """Its syntax tree without docstring, annotated assignments made plain."""
    tree = ast.parse(_source(function)).body[0]
    if not isinstance(tree, ast.FunctionDef):
        raise TypeError(f"{function.__name__} is no plain function, so it cannot be edited.")
    tree.body = [s for s in map(_plain, tree.body) if not _is_text(s)]
    return tree


@cache
def _source(function: FunctionType) -> str:
    """Its lines: to find them takes longer than all else that is done with them."""
    return textwrap.dedent(inspect.getsource(function))


def _plain(statement: ast.stmt) -> ast.stmt:
    if isinstance(statement, ast.AnnAssign) and statement.value is not None:
        return ast.copy_location(ast.Assign([statement.target], statement.value), statement)
    return statement


def _is_text(statement: ast.stmt) -> bool:
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Constant)
        and isinstance(statement.value.value, str)
    )


def _rebound(family: tuple[FunctionType, ...], codes: Mapping[FunctionType, CodeType]) -> Function:
    """The first of the family, calling copies of the others, some of which have other code."""
    spaces = {id(f.__globals__): {**f.__globals__, **SHORT} for f in family}
    copies: dict[Any, FunctionType] = {}
    for f in family:
        body = codes.get(f, f.__code__)
        copies[f] = FunctionType(body, spaces[id(f.__globals__)], f.__name__, f.__defaults__)
        copies[f].__kwdefaults__ = f.__kwdefaults__
    for space in spaces.values():
        space.update({k: copies[v] for k, v in space.items() if isinstance(v, FunctionType) and v in copies})
    return copies[family[0]]


def read_only(case: Case) -> Case:
    """The case with arrays that an edit cannot change."""
    return replace(case, inputs={name: _view(value) for name, value in case.inputs.items()})


def _view(value: Any) -> Any:
    if not isinstance(value, np.ndarray):
        return value
    view = value.view()
    view.flags.writeable = False
    return view


# The edits of one function

Found = tuple[str | None, Change, ast.AST]
# What is computed, its formula, whether it is a plain value.
Part = tuple[str | None, ast.expr, bool]


def _changed(
    tree: ast.FunctionDef, words: Wording, returned: tuple[tuple[str, bool], ...], near: bool
) -> Iterator[Found]:
    """(where, the change, the node that it changes) for each edit: simple ones first, added steps last.

    near: whether the reference itself is edited or a function that it calls, and not one further off, where
    names are left alone.
    """
    parts = list(_parts(tree, words, returned))
    nodes = [(where, node) for where, value, _ in parts for node in ast.walk(value)]
    for where, node in nodes:
        for rule in RULES:
            for change in rule(node, words):
                yield where, change, node
    if near:
        yield from _renamed(tree, nodes, words)
    yield from _orders(tree, returned)
    if near:
        yield from _added(tree, parts, words)


def _renamed(
    tree: ast.FunctionDef, nodes: Sequence[tuple[str | None, ast.AST]], words: Wording
) -> Iterator[Found]:
    """Another name in the place of one, or a function of it."""
    # Where an array's size alone is taken, the size is edited; for what is compared nothing else stands.
    fixed = {n.value for _, n in nodes if isinstance(n, ast.Attribute) and n.attr == "shape"}
    fixed |= {side for _, n in nodes if isinstance(n, ast.Compare) for side in (n.left, *n.comparators)}
    for where, node in nodes:
        if node not in fixed:
            for change in (
                *names(node, words, _known_at(node, tree)),
                *applied(node, words, _arguments(tree)),
            ):
                yield where, change, node


def _added(tree: ast.FunctionDef, parts: Sequence[Part], words: Wording) -> Iterator[Found]:
    """One more step at the end of what has a name."""
    for where, value, plain in parts:
        if where is not None:
            for change in counts(value) if plain else additions(value, words, _arguments(tree)[:SIZED]):
                yield where, change, value


def _parts(tree: ast.FunctionDef, words: Wording, returned: tuple[tuple[str, bool], ...]) -> Iterator[Part]:
    """Each assignment and each result."""
    for statement in ast.walk(tree):
        if isinstance(statement, ast.Assign):
            target = statement.targets[0]
            if isinstance(target, ast.Subscript):
                target = target.value
            if isinstance(target, ast.Tuple) and isinstance(statement.value, ast.Tuple):
                for part, value in zip(target.elts, statement.value.elts, strict=False):
                    yield words.of(part), value, False
            else:
                yield words.of(target), statement.value, False
        elif isinstance(statement, ast.Return) and statement.value is not None:
            yield from _results(statement.value, returned)
        elif isinstance(statement, (ast.For, ast.If)):
            yield None, statement.iter if isinstance(statement, ast.For) else statement.test, False


def _results(value: ast.expr, returned: tuple[tuple[str, bool], ...]) -> Iterator[Part]:
    if isinstance(value, ast.Tuple) and len(value.elts) == len(returned):
        for part, (name, plain) in zip(value.elts, returned, strict=True):
            yield f"`{name}`", part, plain
    elif len(returned) == 1 and isinstance(value, ast.Tuple):
        for i, part in enumerate(value.elts):
            yield f"the {ORDINALS[i]} result", part, True
    else:
        yield f"`{returned[0][0]}`" if len(returned) == 1 else None, value, any(p for _, p in returned)


def _orders(tree: ast.FunctionDef, returned: tuple[tuple[str, bool], ...]) -> Iterator[Found]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Return) and isinstance(node.value, ast.Tuple) and returned:
            elements = node.value.elts
            for i in range(len(elements)):
                for j in range(i):
                    turned = list(elements)
                    turned[i], turned[j] = turned[j], turned[i]
                    clause = f"the {ORDINALS[j]} and the {ORDINALS[i]} result are interchanged"
                    yield None, Change("results_turned", clause, ast.Tuple(turned, ast.Load())), node.value


def _known_at(node: ast.AST, tree: ast.FunctionDef) -> list[str]:
    """The arguments, and what is assigned up to the line of a name or of an array's size; else none."""
    match node:
        case ast.Name() | ast.Subscript(value=ast.Attribute(value=ast.Name(), attr="shape")):
            pass
        case _:
            return []
    stored = (n for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))
    return list(dict.fromkeys([*_arguments(tree), *(n.id for n in stored if n.lineno < node.lineno)]))


def _arguments(tree: ast.FunctionDef) -> list[str]:
    return [a.arg for a in (*tree.args.posonlyargs, *tree.args.args, *tree.args.kwonlyargs)]


def _places(tree: ast.FunctionDef) -> dict[ast.AST, Place]:
    """Where each node of a tree stands."""
    found: dict[ast.AST, Place] = {}
    for holder in ast.walk(tree):
        for field, value in ast.iter_fields(holder):
            if isinstance(value, ast.AST):
                found[value] = (holder, field, None)
            elif isinstance(value, list):
                found |= {v: (holder, field, i) for i, v in enumerate(value) if isinstance(v, ast.AST)}
    return found
