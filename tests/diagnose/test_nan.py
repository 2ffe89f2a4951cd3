"""Wrong ideas that leave a row without anything to divide are named, though they give NaN there."""

import warnings

import pytest

from autograder.checking.check import LocalTransport
from autograder.diagnose.diagnosis import diagnose
from autograder.model.catalogue import all_exercises

torch = pytest.importorskip("torch", reason="PyTorch is not installed.")


def put_back(needed, in_order=True):
    """Top-p as students write it: sort, cut, put back into the columns, divide."""

    def top_p(probabilities, p):
        ranked, order = probabilities.sort(-1, descending=True)
        if not in_order:
            ranked, order = probabilities, torch.arange(probabilities.shape[1]).expand_as(probabilities)
        total = ranked.cumsum(-1)
        shares = torch.zeros_like(probabilities).scatter(-1, order, ranked * needed(total, p))
        return shares / shares.sum(-1, keepdim=True)

    return top_p


def cut(scores):
    weights = scores.softmax(-1)
    shares = torch.where(weights < 0.2, 0, weights)
    return shares / shares.sum(-1, keepdim=True)


@pytest.mark.parametrize(
    ("exercise", "answer", "idea"),
    [
        ("top_p", put_back(lambda total, p: total <= p), "crossing_token_and_equal_ones_cut"),
        ("top_p", put_back(lambda total, p: total < p), "reaching_token_and_equal_ones_cut"),
        ("top_p", put_back(lambda total, p: total <= p, in_order=False), "not_sorted_crossing_left_out"),
        ("sparsemax", cut, "cut_at_a_fixed_limit"),
    ],
)
def test_an_idea_that_divides_by_nothing_is_named(exercise, answer, idea):
    for seed in range(4):
        verdict = diagnose(all_exercises()[exercise], LocalTransport("torch", answer), "torch", seed)
        assert verdict.misconception == idea, verdict


def test_nan_alone_names_no_idea():
    verdict = diagnose(
        all_exercises()["sparsemax"], LocalTransport("torch", lambda scores: scores * torch.nan), "torch"
    )
    assert verdict.misconception is None and " is nan; every entry must be finite." in verdict.message


def test_what_numpy_warns_of_in_wrong_numbers_is_not_written_on_a_terminal():
    def online_softmax_step(maximum, total, context, scores, values):
        return 0 * maximum.clamp(min=-1), 0 * total, 0 * context

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        transport = LocalTransport("torch", online_softmax_step)
        verdict = diagnose(all_exercises()["online_softmax_step"], transport, "torch", 3)
    assert verdict.outcome == "rejected" and verdict.points == 0
