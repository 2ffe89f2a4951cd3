# %% the words are scored from the previous state [torch]
import torch
from torch import nn
from solutions.masked_softmax.in_torch import masked_softmax


class DecoderStep(nn.Module):
    def __init__(self, d_y, d_s, d_h, units, vocabulary_size):
        super().__init__()
        self.W_q = nn.Linear(d_s, units, bias=False)
        self.W_k = nn.Linear(d_h, units, bias=False)
        self.w_v = nn.Linear(units, 1, bias=False)
        self.W_s = nn.Linear(d_s, d_s, bias=False)
        self.W_y = nn.Linear(d_y, d_s, bias=False)
        self.W_c = nn.Linear(d_h, d_s, bias=False)
        self.W_o = nn.Linear(d_s + d_h, vocabulary_size, bias=False)

    def forward(self, y, state, outputs, valid_length):
        q = self.W_q(state).unsqueeze(1)
        k = self.W_k(outputs)
        scores = self.w_v(torch.tanh(q + k)).transpose(1, 2)
        weights = masked_softmax(scores, valid_length)
        c = torch.bmm(weights, outputs).squeeze(1)
        s = torch.tanh(self.W_s(state) + self.W_y(y) + self.W_c(c))
        words = self.W_o(torch.cat([state, c], dim=1))
        return words, s, weights.squeeze(1)

# %% context first, then state, into the words [torch]
import torch
from torch import nn
from solutions.masked_softmax.in_torch import masked_softmax


class DecoderStep(nn.Module):
    def __init__(self, d_y, d_s, d_h, units, vocabulary_size):
        super().__init__()
        self.W_q = nn.Linear(d_s, units, bias=False)
        self.W_k = nn.Linear(d_h, units, bias=False)
        self.w_v = nn.Linear(units, 1, bias=False)
        self.W_s = nn.Linear(d_s, d_s, bias=False)
        self.W_y = nn.Linear(d_y, d_s, bias=False)
        self.W_c = nn.Linear(d_h, d_s, bias=False)
        self.W_o = nn.Linear(d_s + d_h, vocabulary_size, bias=False)

    def forward(self, y, state, outputs, valid_length):
        q = self.W_q(state).unsqueeze(1)
        k = self.W_k(outputs)
        scores = self.w_v(torch.tanh(q + k)).transpose(1, 2)
        weights = masked_softmax(scores, valid_length)
        c = torch.bmm(weights, outputs).squeeze(1)
        s = torch.tanh(self.W_s(state) + self.W_y(y) + self.W_c(c))
        words = self.W_o(torch.cat([c, s], dim=1))
        return words, s, weights.squeeze(1)

# %% the new state asks, from a context-free update [torch]
import torch
from torch import nn


class DecoderStep(nn.Module):
    def __init__(self, d_y, d_s, d_h, units, vocabulary_size):
        super().__init__()

        def linear(n, m):
            return nn.Linear(n, m, bias=False)

        self.W_q, self.W_k, self.w_v = linear(d_s, units), linear(d_h, units), linear(units, 1)
        self.W_s, self.W_y, self.W_c = linear(d_s, d_s), linear(d_y, d_s), linear(d_h, d_s)
        self.W_o = linear(d_s + d_h, vocabulary_size)

    def forward(self, y, state, outputs, valid_length):
        asking = torch.tanh(self.W_s(state) + self.W_y(y))
        energy = torch.tanh(self.W_q(asking)[:, None] + self.W_k(outputs))
        e = self.w_v(energy)[:, :, 0]
        pad = torch.arange(outputs.shape[1])[None] >= valid_length[:, None]
        alpha = torch.softmax(e.masked_fill(pad, -1e9), dim=1)
        context = (alpha[:, :, None] * outputs).sum(dim=1)
        new_state = torch.tanh(self.W_s(state) + self.W_y(y) + self.W_c(context))
        logits = self.W_o(torch.cat((new_state, context), dim=-1))
        return logits, new_state, alpha

# %% the previous state is returned [torch]
import torch
from torch import nn
from solutions.masked_softmax.in_torch import masked_softmax


class DecoderStep(nn.Module):
    def __init__(self, d_y, d_s, d_h, units, vocabulary_size):
        super().__init__()
        self.W_q = nn.Linear(d_s, units, bias=False)
        self.W_k = nn.Linear(d_h, units, bias=False)
        self.w_v = nn.Linear(units, 1, bias=False)
        self.W_s = nn.Linear(d_s, d_s, bias=False)
        self.W_y = nn.Linear(d_y, d_s, bias=False)
        self.W_c = nn.Linear(d_h, d_s, bias=False)
        self.W_o = nn.Linear(d_s + d_h, vocabulary_size, bias=False)

    def forward(self, y, state, outputs, valid_length):
        q = self.W_q(state).unsqueeze(1)
        k = self.W_k(outputs)
        scores = self.w_v(torch.tanh(q + k)).transpose(1, 2)
        weights = masked_softmax(scores, valid_length)
        c = torch.bmm(weights, outputs).squeeze(1)
        s = torch.tanh(self.W_s(state) + self.W_y(y) + self.W_c(c))
        words = self.W_o(torch.cat([s, c], dim=1))
        return words, state, weights.squeeze(1)

# %% no tanh round the new state [torch]
import torch
from torch import nn
from solutions.masked_softmax.in_torch import masked_softmax


class DecoderStep(nn.Module):
    def __init__(self, d_y, d_s, d_h, units, vocabulary_size):
        super().__init__()
        self.W_q = nn.Linear(d_s, units, bias=False)
        self.W_k = nn.Linear(d_h, units, bias=False)
        self.w_v = nn.Linear(units, 1, bias=False)
        self.W_s = nn.Linear(d_s, d_s, bias=False)
        self.W_y = nn.Linear(d_y, d_s, bias=False)
        self.W_c = nn.Linear(d_h, d_s, bias=False)
        self.W_o = nn.Linear(d_s + d_h, vocabulary_size, bias=False)

    def forward(self, y, state, outputs, valid_length):
        q = self.W_q(state).unsqueeze(1)
        k = self.W_k(outputs)
        scores = self.w_v(torch.tanh(q + k)).transpose(1, 2)
        weights = masked_softmax(scores, valid_length)
        c = torch.bmm(weights, outputs).squeeze(1)
        s = self.W_s(state) + self.W_y(y) + self.W_c(c)
        words = self.W_o(torch.cat([s, c], dim=1))
        return words, s, weights.squeeze(1)

# %% no tanh in the scores [torch]
import torch
from torch import nn
from solutions.masked_softmax.in_torch import masked_softmax


class DecoderStep(nn.Module):
    def __init__(self, d_y, d_s, d_h, units, vocabulary_size):
        super().__init__()
        self.W_q = nn.Linear(d_s, units, bias=False)
        self.W_k = nn.Linear(d_h, units, bias=False)
        self.w_v = nn.Linear(units, 1, bias=False)
        self.W_s = nn.Linear(d_s, d_s, bias=False)
        self.W_y = nn.Linear(d_y, d_s, bias=False)
        self.W_c = nn.Linear(d_h, d_s, bias=False)
        self.W_o = nn.Linear(d_s + d_h, vocabulary_size, bias=False)

    def forward(self, y, state, outputs, valid_length):
        q = self.W_q(state).unsqueeze(1)
        k = self.W_k(outputs)
        scores = self.w_v(q + k).transpose(1, 2)
        weights = masked_softmax(scores, valid_length)
        c = torch.bmm(weights, outputs).squeeze(1)
        s = torch.tanh(self.W_s(state) + self.W_y(y) + self.W_c(c))
        words = self.W_o(torch.cat([s, c], dim=1))
        return words, s, weights.squeeze(1)

# %% the context does not enter the state [torch]
import torch
from torch import nn
from solutions.masked_softmax.in_torch import masked_softmax


class DecoderStep(nn.Module):
    def __init__(self, d_y, d_s, d_h, units, vocabulary_size):
        super().__init__()
        self.W_q = nn.Linear(d_s, units, bias=False)
        self.W_k = nn.Linear(d_h, units, bias=False)
        self.w_v = nn.Linear(units, 1, bias=False)
        self.W_s = nn.Linear(d_s, d_s, bias=False)
        self.W_y = nn.Linear(d_y, d_s, bias=False)
        self.W_c = nn.Linear(d_h, d_s, bias=False)
        self.W_o = nn.Linear(d_s + d_h, vocabulary_size, bias=False)

    def forward(self, y, state, outputs, valid_length):
        q = self.W_q(state).unsqueeze(1)
        k = self.W_k(outputs)
        scores = self.w_v(torch.tanh(q + k)).transpose(1, 2)
        weights = masked_softmax(scores, valid_length)
        c = torch.bmm(weights, outputs).squeeze(1)
        s = torch.tanh(self.W_s(state) + self.W_y(y) )
        words = self.W_o(torch.cat([s, c], dim=1))
        return words, s, weights.squeeze(1)

# %% the word before does not enter the state [torch]
import torch
from torch import nn
from solutions.masked_softmax.in_torch import masked_softmax


class DecoderStep(nn.Module):
    def __init__(self, d_y, d_s, d_h, units, vocabulary_size):
        super().__init__()
        self.W_q = nn.Linear(d_s, units, bias=False)
        self.W_k = nn.Linear(d_h, units, bias=False)
        self.w_v = nn.Linear(units, 1, bias=False)
        self.W_s = nn.Linear(d_s, d_s, bias=False)
        self.W_y = nn.Linear(d_y, d_s, bias=False)
        self.W_c = nn.Linear(d_h, d_s, bias=False)
        self.W_o = nn.Linear(d_s + d_h, vocabulary_size, bias=False)

    def forward(self, y, state, outputs, valid_length):
        q = self.W_q(state).unsqueeze(1)
        k = self.W_k(outputs)
        scores = self.w_v(torch.tanh(q + k)).transpose(1, 2)
        weights = masked_softmax(scores, valid_length)
        c = torch.bmm(weights, outputs).squeeze(1)
        s = torch.tanh(self.W_s(state)  + self.W_c(c))
        words = self.W_o(torch.cat([s, c], dim=1))
        return words, s, weights.squeeze(1)

# %% the previous state does not enter the state [torch]
import torch
from torch import nn
from solutions.masked_softmax.in_torch import masked_softmax


class DecoderStep(nn.Module):
    def __init__(self, d_y, d_s, d_h, units, vocabulary_size):
        super().__init__()
        self.W_q = nn.Linear(d_s, units, bias=False)
        self.W_k = nn.Linear(d_h, units, bias=False)
        self.w_v = nn.Linear(units, 1, bias=False)
        self.W_s = nn.Linear(d_s, d_s, bias=False)
        self.W_y = nn.Linear(d_y, d_s, bias=False)
        self.W_c = nn.Linear(d_h, d_s, bias=False)
        self.W_o = nn.Linear(d_s + d_h, vocabulary_size, bias=False)

    def forward(self, y, state, outputs, valid_length):
        q = self.W_q(state).unsqueeze(1)
        k = self.W_k(outputs)
        scores = self.w_v(torch.tanh(q + k)).transpose(1, 2)
        weights = masked_softmax(scores, valid_length)
        c = torch.bmm(weights, outputs).squeeze(1)
        s = torch.tanh( self.W_y(y) + self.W_c(c))
        words = self.W_o(torch.cat([s, c], dim=1))
        return words, s, weights.squeeze(1)

# %% a tanh for each of the three terms [torch]
import torch
from torch import nn
from solutions.masked_softmax.in_torch import masked_softmax


class DecoderStep(nn.Module):
    def __init__(self, d_y, d_s, d_h, units, vocabulary_size):
        super().__init__()
        self.W_q = nn.Linear(d_s, units, bias=False)
        self.W_k = nn.Linear(d_h, units, bias=False)
        self.w_v = nn.Linear(units, 1, bias=False)
        self.W_s = nn.Linear(d_s, d_s, bias=False)
        self.W_y = nn.Linear(d_y, d_s, bias=False)
        self.W_c = nn.Linear(d_h, d_s, bias=False)
        self.W_o = nn.Linear(d_s + d_h, vocabulary_size, bias=False)

    def forward(self, y, state, outputs, valid_length):
        q = self.W_q(state).unsqueeze(1)
        k = self.W_k(outputs)
        scores = self.w_v(torch.tanh(q + k)).transpose(1, 2)
        weights = masked_softmax(scores, valid_length)
        c = torch.bmm(weights, outputs).squeeze(1)
        s = torch.tanh(self.W_s(state)) + torch.tanh(self.W_y(y)) + torch.tanh(self.W_c(c))
        words = self.W_o(torch.cat([s, c], dim=1))
        return words, s, weights.squeeze(1)

# %% sigmoid for tanh in the state [torch]
import torch
from torch import nn
from solutions.masked_softmax.in_torch import masked_softmax


class DecoderStep(nn.Module):
    def __init__(self, d_y, d_s, d_h, units, vocabulary_size):
        super().__init__()
        self.W_q = nn.Linear(d_s, units, bias=False)
        self.W_k = nn.Linear(d_h, units, bias=False)
        self.w_v = nn.Linear(units, 1, bias=False)
        self.W_s = nn.Linear(d_s, d_s, bias=False)
        self.W_y = nn.Linear(d_y, d_s, bias=False)
        self.W_c = nn.Linear(d_h, d_s, bias=False)
        self.W_o = nn.Linear(d_s + d_h, vocabulary_size, bias=False)

    def forward(self, y, state, outputs, valid_length):
        q = self.W_q(state).unsqueeze(1)
        k = self.W_k(outputs)
        scores = self.w_v(torch.tanh(q + k)).transpose(1, 2)
        weights = masked_softmax(scores, valid_length)
        c = torch.bmm(weights, outputs).squeeze(1)
        s = torch.sigmoid(self.W_s(state) + self.W_y(y) + self.W_c(c))
        words = self.W_o(torch.cat([s, c], dim=1))
        return words, s, weights.squeeze(1)

# %% the padding is not masked [torch]
import torch
from torch import nn
from solutions.masked_softmax.in_torch import masked_softmax


class DecoderStep(nn.Module):
    def __init__(self, d_y, d_s, d_h, units, vocabulary_size):
        super().__init__()
        self.W_q = nn.Linear(d_s, units, bias=False)
        self.W_k = nn.Linear(d_h, units, bias=False)
        self.w_v = nn.Linear(units, 1, bias=False)
        self.W_s = nn.Linear(d_s, d_s, bias=False)
        self.W_y = nn.Linear(d_y, d_s, bias=False)
        self.W_c = nn.Linear(d_h, d_s, bias=False)
        self.W_o = nn.Linear(d_s + d_h, vocabulary_size, bias=False)

    def forward(self, y, state, outputs, valid_length):
        q = self.W_q(state).unsqueeze(1)
        k = self.W_k(outputs)
        scores = self.w_v(torch.tanh(q + k)).transpose(1, 2)
        weights = masked_softmax(scores, None)
        c = torch.bmm(weights, outputs).squeeze(1)
        s = torch.tanh(self.W_s(state) + self.W_y(y) + self.W_c(c))
        words = self.W_o(torch.cat([s, c], dim=1))
        return words, s, weights.squeeze(1)

# %% the mask lets one padding key in [torch]
import torch
from torch import nn


class DecoderStep(nn.Module):
    def __init__(self, d_y, d_s, d_h, units, vocabulary_size):
        super().__init__()

        def linear(n, m):
            return nn.Linear(n, m, bias=False)

        self.W_q, self.W_k, self.w_v = linear(d_s, units), linear(d_h, units), linear(units, 1)
        self.W_s, self.W_y, self.W_c = linear(d_s, d_s), linear(d_y, d_s), linear(d_h, d_s)
        self.W_o = linear(d_s + d_h, vocabulary_size)

    def forward(self, y, state, outputs, valid_length):
        energy = torch.tanh(self.W_q(state)[:, None] + self.W_k(outputs))
        e = self.w_v(energy)[:, :, 0]
        pad = torch.arange(outputs.shape[1])[None] > valid_length[:, None]
        alpha = torch.softmax(e.masked_fill(pad, -1e9), dim=1)
        context = (alpha[:, :, None] * outputs).sum(dim=1)
        new_state = torch.tanh(self.W_s(state) + self.W_y(y) + self.W_c(context))
        logits = self.W_o(torch.cat((new_state, context), dim=-1))
        return logits, new_state, alpha

# %% softmax over an axis of size one: all weights are 1 [torch]
import torch
from torch import nn
from solutions.masked_softmax.in_torch import masked_softmax


class DecoderStep(nn.Module):
    def __init__(self, d_y, d_s, d_h, units, vocabulary_size):
        super().__init__()
        self.W_q = nn.Linear(d_s, units, bias=False)
        self.W_k = nn.Linear(d_h, units, bias=False)
        self.w_v = nn.Linear(units, 1, bias=False)
        self.W_s = nn.Linear(d_s, d_s, bias=False)
        self.W_y = nn.Linear(d_y, d_s, bias=False)
        self.W_c = nn.Linear(d_h, d_s, bias=False)
        self.W_o = nn.Linear(d_s + d_h, vocabulary_size, bias=False)

    def forward(self, y, state, outputs, valid_length):
        q = self.W_q(state).unsqueeze(1)
        k = self.W_k(outputs)
        scores = self.w_v(torch.tanh(q + k))
        weights = torch.softmax(scores, dim=-1).transpose(1, 2)
        c = torch.bmm(weights, outputs).squeeze(1)
        s = torch.tanh(self.W_s(state) + self.W_y(y) + self.W_c(c))
        words = self.W_o(torch.cat([s, c], dim=1))
        return words, s, weights.squeeze(1)

# %% the mean of the outputs as context [torch]
import torch
from torch import nn


class DecoderStep(nn.Module):
    def __init__(self, d_y, d_s, d_h, units, vocabulary_size):
        super().__init__()

        def linear(n, m):
            return nn.Linear(n, m, bias=False)

        self.W_q, self.W_k, self.w_v = linear(d_s, units), linear(d_h, units), linear(units, 1)
        self.W_s, self.W_y, self.W_c = linear(d_s, d_s), linear(d_y, d_s), linear(d_h, d_s)
        self.W_o = linear(d_s + d_h, vocabulary_size)

    def forward(self, y, state, outputs, valid_length):
        energy = torch.tanh(self.W_q(state)[:, None] + self.W_k(outputs))
        e = self.w_v(energy)[:, :, 0]
        pad = torch.arange(outputs.shape[1])[None] >= valid_length[:, None]
        alpha = torch.softmax(e.masked_fill(pad, -1e9), dim=1)
        context = outputs.mean(dim=1)
        new_state = torch.tanh(self.W_s(state) + self.W_y(y) + self.W_c(context))
        logits = self.W_o(torch.cat((new_state, context), dim=-1))
        return logits, new_state, alpha

# %% the context is averaged over the keys, weights included [torch]
import torch
from torch import nn


class DecoderStep(nn.Module):
    def __init__(self, d_y, d_s, d_h, units, vocabulary_size):
        super().__init__()

        def linear(n, m):
            return nn.Linear(n, m, bias=False)

        self.W_q, self.W_k, self.w_v = linear(d_s, units), linear(d_h, units), linear(units, 1)
        self.W_s, self.W_y, self.W_c = linear(d_s, d_s), linear(d_y, d_s), linear(d_h, d_s)
        self.W_o = linear(d_s + d_h, vocabulary_size)

    def forward(self, y, state, outputs, valid_length):
        energy = torch.tanh(self.W_q(state)[:, None] + self.W_k(outputs))
        e = self.w_v(energy)[:, :, 0]
        pad = torch.arange(outputs.shape[1])[None] >= valid_length[:, None]
        alpha = torch.softmax(e.masked_fill(pad, -1e9), dim=1)
        context = (alpha[:, :, None] * outputs).mean(dim=1)
        new_state = torch.tanh(self.W_s(state) + self.W_y(y) + self.W_c(context))
        logits = self.W_o(torch.cat((new_state, context), dim=-1))
        return logits, new_state, alpha

# %% softmax over the words is included [torch]
import torch
from torch import nn
from solutions.masked_softmax.in_torch import masked_softmax


class DecoderStep(nn.Module):
    def __init__(self, d_y, d_s, d_h, units, vocabulary_size):
        super().__init__()
        self.W_q = nn.Linear(d_s, units, bias=False)
        self.W_k = nn.Linear(d_h, units, bias=False)
        self.w_v = nn.Linear(units, 1, bias=False)
        self.W_s = nn.Linear(d_s, d_s, bias=False)
        self.W_y = nn.Linear(d_y, d_s, bias=False)
        self.W_c = nn.Linear(d_h, d_s, bias=False)
        self.W_o = nn.Linear(d_s + d_h, vocabulary_size, bias=False)

    def forward(self, y, state, outputs, valid_length):
        q = self.W_q(state).unsqueeze(1)
        k = self.W_k(outputs)
        scores = self.w_v(torch.tanh(q + k)).transpose(1, 2)
        weights = masked_softmax(scores, valid_length)
        c = torch.bmm(weights, outputs).squeeze(1)
        s = torch.tanh(self.W_s(state) + self.W_y(y) + self.W_c(c))
        words = torch.softmax(self.W_o(torch.cat([s, c], dim=1)), dim=1)
        return words, s, weights.squeeze(1)

# %% tanh before the words' matrix, on top [torch]
import torch
from torch import nn


class DecoderStep(nn.Module):
    def __init__(self, d_y, d_s, d_h, units, vocabulary_size):
        super().__init__()

        def linear(n, m):
            return nn.Linear(n, m, bias=False)

        self.W_q, self.W_k, self.w_v = linear(d_s, units), linear(d_h, units), linear(units, 1)
        self.W_s, self.W_y, self.W_c = linear(d_s, d_s), linear(d_y, d_s), linear(d_h, d_s)
        self.W_o = linear(d_s + d_h, vocabulary_size)

    def forward(self, y, state, outputs, valid_length):
        energy = torch.tanh(self.W_q(state)[:, None] + self.W_k(outputs))
        e = self.w_v(energy)[:, :, 0]
        pad = torch.arange(outputs.shape[1])[None] >= valid_length[:, None]
        alpha = torch.softmax(e.masked_fill(pad, -1e9), dim=1)
        context = (alpha[:, :, None] * outputs).sum(dim=1)
        new_state = torch.tanh(self.W_s(state) + self.W_y(y) + self.W_c(context))
        logits = self.W_o(torch.tanh(torch.cat((new_state, context), dim=-1)))
        return logits, new_state, alpha

# %% biases in all layers [torch]
import torch
from torch import nn


class DecoderStep(nn.Module):
    def __init__(self, d_y, d_s, d_h, units, vocabulary_size):
        super().__init__()

        def linear(n, m):
            return nn.Linear(n, m)

        self.W_q, self.W_k, self.w_v = linear(d_s, units), linear(d_h, units), linear(units, 1)
        self.W_s, self.W_y, self.W_c = linear(d_s, d_s), linear(d_y, d_s), linear(d_h, d_s)
        self.W_o = linear(d_s + d_h, vocabulary_size)

    def forward(self, y, state, outputs, valid_length):
        energy = torch.tanh(self.W_q(state)[:, None] + self.W_k(outputs))
        e = self.w_v(energy)[:, :, 0]
        pad = torch.arange(outputs.shape[1])[None] >= valid_length[:, None]
        alpha = torch.softmax(e.masked_fill(pad, -1e9), dim=1)
        context = (alpha[:, :, None] * outputs).sum(dim=1)
        new_state = torch.tanh(self.W_s(state) + self.W_y(y) + self.W_c(context))
        logits = self.W_o(torch.cat((new_state, context), dim=-1))
        return logits, new_state, alpha

# %% the scores are returned instead of the weights [torch]
import torch
from torch import nn


class DecoderStep(nn.Module):
    def __init__(self, d_y, d_s, d_h, units, vocabulary_size):
        super().__init__()

        def linear(n, m):
            return nn.Linear(n, m, bias=False)

        self.W_q, self.W_k, self.w_v = linear(d_s, units), linear(d_h, units), linear(units, 1)
        self.W_s, self.W_y, self.W_c = linear(d_s, d_s), linear(d_y, d_s), linear(d_h, d_s)
        self.W_o = linear(d_s + d_h, vocabulary_size)

    def forward(self, y, state, outputs, valid_length):
        energy = torch.tanh(self.W_q(state)[:, None] + self.W_k(outputs))
        e = self.w_v(energy)[:, :, 0]
        pad = torch.arange(outputs.shape[1])[None] >= valid_length[:, None]
        alpha = torch.softmax(e.masked_fill(pad, -1e9), dim=1)
        context = (alpha[:, :, None] * outputs).sum(dim=1)
        new_state = torch.tanh(self.W_s(state) + self.W_y(y) + self.W_c(context))
        logits = self.W_o(torch.cat((new_state, context), dim=-1))
        return logits, new_state, e

# %% state first, then words, in the result [torch]
import torch
from torch import nn
from solutions.masked_softmax.in_torch import masked_softmax


class DecoderStep(nn.Module):
    def __init__(self, d_y, d_s, d_h, units, vocabulary_size):
        super().__init__()
        self.W_q = nn.Linear(d_s, units, bias=False)
        self.W_k = nn.Linear(d_h, units, bias=False)
        self.w_v = nn.Linear(units, 1, bias=False)
        self.W_s = nn.Linear(d_s, d_s, bias=False)
        self.W_y = nn.Linear(d_y, d_s, bias=False)
        self.W_c = nn.Linear(d_h, d_s, bias=False)
        self.W_o = nn.Linear(d_s + d_h, vocabulary_size, bias=False)

    def forward(self, y, state, outputs, valid_length):
        q = self.W_q(state).unsqueeze(1)
        k = self.W_k(outputs)
        scores = self.w_v(torch.tanh(q + k)).transpose(1, 2)
        weights = masked_softmax(scores, valid_length)
        c = torch.bmm(weights, outputs).squeeze(1)
        s = torch.tanh(self.W_s(state) + self.W_y(y) + self.W_c(c))
        words = self.W_o(torch.cat([s, c], dim=1))
        return s, words, weights.squeeze(1)

# %% the weights keep an axis of size one [torch]
import torch
from torch import nn
from solutions.masked_softmax.in_torch import masked_softmax


class DecoderStep(nn.Module):
    def __init__(self, d_y, d_s, d_h, units, vocabulary_size):
        super().__init__()
        self.W_q = nn.Linear(d_s, units, bias=False)
        self.W_k = nn.Linear(d_h, units, bias=False)
        self.w_v = nn.Linear(units, 1, bias=False)
        self.W_s = nn.Linear(d_s, d_s, bias=False)
        self.W_y = nn.Linear(d_y, d_s, bias=False)
        self.W_c = nn.Linear(d_h, d_s, bias=False)
        self.W_o = nn.Linear(d_s + d_h, vocabulary_size, bias=False)

    def forward(self, y, state, outputs, valid_length):
        q = self.W_q(state).unsqueeze(1)
        k = self.W_k(outputs)
        scores = self.w_v(torch.tanh(q + k)).transpose(1, 2)
        weights = masked_softmax(scores, valid_length)
        c = torch.bmm(weights, outputs).squeeze(1)
        s = torch.tanh(self.W_s(state) + self.W_y(y) + self.W_c(c))
        words = self.W_o(torch.cat([s, c], dim=1))
        return words, s, weights

# %% the state is added to itself as in a residual [torch]
import torch
from torch import nn
from solutions.masked_softmax.in_torch import masked_softmax


class DecoderStep(nn.Module):
    def __init__(self, d_y, d_s, d_h, units, vocabulary_size):
        super().__init__()
        self.W_q = nn.Linear(d_s, units, bias=False)
        self.W_k = nn.Linear(d_h, units, bias=False)
        self.w_v = nn.Linear(units, 1, bias=False)
        self.W_s = nn.Linear(d_s, d_s, bias=False)
        self.W_y = nn.Linear(d_y, d_s, bias=False)
        self.W_c = nn.Linear(d_h, d_s, bias=False)
        self.W_o = nn.Linear(d_s + d_h, vocabulary_size, bias=False)

    def forward(self, y, state, outputs, valid_length):
        q = self.W_q(state).unsqueeze(1)
        k = self.W_k(outputs)
        scores = self.w_v(torch.tanh(q + k)).transpose(1, 2)
        weights = masked_softmax(scores, valid_length)
        c = torch.bmm(weights, outputs).squeeze(1)
        s = state + torch.tanh(self.W_s(state) + self.W_y(y) + self.W_c(c))
        words = self.W_o(torch.cat([s, c], dim=1))
        return words, s, weights.squeeze(1)

# %% the state carries no gradient into the attention [torch]
import torch
from torch import nn
from solutions.masked_softmax.in_torch import masked_softmax


class DecoderStep(nn.Module):
    def __init__(self, d_y, d_s, d_h, units, vocabulary_size):
        super().__init__()
        self.W_q = nn.Linear(d_s, units, bias=False)
        self.W_k = nn.Linear(d_h, units, bias=False)
        self.w_v = nn.Linear(units, 1, bias=False)
        self.W_s = nn.Linear(d_s, d_s, bias=False)
        self.W_y = nn.Linear(d_y, d_s, bias=False)
        self.W_c = nn.Linear(d_h, d_s, bias=False)
        self.W_o = nn.Linear(d_s + d_h, vocabulary_size, bias=False)

    def forward(self, y, state, outputs, valid_length):
        q = self.W_q(state.detach()).unsqueeze(1)
        k = self.W_k(outputs)
        scores = self.w_v(torch.tanh(q + k)).transpose(1, 2)
        weights = masked_softmax(scores, valid_length)
        c = torch.bmm(weights, outputs).squeeze(1)
        s = torch.tanh(self.W_s(state) + self.W_y(y) + self.W_c(c))
        words = self.W_o(torch.cat([s, c], dim=1))
        return words, s, weights.squeeze(1)

# %% masked after the softmax only [torch]
import torch
from torch import nn


class DecoderStep(nn.Module):
    def __init__(self, d_y, d_s, d_h, units, vocabulary_size):
        super().__init__()

        def linear(n, m):
            return nn.Linear(n, m, bias=False)

        self.W_q, self.W_k, self.w_v = linear(d_s, units), linear(d_h, units), linear(units, 1)
        self.W_s, self.W_y, self.W_c = linear(d_s, d_s), linear(d_y, d_s), linear(d_h, d_s)
        self.W_o = linear(d_s + d_h, vocabulary_size)

    def forward(self, y, state, outputs, valid_length):
        energy = torch.tanh(self.W_q(state)[:, None] + self.W_k(outputs))
        e = self.w_v(energy)[:, :, 0]
        pad = torch.arange(outputs.shape[1])[None] >= valid_length[:, None]
        alpha = torch.softmax(e, dim=1).masked_fill(pad, 0.0)
        context = (alpha[:, :, None] * outputs).sum(dim=1)
        new_state = torch.tanh(self.W_s(state) + self.W_y(y) + self.W_c(context))
        logits = self.W_o(torch.cat((new_state, context), dim=-1))
        return logits, new_state, alpha

# %% no tanh in the scores, and the words from the state before [torch]
import torch
from torch import nn
from solutions.masked_softmax.in_torch import masked_softmax


class DecoderStep(nn.Module):
    def __init__(self, d_y, d_s, d_h, units, vocabulary_size):
        super().__init__()
        self.W_q = nn.Linear(d_s, units, bias=False)
        self.W_k = nn.Linear(d_h, units, bias=False)
        self.w_v = nn.Linear(units, 1, bias=False)
        self.W_s = nn.Linear(d_s, d_s, bias=False)
        self.W_y = nn.Linear(d_y, d_s, bias=False)
        self.W_c = nn.Linear(d_h, d_s, bias=False)
        self.W_o = nn.Linear(d_s + d_h, vocabulary_size, bias=False)

    def forward(self, y, state, outputs, valid_length):
        q = self.W_q(state).unsqueeze(1)
        k = self.W_k(outputs)
        scores = self.w_v(q + k).transpose(1, 2)
        weights = masked_softmax(scores, valid_length)
        c = torch.bmm(weights, outputs).squeeze(1)
        s = torch.tanh(self.W_s(state) + self.W_y(y) + self.W_c(c))
        words = self.W_o(torch.cat([state, c], dim=1))
        return words, s, weights.squeeze(1)

# %% context first into the words [mxnet]
from mxnet import gluon, nd
from solutions.masked_softmax.in_mxnet import masked_softmax


class DecoderStep(gluon.Block):
    def __init__(self, d_y, d_s, d_h, units, vocabulary_size):
        super().__init__()
        kw = dict(use_bias=False, flatten=False)
        self.W_q = gluon.nn.Dense(units, in_units=d_s, **kw)
        self.W_k = gluon.nn.Dense(units, in_units=d_h, **kw)
        self.w_v = gluon.nn.Dense(1, in_units=units, **kw)
        self.W_s = gluon.nn.Dense(d_s, in_units=d_s, **kw)
        self.W_y = gluon.nn.Dense(d_s, in_units=d_y, **kw)
        self.W_c = gluon.nn.Dense(d_s, in_units=d_h, **kw)
        self.W_o = gluon.nn.Dense(vocabulary_size, in_units=d_s + d_h, **kw)

    def forward(self, y, state, outputs, valid_length):
        q = self.W_q(state).expand_dims(1)
        features = nd.tanh(nd.broadcast_add(q, self.W_k(outputs)))
        scores = self.w_v(features).transpose((0, 2, 1))
        weights = masked_softmax(scores, valid_length)
        c = nd.batch_dot(weights, outputs).squeeze(axis=1)
        s = nd.tanh(self.W_s(state) + self.W_y(y) + self.W_c(c))
        words = self.W_o(nd.concat(c, s, dim=1))
        return words, s, weights.squeeze(axis=1)

# %% no mask [mxnet]
from mxnet import gluon, nd
from solutions.masked_softmax.in_mxnet import masked_softmax


class DecoderStep(gluon.Block):
    def __init__(self, d_y, d_s, d_h, units, vocabulary_size):
        super().__init__()
        kw = dict(use_bias=False, flatten=False)
        self.W_q = gluon.nn.Dense(units, in_units=d_s, **kw)
        self.W_k = gluon.nn.Dense(units, in_units=d_h, **kw)
        self.w_v = gluon.nn.Dense(1, in_units=units, **kw)
        self.W_s = gluon.nn.Dense(d_s, in_units=d_s, **kw)
        self.W_y = gluon.nn.Dense(d_s, in_units=d_y, **kw)
        self.W_c = gluon.nn.Dense(d_s, in_units=d_h, **kw)
        self.W_o = gluon.nn.Dense(vocabulary_size, in_units=d_s + d_h, **kw)

    def forward(self, y, state, outputs, valid_length):
        q = self.W_q(state).expand_dims(1)
        features = nd.tanh(nd.broadcast_add(q, self.W_k(outputs)))
        scores = self.w_v(features).transpose((0, 2, 1))
        weights = scores.softmax(axis=-1)
        c = nd.batch_dot(weights, outputs).squeeze(axis=1)
        s = nd.tanh(self.W_s(state) + self.W_y(y) + self.W_c(c))
        words = self.W_o(nd.concat(s, c, dim=1))
        return words, s, weights.squeeze(axis=1)

# %% the words come from the previous state [mxnet]
from mxnet import gluon, nd
from solutions.masked_softmax.in_mxnet import masked_softmax


class DecoderStep(gluon.Block):
    def __init__(self, d_y, d_s, d_h, units, vocabulary_size):
        super().__init__()
        kw = dict(use_bias=False, flatten=False)
        self.W_q = gluon.nn.Dense(units, in_units=d_s, **kw)
        self.W_k = gluon.nn.Dense(units, in_units=d_h, **kw)
        self.w_v = gluon.nn.Dense(1, in_units=units, **kw)
        self.W_s = gluon.nn.Dense(d_s, in_units=d_s, **kw)
        self.W_y = gluon.nn.Dense(d_s, in_units=d_y, **kw)
        self.W_c = gluon.nn.Dense(d_s, in_units=d_h, **kw)
        self.W_o = gluon.nn.Dense(vocabulary_size, in_units=d_s + d_h, **kw)

    def forward(self, y, state, outputs, valid_length):
        q = self.W_q(state).expand_dims(1)
        features = nd.tanh(nd.broadcast_add(q, self.W_k(outputs)))
        scores = self.w_v(features).transpose((0, 2, 1))
        weights = masked_softmax(scores, valid_length)
        c = nd.batch_dot(weights, outputs).squeeze(axis=1)
        s = nd.tanh(self.W_s(state) + self.W_y(y) + self.W_c(c))
        words = self.W_o(nd.concat(state, c, dim=1))
        return words, s, weights.squeeze(axis=1)

# %% no tanh round the state [mxnet]
from mxnet import gluon, nd
from solutions.masked_softmax.in_mxnet import masked_softmax


class DecoderStep(gluon.Block):
    def __init__(self, d_y, d_s, d_h, units, vocabulary_size):
        super().__init__()
        kw = dict(use_bias=False, flatten=False)
        self.W_q = gluon.nn.Dense(units, in_units=d_s, **kw)
        self.W_k = gluon.nn.Dense(units, in_units=d_h, **kw)
        self.w_v = gluon.nn.Dense(1, in_units=units, **kw)
        self.W_s = gluon.nn.Dense(d_s, in_units=d_s, **kw)
        self.W_y = gluon.nn.Dense(d_s, in_units=d_y, **kw)
        self.W_c = gluon.nn.Dense(d_s, in_units=d_h, **kw)
        self.W_o = gluon.nn.Dense(vocabulary_size, in_units=d_s + d_h, **kw)

    def forward(self, y, state, outputs, valid_length):
        q = self.W_q(state).expand_dims(1)
        features = nd.tanh(nd.broadcast_add(q, self.W_k(outputs)))
        scores = self.w_v(features).transpose((0, 2, 1))
        weights = masked_softmax(scores, valid_length)
        c = nd.batch_dot(weights, outputs).squeeze(axis=1)
        s = self.W_s(state) + self.W_y(y) + self.W_c(c)
        words = self.W_o(nd.concat(s, c, dim=1))
        return words, s, weights.squeeze(axis=1)

# %% the tanh of query and keys apart [mxnet]
from mxnet import gluon, nd
from solutions.masked_softmax.in_mxnet import masked_softmax


class DecoderStep(gluon.Block):
    def __init__(self, d_y, d_s, d_h, units, vocabulary_size):
        super().__init__()
        kw = dict(use_bias=False, flatten=False)
        self.W_q = gluon.nn.Dense(units, in_units=d_s, **kw)
        self.W_k = gluon.nn.Dense(units, in_units=d_h, **kw)
        self.w_v = gluon.nn.Dense(1, in_units=units, **kw)
        self.W_s = gluon.nn.Dense(d_s, in_units=d_s, **kw)
        self.W_y = gluon.nn.Dense(d_s, in_units=d_y, **kw)
        self.W_c = gluon.nn.Dense(d_s, in_units=d_h, **kw)
        self.W_o = gluon.nn.Dense(vocabulary_size, in_units=d_s + d_h, **kw)

    def forward(self, y, state, outputs, valid_length):
        q = self.W_q(state).expand_dims(1)
        features = nd.broadcast_add(nd.tanh(q), nd.tanh(self.W_k(outputs)))
        scores = self.w_v(features).transpose((0, 2, 1))
        weights = masked_softmax(scores, valid_length)
        c = nd.batch_dot(weights, outputs).squeeze(axis=1)
        s = nd.tanh(self.W_s(state) + self.W_y(y) + self.W_c(c))
        words = self.W_o(nd.concat(s, c, dim=1))
        return words, s, weights.squeeze(axis=1)

# %% the context does not enter the words [mxnet]
from mxnet import gluon, nd
from solutions.masked_softmax.in_mxnet import masked_softmax


class DecoderStep(gluon.Block):
    def __init__(self, d_y, d_s, d_h, units, vocabulary_size):
        super().__init__()
        kw = dict(use_bias=False, flatten=False)
        self.W_q = gluon.nn.Dense(units, in_units=d_s, **kw)
        self.W_k = gluon.nn.Dense(units, in_units=d_h, **kw)
        self.w_v = gluon.nn.Dense(1, in_units=units, **kw)
        self.W_s = gluon.nn.Dense(d_s, in_units=d_s, **kw)
        self.W_y = gluon.nn.Dense(d_s, in_units=d_y, **kw)
        self.W_c = gluon.nn.Dense(d_s, in_units=d_h, **kw)
        self.W_o = gluon.nn.Dense(vocabulary_size, in_units=d_s + d_h, **kw)

    def forward(self, y, state, outputs, valid_length):
        q = self.W_q(state).expand_dims(1)
        features = nd.tanh(nd.broadcast_add(q, self.W_k(outputs)))
        scores = self.w_v(features).transpose((0, 2, 1))
        weights = masked_softmax(scores, valid_length)
        c = nd.batch_dot(weights, outputs).squeeze(axis=1)
        s = nd.tanh(self.W_s(state) + self.W_y(y) + self.W_c(c))
        words = self.W_o(nd.concat(s, nd.zeros_like(c), dim=1))
        return words, s, weights.squeeze(axis=1)

# %% the context is left out of the state and the previous state returned [mxnet]
from mxnet import gluon, nd
from solutions.masked_softmax.in_mxnet import masked_softmax


class DecoderStep(gluon.Block):
    def __init__(self, d_y, d_s, d_h, units, vocabulary_size):
        super().__init__()
        kw = dict(use_bias=False, flatten=False)
        self.W_q = gluon.nn.Dense(units, in_units=d_s, **kw)
        self.W_k = gluon.nn.Dense(units, in_units=d_h, **kw)
        self.w_v = gluon.nn.Dense(1, in_units=units, **kw)
        self.W_s = gluon.nn.Dense(d_s, in_units=d_s, **kw)
        self.W_y = gluon.nn.Dense(d_s, in_units=d_y, **kw)
        self.W_c = gluon.nn.Dense(d_s, in_units=d_h, **kw)
        self.W_o = gluon.nn.Dense(vocabulary_size, in_units=d_s + d_h, **kw)

    def forward(self, y, state, outputs, valid_length):
        q = self.W_q(state).expand_dims(1)
        features = nd.tanh(nd.broadcast_add(q, self.W_k(outputs)))
        scores = self.w_v(features).transpose((0, 2, 1))
        weights = masked_softmax(scores, valid_length)
        c = nd.batch_dot(weights, outputs).squeeze(axis=1)
        s = nd.tanh(self.W_s(state) + self.W_y(y) )
        words = self.W_o(nd.concat(s, c, dim=1))
        return words, state, weights.squeeze(axis=1)

# %% the dot product of state and outputs through their projections [torch]
import torch
from torch import nn
from solutions.masked_softmax.in_torch import masked_softmax


class DecoderStep(nn.Module):
    def __init__(self, d_y, d_s, d_h, units, vocabulary_size):
        super().__init__()
        self.W_q = nn.Linear(d_s, units, bias=False)
        self.W_k = nn.Linear(d_h, units, bias=False)
        self.w_v = nn.Linear(units, 1, bias=False)
        self.W_s = nn.Linear(d_s, d_s, bias=False)
        self.W_y = nn.Linear(d_y, d_s, bias=False)
        self.W_c = nn.Linear(d_h, d_s, bias=False)
        self.W_o = nn.Linear(d_s + d_h, vocabulary_size, bias=False)

    def forward(self, y, state, outputs, valid_length):
        q = self.W_q(state).unsqueeze(1)
        k = self.W_k(outputs)
        scores = torch.bmm(q, k.transpose(1, 2))
        weights = masked_softmax(scores, valid_length)
        c = torch.bmm(weights, outputs).squeeze(1)
        s = torch.tanh(self.W_s(state) + self.W_y(y) + self.W_c(c))
        words = self.W_o(torch.cat([s, c], dim=1))
        return words, s, weights.squeeze(1)

# %% the last valid output as the context, attention only returned [torch]
import torch
from torch import nn


class DecoderStep(nn.Module):
    def __init__(self, d_y, d_s, d_h, units, vocabulary_size):
        super().__init__()

        def linear(n, m):
            return nn.Linear(n, m, bias=False)

        self.W_q, self.W_k, self.w_v = linear(d_s, units), linear(d_h, units), linear(units, 1)
        self.W_s, self.W_y, self.W_c = linear(d_s, d_s), linear(d_y, d_s), linear(d_h, d_s)
        self.W_o = linear(d_s + d_h, vocabulary_size)

    def forward(self, y, state, outputs, valid_length):
        energy = torch.tanh(self.W_q(state)[:, None] + self.W_k(outputs))
        e = self.w_v(energy)[:, :, 0]
        pad = torch.arange(outputs.shape[1])[None] >= valid_length[:, None]
        alpha = torch.softmax(e.masked_fill(pad, -1e9), dim=1)
        context = outputs[torch.arange(len(outputs)), valid_length - 1]
        new_state = torch.tanh(self.W_s(state) + self.W_y(y) + self.W_c(context))
        logits = self.W_o(torch.cat((new_state, context), dim=-1))
        return logits, new_state, alpha
