"""The German-English grammar: word order, and which word translates which."""

import numpy as np

from course.data import grammar

DICTIONARY = {
    g: e for table in (grammar.ADVERBS, grammar.SAYING, grammar.MODALS, grammar.PLACES) for g, e in table
}
DICTIONARY |= {german: english for german, _, english in grammar.NOUNS}
DICTIONARY |= {
    german: english for verb in grammar.VERBS for german, english in zip(verb[:3], verb[3:], strict=True)
}
DICTIONARY |= {
    stem + ending: english for stem, english in grammar.ADJECTIVES for ending in ("e", "en", "er", "es")
}


def test_the_gold_alignment_of_the_grammar_is_the_dictionary():
    for pair in grammar.pairs(500, seed=3):
        assert len(pair.gold) == len(pair.target) == len(pair.content)
        for word, gold, content in zip(pair.target, pair.gold, pair.content, strict=True):
            if content:
                (place,) = gold
                assert DICTIONARY[pair.source[place]] == word
        used = [place for gold in pair.gold for place in gold]
        assert len(used) == len(set(used))


def test_german_puts_its_verbs_where_german_does():
    pairs = grammar.pairs(2000, seed=4)
    finite = (
        {verb[0] for verb in grammar.VERBS} | {g for g, _ in (*grammar.MODALS, *grammar.SAYING)} | {"hat"}
    )
    adverbs = {german for german, _ in grammar.ADVERBS}
    subordinate = [p for p in pairs if "dass" in p.source]
    assert 0.3 < len(subordinate) / len(pairs) < 0.5
    assert all(p.source[-2] in finite for p in subordinate)
    opened = [p for p in pairs if p.source[0] in adverbs]
    assert opened and all(p.source[1] in finite for p in opened)
    for p in pairs:
        crossed = [min(g) for g in p.gold if g]
        assert p.target[-1] == "." and crossed[-1] == len(p.source) - 1
    moved = [p for p in pairs if (order := [min(g) for g in p.gold if g]) != sorted(order)]
    assert len(moved) > len(pairs) / 2


def test_content_words_are_drawn_independently_of_their_neighbours():
    pairs = grammar.pairs(6000, seed=1)
    nouns, verbs = {n for n, _, _ in grammar.NOUNS}, {v[2]: i for i, v in enumerate(grammar.VERBS)}
    counts = {}
    for p in pairs:
        done = [w for w in p.source if w in verbs]
        if done:
            before = [w for w in p.source[: p.source.index(done[0])] if w in nouns][-1]
            counts.setdefault(before, []).append(verbs[done[0]])
    for indices in counts.values():
        assert np.bincount(indices, minlength=len(grammar.VERBS)).max() / len(indices) < 0.35


def test_joined_clauses_are_as_many_as_asked_for_and_keep_their_alignment():
    pairs = grammar.joined_pairs(300, (1, 4), seed=5)
    counts = {pair.source.count("und") for pair in pairs}
    assert counts == {0, 3} and len({pair.source for pair in pairs}) == 300
    for pair in pairs:
        assert (
            pair.target.count("and") == pair.source.count("und") and pair.source[-1] == pair.target[-1] == "."
        )
        for word, places in zip(pair.target, pair.gold, strict=True):
            if word == "and":
                assert [pair.source[i] for i in places] == ["und"]
        # A clause is translated by the clause at the same place.
        limits = [i for i, word in enumerate(pair.source) if word == "und"]
        clause = 0
        for word, places in zip(pair.target, pair.gold, strict=True):
            clause += word == "and"
            if word not in ("and", "."):
                assert all(sum(place > limit for limit in limits) == clause for place in places)
