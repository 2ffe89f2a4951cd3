"""Exercises on masked softmax."""

import numpy as np

from autograder.model.exercise import Argument, Call, Case, Exercise, Misconception, Output, Property
from exercises.shared import (
    ALL,
    MASK_ADDED,
    MASK_TOO_LATE,
    OVER_QUERIES,
    RENORMALISED_TOO_LATE,
    draw_sizes,
    draw_valid_lengths,
    mask_after_softmax,
    mask_of,
    nothing_beyond_the_length,
    renormalised_too_late,
    rows_sum_to_one,
    shared_anew,
    softmax_over_queries,
)
from solutions.masked_softmax.in_numpy import masked_softmax, masked_softmax_or_zero, softmax

X = Argument("X", "(batch, num_queries, num_keys)")
WEIGHTS = Output("weights", "(batch, num_queries, num_keys)", exact_zeros=True, map=True)


def _softmax(X: np.ndarray, axis: int | tuple[int, ...]) -> np.ndarray:
    exps = np.exp(X - X.max(axis=axis, keepdims=True))
    return np.asarray(exps / exps.sum(axis=axis, keepdims=True))


def _filled(X: np.ndarray, valid_length: np.ndarray | None, value: float = -1e6) -> np.ndarray:
    return softmax(np.where(mask_of(X, valid_length), X, value))


def _plain_exponential(X: np.ndarray) -> np.ndarray:
    """exp in half precision where X has no more digits than that."""
    half = X.astype(np.float16)
    return np.exp(half if (half == X).all() else X)


def mask_ignored(X: np.ndarray, valid_length: np.ndarray | None) -> np.ndarray:
    return softmax(X)


def mask_inverted(X: np.ndarray, valid_length: np.ndarray | None) -> np.ndarray:
    mask = mask_of(X, valid_length)
    return softmax(np.where(mask if valid_length is not None else ~mask, -1e6, X))


def one_key_too_many(X: np.ndarray, valid_length: np.ndarray | None) -> np.ndarray:
    return masked_softmax(X, None if valid_length is None else valid_length + 1)


def masked_with_zero(X: np.ndarray, valid_length: np.ndarray | None) -> np.ndarray:
    return softmax(np.where(mask_of(X, valid_length), X, 0.0))


def lengths_tiled(X: np.ndarray, valid_length: np.ndarray | None) -> np.ndarray:
    if valid_length is None or valid_length.ndim == 2:
        return masked_softmax(X, valid_length)
    lengths = np.tile(valid_length, X.shape[1]).reshape(X.shape[:2])
    return masked_softmax(X, lengths)


def first_length_for_all_queries(X: np.ndarray, valid_length: np.ndarray | None) -> np.ndarray:
    if valid_length is None or valid_length.ndim == 1:
        return masked_softmax(X, valid_length)
    return masked_softmax(X, valid_length[:, 0])


def one_key_too_few(X: np.ndarray, valid_length: np.ndarray | None) -> np.ndarray:
    return _filled(X, None if valid_length is None else valid_length - 1)


def masked_with_minus_one(X: np.ndarray, valid_length: np.ndarray | None) -> np.ndarray:
    return _filled(X, valid_length, -1)


def mask_added_to_scores(X: np.ndarray, valid_length: np.ndarray | None) -> np.ndarray:
    return softmax(X + mask_of(X, valid_length))


def zeros_filled_and_cleared(X: np.ndarray, valid_length: np.ndarray | None) -> np.ndarray:
    return masked_with_zero(X, valid_length) * mask_of(X, valid_length)


def mask_inverted_after_softmax(X: np.ndarray, valid_length: np.ndarray | None) -> np.ndarray:
    return softmax(X) if valid_length is None else softmax(X) * ~mask_of(X, valid_length)


def padding_on_the_left(X: np.ndarray, valid_length: np.ndarray | None) -> np.ndarray:
    return masked_softmax(X[..., ::-1], valid_length)[..., ::-1]


def first_lengths_for_the_batch(X: np.ndarray, valid_length: np.ndarray | None) -> np.ndarray:
    if valid_length is None:
        return softmax(X)
    return masked_softmax(X, np.broadcast_to(valid_length[:1], valid_length.shape))


def longest_length_for_all(X: np.ndarray, valid_length: np.ndarray | None) -> np.ndarray:
    if valid_length is None:
        return softmax(X)
    return masked_softmax(X, np.full_like(valid_length, valid_length.max()))


def queries_softmax_then_masked(X: np.ndarray, valid_length: np.ndarray | None) -> np.ndarray:
    return _softmax(X, 1) * mask_of(X, valid_length)


def queries_softmax_unmasked(X: np.ndarray, valid_length: np.ndarray | None) -> np.ndarray:
    return _softmax(X, 1)


def queries_softmax_of_added_mask(X: np.ndarray, valid_length: np.ndarray | None) -> np.ndarray:
    """As computed in single precision, where the large number leaves a score few digits."""
    added = np.where(mask_of(X, valid_length), 0, -1e6).astype(np.float32)
    return _softmax((X.astype(np.float32) + added).astype(np.float64), 1)


def queries_softmax_of_shifted_scores(X: np.ndarray, valid_length: np.ndarray | None) -> np.ndarray:
    """The same in double precision, in which a score keeps its digits."""
    return _softmax(X + np.where(mask_of(X, valid_length), 0, -1e6), 1)


def softmax_over_the_batch(X: np.ndarray, valid_length: np.ndarray | None) -> np.ndarray:
    return _softmax(np.where(mask_of(X, valid_length), X, -1e6), 0)


def softmax_over_all_pairs(X: np.ndarray, valid_length: np.ndarray | None) -> np.ndarray:
    return _softmax(np.where(mask_of(X, valid_length), X, -np.inf), (1, 2))


def softmax_left_out(X: np.ndarray, valid_length: np.ndarray | None) -> np.ndarray:
    return np.where(mask_of(X, valid_length), X, -1e6)


def softmax_taken_twice(X: np.ndarray, valid_length: np.ndarray | None) -> np.ndarray:
    return softmax(masked_softmax(X, valid_length))


def exponential_overflows(X: np.ndarray, valid_length: np.ndarray | None) -> np.ndarray:
    exps = _plain_exponential(np.where(mask_of(X, valid_length), X, -1e6))
    return exps / exps.sum(axis=-1, keepdims=True)


def masked_exponential_overflows(X: np.ndarray, valid_length: np.ndarray | None) -> np.ndarray:
    exps = _plain_exponential(X) * mask_of(X, valid_length)
    return exps / exps.sum(axis=-1, keepdims=True)


def valid_exponentials_overflow(X: np.ndarray, valid_length: np.ndarray | None) -> np.ndarray:
    """As a loop over the rows gives it, in which padding keeps its 0."""
    mask = mask_of(X, valid_length)
    exps = np.where(mask, _plain_exponential(X), 0)
    return np.where(mask, exps / exps.sum(axis=-1, keepdims=True), 0)


def all_exponentials_in_the_sum(X: np.ndarray, valid_length: np.ndarray | None) -> np.ndarray:
    exps = _plain_exponential(X)
    return exps * mask_of(X, valid_length) / exps.sum(axis=-1, keepdims=True)


PROPERTIES = (
    Property("nothing beyond the valid length may get weight", nothing_beyond_the_length),
    Property("each row of weights must sum to 1", rows_sum_to_one),
)


def _with_loud_padding(case: Case) -> Case:
    """The same with padding that scores 1000 above the rest, where a mask after the softmax leaves nothing."""
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


def zero_row_is_uniform(X: np.ndarray, valid_length: np.ndarray) -> np.ndarray:
    return softmax(np.where(mask_of(X, valid_length), X, -6e4))


def zero_row_is_nan(X: np.ndarray, valid_length: np.ndarray) -> np.ndarray:
    return softmax(np.where(mask_of(X, valid_length), X, -np.inf))


def zero_row_sees_first_key(X: np.ndarray, valid_length: np.ndarray) -> np.ndarray:
    return masked_softmax(X, np.maximum(valid_length, 1))


def zero_row_sees_all_keys(X: np.ndarray, valid_length: np.ndarray) -> np.ndarray:
    return masked_softmax(X, np.where(valid_length == 0, X.shape[2], valid_length))


def whole_batch_element_is_zero(X: np.ndarray, valid_length: np.ndarray) -> np.ndarray:
    empty = (valid_length == 0).reshape(X.shape[0], -1).any(axis=1)
    return masked_softmax_or_zero(X, valid_length) * ~empty[:, None, None]


def renormalised_where_possible(X: np.ndarray, valid_length: np.ndarray) -> np.ndarray:
    return shared_anew(mask_after_softmax(X, valid_length))


def one_key_too_many_but_in_empty_rows(X: np.ndarray, valid_length: np.ndarray) -> np.ndarray:
    return masked_softmax_or_zero(X, valid_length + (valid_length > 0))


def cleared_by_the_inverted_mask(X: np.ndarray, valid_length: np.ndarray) -> np.ndarray:
    return zero_row_is_uniform(X, valid_length) * ~mask_of(X, valid_length)


def filled_by_the_inverted_mask(X: np.ndarray, valid_length: np.ndarray) -> np.ndarray:
    mask = mask_of(X, valid_length)
    return softmax(np.where(mask, -6e4, X)) * mask


def inverted_mask_not_cleared(X: np.ndarray, valid_length: np.ndarray) -> np.ndarray:
    return softmax(np.where(mask_of(X, valid_length), -6e4, X))


def mask_inverted_throughout(X: np.ndarray, valid_length: np.ndarray) -> np.ndarray:
    inverted = ~mask_of(X, valid_length)
    return softmax(np.where(inverted, X, -6e4)) * inverted


def only_empty_rows_masked(X: np.ndarray, valid_length: np.ndarray) -> np.ndarray:
    return softmax(X) * mask_of(X, valid_length).any(axis=-1, keepdims=True)


def one_key_too_many_and_in_empty_rows(X: np.ndarray, valid_length: np.ndarray) -> np.ndarray:
    return masked_softmax(X, valid_length + 1)


def first_query_decides(X: np.ndarray, valid_length: np.ndarray) -> np.ndarray:
    return masked_softmax_or_zero(X, valid_length if valid_length.ndim == 1 else valid_length[:, 0])


def lengths_in_the_wrong_order(X: np.ndarray, valid_length: np.ndarray) -> np.ndarray:
    if valid_length.ndim == 1:
        valid_length = np.tile(valid_length, X.shape[1]).reshape(X.shape[:2])
    return masked_softmax_or_zero(X, valid_length)


def softmax_over_queries_and_cleared(X: np.ndarray, valid_length: np.ndarray) -> np.ndarray:
    return softmax_over_queries(X, valid_length) * mask_of(X, valid_length)


def ones_in_empty_rows(X: np.ndarray, valid_length: np.ndarray) -> np.ndarray:
    return masked_softmax_or_zero(X, valid_length) + ~mask_of(X, valid_length).any(axis=-1, keepdims=True)


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
        rules=(
            "Each length is at least 1.",
            "With `None` every key is valid.",
            "Do not change `X` itself.",
        ),
        entry="masked_softmax",
        arguments=(X, Argument("valid_length", "None, (batch,) or (batch, num_queries)")),
        returns=(WEIGHTS,),
        reference=masked_softmax,
        misconceptions=(
            Misconception(softmax_over_queries, OVER_QUERIES),
            Misconception(mask_after_softmax, MASK_TOO_LATE),
            Misconception(renormalised_too_late, RENORMALISED_TOO_LATE),
            Misconception(mask_ignored, "valid_length has no effect: the keys beyond it still get weight."),
            Misconception(
                mask_inverted,
                "The mask is inverted: the keys beyond the valid length get the weight, and the valid ones none.",
            ),
            Misconception(
                one_key_too_many,
                "One key too many is valid: with length 2 the positions 0 and 1 count, so compare with < and not <=.",
            ),
            Misconception(
                masked_with_zero,
                "Masked scores are set to 0, and exp(0) is 1: they still get weight. Use a large negative number.",
            ),
            Misconception(
                lengths_tiled,
                "The lengths are repeated in the wrong order, [2, 4, 2, 4, …] in place of [2, 2, …, 4, 4, …], "
                "so a batch element gets the length of another.",
            ),
            Misconception(
                first_length_for_all_queries,
                "With one length for each query, all queries of a batch element use the first one's.",
            ),
            Misconception(
                one_key_too_few,
                "One key too few is valid: with length 2 the positions 0 and 1 count, so compare the position itself with <, without adding 1 to it or taking 1 off the length.",
            ),
            Misconception(
                masked_with_minus_one,
                "Masked scores are set to -1, and exp(-1) is 0.37: they still get weight. Use a large negative number.",
            ),
            Misconception(
                mask_added_to_scores,
                MASK_ADDED,
            ),
            Misconception(
                zeros_filled_and_cleared,
                "Masked scores are set to 0 and their weights to 0 after the softmax, in which they took part: the rows no longer sum to 1. Use a large negative number.",
            ),
            Misconception(
                mask_inverted_after_softmax,
                "The mask is inverted, and comes after the softmax: the valid keys lose their weight. Mask the scores of the keys beyond the length, then take the softmax.",
            ),
            Misconception(
                padding_on_the_left,
                "The last keys are kept, as if padding stood on the left: with length 2 the positions 0 and 1 count.",
            ),
            Misconception(
                first_lengths_for_the_batch,
                "Every batch element uses the lengths of the first one: each has its own.",
            ),
            Misconception(
                longest_length_for_all,
                "All rows use the largest length: each batch element, or each query, has its own.",
            ),
            Misconception(
                queries_softmax_then_masked,
                "The softmax runs over the queries, and the mask comes after it: mask the scores, then take the softmax over the keys, the last axis.",
            ),
            Misconception(
                queries_softmax_unmasked,
                "The softmax runs over the queries, and valid_length has no effect: mask the scores, then take the softmax over the keys, the last axis.",
            ),
            Misconception(queries_softmax_of_added_mask, OVER_QUERIES),
            Misconception(queries_softmax_of_shifted_scores, OVER_QUERIES),
            Misconception(
                softmax_over_the_batch,
                "The softmax runs over the batch elements: each row must sum to one over the keys, the last axis.",
            ),
            Misconception(
                softmax_over_all_pairs,
                "All weights of a batch element sum to one together: the softmax runs over queries and keys, and must run over the keys alone.",
            ),
            Misconception(
                softmax_left_out, "These are the masked scores: the softmax over the keys is still to come."
            ),
            Misconception(
                softmax_taken_twice,
                "A second softmax runs over the weights: it gives padding weight again, since exp(0) is 1. Take it once, over the masked scores.",
            ),
            Misconception(
                exponential_overflows,
                "The exponential of a score near 800 is infinite, and that of one near -800 is 0: a row of such scores becomes NaN. Take the softmax of the library, or subtract each row's maximum first.",
            ),
            Misconception(
                masked_exponential_overflows,
                "The exponentials are taken first and masked then: that of a score near 800 is infinite, and infinity times 0 is NaN. Mask the scores, and take the softmax of the library.",
            ),
            Misconception(
                valid_exponentials_overflow,
                "The exponentials of the valid scores are taken as they are: that of a score near 800 is infinite, and those of scores near -800 are all 0, so the row becomes NaN. Take the softmax of the library, or subtract each row's maximum first.",
            ),
            Misconception(
                all_exponentials_in_the_sum,
                "The sum goes over padding too, so the weights that remain do not sum to 1; and without the maximum taken off, the exponential of a score near 800 is infinite. Mask the scores, then take the softmax of the library.",
            ),
        ),
        hints=(
            "A weight that is exactly zero comes out of the softmax by itself, if the score that goes in "
            "is a very large negative number.",
            "Make a mask of the shape of X: true where the key's position is smaller than the valid "
            "length. A length for each batch element, `(batch,)`, needs an axis for the queries first.",
            "`positions < valid_length.unsqueeze(-1)` is the mask, once `valid_length` has two axes. "
            "`X.masked_fill(~mask, -1e6)` in PyTorch, `nd.where(mask, X, …)` in MXNet; then the softmax "
            "over the last axis.",
        ),
        cases=_cases,
        properties=PROPERTIES,
        difficulty=2,
        minutes=15,
        points=2,
    ),
    Exercise(
        name="masked_softmax_or_zero",
        title="Rows with nothing to attend to",
        statement=(
            "Extend the masked softmax to lengths of 0: such a row has weights of zero, and all other "
            "rows stay as they were. It must work in half precision too, and return weights of X's type."
        ),
        entry="masked_softmax_or_zero",
        arguments=(X, Argument("valid_length", "(batch,) or (batch, num_queries), 0 allowed")),
        returns=(WEIGHTS,),
        reference=masked_softmax_or_zero,
        misconceptions=(
            Misconception(renormalised_where_possible, RENORMALISED_TOO_LATE),
            Misconception(
                zero_row_is_uniform,
                "A row of length 0 gets the same weight everywhere: all its scores are the same large negative "
                "number, and the softmax of equal scores is uniform. Its weights must be 0.",
            ),
            Misconception(
                zero_row_is_nan,
                "A row of length 0 is NaN: all its scores are minus infinity, and the softmax divides 0 by 0.",
            ),
            Misconception(zero_row_sees_first_key, "A row of length 0 is treated as if its length were 1."),
            Misconception(zero_row_sees_all_keys, "A row of length 0 is treated as if nothing were masked."),
            Misconception(
                whole_batch_element_is_zero,
                "One empty row clears its whole batch element: only the rows of length 0 may be zero.",
            ),
            Misconception(mask_after_softmax, MASK_TOO_LATE),
            Misconception(
                mask_ignored,
                "valid_length has no effect: the keys beyond it still get weight, and so do rows of length 0.",
            ),
            Misconception(
                only_empty_rows_masked,
                "Only the rows of length 0 are cleared: in the others, padding still takes part. Mask the scores too, before the softmax.",
            ),
            Misconception(
                one_key_too_many_and_in_empty_rows,
                "One key too many is valid, so that a row of length 0 sees one: compare positions with < and not <=.",
            ),
            Misconception(
                one_key_too_many_but_in_empty_rows,
                "One key too many is valid wherever the length is not 0: compare positions with < and not <=.",
            ),
            Misconception(
                masked_with_zero,
                "Masked scores are set to 0, and exp(0) is 1: they still get weight. Use the most negative finite number of X's type.",
            ),
            Misconception(
                zeros_filled_and_cleared,
                "Masked scores are set to 0 and their weights to 0 after the softmax, in which they took part: the rows no longer sum to 1. Fill with the most negative finite number of X's type.",
            ),
            Misconception(
                cleared_by_the_inverted_mask,
                "What is cleared after the softmax is the weight of the valid keys: multiply by the mask itself, true where a key is valid.",
            ),
            Misconception(
                filled_by_the_inverted_mask,
                "The valid scores are filled with the large negative number: fill where the mask is false.",
            ),
            Misconception(
                inverted_mask_not_cleared,
                "The mask is inverted: the keys beyond the valid length get the weight, and rows of length 0 all of it. Fill where the mask is false, and clear there after the softmax.",
            ),
            Misconception(
                mask_inverted_throughout,
                "The mask is inverted in both places, so that the weight goes to padding: a key is valid where its position is smaller than the length.",
            ),
            Misconception(
                first_query_decides,
                "With one length for each query, all queries of a batch element use the first one's.",
            ),
            Misconception(
                lengths_in_the_wrong_order,
                "The lengths are repeated in the wrong order, [2, 4, 2, 4, …] in place of [2, 2, …, 4, 4, …], so a batch element gets the length of another.",
            ),
            Misconception(softmax_over_queries_and_cleared, OVER_QUERIES),
            Misconception(ones_in_empty_rows, "A row of length 0 has weights of 1: they must be 0."),
            Misconception(
                masked_exponential_overflows,
                "The exponentials are taken first and divided by their sum then: a row of length 0 is 0 / 0, which is NaN, and in half precision the exponential of a score above 11 is infinite. Take the softmax of the library, and clear after it.",
            ),
        ),
        hints=(
            "With length 0 every score of the row is replaced by the same number. What is the softmax of "
            "equal scores?",
            "Keep the masked softmax as it is, and clear the weights of what is masked afterwards. In "
            "rows with valid keys this changes nothing.",
            "Multiply the softmax by the mask. Half precision has no `-1e6`: it becomes "
            "minus infinity, and a whole row of it NaN, or PyTorch's `masked_fill` raises an error. Fill with the most negative finite number of X's own type.",
        ),
        cases=_cases_with_empty_rows,
        properties=(
            PROPERTIES[0],
            Property("the weights must have the type of X", _type_of_the_scores, True, True),
        ),
        difficulty=3,
        minutes=15,
        points=2,
    ),
)
