"""Writes into the chapters, the README and BENCHMARKS.md what stands elsewhere: `make sync`.

An exercise's box in its chapter (title, difficulty, statement, signature, rules) comes from
`exercises/<topic>.py`, and the cells that hold its solution, each with its check, come from
`solutions/<topic>/`. The figures of BENCHMARKS.md come from `benchmarks/results`, the drawings at the heads of the
chapters from `tools/drawings/`; `tools/frames.py` writes into the chapters' frames, `tools/first_page.py` into
the first page; `attention --help` is written from the commands. All else stays as it is, byte for byte. `python -m tools.sync --check` writes nothing and fails if something would change.
"""

import argparse
import ast
import hashlib
import json
import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from autograder.book.contents import EXERCISE, Cell, source, tags
from autograder.book.teachers_chapter import box
from autograder.cli.commands import app
from autograder.cli.help import TEXT, from_commands
from autograder.copies.for_assignment import LABEL
from autograder.frameworks import graded_frameworks
from autograder.model.catalogue import all_exercises
from autograder.model.errors import ToolError
from autograder.model.exercise import Exercise
from autograder.model.paths import ROOT
from tools import drawings, first_page, frames, module_index
from tools.quote_benchmarks import SAYING, quoted, with_seconds

BOX = re.compile(
    r"^```\{exercise\}.*?^```$(\n\n:::\{dropdown\} Hint \d\n.*?\n:::$)*", re.DOTALL | re.MULTILINE
)
CHECK = re.compile(r'check\(\w+, "\w+"\)')


def solution_source(root: Path, topic: str, framework: str, entry: str) -> str:
    """Return the source of a function or class in `solutions/<topic>/`, read without importing its framework.

    An answer that needs no framework stands in `common.py`, from where the module of each framework imports it.
    """
    for name in (f"in_{framework}", "common"):
        path = root / "solutions" / topic / f"{name}.py"
        text = path.read_text(encoding="utf-8") if path.exists() else ""
        for statement in ast.parse(text).body:
            if isinstance(statement, (ast.FunctionDef, ast.ClassDef)) and statement.name == entry:
                first = min([statement.lineno, *(d.lineno for d in statement.decorator_list)])
                return "\n".join(text.split("\n")[first - 1 : statement.end_lineno])
    raise ToolError(
        f"solutions/{topic}/in_{framework}.py defines no {entry}: write the solution there, or in common.py."
    )


def synced_chapter(text: str, topic: str, exercises: Iterable[Exercise], root: Path = ROOT) -> str:
    """Return a chapter's notebook with the boxes and the solutions of its topic's exercises written anew.

    An exercise that the chapter does not hold yet is added at its end.
    """
    in_topic = {e.name: e for e in exercises if e.topic == topic}
    notebook = json.loads(text)
    cells: list[Cell] = notebook["cells"]
    boxed = {name for cell in cells for name in _write_boxes(cell, in_topic, topic)}
    solved = set(_write_solutions(cells, in_topic, topic, root))
    for exercise in in_topic.values():
        if exercise.name not in boxed and not any(name == exercise.name for name, _ in solved):
            cells += _new_cells(exercise, root)
            continue
        if exercise.name not in boxed:
            raise ToolError(f"chapters/{topic}.ipynb has no box with the label ex-{exercise.name}: add one.")
        for framework in graded_frameworks():
            if (exercise.name, framework) not in solved:
                raise ToolError(
                    f"chapters/{topic}.ipynb has no cell tagged {EXERCISE}{exercise.name} and framework-{framework}: "
                    "add one, and its check behind it."
                )
    return json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"


def _write_boxes(cell: Cell, in_topic: dict[str, Exercise], topic: str) -> list[str]:
    """Write the boxes of a cell of prose anew; gives the names of their exercises."""
    if cell["cell_type"] != "markdown":
        return []
    names: list[str] = []

    def write(match: re.Match[str]) -> str:
        label = LABEL.search(match[0])
        if label is None or label[1] not in in_topic:
            raise ToolError(
                f"chapters/{topic}.ipynb has a box {match[0].splitlines()[0]!r} whose label is no exercise of "
                f"exercises/{topic}.py: add the exercise, or take the box out."
            )
        names.append(label[1])
        return box(in_topic[label[1]])

    _set_source(cell, BOX.sub(write, source(cell)))
    return names


def _write_solutions(
    cells: list[Cell], in_topic: dict[str, Exercise], topic: str, root: Path
) -> Iterator[tuple[str, str]]:
    """Write the solutions and their checks anew; gives the exercise and the framework of each."""
    for index, cell in enumerate(cells):
        for tag in tags(cell, EXERCISE):
            name, framework = tag.removeprefix(EXERCISE), _framework(cell)
            if name not in in_topic:
                raise ToolError(
                    f"chapters/{topic}.ipynb has a cell tagged {tag}, which is no exercise of "
                    f"exercises/{topic}.py: add the exercise, or take the tag away."
                )
            check = cells[index + 1] if index + 1 < len(cells) else {"source": ""}
            if not CHECK.fullmatch(source(check)) or _framework(check) != framework:
                raise ToolError(
                    f"chapters/{topic}.ipynb: the cell behind the solution of {name} in {framework} must be "
                    f"{_check(in_topic[name], framework)}, tagged framework-{framework}."
                )
            _set_source(cell, solution_source(root, topic, framework, in_topic[name].entry))
            _set_source(check, _check(in_topic[name], framework))
            yield name, framework


def _new_cells(exercise: Exercise, root: Path) -> Iterator[Cell]:
    """Yield the cells of an exercise that its chapter does not hold yet: box, solutions and checks, not run."""
    yield _cell("markdown", f"{exercise.name} box", box(exercise))
    for framework in graded_frameworks():
        names = [f"framework-{framework}", f"{EXERCISE}{exercise.name}"]
        text = solution_source(root, exercise.topic, framework, exercise.entry)
        yield _cell("code", f"{exercise.name} {framework}", text, names)
        yield _cell("code", f"{exercise.name} {framework} check", _check(exercise, framework), names[:1])


def _cell(kind: str, what: str, text: str, names: list[str] | None = None) -> Cell:
    """Return a cell as nbformat writes it. Its id follows from what it is, so that a sync repeats it."""
    cell: Cell = {
        "cell_type": kind,
        "id": hashlib.sha256(what.encode()).hexdigest()[:8],
        "metadata": {"tags": names} if names else {},
        "source": text.splitlines(keepends=True),
    }
    if kind == "code":
        cell |= {"execution_count": None, "outputs": []}
    return dict(sorted(cell.items()))


def _set_source(cell: Cell, text: str) -> None:
    if source(cell) != text:
        cell["source"] = text.splitlines(keepends=True)


def _framework(cell: Cell) -> str:
    return next((t.removeprefix("framework-") for t in tags(cell, "framework-")), "")


def _check(exercise: Exercise, framework: str) -> str:
    return f'check({exercise.entry}, "{framework}")'


def changes(root: Path = ROOT, exercises: dict[str, Exercise] | None = None) -> dict[Path, str]:
    """Return the files below `root` that a sync would change, each with its new text.

    exercises: those to write; all of the catalogue if they are not given.
    """
    catalogue = exercises if exercises is not None else all_exercises()
    texts = {root / "BENCHMARKS.md": quoted((root / "BENCHMARKS.md").read_text(encoding="utf-8"), root)}
    texts |= {root / p: with_seconds((root / p).read_text(encoding="utf-8"), root) for p in SAYING}
    for path in sorted((root / "chapters").glob("*.ipynb")):
        texts[path] = synced_chapter(path.read_text(encoding="utf-8"), path.stem, catalogue.values(), root)
    return {path: text for path, text in texts.items() if path.read_text(encoding="utf-8") != text}


def help_changes() -> dict[Path, str]:
    """Return the text of `attention --help`, where it is not what is stored."""
    text = from_commands(app)
    return {TEXT: text} if TEXT.read_text(encoding="utf-8") != text else {}


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m tools.sync", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--check", action="store_true", help="write nothing; fail if something would change")
    check = parser.parse_args(arguments).check
    try:
        changed = changes(ROOT)
        changed |= frames.changes(ROOT, changed)
        changed |= first_page.changes(ROOT, changed) | drawings.changes(ROOT) | module_index.changes(ROOT)
        changed |= help_changes()
    except ToolError as error:
        raise SystemExit(str(error)) from None
    for path, text in changed.items():
        name = path.relative_to(ROOT)
        if check:
            sys.stderr.write(f"{name} is not what `make sync` writes into it: run `make sync`.\n")
        else:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
            sys.stdout.write(f"wrote {name}\n")
    if check and changed:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
