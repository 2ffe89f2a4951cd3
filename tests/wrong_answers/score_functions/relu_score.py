# %% D stays inside the ReLU [torch]
import torch


class ReluScore(torch.nn.Module):
    def __init__(self, d, units):
        super().__init__()
        self.W = torch.nn.Linear(d, units, bias=False)
        self.D = torch.nn.Parameter(torch.ones(units))

    def forward(self, queries, keys):
        left = torch.relu(self.W(queries) * self.D)
        right = torch.relu(self.W(keys))
        return torch.bmm(left, right.transpose(1, 2))

# %% D inside the ReLU of the keys [torch]
import torch


class ReluScore(torch.nn.Module):
    def __init__(self, d, units):
        super().__init__()
        self.W = torch.nn.Linear(d, units, bias=False)
        self.D = torch.nn.Parameter(torch.ones(units))

    def forward(self, queries, keys):
        left = torch.relu(self.W(queries))
        right = torch.relu(self.W(keys) * self.D)
        return torch.bmm(left, right.transpose(1, 2))

# %% D inside both ReLUs [torch]
import torch


class ReluScore(torch.nn.Module):
    def __init__(self, d, units):
        super().__init__()
        self.W = torch.nn.Linear(d, units, bias=False)
        self.D = torch.nn.Parameter(torch.ones(units))

    def forward(self, queries, keys):
        left = torch.relu(self.W(queries) * self.D)
        right = torch.relu(self.W(keys) * self.D)
        return torch.bmm(left, right.transpose(1, 2))

# %% D after both ReLUs: it counts squared [torch]
import torch


class ReluScore(torch.nn.Module):
    def __init__(self, d, units):
        super().__init__()
        self.W = torch.nn.Linear(d, units, bias=False)
        self.D = torch.nn.Parameter(torch.ones(units))

    def forward(self, queries, keys):
        left = torch.relu(self.W(queries))
        right = torch.relu(self.W(keys))
        return torch.bmm(left * self.D, (right * self.D).transpose(1, 2))

# %% no ReLU [torch]
import torch
import torch.nn.functional as F


class ReluScore(torch.nn.Module):
    def __init__(self, d, units):
        super().__init__()
        self.W = torch.nn.Linear(d, units, bias=False)
        self.D = torch.nn.Parameter(torch.ones(units))

    def forward(self, queries, keys):
        q, k = self.W(queries), self.W(keys)
        return torch.einsum("bqu,u,bku->bqk", q, self.D, k)

# %% ReLU on the queries only [torch]
import torch
import torch.nn.functional as F


class ReluScore(torch.nn.Module):
    def __init__(self, d, units):
        super().__init__()
        self.W = torch.nn.Linear(d, units, bias=False)
        self.D = torch.nn.Parameter(torch.ones(units))

    def forward(self, queries, keys):
        q, k = F.relu(self.W(queries)), self.W(keys)
        return torch.einsum("bqu,u,bku->bqk", q, self.D, k)

# %% ReLU on the keys only [torch]
import torch
import torch.nn.functional as F


class ReluScore(torch.nn.Module):
    def __init__(self, d, units):
        super().__init__()
        self.W = torch.nn.Linear(d, units, bias=False)
        self.D = torch.nn.Parameter(torch.ones(units))

    def forward(self, queries, keys):
        q, k = self.W(queries), F.relu(self.W(keys))
        return torch.einsum("bqu,u,bku->bqk", q, self.D, k)

# %% ReLU of the score [torch]
import torch
import torch.nn.functional as F


class ReluScore(torch.nn.Module):
    def __init__(self, d, units):
        super().__init__()
        self.W = torch.nn.Linear(d, units, bias=False)
        self.D = torch.nn.Parameter(torch.ones(units))

    def forward(self, queries, keys):
        q, k = self.W(queries), self.W(keys)
        return F.relu(torch.einsum("bqu,u,bku->bqk", q, self.D, k))

# %% D left out [torch]
import torch


class ReluScore(torch.nn.Module):
    def __init__(self, d, units):
        super().__init__()
        self.W = torch.nn.Linear(d, units, bias=False)
        self.D = torch.nn.Parameter(torch.ones(units))

    def forward(self, queries, keys):
        left = torch.relu(self.W(queries))
        right = torch.relu(self.W(keys))
        return torch.bmm(left, right.transpose(1, 2))

# %% D added instead of multiplied [torch]
import torch


class ReluScore(torch.nn.Module):
    def __init__(self, d, units):
        super().__init__()
        self.W = torch.nn.Linear(d, units, bias=False)
        self.D = torch.nn.Parameter(torch.ones(units))

    def forward(self, queries, keys):
        left = torch.relu(self.W(queries))
        right = torch.relu(self.W(keys))
        return torch.bmm(left + self.D, right.transpose(1, 2))

# %% D inside, and again outside [torch]
import torch


class ReluScore(torch.nn.Module):
    def __init__(self, d, units):
        super().__init__()
        self.W = torch.nn.Linear(d, units, bias=False)
        self.D = torch.nn.Parameter(torch.ones(units))

    def forward(self, queries, keys):
        left = torch.relu(self.W(queries) * self.D)
        right = torch.relu(self.W(keys))
        return torch.bmm(left * self.D, right.transpose(1, 2))

# %% the absolute value of D [torch]
import torch


class ReluScore(torch.nn.Module):
    def __init__(self, d, units):
        super().__init__()
        self.W = torch.nn.Linear(d, units, bias=False)
        self.D = torch.nn.Parameter(torch.ones(units))

    def forward(self, queries, keys):
        left = torch.relu(self.W(queries))
        right = torch.relu(self.W(keys))
        return torch.bmm(left * self.D.abs(), right.transpose(1, 2))

# %% ReLU of D [torch]
import torch


class ReluScore(torch.nn.Module):
    def __init__(self, d, units):
        super().__init__()
        self.W = torch.nn.Linear(d, units, bias=False)
        self.D = torch.nn.Parameter(torch.ones(units))

    def forward(self, queries, keys):
        left = torch.relu(self.W(queries))
        right = torch.relu(self.W(keys))
        return torch.bmm(left * torch.relu(self.D), right.transpose(1, 2))

# %% two matrices, W and one more for the keys [torch]
import torch


class ReluScore(torch.nn.Module):
    def __init__(self, d, units):
        super().__init__()
        self.W = torch.nn.Linear(d, units, bias=False)
        self.V = torch.nn.Linear(d, units, bias=False)
        self.D = torch.nn.Parameter(torch.ones(units))

    def forward(self, queries, keys):
        left = torch.relu(self.W(queries))
        right = torch.relu(self.V(keys))
        return torch.bmm(left * self.D, right.transpose(1, 2))

# %% tanh for ReLU [torch]
import torch
import torch.nn.functional as F


class ReluScore(torch.nn.Module):
    def __init__(self, d, units):
        super().__init__()
        self.W = torch.nn.Linear(d, units, bias=False)
        self.D = torch.nn.Parameter(torch.ones(units))

    def forward(self, queries, keys):
        q, k = torch.tanh(self.W(queries)), torch.tanh(self.W(keys))
        return torch.einsum("bqu,u,bku->bqk", q, self.D, k)

# %% scaled by the root of the units [torch]
import torch
import torch.nn.functional as F


class ReluScore(torch.nn.Module):
    def __init__(self, d, units):
        super().__init__()
        self.W = torch.nn.Linear(d, units, bias=False)
        self.D = torch.nn.Parameter(torch.ones(units))

    def forward(self, queries, keys):
        q, k = F.relu(self.W(queries)), F.relu(self.W(keys))
        return torch.einsum("bqu,u,bku->bqk", q, self.D, k) / self.D.numel() ** 0.5

# %% the matrix has a bias [torch]
import torch


class ReluScore(torch.nn.Module):
    def __init__(self, d, units):
        super().__init__()
        self.W = torch.nn.Linear(d, units, bias=True)
        self.D = torch.nn.Parameter(torch.ones(units))

    def forward(self, queries, keys):
        left = torch.relu(self.W(queries))
        right = torch.relu(self.W(keys))
        return torch.bmm(left * self.D, right.transpose(1, 2))

# %% D is a plain tensor, not a parameter [torch]
import torch


class ReluScore(torch.nn.Module):
    def __init__(self, d, units):
        super().__init__()
        self.W = torch.nn.Linear(d, units, bias=False)
        self.D = torch.ones(units)

    def forward(self, queries, keys):
        left = torch.relu(self.W(queries))
        right = torch.relu(self.W(keys))
        return torch.bmm(left * self.D, right.transpose(1, 2))

# %% the inputs go through the ReLU before W [torch]
import torch


class ReluScore(torch.nn.Module):
    def __init__(self, d, units):
        super().__init__()
        self.W = torch.nn.Linear(d, units, bias=False)
        self.D = torch.nn.Parameter(torch.ones(units))

    def forward(self, queries, keys):
        left = self.W(torch.relu(queries))
        right = self.W(torch.relu(keys))
        return torch.bmm(left * self.D, right.transpose(1, 2))

# %% D still inside, with ReLU on the product once more [mxnet]
from mxnet import gluon, nd


class ReluScore(gluon.Block):
    def __init__(self, d, units):
        super().__init__()
        self.W = gluon.nn.Dense(units, use_bias=False, flatten=False)
        self.D = self.params.get("D", shape=(units,), init="ones")

    def forward(self, queries, keys):
        left = (self.W(queries) * self.D.data()).relu()
        right = self.W(keys).relu()
        return nd.batch_dot(left, right, transpose_b=True).relu()

# %% no ReLU on the keys [mxnet]
from mxnet import gluon, nd


class ReluScore(gluon.Block):
    def __init__(self, d, units):
        super().__init__()
        self.W = gluon.nn.Dense(units, use_bias=False, flatten=False)
        self.D = self.params.get("D", shape=(units,), init="ones")

    def forward(self, queries, keys):
        left = nd.broadcast_mul(self.W(queries).relu(), self.D.data().reshape((1, 1, -1)))
        right = self.W(keys)
        return nd.batch_dot(left, right, transpose_b=True)

# %% D inside the keys' ReLU [mxnet]
from mxnet import gluon, nd


class ReluScore(gluon.Block):
    def __init__(self, d, units):
        super().__init__()
        self.W = gluon.nn.Dense(units, use_bias=False, flatten=False)
        self.D = self.params.get("D", shape=(units,), init="ones")

    def forward(self, queries, keys):
        left = self.W(queries).relu()
        right = (self.W(keys) * self.D.data()).relu()
        return nd.batch_dot(left, right, transpose_b=True)

# %% D as the published one, inside, and absolute [mxnet]
from mxnet import gluon, nd


class ReluScore(gluon.Block):
    def __init__(self, d, units):
        super().__init__()
        self.W = gluon.nn.Dense(units, use_bias=False, flatten=False)
        self.D = self.params.get("D", shape=(units,), init="ones")

    def forward(self, queries, keys):
        left = (self.W(queries) * self.D.data().abs()).relu()
        right = self.W(keys).relu()
        return nd.batch_dot(left, right, transpose_b=True)

# %% the root of D on each side [mxnet]
from mxnet import gluon, nd


class ReluScore(gluon.Block):
    def __init__(self, d, units):
        super().__init__()
        self.W = gluon.nn.Dense(units, use_bias=False, flatten=False)
        self.D = self.params.get("D", shape=(units,), init="ones")

    def forward(self, queries, keys):
        left = self.W(queries).relu() * self.D.data().sqrt()
        right = self.W(keys).relu() * self.D.data().sqrt()
        return nd.batch_dot(left, right, transpose_b=True)

# %% D is summed up to one number [torch]
import torch
import torch.nn.functional as F


class ReluScore(torch.nn.Module):
    def __init__(self, d, units):
        super().__init__()
        self.W = torch.nn.Linear(d, units, bias=False)
        self.D = torch.nn.Parameter(torch.ones(units))

    def forward(self, queries, keys):
        q, k = F.relu(self.W(queries)), F.relu(self.W(keys))
        return torch.einsum("bqu,bku->bqk", q, k) * self.D.sum()

# %% leaky ReLU with D inside [torch]
import torch


class ReluScore(torch.nn.Module):
    def __init__(self, d, units):
        super().__init__()
        self.W = torch.nn.Linear(d, units, bias=False)
        self.D = torch.nn.Parameter(torch.ones(units))

    def forward(self, queries, keys):
        left = torch.nn.functional.leaky_relu(self.W(queries))
        right = torch.nn.functional.leaky_relu(self.W(keys))
        return torch.bmm(left * self.D, right.transpose(1, 2))
