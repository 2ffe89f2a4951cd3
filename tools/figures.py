"""The figures that the benchmarks measure: how they are stored, and how they are written in Markdown.

Each benchmark prints what BENCHMARKS.md quotes, and with --store keeps its numbers in
`benchmarks/results/<name>.json`, from where `make sync` writes them there.
"""

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from autograder.frameworks.libraries import installed_versions
from autograder.model.paths import ROOT

Figures = Mapping[str, Any]


def store(name: str, figures: Figures) -> None:
    """Keep what a benchmark measured, with its command and the versions at work."""
    header = {"command": f"python -m benchmarks.{name}", "versions": installed_versions()}
    text = json.dumps({**header, **figures}, indent=1, ensure_ascii=False)
    _path(name, ROOT).write_text(f"{text}\n", encoding="utf-8")


def stored(name: str, root: Path = ROOT) -> Figures:
    """Return what `store` kept."""
    return json.loads(_path(name, root).read_text(encoding="utf-8"))


def _path(name: str, root: Path) -> Path:
    return root / "benchmarks" / "results" / f"{name}.json"


def parser(name: str, description: str | None) -> argparse.ArgumentParser:
    """Return a parser of a benchmark's command line, with --store."""
    options = argparse.ArgumentParser(
        prog=f"python -m benchmarks.{name}", description=(description or "").split("\n")[0]
    )
    options.add_argument("--store", action="store_true", help="keep the figures; `make sync` quotes them")
    return options


def report(name: str, figures: Figures, keep: bool) -> None:
    """Print what a benchmark measured as BENCHMARKS.md quotes it, and keep it if asked."""
    sys.stdout.write(f"\n{QUOTES[name](figures)}\n")
    if keep:
        store(name, figures)


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a Markdown table whose columns, but for the first, are aligned to the right."""
    lines = [header, ["---", *["---:"] * (len(header) - 1)], *rows]
    return "\n".join(f"| {' | '.join(line)} |".replace("|  |", "| |") for line in lines)


def notebooks(figures: Figures) -> str:
    """Return how fast a class is graded that hands in notebooks. Rates are stored in notebooks a second."""
    handed_in = figures["learners"] * figures["notebooks"]
    rows = []
    for kind, measured in figures["classes"].items():
        seconds = 300 * figures["notebooks"] / measured["rate"]
        answers = f"{measured['answers']:,}"
        rows.append([kind, str(handed_in), answers, f"{measured['rate']:.1f}", f"{seconds / 60:.1f} min"])
    return (
        f"A class that hands in the notebooks of `start` (`python -m benchmarks.notebooks`; "
        f"{figures['processors']} processors, the full lock on; {figures['learners']} learners with "
        f"{figures['notebooks']} chapters each, in MXNet and in PyTorch):\n\n"
        + table(["notebooks", "graded", "answers", "notebooks a second", "300 learners"], rows)
        + "\n\nThe last column follows from the one before, without the start of the processes, which happens once in a run."
    )


def checks(figures: Figures) -> str:
    """Return how many wrong implementations the checks reject."""
    ideas, mutants = figures["misconceptions"], figures["mutants"]
    rows = [
        [
            "misconceptions, in both frameworks",
            str(ideas["made"]),
            "",
            *(str(ideas[key]) for key in ("rejected", "named")),
        ],
        [
            f"mutants of the solutions to {mutants['exercises']} exercises",
            *(str(mutants[key]) for key in ("made", "changing", "rejected")),
            "",
        ],
    ]
    harmless = mutants["made"] - mutants["changing"]
    return (
        f"How many wrong implementations the checks reject (`python -m benchmarks.checks`; "
        f"{figures['exercises']} exercises, each in MXNet and in PyTorch):\n\n"
        + table(["wrong implementations", "made", "change a result", "rejected", "named"], rows)
        + "\n\nA misconception is *named* when its own hint is given. A mutant is a small mechanical change of a "
        f"reference solution; the {harmless} that change no result are listed by hand, each with its reason, in "
        "`tools/equivalent_mutants.toml`." + _cost(figures["cost"]) + _memory(figures["memory"])
    )


def _cost(measured: Mapping[str, Any]) -> str:
    """Return what `check` takes. Times are stored in milliseconds of processor."""
    titles = {"wrong answers": "the wrong answers", "mutants": "the mutants"}
    rows = [
        [
            words,
            str(measured[name]["answers"]),
            *(f"{measured[name][k]:.0f} ms" for k in ("p50", "p99", "max")),
        ]
        for name, words in titles.items()
    ]
    return (
        "\n\nProcessor time of `check` for one answer, with the search for a name and for a smallest input "
        "(`python -m benchmarks.checks --cost`). The work for a rejected answer is limited by a count and not by a "
        "clock, so the same answer gets the same words on every machine:\n\n"
        + table(["`check`", "answers", "median", "99 of 100 below", "slowest"], rows)
    )


def _memory(held: Mapping[str, float]) -> str:
    """Return what a learner's process holds, in MiB, by the frameworks that it uses."""
    titles = {"numpy": "NumPy", "torch": "PyTorch", "mxnet": "MXNet", "mxnet,torch": "both frameworks"}
    rows = [[titles[names], f"{most:.0f} MiB"] for names, most in held.items()]
    return (
        "\n\nThe most memory of a process that judges all these answers in one framework or in both; in NumPy, the "
        "wrong ideas that are functions (`python -m benchmarks.checks --memory`):\n\n"
        + table(["a process with", "memory"], rows)
    )


def answers(figures: Figures) -> str:
    """Return what is said of answers that were written without a look at the misconceptions."""
    titles = {
        "misconception": "a misconception",
        "general": "a general idea",
        "specific": "a rule, shape or error",
        "values": "values",
        "accepted": "accepted",
    }
    rows = [
        [
            half,
            str(count["answers"]),
            *(f"{count.get(k, 0)} ({100 * count.get(k, 0) / count['answers']:.0f} %)" for k in titles),
        ]
        for half, count in figures["wrong answers"].items()
    ]
    return (
        "What the grader says about the wrong answers in `benchmarks/data`, whose authors did not see the "
        "misconceptions but for 24 answers (`python -m benchmarks.answers`). Nobody looked at the *held out* answers while the exercises' "
        "ideas were written, but six general ideas were written with them in view, and their verdicts without a "
        "misconception were read later to improve messages:\n\n"
        + table(["wrong answers", "in all", *titles.values()], rows)
        + _two(figures["two mistakes"])
        + _families(figures["families"])
        + _unseen(figures["unseen"])
        + "\n\n*A misconception*: one of the exercise, or two together. *A general idea*: one that an answer to any "
        "exercise may have, such as a layer with a bias, or results in another order. *Values*: only where the numbers differ, with the smallest input that shows it."
    )


def _families(figures: Figures) -> str:
    total, named = (
        sum(count.get(k, 0) for count in figures.values() for k in kinds)
        for kinds in (("answers",), ("misconception", "general"))
    )
    rows = [
        [family, str(count["answers"]), str(count.get("misconception", 0) + count.get("general", 0))]
        for family, count in figures.items()
    ]
    return (
        f"\n\nOf {total:,} further answers, some for each family of mistakes and unlikely ones included, {named:,} "
        f"({100 * named / total:.0f} %) are named. Ideas that they lacked were written for them, so this says how much "
        "is covered:\n\n" + table(["family", "answers", "named"], rows)
    )


def _unseen(figures: Figures) -> str:
    one, two = figures["one"], figures["two"]
    named = one["misconception"] + one.get("general", 0)
    return (
        f"\n\nOf {one['answers']} answers to these exercises that were written later and judged before anybody looked at "
        f"them (`benchmarks/data/unseen.jsonl`), {named} ({100 * named / one['answers']:.0f} %) are named; of "
        f"{two['answers']} with two mistakes, {two['both']} get the names of both."
    )


def _two(figures: Figures) -> str:
    return (
        f"\n\nOf {figures['answers']} answers with two mistakes each (`benchmarks/data/two_mistakes.jsonl`), "
        f"{figures['both']} get the names of two wrong ideas."
    )


def speed(figures: Figures) -> str:
    """Return how fast `check` and `grade` are. Times are stored in seconds."""
    check, grade = figures["check"], figures["grade"]
    rows = [
        [
            f"`check`, {what} of all exercises",
            *(f"{1000 * check[f][what]:.0f} ms" for f in ("mxnet", "torch")),
        ]
        for what in ("median", "slowest")
    ]
    rates = [f"{grade[f]:.0f} a second" for f in ("mxnet", "torch")]
    rows.append(["`grade`, full lock, one exercise in a submission", *rates])
    return (
        f"How fast they are (`python -m benchmarks.speed`; {figures['processors']} processors, the full lock on):\n\n"
        + table(["what", "MXNet", "PyTorch"], rows)
    )


# What the figures measured that do not say it.
RESIDENT = "resident (RSS), so that what processes share counts in each"


def scale(figures: Figures) -> str:
    """Return how fast a large class is graded, and how much memory it takes, after its first part and its last."""
    parts = figures["parts"]
    first_and_last = [parts[0], parts[-1]]
    rows = [
        [
            f"{p['graded']:,}",
            f"{p['rate']:.0f}",
            *(f"{p[who]:.0f} MiB" for who in ("main", "judges", "zygotes")),
        ]
        for p in first_and_last
    ]
    slowest = figures["slowest"]
    return (
        f"{figures['submissions']:,} submissions in one run (`python -m benchmarks.scale`; "
        f"{figures['processors']} processors, one answer in PyTorch each, one in ten wrong):\n\n"
        + table(
            ["graded", "a second", "main process", "processes that judge", "processes that fork workers"],
            rows,
        )
        + f"\n\nMemory is {figures.get('memory', RESIDENT)}. Each rate is that of the last {parts[0]['graded']:,} "
        f"submissions. The slowest hundredth of the right "
        f"answers took {slowest['right']:.1f} times the median or longer, of the wrong answers {slowest['wrong']:.1f} times."
    )


def graders(figures: Figures) -> str:
    """Compare this grader with others: seconds for one assignment, and submissions a minute."""
    rates = {row["grader"]: 60 * row["submissions"] / row["seconds"] for row in figures["graders"]}
    ten, whole = (rate for name, rate in rates.items() if name.startswith("this"))
    rows = [
        [
            row["grader"],
            str(row["submissions"]),
            f"{row['seconds']:.1f}",
            f"{rates[row['grader']]:.1f}",
            f"{ten / rates[row['grader']]:.1f} ×",
            f"{whole / rates[row['grader']]:.1f} ×",
        ]
        for row in figures["graders"]
    ]
    return table(["grader", "submissions", "seconds", "a minute", "ten cases are", "all are"], rows)


def book(figures: Figures) -> str:
    """Return what `make book` takes of the processor. Times are stored in seconds."""
    titles = {
        "fresh": "a fresh clone, with every cache empty and the set-up included",
        "unchanged": "once more, with nothing changed",
        "one chapter": "after a sentence was added to a chapter",
    }
    rows = [[words, f"{figures['seconds'][name]:.0f} s"] for name, words in titles.items()]
    return "The time to build the book (`python -m benchmarks.book`):\n\n" + table(
        ["`make book`", "processor time"], rows
    )


# How the figures of each benchmark are quoted.
QUOTES = {
    "book": book,
    "notebooks": notebooks,
    "checks": checks,
    "answers": answers,
    "speed": speed,
    "scale": scale,
    "graders": graders,
}
