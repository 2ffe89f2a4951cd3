"""A GPT as layers in PyTorch."""

import math

import torch

from solutions.gpt.common import (
    cache_bytes,  # noqa: F401
    logits_that_change,  # noqa: F401
)
from solutions.language_model.in_torch import (
    adamw_step,
    clip_gradients,
    gated_feed_forward,
    next_token_loss,
    rms_norm,
)
from solutions.masked_softmax.in_torch import masked_softmax
from solutions.multi_head.in_torch import (
    join_heads,
    split_heads,
)
from solutions.positions.in_torch import rotary
from solutions.transformer.in_torch import layer_norm


class RotaryAttention(torch.nn.Module):
    """Causal attention with rotary positions and a cache.

    d: features of the input and of the result
    num_heads: of the queries; divides d
    num_kv_heads: of keys and values; divides num_heads
    base: of the rotary positions
    """

    def __init__(
        self,
        d,
        num_heads,
        num_kv_heads,
        base=10000,
    ):
        super().__init__()
        self.base = base
        self.num_heads = num_heads
        self.num_kv_heads = num_kv_heads
        shared = d // num_heads * num_kv_heads
        self.W_q = torch.nn.Linear(d, d, bias=False)
        self.W_k = torch.nn.Linear(d, shared, bias=False)
        self.W_v = torch.nn.Linear(d, shared, bias=False)
        self.W_o = torch.nn.Linear(d, d, bias=False)

    def forward(self, X, cache=None):
        """Attend to the cached tokens and to those of X.

        X: (batch, num_tokens, d), new tokens only
        cache: None, or a dictionary, empty at first
        """
        cache = {} if cache is None else cache
        # (batch * heads, num_tokens, head_size)
        Q = split_heads(self.W_q(X), self.num_heads)
        K = split_heads(self.W_k(X), self.num_kv_heads)
        V = split_heads(self.W_v(X), self.num_kv_heads)
        past = cache["keys"].shape[1] if cache else 0
        end = past + X.shape[1]
        places = torch.arange(past, end, device=X.device)
        Q = rotary(Q, places.repeat(len(Q), 1), self.base)
        K = rotary(K, places.repeat(len(K), 1), self.base)
        if cache:
            K = torch.cat([cache["keys"], K], dim=1)
            V = torch.cat([cache["values"], V], dim=1)
        cache["keys"], cache["values"] = K, V
        # Each head of keys for a group of query heads
        group = self.num_heads // self.num_kv_heads
        K = K.repeat_interleave(group, dim=0)
        V = V.repeat_interleave(group, dim=0)
        scores = torch.bmm(Q, K.transpose(1, 2))
        scores = scores / math.sqrt(Q.shape[-1])
        # The token at place p sees p + 1 keys.
        ends = (places + 1).repeat(len(Q), 1)
        context = torch.bmm(masked_softmax(scores, ends), V)
        return self.W_o(join_heads(context, self.num_heads))


class RMSNorm(torch.nn.Module):
    """The norm of a GPT's block, with a learned gain.

    d: features
    """

    def __init__(self, d):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(d))

    def forward(self, X):
        """X: (batch, num_tokens, d)"""
        return rms_norm(X, self.weight)


class GPTBlock(torch.nn.Module):
    """Attention and gated layers, each after its norm.

    d: features of the input and of the result
    num_heads, num_kv_heads, base: of the attention
    hidden: units of the gated feed-forward layers
    """

    def __init__(
        self,
        d,
        num_heads,
        num_kv_heads,
        hidden,
        base=10000,
    ):
        super().__init__()
        heads = (num_heads, num_kv_heads, base)
        self.norm1 = RMSNorm(d)
        self.attention = RotaryAttention(d, *heads)
        self.norm2 = RMSNorm(d)
        self.W_gate = torch.nn.Linear(d, hidden, bias=False)
        self.W_up = torch.nn.Linear(d, hidden, bias=False)
        self.W_down = torch.nn.Linear(hidden, d, bias=False)

    def forward(self, X, cache=None):
        """X reaches the result through sums only.

        X: (batch, num_tokens, d), new tokens only
        cache: None, or the attention's dictionary
        """
        X = X + self.attention(self.norm1(X), cache)
        N = self.norm2(X)
        # A layer keeps its matrix transposed.
        gate, up = self.W_gate.weight.T, self.W_up.weight.T
        down = self.W_down.weight.T
        return X + gated_feed_forward(N, gate, up, down)


class GPT(torch.nn.Module):
    """Tokens in, logits for the next token out.

    vocabulary_size: how many tokens there are
    d, num_heads, num_kv_heads, hidden: of every block
    num_blocks: how many blocks
    base: of the rotary positions
    """

    def __init__(
        self,
        vocabulary_size,
        d,
        num_heads,
        num_kv_heads,
        hidden,
        num_blocks,
        base=10000,
    ):
        super().__init__()
        sizes = (d, num_heads, num_kv_heads, hidden, base)
        v = vocabulary_size
        self.embedding = torch.nn.Embedding(v, d)
        self.blocks = torch.nn.ModuleList()
        for _ in range(num_blocks):
            self.blocks.append(GPTBlock(*sizes))
        self.norm = RMSNorm(d)

    def forward(self, tokens, caches=None):
        """Logits (batch, num_tokens, vocabulary_size).

        tokens: (batch, num_tokens), new tokens only
        caches: None, or a dictionary for each block
        """
        X = self.embedding(tokens)
        for i, block in enumerate(self.blocks):
            cache = None if caches is None else caches[i]
            X = block(X, cache)
        # The embedding once more: weight tying
        return self.norm(X) @ self.embedding.weight.T


def generate(model, tokens, num_new, choose):
    """Append tokens one by one; the model reads each once.

    model: a GPT
    tokens: (batch, num_tokens), the beginning
    num_new: how many tokens to append
    choose: logits (batch, vocabulary_size) to (batch, 1)
    """
    caches = [{} for _ in model.blocks]
    new = tokens
    for _ in range(num_new):
        logits = model(new, caches)
        new = choose(logits[:, -1])
        tokens = torch.cat([tokens, new], dim=1)
    return tokens


def training_step(model, tokens, state, rate):
    """One step of training; the loss in nats for a token.

    model: a GPT
    tokens: (batch, num_tokens)
    state: a dictionary, empty at first; updated in place
    rate: of this step
    """
    arrays = list(model.parameters())
    loss = next_token_loss(model(tokens), tokens, None)
    model.zero_grad()
    loss.backward()
    # Matrices decay, gains and biases do not.
    rates = [0.1 * (a.ndim > 1) for a in arrays]
    decay = map(torch.full_like, arrays, rates)
    # Each array as a part of one row
    row = torch.cat([a.detach().flatten() for a in arrays])
    gradients = [a.grad.flatten() for a in arrays]
    gradients = torch.cat(gradients)
    decay = torch.cat([d.flatten() for d in decay])
    zeros = torch.zeros_like(row)
    mean = state.get("mean", zeros)
    square = state.get("square", zeros)
    step = state.get("step", 0) + 1
    gradients = clip_gradients(gradients, 1.0)
    row, mean, square = adamw_step(
        row, gradients, mean, square, step, rate, decay
    )  # fmt: skip
    begin = 0
    for a in arrays:
        end = begin + a.numel()
        a.data = row[begin:end].reshape(a.shape)
        begin = end
    state.update(mean=mean, square=square, step=step)
    return loss.item()


class LayerNorm(torch.nn.Module):
    """The norm of GPT-2, with a learned gain and bias.

    d: features
    """

    def __init__(self, d):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(d))
        self.bias = torch.nn.Parameter(torch.zeros(d))

    def forward(self, X):
        """X: (batch, num_tokens, d)"""
        return layer_norm(X, self.weight, self.bias)


class GPT2Attention(torch.nn.Module):
    """Causal attention of GPT-2, with a cache.

    d: features of the input and of the result
    num_heads: divides d
    """

    def __init__(self, d, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.W_q = torch.nn.Linear(d, d)
        self.W_k = torch.nn.Linear(d, d)
        self.W_v = torch.nn.Linear(d, d)
        self.W_o = torch.nn.Linear(d, d)

    def forward(self, X, cache=None):
        """Attend to the cached tokens and to those of X.

        X: (batch, num_tokens, d), new tokens only
        cache: None, or a dictionary, empty at first
        """
        cache = {} if cache is None else cache
        Q = split_heads(self.W_q(X), self.num_heads)
        K = split_heads(self.W_k(X), self.num_heads)
        V = split_heads(self.W_v(X), self.num_heads)
        past = cache["keys"].shape[1] if cache else 0
        if cache:
            K = torch.cat([cache["keys"], K], dim=1)
            V = torch.cat([cache["values"], V], dim=1)
        cache["keys"], cache["values"] = K, V
        scores = torch.bmm(Q, K.transpose(1, 2))
        scores = scores / math.sqrt(Q.shape[-1])
        end = past + X.shape[1]
        ends = torch.arange(past, end, device=X.device) + 1
        ends = ends.repeat(len(Q), 1)
        context = torch.bmm(masked_softmax(scores, ends), V)
        return self.W_o(join_heads(context, self.num_heads))


class GPT2Block(torch.nn.Module):
    """Attention and two layers, each after its norm.

    d, num_heads: of the attention
    hidden: units between the two layers
    """

    def __init__(self, d, num_heads, hidden):
        super().__init__()
        self.norm1 = LayerNorm(d)
        self.attention = GPT2Attention(d, num_heads)
        self.norm2 = LayerNorm(d)
        self.W_up = torch.nn.Linear(d, hidden)
        self.W_down = torch.nn.Linear(hidden, d)

    def forward(self, X, cache=None):
        """X reaches the result through sums only.

        X: (batch, num_tokens, d), new tokens only
        cache: None, or the attention's dictionary
        """
        X = X + self.attention(self.norm1(X), cache)
        H = self.W_up(self.norm2(X))
        # GELU, by a tanh
        inner = 0.7978845608 * (H + 0.044715 * H**3)
        return X + self.W_down(0.5 * H * (1 + inner.tanh()))


class GPT2(torch.nn.Module):
    """The form of 2019: positions are learned.

    vocabulary_size: how many tokens there are
    d, num_heads, hidden: of every block
    num_blocks: how many blocks
    num_positions: the longest text
    """

    def __init__(
        self,
        vocabulary_size,
        d,
        num_heads,
        hidden,
        num_blocks,
        num_positions,
    ):
        super().__init__()
        v, p = vocabulary_size, num_positions
        sizes = (d, num_heads, hidden)
        self.embedding = torch.nn.Embedding(v, d)
        self.positions = torch.nn.Embedding(p, d)
        self.blocks = torch.nn.ModuleList()
        for _ in range(num_blocks):
            self.blocks.append(GPT2Block(*sizes))
        self.norm = LayerNorm(d)

    def forward(self, tokens, caches=None):
        """Logits (batch, num_tokens, vocabulary_size).

        tokens: (batch, num_tokens), new tokens only
        caches: None, or a dictionary for each block
        """
        caches = caches or [{} for _ in self.blocks]
        first = caches[0]
        past = first["keys"].shape[1] if first else 0
        end, device = past + tokens.shape[1], tokens.device
        places = torch.arange(past, end, device=device)
        X = self.embedding(tokens) + self.positions(places)
        for block, cache in zip(self.blocks, caches):
            X = block(X, cache)
        # The embedding once more: weight tying
        return self.norm(X) @ self.embedding.weight.T
