"""Wrong versions of the solutions on soft hard."""

from exercises.wrong_versions import FRAMEWORKS, Wrong


def both(old, new):
    """The same edit in both frameworks."""
    return dict.fromkeys(FRAMEWORKS, (old, new))


def both_all(*edits):
    """The same edits in both frameworks."""
    return {framework: list(edits) for framework in FRAMEWORKS}


def kinds(old, new):
    return both("return ", f"if mechanism in {old!r}:\n        return {new!r}\n    return ")


_CHOOSING = '("sampled patch", "best patch")'
_MX_CHOSEN = "nd.pick(log_weights, index, axis=-1)"
_T_CHOSEN = "log_weights.gather(1, index.unsqueeze(1))"
_SQUARES_MX = "((1 - weights.sum(axis=1)) ** 2).sum(axis=-1)"
_SQUARES_T = "((1 - weights.sum(dim=1)) ** 2).sum(dim=-1)"
WRONG: Wrong = {
    "soft_context": {
        "softmax_over_the_batch": {
            "mxnet": ("scores.softmax(axis=-1)", "scores.softmax(axis=0)"),
            "torch": ("scores.softmax(dim=-1)", "scores.softmax(dim=0)"),
        },
        "softmax_over_everything": {
            "mxnet": ("scores.softmax(axis=-1)", "scores.reshape((-1,)).softmax().reshape(scores.shape)"),
            "torch": ("scores.softmax(dim=-1)", "scores.flatten().softmax(0).reshape(scores.shape)"),
        },
        "mean_over_patches": {
            "mxnet": ("parts.sum(axis=1)", "parts.mean(axis=1)"),
            "torch": ("parts.sum(dim=1)", "parts.mean(dim=1)"),
        },
        "best_patch_only": {
            "mxnet": ("scores.softmax(axis=-1)", "nd.one_hot(scores.argmax(axis=-1), scores.shape[1])"),
            "torch": (
                "scores.softmax(dim=-1)",
                "torch.nn.functional.one_hot(scores.argmax(-1), scores.shape[1]).float()",
            ),
        },
        "a_gate_for_each_patch": {
            "mxnet": ("scores.softmax(axis=-1)", "scores.sigmoid()"),
            "torch": ("scores.softmax(dim=-1)", "scores.sigmoid()"),
        },
        "softmax_left_out": {
            "mxnet": ("scores.softmax(axis=-1)", "scores * 1"),
            "torch": ("scores.softmax(dim=-1)", "scores * 1"),
        },
        "scores_for_weights": {
            "mxnet": ("weights.expand_dims(-1)", "scores.expand_dims(-1)"),
            "torch": ("weights.unsqueeze(-1)", "scores.unsqueeze(-1)"),
        },
        "best_patch_for_the_context": {
            "mxnet": (
                "weights.expand_dims(-1)",
                "nd.one_hot(scores.argmax(axis=-1), scores.shape[1]).expand_dims(-1)",
            ),
            "torch": (
                "weights.unsqueeze(-1)",
                "torch.nn.functional.one_hot(scores.argmax(-1), scores.shape[1]).unsqueeze(-1)",
            ),
        },
        "plain_mean_for_the_context": {
            "mxnet": ("parts.sum(axis=1)", "features.mean(axis=1)"),
            "torch": ("parts.sum(dim=1)", "features.mean(dim=1)"),
        },
        "plain_sum_for_the_context": {
            "mxnet": ("parts.sum(axis=1)", "features.sum(axis=1)"),
            "torch": ("parts.sum(dim=1)", "features.sum(dim=1)"),
        },
        "softmax_twice": {
            "mxnet": ("scores.softmax(axis=-1)", "scores.softmax(axis=-1).softmax(axis=-1)"),
            "torch": ("scores.softmax(dim=-1)", "scores.softmax(dim=-1).softmax(dim=-1)"),
        },
        "scores_over_root_of_d": both("scores.softmax", "(scores / features.shape[-1] ** 0.5).softmax"),
        "scores_turned": both("scores.softmax", "(-scores).softmax"),
        "log_softmax_for_softmax": both("scores.softmax", "scores.log_softmax"),
        "gates_that_share": {
            "mxnet": (
                "scores.softmax(axis=-1)",
                "scores.sigmoid() / scores.sigmoid().sum(axis=-1, keepdims=True)",
            ),
            "torch": ("scores.softmax(dim=-1)", "scores.sigmoid() / scores.sigmoid().sum(-1, keepdim=True)"),
        },
        "features_summed": {
            "mxnet": ("parts.sum(axis=1)", "parts.sum(axis=2)"),
            "torch": ("parts.sum(dim=1)", "parts.sum(dim=2)"),
        },
        "patches_not_summed": {
            "mxnet": ("parts.sum(axis=1)", "parts"),
            "torch": ("parts.sum(dim=1)", "parts"),
        },
        "largest_weighted_patch": {
            "mxnet": ("parts.sum(axis=1)", "parts.max(axis=1)"),
            "torch": ("parts.sum(dim=1)", "parts.amax(dim=1)"),
        },
        "features_weigh_themselves": {
            "mxnet": ("weights.expand_dims(-1)", "features.softmax(axis=1)"),
            "torch": ("weights.unsqueeze(-1)", "features.softmax(dim=1)"),
        },
        "weights_keep_an_axis": {
            "mxnet": ("parts.sum(axis=1), weights", "parts.sum(axis=1), weights.expand_dims(-1)"),
            "torch": ("parts.sum(dim=1), weights", "parts.sum(dim=1), weights.unsqueeze(-1)"),
        },
        "context_keeps_an_axis": {
            "mxnet": ("parts.sum(axis=1)", "parts.sum(axis=1, keepdims=True)"),
            "torch": ("parts.sum(dim=1)", "parts.sum(dim=1, keepdim=True)"),
        },
        "softmax_over_an_axis_of_one": {
            "mxnet": ("scores.softmax(axis=-1)", "scores.expand_dims(-1).softmax(axis=-1).squeeze(-1)"),
            "torch": ("scores.softmax(dim=-1)", "scores.unsqueeze(-1).softmax(dim=-1).squeeze(-1)"),
        },
        "every_image_with_all_weights": {
            "mxnet": ("parts.sum(axis=1)", "nd.dot(weights, features.swapaxes(0, 1)).swapaxes(0, 1)"),
            "torch": ("parts.sum(dim=1)", "weights @ features"),
        },
        "exponentials_not_divided": {
            "mxnet": ("scores.softmax(axis=-1)", "scores.exp()"),
            "torch": ("scores.softmax(dim=-1)", "scores.exp()"),
        },
    },
    "reinforce_loss": {
        "baseline_left_out": both(" - baseline", ""),
        "baseline_added": both(" - baseline", " + baseline"),
        "sign_turned": both("return -advantage", "return advantage"),
        "log_left_out": {
            "mxnet": ("scores.log_softmax(axis=-1)", "scores.softmax(axis=-1)"),
            "torch": ("scores.log_softmax(dim=-1)", "scores.softmax(dim=-1)"),
        },
        "score_for_log_weight": {
            "mxnet": ("scores.log_softmax(axis=-1)", "scores"),
            "torch": ("scores.log_softmax(dim=-1)", "scores"),
        },
        "every_patch_counts": {
            "mxnet": (_MX_CHOSEN, "log_weights.sum(axis=-1)"),
            "torch": (_T_CHOSEN, "log_weights.sum(-1, keepdim=True)"),
        },
        "mean_of_every_patch": {
            "mxnet": (_MX_CHOSEN, "log_weights.mean(axis=-1)"),
            "torch": (_T_CHOSEN, "log_weights.mean(-1, keepdim=True)"),
        },
        "best_patch_for_the_drawn": {
            "mxnet": (_MX_CHOSEN, "log_weights.max(axis=-1)"),
            "torch": (_T_CHOSEN, "log_weights.amax(-1, keepdim=True)"),
        },
        "baseline_outside_the_product": {
            "mxnet": [(" - baseline", ""), ("-advantage * chosen", "-(advantage * chosen - baseline)")],
            "torch": [
                (" - baseline", ""),
                ("-advantage * chosen.squeeze(1)", "-(advantage * chosen.squeeze(1) - baseline)"),
            ],
        },
        "divided_by_the_batch": {
            "mxnet": ("-advantage * chosen", "-advantage * chosen / len(scores)"),
            "torch": ("chosen.squeeze(1)", "chosen.squeeze(1) / len(scores)"),
        },
        "log_softmax_over_the_batch": {
            "mxnet": ("scores.log_softmax(axis=-1)", "scores.log_softmax(axis=0)"),
            "torch": ("scores.log_softmax(dim=-1)", "scores.log_softmax(dim=0)"),
        },
        "log_of_base_two": {
            "mxnet": ("chosen = ", "chosen = 1 / nd.log(2 * nd.ones(1)) * "),
            "torch": ("chosen = ", "chosen = 1 / torch.tensor(2.0).log() * "),
        },
        "reward_left_out": both_all(("return -advantage", "return (0 * advantage - 1)")),
        "advantage_squared": both("return -advantage", "return -(advantage**2)"),
        "mean_reward_for_the_baseline": both(" - baseline", " - sum(rewards) / len(rewards)"),
        "baseline_taken_from_the_loss": {
            "mxnet": [(" - baseline", ""), ("* chosen", "* chosen - baseline")],
            "torch": [(" - baseline", ""), ("chosen.squeeze(1)", "chosen.squeeze(1) - baseline")],
        },
        "no_baseline_and_sign_turned": both_all((" - baseline", ""), ("-advantage", "advantage")),
        "no_log_and_sign_turned": both_all(("log_softmax", "softmax"), ("-advantage", "advantage")),
        "no_log_and_no_baseline": both_all(("log_softmax", "softmax"), (" - baseline", "")),
        "no_log_and_baseline_outside": {
            "mxnet": [("log_softmax", "softmax"), (" - baseline", ""), ("* chosen", "* chosen + baseline")],
            "torch": [
                ("log_softmax", "softmax"),
                (" - baseline", ""),
                ("chosen.squeeze(1)", "chosen.squeeze(1) + baseline"),
            ],
        },
        "weight_counted_twice": both("return -advantage", "return chosen.exp().reshape(-1) * -advantage"),
        "one_over_the_weight": {
            "mxnet": ("* chosen", "/ chosen.exp()"),
            "torch": ("* chosen.squeeze(1)", "/ chosen.squeeze(1).exp()"),
        },
        "baseline_taken_from_the_logarithm": {
            "mxnet": [(" - baseline", ""), ("* chosen", "* (chosen - baseline)")],
            "torch": [(" - baseline", ""), ("chosen.squeeze(1)", "(chosen.squeeze(1) - baseline)")],
        },
        "softmax_before_log_softmax": {
            "mxnet": ("scores.log_softmax", "scores.softmax(axis=-1).log_softmax"),
            "torch": ("scores.log_softmax", "scores.softmax(dim=-1).log_softmax"),
        },
        "log_weights_of_the_whole_batch": {
            "mxnet": ("* chosen", "* chosen.sum()"),
            "torch": ("chosen.squeeze(1)", "chosen.sum()"),
        },
        "every_reward_with_every_patch": {
            "mxnet": ("-advantage * chosen", "nd.dot(chosen.expand_dims(1), -advantage.expand_dims(0))"),
            "torch": ("chosen.squeeze(1)", "chosen"),
        },
        "one_loss_for_the_batch": {
            "mxnet": ("-advantage * chosen", "-(advantage * chosen).sum()"),
            "torch": ("-advantage * chosen.squeeze(1)", "-(advantage * chosen.squeeze(1)).sum()"),
        },
    },
    "doubly_stochastic_penalty": {
        "sum_over_patches": {
            "mxnet": ("weights.sum(axis=1)", "weights.sum(axis=2)"),
            "torch": ("weights.sum(dim=1)", "weights.sum(dim=2)"),
        },
        "squared_before_the_sum": {
            "mxnet": (_SQUARES_MX, "((1 - weights) ** 2).sum(axis=(1, 2))"),
            "torch": (_SQUARES_T, "((1 - weights) ** 2).sum(dim=(1, 2))"),
        },
        "not_squared": both(" ** 2", ""),
        "absolute_for_square": {
            "mxnet": (_SQUARES_MX, "(1 - weights.sum(axis=1)).abs().sum(axis=-1)"),
            "torch": (_SQUARES_T, "(1 - weights.sum(dim=1)).abs().sum(dim=-1)"),
        },
        "mean_over_the_patches": {
            "mxnet": (".sum(axis=-1)", ".mean(axis=-1)"),
            "torch": (".sum(dim=-1)", ".mean(dim=-1)"),
        },
        "mean_over_the_steps": {
            "mxnet": ("weights.sum(axis=1)", "weights.mean(axis=1)"),
            "torch": ("weights.sum(dim=1)", "weights.mean(dim=1)"),
        },
        "square_of_the_whole_sum": {
            "mxnet": (_SQUARES_MX, "(1 - weights.sum(axis=1)).sum(axis=-1) ** 2"),
            "torch": (_SQUARES_T, "(1 - weights.sum(dim=1)).sum(dim=-1) ** 2"),
        },
        "target_is_the_mean": both("(1 - ", "(weights.shape[1] / weights.shape[2] - "),
        "penalty_negated": both("return ", "return -"),
        "softmax_of_the_weights": {
            "mxnet": ("(1 - weights", "(1 - weights.softmax(axis=-1)"),
            "torch": ("(1 - weights", "(1 - weights.softmax(dim=-1)"),
        },
        "mean_over_steps_and_patches": {
            "mxnet": [("sum(axis=1)", "mean(axis=1)"), ("sum(axis=-1)", "mean(axis=-1)")],
            "torch": [("sum(dim=1)", "mean(dim=1)"), ("sum(dim=-1)", "mean(dim=-1)")],
        },
        "root_of_the_penalty": {
            "mxnet": (".sum(axis=-1)", ".sum(axis=-1).sqrt()"),
            "torch": (".sum(dim=-1)", ".sum(dim=-1).sqrt()"),
        },
        "half_of_the_penalty": both("return ", "return 0.5 * "),
        "one_left_out": both("(1 - ", "(0 - "),
        "largest_distance_only": {
            "mxnet": (".sum(axis=-1)", ".max(axis=-1)"),
            "torch": (".sum(dim=-1)", ".amax(dim=-1)"),
        },
        "target_is_the_number_of_steps": both("(1 - ", "(weights.shape[1] - "),
        "neglected_patches_only": {
            "mxnet": ("(1 - weights.sum(axis=1))", "(1 - weights.sum(axis=1)).relu()"),
            "torch": ("(1 - weights.sum(dim=1))", "(1 - weights.sum(dim=1)).relu()"),
        },
        "weights_squared_first": {
            "mxnet": (_SQUARES_MX, "(1 - (weights**2).sum(axis=1)).sum(axis=-1)"),
            "torch": (_SQUARES_T, "(1 - (weights**2).sum(dim=1)).sum(dim=-1)"),
        },
        "not_summed_over_the_patches": {
            "mxnet": (".sum(axis=-1)", ""),
            "torch": (".sum(dim=-1)", ""),
        },
        "variance_of_the_sums": {
            "mxnet": (
                _SQUARES_MX,
                "((weights.sum(axis=1) - weights.sum(axis=1).mean(axis=-1, keepdims=True)) ** 2).mean(axis=-1)",
            ),
            "torch": (_SQUARES_T, "weights.sum(dim=1).var(dim=-1, correction=0)"),
        },
        "sample_variance_of_the_sums": {
            "mxnet": (
                _SQUARES_MX,
                "((weights.sum(axis=1) - weights.sum(axis=1).mean(axis=-1, keepdims=True)) ** 2).sum(axis=-1)"
                " / (weights.shape[2] - 1)",
            ),
            "torch": (_SQUARES_T, "weights.sum(dim=1).var(dim=-1)"),
        },
        "one_number_for_the_batch": {
            "mxnet": (".sum(axis=-1)", ".sum(axis=-1).sum()"),
            "torch": (".sum(dim=-1)", ".sum()"),
        },
        "mean_over_the_batch": {
            "mxnet": (".sum(axis=-1)", ".sum(axis=-1).mean()"),
            "torch": (".sum(dim=-1)", ".sum(dim=-1).mean()"),
        },
        "mean_of_all_squares": {
            "mxnet": (".sum(axis=-1)", ".mean()"),
            "torch": (".sum(dim=-1)", ".mean()"),
        },
        "distances_cubed": {
            "mxnet": (_SQUARES_MX, "((1 - weights.sum(axis=1)).abs() ** 3).sum(axis=-1)"),
            "torch": (_SQUARES_T, "((1 - weights.sum(dim=1)).abs() ** 3).sum(dim=-1)"),
        },
        "summed_over_the_images": {
            "mxnet": (".sum(axis=-1)", ".sum(axis=0)"),
            "torch": (".sum(dim=-1)", ".sum(dim=0)"),
        },
    },
    "kind_of_attention": {
        "local_is_hard": kinds(("local-m", "local-p"), "hard"),
        "a_predicted_position_is_hard": kinds(("local-p",), "hard"),
        "the_best_patch_is_soft": kinds(("best patch",), "soft"),
        "patches_are_hard": kinds(("weighted patches",), "hard"),
        "everything_but_global_is_hard": kinds(("local-m", "local-p", "weighted patches"), "hard"),
        "local_is_hard_and_the_best_patch_soft": both(_CHOOSING, '("local-m", "local-p", "sampled patch")'),
        "local_for_the_choice": both(_CHOOSING, '("local-m", "local-p")'),
        "a_position_is_hard_and_the_best_patch_soft": both(_CHOOSING, '("local-p", "sampled patch")'),
        "a_fixed_window_is_hard": kinds(("local-m",), "hard"),
        "the_sampled_patch_is_soft": kinds(("sampled patch",), "soft"),
        "all_of_it_is_hard": both('"hard" if mechanism in choosing else "soft"', '"hard"'),
        "names_swapped": both("mechanism in choosing", "mechanism not in choosing"),
        "a_truth_value": both('"hard" if mechanism in choosing else "soft"', "mechanism in choosing"),
        "all_of_it_is_soft": both('"hard" if mechanism in choosing else "soft"', '"soft"'),
    },
}
_LAST = "the array has two axes, so the last one is axis 1"
EQUIVALENT = {
    ("soft_context", "mxnet", "weights = scores.softmax(axis=-1) → weights = scores.softmax(axis=1)"): _LAST,
    ("soft_context", "torch", "weights = scores.softmax(dim=-1) → weights = scores.softmax(dim=1)"): _LAST,
    (
        "reinforce_loss",
        "mxnet",
        "log_weights = scores.log_softmax(axis=-1) → log_weights = scores.log_softmax(axis=1)",
    ): _LAST,
    (
        "reinforce_loss",
        "mxnet",
        "chosen = nd.pick(log_weights, index, axis=-1) → chosen = nd.pick(log_weights, index, axis=1)",
    ): _LAST,
    (
        "reinforce_loss",
        "torch",
        "log_weights = scores.log_softmax(dim=-1) → log_weights = scores.log_softmax(dim=1)",
    ): _LAST,
    (
        "doubly_stochastic_penalty",
        "mxnet",
        "return ((1 - weights.sum(axis=1)) ** 2).sum(axis=-1) → return ((1 - weights.sum(axis=1)) ** 2).sum(axis=1)",
    ): _LAST,
    (
        "doubly_stochastic_penalty",
        "torch",
        "return ((1 - weights.sum(dim=1)) ** 2).sum(dim=-1) → return ((1 - weights.sum(dim=1)) ** 2).sum(dim=1)",
    ): _LAST,
}
