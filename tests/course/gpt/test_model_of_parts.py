"""The stored language model, made of the parts that answers take the place of."""

import numpy as np
import pytest

from course.data.prose import stored_model
from course.gpt.model_of_parts import BEGINNING, PARTS, last_logits, written_with
from solutions.language_model.common import encode
from solutions.language_model.in_numpy import language_model


def test_the_model_that_is_made_of_parts_is_the_stored_model():
    model = stored_model()
    tokens = encode(BEGINNING, model.merges)
    expected, _ = language_model(np.array([tokens]), model.weights, model.num_heads)
    np.testing.assert_allclose(last_logits(model, tokens, PARTS), expected[0, -1], rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("part", PARTS)
def test_a_part_that_is_another_function_is_used_and_its_result_looked_at(part):
    right = written_with(part, PARTS[part], 1)
    assert right == written_with(part, lambda *given: PARTS[part](*given), 1)
    with pytest.raises(ValueError, match="not finite"):
        written_with(part, lambda *given: np.multiply(np.nan, _first(PARTS[part](*given))), 1)
    with pytest.raises(ValueError, match="must give"):
        written_with(part, lambda *given: _first(PARTS[part](*given))[..., :1], 1)


def _first(result):
    """Of attention the context, with its weights once more, as it is unpacked."""
    return np.stack([result[0], result[0]]) if isinstance(result, tuple) else result
