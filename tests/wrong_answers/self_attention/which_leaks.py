# %% looks at the changed tokens instead of the past [torch]
import torch


def which_leaks(before, after, position):
    change = (after - before).abs()
    past = change[:, position:]
    worst = past.reshape(3, -1).max(dim=1).values
    for i, name in enumerate("abc"):
        if worst[i] > 1e-5:
            return name

# %% counts the changed token among the past [torch]
import torch


def which_leaks(before, after, position):
    change = (after - before).abs()
    past = change[:, : position + 1]
    worst = past.reshape(3, -1).max(dim=1).values
    for i, name in enumerate("abc"):
        if worst[i] > 1e-5:
            return name

# %% leaves the last past token out [torch]
import torch


def which_leaks(before, after, position):
    change = (after - before).abs()
    past = change[:, : position - 1]
    worst = past.reshape(3, -1).max(dim=1).values
    for i, name in enumerate("abc"):
        if worst[i] > 1e-5:
            return name

# %% looks at the whole sequence [torch]
import torch


def which_leaks(before, after, position):
    change = (after - before).abs()
    past = change
    worst = past.reshape(3, -1).max(dim=1).values
    for i, name in enumerate("abc"):
        if worst[i] > 1e-5:
            return name

# %% differences without absolute value [torch]
import torch


def which_leaks(before, after, position):
    change = after - before
    past = change[:, :position]
    worst = past.reshape(3, -1).max(dim=1).values
    for i, name in enumerate("abc"):
        if worst[i] > 1e-5:
            return name

# %% the one that does not change [torch]
import torch


def which_leaks(before, after, position):
    change = (after - before).abs()
    past = change[:, :position]
    worst = past.reshape(3, -1).max(dim=1).values
    for i, name in enumerate("abc"):
        if worst[i] <= 1e-5:
            return name

# %% the one that changes least [torch]
def which_leaks(before, after, position):
    change = (after - before)[:, :position].abs().sum(dim=(1, 2))
    return "abc"[int(change.argmin())]

# %% any change counts, also rounding [torch]
import torch


def which_leaks(before, after, position):
    change = (after - before).abs()
    past = change[:, :position]
    worst = past.reshape(3, -1).max(dim=1).values
    for i, name in enumerate("abc"):
        if worst[i] > 0:
            return name

# %% only the last past token is looked at [torch]
import torch


def which_leaks(before, after, position):
    change = (after - before).abs()
    past = change[:, position - 1 : position]
    worst = past.reshape(3, -1).max(dim=1).values
    for i, name in enumerate("abc"):
        if worst[i] > 1e-5:
            return name

# %% only the first token is looked at [torch]
import torch


def which_leaks(before, after, position):
    change = (after - before).abs()
    past = change[:, :1]
    worst = past.reshape(3, -1).max(dim=1).values
    for i, name in enumerate("abc"):
        if worst[i] > 1e-5:
            return name

# %% returns the index [torch]
import torch


def which_leaks(before, after, position):
    change = (after - before).abs()
    past = change[:, :position]
    worst = past.reshape(3, -1).max(dim=1).values
    for i, name in enumerate("abc"):
        if worst[i] > 1e-5:
            return i

# %% compares the models with each other, not before with after [torch]
def which_leaks(before, after, position):
    spread = [float((after[i, :position] - after[i - 1, :position]).abs().max()) for i in range(3)]
    return "abc"[spread.index(max(spread))]

# %% the letter in upper case [mxnet]
from mxnet import nd


def which_leaks(before, after, position):
    change = nd.abs(after - before)[:, :position].max(axis=(1, 2))
    return "ABC"[int(change.argmax(axis=0).asscalar())]

# %% cuts the width instead of the tokens [torch]
import torch


def which_leaks(before, after, position):
    change = (after - before).abs()
    past = change[:, :, :position]
    worst = past.reshape(3, -1).max(dim=1).values
    for i, name in enumerate("abc"):
        if worst[i] > 1e-5:
            return name

# %% the one that changes most in the sequence as a whole [mxnet]
from mxnet import nd


def which_leaks(before, after, position):
    change = nd.abs(after - before).max(axis=(1, 2))
    return "abc"[int(change.argmax(axis=0).asscalar())]

# %% a threshold that leaks stay below [torch]
import torch


def which_leaks(before, after, position):
    change = (after - before).abs()
    past = change[:, :position]
    worst = past.reshape(3, -1).max(dim=1).values
    for i, name in enumerate("abc"):
        if worst[i] > 1.0:
            return name

# %% always c, as in the chapter [torch]
def which_leaks(before, after, position):
    return "c"

# %% looks at the future only [mxnet]
from mxnet import nd


def which_leaks(before, after, position):
    change = nd.abs(after - before)[:, position:].max(axis=(1, 2))
    return "abc"[int(change.argmax(axis=0).asscalar())]

# %% sum with signs [mxnet]
from mxnet import nd


def which_leaks(before, after, position):
    change = (after - before)[:, :position].sum(axis=(1, 2))
    return "abc"[int(change.argmax(axis=0).asscalar())]
