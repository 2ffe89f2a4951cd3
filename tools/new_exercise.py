"""Makes the skeleton of a new exercise: `make exercise NAME=row_entropy TOPIC=masked_softmax TITLE="Entropy of a row"`.

It adds the exercise to `exercises/<topic>.py`, a first wrong idea to fill in to `exercises/<topic>.toml`,
a function to each module of `solutions/<topic>/`, and its box and cells to the end of the chapter.
The tests then say what is still missing. For the first exercise of a chapter it makes these modules.
"""

import argparse
import ast
import keyword
import os
import re
import subprocess
import sys
import textwrap
from collections.abc import Sequence
from pathlib import Path

from autograder.checking.lint import FAMILIES
from autograder.frameworks import graded_frameworks, title_of
from autograder.model.catalogue import all_exercises, topics
from autograder.model.errors import ToolError
from autograder.model.paths import ROOT

NAME = re.compile(r"[a-z][a-z0-9_]*")
WIDTH, CELL_WIDTH = 110, 60  # characters in a line of a module, and of a chapter's cell
# The modules of a topic before its first exercise.
EXERCISES = '"""Exercises on {words}."""\n\nimport numpy as np\n\nEXERCISES = (\n)\n'
IDEAS = "# Wrong ideas on {words}; `autograder/model/misconceptions.py` says how they are written.\n"
IDEA = '\n[{name}.wrong_idea]\nhint = ""\nevery = ["", ""]\n'
SOLUTIONS = '"""Solutions on {words} in {framework}."""\n'
REFERENCE = '"""References on {words}."""\n\nimport numpy as np\n'
PACKAGE = '"""Solutions on {words}."""\n'


def skeleton(
    name: str, topic: str, title: str, arguments: Sequence[str], root: Path = ROOT
) -> dict[Path, str]:
    """Return the files to write, each with its new text.

    Raises ToolError if the name is taken or cannot be one, or if there is no such topic.
    """
    _refuse(name, topic, title, arguments, root)
    solutions = root / "solutions" / topic
    functions = {solutions / f"in_{framework}.py": title_of(framework) for framework in graded_frameworks()}
    texts = {
        root / "exercises" / f"{topic}.py": EXERCISES,
        root / "exercises" / f"{topic}.toml": IDEAS,
        solutions / "__init__.py": PACKAGE,
        solutions / "in_numpy.py": REFERENCE,
        **dict.fromkeys(functions, SOLUTIONS),
    }
    for path, empty in texts.items():
        words = {"words": topic.replace("_", " "), "framework": functions.get(path, "")}
        texts[path] = path.read_text(encoding="utf-8") if path.exists() else empty.format(**words)
    exercises, ideas, _, reference, *in_frameworks = texts
    texts[exercises] = _with_exercise(texts[exercises], name, topic, title, arguments)
    texts[ideas] += IDEA.format(name=name)
    texts[reference] = _with_function(texts[reference], name, title, arguments, typed=True)
    for path in in_frameworks:
        texts[path] = _with_function(texts[path], name, title, arguments, typed=False)
    return {p: t for p, t in texts.items() if not p.exists() or p.read_text(encoding="utf-8") != t}


def _refuse(name: str, topic: str, title: str, arguments: Sequence[str], root: Path) -> None:
    if topic not in topics() and not (root / "chapters" / f"{topic}.ipynb").exists():
        raise ToolError(
            f"There is no topic {topic!r}: TOPIC must be one of {', '.join(topics())}, or a new chapter's name."
        )
    for word in (name, *arguments):
        if not word.isidentifier() or keyword.iskeyword(word):
            raise ToolError(f"{word!r} cannot be the name of a function or an argument: choose another.")
    if not NAME.fullmatch(name):
        raise ToolError(f"{name!r} must be written in small letters, digits and underscores.")
    for exercise in all_exercises().values():
        if name in (exercise.name, exercise.entry):
            raise ToolError(
                f"The topic {exercise.topic} has an exercise named {name!r} already: choose another NAME."
            )
    for path in (*sorted((root / "solutions" / topic).glob("*.py")), *root.glob(f"exercises/{topic}.py")):
        if any(getattr(s, "name", None) == name for s in ast.parse(path.read_text(encoding="utf-8")).body):
            raise ToolError(f"{path.relative_to(root)} defines {name} already: choose another NAME.")
    if not title.strip():
        raise ToolError('An exercise must have a title: say it with TITLE="...".')


def _with_exercise(text: str, name: str, topic: str, title: str, arguments: Sequence[str]) -> str:
    """Return a module of exercises with one more at its end, and a function for its cases before them."""
    cases = f"def _{name}_cases(rng: np.random.Generator) -> list[Case]:\n    return []\n\n\n"
    shapes = "".join(f'Argument("{argument}", ""), ' for argument in arguments)
    exercise = f"""\
    Exercise(
        name="{name}",
        title={_quoted(title)},
        statement="",
        rules=(),
        conditions={{}},
        entry="{name}",
        arguments=({shapes}),
        returns=(Output("result", ""),),
        reference={name},
        cases=_{name}_cases,
        difficulty=1,
        minutes=10,
        points=1,
    ),"""
    text = _inside(text, "EXERCISES", exercise)
    text = text.replace("\nEXERCISES = (", f"\n{cases}EXERCISES = (", 1)
    text = _importing(text, f"solutions.{topic}.in_numpy", [name])
    return _importing(text, "autograder.model.exercise", ["Argument", "Case", "Exercise", "Output"])


def _inside(text: str, name: str, entry: str) -> str:
    """Return a module's text with an entry at the end of the tuple or the dictionary of this name."""
    for statement in ast.parse(text).body:
        target = statement.targets[0] if isinstance(statement, ast.Assign) else None
        target = statement.target if isinstance(statement, ast.AnnAssign) else target
        if isinstance(target, ast.Name) and target.id == name:
            lines = text.split("\n")
            lines.insert((statement.end_lineno or len(lines)) - 1, entry)
            return "\n".join(lines)
    raise ToolError(f"A module of this topic assigns no {name}: add it.")


def _importing(text: str, module: str, names: Sequence[str]) -> str:
    """Return a module's text whose import from another module holds these names too."""
    for statement in ast.parse(text).body:
        if isinstance(statement, ast.ImportFrom) and statement.module == module:
            present = [alias.name if not alias.asname else ast.unparse(alias) for alias in statement.names]
            imports = dict.fromkeys([*present, *names])
            lines = text.split("\n")
            lines[statement.lineno - 1 : statement.end_lineno] = [
                f"from {module} import {', '.join(imports)}"
            ]
            return "\n".join(lines)
    first = next(s for s in ast.parse(text).body if isinstance(s, (ast.Import, ast.ImportFrom)))
    lines = text.split("\n")
    lines.insert(first.end_lineno or first.lineno, f"from {module} import {', '.join(names)}")
    return "\n".join(lines)


def _with_function(text: str, name: str, title: str, arguments: Sequence[str], typed: bool) -> str:
    """Return a module of solutions with one more function at its end, not written yet."""
    parameters = ", ".join(f"{argument}: np.ndarray" if typed else argument for argument in arguments)
    line = f"def {name}({parameters}){' -> np.ndarray' if typed else ''}:"
    width = WIDTH if typed else CELL_WIDTH
    if len(line) > width:
        line = line.replace("(", "(\n    ", 1).replace(", ", ",\n    ").replace(")", ",\n)", 1)
    words = textwrap.indent(textwrap.fill(f'"""{title.strip().rstrip(".")}."""', width - 4), "    ")
    return f"{text.rstrip()}\n\n\n{line}\n{words}\n    raise NotImplementedError\n"


def _quoted(text: str) -> str:
    return f'"{text}"' if '"' not in text and "\\" not in text else repr(text)


def _run(*command: str) -> None:
    """Run a module in a process of its own, which imports the exercises as they are now."""
    done = subprocess.run(
        [sys.executable, "-m", *command], cwd=ROOT, env=os.environ | {"PYTHONPATH": str(ROOT)}
    )
    if done.returncode:
        raise SystemExit(done.returncode)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m tools.new_exercise", description=(__doc__ or "").split(":")[0]
    )
    parser.add_argument("name", help="of the exercise and of the function to write")
    parser.add_argument("topic", help="the chapter")
    parser.add_argument("title", help="of its box in the chapter")
    parser.add_argument("--arguments", nargs="+", default=["X"], metavar="NAME", help="of the function")
    options = parser.parse_args(arguments)
    try:
        texts = skeleton(options.name, options.topic, options.title, options.arguments)
    except ToolError as error:
        raise SystemExit(str(error)) from None
    for path, text in texts.items():
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
        sys.stdout.write(f"wrote {path.relative_to(ROOT)}\n")
    sys.stdout.flush()
    paths = [str(path) for path in texts if path.suffix == ".py"]
    _run("ruff", "format", "--quiet", *paths)
    _run("ruff", "check", "--quiet", "--select", "I", "--fix", *paths)
    _run("tools.sync")
    sys.stdout.write(
        f"Before you write a solution, ask how people get it wrong, by family: {', '.join(FAMILIES)}. "
        "Fill in what these hold, then run `make sync` and "
        f"`.venv/bin/pytest tests/exercises -k {options.name}`, which says what is missing.\n"
    )


if __name__ == "__main__":
    main()
