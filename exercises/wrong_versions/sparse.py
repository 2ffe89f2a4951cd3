"""Wrong versions of the solutions on fewer pairs."""

from exercises.wrong_versions import Wrong

_SEEN = {
    "mxnet": ("    seen = nd.broadcast_maximum(near, key < num_global)\n", "    seen = {}\n"),
    "torch": ("(near | (key < num_global))", "({})"),
}
_FILLED = {
    "mxnet": "filled.softmax(axis=-1)",
    "torch": "filled.softmax(dim=-1)",
}
_FEATURES = {
    "mxnet": {name: f"{name} = nd.LeakyReLU({name}, **elu) + 1" for name in ("queries", "keys")},
    "torch": {name: f"{name} = torch.nn.functional.elu({name}) + 1" for name in ("queries", "keys")},
}
_AT_ONCE = {
    "mxnet": """\
from mxnet import nd


def linear_attention(queries, keys, values):
    elu = {{"act_type": "elu", "slope": 1.0}}
    q = nd.LeakyReLU(queries, **elu) + 1
    k = nd.LeakyReLU(keys, **elu) + 1
    seen = nd.arange(q.shape[1])
    seen = (seen <= seen.expand_dims(1)).expand_dims(0)
    {}
""",
    "torch": """\
import torch


def linear_attention(queries, keys, values):
    q = torch.nn.functional.elu(queries) + 1
    k = torch.nn.functional.elu(keys) + 1
    seen = torch.ones(q.shape[1], q.shape[1]).tril()
    {}
""",
}
_TURNED = {"mxnet": "(*contexts, dim=1).swapaxes(0, 1)", "torch": "(contexts, dim=1).swapaxes(0, 1)"}
_PER_GROUP = "    per_group = queries.shape[1] // keys.shape[1]\n"
_WRONG_SIZE = (
    _PER_GROUP,
    "    groups = keys.shape[1]\n    chosen = [min(h // groups, groups - 1) for h in range(queries.shape[1])]\n",
)
_REPEATED = {
    "mxnet": {name: f"{name} = {name}.repeat(per_group, axis=1)" for name in ("keys", "values")},
    "torch": {name: f"{name} = {name}.repeat_interleave(per_group, dim=1)" for name in ("keys", "values")},
}
_IN_TURN = {
    "mxnet": {name: f"{name} = {name}.tile((1, per_group, 1, 1))" for name in ("keys", "values")},
    "torch": {name: f"{name} = {name}.repeat(1, per_group, 1, 1)" for name in ("keys", "values")},
}


def _same(*edits):
    return {"mxnet": list(edits), "torch": list(edits)}


def _seen(mxnet, torch):
    """What is visible, before later keys are hidden."""
    return {
        framework: (_SEEN[framework][0], _SEEN[framework][1].format(text))
        for framework, text in (("mxnet", mxnet), ("torch", torch))
    }


def _made(table, old, mxnet, torch):
    return {"mxnet": (table["mxnet"][old], mxnet), "torch": (table["torch"][old], torch)}


def _at_once(mxnet, torch):
    """Linear attention with the matrix of products, written anew."""
    return {"mxnet": _AT_ONCE["mxnet"].format(mxnet), "torch": _AT_ONCE["torch"].format(torch)}


def _in_turn(*names):
    return {
        framework: [(_REPEATED[framework][name], _IN_TURN[framework][name]) for name in names]
        for framework in _REPEATED
    }


def _chosen(text):
    """Keys and values chosen before they are repeated; `{0}` stands for either."""
    chosen = "".join(f"    {name} = {text.format(name)}\n" for name in ("keys", "values"))
    return _same((_PER_GROUP, chosen + _PER_GROUP))


WRONG: Wrong = {
    "sparse_weights": {
        "window_one_too_wide": _same(("distance < window * dilation", "distance <= window * dilation")),
        "window_one_too_narrow": _same(("distance < window", "distance < (window - 1)")),
        "own_key_hidden": _same(
            ("distance < window * dilation", "distance <= window * dilation"),
            ("(distance % dilation == 0)", "((distance % dilation == 0) * (distance > 0))"),
        ),
        "dilation_ignored": _same(
            ("window * dilation", "window"), ("distance % dilation == 0", "distance == distance")
        ),
        "gaps_filled": _same(
            ("distance < window * dilation", "distance <= (window - 1) * dilation"),
            ("distance % dilation == 0", "distance == distance"),
        ),
        "window_counts_positions": _same(("window * dilation", "window")),
        "dilation_counts_the_gap": _same(
            ("window * dilation", "window * (dilation + 1)"), ("% dilation ==", "% (dilation + 1) ==")
        ),
        "gaps_from_the_start": {
            "mxnet": (
                "near = near * (distance % dilation == 0)",
                "grid = nd.broadcast_maximum(distance == 0, key % dilation == 0)\n    near = near * grid",
            ),
            "torch": ("(distance % dilation == 0)", "((distance == 0) | (key % dilation == 0))"),
        },
        "window_on_both_sides": _same(
            ("near = distance < window", "near = abs(distance) < window"),
            ("(distance >= 0)", "(distance == distance)"),
        ),
        "window_on_both_sides_of_causal_first_tokens": {
            "mxnet": [
                ("near = distance < window", "near = abs(distance) < window"),
                ("near, key < num_global", "near, (key < num_global) * (distance >= 0)"),
                ("seen * (distance >= 0)", "seen"),
            ],
            "torch": [
                ("near = distance < window", "near = abs(distance) < window"),
                (
                    "(near | (key < num_global)) & (distance >= 0)",
                    "near | ((key < num_global) & (distance >= 0))",
                ),
            ],
        },
        "later_keys_of_the_grid_seen": {
            "mxnet": ("seen * (distance >= 0)", "seen"),
            "torch": (" & (distance >= 0)", ""),
        },
        "window_ahead": {
            "mxnet": ("key.reshape((1, -1, 1)) - key", "key - key.reshape((1, -1, 1))"),
            "torch": ("key.unsqueeze(1) - key", "key - key.unsqueeze(1)"),
        },
        "later_global_tokens_seen": {
            "mxnet": (
                "seen = nd.broadcast_maximum(near, key < num_global)\n    visible = seen * (distance >= 0)",
                "near = near * (distance >= 0)\n    visible = nd.broadcast_maximum(near, key < num_global)",
            ),
            "torch": (
                "(near | (key < num_global)) & (distance >= 0)",
                "(near & (distance >= 0)) | (key < num_global)",
            ),
        },
        "global_tokens_see_only": {
            "mxnet": ("near, key < num_global", "near, key.reshape((1, -1, 1)) < num_global"),
            "torch": ("(key < num_global)", "(key.unsqueeze(1) < num_global)"),
        },
        "global_tokens_left_out": _seen("near", "near"),
        "global_tokens_last": _same(("key < num_global", "key >= scores.shape[2] - num_global")),
        "both_at_once": _seen("near * (key < num_global)", "near & (key < num_global)"),
        "pattern_turned_round": {
            "mxnet": (_FILLED["mxnet"], "nd.where(1 - visible, scores, hidden).softmax(axis=-1)"),
            "torch": ("~visible", "visible"),
        },
        "mask_after_the_softmax": {
            "mxnet": (_FILLED["mxnet"], "scores.softmax(axis=-1) * visible"),
            "torch": (_FILLED["torch"], "scores.softmax(dim=-1) * visible"),
        },
        "hidden_with_zero": _same(("-1e6", "0.0")),
        "softmax_over_queries": {
            "mxnet": ("softmax(axis=-1)", "softmax(axis=1)"),
            "torch": ("softmax(dim=-1)", "softmax(dim=1)"),
        },
    },
    "linear_attention": {
        "later_keys_seen": _at_once(
            "return nd.batch_dot(q, nd.batch_dot(k, values, transpose_a=True)) / (\n"
            "        q * k.sum(axis=1, keepdims=True)\n    ).sum(axis=-1, keepdims=True)",
            "return q @ (k.transpose(1, 2) @ values) / (\n"
            "        q * k.sum(dim=1, keepdim=True)\n    ).sum(dim=-1, keepdim=True)",
        ),
        "sum_left_out": _same((" / total)", ")")),
        "divided_by_the_number_of_keys": _same((" / total)", " / (t + 1))")),
        "divided_by_z_alone": _same(("(q * z).sum", "z.sum")),
        "z_of_all_keys": {
            framework: [
                ("    S = z = 0\n", f"    S = 0\n    z = keys.sum({axis}=1, {kept}=True)\n"),
                ("        z = z + k\n", ""),
            ]
            for framework, axis, kept in (("mxnet", "axis", "keepdims"), ("torch", "dim", "keepdim"))
        },
        "z_of_raw_keys": {
            framework: [
                (_FEATURES[framework]["keys"], "raw = keys\n    " + _FEATURES[framework]["keys"]),
                ("z = z + k", "z = z + raw[:, now]"),
            ]
            for framework in _FEATURES
        },
        "no_features": {
            framework: [(line, f"{name} = 1 * {name}") for name, line in lines.items()]
            for framework, lines in _FEATURES.items()
        },
        "queries_without_features": _made(
            _FEATURES, "queries", "queries = 1 * queries", "queries = 1 * queries"
        ),
        "keys_without_features": _made(_FEATURES, "keys", "keys = 1 * keys", "keys = 1 * keys"),
        "elu_without_one": {
            framework: [(line, line.replace(" + 1", "")) for line in lines.values()]
            for framework, lines in _FEATURES.items()
        },
        "quarter_of_elu": {
            "mxnet": [
                (line, line.replace("**elu", 'act_type="elu"')) for line in _FEATURES["mxnet"].values()
            ],
            "torch": [
                (line, line.replace("elu(", "elu(alpha=0.25, input=")) for line in _FEATURES["torch"].values()
            ],
        },
        "relu_features": {
            framework: [(line, f"{name} = {name}.relu() + 1") for name, line in lines.items()]
            for framework, lines in _FEATURES.items()
        },
        "exponential_features": {
            framework: [(line, f"{name} = {name}.exp()") for name, line in lines.items()]
            for framework, lines in _FEATURES.items()
        },
        "features_of_the_product": _at_once(
            "q = nd.batch_dot(queries, keys, transpose_b=True)\n"
            "    weights = (nd.LeakyReLU(q, **elu) + 1) * seen\n"
            "    weights = weights / weights.sum(axis=-1, keepdims=True)\n"
            "    return nd.batch_dot(weights, values)",
            "weights = torch.nn.functional.elu(queries @ keys.transpose(1, 2)) + 1\n"
            "    weights = weights * seen\n"
            "    return weights / weights.sum(dim=-1, keepdim=True) @ values",
        ),
        "features_of_the_values": {
            framework: (
                lines["keys"],
                lines["keys"] + "\n    " + lines["keys"].replace("keys", "values"),
            )
            for framework, lines in _FEATURES.items()
        },
        "softmax_of_the_products": _at_once(
            "scores = nd.batch_dot(q, k, transpose_b=True) - 1e6 * (1 - seen)\n"
            "    return nd.batch_dot(scores.softmax(axis=-1), values)",
            "scores = q @ k.transpose(1, 2) - 1e6 * (1 - seen)\n    return scores.softmax(dim=-1) @ values",
        ),
        "plain_attention": _at_once(
            "scores = nd.batch_dot(queries, keys, transpose_b=True) / queries.shape[2] ** 0.5\n"
            "    return nd.batch_dot((scores - 1e6 * (1 - seen)).softmax(axis=-1), values)",
            "scores = queries @ keys.transpose(1, 2) / queries.shape[2] ** 0.5\n"
            "    return (scores - 1e6 * (1 - seen)).softmax(dim=-1) @ values",
        ),
        "scaled_before_the_features": {
            framework: (
                lines["queries"],
                "queries = queries / queries.shape[-1] ** 0.5\n    " + lines["queries"],
            )
            for framework, lines in _FEATURES.items()
        },
        "read_before_written": _at_once(
            "own = nd.eye(q.shape[1]).expand_dims(0)\n"
            "    weights = nd.batch_dot(q, k, transpose_b=True) * (seen - own)\n"
            "    weights = weights / (weights.sum(axis=-1, keepdims=True) + 1e-6)\n"
            "    return nd.batch_dot(weights, values)",
            "weights = q @ k.transpose(1, 2) * (seen - torch.eye(q.shape[1]))\n"
            "    return weights / (weights.sum(dim=-1, keepdim=True) + 1e-6) @ values",
        ),
        "old_sums_overwritten": _same(("S = S + ", "S = ")),
        "divided_at_each_step": {
            "mxnet": [
                ("S = S + nd.batch_dot", "S = nd.batch_dot"),
                (
                    "    return nd.concat(*contexts, dim=1)",
                    "    for t in range(1, len(contexts)):\n"
                    "        contexts[t] = contexts[t - 1] + contexts[t]\n"
                    "    return nd.concat(*contexts, dim=1)",
                ),
            ],
            "torch": [
                ("S = S + torch.bmm", "S = torch.bmm"),
                ("torch.cat(contexts, dim=1)", "torch.cat(contexts, dim=1).cumsum(dim=1)"),
            ],
        },
        "summed_over_the_batch": {
            framework: [
                (
                    "    S = z = 0\n",
                    "    queries, keys, values = (X.swapaxes(0, 1) for X in (queries, keys, values))\n    S = z = 0\n",
                ),
                ("(*contexts, dim=1)" if framework == "mxnet" else "(contexts, dim=1)", _TURNED[framework]),
            ]
            for framework in _TURNED
        },
    },
    "grouped_query": {
        "groups_take_turns": _in_turn("keys", "values"),
        "only_keys_take_turns": _in_turn("keys"),
        "only_values_take_turns": _in_turn("values"),
        "groups_of_the_wrong_size": {
            "mxnet": [
                _WRONG_SIZE,
                *(
                    (line, f"{name} = nd.stack(*[{name}[:, g] for g in chosen], axis=1)")
                    for name, line in _REPEATED["mxnet"].items()
                ),
            ],
            "torch": [
                _WRONG_SIZE,
                *((line, f"{name} = {name}[:, chosen]") for name, line in _REPEATED["torch"].items()),
            ],
        },
        "first_group_for_all": _chosen("{0}[:, :1]"),
        "groups_averaged": {
            "mxnet": _chosen("{0}.mean(axis=1, keepdims=True)")["mxnet"],
            "torch": _chosen("{0}.mean(dim=1, keepdim=True)")["torch"],
        },
        "queries_averaged": {
            "mxnet": (
                "    # Each group as often",
                "    batch, groups = keys.shape[:2]\n"
                "    queries = queries.reshape((batch, groups, per_group, num_tokens, d_k))\n"
                "    queries = queries.mean(axis=2).repeat(per_group, axis=1)\n"
                "    # Each group as often",
            ),
            "torch": (
                "    # Each group as often",
                "    queries = queries.unflatten(1, (keys.shape[1], per_group))\n"
                "    queries = queries.mean(dim=2).repeat_interleave(per_group, dim=1)\n"
                "    # Each group as often",
            ),
        },
        "later_tokens_seen": {
            "mxnet": ("scores - 1e6 * later", "scores - 0 * later"),
            "torch": ("masked_fill(later, -1e6)", "masked_fill(later & False, -1e6)"),
        },
        "own_token_hidden": {
            "mxnet": [
                ("later = position > ", "later = position >= "),
                # All scores of the first row alike: float32 has few digits at -1e6.
                (
                    "scores - 1e6 * later.expand_dims(0)",
                    "scores * (1 - later.expand_dims(0)) - 1e6 * later.expand_dims(0)",
                ),
            ],
            "torch": ("later = position > ", "later = position >= "),
        },
        "later_scores_zero": {
            "mxnet": ("scores - 1e6 * later.expand_dims(0)", "scores * (1 - later.expand_dims(0))"),
            "torch": ("masked_fill(later, -1e6)", "masked_fill(later, 0.0)"),
        },
        "masked_after_the_softmax": {
            "mxnet": [
                ("scores - 1e6 * later.expand_dims(0)", "scores"),
                ("hidden.softmax(axis=-1)", "hidden.softmax(axis=-1) * (1 - later.expand_dims(0))"),
            ],
            "torch": [
                ("scores.masked_fill(later, -1e6)", "scores"),
                ("hidden.softmax(dim=-1)", "hidden.softmax(dim=-1).masked_fill(later, 0.0)"),
            ],
        },
        "not_scaled": {
            "mxnet": ("scores / math.sqrt(d_k)", "scores"),
            "torch": ("scores / math.sqrt(queries.shape[-1])", "scores"),
        },
        "scaled_by_the_width": {
            "mxnet": ("math.sqrt(d_k)", "d_k"),
            "torch": ("math.sqrt(queries.shape[-1])", "queries.shape[-1]"),
        },
        "scaled_by_the_heads": {
            "mxnet": ("math.sqrt(d_k)", "math.sqrt(queries.shape[1])"),
            "torch": ("math.sqrt(queries.shape[-1])", "math.sqrt(queries.shape[1])"),
        },
        "scaled_by_all_heads": {
            "mxnet": ("math.sqrt(d_k)", "math.sqrt(queries.shape[1] * d_k)"),
            "torch": (
                "math.sqrt(queries.shape[-1])",
                "math.sqrt(queries.shape[1] * queries.shape[-1])",
            ),
        },
        "softmax_over_the_queries": {
            "mxnet": ("softmax(axis=-1)", "softmax(axis=1)"),
            "torch": ("softmax(dim=-1)", "softmax(dim=2)"),
        },
        "heads_in_another_order": {
            "mxnet": (
                "    return context.reshape(values.shape)",
                "    shape = values.shape\n"
                "    context = context.reshape((shape[0], -1, per_group, num_tokens, shape[3]))\n"
                "    return context.swapaxes(1, 2).reshape(shape)",
            ),
            "torch": (
                "    return hidden.softmax(dim=-1) @ values",
                "    context = hidden.softmax(dim=-1) @ values\n"
                "    by_group = context.unflatten(1, (-1, per_group))\n"
                "    return by_group.transpose(1, 2).flatten(1, 2)",
            ),
        },
    },
}

_SQUARE = "a query for each key: the last two axes of the scores are equal"
_EITHER = "transposing swaps two axes, in either order"
EQUIVALENT = {
    (
        "sparse_weights",
        "mxnet",
        "key = nd.arange(scores.shape[2]).reshape((1, 1, -1)) → key = nd.arange(scores.shape[1]).reshape((1, 1, -1))",
    ): _SQUARE,
    (
        "sparse_weights",
        "torch",
        "key = torch.arange(scores.shape[2]) → key = torch.arange(scores.shape[1])",
    ): _SQUARE,
    (
        "sparse_weights",
        "mxnet",
        "distance = key.reshape((1, -1, 1)) - key → distance = key.reshape((0, -1, 1)) - key",
    ): "MXNet reads 0 in a new shape as the size of that axis, which is 1",
    (
        "sparse_weights",
        "mxnet",
        "seen = nd.broadcast_maximum(near, key < num_global) → seen = nd.broadcast_maximum(key < num_global, near)",
    ): "the larger of two numbers, in either order",
    (
        "linear_attention",
        "torch",
        "S = S + torch.bmm(k.transpose(1, 2), v) → S = S + torch.bmm(k.transpose(2, 1), v)",
    ): _EITHER,
    (
        "grouped_query",
        "torch",
        "scores = queries @ keys.transpose(2, 3) → scores = queries @ keys.transpose(3, 2)",
    ): _EITHER,
}
