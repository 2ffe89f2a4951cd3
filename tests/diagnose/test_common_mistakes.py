"""Wrong answers as learners write them from the statement alone: what many would write has a name, and a true one."""

import pytest

from autograder import check
from autograder.model.catalogue import all_exercises
from tests.support import need
from tools.wrong_versions import define

IMPORTS = "import math\nimport torch\nfrom torch import nn\nimport torch.nn.functional as F\n"
EXPECTED = {
    ("masked_softmax_or_zero", "masked_exponential_overflows"): """
def masked_softmax_or_zero(X, valid_length):
    steps = torch.arange(X.shape[-1])
    mask = steps[None, None, :] < valid_length[:, None, None] if valid_length.dim() == 1 else steps < valid_length[:, :, None]
    e = torch.exp(X) * mask
    return e / (e.sum(-1, keepdim=True) + 1e-9)
""",
    ("reinforce_loss", "mean_loss_of_the_batch"): """
def reinforce_loss(scores, index, rewards, baseline):
    r = torch.tensor(rewards, dtype=scores.dtype)
    ce = F.cross_entropy(scores, index.long(), reduction="none")
    return ((r - baseline) * ce).mean()
""",
    ("shift_right", "first_token_everywhere"): """
def shift_right(tokens, start):
    out = tokens.clone()
    for i in range(1, out.shape[1]):
        out[:, i] = out[:, i - 1]
    out[:, 0] = start
    return out
""",
    ("decoder_block", "past_cut_at_the_source_length"): """
class DecoderBlock(nn.Module):
    def __init__(self, num_hiddens, num_heads, ffn_hiddens):
        super().__init__()
        self.self_attention = MultiHeadAttention(num_hiddens, num_heads)
        self.cross_attention = MultiHeadAttention(num_hiddens, num_heads)
        self.ffn1 = nn.Linear(num_hiddens, ffn_hiddens)
        self.ffn2 = nn.Linear(ffn_hiddens, num_hiddens)
        self.norm1 = nn.LayerNorm(num_hiddens)
        self.norm2 = nn.LayerNorm(num_hiddens)
        self.norm3 = nn.LayerNorm(num_hiddens)
    def forward(self, X, memory, source_length=None):
        n = X.shape[1]
        steps = torch.arange(1, n + 1).repeat(X.shape[0], 1)
        if source_length is not None:
            steps = torch.minimum(steps, source_length[:, None])
        Y = self.norm1(X + self.self_attention(X, X, X, steps))
        Z = self.norm2(Y + self.cross_attention(Y, memory, memory, source_length))
        return self.norm3(Z + self.ffn2(torch.relu(self.ffn1(Z))))
""",
    ("straight_through", "noise_not_divided_in_the_slope"): """
def straight_through(scores, noise, temperature):
    soft = torch.softmax(scores / temperature + noise, -1)
    hard = F.one_hot((scores + noise).argmax(-1), scores.shape[-1]).float()
    return hard + soft - soft.detach()
""",
    ("hopfield_step", "log_sum_without_beta"): """
def hopfield_step(states, patterns, beta):
    s = states @ patterns.T
    new = torch.softmax(beta * s, -1) @ patterns
    M2 = (patterns ** 2).sum(-1).max()
    E = -torch.logsumexp(s, -1) / beta + 0.5 * (states * states).sum(-1) + math.log(len(patterns)) / beta + 0.5 * M2
    return new, E
""",
    ("previous_token_score", "own_token"): """
def previous_token_score(weights):
    n = weights.shape[-1]
    i = torch.arange(1, n)
    return weights[:, :, i, i].mean(dim=(0, 2))
""",
    ("masked_softmax", "length_hides_queries"): """
def masked_softmax(X, valid_length):
    if valid_length is None:
        return torch.softmax(X, -1)
    if valid_length.dim() == 1:
        mask = torch.arange(X.shape[1])[None, :, None] < valid_length[:, None, None]
    else:
        mask = torch.arange(X.shape[-1]) < valid_length[..., None]
    return torch.softmax(X.masked_fill(~mask, -1e9), -1)
""",
    ("positional_encoding", "exponent_over_an_even_width"): """
def positional_encoding(num_positions, d):
    D = d + d % 2
    p = torch.arange(num_positions).float()[:, None]
    w = 10000 ** (-torch.arange(0, D, 2).float() / D)
    P = torch.stack([torch.sin(p * w), torch.cos(p * w)], dim=-1).reshape(num_positions, D)
    return P[:, :d]
""",
    ("feed_forward_pooling", "exponentials_overflow"): """
class FeedForwardPooling(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.score = nn.Linear(features, 1, bias=False)
    def forward(self, X, mask=None):
        e = torch.exp(self.score(X).squeeze(-1))
        if mask is not None:
            e = e * mask
        a = e / (e.sum(1, keepdim=True) + 1e-8)
        return torch.einsum("bt,btf->bf", a, X), a
""",
    ("nadaraya_watson", "kernel_vanishes"): """
def nadaraya_watson(queries, keys, values, width):
    d2 = ((queries[:, :, None] - keys[:, None]) ** 2).sum(-1)
    w = torch.exp(-d2 / (2 * width ** 2))
    return (w / w.sum(-1, keepdim=True)) @ values
""",
    ("hopfield_step", "mean_length"): """
def hopfield_step(states, patterns, beta):
    w = torch.softmax(beta * patterns @ states.T, 0)
    new = w.T @ patterns
    M = torch.sqrt((patterns ** 2).sum(-1)).mean()
    E = -torch.logsumexp(beta * states @ patterns.T, -1) / beta + (states ** 2).sum(-1) / 2 + math.log(len(patterns)) / beta + M ** 2 / 2
    return new, E
""",
    ("reinforce_loss", "every_index_for_each_image"): """
def reinforce_loss(scores, index, rewards, baseline):
    lp = torch.log_softmax(scores, -1)
    r = torch.tensor(rewards)
    return -(r - baseline) * lp[:, index.long()]
""",
    ("adamw_step", "multiplied_by_the_corrections"): """
def adamw_step(weights, gradients, mean, square, step, rate, decay):
    m = 0.9 * mean + 0.1 * gradients
    s = 0.999 * square + 0.001 * gradients ** 2
    mh, sh = m * (1 - 0.9 ** step), s * (1 - 0.999 ** step)
    return weights - rate * (mh / (sh.sqrt() + 1e-8) + decay * weights), m, s
""",
    ("window_weights", "right_side_unbounded"): """
def window_weights(scores, positions, valid_length, D):
    j = torch.arange(scores.shape[-1])
    inside = (positions.unsqueeze(-1) - j) <= D
    inside = inside & (j < valid_length[:, None, None])
    s = scores.masked_fill(~inside, -1e9)
    return torch.softmax(s, -1) * inside
""",
    ("pool_over_time", "every_length_for_each_review"): """
def pool_over_time(states, valid_length):
    m = (torch.arange(states.shape[1]) < valid_length[:, None])[..., None]
    mean = (states * m).sum(1) / m.sum(1)
    mx = torch.where(m, states, torch.tensor(float("-inf"))).max(1).values
    last = states[:, valid_length.long() - 1]
    return mean, mx, last
""",
    ("masked_loss", "scores_masked_and_words_divided"): """
def masked_loss(scores, wanted, length):
    n = scores.shape[1]
    m = torch.arange(n) < length[:, None]
    s = scores * m[..., None]
    nll = F.cross_entropy(s.transpose(1, 2), wanted.long(), reduction="none")
    return (nll.sum() / m.sum()).reshape(1)
""",
    ("masked_loss", "epsilon_in_the_logarithm"): """
def masked_loss(scores, wanted, length):
    b, n, V = scores.shape
    m = torch.arange(n) < length[:, None]
    p = torch.softmax(scores, -1).gather(2, wanted.long()[..., None])[..., 0]
    return (-(torch.log(p + 1e-8) * m).sum() / m.sum()).reshape(1)
""",
    ("hierarchical_attention", "weighted_words_averaged"): """
def hierarchical_attention(states, valid_length, word_query, sentence_query):
    m = torch.arange(states.shape[2]) < valid_length[..., None]
    a = torch.softmax((states @ word_query).masked_fill(~m, -1e9), -1) * m
    v = (a[..., None] * states).mean(2)
    b = torch.softmax((v @ sentence_query).masked_fill(valid_length == 0, -1e9), -1)
    return (b[..., None] * v).sum(1), b, a
""",
    ("reinforce_loss", "epsilon_in_the_logarithm"): """
def reinforce_loss(scores, index, rewards, baseline):
    p = torch.softmax(scores, -1).clamp(min=1e-10)
    r = torch.tensor(rewards)
    return -(r - baseline) * p.log().gather(1, index.long()[:, None])[:, 0]
""",
    ("next_token_loss", "epsilon_in_the_logarithm"): """
def next_token_loss(logits, tokens, valid_length):
    p = torch.softmax(logits[:, :-1], -1).gather(2, tokens[:, 1:, None].long())[..., 0]
    nll = -torch.log(p + 1e-9)
    if valid_length is None:
        return nll.mean().reshape(1)
    m = torch.arange(1, tokens.shape[1]) < valid_length[:, None]
    return ((nll * m).sum() / m.sum()).reshape(1)
""",
}
FREE_WORDS = """
def beam_step(log_probs, totals, finished, end):
    beam, V = log_probs.shape
    log_probs = log_probs.clone()
    log_probs[finished] = 0
    best, index = (totals[:, None] + log_probs).reshape(-1).topk(beam)
    return best, index // V, index % V
"""


def verdict_on(exercise, source):
    need("torch")
    entry = define(all_exercises()[exercise], "torch", IMPORTS + source)
    return check(entry, "torch", exercise=exercise)


@pytest.mark.parametrize(("exercise", "idea"), EXPECTED)
def test_a_common_mistake_has_its_name(exercise, idea):
    verdict = verdict_on(exercise, EXPECTED[exercise, idea])
    assert (verdict.outcome, verdict.misconception) == ("rejected", idea), verdict


def test_words_after_the_end_are_told_where_equal_totals_leave_the_order_open():
    message = verdict_on("beam_step", FREE_WORDS).message
    assert "must go on with `end` alone, but hypothesis" in message
