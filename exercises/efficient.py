"""Exercises on exact attention in less memory."""

import numpy as np

from autograder.frameworks import library_attention
from autograder.model.exercise import (
    Argument,
    Call,
    Case,
    Exercise,
    Misconception,
    Output,
    Property,
)
from exercises.shared import KEYS, QUERIES, VALUES, draw_sizes
from solutions.efficient.in_numpy import (
    State,
    attend_with_cache,
    decoding_cost,
    online_softmax_step,
    plain_attention,
    start,
    tiled_attention,
)
from solutions.masked_softmax.in_numpy import softmax


def _highest(maximum: np.ndarray, scores: np.ndarray) -> np.ndarray:
    return np.asarray(np.maximum(maximum, scores.max(axis=-1, keepdims=True)))


def _merged(
    highest: np.ndarray,
    total: np.ndarray,
    context: np.ndarray,
    exps: np.ndarray,
    values: np.ndarray,
) -> State:
    return highest, total + exps.sum(axis=-1, keepdims=True), context + exps @ values


def old_state_not_rescaled(
    maximum: np.ndarray, total: np.ndarray, context: np.ndarray, scores: np.ndarray, values: np.ndarray
) -> State:
    highest = _highest(maximum, scores)
    return _merged(highest, total, context, np.exp(scores - highest), values)


def softmax_of_the_tile(
    maximum: np.ndarray, total: np.ndarray, context: np.ndarray, scores: np.ndarray, values: np.ndarray
) -> State:
    highest = _highest(maximum, scores)
    shrink = np.exp(maximum - highest)
    return _merged(highest, total * shrink, context * shrink, softmax(scores), values)


def total_not_rescaled(
    maximum: np.ndarray, total: np.ndarray, context: np.ndarray, scores: np.ndarray, values: np.ndarray
) -> State:
    highest = _highest(maximum, scores)
    return _merged(highest, total, context * np.exp(maximum - highest), np.exp(scores - highest), values)


def context_not_rescaled(
    maximum: np.ndarray, total: np.ndarray, context: np.ndarray, scores: np.ndarray, values: np.ndarray
) -> State:
    highest = _highest(maximum, scores)
    return _merged(highest, total * np.exp(maximum - highest), context, np.exp(scores - highest), values)


def rescaled_upside_down(
    maximum: np.ndarray, total: np.ndarray, context: np.ndarray, scores: np.ndarray, values: np.ndarray
) -> State:
    highest = _highest(maximum, scores)
    grow = np.exp(highest - maximum)
    return _merged(highest, total * grow, context * grow, np.exp(scores - highest), values)


def tile_measured_from_its_own_maximum(
    maximum: np.ndarray, total: np.ndarray, context: np.ndarray, scores: np.ndarray, values: np.ndarray
) -> State:
    highest = _highest(maximum, scores)
    shrink = np.exp(maximum - highest)
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return _merged(highest, total * shrink, context * shrink, exps, values)


def maximum_forgets_the_past(
    maximum: np.ndarray, total: np.ndarray, context: np.ndarray, scores: np.ndarray, values: np.ndarray
) -> State:
    largest = scores.max(axis=-1, keepdims=True)
    shrink = np.exp(maximum - largest)
    return _merged(largest, total * shrink, context * shrink, np.exp(scores - largest), values)


def one_maximum_for_all_queries(
    maximum: np.ndarray, total: np.ndarray, context: np.ndarray, scores: np.ndarray, values: np.ndarray
) -> State:
    highest = np.maximum(maximum, scores.max(axis=(1, 2), keepdims=True))
    shrink = np.exp(maximum - highest)
    return _merged(highest, total * shrink, context * shrink, np.exp(scores - highest), values)


def context_normalised_each_step(
    maximum: np.ndarray, total: np.ndarray, context: np.ndarray, scores: np.ndarray, values: np.ndarray
) -> State:
    highest, total, context = online_softmax_step(maximum, total, context, scores, values)
    return highest, total, context / total


def _read(run: Call, case: Case) -> tuple[np.ndarray, np.ndarray]:
    """The context over the tile alone, started from nothing, and what it must be."""
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


def factor_of_two_exponentials(
    maximum: np.ndarray, total: np.ndarray, context: np.ndarray, scores: np.ndarray, values: np.ndarray
) -> State:
    highest = _highest(maximum, scores)
    shrink, exps = np.exp(maximum) / np.exp(highest), np.exp(scores - highest)
    return highest, total * shrink + exps.sum(axis=-1, keepdims=True), context * shrink + exps @ values


def _parts(maximum: np.ndarray, scores: np.ndarray) -> State:
    """The new maximum, the factor of the old sums, and the tile's exponentials."""
    highest = _highest(maximum, scores)
    return highest, np.exp(maximum - highest), np.exp(scores - highest)


def exponentials_averaged(
    maximum: np.ndarray, total: np.ndarray, context: np.ndarray, scores: np.ndarray, values: np.ndarray
) -> State:
    highest, shrink, exps = _parts(maximum, scores)
    return highest, total * shrink + exps.mean(axis=-1, keepdims=True), context * shrink + exps @ values


def tile_rescaled_too(
    maximum: np.ndarray, total: np.ndarray, context: np.ndarray, scores: np.ndarray, values: np.ndarray
) -> State:
    highest, shrink, exps = _parts(maximum, scores)
    return _merged(highest, total * shrink, context * shrink, exps * shrink, values)


def context_of_the_tile_rescaled_too(
    maximum: np.ndarray, total: np.ndarray, context: np.ndarray, scores: np.ndarray, values: np.ndarray
) -> State:
    highest, shrink, exps = _parts(maximum, scores)
    return highest, total * shrink + exps.sum(axis=-1, keepdims=True), shrink * (context + exps @ values)


def context_taken_for_a_mean(
    maximum: np.ndarray, total: np.ndarray, context: np.ndarray, scores: np.ndarray, values: np.ndarray
) -> State:
    highest, shrink, exps = _parts(maximum, scores)
    return _merged(highest, total * shrink, context * total * shrink, exps, values)


def context_kept_as_a_mean(
    maximum: np.ndarray, total: np.ndarray, context: np.ndarray, scores: np.ndarray, values: np.ndarray
) -> State:
    highest, total, context = context_taken_for_a_mean(maximum, total, context, scores, values)
    return highest, total, context / total


def old_maximum_returned(
    maximum: np.ndarray, total: np.ndarray, context: np.ndarray, scores: np.ndarray, values: np.ndarray
) -> State:
    return maximum, *online_softmax_step(maximum, total, context, scores, values)[1:]


def old_sums_forgotten(
    maximum: np.ndarray, total: np.ndarray, context: np.ndarray, scores: np.ndarray, values: np.ndarray
) -> State:
    highest, _, exps = _parts(maximum, scores)
    return _merged(highest, 0 * total, 0 * context, exps, values)


def old_total_forgotten(
    maximum: np.ndarray, total: np.ndarray, context: np.ndarray, scores: np.ndarray, values: np.ndarray
) -> State:
    highest, shrink, exps = _parts(maximum, scores)
    return _merged(highest, 0 * total, context * shrink, exps, values)


def factor_from_the_tile(
    maximum: np.ndarray, total: np.ndarray, context: np.ndarray, scores: np.ndarray, values: np.ndarray
) -> State:
    highest, _, exps = _parts(maximum, scores)
    factor = np.exp(scores.max(axis=-1, keepdims=True) - highest)
    return _merged(highest, total * factor, context * factor, exps, values)


def values_not_weighted(
    maximum: np.ndarray, total: np.ndarray, context: np.ndarray, scores: np.ndarray, values: np.ndarray
) -> State:
    highest, shrink, exps = _parts(maximum, scores)
    new = values.sum(axis=1, keepdims=True)
    return highest, total * shrink + exps.sum(axis=-1, keepdims=True), context * shrink + new


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


def _scores(queries: np.ndarray, keys: np.ndarray) -> np.ndarray:
    return np.asarray(queries @ keys.swapaxes(1, 2) / np.sqrt(queries.shape[-1]))


def _tiles(keys: np.ndarray, tile: int) -> list[slice]:
    return [slice(first, first + tile) for first in range(0, keys.shape[1], tile)]


def tiles_averaged(queries: np.ndarray, keys: np.ndarray, values: np.ndarray, tile: int) -> np.ndarray:
    parts = [plain_attention(queries, keys[:, now], values[:, now]) for now in _tiles(keys, tile)]
    return np.asarray(np.mean(parts, axis=0))


def tiles_added(queries: np.ndarray, keys: np.ndarray, values: np.ndarray, tile: int) -> np.ndarray:
    parts = [plain_attention(queries, keys[:, now], values[:, now]) for now in _tiles(keys, tile)]
    return np.asarray(np.sum(parts, axis=0))


def last_tile_left_out(queries: np.ndarray, keys: np.ndarray, values: np.ndarray, tile: int) -> np.ndarray:
    whole = keys.shape[1] // tile * tile
    return tiled_attention(queries, keys[:, :whole], values[:, :whole], tile)


def maximum_moves_without_rescaling(
    queries: np.ndarray, keys: np.ndarray, values: np.ndarray, tile: int
) -> np.ndarray:
    highest: np.ndarray | float = -np.inf
    total: np.ndarray | float = 0
    context: np.ndarray | float = 0
    for now in _tiles(keys, tile):
        scores = _scores(queries, keys[:, now])
        highest = np.maximum(highest, scores.max(axis=-1, keepdims=True))
        exps = np.exp(scores - highest)
        total, context = total + exps.sum(axis=-1, keepdims=True), context + exps @ values[:, now]
    return np.asarray(context / total)


def _without_its_maximum(
    queries: np.ndarray, keys: np.ndarray, values: np.ndarray, floor: float | None
) -> np.ndarray:
    """Softmax of raw scores, or of those less their maximum where it exceeds `floor`: exponentials may overflow or vanish."""
    scores = _scores(queries, keys)
    shift = 0 if floor is None else np.maximum(scores.max(axis=-1, keepdims=True), floor)
    exps = np.exp(scores - shift)
    # Every product of infinity and a value, and every 0/0, ends as NaN.
    total = exps.sum(axis=-1, keepdims=True)
    usable = np.isfinite(total) & (total > 0)
    return np.where(usable, exps @ values / np.where(usable, total, 1), np.nan)


def no_maximum(queries: np.ndarray, keys: np.ndarray, values: np.ndarray, tile: int) -> np.ndarray:
    return _without_its_maximum(queries, keys, values, None)


def maximum_starts_at_zero(
    queries: np.ndarray, keys: np.ndarray, values: np.ndarray, tile: int
) -> np.ndarray:
    return _without_its_maximum(queries, keys, values, 0)


def maximum_of_the_first_tile(
    queries: np.ndarray, keys: np.ndarray, values: np.ndarray, tile: int
) -> np.ndarray:
    scores = _scores(queries, keys)
    exps = np.exp(scores - scores[..., :tile].max(axis=-1, keepdims=True))
    return np.asarray(exps @ values / exps.sum(axis=-1, keepdims=True))


def tiled_not_scaled(queries: np.ndarray, keys: np.ndarray, values: np.ndarray, tile: int) -> np.ndarray:
    return tiled_attention(queries * np.sqrt(queries.shape[-1]), keys, values, tile)


def never_divided(queries: np.ndarray, keys: np.ndarray, values: np.ndarray, tile: int) -> np.ndarray:
    scores = _scores(queries, keys)
    return np.asarray(np.exp(scores - scores.max(axis=-1, keepdims=True)) @ values)


def divided_by_the_last_tile(
    queries: np.ndarray, keys: np.ndarray, values: np.ndarray, tile: int
) -> np.ndarray:
    scores = _scores(queries, keys)
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return np.asarray(exps @ values / exps[:, :, _tiles(keys, tile)[-1]].sum(axis=-1, keepdims=True))


def _merging(
    queries: np.ndarray,
    keys: np.ndarray,
    values: np.ndarray,
    tile: int,
    total_kept: bool = False,
    context_kept: bool = False,
    upside_down: bool = False,
    scale: float = 1,
) -> np.ndarray:
    """Tiles merged one after the other; kept: not rescaled when the maximum moves."""
    highest = np.full((*queries.shape[:2], 1), -np.inf)
    total, context = np.zeros(highest.shape), np.zeros((*queries.shape[:2], values.shape[-1]))
    for now in _tiles(keys, tile):
        scores = _scores(queries * scale, keys[:, now])
        new = _highest(highest, scores)
        shrink = np.exp(new - highest if upside_down else highest - new)
        exps = np.exp(scores - new)
        total = total * (1 if total_kept else shrink) + exps.sum(axis=-1, keepdims=True)
        context = context * (1 if context_kept else shrink) + exps @ values[:, now]
        highest = new
    return np.asarray(context / total)


def total_left_as_it_was(queries: np.ndarray, keys: np.ndarray, values: np.ndarray, tile: int) -> np.ndarray:
    return _merging(queries, keys, values, tile, total_kept=True)


def context_left_as_it_was(
    queries: np.ndarray, keys: np.ndarray, values: np.ndarray, tile: int
) -> np.ndarray:
    return _merging(queries, keys, values, tile, context_kept=True)


def factor_turned_round(queries: np.ndarray, keys: np.ndarray, values: np.ndarray, tile: int) -> np.ndarray:
    return _merging(queries, keys, values, tile, upside_down=True)


def scaled_twice(queries: np.ndarray, keys: np.ndarray, values: np.ndarray, tile: int) -> np.ndarray:
    return tiled_attention(queries / np.sqrt(queries.shape[-1]), keys, values, tile)


def scaled_by_the_tile(queries: np.ndarray, keys: np.ndarray, values: np.ndarray, tile: int) -> np.ndarray:
    return tiled_attention(queries * np.sqrt(queries.shape[-1] / tile), keys, values, tile)


def only_the_last_tile(queries: np.ndarray, keys: np.ndarray, values: np.ndarray, tile: int) -> np.ndarray:
    last = _tiles(keys, tile)[-1]
    return plain_attention(queries, keys[:, last], values[:, last])


def only_the_first_tile(queries: np.ndarray, keys: np.ndarray, values: np.ndarray, tile: int) -> np.ndarray:
    return plain_attention(queries, keys[:, :tile], values[:, :tile])


def tiles_overlap(queries: np.ndarray, keys: np.ndarray, values: np.ndarray, tile: int) -> np.ndarray:
    parts = [slice(first, first + tile + 1) for first in range(0, keys.shape[1], tile)]
    doubled = np.concatenate([np.arange(keys.shape[1])[part] for part in parts])
    return plain_attention(queries, keys[:, doubled], values[:, doubled])


def not_scaled_and_context_left(
    queries: np.ndarray, keys: np.ndarray, values: np.ndarray, tile: int
) -> np.ndarray:
    return _merging(queries, keys, values, tile, context_kept=True, scale=np.sqrt(queries.shape[-1]))


def _divided_each_time(queries: np.ndarray, keys: np.ndarray, values: np.ndarray, tile: int) -> State:
    """The running state where each tile divides the context by the total."""
    maximum, total, context = start(queries, values)
    for now in _tiles(keys, tile):
        scores = _scores(queries, keys[:, now])
        maximum, total, context = online_softmax_step(maximum, total, context, scores, values[:, now])
        context = context / total
    return maximum, total, context


def divided_in_each_tile(queries: np.ndarray, keys: np.ndarray, values: np.ndarray, tile: int) -> np.ndarray:
    return _divided_each_time(queries, keys, values, tile)[2]


def divided_in_each_tile_and_at_the_end(
    queries: np.ndarray, keys: np.ndarray, values: np.ndarray, tile: int
) -> np.ndarray:
    _, total, context = _divided_each_time(queries, keys, values, tile)
    return context / total


def tile_moves_by_one_key(queries: np.ndarray, keys: np.ndarray, values: np.ndarray, tile: int) -> np.ndarray:
    read = [min(i + 1, tile) for i in range(keys.shape[1])]
    exps = np.exp(_scores(queries, keys) - _scores(queries, keys).max(axis=-1, keepdims=True)) * read
    return exps @ values / exps.sum(axis=-1, keepdims=True)


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


def _scores_of_one_tile_at_most(run: Call, case: Case) -> str | None:
    """Whether no array of a call has more numbers than the scores of one tile, nor all that live together those of all keys."""
    queries, values, tile = (case.inputs[name] for name in ("queries", "values", "tile"))
    if queries.shape[-1] > 1 or values.shape[-1] > 1:
        return None  # products of single entries are allowed, and larger than the scores
    largest, _ = run(case)
    rows = queries.shape[0] * queries.shape[1]
    if largest <= rows * tile:
        return None if _at_once(run, case) < 0.8 else "scores_in_a_list"
    return (
        f"with tiles of {tile} an array of {largest} numbers is made: for {rows} queries the scores of "
        f"{-(-largest // rows)} keys."
    )


def _at_once(run: Call, case: Case) -> float:
    """How many numbers live together at most, as a share of all scores, where these are far more than a tile's."""
    queries, keys, values = (case.inputs[name] for name in ("queries", "keys", "values"))
    many = {"queries": np.resize(queries, (1, 32, 1)), "keys": np.resize(keys, (1, 512, 1))}
    many["values"] = np.resize(values, (1, 512, 1))
    return float(run(Case("32 queries, 512 keys, tiles of 16", {**many, "tile": 16}))[1]) / (32 * 512)


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


Cached = np.ndarray | None


def _appended(key: np.ndarray, cached: Cached) -> np.ndarray:
    return key if cached is None else np.concatenate([cached, key], axis=1)


def new_key_left_out(
    query: np.ndarray, key: np.ndarray, value: np.ndarray, cached_keys: Cached, cached_values: Cached
) -> State:
    context, keys, values = attend_with_cache(query, key, value, cached_keys, cached_values)
    if cached_keys is not None and cached_values is not None:
        context = plain_attention(query, cached_keys, cached_values)
    return context, keys, values


def cache_not_extended(
    query: np.ndarray, key: np.ndarray, value: np.ndarray, cached_keys: Cached, cached_values: Cached
) -> State:
    context, keys, values = attend_with_cache(query, key, value, cached_keys, cached_values)
    if cached_keys is None or cached_values is None:
        return context, keys, values
    return context, cached_keys, cached_values


def cache_overwritten(
    query: np.ndarray, key: np.ndarray, value: np.ndarray, cached_keys: Cached, cached_values: Cached
) -> State:
    return attend_with_cache(query, key, value, None, None)


def last_position_overwritten(
    query: np.ndarray, key: np.ndarray, value: np.ndarray, cached_keys: Cached, cached_values: Cached
) -> State:
    if cached_keys is None or cached_values is None:
        return attend_with_cache(query, key, value, None, None)
    return attend_with_cache(query, key, value, cached_keys[:, :-1], cached_values[:, :-1])


def new_position_put_first(
    query: np.ndarray, key: np.ndarray, value: np.ndarray, cached_keys: Cached, cached_values: Cached
) -> State:
    if cached_keys is None or cached_values is None:
        return attend_with_cache(query, key, value, None, None)
    return attend_with_cache(query, cached_keys, cached_values, key, value)


def context_cached(
    query: np.ndarray, key: np.ndarray, value: np.ndarray, cached_keys: Cached, cached_values: Cached
) -> State:
    context, keys, _ = attend_with_cache(query, key, value, cached_keys, cached_values)
    return context, keys, _appended(context, cached_values)


def scaled_by_the_cache(
    query: np.ndarray, key: np.ndarray, value: np.ndarray, cached_keys: Cached, cached_values: Cached
) -> State:
    num_keys = 1 if cached_keys is None else cached_keys.shape[1] + 1
    query = query * np.sqrt(query.shape[-1] / num_keys)
    return attend_with_cache(query, key, value, cached_keys, cached_values)


def softmax_over_the_one_query(
    query: np.ndarray, key: np.ndarray, value: np.ndarray, cached_keys: Cached, cached_values: Cached
) -> State:
    _, keys, values = attend_with_cache(query, key, value, cached_keys, cached_values)
    return values.sum(axis=1, keepdims=True), keys, values


def cache_not_scaled(
    query: np.ndarray, key: np.ndarray, value: np.ndarray, cached_keys: Cached, cached_values: Cached
) -> State:
    return attend_with_cache(query * np.sqrt(query.shape[-1]), key, value, cached_keys, cached_values)


def scaled_by_the_width(
    query: np.ndarray, key: np.ndarray, value: np.ndarray, cached_keys: Cached, cached_values: Cached
) -> State:
    return attend_with_cache(query / np.sqrt(query.shape[-1]), key, value, cached_keys, cached_values)


def scaled_by_the_value_width(
    query: np.ndarray, key: np.ndarray, value: np.ndarray, cached_keys: Cached, cached_values: Cached
) -> State:
    query = query * np.sqrt(query.shape[-1] / value.shape[-1])
    return attend_with_cache(query, key, value, cached_keys, cached_values)


def all_positions_alike(
    query: np.ndarray, key: np.ndarray, value: np.ndarray, cached_keys: Cached, cached_values: Cached
) -> State:
    return attend_with_cache(0 * query, key, value, cached_keys, cached_values)


def sees_only_itself(
    query: np.ndarray, key: np.ndarray, value: np.ndarray, cached_keys: Cached, cached_values: Cached
) -> State:
    return value, *attend_with_cache(query, key, value, cached_keys, cached_values)[1:]


def first_context_zero(
    query: np.ndarray, key: np.ndarray, value: np.ndarray, cached_keys: Cached, cached_values: Cached
) -> State:
    context, keys, values = attend_with_cache(query, key, value, cached_keys, cached_values)
    return context if cached_keys is not None else 0 * context, keys, values


def only_the_key_put_first(
    query: np.ndarray, key: np.ndarray, value: np.ndarray, cached_keys: Cached, cached_values: Cached
) -> State:
    keys = key if cached_keys is None else np.concatenate([key, cached_keys], axis=1)
    values = _appended(value, cached_values)
    return plain_attention(query, keys, values), keys, values


def only_the_value_put_first(
    query: np.ndarray, key: np.ndarray, value: np.ndarray, cached_keys: Cached, cached_values: Cached
) -> State:
    keys = _appended(key, cached_keys)
    values = value if cached_values is None else np.concatenate([value, cached_values], axis=1)
    return plain_attention(query, keys, values), keys, values


def query_cached(
    query: np.ndarray, key: np.ndarray, value: np.ndarray, cached_keys: Cached, cached_values: Cached
) -> State:
    return attend_with_cache(query, query, value, cached_keys, cached_values)


def asks_with_the_key(
    query: np.ndarray, key: np.ndarray, value: np.ndarray, cached_keys: Cached, cached_values: Cached
) -> State:
    return attend_with_cache(key, key, value, cached_keys, cached_values)


def scores_without_softmax(
    query: np.ndarray, key: np.ndarray, value: np.ndarray, cached_keys: Cached, cached_values: Cached
) -> State:
    keys, values = _appended(key, cached_keys), _appended(value, cached_values)
    return _scores(query, keys) @ values, keys, values


def oldest_position_dropped(
    query: np.ndarray, key: np.ndarray, value: np.ndarray, cached_keys: Cached, cached_values: Cached
) -> State:
    if cached_keys is None or cached_values is None:
        return attend_with_cache(query, key, value, cached_keys, cached_values)
    return attend_with_cache(query, key, value, cached_keys[:, 1:], cached_values[:, 1:])


def appended_twice(
    query: np.ndarray, key: np.ndarray, value: np.ndarray, cached_keys: Cached, cached_values: Cached
) -> State:
    return attend_with_cache(query, key, value, _appended(key, cached_keys), _appended(value, cached_values))


def context_over_the_positions(
    query: np.ndarray, key: np.ndarray, value: np.ndarray, cached_keys: Cached, cached_values: Cached
) -> State:
    context, keys, values = attend_with_cache(query, key, value, cached_keys, cached_values)
    return context / keys.shape[1], keys, values


def value_added_to_the_context(
    query: np.ndarray, key: np.ndarray, value: np.ndarray, cached_keys: Cached, cached_values: Cached
) -> State:
    context, keys, values = attend_with_cache(query, key, value, cached_keys, cached_values)
    return context + value, keys, values


def two_contexts_added(
    query: np.ndarray, key: np.ndarray, value: np.ndarray, cached_keys: Cached, cached_values: Cached
) -> State:
    _, keys, values = attend_with_cache(query, key, value, cached_keys, cached_values)
    if cached_keys is None or cached_values is None:
        return value, keys, values
    return plain_attention(query, cached_keys, cached_values) + value, keys, values


def two_contexts_averaged(
    query: np.ndarray, key: np.ndarray, value: np.ndarray, cached_keys: Cached, cached_values: Cached
) -> State:
    _, keys, values = attend_with_cache(query, key, value, cached_keys, cached_values)
    if cached_keys is None or cached_values is None:
        return value, keys, values
    return (plain_attention(query, cached_keys, cached_values) + value) / 2, keys, values


def scaled_keys_cached(
    query: np.ndarray, key: np.ndarray, value: np.ndarray, cached_keys: Cached, cached_values: Cached
) -> State:
    keys = _appended(key / np.sqrt(key.shape[-1]), cached_keys)
    values = _appended(value, cached_values)
    return plain_attention(query * np.sqrt(query.shape[-1]), keys, values), keys, values


def multiplied_by_the_root(
    query: np.ndarray, key: np.ndarray, value: np.ndarray, cached_keys: Cached, cached_values: Cached
) -> State:
    return attend_with_cache(query * query.shape[-1], key, value, cached_keys, cached_values)


def only_the_best_position(
    query: np.ndarray, key: np.ndarray, value: np.ndarray, cached_keys: Cached, cached_values: Cached
) -> State:
    _, keys, values = attend_with_cache(query, key, value, cached_keys, cached_values)
    best = _scores(query, keys).argmax(axis=-1)
    return np.eye(keys.shape[1])[best] @ values, keys, values


def softmax_taken_twice(
    query: np.ndarray, key: np.ndarray, value: np.ndarray, cached_keys: Cached, cached_values: Cached
) -> State:
    _, keys, values = attend_with_cache(query, key, value, cached_keys, cached_values)
    return softmax(softmax(_scores(query, keys))) @ values, keys, values


def sigmoid_for_softmax(
    query: np.ndarray, key: np.ndarray, value: np.ndarray, cached_keys: Cached, cached_values: Cached
) -> State:
    _, keys, values = attend_with_cache(query, key, value, cached_keys, cached_values)
    return 1 / (1 + np.exp(-_scores(query, keys))) @ values, keys, values


def only_the_keys_come_back_longer(
    query: np.ndarray, key: np.ndarray, value: np.ndarray, cached_keys: Cached, cached_values: Cached
) -> State:
    context, keys, values = attend_with_cache(query, key, value, cached_keys, cached_values)
    return context, keys, values if cached_values is None else cached_values


def only_the_values_come_back_longer(
    query: np.ndarray, key: np.ndarray, value: np.ndarray, cached_keys: Cached, cached_values: Cached
) -> State:
    context, keys, values = attend_with_cache(query, key, value, cached_keys, cached_values)
    return context, keys if cached_keys is None else cached_keys, values


def only_the_new_position_returned(
    query: np.ndarray, key: np.ndarray, value: np.ndarray, cached_keys: Cached, cached_values: Cached
) -> State:
    return attend_with_cache(query, key, value, cached_keys, cached_values)[0], key, value


def sees_only_the_first(
    query: np.ndarray, key: np.ndarray, value: np.ndarray, cached_keys: Cached, cached_values: Cached
) -> State:
    _, keys, values = attend_with_cache(query, key, value, cached_keys, cached_values)
    return values[:, :1], keys, values


def all_but_the_first_seen(
    query: np.ndarray, key: np.ndarray, value: np.ndarray, cached_keys: Cached, cached_values: Cached
) -> State:
    _, keys, values = attend_with_cache(query, key, value, cached_keys, cached_values)
    if cached_keys is None:
        return value, keys, values
    return plain_attention(query, keys[:, 1:], values[:, 1:]), keys, values


def cache_begun_with_zeros(
    query: np.ndarray, key: np.ndarray, value: np.ndarray, cached_keys: Cached, cached_values: Cached
) -> State:
    if cached_keys is None or cached_values is None:
        return attend_with_cache(query, key, value, 0 * key, 0 * value)
    return attend_with_cache(query, key, value, cached_keys, cached_values)


def scores_negated(
    query: np.ndarray, key: np.ndarray, value: np.ndarray, cached_keys: Cached, cached_values: Cached
) -> State:
    return attend_with_cache(-query, key, value, cached_keys, cached_values)


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


Cost = tuple[int, int, int]


def last_step_only(steps: int, d_k: int, d_v: int) -> Cost:
    return steps * steps * (d_k + d_v), steps * (d_k + d_v), steps * (d_k + d_v)


def scores_only(steps: int, d_k: int, d_v: int) -> Cost:
    without, cached, _ = decoding_cost(steps, d_k, 0)
    return without, cached, steps * (d_k + d_v)


def own_key_not_counted(steps: int, d_k: int, d_v: int) -> Cost:
    return (*decoding_cost(steps - 1, d_k, d_v)[:2], steps * (d_k + d_v))


def nothing_recomputed(steps: int, d_k: int, d_v: int) -> Cost:
    _, cached, held = decoding_cost(steps, d_k, d_v)
    return cached, cached, held


def full_length_at_every_step(steps: int, d_k: int, d_v: int) -> Cost:
    pair = d_k + d_v
    return steps**3 * pair, steps**2 * pair, steps * pair


def masked_scores_are_free(steps: int, d_k: int, d_v: int) -> Cost:
    _, cached, held = decoding_cost(steps, d_k, d_v)
    return sum(t * (t + 1) // 2 for t in range(1, steps + 1)) * (d_k + d_v), cached, held


def only_keys_are_cached(steps: int, d_k: int, d_v: int) -> Cost:
    without, cached, _ = decoding_cost(steps, d_k, d_v)
    return without, cached, steps * d_k


def full_length_without_a_cache(steps: int, d_k: int, d_v: int) -> Cost:
    return steps**3 * (d_k + d_v), *decoding_cost(steps, d_k, d_v)[1:]


def full_length_with_a_cache(steps: int, d_k: int, d_v: int) -> Cost:
    without, _, held = decoding_cost(steps, d_k, d_v)
    return without, steps**2 * (d_k + d_v), held


def last_step_without_a_cache(steps: int, d_k: int, d_v: int) -> Cost:
    return steps**2 * (d_k + d_v), *decoding_cost(steps, d_k, d_v)[1:]


def one_key_for_each_step(steps: int, d_k: int, d_v: int) -> Cost:
    without, _, held = decoding_cost(steps, d_k, d_v)
    return without, steps * (d_k + d_v), held


def weighted_sums_only(steps: int, d_k: int, d_v: int) -> Cost:
    return *decoding_cost(steps, 0, d_v)[:2], steps * (d_k + d_v)


def additions_counted(steps: int, d_k: int, d_v: int) -> Cost:
    without, cached, held = decoding_cost(steps, d_k, d_v)
    return 2 * without, 2 * cached, held


def widths_multiplied(steps: int, d_k: int, d_v: int) -> Cost:
    return *decoding_cost(steps, d_k * d_v, 0)[:2], steps * (d_k + d_v)


def widths_multiplied_everywhere(steps: int, d_k: int, d_v: int) -> Cost:
    return decoding_cost(steps, d_k * d_v, 0)


def one_step_short(steps: int, d_k: int, d_v: int) -> Cost:
    return decoding_cost(steps - 1, d_k, d_v)


def one_step_too_many(steps: int, d_k: int, d_v: int) -> Cost:
    return *decoding_cost(steps + 1, d_k, d_v)[:2], steps * (d_k + d_v)


def cache_one_step_short(steps: int, d_k: int, d_v: int) -> Cost:
    return *decoding_cost(steps, d_k, d_v)[:2], (steps - 1) * (d_k + d_v)


def cache_added_up(steps: int, d_k: int, d_v: int) -> Cost:
    without, cached, _ = decoding_cost(steps, d_k, d_v)
    return without, cached, cached


def only_values_are_cached(steps: int, d_k: int, d_v: int) -> Cost:
    return *decoding_cost(steps, d_k, d_v)[:2], steps * d_v


def positions_cached(steps: int, d_k: int, d_v: int) -> Cost:
    return *decoding_cost(steps, d_k, d_v)[:2], steps


def keys_and_values_twice(steps: int, d_k: int, d_v: int) -> Cost:
    return *decoding_cost(steps, d_k, d_v)[:2], 2 * steps * (d_k + d_v)


def costs_exchanged(steps: int, d_k: int, d_v: int) -> Cost:
    without, cached, held = decoding_cost(steps, d_k, d_v)
    return cached, without, held


def square_of_the_sum(steps: int, d_k: int, d_v: int) -> Cost:
    positions = steps * (steps + 1) // 2
    return positions**2 * (d_k + d_v), *decoding_cost(steps, d_k, d_v)[1:]


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


EXERCISES = (
    Exercise(
        name="online_softmax_step",
        title="One tile of an online softmax",
        statement="Merge the scores and values of one tile into the running state of every query.",
        rules=(
            "`maximum` is the largest score so far, and minus infinity before the first tile.",
            r"`total` and `context` are the sums $\ell$ and $c$ from above: in every exponential `maximum` is subtracted from the score.",
            "Do not divide: that comes once, after the last tile.",
        ),
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
        misconceptions=(
            Misconception(
                old_state_not_rescaled,
                "The maximum moves, but the old total and the old context stay as they were, measured from the "
                "old maximum. Multiply both by exp(old maximum - new maximum) before you add the tile.",
            ),
            Misconception(
                softmax_of_the_tile,
                "Each tile has a softmax of its own, so its weights sum to 1 however low its scores are. Carry the "
                "exponentials and their sum, and divide once, after the last tile.",
            ),
            Misconception(
                total_not_rescaled,
                "Only the context is rescaled when the maximum moves; the total is a sum of exponentials from the "
                "same maximum and needs the same factor.",
            ),
            Misconception(
                context_not_rescaled,
                "Only the total is rescaled when the maximum moves; the context is measured from the same maximum "
                "and needs the same factor.",
            ),
            Misconception(
                factor_of_two_exponentials,
                "The factor is a quotient of two exponentials: where scores are large both overflow, and inf / inf "
                "is NaN. Subtract first: exp(old maximum - new maximum).",
            ),
            Misconception(
                rescaled_upside_down,
                "The factor is upside down: a larger maximum makes the old exponentials smaller, so it is "
                "exp(old maximum - new maximum), never above 1.",
            ),
            Misconception(
                tile_measured_from_its_own_maximum,
                "The tile's exponentials are measured from the tile's own maximum, and the old state from the new "
                "one: they cannot be added. Both need the larger of the two maxima.",
            ),
            Misconception(
                maximum_forgets_the_past,
                "The maximum is the tile's, even where an earlier tile held a larger score. The quotient is still right, but the factor can now grow without bound and overflow: keep the larger one.",
            ),
            Misconception(
                one_maximum_for_all_queries,
                "All queries of a batch element share one maximum. Each query needs its own, or a row with small "
                "scores vanishes beside a row with large ones: take it over the keys only.",
            ),
            Misconception(
                context_normalised_each_step,
                "Your context is divided by the total at each step, so the next tile is added to a mean where a sum "
                "is expected. Divide once, after the last tile.",
            ),
            Misconception(
                exponentials_averaged,
                "The tile adds the mean of its exponentials to the total. The total is a sum: add their sum.",
            ),
            Misconception(
                tile_rescaled_too,
                "The factor is applied to the tile as well. Its exponentials are measured from the new maximum already: only the old total and the old context are rescaled.",
            ),
            Misconception(
                context_of_the_tile_rescaled_too,
                "The factor is applied to the sum of old and new context. The new part is measured from the new maximum already: rescale the old context, then add.",
            ),
            Misconception(
                context_taken_for_a_mean,
                "The old context is multiplied by the old total, as if it had been divided by it before. It is a sum that was never divided: multiply it by the factor alone.",
            ),
            Misconception(
                context_kept_as_a_mean,
                "The context comes out divided by the total. Asked for is the sum itself, divided only once after the last tile.",
            ),
            Misconception(
                old_maximum_returned,
                "The sums are measured from the new maximum, but the old one is returned, so the next tile is merged wrongly. Return the new one.",
            ),
            Misconception(
                old_sums_forgotten,
                "Only this tile is in the sums: the old total and the old context are lost. Add them, each times exp(old maximum - new maximum).",
            ),
            Misconception(
                old_total_forgotten,
                "The old total is lost: total holds this tile alone, and context all tiles. Add the old total times exp(old maximum - new maximum).",
            ),
            Misconception(
                factor_from_the_tile,
                "The old sums are multiplied by exp(tile's maximum - new maximum). They are measured from the old maximum: exp(old maximum - new maximum).",
            ),
            Misconception(
                values_not_weighted,
                "The tile's values are added as they are. Weigh each by its exponential: a batched product of exponentials and values.",
            ),
        ),
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
        rules=(
            "Never hold the scores of more than `tile` keys at once, not as a list either: `check` looks at the largest array and at how much lives together.",
            "The last tile may be shorter.",
            (
                "Write the step out, so that this function stands on its own; the library's own attention may not be "
                "called."
            ),
        ),
        entry="tiled_attention",
        arguments=(QUERIES, KEYS, VALUES, Argument("tile", "int, how many keys are read at a time")),
        returns=(CONTEXT,),
        reference=tiled_attention,
        misconceptions=(
            Misconception(
                tiles_averaged,
                "Each tile has a softmax of its own, and the results are averaged: a tile of unimportant keys "
                "counts as much as any other. The tiles must share one total.",
            ),
            Misconception(
                tiles_added,
                "Each tile has a softmax of its own, and the results are added, so the weights of a row sum to the "
                "number of tiles. The tiles must share one total.",
            ),
            Misconception(
                last_tile_left_out,
                "The keys after the last whole tile are never read. Let the last tile be shorter.",
            ),
            Misconception(
                maximum_moves_without_rescaling,
                "The running maximum moves from tile to tile, but what was summed before is not rescaled to it: "
                "multiply the total and the context by exp(old maximum - new maximum).",
            ),
            Misconception(
                no_maximum,
                "The exponentials are taken of the raw scores. Near 800 they overflow, near -800 they vanish, and "
                "the quotient is NaN: subtract the running maximum.",
            ),
            Misconception(
                maximum_of_the_first_tile,
                "The maximum stays that of the first tile: where a later tile scores far above it, exp overflows. "
                "Take the larger of the two at each tile, and rescale what was added up.",
            ),
            Misconception(
                maximum_starts_at_zero,
                "The running maximum starts at 0, so it stays there while all scores are negative; near -800 their exponentials vanish and the quotient is NaN. Start at minus infinity.",
            ),
            Misconception(tiled_not_scaled, "The scores are not divided by the square root of d_k."),
            Misconception(
                never_divided,
                "The context is a sum weighted by exponentials, never divided by their total.",
            ),
            Misconception(
                divided_by_the_last_tile,
                "The context over all tiles is divided by the last tile's total alone: carry the total on, too.",
            ),
            Misconception(
                total_left_as_it_was,
                "Only the context is rescaled when the maximum moves from tile to tile; the total needs the same factor.",
            ),
            Misconception(
                context_left_as_it_was,
                "Only the total is rescaled when the maximum moves from tile to tile; the context needs the same factor.",
            ),
            Misconception(
                factor_turned_round,
                "The factor is upside down: old sums shrink when the maximum grows, by exp(old maximum - new maximum), which is never above 1.",
            ),
            Misconception(
                scaled_twice,
                "The scores come out divided by d_k, as where the square root is applied twice, before the loop and in it, or not taken. Divide once by the square root of d_k.",
            ),
            Misconception(
                scaled_by_the_tile,
                "The scores are divided by the square root of the tile. It is the square root of d_k, whatever the tile.",
            ),
            Misconception(
                only_the_last_tile,
                "Only the last tile is in the result: what was added up before is lost, as it is where the maximum is not carried on. Carry maximum, total and context from tile to tile.",
            ),
            Misconception(
                only_the_first_tile,
                "Only the first tile is in the result, as where the loop ends there or its later sums are not kept.",
            ),
            Misconception(
                tiles_overlap,
                "The tiles overlap by one key, which is then counted twice. A tile ends before start + tile, where the next begins.",
            ),
            Misconception(
                not_scaled_and_context_left,
                "Two things: the scores are not divided by the square root of d_k, and the context is not rescaled when the maximum moves, as the total is.",
            ),
            Misconception(
                divided_in_each_tile,
                "The context is divided by the total in each tile, so the next tile is added to a mean where a sum is expected: divide once, after the last tile.",
            ),
            Misconception(
                divided_in_each_tile_and_at_the_end,
                "The context is divided by the total in each tile and once more at the end: divide once, after the last tile.",
            ),
            Misconception(
                tile_moves_by_one_key,
                "Each tile begins one key after the one before, so most keys are read several times: the next begins `tile` keys later.",
            ),
        ),
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
                ideas={"scores_in_a_list": SCORES_IN_A_LIST},
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
            "Let the new position attend to itself and to all positions before it, and give back the "
            "context and both caches with the new position at their end."
        ),
        rules=(
            "At the first step both caches are `None`.",
            "Attention is the scaled dot product; `plain_attention` may be used.",
        ),
        builds_on=("efficient",),
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
        misconceptions=(
            Misconception(
                new_key_left_out,
                "The new position attends to the cache alone, and not to itself: append its key and value first, "
                "then attend.",
            ),
            Misconception(
                cache_not_extended,
                "Your context is right, but the caches come back as they were: the next step will not know this "
                "position.",
            ),
            Misconception(
                cache_overwritten,
                "The new key and value replace the cache, so the position sees only itself. Append them.",
            ),
            Misconception(
                last_position_overwritten,
                "The new key and value are written over the last position of the cache, which is lost. Append them "
                "after it.",
            ),
            Misconception(
                new_position_put_first,
                "The new position stands first in the cache. The context is the same, since attention does not mind "
                "the order, but positions and masks are read from the cache by place: append it at the end.",
            ),
            Misconception(
                context_cached,
                "The cache of values receives the context. Later positions must see this position's own value, "
                "not what it has read from others.",
            ),
            Misconception(
                scaled_by_the_cache,
                "The scores are divided by the square root of the number of keys, which grows with every step. "
                "They are divided by the square root of d_k.",
            ),
            Misconception(
                softmax_over_the_one_query,
                "Every weight is 1, so the context is the sum of all values: the softmax runs over the queries, of "
                "which there is one. It runs over the keys.",
            ),
            Misconception(
                cache_not_scaled,
                "The scores are not divided by the square root of d_k, as scaled dot-product attention does.",
            ),
            Misconception(
                scaled_by_the_width,
                "The scores are divided by d_k itself. Divide by its square root.",
            ),
            Misconception(
                scaled_by_the_value_width,
                "The scores are divided by the square root of d_v, the width of a value. The sum in a dot product has d_k terms: the square root of d_k.",
            ),
            Misconception(
                all_positions_alike,
                "The context is the plain mean of all values: the query has no effect. Weigh the values by the softmax of the scores.",
            ),
            Misconception(
                sees_only_itself,
                "The caches are right, but the context is the new value alone: the position does not look back. Attend to all keys of the longer cache.",
            ),
            Misconception(
                first_context_zero,
                "At the first step the context is zero. The new position attends to itself, so there the context is its own value.",
            ),
            Misconception(
                only_the_key_put_first,
                "The new key stands first and the new value last, so that keys are paired with the values of other positions. Append both at the end.",
            ),
            Misconception(
                only_the_value_put_first,
                "The new value stands first and the new key last, so that keys are paired with the values of other positions. Append both at the end.",
            ),
            Misconception(
                query_cached,
                "The cache of keys receives the query. It must receive the new key, which later positions ask.",
            ),
            Misconception(
                asks_with_the_key,
                "The scores are those of the new key with all keys. They must be those of the new query with all keys.",
            ),
            Misconception(
                scores_without_softmax,
                "The values are weighted by the raw scores: the softmax over the keys is missing.",
            ),
            Misconception(
                oldest_position_dropped,
                "The oldest position leaves the cache at every step, as in a sliding window. The cache keeps all positions.",
            ),
            Misconception(
                appended_twice,
                "The new position is appended twice, and so has two places in the softmax. Append it once.",
            ),
            Misconception(
                context_over_the_positions,
                "The context is divided by the number of positions, but the weights sum to 1 already: add the weighted values up, without a mean.",
            ),
            Misconception(
                value_added_to_the_context,
                "The new value is added to the context, as in a residual. The context is the weighted sum of all values, and no more.",
            ),
            Misconception(
                two_contexts_added,
                "The cache gets a softmax of its own, and the new value is added to what it gives. One softmax takes the scores of all positions, the new one's too.",
            ),
            Misconception(
                two_contexts_averaged,
                "The cache gets a softmax of its own, and what it gives is averaged with the new value. One softmax takes the scores of all positions, the new one's too.",
            ),
            Misconception(
                scaled_keys_cached,
                "The new key is divided by the square root of d_k before it is cached. The cache holds keys as they came; the scores are what is scaled.",
            ),
            Misconception(
                multiplied_by_the_root,
                "The scores are multiplied by the square root of d_k. Divide by it.",
            ),
            Misconception(
                only_the_best_position,
                "Only the position with the highest score counts. Attention mixes all values, and a choice has no gradient.",
            ),
            Misconception(
                softmax_taken_twice,
                "The softmax is taken of weights, which makes them nearly equal: take it once, of the scores.",
            ),
            Misconception(
                sigmoid_for_softmax,
                "Each score goes through a sigmoid of its own, and the weights do not sum to 1. Take the softmax over the keys.",
            ),
            Misconception(
                only_the_keys_come_back_longer,
                "The keys come back with the new position, the values without: at the next step they no longer fit. Return both with it.",
            ),
            Misconception(
                only_the_values_come_back_longer,
                "The values come back with the new position, the keys without: at the next step they no longer fit. Return both with it.",
            ),
            Misconception(
                only_the_new_position_returned,
                "The context is right, but only the new key and value come back, and the next step will know no others. Return both caches whole, with the new position at their end.",
            ),
            Misconception(
                sees_only_the_first,
                "The new position sees only the first one, as when a causal mask is taken from its first row. The single query is the last position: it sees all.",
            ),
            Misconception(
                all_but_the_first_seen,
                "The first position of the cache is left out of the context. The new position attends to all before it, and itself.",
            ),
            Misconception(
                cache_begun_with_zeros,
                "At the first step the cache begins with a position of zeros, which stays there and takes weight. Without a cache there is only the new position.",
            ),
            Misconception(
                scores_negated,
                "The sign of the scores is turned round, so the positions that fit least get the most weight.",
            ),
        ),
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
        name="decoding_cost",
        title="What a cache saves, and what it costs",
        statement=(
            "Predict the multiplications that attention takes to decode `steps` positions, without and "
            "with a cache, and the numbers that the cache holds at the end."
        ),
        rules=(
            "Step $t$ has $t$ positions.",
            (
                "Without a cache all $t$ queries meet all $t$ keys again, and a score that the causal mask "
                "hides is computed all the same."
            ),
            (
                "Count the multiplications of the scores and of the weighted sums, for one head, and nothing "
                "else."
            ),
        ),
        entry="decoding_cost",
        arguments=(
            Argument("steps", "int"),
            Argument("d_k", "int"),
            Argument("d_v", "int"),
        ),
        returns=(Output("cost", "(without a cache, with a cache, numbers held), whole numbers", plain=True),),
        reference=decoding_cost,
        misconceptions=(
            Misconception(last_step_only, "This is the cost of the last step alone: sum it over all steps."),
            Misconception(
                scores_only,
                "Only the scores are counted. The weighted sum takes d_v more multiplications for each pair.",
            ),
            Misconception(
                own_key_not_counted,
                "Step t is counted with t - 1 positions, but a position attends to itself too: it has t.",
            ),
            Misconception(
                nothing_recomputed,
                "Without a cache this is one query a step, as with one. Without it the whole prefix is run again: t queries meet t keys at step t.",
            ),
            Misconception(
                full_length_at_every_step,
                "Every step is counted with all positions, but step t has only t of them so far.",
            ),
            Misconception(
                masked_scores_are_free,
                "Scores that the causal mask hides are left out of the count. They are computed before they are "
                "hidden, so step t takes t times t of them without a cache.",
            ),
            Misconception(only_keys_are_cached, "The cache holds the values as well as the keys."),
            Misconception(
                full_length_without_a_cache,
                "Without a cache this is all positions at every step. Step t has t of them so far: t queries meet t keys.",
            ),
            Misconception(
                full_length_with_a_cache,
                "With a cache this is all positions at every step. Step t has t of them so far: one query meets t keys.",
            ),
            Misconception(
                last_step_without_a_cache,
                "Without a cache this is the last step alone. Each step computes its t times t pairs again: sum them over the steps.",
            ),
            Misconception(
                one_key_for_each_step,
                "With a cache this is one pair a step. The new query still meets all t keys that the cache then holds.",
            ),
            Misconception(
                weighted_sums_only,
                "Only the weighted sums are counted. A score takes d_k more multiplications for each pair.",
            ),
            Misconception(
                additions_counted,
                "Additions are counted too, which doubles the cost. Asked for are the multiplications.",
            ),
            Misconception(
                widths_multiplied,
                "The widths d_k and d_v come out multiplied. A score costs d_k and its part of the weighted sum d_v: each pair costs their sum.",
            ),
            Misconception(
                widths_multiplied_everywhere,
                "The widths d_k and d_v come out multiplied, for the cost and for the cache. A pair costs d_k + d_v multiplications, and a position is held as d_k + d_v numbers.",
            ),
            Misconception(
                one_step_short,
                "All three numbers lack a step: the steps are 1, 2, …, steps, the last one included, and the cache holds all of them.",
            ),
            Misconception(
                one_step_too_many,
                "The costs have a step too many: the steps are 1, 2, …, steps.",
            ),
            Misconception(
                cache_one_step_short,
                "The cache lacks the last position. At the end it holds all steps, the last one too.",
            ),
            Misconception(
                cache_added_up,
                "This is the sum of what the cache holds at each step. Asked for is what it holds at the end: one key and one value for each position.",
            ),
            Misconception(
                only_values_are_cached,
                "The cache holds the keys as well as the values.",
            ),
            Misconception(
                positions_cached,
                "These are the positions in the cache. Asked for are the numbers: each position is held as d_k + d_v of them.",
            ),
            Misconception(
                keys_and_values_twice,
                "The cache is counted twice. Each position is held as a key of d_k numbers and a value of d_v, and nothing else.",
            ),
            Misconception(
                costs_exchanged,
                "The two costs are in each other's place: first without a cache, which is more.",
            ),
            Misconception(
                square_of_the_sum,
                "Without a cache this is the square of the sum of the positions. Sum the squares: step t costs t times t pairs.",
            ),
        ),
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
