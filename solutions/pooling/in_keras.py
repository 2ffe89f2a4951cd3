"""Feed-forward attention pooling in Keras 3.

Keras reads KERAS_BACKEND when it is imported: `course.frameworks` chooses PyTorch.
"""

import keras
from keras import ops


class FeedForwardPooling(keras.layers.Layer):
    """Pool a sequence by one learned score per step."""

    def __init__(self, **options):
        super().__init__(**options)
        # The mask of the layer before comes as an argument.
        self.supports_masking = True

    def build(self, input_shape):
        # No bias, since the softmax cancels it.
        self.score = self.add_weight(
            shape=(1, input_shape[-1]),
            name="score",
        )

    def call(self, X, mask=None):
        """Context (batch, features) and the weights.

        X: (batch, num_steps, features)
        mask: None or (batch, num_steps), true if valid
        """
        scores = ops.sum(X * self.score, axis=-1)
        if mask is None:
            mask = ops.ones_like(scores, dtype="bool")
        filled = ops.where(mask, scores, -1e30)
        # Where all is padding, all weights are 0.
        weights = ops.softmax(filled, axis=1)
        weights = weights * ops.cast(mask, X.dtype)
        context = ops.sum(weights[..., None] * X, axis=1)
        return context, weights

    def compute_mask(self, X, mask=None):
        # The steps are gone, so their mask ends here.
        return None
