"""Copies in a class: what they share that others have not written."""

import ast
import random

import pytest

from autograder.marks.answers import Answers
from autograder.marks.gradebook import Gradebook
from autograder.marks.similar import similar_groups, statements_of
from autograder.marks.standing import standing_in
from autograder.model.assignment import Assignment
from autograder.model.results import SubmissionResult
from autograder.read.submission import digest_of
from benchmarks.answers import wrong_answers
from benchmarks.copies import DISGUISES, disguised, honest
from tests.support import LATE, RIGHT, autograder, verdict


def written_by(learners, exercise):
    chance = random.Random(5)
    begun = [a.code for a in wrong_answers() if a.exercise == exercise]
    return [honest(chance.choice(begun), chance) for _ in range(learners)]


@pytest.fixture(scope="module")
def honest_class():
    return written_by(100, "decoder_step")


def groups(codes):
    answers = [statements_of(ast.parse(code)) for code in codes]
    return [indices for indices, _ in similar_groups(answers, [str(i) for i in range(len(codes))])]


@pytest.mark.parametrize("name", sorted(set(DISGUISES) - {"variables renamed"}))
def test_a_copy_in_a_disguise_is_found_and_nobody_else(honest_class, name):
    copy = disguised(honest_class[7], name)
    assert groups([*honest_class, copy]) == [[7, 100]]


@pytest.mark.parametrize("place", range(12))
def test_a_copy_with_other_names_is_found_in_a_small_class(honest_class, place):
    """Where fewer learners could have written the same by chance, less is enough."""
    copy = disguised(honest_class[place], "variables renamed")
    assert groups([*honest_class[:25], copy]) == [[place, 25]]


@pytest.mark.parametrize("name", DISGUISES)
def test_a_disguise_changes_something(name):
    answers = (a.code for a in wrong_answers() if a.exercise == "multi_head_attention")
    assert any(disguised(code, name) != code for code in map(ast.unparse, map(ast.parse, answers)))


def test_what_is_common_in_the_class_is_no_group(honest_class):
    assert groups(honest_class) == []
    assert groups([*honest_class, *[honest_class[7]] * 7]) == []


@pytest.mark.parametrize("exercise", ["beam_step", "induction_score", "relative_bias", "sparse_weights"])
def test_where_there_are_few_ways_to_write_it_at_most_one_honest_pair_is_named(exercise):
    assert sum(len(group) - 1 for group in groups(written_by(300, exercise))) <= 1


def test_the_least_likely_group_comes_first(honest_class):
    answers = [statements_of(ast.parse(code)) for code in [*honest_class, honest_class[3], honest_class[7]]]
    pairs = similar_groups(answers, [str(i) for i in range(len(answers))])
    assert sorted(indices for indices, _ in pairs) == [[3, 100], [7, 101]]
    assert pairs[0][1] >= pairs[1][1] > 20


def test_answers_are_written_out_for_other_programs(tmp_path):
    folder = tmp_path / "class"
    folder.mkdir()
    book = Gradebook(tmp_path / "book.sqlite")
    sources = {"Ann Lee.py": RIGHT, "bo.py": LATE, "cy.py": LATE + "#"}
    book.begin(str(folder), list(sources), Assignment({"masked_softmax": 2.0}), practice=False)
    for name, source in sources.items():
        (folder / name).write_text(source)
        book.add(SubmissionResult(name, digest_of(source.encode(), name), None, [verdict()]), "all")
    answers = Answers(standing_in(book), [folder])
    assert len(answers.codes) == 3
    book.close()
    done = autograder("similar", tmp_path / "book.sqlite", "--write", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    output = " ".join(done.stdout.split())
    assert "masked_softmax, the same code: bo, cy" in output and "3 answers written to" in output
    assert "Compared: 3 answers of at least 4 statements. Groups that are alike: 1." in output
    files = {
        p.name.rpartition("-")[0]: p.read_text() for p in (tmp_path / "out" / "masked_softmax").iterdir()
    }
    assert files["Ann-Lee"].strip() == RIGHT.partition("import torch\n")[2].strip()
    assert files["bo"] == files["cy"]
    texts = [p.read_text() for p in (tmp_path / "out" / "given" / "masked_softmax").iterdir()]
    assert len(texts) == 2 and all("def masked_softmax" in text for text in texts)
    (folder / "bo.py").unlink()
    done = autograder("similar", tmp_path / "book.sqlite")
    assert done.returncode == 0 and "1 answer cannot be compared" in done.stderr
    assert done.stdout == "Compared: 2 answers of at least 4 statements. Groups that are alike: 0.\n"


def test_a_chained_assignment_is_compared_as_a_whole():
    chained, shorter = (
        statements_of(ast.parse(f"def f():\n    {line}\n")) for line in ("a, b = c = 1, 2", "a, b = 1, 2")
    )
    assert chained != shorter
