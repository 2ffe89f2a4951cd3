"""Pairs of sentences, vocabularies and batches for translation."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]
UNKNOWN, PADDING, START, END = "<unk>", "<pad>", "<sos>", "<eos>"
SPECIAL = (UNKNOWN, PADDING, START, END)


@dataclass(frozen=True)
class Pair:
    """A sentence and its translation, as tokens.

    gold: for each target token the source positions that it comes from, where that is known
    content: for each target token, whether it is a content word
    """

    source: tuple[str, ...]
    target: tuple[str, ...]
    gold: tuple[frozenset[int], ...] = ()
    content: tuple[bool, ...] = ()


class Vocabulary:
    """The tokens of one language and their numbers: the four special ones, then the most frequent first."""

    def __init__(self, sentences: Iterable[Sequence[str]], at_least: int = 1) -> None:
        """at_least: how often a token must occur to get a number; rarer ones become `<unk>`."""
        counts = Counter(token for sentence in sentences for token in sentence)
        frequent = sorted((t for t in counts if counts[t] >= at_least), key=lambda t: (-counts[t], t))
        self.tokens = [*SPECIAL, *frequent]
        self.numbers = {token: number for number, token in enumerate(self.tokens)}

    def __len__(self) -> int:
        return len(self.tokens)

    def encode(self, sentence: Sequence[str]) -> list[int]:
        """Return the numbers of a sentence's tokens."""
        unknown = self.numbers[UNKNOWN]
        return [self.numbers.get(token, unknown) for token in sentence]

    def decode(self, numbers: Iterable[int]) -> list[str]:
        """Return tokens up to the end of the sentence, without the special ones."""
        words = []
        for number in numbers:
            token = self.tokens[number]
            if token == END:
                break
            if token not in (START, PADDING):
                words.append(token)
        return words


PAD, BEGIN, STOP = SPECIAL.index(PADDING), SPECIAL.index(START), SPECIAL.index(END)


@dataclass(frozen=True)
class Batch:
    """Sentences of one batch as numbers, the short ones filled up with padding.

    source: (batch, num_source); source_length: (batch,)
    target: (batch, num_steps + 1), with start and end; length: (batch,), tokens to predict
    """

    source: Integers
    source_length: Integers
    target: Integers
    length: Integers

    def __len__(self) -> int:
        return len(self.source)


def padded(rows: Sequence[Sequence[int]]) -> Integers:
    """Return rows of different lengths as one matrix."""
    matrix = np.full((len(rows), max(map(len, rows))), PAD, dtype=np.int64)
    for i, row in enumerate(rows):
        matrix[i, : len(row)] = row
    return matrix


def batch_of(pairs: Sequence[Pair], source: Vocabulary, target: Vocabulary) -> Batch:
    """Return some pairs as one batch. The source ends with its own end token."""
    sources = [[*source.encode(p.source), STOP] for p in pairs]
    targets = [[BEGIN, *target.encode(p.target), STOP] for p in pairs]
    return Batch(
        padded(sources),
        np.array([len(row) for row in sources]),
        padded(targets),
        np.array([len(row) - 1 for row in targets]),
    )


def batches(
    pairs: Sequence[Pair], source: Vocabulary, target: Vocabulary, size: int, seed: int | None = None
) -> Iterator[Batch]:
    """Yield all pairs once, in batches.

    seed: shuffles, and puts sentences of similar length together; None keeps the order.
    """
    order = np.arange(len(pairs))
    if seed is None:
        groups = [order[i : i + size] for i in range(0, len(order), size)]
    else:
        rng = np.random.default_rng(seed)
        # Sentences of equal length come in another order in every epoch, so batches differ.
        order = rng.permutation(len(pairs))
        pool = 20 * size
        groups = []
        for start in range(0, len(order), pool):
            part = sorted(order[start : start + pool], key=lambda i: len(pairs[i].source))
            groups += [np.array(part[i : i + size]) for i in range(0, len(part), size)]
        groups = [groups[i] for i in rng.permutation(len(groups))]
    for group in groups:
        yield batch_of([pairs[i] for i in group], source, target)
