"""Wrong versions of the solutions on self attention."""

from exercises.wrong_versions import FRAMEWORKS, Wrong

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


def _with(*edits):
    """Several edits in each framework."""
    return {framework: [edit[framework] for edit in edits] for framework in edits[0]}


def _zeroed(mask):
    """Scores that a mask makes zero, before the others are filled."""
    return {
        "mxnet": ("    hidden = ", f"    scores = scores * ({mask})\n    hidden = "),
        "torch": ("    filled = ", f"    scores = scores * ({mask})\n    filled = "),
    }


def _late(mask):
    """Another mask, after the softmax."""
    return {
        "mxnet": ("softmax(axis=-1)", f"softmax(axis=-1) * {mask}"),
        "torch": ("softmax(dim=-1)", f"softmax(dim=-1) * {mask}"),
    }


def _or_none(edit):
    """The same edit where a loop looks for the first model that leaks."""
    none = ("    return ", "    if leaking.sum() == 0:\n        return None\n    return ")
    return {framework: [edit, none] for framework in FRAMEWORKS}


_ALL_EARLY = _same(("visible = key <= query", "visible = key >= 0 * query"))
_PADDING_APART = (
    _same(("    if valid_length", "    inside = key >= 0\n    if valid_length")),
    _same(("        visible = visible", "        inside = real\n        seen = visible")),
)
_SWAPPED = {
    "mxnet": ("batch_dot(queries, keys, ", "batch_dot(keys, queries, "),
    "torch": ("bmm(queries, keys.transpose", "bmm(keys, queries.transpose"),
}
_CLEARED = dict.fromkeys(
    FRAMEWORKS,
    (
        "    return ",
        "    if valid_length is not None:\n"
        "        weights = weights * (query < valid_length.reshape((-1, 1, 1)))\n    return ",
    ),
)
_OVER_ALL = "scores.reshape((scores.shape[0], -1)).softmax({0}=-1).reshape(scores.shape)"


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
        "divided_by_root_of_the_value_width": _same(("keys.shape[-1]", "values.shape[-1]")),
        "divided_by_root_of_the_tokens": _same(("keys.shape[-1]", "keys.shape[1]")),
        "multiplied_by_root_of_d_k": _same(("scores / math", "scores * math")),
        "softmax_twice": {
            "mxnet": ("scores.softmax(axis=-1)", "scores.softmax(axis=-1).softmax(axis=-1)"),
            "torch": ("scores.softmax(dim=-1)", "scores.softmax(dim=-1).softmax(dim=-1)"),
        },
        "softmax_over_the_batch": {
            "mxnet": ("softmax(axis=-1)", "softmax(axis=0)"),
            "torch": ("softmax(dim=-1)", "softmax(dim=0)"),
        },
        "softmax_over_the_whole_matrix": {
            "mxnet": ("scores.softmax(axis=-1)", _OVER_ALL.format("axis")),
            "torch": ("scores.softmax(dim=-1)", _OVER_ALL.format("dim")),
        },
        "sigmoid_for_softmax": {
            "mxnet": ("softmax(axis=-1)", "sigmoid()"),
            "torch": ("softmax(dim=-1)", "sigmoid()"),
        },
        "softmax_left_out": {
            "mxnet": ("scores.softmax(axis=-1)", "scores"),
            "torch": ("scores.softmax(dim=-1)", "scores"),
        },
        "scores_returned": _same(("values), weights", "values), scores")),
        "causal_mask_applied": {
            "mxnet": (
                "    weights = ",
                "    key = nd.arange(X.shape[1])\n"
                "    later = nd.broadcast_like((key > key.expand_dims(1)).expand_dims(0), scores)\n"
                "    scores = scores - 1e6 * later\n    weights = ",
            ),
            "torch": (
                "    weights = ",
                "    key = torch.arange(X.shape[1])\n"
                "    scores = scores.masked_fill(key > key.unsqueeze(1), -1e6)\n    weights = ",
            ),
        },
        "weights_transposed": _same(("(weights, values)", "(weights.swapaxes(1, 2), values)")),
        "mean_of_weighted_values": _same(("(weights, values)", "(weights / X.shape[1], values)")),
        "context_scaled": _same(
            [_NO_SCALE, ("(weights, values)", "(weights, values / math.sqrt(keys.shape[-1]))")]
        ),
        "keys_as_queries": {
            "mxnet": ("nd.dot(X, W_q)", "nd.dot(X, W_k)"),
            "torch": ("X @ W_q", "X @ W_k"),
        },
        "queries_as_values": _same(("(weights, values)", "(weights, queries)")),
        "embeddings_meet_each_other": {
            "mxnet": ("batch_dot(queries, keys", "batch_dot(X, X"),
            "torch": ("bmm(queries, keys", "bmm(X, X"),
        },
        "embeddings_meet_each_other_over_root_of_their_width": {
            "mxnet": [("batch_dot(queries, keys", "batch_dot(X, X"), _BY_ROOT_OF_WIDTH],
            "torch": [("bmm(queries, keys", "bmm(X, X"), _BY_ROOT_OF_WIDTH],
        },
        "keys_reshaped": {
            "mxnet": (
                "keys, transpose_b=True",
                "keys.reshape((keys.shape[0], keys.shape[2], keys.shape[1]))",
            ),
            "torch": ("keys.transpose(1, 2)", "keys.reshape(keys.shape[0], keys.shape[2], keys.shape[1])"),
        },
        "not_scaled_and_over_queries": {
            "mxnet": [_NO_SCALE, ("softmax(axis=-1)", "softmax(axis=1)")],
            "torch": [_NO_SCALE, ("softmax(dim=-1)", "softmax(dim=1)")],
        },
        "scaled_after_softmax": {
            "mxnet": [_NO_SCALE, ("softmax(axis=-1)", "softmax(axis=-1) / math.sqrt(keys.shape[-1])")],
            "torch": [_NO_SCALE, ("softmax(dim=-1)", "softmax(dim=-1) / math.sqrt(keys.shape[-1])")],
        },
    },
    "causal_self_attention": {
        "causal_not_scaled": _same(_NO_SCALE),
        "causal_divided_by_d_k": _same(_SCALE),
        "causal_divided_by_root_of_the_embedding_width": _same(_BY_ROOT_OF_WIDTH),
        "causal_queries_and_keys_swapped": _SWAPPED,
        "causal_softmax_over_queries": {
            "mxnet": ("softmax(axis=-1)", "softmax(axis=1)"),
            "torch": ("softmax(dim=-1)", "softmax(dim=1)"),
        },
        "future_masked_with_zero": _with(_ALL_EARLY, _zeroed("key <= query")),
        "padding_masked_with_zero": _with(*_PADDING_APART, _zeroed("inside")),
        "padding_masked_too_late": _with(*_PADDING_APART, _late("inside")),
        "future_masked_too_late": _with(_ALL_EARLY, _late("(key <= query)")),
        "one_padding_token": _same(("key < valid_length", "key <= valid_length")),
        "last_token_left_out": {
            "mxnet": (
                "key < valid_length.reshape((-1, 1, 1))",
                "key < nd.maximum(valid_length.reshape((-1, 1, 1)) - 1, 1)",
            ),
            "torch": (
                "key < valid_length.reshape((-1, 1, 1))",
                "key < (valid_length.reshape((-1, 1, 1)) - 1).clamp(min=1)",
            ),
        },
        "first_length_for_all": _same(("key < valid_length.", "key < valid_length[:1].")),
        "lengths_of_the_queries": _same(("key < valid_length", "query < valid_length")),
        "padded_rows_cleared": _CLEARED,
        "weights_before_the_mask": {
            "mxnet": ("values), weights", "values), scores.softmax(axis=-1)"),
            "torch": ("values), weights", "values), scores.softmax(dim=-1)"),
        },
        "causal_embeddings_as_values": _same(("(weights, values)", "(weights, X)")),
        "window_of_two": {
            "mxnet": ("key <= query", "(key <= query) * (key >= query - 1)"),
            "torch": ("key <= query", "(key <= query) & (key >= query - 1)"),
        },
        "itself_alone": _same(("key <= query", "key == query")),
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
        "largest_change_up_to_position": {
            "mxnet": [("[:, :position]", "[:, : position + 1]"), ("largest > 1e-5", "largest")],
            "torch": [
                ("[:, :position]", "[:, : position + 1]"),
                ("largest > 1e-5", "largest"),
                (".int()", ""),
            ],
        },
        "only_the_first_token": _same(("[:, :position]", "[:, :1]")),
        "only_the_token_before": _same(("[:, :position]", "[:, position - 1 : position]")),
        "last_past_token_left_out": _same(("[:, :position]", "[:, : position - 1]")),
        "smallest_change": {
            "mxnet": [
                ("change.max(axis=(1, 2))", "change.sum(axis=(1, 2))"),
                ("largest > 1e-5", "largest"),
                ("argmax", "argmin"),
            ],
            "torch": [
                ("change.amax(dim=(1, 2))", "change.sum(dim=(1, 2))"),
                ("largest > 1e-5", "largest"),
                ("int().argmax", "argmin"),
            ],
        },
        "index_for_the_letter": {
            "mxnet": (
                '"abc"[int(leaking.argmax(axis=0).asscalar())]',
                "int(leaking.argmax(axis=0).asscalar())",
            ),
            "torch": (
                '"abc"[int(leaking.int().argmax(dim=0).item())]',
                "int(leaking.int().argmax(dim=0).item())",
            ),
        },
        "upper_case": _same(('"abc"', '"ABC"')),
        "always_the_last": _same(('"abc"', '"ccc"')),
        "always_the_middle": _same(('"abc"', '"bbb"')),
        "last_past_token_left_out_or_none": _or_none(("[:, :position]", "[:, : position - 1]")),
        "only_the_token_before_or_none": _or_none(("[:, :position]", "[:, position - 1 : position]")),
        "signed_changes_or_none": _or_none((".abs()", "")),
        "signed_mean": {
            "mxnet": [(".abs()", ""), ("change.max(axis=(1, 2))", "change.mean(axis=(1, 2)).abs()")],
            "torch": [(".abs()", ""), ("change.amax(dim=(1, 2))", "change.mean(dim=(1, 2)).abs()")],
        },
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
        "positions_over_their_number": _same(("angles = positions", "angles = positions / num_positions")),
        "two_pi_in_the_angle": _same(("angles = positions", "angles = 2 * math.pi * positions")),
        "degrees_for_radians": _same(("angles = positions", "angles = math.pi / 180 * positions")),
        "one_wavelength": _same(("(even / d)", "(even / d * 0 + 1)")),
        "angles_without_denominator": _same(("(even / d)", "(0 * even / d)")),
        "exponent_over_half_of_d": _same(("(even / d)", "(even / (d // 2))")),
        "exponent_reaches_one": _same(("(even / d)", "(even / 2 / max((d + 1) // 2 - 1, 1))")),
        "exponent_starts_a_pair_late": _same(("(even / d)", "((even + 2) / d)")),
        "sines_only": _same(("angles.cos()", "1 * angles.sin()")),
        "powers_of_e": _same(("10000", "math.e")),
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
        "odd_width_ends_with_a_cosine": _same(
            (
                "    return encoding",
                "    if d % 2:\n        encoding[:, -1] = angles.cos()[:, -1]\n    return encoding",
            )
        ),
        "odd_width_rounded_up": _same(
            [
                ("(num_positions, d))", "(num_positions, d + d % 2))"),
                ("angles.cos()[:, : d // 2]", "angles.cos()"),
            ]
        ),
        "odd_width_rounded_down": _same(("    return encoding", "    return encoding[:, : d - d % 2]")),
        "odd_column_left_zero": _same(
            ("    return encoding", "    if d % 2:\n        encoding[:, -1] = 0\n    return encoding")
        ),
        "an_axis_for_the_batch": {
            "mxnet": ("    return encoding", "    return encoding.expand_dims(0)"),
            "torch": ("    return encoding", "    return encoding.unsqueeze(0)"),
        },
        "table_transposed": _same(("    return encoding", "    return encoding.T")),
        "cosines_only": _same(("angles.sin()", "(1 * angles).cos()")),
        "exponent_over_one_less": _same(("(even / d)", "(even / (d - 1))")),
        "positions_counted_down": {
            "mxnet": ("    return encoding", "    return encoding.flip(axis=0)"),
            "torch": ("    return encoding", "    return encoding.flip(0)"),
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
