"""Wrong versions of the solutions on attention."""

from exercises.wrong_versions import FRAMEWORKS, Wrong

_POOL_MX, _POOL_T = "nd.batch_dot(weights, values)", "torch.bmm(weights, values)"
_SCORES = "scores = -distances / (2 * width**2)"
_RETURNED = "return scores, context, num_keys"


def _both(old: str, new: str) -> dict[str, tuple[str, str]]:
    """The same edit in both frameworks."""
    return {"mxnet": (old, new), "torch": (old, new)}


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
    },
    "nadaraya_watson": {
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
    },
}
