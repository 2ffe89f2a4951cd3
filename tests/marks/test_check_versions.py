"""The version of a check: what it follows from, and where it stands beside a mark."""

import importlib.util
import json
import re
import sqlite3

import pytest

from autograder.diagnose.diagnosis import diagnose
from autograder.judge.functions import FunctionTransport
from autograder.judge.trial import judge
from autograder.marks import check_versions, gradebook, report
from autograder.marks.check_versions import teachers_files, version_of, version_of_all
from autograder.marks.exports.gradescope import gradescope
from autograder.marks.exports.moodle import moodle
from autograder.marks.exports.plain import plain_csv, plain_json
from autograder.marks.gradebook import Gradebook
from autograder.marks.standing import one_learner, standing_in
from autograder.model import catalogue, teachers_exercises
from autograder.model.assignment import Assignment
from autograder.model.paths import ROOT
from autograder.model.results import SubmissionResult
from tests.support import verdict

TIME = r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC"


@pytest.fixture
def book(tmp_path):
    opened = Gradebook(tmp_path / "book")
    yield opened
    opened.close()


def begin(book, **points):
    book.begin("class", ["ann.py"], Assignment(points), False)


def add(book, *verdicts, scope="all"):
    book.add(SubmissionResult("ann.py", "bytes", None, list(verdicts)), scope)


def test_a_version_follows_from_what_a_verdict_depends_on_and_nothing_else(monkeypatch):
    real = check_versions._digest
    before = {name: version_of(name) for name in catalogue.all_exercises()}

    def changes(name):
        path = ROOT / name
        assert path.is_file()
        monkeypatch.setattr(check_versions, "_digest", lambda p: b"other" if p == path else real(p))
        version_of.cache_clear()
        return {e for e, version in before.items() if version_of(e) != version}

    everything = set(before)
    try:
        for name in (
            "judge/trial",
            "sandbox/session",
            "read/definitions",
            "frameworks/torch",
            "grade/one_submission",
        ):
            assert changes(f"autograder/{name}.py") == everything, name
        modules = ("marks/exports/moodle", "marks/report", "cli/output", "checking/hint", "grade/run")
        for name in (
            *modules,
            "diagnose/search",
            "diagnose/misconception_pairs",
            "diagnose/relations",
            "diagnose/exceptions",
        ):
            assert changes(f"autograder/{name}.py") == set(), name
        pooling = changes("exercises/pooling.py")
        assert pooling and {catalogue.all_exercises()[name].topic for name in pooling} == {"pooling"}
        assert pooling < changes("solutions/pooling/in_numpy.py") | changes("exercises/shared.py")
        built_on = {e.name for e in catalogue.all_exercises().values() if "masked_softmax" in e.builds_on}
        assert built_on and built_on <= changes("solutions/masked_softmax/in_torch.py") < everything
    finally:
        version_of.cache_clear()


def digests(tmp_path, text, *variants):
    """The hash of a module, and whether it is that of the module with each other text too."""
    values = []
    for i, variant in enumerate((text, *variants)):
        (tmp_path / str(i)).mkdir()
        (tmp_path / str(i) / "a.py").write_bytes(variant.encode())
        values.append(check_versions._digest(tmp_path / str(i) / "a.py"))
    return [digest == values[0] for digest in values[1:]]


def test_line_ends_of_another_system_make_no_other_version(tmp_path):
    assert digests(tmp_path, "x = 1\ny = '''a\nb'''\n", "x = 1\r\ny = '''a\r\nb'''\r\n") == [True]


@pytest.mark.parametrize(
    ("module", "old", "new", "regrades"),
    [
        ("judge/trial", "# Stages, in order;", "# The stages, in their order;", False),
        (
            "judge/trial",
            '"""Judge the submission, stage by stage; the first that fails makes the verdict."""',
            '"""The verdict."""',
            False,
        ),
        ("judge/trial", "in place: work on a copy.", "in its place: work on a copy.", False),
        ("judge/trial", "It computes the reference on all", "It gives the reference on all", False),
        ("model/verdict", '{"float32": 1e-4', '{"float32": 1e-3', True),
        ("judge/compare", "(np.abs(a) <= ZERO)", "(np.abs(a) < ZERO)", True),
        ("frameworks/mxnet", '"part of a computational graph" not', '"part of a graph" not', True),
        ("frameworks/mxnet", '"AGInfo(?!', '"AGInfo|in_place(?!', False),
        ("frameworks/mxnet", '"from mxnet import gluon, nd"', '"from mxnet import nd, gluon"', True),
    ],
)
def test_what_is_read_by_people_regrades_nothing(tmp_path, module, old, new, regrades):
    text = (ROOT / "autograder" / f"{module}.py").read_text()
    assert old in text
    assert digests(tmp_path, text, text.replace(old, new)) == [not regrades]


def test_what_only_finds_words_decides_nothing():
    """What is left out of the version: without what it says, the same answers are accepted, with the same points."""
    exercise = catalogue.all_exercises()["layer_norm"]

    def stops(X, gain, bias):
        raise ValueError("no such axis")

    answers = [
        exercise.reference,
        exercise.misconceptions[0].function,
        lambda X, gain, bias: exercise.reference(X, gain, 2 * bias),
        lambda X, gain, bias: 3 * exercise.reference(X, gain, bias),
        lambda X, gain, bias: exercise.reference(X, gain, bias)[None],
        stops,
    ]

    def verdicts_of(judged):
        verdicts = [judged(exercise, FunctionTransport(exercise, answer), "numpy") for answer in answers]
        return [(v.outcome, v.points) for v in verdicts], [v.message for v in verdicts]

    (decided, plain), (again, other) = verdicts_of(judge), verdicts_of(diagnose)
    assert decided == again and plain[0] == other[0]
    assert plain[1] != other[1] and plain[3] != other[3]
    assert importlib.util.find_spec(check_versions.DIAGNOSIS)


CHANGES = (
    ("", "", True),
    ("import numpy as np\n", "import numpy as np  # a word\n", True),
    ("Exercises of our own course.", "Our exercises.", True),
    ("For each row of X, give", "Give, for each row of X,", True),
    ("It is the range of each column,", "This is the range of each column,", True),
    ("NUMBER = 1", "NUMBER = 2", False),
    ("np.abs(X)", "np.abs(X) + 1", False),
    ('("one row", 1, 7)', '("one row", 1, 8)', False),
)


def test_own_exercises_have_the_version_of_their_own_code(tmp_path, monkeypatch):
    text = (ROOT / "chapters" / "extending.md").read_text()
    (example,) = [s for s in re.findall(r"```python\n(.*?)```", text, re.DOTALL) if "EXERCISES = " in s]
    all_versions = []
    try:
        for number, (old, new, _) in enumerate(CHANGES):
            folder = tmp_path / str(number)
            folder.mkdir()
            files = {"ours": f"{example}from .helpers import NUMBER\n", "helpers": "NUMBER = 1\n"}
            assert any(old in source for source in files.values())
            for name, source in files.items():
                (folder / f"{name}.py").write_text(source.replace(old, new) if old else source)
            monkeypatch.setenv(teachers_exercises.VARIABLE, "")
            catalogue.modules.cache_clear()
            catalogue.use_folder(folder)
            catalogue.all_exercises.cache_clear()
            version_of.cache_clear()
            all_versions.append(version_of("row_range"))
    finally:
        monkeypatch.undo()
        catalogue.modules.cache_clear()
        catalogue.all_exercises.cache_clear()
        version_of.cache_clear()
    assert [version == all_versions[0] for version in all_versions] == [same for _, _, same in CHANGES]


def test_a_topic_of_ones_own_needs_its_file_and_what_that_imports(tmp_path, monkeypatch):
    monkeypatch.setenv(teachers_exercises.VARIABLE, "")
    folder = tmp_path / "own"
    (folder / "parts").mkdir(parents=True)
    for name, text in {
        "ours.py": "from .parts.numbers import NUMBER\nEXERCISES = ()\n",
        "later.py": "EXERCISES = ()\n",
        "parts/__init__.py": "",
        "parts/numbers.py": "import numpy\nNUMBER = 1\n",
    }.items():
        (folder / name).write_text(text)
    catalogue.use_folder(folder)
    try:
        needed = {name: folder / name for name in ("ours.py", "parts/__init__.py", "parts/numbers.py")}
        assert teachers_files(["ours"]) == needed
        assert teachers_files(["later", "masked_softmax"]) == {"later.py": folder / "later.py"}
        assert set(teachers_files(["ours", "later"])) == {*needed, "later.py"}
    finally:
        monkeypatch.undo()
        catalogue.modules.cache_clear()
        catalogue.all_exercises.cache_clear()


def test_a_change_of_another_chapter_grades_nothing_again(book, monkeypatch):
    of = {"masked_softmax": "1", "scaled_scores": "1"}
    monkeypatch.setattr(check_versions, "version_of", lambda name: of.get(name, "0"))
    begin(book, masked_softmax=2.0)
    add(book, verdict(outcome="accepted"))
    of["scaled_scores"] = "2"
    begin(book, masked_softmax=2.0)
    assert book.is_finished("bytes", "all") and [r.version for r in book.results()] == ["1"]
    of["masked_softmax"] = "2"
    begin(book, masked_softmax=2.0)
    assert not book.is_finished("bytes", "all")


def test_until_a_changed_check_has_graded_the_marks_stay_as_they_are(book, monkeypatch):
    of = {"masked_softmax": "1", "scaled_scores": "1"}
    monkeypatch.setattr(check_versions, "version_of", lambda name: of.get(name, "0"))
    points = {"masked_softmax": 2.0, "scaled_scores": 2.0}
    begin(book, **points)
    both = [verdict(outcome="accepted"), verdict("scaled_scores", outcome="accepted")]
    add(book, *both)
    of["masked_softmax"] = "2"
    begin(book, **points)
    assert standing_in(book).learners[0].points == 4 and standing_in(book).set_aside == ()
    add(book, verdict(), both[1])
    assert standing_in(book).learners[0].points == 2 and standing_in(book).set_aside == ()
    version_by_exercise = {r.verdict.exercise: r.version for r in book.results()}
    assert version_by_exercise == {"masked_softmax": "2", "scaled_scores": "1"}


def test_pages_and_exports_say_when_and_by_which_check(book, tmp_path):
    begin(book, masked_softmax=2.0)
    add(book, verdict(outcome="accepted"))
    version = version_of("masked_softmax")
    assert re.fullmatch(r"\d+\.\d+\.\d+\S*\+[0-9a-f]{12}", version)
    line = plain_csv(book).text.splitlines()[1]
    assert re.search(rf'"{TIME}","masked_softmax {re.escape(version)}"$', line)
    (row,) = json.loads(plain_json(book).text)[0]["results"]
    assert row["check"] == version and re.fullmatch(TIME, row["graded"])
    roster = tmp_path / "roster.csv"
    roster.write_text("Full name,Grade,Feedback comments\nann,,\n")
    assert f"by the checks masked_softmax {version}." in moodle(book, roster).text
    index = report.write_pages(book, tmp_path / "pages").read_text()
    assert version in index and re.search(TIME, index)
    (who,) = standing_in(book).learners
    page = (tmp_path / "pages" / who.page).read_text()
    assert re.search(rf"Graded {TIME} by the check {re.escape(version)}\.", page)


def test_a_result_without_a_gradebook_has_its_time_and_version_too():
    result = SubmissionResult("ann.py", "bytes", None, (verdict(outcome="accepted"),))
    results = json.loads(gradescope(one_learner([result], Assignment.of(["masked_softmax"]))))
    assert re.fullmatch(TIME, results["extra_data"]["graded"])
    assert results["tests"][0]["extra_data"]["check"] == version_of("masked_softmax")


def of_the_first_version(path, finished, **versions):
    """A gradebook as the course's first version left it: right answers of ann to these exercises, by these versions."""
    old = sqlite3.connect(path)
    old.executescript(gradebook.SCHEMA.replace(" graded text not null default '',", ""))
    for table in ("checked", "tried"):
        old.execute(f"drop table {table}")
    old.execute("insert into files values (1, 'ann.py', 'bytes', null)")
    for name, version in versions.items():
        accepted = json.dumps(verdict(name, outcome="accepted").as_dict())
        row = ("bytes", name, "torch", version, "accepted", 2, 2, 0, 0.5, accepted)
        old.execute(f"insert into results values ({','.join('?' * 10)})", row)
    old.execute("insert into present values ('ann.py', 'class', '1.0.0+old')")
    if finished:
        old.execute("insert into finished values ('bytes', '1.0.0+old', 'all')")
    old.commit()
    old.close()
    return Gradebook(path)


@pytest.mark.parametrize("finished", [True, False])
def test_of_the_first_version_counts_what_its_last_run_found(tmp_path, finished):
    """Also where something is to be tried again, so that the run's bytes are not noted as finished."""
    by_exercise = {"masked_softmax": "1.0.0+old", "scaled_scores": "1.0.0+before"}
    book = of_the_first_version(tmp_path / "old", finished, **by_exercise)
    (who,) = standing_in(book).learners
    assert [r.verdict.exercise for r in who.results] == ["masked_softmax"]
    book.close()


def test_what_a_withdrawn_version_said_is_told_of_the_first_version_too(tmp_path):
    """Which noted neither its checks nor what they tried; nor does a later run of another folder."""
    by_exercise = {"masked_softmax": "1.0.0+old", "scaled_scores": "1.0.0+withdrawn"}
    book = of_the_first_version(tmp_path / "old", True, **by_exercise)
    sentence = "Of a version of the check that was withdrawn, 1 results are kept, and do not count."
    assert sentence in standing_in(book).set_aside
    book.begin("another", ["bo.py"], Assignment({"masked_softmax": 2.0}), practice=False)
    assert sentence in standing_in(book).set_aside
    book.close()


def test_a_gradebook_of_the_first_version_can_be_read_and_continued(tmp_path):
    book = of_the_first_version(tmp_path / "old", True, masked_softmax="1.0.0+old")
    (who,) = standing_in(book).learners
    assert (who.points, who.graded_at, who.checks) == (2, "", "masked_softmax 1.0.0+old")
    assert standing_in(book).set_aside == ()
    begin(book, masked_softmax=2.0)
    assert standing_in(book).learners[0].points == 2
    add(book, verdict())
    assert standing_in(book).learners[0].points == 0
    book.close()


def test_the_version_of_several_checks_changes_with_each(monkeypatch):
    one, other = "masked_softmax", "scaled_scores"
    of = {one: "1", other: "1"}
    monkeypatch.setattr(check_versions, "version_of", lambda name: of[name])
    first = version_of_all([one, other])
    assert version_of_all([other, one]) == first != version_of_all([one]) == version_of_all([one])
    assert version_of_all([one, "an exercise that is gone"]) not in (first, version_of_all([one]))
    of[other] = "2"
    assert version_of_all([one, other]) != first
