"""Global and local attention in MXNet."""

from mxnet import gluon, nd


def dot_score(queries, keys):
    """The score `dot`.

    queries: (batch, num_queries, d)
    keys: (batch, num_keys, d)
    """
    return nd.batch_dot(queries, keys, transpose_b=True)


class LuongGeneral(gluon.Block):
    """The score `general`: a matrix between the two.

    queries: (batch, num_queries, d_q)
    keys: (batch, num_keys, d_k)
    """

    def __init__(self, d_q, d_k):
        super().__init__()
        kw = {"use_bias": False, "flatten": False}
        self.W_a = gluon.nn.Dense(d_q, in_units=d_k, **kw)

    def forward(self, queries, keys):
        return dot_score(queries, self.W_a(keys))


class LuongConcat(gluon.Block):
    """The score `concat`: query and key concatenated.

    queries: (batch, num_queries, d_q)
    keys: (batch, num_keys, d_k)
    """

    def __init__(self, d_q, d_k, units):
        super().__init__()
        d = d_q + d_k
        kw = {"use_bias": False, "flatten": False}
        self.W_a = gluon.nn.Dense(units, in_units=d, **kw)
        self.v_a = gluon.nn.Dense(1, in_units=units, **kw)

    def forward(self, queries, keys):
        m, n = queries.shape[1], keys.shape[1]
        # Every query with every key.
        q = queries.expand_dims(2).repeat(n, axis=2)
        k = keys.expand_dims(1).repeat(m, axis=1)
        pairs = nd.concat(q, k, dim=-1)
        hidden = self.W_a(pairs).tanh()
        return self.v_a(hidden).squeeze(-1)


class AttentionalState(gluon.Block):
    """tanh(W_c [c; h]), the attentional hidden state.

    context: (batch, num_queries, d_v)
    queries: (batch, num_queries, d_q)
    """

    def __init__(self, d_v, d_q, units):
        super().__init__()
        d = d_v + d_q
        kw = {"use_bias": False, "flatten": False}
        self.W_c = gluon.nn.Dense(units, in_units=d, **kw)

    def forward(self, context, queries):
        both = nd.concat(context, queries, dim=-1)
        return self.W_c(both).tanh()


def window_weights(scores, positions, valid_length, D):
    """Softmax over the keys within D of a position.

    scores: (batch, num_queries, num_keys)
    positions: (batch, num_queries), real numbers
    valid_length: (batch,)
    """
    keys = nd.arange(scores.shape[-1]).reshape((1, 1, -1))
    lengths = valid_length.reshape((-1, 1, 1))
    distance = keys - positions.expand_dims(-1)
    inside = (distance.abs() <= D) * (keys < lengths)
    lowest = nd.full(scores.shape, -1e6)
    filled = nd.where(inside, scores, lowest)
    # The product makes a window without a word zero.
    return filled.softmax(axis=-1) * inside


def gaussian_factor(distance, D):
    """The Gaussian of eq. 10, with sigma = D / 2.

    distance: from the position, of any shape
    """
    sigma = D / 2
    return nd.exp(-(distance**2) / (2 * sigma**2))


class LocalPredictive(gluon.Block):
    """Local attention around a position it predicts.

    queries: (batch, num_queries, d_q)
    scores: (batch, num_queries, num_keys)
    valid_length: (batch,)
    """

    def __init__(self, d_q, units, D):
        super().__init__()
        self.D = D
        kw = {"use_bias": False, "flatten": False}
        self.W_p = gluon.nn.Dense(units, in_units=d_q, **kw)
        self.v_p = gluon.nn.Dense(1, in_units=units, **kw)

    def forward(self, queries, scores, valid_length):
        S = valid_length.reshape((-1, 1, 1))
        hidden = self.W_p(queries).tanh()
        positions = S * self.v_p(hidden).sigmoid()
        num_keys = scores.shape[-1]
        keys = nd.arange(num_keys).reshape((1, 1, -1))
        distance = keys - positions
        inside = (distance.abs() <= self.D) * (keys < S)
        lowest = nd.full(scores.shape, -1e6)
        filled = nd.where(inside, scores, lowest)
        weights = filled.softmax(axis=-1) * inside
        sigma = self.D / 2
        gauss = nd.exp(-(distance**2) / (2 * sigma**2))
        return weights * gauss, positions.squeeze(-1)


def window_slots(positions, valid_length, D):
    """Which keys lie in the windows, 2D + 1 slots each.

    positions: (batch, num_queries), real numbers
    valid_length: (batch,)
    Returns index, and inside where a slot holds a word.
    """
    p = positions.expand_dims(-1)
    lengths = valid_length.reshape((-1, 1, 1))
    slots = nd.arange(2 * D + 1).reshape((1, 1, -1))
    index = nd.ceil(p - D) + slots
    inside = (index >= 0) * (index < lengths)
    # Between two words a window holds only 2D of them.
    return index, inside * (index <= p + D)


def gather(rows, index):
    """The rows that the slots name.

    rows: (batch, num_keys, d)
    index: (batch, num_queries, slots)
    """
    # A slot outside reads some row; the mask hides it.
    index = index.clip(0, rows.shape[1] - 1)
    batch = nd.arange(len(rows)).reshape((-1, 1, 1))
    batch = batch.broadcast_like(index)
    return nd.gather_nd(rows, nd.stack(batch, index))


def window_attention(queries, keys, values, index, factor):
    """Attention with dot scores over gathered slots only.

    queries: (batch, num_queries, d)
    keys: (batch, num_keys, d)
    values: (batch, num_keys, d_v)
    index, factor: (batch, num_queries, slots); a slot of
    factor 0 is left out, the others are multiplied by it
    """
    near = gather(keys, index)
    scores = (queries.expand_dims(2) * near).sum(axis=-1)
    lowest = nd.full(scores.shape, -1e6)
    filled = nd.where(factor, scores, lowest)
    weights = filled.softmax(axis=-1) * factor
    near = gather(values, index)
    return (weights.expand_dims(-1) * near).sum(axis=2)
