"""Wrong versions of the solutions on language models."""

from exercises.wrong_versions import Wrong

_WALK = """def merge_pair(tokens, pair, new):
    merged, i = [], 0
    while i < len(tokens):
        if tuple(tokens[i : i + 2]) == tuple(pair):
            merged.append(new)
            i += 2
        else:
            merged.append(tokens[i])
            i += 1
    return merged
"""
_PLACES = """def merge_pair(tokens, pair, new):
    at = [
        i
        for i in range(len(tokens) - 1)
        if tuple(tokens[i : i + 2]) == tuple(pair)
    ]
"""


def _same(*edits):
    return {"mxnet": list(edits), "torch": list(edits)}


def _instead(source):
    return {"mxnet": source, "torch": source}


def _walked(old, new):
    """The other way to write it, with an edit."""
    assert _WALK.count(old) == 1, old
    return _instead(_WALK.replace(old, new))


def _silu_gate(new):
    return _same(("gate * gate.sigmoid()", new))


def _hidden(mxnet, torch):
    """What W_down is multiplied with."""
    return {
        "mxnet": ("opened * nd.dot(X, W_up)", mxnet),
        "torch": ("(opened * (X @ W_up))", torch),
    }


def _needed(mxnet, torch):
    """Which of the ranked tokens are kept, and which are not."""
    return {"mxnet": ("before < p", mxnet), "torch": ("before >= p", torch)}


_KEPT = "kept = probabilities * (probabilities >= least)"
_THRESHOLD = "probabilities >= least"


def _ranks(needed, earlier=">", late="-", ascending="False"):
    """As many are kept as are needed, so of equal ones the later are cut: they are made less probable, by less
    than any other difference."""
    descending = str(ascending == "False")
    return {
        "mxnet": [
            (
                _KEPT,
                "size = probabilities.shape[1]\n"
                f"    late = probabilities {late} 1e-6 * nd.arange(size).reshape((1, -1))\n"
                f"    number = ({needed}).sum(axis=-1, keepdims=True)\n"
                f"    rank = (late.expand_dims(1) {earlier} late.expand_dims(2)).sum(axis=2)\n"
                "    kept = probabilities * (rank < number)",
            ),
            ("is_ascend=False", f"is_ascend={ascending}"),
        ],
        "torch": [
            (
                _KEPT,
                "size = probabilities.shape[1]\n"
                f"    late = probabilities {late} 1e-6 * torch.arange(size)\n"
                f"    number = ({needed}).sum(dim=-1, keepdim=True)\n"
                f"    rank = (late.unsqueeze(1) {earlier} late.unsqueeze(2)).sum(dim=2)\n"
                "    kept = probabilities * (rank < number)",
            ),
            ("descending=True", f"descending={descending}"),
        ],
    }


_SUM = {"mxnet": "kept.sum(axis=-1, keepdims=True)", "torch": "kept.sum(dim=-1, keepdim=True)"}


def _divided(new):
    return {framework: (f"kept / {text}", new) for framework, text in _SUM.items()}


WRONG: Wrong = {
    "merge_pair": {
        "overlaps_counted": _instead(
            _PLACES
            + """    return [
        new if i in at else token
        for i, token in enumerate(tokens)
        if i in at or i - 1 not in at
    ]
"""
        ),
        "last_token_lost": _walked("while i < len(tokens):", "while i < len(tokens) - 1:"),
        "second_token_kept": _instead(
            _PLACES + "    return [new if i in at else token for i, token in enumerate(tokens)]\n"
        ),
        "second_token_kept_and_last_lost": _instead(
            _PLACES + "    return [new if i in at else tokens[i] for i in range(len(tokens) - 1)]\n"
        ),
        "first_token_kept": _instead(
            _PLACES + "    return [new if i - 1 in at else token for i, token in enumerate(tokens)]\n"
        ),
        "only_the_first": _walked(
            "tuple(tokens[i : i + 2]) == tuple(pair)",
            "new not in merged and tuple(tokens[i : i + 2]) == tuple(pair)",
        ),
        "either_order": _walked(
            "tuple(tokens[i : i + 2]) == tuple(pair)", "sorted(tokens[i : i + 2]) == sorted(pair)"
        ),
        "merged_from_the_right": _same(
            ("for token in tokens:", "for token in tokens[::-1]:"),
            ("(merged[-1], token)", "(token, merged[-1])"),
            ("return merged", "return merged[::-1]"),
        ),
        "pair_reversed": _same(("(merged[-1], token)", "(token, merged[-1])")),
        "each_token_replaced": _instead(
            "def merge_pair(tokens, pair, new):\n    return [new if token in pair else token for token in tokens]\n"
        ),
        "pair_removed": _walked("            merged.append(new)\n", ""),
        "pair_stays": _walked("merged.append(new)", "merged += [*pair, new]"),
        "token_behind_lost": _walked("i += 2", "i += 3"),
        "slice_never_equals_a_tuple": _walked(
            "tuple(tokens[i : i + 2]) == tuple(pair)", "tokens[i : i + 2] == pair"
        ),
        "slice_never_equals_a_list": _walked(
            "tuple(tokens[i : i + 2]) == tuple(pair)", "tokens[i : i + 2] == list(pair)"
        ),
        "others_left_out": _walked("            merged.append(tokens[i])\n", ""),
        "overlaps_counted_others_left_out": _instead(_PLACES + "    return [new for _ in at]\n"),
        "two_by_two": _walked(
            "tuple(tokens[i : i + 2]) == tuple(pair)",
            "i % 2 == 0 and tuple(tokens[i : i + 2]) == tuple(pair)",
        ),
    },
    "gated_feed_forward": {
        "sigmoid_gate": _silu_gate("gate.sigmoid()"),
        "gate_and_up_exchanged": {
            "mxnet": [
                ("nd.dot(X, W_gate)", "nd.dot(X, W_other)"),
                ("nd.dot(X, W_up)", "nd.dot(X, W_gate)"),
                ("W_other", "W_up"),
            ],
            "torch": [("X @ W_gate", "X @ W_other"), ("X @ W_up", "X @ W_gate"), ("W_other", "W_up")],
        },
        "relu_gate": _silu_gate("gate.relu()"),
        "gelu_gate": {
            "mxnet": ("gate * gate.sigmoid()", "nd.LeakyReLU(gate, act_type='gelu')"),
            "torch": ("gate * gate.sigmoid()", "torch.nn.functional.gelu(gate)"),
        },
        "tanh_gate": _silu_gate("gate.tanh()"),
        "softmax_gate": {
            "mxnet": ("gate * gate.sigmoid()", "gate.softmax(axis=-1)"),
            "torch": ("gate * gate.sigmoid()", "gate.softmax(dim=-1)"),
        },
        "silu_of_the_product": {
            "mxnet": [
                ("gate = nd.dot(X, W_gate)", "gate = nd.dot(X, W_gate) * nd.dot(X, W_up)"),
                ("opened * nd.dot(X, W_up)", "opened"),
            ],
            "torch": [
                ("gate = X @ W_gate", "gate = (X @ W_gate) * (X @ W_up)"),
                ("(opened * (X @ W_up))", "opened"),
            ],
        },
        "silu_of_both": _hidden(
            "opened * nd.dot(X, W_up) * nd.dot(X, W_up).sigmoid()",
            "(opened * (X @ W_up) * (X @ W_up).sigmoid())",
        ),
        "silu_at_the_end": {
            "mxnet": [
                ("gate * gate.sigmoid()", "gate"),
                ("return nd.dot(", "Y = nd.dot("),
                ("W_up), W_down)", "W_up), W_down)\n    return Y * Y.sigmoid()"),
            ],
            "torch": [
                ("gate * gate.sigmoid()", "gate"),
                ("return (opened", "Y = (opened"),
                ("@ W_down", "@ W_down\n    return Y * Y.sigmoid()"),
            ],
        },
        "branches_added": _hidden("opened + nd.dot(X, W_up)", "(opened + X @ W_up)"),
        "up_left_out": _hidden("opened", "opened"),
        "gate_left_out": {
            "mxnet": [
                ("nd.dot(X, W_gate)", "nd.dot(X, W_other)"),
                ("opened * nd.dot(X, W_up)", "opened"),
                ("W_other", "W_up"),
            ],
            "torch": [
                ("X @ W_gate", "X @ W_other"),
                ("(opened * (X @ W_up))", "opened"),
                ("W_other", "W_up"),
            ],
        },
        "no_activation": _silu_gate("gate"),
        "exponent_without_minus": _silu_gate("gate * (-gate).sigmoid()"),
        "residual_inside": _same(("return ", "return X + ")),
        "normalised_inside": {
            "mxnet": (
                "    gate = ",
                "    X = X / (X.square().mean(axis=-1, keepdims=True) + 1e-5).sqrt()\n    gate = ",
            ),
            "torch": (
                "    gate = ",
                "    X = X / (X.square().mean(dim=-1, keepdim=True) + 1e-5).sqrt()\n    gate = ",
            ),
        },
    },
    "top_p": {
        "crossing_token_left_out": _needed("before + ranked <= p", "before + ranked > p"),
        "first_kept_by_hand": _needed(
            "((before + ranked <= p) + (before == 0)) > 0", "(before + ranked > p) & (before > 0)"
        ),
        "p_must_be_passed": _needed("before <= p", "before > p"),
        "one_token_too_many": {
            "mxnet": (
                "- ranked\n",
                "- ranked\n    shifted = [nd.zeros_like(before[:, :1]), before[:, :-1]]\n"
                "    before = nd.concat(*shifted, dim=1)\n",
            ),
            "torch": (
                "- ranked\n",
                "- ranked\n    shifted = [torch.zeros_like(before[:, :1]), before[:, :-1]]\n"
                "    before = torch.cat(shifted, dim=1)\n",
            ),
        },
        "not_renormalised": _divided("kept"),
        "divided_by_p": _divided("kept / p"),
        "divided_by_the_whole_batch": _divided("kept / kept.sum()"),
        "softmax_of_the_kept": {
            "mxnet": (
                "kept / kept.sum(axis=-1, keepdims=True)",
                "nd.where(kept > 0, kept, nd.ones_like(kept) * -1e6).softmax(axis=-1)",
            ),
            "torch": (
                "kept / kept.sum(dim=-1, keepdim=True)",
                "kept.masked_fill(kept == 0, -1e6).softmax(dim=-1)",
            ),
        },
        "kept_made_equal": {
            "mxnet": (_KEPT, "kept = probabilities >= least"),
            "torch": (_KEPT, "kept = (probabilities >= least).float()"),
        },
        "left_sorted": _same((_KEPT, "kept = ranked * (ranked >= least)")),
        "least_probable_first": {
            "mxnet": [
                ("is_ascend=False", "is_ascend=True"),
                ("ones = nd.ones_like", "ones = nd.zeros_like"),
                ("needed.min", "needed.max"),
                (_THRESHOLD, "probabilities <= least"),
            ],
            "torch": [
                ("descending=True", "descending=False"),
                ("p, 1.0", "p, 0.0"),
                ("needed.amin", "needed.amax"),
                (_THRESHOLD, "probabilities <= least"),
            ],
        },
        "not_sorted": {
            "mxnet": [
                ("probabilities.sort(axis=-1, is_ascend=False)", "probabilities"),
                (_KEPT, "kept = probabilities * (before < p)"),
            ],
            "torch": [
                ("probabilities.sort(dim=-1, descending=True)[0]", "probabilities"),
                (_KEPT, "kept = probabilities * (before < p)"),
            ],
        },
        "p_as_threshold": _same((_THRESHOLD, "probabilities >= p")),
        "rest_as_threshold": _same((_THRESHOLD, "probabilities >= 1 - p")),
        "share_of_the_largest": _same((_THRESHOLD, "probabilities >= p * ranked[:, :1]")),
        "share_of_the_vocabulary": _same(
            (
                "    kept = probabilities * ",
                "    share = int(-(-p * ranked.shape[1] // 1))\n    least = ranked[:, share - 1 : share]\n"
                "    kept = probabilities * ",
            )
        ),
        "first_row_decides": {
            "mxnet": (
                "    kept = probabilities * ",
                "    count = int((before[0] < p).sum().asscalar())\n    least = ranked[:, count - 1 : count]\n"
                "    kept = probabilities * ",
            ),
            "torch": (
                "    kept = probabilities * ",
                "    count = int((before[0] < p).sum())\n    least = ranked[:, count - 1 : count]\n"
                "    kept = probabilities * ",
            ),
        },
        "only_the_most_probable": _same((_THRESHOLD, "probabilities >= ranked[:, :1]")),
        "equal_ones_cut": _ranks("before < p"),
        "reaching_token_left_out": _needed("before + ranked < p", "before + ranked >= p"),
        "crossing_token_and_equal_ones_cut": _ranks("before + ranked <= p"),
        "reaching_token_and_equal_ones_cut": _ranks("before + ranked < p"),
        "left_sorted_equal_ones_cut": _same((_KEPT, "kept = ranked * (before < p)")),
        "order_for_its_inverse": {
            "mxnet": (
                _KEPT,
                "order = probabilities.argsort(axis=-1, is_ascend=False)\n"
                "    rows = nd.arange(order.shape[0]).expand_dims(1) + 0 * order\n"
                "    kept = nd.gather_nd(ranked * (ranked >= least), nd.stack(rows, order))",
            ),
            "torch": (
                _KEPT,
                "order = probabilities.argsort(dim=-1, descending=True, stable=True)\n"
                "    kept = (ranked * (ranked >= least)).gather(-1, order)",
            ),
        },
        "least_probable_first_equal_ones_cut": _ranks("before < p", "<", "+", "True"),
        "not_sorted_crossing_left_out": {
            "mxnet": [
                ("probabilities.sort(axis=-1, is_ascend=False)", "probabilities"),
                (_KEPT, "kept = probabilities * (before + probabilities <= p)"),
            ],
            "torch": [
                ("probabilities.sort(dim=-1, descending=True)[0]", "probabilities"),
                (_KEPT, "kept = probabilities * (before + probabilities <= p)"),
            ],
        },
        "softmax_first": {
            "mxnet": ("    ranked = ", "    probabilities = probabilities.softmax(axis=-1)\n    ranked = "),
            "torch": ("    ranked = ", "    probabilities = probabilities.softmax(dim=-1)\n    ranked = "),
        },
    },
}

_LAST = "the probabilities have two axes, so the last is axis 1"
EQUIVALENT = {
    ("top_p", framework, f"{line.format(a=-1)} → {line.format(a=1)}"): _LAST
    for framework, lines in {
        "mxnet": (
            "least = needed.min(axis={a}, keepdims=True)",
            "ranked = probabilities.sort(axis={a}, is_ascend=False)",
            "return kept / kept.sum(axis={a}, keepdims=True)",
        ),
        "torch": (
            "before = ranked.cumsum(dim={a}) - ranked",
            "least = needed.amin(dim={a}, keepdim=True)",
            "ranked = probabilities.sort(dim={a}, descending=True)[0]",
            "return kept / kept.sum(dim={a}, keepdim=True)",
        ),
    }.items()
    for line in lines
} | {
    (
        "top_p",
        "torch",
        "needed = ranked.masked_fill(before >= p, 1.0) → needed = ranked.masked_fill(before >= p, 2.0)",
    ): "no probability is above 1, so the smallest is the same"
}
