"""Wrong versions of the solutions on self attention."""

from exercises.wrong_versions import Wrong

_SCALE = ("math.sqrt(keys.shape[-1])", "keys.shape[-1]")
_NO_SCALE = ("    scores = scores / math.sqrt(keys.shape[-1])\n", "")
_BY_WIDTH = ("math.sqrt(keys.shape[-1])", "X.shape[-1]")
_BY_ROOT_OF_WIDTH = ("math.sqrt(keys.shape[-1])", "math.sqrt(X.shape[-1])")
_HIDE = {
    "mxnet": ("nd.full(scores.shape, -1e6)", "nd.full(scores.shape, -math.inf)"),
    "torch": ("-1e6", "-math.inf"),
}
_BEFORE_ITSELF = ("key <= query", "key < query")
_TRANSPOSE = ("key <= query", "key >= query")
_INVERT = {
    "mxnet": ("nd.where(visible, scores, hidden)", "nd.where(visible, hidden, scores)"),
    "torch": ("~visible", "visible"),
}


def _same(edit):
    return {"mxnet": edit, "torch": edit}


def _with(edits, more):
    """Two edits in each framework."""
    return {framework: [edits[framework], more[framework]] for framework in edits}


WRONG: Wrong = {
    "self_attention": {
        "divided_by_the_embedding_width": _same(_BY_WIDTH),
        "divided_by_root_of_the_embedding_width": _same(_BY_ROOT_OF_WIDTH),
        "divided_by_d_k": _same(_SCALE),
        "not_scaled": _same(_NO_SCALE),
        "softmax_over_queries": {
            "mxnet": ("scores.softmax(axis=-1)", "scores.softmax(axis=1)"),
            "torch": ("scores.softmax(dim=-1)", "scores.softmax(dim=1)"),
        },
        "queries_and_keys_swapped": {
            "mxnet": ("batch_dot(queries, keys, ", "batch_dot(keys, queries, "),
            "torch": ("bmm(queries, keys.transpose", "bmm(keys, queries.transpose"),
        },
        "embeddings_as_values": {
            "mxnet": ("(weights, values)", "(weights, X)"),
            "torch": ("(weights, values)", "(weights, X)"),
        },
        "keys_as_values": _same(("(weights, values)", "(weights, keys)")),
        "queries_as_keys": {
            "mxnet": ("nd.dot(X, W_k)", "nd.dot(X, W_q)"),
            "torch": ("X @ W_k", "X @ W_q"),
        },
        "scaled_after_softmax": {
            "mxnet": [_NO_SCALE, ("softmax(axis=-1)", "softmax(axis=-1) / math.sqrt(keys.shape[-1])")],
            "torch": [_NO_SCALE, ("softmax(dim=-1)", "softmax(dim=-1) / math.sqrt(keys.shape[-1])")],
        },
    },
    "causal_self_attention": {
        "no_causal_mask": _same(("key <= query", "key * query >= 0")),
        "padding_visible": _same(("valid_length is not None", "False")),
        "one_step_too_far": _same(("key <= query", "key <= query + 1")),
        "blind_to_itself": _same(_BEFORE_ITSELF),
        "blind_to_itself_until_nan": _with(_HIDE, _same(_BEFORE_ITSELF)),
        "mask_inverted": _INVERT,
        "mask_inverted_until_nan": _with(_HIDE, _INVERT),
        "mask_transposed": _same(_TRANSPOSE),
        "mask_transposed_until_nan": _with(_HIDE, _same(_TRANSPOSE)),
        "either_mask_suffices": {
            "mxnet": ("visible * real", "nd.broadcast_maximum(visible, real)"),
            "torch": ("visible & real", "visible | real"),
        },
        "mask_after_softmax": {
            "mxnet": ("filled.softmax(axis=-1)", "scores.softmax(axis=-1) * visible"),
            "torch": ("filled.softmax(dim=-1)", "scores.softmax(dim=-1) * visible"),
        },
        "renormalised_too_late": {
            "mxnet": (
                "filled.softmax(axis=-1)",
                "scores.softmax(axis=-1) * visible\n    weights = weights / weights.sum(axis=-1, keepdims=True)",
            ),
            "torch": (
                "filled.softmax(dim=-1)",
                "scores.softmax(dim=-1) * visible\n    weights = weights / weights.sum(dim=-1, keepdim=True)",
            ),
        },
        "masked_with_zero": {
            "mxnet": ("nd.full(scores.shape, -1e6)", "nd.zeros(scores.shape)"),
            "torch": ("-1e6", "0"),
        },
    },
    "which_leaks": {
        "whole_sequence_compared": _same(("[:, :position]", "")),
        "position_counted_as_past": _same(("[:, :position]", "[:, : position + 1]")),
        "largest_change_anywhere": {
            "mxnet": [("[:, :position]", ""), ("leaking = largest > 1e-5", "leaking = largest")],
            "torch": [
                ("[:, :position]", ""),
                ("leaking = largest > 1e-5", "leaking = largest"),
                (".int()", ""),
            ],
        },
        "only_the_first_token": _same(("[:, :position]", "[:, :1]")),
        "only_the_token_before": _same(("[:, :position]", "[:, position - 1 : position]")),
        "signed_changes": _same((".abs()", "")),
        "rounding_counted": _same(("> 1e-5", "> 0")),
    },
    "positional_encoding": {
        "halves_concatenated": {
            "mxnet": (
                "    return encoding",
                "    return nd.concat(encoding[:, 0::2], encoding[:, 1::2], dim=1)",
            ),
            "torch": (
                "    return encoding",
                "    return torch.cat([encoding[:, 0::2], encoding[:, 1::2]], dim=1)",
            ),
        },
        "exponent_not_doubled": _same(("(even / d)", "(even / 2 / d)")),
        "exponent_doubled_twice": _same(("(even / d)", "(2 * even / d)")),
        "frequency_for_each_column": _same(
            ("angles.cos()", "(positions / 10000 ** ((even + 1) / d)).cos()"),
        ),
        "base_of_one_thousand": _same(("10000", "1000")),
        "sine_and_cosine_swapped": _same(
            [("angles.sin()", "angles.CO()"), ("angles.cos()", "angles.sin()"), ("CO()", "cos()")]
        ),
        "positions_from_one": {
            "mxnet": ("nd.arange(num_positions)", "nd.arange(1, num_positions + 1)"),
            "torch": ("torch.arange(num_positions)", "torch.arange(1, num_positions + 1)"),
        },
    },
}
_SWAP = "a transpose swaps two axes, in whichever order they are named"
_COPIED = "in MXNet's reshape, 0 and -2 copy axes of the input: here, the one axis that there is"
_ONE_AXIS = "there is only one axis"
_CONVENTION = "rounding is about 1e-6 and a leak at least 0.05: the limit in between is a convention"
_OVERWRITTEN = "every entry is written afterwards"
_SCORES = (
    "scores = torch.bmm(queries, keys.transpose(1, 2)) → scores = torch.bmm(queries, keys.transpose(2, 1))"
)
_REAL = "real = key < valid_length.reshape((-1, 1, 1)) → real = key < valid_length.reshape"
EQUIVALENT = {
    ("self_attention", "torch", _SCORES): _SWAP,
    ("causal_self_attention", "torch", _SCORES): _SWAP,
    (
        "causal_self_attention",
        "mxnet",
        "query = key.reshape((1, -1, 1)) → query = key.reshape((0, -1, 1))",
    ): _COPIED,
    ("causal_self_attention", "mxnet", f"{_REAL}((-2, 1, 1))"): _COPIED,
    ("causal_self_attention", "mxnet", f"{_REAL}((-0, 1, 1))"): _COPIED,
    (
        "which_leaks",
        "mxnet",
        "return 'abc'[int(leaking.argmax(axis=0).asscalar())] → "
        "return 'abc'[int(leaking.argmax(axis=-1).asscalar())]",
    ): _ONE_AXIS,
    (
        "which_leaks",
        "torch",
        "return 'abc'[int(leaking.int().argmax(dim=0).item())] → "
        "return 'abc'[int(leaking.int().argmax(dim=-1).item())]",
    ): _ONE_AXIS,
    (
        "positional_encoding",
        "mxnet",
        "encoding = nd.zeros((num_positions, d)) → encoding = nd.ones((num_positions, d))",
    ): _OVERWRITTEN,
    (
        "positional_encoding",
        "torch",
        "encoding = torch.zeros((num_positions, d)) → encoding = torch.ones((num_positions, d))",
    ): _OVERWRITTEN,
    **{
        ("which_leaks", framework, f"leaking = largest > 1e-05 → leaking = largest {limit}"): _CONVENTION
        for framework in ("mxnet", "torch")
        for limit in (">= 1e-05", "> 2e-05")
    },
}
