"""The name of a wrong idea does not hang on a number that people choose freely: a limit, an epsilon, a filling."""

import pytest

from autograder import check
from autograder.model.catalogue import all_exercises
from tests.support import need
from tools.wrong_versions import define, wrong_source, wrong_versions

CUT = """def sparsemax(scores):
    weights = scores.softmax(dim=-1)
    kept = weights * (weights > {})
    return kept / kept.sum(dim=-1, keepdim=True)
"""
VERSIONS = wrong_versions()
# An exercise, a wrong idea, what its wrong version in PyTorch holds, and what may stand in its place.
CONSTANTS = (
    (
        "linear_bias",
        "softmax_left_out",
        "-1e6",
        ("-1e9", "-1e4", "-float('inf')", "torch.finfo(torch.float32).min"),
    ),
    ("linear_attention", "relu_features", "relu() + 1", ("relu() + 1e-6", "relu() + 0.01")),
    (
        "masked_softmax",
        "one_key_too_many",
        "-1e6",
        ("-1e9", "-float('inf')", "torch.finfo(torch.float32).min"),
    ),
    ("sparse_weights", "gaps_filled", "<= (window - 1) * dilation", ("< window * dilation",)),
)


def name_of(exercise, source):
    entry = define(all_exercises()[exercise], "torch", source)
    return check(entry, "torch", exercise=exercise).misconception


@pytest.mark.parametrize(
    ("exercise", "idea", "old", "constants"), CONSTANTS, ids=[row[0] for row in CONSTANTS]
)
def test_another_constant_keeps_the_name(exercise, idea, old, constants):
    need("torch")
    source = wrong_source(all_exercises()[exercise], "torch", VERSIONS[exercise, idea, "torch"])
    assert old in source
    assert {other: name_of(exercise, source.replace(old, other)) for other in constants} == dict.fromkeys(
        constants, idea
    )


@pytest.mark.parametrize("limit", [0.05, 0.1, 0.2])
def test_weights_that_are_cut_have_a_name_whatever_the_limit(limit):
    need("torch")
    assert name_of("sparsemax", CUT.format(limit)) == "cut_at_a_fixed_limit"


ANSWERS = {
    ("softmax_with_zero", "no_extra_zero"): """
def softmax_with_zero(scores, valid_length):
    return masked_softmax(scores, valid_length)
""",
    ("softmax_with_zero", "length_not_longer"): """
def softmax_with_zero(scores, valid_length):
    longer = torch.cat([torch.zeros_like(scores[..., :1]), scores], dim=-1)
    weights = masked_softmax(longer, valid_length.clamp(min=1))[..., 1:]
    return weights * (valid_length > 0).reshape(-1, 1, 1)
""",
    ("top_p", "crossing_token_left_out"): """
def top_p(probabilities, p):
    ranked = probabilities.sort(dim=-1, descending=True)[0]
    needed = ranked.masked_fill(ranked.cumsum(dim=-1) > p, 1.0)
    kept = probabilities * (probabilities >= needed.amin(dim=-1, keepdim=True))
    return kept / kept.sum(dim=-1, keepdim=True).clamp(min=1e-12)
""",
    ("induction_score", "token_before_it"): """
def induction_score(weights, tokens):
    same = (tokens.unsqueeze(2) == tokens.unsqueeze(1)).float().tril(-1)
    before = torch.zeros_like(same)
    before[:, :, :-1] = same[:, :, 1:]
    asking = before.amax(dim=2)
    return (weights * before.unsqueeze(1)).sum(dim=(0, 2, 3)) / asking.sum()
""",
    ("induction_score", "later_ones_too"): """
def induction_score(weights, tokens):
    same = (tokens.unsqueeze(2) == tokens.unsqueeze(1)).float() * (1 - torch.eye(tokens.shape[1]))
    after = torch.zeros_like(same)
    after[:, :, 1:] = same[:, :, :-1]
    return (weights * after.unsqueeze(1)).sum(dim=(0, 2, 3)) / same.amax(dim=2).sum()
""",
    ("linear_attention", "read_before_written"): """
def linear_attention(queries, keys, values):
    queries, keys = (torch.nn.functional.elu(X) + 1 for X in (queries, keys))
    weights = (queries @ keys.transpose(1, 2)).tril(-1)
    return weights @ values / weights.sum(dim=-1, keepdim=True).clamp(min=1e-9)
""",
    ("sparsemax", "scores_above_zero_divided"): """
def sparsemax(scores):
    above = scores.relu()
    return above / (above.sum(dim=-1, keepdim=True) + 1e-9)
""",
}


@pytest.mark.parametrize(("exercise", "idea"), ANSWERS, ids="-".join)
def test_the_idea_is_named_in_another_style(exercise, idea):
    need("torch")
    assert name_of(exercise, ANSWERS[exercise, idea]) == idea
