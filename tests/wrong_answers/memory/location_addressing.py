# %% the gate weighs the previous weights [torch]
import torch


def location_addressing(content, previous, gate, shift, sharpness):
    w = gate * previous + (1 - gate) * content
    w = shift[:, :1] * w.roll(-1, 1) + shift[:, 1:2] * w + shift[:, 2:] * w.roll(1, 1)
    w = w**sharpness
    return w / w.sum(1, keepdim=True)

# %% a shift of +1 moves the weight to the slot before [torch]
import torch


def location_addressing(content, previous, gate, shift, sharpness):
    w = gate * content + (1 - gate) * previous
    moved = torch.zeros_like(w)
    for k, s in enumerate((-1, 0, 1)):
        moved = moved + shift[:, k : k + 1] * torch.roll(w, -s, dims=1)
    moved = moved.pow(sharpness)
    return moved / moved.sum(dim=1, keepdim=True)

# %% no ring: what leaves at an end is lost [torch]
import torch


def location_addressing(content, previous, gate, shift, sharpness):
    w = gate * content + (1 - gate) * previous
    padded = torch.nn.functional.pad(w, (1, 1))
    n = w.shape[1]
    moved = (
        shift[:, 0:1] * padded[:, 2:]
        + shift[:, 1:2] * padded[:, 1 : n + 1]
        + shift[:, 2:3] * padded[:, :n]
    )
    raised = moved**sharpness
    return raised / raised.sum(dim=1, keepdim=True)

# %% not divided by the sum after the power [torch]
import torch


def location_addressing(content, previous, gate, shift, sharpness):
    mixed = torch.lerp(previous, content, gate)
    moved = (
        shift[:, 0:1] * mixed.roll(-1, dims=1)
        + shift[:, 1:2] * mixed
        + shift[:, 2:3] * mixed.roll(1, dims=1)
    )
    return moved**sharpness

# %% sharpened first, shifted last [torch]
import torch


def location_addressing(content, previous, gate, shift, sharpness):
    w = gate * content + (1 - gate) * previous
    w = w**sharpness
    w = w / w.sum(dim=-1, keepdim=True)
    return shift[:, 0:1] * w.roll(-1, -1) + shift[:, 1:2] * w + shift[:, 2:3] * w.roll(1, -1)

# %% sharpened by a softmax of the weights times the sharpness [torch]
import torch


def location_addressing(content, previous, gate, shift, sharpness):
    w = gate * content + (1 - gate) * previous
    w = shift[:, 0:1] * w.roll(-1, 1) + shift[:, 1:2] * w + shift[:, 2:3] * w.roll(1, 1)
    return torch.softmax(sharpness * w, dim=1)

# %% the shifts are taken for 0, +1 and -1, as in a Fourier transform [torch]
import torch


def location_addressing(content, previous, gate, shift, sharpness):
    w = gate * content + (1 - gate) * previous
    n = w.shape[1]
    moved = torch.zeros_like(w)
    for i in range(n):
        moved = moved.index_add(
            1,
            torch.tensor([i]),
            (shift[:, 0] * w[:, i] + shift[:, 1] * w[:, i - 1] + shift[:, 2] * w[:, (i + 1) % n])[:, None],
        )
    raised = moved**sharpness
    return raised / raised.sum(dim=1, keepdim=True)

# %% only the previous weights are shifted, and the content is mixed in afterwards [torch]
import torch


def location_addressing(content, previous, gate, shift, sharpness):
    moved = (
        shift[:, 0:1] * previous.roll(-1, dims=1)
        + shift[:, 1:2] * previous
        + shift[:, 2:3] * previous.roll(1, dims=1)
    )
    mixed = gate * content + (1 - gate) * moved
    raised = mixed**sharpness
    return raised / raised.sum(dim=1, keepdim=True)

# %% rolls over the batch instead of the slots [torch]
import torch


def location_addressing(content, previous, gate, shift, sharpness):
    w = gate * content + (1 - gate) * previous
    w = (
        shift[:, 0:1] * torch.roll(w, -1, 0)
        + shift[:, 1:2] * w
        + shift[:, 2:3] * torch.roll(w, 1, 0)
    )
    w = w**sharpness
    return w / w.sum(dim=1, keepdim=True)

# %% roll without an axis: the ring runs through the whole batch [torch]
import torch


def location_addressing(content, previous, gate, shift, sharpness):
    mixed = gate * content + (1 - gate) * previous
    shifted = shift[:, :1] * mixed.roll(-1) + shift[:, 1:2] * mixed + shift[:, 2:] * mixed.roll(1)
    raised = shifted**sharpness
    return raised / raised.sum(dim=1, keepdim=True)

# %% divided by the sum over the batch [torch]
import torch


def location_addressing(content, previous, gate, shift, sharpness):
    mixed = gate * content + (1 - gate) * previous
    shifted = (
        shift[:, 0:1] * mixed.roll(-1, dims=1)
        + shift[:, 1:2] * mixed
        + shift[:, 2:3] * mixed.roll(1, dims=1)
    )
    raised = shifted**sharpness
    return raised / raised.sum(dim=0, keepdim=True)

# %% the likeliest shift alone is carried out [torch]
import torch


def location_addressing(content, previous, gate, shift, sharpness):
    w = gate * content + (1 - gate) * previous
    by = shift.argmax(dim=1) - 1
    moved = torch.stack([row.roll(int(k)) for row, k in zip(w, by)])
    raised = moved**sharpness
    return raised / raised.sum(dim=1, keepdim=True)

# %% the gate is passed through a sigmoid once more [torch]
import torch


def location_addressing(content, previous, gate, shift, sharpness):
    g = torch.sigmoid(gate)
    mixed = g * content + (1 - g) * previous
    shifted = (
        shift[:, 0:1] * mixed.roll(-1, dims=1)
        + shift[:, 1:2] * mixed
        + shift[:, 2:3] * mixed.roll(1, dims=1)
    )
    raised = shifted**sharpness
    return raised / raised.sum(dim=1, keepdim=True)

# %% the content weights alone: the previous ones are never used [torch]
import torch


def location_addressing(content, previous, gate, shift, sharpness):
    shifted = (
        shift[:, 0:1] * content.roll(-1, dims=1)
        + shift[:, 1:2] * content
        + shift[:, 2:3] * content.roll(1, dims=1)
    )
    raised = shifted**sharpness
    return raised / raised.sum(dim=1, keepdim=True)

# %% the gate decides at one half, instead of mixing [torch]
import torch


def location_addressing(content, previous, gate, shift, sharpness):
    mixed = torch.where(gate > 0.5, content, previous)
    shifted = (
        shift[:, 0:1] * mixed.roll(-1, dims=1)
        + shift[:, 1:2] * mixed
        + shift[:, 2:3] * mixed.roll(1, dims=1)
    )
    raised = shifted**sharpness
    return raised / raised.sum(dim=1, keepdim=True)

# %% the power is one over the sharpness, as a temperature is [torch]
import torch


def location_addressing(content, previous, gate, shift, sharpness):
    mixed = gate * content + (1 - gate) * previous
    shifted = (
        shift[:, 0:1] * mixed.roll(-1, dims=1)
        + shift[:, 1:2] * mixed
        + shift[:, 2:3] * mixed.roll(1, dims=1)
    )
    raised = shifted ** (1 / sharpness)
    return raised / raised.sum(dim=1, keepdim=True)

# %% the sharpness is left out [torch]
import torch


def location_addressing(content, previous, gate, shift, sharpness):
    mixed = gate * content + (1 - gate) * previous
    shifted = (
        shift[:, 0:1] * mixed.roll(-1, dims=1)
        + shift[:, 1:2] * mixed
        + shift[:, 2:3] * mixed.roll(1, dims=1)
    )
    return shifted / shifted.sum(dim=1, keepdim=True)

# %% the content weights are shifted, the previous ones are not [torch]
import torch


def location_addressing(content, previous, gate, shift, sharpness):
    moved = (
        shift[:, 0:1] * content.roll(-1, dims=1)
        + shift[:, 1:2] * content
        + shift[:, 2:3] * content.roll(1, dims=1)
    )
    mixed = gate * moved + (1 - gate) * previous
    raised = mixed**sharpness
    return raised / raised.sum(dim=1, keepdim=True)

# %% the ends keep what would leave them [mxnet]
from mxnet import nd


def location_addressing(content, previous, gate, shift, sharpness):
    w = gate * content + (1 - gate) * previous
    n = w.shape[1]
    down = nd.concat(w[:, 0:1] + w[:, 1:2], w[:, 2:], nd.zeros_like(w[:, :1]), dim=1)
    up = nd.concat(nd.zeros_like(w[:, :1]), w[:, : n - 2], w[:, n - 2 : n - 1] + w[:, n - 1 :], dim=1)
    w = shift[:, 0:1] * down + shift[:, 1:2] * w + shift[:, 2:3] * up
    w = w**sharpness
    return w / w.sum(axis=1, keepdims=True)

# %% shifted to the wrong side [mxnet]
from mxnet import nd


def location_addressing(content, previous, gate, shift, sharpness):
    w = gate * content + (1 - gate) * previous
    left = nd.concat(w[:, 1:], w[:, :1], dim=1)
    right = nd.concat(w[:, -1:], w[:, :-1], dim=1)
    w = shift[:, 0:1] * right + shift[:, 1:2] * w + shift[:, 2:3] * left
    w = w**sharpness
    return w / w.sum(axis=1, keepdims=True)

# %% sum without keepdims: the rows do not fit [mxnet]
from mxnet import nd


def location_addressing(content, previous, gate, shift, sharpness):
    w = gate * content + (1 - gate) * previous
    left = nd.concat(w[:, 1:], w[:, :1], dim=1)
    right = nd.concat(w[:, -1:], w[:, :-1], dim=1)
    w = shift[:, 0:1] * left + shift[:, 1:2] * w + shift[:, 2:3] * right
    w = w**sharpness
    return w / w.sum(axis=1)
