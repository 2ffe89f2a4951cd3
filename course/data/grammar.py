"""German sentences and their English translations from one grammar, so that the alignment is known.

Each sentence is made once, as a list of words with two orders. German puts the verb last in a subordinate
clause, second after an adverb, and in two pieces around the object; English does none of it, so aligned
words are far apart. Every content word is drawn independently: only the source sentence determines it.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from course.data.sentence_pairs import Pair

# German, its gender, English.
NOUNS = (
    ("mann", "m", "man"), ("hund", "m", "dog"), ("vogel", "m", "bird"), ("koch", "m", "cook"),
    ("arzt", "m", "doctor"), ("sohn", "m", "son"), ("fisch", "m", "fish"),
    ("frau", "f", "woman"), ("katze", "f", "cat"), ("kuh", "f", "cow"), ("tante", "f", "aunt"),
    ("ente", "f", "duck"), ("tochter", "f", "daughter"), ("maus", "f", "mouse"),
    ("kind", "n", "child"), ("pferd", "n", "horse"), ("mädchen", "n", "girl"), ("schaf", "n", "sheep"),
    ("kamel", "n", "camel"), ("huhn", "n", "hen"),
)  # fmt: skip
ADJECTIVES = (
    ("alt", "old"), ("klein", "small"), ("jung", "young"), ("schnell", "fast"), ("klug", "clever"),
    ("arm", "poor"), ("still", "quiet"), ("weiß", "white"),
)  # fmt: skip
# German: he does, to do, done. English: the same.
VERBS = (
    ("sieht", "sehen", "gesehen", "sees", "see", "seen"),
    ("sucht", "suchen", "gesucht", "seeks", "seek", "sought"),
    ("ruft", "rufen", "gerufen", "calls", "call", "called"),
    ("malt", "malen", "gemalt", "paints", "paint", "painted"),
    ("fängt", "fangen", "gefangen", "catches", "catch", "caught"),
    ("trägt", "tragen", "getragen", "carries", "carry", "carried"),
    ("rettet", "retten", "gerettet", "saves", "save", "saved"),
    ("füttert", "füttern", "gefüttert", "feeds", "feed", "fed"),
    ("wäscht", "waschen", "gewaschen", "washes", "wash", "washed"),
    ("weckt", "wecken", "geweckt", "wakes", "wake", "woken"),
)
ADVERBS = (
    ("heute", "today"), ("jetzt", "now"), ("bald", "soon"), ("oft", "often"), ("dort", "there"),
)  # fmt: skip
SAYING = (("sagt", "says"), ("glaubt", "thinks"), ("weiß", "knows"), ("hofft", "hopes"))
MODALS = (("kann", "can"), ("muss", "must"), ("soll", "should"), ("darf", "may"))
PLACES = (
    ("garten", "garden"), ("park", "park"), ("wald", "wood"), ("hof", "yard"), ("haus", "house"),
)  # fmt: skip
ARTICLES = {
    ("the", "m", 0): "der", ("the", "m", 1): "den", ("a", "m", 0): "ein", ("a", "m", 1): "einen",
    ("the", "f", 0): "die", ("the", "f", 1): "die", ("a", "f", 0): "eine", ("a", "f", 1): "eine",
    ("the", "n", 0): "das", ("the", "n", 1): "das", ("a", "n", 0): "ein", ("a", "n", 1): "ein",
}  # fmt: skip
SUBJECT, OBJECT = 0, 1


@dataclass(frozen=True, eq=False)
class Word:
    """One word in both languages; empty where a language has none."""

    german: str
    english: str
    content: bool = True


Words = list[Word]


class Writer:
    """Makes sentences from a random generator."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.rng = rng

    def sentence(self) -> Pair:
        """Return one sentence of a random form."""
        if self.chance(0.4):
            german, english = self.reported()
        else:
            german, english = self.clause(first=self.one_of(ADVERBS) if self.chance(0.5) else None)
        stop = Word(".", ".", content=False)
        return _pair([*german, stop], [*english, stop])

    def reported(self) -> tuple[Words, Words]:
        """Let somebody say that something happens: in German its verb comes last."""
        who, says = self.noun_phrase(SUBJECT), self.one_of(SAYING)
        comma, that = Word(",", "", content=False), Word("dass", "that", content=False)
        german, english = self.clause(subordinate=True)
        return [*who, says, comma, that, *german], [*who, says, that, *english]

    def joined(self, clauses: int) -> Pair:
        """Return main clauses with "und" between them; the order of the words changes inside each clause only."""
        german: Words = []
        english: Words = []
        for i in range(clauses):
            link = [Word("und", "and", content=False)] if i else []
            clause, translation = self.clause(first=self.one_of(ADVERBS) if self.chance(0.5) else None)
            german, english = [*german, *link, *clause], [*english, *link, *translation]
        stop = Word(".", ".", content=False)
        return _pair([*german, stop], [*english, stop])

    def clause(self, first: Word | None = None, subordinate: bool = False) -> tuple[Words, Words]:
        """Say who does what, and perhaps where; `first` is an adverb, which the verb follows."""
        who, what = self.noun_phrase(SUBJECT), self.noun_phrase(OBJECT)
        where = self.place() if self.chance(0.3) else []
        finite, rest = self.verb()
        if subordinate:
            german = [*who, *what, *where, *rest, *finite]
        elif first:
            german = [first, *finite, *who, *what, *where, *rest]
        else:
            german = [*who, *finite, *what, *where, *rest]
        opening = [first] if first else []
        return german, [*opening, *who, *finite, *rest, *what, *where]

    def noun_phrase(self, case: int) -> Words:
        """Return an article, perhaps an adjective, a noun; in German all three agree."""
        noun, gender, english = NOUNS[self.rng.integers(len(NOUNS))]
        article = "the" if self.chance(0.5) else "a"
        words = [Word(noun, english)]
        if self.chance(0.5):
            stem, meaning = ADJECTIVES[self.rng.integers(len(ADJECTIVES))]
            words = [Word(stem + _ending(article, gender, case), meaning), *words]
        before_a_vowel = article == "a" and words[0].english[0] in "aeiou"
        english_article = "an" if before_a_vowel else article
        return [Word(ARTICLES[article, gender, case], english_article, content=False), *words]

    def verb(self) -> tuple[Words, Words]:
        """Return the part that agrees with the subject, and the part that German puts at the end."""
        does, to_do, done, does_, to_do_, done_ = VERBS[self.rng.integers(len(VERBS))]
        kind = self.rng.integers(3)
        if kind == 0:
            return [Word(does, does_)], []
        if kind == 1:
            return [Word("hat", "has", content=False)], [Word(done, done_)]
        return [self.one_of(MODALS)], [Word(to_do, to_do_)]

    def place(self) -> Words:
        """German has one word for "in the"."""
        return [Word("im", "in", content=False), Word("", "the", content=False), self.one_of(PLACES)]

    def one_of(self, words: Sequence[tuple[str, str]]) -> Word:
        return Word(*words[int(self.rng.integers(len(words)))])

    def chance(self, probability: float) -> bool:
        return bool(self.rng.random() < probability)


def _ending(article: str, gender: str, case: int) -> str:
    if gender == "m" and case == OBJECT:
        return "en"
    return "e" if article == "the" or gender == "f" else {"m": "er", "n": "es"}[gender]


def _pair(german: Words, english: Words) -> Pair:
    source = [word for word in german if word.german]
    target = [word for word in english if word.english]
    position = {id(word): i for i, word in enumerate(source)}
    gold = [frozenset([position[id(word)]] if id(word) in position else []) for word in target]
    return Pair(
        tuple(word.german for word in source),
        tuple(word.english for word in target),
        tuple(gold),
        tuple(word.content for word in target),
    )


def pairs(count: int, seed: int) -> list[Pair]:
    """Return different random sentences; the same seed gives the same ones."""
    writer = Writer(np.random.default_rng(seed))
    by_source: dict[tuple[str, ...], Pair] = {}
    while len(by_source) < count:
        sentence = writer.sentence()
        by_source[sentence.source] = sentence
    return list(by_source.values())


def joined_pairs(count: int, clauses: Sequence[int], seed: int) -> list[Pair]:
    """Return different random sentences whose number of clauses is drawn from `clauses`: short and long ones."""
    rng = np.random.default_rng(seed)
    writer = Writer(rng)
    by_source: dict[tuple[str, ...], Pair] = {}
    while len(by_source) < count:
        sentence = writer.joined(int(rng.choice(clauses)))
        by_source[sentence.source] = sentence
    return list(by_source.values())
