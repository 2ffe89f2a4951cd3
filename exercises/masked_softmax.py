"""Exercises on masked softmax."""

import numpy as np

from autograder.frameworks import library_attention
from autograder.model.exercise import Argument, Call, Case, Exercise, Output, Property
from exercises.shared import (
    ALL,
    draw_sizes,
    draw_valid_lengths,
    mask_of,
    nothing_beyond_the_length,
    rows_sum_to_one,
)
from solutions.masked_softmax.in_numpy import masked_softmax, masked_softmax_or_zero

X = Argument("X", "(batch, num_queries, num_keys)")
# With the identity as values, attention gives the weights themselves.
LIBRARYS_OWN = (*library_attention(), "torch._masked_softmax")
RULES = ("Do not call the library's own attention or its masked softmax.",)
WEIGHTS = Output("weights", "(batch, num_queries, num_keys)", exact_zeros=True, map=True)


def plain_exponential(X: np.ndarray) -> np.ndarray:
    """Compute exp in half precision where X has no more digits than that."""
    half = X.astype(np.float16)
    return np.exp(half if (half == X).all() else X)


PROPERTIES = (
    Property("nothing beyond the valid length may get weight", nothing_beyond_the_length),
    Property("each row of weights must sum to 1", rows_sum_to_one),
)


def _with_loud_padding(case: Case) -> Case:
    """Return the same with padding that scores 1000 above the rest, where a mask after the softmax leaves nothing."""
    X = case.inputs["X"]
    X[~mask_of(X, case.inputs["valid_length"])] += 1000
    return case


def _cases(rng: np.random.Generator) -> list[Case]:
    def case(
        note: str,
        typical: tuple[int, int, int],
        lengths_of: str = "",
        among: tuple[int, ...] = (),
        size: float = 2.0,
        far: float = 0.0,
        gradient: bool = False,
    ) -> Case:
        shape = draw_sizes(rng, *typical)
        lengths = draw_valid_lengths(rng, shape, lengths_of, among)
        if far and lengths is not None:
            lengths = np.minimum(lengths, shape[2] - 1)  # every row has padding
        # Every second batch element has scores near `far`, the others near minus that.
        X = size * rng.normal(size=shape) + np.where(np.arange(shape[0]) % 2, far, -far)[:, None, None]
        return Case(note, {"X": X, "valid_length": lengths}, gradient=gradient)

    return [
        case("no valid_length", (2, 3, 5), gradient=True),
        case("one length for each batch element, (batch,)", (2, 3, 5), "batch", gradient=True),
        case("one length for each query, (batch, num_queries)", (2, 3, 5), "query", gradient=True),
        case("the extremes: one valid key, and all of them", (3, 2, 4), "batch", (1, ALL)),
        case("as many queries as batch elements", (3, 3, 6), "batch"),
        case("a single key", (2, 3, 1), "batch"),
        case("a single query", (4, 1, 7), "batch"),
        case("scores near 800 and near -800", (2, 4, 6), "batch", far=800.0),
        case("negative scores only", (2, 2, 5), "query", size=-4.0),
        case("one batch element", (1, 5, 3), "query"),
        _with_loud_padding(case("padding that scores far above the rest", (3, 2, 6), "batch")),
    ]


def _type_of_the_scores(run: Call, case: Case) -> str | None:
    (weights,) = run(case)
    return None if weights.dtype == case.dtype else f"X is {case.dtype} and the weights are {weights.dtype}."


def _cases_with_empty_rows(rng: np.random.Generator) -> list[Case]:
    def case(
        note: str,
        typical: tuple[int, int, int],
        lengths_of: str,
        among: tuple[int, ...] = (),
        dtype: str = "float32",
        around: float = 0.0,
        gradient: bool = False,
    ) -> Case:
        shape = draw_sizes(rng, *typical)
        lengths = draw_valid_lengths(rng, shape, lengths_of, among)
        # In half precision small weights have few digits.
        size = 1 if dtype == "float16" else 2
        inputs = {"X": around + size * rng.normal(size=shape), "valid_length": lengths}
        return Case(note, inputs, dtype=dtype, gradient=gradient)

    empty = case("every length is 0", (2, 2, 3), "batch")
    empty.inputs["valid_length"][:] = 0
    return [
        case("no empty row", (2, 3, 5), "batch", gradient=True),
        case("one batch element of length 0", (3, 2, 4), "batch", (0,), gradient=True),
        case("one query of length 0", (2, 3, 5), "query", (0,), gradient=True),
        empty,
        case("a single key", (3, 2, 1), "batch", (0, 1)),
        case("half precision", (2, 3, 6), "batch", (0,), "float16"),
        case("half precision, one length for each query", (2, 2, 7), "query", (0, ALL), "float16"),
        # There the exponential itself is infinite.
        case("half precision, scores near 15", (2, 3, 5), "batch", (0, ALL), "float16", around=15.0),
        _with_loud_padding(case("padding that scores far above the rest", (3, 2, 6), "batch", (0,))),
    ]


EXERCISES = (
    Exercise(
        name="masked_softmax",
        title="Softmax over the valid keys",
        statement=(
            "Write the softmax over the keys that gives every key beyond the valid length a weight of "
            "exactly zero."
        ),
        rules=RULES,
        conditions={
            "X": "not changed; scores may be near 800 and −800",
            "valid_length": (
                "one length for all queries of a batch element, or one for each query; each is at least 1; "
                "with `None` every key is valid"
            ),
        },
        entry="masked_softmax",
        arguments=(X, Argument("valid_length", "None, (batch,) or (batch, num_queries)")),
        returns=(WEIGHTS,),
        reference=masked_softmax,
        hints=(
            "A weight that is exactly zero comes out of the softmax by itself, if the score that goes in "
            "is a very large negative number.",
            "Make a mask of the shape of X: true where the key's position is smaller than the valid "
            "length. A length for each batch element, `(batch,)`, needs an axis for the queries first.",
            "The positions 0, 1, 2, … of the keys, compared with a `valid_length` of shape (…, 1), are the mask. "
            "[`X.masked_fill(~mask, -1e6)`]{.torch}[ in PyTorch, ]{.both}[`nd.where(mask, X, …)`]{.mxnet}[ in MXNet]{.both}; then the softmax "
            "over the last axis.",
        ),
        cases=_cases,
        properties=PROPERTIES,
        forbidden=LIBRARYS_OWN,
        difficulty=2,
        minutes=15,
        points=2,
    ),
    Exercise(
        name="masked_softmax_or_zero",
        title="Rows with nothing to attend to",
        statement=(
            "Extend the masked softmax to lengths of 0: such a row has weights of zero, and all other rows "
            "stay as they were."
        ),
        rules=RULES,
        conditions={
            "X": "in half precision too, with scores near 15; padding may score far above the rest",
            "returns weights": "of the type of `X`",
            "valid_length": "one length for all queries of a batch element, or one for each query",
        },
        entry="masked_softmax_or_zero",
        arguments=(X, Argument("valid_length", "(batch,) or (batch, num_queries), 0 allowed")),
        returns=(WEIGHTS,),
        reference=masked_softmax_or_zero,
        hints=(
            "With length 0 every score of the row is replaced by the same number. What is the softmax of "
            "equal scores?",
            "Keep the masked softmax as it is, and clear the weights of what is masked afterwards. In "
            "rows with valid keys this changes nothing.",
            "Multiply the softmax by the mask. Half precision has no `-1e6`: it becomes "
            "minus infinity, and a whole row of it NaN[, or `masked_fill` raises an error]{.torch}. Fill with the most negative finite number of X's own type.",
        ),
        cases=_cases_with_empty_rows,
        properties=(
            PROPERTIES[0],
            Property("the weights must have the type of X", _type_of_the_scores, True, True),
        ),
        forbidden=LIBRARYS_OWN,
        difficulty=3,
        minutes=15,
        points=2,
    ),
)
