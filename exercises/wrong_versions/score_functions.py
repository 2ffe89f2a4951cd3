"""Wrong versions of the solutions on score functions."""

from exercises.wrong_versions import FRAMEWORKS, Wrong
from solutions.score_functions.in_numpy import UNCHANGED

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


def _answers(wrong: dict[str, str]) -> dict[str, list[tuple[str, str]]]:
    """Other answers to some of the changes, in both frameworks."""
    right = {change: f'"{change}": "{UNCHANGED[change]}"' for change in wrong}
    edits = [(right[change], f'"{change}": "{answer}"') for change, answer in wrong.items()]
    return dict.fromkeys(FRAMEWORKS, edits)


def _returned(old: str, new: str) -> tuple[str, str]:
    """Edit what the cosine returns."""
    return f"return {old}", f"return {new}"


def _cosines(returned: str) -> dict[str, tuple[str, str]]:
    """Another result; {0} holds the cosines."""
    return {
        "mxnet": _returned(_DOTS_MX, returned.format(_DOTS_MX)),
        "torch": _returned(_DOTS_T, returned.format(_DOTS_T)),
    }


def _by_length(mxnet: str, torch: str) -> dict[str, list[tuple[str, str]]]:
    """Another length of the vectors X."""
    return {
        f: [
            (old, f"{x} / {length.replace('X', x)}")
            for old, x in zip(units, ("queries", "keys"), strict=True)
        ]
        for f, length, units in (
            ("mxnet", mxnet, (_UNIT_Q_MX, _UNIT_K_MX)),
            ("torch", torch, (_UNIT_Q_T, _UNIT_K_T)),
        )
    }


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
        "lengths_by_absolute_values": _by_length(
            "nd.maximum(X.abs().sum(axis=-1, keepdims=True), tiny)",
            "X.abs().sum(dim=-1, keepdim=True).clamp(min=tiny)",
        ),
        "cosine_over_root_d": _cosines("{0} / math.sqrt(keys.shape[-1])"),
        "keys_centred": _both("tiny = 1e-12", "tiny = 1e-12\n    keys = keys - keys.mean(-1)[:, :, None]"),
        "both_centred": _both(
            "tiny = 1e-12",
            "tiny = 1e-12\n    keys = keys - keys.mean(-1)[:, :, None]\n"
            "    queries = queries - queries.mean(-1)[:, :, None]",
        ),
        "root_mean_square_for_length": {
            "mxnet": [(f"({x}**2).sum(", f"({x}**2).mean(") for x in ("queries", "keys")],
            "torch": [(f"({x}**2).sum(", f"({x}**2).mean(") for x in ("queries", "keys")],
        },
        "root_of_the_lengths": {
            "mxnet": [(old, f"{old}.sqrt()") for old in (_UNIT_Q_MX, _UNIT_K_MX)],
            "torch": [(old, f"{old}.sqrt()") for old in (_UNIT_Q_T, _UNIT_K_T)],
        },
        "sum_of_the_lengths": {
            "mxnet": [
                (_UNIT_Q_MX, "queries"),
                (_UNIT_K_MX, "keys"),
                (
                    f"return {_DOTS_MX}",
                    f"return {_DOTS_MX} / ((queries**2).sum(axis=-1).sqrt()[:, :, None] + (keys**2).sum(axis=-1).sqrt()[:, None])",
                ),
            ],
            "torch": [
                (_UNIT_Q_T, "queries"),
                (_UNIT_K_T, "keys"),
                (
                    f"return {_DOTS_T}",
                    f"return {_DOTS_T} / (queries.norm(dim=-1)[:, :, None] + keys.norm(dim=-1)[:, None])",
                ),
            ],
        },
        "epsilon_on_the_product": {
            "mxnet": [
                (_UNIT_Q_MX, "queries"),
                (_UNIT_K_MX, "keys"),
                (
                    f"return {_DOTS_MX}",
                    f"return {_DOTS_MX} / ((queries**2).sum(axis=-1).sqrt()[:, :, None] * (keys**2).sum(axis=-1).sqrt()[:, None] + 1e-8)",
                ),
            ],
            "torch": [
                (_UNIT_Q_T, "queries"),
                (_UNIT_K_T, "keys"),
                (
                    f"return {_DOTS_T}",
                    f"return {_DOTS_T} / (queries.norm(dim=-1)[:, :, None] * keys.norm(dim=-1)[:, None] + 1e-8)",
                ),
            ],
        },
        "only_the_keys_twice": {
            "mxnet": [(_UNIT_Q_MX, "queries"), (_UNIT_K_MX, "keys / nd.maximum(squares, tiny)")],
            "torch": [(_UNIT_Q_T, "queries"), (_UNIT_K_T, "keys / squares.clamp(min=tiny)")],
        },
        "only_the_queries_twice": {
            "mxnet": [(_UNIT_Q_MX, "queries / nd.maximum(squares, tiny)"), (_UNIT_K_MX, "keys")],
            "torch": [(_UNIT_Q_T, "queries / squares.clamp(min=tiny)"), (_UNIT_K_T, "keys")],
        },
        "root_left_out_for_the_queries": {
            "mxnet": (_UNIT_Q_MX, "queries / nd.maximum(squares, tiny)"),
            "torch": (_UNIT_Q_T, "queries / squares.clamp(min=tiny)"),
        },
        "root_left_out_for_the_keys": {
            "mxnet": (_UNIT_K_MX, "keys / nd.maximum(squares, tiny)"),
            "torch": (_UNIT_K_T, "keys / squares.clamp(min=tiny)"),
        },
        "cosine_key_by_query": _cosines("{0}.swapaxes(1, 2)"),
        "cosine_without_its_sign": _cosines("{0}.abs()"),
        "cosine_squared": _cosines("{0} ** 2"),
        "cosine_cut_at_zero": _cosines("{0}.relu()"),
        "cosine_negated": _cosines("-{0}"),
        "half_of_one_plus_cosine": _cosines("(1 + {0}) / 2"),
        "angle_for_cosine": {
            "mxnet": (f"return {_DOTS_MX}", f"return {_DOTS_MX}.clip(-1, 1).arccos()"),
            "torch": (f"return {_DOTS_T}", f"return {_DOTS_T}.clamp(-1, 1).arccos()"),
        },
        "largest_entry_for_length": _by_length(
            "nd.maximum(X.abs().max(axis=-1, keepdims=True), tiny)",
            "X.abs().amax(dim=-1, keepdim=True).clamp(min=tiny)",
        ),
        "squared_euclidean_distance": _both(
            "tiny = 1e-12", "return -((queries[:, :, None] - keys[:, None]) ** 2).sum(-1)"
        ),
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
        "all_positions_returned": _both("[:, :, : keys.shape[1]]", ""),
        "positions_beyond_at_zero": {
            "mxnet": (_CUT, "self.W(queries) * (nd.arange(self.W.weight.shape[0]) < keys.shape[1])"),
            "torch": (_CUT, "self.W(queries) * (torch.arange(len(self.W.weight)) < keys.shape[1])"),
        },
        "cut_along_the_queries": _both("[:, :, : keys.shape[1]]", "[:, : keys.shape[1]]"),
        "one_position_too_few": _both(_CUT, f"{_CUT}[:, :, :-1]"),
        "location_key_by_query": _both(_CUT, f"{_CUT}.swapaxes(1, 2)"),
        "location_times_content": {
            "mxnet": (_CUT, f"{_CUT} * {_DOTS_MX}"),
            "torch": (_CUT, f"{_CUT} * {_DOTS_T}"),
        },
        "content_alone": {"mxnet": (_CUT, _DOTS_MX), "torch": (_CUT, _DOTS_T)},
        "positions_in_reverse": {
            "mxnet": (_CUT, f"{_CUT}.flip(axis=2)"),
            "torch": (_CUT, f"{_CUT}.flip(2)"),
        },
        "rows_of_W_compared_with_keys": {
            "mxnet": (
                _CUT,
                "(self.W.weight.data()[: keys.shape[1]] * keys).sum(axis=-1).expand_dims(1)"
                ".broadcast_axes(axis=1, size=queries.shape[1])",
            ),
            "torch": (
                _CUT,
                "(self.W.weight[: keys.shape[1]] * keys).sum(dim=-1).unsqueeze(1).expand(-1, queries.shape[1], -1)",
            ),
        },
        "negative_scores_cut": _both(_CUT, f"{_CUT}.relu()"),
        "exponential_of_the_location": _both(_CUT, f"{_CUT}.exp()"),
        "cut_at_the_number_of_queries": _both(": keys.shape[1]]", ": queries.shape[1]]"),
        "cut_at_the_width": _both(": keys.shape[1]]", ": keys.shape[2]]"),
        "one_position_too_many": _both(": keys.shape[1]]", ": keys.shape[1] + 1]"),
        "first_query_for_all": {
            "mxnet": (_CUT, f"{_CUT}[:, :1].broadcast_axes(axis=1, size=queries.shape[1])"),
            "torch": (_CUT, f"{_CUT}[:, :1].expand(-1, queries.shape[1], -1)"),
        },
        "location_through_a_sigmoid": _both(_CUT, f"{_CUT}.sigmoid()"),
        "keys_average_scored": {
            "mxnet": (
                _CUT,
                "self.W(keys.mean(axis=1, keepdims=True))[:, :, : keys.shape[1]]"
                ".broadcast_axes(axis=1, size=queries.shape[1])",
            ),
            "torch": (
                _CUT,
                "self.W(keys.mean(dim=1, keepdim=True))[:, :, : keys.shape[1]].expand(-1, queries.shape[1], -1)",
            ),
        },
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
        "diagonal_inside_both_relus": {
            "mxnet": [
                (
                    _RELU,
                    "Q, K = (self.W(queries) * self.D.data()).relu(), (self.W(keys) * self.D.data()).relu()",
                ),
                ("Q = Q * self.D.data()", "Q = Q * 1"),
            ],
            "torch": [
                (_RELU, "Q, K = (self.W(queries) * self.D).relu(), (self.W(keys) * self.D).relu()"),
                ("Q = Q * self.D", "Q = Q * 1"),
            ],
        },
        "diagonal_inside_the_keys_relu": {
            "mxnet": [
                (_RELU, "Q, K = self.W(queries).relu(), (self.W(keys) * self.D.data()).relu()"),
                ("Q = Q * self.D.data()", "Q = Q * 1"),
            ],
            "torch": [
                (_RELU, "Q, K = self.W(queries).relu(), (self.W(keys) * self.D).relu()"),
                ("Q = Q * self.D", "Q = Q * 1"),
            ],
        },
        "diagonal_inside_and_outside": {
            "mxnet": [
                (_RELU, "Q, K = (self.W(queries) * self.D.data()).relu(), self.W(keys).relu()"),
                ("Q = Q * self.D.data()", "Q = Q * self.D.data()"),
            ],
            "torch": [
                (_RELU, "Q, K = (self.W(queries) * self.D).relu(), self.W(keys).relu()"),
                ("Q = Q * self.D", "Q = Q * self.D"),
            ],
        },
        "diagonal_without_its_negatives": {
            "mxnet": [("Q = Q * self.D.data()", "Q = Q * self.D.data().relu()")],
            "torch": [("Q = Q * self.D", "Q = Q * self.D.relu()")],
        },
        "diagonal_without_its_sign": {
            "mxnet": [("Q = Q * self.D.data()", "Q = Q * self.D.data().abs()")],
            "torch": [("Q = Q * self.D", "Q = Q * self.D.abs()")],
        },
        "diagonal_summed": {
            "mxnet": [("Q = Q * self.D.data()", "Q = Q * self.D.data().sum()")],
            "torch": [("Q = Q * self.D", "Q = Q * self.D.sum()")],
        },
        "diagonal_averaged": {
            "mxnet": [("Q = Q * self.D.data()", "Q = Q * self.D.data().mean()")],
            "torch": [("Q = Q * self.D", "Q = Q * self.D.mean()")],
        },
        "diagonal_added": {
            "mxnet": [("Q = Q * self.D.data()", "Q = Q + self.D.data()")],
            "torch": [("Q = Q * self.D", "Q = Q + self.D")],
        },
        "tanh_for_relu": {
            "mxnet": [
                (_RELU, "Q, K = self.W(queries).tanh(), self.W(keys).tanh()"),
                ("Q = Q * self.D.data()", "Q = Q * self.D.data()"),
            ],
            "torch": [
                (_RELU, "Q, K = self.W(queries).tanh(), self.W(keys).tanh()"),
                ("Q = Q * self.D", "Q = Q * self.D"),
            ],
        },
        "sigmoid_for_relu": {
            "mxnet": [
                (_RELU, "Q, K = self.W(queries).sigmoid(), self.W(keys).sigmoid()"),
                ("Q = Q * self.D.data()", "Q = Q * self.D.data()"),
            ],
            "torch": [
                (_RELU, "Q, K = self.W(queries).sigmoid(), self.W(keys).sigmoid()"),
                ("Q = Q * self.D", "Q = Q * self.D"),
            ],
        },
        "absolute_value_for_relu": {
            "mxnet": [
                (_RELU, "Q, K = self.W(queries).abs(), self.W(keys).abs()"),
                ("Q = Q * self.D.data()", "Q = Q * self.D.data()"),
            ],
            "torch": [
                (_RELU, "Q, K = self.W(queries).abs(), self.W(keys).abs()"),
                ("Q = Q * self.D", "Q = Q * self.D"),
            ],
        },
        "relu_before_the_projection": {
            "mxnet": [
                (_RELU, "Q, K = self.W(queries.relu()), self.W(keys.relu())"),
                ("Q = Q * self.D.data()", "Q = Q * self.D.data()"),
            ],
            "torch": [
                (_RELU, "Q, K = self.W(queries.relu()), self.W(keys.relu())"),
                ("Q = Q * self.D", "Q = Q * self.D"),
            ],
        },
        "relu_before_and_after": {
            "mxnet": [
                (_RELU, "Q, K = self.W(queries.relu()).relu(), self.W(keys.relu()).relu()"),
                ("Q = Q * self.D.data()", "Q = Q * self.D.data()"),
            ],
            "torch": [
                (_RELU, "Q, K = self.W(queries.relu()).relu(), self.W(keys.relu()).relu()"),
                ("Q = Q * self.D", "Q = Q * self.D"),
            ],
        },
        "relu_of_the_scores_too": {
            "mxnet": [(_PRODUCT_MX, f"{_PRODUCT_MX}.relu()")],
            "torch": [(_PRODUCT_T, f"{_PRODUCT_T}.relu()")],
        },
        "neither_relu_nor_diagonal": {
            "mxnet": [
                (_RELU, "Q, K = self.W(queries), self.W(keys)"),
                ("Q = Q * self.D.data()", "Q = Q * 1"),
            ],
            "torch": [(_RELU, "Q, K = self.W(queries), self.W(keys)"), ("Q = Q * self.D", "Q = Q * 1")],
        },
        "relu_form_key_by_query": {
            "mxnet": [(_PRODUCT_MX, f"{_PRODUCT_MX}.swapaxes(1, 2)")],
            "torch": [(_PRODUCT_T, f"{_PRODUCT_T}.swapaxes(1, 2)")],
        },
        "relu_form_softmaxed": {
            "mxnet": [(_PRODUCT_MX, f"{_PRODUCT_MX}.softmax(axis=-1)")],
            "torch": [(_PRODUCT_T, f"{_PRODUCT_T}.softmax(dim=-1)")],
        },
    },
    "unchanged_weights": {
        "scaled_scores_taken_for_the_same": _answers(
            {"query twice as long": "both", "all keys twice as long": "both"}
        ),
        "length_left_to_the_dot_product": _answers(
            {"query twice as long": "dot", "all keys twice as long": "dot"}
        ),
        "lengths_always_count": _answers(
            {"query twice as long": "neither", "all keys twice as long": "neither"}
        ),
        "only_the_keys_divided": _answers({"query twice as long": "neither"}),
        "query_length_cancels": _answers({"query twice as long": "both"}),
        "added_vector_never_cancels": _answers({"one vector added to all keys": "neither"}),
        "added_vector_cancels_in_both": _answers({"one vector added to all keys": "both"}),
        "moving_left_to_the_cosine": _answers({"one vector added to all keys": "cosine"}),
        "query_moved_like_the_keys": _answers({"one vector added to the query": "dot"}),
        "query_moved_without_effect": _answers({"one vector added to the query": "both"}),
        "query_moved_and_angles_kept": _answers({"one vector added to the query": "cosine"}),
        "turn_changes_coordinates": _answers({"query and keys turned alike": "neither"}),
        "turn_kept_by_the_angle_only": _answers({"query and keys turned alike": "cosine"}),
        "turn_kept_by_the_product_only": _answers({"query and keys turned alike": "dot"}),
        "signs_change_the_scores": _answers({"all signs changed": "neither"}),
        "signs_change_the_cosine": _answers({"all signs changed": "dot"}),
        "signs_change_the_product": _answers({"all signs changed": "cosine"}),
        "cosine_never_changes": _answers(
            {"one vector added to all keys": "both", "one vector added to the query": "cosine"}
        ),
        "dot_and_cosine_exchanged": _answers(
            {
                "query twice as long": "dot",
                "all keys twice as long": "dot",
                "one vector added to all keys": "cosine",
            }
        ),
        "always_cosine": _both("}[change]", '} and "cosine"'),
        "always_dot": _both("}[change]", '} and "dot"'),
        "always_both": _both("}[change]", '} and "both"'),
        "always_neither": _both("}[change]", '} and "neither"'),
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
