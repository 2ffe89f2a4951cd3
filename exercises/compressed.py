"""Exercises on compressed keys and values: numbers in a cache, latent attention, absorbed, and eight bits."""

import numpy as np

from autograder.frameworks import library_attention
from autograder.model.exercise import Argument, Call, Case, Exercise, Output, Property
from exercises.shared import a_case_of_each, draw_sizes, last_of, one_of, raise_scores
from solutions.compressed.in_numpy import (
    absorbed_attention,
    cache_numbers,
    latent_attention,
    quantised_cache,
    still_absorbed,
)

LATENT = (
    Argument("queries", "(batch, num_heads, num_queries, d_k)"),
    Argument("rotary_queries", "(batch, num_heads, num_queries, d_r)"),
    Argument("latents", "(batch, num_keys, rank)"),
    Argument("rotary_keys", "(batch, num_keys, d_r)"),
    Argument("W_k", "(num_heads, rank, d_k)"),
    Argument("W_v", "(num_heads, rank, d_v)"),
)
CONTEXT = Output("context", "(batch, num_heads, num_queries, d_v)")
LAST_POSITIONS = (
    "The keys are those of all positions so far, and the queries those of the last `num_queries` positions: no query "
    "sees a later key."
)


# Numbers in a cache


def _cases_to_count(rng: np.random.Generator) -> list[Case]:
    names = ("num_heads", "num_groups", "d", "rank", "d_r")
    typical = {
        "as in a small model": (6, 2, 10, 30, 4),
        "few heads": (4, 2, 12, 15, 6),
        "many heads and a short latent": (48, 3, 16, 24, 8),
        "a latent wider than a key and a value": (12, 4, 8, 40, 2),
    }

    def draw(heads: int, groups: int, *rest: int) -> tuple[int, ...]:
        groups += int(rng.integers(3))
        # So that groups are equal, and no group is one head
        return groups * (heads // groups + 1), groups, *draw_sizes(rng, *rest, spread=9)

    return [Case(note, dict(zip(names, draw(*sizes), strict=True))) for note, sizes in typical.items()]


# Latent attention


def _latent_case(
    rng: np.random.Generator, note: str, *typical: int, one: bool = False, gradient: bool = False
) -> Case:
    """typical: batch, d_r, heads, d_k, rank, d_v, queries, and how many keys are in the cache before them."""
    batch, d_r, num_heads, d_k, rank, d_v, num_queries, before = draw_sizes(rng, *typical, spread=3)
    num_queries = 1 if one else num_queries
    num_keys = before + num_queries
    shapes = {
        "queries": (batch, num_heads, num_queries, d_k),
        "rotary_queries": (batch, num_heads, num_queries, d_r),
        "latents": (batch, num_keys, rank),
        "rotary_keys": (batch, num_keys, d_r),
        "W_k": (num_heads, rank, d_k),
        "W_v": (num_heads, rank, d_v),
    }
    inputs = {name: rng.normal(size=shape) for name, shape in shapes.items()}
    # Latents are projected: so that scores are as large as without that
    inputs["W_k"] /= np.sqrt(rank)
    inputs["W_v"] /= np.sqrt(rank)
    return Case(note, inputs, gradient=gradient)


def _with_a_loud_last_key(case: Case) -> Case:
    """Return the same where the last key scores 1000 above the rest, by its rotary part."""
    queries, keys = case.inputs["rotary_queries"], case.inputs["rotary_keys"]
    width = case.inputs["queries"].shape[-1] + queries.shape[-1]
    case.inputs["latents"][:, -1] = 0
    raise_scores(queries, keys, last_of(keys.shape[1]), width)
    return case


def _latent_cases(rng: np.random.Generator) -> list[Case]:
    return [
        # Only here the keys of a head are larger than all else.
        _latent_case(rng, "a long cache of short latents", 1, 2, 3, 60, 2, 64, 7, 70, one=True),
        _latent_case(rng, "all tokens at once", 2, 2, 3, 4, 6, 7, 5, 0, gradient=True),
        _latent_case(rng, "several new tokens after a cache", 2, 3, 2, 5, 4, 6, 3, 7, gradient=True),
        _latent_case(rng, "one new token: decoding", 3, 2, 4, 3, 5, 6, 7, 8, one=True, gradient=True),
        _latent_case(rng, "one head", 2, 4, 1, 3, 5, 2, 6, 3),
        _latent_case(rng, "a single token, nothing before it", 3, 2, 4, 5, 3, 6, 7, 0, one=True),
        _with_a_loud_last_key(
            _latent_case(rng, "a last key that scores far above the rest", 2, 3, 2, 5, 4, 6, 4, 2)
        ),
    ]


# Absorbed: how much a call may hold

KEYS_ARE_MADE = (
    "The result is right, but keys or values of heads are made for all positions, from the latents. Multiply the "
    "queries by W_k instead, so that they can be compared with the latents as they are, and the sums of latents by W_v."
)


def _no_key_of_a_head(run: Call, case: Case) -> str | None:
    """Check that a call makes no array as large as the keys, or the values, of one head."""
    batch, num_keys, rank = case.inputs["latents"].shape
    num_heads, num_queries = case.inputs["queries"].shape[1:3]
    width = min(case.inputs[name].shape[2] for name in ("W_k", "W_v"))
    cached = rank + case.inputs["rotary_keys"].shape[2]
    if width < num_heads * max(num_queries, cached):
        return None  # scores, or latents repeated for each head, may be as large
    largest, _ = run(case)
    return None if largest < batch * num_keys * width else "keys_are_made"


# Eight bits


def _cases_of_bits(rng: np.random.Generator) -> list[Case]:
    def case(note: str, *typical: int, zeros: bool = False, sizes: tuple[float, float] = (0.5, 2.0)) -> Case:
        batch, num_tokens, d = draw_sizes(rng, *typical)
        whole = rng.integers(-100, 101, size=(batch, num_tokens, d)).astype(float)
        # Far from halves, so that single precision rounds as double precision does
        X = whole + rng.uniform(0.1, 0.4, size=whole.shape) * rng.choice([-1, 1], size=whole.shape)
        # In each token one number is the largest; in every second one it is negative.
        at = rng.integers(d, size=(batch, num_tokens, 1))
        signs = np.where((np.arange(num_tokens)[:, None] + np.arange(batch)[:, None, None]) % 2, -1, 1)
        np.put_along_axis(X, at, 127.0 * signs, axis=2)
        X *= rng.uniform(*sizes, size=(batch, num_tokens, 1))
        if zeros:
            X[:, ::2] = 0
        return Case(note, {"X": X})

    return [
        case("several sequences", 2, 5, 8),
        case("tokens of very different sizes", 3, 6, 7, sizes=(0.001, 1.0)),
        case("some tokens are zero", 2, 4, 5, zeros=True),
        case("one token", 4, 1, 6),
        case("one number for each token", 3, 5, 1),
    ]


def _of_eight_bits(run: Call, case: Case) -> str | None:
    """Check that a whole number takes one byte."""
    whole, _ = run(case)
    return None if whole.dtype == np.int8 else f"it is {whole.dtype}."


def _error_is_half_a_step(run: Call, case: Case) -> str | None:
    """Check that whole numbers times scales are within half a scale of what they stand for."""
    whole, scale = (result.astype(np.float64) for result in run(case))
    X = case.inputs["X"]
    if whole.shape != X.shape or scale.shape != (*X.shape[:2], 1):
        return None
    error = np.abs(whole * scale - X)
    wrong = np.argwhere(~(error <= 0.501 * np.abs(scale) + 1e-6))
    if not len(wrong):
        return None
    at = tuple(map(int, wrong[0]))
    return f"At {list(at)} it is {whole[at] * scale[at[:2]][0]:.4f} for {X[at]:.4f}, with the scale {scale[at[:2]][0]:.4f}."


# What can be absorbed

CHANGES = (
    "a rotation of the keys by position",
    "a bias added to keys and values",
    "a ReLU after W_V",
    "a ReLU after W_K and W_V",
    "an RMSNorm of each key",
    "an RMSNorm of the latents that are kept",
)


EXERCISES = (
    Exercise(
        name="still_absorbed",
        title="What can be absorbed",
        statement=(
            "Something is changed in how latents become keys and values. Which of the two can still be left unmade, so that "
            'only the latents of the tokens are used: `"both"`, only the `"keys"`, only the `"values"`, or `"neither"`?'
        ),
        entry="still_absorbed",
        arguments=(one_of("change", CHANGES),),
        returns=(Output("absorbed", 'one of "both", "keys", "values", "neither"', plain=True),),
        reference=still_absorbed,
        cases=a_case_of_each("change", CHANGES),
        difficulty=2,
        minutes=10,
        points=1,
    ),
    Exercise(
        name="cache_numbers",
        title="Numbers for each token",
        statement=(
            "Predict how many numbers one layer keeps in its cache for each token: with keys and values for "
            "each head (multi-head), for each group of heads (grouped-query), once for all heads "
            "(multi-query), and as a latent with a rotary key."
        ),
        conditions={
            "num_groups": "how many; each shares one key and one value",
            "d": "numbers in a key, and as many in a value",
            "rank": "numbers in the latent, from which all keys and values are made anew",
            "d_r": "numbers in the rotary key, which all heads share",
        },
        entry="cache_numbers",
        arguments=(
            Argument("num_heads", "int"),
            Argument("num_groups", "int that divides num_heads"),
            Argument("d", "int"),
            Argument("rank", "int"),
            Argument("d_r", "int"),
        ),
        returns=(
            Output("numbers", "(multi-head, grouped-query, multi-query, latent), whole numbers", plain=True),
        ),
        reference=cache_numbers,
        hints=(
            "For each set of keys and values the cache holds a key and a value for each token.",
            "The sets: one for each head, one for each group, or a single one.",
            "With latents one vector stands for keys and values of all heads; only the rotary key stands beside it.",
        ),
        cases=_cases_to_count,
        difficulty=1,
        minutes=10,
        points=1,
    ),
    Exercise(
        name="latent_attention",
        title="Attention over latents",
        statement=(
            "Write causal attention whose cache holds latents. The scores are scaled dot products of whole "
            "queries with whole keys."
        ),
        rules=("Do not call the library's own attention.",),
        conditions={
            "queries": (
                "those of the last `num_queries` of the `num_keys` positions: no query sees a later key; a whole "
                "query is `queries` followed by `rotary_queries`; the scores are divided by the root of its width"
            ),
            "rotary_queries": "rotated already",
            "rotary_keys": "rotated already; all heads share them",
            "W_k": "the keys of head $h$ are `latents` times `W_k[h]`, with `rotary_keys` after them",
            "W_v": "the values of head $h$ are `latents` times `W_v[h]`",
        },
        entry="latent_attention",
        arguments=LATENT,
        returns=(CONTEXT,),
        reference=latent_attention,
        hints=(
            "Make keys and values of each head first. What follows is ordinary attention with heads.",
            "The rotary key has no axis of heads: repeat it for each head, and join it to the keys along the last axis. "
            "A whole key has d_k + d_r numbers.",
            "With `key = 0, 1, …` the queries stand at `place = key[num_keys - num_queries :]`, and a key is hidden "
            "where `key > place`. [`latents.unsqueeze(1) @ W_k` makes the keys of all heads.]{.torch} [In MXNet let heads be "
            "batch elements: `latents.repeat(num_heads, axis=0)` and `W_k.tile((batch, 1, 1))`, in `nd.batch_dot`.]{.mxnet}",
        ),
        cases=_latent_cases,
        forbidden=library_attention(),
        difficulty=3,
        minutes=25,
        points=3,
    ),
    Exercise(
        name="absorbed_attention",
        title="The up-projection absorbed",
        statement=(
            "Write the same attention so that no key and no value of a head is ever made. The result is that "
            r"of `latent_attention`: the scores are divided by $\sqrt{d_k + d_r}$."
        ),
        rules=("Do not call the library's own attention.",),
        conditions={
            "queries": (
                "those of the last `num_queries` of the `num_keys` positions: no query sees a later key; multiply "
                "those of each head by its `W_k` and compare them with the latents themselves"
            ),
            "latents": "sum them by their weights",
            "W_v": "multiply the sums of latents by it",
            "returns context": (
                "where there are many keys, `check` looks at the largest array: none may have the batch · num_keys "
                "· d_k numbers of one head's keys"
            ),
        },
        entry="absorbed_attention",
        arguments=LATENT,
        returns=(CONTEXT,),
        reference=absorbed_attention,
        hints=(
            "q · (W c) = (W q) · c, with W transposed on the right: the matrix can stand with the query, of which there "
            "are few, in the place of the latents, of which there are many.",
            "All heads are compared with the same latents, as in multi-query attention: the queries of all heads can be "
            "rows of one matrix, (batch, num_heads · num_queries, rank + d_r).",
            "The keys are the latents joined with the rotary keys, the values are the latents. Scale by the root of "
            "d_k + d_r, as before. At the end make an axis of heads again, and multiply by W_v.",
        ),
        cases=_latent_cases,
        properties=(
            Property(
                "no array may be as large as the keys of one head",
                _no_key_of_a_head,
                required=True,
                of_memory=True,
                misconceptions={"keys_are_made": KEYS_ARE_MADE},
            ),
        ),
        forbidden=library_attention(),
        difficulty=4,
        minutes=30,
        points=3,
    ),
    Exercise(
        name="quantised_cache",
        title="A cache of eight bits",
        statement=(
            "Round keys or values to whole numbers, and give each token a scale, so that the whole numbers "
            "times the scale are near to `X`."
        ),
        conditions={
            "returns whole": (
                "from −127 to 127: `X` divided by the scale, rounded; no quotient ends in a half"
            ),
            "returns scale": "the token's largest absolute number divided by 127; 1 for a token of zeros",
        },
        entry="quantised_cache",
        arguments=(Argument("X", "(batch, num_tokens, d)"),),
        returns=(
            Output("whole", "(batch, num_tokens, d), int8", integers=True),
            Output("scale", "(batch, num_tokens, 1)"),
        ),
        reference=quantised_cache,
        hints=(
            "The scale comes first: the largest absolute number along the last axis, with that axis kept, divided by 127.",
            "Where the largest number is 0, the scale must be 1: `largest == 0` is 1 just there.",
            "Divide, round, and change the type last: [`.round().to(torch.int8)`]{.torch}[, in MXNet ]{.both}"
            '[`.round().astype("int8")`]{.mxnet}.',
        ),
        cases=_cases_of_bits,
        properties=(
            Property("whole numbers times scales must be within half a scale of X", _error_is_half_a_step),
            Property("the type of `whole` must be int8", _of_eight_bits, required=True),
        ),
        difficulty=2,
        minutes=15,
        points=2,
    ),
)
