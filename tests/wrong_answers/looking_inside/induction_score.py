# %% the earlier occurrence itself, not the token after it [torch]
import torch


def induction_score(weights, tokens):
    same = (tokens[:, :, None] == tokens[:, None, :]).float()
    earlier = torch.tril(same, diagonal=-1)
    asked = earlier.sum(dim=2) > 0
    found = (weights * earlier[:, None]).sum(dim=(0, 2, 3))
    return found / asked.sum()

# %% the token before the earlier occurrence [torch]
import torch


def induction_score(weights, tokens):
    same = (tokens[:, :, None] == tokens[:, None, :]).float()
    earlier = torch.tril(same, diagonal=-1)
    before = torch.zeros_like(earlier)
    before[:, :, :-1] = earlier[:, :, 1:]
    asked = (earlier.sum(dim=2) > 0).sum()
    return (weights * before[:, None]).sum(dim=(0, 2, 3)) / asked

# %% queries without an earlier occurrence count as 0 [torch]
import torch


def induction_score(weights, tokens):
    batch, n = tokens.shape
    same = (tokens.unsqueeze(2) == tokens.unsqueeze(1)).float().tril(-1)
    after = torch.nn.functional.pad(same[:, :, :-1], (1, 0))
    found = (weights * after.unsqueeze(1)).sum(dim=-1)
    return found.mean(dim=(0, 2))

# %% only the latest earlier occurrence counts [torch]
import torch


def induction_score(weights, tokens):
    batch, heads, n, _ = weights.shape
    total = torch.zeros(heads)
    count = 0
    for b in range(batch):
        last = {}
        for t in range(n):
            word = int(tokens[b, t])
            if word in last:
                total = total + weights[b, :, t, last[word] + 1]
                count += 1
            last[word] = t
    return total / count

# %% only the first occurrence counts [torch]
import torch


def induction_score(weights, tokens):
    batch, heads, n, _ = weights.shape
    total, count = 0, 0
    for b in range(batch):
        words = tokens[b].tolist()
        for t in range(n):
            first = words.index(words[t])
            if first < t:
                total = total + weights[b, :, t, first + 1]
                count += 1
    return total / count

# %% divided by the number of pairs, not of queries [torch]
import torch


def induction_score(weights, tokens):
    same = (tokens.unsqueeze(2) == tokens.unsqueeze(1)).float().tril(-1)
    after = torch.zeros_like(same)
    after[:, :, 1:] = same[:, :, :-1]
    found = (weights * after.unsqueeze(1)).sum(dim=(0, 2, 3))
    return found / after.sum()

# %% the query itself counts as an occurrence, so every query is counted [torch]
import torch


def induction_score(weights, tokens):
    same = (tokens.unsqueeze(2) == tokens.unsqueeze(1)).float().tril()
    after = torch.zeros_like(same)
    after[:, :, 1:] = same[:, :, :-1]
    asked = same.amax(dim=2).sum()
    return (weights * after.unsqueeze(1)).sum(dim=(0, 2, 3)) / asked

# %% each sequence is averaged alone, and then all sequences alike [torch]
import torch


def induction_score(weights, tokens):
    scores = []
    for w, words in zip(weights, tokens):
        same = (words[:, None] == words[None, :]).float().tril(-1)
        after = torch.zeros_like(same)
        after[:, 1:] = same[:, :-1]
        asked = after.sum(dim=1).clamp(max=1).sum().clamp(min=1)
        scores.append((w * after).sum(dim=(1, 2)) / asked)
    return torch.stack(scores).mean(dim=0)

# %% later occurrences count too [torch]
import torch


def induction_score(weights, tokens):
    n = tokens.shape[1]
    same = (tokens.unsqueeze(2) == tokens.unsqueeze(1)).float()
    same = same * (1 - torch.eye(n))
    after = torch.zeros_like(same)
    after[:, :, 1:] = same[:, :, :-1]
    asked = (after.sum(dim=2) > 0).sum()
    return (weights * after.unsqueeze(1)).sum(dim=(0, 2, 3)) / asked

# %% the share of queries whose largest weight is on the right token [torch]
import torch


def induction_score(weights, tokens):
    same = (tokens.unsqueeze(2) == tokens.unsqueeze(1)).float().tril(-1)
    after = torch.zeros_like(same)
    after[:, :, 1:] = same[:, :, :-1]
    asked = after.amax(dim=2)
    best = weights.argmax(dim=-1, keepdim=True)
    right = torch.gather(after.unsqueeze(1).expand_as(weights), 3, best).squeeze(-1)
    return right.sum(dim=(0, 2)) / asked.sum()

# %% one number for all heads [torch]
import torch


def induction_score(weights, tokens):
    same = (tokens.unsqueeze(2) == tokens.unsqueeze(1)).float().tril(-1)
    after = torch.nn.functional.pad(same, (1, 0))[:, :, :-1]
    found = weights.mean(dim=1) * after
    return found.sum() / after.amax(dim=2).sum()

# %% the token is looked up by what stands before the query [torch]
import torch


def induction_score(weights, tokens):
    batch, heads, n, _ = weights.shape
    total, count = 0, 0
    for b in range(batch):
        for t in range(1, n):
            places = [j for j in range(t - 1) if tokens[b, j] == tokens[b, t - 1]]
            if places:
                count += 1
                for j in places:
                    total = total + weights[b, :, t, j + 1]
    return total / count

# %% the queries are shifted, not the keys [torch]
import torch


def induction_score(weights, tokens):
    same = (tokens.unsqueeze(2) == tokens.unsqueeze(1)).float().tril(-1)
    after = torch.zeros_like(same)
    after[:, 1:, :] = same[:, :-1, :]
    asked = after.amax(dim=2).sum()
    return (weights * after.unsqueeze(1)).sum(dim=(0, 2, 3)) / asked

# %% torch.roll brings the last column round to the front [torch]
import torch


def induction_score(weights, tokens):
    same = (tokens.unsqueeze(2) == tokens.unsqueeze(1)).float()
    after = torch.roll(same, 1, dims=2).tril()
    asked = after.amax(dim=2).sum()
    return (weights * after.unsqueeze(1)).sum(dim=(0, 2, 3)) / asked

# %% the mean weight of the tokens that follow, not their sum, for each query [torch]
import torch


def induction_score(weights, tokens):
    same = (tokens.unsqueeze(2) == tokens.unsqueeze(1)).float().tril(-1)
    after = torch.zeros_like(same)
    after[:, :, 1:] = same[:, :, :-1]
    count = after.sum(dim=2)
    found = (weights * after.unsqueeze(1)).sum(dim=3) / count.clamp(min=1).unsqueeze(1)
    return found.sum(dim=(0, 2)) / (count > 0).sum()

# %% the sum over the batch, not the mean [torch]
import torch


def induction_score(weights, tokens):
    same = (tokens.unsqueeze(2) == tokens.unsqueeze(1)).float().tril(-1)
    after = torch.zeros_like(same)
    after[:, :, 1:] = same[:, :, :-1]
    return torch.einsum("bhqk,bqk->h", weights, after)

# %% the axes of queries and keys are swapped [torch]
import torch


def induction_score(weights, tokens):
    same = (tokens.unsqueeze(2) == tokens.unsqueeze(1)).float().tril(-1)
    after = torch.zeros_like(same)
    after[:, :, 1:] = same[:, :, :-1]
    asked = after.amax(dim=2).sum()
    turned = weights.transpose(2, 3)
    return (turned * after.unsqueeze(1)).sum(dim=(0, 2, 3)) / asked

# %% the same token, unshifted, and all queries count [mxnet]
from mxnet import nd


def induction_score(weights, tokens):
    n = tokens.shape[1]
    same = nd.broadcast_equal(tokens.expand_dims(2), tokens.expand_dims(1))
    place = nd.arange(n)
    earlier = place.reshape((1, 1, n)) < place.reshape((1, n, 1))
    found = (weights * (same * earlier).expand_dims(1)).sum(axis=3)
    return found.mean(axis=(0, 2))

# %% the mask has no axis for the heads, and meets the batch instead [mxnet]
from mxnet import nd


def induction_score(weights, tokens):
    n = tokens.shape[1]
    same = nd.broadcast_equal(tokens.expand_dims(2), tokens.expand_dims(1))
    place = nd.arange(n)
    earlier = same * (place.reshape((1, 1, n)) < place.reshape((1, n, 1)))
    after = nd.concat(nd.zeros_like(earlier[:, :, :1]), earlier[:, :, :-1], dim=2)
    asked = after.max(axis=2).sum()
    return (weights * after).sum(axis=(0, 2, 3)) / asked
