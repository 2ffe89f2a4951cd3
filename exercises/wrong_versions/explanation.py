"""Wrong versions of the solutions on what attention explains."""

from exercises.wrong_versions import Wrong

_LEFT_MX = "left = scores.expand_dims(1) * kept\n    left = left - 1e30 * (1 - kept)"
_LEFT_T = "scores.unsqueeze(1).masked_fill(~kept, -1e30)"
_RESULT_MX = "(verdict.expand_dims(1) - without) * mask"
_RESULT_T = "(verdict.unsqueeze(1) - without) * mask"
_CHANGE_MX = "(after - before).abs().mean(axis=0)"
_CHANGE_T = "(after - before).abs().mean(dim=0)"


def _alike(old: str, new: str) -> dict[str, tuple[str, str]]:
    return {"mxnet": (old, new), "torch": (old, new)}


WRONG: Wrong = {
    "leave_one_out": {
        "padding_in_the_whole_verdict": {
            "mxnet": ("scores * mask - 1e30 * (1 - mask)", "scores"),
            "torch": ("scores.masked_fill(~mask, -1e30)", "scores"),
        },
        "scores_ignored": {
            "mxnet": ("num_steps = scores.shape[1]", "num_steps = scores.shape[1]\n    scores = 0 * scores"),
            "torch": ("num_steps = scores.shape[1]", "num_steps = scores.shape[1]\n    scores = 0 * scores"),
        },
        "next_step_left_out": {
            "mxnet": ("1 - nd.eye(num_steps)", "1 - nd.eye(num_steps, k=1)"),
            "torch": ("~torch.eye(num_steps, dtype=torch.bool)", "~torch.ones(num_steps - 1).diag(1).bool()"),
        },
        "step_before_left_out": {
            "mxnet": ("1 - nd.eye(num_steps)", "1 - nd.eye(num_steps, k=-1)"),
            "torch": (
                "~torch.eye(num_steps, dtype=torch.bool)",
                "~torch.ones(num_steps - 1).diag(-1).bool()",
            ),
        },
        "later_steps_left_out_too": {
            "mxnet": (
                "1 - nd.eye(num_steps)",
                "(nd.arange(num_steps).expand_dims(1) > nd.arange(num_steps).expand_dims(0))",
            ),
            "torch": (
                "~torch.eye(num_steps, dtype=torch.bool)",
                "(torch.arange(num_steps).unsqueeze(1) > torch.arange(num_steps))",
            ),
        },
        "earlier_steps_left_out_too": {
            "mxnet": (
                "1 - nd.eye(num_steps)",
                "(nd.arange(num_steps).expand_dims(1) < nd.arange(num_steps).expand_dims(0))",
            ),
            "torch": (
                "~torch.eye(num_steps, dtype=torch.bool)",
                "(torch.arange(num_steps).unsqueeze(1) < torch.arange(num_steps))",
            ),
        },
        "only_later_steps_left_out": {
            "mxnet": (
                "1 - nd.eye(num_steps)",
                "(nd.arange(num_steps).expand_dims(1) >= nd.arange(num_steps).expand_dims(0))",
            ),
            "torch": (
                "~torch.eye(num_steps, dtype=torch.bool)",
                "(torch.arange(num_steps).unsqueeze(1) >= torch.arange(num_steps))",
            ),
        },
        "divided_by_their_sum": {
            "mxnet": (
                "return (verdict.expand_dims(1) - without) * mask",
                "result = (verdict.expand_dims(1) - without) * mask\n    return result / result.abs().sum(axis=1, keepdims=True)",
            ),
            "torch": (
                "return (verdict.unsqueeze(1) - without) * mask",
                "result = (verdict.unsqueeze(1) - without) * mask\n    return result / result.abs().sum(dim=1, keepdim=True)",
            ),
        },
        "divided_by_the_number_of_steps": {
            "mxnet": (
                "return (verdict.expand_dims(1) - without) * mask",
                "return (verdict.expand_dims(1) - without) * mask / num_steps",
            ),
            "torch": (
                "return (verdict.unsqueeze(1) - without) * mask",
                "return (verdict.unsqueeze(1) - without) * mask / num_steps",
            ),
        },
        "divided_by_the_length": {
            "mxnet": (
                "return (verdict.expand_dims(1) - without) * mask",
                "return (verdict.expand_dims(1) - without) * mask / valid_length.expand_dims(1)",
            ),
            "torch": (
                "return (verdict.unsqueeze(1) - without) * mask",
                "return (verdict.unsqueeze(1) - without) * mask / valid_length.unsqueeze(1)",
            ),
        },
        "times_the_weight": {
            "mxnet": (
                "return (verdict.expand_dims(1) - without) * mask",
                "return (verdict.expand_dims(1) - without) * mask * filled.softmax(axis=1)",
            ),
            "torch": (
                "return (verdict.unsqueeze(1) - without) * mask",
                "return (verdict.unsqueeze(1) - without) * mask * filled.softmax(dim=1)",
            ),
        },
        "sigmoid_of_each_score": {
            "mxnet": (
                "return (verdict.expand_dims(1) - without) * mask",
                "return scores.sigmoid() * votes * mask",
            ),
            "torch": (
                "return (verdict.unsqueeze(1) - without) * mask",
                "return scores.sigmoid() * votes * mask",
            ),
        },
        "a_padding_step_seen": {
            "mxnet": ("positions < valid", "positions <= valid"),
            "torch": ("positions < valid", "positions <= valid"),
        },
        "last_step_forgotten": {
            "mxnet": ("positions < valid", "positions + 1 < valid"),
            "torch": ("positions < valid", "positions + 1 < valid"),
        },
        "difference_of_sizes": {
            "mxnet": (
                "return (verdict.expand_dims(1) - without) * mask",
                "return (verdict.expand_dims(1).abs() - without.abs()) * mask",
            ),
            "torch": (
                "return (verdict.unsqueeze(1) - without) * mask",
                "return (verdict.unsqueeze(1).abs() - without.abs()) * mask",
            ),
        },
        "sum_of_both_verdicts": {
            "mxnet": (
                "return (verdict.expand_dims(1) - without) * mask",
                "return (verdict.expand_dims(1) + without) * mask",
            ),
            "torch": (
                "return (verdict.unsqueeze(1) - without) * mask",
                "return (verdict.unsqueeze(1) + without) * mask",
            ),
        },
        "whole_verdict_averaged": {
            "mxnet": ("filled.softmax(axis=1) * votes", "mask / valid_length.expand_dims(1) * votes"),
            "torch": ("filled.softmax(dim=1) * votes", "mask / valid_length.unsqueeze(1) * votes"),
        },
        "scores_as_weights": {
            "mxnet": ("return (verdict.expand_dims(1) - without) * mask", "return scores * votes * mask"),
            "torch": ("return (verdict.unsqueeze(1) - without) * mask", "return scores * votes * mask"),
        },
        "weights_not_shared_anew": {
            "mxnet": ("left.softmax(axis=-1) * kept", "filled.softmax(axis=1).expand_dims(1) * kept"),
            "torch": ("left.softmax(dim=-1) * kept", "filled.softmax(dim=1).unsqueeze(1) * kept"),
        },
        "rest_divided_by_its_sum": {
            "mxnet": (
                "left.softmax(axis=-1) * kept",
                "filled.softmax(axis=1).expand_dims(1) * kept\n"
                "    total = weights.sum(axis=-1, keepdims=True)\n"
                "    weights = weights / (total + (total == 0))",
            ),
            "torch": (
                "left.softmax(dim=-1) * kept",
                "filled.softmax(dim=1).unsqueeze(1) * kept\n"
                "    total = weights.sum(dim=-1, keepdim=True)\n"
                "    weights = weights / total.masked_fill(total == 0, 1)",
            ),
        },
        "score_set_to_zero": {
            "mxnet": [
                (_LEFT_MX, "left = filled.expand_dims(1) * others"),
                ("left.softmax(axis=-1) * kept", "left.softmax(axis=-1) * others"),
            ],
            "torch": [
                (_LEFT_T, "filled.unsqueeze(1) * others"),
                ("left.softmax(dim=-1) * kept", "left.softmax(dim=-1) * others"),
            ],
        },
        "sign_turned_round": {
            "mxnet": (_RESULT_MX, "(without - verdict.expand_dims(1)) * mask"),
            "torch": (_RESULT_T, "(without - verdict.unsqueeze(1)) * mask"),
        },
        "size_only": {
            "mxnet": (_RESULT_MX, "(verdict.expand_dims(1) - without).abs() * mask"),
            "torch": (_RESULT_T, "(verdict.unsqueeze(1) - without).abs() * mask"),
        },
        "verdict_without": {
            "mxnet": (_RESULT_MX, "without * mask"),
            "torch": (_RESULT_T, "without * mask"),
        },
        "padding_takes_part": {
            "mxnet": [
                ("scores * mask - 1e30 * (1 - mask)", "scores"),
                ("kept = mask.expand_dims(1) * others", "kept = others + 0 * mask.expand_dims(1)"),
            ],
            "torch": [
                ("scores.masked_fill(~mask, -1e30)", "scores"),
                ("kept = mask.unsqueeze(1) & others", "kept = others.expand(len(scores), -1, -1)"),
            ],
        },
        "only_this_step": {
            "mxnet": ("1 - nd.eye(num_steps)", "nd.eye(num_steps)"),
            "torch": ("~torch.eye", "torch.eye"),
        },
        "the_weights_themselves": {
            "mxnet": (_RESULT_MX, "filled.softmax(axis=1)"),
            "torch": (_RESULT_T, "filled.softmax(dim=1)"),
        },
        "nothing_left_is_nan": {
            "mxnet": (
                _LEFT_MX,
                "left = nd.where(kept, nd.broadcast_like(scores.expand_dims(1), kept), "
                "nd.ones_like(kept) * float('-inf'))",
            ),
            "torch": (_LEFT_T, "scores.unsqueeze(1).masked_fill(~kept, -torch.inf)"),
        },
        "nothing_left_is_an_even_vote": {
            "mxnet": ("left.softmax(axis=-1) * kept", "left.softmax(axis=-1)"),
            "torch": ("left.softmax(dim=-1) * kept", "left.softmax(dim=-1)"),
        },
        "nothing_left_keeps_the_verdict": {
            "mxnet": (_RESULT_MX, _RESULT_MX + " * (valid_length > 1).expand_dims(1)"),
            "torch": (_RESULT_T, _RESULT_T + " * (valid_length > 1).unsqueeze(1)"),
        },
        "padding_among_the_others": {
            "mxnet": ("kept = mask.expand_dims(1) * others", "kept = others + 0 * mask.expand_dims(1)"),
            "torch": ("kept = mask.unsqueeze(1) & others", "kept = others.expand(len(scores), -1, -1)"),
        },
        "others_averaged": {
            "mxnet": (_LEFT_MX, "left = -1e30 * (1 - kept)"),
            "torch": (_LEFT_T, "(0 * scores).unsqueeze(1).masked_fill(~kept, -1e30)"),
        },
        "only_the_score_is_zero": {
            "mxnet": [
                (_LEFT_MX, "left = filled.expand_dims(1) * others"),
                (
                    "left.softmax(axis=-1) * kept",
                    "left - 1e30 * (1 - mask.expand_dims(1))\n    weights = weights.softmax(axis=-1)",
                ),
            ],
            "torch": [
                (_LEFT_T, "(scores.unsqueeze(1) * others).masked_fill(~mask.unsqueeze(1), -1e30)"),
                ("left.softmax(dim=-1) * kept", "left.softmax(dim=-1)"),
            ],
        },
        "length_ignored": {
            "mxnet": ("positions < valid_length.expand_dims(1)", "nd.ones_like(scores)"),
            "torch": ("positions < valid_length.unsqueeze(1)", "torch.ones_like(scores, dtype=torch.bool)"),
        },
        "weights_kept_and_sign_turned": {
            "mxnet": (_RESULT_MX, "-filled.softmax(axis=1) * votes"),
            "torch": (_RESULT_T, "-filled.softmax(dim=1) * votes"),
        },
        "vote_less_verdict": {
            "mxnet": (_RESULT_MX, "(votes - verdict.expand_dims(1)) * mask"),
            "torch": (_RESULT_T, "(votes - verdict.unsqueeze(1)) * mask"),
        },
        "relative_to_the_verdict": {
            "mxnet": (_RESULT_MX, f"{_RESULT_MX} / verdict.expand_dims(1)"),
            "torch": (_RESULT_T, f"{_RESULT_T} / verdict.unsqueeze(1)"),
        },
        "difference_of_probabilities": {
            "mxnet": (_RESULT_MX, "(verdict.expand_dims(1).sigmoid() - without.sigmoid()) * mask"),
            "torch": (_RESULT_T, "(verdict.unsqueeze(1).sigmoid() - without.sigmoid()) * mask"),
        },
        "difference_squared": {
            "mxnet": (_RESULT_MX, "(verdict.expand_dims(1) - without).square() * mask"),
            "torch": (_RESULT_T, "(verdict.unsqueeze(1) - without).square() * mask"),
        },
        "the_votes_alone": {"mxnet": (_RESULT_MX, "votes * mask"), "torch": (_RESULT_T, "votes * mask")},
    },
    "change_when_permuted": {
        "votes_permuted_too": {
            "mxnet": (
                "permuted * votes.expand_dims(0)",
                "permuted * (chosen * votes.expand_dims(1).expand_dims(0)).sum(axis=-1)",
            ),
            "torch": (
                "(permuted * votes)",
                "(permuted * votes.expand(orders.shape).gather(2, orders))",
            ),
        },
        "verdicts_compared": {
            "mxnet": [
                (
                    "before = (weights * votes).sum(axis=1).sigmoid()",
                    "before = (weights * votes).sum(axis=1)",
                ),
                ("moved.sum(axis=-1).sigmoid()", "moved.sum(axis=-1)"),
            ],
            "torch": [
                ("(weights * votes).sum(dim=1).sigmoid()", "(weights * votes).sum(dim=1)"),
                ("(permuted * votes).sum(dim=-1).sigmoid()", "(permuted * votes).sum(dim=-1)"),
            ],
        },
        "changes_cancel": {
            "mxnet": (".abs().mean(", ".mean("),
            "torch": (".abs().mean(", ".mean("),
        },
        "average_before_comparing": {
            "mxnet": (_CHANGE_MX, "(after.mean(axis=0) - before[0]).abs()"),
            "torch": (_CHANGE_T, "(after.mean(dim=0) - before).abs()"),
        },
        "orders_turned_round": {
            "mxnet": (
                "nd.one_hot(orders, weights.shape[1])",
                "nd.one_hot(orders.argsort(axis=2), weights.shape[1])",
            ),
            "torch": ("gather(2, orders)", "gather(2, orders.argsort(dim=2))"),
        },
        "one_order_for_all_reviews": {
            "mxnet": (
                "nd.one_hot(orders, weights.shape[1])",
                "nd.one_hot(nd.broadcast_like(orders[:, :1], orders), weights.shape[1])",
            ),
            "torch": ("gather(2, orders)", "gather(2, orders[:, :1].expand(orders.shape))"),
        },
        "only_the_first_order": {
            "mxnet": (_CHANGE_MX, "(after - before).abs()[0]"),
            "torch": (_CHANGE_T, "(after - before).abs()[0]"),
        },
        "changes_added_up": {
            "mxnet": (".abs().mean(", ".abs().sum("),
            "torch": (".abs().mean(", ".abs().sum("),
        },
        "changes_squared": {
            "mxnet": (".abs().mean(", ".square().mean("),
            "torch": (".abs().mean(", ".square().mean("),
        },
        "weights_normalised_again": {
            "mxnet": ("permuted * votes.expand_dims(0)", "permuted.softmax(axis=-1) * votes.expand_dims(0)"),
            "torch": ("(permuted * votes)", "(permuted.softmax(dim=-1) * votes)"),
        },
        "only_the_last_order": {
            "mxnet": (_CHANGE_MX, "(after - before).abs()[-1]"),
            "torch": (_CHANGE_T, "(after - before).abs()[-1]"),
        },
        "last_order_over_all": {
            "mxnet": (_CHANGE_MX, "(after - before).abs()[-1] / len(orders)"),
            "torch": (_CHANGE_T, "(after - before).abs()[-1] / len(orders)"),
        },
        "verdicts_averaged": {
            "mxnet": [
                ("moved.sum(axis=-1).sigmoid()", "moved.sum(axis=-1).mean(axis=0, keepdims=True).sigmoid()")
            ],
            "torch": (
                "(permuted * votes).sum(dim=-1).sigmoid()",
                "(permuted * votes).sum(dim=-1).mean(dim=0, keepdim=True).sigmoid()",
            ),
        },
        "sigmoid_of_the_change": {
            "mxnet": [
                ("(weights * votes).sum(axis=1).sigmoid()", "(weights * votes).sum(axis=1)"),
                ("moved.sum(axis=-1).sigmoid()", "moved.sum(axis=-1)"),
                (".abs().mean(", ".abs().sigmoid().mean("),
            ],
            "torch": [
                ("(weights * votes).sum(dim=1).sigmoid()", "(weights * votes).sum(dim=1)"),
                ("(permuted * votes).sum(dim=-1).sigmoid()", "(permuted * votes).sum(dim=-1)"),
                (".abs().mean(", ".abs().sigmoid().mean("),
            ],
        },
        "signed_changes_added_up": _alike(".abs().mean(", ".sum("),
        "signed_the_other_way": {
            "mxnet": (_CHANGE_MX, "(before - after).mean(axis=0)"),
            "torch": (_CHANGE_T, "(before - after).mean(dim=0)"),
        },
        "median_taken": {
            "mxnet": (_CHANGE_MX, "(after - before).abs().sort(axis=0)[(len(orders) - 1) // 2]"),
            "torch": (_CHANGE_T, "(after - before).abs().median(dim=0).values"),
        },
        "largest_change": {
            "mxnet": (_CHANGE_MX, "(after - before).abs().max(axis=0)"),
            "torch": (_CHANGE_T, "(after - before).abs().amax(dim=0)"),
        },
        "root_of_the_mean_square": {
            "mxnet": (_CHANGE_MX, "(after - before).square().mean(axis=0).sqrt()"),
            "torch": (_CHANGE_T, "(after - before).square().mean(dim=0).sqrt()"),
        },
        "both_classes_added": {
            "mxnet": (_CHANGE_MX, f"2 * {_CHANGE_MX}"),
            "torch": (_CHANGE_T, f"2 * {_CHANGE_T}"),
        },
        "relative_to_the_probability": {
            "mxnet": (_CHANGE_MX, f"{_CHANGE_MX} / before[0]"),
            "torch": (_CHANGE_T, f"{_CHANGE_T} / before"),
        },
        "permuted_probability": {
            "mxnet": (_CHANGE_MX, "after.mean(axis=0)"),
            "torch": (_CHANGE_T, "after.mean(dim=0)"),
        },
    },
}
