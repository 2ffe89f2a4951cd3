"""Wrong versions of the solutions on pooling."""

from exercises.wrong_versions import Wrong

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
        }.items()
    },
}
