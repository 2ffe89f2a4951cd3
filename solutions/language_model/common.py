"""A byte-pair tokeniser, and the arrays of a model, in any framework."""

import re
from collections import Counter
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


def learn_merges(counted, num_merges):
    """The pairs that are merged, in their order.

    counted: pairs of a piece and how often it occurs
    num_merges: how many; fewer if no pair is left
    """
    words = [list(piece.encode()) for piece, _ in counted]
    counts = [count for _, count in counted]
    merges = []
    for new in range(256, 256 + num_merges):
        pairs = Counter()
        for tokens, n in zip(words, counts, strict=True):
            for pair in pairwise(tokens):
                pairs[pair] += n
        if not pairs:
            break
        # Of equal counts, max takes the first.
        best = max(pairs, key=pairs.get)
        merges.append(best)
        words = [merge_pair(w, best, new) for w in words]
    return merges


def encode_piece(piece, merges):
    """The tokens of a piece: its bytes, merged in order.

    piece: a string
    merges: pairs of tokens; pair i becomes 256 + i
    """
    tokens = list(piece.encode())
    for new, pair in enumerate(merges, 256):
        tokens = merge_pair(tokens, pair, new)
    return tokens


def encode(text, merges):
    """The tokens of a text, one piece after the other."""
    pieces, cached = pieces_of(text), {}
    for piece in set(pieces):
        cached[piece] = encode_piece(piece, merges)
    return [t for piece in pieces for t in cached[piece]]


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


def in_a_row(weights, decay):
    """All weights in one row, and how each decays.

    weights: NumPy arrays by name
    decay: of the matrices; gains do not decay
    """
    arrays = weights.values()
    row = [x for a in arrays for x in a.ravel().tolist()]
    decays = [
        decay if a.ndim == 2 else 0.0
        for a in arrays
        for _ in range(a.size)
    ]  # fmt: skip
    return row, decays


def by_name(row, weights):
    """The model whose numbers stand in a row.

    weights: arrays of the same shapes, by name
    """
    model, begin = {}, 0
    for name, array in weights.items():
        part = row[begin : begin + array.size]
        model[name] = part.reshape(array.shape)
        begin += array.size
    return model


def adamw_step(
    weights, gradients, mean, square, step, rate, decay
):  # fmt: skip
    """One step of AdamW: weights, mean, square after it.

    weights, gradients, mean, square: (num_parameters,)
    step: 1 at the first step
    decay: (num_parameters,), 0 where nothing decays
    """
    mean = 0.9 * mean + 0.1 * gradients
    square = 0.999 * square + 0.001 * gradients**2
    # Both began at 0 and are too small at first.
    m = mean / (1 - 0.9**step)
    s = square / (1 - 0.999**step)
    change = m / (s.sqrt() + 1e-8) + decay * weights
    return weights - rate * change, mean, square


def whose_probabilities(change):
    """Whose probabilities the next token has.

    change: one of those that the exercise names
    """
    # With any q, if it is what proposals are drawn from.
    return {
        "q(x) is the same for all tokens": "p",
        "q(x) = 0 for a token with p(x) > 0": "p",
        "each proposed token is kept": "q",
        "no proposed token is kept": "neither",
        "a token is replaced by a draw from p": "neither",
        "the most probable token is proposed": "neither",
    }[change]


def speculative_gain(a, num_proposed, cost):
    """How many times as many tokens a draft gives.

    a: the probability that a proposed token is kept
    num_proposed: in a step
    cost: of one, in parts of a reading by the target
    """
    tokens = sum(a**n for n in range(num_proposed + 1))
    return tokens / (1 + num_proposed * cost)
