"""Exercises on asking what the attention of a classifier explains."""

from functools import partial

import numpy as np

from autograder.model.exercise import Argument, Call, Case, Exercise, Misconception, Output, Property
from exercises.shared import ALL, LOOP_IS_SHOWN, draw_lengths, draw_sizes, shared_anew
from solutions.explanation.in_numpy import change_when_permuted, leave_one_out

LENGTH = Argument("valid_length", "(batch,), each at least 1")
SCORES = Argument("scores", "(batch, num_steps)")
VOTES = Argument("votes", "(batch, num_steps)")


def _valid(num_steps: int, valid_length: np.ndarray) -> np.ndarray:
    return np.asarray(np.arange(num_steps) < valid_length[:, None])


# Leaving out


def _softmax(scores: np.ndarray, mask: np.ndarray) -> np.ndarray:
    filled = np.where(mask, scores, -np.inf)
    highest = filled.max(axis=-1, keepdims=True)
    exps = np.exp(filled - np.where(np.isfinite(highest), highest, 0))
    total = exps.sum(axis=-1, keepdims=True)
    return np.asarray(exps / np.where(total > 0, total, 1))


def weights_not_shared_anew(scores: np.ndarray, votes: np.ndarray, valid_length: np.ndarray) -> np.ndarray:
    return _softmax(scores, _valid(scores.shape[1], valid_length)) * votes


def rest_divided_by_its_sum(
    scores: np.ndarray, votes: np.ndarray, valid_length: np.ndarray, guarded: bool = True
) -> np.ndarray:
    """guarded: whether a sum of 0 is no divisor."""
    mask = _valid(scores.shape[1], valid_length)
    weights = _softmax(scores, mask)
    verdict = (weights * votes).sum(axis=1, keepdims=True)
    rest = weights[:, None] * (1 - np.eye(scores.shape[1]))
    with np.errstate(invalid="ignore"):
        rest = shared_anew(rest) if guarded else rest / rest.sum(axis=-1, keepdims=True)
    return np.asarray((verdict - (rest * votes[:, None]).sum(axis=-1)) * mask)


def score_set_to_zero(scores: np.ndarray, votes: np.ndarray, valid_length: np.ndarray) -> np.ndarray:
    """The word is replaced by zeros: its score and its vote are 0, and its place remains."""
    mask = _valid(scores.shape[1], valid_length)
    verdict = (_softmax(scores, mask) * votes).sum(axis=1, keepdims=True)
    others = 1 - np.eye(scores.shape[1])
    weights = _softmax(scores[:, None] * others, mask[:, None] & np.ones_like(others, dtype=bool))
    return (verdict - (weights * votes[:, None] * others).sum(axis=-1)) * mask


def sign_turned_round(scores: np.ndarray, votes: np.ndarray, valid_length: np.ndarray) -> np.ndarray:
    return -leave_one_out(scores, votes, valid_length)


def size_only(scores: np.ndarray, votes: np.ndarray, valid_length: np.ndarray) -> np.ndarray:
    return np.abs(leave_one_out(scores, votes, valid_length))


def verdict_without(scores: np.ndarray, votes: np.ndarray, valid_length: np.ndarray) -> np.ndarray:
    mask = _valid(scores.shape[1], valid_length)
    verdict = (_softmax(scores, mask) * votes).sum(axis=1, keepdims=True)
    return (verdict - leave_one_out(scores, votes, valid_length)) * mask


def padding_takes_part(scores: np.ndarray, votes: np.ndarray, valid_length: np.ndarray) -> np.ndarray:
    everything = np.full(len(scores), scores.shape[1])
    return leave_one_out(scores, votes, everything) * _valid(scores.shape[1], valid_length)


def only_this_step(scores: np.ndarray, votes: np.ndarray, valid_length: np.ndarray) -> np.ndarray:
    mask = _valid(scores.shape[1], valid_length)
    verdict = (_softmax(scores, mask) * votes).sum(axis=1, keepdims=True)
    return (verdict - votes) * mask


def the_weights_themselves(scores: np.ndarray, votes: np.ndarray, valid_length: np.ndarray) -> np.ndarray:
    return _softmax(scores, _valid(scores.shape[1], valid_length))


def nothing_left_is_nan(scores: np.ndarray, votes: np.ndarray, valid_length: np.ndarray) -> np.ndarray:
    importance = leave_one_out(scores, votes, valid_length)
    importance[valid_length == 1, 0] = np.nan
    return importance


def nothing_left_keeps_the_verdict(
    scores: np.ndarray, votes: np.ndarray, valid_length: np.ndarray
) -> np.ndarray:
    return leave_one_out(scores, votes, valid_length) * (valid_length > 1)[:, None]


def nothing_left_is_an_even_vote(
    scores: np.ndarray, votes: np.ndarray, valid_length: np.ndarray
) -> np.ndarray:
    """Where every score is the same very negative number, the softmax is even."""
    importance = leave_one_out(scores, votes, valid_length)
    alone = valid_length == 1
    importance[alone, 0] = votes[alone, 0] - votes[alone].mean(axis=1)
    return importance


def _verdict(scores: np.ndarray, votes: np.ndarray, valid_length: np.ndarray) -> np.ndarray:
    """(batch, 1)."""
    weights = _softmax(scores, _valid(scores.shape[1], valid_length))
    return np.asarray((weights * votes).sum(axis=1, keepdims=True))


def _less_verdict_without(
    scores: np.ndarray, votes: np.ndarray, valid_length: np.ndarray, weights: np.ndarray
) -> np.ndarray:
    """The importance where step t of a review leaves weights[b, t] to its steps."""
    without = (weights * votes[:, None]).sum(axis=-1)
    mask = _valid(scores.shape[1], valid_length)
    return np.asarray((_verdict(scores, votes, valid_length) - without) * mask)


def _others(scores: np.ndarray) -> np.ndarray:
    return np.asarray(~np.eye(scores.shape[1], dtype=bool))


def padding_among_the_others(scores: np.ndarray, votes: np.ndarray, valid_length: np.ndarray) -> np.ndarray:
    others = np.broadcast_to(_others(scores), (len(scores), *_others(scores).shape))
    weights = _softmax(np.broadcast_to(scores[:, None], others.shape), others)
    return _less_verdict_without(scores, votes, valid_length, weights)


def others_averaged(scores: np.ndarray, votes: np.ndarray, valid_length: np.ndarray) -> np.ndarray:
    others = _valid(scores.shape[1], valid_length)[:, None] & _others(scores)
    return _less_verdict_without(scores, votes, valid_length, shared_anew(others.astype(float)))


def only_the_score_is_zero(scores: np.ndarray, votes: np.ndarray, valid_length: np.ndarray) -> np.ndarray:
    mask = np.broadcast_to(_valid(scores.shape[1], valid_length)[:, None], (*scores.shape, scores.shape[1]))
    weights = _softmax(scores[:, None] * _others(scores), mask)
    return _less_verdict_without(scores, votes, valid_length, weights)


def length_ignored(scores: np.ndarray, votes: np.ndarray, valid_length: np.ndarray) -> np.ndarray:
    return leave_one_out(scores, votes, np.full(len(scores), scores.shape[1]))


def weights_kept_and_sign_turned(
    scores: np.ndarray, votes: np.ndarray, valid_length: np.ndarray
) -> np.ndarray:
    return -weights_not_shared_anew(scores, votes, valid_length)


def vote_less_verdict(scores: np.ndarray, votes: np.ndarray, valid_length: np.ndarray) -> np.ndarray:
    return -only_this_step(scores, votes, valid_length)


def relative_to_the_verdict(scores: np.ndarray, votes: np.ndarray, valid_length: np.ndarray) -> np.ndarray:
    return leave_one_out(scores, votes, valid_length) / _verdict(scores, votes, valid_length)


def difference_of_probabilities(
    scores: np.ndarray, votes: np.ndarray, valid_length: np.ndarray
) -> np.ndarray:
    verdict = _verdict(scores, votes, valid_length)
    change = _sigmoid(verdict) - _sigmoid(verdict - leave_one_out(scores, votes, valid_length))
    # Single precision leaves a little where a step has no weight; only padding is exactly 0.
    return change + 1e-12 * _valid(scores.shape[1], valid_length)


def difference_squared(scores: np.ndarray, votes: np.ndarray, valid_length: np.ndarray) -> np.ndarray:
    return np.square(leave_one_out(scores, votes, valid_length))


def the_votes_alone(scores: np.ndarray, votes: np.ndarray, valid_length: np.ndarray) -> np.ndarray:
    return votes * _valid(scores.shape[1], valid_length)


def padding_in_the_whole_verdict(
    scores: np.ndarray, votes: np.ndarray, valid_length: np.ndarray
) -> np.ndarray:
    mask = _valid(scores.shape[1], valid_length)
    everything = np.full(len(scores), scores.shape[1])
    more = _verdict(scores, votes, everything) - _verdict(scores, votes, valid_length)
    return (leave_one_out(scores, votes, valid_length) + more) * mask


def scores_ignored(scores: np.ndarray, votes: np.ndarray, valid_length: np.ndarray) -> np.ndarray:
    return leave_one_out(0 * scores, votes, valid_length)


def _leaving(scores: np.ndarray, votes: np.ndarray, valid_length: np.ndarray, left: np.ndarray) -> np.ndarray:
    """The importance where step t of a review keeps the steps in row t of `left`."""
    kept = _valid(scores.shape[1], valid_length)[:, None] & left
    weights = _softmax(np.broadcast_to(scores[:, None], kept.shape), kept | ~kept.any(axis=-1, keepdims=True))
    return _less_verdict_without(scores, votes, valid_length, np.asarray(weights * kept))


def next_step_left_out(scores: np.ndarray, votes: np.ndarray, valid_length: np.ndarray) -> np.ndarray:
    return _leaving(scores, votes, valid_length, ~np.eye(scores.shape[1], k=1, dtype=bool))


def step_before_left_out(scores: np.ndarray, votes: np.ndarray, valid_length: np.ndarray) -> np.ndarray:
    return _leaving(scores, votes, valid_length, ~np.eye(scores.shape[1], k=-1, dtype=bool))


def later_steps_left_out_too(scores: np.ndarray, votes: np.ndarray, valid_length: np.ndarray) -> np.ndarray:
    return _leaving(scores, votes, valid_length, np.tri(scores.shape[1], k=-1, dtype=bool))


def earlier_steps_left_out_too(scores: np.ndarray, votes: np.ndarray, valid_length: np.ndarray) -> np.ndarray:
    return _leaving(scores, votes, valid_length, np.tri(scores.shape[1], k=-1, dtype=bool).T)


def only_later_steps_left_out(scores: np.ndarray, votes: np.ndarray, valid_length: np.ndarray) -> np.ndarray:
    return _leaving(scores, votes, valid_length, np.tri(scores.shape[1], dtype=bool))


def divided_by_their_sum(scores: np.ndarray, votes: np.ndarray, valid_length: np.ndarray) -> np.ndarray:
    importance = leave_one_out(scores, votes, valid_length)
    return importance / np.abs(importance).sum(axis=1, keepdims=True)


def divided_by_the_number_of_steps(
    scores: np.ndarray, votes: np.ndarray, valid_length: np.ndarray
) -> np.ndarray:
    return leave_one_out(scores, votes, valid_length) / scores.shape[1]


def divided_by_the_length(scores: np.ndarray, votes: np.ndarray, valid_length: np.ndarray) -> np.ndarray:
    return leave_one_out(scores, votes, valid_length) / valid_length[:, None]


def times_the_weight(scores: np.ndarray, votes: np.ndarray, valid_length: np.ndarray) -> np.ndarray:
    weights = _softmax(scores, _valid(scores.shape[1], valid_length))
    # Only padding is exactly 0; a weight may be too small for single precision.
    return leave_one_out(scores, votes, valid_length) * weights


def sigmoid_of_each_score(scores: np.ndarray, votes: np.ndarray, valid_length: np.ndarray) -> np.ndarray:
    return np.asarray(_sigmoid(scores) * votes * _valid(scores.shape[1], valid_length))


def a_padding_step_seen(scores: np.ndarray, votes: np.ndarray, valid_length: np.ndarray) -> np.ndarray:
    return leave_one_out(scores, votes, valid_length + 1)


def last_step_forgotten(scores: np.ndarray, votes: np.ndarray, valid_length: np.ndarray) -> np.ndarray:
    return leave_one_out(scores, votes, valid_length - 1)


def difference_of_sizes(scores: np.ndarray, votes: np.ndarray, valid_length: np.ndarray) -> np.ndarray:
    verdict = _verdict(scores, votes, valid_length)
    without = verdict - leave_one_out(scores, votes, valid_length)
    return np.asarray((np.abs(verdict) - np.abs(without)) * _valid(scores.shape[1], valid_length))


def sum_of_both_verdicts(scores: np.ndarray, votes: np.ndarray, valid_length: np.ndarray) -> np.ndarray:
    mask = _valid(scores.shape[1], valid_length)
    return np.asarray(
        (2 * _verdict(scores, votes, valid_length) - leave_one_out(scores, votes, valid_length)) * mask
    )


def whole_verdict_averaged(scores: np.ndarray, votes: np.ndarray, valid_length: np.ndarray) -> np.ndarray:
    mask = _valid(scores.shape[1], valid_length)
    mean = (votes * mask).sum(axis=1, keepdims=True) / valid_length[:, None]
    return np.asarray(
        (leave_one_out(scores, votes, valid_length) + mean - _verdict(scores, votes, valid_length)) * mask
    )


def scores_as_weights(scores: np.ndarray, votes: np.ndarray, valid_length: np.ndarray) -> np.ndarray:
    return np.asarray(scores * votes * _valid(scores.shape[1], valid_length))


def _padding_is_worth_nothing(run: Call, case: Case) -> str | None:
    (importance,) = run(case)
    beyond = np.where(_valid(importance.shape[1], case.inputs["valid_length"]), 0, np.abs(importance))
    if (beyond <= 1e-9).all():
        return None
    row, step = map(int, np.unravel_index(int(beyond.argmax()), beyond.shape))
    return f"Step {step} of review {row} is padding, and has {importance[row, step]:.4g}."


def _with_a_loud_step(case: Case) -> Case:
    """The same with one step in each review 1000 above the rest, so that it has all the weight."""
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


def votes_permuted_too(weights: np.ndarray, votes: np.ndarray, orders: np.ndarray) -> np.ndarray:
    return np.zeros(len(weights))


def verdicts_compared(weights: np.ndarray, votes: np.ndarray, orders: np.ndarray) -> np.ndarray:
    permuted = np.take_along_axis(weights[None], orders, axis=2)
    before, after = (weights * votes).sum(axis=-1), (permuted * votes).sum(axis=-1)
    return np.asarray(np.abs(after - before).mean(axis=0))


def changes_cancel(weights: np.ndarray, votes: np.ndarray, orders: np.ndarray) -> np.ndarray:
    return np.asarray((_after(weights, votes, orders) - _before(weights, votes)).mean(axis=0))


def average_before_comparing(weights: np.ndarray, votes: np.ndarray, orders: np.ndarray) -> np.ndarray:
    return np.asarray(np.abs(_after(weights, votes, orders).mean(axis=0) - _before(weights, votes)))


def orders_turned_round(weights: np.ndarray, votes: np.ndarray, orders: np.ndarray) -> np.ndarray:
    return change_when_permuted(weights, votes, np.argsort(orders, axis=2))


def one_order_for_all_reviews(weights: np.ndarray, votes: np.ndarray, orders: np.ndarray) -> np.ndarray:
    return change_when_permuted(weights, votes, np.broadcast_to(orders[:, :1], orders.shape))


def only_the_first_order(weights: np.ndarray, votes: np.ndarray, orders: np.ndarray) -> np.ndarray:
    return change_when_permuted(weights, votes, orders[:1])


def changes_added_up(weights: np.ndarray, votes: np.ndarray, orders: np.ndarray) -> np.ndarray:
    return len(orders) * change_when_permuted(weights, votes, orders)


def changes_squared(weights: np.ndarray, votes: np.ndarray, orders: np.ndarray) -> np.ndarray:
    return np.asarray(((_after(weights, votes, orders) - _before(weights, votes)) ** 2).mean(axis=0))


def weights_normalised_again(weights: np.ndarray, votes: np.ndarray, orders: np.ndarray) -> np.ndarray:
    """The permuted weights go through a softmax, as if they were scores."""
    permuted = np.take_along_axis(weights[None], orders, axis=2)
    again = _softmax(permuted, np.ones(permuted.shape, dtype=bool))
    after = _sigmoid((again * votes).sum(axis=-1))
    return np.asarray(np.abs(after - _before(weights, votes)).mean(axis=0))


def only_the_last_order(weights: np.ndarray, votes: np.ndarray, orders: np.ndarray) -> np.ndarray:
    return change_when_permuted(weights, votes, orders[-1:])


def last_order_over_all(weights: np.ndarray, votes: np.ndarray, orders: np.ndarray) -> np.ndarray:
    return change_when_permuted(weights, votes, orders[-1:]) / len(orders)


def _verdicts(weights: np.ndarray, votes: np.ndarray, orders: np.ndarray) -> np.ndarray:
    return np.asarray((np.take_along_axis(weights[None], orders, axis=2) * votes).sum(axis=-1))


def verdicts_averaged(weights: np.ndarray, votes: np.ndarray, orders: np.ndarray) -> np.ndarray:
    mean = _verdicts(weights, votes, orders).mean(axis=0)
    return np.abs(_sigmoid(mean) - _before(weights, votes))


def sigmoid_of_the_change(weights: np.ndarray, votes: np.ndarray, orders: np.ndarray) -> np.ndarray:
    change = _verdicts(weights, votes, orders) - (weights * votes).sum(axis=-1)
    return np.asarray(_sigmoid(np.abs(change)).mean(axis=0))


def signed_changes_added_up(weights: np.ndarray, votes: np.ndarray, orders: np.ndarray) -> np.ndarray:
    return len(orders) * changes_cancel(weights, votes, orders)


def signed_the_other_way(weights: np.ndarray, votes: np.ndarray, orders: np.ndarray) -> np.ndarray:
    return -changes_cancel(weights, votes, orders)


def median_taken(weights: np.ndarray, votes: np.ndarray, orders: np.ndarray) -> np.ndarray:
    changes = np.abs(_after(weights, votes, orders) - _before(weights, votes))
    return np.asarray(np.sort(changes, axis=0)[(len(orders) - 1) // 2])


def largest_change(weights: np.ndarray, votes: np.ndarray, orders: np.ndarray) -> np.ndarray:
    return np.asarray(np.abs(_after(weights, votes, orders) - _before(weights, votes)).max(axis=0))


def root_of_the_mean_square(weights: np.ndarray, votes: np.ndarray, orders: np.ndarray) -> np.ndarray:
    return np.sqrt(changes_squared(weights, votes, orders))


def both_classes_added(weights: np.ndarray, votes: np.ndarray, orders: np.ndarray) -> np.ndarray:
    return 2 * change_when_permuted(weights, votes, orders)


def relative_to_the_probability(weights: np.ndarray, votes: np.ndarray, orders: np.ndarray) -> np.ndarray:
    return change_when_permuted(weights, votes, orders) / _before(weights, votes)


def permuted_probability(weights: np.ndarray, votes: np.ndarray, orders: np.ndarray) -> np.ndarray:
    return np.asarray(_after(weights, votes, orders).mean(axis=0))


def _sigmoid(logits: np.ndarray) -> np.ndarray:
    return np.asarray(1 / (1 + np.exp(-logits)))


def _before(weights: np.ndarray, votes: np.ndarray) -> np.ndarray:
    return _sigmoid((weights * votes).sum(axis=-1))


def _after(weights: np.ndarray, votes: np.ndarray, orders: np.ndarray) -> np.ndarray:
    return _sigmoid((np.take_along_axis(weights[None], orders, axis=2) * votes).sum(axis=-1))


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
        weights = _softmax(rng.normal(size=mask.shape), mask)
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
        rules=(
            "Where no step is left, the verdict is 0.",
            "The importance of padding is exactly 0.",
            LOOP_IS_SHOWN,
        ),
        no_loop=True,
        entry="leave_one_out",
        arguments=(SCORES, VOTES, LENGTH),
        returns=(Output("importance", "(batch, num_steps)", exact_zeros=True),),
        reference=leave_one_out,
        misconceptions=(
            Misconception(
                weights_not_shared_anew,
                "The step's vote is taken away and the other weights stay as they were, so they no longer "
                "sum to one. In a review without that word the weights of the others sum to one: take the softmax anew.",
            ),
            Misconception(
                rest_divided_by_its_sum,
                "The softmax is taken with the step, and the other weights are divided by their sum: where the "
                "step has nearly all the weight, nothing is left to divide. Mask its score, then take the "
                "softmax anew.",
                also=(partial(rest_divided_by_its_sum, guarded=False),),
            ),
            Misconception(
                score_set_to_zero,
                "The step's score and vote are set to 0, but its place remains, and exp(0) is 1: a word that "
                "is not there still takes weight. Mask its score as if it were padding.",
            ),
            Misconception(
                sign_turned_round,
                "The sign is turned round: importance is the verdict with the word less the verdict without "
                "it, so a word that speaks for praise has a positive one.",
            ),
            Misconception(
                size_only,
                "Only the size is kept. The sign tells whether a word speaks for praise or for blame.",
            ),
            Misconception(
                verdict_without,
                "That is the verdict without each step. Its importance is how far it differs from the whole "
                "verdict: subtract one from the other.",
            ),
            Misconception(
                padding_takes_part,
                "The padding takes part in the softmax: mask it in the whole review, and in the one without "
                "a step.",
            ),
            Misconception(
                only_this_step,
                "The mask keeps the step and leaves out all others, so the comparison is with its vote alone. Keep the others: the mask is false on the diagonal, not true.",
            ),
            Misconception(
                the_weights_themselves,
                "Those are the attention weights. A word may have a large weight and a vote that changes "
                "nothing: compute the verdict again without it.",
            ),
            Misconception(
                nothing_left_is_nan,
                "A review of a single step is NaN: without that step all scores are minus infinity, and the "
                "softmax divides 0 by 0. Where nothing is left the verdict is 0.",
            ),
            Misconception(
                nothing_left_is_an_even_vote,
                "Without the only step of a review, all its scores are the same very negative number, and the "
                "softmax spreads the weight evenly, over the padding too. Set weights of masked steps to zero "
                "after the softmax: where nothing is left the verdict is 0.",
            ),
            Misconception(
                nothing_left_keeps_the_verdict,
                "The only step of a review is worth nothing in your answer. Without it nobody votes, and the "
                "verdict is 0, so its importance is the whole verdict.",
            ),
            Misconception(
                padding_among_the_others,
                "The whole verdict leaves padding out, but the verdicts without a step let it in: there both masks must hold, the valid steps and all but this one.",
            ),
            Misconception(
                others_averaged,
                "Without a step the verdict is taken as the plain mean of the other votes. It is their weighted sum: a softmax of the scores that remain.",
            ),
            Misconception(
                only_the_score_is_zero,
                "Only the step's score is set to 0: e to the 0 is 1, so it keeps a weight, and its vote still counts. Give it minus infinity.",
            ),
            Misconception(
                length_ignored,
                "The valid_length has no effect: padding takes part in the verdicts and gets an importance of its own.",
            ),
            Misconception(
                weights_kept_and_sign_turned,
                "The other weights stay as they were, and the sign is turned round. Take the softmax anew without the step, and subtract that verdict from the whole one.",
            ),
            Misconception(
                vote_less_verdict,
                "This is the step's own vote less the verdict. Importance is the whole verdict less the verdict of all the other steps.",
            ),
            Misconception(
                relative_to_the_verdict,
                "The difference is divided by the verdict. Asked for is the difference itself.",
            ),
            Misconception(
                difference_of_probabilities,
                "Both verdicts go through the sigmoid before they are subtracted. Asked for is the difference of the verdicts themselves.",
            ),
            Misconception(
                difference_squared,
                "The difference is squared, so its sign is lost. Asked for is the difference itself.",
            ),
            Misconception(
                the_votes_alone,
                "These are the votes. How much a step matters depends on its weight and on what the others say without it.",
            ),
            Misconception(
                padding_in_the_whole_verdict,
                "The verdicts without a step leave padding out, but the whole verdict lets it in. Mask both.",
            ),
            Misconception(
                scores_ignored,
                "All steps get the same weight, so the scores have no effect. The weights are a softmax of the scores.",
            ),
            Misconception(
                next_step_left_out,
                "The step after the one that is asked about is left out. Row t of the mask is false at step t.",
            ),
            Misconception(
                step_before_left_out,
                "The step before the one that is asked about is left out. Row t of the mask is false at step t.",
            ),
            Misconception(
                later_steps_left_out_too,
                "Without step t only the steps before it remain, as under a causal mask. Leave out step t alone.",
            ),
            Misconception(
                earlier_steps_left_out_too,
                "Without step t only the steps after it remain. Leave out step t alone.",
            ),
            Misconception(
                only_later_steps_left_out,
                "Step t itself stays, and the steps after it are left out, as under a causal mask. Leave out step t alone.",
            ),
            Misconception(
                divided_by_their_sum,
                "The importances of a review are divided by the sum of their sizes. Asked for are the differences themselves.",
            ),
            Misconception(
                divided_by_the_number_of_steps,
                "The difference is divided by the number of steps. The verdicts are weighted sums, whose weights sum to 1 already.",
            ),
            Misconception(
                divided_by_the_length,
                "The difference is divided by the length of the review. The verdicts are weighted sums, whose weights sum to 1 already.",
            ),
            Misconception(
                times_the_weight,
                "The difference is multiplied by the weight of the step, which it contains already. Asked for is the difference itself.",
            ),
            Misconception(
                sigmoid_of_each_score,
                "Each score goes through a sigmoid of its own, so the other weights do not change without a step. Take the softmax over the steps that remain.",
            ),
            Misconception(
                a_padding_step_seen,
                "The mask lets the first padding step in. Positions count from 0: those below valid_length are there.",
            ),
            Misconception(
                last_step_forgotten,
                "The last step of each review is taken for padding. Positions count from 0: all below valid_length are there.",
            ),
            Misconception(
                difference_of_sizes,
                "This is the difference between the sizes of the two verdicts, without their signs. Asked for is the difference of the verdicts themselves.",
            ),
            Misconception(
                sum_of_both_verdicts,
                "The verdict without the step is added. Subtract it from the whole verdict.",
            ),
            Misconception(
                whole_verdict_averaged,
                "The whole verdict is the plain mean of the votes. It is their weighted sum, as without a step: a softmax of the scores gives the weights.",
            ),
            Misconception(
                scores_as_weights,
                "The votes are weighted by the scores as they are. The weights are a softmax of the scores, which is taken anew without a step.",
            ),
        ),
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
        rules=("Step t takes the weight of step `orders[k, b, t]`.",),
        entry="change_when_permuted",
        arguments=(
            Argument("weights", "(batch, num_steps)"),
            VOTES,
            Argument("orders", "(num_orders, batch, num_steps), integers"),
        ),
        returns=(Output("change", "(batch,)"),),
        reference=change_when_permuted,
        misconceptions=(
            Misconception(
                votes_permuted_too,
                "The change is always 0: weights and votes are permuted together, and a sum does not care "
                "about the order of its terms. Permute the weights only.",
            ),
            Misconception(
                verdicts_compared,
                "The verdicts are compared before the sigmoid. The change of interest is that of the "
                "probability, which can move by 1 at most.",
            ),
            Misconception(
                changes_cancel,
                "Changes up and down cancel in the mean. Take the size of each change first.",
            ),
            Misconception(
                average_before_comparing,
                "The mean over the orders is taken first and compared then, so orders that move the verdict "
                "up hide those that move it down. Compare first, then take the mean.",
            ),
            Misconception(
                orders_turned_round,
                "The orders are read the other way round: step t takes the weight of step orders[k, b, t]; "
                "it does not give its own weight to that step. To permute the votes in the place of the weights does the same.",
            ),
            Misconception(
                one_order_for_all_reviews,
                "The first review's order is used for all reviews. Each has its own, orders[k, b], which "
                "leaves its padding in place.",
            ),
            Misconception(only_the_first_order, "Only the first order is tried. Take the mean over all."),
            Misconception(
                changes_added_up,
                "The changes are added up, so more orders mean a larger number. Take their mean.",
            ),
            Misconception(
                changes_squared,
                "The changes are squared. What is asked for is the mean of their sizes.",
            ),
            Misconception(
                weights_normalised_again,
                "The permuted weights go through a softmax once more, which flattens them and gives padding "
                "a share. They are weights already and sum to one in any order.",
            ),
            Misconception(
                only_the_last_order,
                "Only the last order counts, as where each one overwrites the change before it. Add the changes up and divide by their number.",
            ),
            Misconception(
                last_order_over_all,
                "Only the last order's change is left, and that is divided by the number of orders, as where each one overwrites the change before it. Add them up first.",
            ),
            Misconception(
                verdicts_averaged,
                "This is the change of the sigmoid of the mean verdict. Each order has a probability and a change of its own: sigmoid and absolute value first, then the mean.",
            ),
            Misconception(
                sigmoid_of_the_change,
                "This is the sigmoid of the verdicts' change. It is the probabilities that are compared: the sigmoid of each verdict, then the difference.",
            ),
            Misconception(
                signed_changes_added_up,
                "The changes keep their signs and are added up, so they cancel, and more orders do not average out. Take absolute values and their mean.",
            ),
            Misconception(
                signed_the_other_way,
                "This is the mean of before less after with its sign, so changes cancel. Take the absolute value of each, then the mean.",
            ),
            Misconception(
                median_taken,
                "This is the median over the orders, as in the paper. Asked for is the mean.",
            ),
            Misconception(
                largest_change,
                "This is the largest change of all orders. Asked for is their mean.",
            ),
            Misconception(
                root_of_the_mean_square,
                "The changes are squared, averaged, and the root is taken, which counts large ones more. Asked for is the mean of the absolute changes.",
            ),
            Misconception(
                both_classes_added,
                "The change is counted twice, for praise and for its opposite. Asked for is that of the probability of praise.",
            ),
            Misconception(
                relative_to_the_probability,
                "The change is divided by the probability before. Asked for is the change itself.",
            ),
            Misconception(
                permuted_probability,
                "This is the mean probability after permuting. Subtract the one before and take the absolute value, for each order.",
            ),
        ),
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
