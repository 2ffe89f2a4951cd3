"""Wrong versions of the solutions on transformer."""

from exercises.wrong_versions import Wrong


def _over(mxnet_axes, torch_axes):
    """Mean and variance over other axes."""
    return {
        "mxnet": [
            ("X.mean(axis=-1", f"X.mean(axis={mxnet_axes}"),
            ("square().mean(axis=-1", f"square().mean(axis={mxnet_axes}"),
        ],
        "torch": [
            ("X.mean(dim=-1", f"X.mean(dim={torch_axes}"),
            ("square().mean(dim=-1", f"square().mean(dim={torch_axes}"),
        ],
    }


def _both(*edits):
    return {"mxnet": list(edits), "torch": list(edits)}


def _gelu(inside):
    """GELU in the place of the ReLU; inside: what the first feed-forward layer reads."""
    relu = f"self.ffn1({inside}).relu()"
    return {
        "mxnet": (relu, f"nd.LeakyReLU(self.ffn1({inside}), act_type='gelu')"),
        "torch": (relu, f"torch.nn.functional.gelu(self.ffn1({inside}))"),
    }


ATTENTION = "context = self.attention(X, X, X, valid_length)"
ATTENTION_OF_N = "context = self.attention(N, N, N, valid_length)"
ADD_NORM_1 = "Y = self.norm1(X + context)"
ADD_NORM_2 = "return self.norm2(Y + self.ffn2(hidden))"
ADD_SOURCE = "Z = self.norm2(Y + context)"
ADD_NORM_3 = "return self.norm3(Z + self.ffn2(hidden))"
CROSS = "context = attend(Y, memory, memory, source_length)"
WRONG: Wrong = {
    "layer_norm": {
        "over_the_batch": _over(0, 0),
        "over_batch_and_steps": _over((0, 1), (0, 1)),
        "over_the_steps": _over(1, 1),
        "over_steps_and_features": _over((1, 2), (1, 2)),
        "unbiased_variance": {
            "mxnet": (
                "centred.square().mean(axis=-1, keepdims=True)",
                "centred.square().sum(axis=-1, keepdims=True) / (X.shape[-1] - 1)",
            ),
            "torch": ("centred.square().mean(dim=-1, keepdim=True)", "X.var(dim=-1, keepdim=True)"),
        },
        "epsilon_outside_the_root": {
            "mxnet": ("nd.sqrt(variance + 1e-5)", "(nd.sqrt(variance) + 1e-5)"),
            "torch": ("torch.sqrt(variance + 1e-5)", "(torch.sqrt(variance) + 1e-5)"),
        },
        "unbiased_std_plus_epsilon": {
            "mxnet": [
                (
                    "centred.square().mean(axis=-1, keepdims=True)",
                    "centred.square().sum(axis=-1, keepdims=True) / (X.shape[-1] - 1)",
                ),
                ("nd.sqrt(variance + 1e-5)", "(nd.sqrt(variance) + 1e-5)"),
            ],
            "torch": ("torch.sqrt(variance + 1e-5)", "(X.std(dim=-1, keepdim=True) + 1e-5)"),
        },
        "mean_not_subtracted": _both(("normalised = centred", "normalised = X")),
        "divided_by_the_variance": {
            "mxnet": ("nd.sqrt(variance + 1e-5)", "(variance + 1e-5)"),
            "torch": ("torch.sqrt(variance + 1e-5)", "(variance + 1e-5)"),
        },
        "not_rescaled": _both(("gain * normalised + bias", "normalised")),
        "no_epsilon": _both((" + 1e-5", "")),
        "unbiased_without_epsilon": {
            "mxnet": [
                (
                    "centred.square().mean(axis=-1, keepdims=True)",
                    "centred.square().sum(axis=-1, keepdims=True) / (X.shape[-1] - 1)",
                ),
                (" + 1e-5", ""),
            ],
            "torch": ("torch.sqrt(variance + 1e-5)", "X.std(dim=-1, keepdim=True)"),
        },
        "smaller_epsilon": _both(("1e-5", "1e-6")),
        "larger_epsilon": _both(("1e-5", "1e-3")),
        "rms_norm": _both(("centred = X - mean", "centred = X")),
        "square_before_centring": _both(("centred.square()", "X.square()")),
        "squares_summed": _both(("centred.square().mean", "centred.square().sum")),
        "mean_distance": {
            "mxnet": [
                ("centred.square()", "centred.abs()"),
                ("nd.sqrt(variance + 1e-5)", "(variance + 1e-5)"),
            ],
            "torch": [
                ("centred.square()", "centred.abs()"),
                ("torch.sqrt(variance + 1e-5)", "(variance + 1e-5)"),
            ],
        },
        "only_centred": {
            "mxnet": ("centred / nd.sqrt(variance + 1e-5)", "centred"),
            "torch": ("centred / torch.sqrt(variance + 1e-5)", "centred"),
        },
        "over_everything": _over((0, 1, 2), (0, 1, 2)),
        "gain_left_out": _both(("gain * normalised + bias", "normalised + bias")),
        "bias_left_out": _both(("gain * normalised + bias", "gain * normalised")),
        "bias_multiplied": _both(("gain * normalised + bias", "gain * (normalised + bias)")),
        "gain_and_bias_swapped": _both(("gain * normalised + bias", "bias * normalised + gain")),
        "bias_subtracted": _both(("normalised + bias", "normalised - bias")),
        "one_plus_the_gain": _both(("gain * normalised", "(1 + gain) * normalised")),
        "rescaled_first": _both(
            ("    mean = X.mean", "    X = gain * X + bias\n    mean = X.mean"),
            ("gain * normalised + bias", "normalised"),
        ),
    },
    "encoder_block": {
        "attention_left_out": _both(("X + context", "X")),
        "feed_forward_left_out": _both(("Y + self.ffn2(hidden)", "Y")),
        "norm_at_the_end_of_pre_norm": _both(
            (ATTENTION, f"N = self.norm1(X)\n        {ATTENTION_OF_N}"),
            (ADD_NORM_1, "Y = X + context"),
            ("self.ffn1(Y)", "self.ffn1(self.norm2(Y))"),
        ),
        "first_norm_moved_away": _both(
            (ADD_NORM_1, "Y = X + context"),
            ("self.ffn1(Y)", "self.ffn1(self.norm2(Y))"),
            (ADD_NORM_2, "return Y + self.ffn2(hidden)"),
        ),
        "second_residual_from_the_sum": _both(("Y + self.ffn2(hidden)", "X + context + self.ffn2(hidden)")),
        "feed_forward_reads_the_sum": _both(("self.ffn1(Y)", "self.ffn1(X + context)")),
        "input_normalised_alone": _both(
            (ADD_NORM_1, "Y = self.norm1(X) + context"),
            (ADD_NORM_2, "return self.norm2(Y) + self.ffn2(hidden)"),
        ),
        "first_half_normalised_throughout": _both((ATTENTION, f"X = self.norm1(X)\n        {ATTENTION}")),
        "second_half_normalised_throughout": _both((ADD_NORM_1, f"{ADD_NORM_1}\n        Y = self.norm2(Y)")),
        "keys_and_values_normalised": _both(
            (ATTENTION, ATTENTION_OF_N.replace("(N, N, N", "(X, self.norm1(X), self.norm1(X)"))
        ),
        "relu_first": _both(("self.ffn1(Y).relu()", "self.ffn1(Y.relu())")),
        "first_half_normalises_the_part": _both((ADD_NORM_1, "Y = X + self.norm1(context)")),
        "second_half_normalises_the_part": _both((ADD_NORM_2, "return Y + self.norm2(self.ffn2(hidden))")),
        "pre_norm_block": _both(
            (
                "context = self.attention(X, X, X, valid_length)",
                "N = self.norm1(X)\n        context = self.attention(N, N, N, valid_length)",
            ),
            (ADD_NORM_1, "Y = X + context"),
            ("self.ffn1(Y)", "self.ffn1(self.norm2(Y))"),
            (ADD_NORM_2, "return Y + self.ffn2(hidden)"),
        ),
        "no_residuals": _both(("X + context", "context"), ("Y + self.ffn2(hidden)", "self.ffn2(hidden)")),
        "norm_before_adding": _both(
            (ADD_NORM_1, "Y = X + self.norm1(context)"),
            (ADD_NORM_2, "return Y + self.norm2(self.ffn2(hidden))"),
        ),
        "second_residual_from_the_input": _both(("Y + self.ffn2(hidden)", "X + self.ffn2(hidden)")),
        "one_norm_for_both": _both((ADD_NORM_2, "return self.norm1(Y + self.ffn2(hidden))")),
        "no_relu": _both(("self.ffn1(Y).relu()", "self.ffn1(Y)")),
        "attention_still_pre_norm": _both(
            (ATTENTION, f"N = self.norm1(X)\n        {ATTENTION_OF_N}"), (ADD_NORM_1, "Y = X + context")
        ),
        "feed_forward_still_pre_norm": _both(
            ("self.ffn1(Y)", "self.ffn1(self.norm2(Y))"), (ADD_NORM_2, "return Y + self.ffn2(hidden)")
        ),
        "normalised_before_and_after": _both(
            (ATTENTION, f"N = self.norm1(X)\n        {ATTENTION_OF_N}"),
            ("self.ffn1(Y)", "self.ffn1(self.norm2(Y))"),
        ),
        "residual_from_the_normalised": _both(
            (ATTENTION, f"N = self.norm1(X)\n        {ATTENTION_OF_N}"),
            (ADD_NORM_1, "Y = self.norm2(N + context)"),
            (ADD_NORM_2, "return Y + self.ffn2(hidden)"),
        ),
        "no_residual_around_the_attention": _both(("X + context", "context")),
        "no_residual_around_the_feed_forward": _both(("Y + self.ffn2(hidden)", "self.ffn2(hidden)")),
        "feed_forward_reads_the_input": _both(("self.ffn1(Y)", "self.ffn1(X)")),
        "second_norm_for_both": _both((ADD_NORM_1, "Y = self.norm2(X + context)")),
        "norms_exchanged": _both(
            (ADD_NORM_1, "Y = self.norm2(X + context)"),
            (ADD_NORM_2, "return self.norm1(Y + self.ffn2(hidden))"),
        ),
        "no_norms": _both((ADD_NORM_1, "Y = X + context"), (ADD_NORM_2, "return Y + self.ffn2(hidden)")),
        "first_norm_missing": _both((ADD_NORM_1, "Y = X + context")),
        "last_norm_missing": _both((ADD_NORM_2, "return Y + self.ffn2(hidden)")),
        "gelu_for_relu": _gelu("Y"),
        "tanh_for_relu": _both(("self.ffn1(Y).relu()", "self.ffn1(Y).tanh()")),
        "relu_at_the_end": _both(
            ("self.ffn1(Y).relu()", "self.ffn1(Y)"), ("self.ffn2(hidden)", "self.ffn2(hidden).relu()")
        ),
        "relu_twice": _both(("self.ffn2(hidden)", "self.ffn2(hidden).relu()")),
        "feed_forward_comes_first": _both(
            (f"        {ATTENTION}\n", "        Y = self.norm2(X + self.ffn2(self.ffn1(X).relu()))\n"),
            (f"        {ADD_NORM_1}\n", ""),
            ("        hidden = self.ffn1(Y).relu()\n", ""),
            (ADD_NORM_2, "return self.norm1(Y + self.attention(Y, Y, Y, valid_length))"),
        ),
        "both_parts_read_the_input": _both((ADD_NORM_1, "Y = X + context"), ("self.ffn1(Y)", "self.ffn1(X)")),
        "input_added_twice": _both(("X + context", "X + X + context")),
        "input_added_again": _both(("Y + self.ffn2(hidden)", "X + Y + self.ffn2(hidden)")),
        "queries_normalised": _both((ATTENTION, ATTENTION.replace("(X", "(self.norm1(X)"))),
        "first_half_normalised_twice": _both((ATTENTION, f"N = self.norm1(X)\n        {ATTENTION_OF_N}")),
        "second_half_normalised_twice": _both(("self.ffn1(Y)", "self.ffn1(self.norm2(Y))")),
        "sigmoid_for_relu": _both(("self.ffn1(Y).relu()", "self.ffn1(Y).sigmoid()")),
        "padding_ignored": _both(("self.attention(X, X, X, valid_length)", "self.attention(X, X, X, None)")),
    },
    "shift_right": {
        "not_shifted": {
            "mxnet": ("nd.concat(first, tokens[:, :-1], dim=1)", "tokens"),
            "torch": ("torch.cat([first, tokens[:, :-1]], dim=1)", "tokens"),
        },
        "shifted_left": _both(("first, tokens[:, :-1]", "tokens[:, 1:], first")),
        "last_token_comes_first": _both(("first, tokens[:, :-1]", "tokens[:, -1:], tokens[:, :-1]")),
        "first_token_overwritten": _both(("tokens[:, :-1]", "tokens[:, 1:]")),
        "last_token_kept": _both(("tokens[:, :-1]", "tokens")),
        "last_token_overwritten": _both(("first, tokens[:, :-1]", "tokens[:, :-1], first")),
        "turned_left_and_overwritten": {
            "mxnet": (
                "nd.concat(first, tokens[:, :-1], dim=1)",
                "nd.concat(first, nd.concat(tokens, tokens, dim=1)[:, 2 : tokens.shape[1] + 1], dim=1)",
            ),
            "torch": ("first, tokens[:, :-1]", "first, tokens[:, 2:], tokens[:, :1]"),
        },
        "start_is_always_zero": {
            "mxnet": ("(len(tokens), 1), start)", "(len(tokens), 1), 0)"),
            "torch": ("tokens[:, :1], start)", "tokens[:, :1], 0)"),
        },
        "start_is_always_one": {
            "mxnet": ("(len(tokens), 1), start)", "(len(tokens), 1), 1)"),
            "torch": ("tokens[:, :1], start)", "tokens[:, :1], 1)"),
        },
        "start_everywhere": {
            "mxnet": ("nd.concat(first, tokens[:, :-1], dim=1)", "nd.ones_like(tokens) * start"),
            "torch": ("torch.cat([first, tokens[:, :-1]], dim=1)", "torch.full_like(tokens, start)"),
        },
        "shifted_along_the_batch": {
            "mxnet": (
                "nd.concat(first, tokens[:, :-1], dim=1)",
                "nd.concat(nd.ones_like(tokens) * start, tokens, dim=0)[len(tokens) - 1:-1]",
            ),
            "torch": (
                "torch.cat([first, tokens[:, :-1]], dim=1)",
                "torch.cat([torch.full_like(tokens[:1], start), tokens[:-1]])",
            ),
        },
        "shifted_through_the_batch": {
            "mxnet": (
                "nd.concat(first, tokens[:, :-1], dim=1)",
                "nd.concat(first[0], tokens.reshape(-1), dim=0)[:-1].reshape(tokens.shape)",
            ),
            "torch": (
                "torch.cat([first, tokens[:, :-1]], dim=1)",
                "torch.cat([first[0], tokens.flatten()[:-1]]).view(tokens.shape)",
            ),
        },
        "start_for_the_first_sentence_only": {
            "mxnet": (
                "nd.concat(first, tokens[:, :-1], dim=1)",
                "nd.concat(nd.concat(first[:1], tokens[:, -1:], dim=0)"
                "[[0, *range(2, len(tokens) + 1)]], tokens[:, :-1], dim=1)",
            ),
            "torch": (
                "first, tokens[:, :-1]",
                "torch.cat([first[:1], tokens[1:, -1:]]), tokens[:, :-1]",
            ),
        },
        "shifted_twice": {
            "mxnet": (
                "nd.concat(first, tokens[:, :-1], dim=1)",
                "nd.concat(first, first, tokens, dim=1)[:, : tokens.shape[1]]",
            ),
            "torch": ("first, tokens[:, :-1]", "first, first, tokens[:, :-2]"),
        },
        "start_left_out": {
            "mxnet": ("nd.concat(first, tokens[:, :-1], dim=1)", "tokens[:, :-1]"),
            "torch": ("torch.cat([first, tokens[:, :-1]], dim=1)", "tokens[:, :-1]"),
        },
        "tokens_reversed": {
            "mxnet": ("tokens[:, :-1]", "tokens[:, 1:].flip(axis=1)"),
            "torch": ("tokens[:, :-1]", "tokens[:, 1:].flip(1)"),
        },
        "start_as_a_sentence": {
            "mxnet": (
                "nd.concat(first, tokens[:, :-1], dim=1)",
                "nd.concat(nd.ones_like(tokens[:1]) * start, tokens, dim=0)",
            ),
            "torch": (
                "torch.cat([first, tokens[:, :-1]], dim=1)",
                "torch.cat([torch.full_like(tokens[:1], start), tokens])",
            ),
        },
        "first_token_repeated": _both(("first, tokens[:, :-1]", "tokens[:, :1], tokens[:, :-1]")),
        "start_behind_the_first_token": {
            "mxnet": (
                "nd.concat(first, tokens[:, :-1], dim=1)",
                "nd.concat(tokens[:, :1], first, tokens[:, 1:], dim=1)[:, : tokens.shape[1]]",
            ),
            "torch": ("first, tokens[:, :-1]", "tokens[:, :1], first, tokens[:, 1:-1]"),
        },
        "start_at_both_ends": {
            "mxnet": (
                "nd.concat(first, tokens[:, :-1], dim=1)",
                "nd.concat(nd.concat(first, tokens[:, 1:], dim=1)[:, :-1], first, dim=1)",
            ),
            "torch": ("first, tokens[:, :-1]", "first, tokens[:, 1:-1], first"),
        },
        "last_token_kept_twice": _both(("first, tokens[:, :-1]", "tokens[:, 1:], tokens[:, -1:]")),
    },
    "decoder_block": {
        "decoder_with_tanh": _both(("self.ffn1(Z).relu()", "self.ffn1(Z).tanh()")),
        "decoder_with_sigmoid": _both(("self.ffn1(Z).relu()", "self.ffn1(Z).sigmoid()")),
        "decoder_relu_at_the_end": _both(
            ("self.ffn1(Z).relu()", "self.ffn1(Z)"), ("self.ffn2(hidden)", "self.ffn2(hidden).relu()")
        ),
        "decoder_relu_twice": _both(("self.ffn2(hidden)", "self.ffn2(hidden).relu()")),
        "feed_forward_skips_the_source": _both(("self.ffn1(Z)", "self.ffn1(Y)")),
        "feed_forward_of_the_input": _both(("self.ffn1(Z)", "self.ffn1(X)")),
        "feed_forward_missing": _both(("Z + self.ffn2(hidden)", "Z")),
        "no_norm_anywhere": _both(
            (ADD_NORM_1, "Y = X + context"),
            (ADD_SOURCE, "Z = Y + context"),
            (ADD_NORM_3, "return Z + self.ffn2(hidden)"),
        ),
        "first_two_norms_exchanged": _both(
            (ADD_NORM_1, "Y = self.norm2(X + context)"), (ADD_SOURCE, "Z = self.norm1(Y + context)")
        ),
        "last_two_norms_exchanged": _both(
            (ADD_SOURCE, "Z = self.norm3(Y + context)"),
            (ADD_NORM_3, "return self.norm2(Z + self.ffn2(hidden))"),
        ),
        "second_norm_at_the_past": _both((ADD_NORM_1, "Y = self.norm2(X + context)")),
        "one_attention_for_both": _both((CROSS, CROSS.replace("attend(", "self.self_attention("))),
        "attentions_exchanged": _both(
            ("self.self_attention(X", "self.cross_attention(X"),
            (CROSS, CROSS.replace("attend(", "self.self_attention(")),
        ),
        "past_hidden_by_the_source_length": _both(
            ("self.self_attention(X, X, X, seen)", "self.self_attention(X, X, X, source_length)")
        ),
        "lengths_exchanged": _both(
            ("self.self_attention(X, X, X, seen)", "self.self_attention(X, X, X, source_length)"),
            (CROSS, CROSS.replace("source_length", "seen")),
        ),
        "attentions_side_by_side": _both((ADD_NORM_1, "Y = X + context"), (CROSS, CROSS.replace("(Y", "(X"))),
        "bare_context_asks_the_source": _both((CROSS, CROSS.replace("(Y", "(context"))),
        "input_added_to_the_second_sum": _both((ADD_SOURCE, "Z = self.norm2(X + Y + context)")),
        "second_result_added_to_the_third_sum": _both(
            (ADD_NORM_3, "return self.norm3(Y + Z + self.ffn2(hidden))")
        ),
        "past_still_pre_norm": _both(
            ("self.self_attention(X, X, X, seen)", "self.self_attention(*[self.norm1(X)] * 3, seen)"),
            (ADD_NORM_1, "Y = X + context"),
        ),
        "source_first_with_its_norms_in_order": _both(
            (
                "context = self.self_attention(X, X, X, seen)",
                "context = self.cross_attention(X, memory, memory, source_length)",
            ),
            (CROSS, "context = self.self_attention(Y, Y, Y, seen)"),
        ),
        "only_the_own_step_seen": _both(
            ("self.self_attention(X, X, X, seen)", "self.self_attention.W_o(self.self_attention.W_v(X))")
        ),
        "only_the_first_step_seen": _both(
            ("self.self_attention(X, X, X, seen)", "self.self_attention(X, X, X, seen * 0 + 1)")
        ),
        "future_seen": _both(("self.self_attention(X, X, X, seen)", "self.self_attention(X, X, X, None)")),
        "next_step_seen": _both(("(1, num_steps + 1)", "(2, num_steps + 2)")),
        "encoder_not_read": _both((CROSS, "context = attend(Y, Y, Y, None)")),
        "input_asks_the_source": _both((CROSS, CROSS.replace("(Y", "(X"))),
        "source_padding_ignored": _both((CROSS, CROSS.replace("source_length", "None"))),
        "source_hidden_like_the_future": _both((CROSS, CROSS.replace("source_length", "seen"))),
        "no_residual_around_the_source": _both(("Z = self.norm2(Y + context)", "Z = self.norm2(context)")),
        "norm_of_each_part": _both(
            (ADD_NORM_1, "Y = X + self.norm1(context)"),
            (ADD_SOURCE, "Z = Y + self.norm2(context)"),
            (ADD_NORM_3, "return Z + self.norm3(self.ffn2(hidden))"),
        ),
        "own_step_hidden": _both(("(1, num_steps + 1)", "(0, num_steps)")),
        "lengths_run_backwards": _both(("(1, num_steps + 1)", "(num_steps, 0, -1)")),
        "one_length_for_each_sentence": {
            "mxnet": ("seen = seen.tile((batch, 1))", ""),
            "torch": ("seen = seen.repeat(batch, 1)", ""),
        },
        "memory_attended_twice": _both(
            ("self.self_attention(X, X, X, seen)", "self.self_attention(X, memory, memory, source_length)")
        ),
        "no_residual_around_the_past": _both((ADD_NORM_1, "Y = self.norm1(context)")),
        "norm_after_the_past_missing": _both((ADD_NORM_1, "Y = X + context")),
        "norm_after_the_source_missing": _both((ADD_SOURCE, "Z = Y + context")),
        "norm_at_the_end_missing": _both((ADD_NORM_3, "return Z + self.ffn2(hidden)")),
        "source_left_out": _both((ADD_SOURCE, "Z = self.norm2(Y)")),
        "source_and_its_norm_left_out": _both((ADD_SOURCE, "Z = Y")),
        "source_comes_first": _both(
            (
                "context = self.self_attention(X, X, X, seen)",
                "context = self.cross_attention(X, memory, memory, source_length)",
            ),
            (ADD_NORM_1, "Y = self.norm2(X + context)"),
            (CROSS, "context = self.self_attention(Y, Y, Y, seen)"),
            (ADD_SOURCE, "Z = self.norm1(Y + context)"),
        ),
        "source_added_to_the_input": _both((ADD_SOURCE, "Z = self.norm2(X + context)")),
        "last_residual_skips_the_source": _both((ADD_NORM_3, "return self.norm3(Y + self.ffn2(hidden))")),
        "last_residual_from_the_input": _both((ADD_NORM_3, "return self.norm3(X + self.ffn2(hidden))")),
        "no_residual_at_the_end": _both((ADD_NORM_3, "return self.norm3(self.ffn2(hidden))")),
        "no_residual_anywhere": _both(
            (ADD_NORM_1, "Y = self.norm1(context)"),
            (ADD_SOURCE, "Z = self.norm2(context)"),
            (ADD_NORM_3, "return self.norm3(self.ffn2(hidden))"),
        ),
        "decoder_without_relu": _both(("self.ffn1(Z).relu()", "self.ffn1(Z)")),
        "decoder_with_gelu": _gelu("Z"),
        "first_norm_at_the_source": _both((ADD_SOURCE, "Z = self.norm1(Y + context)")),
        "second_norm_at_the_end": _both((ADD_NORM_3, "return self.norm2(Z + self.ffn2(hidden))")),
        "first_norm_everywhere": _both(
            (ADD_SOURCE, "Z = self.norm1(Y + context)"),
            (ADD_NORM_3, "return self.norm1(Z + self.ffn2(hidden))"),
        ),
        "norms_come_first": _both(
            (
                "context = self.self_attention(X, X, X, seen)",
                "N = self.norm1(X)\n        context = self.self_attention(N, N, N, seen)",
            ),
            (ADD_NORM_1, "Y = X + context"),
            (CROSS, CROSS.replace("(Y", "(self.norm2(Y)")),
            ("Z = self.norm2(Y + context)", "Z = Y + context"),
            ("self.ffn1(Z)", "self.ffn1(self.norm3(Z))"),
            ("return self.norm3(Z + self.ffn2(hidden))", "return Z + self.ffn2(hidden)"),
        ),
    },
}
