"""The tokeniser splits as spaCy did."""

import pytest

from course.data.tokeniser import tokens


@pytest.mark.parametrize(
    ("language", "sentence", "expected"),
    [
        ("de", "Ein T-Shirt, rot.", "Ein T-Shirt , rot ."),
        ("de", "Der „Hund“ bellt!", "Der „ Hund “ bellt !"),
        ("de", "Er ist ca. 5m groß.", "Er ist ca. 5 m groß ."),
        ("de", "Sie geht's an ...", "Sie geht 's an ..."),
        ("de", "Zwei  Hunde", "Zwei   Hunde"),
        ("en", "A T-shirt, red.", "A T - shirt , red ."),
        ("en", "The man doesn't see it's raining.", "The man does n't see it 's raining ."),
        ("en", "the boys' ball (a toy)", "the boys ' ball ( a toy )"),
        ("en", "They cannot id him.", "They can not i d him ."),
        ("en", "In the U.S. there are 5 dogs.", "In the U.S. there are 5 dogs ."),
        ("en", "", ""),
    ],
)
def test_the_tokeniser_splits_as_spacy_did(language, sentence, expected):
    assert " ".join(tokens(sentence, language)) == expected
