"""Facts of the chapter on looking inside a model that no exercise checks."""

import numpy as np
import pytest

from exercises.looking_inside import HEADS
from solutions.looking_inside.in_numpy import (
    equal_weights_score,
    induction_score,
    joined,
    previous_token_score,
    remove_heads,
    scores_near_one,
)
from solutions.multi_head.in_numpy import multi_head_attention
from tools.drawings.looking_inside import WORDS, induction


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def finds(tokens, t):
    """The loop of the chapter."""
    return [j + 1 for j in range(t) if tokens[j] == tokens[t]]


def test_two_heads_continue_the_text_of_the_drawing():
    weights, guess = induction(WORDS)
    assert guess == WORDS[3] == "ran"
    assert weights[3] > 0.9


def test_the_induction_score_is_that_of_the_loop(rng):
    tokens = rng.integers(5, size=(3, 9))
    weights = rng.random(size=(3, 2, 9, 9))
    scores = [
        weights[b, :, t, finds(row, t)].sum(axis=0)
        for b, row in enumerate(tokens)
        for t in range(9)
        if finds(row, t)
    ]
    assert induction_score(weights, tokens) == pytest.approx(np.mean(scores, axis=0))


def test_a_perfect_head_of_each_kind_scores_one():
    tokens = np.tile(np.arange(4), (2, 3))
    before, after = np.eye(12, k=-1), np.eye(12, k=-3)
    heads = np.broadcast_to(np.stack([before, after]), (2, 2, 12, 12))
    assert previous_token_score(heads) == pytest.approx([1, 0])
    assert induction_score(heads, tokens) == pytest.approx([0, 1])


def test_equal_weights_set_what_chance_gives():
    tokens = np.tile(np.arange(4), (1, 2))
    even = (np.tri(8) / np.arange(1, 9)[:, None])[None, None]
    assert previous_token_score(even) == pytest.approx(np.mean([1 / t for t in range(2, 9)]))
    # In the second reading each query has one find among the keys that it sees.
    assert induction_score(even, tokens) == pytest.approx(np.mean([1 / t for t in range(5, 9)]))


def test_with_all_heads_kept_the_layer_is_that_of_multi_head_attention(rng):
    X, size = rng.normal(size=(2, 5, 6)), 2
    W_q, W_k, W_v, W_o = rng.normal(size=(4, 6, 6))
    whole, weights = multi_head_attention(X, X, X, None, 6, 3, W_q, W_k, W_v, W_o)
    values = (X @ W_v.T).reshape(2, 5, 3, size).swapaxes(1, 2)
    contexts = weights.reshape(2, 3, 5, 5) @ values
    instead = rng.normal(size=(3, size))
    assert remove_heads(contexts, W_o, np.ones(3), instead) == pytest.approx(whole)


def test_a_layer_is_the_sum_of_what_is_left_when_all_others_are_zero(rng):
    contexts, W_o = rng.normal(size=(2, 3, 4, 2)), rng.normal(size=(6, 6))
    alone = [remove_heads(contexts, W_o, mask, np.zeros((3, 2))) for mask in np.eye(3)]
    assert sum(alone) == pytest.approx(joined(contexts) @ W_o.T)


def test_a_constant_head_can_be_replaced_by_its_mean_and_not_by_zero(rng):
    contexts, W_o = rng.normal(size=(2, 2, 4, 3)), rng.normal(size=(6, 6))
    contexts[:, 0] = 10
    whole, mask, means = joined(contexts) @ W_o.T, np.array([0, 1]), contexts.mean(axis=(0, 2))
    assert remove_heads(contexts, W_o, mask, means) == pytest.approx(whole)
    assert abs(remove_heads(contexts, W_o, mask, 0 * means) - whole).max() > 1


@pytest.mark.parametrize("head", HEADS)
def test_the_score_that_is_one_is_that_of_the_head(head):
    looks, period = head.split(", passages of ")
    tokens = np.arange(24)[None] % int(period)
    places = np.arange(24)
    back = (
        {"itself": 0, "the first token": places}.get(looks) if " back" not in looks else int(looks.split()[0])
    )
    weights = np.eye(24)[np.maximum(places - back, 0)][None, None]
    scores = {"previous": previous_token_score(weights), "induction": induction_score(weights, tokens)}
    ones = [name for name, score in scores.items() if score == pytest.approx(1)]
    assert scores_near_one(head) == {0: "neither", 1: (ones or [""])[0], 2: "both"}[len(ones)]


@pytest.mark.parametrize(("num_tokens", "period"), [(24, 6), (23, 4), (9, 8), (7, 1)])
def test_the_score_of_equal_weights_is_that_of_the_reference(num_tokens, period):
    equal = np.tri(num_tokens) / np.arange(1, num_tokens + 1)[:, None]
    tokens = np.arange(num_tokens)[None] % period
    assert induction_score(equal[None, None], tokens) == pytest.approx(
        equal_weights_score(num_tokens, period)
    )
