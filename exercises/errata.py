"""Exercises on what the sources get wrong, and on what only looks wrong."""

import numpy as np

from autograder.frameworks import library_attention
from autograder.model.exercise import Argument, Call, Case, Exercise, Output, Property
from exercises.shared import draw_sizes
from solutions.errata.in_numpy import Letters, claims_that_hold, mended_attention, wrong_lines

QUESTIONS = ("normaliser", "shift", "bias", "scale", "mask", "order", "base")
CLAIMS = ("twelve", "variance", "concat", "symmetric", "length", "window", "million", "bounded")


def _equal_words_keep_their_value(run: Call, case: Case) -> str | None:
    """Check that where all words are the same, every context is the one value, whatever the weights."""
    embeddings = np.repeat(case.inputs["embeddings"][:, :1], case.inputs["embeddings"].shape[1], axis=1)
    (got,) = run(Case(case.note, {**case.inputs, "embeddings": embeddings}))
    expected = embeddings @ case.inputs["W_v"].T
    gap = np.abs(got - expected)
    if gap.max() < 1e-3:
        return None
    place = tuple(map(int, np.unravel_index(int(gap.argmax()), gap.shape)))
    return (
        f"With one word repeated the context at {place} is {got[place]:.4f}; "
        f"the word's value is {expected[place]:.4f}."
    )


def _cases(rng: np.random.Generator) -> list[Case]:
    def case(note: str, *typical: int, gradient: bool = False) -> Case:
        batch, num_words, width, d_k, d_v = draw_sizes(rng, *typical)
        inputs = {
            "embeddings": rng.normal(size=(batch, num_words, width)),
            "W_q": 1.4 * rng.normal(size=(d_k, width)) / width**0.5,
            "W_k": 1.4 * rng.normal(size=(d_k, width)) / width**0.5,
            "W_v": rng.normal(size=(d_v, width)),
        }
        return Case(note, inputs, gradient=gradient)

    return [
        case("an embedding wider than a key", 2, 4, 6, 3, 5, gradient=True),
        case("a key wider than the embedding", 2, 5, 3, 7, 2, gradient=True),
        case("more words than numbers in an embedding", 1, 8, 5, 2, 4),
        case("more sentences than words", 3, 2, 9, 4, 6),
    ]


def _orders(argument: str, names: Letters, rng: np.random.Generator) -> list[Case]:
    """Return all names, in three orders, so that no verdict tells which one is wrong."""
    return [
        Case("in the order of the chapter", {argument: names}),
        Case("in the opposite order", {argument: names[::-1]}),
        Case("in an order drawn anew", {argument: tuple(map(str, rng.permutation(names)))}),
    ]


def _cases_of_lines(rng: np.random.Generator) -> list[Case]:
    return _orders("questions", QUESTIONS, rng)


def _cases_of_claims(rng: np.random.Generator) -> list[Case]:
    return _orders("claims", CLAIMS, rng)


EXERCISES = (
    Exercise(
        name="claims_that_hold",
        title="Which claims hold",
        statement=(
            "The table below names eight claims about the sources and about attention. Measure, and say of each "
            "whether it is true."
        ),
        conditions={
            "returns answers": "in the order in which `claims` has the names",
        },
        entry="claims_that_hold",
        arguments=(Argument("claims", "tuple of the eight names, in any order"),),
        returns=(Output("answers", "a tuple with True or False for each claim", plain=True),),
        reference=claims_that_hold,
        cases=_cases_of_claims,
        difficulty=3,
        minutes=20,
        points=2,
    ),
    Exercise(
        name="mended_attention",
        title="The scale, mended",
        statement="The Keras notebook prints self-attention with a wrong scale: it divides the scores by the width of the embeddings. Write the right version.",
        rules=("Do not call the library's own attention.",),
        conditions={
            "embeddings": "each word attends to all words",
            "W_k": (
                r"stands as in the Keras notebook, and so do the others: a key is $\mathbf W_k$ times an "
                "embedding"
            ),
        },
        entry="mended_attention",
        arguments=(
            Argument("embeddings", "(batch, num_words, D)"),
            Argument("W_q", "(d_k, D)"),
            Argument("W_k", "(d_k, D)"),
            Argument("W_v", "(d_v, D)"),
        ),
        returns=(Output("context", "(batch, num_words, d_v)"),),
        reference=mended_attention,
        hints=(
            "What has to be divided is what goes into the softmax. By what?",
            "Dot products of random vectors of `d_k` entries have a standard deviation of the root of `d_k`.",
            "`scores / sqrt(keys.shape[-1])`, before the softmax. The matrices stand on the left of an "
            "embedding, so with embeddings as rows they are transposed: embeddings times `W_k.T`.",
        ),
        cases=_cases,
        properties=(
            Property(
                "a sentence of one repeated word must keep that word's value", _equal_words_keep_their_value
            ),
        ),
        forbidden=library_attention(),
        difficulty=2,
        minutes=10,
        points=2,
    ),
    Exercise(
        name="wrong_lines",
        title="Which of three is wrong, if any",
        statement=(
            "For each question below, at most one of three lines does not do what the question asks. "
            'Answer with its letter, or with `"none"`.'
        ),
        rules=("Try the lines on small numbers before you answer.",),
        entry="wrong_lines",
        arguments=(Argument("questions", "tuple of the seven names, in any order"),),
        returns=(Output("letters", 'a tuple with "a", "b", "c" or "none" for each question', plain=True),),
        reference=wrong_lines,
        cases=_cases_of_lines,
        difficulty=3,
        minutes=25,
        points=2,
    ),
)
