"""What arrays hold while a call is measured: the largest, and all that live together at the peak."""

import pytest

from autograder.frameworks import frameworks
from autograder.frameworks.libraries import mx, torch
from tests.support import FRAMEWORKS, need


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_arrays_count_together_while_they_live_and_no_longer(framework):
    need(framework)
    make = {"torch": lambda: torch.ones(2, 5), "mxnet": lambda: mx.nd.ones((2, 5))}[framework]
    with frameworks()[framework].adapter().measured() as held:
        for _ in range(3):
            make()
        assert (held.largest, held.peak) == (10, 10)
        arrays = [make() for _ in range(3)]
        assert (held.largest, held.peak) == (10, 30)
        del arrays
        make()
    assert (held.largest, held.peak) == (10, 30)


def test_a_view_keeps_what_it_is_a_view_of():
    with frameworks()["torch"].adapter().measured() as held:
        views = [torch.ones(10)[:1] for _ in range(3)]
    assert (len(views), held.peak) == (3, 30)
