"""What a learner reads when an answer stops, or gives something that was not asked for."""

import linecache
import re
import signal
import threading
import time
import warnings
from textwrap import dedent

import numpy as np
import pytest

from autograder import check
from autograder.checking import progress
from autograder.checking.check import LocalTransport
from autograder.diagnose.diagnosis import diagnose
from autograder.judge import axis_lengths
from autograder.model.catalogue import all_exercises
from autograder.model.exercise import Case
from tests.support import graded, need

torch = pytest.importorskip("torch", reason="PyTorch is not installed.")

IMPORTS = {
    "torch": "import numpy as np\nimport torch\nfrom torch import nn\nimport torch.nn.functional as F\n",
    "mxnet": "import numpy as np\nfrom mxnet import autograd, gluon, nd\nfrom mxnet.gluon import nn\n",
}
POOLING = "def attention_pooling(weights, values):\n    return "
SCORES = "def scaled_scores(queries, keys):\n    return "
WEIGHTS = "def sparsemax(scores):\n    return "
HEADS = "def split_heads(X, num_heads):\n    return "
SOFTMAX = "def masked_softmax(X, valid_length):\n    return "
STEP = "def training_step(model, tokens, state, rate):\n    return "
BIAS = """
def relative_bias(scores, table):
    place = torch.arange(scores.shape[-1])
    distance = place - place[:, None]
    return scores + """
LOOP = """
def attention_pooling(weights, values):
    result = nd.zeros((weights.shape[0], weights.shape[1], values.shape[2]))
    for b in range(weights.shape[0]):
        result[b] += nd.dot(weights[b], values[b])
    return result
"""
ATTENTION = """
class DotProductAttention(nn.{base}):
    def __init__(self, dropout=0.0):
        {begin}
    def {forward}(self, {arguments}):
        return values
"""
ARGUMENTS = "queries, keys, values, valid_length=None"


def layer(base="Module", begin="super().__init__()", forward="forward", arguments=ARGUMENTS):
    return ATTENTION.format(base=base, begin=begin, forward=forward, arguments=arguments)


HEADS_CLASS = """
class MultiHeadAttention(torch.nn.Module):
    def __init__(self, num_hiddens, num_heads):
        super().__init__()
        self.W_q = {layers}

    def forward(self, queries, keys, values, valid_length):
        return queries.reshape(*queries.shape[:2], num_heads, -1)
"""
BLOCK = """
from solutions.transformer.in_torch import MultiHeadAttention

class EncoderBlock(torch.nn.Module):
    def __init__(self, num_hiddens, num_heads, ffn_hiddens):
        super().__init__()
        self.attention = MultiHeadAttention(num_hiddens, num_heads)
        self.ffn1 = nn.Linear(num_hiddens, ffn_hiddens)
        self.ffn2 = nn.Linear(ffn_hiddens, num_hiddens)
        self.norm1, self.norm2 = nn.LayerNorm(num_hiddens), nn.LayerNorm(num_hiddens)

    def forward(self, X, valid_length):
        return self.attention(X, X, X)
"""
OF_SELF = layer().replace("return values", "return self.masked_softmax(queries, valid_length)")
OTHER_OF_SELF = OF_SELF.replace("masked_softmax", "masked_softmax_or_zero")


def entry(exercise, framework, source, filename="<ipython-input-3-0123>"):
    """What a cell of a notebook defines, with the framework's imports above it."""
    need(framework)
    text = IMPORTS.get(framework, "") + dedent(source)
    linecache.cache[filename] = (len(text), None, text.splitlines(keepends=True), filename)
    namespace = {"__name__": "__main__"}
    exec(compile(text, filename, "exec"), namespace)
    return namespace[all_exercises()[exercise].entry]


STOPS = [
    # NumPy where the framework's arrays are wanted
    ("attention_pooling", "torch", POOLING + "np.stack([w @ v for w, v in zip(weights, values)])",
     "is a NumPy array; it must be a PyTorch tensor"),
    ("attention_pooling", "torch", POOLING + "np.matmul(weights, values)", "so no gradient can pass"),
    ("attention_pooling", "torch", POOLING + "torch.sin(np.ones(3))", "gets a NumPy array"),
    # one framework's code in the other's cell
    ("attention_pooling", "mxnet", "import torch\n" + POOLING + "torch.bmm(weights, values)",
     "This is PyTorch code in the MXNet cell"),
    ("attention_pooling", "mxnet", POOLING + "weights.unsqueeze(-1) * values", "PyTorch code in the MXNet cell"),
    ("attention_pooling", "mxnet", POOLING + "torch.bmm(weights, values)", "torch is not defined: it is PyTorch's"),
    ("attention_pooling", "torch", POOLING + "nd.batch_dot(weights, values)", "nd is not defined: it is MXNet's"),
    ("attention_pooling", "torch", POOLING + "weights.expand_dims(-1)", "MXNet code in the PyTorch cell"),
    # what may be imported, and is not
    ("dot_product_attention", "torch", layer().replace("return values", "return masked_softmax(queries, None)"),
     "write `from solutions.masked_softmax.in_torch import masked_softmax` above it"),
    ("encode", "torch", "def encode(text, merges):\n    return [t for piece in [text] for t in encode_piece(piece, merges)]",
     "write `from solutions.language_model.in_torch import encode_piece` above it"),
    ("attend_with_cache", "torch", "def attend_with_cache(query, key, value, cached_keys, cached_values):\n    return plain_attention(query, key, value), key, value",
     "write `from solutions.efficient.in_torch import plain_attention` above it"),
    ("dot_product_attention", "mxnet", "from torch import nn\n" + layer(), "a class of PyTorch, and this is the MXNet cell"),
    # the class
    ("dot_product_attention", "torch", layer(begin="self.dropout = nn.Dropout(dropout)"), "super().__init__() first"),
    ("dot_product_attention", "torch", layer(begin="self.p = dropout"), "super().__init__() first"),
    ("dot_product_attention", "mxnet", layer("Block", "self.dropout = nn.Dropout(dropout)"), "super().__init__() first"),
    ("dot_product_attention", "torch", layer(forward="foward"), "has no method forward"),
    ("dot_product_attention", "mxnet", layer("Block", forward="foward"), "has no method forward"),
    ("dot_product_attention", "torch", layer(arguments="queries, keys, values"),
     "forward must take (queries, keys, values, valid_length)"),
    ("encoder_block", "torch", BLOCK, "MultiHeadAttention is called without `valid_length` (line"),
    # indices
    ("relative_bias", "torch", BIAS + "table[:, distance + table.shape[1] // 2]",
     "is the index wrong, or is the array too short?"),
    ("relative_bias", "torch", BIAS + "F.embedding(distance + table.shape[1] // 2, table.T).permute(2, 0, 1)",
     "larger than the last row of the table: is the index wrong"),
    # words and habits of the other framework, or of Python
    ("sparsemax", "mxnet", WEIGHTS + "nd.cumsum(scores, axis=-1)", "takes no negative axis"),
    ("sparsemax", "mxnet", WEIGHTS + "scores.sort(axis=-1, descending=True)", "no argument descending: in MXNet it is is_ascend"),
    ("sparsemax", "mxnet", WEIGHTS + "scores.softmax(dim=-1)", "no argument dim: in MXNet it is axis"),
    ("sparsemax", "torch", WEIGHTS + "scores.sort(-1).cumsum(-1)", "sort returns a pair"),
    ("sparsemax", "torch", WEIGHTS + "scores - scores.max(-1)", "max returns a pair"),
    ("sparsemax", "torch", "import math\n" + WEIGHTS + "math.exp(scores)", "math.exp takes one number, and gets a PyTorch tensor"),
    ("sparsemax", "mxnet", "import math\n" + WEIGHTS + "math.exp(scores)", "math.exp takes one number, and gets an MXNet"),
    ("sparsemax", "torch", WEIGHTS + "scores @ torch.ones(scores.shape[-1], 2).double()", "dtype=scores.dtype"),
    ("masked_softmax", "torch", SOFTMAX + "torch.where([[True]], X, -1e6)", "where wants a PyTorch tensor and gets a list"),
    ("masked_softmax", "torch", SOFTMAX + "torch.where(np.ones(3) > 0, X, -1e6)", "where wants a PyTorch tensor and gets a NumPy array"),
    ("masked_softmax", "torch", SOFTMAX + "np.arange(8) < X", "A NumPy array and a PyTorch tensor meet"),
    # masks, and numbers for arrays
    ("masked_softmax", "torch", SOFTMAX + "X.masked_fill(~[[True]], -1e6)", "~ inverts a mask, and here it gets a list"),
    ("masked_softmax", "torch", SOFTMAX + "X.masked_fill(torch.ones(X.shape), -1e6)", "must hold True and False"),
    ("masked_softmax", "torch", SOFTMAX + "X.masked_fill(~torch.ones(X.shape), -1e6)", "~ inverts a mask of True and False"),
    ("masked_softmax", "torch", SOFTMAX + "X + (1 - (X > 0)) * -1e6", "cannot be subtracted: ~mask inverts it"),
    ("masked_softmax", "mxnet", SOFTMAX + "nd.where((X > 0) & (X < 1), X, X)", "MXNet's arrays have no &"),
    ("masked_softmax", "mxnet", SOFTMAX + "nd.where(~(X > 0), X, X)", "MXNet has no ~"),
    ("scaled_scores", "torch", SCORES + "queries / torch.sqrt(queries.shape[-1])", "math.sqrt takes numbers"),
    ("scaled_scores", "torch", SCORES + "torch.arange(3) ** -1 * queries", "write the base as a float, such as 2.0"),
    # devices; `meta` stands for a GPU
    ("scaled_scores", "torch", SCORES + "queries + torch.zeros(1, device='meta')", "Tensors on two devices meet"),
    ("masked_softmax", "torch", SOFTMAX + "X.masked_fill(torch.ones(1, device='meta') > 0, 0)", "such as device=X.device"),
    ("split_heads", "torch", HEADS + "X.reshape(-1, X.shape[1], X.shape[2] / num_heads)", "divide with //"),
    ("split_heads", "torch", HEADS + "X.repeat_interleave(X.shape[2] / num_heads, dim=0)", "divide with //"),
    ("split_heads", "torch", HEADS + "X.unsqueeze(0).permute(0, 2, 1)", "the tensor has 4, and 3 are named"),
    ("split_heads", "torch", "def split_heads(X, num_heads):\n    made = [torch.sin]\n    return made(X)", "A list is called like a function"),
    ("weights_after", "torch", "def weights_after(change):\n    return {'queries doubled': 'sharper'}[change]", "has no entry for 'a vector"),
    ("weights_after", "torch", "def weights_after(change):\n    return same", 'write it in quotes, "same"'),
    ("dot_product_attention", "torch", OF_SELF, "masked_softmax is a function and no attribute of self"),
    ("dot_product_attention", "torch", OTHER_OF_SELF, "masked_softmax_or_zero is a function and no attribute of self"),
    ("relative_bias", "mxnet", "import torch\ndef relative_bias(scores, table):\n    return table[:, torch.arange(3)]",
     "PyTorch code in the MXNet cell"),
    ("attention_pooling", "mxnet", POOLING + "nd.where(weights > 0, values, weights)", "nd.where does not broadcast"),
    ("attention_pooling", "mxnet", POOLING + "values * [1, 2]", "A list meets an MXNet array"),
    ("attention_pooling", "mxnet", POOLING + "nd.elemwise_sub(weights, values)", "meets"),
    ("scaled_scores", "torch", SCORES + "np.dot(queries, keys)", "its product does not fit the shapes"),
    ("linear_attention", "mxnet", "def linear_attention(queries, keys, values):\n    return nd.elu(queries)",
     "MXNet has no function elu here: in MXNet it is nd.LeakyReLU"),
    ("grouped_query", "torch", "def grouped_query(queries, keys, values):\n    return keys.expand(-1, queries.shape[1], -1, -1)",
     "expand repeats only axes of size 1"),
    ("rotary", "mxnet", "def rotary(X, positions, base=10000):\n    return nd.stack([X, X], axis=-1)", "no list of them"),
    # sizes
    ("scaled_scores", "torch", SCORES + "queries @ keys.T", "write .transpose(1, 2)"),
    ("scaled_scores", "mxnet", SCORES + "nd.batch_dot(queries, keys.T)", "write .swapaxes(1, 2)"),
    ("scaled_scores", "torch", SCORES + "torch.bmm(queries, keys)", "6 (like d_k) meets 8 (like num_keys)"),
    ("scaled_scores", "mxnet", SCORES + "nd.batch_dot(queries, keys)", "queries is (3, 5, 6), keys (3, 8, 6)"),
    ("pool_over_time", "mxnet",
     "def pool_over_time(states, valid_length):\n    return nd.pick(states, valid_length.expand_dims(1), axis=1)",
     "its index needs the shape of the array without that axis, ("),
    ("scaled_scores", "mxnet", SCORES + "queries * keys", "axis 1 is 5 (like num_queries) against 8 (like num_keys)"),
    ("scaled_scores", "torch", SCORES + "queries @ keys.reshape(3, 6, 5)", "cannot be arranged as (3, 6, 5)"),
    ("scaled_scores", "torch", SCORES + "queries @ keys.transpose(1, 2).view(-1, 6)", "use reshape"),
    # the rest
    ("attention_pooling", "mxnet", LOOP, "cannot work in place"),
    ("training_step", "mxnet", STEP + "model(tokens).sum().backward()", "must be computed under autograd.record()"),
    ("training_step", "torch", STEP + "sum(a.grad.sum() for a in model.parameters())", "A gradient is None here"),
    ("training_step", "torch", STEP + "[a.mul_(2) for a in model.parameters()]", "under torch.no_grad() where a learned array is to change"),
    ("attention_pooling", "torch", "def attention_pooling(weights, values):\n    weights @ values", "end with a return"),
    ("masked_softmax", "mxnet", SOFTMAX + "nd.softmax(X, -1)", "axis=-1"),
    ("masked_softmax", "torch", SOFTMAX + "torch.softmax(X)", "dim=-1"),
    ("masked_softmax", "torch", SOFTMAX + "X * valid_length[:, None, None]", "valid_length may be None"),
    ("reinforce_loss", "torch", "def reinforce_loss(weights, index, rewards, baseline):\n    return rewards - baseline",
     "rewards is a tuple"),
    ("shift_right", "torch", "def shift_right(tokens, start):\n    return tokens.mean()", ".float()"),
    ("attention_pooling", "torch", POOLING + "weights(values)", "called like a function"),
    ("masked_softmax_or_zero", "torch",
     "def masked_softmax_or_zero(X, valid_length):\n    return X.masked_fill(X > 0, -1e6).softmax(-1)", "largest is 65504"),
]  # fmt: skip


@pytest.mark.parametrize(("exercise", "framework", "source", "words"), STOPS)
def test_the_cause_is_told_where_it_is_known(exercise, framework, source, words):
    verdict = check(entry(exercise, framework, source), framework)
    assert verdict.outcome != "accepted" and words in verdict.message, verdict
    assert "It stops with" not in verdict.message


THROUGH_NUMPY = """
def attention_pooling(weights, values):
    return nd.array(weights.asnumpy() @ values.asnumpy())
"""


def test_a_result_that_is_cut_off_is_no_loss_that_was_not_recorded():
    """The answer calls no backward, so nothing is said of one."""
    verdict = check(entry("attention_pooling", "mxnet", THROUGH_NUMPY), "mxnet")
    assert (verdict.failed_stage, verdict.misconception) == ("gradients", "general:gradient_cut"), verdict
    assert "No gradient reaches any argument" in verdict.message and "autograd.record" not in verdict.message


COUNT_AS_INDEX = """
def sparsemax(scores):
    ordered, _ = scores.sort(-1, descending=True)
    k = torch.arange(1, scores.shape[-1] + 1).to(scores)
    support = (1 + k * ordered > ordered.cumsum(-1)).sum(-1, keepdim=True)
    tau = ((ordered.cumsum(-1) - 1) / k).gather(-1, support)
    return (scores - tau).clamp(min=0)
"""


@pytest.mark.parametrize("seed", range(4))
def test_an_idea_that_shows_where_the_answer_runs_is_named_before_the_stop(seed):
    answer = entry("sparsemax", "torch", COUNT_AS_INDEX)
    verdict = diagnose(all_exercises()["sparsemax"], LocalTransport("torch", answer), "torch", seed)
    assert verdict.misconception == "one_key_too_many", verdict
    assert re.search(
        r"It stops too, in the case '.*'\. An index is \d+, but the largest there is", verdict.message
    )


def test_a_line_of_another_cell_is_said_to_be_there():
    helper = "def sparsemax_loop(scores):\n    return scores[7:][0]\n"
    name = "<ipython-input-2-99>"
    linecache.cache[name] = (len(helper), None, helper.splitlines(keepends=True), name)
    answer = entry("sparsemax", "torch", WEIGHTS + "sparsemax_loop(scores)")
    exec(compile(helper, name, "exec"), answer.__globals__)
    verdict = check(answer, "torch")
    assert "(line 2 of another cell, in sparsemax_loop: `return scores[7:][0]`)" in verdict.message


ONE_BY_ONE = "[torch.nn.Linear(num_hiddens, 2, bias=False) for _ in range(num_heads)]"
FOUR = "; ".join(["torch.nn.Linear(num_hiddens, num_hiddens, bias=False)"] + [
    f"self.{name} = torch.nn.Linear(num_hiddens, num_hiddens, bias=False)" for name in ("W_k", "W_v", "W_o")
])  # fmt: skip


def test_layers_in_a_plain_list_are_told():
    verdict = check(entry("multi_head_attention", "torch", HEADS_CLASS.format(layers=ONE_BY_ONE)), "torch")
    assert verdict.message.startswith("Layers in a plain list, as in W_q, are not found: "), verdict


def test_a_variable_of_the_notebook_in_the_place_of_a_setting_is_told():
    source = HEADS_CLASS.format(layers=FOUR)
    verdict = check(entry("multi_head_attention", "torch", source), "torch")
    assert "num_heads is not defined here: keep it in __init__" in verdict.message, verdict
    verdict = check(entry("multi_head_attention", "torch", "num_heads = 1\n" + source), "torch")
    assert "In forward, num_heads is the notebook's variable and not this layer's" in verdict.message, verdict
    base = source.replace("super().__init__()", "super().__init__(); self.num_heads = num_heads")
    answer = base.replace("2], num_heads", "2], self.num_heads")
    verdict = check(entry("multi_head_attention", "torch", "num_heads = 1\n" + answer), "torch")
    assert "the notebook's variable" not in verdict.message and verdict.outcome == "rejected", verdict


GROUPED = """
def grouped_query(queries, keys, values):
    keys = keys.repeat_interleave({arguments})
    return queries @ keys.transpose(2, 3)
"""


@pytest.mark.parametrize(("arguments", "is_explained"), [("2", True), ("2, 1", False), ("2, dim=1", False)])
def test_a_call_without_its_axis_is_told(arguments, is_explained):
    verdict = check(entry("grouped_query", "torch", GROUPED.format(arguments=arguments)), "torch")
    words = "`keys.repeat_interleave(2)` names no axis, so it takes the whole array as one long row"
    assert verdict.outcome != "accepted" and (words in verdict.message) == is_explained, verdict


def test_a_wrong_length_is_told_with_what_has_it():
    verdict = check(
        entry("attention_pooling", "torch", POOLING + "weights @ weights.transpose(1, 2)"), "torch"
    )
    assert verdict.message == (
        "context has shape (3, 5, 5); it must have (3, 5, 10), (batch, num_queries, d_v): 5 is like num_queries."
    )


def test_a_size_that_is_a_product_is_told_as_one():
    case = Case("", {"X": np.zeros((3, 5, 14))}, {"num_heads": 7})
    exercise = all_exercises()["split_heads"]
    assert axis_lengths.length_text(exercise, case, 5) == "5 (like num_steps)"
    assert axis_lengths.length_text(exercise, case, 21) == "21 (like batch * num_heads)"
    assert axis_lengths.length_text(exercise, case, 2) == "2 (like num_hiddens / num_heads)"
    assert axis_lengths.length_text(exercise, case, 105) == "105 (like batch * num_steps * num_heads)"
    assert axis_lengths.length_text(exercise, case, 22) == "22"


RANDOM = """
def gated_feed_forward(X, W_gate, W_up, W_down):
    return nn.Linear(X.shape[-1], X.shape[-1])(X)
"""


def test_what_is_drawn_anew_at_each_call_is_told():
    verdict = check(entry("gated_feed_forward", "torch", RANDOM), "torch")
    assert "Called twice with the same arguments, it gives two results" in verdict.message, verdict
    assert "With other numbers" not in verdict.message


def test_the_original_exception_stays_in_a_second_line():
    verdict = check(entry("scaled_scores", "torch", SCORES + "torch.bmm(queries, keys)"), "torch")
    assert verdict.raised.startswith("RuntimeError: Expected size for first two dimensions")
    assert verdict.raised in str(verdict).splitlines()[2]
    assert "RuntimeError" in verdict._repr_html_()


def test_the_cause_is_the_same_whatever_the_line_and_the_sizes():
    """A class page counts by it: sizes are drawn for each answer."""
    wrong = "import torch\ndef relative_bias(scores, table):\n    {} = scores @ table\n    return {}\n"
    verdicts = [
        diagnose(all_exercises()["relative_bias"], LocalTransport("torch", answer), "torch", seed)
        for seed, answer in enumerate(
            entry("relative_bias", "torch", wrong.format(name, name)) for name in ("first", "second")
        )
    ]
    assert (
        len({re.sub(r"\d+", "0", verdict.cause) for verdict in verdicts})
        == 1
        < len({v.message for v in verdicts})
    )


def test_what_is_not_known_is_shown_as_it_is():
    verdict = check(entry("scaled_scores", "torch", SCORES + "int('x')"), "torch")
    assert (
        verdict.message.startswith(
            "It stops with ValueError: invalid literal for int() with base 10: 'x' (line "
        )
        and verdict.raised is None
    )


def test_a_text_of_the_learners_own_that_looks_like_a_librarys_is_shown_as_it_is():
    need("mxnet")
    text = "dot shape error: [,] X [,]"
    source = f"def scaled_scores(queries, keys):\n    raise ValueError({text!r})\n"
    verdict = check(entry("scaled_scores", "mxnet", source), "mxnet")
    assert verdict.message.startswith(f"It stops with ValueError: {text} (line "), verdict


@pytest.mark.parametrize(
    ("filename", "place"),
    [
        ("<ipython-input-3-0123>", "line 6 of your cell"),
        ("/tmp/ipykernel_12/34.py", "line 6 of your cell"),
        ("/tmp/ipython-input-12-34.py", "line 6 of your cell"),
        ("/home/me/answers.py", "line 6 of answers.py"),
    ],
)
def test_the_line_is_named_with_what_holds_it(filename, place):
    verdict = check(entry("scaled_scores", "torch", SCORES + "queries @ keys", filename), "torch")
    assert f"({place}: `return queries @ keys`)" in verdict.message


@pytest.mark.parametrize("framework", ["mxnet", "torch"])
def test_the_line_is_never_one_of_the_course_or_of_generated_code(framework):
    helped = f"from solutions.masked_softmax.in_{framework} import masked_softmax as given\n"
    source = helped + "def causal_self_attention(X, W_q, W_k, W_v, valid_length):\n    return given(X, X)"
    verdict = check(entry("causal_self_attention", framework, source), framework)
    assert ": `return given(X, X)`)" in verdict.message, verdict


def test_lazy_layers_are_shown_with_the_shapes_that_they_take():
    source = """
    class AdditiveAttention(nn.Module):
        def __init__(self, units, dropout=0.0):
            super().__init__()
            self.W_q, self.W_k, self.w_v = nn.LazyLinear(units), nn.LazyLinear(units), nn.LazyLinear(1)

        def forward(self, queries, keys, values, valid_length=None):
            return self.w_v(torch.tanh(self.W_q(queries)[:, :, None] + self.W_k(keys)[:, None]))[..., 0] @ values
    """
    verdict = check(entry("additive_attention", "torch", source), "torch")
    assert "W_q.weight (8, 5), W_q.bias (8,)" in verdict.message and "()" not in verdict.message
    assert "no bias" in verdict.message


def test_softmax_without_an_axis_is_told_in_the_verdict_and_not_beside_it():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        verdict = check(entry("masked_softmax", "torch", SOFTMAX + "F.softmax(3 * X)"), "torch")
    assert "softmax is called without an axis" in verdict.message
    assert [str(w.message) for w in caught if "Implicit" in str(w.message)] == []


def test_an_expected_shape_is_told_once():
    source = "def masked_loss(scores, wanted, length):\n    return scores.mean(dim=(1, 2))"
    verdict = check(entry("masked_loss", "torch", source), "torch")
    assert verdict.message.startswith("loss has shape (2,); it must have (1,): 2 is like batch.")
    assert verdict.message.count("(1,)") == 1


def test_what_fails_in_training_is_not_put_down_to_evaluation():
    source = """
    class DotProductAttention(nn.Module):
        def __init__(self, dropout=0.0):
            super().__init__()

        def forward(self, queries, keys, values, valid_length=None):
            scores = queries @ keys.transpose(1, 2) / queries.shape[-1] ** 0.5
            if valid_length is not None:
                if valid_length.ndim == 1:
                    valid_length = valid_length[:, None]
                scores = scores.masked_fill(torch.arange(keys.shape[1]) >= valid_length[..., None], -1e6)
            self.attention_weights = torch.softmax(scores, dim=-1)
            return self.attention_weights @ values
    """
    verdict = check(entry("dot_product_attention", "torch", source), "torch")
    assert "nothing is dropped" in verdict.message and verdict.case == "dropout, in training mode", verdict


def test_a_single_choice_says_in_how_many_cases_it_is_right():
    effects = ["other", "other", "sharper", "same", "other", "flatter", "sharper", "same"]
    changes = [
        case.inputs["change"] for case in all_exercises()["weights_after"].cases(np.random.default_rng(0))
    ]

    def weights_after(change):
        return effects[changes.index(change)]

    verdict = check(weights_after, "torch")
    right = sum(
        e == all_exercises()["weights_after"].reference(c) for e, c in zip(effects, changes, strict=True)
    )
    assert verdict.misconception is None, verdict
    assert (
        verdict.message
        == f'Your answer for this case, "other", is not right. Of all cases, {right} of 8 are right.'
    )


def test_a_quiz_says_how_many_are_right_and_not_which():
    verdict = check(
        entry("wrong_lines", "torch", "def wrong_lines(questions):\n    return ('b',) * 7"), "torch"
    )
    assert verdict.message == "3 of 7 are right." and verdict.example is None
    assert "'c'" not in str(verdict)


@pytest.mark.parametrize(
    ("exercise", "source", "words"),
    [
        ("wrong_lines", "def wrong_lines(questions):\n    return ('b',)", "holds 1; it must hold 7"),
        (
            "kind_of_attention",
            "def kind_of_attention(mechanism):\n    return 'Hard'",
            "holds 'Hard'; it must be",
        ),
    ],
)
def test_an_answer_that_is_not_offered_is_told_as_such(exercise, source, words):
    assert words in check(entry(exercise, "torch", source), "torch").message


def test_a_case_is_shown_with_its_sizes_where_no_idea_is_named():
    verdict = check(entry("scaled_scores", "torch", SCORES + "queries @ keys.transpose(1, 2) + 1"), "torch")
    line = f"all sizes different ({'batch 3, num_queries 5, d_k 6, num_keys 8'})"
    assert line in str(verdict) and line in verdict._repr_html_()
    with_idea = check(entry("scaled_scores", "torch", SCORES + "queries @ keys.transpose(1, 2)"), "torch")
    assert with_idea.misconception and with_idea.axis_lengths is None


def test_the_way_to_a_hint_is_the_last_line_in_a_learners_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    answer = entry("scaled_scores", "torch", SCORES + "queries @ keys.transpose(1, 2)")
    assert "Stuck?" not in str(check(answer, "torch"))
    progress.create(tmp_path)
    verdict = check(answer, "torch")
    assert str(verdict).splitlines()[-1].strip() == 'Stuck? hint("scaled_scores")'
    assert verdict._repr_html_().count("Stuck?") == 1
    right = check(
        entry("scaled_scores", "torch", SCORES + "queries @ keys.mT / keys.shape[-1] ** 0.5"), "torch"
    )
    assert right.outcome == "accepted" and "Stuck?" not in str(right)
    quiz = check(entry("kind_of_attention", "torch", "def kind_of_attention(m):\n    return 'soft'"), "torch")
    assert quiz.outcome == "rejected" and "Stuck?" not in str(quiz)


def test_an_answer_that_never_ends_can_be_stopped(monkeypatch):
    started = threading.Event()
    monkeypatch.setattr(torch, "started", started, raising=False)

    def interrupt():
        started.wait(60)
        time.sleep(0.05)
        signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)

    source = """
    def scaled_scores(queries, keys):
        torch.started.set()
        while True:
            pass
    """
    answer = entry("scaled_scores", "torch", source)
    interrupter = threading.Thread(target=interrupt)
    interrupter.start()
    verdict = check(answer, "torch")
    interrupter.join()
    assert verdict.outcome == "timeout"
    assert "You stopped scaled_scores before it ended" in verdict.message and "your cell" in verdict.message


def test_grade_says_the_same_as_check(zygote):
    source = SOFTMAX + "torch.softmax(X)"
    (verdict,) = graded(zygote, IMPORTS["torch"] + source, "answers.py", [all_exercises()["masked_softmax"]])
    by_check = check(entry("masked_softmax", "torch", source), "torch")
    assert verdict.raised == by_check.raised and verdict.raised.startswith("TypeError: softmax() missing")
    assert verdict.message == by_check.message.replace(" of your cell", " of the file")
