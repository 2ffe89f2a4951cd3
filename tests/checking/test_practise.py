"""`practise`: what is asked, in which order, what is kept of it, and when it comes back."""

import json
from datetime import UTC, datetime, timedelta
from itertools import islice, pairwise

import pytest

from autograder import check
from autograder.checking import practise as practising
from autograder.items.choose import due_items, new_items
from autograder.items.repetition import (
    FILE,
    SECONDS_A_DAY,
    Repetition,
    misconceptions_of,
    next_card,
    read,
    write,
)
from autograder.model.catalogue import all_exercises
from autograder.model.learner_files import take_notes
from autograder.model.misconceptions import NUMPY
from tests.support import LATE, RIGHT

NOW = datetime(2026, 11, 26, 8, tzinfo=UTC)
EXERCISE, MASKED = all_exercises()["scaled_scores"], all_exercises()["masked_softmax"]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A learner's folder."""
    (tmp_path / "progress.json").write_text("{}")
    monkeypatch.chdir(tmp_path)
    take_notes()
    return tmp_path


def answers(monkeypatch, *lines):
    """Type these lines, then nothing any more."""
    replies = iter(lines)
    monkeypatch.setattr("builtins.input", lambda prompt: next(replies, ""))


def due_today(capsys):
    practising.practise(framework="torch", due=True)
    return capsys.readouterr().out


def letter(item, right):
    indices = [i for i, choice in enumerate(item.question.choices) if choice.right is right]
    return "abcdef"[indices[0]]


def test_each_idea_is_asked_once_and_what_was_answered_is_not_new():
    repetition = Repetition(seed=1)
    items = list(new_items(repetition, [EXERCISE], "torch"))[:8]
    ideas = [item.misconceptions for item in items]
    assert len(set(ideas)) == len(ideas) == 8
    repetition.cards[items[0].key] = {}
    assert items[0].key not in {item.key for item in new_items(repetition, [EXERCISE], "torch")}


@pytest.mark.parametrize("seed", [1, 2])
def test_neither_an_exercise_nor_a_kind_of_question_comes_twice_in_a_row(seed):
    """Two questions on which idea it is tell the answer of each other, as `<` and `<=` do."""
    items = islice(new_items(Repetition(seed=seed), list(all_exercises().values()), "torch"), 8)
    for one, other in pairwise(item.key.split("/") for item in items):
        assert one[0] != other[0] and one[1] != other[1]


def test_no_item_is_asked_twice():
    """Not even where there are fewer ideas than items are wanted."""
    keys = [item.key for item in new_items(Repetition(seed=1), [MASKED], NUMPY, hard=True)]
    assert len(set(keys)) == len(keys) > 3


def test_an_idea_of_a_rejected_answer_comes_first(folder):
    namespace = {}
    exec(LATE, namespace)
    assert check(namespace["masked_softmax"], "torch").misconception == "mask_after_softmax"
    repetition = read(folder)
    assert repetition.fell == ["masked_softmax/mask_after_softmax"]
    item = next(new_items(repetition, list(all_exercises().values()), "torch"))
    assert misconceptions_of(item.key) == repetition.fell
    repetition.answered(item.key, False, NOW, 9)
    assert repetition.fell == ["masked_softmax/mask_after_softmax"]
    repetition.answered(item.key, True, NOW, 9)
    assert repetition.fell == []
    exec(RIGHT, namespace)
    assert check(namespace["masked_softmax"], "torch").outcome == "accepted"
    assert read(folder).fell == ["masked_softmax/mask_after_softmax"]


def test_hard_items_have_two_mistakes():
    item = next(new_items(Repetition(seed=1), [all_exercises()["masked_loss"]], "torch", hard=True))
    assert len(item.misconceptions) == 2 and "Two lines" in item.question.sentence


def test_a_wrong_choice_is_told_its_reason_and_the_first_answer_counts(folder, monkeypatch, capsys):
    write(folder, Repetition(seed=3))
    item = next(new_items(read(folder), [EXERCISE], "torch"))
    wrong = letter(item, False)
    answers(monkeypatch, "z", wrong, letter(item, True))
    practising.practise("scaled_scores", "torch")
    output = " ".join(capsys.readouterr().out.split())
    reason = item.question.choices["abcdef".index(wrong)].reason
    assert f"✗ Not that. {' '.join(reason.split())}" in output
    assert "✓ Right." in output and "0 of 1 fault found at once." in output
    card = read(folder).cards[item.key]
    assert card == next_card(None, False, datetime.fromisoformat(card["last_review"]))


def test_where_nothing_is_kept_it_says_so(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    answers(monkeypatch, "a", "b", "c", "d", "e")
    practising.practise("scaled_scores", "torch")
    assert "only where progress is kept" in capsys.readouterr().out
    assert not list(tmp_path.iterdir())


def test_beside_the_copies_it_is_kept_in_them(folder, monkeypatch, capsys):
    folder.rename(folder.parent / "learn")
    monkeypatch.chdir(folder.parent)
    answers(monkeypatch, "a", "b", "c", "d", "e")
    practising.practise("scaled_scores", "torch")
    assert "only where progress is kept" not in capsys.readouterr().out
    assert read(folder.parent / "learn").cards


def test_an_unknown_name_is_said():
    with pytest.raises(LookupError, match="There is no exercise 'softmix'"):
        practising.practise("softmix")
    with pytest.raises(LookupError, match="There is no framework 'jax'"):
        practising.practise("masked_softmax", "jax")


def test_what_is_right_comes_back_later_and_what_is_wrong_sooner():
    """The first intervals of FSRS 6 with its own parameters: 0.212 and 2.3065 days of stability."""
    wrong, right = next_card(None, False, NOW), next_card(None, True, NOW)
    assert (wrong["stability"], right["stability"]) == (0.212, 2.3065)
    due = [datetime.fromisoformat(card["due"]) - NOW for card in (wrong, right)]
    assert due == [timedelta(days=1), timedelta(days=2)]
    later = next_card(right, True, NOW + timedelta(days=2))
    assert datetime.fromisoformat(later["due"]) - NOW > timedelta(days=8)


def test_what_is_due_today_is_asked_for_five_minutes_at_most(folder, monkeypatch, capsys):
    repetition = Repetition(seed=3)
    item = next(new_items(repetition, [EXERCISE], "torch"))
    repetition.cards[item.key] = next_card(None, False, datetime.now(UTC) - timedelta(days=3))
    repetition.cards["scaled_scores/line/no_such_idea"] = repetition.cards[item.key]
    write(folder, repetition)
    answers(monkeypatch, letter(item, True))
    assert "1 of 1 fault found at once" in due_today(capsys)
    assert item.key not in read(folder).due(datetime.now(UTC))
    repetition.answered(item.key, False, datetime.now(UTC) - timedelta(days=1), 0)
    repetition.day, repetition.seconds = datetime.now(UTC).date().isoformat(), SECONDS_A_DAY
    write(folder, repetition)
    assert "enough for today" in due_today(capsys)
    write(folder, Repetition())
    assert "Nothing is due today" in due_today(capsys)


def test_an_item_that_comes_back_is_the_same():
    repetition = Repetition(seed=3)
    item = next(new_items(repetition, [EXERCISE], "torch"))
    for key in (item.key, "gone/line/idea"):
        repetition.answered(key, False, NOW - timedelta(days=3), 0)
    assert list(due_items(repetition, NOW, "torch")) == [item]


@pytest.mark.parametrize(
    "text", ["", "[]", '{"cards": {"a": {}}}', '{"cards": 1}', '{"seed": "x"}', '{"fell": [1]}', "\0"]
)
def test_a_damaged_file_is_begun_anew(folder, text):
    (folder / FILE).write_text(text)
    assert read(folder).cards == {}


def practised(folder, change):
    """Keep 50 cards, of which one, or the whole file, is changed; gives what the file then holds."""
    repetition = Repetition(seed=7)
    for i in range(50):
        repetition.answered(f"masked_softmax/line/idea{i}", True, NOW - timedelta(days=3), 5)
    write(folder, repetition)
    stored = json.loads((folder / FILE).read_text())
    change(stored, stored["cards"]["masked_softmax/line/idea3"])
    (folder / FILE).write_text(json.dumps(stored))
    return (folder / FILE).read_bytes()


NAIVE = {"due": "2026-11-20T10:00:00", "last_review": "2026-11-17T10:00:00"}


@pytest.mark.parametrize(
    "change",
    [
        lambda stored, card: card.update(NAIVE),  # as py-fsrs wrote them before its version 2
        lambda stored, card: card.pop("stability"),
        lambda stored, card: card.update(due=None),
        lambda stored, card: card.update(stability=float("nan")),
        lambda stored, card: card.update(due="9999-12-31T00:00:00+00:00"),
        lambda stored, card: stored["cards"].update({"masked_softmax/line/idea3": "text"}),
        lambda stored, card: stored["cards"].update(abc=stored["cards"].pop("masked_softmax/line/idea3")),
    ],
)
def test_one_odd_card_loses_no_other(folder, change, capsys, monkeypatch):
    before = practised(folder, change)
    answers(monkeypatch, "a")
    practising.practise("scaled_scores", "torch")
    now = json.loads((folder / FILE).read_text())
    assert len(now["cards"]) == 49 + 1 and now["seed"] == 7
    assert (folder / f"{FILE}.damaged").read_bytes() == before
    output = " ".join(capsys.readouterr().out.split())
    assert "(1 of 50 cards)" in output and "It is kept as practice.json.damaged" in output


@pytest.mark.parametrize(
    ("change", "odd"),
    [
        (lambda stored, card: stored.update(version=2), "(version)"),
        (lambda stored, card: stored.update(seed=-1), "(seed)"),
        (lambda stored, card: stored.update(seconds=float("inf")), "(seconds)"),
        (lambda stored, card: stored.update(fell=["x"]), "(fell)"),
        (lambda stored, card: card.update(due="2026-11-20T10:00:00Z"), ""),
        (lambda stored, card: card.update(last_review="2030-01-01T00:00:00+00:00"), ""),
    ],
)
def test_an_odd_field_loses_no_card(folder, change, odd):
    before = practised(folder, change)
    assert len(read(folder).cards) == 50
    assert [odd in note for note in take_notes()] == [True] * bool(odd)
    assert (folder / f"{FILE}.damaged").exists() == bool(odd)
    assert odd or (folder / FILE).read_bytes() == before


@pytest.mark.parametrize(
    "text", ["{", '{"cards": ', "<<<<<<< HEAD\n{}\n", pytest.param("[" * 100_000, id="deep")]
)
def test_a_file_that_cannot_be_read_is_put_aside(folder, text, capsys, monkeypatch):
    (folder / FILE).write_text(text)
    answers(monkeypatch, "a")
    practising.practise("scaled_scores", "torch")
    assert "It is kept as practice.json.damaged" in " ".join(capsys.readouterr().out.split())
    assert (folder / f"{FILE}.damaged").read_text() == text and len(read(folder).cards) == 1


def test_on_a_full_disk_the_faults_are_asked_all_the_same(folder, monkeypatch, capsys):
    write(folder, Repetition(seed=3))
    item = next(new_items(read(folder), [EXERCISE], "torch"))

    def full(path, to):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(type(folder), "replace", full)
    answers(monkeypatch, letter(item, True))
    practising.practise("scaled_scores", "torch")
    output = " ".join(capsys.readouterr().out.split())
    assert "cannot be written: No space left on device" in output and "✓ Right." in output


def test_time_counts_for_one_day_and_not_while_one_is_away():
    repetition = Repetition()
    repetition.answered(f"{EXERCISE.name}/line/scores_over_d", True, NOW, 4000)
    assert repetition.seconds_on(NOW) == 60
    assert repetition.seconds_on(NOW + timedelta(days=1)) == 0


def test_what_is_asked_is_shown_as_it_is_written(capsys):
    """No sign of it is a mark for bold, italic or a colour."""
    practising.show("Is 2*a*b `x_y`?", "$a$ [b] [red]c[/red]")
    assert capsys.readouterr().out == "Is 2*a*b `x_y`?\n$a$ [b] [red]c[/red]\n\n"
