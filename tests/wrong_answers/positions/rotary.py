# %% turns clockwise: the signs of the sines are swapped [torch]
import torch


def rotary(X, positions):
    d = X.shape[-1]
    freq = 10000 ** (-torch.arange(0, d, 2) / d)
    angle = positions[:, :, None] * freq
    a, b = X[..., 0::2], X[..., 1::2]
    turned = torch.stack(
        [a * angle.cos() + b * angle.sin(), b * angle.cos() - a * angle.sin()], dim=-1
    )
    return turned.flatten(-2)

# %% feature m is paired with feature m + d/2 [torch]
import torch


def rotary(X, positions):
    d = X.shape[-1]
    theta = 1.0 / (10000 ** (torch.arange(0, d, 2).float() / d))
    angles = positions.unsqueeze(-1) * theta
    cos, sin = torch.cos(angles), torch.sin(angles)
    first, second = X.chunk(2, dim=-1)
    return torch.cat([first * cos - second * sin, second * cos + first * sin], dim=-1)

# %% the pairs are joined with cat: first features in front, second ones behind [torch]
import torch


def rotary(X, positions):
    d = X.shape[-1]
    even = torch.arange(0, d, 2).reshape((1, 1, -1))
    angles = positions.unsqueeze(-1) / 10000 ** (even / d)
    cos, sin = angles.cos(), angles.sin()
    first, second = X[..., 0::2], X[..., 1::2]
    return torch.cat((first * cos - second * sin, second * cos + first * sin), dim=-1)

# %% the exponent is i/d, not 2i/d [torch]
import math

import torch


def rotary(X, positions):
    batch, n, d = X.shape
    out = torch.zeros_like(X)
    for b in range(batch):
        for t in range(n):
            for i in range(d // 2):
                angle = positions[b, t].item() * 10000 ** (-i / d)
                c, s = math.cos(angle), math.sin(angle)
                out[b, t, 2 * i] = X[b, t, 2 * i] * c - X[b, t, 2 * i + 1] * s
                out[b, t, 2 * i + 1] = X[b, t, 2 * i + 1] * c + X[b, t, 2 * i] * s
    return out

# %% the second feature is computed from the first one that was turned already [torch]
import torch


def rotary(X, positions):
    d = X.shape[-1]
    angles = positions.unsqueeze(-1) * 10000 ** (-torch.arange(0, d, 2) / d)
    cos, sin = angles.cos(), angles.sin()
    out = X.clone()
    out[..., 0::2] = out[..., 0::2] * cos - out[..., 1::2] * sin
    out[..., 1::2] = out[..., 1::2] * cos + out[..., 0::2] * sin
    return out

# %% the result is written into X [torch]
import torch


def rotary(X, positions):
    d = X.shape[-1]
    freqs = 10000.0 ** (-torch.arange(0, d, 2) / d)
    angles = torch.einsum("bn,f->bnf", positions.float(), freqs)
    first = X[..., 0::2].clone()
    second = X[..., 1::2].clone()
    X[..., 0::2] = first * angles.cos() - second * angles.sin()
    X[..., 1::2] = second * angles.cos() + first * angles.sin()
    return X

# %% the complex numbers are not put back in a row: a fourth axis of pairs stays [torch]
import torch


def rotary(X, positions):
    b, n, d = X.shape
    z = torch.view_as_complex(X.reshape(b, n, d // 2, 2).contiguous())
    freqs = 1 / 10000 ** (torch.arange(0, d, 2) / d)
    angles = positions.unsqueeze(-1) * freqs
    turn = torch.polar(torch.ones_like(angles), angles)
    return torch.view_as_real(z * turn)

# %% cosines of neighbours, but the rotated part is made from halves [torch]
import torch


def rotate_half(X):
    half = X.shape[-1] // 2
    return torch.cat([-X[..., half:], X[..., :half]], dim=-1)


def rotary(X, positions):
    d = X.shape[-1]
    inv_freq = 1.0 / (10000 ** (torch.arange(0, d, 2).float() / d))
    angles = (positions[..., None] * inv_freq).repeat_interleave(2, dim=-1)
    return X * angles.cos() + rotate_half(X) * angles.sin()

# %% even // d is 0, so all pairs turn at the same speed [torch]
import torch


def rotary(X, positions):
    d = X.shape[-1]
    even = torch.arange(0, d, 2)
    frequencies = 1.0 / 10000 ** (even // d)
    angles = positions.unsqueeze(-1) * frequencies
    cos, sin = angles.cos(), angles.sin()
    first, second = X[..., 0::2], X[..., 1::2]
    rotated = torch.empty_like(X)
    rotated[..., 0::2] = first * cos - second * sin
    rotated[..., 1::2] = second * cos + first * sin
    return rotated

# %% the positions have no axis for the pairs and do not fit the frequencies [torch]
import torch


def rotary(X, positions):
    d = X.shape[-1]
    frequencies = 1 / 10000 ** (torch.arange(0, d, 2) / d)
    angles = positions * frequencies
    cos, sin = torch.cos(angles), torch.sin(angles)
    first, second = X[..., 0::2], X[..., 1::2]
    rotated = torch.stack((first * cos - second * sin, second * cos + first * sin), dim=-1)
    return rotated.reshape(X.shape)

# %% the positions given are ignored and counted from 0, and the angles are taken for degrees [torch]
import torch


def rotary(X, positions):
    batch, n, d = X.shape
    m = torch.arange(n).view(1, n, 1)
    pair = torch.arange(d // 2).view(1, 1, -1)
    angles = torch.deg2rad(m * 10000.0 ** (-2 * pair / d))
    R = torch.stack(
        [
            torch.stack([angles.cos(), -angles.sin()], dim=-1),
            torch.stack([angles.sin(), angles.cos()], dim=-1),
        ],
        dim=-2,
    ).expand(batch, n, d // 2, 2, 2)
    pairs = X.reshape(batch, n, d // 2, 2, 1)
    return (R @ pairs).reshape(batch, n, d)

# %% the power is not inverted: later pairs turn faster [mxnet]
from mxnet import nd


def rotary(X, positions):
    d = X.shape[-1]
    frequencies = 10000 ** (nd.arange(0, d, 2) / d)
    angles = positions.expand_dims(2) * frequencies.reshape((1, 1, -1))
    cos, sin = nd.cos(angles), nd.sin(angles)
    first, second = X[:, :, 0::2], X[:, :, 1::2]
    rotated = nd.stack(first * cos - second * sin, second * cos + first * sin, axis=3)
    return rotated.reshape(X.shape)

# %% all sequences take the positions of the first one [mxnet]
from mxnet import nd


def rotary(X, positions):
    d = X.shape[2]
    rate = (10000 ** (-nd.arange(0, d, 2) / d)).reshape((1, -1))
    angles = (positions[0].reshape((-1, 1)) * rate).expand_dims(0)
    cos, sin = angles.cos(), angles.sin()
    a, b = X[:, :, 0::2], X[:, :, 1::2]
    return nd.stack(a * cos - b * sin, b * cos + a * sin, axis=-1).reshape(X.shape)

# %% the two results are stacked before the pairs' axis, so the reshape mixes them up [mxnet]
from mxnet import nd


def rotary(X, positions):
    batch, n, d = X.shape
    even = nd.arange(0, d, 2).reshape((1, 1, d // 2))
    angles = positions.reshape((batch, n, 1)) / 10000 ** (even / d)
    cos, sin = angles.cos(), angles.sin()
    pairs = X.reshape((batch, n, d // 2, 2))
    first, second = pairs[:, :, :, 0], pairs[:, :, :, 1]
    rotated = nd.stack(first * cos - second * sin, second * cos + first * sin, axis=2)
    return rotated.reshape((batch, n, d))

# %% the last pair is left out of the loop and not turned [mxnet]
from mxnet import nd


def rotary(X, positions):
    d = X.shape[2]
    columns = []
    for i in range(d // 2 - 1):
        angle = positions * 10000 ** (-2 * i / d)
        a, b = X[:, :, 2 * i], X[:, :, 2 * i + 1]
        columns.append(a * angle.cos() - b * angle.sin())
        columns.append(b * angle.cos() + a * angle.sin())
    columns.append(X[:, :, d - 2])
    columns.append(X[:, :, d - 1])
    return nd.stack(*columns, axis=2)

# %% sines and cosines of the position are added instead of turning [mxnet]
from mxnet import nd


def rotary(X, positions):
    d = X.shape[-1]
    even = nd.arange(0, d, 2).reshape((1, 1, -1))
    angles = positions.expand_dims(-1) / 10000 ** (even / d)
    added = nd.stack(angles.sin(), angles.cos(), axis=-1).reshape(X.shape)
    return X + added
