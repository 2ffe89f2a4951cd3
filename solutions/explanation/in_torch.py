"""What the attention of a classifier explains, in PyTorch."""

import torch


def leave_one_out(scores, votes, valid_length):
    """The verdict less the verdict without each step.

    scores, votes: (batch, num_steps)
    valid_length: (batch,), each at least 1
    """
    num_steps = scores.shape[1]
    device = scores.device
    positions = torch.arange(num_steps, device=device)
    mask = positions < valid_length.unsqueeze(1)
    filled = scores.masked_fill(~mask, -1e30)
    verdict = filled.softmax(dim=1) * votes
    verdict = verdict.sum(dim=1)
    # Row t of a review is the review without step t.
    other_steps = positions != positions.unsqueeze(1)
    present = mask.unsqueeze(1) & other_steps
    left = scores.unsqueeze(1).masked_fill(~present, -1e30)
    weights = left.softmax(dim=-1) * present
    without = weights * votes.unsqueeze(1)
    without = without.sum(dim=-1)
    return (verdict.unsqueeze(1) - without) * mask


def change_when_permuted(weights, votes, orders):
    """Mean change of the probability over permutations.

    weights, votes: (batch, num_steps)
    orders: (num_orders, batch, num_steps); step t takes
        the weight of step orders[k, b, t]
    """
    expanded = weights.expand(orders.shape)
    permuted = expanded.gather(2, orders)
    before = (weights * votes).sum(dim=1).sigmoid()
    after = (permuted * votes).sum(dim=-1).sigmoid()
    return (after - before).abs().mean(dim=0)


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
        has_step = t < valid_length
        left = valid_length - has_step.long()
        without = model(tokens[:, other_steps], left)
        columns.append((verdict - without) * has_step)
    return torch.stack(columns, dim=1)


def gradient_times_input(model, tokens, valid_length):
    """The gradient of the verdict times each word vector.

    model: a Classifier
    tokens: (batch, num_steps)
    valid_length: (batch,)
    """
    words = model.embedding(tokens).detach()
    words.requires_grad_()
    model.classify(words, valid_length).sum().backward()
    return (words.grad * words.detach()).sum(dim=-1)
