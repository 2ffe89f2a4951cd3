"""The translation tasks, the initial weights and the measures."""

import numpy as np
import pytest

from course.data.sentence_pairs import Pair
from course.training.translation import bleu, corpus, initial_weights


@pytest.mark.parametrize("name", ["dates", "grammar"])
def test_no_test_sentence_was_trained_on(name):
    pairs = corpus(name)
    assert not {p.source for p in pairs.train} & {p.source for p in pairs.test}
    assert len(pairs.test) > 450


def test_both_frameworks_begin_with_the_same_numbers():
    shapes = {
        "encoder.embedding.weight": (5, 3),
        "decoder.cell.weight_hh": (6, 2),
        "decoder.output.bias": (4,),
    }
    first, second = initial_weights(shapes, 0), initial_weights(dict(reversed(shapes.items())), 0)
    for name in shapes:
        np.testing.assert_array_equal(first[name], second[name])
    assert np.abs(first["decoder.cell.weight_hh"]).max() <= 1 / np.sqrt(2)
    assert not np.array_equal(
        first["decoder.cell.weight_hh"], initial_weights(shapes, 1)["decoder.cell.weight_hh"]
    )


def test_measures_are_what_they_say():
    pairs = [Pair(("a",), ("x", "y", "z", "w", "v")), Pair(("b",), ("x", "y", "z", "w", "u"))]
    assert bleu([p.target for p in pairs], pairs) == pytest.approx(100)
    # Four of five words, three of four pairs, two of three triples, one of two quadruples.
    translations = [["x", "y", "z", "w", "q"]] * 2
    assert bleu(translations, pairs) == pytest.approx(100 * (4 / 5 * 3 / 4 * 2 / 3 * 1 / 2) ** 0.25)
