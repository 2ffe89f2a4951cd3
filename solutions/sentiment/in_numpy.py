"""Sentiment with attention, the float64 reference.

A classifier that attends is a weighted vote: with weights α over the states h of a review, the
verdict v · Σ α_t h_t + b equals Σ α_t (v · h_t + b), since the weights sum to one. The number in the
parentheses is the vote of step t.
"""

import numpy as np

from solutions.masked_softmax.in_numpy import softmax

# A masked score: its exponential is 0, and a softmax of such scores alone is not NaN.
LOW = -1e30


def pool_over_time(states: np.ndarray, valid_length: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Three ways to make one vector of a sequence without attention.

    states: (batch, num_steps, features).
    valid_length: (batch,), each at least 1.
    Returns the mean, the maximum and the last of the states that count, each (batch, features).
    The mean is equation 2 of Raffel and Ellis (2015).
    """
    positions = np.arange(states.shape[1])
    lengths = valid_length[:, None]
    mask = (positions < lengths)[..., None]
    mean = (states * mask).sum(axis=1) / lengths
    filled = np.where(mask, states, -np.inf)
    maximum = filled.max(axis=1)
    at_end = (positions == lengths - 1)[..., None]
    last = (states * at_end).sum(axis=1)
    return mean, maximum, last


def hierarchical_attention(
    states: np.ndarray, valid_length: np.ndarray, word_query: np.ndarray, sentence_query: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Attention over the words of each sentence, then over the sentences of each review.

    states: (batch, num_sentences, num_steps, features).
    valid_length: (batch, num_sentences), 0 for a sentence without words; not all 0 in a review.
    word_query, sentence_query: (features,).
    Returns context (batch, features), sentence_weights (batch, num_sentences), and word_weights
    (batch, num_sentences, num_steps), those within each sentence.
    Yang et al. (2016), equations 5 to 10, without the layers in the tanh.
    """
    positions = np.arange(states.shape[2])
    mask = positions < valid_length[..., None]
    scores = states @ word_query
    scores = np.where(mask, scores, LOW)
    # Times the mask, for sentences without words.
    word_weights = softmax(scores) * mask
    weighted = word_weights[..., None] * states
    sentences = weighted.sum(axis=2)
    has_words = valid_length > 0
    scores = sentences @ sentence_query
    scores = np.where(has_words, scores, LOW)
    sentence_weights = softmax(scores)
    weighted = sentence_weights[..., None] * sentences
    context = weighted.sum(axis=1)
    return context, sentence_weights, word_weights
