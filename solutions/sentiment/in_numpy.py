"""Sentiment with attention, the float64 reference.

A classifier that attends is a weighted vote: with weights α over the states h of a review, the
verdict v · Σ α_t h_t + b equals Σ α_t (v · h_t + b), since the weights sum to one. The number in the
parentheses is the vote of step t.
"""

import numpy as np

from solutions.masked_softmax.in_numpy import masked_softmax_or_zero
from solutions.pooling.in_numpy import masked_weights


def pool_over_time(states: np.ndarray, valid_length: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Three ways to make one vector of a sequence without attention.

    states: (batch, num_steps, features).
    valid_length: (batch,), each at least 1.
    Returns the mean, the maximum and the last of the states that count, each (batch, features).
    The mean is equation 2 of Raffel and Ellis (2015).
    """
    mask = np.arange(states.shape[1])[:, None] < valid_length[:, None, None]
    mean = (states * mask).sum(axis=1) / valid_length[:, None]
    maximum = np.where(mask, states, -np.inf).max(axis=1)
    last = states[np.arange(len(states)), valid_length - 1]
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
    word_weights = masked_softmax_or_zero(states @ word_query, valid_length)
    sentences = np.einsum("bst,bstf->bsf", word_weights, states)
    sentence_weights = masked_weights(sentences @ sentence_query, valid_length > 0)
    return np.einsum("bs,bsf->bf", sentence_weights, sentences), sentence_weights, word_weights
