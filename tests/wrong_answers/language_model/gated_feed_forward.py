# %% sigmoid in the place of SiLU [torch]
import torch


def gated_feed_forward(X, W_gate, W_up, W_down):
    gate = torch.sigmoid(X @ W_gate)
    return (gate * (X @ W_up)) @ W_down

# %% gate and up are exchanged [torch]
import torch
import torch.nn.functional as F


def gated_feed_forward(X, W_gate, W_up, W_down):
    return (F.silu(X @ W_up) * (X @ W_gate)) @ W_down

# %% a ReLU for the gate [torch]
import torch
import torch.nn.functional as F


def gated_feed_forward(X, W_gate, W_up, W_down):
    hidden = F.relu(X @ W_gate) * (X @ W_up)
    return hidden @ W_down

# %% a GELU for the gate [torch]
import torch
import torch.nn.functional as F


def gated_feed_forward(X, W_gate, W_up, W_down):
    return (F.gelu(X @ W_gate) * (X @ W_up)) @ W_down

# %% SiLU of the whole product [torch]
import torch
import torch.nn.functional as F


def gated_feed_forward(X, W_gate, W_up, W_down):
    hidden = (X @ W_gate) * (X @ W_up)
    return F.silu(hidden) @ W_down

# %% the branches are added [torch]
import torch
import torch.nn.functional as F


def gated_feed_forward(X, W_gate, W_up, W_down):
    return (F.silu(X @ W_gate) + X @ W_up) @ W_down

# %% the up branch is forgotten [torch]
import torch
import torch.nn.functional as F


def gated_feed_forward(X, W_gate, W_up, W_down):
    hidden = F.silu(X @ W_gate)
    return hidden @ W_down

# %% no activation: a product of two linear layers [torch]
import torch


def gated_feed_forward(X, W_gate, W_up, W_down):
    gate = X @ W_gate
    up = X @ W_up
    return (gate * up) @ W_down

# %% the residual connection is inside [torch]
import torch
import torch.nn.functional as F


def gated_feed_forward(X, W_gate, W_up, W_down):
    return X + (F.silu(X @ W_gate) * (X @ W_up)) @ W_down

# %% both branches go through SiLU [torch]
import torch
import torch.nn.functional as F


def gated_feed_forward(X, W_gate, W_up, W_down):
    return (F.silu(X @ W_gate) * F.silu(X @ W_up)) @ W_down

# %% multiplied in matrix order: W_down is applied to the gate alone, then times up [torch]
import torch
import torch.nn.functional as F


def gated_feed_forward(X, W_gate, W_up, W_down):
    return F.silu(X @ W_gate) @ W_down * (X @ W_up) @ W_down

# %% the weights are taken for Linear layers' weights and transposed [torch]
import torch
import torch.nn.functional as F


def gated_feed_forward(X, W_gate, W_up, W_down):
    gate = F.linear(X, W_gate)
    up = F.linear(X, W_up)
    return F.linear(F.silu(gate) * up, W_down)

# %% the exponential has the wrong sign: x / (1 + exp(x)) [torch]
import torch


def gated_feed_forward(X, W_gate, W_up, W_down):
    gate = X @ W_gate
    gate = gate / (1 + torch.exp(gate))
    return (gate * (X @ W_up)) @ W_down

# %% a softmax over the hidden units [torch]
import torch


def gated_feed_forward(X, W_gate, W_up, W_down):
    gate = torch.softmax(X @ W_gate, dim=-1)
    return (gate * (X @ W_up)) @ W_down

# %% sigmoid of the gate times the input X in place of the gate, W_up twice [torch]
import torch


def gated_feed_forward(X, W_gate, W_up, W_down):
    gate = X @ W_gate
    up = X @ W_up
    return (torch.sigmoid(gate) * up * up) @ W_down

# %% X is normalised first [torch]
import torch
import torch.nn.functional as F


def gated_feed_forward(X, W_gate, W_up, W_down):
    N = X / torch.sqrt(X.square().mean(dim=-1, keepdim=True) + 1e-5)
    return (F.silu(N @ W_gate) * (N @ W_up)) @ W_down

# %% the hidden layer is returned without W_down [torch]
import torch
import torch.nn.functional as F


def gated_feed_forward(X, W_gate, W_up, W_down):
    return F.silu(X @ W_gate) * (X @ W_up)

# %% the gate is computed without a gradient [torch]
import torch
import torch.nn.functional as F


def gated_feed_forward(X, W_gate, W_up, W_down):
    with torch.no_grad():
        gate = F.silu(X @ W_gate)
    return (gate * (X @ W_up)) @ W_down

# %% tanh for the gate [mxnet]
from mxnet import nd


def gated_feed_forward(X, W_gate, W_up, W_down):
    gate = nd.tanh(nd.dot(X, W_gate))
    return nd.dot(gate * nd.dot(X, W_up), W_down)

# %% SiLU is taken of the up branch [mxnet]
from mxnet import nd


def gated_feed_forward(X, W_gate, W_up, W_down):
    up = nd.dot(X, W_up)
    up = up * nd.sigmoid(up)
    return nd.dot(nd.dot(X, W_gate) * up, W_down)

# %% the gate is applied to the gate branch only; up is never multiplied in [mxnet]
from mxnet import nd


def gated_feed_forward(X, W_gate, W_up, W_down):
    gate = nd.dot(X, W_gate)
    return nd.dot(gate * gate.sigmoid(), W_down)

# %% softplus in the place of SiLU [mxnet]
from mxnet import nd


def gated_feed_forward(X, W_gate, W_up, W_down):
    gate = nd.Activation(nd.dot(X, W_gate), act_type="softrelu")
    return nd.dot(gate * nd.dot(X, W_up), W_down)

# %% the activation comes last [mxnet]
from mxnet import nd


def gated_feed_forward(X, W_gate, W_up, W_down):
    Y = nd.dot(nd.dot(X, W_gate) * nd.dot(X, W_up), W_down)
    return Y * Y.sigmoid()
