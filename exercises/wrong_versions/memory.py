"""Wrong versions of the solutions on memory."""

from exercises.wrong_versions import Wrong


def _same(*edits):
    return {"mxnet": list(edits), "torch": list(edits)}


_GATE = "gate * content + (1 - gate) * previous"
_POWER = "    raised = shifted**sharpness\n"
_SUM = {
    "mxnet": "    return raised / raised.sum(axis=1, keepdims=True)",
    "torch": "    return raised / raised.sum(dim=1, keepdim=True)",
}
_MIXED = "    mixed = gate * content + (1 - gate) * previous\n"
# Versions that shift something else, or end otherwise.
_SHIFTED = """
def location_addressing(
    content, previous, gate, shift, sharpness
):
    def moved(w):
        {down}
        {up}
        return shift[:, 0:1] * down + shift[:, 1:2] * w + shift[:, 2:3] * up

    shifted = {mixed}
    raised = shifted**sharpness
{sum}
"""
_DOWN = {
    "mxnet": "down = nd.concat(w[:, 1:], w[:, :1], dim=1)",
    "torch": "down = w.roll(-1, dims=1)",
}
_UP = {
    "mxnet": "up = nd.concat(w[:, -1:], w[:, :-1], dim=1)",
    "torch": "up = w.roll(1, dims=1)",
}
_LOST = {
    "mxnet": (
        "down = nd.concat(w[:, 1:], nd.zeros_like(w[:, :1]), dim=1)",
        "up = nd.concat(nd.zeros_like(w[:, :1]), w[:, :-1], dim=1)",
    ),
    "torch": (
        "down = torch.cat((w[:, 1:], 0 * w[:, :1]), dim=1)",
        "up = torch.cat((0 * w[:, :1], w[:, :-1]), dim=1)",
    ),
}
_KEPT = {
    "mxnet": (
        "down = nd.concat(w[:, :1] + w[:, 1:2], w[:, 2:], 0 * w[:, :1], dim=1)",
        "up = nd.concat(0 * w[:, :1], w[:, :-2], w[:, -2:-1] + w[:, -1:], dim=1)",
    ),
    "torch": (
        "down = torch.cat((w[:, :1] + w[:, 1:2], w[:, 2:], 0 * w[:, :1]), dim=1)",
        "up = torch.cat((0 * w[:, :1], w[:, :-2], w[:, -2:-1] + w[:, -1:]), dim=1)",
    ),
}
_AS_ONE_ROW = {
    "mxnet": (
        "flat = w.reshape((-1,))\n        down = nd.concat(flat[1:], flat[:1], dim=0).reshape(w.shape)",
        "up = nd.concat(flat[-1:], flat[:-1], dim=0).reshape(w.shape)",
    ),
    "torch": ("down = w.roll(-1)", "up = w.roll(1)"),
}
_ALONG_THE_BATCH = {
    "mxnet": ("down = nd.concat(w[1:], w[:1], dim=0)", "up = nd.concat(w[-1:], w[:-1], dim=0)"),
    "torch": ("down = w.roll(-1, dims=0)", "up = w.roll(1, dims=0)"),
}


def _moving(mixed, ends=None):
    """A whole version: what is shifted, and what happens at the ends of the slots."""
    return {
        framework: _SHIFTED.format(
            down=ends[framework][0] if ends else _DOWN[framework],
            up=ends[framework][1] if ends else _UP[framework],
            mixed=mixed,
            sum=_SUM[framework],
        )
        for framework in _SUM
    }


_HOP = {
    "mxnet": "        state = state + nd.batch_dot(weights, values)\n",
    "torch": "        state = state + torch.bmm(weights, values)\n",
}
_READ = {"mxnet": "nd.batch_dot(weights, values)", "torch": "torch.bmm(weights, values)"}
_COMPARE = {
    "mxnet": "nd.batch_dot(state, keys, transpose_b=True)",
    "torch": "torch.bmm(state, keys.transpose(1, 2))",
}
_WEIGHTS = "masked_softmax(scores, valid_length)"
_RETURN = "    return state"
# 1 for a key that counts, 0 for padding
_COUNTS = {
    "mxnet": (
        "        counts = nd.ones_like(scores)\n"
        "        if valid_length is not None:\n"
        "            place = nd.arange(keys.shape[1]).reshape((1, 1, -1))\n"
        "            counts = nd.broadcast_like(place < valid_length.reshape((-1, 1, 1)), scores)\n"
    ),
    "torch": (
        "        counts = torch.ones_like(scores)\n"
        "        if valid_length is not None:\n"
        "            place = torch.arange(keys.shape[1])\n"
        "            counts = counts * (place < valid_length.reshape(-1, 1, 1))\n"
    ),
}
_MASKED = "        weights = masked_softmax(scores, valid_length)\n"
_SOFTMAX = {"mxnet": "scores.softmax(axis=-1)", "torch": "scores.softmax(dim=-1)"}


def _weighing(weights):
    """Other weights than the masked softmax; counts is 1 for a key that counts."""
    return {
        framework: (_MASKED, _COUNTS[framework] + f"        weights = {weights[framework]}\n")
        for framework in _COUNTS
    }


_REPLACED = {f: (hop, hop.replace("state + ", "")) for f, hop in _HOP.items()}
_COPIED = {
    "mxnet": "    copied = nd.batch_dot(weights.expand_dims(1), places)\n    copied = copied.squeeze(axis=1)\n",
    "torch": "    copied = copied.scatter_add(1, tokens, weights)\n",
}
_MIXTURE = "generate * generated + (1 - generate) * copied"
_PLACED = "(nd.one_hot(tokens, size) * weights.expand_dims(-1))"

WRONG: Wrong = {
    "location_addressing": {
        "gate_reversed": _same((_GATE, "gate * previous + (1 - gate) * content")),
        "shift_reversed": _same(
            ("shift[:, 0:1]", "shift[:, 9:]"),
            ("shift[:, 2:3]", "shift[:, 0:1]"),
            ("shift[:, 9:]", "shift[:, 2:3]"),
        ),
        "shifts_from_zero": {
            "mxnet": [
                (
                    "    shifted = shift[:, 0:1]",
                    "    far = nd.concat(up[:, -1:], up[:, :-1], dim=1)\n    shifted = shift[:, 0:1]",
                ),
                ("* down", "* mixed"),
                ("shift[:, 1:2] * mixed", "shift[:, 1:2] * up"),
                ("shift[:, 2:3] * up", "shift[:, 2:3] * far"),
            ],
            "torch": [
                ("shift[:, 2:3] * up", "shift[:, 2:3] * up.roll(1, dims=1)"),
                ("shift[:, 1:2] * mixed", "shift[:, 1:2] * up"),
                ("* down", "* mixed"),
            ],
        },
        "minus_one_comes_last": _same(
            ("shift[:, 0:1]", "shift[:, 9:]"),
            ("shift[:, 2:3]", "shift[:, 1:9][:, :1]"),
            ("shift[:, 1:2]", "shift[:, 0:1]"),
            ("shift[:, 9:]", "shift[:, 2:3]"),
        ),
        "lost_at_the_ends": _moving(f"moved({_GATE})", _LOST),
        "kept_at_the_ends": _moving(f"moved({_GATE})", _KEPT),
        "rows_run_into_each_other": _moving(f"moved({_GATE})", _AS_ONE_ROW),
        "moved_along_the_batch": _moving(f"moved({_GATE})", _ALONG_THE_BATCH),
        "likeliest_shift_alone": {
            "mxnet": (_MIXED, _MIXED + "    shift = nd.one_hot(shift.argmax(axis=1), 3)\n"),
            "torch": (
                _MIXED,
                _MIXED + "    shift = torch.nn.functional.one_hot(shift.argmax(dim=1), 3).float()\n",
            ),
        },
        "shift_left_out": _same(("shifted**sharpness", "mixed**sharpness")),
        "only_previous_shifted": _moving("gate * content + (1 - gate) * moved(previous)"),
        "only_content_shifted": _moving("gate * moved(content) + (1 - gate) * previous"),
        "sharpened_first": {
            framework: [
                (_POWER, ""),
                (total, "    return shifted"),
                (
                    _MIXED,
                    _MIXED
                    + "    mixed = mixed**sharpness\n"
                    + total.replace("return raised", "mixed = mixed").replace("raised", "mixed")
                    + "\n",
                ),
            ]
            for framework, total in _SUM.items()
        },
        "not_divided": {framework: (total, "    return raised") for framework, total in _SUM.items()},
        "sharpened_by_a_softmax": {
            "mxnet": (_SUM["mxnet"], "    return (sharpness * shifted).softmax(axis=1)"),
            "torch": (_SUM["torch"], "    return (sharpness * shifted).softmax(dim=1)"),
        },
        "sharpness_left_out": _same(("shifted**sharpness", "shifted")),
        "root_for_power": _same(("shifted**sharpness", "shifted ** (1 / sharpness)")),
        "gate_decides": {
            "mxnet": (_MIXED, "    gate = gate > 0.5\n" + _MIXED),
            "torch": (_MIXED, "    gate = (gate > 0.5).float()\n" + _MIXED),
        },
        "previous_left_out": _same((_GATE, "content")),
    },
    "memory_hops": {
        "state_replaced": _REPLACED,
        "same_query_each_time": {f: (text, text.replace("state", "queries")) for f, text in _COMPARE.items()},
        "added_to_the_query": {f: (hop, hop.replace("state + ", "queries + ")) for f, hop in _HOP.items()},
        "last_reading_alone": {
            f: [
                (hop, f"        read = {_READ[f]}\n        state = state + read\n"),
                (_RETURN, "    return read"),
            ]
            for f, hop in _HOP.items()
        },
        "query_left_out": _same((_RETURN, "    return state - queries")),
        "readings_averaged": _same((_RETURN, "    return queries + (state - queries) / hops")),
        "one_hop_only": {f: (hop, hop + "        return state\n") for f, hop in _HOP.items()},
        "one_hop_too_many": _same(("range(hops)", "range(hops + 1)")),
        "one_hop_too_few": _same(("range(hops)", "range(1, hops)")),
        "scores_scaled": {f: (text, f"{text} / keys.shape[-1] ** 0.5") for f, text in _COMPARE.items()},
        "keys_averaged": {f: (text, text.replace("values", "keys")) for f, text in _READ.items()},
        "values_compared": {f: (text, text.replace("keys", "values")) for f, text in _COMPARE.items()},
        "length_ignored": _same((_WEIGHTS, "masked_softmax(scores, None)")),
        "length_in_the_first_hop": {
            f: (hop, hop + "        valid_length = None\n") for f, hop in _HOP.items()
        },
        "over_the_queries": _weighing(
            {
                "mxnet": "nd.where(counts, scores, nd.full(scores.shape, -1e6)).softmax(axis=1)",
                "torch": "scores.masked_fill(counts == 0, -1e6).softmax(dim=1)",
            }
        ),
        "masked_too_late": _weighing({f: f"{text} * counts" for f, text in _SOFTMAX.items()}),
        "renormalised": {
            f: (
                _MASKED,
                _COUNTS[f]
                + f"        weights = {_SOFTMAX[f]} * counts\n"
                + f"        weights = weights / weights.sum({total})\n",
            )
            for f, total in (("mxnet", "axis=-1, keepdims=True"), ("torch", "dim=-1, keepdim=True"))
        },
        "softmax_left_out": _weighing(dict.fromkeys(_SOFTMAX, "scores * counts")),
        "only_the_best_slot": {
            "mxnet": (
                _MASKED,
                _MASKED + "        weights = nd.one_hot(weights.argmax(axis=-1), keys.shape[1])\n",
            ),
            "torch": (
                _MASKED,
                _MASKED
                + "        best = weights.argmax(dim=-1)\n"
                + "        weights = torch.nn.functional.one_hot(best, keys.shape[1]).float()\n",
            ),
        },
    },
    "copy_distribution": {
        "last_weight_only": {
            "mxnet": (
                _COPIED["mxnet"],
                "    copied = nd.zeros((vocabulary.shape[0], size))\n"
                "    for i in range(tokens.shape[1]):\n"
                "        place = places[:, i]\n"
                "        copied = copied * (1 - place) + place * weights[:, i : i + 1]\n",
            ),
            "torch": ("scatter_add", "scatter"),
        },
        "largest_weight_only": {
            "mxnet": (_COPIED["mxnet"], f"    copied = {_PLACED}.max(axis=1)\n"),
            "torch": (
                "scatter_add(1, tokens, weights)",
                'scatter_reduce(1, tokens, weights, "amax")',
            ),
        },
        "repeats_averaged": {
            "mxnet": (
                _COPIED["mxnet"],
                f"    copied = {_PLACED}.sum(axis=1) / nd.maximum(places.sum(axis=1), 1)\n",
            ),
            "torch": (
                "scatter_add(1, tokens, weights)",
                'scatter_reduce(1, tokens, weights, "mean", include_self=False)',
            ),
        },
        "occurrences_counted": {
            "mxnet": ("weights.expand_dims(1)", "(0 * weights.expand_dims(1) + 1 / weights.shape[1])"),
            "torch": ("tokens, weights)\n", "tokens, 0 * weights + 1 / weights.shape[1])\n"),
        },
        "best_word_alone": {
            "mxnet": (
                "    known = ",
                "    weights = nd.one_hot(weights.argmax(axis=1), weights.shape[1])\n    known = ",
            ),
            "torch": (
                "    extra = ",
                "    weights = (weights == weights.amax(1, keepdim=True)).float()\n    extra = ",
            ),
        },
        "weights_by_position": {
            "mxnet": (
                "nd.one_hot(tokens, size)",
                "nd.one_hot(nd.broadcast_like(nd.arange(tokens.shape[1]).expand_dims(0), tokens), size)",
            ),
            "torch": ("1, tokens, ", "1, torch.arange(tokens.shape[1]).expand(tokens.shape), "),
        },
        "gate_on_the_copy": _same((_MIXTURE, "(1 - generate) * generated + generate * copied")),
        "gate_left_out": _same((_MIXTURE, "generated + copied")),
        "halves": _same((_MIXTURE, "(generated + copied) / 2")),
        "copy_not_gated": _same((_MIXTURE, "generate * generated + copied")),
        "gate_decides_alone": {
            "mxnet": ("    return ", "    generate = generate > 0.5\n    return "),
            "torch": ("    return ", "    generate = (generate > 0.5).float()\n    return "),
        },
        "new_words_lost": {
            "mxnet": (
                _MIXTURE,
                f"({_MIXTURE}) * (nd.arange(size) < known).expand_dims(0)",
            ),
            "torch": (_MIXTURE, f"({_MIXTURE}) * (torch.arange(size) < known)"),
        },
        "new_words_are_word_zero": {
            "mxnet": ("nd.one_hot(tokens, size)", "nd.one_hot(tokens * (tokens < known), size)"),
            "torch": ("1, tokens, ", "1, tokens * (tokens < known), "),
        },
        "new_words_are_the_last_word": {
            "mxnet": ("nd.one_hot(tokens, size)", "nd.one_hot(nd.minimum(tokens, known - 1), size)"),
            "torch": ("1, tokens, ", "1, tokens.clamp(max=known - 1), "),
        },
        "copied_over_the_vocabulary": {
            "mxnet": (
                _COPIED["mxnet"] + "    return generate * generated + (1 - generate) * copied",
                "    mixed = generate * generated\n"
                "    for i in range(tokens.shape[1]):\n"
                "        place = places[:, i]\n"
                "        mixed = mixed * (1 - place) + place * (1 - generate) * weights[:, i : i + 1]\n"
                "    return mixed",
            ),
            "torch": [
                ("copied = copied.scatter_add(1, tokens, weights)", "mixed = generate * generated"),
                (
                    "return generate * generated + (1 - generate) * copied",
                    "return mixed.scatter(1, tokens, (1 - generate) * weights)",
                ),
            ],
        },
        "known_words_not_copied": {
            "mxnet": (
                "(1 - generate) * copied",
                "(1 - generate) * copied * (nd.arange(size) >= known).expand_dims(0)",
            ),
            "torch": ("(1 - generate) * copied", "(1 - generate) * copied * (torch.arange(size) >= known)"),
        },
        "softmax_of_the_mixture": {
            "mxnet": (_MIXTURE, f"({_MIXTURE}).softmax(axis=1)"),
            "torch": (_MIXTURE, f"({_MIXTURE}).softmax(dim=1)"),
        },
        "larger_of_the_two": {
            "mxnet": (_MIXTURE, "nd.maximum(generate * generated, (1 - generate) * copied)"),
            "torch": (_MIXTURE, "torch.maximum(generate * generated, (1 - generate) * copied)"),
        },
        "vocabulary_behind_the_new": {
            "mxnet": ("nd.eye(known, size)", "nd.eye(known, size, size - known)"),
            "torch": ("(vocabulary, extra)", "(extra, vocabulary)"),
        },
    },
}

EQUIVALENT = {
    (
        "location_addressing",
        framework,
        "shifted = shifted + shift[:, 2:3] * up → shifted = shifted + shift[:, 2:4] * up",
    ): "there are three shifts, so the slice ends behind the third either way"
    for framework in ("mxnet", "torch")
} | {
    (
        "memory_hops",
        "torch",
        "scores = torch.bmm(state, keys.transpose(1, 2)) → scores = torch.bmm(state, keys.transpose(2, 1))",
    ): "exchanging two axes is the same in either order"
}
