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
from exercises import shared
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


def _four_axes(X: np.ndarray, num_heads: int) -> np.ndarray:
    batch, num_steps, num_hiddens = X.shape
    return X.reshape(batch, num_steps, num_heads, num_hiddens // num_heads)


def heads_and_batch_swapped(X: np.ndarray, num_heads: int) -> np.ndarray:
    return _four_axes(X, num_heads).transpose(2, 1, 0, 3).reshape(len(X) * num_heads, X.shape[1], -1)


def steps_first(X: np.ndarray, num_heads: int) -> np.ndarray:
    return _four_axes(X, num_heads).transpose(1, 2, 0, 3).reshape(len(X) * num_heads, X.shape[1], -1)


def number_and_size_exchanged(X: np.ndarray, num_heads: int) -> np.ndarray:
    swapped = _four_axes(X, X.shape[2] // num_heads).swapaxes(1, 2)
    return swapped.reshape(len(X) * num_heads, X.shape[1], -1)


def every_head_gets_all_features(X: np.ndarray, num_heads: int) -> np.ndarray:
    return np.repeat(X, num_heads, axis=0)


def heads_behind_the_steps(X: np.ndarray, num_heads: int) -> np.ndarray:
    batch, num_steps, num_hiddens = X.shape
    return X.reshape(batch, num_steps * num_heads, num_hiddens // num_heads)


def batch_joined_with_the_steps(X: np.ndarray, num_heads: int) -> np.ndarray:
    return _four_axes(X, num_heads).transpose(2, 0, 1, 3).reshape(num_heads, -1, X.shape[2] // num_heads)


def steps_as_batch(X: np.ndarray, num_heads: int) -> np.ndarray:
    return X.reshape(-1, num_heads, X.shape[2] // num_heads)


def first_sentence_only(X: np.ndarray, num_heads: int) -> np.ndarray:
    return split_heads(X[:1], num_heads)


def features_before_steps(X: np.ndarray, num_heads: int) -> np.ndarray:
    return split_heads(X, num_heads).swapaxes(1, 2)


def first_head_only(X: np.ndarray, num_heads: int) -> np.ndarray:
    return X[:, :, : X.shape[2] // num_heads]


def only_reshaped(X: np.ndarray, num_heads: int) -> np.ndarray:
    return _four_axes(X, num_heads)


def heads_as_the_first_axis(X: np.ndarray, num_heads: int) -> np.ndarray:
    return _four_axes(X, num_heads).transpose(2, 0, 1, 3)


def steps_cut(X: np.ndarray, num_heads: int) -> np.ndarray:
    return X.reshape(len(X) * num_heads, X.shape[1] // num_heads, X.shape[2])


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
    scored: Function = lambda Q, K: Q @ K.transpose(0, 2, 1),
    repeat: Function = np.repeat,
    to_weights: Function = masked_softmax,
) -> Result:
    """Multi-head attention with one of its parts replaced."""
    Q, K, V = (split(X @ W.T, num_heads) for X, W in ((queries, W_q), (keys, W_k), (values, W_v)))
    lengths = valid_length
    if lengths is not None:
        lengths = repeat(lengths, num_heads, axis=0)
    scores = scored(Q, K) / (scale or np.sqrt(num_hiddens / num_heads))
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


def queries_and_keys_not_projected(W_q: np.ndarray, W_k: np.ndarray, **given: Any) -> Result:
    return _attend(**given, W_q=np.eye(len(W_q)), W_k=np.eye(len(W_k)))


def values_not_projected(W_v: np.ndarray, **given: Any) -> Result:
    return _attend(**given, W_v=np.eye(len(W_v)))


def nothing_projected_before(W_q: np.ndarray, W_k: np.ndarray, W_v: np.ndarray, **given: Any) -> Result:
    one = np.eye(len(W_q))
    return _attend(**given, W_q=one, W_k=one, W_v=one)


def keys_matrix_for_queries(W_q: np.ndarray, W_k: np.ndarray, **given: Any) -> Result:
    return _attend(**given, W_q=W_k, W_k=W_k)


def queries_matrix_for_keys(W_q: np.ndarray, W_k: np.ndarray, **given: Any) -> Result:
    return _attend(**given, W_q=W_q, W_k=W_q)


def matrices_of_queries_and_keys_swapped(W_q: np.ndarray, W_k: np.ndarray, **given: Any) -> Result:
    return _attend(**given, W_q=W_k, W_k=W_q)


def keys_matrix_for_values(W_v: np.ndarray, **given: Any) -> Result:
    return _attend(**given, W_v=given["W_k"])


def matrices_of_values_and_result_swapped(W_v: np.ndarray, W_o: np.ndarray, **given: Any) -> Result:
    return _attend(**given, W_v=W_o, W_o=W_v)


def keys_for_values(values: np.ndarray, **given: Any) -> Result:
    return _attend(**given, values=given["keys"])


def projected_twice(W_o: np.ndarray, **given: Any) -> Result:
    return _attend(**given, W_o=W_o @ W_o)


def scaled_by_all_and_no_output_projection(num_hiddens: int, W_o: np.ndarray, **given: Any) -> Result:
    return scaled_by_all_features(num_hiddens, **given, W_o=np.eye(len(W_o)))


def scaled_by_the_number_of_heads(num_heads: int, **given: Any) -> Result:
    return _attend(num_heads=num_heads, **given, scale=np.sqrt(num_heads))


def multiplied_by_the_scale(num_hiddens: int, num_heads: int, **given: Any) -> Result:
    return _attend(
        num_hiddens=num_hiddens, num_heads=num_heads, **given, scale=1 / np.sqrt(num_hiddens / num_heads)
    )


def keys_reshaped(**given: Any) -> Result:
    return _attend(**given, scored=lambda Q, K: Q @ K.reshape(len(K), K.shape[2], K.shape[1]))


def lengths_without_effect(valid_length: np.ndarray | None, **given: Any) -> Result:
    return _attend(valid_length=None, **given)


def mask_after_softmax(**given: Any) -> Result:
    return _attend(**given, to_weights=shared.mask_after_softmax)


def softmax_over_queries(**given: Any) -> Result:
    return _attend(**given, to_weights=shared.softmax_over_queries)


def softmax_twice(**given: Any) -> Result:
    return _attend(**given, to_weights=lambda X, lengths: masked_softmax(masked_softmax(X, lengths), lengths))


def weights_left_as_scores(**given: Any) -> Result:
    return _attend(**given, to_weights=lambda X, lengths: X * mask_of(X, lengths))


def heads_of_dealt_features(**given: Any) -> Result:
    def join(X: np.ndarray, num_heads: int) -> np.ndarray:
        heads = X.reshape(-1, num_heads, *X.shape[1:])
        return heads.transpose(0, 2, 3, 1).reshape(len(heads), X.shape[1], -1)

    return _attend(**given, split=features_dealt_out, join=join)


def weights_with_heads_first(num_heads: int, **given: Any) -> Result:
    result, weights = _attend(num_heads=num_heads, **given)
    heads = weights.reshape(-1, num_heads, *weights.shape[1:])
    return result, heads.swapaxes(0, 1).reshape(weights.shape)


def split_plainly_and_joined_rightly(**given: Any) -> Result:
    return _attend(**given, split=plain_reshape)


def not_scaled_and_no_output_projection(W_o: np.ndarray, **given: Any) -> Result:
    return not_scaled(**given, W_o=np.eye(len(W_o)))


def queries_added_to_the_result(**given: Any) -> Result:
    result, weights = _attend(**given)
    return result + given["queries"], weights


def masked_with_zero(**given: Any) -> Result:
    return _attend(**given, to_weights=lambda X, lengths: softmax(X * mask_of(X, lengths)))


def heads_averaged(**given: Any) -> Result:
    def join(X: np.ndarray, num_heads: int) -> np.ndarray:
        return np.tile(X.reshape(-1, num_heads, *X.shape[1:]).mean(axis=1), (1, 1, num_heads))

    return _attend(**given, join=join)


def one_head_and_copies_of_its_weights(num_hiddens: int, num_heads: int, **given: Any) -> Result:
    scale = np.sqrt(num_hiddens / num_heads)
    result, weights = _attend(num_hiddens=num_hiddens, num_heads=1, **given, scale=scale)
    return result, np.repeat(weights, num_heads, axis=0)


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


def one_weight_for_each_step(num_steps: int, num_hiddens: int, num_heads: int) -> tuple[int, int, int]:
    return *head_sizes(num_steps, num_hiddens, num_heads)[:2], num_heads * num_steps


def weights_shared_out(num_steps: int, num_hiddens: int, num_heads: int) -> tuple[int, int, int]:
    return *head_sizes(num_steps, num_hiddens, num_heads)[:2], num_steps * num_steps // num_heads


def pairs_of_different_steps(num_steps: int, num_hiddens: int, num_heads: int) -> tuple[int, int, int]:
    return *head_sizes(num_steps, num_hiddens, num_heads)[:2], num_heads * num_steps * (num_steps - 1)


def earlier_steps_only(num_steps: int, num_hiddens: int, num_heads: int) -> tuple[int, int, int]:
    return *head_sizes(num_steps, num_hiddens, num_heads)[:2], num_heads * num_steps * (num_steps + 1) // 2


def weights_for_each_feature(num_steps: int, num_hiddens: int, num_heads: int) -> tuple[int, int, int]:
    return *head_sizes(num_steps, num_hiddens, num_heads)[:2], num_steps * num_steps * num_hiddens


def parameters_first(num_steps: int, num_hiddens: int, num_heads: int) -> tuple[int, int, int]:
    size, parameters, weights = head_sizes(num_steps, num_hiddens, num_heads)
    return parameters, size, weights


def parameters_last(num_steps: int, num_hiddens: int, num_heads: int) -> tuple[int, int, int]:
    size, parameters, weights = head_sizes(num_steps, num_hiddens, num_heads)
    return size, weights, parameters


def parameters_for_each_step(num_steps: int, num_hiddens: int, num_heads: int) -> tuple[int, int, int]:
    size, _, weights = head_sizes(num_steps, num_hiddens, num_heads)
    return size, 4 * num_steps * num_hiddens, weights


def parameters_of_one_head(num_steps: int, num_hiddens: int, num_heads: int) -> tuple[int, int, int]:
    size, _, weights = head_sizes(num_steps, num_hiddens, num_heads)
    return size, 4 * num_hiddens * size, weights


def one_projection_only(num_steps: int, num_hiddens: int, num_heads: int) -> tuple[int, int, int]:
    size, parameters, weights = head_sizes(num_steps, num_hiddens, num_heads)
    return size, parameters // 4, weights


def four_squares_of_the_head_size(num_steps: int, num_hiddens: int, num_heads: int) -> tuple[int, int, int]:
    size, _, weights = head_sizes(num_steps, num_hiddens, num_heads)
    return size, 4 * size * size, weights


def three_projections_and_one_head(num_steps: int, num_hiddens: int, num_heads: int) -> tuple[int, int, int]:
    return num_hiddens // num_heads, 3 * num_hiddens**2, num_steps**2


def all_of_one_head(num_steps: int, num_hiddens: int, num_heads: int) -> tuple[int, int, int]:
    size = num_hiddens // num_heads
    return size, 4 * num_hiddens * size, num_steps**2


def _cases_to_count(rng: np.random.Generator) -> list[Case]:
    def case(note: str, *typical: int, spread: int = 4) -> Case:
        """typical: steps, heads, features in a head."""
        num_steps, num_heads, width = draw_sizes(rng, *typical, spread=spread)
        return Case(note, {"num_steps": num_steps, "num_hiddens": num_heads * width, "num_heads": num_heads})

    return [
        case("few features", 5, 3, 4),
        case("sizes like those of the paper's base model", 30, 8, 64, spread=30),
        case("more heads", 30, 16, 32, spread=20),
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
                "Inside a head the steps and features are swapped: the transpose moved the steps to the end. Swap only the axes of the steps and of the heads.",
            ),
            Misconception(
                heads_and_batch_swapped,
                "The axis of the heads has changed places with that of the batch, which leaves the batch after the "
                "steps: a head mixes steps of several sentences. Swap the heads with the steps, axes 1 and 2.",
            ),
            Misconception(
                steps_first,
                "The steps come first, so a head mixes steps of several sentences. The batch stays the first axis: "
                "swap only the steps and the heads.",
            ),
            Misconception(
                number_and_size_exchanged,
                "The number of heads and their size are exchanged: the features are cut into blocks of num_heads "
                "numbers. A block has num_hiddens / num_heads of them.",
            ),
            Misconception(
                heads_as_an_axis,
                "Your numbers are right, but heads are still an axis of their own, which makes four axes. "
                "Fold them into the batch: (batch * num_heads, num_steps, num_hiddens / num_heads).",
            ),
            Misconception(
                every_head_gets_all_features,
                "Every head gets all features: each sentence is copied once for each head. The features are divided among the heads: each has num_hiddens / num_heads of them.",
            ),
            Misconception(
                heads_behind_the_steps,
                "The heads have joined the steps: axis 1 has num_steps * num_heads entries. They belong to the batch: swap steps and heads, then join the first two axes.",
            ),
            Misconception(
                batch_joined_with_the_steps,
                "The heads are the first axis, and the sentences have joined the steps, so a head attends across sentences. Join the heads with the batch, and leave the steps an axis of their own.",
            ),
            Misconception(
                steps_as_batch,
                "The steps have joined the batch, so each step is alone with its heads. Swap steps and heads before the first two axes are joined.",
            ),
            Misconception(
                first_sentence_only,
                "Only the heads of one sentence are in the result: the first axis needs all heads of every sentence, batch * num_heads.",
            ),
            Misconception(
                features_before_steps,
                "Your heads are right, but within them the features stand before the steps: the result is (batch * num_heads, num_steps, num_hiddens / num_heads).",
            ),
            Misconception(
                first_head_only,
                "Only the first head is in the result. All heads are kept, each as a batch element of its own.",
            ),
            Misconception(
                only_reshaped,
                "The features are cut into heads, but there are four axes, and the heads still stand after the steps. Swap axes 1 and 2, then join the first two.",
            ),
            Misconception(
                heads_as_the_first_axis,
                "The heads are the first of four axes. Put them after the batch, and join these two: all heads of the first sentence, then of the second.",
            ),
            Misconception(
                steps_cut,
                "The steps are cut into num_heads parts, not the features. A head sees every step, but only num_hiddens / num_heads features.",
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
            "`attention_weights` (batch * num_heads, num_queries, num_keys), the heads of a sentence one after the other."
        ),
        rules=(
            "Four projections without bias, named `W_q`, `W_k`, `W_v` and `W_o`, each (num_hiddens, num_hiddens).",
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
            Argument("valid_length", "None, (batch,) or (batch, num_queries), each at least 1"),
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
                "side by side. Move the heads after the steps first, as join_heads does.",
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
                queries_and_keys_not_projected,
                "W_q and W_k have no effect: queries and keys are split as they come. Project all three first, then "
                "split.",
            ),
            Misconception(
                values_not_projected,
                "W_v has no effect: the values are split as they come. Project them first.",
            ),
            Misconception(
                nothing_projected_before,
                "W_q, W_k and W_v have no effect: queries, keys and values are split as they come, so a head sees "
                "one block of the input only. Project, then split.",
            ),
            Misconception(
                keys_matrix_for_queries,
                "The queries are projected by W_k, as the keys are: they have a matrix of their own, W_q.",
            ),
            Misconception(
                queries_matrix_for_keys,
                "The keys are projected by W_q, as the queries are: they have a matrix of their own, W_k.",
            ),
            Misconception(
                matrices_of_queries_and_keys_swapped,
                "W_q and W_k have changed places: W_q is for the queries.",
            ),
            Misconception(
                keys_matrix_for_values,
                "The values are projected by W_k: they have a matrix of their own, W_v.",
            ),
            Misconception(
                matrices_of_values_and_result_swapped,
                "W_v and W_o have changed places: W_v is for the values, W_o for the joined heads.",
            ),
            Misconception(
                keys_for_values, "What is averaged comes from the keys. W_v projects the argument values."
            ),
            Misconception(projected_twice, "The joined heads go through W_o twice: once is enough."),
            Misconception(
                scaled_by_all_and_no_output_projection,
                "Two things are wrong: the scores are divided by the root of num_hiddens, not of the head size, and "
                "W_o has no effect on the joined heads.",
            ),
            Misconception(
                scaled_by_the_number_of_heads,
                "The scores are divided by the root of the number of heads. They grow with the number of terms in a "
                "dot product: divide by the root of num_hiddens / num_heads.",
            ),
            Misconception(
                multiplied_by_the_scale,
                "The scores are multiplied by the root of the head size: divide by it.",
            ),
            Misconception(
                keys_reshaped,
                "The keys are reshaped to (…, head size, num_keys), which keeps the order in memory and mixes the "
                "keys. A transpose swaps the axes.",
            ),
            Misconception(
                lengths_without_effect,
                "The valid_length has no effect: padding takes part in every head. Hand the repeated lengths to the "
                "masked softmax.",
            ),
            Misconception(
                mask_after_softmax,
                "The mask comes after the softmax, so the weights that remain do not sum to 1: mask the scores, "
                "then take the softmax.",
            ),
            Misconception(
                softmax_over_queries,
                "The softmax runs over the queries, so the weights of a query do not sum to one: it belongs on the last axis, that of the keys.",
            ),
            Misconception(
                softmax_twice,
                "The softmax is taken twice, and the second time it makes the weights nearly uniform: once is "
                "enough.",
            ),
            Misconception(
                weights_left_as_scores, "The scores serve as weights as they are: take their masked softmax."
            ),
            Misconception(
                heads_of_dealt_features,
                "Your heads take every num_heads-th feature: the axes of the number and of the size of the heads "
                "are swapped. A head is a block of neighbouring features.",
            ),
            Misconception(
                weights_with_heads_first,
                "The result is right, but attention_weights holds all sentences of head 0 first, then those of head "
                "1. The batch comes first: all heads of sentence 0, then of sentence 1.",
            ),
            Misconception(
                heads_averaged,
                "The heads are averaged, so what one of them found is blurred by the others. Join them side by side "
                "along the features.",
            ),
            Misconception(
                one_head_and_copies_of_its_weights,
                "All features attend together, as one wide head, whose weights are then copied. Split first, so "
                "that every head has weights of its own.",
            ),
            Misconception(
                split_plainly_and_joined_rightly,
                "Your heads are joined rightly, but cut by a plain reshape, so a head gets all features of a few "
                "steps. Split with split_heads.",
            ),
            Misconception(
                not_scaled_and_no_output_projection,
                "Two things are missing: the scores are divided by the square root of the head size, and the joined "
                "heads go through W_o.",
            ),
            Misconception(
                queries_added_to_the_result,
                "The queries are added to the result. That is the residual connection of a transformer's block, "
                "which stands around this layer and not in it.",
            ),
            Misconception(
                masked_with_zero,
                "Masked scores become 0, and exp(0) is 1: padding still gets weight. Use masked_softmax.",
            ),
            Misconception(
                no_output_projection,
                "W_o has no effect: the joined heads are returned as they are. Without it no feature of the "
                "result can mix what two heads have found.",
            ),
            Misconception(
                softmax_over_heads,
                "The softmax runs over the heads, so they compete for each key. Each head must spread its own whole over the keys.",
            ),
            Misconception(
                one_head_only,
                "All features attend together, as one wide head: num_heads has no effect on the result. Split the queries, keys and values before the scores.",
            ),
        ),
        hints=(
            "Four layers of `num_hiddens` features, without a bias: three before attention and one after it.",
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
                "These are four whole projections for each head. The heads share them: each owns num_hiddens / num_heads of the rows, so the number of parameters does not depend on the number of heads.",
            ),
            Misconception(
                output_projection_forgotten,
                "These are three projections, for queries, keys and values. The fourth is W_o, after the join.",
            ),
            Misconception(
                projections_from_head_to_head,
                "These are projections of each head's own features only. The projections come before the split, so every head reads all num_hiddens features.",
            ),
            Misconception(biases_counted, "Biases are included; these projections have none."),
            Misconception(
                weights_of_one_head,
                "These are the attention weights of one head: every head has num_steps rows of num_steps of its own.",
            ),
            Misconception(
                one_weight_for_each_step,
                "This is one weight for each step: every step has one for each step, itself included, in every head.",
            ),
            Misconception(
                weights_shared_out,
                "The weights come out shared among the heads. It is the features that they share: every head has num_steps rows of num_steps weights.",
            ),
            Misconception(
                pairs_of_different_steps,
                "The pairs of a step with itself are missing: a word attends to itself too.",
            ),
            Misconception(
                earlier_steps_only,
                "These are the pairs of a step with itself and earlier ones. No causal mask is asked for, and a masked weight is computed as well.",
            ),
            Misconception(
                weights_for_each_feature,
                "This is a weight for each feature. A pair of steps has one weight in each head, whatever the head size is.",
            ),
            Misconception(
                parameters_first,
                "The numbers are right, but in another order: the head size comes first, then the parameters.",
            ),
            Misconception(
                parameters_last,
                "The numbers are right, but in another order: the parameters stand before the attention weights.",
            ),
            Misconception(
                parameters_for_each_step,
                "Your parameters grow with the number of steps. The same matrices serve every step: each is "
                "num_hiddens by num_hiddens.",
            ),
            Misconception(
                parameters_of_one_head,
                "Your parameters are num_heads times too few: they are those of one head, or of matrices in each head as small as the head. Each of the four matrices reads or writes all features: num_hiddens by num_hiddens.",
            ),
            Misconception(
                one_projection_only, "This is one projection: there are four, W_q, W_k, W_v and W_o."
            ),
            Misconception(
                four_squares_of_the_head_size,
                "Your matrices have the size of one head. Each of the four is num_hiddens by num_hiddens: every "
                "head reads all features, and W_o mixes the heads.",
            ),
            Misconception(
                three_projections_and_one_head,
                "Two things are missing: the fourth projection, W_o, and the weights of the other heads.",
            ),
            Misconception(
                all_of_one_head,
                "This is one head only: the parameters and the weights are those of all heads together.",
            ),
            Misconception(
                heads_as_wide_as_the_layer,
                "Your heads are as wide as the whole layer. They share its features: num_hiddens / "
                "num_heads for each.",
            ),
        ),
        hints=(
            "The features are divided among the heads.",
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
