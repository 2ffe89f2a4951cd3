"""What the exercises of several topics share: arguments, draws, wrong weights, and properties of weights."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from autograder.model.exercise import Argument, Call, Case, Property
from solutions.masked_softmax.in_numpy import softmax, valid_mask

Array = np.ndarray
Lengths = Array | None

QUERIES = Argument("queries", "(batch, num_queries, d_k)")
KEYS = Argument("keys", "(batch, num_keys, d_k)")
VALUES = Argument("values", "(batch, num_keys, d_v)")
VALID_LENGTH = Argument("valid_length", "None, (batch,) or (batch, num_queries), each at least 1")


# What the cases of an exercise draw, besides the numbers themselves

ALL = -1
# What an exercise on a norm may not call.
NORMS = (
    "torch.nn.functional.layer_norm",
    "torch.native_layer_norm",
    "torch.nn.functional.group_norm",
    "torch.native_group_norm",
    "torch.nn.functional.batch_norm",
    "torch.native_batch_norm",
    "torch.nn.functional.instance_norm",
    "torch.nn.functional.rms_norm",
    "mxnet.nd.LayerNorm",
    "mxnet.nd.GroupNorm",
    "mxnet.nd.InstanceNorm",
    "mxnet.nd.BatchNorm",
)


def one_of(name: str, values: Sequence[str]) -> Argument:
    """Return an argument that is one of some words."""
    return Argument(name, "one of " + ", ".join(f'"{value}"' for value in values))


def a_case_of_each(name: str, values: Sequence[str]) -> Callable[[np.random.Generator], list[Case]]:
    """Return what makes a case of each word that an argument may be."""
    return lambda _: [Case(value, {name: value}) for value in values]


def draw_sizes(rng: np.random.Generator, *typical: int, spread: int = 4) -> tuple[int, ...]:
    """Draw sizes less than `spread` above the typical ones: 1 stays 1, equal ones stay equal, larger ones larger.

    Where the sizes are all that an answer gets, a wide spread keeps it from knowing them by heart.
    """
    distinct = sorted({size for size in typical if size > 1})
    added = np.sort(rng.integers(spread, size=len(distinct)))
    larger = {size: size + int(more) for size, more in zip(distinct, added, strict=True)}
    return tuple(larger.get(size, size) for size in typical)


def draw_base(rng: np.random.Generator) -> int:
    """Draw a base for rotary positions, so far below the usual ones that a few tokens show it."""
    return round(10 ** rng.uniform(1.5, 3.5))


def default_property(name: str, value: object) -> Property:
    """Return the property that without an argument, or a setting, each result is that with its default."""

    def violation(run: Call, case: Case) -> str | None:
        usual = {**case.inputs, **case.settings, name: value}
        without = {other: usual[other] for other in usual if other != name}
        try:
            # Twice: a default that a call writes to is another one in the next call.
            expected, *results = (run(_with_values(case, values))[0] for values in (usual, without, without))
        except Exception:  # whatever stops the judge's call
            return "without it there is no result"
        is_right = all(np.allclose(expected, result, atol=1e-4) for result in results)
        return None if is_right else "without it the result differs"

    return Property(f"`{name}` must be {value} by default", violation, required=True)


def _with_values(case: Case, values: dict[str, object]) -> Case:
    """Return a case with these inputs and settings, without those that have none."""
    inputs, settings = (
        {name: values[name] for name in old if name in values} for old in (case.inputs, case.settings)
    )
    return replace(case, inputs=inputs, settings=settings)


DEFAULT_BASE = default_property("base", 10000)


def draw_lengths(
    rng: np.random.Generator, most: int, *shape: int, least: int = 1, among: tuple[int, ...] = ()
) -> Array:
    """Draw lengths from least to most, not all alike along the last axis, and one below most.

    among: lengths that are there for certain, as far as there is room; ALL is most. Where least is most,
    the others are that.
    """
    required = [most if length == ALL else length for length in among]
    while True:
        lengths = rng.integers(least, most + 1, size=shape)
        lengths.flat[rng.permutation(lengths.size)[: len(required)]] = required[: lengths.size]
        if least == most or (lengths.min() < most and (shape[-1] == 1 or np.ptp(lengths, axis=-1).all())):
            return lengths


def draw_valid_lengths(
    rng: np.random.Generator, shape: tuple[int, ...], of: str, among: tuple[int, ...] = ()
) -> Lengths:
    """Draw the valid lengths for scores of a shape (batch, num_queries, num_keys, …).

    of: whose they are, "batch" or "query"; without it there are none.
    """
    if not of:
        return None
    return draw_lengths(rng, shape[2], *shape[: 1 if of == "batch" else 2], among=among)


def places_beyond(num_keys: int, lengths: Array) -> Array:
    """Return 1, 2, … for the keys beyond each length, and 0 for those within: (*lengths.shape, num_keys)."""
    return np.maximum(np.arange(num_keys) - lengths[..., None] + 1, 0)


def last_of(num_keys: int) -> Array:
    """Return 1 for the last key, which a causal mask hides from all queries but the last, and 0 for the others."""
    return np.eye(num_keys)[-1]


def raise_scores(queries: Array, keys: Array, steps: Array, width: int) -> None:
    """Let keys score 1000 for each of their steps, by the first feature alone, so that a late mask leaves nothing.

    Each scores the same for all queries: float32 has few digits there.
    steps: of each key, 0 where it scores as before. width: the scores are divided by its root.
    """
    queries[..., 0] = 1
    keys *= (steps == 0)[..., None]
    keys[..., 0] = 1000 * np.sqrt(width) * steps


def with_loud_rest(case: Case, reference: Callable[..., Array | tuple[Array, Array]]) -> Case:
    """Return the same where hidden keys score 1000 above the rest, so that a late mask leaves nothing.

    reference: returns the weights, alone or last; a hidden key has a weight of 0.
    """
    results = reference(**case.inputs)
    weights = results[-1] if isinstance(results, tuple) else results
    case.inputs["scores"][weights == 0] += 1000
    return case


def with_loud_padding(case: Case, keys: str) -> Case:
    """Return the same where padded keys score 1000 and more above the rest, so that a late mask leaves nothing.

    keys: the input (batch, num_keys, d) that W_k, (units, d), and w_v, (1, units), score additively. The first
    unit is for padding alone. Each padded key stands far above the one before: float32 has few digits there.
    """
    array = case.inputs[keys]
    array[..., 0] = 0.1 * places_beyond(array.shape[1], case.inputs["valid_length"])
    case.parameters["W_q"][0] = 0
    case.parameters["W_k"][0] = np.eye(array.shape[2])[0]
    case.parameters["w_v"][0, 0] = 10_000
    return case


# A hint that several exercises give.
LOOP_IS_SHOWN = "A loop passes the check, but the teacher is shown it."


# Wrong weights


def mask_of(X: Array, valid_length: Lengths) -> Array:
    """Return True where a key counts, in the shape of the scores X; everywhere without a valid_length."""
    if valid_length is None:
        return np.ones(X.shape, dtype=bool)
    return valid_mask(valid_length, X.shape[1], X.shape[2])


def softmax_over_queries(X: Array, valid_length: Lengths) -> Array:
    """Return weights whose columns sum to one instead of their rows. X: (batch, num_queries, num_keys)."""
    scores = np.where(mask_of(X, valid_length), X, -1e6)
    return softmax(scores, axis=1)


def mask_after_softmax(X: Array, valid_length: Lengths) -> Array:
    """Return weights masked too late, so that rows sum to less than one. X: (batch, num_queries, num_keys)."""
    return softmax(X) * mask_of(X, valid_length)


def renormalised_too_late(X: Array, valid_length: Lengths) -> Array:
    """Return the same, then divided by the sum of each row, which may be 0. X: (batch, num_queries, num_keys)."""
    weights = mask_after_softmax(X, valid_length)
    return np.asarray(weights / weights.sum(axis=-1, keepdims=True))


# Properties of weights, the last of an exercise's results


def rows_sum_to_one(run: Call, case: Case) -> str | None:
    """Check that the weights of each row sum to one."""
    sums = run(case)[-1].astype(np.float64).sum(axis=-1)
    wrong = np.argwhere(~np.isclose(sums, 1, atol=1e-3))
    if not len(wrong):
        return None
    row = tuple(map(int, wrong[0]))
    return f"row {list(row)} sums to {sums[row]:.4f}."


def weight_outside(weights: Array, mask: Array, where: str) -> str | None:
    """Return a sentence on the largest weight where the mask is false, or None. where: "beyond it"."""
    outside = np.where(mask, 0, np.abs(weights))
    if (outside <= 1e-9).all():
        return None
    place = tuple(map(int, np.unravel_index(int(outside.argmax()), outside.shape)))
    return f"The weight at {list(place)} lies {where} and is {outside[place]:.4g}."


def nothing_beyond_the_length(run: Call, case: Case) -> str | None:
    """Check that all weights (batch, num_queries, num_keys) beyond valid_length are zero."""
    weights = run(case)[-1]
    return weight_outside(weights, mask_of(weights, case.inputs["valid_length"]), "beyond it")


# Dropout leaves no trace in evaluation mode, so it is judged by what must hold in training mode.


def _weights_in_training(run: Call, case: Case) -> tuple[Array, Array, Array] | None:
    """Return the weights without dropout, and twice those with it; None for a case without dropout.

    With the identity as values the context is the weights themselves; beside it stands a second
    identity, whose half of the context must have lost the same weights.
    """
    if not case.settings["dropout"]:
        return None
    rng = np.random.default_rng(0)
    batch, num_queries, num_keys = 2, 6, 8
    identity = np.broadcast_to(np.eye(num_keys), (batch, num_keys, num_keys))
    inputs = {
        "queries": rng.normal(size=(batch, num_queries, case.inputs["queries"].shape[-1])),
        "keys": rng.normal(size=(batch, num_keys, case.inputs["keys"].shape[-1])),
        "values": np.concatenate([identity, identity], axis=-1),
        "valid_length": None,
    }
    probe = Case(case.note, inputs, case.settings, case.parameters)
    plain, dropped = run(probe)[0], run(probe, train=True)[0]
    return plain[..., :num_keys], dropped[..., :num_keys], dropped[..., num_keys:]


# Wrong ideas about dropout, which show themselves in training mode alone.
DROPOUT_IDEAS = {
    "no_dropout": "In training mode nothing is dropped: the weights are what they are in evaluation mode. "
    "Apply dropout to the weights, after the softmax and before they average the values.",
    "dropout_not_rescaled": "Dropped weights are not made up for: the others must be divided by 1 - p, so that the "
    "context stays the same on average.",
    "dropout_rate_turned_round": "The rates of keeping and dropping are interchanged: the weights that stay are "
    "divided by p. `dropout` is the share that is dropped.",
    "dropout_twice": "Dropout is applied twice: the weights that stay are divided by 1 - p two times. Apply it once.",
    "dropout_then_shared_anew": "After dropout each row is divided by its sum again. Leave it: dropout divides by "
    "1 - p, which keeps the context the same on average.",
    "dropout_before_softmax": "Dropout comes before the softmax: in training mode the weights change, but each row "
    "still sums to 1 and none is 0. A dropped score counts as exp(0): drop weights after the softmax.",
    "dropout_on_values": "Dropout is applied to the values: the same entries of a value are lost for every query. "
    "Drop weights, after the softmax.",
    "dropout_on_context": "Dropout is applied to the context: drop weights, not entries of the context, after the "
    "softmax and before they average the values.",
    "dropout_in_evaluation": "Dropout is applied in evaluation mode too: two calls with the same inputs give "
    "different contexts. A dropout layer of the framework knows when it is trained.",
    "weights_kept_after_dropout": "The weights that you keep are those after dropout, so in training mode they "
    "change from call to call: keep what the softmax gives.",
}


def _close(a: Array, b: Array) -> bool:
    return bool(np.allclose(a, b, rtol=1e-3, atol=1e-5))


def _idea_of_dropout(plain: Array, first: Array, second: Array, p: float) -> str | None:
    """Return which wrong idea gives these weights in training mode; plain: those in evaluation mode."""
    if _close(first, plain) and _close(second, plain):
        return "no_dropout"
    # One of the two may have lost nothing, by chance.
    first, second = sorted((first, second), key=np.count_nonzero)
    is_kept = first != 0  # exactly: a softmax of scores that dropout has changed makes weights of 1e-12 too
    if not _close(first, second):
        either = is_kept == is_kept[:, :1]
        if not _close(first[is_kept], (plain / (1 - p))[is_kept]) or is_kept.all():
            return None
        return "dropout_on_values" if either.all() else "dropout_on_context"
    if _close(first.sum(axis=-1), np.ones(first.shape[:2])):
        if is_kept.all():
            return "dropout_before_softmax"
        shared = plain * is_kept / np.maximum((plain * is_kept).sum(axis=-1, keepdims=True), 1e-9)
        return "dropout_then_shared_anew" if _close(first, shared) else None
    if is_kept.all():
        return None
    for idea, factor in (
        ("dropout_not_rescaled", 1.0),
        ("dropout_rate_turned_round", 1 / p),
        ("dropout_twice", 1 / (1 - p) ** 2),
    ):
        if _close(first[is_kept], (plain * factor)[is_kept]):
            return idea
    return None


def _dropped_or_grown(run: Call, case: Case) -> str | None:
    if (weights := _weights_in_training(run, case)) is None:
        return None
    plain, dropped, again = weights
    p = case.settings["dropout"]
    if idea := _idea_of_dropout(plain, dropped, again, p):
        return idea
    grown = plain / (1 - p)
    neither = ~np.isclose(dropped, grown, rtol=1e-3, atol=1e-5) & (np.abs(dropped) > 1e-9)
    if not neither.any():
        return None if (dropped == 0).any() else f"In training mode with dropout={p} nothing is dropped."
    place = tuple(map(int, np.argwhere(neither)[0]))
    return (
        f"The weight at {place} is {plain[place]:.4f}; in training mode with dropout={p} it becomes "
        f"{dropped[place]:.4f}, and must be 0 or {grown[place]:.4f}: drop weights after the softmax."
    )


def _dropped_with_its_value(run: Call, case: Case) -> str | None:
    if (weights := _weights_in_training(run, case)) is None:
        return None
    _, first, second = weights
    if np.allclose(first, second, atol=1e-6):
        return None
    return (
        "Some are dropped for one feature of a value and kept for another: "
        "drop weights, not entries of the context."
    )


def _kept_before_dropout(run: Call, case: Case) -> str | None:
    if not case.settings["dropout"]:
        return None
    plain, training = run(case)[1], run(case, train=True)[1]
    if np.allclose(plain, training, rtol=1e-3, atol=1e-5):
        return None
    p = case.settings["dropout"]
    stays = np.abs(training) > 1e-9
    if not stays.all() and _close(training[stays], (plain / (1 - p))[stays]):
        return "weights_kept_after_dropout"
    return (
        "In training mode they change from call to call: keep what the softmax gives, rows that sum to one."
    )


def _still_in_evaluation(run: Call, case: Case) -> str | None:
    if not case.settings["dropout"]:
        return None
    once, again = run(case)[0], run(case)[0]
    return None if np.allclose(once, again, atol=1e-6) else "dropout_in_evaluation"


def _order_of_pairs_is_no_matter(run: Call, case: Case) -> str | None:
    if case.inputs["valid_length"] is not None:
        return None
    turned = {**case.inputs, "keys": case.inputs["keys"][:, ::-1], "values": case.inputs["values"][:, ::-1]}
    forth, back = run(case)[0], run(Case(case.note, turned, case.settings, case.parameters))[0]
    if np.allclose(forth, back, atol=1e-4):
        return None
    return "Turning the order of keys and values round changes it."


# Of every class that takes queries, keys, values and valid_length, has the setting dropout, and
# returns the context and its attention_weights.
ATTENTION_PROPERTIES = (
    Property(
        "in evaluation mode dropout must change nothing", _still_in_evaluation, misconceptions=DROPOUT_IDEAS
    ),
    Property("nothing beyond the valid length may get weight", nothing_beyond_the_length),
    Property("each row of attention_weights must sum to 1", rows_sum_to_one),
    Property("the context must not depend on the order of the key-value pairs", _order_of_pairs_is_no_matter),
    Property(
        "in training, dropout must set a weight to 0 or divide it by 1 - p",
        _dropped_or_grown,
        required=True,
        in_training=True,
        misconceptions=DROPOUT_IDEAS,
    ),
    Property("dropout must drop whole weights", _dropped_with_its_value, required=True, in_training=True),
    Property(
        "attention_weights must be those before dropout",
        _kept_before_dropout,
        required=True,
        in_training=True,
        misconceptions=DROPOUT_IDEAS,
    ),
)
