"""Say where lines of text may break.

A browser may put the full stop behind a formula on a line of its own, and it breaks a long name in a narrow
column of a table at any letter. Here a formula keeps the punctuation behind it, an option its hyphens, a name its
minus, an arrow its two parts and a short piece of code its spaces. Names in tables get the places where they may
break: behind dots, underscores, brackets, commas and equals signs, and before a capital; code whose words are short,
such as a shape, breaks at its blanks alone. In the first column, which says what a row is about, long names break
on a phone alone. A word of code with hyphens stays whole, in text and in a line that wraps. The empty line that ends
a doctest is not shown. A line of code, or one that a cell prints, goes on further in; printed lines that are a little
too long get smaller letters before they break.
"""

from __future__ import annotations

import html
import re
from typing import Any

from sphinx.application import Sphinx

FORMULA = re.compile(r'(<span class="math notranslate nohighlight">[^<]*</span>)([.,;:!?)]+)')
OPTION = re.compile(r'<span class="pre">(?=(?=\S{1,24}</span>)[\w./=]*-[\w./=-]+</span>|-&gt;</span>)')
HYPHENED = re.compile(r"(?<![\w-])(?=[\w-]{3,24}(?![\w-]))-{0,2}\w+(?:-\w+)+(?![^<>]*>)")
ROW = re.compile(r"<tr\b[^>]*>\s*(<td\b.*?</td>)(.*?)</tr>", re.DOTALL)
NAME = re.compile(r'(?<=<span class="pre">)[^<]+(?=</span>)')
IN_CODE = re.compile(r"<code\b.*?</code>", re.DOTALL)
WORD = 14  # characters of a word that stays whole where the code around it can break at a blank
BREAK = re.compile(r"(?<=\w[._(,=])(?<!\d\.)(?=\w)|(?<=[a-z])(?=[A-Z])")
SHORT = 8  # characters of a name that any column holds
CODE = re.compile(r'(<code class="docutils literal notranslate)(">)(.*?)</code>')
SHORT_CODE = 14  # characters, such as those of 2 * width**2
TAG = re.compile(r"<[^>]+>")
# What a cell prints stands in an element whose class begins with "output".
BLOCK = re.compile(
    r'(<div class="(?:output [^"]*|highlight-[\w-]+ notranslate)"><div class="highlight"><pre)'
    r"(>(?:<span></span>)?)(.*?)(?=</pre>)",
    re.DOTALL,
)
LONGEST = 80  # characters of a line that the text's column holds in letters that are still legible
SPAN = re.compile(r"<span[^>]*>|</span>")
LAST_LINE = re.compile(r"\n\s+(?=</pre>)")


def keep_punctuation(body: str) -> str:
    """Return HTML in which no line breaks between a formula and the punctuation behind it."""
    return FORMULA.sub(r'<span class="unbroken">\1\2</span>', body)


def keep_options(body: str) -> str:
    """Return HTML in which no line breaks behind the hyphens of a command's option, or of another short word of code."""
    return OPTION.sub('<span class="pre unbroken">', body)


def keep_short_code(body: str) -> str:
    """Return HTML in which no line breaks in a short piece of code."""
    return CODE.sub(_unbroken, body)


def _unbroken(code: re.Match[str]) -> str:
    text = html.unescape(TAG.sub("", code[3]))
    return (
        f"{code[1]} unbroken{code[2]}{code[3]}</code>" if " " in text and len(text) <= SHORT_CODE else code[0]
    )


def drop_last_line(body: str) -> str:
    """Return HTML in which no block of code ends with an empty line."""
    return LAST_LINE.sub("\n", body)


def mark_lines(body: str) -> str:
    """Return HTML in which each line of code is an element that knows its indent: where it wraps, it goes on below that.

    So is each line that a cell prints; and their block knows how long they are, if smaller letters let them fit.
    """
    return BLOCK.sub(_marked, body)


def _marked(block: re.Match[str]) -> str:
    longest = max(map(len, html.unescape(TAG.sub("", block[3])).splitlines()), default=0)
    fits = 'class="output' in block[1] and longest <= LONGEST
    style = f' style="--columns:{longest}"' if fits else ""
    return f"{block[1]}{style}{block[2]}{_lines(block[3])}"


def _lines(code: str) -> str:
    """Return lines of code as elements; a span over several lines, as a docstring is, becomes one for each."""
    marked, open_spans = [], list[str]()
    for line in code.splitlines(keepends=True):
        before = "".join(open_spans)
        for tag in SPAN.findall(line):
            if tag == "</span>":
                open_spans.pop()
            else:
                open_spans.append(tag)
        text = TAG.sub("", line)
        line = HYPHENED.sub(r'<span class="unbroken">\g<0></span>', line)
        indent = len(text) - len(text.lstrip(" "))
        style = f' style="--indent:{indent}"' if indent and text.strip() else ""
        marked.append(f'<span class="line"{style}>{before}{line}{"</span>" * len(open_spans)}</span>')
    return "".join(marked)


def break_names(body: str) -> str:
    """Return HTML in which long names in tables say where they may break; those of the first column only if they are very long."""
    return ROW.sub(_with_breaks_in_row, body)


def _with_breaks_in_row(row: re.Match[str]) -> str:
    first = NAME.sub(lambda name: _with_breaks(name, WORD), row[1])
    return row[0].replace(row[1] + row[2], first + IN_CODE.sub(_with_breaks_in_code, row[2]), 1)


def _with_breaks_in_code(code: re.Match[str]) -> str:
    words = NAME.findall(code[0])
    return code[0] if len(words) > 1 and max(map(len, words)) <= WORD else NAME.sub(_with_breaks, code[0])


def _with_breaks(name: re.Match[str], whole: int = SHORT) -> str:
    return name[0] if len(name[0]) <= whole else BREAK.sub("<wbr>", name[0])


def improve(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: object) -> None:
    """Change the text of a page."""
    body = context.get("body") or ""
    changes = (keep_punctuation, break_names, keep_options, keep_short_code, drop_last_line, mark_lines)
    for change in changes:
        body = change(body)
    context["body"] = body


def register(app: Sphinx) -> None:
    """Change the texts of all pages."""
    app.connect("html-page-context", improve)
