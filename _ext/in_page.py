"""Put under each exercise of the book what a reader can try in the page itself.

An exercise with the label `ex-<name>` gets a field for an answer in NumPy or PyTorch, with its stub, and, where its
results are plain values, a quiz. `_static/in_page/` brings them to life. What the checks load (Python for the
browser, NumPy, the judge) comes from npm when the book is built (`_ext/page_assets.py`); without it the book
builds, and says so.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from functools import cache
from html import escape
from pathlib import Path
from typing import Any, ClassVar

from docutils import nodes
from page_assets import LOADED, copy_assets, loaded_bytes
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform

from autograder.book.answer_stub import answer_stub
from autograder.book.contents import chapters, opening
from autograder.items.question import Question
from autograder.model.catalogue import all_exercises
from autograder.model.errors import ToolError
from autograder.model.exercise import Exercise
from autograder.page.quiz import is_chosen, questions
from course.gpt.model_of_parts import PARTS

LABEL = "ex-"
PYTHON, COLOURS = PythonLexer(stripnl=False), HtmlFormatter(nowrap=True)
# A line of code, with all of a docstring that begins in it: the colours of no other depend on those before.
LINE = re.compile(r'(?:"""(?:.|\n)*?"""|[^\n])*\n')
INLINE = re.compile(r"`([^`]+)`|\$([^$]+)\$")
WRITER = '<button type="button" class="in-page-write-with">Let the model write with it</button>'
WRITES = (
    " The small model of the chapter <i>A language model</i> has this as a part: it can write a text with your answer "
    "in its place, right or wrong."
)
MARK = '<span class="in-page-mark" hidden>✓ passed</span>'
NOTE = (
    "Ctrl+Enter checks. Tab indents; Escape, then Tab, leaves the field. In NumPy, Check compares values; in PyTorch, "
    "gradients and what differs in training too."
)
LOAD = (
    '<div class="in-page-load"><p>What your answer gives appears here, beside what is right.</p>'
    '<p class="in-page-note">Runs in your browser; {0:.0f} MB, once. <output></output></p>'
    '<progress max="{1}" aria-label="Loading Python" hidden></progress></div>'
)
LANGUAGES = (
    '<span class="in-page-languages" role="group" aria-label="Language of the answer">'
    '<button type="button" data-language="numpy" aria-pressed="true">NumPy</button>'
    '<button type="button" data-language="torch" aria-pressed="false">PyTorch</button></span>'
)
WITHOUT = "Answers cannot be checked in this copy of the book: {0}. Its notebook can check them."
LEFT_OUT = "The book is built without checks in its pages: {0}.\n"


def inline(text: str) -> str:
    """Return Markdown of one line, with code and mathematics, as HTML."""
    parts = []
    at = 0
    for match in INLINE.finditer(text):
        code, mathematics = match.groups()
        parts.append(escape(text[at : match.start()]))
        if code is not None:
            parts.append(f'<code class="docutils literal notranslate">{escape(code)}</code>')
        else:
            parts.append(f'<span class="math notranslate nohighlight">\\({escape(mathematics)}\\)</span>')
        at = match.end()
    return "".join([*parts, escape(text[at:])])


def field(exercise: Exercise, missing: str | None, loaded: tuple[int, int]) -> str:
    """Return the field for an answer, and beside it the place of its verdict.

    missing: why answers cannot be checked, if they cannot. loaded: how many bytes a check takes, and how many are counted.
    """
    summary = f"<summary>Write it here, in NumPy or PyTorch {MARK}</summary>"
    start = f'<div class="in-page" data-exercise="{exercise.name}"><details>{summary}'
    if missing is not None:
        return f"{start}<p>{escape(WITHOUT.format(missing))}</p></details></div>"
    name = escape(exercise.title)
    writer, writes = (WRITER, WRITES) if exercise.name in PARTS else ("", "")
    return (
        f'{start}<div class="in-page-stage"><div class="in-page-field">'
        f'<textarea class="in-page-answer" aria-label="Your answer: {name}" '
        f'aria-describedby="in-page-note-{exercise.name}" rows="12" spellcheck="false" '
        f'autocapitalize="off" autocomplete="off" translate="no" data-torch="{escape(answer_stub(exercise, "torch"))}">'
        f"\n{escape(answer_stub(exercise))}</textarea>"
        '<div class="in-page-buttons"><button type="button" class="in-page-check">Check</button>'
        f'{writer}<button type="button" class="in-page-stop" hidden>Stop</button>'
        f'<button type="button" class="in-page-again">Begin again</button>{LANGUAGES}'
        '<span class="in-page-status" role="status"></span></div>'
        f'<p class="in-page-note" id="in-page-note-{exercise.name}">{NOTE}{writes}</p></div>'
        '<div class="in-page-side"><ol class="in-page-attempts" aria-label="Your checks"></ol>'
        '<div class="in-page-verdict" role="region" aria-label="Verdict" aria-live="polite" tabindex="0"></div>'
        f"{LOAD.format(loaded[0] / 1e6, loaded[1])}</div></div></details></div>"
    )


def quiz(exercise: Exercise, document: nodes.document) -> Iterator[nodes.Node]:
    """Yield the exercise as questions with choices, whose text stands in the exercise or in a table of the page."""
    counts = " data-counts" if is_chosen(exercise) else ""
    yield _raw(
        f'<div class="in-page in-page-quiz" data-exercise="{exercise.name}"{counts}>'
        f"<details><summary>Answer it here {MARK if counts else ''}</summary>"
    )
    for number, question in enumerate(questions(exercise)):
        yield from _question(question, f"{exercise.name}-{number}", document)
    yield _raw("</details></div>")


def _question(question: Question, group: str, document: nodes.document) -> Iterator[nodes.Node]:
    yield _raw("<fieldset><legend>")
    row = row_of(document, question.name) if question.name else None
    # A row with more than a name and a claim holds what each choice stands for.
    lettered = row is not None and len(row) > 2
    if row is None:
        yield _raw(inline(question.sentence))
    else:
        yield from _contents(row[0 if lettered else 1])
    yield _raw(f"</legend>{_code(question)}{_table(question)}")
    for place, choice in enumerate(question.choices):
        right = " data-right" if choice.right else ""
        yield _raw(f'<label><input type="radio" name="quiz-{group}"{right}> <span>{inline(choice.text)}')
        if row is not None and lettered and place + 1 < len(row):
            yield _raw(": ")
            yield from _contents(row[place + 1])
        yield _raw(f"</span></label><span hidden>{inline(choice.reason)}</span>")
    yield _raw('<p class="in-page-reason" role="status"></p></fieldset>')


def fieldset(question: Question, group: str) -> str:
    """Return a question as HTML, whose text stands in no table of a page. group: what names it, for its choices."""
    return "".join(node.astext() for node in _question(question, group, nodes.document(None, None)))


def _code(question: Question) -> str:
    """Return the lines that are asked about, numbered, and what they are called with."""
    if not question.code:
        return ""
    inputs = f"<p>Called with</p>{_coloured(question.inputs, 'Inputs')}" if question.inputs else ""
    return _coloured(question.code, "Code", True) + inputs


def _coloured(lines: Sequence[str], label: str, numbered: bool = False) -> str:
    """Return lines of Python in the colours of the book's code."""
    code = "\n".join(lines) + "\n"
    html = "\n".join(map(_coloured_line, LINE.findall(code))).split("\n")
    if numbered:
        html = [
            f'<span class="linenos">{n:{len(str(len(html)))}}  </span>{line}'
            for n, line in enumerate(html, 1)
        ]
    body = "\n".join(html)
    return f'<div class="highlight"><pre class="in-page-code" tabindex="0" aria-label="{label}">{body}</pre></div>'


@cache  # the items of an exercise share most of their lines
def _coloured_line(line: str) -> str:
    return highlight(line, PYTHON, COLOURS).rstrip("\n")


def _table(question: Question) -> str:
    if not question.table:
        return ""
    head, *rows = question.table
    lines = ["".join(f'<th scope="col">{escape(cell)}</th>' for cell in head)]
    for first, *cells in rows:
        values = "".join(f"<td>{escape(cell)}</td>" for cell in cells)
        lines.append(f'<th scope="row">{escape(first)}</th>{values}')
    body = "".join(f"<tr>{line}</tr>" for line in lines)
    return f'<div class="in-page-table" role="region" aria-label="Numbers" tabindex="0"><table>{body}</table></div>'


def row_of(document: nodes.document, name: str) -> list[nodes.Element] | None:
    """Return the cells of the table's row that begins with this name as code; None if there is none."""
    for row in document.findall(nodes.row):
        first = next(iter(row.children[0].findall(nodes.literal)), None)
        if first is not None and first.astext() == name and row.children[0].astext().startswith(name):
            return list(row.children)
    return None


def _contents(cell: nodes.Element) -> Iterator[nodes.Node]:
    """Yield a copy of what a table's cell holds, without its paragraphs."""
    for paragraph in cell.children:
        inner = paragraph.children if isinstance(paragraph, nodes.paragraph) else [paragraph]
        yield from (child.deepcopy() for child in inner)


def progress() -> str:
    """Return how many exercises are passed, chapter by chapter; the page fills it in and shows it."""
    lines = []
    for chapter in chapters():
        names = [e.name for e in all_exercises().values() if e.topic == chapter]
        if names:
            lines.append(
                f'<li data-exercises="{" ".join(names)}"><a href="{chapter}.html">{escape(opening(chapter)[0])}</a>'
                f'<progress max="{len(names)}" value="0" aria-label="{escape(opening(chapter)[0])}"></progress>'
                f'<span><span class="in-page-count">0</span> of {len(names)}</span></li>'
            )
    return (
        '<section class="in-page-progress" aria-label="Your progress in these pages" hidden>'
        f'<p>Passed in these pages: <span class="in-page-total">0</span> of {len(all_exercises())} exercises. '
        f"This is kept in your browser alone.</p><ul>{''.join(lines)}</ul></section>"
    )


def _raw(text: str) -> nodes.raw:
    return nodes.raw("", text, format="html")


class InPage(SphinxPostTransform):
    """Add what can be tried to each exercise, and the progress to the first page."""

    # Behind sphinx-exercise, which numbers its boxes (5 to 22), and before frameworks are laid out.
    default_priority: ClassVar[int] = 145
    formats: tuple[str, ...] = ("html",)

    def run(self, **kwargs: Any) -> None:
        """Add what belongs behind each box."""
        for box in [n for n in self.document.findall(nodes.Admonition) if _name(n)]:
            exercise = all_exercises()[str(_name(box))]
            place = box.parent.index(box) + 1
            box.parent[place:place] = list(self._tries(exercise))
        if self.env.docname == self.config.root_doc and any(_has_exercises(self.env)):
            self._show_progress()

    def _tries(self, exercise: Exercise) -> Iterator[nodes.Node]:
        if exercise.is_plain:
            yield from quiz(exercise, self.document)
        if not is_chosen(exercise):
            reason = prepare_checks(self.app)
            yield _raw(field(exercise, reason, (0, 0) if reason else _loaded(_assets(self.app))))

    def _show_progress(self) -> None:
        page = next(iter(self.document.findall(nodes.section)), None)
        if page is not None:
            place = next((i for i, n in enumerate(page) if isinstance(n, nodes.section)), len(page))
            page.insert(place, _raw(progress()))


def _name(node: nodes.Node) -> str | None:
    """Return the exercise of a box, by its label."""
    label = str(node.get("label", "")) if isinstance(node, nodes.Element) else ""
    name = label.removeprefix(LABEL)
    return name if label.startswith(LABEL) and name in all_exercises() else None


def _has_exercises(env: Any) -> Iterator[bool]:
    """Return for each labelled box of the book whether it is an exercise of the course."""
    registry = getattr(env, "sphinx_exercise_registry", {})
    return (label.removeprefix(LABEL) in all_exercises() for label in registry)


def _assets(app: Sphinx) -> Path:
    return Path(app.outdir, "_static", "in_page")


@cache
def _loaded(folder: Path) -> tuple[int, int]:
    return loaded_bytes(folder)


def prepare_checks(app: Sphinx) -> str | None:
    """Copy what checks load, once; return why answers cannot be checked, None if they can."""
    if not hasattr(app, "why_no_checks"):
        reason = None
        try:
            copy_assets(_assets(app))
        except (ToolError, OSError) as error:
            reason = str(error)
            sys.stderr.write(LEFT_OUT.format(reason))
        app.why_no_checks = reason  # type: ignore[attr-defined]
    return app.why_no_checks  # type: ignore[attr-defined]


def refresh(app: Sphinx, error: Exception | None) -> None:
    """Pack the course's code anew, though no page with an exercise was written this time."""
    if error is None and Path(app.outdir, "_static", "in_page", LOADED[-1]).exists():
        prepare_checks(app)


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx."""
    app.add_post_transform(InPage)
    app.connect("build-finished", refresh)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
