"""Score functions, the float64 reference.

Each takes queries (batch, num_queries, d) and keys (batch, num_keys, d), and its parameters by name.
Each returns scores (batch, num_queries, num_keys).
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def _dots(queries: Array, keys: Array) -> Array:
    return np.asarray(queries @ keys.swapaxes(1, 2))


def cosine_score(queries: Array, keys: Array) -> Array:
    """cos(q, k) (Graves et al. 2014, eq. 6). A vector of zeros has the score 0."""
    tiny = 1e-12
    squares = (queries**2).sum(axis=-1, keepdims=True)
    queries = queries / np.sqrt(np.maximum(squares, tiny))
    squares = (keys**2).sum(axis=-1, keepdims=True)
    keys = keys / np.sqrt(np.maximum(squares, tiny))
    return queries @ keys.swapaxes(1, 2)


def content_score(queries: Array, keys: Array, beta: Array) -> Array:
    """beta cos(q, k), content-based (Graves et al. 2014, eq. 5 and 6).

    beta: (1,), the key strength.
    """
    return np.asarray(beta * cosine_score(queries, keys))


def additive_score(queries: Array, keys: Array, W_q: Array, W_k: Array, v: Array) -> Array:
    """v.tanh(W_q q + W_k k) (Bahdanau et al. 2015, appendix A.1.2).

    W_q, W_k: (units, d). v: (1, units).
    """
    features = np.tanh((queries @ W_q.T)[:, :, None] + (keys @ W_k.T)[:, None])
    return np.asarray((features @ v.T)[..., 0])


def location_score(
    queries: Array, keys: Array, W: Array, d: int | None = None, longest: int | None = None
) -> Array:
    """Entry i of W q is the score of position i, whatever stands there (Luong et al. 2015, eq. 8).

    W: (longest, d), longest being at least num_keys.
    """
    return (queries @ W.T)[:, :, : keys.shape[1]]


def general_score(queries: Array, keys: Array, W: Array) -> Array:
    """q.W k (Luong et al. 2015, section 3.1), FusionNet's bilinear form.

    W: (d, d), queries from the left.
    """
    return _dots(queries @ W, keys)


def dot_score(queries: Array, keys: Array) -> Array:
    """q.k (Luong et al. 2015, section 3.1)."""
    return _dots(queries, keys)


def scaled_dot_score(queries: Array, keys: Array) -> Array:
    """q.k / sqrt(d) (Vaswani et al. 2017, eq. 1)."""
    return _dots(queries, keys) / np.sqrt(queries.shape[2])


def low_rank_score(queries: Array, keys: Array, U: Array, V: Array) -> Array:
    """Uq.Vk, the bilinear form with a matrix U^T V of rank `units` (Huang et al. 2018, section 2.3).

    U, V: (units, d).
    """
    return _dots(queries @ U.T, keys @ V.T)


def symmetric_score(queries: Array, keys: Array, W: Array, D: Array) -> Array:
    """Wq.D Wk: the same if query and key change places (Huang et al. 2018, section 2.3).

    W: (units, d). D: (units,), the diagonal.
    """
    return _dots(queries @ W.T * D, keys @ W.T)


def relu_score(
    queries: Array, keys: Array, W: Array, D: Array, d: int | None = None, units: int | None = None
) -> Array:
    """ReLU(Wq).D ReLU(Wk) (Huang et al. 2018, section 2.3). Arguments as for `symmetric_score`."""
    Q, K = np.maximum(queries @ W.T, 0), np.maximum(keys @ W.T, 0)
    Q = Q * D
    return Q @ K.swapaxes(1, 2)


SCORES: dict[str, Callable[..., Array]] = {
    "content-based": content_score,
    "additive": additive_score,
    "location-based": location_score,
    "general": general_score,
    "dot": dot_score,
    "scaled dot": scaled_dot_score,
    "low-rank": low_rank_score,
    "symmetric": symmetric_score,
    "ReLU": relu_score,
}


def unchanged_weights(change: str) -> str:
    """Under which of dot product and cosine the weights stay the same: "dot", "cosine", "both" or "neither".

    change: what is done to a query and its keys.
    """
    return {
        "query twice as long": "cosine",
        "all keys twice as long": "cosine",
        "one vector added to all keys": "dot",
        "one vector added to the query": "neither",
        "query and keys turned alike": "both",
        "all signs changed": "both",
    }[change]


def parameter_shapes(name: str, d: int, units: int, longest: int) -> dict[str, tuple[int, ...]]:
    """The shape of each parameter of a score function, by the name that it has in `SCORES[name]`."""
    shapes: dict[str, dict[str, tuple[int, ...]]] = {
        "content-based": {"beta": (1,)},
        "additive": {"W_q": (units, d), "W_k": (units, d), "v": (1, units)},
        "location-based": {"W": (longest, d)},
        "general": {"W": (d, d)},
        "low-rank": {"U": (units, d), "V": (units, d)},
        "symmetric": {"W": (units, d), "D": (units,)},
        "ReLU": {"W": (units, d), "D": (units,)},
    }
    return shapes.get(name, {})


class Cost(NamedTuple):
    """What the scores of one batch element cost.

    parameters: learned numbers.
    multiply_adds: of all matrix products, each a multiplication and an addition.
    largest: numbers in the largest array that is made on the way, the scores included.
    """

    parameters: int
    multiply_adds: int
    largest: int


def cost(name: str, num_queries: int, num_keys: int, d: int, units: int, longest: int) -> Cost:
    """The cost of a score function by formula: m queries, n keys, width d, k units, longest L."""
    m, n, k, L = num_queries, num_keys, units, longest
    projections, products = (m + n) * d * k, m * n * k
    found = {
        "content-based": Cost(1, m * n * d, max(m * n, m * d, n * d)),
        "additive": Cost(2 * d * k + k, projections + products, max(m * n * k, m * k, n * k)),
        "location-based": Cost(L * d, m * L * d, m * L),
        "general": Cost(d * d, n * d * d + m * n * d, max(m * n, n * d)),
        "dot": Cost(0, m * n * d, m * n),
        "scaled dot": Cost(0, m * n * d, m * n),
        "low-rank": Cost(2 * d * k, projections + products, max(m * n, m * k, n * k)),
        "symmetric": Cost(d * k + k, projections + products, max(m * n, m * k, n * k)),
        "ReLU": Cost(d * k + k, projections + products, max(m * n, m * k, n * k)),
    }
    return found[name]
