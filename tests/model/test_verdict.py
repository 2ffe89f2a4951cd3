"""A verdict, as plain values and back."""

import json

import numpy as np
import pytest

from autograder.model.finding import Kind
from autograder.model.verdict import NOT_WRITTEN, Difference, Verdict


def round_trip(verdict):
    """The verdict after it has been text."""
    return Verdict.from_dict(json.loads(json.dumps(verdict.as_dict())))


def test_a_result_survives_being_kept():
    fields = {
        "failed_stage": "values",
        "is_settled": False,
        "axis_lengths": "batch 2",
        "fingerprint": (0.5, 2.0),
    }
    verdict = Verdict("masked_softmax", "torch", "rejected", "No.", max_points=2, **fields)
    assert round_trip(verdict) == verdict
    stored = {"layer": "values", "final": False, "sizes": "batch 2", "computed": (0.5, 2.0)}
    assert stored.items() <= verdict.as_dict().items(), "the names that gradebooks have"


@pytest.mark.parametrize("numbers", [(0.25, 0.5), (np.nan, -np.inf)])
def test_a_difference_survives_with_both_of_its_heat_maps(numbers):
    got, expected = np.array([[numbers[0], 0.75]]), np.array([[numbers[1], 0.5]])
    difference = Difference("weights", (0, 0), *numbers, got, expected)
    verdict = Verdict("masked_softmax", "torch", "rejected", "No.", difference=difference)
    reread = round_trip(verdict).difference
    np.testing.assert_array_equal((reread.got, reread.expected), numbers)
    assert (reread.output, reread.where) == ("weights", (0, 0))
    np.testing.assert_array_equal(reread.got_map, got)
    np.testing.assert_array_equal(reread.expected_map, expected)


@pytest.mark.parametrize(
    ("more", "kind"),
    [
        ({}, None),
        ({"message": NOT_WRITTEN}, Kind.NOT_WRITTEN),
        ({"kind": None}, None),
        ({"kind": "gradient_cut"}, Kind.GRADIENT_CUT),
        ({"kind": "of a later version"}, None),
    ],
)
def test_what_another_version_has_kept_is_read(more, kind):
    """A gradebook may be from before findings had kinds, or from after new ones."""
    plain = {"exercise": "masked_softmax", "framework": "torch", "outcome": "missing", "message": "No."}
    assert Verdict.from_dict({**plain, **more}).kind == kind
