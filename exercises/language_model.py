"""Exercises on language models: the tokeniser, parts of a block, the loss and a step of training, and how tokens are drawn."""

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from autograder.model.exercise import Argument, Case, Exercise, Output
from exercises.shared import ALL, NORMS, a_case_of_each, draw_lengths, draw_sizes, one_of
from solutions.language_model.in_numpy import (
    adamw_step,
    clip_gradients,
    decode,
    draw_token,
    encode,
    encode_piece,
    gated_feed_forward,
    learn_merges,
    merge_pair,
    next_token_loss,
    rms_norm,
    speculative_gain,
    top_p,
    whose_probabilities,
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
        ids = {"a": a, "b": a if "aaa" in parts else b, "x": x, "y": y}
        tokens = tuple(ids[letter] for letter in "".join(parts))
        new = 1000 + int(rng.integers(200))
        return Case(note, {"tokens": tokens, "pair": (ids["a"], ids["b"]), "new": new})

    def in_a_list(case: Case) -> Case:
        return replace(case, inputs={**case.inputs, "tokens": list(case.inputs["tokens"])})

    def shuffled(*parts: str) -> list[str]:
        more = ["x" if high else "y" for high in rng.integers(2, size=2 + rng.integers(4))]
        return [str(part) for part in rng.permutation([*parts, *more])]

    cases = [
        case("several pairs", *shuffled("xab", "ab", "yabx", "xbay"), "yx"),
        case("both orders of the two", *shuffled("xbay", "bxa", "ab", "by"), "x"),
        case("runs of one token, which are pairs of it", "x", *shuffled("aaa", "aaaay"), "yaaa"),
        case("a run in the middle", "y", "aaa", *shuffled("aaax"), "y"),
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
    """Return what writes a pattern of the letters a to h with letters that are drawn; they keep their order."""
    alphabet = np.sort(rng.choice(list(letters), size=8, replace=False))
    table = str.maketrans("abcdefgh", "".join(alphabet))
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
        case("words of such letters", 3, ("abc", 2), ("cab", 4 + more), letters=TWO_BYTES),
        case("a run beside a pair", 2, ("aaab", 3), ("cb", 5), ("d", more + 1)),
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

        prefix = "".join(rng.choice(list("gh"), size=1 + rng.integers(4)))
        merges = tuple((token(first), token(second)) for first, second in pairs)
        return Case(note, {"piece": spelled(f" {prefix}{pattern}"), "merges": merges})

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
        case("such letters after a blank", "caba", (" ", ""), ("", "b"), ("a", 1), letters=TWO_BYTES),
        case("a run between others", "caaab", ("b", "c"), ("a", "a"), ("c", 1)),
        case("no merges", "abc"),
    ]


def _text_cases(rng: np.random.Generator) -> list[Case]:
    def case(note: str, pattern: str, *pairs: tuple[str | int, str | int], letters: str = LETTERS) -> Case:
        """A pair is of characters, by their last byte, or of merges, by their number."""
        spelled = _spelled(rng, letters)

        def token(part: str | int) -> int:
            return 256 + part if isinstance(part, int) else spelled(part).encode()[-1]

        prefix = "".join(rng.choice(list("gh"), size=1 + rng.integers(4)))
        merges = tuple((token(first), token(second)) for first, second in pairs)
        return Case(note, {"text": spelled(f"{prefix} {pattern}"), "merges": merges})

    return [
        case("a word that comes again", "ab ab, abc ab", ("a", "b"), (" ", 0)),
        case("a merge over the end of a word", "ab ba, ab.", ("b", " "), ("a", "b"), (" ", "a")),
        case("marks that stand side by side", "ab (ab)... ba", ("b", ")"), (".", "."), ("a", "b")),
        case("lines and several blanks", "ab  ab\n\n\n\nba \tab", (" ", "a"), (" ", " "), ("\n", "\n")),
        case("tokens that are merged again", "abcd abcd", ("a", "b"), (0, "c"), (1, "d"), (" ", 2)),
        case("letters of two bytes", "ab ba", ("a", "b"), (" ", "a"), letters=TWO_BYTES),
        Case("capital letters", {"text": ", Ab ab, AB aB", "merges": ((97, 98), (65, 98), (32, 256))}),
        case("no merges", "ab cab"),
        Case("an empty text", {"text": "", "merges": ((97, 98),)}),
    ]


def _decoding_cases(rng: np.random.Generator) -> list[Case]:
    def case(note: str, text: str, *more: int, merged: int = 4) -> Case:
        """more: bytes after the text that are no UTF-8. merged: how many merges there are."""
        letters = rng.permutation(list(LETTERS))[:3]
        piece = "".join(letters).encode()
        merges = [(piece[0], piece[1]), (256, piece[2]), (0xC3, 0xBC), (32, 257)][:merged]
        tokens = [*text.encode(), *more]
        for place in rng.permutation(len(tokens) + 1)[:2]:
            if text.isascii():
                tokens[place:place] = [259, 256] if merged else piece
        inputs = {"tokens": tuple(tokens), "merges": tuple(merges)}
        return Case(note, inputs)

    return [
        case("a text with merged tokens", "one two"),
        case("a letter of two bytes, and tokens on both sides of it", "für ∞"),
        Case(
            "a merged token that is a letter",
            {"tokens": (90, 258, 114), "merges": ((32, 97), (256, 97), (0xC3, 0xBC))},
        ),
        Case("half of a letter in a merged token", {"tokens": (256, 0xBC, 33), "merges": ((32, 0xC3),)}),
        case("bytes that are no text", "ab", 0xFF, 0xC3),
        Case("half of a letter at the end", {"tokens": (32, 257, 0xC3), "merges": ((97, 98), (256, 256))}),
        case("no merges", " some text ", merged=0),
        Case("no tokens", {"tokens": (), "merges": ((97, 98),)}),
    ]


# Gated feed-forward layers

Array = np.ndarray


def _cases_to_norm(rng: np.random.Generator) -> list[Case]:
    def case(
        note: str, *typical: int, size: float = 1.5, offset: float = 0.0, gradient: bool = False
    ) -> Case:
        shape = draw_sizes(rng, *typical)
        X = offset + size * rng.normal(size=shape)
        return Case(note, {"X": X, "gain": rng.uniform(0.5, 2.0, size=shape[-1])}, gradient=gradient)

    return [
        case("all sizes different", 2, 4, 6, gradient=True),
        case("mean far from zero", 3, 2, 5, size=2.0, offset=-6.0, gradient=True),
        case("features so small that epsilon counts", 2, 3, 7, size=0.004),
        case("small features of other sequences", 3, 2, 4, size=0.0035),
        case("large numbers", 3, 4, 5, size=80.0, offset=20.0),
        case("a single token", 4, 1, 6),
    ]


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


# The loss


def _loss_cases(rng: np.random.Generator) -> list[Case]:
    def case(
        note: str, *typical: int, among: tuple[int, ...] | None = None, spare: int = 0, gradient: bool = False
    ) -> Case:
        """among: lengths that are there; without it there are none. spare: tokens that are padding in all."""
        batch, num_tokens, words = draw_sizes(rng, *typical)
        lengths = None if among is None else draw_lengths(rng, num_tokens, batch, among=among)
        logits = 2 * rng.normal(size=(batch, num_tokens + spare, words))
        tokens = rng.integers(words, size=(batch, num_tokens + spare))
        # Who ignores token 0 as padding is wrong: it is there, and real.
        tokens[:, 1] = 0
        inputs = {"logits": logits, "tokens": tokens, "valid_length": lengths}
        return Case(note, inputs, gradient=gradient)

    cases = [
        case("no padding", 2, 5, 7, gradient=True),
        case("a long and a short sequence", 2, 6, 5, among=(2, ALL), gradient=True),
        case("a sequence of one token, which predicts nothing", 3, 5, 8, among=(1, ALL), gradient=True),
        case("tokens that are padding in all", 3, 6, 4, among=(3, ALL), spare=2),
        case("one sequence without padding", 1, 7, 6),
        case("more sequences than tokens", 7, 4, 3, among=(2, ALL)),
    ]
    unlikely = case("right tokens with nearly no probability", 2, 4, 6)
    following = unlikely.inputs["tokens"][:, 1:, None]
    np.put_along_axis(unlikely.inputs["logits"][:, :-1], following, -60.0, axis=2)
    return [*cases, unlikely]


# A step of training: all parameters stand in one row


def _clip_cases(rng: np.random.Generator) -> list[Case]:
    def case(note: str, typical: int, norm: float, share: float) -> Case:
        """share: how large the most that is allowed is, as a share of the norm."""
        (size,) = draw_sizes(rng, typical, spread=9)
        gradients = rng.normal(size=size)
        gradients *= norm / np.sqrt((gradients**2).sum())
        return Case(note, {"gradients": gradients, "max_norm": norm * share})

    nothing = case("gradients of 0", 5, 1.0, 1.0)
    nothing.inputs["gradients"][:] = 0
    return [
        case("a norm that is too large", 12, float(rng.uniform(4, 6)), float(rng.uniform(0.2, 0.4))),
        case("a norm that is small enough", 9, float(rng.uniform(2, 3)), float(rng.uniform(1.3, 1.8))),
        case("a norm far below the limit", 6, float(rng.uniform(1, 2)), float(rng.uniform(5, 7))),
        case("a small norm of many gradients", 20, float(rng.uniform(1, 2)), float(rng.uniform(6, 7))),
        case("a norm just above the limit", 20, float(rng.uniform(2, 3)), float(rng.uniform(0.7, 0.9))),
        case("a large gradient", 7, float(rng.uniform(100, 200)), 0.005),
        case("a single parameter", 1, float(rng.uniform(3, 4)), float(rng.uniform(0.3, 0.6))),
        nothing,
    ]


def _adamw_cases(rng: np.random.Generator) -> list[Case]:
    def case(note: str, typical: int, step: int, size: float = 1.0) -> Case:
        (count,) = draw_sizes(rng, typical, spread=9)
        gradients = size * rng.uniform(0.5, 2, size=count) * rng.choice([-1, 1], size=count)
        began = step > 1
        decay = rng.uniform(0.3, 1, size=count)
        decay[::3] = 0
        return Case(note, {
            "weights": 2 * rng.normal(size=count),
            "gradients": gradients,
            "mean": began * size * rng.normal(size=count),
            "square": began * size**2 * rng.uniform(0.3, 3, size=count),
            "step": step,
            "rate": float(rng.uniform(0.1, 0.3)),
            "decay": decay,
        })  # fmt: skip

    resting = case("gradients of 0 at the first step", 6, 1)
    resting.inputs["gradients"][::2] = 0
    return [
        case("the first step", 7, 1),
        case("an early step", 10, 2 + int(rng.integers(6))),
        case("a late step", 5, 2000 + int(rng.integers(6000))),
        case("gradients as small as epsilon", 8, 1, size=1e-8),
        case("a single parameter", 1, 3 + int(rng.integers(4))),
        resting,
    ]


# The choice by top-p


def _top_p_cases(rng: np.random.Generator) -> list[Case]:
    def rows(batch: int, size: int, p: float, spread: float) -> Array:
        """Draw rows without two nearly equal probabilities, whose sums stay away from p; not in their order."""
        result: list[Array] = []
        counts: set[int] = set()
        while len(result) < batch:
            row = softmax(spread * rng.normal(size=size))
            ranked = -np.sort(-row)
            clear = np.abs(ranked.cumsum()[:-1] - p).min() > MARGIN and -np.diff(ranked).max() > 1e-4
            needed = int((ranked.cumsum() - ranked < p).sum())
            # The last row needs another number of tokens than the first.
            other = batch == 1 or len(result) < batch - 1 or needed not in counts
            if clear and ranked[-1] > 2e-3 and 1 < needed < size - 1 and row.argmax() > 0 and other:
                result.append(row)
                counts.add(needed)
        return np.stack(result)

    def case(note: str, *typical: int, spread: float = 1.0, gradient: bool = False) -> Case:
        batch, size = draw_sizes(rng, *typical)
        p = float(rng.uniform(0.55, 0.8))
        inputs = {"probabilities": rows(batch, size, p, spread), "p": p}
        return Case(note, inputs, gradient=gradient)

    def exactly(note: str, p: float, *row: float) -> Case:
        (batch,) = draw_sizes(rng, 3)
        mixed = rng.permuted(np.tile(row, (batch, 1)), axis=1)
        return Case(note, {"probabilities": mixed, "p": p})

    def rounded_down(note: str, *typical: int) -> Case:
        """Every token is needed. The sums end a little below 1, in whatever precision and order they are added up."""
        probabilities = case(note, *typical).inputs["probabilities"]
        return Case(note, {"probabilities": probabilities * (1 - 4e-7), "p": 1.0})

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
        rounded_down("a p of 1, and sums that rounding leaves below it", 3, 8),
    ]


# Drawing the next token


def _draw_cases(rng: np.random.Generator) -> list[Case]:
    def nucleus(logits: Array, temperature: float, p: float) -> Array:
        return top_p(softmax(logits / temperature), p)

    def case(note: str, *typical: int, temperature: float, p: float, place: float = 0.5) -> Case:
        """place: where in the part of the drawn token its number lies, from 0 to 1.

        Neither the first, the last nor the most probable token is drawn, the sums keep away from p, and the order of the
        tokens is not that of their probabilities.
        """
        batch, size = draw_sizes(rng, *typical)
        rows: list[Array] = []
        numbers: list[float] = []
        while len(rows) < batch:
            row = 1.2 * rng.normal(size=size)
            ranked = -np.sort(-softmax(row / temperature))
            clear = np.abs(ranked.cumsum()[:-1] - p).min() > MARGIN and -np.diff(ranked).max() > 1e-4
            (likely,) = nucleus(row[None], temperature, p)
            token = rng.choice(np.flatnonzero(likely)) if clear else 0
            if 0 < token < size - 1 and token != row.argmax() and likely[token] > 4 * MARGIN:
                rows.append(row)
                numbers.append(likely[:token].sum() + place * likely[token])
        inputs = {"logits": np.stack(rows), "temperature": temperature, "p": p}
        return Case(note, {**inputs, "numbers": np.array(numbers)[:, None]})

    low, high = float(rng.uniform(0.5, 0.7)), float(rng.uniform(1.6, 2.2))
    near_0 = case("numbers near 0 and near 1", 2, 6, temperature=1.0, p=0.8)
    near_0.inputs["numbers"][::2], near_0.inputs["numbers"][1::2] = 0.0005, 0.9995
    left_out = np.array([[-2.0, 1.0, 0.0, 1.5, -1.0]]) + rng.uniform(0, 0.05, size=(2, 5))
    at_0 = {"logits": left_out, "temperature": 1.0, "p": 0.7, "numbers": np.zeros((2, 1))}
    return [
        case("a low temperature", 4, 8, temperature=low, p=0.9),
        case("a high temperature", 5, 7, temperature=high, p=0.7),
        case("no token left out", 3, 6, temperature=high, p=0.999),
        case("many tokens left out", 6, 9, temperature=1.5, p=0.6, place=0.3),
        case("one sequence", 1, 9, temperature=low, p=0.95, place=0.8),
        near_0,
        Case("the number 0, and token 0 left out", at_0),
    ]


# Speculative decoding

CHANGES = (
    "q(x) is the same for all tokens",
    "q(x) = 0 for a token with p(x) > 0",
    "each proposed token is kept",
    "no proposed token is kept",
    "a token is replaced by a draw from p",
    "the most probable token is proposed",
)


def _gain_cases(rng: np.random.Generator) -> list[Case]:
    def case(note: str, num_proposed: int, least: float, cost: float) -> Case:
        a = least if least in (0, 1) else round(least + float(rng.uniform(0, 0.2)), 3)
        cost = round(cost * float(rng.uniform(0.8, 1.2)), 3)
        return Case(note, {"a": a, "num_proposed": num_proposed, "cost": cost})

    return [
        case("a quick draft", 4, 0.7, 0.05),
        case("many proposed tokens", 9, 0.5, 0.02),
        case("one proposed token", 1, 0.4, 0.3),
        case("a slow draft", 3, 0.2, 0.5),
        case("every proposed token is kept", 5, 1.0, 0.1),
        case("no proposed token is kept", 2, 0.0, 0.2),
    ]


EXERCISES = (
    Exercise(
        name="merge_pair",
        title="Merge a pair",
        statement="Replace each occurrence of a pair of neighbours by the new token, from left to right.",
        conditions={
            "tokens": "not changed",
            "pair": (
                "both of its tokens go and one new token comes; no token is replaced twice: of 5, 5, 5 the pair "
                "(5, 5) leaves `new`, 5"
            ),
        },
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
        statement=(
            "Learn which pairs are merged. Begin with the bytes of each piece. Then repeat: count the pairs "
            "of neighbours in all pieces, make the most frequent pair the next new token, and merge it "
            "everywhere."
        ),
        conditions={
            "counted": (
                "pieces are strings; in each round count the pairs of the present tokens, each as often as its "
                "piece occurs; in 5, 5, 5 the pair (5, 5) counts twice; no pair reaches into another piece"
            ),
            "num_merges": "stop earlier where no pair is left",
            "returns merges": (
                "the first new token is 256, the next 257, and so on; of equally frequent pairs take the first "
                "among the present tokens, piece by piece, from left to right"
            ),
        },
        builds_on=("language_model",),
        helpers=("merge_pair",),
        entry="learn_merges",
        arguments=(
            Argument("counted", "a tuple of pairs (piece, how often it occurs), no piece twice"),
            Argument("num_merges", "a whole number, how many pairs are merged"),
        ),
        returns=(
            Output("merges", "a list of pairs of whole numbers, the merges in their order", plain=True),
        ),
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
        conditions={
            "merges": (
                "the pair `merges[i]` becomes the token `256 + i`; each merge is made wherever its pair "
                "occurs, from left to right, before the next merge is looked at"
            ),
        },
        builds_on=("language_model",),
        helpers=("merge_pair",),
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
        name="encode",
        title="Encode a text",
        statement="Give the tokens of a whole text, in one list, piece after piece.",
        conditions={
            "text": (
                "`pieces_of(text)` lists its words and marks, each with the blank before it, and other white "
                "space; joined, they are the text"
            ),
            "merges": (
                "each piece is encoded by itself, by `encode_piece`: no token reaches from one piece into the next"
            ),
        },
        builds_on=("language_model",),
        helpers=("pieces_of", "encode_piece"),
        entry="encode",
        arguments=(
            Argument("text", "a string"),
            Argument("merges", "a tuple of pairs of tokens"),
        ),
        returns=(Output("tokens", "a list of whole numbers", plain=True),),
        reference=encode,
        hints=(
            "Go through the pieces and add the tokens of each to one list.",
            "`append` would put a list into the list; `+=` or `extend` adds its numbers.",
            "`[token for piece in pieces_of(text) for token in encode_piece(piece, merges)]`. A long text becomes faster if a "
            "dictionary keeps the tokens of each different piece.",
        ),
        cases=_text_cases,
        difficulty=1,
        minutes=5,
        points=1,
    ),
    Exercise(
        name="decode",
        title="Decode tokens",
        statement=(
            "Give the text of tokens. The bytes of all tokens together are the text in UTF-8: a letter of two "
            "bytes may come from two tokens."
        ),
        conditions={
            "tokens": "a token below 256 is that byte; all are below `256 + len(merges)`",
            "merges": (
                "the token `256 + i` stands for the bytes of the two tokens of `merges[i]`, one after the other: "
                "bytes, or tokens of earlier pairs"
            ),
            "returns text": 'bytes that are no UTF-8 become the character � (U+FFFD), as `errors="replace"` does it',
        },
        entry="decode",
        arguments=(
            Argument("tokens", "whole numbers, in a tuple"),
            Argument("merges", "a tuple of pairs of tokens"),
        ),
        returns=(Output("text", "a string", plain=True),),
        reference=decode,
        hints=(
            "Make the string of bytes of every token first, in the order of the tokens: 256 of one byte each, then one for "
            "each merge.",
            "`bytes([byte])` is a string of one byte, and `+` joins two strings of bytes.",
            'Join the strings of all tokens with `b"".join(…)`, and only then call `.decode(errors="replace")`.',
        ),
        cases=_decoding_cases,
        difficulty=2,
        minutes=15,
        points=2,
    ),
    Exercise(
        name="rms_norm",
        title="The norm of today's block",
        statement=(
            "Divide the features of each token by the root of the mean of their squares, with $10^{-5}$ added inside "
            "the root; then multiply each feature by its gain."
        ),
        rules=("Write it with squares, means and roots: none of the library's own norms may be called.",),
        entry="rms_norm",
        arguments=(Argument("X", HIDDEN), Argument("gain", "(d,)")),
        returns=(Output("normed", HIDDEN),),
        reference=rms_norm,
        hints=(
            "The mean square belongs to one token, over its features: the last axis. Nothing is subtracted.",
            "Keep the axis of the mean, so that it can be broadcast over the features.",
            "`gain * X` divided by the root of the mean square plus 1e-5.",
        ),
        cases=_cases_to_norm,
        forbidden=NORMS,
        difficulty=1,
        minutes=10,
        points=1,
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
        name="next_token_loss",
        title="The loss of the next tokens",
        statement=(
            "Compute the mean cross-entropy of every next token: the logits at position $t$ predict the token "
            "at position $t + 1$. So the first token is predicted by nothing, and the last position predicts "
            "nothing. Padding is neither predicted nor counted."
        ),
        conditions={
            "logits": (
                r"the loss of one prediction is $-\log p$ of the right token, where $p$ comes from the softmax "
                "of its logits"
            ),
            "valid_length": "of each sequence the first `valid_length` tokens are real; with `None` all are",
            "returns loss": "an array of one number, the mean over all predictions",
        },
        entry="next_token_loss",
        arguments=(
            Argument("logits", "(batch, num_tokens, vocabulary_size)"),
            Argument("tokens", "(batch, num_tokens), whole numbers", integers=True),
            Argument("valid_length", "None or (batch,), each at least 1, one at least 2"),
        ),
        returns=(Output("loss", "(1,)"),),
        reference=next_token_loss,
        hints=(
            "Shift first: all logits but the last position's, and all tokens but the first. Then both have "
            "`num_tokens - 1` positions, and belong together.",
            "Take the log-softmax over the vocabulary, pick the logarithm of the wanted token at each position, and turn "
            "the sign. That is a loss for each position.",
            "The token at place $t$ is real where $t$ is below `valid_length`; the predicted ones have the places 1, 2, …, "
            "so compare [`torch.arange(1, num_tokens)`]{.torch}[ or ]{.both}[`nd.arange(1, num_tokens)`]{.mxnet}. Sum the real losses, and divide by their "
            "number.",
        ),
        cases=_loss_cases,
        difficulty=3,
        minutes=20,
        points=3,
    ),
    Exercise(
        name="clip_gradients",
        title="Clip the gradients",
        statement=(
            "Where the norm of all gradients together is larger than `max_norm`, multiply them all by one "
            "factor, so that their norm is `max_norm`. Where it is not, they stay as they are."
        ),
        conditions={
            "gradients": (
                "those of all arrays of the model in one row, not changed; the norm is the root of the sum of "
                "their squares"
            ),
            "returns clipped": "gradients that are all 0 stay 0",
        },
        entry="clip_gradients",
        arguments=(Argument("gradients", "(num_parameters,)"), Argument("max_norm", "a number above 0")),
        returns=(Output("clipped", "(num_parameters,)"),),
        reference=clip_gradients,
        hints=(
            "There is one norm for all parameters, so there is one factor. The direction of the step stays as it is.",
            "With the factor `max_norm / norm` the norm becomes `max_norm`. A factor above 1 would make gradients larger.",
            "The factor is the smaller one of `max_norm / norm` and 1[: `.clamp(max=1)`]{.torch}[, and ]{.both}[: `nd.minimum`]{.mxnet}. Then a norm of 0 does no harm "
            "either: infinity is larger than 1.",
        ),
        cases=_clip_cases,
        difficulty=2,
        minutes=10,
        points=2,
    ),
    Exercise(
        name="adamw_step",
        title="One step of AdamW",
        statement=(
            "Make one step of AdamW, Adam with decoupled weight decay. It updates the running means $m$ of "
            r"the gradient $g$ and $s$ of its square, and moves each parameter $w$ by $\hat{m} = m / (1 - "
            r"0.9^t)$ and $\hat{s} = s / (1 - 0.999^t)$, which make up for the beginning at 0."
        ),
        rules=("Leave the arguments as they are.",),
        conditions={
            "weights": "$w$",
            "gradients": "$g$",
            "mean": "$m$ before the step",
            "square": "$s$ before the step",
            "step": "$t$",
            "rate": r"$\eta$",
            "decay": r"$\lambda$, which is 0 for parameters that do not decay",
            "returns weights": (
                r"$w - \eta\,\bigl(\hat{m} / (\sqrt{\hat{s}} + 10^{-8}) + \lambda\,w\bigr)$, where $w$ is the "
                r"weight before the step, and $\hat{m}$ and $\hat{s}$ come from the new $m$ and $s$"
            ),
            "returns mean": r"the new $m$, $0.9\,m + 0.1\,g$, without the correction",
            "returns square": r"the new $s$, $0.999\,s + 0.001\,g^2$, without the correction",
        },
        entry="adamw_step",
        arguments=(
            Argument("weights", "(num_parameters,)"),
            Argument("gradients", "(num_parameters,)"),
            Argument("mean", "(num_parameters,), 0 at first"),
            Argument("square", "(num_parameters,), 0 at first"),
            Argument("step", "a whole number, 1 at the first step"),
            Argument("rate", "a number"),
            Argument("decay", "(num_parameters,)"),
        ),
        returns=(
            Output("weights", "(num_parameters,)"),
            Output("mean", "(num_parameters,)"),
            Output("square", "(num_parameters,)"),
        ),
        reference=adamw_step,
        hints=(
            "Five lines, one for each formula. Everything is entry by entry; no parameter looks at another.",
            "Compute the new `mean` and `square` first and keep them, since they are returned. The corrected ones get other "
            "names.",
            "`change = m / (s.sqrt() + 1e-8) + decay * weights`, and the weights become `weights - rate * change`. The decay "
            "does not go through `mean` and `square`: that is what decoupled means.",
        ),
        cases=_adamw_cases,
        difficulty=4,
        minutes=25,
        points=3,
    ),
    Exercise(
        name="top_p",
        title="Keep the most probable tokens",
        statement=(
            "Keep the most probable tokens: as few as sum to $p$ or more, and any exactly as probable as the "
            "last of these. Give all others the probability 0, and divide each row by its new sum."
        ),
        conditions={
            "p": "sums reach $p$ exactly or miss it by more than rounding; with 1 all tokens are kept, whatever rounding does",
            "returns kept": "each token stays in its column",
        },
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
    Exercise(
        name="draw_token",
        title="Draw the next token",
        statement=(
            "Draw the next token of each sequence. Divide its logits by the temperature, take their softmax, "
            "and keep the most probable tokens with `top_p`. The token is the first one, in the order of the "
            "vocabulary, at which the sum of the kept probabilities from token 0 on is more than the random "
            "number."
        ),
        conditions={
            "numbers": "one for each sequence; draw no others; in the check none is so near to 1 that the rounding of the last sum matters",
            "returns tokens": "the numbers of the tokens[, ]{.torch}[in PyTorch ]{.both}[in an integer type]{.torch}",
        },
        builds_on=("language_model",),
        helpers=("top_p",),
        entry="draw_token",
        arguments=(
            Argument("logits", PROBABILITIES),
            Argument("temperature", "a number above 0"),
            Argument("p", "a number, more than 0 and at most 1"),
            Argument("numbers", "(batch, 1), from 0 to below 1"),
        ),
        returns=(Output("tokens", "(batch, 1)", indices=True),),
        reference=draw_token,
        hints=(
            "In order: divide, softmax, top_p, cumulative sum, compare with the random number.",
            "With the kept probabilities 0.5, 0, 0.3 and 0.2 the sums are 0.5, 0.5, 0.8 and 1. The number 0.6 draws token 2: "
            "two sums are not more than 0.6, those of the tokens 0 and 1.",
            "So the token is the number of sums that are at most the random number: "
            "[`(sums <= numbers).sum(dim=-1, keepdim=True)`]{.torch}[ or ]{.both}[`(sums <= numbers).sum(axis=-1, keepdims=True)`]{.mxnet}. "
            "Rounding may leave the last sum a little below 1: compare with `numbers` times the last sum.",
        ),
        cases=_draw_cases,
        difficulty=2,
        minutes=15,
        points=2,
    ),
    Exercise(
        name="whose_probabilities",
        title="Whose probabilities",
        statement=(
            "One thing is changed in speculative decoding. Whose probabilities does the next token then have: the "
            'target\'s, `"p"`, the draft\'s, `"q"`, or `"neither"`?'
        ),
        conditions={"change": "what it does not name stays as in the three rules"},
        entry="whose_probabilities",
        arguments=(one_of("change", CHANGES),),
        returns=(Output("whose", 'one of "p", "q", "neither"', plain=True),),
        reference=whose_probabilities,
        cases=a_case_of_each("change", CHANGES),
        difficulty=2,
        minutes=10,
        points=1,
    ),
    Exercise(
        name="speculative_gain",
        title="What a draft gains",
        statement=(
            "Derive how many times as many tokens are written in the same time with a draft as without one, on average. "
            "The target's reading takes the same time for one token as for several."
        ),
        conditions={
            "a": "the probability that a proposed token is kept, independently of the others",
            "num_proposed": "tokens in each step",
            "cost": "the time for each of them, in readings of the target",
        },
        entry="speculative_gain",
        arguments=(
            Argument("a", "a number from 0 to 1"),
            Argument("num_proposed", "int"),
            Argument("cost", "a number, at least 0"),
        ),
        returns=(Output("gain", "a float", plain=True),),
        reference=speculative_gain,
        hints=(
            "How many tokens does a step write on average, and how long does it take?",
            "The token after n kept ones is written with the probability aⁿ, for n from 0 to `num_proposed`.",
            "A step takes `1 + num_proposed * cost`. Without a draft one token takes 1.",
        ),
        cases=_gain_cases,
        difficulty=2,
        minutes=10,
        points=1,
    ),
)
