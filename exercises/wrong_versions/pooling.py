"""Wrong versions of the solutions on pooling."""

from exercises.wrong_versions import Wrong

_GIVEN = ("if mask is None:", "given = mask is not None\n        if mask is None:")
_MX_SUM = "a.sum(axis=1, keepdims=True)"
_T_SUM = "a.sum(dim=1, keepdim=True)"
_RESULT = "return ratio / (ratio + num_steps - 1)"
_A = "scores.tanh().exp() * mask"


def both(*edits):
    """The same edits in both frameworks."""
    return {key: list(edits) for key in ("mxnet", "torch")}


WRONG: Wrong = {
    "feed_forward_pooling": {
        "softmax_over_an_axis_of_one": {
            "mxnet": (
                "filled.softmax(axis=1) * mask",
                "filled.expand_dims(-1).softmax(axis=-1).squeeze(axis=-1) * mask",
            ),
            "torch": (
                "filled.softmax(dim=1) * mask",
                "filled.unsqueeze(-1).softmax(dim=-1).squeeze(-1) * mask",
            ),
        },
        "softmax_over_the_batch": {
            "mxnet": ("softmax(axis=1)", "softmax(axis=0)"),
            "torch": ("softmax(dim=1)", "softmax(dim=0)"),
        },
        "mask_after_softmax": {
            "mxnet": ("filled.softmax", "scores.softmax"),
            "torch": ("filled.softmax", "scores.softmax"),
        },
        "renormalised_too_late": {
            "mxnet": (
                "filled.softmax(axis=1) * mask",
                "scores.softmax(axis=1) * mask\n"
                "        total = weights.sum(axis=1, keepdims=True)\n"
                "        weights = weights / (total + (total == 0))",
            ),
            "torch": (
                "filled.softmax(dim=1) * mask",
                "scores.softmax(dim=1) * mask\n"
                "        total = weights.sum(dim=1, keepdim=True)\n"
                "        weights = weights / total.masked_fill(total == 0, 1)",
            ),
        },
        "mask_ignored": {
            "mxnet": ("filled.softmax(axis=1) * mask", "scores.softmax(axis=1)"),
            "torch": ("filled.softmax(dim=1) * mask", "scores.softmax(dim=1)"),
        },
        "mask_inverted": {
            "mxnet": [
                ("mask = nd.ones_like", "mask = nd.zeros_like"),
                ("low = ", "mask = 1 - mask\n        low = "),
            ],
            "torch": [("torch.ones_like", "torch.zeros_like"), ("low = ", "mask = ~mask\n        low = ")],
        },
        "masked_with_zero": {
            "mxnet": ("filled.softmax(axis=1) * mask", "(scores * mask).softmax(axis=1)"),
            "torch": ("filled.softmax(dim=1) * mask", "(scores * mask).softmax(dim=1)"),
        },
        "empty_sequence_averages_padding": {
            "mxnet": ("softmax(axis=1) * mask", "softmax(axis=1)"),
            "torch": ("softmax(dim=1) * mask", "softmax(dim=1)"),
        },
        "empty_sequence_is_nan": {
            "mxnet": ("np.finfo(X.dtype).min", "-np.inf"),
            "torch": ("torch.finfo(X.dtype).min", "-torch.inf"),
        },
        "scores_through_tanh": {
            "mxnet": ("squeeze(axis=-1)", "squeeze(axis=-1).tanh()"),
            "torch": ("squeeze(dim=-1)", "squeeze(dim=-1).tanh()"),
        },
        "mean_of_weighted_steps": {
            "mxnet": (".sum(axis=1)", ".mean(axis=1)"),
            "torch": (".sum(dim=1)", ".mean(dim=1)"),
        },
        "divided_by_the_valid_count": {
            "mxnet": (".sum(axis=1)", ".sum(axis=1) / nd.maximum(mask.sum(axis=1, keepdims=True), 1)"),
            "torch": (".sum(dim=1)", ".sum(dim=1) / mask.sum(1, keepdim=True).clamp(min=1)"),
        },
        "mask_inverted_then_cleared": {
            "mxnet": [
                _GIVEN,
                ("nd.where(mask, scores, low)", "nd.where(mask, low, scores) if given else scores"),
            ],
            "torch": [
                _GIVEN,
                ("scores.masked_fill(~mask, low)", "scores.masked_fill(mask, low) if given else scores"),
            ],
        },
        "renormalised_until_nan": {
            "mxnet": (
                "filled.softmax(axis=1) * mask",
                "scores.softmax(axis=1) * mask\n"
                "        weights = weights / weights.sum(axis=1, keepdims=True)",
            ),
            "torch": (
                "filled.softmax(dim=1) * mask",
                "scores.softmax(dim=1) * mask\n        weights = weights / weights.sum(1, keepdim=True)",
            ),
        },
        "scores_over_root_of_features": {
            "mxnet": (".squeeze(axis=-1)", ".squeeze(axis=-1) / X.shape[-1] ** 0.5"),
            "torch": (".squeeze(dim=-1)", ".squeeze(dim=-1) / X.shape[-1] ** 0.5"),
        },
        "scores_over_features": {
            "mxnet": (".squeeze(axis=-1)", ".squeeze(axis=-1) / X.shape[-1]"),
            "torch": (".squeeze(dim=-1)", ".squeeze(dim=-1) / X.shape[-1]"),
        },
        "gate_for_each_step": {
            "mxnet": ("filled.softmax(axis=1)", "scores.sigmoid()"),
            "torch": ("filled.softmax(dim=1)", "scores.sigmoid()"),
        },
        "scores_without_effect": {
            "mxnet": (
                "filled.softmax(axis=1) * mask",
                "mask / nd.maximum(mask.sum(axis=1, keepdims=True), 1)",
            ),
            "torch": ("filled.softmax(dim=1) * mask", "mask / mask.sum(1, keepdim=True).clamp(min=1)"),
        },
        "best_step_alone": {
            "mxnet": (
                "weights.expand_dims(-1)",
                "nd.one_hot(weights.argmax(axis=1), X.shape[1]).expand_dims(-1)",
            ),
            "torch": (
                "(weights.unsqueeze(-1) * X).sum(dim=1)",
                "X[torch.arange(len(X)), weights.argmax(dim=1)]",
            ),
        },
        "empty_context_is_the_mean": {
            "mxnet": (
                ".sum(axis=1)",
                ".sum(axis=1) + X.mean(axis=1) * (mask.sum(axis=1, keepdims=True) == 0)",
            ),
            "torch": (".sum(dim=1)", ".sum(dim=1) + X.mean(dim=1) * ~mask.any(dim=1, keepdim=True)"),
        },
    },
    "guarded_pooling_weights": {
        "precedence_slip": {
            "mxnet": (
                "a / (a.sum(axis=1, keepdims=True) + epsilon)",
                "a / a.sum(axis=1, keepdims=True) + epsilon",
            ),
            "torch": (
                "a / (a.sum(dim=1, keepdim=True) + epsilon)",
                "a / a.sum(dim=1, keepdim=True) + epsilon",
            ),
        },
        "no_guard": {
            "mxnet": (" + epsilon)", ")"),
            "torch": (" + epsilon)", ")"),
        },
        "epsilon_for_every_step": {
            "mxnet": ("(a.sum(axis=1, keepdims=True) + epsilon)", "(a + epsilon).sum(axis=1, keepdims=True)"),
            "torch": ("(a.sum(dim=1, keepdim=True) + epsilon)", "(a + epsilon).sum(dim=1, keepdim=True)"),
        },
        "epsilon_in_the_weights": {
            "mxnet": [("exp() * mask", "exp() * mask + epsilon"), (" + epsilon)", ")")],
            "torch": [("exp() * mask", "exp() * mask + epsilon"), (" + epsilon)", ")")],
        },
        "mask_after_division": {
            "mxnet": [("exp() * mask", "exp()"), ("+ epsilon)", "+ epsilon) * mask")],
            "torch": [("exp() * mask", "exp()"), ("+ epsilon)", "+ epsilon) * mask")],
        },
        "scores_masked_with_zero": {
            "mxnet": ("scores.tanh().exp() * mask", "(scores * mask).tanh().exp()"),
            "torch": ("scores.tanh().exp() * mask", "(scores * mask).tanh().exp()"),
        },
        "sum_over_everything": {
            "mxnet": ("a.sum(axis=1, keepdims=True)", "a.sum()"),
            "torch": ("a.sum(dim=1, keepdim=True)", "a.sum()"),
        },
        "epsilon_without_effect": {
            "mxnet": (f"{_MX_SUM} + epsilon", f"{_MX_SUM} + epsilon * ({_MX_SUM} == 0)"),
            "torch": (f"{_T_SUM} + epsilon", f"{_T_SUM} + epsilon * ({_T_SUM} == 0)"),
        },
        "epsilon_as_a_floor": {
            "mxnet": (f"({_MX_SUM} + epsilon)", f"nd.maximum({_MX_SUM}, epsilon)"),
            "torch": (f"({_T_SUM} + epsilon)", f"{_T_SUM}.clamp(min=epsilon)"),
        },
        "epsilon_subtracted": both((" + epsilon)", " - epsilon)")),
        "epsilon_above_and_below": both(("return a /", "return (a + epsilon) /")),
        "precedence_slip_masked": {
            "mxnet": (f"a / ({_MX_SUM} + epsilon)", f"(a / {_MX_SUM} + epsilon) * mask"),
            "torch": (f"a / ({_T_SUM} + epsilon)", f"(a / {_T_SUM} + epsilon) * mask"),
        },
        "mask_left_out": both((_A, "scores.tanh().exp()")),
        "mask_inverted_in_the_sum": {
            "mxnet": ("* mask", "* (1 - mask)"),
            "torch": ("* mask", "* ~mask"),
        },
        "tanh_left_out": both((_A, "scores.exp() * mask")),
        "softmax_for_exp": {
            "mxnet": (_A, "scores.tanh().softmax(axis=1) * mask"),
            "torch": (_A, "scores.tanh().softmax(dim=1) * mask"),
        },
        "sum_over_the_batch": {
            "mxnet": ("axis=1", "axis=0"),
            "torch": ("dim=1", "dim=0"),
        },
        "mask_in_the_sum_alone": {
            "mxnet": [(_A, "scores.tanh().exp()"), (_MX_SUM, "(a * mask).sum(axis=1, keepdims=True)")],
            "torch": [(_A, "scores.tanh().exp()"), (_T_SUM, "(a * mask).sum(dim=1, keepdim=True)")],
        },
        "sigmoid_for_tanh": both((_A, "scores.sigmoid().exp() * mask")),
        "tanh_of_the_exponential": both((_A, "scores.exp().tanh() * mask")),
        "largest_subtracted": {
            "mxnet": (_A, "(scores.tanh() - scores.tanh().max(axis=1, keepdims=True)).exp() * mask"),
            "torch": (_A, "(scores.tanh() - scores.tanh().amax(dim=1, keepdim=True)).exp() * mask"),
        },
        "epsilon_for_every_valid_step": {
            "mxnet": (f"({_MX_SUM} + epsilon)", "(a + epsilon * mask).sum(axis=1, keepdims=True)"),
            "torch": (f"({_T_SUM} + epsilon)", "(a + epsilon * mask).sum(dim=1, keepdim=True)"),
        },
        "mean_for_the_sum": both(("a.sum(", "a.mean(")),
        "plain_masked_softmax": {
            "mxnet": [(_A, "scores.exp() * mask"), (f"{_MX_SUM} + epsilon", f"{_MX_SUM} + ({_MX_SUM} == 0)")],
            "torch": [(_A, "scores.exp() * mask"), (f"{_T_SUM} + epsilon", f"{_T_SUM} + ({_T_SUM} == 0)")],
        },
        "largest_for_the_sum": {
            "mxnet": ("a.sum(", "a.max("),
            "torch": ("a.sum(", "a.amax("),
        },
    },
    "largest_pooling_weight": {
        name: dict.fromkeys(("mxnet", "torch"), edit)
        for name, edit in {
            "others_at_zero": ("math.exp(2 * bound)", "math.exp(bound)"),
            "one_rival_too_many": ("num_steps - 1)", "num_steps)"),
            "ratio_times_uniform": ("(ratio + num_steps - 1)", "num_steps"),
            "always_uniform": ("return ratio / (ratio + num_steps - 1)", "return 1 / num_steps"),
            "no_ceiling": ("return ratio / (ratio + num_steps - 1)", "return 1.0"),
            "scores_without_exp": ("math.exp(2 * bound)", "2 * bound"),
            "scores_with_signs_without_exp": (_RESULT, "return bound / (bound + (num_steps - 1) * -bound)"),
            "smallest_weight": ("math.exp(2 * bound)", "math.exp(-2 * bound)"),
            "one_rival_only": ("num_steps - 1)", "1)"),
            "one_rival_at_zero": (_RESULT, "return 1 / (1 + math.exp(-bound))"),
            "others_at_zero_and_one_too_many": (_RESULT, "return ratio**0.5 / (ratio**0.5 + num_steps)"),
            "brackets_left_out": (_RESULT, "return 1 + (num_steps - 1) * math.exp(-bound)"),
            "brackets_of_the_ratio_left_out": (_RESULT, "return ratio / ratio + num_steps - 1"),
            "brackets_of_the_rivals_left_out": (
                _RESULT,
                "top, low = math.exp(bound), math.exp(-bound)\n    return top / (top + num_steps - 1 * low)",
            ),
            "ratio_alone": (_RESULT, "return ratio"),
            "weight_of_all_others": (_RESULT, "return 1 - ratio / (ratio + num_steps - 1)"),
            "in_percent": ("return ratio", "return 100 * ratio"),
            "bound_squared": ("2 * bound", "bound**2"),
            "powers_of_two": ("math.exp(2 * bound)", "2 ** (2 * bound)"),
            "logarithm_of_the_weight": (_RESULT, "return math.log(ratio / (ratio + num_steps - 1))"),
            "bound_doubled_twice": ("2 * bound", "4 * bound"),
            "tanh_of_the_bound": ("2 * bound", "2 * math.tanh(bound)"),
            "top_alone_doubled": ("2 * bound", "3 * bound"),
        }.items()
    },
}
