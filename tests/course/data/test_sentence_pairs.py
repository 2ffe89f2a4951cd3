"""Batches of sentence pairs."""

from course.data import grammar
from course.data.sentence_pairs import PAD, STOP, Vocabulary, batch_of, batches


def test_batches_hold_every_pair_once_and_the_seed_decides_their_order():
    pairs = grammar.pairs(50, seed=1)
    source, target = Vocabulary(p.source for p in pairs), Vocabulary(p.target for p in pairs)

    def rows(seed):
        return [
            tuple(row[:n])
            for b in batches(pairs, source, target, 8, seed)
            for row, n in zip(b.source.tolist(), b.source_length, strict=True)
        ]

    everything = sorted((*source.encode(p.source), STOP) for p in pairs)
    assert sorted(rows(1)) == sorted(rows(None)) == everything
    assert rows(1) == rows(1) and rows(1) != rows(2)
    batch = batch_of(pairs[:3], source, target)
    for i, pair in enumerate(pairs[:3]):
        assert batch.length[i] == len(pair.target) + 1
        assert target.decode(batch.target[i, 1:]) == list(pair.target)
        assert (batch.source[i, batch.source_length[i] :] == PAD).all()
