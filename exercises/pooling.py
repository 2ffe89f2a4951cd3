"""Exercises on feed-forward attention pooling."""

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
    draw_lengths,
    draw_sizes,
)
from solutions.pooling.in_numpy import (
    feed_forward_pooling,
    guarded_pooling_weights,
    largest_pooling_weight,
)

MASK = Argument("mask", "(batch, num_steps), true where a step counts")
WEIGHTS = Output("weights", "(batch, num_steps)", exact_zeros=True, map=True)


def _no_weight_on_masked_steps(run: Call, case: Case) -> str | None:
    weights = run(case)[-1]
    mask = case.inputs["mask"]
    masked = np.zeros(weights.shape) if mask is None else np.where(mask, 0, np.abs(weights))
    if (masked <= 1e-9).all():
        return None
    row, step = map(int, np.unravel_index(int(masked.argmax()), masked.shape))
    return f"Sequence {row} gives its masked step {step} a weight of {masked[row, step]:.4g}."


def _weights_share_a_whole(run: Call, case: Case) -> str | None:
    weights = run(case)[-1]
    mask = case.inputs["mask"]
    whole = np.ones(len(weights)) if mask is None else mask.any(axis=1).astype(np.float64)
    sums = weights.astype(np.float64).sum(axis=1)
    wrong = np.flatnonzero(np.abs(sums - whole) > 1e-3)
    if not len(wrong):
        return None
    row = int(wrong[0])
    return f"The weights of sequence {row} sum to {sums[row]:.4f} and must sum to {whole[row]:.0f}."


PROPERTIES = (
    Property("a masked step must get no weight", _no_weight_on_masked_steps),
    Property("the weights of a sequence with valid steps must sum to 1", _weights_share_a_whole),
)


def _until(lengths: np.ndarray, num_steps: int) -> np.ndarray:
    return np.arange(num_steps) < lengths[:, None]


def _mask(
    rng: np.random.Generator, shape: tuple[int, ...], masked: str, among: tuple[int, ...]
) -> np.ndarray | None:
    """Return which steps count, (batch, num_steps): up to a length ("end"), or "anywhere"; else no mask."""
    rows, steps = shape[:2]
    if masked == "end":
        return _until(draw_lengths(rng, steps, rows, among=among), steps)
    if masked == "anywhere":
        return rng.permuted(np.tile(np.arange(steps) % 2 == 0, (rows, 1)), axis=1)
    return None


def _pooling_cases(rng: np.random.Generator) -> list[Case]:
    def case(
        note: str,
        typical: tuple[int, int, int],
        masked: str = "end",
        among: tuple[int, ...] = (),
        gradient: bool = False,
    ) -> Case:
        shape = draw_sizes(rng, *typical)
        # Scores have a spread of 1.5 whatever the number of features: far from flat, not saturated.
        score = rng.normal(size=(1, shape[2]))
        score *= 1.5 / np.linalg.norm(score)
        inputs = {"X": rng.normal(size=shape), "mask": _mask(rng, shape, masked, among)}
        return Case(note, inputs, {"features": shape[2]}, {"score": score}, gradient=gradient)

    loud = case("masked steps that score far above the rest", (2, 6, 4))
    score = loud.parameters["score"]
    # Each masked step stands far above the one before: float32 has few digits there.
    beyond = np.cumsum(~loud.inputs["mask"], axis=1)
    loud.inputs["X"][:] += 1000 * beyond[..., None] * score / (score**2).sum()
    return [
        case("no mask", (2, 5, 4), "", gradient=True),
        case("ragged lengths", (3, 6, 4), gradient=True),
        case("one sequence without any valid step", (3, 4, 5), among=(0,), gradient=True),
        case("masked steps in between", (2, 7, 3), "anywhere"),
        case("the extremes: one valid step, and all of them", (4, 5, 2), among=(1, ALL)),
        case("a longer sequence", (1, 12, 3)),
        case("as many steps as features and sequences", (4, 4, 4)),
        case("a single step", (3, 1, 6), among=(0,)),
        loud,
    ]


def _guard_cases(rng: np.random.Generator) -> list[Case]:
    def case(
        note: str,
        typical: tuple[int, int],
        epsilon: float,
        masked: str = "end",
        among: tuple[int, ...] = (),
        size: float = 1.0,
        gradient: bool = False,
    ) -> Case:
        shape = draw_sizes(rng, *typical)
        if epsilon > 0.1:
            epsilon = round(epsilon * float(rng.uniform(0.9, 1.1)), 3)
        mask = _mask(rng, shape, masked, among)
        return Case(
            note,
            {"scores": size * rng.normal(size=shape), "mask": mask, "epsilon": epsilon},
            gradient=gradient,
        )

    return [
        case("an epsilon that can be seen", (2, 5), 0.25, gradient=True),
        case("an epsilon too small to be seen", (3, 6), 1e-10, gradient=True),
        case("a row without valid steps", (3, 4), 0.125, among=(0, ALL), gradient=True),
        case("a row without valid steps, and a small epsilon", (2, 7), 1e-10, among=(0,)),
        case("masked steps in between", (2, 4), 0.5, "anywhere"),
        case("scores in the tens", (3, 5), 1e-10, size=20.0),
        case("a single step, and an epsilon above its exponential", (2, 1), 3.5, among=(0,)),
    ]


def _ceiling_cases(rng: np.random.Generator) -> list[Case]:
    typical = (
        ("the published bound and some 100 steps", 100, 1, 100),
        ("a few steps", 2, 1, 4),
        ("a wider bound", 30, 3, 40),
        ("a long document", 10_000, 2, 5000),
        ("a single step", 1, 1, 4),
    )
    return [
        Case(note, {"num_steps": draw_sizes(rng, steps, spread=spread)[0], "bound": bound})
        for note, steps, bound, spread in typical
    ]


EXERCISES = (
    Exercise(
        name="feed_forward_pooling",
        title="Pool a sequence of any length",
        statement=(
            "Write a layer that scores every step with one learned row, takes the softmax over the steps that "
            "count, and returns the weighted sum of the steps together with the weights."
        ),
        conditions={
            "mask": "with `None` every step counts",
            "returns context": "zero for a sequence without valid steps",
            "returns weights": "zero for a sequence without valid steps",
            "score.weight": "the only parameter: no bias, and nothing whose size depends on `num_steps`",
        },
        entry="FeedForwardPooling",
        is_class=True,
        settings=(Argument("features", "int"),),
        arguments=(
            Argument("X", "(batch, num_steps, features)"),
            Argument("mask", "None or (batch, num_steps), true where a step counts"),
        ),
        returns=(Output("context", "(batch, features)"), WEIGHTS),
        parameters={"score": Parameter("score.weight", "(1, features)")},
        reference=feed_forward_pooling,
        hints=(
            "A layer with one output and no bias scores every step. The rest is a softmax over the steps "
            "and a weighted sum.",
            "Steps that do not count must not get weight, and a mask of `None` lets every step count. A "
            "row in which no step counts has weights of zero.",
            "Fill the masked scores with the smallest number of their type, take the softmax over the "
            "steps, multiply by the mask; the context is the sum over the steps of weight times step.",
        ),
        cases=_pooling_cases,
        properties=PROPERTIES,
        difficulty=2,
        minutes=20,
        points=3,
    ),
    Exercise(
        name="largest_pooling_weight",
        title="The sharpest weight that a bound allows",
        statement=(
            "Predict the largest weight that the softmax can give to one of `num_steps` steps. Nothing is "
            "masked."
        ),
        rules=("A formula is enough; no framework is needed.",),
        conditions={
            "bound": "every score lies between `-bound` and `bound`",
        },
        entry="largest_pooling_weight",
        arguments=(Argument("num_steps", "int"), Argument("bound", "int")),
        returns=(Output("weight", "a float", plain=True),),
        reference=largest_pooling_weight,
        hints=(
            "One step gets the largest weight when its score is as large as it can be. What are the "
            "others' scores then?",
            "Write the softmax of one score of bound and `num_steps - 1` scores of `-bound`.",
            "Divide numerator and denominator by `exp(-bound)`: what is left of the numerator is `exp(2 * "
            "bound)`.",
        ),
        cases=_ceiling_cases,
        difficulty=2,
        minutes=10,
        points=1,
    ),
    Exercise(
        name="guarded_pooling_weights",
        title="Correct a normaliser",
        statement=(
            r"Correct the normaliser of the function above. Its published scores $\exp(\tanh(\cdot))$ are right: "
            "keep them."
        ),
        conditions={
            "returns weights": "exactly zero for a masked step; all zeros in a row without valid steps",
        },
        entry="guarded_pooling_weights",
        arguments=(
            Argument("scores", "(batch, num_steps)"),
            MASK,
            Argument("epsilon", "float above 0, added to each row's sum"),
        ),
        returns=(WEIGHTS,),
        reference=guarded_pooling_weights,
        hints=(
            "In Python a division comes before an addition.",
            "Epsilon is meant for the sum in the denominator, and not for the weights.",
            "Put the sum and epsilon in one pair of parentheses.",
        ),
        cases=_guard_cases,
        properties=PROPERTIES[:1],
        difficulty=1,
        minutes=10,
        points=1,
    ),
)
