"""What an exercise forbids cannot be unlocked by importing the grader's own modules."""

import pytest

from autograder.model.catalogue import all_exercises
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
