"""Sentiment in Keras 3: Keras passes the mask along.

Keras reads KERAS_BACKEND when it is imported:
`course.frameworks` chooses PyTorch.
"""

import keras
from keras import layers

from solutions.pooling.in_keras import FeedForwardPooling


def classifier(num_words, size, pooling, dropout=0):
    """A model for the verdict, and one for the weights.

    num_words: the size of the vocabulary
    size: of an embedded word, and half of a state
    pooling: "attention", or "mean", which has no weights
    dropout: the share of embedded numbers dropped
    """
    tokens = keras.Input((None,), dtype="int64")
    normal = keras.initializers.RandomNormal(stddev=1.0)
    # Token 0 is padding: here the mask begins.
    words = layers.Embedding(
        num_words,
        size,
        mask_zero=True,
        embeddings_initializer=normal,
    )(tokens)
    words = layers.Dropout(dropout)(words)
    lstm = layers.LSTM(size, return_sequences=True)
    states = layers.Bidirectional(lstm)(words)
    # And here it ends: the steps are gone.
    if pooling == "attention":
        context, weights = FeedForwardPooling()(states)
        weights_model = keras.Model(tokens, weights)
    else:
        context = layers.GlobalAveragePooling1D()(states)
        weights_model = None
    verdict = layers.Reshape(())(layers.Dense(1)(context))
    return keras.Model(tokens, verdict), weights_model


def training_step(model, rate):
    """A function that makes one step of Adam on a batch.

    model: the first of `classifier`
    rate: the learning rate
    """
    cross_entropy = keras.losses.BinaryCrossentropy(
        from_logits=True,
    )
    model.compile(
        optimizer=keras.optimizers.Adam(rate),
        loss=cross_entropy,
    )

    def step(tokens, labels):
        model.train_on_batch(tokens, labels)

    return step


def take_weights(model, source):
    """Copy what a Classifier of PyTorch has learned.

    model: the first of `classifier`
    source: the same sizes and pooling, Recurrent
    """
    held = source.state_dict()
    held = {name: v.numpy() for name, v in held.items()}
    copied = [held["embedding.weight"]]
    for direction in ("", "_reverse"):
        # Keras keeps its matrices the other way round,
        # and one bias where PyTorch has two.
        end = f"_l0{direction}"
        copied.append(held[f"encoder.lstm.weight_ih{end}"].T)
        copied.append(held[f"encoder.lstm.weight_hh{end}"].T)
        first = held[f"encoder.lstm.bias_ih{end}"]
        second = held[f"encoder.lstm.bias_hh{end}"]
        copied.append(first + second)
    if source.pooling == "attention":
        copied.append(held["attention.score.weight"])
    copied.append(held["output.weight"].T)
    copied.append(held["output.bias"])
    model.set_weights(copied)
