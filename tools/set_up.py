"""Puts what a command needs into .venv: `python3 tools/set_up.py book`, or another extra of pyproject.toml.

It is run before anything is installed, so it needs nothing but Python 3.8 or later with venv: uv, at the version of
requirements.lock, does the rest, and brings another Python where this one is too old or too new for it. Where there is
no npm, which the checks in the pages come through, that is installed too.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# The interpreters for which the packages of the lock are made.
OLDEST, NEWEST = (3, 11), (3, 14)
LOCK = ROOT / "requirements.lock"
SCRIPTS = "Scripts" if os.name == "nt" else "bin"
VENV = ROOT / os.environ.get("VENV", ".venv")
UV = VENV / "uv" / SCRIPTS / "uv"
PYTHON = VENV / SCRIPTS / "python"
# Extras whose targets use npm, if only to skip what they cannot have without it.
NEED_NPM = ("book", "test")


def main(extras: "list[str]") -> None:
    """Install these extras, after Python and uv if they are not there; ends with a sentence if that fails."""
    if not extras:
        raise SystemExit("Say what is wanted, one or more of: book, learn, grade, test.")
    if not UV.with_suffix(".exe" if os.name == "nt" else "").exists():
        _install_uv()
    if not PYTHON.with_suffix(".exe" if os.name == "nt" else "").exists():
        _make_environment()
    wanted = extras + ["npm"] * (shutil.which("npm") is None and any(name in NEED_NPM for name in extras))
    _run(
        "What is needed could not be installed: the lines above say why.",
        *(UV, "pip", "install", "--quiet", "--python", PYTHON, "--editable", f".[{','.join(wanted)}]"),
        *("--override", "overrides.txt", "--constraint", LOCK, "--build-constraint", LOCK),
    )


def _install_uv() -> None:
    """uv in an environment of its own, so that it can make the other with another Python."""
    found = re.search(r"^uv==[\w.]+", LOCK.read_text(encoding="utf-8"), re.MULTILINE)
    assert found is not None
    why = (
        "The environment could not be made: on Debian and Ubuntu, `apt install python3-venv` is needed first."
    )
    _run(why, sys.executable, "-m", "venv", VENV / "uv")
    _run("pip could not install uv.", UV.with_name("python"), "-m", "pip", "install", "--quiet", found[0])


def _make_environment() -> None:
    """.venv with this Python, or where it is too old with another that uv finds or fetches."""
    if OLDEST <= sys.version_info[:2] <= NEWEST:
        python, why = sys.executable, "The environment could not be made: the lines above say why."
    else:
        python = ">={}.{},<{}.{}".format(*OLDEST, NEWEST[0], NEWEST[1] + 1)
        why = (
            "Python {}.{} to {}.{} is needed, this is {}, and uv found and fetched no other: install one, and name it "
            "with `make PYTHON=...`."
        ).format(*OLDEST, *NEWEST, sys.version.split()[0])
    _run(why, UV, "venv", "--quiet", "--seed", "--allow-existing", "--python", python, VENV)


def _run(why: str, *command: "str | Path") -> None:
    # uv looks where pip was told to look, in all places for the version that is wanted.
    told = {
        f"UV_{name}": os.environ[f"PIP_{name}"]
        for name in ("FIND_LINKS", "EXTRA_INDEX_URL")
        if f"PIP_{name}" in os.environ
    }
    environment = {"UV_INDEX_STRATEGY": "unsafe-best-match", **told, **os.environ}
    if subprocess.call([str(word) for word in command], cwd=str(ROOT), env=environment):
        raise SystemExit(why)


if __name__ == "__main__":
    main(sys.argv[1:])
