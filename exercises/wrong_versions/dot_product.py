"""Wrong versions of the solutions on dot product."""

from exercises.wrong_versions import FRAMEWORKS, Edit, Wrong

_DOTS = {
    "mxnet": "nd.batch_dot(queries, keys, transpose_b=True)",
    "torch": "torch.bmm(queries, keys.transpose(1, 2))",
}
_ATTENDS = {
    "mxnet": "nd.batch_dot(self.dropout(weights), values)",
    "torch": "torch.bmm(self.dropout(weights), values)",
}
_MASKED = "masked_softmax(scores, valid_length)"


def _both(old: str, new: str) -> dict[str, Edit | list[Edit] | str]:
    return dict.fromkeys(FRAMEWORKS, (old, new))


_SCALE = "dots / sqrt(queries.shape[-1])"
WRONG: Wrong = {
    "scaled_scores": {
        "scores_not_scaled": _both("scores / sqrt(d_k)", "scores"),
        "scores_over_d": _both("/ sqrt(d_k)", "/ d_k"),
        "scores_over_sqrt_num_keys": _both("/ sqrt(d_k)", "/ sqrt(keys.shape[1])"),
        "scores_times_sqrt_d": _both("/ sqrt(d_k)", "* sqrt(d_k)"),
        "keys_reshaped": {
            "mxnet": (_DOTS["mxnet"], "nd.batch_dot(queries, keys.reshape((keys.shape[0], d_k, -1)))"),
            "torch": (_DOTS["torch"], "torch.bmm(queries, keys.reshape(len(keys), d_k, -1))"),
        },
        "scores_key_by_query": {
            "mxnet": (_DOTS["mxnet"], "nd.batch_dot(keys, queries, transpose_b=True)"),
            "torch": (_DOTS["torch"], "torch.bmm(keys, queries.transpose(1, 2))"),
        },
        "cosines": {
            "mxnet": (
                "scores / sqrt(d_k)",
                "scores / nd.norm(queries, axis=2).expand_dims(2) / nd.norm(keys, axis=2).expand_dims(1)",
            ),
            "torch": (
                "scores / sqrt(d_k)",
                "scores / queries.norm(dim=2).unsqueeze(2) / keys.norm(dim=2).unsqueeze(1)",
            ),
        },
        "softmax_already_taken": {
            "mxnet": ("scores / sqrt(d_k)", "(scores / sqrt(d_k)).softmax(axis=-1)"),
            "torch": ("scores / sqrt(d_k)", "(scores / sqrt(d_k)).softmax(dim=-1)"),
        },
    },
    "dot_product_attention": {
        "not_scaled": _both(_SCALE, "dots"),
        "scaled_by_d": _both(_SCALE, "dots / queries.shape[-1]"),
        "scaled_by_sqrt_num_keys": _both(_SCALE, "dots / sqrt(keys.shape[1])"),
        "softmax_over_queries": {
            "mxnet": (
                _MASKED,
                # What the mask keeps is where a masked softmax of zeros is positive.
                "nd.where(masked_softmax(scores * 0, valid_length) > 0, scores, nd.full(scores.shape, -1e6))"
                ".softmax(axis=1)",
            ),
            "torch": (
                _MASKED,
                "scores.masked_fill(masked_softmax(scores * 0, valid_length) == 0, -1e6).softmax(dim=1)",
            ),
        },
        "mask_after_softmax": _both(
            _MASKED, "masked_softmax(scores, None) * (masked_softmax(scores * 0, valid_length) > 0)"
        ),
        "renormalised_too_late": _both(
            _MASKED,
            "masked_softmax(scores, None) * (masked_softmax(scores * 0, valid_length) > 0)\n"
            "        weights = weights / weights.sum(axis=-1, keepdims=True)",
        ),
        "valid_length_ignored": _both(_MASKED, "masked_softmax(scores, None)"),
        "keys_and_values_swapped": {
            f: [
                (_DOTS[f], _DOTS[f].replace("keys", "values")),
                (_ATTENDS[f], _ATTENDS[f].replace("values", "keys")),
            ]
            for f in FRAMEWORKS
        },
        "keys_in_place_of_values": {
            f: (_ATTENDS[f], _ATTENDS[f].replace("values", "keys")) for f in FRAMEWORKS
        },
        "no_softmax": _both(_MASKED, "scores"),
        "weights_of_scores": _both("self.attention_weights = weights", "self.attention_weights = scores"),
    },
    "result_shapes": {
        "context_as_wide_as_keys": _both("(batch, num_queries, d_v)", "(batch, num_queries, d_k)"),
        "context_for_each_key": _both("(batch, num_queries, d_v)", "(batch, num_keys, d_v)"),
        "shapes_key_by_query": _both("(batch, num_queries, num_keys)", "(batch, num_keys, num_queries)"),
        "softmax_sums_an_axis_away": _both("weights = scores", "weights = scores[:2]"),
        "scores_keep_the_features": _both("num_queries, num_keys)\n", "num_queries, num_keys, d_k)\n"),
        "batch_forgotten": _both(
            "return scores, weights, context", "return scores[1:], weights[1:], context[1:]"
        ),
    },
    "score_spread": {
        "variance_for_deviation": _both(
            "sqrt(variance / d) if scaled else sqrt(variance)", "variance / d if scaled else variance"
        ),
        "grows_with_d": _both("variance = d *", "variance = d**2 *"),
        "spread_is_always_one": _both("variance = d * query_std**2 * key_std**2", "variance = d"),
        "deviations_add_up": _both("query_std**2 * key_std**2", "(query_std + key_std) ** 2"),
        "scaling_undone_by_d": _both("sqrt(variance / d)", "sqrt(variance) / d"),
        "scale_forgotten": _both("sqrt(variance / d) if scaled else sqrt(variance)", "sqrt(variance)"),
    },
}
_ORDER = "transpose swaps two axes, in whichever order they are named"
EQUIVALENT = {
    (
        "scaled_scores",
        "torch",
        "scores = torch.bmm(queries, keys.transpose(1, 2)) → scores = torch.bmm(queries, keys.transpose(2, 1))",
    ): _ORDER,
    (
        "dot_product_attention",
        "torch",
        "dots = torch.bmm(queries, keys.transpose(1, 2)) → dots = torch.bmm(queries, keys.transpose(2, 1))",
    ): _ORDER,
}
