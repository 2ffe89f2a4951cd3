"""Where no wrong idea is known, `check` shows the smallest input on which the answer differs."""

import html
import math
import re

import numpy as np
import pytest

from autograder import check
from autograder.diagnose import counterexample as search
from autograder.diagnose.counterexample import MOST_ENTRIES, Example, smallest_example
from autograder.judge.cases import draw_cases
from autograder.judge.protocol import CallResult
from autograder.model.catalogue import all_exercises

torch = pytest.importorskip("torch", reason="PyTorch is not installed.")


def self_attention(X, W_q, W_k, W_v):
    queries, keys, values = X @ W_q, X @ W_k, X @ W_v
    weights = torch.softmax(torch.bmm(queries, keys.transpose(1, 2)) / math.sqrt(keys.shape[-1]), dim=-1)
    return 1.01 * torch.bmm(weights, values), weights


class LuongConcat(torch.nn.Module):
    def __init__(self, d_q, d_k, units):
        super().__init__()
        self.W_a = torch.nn.Linear(d_q + d_k, units, bias=False)
        self.v_a = torch.nn.Linear(units, 1, bias=False)

    def forward(self, queries, keys):
        m, n = queries.shape[1], keys.shape[1]
        pairs = [
            queries.unsqueeze(2).expand(-1, -1, n, -1),
            keys.unsqueeze(1).expand(-1, m, -1, -1),
        ]
        return self.v_a(torch.cat(pairs, dim=-1) @ self.W_a.weight.T * 0.7).squeeze(-1)


def test_a_wrong_function_is_wrong_on_one_token_of_one_feature():
    verdict = check(self_attention, "torch")
    assert verdict.failed_stage == "values" and verdict.misconception == "general:factor"
    assert {name: array.shape for name, array in verdict.example.inputs.items()} == {
        "X": (1, 1, 1), "W_q": (1, 1), "W_k": (1, 1), "W_v": (1, 1),
    }  # fmt: skip
    context, _ = self_attention(**{n: torch.tensor(a).float() for n, a in verdict.example.inputs.items()})
    expected = torch.tensor(verdict.example.expected["context"]).float()
    assert not torch.allclose(context, expected, rtol=1e-4)
    assert torch.allclose(context, torch.tensor(verdict.example.got["context"]))
    assert "weights" not in verdict.example.got, "only what is wrong is shown"
    text = str(verdict)
    assert "smallest input" in text and "yours: context = " in text and "right: context = " in text
    page = html.unescape(verdict._repr_html_())
    assert str(verdict.example) in page, "on a page each value stands in a line of its own"


def test_a_layer_is_shown_with_its_settings_and_parameters():
    verdict = check(LuongConcat, "torch")
    assert verdict.outcome == "rejected" and verdict.example is not None
    text = str(verdict.example)
    assert all(f"\n  {name} = " in text for name in ("d_q", "d_k", "units", "queries", "keys", "W_a", "v_a"))
    assert verdict.example.case.settings["units"] == 1
    assert verdict.example.inputs["queries"].shape[:2] == (1, 1)


def test_a_named_idea_needs_no_example():
    def masked_softmax(X, valid_length):
        return torch.softmax(X, dim=-1)

    verdict = check(masked_softmax, "torch")
    assert verdict.misconception and verdict.example is None


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("exercise", all_exercises().values(), ids=lambda e: e.name)
def test_every_smaller_case_is_one_that_the_reference_answers(exercise):
    """An answer that is wrong everywhere is shown on a case on which the reference is finite."""

    def ask(case):
        expected = exercise.compute(exercise.reference, case)
        return CallResult(
            outputs=tuple(w + 1 if isinstance(w, np.ndarray) and w.dtype.kind == "f" else w for w in expected)
        )

    for case in draw_cases(exercise, 0)[:2]:
        example = smallest_example(exercise, case, ask)
        if example is None:  # a question: no array of numbers to be wrong in
            continue
        arrays = [right for right in example.expected.values() if isinstance(right, np.ndarray)]
        assert all(np.isfinite(right).all() for right in arrays)
        before = sum(v.size for v in case.inputs.values() if isinstance(v, np.ndarray))
        after = sum(v.size for v in example.inputs.values() if isinstance(v, np.ndarray))
        assert after <= before
        for name, value in arrays_of(case).items():
            if are_distributions(value):
                assert are_distributions(arrays_of(example.case)[name]), f"the rows of {name} must sum to 1"


def arrays_of(case):
    values = {**case.inputs, **case.parameters}
    return {name: v for name, v in values.items() if isinstance(v, np.ndarray) and v.dtype.kind == "f"}


def are_distributions(value):
    return value.ndim > 0 and (value >= 0).all() and np.allclose(value.sum(axis=-1), 1, atol=1e-3)


def test_a_number_beside_arrays_is_round():
    def top_p(probabilities, p):
        shares = torch.where(probabilities >= 0.02, probabilities, 0)
        return shares / shares.sum(-1, keepdim=True) + 0.3 * shares

    verdict = check(top_p, "torch")
    assert verdict.example is not None, verdict
    assert len(str(verdict.example.inputs["p"])) <= 4, verdict
    assert are_distributions(verdict.example.inputs["probabilities"]), verdict


def test_a_tuple_with_one_number_for_each_of_a_batch_is_made_smaller_with_it():
    """Five rewards of three decimals stood beside one row of scores."""
    exercise = all_exercises()["reinforce_loss"]
    for case in draw_cases(exercise, 0):
        example = smallest_example(
            exercise, case, lambda c: CallResult((exercise.compute(exercise.reference, c)[0] + 1,))
        )
        rewards = example.inputs["rewards"]
        assert len(rewards) == len(example.inputs["scores"]) == 1
        assert rewards == tuple(round(reward) for reward in rewards)


def test_a_tuple_is_shown_as_the_tuple_that_came_out():
    def predict_shapes(batch, num_queries, num_keys, d_k, d_v):
        return (num_queries, num_keys), (num_queries, d_v), num_queries + 1

    verdict = check(predict_shapes, "torch")
    assert verdict.misconception is None, verdict
    values = [verdict.example.inputs[name] for name in ("batch", "num_queries", "num_keys", "d_k", "d_v")]
    assert f"yours: shapes = {predict_shapes(*values)}" in str(verdict)


def found_for(name, change, note=None):
    """The smallest input on which an answer differs that gives `change` of the right results and the case."""
    exercise = all_exercises()[name]
    cases = draw_cases(exercise, 0)
    first = next((case for case in cases if case.note == note), cases[0])

    def ask(case):
        right = exercise.compute(exercise.reference, case)
        return CallResult(outputs=tuple(change(value, case) for value in right))

    return smallest_example(exercise, first, ask)


def test_random_numbers_stay_below_1_and_tokens_below_the_size_of_the_vocabulary():
    """With the number 1 the reference gave a token that the vocabulary of one does not have."""
    for name, tokens in (("draw_token", "numbers"), ("next_token_loss", "tokens"), ("masked_loss", "wanted")):
        example = found_for(name, lambda value, case: value + 1)
        arrays = example.inputs
        scores = arrays.get("logits", arrays.get("scores"))
        assert (arrays[tokens] < (1 if tokens == "numbers" else scores.shape[-1])).all(), example


def test_an_index_that_is_a_plain_number_stays_in_its_range():
    example = found_for("beam_step", lambda value, case: value + 1 if value.dtype.kind == "f" else value)
    assert example.inputs["end"] < example.inputs["log_probs"].shape[1], example


@pytest.mark.parametrize(
    "name, most", [("numbers_held", 2), ("decoding_cost", 2), ("score_bytes", 2), ("head_sizes", 2)]
)
def test_whole_numbers_without_arrays_become_small(name, most):
    example = found_for(name, lambda value, case: tuple(number + 1 for number in value))
    assert max(example.inputs.values()) <= most, example


def test_whole_numbers_keep_what_divides_them():
    """With one head a wrong number of heads may be right, and four features are not shared by three heads."""

    def wrong_with_heads(value, case):
        return (value[0] + (case.inputs["num_heads"] > 2), *value[1:])

    inputs = found_for("head_sizes", wrong_with_heads).inputs
    assert inputs["num_heads"] > 2 and inputs["num_hiddens"] % inputs["num_heads"] == 0


def test_nothing_is_shown_where_no_result_can_be():
    example = found_for("attention_pooling", lambda value, case: value + (value.size > MOST_ENTRIES))
    assert example is not None and not example.tells and str(example) == "", example


def test_arrays_that_are_too_large_stand_in_one_line():
    text = str(found_for("multi_head_attention", lambda value, case: value + 1))
    assert "W_q, W_k, W_v and W_o: too large to be shown here" in text and "an array of shape" not in text


def test_brackets_of_a_list_are_those_of_what_is_right():
    """Tuples in a list come from the answer's process as lists, and looked like the mistake."""
    exercise = all_exercises()["learn_merges"]
    case = draw_cases(exercise, 0)[0]
    right = exercise.compute(exercise.reference, case)[0]
    example = Example(case.inputs, {"merges": list(map(list, right))}, {"merges": right}, case)
    yours, is_right = (line.split(" = ")[1] for line in str(example).splitlines()[-2:])
    assert yours == is_right


def test_numbers_of_several_calls_are_shown_with_few_digits():
    example = found_for("training_step", lambda value, case: tuple(loss + 1.23456789 for loss in value))
    assert all(len(number) <= 6 for number in re.findall(r"\d+\.\d+", str(example).split("yours")[1])), (
        example
    )


def test_an_answer_is_called_a_counted_number_of_times(monkeypatch):
    monkeypatch.setattr(search, "MOST_CALLS", 5)
    exercise, calls = all_exercises()["decoder_block"], []
    first = draw_cases(exercise, 0)[0]

    def ask(case):
        calls.append(case)
        (expected,) = exercise.compute(exercise.reference, case)
        return CallResult(outputs=(expected + (len(calls) == 1),))

    assert smallest_example(exercise, first, ask) is not None
    assert len(calls) == 5
