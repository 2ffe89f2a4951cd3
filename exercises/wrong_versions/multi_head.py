"""Wrong versions of the solutions on multi head."""

from exercises.wrong_versions import Wrong

SOFTMAX_OVER_HEADS_MX = """if valid_length is not None:
            lengths = valid_length if valid_length.ndim == 2 else valid_length.expand_dims(1)
            mask = nd.arange(scores.shape[-1]).reshape((1, 1, -1)) < lengths.expand_dims(-1)
            scores = nd.where(nd.broadcast_like(mask, scores), scores, nd.full(scores.shape, -1e6))
        heads = scores.reshape((-1, self.num_heads, *scores.shape[1:]))
        weights = heads.softmax(axis=1).reshape(scores.shape)"""
SOFTMAX_OVER_HEADS_T = """if valid_length is not None:
            lengths = valid_length if valid_length.ndim == 2 else valid_length.unsqueeze(1)
            mask = torch.arange(scores.shape[-1]) < lengths.unsqueeze(-1)
            scores = scores.masked_fill(~mask, -1e6)
        heads = scores.reshape((-1, self.num_heads, *scores.shape[1:]))
        weights = heads.softmax(dim=1).reshape(scores.shape)"""


def _plain_split(name, argument):
    projected = f"self.{name}({argument})"
    shape = f"(-1, {argument}.shape[1], {argument}.shape[2] // self.num_heads)"
    return f"split_heads({projected}, self.num_heads)", f"{projected}.reshape({shape})"


DEALT = ("num_steps, num_heads, size)", "num_steps, size, num_heads)")
SWAP = "X.swapaxes(1, 2)"
PLAIN_JOIN = ("join_heads(context, self.num_heads)", "context.reshape(queries.shape)")
PLAIN_SPLIT = [_plain_split("W_q", "queries"), _plain_split("W_k", "keys"), _plain_split("W_v", "values")]
WRONG: Wrong = {
    "split_heads": {
        "plain_reshape": {
            "mxnet": (SWAP, "X"),
            "torch": (SWAP, "X"),
        },
        "features_dealt_out": {
            "mxnet": [DEALT, (SWAP, "X.transpose((0, 3, 1, 2))")],
            "torch": [DEALT, (SWAP, "X.permute((0, 3, 1, 2))")],
        },
        "heads_before_batches": {
            "mxnet": (SWAP, "X.transpose((2, 0, 1, 3))"),
            "torch": (SWAP, "X.permute((2, 0, 1, 3))"),
        },
        "steps_and_features_swapped": {
            "mxnet": (SWAP, "X.transpose((0, 2, 3, 1))"),
            "torch": (SWAP, "X.permute((0, 2, 3, 1))"),
        },
        "heads_as_an_axis": {
            "mxnet": ("return X.reshape((batch * num_heads, num_steps, size))", "return X"),
            "torch": ("return X.reshape((batch * num_heads, num_steps, size))", "return X"),
        },
    },
    "multi_head_attention": {
        "split_by_plain_reshape": {"mxnet": [*PLAIN_SPLIT, PLAIN_JOIN], "torch": [*PLAIN_SPLIT, PLAIN_JOIN]},
        "joined_by_plain_reshape": {"mxnet": PLAIN_JOIN, "torch": PLAIN_JOIN},
        "scaled_by_all_features": {
            "mxnet": ("Q.shape[-1]", "queries.shape[-1]"),
            "torch": ("Q.shape[-1]", "queries.shape[-1]"),
        },
        "scaled_by_head_size_without_root": {
            "mxnet": ("math.sqrt(Q.shape[-1])", "Q.shape[-1]"),
            "torch": ("math.sqrt(Q.shape[-1])", "Q.shape[-1]"),
        },
        "not_scaled": {
            "mxnet": ("scores = scores / math.sqrt(Q.shape[-1])", "pass"),
            "torch": ("scores = scores / math.sqrt(Q.shape[-1])", "pass"),
        },
        "lengths_tiled": {
            "mxnet": ("repeat(self.num_heads, axis=0)", "nd.concat(*[valid_length] * self.num_heads, dim=0)"),
            "torch": ("repeat(self.num_heads, dim=0)", "torch.cat([valid_length] * self.num_heads)"),
        },
        "no_output_projection": {
            "mxnet": ("self.W_o(join_heads(context, self.num_heads))", "join_heads(context, self.num_heads)"),
            "torch": ("self.W_o(join_heads(context, self.num_heads))", "join_heads(context, self.num_heads)"),
        },
        "softmax_over_heads": {
            "mxnet": ("weights = masked_softmax(scores, valid_length)", SOFTMAX_OVER_HEADS_MX),
            "torch": ("weights = masked_softmax(scores, valid_length)", SOFTMAX_OVER_HEADS_T),
        },
        "one_head_only": {
            "mxnet": ("self.num_heads = num_heads", "self.num_heads = 1"),
            "torch": ("self.num_heads = num_heads", "self.num_heads = 1"),
        },
    },
    "head_sizes": {
        name: {"mxnet": edit, "torch": edit}
        for name, edit in {
            "parameters_in_every_head": ("4 * num_hiddens", "num_heads * 4 * num_hiddens"),
            "output_projection_forgotten": ("4 * num_hiddens", "3 * num_hiddens"),
            "projections_from_head_to_head": (
                "4 * num_hiddens * num_hiddens",
                "3 * num_heads * head_size**2 + num_hiddens**2",
            ),
            "biases_counted": ("4 * num_hiddens * num_hiddens", "4 * (num_hiddens + 1) * num_hiddens"),
            "weights_of_one_head": ("num_heads * num_steps * num_steps", "num_steps * num_steps"),
            "heads_as_wide_as_the_layer": ("num_hiddens // num_heads", "num_hiddens"),
        }.items()
    },
}
SWAPPED = "X = X.swapaxes(1, 2) → X = X.swapaxes(2, 1)"
TRANSPOSED = "scores = torch.bmm(Q, K.transpose(1, 2)) → scores = torch.bmm(Q, K.transpose(2, 1))"
EITHER_ORDER = "two axes are swapped, in whichever order they are named"
EQUIVALENT = {
    ("split_heads", "mxnet", SWAPPED): EITHER_ORDER,
    ("split_heads", "torch", SWAPPED): EITHER_ORDER,
    ("multi_head_attention", "torch", TRANSPOSED): EITHER_ORDER,
}
