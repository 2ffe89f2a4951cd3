"""Exercises on language models: merged pairs of tokens, gated feed-forward layers, and the choice by top-p."""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from autograder.model.exercise import Argument, Case, Exercise, Misconception, Output
from exercises.shared import draw_sizes, shared_anew
from solutions.language_model.in_numpy import gated_feed_forward, merge_pair, rms_norm, top_p
from solutions.self_attention.in_numpy import softmax

Tokens = Sequence[int]
Pair = tuple[int, int]
HIDDEN = "(batch, num_tokens, d)"
PROBABILITIES = "(batch, vocabulary_size)"
MARGIN = 0.01


# Merged pairs


def _places(tokens: Tokens, pair: Pair) -> set[int]:
    """Where the pair begins, occurrences that overlap included."""
    return {i for i in range(len(tokens) - 1) if (tokens[i], tokens[i + 1]) == tuple(pair)}


def _walk(
    tokens: Tokens, found: Callable[[int], bool], new: Tokens, step: int = 2, rest: int = 0
) -> list[int]:
    """From left to right: `new` where a pair is found, and then `step` tokens on; the last `rest` are not reached."""
    merged, i = list[int](), 0
    while i < len(tokens) - rest:
        merged += new if found(i) else tokens[i : i + 1]
        i += step if found(i) else 1
    return merged


def overlaps_counted(tokens: Tokens, pair: Pair, new: int) -> list[int]:
    at = _places(tokens, pair)
    return [new if i in at else t for i, t in enumerate(tokens) if i in at or i - 1 not in at]


def last_token_lost(tokens: Tokens, pair: Pair, new: int) -> list[int]:
    return _walk(tokens, _places(tokens, pair).__contains__, (new,), rest=1)


def second_token_kept(tokens: Tokens, pair: Pair, new: int) -> list[int]:
    at = _places(tokens, pair)
    return [new if i in at else t for i, t in enumerate(tokens)]


def second_token_kept_and_last_lost(tokens: Tokens, pair: Pair, new: int) -> list[int]:
    return second_token_kept(tokens, pair, new)[:-1]


def first_token_kept(tokens: Tokens, pair: Pair, new: int) -> list[int]:
    at = _places(tokens, pair)
    return [new if i - 1 in at else t for i, t in enumerate(tokens)]


def only_the_first(tokens: Tokens, pair: Pair, new: int) -> list[int]:
    first = min(_places(tokens, pair), default=-1)
    return _walk(tokens, lambda i: i == first, (new,))


def either_order(tokens: Tokens, pair: Pair, new: int) -> list[int]:
    at = _places(tokens, pair) | _places(tokens, (pair[1], pair[0]))
    return _walk(tokens, at.__contains__, (new,))


def merged_from_the_right(tokens: Tokens, pair: Pair, new: int) -> list[int]:
    return merge_pair(tokens[::-1], (pair[1], pair[0]), new)[::-1]


def pair_reversed(tokens: Tokens, pair: Pair, new: int) -> list[int]:
    return merge_pair(tokens, (pair[1], pair[0]), new)


def each_token_replaced(tokens: Tokens, pair: Pair, new: int) -> list[int]:
    return [new if t in pair else t for t in tokens]


def pair_removed(tokens: Tokens, pair: Pair, new: int) -> list[int]:
    return _walk(tokens, _places(tokens, pair).__contains__, ())


def pair_stays(tokens: Tokens, pair: Pair, new: int) -> list[int]:
    return _walk(tokens, _places(tokens, pair).__contains__, (*pair, new))


def token_behind_lost(tokens: Tokens, pair: Pair, new: int) -> list[int]:
    return _walk(tokens, _places(tokens, pair).__contains__, (new,), step=3)


def slice_never_equals_a_tuple(tokens: Tokens, pair: Pair, new: int) -> list[int]:
    return list(tokens) if isinstance(tokens, list) else merge_pair(tokens, pair, new)


def slice_never_equals_a_list(tokens: Tokens, pair: Pair, new: int) -> list[int]:
    return list(tokens) if isinstance(tokens, tuple) else merge_pair(tokens, pair, new)


def others_left_out(tokens: Tokens, pair: Pair, new: int) -> list[int]:
    return [new for token in merge_pair(tokens, pair, new) if token == new]


def overlaps_counted_others_left_out(tokens: Tokens, pair: Pair, new: int) -> list[int]:
    return [new] * len(_places(tokens, pair))


def two_by_two(tokens: Tokens, pair: Pair, new: int) -> list[int]:
    at = {i for i in _places(tokens, pair) if i % 2 == 0}
    return _walk(tokens, at.__contains__, (new,))


def _merge_cases(rng: np.random.Generator) -> list[Case]:
    def case(note: str, *parts: str) -> Case:
        """Parts are strings of a, b (the pair) and of x, y, which are other tokens; their order is drawn."""
        a, b, y = rng.permutation(np.arange(1, 60))[:3].tolist()
        # As text, x ends like a: whoever looks for the pair in a string finds it in x, b.
        x = a + 100 * int(rng.integers(1, 9))
        named = {"a": a, "b": a if "aaa" in parts else b, "x": x, "y": y}
        tokens = tuple(named[letter] for letter in "".join(parts))
        new = 1000 + int(rng.integers(200))
        return Case(note, {"tokens": tokens, "pair": (named["a"], named["b"]), "new": new})

    def in_a_list(case: Case) -> Case:
        return replace(case, inputs={**case.inputs, "tokens": list(case.inputs["tokens"])})

    def shuffled(*parts: str) -> list[str]:
        more = ["x" if high else "y" for high in rng.integers(2, size=2 + rng.integers(4))]
        return [str(part) for part in rng.permutation([*parts, *more])]

    cases = [
        case("several pairs", *shuffled("xab", "ab", "yabx"), "yx"),
        case("both orders of the two", *shuffled("xbay", "bxa", "ab", "by"), "x"),
        case("runs of one token, which are pairs of it", "x", *shuffled("aaa", "aaaay"), "yaaa"),
        case("a pair at the end", *shuffled("y", "xab"), "xab"),
        case("the first of the pair at the end", *shuffled("ab", "y"), "xaba"),
        case("no such pair", *shuffled("axb", "xb"), "xa"),
        case("nothing but the pair", "ab"),
    ]
    return [in_a_list(case) if i % 2 else case for i, case in enumerate(cases)]


# Gated feed-forward layers

Array = np.ndarray


def _silu(X: Array) -> Array:
    return np.asarray(X / (1 + np.exp(-X)))


def _gelu(X: Array) -> Array:
    return np.asarray(X * (1 + np.vectorize(math.erf)(X / math.sqrt(2))) / 2)


def sigmoid_gate(X: Array, W_gate: Array, W_up: Array, W_down: Array) -> Array:
    return np.asarray(X @ W_up / (1 + np.exp(-X @ W_gate)) @ W_down)


def gate_and_up_exchanged(X: Array, W_gate: Array, W_up: Array, W_down: Array) -> Array:
    return gated_feed_forward(X, W_up, W_gate, W_down)


def relu_gate(X: Array, W_gate: Array, W_up: Array, W_down: Array) -> Array:
    return np.asarray(np.maximum(X @ W_gate, 0) * (X @ W_up) @ W_down)


def gelu_gate(X: Array, W_gate: Array, W_up: Array, W_down: Array) -> Array:
    return np.asarray(_gelu(X @ W_gate) * (X @ W_up) @ W_down)


def tanh_gate(X: Array, W_gate: Array, W_up: Array, W_down: Array) -> Array:
    return np.asarray(np.tanh(X @ W_gate) * (X @ W_up) @ W_down)


def softmax_gate(X: Array, W_gate: Array, W_up: Array, W_down: Array) -> Array:
    return np.asarray(softmax(X @ W_gate) * (X @ W_up) @ W_down)


def silu_of_the_product(X: Array, W_gate: Array, W_up: Array, W_down: Array) -> Array:
    return np.asarray(_silu((X @ W_gate) * (X @ W_up)) @ W_down)


def silu_of_both(X: Array, W_gate: Array, W_up: Array, W_down: Array) -> Array:
    return np.asarray(_silu(X @ W_gate) * _silu(X @ W_up) @ W_down)


def silu_at_the_end(X: Array, W_gate: Array, W_up: Array, W_down: Array) -> Array:
    return _silu((X @ W_gate) * (X @ W_up) @ W_down)


def branches_added(X: Array, W_gate: Array, W_up: Array, W_down: Array) -> Array:
    return np.asarray((_silu(X @ W_gate) + X @ W_up) @ W_down)


def up_left_out(X: Array, W_gate: Array, W_up: Array, W_down: Array) -> Array:
    return np.asarray(_silu(X @ W_gate) @ W_down)


def gate_left_out(X: Array, W_gate: Array, W_up: Array, W_down: Array) -> Array:
    return np.asarray(_silu(X @ W_up) @ W_down)


def no_activation(X: Array, W_gate: Array, W_up: Array, W_down: Array) -> Array:
    return np.asarray((X @ W_gate) * (X @ W_up) @ W_down)


def exponent_without_minus(X: Array, W_gate: Array, W_up: Array, W_down: Array) -> Array:
    return np.asarray(-_silu(-X @ W_gate) * (X @ W_up) @ W_down)


def residual_inside(X: Array, W_gate: Array, W_up: Array, W_down: Array) -> Array:
    return np.asarray(X + gated_feed_forward(X, W_gate, W_up, W_down))


def normalised_inside(X: Array, W_gate: Array, W_up: Array, W_down: Array) -> Array:
    return gated_feed_forward(rms_norm(X, np.ones(X.shape[-1])), W_gate, W_up, W_down)


def _gated_cases(rng: np.random.Generator) -> list[Case]:
    def case(note: str, *typical: int, size: float = 1.5, gradient: bool = False) -> Case:
        batch, tokens, d, hidden = draw_sizes(rng, *typical)
        X = rng.normal(size=(batch, tokens, d))
        W_gate, W_up = size / math.sqrt(d) * rng.normal(size=(2, d, hidden))
        W_down = rng.normal(size=(hidden, d)) / math.sqrt(hidden)
        return Case(note, {"X": X, "W_gate": W_gate, "W_up": W_up, "W_down": W_down}, gradient=gradient)

    return [
        case("more hidden units than features", 2, 5, 4, 9, gradient=True),
        case("fewer hidden units than features", 3, 4, 8, 5, gradient=True),
        case("a single token", 2, 1, 5, 7),
        case("gates that are nearly shut or wide open", 2, 3, 6, 10, size=5.0),
        case("one hidden unit", 3, 4, 6, 1),
    ]


# The choice by top-p


def _cut(probabilities: Array, p: float, enough: Callable[[Array, Array], Array]) -> Array:
    """Kept where `enough(sum of those before, sum with the token)` of the ranked ones is False, and all that is
    as probable; not renormalised."""
    ranked = -np.sort(-probabilities, axis=-1)
    total = ranked.cumsum(axis=-1)
    before = np.pad(total[:, :-1], ((0, 0), (1, 0)))
    least = np.where(enough(before, total), 1.0, ranked).min(axis=-1, keepdims=True)
    return np.where(probabilities >= least, probabilities, 0)


def _shared(kept: Array) -> Array:
    return np.asarray(kept / kept.sum(axis=-1, keepdims=True))


def crossing_token_left_out(probabilities: Array, p: float, clamped: bool = False) -> Array:
    """clamped: a sum of 0 is replaced before the division."""
    kept = _cut(probabilities, p, lambda before, total: total > p)
    return shared_anew(kept) if clamped else _shared(kept)


def first_kept_by_hand(probabilities: Array, p: float) -> Array:
    return _shared(_cut(probabilities, p, lambda before, total: (total > p) & (before > 0)))


def p_must_be_passed(probabilities: Array, p: float) -> Array:
    return _shared(_cut(probabilities, p, lambda before, total: before > p))


def one_token_too_many(probabilities: Array, p: float) -> Array:
    before_both = np.pad(-np.sort(-probabilities, axis=-1), ((0, 0), (2, 0))).cumsum(axis=-1)[:, :-2]
    return _shared(_cut(probabilities, p, lambda before, total: before_both >= p))


def not_renormalised(probabilities: Array, p: float) -> Array:
    return _cut(probabilities, p, lambda before, total: before >= p)


def divided_by_p(probabilities: Array, p: float) -> Array:
    return np.asarray(not_renormalised(probabilities, p) / p)


def divided_by_the_whole_batch(probabilities: Array, p: float) -> Array:
    kept = not_renormalised(probabilities, p)
    return np.asarray(kept / kept.sum())


def softmax_of_the_kept(probabilities: Array, p: float) -> Array:
    kept = not_renormalised(probabilities, p) > 0
    return softmax(np.where(kept, probabilities, -np.inf))


def kept_made_equal(probabilities: Array, p: float) -> Array:
    return _shared((not_renormalised(probabilities, p) > 0).astype(float))


def left_sorted(probabilities: Array, p: float) -> Array:
    return -np.sort(-top_p(probabilities, p), axis=-1)


def least_probable_first(probabilities: Array, p: float) -> Array:
    ranked = np.sort(probabilities, axis=-1)
    before = np.pad(ranked.cumsum(axis=-1)[:, :-1], ((0, 0), (1, 0)))
    most = np.where(before < p, ranked, 0).max(axis=-1, keepdims=True)
    return _shared(np.where(probabilities <= most, probabilities, 0))


def not_sorted(probabilities: Array, p: float) -> Array:
    before = np.pad(probabilities.cumsum(axis=-1)[:, :-1], ((0, 0), (1, 0)))
    return _shared(np.where(before < p, probabilities, 0))


def p_as_threshold(probabilities: Array, p: float) -> Array:
    return _shared(np.where(probabilities >= p, probabilities, 0))


def rest_as_threshold(probabilities: Array, p: float) -> Array:
    return _shared(np.where(probabilities >= 1 - p, probabilities, 0))


def share_of_the_largest(probabilities: Array, p: float) -> Array:
    least = p * probabilities.max(axis=-1, keepdims=True)
    return _shared(np.where(probabilities >= least, probabilities, 0))


def share_of_the_vocabulary(probabilities: Array, p: float) -> Array:
    ranked = -np.sort(-probabilities, axis=-1)
    least = ranked[:, math.ceil(p * probabilities.shape[1]) - 1, None]
    return _shared(np.where(probabilities >= least, probabilities, 0))


def first_row_decides(probabilities: Array, p: float) -> Array:
    ranked = -np.sort(-probabilities, axis=-1)
    needed = (ranked[0].cumsum() - ranked[0] < p).sum()
    return _shared(np.where(probabilities >= ranked[:, needed - 1, None], probabilities, 0))


def only_the_most_probable(probabilities: Array, p: float) -> Array:
    return _shared(np.where(probabilities == probabilities.max(axis=-1, keepdims=True), probabilities, 0))


def _put_back(probabilities: Array, order: Array, needed: Callable[[Array, Array], Array]) -> Array:
    """Kept where `needed(sum of those before, sum with the token)` in an order, so that equal ones may be cut."""
    ranked = np.take_along_axis(probabilities, order, axis=-1)
    total = ranked.cumsum(axis=-1)
    kept = np.zeros_like(probabilities)
    np.put_along_axis(kept, order, np.where(needed(total - ranked, total), ranked, 0), axis=-1)
    return _shared(kept)


def _descending(probabilities: Array) -> Array:
    return np.argsort(-probabilities, axis=-1, kind="stable")


def equal_ones_cut(probabilities: Array, p: float) -> Array:
    return _put_back(probabilities, _descending(probabilities), lambda before, total: before < p)


def crossing_token_and_equal_ones_cut(probabilities: Array, p: float) -> Array:
    return _put_back(probabilities, _descending(probabilities), lambda before, total: total <= p)


def reaching_token_and_equal_ones_cut(probabilities: Array, p: float) -> Array:
    return _put_back(probabilities, _descending(probabilities), lambda before, total: total < p)


def reaching_token_left_out(probabilities: Array, p: float) -> Array:
    return _shared(_cut(probabilities, p, lambda before, total: total >= p))


def left_sorted_equal_ones_cut(probabilities: Array, p: float) -> Array:
    return -np.sort(-equal_ones_cut(probabilities, p), axis=-1)


def least_probable_first_equal_ones_cut(probabilities: Array, p: float) -> Array:
    order = np.argsort(probabilities, axis=-1, kind="stable")
    return _put_back(probabilities, order, lambda before, total: before < p)


def order_for_its_inverse(
    probabilities: Array, p: float, keep: Callable[[Array, float], Array] = top_p
) -> Array:
    ranked = -np.sort(-keep(probabilities, p), axis=-1)
    return np.asarray(np.take_along_axis(ranked, _descending(probabilities), axis=-1))


def not_sorted_crossing_left_out(probabilities: Array, p: float) -> Array:
    return _shared(np.where(probabilities.cumsum(axis=-1) <= p, probabilities, 0))


def softmax_first(probabilities: Array, p: float) -> Array:
    return top_p(softmax(probabilities), p)


def _top_p_cases(rng: np.random.Generator) -> list[Case]:
    def rows(batch: int, size: int, p: float, spread: float) -> Array:
        """Rows without two nearly equal probabilities, whose sums stay away from p; not in their order."""
        found: list[Array] = []
        counts: set[int] = set()
        while len(found) < batch:
            row = softmax(spread * rng.normal(size=size))
            ranked = -np.sort(-row)
            clear = np.abs(ranked.cumsum() - p).min() > MARGIN and -np.diff(ranked).max() > 1e-4
            needed = int((ranked.cumsum() - ranked < p).sum())
            # The last row needs another number of tokens than the first.
            other = batch == 1 or len(found) < batch - 1 or needed not in counts
            if clear and ranked[-1] > 2e-3 and 1 < needed < size - 1 and row.argmax() > 0 and other:
                found.append(row)
                counts.add(needed)
        return np.stack(found)

    def case(note: str, *typical: int, spread: float = 1.0, gradient: bool = False) -> Case:
        batch, size = draw_sizes(rng, *typical)
        p = float(rng.uniform(0.55, 0.8))
        inputs = {"probabilities": rows(batch, size, p, spread), "p": p}
        return Case(note, inputs, gradient=gradient)

    def exactly(note: str, p: float, *row: float) -> Case:
        (batch,) = draw_sizes(rng, 3)
        mixed = rng.permuted(np.tile(row, (batch, 1)), axis=1)
        return Case(note, {"probabilities": mixed, "p": p})

    few = case("a small p: only the most probable is kept", 3, 6)
    all_of_them = case("a p of nearly 1: every token is kept", 2, 7)
    halves = 2.0 ** -np.arange(1, 7)
    return [
        case("as many as needed", 3, 6, gradient=True),
        case("more tokens", 2, 10, spread=0.8, gradient=True),
        case("a single row", 1, 7),
        Case(few.note, {**few.inputs, "p": float(rng.uniform(0.01, 0.05))}),
        Case(all_of_them.note, {**all_of_them.inputs, "p": 0.999}),
        exactly("p is reached exactly", 0.75, *halves, halves[-1]),
        exactly("equal probabilities at the border", 0.375, 0.25, 0.25, 0.25, 0.125, 0.0625, 0.0625),
    ]


EXERCISES = (
    Exercise(
        name="merge_pair",
        title="Merge a pair",
        statement="Replace each occurrence of a pair of neighbours by the new token, from left to right.",
        rules=(
            "Both tokens of the pair go, and one new token comes. No token belongs to two occurrences: in 5, 5, 5 the "
            "pair (5, 5) occurs once, at the beginning.",
            "Leave `tokens` as they are, and return a list.",
        ),
        entry="merge_pair",
        arguments=(
            Argument("tokens", "whole numbers, in a list or a tuple"),
            Argument("pair", "a tuple of two whole numbers"),
            Argument("new", "a whole number that does not occur yet"),
        ),
        returns=(Output("merged", "a list of whole numbers", plain=True),),
        reference=merge_pair,
        misconceptions=(
            Misconception(
                overlaps_counted,
                "A token counts in two pairs: 5, 5, 5 has become two new tokens. Once merged, a token is gone, so the "
                "next pair can begin only after it.",
            ),
            Misconception(
                last_token_lost,
                "The last token is lost where it belongs to no pair, as where the loop over neighbours ends one too early.",
            ),
            Misconception(
                second_token_kept,
                "The second token of the pair stays after the new one. Both go, so skip two tokens after a merge.",
            ),
            Misconception(
                second_token_kept_and_last_lost,
                "There is one token for each pair of neighbours, so the second token of the pair stays, and the very last token is lost. Skip two tokens after a merge, and go on to the end.",
            ),
            Misconception(
                first_token_kept,
                "The first token of the pair stays before the new one. Both go: the new one takes the place of two.",
            ),
            Misconception(
                only_the_first, "Only the first occurrence is merged. Go on after it until the end."
            ),
            Misconception(
                either_order,
                "The pair is merged in either order. Order matters: t, h is another pair than h, t.",
            ),
            Misconception(
                merged_from_the_right,
                "The pairs are merged from the right, so in 5, 5, 5 the last two became the new token. Begin on the left.",
            ),
            Misconception(
                pair_reversed,
                "The pair is looked for the wrong way round: its first token stands before its second.",
            ),
            Misconception(
                each_token_replaced,
                "Each of the two tokens is replaced, wherever it stands. Replace them only side by side, and both by "
                "one.",
            ),
            Misconception(pair_removed, "The pair is gone, but the new token is missing in its place."),
            Misconception(
                pair_stays, "The new token stands after the pair. It takes the pair's place: leave both out."
            ),
            Misconception(
                token_behind_lost,
                "The token after a merged pair is lost, as where the loop then goes on by three: go on by two.",
            ),
            Misconception(
                two_by_two,
                "The tokens are looked at two by two, so a pair that begins at an odd place is not found. Where "
                "nothing is merged go on by one.",
            ),
            Misconception(
                slice_never_equals_a_tuple,
                "Where the tokens are a list, nothing is merged: a slice of a list is a list, and no list equals the "
                "tuple `pair`. Compare `tuple(tokens[i : i + 2])` with it.",
            ),
            Misconception(
                slice_never_equals_a_list,
                "Where the tokens are a tuple, nothing is merged: a slice of a tuple is a tuple, and no tuple equals a "
                "list. Compare `tuple(tokens[i : i + 2])` with `pair`.",
            ),
            Misconception(
                others_left_out,
                "Only the new tokens are returned. All tokens that belong to no occurrence of the pair stay, each in "
                "its place.",
            ),
            Misconception(
                overlaps_counted_others_left_out,
                "Two mistakes together. First: only the new tokens are returned, but all others stay, each in its "
                "place. Second: a token counts in two pairs, but 5, 5, 5 holds the pair (5, 5) once.",
            ),
        ),
        hints=(
            "Walk through the tokens with an index and build a new list.",
            "If this token and the next are the pair, append the new one and go on by two; else append this one and "
            "go on by one.",
            "The last token has no next one: look at `tuple(tokens[i : i + 2])`, which is then shorter than a pair.",
        ),
        cases=_merge_cases,
        difficulty=2,
        minutes=15,
        points=2,
    ),
    Exercise(
        name="gated_feed_forward",
        title="Gated feed-forward layers",
        statement=r"Write the feed-forward layers of today's block: "
        r"$\bigl(\operatorname{SiLU}(X\,W_\text{gate}) \odot X\,W_\text{up}\bigr)\,W_\text{down}$, where "
        r"$\operatorname{SiLU}(x) = x\,\sigma(x) = x / (1 + e^{-x})$ and $\odot$ multiplies entry by entry.",
        rules=("There are no biases; the residual connection and the norm come outside.",),
        entry="gated_feed_forward",
        arguments=(
            Argument("X", HIDDEN),
            Argument("W_gate", "(d, hidden)"),
            Argument("W_up", "(d, hidden)"),
            Argument("W_down", "(hidden, d)"),
        ),
        returns=(Output("Y", HIDDEN),),
        reference=gated_feed_forward,
        misconceptions=(
            Misconception(
                sigmoid_gate,
                "The gate is a sigmoid, which is the older GLU. SiLU is the sigmoid times its own input.",
            ),
            Misconception(
                gate_and_up_exchanged,
                "The two matrices are exchanged: SiLU is taken of X W_up. It belongs to X W_gate.",
            ),
            Misconception(
                relu_gate,
                "The gate is a ReLU (this form is called ReGLU). SiLU is smooth, and negative below 0.",
            ),
            Misconception(
                gelu_gate, "The gate is a GELU (this form is called GEGLU). SiLU is x times its sigmoid."
            ),
            Misconception(tanh_gate, "The gate is a tanh. SiLU is x times its sigmoid."),
            Misconception(
                softmax_gate,
                "The gate is a softmax, so the units compete. Each unit has a gate of its own: SiLU.",
            ),
            Misconception(
                silu_of_the_product,
                "SiLU is taken of the product of both layers. Take it of the gate alone, then multiply.",
            ),
            Misconception(
                silu_of_both, "SiLU is taken of both layers. X W_up stays as it is: only the gate is bent."
            ),
            Misconception(
                silu_at_the_end,
                "SiLU comes after W_down. It belongs to the gate, before the two layers are multiplied.",
            ),
            Misconception(
                branches_added, "The two layers are added. The gate multiplies: near 0 it shuts the unit."
            ),
            Misconception(
                up_left_out, "W_up has no effect: these are plain layers with SiLU. Multiply by X W_up."
            ),
            Misconception(
                gate_left_out, "W_gate has no effect: these are plain layers with SiLU, made of W_up."
            ),
            Misconception(
                no_activation, "The gate is used as it is, without SiLU: SiLU(x) = x / (1 + exp(-x))."
            ),
            Misconception(
                exponent_without_minus,
                "The exponent has lost its minus sign: x / (1 + exp(x)) shuts the gate where it should open.",
            ),
            Misconception(
                residual_inside, "X is added inside. The block does that: return the layers' result alone."
            ),
            Misconception(normalised_inside, "X is normalised inside. The block does that before: leave X."),
        ),
        hints=(
            "Two layers read X: one is the gate, the other what passes through it. Both are (batch, num_tokens, "
            "hidden).",
            "SiLU of the gate is the gate times its own sigmoid.",
            "`gate = X @ W_gate`, in MXNet `nd.dot(X, W_gate)`; then `gate * gate.sigmoid()` times the other layer, "
            "and the whole product times W_down.",
        ),
        cases=_gated_cases,
        difficulty=2,
        minutes=10,
        points=2,
    ),
    Exercise(
        name="top_p",
        title="Keep the most probable tokens",
        statement="Keep the most probable tokens, as few as possible, whose probabilities sum to $p$ or more. Give all "
        "others the probability 0, and divide each row by its new sum.",
        rules=(
            "The token with which the sum reaches $p$ is kept. Tokens exactly as probable as the last one kept are kept "
            "too.",
            "Each token stays in its column.",
        ),
        entry="top_p",
        arguments=(
            Argument("probabilities", f"{PROBABILITIES}, each row sums to 1"),
            Argument("p", "a number, more than 0 and at most 1"),
        ),
        returns=(Output("kept", PROBABILITIES),),
        reference=top_p,
        misconceptions=(
            Misconception(
                crossing_token_left_out,
                "The token with which the sum reaches p is left out, so less than p remains, and where the first token "
                "alone has more than p, nothing. Keep a token while the sum of those *before* it is below p.",
                also=(partial(crossing_token_left_out, clamped=True),),
            ),
            Misconception(
                first_kept_by_hand,
                "The first token is always kept, but otherwise the one with which the sum reaches p is left out. Look "
                "at the sum of those *before* a token; then the first is no special case.",
            ),
            Misconception(
                p_must_be_passed,
                "Where the sum is exactly p already, one more token is kept. To reach p is enough.",
            ),
            Misconception(
                one_token_too_many,
                "One token too many is kept: the sum is compared one place too late. The token with which it reaches "
                "p is the last.",
            ),
            Misconception(
                not_renormalised,
                "The kept probabilities do not sum to 1: divide each row by its new sum.",
            ),
            Misconception(
                divided_by_p,
                "The probabilities come out divided by p, but the kept ones sum to more than p: divide each row by its own sum.",
            ),
            Misconception(
                divided_by_the_whole_batch,
                "The rows come out divided by the sum over the whole batch. Each row is a distribution: divide by its own sum.",
            ),
            Misconception(
                softmax_of_the_kept,
                "This is a softmax of the probabilities that are kept. They are no logits: divide by their sum.",
            ),
            Misconception(
                kept_made_equal,
                "All kept tokens become equally probable. Their ratios stay: divide the probabilities by their sum.",
            ),
            Misconception(
                left_sorted,
                "The result is still sorted, so the probabilities belong to other tokens. Put them back into their "
                "columns.",
            ),
            Misconception(
                least_probable_first,
                "The tokens are kept from the least probable on: sort in descending order.",
            ),
            Misconception(
                not_sorted,
                "The sum runs in the order of the vocabulary. Sort first, the most probable in front.",
            ),
            Misconception(
                p_as_threshold,
                "These are the tokens with a probability of p or more. It is the sum of the kept ones that has to reach p.",
            ),
            Misconception(
                rest_as_threshold,
                "These are the tokens with a probability of 1 − p or more. It is the sum of the kept ones that has to reach p.",
            ),
            Misconception(
                share_of_the_largest,
                "This keeps what has p times the largest probability or more, which is called min-p. Here the sum of the kept ones has to reach p.",
            ),
            Misconception(
                share_of_the_vocabulary,
                "This keeps the share p of the vocabulary, the same number of tokens in each row. How many are kept depends on their probabilities.",
            ),
            Misconception(
                first_row_decides,
                "The first row decides how many tokens each row keeps. Each row has a number of its own.",
            ),
            Misconception(
                only_the_most_probable,
                "Only the most probable token is left, whatever p is: that is greedy search.",
            ),
            Misconception(
                equal_ones_cut,
                "Of equally probable tokens some are kept and some are not, by their place in the vocabulary. Keep all "
                "that are as probable as the last one kept.",
            ),
            Misconception(
                reaching_token_left_out,
                "The token with which the sum reaches p is left out, even where it is exactly p then. Keep a token "
                "while the sum of those *before* it is below p.",
            ),
            Misconception(
                crossing_token_and_equal_ones_cut,
                "Two mistakes together. First: the token with which the sum reaches p is left out, and where the "
                "first token alone has more than p, nothing is left to divide. Keep a token while the sum of those "
                "*before* it is below p. Second: tokens exactly as probable as the last one kept must be kept too.",
            ),
            Misconception(
                reaching_token_and_equal_ones_cut,
                "Two mistakes together. First: the token with which the sum reaches p is left out, even where it is "
                "exactly p then. Keep a token while the sum of those *before* it is below p. Second: tokens exactly "
                "as probable as the last one kept must be kept too.",
            ),
            Misconception(
                left_sorted_equal_ones_cut,
                "Two mistakes together. First: the result is still sorted, so the probabilities belong to other "
                "tokens. Second: tokens exactly as probable as the last one kept must be kept too. Compare "
                "`probabilities` with the smallest one kept, and both are right.",
            ),
            Misconception(
                order_for_its_inverse,
                "The probabilities come out in other columns, as where the order of the sort is taken for its inverse "
                "(`gather` for `scatter`). Compare `probabilities` with the smallest one kept: then nothing has to be "
                "put back.",
                also=(partial(order_for_its_inverse, keep=equal_ones_cut),),
            ),
            Misconception(
                least_probable_first_equal_ones_cut,
                "Two mistakes together. First: the tokens are kept from the least probable on, so sort in descending order. Second: tokens exactly as probable as the last one kept must be kept too.",
            ),
            Misconception(
                not_sorted_crossing_left_out,
                "Two mistakes together. First: the sum runs in the order of the vocabulary, so sort first, the most "
                "probable in front. Second: the token with which the sum reaches p is left out. Keep a token while "
                "the sum of those *before* it is below p.",
            ),
            Misconception(
                softmax_first, "It comes out as after a softmax, but the rows are probabilities already."
            ),
        ),
        hints=(
            "Sort each row in descending order, and sum it up from the left with `cumsum`.",
            "The sum of those before a token is the cumulative sum minus its own probability. It is needed while that "
            "is below p.",
            "The smallest needed probability is a threshold: `probabilities >= least` says what is kept, and nothing "
            "has to be sorted back.",
        ),
        cases=_top_p_cases,
        difficulty=3,
        minutes=20,
        points=3,
    ),
)
