"""Exercises on exact attention in less memory."""

import numpy as np

from autograder.frameworks import library_attention
from autograder.model.exercise import Argument, Call, Case, Exercise, Output, Property
from exercises.shared import KEYS, QUERIES, VALUES, a_case_of_each, draw_sizes, one_of
from solutions.efficient.in_numpy import (
    attend_with_cache,
    decoding_cost,
    merge_partial,
    online_softmax_step,
    tiled_attention,
    what_tiles_change,
)


def _read(run: Call, case: Case) -> tuple[np.ndarray, np.ndarray]:
    """Return the context over the tile alone, started from nothing, and what it must be."""
    scores, values = case.inputs["scores"], case.inputs["values"]
    rows = scores.shape[:2]
    nothing = {
        "maximum": np.full((*rows, 1), -np.inf),
        "total": np.zeros((*rows, 1)),
        "context": np.zeros((*rows, values.shape[-1])),
    }
    _, total, context = run(Case(case.note, {**case.inputs, **nothing}))
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return context / total, exps / exps.sum(axis=-1, keepdims=True) @ values


def _one_tile_is_softmax(run: Call, case: Case) -> str | None:
    got, expected = _read(run, case)
    gap = np.nan_to_num(np.abs(got - expected), nan=np.inf)
    if gap.max() < 1e-3:
        return None
    place = tuple(map(int, np.unravel_index(int(gap.argmax()), gap.shape)))
    return (
        f"Context divided by total is {got[place]:.4f} at {place}; the softmax gives {expected[place]:.4f}."
    )


def _cases_of_step(rng: np.random.Generator) -> list[Case]:
    def case(note: str, typical: tuple[int, int, int, int], lift: float, gradient: bool = False) -> Case:
        batch, num_queries, tile, d_v = draw_sizes(rng, *typical)
        scores = rng.normal(size=(batch, num_queries, tile))
        # Half of the rows find a new maximum in the tile where lift is 0.
        lifts = lift if lift else np.where(np.arange(num_queries) % 2, 1.5, -1.5)[:, None]
        maximum = scores.max(axis=-1, keepdims=True) - lifts
        maximum = maximum + 0.2 * rng.uniform(-1, 1, size=maximum.shape)
        return Case(
            note,
            {
                "maximum": maximum,
                "total": rng.uniform(1, 4, size=maximum.shape),
                "context": 2 * rng.normal(size=(batch, num_queries, d_v)),
                "scores": scores,
                "values": rng.normal(size=(batch, tile, d_v)),
            },
            gradient=gradient,
        )

    first = case("the first tile: nothing read yet", (2, 4, 3, 5), 1.0)
    for name, value in (("maximum", -np.inf), ("total", 0.0), ("context", 0.0)):
        first.inputs[name][:] = value
    high = case("all scores near 1000", (2, 3, 4, 5), 1.0)
    low = case("all scores near -1000", (2, 3, 4, 5), 1.0)
    for far, offset in ((high, 1000), (low, -1000)):
        for name in ("maximum", "scores"):
            far.inputs[name][:] += offset
    return [
        case("a new maximum for some queries", (2, 4, 3, 5), 0.0, gradient=True),
        case("a new maximum for every query", (2, 3, 5, 7), 1.2, gradient=True),
        case("no new maximum", (3, 2, 4, 6), -1.2, gradient=True),
        first,
        case("a tile of one key", (2, 3, 1, 4), 0.0),
        case("a single query", (3, 1, 6, 2), 0.8),
        case("a single number for each value", (2, 5, 3, 1), 0.0),
        high,
        low,
    ]


CONTEXT = Output("context", "(batch, num_queries, d_v)")


def _tile_does_not_matter(run: Call, case: Case) -> str | None:
    (got,) = run(case)
    (whole,) = run(Case(case.note, {**case.inputs, "tile": case.inputs["keys"].shape[1]}))
    gap = np.abs(got - whole)
    if gap.max() < 1e-3:
        return None
    place = tuple(map(int, np.unravel_index(int(gap.argmax()), gap.shape)))
    return f"At {place} it is {got[place]:.4f}, and with all keys in one tile {whole[place]:.4f}."


SCORES_IN_A_LIST = (
    "No array is too large, but nearly as many numbers as all scores have are held at the same time, as in a list of "
    "rows: a list of small arrays needs as much memory as one large array. Add a tile to the running sums before the "
    "next is scored."
)
QUERIES_IN_TILES = (
    "The scores of all keys are held at once, for some of the queries at a time: with 16 queries of 32, and 512 keys, "
    "8192 numbers in one array. It is the keys that are read in tiles, for all queries, with a running maximum, total "
    "and context."
)


def _scores_of_one_tile_at_most(run: Call, case: Case) -> str | None:
    """Check that no array of a call has more numbers than the scores of one tile, nor all that live together those of all keys."""
    queries, values, tile = (case.inputs[name] for name in ("queries", "values", "tile"))
    if queries.shape[-1] > 1 or values.shape[-1] > 1:
        return None  # products of single entries are allowed, and larger than the scores
    largest, _ = run(case)
    rows = queries.shape[0] * queries.shape[1]
    if largest <= rows * tile:
        return _held_at_once(run, case)
    return (
        f"with tiles of {tile} an array of {largest} numbers is made: for {rows} queries the scores of "
        f"{-(-largest // rows)} keys."
    )


def _held_at_once(run: Call, case: Case) -> str | None:
    """Return a misconception where there are far more scores than a tile's, if it shows in what is held: many queries, and many keys."""
    queries, keys, values = (case.inputs[name] for name in ("queries", "keys", "values"))
    many = {"queries": np.resize(queries, (1, 32, 1)), "keys": np.resize(keys, (1, 512, 1))}
    many["values"] = np.resize(values, (1, 512, 1))
    largest, together = run(Case("32 queries, 512 keys, tiles of 16", {**many, "tile": 16}))
    if largest == 16 * 512:
        return "queries_in_tiles"
    return "scores_in_a_list" if together >= 0.8 * 32 * 512 else None


def _cases_of_tiles(rng: np.random.Generator) -> list[Case]:
    def case(
        note: str,
        typical: tuple[int, int, int, int],
        tile: int,
        tiles: int,
        spare: int = 0,
        far: float = 0.0,
        wide: bool = False,
        gradient: bool = False,
    ) -> Case:
        """typical: batch, queries, d_k, d_v; spare: how many keys the last tile lacks."""
        batch, num_queries, d_k, d_v = draw_sizes(rng, *typical)
        num_keys = tile * tiles - spare
        queries = rng.normal(size=(batch, num_queries, d_k))
        keys = 1.2 * rng.normal(size=(batch, num_keys, d_k))
        if far:
            # One shared direction moves every score by `far`, and no weight.
            queries[..., 0], keys[..., 0] = 16, far * np.sqrt(d_k) / 16
        if wide:
            keys[:, 1::2, 0] *= -1
        # The later keys weigh more, so that the maximum moves from tile to tile.
        keys[..., 1:] *= np.linspace(0.5, 1.5, num_keys)[:, None]
        values = rng.normal(size=(batch, num_keys, d_v)) + np.linspace(-1, 1, num_keys)[:, None]
        if far:
            # Next to large scores single precision leaves few digits: products without rounding, values of one sign.
            queries, keys, values = np.round(8 * queries) / 8, np.round(8 * keys) / 8, values + 4
        inputs = {"queries": queries, "keys": keys, "values": values, "tile": tile}
        return Case(note, inputs, gradient=gradient)

    def some(least: int) -> int:
        return int(rng.integers(least, least + 2))

    # Far enough that the exponential overflows in double precision too.
    late = case("a last tile that scores 750 above the first", (2, 3, 4, 5), some(2), 2, far=750.0)
    late.inputs["keys"][:, : late.inputs["tile"], 0] = 0
    return [
        case("tiles of two keys", (2, 3, 4, 7), 2, some(3), gradient=True),
        case("a last tile that is shorter", (2, 3, 4, 7), some(2), 3, spare=1, gradient=True),
        case("one key at a time", (3, 2, 5, 6), 1, some(4)),
        case("all keys in one tile", (2, 4, 3, 2), some(5), 1),
        case("a single query and many keys", (1, 1, 5, 3), some(4), 6, spare=1),
        case(
            "scores near 60 and near -60 in one tile", (2, 3, 2, 4), 3, 2, spare=some(0), far=60.0, wide=True
        ),
        case("one number for each key and value", (2, 16, 1, 1), 3, 5),
        case("every score near 800", (2, 3, 2, 5), 3, some(2), spare=2, far=800.0),
        case("every score near -800", (2, 3, 2, 5), 3, some(2), spare=2, far=-800.0),
        late,
    ]


def _cases_of_cache(rng: np.random.Generator) -> list[Case]:
    def case(note: str, typical: tuple[int, int, int, int], gradient: bool = False) -> Case:
        batch, num_cached, d_k, d_v = draw_sizes(rng, *typical)
        inputs = {
            "query": 1.5 * rng.normal(size=(batch, 1, d_k)),
            "key": 1.5 * rng.normal(size=(batch, 1, d_k)),
            "value": rng.normal(size=(batch, 1, d_v)) + 1,
            "cached_keys": 1.5 * rng.normal(size=(batch, num_cached, d_k)) if num_cached else None,
            "cached_values": rng.normal(size=(batch, num_cached, d_v)) if num_cached else None,
        }
        return Case(note, inputs, gradient=gradient)

    return [
        case("several positions in the cache", (2, 4, 3, 6), gradient=True),
        case("the first step, without a cache", (3, 0, 4, 2), gradient=True),
        case("one position in the cache", (2, 1, 5, 3)),
        case("one sequence, many positions in the cache", (1, 9, 6, 4)),
        case("more positions than numbers in a key", (4, 7, 2, 5), gradient=True),
    ]


def _cases_of_parts(rng: np.random.Generator) -> list[Case]:
    def case(
        note: str,
        typical: tuple[int, int, int],
        keys: tuple[int, int],
        lift: float = 0.0,
        gradient: bool = False,
    ) -> Case:
        """typical: batch, queries, d_v; keys: how many each group has; lift: how far the second scores higher."""
        batch, num_queries, d_v = draw_sizes(rng, *typical)
        inputs = {}
        for suffix, count, move in (("", keys[0], 0.0), ("_2", keys[1], lift)):
            scores = 1.5 * rng.normal(size=(batch, num_queries, count)) + move
            exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
            total = exps.sum(axis=-1, keepdims=True)
            inputs[f"context{suffix}"] = exps / total @ rng.normal(size=(batch, count, d_v)) + rng.normal()
            inputs[f"log_sum{suffix}"] = scores.max(axis=-1, keepdims=True) + np.log(total)
        return Case(note, inputs, gradient=gradient)

    far = case("sums of exponentials that overflow", (2, 3, 4), (3, 4))
    for name in ("log_sum", "log_sum_2"):
        far.inputs[name][:] += 800
    return [
        case("two groups of keys", (2, 3, 5), (4, 6), gradient=True),
        case("a group of one key", (3, 2, 4), (1, 5), lift=0.5, gradient=True),
        case("the second group scores higher", (2, 4, 3), (5, 5), lift=2.0, gradient=True),
        case("the second group scores far lower", (2, 3, 2), (3, 4), lift=-120.0),
        far,
        case("one query", (1, 1, 6), (7, 2)),
        case("the second group scores far higher", (2, 3, 4), (4, 3), lift=120.0),
    ]


def _cases_of_cost(rng: np.random.Generator) -> list[Case]:
    names = ("steps", "d_k", "d_v")
    typical = {
        "few steps": (4, 3, 5),
        "wide keys and narrow values": (10, 8, 2),
        "keys as wide as values": (7, 64, 64),
        "many steps": (32, 5, 11),
    }
    return [
        Case(note, dict(zip(names, draw_sizes(rng, *numbers, spread=20), strict=True)))
        for note, numbers in typical.items()
    ]


# What a change reaches

CHANGES = (
    "tiles of another size",
    "a number added to all scores",
    "a larger number for the maximum",
    "tiles in the opposite order",
    "old sums that are not rescaled",
    "old sums rescaled twice",
)


EXERCISES = (
    Exercise(
        name="what_tiles_change",
        title="What a change reaches",
        statement=(
            "After the last tile a query has its maximum, two sums, and the context, their quotient. Something is changed while "
            'tiles are read. In the order `"maximum"`, `"sums"`, `"context"`, which is the last that changes? If none does, '
            'answer `"nothing"`.'
        ),
        conditions={"change": "the maximum moves from tile to tile"},
        entry="what_tiles_change",
        arguments=(one_of("change", CHANGES),),
        returns=(Output("last", 'one of "nothing", "maximum", "sums", "context"', plain=True),),
        reference=what_tiles_change,
        cases=a_case_of_each("change", CHANGES),
        difficulty=2,
        minutes=10,
        points=1,
    ),
    Exercise(
        name="online_softmax_step",
        title="One tile of an online softmax",
        statement="Merge the scores and values of one tile into the running state of every query.",
        rules=("Do not divide: that comes once, after the last tile.",),
        conditions={
            "maximum": "$m$, the largest score so far, and minus infinity before the first tile",
            "total": r"$\ell$, the sum of $e^{s_j - m}$ over the keys so far",
            "context": "$c$, the sum of $e^{s_j - m} v_j$ over the keys so far",
            "scores": "finite; may be near 1000 and −1000",
        },
        entry="online_softmax_step",
        arguments=(
            Argument("maximum", "(batch, num_queries, 1)"),
            Argument("total", "(batch, num_queries, 1)"),
            Argument("context", "(batch, num_queries, d_v)"),
            Argument("scores", "(batch, num_queries, tile)"),
            Argument("values", "(batch, tile, d_v)"),
        ),
        returns=(
            Output("maximum", "(batch, num_queries, 1)"),
            Output("total", "(batch, num_queries, 1)"),
            CONTEXT,
        ),
        reference=online_softmax_step,
        hints=(
            "What was added up so far is relative to the old maximum. If the maximum grows, the old sums "
            "are too large.",
            "Take the larger of the old maximum and the tile's, for each query. Multiply the old total "
            "and the old context by `exp(old maximum - new maximum)`.",
            "Then add the tile: `exp(scores - new maximum)`, summed for the total, and as a batched "
            "product with the values for the context. Return the new maximum first.",
        ),
        cases=_cases_of_step,
        properties=(
            Property("from an empty state, one tile must be a plain softmax over it", _one_tile_is_softmax),
        ),
        difficulty=3,
        minutes=20,
        points=3,
    ),
    Exercise(
        name="tiled_attention",
        title="Attention in tiles",
        statement="Write scaled dot-product attention that reads `tile` keys at a time.",
        rules=("Write the step out; do not call the library's own attention.",),
        conditions={
            "tile": "the last tile may be shorter",
            "the scores": (
                "never hold those of more than `tile` keys at once, nor in a list; a tile's weights may stand "
                "beside them; `check` looks at the largest array and at how much lives together; they may be near "
                "800 and −800"
            ),
        },
        entry="tiled_attention",
        arguments=(QUERIES, KEYS, VALUES, Argument("tile", "int")),
        returns=(CONTEXT,),
        reference=tiled_attention,
        hints=(
            "It is the step of the exercise above, in a loop over the tiles. At the end the context is "
            "divided by the total.",
            "Begin with a maximum of minus infinity, a total of 0 and a context of 0. The last tile may "
            "be shorter: a slice beyond the end is no error.",
            "`for start in range(0, num_keys, tile):` take keys and values from start to `start + tile`, "
            "their scores, and update maximum, total and context. The scale is `1 / sqrt(d_k)`.",
        ),
        cases=_cases_of_tiles,
        properties=(
            Property("the result must be the same for every size of tile", _tile_does_not_matter),
            Property(
                "at most the scores of `tile` keys must be held at once",
                _scores_of_one_tile_at_most,
                required=True,
                of_memory=True,
                misconceptions={"scores_in_a_list": SCORES_IN_A_LIST, "queries_in_tiles": QUERIES_IN_TILES},
            ),
        ),
        forbidden=library_attention(),
        difficulty=4,
        minutes=30,
        points=3,
    ),
    Exercise(
        name="attend_with_cache",
        title="One step of decoding with a cache",
        statement=(
            "Let the new position attend to itself and to all positions before it, by scaled dot products, as "
            "in `plain_attention`, which has no mask."
        ),
        conditions={
            "returns keys": "the cache with the new position at its end",
            "returns values": "the same of the values",
            "cached_keys": "`None` at the first step",
            "cached_values": "`None` at the first step",
        },
        builds_on=("efficient",),
        helpers=("plain_attention",),
        entry="attend_with_cache",
        arguments=(
            Argument("query", "(batch, 1, d_k)"),
            Argument("key", "(batch, 1, d_k)"),
            Argument("value", "(batch, 1, d_v)"),
            Argument("cached_keys", "None or (batch, num_cached, d_k)"),
            Argument("cached_values", "None or (batch, num_cached, d_v)"),
        ),
        returns=(
            Output("context", "(batch, 1, d_v)"),
            Output("keys", "(batch, num_cached + 1, d_k)"),
            Output("values", "(batch, num_cached + 1, d_v)"),
        ),
        reference=attend_with_cache,
        hints=(
            "The cache holds the keys and values of all positions before this one. `None` means that "
            "there are none yet.",
            "Put the new key and the new value at the end of the caches, and attend to all of them, the "
            "new one included.",
            "Join along the axis of the positions, axis 1. The scores are scaled by the square root of "
            "the key's width. Return the context and the two longer caches.",
        ),
        cases=_cases_of_cache,
        difficulty=2,
        minutes=15,
        points=2,
    ),
    Exercise(
        name="merge_partial",
        title="Two parts of the keys, merged",
        statement=(
            "Two processors attend with the same queries to two groups of keys. Merge their results: give the "
            "context over all keys, and its `log_sum`. No group is empty."
        ),
        conditions={
            "context": "divided already",
            "log_sum": (
                r"$\log \sum_j e^{s_j}$ over the scores of the first group, which may be so large that "
                "$e^{s_j}$ alone overflows"
            ),
            "log_sum_2": "the same of the second group",
            "context_2": "divided already",
        },
        entry="merge_partial",
        arguments=(
            Argument("context", "(batch, num_queries, d_v)"),
            Argument("log_sum", "(batch, num_queries, 1)"),
            Argument("context_2", "(batch, num_queries, d_v)"),
            Argument("log_sum_2", "(batch, num_queries, 1)"),
        ),
        returns=(CONTEXT, Output("log_sum", "(batch, num_queries, 1)")),
        reference=merge_partial,
        hints=(
            "A context that is divided already has lost how much its group weighs against the other. `log_sum` says it.",
            "The context of all keys is a weighted mean of the two. The weights are the sums of exponentials, "
            "`exp(log_sum)`, divided by both together.",
            "Subtract the larger of the two `log_sum` before each exponential, and add it again to the logarithm of the "
            "total.",
        ),
        cases=_cases_of_parts,
        difficulty=3,
        minutes=15,
        points=2,
    ),
    Exercise(
        name="decoding_cost",
        title="What a cache saves, and what it costs",
        statement=(
            "Predict the multiplications that attention takes to decode `steps` positions, without and with a "
            "cache, and the numbers that the cache holds at the end."
        ),
        rules=(
            (
                "Count the multiplications of the scores and of the weighted sums, for one head: no scaling, no "
                "softmax."
            ),
        ),
        conditions={
            "steps": "step $t$ has $t$ positions",
            "returns cost": (
                "without a cache all $t$ queries meet all $t$ keys again, and a score that the causal mask "
                "hides is computed all the same"
            ),
        },
        entry="decoding_cost",
        arguments=(
            Argument("steps", "int"),
            Argument("d_k", "int"),
            Argument("d_v", "int"),
        ),
        returns=(Output("cost", "(without a cache, with a cache, numbers held), whole numbers", plain=True),),
        reference=decoding_cost,
        hints=(
            "At position t without a cache, attention is computed anew for all t positions.",
            "One score costs `d_k` multiplications, and one weight times a value costs `d_v`. Without a "
            "cache there are `t * t` of each at position t, with a cache t.",
            "Add up over t = 1 … steps. At the end the cache holds a key and a value for each position.",
        ),
        cases=_cases_of_cost,
        difficulty=2,
        minutes=15,
        points=1,
    ),
)
