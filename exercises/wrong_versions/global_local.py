"""Wrong versions of the solutions on global local."""

from exercises.wrong_versions import FRAMEWORKS, Wrong

_T_GAUSS = "gauss = torch.exp(-(distance**2) / (2 * sigma**2))"
_MX_GAUSS = "gauss = nd.exp(-(distance**2) / (2 * sigma**2))"
_BOTH_HALVES = {
    "mxnet": (
        "pairs = nd.concat(q, k, dim=-1)\n        hidden = self.W_a(pairs).tanh()",
        "none = nd.zeros_like\n"
        "        hidden = self.W_a(nd.concat(q, none(k), dim=-1)).tanh()\n"
        "        hidden = hidden + self.W_a(nd.concat(none(q), k, dim=-1)).tanh()",
    ),
    "torch": (
        "pairs = torch.cat([q, k], dim=-1)\n        hidden = self.W_a(pairs).tanh()",
        "none = torch.zeros_like\n"
        "        hidden = self.W_a(torch.cat([q, none(k)], dim=-1)).tanh()\n"
        "        hidden = hidden + self.W_a(torch.cat([none(q), k], dim=-1)).tanh()",
    ),
}


_PAIRS_MX, _PAIRS_T = (_BOTH_HALVES[framework][0] for framework in FRAMEWORKS)
_APART_MX = "left = nd.concat(q, 0 * k, dim=-1)\n        right = nd.concat(0 * q, k, dim=-1)\n        "
_APART_T = "left = torch.cat([q, 0 * k], dim=-1)\n        right = torch.cat([0 * q, k], dim=-1)\n        "
_STATE_MX = "both = nd.concat(context, queries, dim=-1)\n        return self.W_c(both).tanh()"
_STATE_T = "both = torch.cat([context, queries], dim=-1)\n        return self.W_c(both).tanh()"
_STATE_APART_MX = "c = nd.concat(context, 0 * queries, dim=-1)\n        h = nd.concat(0 * context, queries, dim=-1)\n        "
_STATE_APART_T = "c = torch.cat([context, 0 * queries], dim=-1)\n        h = torch.cat([0 * context, queries], dim=-1)\n        "


def both(old, new):
    """The same edit in both frameworks."""
    return dict.fromkeys(FRAMEWORKS, (old, new))


def _near(condition):
    """Another window. condition: with AND between its parts."""
    old = "(distance.abs() <= D)"
    return {"mxnet": (old, condition.replace("AND", "*")), "torch": (old, condition.replace("AND", "&"))}


WRONG: Wrong = {
    "luong_concat": {
        "key_before_query": {
            "mxnet": ("nd.concat(q, k, dim=-1)", "nd.concat(k, q, dim=-1)"),
            "torch": ("torch.cat([q, k], dim=-1)", "torch.cat([k, q], dim=-1)"),
        },
        "tanh_in_each_term": _BOTH_HALVES,
        "tanh_left_out": both("self.W_a(pairs).tanh()", "self.W_a(pairs)"),
        "tanh_of_the_score": {
            f: [
                ("self.W_a(pairs).tanh()", "self.W_a(pairs)"),
                ("self.v_a(hidden).squeeze(-1)", "self.v_a(hidden).squeeze(-1).tanh()"),
            ]
            for f in FRAMEWORKS
        },
        "sigmoid_for_tanh": both("self.W_a(pairs).tanh()", "self.W_a(pairs).sigmoid()"),
        "relu_for_tanh": both("self.W_a(pairs).tanh()", "self.W_a(pairs).relu()"),
        "tanh_of_the_inputs": both("self.W_a(pairs).tanh()", "self.W_a(pairs.tanh())"),
        "tanh_at_both_places": both("(hidden).squeeze(-1)", "(hidden).squeeze(-1).tanh()"),
        "parts_multiplied": {
            "mxnet": (_PAIRS_MX, f"{_APART_MX}hidden = (self.W_a(left) * self.W_a(right)).tanh()"),
            "torch": (_PAIRS_T, f"{_APART_T}hidden = (self.W_a(left) * self.W_a(right)).tanh()"),
        },
        "queries_tiled": {
            "mxnet": (
                "pairs = ",
                "q = nd.tile(queries, (1, n, 1)).reshape((-1, m, n, queries.shape[2]))\n        pairs = ",
            ),
            "torch": (
                "pairs = ",
                "q = queries.repeat(1, n, 1).reshape(-1, m, n, queries.shape[2])\n        pairs = ",
            ),
        },
        "pairs_reshaped": both(
            "self.v_a(hidden).squeeze(-1)", "self.v_a(hidden).squeeze(-1).swapaxes(1, 2).reshape((-1, m, n))"
        ),
        "query_left_out": {
            "mxnet": ("nd.concat(q, k", "nd.concat(0 * q, k"),
            "torch": ("torch.cat([q, k]", "torch.cat([0 * q, k]"),
        },
        "half_of_the_sum": both("self.W_a(pairs).tanh()", "(self.W_a(pairs) / 2).tanh()"),
        "weights_for_scores": {
            "mxnet": (".squeeze(-1)", ".squeeze(-1).softmax(axis=-1)"),
            "torch": (".squeeze(-1)", ".squeeze(-1).softmax(dim=-1)"),
        },
        "last_axis_kept": both(".squeeze(-1)", ""),
        "key_subtracted": {
            "mxnet": ("nd.concat(q, k", "nd.concat(q, -k"),
            "torch": ("torch.cat([q, k]", "torch.cat([q, -k]"),
        },
        "tanhs_multiplied": {
            "mxnet": (_PAIRS_MX, f"{_APART_MX}hidden = self.W_a(left).tanh() * self.W_a(right).tanh()"),
            "torch": (_PAIRS_T, f"{_APART_T}hidden = self.W_a(left).tanh() * self.W_a(right).tanh()"),
        },
        "tanh_of_the_query_alone": {
            "mxnet": (_PAIRS_MX, f"{_APART_MX}hidden = self.W_a(left).tanh() + self.W_a(right)"),
            "torch": (_PAIRS_T, f"{_APART_T}hidden = self.W_a(left).tanh() + self.W_a(right)"),
        },
        "tanh_of_the_key_alone": {
            "mxnet": (_PAIRS_MX, f"{_APART_MX}hidden = self.W_a(left) + self.W_a(right).tanh()"),
            "torch": (_PAIRS_T, f"{_APART_T}hidden = self.W_a(left) + self.W_a(right).tanh()"),
        },
        "tanh_before_and_behind_the_matrix": both("self.W_a(pairs)", "self.W_a(pairs.tanh())"),
        "keys_repeated": {
            "mxnet": (
                "pairs = ",
                "k = keys.repeat(m, axis=1).reshape((-1, m, n, keys.shape[2]))\n        pairs = ",
            ),
            "torch": (
                "pairs = ",
                "k = keys.repeat_interleave(m, dim=1).reshape(-1, m, n, keys.shape[2])\n        pairs = ",
            ),
        },
        "own_position_only": {
            "mxnet": ("nd.concat(q, k", "nd.concat(queries, keys"),
            "torch": ("torch.cat([q, k]", "torch.cat([queries, keys]"),
        },
    },
    "attentional_state": {
        "state_before_context": {
            "mxnet": ("nd.concat(context, queries", "nd.concat(queries, context"),
            "torch": ("torch.cat([context, queries]", "torch.cat([queries, context]"),
        },
        "state_without_tanh": both("self.W_c(both).tanh()", "self.W_c(both)"),
        "tanh_before_the_matrix": both("self.W_c(both).tanh()", "self.W_c(both.tanh())"),
        "context_and_state_apart": {
            "mxnet": (
                "both = nd.concat(context, queries, dim=-1)\n        return self.W_c(both).tanh()",
                "c = nd.concat(context, nd.zeros_like(queries), dim=-1)\n"
                "        h = nd.concat(nd.zeros_like(context), queries, dim=-1)\n"
                "        return self.W_c(c).tanh() + self.W_c(h).tanh()",
            ),
            "torch": (
                "both = torch.cat([context, queries], dim=-1)\n        return self.W_c(both).tanh()",
                "c, h = self.W_c.weight.split([context.shape[-1], queries.shape[-1]], dim=1)\n"
                "        return (context @ c.T).tanh() + (queries @ h.T).tanh()",
            ),
        },
        "relu_of_the_state": both("self.W_c(both).tanh()", "self.W_c(both).relu()"),
        "tanh_twice": both("self.W_c(both).tanh()", "self.W_c(both).tanh().tanh()"),
        "tanh_inside_and_outside": both("self.W_c(both)", "self.W_c(both.tanh())"),
        "half_of_both_parts": both("self.W_c(both)", "(self.W_c(both) / 2)"),
        "state_left_out": {
            "mxnet": ("nd.concat(context, queries", "nd.concat(context, 0 * queries"),
            "torch": ("torch.cat([context, queries]", "torch.cat([context, 0 * queries]"),
        },
        "softmax_of_the_state": {
            "mxnet": ("self.W_c(both).tanh()", "self.W_c(both).softmax(axis=-1)"),
            "torch": ("self.W_c(both).tanh()", "self.W_c(both).softmax(dim=-1)"),
        },
        "sigmoid_of_the_state": both("self.W_c(both).tanh()", "self.W_c(both).sigmoid()"),
        "context_left_out": {
            "mxnet": ("nd.concat(context, queries", "nd.concat(0 * context, queries"),
            "torch": ("torch.cat([context, queries]", "torch.cat([0 * context, queries]"),
        },
        "parts_of_the_state_multiplied": {
            "mxnet": (_STATE_MX, f"{_STATE_APART_MX}return (self.W_c(c) * self.W_c(h)).tanh()"),
            "torch": (_STATE_T, f"{_STATE_APART_T}return (self.W_c(c) * self.W_c(h)).tanh()"),
        },
        "state_subtracted": {
            "mxnet": ("nd.concat(context, queries", "nd.concat(context, -queries"),
            "torch": ("torch.cat([context, queries]", "torch.cat([context, -queries]"),
        },
        "tanh_of_the_context_alone": {
            "mxnet": (_STATE_MX, f"{_STATE_APART_MX}return self.W_c(c).tanh() + self.W_c(h)"),
            "torch": (_STATE_T, f"{_STATE_APART_T}return self.W_c(c).tanh() + self.W_c(h)"),
        },
        "tanh_of_the_state_alone": {
            "mxnet": (_STATE_MX, f"{_STATE_APART_MX}return self.W_c(c) + self.W_c(h).tanh()"),
            "torch": (_STATE_T, f"{_STATE_APART_T}return self.W_c(c) + self.W_c(h).tanh()"),
        },
        "context_twice": {
            "mxnet": ("nd.concat(context, queries", "nd.concat(context, context"),
            "torch": ("torch.cat([context, queries]", "torch.cat([context, context]"),
        },
        "state_twice": {
            "mxnet": ("nd.concat(context, queries", "nd.concat(queries, queries"),
            "torch": ("torch.cat([context, queries]", "torch.cat([queries, queries]"),
        },
        "cut_off_for_tanh": both("self.W_c(both).tanh()", "self.W_c(both).clip(-1, 1)"),
    },
    "window_weights": {
        "half_the_window": both("distance.abs() <= D", "distance.abs() <= D / 2"),
        "both_ends_left_out": both("distance.abs() <= D", "distance.abs() < D"),
        "right_end_left_out": {
            "mxnet": ("(distance.abs() <= D)", "(distance >= -D) * (distance < D)"),
            "torch": ("(distance.abs() <= D)", "(distance >= -D) & (distance < D)"),
        },
        "left_side_only": {
            "mxnet": ("(distance.abs() <= D)", "(distance >= -D) * (distance <= 0)"),
            "torch": ("(distance.abs() <= D)", "(distance >= -D) & (distance <= 0)"),
        },
        "position_rounded": {
            "mxnet": ("keys - positions.expand_dims(-1)", "keys - positions.round().expand_dims(-1)"),
            "torch": ("keys - positions.unsqueeze(-1)", "keys - positions.float().round().unsqueeze(-1)"),
        },
        "position_cut_off": {
            "mxnet": ("keys - positions.expand_dims(-1)", "keys - positions.floor().expand_dims(-1)"),
            "torch": ("keys - positions.unsqueeze(-1)", "keys - positions.long().unsqueeze(-1)"),
        },
        "window_pushed_inside": {
            "mxnet": (
                "distance = ",
                "last = valid_length.expand_dims(-1) - 1\n"
                "    positions = nd.broadcast_minimum(positions, last - D)\n"
                "    positions = nd.maximum(positions, D)\n    distance = ",
            ),
            "torch": (
                "distance = ",
                "last = valid_length.unsqueeze(-1) - 1\n"
                "    positions = positions.minimum(last - D).clamp(min=D)\n    distance = ",
            ),
        },
        "right_side_only": _near("(distance >= 0) AND (distance <= D)"),
        "left_end_left_out": _near("(distance > -D) AND (distance <= D)"),
        "left_side_unbounded": _near("(distance <= D)"),
        "one_word_wider": _near("(distance.abs() <= D + 1)"),
        "window_left_out_of_the_mask": _near("(distance.abs() < 1e6)"),
        "window_inverted": _near("(distance.abs() > D)"),
        "one_word_beyond_the_sentence": both("keys < lengths", "keys <= lengths"),
        "words_counted_from_one": both("keys - positions", "keys + 1 - positions"),
        "position_rounded_up": {
            "mxnet": ("keys - positions.expand_dims(-1)", "keys - positions.ceil().expand_dims(-1)"),
            "torch": ("keys - positions.unsqueeze(-1)", "keys - positions.float().ceil().unsqueeze(-1)"),
        },
        "position_pushed_inside": {
            "mxnet": (
                "distance = ",
                "positions = nd.broadcast_minimum(positions, valid_length.expand_dims(-1) - 1)\n    distance = ",
            ),
            "torch": (
                "distance = ",
                "positions = positions.minimum(valid_length.unsqueeze(-1) - 1)\n    distance = ",
            ),
        },
        "softmax_before_all_masks": both("filled.softmax", "scores.softmax"),
        "length_after_softmax": {
            "mxnet": ("nd.where(inside,", "nd.where(nd.broadcast_like(distance.abs() <= D, scores),"),
            "torch": ("masked_fill(~inside", "masked_fill(distance.abs() > D"),
        },
        "masked_with_zero": {
            "mxnet": ("filled.softmax(axis=-1) * inside", "(scores * inside).softmax(axis=-1)"),
            "torch": ("filled.softmax(dim=-1) * inside", "(scores * inside).softmax(dim=-1)"),
        },
        "masked_with_zero_then_cleared": both("filled.softmax", "(scores * inside).softmax"),
        "empty_window_is_nan": {
            "mxnet": (
                "filled.softmax(axis=-1) * inside",
                "nd.where(inside, scores, -float('inf') * nd.ones_like(scores)).softmax(axis=-1)",
            ),
            "torch": (
                "filled.softmax(dim=-1) * inside",
                "scores.masked_fill(~inside, -torch.inf).softmax(dim=-1)",
            ),
        },
        "empty_window_is_the_sentence": {
            "mxnet": (
                "return filled.softmax(axis=-1) * inside",
                "weights = filled.softmax(axis=-1) * inside\n"
                "    words = nd.broadcast_like(keys < lengths, scores)\n"
                "    whole = nd.where(words, scores, -1e6 * nd.ones_like(scores)).softmax(axis=-1)\n"
                "    return weights + whole * (inside.sum(axis=-1, keepdims=True) == 0)",
            ),
            "torch": (
                "return filled.softmax(dim=-1) * inside",
                "weights = filled.softmax(dim=-1) * inside\n"
                "    whole = scores.masked_fill(keys >= lengths, -1e6).softmax(dim=-1)\n"
                "    return weights + whole * ~inside.any(dim=-1, keepdim=True)",
            ),
        },
        "renormalised_until_nan": {
            "mxnet": (
                "return filled.softmax(axis=-1) * inside",
                "weights = scores.softmax(axis=-1) * inside\n"
                "    return weights / weights.sum(axis=-1, keepdims=True)",
            ),
            "torch": (
                "return filled.softmax(dim=-1) * inside",
                "weights = scores.softmax(dim=-1) * inside\n"
                "    return weights / weights.sum(dim=-1, keepdim=True)",
            ),
        },
        "softmax_before_window": {
            "mxnet": [
                ("lowest = ", "words = nd.broadcast_like(keys < lengths, scores)\n    lowest = "),
                ("nd.where(inside,", "nd.where(words,"),
            ],
            "torch": ("masked_fill(~inside", "masked_fill(~(keys < lengths)"),
        },
        "renormalised_too_late": {
            "mxnet": (
                "return filled.softmax(axis=-1) * inside",
                "weights = scores.softmax(axis=-1) * inside\n"
                "    total = weights.sum(axis=-1, keepdims=True)\n"
                "    return weights / (total + (total == 0))",
            ),
            "torch": (
                "return filled.softmax(dim=-1) * inside",
                "weights = scores.softmax(dim=-1) * inside\n"
                "    total = weights.sum(dim=-1, keepdim=True)\n"
                "    return weights / total.masked_fill(total == 0, 1)",
            ),
        },
        "outside_scores_zero": {
            "mxnet": (
                "    # The product makes a window without a word zero.\n"
                "    return filled.softmax(axis=-1) * inside",
                "    p = positions.expand_dims(-1)\n"
                "    width = (p + D).floor() - (p - D).ceil() + 1\n"
                "    missing = width - inside.sum(axis=-1, keepdims=True)\n"
                "    top = filled.max(axis=-1, keepdims=True)\n"
                "    top = nd.maximum(top, 0)\n"
                "    exps = (filled - top).exp() * inside\n"
                "    return exps / (exps.sum(axis=-1, keepdims=True) + missing * (-top).exp())",
            ),
            "torch": (
                "    # The product makes a window without a word zero.\n"
                "    return filled.softmax(dim=-1) * inside",
                "    p = positions.unsqueeze(-1)\n"
                "    width = (p + D).floor() - (p - D).ceil() + 1\n"
                "    missing = width - inside.sum(-1, keepdim=True)\n"
                "    top = filled.amax(-1, keepdim=True).clamp(min=0)\n"
                "    exps = (filled - top).exp() * inside\n"
                "    return exps / (exps.sum(-1, keepdim=True) + missing * (-top).exp())",
            ),
        },
        "padding_in_the_window": {
            "mxnet": ("keys < lengths", "keys < scores.shape[-1]"),
            "torch": ("keys < lengths", "keys < scores.shape[-1]"),
        },
        "empty_window_is_uniform": {
            "mxnet": ("filled.softmax(axis=-1) * inside", "filled.softmax(axis=-1)"),
            "torch": ("filled.softmax(dim=-1) * inside", "filled.softmax(dim=-1)"),
        },
    },
    "local_predictive": {
        "sigma_is_D": both("sigma = self.D / 2", "sigma = self.D"),
        "variance_is_half_D": both("(2 * sigma**2)", "(2 * sigma)"),
        "two_left_out": both("(2 * sigma**2)", "sigma**2"),
        "gaussian_left_out": both("weights * gauss", "weights"),
        "gaussian_on_the_scores": {
            "mxnet": [
                ("inside = ", f"sigma = self.D / 2\n        {_MX_GAUSS}\n        inside = "),
                ("nd.where(inside, scores, ", "nd.where(inside, scores * gauss, "),
                ("weights * gauss", "weights"),
            ],
            "torch": [
                ("inside = ", f"sigma = self.D / 2\n        {_T_GAUSS}\n        inside = "),
                ("scores.masked_fill", "(scores * gauss).masked_fill"),
                ("weights * gauss", "weights"),
            ],
        },
        "normalised_again": {
            "mxnet": (
                "return weights * gauss,",
                "weights = weights * gauss\n"
                "        weights = weights / weights.sum(axis=-1, keepdims=True)\n        return weights,",
            ),
            "torch": (
                "return weights * gauss,",
                "weights = weights * gauss\n"
                "        weights = weights / weights.sum(-1, keepdim=True)\n        return weights,",
            ),
        },
        "window_left_out": {
            "mxnet": ("(distance.abs() <= self.D) * (keys < S)", "(distance.abs() < 1e6) * (keys < S)"),
            "torch": ("(distance.abs() <= self.D) & (keys < S)", "(keys < S).expand_as(scores)"),
        },
        "window_after_softmax": {
            "mxnet": [
                ("lowest = ", "words = nd.broadcast_like(keys < S, scores)\n        lowest = "),
                ("nd.where(inside,", "nd.where(words,"),
            ],
            "torch": ("masked_fill(~inside", "masked_fill(~(keys < S)"),
        },
        "distance_not_squared": both("(distance**2)", "distance.abs()"),
        "factor_of_the_density": both(
            "weights * gauss", "weights * gauss / (sigma * 6.283185307179586**0.5)"
        ),
        "variance_is_D": both("(2 * sigma**2)", "(2 * self.D)"),
        "sigma_is_D_and_two_left_out": both("(2 * sigma**2)", "self.D**2"),
        "padding_let_in": both("keys < S", "keys < scores.shape[-1]"),
        "window_after_softmax_over_padding": both("filled.softmax", "scores.softmax"),
        "tanh_for_sigmoid": both(".sigmoid()", ".tanh()"),
        "sigmoid_left_out": both(".sigmoid()", ""),
        "position_of_the_mean_query": {
            "mxnet": ("self.W_p(queries)", "self.W_p(0 * queries + queries.mean(axis=1, keepdims=True))"),
            "torch": ("self.W_p(queries)", "self.W_p(0 * queries + queries.mean(dim=1, keepdim=True))"),
        },
        "sigmoid_for_the_inner_tanh": both(
            "self.W_p(queries).tanh()", "((self.W_p(queries) / 2).tanh() / 2 + 0.5)"
        ),
        "relu_for_the_inner_tanh": both("self.W_p(queries).tanh()", "self.W_p(queries).relu()"),
        "predicted_position_cut_off": both(
            ".sigmoid()\n", ".sigmoid()\n        positions = positions.floor()\n"
        ),
        "gaussian_alone": both("return weights * gauss", "return inside * gauss"),
        "length_minus_one": both("positions = S * ", "positions = (S - 1) * "),
        "length_of_the_padded_row": both("positions = S * ", "positions = scores.shape[-1] * "),
        "padded_row_throughout": both(
            "S = valid_length.reshape", "S = (0 * valid_length + scores.shape[-1]).reshape"
        ),
        "length_left_out": both("positions = S * ", "positions = "),
        "inner_tanh_left_out": both("self.W_p(queries).tanh()", "self.W_p(queries)"),
        "predicted_position_rounded": both(
            ".sigmoid()\n", ".sigmoid()\n        positions = positions.round()\n"
        ),
    },
}
_ONE_AXIS = "valid_length has one axis, which reshape keeps whole whether it is called -1, 0 or -2"
_NEVER = "a predicted position is a real number: no word is ever exactly D away from it"
_EDGE = (
    "inside = (distance.abs() <= self.D) {0} (keys < S) → inside = (distance.abs() < self.D) {0} (keys < S)"
)
EQUIVALENT = {
    **{
        (
            "window_weights",
            "mxnet",
            f"lengths = valid_length.reshape((-1, 1, 1)) → lengths = valid_length.reshape(({n}, 1, 1))",
        ): _ONE_AXIS
        for n in ("-0", "-2")
    },
    **{
        (
            "local_predictive",
            "mxnet",
            f"S = valid_length.reshape((-1, 1, 1)) → S = valid_length.reshape(({n}, 1, 1))",
        ): _ONE_AXIS
        for n in ("-0", "-2")
    },
    ("local_predictive", "mxnet", _EDGE.format("*")): _NEVER,
    ("local_predictive", "torch", _EDGE.format("&")): _NEVER,
}
