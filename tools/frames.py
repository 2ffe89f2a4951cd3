"""What `make sync` writes into the frames of a chapter: how long it takes, what may be skipped, and which chapter
comes next.

A frame is a cell of Markdown with the id `before`, behind the title, or `after`, at the end. Its prose is
written in the chapter.
"""

import json
import re
from collections.abc import Mapping
from math import ceil
from pathlib import Path

from autograder.book.contents import Cell, Notebook, chapters, opening, parts, source
from autograder.book.times import AFTER, BEFORE, exercises, reading
from autograder.book.ways import ways
from autograder.model.errors import ToolError
from autograder.model.paths import ROOT
from tools.figures import stored

TIME, WAYS, NEXT = "**Time:**", "**Ways:**", "**Next:**"


def time_line(chapter: str, notebook: Notebook, seconds: float) -> str:
    """Return how long a chapter takes to read, to solve and to run. seconds: for which its cells ran."""
    count, minutes = exercises(chapter)
    solve = f"{minutes} for its {count} exercises" if count > 1 else f"{minutes} for its exercise"
    run = f"run in about {ceil(seconds / 60)} minutes" if seconds > 60 else "run in less than a minute"
    return f"{TIME} about {reading(notebook)} minutes to read, and {solve}. All its cells {run}."


def way_line(chapter: str) -> str:
    """Return what may be skipped on each way that passes a chapter; nothing where no way leaves anything out."""
    steps = {way.title: next((s for s in way.steps if s.chapter == chapter), None) for way in ways()}
    sentences = [
        f"*{title}*: without {', '.join(f'*{section}*' for section in step.skip)}."
        for title, step in steps.items()
        if step and step.skip
    ]
    return " ".join([WAYS, *sentences]) if sentences else ""


def next_line(chapter: str) -> str:
    """Return a link to the next chapter, with its question; the last part stands after the course's end."""
    order = chapters()
    position = order.index(chapter) + 1
    if position == len(order):
        return f"{NEXT} {{doc}}`The first page <index>` lists all chapters."
    ends = (
        "the course ends here. After its end stands " if order[position] == [*parts().values()][-1][0] else ""
    )
    return f"{NEXT} {ends}{{doc}}`{order[position]}`. *{opening(order[position])[1]}*"


def framed(text: str, chapter: str, seconds: float) -> str:
    """Return a chapter's notebook with the lines above written anew."""
    notebook = json.loads(text)
    cells = {cell["id"]: cell for cell in notebook["cells"] if cell["id"] in (BEFORE, AFTER)}
    _write(cells, BEFORE, time_line(chapter, notebook, seconds), chapter)
    _write_ways(cells[BEFORE], way_line(chapter))
    _write(cells, AFTER, next_line(chapter), chapter)
    return json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"


def _write(cells: dict[str, Cell], name: str, line: str, chapter: str) -> None:
    """Write one line of a frame, in the place of the line that begins in the same way."""
    begin = line.split(" ", 1)[0]
    old = re.compile(rf"^{re.escape(begin)}.*$", re.MULTILINE)
    if name not in cells or len(old.findall(source(cells[name]))) != 1:
        raise ToolError(
            f"chapters/{chapter}.ipynb must have a cell of Markdown with the id {name!r} and one line that begins "
            f"with {begin}: write it as in the other chapters."
        )
    new = old.sub(lambda _: line, source(cells[name]))
    if new != source(cells[name]):
        cells[name]["source"] = new.splitlines(keepends=True)


def _write_ways(cell: Cell, line: str) -> None:
    """Write the line on ways behind that on time, in a paragraph of its own."""
    old = source(cell)
    without = re.sub(rf"\n\n{re.escape(WAYS)}.*", "", old)
    new = re.sub(
        rf"^{re.escape(TIME)}.*$", lambda time: f"{time[0]}\n\n{line}".rstrip(), without, flags=re.MULTILINE
    )
    if new != old:
        cell["source"] = new.splitlines(keepends=True)


def changes(root: Path = ROOT, new_texts: Mapping[Path, str] | None = None) -> dict[Path, str]:
    """Return the chapters below `root` whose frames a sync would change, each with its new text.

    new_texts: what the same sync has changed already. Raises ToolError where a frame or a time is missing.
    """
    seconds = stored("chapters", root)["seconds"]
    frames = {}
    for chapter in chapters():
        path = root / "chapters" / f"{chapter}.ipynb"
        if chapter not in seconds:
            raise ToolError(
                f"benchmarks/results/chapters.json does not say how long {chapter} runs: run "
                f"`python -m benchmarks.chapters {chapter} --store`."
            )
        old = (new_texts or {}).get(path) or path.read_text(encoding="utf-8")
        if (new := framed(old, chapter, seconds[chapter])) != old:
            frames[path] = new
    return frames
