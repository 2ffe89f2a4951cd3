"""What `make sync` writes into the book's first page, and the picture at the head of the README.

The sentence is that of the chapter on self-attention, the README's that of the chapter on translation; the verdict is
the judge's own, and the times are counted.
"""

import ast
import json
import re
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np

from autograder.book.contents import Notebook, chapters, opening, parts
from autograder.book.times import duration_text, exercises, reading
from autograder.book.ways import Way, ways
from autograder.checking.check import LocalTransport
from autograder.diagnose.diagnosis import diagnose
from autograder.html.render import verdict_html
from autograder.model.catalogue import all_exercises
from autograder.model.errors import ToolError
from autograder.model.paths import ROOT
from autograder.model.verdict import Verdict
from solutions.self_attention.in_numpy import softmax
from tools import drawings
from tools.drawings.self_attention import ASKING, W_K, WORDS, X
from tools.sentence import drawing, sentence_of
from tools.wrong_versions import define, wrong_source, wrong_versions

PAGE, PICTURE = Path("chapters", "index.md"), Path("_static", "sentence.svg")
START, END = "<!-- {name}, written by `make sync` -->", "<!-- end of {name} -->"
# The wrong answer that is shown: exercise, misconception, framework.
EXAMPLE = ("masked_softmax", "mask_after_softmax", "torch")
# The query that the figure begins with, BEGIN of `geometry.mjs`: that of the chapter lies on the key of "FBI".
QUERY = (1.3, 1.7, 0.7, 0.6)
RAW = "```{{raw}} html\n{}\n```"


def page(text: str, notebooks: Mapping[str, Notebook]) -> str:
    """Write the parts of the first page anew. Raises ToolError where the comments around one are missing."""
    parts_of_it = {
        "the sentence": sentence_part(),
        "the verdict": verdict_part(*wrong_answer()),
        "the ways": ways_part(),
        "the chapters": cards(notebooks),
    }
    for name, part in parts_of_it.items():
        text = with_part(text, name, part, PAGE)
    return text


def with_part(text: str, name: str, part: str, file: Path) -> str:
    """Return the text of a file with a part between its two comments written anew."""
    start, end = START.format(name=name), END.format(name=name)
    block = re.compile(f"{re.escape(start)}\n.*?{re.escape(end)}", re.DOTALL)
    if len(block.findall(text)) != 1:
        raise ToolError(f"{file} must hold the lines {start!r} and {end!r} once, for {name}: write them.")
    return block.sub(lambda _: f"{start}\n\n{part}\n\n{end}", text)


def sentence_part() -> str:
    """Return what the figure shows: which words of its sentence the last one takes what from, and how much."""
    row = weights()
    words = " ".join(
        f'<span style="--share:{weight:.3f}">{word} <small class="share word-{i}">{_percent(weight)}</small></span>'
        for i, (word, weight) in enumerate(zip(WORDS, row, strict=True))
    )
    order = sorted(range(len(WORDS)), key=lambda i: -row[i])
    parts = [f"[{_percent(row[i])}]{{.share .word-{i}}} of “{WORDS[i]}”" for i in order]
    sentence = f'<p class="first-sentence">{words}</p>'
    return (
        f"{RAW.format(sentence)}\n\n"
        f"Who is {WORDS[ASKING]}? The [query]{{.role .query}} of “{WORDS[ASKING]}” is compared with the "
        "[key]{.role .key} of each word. From each comparison comes a [weight]{.role .weight}, and the weights sum to 1. "
        f"“{WORDS[ASKING]}” gets a new vector, its [context]{{.role .context}}: a mixture of the "
        f"[values]{{.role .value}} of all words, {', '.join(parts[:-1])} and {parts[-1]} itself. "
        "Here the numbers are set by hand; a network learns them. [Drag the query, a key or a value.]{.page}"
    )


def weights() -> list[float]:
    """Return what the figure's first query gives each word."""
    keys = np.array(X, dtype=float) @ np.array(W_K, dtype=float)
    scores = keys @ np.array(QUERY) / np.sqrt(len(QUERY))
    return [float(weight) for weight in softmax(scores)]


def _percent(weight: float) -> str:
    return f"{round(100 * weight)}\u00a0%"


@cache
def wrong_answer() -> tuple[str, Verdict]:
    """Return a wrong answer as a learner could have written it, and what the judge says of it."""
    name, misconception, framework = EXAMPLE
    exercise = all_exercises()[name]
    text = wrong_source(exercise, framework, wrong_versions()[EXAMPLE])
    verdict = diagnose(
        exercise, LocalTransport(framework, define(exercise, framework, text)), framework, seed=0
    )
    if verdict.misconception != misconception or verdict.difference is None:
        raise ToolError(
            f"The judge does not name {misconception} for the wrong answer of the first page, but says: "
            f"{verdict.message} Mend it, or name another answer in EXAMPLE of tools/first_page.py."
        )
    # Processors differ in the last digits.
    difference = replace(
        verdict.difference,
        got=round(verdict.difference.got, 3),
        expected=round(verdict.difference.expected, 3),
    )
    return text, replace(verdict, difference=difference)


def verdict_part(text: str, verdict: Verdict) -> str:
    """Return the wrong answer without its docstring, and its verdict as a notebook shows it."""
    (function,) = ast.parse(text).body
    assert isinstance(function, ast.FunctionDef)
    docstring, lines = function.body[0], text.strip().split("\n")
    code = "\n".join([*lines[: docstring.lineno - 1], *lines[docstring.end_lineno :]])
    return f"```python\n{code}\n```\n\n{RAW.format(verdict_html(verdict))}"


def ways_part() -> str:
    """Return the ways through the book: for each where it leads, how long it takes, and its chapters."""
    inner = "\n\n".join(
        f":::{{grid-item-card}} {way.title}\n{way.why}\n\n{_passes(way)}\n\n{_effort(way)}\n:::"
        for way in ways()
    )
    return f"::::{{grid}} 1 1 3 3\n:gutter: 3\n:class-container: ways\n\n{inner}\n::::"


def _passes(way: Way) -> str:
    """Return the chapters of a way, each a link; of the whole book none."""
    if _is_everything(way):
        return "The cards above show them."
    return " → ".join(f"{{doc}}`{step.chapter}`" for step in way.steps)


def _effort(way: Way) -> str:
    """Say how long a way takes; the whole book to ten hours, so that a new exercise changes nothing here."""
    if _is_everything(way):
        return f"About {round(way.minutes / 600) * 10} hours, all exercises."
    return f"About {duration_text(way.minutes)}, {len(way.exercises)} exercises."


def _is_everything(way: Way) -> bool:
    return len(way.steps) == len(chapters())


def cards(notebooks: Mapping[str, Notebook]) -> str:
    """Return the map of the chapters: for each its drawing, its question and its times."""
    lines = [
        _card(chapter, caption, notebooks[chapter]) for caption, part in parts().items() for chapter in part
    ]
    inner = "\n\n".join(lines)
    return f"::::{{grid}}\n:gutter: 0\n:class-container: chapter-map\n\n{inner}\n::::"


def _card(chapter: str, part: str, notebook: Notebook) -> str:
    title, question = opening(chapter)
    count, minutes = exercises(chapter)
    picture = f"![{drawings.drawing(chapter).title}](thumbnails/{chapter}.svg)"
    plural = "" if count == 1 else "s"
    return (
        f":::{{grid-item-card}} {chapters().index(chapter) + 1} · {title}\n:link: {chapter}\n:link-type: doc\n\n"
        f"{part}\n\n{picture}\n\n{question}\n\n"
        f"{reading(notebook)} min to read · {count} exercise{plural}, {minutes} min\n:::"
    )


def changes(root: Path = ROOT, new_texts: Mapping[Path, str] | None = None) -> dict[Path, str]:
    """Return the files below `root` that a sync would change here, each with its new text.

    new_texts: what the same sync has changed already.
    """

    def read(path: Path) -> str:
        return (new_texts or {}).get(path) or path.read_text(encoding="utf-8")

    notebooks = {name: json.loads(read(root / "chapters" / f"{name}.ipynb")) for name in chapters()}
    new = {
        root / PAGE: page(read(root / PAGE), notebooks),
        root / PICTURE: drawing(sentence_of(notebooks["translation"])).svg(),
    }
    return {path: text for path, text in new.items() if not path.exists() or read(path) != text}
