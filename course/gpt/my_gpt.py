"""`my_gpt`: the learner's GPT as a package of ordinary code, written from the accepted answers.

What is not accepted yet is the course's, and says so. A file that was changed by hand is never written over.
"""

import ast
import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.columns import Columns
from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.text import Text

from autograder.book.contents import file_of
from autograder.checking import accepted_answers, progress
from autograder.checking.notebook_folder import load_exercises_beside
from autograder.model.catalogue import all_exercises, topics
from autograder.model.errors import UsageError
from autograder.model.exercise import Exercise
from autograder.model.learner_files import note, read_bytes, read_json, remove, write_json, write_text
from course.gpt.linker import Linker, SolutionName, Source, defining

PACKAGE = "my_gpt"
WIDTH = 88
# Beside the modules: what each held when it was written, and in which framework.
RECORD = "written.json"
FRAMEWORKS = ("torch", "mxnet")
YOURS, COURSES, CHANGED = "yours", "the course's", "changed by hand"
# The module of another form than the one that is built.
BESIDE = "gpt2"
MARKS = {YOURS: ("●", "green"), COURSES: ("○", "dim"), CHANGED: ("✎", "yellow")}
UNREAD = "The answer to {name} in {file} cannot be read, and the course's takes its place: check yours again."
OUTDATED = (
    "Your answer to {name} in {file} has no argument `{argument}`, which the exercise has by now, and the course's "
    "takes its place: add it, and check yours again."
)
NO_COPIES = "{folder} holds no copies: name the folder that `attention learn` has made with --folder."

# Each module with what it is, and the parts that stand in it, by topic.
MODULES: dict[str, tuple[str, dict[str, tuple[str, ...]]]] = {
    "tokeniser": (
        "Text to tokens, and back: pairs of bytes, merged.",
        {"language_model": ("merge_pair", "learn_merges", "pieces_of", "encode_piece", "encode", "decode")},
    ),
    "norm": ("The norm before each layer.", {"language_model": ("rms_norm",), "gpt": ("RMSNorm",)}),
    "attention": (
        "Causal attention: rotary positions, grouped heads, a cache.",
        {"positions": ("rotary",), "gpt": ("RotaryAttention",)},
    ),
    "feed_forward": ("The feed-forward layers of a block.", {"language_model": ("gated_feed_forward",)}),
    "block": ("One block: attention and feed-forward, each added to its input.", {"gpt": ("GPTBlock",)}),
    "model": ("The model: tokens to logits.", {"gpt": ("GPT",)}),
    "training": (
        "One step of training: the loss, its gradients clipped, and AdamW.",
        {
            "language_model": ("next_token_loss", "clip_gradients", "adamw_step"),
            "gpt": ("training_step",),
        },
    ),
    "sampling": (
        "How a text is continued.",
        {"language_model": ("top_p", "draw_token"), "gpt": ("generate",)},
    ),
    BESIDE: (
        "Beside your model: GPT-2's form of 2019, the course's.",
        {"transformer": ("layer_norm",), "gpt": ("LayerNorm", "GPT2Attention", "GPT2Block", "GPT2")},
    ),
}
# How the modules are drawn: from the text to the next token, the block in the model.
PICTURE = (
    "tokeniser",
    ("model", (("block", ("norm", "attention", "feed_forward")),)),
    "training",
    "sampling",
    "gpt2",
)


@dataclass(frozen=True)
class PackagePart:
    """A part of the package: its module, whose it is, and the exercise that asks for it, if one does."""

    name: str
    module: str
    whose: str
    exercise: Exercise | None


@dataclass(frozen=True)
class Box:
    """A module of the map, with its parts and the modules that it is made of."""

    module: str
    what: str
    parts: list[PackagePart]
    inner: list["Box"]


@dataclass(frozen=True)
class MyGPT:
    """What is whose: a notebook shows it as a table, `rich` as a picture."""

    folder: Path
    framework: str
    parts: tuple[PackagePart, ...]

    def map(self, picture: tuple[Any, ...] = PICTURE) -> list[Box]:
        """Return the modules as boxes, one in another, in the order in which the data pass them."""
        pairs = (entry if isinstance(entry, tuple) else (entry, ()) for entry in picture)
        return [
            Box(name, MODULES[name][0], [p for p in self.parts if p.module == name], self.map(inner))
            for name, inner in pairs
        ]

    @property
    def changed_files(self) -> list[str]:
        """Return the files that were changed by hand, and stay as they are."""
        return sorted({f"{part.module}.py" for part in self.parts if part.whose == CHANGED})

    @property
    def summary(self) -> str:
        """Return how many parts are the learner's, and the next exercise."""
        built = [part for part in self.parts if part.module != BESIDE]
        exercises = [(part.exercise, part.whose) for part in built if part.exercise]
        open_exercises = [exercise for exercise, whose in exercises if whose == COURSES]
        words = f"{len(exercises) - len(open_exercises)} of {len(exercises)} exercises are yours."
        if open_exercises:
            return f"{words} Next: {open_exercises[0].title}, in {file_of(open_exercises[0].topic, self.folder)}."
        course_parts = [part.name for part in built if part.whose == COURSES]
        if course_parts:
            return f"{words} The course's are still: {', '.join(course_parts)}."
        return f"{words} Every line of the model, its tokeniser, its training step and its writing is yours."

    def __rich__(self) -> RenderableType:
        legend = Text("   ").join(
            Text(f"{mark} {whose}", style=style) for whose, (mark, style) in MARKS.items()
        )
        return Group(*_panels(self.map()), legend, Text(self.summary))

    def _repr_markdown_(self) -> str:
        rows = [
            f"| `{p.module}.py` | `{p.name}` | {MARKS[p.whose][0]} {self._words(p)} |" for p in self.parts
        ]
        return "\n".join(["| file | part | whose |", "| --- | --- | --- |", *rows, "", self.summary])

    def _words(self, part: PackagePart) -> str:
        if part.whose != COURSES or part.exercise is None:
            return part.whose
        address = f"{file_of(part.exercise.topic, self.folder)}#ex-{part.exercise.name}"
        return f"{COURSES}, until [{part.exercise.title}]({address}) is accepted"


def _panels(boxes: Sequence[Box]) -> Iterator[RenderableType]:
    """Yield panels one below the other, in the order in which the data pass them."""
    for box in boxes:
        parts = Columns(
            (Text(f"{MARKS[part.whose][0]} {part.name}", style=MARKS[part.whose][1]) for part in box.parts),
            padding=(0, 3),
        )
        title = f"[bold]{box.module}.py[/]  [dim]{box.what}[/]"
        yield Panel(Group(parts, *_panels(box.inner)), title=title, title_align="left", width=WIDTH)


def my_gpt(folder: Path | None = None, framework: str | None = None) -> MyGPT:
    """Write the package `my_gpt` beside the copies, and say what in it is whose.

    folder: that of the copies; that at hand if not given. framework: "torch" or "mxnet"; that in which it was written
    last if not given. Raises UsageError where there is no folder, or no such framework.
    """
    load_exercises_beside()
    home = progress.folder_at_hand() if folder is None else folder
    if home is None or not (home / progress.FILE).is_file():
        raise UsageError(NO_COPIES.format(folder=home or "This folder"))
    used = framework or _record(home / PACKAGE).get("framework", FRAMEWORKS[0])
    if used not in FRAMEWORKS:
        raise UsageError(f"A GPT is written in {' or '.join(FRAMEWORKS)}, not in {used}.")
    exercises = {
        defining(f"solutions.{e.topic}.in_{used}", e.entry): e
        for e in all_exercises().values()
        if e.topic in topics()
    }
    stored = accepted_answers.read(home)
    answers = {part: stored[e.name][used] for part, e in exercises.items() if used in stored.get(e.name, {})}
    for part in [part for part, text in answers.items() if not _is_linked(part, text)]:
        del answers[part]
        note(UNREAD.format(name=exercises[part].name, file=home / accepted_answers.FILE))
    for part in list(answers):
        if argument := _missing_argument(exercises[part], answers[part]):
            del answers[part]
            words = {"name": exercises[part].name, "argument": argument}
            note(OUTDATED.format(file=home / accepted_answers.FILE, **words))
    answers |= _brought(set(_module_of_each(used)) - set(exercises), list(answers.values()))
    linker = Linker(_module_of_each(used), answers)
    texts = dict(_texts(linker, exercises, answers))
    changed = _write(home / PACKAGE, texts, used)
    return MyGPT(home, used, tuple(_package_parts(linker, exercises, answers, changed)))


def _is_linked(part: SolutionName, text: str) -> bool:
    """Return whether a kept answer is Python that defines its part, of what is there; nothing of it is run."""
    try:
        Linker({part: PACKAGE}, {part: text})
    except (SyntaxError, ValueError, LookupError, OSError, MemoryError, RecursionError):
        return False
    return True


def _missing_argument(exercise: Exercise, text: str) -> str | None:
    """Return the first argument of an exercise that an answer does not take, as where it was accepted before that was added."""
    bodies = [node for node in ast.parse(text).body if getattr(node, "name", None) == exercise.entry]
    names = [a.name for a in (exercise.settings if exercise.is_class else exercise.arguments)]
    for node in bodies[-1].body if bodies and isinstance(bodies[-1], ast.ClassDef) else bodies:
        if isinstance(node, ast.FunctionDef) and node.name in (exercise.entry, "__init__"):
            arguments = node.args
            count = len([*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]) - exercise.is_class
            is_open = arguments.vararg or arguments.kwarg
            return None if is_open or count >= len(names) else names[count]
    return None


def _brought(parts: set[SolutionName], texts: Sequence[str]) -> dict[SolutionName, str]:
    """Return parts that no exercise asks for, where an accepted answer holds the learner's definition."""
    sources = [(text, Source(text)) for text in texts]
    return {part: text for part in parts for text, source in sources if source.defines(part.name)}


def _module_of_each(framework: str) -> dict[SolutionName, str]:
    return {
        defining(f"solutions.{topic}.in_{framework}", name): module
        for module, (_, of_topics) in MODULES.items()
        for topic, names in of_topics.items()
        for name in names
    }


def _texts(
    linker: Linker, exercises: Mapping[SolutionName, Exercise], answers: Mapping[SolutionName, str]
) -> Iterator[tuple[str, str]]:
    comments = {part: _comment(part, exercises, answers) for part in linker.places}
    for place, module in linker.modules.items():
        what = MODULES[place][0] if place in MODULES else f"What {place} is made of."
        courses = [name for name, part in module.parts.items() if part not in answers]
        whose = f"The course's: {', '.join(courses)}." if courses else "All of it is yours."
        yield f"{place}.py", f'"""{what} {whose}"""\n\n{linker.text(place, comments)}'
    yield (
        "__init__.py",
        '"""A GPT of your own. `attention gpt` writes this folder, from your accepted answers."""\n',
    )


def _comment(
    part: SolutionName, exercises: Mapping[SolutionName, Exercise], answers: Mapping[SolutionName, str]
) -> str:
    if part in answers:
        return "# Yours."
    until = f", until yours is accepted (exercise {exercises[part].name})" if part in exercises else ""
    return f"# The course's{until}."


def _package_parts(
    linker: Linker,
    exercises: Mapping[SolutionName, Exercise],
    answers: Mapping[SolutionName, str],
    changed: set[str],
) -> Iterator[PackagePart]:
    order = dict.fromkeys([*MODULES, *linker.modules])
    for place in (place for place in order if place in linker.modules):
        for name, part in linker.modules[place].parts.items():
            whose = CHANGED if f"{place}.py" in changed else YOURS if part in answers else COURSES
            yield PackagePart(name, place, whose, exercises.get(part))


def _write(package: Path, texts: Mapping[str, str], framework: str) -> set[str]:
    """Write the files that nobody has changed since they were written; gives the names of the others."""
    home, before = package.parent, _record(package)
    files = {path.name: read_bytes(path, home) or b"" for path in package.glob("*.py")}
    changed = {
        name for name, data in files.items() if _sum(data.decode("utf-8", "replace")) != before.get(name)
    }
    for name, text in texts.items():
        if name not in changed:
            write_text(package / name, text, home)
    for name in files.keys() - texts.keys() - changed:
        remove(package / name, home)
    now = {name: before.get(name, "") if name in changed else _sum(text) for name, text in texts.items()}
    write_json(package / RECORD, {**dict(sorted(now.items())), "framework": framework}, home)
    return changed


def _record(package: Path) -> dict[str, str]:
    """Return what each module held when it was written, and in which framework."""
    return read_json(
        package / RECORD, package.parent, lambda value: value if isinstance(value, str) else None
    )


def _sum(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
