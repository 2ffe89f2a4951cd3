"""A bias, a gradient that is cut off, a result that is not returned: wrong ideas of any exercise have names."""

import textwrap

import numpy as np
import pytest

from autograder.checking.check import LocalTransport
from autograder.diagnose.diagnosis import diagnose
from autograder.diagnose.general_misconceptions import HINTS, PREFIX, with_general_misconception
from autograder.diagnose.matcher import is_known
from autograder.judge.functions import FunctionTransport
from autograder.model.catalogue import all_exercises
from autograder.model.finding import Kind
from autograder.model.verdict import Verdict
from tests.support import need

STATE = """
    import torch
    class AttentionalState(torch.nn.Module):
        def __init__(self, d_v, d_q, units):
            super().__init__()
            self.W_c = torch.nn.Linear(d_v + d_q, units, bias={bias})
        def forward(self, context, queries):
            return self.W_c(torch.cat([{context}, queries], dim=-1)).tanh()
"""
FLATTENED = """
    from mxnet import gluon, nd
    class AttentionalState(gluon.Block):
        def __init__(self, d_v, d_q, units):
            super().__init__()
            self.W_c = gluon.nn.Dense(units, use_bias=False)
        def forward(self, context, queries):
            return self.W_c(nd.concat(context, queries, dim=-1)).tanh()
"""
ATTENTION = """
    import torch
    class DotProductAttention(torch.nn.Module):
        def __init__(self, dropout):
            super().__init__()
            self.dropout = torch.nn.Dropout(dropout)
        def forward(self, queries, keys, values, valid_length):
            return torch.bmm(torch.bmm(queries, keys.transpose(1, 2)).softmax(-1), values)
"""
ONE_RESULT = """
    import torch
    def soft_context(features, scores):
        return (scores.softmax(-1).unsqueeze(-1) * features).sum(1)
"""
NOTHING = """
    def split_heads(X, num_heads):
        X.reshape(X.shape[0], X.shape[1], num_heads, -1)
"""
LIST = """
    def split_heads(X, num_heads):
        return [x for x in X]
"""
IN_PLACE = """
    def split_heads(X, num_heads):
        X *= 1.5
        return X
"""
NO_CACHE = """
    import torch
    def attend_with_cache(query, key, value, cached_keys, cached_values):
        keys = torch.cat([cached_keys, key], dim=1)
        return keys, keys, keys
"""
CONDITION = """
    def masked_softmax_or_zero(X, valid_length):
        return X if valid_length > 0 else 0 * X
"""
OTHER_TYPE = """
    from mxnet import nd
    def shift_right(tokens, start):
        return nd.concat(nd.full((len(tokens), 1), start), tokens[:, :-1], dim=1)
"""
REAL = """
    import torch
    def shift_right(tokens, start):
        return torch.cat([torch.full_like(tokens[:, :1], start), tokens[:, :-1]], dim=1).float()
"""
FLOAT = """
    def head_sizes(num_steps, num_hiddens, num_heads):
        return num_hiddens / num_heads, 4 * num_hiddens**2, num_heads * num_steps**2
"""
IN_PLACE_LATER = """
    from mxnet import nd
    def soft_context(features, scores):
        weights = scores.softmax(axis=-1)
        context = nd.zeros((features.shape[0], features.shape[2]))
        for i in range(features.shape[1]):
            context[:] += weights[:, i : i + 1] * features[:, i]
        return context, weights
"""
SWITCHED_OFF = """
    from mxnet import nd
    def masked_softmax_or_zero(X, valid_length):
        return nd.SequenceMask(X, valid_length, axis=1)
"""
TWO_RESULTS = """
    def split_heads(X, num_heads):
        return X, num_heads
"""
TOO_LARGE = """
    import torch
    def masked_softmax_or_zero(X, valid_length):
        lengths = valid_length[:, None] if valid_length.ndim == 1 else valid_length
        mask = torch.arange(X.shape[-1]) < lengths[..., None]
        return torch.softmax(X + (~mask) * X.new_tensor(-1e9), -1) * mask
"""
# The products as (|q + k|² − |q − k|²) / 4, of which one square is far larger than the scores.
DIGITS_LOST = """
    def scaled_scores(queries, keys):
        q, k = queries[:, :, None] + 300, keys[:, None]
        products = (((q + k) ** 2).sum(-1) - ((q - k) ** 2).sum(-1)) / 4 - 300 * k.sum(-1)
        return products / queries.shape[-1] ** 0.5
"""
INTERCHANGED = """
    def soft_context(features, scores):
        weights = scores.softmax(1)
        return weights, (weights.unsqueeze(-1) * features).sum(1)
"""
COSINE = """
    import torch
    def cosine_score(queries, keys):
        scores = torch.nn.functional.normalize(queries, dim=-1) @ torch.nn.functional.normalize(keys, dim=-1).mT
        return {result}
"""
PLACES = "torch.sin(7 * (queries @ torch.cos(torch.outer(torch.arange(keys.shape[2]), torch.arange(keys.shape[1])))))"
MIXED = "0.5 * scores + 0.4 * torch.sin(5 * scores.mean((0, 2), keepdim=True)) * torch.cos(9 * scores)"
MEMORY = """
    import torch
    class AttentionalState(torch.nn.Module):
        def __init__(self, d_v, d_q, units):
            super().__init__()
            self.W_c = torch.nn.Linear(d_v + d_q, units, bias=False)
            self.joined = None
        def forward(self, context, queries):
            if self.joined is None:
                self.joined = torch.cat([context, queries], dim=-1)
            return self.W_c(self.joined).tanh()
"""
GAIN_OF_ZERO = """
    import torch
    class RMSNorm(torch.nn.Module):
        def __init__(self, d):
            super().__init__()
            self.weight = torch.nn.Parameter(torch.zeros(d))
        def forward(self, X):
            return X * (X.square().mean(-1, keepdim=True) + 1e-5).rsqrt() * self.weight
"""
HIDDEN_AFTERWARDS = """
    import torch
    def decayed_attention(queries, keys, values, decays):
        sums = decays.log().cumsum(dim=1)
        gaps = sums.unsqueeze(2) - sums.unsqueeze(1)
        return (queries @ keys.mT * gaps.exp().tril()) @ values
"""
OWN_CACHE = """
    from solutions.gpt import in_torch
    class RotaryAttention(in_torch.RotaryAttention):
        caches = {}
        def forward(self, X, cache=None):
            own = None if cache is None else self.caches.setdefault(id(cache), (cache, {}))[1]
            return super().forward(X, own)
"""
CACHED_TWICE = """
    from solutions.gpt import in_torch
    class RotaryAttention(in_torch.RotaryAttention):
        def forward(self, X, cache=None):
            result = super().forward(X, cache)
            if cache is not None:
                cache["more"] = in_torch.torch.cat([cache["keys"], cache["values"]])
            return result
"""
# A whole model with one line more.
MODEL = """
    import torch
    from solutions.gpt import in_torch
    class GPT(in_torch.GPT):
        def __init__(self, vocabulary_size, d, num_heads, num_kv_heads, hidden, num_blocks, base=10000):
            super().__init__(vocabulary_size, d, num_heads, num_kv_heads, hidden, num_blocks, base)
            {line}
"""
PLAIN_GAIN = """
    import torch
    class RMSNorm(torch.nn.Module):
        def __init__(self, d):
            super().__init__()
            self.weight = torch.ones(d)
        def forward(self, X):
            return self.weight * X / (X.square().mean(-1, keepdim=True) + 1e-5).sqrt()
"""
LIST_KEPT = """
    from solutions.gpt import in_torch
    def training_step(model, tokens, state, rate):
        loss = in_torch.training_step(model, tokens, state, rate)
        state["losses"] = [loss]
        return loss
"""
LAST_VALUE_ADDED = """
    from solutions.recurrence import in_torch
    def decayed_attention(queries, keys, values, decays):
        return in_torch.decayed_attention(queries, keys, values, decays) + 0.3 * values[:, -1:].tanh()
"""
ANSWERS = [
    (
        "layers_in_a_list",
        "gpt",
        "torch",
        MODEL.format(line="blocks = [*self.blocks]; del self.blocks; self.blocks = blocks"),
    ),
    (
        "parameter_shared",
        "gpt",
        "torch",
        MODEL.format(line="self.blocks = torch.nn.ModuleList([self.blocks[0]] * num_blocks)"),
    ),
    (
        "not_tied",
        "gpt",
        "torch",
        MODEL.format(line="self.head = torch.nn.Linear(d, vocabulary_size, bias=False)"),
    ),
    ("no_parameter", "rms_norm_layer", "torch", PLAIN_GAIN),
    ("not_storable", "training_step", "torch", LIST_KEPT),
    ("reads_too_much", "decayed_attention", "torch", LAST_VALUE_ADDED),
    ("state_kept", "attentional_state", "torch", MEMORY),
    ("other_beginning", "rms_norm_layer", "torch", GAIN_OF_ZERO),
    ("gradient_not_finite", "decayed_attention", "torch", HIDDEN_AFTERWARDS),
    ("cache_empty", "rotary_attention", "torch", OWN_CACHE),
    ("cache_too_large", "rotary_attention", "torch", CACHED_TWICE),
    ("results_interchanged", "soft_context", "torch", INTERCHANGED),
    ("argument_not_used", "cosine_score", "torch", COSINE.format(result=PLACES)),
    ("batch_mixed", "cosine_score", "torch", COSINE.format(result=MIXED)),
    ("factor", "cosine_score", "torch", COSINE.format(result="scores / (3 + keys.shape[1]) ** 0.5")),
    ("one_step_more_or_less", "cosine_score", "torch", COSINE.format(result="scores.tanh()")),
    ("random", "cosine_score", "torch", COSINE.format(result="scores + 0.1 * torch.rand_like(scores)")),
    ("layers_with_bias", "attentional_state", "torch", STATE.format(bias=True, context="context")),
    ("gradient_cut", "attentional_state", "torch", STATE.format(bias=False, context="context.detach()")),
    ("features_flattened", "attentional_state", "mxnet", FLATTENED),
    ("nothing_kept", "dot_product_attention", "torch", ATTENTION),
    ("results_missing", "soft_context", "torch", ONE_RESULT),
    ("nothing_returned", "split_heads", "torch", NOTHING),
    ("list_for_an_array", "split_heads", "torch", LIST),
    ("list_for_an_array", "split_heads", "mxnet", LIST),
    ("several_results", "split_heads", "torch", TWO_RESULTS),
    ("rounding", "masked_softmax_or_zero", "torch", TOO_LARGE),
    ("argument_changed", "split_heads", "torch", IN_PLACE),
    ("none_not_expected", "attend_with_cache", "torch", NO_CACHE),
    ("condition_on_an_array", "masked_softmax_or_zero", "torch", CONDITION),
    ("type_of_a_new_array", "shift_right", "mxnet", OTHER_TYPE),
    ("real_numbers_for_whole_ones", "shift_right", "torch", REAL),
    ("float_for_an_int", "head_sizes", "torch", FLOAT),
    (
        "super_not_called",
        "attentional_state",
        "torch",
        STATE.format(bias=False, context="context").replace("super().__init__()", "pass"),
    ),
    ("in_place_on_the_record", "soft_context", "mxnet", IN_PLACE_LATER),
    ("lengths_switched_off", "masked_softmax_or_zero", "mxnet", SWITCHED_OFF),
]


def verdict_on(name, framework, source, seed=0):
    need(framework)
    exercise = all_exercises()[name]
    namespace = {"__name__": "handed_in"}
    exec(textwrap.dedent(source), namespace)
    return diagnose(exercise, LocalTransport(framework, namespace[exercise.entry]), framework, seed)


@pytest.mark.parametrize(("idea", "name", "framework", "source"), ANSWERS, ids=[a[0] for a in ANSWERS])
def test_an_idea_of_any_exercise_has_a_name_and_a_hint(idea, name, framework, source):
    verdict = verdict_on(name, framework, source)
    assert verdict.misconception == PREFIX + idea, verdict
    assert verdict.hint == HINTS[Kind(idea)]
    assert verdict.points == 0 and is_known(all_exercises()[name], verdict.misconception)


TURNED = {
    "torch": """
    import torch
    def rotary(X, positions, base=10000):
        angles = positions[..., None] * base ** (torch.arange(0, X.shape[-1], 2) / X.shape[-1] / 1.1)
        first, second, cos, sin = X[..., 0::2], X[..., 1::2], angles.cos(), angles.sin()
        return torch.stack([first * cos - second * sin, second * cos + first * sin], -1).reshape(X.shape)
""",
    "mxnet": """
    from mxnet import nd
    def rotary(X, positions, base=10000):
        angles = positions.expand_dims(2) * base ** (nd.arange(0, X.shape[-1], 2) / X.shape[-1] / 1.1).reshape((1, 1, -1))
        first, second, cos, sin = X[:, :, 0::2], X[:, :, 1::2], angles.cos(), angles.sin()
        return nd.stack(first * cos - second * sin, second * cos + first * sin, axis=-1).reshape(X.shape)
""",
}


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("framework", TURNED)
def test_a_rule_that_rounding_breaks_does_not_hide_what_is_wrong(framework, seed):
    """Distances alone count for any frequency; in single precision they do not, at angles in the thousands."""
    verdict = verdict_on("rotary", framework, TURNED[framework], seed)
    assert "dot product" not in verdict.message, verdict
    assert verdict.message.startswith("The values of rotated are not right.")


def shifted_by_position(X, positions, base=10000):
    return X + np.sin(positions)[..., None]


def test_a_rule_that_more_than_rounding_breaks_is_told():
    exercise = all_exercises()["rotary"]
    verdict = diagnose(exercise, FunctionTransport(exercise, shifted_by_position), "numpy")
    assert "the dot products of tokens must stay, but the dot product" in verdict.message, verdict


def test_what_rounding_breaks_is_told_in_whole_words():
    verdict = verdict_on("masked_softmax_or_zero", "torch", TOO_LARGE)
    assert (
        "a number on the way is too large for half precision, as exp(12) is, or so small" in verdict.message
    )
    verdict = verdict_on("scaled_scores", "torch", DIGITS_LOST)
    assert "rounding makes them wrong. Digits are lost where two numbers" in verdict.message
    assert np.exp(np.float32(-104)) == 0 < np.exp(np.float32(-103))
    assert np.exp(np.float16(-18)) == 0 < np.exp(np.float16(-17))


def test_every_idea_is_tested():
    assert {idea for idea, *_ in ANSWERS} == set(HINTS)


def test_neither_a_right_answer_nor_one_that_has_a_name_gets_another():
    right = verdict_on("attentional_state", "torch", STATE.format(bias=False, context="context"))
    assert (right.outcome, right.misconception) == ("accepted", None)
    idea = {"kind": Kind.NOTHING_RETURNED, "misconception": "own", "hint": "its own"}
    verdict = Verdict("x", "torch", "rejected", "It returns None for x", **idea)
    assert with_general_misconception(verdict) == verdict


def test_what_acts_on_one_of_two_results_is_not_said_to_have_no_effect():
    """The index changes with the last entry, and the weights, which follow from a choice, need not."""
    exercise = all_exercises()["indexed_weights"]

    def heads_of_another_query(scores, queries, keys, head_weights, top_k):
        return exercise.reference(scores, queries, keys, head_weights[:, ::-1], top_k)

    verdict = diagnose(exercise, FunctionTransport(exercise, heads_of_another_query), "numpy", 1)
    assert "With other numbers in the last entry of " in verdict.message and "stay" in verdict.message
    assert "no effect" not in verdict.message
