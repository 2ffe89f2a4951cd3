"""Wrong versions of the solutions on positions."""

from exercises.wrong_versions import Wrong

_STACK = {
    "mxnet": "nd.stack(*rotated, axis=-1).reshape(X.shape)",
    "torch": "torch.stack(rotated, dim=-1).reshape(X.shape)",
}
_JOIN = {"mxnet": "nd.concat(*rotated, dim=-1)", "torch": "torch.cat(rotated, dim=-1)"}
_JOINED = {framework: (_STACK[framework], _JOIN[framework]) for framework in _STACK}
_PAIRS = {
    "mxnet": ("X[:, :, 0::2], X[:, :, 1::2]", "X[:, :, : d // 2], X[:, :, d // 2 :]"),
    "torch": ("X[..., 0::2], X[..., 1::2]", "X[..., : d // 2], X[..., d // 2 :]"),
}
_VISIBLE = {
    "mxnet": ("nd.broadcast_like(distance >= 0, scores)", "nd.ones_like(scores)"),
    "torch": ("distance < 0", "distance > num_tokens"),
}


def _same(*edits):
    return {"mxnet": list(edits), "torch": list(edits)}


def _with(edits, *more):
    """What differs between the frameworks, and then the same in both."""
    return {framework: [edit, *more] for framework, edit in edits.items()}


WRONG: Wrong = {
    "rotary": {
        "halves_paired": {framework: [_PAIRS[framework], _JOINED[framework]] for framework in _STACK},
        "halves_put_side_by_side": {framework: [_PAIRS[framework]] for framework in _STACK},
        "rotated_backwards": _same(
            ("cos, sin = angles.cos(), angles.sin()", "cos, sin = angles.cos(), -angles.sin()")
        ),
        "encoding_added": _same(
            ("        first * cos - second * sin,\n", "        first + sin,\n"),
            ("        second * cos + first * sin,\n", "        second + cos,\n"),
        ),
        "one_frequency_for_all": _same(("1 / 10000 ** (even / d)", "10000 ** (0 * even)")),
        "exponent_counts_pairs": _same(("(even / d)", "(even / 2 / d)")),
        "encoding_multiplied": _same(
            ("        first * cos - second * sin,\n", "        first * cos,\n"),
            ("        second * cos + first * sin,\n", "        second * sin,\n"),
        ),
        "both_added": _same(("first * cos - second * sin", "first * cos + second * sin")),
        "pairs_left_apart": _JOINED,
        "counted_from_one": _same(("    angles = positions", "    angles = (positions + 1)")),
        "positions_ignored": {
            "mxnet": (
                "    angles = positions",
                "    angles = nd.broadcast_like(\n        nd.arange(X.shape[1]).expand_dims(0), positions\n    )",
            ),
            "torch": (
                "    angles = positions",
                "    angles = torch.arange(X.shape[1]).expand(positions.shape)",
            ),
        },
        "sine_for_cosine": _same(
            ("cos, sin = angles.cos(), angles.sin()", "cos, sin = angles.sin(), angles.cos()")
        ),
        "old_first_forgotten": _same(
            (
                "    rotated = (\n        first * cos - second * sin,\n",
                "    first = first * cos - second * sin\n    rotated = (\n        first,\n",
            ),
        ),
    },
    "relative_bias": {
        "distance_reversed": _same(("(key - query)", "(query - key)")),
        "nothing_far_away": _same(
            ("    bias = ", "    near = abs(key - query) <= most\n    bias = "),
            ("    return scores + bias.", "    return scores + (near * bias)."),
        ),
        "same_on_both_sides": _same(("distance + most", "abs(distance) + most")),
        "bias_multiplied": _same(("scores + bias", "scores * bias")),
        "bias_subtracted": _same(("scores + bias", "scores - bias")),
        "first_head_for_all": {
            "mxnet": (
                "nd.take(table, distance + most, axis=1)",
                "nd.take(table[:1], distance + most, axis=1)",
            ),
            "torch": ("table[:, distance + most]", "table[:1, distance + most]"),
        },
        "clipped_too_early": _same(("clip(-most, most)", "clip(1 - most, most - 1)")),
        "negative_indices": {
            "mxnet": ("distance + most, axis=1", 'distance, axis=1, mode="wrap"'),
            "torch": ("distance + most", "distance"),
        },
        "distances_wrap": _same(
            (".clip(-most, most)", ""),
            ("distance + most", "(distance + most) % table.shape[1]"),
        ),
        "bias_by_key": _same(
            ("distance = (key - query).clip(-most, most)", "distance = (key + 0 * query).clip(0, 2 * most)"),
            ("distance + most", "distance"),
        ),
        "softmax_taken": {
            "mxnet": (
                "    return scores + bias.expand_dims(0)",
                "    return (scores + bias.expand_dims(0)).softmax(axis=-1)",
            ),
            "torch": (
                "    return scores + bias.unsqueeze(0)",
                "    return (scores + bias.unsqueeze(0)).softmax(dim=-1)",
            ),
        },
        "table_alone": _same(("    return scores + bias", "    return 0 * scores + bias")),
    },
    "linear_bias": {
        "far_keys_favoured": _same(("scores - slopes", "scores + slopes")),
        "one_slope_for_all": _same(
            ("    slopes = 2.0 ** (-8 * head / num_heads)", "    slopes = 2.0 ** (-8 * head[:1] / num_heads)")
        ),
        "heads_from_zero": _same(("-8 * head", "-8 * (head - 1)")),
        "heads_reversed": {
            "mxnet": ("slopes.reshape", "slopes.flip(axis=0).reshape"),
            "torch": ("slopes.reshape", "slopes.flip(0).reshape"),
        },
        "slopes_of_eight_heads": _same(("-8 * head / num_heads", "-1.0 * head")),
        "slopes_with_base_e": _same(("2.0 ** ", "2.718281828459045 ** ")),
        "slopes_grow": _same(("-8 * head", "8 * head")),
        "later_keys_visible": _with(_VISIBLE, ("distance = query - key", "distance = abs(query - key)")),
        "later_keys_gain": {
            "mxnet": ("distance >= 0", "distance == distance"),
            "torch": ("distance < 0", "distance != distance"),
        },
        "softmax_left_out": {
            "mxnet": ("filled.softmax(axis=-1)", "filled"),
            "torch": ("hidden.softmax(dim=-1)", "hidden"),
        },
        "distance_squared": _same(("slopes * distance", "slopes * distance * distance")),
        "bias_left_out": _same(("scores - slopes * distance", "scores - 0 * slopes * distance")),
        "scores_multiplied": _same(("scores - slopes * distance", "scores * (-slopes * distance)")),
        "own_key_hidden": {
            "mxnet": ("distance >= 0", "distance > 0"),
            "torch": ("distance < 0", "distance <= 0"),
        },
        "hidden_with_zero": {
            "mxnet": ("-1e6", "0.0"),
            "torch": ("-1e6", "0.0"),
        },
        "bias_after_the_softmax": {
            "mxnet": [
                ("scores - slopes * distance", "scores - 0 * slopes * distance"),
                ("softmax(axis=-1)", "softmax(axis=-1) - slopes * distance"),
            ],
            "torch": [
                ("scores - slopes * distance", "scores - 0 * slopes * distance"),
                ("softmax(dim=-1)", "softmax(dim=-1) - slopes * distance"),
            ],
        },
    },
}

_SQUARE = "a query for each key: the last two axes of the scores are equal"
_COPIED = "MXNet reads 0 in a new shape as the size of that axis, which is 1"
EQUIVALENT = {
    (
        "relative_bias",
        framework,
        f"key = {library}.arange(scores.shape[2]).reshape((1, -1)) → "
        f"key = {library}.arange(scores.shape[3]).reshape((1, -1))",
    ): _SQUARE
    for framework, library in (("mxnet", "nd"), ("torch", "torch"))
} | {
    (
        "linear_bias",
        "mxnet",
        f"query = key.reshape((1, 1, -1, 1)) → query = key.reshape(({shape}, -1, 1))",
    ): _COPIED
    for shape in ("0, 1", "1, 0")
}
