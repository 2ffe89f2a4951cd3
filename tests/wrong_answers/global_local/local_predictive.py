# %% no Gaussian [torch]
import torch


class LocalPredictive(torch.nn.Module):
    def __init__(self, d_q, units, D):
        super().__init__()
        self.W_p = torch.nn.Linear(d_q, units, bias=False)
        self.v_p = torch.nn.Linear(units, 1, bias=False)
        self.D = D

    def forward(self, queries, scores, valid_length):
        S = valid_length.unsqueeze(-1)
        inner = self.v_p(torch.tanh(self.W_p(queries))).squeeze(-1)
        p = S * torch.sigmoid(inner)
        s = torch.arange(scores.shape[-1])
        gap = s - p.unsqueeze(-1)
        mask = (gap.abs() <= self.D) & (s < S.unsqueeze(-1))
        align = scores.masked_fill(~mask, -1e9).softmax(dim=-1) * mask
        sigma = self.D / 2
        gauss = torch.exp(-(gap**2) / (2 * sigma**2))
        return align, p

# %% sigma is D [torch]
import torch


class LocalPredictive(torch.nn.Module):
    def __init__(self, d_q, units, D):
        super().__init__()
        self.W_p = torch.nn.Linear(d_q, units, bias=False)
        self.v_p = torch.nn.Linear(units, 1, bias=False)
        self.D = D

    def forward(self, queries, scores, valid_length):
        S = valid_length.unsqueeze(-1)
        inner = self.v_p(torch.tanh(self.W_p(queries))).squeeze(-1)
        p = S * torch.sigmoid(inner)
        s = torch.arange(scores.shape[-1])
        gap = s - p.unsqueeze(-1)
        mask = (gap.abs() <= self.D) & (s < S.unsqueeze(-1))
        align = scores.masked_fill(~mask, -1e9).softmax(dim=-1) * mask
        sigma = self.D
        gauss = torch.exp(-(gap**2) / (2 * sigma**2))
        return align * gauss, p

# %% the 2 before sigma squared is missing [torch]
import torch


class LocalPredictive(torch.nn.Module):
    def __init__(self, d_q, units, D):
        super().__init__()
        self.W_p = torch.nn.Linear(d_q, units, bias=False)
        self.v_p = torch.nn.Linear(units, 1, bias=False)
        self.D = D

    def forward(self, queries, scores, valid_length):
        S = valid_length.unsqueeze(-1)
        inner = self.v_p(torch.tanh(self.W_p(queries))).squeeze(-1)
        p = S * torch.sigmoid(inner)
        s = torch.arange(scores.shape[-1])
        gap = s - p.unsqueeze(-1)
        mask = (gap.abs() <= self.D) & (s < S.unsqueeze(-1))
        align = scores.masked_fill(~mask, -1e9).softmax(dim=-1) * mask
        sigma = self.D / 2
        gauss = torch.exp(-(gap**2) / sigma**2)
        return align * gauss, p

# %% sigma not squared [torch]
import torch


class LocalPredictive(torch.nn.Module):
    def __init__(self, d_q, units, D):
        super().__init__()
        self.W_p = torch.nn.Linear(d_q, units, bias=False)
        self.v_p = torch.nn.Linear(units, 1, bias=False)
        self.D = D

    def forward(self, queries, scores, valid_length):
        S = valid_length.unsqueeze(-1)
        inner = self.v_p(torch.tanh(self.W_p(queries))).squeeze(-1)
        p = S * torch.sigmoid(inner)
        s = torch.arange(scores.shape[-1])
        gap = s - p.unsqueeze(-1)
        mask = (gap.abs() <= self.D) & (s < S.unsqueeze(-1))
        align = scores.masked_fill(~mask, -1e9).softmax(dim=-1) * mask
        sigma = self.D / 2
        gauss = torch.exp(-(gap**2) / (2 * sigma))
        return align * gauss, p

# %% the distance not squared [torch]
import torch


class LocalPredictive(torch.nn.Module):
    def __init__(self, d_q, units, D):
        super().__init__()
        self.W_p = torch.nn.Linear(d_q, units, bias=False)
        self.v_p = torch.nn.Linear(units, 1, bias=False)
        self.D = D

    def forward(self, queries, scores, valid_length):
        S = valid_length.unsqueeze(-1)
        inner = self.v_p(torch.tanh(self.W_p(queries))).squeeze(-1)
        p = S * torch.sigmoid(inner)
        s = torch.arange(scores.shape[-1])
        gap = s - p.unsqueeze(-1)
        mask = (gap.abs() <= self.D) & (s < S.unsqueeze(-1))
        align = scores.masked_fill(~mask, -1e9).softmax(dim=-1) * mask
        sigma = self.D / 2
        gauss = torch.exp(-gap.abs() / (2 * sigma**2))
        return align * gauss, p

# %% no sigmoid [torch]
import torch


class LocalPredictive(torch.nn.Module):
    def __init__(self, d_q, units, D):
        super().__init__()
        self.W_p = torch.nn.Linear(d_q, units, bias=False)
        self.v_p = torch.nn.Linear(units, 1, bias=False)
        self.D = D

    def forward(self, queries, scores, valid_length):
        S = valid_length.unsqueeze(-1)
        inner = self.v_p(torch.tanh(self.W_p(queries))).squeeze(-1)
        p = S * inner
        s = torch.arange(scores.shape[-1])
        gap = s - p.unsqueeze(-1)
        mask = (gap.abs() <= self.D) & (s < S.unsqueeze(-1))
        align = scores.masked_fill(~mask, -1e9).softmax(dim=-1) * mask
        sigma = self.D / 2
        gauss = torch.exp(-(gap**2) / (2 * sigma**2))
        return align * gauss, p

# %% tanh in place of the sigmoid [torch]
import torch


class LocalPredictive(torch.nn.Module):
    def __init__(self, d_q, units, D):
        super().__init__()
        self.W_p = torch.nn.Linear(d_q, units, bias=False)
        self.v_p = torch.nn.Linear(units, 1, bias=False)
        self.D = D

    def forward(self, queries, scores, valid_length):
        S = valid_length.unsqueeze(-1)
        inner = self.v_p(torch.tanh(self.W_p(queries))).squeeze(-1)
        p = S * torch.tanh(inner)
        s = torch.arange(scores.shape[-1])
        gap = s - p.unsqueeze(-1)
        mask = (gap.abs() <= self.D) & (s < S.unsqueeze(-1))
        align = scores.masked_fill(~mask, -1e9).softmax(dim=-1) * mask
        sigma = self.D / 2
        gauss = torch.exp(-(gap**2) / (2 * sigma**2))
        return align * gauss, p

# %% no tanh inside [torch]
import torch


class LocalPredictive(torch.nn.Module):
    def __init__(self, d_q, units, D):
        super().__init__()
        self.W_p = torch.nn.Linear(d_q, units, bias=False)
        self.v_p = torch.nn.Linear(units, 1, bias=False)
        self.D = D

    def forward(self, queries, scores, valid_length):
        S = valid_length.unsqueeze(-1)
        inner = self.v_p(self.W_p(queries)).squeeze(-1)
        p = S * torch.sigmoid(inner)
        s = torch.arange(scores.shape[-1])
        gap = s - p.unsqueeze(-1)
        mask = (gap.abs() <= self.D) & (s < S.unsqueeze(-1))
        align = scores.masked_fill(~mask, -1e9).softmax(dim=-1) * mask
        sigma = self.D / 2
        gauss = torch.exp(-(gap**2) / (2 * sigma**2))
        return align * gauss, p

# %% the padded length stands for the source's [torch]
import torch


class LocalPredictive(torch.nn.Module):
    def __init__(self, d_q, units, D):
        super().__init__()
        self.W_p = torch.nn.Linear(d_q, units, bias=False)
        self.v_p = torch.nn.Linear(units, 1, bias=False)
        self.D = D

    def forward(self, queries, scores, valid_length):
        S = valid_length.unsqueeze(-1)
        inner = self.v_p(torch.tanh(self.W_p(queries))).squeeze(-1)
        p = scores.shape[-1] * torch.sigmoid(inner)
        s = torch.arange(scores.shape[-1])
        gap = s - p.unsqueeze(-1)
        mask = (gap.abs() <= self.D) & (s < S.unsqueeze(-1))
        align = scores.masked_fill(~mask, -1e9).softmax(dim=-1) * mask
        sigma = self.D / 2
        gauss = torch.exp(-(gap**2) / (2 * sigma**2))
        return align * gauss, p

# %% the position is between 0 and S - 1 [torch]
import torch


class LocalPredictive(torch.nn.Module):
    def __init__(self, d_q, units, D):
        super().__init__()
        self.W_p = torch.nn.Linear(d_q, units, bias=False)
        self.v_p = torch.nn.Linear(units, 1, bias=False)
        self.D = D

    def forward(self, queries, scores, valid_length):
        S = valid_length.unsqueeze(-1)
        inner = self.v_p(torch.tanh(self.W_p(queries))).squeeze(-1)
        p = (S - 1) * torch.sigmoid(inner)
        s = torch.arange(scores.shape[-1])
        gap = s - p.unsqueeze(-1)
        mask = (gap.abs() <= self.D) & (s < S.unsqueeze(-1))
        align = scores.masked_fill(~mask, -1e9).softmax(dim=-1) * mask
        sigma = self.D / 2
        gauss = torch.exp(-(gap**2) / (2 * sigma**2))
        return align * gauss, p

# %% divided by the sum after the Gaussian [torch]
import torch


class LocalPredictive(torch.nn.Module):
    def __init__(self, d_q, units, D):
        super().__init__()
        self.W_p = torch.nn.Linear(d_q, units, bias=False)
        self.v_p = torch.nn.Linear(units, 1, bias=False)
        self.D = D

    def forward(self, queries, scores, valid_length):
        S = valid_length.unsqueeze(-1)
        inner = self.v_p(torch.tanh(self.W_p(queries))).squeeze(-1)
        p = S * torch.sigmoid(inner)
        s = torch.arange(scores.shape[-1])
        gap = s - p.unsqueeze(-1)
        mask = (gap.abs() <= self.D) & (s < S.unsqueeze(-1))
        align = scores.masked_fill(~mask, -1e9).softmax(dim=-1) * mask
        sigma = self.D / 2
        gauss = torch.exp(-(gap**2) / (2 * sigma**2))
        weights = align * gauss
        return weights / weights.sum(dim=-1, keepdim=True).clamp(min=1e-9), p

# %% the Gaussian's exponent is added to the scores before the softmax [torch]
import torch


class LocalPredictive(torch.nn.Module):
    def __init__(self, d_q, units, D):
        super().__init__()
        self.W_p = torch.nn.Linear(d_q, units, bias=False)
        self.v_p = torch.nn.Linear(units, 1, bias=False)
        self.D = D

    def forward(self, queries, scores, valid_length):
        S = valid_length.unsqueeze(-1)
        inner = self.v_p(torch.tanh(self.W_p(queries))).squeeze(-1)
        p = S * torch.sigmoid(inner)
        s = torch.arange(scores.shape[-1])
        gap = s - p.unsqueeze(-1)
        mask = (gap.abs() <= self.D) & (s < S.unsqueeze(-1))
        sigma = self.D / 2
        bias = -(gap**2) / (2 * sigma**2)
        return (scores + bias).masked_fill(~mask, -1e9).softmax(dim=-1) * mask, p

# %% the position is rounded, so it gets no gradient [torch]
import torch


class LocalPredictive(torch.nn.Module):
    def __init__(self, d_q, units, D):
        super().__init__()
        self.W_p = torch.nn.Linear(d_q, units, bias=False)
        self.v_p = torch.nn.Linear(units, 1, bias=False)
        self.D = D

    def forward(self, queries, scores, valid_length):
        S = valid_length.unsqueeze(-1)
        inner = self.v_p(torch.tanh(self.W_p(queries))).squeeze(-1)
        p = torch.round(S * torch.sigmoid(inner))
        s = torch.arange(scores.shape[-1])
        gap = s - p.unsqueeze(-1)
        mask = (gap.abs() <= self.D) & (s < S.unsqueeze(-1))
        align = scores.masked_fill(~mask, -1e9).softmax(dim=-1) * mask
        sigma = self.D / 2
        gauss = torch.exp(-(gap**2) / (2 * sigma**2))
        return align * gauss, p

# %% the rounded position for window and Gaussian, the real one returned [torch]
import torch


class LocalPredictive(torch.nn.Module):
    def __init__(self, d_q, units, D):
        super().__init__()
        self.W_p = torch.nn.Linear(d_q, units, bias=False)
        self.v_p = torch.nn.Linear(units, 1, bias=False)
        self.D = D

    def forward(self, queries, scores, valid_length):
        S = valid_length.unsqueeze(-1)
        inner = self.v_p(torch.tanh(self.W_p(queries))).squeeze(-1)
        p = S * torch.sigmoid(inner)
        s = torch.arange(scores.shape[-1])
        gap = s - p.round().unsqueeze(-1)
        mask = (gap.abs() <= self.D) & (s < S.unsqueeze(-1))
        align = scores.masked_fill(~mask, -1e9).softmax(dim=-1) * mask
        sigma = self.D / 2
        gauss = torch.exp(-(gap**2) / (2 * sigma**2))
        return align * gauss, p

# %% the Gaussian without its minus sign [torch]
import torch


class LocalPredictive(torch.nn.Module):
    def __init__(self, d_q, units, D):
        super().__init__()
        self.W_p = torch.nn.Linear(d_q, units, bias=False)
        self.v_p = torch.nn.Linear(units, 1, bias=False)
        self.D = D

    def forward(self, queries, scores, valid_length):
        S = valid_length.unsqueeze(-1)
        inner = self.v_p(torch.tanh(self.W_p(queries))).squeeze(-1)
        p = S * torch.sigmoid(inner)
        s = torch.arange(scores.shape[-1])
        gap = s - p.unsqueeze(-1)
        mask = (gap.abs() <= self.D) & (s < S.unsqueeze(-1))
        align = scores.masked_fill(~mask, -1e9).softmax(dim=-1) * mask
        sigma = self.D / 2
        gauss = torch.exp((gap**2) / (2 * sigma**2))
        return align * gauss, p

# %% softmax over the whole sentence, no window [torch]
import torch


class LocalPredictive(torch.nn.Module):
    def __init__(self, d_q, units, D):
        super().__init__()
        self.W_p = torch.nn.Linear(d_q, units, bias=False)
        self.v_p = torch.nn.Linear(units, 1, bias=False)
        self.D = D

    def forward(self, queries, scores, valid_length):
        S = valid_length.unsqueeze(-1)
        inner = self.v_p(torch.tanh(self.W_p(queries))).squeeze(-1)
        p = S * torch.sigmoid(inner)
        s = torch.arange(scores.shape[-1])
        gap = s - p.unsqueeze(-1)
        mask = s < S.unsqueeze(-1)
        align = scores.masked_fill(~mask, -1e9).softmax(dim=-1) * mask
        sigma = self.D / 2
        gauss = torch.exp(-(gap**2) / (2 * sigma**2))
        return align * gauss, p

# %% the padding is let in [torch]
import torch


class LocalPredictive(torch.nn.Module):
    def __init__(self, d_q, units, D):
        super().__init__()
        self.W_p = torch.nn.Linear(d_q, units, bias=False)
        self.v_p = torch.nn.Linear(units, 1, bias=False)
        self.D = D

    def forward(self, queries, scores, valid_length):
        S = valid_length.unsqueeze(-1)
        inner = self.v_p(torch.tanh(self.W_p(queries))).squeeze(-1)
        p = S * torch.sigmoid(inner)
        s = torch.arange(scores.shape[-1])
        gap = s - p.unsqueeze(-1)
        mask = (gap.abs() <= self.D)
        align = scores.masked_fill(~mask, -1e9).softmax(dim=-1) * mask
        sigma = self.D / 2
        gauss = torch.exp(-(gap**2) / (2 * sigma**2))
        return align * gauss, p

# %% strictly inside the window [torch]
import torch


class LocalPredictive(torch.nn.Module):
    def __init__(self, d_q, units, D):
        super().__init__()
        self.W_p = torch.nn.Linear(d_q, units, bias=False)
        self.v_p = torch.nn.Linear(units, 1, bias=False)
        self.D = D

    def forward(self, queries, scores, valid_length):
        S = valid_length.unsqueeze(-1)
        inner = self.v_p(torch.tanh(self.W_p(queries))).squeeze(-1)
        p = S * torch.sigmoid(inner)
        s = torch.arange(scores.shape[-1])
        gap = s - p.unsqueeze(-1)
        mask = (gap.abs() < self.D / 2) & (s < S.unsqueeze(-1))
        align = scores.masked_fill(~mask, -1e9).softmax(dim=-1) * mask
        sigma = self.D / 2
        gauss = torch.exp(-(gap**2) / (2 * sigma**2))
        return align * gauss, p

# %% the window after the softmax [torch]
import torch


class LocalPredictive(torch.nn.Module):
    def __init__(self, d_q, units, D):
        super().__init__()
        self.W_p = torch.nn.Linear(d_q, units, bias=False)
        self.v_p = torch.nn.Linear(units, 1, bias=False)
        self.D = D

    def forward(self, queries, scores, valid_length):
        S = valid_length.unsqueeze(-1)
        inner = self.v_p(torch.tanh(self.W_p(queries))).squeeze(-1)
        p = S * torch.sigmoid(inner)
        s = torch.arange(scores.shape[-1])
        gap = s - p.unsqueeze(-1)
        mask = (gap.abs() <= self.D) & (s < S.unsqueeze(-1))
        align = scores.softmax(dim=-1) * mask
        sigma = self.D / 2
        gauss = torch.exp(-(gap**2) / (2 * sigma**2))
        return align * gauss, p

# %% the position comes without gradient into the Gaussian [torch]
import torch


class LocalPredictive(torch.nn.Module):
    def __init__(self, d_q, units, D):
        super().__init__()
        self.W_p = torch.nn.Linear(d_q, units, bias=False)
        self.v_p = torch.nn.Linear(units, 1, bias=False)
        self.D = D

    def forward(self, queries, scores, valid_length):
        S = valid_length.unsqueeze(-1)
        inner = self.v_p(torch.tanh(self.W_p(queries))).squeeze(-1)
        p = S * torch.sigmoid(inner)
        s = torch.arange(scores.shape[-1])
        gap = s - p.detach().unsqueeze(-1)
        mask = (gap.abs() <= self.D) & (s < S.unsqueeze(-1))
        align = scores.masked_fill(~mask, -1e9).softmax(dim=-1) * mask
        sigma = self.D / 2
        gauss = torch.exp(-(gap**2) / (2 * sigma**2))
        return align * gauss, p

# %% the layers have a bias [torch]
import torch


class LocalPredictive(torch.nn.Module):
    def __init__(self, d_q, units, D):
        super().__init__()
        self.W_p = torch.nn.Linear(d_q, units)
        self.v_p = torch.nn.Linear(units, 1)
        self.D = D

    def forward(self, queries, scores, valid_length):
        S = valid_length.unsqueeze(-1)
        inner = self.v_p(torch.tanh(self.W_p(queries))).squeeze(-1)
        p = S * torch.sigmoid(inner)
        s = torch.arange(scores.shape[-1])
        gap = s - p.unsqueeze(-1)
        mask = (gap.abs() <= self.D) & (s < S.unsqueeze(-1))
        align = scores.masked_fill(~mask, -1e9).softmax(dim=-1) * mask
        sigma = self.D / 2
        gauss = torch.exp(-(gap**2) / (2 * sigma**2))
        return align * gauss, p

# %% only the weights are returned [torch]
import torch


class LocalPredictive(torch.nn.Module):
    def __init__(self, d_q, units, D):
        super().__init__()
        self.W_p = torch.nn.Linear(d_q, units, bias=False)
        self.v_p = torch.nn.Linear(units, 1, bias=False)
        self.D = D

    def forward(self, queries, scores, valid_length):
        S = valid_length.unsqueeze(-1)
        inner = self.v_p(torch.tanh(self.W_p(queries))).squeeze(-1)
        p = S * torch.sigmoid(inner)
        s = torch.arange(scores.shape[-1])
        gap = s - p.unsqueeze(-1)
        mask = (gap.abs() <= self.D) & (s < S.unsqueeze(-1))
        align = scores.masked_fill(~mask, -1e9).softmax(dim=-1) * mask
        sigma = self.D / 2
        gauss = torch.exp(-(gap**2) / (2 * sigma**2))
        return align * gauss

# %% positions first, then weights [torch]
import torch


class LocalPredictive(torch.nn.Module):
    def __init__(self, d_q, units, D):
        super().__init__()
        self.W_p = torch.nn.Linear(d_q, units, bias=False)
        self.v_p = torch.nn.Linear(units, 1, bias=False)
        self.D = D

    def forward(self, queries, scores, valid_length):
        S = valid_length.unsqueeze(-1)
        inner = self.v_p(torch.tanh(self.W_p(queries))).squeeze(-1)
        p = S * torch.sigmoid(inner)
        s = torch.arange(scores.shape[-1])
        gap = s - p.unsqueeze(-1)
        mask = (gap.abs() <= self.D) & (s < S.unsqueeze(-1))
        align = scores.masked_fill(~mask, -1e9).softmax(dim=-1) * mask
        sigma = self.D / 2
        gauss = torch.exp(-(gap**2) / (2 * sigma**2))
        return p, align * gauss

# %% the positions keep an axis of size one [torch]
import torch


class LocalPredictive(torch.nn.Module):
    def __init__(self, d_q, units, D):
        super().__init__()
        self.W_p = torch.nn.Linear(d_q, units, bias=False)
        self.v_p = torch.nn.Linear(units, 1, bias=False)
        self.D = D

    def forward(self, queries, scores, valid_length):
        S = valid_length.unsqueeze(-1)
        inner = self.v_p(torch.tanh(self.W_p(queries))).squeeze(-1)
        p = S * torch.sigmoid(inner)
        s = torch.arange(scores.shape[-1])
        gap = s - p.unsqueeze(-1)
        mask = (gap.abs() <= self.D) & (s < S.unsqueeze(-1))
        align = scores.masked_fill(~mask, -1e9).softmax(dim=-1) * mask
        sigma = self.D / 2
        gauss = torch.exp(-(gap**2) / (2 * sigma**2))
        return align * gauss, p.unsqueeze(-1)

# %% the normal density's factor before the Gaussian [torch]
import torch


class LocalPredictive(torch.nn.Module):
    def __init__(self, d_q, units, D):
        super().__init__()
        self.W_p = torch.nn.Linear(d_q, units, bias=False)
        self.v_p = torch.nn.Linear(units, 1, bias=False)
        self.D = D

    def forward(self, queries, scores, valid_length):
        S = valid_length.unsqueeze(-1)
        inner = self.v_p(torch.tanh(self.W_p(queries))).squeeze(-1)
        p = S * torch.sigmoid(inner)
        s = torch.arange(scores.shape[-1])
        gap = s - p.unsqueeze(-1)
        mask = (gap.abs() <= self.D) & (s < S.unsqueeze(-1))
        align = scores.masked_fill(~mask, -1e9).softmax(dim=-1) * mask
        sigma = self.D / 2
        gauss = 1 / (sigma * (2 * torch.pi) ** 0.5) * torch.exp(-(gap**2) / (2 * sigma**2))
        return align * gauss, p

# %% sigmoid and tanh interchanged [torch]
import torch


class LocalPredictive(torch.nn.Module):
    def __init__(self, d_q, units, D):
        super().__init__()
        self.W_p = torch.nn.Linear(d_q, units, bias=False)
        self.v_p = torch.nn.Linear(units, 1, bias=False)
        self.D = D

    def forward(self, queries, scores, valid_length):
        S = valid_length.unsqueeze(-1)
        inner = self.v_p(torch.sigmoid(self.W_p(queries))).squeeze(-1)
        p = S * torch.tanh(inner)
        s = torch.arange(scores.shape[-1])
        gap = s - p.unsqueeze(-1)
        mask = (gap.abs() <= self.D) & (s < S.unsqueeze(-1))
        align = scores.masked_fill(~mask, -1e9).softmax(dim=-1) * mask
        sigma = self.D / 2
        gauss = torch.exp(-(gap**2) / (2 * sigma**2))
        return align * gauss, p

# %% no sigmoid, and sigma is D [mxnet]
from mxnet import gluon, nd


class LocalPredictive(gluon.Block):
    def __init__(self, d_q, units, D):
        super().__init__()
        self.W_p = gluon.nn.Dense(units, in_units=d_q, use_bias=False, flatten=False)
        self.v_p = gluon.nn.Dense(1, in_units=units, use_bias=False, flatten=False)
        self.D = D

    def forward(self, queries, scores, valid_length):
        S = valid_length.reshape((-1, 1, 1))
        p = nd.broadcast_mul(S, self.v_p(nd.tanh(self.W_p(queries))))
        s = nd.arange(scores.shape[-1]).reshape((1, 1, -1))
        gap = nd.broadcast_sub(s, p)
        mask = nd.broadcast_mul(gap.abs() <= self.D, nd.broadcast_lesser(s, S))
        low = nd.ones_like(scores) * -1e6
        align = nd.where(mask, scores, low).softmax(axis=-1) * mask
        sigma = self.D
        return align * nd.exp(-(gap**2) / (2 * sigma**2)), p.squeeze(axis=2)

# %% the padded length [mxnet]
from mxnet import gluon, nd


class LocalPredictive(gluon.Block):
    def __init__(self, d_q, units, D):
        super().__init__()
        self.W_p = gluon.nn.Dense(units, in_units=d_q, use_bias=False, flatten=False)
        self.v_p = gluon.nn.Dense(1, in_units=units, use_bias=False, flatten=False)
        self.D = D

    def forward(self, queries, scores, valid_length):
        S = valid_length.reshape((-1, 1, 1))
        p = (scores.shape[-1] * nd.sigmoid(self.v_p(nd.tanh(self.W_p(queries)))))
        s = nd.arange(scores.shape[-1]).reshape((1, 1, -1))
        gap = nd.broadcast_sub(s, p)
        mask = nd.broadcast_mul(gap.abs() <= self.D, nd.broadcast_lesser(s, S))
        low = nd.ones_like(scores) * -1e6
        align = nd.where(mask, scores, low).softmax(axis=-1) * mask
        sigma = self.D / 2
        return align * nd.exp(-(gap**2) / (2 * sigma**2)), p.squeeze(axis=2)

# %% no Gaussian [mxnet]
from mxnet import gluon, nd


class LocalPredictive(gluon.Block):
    def __init__(self, d_q, units, D):
        super().__init__()
        self.W_p = gluon.nn.Dense(units, in_units=d_q, use_bias=False, flatten=False)
        self.v_p = gluon.nn.Dense(1, in_units=units, use_bias=False, flatten=False)
        self.D = D

    def forward(self, queries, scores, valid_length):
        S = valid_length.reshape((-1, 1, 1))
        p = nd.broadcast_mul(S, nd.sigmoid(self.v_p(nd.tanh(self.W_p(queries)))))
        s = nd.arange(scores.shape[-1]).reshape((1, 1, -1))
        gap = nd.broadcast_sub(s, p)
        mask = nd.broadcast_mul(gap.abs() <= self.D, nd.broadcast_lesser(s, S))
        low = nd.ones_like(scores) * -1e6
        align = nd.where(mask, scores, low).softmax(axis=-1) * mask
        sigma = self.D / 2
        return align, p.squeeze(axis=2)

# %% divides by 2 and multiplies by sigma squared [mxnet]
from mxnet import gluon, nd


class LocalPredictive(gluon.Block):
    def __init__(self, d_q, units, D):
        super().__init__()
        self.W_p = gluon.nn.Dense(units, in_units=d_q, use_bias=False, flatten=False)
        self.v_p = gluon.nn.Dense(1, in_units=units, use_bias=False, flatten=False)
        self.D = D

    def forward(self, queries, scores, valid_length):
        S = valid_length.reshape((-1, 1, 1))
        p = nd.broadcast_mul(S, nd.sigmoid(self.v_p(nd.tanh(self.W_p(queries)))))
        s = nd.arange(scores.shape[-1]).reshape((1, 1, -1))
        gap = nd.broadcast_sub(s, p)
        mask = nd.broadcast_mul(gap.abs() <= self.D, nd.broadcast_lesser(s, S))
        low = nd.ones_like(scores) * -1e6
        align = nd.where(mask, scores, low).softmax(axis=-1) * mask
        sigma = self.D / 2
        return align * nd.exp(-(gap**2) / 2 * sigma**2), p.squeeze(axis=2)

# %% the weights are divided by their sum [mxnet]
from mxnet import gluon, nd


class LocalPredictive(gluon.Block):
    def __init__(self, d_q, units, D):
        super().__init__()
        self.W_p = gluon.nn.Dense(units, in_units=d_q, use_bias=False, flatten=False)
        self.v_p = gluon.nn.Dense(1, in_units=units, use_bias=False, flatten=False)
        self.D = D

    def forward(self, queries, scores, valid_length):
        S = valid_length.reshape((-1, 1, 1))
        p = nd.broadcast_mul(S, nd.sigmoid(self.v_p(nd.tanh(self.W_p(queries)))))
        s = nd.arange(scores.shape[-1]).reshape((1, 1, -1))
        gap = nd.broadcast_sub(s, p)
        mask = nd.broadcast_mul(gap.abs() <= self.D, nd.broadcast_lesser(s, S))
        low = nd.ones_like(scores) * -1e6
        align = nd.where(mask, scores, low).softmax(axis=-1) * mask
        sigma = self.D / 2
        w = align * nd.exp(-(gap**2) / (2 * sigma**2))
        return nd.broadcast_div(w, w.sum(axis=-1, keepdims=True) + 1e-9), p.squeeze(axis=2)

# %% the sigmoid gets the mean over the units instead of v_p [mxnet]
from mxnet import gluon, nd


class LocalPredictive(gluon.Block):
    def __init__(self, d_q, units, D):
        super().__init__()
        self.W_p = gluon.nn.Dense(units, in_units=d_q, use_bias=False, flatten=False)
        self.v_p = gluon.nn.Dense(1, in_units=units, use_bias=False, flatten=False)
        self.D = D

    def forward(self, queries, scores, valid_length):
        S = valid_length.reshape((-1, 1, 1))
        p = nd.broadcast_mul(S, nd.sigmoid(nd.mean(nd.tanh(self.W_p(queries)), axis=2, keepdims=True)))
        s = nd.arange(scores.shape[-1]).reshape((1, 1, -1))
        gap = nd.broadcast_sub(s, p)
        mask = nd.broadcast_mul(gap.abs() <= self.D, nd.broadcast_lesser(s, S))
        low = nd.ones_like(scores) * -1e6
        align = nd.where(mask, scores, low).softmax(axis=-1) * mask
        sigma = self.D / 2
        return align * nd.exp(-(gap**2) / (2 * sigma**2)), p.squeeze(axis=2)

# %% the position of each batch element is predicted from the mean query [torch]
import torch


class LocalPredictive(torch.nn.Module):
    def __init__(self, d_q, units, D):
        super().__init__()
        self.W_p = torch.nn.Linear(d_q, units, bias=False)
        self.v_p = torch.nn.Linear(units, 1, bias=False)
        self.D = D

    def forward(self, queries, scores, valid_length):
        S = valid_length.unsqueeze(-1)
        pooled = queries.mean(dim=1, keepdim=True)
        inner = self.v_p(torch.tanh(self.W_p(pooled))).squeeze(-1).expand(-1, queries.shape[1])
        p = S * torch.sigmoid(inner)
        s = torch.arange(scores.shape[-1])
        gap = s - p.unsqueeze(-1)
        mask = (gap.abs() <= self.D) & (s < S.unsqueeze(-1))
        align = scores.masked_fill(~mask, -1e9).softmax(dim=-1) * mask
        sigma = self.D / 2
        gauss = torch.exp(-(gap**2) / (2 * sigma**2))
        return align * gauss, p

# %% the Gaussian multiplies the scores before the softmax [torch]
import torch


class LocalPredictive(torch.nn.Module):
    def __init__(self, d_q, units, D):
        super().__init__()
        self.W_p = torch.nn.Linear(d_q, units, bias=False)
        self.v_p = torch.nn.Linear(units, 1, bias=False)
        self.D = D

    def forward(self, queries, scores, valid_length):
        S = valid_length.unsqueeze(-1)
        inner = self.v_p(torch.tanh(self.W_p(queries))).squeeze(-1)
        p = S * torch.sigmoid(inner)
        s = torch.arange(scores.shape[-1])
        gap = s - p.unsqueeze(-1)
        mask = (gap.abs() <= self.D) & (s < S.unsqueeze(-1))
        align = (scores * torch.exp(-(gap**2) / (2 * (self.D / 2) ** 2))).masked_fill(~mask, -1e9).softmax(dim=-1) * mask
        sigma = self.D / 2
        gauss = torch.exp(-(gap**2) / (2 * sigma**2))
        return align, p
