"""Solutions on attention between any two sets in MXNet."""

from math import log, sqrt

from mxnet import autograd, nd, optimizer

from solutions.masked_softmax.in_mxnet import masked_softmax
from solutions.sets.common import order_proof_line as order_proof_line
from solutions.sets.common import point_scores as point_scores


def induced_attention(X, points, valid_length):
    """A set attends to itself by way of learned points.

    X: (batch, num_tokens, d)
    points: (num_points, d)
    valid_length: (batch,), each at least 1
    """
    batch, _, d = X.shape
    queries = points.tile((batch, 1, 1))
    # The points attend to the set.
    to_set = nd.batch_dot(queries, X, transpose_b=True)
    scores = to_set / sqrt(d)
    gathered = masked_softmax(scores, valid_length)
    latents = nd.batch_dot(gathered, X)
    # The set attends to what they have gathered.
    to_latents = nd.batch_dot(X, latents.swapaxes(1, 2))
    returned = (to_latents / sqrt(d)).softmax(axis=-1)
    return nd.batch_dot(returned, latents)


def graph_attention(X, edges, W_q, W_k, w_v):
    """Each node attends to its neighbours.

    X: (batch, num_nodes, d)
    edges: (batch, num_nodes, num_nodes), 1 or 0
    W_q, W_k: (units, d)
    w_v: (1, units)
    """
    queries = nd.dot(X, W_q.T)
    keys = nd.dot(X, W_k.T)
    # (batch, num_nodes, num_nodes, units)
    pairs = queries.expand_dims(2) + keys.expand_dims(1)
    features = nd.maximum(pairs, 0.2 * pairs)
    scores = nd.dot(features, w_v.T).squeeze(axis=-1)
    hidden = scores - 1e6 * (edges == 0)
    return nd.batch_dot(hidden.softmax(axis=-1), keys)


def hopfield_step(states, patterns, beta):
    """One update, and the energies before it.

    states: (batch, d)
    patterns: (num_patterns, d), the store
    beta: above 0
    """
    scores = beta * nd.dot(states, patterns.T)
    largest = scores.max(axis=-1, keepdims=True)
    total = (scores - largest).exp().sum(axis=-1)
    log_sum = (total.log() + largest[:, 0]) / beta
    longest = (patterns**2).sum(axis=-1).max()
    spread = log(len(patterns)) / beta
    squares = (states**2).sum(axis=-1)
    energies = squares / 2 - log_sum + spread + longest / 2
    weights = scores.softmax(axis=-1)
    return nd.dot(weights, patterns), energies


def attend(Q, K, V):
    """Context and weights, scaled, with a batch."""
    scores = nd.batch_dot(Q, K, transpose_b=True)
    weights = (scores / sqrt(Q.shape[2])).softmax(axis=-1)
    return nd.batch_dot(weights, V), weights


def model(w, patches):
    """One block over patches, then learned queries.

    w: arrays by name
    patches: (batch, num_patches, pixels)
    """
    X = nd.dot(patches, w["embed"])
    X = X + w["place"].expand_dims(0)
    ways = (nd.dot(X, w[way]) for way in ("q", "k", "v"))
    X = X + attend(*ways)[0]
    X = X + nd.dot(nd.dot(X, w["up"]).relu(), w["down"])
    queries = w["queries"].tile((len(X), 1, 1))
    keys, values = nd.dot(X, w["k2"]), nd.dot(X, w["v2"])
    context, weights = attend(queries, keys, values)
    return nd.dot(context, w["out"]) + w["bias"], weights


def train(w, patches, loss_of, batches, fixed=()):
    """The weights after a step for each batch; losses.

    loss_of: of results and the rows of a batch
    fixed: names of weights that stay as they are
    """
    adam = optimizer.Adam(learning_rate=0.01)
    update = optimizer.get_updater(adam)
    w = {name: nd.array(array) for name, array in w.items()}
    free = [name for name in w if name not in fixed]
    for name in free:
        w[name].attach_grad()
    losses = []
    for rows in batches:
        with autograd.record():
            results, _ = model(w, nd.array(patches[rows]))
            loss = loss_of(results, rows).mean()
        loss.backward()
        for i, name in enumerate(free):
            update(i, w[name].grad, w[name])
        losses.append(loss.asscalar())
    return w, losses
