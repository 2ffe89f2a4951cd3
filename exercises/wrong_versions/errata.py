"""Wrong versions of the solutions on errata."""

from exercises.wrong_versions import FRAMEWORKS, Wrong


def _answered(name, right, wrong):
    return dict.fromkeys(FRAMEWORKS, (f'"{name}": {right}', f'"{name}": {wrong}'))


def _both(old, new):
    return dict.fromkeys(FRAMEWORKS, (old, new))


WRONG: Wrong = {
    "mended_attention": {
        "divided_by_the_embedding_width": dict.fromkeys(
            FRAMEWORKS, ("math.sqrt(keys.shape[-1])", "embeddings.shape[-1]")
        ),
        "divided_by_the_root_of_the_embedding_width": dict.fromkeys(
            FRAMEWORKS, ("keys.shape[-1]", "embeddings.shape[-1]")
        ),
        "divided_by_the_key_width": dict.fromkeys(
            FRAMEWORKS, ("math.sqrt(keys.shape[-1])", "keys.shape[-1]")
        ),
        "not_divided": dict.fromkeys(FRAMEWORKS, (" / math.sqrt(keys.shape[-1])", "")),
        "divided_after_the_softmax": {
            "mxnet": [
                (" / math.sqrt(keys.shape[-1])", ""),
                ("scores.softmax(axis=-1)", "scores.softmax(axis=-1) / math.sqrt(keys.shape[-1])"),
            ],
            "torch": [
                (" / math.sqrt(keys.shape[-1])", ""),
                ("scores.softmax(dim=-1)", "scores.softmax(dim=-1) / math.sqrt(keys.shape[-1])"),
            ],
        },
        "divided_by_the_number_of_words": dict.fromkeys(FRAMEWORKS, ("keys.shape[-1]", "keys.shape[1]")),
        "each_score_alone": {
            "mxnet": ("scores.softmax(axis=-1)", "scores.expand_dims(-1).softmax(axis=-1).squeeze(-1)"),
            "torch": ("scores.softmax(dim=-1)", "scores.unsqueeze(-1).softmax(dim=-1).squeeze(-1)"),
        },
        "softmax_over_the_asking_words": {
            "mxnet": ("scores.softmax(axis=-1)", "scores.softmax(axis=1)"),
            "torch": ("scores.softmax(dim=-1)", "scores.softmax(dim=1)"),
        },
        "only_the_words_so_far": {
            "mxnet": (
                "    return",
                "    places = nd.arange(scores.shape[1])\n"
                "    scores = scores - 1e6 * (places > places.reshape((-1, 1))).expand_dims(0)\n"
                "    return",
            ),
            "torch": (
                "    return",
                "    scores = scores - 1e6 * torch.ones_like(scores).triu(1)\n    return",
            ),
        },
        "multiplied_by_the_root": _both("scores / math", "scores * math"),
        "divided_by_the_root_of_the_value_width": _both("keys.shape[-1]", "values.shape[-1]"),
        "divided_by_the_number_of_words_itself": _both("math.sqrt(keys.shape[-1])", "keys.shape[1]"),
        "queries_and_keys_exchanged": _both("    queries =", "    W_q, W_k = W_k, W_q\n    queries ="),
        "queries_as_keys": _both("embeddings, W_k.T", "embeddings, W_q.T"),
        "keys_as_queries": _both("embeddings, W_q.T", "embeddings, W_k.T"),
        "softmax_left_out": {
            "mxnet": ("scores.softmax(axis=-1)", "scores"),
            "torch": ("scores.softmax(dim=-1)", "scores"),
        },
        "softmax_over_all_pairs": {
            "mxnet": (
                "scores.softmax(axis=-1)",
                "scores.reshape((len(scores), -1)).softmax(axis=-1).reshape(scores.shape)",
            ),
            "torch": ("scores.softmax(dim=-1)", "scores.flatten(1).softmax(dim=-1).view(scores.shape)"),
        },
        "all_words_alike": _both("scores / math.sqrt(keys.shape[-1])", "scores * 0"),
        "published_width_over_the_asking_words": {
            "mxnet": [("keys.shape[-1]", "embeddings.shape[-1]"), ("softmax(axis=-1)", "softmax(axis=1)")],
            "torch": [("keys.shape[-1]", "embeddings.shape[-1]"), ("softmax(dim=-1)", "softmax(dim=1)")],
        },
        "embeddings_averaged": _both(", values)", ", embeddings)"),
        "keys_averaged": _both(", values)", ", keys)"),
        "softmax_twice": {
            "mxnet": ("scores.softmax(axis=-1)", "scores.softmax(axis=-1).softmax(axis=-1)"),
            "torch": ("scores.softmax(dim=-1)", "scores.softmax(dim=-1).softmax(dim=-1)"),
        },
        "weights_transposed": {
            "mxnet": ("scores.softmax(axis=-1)", "scores.softmax(axis=-1).swapaxes(1, 2)"),
            "torch": ("scores.softmax(dim=-1)", "scores.softmax(dim=-1).mT"),
        },
        "context_over_the_number_of_words": _both(", values)", ", values / keys.shape[1])"),
        "weights_returned": {
            "mxnet": ("nd.batch_dot(scores.softmax(axis=-1), values)", "scores.softmax(axis=-1)"),
            "torch": ("torch.bmm(scores.softmax(dim=-1), values)", "scores.softmax(dim=-1)"),
        },
        "embeddings_divided_first": {
            framework: [
                (" / math.sqrt(keys.shape[-1])", ""),
                ("    queries =", "    embeddings = embeddings / math.sqrt(W_k.shape[0])\n    queries ="),
            ]
            for framework in FRAMEWORKS
        },
        "divided_at_both_places": _both(", values)", ", values / math.sqrt(keys.shape[-1]))"),
    },
    "wrong_lines": {
        "guard_outside_the_division_passed": _answered("normaliser", '"b"', '"c"'),
        "shift_by_one_number_for_all_suspected": _answered("shift", '"c"', '"b"'),
        "bias_of_the_keys_suspected": _answered("bias", '"a"', '"b"'),
        "bias_of_the_values_suspected": _answered("bias", '"a"', '"c"'),
        "fourth_roots_suspected": _answered("scale", '"b"', '"c"'),
        "late_mask_suspected": _answered("mask", '"b"', '"a"'),
        "permuted_queries_suspected": _answered("order", '"c"', '"b"'),
        "powers_of_two_suspected": _answered("base", '"none"', '"b"'),
        "log_sum_suspected": _answered("base", '"none"', '"c"'),
        "no_bias_suspected": _answered("bias", '"a"', '"none"'),
        "scaled_queries_suspected": _answered("scale", '"b"', '"a"'),
        "large_negative_suspected": _answered("mask", '"b"', '"c"'),
        "keys_with_their_values_suspected": _answered("order", '"c"', '"a"'),
    },
    "claims_that_hold": {
        "last_digit_believed": _answered("twelve", "False", "True"),
        "spread_taken_for_the_dimension": _answered("variance", "True", "False"),
        "concatenation_taken_for_another_score": _answered("concat", "True", "False"),
        "symmetric_score_taken_for_symmetric_weights": _answered("symmetric", "False", "True"),
        "scores_taken_for_parameters": _answered("length", "False", "True"),
        "centre_not_counted": _answered("window", "False", "True"),
        "large_negative_never_trusted": _answered("million", "True", "False"),
        "bound_forgotten": _answered("bounded", "True", "False"),
        "every_claim_believed": _both("answers[name] for", "True for"),
        "no_claim_believed": _both("answers[name] for", "False for"),
        "answers_turned_round": _both("answers[name] for", "not answers[name] for"),
    },
}
EQUIVALENT = {
    (
        "mended_attention",
        "torch",
        "scores = torch.bmm(queries, keys.transpose(1, 2)) → scores = torch.bmm(queries, keys.transpose(2, 1))",
    ): "a transpose swaps two axes, in whichever order they are named",
}
