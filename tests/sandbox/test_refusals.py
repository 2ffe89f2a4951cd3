"""What an exercise forbids cannot be unlocked by importing the grader's own modules."""

import pytest

from autograder.frameworks.base import ContractBroken
from autograder.model.catalogue import all_exercises
from autograder.sandbox.refusals import forbid
from course.paths import ROOT
from tests.support import graded

RIGHT = (ROOT / "solutions" / "dot_product" / "in_torch.py").read_text()
CALLS = RIGHT.replace(
    "return torch.bmm(",
    "torch.nn.functional.scaled_dot_product_attention(queries, queries, queries)\n        return torch.bmm(",
)
UNLOCK = {
    "as the refusals": "from autograder.sandbox import refusals\nrefusals.forbid = nothing\nrefusals._REFUSALS.clear()\n",
    "as the session": "import autograder.sandbox.session as session\nsession.forbid = nothing\n",
    "by its name": "import sys\nsys.modules['autograder.sandbox.session'].forbid = nothing\n",
    "by parts of its name": "import importlib\nimportlib.import_module('autograder.sand' + 'box.session').forbid = nothing\n",
    "as the framework": "import autograder.frameworks.torch as t\nt.FRAMEWORK.__dict__['refuse'] = None\n",
    "as PyTorch's library": "import torch.library\ntorch.library.Library.impl = nothing\n",
}
NOTHING = "import contextlib\nnothing = lambda *a, **k: contextlib.nullcontext()\n"


@pytest.mark.parametrize("way", UNLOCK)
def test_a_refusal_holds_whatever_is_imported(zygote, way):
    exercise = all_exercises()["dot_product_attention"]
    (verdict,) = graded(zygote, NOTHING + UNLOCK[way] + CALLS, "a.py", [exercise], "torch")
    assert (verdict.outcome, verdict.layer) == ("rejected", "contract"), verdict
    assert "scaled_dot_product_attention, which the exercise asks you to write" in verdict.message
    assert verdict.flag


LIBRARY = "torch.nn.MultiheadAttention(queries.shape[-1], 1, batch_first=True)(queries, queries, queries)"
WRITTEN_IN_PYTHON = {
    "as it is": LIBRARY,
    "with function modes switched off": f"with torch._C.DisableTorchFunction(): {LIBRARY}",
    "with the mode taken away": f"mode = torch._C._pop_torch_function_stack(); {LIBRARY}",
}


@pytest.mark.parametrize("way", WRITTEN_IN_PYTHON)
def test_what_the_library_has_written_in_python_is_refused_too(zygote, way):
    exercise = all_exercises()["dot_product_attention"]
    source = RIGHT.replace("return torch.bmm(", f"{WRITTEN_IN_PYTHON[way]}\n        return torch.bmm(")
    (verdict,) = graded(zygote, source, "a.py", [exercise], "torch")
    assert (verdict.outcome, verdict.layer) == ("rejected", "contract"), verdict
    assert "multi_head_attention_forward, which the exercise asks you to write" in verdict.message
    assert "MultiheadAttention" in (verdict.flag or "")


def test_a_refusal_leaves_the_library_as_it_was():
    torch = pytest.importorskip("torch")
    function = torch.nn.functional.multi_head_attention_forward
    before = function.__code__, set(function.__globals__)
    with pytest.raises(ContractBroken), forbid(["torch.nn.functional.multi_head_attention_forward"]):
        function()
    assert (function.__code__, set(function.__globals__)) == before
    X = torch.ones(1, 2, 4)
    with forbid(["torch.nn.functional.layer_norm"]):
        assert torch.nn.MultiheadAttention(4, 1)(X, X, X)[0].shape == X.shape
