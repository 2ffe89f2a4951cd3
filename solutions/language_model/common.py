"""A byte-pair tokeniser, and the blocks of a model, in any framework."""

import re
from collections import Counter
from functools import cache
from itertools import pairwise


def merge_pair(tokens, pair, new):
    """Replace each pair that occurs, from left to right.

    tokens: whole numbers
    pair: two of them
    new: the number that takes their place
    """
    merged = []
    for token in tokens:
        # The last may be new: then it is in no pair.
        if merged and (merged[-1], token) == tuple(pair):
            merged[-1] = new
        else:
            merged.append(token)
    return merged


def pieces_of(text):
    """Words with the blank before them, marks, and blanks."""
    return re.findall(r" ?\w+| ?[^\w\s]+|\s", text)


def learn_merges(text, num_merges):
    """The pairs that are merged, the most frequent first.

    Returns a list; the pair i becomes the token 256 + i.
    """
    counts = Counter(pieces_of(text))
    words = {piece: list(piece.encode()) for piece in counts}
    merges = []
    for new in range(256, 256 + num_merges):
        pairs = Counter()
        for piece, tokens in words.items():
            for pair in pairwise(tokens):
                pairs[pair] += counts[piece]
        best = max(pairs, key=pairs.get)
        merges.append(best)
        for piece, tokens in words.items():
            if best in pairwise(tokens):
                words[piece] = merge_pair(tokens, best, new)
    return merges


def encode(text, merges):
    """The tokens of a text: its bytes, merged in order."""

    @cache
    def tokens_of(piece):
        tokens = list(piece.encode())
        for new, pair in enumerate(merges, 256):
            if pair in pairwise(tokens):
                tokens = merge_pair(tokens, pair, new)
        return tokens

    return [t for piece in pieces_of(text) for t in tokens_of(piece)]


def decode(tokens, merges):
    """The text of tokens: each is a string of bytes."""
    strings = [bytes([byte]) for byte in range(256)]
    for first, second in merges:
        strings.append(strings[first] + strings[second])
    joined = b"".join(strings[token] for token in tokens)
    return joined.decode(errors="replace")


def blocks_of(model):
    """The arrays of each block, under their names there.

    model: the learned arrays by name, as in_numpy lists them
    """
    blocks = []
    while f"block{len(blocks)}_W_q" in model:
        start = f"block{len(blocks)}_"
        own = [name for name in model if name.startswith(start)]
        blocks.append({n.removeprefix(start): model[n] for n in own})
    return blocks
