# %% as it stands in the chapter: normalised before each part [torch]
import torch
from solutions.multi_head.in_torch import MultiHeadAttention


class EncoderBlock(torch.nn.Module):
    def __init__(self, num_hiddens, num_heads, ffn_hiddens):
        super().__init__()
        d, h, f = num_hiddens, num_heads, ffn_hiddens
        self.attention = MultiHeadAttention(d, h)
        self.norm1 = torch.nn.LayerNorm(d)
        self.ffn1 = torch.nn.Linear(d, f)
        self.ffn2 = torch.nn.Linear(f, d)
        self.norm2 = torch.nn.LayerNorm(d)

    def forward(self, X, valid_length):
        N = self.norm1(X)
        Y = X + self.attention(N, N, N, valid_length)
        return Y + self.ffn2(self.ffn1(self.norm2(Y)).relu())

# %% half of the mending: only the attention is post-norm [torch]
import torch
from solutions.multi_head.in_torch import MultiHeadAttention


class EncoderBlock(torch.nn.Module):
    def __init__(self, num_hiddens, num_heads, ffn_hiddens):
        super().__init__()
        d, h, f = num_hiddens, num_heads, ffn_hiddens
        self.attention = MultiHeadAttention(d, h)
        self.norm1 = torch.nn.LayerNorm(d)
        self.ffn1 = torch.nn.Linear(d, f)
        self.ffn2 = torch.nn.Linear(f, d)
        self.norm2 = torch.nn.LayerNorm(d)

    def forward(self, X, valid_length):
        Y = self.norm1(X + self.attention(X, X, X, valid_length))
        return Y + self.ffn2(self.ffn1(self.norm2(Y)).relu())

# %% half of the mending: only the feed-forward part is post-norm [torch]
import torch
from solutions.multi_head.in_torch import MultiHeadAttention


class EncoderBlock(torch.nn.Module):
    def __init__(self, num_hiddens, num_heads, ffn_hiddens):
        super().__init__()
        d, h, f = num_hiddens, num_heads, ffn_hiddens
        self.attention = MultiHeadAttention(d, h)
        self.norm1 = torch.nn.LayerNorm(d)
        self.ffn1 = torch.nn.Linear(d, f)
        self.ffn2 = torch.nn.Linear(f, d)
        self.norm2 = torch.nn.LayerNorm(d)

    def forward(self, X, valid_length):
        N = self.norm1(X)
        Y = X + self.attention(N, N, N, valid_length)
        return self.norm2(Y + self.ffn2(self.ffn1(Y).relu()))

# %% normalised before and after [torch]
import torch
from solutions.multi_head.in_torch import MultiHeadAttention


class EncoderBlock(torch.nn.Module):
    def __init__(self, num_hiddens, num_heads, ffn_hiddens):
        super().__init__()
        d, h, f = num_hiddens, num_heads, ffn_hiddens
        self.attention = MultiHeadAttention(d, h)
        self.norm1 = torch.nn.LayerNorm(d)
        self.ffn1 = torch.nn.Linear(d, f)
        self.ffn2 = torch.nn.Linear(f, d)
        self.norm2 = torch.nn.LayerNorm(d)

    def forward(self, X, valid_length):
        N = self.norm1(X)
        Y = self.norm1(X + self.attention(N, N, N, valid_length))
        return self.norm2(Y + self.ffn2(self.ffn1(Y).relu()))

# %% the sublayer is normalised, then added [torch]
import torch
from solutions.multi_head.in_torch import MultiHeadAttention


class EncoderBlock(torch.nn.Module):
    def __init__(self, num_hiddens, num_heads, ffn_hiddens):
        super().__init__()
        d, h, f = num_hiddens, num_heads, ffn_hiddens
        self.attention = MultiHeadAttention(d, h)
        self.norm1 = torch.nn.LayerNorm(d)
        self.ffn1 = torch.nn.Linear(d, f)
        self.ffn2 = torch.nn.Linear(f, d)
        self.norm2 = torch.nn.LayerNorm(d)

    def forward(self, X, valid_length):
        Y = X + self.norm1(self.attention(X, X, X, valid_length))
        return Y + self.norm2(self.ffn2(self.ffn1(Y).relu()))

# %% no residual round the attention [torch]
import torch
from solutions.multi_head.in_torch import MultiHeadAttention


class EncoderBlock(torch.nn.Module):
    def __init__(self, num_hiddens, num_heads, ffn_hiddens):
        super().__init__()
        d, h, f = num_hiddens, num_heads, ffn_hiddens
        self.attention = MultiHeadAttention(d, h)
        self.norm1 = torch.nn.LayerNorm(d)
        self.ffn1 = torch.nn.Linear(d, f)
        self.ffn2 = torch.nn.Linear(f, d)
        self.norm2 = torch.nn.LayerNorm(d)

    def forward(self, X, valid_length):
        Y = self.norm1(self.attention(X, X, X, valid_length))
        return self.norm2(Y + self.ffn2(self.ffn1(Y).relu()))

# %% no residual round the feed-forward part [torch]
import torch
from solutions.multi_head.in_torch import MultiHeadAttention


class EncoderBlock(torch.nn.Module):
    def __init__(self, num_hiddens, num_heads, ffn_hiddens):
        super().__init__()
        d, h, f = num_hiddens, num_heads, ffn_hiddens
        self.attention = MultiHeadAttention(d, h)
        self.norm1 = torch.nn.LayerNorm(d)
        self.ffn1 = torch.nn.Linear(d, f)
        self.ffn2 = torch.nn.Linear(f, d)
        self.norm2 = torch.nn.LayerNorm(d)

    def forward(self, X, valid_length):
        Y = self.norm1(X + self.attention(X, X, X, valid_length))
        return self.norm2(self.ffn2(self.ffn1(Y).relu()))

# %% no residual at all [torch]
import torch
from solutions.multi_head.in_torch import MultiHeadAttention


class EncoderBlock(torch.nn.Module):
    def __init__(self, num_hiddens, num_heads, ffn_hiddens):
        super().__init__()
        d, h, f = num_hiddens, num_heads, ffn_hiddens
        self.attention = MultiHeadAttention(d, h)
        self.norm1 = torch.nn.LayerNorm(d)
        self.ffn1 = torch.nn.Linear(d, f)
        self.ffn2 = torch.nn.Linear(f, d)
        self.norm2 = torch.nn.LayerNorm(d)

    def forward(self, X, valid_length):
        Y = self.norm1(self.attention(X, X, X, valid_length))
        return self.norm2(self.ffn2(self.ffn1(Y).relu()))

# %% the block's input is added at the second sum [torch]
import torch
from solutions.multi_head.in_torch import MultiHeadAttention


class EncoderBlock(torch.nn.Module):
    def __init__(self, num_hiddens, num_heads, ffn_hiddens):
        super().__init__()
        d, h, f = num_hiddens, num_heads, ffn_hiddens
        self.attention = MultiHeadAttention(d, h)
        self.norm1 = torch.nn.LayerNorm(d)
        self.ffn1 = torch.nn.Linear(d, f)
        self.ffn2 = torch.nn.Linear(f, d)
        self.norm2 = torch.nn.LayerNorm(d)

    def forward(self, X, valid_length):
        Y = self.norm1(X + self.attention(X, X, X, valid_length))
        return self.norm2(X + self.ffn2(self.ffn1(Y).relu()))

# %% the feed-forward part reads the block's input [torch]
import torch
from solutions.multi_head.in_torch import MultiHeadAttention


class EncoderBlock(torch.nn.Module):
    def __init__(self, num_hiddens, num_heads, ffn_hiddens):
        super().__init__()
        d, h, f = num_hiddens, num_heads, ffn_hiddens
        self.attention = MultiHeadAttention(d, h)
        self.norm1 = torch.nn.LayerNorm(d)
        self.ffn1 = torch.nn.Linear(d, f)
        self.ffn2 = torch.nn.Linear(f, d)
        self.norm2 = torch.nn.LayerNorm(d)

    def forward(self, X, valid_length):
        Y = self.norm1(X + self.attention(X, X, X, valid_length))
        return self.norm2(Y + self.ffn2(self.ffn1(X).relu()))

# %% no ReLU [torch]
import torch
from solutions.multi_head.in_torch import MultiHeadAttention


class EncoderBlock(torch.nn.Module):
    def __init__(self, num_hiddens, num_heads, ffn_hiddens):
        super().__init__()
        d, h, f = num_hiddens, num_heads, ffn_hiddens
        self.attention = MultiHeadAttention(d, h)
        self.norm1 = torch.nn.LayerNorm(d)
        self.ffn1 = torch.nn.Linear(d, f)
        self.ffn2 = torch.nn.Linear(f, d)
        self.norm2 = torch.nn.LayerNorm(d)

    def forward(self, X, valid_length):
        Y = self.norm1(X + self.attention(X, X, X, valid_length))
        return self.norm2(Y + self.ffn2(self.ffn1(Y)))

# %% ReLU after the second layer too [torch]
import torch
from solutions.multi_head.in_torch import MultiHeadAttention


class EncoderBlock(torch.nn.Module):
    def __init__(self, num_hiddens, num_heads, ffn_hiddens):
        super().__init__()
        d, h, f = num_hiddens, num_heads, ffn_hiddens
        self.attention = MultiHeadAttention(d, h)
        self.norm1 = torch.nn.LayerNorm(d)
        self.ffn1 = torch.nn.Linear(d, f)
        self.ffn2 = torch.nn.Linear(f, d)
        self.norm2 = torch.nn.LayerNorm(d)

    def forward(self, X, valid_length):
        Y = self.norm1(X + self.attention(X, X, X, valid_length))
        return self.norm2(Y + self.ffn2(self.ffn1(Y).relu()).relu())

# %% GELU for ReLU [torch]
import torch
from solutions.multi_head.in_torch import MultiHeadAttention


class EncoderBlock(torch.nn.Module):
    def __init__(self, num_hiddens, num_heads, ffn_hiddens):
        super().__init__()
        d, h, f = num_hiddens, num_heads, ffn_hiddens
        self.attention = MultiHeadAttention(d, h)
        self.norm1 = torch.nn.LayerNorm(d)
        self.ffn1 = torch.nn.Linear(d, f)
        self.ffn2 = torch.nn.Linear(f, d)
        self.norm2 = torch.nn.LayerNorm(d)

    def forward(self, X, valid_length):
        Y = self.norm1(X + self.attention(X, X, X, valid_length))
        return self.norm2(Y + self.ffn2(torch.nn.functional.gelu(self.ffn1(Y))))

# %% the valid length is not handed on [torch]
import torch
from solutions.multi_head.in_torch import MultiHeadAttention


class EncoderBlock(torch.nn.Module):
    def __init__(self, num_hiddens, num_heads, ffn_hiddens):
        super().__init__()
        d, h, f = num_hiddens, num_heads, ffn_hiddens
        self.attention = MultiHeadAttention(d, h)
        self.norm1 = torch.nn.LayerNorm(d)
        self.ffn1 = torch.nn.Linear(d, f)
        self.ffn2 = torch.nn.Linear(f, d)
        self.norm2 = torch.nn.LayerNorm(d)

    def forward(self, X, valid_length):
        Y = self.norm1(X + self.attention(X, X, X, None))
        return self.norm2(Y + self.ffn2(self.ffn1(Y).relu()))

# %% the first norm is used twice [torch]
import torch
from solutions.multi_head.in_torch import MultiHeadAttention


class EncoderBlock(torch.nn.Module):
    def __init__(self, num_hiddens, num_heads, ffn_hiddens):
        super().__init__()
        d, h, f = num_hiddens, num_heads, ffn_hiddens
        self.attention = MultiHeadAttention(d, h)
        self.norm1 = torch.nn.LayerNorm(d)
        self.ffn1 = torch.nn.Linear(d, f)
        self.ffn2 = torch.nn.Linear(f, d)
        self.norm2 = torch.nn.LayerNorm(d)

    def forward(self, X, valid_length):
        Y = self.norm1(X + self.attention(X, X, X, valid_length))
        return self.norm1(Y + self.ffn2(self.ffn1(Y).relu()))

# %% the two norms are interchanged [torch]
import torch
from solutions.multi_head.in_torch import MultiHeadAttention


class EncoderBlock(torch.nn.Module):
    def __init__(self, num_hiddens, num_heads, ffn_hiddens):
        super().__init__()
        d, h, f = num_hiddens, num_heads, ffn_hiddens
        self.attention = MultiHeadAttention(d, h)
        self.norm1 = torch.nn.LayerNorm(d)
        self.ffn1 = torch.nn.Linear(d, f)
        self.ffn2 = torch.nn.Linear(f, d)
        self.norm2 = torch.nn.LayerNorm(d)

    def forward(self, X, valid_length):
        Y = self.norm2(X + self.attention(X, X, X, valid_length))
        return self.norm1(Y + self.ffn2(self.ffn1(Y).relu()))

# %% the last norm is missing [torch]
import torch
from solutions.multi_head.in_torch import MultiHeadAttention


class EncoderBlock(torch.nn.Module):
    def __init__(self, num_hiddens, num_heads, ffn_hiddens):
        super().__init__()
        d, h, f = num_hiddens, num_heads, ffn_hiddens
        self.attention = MultiHeadAttention(d, h)
        self.norm1 = torch.nn.LayerNorm(d)
        self.ffn1 = torch.nn.Linear(d, f)
        self.ffn2 = torch.nn.Linear(f, d)
        self.norm2 = torch.nn.LayerNorm(d)

    def forward(self, X, valid_length):
        Y = self.norm1(X + self.attention(X, X, X, valid_length))
        return Y + self.ffn2(self.ffn1(Y).relu())

# %% the first norm is missing [torch]
import torch
from solutions.multi_head.in_torch import MultiHeadAttention


class EncoderBlock(torch.nn.Module):
    def __init__(self, num_hiddens, num_heads, ffn_hiddens):
        super().__init__()
        d, h, f = num_hiddens, num_heads, ffn_hiddens
        self.attention = MultiHeadAttention(d, h)
        self.norm1 = torch.nn.LayerNorm(d)
        self.ffn1 = torch.nn.Linear(d, f)
        self.ffn2 = torch.nn.Linear(f, d)
        self.norm2 = torch.nn.LayerNorm(d)

    def forward(self, X, valid_length):
        Y = X + self.attention(X, X, X, valid_length)
        return self.norm2(Y + self.ffn2(self.ffn1(Y).relu()))

# %% the input is added twice [torch]
import torch
from solutions.multi_head.in_torch import MultiHeadAttention


class EncoderBlock(torch.nn.Module):
    def __init__(self, num_hiddens, num_heads, ffn_hiddens):
        super().__init__()
        d, h, f = num_hiddens, num_heads, ffn_hiddens
        self.attention = MultiHeadAttention(d, h)
        self.norm1 = torch.nn.LayerNorm(d)
        self.ffn1 = torch.nn.Linear(d, f)
        self.ffn2 = torch.nn.Linear(f, d)
        self.norm2 = torch.nn.LayerNorm(d)

    def forward(self, X, valid_length):
        Y = self.norm1(X + X + self.attention(X, X, X, valid_length))
        return self.norm2(Y + self.ffn2(self.ffn1(Y).relu()))

# %% the norms are new at each call, so nothing is learned [torch]
import torch
from solutions.multi_head.in_torch import MultiHeadAttention


class EncoderBlock(torch.nn.Module):
    def __init__(self, num_hiddens, num_heads, ffn_hiddens):
        super().__init__()
        d, h, f = num_hiddens, num_heads, ffn_hiddens
        self.attention = MultiHeadAttention(d, h)
        self.norm1 = torch.nn.LayerNorm(d)
        self.ffn1 = torch.nn.Linear(d, f)
        self.ffn2 = torch.nn.Linear(f, d)
        self.norm2 = torch.nn.LayerNorm(d)

    def forward(self, X, valid_length):
        Y = torch.nn.functional.layer_norm(X + self.attention(X, X, X, valid_length), X.shape[-1:])
        return self.norm2(Y + self.ffn2(self.ffn1(Y).relu()))

# %% attention and feed-forward in parallel, one norm [torch]
import torch
from solutions.multi_head.in_torch import MultiHeadAttention


class EncoderBlock(torch.nn.Module):
    def __init__(self, num_hiddens, num_heads, ffn_hiddens):
        super().__init__()
        d, h, f = num_hiddens, num_heads, ffn_hiddens
        self.attention = MultiHeadAttention(d, h)
        self.norm1 = torch.nn.LayerNorm(d)
        self.ffn1 = torch.nn.Linear(d, f)
        self.ffn2 = torch.nn.Linear(f, d)
        self.norm2 = torch.nn.LayerNorm(d)

    def forward(self, X, valid_length):
        Y = X + self.attention(X, X, X, valid_length)
        return self.norm2(Y + self.ffn2(self.ffn1(X).relu()))

# %% no residual, and no ReLU [torch]
import torch
from solutions.multi_head.in_torch import MultiHeadAttention


class EncoderBlock(torch.nn.Module):
    def __init__(self, num_hiddens, num_heads, ffn_hiddens):
        super().__init__()
        d, h, f = num_hiddens, num_heads, ffn_hiddens
        self.attention = MultiHeadAttention(d, h)
        self.norm1 = torch.nn.LayerNorm(d)
        self.ffn1 = torch.nn.Linear(d, f)
        self.ffn2 = torch.nn.Linear(f, d)
        self.norm2 = torch.nn.LayerNorm(d)

    def forward(self, X, valid_length):
        Y = self.norm1(self.attention(X, X, X, valid_length))
        return self.norm2(Y + self.ffn2(self.ffn1(Y)))

# %% pre-norm with the queries alone normalised [mxnet]
from mxnet import gluon
from solutions.multi_head.in_mxnet import MultiHeadAttention


class EncoderBlock(gluon.nn.Block):
    def __init__(self, num_hiddens, num_heads, ffn_hiddens):
        super().__init__()
        d, h, f = num_hiddens, num_heads, ffn_hiddens
        self.attention = MultiHeadAttention(d, h)
        self.norm1 = gluon.nn.LayerNorm()
        self.ffn1 = gluon.nn.Dense(f, flatten=False)
        self.ffn2 = gluon.nn.Dense(d, flatten=False)
        self.norm2 = gluon.nn.LayerNorm()

    def forward(self, X, valid_length):
        attended = self.attention(self.norm1(X), X, X, valid_length)
        Y = self.norm1(X + attended)
        ffn = self.ffn2(self.ffn1(Y).relu())
        return self.norm2(Y + ffn)

# %% pre-norm as published [mxnet]
from mxnet import gluon
from solutions.multi_head.in_mxnet import MultiHeadAttention


class EncoderBlock(gluon.nn.Block):
    def __init__(self, num_hiddens, num_heads, ffn_hiddens):
        super().__init__()
        d, h, f = num_hiddens, num_heads, ffn_hiddens
        self.attention = MultiHeadAttention(d, h)
        self.norm1 = gluon.nn.LayerNorm()
        self.ffn1 = gluon.nn.Dense(f, flatten=False)
        self.ffn2 = gluon.nn.Dense(d, flatten=False)
        self.norm2 = gluon.nn.LayerNorm()

    def forward(self, X, valid_length):
        N = self.norm1(X)
        X = X + self.attention(N, N, N, valid_length)
        N = self.norm2(X)
        return X + self.ffn2(self.ffn1(N).relu())

# %% the second sum takes X [mxnet]
from mxnet import gluon
from solutions.multi_head.in_mxnet import MultiHeadAttention


class EncoderBlock(gluon.nn.Block):
    def __init__(self, num_hiddens, num_heads, ffn_hiddens):
        super().__init__()
        d, h, f = num_hiddens, num_heads, ffn_hiddens
        self.attention = MultiHeadAttention(d, h)
        self.norm1 = gluon.nn.LayerNorm()
        self.ffn1 = gluon.nn.Dense(f, flatten=False)
        self.ffn2 = gluon.nn.Dense(d, flatten=False)
        self.norm2 = gluon.nn.LayerNorm()

    def forward(self, X, valid_length):
        attended = self.attention(X, X, X, valid_length)
        Y = self.norm1(X + attended)
        ffn = self.ffn2(self.ffn1(Y).relu())
        return self.norm2(X + ffn)

# %% norm, then sum [mxnet]
from mxnet import gluon
from solutions.multi_head.in_mxnet import MultiHeadAttention


class EncoderBlock(gluon.nn.Block):
    def __init__(self, num_hiddens, num_heads, ffn_hiddens):
        super().__init__()
        d, h, f = num_hiddens, num_heads, ffn_hiddens
        self.attention = MultiHeadAttention(d, h)
        self.norm1 = gluon.nn.LayerNorm()
        self.ffn1 = gluon.nn.Dense(f, flatten=False)
        self.ffn2 = gluon.nn.Dense(d, flatten=False)
        self.norm2 = gluon.nn.LayerNorm()

    def forward(self, X, valid_length):
        attended = self.attention(X, X, X, valid_length)
        Y = X + self.norm1(attended)
        ffn = self.ffn2(self.ffn1(Y).relu())
        return Y + self.norm2(ffn)

# %% no ReLU [mxnet]
from mxnet import gluon
from solutions.multi_head.in_mxnet import MultiHeadAttention


class EncoderBlock(gluon.nn.Block):
    def __init__(self, num_hiddens, num_heads, ffn_hiddens):
        super().__init__()
        d, h, f = num_hiddens, num_heads, ffn_hiddens
        self.attention = MultiHeadAttention(d, h)
        self.norm1 = gluon.nn.LayerNorm()
        self.ffn1 = gluon.nn.Dense(f, flatten=False)
        self.ffn2 = gluon.nn.Dense(d, flatten=False)
        self.norm2 = gluon.nn.LayerNorm()

    def forward(self, X, valid_length):
        attended = self.attention(X, X, X, valid_length)
        Y = self.norm1(X + attended)
        ffn = self.ffn2(self.ffn1(Y))
        return self.norm2(Y + ffn)

# %% sigmoid for ReLU [mxnet]
from mxnet import gluon
from solutions.multi_head.in_mxnet import MultiHeadAttention


class EncoderBlock(gluon.nn.Block):
    def __init__(self, num_hiddens, num_heads, ffn_hiddens):
        super().__init__()
        d, h, f = num_hiddens, num_heads, ffn_hiddens
        self.attention = MultiHeadAttention(d, h)
        self.norm1 = gluon.nn.LayerNorm()
        self.ffn1 = gluon.nn.Dense(f, flatten=False)
        self.ffn2 = gluon.nn.Dense(d, flatten=False)
        self.norm2 = gluon.nn.LayerNorm()

    def forward(self, X, valid_length):
        attended = self.attention(X, X, X, valid_length)
        Y = self.norm1(X + attended)
        ffn = self.ffn2(self.ffn1(Y).sigmoid())
        return self.norm2(Y + ffn)

# %% the feed-forward layers come first [torch]
import torch
from solutions.multi_head.in_torch import MultiHeadAttention


class EncoderBlock(torch.nn.Module):
    def __init__(self, num_hiddens, num_heads, ffn_hiddens):
        super().__init__()
        d, h, f = num_hiddens, num_heads, ffn_hiddens
        self.attention = MultiHeadAttention(d, h)
        self.norm1 = torch.nn.LayerNorm(d)
        self.ffn1 = torch.nn.Linear(d, f)
        self.ffn2 = torch.nn.Linear(f, d)
        self.norm2 = torch.nn.LayerNorm(d)

    def forward(self, X, valid_length):
        Y = self.norm2(X + self.ffn2(self.ffn1(X).relu()))
        return self.norm1(Y + self.attention(Y, Y, Y, valid_length))

# %% the attention is applied twice, in place of the feed-forward layers [torch]
import torch
from solutions.multi_head.in_torch import MultiHeadAttention


class EncoderBlock(torch.nn.Module):
    def __init__(self, num_hiddens, num_heads, ffn_hiddens):
        super().__init__()
        d, h, f = num_hiddens, num_heads, ffn_hiddens
        self.attention = MultiHeadAttention(d, h)
        self.norm1 = torch.nn.LayerNorm(d)
        self.ffn1 = torch.nn.Linear(d, f)
        self.ffn2 = torch.nn.Linear(f, d)
        self.norm2 = torch.nn.LayerNorm(d)

    def forward(self, X, valid_length):
        Y = self.norm1(X + self.attention(X, X, X, valid_length))
        return self.norm2(Y + self.attention(Y, Y, Y, valid_length))
