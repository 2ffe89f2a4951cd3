"""What the page *Again today* makes of a file that it reads, in its own script: nothing that is kept is lost."""

import json
import shutil
import subprocess

import pytest

from autograder.model.paths import ROOT

SCRIPT = ROOT / "_static" / "in_page" / "practice.js"
# The script with the least of a page around it: storage, and a page without a place for faults.
PAGE = """
const kept = new Map(Object.entries(JSON.parse(process.argv[2])));
globalThis.inPage = { store: { get: (key) => kept.get(key) ?? null, set: (key, text) => kept.set(key, text) } };
const [status, items, listeners] = [{}, { addEventListener() {} }, {}];
const file = { addEventListener: (_, act) => (listeners.read = act) };
const parts = { ".in-page-status": status, ".practice-items": items, ".practice-import": file };
const widget = { dataset: {}, querySelector: (name) => parts[name] ?? { addEventListener() {} } };
globalThis.document = {
  currentScript: { src: "file:///practice.js" }, documentElement: { dataset: {} },
  querySelectorAll: () => [widget], addEventListener: (_, act) => (listeners.loaded = act),
  createElement: () => ({}), head: { append: (script) => script.onerror() },
};
require(process.argv[1]);
listeners.loaded();
const texts = JSON.parse(process.argv[3]);
(async () => {
  for (const text of texts) await listeners.read({ target: { files: [{ text: async () => text }] } });
  await new Promise((done) => setTimeout(done, 1));
  console.log(JSON.stringify({ status: status.textContent, kept: Object.fromEntries(kept) }));
})();
"""
KEY = "in-page-practice"


def card(day, hour=8, **more):
    moment = f"2026-11-{day:02}T{hour:02}:00:00.000Z"
    return {"due": "2099-01-01T00:00:00Z", "last_review": moment, "stability": 2.3, "difficulty": 5, **more}


def practice(cards, **more):
    return {"seed": 7, "cards": cards, "fell": [], "day": "", "seconds": 0, **more}


def read(storage, *files):
    """The practice that the page keeps after it has read these files, what it says, and all that it keeps."""
    if (node := shutil.which("node")) is None:
        pytest.skip("node is not installed: it runs the page's script")
    stored = {KEY: storage if isinstance(storage, str) else json.dumps(storage)}
    texts = [text if isinstance(text, str) else json.dumps(text) for text in files]
    command = [node, "-e", PAGE, str(SCRIPT), json.dumps(stored), json.dumps(texts)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    return json.loads(result["kept"][KEY]), result["status"], result["kept"]


HERE = practice({f"masked_softmax/line/idea{i}": card(10) for i in range(5)}, fell=["masked_softmax/one"])


@pytest.mark.parametrize(
    "text",
    [
        '{"cells": [], "metadata": {}, "nbformat": 4}',
        "[1, 2]",
        "{}",
        "null",
        "3",
        "no JSON",
        '{"cards": []}',
        '{"cards": {"x": {}}}',
        pytest.param("[" * 100_000, id="deep"),
    ],
)
def test_a_file_that_is_no_practice_changes_nothing(text):
    now, status, _ = read(HERE, text)
    assert now == HERE
    assert status == "This file is no practice.json: what is kept here stays as it is."


def test_of_each_card_the_later_one_stays_and_it_is_said_how_many_are_new():
    first, second, *rest = HERE["cards"]
    file = practice(
        {first: card(12), second: card(9), "scaled_scores/line/new": card(1)}, seed=8, fell=["a/b"]
    )
    now, status, _ = read(HERE, file)
    assert now["cards"] == {
        **HERE["cards"],
        first: file["cards"][first],
        "scaled_scores/line/new": card(1),
    }
    assert now["fell"] == ["masked_softmax/one", "a/b"] and now["seed"] == 8
    assert status.startswith(
        "Cards of the file that are new: 1, answered later than here: 1. Kept as they were: 4. "
    )
    assert len(rest) == 3


def test_a_file_that_was_read_twice_changes_nothing_more():
    now, status, _ = read(HERE, HERE)
    assert now == HERE and "new: 0, answered later than here: 0. Kept as they were: 5." in status


ODD = [
    {"due": 2030},
    {"due": "2026-11-20T10:00:00"},
    {"last_review": None},
    {"stability": "2"},
    {"stability": None},
    {"difficulty": 0},
]


@pytest.mark.parametrize("change", ODD)
def test_one_odd_card_loses_no_other(change):
    """In the file that is read, and in what the browser keeps, which is put aside."""
    cards = {**HERE["cards"], "masked_softmax/line/odd": card(11, **change)}
    now, status, _ = read(practice({}), practice(cards))
    assert now["cards"] == HERE["cards"] and "cannot be read: 1." in status
    now, status, storage = read(practice(cards))
    assert now["cards"] == HERE["cards"] and "it is put aside, and the rest goes on" in status
    aside = [text for key, text in storage.items() if key.startswith(f"{KEY}.damaged-")]
    assert [json.loads(text)["cards"] for text in aside] == [cards]


def test_what_is_kept_and_no_practice_is_put_aside():
    now, status, storage = read("{half of it")
    assert now["cards"] == {} and "put aside" in status and "{half of it" in storage.values()


def test_fields_of_another_kind_are_as_new():
    now, _, _ = read(HERE, {"cards": {}, "fell": "text", "seed": "x", "day": 3, "seconds": None})
    assert now["cards"] == HERE["cards"] and now["fell"] == HERE["fell"] and now["day"] == ""
