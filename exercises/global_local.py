"""Exercises on global and local attention (Luong et al. 2015)."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np

from autograder.model.exercise import (
    Argument,
    Call,
    Case,
    Exercise,
    Misconception,
    Output,
    Parameter,
    Property,
)
from exercises.shared import (
    ALL,
    LOOP_IS_SHOWN,
    draw_lengths,
    draw_sizes,
    shared_anew,
    weight_outside,
    with_inputs,
)
from solutions.global_local.in_numpy import (
    attentional_state,
    concat_score,
    gaussian_factor,
    local_predictive,
    masked_weights,
    predicted_positions,
    window_mask,
    window_weights,
)
from solutions.masked_softmax.in_numpy import softmax

Array = np.ndarray

QUERIES = Argument("queries", "(batch, num_queries, d_q)")
SCORES = Argument("scores", "(batch, num_queries, num_keys)")
LENGTH = Argument("valid_length", "(batch,)")
WEIGHTS = Output("weights", "(batch, num_queries, num_keys)", exact_zeros=True, map=True)


# The score `concat`


def _concat(queries: Array, keys: Array, W_a: Array, v_a: Array, **sizes: int) -> Array:
    return concat_score(queries, keys, W_a, v_a)


def _hidden(queries: Array, keys: Array, W_a: Array) -> tuple[Array, Array]:
    """What W_a makes of queries and of keys, with axes for (batch, num_queries, num_keys, units)."""
    d_q = queries.shape[-1]
    return (queries @ W_a[:, :d_q].T)[:, :, None], (keys @ W_a[:, d_q:].T)[:, None]


def key_before_query(queries: Array, keys: Array, W_a: Array, v_a: Array, **sizes: int) -> Array:
    return np.swapaxes(concat_score(keys, queries, W_a, v_a), 1, 2)


def tanh_in_each_term(queries: Array, keys: Array, W_a: Array, v_a: Array, **sizes: int) -> Array:
    q, k = _hidden(queries, keys, W_a)
    return np.asarray(((np.tanh(q) + np.tanh(k)) @ v_a.T)[..., 0])


def tanh_left_out(queries: Array, keys: Array, W_a: Array, v_a: Array, **sizes: int) -> Array:
    q, k = _hidden(queries, keys, W_a)
    return np.asarray(((q + k) @ v_a.T)[..., 0])


def tanh_of_the_score(queries: Array, keys: Array, W_a: Array, v_a: Array, **sizes: int) -> Array:
    return np.asarray(np.tanh(tanh_left_out(queries, keys, W_a, v_a)))


def sigmoid_for_tanh(queries: Array, keys: Array, W_a: Array, v_a: Array, **sizes: int) -> Array:
    q, k = _hidden(queries, keys, W_a)
    return np.asarray((_sigmoid(q + k) @ v_a.T)[..., 0])


def weights_for_scores(queries: Array, keys: Array, W_a: Array, v_a: Array, **sizes: int) -> Array:
    return softmax(concat_score(queries, keys, W_a, v_a))


def _sigmoid(x: Array) -> Array:
    return np.asarray(1 / (1 + np.exp(-x)))


def _scored(hidden: Array, v_a: Array) -> Array:
    return np.asarray((hidden @ v_a.T)[..., 0])


def _paired(g: SimpleNamespace, which: Callable[[Array, int, int], tuple[Array, Array]]) -> Array:
    """Scores of pairs (query, key) that are chosen by their place among all m * n."""
    m, n = g.queries.shape[1], g.keys.shape[1]
    query, key = which(np.arange(m * n), m, n)
    return concat_score(g.queries, g.keys, g.W_a, g.v_a)[:, query, key].reshape(-1, m, n)


@with_inputs
def relu_for_tanh(g: SimpleNamespace) -> Array:
    return np.asarray(_scored(np.maximum(np.add(*_hidden(g.queries, g.keys, g.W_a)), 0), g.v_a))


@with_inputs
def tanh_of_the_inputs(g: SimpleNamespace) -> Array:
    return np.asarray(_scored(np.add(*_hidden(np.tanh(g.queries), np.tanh(g.keys), g.W_a)), g.v_a))


@with_inputs
def tanh_at_both_places(g: SimpleNamespace) -> Array:
    return np.asarray(np.tanh(concat_score(g.queries, g.keys, g.W_a, g.v_a)))


@with_inputs
def parts_multiplied(g: SimpleNamespace) -> Array:
    return np.asarray(_scored(np.tanh(np.multiply(*_hidden(g.queries, g.keys, g.W_a))), g.v_a))


@with_inputs
def queries_tiled(g: SimpleNamespace) -> Array:
    return np.asarray(_paired(g, lambda i, m, n: (i % m, i % n)))


@with_inputs
def pairs_reshaped(g: SimpleNamespace) -> Array:
    return np.asarray(_paired(g, lambda i, m, n: (i % m, i // m)))


@with_inputs
def query_left_out(g: SimpleNamespace) -> Array:
    return np.asarray(_scored(np.tanh(np.add(*_hidden(0 * g.queries, g.keys, g.W_a))), g.v_a))


@with_inputs
def half_of_the_sum(g: SimpleNamespace) -> Array:
    return np.asarray(_scored(np.tanh(np.add(*_hidden(g.queries, g.keys, g.W_a)) / 2), g.v_a))


@with_inputs
def last_axis_kept(g: SimpleNamespace) -> Array:
    return concat_score(g.queries, g.keys, g.W_a, g.v_a)[..., None]


@with_inputs
def key_subtracted(g: SimpleNamespace) -> Array:
    return concat_score(g.queries, -g.keys, g.W_a, g.v_a)


@with_inputs
def tanhs_multiplied(g: SimpleNamespace) -> Array:
    q, k = _hidden(g.queries, g.keys, g.W_a)
    return _scored(np.tanh(q) * np.tanh(k), g.v_a)


@with_inputs
def tanh_of_the_query_alone(g: SimpleNamespace) -> Array:
    q, k = _hidden(g.queries, g.keys, g.W_a)
    return _scored(np.tanh(q) + k, g.v_a)


@with_inputs
def tanh_of_the_key_alone(g: SimpleNamespace) -> Array:
    q, k = _hidden(g.queries, g.keys, g.W_a)
    return _scored(q + np.tanh(k), g.v_a)


@with_inputs
def tanh_before_and_behind_the_matrix(g: SimpleNamespace) -> Array:
    return concat_score(np.tanh(g.queries), np.tanh(g.keys), g.W_a, g.v_a)


@with_inputs
def keys_repeated(g: SimpleNamespace) -> Array:
    return _paired(g, lambda i, m, n: (i // n, i // m))


@with_inputs
def own_position_only(g: SimpleNamespace) -> Array:
    if g.queries.shape[1] != g.keys.shape[1]:
        raise ValueError("Queries and keys are joined one by one, so there must be as many.")
    return np.einsum("bii->bi", concat_score(g.queries, g.keys, g.W_a, g.v_a))


def _concat_cases(rng: np.random.Generator) -> list[Case]:
    def case(note: str, *typical: int, gradient: bool = False) -> Case:
        batch, m, n, d_q, d_k, units = draw_sizes(rng, *typical)
        inputs = {"queries": rng.normal(size=(batch, m, d_q)), "keys": rng.normal(size=(batch, n, d_k))}
        parameters = {
            "W_a": rng.normal(size=(units, d_q + d_k)) / np.sqrt((d_q + d_k) / 2),
            "v_a": rng.normal(size=(1, units)),
        }
        return Case(note, inputs, {"d_q": d_q, "d_k": d_k, "units": units}, parameters, gradient=gradient)

    return [
        case("queries and keys of one size", 2, 3, 5, 4, 4, 7, gradient=True),
        case("queries larger than keys", 2, 3, 5, 6, 4, 3, gradient=True),
        case("queries smaller than keys", 3, 4, 2, 2, 5, 6),
        case("a single query", 2, 1, 6, 3, 3, 5),
        case("a single key", 3, 2, 1, 5, 4, 2),
        case("as many queries as keys", 1, 4, 4, 3, 3, 8),
    ]


# The attentional hidden state


def _state(context: Array, queries: Array, W_c: Array, **sizes: int) -> Array:
    return attentional_state(context, queries, W_c)


def state_before_context(context: Array, queries: Array, W_c: Array, **sizes: int) -> Array:
    return attentional_state(queries, context, W_c)


def state_without_tanh(context: Array, queries: Array, W_c: Array, **sizes: int) -> Array:
    return np.asarray(np.concatenate([context, queries], axis=-1) @ W_c.T)


def tanh_before_the_matrix(context: Array, queries: Array, W_c: Array, **sizes: int) -> Array:
    return state_without_tanh(np.tanh(context), np.tanh(queries), W_c)


def context_and_state_apart(context: Array, queries: Array, W_c: Array, **sizes: int) -> Array:
    d_v = context.shape[-1]
    return np.asarray(np.tanh(context @ W_c[:, :d_v].T) + np.tanh(queries @ W_c[:, d_v:].T))


def sigmoid_of_the_state(context: Array, queries: Array, W_c: Array, **sizes: int) -> Array:
    return _sigmoid(state_without_tanh(context, queries, W_c))


def context_left_out(context: Array, queries: Array, W_c: Array, **sizes: int) -> Array:
    return attentional_state(np.zeros_like(context), queries, W_c)


@with_inputs
def relu_of_the_state(g: SimpleNamespace) -> Array:
    return np.asarray(np.maximum(np.concatenate([g.context, g.queries], axis=-1) @ g.W_c.T, 0))


@with_inputs
def tanh_twice(g: SimpleNamespace) -> Array:
    return np.asarray(np.tanh(np.tanh(np.concatenate([g.context, g.queries], axis=-1) @ g.W_c.T)))


@with_inputs
def tanh_inside_and_outside(g: SimpleNamespace) -> Array:
    return np.asarray(attentional_state(np.tanh(g.context), np.tanh(g.queries), g.W_c))


@with_inputs
def half_of_both_parts(g: SimpleNamespace) -> Array:
    return np.asarray(np.tanh(np.concatenate([g.context, g.queries], axis=-1) @ g.W_c.T / 2))


@with_inputs
def state_left_out(g: SimpleNamespace) -> Array:
    return np.asarray(attentional_state(g.context, 0 * g.queries, g.W_c))


@with_inputs
def softmax_of_the_state(g: SimpleNamespace) -> Array:
    return np.asarray(softmax(np.concatenate([g.context, g.queries], axis=-1) @ g.W_c.T))


def _state_parts(g: SimpleNamespace) -> tuple[Array, Array]:
    """What W_c makes of the context and of the decoder's state, each (batch, num_queries, units)."""
    d_v = g.context.shape[-1]
    return g.context @ g.W_c[:, :d_v].T, g.queries @ g.W_c[:, d_v:].T


@with_inputs
def parts_of_the_state_multiplied(g: SimpleNamespace) -> Array:
    return np.tanh(np.multiply(*_state_parts(g)))


@with_inputs
def state_subtracted(g: SimpleNamespace) -> Array:
    return np.tanh(np.subtract(*_state_parts(g)))


@with_inputs
def tanh_of_the_context_alone(g: SimpleNamespace) -> Array:
    context, state = _state_parts(g)
    return np.asarray(np.tanh(context) + state)


@with_inputs
def tanh_of_the_state_alone(g: SimpleNamespace) -> Array:
    context, state = _state_parts(g)
    return np.asarray(context + np.tanh(state))


@with_inputs
def context_twice(g: SimpleNamespace) -> Array:
    return attentional_state(g.context, g.context, g.W_c)


@with_inputs
def state_twice(g: SimpleNamespace) -> Array:
    return attentional_state(g.queries, g.queries, g.W_c)


@with_inputs
def cut_off_for_tanh(g: SimpleNamespace) -> Array:
    return np.clip(np.add(*_state_parts(g)), -1, 1)


def _state_cases(rng: np.random.Generator) -> list[Case]:
    def case(note: str, *typical: int, gradient: bool = False) -> Case:
        batch, m, d_v, d_q, units = draw_sizes(rng, *typical)
        inputs = {"context": rng.normal(size=(batch, m, d_v)), "queries": rng.normal(size=(batch, m, d_q))}
        parameters = {"W_c": rng.normal(size=(units, d_v + d_q)) / np.sqrt((d_v + d_q) / 2)}
        return Case(note, inputs, {"d_v": d_v, "d_q": d_q, "units": units}, parameters, gradient=gradient)

    return [
        case("context and state of one size", 2, 3, 4, 4, 7, gradient=True),
        case("a context larger than the state", 2, 3, 6, 4, 5, gradient=True),
        case("a context smaller than the state", 3, 2, 2, 5, 3),
        case("one step at a time", 4, 1, 3, 5, 8),
        case("one batch element", 1, 5, 3, 3, 2),
    ]


# The window


def _window(
    scores: Array,
    positions: Array,
    valid_length: Array,
    near: Callable[[Array], Array],
) -> Array:
    """Softmax over the words whose signed distance from the position is near enough."""
    keys = np.arange(scores.shape[-1])
    mask = near(keys - positions[:, :, None]) & (keys < valid_length[:, None, None])
    return masked_weights(scores, mask)


def half_the_window(scores: Array, positions: Array, valid_length: Array, D: int) -> Array:
    return _window(scores, positions, valid_length, lambda distance: np.abs(distance) <= D / 2)


def both_ends_left_out(scores: Array, positions: Array, valid_length: Array, D: int) -> Array:
    return _window(scores, positions, valid_length, lambda distance: np.abs(distance) < D)


def right_end_left_out(scores: Array, positions: Array, valid_length: Array, D: int) -> Array:
    return _window(scores, positions, valid_length, lambda distance: (distance >= -D) & (distance < D))


def left_side_only(scores: Array, positions: Array, valid_length: Array, D: int) -> Array:
    return _window(scores, positions, valid_length, lambda distance: (distance >= -D) & (distance <= 0))


def position_rounded(scores: Array, positions: Array, valid_length: Array, D: int) -> Array:
    return window_weights(scores, np.round(positions), valid_length, D)


def position_cut_off(scores: Array, positions: Array, valid_length: Array, D: int) -> Array:
    return window_weights(scores, np.floor(positions), valid_length, D)


def window_pushed_inside(scores: Array, positions: Array, valid_length: Array, D: int) -> Array:
    last = valid_length[:, None] - 1
    inside = np.maximum(np.minimum(positions, last - D), D)
    return window_weights(scores, inside, valid_length, D)


def softmax_before_window(scores: Array, positions: Array, valid_length: Array, D: int) -> Array:
    words = np.broadcast_to(np.arange(scores.shape[-1]) < valid_length[:, None, None], scores.shape)
    weights = masked_weights(scores, words)
    return np.asarray(weights * window_mask(positions, valid_length, scores.shape[-1], D))


def renormalised_too_late(scores: Array, positions: Array, valid_length: Array, D: int) -> Array:
    return shared_anew(softmax(scores) * window_mask(positions, valid_length, scores.shape[-1], D))


def outside_scores_zero(scores: Array, positions: Array, valid_length: Array, D: int) -> Array:
    """The words beyond the ends take part with a score of 0, as zero padding does."""
    mask = window_mask(positions, valid_length, scores.shape[-1], D)
    width = np.floor(positions + D) - np.ceil(positions - D) + 1
    exps = np.where(mask, np.exp(np.where(mask, scores, 0)), 0)
    missing = width[:, :, None] - mask.sum(axis=-1, keepdims=True)
    weights: Array = exps / (exps.sum(axis=-1, keepdims=True) + missing)
    return weights


def padding_in_the_window(scores: Array, positions: Array, valid_length: Array, D: int) -> Array:
    return window_weights(scores, positions, np.full_like(valid_length, scores.shape[-1]), D)


def empty_window_is_uniform(scores: Array, positions: Array, valid_length: Array, D: int) -> Array:
    return softmax(np.where(window_mask(positions, valid_length, scores.shape[-1], D), scores, -1e6))


def _inside(g: SimpleNamespace) -> Array:
    return window_mask(g.positions, g.valid_length, g.scores.shape[-1], g.D)


def _near_only(g: SimpleNamespace) -> Array:
    return padding_in_the_window(g.scores, g.positions, g.valid_length, g.D)


@with_inputs
def right_side_only(g: SimpleNamespace) -> Array:
    return np.asarray(
        _window(g.scores, g.positions, g.valid_length, lambda distance: (distance >= 0) & (distance <= g.D))
    )


@with_inputs
def left_end_left_out(g: SimpleNamespace) -> Array:
    return np.asarray(
        _window(g.scores, g.positions, g.valid_length, lambda distance: (distance > -g.D) & (distance <= g.D))
    )


@with_inputs
def left_side_unbounded(g: SimpleNamespace) -> Array:
    return np.asarray(_window(g.scores, g.positions, g.valid_length, lambda distance: distance <= g.D))


@with_inputs
def one_word_wider(g: SimpleNamespace) -> Array:
    return np.asarray(window_weights(g.scores, g.positions, g.valid_length, g.D + 1))


@with_inputs
def window_left_out_of_the_mask(g: SimpleNamespace) -> Array:
    return np.asarray(_window(g.scores, g.positions, g.valid_length, lambda distance: distance == distance))


@with_inputs
def window_inverted(g: SimpleNamespace) -> Array:
    return np.asarray(_window(g.scores, g.positions, g.valid_length, lambda distance: np.abs(distance) > g.D))


@with_inputs
def one_word_beyond_the_sentence(g: SimpleNamespace) -> Array:
    return np.asarray(window_weights(g.scores, g.positions, g.valid_length + 1, g.D))


@with_inputs
def words_counted_from_one(g: SimpleNamespace) -> Array:
    return np.asarray(
        _window(g.scores, g.positions - 1, g.valid_length, lambda distance: np.abs(distance) <= g.D)
    )


@with_inputs
def position_rounded_up(g: SimpleNamespace) -> Array:
    return np.asarray(window_weights(g.scores, np.ceil(g.positions), g.valid_length, g.D))


@with_inputs
def position_pushed_inside(g: SimpleNamespace) -> Array:
    return np.asarray(
        window_weights(g.scores, np.clip(g.positions, 0, g.valid_length[:, None] - 1), g.valid_length, g.D)
    )


@with_inputs
def softmax_before_all_masks(g: SimpleNamespace) -> Array:
    return np.asarray(softmax(g.scores) * _inside(g))


@with_inputs
def length_after_softmax(g: SimpleNamespace) -> Array:
    return np.asarray(_near_only(g) * _inside(g))


@with_inputs
def masked_with_zero(g: SimpleNamespace) -> Array:
    return np.asarray(softmax(g.scores * _inside(g)))


@with_inputs
def masked_with_zero_then_cleared(g: SimpleNamespace) -> Array:
    return np.asarray(softmax(g.scores * _inside(g)) * _inside(g))


@with_inputs
def empty_window_is_nan(g: SimpleNamespace) -> Array:
    return np.asarray(softmax(np.where(_inside(g), g.scores, -np.inf)))


@with_inputs
def empty_window_is_the_sentence(g: SimpleNamespace) -> Array:
    return np.asarray(
        np.where(
            _inside(g).any(axis=-1, keepdims=True),
            window_weights(g.scores, g.positions, g.valid_length, g.D),
            _window(g.scores, g.positions, g.valid_length, lambda distance: distance == distance),
        )
    )


@with_inputs
def renormalised_until_nan(g: SimpleNamespace) -> Array:
    return np.asarray(
        softmax(g.scores) * _inside(g) / (softmax(g.scores) * _inside(g)).sum(axis=-1, keepdims=True)
    )


def _weights_stay_inside(run: Call, case: Case) -> str | None:
    weights = run(case)[0]
    inputs = case.inputs
    mask = window_mask(inputs["positions"], inputs["valid_length"], weights.shape[-1], inputs["D"])
    return weight_outside(weights, mask, "outside")


def _window_rows_sum_to_one(run: Call, case: Case) -> str | None:
    weights, inputs = run(case)[0], case.inputs
    mask = window_mask(inputs["positions"], inputs["valid_length"], weights.shape[-1], inputs["D"])
    sums = weights.astype(np.float64).sum(axis=-1)
    wrong = mask.any(axis=-1) & ~np.isclose(sums, 1, atol=1e-3)
    if not wrong.any():
        return None
    place = tuple(map(int, np.argwhere(wrong)[0]))
    return f"Row {place} sums to {sums[place]:.4f}."


def _window_cases(rng: np.random.Generator) -> list[Case]:
    def case(
        note: str,
        typical: tuple[int, int, int],
        D: int,
        place: Callable[[Array, Array], Array],
        shortest: int = 1,
        among: tuple[int, ...] = (),
        far: float = 0.0,
        gradient: bool = False,
    ) -> Case:
        """place: positions from lengths (batch, 1) and numbers from 0.1 to 0.9, (batch, num_queries)."""
        batch, m, n = draw_sizes(rng, *typical)
        lengths = draw_lengths(rng, n, batch, least=shortest, among=among)
        inputs = {
            "scores": 2 * rng.normal(size=(batch, m, n)) + (far or 0.5),
            "positions": place(lengths[:, None], rng.uniform(0.1, 0.9, size=(batch, m))),
            "valid_length": lengths,
            "D": D,
        }
        return Case(note, inputs, gradient=gradient)

    def step(length: Array, u: Array) -> Array:
        return np.arange(u.shape[1]) + 0 * length

    def word(length: Array, u: Array) -> Array:
        return np.floor(u * length).astype(int)

    def between(length: Array, u: Array) -> Array:
        return word(length, rng.permuted(u)) + u

    def at_an_end(length: Array, u: Array) -> Array:
        return np.where(rng.permuted(np.arange(u.size) % 2).reshape(u.shape) > 0, u, length - u)

    def first_or_last(length: Array, u: Array) -> Array:
        return np.floor(at_an_end(length, u))

    loud = case("scores outside far above those inside", (2, 3, 9), 1, word, 4)
    window = window_mask(
        loud.inputs["positions"], loud.inputs["valid_length"], loud.inputs["scores"].shape[2], 1
    )
    loud.inputs["scores"][~window] += 1000
    return [
        case(
            "each position in the middle of its sentence",
            (2, 3, 9),
            2,
            lambda length, u: 2 + word(length - 4, u),
            7,
            gradient=True,
        ),
        case("p_t = t, clipped at the left end", (1, 4, 8), 2, step, 5),
        case("windows clipped at both ends", (3, 2, 7), 3, first_or_last, 3),
        case("real positions", (2, 3, 9), 2, between, 7, gradient=True),
        case("real positions near the ends", (2, 2, 6), 1, at_an_end, 4, gradient=True),
        case("a window wider than the sentence", (2, 3, 5), int(rng.integers(8, 12)), word, 3),
        case("a target longer than its source: empty windows", (2, 6, 6), 1, step, among=(2, 3)),
        case("a position beyond the last word", (2, 2, 7), 1, lambda length, u: length - u, 5),
        case("a sentence of one word", (2, 1, 4), 2, between, among=(1, ALL)),
        case("scores near 800", (1, 3, 8), 2, word, 5, far=800.0),
        case("scores near -60", (1, 3, 8), 2, word, 5, far=-60.0),
        case("a wide window", (2, 2, 14), 5, between, 12),
        loud,
    ]


# The predicted position and its Gaussian. Each function takes a case's arrays and numbers by name.

Pair = tuple[Array, Array]


def _local_p(**given: Any) -> Pair:
    names = ("queries", "scores", "valid_length", "D", "W_p", "v_p")
    return local_predictive(*(given[name] for name in names))


def _p(given: dict[str, Any]) -> Array:
    return predicted_positions(given["queries"], given["valid_length"], given["W_p"], given["v_p"])


def _distance(positions: Array, scores: Array) -> Array:
    return np.asarray(np.arange(scores.shape[-1]) - positions[:, :, None])


def _around(positions: Array, given: dict[str, Any]) -> Pair:
    """Window and Gaussian around positions that were found in another way."""
    scores, D = given["scores"], given["D"]
    weights = window_weights(scores, positions, given["valid_length"], D)
    return weights * gaussian_factor(_distance(positions, scores), D), positions


def _with_variance(variance: float, given: dict[str, Any]) -> Pair:
    """The right window, under a Gaussian of another variance."""
    positions, scores = _p(given), given["scores"]
    weights = window_weights(scores, positions, given["valid_length"], given["D"])
    return weights * np.exp(-(_distance(positions, scores) ** 2) / (2 * variance)), positions


def sigma_is_D(**given: Any) -> Pair:
    return _with_variance(given["D"] ** 2, given)


def variance_is_half_D(**given: Any) -> Pair:
    return _with_variance(given["D"] / 2, given)


def two_left_out(**given: Any) -> Pair:
    return _with_variance((given["D"] / 2) ** 2 / 2, given)


def gaussian_left_out(**given: Any) -> Pair:
    return _with_variance(np.inf, given)


def gaussian_on_the_scores(**given: Any) -> Pair:
    positions, scores, D = _p(given), given["scores"], given["D"]
    damped = scores * gaussian_factor(_distance(positions, scores), D)
    return window_weights(damped, positions, given["valid_length"], D), positions


def normalised_again(**given: Any) -> Pair:
    weights, positions = _local_p(**given)
    return weights / weights.sum(axis=-1, keepdims=True), positions


def window_left_out(**given: Any) -> Pair:
    positions, scores, num_keys = _p(given), given["scores"], given["scores"].shape[-1]
    everything = window_weights(scores, positions, given["valid_length"], num_keys)
    return everything * gaussian_factor(_distance(positions, scores), given["D"]), positions


def window_after_softmax(**given: Any) -> Pair:
    weights, positions = window_left_out(**given)
    return weights * window_mask(positions, given["valid_length"], weights.shape[-1], given["D"]), positions


def length_minus_one(**given: Any) -> Pair:
    return _around(_p({**given, "valid_length": given["valid_length"] - 1}), given)


def length_of_the_padded_row(**given: Any) -> Pair:
    padded = np.full_like(given["valid_length"], given["scores"].shape[-1])
    return _around(_p({**given, "valid_length": padded}), given)


def padded_row_throughout(**given: Any) -> Pair:
    padded = np.full_like(given["valid_length"], given["scores"].shape[-1])
    return _local_p(**{**given, "valid_length": padded})


def length_left_out(**given: Any) -> Pair:
    return _around(_p({**given, "valid_length": np.ones_like(given["valid_length"])}), given)


def inner_tanh_left_out(**given: Any) -> Pair:
    logits = (given["queries"] @ given["W_p"].T @ given["v_p"].T)[..., 0]
    return _around(given["valid_length"][:, None] * _sigmoid(logits), given)


def predicted_position_rounded(**given: Any) -> Pair:
    return _around(np.round(_p(given)), given)


def _logits(g: SimpleNamespace) -> Array:
    return np.asarray((np.tanh(g.queries @ g.W_p.T) @ g.v_p.T)[..., 0])


def _near(g: SimpleNamespace) -> Array:
    return window_mask(_p(vars(g)), g.valid_length, g.scores.shape[-1], g.D)


def _shaped(g: SimpleNamespace, factor: Callable[[Array], Array]) -> Pair:
    """The right window and positions, with another factor of the distance."""
    positions = _p(vars(g))
    weights = window_weights(g.scores, positions, g.valid_length, g.D)
    return weights * factor(_distance(positions, g.scores)), positions


def _around_with_length(g: SimpleNamespace) -> Pair:
    """The right positions, and a window that padding may enter."""
    everything = np.full_like(g.valid_length, g.scores.shape[-1])
    return _around(_p(vars(g)), {**vars(g), "valid_length": everything})


@with_inputs
def distance_not_squared(g: SimpleNamespace) -> Pair:
    return _shaped(g, lambda distance: np.exp(-np.abs(distance) / (2 * (g.D / 2) ** 2)))


@with_inputs
def factor_of_the_density(g: SimpleNamespace) -> Pair:
    return _shaped(g, lambda distance: gaussian_factor(distance, g.D) / (g.D / 2 * np.sqrt(2 * np.pi)))


@with_inputs
def variance_is_D(g: SimpleNamespace) -> Pair:
    return _with_variance(g.D, vars(g))


@with_inputs
def sigma_is_D_and_two_left_out(g: SimpleNamespace) -> Pair:
    return _with_variance(g.D**2 / 2, vars(g))


@with_inputs
def padding_let_in(g: SimpleNamespace) -> Pair:
    return _around_with_length(g)


@with_inputs
def window_after_softmax_over_padding(g: SimpleNamespace) -> Pair:
    return (
        softmax(g.scores) * _near(g) * gaussian_factor(_distance(_p(vars(g)), g.scores), g.D),
        _p(vars(g)),
    )


@with_inputs
def tanh_for_sigmoid(g: SimpleNamespace) -> Pair:
    return _around(g.valid_length[:, None] * np.tanh(_logits(g)), vars(g))


@with_inputs
def sigmoid_left_out(g: SimpleNamespace) -> Pair:
    return _around(g.valid_length[:, None] * _logits(g), vars(g))


@with_inputs
def position_of_the_mean_query(g: SimpleNamespace) -> Pair:
    return _around(_p({**vars(g), "queries": g.queries * 0 + g.queries.mean(axis=1, keepdims=True)}), vars(g))


@with_inputs
def sigmoid_for_the_inner_tanh(g: SimpleNamespace) -> Pair:
    return _around(
        g.valid_length[:, None] * _sigmoid((_sigmoid(g.queries @ g.W_p.T) @ g.v_p.T)[..., 0]), vars(g)
    )


@with_inputs
def relu_for_the_inner_tanh(g: SimpleNamespace) -> Pair:
    return _around(
        g.valid_length[:, None] * _sigmoid((np.maximum(g.queries @ g.W_p.T, 0) @ g.v_p.T)[..., 0]), vars(g)
    )


@with_inputs
def predicted_position_cut_off(g: SimpleNamespace) -> Pair:
    return _around(np.floor(_p(vars(g))), vars(g))


@with_inputs
def gaussian_alone(g: SimpleNamespace) -> Pair:
    return (gaussian_factor(_distance(_p(vars(g)), g.scores), g.D) * _near(g), _p(vars(g)))


def _weights_stay_near(run: Call, case: Case) -> str | None:
    weights, positions = run(case)
    mask = window_mask(positions, case.inputs["valid_length"], weights.shape[-1], case.settings["D"])
    return weight_outside(weights, mask, "outside")


def _positions_in_the_sentence(run: Call, case: Case) -> str | None:
    _, positions = run(case)
    lengths = case.inputs["valid_length"][:, None]
    wrong = (positions < 0) | (positions > lengths)
    if not wrong.any():
        return None
    place = tuple(map(int, np.argwhere(wrong)[0]))
    return f"Position {place} is {positions[place]:.4g}, in a sentence of length {lengths[place[0], 0]}."


def _local_p_cases(rng: np.random.Generator) -> list[Case]:
    def case(
        note: str,
        typical: tuple[int, int, int],
        shortest: int,
        d_q: int,
        units: int,
        D: int,
        gradient: bool = False,
    ) -> Case:
        shape, (d_q, units) = draw_sizes(rng, *typical), draw_sizes(rng, d_q, units)
        batch, m, n = shape
        valid_length = draw_lengths(rng, n, batch, least=shortest)
        while True:
            queries = rng.normal(size=(batch, m, d_q))
            parameters = {
                "W_p": 1.5 * rng.normal(size=(units, d_q)) / np.sqrt(d_q),
                "v_p": 1.5 * rng.normal(size=(1, units)) / np.sqrt(units),
            }
            # A word enters or leaves the window where a position is whole: too close to call in float32.
            part = predicted_positions(queries, valid_length, parameters["W_p"], parameters["v_p"]) % 1
            if ((part > 0.03) & (part < 0.97)).all():
                break
        inputs = {"queries": queries, "scores": 2 * rng.normal(size=shape), "valid_length": valid_length}
        return Case(note, inputs, {"d_q": d_q, "units": units, "D": D}, parameters, gradient=gradient)

    return [
        case("D = 1", (2, 3, 8), 5, 4, 6, 1, gradient=True),
        case("D = 2", (2, 4, 11), 9, 4, 3, 2),
        case("D = 3", (2, 3, 13), 10, 5, 7, 3, gradient=True),
        case("D = 5, a long sentence", (1, 5, 24), 20, 3, 8, 5),
        case("one query for each sentence", (3, 1, 9), 1, 6, 4, 2),
        case("a window wider than the sentence", (2, 2, 6), 2, 3, 5, int(rng.integers(9, 12))),
    ]


POSITIONS = Output("positions", "(batch, num_queries)")

EXERCISES = (
    Exercise(
        name="luong_concat",
        title="The score called concat",
        statement="Write the score *concat* as a layer: a score for every query with every key. The query comes first in the joined vector.",
        rules=(
            (
                "Its parameters are `W_a.weight (units, d_q + d_k)` and `v_a.weight (1, units)`; neither has "
                "a bias."
            ),
        ),
        entry="LuongConcat",
        is_class=True,
        settings=(Argument("d_q", "int"), Argument("d_k", "int"), Argument("units", "int")),
        arguments=(QUERIES, Argument("keys", "(batch, num_keys, d_k)")),
        returns=(Output("scores", "(batch, num_queries, num_keys)", map=True),),
        parameters={
            "W_a": Parameter("W_a.weight", "(units, d_q + d_k)"),
            "v_a": Parameter("v_a.weight", "(1, units)"),
        },
        reference=_concat,
        misconceptions=(
            Misconception(
                key_before_query,
                "The key stands before the query, so each half of W_a meets the wrong vector: "
                "the paper writes [h_t; h_s], the query first.",
            ),
            Misconception(
                tanh_in_each_term,
                "The tanh is taken of query and key apart, and then they are added. So the query's term is "
                "the same for every key, and the softmax cancels it: take one tanh of W_a [h_t; h_s].",
            ),
            Misconception(
                tanh_left_out,
                "There is no tanh. Without it query and key only add up, "
                "and the query cannot change which key wins.",
            ),
            Misconception(
                tanh_of_the_score,
                "The tanh comes last, so no score leaves [-1, 1]: it belongs between W_a and v_a.",
            ),
            Misconception(
                sigmoid_for_tanh,
                "A sigmoid stands where the paper has a tanh: its values are never negative.",
            ),
            Misconception(
                relu_for_tanh, "A ReLU stands where the paper has a tanh: it cuts off all that is negative."
            ),
            Misconception(
                tanh_of_the_inputs,
                "The tanh is taken of query and key, before W_a: it belongs between W_a and v_a.",
            ),
            Misconception(
                tanh_at_both_places,
                "A second tanh comes after v_a, so no score leaves [-1, 1]: one, between W_a and v_a, is enough.",
            ),
            Misconception(
                parts_multiplied,
                "What W_a makes of query and key is multiplied. Of a concatenation it is the sum of the two.",
            ),
            Misconception(
                queries_tiled,
                "The queries are tiled where each of them should be repeated, so most pairs hold the wrong query. "
                "Give the queries an axis for the keys, and repeat along it.",
            ),
            Misconception(
                pairs_reshaped,
                "The scores are made key by key and then reshaped to (num_queries, num_keys), which mixes them: a "
                "transpose swaps the two axes.",
            ),
            Misconception(query_left_out, "The query has no effect, so every query scores the keys alike."),
            Misconception(
                half_of_the_sum,
                "The mean of what W_a makes of query and key goes into the tanh: a concatenation gives their sum.",
            ),
            Misconception(
                weights_for_scores,
                "These are weights already. The softmax over the keys comes later: return the scores.",
            ),
            Misconception(
                last_axis_kept,
                "The scores are right, but they keep a last axis of size 1, which v_a leaves: take it away, with squeeze(-1).",
            ),
            Misconception(
                key_subtracted,
                "The key is subtracted: [h_t; h_s] is multiplied by W_a as it is, so what W_a makes of query and key is added.",
            ),
            Misconception(
                tanhs_multiplied,
                "Query and key each get a tanh of their own, and the two are multiplied: take one tanh, of W_a [h_t; h_s].",
            ),
            Misconception(
                tanh_of_the_query_alone,
                "The tanh is taken of the query's part alone, and the key's is added outside: it is taken of their sum, W_a [h_t; h_s].",
            ),
            Misconception(
                tanh_of_the_key_alone,
                "The tanh is taken of the key's part alone, and the query's is added outside: it is taken of their sum, W_a [h_t; h_s].",
            ),
            Misconception(
                tanh_before_and_behind_the_matrix,
                "A tanh is taken of query and key too, before W_a: one, between W_a and v_a, is enough.",
            ),
            Misconception(
                keys_repeated,
                "The keys are repeated one by one where the whole row of keys should be, so most pairs hold the wrong key. Give the keys an axis for the queries, and repeat along it.",
            ),
            Misconception(
                own_position_only,
                "Each query meets only the key at its own position, so there must be as many keys as queries. Every query meets every key: give both an axis for the other.",
            ),
        ),
        hints=(
            "For each pair, the query and the key stand one after the other in one longer vector.",
            "Give the queries an axis for the keys and repeat them along it; give the keys one for the "
            "queries. Only then can the two be joined along the features.",
            "`queries.unsqueeze(2).expand(-1, -1, n, -1)` and `keys.unsqueeze(1).expand(-1, m, -1, -1)`, "
            "joined by `torch.cat(…, dim=-1)`; in MXNet `repeat` or `broadcast_to`, and `nd.concat`. Then "
            "`W_a`, tanh, `v_a`, and the last axis is removed.",
        ),
        cases=_concat_cases,
        difficulty=3,
        minutes=15,
        points=2,
    ),
    Exercise(
        name="attentional_state",
        title="The attentional hidden state",
        statement="Write equation 5 of the paper, the attentional hidden state, as a layer: the context comes first, then the decoder's state, which is `queries`.",
        rules=("Its parameter is `W_c.weight (units, d_v + d_q)`, without a bias.",),
        entry="AttentionalState",
        is_class=True,
        settings=(Argument("d_v", "int"), Argument("d_q", "int"), Argument("units", "int")),
        arguments=(Argument("context", "(batch, num_queries, d_v)"), QUERIES),
        returns=(Output("state", "(batch, num_queries, units)"),),
        parameters={"W_c": Parameter("W_c.weight", "(units, d_v + d_q)")},
        reference=_state,
        misconceptions=(
            Misconception(
                state_before_context,
                "The decoder's state stands before the context, so each half of W_c meets the wrong vector: "
                "the paper writes [c_t; h_t].",
            ),
            Misconception(
                state_without_tanh,
                "There is no tanh around W_c [c_t; h_t], so the state that goes on is not bounded.",
            ),
            Misconception(
                tanh_before_the_matrix,
                "The tanh is taken of context and state, before W_c: it belongs around the product.",
            ),
            Misconception(
                context_and_state_apart,
                "Context and state each get a tanh of their own and are then added: "
                "take one tanh of W_c [c_t; h_t].",
            ),
            Misconception(sigmoid_of_the_state, "A sigmoid stands where the paper has a tanh."),
            Misconception(
                relu_of_the_state,
                "A ReLU stands where the paper has a tanh, so the state that goes on is not bounded.",
            ),
            Misconception(tanh_twice, "The tanh is taken twice: once, around W_c [c_t; h_t], is enough."),
            Misconception(
                tanh_inside_and_outside,
                "Context and state go through a tanh before W_c too: one, around the product, is enough.",
            ),
            Misconception(
                half_of_both_parts,
                "The mean of what W_c makes of context and state goes into the tanh: a concatenation gives their "
                "sum.",
            ),
            Misconception(
                state_left_out, "The decoder's state has no effect: only the context's half of W_c is used."
            ),
            Misconception(
                softmax_of_the_state,
                "A softmax stands where the paper has a tanh: a state is no set of weights.",
            ),
            Misconception(
                context_left_out,
                "The context has no effect: only the decoder's own half of W_c is used.",
            ),
            Misconception(
                parts_of_the_state_multiplied,
                "What W_c makes of context and state is multiplied. Of a concatenation it is the sum of the two.",
            ),
            Misconception(
                state_subtracted,
                "The decoder's state is subtracted: what W_c makes of context and state is added, as the product with a concatenation does.",
            ),
            Misconception(
                tanh_of_the_context_alone,
                "The tanh is taken of the context's part alone, and the state's is added outside: it is taken of their sum, W_c [c_t; h_t].",
            ),
            Misconception(
                tanh_of_the_state_alone,
                "The tanh is taken of the state's part alone, and the context's is added outside: it is taken of their sum, W_c [c_t; h_t].",
            ),
            Misconception(
                context_twice,
                "The context is joined with itself, so the decoder's state has no effect: join it with `queries`.",
            ),
            Misconception(
                state_twice,
                "The decoder's state is joined with itself, so the context has no effect: join `context` with it.",
            ),
            Misconception(
                cut_off_for_tanh,
                "The product is cut off at -1 and 1 where the paper has a tanh, so no gradient passes beyond.",
            ),
        ),
        hints=(
            "One layer without a bias, on two vectors that are joined.",
            "The order is part of the task: the context first, then the decoder's state.",
            "Join along the last axis, apply `W_c`, then tanh.",
        ),
        cases=_state_cases,
        difficulty=1,
        minutes=10,
        points=1,
    ),
    Exercise(
        name="window_weights",
        title="Softmax over a window",
        statement=(
            "Write the softmax over the words that lie within `D` of each query's position and inside the "
            "sentence. All other weights are exactly zero, and a window without any word has weights of "
            "zero."
        ),
        rules=("No loop over queries.", LOOP_IS_SHOWN),
        no_loop=True,
        entry="window_weights",
        arguments=(
            SCORES,
            Argument("positions", "(batch, num_queries), whole or real numbers"),
            LENGTH,
            Argument("D", "int"),
        ),
        returns=(WEIGHTS,),
        reference=window_weights,
        misconceptions=(
            Misconception(
                half_the_window,
                "The window reaches D / 2 to each side. It must reach D to each side and hold 2D + 1 words.",
            ),
            Misconception(
                both_ends_left_out,
                "The words at a distance of exactly D are missing: "
                "the window [p_t - D, p_t + D] holds its two ends, so use <=.",
            ),
            Misconception(
                right_end_left_out,
                "The last word of the window is missing. A slice stops before its end, so p_t - D : p_t + D "
                "holds 2D words: go on to p_t + D itself.",
            ),
            Misconception(
                left_side_only,
                "Only the words up to p_t are in the window. "
                "The whole source is known, so the window reaches D to both sides.",
            ),
            Misconception(
                position_rounded,
                "The position is rounded first. It is a real number, and a word s counts if |s - p_t| <= D.",
            ),
            Misconception(
                position_cut_off,
                "The position is cut down to a whole number first. It is a real number, "
                "and a word s counts if |s - p_t| <= D.",
            ),
            Misconception(
                window_pushed_inside,
                "At the ends of the sentence the window is pushed inside to keep its 2D + 1 words. "
                "It stays where it is, and what hangs over the end is left out.",
            ),
            Misconception(
                renormalised_too_late,
                "The window comes after the softmax, and each row is divided by its sum: where a word outside "
                "scores far above the rest, nothing is left to divide. Mask the scores, then take the softmax.",
            ),
            Misconception(
                right_side_only, "Only the words from p_t on are in the window: it reaches D to both sides."
            ),
            Misconception(
                left_end_left_out,
                "The first word of the window is missing: the window [p_t - D, p_t + D] holds its two ends, so use "
                ">=.",
            ),
            Misconception(
                left_side_unbounded,
                "The distance is taken with its sign, so every word before the window counts as near: take its "
                "absolute value.",
            ),
            Misconception(
                one_word_wider, "The window reaches D + 1 to each side: a word counts if |s - p_t| <= D."
            ),
            Misconception(
                window_left_out_of_the_mask,
                "There is no window: every word of the sentence takes part. Only those with |s - p_t| <= D count.",
            ),
            Misconception(
                window_inverted,
                "The window is inverted: the words outside it get the weight. Check what true means where you fill.",
            ),
            Misconception(
                one_word_beyond_the_sentence,
                "One word of padding is let in. Positions count from 0, so a word is real when its position is < "
                "valid_length.",
            ),
            Misconception(
                words_counted_from_one,
                "The words are counted from 1, so the window stands one word too far to the left: the first word "
                "has position 0.",
            ),
            Misconception(
                position_rounded_up,
                "The position is rounded up first. It is a real number, and a word s counts if |s - p_t| <= D.",
            ),
            Misconception(
                position_pushed_inside,
                "A position beyond the sentence is pushed to the last word. It stays where it is, and its window "
                "may be empty.",
            ),
            Misconception(
                softmax_before_all_masks,
                "The softmax runs over all keys, padding included, and the mask comes after it, so the weights "
                "inside do not sum to 1: mask first.",
            ),
            Misconception(
                length_after_softmax,
                "The window is chosen before the softmax, but padding is left out only after it, so a window at the "
                "end does not sum to 1. Combine both conditions first.",
            ),
            Misconception(
                masked_with_zero,
                "Scores outside become 0, and exp(0) is 1: they still get weight. Fill them with a large negative "
                "number.",
            ),
            Misconception(
                masked_with_zero_then_cleared,
                "Scores outside become 0, and exp(0) is 1: they take part in the sum before they are cleared. Fill "
                "them with a large negative number.",
            ),
            Misconception(
                empty_window_is_nan,
                "A window without any word is NaN: all its scores are minus infinity, and 0 is divided by 0. Its "
                "weights must be 0.",
            ),
            Misconception(
                empty_window_is_the_sentence,
                "A window without any word falls back to the whole sentence. Its weights must be 0.",
            ),
            Misconception(
                renormalised_until_nan,
                "The window comes after the softmax, and each row is divided by its sum. That sum is 0 in an empty "
                "window, or where a word outside scores far above the rest: NaN. Mask the scores, then take the "
                "softmax.",
            ),
            Misconception(
                softmax_before_window,
                "The softmax runs over the whole sentence and the window comes after it, "
                "so the weights inside do not sum to 1: choose the window first.",
            ),
            Misconception(
                outside_scores_zero,
                "Places beyond the ends of the sentence take part with a score of 0, and exp(0) is 1: "
                "they take weight from the words. Mask them.",
            ),
            Misconception(
                padding_in_the_window,
                "valid_length has no effect: padding inside the window gets weight.",
            ),
            Misconception(
                empty_window_is_uniform,
                "A window without any word spreads its weight evenly over everything. Its weights must be 0.",
            ),
        ),
        hints=(
            "A key counts if two things hold: it lies at most D away from the query's position, and it "
            "lies inside the sentence.",
            "Compute the distance of every key to every position, `(batch, num_queries, num_keys)`, and "
            "make one mask of the two conditions. Then it is the masked softmax, without a loop.",
            "`inside = (distance.abs() <= D) & (keys < length)`. Fill the scores outside with `-1e6`, "
            "take the softmax, and multiply by inside, so that a window without any word has weights of "
            "zero.",
        ),
        cases=_window_cases,
        properties=(
            Property("nothing outside the window or the sentence may get weight", _weights_stay_inside),
            Property("the weights of a window that holds a word must sum to 1", _window_rows_sum_to_one),
        ),
        difficulty=3,
        minutes=20,
        points=2,
    ),
    Exercise(
        name="local_predictive",
        title="A window that moves by itself",
        statement=(
            "Put it together: predict the position, take the softmax over the window around it, multiply "
            "by the Gaussian. Return the weights and the positions."
        ),
        rules=(
            "Its parameters are `W_p.weight (units, d_q)` and `v_p.weight (1, units)`; neither has a bias.",
            "The source's length is `valid_length`, and the σ of the Gaussian is `D / 2`.",
            "`window_weights` may be imported, or be your own.",
        ),
        builds_on=("global_local",),
        entry="LocalPredictive",
        is_class=True,
        settings=(Argument("d_q", "int"), Argument("units", "int"), Argument("D", "int")),
        arguments=(QUERIES, SCORES, LENGTH),
        returns=(WEIGHTS, POSITIONS),
        parameters={
            "W_p": Parameter("W_p.weight", "(units, d_q)"),
            "v_p": Parameter("v_p.weight", "(1, units)"),
        },
        reference=_local_p,
        misconceptions=(
            Misconception(
                sigma_is_D,
                "The Gaussian is too wide: its σ is D. "
                "The paper sets σ = D / 2, so that the window ends two σ away.",
            ),
            Misconception(
                variance_is_half_D,
                "D / 2 stands where σ² belongs. It is σ itself, so σ² is D² / 4.",
            ),
            Misconception(
                two_left_out,
                "The exponent is -(s - p_t)² / σ². A factor 2 is missing: divide by 2σ².",
            ),
            Misconception(
                gaussian_left_out,
                "There is no Gaussian, so no gradient tells the model to move its window: "
                "multiply the weights by it.",
            ),
            Misconception(
                gaussian_on_the_scores,
                "The Gaussian is multiplied onto the scores. It belongs after the softmax, on the weights.",
            ),
            Misconception(
                normalised_again,
                "The weights sum to one after the Gaussian: they are divided by their sum again, or the Gaussian's "
                "exponent is added to the scores, which is the same. Equation 10 multiplies the weights, and "
                "leaves them as they are.",
            ),
            Misconception(
                window_left_out,
                "Every word of the sentence takes part: the Gaussian alone is no window. "
                "Leave out the words further than D away before the softmax.",
            ),
            Misconception(
                window_after_softmax,
                "The softmax runs over the whole sentence, and the window comes after it: "
                "choose the window first.",
            ),
            Misconception(
                distance_not_squared, "The distance is not squared: the exponent is -(s - p_t)² / 2σ²."
            ),
            Misconception(
                factor_of_the_density,
                "The Gaussian is divided by σ√(2π), as a density is. Equation 10 has no such factor: at the "
                "position itself it is 1.",
            ),
            Misconception(
                variance_is_D, "D stands where σ² belongs. The paper sets σ = D / 2, so σ² is D² / 4."
            ),
            Misconception(
                sigma_is_D_and_two_left_out,
                "Two things are wrong: σ is D / 2, not D, and the exponent is divided by 2σ², not by σ².",
            ),
            Misconception(
                padding_let_in,
                "Padding inside the window gets weight: valid_length must hide it, as it does in the window's "
                "softmax.",
            ),
            Misconception(
                window_after_softmax_over_padding,
                "The softmax runs over all keys, padding included, and the window comes after it: choose the window "
                "first.",
            ),
            Misconception(
                tanh_for_sigmoid,
                "A tanh stands where equation 9 has a sigmoid, so positions may be negative.",
            ),
            Misconception(
                sigmoid_left_out,
                "The sigmoid is missing, so positions leave the sentence: S · sigmoid(v_p · tanh(W_p h_t)).",
            ),
            Misconception(
                position_of_the_mean_query,
                "One position is predicted for all queries of a sentence, from their mean: each query predicts its "
                "own.",
            ),
            Misconception(
                sigmoid_for_the_inner_tanh,
                "A sigmoid stands between W_p and v_p, where equation 9 has a tanh.",
            ),
            Misconception(
                relu_for_the_inner_tanh, "A ReLU stands between W_p and v_p, where equation 9 has a tanh."
            ),
            Misconception(
                predicted_position_cut_off,
                "The position is cut down to a whole number, and so no gradient reaches W_p and v_p: keep it a real "
                "number.",
            ),
            Misconception(
                gaussian_alone,
                "The scores have no effect: the Gaussian is multiplied onto the softmax over the window, and not "
                "returned alone.",
            ),
            Misconception(
                length_minus_one,
                "The sigmoid is multiplied by S - 1. Equation 9 has S, the number of words in the source.",
            ),
            Misconception(
                length_of_the_padded_row,
                "The sigmoid is multiplied by the number of keys, padding included: "
                "S is the sentence's own length.",
            ),
            Misconception(
                padded_row_throughout,
                "valid_length has no effect: padding counts in S, the sentence's own length, and gets weight in the "
                "window.",
            ),
            Misconception(
                length_left_out,
                "The position never leaves [0, 1]: multiply the sigmoid by S, the sentence's length.",
            ),
            Misconception(
                inner_tanh_left_out,
                "The tanh between W_p and v_p is missing, so the two matrices are only one.",
            ),
            Misconception(
                predicted_position_rounded,
                "The position is rounded to a word, and so no gradient reaches W_p and v_p: "
                "keep it a real number.",
            ),
        ),
        hints=(
            "Three parts come one after the other: the position, the window, the Gaussian. You have "
            "written the second one already.",
            "The position is the length of the sentence times a sigmoid of `v_p` of the tanh of `W_p` of "
            "the query. The Gaussian has a standard deviation of `D / 2`.",
            "The weights are those of the window, times `exp(-distance**2 / (2 * sigma**2))`, and are not "
            "divided by their sum again. The positions lose their last axis when they are returned.",
        ),
        cases=_local_p_cases,
        properties=(
            Property("a position must lie between 0 and the sentence's length", _positions_in_the_sentence),
            Property("nothing outside the window or the sentence may get weight", _weights_stay_near),
        ),
        difficulty=4,
        minutes=30,
        points=3,
    ),
)
