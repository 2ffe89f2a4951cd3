"""Which files are notebooks and which are Python, whatever they are called, and how their bytes become text."""

import codecs
import io
import re
import tokenize
from pathlib import PurePosixPath

from autograder.model.errors import Unreadable

SUFFIXES = (".ipynb", ".py")
# Endings under which a notebook, or a Python file, is handed in besides: a browser or an editor has put them there.
OTHER = (".txt", ".json")
# Of a file of such a name so many bytes are looked at.
HEAD = 64 << 10
NOTEBOOK = re.compile(r'\s*\{.*?"(?:cells|nbformat|worksheets)"\s*:', re.DOTALL)
BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
# Encodings of characters, as Python calls them; others, such as punycode, compute, and one takes a square of the time.
CHARACTERS = re.compile(
    r"ascii|utf[-_]?(?:8|16|32)\b.*|(?:cp\d|iso8859|iso2022|latin|koi8|mac[-_]|kz1048|ptcp154|tis[-_]?620|hp[-_]roman|"
    r"gb|big5|euc[-_]|shift[-_]jis|johab|hz).*"
)


def is_submission(name: str, head: bytes) -> bool:
    """Return whether a file is a notebook or Python, by its name and by the bytes that it begins with."""
    lower = name.lower()
    if lower.endswith(SUFFIXES):
        return True
    return lower.endswith(OTHER) and (lower.endswith(".py.txt") or _begins_as_a_notebook(head[:HEAD]))


def ending_of(name: str) -> str:
    """Return the ending of a file's name that says how it is read, in small letters."""
    return ".py.txt" if name.lower().endswith(".py.txt") else PurePosixPath(name.lower()).suffix


def is_notebook(name: str, text: str) -> bool:
    """Return whether a text is read as a notebook: by its file's name, or since it is one."""
    lower = name.lower()
    is_named = lower.endswith((".ipynb", ".json"))
    return is_named or (not lower.endswith(".py.txt") and NOTEBOOK.match(text[:HEAD]) is not None)


def decoded(data: bytes, name: str) -> str:
    """Return the text of a file: by its byte-order mark, a Python file by its coding line (PEP 263), or as UTF-8.

    Raises Unreadable, with a sentence.
    """
    encoding = _encoding_of(data, name)
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        description = "UTF-8" if encoding.startswith("utf-8") else f"{encoding}, as its beginning says,"
        why = f"is not {description} text (byte {error.start}): save it again as UTF-8."
        raise Unreadable(why.replace(", text", "")) from error


def _encoding_of(data: bytes, name: str) -> str:
    if encoding := next((e for bom, e in BYTE_ORDER_MARKS if data.startswith(bom)), None):
        return encoding
    if name.lower().endswith(".ipynb"):
        return "utf-8"
    try:
        coding, _ = tokenize.detect_encoding(io.BytesIO(data[:HEAD]).readline)
    except SyntaxError as error:
        # That a line is no UTF-8 is said with its place.
        if "unknown encoding" in str(error):
            raise Unreadable("names an unknown encoding: save it again as UTF-8.") from error
        return "utf-8"
    if not CHARACTERS.fullmatch(codecs.lookup(coding).name):
        raise Unreadable(f"names the encoding {coding}, in which no file is read: save it again as UTF-8.")
    return coding


def _begins_as_a_notebook(head: bytes) -> bool:
    encoding = next((e for bom, e in BYTE_ORDER_MARKS if head.startswith(bom)), "utf-8")
    return NOTEBOOK.match(head.decode(encoding, "replace")) is not None
