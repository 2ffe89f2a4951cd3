"""What an answer may import of the course: what its exercise names, and the same for `check` and `grade`."""

import pytest

from autograder import check
from autograder.checking.whole_file import check_file
from autograder.model.catalogue import all_exercises
from tests.support import FRAMEWORKS, graded, need

LIBRARY = {"torch": "import math\nimport torch\n", "mxnet": "import math\nfrom mxnet import gluon, nd\n"}
# By exercise: the topic and the name that its text suggests, and an answer in each framework.
SERVED = {
    "causal_self_attention": ("masked_softmax", "masked_softmax", {
        "torch": """
def causal_self_attention(X, W_q, W_k, W_v, valid_length):
    scores = X @ W_q @ (X @ W_k).transpose(1, 2) / math.sqrt(W_q.shape[1])
    seen = torch.arange(1, X.shape[1] + 1).expand(X.shape[:2])
    if valid_length is not None:
        seen = torch.minimum(seen, valid_length[:, None])
    weights = masked_softmax(scores, seen)
    return weights @ (X @ W_v), weights
""",
        "mxnet": """
def causal_self_attention(X, W_q, W_k, W_v, valid_length):
    Q, K, V = (nd.dot(X, W) for W in (W_q, W_k, W_v))
    scores = nd.batch_dot(Q, K, transpose_b=True) / math.sqrt(W_q.shape[1])
    seen = nd.arange(1, X.shape[1] + 1).reshape((1, -1)).broadcast_to(X.shape[:2])
    if valid_length is not None:
        seen = nd.broadcast_minimum(seen, valid_length.reshape((-1, 1)))
    weights = masked_softmax(scores, seen)
    return nd.batch_dot(weights, V), weights
""",
    }),
    "local_predictive": ("global_local", "window_weights", {
        "torch": """
class LocalPredictive(torch.nn.Module):
    def __init__(self, d_q, units, D):
        super().__init__()
        self.D = D
        self.W_p = torch.nn.Linear(d_q, units, bias=False)
        self.v_p = torch.nn.Linear(units, 1, bias=False)

    def forward(self, queries, scores, valid_length):
        positions = valid_length[:, None] * self.v_p(self.W_p(queries).tanh()).sigmoid().squeeze(-1)
        weights = window_weights(scores, positions, valid_length, self.D)
        distance = torch.arange(scores.shape[-1]) - positions[..., None]
        return weights * torch.exp(-(distance**2) * 2 / self.D**2), positions
""",
        "mxnet": """
class LocalPredictive(gluon.nn.Block):
    def __init__(self, d_q, units, D):
        super().__init__()
        self.D = D
        self.W_p = gluon.nn.Dense(units, use_bias=False, flatten=False, in_units=d_q)
        self.v_p = gluon.nn.Dense(1, use_bias=False, flatten=False, in_units=units)

    def forward(self, queries, scores, valid_length):
        share = self.v_p(self.W_p(queries).tanh()).sigmoid().squeeze(-1)
        positions = valid_length.reshape((-1, 1)) * share
        weights = window_weights(scores, positions, valid_length, self.D)
        distance = nd.arange(scores.shape[-1]).reshape((1, 1, -1)) - positions.expand_dims(-1)
        return weights * nd.exp(-(distance**2) * 2 / self.D**2), positions
""",
    }),
    "attend_with_cache": ("efficient", "plain_attention", {
        "torch": """
def attend_with_cache(query, key, value, cached_keys, cached_values):
    if cached_keys is not None:
        key = torch.cat([cached_keys, key], dim=1)
        value = torch.cat([cached_values, value], dim=1)
    return plain_attention(query, key, value), key, value
""",
        "mxnet": """
def attend_with_cache(query, key, value, cached_keys, cached_values):
    if cached_keys is not None:
        key = nd.concat(cached_keys, key, dim=1)
        value = nd.concat(cached_values, value, dim=1)
    return plain_attention(query, key, value), key, value
""",
    }),
}  # fmt: skip
# Ways to use what is not served: by its name, as a part of its module, in the function, by a helper.
REFUSED = {
    "by name": "from solutions.efficient.in_torch import plain_attention\n"
    "def attention_pooling(weights, values):\n    return plain_attention(weights, weights, values)\n",
    "as a part": "from solutions.efficient import in_torch as own\n"
    "def attention_pooling(weights, values):\n    return own.plain_attention(weights, weights, values)\n",
    "in the function": "def attention_pooling(weights, values):\n"
    "    from solutions.efficient.in_torch import plain_attention\n"
    "    return plain_attention(weights, weights, values)\n",
    "by a helper": "from solutions.efficient.in_torch import plain_attention\n"
    "def helper(*arrays):\n    return plain_attention(*arrays)\n"
    "def attention_pooling(weights, values):\n    return helper(weights, weights, values)\n",
}


def answer(name, framework):
    """The source of an answer that imports what the text suggests."""
    need(framework)
    topic, helper, definitions = SERVED[name]
    return (
        f"{LIBRARY[framework]}from solutions.{topic}.in_{framework} import {helper}\n{definitions[framework]}"
    )


def defined(source, name):
    """An answer as a cell defines it."""
    namespace = {"__name__": "__main__"}
    exec(compile(source, "<cell>", "exec"), namespace)
    return namespace[all_exercises()[name].entry]


@pytest.mark.slow
@pytest.mark.parametrize("framework", FRAMEWORKS)
@pytest.mark.parametrize("name", SERVED)
def test_what_the_text_suggests_may_be_imported(zygote, name, framework):
    source = answer(name, framework)
    (official,) = graded(zygote, source, "answers.py", [all_exercises()[name]], framework)
    assert official.outcome == "accepted", official
    verdict = check(defined(source, name), framework)
    assert verdict.outcome == "accepted", verdict


@pytest.mark.parametrize("way", REFUSED)
def test_check_refuses_what_grade_does_not_serve_and_names_it(tmp_path, way):
    exercise = all_exercises()["attention_pooling"]
    path = tmp_path / "answers.py"
    path.write_text(REFUSED[way])
    (of_file,) = check_file(path, [exercise], "torch", by_name=True)
    for verdict in (check(defined(REFUSED[way], exercise.name), "torch"), of_file):
        assert (verdict.outcome, verdict.failed_stage, verdict.points) == ("rejected", "contract", 0), verdict
        assert "solutions.efficient.in_torch is refused" in verdict.message


def test_grade_names_the_import_that_it_does_not_serve(zygote):
    (verdict,) = graded(
        zygote, REFUSED["by name"], "answers.py", [all_exercises()["attention_pooling"]], "torch"
    )
    assert verdict.outcome == "error"
    assert "Its import of plain_attention from solutions.efficient.in_torch is refused" in verdict.message
