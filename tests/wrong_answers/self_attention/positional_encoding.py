# %% cosines in even columns, sines in odd ones [torch]
import torch


def positional_encoding(num_positions, d):
    p = torch.arange(num_positions, dtype=torch.float32).unsqueeze(1)
    two_i = torch.arange(0, d, 2).float()
    angle = p / 10000 ** (two_i / d)
    pe = torch.zeros(num_positions, d)
    pe[:, 0::2] = torch.cos(angle)
    pe[:, 1::2] = torch.sin(angle[:, : d // 2])
    return pe

# %% sines in the first half, cosines in the second [torch]
import torch


def positional_encoding(num_positions, d):
    p = torch.arange(num_positions).float()[:, None]
    freq = 10000 ** (-torch.arange(0, d, 2).float() / d)
    return torch.cat([torch.sin(p * freq), torch.cos(p * freq)[:, : d // 2]], dim=1)

# %% the exponent counts i, not 2i [torch]
import math

import torch


def positional_encoding(num_positions, d):
    table = torch.zeros(num_positions, d)
    for p in range(num_positions):
        for c in range(d):
            i = c // 2
            angle = p / 10000 ** (i / d)
            table[p, c] = math.sin(angle) if c % 2 == 0 else math.cos(angle)
    return table

# %% each column has a wavelength of its own [torch]
import math

import torch


def positional_encoding(num_positions, d):
    table = torch.zeros(num_positions, d)
    for p in range(num_positions):
        for c in range(d):
            i = c
            angle = p / 10000 ** (2 * i / d)
            table[p, c] = math.sin(angle) if c % 2 == 0 else math.cos(angle)
    return table

# %% column c as exponent: odd columns differ from even ones [torch]
import math

import torch


def positional_encoding(num_positions, d):
    table = torch.zeros(num_positions, d)
    for p in range(num_positions):
        for c in range(d):
            i = c // 2
            angle = p / 10000 ** (c / d)
            table[p, c] = math.sin(angle) if c % 2 == 0 else math.cos(angle)
    return table

# %% positions from one [torch]
import torch


def positional_encoding(num_positions, d):
    p = torch.arange(1, num_positions + 1, dtype=torch.float32).unsqueeze(1)
    two_i = torch.arange(0, d, 2).float()
    angle = p / 10000 ** (two_i / d)
    pe = torch.zeros(num_positions, d)
    pe[:, 0::2] = torch.sin(angle)
    pe[:, 1::2] = torch.cos(angle[:, : d // 2])
    return pe

# %% 1000 for 10000 [torch]
import torch


def positional_encoding(num_positions, d):
    p = torch.arange(num_positions, dtype=torch.float32).unsqueeze(1)
    two_i = torch.arange(0, d, 2).float()
    angle = p / 1000 ** (two_i / d)
    pe = torch.zeros(num_positions, d)
    pe[:, 0::2] = torch.sin(angle)
    pe[:, 1::2] = torch.cos(angle[:, : d // 2])
    return pe

# %% multiplies by the power [torch]
import torch


def positional_encoding(num_positions, d):
    p = torch.arange(num_positions, dtype=torch.float32).unsqueeze(1)
    two_i = torch.arange(0, d, 2).float()
    angle = p * 10000 ** (two_i / d)
    pe = torch.zeros(num_positions, d)
    pe[:, 0::2] = torch.sin(angle)
    pe[:, 1::2] = torch.cos(angle[:, : d // 2])
    return pe

# %% two_i is doubled once more [torch]
import torch


def positional_encoding(num_positions, d):
    p = torch.arange(num_positions, dtype=torch.float32).unsqueeze(1)
    two_i = torch.arange(0, d, 2).float()
    angle = p / 10000 ** (2 * two_i / d)
    pe = torch.zeros(num_positions, d)
    pe[:, 0::2] = torch.sin(angle)
    pe[:, 1::2] = torch.cos(angle[:, : d // 2])
    return pe

# %% only sines [torch]
import torch


def positional_encoding(num_positions, d):
    p = torch.arange(num_positions, dtype=torch.float32).unsqueeze(1)
    two_i = torch.arange(0, d, 2).float()
    angle = p / 10000 ** (two_i / d)
    pe = torch.zeros(num_positions, d)
    pe[:, 0::2] = torch.sin(angle)
    pe[:, 1::2] = torch.sin(angle[:, : d // 2])
    return pe

# %% an odd width stops [torch]
import torch


def positional_encoding(num_positions, d):
    p = torch.arange(num_positions, dtype=torch.float32).unsqueeze(1)
    two_i = torch.arange(0, d, 2).float()
    angle = p / 10000 ** (two_i / d)
    pe = torch.zeros(num_positions, d)
    pe[:, 0::2] = torch.sin(angle)
    pe[:, 1::2] = torch.cos(angle)
    return pe

# %% the width is made even: one column too many [torch]
import torch


def positional_encoding(num_positions, d):
    p = torch.arange(num_positions, dtype=torch.float32).unsqueeze(1)
    two_i = torch.arange(0, d, 2).float()
    angle = p / 10000 ** (two_i / d)
    d = d + d % 2
    pe = torch.zeros(num_positions, d)
    pe[:, 0::2] = torch.sin(angle)
    pe[:, 1::2] = torch.cos(angle[:, : d // 2])
    return pe

# %% the exponent's denominator is half of d [torch]
import torch


def positional_encoding(num_positions, d):
    p = torch.arange(num_positions, dtype=torch.float32).unsqueeze(1)
    two_i = torch.arange(0, d, 2).float()
    angle = p / 10000 ** (two_i / (d // 2))
    pe = torch.zeros(num_positions, d)
    pe[:, 0::2] = torch.sin(angle)
    pe[:, 1::2] = torch.cos(angle[:, : d // 2])
    return pe

# %% divides by d - 1 so that the last column reaches 10000 [torch]
import torch


def positional_encoding(num_positions, d):
    p = torch.arange(num_positions, dtype=torch.float32).unsqueeze(1)
    two_i = torch.arange(0, d, 2).float()
    angle = p / 10000 ** (two_i / (d - 1))
    pe = torch.zeros(num_positions, d)
    pe[:, 0::2] = torch.sin(angle)
    pe[:, 1::2] = torch.cos(angle[:, : d // 2])
    return pe

# %% positions as fractions of the length [torch]
import torch


def positional_encoding(num_positions, d):
    p = torch.arange(num_positions, dtype=torch.float32).unsqueeze(1) / num_positions
    two_i = torch.arange(0, d, 2).float()
    angle = p / 10000 ** (two_i / d)
    pe = torch.zeros(num_positions, d)
    pe[:, 0::2] = torch.sin(angle)
    pe[:, 1::2] = torch.cos(angle[:, : d // 2])
    return pe

# %% turned round: a column for each position [torch]
import torch


def positional_encoding(num_positions, d):
    p = torch.arange(num_positions, dtype=torch.float32).unsqueeze(1)
    two_i = torch.arange(0, d, 2).float()
    angle = p / 10000 ** (two_i / d)
    pe = torch.zeros(num_positions, d)
    pe[:, 0::2] = torch.sin(angle)
    pe[:, 1::2] = torch.cos(angle[:, : d // 2])
    return pe.T

# %% two pi in the angle [torch]
import math

import torch


def positional_encoding(num_positions, d):
    table = torch.zeros(num_positions, d)
    for p in range(num_positions):
        for c in range(d):
            i = c // 2
            angle = 2 * math.pi * p / 10000 ** (2 * i / d)
            table[p, c] = math.sin(angle) if c % 2 == 0 else math.cos(angle)
    return table

# %% whole-number division in the exponent [torch]
import math

import torch


def positional_encoding(num_positions, d):
    table = torch.zeros(num_positions, d)
    for p in range(num_positions):
        for c in range(d):
            i = c // 2
            angle = p / 10000 ** (2 * i // d)
            table[p, c] = math.sin(angle) if c % 2 == 0 else math.cos(angle)
    return table

# %% an odd width ends with a cosine [torch]
import torch


def positional_encoding(num_positions, d):
    p = torch.arange(num_positions).unsqueeze(1)
    angle = p / 10000 ** (torch.arange(0, d, 2) / d)
    both = torch.stack([angle.sin(), angle.cos()], dim=-1).reshape(num_positions, -1)
    if d % 2:
        return torch.cat([both[:, : d - 1], both[:, d:]], dim=1)
    return both

# %% exponent with i, and positions from one [torch]
import math

import torch


def positional_encoding(num_positions, d):
    table = torch.zeros(num_positions, d)
    for p in range(num_positions):
        for c in range(d):
            i = c // 2
            angle = (p + 1) / 10000 ** (i / d)
            table[p, c] = math.sin(angle) if c % 2 == 0 else math.cos(angle)
    return table

# %% sines and cosines interchanged [mxnet]
from mxnet import nd


def positional_encoding(num_positions, d):
    p = nd.arange(num_positions).reshape((-1, 1))
    two_i = nd.arange(0, d, 2).reshape((1, -1))
    angle = nd.broadcast_div(p, nd.power(10000, two_i / d))
    pe = nd.zeros((num_positions, d))
    pe[:, 0::2] = nd.cos(angle)
    pe[:, 1::2] = nd.sin(angle)[:, : d // 2]
    return pe

# %% the exponent is 2i times 2 over d [mxnet]
from mxnet import nd


def positional_encoding(num_positions, d):
    p = nd.arange(num_positions).reshape((-1, 1))
    two_i = nd.arange(0, d, 2).reshape((1, -1))
    angle = nd.broadcast_div(p, nd.power(10000, 2 * two_i / d))
    pe = nd.zeros((num_positions, d))
    pe[:, 0::2] = nd.sin(angle)
    pe[:, 1::2] = nd.cos(angle)[:, : d // 2]
    return pe

# %% i instead of 2i [mxnet]
from mxnet import nd


def positional_encoding(num_positions, d):
    p = nd.arange(num_positions).reshape((-1, 1))
    two_i = nd.arange((d + 1) // 2).reshape((1, -1))
    angle = nd.broadcast_div(p, nd.power(10000, two_i / d))
    pe = nd.zeros((num_positions, d))
    pe[:, 0::2] = nd.sin(angle)
    pe[:, 1::2] = nd.cos(angle)[:, : d // 2]
    return pe

# %% the power is multiplied [mxnet]
from mxnet import nd


def positional_encoding(num_positions, d):
    p = nd.arange(num_positions).reshape((-1, 1))
    two_i = nd.arange(0, d, 2).reshape((1, -1))
    angle = nd.broadcast_mul(p, nd.power(10000, two_i / d))
    pe = nd.zeros((num_positions, d))
    pe[:, 0::2] = nd.sin(angle)
    pe[:, 1::2] = nd.cos(angle)[:, : d // 2]
    return pe

# %% degrees into radians first [mxnet]
from mxnet import nd


def positional_encoding(num_positions, d):
    p = nd.arange(num_positions).reshape((-1, 1))
    two_i = nd.arange(0, d, 2).reshape((1, -1))
    angle = nd.broadcast_div(p, nd.power(10000, two_i / d))
    pe = nd.zeros((num_positions, d))
    pe[:, 0::2] = nd.sin(nd.radians(angle))
    pe[:, 1::2] = nd.cos(nd.radians(angle))[:, : d // 2]
    return pe

# %% a random table instead of waves [torch]
import torch


def positional_encoding(num_positions, d):
    torch.manual_seed(0)
    return torch.randn(num_positions, d)

# %% the one wavelength for all columns [torch]
import torch


def positional_encoding(num_positions, d):
    p = torch.arange(num_positions).float().unsqueeze(1).repeat(1, d)
    pe = torch.sin(p / 10000)
    pe[:, 1::2] = torch.cos(p / 10000)[:, 1::2]
    return pe
