"""Local names decide nothing: a renamed one changes no version of a check."""

import ast
from functools import cache

import pytest

from autograder.marks import check_versions
from autograder.marks.check_versions import version_of
from autograder.marks.local_names import number_local_names
from autograder.model.catalogue import all_exercises
from autograder.model.paths import ROOT
from autograder.read.syntax import bound_names

BINDING = ast.FunctionDef | ast.ExceptHandler | ast.MatchAs | ast.MatchStar


def renamed(source):
    """The source with other names for all locals of its functions, and how many names were changed."""
    tree = ast.parse(source)
    classes = [s for s in tree.body if isinstance(s, ast.ClassDef)]
    functions = [
        s for body in (tree.body, *(c.body for c in classes)) for s in body if isinstance(s, ast.FunctionDef)
    ]
    shared = {name for statement in tree.body for name in bound_names(statement)}
    return sum(rename_in(function, shared) for function in functions), ast.unparse(tree)


def rename_in(function, shared):
    nodes = [node for statement in function.body for node in ast.walk(statement)]
    stored = {n.id for n in nodes if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)}
    # The methods of a local class are attributes.
    inside = {id(n) for c in nodes if isinstance(c, ast.ClassDef) for n in ast.walk(c)}
    bound = stored | {n.name for n in nodes if isinstance(n, BINDING) and n.name and id(n) not in inside}
    # A name of the module may be read beside a comprehension that binds it too.
    bound -= {n.arg for n in ast.walk(function) if isinstance(n, ast.arg)} | shared
    for node in nodes:
        field = "id" if isinstance(node, ast.Name) else "name"
        if isinstance(node, ast.Name | BINDING) and getattr(node, field) in bound and id(node) not in inside:
            setattr(node, field, f"renamed_{getattr(node, field)}")
    return len(bound)


def all_versions():
    for cached in (check_versions._digest, version_of):
        cached.cache_clear()
    return {name: version_of(name) for name in all_exercises()}


@pytest.fixture
def patched(monkeypatch):
    """What replaces a function of `versions`; what was read meanwhile is forgotten."""
    yield lambda name, function: monkeypatch.setattr(check_versions, name, function)
    monkeypatch.undo()
    for cached in (check_versions._digest, version_of):
        cached.cache_clear()


def test_renaming_all_local_names_regrades_nothing_and_another_tolerance_everything(patched):
    before, counts = all_versions(), []
    real = check_versions._code

    def rename(path):
        number, text = renamed(path.read_text(encoding="utf-8"))
        counts.append(number)
        return text.encode()

    patched("_source", rename)
    patched("_code", cache(real.__wrapped__))
    assert all_versions() == before
    assert sum(counts) > 1500
    tolerance = "'float32': 0.0001"
    assert tolerance in real(ROOT / "autograder/model/verdict.py")
    patched("_code", lambda path: real(path).replace(tolerance, "'float32': 0.001"))
    wider = all_versions()
    assert all(wider[name] != version for name, version in before.items())


def test_a_module_that_lies_elsewhere_regrades_nothing(patched, tmp_path):
    trial, moved, real = ROOT / "autograder/judge/trial.py", "autograder.judge.equality", check_versions._path
    source = trial.read_text(encoding="utf-8")
    assert "from autograder.judge.compare import" in source
    (tmp_path / "judgement.py").write_text(
        source.replace("autograder.judge.compare", moved), encoding="utf-8"
    )
    patched("_path", lambda name: real("autograder.judge.compare" if name == moved else name))
    assert check_versions._digest(tmp_path / "judgement.py") == check_versions._digest(trial)


def numbered(source):
    tree = ast.parse(source)
    number_local_names(tree)
    return ast.unparse(tree)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("def f(a):\n    x = a\n    return x", "def f(a):\n    y = a\n    return y"),
        ("def f(a):\n    return [x for x in a]", "def f(a):\n    return [y for y in a]"),
        ("def f(a):\n    return [x for x in a if x], [x for x in a]", "def f(a):\n    return [y for y in a if y], [x for x in a]"),
        ("x = [a for a in b]", "x = [c for c in b]"),
        ("def f():\n    try: g()\n    except E as e: h(e)", "def f():\n    try: g()\n    except E as error: h(error)"),
        ("def f():\n    import numpy as np\n    np.abs(1)", "def f():\n    import numpy as n\n    n.abs(1)"),
        ("def f(a):\n    match a:\n        case [x, *y]: g(x, y)", "def f(a):\n    match a:\n        case [u, *v]: g(u, v)"),
        ("def f():\n    def g(): return 1\n    return g()", "def f():\n    def h(): return 1\n    return h()"),
        ("def f():\n    x = 1\n    def g():\n        nonlocal x\n        x = 2", "def f():\n    y = 1\n    def g():\n        nonlocal y\n        y = 2"),
        ("def f(a):\n    if (x := a) and [z := b for b in a]: g(x, z)", "def f(a):\n    if (y := a) and [u := c for c in a]: g(y, u)"),
        ("def _f(a): return a\n_f(1)", "def _f(b): return b\n_f(1)"),
    ],
)  # fmt: skip
def test_code_that_differs_in_local_names_alone_is_equal(one, other):
    assert numbered(one) == numbered(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("def f(a, b): return a - b", "def f(b, a): return b - a"),
        ("def _f(a, b): return a - b\n_f(a=1, b=2)", "def _f(b, a): return b - a\n_f(a=1, b=2)"),
        ("def _f(a, b): return a - b\n_f(**c)", "def _f(b, a): return b - a\n_f(**c)"),
        ("def _f(a, b): return a - b\ng(_f)", "def _f(b, a): return b - a\ng(_f)"),
        ("def f(x, a): return [x for x in x]", "def f(x, a): return [a for a in a]"),
        ("def f(x, y=x): z = x", "def f(x, y=z): z = x"),
        ("def f():\n    x, y = g()\n    return x", "def f():\n    x, y = g()\n    return y"),
        ("def f():\n    global x\n    x = 1", "def f():\n    global y\n    y = 1"),
        ("def f():\n    x = 1\n    return x", "def f():\n    x = 1\n    return y"),
        ("def f(self):\n    self.x = 1", "def f(self):\n    self.y = 1"),
        ("class A:\n    x = 1", "class A:\n    y = 1"),
        ("def f():\n    class A:\n        x = 1\n    return A", "def f():\n    class A:\n        y = 1\n    return A"),
        ("x = 1", "y = 1"),
    ],
)  # fmt: skip
def test_what_another_may_name_or_what_means_something_else_stays_different(one, other):
    assert numbered(one) != numbered(other)
