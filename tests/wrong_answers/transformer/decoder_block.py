# %% no causal mask [torch]
import torch
from solutions.multi_head.in_torch import MultiHeadAttention


class DecoderBlock(torch.nn.Module):
    def __init__(self, num_hiddens, num_heads, ffn_hiddens):
        super().__init__()
        self.self_attention = MultiHeadAttention(num_hiddens, num_heads)
        self.norm1 = torch.nn.LayerNorm(num_hiddens)
        self.cross_attention = MultiHeadAttention(num_hiddens, num_heads)
        self.norm2 = torch.nn.LayerNorm(num_hiddens)
        self.ffn1 = torch.nn.Linear(num_hiddens, ffn_hiddens)
        self.ffn2 = torch.nn.Linear(ffn_hiddens, num_hiddens)
        self.norm3 = torch.nn.LayerNorm(num_hiddens)

    def forward(self, X, memory, source_length):
        b, t, _ = X.shape
        lengths = torch.arange(1, t + 1).expand(b, t)
        Y = self.norm1(X + self.self_attention(X, X, X, None))
        Z = self.norm2(Y + self.cross_attention(Y, memory, memory, source_length))
        return self.norm3(Z + self.ffn2(torch.relu(self.ffn1(Z))))

# %% each step sees one step ahead [torch]
import torch
from solutions.multi_head.in_torch import MultiHeadAttention


class DecoderBlock(torch.nn.Module):
    def __init__(self, num_hiddens, num_heads, ffn_hiddens):
        super().__init__()
        self.self_attention = MultiHeadAttention(num_hiddens, num_heads)
        self.norm1 = torch.nn.LayerNorm(num_hiddens)
        self.cross_attention = MultiHeadAttention(num_hiddens, num_heads)
        self.norm2 = torch.nn.LayerNorm(num_hiddens)
        self.ffn1 = torch.nn.Linear(num_hiddens, ffn_hiddens)
        self.ffn2 = torch.nn.Linear(ffn_hiddens, num_hiddens)
        self.norm3 = torch.nn.LayerNorm(num_hiddens)

    def forward(self, X, memory, source_length):
        b, t, _ = X.shape
        lengths = torch.arange(2, t + 2).expand(b, t)
        Y = self.norm1(X + self.self_attention(X, X, X, lengths))
        Z = self.norm2(Y + self.cross_attention(Y, memory, memory, source_length))
        return self.norm3(Z + self.ffn2(torch.relu(self.ffn1(Z))))

# %% lengths from zero [torch]
import torch
from solutions.multi_head.in_torch import MultiHeadAttention


class DecoderBlock(torch.nn.Module):
    def __init__(self, num_hiddens, num_heads, ffn_hiddens):
        super().__init__()
        self.self_attention = MultiHeadAttention(num_hiddens, num_heads)
        self.norm1 = torch.nn.LayerNorm(num_hiddens)
        self.cross_attention = MultiHeadAttention(num_hiddens, num_heads)
        self.norm2 = torch.nn.LayerNorm(num_hiddens)
        self.ffn1 = torch.nn.Linear(num_hiddens, ffn_hiddens)
        self.ffn2 = torch.nn.Linear(ffn_hiddens, num_hiddens)
        self.norm3 = torch.nn.LayerNorm(num_hiddens)

    def forward(self, X, memory, source_length):
        b, t, _ = X.shape
        lengths = torch.arange(t).expand(b, t)
        Y = self.norm1(X + self.self_attention(X, X, X, lengths))
        Z = self.norm2(Y + self.cross_attention(Y, memory, memory, source_length))
        return self.norm3(Z + self.ffn2(torch.relu(self.ffn1(Z))))

# %% the source's length masks the self-attention too [torch]
import torch
from solutions.multi_head.in_torch import MultiHeadAttention


class DecoderBlock(torch.nn.Module):
    def __init__(self, num_hiddens, num_heads, ffn_hiddens):
        super().__init__()
        self.self_attention = MultiHeadAttention(num_hiddens, num_heads)
        self.norm1 = torch.nn.LayerNorm(num_hiddens)
        self.cross_attention = MultiHeadAttention(num_hiddens, num_heads)
        self.norm2 = torch.nn.LayerNorm(num_hiddens)
        self.ffn1 = torch.nn.Linear(num_hiddens, ffn_hiddens)
        self.ffn2 = torch.nn.Linear(ffn_hiddens, num_hiddens)
        self.norm3 = torch.nn.LayerNorm(num_hiddens)

    def forward(self, X, memory, source_length):
        b, t, _ = X.shape
        lengths = torch.arange(1, t + 1).expand(b, t)
        Y = self.norm1(X + self.self_attention(X, X, X, source_length))
        Z = self.norm2(Y + self.cross_attention(Y, memory, memory, source_length))
        return self.norm3(Z + self.ffn2(torch.relu(self.ffn1(Z))))

# %% the source's padding is not masked [torch]
import torch
from solutions.multi_head.in_torch import MultiHeadAttention


class DecoderBlock(torch.nn.Module):
    def __init__(self, num_hiddens, num_heads, ffn_hiddens):
        super().__init__()
        self.self_attention = MultiHeadAttention(num_hiddens, num_heads)
        self.norm1 = torch.nn.LayerNorm(num_hiddens)
        self.cross_attention = MultiHeadAttention(num_hiddens, num_heads)
        self.norm2 = torch.nn.LayerNorm(num_hiddens)
        self.ffn1 = torch.nn.Linear(num_hiddens, ffn_hiddens)
        self.ffn2 = torch.nn.Linear(ffn_hiddens, num_hiddens)
        self.norm3 = torch.nn.LayerNorm(num_hiddens)

    def forward(self, X, memory, source_length):
        b, t, _ = X.shape
        lengths = torch.arange(1, t + 1).expand(b, t)
        Y = self.norm1(X + self.self_attention(X, X, X, lengths))
        Z = self.norm2(Y + self.cross_attention(Y, memory, memory, None))
        return self.norm3(Z + self.ffn2(torch.relu(self.ffn1(Z))))

# %% the memory asks and the target answers [torch]
import torch
from solutions.multi_head.in_torch import MultiHeadAttention


class DecoderBlock(torch.nn.Module):
    def __init__(self, num_hiddens, num_heads, ffn_hiddens):
        super().__init__()
        self.self_attention = MultiHeadAttention(num_hiddens, num_heads)
        self.norm1 = torch.nn.LayerNorm(num_hiddens)
        self.cross_attention = MultiHeadAttention(num_hiddens, num_heads)
        self.norm2 = torch.nn.LayerNorm(num_hiddens)
        self.ffn1 = torch.nn.Linear(num_hiddens, ffn_hiddens)
        self.ffn2 = torch.nn.Linear(ffn_hiddens, num_hiddens)
        self.norm3 = torch.nn.LayerNorm(num_hiddens)

    def forward(self, X, memory, source_length):
        b, t, _ = X.shape
        lengths = torch.arange(1, t + 1).expand(b, t)
        Y = self.norm1(X + self.self_attention(X, X, X, lengths))
        Z = self.norm2(Y + self.cross_attention(memory, Y, Y, source_length))
        return self.norm3(Z + self.ffn2(torch.relu(self.ffn1(Z))))

# %% the values of the cross-attention come from the target [torch]
import torch
from solutions.multi_head.in_torch import MultiHeadAttention


class DecoderBlock(torch.nn.Module):
    def __init__(self, num_hiddens, num_heads, ffn_hiddens):
        super().__init__()
        self.self_attention = MultiHeadAttention(num_hiddens, num_heads)
        self.norm1 = torch.nn.LayerNorm(num_hiddens)
        self.cross_attention = MultiHeadAttention(num_hiddens, num_heads)
        self.norm2 = torch.nn.LayerNorm(num_hiddens)
        self.ffn1 = torch.nn.Linear(num_hiddens, ffn_hiddens)
        self.ffn2 = torch.nn.Linear(ffn_hiddens, num_hiddens)
        self.norm3 = torch.nn.LayerNorm(num_hiddens)

    def forward(self, X, memory, source_length):
        b, t, _ = X.shape
        lengths = torch.arange(1, t + 1).expand(b, t)
        Y = self.norm1(X + self.self_attention(X, X, X, lengths))
        Z = self.norm2(Y + self.cross_attention(Y, memory[:, : Y.shape[1]], Y[:, : memory.shape[1]], source_length))
        return self.norm3(Z + self.ffn2(torch.relu(self.ffn1(Z))))

# %% the cross-attention asks with the block's input [torch]
import torch
from solutions.multi_head.in_torch import MultiHeadAttention


class DecoderBlock(torch.nn.Module):
    def __init__(self, num_hiddens, num_heads, ffn_hiddens):
        super().__init__()
        self.self_attention = MultiHeadAttention(num_hiddens, num_heads)
        self.norm1 = torch.nn.LayerNorm(num_hiddens)
        self.cross_attention = MultiHeadAttention(num_hiddens, num_heads)
        self.norm2 = torch.nn.LayerNorm(num_hiddens)
        self.ffn1 = torch.nn.Linear(num_hiddens, ffn_hiddens)
        self.ffn2 = torch.nn.Linear(ffn_hiddens, num_hiddens)
        self.norm3 = torch.nn.LayerNorm(num_hiddens)

    def forward(self, X, memory, source_length):
        b, t, _ = X.shape
        lengths = torch.arange(1, t + 1).expand(b, t)
        Y = self.norm1(X + self.self_attention(X, X, X, lengths))
        Z = self.norm2(Y + self.cross_attention(X, memory, memory, source_length))
        return self.norm3(Z + self.ffn2(torch.relu(self.ffn1(Z))))

# %% no residual round the cross-attention [torch]
import torch
from solutions.multi_head.in_torch import MultiHeadAttention


class DecoderBlock(torch.nn.Module):
    def __init__(self, num_hiddens, num_heads, ffn_hiddens):
        super().__init__()
        self.self_attention = MultiHeadAttention(num_hiddens, num_heads)
        self.norm1 = torch.nn.LayerNorm(num_hiddens)
        self.cross_attention = MultiHeadAttention(num_hiddens, num_heads)
        self.norm2 = torch.nn.LayerNorm(num_hiddens)
        self.ffn1 = torch.nn.Linear(num_hiddens, ffn_hiddens)
        self.ffn2 = torch.nn.Linear(ffn_hiddens, num_hiddens)
        self.norm3 = torch.nn.LayerNorm(num_hiddens)

    def forward(self, X, memory, source_length):
        b, t, _ = X.shape
        lengths = torch.arange(1, t + 1).expand(b, t)
        Y = self.norm1(X + self.self_attention(X, X, X, lengths))
        Z = self.norm2(self.cross_attention(Y, memory, memory, source_length))
        return self.norm3(Z + self.ffn2(torch.relu(self.ffn1(Z))))

# %% no residual round the self-attention [torch]
import torch
from solutions.multi_head.in_torch import MultiHeadAttention


class DecoderBlock(torch.nn.Module):
    def __init__(self, num_hiddens, num_heads, ffn_hiddens):
        super().__init__()
        self.self_attention = MultiHeadAttention(num_hiddens, num_heads)
        self.norm1 = torch.nn.LayerNorm(num_hiddens)
        self.cross_attention = MultiHeadAttention(num_hiddens, num_heads)
        self.norm2 = torch.nn.LayerNorm(num_hiddens)
        self.ffn1 = torch.nn.Linear(num_hiddens, ffn_hiddens)
        self.ffn2 = torch.nn.Linear(ffn_hiddens, num_hiddens)
        self.norm3 = torch.nn.LayerNorm(num_hiddens)

    def forward(self, X, memory, source_length):
        b, t, _ = X.shape
        lengths = torch.arange(1, t + 1).expand(b, t)
        Y = self.norm1(self.self_attention(X, X, X, lengths))
        Z = self.norm2(Y + self.cross_attention(Y, memory, memory, source_length))
        return self.norm3(Z + self.ffn2(torch.relu(self.ffn1(Z))))

# %% no residual round the feed-forward part [torch]
import torch
from solutions.multi_head.in_torch import MultiHeadAttention


class DecoderBlock(torch.nn.Module):
    def __init__(self, num_hiddens, num_heads, ffn_hiddens):
        super().__init__()
        self.self_attention = MultiHeadAttention(num_hiddens, num_heads)
        self.norm1 = torch.nn.LayerNorm(num_hiddens)
        self.cross_attention = MultiHeadAttention(num_hiddens, num_heads)
        self.norm2 = torch.nn.LayerNorm(num_hiddens)
        self.ffn1 = torch.nn.Linear(num_hiddens, ffn_hiddens)
        self.ffn2 = torch.nn.Linear(ffn_hiddens, num_hiddens)
        self.norm3 = torch.nn.LayerNorm(num_hiddens)

    def forward(self, X, memory, source_length):
        b, t, _ = X.shape
        lengths = torch.arange(1, t + 1).expand(b, t)
        Y = self.norm1(X + self.self_attention(X, X, X, lengths))
        Z = self.norm2(Y + self.cross_attention(Y, memory, memory, source_length))
        return self.norm3(self.ffn2(torch.relu(self.ffn1(Z))))

# %% pre-norm [torch]
import torch
from solutions.multi_head.in_torch import MultiHeadAttention


class DecoderBlock(torch.nn.Module):
    def __init__(self, num_hiddens, num_heads, ffn_hiddens):
        super().__init__()
        self.self_attention = MultiHeadAttention(num_hiddens, num_heads)
        self.norm1 = torch.nn.LayerNorm(num_hiddens)
        self.cross_attention = MultiHeadAttention(num_hiddens, num_heads)
        self.norm2 = torch.nn.LayerNorm(num_hiddens)
        self.ffn1 = torch.nn.Linear(num_hiddens, ffn_hiddens)
        self.ffn2 = torch.nn.Linear(ffn_hiddens, num_hiddens)
        self.norm3 = torch.nn.LayerNorm(num_hiddens)

    def forward(self, X, memory, source_length):
        b, t, _ = X.shape
        lengths = torch.arange(1, t + 1).expand(b, t)
        N = self.norm1(X)
        Y = X + self.self_attention(N, N, N, lengths)
        Z = Y + self.cross_attention(self.norm2(Y), memory, memory, source_length)
        return Z + self.ffn2(torch.relu(self.ffn1(self.norm3(Z))))

# %% no ReLU [torch]
import torch
from solutions.multi_head.in_torch import MultiHeadAttention


class DecoderBlock(torch.nn.Module):
    def __init__(self, num_hiddens, num_heads, ffn_hiddens):
        super().__init__()
        self.self_attention = MultiHeadAttention(num_hiddens, num_heads)
        self.norm1 = torch.nn.LayerNorm(num_hiddens)
        self.cross_attention = MultiHeadAttention(num_hiddens, num_heads)
        self.norm2 = torch.nn.LayerNorm(num_hiddens)
        self.ffn1 = torch.nn.Linear(num_hiddens, ffn_hiddens)
        self.ffn2 = torch.nn.Linear(ffn_hiddens, num_hiddens)
        self.norm3 = torch.nn.LayerNorm(num_hiddens)

    def forward(self, X, memory, source_length):
        b, t, _ = X.shape
        lengths = torch.arange(1, t + 1).expand(b, t)
        Y = self.norm1(X + self.self_attention(X, X, X, lengths))
        Z = self.norm2(Y + self.cross_attention(Y, memory, memory, source_length))
        return self.norm3(Z + self.ffn2(self.ffn1(Z)))

# %% tanh for ReLU [torch]
import torch
from solutions.multi_head.in_torch import MultiHeadAttention


class DecoderBlock(torch.nn.Module):
    def __init__(self, num_hiddens, num_heads, ffn_hiddens):
        super().__init__()
        self.self_attention = MultiHeadAttention(num_hiddens, num_heads)
        self.norm1 = torch.nn.LayerNorm(num_hiddens)
        self.cross_attention = MultiHeadAttention(num_hiddens, num_heads)
        self.norm2 = torch.nn.LayerNorm(num_hiddens)
        self.ffn1 = torch.nn.Linear(num_hiddens, ffn_hiddens)
        self.ffn2 = torch.nn.Linear(ffn_hiddens, num_hiddens)
        self.norm3 = torch.nn.LayerNorm(num_hiddens)

    def forward(self, X, memory, source_length):
        b, t, _ = X.shape
        lengths = torch.arange(1, t + 1).expand(b, t)
        Y = self.norm1(X + self.self_attention(X, X, X, lengths))
        Z = self.norm2(Y + self.cross_attention(Y, memory, memory, source_length))
        return self.norm3(Z + self.ffn2(torch.tanh(self.ffn1(Z))))

# %% the third sum adds Y [torch]
import torch
from solutions.multi_head.in_torch import MultiHeadAttention


class DecoderBlock(torch.nn.Module):
    def __init__(self, num_hiddens, num_heads, ffn_hiddens):
        super().__init__()
        self.self_attention = MultiHeadAttention(num_hiddens, num_heads)
        self.norm1 = torch.nn.LayerNorm(num_hiddens)
        self.cross_attention = MultiHeadAttention(num_hiddens, num_heads)
        self.norm2 = torch.nn.LayerNorm(num_hiddens)
        self.ffn1 = torch.nn.Linear(num_hiddens, ffn_hiddens)
        self.ffn2 = torch.nn.Linear(ffn_hiddens, num_hiddens)
        self.norm3 = torch.nn.LayerNorm(num_hiddens)

    def forward(self, X, memory, source_length):
        b, t, _ = X.shape
        lengths = torch.arange(1, t + 1).expand(b, t)
        Y = self.norm1(X + self.self_attention(X, X, X, lengths))
        Z = self.norm2(Y + self.cross_attention(Y, memory, memory, source_length))
        return self.norm3(Y + self.ffn2(torch.relu(self.ffn1(Z))))

# %% the second sum adds X [torch]
import torch
from solutions.multi_head.in_torch import MultiHeadAttention


class DecoderBlock(torch.nn.Module):
    def __init__(self, num_hiddens, num_heads, ffn_hiddens):
        super().__init__()
        self.self_attention = MultiHeadAttention(num_hiddens, num_heads)
        self.norm1 = torch.nn.LayerNorm(num_hiddens)
        self.cross_attention = MultiHeadAttention(num_hiddens, num_heads)
        self.norm2 = torch.nn.LayerNorm(num_hiddens)
        self.ffn1 = torch.nn.Linear(num_hiddens, ffn_hiddens)
        self.ffn2 = torch.nn.Linear(ffn_hiddens, num_hiddens)
        self.norm3 = torch.nn.LayerNorm(num_hiddens)

    def forward(self, X, memory, source_length):
        b, t, _ = X.shape
        lengths = torch.arange(1, t + 1).expand(b, t)
        Y = self.norm1(X + self.self_attention(X, X, X, lengths))
        Z = self.norm2(X + self.cross_attention(Y, memory, memory, source_length))
        return self.norm3(Z + self.ffn2(torch.relu(self.ffn1(Z))))

# %% the last norm is missing [torch]
import torch
from solutions.multi_head.in_torch import MultiHeadAttention


class DecoderBlock(torch.nn.Module):
    def __init__(self, num_hiddens, num_heads, ffn_hiddens):
        super().__init__()
        self.self_attention = MultiHeadAttention(num_hiddens, num_heads)
        self.norm1 = torch.nn.LayerNorm(num_hiddens)
        self.cross_attention = MultiHeadAttention(num_hiddens, num_heads)
        self.norm2 = torch.nn.LayerNorm(num_hiddens)
        self.ffn1 = torch.nn.Linear(num_hiddens, ffn_hiddens)
        self.ffn2 = torch.nn.Linear(ffn_hiddens, num_hiddens)
        self.norm3 = torch.nn.LayerNorm(num_hiddens)

    def forward(self, X, memory, source_length):
        b, t, _ = X.shape
        lengths = torch.arange(1, t + 1).expand(b, t)
        Y = self.norm1(X + self.self_attention(X, X, X, lengths))
        Z = self.norm2(Y + self.cross_attention(Y, memory, memory, source_length))
        return Z + self.ffn2(torch.relu(self.ffn1(Z)))

# %% cross-attention first, then self-attention [torch]
import torch
from solutions.multi_head.in_torch import MultiHeadAttention


class DecoderBlock(torch.nn.Module):
    def __init__(self, num_hiddens, num_heads, ffn_hiddens):
        super().__init__()
        self.self_attention = MultiHeadAttention(num_hiddens, num_heads)
        self.norm1 = torch.nn.LayerNorm(num_hiddens)
        self.cross_attention = MultiHeadAttention(num_hiddens, num_heads)
        self.norm2 = torch.nn.LayerNorm(num_hiddens)
        self.ffn1 = torch.nn.Linear(num_hiddens, ffn_hiddens)
        self.ffn2 = torch.nn.Linear(ffn_hiddens, num_hiddens)
        self.norm3 = torch.nn.LayerNorm(num_hiddens)

    def forward(self, X, memory, source_length):
        b, t, _ = X.shape
        lengths = torch.arange(1, t + 1).expand(b, t)
        Y = self.norm2(X + self.cross_attention(X, memory, memory, source_length))
        Z = self.norm1(Y + self.self_attention(Y, Y, Y, lengths))
        return self.norm3(Z + self.ffn2(torch.relu(self.ffn1(Z))))

# %% the cross-attention is left out [torch]
import torch
from solutions.multi_head.in_torch import MultiHeadAttention


class DecoderBlock(torch.nn.Module):
    def __init__(self, num_hiddens, num_heads, ffn_hiddens):
        super().__init__()
        self.self_attention = MultiHeadAttention(num_hiddens, num_heads)
        self.norm1 = torch.nn.LayerNorm(num_hiddens)
        self.cross_attention = MultiHeadAttention(num_hiddens, num_heads)
        self.norm2 = torch.nn.LayerNorm(num_hiddens)
        self.ffn1 = torch.nn.Linear(num_hiddens, ffn_hiddens)
        self.ffn2 = torch.nn.Linear(ffn_hiddens, num_hiddens)
        self.norm3 = torch.nn.LayerNorm(num_hiddens)

    def forward(self, X, memory, source_length):
        b, t, _ = X.shape
        lengths = torch.arange(1, t + 1).expand(b, t)
        Y = self.norm1(X + self.self_attention(X, X, X, lengths))
        Z = self.norm2(Y)
        return self.norm3(Z + self.ffn2(torch.relu(self.ffn1(Z))))

# %% the self-attention layer is used for the memory too [torch]
import torch
from solutions.multi_head.in_torch import MultiHeadAttention


class DecoderBlock(torch.nn.Module):
    def __init__(self, num_hiddens, num_heads, ffn_hiddens):
        super().__init__()
        self.self_attention = MultiHeadAttention(num_hiddens, num_heads)
        self.norm1 = torch.nn.LayerNorm(num_hiddens)
        self.cross_attention = MultiHeadAttention(num_hiddens, num_heads)
        self.norm2 = torch.nn.LayerNorm(num_hiddens)
        self.ffn1 = torch.nn.Linear(num_hiddens, ffn_hiddens)
        self.ffn2 = torch.nn.Linear(ffn_hiddens, num_hiddens)
        self.norm3 = torch.nn.LayerNorm(num_hiddens)

    def forward(self, X, memory, source_length):
        b, t, _ = X.shape
        lengths = torch.arange(1, t + 1).expand(b, t)
        Y = self.norm1(X + self.self_attention(X, X, X, lengths))
        Z = self.norm2(Y + self.self_attention(Y, memory, memory, source_length))
        return self.norm3(Z + self.ffn2(torch.relu(self.ffn1(Z))))

# %% queries are masked, the future is seen: lengths run backwards [torch]
import torch
from solutions.multi_head.in_torch import MultiHeadAttention


class DecoderBlock(torch.nn.Module):
    def __init__(self, num_hiddens, num_heads, ffn_hiddens):
        super().__init__()
        self.self_attention = MultiHeadAttention(num_hiddens, num_heads)
        self.norm1 = torch.nn.LayerNorm(num_hiddens)
        self.cross_attention = MultiHeadAttention(num_hiddens, num_heads)
        self.norm2 = torch.nn.LayerNorm(num_hiddens)
        self.ffn1 = torch.nn.Linear(num_hiddens, ffn_hiddens)
        self.ffn2 = torch.nn.Linear(ffn_hiddens, num_hiddens)
        self.norm3 = torch.nn.LayerNorm(num_hiddens)

    def forward(self, X, memory, source_length):
        b, t, _ = X.shape
        lengths = torch.arange(t, 0, -1).expand(b, t)
        Y = self.norm1(X + self.self_attention(X, X, X, lengths))
        Z = self.norm2(Y + self.cross_attention(Y, memory, memory, source_length))
        return self.norm3(Z + self.ffn2(torch.relu(self.ffn1(Z))))

# %% each part is normalised before it is added [torch]
import torch
from solutions.multi_head.in_torch import MultiHeadAttention


class DecoderBlock(torch.nn.Module):
    def __init__(self, num_hiddens, num_heads, ffn_hiddens):
        super().__init__()
        self.self_attention = MultiHeadAttention(num_hiddens, num_heads)
        self.norm1 = torch.nn.LayerNorm(num_hiddens)
        self.cross_attention = MultiHeadAttention(num_hiddens, num_heads)
        self.norm2 = torch.nn.LayerNorm(num_hiddens)
        self.ffn1 = torch.nn.Linear(num_hiddens, ffn_hiddens)
        self.ffn2 = torch.nn.Linear(ffn_hiddens, num_hiddens)
        self.norm3 = torch.nn.LayerNorm(num_hiddens)

    def forward(self, X, memory, source_length):
        b, t, _ = X.shape
        lengths = torch.arange(1, t + 1).expand(b, t)
        Y = X + self.norm1(self.self_attention(X, X, X, lengths))
        Z = Y + self.norm2(self.cross_attention(Y, memory, memory, source_length))
        return Z + self.norm3(self.ffn2(torch.relu(self.ffn1(Z))))

# %% the memory carries no gradient [torch]
import torch
from solutions.multi_head.in_torch import MultiHeadAttention


class DecoderBlock(torch.nn.Module):
    def __init__(self, num_hiddens, num_heads, ffn_hiddens):
        super().__init__()
        self.self_attention = MultiHeadAttention(num_hiddens, num_heads)
        self.norm1 = torch.nn.LayerNorm(num_hiddens)
        self.cross_attention = MultiHeadAttention(num_hiddens, num_heads)
        self.norm2 = torch.nn.LayerNorm(num_hiddens)
        self.ffn1 = torch.nn.Linear(num_hiddens, ffn_hiddens)
        self.ffn2 = torch.nn.Linear(ffn_hiddens, num_hiddens)
        self.norm3 = torch.nn.LayerNorm(num_hiddens)

    def forward(self, X, memory, source_length):
        b, t, _ = X.shape
        lengths = torch.arange(1, t + 1).expand(b, t)
        Y = self.norm1(X + self.self_attention(X, X, X, lengths))
        Z = self.norm2(Y + self.cross_attention(Y, memory.detach(), memory.detach(), source_length))
        return self.norm3(Z + self.ffn2(torch.relu(self.ffn1(Z))))

# %% no causal mask and no residual round the cross-attention [torch]
import torch
from solutions.multi_head.in_torch import MultiHeadAttention


class DecoderBlock(torch.nn.Module):
    def __init__(self, num_hiddens, num_heads, ffn_hiddens):
        super().__init__()
        self.self_attention = MultiHeadAttention(num_hiddens, num_heads)
        self.norm1 = torch.nn.LayerNorm(num_hiddens)
        self.cross_attention = MultiHeadAttention(num_hiddens, num_heads)
        self.norm2 = torch.nn.LayerNorm(num_hiddens)
        self.ffn1 = torch.nn.Linear(num_hiddens, ffn_hiddens)
        self.ffn2 = torch.nn.Linear(ffn_hiddens, num_hiddens)
        self.norm3 = torch.nn.LayerNorm(num_hiddens)

    def forward(self, X, memory, source_length):
        b, t, _ = X.shape
        lengths = torch.arange(1, t + 1).expand(b, t)
        Y = self.norm1(X + self.self_attention(X, X, X, None))
        Z = self.norm2(self.cross_attention(Y, memory, memory, source_length))
        return self.norm3(Z + self.ffn2(torch.relu(self.ffn1(Z))))

# %% no causal mask [mxnet]
from mxnet import gluon, nd
from solutions.multi_head.in_mxnet import MultiHeadAttention


class DecoderBlock(gluon.nn.Block):
    def __init__(self, num_hiddens, num_heads, ffn_hiddens):
        super().__init__()
        self.self_attention = MultiHeadAttention(num_hiddens, num_heads)
        self.norm1 = gluon.nn.LayerNorm()
        self.cross_attention = MultiHeadAttention(num_hiddens, num_heads)
        self.norm2 = gluon.nn.LayerNorm()
        self.ffn1 = gluon.nn.Dense(ffn_hiddens, flatten=False)
        self.ffn2 = gluon.nn.Dense(num_hiddens, flatten=False)
        self.norm3 = gluon.nn.LayerNorm()

    def forward(self, X, memory, source_length):
        b, t, _ = X.shape
        lengths = nd.tile(nd.arange(1, t + 1), (b, 1))
        Y = self.norm1(X + self.self_attention(X, X, X, None))
        Z = self.norm2(Y + self.cross_attention(Y, memory, memory, source_length))
        return self.norm3(Z + self.ffn2(nd.relu(self.ffn1(Z))))

# %% the source's padding is not masked [mxnet]
from mxnet import gluon, nd
from solutions.multi_head.in_mxnet import MultiHeadAttention


class DecoderBlock(gluon.nn.Block):
    def __init__(self, num_hiddens, num_heads, ffn_hiddens):
        super().__init__()
        self.self_attention = MultiHeadAttention(num_hiddens, num_heads)
        self.norm1 = gluon.nn.LayerNorm()
        self.cross_attention = MultiHeadAttention(num_hiddens, num_heads)
        self.norm2 = gluon.nn.LayerNorm()
        self.ffn1 = gluon.nn.Dense(ffn_hiddens, flatten=False)
        self.ffn2 = gluon.nn.Dense(num_hiddens, flatten=False)
        self.norm3 = gluon.nn.LayerNorm()

    def forward(self, X, memory, source_length):
        b, t, _ = X.shape
        lengths = nd.tile(nd.arange(1, t + 1), (b, 1))
        Y = self.norm1(X + self.self_attention(X, X, X, lengths))
        Z = self.norm2(Y + self.cross_attention(Y, memory, memory, None))
        return self.norm3(Z + self.ffn2(nd.relu(self.ffn1(Z))))

# %% lengths from zero [mxnet]
from mxnet import gluon, nd
from solutions.multi_head.in_mxnet import MultiHeadAttention


class DecoderBlock(gluon.nn.Block):
    def __init__(self, num_hiddens, num_heads, ffn_hiddens):
        super().__init__()
        self.self_attention = MultiHeadAttention(num_hiddens, num_heads)
        self.norm1 = gluon.nn.LayerNorm()
        self.cross_attention = MultiHeadAttention(num_hiddens, num_heads)
        self.norm2 = gluon.nn.LayerNorm()
        self.ffn1 = gluon.nn.Dense(ffn_hiddens, flatten=False)
        self.ffn2 = gluon.nn.Dense(num_hiddens, flatten=False)
        self.norm3 = gluon.nn.LayerNorm()

    def forward(self, X, memory, source_length):
        b, t, _ = X.shape
        lengths = nd.tile(nd.arange(t), (b, 1))
        Y = self.norm1(X + self.self_attention(X, X, X, lengths))
        Z = self.norm2(Y + self.cross_attention(Y, memory, memory, source_length))
        return self.norm3(Z + self.ffn2(nd.relu(self.ffn1(Z))))

# %% the cross-attention asks with X [mxnet]
from mxnet import gluon, nd
from solutions.multi_head.in_mxnet import MultiHeadAttention


class DecoderBlock(gluon.nn.Block):
    def __init__(self, num_hiddens, num_heads, ffn_hiddens):
        super().__init__()
        self.self_attention = MultiHeadAttention(num_hiddens, num_heads)
        self.norm1 = gluon.nn.LayerNorm()
        self.cross_attention = MultiHeadAttention(num_hiddens, num_heads)
        self.norm2 = gluon.nn.LayerNorm()
        self.ffn1 = gluon.nn.Dense(ffn_hiddens, flatten=False)
        self.ffn2 = gluon.nn.Dense(num_hiddens, flatten=False)
        self.norm3 = gluon.nn.LayerNorm()

    def forward(self, X, memory, source_length):
        b, t, _ = X.shape
        lengths = nd.tile(nd.arange(1, t + 1), (b, 1))
        Y = self.norm1(X + self.self_attention(X, X, X, lengths))
        Z = self.norm2(Y + self.cross_attention(X, memory, memory, source_length))
        return self.norm3(Z + self.ffn2(nd.relu(self.ffn1(Z))))

# %% first norm missing, and no ReLU [mxnet]
from mxnet import gluon, nd
from solutions.multi_head.in_mxnet import MultiHeadAttention


class DecoderBlock(gluon.nn.Block):
    def __init__(self, num_hiddens, num_heads, ffn_hiddens):
        super().__init__()
        self.self_attention = MultiHeadAttention(num_hiddens, num_heads)
        self.norm1 = gluon.nn.LayerNorm()
        self.cross_attention = MultiHeadAttention(num_hiddens, num_heads)
        self.norm2 = gluon.nn.LayerNorm()
        self.ffn1 = gluon.nn.Dense(ffn_hiddens, flatten=False)
        self.ffn2 = gluon.nn.Dense(num_hiddens, flatten=False)
        self.norm3 = gluon.nn.LayerNorm()

    def forward(self, X, memory, source_length):
        b, t, _ = X.shape
        lengths = nd.tile(nd.arange(1, t + 1), (b, 1))
        Y = X + self.self_attention(X, X, X, lengths)
        Z = self.norm2(Y + self.cross_attention(Y, memory, memory, source_length))
        return self.norm3(Z + self.ffn2(self.ffn1(Z)))

# %% the source length for the first attention, the causal one for the second [mxnet]
from mxnet import gluon, nd
from solutions.multi_head.in_mxnet import MultiHeadAttention


class DecoderBlock(gluon.nn.Block):
    def __init__(self, num_hiddens, num_heads, ffn_hiddens):
        super().__init__()
        self.self_attention = MultiHeadAttention(num_hiddens, num_heads)
        self.norm1 = gluon.nn.LayerNorm()
        self.cross_attention = MultiHeadAttention(num_hiddens, num_heads)
        self.norm2 = gluon.nn.LayerNorm()
        self.ffn1 = gluon.nn.Dense(ffn_hiddens, flatten=False)
        self.ffn2 = gluon.nn.Dense(num_hiddens, flatten=False)
        self.norm3 = gluon.nn.LayerNorm()

    def forward(self, X, memory, source_length):
        b, t, _ = X.shape
        lengths = nd.tile(nd.arange(1, t + 1), (b, 1))
        Y = self.norm1(X + self.self_attention(X, X, X, source_length))
        Z = self.norm2(Y + self.cross_attention(Y, memory, memory, lengths))
        return self.norm3(Z + self.ffn2(nd.relu(self.ffn1(Z))))

# %% the self-attention looks at the memory too [torch]
import torch
from solutions.multi_head.in_torch import MultiHeadAttention


class DecoderBlock(torch.nn.Module):
    def __init__(self, num_hiddens, num_heads, ffn_hiddens):
        super().__init__()
        self.self_attention = MultiHeadAttention(num_hiddens, num_heads)
        self.norm1 = torch.nn.LayerNorm(num_hiddens)
        self.cross_attention = MultiHeadAttention(num_hiddens, num_heads)
        self.norm2 = torch.nn.LayerNorm(num_hiddens)
        self.ffn1 = torch.nn.Linear(num_hiddens, ffn_hiddens)
        self.ffn2 = torch.nn.Linear(ffn_hiddens, num_hiddens)
        self.norm3 = torch.nn.LayerNorm(num_hiddens)

    def forward(self, X, memory, source_length):
        b, t, _ = X.shape
        lengths = torch.arange(1, t + 1).expand(b, t)
        Y = self.norm1(X + self.self_attention(X, memory, memory, source_length))
        Z = self.norm2(Y + self.cross_attention(Y, memory, memory, source_length))
        return self.norm3(Z + self.ffn2(torch.relu(self.ffn1(Z))))

# %% each step sees only itself [torch]
import torch
from solutions.multi_head.in_torch import MultiHeadAttention


class DecoderBlock(torch.nn.Module):
    def __init__(self, num_hiddens, num_heads, ffn_hiddens):
        super().__init__()
        self.self_attention = MultiHeadAttention(num_hiddens, num_heads)
        self.norm1 = torch.nn.LayerNorm(num_hiddens)
        self.cross_attention = MultiHeadAttention(num_hiddens, num_heads)
        self.norm2 = torch.nn.LayerNorm(num_hiddens)
        self.ffn1 = torch.nn.Linear(num_hiddens, ffn_hiddens)
        self.ffn2 = torch.nn.Linear(ffn_hiddens, num_hiddens)
        self.norm3 = torch.nn.LayerNorm(num_hiddens)

    def forward(self, X, memory, source_length):
        b, t, _ = X.shape
        lengths = torch.arange(1, t + 1).expand(b, t)
        parts = [self.self_attention(x, x, x, None) for x in X.split(1, dim=1)]
        Y = self.norm1(X + torch.cat(parts, dim=1))
        Z = self.norm2(Y + self.cross_attention(Y, memory, memory, source_length))
        return self.norm3(Z + self.ffn2(torch.relu(self.ffn1(Z))))
