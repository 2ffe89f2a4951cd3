"""Exercises on asking what the attention of a classifier explains."""

import numpy as np

from autograder.model.exercise import Argument, Call, Case, Exercise, Output, Property
from exercises.shared import ALL, LOOP_IS_SHOWN, draw_lengths, draw_sizes
from solutions.explanation.in_numpy import change_when_permuted, leave_one_out
from solutions.masked_softmax.in_numpy import softmax

LENGTH = Argument("valid_length", "(batch,), each at least 1")
SCORES = Argument("scores", "(batch, num_steps)")
VOTES = Argument("votes", "(batch, num_steps)")


def _valid(num_steps: int, valid_length: np.ndarray) -> np.ndarray:
    return np.asarray(np.arange(num_steps) < valid_length[:, None])


# Leaving out


def _padding_is_worth_nothing(run: Call, case: Case) -> str | None:
    (importance,) = run(case)
    beyond = np.where(_valid(importance.shape[1], case.inputs["valid_length"]), 0, np.abs(importance))
    if (beyond <= 1e-9).all():
        return None
    row, step = map(int, np.unravel_index(int(beyond.argmax()), beyond.shape))
    return f"Step {step} of review {row} is padding, and has {importance[row, step]:.4g}."


def _with_a_loud_step(case: Case) -> Case:
    """Return the same with one step in each review 1000 above the rest, so that it has all the weight."""
    case.inputs["scores"][:, 1] += 1000
    return case


def _leaving_cases(rng: np.random.Generator) -> list[Case]:
    def case(
        note: str,
        typical: tuple[int, int],
        among: tuple[int, ...] = (),
        size: float = 1.0,
        shift: float = 0.0,
        gradient: bool = False,
    ) -> Case:
        shape = draw_sizes(rng, *typical)
        # With larger differences, a step would have no weight that double precision can add.
        scores = np.clip(size * rng.normal(size=shape), -12, 12) + shift
        # No vote is near 0, so that every step has something to say.
        votes = rng.uniform(0.5, 3, size=shape) * rng.choice([-1, 1], size=shape)
        lengths = draw_lengths(rng, shape[1], shape[0], least=2, among=among)
        return Case(note, {"scores": scores, "votes": votes, "valid_length": lengths}, gradient=gradient)

    whole = case("no padding", (2, 4))
    whole.inputs["valid_length"][:] = whole.inputs["scores"].shape[1]
    return [
        case("ragged lengths", (2, 6), gradient=True),
        case("the extremes: two steps, and all of them", (3, 7), (2, ALL), gradient=True),
        case("a review of a single step", (3, 5), (1,), gradient=True),
        whole,
        case("scores far from 0", (4, 6), shift=8.0),
        case("scores in the tens", (2, 5), size=15.0),
        case("one review", (1, 8)),
        _with_a_loud_step(case("a step that scores far above the rest", (3, 6))),
    ]


# Permuting


def _permuting_cases(rng: np.random.Generator) -> list[Case]:
    def case(
        note: str,
        typical: tuple[int, int],
        num_orders: int,
        among: tuple[int, ...] = (),
        size: float = 1.5,
        gradient: bool = False,
    ) -> Case:
        batch, num_steps, num_orders = draw_sizes(rng, *typical, num_orders)
        lengths = draw_lengths(rng, num_steps, batch, least=4, among=among)
        mask = _valid(num_steps, lengths)
        weights = softmax(np.where(mask, rng.normal(size=mask.shape), -np.inf))
        votes = size * rng.normal(size=mask.shape)
        orders = np.tile(np.arange(num_steps), (num_orders, batch, 1))
        for k in range(num_orders):
            for row, length in enumerate(lengths):
                orders[k, row, :length] = rng.permutation(length)
        return Case(note, {"weights": weights, "votes": votes, "orders": orders}, gradient=gradient)

    return [
        case("more orders than reviews", (2, 6), 3, gradient=True),
        case("the extremes: one step, and all of them", (3, 7), 5, (1, ALL), gradient=True),
        case("one order", (3, 6), 1),
        case("as many orders as reviews", (3, 5), 3),
        case("votes far from 0", (2, 8), 4, size=5.0),
        case("one review", (1, 9), 6),
    ]


EXERCISES = (
    Exercise(
        name="leave_one_out",
        title="The importance of each step",
        statement=(
            "Compute the verdict minus the verdict without a step, for each step of each review, without a "
            "loop over the steps. Without a step the weights of the others are computed anew, so that they "
            "sum to 1."
        ),
        rules=(LOOP_IS_SHOWN,),
        conditions={
            "returns importance": "exactly 0 for padding; where no step is left, the verdict is 0",
            "the verdict": (
                "the sum of the votes, each times its weight; the weights are the softmax of the scores of "
                "the valid steps"
            ),
        },
        no_loop=True,
        entry="leave_one_out",
        arguments=(SCORES, VOTES, LENGTH),
        returns=(Output("importance", "(batch, num_steps)", exact_zeros=True),),
        reference=leave_one_out,
        hints=(
            "Without step i the softmax is over the other steps. It is a masked softmax in which step i is "
            "masked as well.",
            "Make one row for each step that is left out: an array `(batch, num_steps, num_steps)` in "
            "which row i hides step i and the padding.",
            "Row i of the mask is true at the valid steps except step i. Softmax over the last axis, times "
            "the votes, summed: the verdict without step i. Padding has an importance of 0.",
        ),
        cases=_leaving_cases,
        properties=(Property("the importance of padding must be 0", _padding_is_worth_nothing),),
        difficulty=4,
        minutes=30,
        points=3,
    ),
    Exercise(
        name="change_when_permuted",
        title="Permute the weights",
        statement=(
            "Compute how far the probability of praise moves when the weights are permuted and the votes "
            "stay, as a mean over several orders."
        ),
        conditions={
            "orders": "step t takes the weight of step `orders[k, b, t]`",
            "returns change": "the mean of the absolute differences",
            "the probability": "the sigmoid of the sum of the votes, each times its weight",
        },
        entry="change_when_permuted",
        arguments=(
            Argument("weights", "(batch, num_steps)"),
            VOTES,
            Argument("orders", "(num_orders, batch, num_steps), integers"),
        ),
        returns=(Output("change", "(batch,)"),),
        reference=change_when_permuted,
        hints=(
            "Each vote stays at its step, and the weights change their places.",
            "For each order, gather the weights in that order, and compute the verdict and its sigmoid "
            "again.",
            "The mean over the orders is of the absolute changes of the probability. First the absolute "
            "value, then the mean.",
        ),
        cases=_permuting_cases,
        difficulty=3,
        minutes=20,
        points=3,
    ),
)
