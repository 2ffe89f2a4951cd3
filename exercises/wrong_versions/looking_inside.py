"""Wrong versions of the solutions on looking inside."""

from exercises.wrong_versions import Wrong

_ROWS = "nd.concat(nd.zeros_like(after[:, :1]), after[:, :-1], dim=1)"
_RANKED = "    earlier = earlier * (ranks == 1)\n    # One column on"
_NOT_AVERAGED = (" / asking.sum()", "")
_ALL = ("asking.sum()", "(tokens.shape[0] * tokens.shape[1])")
_EXCHANGE = "kept * contexts + (1 - kept) * instead"
_UNTURNED = {"mxnet": (", transpose_b=True", ""), "torch": ("W_o.T", "W_o")}
_RESHAPED = {
    "mxnet": (
        "left.swapaxes(1, 2).reshape((0, 0, -1))",
        "left.reshape((left.shape[0], left.shape[2], -1))",
    ),
    "torch": ("left.transpose(1, 2).flatten(2)", "left.reshape(len(left), left.shape[2], -1)"),
}


def _same(*edits):
    return {"mxnet": list(edits), "torch": list(edits)}


def _reduced(**returned):
    """Another expression in place of the mean, in each framework."""
    axis = {"mxnet": "axis", "torch": "dim"}
    return {f: (f"before.mean({axis[f]}=(0, 2))", new) for f, new in returned.items()}


def _diagonal(**before):
    """Another expression in place of the diagonal, in each framework."""
    old = {
        "mxnet": "nd.diag(weights, k=-1, axis1=2, axis2=3)",
        "torch": "weights.diagonal(-1, dim1=2, dim2=3)",
    }
    return {f: (old[f], new) for f, new in before.items()}


def _offset(k):
    return {"mxnet": ("k=-1", f"k={k}"), "torch": ("diagonal(-1,", f"diagonal({k},")}


def _itself(*more):
    return {
        "mxnet": [("weights * after.", "weights * earlier."), *more],
        "torch": [("weights * after.", "weights * earlier."), *more],
    }


WRONG: Wrong = {
    "previous_token_score": {
        "own_token": _offset(0),
        "token_after": _offset(1),
        "two_before": _offset(-2),
        "first_token_counted": _reduced(
            mxnet="before.mean(axis=0).sum(axis=-1) / weights.shape[2]",
            torch="before.mean(dim=0).sum(dim=-1) / weights.shape[2]",
        ),
        "begins_at_the_end": _reduced(
            mxnet="(before.sum(axis=2) + weights[:, :, 0, -1]).mean(axis=0) / weights.shape[2]",
            torch="(before.sum(dim=2) + weights[:, :, 0, -1]).mean(dim=0) / weights.shape[2]",
        ),
        "last_token_left_out": _same(("before.mean(", "before[:, :, :-1].mean(")),
        "all_earlier_tokens": {
            "mxnet": (
                "    before = nd.diag(weights, k=-1, axis1=2, axis2=3)",
                "    place = nd.arange(weights.shape[2])\n"
                "    earlier = place.expand_dims(0) < place.expand_dims(1)\n"
                "    earlier = earlier.expand_dims(0).expand_dims(0)\n"
                "    before = (weights * earlier).sum(axis=3)[:, :, 1:]",
            ),
            "torch": ("weights.diagonal(-1, dim1=2, dim2=3)", "weights.tril(-1).sum(dim=3)[:, :, 1:]"),
        },
        "all_entries_counted": _reduced(
            mxnet="before.mean(axis=0).sum(axis=-1) / weights.shape[2] ** 2",
            torch="before.mean(dim=0).sum(dim=-1) / weights.shape[2] ** 2",
        ),
        "summed_over_tokens": _reduced(
            mxnet="before.mean(axis=0).sum(axis=-1)", torch="before.mean(dim=0).sum(dim=-1)"
        ),
        "summed_over_everything": _reduced(mxnet="before.sum(axis=(0, 2))", torch="before.sum(dim=(0, 2))"),
        "summed_over_the_batch": _reduced(
            mxnet="before.mean(axis=2).sum(axis=0)", torch="before.mean(dim=2).sum(dim=0)"
        ),
        "first_sequence_alone": _same(("before.mean(", "before[:1].mean(")),
        "averaged_over_heads": _same(("=(0, 2)", "=(1, 2)")),
        "share_of_largest": _diagonal(
            mxnet="weights.argmax(axis=3)[:, :, 1:] == nd.arange(\n        weights.shape[2] - 1\n"
            "    ).reshape((1, 1, -1))",
            torch="(weights.argmax(dim=3)[:, :, 1:] == torch.arange(\n        weights.shape[2] - 1)).float()",
        ),
        "largest_found": _reduced(mxnet="before.max(axis=(0, 2))", torch="before.amax(dim=(0, 2))"),
    },
    "induction_score": {
        "occurrence_itself": _itself(),
        "token_before_it": {
            "mxnet": (
                "    found = weights * after",
                "    before = nd.concat(earlier[:, :, 1:], nothing, dim=2)\n    found = weights * before",
            ),
            "torch": (
                "    found = weights * after",
                "    before = torch.zeros_like(earlier)\n    before[:, :, :-1] = earlier[:, :, 1:]\n"
                "    found = weights * before",
            ),
        },
        "all_queries_counted": _same(_ALL),
        "itself_all_queries_counted": _itself(_ALL),
        "latest_alone": {
            "mxnet": ("    # One column on", "    ranks = nd.dot(earlier, column <= row)\n" + _RANKED),
            "torch": (
                "    # One column on",
                "    ranks = earlier.flip(2).cumsum(dim=2).flip(2)\n" + _RANKED,
            ),
        },
        "first_alone": {
            "mxnet": ("    # One column on", "    ranks = nd.dot(earlier, row <= column)\n" + _RANKED),
            "torch": ("    # One column on", "    ranks = earlier.cumsum(dim=2)\n" + _RANKED),
        },
        "pairs_counted": _same(("asking.sum()", "after.sum()")),
        "own_place_counted": {
            "mxnet": ("column < row", "column <= row"),
            "torch": (".tril(-1)", ".tril()"),
        },
        "sequences_averaged": {
            "mxnet": (
                "    return found.sum(axis=(0, 2, 3)) / asking.sum()",
                "    each = found.sum(axis=(2, 3))\n    count = asking.sum(axis=1, keepdims=True)\n"
                "    return (each / nd.maximum(count, 1)).mean(axis=0)",
            ),
            "torch": (
                "    return found.sum(dim=(0, 2, 3)) / asking.sum()",
                "    each = found.sum(dim=(2, 3))\n    count = asking.sum(dim=1, keepdim=True)\n"
                "    return (each / count.clamp(min=1)).mean(dim=0)",
            ),
        },
        "own_place_is_no_find": {
            "mxnet": (
                "found = weights * after.",
                "after = after * (column != row).expand_dims(0)\n    found = weights * after.",
            ),
            "torch": (
                "found = weights * after.",
                "after = after * (1 - torch.eye(tokens.shape[1]))\n    found = weights * after.",
            ),
        },
        "later_ones_too": {
            "mxnet": ("column < row", "column != row"),
            "torch": (".tril(-1)", " * (1 - torch.eye(tokens.shape[1]))"),
        },
        "largest_counted": {
            "mxnet": (
                "    found = weights * ",
                "    best = weights.argmax(axis=3, keepdims=True)\n"
                "    best = best == place.reshape((1, 1, 1, -1))\n    found = best * ",
            ),
            "torch": (
                "    found = weights * ",
                "    best = weights.argmax(dim=3, keepdim=True)\n"
                "    best = best == torch.arange(weights.shape[3])\n    found = best * ",
            ),
        },
        "mean_of_followers": {
            "mxnet": (
                "    found = weights * after",
                "    count = after.sum(axis=2, keepdims=True)\n    share = after / nd.maximum(count, 1)\n"
                "    found = weights * share",
            ),
            "torch": (
                "    found = weights * after",
                "    count = after.sum(dim=2, keepdim=True)\n    share = after / count.clamp(min=1)\n"
                "    found = weights * share",
            ),
        },
        "queries_moved": {
            "mxnet": [
                ("nd.zeros_like(earlier[:, :, :1])", "nd.zeros_like(earlier[:, :1])"),
                (
                    "nd.concat(nothing, earlier[:, :, :-1], dim=2)",
                    "nd.concat(nothing, earlier[:, :-1], dim=1)",
                ),
            ],
            "torch": ("after[:, :, 1:] = earlier[:, :, :-1]", "after[:, 1:] = earlier[:, :-1]"),
        },
        "asked_one_token_late": {
            "mxnet": ("    # 1 for each", f"    after = {_ROWS}\n    # 1 for each"),
            "torch": ("after[:, :, 1:] = earlier[:, :, :-1]", "after[:, 1:, 1:] = earlier[:, :-1, :-1]"),
        },
        "not_averaged": _same(_NOT_AVERAGED),
    },
    "remove_heads": {
        "kept_are_removed": _same((_EXCHANGE, "(1 - kept) * contexts + kept * instead")),
        "zeros_always": _same((" + (1 - kept) * instead", "")),
        "joined_by_reshape": _RESHAPED,
        "not_transposed": _UNTURNED,
        "reshaped_and_not_transposed": {f: [_RESHAPED[f], _UNTURNED[f]] for f in _UNTURNED},
        "scaled_up": {
            "mxnet": (
                "    left = kept * contexts",
                "    share = max(kept.sum().asscalar(), 1) / kept.size\n    left = kept * contexts / share",
            ),
            "torch": (
                "    left = kept * contexts",
                "    share = kept.sum().clamp(min=1) / kept.numel()\n    left = kept * contexts / share",
            ),
        },
        "added_to_all": _same(("(1 - kept) * instead", "instead")),
        "means_of_this_batch": {
            "mxnet": ("    left = ", "    instead = contexts.mean(axis=(0, 2), keepdims=True)\n    left = "),
            "torch": ("    left = ", "    instead = contexts.mean(dim=(0, 2), keepdim=True)\n    left = "),
        },
        "rows_removed": {
            "mxnet": (
                f"    left = {_EXCHANGE}",
                "    left = contexts\n    rows = kept.reshape((-1,)).repeat(contexts.shape[3])\n"
                "    rows = rows.expand_dims(1)\n"
                "    W_o = rows * W_o + (1 - rows) * instead.reshape((-1, 1))",
            ),
            "torch": (
                f"    left = {_EXCHANGE}",
                "    left = contexts\n    rows = kept.flatten().repeat_interleave(contexts.shape[3])\n"
                "    rows = rows.unsqueeze(1)\n"
                "    W_o = rows * W_o + (1 - rows) * instead.reshape((-1, 1))",
            ),
        },
        "heads_alternate": {
            "mxnet": ("left.swapaxes(1, 2)", "left.transpose((0, 2, 3, 1))"),
            "torch": ("left.transpose(1, 2)", "left.permute(0, 2, 3, 1)"),
        },
        "averaged": {
            "mxnet": ("transpose_b=True)", "transpose_b=True) / contexts.shape[1]"),
            "torch": ("@ W_o.T", "@ W_o.T / contexts.shape[1]"),
        },
        "projection_forgotten": {
            "mxnet": ("nd.dot(joined, W_o, transpose_b=True)", "joined"),
            "torch": ("joined @ W_o.T", "joined"),
        },
        "nothing_removed": _same((_EXCHANGE, "contexts")),
        "instead_not_projected": {
            "mxnet": [
                (" + (1 - kept) * instead", ""),
                ("transpose_b=True)", "transpose_b=True) + ((1 - kept) * instead).reshape((1, 1, -1))"),
            ],
            "torch": [
                (" + (1 - kept) * instead", ""),
                ("@ W_o.T", "@ W_o.T + ((1 - kept) * instead).flatten()"),
            ],
        },
        "counted_from_the_last": {
            "mxnet": ("kept.reshape(", "kept.flip(axis=0).reshape("),
            "torch": ("kept.reshape(", "kept.flip(0).reshape("),
        },
    },
}

_AS_MANY = "as many places of a sequence have a later occurrence of their token as have an earlier one"
_BOTH_AXES = "the order in which two axes are named changes nothing"
EQUIVALENT = {
    ("induction_score", "mxnet", "asking = after.max(axis=2) → asking = after.max(axis=1)"): _AS_MANY,
    ("induction_score", "torch", "asking = after.amax(dim=2) → asking = after.amax(dim=1)"): _AS_MANY,
    (
        "remove_heads",
        "mxnet",
        "joined = left.swapaxes(1, 2).reshape((0, 0, -1)) → joined = left.swapaxes(2, 1).reshape((0, 0, -1))",
    ): _BOTH_AXES,
    (
        "remove_heads",
        "torch",
        "joined = left.transpose(1, 2).flatten(2) → joined = left.transpose(2, 1).flatten(2)",
    ): _BOTH_AXES,
}
