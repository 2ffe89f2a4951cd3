"""The cell with which each learner's copy begins: how it is written, and how it is known again among what is handed in."""

import re
from functools import cache

# The course's package, as a teacher may hand it out beside the notebooks.
WHEEL = "attention_side_by_side-*.whl"
WHAT = "# Installs the course where it is missing, as on Colab and Kaggle. Elsewhere this cell does nothing."
IMPORTS = ("from importlib.util import find_spec", "from pathlib import Path")
STATEMENT = """\
if not all(map(find_spec, [{names}])):
    package = next(Path().glob("{wheel}"), {address})
{condition}    %pip install --quiet {packages}
    Path("progress.json").touch()  # keeps what you have passed"""
WITHOUT_ADDRESS = f"""\
    assert package, (
        "The course is missing here, or a library that it needs. Put its package, {WHEEL.replace("*", "…")}, beside "
        "this notebook and run this cell again, or type in a terminal what your teacher gave you for installing it "
        "(in a copy of the whole course: `pip install '.[learn]'` in the course's folder)."
    )
"""
# The line of pip as it is read here, as it is written, and in scripts that Jupyter exports.
PIP = r"(?:pass|%pip [^\n;]*|get_ipython\(\)\.run_line_magic\('pip', ['\"][\w {}.-]*['\"]\))"
# What may stand in the place of each part that differs from copy to copy.
PARTS = {
    "{names}": r'"\w+"(?:, "\w+")*',
    "{wheel}": re.escape(WHEEL),
    "{address}": r'(?:None|"git\+\w+://[\w:/.~-]+")',
    "{condition}": r'(?:    assert package, \(\n(?: {8}"[^"\n]*"\n)+    \)\n)?',  # whatever it advises
    "%pip install --quiet {packages}": PIP,
}


def install_source(address: str, libraries: dict[str, str]) -> str:
    """Return the source of the cell.

    address: of the course's repository; empty if nobody knows it. libraries: what the copy needs beside the course,
    as pip calls it, by the names under which it is imported.
    """
    statement = STATEMENT.format(
        names=", ".join(f'"{name}"' for name in ["autograder", *libraries]),
        wheel=WHEEL,
        address=f'"git+{address}"' if address else None,
        condition="" if address else WITHOUT_ADDRESS,
        packages=" ".join(["{package}", *libraries.values()]),
    )
    return "\n".join([WHAT, *IMPORTS, "", statement])


def is_of_the_install_cell(statement: str) -> bool:
    """Return whether the text of a statement is one of that cell's, and nothing else is in it."""
    return statement in IMPORTS or _pattern().fullmatch(statement) is not None


@cache
def _pattern() -> re.Pattern[str]:
    pattern = re.escape(STATEMENT)
    for part, stands_for in PARTS.items():
        pattern = pattern.replace(re.escape(part), stands_for)
    return re.compile(pattern)
