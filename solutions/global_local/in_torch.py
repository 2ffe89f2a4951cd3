"""Global and local attention in PyTorch."""

import torch


def dot_score(queries, keys):
    """The score `dot`.

    queries: (batch, num_queries, d)
    keys: (batch, num_keys, d)
    """
    return torch.bmm(queries, keys.transpose(1, 2))


class LuongGeneral(torch.nn.Module):
    """The score `general`: a matrix between the two.

    queries: (batch, num_queries, d_q)
    keys: (batch, num_keys, d_k)
    """

    def __init__(self, d_q, d_k):
        super().__init__()
        self.W_a = torch.nn.Linear(d_k, d_q, bias=False)

    def forward(self, queries, keys):
        return dot_score(queries, self.W_a(keys))


class LuongConcat(torch.nn.Module):
    """The score `concat`: query and key concatenated.

    queries: (batch, num_queries, d_q)
    keys: (batch, num_keys, d_k)
    """

    def __init__(self, d_q, d_k, units):
        super().__init__()
        d = d_q + d_k
        self.W_a = torch.nn.Linear(d, units, bias=False)
        self.v_a = torch.nn.Linear(units, 1, bias=False)

    def forward(self, queries, keys):
        m, n = queries.shape[1], keys.shape[1]
        # Every query with every key.
        q = queries.unsqueeze(2).expand(-1, -1, n, -1)
        k = keys.unsqueeze(1).expand(-1, m, -1, -1)
        pairs = torch.cat([q, k], dim=-1)
        hidden = self.W_a(pairs).tanh()
        return self.v_a(hidden).squeeze(-1)


class AttentionalState(torch.nn.Module):
    """tanh(W_c [c; h]), the attentional hidden state.

    context: (batch, num_queries, d_v)
    queries: (batch, num_queries, d_q)
    """

    def __init__(self, d_v, d_q, units):
        super().__init__()
        d = d_v + d_q
        self.W_c = torch.nn.Linear(d, units, bias=False)

    def forward(self, context, queries):
        both = torch.cat([context, queries], dim=-1)
        return self.W_c(both).tanh()


def window_weights(scores, positions, valid_length, D):
    """Softmax over the keys within D of a position.

    scores: (batch, num_queries, num_keys)
    positions: (batch, num_queries), real numbers
    valid_length: (batch,)
    """
    num_keys, device = scores.shape[-1], scores.device
    keys = torch.arange(num_keys, device=device)
    lengths = valid_length.reshape(-1, 1, 1)
    distance = keys - positions.unsqueeze(-1)
    inside = (distance.abs() <= D) & (keys < lengths)
    filled = scores.masked_fill(~inside, -1e6)
    # The product makes a window without a word zero.
    return filled.softmax(dim=-1) * inside


def gaussian_factor(distance, D):
    """The Gaussian of eq. 10, with sigma = D / 2.

    distance: from the position, of any shape
    """
    sigma = D / 2
    return torch.exp(-(distance**2) / (2 * sigma**2))


class LocalPredictive(torch.nn.Module):
    """Local attention around a position it predicts.

    queries: (batch, num_queries, d_q)
    scores: (batch, num_queries, num_keys)
    valid_length: (batch,)
    """

    def __init__(self, d_q, units, D):
        super().__init__()
        self.D = D
        self.W_p = torch.nn.Linear(d_q, units, bias=False)
        self.v_p = torch.nn.Linear(units, 1, bias=False)

    def forward(self, queries, scores, valid_length):
        S = valid_length.reshape(-1, 1, 1)
        hidden = self.W_p(queries).tanh()
        positions = S * self.v_p(hidden).sigmoid()
        num_keys, device = scores.shape[-1], scores.device
        keys = torch.arange(num_keys, device=device)
        distance = keys - positions
        inside = (distance.abs() <= self.D) & (keys < S)
        filled = scores.masked_fill(~inside, -1e6)
        weights = filled.softmax(dim=-1) * inside
        sigma = self.D / 2
        gauss = torch.exp(-(distance**2) / (2 * sigma**2))
        return weights * gauss, positions.squeeze(-1)


def window_slots(positions, valid_length, D):
    """Which keys lie in the windows, 2D + 1 slots each.

    positions: (batch, num_queries), real numbers
    valid_length: (batch,)
    Returns index, and inside where a slot holds a word.
    """
    p = positions.unsqueeze(-1)
    lengths = valid_length.reshape(-1, 1, 1)
    slots = torch.arange(2 * D + 1, device=p.device)
    index = torch.ceil(p - D) + slots
    inside = (index >= 0) & (index < lengths)
    # Between two words a window holds only 2D of them.
    return index.long(), inside & (index <= p + D)


def gather(rows, index):
    """The rows that the slots name.

    rows: (batch, num_keys, d)
    index: (batch, num_queries, slots)
    """
    # A slot outside reads some row; the mask hides it.
    index = index.clamp(0, rows.shape[1] - 1)
    batch = torch.arange(len(rows), device=rows.device)
    return rows[batch.reshape(-1, 1, 1), index]


def window_attention(queries, keys, values, index, factor):
    """Attention with dot scores over gathered slots only.

    queries: (batch, num_queries, d)
    keys: (batch, num_keys, d)
    values: (batch, num_keys, d_v)
    index, factor: (batch, num_queries, slots); a slot of
    factor 0 is left out, the others are multiplied by it
    """
    near = gather(keys, index)
    scores = (queries.unsqueeze(2) * near).sum(dim=-1)
    filled = scores.masked_fill(factor == 0, -1e6)
    weights = filled.softmax(dim=-1) * factor
    near = gather(values, index)
    return (weights.unsqueeze(-1) * near).sum(dim=2)
