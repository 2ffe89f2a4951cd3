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
        ),
        cases=_cases_of_citation,
        difficulty=1,
        minutes=5,
        points=1,
    ),
)
