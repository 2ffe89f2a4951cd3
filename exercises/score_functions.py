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
    CITATIONS,
    TINY,
    Array,
    citation,
    cosine_score,
    dot_score,
    location_score,
    relu_score,
    symmetric_score,
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
    return [
        case("vectors of very different lengths", (2, 3, 5, 4), size=3.0, gradient=True),
        case("more queries than keys", (3, 6, 2, 7), gradient=True),
        padded,
        case("a single query", (4, 1, 7, 3)),
        case("a single key", (2, 3, 1, 5)),
        case("vectors with lengths in the hundreds", (1, 4, 6, 8), size=100.0),
        case("vectors with lengths in the hundredths", (2, 2, 3, 2), size=0.01),
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


# Who wrote what


def shifted_by_a_row(score: str) -> str:
    return {"additive": "Graves 2014", "location-based": "Bahdanau 2015"}.get(score, citation(score))


def location_from_turing_machines(score: str) -> str:
    return "Graves 2014" if score == "location-based" else citation(score)


def additive_by_another_name(score: str) -> str:
    return "Luong 2015" if score == "additive" else citation(score)


def general_before_its_time(score: str) -> str:
    return "Bahdanau 2015" if score == "general" else citation(score)


def dot_without_its_scale(score: str) -> str:
    return "Vaswani 2017" if score == "dot" else citation(score)


def scale_overlooked(score: str) -> str:
    return "Luong 2015" if score == "scaled dot" else citation(score)


def content_from_translation(score: str) -> str:
    return "Bahdanau 2015" if score == "content-based" else citation(score)


def luong_for_everything(score: str) -> str:
    return "Luong 2015"


def all_but_the_scale_by_luong(score: str) -> str:
    return "Vaswani 2017" if score == "scaled dot" else "Luong 2015"


def bahdanau_for_everything(score: str) -> str:
    return "Bahdanau 2015"


def graves_for_everything(score: str) -> str:
    return "Graves 2014"


def vaswani_for_everything(score: str) -> str:
    return "Vaswani 2017"


def year_of_the_preprint(score: str) -> str:
    return "Bahdanau 2014" if score == "additive" else citation(score)


def content_by_luong(score: str) -> str:
    return "Luong 2015" if score == "content-based" else citation(score)


def general_by_vaswani(score: str) -> str:
    return "Vaswani 2017" if score == "general" else citation(score)


def additive_and_content_exchanged(score: str) -> str:
    exchanged = {"additive": "Graves 2014", "content-based": "Bahdanau 2015"}
    return exchanged.get(score, citation(score))


def location_by_bahdanau(score: str) -> str:
    return "Bahdanau 2015" if score == "location-based" else citation(score)


def both_dots_by_vaswani(score: str) -> str:
    return "Vaswani 2017" if score in ("dot", "general") else citation(score)


def shifted_the_other_way(score: str) -> str:
    shifted = {"content-based": "Bahdanau 2015", "additive": "Luong 2015", "dot": "Vaswani 2017"}
    return shifted.get(score, citation(score))


def additive_by_graves(score: str) -> str:
    return "Graves 2014" if score == "additive" else citation(score)


def _cases_of_citation(rng: np.random.Generator) -> list[Case]:
    return [Case(f"the {score} score", {"score": score}) for score in CITATIONS]


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
            "Keep the length from being 0: take the sum of squares, at least `1e-12` of it (`clamp` or "
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
            "Mend the class above. With `D` all ones, as it begins, the two are the same; what is "
            "different once `D` has learned to be negative?"
        ),
        rules=("Its parameters are `W.weight`, `(units, d)`, and `D`, `(units,)`.",),
        entry="ReluScore",
        arguments=(QUERIES, KEYS),
        returns=(SCORES,),
        reference=_relu,
        misconceptions=(
            Misconception(
                diagonal_inside_the_relu,
                "D is inside the ReLU of the queries: a negative entry turns its unit around, so that it speaks "
                "where it should be silent. Multiply after the ReLU.",
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
                "D is inside the ReLU of the keys: a negative entry turns its unit around, so that it speaks where it should be silent. Multiply after the ReLU.",
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
            "Let D be -1 somewhere and follow the numbers: what does a ReLU do with a negative number?",
            "In the formula D stands between the two ReLUs. In the class above it stands inside one of them.",
            "Take the ReLU of W q and of W k, multiply one of them by D after its ReLU, and then take all "
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
    Exercise(
        name="citation",
        title="Who wrote what",
        statement="Without the table: which paper does each score come from?",
        entry="citation",
        arguments=(Argument("score", "one of " + ", ".join(f'"{score}"' for score in CITATIONS)),),
        returns=(
            Output(
                "paper", "one of " + ", ".join(f'"{c}"' for c in sorted(set(CITATIONS.values()))), plain=True
            ),
        ),
        reference=citation,
        misconceptions=(
            Misconception(
                shifted_by_a_row,
                "Your citations are those of the notes, which stand one row too low: Bahdanau et al. add inside "
                "a tanh, and the location-based score is in Luong et al.",
            ),
            Misconception(
                location_from_turing_machines,
                "Neural Turing machines do have location-based addressing, but it shifts the last weights; the "
                "softmax of W_a s_t is Luong et al., equation 8.",
            ),
            Misconception(
                additive_by_another_name,
                "Luong et al. do test it, as concat; Bahdanau et al. used it a year before them.",
            ),
            Misconception(
                general_before_its_time,
                "Bahdanau et al. have one score only, the additive one. The general score is one of the three "
                "of Luong et al.",
            ),
            Misconception(
                dot_without_its_scale,
                "Without its scale the dot product is one of the three scores of Luong et al.",
            ),
            Misconception(
                scale_overlooked,
                "The scores of Luong et al. have no scale: dividing by the root of the dimension came with the "
                "transformer.",
            ),
            Misconception(
                content_from_translation,
                "Looking at the content is what most scores do; the one that bears the name is a cosine, and it "
                "came with a memory to be addressed, not with translation.",
            ),
            Misconception(
                luong_for_everything,
                "You give Luong et al. more than their three scores, dot, general and location-based: the additive one was there before them, and the cosine and the scale are from elsewhere.",
            ),
            Misconception(
                all_but_the_scale_by_luong,
                "Two scores are older than Luong et al.: the additive one came with attention itself, the content-based one with a memory to be addressed.",
            ),
            Misconception(
                bahdanau_for_everything,
                "Bahdanau et al. have one score only, the additive one: what else you give to them is by others.",
            ),
            Misconception(
                graves_for_everything,
                "Graves et al. compare by a cosine, the content-based score: what else you give to them is by others.",
            ),
            Misconception(
                vaswani_for_everything,
                "Vaswani et al. added the scale to the dot product: what else you give to them is older than the transformer.",
            ),
            Misconception(
                year_of_the_preprint,
                "The paper is the right one, and 2014 is the year of its preprint: it appeared in 2015, which is how the answer is written.",
            ),
            Misconception(
                content_by_luong,
                "Luong et al. have three scores, dot, general and location-based: the one called content-based is a cosine, and came with a memory to be addressed.",
            ),
            Misconception(
                general_by_vaswani,
                "The transformer has a scaled dot product of projections, and no general score: that is one of the three of Luong et al.",
            ),
            Misconception(
                additive_and_content_exchanged,
                "Two are exchanged: Bahdanau et al. add inside a tanh, and Graves et al. compare by a cosine, the content.",
            ),
            Misconception(
                location_by_bahdanau,
                "Bahdanau et al. have one score only, the additive one: the location-based one is the softmax of W_a s_t in Luong et al.",
            ),
            Misconception(
                both_dots_by_vaswani,
                "The dot and the general score, without a scale, are both by Luong et al.: Vaswani et al. added the scale.",
            ),
            Misconception(
                shifted_the_other_way,
                "Your citations stand one row too high: each score has that of the row below it. Bahdanau et al. add inside a tanh, Graves et al. compare by a cosine.",
            ),
            Misconception(
                additive_by_graves,
                "Graves et al. compare by a cosine: the additive score is the one with which Bahdanau et al. brought attention into translation.",
            ),
        ),
        cases=_cases_of_citation,
        difficulty=1,
        minutes=5,
        points=1,
    ),
)
