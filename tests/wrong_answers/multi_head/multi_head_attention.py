# %% scaled by the root of num_hiddens [torch]
import math

import torch
from solutions.masked_softmax.in_torch import masked_softmax
from solutions.multi_head.in_torch import join_heads, split_heads


class MultiHeadAttention(torch.nn.Module):
    def __init__(self, num_hiddens, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.W_q = torch.nn.Linear(num_hiddens, num_hiddens, bias=False)
        self.W_k = torch.nn.Linear(num_hiddens, num_hiddens, bias=False)
        self.W_v = torch.nn.Linear(num_hiddens, num_hiddens, bias=False)
        self.W_o = torch.nn.Linear(num_hiddens, num_hiddens, bias=False)

    def forward(self, queries, keys, values, valid_length):
        Q = split_heads(self.W_q(queries), self.num_heads)
        K = split_heads(self.W_k(keys), self.num_heads)
        V = split_heads(self.W_v(values), self.num_heads)
        if valid_length is not None:
            valid_length = valid_length.repeat_interleave(self.num_heads, dim=0)
        scores = torch.bmm(Q, K.transpose(1, 2)) / math.sqrt(queries.shape[-1])
        self.attention_weights = masked_softmax(scores, valid_length)
        out = torch.bmm(self.attention_weights, V)
        return self.W_o(join_heads(out, self.num_heads))

# %% not scaled [torch]
import math

import torch
from solutions.masked_softmax.in_torch import masked_softmax
from solutions.multi_head.in_torch import join_heads, split_heads


class MultiHeadAttention(torch.nn.Module):
    def __init__(self, num_hiddens, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.W_q = torch.nn.Linear(num_hiddens, num_hiddens, bias=False)
        self.W_k = torch.nn.Linear(num_hiddens, num_hiddens, bias=False)
        self.W_v = torch.nn.Linear(num_hiddens, num_hiddens, bias=False)
        self.W_o = torch.nn.Linear(num_hiddens, num_hiddens, bias=False)

    def forward(self, queries, keys, values, valid_length):
        Q = split_heads(self.W_q(queries), self.num_heads)
        K = split_heads(self.W_k(keys), self.num_heads)
        V = split_heads(self.W_v(values), self.num_heads)
        if valid_length is not None:
            valid_length = valid_length.repeat_interleave(self.num_heads, dim=0)
        scores = torch.bmm(Q, K.transpose(1, 2))
        self.attention_weights = masked_softmax(scores, valid_length)
        out = torch.bmm(self.attention_weights, V)
        return self.W_o(join_heads(out, self.num_heads))

# %% divided by the size of a head [torch]
import math

import torch
from solutions.masked_softmax.in_torch import masked_softmax
from solutions.multi_head.in_torch import join_heads, split_heads


class MultiHeadAttention(torch.nn.Module):
    def __init__(self, num_hiddens, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.W_q = torch.nn.Linear(num_hiddens, num_hiddens, bias=False)
        self.W_k = torch.nn.Linear(num_hiddens, num_hiddens, bias=False)
        self.W_v = torch.nn.Linear(num_hiddens, num_hiddens, bias=False)
        self.W_o = torch.nn.Linear(num_hiddens, num_hiddens, bias=False)

    def forward(self, queries, keys, values, valid_length):
        Q = split_heads(self.W_q(queries), self.num_heads)
        K = split_heads(self.W_k(keys), self.num_heads)
        V = split_heads(self.W_v(values), self.num_heads)
        if valid_length is not None:
            valid_length = valid_length.repeat_interleave(self.num_heads, dim=0)
        scores = torch.bmm(Q, K.transpose(1, 2)) / Q.shape[-1]
        self.attention_weights = masked_softmax(scores, valid_length)
        out = torch.bmm(self.attention_weights, V)
        return self.W_o(join_heads(out, self.num_heads))

# %% scaled by the root of the number of heads [torch]
import math

import torch
from solutions.masked_softmax.in_torch import masked_softmax
from solutions.multi_head.in_torch import join_heads, split_heads


class MultiHeadAttention(torch.nn.Module):
    def __init__(self, num_hiddens, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.W_q = torch.nn.Linear(num_hiddens, num_hiddens, bias=False)
        self.W_k = torch.nn.Linear(num_hiddens, num_hiddens, bias=False)
        self.W_v = torch.nn.Linear(num_hiddens, num_hiddens, bias=False)
        self.W_o = torch.nn.Linear(num_hiddens, num_hiddens, bias=False)

    def forward(self, queries, keys, values, valid_length):
        Q = split_heads(self.W_q(queries), self.num_heads)
        K = split_heads(self.W_k(keys), self.num_heads)
        V = split_heads(self.W_v(values), self.num_heads)
        if valid_length is not None:
            valid_length = valid_length.repeat_interleave(self.num_heads, dim=0)
        scores = torch.bmm(Q, K.transpose(1, 2)) / math.sqrt(self.num_heads)
        self.attention_weights = masked_softmax(scores, valid_length)
        out = torch.bmm(self.attention_weights, V)
        return self.W_o(join_heads(out, self.num_heads))

# %% the lengths are repeated as a list [torch]
import math

import torch
from solutions.masked_softmax.in_torch import masked_softmax
from solutions.multi_head.in_torch import join_heads, split_heads


class MultiHeadAttention(torch.nn.Module):
    def __init__(self, num_hiddens, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.W_q = torch.nn.Linear(num_hiddens, num_hiddens, bias=False)
        self.W_k = torch.nn.Linear(num_hiddens, num_hiddens, bias=False)
        self.W_v = torch.nn.Linear(num_hiddens, num_hiddens, bias=False)
        self.W_o = torch.nn.Linear(num_hiddens, num_hiddens, bias=False)

    def forward(self, queries, keys, values, valid_length):
        Q = split_heads(self.W_q(queries), self.num_heads)
        K = split_heads(self.W_k(keys), self.num_heads)
        V = split_heads(self.W_v(values), self.num_heads)
        if valid_length is not None:
            valid_length = torch.cat([valid_length] * self.num_heads, dim=0)
        scores = torch.bmm(Q, K.transpose(1, 2)) / math.sqrt(Q.shape[-1])
        self.attention_weights = masked_softmax(scores, valid_length)
        out = torch.bmm(self.attention_weights, V)
        return self.W_o(join_heads(out, self.num_heads))

# %% no output projection [torch]
import math

import torch
from solutions.masked_softmax.in_torch import masked_softmax
from solutions.multi_head.in_torch import join_heads, split_heads


class MultiHeadAttention(torch.nn.Module):
    def __init__(self, num_hiddens, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.W_q = torch.nn.Linear(num_hiddens, num_hiddens, bias=False)
        self.W_k = torch.nn.Linear(num_hiddens, num_hiddens, bias=False)
        self.W_v = torch.nn.Linear(num_hiddens, num_hiddens, bias=False)
        self.W_o = torch.nn.Linear(num_hiddens, num_hiddens, bias=False)

    def forward(self, queries, keys, values, valid_length):
        Q = split_heads(self.W_q(queries), self.num_heads)
        K = split_heads(self.W_k(keys), self.num_heads)
        V = split_heads(self.W_v(values), self.num_heads)
        if valid_length is not None:
            valid_length = valid_length.repeat_interleave(self.num_heads, dim=0)
        scores = torch.bmm(Q, K.transpose(1, 2)) / math.sqrt(Q.shape[-1])
        self.attention_weights = masked_softmax(scores, valid_length)
        out = torch.bmm(self.attention_weights, V)
        return join_heads(out, self.num_heads)

# %% the heads are joined by a reshape without a transpose [torch]
import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, num_hiddens, num_heads):
        super().__init__()
        self.h = num_heads
        self.d = num_hiddens // num_heads
        self.W_q = nn.Linear(num_hiddens, num_hiddens, bias=False)
        self.W_k = nn.Linear(num_hiddens, num_hiddens, bias=False)
        self.W_v = nn.Linear(num_hiddens, num_hiddens, bias=False)
        self.W_o = nn.Linear(num_hiddens, num_hiddens, bias=False)

    def forward(self, queries, keys, values, valid_length):
        B, n, m = queries.shape[0], queries.shape[1], keys.shape[1]
        q = self.W_q(queries).view(B, n, self.h, self.d).transpose(1, 2)
        k = self.W_k(keys).view(B, m, self.h, self.d).transpose(1, 2)
        v = self.W_v(values).view(B, m, self.h, self.d).transpose(1, 2)
        scores = q @ k.transpose(-2, -1) * self.d**-0.5  # (B, h, n, m)
        if valid_length is not None:
            if valid_length.dim() == 1:
                valid_length = valid_length[:, None].expand(B, n)
            pad = torch.arange(m) >= valid_length[:, None, :, None]
            scores = scores.masked_fill(pad, -1e9)
        attn = scores.softmax(dim=-1)
        self.attention_weights = attn.reshape(B * self.h, n, m)
        out = (attn @ v).reshape(B, n, self.h * self.d)
        return self.W_o(out)

# %% the heads are split by a reshape without a transpose [torch]
import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, num_hiddens, num_heads):
        super().__init__()
        self.h = num_heads
        self.d = num_hiddens // num_heads
        self.W_q = nn.Linear(num_hiddens, num_hiddens, bias=False)
        self.W_k = nn.Linear(num_hiddens, num_hiddens, bias=False)
        self.W_v = nn.Linear(num_hiddens, num_hiddens, bias=False)
        self.W_o = nn.Linear(num_hiddens, num_hiddens, bias=False)

    def forward(self, queries, keys, values, valid_length):
        B, n, m = queries.shape[0], queries.shape[1], keys.shape[1]
        q = self.W_q(queries).view(B, self.h, n, self.d)
        k = self.W_k(keys).view(B, self.h, m, self.d)
        v = self.W_v(values).view(B, self.h, m, self.d)
        scores = q @ k.transpose(-2, -1) * self.d**-0.5  # (B, h, n, m)
        if valid_length is not None:
            if valid_length.dim() == 1:
                valid_length = valid_length[:, None].expand(B, n)
            pad = torch.arange(m) >= valid_length[:, None, :, None]
            scores = scores.masked_fill(pad, -1e9)
        attn = scores.softmax(dim=-1)
        self.attention_weights = attn.reshape(B * self.h, n, m)
        out = (attn @ v).transpose(1, 2).reshape(B, n, self.h * self.d)
        return self.W_o(out)

# %% split before projecting [torch]
import math

import torch
from solutions.masked_softmax.in_torch import masked_softmax
from solutions.multi_head.in_torch import join_heads, split_heads


class MultiHeadAttention(torch.nn.Module):
    def __init__(self, num_hiddens, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.W_q = torch.nn.Linear(num_hiddens, num_hiddens, bias=False)
        self.W_k = torch.nn.Linear(num_hiddens, num_hiddens, bias=False)
        self.W_v = torch.nn.Linear(num_hiddens, num_hiddens, bias=False)
        self.W_o = torch.nn.Linear(num_hiddens, num_hiddens, bias=False)

    def forward(self, queries, keys, values, valid_length):
        Q = split_heads(queries, self.num_heads)
        K = split_heads(keys, self.num_heads)
        V = split_heads(self.W_v(values), self.num_heads)
        if valid_length is not None:
            valid_length = valid_length.repeat_interleave(self.num_heads, dim=0)
        scores = torch.bmm(Q, K.transpose(1, 2)) / math.sqrt(Q.shape[-1])
        self.attention_weights = masked_softmax(scores, valid_length)
        out = torch.bmm(self.attention_weights, V)
        return self.W_o(join_heads(out, self.num_heads))

# %% the values are not projected [torch]
import math

import torch
from solutions.masked_softmax.in_torch import masked_softmax
from solutions.multi_head.in_torch import join_heads, split_heads


class MultiHeadAttention(torch.nn.Module):
    def __init__(self, num_hiddens, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.W_q = torch.nn.Linear(num_hiddens, num_hiddens, bias=False)
        self.W_k = torch.nn.Linear(num_hiddens, num_hiddens, bias=False)
        self.W_v = torch.nn.Linear(num_hiddens, num_hiddens, bias=False)
        self.W_o = torch.nn.Linear(num_hiddens, num_hiddens, bias=False)

    def forward(self, queries, keys, values, valid_length):
        Q = split_heads(self.W_q(queries), self.num_heads)
        K = split_heads(self.W_k(keys), self.num_heads)
        V = split_heads(values, self.num_heads)
        if valid_length is not None:
            valid_length = valid_length.repeat_interleave(self.num_heads, dim=0)
        scores = torch.bmm(Q, K.transpose(1, 2)) / math.sqrt(Q.shape[-1])
        self.attention_weights = masked_softmax(scores, valid_length)
        out = torch.bmm(self.attention_weights, V)
        return self.W_o(join_heads(out, self.num_heads))

# %% the keys' matrix for the queries [torch]
import math

import torch
from solutions.masked_softmax.in_torch import masked_softmax
from solutions.multi_head.in_torch import join_heads, split_heads


class MultiHeadAttention(torch.nn.Module):
    def __init__(self, num_hiddens, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.W_q = torch.nn.Linear(num_hiddens, num_hiddens, bias=False)
        self.W_k = torch.nn.Linear(num_hiddens, num_hiddens, bias=False)
        self.W_v = torch.nn.Linear(num_hiddens, num_hiddens, bias=False)
        self.W_o = torch.nn.Linear(num_hiddens, num_hiddens, bias=False)

    def forward(self, queries, keys, values, valid_length):
        Q = split_heads(self.W_k(queries), self.num_heads)
        K = split_heads(self.W_k(keys), self.num_heads)
        V = split_heads(self.W_v(values), self.num_heads)
        if valid_length is not None:
            valid_length = valid_length.repeat_interleave(self.num_heads, dim=0)
        scores = torch.bmm(Q, K.transpose(1, 2)) / math.sqrt(Q.shape[-1])
        self.attention_weights = masked_softmax(scores, valid_length)
        out = torch.bmm(self.attention_weights, V)
        return self.W_o(join_heads(out, self.num_heads))

# %% keys in the place of values [torch]
import math

import torch
from solutions.masked_softmax.in_torch import masked_softmax
from solutions.multi_head.in_torch import join_heads, split_heads


class MultiHeadAttention(torch.nn.Module):
    def __init__(self, num_hiddens, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.W_q = torch.nn.Linear(num_hiddens, num_hiddens, bias=False)
        self.W_k = torch.nn.Linear(num_hiddens, num_hiddens, bias=False)
        self.W_v = torch.nn.Linear(num_hiddens, num_hiddens, bias=False)
        self.W_o = torch.nn.Linear(num_hiddens, num_hiddens, bias=False)

    def forward(self, queries, keys, values, valid_length):
        Q = split_heads(self.W_q(queries), self.num_heads)
        K = split_heads(self.W_k(keys), self.num_heads)
        V = split_heads(self.W_v(keys), self.num_heads)
        if valid_length is not None:
            valid_length = valid_length.repeat_interleave(self.num_heads, dim=0)
        scores = torch.bmm(Q, K.transpose(1, 2)) / math.sqrt(Q.shape[-1])
        self.attention_weights = masked_softmax(scores, valid_length)
        out = torch.bmm(self.attention_weights, V)
        return self.W_o(join_heads(out, self.num_heads))

# %% the projections have biases [torch]
import math

import torch
from solutions.masked_softmax.in_torch import masked_softmax
from solutions.multi_head.in_torch import join_heads, split_heads


class MultiHeadAttention(torch.nn.Module):
    def __init__(self, num_hiddens, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.W_q = torch.nn.Linear(num_hiddens, num_hiddens)
        self.W_k = torch.nn.Linear(num_hiddens, num_hiddens)
        self.W_v = torch.nn.Linear(num_hiddens, num_hiddens)
        self.W_o = torch.nn.Linear(num_hiddens, num_hiddens)

    def forward(self, queries, keys, values, valid_length):
        Q = split_heads(self.W_q(queries), self.num_heads)
        K = split_heads(self.W_k(keys), self.num_heads)
        V = split_heads(self.W_v(values), self.num_heads)
        if valid_length is not None:
            valid_length = valid_length.repeat_interleave(self.num_heads, dim=0)
        scores = torch.bmm(Q, K.transpose(1, 2)) / math.sqrt(Q.shape[-1])
        self.attention_weights = masked_softmax(scores, valid_length)
        out = torch.bmm(self.attention_weights, V)
        return self.W_o(join_heads(out, self.num_heads))

# %% the valid length is ignored [torch]
import math

import torch
from solutions.masked_softmax.in_torch import masked_softmax
from solutions.multi_head.in_torch import join_heads, split_heads


class MultiHeadAttention(torch.nn.Module):
    def __init__(self, num_hiddens, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.W_q = torch.nn.Linear(num_hiddens, num_hiddens, bias=False)
        self.W_k = torch.nn.Linear(num_hiddens, num_hiddens, bias=False)
        self.W_v = torch.nn.Linear(num_hiddens, num_hiddens, bias=False)
        self.W_o = torch.nn.Linear(num_hiddens, num_hiddens, bias=False)

    def forward(self, queries, keys, values, valid_length):
        Q = split_heads(self.W_q(queries), self.num_heads)
        K = split_heads(self.W_k(keys), self.num_heads)
        V = split_heads(self.W_v(values), self.num_heads)
        if valid_length is not None:
            valid_length = valid_length.repeat_interleave(self.num_heads, dim=0)
        scores = torch.bmm(Q, K.transpose(1, 2)) / math.sqrt(Q.shape[-1])
        self.attention_weights = scores.softmax(dim=-1)
        out = torch.bmm(self.attention_weights, V)
        return self.W_o(join_heads(out, self.num_heads))

# %% the heads are averaged instead of joined [torch]
import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, num_hiddens, num_heads):
        super().__init__()
        self.h = num_heads
        self.d = num_hiddens // num_heads
        self.W_q = nn.Linear(num_hiddens, num_hiddens, bias=False)
        self.W_k = nn.Linear(num_hiddens, num_hiddens, bias=False)
        self.W_v = nn.Linear(num_hiddens, num_hiddens, bias=False)
        self.W_o = nn.Linear(num_hiddens, num_hiddens, bias=False)

    def forward(self, queries, keys, values, valid_length):
        B, n, m = queries.shape[0], queries.shape[1], keys.shape[1]
        q = self.W_q(queries).view(B, n, self.h, self.d).transpose(1, 2)
        k = self.W_k(keys).view(B, m, self.h, self.d).transpose(1, 2)
        v = self.W_v(values).view(B, m, self.h, self.d).transpose(1, 2)
        scores = q @ k.transpose(-2, -1) * self.d**-0.5  # (B, h, n, m)
        if valid_length is not None:
            if valid_length.dim() == 1:
                valid_length = valid_length[:, None].expand(B, n)
            pad = torch.arange(m) >= valid_length[:, None, :, None]
            scores = scores.masked_fill(pad, -1e9)
        attn = scores.softmax(dim=-1)
        self.attention_weights = attn.reshape(B * self.h, n, m)
        out = (attn @ v).mean(dim=1).repeat(1, 1, self.h)
        return self.W_o(out)

# %% the weights kept are the mean over the heads [torch]
import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, num_hiddens, num_heads):
        super().__init__()
        self.h = num_heads
        self.d = num_hiddens // num_heads
        self.W_q = nn.Linear(num_hiddens, num_hiddens, bias=False)
        self.W_k = nn.Linear(num_hiddens, num_hiddens, bias=False)
        self.W_v = nn.Linear(num_hiddens, num_hiddens, bias=False)
        self.W_o = nn.Linear(num_hiddens, num_hiddens, bias=False)

    def forward(self, queries, keys, values, valid_length):
        B, n, m = queries.shape[0], queries.shape[1], keys.shape[1]
        q = self.W_q(queries).view(B, n, self.h, self.d).transpose(1, 2)
        k = self.W_k(keys).view(B, m, self.h, self.d).transpose(1, 2)
        v = self.W_v(values).view(B, m, self.h, self.d).transpose(1, 2)
        scores = q @ k.transpose(-2, -1) * self.d**-0.5  # (B, h, n, m)
        if valid_length is not None:
            if valid_length.dim() == 1:
                valid_length = valid_length[:, None].expand(B, n)
            pad = torch.arange(m) >= valid_length[:, None, :, None]
            scores = scores.masked_fill(pad, -1e9)
        attn = scores.softmax(dim=-1)
        self.attention_weights = attn.mean(dim=1)
        out = (attn @ v).transpose(1, 2).reshape(B, n, self.h * self.d)
        return self.W_o(out)

# %% softmax over the heads [torch]
import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, num_hiddens, num_heads):
        super().__init__()
        self.h = num_heads
        self.d = num_hiddens // num_heads
        self.W_q = nn.Linear(num_hiddens, num_hiddens, bias=False)
        self.W_k = nn.Linear(num_hiddens, num_hiddens, bias=False)
        self.W_v = nn.Linear(num_hiddens, num_hiddens, bias=False)
        self.W_o = nn.Linear(num_hiddens, num_hiddens, bias=False)

    def forward(self, queries, keys, values, valid_length):
        B, n, m = queries.shape[0], queries.shape[1], keys.shape[1]
        q = self.W_q(queries).view(B, n, self.h, self.d).transpose(1, 2)
        k = self.W_k(keys).view(B, m, self.h, self.d).transpose(1, 2)
        v = self.W_v(values).view(B, m, self.h, self.d).transpose(1, 2)
        scores = q @ k.transpose(-2, -1) * self.d**-0.5  # (B, h, n, m)
        if valid_length is not None:
            if valid_length.dim() == 1:
                valid_length = valid_length[:, None].expand(B, n)
            pad = torch.arange(m) >= valid_length[:, None, :, None]
            scores = scores.masked_fill(pad, -1e9)
        attn = scores.softmax(dim=1)
        self.attention_weights = attn.reshape(B * self.h, n, m)
        out = (attn @ v).transpose(1, 2).reshape(B, n, self.h * self.d)
        return self.W_o(out)

# %% softmax over the queries [torch]
import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, num_hiddens, num_heads):
        super().__init__()
        self.h = num_heads
        self.d = num_hiddens // num_heads
        self.W_q = nn.Linear(num_hiddens, num_hiddens, bias=False)
        self.W_k = nn.Linear(num_hiddens, num_hiddens, bias=False)
        self.W_v = nn.Linear(num_hiddens, num_hiddens, bias=False)
        self.W_o = nn.Linear(num_hiddens, num_hiddens, bias=False)

    def forward(self, queries, keys, values, valid_length):
        B, n, m = queries.shape[0], queries.shape[1], keys.shape[1]
        q = self.W_q(queries).view(B, n, self.h, self.d).transpose(1, 2)
        k = self.W_k(keys).view(B, m, self.h, self.d).transpose(1, 2)
        v = self.W_v(values).view(B, m, self.h, self.d).transpose(1, 2)
        scores = q @ k.transpose(-2, -1) * self.d**-0.5  # (B, h, n, m)
        if valid_length is not None:
            if valid_length.dim() == 1:
                valid_length = valid_length[:, None].expand(B, n)
            pad = torch.arange(m) >= valid_length[:, None, :, None]
            scores = scores.masked_fill(pad, -1e9)
        attn = scores.softmax(dim=2)
        self.attention_weights = attn.reshape(B * self.h, n, m)
        out = (attn @ v).transpose(1, 2).reshape(B, n, self.h * self.d)
        return self.W_o(out)

# %% one head whatever num_heads is [torch]
import math

import torch
from solutions.masked_softmax.in_torch import masked_softmax
from solutions.multi_head.in_torch import join_heads, split_heads


class MultiHeadAttention(torch.nn.Module):
    def __init__(self, num_hiddens, num_heads):
        super().__init__()
        self.num_heads = 1
        self.W_q = torch.nn.Linear(num_hiddens, num_hiddens, bias=False)
        self.W_k = torch.nn.Linear(num_hiddens, num_hiddens, bias=False)
        self.W_v = torch.nn.Linear(num_hiddens, num_hiddens, bias=False)
        self.W_o = torch.nn.Linear(num_hiddens, num_hiddens, bias=False)

    def forward(self, queries, keys, values, valid_length):
        Q = split_heads(self.W_q(queries), self.num_heads)
        K = split_heads(self.W_k(keys), self.num_heads)
        V = split_heads(self.W_v(values), self.num_heads)
        if valid_length is not None:
            valid_length = valid_length.repeat_interleave(self.num_heads, dim=0)
        scores = torch.bmm(Q, K.transpose(1, 2)) / math.sqrt(Q.shape[-1])
        self.attention_weights = masked_softmax(scores, valid_length)
        out = torch.bmm(self.attention_weights, V)
        return self.W_o(join_heads(out, self.num_heads))

# %% scaled twice [torch]
import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, num_hiddens, num_heads):
        super().__init__()
        self.h = num_heads
        self.d = num_hiddens // num_heads
        self.W_q = nn.Linear(num_hiddens, num_hiddens, bias=False)
        self.W_k = nn.Linear(num_hiddens, num_hiddens, bias=False)
        self.W_v = nn.Linear(num_hiddens, num_hiddens, bias=False)
        self.W_o = nn.Linear(num_hiddens, num_hiddens, bias=False)

    def forward(self, queries, keys, values, valid_length):
        B, n, m = queries.shape[0], queries.shape[1], keys.shape[1]
        q = self.W_q(queries).view(B, n, self.h, self.d).transpose(1, 2)
        k = self.W_k(keys).view(B, m, self.h, self.d).transpose(1, 2)
        v = self.W_v(values).view(B, m, self.h, self.d).transpose(1, 2)
        scores = q @ k.transpose(-2, -1) * self.d**-0.5  # (B, h, n, m)
        if valid_length is not None:
            if valid_length.dim() == 1:
                valid_length = valid_length[:, None].expand(B, n)
            pad = torch.arange(m) >= valid_length[:, None, :, None]
            scores = scores.masked_fill(pad, -1e9)
        scores = scores / self.d**0.5
        attn = scores.softmax(dim=-1)
        self.attention_weights = attn.reshape(B * self.h, n, m)
        out = (attn @ v).transpose(1, 2).reshape(B, n, self.h * self.d)
        return self.W_o(out)

# %% the weights are not kept [torch]
import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, num_hiddens, num_heads):
        super().__init__()
        self.h = num_heads
        self.d = num_hiddens // num_heads
        self.W_q = nn.Linear(num_hiddens, num_hiddens, bias=False)
        self.W_k = nn.Linear(num_hiddens, num_hiddens, bias=False)
        self.W_v = nn.Linear(num_hiddens, num_hiddens, bias=False)
        self.W_o = nn.Linear(num_hiddens, num_hiddens, bias=False)

    def forward(self, queries, keys, values, valid_length):
        B, n, m = queries.shape[0], queries.shape[1], keys.shape[1]
        q = self.W_q(queries).view(B, n, self.h, self.d).transpose(1, 2)
        k = self.W_k(keys).view(B, m, self.h, self.d).transpose(1, 2)
        v = self.W_v(values).view(B, m, self.h, self.d).transpose(1, 2)
        scores = q @ k.transpose(-2, -1) * self.d**-0.5  # (B, h, n, m)
        if valid_length is not None:
            if valid_length.dim() == 1:
                valid_length = valid_length[:, None].expand(B, n)
            pad = torch.arange(m) >= valid_length[:, None, :, None]
            scores = scores.masked_fill(pad, -1e9)
        attn = scores.softmax(dim=-1)
        out = (attn @ v).transpose(1, 2).reshape(B, n, self.h * self.d)
        return self.W_o(out)

# %% the mask comes after the softmax [torch]
import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, num_hiddens, num_heads):
        super().__init__()
        self.h = num_heads
        self.d = num_hiddens // num_heads
        self.W_q = nn.Linear(num_hiddens, num_hiddens, bias=False)
        self.W_k = nn.Linear(num_hiddens, num_hiddens, bias=False)
        self.W_v = nn.Linear(num_hiddens, num_hiddens, bias=False)
        self.W_o = nn.Linear(num_hiddens, num_hiddens, bias=False)

    def forward(self, queries, keys, values, valid_length):
        B, n, m = queries.shape[0], queries.shape[1], keys.shape[1]
        q = self.W_q(queries).view(B, n, self.h, self.d).transpose(1, 2)
        k = self.W_k(keys).view(B, m, self.h, self.d).transpose(1, 2)
        v = self.W_v(values).view(B, m, self.h, self.d).transpose(1, 2)
        scores = q @ k.transpose(-2, -1) * self.d**-0.5  # (B, h, n, m)
        if valid_length is not None:
            if valid_length.dim() == 1:
                valid_length = valid_length[:, None].expand(B, n)
            pad = torch.arange(m) >= valid_length[:, None, :, None]
        attn = scores.softmax(dim=-1)
        if valid_length is not None:
            attn = attn.masked_fill(pad, 0.0)
        self.attention_weights = attn.reshape(B * self.h, n, m)
        out = (attn @ v).transpose(1, 2).reshape(B, n, self.h * self.d)
        return self.W_o(out)

# %% the context is joined and projected twice [torch]
import math

import torch
from solutions.masked_softmax.in_torch import masked_softmax
from solutions.multi_head.in_torch import join_heads, split_heads


class MultiHeadAttention(torch.nn.Module):
    def __init__(self, num_hiddens, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.W_q = torch.nn.Linear(num_hiddens, num_hiddens, bias=False)
        self.W_k = torch.nn.Linear(num_hiddens, num_hiddens, bias=False)
        self.W_v = torch.nn.Linear(num_hiddens, num_hiddens, bias=False)
        self.W_o = torch.nn.Linear(num_hiddens, num_hiddens, bias=False)

    def forward(self, queries, keys, values, valid_length):
        Q = split_heads(self.W_q(queries), self.num_heads)
        K = split_heads(self.W_k(keys), self.num_heads)
        V = split_heads(self.W_v(values), self.num_heads)
        if valid_length is not None:
            valid_length = valid_length.repeat_interleave(self.num_heads, dim=0)
        scores = torch.bmm(Q, K.transpose(1, 2)) / math.sqrt(Q.shape[-1])
        self.attention_weights = masked_softmax(scores, valid_length)
        out = torch.bmm(self.attention_weights, V)
        return self.W_o(self.W_o(join_heads(out, self.num_heads)))

# %% the query is added to the result [torch]
import math

import torch
from solutions.masked_softmax.in_torch import masked_softmax
from solutions.multi_head.in_torch import join_heads, split_heads


class MultiHeadAttention(torch.nn.Module):
    def __init__(self, num_hiddens, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.W_q = torch.nn.Linear(num_hiddens, num_hiddens, bias=False)
        self.W_k = torch.nn.Linear(num_hiddens, num_hiddens, bias=False)
        self.W_v = torch.nn.Linear(num_hiddens, num_hiddens, bias=False)
        self.W_o = torch.nn.Linear(num_hiddens, num_hiddens, bias=False)

    def forward(self, queries, keys, values, valid_length):
        Q = split_heads(self.W_q(queries), self.num_heads)
        K = split_heads(self.W_k(keys), self.num_heads)
        V = split_heads(self.W_v(values), self.num_heads)
        if valid_length is not None:
            valid_length = valid_length.repeat_interleave(self.num_heads, dim=0)
        scores = torch.bmm(Q, K.transpose(1, 2)) / math.sqrt(Q.shape[-1])
        self.attention_weights = masked_softmax(scores, valid_length)
        out = torch.bmm(self.attention_weights, V)
        return queries + self.W_o(join_heads(out, self.num_heads))

# %% scaled by num_hiddens' root, and no output projection [torch]
import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, num_hiddens, num_heads):
        super().__init__()
        self.h = num_heads
        self.d = num_hiddens // num_heads
        self.W_q = nn.Linear(num_hiddens, num_hiddens, bias=False)
        self.W_k = nn.Linear(num_hiddens, num_hiddens, bias=False)
        self.W_v = nn.Linear(num_hiddens, num_hiddens, bias=False)
        self.W_o = nn.Linear(num_hiddens, num_hiddens, bias=False)

    def forward(self, queries, keys, values, valid_length):
        B, n, m = queries.shape[0], queries.shape[1], keys.shape[1]
        q = self.W_q(queries).view(B, n, self.h, self.d).transpose(1, 2)
        k = self.W_k(keys).view(B, m, self.h, self.d).transpose(1, 2)
        v = self.W_v(values).view(B, m, self.h, self.d).transpose(1, 2)
        scores = q @ k.transpose(-2, -1) * (self.h * self.d) ** -0.5  # (B, h, n, m)
        if valid_length is not None:
            if valid_length.dim() == 1:
                valid_length = valid_length[:, None].expand(B, n)
            pad = torch.arange(m) >= valid_length[:, None, :, None]
            scores = scores.masked_fill(pad, -1e9)
        attn = scores.softmax(dim=-1)
        self.attention_weights = attn.reshape(B * self.h, n, m)
        out = (attn @ v).transpose(1, 2).reshape(B, n, self.h * self.d)
        return out

# %% the kept weights lie heads first, then the batch [torch]
import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, num_hiddens, num_heads):
        super().__init__()
        self.h = num_heads
        self.d = num_hiddens // num_heads
        self.W_q = nn.Linear(num_hiddens, num_hiddens, bias=False)
        self.W_k = nn.Linear(num_hiddens, num_hiddens, bias=False)
        self.W_v = nn.Linear(num_hiddens, num_hiddens, bias=False)
        self.W_o = nn.Linear(num_hiddens, num_hiddens, bias=False)

    def forward(self, queries, keys, values, valid_length):
        B, n, m = queries.shape[0], queries.shape[1], keys.shape[1]
        q = self.W_q(queries).view(B, n, self.h, self.d).transpose(1, 2)
        k = self.W_k(keys).view(B, m, self.h, self.d).transpose(1, 2)
        v = self.W_v(values).view(B, m, self.h, self.d).transpose(1, 2)
        scores = q @ k.transpose(-2, -1) * self.d**-0.5  # (B, h, n, m)
        if valid_length is not None:
            if valid_length.dim() == 1:
                valid_length = valid_length[:, None].expand(B, n)
            pad = torch.arange(m) >= valid_length[:, None, :, None]
            scores = scores.masked_fill(pad, -1e9)
        attn = scores.softmax(dim=-1)
        self.attention_weights = attn.transpose(0, 1).reshape(B * self.h, n, m)
        out = (attn @ v).transpose(1, 2).reshape(B, n, self.h * self.d)
        return self.W_o(out)

# %% the lengths are tiled [mxnet]
import math

from mxnet import gluon, nd
from solutions.masked_softmax.in_mxnet import masked_softmax
from solutions.multi_head.in_mxnet import join_heads, split_heads


class MultiHeadAttention(gluon.nn.Block):
    def __init__(self, num_hiddens, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.W_q = gluon.nn.Dense(num_hiddens, use_bias=False, flatten=False)
        self.W_k = gluon.nn.Dense(num_hiddens, use_bias=False, flatten=False)
        self.W_v = gluon.nn.Dense(num_hiddens, use_bias=False, flatten=False)
        self.W_o = gluon.nn.Dense(num_hiddens, use_bias=False, flatten=False)

    def forward(self, queries, keys, values, valid_length):
        Q = split_heads(self.W_q(queries), self.num_heads)
        K = split_heads(self.W_k(keys), self.num_heads)
        V = split_heads(self.W_v(values), self.num_heads)
        if valid_length is not None:
            valid_length = nd.concat(*[valid_length] * self.num_heads, dim=0)
        scores = nd.batch_dot(Q, K, transpose_b=True) / math.sqrt(Q.shape[-1])
        self.attention_weights = masked_softmax(scores, valid_length)
        out = nd.batch_dot(self.attention_weights, V)
        return self.W_o(join_heads(out, self.num_heads))

# %% scaled by num_hiddens' root [mxnet]
import math

from mxnet import gluon, nd
from solutions.masked_softmax.in_mxnet import masked_softmax
from solutions.multi_head.in_mxnet import join_heads, split_heads


class MultiHeadAttention(gluon.nn.Block):
    def __init__(self, num_hiddens, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.W_q = gluon.nn.Dense(num_hiddens, use_bias=False, flatten=False)
        self.W_k = gluon.nn.Dense(num_hiddens, use_bias=False, flatten=False)
        self.W_v = gluon.nn.Dense(num_hiddens, use_bias=False, flatten=False)
        self.W_o = gluon.nn.Dense(num_hiddens, use_bias=False, flatten=False)

    def forward(self, queries, keys, values, valid_length):
        Q = split_heads(self.W_q(queries), self.num_heads)
        K = split_heads(self.W_k(keys), self.num_heads)
        V = split_heads(self.W_v(values), self.num_heads)
        if valid_length is not None:
            valid_length = valid_length.repeat(self.num_heads, axis=0)
        scores = nd.batch_dot(Q, K, transpose_b=True) / math.sqrt(queries.shape[-1])
        self.attention_weights = masked_softmax(scores, valid_length)
        out = nd.batch_dot(self.attention_weights, V)
        return self.W_o(join_heads(out, self.num_heads))

# %% biases [mxnet]
import math

from mxnet import gluon, nd
from solutions.masked_softmax.in_mxnet import masked_softmax
from solutions.multi_head.in_mxnet import join_heads, split_heads


class MultiHeadAttention(gluon.nn.Block):
    def __init__(self, num_hiddens, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.W_q = gluon.nn.Dense(num_hiddens,  flatten=False)
        self.W_k = gluon.nn.Dense(num_hiddens,  flatten=False)
        self.W_v = gluon.nn.Dense(num_hiddens,  flatten=False)
        self.W_o = gluon.nn.Dense(num_hiddens,  flatten=False)

    def forward(self, queries, keys, values, valid_length):
        Q = split_heads(self.W_q(queries), self.num_heads)
        K = split_heads(self.W_k(keys), self.num_heads)
        V = split_heads(self.W_v(values), self.num_heads)
        if valid_length is not None:
            valid_length = valid_length.repeat(self.num_heads, axis=0)
        scores = nd.batch_dot(Q, K, transpose_b=True) / math.sqrt(Q.shape[-1])
        self.attention_weights = masked_softmax(scores, valid_length)
        out = nd.batch_dot(self.attention_weights, V)
        return self.W_o(join_heads(out, self.num_heads))

# %% no output projection, and not scaled [mxnet]
import math

from mxnet import gluon, nd
from solutions.masked_softmax.in_mxnet import masked_softmax
from solutions.multi_head.in_mxnet import join_heads, split_heads


class MultiHeadAttention(gluon.nn.Block):
    def __init__(self, num_hiddens, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.W_q = gluon.nn.Dense(num_hiddens, use_bias=False, flatten=False)
        self.W_k = gluon.nn.Dense(num_hiddens, use_bias=False, flatten=False)
        self.W_v = gluon.nn.Dense(num_hiddens, use_bias=False, flatten=False)
        self.W_o = gluon.nn.Dense(num_hiddens, use_bias=False, flatten=False)

    def forward(self, queries, keys, values, valid_length):
        Q = split_heads(self.W_q(queries), self.num_heads)
        K = split_heads(self.W_k(keys), self.num_heads)
        V = split_heads(self.W_v(values), self.num_heads)
        if valid_length is not None:
            valid_length = valid_length.repeat(self.num_heads, axis=0)
        scores = nd.batch_dot(Q, K, transpose_b=True)
        self.attention_weights = masked_softmax(scores, valid_length)
        out = nd.batch_dot(self.attention_weights, V)
        return join_heads(out, self.num_heads)

# %% joined by a reshape [mxnet]
import math

from mxnet import gluon, nd
from solutions.masked_softmax.in_mxnet import masked_softmax
from solutions.multi_head.in_mxnet import join_heads, split_heads


class MultiHeadAttention(gluon.nn.Block):
    def __init__(self, num_hiddens, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.W_q = gluon.nn.Dense(num_hiddens, use_bias=False, flatten=False)
        self.W_k = gluon.nn.Dense(num_hiddens, use_bias=False, flatten=False)
        self.W_v = gluon.nn.Dense(num_hiddens, use_bias=False, flatten=False)
        self.W_o = gluon.nn.Dense(num_hiddens, use_bias=False, flatten=False)

    def forward(self, queries, keys, values, valid_length):
        Q = split_heads(self.W_q(queries), self.num_heads)
        K = split_heads(self.W_k(keys), self.num_heads)
        V = split_heads(self.W_v(values), self.num_heads)
        if valid_length is not None:
            valid_length = valid_length.repeat(self.num_heads, axis=0)
        scores = nd.batch_dot(Q, K, transpose_b=True) / math.sqrt(Q.shape[-1])
        self.attention_weights = masked_softmax(scores, valid_length)
        out = nd.batch_dot(self.attention_weights, V)
        return self.W_o(out.reshape(queries.shape))

# %% the queries are split without projecting [mxnet]
import math

from mxnet import gluon, nd
from solutions.masked_softmax.in_mxnet import masked_softmax
from solutions.multi_head.in_mxnet import join_heads, split_heads


class MultiHeadAttention(gluon.nn.Block):
    def __init__(self, num_hiddens, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.W_q = gluon.nn.Dense(num_hiddens, use_bias=False, flatten=False)
        self.W_k = gluon.nn.Dense(num_hiddens, use_bias=False, flatten=False)
        self.W_v = gluon.nn.Dense(num_hiddens, use_bias=False, flatten=False)
        self.W_o = gluon.nn.Dense(num_hiddens, use_bias=False, flatten=False)

    def forward(self, queries, keys, values, valid_length):
        Q = split_heads(queries, self.num_heads)
        K = split_heads(self.W_k(keys), self.num_heads)
        V = split_heads(self.W_v(values), self.num_heads)
        if valid_length is not None:
            valid_length = valid_length.repeat(self.num_heads, axis=0)
        scores = nd.batch_dot(Q, K, transpose_b=True) / math.sqrt(Q.shape[-1])
        self.attention_weights = masked_softmax(scores, valid_length)
        out = nd.batch_dot(self.attention_weights, V)
        return self.W_o(join_heads(out, self.num_heads))

# %% values projected by W_o, the result by W_v [mxnet]
import math

from mxnet import gluon, nd
from solutions.masked_softmax.in_mxnet import masked_softmax
from solutions.multi_head.in_mxnet import join_heads, split_heads


class MultiHeadAttention(gluon.nn.Block):
    def __init__(self, num_hiddens, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.W_q = gluon.nn.Dense(num_hiddens, use_bias=False, flatten=False)
        self.W_k = gluon.nn.Dense(num_hiddens, use_bias=False, flatten=False)
        self.W_v = gluon.nn.Dense(num_hiddens, use_bias=False, flatten=False)
        self.W_o = gluon.nn.Dense(num_hiddens, use_bias=False, flatten=False)

    def forward(self, queries, keys, values, valid_length):
        Q = split_heads(self.W_q(queries), self.num_heads)
        K = split_heads(self.W_k(keys), self.num_heads)
        V = split_heads(self.W_o(values), self.num_heads)
        if valid_length is not None:
            valid_length = valid_length.repeat(self.num_heads, axis=0)
        scores = nd.batch_dot(Q, K, transpose_b=True) / math.sqrt(Q.shape[-1])
        self.attention_weights = masked_softmax(scores, valid_length)
        out = nd.batch_dot(self.attention_weights, V)
        return self.W_v(join_heads(out, self.num_heads))

# %% heads see the batch: split only by a reshape into batch times heads [torch]
import torch
from solutions.masked_softmax.in_torch import masked_softmax
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, num_hiddens, num_heads):
        super().__init__()
        self.h = num_heads
        for name in ("W_q", "W_k", "W_v", "W_o"):
            setattr(self, name, nn.Linear(num_hiddens, num_hiddens, bias=False))

    def forward(self, queries, keys, values, valid_length):
        def cut(X):
            b, n, d = X.shape
            return X.reshape(b * self.h, n, d // self.h)

        q, k, v = cut(self.W_q(queries)), cut(self.W_k(keys)), cut(self.W_v(values))
        if valid_length is not None:
            valid_length = valid_length.repeat_interleave(self.h, dim=0)
        w = masked_softmax(q @ k.mT / q.shape[-1] ** 0.5, valid_length)
        self.attention_weights = w
        return self.W_o((w @ v).reshape(queries.shape))

# %% one attention over all features, its weights copied for each head [torch]
import torch
from solutions.masked_softmax.in_torch import masked_softmax
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, num_hiddens, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.W_q = nn.Linear(num_hiddens, num_hiddens, bias=False)
        self.W_k = nn.Linear(num_hiddens, num_hiddens, bias=False)
        self.W_v = nn.Linear(num_hiddens, num_hiddens, bias=False)
        self.W_o = nn.Linear(num_hiddens, num_hiddens, bias=False)

    def forward(self, queries, keys, values, valid_length):
        q, k, v = self.W_q(queries), self.W_k(keys), self.W_v(values)
        scores = torch.bmm(q, k.transpose(1, 2)) / (q.shape[-1] / self.num_heads) ** 0.5
        w = masked_softmax(scores, valid_length)
        self.attention_weights = w.repeat_interleave(self.num_heads, dim=0)
        return self.W_o(torch.bmm(w, v))
