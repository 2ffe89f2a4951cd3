"""Wrong versions of the solutions on score functions."""

from exercises.wrong_versions import FRAMEWORKS, Wrong

_UNIT_Q_MX, _UNIT_K_MX = (
    "queries / nd.maximum(squares, tiny).sqrt()",
    "keys / nd.maximum(squares, tiny).sqrt()",
)
_UNIT_Q_T, _UNIT_K_T = "queries / squares.clamp(min=tiny).sqrt()", "keys / squares.clamp(min=tiny).sqrt()"
_DOTS_MX, _DOTS_T = (
    "nd.batch_dot(queries, keys, transpose_b=True)",
    "torch.bmm(queries, keys.transpose(1, 2))",
)
_CUT = "self.W(queries)[:, :, : keys.shape[1]]"
_RELU = "Q, K = self.W(queries).relu(), self.W(keys).relu()"
_PRODUCT_MX, _PRODUCT_T = "nd.batch_dot(Q, K, transpose_b=True)", "torch.bmm(Q, K.transpose(1, 2))"


def _both(old: str, new: str) -> dict[str, tuple[str, str]]:
    """The same edit in both frameworks."""
    return {"mxnet": (old, new), "torch": (old, new)}


def _returned(old: str, new: str) -> tuple[str, str]:
    """Edit what the cosine returns."""
    return f"return {old}", f"return {new}"


WRONG: Wrong = {
    "cosine_score": {
        "plain_dot_product": {
            "mxnet": [(_UNIT_Q_MX, "queries"), (_UNIT_K_MX, "keys")],
            "torch": [(_UNIT_Q_T, "queries"), (_UNIT_K_T, "keys")],
        },
        "only_the_queries_normalised": {"mxnet": (_UNIT_K_MX, "keys"), "torch": (_UNIT_K_T, "keys")},
        "only_the_keys_normalised": {"mxnet": (_UNIT_Q_MX, "queries"), "torch": (_UNIT_Q_T, "queries")},
        "divided_by_squared_lengths": {
            "mxnet": [(old, old.removesuffix(".sqrt()")) for old in (_UNIT_Q_MX, _UNIT_K_MX)],
            "torch": [(old, old.removesuffix(".sqrt()")) for old in (_UNIT_Q_T, _UNIT_K_T)],
        },
        "normalised_over_positions": {
            "mxnet": [(f"({x}**2).sum(axis=-1", f"({x}**2).sum(axis=1") for x in ("queries", "keys")],
            "torch": [(f"({x}**2).sum(dim=-1", f"({x}**2).sum(dim=1") for x in ("queries", "keys")],
        },
        "one_length_for_a_whole_matrix": {
            "mxnet": [(f"({x}**2).sum(axis=-1", f"({x}**2).sum(axis=(1, 2)") for x in ("queries", "keys")],
            "torch": [(f"({x}**2).sum(dim=-1", f"({x}**2).sum(dim=(1, 2)") for x in ("queries", "keys")],
        },
        "divided_by_root_d": {
            "mxnet": [(_UNIT_Q_MX, "queries"), (_UNIT_K_MX, "keys / math.sqrt(keys.shape[-1])")],
            "torch": [(_UNIT_Q_T, "queries"), (_UNIT_K_T, "keys / math.sqrt(keys.shape[-1])")],
        },
        "cosine_distance": {
            "mxnet": _returned(_DOTS_MX, f"1 - {_DOTS_MX}"),
            "torch": _returned(_DOTS_T, f"1 - {_DOTS_T}"),
        },
        "softmax_of_the_cosines": {
            "mxnet": _returned(_DOTS_MX, f"{_DOTS_MX}.softmax(axis=-1)"),
            "torch": _returned(_DOTS_T, f"{_DOTS_T}.softmax(dim=-1)"),
        },
        "zero_key_is_nan": {
            "mxnet": [(_UNIT_Q_MX, "queries / squares.sqrt()"), (_UNIT_K_MX, "keys / squares.sqrt()")],
            "torch": [(_UNIT_Q_T, "queries / squares.sqrt()"), (_UNIT_K_T, "keys / squares.sqrt()")],
        },
    },
    "location_score": {
        "last_positions_kept": _both(": keys.shape[1]]", "-keys.shape[1] :]"),
        "softmax_before_the_cut": {
            "mxnet": ("self.W(queries)[", "self.W(queries).softmax(axis=-1)["),
            "torch": ("self.W(queries)[", "self.W(queries).softmax(dim=-1)["),
        },
        "softmax_after_the_cut": {
            "mxnet": (_CUT, f"{_CUT}.softmax(axis=-1)"),
            "torch": (_CUT, f"{_CUT}.softmax(dim=-1)"),
        },
        "content_added": {"mxnet": (_CUT, f"{_CUT} + {_DOTS_MX}"), "torch": (_CUT, f"{_CUT} + {_DOTS_T}")},
        "keys_score_themselves": {
            "mxnet": (_CUT, "self.W(keys)[:, :, : queries.shape[1]].swapaxes(1, 2)"),
            "torch": (_CUT, "self.W(keys)[:, :, : queries.shape[1]].transpose(1, 2)"),
        },
        "one_row_for_all_queries": {
            "mxnet": (
                _CUT,
                "self.W(queries.mean(axis=1, keepdims=True))[:, :, : keys.shape[1]]"
                ".broadcast_axes(axis=1, size=queries.shape[1])",
            ),
            "torch": (
                _CUT,
                "self.W(queries.mean(dim=1, keepdim=True))[:, :, : keys.shape[1]]"
                ".expand(-1, queries.shape[1], -1)",
            ),
        },
        "location_over_root_d": _both(_CUT, f"{_CUT} / math.sqrt(queries.shape[-1])"),
        "location_squashed": _both(_CUT, f"{_CUT}.tanh()"),
    },
    "relu_score": {
        "diagonal_inside_the_relu": {
            "mxnet": [
                (_RELU, "Q, K = self.W(queries), self.W(keys).relu()"),
                ("Q = Q * self.D.data()", "Q = (Q * self.D.data()).relu()"),
            ],
            "torch": [
                (_RELU, "Q, K = self.W(queries), self.W(keys).relu()"),
                ("Q = Q * self.D", "Q = (Q * self.D).relu()"),
            ],
        },
        "relu_forgotten": _both(_RELU, "Q, K = self.W(queries), self.W(keys)"),
        "relu_after_the_product": {
            "mxnet": [
                (_RELU, "Q, K = self.W(queries), self.W(keys)"),
                (_PRODUCT_MX, f"{_PRODUCT_MX}.relu()"),
            ],
            "torch": [(_RELU, "Q, K = self.W(queries), self.W(keys)"), (_PRODUCT_T, f"{_PRODUCT_T}.relu()")],
        },
        "relu_on_the_queries_only": _both("self.W(keys).relu()", "self.W(keys)"),
        "relu_on_the_keys_only": _both("self.W(queries).relu()", "self.W(queries)"),
        "diagonal_forgotten": {
            "mxnet": ("Q = Q * self.D.data()", "Q = Q * 1"),
            "torch": ("Q = Q * self.D", "Q = Q * 1"),
        },
        "diagonal_on_both_sides": {
            "mxnet": ("Q = Q * self.D.data()", "Q, K = Q * self.D.data(), K * self.D.data()"),
            "torch": ("Q = Q * self.D", "Q, K = Q * self.D, K * self.D"),
        },
        "products_over_root_units": {
            "mxnet": (_PRODUCT_MX, f"{_PRODUCT_MX} / math.sqrt(Q.shape[-1])"),
            "torch": (_PRODUCT_T, f"{_PRODUCT_T} / math.sqrt(Q.shape[-1])"),
        },
    },
    "citation": {
        "shifted_by_a_row": {
            framework: [
                ('"additive": "Bahdanau 2015"', '"additive": "Graves 2014"'),
                ('"location-based": "Luong 2015"', '"location-based": "Bahdanau 2015"'),
            ]
            for framework in FRAMEWORKS
        },
        "location_from_turing_machines": _both(
            '"location-based": "Luong 2015"', '"location-based": "Graves 2014"'
        ),
        "additive_by_another_name": _both('"additive": "Bahdanau 2015"', '"additive": "Luong 2015"'),
        "general_before_its_time": _both('"general": "Luong 2015"', '"general": "Bahdanau 2015"'),
        "dot_without_its_scale": _both('"dot": "Luong 2015"', '"dot": "Vaswani 2017"'),
        "scale_overlooked": _both('"scaled dot": "Vaswani 2017"', '"scaled dot": "Luong 2015"'),
        "content_from_translation": _both(
            '"content-based": "Graves 2014"', '"content-based": "Bahdanau 2015"'
        ),
    },
}
EQUIVALENT = {
    ("cosine_score", framework, "tiny = 1e-12 → tiny = 2e-12"): "both are far below any length that occurs"
    for framework in FRAMEWORKS
} | {
    (
        "cosine_score",
        "mxnet",
        "queries = queries / nd.maximum(squares, tiny).sqrt() → "
        "queries = queries / nd.maximum(tiny, squares).sqrt()",
    ): "a maximum does not ask for order",
    (
        "cosine_score",
        "mxnet",
        "keys = keys / nd.maximum(squares, tiny).sqrt() → keys = keys / nd.maximum(tiny, squares).sqrt()",
    ): "a maximum does not ask for order",
    (
        "cosine_score",
        "torch",
        "return torch.bmm(queries, keys.transpose(1, 2)) → return torch.bmm(queries, keys.transpose(2, 1))",
    ): "a transposition does not ask for order",
    (
        "relu_score",
        "torch",
        "return torch.bmm(Q, K.transpose(1, 2)) → return torch.bmm(Q, K.transpose(2, 1))",
    ): "a transposition does not ask for order",
    (
        "relu_score",
        "torch",
        "self.D = torch.nn.Parameter(torch.ones(units)) → self.D = torch.nn.Parameter(torch.zeros(units))",
    ): "the judge sets all parameters",
}
