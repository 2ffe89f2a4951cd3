"""What stands in for a model, and for the choice of a token, where an exercise asks for what is done with them.

The judge's reference and an answer in any framework get the same ones: they compute in NumPy, and `lower` and `lift` bring
arrays there and back.
"""

from collections.abc import Callable, MutableMapping, Sequence
from typing import Any

import numpy as np

# Logits are products modulo this prime, so no two of a row are equal.
PRIME = 101
Converter = Callable[[Any], Any]


class LanguageModel:
    """Called as the chapter's `GPT` is: tokens (batch, num_tokens) and a cache for each block, to logits.

    The logits behind a token follow from all tokens that are seen from there and from their positions. They also follow
    from how many tokens the model has read more than once, so a text that is read anew is told from one that is not.
    """

    def __init__(self, value: Sequence[int], lower: Converter, lift: Converter) -> None:
        """value: the size of the vocabulary, and a number that makes another model."""
        self._size, self._number = value
        self._lower, self._lift = lower, lift
        self._num_read = 0
        self.blocks = (None, None)

    def __call__(self, tokens: Any, caches: Sequence[MutableMapping[str, Any]] | None = None) -> Any:
        new = self._lower(tokens).astype(np.int64)
        state: Any = 0
        for i, _ in enumerate(self.blocks):
            cache = {} if caches is None else caches[i]
            context = np.concatenate([cache["tokens"], new], axis=1) if cache else new
            cache["tokens"] = context
            positions = np.arange(1, context.shape[1] + 1)
            state = state + (i + 1) * ((context + 1) * positions).cumsum(axis=1)[:, -new.shape[1] :]
        read_again = self._num_read - (context.shape[1] - new.shape[1])
        self._num_read += new.shape[1]
        row = (state + read_again) % (PRIME - 1) + 1
        products = row[..., None] * (self._number * np.arange(1, self._size + 1))
        # From 0 to 10, so that a softmax leaves no probability at 0.
        return self._lift((products % PRIME / 10).astype(np.float32))


class NearestChoice:
    """Logits (batch, vocabulary_size) to tokens (batch, 1): those whose logit is nearest to a number.

    So the numbers count, and not their order alone: after a softmax another one is nearest. With a number above all
    logits, such as PRIME, it is the most probable token.
    """

    def __init__(self, value: float, lower: Converter, lift: Converter) -> None:
        self._number, self._lower, self._lift = value, lower, lift

    def __call__(self, logits: Any) -> Any:
        gaps = np.abs(self._lower(logits).astype(np.float64) - self._number)
        return self._lift(np.argsort(gaps, axis=-1)[..., :1])


class TrainableModel:
    """A model that an exercise trains: an embedding, a gain for each feature, and a linear layer with a bias that gives logits.

    In a framework with modules, a module with the same learned arrays takes its place; here, in NumPy, `gradients`
    takes the place of differentiation.
    """

    def __init__(self, value: Sequence[float], lower: Converter, lift: Converter) -> None:
        """value: how many tokens and features there are, a number that makes another model, and the size of its embedding."""
        size, width, number, scale = value
        self.sizes = int(size), int(width)
        rng = np.random.default_rng(int(number))
        # A small matrix keeps probabilities away from 0, where rounding would decide the sign of a step of AdamW.
        of_arrays = ((scale, self.sizes), (0.4, self.sizes), (0.5, self.sizes[:1]))
        self._arrays = [size * rng.normal(size=shape) for size, shape in of_arrays]
        self._arrays.insert(1, rng.uniform(0.3, 1.0, size=self.sizes[1]))

    @property
    def learned(self) -> dict[str, np.ndarray]:
        """Return the learned arrays by their paths in a module."""
        return dict(zip(("0.weight", "1.weight", "2.weight", "2.bias"), self._arrays, strict=True))

    def parameters(self) -> list[np.ndarray]:
        """Return the learned arrays, to be changed in place: the embedding, the gain, the matrix and the bias of the layer."""
        return self._arrays

    def __call__(self, tokens: np.ndarray) -> np.ndarray:
        """Turn tokens (batch, num_tokens) into logits (batch, num_tokens, vocabulary_size)."""
        table, gain, matrix, bias = self._arrays
        return np.asarray(gain * table[tokens] @ matrix.T + bias)

    def gradients(self, tokens: np.ndarray) -> list[np.ndarray]:
        """Return the gradients of the mean cross-entropy of the next tokens, one for each of `parameters()`."""
        table, gain, matrix, _ = self._arrays
        logits, targets = self(tokens)[:, :-1], tokens[:, 1:]
        slopes = np.exp(logits - logits.max(axis=-1, keepdims=True))
        slopes /= slopes.sum(axis=-1, keepdims=True)
        slopes -= targets[..., None] == np.arange(len(table))
        slopes /= targets.size
        rows, of_scaled, of_table = table[tokens[:, :-1]], slopes @ matrix, np.zeros_like(table)
        np.add.at(of_table, tokens[:, :-1], gain * of_scaled)
        of_gain = (rows * of_scaled).sum(axis=(0, 1))
        return [of_table, of_gain, np.einsum("btv,btd->vd", slopes, gain * rows), slopes.sum(axis=(0, 1))]


STAND_INS: dict[str, Callable[[Any, Converter, Converter], Any]] = {
    "model": LanguageModel,
    "choice": NearestChoice,
    "trained": TrainableModel,
}
