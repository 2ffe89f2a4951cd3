"""What an exercise forbids cannot be unlocked by importing the grader's own modules."""

import contextlib
import gc
import sys
from types import ModuleType

import pytest
import torch

from autograder.frameworks import library_attention
from autograder.frameworks import torch as framework
from autograder.frameworks.base import ContractBroken
from autograder.model.catalogue import all_exercises
from autograder.model.paths import ROOT
from autograder.sandbox import refusals
from autograder.sandbox.refusals import refusing, reported
from tests.support import graded, need

RIGHT = (ROOT / "solutions" / "dot_product" / "in_torch.py").read_text()
CALLS = RIGHT.replace(
    "return torch.bmm(",
    "torch.nn.functional.scaled_dot_product_attention(queries, queries, queries)\n        return torch.bmm(",
)
UNLOCK = {
    "as the refusals": "from autograder.sandbox import refusals\nrefusals.refusing = nothing\nrefusals._REFUSALS.clear()\n",
    "as the session": "import autograder.sandbox.session as session\nsession.refusing = nothing\n",
    "by its name": "import sys\nsys.modules['autograder.sandbox.session'].refusing = nothing\n",
    "by parts of its name": "import importlib\nimportlib.import_module('autograder.sand' + 'box.session').refusing = nothing\n",
    "as the framework": "import autograder.frameworks.torch as t\nt.FRAMEWORK.__dict__['refuse'] = None\n",
    "as PyTorch's library": "import torch.library\ntorch.library.Library.impl = nothing\n",
}
NOTHING = "import contextlib\nnothing = lambda *a, **k: contextlib.nullcontext()\n"


@pytest.mark.parametrize("way", UNLOCK)
def test_a_refusal_holds_whatever_is_imported(zygote, way):
    exercise = all_exercises()["dot_product_attention"]
    (verdict,) = graded(zygote, NOTHING + UNLOCK[way] + CALLS, "a.py", [exercise], "torch")
    assert (verdict.outcome, verdict.failed_stage) == ("rejected", "contract"), verdict
    assert "scaled_dot_product_attention, which the exercise asks you to write" in verdict.message
    assert verdict.flag


LIBRARY = "torch.nn.MultiheadAttention(queries.shape[-1], 1, batch_first=True)(queries, queries, queries)"
WRITTEN_IN_PYTHON = {
    "as it is": LIBRARY,
    "with function modes switched off": f"with torch._C.DisableTorchFunction(): {LIBRARY}",
}


@pytest.mark.parametrize("way", WRITTEN_IN_PYTHON)
def test_what_the_library_has_written_in_python_is_refused_too(zygote, way):
    exercise = all_exercises()["dot_product_attention"]
    source = RIGHT.replace("return torch.bmm(", f"{WRITTEN_IN_PYTHON[way]}\n        return torch.bmm(")
    (verdict,) = graded(zygote, source, "a.py", [exercise], "torch")
    assert (verdict.outcome, verdict.failed_stage) == ("rejected", "contract"), verdict
    assert "multi_head_attention_forward, which the exercise asks you to write" in verdict.message
    assert "MultiheadAttention" in (verdict.flag or "")


def test_a_function_that_was_put_aside_while_the_source_ran_is_refused(zygote):
    """An answer keeps the library's function, and puts another in its place for the refusal to find."""
    exercise = all_exercises()["dot_product_attention"]
    aside = "F = torch.nn.functional\nkept = F.multi_head_attention_forward\nF.multi_head_attention_forward = len\n"
    call = (
        "arguments = (queries, queries, queries, queries.shape[-1], 1, None, None, None, None, False, 0.0, None, None)\n"
        "        with torch._C.DisableTorchFunction(): kept(*arguments)\n        return torch.bmm("
    )
    source = f"{RIGHT.replace('return torch.bmm(', call)}\n{aside}"
    (verdict,) = graded(zygote, source, "a.py", [exercise], "torch")
    assert "multi_head_attention_forward, which the exercise asks you to write" in verdict.message, verdict


X = "(X - X.mean(-1, keepdim=True))"
OTHER_NAMES = {
    "a normalisation without statistics": (
        "torch", "torch.ops.aten._native_batch_norm_legit.no_stats(X, None, None, True, 0.0, 1e-5)[0]"
    ),
    "the root mean square of what is centred": ("torch", f"torch.ops.aten._fused_rms_norm({X}, [4], None, 1e-5)[0]"),
    "a length with a floor": ("mxnet", "mx.nd.L2Normalization(X, mode='instance')"),
}  # fmt: skip


@pytest.mark.parametrize("way", OTHER_NAMES)
def test_an_operator_is_refused_under_all_its_names(zygote, way):
    framework, call = OTHER_NAMES[way]
    need(framework)
    module = "mxnet as mx" if framework == "mxnet" else "torch"
    source = f"import {module}\ndef layer_norm(X, gain, bias):\n    return {call}\n"
    (verdict,) = graded(zygote, source, "a.py", [all_exercises()["layer_norm"]], framework)
    assert (verdict.outcome, verdict.failed_stage) == ("rejected", "contract"), verdict
    assert "which the exercise asks you to write" in verdict.message


ATTENTION = "torch.nn.functional.scaled_dot_product_attention"
COMPARED = f"kept = {ATTENTION}\nX = torch.ones(1, 2, 4)\nassert {ATTENTION}(X, X, X).shape == X.shape\n"


def test_who_compares_with_the_library_while_the_source_runs_loses_nothing(zygote):
    """The function may be named; the statement that calls it is refused, and what else is defined is judged."""
    exercises = [all_exercises()[name] for name in ("scaled_scores", "dot_product_attention")]
    source = f"import torch\n{COMPARED}{RIGHT}\n{COMPARED}"
    verdicts = graded(zygote, source, "a.py", exercises, "torch")
    assert [v.outcome for v in verdicts] == ["accepted"] * 2, verdicts


def test_an_answer_that_is_missing_since_the_library_was_called_is_told_so(zygote):
    source = f"import torch\n{COMPARED}if {ATTENTION}(X, X, X) is not None:\n    DotProductAttention = 1\n"
    (verdict,) = graded(zygote, source, "a.py", [all_exercises()["dot_product_attention"]], "torch")
    assert verdict.outcome == "error"
    assert ": in line 4 of the file: it calls scaled_dot_product_attention, which" in verdict.message


@pytest.mark.parametrize(
    "name", ["_scaled_dot_product_flash_attention", "_transformer_encoder_layer_fwd", "_safe_softmax"]
)
def test_every_attention_of_the_library_is_refused_and_a_softmax_is_not(name):
    torch = pytest.importorskip("torch")
    X = torch.ones(1, 1, 2, 2)
    arguments = {"_safe_softmax": (X, -1), "_scaled_dot_product_flash_attention": (X, X, X)}
    layer = (X, 2, 1, *[X] * 4, False, False, 1e-5, *[X] * 8)
    with refusing(library_attention()) as names, contextlib.suppress(ContractBroken):
        getattr(torch.ops.aten, name)(*arguments.get(name, layer))
    assert names == ([] if "softmax" in name else [name])


X4, ONE = torch.ones(1, 2, 3, 4), torch.ones(4)
NESTED = torch.nested.nested_tensor([torch.ones(2, 3, 4)])
FLASH = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu
ENCODER = torch.nn.TransformerEncoderLayer(4, 2, 4, batch_first=True).eval().requires_grad_(False)
OTHER_ARRAYS = {
    "nested, layer norm": lambda: torch.nn.functional.layer_norm(
        torch.nested.nested_tensor([torch.ones(3, 4)]), (4,), ONE, ONE
    ),
    "nested, attention": lambda: torch.nn.functional.scaled_dot_product_attention(NESTED, NESTED, NESTED),
    "mapped, attention": lambda: torch.vmap(torch.nn.functional.scaled_dot_product_attention)(X4, X4, X4),
    "mapped, an operator for this processor": lambda: torch.vmap(FLASH)(X4[None], X4[None], X4[None]),
    "differentiated by a transform": lambda: torch.func.grad(lambda X: FLASH(X, X, X)[0].sum())(X4),
    "nested, an encoder": lambda: ENCODER(torch.nested.nested_tensor([torch.ones(3, 4)])),
    "oneDNN, batch norm": lambda: torch.nn.functional.batch_norm(
        torch.ones(2, 4, 3, 3).to_mkldnn(), None, None, ONE.to_mkldnn(), ONE.to_mkldnn(), True
    ),
}


@pytest.mark.parametrize("way", OTHER_ARRAYS)
def test_an_operator_is_refused_on_other_kinds_of_arrays_with_function_modes_switched_off(way):
    names = [f"torch.nn.functional.{n}" for n in ("layer_norm", "batch_norm", "scaled_dot_product_attention")]
    with torch._C.DisableTorchFunction():
        OTHER_ARRAYS[way]()
        # oneDNN looks for its own arrays before the refusal can speak.
        with refusing(names), pytest.raises((ContractBroken, RuntimeError)):
            OTHER_ARRAYS[way]()


def test_a_refusal_leaves_the_library_as_it_was():
    torch = pytest.importorskip("torch")
    function = torch.nn.functional.multi_head_attention_forward
    before = function.__code__, set(function.__globals__)
    forbidden = ["torch.nn.functional.multi_head_attention_forward"]
    with pytest.raises(ContractBroken), refusing(forbidden) as names, reported(names):
        function()
    assert (function.__code__, set(function.__globals__)) == before
    X = torch.ones(1, 2, 4)
    with refusing(["torch.nn.functional.layer_norm"]) as names, reported(names):
        assert torch.nn.MultiheadAttention(4, 1)(X, X, X)[0].shape == X.shape


def test_an_operator_that_comes_with_a_module_is_refused_from_then_on(monkeypatch):
    """What is refused is looked up anew once a module was imported."""
    forbidden = ["torch.nn.functional.layer_norm"]
    with refusing(forbidden):
        pass
    library = torch.library.Library("come_later", "DEF")
    library.define("layer_norm(Tensor x) -> Tensor")
    library.impl("layer_norm", torch.clone, "CPU")
    monkeypatch.setitem(sys.modules, "come_later", ModuleType("come_later"))
    with (
        pytest.raises(ContractBroken, match="layer_norm"),
        refusing(forbidden) as names,
        reported(names),
        torch._C.DisableTorchFunction(),
    ):
        torch.ops.come_later.layer_norm(torch.ones(2))
    library._destroy()


def in_turn(*steps):
    """The outcomes of functions that are called as in a worker: what is refused stays from one to the next."""
    outcomes = []
    for forbidden, step in steps:
        with refusals._refused(forbidden, names := []):
            with contextlib.suppress(ContractBroken):
                step()
            outcomes.append(names)
    with refusals._refused((), []):
        return outcomes


def attend():
    with torch._C.DisableTorchFunction():
        torch.nn.functional.scaled_dot_product_attention(X4, X4, X4)


def take_all_refusals_away():
    for library in [entry for entry in gc.get_objects() if isinstance(entry, torch.library.Library)]:
        library._destroy()


def test_refusals_that_stay_hold_for_each_request_and_for_no_other():
    attention, norm = ["torch.nn.functional.scaled_dot_product_attention"], ["torch.nn.functional.layer_norm"]
    names = ["scaled_dot_product_attention"]
    steps = ((attention, attend), (attention, attend), (norm, attend), ((), attend), (attention, attend))
    assert in_turn(*steps) == [names, names, [], [], names]
    steps = ((attention, take_all_refusals_away), (attention, attend))
    assert in_turn(*steps) == [[], names]
    attend()


def test_what_is_not_installed_could_compute_nothing():
    """Each operator that is refused in fewer places has a kernel in none of the others, nor one for all of them."""
    has_kernel = torch._C._dispatch_has_kernel_for_dispatch_key
    names = frozenset({"scaled_dot_product_attention", "layer_norm", "cosine_similarity"})
    operators, _ = framework._OPERATORS.related_to(names)
    operators = [name for name in operators if name.startswith("aten::")]
    left_out = [
        (name, key) for name in operators for key in set(framework.KEYS) - {*framework._keys_of(name)}
    ]
    assert len(operators) > 60 and len(left_out) > 100
    assert not [pair for pair in left_out if has_kernel(*pair)]
    composite = [key for key in dir(torch._C.DispatchKey) if key.startswith("Composite")]
    assert composite and not [
        (name, key) for name, _ in left_out for key in composite if has_kernel(name, key)
    ]


def test_a_worker_does_not_list_all_operators_anew(monkeypatch):
    need("mxnet")
    names = ["torch.nn.functional.layer_norm", "mxnet.nd.LayerNorm"]
    with refusing(names):
        pass
    # As in a worker: other names are refused, none of the grader's modules is there, and the answer's own are.
    for name in [name for name in sys.modules if name.startswith("autograder.")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "solutions.dot_product", ModuleType("solutions.dot_product"))
    monkeypatch.setattr(torch._C, "_dispatch_get_all_op_names", lambda: pytest.fail("listed anew"))
    with refusing([*names, *library_attention()]) as operators:
        queries = torch.ones(1, 2, 4)
        with pytest.raises(ContractBroken):
            torch.nn.functional.scaled_dot_product_attention(queries, queries, queries)
    assert operators == ["scaled_dot_product_attention"]
