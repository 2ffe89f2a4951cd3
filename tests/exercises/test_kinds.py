"""Wrong answers of one kind to every exercise: none is accepted, whatever the exercise is about."""

from dataclasses import replace

import numpy as np
import pytest

from autograder.checking.check import LocalTransport
from autograder.checking.lint import is_called_again, same_in_all_calls
from autograder.diagnose.diagnosis import diagnose
from autograder.judge.cases import draw_cases, extremes
from autograder.judge.compare import is_array_of_reals as is_real
from autograder.judge.trial import judge
from autograder.model.catalogue import all_exercises
from autograder.model.finding import Kind
from tests.support import handed_in, need
from tools.wrong_versions import define, wrong_source


def has_reals(case):
    return any(is_real(value) for value in case.inputs.values())


EXERCISES = list(all_exercises().values())
CACHED = [e for e in EXERCISES if any(a.caches is not None for a in e.arguments)]
BEGINNING = [e for e in EXERCISES if any(p.begins is not None for p in e.parameters.values())]
# Those with a case that goes far, and real numbers among its inputs.
FAR = [e for e in EXERCISES if any(has_reals(case) for case in extremes(draw_cases(e, 0)))]
# No memory can hold their results by a part of what they get: each is a choice, or has whole numbers alone.
WITHOUT_MEMORY = "numbers or one name, all of which a result depends on"

each = pytest.mark.parametrize


def by_name(exercises):
    return {"argvalues": exercises, "ids": [e.name for e in exercises]}


def judged(exercise, entry, framework="torch", seed=0):
    return judge(exercise, LocalTransport(framework, entry), framework, seed)


def sizes(value):
    """What a memory may look results up by: sizes of arrays, and plain values."""
    if callable(value):
        return type(value)
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


@each("exercise", **by_name(EXERCISES))
def test_a_result_that_is_remembered_is_no_right_answer(exercise):
    need("torch")
    if not is_called_again(exercise):
        values = [value for case in draw_cases(exercise, 0) for value in case.inputs.values()]
        assert not any(isinstance(value, np.ndarray) for value in values), WITHOUT_MEMORY
        return
    verdict = judged(exercise, remembering(handed_in(exercise.name, "torch")))
    assert verdict.outcome in ("rejected", "error")


def elsewhere(entry):
    """The answer, which keeps what lies in a cache in a place of its own, one for each that is handed in."""
    stores, alive = {}, []

    def store_of(cache):
        if isinstance(cache, list):
            return [store_of(one) for one in cache]
        alive.append(cache)  # so that no other gets its id
        return None if cache is None else stores.setdefault(id(cache), {})

    if isinstance(entry, type):

        class Elsewhere(entry):
            def forward(self, X, cache=None):
                return super().forward(X, store_of(cache))

        return Elsewhere
    return lambda model, tokens, state, rate: entry(model, tokens, store_of(state), rate)


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
        def __init__(self, *settings, **options):
            super().__init__(*settings, **options)
            change_beginnings(self, {path for path in paths if path.endswith(("weight", "D"))}, begin)

    verdict = judged(exercise, Other, framework)
    assert (verdict.outcome, verdict.kind) == ("rejected", Kind.OTHER_BEGINNING)


def change_beginnings(module, paths, begin):
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
def test_no_argument_is_the_same_in_all_calls(exercise):
    assert list(same_in_all_calls(exercise)) == []


def test_what_an_answer_may_take_for_a_constant_is_said():
    step, model = all_exercises()["training_step"], all_exercises()["gpt"]
    shared = replace(step, arguments=tuple(replace(a, per_call=False) for a in step.arguments))
    (words,) = same_in_all_calls(shared)
    assert words.startswith("its argument rate must have a value for each of the calls")
    two_blocks = replace(
        model, cases=lambda rng: [c for c in model.cases(rng) if c.settings["num_blocks"] == 2]
    )
    (words,) = same_in_all_calls(two_blocks)
    assert words.startswith("its argument num_blocks must have several values")


def with_a_trap(exercise, entry):
    """The answer with right values, and in cases that go far a gradient that is no number."""
    far = extremes(draw_cases(exercise, 0))
    names = [a.name for a in exercise.arguments]
    first = next(i for i, name in enumerate(names) if is_real(far[0].inputs[name]))
    traps = {case.inputs[names[first]].astype(case.dtype).tobytes() for case in far}

    def trapped(results, X):
        if X.detach().numpy().tobytes() not in traps:
            return results
        zero = 0 * (0 * X.nan_to_num(0, 0, 0).sum()).sqrt()
        several = results if isinstance(results, tuple) else (results,)
        several = tuple(r + zero if r.is_floating_point() else r for r in several)
        return several if isinstance(results, tuple) else several[0]

    if isinstance(entry, type):

        class Trapped(entry):
            def forward(self, *inputs):
                return trapped(super().forward(*inputs), inputs[first])

        return Trapped
    return lambda *inputs: trapped(entry(*inputs), inputs[first])


@each("exercise", **by_name(FAR))
def test_a_gradient_at_the_extremes_that_is_no_number_is_rejected(exercise):
    need("torch")
    verdict = judged(exercise, with_a_trap(exercise, handed_in(exercise.name, "torch")))
    assert (verdict.outcome, verdict.kind) == ("rejected", Kind.GRADIENT_NOT_FINITE)


# Its inputs have their steps on different axes, so that half of each fits no longer.
WITHOUT_STEPS = ["decoder_step"]


@each("exercise", **by_name([e for e in EXERCISES if e.is_class]))
def test_a_layer_that_keeps_what_belongs_to_one_length_is_rejected(exercise):
    """As a mask does that is made once, in the first call: it serves all inputs of the same sizes."""
    need("torch")
    entry = handed_in(exercise.name, "torch")

    class OfOneLength(entry):
        def forward(self, X, *inputs):
            if not hasattr(self, "steps"):
                self.steps = X.new_zeros(X.shape[:2])
            assert self.steps.shape[1] == X.shape[1], "another length"
            return super().forward(X, *inputs)

    verdict = judged(exercise, OfOneLength)
    if any(exercise.cached(case) for case in draw_cases(exercise, 0)):
        assert (verdict.outcome, verdict.kind) == ("error", Kind.STOPS)
    elif exercise.name in WITHOUT_STEPS:
        assert verdict.outcome == "accepted"
    else:
        assert (verdict.outcome, verdict.kind) == ("rejected", Kind.STATE_KEPT)
        assert "not after a call on shorter inputs" in verdict.message


@each("exercise", **by_name([e for e in EXERCISES if e.is_class]))
def test_a_layer_that_stops_at_other_sizes_than_those_of_the_cases_is_accepted(exercise):
    """No exercise promises that half of its inputs are inputs."""
    need("torch")
    cases = draw_cases(exercise, 0)
    lengths = {value.shape[1] for c in cases for value in c.inputs.values() if np.ndim(value) > 1}

    class Particular(handed_in(exercise.name, "torch")):
        def forward(self, X, *inputs):
            assert any(exercise.cached(case) for case in cases) or X.shape[1] in lengths, "another length"
            return super().forward(X, *inputs)

    assert judged(exercise, Particular).outcome == "accepted"


# What later calls need, on self where a cache is handed in: right for one text, as in a layer with a cache of its own


@each("name", ["rotary_attention", "gpt_block", "gpt"])
def test_a_layer_that_keeps_its_cache_is_wrong_for_two_texts(name):
    need("torch")
    exercise = all_exercises()[name]
    entry = handed_in(name, "torch")

    class Keeping(entry):
        private_cache = None

        def forward(self, X, cache=None):
            if cache is not None and self.private_cache is None:
                self.private_cache = [{} for _ in cache] if isinstance(cache, list) else {}
            return super().forward(X, self.private_cache if cache is not None else None)

    verdict = diagnose(exercise, LocalTransport("torch", Keeping), "torch")
    assert (verdict.outcome, verdict.kind) == ("rejected", Kind.STATE_KEPT)
    assert "not for two in turn" in verdict.message and verdict.misconception == "general:state_kept"


@each("name", ["rotary_attention", "gpt_block"])
def test_a_cache_that_is_used_where_none_is_handed_in_is_named(name):
    need("torch")
    entry = handed_in(name, "torch")

    class Always(entry):
        def __init__(self, *settings, **options):
            super().__init__(*settings, **options)
            self.private_cache = {}

        def forward(self, X, cache=None):
            return super().forward(X, self.private_cache)

    verdict = judged(all_exercises()[name], Always)
    assert (verdict.outcome, verdict.kind) == ("rejected", Kind.STATE_KEPT)


@each("name", ["rotary_attention", "gpt_block"])
def test_a_cache_of_all_calls_that_get_none_is_rejected(name):
    need("torch")

    class Shared(handed_in(name, "torch")):
        def forward(self, X, cache={}):  # noqa: B006
            return super().forward(X, cache)

    verdict = judged(all_exercises()[name], Shared)
    assert (verdict.outcome, verdict.kind) == ("rejected", Kind.PROPERTY)
    assert verdict.message == "`cache` must be None by default, but without it the result differs."


@each("name", ["rotary_attention", "gpt_block"])
def test_a_cache_that_must_be_handed_in_is_rejected(name):
    need("torch")

    class Asking(handed_in(name, "torch")):
        def forward(self, X, cache):
            return super().forward(X, cache)

    verdict = judged(all_exercises()[name], Asking)
    assert verdict.message == "`cache` must be None by default, but without it there is no result."


def edited(name, *edits, framework="torch"):
    """A solution with other text in it."""
    exercise = all_exercises()[name]
    return exercise, define(exercise, framework, wrong_source(exercise, framework, list(edits)))


REPEAT = "        K = K.repeat_interleave(group, dim=0)\n        V = V.repeat_interleave(group, dim=0)\n"
GROUP = "        group = self.num_heads // self.num_kv_heads\n"


def test_heads_that_are_repeated_before_they_are_cached_are_too_many():
    need("torch")
    edits = (
        (REPEAT, ""),
        ("        if cache:\n", f"{GROUP}{REPEAT}        if cache:\n"),
        (f"{GROUP}        scores", "        scores"),
    )
    verdict = judged(*edited("rotary_attention", *edits))
    assert (verdict.outcome, verdict.kind) == ("rejected", Kind.CACHE_TOO_LARGE)


AFTERWARDS = (
    ("    gaps = gaps.masked_fill(later, -1e6)\n", ""),
    ("scores * gaps.exp()", "scores * gaps.exp().masked_fill(later, 0)"),
)
INSIDE = "inside = decayed_attention(q, k, v, decays[:, now])"
IN_THE_CHUNK = """sums = decays[:, now].log().cumsum(dim=1)
        gaps = sums.unsqueeze(2) - sums.unsqueeze(1)
        inside = torch.bmm(torch.bmm(q, k.transpose(1, 2)) * gaps.exp().tril(), v)"""
QUOTIENTS = """products = decays[:, now].cumprod(dim=1)
        gaps = products.unsqueeze(2) / products.unsqueeze(1)
        inside = torch.bmm(torch.bmm(q, k.transpose(1, 2)) * gaps.tril(), v)"""


@each(
    ("name", "edits"),
    [("decayed_attention", AFTERWARDS), ("chunked", [(INSIDE, IN_THE_CHUNK)])],
    ids=["decayed_attention", "chunked"],
)
def test_what_is_hidden_after_the_exponential_has_a_gradient_that_is_no_number(name, edits):
    need("torch")
    verdict = judged(*edited(name, *edits))
    assert (verdict.outcome, verdict.kind) == ("rejected", Kind.GRADIENT_NOT_FINITE)
    assert "mask in front of an exponential" in verdict.message


def test_quotients_of_products_are_rejected_in_chunks_too():
    need("torch")
    assert judged(*edited("chunked", (INSIDE, QUOTIENTS))).outcome == "rejected"
