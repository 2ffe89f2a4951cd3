"""Exercises on self-attention, the causal mask and positional encoding."""

import math
from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace

import numpy as np

from autograder.frameworks import library_attention
from autograder.model.exercise import (
    Argument,
    Call,
    Case,
    Exercise,
    Misconception,
    Output,
    Property,
)
from exercises import shared
from exercises.shared import ALL, draw_lengths, draw_sizes, rows_sum_to_one, with_inputs
from solutions.self_attention.in_numpy import (
    ROUNDING,
    causal_mask,
    causal_self_attention,
    positional_encoding,
    scaled_scores,
    self_attention,
    softmax,
    which_leaks,
)

Attended = tuple[np.ndarray, np.ndarray]
EMBEDDING = (
    Argument("X", "(batch, num_tokens, d_model)"),
    Argument("W_q", "(d_model, d_k)"),
    Argument("W_k", "(d_model, d_k)"),
    Argument("W_v", "(d_model, d_v)"),
)
CONTEXT = Output("context", "(batch, num_tokens, d_v)")
SQUARE = "(batch, num_tokens, num_tokens)"


def _shares(scores: np.ndarray, values: np.ndarray) -> Attended:
    weights = softmax(scores)
    return weights @ values, weights


def _raw(X: np.ndarray, W_q: np.ndarray, W_k: np.ndarray) -> np.ndarray:
    return scaled_scores(X, W_q, W_k) * math.sqrt(W_k.shape[1])


def divided_by_the_embedding_width(
    X: np.ndarray, W_q: np.ndarray, W_k: np.ndarray, W_v: np.ndarray
) -> Attended:
    return _shares(_raw(X, W_q, W_k) / X.shape[-1], X @ W_v)


def divided_by_root_of_the_embedding_width(
    X: np.ndarray, W_q: np.ndarray, W_k: np.ndarray, W_v: np.ndarray
) -> Attended:
    return _shares(_raw(X, W_q, W_k) / math.sqrt(X.shape[-1]), X @ W_v)


def divided_by_d_k(X: np.ndarray, W_q: np.ndarray, W_k: np.ndarray, W_v: np.ndarray) -> Attended:
    return _shares(_raw(X, W_q, W_k) / W_k.shape[1], X @ W_v)


def not_scaled(X: np.ndarray, W_q: np.ndarray, W_k: np.ndarray, W_v: np.ndarray) -> Attended:
    return _shares(_raw(X, W_q, W_k), X @ W_v)


def softmax_over_queries(X: np.ndarray, W_q: np.ndarray, W_k: np.ndarray, W_v: np.ndarray) -> Attended:
    weights = shared.softmax_over_queries(scaled_scores(X, W_q, W_k), None)
    return weights @ (X @ W_v), weights


def queries_and_keys_swapped(X: np.ndarray, W_q: np.ndarray, W_k: np.ndarray, W_v: np.ndarray) -> Attended:
    return _shares(np.swapaxes(scaled_scores(X, W_q, W_k), 1, 2), X @ W_v)


def embeddings_as_values(X: np.ndarray, W_q: np.ndarray, W_k: np.ndarray, W_v: np.ndarray) -> Attended:
    return _shares(scaled_scores(X, W_q, W_k), X)


def keys_as_values(X: np.ndarray, W_q: np.ndarray, W_k: np.ndarray, W_v: np.ndarray) -> Attended:
    return _shares(scaled_scores(X, W_q, W_k), X @ W_k)


def queries_as_keys(X: np.ndarray, W_q: np.ndarray, W_k: np.ndarray, W_v: np.ndarray) -> Attended:
    return _shares(scaled_scores(X, W_q, W_q), X @ W_v)


def scaled_after_softmax(X: np.ndarray, W_q: np.ndarray, W_k: np.ndarray, W_v: np.ndarray) -> Attended:
    weights = softmax(_raw(X, W_q, W_k)) / math.sqrt(W_k.shape[1])
    return weights @ (X @ W_v), weights


def _weighted(weights: np.ndarray, g: SimpleNamespace) -> Attended:
    return weights @ (g.X @ g.W_v), weights


def _over_the_matrix(scores: np.ndarray) -> np.ndarray:
    return softmax(scores.reshape(len(scores), -1)).reshape(scores.shape)


def _keys_reshaped(queries: np.ndarray, keys: np.ndarray) -> np.ndarray:
    return np.asarray(queries @ keys.reshape(len(keys), keys.shape[2], keys.shape[1]))


@with_inputs
def divided_by_root_of_the_value_width(g: SimpleNamespace) -> Attended:
    return _shares(_raw(g.X, g.W_q, g.W_k) / math.sqrt(g.W_v.shape[1]), g.X @ g.W_v)


@with_inputs
def divided_by_root_of_the_tokens(g: SimpleNamespace) -> Attended:
    return _shares(_raw(g.X, g.W_q, g.W_k) / math.sqrt(g.X.shape[1]), g.X @ g.W_v)


@with_inputs
def multiplied_by_root_of_d_k(g: SimpleNamespace) -> Attended:
    return _shares(_raw(g.X, g.W_q, g.W_k) * math.sqrt(g.W_k.shape[1]), g.X @ g.W_v)


@with_inputs
def softmax_twice(g: SimpleNamespace) -> Attended:
    return _shares(softmax(scaled_scores(g.X, g.W_q, g.W_k)), g.X @ g.W_v)


@with_inputs
def softmax_over_the_batch(g: SimpleNamespace) -> Attended:
    return _weighted(softmax(scaled_scores(g.X, g.W_q, g.W_k), axis=0), g)


@with_inputs
def softmax_over_the_whole_matrix(g: SimpleNamespace) -> Attended:
    return _weighted(_over_the_matrix(scaled_scores(g.X, g.W_q, g.W_k)), g)


@with_inputs
def sigmoid_for_softmax(g: SimpleNamespace) -> Attended:
    return _weighted(1 / (1 + np.exp(-scaled_scores(g.X, g.W_q, g.W_k))), g)


@with_inputs
def softmax_left_out(g: SimpleNamespace) -> Attended:
    return _weighted(scaled_scores(g.X, g.W_q, g.W_k), g)


@with_inputs
def scores_returned(g: SimpleNamespace) -> Attended:
    return (self_attention(g.X, g.W_q, g.W_k, g.W_v)[0], scaled_scores(g.X, g.W_q, g.W_k))


@with_inputs
def causal_mask_applied(g: SimpleNamespace) -> Attended:
    return causal_self_attention(g.X, g.W_q, g.W_k, g.W_v, None)


@with_inputs
def weights_transposed(g: SimpleNamespace) -> Attended:
    return (
        np.swapaxes(softmax(scaled_scores(g.X, g.W_q, g.W_k)), 1, 2) @ (g.X @ g.W_v),
        softmax(scaled_scores(g.X, g.W_q, g.W_k)),
    )


@with_inputs
def mean_of_weighted_values(g: SimpleNamespace) -> Attended:
    return (
        self_attention(g.X, g.W_q, g.W_k, g.W_v)[0] / g.X.shape[1],
        self_attention(g.X, g.W_q, g.W_k, g.W_v)[1],
    )


@with_inputs
def context_scaled(g: SimpleNamespace) -> Attended:
    return (
        softmax(_raw(g.X, g.W_q, g.W_k)) @ (g.X @ g.W_v) / math.sqrt(g.W_k.shape[1]),
        softmax(_raw(g.X, g.W_q, g.W_k)),
    )


@with_inputs
def keys_as_queries(g: SimpleNamespace) -> Attended:
    return _shares(scaled_scores(g.X, g.W_k, g.W_k), g.X @ g.W_v)


@with_inputs
def queries_as_values(g: SimpleNamespace) -> Attended:
    return _shares(scaled_scores(g.X, g.W_q, g.W_k), g.X @ g.W_q)


@with_inputs
def embeddings_meet_each_other(g: SimpleNamespace) -> Attended:
    return _shares(g.X @ np.swapaxes(g.X, 1, 2) / math.sqrt(g.W_k.shape[1]), g.X @ g.W_v)


@with_inputs
def embeddings_meet_each_other_over_root_of_their_width(g: SimpleNamespace) -> Attended:
    return _shares(g.X @ np.swapaxes(g.X, 1, 2) / math.sqrt(g.X.shape[2]), g.X @ g.W_v)


@with_inputs
def keys_reshaped(g: SimpleNamespace) -> Attended:
    return _shares(_keys_reshaped(g.X @ g.W_q, g.X @ g.W_k) / math.sqrt(g.W_k.shape[1]), g.X @ g.W_v)


@with_inputs
def not_scaled_and_over_queries(g: SimpleNamespace) -> Attended:
    return _weighted(shared.softmax_over_queries(_raw(g.X, g.W_q, g.W_k), None), g)


# Rules of who is visible: they take valid_length and num_tokens, and give (batch or 1, queries, keys).

Rule = Callable[[np.ndarray | None, int], np.ndarray]


def _real(valid_length: np.ndarray | None, num_tokens: int) -> np.ndarray:
    if valid_length is None:
        return np.ones((1, 1, num_tokens), dtype=bool)
    return np.asarray(np.arange(num_tokens) < valid_length[:, None, None])


def _visible(valid_length: np.ndarray | None, num_tokens: int) -> np.ndarray:
    return np.asarray(causal_mask(num_tokens) & _real(valid_length, num_tokens))


def _strictly_before(valid_length: np.ndarray | None, num_tokens: int) -> np.ndarray:
    positions = np.arange(num_tokens)
    return np.asarray((positions < positions[:, None]) & _real(valid_length, num_tokens))


def _hidden(valid_length: np.ndarray | None, num_tokens: int) -> np.ndarray:
    return ~_visible(valid_length, num_tokens)


def _itself_and_after(valid_length: np.ndarray | None, num_tokens: int) -> np.ndarray:
    return np.asarray(causal_mask(num_tokens).T & _real(valid_length, num_tokens))


def _one_further(valid_length: np.ndarray | None, num_tokens: int) -> np.ndarray:
    positions = np.arange(num_tokens)
    return np.asarray((positions <= positions[:, None] + 1) & _real(valid_length, num_tokens))


def _either(valid_length: np.ndarray | None, num_tokens: int) -> np.ndarray:
    real = _real(valid_length, num_tokens)
    return np.asarray(causal_mask(num_tokens) | (real if valid_length is not None else ~real))


def _attend(
    rule: Rule,
    X: np.ndarray,
    W_q: np.ndarray,
    W_k: np.ndarray,
    W_v: np.ndarray,
    valid_length: np.ndarray | None,
    fill: float = -1e6,
) -> Attended:
    scores = scaled_scores(X, W_q, W_k)
    return _shares(np.where(rule(valid_length, X.shape[1]), scores, fill), X @ W_v)


def no_causal_mask(
    X: np.ndarray, W_q: np.ndarray, W_k: np.ndarray, W_v: np.ndarray, valid_length: np.ndarray | None
) -> Attended:
    return _attend(_real, X, W_q, W_k, W_v, valid_length)


def padding_visible(
    X: np.ndarray, W_q: np.ndarray, W_k: np.ndarray, W_v: np.ndarray, valid_length: np.ndarray | None
) -> Attended:
    return _attend(_visible, X, W_q, W_k, W_v, None)


def one_step_too_far(
    X: np.ndarray, W_q: np.ndarray, W_k: np.ndarray, W_v: np.ndarray, valid_length: np.ndarray | None
) -> Attended:
    return _attend(_one_further, X, W_q, W_k, W_v, valid_length)


def blind_to_itself(
    X: np.ndarray, W_q: np.ndarray, W_k: np.ndarray, W_v: np.ndarray, valid_length: np.ndarray | None
) -> Attended:
    return _attend(_strictly_before, X, W_q, W_k, W_v, valid_length)


def blind_to_itself_until_nan(
    X: np.ndarray, W_q: np.ndarray, W_k: np.ndarray, W_v: np.ndarray, valid_length: np.ndarray | None
) -> Attended:
    return _attend(_strictly_before, X, W_q, W_k, W_v, valid_length, -np.inf)


def mask_inverted(
    X: np.ndarray, W_q: np.ndarray, W_k: np.ndarray, W_v: np.ndarray, valid_length: np.ndarray | None
) -> Attended:
    return _attend(_hidden, X, W_q, W_k, W_v, valid_length)


def mask_inverted_until_nan(
    X: np.ndarray, W_q: np.ndarray, W_k: np.ndarray, W_v: np.ndarray, valid_length: np.ndarray | None
) -> Attended:
    return _attend(_hidden, X, W_q, W_k, W_v, valid_length, -np.inf)


def mask_transposed(
    X: np.ndarray, W_q: np.ndarray, W_k: np.ndarray, W_v: np.ndarray, valid_length: np.ndarray | None
) -> Attended:
    return _attend(_itself_and_after, X, W_q, W_k, W_v, valid_length)


def mask_transposed_until_nan(
    X: np.ndarray, W_q: np.ndarray, W_k: np.ndarray, W_v: np.ndarray, valid_length: np.ndarray | None
) -> Attended:
    return _attend(_itself_and_after, X, W_q, W_k, W_v, valid_length, -np.inf)


def either_mask_suffices(
    X: np.ndarray, W_q: np.ndarray, W_k: np.ndarray, W_v: np.ndarray, valid_length: np.ndarray | None
) -> Attended:
    return _attend(_either, X, W_q, W_k, W_v, valid_length)


def mask_after_softmax(
    X: np.ndarray, W_q: np.ndarray, W_k: np.ndarray, W_v: np.ndarray, valid_length: np.ndarray | None
) -> Attended:
    weights = softmax(scaled_scores(X, W_q, W_k)) * _visible(valid_length, X.shape[1])
    return weights @ (X @ W_v), weights


def renormalised_too_late(
    X: np.ndarray, W_q: np.ndarray, W_k: np.ndarray, W_v: np.ndarray, valid_length: np.ndarray | None
) -> Attended:
    weights = softmax(scaled_scores(X, W_q, W_k)) * _visible(valid_length, X.shape[1])
    weights = weights / weights.sum(axis=-1, keepdims=True)
    return weights @ (X @ W_v), weights


def masked_with_zero(
    X: np.ndarray, W_q: np.ndarray, W_k: np.ndarray, W_v: np.ndarray, valid_length: np.ndarray | None
) -> Attended:
    return _attend(_visible, X, W_q, W_k, W_v, valid_length, 0.0)


def _early_queries(valid_length: np.ndarray | None, num_tokens: int) -> np.ndarray:
    return np.asarray(causal_mask(num_tokens) & np.swapaxes(_real(valid_length, num_tokens), 1, 2))


def _itself(valid_length: np.ndarray | None, num_tokens: int) -> np.ndarray:
    return np.asarray(np.eye(num_tokens, dtype=bool) & _real(valid_length, num_tokens))


def _itself_and_the_one_before(valid_length: np.ndarray | None, num_tokens: int) -> np.ndarray:
    back = np.arange(num_tokens)[:, None] - np.arange(num_tokens)
    return np.asarray((back >= 0) & (back <= 1) & _real(valid_length, num_tokens))


def _masked(scores: np.ndarray, g: SimpleNamespace) -> Attended:
    return _shares(np.where(_visible(g.valid_length, g.X.shape[1]), scores, -1e6), g.X @ g.W_v)


def _softmax_over_queries(g: SimpleNamespace) -> np.ndarray:
    visible = _visible(g.valid_length, g.X.shape[1])
    return softmax(np.where(visible, scaled_scores(g.X, g.W_q, g.W_k), -1e6), axis=1)


def _padded_rows_cleared(g: SimpleNamespace) -> Attended:
    _, weights = causal_self_attention(g.X, g.W_q, g.W_k, g.W_v, g.valid_length)
    return _weighted(weights * np.swapaxes(_real(g.valid_length, g.X.shape[1]), 1, 2), g)


@with_inputs
def causal_not_scaled(g: SimpleNamespace) -> Attended:
    return _masked(_raw(g.X, g.W_q, g.W_k), g)


@with_inputs
def causal_divided_by_d_k(g: SimpleNamespace) -> Attended:
    return _masked(_raw(g.X, g.W_q, g.W_k) / g.W_k.shape[1], g)


@with_inputs
def causal_divided_by_root_of_the_embedding_width(g: SimpleNamespace) -> Attended:
    return _masked(_raw(g.X, g.W_q, g.W_k) / math.sqrt(g.X.shape[2]), g)


@with_inputs
def causal_queries_and_keys_swapped(g: SimpleNamespace) -> Attended:
    return _masked(np.swapaxes(scaled_scores(g.X, g.W_q, g.W_k), 1, 2), g)


@with_inputs
def causal_softmax_over_queries(g: SimpleNamespace) -> Attended:
    return _weighted(_softmax_over_queries(g), g)


@with_inputs
def future_masked_with_zero(g: SimpleNamespace) -> Attended:
    return _shares(
        np.where(
            _real(g.valid_length, g.X.shape[1]),
            np.where(causal_mask(g.X.shape[1]), scaled_scores(g.X, g.W_q, g.W_k), 0),
            -1e6,
        ),
        g.X @ g.W_v,
    )


@with_inputs
def padding_masked_with_zero(g: SimpleNamespace) -> Attended:
    return _shares(
        np.where(
            causal_mask(g.X.shape[1]),
            np.where(_real(g.valid_length, g.X.shape[1]), scaled_scores(g.X, g.W_q, g.W_k), 0),
            -1e6,
        ),
        g.X @ g.W_v,
    )


@with_inputs
def padding_masked_too_late(g: SimpleNamespace) -> Attended:
    return _weighted(
        softmax(np.where(causal_mask(g.X.shape[1]), scaled_scores(g.X, g.W_q, g.W_k), -1e6))
        * _real(g.valid_length, g.X.shape[1]),
        g,
    )


@with_inputs
def future_masked_too_late(g: SimpleNamespace) -> Attended:
    return _weighted(
        softmax(np.where(_real(g.valid_length, g.X.shape[1]), scaled_scores(g.X, g.W_q, g.W_k), -1e6))
        * causal_mask(g.X.shape[1]),
        g,
    )


@with_inputs
def one_padding_token(g: SimpleNamespace) -> Attended:
    return _attend(_visible, g.X, g.W_q, g.W_k, g.W_v, None if g.valid_length is None else g.valid_length + 1)


@with_inputs
def last_token_left_out(g: SimpleNamespace) -> Attended:
    return _attend(
        _visible,
        g.X,
        g.W_q,
        g.W_k,
        g.W_v,
        None if g.valid_length is None else np.maximum(g.valid_length - 1, 1),
    )


@with_inputs
def first_length_for_all(g: SimpleNamespace) -> Attended:
    return _attend(
        _visible,
        g.X,
        g.W_q,
        g.W_k,
        g.W_v,
        None if g.valid_length is None else np.full_like(g.valid_length, g.valid_length[0]),
    )


@with_inputs
def lengths_of_the_queries(g: SimpleNamespace) -> Attended:
    return _attend(_early_queries, g.X, g.W_q, g.W_k, g.W_v, g.valid_length)


@with_inputs
def padded_rows_cleared(g: SimpleNamespace) -> Attended:
    return _padded_rows_cleared(g)


@with_inputs
def weights_before_the_mask(g: SimpleNamespace) -> Attended:
    return (
        causal_self_attention(g.X, g.W_q, g.W_k, g.W_v, g.valid_length)[0],
        self_attention(g.X, g.W_q, g.W_k, g.W_v)[1],
    )


@with_inputs
def causal_embeddings_as_values(g: SimpleNamespace) -> Attended:
    return _shares(
        np.where(_visible(g.valid_length, g.X.shape[1]), scaled_scores(g.X, g.W_q, g.W_k), -1e6), g.X
    )


@with_inputs
def window_of_two(g: SimpleNamespace) -> Attended:
    return _attend(_itself_and_the_one_before, g.X, g.W_q, g.W_k, g.W_v, g.valid_length)


@with_inputs
def itself_alone(g: SimpleNamespace) -> Attended:
    return _attend(_itself, g.X, g.W_q, g.W_k, g.W_v, g.valid_length)


def _the_order_of_the_tokens_moves_along(run: Call, case: Case) -> str | None:
    X = case.inputs["X"]
    order = np.roll(np.arange(X.shape[1]), 1)
    before = run(case)[0]
    after = run(replace(case, inputs={**case.inputs, "X": X[:, order]}))[0]
    if np.allclose(after, before[:, order], atol=1e-3):
        return None
    return "With the tokens in another order, the same rows of context do not come out in that order."


def _the_future_stays_out(run: Call, case: Case) -> str | None:
    X = case.inputs["X"]
    before = run(case)[0]
    for position in range(X.shape[1] - 1, 0, -1):
        changed = X.copy()
        changed[:, position:] *= -2
        change = np.abs(run(replace(case, inputs={**case.inputs, "X": changed}))[0] - before)[:, :position]
        if change.max() > ROUNDING:
            token = int(change.max(axis=(0, 2)).argmax())
            return f"When the tokens from {position} on change, the context of token {token} changes too."
    return None


def _padding_gets_no_weight(run: Call, case: Case) -> str | None:
    valid_length = case.inputs["valid_length"]
    if valid_length is None:
        return None
    weights = np.abs(run(case)[-1])
    beyond = np.where(_real(valid_length, weights.shape[-1]), 0, weights)
    if (beyond <= 1e-9).all():
        return None
    place = tuple(map(int, np.unravel_index(int(beyond.argmax()), beyond.shape)))
    return f"The weight at {place} lies beyond the valid length and is {beyond[place]:.4g}."


Shape = tuple[int, ...]


def _embedded(rng: np.random.Generator, shape: Shape) -> dict[str, np.ndarray]:
    """Scores over √d_k with a spread of about 1.5: far from flat, not saturated."""
    batch, num_tokens, d_model, d_k, d_v = shape
    return {
        "X": rng.normal(size=(batch, num_tokens, d_model)),
        "W_q": 1.5 * rng.normal(size=(d_model, d_k)) / math.sqrt(d_model),
        "W_k": rng.normal(size=(d_model, d_k)) / math.sqrt(d_model),
        "W_v": rng.normal(size=(d_model, d_v)) / math.sqrt(d_model),
    }


def _self_attention_cases(rng: np.random.Generator) -> list[Case]:
    def case(note: str, *typical: int, gradient: bool = False) -> Case:
        return Case(note, _embedded(rng, draw_sizes(rng, *typical)), gradient=gradient)

    return [
        case("all sizes different", 2, 5, 6, 4, 7, gradient=True),
        case("keys wider than the embedding", 3, 4, 5, 9, 2, gradient=True),
        case("all widths equal", 2, 6, 4, 4, 4),
        case("as many tokens as batch elements", 3, 3, 8, 2, 5),
        case("a key of one number", 1, 7, 3, 1, 2),
        case("a single token", 2, 1, 4, 3, 2),
        case("a wide embedding and a narrow key", 1, 4, 64, 3, 5),
    ]


def _with_a_loud_future(case: Case) -> Case:
    """The same with every token 1000 above the one before it, for every query."""
    X, W_q, W_k = (case.inputs[name] for name in ("X", "W_q", "W_k"))
    X[..., 0], X[..., 1] = 1, np.arange(X.shape[1])
    # Nothing else counts: float32 has few digits beside 1000.
    W_q[:], W_k[:] = 0, 0
    W_q[0, 0], W_k[1, 0] = 1000 * math.sqrt(W_k.shape[1]), 1
    return case


def _causal_cases(rng: np.random.Generator) -> list[Case]:
    def case(
        note: str,
        typical: Shape,
        padded: bool = True,
        among: tuple[int, ...] = (),
        gradient: bool = False,
    ) -> Case:
        shape = draw_sizes(rng, *typical)
        lengths = draw_lengths(rng, shape[1], shape[0], among=among) if padded else None
        return Case(note, {**_embedded(rng, shape), "valid_length": lengths}, gradient=gradient)

    return [
        case("no padding", (2, 5, 6, 4, 7), padded=False, gradient=True),
        case("padding in at least one sentence", (2, 5, 6, 4, 3), gradient=True),
        case("the extremes: one real token, and all of them", (3, 4, 5, 9, 2), among=(1, ALL)),
        case("all sizes equal", (3, 3, 3, 3, 3)),
        case("few tokens", (2, 2, 4, 3, 5), padded=False),
        case("a single token", (2, 1, 4, 3, 2)),
        _with_a_loud_future(case("later tokens that score far above the rest", (2, 5, 6, 4, 3))),
    ]


# Positional encoding


def _encode(angles: np.ndarray, d: int) -> np.ndarray:
    encoding = np.zeros((len(angles), d))
    encoding[:, 0::2] = np.sin(angles)
    encoding[:, 1::2] = np.cos(angles)[:, : d // 2]
    return encoding


def _angles(num_positions: int, exponents: np.ndarray, base: float = 10000) -> np.ndarray:
    return np.asarray(np.arange(num_positions)[:, None] / base**exponents)


def halves_concatenated(num_positions: int, d: int) -> np.ndarray:
    angles = _angles(num_positions, np.arange(0, d, 2) / d)
    return np.concatenate([np.sin(angles), np.cos(angles)[:, : d // 2]], axis=1)


def exponent_not_doubled(num_positions: int, d: int) -> np.ndarray:
    return _encode(_angles(num_positions, np.arange(0, d, 2) / 2 / d), d)


def exponent_doubled_twice(num_positions: int, d: int) -> np.ndarray:
    return _encode(_angles(num_positions, 2 * np.arange(0, d, 2) / d), d)


def frequency_for_each_column(num_positions: int, d: int) -> np.ndarray:
    angles = _angles(num_positions, np.arange(d) / d)
    return np.where(np.arange(d) % 2 == 0, np.sin(angles), np.cos(angles))


def base_of_one_thousand(num_positions: int, d: int) -> np.ndarray:
    return _encode(_angles(num_positions, np.arange(0, d, 2) / d, base=1000), d)


def sine_and_cosine_swapped(num_positions: int, d: int) -> np.ndarray:
    angles = _angles(num_positions, np.arange(0, d, 2) / d)
    encoding = np.zeros((num_positions, d))
    encoding[:, 0::2] = np.cos(angles)
    encoding[:, 1::2] = np.sin(angles)[:, : d // 2]
    return encoding


def positions_from_one(num_positions: int, d: int) -> np.ndarray:
    return positional_encoding(num_positions + 1, d)[1:]


def _sines(angles: np.ndarray, d: int) -> np.ndarray:
    return np.asarray(np.sin(np.repeat(angles, 2, axis=1))[:, :d])


def positions_over_their_number(num_positions: int, d: int) -> np.ndarray:
    return _encode(_angles(num_positions, np.arange(0, d, 2) / d) / num_positions, d)


def two_pi_in_the_angle(num_positions: int, d: int) -> np.ndarray:
    return _encode(2 * math.pi * _angles(num_positions, np.arange(0, d, 2) / d), d)


def degrees_for_radians(num_positions: int, d: int) -> np.ndarray:
    return _encode(np.radians(_angles(num_positions, np.arange(0, d, 2) / d)), d)


def one_wavelength(num_positions: int, d: int) -> np.ndarray:
    return _encode(_angles(num_positions, np.ones((d + 1) // 2)), d)


def angles_without_denominator(num_positions: int, d: int) -> np.ndarray:
    return _encode(_angles(num_positions, np.zeros((d + 1) // 2)), d)


def exponent_over_half_of_d(num_positions: int, d: int) -> np.ndarray:
    return _encode(_angles(num_positions, np.arange(0, d, 2) / (d // 2)), d)


def exponent_reaches_one(num_positions: int, d: int) -> np.ndarray:
    return _encode(_angles(num_positions, np.arange((d + 1) // 2) / max((d + 1) // 2 - 1, 1)), d)


def exponent_starts_a_pair_late(num_positions: int, d: int) -> np.ndarray:
    return _encode(_angles(num_positions, np.arange(2, d + 2, 2) / d), d)


def sines_only(num_positions: int, d: int) -> np.ndarray:
    return _sines(_angles(num_positions, np.arange(0, d, 2) / d), d)


def powers_of_e(num_positions: int, d: int) -> np.ndarray:
    return _encode(_angles(num_positions, np.arange(0, d, 2) / d, base=math.e), d)


def odd_width_ends_with_a_cosine(num_positions: int, d: int) -> np.ndarray:
    encoding = positional_encoding(num_positions, d)
    if d % 2:
        encoding[:, -1] = np.cos(np.arange(num_positions) / 10000 ** ((d - 1) / d))
    return encoding


def odd_width_rounded_up(num_positions: int, d: int) -> np.ndarray:
    angles = _angles(num_positions, np.arange(0, d, 2) / d)
    return np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(num_positions, -1)


def odd_width_rounded_down(num_positions: int, d: int) -> np.ndarray:
    return positional_encoding(num_positions, d)[:, : d - d % 2]


def odd_column_left_zero(num_positions: int, d: int) -> np.ndarray:
    return positional_encoding(num_positions, d) * (np.arange(d) < d - d % 2)


def an_axis_for_the_batch(num_positions: int, d: int) -> np.ndarray:
    return positional_encoding(num_positions, d)[None]


def table_transposed(num_positions: int, d: int) -> np.ndarray:
    return positional_encoding(num_positions, d).T


def cosines_only(num_positions: int, d: int) -> np.ndarray:
    return _sines(_angles(num_positions, np.arange(0, d, 2) / d) + math.pi / 2, d)


def exponent_over_one_less(num_positions: int, d: int) -> np.ndarray:
    return _encode(_angles(num_positions, np.arange(0, d, 2) / (d - 1)), d)


def positions_counted_down(num_positions: int, d: int) -> np.ndarray:
    return positional_encoding(num_positions, d)[::-1]


def _position_zero_is_zeros_and_ones(run: Call, case: Case) -> str | None:
    (encoding,) = run(case)
    first = encoding[0]
    if np.allclose(first[0::2], 0, atol=1e-5) and np.allclose(first[1::2], 1, atol=1e-5):
        return None
    return f"Its first row starts with {first[0]:.4f}, {first[1]:.4f}."


def _positional_cases(rng: np.random.Generator) -> list[Case]:
    def case(note: str, num_positions: int, pairs: int, odd: bool = False) -> Case:
        num_positions, pairs = draw_sizes(rng, num_positions, pairs)
        return Case(note, {"num_positions": num_positions, "d": 2 * pairs + odd})

    return [
        case("wider than long", 6, int(rng.integers(10, 110))),
        case("more positions than columns", 15, 2),
        case("an odd width: the last column is a sine", 7, 3, odd=True),
        case("a single pair of columns", 9, 1),
        case("a single position", 1, int(rng.integers(3, 100))),
        case("a wide encoding", 12, int(rng.integers(16, 110))),
    ]


# Which of three models leaks?


def whole_sequence_compared(before: np.ndarray, after: np.ndarray, position: int) -> str:
    return "abc"[int((np.abs(after - before).max(axis=(1, 2)) > ROUNDING).argmax())]


def position_counted_as_past(before: np.ndarray, after: np.ndarray, position: int) -> str:
    return which_leaks(before, after, position + 1)


def largest_change_anywhere(before: np.ndarray, after: np.ndarray, position: int) -> str:
    return "abc"[int(np.abs(after - before).max(axis=(1, 2)).argmax())]


def largest_change_up_to_position(before: np.ndarray, after: np.ndarray, position: int) -> str:
    return "abc"[int(np.abs(after - before)[:, : position + 1].max(axis=(1, 2)).argmax())]


def only_the_first_token(before: np.ndarray, after: np.ndarray, position: int) -> str:
    return which_leaks(before, after, 1)


def only_the_token_before(before: np.ndarray, after: np.ndarray, position: int) -> str:
    return which_leaks(before[:, position - 1 :], after[:, position - 1 :], 1)


def signed_changes(before: np.ndarray, after: np.ndarray, position: int) -> str:
    changes = (after - before)[:, :position].max(axis=(1, 2))
    return "abc"[int((changes > ROUNDING).argmax())]


def rounding_counted(before: np.ndarray, after: np.ndarray, position: int) -> str:
    return "abc"[int((after != before)[:, :position].any(axis=(1, 2)).argmax())]


def last_past_token_left_out(before: np.ndarray, after: np.ndarray, position: int) -> str:
    return which_leaks(before, after, position - 1)


def smallest_change(before: np.ndarray, after: np.ndarray, position: int) -> str:
    return "abc"[int(np.abs(after - before)[:, :position].sum(axis=(1, 2)).argmin())]


def index_for_the_letter(before: np.ndarray, after: np.ndarray, position: int) -> int:
    return "abc".index(which_leaks(before, after, position))


def upper_case(before: np.ndarray, after: np.ndarray, position: int) -> str:
    return which_leaks(before, after, position).upper()


def always_the_last(before: np.ndarray, after: np.ndarray, position: int) -> str:
    return "c"


def always_the_middle(before: np.ndarray, after: np.ndarray, position: int) -> str:
    return "b"


def _first_above(changes: np.ndarray) -> str | None:
    """The first model with a change that is no rounding; None where there is none, as a loop gives."""
    return next((name for name, change in zip("abc", changes, strict=True) if change.max() > ROUNDING), None)


def last_past_token_left_out_or_none(before: np.ndarray, after: np.ndarray, position: int) -> str | None:
    return _first_above(np.abs(after - before)[:, : position - 1])


def only_the_token_before_or_none(before: np.ndarray, after: np.ndarray, position: int) -> str | None:
    return _first_above(np.abs(after - before)[:, position - 1 : position])


def signed_changes_or_none(before: np.ndarray, after: np.ndarray, position: int) -> str | None:
    return _first_above((after - before)[:, :position])


def signed_mean(before: np.ndarray, after: np.ndarray, position: int) -> str:
    changes = (after - before)[:, :position].mean(axis=(1, 2))
    return "abc"[int((np.abs(changes) > ROUNDING).argmax())]


def _leak_cases(rng: np.random.Generator) -> list[Case]:
    """Three models that all react to new tokens, and one whose past reacts too.

    tokens: the past tokens that change, by `amount` times a number above 0.05. rounded: whether another
    model's past differs by rounding. strict: whether the first model does not see its own token. least: of
    position. balanced: whether the changes of the past add up to zero.
    """

    def case(
        note: str,
        typical: tuple[int, int],
        tokens: slice,
        amount: float = 0.1,
        rounded: bool = False,
        strict: bool = False,
        leaking: int | None = None,
        least: int = 2,
        balanced: bool = False,
    ) -> Case:
        shape = draw_sizes(rng, *typical)
        position = int(rng.integers(least, shape[0] - 1))
        # Wrong ways to look answer with the first model, so it leaks in a case of its own only.
        leaking = int(rng.integers(1, 3)) if leaking is None else leaking
        loudest = 1 if leaking == 0 else 3 - leaking
        # At position itself another one changes most, which shows how far a search for the largest change reaches.
        loudest_there = loudest if strict else 3 - leaking - loudest
        before = rng.normal(size=(3, *shape))
        after = before.copy()
        changes = np.abs(rng.normal(size=before.shape)) + 0.5
        after[:, position:] += changes[:, position:]
        after[loudest_there, position] += 5
        after[loudest, position + 1 :] += 10
        past = changes[leaking, :position]
        if balanced:
            past -= past.mean()
        after[leaking, :position][tokens] += amount * past[tokens]
        if rounded:
            after[0, :position] += 1e-6
        if strict:
            after[0, position] = before[0, position]
        return Case(note, {"before": before, "after": after, "position": position})

    one, other = map(int, rng.permutation([1, 2]))
    return [
        case("only the token just before changes", (6, 4), slice(-1, None), rounded=True),
        case("only the first token changes", (5, 3), slice(0, 1), strict=True, leaking=one),
        case("the past changes downwards", (7, 2), slice(None), amount=-0.1, strict=True, leaking=other),
        case("only a token in the middle of the past changes", (6, 3), slice(1, 2), least=3),
        case("all of the past changes", (5, 4), slice(None), rounded=True, balanced=True),
        case("the first model", (4, 6), slice(None), leaking=0),
    ]


_UNTIL_NAN = " With minus infinity, rows that see nothing become NaN."
_BLIND = (
    "A token does not see itself: the mask is shifted by one, and the first token has nothing to attend "
    "to. A key counts when it stands at or before the query, so compare with <= and not <."
)
_INVERTED = (
    "The mask is inverted: a token attends to exactly the keys that it must not see. Check what true means "
    "where you fill: `masked_fill` fills where the mask is true."
)
_TRANSPOSED = (
    "The mask is transposed: each token sees itself and what comes after it. Queries are the rows and keys "
    "the columns, so what may be seen is the lower triangle."
)

EXERCISES = (
    Exercise(
        name="self_attention",
        title="A sequence that attends to itself",
        statement=(
            "Make queries, keys and values from one batch of embeddings, and let every token attend to "
            "all tokens of its sequence. Return the contexts and the weights."
        ),
        rules=("No library function that does attention as a whole.",),
        entry="self_attention",
        arguments=EMBEDDING,
        returns=(CONTEXT, Output("weights", SQUARE, map=True)),
        reference=self_attention,
        misconceptions=(
            Misconception(
                divided_by_the_embedding_width,
                "The scores are divided by the embedding width d_model, which flattens the weights towards "
                "uniform. Divide by the square root of the key width d_k.",
            ),
            Misconception(
                divided_by_root_of_the_embedding_width,
                "The scores are divided by √d_model. What they grow with is the number of terms in the dot "
                "product, and that is d_k: divide by √d_k.",
            ),
            Misconception(
                divided_by_d_k,
                "The scores are divided by d_k instead of its square root: their standard deviation grows "
                "only with √d_k, so the weights come out too flat.",
            ),
            Misconception(
                not_scaled,
                "The scores are not scaled: with wider keys they grow and the softmax saturates. Divide by "
                "√d_k.",
            ),
            Misconception(
                softmax_over_queries,
                "The weights of a query do not sum to one: the softmax runs over the queries instead of "
                "the keys, the last axis.",
            ),
            Misconception(
                queries_and_keys_swapped,
                "Queries and keys have changed places: entry (i, j) must be the query of token i with the "
                "key of token j, and yours is the other way round.",
            ),
            Misconception(
                embeddings_as_values,
                "The weights average the embeddings themselves: multiply by W_v first, the values are X W_v.",
            ),
            Misconception(
                keys_as_values, "The weights average the keys: the values have a matrix of their own, W_v."
            ),
            Misconception(
                queries_as_keys,
                "Queries meet queries: the keys are made with W_q, so the scores are symmetric. Use W_k.",
            ),
            Misconception(
                scaled_after_softmax,
                "The division by √d_k comes after the softmax, so the weights of a query sum to 1/√d_k. "
                "Scale the scores, then take the softmax.",
            ),
            Misconception(
                divided_by_root_of_the_value_width,
                "The scores are divided by √d_v, the root of the values' width. They are dot products of queries "
                "and keys: divide by √d_k.",
            ),
            Misconception(
                divided_by_root_of_the_tokens,
                "The scores are divided by the root of the number of tokens. A score adds up d_k products, however "
                "many tokens there are: divide by √d_k.",
            ),
            Misconception(
                multiplied_by_root_of_d_k,
                "The scores are multiplied by √d_k, which saturates the softmax: divide by it.",
            ),
            Misconception(
                softmax_twice,
                "The softmax is taken twice. After the first all weights lie between 0 and 1, so the second makes "
                "them nearly uniform: take it once.",
            ),
            Misconception(
                softmax_over_the_batch,
                "The softmax runs over the sentences of the batch, which have nothing to do with each other: it "
                "belongs on the last axis, that of the keys.",
            ),
            Misconception(
                softmax_over_the_whole_matrix,
                "One softmax runs over the whole matrix of a sentence, so all its queries share a single whole: "
                "each row has its own.",
            ),
            Misconception(
                sigmoid_for_softmax,
                "Each key has a sigmoid of its own, so the weights of a query do not sum to one: take the softmax "
                "over the keys.",
            ),
            Misconception(
                softmax_left_out,
                "The scores serve as weights as they are, without a softmax: they may be negative and do not sum to "
                "one.",
            ),
            Misconception(
                scores_returned,
                "The context is right, but the scores are returned in the place of the weights: return what the "
                "softmax gives.",
            ),
            Misconception(
                causal_mask_applied,
                "No token attends to a later one. That mask comes in the next exercise: here every token attends to "
                "all.",
            ),
            Misconception(
                weights_transposed,
                "The weights are right, but they are transposed before they meet the values, so that queries and "
                "keys change places: multiply weights by values as they are.",
            ),
            Misconception(
                mean_of_weighted_values,
                "The weighted values are divided by the number of tokens. The weights sum to one already: add the "
                "weighted values up.",
            ),
            Misconception(
                context_scaled,
                "The context is divided by √d_k, and the scores are not: scale the scores, before the softmax.",
            ),
            Misconception(
                keys_as_queries,
                "Keys meet keys: the queries are made with W_k, so the scores are symmetric. Use W_q.",
            ),
            Misconception(
                queries_as_values,
                "The weights average the queries: the values have a matrix of their own, W_v.",
            ),
            Misconception(
                embeddings_meet_each_other,
                "W_q and W_k have no effect: the scores are dot products of the embeddings themselves. Make queries "
                "and keys of them first.",
            ),
            Misconception(
                embeddings_meet_each_other_over_root_of_their_width,
                "W_q and W_k have no effect: the scores are dot products of the embeddings over √d_model. Make "
                "queries and keys first, and divide by √d_k.",
            ),
            Misconception(
                keys_reshaped,
                "The keys are reshaped to (batch, d_k, num_tokens), which keeps the order in memory and mixes the "
                "tokens. A transpose swaps the axes.",
            ),
            Misconception(
                not_scaled_and_over_queries,
                "Two things are wrong: the scores are not divided by √d_k, and the softmax runs over the queries "
                "instead of the keys.",
            ),
        ),
        hints=(
            "One array of embeddings plays three parts: three matrices make queries, keys and values of it.",
            "From there on it is scaled dot-product attention without a mask.",
            "The scale is the square root of the width of a key, `keys.shape[-1]`, which need not be the "
            "width of X. Return the context and the weights.",
        ),
        cases=_self_attention_cases,
        properties=(
            Property("each row of weights must sum to 1", rows_sum_to_one),
            Property(
                "when the tokens change places, the contexts must change places with them",
                _the_order_of_the_tokens_moves_along,
            ),
        ),
        forbidden=library_attention(),
        difficulty=2,
        minutes=15,
        points=2,
    ),
    Exercise(
        name="causal_self_attention",
        title="No word sees the future",
        statement="Extend self-attention: no token attends to a later one, and none attends to padding.",
        rules=(
            "`masked_softmax` may be imported; no library function that does attention as a whole.",
            "Padding is hidden as a key only: the row of a padded query sums to 1 as well.",
        ),
        builds_on=("masked_softmax",),
        entry="causal_self_attention",
        arguments=(*EMBEDDING, Argument("valid_length", "None or (batch,), each at least 1")),
        returns=(CONTEXT, Output("weights", SQUARE, exact_zeros=True, map=True)),
        reference=causal_self_attention,
        misconceptions=(
            Misconception(
                no_causal_mask,
                "Only padding is masked: every token still sees the tokens after it. The causal mask comes "
                "on top of valid_length.",
            ),
            Misconception(
                padding_visible,
                "The future is hidden, but valid_length has no effect: the queries beyond it still attend "
                "to padding. A key must be early enough and real.",
            ),
            Misconception(
                one_step_too_far,
                "Each token sees one step too far: the next token is the very one that a language model "
                "must predict. The diagonal is the last that may be seen.",
            ),
            Misconception(blind_to_itself, _BLIND),
            Misconception(blind_to_itself_until_nan, _BLIND + _UNTIL_NAN),
            Misconception(mask_inverted, _INVERTED),
            Misconception(mask_inverted_until_nan, _INVERTED + _UNTIL_NAN),
            Misconception(mask_transposed, _TRANSPOSED),
            Misconception(mask_transposed_until_nan, _TRANSPOSED + _UNTIL_NAN),
            Misconception(
                either_mask_suffices,
                "A key is visible when it is early enough or real; it must be both. Combine the two with "
                "and, not with or.",
            ),
            Misconception(
                renormalised_too_late,
                "The mask comes after the softmax, and each row is divided by its sum: where a later token scores "
                "far above the rest, nothing is left to divide. Mask the scores, then take the softmax.",
            ),
            Misconception(
                mask_after_softmax,
                "The mask comes after the softmax, so the rows no longer sum to one, and through the "
                "denominator the future still changes the past. Mask the scores.",
            ),
            Misconception(
                masked_with_zero,
                "Hidden scores become 0, and exp(0) is 1: the future still gets weight. Fill with a large "
                "negative number.",
            ),
            Misconception(
                causal_not_scaled, "The scores are not scaled: divide them by √d_k before the mask."
            ),
            Misconception(
                causal_divided_by_d_k,
                "The scores are divided by d_k instead of its square root, so the weights come out too flat.",
            ),
            Misconception(
                causal_divided_by_root_of_the_embedding_width,
                "The scores are divided by √d_model. What they grow with is the number of terms in the dot product: "
                "divide by √d_k.",
            ),
            Misconception(
                causal_queries_and_keys_swapped,
                "Queries and keys have changed places, so a row of the scores belongs to a key, and the mask hides "
                "the wrong pairs: row i is the query of token i.",
            ),
            Misconception(
                causal_softmax_over_queries,
                "The softmax runs over the queries, so the weights of a query do not sum to one, and later queries "
                "change earlier results: it belongs on the last axis.",
            ),
            Misconception(
                future_masked_with_zero,
                "Scores of later tokens become 0, as `tril` makes them, and exp(0) is 1: the future still gets "
                "weight. Fill them with a large negative number.",
            ),
            Misconception(
                padding_masked_with_zero,
                "Scores of padding become 0, and exp(0) is 1: padding still gets weight. Fill them with a large "
                "negative number.",
            ),
            Misconception(
                padding_masked_too_late,
                "The future is hidden before the softmax, but padding only after it, so the rows no longer sum to "
                "one. Hide both before the softmax.",
            ),
            Misconception(
                future_masked_too_late,
                "Padding is hidden before the softmax, but the future only after it, so through the denominator it "
                "still changes the past. Hide both before the softmax.",
            ),
            Misconception(
                one_padding_token,
                "One token of padding is let in. Positions count from 0, so a sentence of length n ends at n - 1: a "
                "key counts when key < valid_length.",
            ),
            Misconception(
                last_token_left_out,
                "The last real token gets no weight: a key counts when key < valid_length, since positions count "
                "from 0.",
            ),
            Misconception(
                first_length_for_all,
                "The length of the first sentence serves for all: give valid_length axes of its own, (batch, 1, 1), "
                "so that each sentence keeps its length.",
            ),
            Misconception(
                lengths_of_the_queries,
                "valid_length hides the rows of the padding, which ask, instead of its columns, which are asked: "
                "compare it with the positions of the keys, on the last axis.",
            ),
            Misconception(
                padded_rows_cleared,
                "The rows of padding are set to zero. The results of padded queries are ignored later, but their rows must still sum "
                "to one: hide padding only where it is a key.",
            ),
            Misconception(
                weights_before_the_mask,
                "The context is right, but the weights are returned without the mask: return those that made the "
                "context.",
            ),
            Misconception(
                causal_embeddings_as_values,
                "The weights average the embeddings themselves: multiply by W_v first, the values are X W_v.",
            ),
            Misconception(
                window_of_two,
                "A token sees only itself and the one before it. All earlier tokens may be seen: a key counts when "
                "key <= query.",
            ),
            Misconception(
                itself_alone,
                "A token sees only itself. All earlier tokens may be seen: a key counts when key <= query.",
            ),
        ),
        hints=(
            "Row i of the weights belongs to query i. Which columns may it see?",
            "Two conditions: the key's position is at most the query's, and the key lies inside its "
            "sentence.",
            "`visible = key <= query`, with an array of positions as a row and as a column; with lengths, "
            "also `key < length`. Fill the scores that are not visible before the softmax.",
        ),
        cases=_causal_cases,
        properties=(
            Property("a later token must not change an earlier result", _the_future_stays_out),
            Property("padding must get no weight", _padding_gets_no_weight),
            Property("each row of weights must sum to 1", rows_sum_to_one),
        ),
        forbidden=library_attention(),
        difficulty=3,
        minutes=20,
        points=3,
    ),
    Exercise(
        name="which_leaks",
        title="Find the leak",
        statement=(
            "`before` holds the outputs of three models for one sequence, and `after` those for the same "
            "sequence with new tokens from `position` on. In exactly one model an output before `position` "
            "changes. Name it."
        ),
        rules=("Changes of at most 1e-5 are rounding.",),
        entry="which_leaks",
        arguments=(
            Argument("before", "(3, num_tokens, d_v)"),
            Argument("after", "(3, num_tokens, d_v)"),
            Argument("position", "int, at least 1"),
        ),
        returns=(Output("model", '"a", "b" or "c"', plain=True),),
        reference=which_leaks,
        misconceptions=(
            Misconception(
                whole_sequence_compared,
                "Your answer is always a. As a whole the outputs of every model change, since the tokens from "
                "position on are new: compare only the outputs before it.",
            ),
            Misconception(
                position_counted_as_past,
                "The token at position has changed itself, so its output may change too. The past ends "
                "just before it: take [:position].",
            ),
            Misconception(
                largest_change_anywhere,
                "This is the model that changes most, and the largest changes stand from position on, where the tokens are new. What tells is whether the outputs before it change at all.",
            ),
            Misconception(
                largest_change_up_to_position,
                "This is the model that changes most up to position, and the largest changes stand at position, where the token is new. The past ends just before it: take [:position].",
            ),
            Misconception(
                only_the_first_token,
                "These are the answers for the first token only; a mask shifted by one leaks into the token just before position. Look at the whole past.",
            ),
            Misconception(
                only_the_token_before,
                "These are the answers for the token just before position only; a leak may reach any earlier one. Look at the whole past.",
            ),
            Misconception(
                signed_changes,
                "An output that falls has changed as well: take absolute values before looking for the "
                "largest.",
            ),
            Misconception(
                last_past_token_left_out_or_none,
                "The token just before position is left out, so a leak into it alone is named None: the past is "
                "[:position].",
            ),
            Misconception(
                only_the_token_before_or_none,
                "These are the answers for the token just before position only, and None where the leak reaches earlier ones: look at the whole past.",
            ),
            Misconception(
                signed_changes_or_none,
                "Differences keep their sign, so a model whose outputs fall is named None: take absolute values "
                "before looking for the largest.",
            ),
            Misconception(
                signed_mean,
                "These are the answers for the mean of the changes with their signs, where those up and down cancel: take absolute values first.",
            ),
            Misconception(
                rounding_counted,
                "Differences of about 1e-6 are rounding: two calls need not add in the same order. Count "
                "only what is above 1e-5.",
            ),
            Misconception(
                last_past_token_left_out,
                "The token just before position is left out. The past is [:position], which ends there; a mask "
                "shifted by one leaks into exactly that token.",
            ),
            Misconception(
                smallest_change,
                "This is the model whose past changes least: the one that leaks is the one whose past changes.",
            ),
            Misconception(
                index_for_the_letter, 'The result is a number: return the letter, "a", "b" or "c".'
            ),
            Misconception(upper_case, 'The letter is in upper case: return "a", "b" or "c".'),
            Misconception(
                always_the_last, "Every answer is c, whatever the numbers are: compare before and after."
            ),
            Misconception(
                always_the_middle, "Every answer is b, whatever the numbers are: compare before and after."
            ),
        ),
        hints=(
            "The new tokens stand at `position` and after it. What must not change, if no model looks ahead?",
            "Compare before and after at the positions below `position` only, for each of the three models.",
            "Take the largest absolute change of each model in `[:, :position]`; rounding may leave a "
            "tiny one, so compare it with `1e-5` and not with 0.",
        ),
        cases=_leak_cases,
        difficulty=2,
        minutes=15,
        points=2,
    ),
    Exercise(
        name="positional_encoding",
        title="Sines and cosines for every position",
        statement="Write the table of these encodings, with a row for each position, for any number of positions and any width; an odd width ends with a sine.",
        entry="positional_encoding",
        arguments=(Argument("num_positions", "int"), Argument("d", "int, at least 2, odd ones too")),
        returns=(Output("encoding", "(num_positions, d)", map=True),),
        reference=positional_encoding,
        misconceptions=(
            Misconception(
                halves_concatenated,
                "All sines come first and all cosines after them. They alternate: column 2i is a sine and "
                "column 2i + 1 the cosine of the same angle.",
            ),
            Misconception(
                exponent_not_doubled,
                "The exponent is i/d where i counts the pairs; it must be 2i/d, so that the wavelengths "
                "reach from 2π almost to 10000 · 2π. Yours stop at about 100 · 2π.",
            ),
            Misconception(
                exponent_doubled_twice,
                "The exponent is 4i/d: the numbers 0, 2, 4, … are 2i already, so do not double them again.",
            ),
            Misconception(
                frequency_for_each_column,
                "Each column has a frequency of its own. A sine and the cosine next to it share one: "
                "without that, a step along the sequence is no rotation.",
            ),
            Misconception(base_of_one_thousand, "The base is 1000; the paper's is 10000."),
            Misconception(
                sine_and_cosine_swapped,
                "Sines and cosines have changed places: even columns are sines, so position 0 starts with "
                "a 0.",
            ),
            Misconception(
                positions_from_one, "The positions start at 1; the first row belongs to position 0."
            ),
            Misconception(
                positions_over_their_number,
                "The positions are fractions of the length, so the same position gets another row in a longer "
                "table. They are whole numbers, 0, 1, 2, …",
            ),
            Misconception(
                two_pi_in_the_angle,
                "The angle has a factor 2π. The paper's sines take the position over 10000^(2i/d) as it is: the "
                "first wavelength is 2π.",
            ),
            Misconception(
                degrees_for_radians,
                "The angles are taken for degrees and turned into radians: they are radians already.",
            ),
            Misconception(
                one_wavelength,
                "All columns have one wavelength: the exponent 2i/d, which grows from 0 with the column, is "
                "missing.",
            ),
            Misconception(
                angles_without_denominator,
                "All columns have the wavelength 2π: divide the position by 10000^(2i/d).",
            ),
            Misconception(
                exponent_over_half_of_d, "The exponent is divided by half of d, rounded down: it is 2i/d."
            ),
            Misconception(
                exponent_reaches_one,
                "The exponent reaches exactly 1 in the last pair, as it does in some libraries, where i is divided "
                "by the number of pairs less 1. The paper's is 2i/d, which stays below 1.",
            ),
            Misconception(
                exponent_starts_a_pair_late,
                "The exponent of the first pair is 2/d: i counts from 0, so the first two columns have the "
                "wavelength 2π.",
            ),
            Misconception(sines_only, "Every column is a sine: odd columns are cosines of the same angle."),
            Misconception(
                powers_of_e,
                "The base is e: the paper's is 10000, so write exp(-log(10000) · 2i/d) or 10000 to the power.",
            ),
            Misconception(
                odd_width_ends_with_a_cosine,
                "With an odd width the last column is a cosine: it belongs to a sine whose cosine has no place any more.",
            ),
            Misconception(
                odd_width_rounded_up,
                "With an odd width there is one column too many: the last sine has no cosine beside it, so leave that out.",
            ),
            Misconception(
                odd_width_rounded_down,
                "With an odd width the last column is missing: it is a sine without a cosine beside it.",
            ),
            Misconception(
                odd_column_left_zero,
                "With an odd width the last column stays zero: it is a sine without a cosine beside it.",
            ),
            Misconception(
                an_axis_for_the_batch,
                "The table has an axis in front for the batch: return (num_positions, d), which broadcasts over any batch.",
            ),
            Misconception(
                table_transposed,
                "The table is transposed: each position is a row, (num_positions, d).",
            ),
            Misconception(
                cosines_only,
                "Every column is a cosine: even columns are sines of the same angle.",
            ),
            Misconception(
                exponent_over_one_less,
                "The exponent is divided by d - 1: it is 2i/d.",
            ),
            Misconception(
                positions_counted_down,
                "The rows stand in the opposite order: the first belongs to position 0.",
            ),
        ),
        hints=(
            "Even columns are sines, odd columns are cosines, and a pair of neighbours has the same angle.",
            "The angle of column `2i` is the position divided by `10000**(2i / d)`. The numbers 0, 2, 4, "
            "… are `2i` already.",
            "`angles = positions / 10000 ** (even / d)`, with positions as a column and even as a row. An "
            "odd width has one sine more than cosines: cut the cosines to `d // 2` columns.",
        ),
        cases=_positional_cases,
        properties=(
            Property("the row of position 0 must be 0, 1, 0, 1, …", _position_zero_is_zeros_and_ones),
        ),
        difficulty=2,
        minutes=15,
        points=2,
    ),
)
