"""The transformer in PyTorch."""

import math

import torch

from solutions.multi_head.in_torch import MultiHeadAttention
from solutions.self_attention.in_torch import (
    positional_encoding,
)


def layer_norm(X, gain, bias):
    """Give each position mean 0 and variance 1; rescale.

    X: (batch, num_steps, num_hiddens)
    gain: (num_hiddens,)
    bias: (num_hiddens,)
    """
    mean = X.mean(dim=-1, keepdim=True)
    centred = X - mean
    # Divided by num_hiddens, not by one less
    variance = centred.square().mean(dim=-1, keepdim=True)
    # Inside the root: it also keeps the gradient finite.
    normalised = centred / torch.sqrt(variance + 1e-5)
    return gain * normalised + bias


class EncoderBlock(torch.nn.Module):
    """Self-attention, then the feed-forward layers.

    num_hiddens: features of the input and of the result
    num_heads: of the attention
    ffn_hiddens: units between the two feed-forward layers
    """

    def __init__(self, num_hiddens, num_heads, ffn_hiddens):
        super().__init__()
        d, h, f = num_hiddens, num_heads, ffn_hiddens
        self.attention = MultiHeadAttention(d, h)
        self.norm1 = torch.nn.LayerNorm(d)
        self.ffn1 = torch.nn.Linear(d, f)
        self.ffn2 = torch.nn.Linear(f, d)
        self.norm2 = torch.nn.LayerNorm(d)

    def forward(self, X, valid_length):
        """Add and normalise after each of the two.

        X: (batch, num_steps, num_hiddens)
        valid_length: None or (batch,)
        """
        context = self.attention(X, X, X, valid_length)
        Y = self.norm1(X + context)
        hidden = self.ffn1(Y).relu()
        return self.norm2(Y + self.ffn2(hidden))


class PreNormBlock(EncoderBlock):
    """The same parts, normalised before each of the two."""

    def forward(self, X, valid_length):
        """X reaches the result through sums only.

        X: (batch, num_steps, num_hiddens)
        valid_length: None or (batch,)
        """
        N = self.norm1(X)
        Y = X + self.attention(N, N, N, valid_length)
        hidden = self.ffn1(self.norm2(Y)).relu()
        return Y + self.ffn2(hidden)


def shift_right(tokens, start):
    """The decoder's input: the target, shifted by one step.

    tokens: (batch, num_steps), two steps at least
    start: the number of the token that begins a sentence
    """
    first = torch.full_like(tokens[:, :1], start)
    # The last token has no successor to predict.
    return torch.cat([first, tokens[:, :-1]], dim=1)


class DecoderBlock(torch.nn.Module):
    """Attention to the past, to the source, feed-forward.

    num_hiddens: features of the inputs and of the result
    num_heads: of both attentions
    ffn_hiddens: units between the two feed-forward layers
    """

    def __init__(self, num_hiddens, num_heads, ffn_hiddens):
        super().__init__()
        d, h, f = num_hiddens, num_heads, ffn_hiddens
        self.self_attention = MultiHeadAttention(d, h)
        self.norm1 = torch.nn.LayerNorm(d)
        self.cross_attention = MultiHeadAttention(d, h)
        self.norm2 = torch.nn.LayerNorm(d)
        self.ffn1 = torch.nn.Linear(d, f)
        self.ffn2 = torch.nn.Linear(f, d)
        self.norm3 = torch.nn.LayerNorm(d)

    def forward(self, X, memory, source_length):
        """Each step attends to the past and to the source.

        X: (batch, num_steps, num_hiddens), the target
        memory: (batch, num_source, num_hiddens)
        source_length: None or (batch,)
        """
        batch, num_steps, _ = X.shape
        # 1, 2, 3, …: (batch, num_steps)
        count = torch.arange(num_steps, device=X.device) + 1
        count = count.repeat(batch, 1)
        context = self.self_attention(X, X, X, count)
        Y = self.norm1(X + context)
        # Queries: the target. Keys and values: the source.
        attend = self.cross_attention
        context = attend(Y, memory, memory, source_length)
        Z = self.norm2(Y + context)
        hidden = self.ffn1(Z).relu()
        return self.norm3(Z + self.ffn2(hidden))


class Transformer(torch.nn.Module):
    """Encoder and decoder: scores for the next token.

    vocabulary_size: tokens of the source and of the target
    num_hiddens, num_heads, ffn_hiddens: of every block
    num_layers: blocks in the encoder, and in the decoder
    """

    def __init__(
        self,
        vocabulary_size,
        num_hiddens,
        num_heads,
        ffn_hiddens,
        num_layers,
    ):
        super().__init__()
        v, d = vocabulary_size, num_hiddens
        sizes = (num_hiddens, num_heads, ffn_hiddens)
        self.source_embedding = torch.nn.Embedding(v, d)
        self.target_embedding = torch.nn.Embedding(v, d)
        self.encoder = torch.nn.Sequential()
        self.decoder = torch.nn.Sequential()
        for _ in range(num_layers):
            self.encoder.append(EncoderBlock(*sizes))
            self.decoder.append(DecoderBlock(*sizes))
        self.output = torch.nn.Linear(d, v)
        # The encodings of up to 1000 positions: a buffer,
        # so that they move to a device with the module
        encoding = positional_encoding(1000, d)
        self.register_buffer("positions", encoding, persistent=False)

    def forward(self, source, target, source_length):
        """Encode the source, then score the next tokens.

        source: (batch, num_source)
        target: (batch, num_steps), the start token first
        source_length: None or (batch,)
        """
        memory = self.encode(source, source_length)
        return self.decode(target, memory, source_length)

    def encode(self, source, source_length):
        """(batch, num_source, num_hiddens)"""
        X = self.embed(self.source_embedding, source)
        for block in self.encoder:
            X = block(X, source_length)
        return X

    def decode(self, target, memory, source_length):
        """(batch, num_steps, vocabulary_size)"""
        X = self.embed(self.target_embedding, target)
        for block in self.decoder:
            X = block(X, memory, source_length)
        return self.output(X)

    def embed(self, table, tokens):
        """Embeddings times √d, plus their positions.

        table: the embedding of the source or of the target
        tokens: (batch, num_steps), at most 1000 steps
        """
        X = table(tokens)
        X = X * math.sqrt(X.shape[-1])
        positions = self.positions[: tokens.shape[1]]
        return X + positions


def sequence_loss(scores, labels, length):
    """Mean cross-entropy over the tokens that count.

    scores: (batch, num_steps, vocabulary_size)
    labels: (batch, num_steps)
    length: (batch,), tokens beyond it are padding
    """
    log_probs = scores.log_softmax(dim=-1)
    picked = log_probs.gather(-1, labels.unsqueeze(-1))
    steps, device = labels.shape[1], labels.device
    positions = torch.arange(steps, device=device)
    mask = positions < length.unsqueeze(1)
    return -(picked.squeeze(-1) * mask).sum() / mask.sum()


def greedy_decode(model, source, source_length, start):
    """Greedy search: the most probable token each time.

    source: (batch, num_source)
    source_length: None or (batch,)
    Returns (batch, num_source) tokens
    """
    memory = model.encode(source, source_length)
    tokens = torch.full_like(source[:, :1], start)
    for _ in range(source.shape[1]):
        scores = model.decode(tokens, memory, source_length)
        # Only the last step is new: (batch, 1)
        new = scores[:, -1:].argmax(dim=-1)
        tokens = torch.cat([tokens, new], dim=1)
    return tokens[:, 1:]


def set_weights(module, weights):
    """Fill a module's learned arrays by name; returns it.

    weights: NumPy arrays, as in_numpy.initial_weights names
    """
    parameters = dict(module.named_parameters())
    for name, parameter in parameters.items():
        parameter.data = parameter.new_tensor(weights[name])
    return module
