"""Wrong versions of the solutions on attention."""

from exercises.wrong_versions import FRAMEWORKS, Wrong

_POOL_MX, _POOL_T = "nd.batch_dot(weights, values)", "torch.bmm(weights, values)"
_SCORES = "scores = -distances / (2 * width**2)"
_WEIGHTS_MX, _WEIGHTS_T = "scores.softmax(axis=-1)", "scores.softmax(dim=-1)"
_RETURNED = "return scores, context, num_keys"


def _both(old: str, new: str) -> dict[str, tuple[str, str]]:
    """The same edit in both frameworks."""
    return {"mxnet": (old, new), "torch": (old, new)}


def _effects(changed: dict[str, str]) -> dict[str, list[tuple[str, str]]]:
    """Other effects of moving something. changed: the line as it is, and the effect in its place."""
    edits = [(line, f'{line.split(":")[0]}: "{effect}"') for line, effect in changed.items()]
    return {"mxnet": edits, "torch": edits}


def _both_pooled(mxnet: str, torch: str = "") -> dict[str, tuple[str, str]]:
    """What is returned; {weights} and {values} are spread over all pairs and features."""
    spread = {"weights": "weights.reshape((*weights.shape, 1))", "values": "values[:, None]"}
    return {
        "mxnet": (_POOL_MX, mxnet.format(pooled=_POOL_MX, **spread)),
        "torch": (_POOL_T, (torch or mxnet).format(pooled=_POOL_T, **spread)),
    }


def _pooled(weights: str, values: str, unless_empty: str = "") -> dict[str, tuple[str, str]]:
    """Other factors of the product; zero where nothing is left to multiply, which MXNet refuses."""
    product, zero = f"nd.batch_dot({weights}, {values})", f" if {unless_empty} else {_POOL_MX} * 0"
    return {
        "mxnet": (_POOL_MX, product + zero if unless_empty else product),
        "torch": (_POOL_T, f"torch.bmm({weights}, {values})"),
    }


WRONG: Wrong = {
    "attention_pooling": {
        "values_averaged": {
            "mxnet": (_POOL_MX, "nd.batch_dot(nd.ones_like(weights) / weights.shape[2], values)"),
            "torch": (_POOL_T, "values.mean(dim=1, keepdim=True).expand(-1, weights.shape[1], -1)"),
        },
        "values_summed": {
            "mxnet": (_POOL_MX, "nd.batch_dot(nd.ones_like(weights), values)"),
            "torch": (_POOL_T, "torch.bmm(torch.ones_like(weights), values)"),
        },
        "weights_renormalised": {
            "mxnet": (_POOL_MX, "nd.batch_dot(weights / weights.sum(axis=-1, keepdims=True), values)"),
            "torch": (_POOL_T, "torch.bmm(weights / weights.sum(dim=-1, keepdim=True), values)"),
        },
        "softmax_again": {
            "mxnet": (_POOL_MX, "nd.batch_dot(weights.softmax(axis=-1), values)"),
            "torch": (_POOL_T, "torch.bmm(weights.softmax(dim=-1), values)"),
        },
        "only_the_heaviest_key": {
            "mxnet": (
                _POOL_MX,
                "nd.batch_dot(nd.one_hot(weights.argmax(axis=-1), weights.shape[2]), values)",
            ),
            "torch": (_POOL_T, "torch.bmm(torch.eye(weights.shape[2])[weights.argmax(dim=-1)], values)"),
        },
        "divided_by_the_number_of_keys": {
            "mxnet": (_POOL_MX, "(weights.expand_dims(3) * values.expand_dims(1)).mean(axis=2)"),
            "torch": (_POOL_T, "(weights.unsqueeze(3) * values.unsqueeze(1)).mean(dim=2)"),
        },
        "values_of_the_first_batch_element": {
            "mxnet": (_POOL_MX, "nd.dot(weights, values[0])"),
            "torch": (_POOL_T, "weights @ values[0]"),
        },
        "weights_of_the_first_query": {
            "mxnet": (
                _POOL_MX,
                "nd.batch_dot(weights[:, :1], values).broadcast_axes(axis=1, size=weights.shape[1])",
            ),
            "torch": (_POOL_T, "torch.bmm(weights[:, :1], values).expand(-1, weights.shape[1], -1)"),
        },
        "last_key_left_out": _pooled("weights[:, :, :-1]", "values[:, :-1]", "weights.shape[2] > 1"),
        "first_key_left_out": _pooled("weights[:, :, 1:]", "values[:, 1:]", "weights.shape[2] > 1"),
        "only_the_last_key": _pooled("weights[:, :, -1:]", "values[:, -1:]"),
        "only_the_first_key": _pooled("weights[:, :, :1]", "values[:, :1]"),
        "sum_carried_to_the_next_query": {
            "mxnet": (
                f"return {_POOL_MX}",
                f"context = {_POOL_MX}\n"
                "    rows = range(1, context.shape[1] + 1)\n"
                "    return nd.stack(*[context[:, :i].sum(axis=1) for i in rows], axis=1)",
            ),
            "torch": (_POOL_T, f"{_POOL_T}.cumsum(dim=1)"),
        },
        "batch_elements_added_up": {
            "mxnet": (_POOL_MX, "nd.dot(weights, values.sum(axis=0))"),
            "torch": (_POOL_T, "weights @ values.sum(dim=0)"),
        },
        "weights_of_the_first_batch_element": {
            "mxnet": (_POOL_MX, "nd.batch_dot(weights[:1].broadcast_like(weights), values)"),
            "torch": (_POOL_T, "weights[0] @ values"),
        },
        "softmax_of_the_values": _pooled("weights", "values.softmax(axis=-1)"),
        "largest_product": _both_pooled(
            "({weights} * {values}).max(axis=2)", "({weights} * {values}).amax(dim=2)"
        ),
        "products_not_summed": _both_pooled("{weights} * {values}"),
        "queries_added_up": _both_pooled("{pooled}.sum(axis=1)"),
        "queries_added_up_for_each_key": _both_pooled("({weights} * {values}).sum(axis=1)"),
        "context_transposed": _both_pooled("{pooled}.swapaxes(1, 2)"),
        "only_the_first_batch_element": _both_pooled("{pooled}[:1]"),
        "softmax_of_the_values_over_the_keys": _pooled("weights", "values.softmax(axis=1)"),
        "weights_added_to_the_values": _both_pooled("({weights} + {values}).sum(axis=2)"),
        "weights_squared": _pooled("weights**2", "values"),
        "values_squared": _pooled("weights", "values**2"),
        "normalised_again_over_the_queries": _pooled(
            "(weights / (weights.sum(axis=1, keepdims=True) + 1e-30))", "values"
        ),
        "weights_reshaped": _pooled(
            "weights.reshape((len(weights), values.shape[1], -1)).swapaxes(1, 2)", "values"
        ),
        "values_in_reverse": {
            "mxnet": (_POOL_MX, "nd.batch_dot(weights, values.flip(axis=1))"),
            "torch": (_POOL_T, "torch.bmm(weights, values.flip(1))"),
        },
        "queries_averaged": _pooled("(weights * 0 + weights.mean(axis=1, keepdims=True))", "values"),
    },
    "nadaraya_watson": {
        "kernels_of_the_features_added": {
            "mxnet": [
                (
                    "distances = (gaps**2).sum(axis=-1)",
                    "kernel = (-(gaps**2) / (2 * width**2)).exp().sum(axis=-1)",
                ),
                ("    scores = -distances / (2 * width**2)\n", ""),
                ("scores.softmax(axis=-1)", "kernel / kernel.sum(axis=-1, keepdims=True)"),
            ],
            "torch": [
                (
                    "distances = (gaps**2).sum(dim=-1)",
                    "kernel = (-(gaps**2) / (2 * width**2)).exp().sum(dim=-1)",
                ),
                ("    scores = -distances / (2 * width**2)\n", ""),
                ("scores.softmax(dim=-1)", "kernel / kernel.sum(dim=-1, keepdim=True)"),
            ],
        },
        "width_not_squared": _both("width**2", "width"),
        "width_squared_twice": _both("width**2", "width**4"),
        "width_multiplied": _both(_SCORES, "scores = -distances * width**2 / 2"),
        "factor_two_forgotten": _both(_SCORES, "scores = -distances / width**2"),
        "distance_not_squared": _both("-distances", "-distances.sqrt()"),
        "distances_averaged": {
            "mxnet": ("sum(axis=-1)", "mean(axis=-1)"),
            "torch": ("sum(dim=-1)", "mean(dim=-1)"),
        },
        "far_keys_count_more": _both("-distances", "distances"),
        "kernel_not_normalised": {
            "mxnet": ("scores.softmax(axis=-1)", "scores.exp()"),
            "torch": ("scores.softmax(dim=-1)", "scores.exp()"),
        },
        "normalised_over_the_queries": {
            "mxnet": ("scores.softmax(axis=-1)", "scores.softmax(axis=1)"),
            "torch": ("scores.softmax(dim=-1)", "scores.softmax(dim=1)"),
        },
        "all_keys_count_alike": _both("scores = -", "scores = 0 * "),
        "two_squared_too": _both("(2 * width**2)", "(2 * width) ** 2"),
        "width_left_out": _both("(2 * width**2)", "2"),
        "distance_over_two_widths": _both(_SCORES, "scores = -distances.sqrt() / (2 * width)"),
        "distance_over_width": _both(_SCORES, "scores = -distances.sqrt() / width"),
        "differences_not_squared": _both("(gaps**2)", "gaps.abs()"),
        "summed_before_squaring": {
            "mxnet": ("(gaps**2).sum(axis=-1)", "gaps.sum(axis=-1) ** 2"),
            "torch": ("(gaps**2).sum(dim=-1)", "gaps.sum(dim=-1) ** 2"),
        },
        "sum_for_difference": {
            "mxnet": ("expand_dims(2) - keys", "expand_dims(2) + keys"),
            "torch": ("unsqueeze(2) - keys", "unsqueeze(2) + keys"),
        },
        "cross_term_once": {
            "mxnet": ("= -distances", "= -(distances + nd.batch_dot(queries, keys, transpose_b=True))"),
            "torch": ("= -distances", "= -(distances + torch.bmm(queries, keys.transpose(1, 2)))"),
        },
        "products_for_distances": {
            "mxnet": ("= -distances", "= nd.batch_dot(queries, keys, transpose_b=True)"),
            "torch": ("= -distances", "= torch.bmm(queries, keys.transpose(1, 2))"),
        },
        "softmax_of_the_kernel": _both("scores.softmax", "scores.exp().softmax"),
        "scaled_after_the_softmax": {
            "mxnet": [(_SCORES, "scores = -distances"), (_WEIGHTS_MX, f"{_WEIGHTS_MX} / (2 * width**2)")],
            "torch": [(_SCORES, "scores = -distances"), (_WEIGHTS_T, f"{_WEIGHTS_T} / (2 * width**2)")],
        },
        "kernel_over_the_number_of_keys": {
            "mxnet": (_WEIGHTS_MX, "scores.exp() / keys.shape[1]"),
            "torch": (_WEIGHTS_T, "scores.exp() / keys.shape[1]"),
        },
        "kernel_is_a_density": {
            "mxnet": (_WEIGHTS_MX, "scores.exp() / (2 * 3.14159265) ** 0.5 / width"),
            "torch": (_WEIGHTS_T, "scores.exp() / (2 * 3.14159265) ** 0.5 / width"),
        },
        "normalised_over_all_pairs": {
            "mxnet": (_WEIGHTS_MX, "scores.exp() / scores.exp().sum(axis=(1, 2), keepdims=True)"),
            "torch": (_WEIGHTS_T, "scores.exp() / scores.exp().sum(dim=(1, 2), keepdim=True)"),
        },
        "normalised_over_the_batch": {
            "mxnet": (_WEIGHTS_MX, "scores.softmax(axis=0)"),
            "torch": (_WEIGHTS_T, "scores.softmax(dim=0)"),
        },
        "only_the_nearest_key": {
            "mxnet": (_WEIGHTS_MX, "nd.one_hot(distances.argmin(axis=-1), keys.shape[1])"),
            "torch": (_WEIGHTS_T, "torch.eye(keys.shape[1])[distances.argmin(dim=-1)]"),
        },
        "keys_pooled": {
            "mxnet": ("nd.batch_dot(weights, values)", "nd.batch_dot(weights, keys)"),
            "torch": ("torch.bmm(weights, values)", "torch.bmm(weights, keys)"),
        },
        "only_the_distance_over_the_width": _both("(2 * width**2)", "width"),
        "distance_over_squared_width": _both(_SCORES, "scores = -distances.sqrt() / width**2"),
        "distance_squared_twice": _both("-distances", "-(distances**2)"),
        "width_and_two_left_out": _both(_SCORES, "scores = -distances"),
        "softmax_twice": {
            "mxnet": (_WEIGHTS_MX, f"{_WEIGHTS_MX}.softmax(axis=-1)"),
            "torch": (_WEIGHTS_T, f"{_WEIGHTS_T}.softmax(dim=-1)"),
        },
        "exponential_left_out": {
            "mxnet": (_WEIGHTS_MX, "scores / scores.sum(axis=-1, keepdims=True)"),
            "torch": (_WEIGHTS_T, "scores / scores.sum(dim=-1, keepdim=True)"),
        },
        "near_keys_by_their_reciprocal": {
            "mxnet": (_WEIGHTS_MX, "1 / (1 - scores) / (1 / (1 - scores)).sum(axis=-1, keepdims=True)"),
            "torch": (_WEIGHTS_T, "1 / (1 - scores) / (1 / (1 - scores)).sum(dim=-1, keepdim=True)"),
        },
        "scores_for_weights": {"mxnet": (_WEIGHTS_MX, "scores"), "torch": (_WEIGHTS_T, "scores")},
        "products_over_width": {
            "mxnet": (_SCORES, "scores = nd.batch_dot(queries, keys, transpose_b=True) / width"),
            "torch": (_SCORES, "scores = torch.bmm(queries, keys.transpose(1, 2)) / width"),
        },
        "weights_returned": {
            "mxnet": ("nd.batch_dot(weights, values)", "weights"),
            "torch": ("torch.bmm(weights, values)", "weights"),
        },
    },
    "predict_shapes": {
        "context_as_wide_as_keys": _both(
            "context = (batch, num_queries, d_v)", "context = (batch, num_queries, d_k)"
        ),
        "a_context_for_each_key": _both(
            "context = (batch, num_queries, d_v)", "context = (batch, num_keys, d_v)"
        ),
        "scores_transposed": _both(
            "scores = (batch, num_queries, num_keys)", "scores = (batch, num_keys, num_queries)"
        ),
        "scores_are_vectors": _both("num_queries, num_keys)\n    c", "num_queries, num_keys, d_k)\n    c"),
        "batch_forgotten": _both(_RETURNED, "return scores[1:], context[1:], num_keys"),
        "softmax_over_the_queries": _both(_RETURNED, "return scores, context, num_queries"),
        "softmax_over_the_matrix": _both(_RETURNED, "return scores, context, num_queries * num_keys"),
        "scores_as_wide_as_keys": _both(_RETURNED, "return (batch, num_queries, d_k), context, num_keys"),
        "one_score_for_each_query": _both(_RETURNED, "return scores[:2], context, num_keys"),
        "one_context_for_all_queries": _both(_RETURNED, "return scores, (batch, d_v), num_keys"),
        "context_keeps_the_keys": _both(_RETURNED, "return scores, (*scores, d_v), num_keys"),
        "context_as_wide_as_the_weights": _both(_RETURNED, "return scores, scores, num_keys"),
        "context_has_a_row_for_each_feature": _both(
            _RETURNED, "return scores, (batch, d_v, num_queries), num_keys"
        ),
        "context_is_like_the_values": _both(_RETURNED, "return scores, (batch, num_keys, d_v), d_v"),
        "queries_and_keys_exchanged": _both(
            _RETURNED, "return (batch, num_keys, num_queries), (batch, num_keys, d_v), num_queries"
        ),
        "rows_are_keys": _both(_RETURNED, "return (batch, num_keys, num_queries), context, num_queries"),
        "a_weight_for_each_feature_of_a_value": _both(_RETURNED, "return scores, context, d_v"),
        "a_weight_for_each_feature_of_a_key": _both(_RETURNED, "return scores, context, d_k"),
        "all_weights_counted": _both(_RETURNED, "return scores, context, batch * num_queries * num_keys"),
        "the_sum_for_the_count": _both(_RETURNED, "return scores, context, 1"),
        "a_shape_for_the_count": _both(_RETURNED, "return scores, context, (batch, num_keys)"),
        "context_first": _both(_RETURNED, "return context, scores, num_keys"),
    },
    "after_permuting": {
        "nothing_depends_on_order": _both("}[moved]", "} and 'same'"),
        "everything_moves_along": _both("}[moved]", "} and 'moved'"),
        "a_sum_ignores_any_order": {
            framework: [('"keys": "other"', '"keys": "same"'), ('"values": "other"', '"values": "same"')]
            for framework in FRAMEWORKS
        },
        "queries_have_no_order": _both('"queries": "moved"', '"queries": "same"'),
        "self_attention_invariant": _both(
            '"queries, keys and values": "moved"', '"queries, keys and values": "same"'
        ),
        "pairs_move_the_context": _both('"keys and values": "same"', '"keys and values": "moved"'),
        "order_always_matters": _both("}[moved]", "} and 'other'"),
        "queries_make_other_numbers": _both('"queries": "moved"', '"queries": "other"'),
        "keys_alone_change_nothing": _both('"keys": "other"', '"keys": "same"'),
        "values_alone_change_nothing": _both('"values": "other"', '"values": "same"'),
        "keys_move_the_context": _effects({'"keys": "other"': "moved", '"values": "other"': "moved"}),
        "queries_other_and_keys_the_same": _effects(
            {'"queries": "moved"': "other", '"keys": "other"': "same", '"values": "other"': "same"}
        ),
        "queries_the_same_and_pairs_moved": _effects(
            {'"queries": "moved"': "same", '"keys and values": "same"': "moved"}
        ),
        "keys_alone_move_the_context": _both('"keys": "other"', '"keys": "moved"'),
        "values_alone_move_the_context": _both('"values": "other"', '"values": "moved"'),
    },
}
