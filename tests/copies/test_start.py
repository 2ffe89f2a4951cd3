"""`start`: names, order, navigation, the index, and copies that run wherever they lie."""

import json
import re
import tomllib

import pytest

from autograder.book.contents import (
    EXERCISE,
    INDEX,
    PAGES,
    chapters,
    framework_of,
    notebook_of,
    opening,
    parts,
    source,
    tags,
)
from autograder.book.ways import ways
from autograder.checking import progress
from autograder.copies.hosting import LIBRARIES, install_cell, libraries
from autograder.copies.start import TITLE, TO_MEND, YOURS, learners_copy, start
from autograder.frameworks import frameworks, title_of
from autograder.model.catalogue import all_exercises
from autograder.model.paths import ROOT
from autograder.read.cells import without_magics
from autograder.read.install_cell import WHEEL

NUMBERED = [f"{number:02}_{chapter}.ipynb" for number, chapter in enumerate(chapters(), 1)]
FIRST, *LAST = (f"{page}.ipynb" for page in PAGES)
ORDER = [FIRST, *NUMBERED, *LAST]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("learn")
    start(path)
    return path


def read(path):
    return json.loads(path.read_text())["cells"]


def test_files_stand_in_the_order_of_the_chapters(folder):
    assert [path.name for path in sorted(folder.glob("*.ipynb"))] == sorted([*ORDER, INDEX])
    assert NUMBERED[0] == "01_attention.ipynb" and NUMBERED[-1] == f"{len(NUMBERED):02}_errata.ipynb"
    assert set(parts()) == {
        "One mechanism, step by step",
        "Kinds of attention",
        "At work",
        "Since 2017",
        "After the end",
    }


def test_errata_stand_behind_the_end_as_what_they_are(folder):
    caption, last = [*parts().items()][-1]
    assert (caption, last) == ("After the end", ("errata",))
    assert [way.title for way in ways() if "errata" in [step.chapter for step in way.steps]] == ["Everything"]
    index = "\n".join(source(cell) for cell in read(folder / INDEX))
    chapters_there = index.partition("## The chapters\n")[2].partition("\n## ")[0]
    assert re.findall(r"\((\S+\.ipynb)\)<br>", chapters_there.partition(f"### {caption}\n")[2]) == [
        NUMBERED[-1]
    ]
    assert re.findall(r"^### (.+)$", chapters_there, re.MULTILINE)[-1] == caption
    (end,) = [source(cell) for cell in read(folder / NUMBERED[-2]) if "**Next:**" in source(cell)]
    assert "the course ends here. After its end stands [Errata]" in end


def test_an_import_of_what_an_exercise_asks_for_says_whose_it_is():
    """`from solutions…` gives the learner's own answer once it is accepted (`checking/solved.py`)."""
    first_text = (
        "import numpy as np\nfrom solutions.multi_head.in_torch import (\n    split_heads,\n)\n\nx = 1"
    )
    other_text = (
        "from solutions.multi_head.in_numpy import split_heads\nfrom solutions.attention.in_torch import fit"
    )
    cells = [{"cell_type": "code", "metadata": {}, "source": text} for text in (first_text, other_text)]
    copied = [
        source(cell) for cell in learners_copy({"cells": [*cells, cells[1]]}, framework="torch")["cells"]
    ]
    assert copied[0] == first_text.replace("from", f"{YOURS}\nfrom", 1) and YOURS not in copied[1]


def test_each_copy_leads_to_the_one_before_and_the_one_behind(folder):
    for index, name in enumerate(ORDER):
        texts = [source(cell) for cell in read(folder / name) if cell["cell_type"] == "markdown"]
        expected = [*ORDER[:index][-1:], INDEX, *ORDER[index + 1 :][:1]]
        for line in (texts[0].split("\n")[2], texts[-1].split("\n")[-1]):
            assert re.findall(r"\]\((\S+)\)", line) == expected


def test_each_cell_of_a_pair_says_its_framework():
    for chapter in chapters():
        for cell in learners_copy(notebook_of(chapter))["cells"]:
            framework = framework_of(cell)
            names = [title_of(framework)] if framework in frameworks() else []
            if cell["cell_type"] == "code":
                assert re.findall(r"\A# (MXNet|PyTorch|Keras)\n", source(cell)) == names


def test_a_cells_magic_stays_first():
    cell = {"cell_type": "code", "metadata": {"tags": ["framework-torch"]}, "source": "%%time\nx = 1"}
    assert source(learners_copy({"cells": [cell]})["cells"][0]) == "%%time\n# PyTorch\nx = 1"


def test_code_that_draws_is_folded_and_says_so_in_its_first_line():
    """JupyterLab reads one key and shows the first line; Colab reads the other, and the line as a title."""
    folded, answers = 0, 0
    for chapter in chapters():
        originals = {cell["id"]: cell for cell in notebook_of(chapter)["cells"]}
        for cell in learners_copy(notebook_of(chapter))["cells"]:
            hidden = cell["metadata"].get("jupyter", {}).get("source_hidden", False)
            assert hidden == source(cell).startswith(TITLE) == (cell["metadata"].get("cellView") == "form")
            folded += hidden
            answers += hidden and bool(tags(cell, EXERCISE))
            assert not hidden or originals[cell["id"]]["outputs"], (
                "a cell that shows nothing is not a picture"
            )
    assert folded > 40 and answers == 0


def test_an_answer_to_be_mended_begins_with_the_broken_version_and_says_that_it_is_the_one():
    cells = learners_copy(notebook_of("additive"))["cells"]
    starter, answer = (
        next(source(c) for c in cells if tags(c, f"{kind}:additive_scores") and framework_of(c) == "torch")
        for kind in ("starter", "exercise")
    )
    title, broken = starter.split("\n", 1)
    assert answer == f"{title}\n{TO_MEND}\n{broken}"


def test_a_text_of_another_framework_leaves_no_empty_cell():
    cells = [
        {"cell_type": "markdown", "id": str(n), "metadata": {}, "source": text}
        for n, text in enumerate(("Of both.", "[Of one.]{.mxnet}", ""))
    ]
    copied = learners_copy({"cells": cells}, framework="torch")["cells"]
    assert [cell["source"] for cell in copied] == ["Of both.", ""]


def test_plots_of_a_copy_follow_the_theme_of_jupyterlab():
    for chapter in chapters():
        code = "\n".join(source(cell) for cell in learners_copy(notebook_of(chapter))["cells"])
        assert "figures.style()" not in code
        assert ("figures.style(follow_theme=True)" in code) == ("figures.style(" in code)


def test_copies_of_an_older_course_stay_and_are_linked(tmp_path):
    (tmp_path / "attention.ipynb").write_text("my work")
    copies, older = start(tmp_path)
    assert [path.name for path in older] == ["attention.ipynb"]
    assert (tmp_path / "attention.ipynb").read_text() == "my work"
    assert [path.name for path in copies] == [FIRST, *NUMBERED[1:], *LAST, INDEX]
    assert "](attention.ipynb)" in source(read(tmp_path / NUMBERED[1])[0])
    assert "](attention.ipynb)" in source(read(tmp_path / INDEX)[-1])


def test_the_index_lists_every_chapter_with_its_exercises(folder):
    text = source(read(folder / INDEX)[-1])
    for number, chapter in enumerate(chapters(), 1):
        exercises = [e for e in all_exercises().values() if e.topic == chapter]
        begin = f"| [{number} · {opening(chapter)[0]}]({NUMBERED[number - 1]})"
        (row,) = [line for line in text.split("\n") if line.startswith(begin)]
        assert opening(chapter)[1] in row
        assert f"| {len(exercises)}, {sum(e.minutes for e in exercises)} min |" in row
        assert re.search(r"\| [1-9]\d* min \|", row)
    assert re.findall(r"^- \[(?:\w+)\]\((\S+)\)$", text, re.MULTILINE) == [FIRST, *LAST]


def test_the_index_names_the_ways_with_their_exercises_in_order(folder):
    text = source(read(folder / INDEX)[-1])
    begin = text.index("**Three hours**")
    names = re.findall(r"#ex-(\w+)\)", text[begin : text.index("**Build a GPT**")])
    assert names == ["predict_shapes", "attention_pooling", "masked_softmax", "scaled_scores",
                     "dot_product_attention", "weights_after", "self_attention", "causal_self_attention"]  # fmt: skip
    assert "1. [Masked softmax](02_masked_softmax.ipynb): [" in text and "**Everything**, about" in text


def test_the_index_says_for_which_framework_the_copies_are(folder, tmp_path):
    start(tmp_path, "torch")
    one, both = (source(read(path / INDEX)[0]) for path in (tmp_path, folder))
    assert "for PyTorch alone" in one and "in one of them or in both" not in one
    assert "for PyTorch alone" not in both and "in one of them or in both" in both


def test_the_indexs_cell_shows_progress_and_the_next_exercise(tmp_path, monkeypatch):
    start(tmp_path)
    monkeypatch.chdir(tmp_path)
    names = list(all_exercises())
    first, second = (all_exercises()[name] for name in names[:2])
    _, code = [source(cell) for cell in read(tmp_path / INDEX) if cell["cell_type"] == "code"]
    overview = eval_last(code)
    assert (
        f"Next: [{first.title}](01_attention.ipynb#ex-{first.name}) in *Attention*."
        in overview._repr_markdown_()
    )
    progress.write_json(tmp_path / progress.FILE, {first.name: ["torch"], "an_old_name": ["torch"]})
    overview = eval_last(code)
    assert f"Next: [{second.title}]" in str(
        overview
    ) and "| [Attention](01_attention.ipynb) | 1 | 4 |" in str(overview)
    (gpt,) = [way.exercises for way in ways() if way.title == "Build a GPT"]
    progress.write_json(tmp_path / progress.FILE, {e.name: ["torch"] for e in gpt[:-1]})
    assert f"Next: [{gpt[-1].title}]" in str(eval_last(code))
    progress.write_json(tmp_path / progress.FILE, {name: ["torch"] for name in names})
    assert str(eval_last(code)).startswith("All exercises are passed.")
    made_before = code.replace("from autograder import", "from autograder.learner.progress import")
    assert made_before != code and str(eval_last(made_before)) == str(eval_last(code))


def test_progress_says_where_it_is_kept_if_it_is_not_here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert "open the notebook from the folder" in str(progress.overview())


def eval_last(code):
    """The value of a cell: that of its last line."""
    before, _, last = code.rpartition("\n")
    namespace = {}
    exec(before, namespace)
    return eval(last, namespace)


def test_each_copy_begins_with_a_cell_that_installs_what_is_missing_and_nothing_else(folder, monkeypatch):
    """It runs here, where all of it is there: no line of pip is reached, and nothing is bound that a cell asks for."""
    for path in (folder / name for name in (*NUMBERED, INDEX)):
        cell = next(cell for cell in read(path) if cell["cell_type"] == "code")
        text = without_magics(source(cell))
        assert "%pip" in source(cell) and "%pip" not in text and cell["metadata"]["course"] == {"given": True}
        assert cell["metadata"]["jupyter"] == {"source_hidden": True}
        bound = {}
        exec(text.replace("Path(", "fail("), bound)
        assert set(bound) - {"__builtins__"} == {"find_spec", "Path"}


def test_the_course_comes_from_where_it_is_published_or_from_beside_the_notebook(monkeypatch):
    monkeypatch.delenv("BOOK_REPOSITORY", raising=False)
    sentences = source(install_cell([]))
    assert (
        "`pip install '.[learn]'` in the course's folder" in sentences
        and "what your teacher gave you" in sentences
    )
    monkeypatch.setenv("BOOK_REPOSITORY", "https://git.example.org/course/attention")
    text = source(install_cell([]))
    assert f'Path().glob("{WHEEL}"), "git+https://git.example.org/course/attention")' in text
    assert "assert" not in text and text.endswith("what you have passed")


def test_a_copy_installs_what_it_imports_itself_or_through_the_course():
    needed = {chapter: libraries(learners_copy(notebook_of(chapter))["cells"]) for chapter in chapters()}
    assert needed["masked_softmax"] == {"matplotlib": "matplotlib"} and "keras" in needed["pooling"]
    assert "sklearn" in needed["soft_hard"] and "babel" in needed["translation"]
    assert libraries([]) == {} and {name for names in needed.values() for name in names} == set(LIBRARIES)


def test_what_copies_install_is_what_the_package_names_for_learners():
    learn = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]["learn"]
    assert set(LIBRARIES.values()) <= {re.split(r"[^\w-]", line)[0] for line in learn}


def test_a_copy_can_be_opened_at_colab_and_kaggle_where_the_course_lies_on_github(tmp_path, monkeypatch):
    monkeypatch.setenv("BOOK_REPOSITORY", "https://github.com/course/attention/")
    start(tmp_path)
    published = "course/attention/blob/learn/02_masked_softmax.ipynb"
    title = source(read(tmp_path / NUMBERED[1])[0])
    assert f"[Open in Colab](https://colab.research.google.com/github/{published})" in title
    assert f"[Open in Kaggle](https://kaggle.com/kernels/welcome?src=https://github.com/{published})" in title


@pytest.mark.parametrize("address", ["", "https://git.example.org/course/attention"])
def test_elsewhere_no_link_leads_there(address, tmp_path, monkeypatch):
    monkeypatch.setenv("BOOK_REPOSITORY", address)
    start(tmp_path)
    assert "Open in" not in (tmp_path / NUMBERED[1]).read_text()
