"""What the seed draws: an answer that only remembers the cases of one seed is no answer for another."""

import numpy as np
import pytest

from autograder.judge.cases import draw_cases
from autograder.judge.functions import FunctionTransport
from autograder.judge.trial import judge
from autograder.model.catalogue import all_exercises
from autograder.page.quiz import is_chosen
from exercises.shared import ALL, draw_lengths, draw_sizes

# Their inputs are names of which there are only a few, so that a table is what is asked for.
TABLES = {e.name for e in all_exercises().values() if is_chosen(e)} - {"which_leaks"}
# Nor has a table of cases a row for each call of several that share a cache, or for a model.
FUNCTIONS = [
    e
    for e in all_exercises().values()
    if e.name not in TABLES and all(a.caches is None and a.stands_in is None for a in e.arguments)
]
LENGTHS = {"valid_length", "source_length", "length"}
WITH_LENGTHS = [e for e in FUNCTIONS if LENGTHS & {a.name for a in e.arguments}]
OTHER_SEEDS = range(1, 9)


def is_float(value):
    return isinstance(value, np.ndarray) and value.dtype.kind == "f"


def has_random_numbers(exercise):
    """Whether a case holds a float array: no table knows what is made of it."""
    return any(is_float(v) for case in draw_cases(exercise, 0) for v in case.inputs.values())


def told_apart_by(inputs):
    """What a table can look cases up by: the sizes of its arrays, and the plain values."""

    def plain(value):
        if isinstance(value, np.ndarray):
            return value.shape
        return tuple(value) if isinstance(value, list) else value

    return tuple(plain(value) for _, value in sorted(inputs.items()))


WITHOUT_NUMBERS = [e for e in FUNCTIONS if not has_random_numbers(e)]


class Table:
    """An answer that knows lengths, masks, indices, and results without random numbers, by heart.

    At what it has not seen it stops.
    """

    def __init__(self, exercise, seeds=(0,)):
        self.exercise, self.rows = exercise, {}
        for seed in seeds:
            for case in draw_cases(exercise, seed):
                inputs = {**case.inputs, **case.settings, **case.parameters}
                self.rows[told_apart_by(inputs)] = inputs

    def __call__(self, **inputs):
        if told_apart_by(inputs) not in self.rows:
            raise ValueError("not in the table")
        row = self.rows[told_apart_by(inputs)]
        return self.exercise.reference(**{n: v if is_float(v) else row[n] for n, v in inputs.items()})


def judged(exercise, answer, seed):
    return judge(exercise, FunctionTransport(exercise, answer), "numpy", seed)


@pytest.mark.parametrize("exercise", FUNCTIONS, ids=lambda e: e.name)
def test_a_table_of_the_cases_of_one_seed_is_rejected_on_all_others(exercise):
    table = Table(exercise)
    if len(table.rows) == len(draw_cases(exercise, 0)):  # no two cases have the same sizes
        verdict = judged(exercise, table, 0)  # right on its cases, and then called again on other inputs
        assert verdict.outcome == "accepted" or verdict.failed_stage == "properties"
    accepted = [seed for seed in OTHER_SEEDS if judged(exercise, table, seed).outcome == "accepted"]
    assert not accepted, f"{exercise.name} accepts a table of the cases of seed 0 with the seeds {accepted}"


@pytest.mark.parametrize("exercise", WITH_LENGTHS, ids=lambda e: e.name)
def test_lengths_found_by_the_sizes_of_the_arrays_are_rejected(exercise):
    """An answer that looks at no length: it has those of forty seeds, and where it has none, the longest."""
    table = Table(exercise, range(100, 140))
    name = next(a.name for a in exercise.arguments if a.name in LENGTHS)

    def answer(**inputs):
        if told_apart_by(inputs) in table.rows:
            return table(**inputs)
        lengths = inputs[name]
        return exercise.reference(
            **{**inputs, name: None if lengths is None else np.full_like(lengths, lengths.max())}
        )

    accepted = [seed for seed in OTHER_SEEDS if judged(exercise, answer, seed).outcome == "accepted"]
    assert not accepted, f"{name} of {exercise.name} can be guessed from the sizes with the seeds {accepted}"


@pytest.mark.parametrize("exercise", all_exercises().values(), ids=lambda e: e.name)
def test_the_order_of_the_cases_is_drawn_too(exercise):
    orders = {tuple(case.note for case in draw_cases(exercise, seed)) for seed in range(10)}
    assert len(orders) > 1


def test_sizes_keep_what_is_special_about_them():
    for seed in range(50):
        one, small, also_small, large = draw_sizes(np.random.default_rng(seed), 1, 3, 3, 7)
        assert one == 1
        assert 3 <= small == also_small < large <= 10


@pytest.mark.parametrize("exercise", WITHOUT_NUMBERS, ids=lambda e: e.name)
def test_a_table_of_the_cases_of_forty_seeds_is_rejected_on_others(exercise):
    table = Table(exercise, range(100, 140))
    accepted = [seed for seed in range(1, 31) if judged(exercise, table, seed).outcome == "accepted"]
    assert not accepted, (
        f"{exercise.name} accepts a table of the cases of forty seeds with the seeds {accepted}: "
        "draw its sizes from larger ranges (`spread` of draw_sizes)"
    )


def test_lengths_are_ragged_and_hold_the_extremes():
    for seed in range(50):
        rng = np.random.default_rng(seed)
        lengths = draw_lengths(rng, 5, 4, among=(1, ALL))
        assert {1, 5} <= set(lengths.tolist()) <= {1, 2, 3, 4, 5}
        lengths = draw_lengths(rng, 5, 3, 2)
        assert lengths.shape == (3, 2)
        assert lengths.min() < 5
        assert (lengths[:, 0] != lengths[:, 1]).all()
        assert (draw_lengths(rng, 1, 3) == 1).all()
