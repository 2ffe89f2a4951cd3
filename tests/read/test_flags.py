"""What is flagged for the teacher: forbidden names wherever they hide, and nothing in an honest source."""

import json
import re

import pytest

from autograder.copies.start import learners_copy
from autograder.model.catalogue import all_exercises, topics
from autograder.model.paths import BOOK, ROOT
from autograder.read.flags import MAX_SHOWN, chapter_statements, flag, suspicious_names
from autograder.read.install_cell import install_source
from autograder.read.submission import read_bytes
from benchmarks.answers import wrong_answers
from exercises.shared import LOOP_IS_SHOWN
from tests.read.test_bounds import that_ends
from tests.read.test_forms import handed_in

RIGHT = (ROOT / "solutions" / "dot_product" / "in_torch.py").read_text()
SHORTCUT = "F.scaled_dot_product_attention"
HELPER = f"\ndef helper(*x):\n    from torch.nn import functional as F\n    return {SHORTCUT}(*x)\n"


def flagged(source, framework="torch", exercise="dot_product_attention", positions=()):
    """The names that are flagged; places: those of the cells that say they are a chapter's own."""
    name, text = handed_in(source)
    if positions:
        notebook = json.loads(text)
        for position in positions:
            notebook["cells"][position]["metadata"] = {"course": {"given": True}}
        text = json.dumps(notebook)
    return suspicious_names(read_bytes(text.encode(), name), framework, all_exercises()[exercise])


HIDDEN = {
    "in a text": RIGHT + "\nf = eval('torch.nn.functional.scaled_dot_product_attention(q, k, v)')\n",
    "in a text that is compiled": RIGHT
    + "\nf = torch.jit.CompilationUnit('def f(q, k, v):\\n  return torch.scaled_dot_product_attention(q, k, v)')\n",
    "in escapes": RIGHT + "\nf = getattr(torch.nn.functional, 'scaled_dot_product_attentio\\x6e')\n",
    "in a pattern": RIGHT + "\nmatch torch.nn.functional:\n    case object(scaled_dot_product_attention=f): pass\n",
    "in another entry that the answer uses": RIGHT.replace("def forward", "g = None\n    def forward")
    + HELPER.replace("helper", "masked_loss") + "\nDotProductAttention.g = masked_loss\n",
    "in another entry, by a renamed helper": "helper = None\n" + RIGHT.replace("super().__init__()", "super().__init__(); helper")
    + HELPER.replace("helper", "masked_loss") + "\nhelper = masked_loss\n",
}  # fmt: skip


@pytest.mark.parametrize("kind", HIDDEN)
def test_a_forbidden_name_is_found_wherever_it_hides(kind):
    assert "scaled_dot_product_attention" in flagged(HIDDEN[kind])


def test_a_cell_that_says_it_is_given_is_believed_only_where_it_is():
    assert "scaled_dot_product_attention" in flagged([HELPER, RIGHT], positions=[0])
    helper = next(text for text in sorted(chapter_statements()) if "scaled_dot_product_attention" in text)
    assert flagged([helper, RIGHT], positions=[0]) == flagged([helper, RIGHT]) == []


@pytest.mark.parametrize(
    "line",
    [
        "from autograder.sandbox import session",
        "import autograder.sandbox.session as s",
        "exec('x = 1')",
        "vars(torch)['nn']",
        "torch.__dict__['nn']",
        "__import__('torch')",
        "import sys; sys.modules",
        "import sys as s",
        "import mxnet; mxnet.sym.load_json('{}')",
        "from mxnet.ndarray import CachedOp",
        "from operator import attrgetter as a",
        "frame = error.__traceback__.tb_frame",
        "torch._C.DisableTorchFunction()",
        "torch.ao.nn.quantizable.MultiheadAttention(8, 1)",
        "import inspect; inspect.stack()",
        "from torch._decomp import decompositions",
        "f = compile(text, '', 'exec')",
        "[frame.f_locals for frame in frames]",
        "print.__self__.eval('tor' + 'ch')",
        "coroutine.cr_frame.f_builtins['ev' + 'al']",
        "from string import Formatter as F; F().get_field('0.n' + 'n', [torch], {})",
        "import typing as t; t.get_type_hints(annotated)",
        "import collections; collections._sys.modules",
        "from code import InteractiveInterpreter as I; I().runsource(text)",
        "from sympy import sympify as s; s(text)",
        "import _ctypes as c",
        "import string\nclass Reader(string.Formatter):\n    def format_field(self, value, spec): return value",
        "import timeit; timeit.timeit(text, number=1)",
        "import numpy; numpy.load(stored, allow_pickle=True)",
        "torch.load(stored, weights_only=False)",
        "from torch import load as softmax; softmax(stored)",
        "from logging import config; config.DictConfigurator({}).resolve(text)",
        "import doctest; doctest.run_docstring_examples(forward, {})",
        "for thing in objects: thing._destroy()",
        "torch.ops.aten._fused_rms_norm(X, [4], None, 1e-5)",
        "from torch.utils._python_dispatch import _disable_current_modes",
        "class Own(torch.Tensor):\n    @classmethod\n    def __torch_function__(cls, *args): return None",
        "torch.os.system(text)",
        "class Own:\n    os = library = None\ntorch.os.system(text), torch.library.register_fake",
        "class Own:\n    library = None\nt = torch\nt.library.register_fake",
        "open('/etc/passwd')",
        "from code import *",
        "match torch:\n    case object(library=found): pass",
        "class Any:\n    pass\nmatch torch:\n    case Any(found): pass",
        "class Any(type): __instancecheck__ = lambda cls, value: True",
        "Any = type('Any', (), {'__match_args__': (name,)})",
        "Any = type('Any', (), dict(__match_args__=(name,)))",
        "class Any:\n    __match_args__ = ('library',)",
        "Any.__match_args__ = name,",
        "__getattr__ = lambda self, name: name",
        "take(torch, 'sy' + 's')",
        "take(torch, 'li' + 'bra' + 'ry')",
        "take(function, '__globals__')",
        "sys._getframe().f_back.f_globals",
        "import gc; gc.get_objects()",
    ],
)
def test_each_way_around_a_refusal_is_flagged_also_inside_another_entry(line):
    assert flagged(f"{RIGHT}\n{line}\n"), line
    inside = "\n".join(f"    {part}" for part in line.split("\n"))
    assert flagged(f"{RIGHT}\ndef masked_loss(x):\n{inside}\n"), line


# Names bound to nothing, so that they look like those of the learner's own.
BOUND_AT_THE_TOP = "f_back = f_globals = gi_frame = attrgetter = numpy = open = _destroy = _C = None\n"


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("x.gi_frame.f_back.f_globals", ["f_back", "f_globals", "gi_frame"]),
        ("(lambda o: o.attrgetter)(x)", ["attrgetter"]),
        ("attrgetter(name)(x)", ["attrgetter"]),
        ("x.open(name)", ["open"]),
        ("x._C.y, x()._destroy()", ["_C", "_destroy"]),
    ],
)
def test_a_name_that_is_bound_does_not_hide_what_leads_out_of_an_answer(line, names):
    for bound in (BOUND_AT_THE_TOP, f"class Hidden:\n    {BOUND_AT_THE_TOP}"):
        assert not {*names} - {*flagged(f"{bound}{RIGHT}\n{line}\n")}, bound
        inside = f"{bound}{RIGHT}\ndef masked_loss(x):\n    return {line}\n"
        assert not {*names} - {*flagged(inside)}, bound


def test_importing_numpy_does_not_hide_that_an_array_leaves_the_framework():
    answer = (ROOT / "solutions" / "efficient" / "in_torch.py").read_text()
    answer = f"import numpy\n{answer}X = queries.detach().numpy()\n"
    assert flagged(answer, exercise="tiled_attention") == ["numpy"]


COMPOSED = [
    "'_'.join(['scaled', 'dot', 'product', 'attention'])",
    "'_'.join(('scaled', 'dot', 'product' + '_attention'))",
    "str.join('_', ['scaled', 'dot', 'product', 'attention'])",
    "f\"scaled_{'dot'}_product_{'attention'!s}\"",
    "f\"{'scaled'}\" '_dot_product_attention'",
    "'' + 'scaled_dot' + f\"{'_product'}{'_attention'}\"",
]


@pytest.mark.parametrize("text", COMPOSED)
def test_a_name_that_is_put_together_of_texts_is_flagged(text):
    assert flagged(f"{RIGHT}\ntake({text})\n") == ["scaled_dot_product_attention"]


def test_texts_that_make_no_name_and_names_of_ones_own_are_not_flagged():
    texts = """
print(f"loss {'of'} it", f"mean", f"{'mean'}", f"{print}_mean", "_".join([print, "mean"]), ", ".join(["a", "b"]), "" + "mean")
class Cache:
    def __init__(self): self._keys, self.input, self.requests = [], None, []
    def append(self, keys): self._keys.append(keys); return self.input, self.requests
"""
    assert flagged(RIGHT + texts) == []


SUM, TEXTS = " + ".join(["1"] * 1500), " + ".join(["'a'"] * 700)
DEEP = {
    "a sum": f"total = {SUM}\n",
    "a sum of texts": f"text = {' + '.join(['chr'] * 700)} + {TEXTS}\n",
    "a stub's argument": f"def later(x):\n    raise NotImplementedError({SUM})\n",
    "a sum before a stub": f"def later(x):\n    {SUM}\n    raise NotImplementedError\n",
    "a class of a pattern": f"match torch:\n    case torch{'.nn' * 900}(x): pass\n",
    "a long join": f"text = ','.join([{SUM.replace('1', chr(39) * 2)}])\n",
}


@pytest.mark.parametrize("kind", DEEP)
def test_a_long_chain_is_read_like_any_other_code(kind):
    """Python's parser takes chains with far more parts than there may be calls within each other."""
    read = read_bytes(f"import torch\n{DEEP[kind]}{RIGHT}".encode(), "a.py")
    assert not read.cells[0].mistakes
    names = suspicious_names(read, "torch", all_exercises()["dot_product_attention"])
    assert names == (["case torch" + ".nn" * 900 + "(…)"] if "pattern" in kind else [])
    assert not read.definitions.is_not_written("later", "torch")


def test_where_memory_counts_arrays_that_leave_the_framework_are_flagged():
    """No more than that: honest answers convert arrays to print them, and only a person sees which it is."""
    answer = (ROOT / "solutions" / "efficient" / "in_torch.py").read_text() + "X = queries.detach().numpy()\n"
    assert flagged(answer, exercise="tiled_attention") == ["numpy"]
    assert flagged(answer, exercise="layer_norm") == []
    scores = "import torch\ndef chunked(queries, *rest):\n    return queries[0].item()\n"
    assert flagged(scores, exercise="chunked") == ["item"]


ELSEWHERE = """
from dataclasses import dataclass
import matplotlib.pyplot as plt, numpy as np, random, tqdm
class Scores(nn.Module):
    norm_of: float = 1.0
    def __len__(self): return self.batches.count_of
    @property
    def batches(self): return self._batches
    def keep(self, batches): self._batches, batches.count_of = batches, 3
try: show(Scores().keep(3))
except ValueError as error: print(error.args, f"{X.view(-1):.3f}", X.mT, X.to("cpu").numpy())
plt.plot(np.linspace(0, 1), label="x"); display(X)
def display(X): return [x for x in X if isinstance(x, float)]
def show(X): return torch.einsum("ij->ji", X).masked_fill(~X.bool(), -torch.inf)
"""


def test_what_learners_write_beside_their_answers_is_known():
    assert flagged(RIGHT + ELSEWHERE) == []


def test_hardly_any_answer_that_was_written_without_a_thought_of_flags_gets_one():
    """As if every exercise forbade something: 1688 answers, and two of them flagged."""
    answers = wrong_answers()
    forbids = all_exercises()["scaled_scores"]
    flags = [
        a for a in answers if suspicious_names(read_bytes(a.code.encode(), "a.py"), a.framework, forbids)
    ]
    assert len(flags) < 0.005 * len(answers), [a.what for a in flags]


def test_many_strange_names_are_not_all_told_and_none_at_length():
    source = RIGHT + "".join(f"torch.a{i}\n" for i in range(20)) + f"torch.{'b' * 10_000}\n"
    sentence = flag(read_bytes(source.encode(), "a.py"), "torch", all_exercises()["dot_product_attention"])
    assert sentence.endswith(" and 13 more") and len(sentence) < 400


HONEST_WORDS = '''
from autograder import check
import autograder
"""Nothing here calls scaled_dot_product_attention, and nothing needs sys or eval."""
model.eval()
re.compile("x")
torch.compile(model)
print("eval loss", 3, "keras and sys and gc")
__all__ = ["DotProductAttention"]
if __name__ == "__main__":
    print("loss of the " + "first layer, " + str(1), "__init__ ran")
def kind(shape):
    match shape:
        case (1, *_) | int(_): return "one"
        case {"heads": heads, **rest}: return heads
class EncoderBlock:
    """Not F.scaled_dot_product_attention."""
    def forward(self, X):
        return nn.LayerNorm(X)
check(DotProductAttention)
autograder.check(EncoderBlock)
'''


def test_a_misspelt_name_is_shown_with_the_one_that_was_meant():
    source = RIGHT + "\nx = x.unsqueez(0) + torch.nn.MultiheadAttention(1)\n"
    sentence = flag(read_bytes(source.encode(), "a.py"), "torch", all_exercises()["dot_product_attention"])
    assert sentence == "its source names MultiheadAttention, unsqueez (unsqueeze misspelt?)"


def test_what_reaches_files_or_programs_is_flagged_in_every_exercise():
    answer = "import torch, sqlite3, os\n\ndef softmax_with_zero(X, v):\n    return open(X), torch.nn.Dropout(0.1).p\n"
    assert not all_exercises()["softmax_with_zero"].forbidden
    assert flagged(answer, exercise="softmax_with_zero") == ["open", "os", "sqlite3"]
    frame = answer.replace(", sqlite3, os", ", sys").replace("open(X)", "sys._getframe(1).f_back.f_globals")
    assert flagged(frame, exercise="softmax_with_zero") == ["_getframe", "f_back", "f_globals"]
    assert flagged(answer.replace(", sqlite3, os", "").replace("open(X)", "X"), exercise="layer_norm") == []


def test_honest_words_are_not_flagged():
    assert flagged(RIGHT + HONEST_WORDS) == []
    answer = (ROOT / "solutions" / "transformer" / "in_torch.py").read_text()
    assert flagged(answer + HONEST_WORDS, exercise="layer_norm") == []


NORM = "def group_norm(X):\n    return X\ndef model(X):\n    return group_norm(X)\n"


@pytest.mark.parametrize(
    ("more", "flags"),
    [
        ("", []),
        ("Y = torch.nn.functional.group_norm(X, (4,))\n", ["group_norm"]),
        ("from torch.nn.functional import group_norm\n", ["group_norm"]),
        ("from torch.nn.functional import *\n", ["group_norm"]),
    ],
)
def test_a_function_of_ones_own_that_has_a_forbidden_name_is_not_flagged(more, flags):
    answer = (ROOT / "solutions" / "transformer" / "in_torch.py").read_text()
    assert flagged(answer + NORM + more, exercise="layer_norm") == flags


LOOPED = {
    "for": "def pool_over_time(states, valid_length):\n    for state in states: state.sum()\n",
    "while": "def pool_over_time(states, valid_length):\n    while len(states): states = states[1:]\n",
    "comprehension": "def pool_over_time(states, valid_length):\n    return torch.stack([s.sum(0) for s in states])\n",
    "generator": "def pool_over_time(states, valid_length):\n    return sum(s for s in states)\n",
    "map": "def pool_over_time(states, valid_length):\n    return torch.stack(list(map(torch.sum, states)))\n",
    "recursion": "def pool_over_time(states, valid_length):\n    return states[0] + pool_over_time(states[1:], None)\n",
    "recursion inside": "def pool_over_time(states, valid_length):\n    def add(rest): return rest[0] + add(rest[1:])\n    return add(states)\n",
    "a method": "class pool_over_time:\n    def add(self, rest): return rest[0] + self.add(rest[1:])\n",
    "sorted": "def pool_over_time(states, valid_length):\n    return sorted(range(9), key=lambda i: states[i].sum())\n",
    "a sentinel": "def pool_over_time(states, valid_length):\n    return list(iter(lambda: next_one(states), None))\n",
    "a lambda that gets itself": "def pool_over_time(states, n):\n    return (lambda f: f(f, states))(lambda f, rest: rest[0] + f(f, rest[1:]))\n",
    "a function that gets itself": "def pool_over_time(states, n):\n    def add(f, rest): return rest[0] + f(f, rest[1:])\n    return add(add, states)\n",
    "a pattern": "def pool_over_time(states, n):\n    return re.sub('.', lambda found: str(states.sum()), 'x' * n)\n",
    "an iterator": "class pool_over_time:\n    def __next__(self): return self.states.pop()\n",
    "a method by its class": "class pool_over_time:\n    def add(self, rest): return rest[0] + pool_over_time.add(self, rest[1:])\n",
    "an element each": "def pool_over_time(states, n):\n    return states.apply_(one)\n",
    "vectorize": "def pool_over_time(states, valid_length):\n    return np.vectorize(torch.sum)(states)\n",
}
LOOPLESS = "def pool_over_time(states, valid_length):\n    return states.sum(1)\n"
IN_A_HELPER = "def pool_one(states):\n    return [s.sum() for s in states]\n"
BESIDE = "for s in []:\n    print(s)\ndef shown(states):\n    return [s for s in states]\n"


def flag_on(source, exercise):
    return flag(read_bytes(f"import torch\n{source}".encode(), "a.py"), "torch", all_exercises()[exercise])


@pytest.mark.parametrize("kind", LOOPED)
def test_a_loop_is_flagged_where_the_exercise_asks_for_none(kind):
    assert flag_on(LOOPED[kind], "pool_over_time") == "there is a loop in pool_over_time"
    # A loop elsewhere, or in an earlier version, is none of the answer's.
    assert flag_on(BESIDE + LOOPED[kind] + LOOPLESS, "pool_over_time") is None


def test_what_only_looks_like_a_loop_is_not_flagged():
    last = (
        "torch.sub(states, min(states, 0)), sorted([2, 1]), iter([1]), states.max(dim=1), attend(key=states)"
    )
    for body in (last, "states.sum(1).sub(1)", "states.forward(states)"):
        assert flag_on(LOOPLESS.replace("states.sum(1)", body), "pool_over_time") is None, body


def test_loops_are_looked_for_in_linear_time():
    chain = "".join(f"    states = states{'.sub(1)' * 900}\n" for _ in range(20))
    with that_ends():
        body = f"def pool_over_time(states, n):\n{chain}    return states\n"
        assert flag_on(body, "pool_over_time") is None
        substitute = body.replace("    return states", "    return re.compile('.').sub(add, states)")
        assert flag_on(substitute, "pool_over_time") == "there is a loop in pool_over_time"


def test_a_loop_in_what_the_answer_calls_is_flagged():
    calls = LOOPLESS.replace("states.sum(1)", "pool_one(states)")
    assert flag_on(IN_A_HELPER + calls, "pool_over_time") == "there is a loop in pool_one"


def test_functions_that_call_each_other_are_loops_too():
    calls = LOOPLESS.replace("states.sum(1)", "add(states)")
    even = "add = lambda rest: rest[0] + add_on(rest[1:])\ndef add_on(rest):\n    return add(rest)\n"
    assert flag_on(even + calls, "pool_over_time") == "there is a loop in add, add_on"
    base = "class Pool(Base):\n    def forward(self, X):\n        return super(Pool, self).forward(X)\n"
    assert flag_on(base + LOOPLESS.replace("states.sum(1)", "Pool()(states)"), "pool_over_time") is None


MANY = {
    "one chain": f"torch{'.nn' * 4_000}\n",
    "lambdas": "".join(f"f{i} = lambda x: f{i + 1}(x)\n" for i in range(5_000)),
    "unknown": "".join(f"torch.a{i}\n" for i in range(10_000)),
    "a line each": "sys\n" * 20_000,
    "all in one line": "sys;" * 20_000 + "\n",
    "stubs": "def f(a=sys): raise NotImplementedError\n" * 4_000,
    "long sums": ("x = " + " + ".join(["1"] * 1500) + "\n") * 40,
    "long sums of texts": ("x = " + " + ".join(["'a'"] * 1500) + "\n") * 40,
    "its own functions": "def layer_norm(): layer_norm\n" * 6_000,
}


@pytest.mark.parametrize("kind", MANY)
def test_what_is_flagged_is_found_in_linear_time(kind):
    """All exercises that forbid something, as in a notebook: nothing limits the time of the process that grades."""
    source = f"import torch\n{MANY[kind]}{RIGHT}"
    forbidding = [exercise for exercise in all_exercises().values() if exercise.forbidden]
    with that_ends():
        read = read_bytes(source.encode(), "a.py")
        names_of_each = [suspicious_names(read, "torch", exercise) for exercise in forbidding]
    assert all(("sys" in names) == ("sys" in MANY[kind]) for names in names_of_each)


def test_no_statement_of_a_chapter_is_too_long_to_be_known():
    assert 4 * max(map(len, chapter_statements())) < MAX_SHOWN


def test_a_variable_that_is_called_like_a_function_with_a_loop_is_none():
    named_alike = "def states(n):\n    return [i for i in range(n)]\n"
    assert flag_on(named_alike + LOOPLESS, "pool_over_time") is None


def test_no_loop_of_a_chapter_is_taken_for_one_of_the_answer():
    """Solved whole, with all that the chapter trains and draws in loops."""
    for exercise in (e for e in all_exercises().values() if e.no_loop):
        path = BOOK / "chapters" / f"{exercise.topic}.ipynb"
        solved = read_bytes(path.read_bytes(), path.name)
        assert [flag(solved, framework, exercise) for framework in ("mxnet", "torch")] == [None, None]


def test_a_loop_is_flagged_only_where_the_exercise_says_so():
    looped = LOOPED["for"].replace("pool_over_time", "masked_softmax")
    assert flag_on(looped, "masked_softmax") is None


def test_an_exercise_shows_loops_to_the_teacher_exactly_if_it_says_so():
    for exercise in all_exercises().values():
        assert exercise.no_loop == (LOOP_IS_SHOWN in exercise.rules), exercise.name
        asks = re.search(r"[Nn]o loop over|without a loop", " ".join([exercise.statement, *exercise.rules]))
        assert exercise.no_loop or not asks, exercise.name


@pytest.mark.slow
@pytest.mark.parametrize("framework", ["mxnet", "torch"])
def test_no_reference_solution_is_flagged(framework):
    whole = "\n".join((ROOT / "solutions" / t / f"in_{framework}.py").read_text() for t in topics())
    for exercise in (e for e in all_exercises().values() if e.forbidden or e.no_loop):
        solution = (ROOT / "solutions" / exercise.topic / f"in_{framework}.py").read_text()
        assert flag(read_bytes(solution.encode(), "a.py"), framework, exercise) is None
        assert flagged(solution, framework, exercise.name) == flagged(whole, framework, exercise.name) == []


@pytest.mark.parametrize("with_metadata", [True, False])
def test_no_untouched_copy_of_a_chapter_is_flagged(with_metadata):
    for path in sorted((BOOK / "chapters").glob("*.ipynb")):
        notebook = learners_copy(json.loads(path.read_text()))
        if not with_metadata:
            for cell in notebook["cells"]:
                cell["metadata"] = {}
        submission = read_bytes(json.dumps(notebook).encode(), path.name)
        for exercise in (e for e in all_exercises().values() if e.forbidden):
            for framework in ("mxnet", "torch"):
                assert suspicious_names(submission, framework, exercise) == [], (path.name, exercise.name)


EXPORTED = "get_ipython().run_line_magic('pip', 'install --quiet {package} matplotlib keras')"
CELLS = {address: install_source(address, {"matplotlib": "matplotlib", "keras": "keras"}) for address in
         ("", "https://github.com/course/attention")}  # fmt: skip


@pytest.mark.parametrize("address", CELLS)
def test_the_cell_that_installs_the_course_is_nothing_to_look_at(address):
    text = CELLS[address]
    for cell in (text, re.sub(r"%pip.*", EXPORTED, text)):
        assert flagged(f"{cell}\n{RIGHT}") == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('Path("p', f'{SHORTCUT}; Path("p'),
        ('"keras"]', f'"keras", {SHORTCUT}]'),
        (", None)", f", {SHORTCUT})"),
        ("{package} matplotlib keras')", f"{{package}}', {SHORTCUT})"),
        ("# keeps", f"\n    {SHORTCUT}  # keeps"),
    ],
)
def test_nothing_can_be_added_to_it_unseen(old, new):
    cell = re.sub(r"%pip.*", EXPORTED, CELLS[""])
    assert old in cell and "scaled_dot_product_attention" in flagged(f"{cell.replace(old, new)}\n{RIGHT}")


def test_what_it_imports_is_looked_at_where_an_answer_uses_it():
    assert flagged(f"{CELLS['']}\n{RIGHT}\nlist(map(find_spec, ['torch']))") == ["find_spec"]
