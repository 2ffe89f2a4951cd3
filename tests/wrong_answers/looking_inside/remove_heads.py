# %% kept and removed are exchanged [torch]
def remove_heads(contexts, W_o, kept, instead):
    k = kept.reshape(1, -1, 1, 1)
    mixed = (1 - k) * contexts + k * instead[None, :, None]
    b, h, n, d = contexts.shape
    return mixed.transpose(1, 2).reshape(b, n, h * d) @ W_o.T

# %% removed heads give zeros, whatever instead says [torch]
def remove_heads(contexts, W_o, kept, instead):
    b, h, n, d = contexts.shape
    left = contexts * kept.view(1, h, 1, 1)
    return left.transpose(1, 2).reshape(b, n, h * d) @ W_o.T

# %% the heads are joined by a reshape alone [torch]
def remove_heads(contexts, W_o, kept, instead):
    b, h, n, d = contexts.shape
    k = kept.view(1, h, 1, 1)
    left = contexts * k + instead.view(1, h, 1, d) * (1 - k)
    return left.reshape(b, n, h * d) @ W_o.T

# %% W_o is not transposed [torch]
def remove_heads(contexts, W_o, kept, instead):
    b, h, n, d = contexts.shape
    k = kept.view(1, h, 1, 1)
    left = contexts * k + instead.view(1, h, 1, d) * (1 - k)
    return left.transpose(1, 2).flatten(2) @ W_o

# %% what is left is scaled up, as dropout does [torch]
def remove_heads(contexts, W_o, kept, instead):
    b, h, n, d = contexts.shape
    k = kept.view(1, h, 1, 1).float()
    k = k * h / k.sum().clamp(min=1)
    left = contexts * k + instead.view(1, h, 1, d) * (k == 0)
    return left.transpose(1, 2).flatten(2) @ W_o.T

# %% instead is added for every head, kept or not [torch]
def remove_heads(contexts, W_o, kept, instead):
    b, h, n, d = contexts.shape
    left = contexts * kept.view(1, h, 1, 1) + instead.view(1, h, 1, d)
    return left.transpose(1, 2).flatten(2) @ W_o.T

# %% the mean of the head over this batch is taken, and not instead [torch]
def remove_heads(contexts, W_o, kept, instead):
    b, h, n, d = contexts.shape
    k = kept.view(1, h, 1, 1)
    mean = contexts.mean(dim=(0, 2), keepdim=True)
    left = contexts * k + mean * (1 - k)
    return left.transpose(1, 2).flatten(2) @ W_o.T

# %% the rows of W_o are removed, not its columns [torch]
import torch


def remove_heads(contexts, W_o, kept, instead):
    b, h, n, d = contexts.shape
    joined = contexts.transpose(1, 2).flatten(2)
    rows = kept.repeat_interleave(d).unsqueeze(1)
    replaced = instead.reshape(-1).unsqueeze(1)
    W = W_o * rows + replaced * (1 - rows)
    return joined @ W.T

# %% features and heads alternate: head h has the columns h, h + H, … [torch]
def remove_heads(contexts, W_o, kept, instead):
    b, h, n, d = contexts.shape
    k = kept.view(1, h, 1, 1)
    left = contexts * k + instead.view(1, h, 1, d) * (1 - k)
    return left.permute(0, 2, 3, 1).reshape(b, n, h * d) @ W_o.T

# %% the mean over the heads, not the sum [torch]
import torch


def remove_heads(contexts, W_o, kept, instead):
    b, h, n, d = contexts.shape
    out = 0
    for i in range(h):
        one = contexts[:, i] if kept[i] else instead[i].expand(b, n, d)
        out = out + one @ W_o[:, i * d : (i + 1) * d].T
    return out / h

# %% kept is read as a list of indices [torch]
import torch


def remove_heads(contexts, W_o, kept, instead):
    b, h, n, d = contexts.shape
    left = instead.view(1, h, 1, d).expand(b, h, n, d).clone()
    left[:, kept] = contexts[:, kept]
    return left.transpose(1, 2).flatten(2) @ W_o.T

# %% the contexts are overwritten [torch]
def remove_heads(contexts, W_o, kept, instead):
    b, h, n, d = contexts.shape
    for i in range(h):
        if not kept[i]:
            contexts[:, i] = instead[i]
    return contexts.transpose(1, 2).reshape(b, n, h * d) @ W_o.T

# %% the removed heads are left out of the joined features, so the shape does not fit [torch]
def remove_heads(contexts, W_o, kept, instead):
    left = contexts[:, kept.bool()]
    b, h, n, d = left.shape
    return left.transpose(1, 2).reshape(b, n, h * d) @ W_o.T

# %% instead is put in place of the head's result, behind W_o, summed over its features [torch]
import torch


def remove_heads(contexts, W_o, kept, instead):
    b, h, n, d = contexts.shape
    out = torch.zeros(b, n, h * d)
    for i in range(h):
        own = slice(i * d, (i + 1) * d)
        if kept[i]:
            out = out + contexts[:, i] @ W_o[:, own].T
        else:
            filled = torch.zeros(b, n, h * d)
            filled[:, :, own] = instead[i]
            out = out + filled
    return out

# %% the projection is forgotten: the joined heads are returned [torch]
def remove_heads(contexts, W_o, kept, instead):
    b, h, n, d = contexts.shape
    k = kept.view(1, h, 1, 1)
    left = contexts * k + instead.view(1, h, 1, d) * (1 - k)
    return left.transpose(1, 2).flatten(2)

# %% nothing is removed [torch]
def remove_heads(contexts, W_o, kept, instead):
    return contexts.transpose(1, 2).flatten(2) @ W_o.T

# %% the outer head is removed in place of the asked one: kept is turned round [torch]
def remove_heads(contexts, W_o, kept, instead):
    b, h, n, d = contexts.shape
    k = kept.flip(0).view(1, h, 1, 1)
    left = contexts * k + instead.view(1, h, 1, d) * (1 - k)
    return left.transpose(1, 2).flatten(2) @ W_o.T

# %% reshape without swapaxes [mxnet]
from mxnet import nd


def remove_heads(contexts, W_o, kept, instead):
    b, h, n, d = contexts.shape
    k = kept.reshape((1, h, 1, 1))
    left = contexts * k + (1 - k) * instead.reshape((1, h, 1, d))
    return nd.dot(left.reshape((b, n, h * d)), W_o.T)

# %% W_o as it is, and zeros for removed heads [mxnet]
from mxnet import nd


def remove_heads(contexts, W_o, kept, instead):
    b, h, n, d = contexts.shape
    left = contexts * kept.reshape((1, h, 1, 1))
    return nd.dot(left.swapaxes(1, 2).reshape((b, n, h * d)), W_o)
