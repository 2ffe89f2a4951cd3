"""The transformer as a translator in PyTorch."""

import torch

from solutions.transformer.in_torch import Transformer


class TransformerTranslator(torch.nn.Module):
    """The transformer, called as Translator is.

    source_size, target_size: of the vocabularies
    num_hiddens, num_heads, num_layers: of Transformer
    """

    def __init__(
        self,
        source_size,
        target_size,
        num_hiddens,
        num_heads,
        num_layers,
    ):
        super().__init__()
        # Both embeddings have the larger size.
        v, d = max(source_size, target_size), num_hiddens
        sizes = (v, d, num_heads, 2 * d, num_layers)
        self.transformer = Transformer(*sizes)
        self.num_heads = num_heads

    def forward(self, source, length, tokens):
        """Scores of the next words, and the weights.

        source: (batch, num_source)
        length: (batch,), of the source
        tokens: (batch, num_steps), shifted by one step
        """
        scores = self.transformer(source, tokens, length)
        return scores, self.weights()

    def weights(self):
        """Of the last cross-attention, mean of its heads.

        (batch, num_steps, num_source)
        """
        last = self.transformer.decoder[-1].cross_attention
        heads = last.attention_weights
        _, num_steps, num_source = heads.shape
        sizes = (self.num_heads, num_steps, num_source)
        return heads.reshape(-1, *sizes).mean(dim=1)


@torch.no_grad()
def greedy(model, source, length, start, steps):
    """Greedy search: the most probable word at each step.

    source: (batch, num_source)
    length: (batch,), of the source
    start: the number of the token that begins a sentence
    Returns (batch, steps) words and
    (batch, steps, num_source) weights.
    """
    transformer = model.transformer
    memory = transformer.encode(source, length)
    words = torch.full_like(source[:, :1], start)
    for _ in range(steps):
        scores = transformer.decode(words, memory, length)
        # Only the last step is new: (batch, 1)
        new = scores[:, -1:].argmax(dim=-1)
        words = torch.cat([words, new], dim=1)
    return words[:, 1:], model.weights()
