"""Film reviews from a small grammar, where the words that decide each label are known.

A review holds one opinion of its writer, and sentences that do not count: facts, and what others
think of the film. Negation inverts an adjective, and of "truly so good, but not very moving"
only the half after "but" counts. So the label follows from three words, the gold evidence:
whether something is negated, the adjective, and "me", which says whose opinion it is. No single word
predicts the label: half of the praise is made of bad words.

What reviews from elsewhere need too is here: vocabulary, arrays, splits, batches, and counted words.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]
Bools = NDArray[np.bool_]
PADDING, UNKNOWN = "<pad>", "<unk>"  # tokens 0 and 1 of every vocabulary
PRAISE = [
    "good",
    "great",
    "moving",
    "funny",
    "clever",
    "charming",
    "gripping",
    "fresh",
    "honest",
    "elegant",
    "warm",
    "brilliant",
]
BLAME = [
    "bad",
    "dull",
    "slow",
    "clumsy",
    "boring",
    "silly",
    "stale",
    "weak",
    "messy",
    "cold",
    "awful",
    "noisy",
]
NEGATIONS = ["not", "never", "hardly"]
AFFIRMATIONS = ["simply", "truly", "certainly"]
DEGREES = ["very", "really", "quite", "rather", "so"]
ASPECTS = [
    "plot",
    "acting",
    "music",
    "ending",
    "dialogue",
    "cast",
    "story",
    "humour",
    "opening",
    "camera",
    "pace",
    "hero",
]
VERBS = ["is", "was", "felt", "seemed"]
PEOPLE = ["him", "her", "them", "critics", "children", "friends"]
FACTS = (
    "we saw it on a monday",
    "it runs for two hours",
    "it is set in paris",
    "my brother came along",
    "the director also wrote it",
    "it is based on a novel",
    "they filmed it in winter",
    "the cinema was half empty",
    "it comes out in march",
    "nobody in it is famous",
)


@dataclass(frozen=True)
class Review:
    """One review.

    words: its words, in lower case, punctuation apart
    label: 1 for praise, 0 for blame
    evidence: whether a word belongs to those that decide the label; empty where nobody knows
    """

    words: tuple[str, ...]
    label: int
    evidence: tuple[bool, ...] = ()


def written_reviews(count: int, seed: int) -> list[Review]:
    """Return `count` different reviews from the grammar; the same seed gives the same ones everywhere.

    Raises ValueError if `count` is below 1.
    """
    if count < 1:
        raise ValueError(f"count is {count}: at least one review is needed.")
    rng = np.random.default_rng(seed)
    by_words: dict[tuple[str, ...], Review] = {}
    while len(by_words) < count:
        review = _review(rng)
        by_words.setdefault(review.words, review)
    return list(by_words.values())


# What a clause is: its words, and for each whether it is evidence.
Clause = tuple[list[str], list[bool]]


def _review(rng: np.random.Generator) -> Review:
    label = int(rng.integers(2))
    clauses = [_sentence(rng, label), _aside(rng)]
    if rng.random() < 0.5:
        clauses.append(_aside(rng))
    words: list[str] = []
    evidence: list[bool] = []
    for index in rng.permutation(len(clauses)):
        words += [*clauses[index][0], "."]
        evidence += [*clauses[index][1], False]
    return Review(tuple(words), label, tuple(evidence))


def _sentence(rng: np.random.Generator, label: int, whom: str = "me") -> Clause:
    """Return a sentence such as "the plot was truly so good , but hardly very clever for me"."""
    words = ["the", _one(rng, ASPECTS), _one(rng, VERBS)]
    if whom == "me" and rng.random() < 0.4:
        words += [*_opinion(rng, 1 - label), ",", "but"]
    before = len(words)
    words += [*_opinion(rng, label), "for", whom]
    # The degree changes nothing: "not very good" and "not so good" say the same.
    decides = [False] * before + [True, False, True, False, True]
    return words, [whom == "me" and counts for counts in decides]


def _opinion(rng: np.random.Generator, label: int) -> list[str]:
    """Return three words such as "truly so good", or "not very bad"."""
    negated = rng.random() < 0.5
    adjectives = PRAISE if label != negated else BLAME
    return [_one(rng, NEGATIONS if negated else AFFIRMATIONS), _one(rng, DEGREES), _one(rng, adjectives)]


def _aside(rng: np.random.Generator) -> Clause:
    """Return a fact, or what somebody else thinks."""
    if rng.random() < 0.6:
        return _sentence(rng, int(rng.integers(2)), _one(rng, PEOPLE))
    words = _one(rng, FACTS).split()
    return words, [False] * len(words)


def _one(rng: np.random.Generator, choices: Sequence[str]) -> str:
    return choices[int(rng.integers(len(choices)))]


@dataclass(frozen=True)
class Splits:
    """Reviews for training, validation and test. No two have the same words."""

    train: list[Review]
    valid: list[Review]
    test: list[Review]


def splits(reviews: Sequence[Review], valid: int, test: int, seed: int = 0) -> Splits:
    """Shuffle reviews and split them: `valid` for validation, `test` for the test, the rest for training.

    Of reviews with the same words only the first takes part.
    Raises ValueError if none is left for training.
    """
    different = list({review.words: review for review in reversed(reviews)}.values())[::-1]
    if valid + test >= len(different):
        raise ValueError(f"{valid} + {test} of {len(different)} different reviews leave none for training.")
    order = np.random.default_rng(seed).permutation(len(different))
    dealt = [different[i] for i in order]
    return Splits(dealt[valid + test :], dealt[:valid], dealt[valid : valid + test])


class ReviewVocabulary:
    """The words of reviews and their numbers. Padding is 0; a word that is not in the training reviews is 1.

    That of translation, `sentence_pairs.Vocabulary`, has other special tokens and another order.
    """

    def __init__(self, reviews: Sequence[Review], at_least: int = 1) -> None:
        """reviews: those for training only; at_least: how often a word must occur to get a number."""
        counts = Counter(word for review in reviews for word in review.words)
        self.words = [PADDING, UNKNOWN, *sorted(word for word in counts if counts[word] >= at_least)]
        self.numbers = {word: number for number, word in enumerate(self.words)}

    def __len__(self) -> int:
        return len(self.words)


@dataclass(frozen=True)
class Encoded:
    """Reviews as arrays.

    tokens: (n, num_steps), numbers of words, padded with 0 at the end
    lengths: (n,)
    labels: (n,), float, 1 for praise
    evidence: (n, num_steps), true where a word is evidence
    """

    tokens: Integers
    lengths: Integers
    labels: NDArray[np.float32]
    evidence: Bools

    def __len__(self) -> int:
        return len(self.lengths)

    def batch(self, indices: Integers | slice) -> tuple[Integers, Integers, NDArray[np.float32]]:
        """Return tokens, lengths and labels of some reviews, no wider than the longest of them."""
        lengths = self.lengths[indices]
        return self.tokens[indices, : lengths.max()], lengths, self.labels[indices]

    def marked(self, indices: Integers | slice) -> Bools:
        """Return the evidence of the same reviews, as wide as their tokens."""
        return self.evidence[indices, : self.lengths[indices].max()]


def encoded(reviews: Sequence[Review], vocabulary: ReviewVocabulary) -> Encoded:
    """Return reviews as arrays, each as wide as the longest of them."""
    lengths = np.array([len(review.words) for review in reviews])
    tokens = np.zeros((len(reviews), lengths.max()), dtype=np.int64)
    evidence = np.zeros(tokens.shape, dtype=bool)
    for row, review in enumerate(reviews):
        tokens[row, : len(review.words)] = [vocabulary.numbers.get(word, 1) for word in review.words]
        evidence[row, : len(review.evidence)] = review.evidence
    labels = np.array([review.label for review in reviews], dtype=np.float32)
    return Encoded(tokens, lengths, labels, evidence)


def batch_indices(count: int, size: int, epochs: int, seed: int) -> Iterator[Integers]:
    """Yield which of `count` reviews to take in each step: every review once in every epoch, in a new order."""
    rng = np.random.default_rng(seed)
    for _ in range(epochs):
        order = rng.permutation(count)
        yield from (order[start : start + size] for start in range(0, count, size))


def counted_words(data: Encoded, num_words: int) -> NDArray[np.float64]:
    """Return how often each word stands in each review, (n, num_words), padding apart: a bag of words."""
    counts = np.zeros((len(data), num_words))
    rows = np.broadcast_to(np.arange(len(data))[:, None], data.tokens.shape)
    np.add.at(counts, (rows, data.tokens), 1)
    counts[:, 0] = 0
    return counts


def bag_of_words_accuracy(train: Encoded, test: Encoded, num_words: int) -> float:
    """Return the accuracy of logistic regression on counted words: a baseline without word order."""
    from sklearn.linear_model import LogisticRegression

    model = LogisticRegression(max_iter=1000).fit(counted_words(train, num_words), train.labels)
    return float(model.score(counted_words(test, num_words), test.labels))
