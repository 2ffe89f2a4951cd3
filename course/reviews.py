"""Film reviews from a small grammar, with the words that decide each verdict known.

Every review holds one verdict on the film, and sentences that do not count: facts, and what
somebody else said. Negation turns an adjective round, and of "good but dull" only the half after
"but" stands. So the label follows from a few words, the gold evidence, and a picture of the
weights can be compared with them.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]
Bools = NDArray[np.bool_]

PADDING, UNKNOWN = "<pad>", "<unk>"  # tokens 0 and 1 of every vocabulary

PRAISE = "good great moving funny clever charming gripping fresh honest elegant warm brilliant".split()
BLAME = "bad dull slow clumsy boring silly stale weak messy cold awful noisy".split()
NEGATIONS = "not never hardly".split()
AFFIRMATIONS = "simply truly certainly".split()
DEGREES = "very really quite rather so".split()
ASPECTS = "plot acting music ending dialogue cast story humour opening camera pace hero".split()
VERBS = "is was felt seemed".split()
OTHERS = "him her them critics children friends".split()
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
    """`count` different reviews from the grammar; the same seed gives the same ones everywhere.

    Raises ValueError if `count` is below 1.
    """
    if count < 1:
        raise ValueError(f"count is {count}: at least one review is needed.")
    rng = np.random.default_rng(seed)
    found: dict[tuple[str, ...], Review] = {}
    while len(found) < count:
        review = _review(rng)
        found.setdefault(review.words, review)
    return list(found.values())


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
    """A sentence such as "the plot was truly so good , but hardly very clever for me"."""
    words = ["the", _one(rng, ASPECTS), _one(rng, VERBS)]
    if whom == "me" and rng.random() < 0.4:
        words += [*_opinion(rng, 1 - label), ",", "but"]
    before = len(words)
    words += [*_opinion(rng, label), "for", whom]
    # The degree changes nothing: "not very good" and "not so good" say the same.
    decides = [False] * before + [True, False, True, False, True]
    return words, [whom == "me" and counts for counts in decides]


def _opinion(rng: np.random.Generator, label: int) -> list[str]:
    """Three words such as "truly so good", or "not very bad"."""
    negated = rng.random() < 0.5
    adjectives = PRAISE if label != negated else BLAME
    return [_one(rng, NEGATIONS if negated else AFFIRMATIONS), _one(rng, DEGREES), _one(rng, adjectives)]


def _aside(rng: np.random.Generator) -> Clause:
    """A fact, or what somebody else thinks."""
    if rng.random() < 0.6:
        return _sentence(rng, int(rng.integers(2)), _one(rng, OTHERS))
    words = _one(rng, FACTS).split()
    return words, [False] * len(words)


def _one(rng: np.random.Generator, choices: Sequence[str]) -> str:
    return choices[int(rng.integers(len(choices)))]
