"""What `benchmarks.real_model` takes away from a model is away, and nothing else is."""

from types import SimpleNamespace

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

from benchmarks import real_model  # noqa: E402
from solutions.gpt.in_torch import GPT  # noqa: E402
from solutions.sparse.in_torch import sparse_weights  # noqa: E402


@pytest.fixture
def trained():
    torch.manual_seed(0)
    with torch.no_grad():
        sizes = SimpleNamespace(num_heads=4)
        yield SimpleNamespace(model=GPT(50, 16, 4, 2, 32, 2), sizes=sizes)


TOKENS = torch.arange(20).reshape(2, 10)


def test_a_window_as_wide_as_the_text_changes_nothing_and_a_narrow_one_does(trained):
    expected = trained.model(TOKENS)
    for width, is_same in ((10, True), (2, False)):
        with real_model.softmax_as(trained, lambda scores, _, w=width: sparse_weights(scores, w, 1, 0)):
            assert torch.allclose(trained.model(TOKENS), expected, atol=1e-6) is is_same


def test_what_is_measured_of_each_layer_is_of_its_weights(trained):
    rows = real_model.in_each_layer(trained, TOKENS, lambda weights: weights[:, :, 0, 0].mean(dim=0))
    assert rows == [[1.0] * 4] * 2
