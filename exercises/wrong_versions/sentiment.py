"""Wrong versions of the solutions on sentiment."""

from exercises.wrong_versions import Wrong

# The lines of the solutions to `hierarchical_attention` that are edited more than once.
_WORD_FILL_MX = "    scores = scores * mask - 1e30 * (1 - mask)\n"
_WORD_FILL_T = "    scores = scores.masked_fill(~mask, -1e30)\n"
_WORD_SOFTMAX_MX = "scores.softmax(axis=-1) * mask"
_WORD_SOFTMAX_T = "scores.softmax(dim=-1) * mask"
_MASK_MX = "positions < valid_length.expand_dims(-1)"
_MASK_T = "positions < valid_length.unsqueeze(-1)"
_WORDS_WEIGHTED_MX = "word_weights.expand_dims(-1) * states"
_WORDS_WEIGHTED_T = "word_weights.unsqueeze(-1) * states"
_HAS_WORDS = "valid_length > 0"
_FILL_MX = "    scores = scores * has_words - 1e30 * (1 - has_words)\n"
_FILL_T = "    scores = scores.masked_fill(~has_words, -1e30)\n"
_SOFTMAX_MX = "sentence_weights = scores.softmax(axis=1)"
_SOFTMAX_T = "sentence_weights = scores.softmax(dim=1)"
_WEIGHTED_MX = "sentence_weights.expand_dims(-1) * sentences"
_WEIGHTED_T = "sentence_weights.unsqueeze(-1) * sentences"
_QUERY_MX = "nd.dot(sentences, sentence_query)"
_QUERY_T = "sentences @ sentence_query"
_VECTORS_MX = "sentences = weighted.sum(axis=2)"
_VECTORS_T = "sentences = weighted.sum(dim=2)"
# NaN times 0 is NaN: it must not reach the scores of the other sentences.
_NAN_STAYS_MX = (
    _FILL_MX,
    "    scores = nd.where(has_words, scores, -1e30 * nd.ones_like(scores))\n",
)
# The softmax of MXNet gives 0 for some of the numbers beside a NaN, where that of PyTorch gives NaN.
_NAN_SPREADS_MX = (_SOFTMAX_MX, f"{_SOFTMAX_MX} + 0 * scores.sum(axis=-1, keepdims=True)")
_MEANS_MX = "mask / nd.maximum(valid_length, 1).expand_dims(-1)"
_MEANS_T = "mask / valid_length.clamp(min=1).unsqueeze(-1)"


def _alike(old: str, new: str) -> dict[str, tuple[str, str]]:
    return {"mxnet": (old, new), "torch": (old, new)}


WRONG: Wrong = {
    "pool_over_time": {
        "padding_in_the_mean": {
            "mxnet": ("(states * mask).sum(axis=1) / lengths", "states.mean(axis=1)"),
            "torch": ("(states * mask).sum(dim=1) / lengths", "states.mean(dim=1)"),
        },
        "divided_by_all_steps": {
            "mxnet": ("sum(axis=1) / lengths", "mean(axis=1)"),
            "torch": ("sum(dim=1) / lengths", "mean(dim=1)"),
        },
        "padding_in_the_sum": {
            "mxnet": ("(states * mask).sum(axis=1) / lengths", "states.sum(axis=1) / lengths"),
            "torch": ("(states * mask).sum(dim=1) / lengths", "states.sum(dim=1) / lengths"),
        },
        "padding_in_the_maximum": {
            "mxnet": ("filled.max", "states.max"),
            "torch": ("filled.max", "states.max"),
        },
        "zeros_in_the_maximum": {
            "mxnet": ("states * mask - 1e30 * (1 - mask)", "states * mask"),
            "torch": ("states.masked_fill(~mask, -1e30)", "states * mask"),
        },
        "last_at_the_padded_end": {
            "mxnet": ("(states * at_end).sum(axis=1)", "states[:, -1]"),
            "torch": ("(states * at_end).sum(dim=1)", "states[:, -1]"),
        },
        "last_one_too_far": {
            "mxnet": ("positions == lengths - 1", "positions == nd.minimum(lengths, states.shape[1] - 1)"),
            "torch": ("positions == lengths - 1", "positions == lengths.clamp(max=states.shape[1] - 1)"),
        },
        "last_of_the_first_review": {
            "mxnet": ("positions == lengths - 1", "positions == lengths[:1] - 1 + 0 * lengths"),
            "torch": ("positions == lengths - 1", "positions == lengths[:1] - 1 + 0 * lengths"),
        },
        "everything_counts": {
            "mxnet": (
                "lengths = valid_length.expand_dims(1)",
                "lengths = nd.ones((len(states), 1)) * states.shape[1]",
            ),
            "torch": (
                "lengths = valid_length.unsqueeze(1)",
                "lengths = torch.full((len(states), 1), states.shape[1])",
            ),
        },
        "padding_counts_as_zero": {
            "mxnet": [
                ("(states * mask).sum(axis=1) / lengths", "(states * mask).mean(axis=1)"),
                ("states * mask - 1e30 * (1 - mask)", "states * mask"),
                ("(states * at_end).sum(axis=1)", "(states * mask)[:, -1]"),
            ],
            "torch": [
                ("(states * mask).sum(dim=1) / lengths", "(states * mask).mean(dim=1)"),
                ("states.masked_fill(~mask, -1e30)", "states * mask"),
                ("(states * at_end).sum(dim=1)", "(states * mask)[:, -1]"),
            ],
        },
        "padding_in_mean_and_maximum": {
            "mxnet": [
                ("(states * mask).sum(axis=1) / lengths", "states.mean(axis=1)"),
                ("filled.max", "states.max"),
            ],
            "torch": [
                ("(states * mask).sum(dim=1) / lengths", "states.mean(dim=1)"),
                ("filled.max", "states.max"),
            ],
        },
        "zeros_in_the_maximum_and_the_padded_end": {
            "mxnet": [
                ("states * mask - 1e30 * (1 - mask)", "states * mask"),
                ("(states * at_end).sum(axis=1)", "states[:, -1]"),
            ],
            "torch": [
                ("states.masked_fill(~mask, -1e30)", "states * mask"),
                ("(states * at_end).sum(dim=1)", "states[:, -1]"),
            ],
        },
        "one_padding_step_counts": _alike("positions < lengths", "positions <= lengths"),
        "divided_by_the_longest": _alike("/ lengths", "/ lengths.max()"),
        "sum_not_divided": _alike(" / lengths", ""),
        "largest_size": {
            "mxnet": ("filled.max(", "(states * mask).abs().max("),
            "torch": ("filled.max(", "(states * mask).abs().max("),
        },
        "minimum_taken": {
            "mxnet": [("- 1e30 * (1 - mask)", "+ 1e30 * (1 - mask)"), ("filled.max(", "filled.min(")],
            "torch": [("-1e30", "1e30"), ("filled.max(", "filled.min(")],
        },
        "first_as_last": _alike("positions == lengths - 1", "positions + 0 * lengths == 0"),
        "last_one_too_early": _alike(
            "positions == lengths - 1", "positions == (lengths - 2) % states.shape[1]"
        ),
        "padded_end_is_zero": {
            "mxnet": ("(states * at_end).sum(axis=1)", "(states * mask)[:, -1]"),
            "torch": ("(states * at_end).sum(dim=1)", "(states * mask)[:, -1]"),
        },
        "mean_and_maximum_exchanged": _alike("return mean, maximum, last", "return maximum, mean, last"),
        "maximum_and_last_exchanged": _alike("return mean, maximum, last", "return mean, last, maximum"),
    },
    "hierarchical_attention": {
        "words_not_masked": {
            "mxnet": [(_WORD_FILL_MX, ""), (_WORD_SOFTMAX_MX, "scores.softmax(axis=-1)")],
            "torch": [(_WORD_FILL_T, ""), (_WORD_SOFTMAX_T, "scores.softmax(dim=-1)")],
        },
        "words_masked_too_late": {
            "mxnet": (_WORD_FILL_MX, ""),
            "torch": (_WORD_FILL_T, ""),
        },
        "words_divided_too_late": {
            "mxnet": [
                (_WORD_FILL_MX, ""),
                (
                    _WORD_SOFTMAX_MX,
                    _WORD_SOFTMAX_MX
                    + "\n    total = word_weights.sum(axis=-1, keepdims=True)\n    word_weights = word_weights / (total + (total == 0))",
                ),
            ],
            "torch": [
                (_WORD_FILL_T, ""),
                (
                    _WORD_SOFTMAX_T,
                    _WORD_SOFTMAX_T
                    + "\n    total = word_weights.sum(dim=-1, keepdim=True)\n    word_weights = word_weights / total.masked_fill(total == 0, 1)",
                ),
            ],
        },
        "words_divided_by_zero": {
            "mxnet": [
                (_WORD_FILL_MX, ""),
                (
                    _WORD_SOFTMAX_MX,
                    _WORD_SOFTMAX_MX
                    + "\n    word_weights = word_weights / word_weights.sum(axis=-1, keepdims=True)",
                ),
                _NAN_STAYS_MX,
                _NAN_SPREADS_MX,
            ],
            "torch": [
                (_WORD_FILL_T, ""),
                (
                    _WORD_SOFTMAX_T,
                    _WORD_SOFTMAX_T
                    + "\n    word_weights = word_weights / word_weights.sum(dim=-1, keepdim=True)",
                ),
            ],
        },
        "empty_sentence_is_nan": {
            "mxnet": [
                (
                    _WORD_FILL_MX,
                    "    scores = nd.where(mask, scores, nd.ones_like(scores) * float('-inf'))\n",
                ),
                _NAN_STAYS_MX,
            ],
            "torch": (_WORD_FILL_T, "    scores = scores.masked_fill(~mask, -torch.inf)\n"),
        },
        "empty_sentence_has_equal_weights": {
            "mxnet": (_WORD_SOFTMAX_MX, "scores.softmax(axis=-1)"),
            "torch": (_WORD_SOFTMAX_T, "scores.softmax(dim=-1)"),
        },
        "one_padding_word_counts": _alike("positions < ", "positions <= "),
        "last_word_forgotten": _alike("positions < ", "positions + 1 < "),
        "word_mask_inverted": _alike("positions < ", "positions >= "),
        "words_masked_with_zero": {
            "mxnet": [
                (_WORD_FILL_MX, "    scores = scores * mask\n"),
                (_WORD_SOFTMAX_MX, "scores.softmax(axis=-1)"),
            ],
            "torch": [
                (_WORD_FILL_T, "    scores = scores * mask\n"),
                (_WORD_SOFTMAX_T, "scores.softmax(dim=-1)"),
            ],
        },
        "lengths_have_no_effect": {
            "mxnet": [(_MASK_MX, "nd.ones(states.shape[:3])"), (_HAS_WORDS, "valid_length >= 0")],
            "torch": [
                (_MASK_T, "torch.ones(states.shape[:3], dtype=torch.bool)"),
                (_HAS_WORDS, "valid_length >= 0"),
            ],
        },
        "lengths_of_the_first_review": {
            "mxnet": (
                "    positions = nd.arange",
                "    valid_length = valid_length[:1].broadcast_to(valid_length.shape)\n    positions = nd.arange",
            ),
            "torch": (
                "    positions = torch.arange",
                "    valid_length = valid_length[:1].expand(valid_length.shape)\n    positions = torch.arange",
            ),
        },
        "empty_sentence_takes_part": {
            "mxnet": (_FILL_MX, ""),
            "torch": (_FILL_T, ""),
        },
        "sentences_masked_too_late": {
            "mxnet": [(_FILL_MX, ""), (_SOFTMAX_MX, _SOFTMAX_MX + " * has_words")],
            "torch": [(_FILL_T, ""), (_SOFTMAX_T, _SOFTMAX_T + " * has_words")],
        },
        "sentences_divided_too_late": {
            "mxnet": [
                (_FILL_MX, ""),
                (
                    _SOFTMAX_MX,
                    _SOFTMAX_MX
                    + " * has_words\n    total = sentence_weights.sum(axis=-1, keepdims=True)\n    sentence_weights = sentence_weights / (total + (total == 0))",
                ),
            ],
            "torch": [
                (_FILL_T, ""),
                (
                    _SOFTMAX_T,
                    _SOFTMAX_T
                    + " * has_words\n    total = sentence_weights.sum(dim=-1, keepdim=True)\n    sentence_weights = sentence_weights / total.masked_fill(total == 0, 1)",
                ),
            ],
        },
        "empty_sentences_come_last": {
            "mxnet": (
                _HAS_WORDS,
                "nd.arange(states.shape[1]).expand_dims(0) < (valid_length > 0).sum(axis=1, keepdims=True)",
            ),
            "torch": (
                _HAS_WORDS,
                "torch.arange(states.shape[1]) < (valid_length > 0).sum(dim=1, keepdim=True)",
            ),
        },
        "word_query_for_both": {
            "mxnet": (_QUERY_MX, "nd.dot(sentences, word_query)"),
            "torch": (_QUERY_T, "sentences @ word_query"),
        },
        "sentence_query_for_both": {
            "mxnet": ("nd.dot(states, word_query)", "nd.dot(states, sentence_query)"),
            "torch": ("states @ word_query", "states @ sentence_query"),
        },
        "queries_interchanged": {
            "mxnet": [
                ("nd.dot(states, word_query)", "nd.dot(states, sentence_query)"),
                (_QUERY_MX, "nd.dot(sentences, word_query)"),
            ],
            "torch": [
                ("states @ word_query", "states @ sentence_query"),
                (_QUERY_T, "sentences @ word_query"),
            ],
        },
        "word_softmax_over_the_sentences": {
            "mxnet": (_WORD_SOFTMAX_MX, "scores.softmax(axis=1) * mask"),
            "torch": (_WORD_SOFTMAX_T, "scores.softmax(dim=1) * mask"),
        },
        "one_softmax_over_all_words": {
            "mxnet": (
                _WORD_SOFTMAX_MX,
                "scores.reshape((len(states), -1)).softmax(axis=-1).reshape(states.shape[:3])",
            ),
            "torch": (_WORD_SOFTMAX_T, "scores.flatten(1).softmax(dim=-1).view(states.shape[:3])"),
        },
        "sentence_softmax_over_the_reviews": {
            "mxnet": (_SOFTMAX_MX, "sentence_weights = scores.softmax(axis=0)"),
            "torch": (_SOFTMAX_T, "sentence_weights = scores.softmax(dim=0)"),
        },
        "words_averaged": {
            "mxnet": (_WORDS_WEIGHTED_MX, f"({_MEANS_MX}).expand_dims(-1) * states"),
            "torch": (_WORDS_WEIGHTED_T, f"({_MEANS_T}).unsqueeze(-1) * states"),
        },
        "word_scores_ignored": {
            "mxnet": (_WORD_SOFTMAX_MX, _MEANS_MX),
            "torch": (_WORD_SOFTMAX_T, _MEANS_T),
        },
        "sentences_averaged": {
            "mxnet": (_WEIGHTED_MX, "sentences / has_words.sum(axis=1).reshape((-1, 1, 1))"),
            "torch": (_WEIGHTED_T, "sentences / has_words.sum(dim=1).view(-1, 1, 1)"),
        },
        "all_sentences_averaged": {
            "mxnet": (_WEIGHTED_MX, "sentences / states.shape[1]"),
            "torch": (_WEIGHTED_T, "sentences / states.shape[1]"),
        },
        "sentences_added_up": {
            "mxnet": (_WEIGHTED_MX, "sentences"),
            "torch": (_WEIGHTED_T, "sentences"),
        },
        "sentence_scores_ignored": {
            "mxnet": (_QUERY_MX, f"0 * {_QUERY_MX}"),
            "torch": (_QUERY_T, f"0 * ({_QUERY_T})"),
        },
        "best_sentence_alone": {
            "mxnet": (
                _WEIGHTED_MX,
                "nd.one_hot(sentence_weights.argmax(axis=1), states.shape[1]).expand_dims(-1) * sentences",
            ),
            "torch": (
                _WEIGHTED_T,
                "torch.eye(states.shape[1])[sentence_weights.argmax(dim=1)].unsqueeze(-1) * sentences",
            ),
        },
        "scores_scaled": {
            "mxnet": [
                ("nd.dot(states, word_query)", "nd.dot(states, word_query) / states.shape[3] ** 0.5"),
                (_QUERY_MX, f"{_QUERY_MX} / states.shape[3] ** 0.5"),
            ],
            "torch": [
                ("states @ word_query", "states @ word_query / states.shape[3] ** 0.5"),
                (_QUERY_T, f"{_QUERY_T} / states.shape[3] ** 0.5"),
            ],
        },
        "sigmoid_of_each_sentence": {
            "mxnet": (_SOFTMAX_MX, "sentence_weights = scores.sigmoid()"),
            "torch": (_SOFTMAX_T, "sentence_weights = scores.sigmoid()"),
        },
        "divided_by_the_number_of_words": {
            "mxnet": (_VECTORS_MX, f"{_VECTORS_MX} / nd.maximum(valid_length, 1).expand_dims(-1)"),
            "torch": (_VECTORS_T, f"{_VECTORS_T} / valid_length.clamp(min=1).unsqueeze(-1)"),
        },
        "weights_in_the_review": {
            "mxnet": (
                "sentence_weights, word_weights",
                "sentence_weights, sentence_weights.expand_dims(-1) * word_weights",
            ),
            "torch": (
                "sentence_weights, word_weights",
                "sentence_weights, sentence_weights.unsqueeze(-1) * word_weights",
            ),
        },
        "tanh_before_the_scores": {
            "mxnet": [
                ("nd.dot(states, word_query)", "nd.dot(states.tanh(), word_query)"),
                (_QUERY_MX, "nd.dot(sentences.tanh(), sentence_query)"),
            ],
            "torch": [
                ("states @ word_query", "states.tanh() @ word_query"),
                (_QUERY_T, "sentences.tanh() @ sentence_query"),
            ],
        },
        "sentences_scored_by_their_mean": {
            "mxnet": (
                _QUERY_MX,
                f"nd.dot((({_MEANS_MX}).expand_dims(-1) * states).sum(axis=2), sentence_query)",
            ),
            "torch": (_QUERY_T, f"(({_MEANS_T}).unsqueeze(-1) * states).sum(dim=2) @ sentence_query"),
        },
        "weights_by_length": {
            "mxnet": (
                _SOFTMAX_MX,
                "sentence_weights = valid_length / valid_length.sum(axis=1, keepdims=True)",
            ),
            "torch": (_SOFTMAX_T, "sentence_weights = valid_length / valid_length.sum(dim=1, keepdim=True)"),
        },
    },
}
