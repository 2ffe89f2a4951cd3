"""Facts of the chapter on memory that no exercise checks."""

import numpy as np
import pytest

from solutions.masked_softmax.in_numpy import softmax
from solutions.memory.in_numpy import copy_distribution, location_addressing, memory_hops
from solutions.score_functions.in_numpy import cosine_score
from tests.support import need


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def weights(rng, *shape):
    return softmax(rng.normal(size=shape))


def test_the_shift_is_the_convolution_around_the_ring_of_the_paper(rng):
    # Graves et al. (2014), equation 8: the sum over j of w_j s_(i-j), indices modulo the number of slots.
    content, shift, n = weights(rng, 2, 5), weights(rng, 2, 3), 5
    one = np.ones((2, 1))
    shifted = location_addressing(content, weights(rng, 2, 5), one, shift, one)
    around = np.zeros((2, n))
    around[:, [-1, 0, 1]] = shift
    for i in range(n):
        expected = sum(content[:, j] * around[:, (i - j) % n] for j in range(n))
        assert shifted[:, i] == pytest.approx(expected)


def test_with_the_gate_at_1_no_shift_and_no_power_the_content_weights_stay(rng):
    content, one = weights(rng, 3, 4), np.ones((3, 1))
    stay = np.tile([0.0, 1.0, 0.0], (3, 1))
    assert location_addressing(content, weights(rng, 3, 4), one, stay, one) == pytest.approx(content)


def test_as_many_whole_steps_as_slots_lead_back(rng):
    previous, one = weights(rng, 1, 6), np.ones((1, 1))
    walked = previous
    for _ in range(6):
        walked = location_addressing(weights(rng, 1, 6), walked, 0 * one, np.array([[0.0, 0.0, 1.0]]), one)
    assert walked == pytest.approx(previous)


def test_shifts_flatten_and_sharpening_undoes_it(rng):
    peaked, shift, one = np.array([[0.0, 1.0, 0.0, 0.0, 0.0]]), np.array([[0.05, 0.1, 0.85]]), np.ones((1, 1))
    largest = {}
    for power in (1, 2):
        walked = peaked
        for _ in range(8):
            walked = location_addressing(peaked, walked, 0 * one, shift, power * one)
        largest[power] = walked[0, (1 + 8) % 5]
    assert largest[1] < 0.4
    assert largest[2] > 0.95


def test_sharpening_is_a_softmax_of_logarithms(rng):
    w, one, stay = weights(rng, 2, 5), np.ones((2, 1)), np.array([[0.0, 1.0, 0.0]] * 2)
    assert location_addressing(w, w, one, stay, 3 * one) == pytest.approx(softmax(3 * np.log(w)))


def test_content_addressing_is_the_cosine_of_the_chapter_on_scores():
    memory = np.array([[[0, 1], [1, 0], [1, 1], [-1, 0], [0, -1]]], dtype=float)
    result = softmax(12 * cosine_score(np.array([[[1.0, 0.0]]]), memory))[0, 0]
    assert result.argmax() == 1
    assert result[1] == pytest.approx(0.971, abs=5e-4)


def test_hops_can_be_taken_one_by_one(rng):
    queries, keys, values = rng.normal(size=(3, 2, 4, 3))
    lengths = np.array([2, 4])
    once = memory_hops(queries, keys, values, 1, lengths)
    assert memory_hops(once, keys, values, 2, lengths) == pytest.approx(
        memory_hops(queries, keys, values, 3, lengths)
    )


def test_one_hop_gives_the_fact_behind_the_person_the_same_weight_whoever_has_the_ball():
    hot = np.eye(5)  # ball, John, Mary, garden, kitchen
    ball, john, mary, garden, kitchen = hot
    keys = 5 * np.array([ball, john, mary])
    reached = []
    for holder in (john, mary):
        values = np.array([holder, garden, kitchen])
        states = [memory_hops(ball[None, None], keys[None], values[None], n, None)[0, 0] for n in (1, 2)]
        reached.append([state[3] - state[4] for state in states])
    (one_john, two_john), (one_mary, two_mary) = reached
    assert one_john == pytest.approx(one_mary)
    assert two_john > 0.4
    assert two_mary < -0.4


def test_a_pointer_alone_gives_every_position_to_its_word(rng):
    w, tokens = weights(rng, 2, 5), np.array([[0, 3, 3, 6, 3], [6, 6, 6, 6, 6]])
    result = copy_distribution(weights(rng, 2, 5), w, tokens, np.zeros((2, 1)), 7)
    assert result == pytest.approx(
        np.stack([np.bincount(t, row, 7) for t, row in zip(tokens, w, strict=True)])
    )
    assert result[0, 3] == pytest.approx(w[0, [1, 2, 4]].sum())
    assert result[1] == pytest.approx(np.eye(7)[6])


def test_the_mixture_sums_to_1_and_new_words_come_from_the_copy_alone(rng):
    vocabulary, w = weights(rng, 3, 6), weights(rng, 3, 4)
    tokens, generate = rng.integers(9, size=(3, 4)), rng.uniform(size=(3, 1))
    mixture = copy_distribution(vocabulary, w, tokens, generate, 9)
    assert mixture.sum(axis=1) == pytest.approx(1)
    assert mixture[:, 6:] == pytest.approx(
        (1 - generate) * copy_distribution(vocabulary, w, tokens, 0 * generate, 9)[:, 6:]
    )


def test_in_mxnet_a_repeated_or_unknown_word_loses_weight_and_an_empty_array_is_refused():
    need("mxnet")
    import mxnet as mx
    from mxnet import nd

    places = nd.array([[0, 0, 0], [1, 1, 2]])
    result = nd.scatter_nd(nd.array([0.3, 0.4, 0.2]), places, shape=(1, 4)).asnumpy()
    assert result.sum() < 0.7
    assert not nd.one_hot(nd.array([7]), 5).asnumpy().any()
    with pytest.raises(mx.base.MXNetError):
        nd.zeros((2, 0)).wait_to_read()


def test_where_a_weight_is_zero_the_power_has_a_gradient_in_pytorch_and_none_in_mxnet():
    need("mxnet")
    import torch
    from mxnet import autograd, nd

    power = nd.array([2.0])
    power.attach_grad()
    with autograd.record():
        raised = nd.array([0.0]) ** power
    raised.backward()
    assert np.isnan(power.grad.asscalar())
    power = torch.tensor([2.0], requires_grad=True)
    (torch.zeros(1) ** power).sum().backward()
    assert power.grad.item() == 0


def test_in_pytorch_only_scatter_add_adds_up():
    import torch

    tokens, weights = torch.tensor([[4, 2, 4]]), torch.tensor([[0.5, 0.1, 0.4]])
    assert torch.zeros(1, 5).scatter_add(1, tokens, weights)[0, 4].item() == pytest.approx(0.9)
    indexed = torch.zeros(1, 5)
    indexed[torch.tensor([[0]]), tokens] += weights
    for result in (indexed, torch.zeros(1, 5).scatter(1, tokens, weights)):
        assert result[0, 4].item() < 0.6
    with pytest.raises(RuntimeError):
        torch.zeros(1, 5).scatter_add(1, tokens.float(), weights)


def test_a_linear_answer_to_one_reading_is_right_in_three_of_four_stories_at_most_and_a_hidden_layer_in_all():
    hot = np.eye(4)  # John, Mary, garden, kitchen
    stories = [(0, 2), (1, 3), (0, 3), (1, 2)]  # who has the ball, where John is
    weights = np.array([0.5, 0.3, 0.2])
    read = np.array([weights @ hot[[holder, place, 5 - place]] for holder, place in stories])
    assert read[0] + read[1] == pytest.approx(read[2] + read[3])
    tried = np.random.default_rng(0).normal(size=(2000, 5))
    answers = tried[:, :4] @ read.T + tried[:, 4:] > 0
    assert (answers == [True, True, False, False]).sum(axis=1).max() == 3
    units = [read[:, 0] / 0.5 + (read[:, 2] - 0.2) / 0.1, read[:, 1] / 0.5 + (read[:, 3] - 0.2) / 0.1]
    assert np.maximum(np.array(units) - 1, 0).sum(axis=0) == pytest.approx([1, 1, 0, 0])
