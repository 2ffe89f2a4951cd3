"""Wrong answers that only the ends of what a statement promises show: each is rejected, whatever the seed."""

import pytest

from autograder.checking.check import LocalTransport
from autograder.diagnose.diagnosis import diagnose
from autograder.model.catalogue import all_exercises
from tests.support import need
from tools.wrong_versions import define, wrong_source

SEEDS = range(5)
FAR_GROUP = """
def merge_partial(context, log_sum, context_2, log_sum_2):
    part = torch.sigmoid(log_sum - log_sum_2)
    total = log_sum + torch.log(1 + torch.exp(log_sum_2 - log_sum))
    return part * context + (1 - part) * context_2, total
"""
ZERO_BESIDE_EXPS = """
def softmax_with_zero(scores, valid_length):
    valid = torch.arange(scores.shape[-1]) < valid_length.reshape(-1, 1, 1)
    scores = scores.masked_fill(~valid, -1e6)
    highest = scores.amax(-1, keepdim=True)
    exps = (scores - highest).exp() * valid
    return exps / ((-highest).exp() + exps.sum(-1, keepdim=True))
"""
LAST_BY_ARGMAX = """
def top_p(probabilities, p):
    ranked = probabilities.sort(dim=-1, descending=True)[0]
    last = (ranked.cumsum(dim=-1) >= p).int().argmax(dim=-1, keepdim=True)
    kept = probabilities * (probabilities >= ranked.gather(1, last))
    return kept / kept.sum(dim=-1, keepdim=True)
"""
CLOSED_FORM = """
def speculative_gain(a, num_proposed, cost):
    return (1 - a ** (num_proposed + 1)) / (1 - a) / (1 + num_proposed * cost)
"""
OTHER_NORM = """
class OtherNorm(RMSNorm):
    def forward(self, X):
        return torch.nn.functional.rms_norm(X, X.shape[-1:], self.weight, {epsilon})


"""


VARIANCE_OF_SQUARES = (
    "centred.square().mean(dim=-1, keepdim=True)",
    "X.square().mean(dim=-1, keepdim=True) - mean.square()",
)
DECAY_BY_NAME = (
    "[0.1 * (a.ndim > 1) for a in arrays]",
    '[0.1 * name.endswith("weight") for name, _ in model.named_parameters()]',
)
LATE_MASK = """
def late(scores, visible):
    weights = scores.softmax(dim=-1) * visible
    return weights / weights.sum(dim=-1, keepdim=True)


"""
PADDING = "masked_softmax(0 * scores, valid_length) > 0"
LATE_MASKS = {
    "latent_attention": ("hidden.softmax(dim=-1)", "late(scores, ~later)"),
    "absorbed_attention": ("hidden.softmax(dim=-1)", "late(scores, ~later)"),
    "local_predictive": ("filled.softmax(dim=-1) * inside", "late(scores, inside)"),
    "rotary_attention": (
        "masked_softmax(scores, ends)",
        "late(scores, torch.arange(end) < ends.unsqueeze(-1))",
    ),
    "multi_head_attention": ("masked_softmax(scores, valid_length)", f"late(scores, {PADDING})"),
    "linear_bias": ("hidden.softmax(dim=-1)", "late(biased, distance >= 0)"),
    "induced_attention": ("masked_softmax(scores, valid_length)", f"late(scores, {PADDING})"),
    "graph_attention": ("hidden.softmax(dim=-1)", "late(scores, edges)"),
    "sparse_weights": ("filled.softmax(dim=-1)", "late(scores, visible)"),
    "grouped_query": ("hidden.softmax(dim=-1)", "late(scores, ~later)"),
    "indexed_weights": ("filled.softmax(dim=-1)", "late(scores, ~hidden)"),
}

MASKED = """
def {entry}(X, valid_length):
    mask = torch.ones(X.shape, dtype=torch.bool)
    if valid_length is not None:
        lengths = valid_length.reshape(len(X), -1, 1)
        mask = (torch.arange(X.shape[2]) < lengths).expand_as(X)
    identity = torch.eye(X.shape[2], dtype=X.dtype).expand(len(X), -1, -1)
    return {call}.masked_fill(~mask, 0)
"""
LIBRARYS_OWN = {
    "softmax": "torch.masked.softmax(X, -1, mask=mask)",
    "softmin": "torch.masked.softmin(-X, -1, mask=mask)",
    "log_softmax": "torch.masked.log_softmax(X, -1, mask=mask).exp()",
    "operator": "torch._masked_softmax(X, ~mask, 2, 2)",
    "attention": "torch.nn.functional.scaled_dot_product_attention(X, identity, identity, mask, scale=1.0)",
}


def with_another_epsilon(name, norm, epsilon):
    """The solution with another epsilon in one of its norms."""
    exercise = all_exercises()[name]
    if exercise.topic == "gpt":
        edit = f"self.{norm} = RMSNorm", f"self.{norm} = OtherNorm"
        return OTHER_NORM.format(epsilon=epsilon) + wrong_source(exercise, "torch", edit)
    edit = f"self.{norm} = torch.nn.LayerNorm(d", f"self.{norm} = torch.nn.LayerNorm(d, eps={epsilon}"
    return wrong_source(exercise, "torch", edit)


def with_an_epsilon_in_the_logarithm():
    edit = "scores.log_softmax(dim=-1)", "(scores.softmax(dim=-1) + 1e-12).log()"
    return wrong_source(all_exercises()["reinforce_loss"], "torch", edit)


NORMS = {
    "encoder_block": ("norm1", "norm2"),
    "decoder_block": ("norm1", "norm2", "norm3"),
    "gpt_block": ("norm1", "norm2"),
    "gpt": ("norm",),
}


def assert_not_accepted(name, source):
    """Judge it with several seeds."""
    exercise = all_exercises()[name]
    entry = define(exercise, "torch", source)
    for seed in SEEDS:
        verdict = diagnose(exercise, LocalTransport("torch", entry), "torch", seed)
        assert verdict.outcome in ("rejected", "error"), f"seed {seed}: {verdict}"


@pytest.mark.parametrize(
    ("name", "source"),
    [
        ("merge_partial", FAR_GROUP),
        ("softmax_with_zero", ZERO_BESIDE_EXPS),
        ("top_p", LAST_BY_ARGMAX),
        ("speculative_gain", CLOSED_FORM),
    ],
    ids=lambda value: value if value.isidentifier() else "wrong",
)
def test_a_formula_that_fails_at_an_end_of_its_range_is_rejected(name, source):
    need("torch")
    assert_not_accepted(name, source)


@pytest.mark.parametrize("epsilon", ["1e-6", "1e-12"])
@pytest.mark.parametrize(("name", "norm"), [(name, norm) for name in NORMS for norm in NORMS[name]])
def test_another_epsilon_in_one_norm_is_rejected(name, norm, epsilon):
    need("torch")
    assert_not_accepted(name, with_another_epsilon(name, norm, epsilon))


def test_an_epsilon_in_a_logarithm_is_rejected():
    need("torch")
    assert_not_accepted("reinforce_loss", with_an_epsilon_in_the_logarithm())


@pytest.mark.parametrize("name", LATE_MASKS)
def test_a_mask_after_the_softmax_and_a_division_by_the_sum_are_rejected(name):
    """Where a hidden key scores far above the rest, the sum is 0."""
    need("torch")
    source = wrong_source(all_exercises()[name], "torch", LATE_MASKS[name])
    assert_not_accepted(name, LATE_MASK + source)


@pytest.mark.parametrize("way", LIBRARYS_OWN)
@pytest.mark.parametrize("name", ["masked_softmax", "masked_softmax_or_zero"])
def test_the_librarys_own_masked_softmax_and_attention_are_refused(name, way):
    need("torch")
    exercise = all_exercises()[name]
    source = MASKED.format(entry=exercise.entry, call=LIBRARYS_OWN[way])
    verdict = diagnose(exercise, LocalTransport("torch", define(exercise, "torch", source)), "torch", 0)
    assert verdict.outcome == "rejected" and "which the exercise asks you to write" in verdict.message, (
        verdict
    )


@pytest.mark.parametrize("name", ["masked_softmax", "masked_softmax_or_zero"])
def test_an_ordinary_softmax_of_masked_scores_is_not_refused(name):
    need("torch")
    exercise = all_exercises()[name]
    call = "X.masked_fill(~mask, torch.finfo(X.dtype).min).softmax(dim=-1)"
    source = MASKED.format(entry=exercise.entry, call=call)
    verdict = diagnose(exercise, LocalTransport("torch", define(exercise, "torch", source)), "torch", 0)
    assert verdict.outcome == "accepted", verdict


def test_a_variance_that_single_precision_loses_is_rejected():
    """The mean of the squares minus the square of the mean, where the mean is large beside the spread."""
    need("torch")
    source = wrong_source(all_exercises()["layer_norm"], "torch", VARIANCE_OF_SQUARES)
    assert_not_accepted("layer_norm", source)


def test_a_decay_of_all_arrays_that_are_called_weight_is_rejected():
    """A gain is called so too, and has one axis."""
    need("torch")
    source = wrong_source(all_exercises()["training_step"], "torch", DECAY_BY_NAME)
    assert_not_accepted("training_step", source)
