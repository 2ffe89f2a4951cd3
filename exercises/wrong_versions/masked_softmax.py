"""Wrong versions of the solutions on masked softmax."""

from exercises.wrong_versions import Wrong

_POSITIONS_MX = "positions < valid_length.expand_dims(-1)"
_POSITIONS_T = "positions < valid_length.unsqueeze(-1)"
WRONG: Wrong = {
    "masked_softmax": {
        "softmax_over_queries": {
            "mxnet": ("padding).softmax(axis=-1)", "padding).softmax(axis=1)"),
            "torch": ("-1e6).softmax(dim=-1)", "-1e6).softmax(dim=1)"),
        },
        "mask_after_softmax": {
            "mxnet": ("nd.where(mask, X, padding).softmax(axis=-1)", "X.softmax(axis=-1) * mask"),
            "torch": ("X.masked_fill(~mask, -1e6).softmax(dim=-1)", "X.softmax(dim=-1) * mask"),
        },
        "renormalised_too_late": {
            "mxnet": (
                "return nd.where(mask, X, padding).softmax(axis=-1)",
                "weights = X.softmax(axis=-1) * mask\n    return weights / weights.sum(axis=-1, keepdims=True)",
            ),
            "torch": (
                "return X.masked_fill(~mask, -1e6).softmax(dim=-1)",
                "weights = X.softmax(dim=-1) * mask\n    return weights / weights.sum(dim=-1, keepdim=True)",
            ),
        },
        "mask_ignored": {
            "mxnet": ("nd.where(mask, X, padding).softmax(axis=-1)", "X.softmax(axis=-1)"),
            "torch": ("X.masked_fill(~mask, -1e6).softmax(dim=-1)", "X.softmax(dim=-1)"),
        },
        "mask_inverted": {
            "mxnet": (_POSITIONS_MX, "positions >= valid_length.expand_dims(-1)"),
            "torch": ("masked_fill(~mask", "masked_fill(mask"),
        },
        "one_key_too_many": {
            "mxnet": (_POSITIONS_MX, "positions <= valid_length.expand_dims(-1)"),
            "torch": (_POSITIONS_T, "positions <= valid_length.unsqueeze(-1)"),
        },
        "masked_with_zero": {
            "mxnet": ("nd.full(X.shape, -1e6)", "nd.zeros(X.shape)"),
            "torch": ("-1e6", "0"),
        },
        "lengths_tiled": {
            "mxnet": (
                "valid_length = valid_length.expand_dims(1)",
                "valid_length = nd.tile(valid_length, X.shape[1]).reshape(X.shape[:2])",
            ),
            "torch": (
                "valid_length = valid_length.unsqueeze(1)",
                "valid_length = valid_length.repeat(X.shape[1]).reshape(X.shape[:2])",
            ),
        },
        "first_length_for_all_queries": {
            "mxnet": ("positions = ", "valid_length = valid_length[:, :1]\n    positions = "),
            "torch": ("positions = ", "valid_length = valid_length[:, :1]\n    positions = "),
        },
    },
    "masked_softmax_or_zero": {
        "renormalised_where_possible": {
            "mxnet": (
                "return filled.softmax(axis=-1) * mask",
                "weights = X.softmax(axis=-1) * mask\n"
                "    total = weights.sum(axis=-1, keepdims=True)\n"
                "    return weights / (total + (total == 0))",
            ),
            "torch": (
                "return filled.softmax(dim=-1) * mask",
                "weights = X.softmax(dim=-1) * mask\n"
                "    total = weights.sum(dim=-1, keepdim=True)\n"
                "    return weights / total.masked_fill(total == 0, 1)",
            ),
        },
        "zero_row_is_uniform": {
            "mxnet": ("filled.softmax(axis=-1) * mask", "filled.softmax(axis=-1)"),
            "torch": (".softmax(dim=-1) * mask", ".softmax(dim=-1)"),
        },
        "zero_row_is_nan": {
            "mxnet": [
                ("float(np.finfo(X.dtype).min)", "-np.inf"),
                (".softmax(axis=-1) * mask", ".softmax(axis=-1)"),
            ],
            "torch": [
                ("torch.finfo(X.dtype).min", "-torch.inf"),
                (".softmax(dim=-1) * mask", ".softmax(dim=-1)"),
            ],
        },
        "zero_row_sees_first_key": {
            "mxnet": ("positions = ", "valid_length = nd.maximum(valid_length, 1)\n    positions = "),
            "torch": ("positions = ", "valid_length = valid_length.clamp(min=1)\n    positions = "),
        },
        "zero_row_sees_all_keys": {
            "mxnet": (
                "positions = ",
                "valid_length = valid_length + (valid_length == 0) * X.shape[-1]\n    positions = ",
            ),
            "torch": (
                "positions = ",
                "valid_length = valid_length + (valid_length == 0) * X.shape[-1]\n    positions = ",
            ),
        },
        "whole_batch_element_is_zero": {
            "mxnet": (
                ".softmax(axis=-1) * mask",
                ".softmax(axis=-1) * mask * mask.max(axis=2, keepdims=True).min(axis=1, keepdims=True)",
            ),
            "torch": ("(dim=-1) * mask", "(dim=-1) * mask * mask.any(-1, True).all(1, True)"),
        },
    },
}
