"""Numbers the local names of Python code, so that code that differs in nothing else becomes equal."""

import ast
from collections import Counter
from collections.abc import Sequence
from itertools import count

from autograder.read.syntax import name_of

Function = ast.FunctionDef | ast.AsyncFunctionDef
Comprehension = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
Scope = Function | ast.Lambda | Comprehension
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
# Where a node holds a name that it reads or binds in the scope around it.
NAMES: dict[type[ast.AST], str] = {
    **dict.fromkeys((*DEFINITIONS, ast.ExceptHandler, ast.MatchAs, ast.MatchStar), "name"),
    ast.Name: "id", ast.arg: "arg", ast.MatchMapping: "rest", ast.alias: "asname",
}  # fmt: skip


def number_local_names(tree: ast.AST) -> None:
    """Number, in place, what functions and comprehensions bind; names of modules, classes and attributes stay."""
    _Numbering(tree).visit(tree)


class _Numbering(ast.NodeVisitor):
    def __init__(self, tree: ast.AST) -> None:
        self.scopes: list[dict[str, str]] = []
        self.done: set[ast.AST] = set()
        self.numbers = count()
        nodes = list(ast.walk(tree))
        self.positional = _called_by_position_alone(nodes)
        # What a keyword or a text may name stays, where it is a parameter.
        self.words: set[object] = {node.arg for node in nodes if isinstance(node, ast.keyword)}
        self.words |= {node.value for node in nodes if isinstance(node, ast.Constant)}

    def visit(self, node: ast.AST) -> None:
        if node in self.done:
            return
        field = NAMES.get(type(node)) if self.scopes else None
        if field and (name := getattr(node, field)):
            setattr(node, field, self._numbered(name))
        if isinstance(node, Scope):
            for part in _evaluated_outside(node):
                self.visit(part)
                self.done.add(part)
            self._visit_in({name: self._number_for(name, node) for name in dict.fromkeys(_bound(node))}, node)
        elif isinstance(node, ast.ClassDef) and self.scopes:
            self._visit_in({name: name for name in _bound(node)}, node)  # these are its attributes
        elif isinstance(node, ast.Nonlocal):
            node.names = [self._numbered(name) for name in node.names]
        else:
            self.generic_visit(node)

    def _visit_in(self, scope: dict[str, str], node: ast.AST) -> None:
        self.scopes.append(scope)
        self.generic_visit(node)
        self.scopes.pop()

    def _numbered(self, name: str) -> str:
        return next((scope[name] for scope in reversed(self.scopes) if name in scope), name)

    def _number_for(self, name: str, scope: Scope) -> str:
        can_be_named = getattr(scope, "name", "") not in self.positional or name in self.words
        stays = can_be_named and name in _parameters(scope)
        return name if stays else f"local {next(self.numbers)}"


def _called_by_position_alone(nodes: Sequence[ast.AST]) -> set[str]:
    """Return the private functions that their own file only calls, with arguments whose keywords it writes."""
    private = {n.name for n in nodes if isinstance(n, Function) and n.name[0] == "_" and n.name[:2] != "__"}
    calls = [n for n in nodes if isinstance(n, ast.Call) and all(keyword.arg for keyword in n.keywords)]
    call_counts = Counter(name_of(call.func) for call in calls)
    read_counts = Counter(name_of(node) for node in nodes if isinstance(node, ast.Name | ast.Attribute))
    return {name for name in private if call_counts[name] == read_counts[name] > 0}


def _parameters(scope: ast.AST) -> list[str]:
    """Return the names of its parameters."""
    inner = ast.iter_child_nodes(getattr(scope, "args", ast.Pass()))
    return [node.arg for node in inner if isinstance(node, ast.arg)]


def _evaluated_outside(scope: Scope) -> list[ast.AST]:
    """Return its parts that are evaluated in the scope around it."""
    if isinstance(scope, Comprehension):
        return [scope.generators[0].iter]
    defaults = [*scope.args.defaults, *filter(None, scope.args.kw_defaults)]
    return [*defaults, *getattr(scope, "decorator_list", [])]


def _bound(scope: Scope | ast.ClassDef) -> list[str]:
    """Return the names that a scope binds itself, and no scope inside it."""
    if isinstance(scope, Comprehension):
        targets = [generator.target for generator in scope.generators]
        return [n.id for t in targets for n in ast.walk(t) if isinstance(n, ast.Name) and _is_stored(n)]
    names, elsewhere = _parameters(scope), set()
    waiting: list[ast.AST] = [*scope.body] if isinstance(scope.body, list) else [scope.body]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Global | ast.Nonlocal):
            elsewhere.update(node.names)
        elif name := _is_stored(node) and getattr(node, NAMES[type(node)]):
            names.append(name)
        if isinstance(node, Comprehension):
            waiting += [n.target for n in ast.walk(node) if isinstance(n, ast.NamedExpr)]
        elif not isinstance(node, Scope | ast.ClassDef):
            waiting += ast.iter_child_nodes(node)
    return [name for name in names if name not in elsewhere]


def _is_stored(node: ast.AST) -> bool:
    """Return whether a node binds a name, if it has one."""
    return not isinstance(node.ctx, ast.Load) if isinstance(node, ast.Name) else type(node) in NAMES
