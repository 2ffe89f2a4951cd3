"""Exercises on what the sources get wrong, and on what only looks wrong."""

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
from exercises.shared import draw_sizes
from solutions.errata.in_numpy import (
    CLAIMS,
    WRONG_LINES,
    Answers,
    Letters,
    claims_that_hold,
    mended_attention,
    wrong_lines,
)


def _with_scale(
    embeddings: np.ndarray, W_q: np.ndarray, W_k: np.ndarray, W_v: np.ndarray, divisor: float
) -> np.ndarray:
    return mended_attention(embeddings, W_q * np.sqrt(W_k.shape[0]) / divisor, W_k, W_v)


def _projected(
    embeddings: np.ndarray, W_q: np.ndarray, W_k: np.ndarray, W_v: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Scores, scaled, and values."""
    queries, keys = embeddings @ W_q.T, embeddings @ W_k.T
    return queries @ keys.swapaxes(1, 2) / np.sqrt(W_k.shape[0]), embeddings @ W_v.T


def _softmax(scores: np.ndarray, axis: int = -1) -> np.ndarray:
    exps = np.exp(scores - scores.max(axis=axis, keepdims=True))
    return np.asarray(exps / exps.sum(axis=axis, keepdims=True))


def divided_by_the_embedding_width(
    embeddings: np.ndarray, W_q: np.ndarray, W_k: np.ndarray, W_v: np.ndarray
) -> np.ndarray:
    return _with_scale(embeddings, W_q, W_k, W_v, W_q.shape[1])


def divided_by_the_root_of_the_embedding_width(
    embeddings: np.ndarray, W_q: np.ndarray, W_k: np.ndarray, W_v: np.ndarray
) -> np.ndarray:
    return _with_scale(embeddings, W_q, W_k, W_v, np.sqrt(W_q.shape[1]))


def divided_by_the_key_width(
    embeddings: np.ndarray, W_q: np.ndarray, W_k: np.ndarray, W_v: np.ndarray
) -> np.ndarray:
    return _with_scale(embeddings, W_q, W_k, W_v, W_k.shape[0])


def not_divided(embeddings: np.ndarray, W_q: np.ndarray, W_k: np.ndarray, W_v: np.ndarray) -> np.ndarray:
    return _with_scale(embeddings, W_q, W_k, W_v, 1)


def divided_after_the_softmax(
    embeddings: np.ndarray, W_q: np.ndarray, W_k: np.ndarray, W_v: np.ndarray
) -> np.ndarray:
    return not_divided(embeddings, W_q, W_k, W_v) / np.sqrt(W_k.shape[0])


def divided_by_the_number_of_words(
    embeddings: np.ndarray, W_q: np.ndarray, W_k: np.ndarray, W_v: np.ndarray
) -> np.ndarray:
    return _with_scale(embeddings, W_q, W_k, W_v, np.sqrt(embeddings.shape[1]))


def each_score_alone(embeddings: np.ndarray, W_q: np.ndarray, W_k: np.ndarray, W_v: np.ndarray) -> np.ndarray:
    scores, values = _projected(embeddings, W_q, W_k, W_v)
    return np.ones_like(scores) @ values


def softmax_over_the_asking_words(
    embeddings: np.ndarray, W_q: np.ndarray, W_k: np.ndarray, W_v: np.ndarray
) -> np.ndarray:
    scores, values = _projected(embeddings, W_q, W_k, W_v)
    return _softmax(scores, axis=1) @ values


def only_the_words_so_far(
    embeddings: np.ndarray, W_q: np.ndarray, W_k: np.ndarray, W_v: np.ndarray
) -> np.ndarray:
    scores, values = _projected(embeddings, W_q, W_k, W_v)
    return _softmax(np.where(np.tri(scores.shape[1], dtype=bool), scores, -np.inf)) @ values


def _equal_words_keep_their_value(run: Call, case: Case) -> str | None:
    """Where all words are the same, every context is the one value, whatever the weights."""
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


def _instead(answers: Letters, questions: Letters, question: str, letter: str) -> Letters:
    return tuple(letter if q == question else a for q, a in zip(questions, answers, strict=True))


def guard_outside_the_division_passed(questions: Letters) -> Letters:
    return _instead(wrong_lines(questions), questions, "normaliser", "c")


def shift_by_one_number_for_all_suspected(questions: Letters) -> Letters:
    return _instead(wrong_lines(questions), questions, "shift", "b")


def bias_of_the_keys_suspected(questions: Letters) -> Letters:
    return _instead(wrong_lines(questions), questions, "bias", "b")


def bias_of_the_values_suspected(questions: Letters) -> Letters:
    return _instead(wrong_lines(questions), questions, "bias", "c")


def fourth_roots_suspected(questions: Letters) -> Letters:
    return _instead(wrong_lines(questions), questions, "scale", "c")


def late_mask_suspected(questions: Letters) -> Letters:
    return _instead(wrong_lines(questions), questions, "mask", "a")


def permuted_queries_suspected(questions: Letters) -> Letters:
    return _instead(wrong_lines(questions), questions, "order", "b")


def powers_of_two_suspected(questions: Letters) -> Letters:
    return _instead(wrong_lines(questions), questions, "base", "b")


def log_sum_suspected(questions: Letters) -> Letters:
    return _instead(wrong_lines(questions), questions, "base", "c")


def _other(answers: Answers, claims: Letters, claim: str) -> Answers:
    return tuple((not a) if c == claim else a for c, a in zip(claims, answers, strict=True))


def last_digit_believed(claims: Letters) -> Answers:
    return _other(claims_that_hold(claims), claims, "twelve")


def spread_taken_for_the_dimension(claims: Letters) -> Answers:
    return _other(claims_that_hold(claims), claims, "variance")


def concatenation_taken_for_another_score(claims: Letters) -> Answers:
    return _other(claims_that_hold(claims), claims, "concat")


def symmetric_score_taken_for_symmetric_weights(claims: Letters) -> Answers:
    return _other(claims_that_hold(claims), claims, "symmetric")


def scores_taken_for_parameters(claims: Letters) -> Answers:
    return _other(claims_that_hold(claims), claims, "length")


def centre_not_counted(claims: Letters) -> Answers:
    return _other(claims_that_hold(claims), claims, "window")


def large_negative_never_trusted(claims: Letters) -> Answers:
    return _other(claims_that_hold(claims), claims, "million")


def bound_forgotten(claims: Letters) -> Answers:
    return _other(claims_that_hold(claims), claims, "bounded")


def _orders(argument: str, names: Letters, rng: np.random.Generator) -> list[Case]:
    """All names, in three orders, so that no verdict tells which one is wrong."""
    return [
        Case("in the order of the chapter", {argument: names}),
        Case("in the opposite order", {argument: names[::-1]}),
        Case("in an order drawn anew", {argument: tuple(map(str, rng.permutation(names)))}),
    ]


def _cases_of_lines(rng: np.random.Generator) -> list[Case]:
    return _orders("questions", tuple(WRONG_LINES), rng)


def _cases_of_claims(rng: np.random.Generator) -> list[Case]:
    return _orders("claims", tuple(CLAIMS), rng)


EXERCISES = (
    Exercise(
        name="mended_attention",
        title="The scale, mended twice",
        statement="Two sources print self-attention with the scale in the wrong place. Write it right.",
        rules=(
            "Each word looks at all words.",
            r"The matrices stand as in the Keras notebook: a key is $\mathbf W_k$ times an embedding.",
            "`torch.nn.functional.scaled_dot_product_attention` may not be called.",
        ),
        entry="mended_attention",
        arguments=(
            Argument("embeddings", "(batch, num_words, D)"),
            Argument("W_q", "(d_k, D)"),
            Argument("W_k", "(d_k, D)"),
            Argument("W_v", "(d_v, D)"),
        ),
        returns=(Output("context", "(batch, num_words, d_v)"),),
        reference=mended_attention,
        misconceptions=(
            Misconception(
                divided_by_the_embedding_width,
                "This is the published line: the scores are divided by D, the width of the embeddings, which "
                "flattens the weights towards uniform. Divide by the square root of d_k, the width of a key.",
            ),
            Misconception(
                divided_by_the_root_of_the_embedding_width,
                "The square root is right, but of the wrong width: D belongs to the embeddings, and the sum in a "
                "dot product has d_k terms.",
            ),
            Misconception(
                divided_by_the_key_width,
                "The scores are divided by d_k. Their variance grows with d_k, so their spread grows with its "
                "square root, and that is what to divide by.",
            ),
            Misconception(
                not_divided, "The scores are not divided at all: the wider a key, the sharper the softmax."
            ),
            Misconception(
                divided_after_the_softmax,
                "The division comes after the softmax, as the other published formula reads: the weights of a word "
                "then sum to 1/√d_k. Divide the scores, then take the softmax.",
            ),
            Misconception(
                divided_by_the_number_of_words,
                "The scores are divided by the square root of the number of words. That n is not the one that the "
                "notes mean: it is the width of a key, d_k.",
            ),
            Misconception(
                each_score_alone,
                "Each score has a softmax of its own, and the softmax of a single number is 1, so every word weighs "
                "1. One softmax runs over the scores of all words together.",
            ),
            Misconception(
                softmax_over_the_asking_words,
                "The softmax runs over the words that ask: it must run over the words that are looked at, the last "
                "axis of the scores.",
            ),
            Misconception(
                only_the_words_so_far,
                "Later words are hidden. The source's sentence speaks of the previous words only, but its formula "
                "has no mask, and an encoder's word looks at all words.",
            ),
        ),
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
        misconceptions=(
            Misconception(
                guard_outside_the_division_passed,
                "All but the normaliser are right. Raising the sum to at least ε changes a sum that is too small and "
                "no other; adding ε to the quotient gives weight to what is masked.",
            ),
            Misconception(
                shift_by_one_number_for_all_suspected,
                "All but the shift are right. One number for the whole matrix is one number for each row as well, and "
                "cancels; a column's largest score differs from key to key.",
            ),
            Misconception(
                bias_of_the_keys_suspected,
                "All but the bias are right. A bias of the keys adds q·b to every score of a query, one number for "
                "all keys, and cancels. A bias of the queries adds b·k, which differs from key to key.",
            ),
            Misconception(
                bias_of_the_values_suspected,
                "All but the bias are right. The weights sum to one, so a bias of the values passes through the "
                "weighted sum unchanged and may be added after it.",
            ),
            Misconception(
                fourth_roots_suspected,
                "All but the scale are right. Two fourth roots multiply to the square root; a division after the "
                "softmax leaves rows that sum to 1/√d.",
            ),
            Misconception(
                late_mask_suspected,
                "All but the mask are right. Masking late and dividing by the new sum gives the same weights, as long "
                "as something is left to divide; a score of 0 is an ordinary score and gets weight.",
            ),
            Misconception(
                permuted_queries_suspected,
                "All but the order are right. Permuted queries give the same contexts in the permuted order; keys "
                "that move without their values are paired with the wrong ones.",
            ),
            Misconception(
                powers_of_two_suspected,
                "All but the base are right. 2 to the power x·log₂e is e to the power x, so nothing changes.",
            ),
            Misconception(
                log_sum_suspected,
                "All but the base are right. The exponential of a difference is a quotient, so this is the softmax.",
            ),
        ),
        cases=_cases_of_lines,
        difficulty=3,
        minutes=25,
        points=2,
    ),
    Exercise(
        name="claims_that_hold",
        title="Which claims hold",
        statement=(
            "Eight claims about the sources and about attention. Measure, and say of each whether it is true."
        ),
        rules=("Measure before you answer.",),
        entry="claims_that_hold",
        arguments=(Argument("claims", "tuple of the eight names, in any order"),),
        returns=(Output("answers", "a tuple with True or False for each claim", plain=True),),
        reference=claims_that_hold,
        misconceptions=(
            Misconception(
                last_digit_believed,
                "All but the twelve are right. A weight of 1/6 has no exact float32; six of them, summed, may miss "
                "the last digit, and nothing is wrong with the weights.",
            ),
            Misconception(
                spread_taken_for_the_dimension,
                "All but the variance are right. The variance of the product is d, so its standard deviation is √d.",
            ),
            Misconception(
                concatenation_taken_for_another_score,
                "All but the concatenation are right. A matrix times two stacked vectors is the sum of its two halves "
                "times one each: the same numbers, written otherwise.",
            ),
            Misconception(
                symmetric_score_taken_for_symmetric_weights,
                "All but the symmetry are right. The score is symmetric, but the softmax divides each row by a sum of "
                "its own, and the weights are not.",
            ),
            Misconception(
                scores_taken_for_parameters,
                "All but the length are right. A longer sentence has more scores, not larger matrices: their size is "
                "that of the states.",
            ),
            Misconception(
                centre_not_counted,
                "All but the window are right. D positions before, D after, and the one in the middle: 2D + 1.",
            ),
            Misconception(
                large_negative_never_trusted,
                "All but the million are right. In float32 the exponential of −10⁶ is exactly zero; trouble begins in "
                "half precision, and where no key is valid.",
            ),
            Misconception(
                bound_forgotten,
                "All but the bound are right. The largest weight is e/(e + 99/e), or e²/(e² + 99), about 0.069.",
            ),
        ),
        cases=_cases_of_claims,
        difficulty=3,
        minutes=20,
        points=2,
    ),
)
