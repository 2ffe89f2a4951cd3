"""Wrong answers of one kind to every exercise: none is accepted, whatever the exercise is about."""

import numpy as np
import pytest

from autograder.checking.check import LocalTransport
from autograder.checking.lint import extremes, same_in_all_cases
from autograder.judge.cases import other_inputs, prepare
from autograder.judge.trial import judge
from autograder.model.catalogue import all_exercises
from autograder.model.finding import Kind
from tests.support import handed_in, need

EXERCISES = list(all_exercises().values())
CACHED = [e for e in EXERCISES if any(a.caches is not None for a in e.arguments)]
BEGINNING = [e for e in EXERCISES if any(p.begins is not None for p in e.parameters.values())]
# Those of whose cases one at least has other inputs of the same sizes.
REPEATED = [e for e in EXERCISES if any(other_inputs(e, c, prepare(e, 0)) for c in prepare(e, 0))]
# What no gradient is asked for in, and why.
NO_SLOPE = {
    ("additive_attention", "padding that scores far above the rest"): "tanh times 10,000 has few digits in float32",
    ("decoder_step", "padding that scores far above the rest"): "tanh times 10,000 has few digits in float32",
    ("masked_softmax_or_zero", "half precision, scores near 15"): "half precision has too few digits for a slope",
}

each = pytest.mark.parametrize


def by_name(exercises):
    return {"argvalues": exercises, "ids": [e.name for e in exercises]}


def judged(exercise, entry, framework="torch", seed=0):
    return judge(exercise, LocalTransport(framework, entry), framework, seed)


def sizes(value):
    """What a memory may look results up by: sizes of arrays, and plain values."""
    return tuple(value.shape) if hasattr(value, "shape") else repr(value)


def remembering(entry):
    """The answer, which gives its first result again: an object whatever it gets, a function for equal sizes."""
    if isinstance(entry, type):

        class Remembering(entry):
            def forward(self, *inputs):
                if not hasattr(self, "first"):
                    self.first = super().forward(*inputs)
                return self.first

        return Remembering
    memory = {}

    def remember(*inputs):
        key = tuple(map(sizes, inputs))
        if not any(hasattr(value, "shape") for value in inputs):
            key = key[:1]
        if key not in memory:
            memory[key] = entry(*inputs)
        return memory[key]

    return remember


@each("exercise", **by_name(REPEATED))
def test_a_result_that_is_remembered_is_no_right_answer(exercise):
    need("torch")
    verdict = judged(exercise, remembering(handed_in(exercise.name, "torch")))
    assert verdict.outcome in ("rejected", "error"), exercise.name


def test_every_class_and_every_function_of_arrays_is_called_again():
    others = {e.name for e in EXERCISES} - {e.name for e in REPEATED}
    calls_on_arrays = [
        e.name
        for e in EXERCISES
        if e.name in others and any(isinstance(v, np.ndarray) for v in prepare(e, 0)[0].inputs.values())
    ]
    assert calls_on_arrays == []


def elsewhere(entry):
    """The answer, which keeps what lies in a cache in a place of its own, one for each that is handed in."""
    stores, alive = {}, []

    def own(cache):
        if isinstance(cache, list):
            return [own(one) for one in cache]
        alive.append(cache)  # so that no other gets its id
        return None if cache is None else stores.setdefault(id(cache), {})

    if isinstance(entry, type):

        class Elsewhere(entry):
            def forward(self, X, cache=None):
                return super().forward(X, own(cache))

        return Elsewhere
    return lambda model, tokens, state, rate: entry(model, tokens, own(state), rate)


@each("exercise", **by_name(CACHED))
def test_what_later_calls_need_lies_in_what_is_handed_in(exercise):
    need("torch")
    verdict = judged(exercise, elsewhere(handed_in(exercise.name, "torch")))
    assert (verdict.outcome, verdict.kind) == ("rejected", Kind.CACHE_EMPTY)


@each("framework", ["torch", "mxnet"])
@each("begin", ["zero", "random"])
@each("exercise", **by_name(BEGINNING))
def test_a_learned_array_begins_as_the_exercise_says(exercise, begin, framework):
    need(framework)
    entry = handed_in(exercise.name, framework)
    paths = [p.path for p in exercise.parameters.values() if p.begins is not None]

    class Other(entry):
        def __init__(self, *settings, **named):
            super().__init__(*settings, **named)
            others(self, {path for path in paths if path.endswith(("weight", "D"))}, begin)

    verdict = judged(exercise, Other, framework)
    assert (verdict.outcome, verdict.kind) == ("rejected", Kind.OTHER_BEGINNING)


def others(module, paths, begin):
    """Let some learned arrays of a module begin at 0, or at random."""
    if hasattr(module, "named_parameters"):
        for path, parameter in module.named_parameters():
            if path in paths:
                parameter.data.zero_() if begin == "zero" else parameter.data.normal_()
        return
    from mxnet import init

    for path, parameter in module._collect_params_with_prefix().items():
        if path.replace("gamma", "weight") in paths:
            parameter.init = init.Zero() if begin == "zero" else init.Normal(1)


@each("exercise", **by_name(EXERCISES))
def test_an_argument_has_several_values_in_the_cases(exercise):
    assert list(same_in_all_cases(exercise)) == []


@each("exercise", **by_name(EXERCISES))
def test_gradients_are_asked_for_at_the_extremes(exercise):
    missing = [case.note for case in extremes(prepare(exercise, 0)) if not case.gradient]
    assert [note for note in missing if (exercise.name, note) not in NO_SLOPE] == [], (
        f"exercises/{exercise.topic}.py must have gradient=True there, since a right result may have a gradient that is no number"
    )
