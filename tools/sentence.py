"""The picture at the head of the README: a translated sentence, and which word looks at which.

Words and weights are those that the chapter on translation shows in its map, in the map's last state: the
weights of a translator that was trained there.
"""

import json
from dataclasses import dataclass

import numpy as np

from autograder.book.contents import Notebook
from autograder.model.errors import ToolError
from tools.drawings.kit import Drawing, middles, share

MAP = "Attention while it is learnt"
DATA = '<script type="application/json">'
FIRST = "fed"  # the word whose weights stand there before one is chosen
LETTER, GAP = 11.5, 16  # in a drawing, about


@dataclass(frozen=True)
class Sentence:
    """source, target: the words. weights: (len(target), len(source)), those of each target word over the source."""

    source: tuple[str, ...]
    target: tuple[str, ...]
    weights: np.ndarray

    @property
    def first(self) -> int:
        """Return the place of the word that is chosen first."""
        return self.target.index(FIRST)

    def line(self, i: int) -> str:
        """Return where a target word looks most, in words."""
        j = int(self.weights[i].argmax())
        return f"“{self.target[i]}” takes {round(100 * float(self.weights[i, j]))} % from “{self.source[j]}”"


def sentence_of(notebook: Notebook) -> Sentence:
    """Return the sentence in the outputs of the chapter on translation. Raises ToolError if it is not there."""
    for cell in notebook["cells"]:
        for output in cell.get("outputs", []):
            text, page = (
                "".join(output.get("data", {}).get(kind, "")) for kind in ("text/plain", "text/html")
            )
            if text.startswith(f"{MAP}\n"):
                return _parsed(text, page)
    raise ToolError(
        f"chapters/translation.ipynb must show the map {MAP!r}, which the first page takes its sentence from: "
        "run `make chapters TOPIC=translation`."
    )


def _parsed(text: str, page: str) -> Sentence:
    """Return the words of a map that was printed as a table, and the weights of its last state.

    The column of the end of the source is left out.
    """
    lines = text.split("\n")
    begin = next(i for i, line in enumerate(lines) if line.startswith("rows: ")) + 1
    target = tuple(line.split()[0] for line in lines[begin + 1 :] if line.strip())
    source = tuple(lines[begin].split())[:-1]
    data = page.partition(DATA)[2].partition("</script>")[0]
    weights = np.array(json.loads(data)["frames"][-1]).reshape(len(target), -1)
    return Sentence(source, target, weights[:, : len(source)])


def drawing(sentence: Sentence) -> Drawing:
    """Return English above, German below, lines as thick as the weights."""
    first = sentence.first
    svg = Drawing(
        "A translator writes an English word and looks at the German word that it needs",
        f"Above, the words {' '.join(sentence.target)}; below, {' '.join(sentence.source)}. A line leads from each "
        f"English word to the German words that it takes something from, as thick as its weight. {sentence.line(first)}, "
        "at the other end of the sentence.",
        height=250,
        name="sentence",
    )
    above, below = middles(sentence.target, LETTER, GAP), middles(sentence.source, LETTER, GAP)
    for i, row in enumerate(sentence.weights):
        role, kind = ("weight", "") if i == first else ("mute", "faint")
        for j, weight in enumerate(row.tolist()):
            if weight >= 0.05:
                svg.line([(above[i], 62), (below[j], 162)], role, 1 + 9 * weight, kind)
    for i, (x, word) in enumerate(zip(above, sentence.target, strict=True)):
        svg.text(x, 40, word, "query" if i == first else "ink", kind="strong" if i == first else "")
    top = int(sentence.weights[first].argmax())
    for j, (x, word) in enumerate(zip(below, sentence.source, strict=True)):
        svg.text(x, 184, word, "key" if j == top else "ink", kind="word strong" if j == top else "word")
    svg.text(below[top], 220, share(float(sentence.weights[first, top])), "weight", kind="strong")
    return svg
