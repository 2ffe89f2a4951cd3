"""Wrong versions of the solutions on additive."""

from exercises.wrong_versions import FRAMEWORKS, Edit, Wrong

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
    },
    "additive_attention": {
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
    },
    "score_bytes": {
        "units_left_out": _both("4 * pairs * units", "4 * pairs"),
        "entries_for_bytes": _both("return additive, dot_product", "return additive // 4, dot_product // 4"),
        "eight_bytes": _both("return additive, dot_product", "return 2 * additive, 2 * dot_product"),
        "projections_only": _both("4 * pairs * units", "4 * batch * (num_queries + num_keys) * units"),
        "units_in_both": _both("dot_product = 4 * pairs", "dot_product = 4 * pairs * units"),
        "batch_left_out": _both("batch * num_queries", "num_queries"),
    },
}
