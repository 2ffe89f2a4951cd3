"""What an answer prints while it is judged: its first lines, and how many more there are."""

import re
import sys

import pytest

from autograder import check
from autograder.checking.output_limit import MOST_LINES, first_lines
from autograder.checking.whole_file import check_file
from autograder.model.catalogue import all_exercises

LOOP = """
import torch
def masked_softmax(X, valid_length):
    for i in range(12):
        print("row", i)
    return torch.softmax(X, -1)
"""
MORE = re.compile(r"^… and (\d+) more lines$", re.MULTILINE)


def test_of_what_an_answer_prints_the_first_lines_are_shown(capsys):
    names = {}
    exec(LOOP, names)
    verdict = check(names["masked_softmax"], "torch")
    output = capsys.readouterr().out.split("masked_softmax (torch)")[0]
    assert verdict.outcome == "rejected"
    assert len(re.findall("^row", output, re.MULTILINE)) == MOST_LINES
    # It is called for each case, and each call has a dozen lines.
    (more,) = MORE.findall(output)
    assert (int(more) + MOST_LINES) % 12 == 0
    assert output.endswith("more lines\n")


def test_in_a_file_too(tmp_path, capsys):
    path = tmp_path / "answer.py"
    path.write_text(LOOP)
    check_file(path, [all_exercises()["masked_softmax"]], "torch", by_name=True)
    output = capsys.readouterr().out
    assert len(re.findall("^row", output, re.MULTILINE)) == MOST_LINES and MORE.search(output)


def test_the_search_for_a_smaller_input_prints_nothing(capsys):
    sizes = []

    def masked_softmax(X, valid_length):
        sizes.append(X.numel())
        if X.numel() == 1:  # smaller than every case
            print("searching")
        return X * 0 + 2

    verdict = check(masked_softmax, "torch")
    assert verdict.example is not None and 1 in sizes
    assert "searching" not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("count", "end", "last"),
    [
        (MOST_LINES - 1, "", "line 18\n"),
        (MOST_LINES, "", "line 19\n"),
        (MOST_LINES, "dots", "… and 1 more line\n"),
        (MOST_LINES + 1, "", "… and 1 more line\n"),
        (MOST_LINES + 30, "dots", "… and 31 more lines\n"),
        (3, "dots", "dots"),
    ],
)
def test_lines_are_counted(count, end, last, capsys):
    with first_lines():
        for i in range(count):
            print("line", i)
        print(end, end="")
        sys.stdout.flush()
    output = capsys.readouterr().out
    assert output.endswith(last) and output.startswith("line 0\nline 1\n")


def test_how_many_lines_is_said_when_the_answer_is_stopped(capsys):
    with pytest.raises(KeyboardInterrupt), first_lines():
        print("x\n" * 25, end="")
        raise KeyboardInterrupt
    assert capsys.readouterr().out == "x\n" * MOST_LINES + "… and 5 more lines\n"
