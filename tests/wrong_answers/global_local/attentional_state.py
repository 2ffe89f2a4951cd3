# %% the state first, then the context [torch]
import torch


class AttentionalState(torch.nn.Module):
    def __init__(self, d_v, d_q, units):
        super().__init__()
        self.W_c = torch.nn.Linear(d_v + d_q, units, bias=False)

    def forward(self, context, queries):
        joined = torch.cat((queries, context), dim=-1)
        return torch.tanh(self.W_c(joined))

# %% no tanh [torch]
import torch


class AttentionalState(torch.nn.Module):
    def __init__(self, d_v, d_q, units):
        super().__init__()
        self.W_c = torch.nn.Linear(d_v + d_q, units, bias=False)

    def forward(self, context, queries):
        joined = torch.cat((context, queries), dim=-1)
        return self.W_c(joined)

# %% ReLU for tanh [torch]
import torch


class AttentionalState(torch.nn.Module):
    def __init__(self, d_v, d_q, units):
        super().__init__()
        self.W_c = torch.nn.Linear(d_v + d_q, units, bias=False)

    def forward(self, context, queries):
        joined = torch.cat((context, queries), dim=-1)
        return torch.relu(self.W_c(joined))

# %% sigmoid for tanh [torch]
import torch


class AttentionalState(torch.nn.Module):
    def __init__(self, d_v, d_q, units):
        super().__init__()
        self.W_c = torch.nn.Linear(d_v + d_q, units, bias=False)

    def forward(self, context, queries):
        joined = torch.cat((context, queries), dim=-1)
        return torch.sigmoid(self.W_c(joined))

# %% a bias [torch]
import torch


class AttentionalState(torch.nn.Module):
    def __init__(self, d_v, d_q, units):
        super().__init__()
        self.W_c = torch.nn.Linear(d_v + d_q, units)

    def forward(self, context, queries):
        joined = torch.cat((context, queries), dim=-1)
        return torch.tanh(self.W_c(joined))

# %% the tanh comes before the matrix [torch]
import torch


class AttentionalState(torch.nn.Module):
    def __init__(self, d_v, d_q, units):
        super().__init__()
        self.W_c = torch.nn.Linear(d_v + d_q, units, bias=False)

    def forward(self, context, queries):
        joined = torch.cat((context, queries), dim=-1)
        return self.W_c(torch.tanh(joined))

# %% a tanh for each part, then the sum [torch]
import torch
from torch import nn


class AttentionalState(nn.Module):
    def __init__(self, d_v, d_q, units):
        super().__init__()
        self.d_v = d_v
        self.W_c = nn.Linear(d_v + d_q, units, bias=False)

    def forward(self, context, queries):
        W = self.W_c.weight
        from_context = context @ W[:, : self.d_v].T
        from_query = queries @ W[:, self.d_v :].T
        return from_context.tanh() + from_query.tanh()

# %% the product of the parts [torch]
import torch
from torch import nn


class AttentionalState(nn.Module):
    def __init__(self, d_v, d_q, units):
        super().__init__()
        self.d_v = d_v
        self.W_c = nn.Linear(d_v + d_q, units, bias=False)

    def forward(self, context, queries):
        W = self.W_c.weight
        from_context = context @ W[:, : self.d_v].T
        from_query = queries @ W[:, self.d_v :].T
        return (from_context * from_query).tanh()

# %% the context is left out [torch]
import torch
from torch import nn


class AttentionalState(nn.Module):
    def __init__(self, d_v, d_q, units):
        super().__init__()
        self.d_v = d_v
        self.W_c = nn.Linear(d_v + d_q, units, bias=False)

    def forward(self, context, queries):
        W = self.W_c.weight
        from_context = context @ W[:, : self.d_v].T
        from_query = queries @ W[:, self.d_v :].T
        return from_query.tanh()

# %% the state is left out [torch]
import torch
from torch import nn


class AttentionalState(nn.Module):
    def __init__(self, d_v, d_q, units):
        super().__init__()
        self.d_v = d_v
        self.W_c = nn.Linear(d_v + d_q, units, bias=False)

    def forward(self, context, queries):
        W = self.W_c.weight
        from_context = context @ W[:, : self.d_v].T
        from_query = queries @ W[:, self.d_v :].T
        return from_context.tanh()

# %% the parts of the matrix are interchanged [torch]
import torch
from torch import nn


class AttentionalState(nn.Module):
    def __init__(self, d_v, d_q, units):
        super().__init__()
        self.d_v = d_v
        self.W_c = nn.Linear(d_v + d_q, units, bias=False)

    def forward(self, context, queries):
        W = self.W_c.weight
        from_context = context @ W[:, -self.d_v :].T
        from_query = queries @ W[:, : -self.d_v].T
        return (from_context + from_query).tanh()

# %% joined along the queries [torch]
import torch


class AttentionalState(torch.nn.Module):
    def __init__(self, d_v, d_q, units):
        super().__init__()
        self.W_c = torch.nn.Linear(d_v + d_q, units, bias=False)

    def forward(self, context, queries):
        joined = torch.cat((context, queries), dim=1)
        return torch.tanh(self.W_c(joined))

# %% the state is added again at the end, as a residual [torch]
import torch


class AttentionalState(torch.nn.Module):
    def __init__(self, d_v, d_q, units):
        super().__init__()
        self.W_c = torch.nn.Linear(d_v + d_q, units, bias=False)

    def forward(self, context, queries):
        joined = torch.cat((context, queries), dim=-1)
        out = torch.tanh(self.W_c(joined))
        return out + queries[:, :, :1]

# %% softmax for tanh [torch]
import torch


class AttentionalState(torch.nn.Module):
    def __init__(self, d_v, d_q, units):
        super().__init__()
        self.W_c = torch.nn.Linear(d_v + d_q, units, bias=False)

    def forward(self, context, queries):
        joined = torch.cat((context, queries), dim=-1)
        return torch.softmax(self.W_c(joined), dim=-1)

# %% tanh twice [torch]
import torch


class AttentionalState(torch.nn.Module):
    def __init__(self, d_v, d_q, units):
        super().__init__()
        self.W_c = torch.nn.Linear(d_v + d_q, units, bias=False)

    def forward(self, context, queries):
        joined = torch.cat((context, queries), dim=-1)
        return torch.tanh(torch.tanh(self.W_c(joined)))

# %% the context carries no gradient [torch]
import torch
from torch import nn


class AttentionalState(nn.Module):
    def __init__(self, d_v, d_q, units):
        super().__init__()
        self.d_v = d_v
        self.W_c = nn.Linear(d_v + d_q, units, bias=False)

    def forward(self, context, queries):
        W = self.W_c.weight
        from_context = context.detach() @ W[:, : self.d_v].T
        from_query = queries @ W[:, self.d_v :].T
        return (from_context + from_query).tanh()

# %% a mean of the two parts [torch]
import torch
from torch import nn


class AttentionalState(nn.Module):
    def __init__(self, d_v, d_q, units):
        super().__init__()
        self.d_v = d_v
        self.W_c = nn.Linear(d_v + d_q, units, bias=False)

    def forward(self, context, queries):
        W = self.W_c.weight
        from_context = context @ W[:, : self.d_v].T
        from_query = queries @ W[:, self.d_v :].T
        return ((from_context + from_query) / 2).tanh()

# %% the state first, and no tanh [mxnet]
from mxnet import gluon, nd


class AttentionalState(gluon.Block):
    def __init__(self, d_v, d_q, units):
        super().__init__()
        self.W_c = gluon.nn.Dense(units, in_units=d_v + d_q, use_bias=False, flatten=False)

    def forward(self, context, queries):
        joined = nd.concat(queries, context, dim=2)
        return self.W_c(joined)

# %% flatten left at its default [mxnet]
from mxnet import gluon, nd


class AttentionalState(gluon.Block):
    def __init__(self, d_v, d_q, units):
        super().__init__()
        self.W_c = gluon.nn.Dense(units, in_units=d_v + d_q, use_bias=False)

    def forward(self, context, queries):
        joined = nd.concat(context, queries, dim=2)
        return nd.tanh(self.W_c(joined))

# %% the state first [mxnet]
from mxnet import gluon, nd


class AttentionalState(gluon.Block):
    def __init__(self, d_v, d_q, units):
        super().__init__()
        self.W_c = gluon.nn.Dense(units, in_units=d_v + d_q, use_bias=False, flatten=False)

    def forward(self, context, queries):
        joined = nd.concat(queries, context, dim=2)
        return nd.tanh(self.W_c(joined))

# %% a bias [mxnet]
from mxnet import gluon, nd


class AttentionalState(gluon.Block):
    def __init__(self, d_v, d_q, units):
        super().__init__()
        self.W_c = gluon.nn.Dense(units, in_units=d_v + d_q, use_bias=True, flatten=False)

    def forward(self, context, queries):
        joined = nd.concat(context, queries, dim=2)
        return nd.tanh(self.W_c(joined))

# %% no tanh [mxnet]
from mxnet import gluon, nd


class AttentionalState(gluon.Block):
    def __init__(self, d_v, d_q, units):
        super().__init__()
        self.W_c = gluon.nn.Dense(units, in_units=d_v + d_q, use_bias=False, flatten=False)

    def forward(self, context, queries):
        joined = nd.concat(context, queries, dim=2)
        return self.W_c(joined)
