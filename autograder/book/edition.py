"""The text for one framework: words, rows and columns that belong to another are left out.

`[words]{.torch}` belong to PyTorch, `[words]{.both}` to who reads both; a table's column belongs to the framework
whose title heads it. `[words]{.page}` are about what only the book's page can do: no copy has them.
"""

import re

from autograder.frameworks import frameworks, graded_frameworks, title_of

BOTH = "both"
PAGE = "page"
# Words in brackets, which may hold links; and the class behind them.
MARKED = re.compile(r"\[((?:[^][]|\[[^][]*\])*)\]\{\.(\w+)\}")
GONE = "\0"
# What is left of a line whose words are all gone; and such a line, with the blank one before it if one is behind it.
NOTHING = re.compile(rf"(?:[ >*-]|\d+\.)*{GONE}[ {GONE}|]*")
EMPTIED = re.compile(rf"\A{GONE}\n*|\n\n{GONE}(?=\n\n|\Z)|{GONE}\n?")
# What goes with words that are gone: one of the spaces around them.
SPACED = re.compile(rf" {GONE}+(?=[ .,;:)]|$)|(?<![^ (]){GONE}+ ?|{GONE}+")
# Where a table's row is cut; a bar with a backslash is a part of its cell.
BAR = re.compile(r"(?<!\\)\|")


def names_to_leave_out(framework: str) -> set[str]:
    """Return what an edition for one framework leaves out: the others, what needs one of them, and what compares."""
    missing = {*graded_frameworks()} - {framework}
    return {BOTH} | {name for name, f in frameworks().items() if missing & {name, *f.needs}}


def text_for(text: str, framework: str | None) -> str:
    """Return the text without what belongs to another framework or to the page, and without the marks.

    framework: the only one; None for all of them.
    """
    names = {BOTH, PAGE, *frameworks()}
    gone = {PAGE} | (names_to_leave_out(framework) if framework else set())
    text = MARKED.sub(lambda m: m[0] if m[2] not in names else GONE if m[2] in gone else m[1], text)
    titles = {title_of(name) for name in gone & frameworks().keys()}
    lines: list[str] = []
    dropped_columns: set[int] = set()
    for line in text.split("\n"):
        if line.startswith("|"):
            cells = BAR.split(line)
            if not (lines and lines[-1].startswith("|")):
                dropped_columns = {column for column, cell in enumerate(cells) if cell.strip() in titles}
            line = "|".join(cell for column, cell in enumerate(cells) if column not in dropped_columns)
        if not line.startswith(f"| {GONE}"):
            lines.append(GONE if GONE in line and NOTHING.fullmatch(line) else SPACED.sub("", line))
    return EMPTIED.sub("", "\n".join(lines))
