"""What the page's PyTorch does not know ends in no verdict: it raises, and it is noted even where an answer catches that."""

import sys

import numpy as np
import pytest

from course.page_torch import adapter, errors, modules

T = modules()["torch"]
SENTENCE = "The page's PyTorch does not know torch.{name}"


@pytest.fixture(autouse=True)
def anew():
    errors.forget()


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("T.vmap", "vmap"),
        ("T.nn.Transformer", "nn.Transformer"),
        ("T.bfloat16", "bfloat16"),
        ("T.ones(2).erfinv()", "Tensor.erfinv"),
        ("T.ones(2).sum(strange=1)", "sum"),
        ("T.zeros(2, out=None)", "zeros"),
        ("T.ones(2).to(dtype='float32')", "dtype"),
        ("T.ones(2) + np.ones(2)", "Tensor, met with numpy.ndarray"),
        ("np.exp(T.ones(2))", "Tensor, handed to numpy.exp"),
        (
            "T.ones(2, requires_grad=True).sum().backward(create_graph=True)",
            "Tensor.backward with create_graph",
        ),
        ("(lambda x: (x.numpy(), x.add_(1)))(T.ones(2))", "Tensor, changed in place"),
        ("hasattr(T.ones(2), 'erfinv')", "Tensor.erfinv"),
        ("T.nn.Linear(2, 2).register_forward_hook(print)", "nn.Module.register_forward_hook"),
        ("T.nn.Linear(2, 2, dtype=T.float64)", "nn.Linear"),
        ("T.linalg.norm(T.ones(2, 2), 2)", "linalg.norm of a matrix"),
        ("T.ones(2, requires_grad=True).bool().abs()", "abs of a mask"),
    ],
)
def test_a_name_an_argument_and_a_case_that_are_not_known_raise_and_are_noted(text, name):
    with pytest.raises(errors.NotInPage) as caught:
        eval(text, {"T": T, "np": np})
    assert str(caught.value).startswith(SENTENCE.format(name=name))
    assert str(caught.value).endswith(": try it in the notebook.")
    assert errors.unknown_names()[0].startswith(f"torch.{name}")


def test_an_answer_that_catches_it_has_still_met_it():
    try:
        T.vmap(len)
    except Exception:
        result = T.ones(2)
    assert result.shape == (2,) and errors.unknown_names() == ("torch.vmap",)
    errors.forget()
    assert errors.unknown_names() == ()


def test_a_view_and_its_base_share_their_numbers_when_one_is_written_to():
    x = T.zeros(2, 3)
    row, turned = x[0], x.T
    row += 1
    turned[2, 1] = 5
    assert x.tolist() == [[1, 1, 1], [0, 0, 5]] and row.tolist() == [1, 1, 1] and turned[2].tolist() == [1, 5]
    assert errors.unknown_names() == ()


def test_modules_are_made_without_a_change_to_what_is_imported():
    assert sys.modules.get("torch") is not T


def test_the_adapter_refuses_functions_by_their_names_and_families():
    calls = []
    with (
        adapter.refuse(frozenset({"layer_norm"}), calls),
        pytest.raises(Exception, match="asks you to write yourself"),
    ):
        T.nn.LayerNorm(2)(T.ones(2, 2))
    assert calls == ["layer_norm"]
    assert T.nn.LayerNorm(2)(T.ones(2, 2)).shape == (2, 2)
