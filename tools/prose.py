"""The course's prose as plain text, for the small language model: `python -m tools.prose --store`.

`course/data/prose.txt` was made by it once and stays as it is, so that a change in a chapter alters no output
of the chapter on language models. If you make it again, train the model again as well
(`python -m benchmarks.language_model --store`) and run that chapter.
"""

import argparse
import re
import sys
from itertools import pairwise

from autograder.book.contents import chapters, notebook_of, opening, source
from autograder.book.edition import text_for
from autograder.book.markdown import PARSER, Links, plain_markdown
from course.data.prose import TEXT

# A paragraph with LaTeX, or with the signature of an exercise, is no prose.
UNREADABLE = re.compile(r"[\\^{}<>]|_\w|\) ->")


def prose() -> str:
    """Return the prose of all chapters in their order, a paragraph to a line, each paragraph once."""
    titles = {name: opening(name)[0] for name in chapters()}
    links = Links(dict.fromkeys(titles, ""), titles)
    unique: dict[str, None] = {}
    for chapter in chapters():
        for cell in notebook_of(chapter)["cells"]:
            if cell["cell_type"] == "markdown":
                unique |= dict.fromkeys(paragraphs(source(cell), links))
    return "".join(f"{paragraph}\n" for paragraph in unique)


def paragraphs(markdown: str, links: Links) -> list[str]:
    """Return the paragraphs and headings of a Markdown text in plain words; those with LaTeX are left out."""
    texts, in_table = [], False
    tokens = PARSER.parse(plain_markdown(text_for(markdown, None), links))
    for before, token in pairwise(tokens):
        if before.type in ("table_open", "table_close"):
            in_table = before.type == "table_open"
        if token.type == "inline" and before.type in ("paragraph_open", "heading_open") and not in_table:
            words = "".join(_words(child.type, child.content) for child in token.children or ())
            words = re.sub(r"\s+", " ", words).strip()
            if words and not UNREADABLE.search(words):
                texts.append(words)
    return texts


def _words(kind: str, content: str) -> str:
    if kind in ("softbreak", "hardbreak"):
        return " "
    return content if kind in ("text", "code_inline", "math_inline") else ""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--store", action="store_true", help="write course/data/prose.txt")
    arguments = parser.parse_args()
    text = prose()
    sys.stdout.write(f"{len(text)} characters\n")
    if arguments.store:
        TEXT.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
