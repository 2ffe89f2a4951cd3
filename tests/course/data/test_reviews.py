"""The written reviews: their grammar, their evidence, and how they are dealt and encoded."""

import numpy as np
import pytest

from course.data import reviews
from course.training.sentiment import written_dataset


def test_the_same_seed_writes_the_same_reviews_and_no_two_are_alike():
    some = reviews.written_reviews(300, seed=5)
    assert some == reviews.written_reviews(300, seed=5) != reviews.written_reviews(300, seed=6)
    assert len({review.words for review in some}) == 300


def read_by_the_rules(words):
    """What a reader who knows the grammar says of a review, word by word, without its label."""
    end = words.index("me")
    assert words[end - 1] == "for"
    opinion = words[end - 4 : end - 1]
    praised = opinion[2] in reviews.PRAISE
    return int(praised != (opinion[0] in reviews.NEGATIONS))


def test_the_label_follows_from_the_rules_and_the_evidence_is_what_decides_it():
    for review in reviews.written_reviews(500, seed=1):
        assert read_by_the_rules(review.words) == review.label
        evidence = [w for w, counts in zip(review.words, review.evidence, strict=True) if counts]
        first, adjective, whom = evidence
        assert first in reviews.NEGATIONS + reviews.AFFIRMATIONS
        assert adjective in reviews.PRAISE + reviews.BLAME
        assert whom == "me" and review.words.count("me") == 1


def test_the_half_before_but_says_the_opposite():
    contrasts = [r for r in reviews.written_reviews(500, seed=2) if "but" in r.words]
    assert 100 < len(contrasts) < 300
    for review in contrasts:
        place = review.words.index("but")
        negation, _, adjective = review.words[place - 4 : place - 1]
        praised = (adjective in reviews.PRAISE) != (negation in reviews.NEGATIONS)
        assert int(praised) != review.label


def test_no_single_word_tells_the_label_so_counting_words_is_chance():
    dataset = written_dataset()
    counted = reviews.bag_of_words_accuracy(dataset.train, dataset.test, len(dataset.vocabulary))
    assert abs(counted - 0.5) < 0.05


def test_training_validation_and_test_share_no_review():
    dealt = written_dataset().reviews
    parts = [{r.words for r in part} for part in (dealt.train, dealt.valid, dealt.test)]
    assert [len(part) for part in parts] == [2000, 400, 600]
    assert not parts[0] & parts[1] and not parts[0] & parts[2] and not parts[1] & parts[2]


def test_of_reviews_with_the_same_words_one_takes_part():
    twice = [reviews.Review((str(i % 10),), i % 2) for i in range(20)]
    dealt = reviews.splits(twice, 2, 3)
    assert len(dealt.train) == 5 and len(dealt.valid) == 2 and len(dealt.test) == 3
    with pytest.raises(ValueError, match="leave none for training"):
        reviews.splits(twice, 5, 5)


def test_the_vocabulary_knows_training_words_only_and_pads_with_zero():
    training = [reviews.Review(("a", "a", "b"), 1)]
    vocabulary = reviews.ReviewVocabulary(training, at_least=2)
    assert vocabulary.words == [reviews.PADDING, reviews.UNKNOWN, "a"]
    data = reviews.encoded([*training, reviews.Review(("c",), 0, (True,))], vocabulary)
    np.testing.assert_array_equal(data.tokens, [[2, 2, 1], [1, 0, 0]])
    np.testing.assert_array_equal(data.evidence, [[0, 0, 0], [1, 0, 0]])
    np.testing.assert_array_equal(reviews.counted_words(data, 3), [[0, 1, 2], [0, 1, 0]])
    tokens, lengths, labels = data.batch(slice(1, 2))
    assert tokens.shape == (1, 1) and lengths.tolist() == [1] and labels.tolist() == [0]
    assert data.marked(slice(1, 2)).tolist() == [[True]] and data.marked(slice(0, 1)).shape == (1, 3)


def test_every_epoch_takes_every_review_once_in_another_order():
    first, second = (np.concatenate(list(reviews.batch_indices(10, 4, 1, seed))) for seed in (0, 1))
    both = list(reviews.batch_indices(10, 4, 2, 0))
    assert [len(batch) for batch in both] == [4, 4, 2] * 2
    assert sorted(np.concatenate(both[:3])) == sorted(np.concatenate(both[3:])) == list(range(10))
    assert (np.concatenate(both[:3]) == first).all() and (first != second).any()
