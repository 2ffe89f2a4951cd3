"""Exercises on language models: merged pairs of tokens, gated feed-forward layers, and the choice by top-p."""

import math
from dataclasses import replace

import numpy as np

from autograder.model.exercise import Argument, Case, Exercise, Output
from exercises.shared import draw_sizes
from solutions.language_model.in_numpy import gated_feed_forward, merge_pair, top_p
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
