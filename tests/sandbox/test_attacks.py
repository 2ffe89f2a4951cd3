"""Each attack gets its outcome, gets no points, leaves nothing behind, and harms nobody after it."""

import inspect
import io
import json
import os
import re
import socket
import stat
import zipfile
from pathlib import Path

import numpy as np
import pytest

from autograder.grade import pool
from autograder.grade import run as grading_run
from autograder.grade.run import GradeOptions, run_all
from autograder.grade.workers import Zygote
from autograder.html.render import templates, verdict_html
from autograder.judge.cases import draw_cases
from autograder.marks.gradebook import Gradebook
from autograder.marks.report import write_pages
from autograder.model.assignment import Assignment, TimeLimits
from autograder.model.catalogue import all_exercises
from autograder.model.errors import Unreadable
from autograder.model.paths import ROOT
from autograder.model.results import SubmissionResult
from autograder.read.files import find
from autograder.read.submission import read_bytes
from tests.sandbox import attacks
from tests.support import graded, need, solution

# Together on one processor, since they watch common places.
pytestmark = [pytest.mark.xdist_group("attacks"), pytest.mark.slow]
SECRET = "do-not-tell-1f6e"
TIME_LIMITS = TimeLimits(source_seconds=5, call_seconds=2.5, seconds=15)
HONEST = attacks.RIGHT + "masked_softmax = right\n"


@pytest.fixture(scope="module")
def places(tmp_path_factory):
    """Things that an attack would like to reach."""
    folder = tmp_path_factory.mktemp("class")
    secret = folder / "secret.txt"
    secret.write_text(SECRET)
    secret.chmod(0o644)
    for parent in (folder, *folder.parents):
        if parent.stat().st_uid == os.getuid() and parent != Path("/"):
            parent.chmod(parent.stat().st_mode | 0o055)
    server = socket.create_server(("127.0.0.1", 0))
    yield {
        "secret": str(secret),
        "folder": str(folder),
        "root": str(ROOT),
        "reference": inspect.getsourcefile(solution("masked_softmax", "numpy").masked_softmax),
        "port": server.getsockname()[1],
    }
    server.settimeout(0.01)
    with pytest.raises(TimeoutError):
        server.accept()
    server.close()
    assert secret.read_text() == SECRET and stat.S_IMODE(secret.stat().st_mode) == 0o644


@pytest.fixture
def attacked(zygote, places):
    """Grades an attack; then nothing may be left of it, and an honest submission must pass."""
    before = left_behind(zygote)

    def run(source, exercise="masked_softmax", framework="torch"):
        source = aimed(source, places)
        (verdict,) = graded(zygote, source, "attack.py", [all_exercises()[exercise]], framework, TIME_LIMITS)
        assert verdict.points == 0, verdict
        assert SECRET not in json.dumps(verdict.as_dict())
        return verdict

    yield run
    assert left_behind(zygote) == before
    (verdict,) = graded(zygote, HONEST, "next.py", [all_exercises()["masked_softmax"]], "torch")
    assert verdict.outcome == "accepted", verdict


def aimed(source, places):
    """An attack's source with the places that it would like to reach."""
    for name, value in places.items():
        source = source.replace(f"{{{name}!r}}", repr(value)).replace(f"{{{name}}}", str(value))
    return source.replace("{{", "{").replace("}}", "}") if "getppid" in source else source


def left_behind(zygote):
    """Processes of the zygote, and files in common places that are named after an attack."""
    pid = zygote.process.pid
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    folders = [folder for folder in map(Path, ("/", "/tmp", "/dev/shm", ROOT)) if folder.exists()]
    return children, {p for folder in folders for p in folder.iterdir() if "attack" in p.name}


GRADED = {**attacks.LEAVE, **attacks.PATCH, **attacks.FORGE, **attacks.RETURN, **attacks.RESOURCES}


@pytest.mark.parametrize("name", GRADED)
def test_an_attack_gets_its_outcome_and_no_points(attacked, name):
    source, outcomes = GRADED[name]
    verdict = attacked(source)
    assert verdict.outcome in outcomes, verdict


@pytest.mark.parametrize("name", attacks.KILL_ITSELF)
def test_who_would_kill_itself_is_refused_and_graded_for_good(attacked, name):
    verdict = attacked(attacks.KILL_ITSELF[name])
    assert (verdict.outcome, verdict.is_settled) == ("error", True), verdict
    assert "Operation not permitted" in verdict.message and "from outside" not in verdict.message


@pytest.fixture(scope="module")
def first_landlock():
    """Under a lock with version 1, which handles less than any later one: `test_lock.py` tests that."""
    with Zygote(landlock=1) as started:
        yield started


CONCERN_LANDLOCK = attacks.concern_landlock()


@pytest.mark.parametrize("name", CONCERN_LANDLOCK)
def test_the_first_version_of_landlock_leaves_nothing_open(first_landlock, places, name):
    source = aimed(CONCERN_LANDLOCK[name], places)
    exercise = all_exercises()["masked_softmax"]
    before = left_behind(first_landlock)
    (verdict,) = graded(first_landlock, source, "attack.py", [exercise], "torch", TIME_LIMITS)
    assert (verdict.outcome, verdict.points) == ("error", 0), verdict
    leaks = verdict.message.partition("found: ")[2]
    assert not leaks or leaks.startswith(("[]", "{}")), verdict
    assert Path(places["secret"]).read_text() == SECRET and not Path(places["folder"], "attack.txt").exists()
    assert left_behind(first_landlock) == before
    (verdict,) = graded(first_landlock, HONEST, "next.py", [exercise], "torch")
    assert verdict.outcome == "accepted", verdict


@pytest.mark.parametrize("name", attacks.READ)
def test_nothing_can_be_read_that_is_not_the_submissions(attacked, name):
    verdict = attacked(attacks.READ[name])
    assert verdict.outcome == "error", verdict
    leaks = verdict.message.partition("found: ")[2]
    assert not leaks or leaks.startswith(("[]", "{}")), verdict


REACH = {**attacks.NETWORK, **attacks.RIGHTS, **attacks.OLD_KERNELS}


@pytest.mark.parametrize("name", REACH)
def test_nothing_can_be_reached_or_changed(attacked, name):
    verdict = attacked(REACH[name])
    assert verdict.outcome == "error", verdict
    refused = ("PermissionError", "gaierror", "OSError", "ValueError", "FileNotFoundError")
    assert any(word in verdict.message for word in refused), verdict


@pytest.mark.parametrize("name", attacks.MEMORISED)
def test_an_answer_that_is_remembered_and_not_computed_is_rejected(attacked, name):
    source = attacks.MEMORISED[name].replace("{memorised}", memorised())
    assert attacked(source).outcome == "rejected"


def memorised():
    """A table of the answers to the cases that `check` uses."""
    exercise = all_exercises()["masked_softmax"]
    table = []
    for case in draw_cases(exercise, 0):
        (answer,) = exercise.compute(exercise.reference, case)
        table.append((case.inputs["X"].tolist(), np.round(answer, 7).tolist()))
    return (
        f"import torch\ntable = [(torch.tensor(x), torch.tensor(y)) for x, y in {table!r}]\n"
        "def masked_softmax(X, valid_length):\n"
        "    same = [y for x, y in table if x.shape == X.shape]\n"
        "    return same[0] if same else X.softmax(-1)\n"
    )


@pytest.mark.parametrize("name", attacks.LIBRARY)
def test_the_librarys_own_attention_is_refused_by_whatever_name(attacked, name):
    verdict = attacked(attacks.LIBRARY[name], "dot_product_attention")
    assert (verdict.outcome, verdict.failed_stage) == ("rejected", "contract"), verdict
    assert "scaled_dot_product_attention" in verdict.message


@pytest.mark.parametrize("name", attacks.LIBRARY_MXNET)
def test_mxnets_own_operator_is_refused_by_whatever_name(attacked, name):
    need("mxnet")
    verdict = attacked(attacks.LIBRARY_MXNET[name], "layer_norm", "mxnet")
    assert (verdict.outcome, verdict.failed_stage) == ("rejected", "contract"), verdict
    operators = {"the other library's norm": "layer_norm", "the other library's norm of groups": "group_norm"}
    operators["the library's norm of instances"] = "InstanceNorm"
    assert f"It calls {operators.get(name, 'LayerNorm')}, which" in verdict.message


@pytest.mark.parametrize("name", attacks.MADE_BEFORE)
def test_what_is_made_of_a_forbidden_operator_while_the_source_runs_is_refused(attacked, name):
    framework, source = attacks.MADE_BEFORE[name]
    need(framework)
    source += "\ndef layer_norm(X, gain, bias):\n    return made(X, gain, bias)\n"
    verdict = attacked(source, "layer_norm", framework)
    assert verdict.outcome in ("error", "rejected"), verdict
    assert "which the exercise asks you to write yourself" in verdict.message


def test_nothing_forbidden_is_computed_while_the_source_runs(attacked):
    assert "it has None" in attacked(attacks.COMPUTED_BEFORE, "layer_norm").message


@pytest.mark.parametrize("name", attacks.WORDS)
def test_words_reach_no_report_unescaped(attacked, name, tmp_path):
    verdict = attacked(attacks.WORDS[name])
    assert verdict.outcome == "error", verdict
    assert len(verdict.message) < 5000
    page = verdict_html(verdict)
    assert "<script" not in page and "\x1b" not in page and "\u202e" not in page
    book = Gradebook(tmp_path / "book")
    book.add(
        SubmissionResult(f"{attacks.HOSTILE_WORDS.replace('/', '')}.py", "d", None, (verdict,), 0.1, False),
        "all",
    )
    write_pages(book, tmp_path / "pages")
    for path in (tmp_path / "pages").glob("*.html"):
        text = path.read_text()
        assert "\x1b" not in text and "\u202e" not in text
        # Only scripts that the page's policy lets run: its own.
        scripts = re.findall("<script(?:>(.*?)</script>)?", text, re.DOTALL)
        assert all(f"'sha256-{templates().filters['sha256'](script)}'" in text for script in scripts)


NOTEBOOKS = {
    "cells that are no list": {"cells": 3},
    "no cells": {"nbformat": 4},
    "a list": [1, 2],
    "a number": 7,
    "a cell that is no cell": {"cells": [None, 3, "x", []]},
    "a source that is a number": {"cells": [{"cell_type": "code", "source": 5}]},
    "a source of numbers": {"cells": [{"cell_type": "code", "source": [1, 2]}]},
    "tags that are no tags": {"cells": [{"cell_type": "code", "source": "x = 1", "metadata": {"tags": 3}}]},
    "metadata that is a list": {"cells": [{"cell_type": "code", "source": "x = 1", "metadata": [1]}]},
    "a framework that does not exist": {
        "cells": [
            {
                "cell_type": "code",
                "source": "x = 1",
                "metadata": {"tags": ["framework-evil", "exercise:evil"]},
            }
        ]
    },
}


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_a_hostile_notebook_is_read_as_data(zygote, name):
    data = json.dumps(NOTEBOOKS[name])
    exercise = all_exercises()["masked_softmax"]
    (verdict,) = graded(zygote, data, "a.ipynb", [exercise])
    assert verdict.outcome in ("error", "missing")


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"[" * 200_000, "not valid JSON"),
        (b"x" * (11 << 20), "larger than 10 MB"),
        (b"\xff\xfe\x00", "not utf-16"),
        (b'{"cells": []}\0', "null bytes"),
        (b"", "not valid JSON"),
    ],
)
def test_a_file_that_is_no_notebook_has_a_problem_and_a_sentence(data, words):
    assert words in (read_bytes(data, "a.ipynb").problem or "")


def archive(path, members, **changes):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for name, text in members:
            entry = zipfile.ZipInfo(name)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = changes.get("mode", 0o100644) << 16
            file.writestr(entry, text)
    return path


@pytest.mark.parametrize(
    ("members", "changes", "words"),
    [
        ([("../out.py", "x = 1")], {}, "leads out"),
        ([("/etc/out.py", "x = 1")], {}, "leads out"),
        ([("a\\..\\out.py", "x = 1")], {}, "leads out"),
        ([("a.py", "/etc/passwd")], {"mode": 0o120777}, "link"),
        ([("a.py", " " * (64 << 20))], {}, "unpacks to far more"),
        ([(f"{i}.py", "x = 1") for i in range(500)], {}, "more than 400"),
        ([("a.txt", "x")], {}, "no notebook"),
    ],
)
def test_a_hostile_archive_is_refused_with_a_sentence(tmp_path, members, changes, words):
    archive(tmp_path / "a.zip", members, **changes)
    submissions, refused = find(tmp_path)
    assert not submissions and words in refused["a.zip"]
    assert sorted(p.name for p in tmp_path.rglob("*")) == ["a.zip"]


def test_a_broken_archive_is_refused_with_a_sentence(tmp_path):
    (tmp_path / "a.zip").write_bytes(b"PK\x03\x04 and then nothing")
    assert "not a readable zip" in find(tmp_path)[1]["a.zip"]


def test_a_damaged_member_is_reported_and_the_others_are_graded(tmp_path):
    path = archive(tmp_path / "a.zip", [("bad.py", HONEST + "# 1"), ("good.py", HONEST)])
    data = bytearray(path.read_bytes())
    at = data.index(b"bad.py") + 60
    data[at : at + 8] = b"\0" * 8
    path.write_bytes(data)
    sources, _ = find(tmp_path)
    with pytest.raises(Unreadable, match="damaged or encrypted"):
        sources[0].read()
    rows = run_all(
        tmp_path,
        None,
        GradeOptions(Assignment.of(["masked_softmax"]), "torch", TIME_LIMITS, processes=1),
        lambda *a: None,
    )
    assert [bool(row.problem) for row in rows] == [True, False]
    assert rows[1].verdicts[0].outcome == "accepted"


def test_a_link_in_a_folder_is_refused(tmp_path):
    (tmp_path / "a.py").write_text(HONEST)
    (tmp_path / "b.py").symlink_to(tmp_path / "a.py")
    submissions, refused = find(tmp_path)
    assert [s.name for s in submissions] == ["a.py"] and "is a link" in refused["b.py"]


def test_an_archive_is_a_learners_folder(tmp_path):
    archive(tmp_path / "number_7.zip", [("work/a.py", HONEST)])
    (source,), _ = find(tmp_path)
    assert source.name == "number_7/work/a.py" and source.read() == HONEST.encode()
    assert io.BytesIO(source.read()).read(6) == HONEST.encode()[:6]


def hard_on_the_grader(folder):
    """Files that are unpleasant to read, between two honest ones; gives the names that are graded."""
    cells = [{"cell_type": "code", "metadata": {}, "source": text} for text in [HONEST, *["x = 1"] * 1500]]
    many = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells}
    branches = "if 0:\n    x = 0\n" + "".join(f"elif {i}:\n    x = {i}\n" for i in range(1, 700))
    texts = {
        "a_first.py": HONEST,
        "b_many_cells.ipynb": json.dumps(many),
        "c_many_branches.py": HONEST + branches,
        "d_many_names.py": HONEST + f"a = 1\nx = [{'a, ' * 60_000}]\n",
        "twice/hw/work.py": HONEST,
        "z_last.py": HONEST,
    }
    for name, text in texts.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    archive(folder / "twice" / "hw.zip", [("work.py", HONEST + "# other")])
    forged = bytearray(archive(folder / "e_forged.zip", [("caf\u00e9.py", HONEST)]).read_bytes())
    (folder / "e_forged.zip").write_bytes(forged.replace("caf\u00e9".encode(), b"caf\xff\xfe"))
    with zipfile.ZipFile(folder / "f_damaged.zip", "w", zipfile.ZIP_LZMA) as file:
        file.writestr("work.py", HONEST)
    damaged = bytearray((folder / "f_damaged.zip").read_bytes())
    damaged[45:60] = b"\xff" * 15
    (folder / "f_damaged.zip").write_bytes(damaged)
    (folder / os.fsdecode(b"g\xff.py")).write_text(HONEST)
    return list(texts)


def test_what_is_hard_to_read_stops_nobody_elses_grading(tmp_path):
    names = hard_on_the_grader(tmp_path / "class")
    run = GradeOptions(Assignment.of(["masked_softmax"]), None, TIME_LIMITS, processes=2)
    rows = {row.name: row for row in run_all(tmp_path / "class", tmp_path / "book", run, lambda *_: None)}
    assert [name for name in names if [v.outcome for v in rows[name].verdicts] != ["accepted"]] == []
    problems = {name: row.problem for name, row in rows.items() if row.problem}
    assert {name.split("/")[0].split(".")[0] for name in problems} == {"e_forged", "f_damaged", "g?", "twice"}
    assert "handed in twice" in problems["twice/hw/work.py in hw.zip"]


def test_a_fault_that_is_not_theirs_is_said_and_tried_again(tmp_path, monkeypatch):
    original = pool.read_bytes

    def fails(data, name, megabytes):
        if name == "b.py":
            raise AssertionError
        return original(data, name, megabytes)

    monkeypatch.setattr(pool, "read_bytes", fails)
    # The second try too is made where the fault is, and not in a process of its own.
    monkeypatch.setattr(grading_run, "grade_apart", lambda jobs, processes: map(pool.grade_job, jobs))
    folder = tmp_path / "class"
    folder.mkdir()
    for name in ("a.py", "b.py", "c.py"):
        (folder / name).write_text(f"{HONEST}# {name}")
    run = GradeOptions(Assignment.of(["masked_softmax"]), None, TIME_LIMITS, processes=1)
    a, b, c = run_all(folder, tmp_path / "book", run, lambda *_: None)
    assert [row.verdicts[0].outcome for row in (a, c)] == ["accepted"] * 2
    assert "could not be graded, which is not its own fault (AssertionError)" in b.problem
    book = Gradebook(tmp_path / "book")
    assert list(book.problems()) == ["b.py"]
    monkeypatch.undo()
    _, b, _ = run_all(folder, tmp_path / "book", run, lambda *_: None)
    assert (b.problem, b.verdicts[0].outcome, book.problems()) == (None, "accepted", {})
    book.close()


def test_the_same_bytes_under_another_ending_are_another_submission(tmp_path):
    cell = {"cell_type": "code", "metadata": {}, "source": HONEST}
    text = json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [cell]})
    (tmp_path / "class").mkdir()
    for name in ("a.py", "b.ipynb"):
        (tmp_path / "class" / name).write_text(text)
    run = GradeOptions(Assignment.of(["masked_softmax"]), None, TIME_LIMITS, processes=1)
    for _ in range(2):
        a, b = run_all(tmp_path / "class", tmp_path / "book", run, lambda *_: None)
        assert (a.verdicts[0].outcome, b.verdicts[0].outcome) == ("accepted", "accepted")
        assert a.digest != b.digest
