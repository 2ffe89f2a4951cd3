"""Exercises on score functions."""

from dataclasses import replace

import numpy as np

from autograder.model.exercise import Argument, Call, Case, Exercise, Output, Parameter, Property
from exercises.shared import a_case_of_each, draw_sizes, one_of
from solutions.score_functions.in_numpy import (
    Array,
    cosine_score,
    location_score,
    relu_score,
    unchanged_weights,
)

QUERIES = Argument("queries", "(batch, num_queries, d)")
KEYS = Argument("keys", "(batch, num_keys, d)")
SCORES = Output("scores", "(batch, num_queries, num_keys)", map=True)


# Cosine


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
    short = replace(
        short,
        inputs={
            n: X / np.linalg.norm(X, axis=-1, keepdims=True) * lengths[n][:, :, None]
            for n, X in short.inputs.items()
        },
    )
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


def _query_and_key_may_change_places(run: Call, case: Case) -> str | None:
    swapped = {"queries": case.inputs["keys"], "keys": case.inputs["queries"]}
    (scores,), (back,) = run(case), run(replace(case, inputs=swapped))
    if np.allclose(scores, back.swapaxes(1, 2), rtol=1e-3, atol=1e-4):
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
    """Draw vectors whose projections are never so near zero that a small step crosses the ReLU's kink."""
    vectors = rng.normal(size=shape)
    while (near := (np.abs(vectors @ W.T) < 0.01).any(axis=-1)).any():
        vectors[near] = rng.normal(size=(int(near.sum()), shape[-1]))
    return vectors


# Which score keeps the weights?


CHANGES = (
    "query twice as long",
    "all keys twice as long",
    "one vector added to all keys",
    "one vector added to the query",
    "query and keys turned alike",
    "all signs changed",
)


EXERCISES = (
    Exercise(
        name="cosine_score",
        title="The cosine as a score",
        statement="Compute the cosine between every query and every key.",
        rules=("Do not call `cosine_similarity` or `cosine_embedding_loss`.",),
        conditions={
            "returns scores": "0 for a vector of zeros, as padding often is, and its gradient is a number too",
        },
        entry="cosine_score",
        arguments=(QUERIES, KEYS),
        returns=(SCORES,),
        reference=cosine_score,
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
        title="Which score keeps the weights?",
        statement=(
            "A query and its keys are changed. Under which of two scores, the dot product and the cosine, do all "
            'attention weights stay the same, after the softmax: `"dot"`, `"cosine"`, `"both"` or `"neither"`?'
        ),
        conditions={
            "change": "a turn is a rotation around the origin",
            "returns scores": (
                "the answer must hold whatever the vectors are, the added one too, as long as none is zero"
            ),
        },
        entry="unchanged_weights",
        arguments=(one_of("change", CHANGES),),
        returns=(Output("scores", 'one of "dot", "cosine", "both", "neither"', plain=True),),
        reference=unchanged_weights,
        cases=a_case_of_each("change", CHANGES),
        difficulty=2,
        minutes=10,
        points=1,
    ),
    Exercise(
        name="location_score",
        title="Scores that never look at the keys",
        statement=(
            r"Write the location-based score. The score of position $i$ is entry $i$ of $\mathbf{W} "
            r"\mathbf{q}$: from `keys` it takes only their number."
        ),
        conditions={
            "longest": "at least num_keys",
            "keys": "only their number is used",
            "W.weight": "without a bias; there is no other parameter",
        },
        entry="LocationScore",
        arguments=(QUERIES, KEYS),
        returns=(SCORES,),
        reference=location_score,
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
        title="Correct FusionNet's last form",
        statement=(
            "Correct the class above, so that it computes the last form. With `D` all ones, as it begins, the class gives the "
            "right scores; what goes wrong once an entry of `D` has become negative?"
        ),
        conditions={
            "W.weight": "without a bias",
        },
        entry="ReluScore",
        arguments=(QUERIES, KEYS),
        returns=(SCORES,),
        reference=relu_score,
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
        parameters={"W": Parameter("W.weight", "(units, d)"), "D": Parameter("D", "(units,)", begins=1.0)},
        is_class=True,
        difficulty=3,
        minutes=20,
        points=2,
    ),
)
