"""Exercises on multi-head attention."""

from typing import Any

import numpy as np

from autograder.frameworks import library_attention
from autograder.model.exercise import (
    Argument,
    Call,
    Case,
    Exercise,
    Function,
    Misconception,
    Output,
    Parameter,
    Property,
)
from exercises.shared import ALL, draw_sizes, draw_valid_lengths, mask_of, rows_sum_to_one, weight_outside
from solutions.masked_softmax.in_numpy import masked_softmax, softmax, valid_mask
from solutions.multi_head.in_numpy import head_sizes, join_heads, multi_head_attention, split_heads

Result = tuple[np.ndarray, np.ndarray]


def plain_reshape(X: np.ndarray, num_heads: int) -> np.ndarray:
    batch, num_steps, num_hiddens = X.shape
    return X.reshape(batch * num_heads, num_steps, num_hiddens // num_heads)


def features_dealt_out(X: np.ndarray, num_heads: int) -> np.ndarray:
    batch, num_steps, num_hiddens = X.shape
    size = num_hiddens // num_heads
    dealt = X.reshape(batch, num_steps, size, num_heads).transpose(0, 3, 1, 2)
    return dealt.reshape(batch * num_heads, num_steps, size)


def heads_before_batches(X: np.ndarray, num_heads: int) -> np.ndarray:
    return np.concatenate(np.split(X, num_heads, axis=2), axis=0)


def steps_and_features_swapped(X: np.ndarray, num_heads: int) -> np.ndarray:
    batch, num_steps, num_hiddens = X.shape
    return X.transpose(0, 2, 1).reshape(batch * num_heads, num_steps, num_hiddens // num_heads)


def heads_as_an_axis(X: np.ndarray, num_heads: int) -> np.ndarray:
    return split_heads(X, num_heads).reshape(X.shape[0], num_heads, X.shape[1], -1)


def _cases_to_split(rng: np.random.Generator) -> list[Case]:
    def case(note: str, *typical: int, gradient: bool = False) -> Case:
        """typical: batch, steps, heads, features in a head."""
        batch, steps, num_heads, width = draw_sizes(rng, *typical)
        X = rng.normal(size=(batch, steps, num_heads * width))
        return Case(note, {"X": X, "num_heads": num_heads}, gradient=gradient)

    return [
        case("more heads than features in a head", 2, 3, 4, 2, gradient=True),
        case("more features in a head than heads", 3, 5, 2, 4, gradient=True),
        case("as many steps as heads", 2, 3, 3, 4),
        case("as many features in a head as heads", 2, 4, 3, 3),
        case("one batch element", 1, 7, 5, 2),
        case("a single step", 3, 1, 2, 4),
        case("one feature for each head", 2, 3, 5, 1),
        case("one head", 2, 3, 1, 4),
    ]


def _attend(
    queries: np.ndarray,
    keys: np.ndarray,
    values: np.ndarray,
    valid_length: np.ndarray | None,
    num_hiddens: int,
    num_heads: int,
    W_q: np.ndarray,
    W_k: np.ndarray,
    W_v: np.ndarray,
    W_o: np.ndarray,
    *,
    split: Function = split_heads,
    join: Function = join_heads,
    scale: float | None = None,
    repeat: Function = np.repeat,
    to_weights: Function = masked_softmax,
) -> Result:
    """Multi-head attention with one of its parts replaced."""
    Q, K, V = (split(X @ W.T, num_heads) for X, W in ((queries, W_q), (keys, W_k), (values, W_v)))
    lengths = valid_length
    if lengths is not None:
        lengths = repeat(lengths, num_heads, axis=0)
    scores = Q @ K.transpose(0, 2, 1) / (scale or np.sqrt(num_hiddens / num_heads))
    weights = to_weights(scores, lengths)
    return join(weights @ V, num_heads) @ W_o.T, weights


def _tile(lengths: np.ndarray, num_heads: int, axis: int) -> np.ndarray:
    return np.concatenate([lengths] * num_heads, axis=axis)


def _join_plainly(X: np.ndarray, num_heads: int) -> np.ndarray:
    heads, num_steps, size = X.shape
    return X.reshape(heads // num_heads, num_steps, num_heads * size)


def split_by_plain_reshape(**given: Any) -> Result:
    return _attend(**given, split=plain_reshape, join=_join_plainly)


def joined_by_plain_reshape(**given: Any) -> Result:
    return _attend(**given, join=_join_plainly)


def scaled_by_all_features(num_hiddens: int, **given: Any) -> Result:
    return _attend(num_hiddens=num_hiddens, **given, scale=np.sqrt(num_hiddens))


def scaled_by_head_size_without_root(num_hiddens: int, num_heads: int, **given: Any) -> Result:
    return _attend(num_hiddens=num_hiddens, num_heads=num_heads, **given, scale=num_hiddens / num_heads)


def not_scaled(**given: Any) -> Result:
    return _attend(**given, scale=1.0)


def lengths_tiled(**given: Any) -> Result:
    return _attend(**given, repeat=_tile)


def no_output_projection(W_o: np.ndarray, **given: Any) -> Result:
    return _attend(**given, W_o=np.eye(len(W_o)))


def softmax_over_heads(num_heads: int, **given: Any) -> Result:
    def to_weights(scores: np.ndarray, lengths: np.ndarray | None) -> np.ndarray:
        if lengths is not None:
            scores = np.where(valid_mask(lengths, *scores.shape[1:]), scores, -1e6)
        heads = scores.reshape(-1, num_heads, *scores.shape[1:])
        return np.moveaxis(softmax(np.moveaxis(heads, 1, -1)), -1, 1).reshape(scores.shape)

    return _attend(num_heads=num_heads, **given, to_weights=to_weights)


def one_head_only(num_heads: int, **given: Any) -> Result:
    return _attend(num_heads=1, **given)


def _cases_to_attend(rng: np.random.Generator) -> list[Case]:
    def case(
        note: str,
        typical: tuple[int, int, int, int, int],
        lengths_of: str = "",
        among: tuple[int, ...] = (),
        gradient: bool = False,
    ) -> Case:
        """typical: batch, queries, keys, heads, numbers in a head."""
        shape = draw_sizes(rng, *typical)
        batch, num_queries, num_keys, num_heads, width = shape
        num_hiddens = num_heads * width
        keys = (batch, num_keys, num_hiddens)
        inputs = {
            "queries": rng.normal(size=(batch, num_queries, num_hiddens)),
            "keys": rng.normal(size=keys),
            "values": rng.normal(size=keys),
            "valid_length": draw_valid_lengths(rng, shape, lengths_of, among),
        }
        # Scores of size one, whatever the width.
        weights = {
            n: rng.normal(size=(num_hiddens, num_hiddens)) / np.sqrt(num_hiddens)
            for n in ("W_q", "W_k", "W_v", "W_o")
        }
        settings = {"num_hiddens": num_hiddens, "num_heads": num_heads}
        return Case(note, inputs, settings, weights, gradient=gradient)

    return [
        case("no valid_length", (2, 3, 5, 2, 4), gradient=True),
        case("one length for each batch element", (2, 3, 5, 3, 2), "batch", gradient=True),
        case("one length for each query", (2, 3, 4, 4, 2), "query", gradient=True),
        case("as many batch elements as heads", (3, 2, 6, 3, 4), "batch", (1, ALL)),
        case("as many queries as heads", (3, 4, 5, 4, 2), "batch", (1, ALL)),
        case("one batch element, one length for each query", (1, 5, 5, 2, 5), "query"),
        case("a single query", (3, 1, 4, 2, 3), "batch"),
        case("one head", (2, 3, 5, 1, 4), "batch"),
    ]


def _nothing_beyond_the_length(run: Call, case: Case) -> str | None:
    lengths, weights = case.inputs["valid_length"], run(case)[-1]
    repeated = None if lengths is None else np.repeat(lengths, case.settings["num_heads"], axis=0)
    return weight_outside(weights, mask_of(weights, repeated), "beyond it")


def _batch_elements_are_apart(run: Call, case: Case) -> str | None:
    """Other values in the last batch element change no result of the first."""
    if len(case.inputs["values"]) == 1:
        return None
    values = case.inputs["values"].copy()
    values[-1] += 1
    before = run(case)[0][0]
    after = run(Case(case.note, {**case.inputs, "values": values}, case.settings, case.parameters))[0][0]
    if np.allclose(before, after, atol=1e-5):
        return None
    return "Changing values[-1] changes the result of batch element 0."


def parameters_in_every_head(num_steps: int, num_hiddens: int, num_heads: int) -> tuple[int, int, int]:
    size, parameters, weights = head_sizes(num_steps, num_hiddens, num_heads)
    return size, num_heads * parameters, weights


def output_projection_forgotten(num_steps: int, num_hiddens: int, num_heads: int) -> tuple[int, int, int]:
    size, parameters, weights = head_sizes(num_steps, num_hiddens, num_heads)
    return size, parameters // 4 * 3, weights


def projections_from_head_to_head(num_steps: int, num_hiddens: int, num_heads: int) -> tuple[int, int, int]:
    size, _, weights = head_sizes(num_steps, num_hiddens, num_heads)
    return size, 3 * num_heads * size * size + num_hiddens * num_hiddens, weights


def biases_counted(num_steps: int, num_hiddens: int, num_heads: int) -> tuple[int, int, int]:
    size, parameters, weights = head_sizes(num_steps, num_hiddens, num_heads)
    return size, parameters + 4 * num_hiddens, weights


def weights_of_one_head(num_steps: int, num_hiddens: int, num_heads: int) -> tuple[int, int, int]:
    size, parameters, weights = head_sizes(num_steps, num_hiddens, num_heads)
    return size, parameters, weights // num_heads


def heads_as_wide_as_the_layer(num_steps: int, num_hiddens: int, num_heads: int) -> tuple[int, int, int]:
    return num_hiddens, *head_sizes(num_steps, num_hiddens, num_heads)[1:]


def _cases_to_count(rng: np.random.Generator) -> list[Case]:
    def case(note: str, *typical: int) -> Case:
        """typical: steps, heads, features in a head."""
        num_steps, num_heads, width = draw_sizes(rng, *typical)
        return Case(note, {"num_steps": num_steps, "num_hiddens": num_heads * width, "num_heads": num_heads})

    return [
        case("few features", 5, 3, 4),
        case("sizes like those of the paper's base model", 30, 8, 64),
        case("more heads", 30, 16, 32),
        case("one head", 7, 1, 10),
        case("one feature for each head", 1, 6, 1),
    ]


X = Argument("X", "(batch, num_steps, num_hiddens)")
PROJECTION = "(num_hiddens, num_hiddens)"

EXERCISES = (
    Exercise(
        name="split_heads",
        title="Cut the features into heads",
        statement=(
            "Cut the features into heads, and make each head a batch element: first all heads of the "
            "first sentence, then all heads of the second."
        ),
        rules=("No loop is needed.",),
        entry="split_heads",
        arguments=(X, Argument("num_heads", "int that divides num_hiddens")),
        returns=(Output("heads", "(batch * num_heads, num_steps, num_hiddens / num_heads)"),),
        reference=split_heads,
        misconceptions=(
            Misconception(
                plain_reshape,
                "Your result has the right shape, but a plain reshape cuts the numbers where they lie in "
                "memory: a head gets all features of a few steps instead of a few features of all steps. "
                "Make heads an axis of their own, move it before the steps, and only then reshape.",
            ),
            Misconception(
                features_dealt_out,
                "Your heads take every num_heads-th feature, as if features were dealt out like cards: the "
                "axes num_heads and head size are swapped in the reshape. A head is a block of neighbouring "
                "features.",
            ),
            Misconception(
                heads_before_batches,
                "Your first axis runs over the batch inside a head: all batch elements of head 0, then of "
                "head 1. The batch comes first: all heads of batch element 0, then of batch element 1.",
            ),
            Misconception(
                steps_and_features_swapped,
                "Inside a head your steps and features are swapped: the transpose moved the steps to the "
                "end. Swap only the axes of the steps and of the heads.",
            ),
            Misconception(
                heads_as_an_axis,
                "Your numbers are right, but heads are still an axis of their own, which makes four axes. "
                "Fold them into the batch: (batch * num_heads, num_steps, num_hiddens / num_heads).",
            ),
        ),
        hints=(
            "The features of one head are neighbours: with 6 features and 2 heads, the first head has "
            "features 0, 1 and 2.",
            "Reshape so that the features have two axes, `(num_heads, head size)`. Then the heads have to "
            "stand next to the batch, before the steps.",
            "Reshape to `(batch, num_steps, num_heads, size)`, swap axes 1 and 2, and only then join the "
            "first two axes.",
        ),
        cases=_cases_to_split,
        difficulty=2,
        minutes=15,
        points=2,
    ),
    Exercise(
        name="multi_head_attention",
        title="Attention in several heads",
        statement=(
            "Project, split, attend, join, project. Keep the weights of all heads in the attribute "
            "`attention_weights`."
        ),
        rules=(
            "Four projections without bias, named `W_q`, `W_k`, `W_v` and `W_o`.",
            (
                "You may use `masked_softmax`, `split_heads` and `join_heads`; the library's own attention "
                "may not be called."
            ),
        ),
        entry="MultiHeadAttention",
        is_class=True,
        settings=(Argument("num_hiddens", "int"), Argument("num_heads", "int that divides num_hiddens")),
        arguments=(
            Argument("queries", "(batch, num_queries, num_hiddens)"),
            Argument("keys", "(batch, num_keys, num_hiddens)"),
            Argument("values", "(batch, num_keys, num_hiddens)"),
            Argument("valid_length", "None, (batch,) or (batch, num_queries)"),
        ),
        returns=(
            Output("context", "(batch, num_queries, num_hiddens)"),
            Output(
                "attention_weights",
                "(batch * num_heads, num_queries, num_keys)",
                attribute=True,
                exact_zeros=True,
                map=True,
            ),
        ),
        parameters={name: Parameter(f"{name}.weight", PROJECTION) for name in ("W_q", "W_k", "W_v", "W_o")},
        reference=multi_head_attention,
        misconceptions=(
            Misconception(
                split_by_plain_reshape,
                "Your heads are cut by a plain reshape, so a head gets all features of a few steps. A head "
                "needs a few features of all steps: split with split_heads, join with join_heads.",
            ),
            Misconception(
                joined_by_plain_reshape,
                "Your heads are right, but they are joined by a plain reshape, which lays steps of one head "
                "side by side. Move the heads behind the steps first, as join_heads does.",
            ),
            Misconception(
                scaled_by_all_features,
                "Your scores are divided by the root of num_hiddens. Each dot product runs over the "
                "features of one head only, so divide by the root of num_hiddens / num_heads.",
            ),
            Misconception(
                scaled_by_head_size_without_root,
                "Your scores are divided by the head size itself, which flattens the weights: divide by its "
                "square root.",
            ),
            Misconception(
                not_scaled,
                "Your scores are not scaled: divide them by the square root of the head size before the "
                "softmax.",
            ),
            Misconception(
                lengths_tiled,
                "The lengths are repeated in the wrong order: [2, 5] for two heads must become [2, 2, 5, "
                "5]. [2, 5, 2, 5] hands the length of one sentence to a head of another.",
            ),
            Misconception(
                no_output_projection,
                "W_o has no effect: the joined heads are returned as they are. Without it no feature of the "
                "result can mix what two heads have found.",
            ),
            Misconception(
                softmax_over_heads,
                "Your softmax runs over the heads, so they compete for each key. Each head spreads its own "
                "whole over the keys.",
            ),
            Misconception(
                one_head_only,
                "All your features attend together, as one wide head: num_heads has no effect on the "
                "result. Split the queries, keys and values before the scores.",
            ),
        ),
        hints=(
            "Four layers without a bias of `num_hiddens` features: three before attention and one behind it.",
            "After `split_heads` a head is a batch element, so the masked softmax works as before. The "
            "lengths need one entry for each head too.",
            "Repeat each length `num_heads` times in a row ([2, 5] becomes [2, 2, 5, 5]), not the list as "
            "a whole. The scale is the square root of one head's width. `join_heads`, then `W_o`.",
        ),
        cases=_cases_to_attend,
        properties=(
            Property("nothing beyond the valid length may get weight", _nothing_beyond_the_length),
            Property("each row of weights must sum to 1", rows_sum_to_one),
            Property("batch elements must not affect each other", _batch_elements_are_apart),
        ),
        builds_on=("masked_softmax", "multi_head"),
        forbidden=library_attention(),
        difficulty=3,
        minutes=30,
        points=4,
    ),
    Exercise(
        name="head_sizes",
        title="Predict the sizes",
        statement=(
            "Before anything runs: how many features does one head have, how many parameters does the "
            "layer have, and how many attention weights does it compute when one sentence of `num_steps` "
            "words attends to itself?"
        ),
        entry="head_sizes",
        arguments=(
            Argument("num_steps", "int"),
            Argument("num_hiddens", "int"),
            Argument("num_heads", "int that divides num_hiddens"),
        ),
        returns=(
            Output(
                "sizes", "a tuple (head size, parameters, attention weights) of whole numbers", plain=True
            ),
        ),
        reference=head_sizes,
        misconceptions=(
            Misconception(
                parameters_in_every_head,
                "You count four whole projections for each head. The heads share them: each owns "
                "num_hiddens / num_heads of the rows, so the number of parameters does not depend on the "
                "number of heads.",
            ),
            Misconception(
                output_projection_forgotten,
                "You count three projections, for queries, keys and values. The fourth is W_o, after the "
                "join.",
            ),
            Misconception(
                projections_from_head_to_head,
                "You let each head project its own features only. The projections come before the split, so "
                "every head reads all num_hiddens features.",
            ),
            Misconception(biases_counted, "You count biases; these projections have none."),
            Misconception(
                weights_of_one_head,
                "You count the attention weights of one head: every head has num_steps rows of num_steps of "
                "its own.",
            ),
            Misconception(
                heads_as_wide_as_the_layer,
                "Your heads are as wide as the whole layer. They share its features: num_hiddens / "
                "num_heads for each.",
            ),
        ),
        hints=(
            "The heads share the features among them.",
            "There are four square matrices, whatever the number of heads.",
            "Each head has `num_steps * num_steps` weights; the parameters are `4 * num_hiddens**2`. "
            "Whole numbers: divide with `//`.",
        ),
        cases=_cases_to_count,
        difficulty=1,
        minutes=10,
        points=1,
    ),
)
