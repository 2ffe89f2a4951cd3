"""Collect what a page needs to check answers by itself: Python for the browser, NumPy, and the course's own code.

Pyodide and NumPy come from npm by version and hash, through npm's client, into the user's cache; the course's
code is packed from the checkout. All modules are compiled when this is made (`compile_for_page.mjs`): in a page
that took more than half of the time until the first check. `_ext/in_page.py` puts all of it into the book.
"""

import base64
import filecmp
import gzip
import hashlib
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections import ChainMap
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePosixPath

import autograd
import jinja2
import markupsafe
import pooch
from fontTools.subset import Options, Subsetter, load_font, save_font

from autograder.model.catalogue import all_exercises
from autograder.model.errors import ToolError
from autograder.model.paths import BOOK, ROOT

SECONDS = 180  # for one package
COMPILE = Path(__file__).with_name("compile_for_page.mjs")
# What the field is made of: versions and hashes stand in its lock file. esbuild in WebAssembly runs on any machine.
CODEMIRROR = Path(__file__).with_name("codemirror")
BUNDLE = ("node_modules/esbuild-wasm/bin/esbuild", "codemirror.mjs", "--bundle", "--minify", "--format=esm")
# What is read as text too: a misconception is an edit of a solution, and NumPy's C code wants these docstrings.
READ = ("solutions/", "numpy/_core/multiarray.py")
BELOW = "lib/python3.12/site-packages/"
# What neither the judge nor Python's start imports, and few answers would; the page says so of an import
# (`WORDS` in `autograder/page/check_text.py`). A module that is added here must be one that no other needs.
UNUSED = frozenset(Path(__file__).with_name("not_in_page.txt").read_text(encoding="utf-8").split())
# Of the many tables of signs those that Python's start, archives and answers ask for.
ENCODINGS = ("__init__", "aliases", "ascii", "cp437", "latin_1", "unicode_escape", "utf_8")
# Of the course: what the modules of `autograder.page` import. References are needed to judge.
COURSE = (
    "autograder/__init__.py",
    "autograder/book/*.py",
    "autograder/frameworks/*.py",
    "autograder/html/*.py",
    "autograder/html/templates/verdict.html",
    "autograder/judge/*.py",
    "autograder/checking/*.py",
    "autograder/diagnose/*.py",
    "autograder/page/*.py",
    "autograder/read/__init__.py",
    "autograder/read/syntax.py",
    "autograder/model/*.py",
    "autograder/sandbox/*.py",
    "course/__init__.py",
    "course/frameworks.py",
    "course/gpt/__init__.py",
    "course/gpt/model_of_parts.py",
    "course/gpt/write_with.py",
    "course/data/__init__.py",
    "course/data/prose.py",
    "exercises/*.py",
    "exercises/*.toml",
    "solutions/__init__.py",
    "solutions/*/__init__.py",
    "solutions/*/in_numpy.py",
    "solutions/*/common.py",
)


# What answers in PyTorch need more, and are loaded for them alone, with the solutions on which an exercise builds. Of
# autograd, what others of its modules import and a gradient does not need is empty.
TORCH, TORCH_ARCHIVE = "course/page_torch/**/*.py", "torch.zip.bin"
IMPORTED = re.compile(r"^from solutions\.(\w+)\.in_torch", re.MULTILINE)
NOT_OF_AUTOGRAD = ("scipy", "misc", "test_util.py", "differential_operators.py")
EMPTY_OF_AUTOGRAD = (
    "autograd/__init__.py",
    "autograd/numpy/fft.py",
    "autograd/numpy/linalg.py",
    "autograd/numpy/numpy_jvps.py",
)


@dataclass(frozen=True)
class Package:
    """A package of npm by its version and the hash of its archive (as npm writes it: sha512, base64)."""

    name: str
    version: str
    integrity: str

    @property
    def key(self) -> str:
        """Return the name of its folder in the cache; another hash, choice of modules, or way to compile is another folder."""
        identity = f"{self.name}@{self.version} {self.integrity} {sorted(UNUSED)} {ENCODINGS}".encode()
        return hashlib.sha256(identity + COMPILE.read_bytes()).hexdigest()[:16]


# The one place that names Pyodide's version. It goes with NUMPY below, which is built for one Python and one
# Emscripten. Tried in 2026-11: 314.0.7, with Python 3.14.2 and Emscripten 5.0.3. Python starts, and compiles the
# course's code without a warning, but there is no NumPy for it: npm has @emscripten-forge/numpy for Python 3.11
# and 3.12, whose modules 3.14 does not find; PyPI takes such wheels (pyemscripten_2026_0_wasm32, PEP 783) and has
# none of NumPy; the wheel that Pyodide's own list names, numpy-2.4.6, is neither on npm nor on PyPI. 0.28 and
# 0.29 (Python 3.13) have none either. When there is one: pyodide.asm.js is pyodide.asm.mjs in 314, and
# `_unpack_numpy` and BELOW read another archive.
PYODIDE = Package(
    "pyodide",
    "0.27.7",
    "sha512-RUSVJlhQdfWfgO9hVHCiXoG+nVZQRS5D9FzgpLJ/VcgGBLSAKoPL8kTiOikxbHQm1kRISeWUBdulEgO26qpSRA==",
)
PACKED_OF_PYODIDE = ("pyodide.asm.wasm", "python_stdlib.zip")
PYODIDE_FILES = ("pyodide.mjs", "pyodide.asm.js", "pyodide-lock.json", *PACKED_OF_PYODIDE)
# What a page loads before its first check; what is packed is unpacked by its worker.
LOADED = (
    *(f"{name}.bin" if name in PACKED_OF_PYODIDE else name for name in PYODIDE_FILES),
    "numpy.zip.bin",
    "course.zip.bin",
)
# A conda package in a tar, built for the Emscripten of Pyodide 0.27.
NUMPY = Package(
    "@emscripten-forge/numpy",
    "2.0.1-py312h4e66579-0",
    "sha512-64iP3tolNhBnKJBHs2b5Mg9s17BL8Bp9Ev2+U0fSCO3/zQlWQRCrExw2MgmfwjhNz+mwbKPG2eBsBcpBWV2xbA==",
)

# The faces of the book (OFL-1.1), each with the one file of it that holds Latin letters and the signs of a formula.
FONTS = (
    (
        Package(
            "@fontsource-variable/source-serif-4",
            "5.3.1",
            "sha512-4Rtay22SC4lMvw11r/+9kxANB6P3M0X8s1NudBC2v0J1KU2y3DcMoNcT3lBoZ/CqLirzf+StlO6UlJilyrvaUg==",
        ),
        ("source-serif-4-latin-wght-normal.woff2",),
    ),
    (  # one weight, less than half as large: hardly a word is slanted and bold
        Package(
            "@fontsource/source-serif-4",
            "5.3.1",
            "sha512-cWcTCXjYYrgF9A67fThVir1VSc0lPEYmwQ6jA4pPt01s2MSCi/maINUcZoCzaqnU8fyUReDO97eGcBUkHgOeug==",
        ),
        ("source-serif-4-latin-400-italic.woff2",),
    ),
    (
        Package(
            "@fontsource-variable/source-sans-3",
            "5.3.1",
            "sha512-u0p5Z/PM2e1uxYOMiodLM6NVzxHwULcB6Oi7QSr2WU/sdoLBFP/BeOZ3YYHeJ6rHsjPZA1nZweZVaV7sf2MAyQ==",
        ),
        ("source-sans-3-latin-wght-normal.woff2",),
    ),
    (
        Package(
            "@fontsource-variable/atkinson-hyperlegible-mono",
            "5.3.0",
            "sha512-0IbthhO18EEpLe69h+cmrsxCkl4yk80gMk+fAN3+9M5zQvoR1JlkzoJRR6U9/UXLYpVBGEXu+Md2LO8TIp30dw==",
        ),
        ("atkinson-hyperlegible-mono-latin-wght-normal.woff2",),
    ),
)

# Of the ways in which letters change in a row: their distances, ligatures, and figures of one width.
KEPT_OF_FONTS = {"layout_features": ["kern", "liga", "tnum"], "drop_tables": ["FFTM"]}

# When what was practised in a page comes back. The page loads it as a script, which works without a server.
FSRS = (
    Package(
        "ts-fsrs",
        "5.4.2",
        "sha512-z4qop4pzTcyTzuJ566d9EaX/4bZZzhYfeaPImfVr+xcYT65c5oBgFDijUhCE/D+C78eaolHIhKRZ04/RwF+v2g==",
    ),
    ("index.umd.js",),
)

NOTICE = f"""What the checks in the book's pages load, and its licences:

Pyodide {PYODIDE.version} (https://github.com/pyodide/pyodide), MPL-2.0, with Python (PSF licence)
NumPy {NUMPY.version} (https://numpy.org/doc/stable/license.html), BSD-3-Clause
Jinja and MarkupSafe (https://palletsprojects.com), BSD-3-Clause
autograd (https://github.com/HIPS/autograd), MIT
CodeMirror 6 with Lezer (https://codemirror.net), MIT
The course's own code, Apache-2.0
"""


def copy_assets(folder: Path) -> None:
    """Write everything that the page's worker loads into `folder`; what is there already stays.

    Raises ToolError, with a sentence, where npm is missing, does not answer, or sends another file.
    """
    pyodide, numpy = _cached(PYODIDE, _unpack_pyodide), _cached(NUMPY, _unpack_numpy)
    folder.mkdir(parents=True, exist_ok=True)
    for name in LOADED[:-1]:
        copy((numpy if name == "numpy.zip.bin" else pyodide) / name, folder / name)
    copy(_compiled("course", course_zip(), READ), folder / LOADED[-1])
    copy(_compiled("torch", torch_zip(), ()), folder / TORCH_ARCHIVE)
    try:
        copy(_editor() / "codemirror.mjs", folder / "codemirror.mjs")
    except ToolError as error:
        sys.stderr.write(f"The fields for answers are plain text areas: {error}.\n")
    write(folder / "NOTICE.txt", NOTICE.encode())


def loaded_bytes(folder: Path) -> tuple[int, int]:
    """Return what a page loads before its first check, from a server that compresses scripts, and how much of it the worker counts."""
    scripts, counted = (
        [(folder / name).read_bytes() for name in LOADED if name.endswith("js") == is_script]
        for is_script in (True, False)
    )
    return len(gzip.compress(b"".join(scripts), 6)) + len(b"".join(counted)), len(b"".join(counted))


def copy_fonts(folder: Path) -> list[str]:
    """Write the faces of the book into `folder`; the names of their files, with their licences beside them.

    Raises ToolError, with a sentence, where npm is missing, does not answer, or sends another file.
    """
    return [name for font in FONTS for name in _copied(folder, font[0], {name: name for name in font[1]})]


def shorten_font(path: Path, folder: Path, characters: Iterable[str]) -> None:
    """Write a font without what the book does not show: other signs, and other forms of its letters."""
    text = "".join(sorted(set(characters)))
    key = hashlib.sha256(path.read_bytes() + f"{text}{KEPT_OF_FONTS}".encode()).hexdigest()[:16]
    copy(_cached_folder(key, lambda _, target: _subset(path, text, target)) / path.name, folder / path.name)


def _subset(path: Path, text: str, folder: Path) -> None:
    options = Options(**KEPT_OF_FONTS)
    font, subsetter = load_font(str(path), options), Subsetter(options)
    options.flavor = font.flavor
    subsetter.populate(text=text)
    subsetter.subset(font)
    save_font(font, str(folder / path.name), options)


def copy_fsrs(folder: Path) -> None:
    """Write `ts-fsrs.js` into `folder`, with its licence beside it. Raises ToolError as `copy_fonts` does."""
    _copied(folder, FSRS[0], {FSRS[1][0]: "ts-fsrs.js"})


def copy(path: Path, target: Path) -> None:
    """Copy a file into the book, unless it is there already with the same content."""
    if not (target.is_file() and filecmp.cmp(path, target, shallow=False)):
        shutil.copyfile(path, target)


def write(path: Path, content: bytes) -> None:
    """Write a file of the book, unless it is there already with this content."""
    if not (path.is_file() and path.read_bytes() == content):
        path.write_bytes(content)


def _copied(folder: Path, package: Package, files: Mapping[str, str]) -> tuple[str, ...]:
    """Write files of a package into a folder, with its licence; gives their names. files: new names by old ones."""
    folder.mkdir(parents=True, exist_ok=True)
    cached = _cached(package, partial(_unpack, names=(*files, "LICENSE")))
    for name, new in {**files, "LICENSE": f"{PurePosixPath(package.name).name}-LICENSE.txt"}.items():
        copy(cached / name, folder / new)
    return tuple(files.values())


def course_zip() -> bytes:
    """Return the course's code for the page, with Jinja, as one archive. The same sources give the same bytes."""
    files = {path.relative_to(ROOT).as_posix(): path for pattern in COURSE for path in ROOT.glob(pattern)}
    files["_toc.yml"] = BOOK / "_toc.yml"
    for library in (jinja2, markupsafe):
        place = Path(library.__path__[0])
        files |= {f"{place.name}/{path.name}": path for path in place.glob("*.py")}
    return _zip({name: path.read_bytes() for name, path in files.items() if _is_needed(PurePosixPath(name))})


def torch_zip() -> bytes:
    """Return what stands in for PyTorch in the page, with autograd, as one archive."""
    place = Path(autograd.__path__[0])
    files = {path.relative_to(ROOT).as_posix(): path.read_bytes() for path in ROOT.glob(TORCH)}
    for topic in {topic for exercise in all_exercises().values() for topic in exercise.builds_on}:
        files |= _solution(topic)
    for path in place.rglob("*.py"):
        if path.relative_to(place).parts[0] not in NOT_OF_AUTOGRAD:
            files[path.relative_to(place.parent).as_posix()] = path.read_bytes()
    return _zip(files | dict.fromkeys(EMPTY_OF_AUTOGRAD, b""))


def _solution(topic: str) -> dict[str, bytes]:
    """Return the solutions of a topic in PyTorch, with those that they import."""
    name = f"solutions/{topic}/in_torch.py"
    text = (ROOT / name).read_text(encoding="utf-8")
    others = (_solution(other) for other in IMPORTED.findall(text))
    return dict(ChainMap({name: text.encode()}, *others))


def _zip(files: Mapping[str, bytes]) -> bytes:
    """Return files by their names as an archive: the same files give the same bytes."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, content in sorted(files.items()):
            archive.writestr(zipfile.ZipInfo(name), content)
    return packed.getvalue()


def _compiled(name: str, sources: bytes, read: Iterable[str]) -> Path:
    """Return an archive with compiled modules, in the cache; compiled where a source has changed. read: as READ has it."""
    digest = hashlib.sha256(sources + COMPILE.read_bytes()).hexdigest()[:16]
    target = _cached(PYODIDE, _unpack_pyodide).with_name(f"{name}-{digest}.zip.bin")
    if not target.is_file():
        with tempfile.TemporaryDirectory(dir=target.parent) as scratch:
            archive = Path(scratch, f"{name}.zip")
            archive.write_bytes(sources)
            _compile(archive, _cached(PYODIDE, _unpack_pyodide), read)
            for old in target.parent.glob(f"{name}-*.zip*"):
                old.unlink(missing_ok=True)
            _packed(archive).rename(target)
    return target


def _compile(archive: Path, pyodide: Path, read: Iterable[str] = READ) -> None:
    """Compile an archive's modules in place."""
    compiled = archive.with_suffix(".compiled")
    run_node(archive.name, COMPILE, pyodide, archive, compiled, *read)
    compiled.replace(archive)


def _packed(path: Path) -> Path:
    """Return a file compressed, beside it. Few hosts compress an archive, and one stream is smaller than its members."""
    packed = path.with_name(f"{path.name}.bin")
    packed.write_bytes(gzip.compress(path.read_bytes(), mtime=0))
    return packed


def run_node(what: str, *command: str | Path, folder: Path | None = None) -> None:
    """Run a script of node. Raises ToolError where that is missing or does not compile `what`."""
    node = shutil.which("node")
    if node is None:
        raise ToolError("node is not installed")
    try:
        done = subprocess.run(
            [node, *map(str, command)],
            cwd=folder,
            stdin=subprocess.DEVNULL,  # esbuild would wait for more
            capture_output=True,
            text=True,
            timeout=SECONDS,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ToolError(f"node did not compile {what}: {type(error).__name__}") from error
    if done.returncode:
        lines = done.stderr.strip().splitlines()
        raise ToolError(f"node did not compile {what}: {lines[-1] if lines else 'it gives no reason'}")


def _cached(package: Package, unpack: Callable[[bytes, Path], None]) -> Path:
    """Return the folder of a package's files in the cache; fetched and unpacked the first time."""
    return _cached_folder(package.key, lambda scratch, target: unpack(_fetched(package, scratch), target))


def _editor() -> Path:
    """Return the folder with CodeMirror as one module; fetched and bundled the first time."""
    sources = sorted(CODEMIRROR.glob("*.*"))
    key = hashlib.sha256(b"".join(path.read_bytes() for path in sources) + " ".join(BUNDLE).encode())
    return _cached_folder(key.hexdigest()[:16], partial(_bundle, sources))


def _bundle(sources: Iterable[Path], scratch: Path, target: Path) -> None:
    for path in sources:
        shutil.copy(path, scratch)
    _run_npm("CodeMirror", scratch, "ci", "--ignore-scripts", "--no-audit", "--no-fund")
    run_node("CodeMirror", *BUNDLE, f"--outfile={target / 'codemirror.mjs'}", folder=scratch)


def _cached_folder(key: str, make: Callable[[Path, Path], None]) -> Path:
    """Return a folder of the cache; where it is not there, `make` fills it, with a folder for what is thrown away."""
    cache = Path(os.environ.get("ATTENTION_DATA") or pooch.os_cache("attention-side-by-side"))
    folder = cache / "in_page" / key
    if folder.is_dir():
        return folder
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent) as scratch:
        target = Path(scratch) / "target"
        target.mkdir()
        make(Path(scratch), target)
        try:
            target.rename(folder)
        except OSError:  # another build was faster
            if not folder.is_dir():
                raise
    return folder


def _fetched(package: Package, folder: Path) -> bytes:
    """Fetch the archive of a package from npm, and compare its hash."""
    name = f"{package.name}@{package.version}"
    _run_npm(package.name, folder, "pack", name, "--json", f"--pack-destination={folder}")
    archives = list(folder.glob("*.tgz"))
    if len(archives) != 1:
        raise ToolError(f"npm sent {len(archives)} archives in place of one for {package.name}")
    archive = archives[0].read_bytes()
    digest = base64.b64encode(hashlib.sha512(archive).digest()).decode()
    if f"sha512-{digest}" != package.integrity:
        raise ToolError(f"{package.name} {package.version} from npm has another hash than it must have")
    return archive


def _run_npm(what: str, folder: Path, *command: str) -> None:
    """Run npm's client in a folder. Raises ToolError where it is missing or does not send `what`."""
    npm = shutil.which("npm")
    if npm is None:
        raise ToolError("npm is not installed")
    options = ["--loglevel=error", "--fetch-retries=1", "--fetch-timeout=60000"]
    try:
        done = subprocess.run(
            [npm, *command, *options], cwd=folder, capture_output=True, text=True, timeout=SECONDS
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ToolError(f"npm did not send {what}: {type(error).__name__}") from error
    if done.returncode:
        lines = [line for line in done.stderr.splitlines() if line.startswith("npm error")]
        raise ToolError(f"npm did not send {what}: {lines[0] if lines else 'it gives no reason'}")


def _unpack(archive: bytes, folder: Path, names: tuple[str, ...]) -> None:
    """Unpack the files of these names, in whatever folder of the archive they lie."""
    for path, content in _members(archive):
        if PurePosixPath(path).name in names:
            (folder / PurePosixPath(path).name).write_bytes(content)
    if missing := [name for name in names if not (folder / name).is_file()]:
        raise ToolError(f"the package from npm holds no {missing[0]}")


def _unpack_pyodide(archive: bytes, folder: Path) -> None:
    """Unpack the files that a page loads, without maps, types and the console; the list of packages is left empty."""
    _unpack(archive, folder, PYODIDE_FILES)
    lock = folder / "pyodide-lock.json"
    lock.write_text(
        json.dumps(json.loads(lock.read_text(encoding="utf-8")) | {"packages": {}}), encoding="utf-8"
    )
    library = folder / "python_stdlib.zip"
    with zipfile.ZipFile(library) as whole:
        _write_needed(library, {name: whole.read(name) for name in whole.namelist()}.items())
    _compile(library, folder)
    for name in PACKED_OF_PYODIDE:
        _packed(folder / name)


def _unpack_numpy(archive: bytes, folder: Path) -> None:
    """Write NumPy as a zip of its packages, without what a page does not need."""
    inner = next((content for name, content in _members(archive) if name.endswith(".tar.gz")), None)
    if inner is None:
        raise ToolError(f"{NUMPY.name} {NUMPY.version} holds no archive of NumPy")
    members = _members(inner)
    numpy = folder / "numpy.zip"
    _write_needed(
        numpy, ((name.removeprefix(BELOW), c) for name, c in members if name.startswith(f"{BELOW}numpy/"))
    )
    _compile(numpy, _cached(PYODIDE, _unpack_pyodide))
    _packed(numpy)


def _write_needed(archive: Path, members: Iterable[tuple[str, bytes]]) -> None:
    """Write an archive of those modules that a page needs; those that hold nothing but docstrings are empty."""
    with zipfile.ZipFile(archive, "w") as written:
        for name, content in members:
            if name.endswith((".py", ".so")) and _is_needed(PurePosixPath(name)):
                written.writestr(zipfile.ZipInfo(name), b"" if "/_add_newdocs" in name else content)


def _is_needed(path: PurePosixPath) -> bool:
    module = path.parent / path.name.partition(".")[0]
    is_unused = not UNUSED.isdisjoint(map(str, (module, *module.parents))) or "tests" in path.parts
    is_encoding = path.parent.name != "encodings" or module.name in ENCODINGS
    return is_encoding and not is_unused


def _members(archive: bytes) -> Iterator[tuple[str, bytes]]:
    """Yield the files of a tar archive by their names. Nothing is written."""
    with tarfile.open(fileobj=io.BytesIO(archive)) as opened:
        for member in opened:
            file = opened.extractfile(member) if member.isfile() else None
            if file is not None:
                yield member.name, file.read()
