"""Wrong versions of the solutions on multi head."""

from exercises.wrong_versions import FRAMEWORKS, Wrong

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
_FOLDED = "return X.reshape((batch * num_heads, num_steps, size))"
PLAIN_JOIN = ("join_heads(context, self.num_heads)", "context.reshape(queries.shape)")
PLAIN_SPLIT = [_plain_split("W_q", "queries"), _plain_split("W_k", "keys"), _plain_split("W_v", "values")]
MASKED = "masked_softmax(scores, valid_length)"
JOIN = "join_heads(context, self.num_heads)"
HEADS = "context.reshape((-1, self.num_heads, *context.shape[1:]))"
DEAL = """def deal(X):
            X = X.reshape((X.shape[0], X.shape[1], -1, self.num_heads)).MOVE((0, 3, 1, 2))
            return X.reshape((-1, X.shape[2], X.shape[3]))

        """


def _dealt(move):
    """Every num_heads-th feature to a head, and back at the end. move: how a framework permutes axes."""
    splits = [
        (f"split_heads(self.{name}({argument}), self.num_heads)", f"deal(self.{name}({argument}))")
        for name, argument in (("W_q", "queries"), ("W_k", "keys"), ("W_v", "values"))
    ]
    first = ("# (batch * num_heads, num_queries, head_size)", DEAL.replace("MOVE", move))
    return [first, *splits, (JOIN, f"{HEADS}.{move}((0, 2, 3, 1)).reshape(queries.shape)")]


ONE_HEAD = [
    ("Q = split_heads(self.W_q(queries), self.num_heads)", "Q = self.W_q(queries)"),
    ("K = split_heads(self.W_k(keys), self.num_heads)", "K = self.W_k(keys)"),
    ("V = split_heads(self.W_v(values), self.num_heads)", "V = self.W_v(values)"),
    ("valid_length = repeat(self", "repeat(self"),
    ("Q.shape[-1]", "(Q.shape[-1] / self.num_heads)"),
    (JOIN, "context"),
]


def both(*edits):
    """The same edits in both frameworks."""
    return {framework: list(edits) for framework in FRAMEWORKS}


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
        "heads_and_batch_swapped": {"mxnet": (SWAP, "X.swapaxes(0, 2)"), "torch": (SWAP, "X.swapaxes(0, 2)")},
        "steps_first": {
            "mxnet": (SWAP, "X.transpose((1, 2, 0, 3))"),
            "torch": (SWAP, "X.permute((1, 2, 0, 3))"),
        },
        "number_and_size_exchanged": both(DEALT),
        "heads_as_an_axis": {
            "mxnet": ("return X.reshape((batch * num_heads, num_steps, size))", "return X"),
            "torch": ("return X.reshape((batch * num_heads, num_steps, size))", "return X"),
        },
        "every_head_gets_all_features": {
            "mxnet": (
                _FOLDED,
                "return X.swapaxes(1, 2).reshape((batch, num_steps, -1)).repeat(num_heads, axis=0)",
            ),
            "torch": (
                _FOLDED,
                "return X.swapaxes(1, 2).reshape(batch, num_steps, -1).repeat_interleave(num_heads, dim=0)",
            ),
        },
        "heads_behind_the_steps": both(
            (SWAP, "X"), ("(batch * num_heads, num_steps, size)", "(batch, -1, size)")
        ),
        "batch_joined_with_the_steps": {
            "mxnet": [
                (SWAP, "X.transpose((2, 0, 1, 3))"),
                ("(batch * num_heads, num_steps, size)", "(num_heads, -1, size)"),
            ],
            "torch": [
                (SWAP, "X.permute((2, 0, 1, 3))"),
                ("(batch * num_heads, num_steps, size)", "(num_heads, -1, size)"),
            ],
        },
        "steps_as_batch": both(
            (SWAP, "X"), ("(batch * num_heads, num_steps, size)", "(-1, num_heads, size)")
        ),
        "first_sentence_only": both((_FOLDED, f"{_FOLDED}[:num_heads]")),
        "features_before_steps": both((_FOLDED, f"{_FOLDED}.swapaxes(1, 2)")),
        "first_head_only": both((_FOLDED, "return X[:, 0]")),
        "only_reshaped": both((SWAP, "X"), (_FOLDED, "return X")),
        "heads_as_the_first_axis": both((_FOLDED, "return X.swapaxes(0, 1)")),
        "steps_cut": both(
            (
                _FOLDED,
                "X = X.swapaxes(1, 2)\n    return X.reshape((batch * num_heads, num_steps // num_heads, num_hiddens))",
            )
        ),
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
        "queries_and_keys_not_projected": both(("self.W_q(queries)", "queries"), ("self.W_k(keys)", "keys")),
        "values_not_projected": both(("self.W_v(values)", "values")),
        "nothing_projected_before": both(
            ("self.W_q(queries)", "queries"), ("self.W_k(keys)", "keys"), ("self.W_v(values)", "values")
        ),
        "keys_matrix_for_queries": both(("self.W_q(queries)", "self.W_k(queries)")),
        "queries_matrix_for_keys": both(("self.W_k(keys)", "self.W_q(keys)")),
        "matrices_of_queries_and_keys_swapped": both(
            ("self.W_q(queries)", "self.W_k(queries)"), ("self.W_k(keys)", "self.W_q(keys)")
        ),
        "keys_matrix_for_values": both(("self.W_v(values)", "self.W_k(values)")),
        "matrices_of_values_and_result_swapped": both(
            ("self.W_v(values)", "self.W_o(values)"), ("self.W_o(join", "self.W_v(join")
        ),
        "keys_for_values": both(("self.W_v(values)", "self.W_v(keys)")),
        "projected_twice": both(
            ("return self.W_o", "return self.W_o(self.W_o"), ("self.num_heads))", "self.num_heads)))")
        ),
        "scaled_by_all_and_no_output_projection": both(
            ("Q.shape[-1]", "queries.shape[-1]"), ("return self.W_o", "return ")
        ),
        "scaled_by_the_number_of_heads": both(("Q.shape[-1]", "self.num_heads")),
        "multiplied_by_the_scale": both(("scores / math", "scores * math")),
        "keys_reshaped": {
            "mxnet": (
                "nd.batch_dot(Q, K, transpose_b=True)",
                "nd.batch_dot(Q, K.reshape((K.shape[0], K.shape[2], K.shape[1])))",
            ),
            "torch": ("K.transpose(1, 2)", "K.reshape(K.shape[0], K.shape[2], K.shape[1])"),
        },
        "lengths_without_effect": both((MASKED, "masked_softmax(scores, None)")),
        "mask_after_softmax": both((MASKED, f"masked_softmax(scores, None) * ({MASKED} > 0)")),
        "softmax_over_queries": {
            "mxnet": (
                MASKED,
                "nd.where(masked_softmax(0 * scores, valid_length) > 0, scores, -1e6 * nd.ones_like(scores)).softmax(axis=1)",
            ),
            "torch": (
                MASKED,
                "scores.masked_fill(masked_softmax(0 * scores, valid_length) == 0, -1e6).softmax(dim=1)",
            ),
        },
        "softmax_twice": both((MASKED, f"masked_softmax({MASKED}, valid_length)")),
        "weights_left_as_scores": both((MASKED, "scores * (masked_softmax(0 * scores, valid_length) > 0)")),
        "heads_of_dealt_features": {
            "mxnet": _dealt("transpose"),
            "torch": _dealt("permute"),
        },
        "weights_with_heads_first": both(
            (
                "self.attention_weights = weights",
                "heads = weights.reshape((-1, self.num_heads, *weights.shape[1:]))\n"
                "        self.attention_weights = heads.swapaxes(0, 1).reshape(weights.shape)",
            )
        ),
        "split_plainly_and_joined_rightly": both(*PLAIN_SPLIT),
        "not_scaled_and_no_output_projection": both(
            (" / math.sqrt(Q.shape[-1])", ""), ("return self.W_o", "return ")
        ),
        "queries_added_to_the_result": both(("return self.W_o", "return queries + self.W_o")),
        "masked_with_zero": both(
            (MASKED, "masked_softmax(scores * (masked_softmax(0 * scores, valid_length) > 0), None)")
        ),
        "heads_averaged": {
            "mxnet": (JOIN, f"nd.tile({HEADS}.mean(axis=1), (1, 1, self.num_heads))"),
            "torch": (JOIN, f"{HEADS}.mean(dim=1).repeat(1, 1, self.num_heads)"),
        },
        "one_head_and_copies_of_its_weights": {
            "mxnet": [*ONE_HEAD, ("= weights\n", "= weights.repeat(self.num_heads, axis=0)\n")],
            "torch": [*ONE_HEAD, ("= weights\n", "= weights.repeat_interleave(self.num_heads, dim=0)\n")],
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
            "one_weight_for_each_step": ("num_heads * num_steps * num_steps", "num_heads * num_steps"),
            "weights_shared_out": ("num_heads * num_steps * num_steps", "num_steps * num_steps // num_heads"),
            "pairs_of_different_steps": ("num_steps * num_steps", "num_steps * (num_steps - 1)"),
            "earlier_steps_only": ("num_steps * num_steps", "num_steps * (num_steps + 1) // 2"),
            "weights_for_each_feature": ("num_heads * num_steps * num_steps", "num_hiddens * num_steps**2"),
            "parameters_first": ("return head_size, parameters,", "return parameters, head_size,"),
            "parameters_last": ("parameters, weights", "weights, parameters"),
            "parameters_for_each_step": ("4 * num_hiddens", "4 * num_steps"),
            "parameters_of_one_head": ("4 * num_hiddens", "4 * head_size"),
            "one_projection_only": ("4 * num_hiddens", "num_hiddens"),
            "four_squares_of_the_head_size": ("4 * num_hiddens * num_hiddens", "4 * head_size**2"),
            "three_projections_and_one_head": [
                ("4 * num_hiddens", "3 * num_hiddens"),
                ("num_heads * num_steps * num_steps", "num_steps * num_steps"),
            ],
            "all_of_one_head": [
                ("4 * num_hiddens", "4 * head_size"),
                ("num_heads * num_steps * num_steps", "num_steps * num_steps"),
            ],
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
