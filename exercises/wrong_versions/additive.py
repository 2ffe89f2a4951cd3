"""Wrong versions of the solutions on additive."""

from exercises.wrong_versions import FRAMEWORKS, Edit, Wrong
from exercises.wrong_versions.dot_product import ATTENDED_WRONGLY

_SUM = "(from_query + from_key).tanh()"
_MASKED = "masked_softmax(scores, valid_length)"
_SCORES = {"mxnet": "self.w_v(features).squeeze(axis=-1)", "torch": "self.w_v(features).squeeze(dim=-1)"}
_RESULT = {
    "mxnet": "nd.dot(features, w_v.T).squeeze(axis=-1)",
    "torch": "(features @ w_v.T).squeeze(dim=-1)",
}
_ATTENDS = {
    "mxnet": "nd.batch_dot(self.dropout(weights), values)",
    "torch": "torch.bmm(self.dropout(weights), values)",
}


def _both(old: str, new: str) -> dict[str, Edit | list[Edit] | str]:
    return dict.fromkeys(FRAMEWORKS, (old, new))


def _each(old: dict[str, str], new: str, **more: str) -> dict[str, Edit | list[Edit] | str]:
    """`new` may hold the old text as {0}, and words that differ between frameworks."""
    return {
        f: (text, new.format(text, **{k: v.split("|")[f == "torch"] for k, v in more.items()}))
        for f, text in old.items()
    }


WRONG: Wrong = {
    "additive_scores": {
        "query_blind": _both(_SUM, "from_query.tanh() + from_key.tanh()"),
        "no_tanh": _both(_SUM, "from_query + from_key"),
        "tanh_of_the_score": {
            f: [(_SUM, "from_query + from_key"), (_RESULT[f], f"{_RESULT[f]}.tanh()")] for f in FRAMEWORKS
        },
        "product_for_sum": _both("from_query + from_key", "from_query * from_key"),
        "weights_swapped": {
            "mxnet": [("(queries, W_q.T)", "(queries, W_k.T)"), ("(keys, W_k.T)", "(keys, W_q.T)")],
            "torch": [("queries @ W_q.T", "queries @ W_k.T"), ("keys @ W_k.T", "keys @ W_q.T")],
        },
        "units_summed": _each(_RESULT, "features.sum({axis}=-1)", axis="axis|dim"),
        "scores_key_by_query": _each(_RESULT, "{0}.{swap}(1, 2)", swap="swapaxes|transpose"),
        "softmax_over_units": {
            "mxnet": (_SUM, "(from_query + from_key).softmax(axis=-1)"),
            "torch": (_SUM, "(from_query + from_key).softmax(dim=-1)"),
        },
        "relu_for_tanh": _both(_SUM, "(from_query + from_key).relu()"),
        "sigmoid_for_tanh": _both(_SUM, "(from_query + from_key).sigmoid()"),
        "tanh_before_and_after_the_sum": _both(_SUM, "(from_query.tanh() + from_key.tanh()).tanh()"),
        "tanh_of_the_score_too": _each(_RESULT, "{0}.tanh()"),
        "tanh_of_the_key_only": _both(_SUM, "from_query + from_key.tanh()"),
        "tanh_of_the_query_only": _both(_SUM, "from_query.tanh() + from_key"),
        "difference_for_sum": _both(_SUM, "(from_query - from_key).tanh()"),
        "scores_over_root_of_units": _each(_RESULT, "{0} / features.shape[-1] ** 0.5"),
        "mean_over_the_units": _each(_RESULT, "{0} / features.shape[-1]"),
        "w_v_inside_the_tanh": {
            "mxnet": [
                (_SUM, "((from_query + from_key) * w_v.reshape((1, 1, 1, -1))).tanh()"),
                (_RESULT["mxnet"], "features.sum(axis=-1)"),
            ],
            "torch": [
                (_SUM, "((from_query + from_key) * w_v).tanh()"),
                (_RESULT["torch"], "features.sum(dim=-1)"),
            ],
        },
        "query_left_out": _both(_SUM, "(0 * from_query + from_key).tanh()"),
        "key_left_out": _both(_SUM, "(from_query + 0 * from_key).tanh()"),
        "weighted_dot_product": _both(_SUM, "from_query * from_key"),
        "tanh_of_each_multiplied": _both(_SUM, "from_query.tanh() * from_key.tanh()"),
        "tanh_twice_of_the_sum": _both(_SUM, "(from_query + from_key).tanh().tanh()"),
        "softmax_already_taken": _each(_RESULT, "{0}.softmax({axis}=-1)", axis="axis|dim"),
        "units_summed_as_published": {
            "mxnet": [
                (_SUM, "from_query.tanh() + from_key.tanh()"),
                (_RESULT["mxnet"], "features.sum(axis=-1)"),
            ],
            "torch": [
                (_SUM, "from_query.tanh() + from_key.tanh()"),
                (_RESULT["torch"], "features.sum(dim=-1)"),
            ],
        },
        "units_summed_without_tanh": {
            "mxnet": [(_SUM, "from_query + from_key"), (_RESULT["mxnet"], "features.sum(axis=-1)")],
            "torch": [(_SUM, "from_query + from_key"), (_RESULT["torch"], "features.sum(dim=-1)")],
        },
        "features_returned": _each(_RESULT, "features"),
        "last_axis_kept": {
            "mxnet": (".squeeze(axis=-1)", ""),
            "torch": (".squeeze(dim=-1)", ""),
        },
        "features_weighted_not_summed": _each(_RESULT, "features * w_v.reshape((1, 1, 1, -1))"),
        "largest_unit": {
            "mxnet": (_RESULT["mxnet"], "(features * w_v.reshape((1, 1, 1, -1))).max(axis=-1)"),
            "torch": (_RESULT["torch"], "(features * w_v[0]).amax(dim=-1)"),
        },
        "matrices_reshaped": {
            f: [
                ("W_q.T", "W_q.reshape((W_q.shape[1], W_q.shape[0]))"),
                ("W_k.T", "W_k.reshape((W_k.shape[1], W_k.shape[0]))"),
            ]
            for f in FRAMEWORKS
        },
        "projections_compared": {
            "mxnet": [(_SUM, "from_query * from_key"), (_RESULT["mxnet"], "features.sum(axis=-1)")],
            "torch": [(_SUM, "from_query * from_key"), (_RESULT["torch"], "features.sum(dim=-1)")],
        },
        "exponential_taken": _each(_RESULT, "{0}.exp()"),
    },
    "additive_attention": {
        "attention_without_w_v": {
            "mxnet": ("self.w_v(features).squeeze(axis=-1)", "features.sum(axis=-1)"),
            "torch": ("self.w_v(features).squeeze(dim=-1)", "features.sum(dim=-1)"),
        },
        "attention_with_softmax_over_units": {
            "mxnet": ("(from_query + from_key).tanh()", "(from_query + from_key).softmax(axis=-1)"),
            "torch": ("(from_query + from_key).tanh()", "(from_query + from_key).softmax(dim=-1)"),
        },
        "scaled_by_the_key_width": {
            "mxnet": (
                "self.w_v(features).squeeze(axis=-1)",
                "self.w_v(features).squeeze(axis=-1) / keys.shape[-1] ** 0.5",
            ),
            "torch": (
                "self.w_v(features).squeeze(dim=-1)",
                "self.w_v(features).squeeze(dim=-1) / keys.shape[-1] ** 0.5",
            ),
        },
        "scaled_by_the_query_width": {
            "mxnet": (
                "self.w_v(features).squeeze(axis=-1)",
                "self.w_v(features).squeeze(axis=-1) / queries.shape[-1] ** 0.5",
            ),
            "torch": (
                "self.w_v(features).squeeze(dim=-1)",
                "self.w_v(features).squeeze(dim=-1) / queries.shape[-1] ** 0.5",
            ),
        },
        "attention_sign_turned": {
            "mxnet": ("self.w_v(features).squeeze(axis=-1)", "-self.w_v(features).squeeze(axis=-1)"),
            "torch": ("self.w_v(features).squeeze(dim=-1)", "-self.w_v(features).squeeze(dim=-1)"),
        },
        "attention_by_sigmoid": {
            "mxnet": [
                (
                    "masked_softmax(scores, valid_length)",
                    "scores.sigmoid() * (masked_softmax(scores * 0, valid_length) > 0)",
                )
            ],
            "torch": [
                (
                    "masked_softmax(scores, valid_length)",
                    "scores.sigmoid() * (masked_softmax(scores * 0, valid_length) > 0)",
                )
            ],
        },
        "attention_by_distance": {
            "mxnet": (
                "self.w_v(features).squeeze(axis=-1)",
                "-(from_query - from_key).square().sum(axis=-1)",
            ),
            "torch": ("self.w_v(features).squeeze(dim=-1)", "-(from_query - from_key).square().sum(dim=-1)"),
        },
        "attention_squared_sum": {
            "mxnet": [("(from_query + from_key).tanh()", "(from_query + from_key).square()")],
            "torch": [("(from_query + from_key).tanh()", "(from_query + from_key).square()")],
        },
        "dot_product_of_the_terms": {
            "mxnet": ("self.w_v(features).squeeze(axis=-1)", "(from_query * from_key).sum(axis=-1)"),
            "torch": ("self.w_v(features).squeeze(dim=-1)", "(from_query * from_key).sum(dim=-1)"),
        },
        "softmax_over_all_pairs": {
            "mxnet": (
                "masked_softmax(scores, valid_length)",
                "nd.where(masked_softmax(scores * 0, valid_length) > 0, scores, nd.full(scores.shape, -1e6))\n        weights = weights.reshape((len(scores), -1)).softmax(axis=-1).reshape(scores.shape)",
            ),
            "torch": (
                "masked_softmax(scores, valid_length)",
                "scores.masked_fill(masked_softmax(scores * 0, valid_length) == 0, -1e6)\n        weights = weights.flatten(1).softmax(dim=-1).reshape(scores.shape)",
            ),
        },
        "attention_query_blind": _both(_SUM, "from_query.tanh() + from_key.tanh()"),
        "attention_without_tanh": _both(_SUM, "from_query + from_key"),
        "attention_with_tanh_of_the_score": {
            f: [(_SUM, "from_query + from_key"), (_SCORES[f], f"{_SCORES[f]}.tanh()")] for f in FRAMEWORKS
        },
        "attention_with_product": _both("from_query + from_key", "from_query * from_key"),
        "attention_with_weights_swapped": {
            f: [("self.W_q(queries)", "self.W_k(queries)"), ("self.W_k(keys)", "self.W_q(keys)")]
            for f in FRAMEWORKS
        },
        "scaled_by_sqrt_units": _each(_SCORES, "{0} / features.shape[-1] ** 0.5"),
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
        "keys_in_place_of_values": {
            f: (_ATTENDS[f], _ATTENDS[f].replace("values", "keys")) for f in FRAMEWORKS
        },
        "relu_for_tanh": _both(_SUM, "(from_query + from_key).relu()"),
        "tanh_before_and_after_the_sum": _both(_SUM, "(from_query.tanh() + from_key.tanh()).tanh()"),
        "tanh_of_the_score_too": _each(_SCORES, "{0}.tanh()"),
        "difference_for_sum": _both(_SUM, "(from_query - from_key).tanh()"),
        "mean_over_the_units": _each(_SCORES, "{0} / features.shape[-1]"),
        "w_v_inside_the_tanh": {
            "mxnet": [
                (_SUM, "((from_query + from_key) * self.w_v.weight.data().reshape((1, 1, 1, -1))).tanh()"),
                (_SCORES["mxnet"], "features.sum(axis=-1)"),
            ],
            "torch": [
                (_SUM, "((from_query + from_key) * self.w_v.weight).tanh()"),
                (_SCORES["torch"], "features.sum(dim=-1)"),
            ],
        },
        "weighted_dot_product": _both(_SUM, "from_query * from_key"),
        "tanh_of_each_multiplied": _both(_SUM, "from_query.tanh() * from_key.tanh()"),
        "tanh_twice_of_the_sum": _both(_SUM, "(from_query + from_key).tanh().tanh()"),
        **ATTENDED_WRONGLY,
        "no_softmax": _both(_MASKED, "scores"),
        "weights_of_scores": _both("self.attention_weights = weights", "self.attention_weights = scores"),
    },
    "score_bytes": {
        "units_left_out": _both("4 * pairs * units", "4 * pairs"),
        "entries_for_bytes": _both("return additive, dot_product", "return additive // 4, dot_product // 4"),
        "eight_bytes": _both("return additive, dot_product", "return 2 * additive, 2 * dot_product"),
        "projections_only": _both("4 * pairs * units", "4 * batch * (num_queries + num_keys) * units"),
        "units_in_both": _both("dot_product = 4 * pairs", "dot_product = 4 * pairs * units"),
        "batch_left_out": _both("batch * num_queries", "num_queries"),
        "bits_for_bytes": _both("return additive, dot_product", "return 8 * additive, 8 * dot_product"),
        "half_precision": _both("return additive, dot_product", "return additive // 2, dot_product // 2"),
        "kilobytes": _both("return additive, dot_product", "return additive / 1024, dot_product / 1024"),
        "answers_exchanged": _both("return additive, dot_product", "return dot_product, additive"),
        "arrays_added_up": _both(
            "return additive, dot_product", "return additive + dot_product, dot_product"
        ),
        "features_and_terms_added_up": _both(
            "return additive, dot_product",
            "return additive + 4 * batch * (num_queries + num_keys) * units, dot_product",
        ),
        "two_arrays_of_features": _both("return additive, dot_product", "return 2 * additive, dot_product"),
        "units_squared": _both("return additive, dot_product", "return additive * units, dot_product"),
        "queries_by_queries": _both(
            "return additive, dot_product",
            "return additive // num_keys * num_queries, dot_product // num_keys * num_queries",
        ),
        "keys_by_keys": _both(
            "return additive, dot_product",
            "return additive // num_queries * num_keys, dot_product // num_queries * num_keys",
        ),
        "keys_left_out": _both(
            "return additive, dot_product", "return additive // num_keys, dot_product // num_keys"
        ),
        "queries_left_out": _both(
            "return additive, dot_product", "return additive // num_queries, dot_product // num_queries"
        ),
        "queries_plus_keys": _both(
            "return additive, dot_product",
            "return 4 * batch * (num_queries + num_keys) * units, 4 * batch * (num_queries + num_keys)",
        ),
        "dot_product_of_the_inputs": _both(
            "return additive, dot_product", "return additive, 4 * batch * (num_queries + num_keys) * units"
        ),
        "bytes_of_the_first_only": _both("return additive, dot_product", "return additive, dot_product // 4"),
    },
}
