"""Items in which a fault is found: each is run as its reader sees it, and has one right answer."""

import ast
import random
import re
import subprocess
import sys
from contextlib import suppress
from dataclasses import replace
from functools import cache, partial
from itertools import combinations

import numpy as np
import pytest

from autograder.checking.check import LocalTransport
from autograder.diagnose.diagnosis import diagnose
from autograder.items.items import IDEA, LINE, TWO, VALUE, item_of, keys
from autograder.items.solution_texts import is_odd, lines_of_code, text_with
from autograder.judge.cases import draw_cases
from autograder.judge.compare import same
from autograder.model.catalogue import all_exercises
from autograder.model.exercise import IDEA_ERRORS, Case
from autograder.model.misconceptions import NUMPY, define_entry
from tests.support import FRAMEWORKS, need
from tools.wrong_versions import define

EXERCISES = [e for e in all_exercises().values() if e.asks_for_code]
SEED = 1
# Of the pairs of ideas of an exercise, which are hundreds, so many are tried; and of the other items each fifth
# one, so that each kind comes to each exercise. --all-seeds tries all of those.
PAIRS, EVERY = 4, 5

each_exercise = pytest.mark.parametrize("exercise", EXERCISES, ids=lambda e: e.name)


@cache
def items_of(name, every):
    """Items of an exercise in NumPy, made once for all tests: some of each kind, or all."""
    exercise = all_exercises()[name]
    alone, pairs = keys(exercise, False), keys(exercise, True)
    tried = [*alone[::every], *random.Random(name).sample(pairs, min(len(pairs), PAIRS))]
    return [item for key in tried if (item := item_of(key, NUMPY, SEED))]


def run(exercise, lines):
    """What lines of NumPy define."""
    names = {}
    for function in (exercise.misconceptions[0].function, exercise.reference):
        names.update(getattr(function, "names", {}))
    return define_entry(
        "\n".join(lines) + "\n",
        f"item {exercise.name} {hash(tuple(lines))}",
        exercise.reference.__name__,
        names,
    )


@cache
def cases_of(name):
    return draw_cases(all_exercises()[name], 0)


def ran(exercise, function, case):
    """What a function gives; None if it does not run."""
    with suppress(*IDEA_ERRORS):
        return exercise.compute(function, case)


@cache
def outputs(name, function, i):
    return ran(all_exercises()[name], function, cases_of(name)[i])


def equal(exercise, one, other):
    """Whether two functions give the same on every case."""
    for i, case in enumerate(cases_of(exercise.name)):
        got, expected = ran(exercise, one, case), outputs(exercise.name, other, i)
        if (got is None) != (expected is None):
            return False
        if got is not None and not same(exercise, case, got, expected, by_value=True):
            return False
    return True


def mended(exercise, item, positions):
    """Whether the code is right once these lines are those of the solution."""
    right = text_with(exercise, NUMPY).splitlines()
    lines = list(item.question.code)
    for position in positions:
        lines[position] = right[position]
    return equal(exercise, run(exercise, lines), exercise.reference)


def right_by_lines(exercise, item):
    return [
        mended(
            exercise, item, [int(n) - 1 for n in re.findall(r"^lines? (\d+)(?: and (\d+))?", c.text)[0] if n]
        )
        for c in item.question.choices
    ]


def right_by_ideas(exercise, item):
    code = run(exercise, item.question.code)
    with_hint = [
        [m.function for m in exercise.misconceptions if m.hint == c.text] for c in item.question.choices
    ]
    return [any(equal(exercise, code, function) for function in functions) for functions in with_hint]


def right_by_values(exercise, item):
    """The code is called with what is written there, as a reader would."""
    question = item.question
    inputs = {}
    for line in question.inputs:
        name, _, text = line.partition(" = ")
        value = eval(text, {"inf": np.inf})
        inputs[name] = np.array(value) if isinstance(value, list) else value
    inputs = {
        n: v.astype(float)
        if isinstance(v, np.ndarray) and v.dtype.kind == "i" and wants_floats(exercise, n)
        else v
        for n, v in inputs.items()
    }
    outputs = ran(exercise, run(exercise, question.code), Case("", inputs))
    parts = re.findall(r"`(\w+)((?:\[[\d, ]+\])?)`", question.sentence)
    names = [output.name for output in exercise.returns]
    values = [eval(f"v{index}", {"v": np.asarray(outputs[names.index(name)])}) for name, index in parts]
    right_text = " and ".join(f"{value + 0.0:.3g}" for value in values)
    return [close(choice.text, right_text) for choice in question.choices]


def wants_floats(exercise, name):
    case = cases_of(exercise.name)[0]
    value = {**case.inputs, **case.parameters}.get(name)
    return isinstance(value, np.ndarray) and value.dtype.kind == "f"


def close(one, other):
    """Whether numbers are the same but for how they were rounded on the way."""
    pairs = zip(one.split(" and "), other.split(" and "), strict=True)
    return all(np.isclose(float(a), float(b), rtol=5e-3, atol=5e-3) for a, b in pairs)


RIGHT = {LINE: right_by_lines, TWO: right_by_lines, IDEA: right_by_ideas, VALUE: right_by_values}


@each_exercise
def test_each_item_has_one_right_answer(exercise, pytestconfig):
    for item in items_of(exercise.name, 1 if pytestconfig.getoption("--all-seeds") else EVERY):
        choices = item.question.choices
        assert RIGHT[item.kind](exercise, item) == [choice.right for choice in choices], item
        assert len({choice.text for choice in choices}) == len(choices) >= 4, item
        assert all(choice.reason for choice in choices), item
        assert item.key in keys(exercise, item.kind == TWO)


def test_of_two_mistakes_both_must_be_found():
    """Each wrong line stands in two of the wrong pairs as well."""
    hard = [item for e in EXERCISES for item in items_of(e.name, EVERY) if item.kind == TWO]
    for item in hard:
        pairs = [set(re.findall(r"\d+", choice.text)) for choice in item.question.choices]
        (right,) = (p for p, choice in zip(pairs, item.question.choices, strict=True) if choice.right)
        assert [sum(line in pair for pair in pairs) for line in right] == [3, 3], item
    assert len(hard) > 30


def test_what_a_function_is_called_with_is_calculated_by_hand():
    """Its numbers have two digits at most."""
    values = [item for e in EXERCISES for item in items_of(e.name, EVERY) if item.kind == VALUE]
    text = " ".join(line for item in values for line in item.question.inputs)
    numbers = [float(number) for number in re.findall(r"\d[\d.]*(?:e[+-]?\d+)?", text)]
    assert not [item for item in values if item.exercise.name == "generate"], "its model is not shown"
    assert len(values) > 50 and all(float(f"{number:.2g}") == number for number in numbers)


def test_a_reason_speaks_of_no_answer_of_the_readers_own():
    """It is read beside code that someone else has written."""
    hints = [idea.hint for exercise in EXERCISES for idea in exercise.misconceptions]
    assert not [hint for hint in hints if re.search(r"\b[Yy]ours?\b|that you (keep|return)\b", hint)]


def test_nearly_every_exercise_has_items():
    counts = {e.name: len(items_of(e.name, EVERY)) for e in EXERCISES}
    assert sum(counts.values()) >= 400
    assert sum(count >= 3 for count in counts.values()) >= 60, counts


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_the_code_of_a_framework_has_the_same_fault(framework):
    """One item of each second exercise, whose code is judged as an answer; the other half is the other framework's."""
    need(framework)
    for exercise in EXERCISES[FRAMEWORKS.index(framework) :: 2]:
        order = random.Random(exercise.name)
        candidates = keys(exercise, False)
        order.shuffle(candidates)
        item = next(filter(None, (item_of(key, framework, SEED) for key in candidates)))
        entry = define(exercise, framework, "\n".join(item.question.code) + "\n")
        verdict = diagnose(exercise, LocalTransport(framework, entry), framework)
        assert (verdict.outcome, verdict.misconception) == ("rejected", *item.misconceptions), item


def test_the_same_seed_gives_the_same_item_and_neighbours_get_others():
    exercise = all_exercises()["scaled_scores"]
    draws = [
        [item_of(key, "torch", seed) for key in keys(exercise, False) if f"/{IDEA}/" in key]
        for seed in (1, 1, 2)
    ]
    assert draws[0] == draws[1]
    assert sum(one != other for one, other in zip(draws[0], draws[2], strict=True)) > 5


def test_what_is_seen_without_being_understood_is_no_item():
    right = "def f(X):\n    scores = X / 2\n    return scores.softmax(dim=-1)\n"
    odd = {
        "a product that is nothing": ("X / 2", "X / 2 * 0"),
        "a product that does nothing": ("X / 2", "X * 1.0"),
        "a sum that does nothing": ("X / 2", "X / 2 + 0"),
        "another name for a value": ("X / 2", "X"),
        "a name for a number": ("scores = X / 2", "scores = 1"),
        "a loop of one round": ("X / 2", "sum(X / 2 for _ in range(1))"),
        "a condition that is constant": ("X / 2", "X.where(X > 0, False)"),
        "a number of its own": ("X / 2", "X / 37"),
        "a name that no solution uses": ("X / 2", "X.cumprod(dim=0)"),
        "a long line": ("scores.softmax(dim=-1)", "scores.softmax(dim=-1) + scores.softmax(dim=-1) + scores"),
    }
    for why, (old, new) in odd.items():
        assert is_odd(right, right.replace(old, new), "torch"), why
    for old, new in (("X / 2", "-X"), ("X / 2", "X * 2"), ("dim=-1", "dim=1"), ("scores.s", "X.s")):
        assert not is_odd(right, right.replace(old, new), "torch"), (old, new)


def test_a_number_that_rounding_decides_is_not_asked_for():
    """In single precision 0.7 lies below 0.7, so one more token is needed to reach it."""
    for seed in range(8):
        item = item_of("top_p/value/reaching_token_left_out", NUMPY, seed)
        assert (
            item is None
            or "p = 0.7" not in item.question.inputs
            or "probabilities = [[0.7, 0.3]]" not in item.question.inputs
        )


def test_lines_of_code_are_those_that_compute():
    text = text_with(all_exercises()["dot_product_attention"], "torch")
    assert "#" not in text
    assert "super().__init__()" in text and '"""' in text
    lines = [text.splitlines()[i].strip() for i in lines_of_code(text)]
    assert lines[0].startswith("self.dropout = ") and lines[-1].startswith("return ")
    assert not any(line.startswith(("class ", "def ", '"""', "super()")) for line in lines)


def test_where_a_step_is_left_out_no_line_is_offered_that_could_take_it_as_well():
    """Without `top_p` the line of its argument could be called wrong, and the line of its result."""
    assert item_of("draw_token/line/nothing_left_out", NUMPY, 0) is None


def in_hash(X):
    """Its text holds the sign with which comments begin."""
    return X["#"]


@pytest.mark.parametrize("reference", [in_hash, partial(in_hash)])
def test_a_reference_whose_text_cannot_be_shown_has_no_items(reference):
    assert text_with(replace(all_exercises()["scaled_scores"], reference=reference), NUMPY) == ""


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_two_mistakes_that_make_no_code_together_are_no_item(framework):
    """One makes `<` to `>=`, the other to `<=`, and both to `>==`."""
    exercise = all_exercises()["masked_softmax"]
    for one, other in combinations(exercise.misconceptions, 2):
        text = text_with(exercise, framework, one, other)
        assert text is None or ast.parse(text)


def test_exercises_of_ones_own_have_items_in_numpy(tmp_path):
    """Their solution is there in NumPy alone."""
    (tmp_path / "own_exercises").mkdir()
    (tmp_path / "own_exercises" / "spread.py").write_text(OWN_EXERCISE)
    (tmp_path / "own_exercises" / "spread.toml").write_text(OWN_IDEAS)
    command = [sys.executable, "-c", "from autograder import practise; practise('spread')"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, input="\n")
    assert done.returncode == 0 and "The spread of a row" in done.stdout, done.stderr


OWN_EXERCISE = '''
"""Our own."""
import numpy as np
from autograder.model.exercise import Argument, Case, Exercise, Output
def spread(X):
    """The standard deviation of each row."""
    mean = X.mean(axis=-1, keepdims=True)
    centred = X - mean
    squares = centred ** 2
    total = squares.sum(axis=-1)
    return np.sqrt(total / X.shape[-1])
def cases(rng):
    return [Case(f"{n} rows", {"X": rng.normal(size=(n, n + 1))}, gradient=True) for n in (2, 3, 5)]
EXERCISES = (Exercise(
    name="spread", entry="spread", title="The spread of a row", reference=spread, cases=cases,
    statement="Give the standard deviation of each row.", hints=("Centre.", "Square.", "Root."),
    arguments=(Argument("X", "(rows, columns)"),), returns=(Output("spreads", "(rows,)"),),
),)
'''
OWN_IDEAS = """
[spread.not_centred]
hint = "The mean of the row is not taken off."
every = ["centred = X - mean", "centred = X"]
[spread.mean_added]
hint = "The mean is added where it must be subtracted."
every = ["X - mean", "X + mean"]
[spread.columns_summed]
hint = "Squares are summed for each column."
every = ["squares.sum(axis=-1)", "squares.sum(axis=0)"]
[spread.cubed]
hint = "Third powers come out, in which signs remain."
every = ["** 2", "** 3"]
"""
