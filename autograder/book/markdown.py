"""Turns the book's MyST Markdown into plain Markdown, which JupyterLab, VS Code, Colab and nbgrader render.

The parser says what is a directive, a role, a target or a link; what is none of them stays as it was written.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from html import unescape
from itertools import count
from urllib.parse import quote, unquote

from markdown_it import MarkdownIt
from markdown_it.token import Token
from mdit_py_plugins.amsmath import amsmath_plugin
from mdit_py_plugins.colon_fence import colon_fence_plugin
from mdit_py_plugins.dollarmath import dollarmath_plugin
from mdit_py_plugins.myst_blocks import myst_block_plugin
from mdit_py_plugins.myst_role import myst_role_plugin

from autograder.book.bibliography import all_works, cited
from autograder.book.contents import DRAWINGS, FIGURES
from autograder.model.catalogue import all_exercises

DIRECTIVE = re.compile(r"\{([\w:+-]+)\}\s*(.*)")
OPTION = re.compile(r":([\w-]+):[ \t]*(.*)")
NAMED_TARGET = re.compile(r"(.*?)\s*<([^<>]+)>", re.DOTALL)
FOOTNOTE = re.compile(r"\[\^([\w-]+)\]")
# The title of a folded hint (`tools/sync.py` writes them into the chapters).
HINT = re.compile(r"Hint \d")
FENCES = ("fence", "colon_fence")
CODE = ("code", "code-block", "code-cell", "sourcecode", "literalinclude")
# Directives that only hold others: what they hold is shown in their place.
HOLDERS = ("tab-set", "grid", "grid-item", "div", "container", "margin")
# Directives that place a picture or a title, where the book's own pages have another.
LEFT_OUT = ("tableofcontents", "toctree", "contents")
# Roles whose words name another place.
REFERENCES = ("doc", "ref", "numref", "eq", "prf:ref")
# A term of the glossary, with what it says of it in the line below.
TERM = re.compile(r"^(\w.*)\n {2}(?=\S)", re.MULTILINE)
# What a link to a label leads to; JupyterLab, VS Code and Colab each find headings by another name.
ANCHOR = '<a id="{}"></a>'
# In a plain text: such a place, with the heading or the term behind it, and the label of an equation.
LABELLED = re.compile(
    r'<a id="([^"]+)"></a>(?=(?:\s|<a id="[^"]+"></a>)*#+ (?:Exercise: )?(.+)|\*\*(.+?)\*\*|)|\\tag\{(.+?)\}'
)
Edit = tuple[int, int, str]


@dataclass(frozen=True)
class Location:
    """Where a label is: the notebook's file, the fragment of its address, and the words that name it."""

    file: str
    fragment: str
    words: str


@dataclass(frozen=True)
class Links:
    """Where links lead. files: each chapter's file in the folder of copies. here: the notebook at hand."""

    files: dict[str, str] = field(default_factory=dict)
    titles: dict[str, str] = field(default_factory=dict)
    labels: dict[str, Location] = field(default_factory=dict)
    here: str = ""

    def find(self, name: str) -> Location | None:
        """Return the place of a label, of a chapter (`pooling`, `pooling.ipynb`), or of `pooling.ipynb#label`."""
        file, _, label = name.removeprefix("project:").partition("#")
        label = unquote(label) or file
        if label in self.labels:
            return self.labels[label]
        topic = file.rpartition("/")[2].removesuffix(".ipynb").removesuffix(".md")
        if topic not in self.files:
            return None
        return Location(self.files[topic], "", self.titles.get(topic, topic))

    def address(self, location: Location) -> str:
        """Return the place's address, from the notebook at hand."""
        fragment = f"#{quote(location.fragment)}" if location.fragment else ""
        return fragment if fragment and location.file == self.here else location.file + fragment

    def link(self, words: str, name: str) -> str:
        """Return a link to a place; only its words where it is not known, or is the notebook at hand."""
        location = self.find(name)
        words = words or (location.words if location else name)
        address = self.address(location) if location else self.here
        return words if address == self.here else f"[{words}]({address})"


PARSER = MarkdownIt("commonmark").enable("table")
for plugin in (dollarmath_plugin, amsmath_plugin, colon_fence_plugin, myst_block_plugin, myst_role_plugin):
    plugin(PARSER)


@dataclass(frozen=True)
class Directive:
    """A directive whose title and text are plain Markdown already."""

    name: str
    title: str
    text: str
    options: dict[str, str]


def plain_markdown(text: str, links: Links) -> str:
    """Return the text as plain Markdown, without directives, roles, labels and targets."""
    starts = [0]
    for line in text.split("\n"):
        starts.append(starts[-1] + len(line) + 1)
    edits: list[Edit] = []
    for token in PARSER.parse(text):
        if token.map is None or (token.type != "inline" and (new := _block(token, links)) is None):
            continue
        end = token.map[1]
        if token.type == "amsmath":  # its map leaves out the last line
            end = token.map[0] + token.content.strip("\n").count("\n") + 1
        first, last = starts[token.map[0]], min(starts[end], len(text))
        if token.type == "inline":
            # The cells of a row of a table have all of its text: each begins behind the last one's edits.
            begin = max([first, *(end for start, end, _ in edits if first <= start and end <= last)])
            edits += _inline(text, begin, last, token, links)
            continue
        old = text[first:last]
        block = new or ""
        if block and (indent := re.match(r"[ \t>]+", old)):
            block = "\n".join(f"{indent[0]}{line}".rstrip() for line in block.split("\n"))
        edits.append((first, last, f"{block}\n" if block and old.endswith("\n") else block))
    for first, last, new in sorted(edits, reverse=True):
        text = text[:first] + new + text[last:]
    return text.strip("\n")


def _block(token: Token, links: Links) -> str | None:
    """Return what stands in the place of a block; None if it stays as it is."""
    if token.type in FENCES and (directive := DIRECTIVE.match(token.info.strip())):
        return _directive(directive[1], directive[2].strip(), token.content, links)
    if token.type == "math_block_label":
        return f"$$\n{token.content.strip()}\n\\tag{{{_number(token.info, links)}}}\n$$"
    if token.type == "amsmath":
        # KaTeX knows the environments of a formula between dollars, and not those that stand alone.
        inner = re.sub(r"\{gather\*?\}", "{gathered}", token.content.strip())
        inner = re.sub(r"\{(align|equation|multline)\*?\}", "{aligned}", inner)
        return f"$$\n{inner}\n$$"
    if token.type == "myst_target":
        return f"{ANCHOR.format(token.content)}\n"
    return "" if token.type in ("myst_line_comment", "myst_block_break") else None


def _number(label: str, links: Links) -> str:
    """Return the number of an equation in its notebook; its label where it is not known."""
    return links.labels[label].words.strip("()") if label in links.labels else label


def _inline(text: str, first: int, last: int, token: Token, links: Links) -> Iterator[Edit]:
    """Yield edits for the roles, links and footnotes of a paragraph, a heading or a cell of a table."""
    at = first
    for child in token.children or ():
        words = ""  # for a link without any
        if child.type == "myst_role":
            new = _role(child.meta["name"], child.content.strip("`"), links)
            pattern = re.escape("{" + child.meta["name"] + "}") + r"(`+)[\s\S]+?(?<!`)\1(?!`)"
        elif child.type == "link_open" and (location := links.find(str(child.attrs["href"]))):
            new, words = f"]({links.address(location)})", location.words
            pattern = r"\]\(" + re.escape(str(child.attrs["href"])) + r"\)"
        elif child.type == "text":
            for label in FOOTNOTE.findall(child.content):
                # A note's own text has a colon; with a backslash before it, it is no footnote.
                footnote = re.compile(rf"(?m:^)\[\^{label}\]:|(?<!\\)\[\^{label}\]")
                if match := footnote.search(text, at, last):
                    at = match.end()
                    yield match.start(), at, f"<sup>{label}</sup>"
            continue
        else:
            continue
        if match := re.compile(pattern).search(text, at, last):
            at = match.end()
            yield match.start(), at, words + new if text[match.start() - 1] == "[" else new


def _role(name: str, content: str, links: Links) -> str:
    content = content.strip()
    target = NAMED_TARGET.fullmatch(content)
    if name == "eq" and (location := links.find(content)) and location.file == links.here:
        return location.words
    if name in REFERENCES:
        return links.link(target[1] if target else "", target[2] if target else content)
    if name == "term":
        words, term = target.groups() if target else (content, content)
        return links.link(words, _label_of(term))
    if name == "math":
        return f"${content}$"
    if name in ("sub", "sup"):
        return f"<{name}>{content}</{name}>"
    if name in ("code", "kbd", "file", "samp"):
        return f"`{content}`"
    if name.startswith("cite"):
        return cited(name, content)
    return target[1] if target else content


def _directive(name: str, argument: str, content: str, links: Links) -> str:
    options, body = _options(content)
    if name in CODE:
        return f"```{argument}\n{body}\n```"
    if name == "math":
        tag = f"\n\\tag{{{_number(options['label'], links)}}}" if "label" in options else ""
        return f"$$\n{(argument + body).strip()}{tag}\n$$"
    if name in LEFT_OUT:
        return ""
    directive = Directive(name, plain_markdown(argument, links), plain_markdown(body, links), options)
    return DIRECTIVES.get(name, _admonition)(directive)


def _options(content: str) -> tuple[dict[str, str], str]:
    """Return a directive's options, and what stands behind them."""
    lines = content.strip("\n").split("\n")
    options = {}
    while lines and (option := OPTION.fullmatch(lines[0])):
        options[option[1]] = option[2]
        lines.pop(0)
    return options, "\n".join(lines).strip("\n")


def _exercise(directive: Directive) -> str:
    label, text = directive.options.get("label", ""), directive.text
    anchor = f"{ANCHOR.format(label)}\n\n" if label else ""
    stuck = ""
    if (exercise := all_exercises().get(label.removeprefix("ex-"))) and exercise.hints:
        stuck = f'\n\nStuck? `hint("{exercise.name}")` gives a hint, and the next one each time.'
    return f"{anchor}### Exercise: {directive.title}\n\n{text}{stuck}"


def _label_of(term: str) -> str:
    return f"term-{term.lower().replace(' ', '-')}"


def _admonition(directive: Directive) -> str:
    """Return a block quote with a bold title. Formulas of several lines would take its signs as their own."""
    kind = {"seealso": "See also", "admonition": ""}.get(directive.name, directive.name.capitalize())
    words = ": ".join(filter(None, (kind, directive.title)))
    text = re.sub(r"\$\$.*?\$\$", lambda m: m[0].replace("\n", " "), directive.text, flags=re.DOTALL)
    return "\n".join(f"> {line}".rstrip() for line in f"**{words}**\n\n{text}".strip().split("\n"))


def _figure(directive: Directive) -> str:
    """Return a picture's caption as text; the title is the picture's file."""
    picture = f"![{directive.options.get('alt', '')}]({directive.title})"
    return f"{picture}\n\n*{directive.text}*" if directive.text and directive.name == "figure" else picture


def _live_figure(directive: Directive) -> str:
    """Return the still of a figure that computes in the book's page, with its caption; the title is its name."""
    still = (FIGURES / f"{directive.title}.svg").read_text(encoding="utf-8")
    title = unescape(still.partition("<title")[2].partition(">")[2].partition("</title>")[0])
    return f"![{title}]({DRAWINGS.name}/{directive.title}.svg)\n\n{directive.text}"


def _dropdown(directive: Directive) -> str:
    if HINT.fullmatch(directive.title):
        return ""  # in a copy hint() gives them, one by one
    return f"<details>\n<summary>{directive.title}</summary>\n\n{directive.text}\n\n</details>"


DIRECTIVES: dict[str, Callable[[Directive], str]] = {
    **dict.fromkeys(HOLDERS, lambda directive: directive.text),
    "exercise": _exercise,
    "glossary": lambda directive: TERM.sub(
        lambda m: f"{ANCHOR.format(_label_of(m[1]))}**{m[1]}**: ", directive.text
    ),
    "bibliography": lambda directive: all_works(),
    "figure": _figure,
    "image": _figure,
    "dropdown": _dropdown,
    "live-figure": _live_figure,
    "tab-item": lambda directive: f"**{directive.title}**\n\n{directive.text}",
}


def labels_of(text: str, file: str) -> dict[str, Location]:
    """Return the labels of all Markdown of a notebook: of headings, exercises, terms and equations."""
    numbers = count(1)
    labels: dict[str, Location] = {}
    for label, heading, term, equation in LABELLED.findall(plain_markdown(text, Links())):
        if equation:
            labels[equation] = Location(file, "", f"({next(numbers)})")
        else:
            labels[label] = Location(file, label, heading or term or label)
    return labels
