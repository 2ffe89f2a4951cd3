"""Wrong versions of the solutions on dot product."""

from exercises.wrong_versions import FRAMEWORKS, Edit, Wrong
from solutions.dot_product.in_numpy import weights_after

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


def _effects(changed: dict[str, str]) -> dict[str, Edit | list[Edit] | str]:
    """Other answers to what a change does. changed: the change, and the answer in the place of the right one."""
    edits: list[Edit] = [
        (f'"{change}": "{weights_after(change)}"', f'"{change}": "{effect}"')
        for change, effect in changed.items()
    ]
    return dict.fromkeys(FRAMEWORKS, edits)


def _softmax(scores: str, after: str = "") -> dict[str, Edit | list[Edit] | str]:
    return {
        "mxnet": ("scores / sqrt(d_k)", f"{scores}.softmax(axis=-1){after}"),
        "torch": ("scores / sqrt(d_k)", f"{scores}.softmax(dim=-1){after}"),
    }


# What the mask keeps is where a masked softmax of zeros is positive.
_KEPT = "(masked_softmax(scores * 0, valid_length) > 0)"
_SOME = "valid_length is None"


def _attended(mxnet: str, torch: str) -> dict[str, Edit | list[Edit] | str]:
    """Another product for the context; {product} is what averages the values."""
    made = {"mxnet": mxnet, "torch": torch}
    return {f: (_ATTENDS[f], made[f].format(product=_ATTENDS[f])) for f in FRAMEWORKS}


# Of a layer that computes scores, weights and the context in lines as these: additive attention is another.
ATTENDED_WRONGLY: dict[str, dict[str, Edit | list[Edit] | str]] = {
    "one_key_too_many": _both(_MASKED, f"masked_softmax(scores, None if {_SOME} else valid_length + 1)"),
    "masked_with_zero": _both(_MASKED, f"masked_softmax(scores * {_KEPT}, None)"),
    "mask_added_to_scores": _both(_MASKED, f"masked_softmax(scores + 1 * {_KEPT}, None)"),
    "padding_added_to_scores": _both(_MASKED, f"masked_softmax(scores - 1 * {_KEPT}, None)"),
    "mask_inverted": {
        "mxnet": (
            _MASKED,
            f"masked_softmax(scores, None) if {_SOME} else masked_softmax("
            f"nd.where({_KEPT}, nd.full(scores.shape, -1e6), scores), None)",
        ),
        "torch": (
            _MASKED,
            f"masked_softmax(scores if {_SOME} else scores.masked_fill({_KEPT}, -1e6), None)",
        ),
    },
    "first_query_decides": _both(
        _MASKED,
        f"masked_softmax(scores, valid_length if {_SOME} or valid_length.ndim == 1 else valid_length[:, 0])",
    ),
    "masked_softmax_twice": _both(_MASKED, f"masked_softmax({_MASKED}, valid_length)"),
    "softmax_after_masked_softmax": _both(_MASKED, f"masked_softmax({_MASKED}, None)"),
    "context_over_number_of_keys": _attended("{product} / keys.shape[1]", "{product} / keys.shape[1]"),
    "only_the_context_masked": {
        f: [
            (_MASKED, "masked_softmax(scores, None)"),
            (_ATTENDS[f], _ATTENDS[f].replace("(weights)", f"(weights * {_KEPT})")),
        ]
        for f in FRAMEWORKS
    },
    "context_of_unmasked_weights": {
        f: (_ATTENDS[f], _ATTENDS[f].replace("weights", "masked_softmax(scores, None)")) for f in FRAMEWORKS
    },
    "context_of_scores": {f: (_ATTENDS[f], _ATTENDS[f].replace("weights", "scores")) for f in FRAMEWORKS},
    "queries_softmax_then_masked": {
        "mxnet": (_MASKED, f"scores.softmax(axis=1) * {_KEPT}"),
        "torch": (_MASKED, f"scores.softmax(dim=1) * {_KEPT}"),
    },
    "only_the_best_key": {
        "mxnet": (_MASKED, f"nd.one_hot({_MASKED}.argmax(axis=-1), keys.shape[1])"),
        "torch": (_MASKED, f"torch.eye(keys.shape[1])[{_MASKED}.argmax(dim=-1)]"),
    },
    "all_valid_keys_alike": _both(_MASKED, "masked_softmax(scores * 0, valid_length)"),
}
_SPREAD = "sqrt(variance / d) if scaled else sqrt(variance)"
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
        "scores_over_sqrt_num_queries": _both("/ sqrt(d_k)", "/ sqrt(queries.shape[1])"),
        "scores_over_two": _both("/ sqrt(d_k)", "/ 2"),
        "scores_over_log_d": _both("scores / sqrt(d_k)", "scores / __import__('math').log(d_k)"),
        "scores_over_d_squared": _both("/ sqrt(d_k)", "/ d_k**2"),
        "scores_over_fourth_root": _both("/ sqrt(d_k)", "/ d_k**0.25"),
        "negative_squared_distances": _both(
            "scores / sqrt(d_k)",
            "2 * scores - (queries**2).sum(axis=-1)[:, :, None] - (keys**2).sum(axis=-1)[:, None]",
        ),
        "products_not_summed": _both("scores / sqrt(d_k)", "queries[:, :, None] * keys[:, None] / sqrt(d_k)"),
        "softmax_not_scaled": _softmax("scores"),
        "softmax_over_d": _softmax("(scores / d_k)"),
        "softmax_then_scaled": _softmax("scores", " / sqrt(d_k)"),
        "cosines_scaled": _both(
            "scores / sqrt(d_k)",
            "scores / sqrt(d_k) / (queries**2).sum(axis=-1).sqrt()[:, :, None] / (keys**2).sum(axis=-1).sqrt()[:, None]",
        ),
        "scores_of_the_first_batch_element": {
            "mxnet": ("scores / sqrt(d_k)", "scores[:1].broadcast_like(scores) / sqrt(d_k)"),
            "torch": ("scores / sqrt(d_k)", "scores[:1].expand(len(scores), -1, -1) / sqrt(d_k)"),
        },
        "keys_of_the_first_batch_element": {
            "mxnet": (_DOTS["mxnet"], "nd.dot(queries, keys[0], transpose_b=True)"),
            "torch": (_DOTS["torch"], "queries @ keys[0].T"),
        },
        "queries_with_themselves": {f: (d, d.replace("keys", "queries")) for f, d in _DOTS.items()},
        "key_by_query_not_scaled": _both("scores / sqrt(d_k)", "scores.swapaxes(1, 2)"),
        "scores_squashed": _both("scores / sqrt(d_k)", "(scores / sqrt(d_k)).tanh()"),
        "exponential_taken": _both("scores / sqrt(d_k)", "(scores / sqrt(d_k)).exp()"),
        "maximum_taken_off": {
            "mxnet": ("scores / sqrt(d_k)", "(scores - scores.max(axis=-1, keepdims=True)) / sqrt(d_k)"),
            "torch": ("scores / sqrt(d_k)", "(scores - scores.amax(dim=-1, keepdim=True)) / sqrt(d_k)"),
        },
        "keys_reshaped_not_scaled": {
            "mxnet": [
                (_DOTS["mxnet"], "nd.batch_dot(queries, keys.reshape((keys.shape[0], d_k, -1)))"),
                ("scores / sqrt(d_k)", "scores"),
            ],
            "torch": [
                (_DOTS["torch"], "torch.bmm(queries, keys.reshape(len(keys), d_k, -1))"),
                ("scores / sqrt(d_k)", "scores"),
            ],
        },
        "scores_times_d": _both("/ sqrt(d_k)", "* d_k"),
        "scores_over_sqrt_batch": _both("/ sqrt(d_k)", "/ sqrt(len(queries))"),
        "scores_over_number_of_keys": _both("/ sqrt(d_k)", "/ keys.shape[1]"),
        "distances_over_sqrt_d": _both(
            "scores / sqrt(d_k)",
            "(2 * scores - (queries**2).sum(axis=-1)[:, :, None] - (keys**2).sum(axis=-1)[:, None]) / sqrt(d_k)",
        ),
        "scores_negated": _both("scores / sqrt(d_k)", "-scores / sqrt(d_k)"),
        "negative_scores_cut": _both("scores / sqrt(d_k)", "scores.relu() / sqrt(d_k)"),
        "only_the_queries_length_one": _both(
            "scores / sqrt(d_k)", "scores / (queries**2).sum(axis=-1).sqrt()[:, :, None]"
        ),
        "only_the_keys_length_one": _both(
            "scores / sqrt(d_k)", "scores / (keys**2).sum(axis=-1).sqrt()[:, None]"
        ),
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
        **ATTENDED_WRONGLY,
        "multiplied_by_sqrt_d": _both(_SCALE, "dots * sqrt(queries.shape[-1])"),
        "scaled_by_sqrt_d_v": _both(_SCALE, "dots / sqrt(values.shape[-1])"),
        "scaled_by_sqrt_num_queries": _both(_SCALE, "dots / sqrt(queries.shape[1])"),
        "weights_scaled": _both(
            f"scores = {_SCALE}\n        weights = {_MASKED}",
            "weights = masked_softmax(dots, valid_length) / sqrt(queries.shape[-1])",
        ),
        "compared_by_distance": _both(
            _SCALE, "2 * dots - (queries**2).sum(axis=-1)[:, :, None] - (keys**2).sum(axis=-1)[:, None]"
        ),
        "compared_by_cosine": _both(
            _SCALE,
            "dots / (queries**2).sum(axis=-1).sqrt()[:, :, None] / (keys**2).sum(axis=-1).sqrt()[:, None]",
        ),
        "keys_reshaped_for_the_scores": {
            "mxnet": (_DOTS["mxnet"], "nd.batch_dot(queries, keys.reshape((len(keys), keys.shape[2], -1)))"),
            "torch": (_DOTS["torch"], "torch.bmm(queries, keys.reshape(len(keys), keys.shape[2], -1))"),
        },
    },
    "weights_after": {
        "nothing_changes_the_weights": _both("}[change]", "} and 'same'"),
        "every_change_changes_them": _both("}[change]", "} and 'other'"),
        "vector_on_the_keys_counts": _effects({"a vector added to all keys": "other"}),
        "vector_on_the_queries_cancels": _effects({"a vector added to all queries": "same"}),
        "vectors_exchanged": _effects(
            {"a vector added to all keys": "other", "a vector added to all queries": "same"}
        ),
        "softmax_undoes_a_factor": _effects({"queries doubled": "same"}),
        "doubling_flattens": _effects({"queries doubled": "flatter"}),
        "doubling_reorders": _effects({"queries doubled": "other"}),
        "doubled_queries_win": _effects({"queries doubled, keys halved": "sharper"}),
        "halved_keys_win": _effects({"queries doubled, keys halved": "flatter"}),
        "both_changed_is_other": _effects({"queries doubled, keys halved": "other"}),
        "zeros_have_no_effect": _effects({"a feature of 0 for both": "same"}),
        "zeros_sharpen": _effects({"a feature of 0 for both": "sharper"}),
        "divisor_takes_all_growth_off": _effects({"every feature twice": "same"}),
        "twice_flattens": _effects({"every feature twice": "flatter"}),
        "divisor_ignored_or_trusted": _effects(
            {"a feature of 0 for both": "same", "every feature twice": "same"}
        ),
        "order_of_features_counts": _effects({"features of both in one new order": "other"}),
        "order_of_the_keys_features_ignored": _effects({"features of the keys in a new order": "same"}),
        "orders_confused": _effects(
            {"features of both in one new order": "other", "features of the keys in a new order": "same"}
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
        "deviations_not_squared": _both("query_std**2 * key_std**2", "query_std * key_std"),
        "only_the_queries_spread": _both(" * key_std**2", ""),
        "only_the_keys_spread": _both("query_std**2 * ", ""),
        "root_taken_twice": _both(_SPREAD, "sqrt(sqrt(variance / d) if scaled else sqrt(variance))"),
        "variances_add_up": _both("query_std**2 * key_std**2", "(query_std**2 + key_std**2)"),
        "deviations_averaged": _both("query_std**2 * key_std**2", "((query_std + key_std) / 2) ** 2"),
        "features_left_out": _both(_SPREAD, "sqrt(variance / d)"),
        "features_left_out_and_scaled": _both("variance = d * ", "variance = "),
        "variance_over_the_root": _both("sqrt(variance / d) if", "sqrt(variance / sqrt(d)) if"),
        "scale_multiplied": _both("sqrt(variance / d) if", "sqrt(variance * d) if"),
        "scaled_the_other_way_round": _both("if scaled", "if not scaled"),
        "scaled_is_always_one": _both("sqrt(variance / d) if", "1.0 if"),
        "variance_scaled_as_a_deviation": _both(_SPREAD, "variance / sqrt(d) if scaled else variance"),
        "mean_of_the_products": _both("d * query_std**2", "query_std**2 / d"),
        "deviations_divided": _both("query_std**2 * key_std**2", "query_std**2 / key_std**2"),
        "larger_deviation_alone": _both("query_std**2 * key_std**2", "max(query_std, key_std) ** 2"),
        "queries_spread_twice": _both("key_std**2", "query_std**2"),
        "keys_spread_twice": _both("* query_std**2", "* key_std**2"),
        "root_of_the_added_deviations": _both("query_std**2 * key_std**2", "(query_std + key_std)"),
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
