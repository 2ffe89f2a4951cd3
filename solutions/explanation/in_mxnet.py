"""What the attention of a classifier explains, in MXNet."""

from mxnet import autograd, nd


def leave_one_out(scores, votes, valid_length):
    """The verdict less the verdict without each step.

    scores, votes: (batch, num_steps)
    valid_length: (batch,), each at least 1
    """
    num_steps = scores.shape[1]
    positions = nd.arange(num_steps).expand_dims(0)
    mask = positions < valid_length.expand_dims(1)
    filled = scores * mask - 1e30 * (1 - mask)
    verdict = filled.softmax(axis=1) * votes
    verdict = verdict.sum(axis=1)
    # Row t of a review is the review without step t.
    other_steps = (1 - nd.eye(num_steps)).expand_dims(0)
    present = mask.expand_dims(1) * other_steps
    left = scores.expand_dims(1) * present
    left = left - 1e30 * (1 - present)
    weights = left.softmax(axis=-1) * present
    without = weights * votes.expand_dims(1)
    without = without.sum(axis=-1)
    return (verdict.expand_dims(1) - without) * mask


def change_when_permuted(weights, votes, orders):
    """Mean change of the probability over permutations.

    weights, votes: (batch, num_steps)
    orders: (num_orders, batch, num_steps); step t takes
        the weight of step orders[k, b, t]
    """
    selection = nd.one_hot(orders, weights.shape[1])
    expanded = weights.expand_dims(1).expand_dims(0)
    permuted = (selection * expanded).sum(axis=-1)
    before = (weights * votes).sum(axis=1).sigmoid()
    moved = permuted * votes.expand_dims(0)
    after = moved.sum(axis=-1).sigmoid()
    before = before.expand_dims(0)
    return (after - before).abs().mean(axis=0)


def importance_without(model, tokens, valid_length):
    """The verdict less the verdict without each word.

    model: a Classifier
    tokens: (batch, num_steps)
    valid_length: (batch,), each at least 2
    """
    verdict = model(tokens, valid_length)
    columns = []
    num_steps = tokens.shape[1]
    for t in range(num_steps):
        # The later words move up, as in a real review.
        other_steps = [i for i in range(num_steps) if i != t]
        has_step = valid_length > t
        left = valid_length - has_step
        without = model(tokens[:, other_steps], left)
        columns.append((verdict - without) * has_step)
    return nd.stack(*columns, axis=1)


def gradient_times_input(model, tokens, valid_length):
    """The gradient of the verdict times each word vector.

    model: a Classifier
    tokens: (batch, num_steps)
    valid_length: (batch,)
    """
    words = model.embedding(tokens).detach()
    words.attach_grad()
    with autograd.record():
        verdict = model.classify(words, valid_length)
    verdict.backward()
    return (words.grad * words).sum(axis=-1)
