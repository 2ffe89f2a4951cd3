"""Exercises on soft and hard attention (Xu et al. 2015)."""

import numpy as np

from autograder.model.exercise import Argument, Call, Case, Exercise, Output, Property
from exercises.shared import draw_sizes
from solutions.masked_softmax.in_numpy import softmax
from solutions.soft_hard.in_numpy import (
    doubly_stochastic_penalty,
    kind_of_attention,
    reinforce_loss,
    soft_context,
)

Array = np.ndarray

SCORES = Argument("scores", "(batch, num_patches)")


# The expected patch


def _weights_sum_to_one(run: Call, case: Case) -> str | None:
    sums = run(case)[1].astype(np.float64).sum(axis=-1)
    if np.allclose(sums, 1, atol=1e-3):
        return None
    row = int(np.argwhere(~np.isclose(sums, 1, atol=1e-3))[0, 0])
    return f"Those of image {row} sum to {sums[row]:.4f}."


def _context_inside(run: Call, case: Case) -> str | None:
    context, features = run(case)[0], case.inputs["features"]
    slack = 1e-3 * (1 + np.abs(features).max(axis=1))
    outside = (context < features.min(axis=1) - slack) | (context > features.max(axis=1) + slack)
    if not outside.any():
        return None
    place = tuple(map(int, np.argwhere(outside)[0]))
    return f"Entry {place} is {context[place]:.4g}."


def _soft_cases(rng: np.random.Generator) -> list[Case]:
    def case(note: str, *typical: int, shift: float = 0.0, gradient: bool = False) -> Case:
        batch, n, d = draw_sizes(rng, *typical)
        inputs = {
            "features": rng.normal(size=(batch, n, d)),
            "scores": 1.5 * rng.normal(size=(batch, n)) + shift,
        }
        return Case(note, inputs, gradient=gradient)

    return [
        case("all sizes different", 3, 5, 7, gradient=True),
        case("as many patches as features", 2, 4, 4, gradient=True),
        case("as many images as patches", 5, 5, 3),
        case("one image", 1, 6, 2),
        case("a single patch", 2, 1, 5),
        case("as many patches as a canvas has", 2, 25, 4),
        case("scores near 800", 2, 5, 3, shift=800.0),
    ]


# REINFORCE


def _reinforce_cases(rng: np.random.Generator) -> list[Case]:
    def case(
        note: str, batch: int, n: int, baseline: float, size: float = 1.0, gradient: bool = False
    ) -> Case:
        batch, n = draw_sizes(rng, batch, n)
        baseline = round(baseline * float(rng.uniform(0.9, 1.1)), 3)
        # Log probabilities, as in the paper: negative, and not all on one side of the baseline.
        rewards = tuple(
            float(r) for r in np.round(baseline + rng.uniform(0.3, 1.5, batch) * _signs(rng, batch), 3)
        )
        inputs = {
            "scores": size * rng.normal(size=(batch, n)),
            "index": rng.integers(n, size=batch),
            "rewards": rewards,
            "baseline": baseline,
        }
        return Case(note, inputs, gradient=gradient)

    def unlikely(note: str, batch: int, n: int, baseline: float) -> Case:
        """Far less than what is added to a weight so that it has a logarithm, and more than the least float."""
        far = case(note, batch, n, baseline)
        np.put_along_axis(far.inputs["scores"], far.inputs["index"][:, None], -60.0, axis=1)
        return far

    return [
        case("more patches than images", 3, 5, -1.75, gradient=True),
        case("as many images as patches", 4, 4, -1.5, gradient=True),
        case("one image", 1, 6, -2.25, gradient=True),
        case("as many patches as a canvas has", 5, 25, -1.25),
        case("a baseline of zero", 2, 5, 0.0),
        case("a baseline that is not negative", 4, 3, 0.625),
        case("scores far apart", 3, 5, -1.75, size=6.0),
        unlikely("drawn patches of nearly no weight", 4, 6, -1.5),
    ]


def _signs(rng: np.random.Generator, count: int) -> Array:
    """Draw signs, half of them positive."""
    return rng.permutation(np.where(np.arange(count) % 2, -1.0, 1.0))


# The doubly stochastic penalty


def _penalty_cases(rng: np.random.Generator) -> list[Case]:
    def case(note: str, *typical: int, gradient: bool = False) -> Case:
        shape = draw_sizes(rng, *typical)
        return Case(note, {"weights": softmax(1.5 * rng.normal(size=shape))}, gradient=gradient)

    return [
        case("all sizes different", 2, 3, 5, gradient=True),
        case("more steps than patches", 3, 7, 4, gradient=True),
        case("as many steps as patches", 2, 6, 6),
        case("one step", 4, 1, 3),
        case("one image of many patches", 1, 4, 25),
    ]


# Which kind


def _kind_cases(rng: np.random.Generator) -> list[Case]:
    notes = {
        "global": "every word is weighed",
        "local-m": "a window around t is weighed",
        "local-p": "a window around a predicted position is weighed",
        "weighted patches": "every patch is weighed",
        "sampled patch": "one patch is drawn from the weights",
        "best patch": "the patch of largest weight is taken alone",
    }
    return [Case(f"{name}: {note}", {"mechanism": name}) for name, note in notes.items()]


EXERCISES = (
    Exercise(
        name="soft_context",
        title="The expected patch",
        statement="Write soft attention over the patches of each image. Return the context and the weights.",
        entry="soft_context",
        arguments=(Argument("features", "(batch, num_patches, d)"), SCORES),
        returns=(Output("context", "(batch, d)"), Output("weights", "(batch, num_patches)", map=True)),
        reference=soft_context,
        hints=(
            "The scores become weights by a softmax over the patches.",
            "The context of an image is the sum of its patches' features, each times its weight.",
            "Give the weights a last axis of size 1, multiply by the features, and add up over the axis "
            "of the patches.",
        ),
        cases=_soft_cases,
        properties=(
            Property("the weights of an image must sum to 1", _weights_sum_to_one),
            Property("the context must lie between the smallest and the largest feature", _context_inside),
        ),
        difficulty=1,
        minutes=10,
        points=1,
    ),
    Exercise(
        name="reinforce_loss",
        title="A gradient through a choice",
        statement=r"Write the loss above, $-(r_s - b) \log \alpha_s$, where $s$ is the patch that was drawn.",
        conditions={
            "scores": r"their softmax over the patches is $\alpha$",
            "index": "given as an argument: sample nothing",
            "rewards": "$r_s$",
            "baseline": "$b$",
            "returns loss": "one number for each image",
        },
        entry="reinforce_loss",
        arguments=(
            SCORES,
            Argument("index", "(batch,), the patches that were drawn"),
            Argument("rewards", "a tuple, one number for each image"),
            Argument("baseline", "float"),
        ),
        returns=(Output("loss", "(batch,)"),),
        reference=reinforce_loss,
        hints=(
            "The gradient goes through the logarithm of the chosen patch's weight, and through nothing else.",
            "Take the log-softmax of the scores and, for each image, the entry of the patch that was drawn.",
            "The loss is minus (reward - baseline) times the logarithm of the weight of the drawn patch. "
            "The rewards are plain numbers: make an array of them, which carries no gradient.",
        ),
        cases=_reinforce_cases,
        difficulty=3,
        minutes=20,
        points=3,
    ),
    Exercise(
        name="doubly_stochastic_penalty",
        title="Look everywhere once",
        statement=r"Write the sum over the patches in equation 14 of the paper, the doubly stochastic term above, without $\lambda$, for each image of a batch.",
        entry="doubly_stochastic_penalty",
        arguments=(Argument("weights", "(batch, num_steps, num_patches)"),),
        returns=(Output("penalty", "(batch,)"),),
        reference=doubly_stochastic_penalty,
        hints=(
            "Which axis holds the patches and which the words? The weights of one word sum to 1 already.",
            "Add up, for each patch, the weights that all words give it. The penalty is how far that sum "
            "is from 1, squared.",
            "Square 1 minus the sum over the words, and add up over the patches; one number for each image.",
        ),
        cases=_penalty_cases,
        difficulty=2,
        minutes=10,
        points=1,
    ),
    Exercise(
        name="kind_of_attention",
        title="Soft or hard",
        statement=(
            'Return `"soft"` if backpropagation alone trains the mechanism, and `"hard"` if its choice needs '
            "an estimator such as REINFORCE."
        ),
        conditions={
            "mechanism": "one of the names below",
            '`"global"`': "all words",
            '`"local-m"`': "the window around $t$",
            '`"local-p"`': "the window around a predicted position with its Gaussian",
            '`"weighted patches"`': "all patches, by their weights",
            '`"sampled patch"`': "one patch, drawn by its weight",
            '`"best patch"`': "the one of largest weight taken alone",
        },
        entry="kind_of_attention",
        arguments=(Argument("mechanism", "str"),),
        returns=(Output("kind", '"soft" or "hard"', plain=True),),
        reference=kind_of_attention,
        cases=_kind_cases,
        difficulty=1,
        minutes=5,
        points=1,
    ),
)
