"""Solutions on attention between any two sets in PyTorch."""

from math import log, sqrt

import torch

from solutions.masked_softmax.in_torch import masked_softmax
from solutions.sets.common import order_proof_line as order_proof_line
from solutions.sets.common import point_scores as point_scores


def induced_attention(X, points, valid_length):
    """A set attends to itself by way of learned points.

    X: (batch, num_tokens, d)
    points: (num_points, d)
    valid_length: (batch,), each at least 1
    """
    batch, _, d = X.shape
    queries = points.repeat(batch, 1, 1)
    # The points attend to the set.
    to_set = torch.bmm(queries, X.transpose(1, 2))
    scores = to_set / sqrt(d)
    gathered = masked_softmax(scores, valid_length)
    latents = torch.bmm(gathered, X)
    # The set attends to what they have gathered.
    to_latents = torch.bmm(X, latents.transpose(1, 2))
    returned = (to_latents / sqrt(d)).softmax(dim=-1)
    return torch.bmm(returned, latents)


def graph_attention(X, edges, W_q, W_k, w_v):
    """Each node attends to its neighbours.

    X: (batch, num_nodes, d)
    edges: (batch, num_nodes, num_nodes), 1 or 0
    W_q, W_k: (units, d)
    w_v: (1, units)
    """
    queries = X @ W_q.T
    keys = X @ W_k.T
    # (batch, num_nodes, num_nodes, units)
    pairs = queries.unsqueeze(2) + keys.unsqueeze(1)
    features = torch.maximum(pairs, 0.2 * pairs)
    scores = (features @ w_v.T).squeeze(-1)
    hidden = scores.masked_fill(edges == 0, -1e6)
    return torch.bmm(hidden.softmax(dim=-1), keys)


def hopfield_step(states, patterns, beta):
    """One update, and the energies before it.

    states: (batch, d)
    patterns: (num_patterns, d), the store
    beta: above 0
    """
    scores = beta * (states @ patterns.T)
    log_sum = scores.logsumexp(dim=-1) / beta
    longest = (patterns**2).sum(dim=-1).max()
    spread = log(len(patterns)) / beta
    squares = (states**2).sum(dim=-1)
    energies = squares / 2 - log_sum + spread + longest / 2
    return scores.softmax(dim=-1) @ patterns, energies


def attend(Q, K, V):
    """Context and weights, scaled, with a batch."""
    scores = torch.bmm(Q, K.transpose(1, 2))
    weights = (scores / sqrt(Q.shape[2])).softmax(dim=-1)
    return torch.bmm(weights, V), weights


def model(w, patches):
    """One block over patches, then learned queries.

    w: arrays by name
    patches: (batch, num_patches, pixels)
    """
    X = patches @ w["embed"]
    X = X + w["place"]
    ways = (X @ w[way] for way in ("q", "k", "v"))
    X = X + attend(*ways)[0]
    X = X + (X @ w["up"]).relu() @ w["down"]
    queries = w["queries"].repeat(len(X), 1, 1)
    keys, values = X @ w["k2"], X @ w["v2"]
    context, weights = attend(queries, keys, values)
    return context @ w["out"] + w["bias"], weights


def train(w, patches, loss_of, batches, fixed=()):
    """The weights after a step for each batch; losses.

    loss_of: of results and the rows of a batch
    fixed: names of weights that stay as they are
    """
    w = {name: torch.tensor(w[name]) for name in w}
    free = [w[name] for name in w if name not in fixed]
    for array in free:
        array.requires_grad_()
    adam = torch.optim.Adam(free, lr=0.01)
    losses = []
    for rows in batches:
        results, _ = model(w, torch.tensor(patches[rows]))
        loss = loss_of(results, rows).mean()
        adam.zero_grad()
        loss.backward()
        adam.step()
        losses.append(loss.item())
    return w, losses
