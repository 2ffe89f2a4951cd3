"""Translation with additive attention, the float64 reference."""

import numpy as np

from solutions.masked_softmax.in_numpy import masked_softmax, softmax


def decoder_step(
    y: np.ndarray,
    state: np.ndarray,
    outputs: np.ndarray,
    valid_length: np.ndarray,
    W_q: np.ndarray,
    W_k: np.ndarray,
    w_v: np.ndarray,
    W_s: np.ndarray,
    W_y: np.ndarray,
    W_c: np.ndarray,
    W_o: np.ndarray,
    **sizes: int,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """One step of a decoder with attention: s_i = f(s_{i-1}, y_{i-1}, c_i).

    Bahdanau et al. (2015), equations 4 to 6 and the alignment model a(s_{i-1}, h_j) of section A.1.2, with
    f = tanh of a sum in place of a gated unit, and without biases.

    y: (batch, d_y), the embedding of the word before.
    state: (batch, d_s), s_{i-1}. outputs: (batch, num_keys, d_h), the encoder's h_j.
    valid_length: (batch,), each at least 1.
    W_q: (units, d_s). W_k: (units, d_h). w_v: (1, units).
    W_s: (d_s, d_s). W_y: (d_s, d_y). W_c: (d_s, d_h). W_o: (vocabulary_size, d_s + d_h).
    sizes: the settings of the layer, which these shapes have already.
    Returns scores of the words (batch, vocabulary_size), s_i and the weights (batch, num_keys).
    """
    query = (state @ W_q.T)[:, None]
    features = np.tanh(query + outputs @ W_k.T)
    scores = (features @ w_v.T).swapaxes(1, 2)
    weights = masked_softmax(scores, valid_length)
    context = (weights @ outputs).squeeze(1)
    new = state @ W_s.T + y @ W_y.T
    state = np.tanh(new + context @ W_c.T)
    both = np.concatenate([state, context], axis=1)
    return both @ W_o.T, state, weights.squeeze(1)


def query_weights(
    y: np.ndarray, state: np.ndarray, outputs: np.ndarray, valid_length: np.ndarray, W: np.ndarray
) -> np.ndarray:
    """Weights over the encoder's outputs; the query is made from the word before and the state.

    y: (batch, d_y). state: (batch, d_s). outputs: (batch, num_keys, d_h). valid_length: (batch,).
    W: (d_h, d_y + d_s): score_j = h_j · W [y; s], Luong et al. (2015), section 3.1 (general).
    Returns (batch, num_keys).
    """
    query = np.concatenate([y, state], axis=1) @ W.T
    scores = outputs @ query[:, :, None]
    scores = scores.swapaxes(1, 2)
    return masked_softmax(scores, valid_length).squeeze(1)


def masked_loss(scores: np.ndarray, wanted: np.ndarray, length: np.ndarray) -> np.ndarray:
    """Mean cross-entropy over the words that are there, padding left out.

    scores: (batch, num_steps, vocabulary_size). wanted: (batch, num_steps), integers.
    length: (batch,), how many steps count, at least one in all.
    Returns (1,).
    """
    log_probs = np.log(softmax(scores))
    picked = np.take_along_axis(log_probs, wanted[:, :, None].astype(int), axis=2)
    positions = np.arange(wanted.shape[1])
    mask = positions < length[:, None]
    total = (picked.squeeze(2) * mask).sum(axis=(0, 1))
    return np.reshape(-total / mask.sum(), 1)


def beam_step(
    log_probs: np.ndarray, totals: np.ndarray, finished: np.ndarray, end: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The best continuations of all hypotheses together, best first.

    log_probs: (beam, vocabulary_size), log-probabilities of the next word.
    totals: (beam,), the log-probability of each hypothesis so far.
    finished: (beam,), true where a hypothesis has ended; it goes on with `end` alone, at no cost.
    end: the number of the token that ends a sentence.
    Returns the new totals, the hypothesis that each continues, and the word that it adds, (beam,) each.
    """
    beam, size = log_probs.shape
    stay = np.where(np.arange(size) != end, -np.inf, 0)
    done = finished[:, None]
    added = np.where(done, stay, log_probs)
    every = (totals[:, None] + added).reshape(-1)
    totals, index = best(every, beam)
    return totals, index // size, index % size


def best(values: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """The largest of a row of numbers, largest first, and where they stand."""
    index = np.argsort(-values, kind="stable")[:count]
    return values[index], index


def gru(X: np.ndarray, W_x: np.ndarray, W_h: np.ndarray, b_x: np.ndarray, b_h: np.ndarray) -> np.ndarray:
    """All states of a gated recurrent unit over one sentence, from a state of zeros.

    X: (num_steps, d_x). W_x: (3 units, d_x), reset, update and new gate below each other; W_h: (3 units, units).
    Returns (num_steps, units).
    """
    states = [np.zeros(W_h.shape[1])]
    for x in X:
        states.append(gru_step(x, states[-1], W_x, W_h, b_x, b_h))
    return np.stack(states[1:])


def gru_step(
    x: np.ndarray, h: np.ndarray, W_x: np.ndarray, W_h: np.ndarray, b_x: np.ndarray, b_h: np.ndarray
) -> np.ndarray:
    """One step, as both libraries write it: the reset gate comes after W_h, as in cuDNN."""
    x_r, x_z, x_n = np.split(W_x @ x + b_x, 3)
    h_r, h_z, h_n = np.split(W_h @ h + b_h, 3)
    r, z = 1 / (1 + np.exp(-x_r - h_r)), 1 / (1 + np.exp(-x_z - h_z))
    new: np.ndarray = (1 - z) * np.tanh(x_n + r * h_n) + z * h
    return new


def translator(
    source: np.ndarray, tokens: np.ndarray, weights: dict[str, np.ndarray]
) -> tuple[np.ndarray, np.ndarray]:
    """The whole model with the additive score, for one sentence, step by step.

    source: (num_source,). tokens: (num_steps,), start token first.
    weights: by PyTorch's names.
    Returns scores (num_steps, vocabulary_size) and attention weights (num_steps, num_source).
    """
    w = {name: value.astype(np.float64) for name, value in weights.items()}

    def gates(name: str, suffix: str) -> list[np.ndarray]:
        return [w[f"{name}.{part}{suffix}"] for part in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")]

    X = w["encoder.embedding.weight"][source]
    ahead = gru(X, *gates("encoder.rnn", "_l0"))
    back = gru(X[::-1], *gates("encoder.rnn", "_l0_reverse"))[::-1]
    outputs = np.concatenate([ahead, back], axis=1)
    state = np.concatenate([ahead[-1], back[0]])
    scored = {part: w[f"decoder.attention.score.{part}.weight"] for part in ("W_q", "W_k", "v")}
    words, looks = [], []
    for token in tokens:
        y = w["decoder.embedding.weight"][token]
        features = np.tanh(scored["W_q"] @ state + outputs @ scored["W_k"].T)
        looks.append(softmax(features @ scored["v"][0]))
        context = looks[-1] @ outputs
        state = gru_step(np.concatenate([y, context]), state, *gates("decoder.cell", ""))
        known = np.concatenate([y, state, context])
        hidden = np.tanh(w["decoder.hidden.weight"] @ known + w["decoder.hidden.bias"])
        words.append(w["decoder.output.weight"] @ hidden + w["decoder.output.bias"])
    return np.stack(words), np.stack(looks)
