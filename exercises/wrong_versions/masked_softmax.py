"""Wrong versions of the solutions on masked softmax."""

from exercises.wrong_versions import Wrong

_POSITIONS_MX = "positions < valid_length.expand_dims(-1)"
_POSITIONS_T = "positions < valid_length.unsqueeze(-1)"
_FILLED_MX, _FILLED_T = "nd.where(mask, X, padding)", "X.masked_fill(~mask, -1e6)"
_SOFTMAX_MX, _SOFTMAX_T = f"{_FILLED_MX}.softmax(axis=-1)", f"{_FILLED_T}.softmax(dim=-1)"
_CLEARED_MX, _CLEARED_T = "filled.softmax(axis=-1) * mask", "filled.softmax(dim=-1) * mask"


def _weights(mxnet: str, torch: str = "") -> dict[str, tuple[str, str]]:
    """What masked_softmax returns with a valid_length; {filled} holds the masked scores."""
    return {
        "mxnet": (f"return {_SOFTMAX_MX}", f"return {mxnet.format(filled=_FILLED_MX)}"),
        "torch": (f"return {_SOFTMAX_T}", f"return {(torch or mxnet).format(filled=_FILLED_T)}"),
    }


def _or_zero(mxnet: str, torch: str = "") -> dict[str, tuple[str, str]]:
    """What masked_softmax_or_zero returns."""
    return {
        "mxnet": (f"return {_CLEARED_MX}", f"return {mxnet}"),
        "torch": (f"return {_CLEARED_T}", f"return {torch or mxnet}"),
    }


def _lengths(mxnet: str, torch: str = "") -> dict[str, tuple[str, str]]:
    """Other lengths, once they have two axes."""
    return {
        "mxnet": ("positions = ", f"valid_length = {mxnet}\n    positions = "),
        "torch": ("positions = ", f"valid_length = {torch or mxnet}\n    positions = "),
    }


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
        "one_key_too_few": _lengths("valid_length - 1"),
        "masked_with_minus_one": {"mxnet": ("-1e6", "-1"), "torch": ("-1e6", "-1")},
        "mask_added_to_scores": _weights("(X + mask).softmax(axis=-1)", "(X + mask.float()).softmax(dim=-1)"),
        "zeros_filled_and_cleared": _weights(
            "(X * mask).softmax(axis=-1) * mask", "(X * mask).softmax(dim=-1) * mask"
        ),
        "mask_inverted_after_softmax": _weights(
            "X.softmax(axis=-1) * (1 - mask)", "X.softmax(dim=-1) * ~mask"
        ),
        "padding_on_the_left": {
            "mxnet": ("nd.arange(X.shape[-1])", "nd.arange(X.shape[-1])[::-1]"),
            "torch": ("torch.arange(X.shape[-1])", "torch.arange(X.shape[-1]).flip(0)"),
        },
        "first_lengths_for_the_batch": _lengths(
            "valid_length[:1].broadcast_like(valid_length)", "valid_length[:1]"
        ),
        "longest_length_for_all": _lengths("valid_length * 0 + valid_length.max()"),
        "queries_softmax_then_masked": _weights("X.softmax(axis=1) * mask", "X.softmax(dim=1) * mask"),
        "queries_softmax_unmasked": _weights("X.softmax(axis=1)", "X.softmax(dim=1)"),
        "queries_softmax_of_added_mask": _weights(
            "(X + (1 - mask) * -1e6).softmax(axis=1)", "(X + ~mask * -1e6).softmax(dim=1)"
        ),
        "queries_softmax_of_shifted_scores": _weights(
            '(X.astype("float64") + (1 - mask).astype("float64") * -1e6).softmax(axis=1).astype("float32")',
            "(X.double() + ~mask * -1e6).softmax(dim=1).float()",
        ),
        "softmax_over_the_batch": _weights("{filled}.softmax(axis=0)", "{filled}.softmax(dim=0)"),
        "softmax_over_all_pairs": _weights(
            "{filled}.reshape((X.shape[0], -1)).softmax(axis=-1).reshape(X.shape)",
            "{filled}.flatten(1).softmax(dim=-1).reshape(X.shape)",
        ),
        "softmax_left_out": _weights("{filled}"),
        "softmax_taken_twice": _weights(
            "{filled}.softmax(axis=-1).softmax(axis=-1)", "{filled}.softmax(dim=-1).softmax(dim=-1)"
        ),
        "exponential_overflows": _weights("{filled}.exp() / {filled}.exp().sum(axis=-1, keepdims=True)"),
        "masked_exponential_overflows": _weights(
            "X.exp() * mask / (X.exp() * mask).sum(axis=-1, keepdims=True)"
        ),
        "valid_exponentials_overflow": _weights(
            "nd.where(mask, nd.broadcast_div(X.exp(), nd.where(mask, X.exp(), X * 0).sum(axis=-1, keepdims=True)), X * 0)",
            "torch.where(mask, X.exp() / torch.where(mask, X.exp(), 0).sum(dim=-1, keepdim=True), 0)",
        ),
        "all_exponentials_in_the_sum": _weights("X.exp() * mask / X.exp().sum(axis=-1, keepdims=True)"),
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
        "mask_after_softmax": _or_zero("X.softmax(axis=-1) * mask", "X.softmax(dim=-1) * mask"),
        "mask_ignored": _or_zero("X.softmax(axis=-1)", "X.softmax(dim=-1)"),
        "only_empty_rows_masked": _or_zero(
            "X.softmax(axis=-1) * mask.max(axis=-1, keepdims=True)", "X.softmax(dim=-1) * mask.any(-1, True)"
        ),
        "one_key_too_many_and_in_empty_rows": _lengths("valid_length + 1"),
        "one_key_too_many_but_in_empty_rows": _lengths("valid_length + (valid_length > 0)"),
        "masked_with_zero": _or_zero("(X * mask).softmax(axis=-1)", "(X * mask).softmax(dim=-1)"),
        "zeros_filled_and_cleared": _or_zero(
            "(X * mask).softmax(axis=-1) * mask", "(X * mask).softmax(dim=-1) * mask"
        ),
        "cleared_by_the_inverted_mask": _or_zero(
            "filled.softmax(axis=-1) * (1 - mask)", "filled.softmax(dim=-1) * ~mask"
        ),
        "filled_by_the_inverted_mask": {
            "mxnet": ("nd.where(mask, X,", "nd.where(1 - mask, X,"),
            "torch": ("masked_fill(~mask", "masked_fill(mask"),
        },
        "inverted_mask_not_cleared": {
            "mxnet": [
                ("nd.where(mask, X,", "nd.where(1 - mask, X,"),
                (_CLEARED_MX, "filled.softmax(axis=-1)"),
            ],
            "torch": [("masked_fill(~mask", "masked_fill(mask"), (_CLEARED_T, "filled.softmax(dim=-1)")],
        },
        "mask_inverted_throughout": {
            "mxnet": (_POSITIONS_MX, "positions >= valid_length.expand_dims(-1)"),
            "torch": (_POSITIONS_T, "positions >= valid_length.unsqueeze(-1)"),
        },
        "first_query_decides": _lengths("valid_length[:, :1]"),
        "lengths_in_the_wrong_order": {
            "mxnet": (
                "valid_length = valid_length.expand_dims(1)",
                "valid_length = nd.tile(valid_length, X.shape[1]).reshape(X.shape[:2])",
            ),
            "torch": (
                "valid_length = valid_length.unsqueeze(1)",
                "valid_length = valid_length.repeat(X.shape[1]).reshape(X.shape[:2])",
            ),
        },
        "softmax_over_queries_and_cleared": _or_zero(
            "filled.softmax(axis=1) * mask", "filled.softmax(dim=1) * mask"
        ),
        "ones_in_empty_rows": _or_zero(
            "filled.softmax(axis=-1) * mask + 1 - mask.max(axis=-1, keepdims=True)",
            "filled.softmax(dim=-1) * mask + ~mask.any(-1, True)",
        ),
        "masked_exponential_overflows": _or_zero(
            "X.exp() * mask / (X.exp() * mask).sum(axis=-1, keepdims=True)"
        ),
    },
}
