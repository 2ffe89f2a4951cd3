"""What arrays hold while a call is measured: the largest, and all that live together at the peak."""

import pytest

from autograder.frameworks import frameworks
from autograder.frameworks.libraries import mx, torch
from tests.support import FRAMEWORKS, need


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_arrays_count_together_while_they_live_and_no_longer(framework):
    need(framework)
    make = {"torch": lambda: torch.ones(2, 5), "mxnet": lambda: mx.nd.ones((2, 5))}[framework]
    with frameworks()[framework].adapter().measured() as memory:
        for _ in range(3):
            make()
        assert (memory.largest, memory.peak) == (10, 10)
        arrays = [make() for _ in range(3)]
        assert (memory.largest, memory.peak) == (10, 30)
        del arrays
        make()
    assert (memory.largest, memory.peak) == (10, 30)


def test_a_view_keeps_what_it_is_a_view_of():
    with frameworks()["torch"].adapter().measured() as memory:
        views = [torch.ones(10)[:1] for _ in range(3)]
    assert (len(views), memory.peak) == (3, 30)


def test_a_compiled_block_is_measured_as_it_was_written_and_stays_compiled():
    need("mxnet")

    class Squares(mx.gluon.HybridBlock):
        def hybrid_forward(self, F, X):
            return F.batch_dot(F.ones((1, 5, 5)), X).sum()

    block = Squares()
    block.hybridize()
    X = mx.nd.ones((1, 5, 2))
    block(X)
    with frameworks()["mxnet"].adapter().measured() as memory:
        block(X)
        later = Squares()
        later.hybridize()
    assert memory.largest == 25
    assert block._active and later._active
