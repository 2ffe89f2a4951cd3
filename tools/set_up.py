"""Puts what a command needs into .venv: `python3 tools/set_up.py book`, or another extra of pyproject.toml.

It is run before anything is installed, so it needs nothing but Python 3.8 or later with venv: uv, at the version of
requirements.lock, does the rest, and brings another Python where this one is too old or too new for it. Where there is
no npm, which the checks in the pages come through, that is installed too.
"""

import ast
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
# What pip may be told, in its configuration or by PIP_..., and the variables that tell uv the same.
FOR_UV = {
    "index-url": ["UV_DEFAULT_INDEX"],
    "extra-index-url": ["UV_EXTRA_INDEX_URL"],
    "find-links": ["UV_FIND_LINKS"],
    "no-index": ["UV_NO_INDEX"],
    "trusted-host": ["UV_INSECURE_HOST"],
    "cert": ["SSL_CERT_FILE"],
    "client-cert": ["SSL_CLIENT_CERT"],
    "proxy": ["HTTP_PROXY", "HTTPS_PROXY"],
}
# The sections of pip's configuration that hold for `pip install`, the last the strongest: what the environment says.
SECTIONS = ("global", "install", ":env:")
NO_CACHE = (
    "{} cannot be written ({}), and uv keeps there what it fetches. Name another folder, as in "
    "`UV_CACHE_DIR=/tmp/uv make book`."
)
# Extras whose targets use npm, if only to skip what they cannot have without it.
NEED_NPM = ("book", "test")


def main(extras: "list[str]") -> None:
    """Install these extras, after Python and uv if they are not there; ends with a sentence if that fails."""
    if not extras:
        raise SystemExit("Say what is wanted, one or more of: book, learn, grade, test.")
    _forget_another_folder()
    _need_a_cache()
    if not UV.with_suffix(".exe" if os.name == "nt" else "").exists():
        _install_uv()
    if not PYTHON.with_suffix(".exe" if os.name == "nt" else "").exists():
        _make_environment()
    all_extras = extras + ["npm"] * (shutil.which("npm") is None and any(name in NEED_NPM for name in extras))
    _run(
        "What is needed could not be installed: the lines above say why.",
        *(UV, "pip", "install", "--quiet", "--python", PYTHON, "--editable", f".[{','.join(all_extras)}]"),
        *("--override", "overrides.txt", "--constraint", LOCK, "--build-constraint", LOCK),
    )


def _forget_another_folder() -> None:
    """Remove an environment that was copied or moved here: its commands run what lies in the other folder."""
    command = VENV / SCRIPTS / "attention"
    here = VENV / SCRIPTS, (VENV / SCRIPTS).resolve()
    if command.exists() and not any(str(place).encode() in command.read_bytes() for place in here):
        sys.stderr.write(f"{VENV} was made for another folder, and is made anew for {ROOT}.\n")
        shutil.rmtree(str(VENV))


def _need_a_cache() -> None:
    """End with a sentence where uv's cache cannot be written: HOME may be a folder that is not there."""
    if os.name == "nt" or os.environ.get("UV_NO_CACHE"):
        return
    home = os.environ.get("XDG_CACHE_HOME") or Path("~/.cache").expanduser()
    cache = Path(os.environ.get("UV_CACHE_DIR") or Path(home, "uv"))
    try:
        cache.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SystemExit(NO_CACHE.format(cache, error.strerror)) from error


def _install_uv() -> None:
    """Install uv in an environment of its own, so that it can make the other with another Python."""
    pin = re.search(r"^uv==[\w.]+", LOCK.read_text(encoding="utf-8"), re.MULTILINE)
    assert pin is not None
    why = (
        "The environment could not be made: on Debian and Ubuntu, `apt install python3-venv` is needed first."
    )
    _run(why, sys.executable, "-m", "venv", VENV / "uv")
    _run("pip could not install uv.", UV.with_name("python"), "-m", "pip", "install", "--quiet", pin[0])


def _make_environment() -> None:
    """Make .venv with this Python, or where it is too old with another that uv finds or fetches."""
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
    environment = {"UV_INDEX_STRATEGY": "unsafe-best-match", **_pip_settings(), **os.environ}
    if subprocess.call([str(word) for word in command], cwd=str(ROOT), env=environment):
        raise SystemExit(why)


def _pip_settings() -> "dict[str, str]":
    """Return what pip was told of indexes, certificates and proxies, as variables that tell uv."""
    settings = {}  # type: dict[str, str]
    lines = _configuration()
    for section in SECTIONS:
        pairs = (line.partition("=") for line in lines if line.startswith(section + "."))
        settings.update({key[len(section) + 1 :]: str(ast.literal_eval(value)) for key, _, value in pairs})
    bundle = os.environ.get("REQUESTS_CA_BUNDLE") or os.environ.get("CURL_CA_BUNDLE", "")
    settings.setdefault("cert", bundle)  # pip reads these, too
    if settings.get("proxy") and "://" not in settings["proxy"]:
        settings["proxy"] = "http://" + settings["proxy"]
    settings["find-links"] = ",".join(settings.get("find-links", "").split())
    return {
        name: " ".join(settings[key].split())
        for key, names in FOR_UV.items()
        if settings.get(key)
        for name in names
    }


def _configuration() -> "list[str]":
    """Return the lines of `pip config list`, as `global.index-url='https://…'`; without pip, the environment's."""
    command = [str(UV.with_name("python")), "-m", "pip", "config", "list"]
    try:
        return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()
    except (OSError, subprocess.CalledProcessError):
        names = {"PIP_" + key.upper().replace("-", "_"): key for key in FOR_UV}
        return [f":env:.{names[name]}={value!r}" for name, value in os.environ.items() if name in names]


if __name__ == "__main__":
    main(sys.argv[1:])
