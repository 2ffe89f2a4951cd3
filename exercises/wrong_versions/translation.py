"""Wrong versions of the solutions on translation."""

from exercises.wrong_versions import Wrong

_SOFTMAX = {
    "mxnet": ("masked_softmax(scores, valid_length)", "scores.softmax(axis=-1)"),
    "torch": ("masked_softmax(scores, valid_length)", "scores.softmax(dim=-1)"),
}
_LAST = {
    "mxnet": "nd.SequenceLast(outputs, valid_length, use_sequence_length=True, axis=1)",
    "torch": "outputs[torch.arange(len(outputs)), valid_length - 1]",
}


def _alike(old: str, new: str) -> dict[str, tuple[str, str]]:
    return {"mxnet": (old, new), "torch": (old, new)}


_LATE = {
    "mxnet": (
        "masked_softmax(scores, valid_length)",
        "(scores.softmax(axis=-1) * (nd.arange(outputs.shape[1]).reshape((1, 1, -1))"
        " < valid_length.reshape((-1, 1, 1))))",
    ),
    "torch": (
        "masked_softmax(scores, valid_length)",
        "(scores.softmax(dim=-1) * (torch.arange(outputs.shape[1]) < valid_length[:, None, None]))",
    ),
}
_PADDING_TIMES_ZERO = {
    "mxnet": (
        "masked_softmax(scores, valid_length)",
        "(scores * (nd.arange(outputs.shape[1]).reshape((1, 1, -1))"
        " < valid_length.reshape((-1, 1, 1)))).softmax(axis=-1)",
    ),
    "torch": (
        "masked_softmax(scores, valid_length)",
        "(scores * (torch.arange(outputs.shape[1]) < valid_length[:, None, None])).softmax(dim=-1)",
    ),
}


def _with_both_states(old: str, new: str) -> dict[str, list[tuple[str, str]]]:
    """An edit that may use the state from before the step, `old`."""
    keep = (
        "state = (new + self.W_c(context)).tanh()",
        "old, state = state, (new + self.W_c(context)).tanh()",
    )
    return {"mxnet": [keep, (old, new)], "torch": [keep, (old, new)]}


WRONG: Wrong = {
    "decoder_step": {
        "mask_inverted": {
            "mxnet": (
                "masked_softmax(scores, valid_length)",
                "nd.where((nd.arange(outputs.shape[1]).reshape((1, 1, -1)) < valid_length.reshape((-1, 1, 1))), nd.full(scores.shape, -1e9), scores).softmax(axis=-1)",
            ),
            "torch": (
                "masked_softmax(scores, valid_length)",
                "scores.masked_fill((torch.arange(outputs.shape[1]) < valid_length[:, None, None]), -1e9).softmax(dim=-1)",
            ),
        },
        "only_the_context_masked": {
            "mxnet": [
                ("masked_softmax(scores, valid_length)", "scores.softmax(axis=-1)"),
                (
                    "nd.batch_dot(weights, outputs)",
                    "nd.batch_dot(weights * (nd.arange(outputs.shape[1]).reshape((1, 1, -1)) < valid_length.reshape((-1, 1, 1))), outputs)",
                ),
            ],
            "torch": [
                ("masked_softmax(scores, valid_length)", "scores.softmax(dim=-1)"),
                (
                    "torch.bmm(weights, outputs)",
                    "torch.bmm(weights * (torch.arange(outputs.shape[1]) < valid_length[:, None, None]), outputs)",
                ),
            ],
        },
        "context_of_unmasked_weights": {
            "mxnet": ("nd.batch_dot(weights, outputs)", "nd.batch_dot(scores.softmax(axis=-1), outputs)"),
            "torch": ("torch.bmm(weights, outputs)", "torch.bmm(scores.softmax(dim=-1), outputs)"),
        },
        "context_of_the_scores": {
            "mxnet": ("nd.batch_dot(weights, outputs)", "nd.batch_dot(scores, outputs)"),
            "torch": ("torch.bmm(weights, outputs)", "torch.bmm(scores, outputs)"),
        },
        "context_divided_by_the_keys": {
            "mxnet": (
                "nd.batch_dot(weights, outputs).squeeze(1)",
                "nd.batch_dot(weights, outputs).squeeze(1) / outputs.shape[1]",
            ),
            "torch": (
                "torch.bmm(weights, outputs).squeeze(1)",
                "torch.bmm(weights, outputs).squeeze(1) / outputs.shape[1]",
            ),
        },
        "context_divided_by_the_length": {
            "mxnet": (
                "nd.batch_dot(weights, outputs).squeeze(1)",
                "nd.batch_dot(weights, outputs).squeeze(1) / valid_length.expand_dims(1)",
            ),
            "torch": (
                "torch.bmm(weights, outputs).squeeze(1)",
                "torch.bmm(weights, outputs).squeeze(1) / valid_length.unsqueeze(1)",
            ),
        },
        "only_the_best_output": {
            "mxnet": (
                "masked_softmax(scores, valid_length)",
                "masked_softmax(scores, valid_length).argmax(axis=-1).one_hot(outputs.shape[1])",
            ),
            "torch": (
                "masked_softmax(scores, valid_length)",
                "torch.nn.functional.one_hot(masked_softmax(scores, valid_length).argmax(dim=-1), outputs.shape[1]).float()",
            ),
        },
        "all_outputs_alike": {
            "mxnet": [("masked_softmax(scores, valid_length)", "masked_softmax(0 * scores, valid_length)")],
            "torch": [("masked_softmax(scores, valid_length)", "masked_softmax(0 * scores, valid_length)")],
        },
        "softmax_twice_in_the_step": {
            "mxnet": [
                (
                    "masked_softmax(scores, valid_length)",
                    "masked_softmax(masked_softmax(scores, valid_length), valid_length)",
                )
            ],
            "torch": [
                (
                    "masked_softmax(scores, valid_length)",
                    "masked_softmax(masked_softmax(scores, valid_length), valid_length)",
                )
            ],
        },
        "step_scores_as_weights": {
            "mxnet": (
                "masked_softmax(scores, valid_length)",
                "scores * (nd.arange(outputs.shape[1]).reshape((1, 1, -1)) < valid_length.reshape((-1, 1, 1)))",
            ),
            "torch": (
                "masked_softmax(scores, valid_length)",
                "scores * (torch.arange(outputs.shape[1]) < valid_length[:, None, None])",
            ),
        },
        "step_with_tanh_of_the_score": {
            "mxnet": [
                ("(query + self.W_k(outputs)).tanh()", "(query + self.W_k(outputs))"),
                ("self.w_v(features).swapaxes(1, 2)", "self.w_v(features).swapaxes(1, 2).tanh()"),
            ],
            "torch": [
                ("(query + self.W_k(outputs)).tanh()", "(query + self.W_k(outputs))"),
                ("self.w_v(features).transpose(1, 2)", "self.w_v(features).transpose(1, 2).tanh()"),
            ],
        },
        "step_with_tanh_of_both": {
            "mxnet": ("self.w_v(features).swapaxes(1, 2)", "self.w_v(features).swapaxes(1, 2).tanh()"),
            "torch": ("self.w_v(features).transpose(1, 2)", "self.w_v(features).transpose(1, 2).tanh()"),
        },
        "step_with_relu": {
            "mxnet": [("(query + self.W_k(outputs)).tanh()", "(query + self.W_k(outputs)).relu()")],
            "torch": [("(query + self.W_k(outputs)).tanh()", "(query + self.W_k(outputs)).relu()")],
        },
        "step_with_product": {
            "mxnet": [("query + self", "query * self")],
            "torch": [("query + self", "query * self")],
        },
        "step_without_w_v": {
            "mxnet": ("self.w_v(features).swapaxes(1, 2)", "features.sum(axis=2).expand_dims(1)"),
            "torch": ("self.w_v(features).transpose(1, 2)", "features.sum(dim=2).unsqueeze(1)"),
        },
        "context_outside_the_tanh": {
            "mxnet": [("(new + self.W_c(context)).tanh()", "new.tanh() + self.W_c(context)")],
            "torch": [("(new + self.W_c(context)).tanh()", "new.tanh() + self.W_c(context)")],
        },
        "state_with_tanh_of_each_term": {
            "mxnet": [
                ("self.W_s(state) + self.W_y(y)", "self.W_s(state).tanh() + self.W_y(y).tanh()"),
                ("(new + self.W_c(context)).tanh()", "new + self.W_c(context).tanh()"),
            ],
            "torch": [
                ("self.W_s(state) + self.W_y(y)", "self.W_s(state).tanh() + self.W_y(y).tanh()"),
                ("(new + self.W_c(context)).tanh()", "new + self.W_c(context).tanh()"),
            ],
        },
        "state_with_tanh_twice": {
            "mxnet": [("(new + self.W_c(context)).tanh()", "(new + self.W_c(context)).tanh().tanh()")],
            "torch": [("(new + self.W_c(context)).tanh()", "(new + self.W_c(context)).tanh().tanh()")],
        },
        "state_by_a_relu": {
            "mxnet": [("(new + self.W_c(context)).tanh()", "(new + self.W_c(context)).relu()")],
            "torch": [("(new + self.W_c(context)).tanh()", "(new + self.W_c(context)).relu()")],
        },
        "state_from_the_word_alone": {
            "mxnet": [("(new + self.W_c(context)).tanh()", "self.W_y(y).tanh()")],
            "torch": [("(new + self.W_c(context)).tanh()", "self.W_y(y).tanh()")],
        },
        "state_updated_twice": {
            "mxnet": (
                "query = self.W_q(state).expand_dims(1)",
                "state = (self.W_s(state) + self.W_y(y)).tanh()\n        query = self.W_q(state).expand_dims(1)",
            ),
            "torch": (
                "query = self.W_q(state).unsqueeze(1)",
                "state = (self.W_s(state) + self.W_y(y)).tanh()\n        query = self.W_q(state).unsqueeze(1)",
            ),
        },
        "attends_again_for_the_words": {
            "mxnet": (
                "state = (new + self.W_c(context)).tanh()",
                "state = (new + self.W_c(context)).tanh()\n        query = self.W_q(state).expand_dims(1)\n        features = (query + self.W_k(outputs)).tanh()\n        scores = self.w_v(features).swapaxes(1, 2)\n        weights = masked_softmax(scores, valid_length)\n        context = nd.batch_dot(weights, outputs).squeeze(1)",
            ),
            "torch": (
                "state = (new + self.W_c(context)).tanh()",
                "state = (new + self.W_c(context)).tanh()\n        query = self.W_q(state).unsqueeze(1)\n        features = (query + self.W_k(outputs)).tanh()\n        scores = self.w_v(features).transpose(1, 2)\n        weights = masked_softmax(scores, valid_length)\n        context = torch.bmm(weights, outputs).squeeze(1)",
            ),
        },
        "state_before_tanh_in_the_words": {
            "mxnet": [
                (
                    "state = (new + self.W_c(context)).tanh()",
                    "before = new + self.W_c(context)\n        state = before.tanh()",
                ),
                ("nd.concat(state, context, dim=1)", "nd.concat(before, context, dim=1)"),
            ],
            "torch": [
                (
                    "state = (new + self.W_c(context)).tanh()",
                    "before = new + self.W_c(context)\n        state = before.tanh()",
                ),
                ("torch.cat([state, context], dim=1)", "torch.cat([before, context], dim=1)"),
            ],
        },
        "asks_with_the_new_state": {
            "mxnet": ("self.W_q(state)", "self.W_q((self.W_s(state) + self.W_y(y)).tanh())"),
            "torch": ("self.W_q(state)", "self.W_q((self.W_s(state) + self.W_y(y)).tanh())"),
        },
        "asks_with_the_encoders_last_output": {
            f: ("self.W_q(state)", f"self.W_q({_LAST[f]})") for f in ("mxnet", "torch")
        },
        "asks_with_the_word": _alike("self.W_q(state)", "self.W_q(y)"),
        "mask_missing": _SOFTMAX,
        "mask_after_softmax": {
            "mxnet": (
                "masked_softmax(scores, valid_length)",
                "scores.softmax(axis=-1) * (nd.arange(outputs.shape[1]).reshape((1, 1, -1))"
                " < valid_length.reshape((-1, 1, 1)))",
            ),
            "torch": (
                "masked_softmax(scores, valid_length)",
                "scores.softmax(dim=-1) * (torch.arange(outputs.shape[1]) < valid_length[:, None, None])",
            ),
        },
        "renormalised_too_late": {
            "mxnet": (
                "masked_softmax(scores, valid_length)",
                "scores.softmax(axis=-1) * (nd.arange(outputs.shape[1]).reshape((1, 1, -1))"
                " < valid_length.reshape((-1, 1, 1)))\n"
                "        weights = weights / weights.sum(axis=-1, keepdims=True)",
            ),
            "torch": (
                "masked_softmax(scores, valid_length)",
                "scores.softmax(dim=-1) * (torch.arange(outputs.shape[1]) < valid_length[:, None, None])\n"
                "        weights = weights / weights.sum(dim=-1, keepdim=True)",
            ),
        },
        "softmax_over_one": {
            "mxnet": [
                ("scores = self.w_v(features).swapaxes(1, 2)", "scores = self.w_v(features)"),
                ("masked_softmax(scores, valid_length)", "scores.softmax(axis=-1).swapaxes(1, 2)"),
            ],
            "torch": [
                ("scores = self.w_v(features).transpose(1, 2)", "scores = self.w_v(features)"),
                ("masked_softmax(scores, valid_length)", "scores.softmax(dim=-1).transpose(1, 2)"),
            ],
        },
        "tanh_inside_each_term": _alike(
            "(query + self.W_k(outputs)).tanh()", "query.tanh() + self.W_k(outputs).tanh()"
        ),
        "weighs_the_keys": {
            "mxnet": ("nd.batch_dot(weights, outputs)", "nd.batch_dot(weights, self.W_k(outputs))"),
            "torch": ("torch.bmm(weights, outputs)", "torch.bmm(weights, self.W_k(outputs))"),
        },
        "only_the_last_output": {
            "mxnet": ("nd.batch_dot(weights, outputs).squeeze(1)", _LAST["mxnet"]),
            "torch": ("torch.bmm(weights, outputs).squeeze(1)", _LAST["torch"]),
        },
        "context_not_in_the_state": _alike("(new + self.W_c(context)).tanh()", "new.tanh()"),
        "words_from_the_old_state": {
            "mxnet": [
                (
                    "state = (new + self.W_c(context)).tanh()",
                    "old, state = state, (new + self.W_c(context)).tanh()",
                ),
                ("nd.concat(state, context, dim=1)", "nd.concat(old, context, dim=1)"),
            ],
            "torch": [
                (
                    "state = (new + self.W_c(context)).tanh()",
                    "old, state = state, (new + self.W_c(context)).tanh()",
                ),
                ("torch.cat([state, context], dim=1)", "torch.cat([old, context], dim=1)"),
            ],
        },
        "context_before_state": {
            "mxnet": ("nd.concat(state, context, dim=1)", "nd.concat(context, state, dim=1)"),
            "torch": ("torch.cat([state, context], dim=1)", "torch.cat([context, state], dim=1)"),
        },
        "state_without_tanh": _alike("(new + self.W_c(context)).tanh()", "new + self.W_c(context)"),
        "state_by_a_sigmoid": _alike("(context)).tanh()", "(context)).sigmoid()"),
        "state_added_to_the_old": _alike("state = (new +", "state = state + (new +"),
        "old_state_not_in_the_new": _alike("self.W_s(state) + self.W_y(y)", "self.W_y(y)"),
        "word_not_in_the_state": _alike("self.W_s(state) + self.W_y(y)", "self.W_s(state)"),
        "old_state_returned": _with_both_states(
            "return self.W_o(both), state,", "return self.W_o(both), old,"
        ),
        "state_never_updated": _alike("state = (new + self.W_c(context)).tanh()", "state = state + 0 * new"),
        "words_as_probabilities": {
            "mxnet": ("return self.W_o(both)", "return self.W_o(both).softmax(axis=-1)"),
            "torch": ("return self.W_o(both)", "return self.W_o(both).softmax(dim=-1)"),
        },
        "words_as_log_probabilities": {
            "mxnet": ("return self.W_o(both)", "return self.W_o(both).log_softmax(axis=-1)"),
            "torch": ("return self.W_o(both)", "return self.W_o(both).log_softmax(dim=-1)"),
        },
        "words_through_tanh": _alike("return self.W_o(both)", "return self.W_o(both).tanh()"),
        "words_without_the_context": {
            "mxnet": ("nd.concat(state, context, dim=1)", "nd.concat(state, 0 * context, dim=1)"),
            "torch": ("torch.cat([state, context], dim=1)", "torch.cat([state, 0 * context], dim=1)"),
        },
        "words_without_the_state": {
            "mxnet": ("nd.concat(state, context, dim=1)", "nd.concat(0 * state, context, dim=1)"),
            "torch": ("torch.cat([state, context], dim=1)", "torch.cat([0 * state, context], dim=1)"),
        },
        "outputs_averaged": {
            "mxnet": ("nd.batch_dot(weights, outputs).squeeze(1)", "outputs.mean(axis=1)"),
            "torch": ("torch.bmm(weights, outputs).squeeze(1)", "outputs.mean(dim=1)"),
        },
        "outputs_summed_up": {
            "mxnet": ("nd.batch_dot(weights, outputs).squeeze(1)", "outputs.sum(axis=1)"),
            "torch": ("torch.bmm(weights, outputs).squeeze(1)", "outputs.sum(dim=1)"),
        },
        "score_without_tanh": _alike("(query + self.W_k(outputs)).tanh()", "query + self.W_k(outputs)"),
        "score_scaled": _alike("masked_softmax(scores,", "masked_softmax(scores / query.shape[-1] ** 0.5,"),
        "a_padding_key_seen": _alike("(scores, valid_length)", "(scores, valid_length + 1)"),
        "padding_scores_zero": _PADDING_TIMES_ZERO,
    },
    "query_weights": {
        "weights_mask_inverted": {
            "mxnet": (
                "masked_softmax(scores, valid_length)",
                "nd.where((nd.arange(outputs.shape[1]).reshape((1, 1, -1)) < valid_length.reshape((-1, 1, 1))), nd.full(scores.shape, -1e9), scores).softmax(axis=-1)",
            ),
            "torch": (
                "masked_softmax(scores, valid_length)",
                "scores.masked_fill((torch.arange(outputs.shape[1]) < valid_length[:, None, None]), -1e9).softmax(dim=-1)",
            ),
        },
        "weights_softmax_twice": {
            "mxnet": [
                (
                    "masked_softmax(scores, valid_length)",
                    "masked_softmax(masked_softmax(scores, valid_length), valid_length)",
                )
            ],
            "torch": [
                (
                    "masked_softmax(scores, valid_length)",
                    "masked_softmax(masked_softmax(scores, valid_length), valid_length)",
                )
            ],
        },
        "weights_softmax_after": {
            "mxnet": (
                "masked_softmax(scores, valid_length)",
                "masked_softmax(scores, valid_length).softmax(axis=-1)",
            ),
            "torch": (
                "masked_softmax(scores, valid_length)",
                "masked_softmax(scores, valid_length).softmax(dim=-1)",
            ),
        },
        "best_output_alone": {
            "mxnet": (
                "masked_softmax(scores, valid_length)",
                "masked_softmax(scores, valid_length).argmax(axis=-1).one_hot(outputs.shape[1])",
            ),
            "torch": (
                "masked_softmax(scores, valid_length)",
                "torch.nn.functional.one_hot(masked_softmax(scores, valid_length).argmax(dim=-1), outputs.shape[1]).float()",
            ),
        },
        "every_output_alike": {
            "mxnet": [("masked_softmax(scores, valid_length)", "masked_softmax(0 * scores, valid_length)")],
            "torch": [("masked_softmax(scores, valid_length)", "masked_softmax(0 * scores, valid_length)")],
        },
        "softmax_of_the_query": {
            "mxnet": ("query.expand_dims(2)", "query.softmax(axis=-1).expand_dims(2)"),
            "torch": ("query.unsqueeze(2)", "query.softmax(dim=-1).unsqueeze(2)"),
        },
        "query_through_relu": {
            "mxnet": ("query.expand_dims(2)", "query.relu().expand_dims(2)"),
            "torch": ("query.unsqueeze(2)", "query.relu().unsqueeze(2)"),
        },
        "query_through_sigmoid": {
            "mxnet": ("query.expand_dims(2)", "query.sigmoid().expand_dims(2)"),
            "torch": ("query.unsqueeze(2)", "query.sigmoid().unsqueeze(2)"),
        },
        "tanh_of_the_outputs": {
            "mxnet": ("nd.batch_dot(outputs,", "nd.batch_dot(outputs.tanh(),"),
            "torch": ("torch.bmm(outputs,", "torch.bmm(outputs.tanh(),"),
        },
        "scaled_by_the_inputs": {
            "mxnet": (
                "nd.batch_dot(outputs, query.expand_dims(2))",
                "nd.batch_dot(outputs, query.expand_dims(2)) / W.shape[1] ** 0.5",
            ),
            "torch": (
                "torch.bmm(outputs, query.unsqueeze(2))",
                "torch.bmm(outputs, query.unsqueeze(2)) / W.shape[1] ** 0.5",
            ),
        },
        "scaled_by_the_number_of_keys": {
            "mxnet": (
                "nd.batch_dot(outputs, query.expand_dims(2))",
                "nd.batch_dot(outputs, query.expand_dims(2)) / outputs.shape[1] ** 0.5",
            ),
            "torch": (
                "torch.bmm(outputs, query.unsqueeze(2))",
                "torch.bmm(outputs, query.unsqueeze(2)) / outputs.shape[1] ** 0.5",
            ),
        },
        "multiplied_by_the_root": {
            "mxnet": (
                "nd.batch_dot(outputs, query.expand_dims(2))",
                "nd.batch_dot(outputs, query.expand_dims(2)) * outputs.shape[2] ** 0.5",
            ),
            "torch": (
                "torch.bmm(outputs, query.unsqueeze(2))",
                "torch.bmm(outputs, query.unsqueeze(2)) * outputs.shape[2] ** 0.5",
            ),
        },
        "score_negated": {
            "mxnet": (
                "nd.batch_dot(outputs, query.expand_dims(2))",
                "nd.batch_dot(outputs, query.expand_dims(2)) * -1",
            ),
            "torch": (
                "torch.bmm(outputs, query.unsqueeze(2))",
                "torch.bmm(outputs, query.unsqueeze(2)) * -1",
            ),
        },
        "sigmoid_for_softmax": {
            "mxnet": (
                "masked_softmax(scores, valid_length)",
                "(scores.sigmoid() * (nd.arange(outputs.shape[1]).reshape((1, 1, -1)) < valid_length.reshape((-1, 1, 1))))",
            ),
            "torch": (
                "masked_softmax(scores, valid_length)",
                "(scores.sigmoid() * (torch.arange(outputs.shape[1]) < valid_length[:, None, None]))",
            ),
        },
        "query_divided_by_its_length": {
            "mxnet": ("query.expand_dims(2)", "(query / query.norm(axis=1, keepdims=True)).expand_dims(2)"),
            "torch": ("query.unsqueeze(2)", "(query / query.norm(dim=1, keepdim=True)).unsqueeze(2)"),
        },
        "position_weights": {
            "mxnet": [
                ("nd.batch_dot(outputs, query.expand_dims(2))", "query[:, : outputs.shape[1]].expand_dims(2)")
            ],
            "torch": [
                ("torch.bmm(outputs, query.unsqueeze(2))", "query[:, : outputs.shape[1]].unsqueeze(2)")
            ],
        },
        "state_before_word": {
            "mxnet": ("nd.concat(y, state, dim=1)", "nd.concat(state, y, dim=1)"),
            "torch": ("torch.cat([y, state], dim=1)", "torch.cat([state, y], dim=1)"),
        },
        "word_only": {
            "mxnet": ("nd.dot(nd.concat(y, state, dim=1), W.T)", "nd.dot(y, W[:, : y.shape[1]].T)"),
            "torch": ("torch.cat([y, state], dim=1) @ W.T", "y @ W[:, : y.shape[1]].T"),
        },
        "state_only": {
            "mxnet": ("nd.dot(nd.concat(y, state, dim=1), W.T)", "nd.dot(state, W[:, y.shape[1] :].T)"),
            "torch": ("torch.cat([y, state], dim=1) @ W.T", "state @ W[:, y.shape[1] :].T"),
        },
        "outputs_summed": {
            "mxnet": (
                "nd.batch_dot(outputs, query.expand_dims(2))",
                "(query[:, : outputs.shape[1]] + outputs.sum(axis=2)).expand_dims(2)",
            ),
            "torch": (
                "torch.bmm(outputs, query.unsqueeze(2))",
                "(query[:, : outputs.shape[1]] + outputs.sum(dim=2)).unsqueeze(2)",
            ),
        },
        "scaled": {
            "mxnet": ("nd.batch_dot(outputs, query", "nd.batch_dot(outputs / outputs.shape[2] ** 0.5, query"),
            "torch": ("torch.bmm(outputs, query", "torch.bmm(outputs / outputs.shape[2] ** 0.5, query"),
        },
        "weights_on_padding": _SOFTMAX,
        "softmax_over_the_batch": {
            "mxnet": (
                "return masked_softmax(scores, valid_length).squeeze(1)",
                "scores = nd.SequenceMask(scores.squeeze(1), valid_length, True, value=-1e6, axis=1)\n"
                "    return scores.softmax(axis=0)",
            ),
            "torch": (
                "return masked_softmax(scores, valid_length).squeeze(1)",
                "mask = torch.arange(outputs.shape[1]) < valid_length.unsqueeze(1)\n"
                "    return scores.squeeze(1).masked_fill(~mask, -1e6).softmax(dim=0)",
            ),
        },
        "scaled_by_the_width": _alike("masked_softmax(scores,", "masked_softmax(scores / outputs.shape[2],"),
        "tanh_of_the_query": {
            "mxnet": ("query.expand_dims(2)", "query.tanh().expand_dims(2)"),
            "torch": ("query.unsqueeze(2)", "query.tanh().unsqueeze(2)"),
        },
        "tanh_of_the_score": _alike("masked_softmax(scores,", "masked_softmax(scores.tanh(),"),
        "additive_score": {
            "mxnet": (
                "nd.batch_dot(outputs, query.expand_dims(2))",
                "(query.expand_dims(1) + outputs).tanh().sum(axis=2, keepdims=True)",
            ),
            "torch": (
                "torch.bmm(outputs, query.unsqueeze(2))",
                "(query.unsqueeze(1) + outputs).tanh().sum(dim=2, keepdim=True)",
            ),
        },
        "cosine_score": {
            "mxnet": (
                "nd.batch_dot(outputs, query.expand_dims(2))",
                "nd.batch_dot(outputs / outputs.norm(axis=2, keepdims=True),"
                " (query / query.norm(axis=1, keepdims=True)).expand_dims(2))",
            ),
            "torch": (
                "torch.bmm(outputs, query.unsqueeze(2))",
                "torch.cosine_similarity(outputs, query.unsqueeze(1), dim=2).unsqueeze(2)",
            ),
        },
        "distance_score": {
            "mxnet": (
                "nd.batch_dot(outputs, query.expand_dims(2))",
                "-(outputs - query.expand_dims(1)).square().sum(axis=2, keepdims=True)",
            ),
            "torch": (
                "torch.bmm(outputs, query.unsqueeze(2))",
                "-(outputs - query.unsqueeze(1)).square().sum(dim=2, keepdim=True)",
            ),
        },
        "no_softmax": {
            "mxnet": (
                "masked_softmax(scores, valid_length).squeeze(1)",
                "nd.SequenceMask(scores.squeeze(1), valid_length, True, axis=1)",
            ),
            "torch": (
                "masked_softmax(scores, valid_length).squeeze(1)",
                "scores.squeeze(1) * (torch.arange(outputs.shape[1]) < valid_length[:, None])",
            ),
        },
        "a_padding_position_seen": _alike("(scores, valid_length)", "(scores, valid_length + 1)"),
        "padding_multiplied_by_zero": _PADDING_TIMES_ZERO,
        "masked_too_late": _LATE,
        "masked_too_late_and_divided": {
            "mxnet": (
                "return masked_softmax(scores, valid_length).squeeze(1)",
                f"weights = {_LATE['mxnet'][1]}\n"
                "    return (weights / weights.sum(axis=-1, keepdims=True)).squeeze(1)",
            ),
            "torch": (
                "return masked_softmax(scores, valid_length).squeeze(1)",
                f"weights = {_LATE['torch'][1]}\n"
                "    return (weights / weights.sum(dim=-1, keepdim=True)).squeeze(1)",
            ),
        },
    },
    "masked_loss": {
        "padding_counted": _alike("positions < ", "positions < 99 + "),
        "divided_by_all_steps": {
            "mxnet": ("mask.sum()", "mask.size"),
            "torch": ("mask.sum()", "mask.numel()"),
        },
        "divided_by_the_batch": _alike("mask.sum()", "len(wanted)"),
        "mean_of_the_means": {
            "mxnet": [
                ("total = (picked * mask).sum(axis=(0, 1))", "means = (picked * mask).sum(axis=1) / length"),
                ("-total / mask.sum()", "-means.mean()"),
            ],
            "torch": [
                (
                    "total = (picked.squeeze(2) * mask).sum(dim=(0, 1))",
                    "means = (picked.squeeze(2) * mask).sum(dim=1) / length",
                ),
                ("-total / mask.sum()", "-means.mean()"),
            ],
        },
        "summed_up": _alike("-total / mask.sum()", "-total"),
        "last_word_forgotten": {
            "mxnet": ("length.expand_dims(1)", "length.expand_dims(1) - 1"),
            "torch": ("length.unsqueeze(1)", "length.unsqueeze(1) - 1"),
        },
        "one_step_too_many": _alike("positions < ", "positions <= "),
        "scores_masked": {
            "mxnet": [
                (
                    "log_probs = scores",
                    "counts = nd.arange(wanted.shape[1]).expand_dims(0) < length.expand_dims(1)\n"
                    "    log_probs = (scores * counts.expand_dims(2))",
                ),
                ("mask = positions < length.expand_dims(1)", "mask = nd.ones_like(wanted)"),
            ],
            "torch": [
                (
                    "log_probs = scores",
                    "counts = torch.arange(wanted.shape[1]) < length.unsqueeze(1)\n"
                    "    log_probs = (scores * counts.unsqueeze(2))",
                ),
                ("mask = positions < length.unsqueeze(1)", "mask = torch.ones_like(wanted)"),
            ],
        },
        "scores_taken_for_logs": {
            "mxnet": ("scores.log_softmax(axis=-1)", "scores"),
            "torch": ("scores.log_softmax(dim=-1)", "scores"),
        },
        "softmax_twice": {
            "mxnet": ("scores.log_softmax(axis=-1)", "scores.softmax(axis=-1).log_softmax(axis=-1)"),
            "torch": ("scores.log_softmax(dim=-1)", "scores.softmax(dim=-1).log_softmax(dim=-1)"),
        },
        "sign_missing": _alike("-total", "total"),
        "padding_alone": _alike("positions < ", "positions >= "),
        "word_zero_ignored": {
            "mxnet": ("positions < length.expand_dims(1)", "wanted != 0"),
            "torch": ("positions < length.unsqueeze(1)", "wanted != 0"),
        },
        "word_zero_ignored_too": {
            "mxnet": (
                "positions < length.expand_dims(1)",
                "(positions < length.expand_dims(1)) * (wanted != 0)",
            ),
            "torch": ("positions < length.unsqueeze(1)", "(positions < length.unsqueeze(1)) & (wanted != 0)"),
        },
        "no_log": {
            "mxnet": ("log_softmax(axis=-1)", "softmax(axis=-1)"),
            "torch": ("log_softmax(dim=-1)", "softmax(dim=-1)"),
        },
        "one_minus_the_probability": {
            "mxnet": [
                ("log_softmax(axis=-1)", "softmax(axis=-1)"),
                ("-total / mask.sum()", "1 - total / mask.sum()"),
            ],
            "torch": [
                ("log_softmax(dim=-1)", "softmax(dim=-1)"),
                ("(-total / mask.sum())", "(1 - total / mask.sum())"),
            ],
        },
        "in_bits": _alike("-total / mask.sum()", "-total / mask.sum() / 0.6931472"),
        "perplexity": {
            "mxnet": ("-total / mask.sum()", "(-total / mask.sum()).exp()"),
            "torch": ("(-total / mask.sum())", "(-total / mask.sum()).exp()"),
        },
        "axes_mixed": {
            "mxnet": (
                "    log_probs = scores",
                "    batch, steps, words = scores.shape\n"
                "    scores = scores.reshape((batch, words, steps)).swapaxes(1, 2)\n    log_probs = scores",
            ),
            "torch": (
                "    log_probs = scores",
                "    batch, steps, words = scores.shape\n"
                "    scores = scores.reshape(batch, words, steps).transpose(1, 2)\n    log_probs = scores",
            ),
        },
        "softmax_over_the_steps": {
            "mxnet": ("log_softmax(axis=-1)", "log_softmax(axis=1)"),
            "torch": ("log_softmax(dim=-1)", "log_softmax(dim=1)"),
        },
        "sum_of_the_means": {
            "mxnet": [
                ("total = (picked * mask).sum(axis=(0, 1))", "means = (picked * mask).sum(axis=1) / length"),
                ("-total / mask.sum()", "-means.sum()"),
            ],
            "torch": [
                (
                    "total = (picked.squeeze(2) * mask).sum(dim=(0, 1))",
                    "means = (picked.squeeze(2) * mask).sum(dim=1) / length",
                ),
                ("-total / mask.sum()", "-means.sum()"),
            ],
        },
        "divided_by_the_vocabulary_too": _alike(
            "-total / mask.sum()", "-total / mask.sum() / scores.shape[2]"
        ),
        "mean_of_step_means": _alike("mask.sum()", "wanted.shape[1]"),
        "padded_sum": {
            "mxnet": ("(picked * mask)", "picked"),
            "torch": ("(picked.squeeze(2) * mask)", "picked.squeeze(2)"),
        },
        "padding_summed_up": {
            "mxnet": [("(picked * mask)", "picked"), ("-total / mask.sum()", "-total")],
            "torch": [("(picked.squeeze(2) * mask)", "picked.squeeze(2)"), ("-total / mask.sum()", "-total")],
        },
    },
    "beam_step": {
        "ended_ones_lose_their_total": {
            "mxnet": ("totals.expand_dims(1) + added", "(totals * (1 - finished)).expand_dims(1) + added"),
            "torch": ("totals.unsqueeze(1) + added", "totals.masked_fill(finished, 0).unsqueeze(1) + added"),
        },
        "ended_ones_may_go_on_too": {
            "mxnet": (
                "nd.where(done, stay, log_probs)",
                "nd.where(done * (stay == 0), 0 * log_probs, log_probs)",
            ),
            "torch": ("torch.where(done, stay, log_probs)", "torch.where(done & (stay == 0), 0, log_probs)"),
        },
        "word_zero_ends": {"mxnet": [("!= end", "!= 0")], "torch": [("!= end", "!= 0")]},
        "last_word_ends": {"mxnet": [("!= end", "!= size - 1")], "torch": [("!= end", "!= size - 1")]},
        "table_flattened_by_columns": {
            "mxnet": (
                "(totals.expand_dims(1) + added).reshape(-1)",
                "(totals.expand_dims(1) + added).T.reshape(-1)",
            ),
            "torch": (
                "(totals.unsqueeze(1) + added).reshape(-1)",
                "(totals.unsqueeze(1) + added).T.reshape(-1)",
            ),
        },
        "place_for_hypothesis": {
            "mxnet": ("(index / size).floor()", "nd.arange(beam)"),
            "torch": ("index // size", "torch.arange(beam)"),
        },
        "only_the_step_returned": {
            "mxnet": [
                (
                    'totals, index = every.topk(k=beam, ret_typ="both")',
                    'before = totals\n    totals, index = every.topk(k=beam, ret_typ="both")',
                ),
                (
                    "return totals, (index / size).floor(), index % size",
                    "return totals - before[(index / size).floor()], (index / size).floor(), index % size",
                ),
            ],
            "torch": [
                ("totals, index = every.topk(beam)", "before = totals\n    totals, index = every.topk(beam)"),
                (
                    "return totals, index // size, index % size",
                    "return totals - before[index // size], index // size, index % size",
                ),
            ],
        },
        "totals_counted_twice": {
            "mxnet": ("totals.expand_dims(1) + added", "2 * totals.expand_dims(1) + added"),
            "torch": ("totals.unsqueeze(1) + added", "2 * totals.unsqueeze(1) + added"),
        },
        "mean_of_total_and_word": {
            "mxnet": [("return totals", "return totals / 2")],
            "torch": [("return totals", "return totals / 2")],
        },
        "ended_ones_always_survive": {
            "mxnet": [
                ("totals.expand_dims(1) + added", "(totals + 1000 * finished).expand_dims(1) + added"),
                (
                    "return totals",
                    "totals = totals - 1000 * finished[(index / size).floor()]\n    order = (-totals).argsort()\n    totals, index = totals[order], index[order]\n    return totals",
                ),
            ],
            "torch": [
                ("totals.unsqueeze(1) + added", "(totals + 1000 * finished).unsqueeze(1) + added"),
                (
                    "return totals",
                    "totals = totals - 1000 * finished[index // size]\n    totals, order = totals.sort(descending=True)\n    index = index[order]\n    return totals",
                ),
            ],
        },
        "sign_of_totals_turned": {
            "mxnet": [("return totals", "return -totals")],
            "torch": [("return totals", "return -totals")],
        },
        "words_counted_from_one": {
            "mxnet": [("index % size", "index % size + 1")],
            "torch": [("index % size", "index % size + 1")],
        },
        "best_word_of_each": {
            "mxnet": (
                'totals, index = every.topk(k=beam, ret_typ="both")',
                "every = every.reshape((beam, size))\n"
                "    return every.max(axis=1), nd.arange(beam), every.argmax(axis=1)",
            ),
            "torch": (
                "totals, index = every.topk(beam)",
                "totals, words = every.reshape(beam, size).max(dim=1)\n"
                "    return totals, torch.arange(beam), words",
            ),
        },
        "totals_forgotten": {
            "mxnet": ("(totals.expand_dims(1) + added)", "added"),
            "torch": ("(totals.unsqueeze(1) + added)", "added"),
        },
        "logs_multiplied": {
            "mxnet": [
                (
                    "(nd.arange(size) != end) * -1e9",
                    "(nd.arange(size) != end) * 1e9 + (nd.arange(size) == end)",
                ),
                ("totals.expand_dims(1) + added", "totals.expand_dims(1) * added"),
            ],
            "torch": [
                (
                    "(torch.arange(size) != end) * -1e9",
                    "(torch.arange(size) != end) * 1e9 + (torch.arange(size) == end)",
                ),
                ("totals.unsqueeze(1) + added", "totals.unsqueeze(1) * added"),
            ],
        },
        "probabilities_added": _alike("done, stay, log_probs", "done, stay, log_probs.exp()"),
        "ended_ones_extended": {
            "mxnet": ("nd.where(done, stay, log_probs)", "log_probs"),
            "torch": ("torch.where(done, stay, log_probs)", "log_probs"),
        },
        "ended_ones_pay_for_the_end": _alike("done, stay, log_probs", "done, stay + log_probs, log_probs"),
        "ended_ones_dropped": {
            "mxnet": ("(nd.arange(size) != end) * -1e9", "nd.full((size,), -1e9)"),
            "torch": ("(torch.arange(size) != end) * -1e9", "torch.full((size,), -1e9)"),
        },
        "quotient_and_remainder_swapped": {
            "mxnet": ("(index / size).floor(), index % size", "index % size, (index / size).floor()"),
            "torch": ("index // size, index % size", "index % size, index // size"),
        },
        "divided_by_the_beam": {
            "mxnet": ("(index / size).floor(), index % size", "(index / beam).floor(), index % beam"),
            "torch": ("index // size, index % size", "index // beam, index % beam"),
        },
        "hypothesis_with_a_fraction": {
            "mxnet": ("(index / size).floor()", "index / size"),
            "torch": ("index // size", "index / size"),
        },
        "worst_first": {
            "mxnet": (
                "return totals",
                "totals, index = totals.flip(axis=0), index.flip(axis=0)\n    return totals",
            ),
            "torch": (
                "return totals",
                "totals, index = totals.flip(0), index.flip(0)\n    return totals",
            ),
        },
        "own_best_words": {
            "mxnet": (
                'totals, index = every.topk(k=beam, ret_typ="both")',
                "every = every.reshape((beam, size))\n"
                "    values, words = every.max(axis=1), every.argmax(axis=1)\n"
                "    totals, rows = values.topk(k=beam, ret_typ='both')\n"
                "    return totals, rows, words[rows]",
            ),
            "torch": (
                "totals, index = every.topk(beam)",
                "values, words = every.reshape(beam, size).max(dim=1)\n"
                "    totals, rows = values.sort(descending=True)\n"
                "    return totals, rows, words[rows]",
            ),
        },
        "own_best_words_of_all": {
            "mxnet": (
                'totals, index = every.topk(k=beam, ret_typ="both")',
                "values = totals + log_probs.max(axis=1)\n"
                "    totals, rows = values.topk(k=beam, ret_typ='both')\n"
                "    return totals, rows, log_probs.argmax(axis=1)[rows]",
            ),
            "torch": (
                "totals, index = every.topk(beam)",
                "values, words = log_probs.max(dim=1)\n"
                "    totals, rows = (totals + values).sort(descending=True)\n"
                "    return totals, rows, words[rows]",
            ),
        },
        "finished_inverted": _alike("done, stay, log_probs", "done, log_probs, stay"),
        "flat_index_as_hypothesis": {
            "mxnet": ("(index / size).floor()", "index"),
            "torch": ("index // size", "index"),
        },
        "flat_index_as_word": _alike("index % size", "index"),
        "two_probabilities_added": {
            "mxnet": ("totals.expand_dims(1) + added", "totals.expand_dims(1).exp() + added.exp()"),
            "torch": ("totals.unsqueeze(1) + added", "totals.unsqueeze(1).exp() + added.exp()"),
        },
        "totals_as_probabilities": _alike("return totals,", "return totals.exp(),"),
        "ranked_by_the_new_word": {
            "mxnet": [
                ("(totals.expand_dims(1) + added)", "added"),
                ("totals, index =", "steps, index ="),
                ("return totals,", "return totals[(index / size).floor()] + steps,"),
            ],
            "torch": [
                ("(totals.unsqueeze(1) + added)", "added"),
                ("totals, index =", "steps, index ="),
                ("return totals,", "return totals[index // size] + steps,"),
            ],
        },
        "old_totals_returned": {
            "mxnet": [
                ("totals, index =", "_, index ="),
                ("return totals,", "return totals[(index / size).floor()],"),
            ],
            "torch": [("totals, index =", "_, index ="), ("return totals,", "return totals[index // size],")],
        },
        "in_the_order_of_the_old_ones": {
            "mxnet": (
                "return totals",
                "totals, index = totals[index.argsort()], index.sort()\n    return totals",
            ),
            "torch": (
                "return totals",
                "totals, index = totals[index.argsort()], index.sort().values\n    return totals",
            ),
        },
        "end_is_free_for_all": {
            "mxnet": (
                "stay, log_probs)",
                "stay, nd.where((nd.arange(size) == end).broadcast_like(stay), 0 * log_probs, log_probs))",
            ),
            "torch": ("stay, log_probs)", "stay, torch.where(torch.arange(size) == end, 0, log_probs))"),
        },
        "totals_subtracted": {
            "mxnet": ("totals.expand_dims(1) + added", "added - totals.expand_dims(1)"),
            "torch": ("totals.unsqueeze(1) + added", "added - totals.unsqueeze(1)"),
        },
    },
}
_TWO_AXES = "two axes are swapped, in either order"
EQUIVALENT = {
    (exercise, framework, f"scores = {what}.{name}(1, 2) → scores = {what}.{name}(2, 1)"): _TWO_AXES
    for framework, name in (("mxnet", "swapaxes"), ("torch", "transpose"))
    for exercise, what in (("decoder_step", "self.w_v(features)"), ("query_weights", "scores"))
}
