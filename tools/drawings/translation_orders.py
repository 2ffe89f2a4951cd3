"""A German sentence over its English one, a line from each English word to the German word that it comes from."""

from course.training.translation import corpus
from tools.drawings.kit import Drawing, middles

LETTER, GAP = 10.8, 24  # the width of a letter and the space between words, in units
GERMAN, ENGLISH = 72, 208


def draw() -> Drawing:
    """Draw the chapter's first pair, with the parts of its verb marked."""
    pair = corpus("grammar").test[25]
    source, target = pair.source[:-1], pair.target[:-1]  # without the full stops
    gold = [min(places) for places in pair.gold[:-1]]
    verb = {target.index("has"), target.index("fed")}
    svg = Drawing(
        "Two words that stand side by side in English may come from words far apart in German",
        f"Above the German sentence “{' '.join(source)}”, below the English one, “{' '.join(target)}”, with a line "
        f"from each English word to its German word. The lines of “has” and “fed” are thick: the two stand side by "
        f"side, and their German words are at the positions {gold[min(verb)]} and {gold[max(verb)]}. Other lines "
        f"cross them.",
        height=272,
    )
    svg.text(8, 22, "German, with its positions", "key", "start", "strong")
    svg.text(8, 250, "English", "query", "start", "strong")
    above, below = (middles(words, LETTER, GAP) for words in (source, target))
    for i, (x, place) in enumerate(zip(below, gold, strict=True)):
        role, width = ("weight", 5.0) if i in verb else ("mute", 2.0)
        svg.drop((above[place], GERMAN + 40), (x, ENGLISH - 20), role, width)
    for i, (x, word) in enumerate(zip(above, source, strict=True)):
        svg.text(x, GERMAN, word, "key", kind="small")
        svg.text(x, GERMAN + 25, str(i), "mute", kind="small")
    for i, (x, word) in enumerate(zip(below, target, strict=True)):
        svg.text(x, ENGLISH, word, "query", kind="small strong" if i in verb else "small")
    return svg
