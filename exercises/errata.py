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


def multiplied_by_the_root(
    embeddings: np.ndarray, W_q: np.ndarray, W_k: np.ndarray, W_v: np.ndarray
) -> np.ndarray:
    return _with_scale(embeddings, W_q, W_k, W_v, 1 / np.sqrt(W_k.shape[0]))


def divided_by_the_root_of_the_value_width(
    embeddings: np.ndarray, W_q: np.ndarray, W_k: np.ndarray, W_v: np.ndarray
) -> np.ndarray:
    return _with_scale(embeddings, W_q, W_k, W_v, np.sqrt(W_v.shape[0]))


def divided_by_the_number_of_words_itself(
    embeddings: np.ndarray, W_q: np.ndarray, W_k: np.ndarray, W_v: np.ndarray
) -> np.ndarray:
    return _with_scale(embeddings, W_q, W_k, W_v, embeddings.shape[1])


def queries_and_keys_exchanged(
    embeddings: np.ndarray, W_q: np.ndarray, W_k: np.ndarray, W_v: np.ndarray
) -> np.ndarray:
    return mended_attention(embeddings, W_k, W_q, W_v)


def queries_as_keys(embeddings: np.ndarray, W_q: np.ndarray, W_k: np.ndarray, W_v: np.ndarray) -> np.ndarray:
    return mended_attention(embeddings, W_q, W_q, W_v)


def keys_as_queries(embeddings: np.ndarray, W_q: np.ndarray, W_k: np.ndarray, W_v: np.ndarray) -> np.ndarray:
    return mended_attention(embeddings, W_k, W_k, W_v)


def softmax_left_out(embeddings: np.ndarray, W_q: np.ndarray, W_k: np.ndarray, W_v: np.ndarray) -> np.ndarray:
    scores, values = _projected(embeddings, W_q, W_k, W_v)
    return scores @ values


def softmax_over_all_pairs(
    embeddings: np.ndarray, W_q: np.ndarray, W_k: np.ndarray, W_v: np.ndarray
) -> np.ndarray:
    scores, values = _projected(embeddings, W_q, W_k, W_v)
    weights = _softmax(scores.reshape(len(scores), -1)).reshape(scores.shape)
    return weights @ values


def all_words_alike(embeddings: np.ndarray, W_q: np.ndarray, W_k: np.ndarray, W_v: np.ndarray) -> np.ndarray:
    return _with_scale(embeddings, W_q, W_k, W_v, np.inf)


def published_width_over_the_asking_words(
    embeddings: np.ndarray, W_q: np.ndarray, W_k: np.ndarray, W_v: np.ndarray
) -> np.ndarray:
    scores, values = _projected(embeddings, W_q, W_k, W_v)
    return _softmax(scores * np.sqrt(W_k.shape[0] / W_q.shape[1]), axis=1) @ values


def embeddings_averaged(
    embeddings: np.ndarray, W_q: np.ndarray, W_k: np.ndarray, W_v: np.ndarray
) -> np.ndarray:
    return _softmax(_projected(embeddings, W_q, W_k, W_v)[0]) @ embeddings


def keys_averaged(embeddings: np.ndarray, W_q: np.ndarray, W_k: np.ndarray, W_v: np.ndarray) -> np.ndarray:
    return mended_attention(embeddings, W_q, W_k, W_k)


def softmax_twice(embeddings: np.ndarray, W_q: np.ndarray, W_k: np.ndarray, W_v: np.ndarray) -> np.ndarray:
    scores, values = _projected(embeddings, W_q, W_k, W_v)
    return _softmax(_softmax(scores)) @ values


def weights_transposed(
    embeddings: np.ndarray, W_q: np.ndarray, W_k: np.ndarray, W_v: np.ndarray
) -> np.ndarray:
    scores, values = _projected(embeddings, W_q, W_k, W_v)
    return _softmax(scores).swapaxes(1, 2) @ values


def context_over_the_number_of_words(
    embeddings: np.ndarray, W_q: np.ndarray, W_k: np.ndarray, W_v: np.ndarray
) -> np.ndarray:
    return mended_attention(embeddings, W_q, W_k, W_v) / embeddings.shape[1]


def weights_returned(embeddings: np.ndarray, W_q: np.ndarray, W_k: np.ndarray, W_v: np.ndarray) -> np.ndarray:
    return _softmax(_projected(embeddings, W_q, W_k, W_v)[0])


def embeddings_divided_first(
    embeddings: np.ndarray, W_q: np.ndarray, W_k: np.ndarray, W_v: np.ndarray
) -> np.ndarray:
    return _with_scale(embeddings, W_q, W_k, W_v, W_k.shape[0]) / np.sqrt(W_k.shape[0])


def divided_at_both_places(
    embeddings: np.ndarray, W_q: np.ndarray, W_k: np.ndarray, W_v: np.ndarray
) -> np.ndarray:
    return mended_attention(embeddings, W_q, W_k, W_v) / np.sqrt(W_k.shape[0])


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


def no_bias_suspected(questions: Letters) -> Letters:
    return _instead(wrong_lines(questions), questions, "bias", "none")


def scaled_queries_suspected(questions: Letters) -> Letters:
    return _instead(wrong_lines(questions), questions, "scale", "a")


def large_negative_suspected(questions: Letters) -> Letters:
    return _instead(wrong_lines(questions), questions, "mask", "c")


def keys_with_their_values_suspected(questions: Letters) -> Letters:
    return _instead(wrong_lines(questions), questions, "order", "a")


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


def every_claim_believed(claims: Letters) -> Answers:
    return tuple(True for _ in claims)


def no_claim_believed(claims: Letters) -> Answers:
    return tuple(False for _ in claims)


def answers_turned_round(claims: Letters) -> Answers:
    return tuple(not answer for answer in claims_that_hold(claims))


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
        name="claims_that_hold",
        title="Which claims hold",
        statement=(
            "The table below names eight claims about the sources and about attention. Measure, and say of each "
            "whether it is true."
        ),
        rules=("Answer in the order in which `claims` has the names.",),
        entry="claims_that_hold",
        arguments=(Argument("claims", "tuple of the eight names, in any order"),),
        returns=(Output("answers", "a tuple with True or False for each claim", plain=True),),
        reference=claims_that_hold,
        misconceptions=(
            Misconception(
                last_digit_believed,
                "Seven of eight are right. Compare a sum of weights with 1 both exactly and with a tolerance.",
            ),
            Misconception(
                spread_taken_for_the_dimension,
                "Seven of eight are right. Draw many random pairs and measure variance and standard deviation, not one of them alone.",
            ),
            Misconception(
                concatenation_taken_for_another_score,
                "Seven of eight are right. Cut a matrix into its left and its right half, and multiply each by its part of the stacked vector.",
            ),
            Misconception(
                symmetric_score_taken_for_symmetric_weights,
                "Seven of eight are right. Compare a matrix with its transpose before the softmax, and after it.",
            ),
            Misconception(
                scores_taken_for_parameters,
                "Seven of eight are right. Count what is learned, and what is only computed, for a short and for a long sentence.",
            ),
            Misconception(
                centre_not_counted,
                "Seven of eight are right. Count positions on your fingers for D = 1.",
            ),
            Misconception(
                large_negative_never_trusted,
                "Seven of eight are right. Compute the exponential of a very negative number in float32, and print it.",
            ),
            Misconception(
                bound_forgotten,
                "Seven of eight are right. Take the best case for one of a hundred keys, and work out its weight.",
            ),
            Misconception(
                every_claim_believed,
                "Every answer is True. Some claims do not hold: measure each of them.",
            ),
            Misconception(
                no_claim_believed,
                "Every answer is False. Some claims hold: measure each of them.",
            ),
            Misconception(
                answers_turned_round,
                "Every single answer is the opposite of what holds: 0 of 8 are right. The answer is True where the claim is true.",
            ),
        ),
        cases=_cases_of_claims,
        difficulty=3,
        minutes=20,
        points=2,
    ),
    Exercise(
        name="mended_attention",
        title="The scale, mended",
        statement="The Keras notebook prints self-attention with a wrong scale: it divides the scores by the width of the embeddings. Write the right version.",
        rules=(
            "Each word attends to all words.",
            r"The matrices stand as in the Keras notebook: a key is $\mathbf W_k$ times an embedding.",
            "The library's own attention may not be called.",
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
                "The division comes after the softmax: the weights of a word then sum to 1/√d_k. Divide the scores, "
                "then take the softmax.",
            ),
            Misconception(
                divided_by_the_number_of_words,
                "The scores are divided by the square root of the number of words. The n in the "
                "lecture notes is another one: the width of a key, d_k.",
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
                "Later words are hidden. The Keras notebook's sentence speaks of the previous words only, but its formula "
                "has no mask, and in an encoder each word attends to all words.",
            ),
            Misconception(
                multiplied_by_the_root,
                "The scores are multiplied by the square root of d_k, which makes the softmax sharper still. Divide by it.",
            ),
            Misconception(
                divided_by_the_root_of_the_value_width,
                "The scores are divided by the square root of d_v. The sum in a dot product has d_k terms: the square root of d_k.",
            ),
            Misconception(
                divided_by_the_number_of_words_itself,
                "The scores are divided by the number of words. It is the width of a key that counts, and its square root.",
            ),
            Misconception(
                queries_and_keys_exchanged,
                "Queries and keys have changed places: W_q makes the queries, which ask, and W_k the keys.",
            ),
            Misconception(
                queries_as_keys,
                "W_q makes the keys as well, and W_k has no effect. A key is W_k times an embedding.",
            ),
            Misconception(
                keys_as_queries,
                "W_k makes the queries as well, and W_q has no effect. A query is W_q times an embedding.",
            ),
            Misconception(
                softmax_left_out,
                "The values are weighted by the raw scores: the softmax over the words that are looked at is missing.",
            ),
            Misconception(
                softmax_over_all_pairs,
                "One softmax runs over all pairs of words, so that the weights of a word sum to less than 1. Each word that asks has a softmax of its own: the last axis.",
            ),
            Misconception(
                all_words_alike,
                "All words weigh the same: the scores have no effect. The weights are the softmax of the scaled scores.",
            ),
            Misconception(
                published_width_over_the_asking_words,
                "Two things: the square root is of D, not of d_k; and the softmax runs over the words that ask. It runs over the last axis of the scores.",
            ),
            Misconception(
                embeddings_averaged,
                "The embeddings are averaged, not the values: multiply them by W_v first.",
            ),
            Misconception(
                keys_averaged,
                "The keys are averaged: what the weights average are the values, W_v times an embedding.",
            ),
            Misconception(
                softmax_twice,
                "The softmax is taken twice, which makes the weights nearly equal: take it once, of the scaled scores.",
            ),
            Misconception(
                weights_transposed,
                "The weights are transposed before they meet the values: row i holds the weights of word i, so multiply weights by values as they are.",
            ),
            Misconception(
                context_over_the_number_of_words,
                "The context is divided by the number of words: the weights of a word sum to 1 already.",
            ),
            Misconception(
                weights_returned,
                "These are the weights: multiply them by the values to get the context.",
            ),
            Misconception(
                embeddings_divided_first,
                "The embeddings are divided by the square root of d_k before they are multiplied by the matrices, so the scores are divided by d_k, and the values shrink as well. Divide the scores alone.",
            ),
            Misconception(
                divided_at_both_places,
                "The scores are divided by the square root of d_k, and the context once more: the weights of a word must sum to 1, so divide the scores alone.",
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
                "Six of seven are right. Try each line on a row that is masked as a whole, and on one that is not.",
            ),
            Misconception(
                shift_by_one_number_for_all_suspected,
                "Six of seven are right. Write down by how much a line changes each score of one row, and whether that is the same for all of them.",
            ),
            Misconception(
                bias_of_the_keys_suspected,
                "Six of seven are right. Multiply out a score, (q + b) times k or q times (k + b), and see which part differs from key to key.",
            ),
            Misconception(
                bias_of_the_values_suspected,
                "Six of seven are right. Remember that the weights of a row sum to 1, and see what they make of a number that is added to every value.",
            ),
            Misconception(
                fourth_roots_suspected,
                "Six of seven are right. Work out what two factors come to when they are multiplied together, before you call them too weak.",
            ),
            Misconception(
                late_mask_suspected,
                "Six of seven are right. Take the sum of each row of weights, and ask what weight a score of 0 gets.",
            ),
            Misconception(
                permuted_queries_suspected,
                "Six of seven are right. Reverse the rows of a small example by hand, and look at which rows still belong together.",
            ),
            Misconception(
                powers_of_two_suspected,
                "Six of seven are right. Rewrite the powers with a logarithm before you take them for another function.",
            ),
            Misconception(
                log_sum_suspected,
                "Six of seven are right. The exponential of a difference is a quotient of exponentials: write that out.",
            ),
            Misconception(
                no_bias_suspected,
                "Six of seven are right. Not everything cancels: add a large random vector in each of the three places, and measure.",
            ),
            Misconception(
                scaled_queries_suspected,
                "Six of seven are right. A factor may stand before or after a product; a softmax is no product.",
            ),
            Misconception(
                large_negative_suspected,
                "Six of seven are right. Print the weight that each of the three lines leaves to a padded key, in float32.",
            ),
            Misconception(
                keys_with_their_values_suspected,
                "Six of seven are right. A sum does not depend on the order of its terms, as long as each term stays whole.",
            ),
        ),
        cases=_cases_of_lines,
        difficulty=3,
        minutes=25,
        points=2,
    ),
)
