"""Exercises on global and local attention (Luong et al. 2015)."""

from collections.abc import Callable

import numpy as np

from autograder.model.exercise import (
    Argument,
    Call,
    Case,
    Exercise,
    Output,
    Parameter,
    Property,
)
from exercises.shared import (
    ALL,
    LOOP_IS_SHOWN,
    draw_lengths,
    draw_sizes,
    weight_outside,
)
from solutions.global_local.in_numpy import (
    attentional_state,
    concat_score,
    local_predictive,
    window_mask,
    window_weights,
)

Array = np.ndarray

QUERIES = Argument("queries", "(batch, num_queries, d_q)")
SCORES = Argument("scores", "(batch, num_queries, num_keys)")
LENGTH = Argument("valid_length", "(batch,)")
WEIGHTS = Output("weights", "(batch, num_queries, num_keys)", exact_zeros=True, map=True)


# The score `concat`


def _concat_cases(rng: np.random.Generator) -> list[Case]:
    def case(note: str, *typical: int, gradient: bool = False) -> Case:
        batch, m, n, d_q, d_k, units = draw_sizes(rng, *typical)
        inputs = {"queries": rng.normal(size=(batch, m, d_q)), "keys": rng.normal(size=(batch, n, d_k))}
        parameters = {
            "W_a": rng.normal(size=(units, d_q + d_k)) / np.sqrt((d_q + d_k) / 2),
            "v_a": rng.normal(size=(1, units)),
        }
        return Case(note, inputs, {"d_q": d_q, "d_k": d_k, "units": units}, parameters, gradient=gradient)

    return [
        case("queries and keys of one size", 2, 3, 5, 4, 4, 7, gradient=True),
        case("queries larger than keys", 2, 3, 5, 6, 4, 3, gradient=True),
        case("queries smaller than keys", 3, 4, 2, 2, 5, 6),
        case("a single query", 2, 1, 6, 3, 3, 5),
        case("a single key", 3, 2, 1, 5, 4, 2),
        case("as many queries as keys", 1, 4, 4, 3, 3, 8),
    ]


# The attentional hidden state


def _state_cases(rng: np.random.Generator) -> list[Case]:
    def case(note: str, *typical: int, gradient: bool = False) -> Case:
        batch, m, d_v, d_q, units = draw_sizes(rng, *typical)
        inputs = {"context": rng.normal(size=(batch, m, d_v)), "queries": rng.normal(size=(batch, m, d_q))}
        parameters = {"W_c": rng.normal(size=(units, d_v + d_q)) / np.sqrt((d_v + d_q) / 2)}
        return Case(note, inputs, {"d_v": d_v, "d_q": d_q, "units": units}, parameters, gradient=gradient)

    return [
        case("context and state of one size", 2, 3, 4, 4, 7, gradient=True),
        case("a context larger than the state", 2, 3, 6, 4, 5, gradient=True),
        case("a context smaller than the state", 3, 2, 2, 5, 3),
        case("one step at a time", 4, 1, 3, 5, 8),
        case("one batch element", 1, 5, 3, 3, 2),
    ]


# The window


def _weights_stay_inside(run: Call, case: Case) -> str | None:
    weights = run(case)[0]
    inputs = case.inputs
    mask = window_mask(inputs["positions"], inputs["valid_length"], weights.shape[-1], inputs["D"])
    return weight_outside(weights, mask, "outside")


def _window_rows_sum_to_one(run: Call, case: Case) -> str | None:
    weights, inputs = run(case)[0], case.inputs
    mask = window_mask(inputs["positions"], inputs["valid_length"], weights.shape[-1], inputs["D"])
    sums = weights.astype(np.float64).sum(axis=-1)
    wrong = mask.any(axis=-1) & ~np.isclose(sums, 1, atol=1e-3)
    if not wrong.any():
        return None
    place = tuple(map(int, np.argwhere(wrong)[0]))
    return f"Row {place} sums to {sums[place]:.4f}."


def _window_cases(rng: np.random.Generator) -> list[Case]:
    def case(
        note: str,
        typical: tuple[int, int, int],
        D: int,
        place: Callable[[Array, Array], Array],
        shortest: int = 1,
        among: tuple[int, ...] = (),
        far: float = 0.0,
        gradient: bool = False,
    ) -> Case:
        """place: positions from lengths (batch, 1) and numbers from 0.1 to 0.9, (batch, num_queries)."""
        batch, m, n = draw_sizes(rng, *typical)
        lengths = draw_lengths(rng, n, batch, least=shortest, among=among)
        inputs = {
            "scores": 2 * rng.normal(size=(batch, m, n)) + (far or 0.5),
            "positions": place(lengths[:, None], rng.uniform(0.1, 0.9, size=(batch, m))),
            "valid_length": lengths,
            "D": D,
        }
        return Case(note, inputs, gradient=gradient)

    def step(length: Array, u: Array) -> Array:
        return np.arange(u.shape[1]) + 0 * length

    def word(length: Array, u: Array) -> Array:
        return np.floor(u * length).astype(int)

    def between(length: Array, u: Array) -> Array:
        return word(length, rng.permuted(u)) + u

    def at_an_end(length: Array, u: Array) -> Array:
        return np.where(rng.permuted(np.arange(u.size) % 2).reshape(u.shape) > 0, u, length - u)

    def first_or_last(length: Array, u: Array) -> Array:
        return np.floor(at_an_end(length, u))

    loud = case("scores outside far above those inside", (2, 3, 9), 1, word, 4)
    window = window_mask(
        loud.inputs["positions"], loud.inputs["valid_length"], loud.inputs["scores"].shape[2], 1
    )
    loud.inputs["scores"][~window] += 1000
    return [
        case(
            "each position in the middle of its sentence",
            (2, 3, 9),
            2,
            lambda length, u: 2 + word(length - 4, u),
            7,
            gradient=True,
        ),
        case("p_t = t, clipped at the left end", (1, 4, 8), 2, step, 5),
        case("windows clipped at both ends", (3, 2, 7), 3, first_or_last, 3),
        case("real positions", (2, 3, 9), 2, between, 7, gradient=True),
        case("real positions near the ends", (2, 2, 6), 1, at_an_end, 4, gradient=True),
        case("a window wider than the sentence", (2, 3, 5), int(rng.integers(8, 12)), word, 3),
        case(
            "a target longer than its source: empty windows", (2, 6, 6), 1, step, among=(2, 3), gradient=True
        ),
        case("a position beyond the last word", (2, 2, 7), 1, lambda length, u: length - u, 5, gradient=True),
        case("a sentence of one word", (2, 1, 4), 2, between, among=(1, ALL)),
        case("scores near 800", (1, 3, 8), 2, word, 5, far=800.0),
        case("scores near -60", (1, 3, 8), 2, word, 5, far=-60.0),
        case("a wide window", (2, 2, 14), 5, between, 12),
        loud,
    ]


# The predicted position and its Gaussian


def _weights_stay_near(run: Call, case: Case) -> str | None:
    weights, positions = run(case)
    mask = window_mask(positions, case.inputs["valid_length"], weights.shape[-1], case.settings["D"])
    return weight_outside(weights, mask, "outside")


def _positions_in_the_sentence(run: Call, case: Case) -> str | None:
    _, positions = run(case)
    lengths = case.inputs["valid_length"][:, None]
    wrong = (positions < 0) | (positions > lengths)
    if not wrong.any():
        return None
    place = tuple(map(int, np.argwhere(wrong)[0]))
    return f"Position {place} is {positions[place]:.4g}, in a sentence of length {lengths[place[0], 0]}."


def _local_p_cases(rng: np.random.Generator) -> list[Case]:
    def case(
        note: str,
        typical: tuple[int, int, int],
        shortest: int,
        d_q: int,
        units: int,
        D: int,
        gradient: bool = False,
    ) -> Case:
        shape, (d_q, units) = draw_sizes(rng, *typical), draw_sizes(rng, d_q, units)
        batch, m, n = shape
        valid_length = draw_lengths(rng, n, batch, least=shortest)
        while True:
            queries = rng.normal(size=(batch, m, d_q))
            parameters = {
                "W_p": 1.5 * rng.normal(size=(units, d_q)) / np.sqrt(d_q),
                "v_p": 1.5 * rng.normal(size=(1, units)) / np.sqrt(units),
            }
            # A word enters or leaves the window where a position is whole: too close to call in float32.
            part = local_predictive(queries, np.zeros(shape), valid_length, D, **parameters)[1] % 1
            if ((part > 0.03) & (part < 0.97)).all():
                break
        inputs = {"queries": queries, "scores": 2 * rng.normal(size=shape), "valid_length": valid_length}
        return Case(note, inputs, {"d_q": d_q, "units": units, "D": D}, parameters, gradient=gradient)

    cases = [
        case("D = 1", (2, 3, 8), 5, 4, 6, 1, gradient=True),
        case("D = 2", (2, 4, 11), 9, 4, 3, 2),
        case("D = 3", (2, 3, 13), 10, 5, 7, 3, gradient=True),
        case("D = 5, a long sentence", (1, 5, 24), 20, 3, 8, 5),
        case("one query for each sentence", (3, 1, 9), 1, 6, 4, 2),
        case("a window wider than the sentence", (2, 2, 6), 2, 3, 5, int(rng.integers(9, 12))),
    ]
    loud = case("scores outside far above those inside", (2, 3, 8), 5, 4, 6, 1)
    scores, lengths = loud.inputs["scores"], loud.inputs["valid_length"]
    W_p, v_p = loud.parameters["W_p"], loud.parameters["v_p"]
    _, positions = local_predictive(loud.inputs["queries"], scores, lengths, 1, W_p, v_p)
    scores[~window_mask(positions, lengths, scores.shape[-1], 1)] += 1000
    return [*cases, loud]


POSITIONS = Output("positions", "(batch, num_queries)")

EXERCISES = (
    Exercise(
        name="luong_concat",
        title="The score called concat",
        statement="Write the score *concat* as a layer: a score for every query with every key.",
        conditions={
            "W_a.weight": "without a bias; the query comes first in the joined vector",
            "v_a.weight": "without a bias",
            "returns scores": r"$\mathbf{v}_a^\top \tanh(\mathbf{W}_a [\mathbf{q}; \mathbf{k}])$",
        },
        entry="LuongConcat",
        is_class=True,
        settings=(Argument("d_q", "int"), Argument("d_k", "int"), Argument("units", "int")),
        arguments=(QUERIES, Argument("keys", "(batch, num_keys, d_k)")),
        returns=(Output("scores", "(batch, num_queries, num_keys)", map=True),),
        parameters={
            "W_a": Parameter("W_a.weight", "(units, d_q + d_k)"),
            "v_a": Parameter("v_a.weight", "(1, units)"),
        },
        reference=concat_score,
        hints=(
            "For each pair, the query and the key stand one after the other in one longer vector.",
            "Give the queries an axis for the keys and repeat them along it; give the keys one for the "
            "queries. Only then can the two be joined along the features.",
            "[`queries.unsqueeze(2).expand(-1, -1, n, -1)` and `keys.unsqueeze(1).expand(-1, m, -1, -1)`, "
            "joined by `torch.cat(…, dim=-1)`.]{.torch} [In MXNet `repeat` or `broadcast_to`, and `nd.concat`.]{.mxnet} "
            "Then `W_a`, tanh, `v_a`, and the last axis is removed.",
        ),
        cases=_concat_cases,
        difficulty=3,
        minutes=15,
        points=2,
    ),
    Exercise(
        name="attentional_state",
        title="The attentional hidden state",
        statement="Write equation 5 of the paper, the attentional hidden state, as a layer.",
        conditions={
            "queries": "the decoder's states",
            "W_c.weight": "without a bias; the context comes first in the joined vector, then the decoder's state",
            "returns state": r"$\tanh(\mathbf{W}_c [\mathbf{c}; \mathbf{q}])$",
        },
        entry="AttentionalState",
        is_class=True,
        settings=(Argument("d_v", "int"), Argument("d_q", "int"), Argument("units", "int")),
        arguments=(Argument("context", "(batch, num_queries, d_v)"), QUERIES),
        returns=(Output("state", "(batch, num_queries, units)"),),
        parameters={"W_c": Parameter("W_c.weight", "(units, d_v + d_q)")},
        reference=attentional_state,
        hints=(
            "One layer without a bias, on two vectors that are joined.",
            "The order is part of the task: the context first, then the decoder's state.",
            "Join along the last axis, apply `W_c`, then tanh.",
        ),
        cases=_state_cases,
        difficulty=1,
        minutes=10,
        points=1,
    ),
    Exercise(
        name="window_weights",
        title="Softmax over a window",
        statement=(
            "Write the softmax over the words that lie within `D` of each query's position and inside the "
            "sentence."
        ),
        rules=("No loop over queries.", LOOP_IS_SHOWN),
        conditions={
            "scores": "may be near 800",
            "positions": (
                "words have the positions 0, 1, 2 and so on; a query's position may lie beyond the last word"
            ),
            "valid_length": "the words of each sentence",
            "D": "a word at this distance is inside",
            "returns weights": "exactly zero outside; all zero in a window without any word",
        },
        no_loop=True,
        entry="window_weights",
        arguments=(
            SCORES,
            Argument("positions", "(batch, num_queries), whole or real numbers"),
            LENGTH,
            Argument("D", "int"),
        ),
        returns=(WEIGHTS,),
        reference=window_weights,
        hints=(
            "A key counts if two things hold: it lies at most D away from the query's position, and it "
            "lies inside the sentence.",
            "Compute the distance of every key to every position, `(batch, num_queries, num_keys)`, and "
            "make one mask of the two conditions. Then it is the masked softmax, without a loop.",
            "`inside = (distance.abs() <= D) & (keys < length)`. Fill the scores outside with `-1e6`, "
            "take the softmax, and multiply by inside, so that a window without any word has weights of "
            "zero.",
        ),
        cases=_window_cases,
        properties=(
            Property("nothing outside the window or the sentence may get weight", _weights_stay_inside),
            Property("the weights of a window that holds a word must sum to 1", _window_rows_sum_to_one),
        ),
        difficulty=3,
        minutes=20,
        points=2,
    ),
    Exercise(
        name="local_predictive",
        title="A window that moves by itself",
        statement=(
            "Put it together: predict the position of each query, take the softmax over the window around it, "
            "multiply by the Gaussian. Return the weights and the positions."
        ),
        conditions={
            "D": "the σ of the Gaussian is `D / 2`",
            "valid_length": "the source's length $S$",
            "returns weights": "not divided again after the Gaussian",
            "returns positions": (
                r"$S \cdot \operatorname{sigmoid}(\mathbf{v}_p^\top \tanh(\mathbf{W}_p \mathbf{q}))$, real "
                "numbers"
            ),
            "W_p.weight": "without a bias",
            "v_p.weight": "without a bias",
        },
        builds_on=("global_local",),
        helpers=("window_weights",),
        entry="LocalPredictive",
        is_class=True,
        settings=(Argument("d_q", "int"), Argument("units", "int"), Argument("D", "int")),
        arguments=(QUERIES, SCORES, LENGTH),
        returns=(WEIGHTS, POSITIONS),
        parameters={
            "W_p": Parameter("W_p.weight", "(units, d_q)"),
            "v_p": Parameter("v_p.weight", "(1, units)"),
        },
        reference=local_predictive,
        hints=(
            "Three parts come one after the other: the position, the window, the Gaussian. You have "
            "written the second one already.",
            "The position is the length of the sentence times a sigmoid of `v_p` of the tanh of `W_p` of "
            "the query. The Gaussian has a standard deviation of `D / 2`.",
            "The weights are those of the window, times `exp(-distance**2 / (2 * sigma**2))`, and are not "
            "divided by their sum again. The positions lose their last axis when they are returned.",
        ),
        cases=_local_p_cases,
        properties=(
            Property("a position must lie between 0 and the sentence's length", _positions_in_the_sentence),
            Property("nothing outside the window or the sentence may get weight", _weights_stay_near),
        ),
        difficulty=4,
        minutes=30,
        points=3,
    ),
)
