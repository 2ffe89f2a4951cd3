"""Exercises on score functions."""

from dataclasses import replace

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
from exercises.shared import draw_sizes
from solutions.attention.in_numpy import softmax
from solutions.score_functions.in_numpy import (
    TINY,
    UNCHANGED,
    Array,
    cosine_score,
    dot_score,
    location_score,
    relu_score,
    symmetric_score,
    unchanged_weights,
    unit,
)

QUERIES = Argument("queries", "(batch, num_queries, d)")
KEYS = Argument("keys", "(batch, num_keys, d)")
SCORES = Output("scores", "(batch, num_queries, num_keys)", map=True)


# Cosine


def plain_dot_product(queries: Array, keys: Array) -> Array:
    return dot_score(queries, keys)


def only_the_queries_normalised(queries: Array, keys: Array) -> Array:
    return dot_score(unit(queries), keys)


def only_the_keys_normalised(queries: Array, keys: Array) -> Array:
    return dot_score(queries, unit(keys))


def divided_by_squared_lengths(queries: Array, keys: Array) -> Array:
    def over_square(vectors: Array) -> Array:
        return np.asarray(vectors / np.maximum((vectors**2).sum(axis=-1, keepdims=True), TINY))

    return dot_score(over_square(queries), over_square(keys))


def normalised_over_positions(queries: Array, keys: Array) -> Array:
    def over_positions(vectors: Array) -> Array:
        return np.swapaxes(unit(np.swapaxes(vectors, 1, 2)), 1, 2)

    return dot_score(over_positions(queries), over_positions(keys))


def one_length_for_a_whole_matrix(queries: Array, keys: Array) -> Array:
    def over_matrix(vectors: Array) -> Array:
        return unit(vectors.reshape(len(vectors), -1)).reshape(vectors.shape)

    return dot_score(over_matrix(queries), over_matrix(keys))


def divided_by_root_d(queries: Array, keys: Array) -> Array:
    return dot_score(queries, keys) / np.sqrt(keys.shape[2])


def cosine_distance(queries: Array, keys: Array) -> Array:
    return np.asarray(1 - cosine_score(queries, keys))


def softmax_of_the_cosines(queries: Array, keys: Array) -> Array:
    return softmax(cosine_score(queries, keys))


def zero_key_is_nan(queries: Array, keys: Array) -> Array:
    lengths = [np.linalg.norm(vectors, axis=-1, keepdims=True) for vectors in (queries, keys)]
    return dot_score(queries / lengths[0], keys / lengths[1])


def _lengths(queries: Array, keys: Array) -> Array:
    """The length of each query times that of each key."""
    return np.asarray(np.linalg.norm(queries, axis=-1)[:, :, None] * np.linalg.norm(keys, axis=-1)[:, None])


def lengths_by_absolute_values(queries: Array, keys: Array) -> Array:
    Q, K = (x / np.maximum(np.abs(x).sum(axis=-1, keepdims=True), TINY) for x in (queries, keys))
    return dot_score(Q, K)


def cosine_over_root_d(queries: Array, keys: Array) -> Array:
    return cosine_score(queries, keys) / np.sqrt(keys.shape[2])


def keys_centred(queries: Array, keys: Array) -> Array:
    return cosine_score(queries, keys - keys.mean(axis=-1, keepdims=True))


def both_centred(queries: Array, keys: Array) -> Array:
    return cosine_score(
        queries - queries.mean(axis=-1, keepdims=True), keys - keys.mean(axis=-1, keepdims=True)
    )


def root_mean_square_for_length(queries: Array, keys: Array) -> Array:
    return cosine_score(queries, keys) * keys.shape[2]


def root_of_the_lengths(queries: Array, keys: Array) -> Array:
    return np.asarray(cosine_score(queries, keys) * np.sqrt(_lengths(queries, keys)))


def sum_of_the_lengths(queries: Array, keys: Array) -> Array:
    lengths = np.linalg.norm(queries, axis=-1)[:, :, None] + np.linalg.norm(keys, axis=-1)[:, None]
    return np.asarray(dot_score(queries, keys) / lengths)


def epsilon_on_the_product(queries: Array, keys: Array) -> Array:
    return np.asarray(dot_score(queries, keys) / (_lengths(queries, keys) + 1e-8))


def only_the_keys_twice(queries: Array, keys: Array) -> Array:
    return dot_score(queries, unit(keys)) / np.maximum(np.linalg.norm(keys, axis=-1), TINY)[:, None]


def only_the_queries_twice(queries: Array, keys: Array) -> Array:
    return dot_score(unit(queries), keys) / np.linalg.norm(queries, axis=-1)[:, :, None]


def root_left_out_for_the_queries(queries: Array, keys: Array) -> Array:
    return cosine_score(queries, keys) / np.linalg.norm(queries, axis=-1)[:, :, None]


def root_left_out_for_the_keys(queries: Array, keys: Array) -> Array:
    return cosine_score(queries, keys) / np.maximum(np.linalg.norm(keys, axis=-1), TINY)[:, None]


def cosine_key_by_query(queries: Array, keys: Array) -> Array:
    return cosine_score(keys, queries)


def cosine_without_its_sign(queries: Array, keys: Array) -> Array:
    return np.abs(cosine_score(queries, keys))


def cosine_squared(queries: Array, keys: Array) -> Array:
    return cosine_score(queries, keys) ** 2


def cosine_cut_at_zero(queries: Array, keys: Array) -> Array:
    return np.maximum(cosine_score(queries, keys), 0)


def cosine_negated(queries: Array, keys: Array) -> Array:
    return -cosine_score(queries, keys)


def half_of_one_plus_cosine(queries: Array, keys: Array) -> Array:
    return (1 + cosine_score(queries, keys)) / 2


def angle_for_cosine(queries: Array, keys: Array) -> Array:
    return np.arccos(np.clip(cosine_score(queries, keys), -1, 1))


def largest_entry_for_length(queries: Array, keys: Array) -> Array:
    Q, K = (x / np.maximum(np.abs(x).max(axis=-1, keepdims=True), TINY) for x in (queries, keys))
    return dot_score(Q, K)


def squared_euclidean_distance(queries: Array, keys: Array) -> Array:
    gaps = queries[:, :, None] - keys[:, None]
    return np.asarray(-(gaps**2).sum(axis=-1))


def _between_minus_one_and_one(run: Call, case: Case) -> str | None:
    (scores,) = run(case)
    if (np.abs(scores) <= 1 + 1e-4).all():
        return None
    place = tuple(map(int, np.unravel_index(int(np.abs(scores).argmax()), scores.shape)))
    return f"The score at {place} is {scores[place]:.4g}."


def _length_does_not_count(run: Call, case: Case) -> str | None:
    longer = {**case.inputs, "keys": 2 * case.inputs["keys"]}
    (before,), (after,) = run(case), run(replace(case, inputs=longer))
    if np.allclose(before, after, rtol=1e-3, atol=1e-4):
        return None
    return "Keys twice as long get other scores."


def _cases_of_cosine(rng: np.random.Generator) -> list[Case]:
    def case(note: str, typical: tuple[int, ...], size: float = 1.0, gradient: bool = False) -> Case:
        batch, num_queries, num_keys, d = draw_sizes(rng, *typical)
        queries = size * rng.normal(size=(batch, num_queries, d))
        keys = size * rng.normal(size=(batch, num_keys, d))
        return Case(note, {"queries": queries, "keys": keys}, gradient=gradient)

    padded = case("a key of zeros, as padding is", (2, 3, 4, 6))
    padded.inputs["keys"][rng.integers(2), -1] = 0
    short = case("vectors with lengths in the thousandths", (2, 2, 3, 2))
    # A narrow range: which epsilon is small enough must not depend on the draw.
    lengths = {name: rng.uniform(0.0035, 0.005, size=X.shape[:2]) for name, X in short.inputs.items()}
    short = replace(short, inputs={n: unit(X) * lengths[n][:, :, None] for n, X in short.inputs.items()})
    return [
        case("vectors of very different lengths", (2, 3, 5, 4), size=3.0, gradient=True),
        case("more queries than keys", (3, 6, 2, 7), gradient=True),
        padded,
        case("a single query", (4, 1, 7, 3)),
        case("a single key", (2, 3, 1, 5)),
        case("vectors with lengths in the hundreds", (1, 4, 6, 8), size=100.0),
        short,
    ]


# Location


def last_positions_kept(queries: Array, keys: Array, W: Array, d: int, longest: int) -> Array:
    return np.asarray((queries @ W.T)[:, :, -keys.shape[1] :])


def softmax_before_the_cut(queries: Array, keys: Array, W: Array, d: int, longest: int) -> Array:
    return np.asarray(softmax(queries @ W.T)[:, :, : keys.shape[1]])


def softmax_after_the_cut(queries: Array, keys: Array, W: Array, d: int, longest: int) -> Array:
    return softmax(location_score(queries, keys, W))


def content_added(queries: Array, keys: Array, W: Array, d: int, longest: int) -> Array:
    return location_score(queries, keys, W) + dot_score(queries, keys)


def keys_score_themselves(queries: Array, keys: Array, W: Array, d: int, longest: int) -> Array:
    return np.swapaxes((keys @ W.T)[:, :, : queries.shape[1]], 1, 2)


def one_row_for_all_queries(queries: Array, keys: Array, W: Array, d: int, longest: int) -> Array:
    mean = np.broadcast_to(queries.mean(axis=1, keepdims=True), queries.shape)
    return location_score(mean, keys, W)


def location_over_root_d(queries: Array, keys: Array, W: Array, d: int, longest: int) -> Array:
    return location_score(queries, keys, W) / np.sqrt(queries.shape[2])


def location_squashed(queries: Array, keys: Array, W: Array, d: int, longest: int) -> Array:
    return np.tanh(location_score(queries, keys, W))


def all_positions_returned(queries: Array, keys: Array, W: Array, d: int, longest: int) -> Array:
    return np.asarray(queries @ W.T)


def positions_beyond_at_zero(queries: Array, keys: Array, W: Array, d: int, longest: int) -> Array:
    return np.asarray(queries @ W.T * (np.arange(longest) < keys.shape[1]))


def cut_along_the_queries(queries: Array, keys: Array, W: Array, d: int, longest: int) -> Array:
    return np.asarray((queries @ W.T)[:, : keys.shape[1]])


def one_position_too_few(queries: Array, keys: Array, W: Array, d: int, longest: int) -> Array:
    return location_score(queries, keys, W)[:, :, :-1]


def location_key_by_query(queries: Array, keys: Array, W: Array, d: int, longest: int) -> Array:
    return location_score(queries, keys, W).swapaxes(1, 2)


def location_times_content(queries: Array, keys: Array, W: Array, d: int, longest: int) -> Array:
    return location_score(queries, keys, W) * dot_score(queries, keys)


def content_alone(queries: Array, keys: Array, W: Array, d: int, longest: int) -> Array:
    return dot_score(queries, keys)


def positions_in_reverse(queries: Array, keys: Array, W: Array, d: int, longest: int) -> Array:
    return location_score(queries, keys, W)[:, :, ::-1]


def rows_of_W_compared_with_keys(queries: Array, keys: Array, W: Array, d: int, longest: int) -> Array:
    scores = (W[: keys.shape[1]] * keys).sum(axis=-1)[:, None]
    return np.asarray(np.broadcast_to(scores, (len(keys), queries.shape[1], keys.shape[1])))


def negative_scores_cut(queries: Array, keys: Array, W: Array, d: int, longest: int) -> Array:
    return np.maximum(location_score(queries, keys, W), 0)


def exponential_of_the_location(queries: Array, keys: Array, W: Array, d: int, longest: int) -> Array:
    return np.exp(location_score(queries, keys, W))


def cut_at_the_number_of_queries(queries: Array, keys: Array, W: Array, d: int, longest: int) -> Array:
    return np.asarray((queries @ W.T)[:, :, : queries.shape[1]])


def cut_at_the_width(queries: Array, keys: Array, W: Array, d: int, longest: int) -> Array:
    return np.asarray((queries @ W.T)[:, :, : keys.shape[2]])


def one_position_too_many(queries: Array, keys: Array, W: Array, d: int, longest: int) -> Array:
    return np.asarray((queries @ W.T)[:, :, : keys.shape[1] + 1])


def first_query_for_all(queries: Array, keys: Array, W: Array, d: int, longest: int) -> Array:
    return location_score(np.broadcast_to(queries[:, :1], queries.shape), keys, W)


def location_through_a_sigmoid(queries: Array, keys: Array, W: Array, d: int, longest: int) -> Array:
    return 1 / (1 + np.exp(-location_score(queries, keys, W)))


def keys_average_scored(queries: Array, keys: Array, W: Array, d: int, longest: int) -> Array:
    mean = np.broadcast_to(keys.mean(axis=1, keepdims=True), queries.shape)
    return location_score(mean, keys, W)


def _location(queries: Array, keys: Array, W: Array, d: int, longest: int) -> Array:
    return location_score(queries, keys, W)


def _content_does_not_count(run: Call, case: Case) -> str | None:
    other = {**case.inputs, "keys": case.inputs["keys"][:, ::-1] + 1}
    (before,), (after,) = run(case), run(replace(case, inputs=other))
    if np.allclose(before, after, rtol=1e-3, atol=1e-4):
        return None
    return "Other keys at the same positions get other scores."


def _cases_of_location(rng: np.random.Generator) -> list[Case]:
    def case(note: str, typical: tuple[int, ...], room: int, gradient: bool = False) -> Case:
        batch, num_queries, num_keys, d = draw_sizes(rng, *typical)
        longest = num_keys + room
        return Case(
            note,
            {
                "queries": rng.normal(size=(batch, num_queries, d)),
                "keys": rng.normal(size=(batch, num_keys, d)),
            },
            {"d": d, "longest": longest},
            {"W": rng.normal(size=(longest, d)) / np.sqrt(d) + 0.3},
            gradient=gradient,
        )

    return [
        case("room for more keys than there are", (2, 3, 5, 4), int(rng.integers(3, 6)), gradient=True),
        case("as many keys as there is room for", (3, 2, 6, 5), 0, gradient=True),
        case("room for one more", (2, 4, 7, 3), 1),
        case("a single query", (4, 1, 3, 6), 2),
        case("a single key", (2, 5, 1, 2), int(rng.integers(4, 8))),
    ]


# ReLU


def relu_forgotten(queries: Array, keys: Array, W: Array, D: Array, d: int, units: int) -> Array:
    return symmetric_score(queries, keys, W, D)


def relu_after_the_product(queries: Array, keys: Array, W: Array, D: Array, d: int, units: int) -> Array:
    return np.maximum(symmetric_score(queries, keys, W, D), 0)


def relu_on_the_queries_only(queries: Array, keys: Array, W: Array, D: Array, d: int, units: int) -> Array:
    return dot_score(np.maximum(queries @ W.T, 0) * D, keys @ W.T)


def relu_on_the_keys_only(queries: Array, keys: Array, W: Array, D: Array, d: int, units: int) -> Array:
    return dot_score(queries @ W.T * D, np.maximum(keys @ W.T, 0))


def diagonal_inside_the_relu(queries: Array, keys: Array, W: Array, D: Array, d: int, units: int) -> Array:
    return dot_score(np.maximum(queries @ W.T * D, 0), np.maximum(keys @ W.T, 0))


def diagonal_forgotten(queries: Array, keys: Array, W: Array, D: Array, d: int, units: int) -> Array:
    return relu_score(queries, keys, W, np.ones_like(D))


def diagonal_on_both_sides(queries: Array, keys: Array, W: Array, D: Array, d: int, units: int) -> Array:
    return relu_score(queries, keys, W, D**2)


def products_over_root_units(queries: Array, keys: Array, W: Array, D: Array, d: int, units: int) -> Array:
    return relu_score(queries, keys, W, D) / np.sqrt(len(D))


def diagonal_inside_both_relus(queries: Array, keys: Array, W: Array, D: Array, d: int, units: int) -> Array:
    return dot_score(np.maximum(queries @ W.T * D, 0), np.maximum(keys @ W.T * D, 0))


def diagonal_inside_the_keys_relu(
    queries: Array, keys: Array, W: Array, D: Array, d: int, units: int
) -> Array:
    return dot_score(np.maximum(queries @ W.T, 0), np.maximum(keys @ W.T * D, 0))


def diagonal_inside_and_outside(queries: Array, keys: Array, W: Array, D: Array, d: int, units: int) -> Array:
    return dot_score(np.maximum(queries @ W.T * D, 0) * D, np.maximum(keys @ W.T, 0))


def diagonal_without_its_negatives(
    queries: Array, keys: Array, W: Array, D: Array, d: int, units: int
) -> Array:
    return relu_score(queries, keys, W, np.maximum(D, 0))


def diagonal_without_its_sign(queries: Array, keys: Array, W: Array, D: Array, d: int, units: int) -> Array:
    return relu_score(queries, keys, W, np.abs(D))


def diagonal_summed(queries: Array, keys: Array, W: Array, D: Array, d: int, units: int) -> Array:
    return relu_score(queries, keys, W, np.full_like(D, D.sum()))


def diagonal_averaged(queries: Array, keys: Array, W: Array, D: Array, d: int, units: int) -> Array:
    return relu_score(queries, keys, W, np.full_like(D, D.mean()))


def diagonal_added(queries: Array, keys: Array, W: Array, D: Array, d: int, units: int) -> Array:
    return dot_score(np.maximum(queries @ W.T, 0) + D, np.maximum(keys @ W.T, 0))


def tanh_for_relu(queries: Array, keys: Array, W: Array, D: Array, d: int, units: int) -> Array:
    return dot_score(np.tanh(queries @ W.T) * D, np.tanh(keys @ W.T))


def sigmoid_for_relu(queries: Array, keys: Array, W: Array, D: Array, d: int, units: int) -> Array:
    return dot_score(D / (1 + np.exp(-queries @ W.T)), 1 / (1 + np.exp(-keys @ W.T)))


def absolute_value_for_relu(queries: Array, keys: Array, W: Array, D: Array, d: int, units: int) -> Array:
    return dot_score(np.abs(queries @ W.T) * D, np.abs(keys @ W.T))


def relu_before_the_projection(queries: Array, keys: Array, W: Array, D: Array, d: int, units: int) -> Array:
    return symmetric_score(np.maximum(queries, 0), np.maximum(keys, 0), W, D)


def relu_before_and_after(queries: Array, keys: Array, W: Array, D: Array, d: int, units: int) -> Array:
    return relu_score(np.maximum(queries, 0), np.maximum(keys, 0), W, D)


def relu_of_the_scores_too(queries: Array, keys: Array, W: Array, D: Array, d: int, units: int) -> Array:
    return np.maximum(relu_score(queries, keys, W, D), 0)


def neither_relu_nor_diagonal(queries: Array, keys: Array, W: Array, D: Array, d: int, units: int) -> Array:
    return dot_score(queries @ W.T, keys @ W.T)


def relu_form_key_by_query(queries: Array, keys: Array, W: Array, D: Array, d: int, units: int) -> Array:
    return relu_score(keys, queries, W, D)


def relu_form_softmaxed(queries: Array, keys: Array, W: Array, D: Array, d: int, units: int) -> Array:
    return softmax(relu_score(queries, keys, W, D))


def _relu(queries: Array, keys: Array, W: Array, D: Array, d: int, units: int) -> Array:
    return relu_score(queries, keys, W, D)


def _query_and_key_may_change_places(run: Call, case: Case) -> str | None:
    swapped = {"queries": case.inputs["keys"], "keys": case.inputs["queries"]}
    (there,), (back,) = run(case), run(replace(case, inputs=swapped))
    if np.allclose(there, back.swapaxes(1, 2), rtol=1e-3, atol=1e-4):
        return None
    return "With queries and keys exchanged the scores are not the same, transposed."


def _cases_of_relu(rng: np.random.Generator) -> list[Case]:
    def case(note: str, typical: tuple[int, ...], gradient: bool = False) -> Case:
        batch, num_queries, num_keys, d, units = draw_sizes(rng, *typical)
        W = rng.normal(size=(units, d)) / np.sqrt(d)
        # With signs of both kinds, and none of them near zero.
        D = np.where(np.arange(units) % 2, -1, 1) * rng.uniform(0.5, 2, size=units)
        queries, keys = (_clear_of_kinks(rng, (batch, n, d), W) for n in (num_queries, num_keys))
        settings = {"d": d, "units": units}
        return Case(note, {"queries": queries, "keys": keys}, settings, {"W": W, "D": D}, gradient=gradient)

    return [
        case("fewer units than d", (2, 3, 5, 6, 4), gradient=True),
        case("more units than d", (3, 4, 2, 3, 8), gradient=True),
        case("a single query", (4, 1, 6, 5, 7)),
        case("a single key", (2, 5, 1, 4, 6)),
        case("few units", (2, 4, 3, 7, 2)),
    ]


def _clear_of_kinks(rng: np.random.Generator, shape: tuple[int, ...], W: Array) -> Array:
    """Vectors whose projections are never so near zero that a small step crosses the ReLU's kink."""
    vectors = rng.normal(size=shape)
    while (near := (np.abs(vectors @ W.T) < 0.01).any(axis=-1)).any():
        vectors[near] = rng.normal(size=(int(near.sum()), shape[-1]))
    return vectors


# Whose weights stay


def _except(answers: dict[str, str], change: str) -> str:
    """The right answer, but for the changes that are given another one."""
    return answers.get(change, unchanged_weights(change))


def scaled_scores_taken_for_the_same(change: str) -> str:
    return _except({"query twice as long": "both", "all keys twice as long": "both"}, change)


def length_left_to_the_dot_product(change: str) -> str:
    return _except({"query twice as long": "dot", "all keys twice as long": "dot"}, change)


def lengths_always_count(change: str) -> str:
    return _except({"query twice as long": "neither", "all keys twice as long": "neither"}, change)


def only_the_keys_divided(change: str) -> str:
    return _except({"query twice as long": "neither"}, change)


def query_length_cancels(change: str) -> str:
    return _except({"query twice as long": "both"}, change)


def added_vector_never_cancels(change: str) -> str:
    return _except({"one vector added to all keys": "neither"}, change)


def added_vector_cancels_in_both(change: str) -> str:
    return _except({"one vector added to all keys": "both"}, change)


def moving_left_to_the_cosine(change: str) -> str:
    return _except({"one vector added to all keys": "cosine"}, change)


def query_moved_like_the_keys(change: str) -> str:
    return _except({"one vector added to the query": "dot"}, change)


def query_moved_without_effect(change: str) -> str:
    return _except({"one vector added to the query": "both"}, change)


def query_moved_and_angles_kept(change: str) -> str:
    return _except({"one vector added to the query": "cosine"}, change)


def turn_changes_coordinates(change: str) -> str:
    return _except({"query and keys turned alike": "neither"}, change)


def turn_kept_by_the_angle_only(change: str) -> str:
    return _except({"query and keys turned alike": "cosine"}, change)


def turn_kept_by_the_product_only(change: str) -> str:
    return _except({"query and keys turned alike": "dot"}, change)


def signs_change_the_scores(change: str) -> str:
    return _except({"all signs changed": "neither"}, change)


def signs_change_the_cosine(change: str) -> str:
    return _except({"all signs changed": "dot"}, change)


def signs_change_the_product(change: str) -> str:
    return _except({"all signs changed": "cosine"}, change)


def cosine_never_changes(change: str) -> str:
    return _except(
        {"one vector added to all keys": "both", "one vector added to the query": "cosine"}, change
    )


def dot_and_cosine_exchanged(change: str) -> str:
    right = unchanged_weights(change)
    return {"dot": "cosine", "cosine": "dot"}.get(right, right)


def always_cosine(change: str) -> str:
    return "cosine"


def always_dot(change: str) -> str:
    return "dot"


def always_both(change: str) -> str:
    return "both"


def always_neither(change: str) -> str:
    return "neither"


def _cases_of_changes(rng: np.random.Generator) -> list[Case]:
    return [Case(change, {"change": change}) for change in UNCHANGED]


EXERCISES = (
    Exercise(
        name="cosine_score",
        title="The cosine as a score",
        statement="Compute the cosine between every query and every key.",
        rules=(
            "Do not call `cosine_similarity` or `cosine_embedding_loss`.",
            "A vector of zeros, as padding often is, gets the score 0.",
        ),
        entry="cosine_score",
        arguments=(QUERIES, KEYS),
        returns=(SCORES,),
        reference=cosine_score,
        misconceptions=(
            Misconception(
                plain_dot_product,
                "Nothing is normalised: this is the dot product, in which a long key wins over a fitting one.",
            ),
            Misconception(
                only_the_queries_normalised,
                "Only the queries have length one, so long keys still score higher: normalise the keys too.",
            ),
            Misconception(
                only_the_keys_normalised,
                "Only the keys have length one, so a long query sharpens its own softmax: normalise the "
                "queries too.",
            ),
            Misconception(
                divided_by_squared_lengths,
                "The vectors are divided by their squared lengths, so long keys now score lower: take the "
                "square root.",
            ),
            Misconception(
                normalised_over_positions,
                "The length is taken over the positions: it belongs to one vector, so sum its squares over "
                "the last axis, d.",
            ),
            Misconception(
                one_length_for_a_whole_matrix,
                "All vectors of a batch element are divided by one common length: each vector has its own.",
            ),
            Misconception(
                divided_by_root_d,
                "This is the scaled dot product: a cosine divides by the lengths of the two vectors, not by sqrt(d).",
            ),
            Misconception(
                cosine_distance,
                "This is one minus the cosine, a distance: the key that fits best would get the lowest score.",
            ),
            Misconception(
                softmax_of_the_cosines,
                "These are weights already: a score function stops before the softmax, so that a mask can "
                "come in between.",
            ),
            Misconception(
                zero_key_is_nan,
                "A key of zeros, as padding is, gives 0 / 0 and NaN: keep the length away from zero, and its "
                "score is 0.",
            ),
            Misconception(
                lengths_by_absolute_values,
                "The lengths are sums of absolute values: the length of a vector is the root of the sum of its squares.",
            ),
            Misconception(
                cosine_over_root_d,
                "The cosines are divided by sqrt(d) as well: that belongs to the scaled dot product, and a cosine has its scale already.",
            ),
            Misconception(
                keys_centred,
                "The mean of each key is taken off first: a cosine compares the vectors as they are.",
            ),
            Misconception(
                both_centred,
                "The mean of each vector is taken off first, which makes a correlation: a cosine compares the vectors as they are.",
            ),
            Misconception(
                root_mean_square_for_length,
                "The squares are averaged and not added up, so the scores are d times too large: a length is the root of the sum of squares.",
            ),
            Misconception(
                root_of_the_lengths,
                "The dot product is divided by the root of the two lengths: a root too many. Divide by the lengths themselves.",
            ),
            Misconception(
                sum_of_the_lengths,
                "The dot product is divided by the sum of the two lengths: divide by their product.",
            ),
            Misconception(
                epsilon_on_the_product,
                "1e-8 is added to the product of the two lengths, which is as small itself where the vectors are short, "
                "so their scores come out too small. Keep each length from being 0: `clamp` or `maximum`.",
            ),
            Misconception(
                only_the_keys_twice,
                "The keys are divided by their length twice and the queries never: divide each by its own length once.",
            ),
            Misconception(
                only_the_queries_twice,
                "The queries are divided by their length twice and the keys never: divide each by its own length once.",
            ),
            Misconception(
                root_left_out_for_the_queries,
                "The queries are divided by their squared length: take its root, as for the keys.",
            ),
            Misconception(
                root_left_out_for_the_keys,
                "The keys are divided by their squared length: take its root, as for the queries.",
            ),
            Misconception(
                cosine_key_by_query,
                "Your scores have one row for each key: it must be one row for each query.",
            ),
            Misconception(
                cosine_without_its_sign,
                "The sign is lost: a key that points the other way must score -1, and not 1.",
            ),
            Misconception(cosine_squared, "The cosine is squared, and its sign is lost."),
            Misconception(
                cosine_cut_at_zero,
                "Negative cosines become 0: a key that points the other way must score less than one at a right angle.",
            ),
            Misconception(
                cosine_negated, "The sign is turned round: the key that fits best would get the lowest score."
            ),
            Misconception(
                half_of_one_plus_cosine,
                "The cosine is moved to between 0 and 1: return it as it is, between -1 and 1.",
            ),
            Misconception(
                angle_for_cosine,
                "This is the angle, which is smallest for the key that fits best: return its cosine.",
            ),
            Misconception(
                largest_entry_for_length,
                "The vectors are divided by their largest entry: the length of a vector is the root of the sum of its squares.",
            ),
            Misconception(
                squared_euclidean_distance,
                "This is minus the squared distance: a cosine is the dot product divided by the two lengths.",
            ),
        ),
        hints=(
            "A cosine is a dot product of two vectors of length 1.",
            "Divide every query and every key by its own length, then take all dot products. The zero "
            "vector has length 0, and its cosine is to be 0.",
            "Keep the length from being 0: take the larger of the sum of squares and `1e-12` (`clamp` or "
            "`maximum`), and then its root. The axis of the features stays, with size 1, so that the "
            "division fits.",
        ),
        cases=_cases_of_cosine,
        properties=(
            Property("a cosine must lie between -1 and 1", _between_minus_one_and_one),
            Property("the length of a key must not count", _length_does_not_count),
        ),
        forbidden=("torch.nn.functional.cosine_similarity", "torch.nn.functional.cosine_embedding_loss"),
        difficulty=2,
        minutes=15,
        points=2,
    ),
    Exercise(
        name="unchanged_weights",
        title="Whose weights stay",
        statement=(
            "A query and its keys are changed. Under which of two scores, the dot product and the cosine, do all "
            'attention weights stay the same, after the softmax: `"dot"`, `"cosine"`, `"both"` or `"neither"`?'
        ),
        rules=(
            "An answer must hold whatever the vectors are, the added one too, as long as none is zero.",
            "A turn is a rotation around the origin.",
        ),
        entry="unchanged_weights",
        arguments=(Argument("change", "one of " + ", ".join(f'"{change}"' for change in UNCHANGED)),),
        returns=(Output("scores", 'one of "dot", "cosine", "both", "neither"', plain=True),),
        reference=unchanged_weights,
        misconceptions=(
            Misconception(
                scaled_scores_taken_for_the_same,
                "A factor on all scores does not cancel in the softmax: twice the scores make the weights sharper. Only what is *added* to all scores cancels. So the dot product gives other weights, and the cosine divides the length away.",
            ),
            Misconception(
                length_left_to_the_dot_product,
                "It is the other way round for lengths: a dot product grows with the length of the query and of the keys, and a cosine divides both lengths away.",
            ),
            Misconception(
                lengths_always_count,
                "A cosine divides by the lengths of query and key, so twice the length changes nothing: its weights stay.",
            ),
            Misconception(
                only_the_keys_divided,
                "The cosine divides by the length of the query too, not by those of the keys alone: a query twice as long gets the same weights.",
            ),
            Misconception(
                query_length_cancels,
                "The length of the query is in every dot product as a factor, and a factor does not cancel in the softmax: twice as long a query makes sharper weights.",
            ),
            Misconception(
                added_vector_never_cancels,
                "Write it out: q · (k + c) = q · k + q · c. What is added, q · c, is the same for all keys, and the softmax cancels what is added to all scores. The weights of the dot product stay.",
            ),
            Misconception(
                added_vector_cancels_in_both,
                "For the dot product it cancels: q · c is added to all scores. But a cosine measures angles from the origin, and keys that are all moved have other angles and other lengths.",
            ),
            Misconception(
                moving_left_to_the_cosine,
                "It is the other way round for a vector added to all keys: q · (k + c) adds the same q · c to all dot products, which cancels, and the angles of the cosine change.",
            ),
            Misconception(
                query_moved_like_the_keys,
                "For the query it does not cancel: (q + c) · k = q · k + c · k, and c · k is different for each key.",
            ),
            Misconception(
                query_moved_without_effect,
                "Another query points elsewhere, so its angles to the keys change, and c · k is different for each key.",
            ),
            Misconception(
                query_moved_and_angles_kept,
                "A vector added to the query lets it point elsewhere, so its angles to the keys change, and the cosines with them.",
            ),
            Misconception(
                turn_changes_coordinates,
                "The numbers in the vectors change, but not the angles between them, nor the lengths: dot product and cosine depend on these alone.",
            ),
            Misconception(
                turn_kept_by_the_angle_only,
                "A turn keeps the lengths as well as the angles, and a dot product is the two lengths times the cosine of the angle: it stays too.",
            ),
            Misconception(
                turn_kept_by_the_product_only,
                "A turn keeps all angles between query and keys, and so all cosines: both scores stay.",
            ),
            Misconception(
                signs_change_the_scores,
                "Query and keys change their signs together, and minus times minus is plus: each product in the sum stays as it was, and so do both scores.",
            ),
            Misconception(
                signs_change_the_cosine,
                "The cosine stays too: it is the dot product, which stays, over two lengths, which have no sign.",
            ),
            Misconception(
                signs_change_the_product,
                "The dot product stays too: minus times minus is plus in each term of its sum.",
            ),
            Misconception(
                cosine_never_changes,
                "A cosine depends on directions, and an added vector changes the direction of what it is added to: only lengths, common turns and common signs leave it alone.",
            ),
            Misconception(
                dot_and_cosine_exchanged,
                "Dot product and cosine are exchanged: the cosine divides the lengths away, and the dot product turns a vector added to all keys into a number added to all scores.",
            ),
            Misconception(
                always_cosine,
                "Every answer is the cosine. It does not mind lengths, but a vector added to the keys changes their angles, and a common turn leaves the dot product alone as well.",
            ),
            Misconception(
                always_dot,
                "Every answer is the dot product. It grows with the lengths of query and keys; only the cosine divides them away.",
            ),
            Misconception(
                always_both,
                "Every answer is both. Try numbers: double the query, and compare the weights of the dot product before and after.",
            ),
            Misconception(
                always_neither,
                "Every answer is neither. Try numbers: turn the signs of query and keys, and compare the scores before and after.",
            ),
        ),
        cases=_cases_of_changes,
        difficulty=2,
        minutes=10,
        points=1,
    ),
    Exercise(
        name="location_score",
        title="Scores that never look at the keys",
        statement="Write the location-based score. From `keys` it takes only their number.",
        rules=(
            "Its one parameter is `W.weight`, of the shape `(longest, d)`, without a bias.",
            "`num_keys` is at most `longest`.",
        ),
        entry="LocationScore",
        arguments=(QUERIES, KEYS),
        returns=(SCORES,),
        reference=_location,
        misconceptions=(
            Misconception(
                last_positions_kept,
                "The last positions are kept where the first ones are meant: entry 0 of W q belongs to key 0.",
            ),
            Misconception(
                softmax_before_the_cut,
                "The softmax comes first and the cut after it, so the weights of the keys that exist no "
                "longer sum to 1. Return the scores.",
            ),
            Misconception(
                softmax_after_the_cut,
                "These are weights already: a score function stops before the softmax, so that a mask can "
                "come in between.",
            ),
            Misconception(
                content_added,
                "The dot product of query and key is in your scores: here the key's content does not count at all.",
            ),
            Misconception(
                keys_score_themselves,
                "W is applied to the keys: here the query alone decides which positions to look at.",
            ),
            Misconception(
                one_row_for_all_queries,
                "All queries get the same scores, those of their mean: each query has a row of its own.",
            ),
            Misconception(
                location_over_root_d,
                "The scores are divided by sqrt(d): that belongs to the scaled dot product. Here W learns its "
                "own scale.",
            ),
            Misconception(
                location_squashed,
                "The scores go through a tanh, so none is beyond -1 and 1: leave them as W gives them.",
            ),
            Misconception(
                all_positions_returned,
                "There is a score for every position up to `longest`, also where there is no key: keep the first keys.shape[1].",
            ),
            Misconception(
                positions_beyond_at_zero,
                "The scores beyond the last key are set to 0 but stay: cut them off, and keep the first keys.shape[1].",
            ),
            Misconception(
                cut_along_the_queries,
                "The cut runs along the queries: the positions are on the last axis, so keep [:, :, : keys.shape[1]].",
            ),
            Misconception(
                one_position_too_few,
                "The last key gets no score: a slice leaves out its end by itself, so cut at keys.shape[1].",
            ),
            Misconception(
                location_key_by_query,
                "Your scores have one row for each key: it must be one row for each query.",
            ),
            Misconception(
                location_times_content,
                "The score of the position is multiplied by the dot product of query and key: here the key's content does not count at all.",
            ),
            Misconception(
                content_alone,
                "This is the dot product of query and key: here the query alone decides, by a row of W for each position.",
            ),
            Misconception(
                positions_in_reverse, "The positions run backwards: entry 0 of W q belongs to key 0."
            ),
            Misconception(
                rows_of_W_compared_with_keys,
                "The rows of W are compared with the keys: they are compared with the query.",
            ),
            Misconception(
                negative_scores_cut,
                "The scores go through a ReLU, so none is negative: leave them as W gives them.",
            ),
            Misconception(
                exponential_of_the_location,
                "The exponential is taken already: it belongs to the softmax, which comes later.",
            ),
            Misconception(
                cut_at_the_number_of_queries,
                "The scores are cut at the number of queries: keep as many as there are keys, keys.shape[1].",
            ),
            Misconception(
                cut_at_the_width,
                "The scores are cut at the width of a key: keep as many as there are keys, keys.shape[1].",
            ),
            Misconception(
                one_position_too_many,
                "One position too many is kept: a slice [:n] already holds n of them, so cut at keys.shape[1].",
            ),
            Misconception(
                first_query_for_all,
                "All queries get the scores of the first one: each query has a row of its own.",
            ),
            Misconception(
                location_through_a_sigmoid,
                "The scores go through a sigmoid, so all are between 0 and 1: leave them as W gives them.",
            ),
            Misconception(
                keys_average_scored,
                "W is applied to the mean of the keys: here the query alone decides which positions to look at.",
            ),
        ),
        hints=(
            "The score depends on the query and on the key's position. What the key holds plays no part.",
            "One layer without a bias makes `longest` scores of each query, one for each position.",
            "There may be fewer keys than positions: keep the first `keys.shape[1]` scores.",
        ),
        cases=_cases_of_location,
        properties=(Property("only the position of a key may count", _content_does_not_count),),
        settings=(Argument("d", "int"), Argument("longest", "int")),
        parameters={"W": Parameter("W.weight", "(longest, d)")},
        is_class=True,
        difficulty=2,
        minutes=15,
        points=2,
    ),
    Exercise(
        name="relu_score",
        title="Mend FusionNet's last form",
        statement=(
            "Mend the class above, so that it computes the last form. With `D` all ones, as it begins, the class gives the "
            "right scores; what goes wrong once an entry of `D` has become negative?"
        ),
        rules=("Its parameters are `W.weight`, `(units, d)`, and `D`, `(units,)`.",),
        entry="ReluScore",
        arguments=(QUERIES, KEYS),
        returns=(SCORES,),
        reference=_relu,
        misconceptions=(
            Misconception(
                diagonal_inside_the_relu,
                "D is inside the ReLU of the queries: a negative entry turns its unit around, so that it is "
                "active where it should be 0. Multiply after the ReLU.",
            ),
            Misconception(
                relu_forgotten,
                "There is no ReLU: this is the symmetric form before it, which is bilinear.",
            ),
            Misconception(
                relu_after_the_product,
                "The ReLU is applied to the scores, so no score is negative: it belongs to the two projections.",
            ),
            Misconception(
                relu_on_the_queries_only,
                "Only the queries go through the ReLU: with the keys left out, query and key may no longer "
                "change places.",
            ),
            Misconception(
                relu_on_the_keys_only,
                "Only the keys go through the ReLU: with the queries left out, query and key may no longer "
                "change places.",
            ),
            Misconception(
                diagonal_forgotten,
                "D is not used: without it two projections of ReLUs can never give a negative score.",
            ),
            Misconception(
                diagonal_on_both_sides,
                "D is multiplied into both sides, so it counts squared and its sign is lost: multiply one side.",
            ),
            Misconception(
                products_over_root_units,
                "The scores are divided by the root of the number of units: this form has no scale, D learns it.",
            ),
            Misconception(
                diagonal_inside_both_relus,
                "D is inside both ReLUs: a negative entry turns its unit around on both sides, and can never make a score smaller. Multiply once, after the ReLU.",
            ),
            Misconception(
                diagonal_inside_the_keys_relu,
                "D is inside the ReLU of the keys: a negative entry turns its unit around, so that it is active where it should be 0. Multiply after the ReLU.",
            ),
            Misconception(
                diagonal_inside_and_outside,
                "D is multiplied in twice, inside the ReLU of the queries and after it: take it out of the ReLU.",
            ),
            Misconception(
                diagonal_without_its_negatives,
                "D itself goes through a ReLU, so its negative entries are lost: multiply by D as it is.",
            ),
            Misconception(
                diagonal_without_its_sign,
                "The sign of D is lost, so no score is negative: multiply by D as it is.",
            ),
            Misconception(diagonal_summed, "D is added up to one number: each unit has an entry of its own."),
            Misconception(
                diagonal_averaged, "D is averaged to one number: each unit has an entry of its own."
            ),
            Misconception(diagonal_added, "D is added to the units: multiply them by it."),
            Misconception(
                tanh_for_relu,
                "A tanh stands in the place of the ReLU: a ReLU cuts off what is negative, and leaves the rest as it is.",
            ),
            Misconception(
                sigmoid_for_relu,
                "A sigmoid stands in the place of the ReLU: a ReLU cuts off what is negative, and leaves the rest as it is.",
            ),
            Misconception(
                absolute_value_for_relu,
                "The sign of the projections is dropped: a ReLU makes what is negative 0.",
            ),
            Misconception(
                relu_before_the_projection,
                "The ReLU comes before W: project first, then take the ReLU of W q and W k.",
            ),
            Misconception(
                relu_before_and_after, "The inputs go through a ReLU too: take it of W q and W k alone."
            ),
            Misconception(
                relu_of_the_scores_too,
                "A third ReLU cuts off the negative scores, for which D is there: return the scores as they are.",
            ),
            Misconception(
                neither_relu_nor_diagonal,
                "There is no ReLU and no D: this is a dot product of the two projections.",
            ),
            Misconception(
                relu_form_key_by_query,
                "Your scores have one row for each key: it must be one row for each query.",
            ),
            Misconception(
                relu_form_softmaxed,
                "These are weights already: a score function stops before the softmax, so that a mask can come in between.",
            ),
        ),
        hints=(
            "Let `D` be -1 somewhere and follow the numbers: what does a ReLU do with a negative number?",
            "In the formula `D` stands between the two ReLUs. In the class above it stands inside one of them.",
            "Take the ReLU of `W q` and of `W k`, multiply one of them by `D` after its ReLU, and then take all "
            "dot products.",
        ),
        cases=_cases_of_relu,
        properties=(
            Property(
                "a score must stay the same when query and key change places",
                _query_and_key_may_change_places,
            ),
        ),
        settings=(Argument("d", "int"), Argument("units", "int")),
        parameters={"W": Parameter("W.weight", "(units, d)"), "D": Parameter("D", "(units,)")},
        is_class=True,
        difficulty=3,
        minutes=20,
        points=2,
    ),
)
