"""Tables as CSV: read in whatever encoding and with whatever separator, written so that no spreadsheet calculates."""

import csv
import io
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from autograder.model.errors import UsageError
from autograder.model.learner_files import as_usage_error
from autograder.model.text import clean
from autograder.read.encodings import BYTE_ORDER_MARKS

SEPARATORS = (",", ";", "\t")
# Excel's way to say the separator, as a first line.
SEPARATOR_LINE = re.compile(r"sep=.\r?\n", re.IGNORECASE)
# A spreadsheet takes a cell that begins like this for a formula.
FORMULA = ("=", "+", "-", "@", "＝", "＋", "－", "＠")
NUMBER = re.compile(r"[-+]?[.,]?\d[\d.,]*")
# Excel cuts off what is longer.
MAX_CELL = 32_000


def read_table(path: Path) -> tuple[list[list[str]], str, str]:
    """Return the rows of a file as they are, its separator, and its encoding. Raises UsageError if it cannot be read."""
    with as_usage_error(path, "read"):
        data = path.read_bytes()
    text, encoding = _decoded(path, data)
    if separator_line := SEPARATOR_LINE.match(text):
        text = text[separator_line.end() :]
    first = text.partition("\n")[0]
    separator = max(SEPARATORS, key=lambda separator: sum(map(len, _table(path, first, separator))))
    return _table(path, text, separator), separator, encoding


def _decoded(path: Path, data: bytes) -> tuple[str, str]:
    encodings = [encoding for bom, encoding in BYTE_ORDER_MARKS if data.startswith(bom)]
    likely = ["utf-16-be"] if data[:1] == b"\0" else ["utf-16-le"] if data[1:2] == b"\0" else []
    for encoding in encodings or likely or ["utf-8", "cp1252"]:
        try:
            return data.decode(encoding), encoding
        except UnicodeDecodeError:
            continue
    raise UsageError(
        f"{path} is not a CSV file in UTF-8, UTF-16 or Windows-1252: save it again as CSV (UTF-8)."
    )


def _table(path: Path, text: str, separator: str) -> list[list[str]]:
    """Return all rows of a text; one empty row if it is empty."""
    try:
        return list(csv.reader(io.StringIO(text, newline=""), delimiter=separator)) or [[]]
    except csv.Error as error:
        raise UsageError(f"{path} cannot be read as CSV: {error}.") from error


def number_in(text: str) -> float | None:
    """Return the number that a cell holds, with a decimal point or a comma; None if it is none."""
    if not NUMBER.fullmatch(text.strip()):
        return None
    *whole, last = re.split("[.,]", text.strip())
    return float(f"{''.join(whole)}.{last}" if whole else last)


def csv_text(rows: Sequence[Sequence[Any]]) -> str:
    """Return our own rows: every field quoted, and none that a spreadsheet would calculate."""
    return quoted([[cell_text(value) for value in row] for row in rows])


def quoted(rows: Sequence[Sequence[str]], separator: str = ",") -> str:
    """Return rows as they are, every field quoted: another system gets back what it wrote, line breaks and all."""
    output = io.StringIO()
    writer = csv.writer(output, quoting=csv.QUOTE_ALL, lineterminator="\r\n", delimiter=separator)
    writer.writerows(rows)
    return output.getvalue()


def cell_text(value: Any) -> str:
    """Return a value for a cell: one line, and no formula."""
    if isinstance(value, float):
        return f"{value:g}"
    text = clean(value, MAX_CELL)
    return f"'{text}" if text.lstrip().startswith(FORMULA) else text
