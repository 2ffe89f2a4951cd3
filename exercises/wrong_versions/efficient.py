"""Wrong versions of the solutions on efficient."""

from exercises.wrong_versions import FRAMEWORKS, Wrong

_SHRINK_MX = "    shrink = nd.exp(maximum - highest)"
_SHRINK_T = "    shrink = torch.exp(maximum - highest)"
_TILES = """def tiled_attention(queries, keys, values, tile):
    parts = []
    for start in range(0, keys.shape[1], tile):
        k, v = keys[:, start : start + tile], values[:, start : start + tile]
        scores = {scores} / math.sqrt(queries.shape[-1])
        parts.append({weighted})
    return sum(parts)"""
_ADDED = {
    "mxnet": _TILES.format(
        scores="nd.batch_dot(queries, k, transpose_b=True)", weighted="nd.batch_dot(nd.softmax(scores), v)"
    ),
    "torch": _TILES.format(scores="queries @ k.transpose(1, 2)", weighted="scores.softmax(dim=-1) @ v"),
}


def _both(*edits: tuple[str, str]) -> dict[str, list[tuple[str, str]]]:
    return {"mxnet": list(edits), "torch": list(edits)}


WRONG: Wrong = {
    "online_softmax_step": {
        "old_state_not_rescaled": {
            "mxnet": (_SHRINK_MX, "    shrink = 1"),
            "torch": (_SHRINK_T, "    shrink = 1"),
        },
        "softmax_of_the_tile": {
            "mxnet": ("exps = nd.exp(scores - highest)", "exps = scores.softmax(axis=-1)"),
            "torch": ("exps = torch.exp(scores - highest)", "exps = scores.softmax(dim=-1)"),
        },
        "total_not_rescaled": {
            "mxnet": ("total * shrink + sums", "total + sums"),
            "torch": ("total * shrink + sums", "total + sums"),
        },
        "context_not_rescaled": {
            "mxnet": ("context * shrink", "context"),
            "torch": ("context * shrink", "context"),
        },
        "factor_of_two_exponentials": {
            "mxnet": (_SHRINK_MX, "    shrink = nd.exp(maximum) / nd.exp(highest)"),
            "torch": (_SHRINK_T, "    shrink = torch.exp(maximum) / torch.exp(highest)"),
        },
        "rescaled_upside_down": {
            "mxnet": ("maximum - highest", "highest - maximum"),
            "torch": ("maximum - highest", "highest - maximum"),
        },
        "tile_measured_from_its_own_maximum": {
            "mxnet": ("scores - highest", "scores - largest"),
            "torch": ("scores - highest", "scores - largest"),
        },
        "maximum_forgets_the_past": {
            "mxnet": ("nd.maximum(maximum, largest)", "largest"),
            "torch": ("torch.maximum(maximum, largest)", "largest"),
        },
        "one_maximum_for_all_queries": {
            "mxnet": [
                ("scores.max(axis=-1, keepdims=True)", "scores.max(axis=(1, 2), keepdims=True)"),
                ("nd.maximum(maximum, largest)", "nd.broadcast_maximum(maximum, largest)"),
            ],
            "torch": ("scores.amax(dim=-1, keepdim=True)", "scores.amax(dim=(1, 2), keepdim=True)"),
        },
        "context_normalised_each_step": {
            "mxnet": ("return highest, total, context", "return highest, total, context / total"),
            "torch": ("return highest, total, context", "return highest, total, context / total"),
        },
        "exponentials_averaged": {
            "mxnet": ("exps.sum(axis=-1, keepdims=True)", "exps.mean(axis=-1, keepdims=True)"),
            "torch": ("exps.sum(dim=-1, keepdim=True)", "exps.mean(dim=-1, keepdim=True)"),
        },
        "tile_rescaled_too": {
            "mxnet": ("nd.exp(scores - highest)", "nd.exp(scores - highest) * shrink"),
            "torch": ("torch.exp(scores - highest)", "torch.exp(scores - highest) * shrink"),
        },
        "context_of_the_tile_rescaled_too": {
            "mxnet": ("nd.batch_dot(exps, values)", "shrink * nd.batch_dot(exps, values)"),
            "torch": ("torch.bmm(exps, values)", "shrink * torch.bmm(exps, values)"),
        },
        "context_taken_for_a_mean": _both(
            ("    total = total * shrink", "    context = context * total\n    total = total * shrink")
        ),
        "context_kept_as_a_mean": _both(
            ("    total = total * shrink", "    context = context * total\n    total = total * shrink"),
            ("return highest, total, context", "return highest, total, context / total"),
        ),
        "old_maximum_returned": _both(("return highest,", "return maximum,")),
        "old_sums_forgotten": _both(
            ("total = total * shrink +", "total ="), ("context = context * shrink +", "context =")
        ),
        "old_total_forgotten": _both(("total = total * shrink +", "total =")),
        "factor_from_the_tile": {
            "mxnet": ("nd.exp(maximum - highest)", "nd.exp(largest - highest)"),
            "torch": ("torch.exp(maximum - highest)", "torch.exp(largest - highest)"),
        },
        "values_not_weighted": {
            "mxnet": ("nd.batch_dot(exps, values)", "nd.batch_dot(nd.ones_like(exps), values)"),
            "torch": ("torch.bmm(exps, values)", "torch.bmm(torch.ones_like(exps), values)"),
        },
    },
    "tiled_attention": {
        "tiles_averaged": {
            framework: added.replace("sum(parts)", "sum(parts) / len(parts)")
            for framework, added in _ADDED.items()
        },
        "tiles_added": dict(_ADDED),
        "last_tile_left_out": {
            "mxnet": ("range(0, keys.shape[1], tile)", "range(0, keys.shape[1] - tile + 1, tile)"),
            "torch": ("range(0, keys.shape[1], tile)", "range(0, keys.shape[1] - tile + 1, tile)"),
        },
        "maximum_moves_without_rescaling": {
            "mxnet": ("nd.exp(maximum - highest)", "1"),
            "torch": ("torch.exp(maximum - highest)", "1"),
        },
        "no_maximum": {
            "mxnet": [("nd.exp(maximum - highest)", "1"), ("nd.exp(scores - highest)", "nd.exp(scores)")],
            "torch": [
                ("torch.exp(maximum - highest)", "1"),
                ("torch.exp(scores - highest)", "torch.exp(scores)"),
            ],
        },
        "maximum_of_the_first_tile": {
            "mxnet": ("nd.maximum(maximum, largest)", "maximum if start else largest"),
            "torch": ("torch.maximum(maximum, largest)", "maximum if start else largest"),
        },
        "maximum_starts_at_zero": {
            "mxnet": ("total - math.inf", "total"),
            "torch": ("total - math.inf", "total"),
        },
        "tiled_not_scaled": {
            "mxnet": (" / math.sqrt(queries.shape[-1])", ""),
            "torch": (" / math.sqrt(queries.shape[-1])", ""),
        },
        "never_divided": {
            "mxnet": ("return context / total", "return context"),
            "torch": ("return context / total", "return context"),
        },
        "divided_by_the_last_tile": {
            "mxnet": ("total = total * shrink + sums", "total = sums"),
            "torch": ("total = total * shrink + sums", "total = sums"),
        },
        "total_left_as_it_was": _both(("total = total * shrink + sums", "total = total + sums")),
        "context_left_as_it_was": _both(("context = context * shrink +", "context = context +")),
        "factor_turned_round": {
            "mxnet": ("nd.exp(maximum - highest)", "nd.exp(highest - maximum)"),
            "torch": ("torch.exp(maximum - highest)", "torch.exp(highest - maximum)"),
        },
        "scaled_twice": _both(("/ math.sqrt(queries.shape[-1])", "/ queries.shape[-1]")),
        "scaled_by_the_tile": _both(("math.sqrt(queries.shape[-1])", "math.sqrt(tile)")),
        "only_the_last_tile": _both(("        maximum = highest\n", "")),
        "only_the_first_tile": _both(
            ("        maximum = highest\n", "        maximum = highest\n        break\n")
        ),
        "tiles_overlap": _both(("slice(start, start + tile)", "slice(start, start + tile + 1)")),
        "not_scaled_and_context_left": _both(
            (" / math.sqrt(queries.shape[-1])", ""), ("context = context * shrink +", "context = context +")
        ),
        "divided_in_each_tile": {
            "mxnet": [
                ("nd.batch_dot(exps, v)", "nd.batch_dot(exps, v)\n        context = context / total"),
                ("return context / total", "return context"),
            ],
            "torch": [
                ("torch.bmm(exps, v)", "torch.bmm(exps, v)\n        context = context / total"),
                ("return context / total", "return context"),
            ],
        },
        "divided_in_each_tile_and_at_the_end": {
            "mxnet": ("nd.batch_dot(exps, v)", "nd.batch_dot(exps, v)\n        context = context / total"),
            "torch": ("torch.bmm(exps, v)", "torch.bmm(exps, v)\n        context = context / total"),
        },
        "tile_moves_by_one_key": dict.fromkeys(
            ("mxnet", "torch"), ("range(0, keys.shape[1], tile)", "range(keys.shape[1])")
        ),
    },
    "attend_with_cache": {
        "oldest_position_dropped": {
            "mxnet": [
                ("nd.concat(cached_keys, key, dim=1)", "nd.concat(cached_keys, key, dim=1)[:, 1:]"),
                ("nd.concat(cached_values, value, dim=1)", "nd.concat(cached_values, value, dim=1)[:, 1:]"),
            ],
            "torch": [
                ("torch.cat([cached_keys, key], dim=1)", "torch.cat([cached_keys[:, 1:], key], dim=1)"),
                (
                    "torch.cat([cached_values, value], dim=1)",
                    "torch.cat([cached_values[:, 1:], value], dim=1)",
                ),
            ],
        },
        "appended_twice": {
            "mxnet": [
                (
                    "keys, values = key, value",
                    "keys, values = nd.concat(key, key, dim=1), nd.concat(value, value, dim=1)",
                ),
                ("nd.concat(cached_keys, key, dim=1)", "nd.concat(cached_keys, key, key, dim=1)"),
                ("nd.concat(cached_values, value, dim=1)", "nd.concat(cached_values, value, value, dim=1)"),
            ],
            "torch": [
                (
                    "keys, values = key, value",
                    "keys, values = torch.cat([key, key], dim=1), torch.cat([value, value], dim=1)",
                ),
                ("torch.cat([cached_keys, key], dim=1)", "torch.cat([cached_keys, key, key], dim=1)"),
                (
                    "torch.cat([cached_values, value], dim=1)",
                    "torch.cat([cached_values, value, value], dim=1)",
                ),
            ],
        },
        "context_over_the_positions": {
            "mxnet": [("return context, keys, values", "return context / keys.shape[1], keys, values")],
            "torch": [("return context, keys, values", "return context / keys.shape[1], keys, values")],
        },
        "value_added_to_the_context": {
            "mxnet": [("return context, keys, values", "return context + value, keys, values")],
            "torch": [("return context, keys, values", "return context + value, keys, values")],
        },
        "two_contexts_added": {
            "mxnet": (
                "return context, keys, values",
                "context = value\n    if cached_keys is not None:\n        past = nd.batch_dot(nd.batch_dot(query, cached_keys, transpose_b=True).softmax(axis=-1), cached_values)\n        context = past + value\n    return context, keys, values",
            ),
            "torch": (
                "return context, keys, values",
                "context = value\n    if cached_keys is not None:\n        past = torch.bmm(torch.bmm(query, cached_keys.transpose(1, 2)).softmax(dim=-1), cached_values)\n        context = past + value\n    return context, keys, values",
            ),
        },
        "two_contexts_averaged": {
            "mxnet": (
                "return context, keys, values",
                "context = value\n    if cached_keys is not None:\n        past = nd.batch_dot(nd.batch_dot(query, cached_keys, transpose_b=True).softmax(axis=-1), cached_values)\n        context = (past + value) / 2\n    return context, keys, values",
            ),
            "torch": (
                "return context, keys, values",
                "context = value\n    if cached_keys is not None:\n        past = torch.bmm(torch.bmm(query, cached_keys.transpose(1, 2)).softmax(dim=-1), cached_values)\n        context = (past + value) / 2\n    return context, keys, values",
            ),
        },
        "scaled_keys_cached": {
            "mxnet": [
                (
                    "keys, values = key, value",
                    "key = key / math.sqrt(key.shape[-1])\n    keys, values = key, value",
                ),
                ("query = query / math.sqrt(query.shape[-1])", ""),
            ],
            "torch": [
                (
                    "keys, values = key, value",
                    "key = key / math.sqrt(key.shape[-1])\n    keys, values = key, value",
                ),
                ("query = query / math.sqrt(query.shape[-1])", ""),
            ],
        },
        "multiplied_by_the_root": {
            "mxnet": [("query / math", "query * math")],
            "torch": [("query / math", "query * math")],
        },
        "only_the_best_position": {
            "mxnet": ("scores.softmax(axis=-1)", "scores.argmax(axis=-1).one_hot(keys.shape[1])"),
            "torch": (
                "scores.softmax(dim=-1)",
                "torch.nn.functional.one_hot(scores.argmax(dim=-1), keys.shape[1]).to(values.dtype)",
            ),
        },
        "softmax_taken_twice": {
            "mxnet": ("scores.softmax(axis=-1)", "scores.softmax(axis=-1).softmax(axis=-1)"),
            "torch": ("scores.softmax(dim=-1)", "scores.softmax(dim=-1).softmax(dim=-1)"),
        },
        "sigmoid_for_softmax": {
            "mxnet": ("scores.softmax(axis=-1)", "scores.sigmoid()"),
            "torch": ("scores.softmax(dim=-1)", "scores.sigmoid()"),
        },
        "only_the_keys_come_back_longer": {
            "mxnet": [
                (
                    "return context, keys, values",
                    "return context, keys, value if cached_values is None else cached_values",
                )
            ],
            "torch": [
                (
                    "return context, keys, values",
                    "return context, keys, value if cached_values is None else cached_values",
                )
            ],
        },
        "only_the_values_come_back_longer": {
            "mxnet": [
                (
                    "return context, keys, values",
                    "return context, key if cached_keys is None else cached_keys, values",
                )
            ],
            "torch": [
                (
                    "return context, keys, values",
                    "return context, key if cached_keys is None else cached_keys, values",
                )
            ],
        },
        "only_the_new_position_returned": {
            "mxnet": [("return context, keys, values", "return context, key, value")],
            "torch": [("return context, keys, values", "return context, key, value")],
        },
        "sees_only_the_first": {
            "mxnet": [("return context, keys, values", "return values[:, :1], keys, values")],
            "torch": [("return context, keys, values", "return values[:, :1], keys, values")],
        },
        "all_but_the_first_seen": {
            "mxnet": [
                (
                    "nd.batch_dot(query, keys, transpose_b=True)",
                    "nd.batch_dot(query, keys, transpose_b=True)\n    scores = scores[:, :, -max(keys.shape[1] - 1, 1) :]",
                ),
                (
                    "scores.softmax(axis=-1), values)",
                    "scores.softmax(axis=-1), values[:, -max(keys.shape[1] - 1, 1) :])",
                ),
            ],
            "torch": [
                (
                    "torch.bmm(query, keys.transpose(1, 2))",
                    "torch.bmm(query, keys.transpose(1, 2))\n    scores = scores[:, :, -max(keys.shape[1] - 1, 1) :]",
                ),
                (
                    "scores.softmax(dim=-1), values)",
                    "scores.softmax(dim=-1), values[:, -max(keys.shape[1] - 1, 1) :])",
                ),
            ],
        },
        "cache_begun_with_zeros": {
            "mxnet": (
                "    if cached_keys is not None:",
                "    if cached_keys is None:\n        cached_keys, cached_values = 0 * key, 0 * value\n    if True:",
            ),
            "torch": (
                "    if cached_keys is not None:",
                "    if cached_keys is None:\n        cached_keys, cached_values = 0 * key, 0 * value\n    if True:",
            ),
        },
        "scores_negated": {
            "mxnet": [("query / math", "-query / math")],
            "torch": [("query / math", "-query / math")],
        },
        "new_key_left_out": {
            "mxnet": (
                "return context, keys, values",
                "if cached_keys is not None:\n"
                "        context, _, _ = attend_with_cache(query * query.shape[-1] ** 0.5, cached_keys, "
                "cached_values, None, None)\n"
                "    return context, keys, values",
            ),
            "torch": (
                "return context, keys, values",
                "if cached_keys is not None:\n"
                "        context, _, _ = attend_with_cache(query * query.shape[-1] ** 0.5, cached_keys, "
                "cached_values, None, None)\n"
                "    return context, keys, values",
            ),
        },
        "cache_not_extended": {
            "mxnet": (
                "return context, keys, values",
                "if cached_keys is None:\n        return context, key, value\n"
                "    return context, cached_keys, cached_values",
            ),
            "torch": (
                "return context, keys, values",
                "if cached_keys is None:\n        return context, key, value\n"
                "    return context, cached_keys, cached_values",
            ),
        },
        "cache_overwritten": {
            "mxnet": [
                ("nd.concat(cached_keys, key, dim=1)", "key"),
                ("nd.concat(cached_values, value, dim=1)", "value"),
            ],
            "torch": [
                ("torch.cat([cached_keys, key], dim=1)", "key"),
                ("torch.cat([cached_values, value], dim=1)", "value"),
            ],
        },
        "last_position_overwritten": {
            "mxnet": (
                "keys = nd.concat(cached_keys, key, dim=1)\n"
                "        values = nd.concat(cached_values, value, dim=1)",
                "n = cached_keys.shape[1] - 1\n"
                "        if n:\n"
                "            keys = nd.concat(cached_keys[:, :n], key, dim=1)\n"
                "            values = nd.concat(cached_values[:, :n], value, dim=1)",
            ),
            "torch": [
                ("[cached_keys, key]", "[cached_keys[:, :-1], key]"),
                ("[cached_values, value]", "[cached_values[:, :-1], value]"),
            ],
        },
        "new_position_put_first": {
            "mxnet": [
                ("nd.concat(cached_keys, key, dim=1)", "nd.concat(key, cached_keys, dim=1)"),
                ("nd.concat(cached_values, value, dim=1)", "nd.concat(value, cached_values, dim=1)"),
            ],
            "torch": [
                ("[cached_keys, key]", "[key, cached_keys]"),
                ("[cached_values, value]", "[value, cached_values]"),
            ],
        },
        "context_cached": {
            "mxnet": (
                "return context, keys, values",
                "if cached_keys is None:\n        return context, keys, context\n"
                "    return context, keys, nd.concat(cached_values, context, dim=1)",
            ),
            "torch": (
                "return context, keys, values",
                "if cached_keys is None:\n        return context, keys, context\n"
                "    return context, keys, torch.cat([cached_values, context], dim=1)",
            ),
        },
        "scaled_by_the_cache": {
            "mxnet": ("math.sqrt(query.shape[-1])", "math.sqrt(keys.shape[1])"),
            "torch": ("math.sqrt(query.shape[-1])", "math.sqrt(keys.shape[1])"),
        },
        "softmax_over_the_one_query": {
            "mxnet": ("scores.softmax(axis=-1)", "scores.softmax(axis=1)"),
            "torch": ("scores.softmax(dim=-1)", "scores.softmax(dim=1)"),
        },
        "cache_not_scaled": _both((" / math.sqrt(query.shape[-1])", "")),
        "scaled_by_the_width": _both(("math.sqrt(query.shape[-1])", "query.shape[-1]")),
        "scaled_by_the_value_width": _both(("query.shape[-1]", "value.shape[-1]")),
        "all_positions_alike": _both(("/ math.sqrt(query.shape[-1])", "* 0")),
        "sees_only_itself": _both(("return context, keys", "return value, keys")),
        "first_context_zero": _both(
            (
                "return context, keys",
                "if cached_keys is None:\n        context = 0 * context\n    return context, keys",
            )
        ),
        "only_the_key_put_first": {
            "mxnet": ("nd.concat(cached_keys, key, dim=1)", "nd.concat(key, cached_keys, dim=1)"),
            "torch": ("torch.cat([cached_keys, key], dim=1)", "torch.cat([key, cached_keys], dim=1)"),
        },
        "only_the_value_put_first": {
            "mxnet": ("nd.concat(cached_values, value, dim=1)", "nd.concat(value, cached_values, dim=1)"),
            "torch": ("torch.cat([cached_values, value], dim=1)", "torch.cat([value, cached_values], dim=1)"),
        },
        "query_cached": {
            "mxnet": [("keys, values = key, value", "key = query\n    keys, values = key, value")],
            "torch": [("keys, values = key, value", "key = query\n    keys, values = key, value")],
        },
        "asks_with_the_key": _both(
            ("keys, values = key, value", "query = key\n    keys, values = key, value")
        ),
        "scores_without_softmax": {
            "mxnet": ("scores.softmax(axis=-1)", "scores"),
            "torch": ("scores.softmax(dim=-1)", "scores"),
        },
    },
    "decoding_cost": {
        name: dict.fromkeys(FRAMEWORKS, edit)
        for name, edit in {
            "last_step_only": [("without +=", "without ="), ("with_cache +=", "with_cache =")],
            "scores_only": [
                ("without += t * t * (d_k + d_v)", "without += t * t * d_k"),
                ("with_cache += t * (d_k + d_v)", "with_cache += t * d_k"),
            ],
            "own_key_not_counted": ("range(1, steps + 1)", "range(steps)"),
            "nothing_recomputed": ("t * t * (d_k + d_v)", "t * (d_k + d_v)"),
            "full_length_at_every_step": [
                ("t * t * (d_k + d_v)", "steps * steps * (d_k + d_v)"),
                ("with_cache += t * ", "with_cache += steps * "),
            ],
            "masked_scores_are_free": ("t * t * (d_k + d_v)", "t * (t + 1) // 2 * (d_k + d_v)"),
            "only_keys_are_cached": ("steps * (d_k + d_v)", "steps * d_k"),
            "full_length_without_a_cache": ("t * t * (d_k + d_v)", "steps * steps * (d_k + d_v)"),
            "full_length_with_a_cache": ("with_cache += t * ", "with_cache += steps * "),
            "last_step_without_a_cache": ("without +=", "without ="),
            "one_key_for_each_step": ("with_cache += t * ", "with_cache += "),
            "weighted_sums_only": [
                ("without += t * t * (d_k + d_v)", "without += t * t * d_v"),
                ("with_cache += t * (d_k + d_v)", "with_cache += t * d_v"),
            ],
            "additions_counted": [
                ("without += ", "without += 2 * "),
                ("with_cache += ", "with_cache += 2 * "),
            ],
            "widths_multiplied": [
                ("without += t * t * (d_k + d_v)", "without += t * t * d_k * d_v"),
                ("with_cache += t * (d_k + d_v)", "with_cache += t * d_k * d_v"),
            ],
            "widths_multiplied_everywhere": [
                ("without += t * t * (d_k + d_v)", "without += t * t * d_k * d_v"),
                ("with_cache += t * (d_k + d_v)", "with_cache += t * d_k * d_v"),
                ("steps * (d_k + d_v)", "steps * d_k * d_v"),
            ],
            "one_step_short": [
                ("range(1, steps + 1)", "range(steps)"),
                ("steps * (d_k", "(steps - 1) * (d_k"),
            ],
            "one_step_too_many": ("range(1, steps + 1)", "range(1, steps + 2)"),
            "cache_one_step_short": ("steps * (d_k", "(steps - 1) * (d_k"),
            "cache_added_up": ("steps * (d_k + d_v)", "with_cache"),
            "only_values_are_cached": ("steps * (d_k + d_v)", "steps * d_v"),
            "positions_cached": ("steps * (d_k + d_v)", "steps"),
            "keys_and_values_twice": ("steps * (d_k", "2 * steps * (d_k"),
            "costs_exchanged": ("return without, with_cache,", "return with_cache, without,"),
            "square_of_the_sum": (
                "return without,",
                "without = (steps * (steps + 1) // 2) ** 2 * (d_k + d_v)\n    return without,",
            ),
        }.items()
    },
}
_SYMMETRIC = "the larger of two numbers, in whichever order they are named"
_TRANSPOSE = "a transpose swaps two axes, in whichever order they are named"
_FIRST = "the first tile multiplies what was there before by exp(-infinity), which is 0"
_NOTHING = "step 0 adds nothing"
_RANGE = "for t in range(1, steps + 1): → for t in range(0, steps + 1):"
EQUIVALENT = {
    (
        "online_softmax_step",
        "mxnet",
        "highest = nd.maximum(maximum, largest) → highest = nd.maximum(largest, maximum)",
    ): _SYMMETRIC,
    (
        "online_softmax_step",
        "torch",
        "highest = torch.maximum(maximum, largest) → highest = torch.maximum(largest, maximum)",
    ): _SYMMETRIC,
    (
        "tiled_attention",
        "mxnet",
        "highest = nd.maximum(maximum, largest) → highest = nd.maximum(largest, maximum)",
    ): _SYMMETRIC,
    (
        "tiled_attention",
        "torch",
        "highest = torch.maximum(maximum, largest) → highest = torch.maximum(largest, maximum)",
    ): _SYMMETRIC,
    (
        "tiled_attention",
        "mxnet",
        "total = nd.zeros_like(queries[:, :, :1]) → total = nd.ones_like(queries[:, :, :1])",
    ): _FIRST,
    (
        "tiled_attention",
        "torch",
        "total = torch.zeros_like(queries[:, :, :1]) → total = torch.ones_like(queries[:, :, :1])",
    ): _FIRST,
    **{
        (
            "tiled_attention",
            framework,
            f"maximum, context = (total - math.inf, 0) → maximum, context = (total - math.inf, {start})",
        ): _FIRST
        for framework in FRAMEWORKS
        for start in (1, -1)
    },
    (
        "tiled_attention",
        "torch",
        "scores = torch.bmm(queries, k.transpose(1, 2)) → scores = torch.bmm(queries, k.transpose(2, 1))",
    ): _TRANSPOSE,
    (
        "attend_with_cache",
        "torch",
        "scores = torch.bmm(query, keys.transpose(1, 2)) → scores = torch.bmm(query, keys.transpose(2, 1))",
    ): _TRANSPOSE,
    ("decoding_cost", "mxnet", _RANGE): _NOTHING,
    ("decoding_cost", "torch", _RANGE): _NOTHING,
}
