"""An assignment in Canvas, over its REST API by `canvasapi` (canvas.instructure.com/doc/api)."""

import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Any

import canvasapi
import requests
from canvasapi import exceptions

from autograder.marks.exports.people import Person
from autograder.marks.remote.connection import HandedIn, Participant, address_and_token, patient, reached
from autograder.marks.remote.pulling import safe_name, shortened
from autograder.model.errors import UsageError

# Marks that are no numbers of points.
NO_POINTS = ("pass_fail", "not_graded")
# What Canvas says of an error, in its answer as it stands, or as `canvasapi` has read it.
WORDS = re.compile(r"""(?:["']message["']: *["']|^(?=Encountered))([^"']+)""")


class Canvas:
    """An assignment of a course. course: its number. name: the assignment's, or its number."""

    title = "Canvas"

    def __init__(self, course: str, name: str) -> None:
        base, token = address_and_token(self.title)
        with _told(f"the course {course}"), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of an address that is no https: it was looked at
            canvas = canvasapi.Canvas(base, token)
            # There is no public way to the session in which canvasapi asks.
            patient(canvas._Canvas__requester._session)
            self.course = canvas.get_course(course)
            found = [a for a in self.course.get_assignments() if name in (a.name, str(a.id))]
        if len(found) != 1:
            raise UsageError(
                f"Canvas has {len(found)} assignments {name!r} in the course {course}: say --name with the name or the "
                "number of one, as its address shows it."
            )
        self.assignment = found[0]
        if getattr(self.assignment, "anonymize_students", False):
            raise UsageError(
                f"{name!r} is anonymous in Canvas, which then names nobody: use `export canvas`."
            )
        if self.assignment.grading_type in NO_POINTS:
            raise UsageError(f"{name!r} has no points in Canvas: choose points for it there.")
        self.where = f"{base} {course} {self.assignment.id}"
        self.most: float | None = self.assignment.points_possible

    def places(self) -> list[Participant]:
        """Everybody who learns in the course; the test student is nobody."""
        with _told("the list of learners"):
            people = {user.id: user for user in self.course.get_users(enrollment_type=["student"])}
            there = list(self.assignment.get_submissions())
        return [
            Participant(
                str(s.user_id),
                _person(people[s.user_id]),
                _mark(s),
                "excused in Canvas" if getattr(s, "excused", False) else "",
            )
            for s in there
            if s.user_id in people
        ]

    def mark_now(self, place: Participant) -> float | None:
        with _told(place.person.shown):
            return _mark(self.assignment.get_submission(place.number))

    def put(self, place: Participant, mark: float) -> float | None:
        with _told(place.person.shown):
            there = self.assignment.get_submission(place.number)
            return _mark(there.edit(submission={"posted_grade": f"{mark:.2f}"}))

    def handed_in(self) -> Iterator[HandedIn]:
        """The files of each latest attempt, named as in Canvas's own download."""
        with _told("what was handed in"):
            for s in self.assignment.get_submissions(include=["user"]):
                name = shortened(re.sub(r"[\W_]+", "", s.user["sortable_name"]).lower()) or "learner"
                late = "LATE_" if getattr(s, "late", False) else ""
                for file in s.attachments:
                    path = f"{name}_{late}{s.user_id}_{file.id}_{safe_name(file.display_name)}"
                    yield HandedIn(path, file.url, file.size, datetime.fromisoformat(s.submitted_at))

    def fetched(self, file: HandedIn) -> Any:
        """The address of a file holds what opens it, so the token stays here: it may be another host's."""
        with reached(self.title):
            answer = patient(requests.Session()).get(file.address, stream=True)
            answer.raise_for_status()
            return answer


def _person(user: Any) -> Person:
    """Whom the gradebook may know by what Canvas says of a user, as in its CSV."""
    login, sis = getattr(user, "login_id", None), getattr(user, "sis_user_id", None)
    names = (login or "", sis or "", str(user.id), user.sortable_name, user.name)
    return Person(names, user.sortable_name, f"Canvas {user.id}")


def _mark(submission: Any) -> float | None:
    """The points as they were entered: Canvas takes off for lateness afterwards."""
    return getattr(submission, "entered_score", getattr(submission, "score", None))


@contextmanager
def _told(what: str) -> Iterator[None]:
    """Raises UsageError, with a sentence, for what Canvas refuses. what: what was asked for."""
    with reached("Canvas"):
        try:
            yield
        except exceptions.InvalidAccessToken as error:
            raise UsageError(
                "Canvas does not take the token in CANVAS_TOKEN: make a new one there."
            ) from error
        except exceptions.RateLimitExceeded as error:
            raise UsageError("Canvas asks to wait: type the same command again later; it goes on.") from error
        except (exceptions.Unauthorized, exceptions.Forbidden) as error:
            raise UsageError(
                f"The token in CANVAS_TOKEN has no right to {what}: it must be one of a teacher of the course."
            ) from error
        except exceptions.ResourceDoesNotExist as error:
            raise UsageError(f"Canvas has not found {what}.") from error
        except exceptions.CanvasException as error:
            words = "; ".join(WORDS.findall(str(error.message))) or "it does not say why"
            raise UsageError(f"Canvas refuses {what}: {words.rstrip('.')}.") from error
