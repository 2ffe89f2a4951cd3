"""The transformer of the course as a translator: the data, batches and measurements of the recurrent one."""

import importlib
from dataclasses import dataclass
from typing import Any

from course.data.sentence_pairs import BEGIN
from course.training.translation import Corpus, Trainer, TranslatorSettings
from solutions.transformer.in_numpy import initial_weights


@dataclass(frozen=True)
class TransformerSettings(TranslatorSettings):
    """As those of the recurrent translator; the embedding has `num_hiddens` features.

    num_layers: blocks in the encoder, and in the decoder
    """

    score: str | None = "scaled dot"
    num_heads: int = 4
    num_layers: int = 1
    rate: float = 0.005


class TransformerTrainer(Trainer):
    """A transformer of one framework, with its training; it translates greedily, without a beam.

    Its attention weights are those of the last cross-attention, averaged over the heads.
    """

    settings: TransformerSettings

    def __init__(self, framework: str, corpus: Corpus, settings: TransformerSettings | None = None) -> None:
        """framework: "torch" or "mxnet"."""
        super().__init__(framework, corpus, settings or TransformerSettings())

    def begin(self) -> tuple[Any, int]:
        """Return a model with its first weights, and how many these are."""
        s = self.settings
        d, sizes = s.num_hiddens, (len(self.corpus.source), len(self.corpus.target))
        code = self._module("translation", "transformer_")
        model = code.TransformerTranslator(*sizes, d, s.num_heads, s.num_layers)
        weights = initial_weights(max(sizes), d, 2 * d, s.num_layers, s.seed)
        self._module("transformer").set_weights(model.transformer, weights)
        return model, sum(array.size for array in weights.values())

    def greedy(self, source: Any, length: Any, steps: int) -> tuple[Any, Any]:
        """Return words (batch, steps) and weights (batch, steps, num_source), arrays of the framework."""
        code = self._module("translation", "transformer_")
        results: tuple[Any, Any] = code.greedy(self.model, source, length, BEGIN, steps)
        return results

    def _module(self, topic: str, prefix: str = "") -> Any:
        return importlib.import_module(f"solutions.{topic}.{prefix}in_{self.framework}")
