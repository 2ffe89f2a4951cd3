"""An assignment in Moodle, over its web services (the functions `mod_assign_…` of its module for assignments)."""

from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

import requests

from autograder.marks.exports.people import Person
from autograder.marks.remote.connection import HandedIn, Participant, address_and_token, patient, reached
from autograder.marks.remote.pulling import safe_name
from autograder.model.errors import UsageError

SERVICE = "/webservice/rest/server.php"
# Learners to ask for at once.
PAGE = 200
# What an assignment may be that its marks cannot be written by name and number, by its key in Moodle's answer.
NOT_HERE = {
    "teamsubmission": "is handed in by groups",
    "markingworkflow": "has a marking workflow",
    "blindmarking": "is anonymous",
}
RIGHTS = ("accessexception", "nopermissions", "servicenotavailable", "requireloginerror")
# How Moodle marks a text as HTML.
HTML = 1


class Moodle:
    """An assignment of a course. course: its number. name: the assignment's, or the number in its address."""

    title = "Moodle"

    def __init__(self, course: str, name: str) -> None:
        if not course.isdigit():
            raise UsageError(f"--course must be the number in the course's address, but is {course!r}.")
        self.base, self.token = address_and_token(self.title)
        self.session = patient(requests.Session())
        answer = self._ask("mod_assign_get_assignments", courseids=[course], includenotenrolledcourses=1)
        known = [a for c in answer["courses"] for a in c["assignments"]]
        found = [a for a in known if name in (a["name"], str(a["cmid"]))]
        if len(found) != 1:
            said = "".join(f" Moodle says: {w['message']}." for w in answer["warnings"])
            raise UsageError(
                f"Moodle has {len(found)} assignments {name!r} in the course {course}: say --name with the name of one, "
                f"or with the number in its address.{said}"
            )
        what = [words for key, words in NOT_HERE.items() if found[0].get(key)]
        what += ["has a scale in the place of points"] if found[0]["grade"] <= 0 else []
        if what:
            raise UsageError(f"{name!r} {what[0]} in Moodle: use the worksheet and `export moodle`.")
        self.number = found[0]["id"]
        self.where = f"{self.base} {course} {self.number}"
        self.most: float | None = found[0]["grade"]

    def places(self) -> list[Participant]:
        """Everybody who may hand in."""
        marks, numbers = self._marks(), self._numbers()
        return [
            Participant(str(p["id"]), _person(p, numbers.get(p["id"])), marks.get(p["id"]))
            for p in self._participants()
        ]

    def _numbers(self) -> dict[int, int]:
        """By the person's number the participant's, which downloads and worksheets hold; of whom Moodle has given one."""
        answer = self._ask("mod_assign_get_user_mappings", assignmentids=[self.number])
        return {m["userid"]: m["id"] for a in answer["assignments"] for m in a["mappings"]}

    def _participants(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        while True:
            given = {"groupid": 0, "filter": "", "skip": len(found), "limit": PAGE, "includeenrolments": 0}
            page = self._ask("mod_assign_list_participants", assignid=self.number, **given)
            found += page
            if len(page) < PAGE:
                return found

    def _marks(self) -> dict[int, float]:
        """By the person's number the mark of the latest attempt; -1 is Moodle's word for none."""
        answer = self._ask("mod_assign_get_grades", assignmentids=[self.number])
        grades = [g for a in answer["assignments"] for g in a["grades"]]
        return {g["userid"]: mark for g in grades if g["grade"] and (mark := float(g["grade"])) >= 0}

    def mark_now(self, place: Participant) -> float | None:
        return self._marks().get(int(place.number))

    def put(self, place: Participant, mark: float) -> float | None:
        """A comment that is there is sent back with the mark: Moodle deletes one that is not."""
        comment = self._comment(place)
        self._ask(
            "mod_assign_save_grade",
            **{"assignmentid": self.number, "userid": place.number, "grade": f"{mark:.2f}"},
            **{"attemptnumber": -1, "addattempt": 0, "workflowstate": "", "applytoall": 0},
            plugindata={"assignfeedbackcomments_editor": {"text": comment, "format": HTML}},
        )
        return self.mark_now(place)

    def _comment(self, place: Participant) -> str:
        asked = {"assignid": self.number, "userid": place.number}
        feedback = self._ask("mod_assign_get_submission_status", **asked).get("feedback") or {}
        texts = [
            field["text"]
            for plugin in feedback.get("plugins", [])
            for field in plugin.get("editorfields", [])
            if plugin["type"] == "comments"
        ]
        comment: str = next(iter(texts), "")
        if "pluginfile.php" in comment:
            raise UsageError(
                f"The comment on {place.person.shown} in Moodle holds a file, which would be lost: write this mark there."
            )
        return comment

    def handed_in(self) -> Iterator[HandedIn]:
        """The files of each latest attempt that was handed in: a folder for each learner, named as in Moodle's own download.

        Its number stands there if everybody has one; otherwise the name, or what tells learners of one name apart.
        """
        people, numbers = {p["id"]: p for p in self._participants()}, self._numbers()
        answer = self._ask("mod_assign_get_submissions", assignmentids=[self.number], status="submitted")
        found = [s for a in answer["assignments"] for s in a["submissions"] if s["userid"] in people]
        times = Counter(people[s["userid"]]["fullname"] for s in found)
        for submission in found:
            who = people[submission["userid"]]
            name = safe_name(who["fullname"] if times[who["fullname"]] == 1 else _names(who)[0])
            if all(s["userid"] in numbers for s in found):
                name = f"{safe_name(who['fullname'])}_{numbers[who['id']]}_assignsubmission_file"
            for path, file in _files(submission):
                when = datetime.fromtimestamp(file["timemodified"], UTC)
                yield HandedIn(f"{name}/{path}", file["fileurl"], file["filesize"], when)

    def fetched(self, file: HandedIn) -> Any:
        """The token goes into the request's body, and to no other host: an address may be logged."""
        if not file.address.startswith(f"{self.base}/"):
            raise UsageError(
                f"Moodle names a file at another address than {self.base}: set MOODLE_URL to it."
            )
        return self._posted(file.address, {"token": self.token}, stream=True)

    def _ask(self, function: str, **given: Any) -> Any:
        """What a function answers. Raises UsageError, with Moodle's words, for what it refuses."""
        data = {"wstoken": self.token, "wsfunction": function, "moodlewsrestformat": "json", **_flat(given)}
        with reached(self.title):
            answer = self._posted(f"{self.base}{SERVICE}", data).json()
        if not isinstance(answer, dict) or "exception" not in answer:
            return answer
        code, words = answer.get("errorcode", ""), answer.get("message", "")
        if code == "invalidtoken":
            raise UsageError("Moodle does not take the token in MOODLE_TOKEN: make a new one there.")
        if code in RIGHTS:
            raise UsageError(
                f"The token in MOODLE_TOKEN has no right to {function}: its service must hold this function, and its "
                f"user teach the course. Moodle says: {words}"
            )
        raise UsageError(f"Moodle refuses {function}: {words} ({code})")

    def _posted(self, address: str, data: Mapping[str, Any], stream: bool = False) -> Any:
        with reached(self.title):
            # A redirection would carry the token to where it leads.
            answer = self.session.post(address, data=data, stream=stream, allow_redirects=False)
            if answer.is_redirect:
                raise UsageError("MOODLE_URL leads to another address: set it to that one.")
            answer.raise_for_status()
            return answer


def _names(participant: Mapping[str, Any]) -> list[str]:
    """What a learner may be called, the surest first; what everybody has tells two of one name apart."""
    sure = [participant.get(key) or "" for key in ("email", "idnumber")]
    return [*filter(None, sure), f"{participant['fullname']} {participant['id']}"]


def _person(participant: Mapping[str, Any], number: int | None) -> Person:
    names = (*_names(participant), participant.get("username") or "", participant["fullname"])
    return Person(names, participant["fullname"], f"Moodle {number}" if number else "")


def _files(submission: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The files of a submission with their paths, which its learner has chosen."""
    areas = (a for p in submission["plugins"] if p["type"] == "file" for a in p.get("fileareas", []))
    for file in (f for area in areas if area["area"] == "submission_files" for f in area.get("files", [])):
        parts = [*file["filepath"].split("/"), file["filename"]]
        yield "/".join(safe_name(part) for part in parts if part), file


def _flat(given: Mapping[str, Any], inside: str = "") -> dict[str, Any]:
    """Nested values under the names that PHP reads: `a[0][b]`."""
    found: dict[str, Any] = {}
    for key, value in given.items():
        name = f"{inside}[{key}]" if inside else key
        if isinstance(value, list):
            value = dict(enumerate(value))
        found |= _flat(value, name) if isinstance(value, dict) else {name: value}
    return found
