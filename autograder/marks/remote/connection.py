"""What another system offers, and how it is reached: by what the environment says, and as slowly as it asks for."""

import os
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol
from urllib.parse import urlsplit

import requests
from requests.adapters import HTTPAdapter

from autograder.marks.exports.people import Person
from autograder.model.errors import UsageError

# Too many requests, or none that can be answered now; Canvas's own word for it came with 403 for years.
BUSY, THROTTLED = (429, 502, 503, 504), "Rate Limit Exceeded"
# Seconds before each further attempt, where the server says none; the longest that it is obeyed; for one answer.
WAITS, LONGEST, PATIENCE = (1, 2, 4, 8, 16), 120, 60
# A machine of one's own, which a token reaches without a network.
HERE = ("127.0.0.1", "localhost", "::1")


@dataclass(frozen=True)
class Participant:
    """A learner's place in an assignment of another system.

    number: the system's, of the person. mark: what is there, before what the system takes off itself; None if nothing.
    held: why nothing may be written there, as words; empty if it may.
    """

    number: str
    person: Person
    mark: float | None
    held: str = ""


@dataclass(frozen=True)
class HandedIn:
    """A file that a learner has handed in. name: below the folder. size: in bytes."""

    name: str
    address: str
    size: int
    when: datetime


class RemoteAssignment(Protocol):
    """An assignment of another system.

    title: the system's name. where: what tells the assignment from all others. most: its maximum, if it has one.
    """

    title: str
    where: str
    most: float | None

    def places(self) -> list[Participant]:
        """Everybody in it, with the marks that are there."""

    def mark_now(self, place: Participant) -> float | None:
        """The mark that is there at this moment."""

    def put(self, place: Participant, mark: float) -> float | None:
        """Write a mark; gives what is there afterwards."""

    def handed_in(self) -> Iterable[HandedIn]:
        """The files that count there now."""

    def fetched(self, file: HandedIn) -> Any:
        """The answer of a request for a file, whose content is still to come."""


class Patient(HTTPAdapter):
    """Waits and asks again where a server is busy; asking twice does no harm in what is asked here."""

    def send(self, request: Any, **options: Any) -> Any:  # type: ignore[override]
        options["timeout"] = options.get("timeout") or PATIENCE
        response = super().send(request, **options)
        for wait in WAITS:
            is_throttled = response.status_code == 403 and THROTTLED in response.text
            if response.status_code not in BUSY and not is_throttled:
                break
            said = response.headers.get("Retry-After", "")
            response.close()
            time.sleep(min(float(said), LONGEST) if said.isdigit() else wait)
            response = super().send(request, **options)
        return response


def patient(session: requests.Session) -> requests.Session:
    """The session, which from now on waits where it must."""
    for scheme in ("https://", "http://"):
        session.mount(scheme, Patient())
    return session


def address_and_token(system: str) -> tuple[str, str]:
    """Where a system is, and the token for it: `CANVAS_URL` and `CANVAS_TOKEN` of the environment, for Canvas.

    Raises UsageError where they are not said, or the token could be read on its way.
    """
    names = (f"{system.upper()}_URL", f"{system.upper()}_TOKEN")
    url, token = (os.environ.get(name, "").strip() for name in names)
    for name, value in zip(names, (url, token), strict=True):
        if not value:
            raise UsageError(
                f"{name} is not set. Set {names[0]} to the address of your {system} and {names[1]} to a token of "
                "yours in the environment: there no list of processes and no history of commands shows it."
            )
    parts = urlsplit(url)
    if parts.scheme != "https" and parts.hostname not in HERE:
        raise UsageError(f"{names[0]} must begin with https://, or others could read the token on its way.")
    return url.rstrip("/"), token


@contextmanager
def reached(system: str) -> Iterator[None]:
    """Raises UsageError, with a sentence, where a system cannot be reached or does not answer as it should."""
    try:
        yield
    except requests.JSONDecodeError as error:
        raise UsageError(
            f"What answers at {system.upper()}_URL is not {system}'s API: name the address of its first page."
        ) from error
    except requests.RequestException as error:
        raise UsageError(f"{system} cannot be reached: {_why(error, system)}.") from error


def _why(error: requests.RequestException, system: str) -> str:
    """Why a system cannot be reached, in words that name no address: one may open a file."""
    if error.response is not None:
        return f"it answers {error.response.status_code} {error.response.reason}".strip()
    if isinstance(error, requests.exceptions.SSLError):
        return "its certificate is not accepted"
    if isinstance(error, requests.Timeout):
        return f"no answer came within {PATIENCE} seconds"
    return f"there is no connection to the address in {system.upper()}_URL, or it broke"
