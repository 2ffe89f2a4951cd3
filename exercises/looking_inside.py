"""Exercises on looking inside a trained model: two scores of heads, and a layer without some of its heads."""

from functools import partial

import numpy as np
import numpy.typing as npt

from autograder.model.exercise import Argument, Case, Exercise, Misconception, Output
from exercises.shared import draw_sizes
from solutions.looking_inside.in_numpy import (
    behind,
    induction_score,
    joined,
    occurred,
    previous_token_score,
    remove_heads,
)
from solutions.self_attention.in_numpy import softmax

WEIGHTS = Argument("weights", "(batch, num_heads, num_tokens, num_tokens)")
SCORES = Output("scores", "(num_heads,)")


def _weights(rng: np.random.Generator, batch: int, heads: int, tokens: int, causal: bool) -> np.ndarray:
    scores = 1.5 * rng.normal(size=(batch, heads, tokens, tokens))
    return softmax(np.where(np.tri(tokens) > 0, scores, -np.inf) if causal else scores)


# The token before


def own_token(weights: np.ndarray) -> np.ndarray:
    return np.asarray(np.diagonal(weights, 0, 2, 3).mean(axis=(0, 2)))


def token_after(weights: np.ndarray) -> np.ndarray:
    return np.asarray(np.diagonal(weights, 1, 2, 3).mean(axis=(0, 2)))


def two_before(weights: np.ndarray) -> np.ndarray:
    return np.asarray(np.diagonal(weights, -2, 2, 3).mean(axis=(0, 2)))


def first_token_counted(weights: np.ndarray) -> np.ndarray:
    return previous_token_score(weights) * (weights.shape[2] - 1) / weights.shape[2]


def begins_at_the_end(weights: np.ndarray) -> np.ndarray:
    return first_token_counted(weights) + weights[:, :, 0, -1].mean(axis=0) / weights.shape[2]


def last_token_left_out(weights: np.ndarray) -> np.ndarray:
    return np.asarray(np.diagonal(weights, -1, 2, 3)[..., :-1].mean(axis=(0, 2)))


def all_earlier_tokens(weights: np.ndarray) -> np.ndarray:
    return np.asarray((np.tril(weights, -1)).sum(axis=3)[:, :, 1:].mean(axis=(0, 2)))


def all_entries_counted(weights: np.ndarray) -> np.ndarray:
    return first_token_counted(weights) / weights.shape[2]


def summed_over_tokens(weights: np.ndarray) -> np.ndarray:
    return previous_token_score(weights) * (weights.shape[2] - 1)


def summed_over_the_batch(weights: np.ndarray) -> np.ndarray:
    return previous_token_score(weights) * weights.shape[0]


def summed_over_everything(weights: np.ndarray) -> np.ndarray:
    return summed_over_tokens(weights) * weights.shape[0]


def first_sequence_alone(weights: np.ndarray) -> np.ndarray:
    return previous_token_score(weights[:1])


def averaged_over_heads(weights: np.ndarray) -> np.ndarray:
    return np.asarray(np.diagonal(weights, -1, 2, 3).mean(axis=(1, 2)))


def share_of_largest(weights: np.ndarray) -> np.ndarray:
    best = weights.argmax(axis=3)[:, :, 1:] == np.arange(weights.shape[2] - 1)
    return np.asarray(best.mean(axis=(0, 2)))


def largest_found(weights: np.ndarray) -> np.ndarray:
    return np.asarray(np.diagonal(weights, -1, 2, 3).max(axis=(0, 2)))


def _previous_cases(rng: np.random.Generator) -> list[Case]:
    def case(note: str, *typical: int, causal: bool = True, gradient: bool = False) -> Case:
        batch, heads, tokens = draw_sizes(rng, *typical)
        return Case(note, {"weights": _weights(rng, batch, heads, tokens, causal)}, gradient=gradient)

    return [
        case("causal weights", 2, 3, 6, gradient=True),
        case("weights without a mask", 3, 2, 5, causal=False, gradient=True),
        case("one sequence", 1, 4, 7),
        case("one head", 4, 1, 5),
        Case("three tokens", {"weights": _weights(rng, 2, 3, 3, True)}),
    ]


# What came after earlier occurrences


def _score(weights: np.ndarray, marked: np.ndarray, asking: npt.ArrayLike) -> np.ndarray:
    return np.asarray((weights * marked[:, None]).sum(axis=(0, 2, 3)) / np.sum(asking))


def _asking(tokens: np.ndarray) -> np.ndarray:
    """Whether the token of each place has occurred before, (batch, num_tokens)."""
    return np.asarray(occurred(tokens).any(axis=2))


def occurrence_itself(weights: np.ndarray, tokens: np.ndarray) -> np.ndarray:
    return _score(weights, occurred(tokens), _asking(tokens))


def token_before_it(weights: np.ndarray, tokens: np.ndarray, own_count: bool = False) -> np.ndarray:
    before = np.zeros_like(occurred(tokens))
    before[..., :-1] = occurred(tokens)[..., 1:]
    return _score(weights, before, before.any(axis=2) if own_count else _asking(tokens))


def all_queries_counted(weights: np.ndarray, tokens: np.ndarray) -> np.ndarray:
    return _score(weights, behind(occurred(tokens)), np.ones(tokens.shape))


def itself_all_queries_counted(weights: np.ndarray, tokens: np.ndarray) -> np.ndarray:
    return _score(weights, occurred(tokens), np.ones(tokens.shape))


def latest_alone(weights: np.ndarray, tokens: np.ndarray) -> np.ndarray:
    found = occurred(tokens)
    latest = found & (np.cumsum(found[..., ::-1], axis=2)[..., ::-1] == 1)
    return _score(weights, behind(latest), _asking(tokens))


def first_alone(weights: np.ndarray, tokens: np.ndarray) -> np.ndarray:
    found = occurred(tokens)
    return _score(weights, behind(found & (np.cumsum(found, axis=2) == 1)), _asking(tokens))


def pairs_counted(weights: np.ndarray, tokens: np.ndarray) -> np.ndarray:
    return _score(weights, behind(occurred(tokens)), occurred(tokens))


def own_place_counted(weights: np.ndarray, tokens: np.ndarray) -> np.ndarray:
    after = behind(np.tril(tokens[:, :, None] == tokens[:, None, :]))
    return _score(weights, after, after.any(axis=2))


def sequences_averaged(weights: np.ndarray, tokens: np.ndarray) -> np.ndarray:
    after = behind(occurred(tokens))
    each = (weights * after[:, None]).sum(axis=(2, 3)) / np.maximum(_asking(tokens).sum(axis=1), 1)[:, None]
    return np.asarray(each.mean(axis=0))


def own_place_is_no_find(weights: np.ndarray, tokens: np.ndarray, own_count: bool = False) -> np.ndarray:
    after = behind(occurred(tokens)) & ~np.eye(tokens.shape[1], dtype=bool)
    return _score(weights, after, after.any(axis=2) if own_count else _asking(tokens))


def later_ones_too(weights: np.ndarray, tokens: np.ndarray, counted: str = "finds") -> np.ndarray:
    """counted: "finds", the queries that have one; "occurrences", those whose token stands there twice; "earlier"."""
    found = (tokens[:, :, None] == tokens[:, None, :]) & ~np.eye(tokens.shape[1], dtype=bool)
    asking = {
        "finds": behind(found).any(axis=2),
        "occurrences": found.any(axis=2),
        "earlier": _asking(tokens),
    }
    return _score(weights, behind(found), asking[counted])


def largest_counted(weights: np.ndarray, tokens: np.ndarray) -> np.ndarray:
    best = np.arange(weights.shape[3]) == weights.argmax(axis=3)[..., None]
    return _score(best, behind(occurred(tokens)), _asking(tokens))


def mean_of_followers(weights: np.ndarray, tokens: np.ndarray) -> np.ndarray:
    after = behind(occurred(tokens))
    return _score(weights, after / np.maximum(after.sum(axis=2, keepdims=True), 1), _asking(tokens))


def queries_moved(weights: np.ndarray, tokens: np.ndarray) -> np.ndarray:
    moved = np.zeros_like(occurred(tokens))
    moved[:, 1:] = occurred(tokens)[:, :-1]
    return _score(weights, moved, moved.any(axis=2))


def asked_one_token_late(weights: np.ndarray, tokens: np.ndarray) -> np.ndarray:
    moved = np.zeros_like(occurred(tokens))
    moved[:, 1:] = behind(occurred(tokens))[:, :-1]
    return _score(weights, moved, moved.any(axis=2))


def not_averaged(weights: np.ndarray, tokens: np.ndarray) -> np.ndarray:
    return np.asarray((weights * behind(occurred(tokens))[:, None]).sum(axis=(0, 2, 3)))


def _passages(rng: np.random.Generator, batch: int, length: int) -> np.ndarray:
    """Sequences that repeat a passage, each with a period of its own."""
    periods = rng.permutation(np.arange(2, 2 + batch))
    rows = [rng.permutation(30)[:p][np.arange(length) % p] for p in periods]
    return np.stack(rows)


def _induction_cases(rng: np.random.Generator) -> list[Case]:
    def case(
        note: str, *typical: int, kind: str = "few", causal: bool = True, gradient: bool = False
    ) -> Case:
        batch, heads, length = draw_sizes(rng, *typical)
        tokens = rng.integers(length // 2 + 1, size=(batch, length))
        tokens[0, 1] = tokens[0, 2]  # an occurrence right before
        if kind == "passages":
            tokens = _passages(rng, batch, length)
        elif kind == "once":
            tokens[-1] = rng.permutation(2 * length)[:length]
        elif kind == "same":
            tokens[:] = 5
        weights = _weights(rng, batch, heads, length, causal)
        return Case(note, {"weights": weights, "tokens": tokens}, gradient=gradient)

    return [
        case("passages that repeat, each with its own period", 3, 2, 9, kind="passages"),
        case("random tokens", 2, 3, 7, gradient=True),
        case("one sequence in which no token occurs twice", 2, 2, 6, kind="once", gradient=True),
        case("weights without a mask", 3, 2, 6, causal=False),
        case("one head", 4, 1, 8),
        case("one token throughout", 1, 3, 5, kind="same"),
    ]


# A layer without some of its heads


def _exchanged(contexts: np.ndarray, kept: np.ndarray, instead: np.ndarray) -> np.ndarray:
    return np.where(kept[:, None, None] == 1, contexts, instead[:, None])


def kept_are_removed(
    contexts: np.ndarray, W_o: np.ndarray, kept: np.ndarray, instead: np.ndarray
) -> np.ndarray:
    return remove_heads(contexts, W_o, 1 - kept, instead)


def zeros_always(contexts: np.ndarray, W_o: np.ndarray, kept: np.ndarray, instead: np.ndarray) -> np.ndarray:
    return remove_heads(contexts, W_o, kept, np.zeros_like(instead))


def joined_by_reshape(
    contexts: np.ndarray, W_o: np.ndarray, kept: np.ndarray, instead: np.ndarray
) -> np.ndarray:
    left = _exchanged(contexts, kept, instead)
    return np.asarray(left.reshape(len(left), left.shape[2], -1) @ W_o.T)


def not_transposed(
    contexts: np.ndarray, W_o: np.ndarray, kept: np.ndarray, instead: np.ndarray
) -> np.ndarray:
    return remove_heads(contexts, W_o.T, kept, instead)


def reshaped_and_not_transposed(
    contexts: np.ndarray, W_o: np.ndarray, kept: np.ndarray, instead: np.ndarray
) -> np.ndarray:
    return joined_by_reshape(contexts, W_o.T, kept, instead)


def scaled_up(contexts: np.ndarray, W_o: np.ndarray, kept: np.ndarray, instead: np.ndarray) -> np.ndarray:
    grown = contexts * len(kept) / max(kept.sum(), 1)
    return remove_heads(grown, W_o, kept, instead)


def added_to_all(contexts: np.ndarray, W_o: np.ndarray, kept: np.ndarray, instead: np.ndarray) -> np.ndarray:
    return np.asarray(joined(contexts * kept[:, None, None] + instead[:, None]) @ W_o.T)


def means_of_this_batch(
    contexts: np.ndarray, W_o: np.ndarray, kept: np.ndarray, instead: np.ndarray
) -> np.ndarray:
    return remove_heads(contexts, W_o, kept, contexts.mean(axis=(0, 2)))


def rows_removed(contexts: np.ndarray, W_o: np.ndarray, kept: np.ndarray, instead: np.ndarray) -> np.ndarray:
    rows = np.repeat(kept, contexts.shape[3])[:, None]
    return np.asarray(joined(contexts) @ np.where(rows == 1, W_o, instead.reshape(-1, 1)).T)


def heads_alternate(
    contexts: np.ndarray, W_o: np.ndarray, kept: np.ndarray, instead: np.ndarray
) -> np.ndarray:
    left = _exchanged(contexts, kept, instead).transpose(0, 2, 3, 1)
    return np.asarray(left.reshape(*left.shape[:2], -1) @ W_o.T)


def averaged(contexts: np.ndarray, W_o: np.ndarray, kept: np.ndarray, instead: np.ndarray) -> np.ndarray:
    return remove_heads(contexts, W_o, kept, instead) / len(kept)


def projection_forgotten(
    contexts: np.ndarray, W_o: np.ndarray, kept: np.ndarray, instead: np.ndarray
) -> np.ndarray:
    return joined(_exchanged(contexts, kept, instead))


def nothing_removed(
    contexts: np.ndarray, W_o: np.ndarray, kept: np.ndarray, instead: np.ndarray
) -> np.ndarray:
    return np.asarray(joined(contexts) @ W_o.T)


def instead_not_projected(
    contexts: np.ndarray, W_o: np.ndarray, kept: np.ndarray, instead: np.ndarray
) -> np.ndarray:
    filled = (1 - kept)[:, None] * instead
    return remove_heads(contexts, W_o, kept, np.zeros_like(instead)) + filled.reshape(-1)


def counted_from_the_last(
    contexts: np.ndarray, W_o: np.ndarray, kept: np.ndarray, instead: np.ndarray
) -> np.ndarray:
    return remove_heads(contexts, W_o, kept[::-1], instead)


def _remove_cases(rng: np.random.Generator) -> list[Case]:
    def case(note: str, *typical: int, removed: int, mean: bool = True, gradient: bool = False) -> Case:
        batch, tokens, size, heads = draw_sizes(rng, *typical)
        contexts = rng.normal(size=(batch, heads, tokens, size))
        kept = np.ones(heads, dtype=int)
        kept[: max(heads - 1, 1) if removed < 0 else removed] = 0
        instead = rng.normal(size=(heads, size)) * mean
        W_o = rng.normal(size=(heads * size, heads * size)) / np.sqrt(heads * size)
        inputs = {"contexts": contexts, "W_o": W_o, "kept": rng.permutation(kept), "instead": instead}
        return Case(note, inputs, gradient=gradient)

    return [
        case("one head removed", 2, 5, 2, 3, removed=1, gradient=True),
        case("all heads but one removed", 3, 4, 2, 5, removed=-1, gradient=True),
        case("no head removed", 2, 4, 3, 2, removed=0),
        case("zeros in place of a head", 2, 6, 3, 4, removed=1, mean=False),
        case("the only head removed", 3, 5, 4, 1, removed=1),
        case("a single token", 2, 1, 3, 4, removed=2),
    ]


EXERCISES = (
    Exercise(
        name="previous_token_score",
        title="Does a head look one token back?",
        statement="For each head, return the weight that a token gives to the token right before it, as the mean over "
        "all tokens that have one, in all sequences of the batch.",
        rules=("There are at least two tokens. The first one has none before it and does not count.",),
        entry="previous_token_score",
        arguments=(WEIGHTS,),
        returns=(SCORES,),
        reference=previous_token_score,
        misconceptions=(
            Misconception(
                own_token,
                "This is the weight of each token on itself, the diagonal. The token before stands one column to "
                "the left.",
            ),
            Misconception(
                token_after,
                "This is the weight on the token after, above the diagonal. Rows are queries: the key before query t "
                "is in row t, column t − 1.",
            ),
            Misconception(
                two_before, "This is the weight on the token two places before: take column t − 1."
            ),
            Misconception(
                first_token_counted,
                "The mean divides by all tokens, but the first has none before it: divide by one less.",
            ),
            Misconception(
                begins_at_the_end,
                "For the first token the index t − 1 is −1, which is the last column: begin with the second token.",
            ),
            Misconception(
                last_token_left_out, "The last token is left out, but there is one before it: it counts."
            ),
            Misconception(
                all_earlier_tokens,
                "These are the weights on all earlier tokens together. Take the one right before alone.",
            ),
            Misconception(
                all_entries_counted,
                "The mean runs over all entries of the matrix, most of which are set to 0: divide by the number of "
                "tokens that have one before them.",
            ),
            Misconception(summed_over_tokens, "The weights are summed over the tokens: take their mean."),
            Misconception(
                summed_over_the_batch, "The sequences of the batch are summed: take the mean over them too."
            ),
            Misconception(
                summed_over_everything,
                "The weights are summed over tokens and sequences: take the mean over both.",
            ),
            Misconception(
                first_sequence_alone, "Only the first sequence counts: take the mean over the whole batch."
            ),
            Misconception(
                averaged_over_heads,
                "The mean runs over the heads and leaves the batch. Each head keeps its own number: axis 1 stays.",
            ),
            Misconception(
                share_of_largest,
                "This counts how often the token before has the largest weight. Take the mean of the weight itself.",
            ),
            Misconception(largest_found, "This is the largest weight on a token before: take the mean."),
        ),
        hints=(
            "Query t is row t, and the token before it is column t − 1: the diagonal below the main one.",
            "PyTorch has `weights.diagonal(offset, dim1, dim2)`, MXNet `nd.diag(weights, k, axis1, axis2)`.",
            "With offset −1 the diagonal has num_tokens − 1 entries on a new last axis: take the mean over it and "
            "over the batch.",
        ),
        cases=_previous_cases,
        difficulty=1,
        minutes=10,
        points=1,
    ),
    Exercise(
        name="induction_score",
        title="Does a head find what came next?",
        statement="A query whose token has occurred before in its sequence looks for what came after it. Its *finds* "
        "are all tokens that stand right after an earlier occurrence. For each head, return the weight that a query "
        "gives to its finds, summed, as the mean over all queries of the batch that have one.",
        rules=(
            "The query's own place is not an earlier occurrence; where the token right before is one, the query itself "
            "is a find.",
            "At least one token of the batch occurs twice.",
        ),
        entry="induction_score",
        arguments=(WEIGHTS, Argument("tokens", "(batch, num_tokens), whole numbers")),
        returns=(SCORES,),
        reference=induction_score,
        misconceptions=(
            Misconception(
                occurrence_itself,
                "This is the weight on the earlier occurrence itself, that of a same-word head. An induction head "
                "attends to the token after it: one column further.",
            ),
            Misconception(
                token_before_it,
                "This is the weight on the token before the earlier occurrence: move by one column to the right.",
                also=(partial(token_before_it, own_count=True),),
            ),
            Misconception(
                all_queries_counted,
                "Queries whose token has not occurred before count as 0: divide by the number of those that have a "
                "find.",
            ),
            Misconception(
                itself_all_queries_counted,
                "This is the weight on the earlier occurrence itself, and queries without one count as 0. Move by "
                "one column, and divide by the number of queries that have a find.",
            ),
            Misconception(
                latest_alone,
                "Only the latest earlier occurrence counts: sum the weights after all of them.",
            ),
            Misconception(
                first_alone, "Only the first occurrence counts: sum the weights after all earlier ones."
            ),
            Misconception(
                pairs_counted,
                "The sum is divided by the number of finds: divide by the number of queries that have one.",
            ),
            Misconception(
                own_place_counted,
                "Each query's own place counts as an occurrence, so that the next token is a find of every query. "
                "Only earlier places do.",
            ),
            Misconception(
                sequences_averaged,
                "Each sequence is averaged alone, and then all count alike. Divide once, by all queries of the batch "
                "that have a find.",
            ),
            Misconception(
                own_place_is_no_find,
                "The query's own place is left out of the finds. It is no earlier occurrence, but where the token "
                "right before is one, what stands after that is the query itself: its weight counts.",
                also=(partial(own_place_is_no_find, own_count=True),),
            ),
            Misconception(
                later_ones_too,
                "Later occurrences count as well: a find stands after an *earlier* one.",
                also=tuple(partial(later_ones_too, counted=whose) for whose in ("occurrences", "earlier")),
            ),
            Misconception(
                largest_counted,
                "This counts how often a find has the largest weight. Sum the weights themselves.",
            ),
            Misconception(
                mean_of_followers,
                "The weights of a query's finds are averaged: sum them, since any of them gives the answer.",
            ),
            Misconception(
                queries_moved,
                "The rows have moved, so each token looks for the one before it. The finds are in the query's own "
                "row, one column to the right of the occurrence.",
            ),
            Misconception(
                asked_one_token_late,
                "The token before the query is looked up, and what came after it is the query's own token. Look up "
                "the query's token.",
            ),
            Misconception(
                not_averaged,
                "This is a sum over all queries: divide by the number of those that have a find.",
            ),
        ),
        hints=(
            "First make the matrix (batch, num_tokens, num_tokens) that is 1 where row and column have the same token "
            "and the column is earlier.",
            "Move it one column to the right: now it marks the finds of each row.",
            "Multiply by the weights, with an axis for the heads, and sum; divide by the number of rows that hold a "
            "1: their largest entry, summed.",
        ),
        cases=_induction_cases,
        difficulty=3,
        minutes=20,
        points=3,
    ),
    Exercise(
        name="remove_heads",
        title="Remove heads",
        statement="Where `kept` is 0, put the vector `instead` of that head in place of its context, at every token; "
        "where it is 1, leave the context as it is. Then join the heads and multiply by `W_o`, as a layer does.",
        rules=(
            "`W_o` is kept as a layer keeps it, features of the result first; the features of the first head come "
            "first among its columns.",
            "Do not change `contexts` itself.",
        ),
        entry="remove_heads",
        arguments=(
            Argument("contexts", "(batch, num_heads, num_tokens, head_size)"),
            Argument("W_o", "(num_hiddens, num_hiddens), with num_hiddens = num_heads * head_size"),
            Argument("kept", "(num_heads,), 1 or 0"),
            Argument("instead", "(num_heads, head_size)"),
        ),
        returns=(Output("result", "(batch, num_tokens, num_hiddens)"),),
        reference=remove_heads,
        misconceptions=(
            Misconception(
                kept_are_removed,
                "What is kept and what is removed are exchanged: 1 leaves a head as it is.",
            ),
            Misconception(
                zeros_always,
                "Removed heads become zeros and `instead` has no effect: put its vector in their place.",
            ),
            Misconception(
                joined_by_reshape,
                "The heads are joined by a reshape alone, which mixes tokens. Swap the axes of heads and tokens first.",
            ),
            Misconception(
                not_transposed,
                "`W_o` is not transposed. A layer keeps it with the features of its result first: multiply by its "
                "transpose.",
            ),
            Misconception(
                reshaped_and_not_transposed,
                "The heads are joined by a reshape alone, and `W_o` is not transposed. Swap the axes of heads and "
                "tokens before the reshape, and multiply by the transpose.",
            ),
            Misconception(
                scaled_up,
                "The heads that stay are scaled up, as dropout does. Removing must change nothing else.",
            ),
            Misconception(
                added_to_all,
                "`instead` is added to every head. It replaces the context of the removed ones only.",
            ),
            Misconception(
                means_of_this_batch,
                "Removed heads get their mean over this batch. Put in the vector that is given.",
            ),
            Misconception(
                rows_removed,
                "The rows of `W_o` are changed, which are features of the result. A head's features are its columns, "
                "and what is exchanged is the context.",
            ),
            Misconception(
                heads_alternate,
                "The features of the heads alternate. Those of one head are neighbours: the axis of the heads comes "
                "before that of their features.",
            ),
            Misconception(averaged, "The result is divided by the number of heads: it is their sum."),
            Misconception(
                projection_forgotten,
                "The joined heads are returned as they are: multiply them by the transpose of `W_o`.",
            ),
            Misconception(nothing_removed, "No head is removed: `kept` has no effect."),
            Misconception(
                instead_not_projected,
                "`instead` is put in after `W_o`. It stands for a context, so `W_o` multiplies it too.",
            ),
            Misconception(
                counted_from_the_last,
                "`kept` is read from its end: its first number is that of the first head.",
            ),
        ),
        hints=(
            "Give `kept` the shape (1, num_heads, 1, 1) and `instead` the shape (1, num_heads, 1, head_size).",
            "`kept` times `contexts`, plus `(1 - kept)` times `instead`.",
            "Swap the axes of heads and tokens, reshape to (batch, num_tokens, num_hiddens), and multiply by the "
            "transpose of `W_o`.",
        ),
        cases=_remove_cases,
        difficulty=2,
        minutes=15,
        points=2,
    ),
)
