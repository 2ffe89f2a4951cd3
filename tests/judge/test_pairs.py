"""Two wrong ideas together are named, both of them, and only where they give every answer."""

import tracemalloc
from functools import partial

import numpy as np
import pytest

from autograder.grade import cluster
from autograder.judge import pairs
from autograder.judge.cases import prepare
from autograder.judge.edits import edits, outputs_of
from autograder.judge.functions import FunctionTransport
from autograder.judge.lengths import LONGEST, MADE, SHORT
from autograder.judge.matching import is_known
from autograder.judge.pairs import CALLED, JOINT, WORK
from autograder.judge.trial import judge
from autograder.learner.check import LocalTransport
from autograder.model.catalogue import all_exercises
from autograder.model.exercise import Exercise
from exercises.sparse import first_group_for_all, groups_take_turns
from solutions.attention.in_numpy import softmax
from solutions.dot_product.in_numpy import scaled_scores
from solutions.sparse.in_numpy import grouped_query
from solutions.transformer.in_numpy import layer_norm
from solutions.translation.in_numpy import query_weights


def verdict_on(name, function, seed=0):
    exercise = all_exercises()[name]
    return judge(exercise, FunctionTransport(exercise, function), "numpy", seed)


def variance_and_no_bias(X, gain, bias):
    gaps = X - X.mean(-1, keepdims=True)
    return gain * gaps / ((gaps**2).mean(-1, keepdims=True) + 1e-5)


def no_gain_and_no_bias(X, gain, bias):
    return layer_norm(X, np.ones_like(gain), np.zeros_like(bias))


@pytest.mark.parametrize("seed", [0, 5])
def test_a_misconception_and_a_change_are_both_said(seed):
    verdict = verdict_on("layer_norm", variance_and_no_bias, seed)
    first, second = verdict.misconception.split(JOINT)
    exercise = all_exercises()["layer_norm"]
    known = {m.name: m.hint for m in exercise.misconceptions}
    assert known[first] in verdict.hint and "`bias`" in verdict.hint
    assert second.startswith("edit:") and verdict.hint in verdict.message
    assert is_known(exercise, verdict.misconception)


def mirrored_and_not_sharp(content, previous, gate, shift, sharpness):
    mixed = gate * content + (1 - gate) * previous
    shifted = sum(shift[:, [i]] * np.roll(mixed, 1 - i, axis=1) for i in range(3))
    return shifted / shifted.sum(axis=1, keepdims=True)


def test_a_change_that_is_constant_on_these_shapes_is_no_explanation():
    """A softmax over an axis of length 1 is 1 whatever goes in: what has no effect is said to have none."""
    verdict = verdict_on("location_addressing", mirrored_and_not_sharp)
    assert verdict.misconception.startswith("shift_reversed+")
    assert verdict.hint.endswith("Second: `sharpness` has no effect, as if it were 1.")


def zero_at_the_end(scores, valid_length):
    longer = np.concatenate([scores, np.zeros_like(scores[..., :1])], axis=-1)
    mask = np.arange(longer.shape[-1]) < (valid_length + 1)[:, None, None]
    return softmax(np.where(mask, longer, -1e6))[..., :-1]


def by_the_width_of_all_heads(queries, keys, values):
    return grouped_query(queries / np.sqrt(queries.shape[1]), keys, values)


def no_exponential(scores, features):
    weights = scores / scores.sum(axis=1, keepdims=True)
    return (weights[..., None] * features).sum(axis=1), weights


@pytest.mark.parametrize(
    "name, function",
    [
        ("softmax_with_zero", zero_at_the_end),
        ("grouped_query", by_the_width_of_all_heads),
        ("soft_context", no_exponential),
    ],
)
def test_two_mistakes_are_not_about_one_thing(name, function):
    """One of them would deny the other, as "before the keys" and "in the other order" do."""
    verdict = verdict_on(name, function)
    assert verdict.outcome == "rejected" and "Two mistakes" not in verdict.message, verdict


def mask_inverted(X, mask, features, score):
    """The mask is inverted; where there is none all steps count, and so all are filled."""
    counts = np.ones(X.shape[:2], dtype=bool) if mask is None else mask
    weights = softmax(np.where(counts, -1e6, (X @ score.T)[..., 0])) * counts
    return np.einsum("bt,btf->bf", weights, X), weights


def test_a_second_mistake_that_one_case_alone_would_show_is_not_made_up():
    """There all weights are equal, so that any change that makes all scores equal would give the answer."""
    verdict = verdict_on("feed_forward_pooling", mask_inverted)
    assert verdict.misconception == "mask_inverted_then_cleared", verdict
    assert verdict.hint.endswith("In the case 'no mask' something else is wrong too.")


def test_a_misconception_that_gives_all_but_nan_is_named_alone():
    """It divides by the sum itself; that the answer gives 0 / 0 somewhere is no second mistake of its own."""

    def positive_part_divided(scores):
        above = np.maximum(scores, 0)
        return above / above.sum(axis=-1, keepdims=True)

    verdict = verdict_on("sparsemax", positive_part_divided)
    assert verdict.misconception == "scores_above_zero_divided" and "is nan" in verdict.message


def test_what_the_first_of_an_axis_is_follows_from_its_name():
    def of_the_first(contexts, W_o, kept, instead):
        remove = all_exercises()["remove_heads"].reference
        return remove(contexts, W_o, kept, np.broadcast_to(instead[:1], instead.shape))

    said = verdict_on("remove_heads", of_the_first).message
    assert said.endswith("when every head uses the first one's `instead`."), said


def test_a_single_change_of_an_argument_is_named():
    doubled = verdict_on("query_weights", lambda y, **rest: query_weights(2 * y, **rest))
    assert doubled.hint == "Your answer is what comes out when `y` is doubled."


@pytest.mark.parametrize(
    ("name", "function", "said"),
    [
        ("layer_norm", lambda **given: layer_norm(**given).sum(), "`normalised` is added up to one number"),
        (
            "layer_norm",
            lambda **given: layer_norm(**given).mean(-1),
            "`normalised` is averaged over its last axis",
        ),
        (
            "layer_norm",
            lambda **given: layer_norm(**given)[None],
            "`normalised` gets an axis of size 1 in front",
        ),
    ],
)
def test_a_result_of_another_shape_is_named(name, function, said):
    verdict = verdict_on(name, function)
    assert verdict.layer == "contract" and verdict.hint == f"Your answer is what comes out when {said}."
    assert is_known(all_exercises()[name], verdict.misconception)


def test_a_plain_result_of_another_form_is_rejected():
    verdict = verdict_on("predict_shapes", lambda **sizes: ((1, 2, 3), (4, (5, 6)), 7))
    assert verdict.outcome == "rejected", verdict


def test_two_changes_are_named():
    verdict = verdict_on("scaled_scores", lambda queries, keys: np.tanh(scaled_scores(queries / 2, keys)))
    assert JOINT in verdict.misconception and "tanh" in verdict.hint, verdict


@pytest.mark.parametrize("seed", [0, 5])
def test_a_misconception_and_an_edit_of_what_it_calls_are_both_said(seed):
    def turns_without_a_mask(queries, keys, values):
        per_group = queries.shape[1] // keys.shape[1]
        keys, values = (np.tile(shared, (1, per_group, 1, 1)) for shared in (keys, values))
        return softmax(queries @ keys.swapaxes(2, 3) / np.sqrt(queries.shape[-1])) @ values

    verdict = verdict_on("grouped_query", turns_without_a_mask, seed)
    assert verdict.misconception == f"groups_take_turns{JOINT}edit:context:mask_left_out", verdict
    assert verdict.hint.endswith("Second: the mask is left out in the computation of `context`.")
    assert is_known(all_exercises()["grouped_query"], verdict.misconception)


def test_an_array_repeated_as_a_whole_is_repeated_along_the_axis_that_is_named():
    exercise = all_exercises()["grouped_query"]
    tiled = next(edit for edit in edits(exercise) if edit.name.endswith(":tiled"))
    for case in exercise.cases(np.random.default_rng(0)):
        (found,) = outputs_of(tiled.function, exercise, case)
        np.testing.assert_allclose(found, groups_take_turns(**case.inputs))


def doubled_until_large(queries, keys, values):
    while np.abs(queries).max() < 1:
        queries = 2 * queries
    return grouped_query(queries, keys, values)


def test_a_function_is_edited_only_where_it_calls_what_is_edited_and_comes_to_an_end():
    edit = next(e for e in edits(all_exercises()["grouped_query"]) if e.name.endswith(":mask_left_out"))
    case = prepare(all_exercises()["grouped_query"], 0)[0]
    seen = edit.within(first_group_for_all)(**case.inputs)
    assert not np.allclose(seen, first_group_for_all(**case.inputs))
    assert edit.within(softmax) is None
    assert edit.within(doubled_until_large) is None
    assert edit.within(partial(grouped_query)) is None


def test_two_mistakes_on_the_same_step_are_told_apart_from_none():
    assert verdict_on("layer_norm", no_gain_and_no_bias).misconception


def test_a_pair_that_fails_on_a_right_case_is_not_named():
    exercise = all_exercises()["layer_norm"]
    calls = []

    def mixed(X, gain, bias):
        calls.append(X)
        right = len(calls) == 3
        return (layer_norm if right else variance_and_no_bias)(X, gain, bias)

    verdict = judge(exercise, FunctionTransport(exercise, mixed), "numpy")
    assert (verdict.outcome, verdict.misconception) == ("rejected", None)


@pytest.mark.parametrize("name", ["layer_norm", "cosine_score", "decoder_step"])
def test_noise_gets_no_name(name):
    exercise = all_exercises()[name]
    rng = np.random.default_rng(1)

    def noisy(**inputs):
        found = exercise.reference(**inputs)
        parts = found if isinstance(found, tuple) else (found,)
        other = tuple(part + rng.normal(size=part.shape) for part in parts)
        return other if isinstance(found, tuple) else other[0]

    assert verdict_on(name, noisy).misconception is None


def test_a_constant_answer_gets_no_name_by_chance():
    verdict = verdict_on("query_weights", lambda y, state, outputs, **rest: np.ones(outputs.shape[:2]) * 0.25)
    assert verdict.misconception is None or JOINT not in verdict.misconception


def test_a_cluster_may_send_the_names_of_pairs_and_of_dropout_and_no_other():
    exercise = all_exercises()["dot_product_attention"]
    known = exercise.misconceptions[0].name
    assert is_known(exercise, "no_dropout")
    assert is_known(exercise, f"{known}{JOINT}edit:queries:negative_first")
    for name in ("made_up", f"{known}{JOINT}made_up", JOINT.join([known] * 3), ""):
        assert not is_known(exercise, name)
    assert cluster.is_known is is_known


def test_a_sign_that_a_quotient_loses_is_no_mistake():
    """Scores over their sum are also those of the other sign over theirs: nobody turned a sign."""
    pytest.importorskip("torch", reason="PyTorch is not installed.")

    def soft_context(features, scores):
        weights = scores / scores.sum(1, keepdim=True)
        return (weights[..., None] * features).sum(1), weights

    verdict = judge(all_exercises()["soft_context"], LocalTransport("torch", soft_context), "torch")
    assert verdict.outcome == "rejected" and "Two mistakes" not in verdict.message, verdict


def causal_too(scores, table):
    """Relative biases, and keys ahead masked, which nobody asks for."""
    biased = all_exercises()["relative_bias"].reference(scores, table)
    return np.where(np.tri(scores.shape[-1], dtype=bool), biased, -1e9)


def test_words_for_a_rejected_answer_cost_a_bounded_work_and_no_large_array(monkeypatch):
    """An exponential of the number of tokens asks for 22026 positions, and for a matrix of them."""
    computed = []
    compute = Exercise.compute
    monkeypatch.setattr(Exercise, "compute", lambda *given: computed.append(1) or compute(*given))
    tracemalloc.start()
    try:
        verdict = verdict_on("relative_bias", causal_too)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert (verdict.outcome, verdict.misconception) == ("rejected", None)
    assert most < 16 * 2**20 and len(computed) < WORK / CALLED


def test_a_search_ends_when_its_work_is_done(monkeypatch):
    """The same answer on any machine: what is computed is counted."""
    monkeypatch.setattr(pairs, "WORK", 100)
    assert verdict_on("layer_norm", variance_and_no_bias).misconception is None


def test_no_changed_function_makes_a_long_array_of_a_number():
    for name, lengths in MADE.items():
        given = [np.ones(2, dtype=int)] * (lengths.start or 0)
        with pytest.raises(ValueError, match="length"):
            getattr(SHORT["np"], name)(*given, np.exp(10.0))
    with pytest.raises(ValueError, match="length"):
        SHORT["range"](LONGEST + 1)
    assert SHORT["np"].arange(LONGEST).size == LONGEST
