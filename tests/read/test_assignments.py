"""The assignment's file: a new one reads as it is, and each mistake gets a sentence with its key."""

import tomllib
from datetime import UTC, datetime, timedelta, timezone

import pytest

from autograder.frameworks import graded_frameworks
from autograder.model.assignment import Assignment
from autograder.model.catalogue import all_exercises
from autograder.model.errors import UsageError
from autograder.read.assignments import KEYS, LATE_KEYS, LIMITS, PARTIAL_KEYS, new_assignment, read_assignment

SHORT = "[exercises]\nmasked_softmax = 2\n"


def read(tmp_path, text):
    path = tmp_path / "first.toml"
    path.write_text(text, encoding="utf-8")
    return read_assignment(path)


def test_a_new_file_reads_as_the_exercises_with_the_courses_points(tmp_path):
    exercises = [all_exercises()[name] for name in ("scaled_scores", "masked_softmax")]
    assignment = read(tmp_path, new_assignment(tmp_path / "first_week.toml", exercises))
    assert (
        assignment.name == "First week"
        and assignment.is_selection
        and assignment.frameworks == graded_frameworks()
    )
    assert assignment.exercises == {e.name: e.points for e in exercises[::-1]}
    assert list(assignment.exercises) == ["masked_softmax", "scaled_scores"]
    assert (assignment.count, assignment.late, assignment.limits) == ("better", None, {})


def test_a_new_file_without_exercises_offers_all_and_takes_those_that_are_chosen(tmp_path):
    text = new_assignment(tmp_path / "first.toml", [])
    with pytest.raises(UsageError, match="must name at least one exercise"):
        read(tmp_path, text)
    selection = text.replace("# masked_softmax ", "masked_softmax ")
    assert list(read(tmp_path, selection).exercises) == ["masked_softmax"]
    assert all(f"# {name} = " in text for name in all_exercises())


def test_a_new_file_explains_every_key_and_all_that_it_offers_can_be_taken(tmp_path):
    text = new_assignment(tmp_path / "first.toml", [all_exercises()["masked_softmax"]])
    offered = [line.removeprefix("# ") for line in text.splitlines()]
    lines = [line for line in offered if line.startswith("[") or " = " in line]
    table = tomllib.loads("\n".join(lines))
    assert set(table) == set(KEYS) and set(table["late"]) == set(LATE_KEYS)
    assert table["limits"] == LIMITS and set(table["partial"]) == set(PARTIAL_KEYS)
    whole = read(tmp_path, "\n".join(lines))
    assert whole.exercises == {"masked_softmax": 100}
    assert whole.late.grace == timedelta(minutes=15)


def test_numbers_are_weights_where_the_total_is_said(tmp_path):
    assignment = read(tmp_path, "total = 10\n[exercises]\nmasked_softmax = 3\nscaled_scores = 1\n")
    assert assignment.exercises == {"masked_softmax": 7.5, "scaled_scores": 2.5}


def test_times_keep_their_offset_and_a_date_is_its_end(tmp_path):
    late = "[late]\ndue = 2030-01-31T12:00:00+02:00\nlast = 2030-02-01\nper_cent_a_day = 10\n"
    rule = read(tmp_path, SHORT + late).late
    assert rule.due == datetime(2030, 1, 31, 10, tzinfo=UTC) and rule.per_cent == 10
    assert rule.due.tzinfo == timezone(timedelta(hours=2)) and rule.grace == timedelta()
    assert rule.last == datetime(2030, 2, 1, 23, 59, 59).astimezone()


def test_partial_credit_is_off_where_nothing_is_said(tmp_path):
    assert not read(tmp_path, SHORT).partial
    assignment = read(tmp_path, f"{SHORT}[partial]\ngradients = 0.5\nideas = {{mask_after_softmax = 0.25}}\n")
    assert assignment.partial == {"gradients": 0.5, "ideas": {"mask_after_softmax": 0.25}}
    assert Assignment.from_dict(assignment.as_dict()) == assignment


def test_one_framework_needs_no_list(tmp_path):
    assert read(tmp_path, f'frameworks = "torch"\n{SHORT}').frameworks == ("torch",)
    assert read(tmp_path, f'frameworks = ["torch", "mxnet"]\n{SHORT}').frameworks == graded_frameworks()


WRONG = {
    "": "must name at least one exercise",
    "[exercises]\nmasked_sofmax = 2": "masked_sofmax' under [exercises]: is it masked_softmax?",
    "[exercises]\nzzz = 2": "'zzz' under [exercises]; `attention exercises` lists them",
    "[exercises]\nmasked_softmax = -1": "a number from 0 to 1e+06 for masked_softmax in [exercises], but has -1",
    '[exercises]\nmasked_softmax = "2"': "for masked_softmax in [exercises], but has '2'",
    "[exercises]\nmasked_softmax = true": "for masked_softmax in [exercises], but has True",
    "[exercises]\nmasked_softmax = nan": "for masked_softmax in [exercises], but has nan",
    "[exercises]\nmasked_softmax = 0": "must give points to at least one exercise",
    "exercises = 3": "must have exercises as a table, with [exercises]",
    f"titel = 'x'\n{SHORT}": "has 'titel' in the file, where only name, total, frameworks",
    f"name = ' '\n{SHORT}": "must have a name in quotes",
    f"name = 3\n{SHORT}": "must have a name in quotes",
    f"count = 'best'\n{SHORT}": "must have better or both for count, but has 'best'",
    f"frameworks = ['jax']\n{SHORT}": "list of mxnet or torch for frameworks",
    f"frameworks = []\n{SHORT}": "list of mxnet or torch for frameworks",
    f"total = 'ten'\n{SHORT}": "for total in the file, but has 'ten'",
    f"total = 0\n{SHORT}": "must have more than 0 points as total, but has 0",
    f"{SHORT}[late]\nper_cent_a_day = 10": "must say when it is due under [late]",
    f"{SHORT}[late]\ndue = '2030-01-31'": "must have a date for due under [late], without quotes",
    f"{SHORT}[late]\ndue = 2030-01-31\nper_cent_a_day = 101": "a number from 0 to 100 for per_cent_a_day in [late]",
    f"{SHORT}[late]\ndue = 2030-01-31\nlast = 2030-01-30": "must not have a last moment before it is due",
    f"{SHORT}[late]\nduedate = 2030-01-31": "has 'duedate' in [late], where only due, grace_minutes",
    f"{SHORT}[limits]\ncall_seconds = 0": "must have more than 0 for call_seconds",
    f"{SHORT}[limits]\ncalls = 3": "has 'calls' in [limits], where only call_seconds",
    f"{SHORT}[partial]\ngradients = 1.5": "a number from 0 to 1 for gradients in [partial], but has 1.5",
    f"{SHORT}[partial]\nvalues = 0.5": "has 'values' in [partial], where only gradients, one_framework, ideas",
    f"{SHORT}[partial]\nideas = 0.5": "must have ideas as a table under [partial]",
    f"{SHORT}[partial]\nideas = {{mask_after_softmx = 0.5}}": "has the idea 'mask_after_softmx' under [partial], which no",
    f"{SHORT}[partial]\nideas = {{mask_after_softmax = 2}}": "from 0 to 1 for mask_after_softmax in [partial]",
    f"{SHORT}[[practice]]\nexercise = 'masked_softmax'": "faults in [[practice]], which are no longer graded: take",
    "name = 'x": "is no valid TOML",
}


@pytest.mark.parametrize("text", WRONG, ids=range(len(WRONG)))
def test_each_mistake_is_a_sentence_with_its_key(tmp_path, text):
    with pytest.raises(UsageError) as raised:
        read(tmp_path, text)
    message = str(raised.value)
    assert message.startswith(str(tmp_path / "first.toml")) and WRONG[text] in message
    assert message.endswith("?" if " is it " in message.lower() else ".")


def test_a_file_that_cannot_be_read_is_a_sentence(tmp_path):
    with pytest.raises(UsageError, match="cannot be read: No such file"):
        read_assignment(tmp_path / "nothing.toml")
    (tmp_path / "latin.toml").write_bytes("name = 'Übung'".encode("latin-1"))
    with pytest.raises(UsageError, match="is not a text in UTF-8"):
        read_assignment(tmp_path / "latin.toml")


E = "[exercises]\nmasked_softmax = 2\n"
ODD = {
    "an integer of 5000 digits": (f"total = {'9' * 5000}\n{E}", "a number in it is too long"),
    "an integer of 50 000 hexadecimal digits": (f"total = 0x{'f' * 50_000}\n{E}", "but has a number that is too long"),
    "30 000 brackets": ("name = " + "[" * 30_000, "too deeply nested"),
    "5000 tables": ("x=" + "{a=" * 5000, "too deeply nested"),
    "the first year": (f"[late]\ndue = 0001-01-01T00:00:00\n{E}", "must have a year from 1970 to 9000 for due under [late], but has 1."),
    "the last year": (f"[late]\ndue = 9999-12-31\n{E}", "must have a year from 1970 to 9000 for due"),
    "the last year for last": (f"[late]\ndue = 2030-01-01\nlast = 9999-12-31\n{E}", "for last under [late]"),
    "a key of 30 000 parts": (".".join("a" * 30_000) + " = 1", "must hold at most 500 full stops in a line, but has 29999"),
    "a key of 200 000 parts": (".".join("a" * 200_000) + " = 1", "must hold at most 64 kB, but is larger"),
    "a long name": (f"{E}{'x' * 5000} = 1", "has no exercise of the course in 'xxx"),
    "a long value": (f"count = '{'x' * 5000}'\n{E}", "must have better or both for count, but has 'xxx"),
}  # fmt: skip


@pytest.mark.parametrize("kind", ODD)
def test_an_odd_file_is_a_sentence(tmp_path, kind):
    text, words = ODD[kind]
    file = tmp_path / "a.toml"
    file.write_text(text)
    with pytest.raises(UsageError) as error:
        read_assignment(file)
    assert words in str(error.value) and len(str(error.value)) < 400
