"""What a grader says of wrong answers that were written without a look at it: `python -m benchmarks.answers`.

The data set is `benchmarks/data/wrong_answers.jsonl`; its card stands beside it. Of how many answers is the wrong idea
named? Those held out were not looked at while ideas were written.

`--grader COMMAND` asks another grader, or a model: the command is started once and reads a line of JSON for each
answer (exercise, framework, statement, signature, code), and for the course's own solutions among them. It answers
each with a line of JSON: `accepted`, and a `reason` or null. `--list` prints each answer's mistake beside what `check`
says of it, for a person who reads whether that is true.
"""

import json
import linecache
import shlex
import subprocess
import sys
import warnings
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from autograder.book.teachers_chapter import box
from autograder.checking.check import LocalTransport
from autograder.diagnose.diagnosis import diagnose
from autograder.diagnose.general_misconceptions import is_general
from autograder.diagnose.misconception_pairs import JOINT
from autograder.frameworks import graded_frameworks
from autograder.model.catalogue import all_exercises
from autograder.model.finding import Kind
from autograder.model.paths import ROOT
from autograder.model.verdict import Verdict
from solutions.language_model.common import pieces_of
from tools.figures import parser, report
from tools.wrong_versions import solution

DATA = ROOT / "benchmarks" / "data" / "wrong_answers.jsonl"
# Answers with two mistakes each, which `what` names both.
TWO = DATA.with_name("two_mistakes.jsonl")
# Answers to the newest exercises, some for each family of mistakes, with which `what` begins.
BY_FAMILY = DATA.with_name("families.jsonl")
# Later answers to the same exercises, which nobody looked at before they were judged; AND joins two mistakes.
UNSEEN = DATA.with_name("unseen.jsonl")


@dataclass(frozen=True)
class WrongAnswer:
    """One answer of the set. number: its place among those to its exercise, from 1; what: what is wrong, in words."""

    exercise: str
    number: int
    framework: str
    what: str
    held_out: bool
    code: str


def wrong_answers(data: Path = DATA) -> list[WrongAnswer]:
    """Return the data set."""
    return [WrongAnswer(**json.loads(line)) for line in data.read_text(encoding="utf-8").splitlines()]


def verdict_on(answer: WrongAnswer) -> Verdict:
    """Return what `check` says of it."""
    entry = entry_of(answer)
    return diagnose(
        all_exercises()[answer.exercise], LocalTransport(answer.framework, entry), answer.framework
    )


def entry_of(answer: WrongAnswer) -> Any:
    """Return the function or class that it defines, each in a namespace of its own."""
    name = f"<wrong answer {answer.exercise} {answer.number}>"
    linecache.cache[name] = (len(answer.code), None, answer.code.splitlines(keepends=True), name)
    # The chapter hands `pieces_of` out; a statement that allows it counts on that.
    namespace = {"__name__": "handed_in", "pieces_of": pieces_of}
    exec(compile(answer.code, name, "exec"), namespace)
    return namespace[all_exercises()[answer.exercise].entry]


def how_specific(verdict: Verdict) -> str:
    """Return how much a verdict tells of what is wrong.

    A misconception of the exercise (or two), an idea of any exercise, something specific, or the values.
    """
    if verdict.outcome == "accepted":
        return "accepted"
    if verdict.misconception and is_general(verdict.misconception):
        return "general"
    kinds = {Kind.IDEA: "misconception", Kind.VALUES: "values", Kind.CHOICES: "values"}
    return kinds.get(verdict.kind, "specific") if verdict.kind else "specific"


def counted(answers: Iterable[tuple[str, WrongAnswer]]) -> dict[str, dict[str, int]]:
    """Count for each group of answers how many are told what. answers: each with the name of its group."""
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for group, answer in answers:
        counts[group].update(["answers", how_specific(verdict_on(answer))])
    return {group: dict(count) for group, count in counts.items()}


def answered() -> dict[str, dict[str, int]]:
    """Count for the two halves of the set how many answers are told what."""
    return counted(("held out" if answer.held_out else "seen", answer) for answer in wrong_answers())


def by_family() -> dict[str, dict[str, int]]:
    """Count the same for each family of mistakes."""
    return counted((answer.what.split(":")[0], answer) for answer in wrong_answers(BY_FAMILY))


def unseen() -> dict[str, dict[str, int]]:
    """Count the same for the answers that were judged before anybody looked at them; of two mistakes, how many are named."""
    one: list[WrongAnswer] = []
    two: list[WrongAnswer] = []
    for answer in wrong_answers(UNSEEN):
        (two if " AND " in answer.what else one).append(answer)
    return {**counted(("one", answer) for answer in one), "two": both_named(two)}


def both_named(answers: list[WrongAnswer]) -> dict[str, int]:
    """Count the answers with two mistakes that are told two wrong ideas."""
    ideas = [verdict_on(answer).misconception or "" for answer in answers]
    return {"answers": len(ideas), "both": sum(JOINT in name for name in ideas)}


def listed(data: Path = DATA) -> Iterator[str]:
    """Yield a line for each answer with what is wrong in it beside what it is told, to be read by a person."""
    for answer in wrong_answers(data):
        verdict = verdict_on(answer)
        words = (
            f"{answer.exercise} {answer.number}",
            answer.what,
            verdict.misconception or "",
            verdict.message,
        )
        yield "\t".join(words) + "\n"


def right_answers() -> Iterator[WrongAnswer]:
    """Yield the course's solutions, in the form of the others."""
    for name, exercise in all_exercises().items():
        for framework in graded_frameworks():
            module = solution(exercise.topic, framework)
            code = Path(str(module.__file__)).read_text(encoding="utf-8")
            yield WrongAnswer(name, 0, framework, "", False, code)


def ask_grader(command: str, answers: list[WrongAnswer]) -> list[dict[str, Any]]:
    """Return what another grader replies to each. Raises SystemExit, with a sentence, where it does not answer all."""
    questions = []
    for answer in answers:
        exercise = all_exercises()[answer.exercise]
        question = {"exercise": answer.exercise, "framework": answer.framework, "code": answer.code}
        question |= {"statement": box(exercise), "signature": exercise.signature}
        questions.append(json.dumps(question) + "\n")
    done = subprocess.run(
        shlex.split(command), input="".join(questions), stdout=subprocess.PIPE, text=True, cwd=ROOT
    )
    try:
        replies = [json.loads(line) for line in done.stdout.splitlines()]
    except ValueError:
        replies = []
    if len(replies) != len(answers):
        raise SystemExit(f"{command} gave {len(replies)} lines of JSON for {len(answers)} answers.")
    return replies


def compare(command: str) -> None:
    """Print how many wrong answers another grader rejects, with a reason or without, and how many right ones it accepts."""
    right, wrong = list(right_answers()), wrong_answers()
    replies = ask_grader(command, right + wrong)
    accepted = sum(one["accepted"] for one in replies[: len(right)])
    missed = [answer for answer, one in zip(wrong, replies[len(right) :], strict=True) if one["accepted"]]
    reasons = sum(not one["accepted"] and bool(one["reason"]) for one in replies[len(right) :])
    sys.stdout.write(
        f"{accepted} of {len(right)} right answers accepted, {len(wrong) - len(missed)} of {len(wrong)} wrong ones "
        f"rejected, {reasons} with a reason\n"
    )
    for answer in missed:
        sys.stdout.write(f"accepted: {answer.exercise} {answer.number} ({answer.framework}): {answer.what}\n")


def main() -> None:
    command_line = parser("answers", __doc__)
    command_line.add_argument(
        "--grader", metavar="COMMAND", help="ask this grader in place of the course's own"
    )
    command_line.add_argument(
        "--list", action="store_true", help="print what each answer is told beside what is wrong in it"
    )
    options = command_line.parse_args()
    warnings.simplefilter("ignore")
    if options.list:
        sys.stdout.writelines(listed())
    elif options.grader:
        compare(options.grader)
    else:
        figures = {
            "wrong answers": answered(),
            "two mistakes": both_named(wrong_answers(TWO)),
            "families": by_family(),
            "unseen": unseen(),
        }
        report("answers", figures, options.store)


if __name__ == "__main__":
    main()
