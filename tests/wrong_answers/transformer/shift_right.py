# %% shifted to the left: the first token is dropped, the start comes last [torch]
import torch


def shift_right(tokens, start):
    first = torch.full_like(tokens[:, :1], start)
    return torch.cat([tokens[:, 1:], first], dim=1)

# %% the last token is not dropped: one step too long [torch]
import torch


def shift_right(tokens, start):
    first = torch.full_like(tokens[:, :1], start)
    return torch.cat([first, tokens], dim=1)

# %% the first token is overwritten, nothing is shifted [torch]
import torch


def shift_right(tokens, start):
    given = tokens.clone()
    given[:, 0] = start
    return given

# %% rolled, and the start forgotten [torch]
import torch


def shift_right(tokens, start):
    given = torch.roll(tokens, 1, dims=1)
    return given

# %% rolled to the other side [torch]
import torch


def shift_right(tokens, start):
    given = torch.roll(tokens, -1, dims=1)
    given[:, 0] = start
    return given

# %% the start in front and the first token dropped: not shifted [torch]
import torch


def shift_right(tokens, start):
    first = torch.full_like(tokens[:, :1], start)
    return torch.cat([first, tokens[:, 1:]], dim=1)

# %% zero instead of the start token [torch]
import torch


def shift_right(tokens, start):
    first = torch.full_like(tokens[:, :1], 0)
    return torch.cat([first, tokens[:, :-1]], dim=1)

# %% shifted by two [torch]
import torch


def shift_right(tokens, start):
    first = torch.full_like(tokens[:, :1], start)
    return torch.cat([first, first, tokens[:, :-2]], dim=1)

# %% shifted along the batch [torch]
import torch


def shift_right(tokens, start):
    first = torch.full_like(tokens[:1], start)
    return torch.cat([first, tokens[:-1]], dim=0)

# %% changed in place: the caller's tokens are lost [torch]
def shift_right(tokens, start):
    tokens[:, 1:] = tokens[:, :-1].clone()
    tokens[:, 0] = start
    return tokens

# %% the loop copies the first token on and on [torch]
import torch


def shift_right(tokens, start):
    given = tokens.clone()
    given[:, 0] = start
    for t in range(1, tokens.shape[1]):
        given[:, t] = given[:, t - 1]
    return given

# %% the start number is added to the tokens [torch]
def shift_right(tokens, start):
    return tokens + start

# %% rolled over the flattened batch [torch]
import torch


def shift_right(tokens, start):
    given = torch.roll(tokens, 1)
    given[0, 0] = start
    return given

# %% the start token at both ends [torch]
import torch


def shift_right(tokens, start):
    first = torch.full_like(tokens[:, :1], start)
    return torch.cat([first, tokens[:, :-2], first], dim=1)

# %% only the first sentence gets the start [torch]
import torch


def shift_right(tokens, start):
    given = torch.roll(tokens, 1, dims=1)
    given[0, 0] = start
    return given

# %% the last token is repeated at the end in place of the shift [torch]
import torch


def shift_right(tokens, start):
    first = torch.full_like(tokens[:, :1], start)
    return torch.cat([first, tokens[:, 1:-1], tokens[:, -1:]], dim=1)

# %% to the left [mxnet]
from mxnet import nd


def shift_right(tokens, start):
    first = nd.full((tokens.shape[0], 1), start)
    return nd.concat(tokens[:, 1:], first, dim=1)

# %% one step too long [mxnet]
from mxnet import nd


def shift_right(tokens, start):
    first = nd.full((tokens.shape[0], 1), start)
    return nd.concat(first, tokens, dim=1)

# %% the start replaces the first token [mxnet]
from mxnet import nd


def shift_right(tokens, start):
    first = nd.full((tokens.shape[0], 1), start)
    return nd.concat(first, tokens[:, 1:], dim=1)

# %% stacked along the batch [mxnet]
from mxnet import nd


def shift_right(tokens, start):
    first = nd.full((1, tokens.shape[1]), start)
    return nd.concat(first, tokens[:-1], dim=0)

# %% works on a list of one sentence only [torch]
import torch


def shift_right(tokens, start):
    sentence = [start] + tokens[0, :-1].tolist()
    return torch.tensor([sentence])
