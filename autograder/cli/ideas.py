"""The command `idea new`: a name for wrong answers that compute the same and that no idea explains."""

import json
import re
import sys
from pathlib import Path
from typing import Annotated

from autograder.cli.app import GradebookOptions, app, warn
from autograder.cli.groups import CommandLine
from autograder.cli.output import console
from autograder.diagnose.fingerprint import equal, fingerprint_of
from autograder.marks.answers import Answers
from autograder.marks.overview import summaries
from autograder.marks.standing import standing_in
from autograder.model.catalogue import all_exercises
from autograder.model.errors import UsageError
from autograder.model.exercise import Exercise, SourceEdit
from autograder.model.learner_files import as_usage_error
from autograder.model.misconceptions import MORE_IDEAS, Edited, source_of
from autograder.model.verdict import Verdict

ideas = CommandLine(no_args_is_help=True, help="Names for wrong answers that no idea explains.")
app.add_typer(ideas, name="idea")
HOW = (
    "Say what it computes: --edit OLD NEW changes the reference, --function FILE has it whole, in NumPy; with a name and "
    "a sentence for its learners: --name NAME --hint SENTENCE."
)


@ideas.command()
def new(
    group: Annotated[str, "The group's name on the class page, such as masked_softmax-1."],
    *,
    options: GradebookOptions,
    to: Annotated[Path, "Your own folder; created if necessary."] = Path("own"),
    name: Annotated[str, "The idea's name, such as scaled_twice."] = "",
    hint: Annotated[str, "A sentence for the learners."] = "",
    edit: Annotated[tuple[str, str] | None, "A text of the NumPy reference, and its replacement."] = None,
    function: Annotated[
        Path | None,
        "A file with the whole wrong function in NumPy, instead of an edit; it runs as it is, without the lock.",
    ] = None,
) -> None:
    """Give wrong answers that compute the same a name, a hint, and what they compute: an edit of the reference.

    Without a name it shows the group's shortest answer and the reference. It is tried on the inputs of the group
    before it is written, to more_ideas.toml: the next run with --exercises names the whole group. No mark changes.
    """
    with options.opened() as book:
        standing = standing_in(book)
        mistakes = [m for s in summaries(standing.learners) for m in s.mistakes if m.group == group]
        if not mistakes:
            raise UsageError(
                f"There is no group {group!r} in {options.gradebook}: `attention report` shows those there are."
            )
        verdict = mistakes[0].answers[0][1]
        exercise = all_exercises()[verdict.exercise]
        if not (name and hint and (edit or function)):
            shortest = Answers(standing, book.folders()).shortest(mistakes[0].answers)
            lines = shortest.lines if shortest else ["Its files are no longer where they were graded."]
            sys.stdout.write("\n".join([*lines, "", source_of(exercise.reference), HOW, ""]))
            return
        if function:
            warn(f"{function} runs as it is, without the lock: it can do whatever you can.")
        with as_usage_error(function or to, "written"):
            source_edit: SourceEdit = function.read_text(encoding="utf-8") if function else edit or ""
        _write_idea(exercise, verdict, group, source_edit, name, hint, to)


def _write_idea(
    exercise: Exercise, verdict: Verdict, group: str, source_edit: SourceEdit, name: str, hint: str, to: Path
) -> None:
    """Write an idea to a folder, if it computes what the answers of the group compute."""
    try:
        if not name.isidentifier() or name in {idea.name for idea in exercise.misconceptions}:
            raise ValueError(
                f"{name!r} is not a name for a new idea: use small letters and _, and none that is there"
            )
        idea = Edited(name, exercise, source_edit, dict)
        _ = idea.__wrapped__  # compiles it
        if not equal(verdict.fingerprint, fingerprint_of(exercise.name, idea)):
            raise ValueError(f"it does not compute what {group} computes, and nothing is written")
    except (KeyError, SyntaxError, ValueError) as error:
        raise UsageError(f"The idea cannot be used: {str(error).rstrip('.')}.") from error
    lines = [f"\n[{exercise.name}.{name}]", f"hint = {_in_toml(hint)}", f"numpy = {_in_toml(source_edit)}\n"]
    with as_usage_error(to, "written"):
        to.mkdir(parents=True, exist_ok=True)
        with (to / MORE_IDEAS).open("a", encoding="utf-8") as file:
            file.write("\n".join(lines))
    console.print(f"{to / MORE_IDEAS} has it: grade again with --exercises {to}, and report.")


def _in_toml(words: SourceEdit) -> str:
    """Return a text, or the two of an edit, as TOML writes them."""
    return re.sub("\x7f", r"\\u007f", json.dumps(words, ensure_ascii=False))
