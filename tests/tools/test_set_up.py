"""What a command needs is installed when it is first asked for, from the lock; nothing is downloaded here."""

import re
import shutil
import subprocess
import sys
import tomllib

import pytest
from packaging.requirements import Requirement

from autograder.model.paths import ROOT
from tools import set_up

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
LOCK = (ROOT / "requirements.lock").read_text()
LOCKED = dict(re.findall(r"^([\w.-]+)==([\w.]+)", LOCK, re.MULTILINE))


def requirements():
    every = [
        *PROJECT["dependencies"],
        *(one for extra in PROJECT["optional-dependencies"].values() for one in extra),
    ]
    return [one for one in map(Requirement, every) if one.name != PROJECT["name"]]


@pytest.mark.parametrize("requirement", sorted(set(map(str, requirements()))))
def test_the_lock_has_a_version_that_is_wanted(requirement):
    entry = Requirement(requirement)
    assert LOCKED[entry.name] in entry.specifier


def test_all_that_is_locked_has_hashes_but_pytorch_whose_builds_differ():
    entries = re.split(r"\n(?=\S)", LOCK)
    assert [entry for entry in entries if "--hash=sha256:" not in entry] == [f"torch=={LOCKED['torch']}"]


@pytest.fixture
def course(tmp_path):
    """A folder with what `set_up.py` reads, and a uv that notes how it was called."""
    for name in ("requirements.lock", "overrides.txt", "pyproject.toml", "tools/set_up.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    make_uv(tmp_path)
    return tmp_path


def make_uv(course):
    uv = course / ".venv" / "uv" / "bin" / "uv"
    uv.parent.mkdir(parents=True)
    uv.write_text(f'#!/bin/sh\necho "$*" >> {course}/calls\nexit ${{UV_STATUS:-0}}\n')
    uv.chmod(0o755)


def run(course, *words, path="/usr/bin:/bin", code="pass", **variables):
    """Run `set_up.py` with a PATH, after `code`; gives how it ended and how uv was called."""
    run = f"import runpy, sys; {code}; sys.argv[:] = {['set_up.py', *words]}; "
    run += f"runpy.run_path({str(course / 'tools' / 'set_up.py')!r}, run_name='__main__')"
    environment = {"PATH": path, **variables}
    done = subprocess.run([sys.executable, "-c", run], env=environment, capture_output=True, text=True)
    calls = course / "calls"
    return done, calls.read_text().splitlines() if calls.exists() else []


def test_pages_are_set_up_with_this_python_and_without_a_framework(course):
    done, (venv_command, installed) = run(course, "book", path=str(fake_npm(course)))
    assert done.returncode == 0, done.stderr
    assert venv_command.split()[-2:] == [sys.executable, str(course / ".venv")]
    assert ".[book] --override overrides.txt --constraint" in installed
    extra = " ".join(PROJECT["optional-dependencies"]["book"])
    assert not any(name in extra for name in ("torch", "mxnet", "keras", "attention-side-by-side"))


def fake_npm(course):
    folder = course / "bin"
    folder.mkdir()
    (folder / "npm").write_text("#!/bin/sh\n")
    (folder / "npm").chmod(0o755)
    return folder


def test_npm_comes_along_only_where_there_is_none(course):
    empty = course / "empty"
    empty.mkdir()
    assert ".[book,npm]" in run(course, "book", path=str(empty))[1][-1]
    assert ".[grade]" in run(course, "grade", path=str(empty))[1][-1]
    assert ".[book]" in run(course, "book", path=str(fake_npm(course)))[1][-1]


@pytest.mark.parametrize("version", [(3, 9), (3, 15)])
def test_a_python_that_does_not_fit_is_replaced_or_told(course, version):
    code = f"sys.version_info = {version}"
    _, calls = run(course, "book", code=code)
    assert "--python >=3.11,<3.15" in calls[0]
    done, _ = run(course, "book", code=code, UV_STATUS="2")
    assert done.returncode == 1 and "Traceback" not in done.stderr
    assert done.stderr.startswith("Python 3.11 to 3.14 is needed") and "make PYTHON=" in done.stderr


def test_a_set_up_that_fails_ends_with_a_sentence(course):
    shutil.rmtree(course / ".venv")
    code = "sys.executable = '/bin/false'"
    done, _ = run(course, "book", code=code)
    assert (
        done.returncode == 1 and "apt install python3-venv" in done.stderr and "Traceback" not in done.stderr
    )
    make_uv(course)
    done, _ = run(course, "book", code="pass", UV_STATUS="1")
    assert done.returncode == 1 and "Traceback" not in done.stderr
    done, _ = run(course)
    assert done.returncode == 1 and done.stderr.startswith("Say what is wanted")


def test_what_pip_was_told_uv_is_told(course, monkeypatch):
    (course / ".venv" / "uv" / "bin" / "uv").write_text(f"#!/bin/sh\nenv > {course}/calls\n")
    calls = run(
        course, "book", PIP_FIND_LINKS="/wheels", UV_EXTRA_INDEX_URL="own", PIP_EXTRA_INDEX_URL="pip"
    )[1]
    assert "UV_FIND_LINKS=/wheels" in calls and "UV_EXTRA_INDEX_URL=own" in calls


def test_the_configuration_of_pip_reaches_uv_too(course):
    """The environment is stronger than a file, in which `install` is stronger than `global`."""
    uv = course / ".venv" / "uv" / "bin"
    (uv / "uv").write_text(f"#!/bin/sh\nenv > {course}/calls\n")
    listed = [
        "global.index-url='https://mirror/simple'",
        "global.timeout='60'",
        "install.cert='/ca.pem'",
        "install.proxy='proxy:3128'",
        "global.proxy='http://other:1'",
        "global.trusted-host='\\nmirror\\nfiles'",
        ":env:.find-links='/one /two'",
        "global.find-links='/three'",
    ]
    (uv / "python").write_text(
        '#!/bin/sh\n[ "$3 $4" = "config list" ] && cat <<"END"\n' + "\n".join(listed) + "\nEND\n"
    )
    (uv / "python").chmod(0o755)
    calls = run(course, "grade", HTTPS_PROXY="http://mine:2")[1]
    assert {
        "UV_DEFAULT_INDEX=https://mirror/simple",
        "SSL_CERT_FILE=/ca.pem",
        "HTTP_PROXY=http://proxy:3128",
        "HTTPS_PROXY=http://mine:2",
        "UV_INSECURE_HOST=mirror files",
        "UV_FIND_LINKS=/one,/two",
    } <= set(calls)


def test_certificates_that_pip_reads_elsewhere_reach_uv(course):
    (course / ".venv" / "uv" / "bin" / "uv").write_text(f"#!/bin/sh\nenv > {course}/calls\n")
    assert "SSL_CERT_FILE=/bundle" in run(course, "grade", REQUESTS_CA_BUNDLE="/bundle")[1]
    calls = run(
        course, "grade", REQUESTS_CA_BUNDLE="/bundle", PIP_CERT="/pem", PIP_INDEX_URL="https://m/simple"
    )[1]
    assert {"SSL_CERT_FILE=/pem", "UV_DEFAULT_INDEX=https://m/simple"} <= set(calls)


def test_a_home_that_cannot_be_written_is_named(course):
    done, calls = run(course, "grade", HOME="/dev/null/me")
    assert (done.returncode, calls) == (1, [])
    assert done.stderr.startswith("/dev/null/me/.cache/uv cannot be written (Not a directory)")
    assert "UV_CACHE_DIR=/tmp/uv make book" in done.stderr
    assert run(course, "grade", HOME="/dev/null/me", UV_CACHE_DIR=str(course / "cache"))[1]


def has(course, folder):
    """An environment that is set up for grading, and whose command runs what lies in a folder."""
    (course / ".venv" / "bin").mkdir(exist_ok=True)
    (course / ".venv" / "bin" / "attention").write_text(f"#!{folder}/.venv/bin/python\n")
    (course / ".venv" / ".has-grade").touch()


def test_an_environment_that_was_copied_or_moved_is_made_anew(course):
    has(course, course)
    assert run(course, "grade")[1] and (course / ".venv" / ".has-grade").exists()
    has(course, "/another/course")
    done, _ = run(course, "grade", code="sys.executable = '/bin/false'")
    assert done.stderr.startswith(
        f"{course}/.venv was made for another folder, and is made anew for {course}."
    )
    assert not (course / ".venv" / ".has-grade").exists()


@pytest.mark.skipif(shutil.which("make") is None, reason="there is no make")
def test_make_sets_up_again_in_a_copy(course):
    folder = course.parent / "a copy"
    shutil.copytree(course, folder, copy_function=shutil.copy)
    shutil.copy(ROOT / "Makefile", folder)
    for owner, again in ((folder, False), (course, True)):
        has(folder, owner)
        dry = subprocess.run(["make", "-n", "grade"], cwd=folder, capture_output=True, text=True, check=True)
        assert ("tools/set_up.py grade" in dry.stdout) == again, dry.stdout


def test_the_make_file_and_the_readme_name_extras_that_exist():
    extras = set(re.findall(r"\$\(HAS\)-(\w+)", (ROOT / "Makefile").read_text()))
    extras |= set(re.findall(r"set_up\.py (\w+)`?", (ROOT / "README.md").read_text()))
    assert extras and extras <= {*PROJECT["optional-dependencies"]}
    assert set(set_up.NEED_NPM) <= extras
