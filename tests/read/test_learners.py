"""Whose a file is, in trees made as Canvas, Moodle, GitHub Classroom and Gradescope make them."""

import unicodedata
import zipfile

import pytest

from autograder.model.results import learner_of
from autograder.read.files import find
from autograder.read.learners import DESCRIPTIONS, Layout, Names, recognised
from tests.support import RIGHT


def make(folder, *names):
    """Small different files of these names below a folder."""
    for i, name in enumerate(names):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{RIGHT}\n# {i}\n")
    return folder


def learners(folder, layout=None):
    submissions, _ = find(folder, layout)
    return sorted({learner_of(source.name) for source in submissions})


CANVAS = (
    "smithjoe_4711_9001_dot_product.py", "smithjoe_4711_9002_additive-1.py", "oconnor_janeann_LATE_4712_9003_a.py",
    "贾明_4713_9004_a_b_1_2.py",
)  # fmt: skip
MOODLE = ("Ann Lee_777_assignsubmission_file_", "Group A-Bo Ek_778_assignsubmission_file_", "Participant_779")


def test_a_flat_download_of_canvas_is_one_learner_for_each_number(tmp_path):
    make(tmp_path, *CANVAS)
    assert recognised(tmp_path) is Layout.canvas
    assert learners(tmp_path) == [
        "oconnor_janeann (Canvas 4712)",
        "smithjoe (Canvas 4711)",
        "贾明 (Canvas 4713)",
    ]
    submissions, _ = find(tmp_path)
    assert "oconnor_janeann (Canvas 4712)/LATE_9003_a.py" in [source.name for source in submissions]


def test_an_anonymous_download_of_canvas_has_a_learner_for_each_number(tmp_path):
    make(tmp_path, "anon_A1b2C_9001_a.py", "anon_A1b2C_9002_b.py", "LATE_anon_Zz9xy_9003_a.py")
    assert recognised(tmp_path) is Layout.canvas
    assert learners(tmp_path) == ["anon_A1b2C", "anon_Zz9xy"]


def test_whoever_hands_in_no_notebook_is_told_in_every_download(tmp_path):
    """Where all files lie in one folder, no empty folder shows whose these are."""
    other = {
        "canvas": ("poepia_4713_9004_work.docx", "poepia (Canvas 4713)"),
        "moodle": ("Pia Poe_779_assignsubmission_file_work.odt", "Pia Poe (Moodle 779)"),
        "folders": ("Pia Poe_779_assignsubmission_file_/work.xlsx", "Pia Poe (Moodle 779)"),
    }
    right = {"canvas": CANVAS[:2], "moodle": [f"{MOODLE[0]}a.py"], "folders": [f"{MOODLE[0]}/a.py"]}
    for kind, (name, who) in other.items():
        make(tmp_path / kind, *right[kind], name, "list.csv")
        _, refused = find(tmp_path / kind)
        assert {learner_of(at) for at in refused} == {who}, kind
        # Canvas takes a page back by the number that the name of a file has.
        assert kind == "folders" or list(refused) == Names(tmp_path / kind, recognised(tmp_path / kind)).of(
            name
        )
        (sentence,) = refused.values()
        assert (
            "not read" in sentence
            and sentence.startswith(who)
            and sentence.count(name.rpartition("_")[2]) == 1
        ), kind


def test_several_files_that_are_no_notebooks_are_each_named_once(tmp_path):
    make(tmp_path, *CANVAS[:2], "poepia_4713_9004_a.docx", "poepia_4713_9005_b.pdf")
    who = "poepia (Canvas 4713)"
    _, refused = find(tmp_path)
    assert refused == {
        f"{who}/9004_a.docx": f"{who}/9004_a.docx was not read. Also not read: {who}/9005_b.pdf. Hand in the "
        "notebook itself, whose name ends in .ipynb, or a Python file (.py)."
    }


def test_a_text_beside_the_files_in_moodle_is_a_folder_of_the_same_learner(tmp_path):
    """Who has handed in a notebook is not told that there is none, and who has not, is told once."""
    text = "assignsubmission_onlinetext/onlinetext.html"
    make(tmp_path, f"{MOODLE[0]}/a.py", f"Ann Lee_777_{text}")
    make(tmp_path, "Pia Poe_779_assignsubmission_file/a.pdf", f"Pia Poe_779_{text}")
    _, refused = find(tmp_path)
    who = "Pia Poe (Moodle 779)/"
    assert refused.keys() == {who} and f"{who}a.pdf, {who}onlinetext.html. Hand in" in refused[who]


def test_a_comment_in_moodle_is_not_called_a_file_that_was_not_read(tmp_path):
    make(tmp_path, f"{MOODLE[0]}a.py", "Ann Lee_777_assignsubmission_onlinetext_onlinetext.html")
    assert find(tmp_path)[1] == {}


@pytest.mark.parametrize("ending", ["assignsubmission_file_", "assignsubmission_file"])
def test_a_download_of_moodle_in_folders(tmp_path, ending):
    make(
        tmp_path, f"Ann Lee_777_{ending}/a.py", f"Ann Lee_777_{ending}/deep/b.py", f"Bo Ek_778_{ending}/a.py"
    )
    (tmp_path / f"Cy_779_{ending}").mkdir()
    assert recognised(tmp_path) is Layout.moodle
    assert learners(tmp_path) == ["Ann Lee (Moodle 777)", "Bo Ek (Moodle 778)"]
    _, refused = find(tmp_path)
    assert list(refused) == ["Cy (Moodle 779)/"]


def test_a_flat_download_of_moodle(tmp_path):
    make(tmp_path, *(f"{who}_{n}_assignsubmission_file_{f}.py" for who, n in (("Ann Lee", 777), ("Bo_Ek", 778))
                     for f in ("a", "b_2")))  # fmt: skip
    assert recognised(tmp_path) is Layout.moodle
    assert learners(tmp_path) == ["Ann Lee (Moodle 777)", "Bo_Ek (Moodle 778)"]
    submissions, _ = find(tmp_path)
    assert "Ann Lee (Moodle 777)/b_2.py" in [source.name for source in submissions]


def test_a_file_of_moodles_is_nobody_elses_by_its_name(tmp_path):
    """What follows Moodle's own part of the name is what the learner called the file."""
    make(
        tmp_path,
        "Eve_1_assignsubmission_file_Bob_42_assignsubmission_file_a.py",
        "Bob_42_assignsubmission_file_b.py",
    )
    assert recognised(tmp_path) is Layout.moodle
    submissions, _ = find(tmp_path)
    assert sorted(source.name for source in submissions) == [
        "Bob (Moodle 42)/b.py", "Eve (Moodle 1)/Bob_42_assignsubmission_file_a.py"
    ]  # fmt: skip


def test_a_repository_is_a_learner(tmp_path):
    one = make(tmp_path / "attention-octocat", ".git/config", "a.py", "b.py", "learn/c.py")
    assert recognised(one) is Layout.github
    assert learners(one) == ["attention-octocat"]
    make(tmp_path / "attention-hubot", ".git/config", "a.py", "deep/b.py")
    assert recognised(tmp_path) is Layout.github
    assert learners(tmp_path) == ["attention-hubot", "attention-octocat"]


def test_a_copy_of_the_course_is_a_learner_with_or_without_its_history(tmp_path):
    folder = make(tmp_path / "ann", "solutions/a/b.py", "chapters/c.py", "learn/d.py")
    assert recognised(folder) is Layout.github
    assert learners(folder) == ["ann"]


def test_a_class_that_its_teacher_keeps_below_version_control_is_no_learner(tmp_path):
    make(tmp_path, ".git/config", "ann/a.py", "bo/a.py")
    assert recognised(tmp_path) is Layout.folder
    assert learners(tmp_path) == ["ann", "bo"]
    assert learners(tmp_path, Layout.github) == [tmp_path.name]


METADATA = """submission_101:
  :submitters:
  - :name: Ann Lee
    :sid: '100'
    :email: ann@example.edu
  :created_at: 2026-03-01 10:00:00.000000000 Z
  :score: 0.0
submission_102:
  :submitters:
  - :name: Bo Ek
    :sid: '200'
    :email: bo@example.edu
  - :name: Cy Oz
    :sid: '201'
    :email:
"""


def test_an_export_of_gradescope_says_who_handed_in_what(tmp_path):
    make(tmp_path, "submission_101/a.py", "submission_101/b.py", "submission_102/a.py", "submission_103/a.py")
    (tmp_path / "submission_metadata.yml").write_text(METADATA)
    assert recognised(tmp_path) is Layout.gradescope
    assert learners(tmp_path) == ["201", "ann@example.edu", "bo@example.edu", "submission_103"]


def test_a_name_of_gradescope_is_one_name_whatever_it_holds(tmp_path):
    """Else "bob/x" would be the file x of bob."""
    make(tmp_path, "submission_1/a.py")
    (tmp_path / "submission_metadata.yml").write_text("submission_1:\n  :submitters:\n  - :name: bob/x\n")
    assert learners(tmp_path) == ["bob-x"]


PRINTED = """  :results:
    :tests:
    - :output: |-
        :submitters:
        - :name: Bo Ek
          :email: bo@example.edu
    :output: |-
      :submitters:
      - :name: Bo Ek
        :email: bo@example.edu
  :history:
  - :id: 7
    :email: bo@example.edu
"""


def test_what_a_program_has_printed_names_nobody_in_an_export_of_gradescope(tmp_path):
    make(tmp_path, "submission_101/a.py", "submission_102/a.py")
    first, second, third = METADATA.partition("submission_102:\n")
    (tmp_path / "submission_metadata.yml").write_text(first + PRINTED + second + third)
    submissions, _ = find(tmp_path)
    assert [source.name for source in submissions if "101" in str(source.path)] == ["ann@example.edu/a.py"]


def test_a_class_of_folders_and_files(tmp_path):
    make(tmp_path, "ann/a.py", "ann/b.py", "bo.py", "hw_1_2_final.py")
    assert recognised(tmp_path) is Layout.folder
    assert learners(tmp_path) == ["ann", "bo", "hw_1_2_final"]
    assert learners(tmp_path, Layout.file) == ["ann a", "ann b", "bo", "hw_1_2_final"]
    assert set(DESCRIPTIONS) == set(Layout)


@pytest.mark.parametrize(
    "members",
    [
        CANVAS,
        ("Ann Lee_777_assignsubmission_file_/a.py", "Bo Ek_778_assignsubmission_file_/a.py"),
        ("Ann Lee_777_assignsubmission_file_a.py",),
        ("assignment_7_export/submission_metadata.yml", "assignment_7_export/submission_1/a.py"),
    ],
)
def test_the_archive_of_a_class_is_never_one_learner(tmp_path, members):
    with zipfile.ZipFile(tmp_path / "class.zip", "w") as archive:
        for name in members:
            archive.writestr(name, RIGHT)
    for path in (tmp_path, tmp_path / "class.zip"):
        submissions, refused = find(path)
        assert submissions == [] and "unpack it" in refused["class.zip"]


def test_a_learners_own_archive_is_read(tmp_path):
    for name in ("smithjoe_4711_9001_work.zip", "roejane_4712_9002_work.zip"):
        with zipfile.ZipFile(tmp_path / name, "w") as archive:
            archive.writestr("hw_1/part_2_3_a.py", RIGHT)
    submissions, refused = find(tmp_path)
    assert refused == {} and [source.name for source in submissions] == [
        "roejane (Canvas 4712)/9002_work/hw_1/part_2_3_a.py", "smithjoe (Canvas 4711)/9001_work/hw_1/part_2_3_a.py"
    ]  # fmt: skip
    assert submissions[0].read().decode() == RIGHT


def test_a_name_stays_as_it_is_written_in_files(tmp_path):
    name = unicodedata.normalize("NFD", "José")
    make(tmp_path, f"{name}/a.py")
    submissions, _ = find(tmp_path)
    assert submissions[0].path.exists() and submissions[0].name == f"{name}/a.py"
