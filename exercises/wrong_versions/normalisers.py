"""Wrong versions of the solutions on what may stand in place of the softmax."""

from exercises.wrong_versions import Wrong

_ORDERED = "    ordered = "
_RETURNED = "    return (scores - threshold).relu()"
_SUM = {"mxnet": ".sum(axis=-1, keepdims=True)", "torch": ".sum(dim=-1, keepdim=True)"}
_SOFTMAX = {"mxnet": "softmax(axis=-1)", "torch": "softmax(dim=-1)"}
_SWAP = {"mxnet": "swapaxes(1, 2)", "torch": "transpose(1, 2)"}
_THRESHOLD = {"mxnet": "thresholds.pick(kept - 1, keepdims=True)", "torch": "thresholds.gather(-1, last)"}
_NOISY = "(scores + noise) / temperature"
_CHOICE = "(hard - soft).detach() + soft"
_MASKED = "masked_softmax(longer, valid_length + 1)"
_END = f"    weights = {_MASKED}\n    return weights[:, :, 1:]"
_MASK = {
    "mxnet": "    positions = nd.arange(scores.shape[-1]).reshape((1, 1, -1))\n"
    "    mask = positions < valid_length.reshape((-1, 1, 1))\n"
    "    mask = nd.broadcast_like(mask, scores)\n",
    "torch": "    mask = torch.arange(scores.shape[-1]) < valid_length.reshape(-1, 1, 1)\n",
}
_FILLED = {
    "mxnet": _MASK["mxnet"] + "    filled = nd.where(mask, scores, nd.full(scores.shape, -1e6))\n",
    "torch": _MASK["torch"] + "    filled = scores.masked_fill(~mask, -1e6)\n",
}
_BEHIND = {
    "mxnet": "nd.concat(weights[:, :, 1:], weights[:, :, :1], dim=-1)",
    "torch": "torch.cat((weights[:, :, 1:], weights[:, :, :1]), dim=-1)",
}


def _same(*edits):
    return {"mxnet": list(edits), "torch": list(edits)}


def _each(*edits):
    """Edits made from what stands in each framework: the old text and the new, each a text or one for each."""

    def text(part, framework):
        return part if isinstance(part, str) else part[framework]

    return {
        framework: [(text(old, framework), text(new, framework)) for old, new in edits]
        for framework in ("mxnet", "torch")
    }


def _from(pattern, **parts):
    """A text for each framework, from one with places for what differs."""
    return {
        framework: pattern.format(**{name: part[framework] for name, part in parts.items()})
        for framework in ("mxnet", "torch")
    }


WRONG: Wrong = {
    "sparsemax": {
        "softmax_taken": _each((_RETURNED, _from("    return scores.{s}", s=_SOFTMAX))),
        "softmax_of_the_kept": {
            "mxnet": (
                _RETURNED,
                "    lowest = nd.full(scores.shape, -1e6)\n"
                "    return nd.where(scores > threshold, scores, lowest).softmax(axis=-1)",
            ),
            "torch": (
                _RETURNED,
                "    return scores.masked_fill(scores <= threshold, -1e6).softmax(dim=-1)",
            ),
        },
        "all_keys_counted": _each((_THRESHOLD, "thresholds[:, :, -1:]")),
        "one_forgotten": _each(
            (
                _THRESHOLD,
                {
                    "mxnet": "nd.cumsum(ordered, axis=2).pick(kept - 1, keepdims=True) / kept.expand_dims(-1)",
                    "torch": "ordered.cumsum(dim=-1).gather(-1, last) / kept.unsqueeze(-1)",
                },
            )
        ),
        "one_key_too_many": {
            "mxnet": ("kept - 1", "kept.clip(0, scores.shape[-1] - 1)"),
            "torch": ("(kept - 1)", "kept.clip(max=scores.shape[-1] - 1)"),
        },
        "over_the_queries": _each(
            (_ORDERED, _from("    scores = scores.{swap}\n    ordered = ", swap=_SWAP)),
            (".relu()", _from(".relu().{swap}", swap=_SWAP)),
        ),
        "left_in_order": _same(("(scores - threshold)", "(ordered - threshold)")),
        "not_cut": _same((".relu()", "")),
        "one_below_the_largest": _each((_THRESHOLD, "thresholds[:, :, :1]")),
        "one_below_the_largest_divided": _each(
            (_THRESHOLD, "thresholds[:, :, :1]"),
            (
                _RETURNED,
                _from("    above = (scores - threshold).relu()\n    return above / above{sum}", sum=_SUM),
            ),
        ),
        "scores_above_zero_divided": {
            "mxnet": (
                _RETURNED,
                "    above = scores.relu()\n"
                "    return above / nd.maximum(above.sum(axis=-1, keepdims=True), 1e-30)",
            ),
            "torch": (
                _RETURNED,
                "    above = scores.relu()\n    return above / above.sum(dim=-1, keepdim=True).clamp(min=1e-30)",
            ),
        },
        "one_threshold_for_a_sequence": _same(
            (
                _ORDERED,
                "    shape = scores.shape\n    scores = scores.reshape((shape[0], 1, -1))\n    ordered = ",
            ),
            (".relu()", ".relu().reshape(shape)"),
        ),
        "threshold_added": _same(("(scores - threshold)", "(scores + threshold)")),
        "only_the_largest": {
            "mxnet": (_RETURNED, "    return scores.argmax(axis=-1).one_hot(scores.shape[-1])"),
            "torch": (
                _RETURNED,
                "    one_hot = torch.nn.functional.one_hot\n"
                "    return one_hot(scores.argmax(dim=-1), scores.shape[-1]).float()",
            ),
        },
        "cut_at_one_over_the_keys": _each(
            (
                _RETURNED,
                _from(
                    "    weights = scores.{s}\n"
                    "    weights = weights * (weights >= 1 / scores.shape[-1] - 1e-6)\n"
                    "    return weights / weights{sum}",
                    s=_SOFTMAX,
                    sum=_SUM,
                ),
            )
        ),
        "cut_at_a_fixed_limit": _each(
            (
                _RETURNED,
                _from(
                    "    weights = scores.{s}\n"
                    "    weights = weights * (weights >= 0.2 - 1e-6)\n"
                    "    return weights / weights{sum}",
                    s=_SOFTMAX,
                    sum=_SUM,
                ),
            )
        ),
    },
    "straight_through": {
        "soft_returned": _same((_CHOICE, "soft")),
        "noise_ignored": _same((_NOISY, "(scores + 0 * noise) / temperature")),
        "noise_subtracted": _same((_NOISY, "(scores - noise) / temperature")),
        "noise_multiplied": _same((_NOISY, "(scores * noise) / temperature")),
        "noise_not_divided": _same((_NOISY, "scores / temperature + noise")),
        "only_noise_divided": _same((_NOISY, "scores + noise / temperature")),
        "noise_after_the_softmax": _each(
            (_NOISY, _from("(scores / temperature).{s} + noise", s=_SOFTMAX)),
        ),
        "chosen_among_queries": _each(
            (_NOISY, _from("((scores + noise) / temperature).{swap}", swap=_SWAP)),
            ("scores.shape[-1]", "scores.shape[1]"),
            (_CHOICE, _from("((hard - soft).detach() + soft).{swap}", swap=_SWAP)),
        ),
        "place_returned": _same((_CHOICE, "best")),
        "smallest_chosen": _same(("noisy.argmax", "noisy.argmin")),
        "soft_left_in": _same((_CHOICE, "hard + soft")),
        "choice_times_soft": _same((_CHOICE, "hard * soft")),
        "half_choice_half_soft": _same((_CHOICE, "(hard + soft) / 2")),
        "rounded_weights": _same((_CHOICE, "soft.round()")),
    },
    "softmax_with_zero": {
        "no_extra_zero": {
            "mxnet": ("nd.zeros_like(scores[:, :, :1])", "-2e5 * nd.ones_like(scores[:, :, :1])"),
            "torch": ("torch.zeros_like(scores[:, :, :1])", "-2e5 * torch.ones_like(scores[:, :, :1])"),
        },
        "exponentials_overflow": _each(
            (
                _END,
                _from(
                    "{mask}    raised = scores.exp() * mask\n    return raised / (1 + raised{sum})",
                    mask=_MASK,
                    sum=_SUM,
                ),
            )
        ),
        "one_beside_the_largest": {
            "mxnet": (
                _END,
                f"{_FILLED['mxnet']}    highest = filled.max(axis=-1, keepdims=True)\n"
                "    raised = (filled - highest).exp() * mask\n"
                "    return raised / (1 + raised.sum(axis=-1, keepdims=True))",
            ),
            "torch": (
                _END,
                f"{_FILLED['torch']}    highest = filled.max(dim=-1, keepdim=True).values\n"
                "    raised = (filled - highest).exp() * mask\n"
                "    return raised / (1 + raised.sum(dim=-1, keepdim=True))",
            ),
        },
        "zero_behind_the_padding": {
            "mxnet": [
                ("nd.concat(zero, scores, ", "nd.concat(scores, zero, "),
                ("[:, :, 1:]", "[:, :, :-1]"),
            ],
            "torch": [("(zero, scores)", "(scores, zero)"), ("[:, :, 1:]", "[:, :, :-1]")],
        },
        "extra_weight_kept": _each(("weights[:, :, 1:]", _BEHIND)),
        "wrong_end_taken_off": _each(("weights[:, :, 1:]", _from("{behind}[:, :, 1:]", behind=_BEHIND))),
        "extra_weight_kept_in_front": _same(("weights[:, :, 1:]", "weights")),
        "last_key_taken_off": _same(("weights[:, :, 1:]", "weights[:, :, :-1]")),
        "mask_too_late": _each(
            (
                _END,
                _from(
                    "{mask}    weights = longer.{s}\n    return weights[:, :, 1:] * mask",
                    mask=_MASK,
                    s=_SOFTMAX,
                ),
            )
        ),
        "padding_scores_zero": _each(
            ("    zero = ", _from("{mask}    scores = scores * mask\n    zero = ", mask=_MASK)),
            (_END, _from("    weights = longer.{s}\n    return weights[:, :, 1:] * mask", s=_SOFTMAX)),
        ),
        "length_ignored": _each((_MASKED, _from("longer.{s}", s=_SOFTMAX))),
        "one_for_the_zero": _same(("zeros_like", "ones_like")),
        "a_sigmoid_for_each": _each((_END, _from("{mask}    return scores.sigmoid() * mask", mask=_MASK))),
        "a_zero_for_each_key": _same(
            ("scores[:, :, :1]", "scores"),
            ("valid_length + 1", "valid_length + scores.shape[-1]"),
            ("weights[:, :, 1:]", "weights[:, :, scores.shape[-1] :]"),
        ),
        "length_not_longer": _same(("valid_length + 1", "valid_length")),
        "length_too_long": _same(("valid_length + 1", "valid_length + 2")),
        "zero_among_the_queries": {
            "mxnet": (
                _END,
                f"{_FILLED['mxnet']}    longer = nd.concat(filled, nd.zeros_like(filled[:, :1]), dim=1)\n"
                "    return longer.softmax(axis=1)[:, :-1]",
            ),
            "torch": (
                _END,
                f"{_FILLED['torch']}    longer = torch.cat((filled, torch.zeros_like(filled[:, :1])), dim=1)\n"
                "    return longer.softmax(dim=1)[:, :-1]",
            ),
        },
        "scores_below_zero_lost": {
            "mxnet": ("nd.concat(zero, scores, ", "nd.concat(zero, scores.relu(), "),
            "torch": ("(zero, scores)", "(zero, scores.relu())"),
        },
    },
}

_ON_THE_LINE = (
    "a score that equals the threshold of its own rank gets the weight 0 and leaves the threshold as it is"
)
EQUIVALENT = {
    (
        "sparsemax",
        framework,
        f"kept = (ordered > thresholds).sum({axis}=-1) → kept = (ordered >= thresholds).sum({axis}=-1)",
    ): _ON_THE_LINE
    for framework, axis in (("mxnet", "axis"), ("torch", "dim"))
}
