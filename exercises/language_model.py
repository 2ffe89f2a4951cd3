"""Exercises on language models: merged pairs of tokens, gated feed-forward layers, and the choice by top-p."""

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from autograder.model.exercise import Argument, Case, Exercise, Output
from exercises.shared import draw_sizes
from solutions.language_model.in_numpy import (
    encode_piece,
    gated_feed_forward,
    learn_merges,
    merge_pair,
    top_p,
)
from solutions.self_attention.in_numpy import softmax

HIDDEN = "(batch, num_tokens, d)"
PROBABILITIES = "(batch, vocabulary_size)"
MARGIN = 0.01


# Merged pairs


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


# Merges that are learned from pieces, and made in a piece

LETTERS = "bcdfghjklmnpqrstvwxz"
# Letters of two bytes each, all with the same first byte.
TWO_BYTES = "áâãäåæçèéêëìíîïðñòóôõöøùúûüý"


def _spelled(rng: np.random.Generator, letters: str = LETTERS) -> Callable[[str], str]:
    """What writes a pattern of the letters a to h with letters that are drawn; they keep their order."""
    drawn = np.sort(rng.choice(list(letters), size=8, replace=False))
    table = str.maketrans("abcdefgh", "".join(drawn))
    return lambda pattern: pattern.translate(table)


def _learning_cases(rng: np.random.Generator) -> list[Case]:
    def case(note: str, num_merges: int, *counted: tuple[str, int], letters: str = LETTERS) -> Case:
        spelled = _spelled(rng, letters)
        pieces = tuple((spelled(pattern), count) for pattern, count in counted)
        return Case(note, {"counted": pieces, "num_merges": num_merges})

    more = int(rng.integers(4))
    return [
        case(
            "several merges", 4, ("eda", 10 + more), ("cda", 5), ("cdf", 12 + more), ("bdf", 4), ("edab", 5)
        ),
        case("pieces with a blank before them", 5, (" abc", 7), ("abc", 2), (" abd", 4 + more), (" ac", 3)),
        case("pairs that are equally frequent", 3, ("cdb", 3), ("fab", 3), ("ceb", 1)),
        case("runs of one letter", 3, ("aaaa", 4), ("bc", 10 + more), ("aaab", 1), ("dcdc", 3)),
        case("a rare piece that holds a pair often", 2, ("ababab", 2), ("cd", 5), ("ce", 4 + more)),
        case("letters of two bytes", 4, ("bad", 3), ("fed", 2 + more), ("ab", 4), letters=TWO_BYTES),
        case("more merges than there are pairs", 12 + more, ("abcab", 1), ("cb", 1)),
        case("one letter in each piece: nothing to merge", 2 + more, ("a", 5), ("b", 3)),
    ]


def _encoding_cases(rng: np.random.Generator) -> list[Case]:
    def case(note: str, pattern: str, *pairs: tuple[str | int, str | int], letters: str = LETTERS) -> Case:
        """A pair is of letters, by their last byte, or of merges, by their number; "" is the byte before a letter's last."""
        spelled = _spelled(rng, letters)

        def token(part: str | int) -> int:
            if isinstance(part, int):
                return 256 + part
            return spelled(part).encode()[-1] if part else spelled("a").encode()[0]

        others = "".join(rng.choice(list("gh"), size=1 + rng.integers(4)))
        merges = tuple((token(first), token(second)) for first, second in pairs)
        return Case(note, {"piece": spelled(others + pattern), "merges": merges})

    return [
        case("tokens that are merged again", "abcd", ("a", "b"), ("d", "c"), (0, "c"), (2, "d")),
        case("the later pair was learned first", "abcab", ("b", "c"), ("a", "b")),
        case("the pair from the left was learned first", "abcab", ("a", "b"), ("b", "c")),
        case("a pair that the piece holds more often was learned later", "abcbc", ("a", "b"), ("b", "c")),
        case(
            "a pair that is learned last and stands in a longer token",
            "abc",
            ("b", "c"),
            ("a", 0),
            ("a", "b"),
        ),
        case("a run of one letter", "aaaaaba", ("a", "a"), (0, 0), ("a", "b")),
        case("a pair that occurs several times", "abdabab", ("a", "b"), ("d", 0)),
        case("letters of two bytes", "abca", ("", "a"), ("", "c"), (0, ""), letters=TWO_BYTES),
        case("no merges", "abc"),
    ]


# Gated feed-forward layers

Array = np.ndarray


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
        name="learn_merges",
        title="Learn the merges",
        statement="Learn which pairs are merged. Begin with the bytes of each piece. Then repeat: count the pairs of "
        "neighbours in all pieces, make the most frequent pair the next new token, and merge it everywhere.",
        rules=(
            "The first new token is 256, the next 257, and so on. A pair in a piece that occurs 5 times counts 5 times, "
            "and a pair counts wherever its tokens are neighbours: in 5, 5, 5 the pair (5, 5) counts twice. No pair "
            "reaches from one piece into another.",
            "Of pairs that are equally frequent, take that which comes first, reading the pieces in their order from left "
            "to right. Where no pair is left, stop.",
            "`merge_pair` may be used.",
        ),
        builds_on=("language_model",),
        entry="learn_merges",
        arguments=(
            Argument("counted", "a tuple of pairs (piece, how often it occurs), no piece twice"),
            Argument("num_merges", "how many pairs are merged, a whole number"),
        ),
        returns=(Output("merges", "a list of pairs of tokens, in the order of the merges", plain=True),),
        reference=learn_merges,
        hints=(
            "`list(piece.encode())` gives the bytes. Keep for each piece its tokens and its count.",
            "In each round add the piece's count to `pairs[pair]` for each of its pairs of neighbours, in a new "
            "`Counter()`, then replace the tokens of every piece by what `merge_pair` gives.",
            "`max(pairs, key=pairs.get)` is the first of the most frequent pairs, since a dictionary keeps the order in "
            "which its keys came. The new token of round `i` is `256 + i`.",
        ),
        cases=_learning_cases,
        difficulty=3,
        minutes=25,
        points=3,
    ),
    Exercise(
        name="encode_piece",
        title="Encode a piece",
        statement="Give the tokens of a piece: begin with its bytes, and make the merges one after the other, in the order "
        "in which they were learned.",
        rules=(
            "The pair `merges[i]` becomes the token `256 + i`. Each merge is made wherever its pair occurs, from left to "
            "right, before the next merge is looked at.",
            "`merge_pair` may be used.",
        ),
        builds_on=("language_model",),
        entry="encode_piece",
        arguments=(
            Argument("piece", "a string"),
            Argument("merges", "a tuple of pairs of tokens"),
        ),
        returns=(Output("tokens", "a list of whole numbers", plain=True),),
        reference=encode_piece,
        hints=(
            "`list(piece.encode())` gives the bytes of the piece as whole numbers.",
            "One loop over the merges is enough, in their order: a merge holds only tokens that are made before it.",
            "`enumerate(merges, 256)` gives each pair with its new token.",
        ),
        cases=_encoding_cases,
        difficulty=2,
        minutes=10,
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
        hints=(
            "Two layers read X: one is the gate, the other what passes through it. Both are (batch, num_tokens, "
            "hidden).",
            "SiLU of the gate is the gate times its own sigmoid.",
            "[`gate = X @ W_gate`]{.torch}[, in MXNet ]{.both}[`gate = nd.dot(X, W_gate)`]{.mxnet}; then `gate * gate.sigmoid()` times the other layer, "
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
