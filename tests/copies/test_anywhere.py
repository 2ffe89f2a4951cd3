"""A learner's copy where there is PyTorch and no course, as on Colab: its first cell installs the course from a wheel."""

import json
import re
import subprocess
import sys
import time
import venv
from datetime import datetime
from importlib import metadata

import nbformat
import pytest
from nbformat.v4 import new_code_cell
from packaging.requirements import Requirement

from autograder.book.contents import chapters, file_of
from autograder.copies.start import TITLE, start
from autograder.model.catalogue import all_exercises
from autograder.model.paths import ROOT
from tests.copies.test_run import is_check, run, solve

# In one process, in the order in which they stand here.
pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("bare")]
# What such an environment has, of what the course needs: so says the list of packages that Colab publishes.
PACKAGES = ("numpy", "torch", "ipykernel", "jinja2", "mdit-py-plugins", "PyYAML", "rich", "typer")
QUICK = "masked_softmax"


def with_all_that_they_need(names):
    """The distributions of these names here, and those that they need."""
    distributions, waiting = {}, list(names)
    while waiting:
        requirement = Requirement(waiting.pop())
        if requirement.name in distributions or (
            requirement.marker and not requirement.marker.evaluate({"extra": ""})
        ):
            continue
        try:
            distributions[requirement.name] = metadata.distribution(requirement.name)
        except metadata.PackageNotFoundError:  # the CUDA build's, where PyTorch is the one for the processor
            continue
        waiting += distributions[requirement.name].requires or ()
    return distributions.values()


@pytest.fixture(scope="module")
def bare(tmp_path_factory):
    """The interpreter of an environment with PACKAGES, which are linked: what pip puts there lies elsewhere."""
    folder = tmp_path_factory.mktemp("bare")
    venv.create(folder / "environment", with_pip=True)
    links = folder / "there"
    links.mkdir()
    for distribution in with_all_that_they_need(PACKAGES):
        for name in {file.parts[0] for file in distribution.files} - {"..", "__pycache__"}:
            if not (links / name).exists():
                (links / name).symlink_to(distribution.locate_file(name))
    (packages,) = (folder / "environment").glob("lib/python*/site-packages")
    (packages / "there.pth").write_text(f"{links}\n")
    python = folder / "environment" / "bin" / "python"
    # Whether anything can be installed is asked of the smallest package that the course needs.
    command = [python, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", folder / "asked", "mdurl"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        pytest.skip(f"pip can install nothing here: {done.stderr.strip().splitlines()[-1]}")
    return python


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder for copies, with the course's package and nothing else in it."""
    folder = tmp_path_factory.mktemp("made") / "learn"
    folder.mkdir()
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture
def kernel(bare, tmp_path, monkeypatch):
    """The name of a kernel in that environment, which knows nothing of this checkout."""
    spec = tmp_path / "jupyter" / "kernels" / "bare"
    spec.mkdir(parents=True)
    # The versions of the lock, so that a new release of a library decides nothing here.
    pins = re.findall(r"^[\w.-]+==[^\\\n]+", (ROOT / "requirements.lock").read_text(), re.MULTILINE)
    (tmp_path / "pins.txt").write_text("\n".join(pins))
    monkeypatch.setenv("PIP_CONSTRAINT", str(tmp_path / "pins.txt"))
    argv = [str(bare), "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    (spec / "kernel.json").write_text(
        json.dumps({"argv": argv, "display_name": "bare", "language": "python"})
    )
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path / "jupyter"))
    for name in ("PYTHONPATH", "BOOK_REPOSITORY", "ATTENTION_SHARED_DATA", "ATTENTION_EXERCISES"):
        monkeypatch.delenv(name, raising=False)
    return "bare"


def installed(python):
    done = subprocess.run([python, "-m", "pip", "list", "--format", "json"], capture_output=True, check=True)
    return {one["name"]: one["version"] for one in json.loads(done.stdout)}


def test_the_course_changes_nothing_that_is_installed_and_is_small(bare, folder, tmp_path):
    before = installed(bare)
    (wheel,) = folder.glob("*.whl")
    subprocess.run([bare, "-m", "pip", "install", "--quiet", wheel], check=True)
    after = installed(bare)
    assert "attention-side-by-side" in after and "numpy" in before and "torch" in before
    assert {name: after.get(name) for name in before} == before
    came = {*after} - {*before} - {"attention-side-by-side"}
    assert not came & {"torch", "mxnet", "numpy", "scipy", "matplotlib", "jupyterlab", "sphinx"}
    download = [bare, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", tmp_path, wheel]
    subprocess.run([*download, *(f"{name}=={after[name]}" for name in came)], check=True)
    assert sum(file.stat().st_size for file in tmp_path.iterdir()) < 5_000_000
    remove = [bare, "-m", "pip", "uninstall", "--quiet", "--yes", *came, "attention-side-by-side"]
    subprocess.run(remove, check=True)


@pytest.mark.parametrize(
    "chapter",
    [c if c == QUICK else pytest.param(c, marks=pytest.mark.all_copies) for c in chapters()],
)
def test_a_copy_alone_installs_the_course_and_runs_on_the_learners_own_code(
    chapter, kernel, folder, tmp_path
):
    start(tmp_path / "made", "torch")
    notebook = nbformat.read(tmp_path / "made" / file_of(chapter), 4)
    solve(notebook, chapter)
    exercise = next(e.name for e in all_exercises().values() if e.topic == chapter)
    notebook.cells += [
        new_code_cell(f'hint("{exercise}")'),
        new_code_cell("import course\nprint(course.__path__)"),
    ]
    notebook.metadata.kernelspec = {"name": kernel, "display_name": kernel, "language": "python"}
    begun = time.time()
    run(notebook, folder.parent)
    verdicts = [cell for cell in notebook.cells if is_check(cell)]
    assert verdicts and all("passed" in json.dumps(cell.outputs) for cell in verdicts)
    answered = verdicts[0].metadata.execution["shell.execute_reply"]
    sys.stdout.write(f"{chapter}: first verdict after {seconds_between(begun, answered):.0f} s\n")
    assert all(cell.outputs for cell in notebook.cells if cell.source.startswith(TITLE))
    hint_cell, where = notebook.cells[-2:]
    assert hint_cell.outputs and "bare" in where.outputs[0].text
    progress = json.loads((folder / "progress.json").read_text())
    assert {e.name for e in all_exercises().values() if e.topic == chapter} <= set(progress)


def seconds_between(begun: float, reply: str) -> float:
    """From a time to that of a kernel's reply, in ISO form."""
    return datetime.fromisoformat(reply).timestamp() - begun
