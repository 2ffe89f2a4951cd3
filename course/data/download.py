"""Files that are downloaded once: where they are kept, how they are checked, and what is said if it fails."""

import errno
import os
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from autograder.model.paths import shared_data

if TYPE_CHECKING:
    import requests

SECONDS = 30  # that a server may take to answer
# Writes what is at an address to a path; pooch passes a third argument, which may be ignored.
Downloader = Callable[[str, Any, Any], object]


@cache
def _pooch() -> Any:
    """Import the library that downloads and checks: with `requests` that takes a quarter of a second."""
    with (
        warnings.catch_warnings()
    ):  # it imports tqdm where it is, which warns in a notebook without ipywidgets
        warnings.simplefilter("ignore")
        import pooch
    return pooch


class DataError(Exception):
    """The data cannot be had; the message says why, and what to do."""


@dataclass(frozen=True)
class Collection:
    """Files that are kept in one folder.

    folder: below the cache, which is `ATTENTION_DATA` or a folder in the user's own cache
    shared: below the folder that several copies of the course share, which is only read
    megabytes: how much room the files need
    """

    folder: str
    shared: str
    megabytes: int

    def cache(self) -> Path:
        """Return where downloads are kept."""
        return (
            Path(os.environ.get("ATTENTION_DATA") or _pooch().os_cache("attention-side-by-side"))
            / self.folder
        )

    def find(self, name: str, sha256: str) -> Path | None:
        """Return the path of a file that is on this machine and whole; None if it must be downloaded."""
        for folder in (self.cache(), *shared_data(self.shared)):
            try:
                if (folder / name).is_file() and _pooch().file_hash(str(folder / name)) == sha256:
                    return folder / name
            except OSError:
                continue
        return None

    def fetch(
        self, name: str, sha256: str, address: str, by_hand: str, downloader: Downloader | None = None
    ) -> Path:
        """Return the path of a file; it is downloaded if it is not on this machine.

        address: where it comes from, without its name
        by_hand: a sentence on what to do where the download fails
        downloader: over HTTP if none is given
        Raises DataError when it cannot be downloaded or kept, or when its hash is another one.
        """
        if (path := self.find(name, sha256)) is not None:
            return path
        import requests

        pooch = _pooch()
        pooch.get_logger().setLevel("ERROR")
        try:
            self.cache().mkdir(parents=True, exist_ok=True)
            file = pooch.retrieve(
                f"{address}/{name}",
                known_hash=f"sha256:{sha256}",
                fname=name,
                path=self.cache(),
                downloader=downloader or pooch.HTTPDownloader(timeout=SECONDS),
            )
        except requests.exceptions.RequestException as error:
            raise DataError(f"{_no_answer(name, address, error)} {by_hand}") from error
        except ValueError as error:
            raise DataError(
                f"{name} from {address} has another SHA-256 than it must have and was deleted: "
                "it was changed on the way, or it is another file. Try again, or use another network."
            ) from error
        except OSError as error:
            raise DataError(self._not_kept(name, error)) from error
        return Path(file)

    def _not_kept(self, name: str, error: OSError) -> str:
        full = error.errno in (errno.ENOSPC, errno.EDQUOT)
        cause = f"the disk is full: {self.megabytes} MB are needed" if full else error.strerror or str(error)
        return f"{name} cannot be kept in {self.cache()}: {cause}. Set ATTENTION_DATA to another folder."


def _no_answer(name: str, address: str, error: "requests.exceptions.RequestException") -> str:
    """Return why a server did not send a file, as a sentence."""
    import requests

    if isinstance(error, requests.exceptions.HTTPError):
        status = error.response.status_code if error.response is not None else "no status"
        return f"{name} cannot be downloaded: {address} answers {status}."
    if isinstance(error, requests.exceptions.ConnectionError | requests.exceptions.Timeout):
        return f"{name} is needed once from {address}, which cannot be reached."
    return f"{name} cannot be downloaded from {address}: {error}."
