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


ADD_NORM_1 = "Y = self.norm1(X + context)"
ADD_NORM_2 = "return self.norm2(Y + self.ffn2(hidden))"
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
    },
    "encoder_block": {
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
    },
    "decoder_block": {
        "future_seen": _both(("self.self_attention(X, X, X, seen)", "self.self_attention(X, X, X, None)")),
        "next_step_seen": _both(("(1, num_steps + 1)", "(2, num_steps + 2)")),
        "encoder_not_read": _both((CROSS, "context = attend(Y, Y, Y, None)")),
        "input_asks_the_source": _both((CROSS, CROSS.replace("(Y", "(X"))),
        "source_padding_ignored": _both((CROSS, CROSS.replace("source_length", "None"))),
        "source_hidden_like_the_future": _both((CROSS, CROSS.replace("source_length", "seen"))),
        "no_residual_around_the_source": _both(("Z = self.norm2(Y + context)", "Z = self.norm2(context)")),
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
