"""Mistakes from public code and from learners that a verdict once gave a wrong name, two names, or none."""

import pytest

from autograder import check
from autograder.model.catalogue import all_exercises
from tests.support import need
from tools.wrong_versions import define

EXPECTED = {
    # `tril` for `triu`, while padding is masked rightly: one mistake, and no token sees itself.
    ("causal_self_attention", "causal_mask_inverted_until_nan"): """
def causal_self_attention(X, W_q, W_k, W_v, valid_length):
    queries, keys, values = X @ W_q, X @ W_k, X @ W_v
    n = X.shape[1]
    scores = queries @ keys.transpose(1, 2) / math.sqrt(queries.shape[-1])
    scores = scores.masked_fill(torch.tril(torch.ones(n, n)).bool(), -math.inf)
    if valid_length is not None:
        scores = scores.masked_fill(torch.arange(n) >= valid_length[:, None, None], -math.inf)
    weights = scores.softmax(-1)
    return weights @ values, weights
""",
    # Right but where all valid scores lie near -800: nothing is set to 0.
    ("masked_softmax", "filled_with_too_small_a_number"): """
def masked_softmax(X, valid_length):
    if valid_length is None:
        return X.softmax(-1)
    lengths = valid_length if valid_length.dim() == 2 else valid_length[:, None].expand(-1, X.size(1))
    kept = torch.arange(X.size(-1)) < lengths[..., None]
    return X.masked_fill(~kept, -{fill}).softmax(-1)
""",
    ("next_token_loss", "shifted_twice"): """
def next_token_loss(logits, tokens, valid_length):
    labels = tokens.clone()
    if valid_length is not None:
        labels[torch.arange(tokens.shape[1]) >= valid_length[:, None]] = -100
    labels = torch.nn.functional.pad(labels[:, 1:], (0, 1), value=-100)
    logits, labels = logits[:, :-1], labels[:, 1:]
    loss = torch.nn.functional.cross_entropy
    return loss(logits.reshape(-1, logits.shape[-1]), labels.reshape(-1), ignore_index=-100).reshape(1)
""",
    ("linear_bias", "slopes_of_two_powers_of_two"): """
def slopes_of(n):
    def power_of_two(n):
        start = 2 ** (-(2 ** -(math.log2(n) - 3)))
        return [start * start**i for i in range(n)]
    if math.log2(n).is_integer():
        return power_of_two(n)
    closest = 2 ** math.floor(math.log2(n))
    return power_of_two(closest) + slopes_of(2 * closest)[0::2][: n - closest]

def linear_bias(scores):
    distance = torch.arange(scores.shape[2]) - torch.arange(scores.shape[2])[:, None]
    biased = scores + torch.tensor(slopes_of(scores.shape[1])).view(1, -1, 1, 1) * distance
    return biased.masked_fill(distance > 0, -math.inf).softmax(-1)
""",
    ("rotary", "base_ignored"): """
def rotary(X, positions, base=10000):
    angles = positions[..., None] * {base} ** (-torch.arange(0, X.shape[-1], 2) / X.shape[-1])
    first, second = X[..., ::2], X[..., 1::2]
    pairs = first * angles.cos() - second * angles.sin(), second * angles.cos() + first * angles.sin()
    return torch.stack(pairs, -1).flatten(-2)
""",
    ("rotary", "neighbours_frequencies_for_halves"): """
def rotary(X, positions, base=10000):
    d = X.shape[-1]
    angles = positions[..., None] / base ** (torch.arange(0, d, 2) / d)
    angles = angles.repeat_interleave(2, -1)
    first, second = X[..., : d // 2], X[..., d // 2 :]
    return X * angles.cos() + torch.cat((-second, first), -1) * angles.sin()
""",
    ("positional_encoding", "column_for_the_pair"): """
def positional_encoding(num_positions, d):
    angles = torch.arange(num_positions)[:, None] / 10000 ** (2 * torch.arange(d) / d)
    encoding = angles.clone()
    encoding[:, 0::2], encoding[:, 1::2] = angles[:, 0::2].sin(), angles[:, 1::2].cos()
    return encoding
""",
    ("rms_norm", "divided_by_the_reciprocal"): """
def rms_norm(X, gain):
    return X / torch.rsqrt(X.pow(2).mean(-1, keepdim=True) + 1e-5) * gain
""",
    ("rms_norm", "one_plus_the_gain"): """
def rms_norm(X, gain):
    return X * torch.rsqrt(X.pow(2).mean(-1, keepdim=True) + 1e-5) * (1.0 + gain)
""",
    # Llama's `sample_top_p`.
    ("top_p", "p_passed_and_equal_ones_cut"): """
def top_p(probabilities, p):
    ranked, order = torch.sort(probabilities, descending=True, dim=-1)
    kept = ranked * ~(ranked.cumsum(-1) - ranked > p)
    kept = torch.zeros_like(probabilities).scatter(1, order, kept)
    return kept / kept.sum(-1, keepdim=True)
""",
    # `TopPLogitsWarper` of transformers, which sorts upwards and so cuts other ones of equal probability.
    ("top_p", "equal_ones_cut"): """
def top_p(probabilities, p):
    ranked, order = torch.sort(probabilities, descending=False)
    removed = ranked.cumsum(-1) <= (1 - p)
    removed[..., -1:] = 0
    kept = probabilities.masked_fill(removed.scatter(1, order, removed), 0.0)
    return kept / kept.sum(-1, keepdim=True)
""",
    ("top_p", "p_as_threshold"): """
def top_p(probabilities, p):
    most = probabilities.amax(-1, keepdim=True)
    kept = probabilities * (probabilities >= most.clamp(max=p))
    return kept / kept.sum(-1, keepdim=True)
""",
    ("hopfield_step", "exponentials_overflow"): """
def hopfield_step(states, patterns, beta):
    scores = beta * (states @ patterns.T)
    log_sum = scores.exp().sum(-1).log() / beta
    longest = (patterns**2).sum(-1).max()
    energies = (states**2).sum(-1) / 2 - log_sum + math.log(len(patterns)) / beta + longest / 2
    return scores.softmax(-1) @ patterns, energies
""",
    ("decayed_attention", "read_before_written"): """
def decayed_attention(queries, keys, values, decays):
    state, contexts = torch.zeros(len(keys), keys.shape[2], values.shape[2]), []
    for t in range(keys.shape[1]):
        now = slice(t, t + 1)
        contexts.append(queries[:, now] @ state)
        state = state * decays[:, now, None] + keys[:, now].transpose(1, 2) @ values[:, now]
    return torch.cat(contexts, dim=1)
""",
    ("adamw_step", "change_added"): """
def adamw_step(weights, gradients, mean, square, step, rate, decay):
    mean, square = 0.9 * mean + 0.1 * gradients, 0.999 * square + 0.001 * gradients**2
    m, s = mean / (1 - 0.9**step), square / (1 - 0.999**step)
    return weights + rate * (m / (s.sqrt() + 1e-8) + decay * weights), mean, square
""",
    # The queries are cut into tiles, and not the keys.
    ("tiled_attention", "queries_in_tiles"): """
def tiled_attention(queries, keys, values, tile):
    contexts = []
    for start in range(0, queries.shape[1], tile):
        part = queries[:, start : start + tile] / math.sqrt(queries.shape[2])
        contexts.append((part @ keys.transpose(1, 2)).softmax(-1) @ values)
    return torch.cat(contexts, dim=1)
""",
    ("rms_norm_layer", "gain_left_out"): """
class RMSNorm(torch.nn.Module):
    def __init__(self, d):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(d))

    def forward(self, X):
        return torch.ones(X.shape[-1]) * X * torch.rsqrt(X.pow(2).mean(-1, keepdim=True) + 1e-5)
""",
    ("nadaraya_watson", "squares_of_the_keys_left_out"): """
def nadaraya_watson(queries, keys, values, width):
    scores = -(queries.square().sum(-1, keepdim=True) - 2 * queries @ keys.transpose(1, 2)) / (2 * width**2)
    return scores.softmax(-1) @ values
""",
    ("reinforce_loss", "mean_log_weight_of_the_batch"): """
def reinforce_loss(scores, index, rewards, baseline):
    return (torch.tensor(rewards) - baseline) * torch.nn.functional.cross_entropy(scores, index)
""",
}
VALUES = {"{fill}": ("100.0", "30.0", "10.0"), "{base}": ("500000.0", "1000.0")}


def answers():
    for (exercise, idea), source in EXPECTED.items():
        mark = next((mark for mark in VALUES if mark in source), None)
        for value in VALUES[mark] if mark else ("",):
            text = source.replace(mark, value) if mark else source
            yield pytest.param(exercise, idea, text, id=f"{exercise}-{idea}-{value}".rstrip("-"))


@pytest.mark.parametrize(("exercise", "idea", "source"), answers())
def test_the_mistake_has_its_name_and_no_other(exercise, idea, source):
    need("torch")
    verdict = check(defined_here(source, exercise), "torch", exercise=exercise)
    assert (verdict.outcome, verdict.misconception) == ("rejected", idea), verdict


def defined_here(source, exercise):
    """What the source of an answer defines."""
    return define(all_exercises()[exercise], "torch", f"import math\nimport torch\n{source}")
