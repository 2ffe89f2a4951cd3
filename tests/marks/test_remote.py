"""`push` and `pull`, against a server on this machine that answers as Canvas's and Moodle's documentation says."""

import json
import logging
import re
import shlex
import signal
import subprocess
import sys
import threading
from contextlib import closing
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler
from urllib.parse import parse_qs, urlsplit

import pytest
from typer.testing import CliRunner

from autograder.cli.commands import app
from autograder.marks.gradebook import Gradebook
from autograder.marks.remote import connection, pushing
from autograder.marks.remote.canvas import Canvas
from autograder.marks.remote.moodle import Moodle
from autograder.marks.remote.pulling import safe_name
from autograder.marks.standing import standing_in
from autograder.model.assignment import Assignment, LateRule
from autograder.model.paths import ROOT
from autograder.model.results import SubmissionResult
from tests.support import RIGHT, autograder, verdict
from tools.serve import Server

pytestmark = pytest.mark.slow  # whole classes, in processes of their own

TOKEN = "c0ffee5ecret"
PEOPLE = {7: "Ann Lee", 8: "Bo Lee", 9: "Cy Roe"}
FILE = RIGHT.encode()
MADE = {"canvas": Canvas, "moodle": Moodle}
THROTTLED = (b"403 Forbidden (Rate Limit Exceeded)\n", 403)


class Answers(BaseHTTPRequestHandler):
    """Canvas and Moodle in one; what is there, and what is asked, is in the server."""

    def log_message(self, *words):
        pass

    def do_GET(self):
        length = int(self.headers.get("Content-Length") or 0)
        form = {
            k: v[0] for k, v in parse_qs(self.rfile.read(length).decode(), keep_blank_values=True).items()
        }
        there, path = self.server.there, urlsplit(self.path)
        there.asked.append((self.command, self.path, form))
        if there.next_answers and there.later:
            there.later -= 1
        elif there.next_answers:
            return self.say(*there.next_answers.pop(0))
        if path.path.startswith("/webservice/"):
            self.say(*self.moodle(there, path.path, form))
        elif path.path.startswith("/files/"):
            there.file_headers.append(dict(self.headers))
            self.say(there.files[path.path], 200, there.of_files)
        elif self.headers["Authorization"] != f"Bearer {TOKEN}":
            self.say({"errors": [{"message": "Invalid access token."}]}, 401, {"WWW-Authenticate": "Bearer"})
        elif not there.may:
            self.say({"status": "unauthorized", "errors": [{"message": "user not authorized"}]}, 401)
        else:
            self.canvas(there, path, form)

    do_PUT = do_POST = do_GET

    def say(self, body, status=200, headers=None):
        if self.server.there.stop_at == len(self.server.there.written) > 0:
            self.server.there.stop_at = 0
            signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)
        if self.server.there.break_at == len(self.server.there.written) > 0:
            self.server.there.break_at = 0
            self.close_connection = True
            return
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        for name, value in {"Retry-After": "0", "Content-Length": str(len(data)), **(headers or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def canvas(self, there, path, form):
        rest = path.path.removeprefix("/api/v1/courses/12")
        single = re.fullmatch("/assignments/5/submissions/([0-9]+)", rest)
        if single:
            number = int(single[1])
            if self.command == "PUT":
                there.marks[number] = float(form["submission[posted_grade]"])
            return self.say(self.submission(there, number))
        lists = {
            "/assignments": [{"id": 4, "name": "Other"}, {"id": 6, "name": "Twice"}, {"id": 7, "name": "Twice"},
                {"id": 5, "name": "First", "course_id": 12, "points_possible": 10.0, **there.settings}],
            "/search_users": [{"id": n, "name": w, "sortable_name": ", ".join(w.split()[::-1])} for n, w in PEOPLE.items()],
            "/assignments/5/submissions": [self.submission(there, n) for n in [*PEOPLE, 99]],
        }  # fmt: skip
        if not rest:
            return self.say({"id": 12, "name": "Course"})
        if rest not in lists:
            return self.say({"errors": [{"message": "The specified resource does not exist."}]}, 404)
        # Two a page, however many are asked for.
        page = int(parse_qs(path.query).get("page", ["1"])[0])
        links = {}
        if lists[rest][2 * page :]:
            url = f"http://{self.headers['Host']}{path.path}?page={page + 1}&per_page=2"
            links = {"Link": f'<{url}>; rel="next"'}
        return self.say(lists[rest][2 * page - 2 : 2 * page], 200, links)

    def submission(self, there, number):
        attached = [
            {"id": 200 + number, "display_name": name, "url": f"http://{self.headers['Host']}{name}?verifier=v",
             "size": len(data)}
            for name, data in there.files.items() if str(number) in name
        ]  # fmt: skip
        entered = there.marks.get(number)
        return {
            "id": number, "user_id": number, "assignment_id": 5, "course_id": 12, "entered_score": entered,
            "score": None if entered is None else entered - 1, "excused": number in there.excused, "late": number == 8,
            "user": {"id": number, "sortable_name": ", ".join(PEOPLE.get(number, "Test Student").split()[::-1])},
            "submitted_at": "2030-01-31T12:00:00Z" if attached else None, "attachments": attached,
        }  # fmt: skip

    def moodle(self, there, path, form):
        token = form.get("token") or form.get("wstoken")
        if token != TOKEN:
            return (
                {"exception": "moodle_exception", "errorcode": "invalidtoken", "message": "Invalid token"},
            )
        if path.startswith("/webservice/pluginfile.php"):
            return there.files[path.removeprefix("/webservice/pluginfile.php")], 200, there.of_files
        function = form["wsfunction"].removeprefix("mod_assign_")
        if not there.may and function != "get_assignments":
            return ({"exception": "webservice_access_exception", "errorcode": "accessexception",
                     "message": "Access control exception"},)  # fmt: skip
        return (getattr(self, function)(there, form),)

    def get_assignments(self, there, form):
        if form["courseids[0]"] != "12":
            return {"courses": [], "warnings": [{"message": "No access rights in course context"}]}
        own = {"id": 5, "cmid": 77, "name": "First", "grade": 10, "teamsubmission": 0, **there.settings}
        return {"courses": [{"assignments": [own]}], "warnings": []}

    def list_participants(self, there, form):
        start, limit = int(form["skip"]), int(form["limit"])
        everybody = [
            {
                "id": number,
                "fullname": who,
                "email": f"{who[:2].lower()}@x.org" if number == 7 else "",
                "recordid": -1,
            }
            for number, who in there.people.items()
        ]
        return everybody[start : start + limit]

    def get_user_mappings(self, there, form):
        mappings = [{"userid": user, "id": number} for user, number in there.numbers.items()]
        return {"assignments": [{"assignmentid": 5, "mappings": mappings}], "warnings": []}

    def get_grades(self, there, form):
        grades = [{"userid": n, "grade": f"{m:.5f}"} for n, m in {9: -1, **there.marks}.items()]
        return {"assignments": [{"assignmentid": 5, "grades": grades}], "warnings": []}

    def get_submission_status(self, there, form):
        text = there.comments.get(int(form["userid"]))
        editor = {"type": "comments", "editorfields": [{"name": "comments", "text": text}]}
        return {"feedback": {"plugins": [{"type": "file"}, editor]}} if text else {}

    def save_grade(self, there, form):
        number = int(form["userid"])
        there.comments[number] = form.get("plugindata[assignfeedbackcomments_editor][text]", "")
        if not there.is_locked:
            there.marks[number] = float(form["grade"])

    def get_submissions(self, there, form):
        made = [
            {"userid": n, "plugins": [{"type": "onlinetext"}, {"type": "file", "fileareas": [
                {"area": "submission_files", "files": [
                    {"filename": name[1:], "filepath": "/../x/", "filesize": len(data), "timemodified": 1900000000,
                     "fileurl": f"{there.host or 'http://' + self.headers['Host']}/webservice/pluginfile.php{name}"}
                    for name, data in there.files.items() if str(n) in name]}]}]}
            for n in (*PEOPLE, 99)
        ]  # fmt: skip
        return {"assignments": [{"submissions": made}], "warnings": []}


class There:
    """What a system holds, and what it was asked."""

    def __init__(self):
        self.marks, self.comments, self.settings, self.files = {}, {}, {"grading_type": "points"}, {}
        self.excused, self.next_answers, self.asked = set(), [], []
        self.break_at = self.stop_at = self.later = 0
        # Headers of the answers that are files.
        self.of_files = {}
        self.may, self.is_locked, self.host, self.file_headers = True, False, "", []
        # Moodle's: by the person's number the participant's.
        self.people, self.numbers = dict(PEOPLE), {7: 107, 8: 108, 9: 109}

    @property
    def written(self):
        """Whose marks were written, in their order."""
        return [
            int(form.get("userid") or path.rpartition("/")[2])
            for command, path, form in self.asked
            if command == "PUT" or form.get("wsfunction") == "mod_assign_save_grade"
        ]


@pytest.fixture
def there(monkeypatch):
    server = Server(("127.0.0.1", 0), Answers)
    server.there = There()
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    for system in ("CANVAS", "MOODLE"):
        monkeypatch.setenv(f"{system}_URL", f"http://127.0.0.1:{server.server_port}/")
        monkeypatch.setenv(f"{system}_TOKEN", TOKEN)
    yield server.there
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture(params=["canvas", "moodle"])
def system(request):
    return request.param


@pytest.fixture
def book(tmp_path):
    """Two of three learners, of 2 points: 2 and 0, which are 10 and 0 there."""
    graded(tmp_path, accepted=("Ann Lee",))
    return tmp_path / "first.sqlite"


def graded(folder, accepted, names=("Ann Lee", "Bo Lee")):
    book = Gradebook(folder / "first.sqlite")
    book.begin(
        "class", [f"{who}/a.py" for who in names], Assignment({"masked_softmax": 2.0}, name="First"), False
    )
    for who in names:
        outcome = "accepted" if who in accepted else "rejected"
        digest = f"{who} {outcome}"
        book.add(SubmissionResult(f"{who}/a.py", digest, None, [verdict(outcome=outcome)]), "all")
    book.close()


def push(system, book, *words):
    done = autograder("push", system, book, "--course", "12", *words)
    assert TOKEN not in done.stdout + done.stderr and "Traceback" not in done.stderr
    return done.returncode, " ".join(f"{done.stdout} {done.stderr}".split())


def test_what_would_change_is_shown_and_written_only_if_asked(there, system, book):
    status, said = push(system, book)
    assert status == 0 and not there.marks and not there.written
    assert (
        "Ann Lee: nothing → 10" in said and "Bo Lee: nothing → 0" in said and "2 marks would change" in said
    )
    assert "scaled from 2 to" in said
    status, said = push(system, book, "--send")
    assert (status, there.marks) == (0, {7: 10.0, 8: 0.0}) and "2 marks sent; 0 are there already." in said
    status, said = push(system, book, "--send")
    assert status == 0 and there.written == [7, 8] and "0 marks sent; 2 are there already." in said


def test_a_mark_that_a_person_has_set_stays_and_is_named(there, system, book):
    there.marks = {7: 4.5}
    status, said = push(system, book, "--send")
    assert status == 1 and there.marks == {7: 4.5, 8: 0.0}
    assert "Ann Lee: 4.5 → 10, kept as it is: a person has set it" in said
    there.marks[8] = 3.0
    status, said = push(system, book, "--send")
    assert status == 1 and there.marks == {7: 4.5, 8: 3.0} and "Bo Lee: 3 → 0, kept" in said
    assert push(system, book, "--send", "--replace")[0] == 0 and there.marks == {7: 10.0, 8: 0.0}


def test_a_mark_that_was_sent_is_replaced_by_a_later_one(there, system, book, tmp_path):
    push(system, book, "--send")
    graded(tmp_path, accepted=("Ann Lee", "Bo Lee"))
    status, said = push(system, book, "--send")
    assert status == 0 and there.marks == {7: 10.0, 8: 10.0} and "Bo Lee: 0 → 10" in said


def test_an_interrupted_push_goes_on(there, system, book, tmp_path):
    """The second mark comes there, and the answer that says so does not."""
    there.break_at = 2
    status, said = push(system, book, "--send")
    assert status == 2 and "Ann Lee: nothing → 10" in said
    assert said.endswith(
        f"{system.capitalize()} cannot be reached: there is no connection to the address in {system.upper()}_URL, or it "
        "broke. 1 mark was sent; the same command goes on with the rest."
    )
    assert there.marks == {7: 10.0, 8: 0.0}
    # The mark is known again as one that was sent, though it is another now.
    graded(tmp_path, accepted=("Ann Lee", "Bo Lee"))
    status, said = push(system, book, "--send")
    assert status == 0 and there.marks == {7: 10.0, 8: 10.0} and there.written == [7, 8, 8]


def test_ctrl_c_says_how_many_were_sent(there, system, book):
    there.stop_at = 2
    status, said = push(system, book, "--send")
    assert status == 130 and said.endswith(
        "Stopped. 1 mark was sent; the same command goes on with the rest."
    )
    status, said = push(system, book, "--send")
    assert status == 0 and there.marks == {7: 10.0, 8: 0.0}


def test_nothing_is_sent_of_a_run_that_was_stopped(there, system, book):
    """What was tried and not finished holds up its learner alone."""
    with closing(Gradebook(book)) as kept:
        rules = Assignment({"masked_softmax": 2.0}, name="First")
        kept.begin("class", ["Ann Lee/a.py", "Bo Lee/a.py"], rules, False)
        kept.make_current("Ann Lee/a.py", "Ann Lee accepted")
    status, said = push(system, book, "--send")
    assert status == 1 and not there.written and "No mark was sent." in said
    assert "1 file of 1 learner is not graded yet: the run was stopped" in said
    with closing(Gradebook(book)) as kept:
        late = verdict(outcome="timeout", final=False)
        kept.add(SubmissionResult("Bo Lee/a.py", "new", None, [late], final=False), None)
    status, said = push(system, book, "--send")
    assert (
        status == 1 and there.marks == {7: 10.0} and "Bo Lee: 1 file is not graded yet: Bo Lee/a.py." in said
    )


def test_who_handed_in_nothing_is_named(there, system, book):
    said = push(system, book)[1]
    who = {"canvas": "Roe, Cy", "moodle": "Cy Roe"}[system]
    words = f"1 of 3 learners in {system.capitalize()} handed in nothing that was graded, and no mark is sent: {who}."
    assert words in said


def test_lateness_that_may_cost_twice_is_said(there, system, book):
    rule = LateRule(datetime(2030, 1, 31, tzinfo=UTC), timedelta(), 10, None)
    with closing(Gradebook(book)) as kept:
        rules = Assignment({"masked_softmax": 2.0}, name="First", late=rule)
        kept.begin("class", ["Ann Lee/a.py", "Bo Lee/a.py"], rules, False)
    assert "lateness costs twice" not in push(system, book)[1]
    book.with_suffix(".times.csv").write_text(
        "learner,time\nAnn Lee,2030-02-01T12:00Z\nBo Lee,2030-02-01T12:00Z\n"
    )
    said = push(system, book)[1]
    penalty = {"canvas": "a late policy of the course", "moodle": "a grade penalty of the assignment"}[system]
    assert f"has taken points off 1 mark: if {penalty} in {system.capitalize()} takes some off too" in said


def test_what_canvas_says_of_an_error_is_told_in_its_words(there, book):
    answers = [({"errors": [{"message": "The value is too large."}]}, 422), ([], 422), ([], 500)]
    told = ["The value is too large.", "it does not say why.", "Encountered an error: status code 500."]
    for answer, words in zip(answers, told, strict=True):
        there.next_answers = [answer]
        status, said = push("canvas", book)
        assert status == 2 and said.endswith(f"Canvas refuses the course 12: {words}")


def test_a_mark_that_comes_while_others_are_sent_stays(there, system, book):
    target = MADE[system]("12", "First")
    with closing(Gradebook(book)) as kept:
        changes = pushing.plan(kept, target, practice=False, scaled=True, replace=False).changes
        there.marks = {7: 3.0, 8: 0.0}
        done = list(pushing.send(kept, target, changes))
    assert there.marks == {7: 3.0, 8: 0.0} and there.written == [8]
    assert "it was set to 3.0 just now" in str(done[0]) and str(done[1]) == "Bo Lee: nothing → 0"


def test_a_busy_system_is_asked_again(there, system, book):
    """In the middle of the pages too; Canvas said it with 403 for years, which is a missing right otherwise."""
    push(system, book)
    for place, busy in enumerate([THROTTLED, (b"wait", 429), (b"down", 503)] * (len(there.asked) // 3)):
        there.next_answers, there.later = [busy, busy], place
        status, said = push(system, book)
        assert status == 0 and "2 marks would change" in said and not there.next_answers


def test_a_system_that_stays_busy_gets_a_sentence(there, system, book, monkeypatch):
    monkeypatch.setattr(connection, "WAITS", (0,))
    there.next_answers = [(b"wait", 429)] * 2
    status, said = push(system, book)
    assert status == 2 and ("asks to wait" in said or "429" in said)


def test_a_token_that_is_wrong_or_has_no_rights_gets_a_sentence(there, system, book, monkeypatch):
    there.may = False
    status, said = push(system, book)
    assert status == 2 and "has no right to" in said and "teach" in said
    monkeypatch.setenv(f"{system.upper()}_TOKEN", "another")
    status, said = push(system, book)
    assert status == 2 and f"does not take the token in {system.upper()}_TOKEN" in said
    monkeypatch.delenv(f"{system.upper()}_TOKEN")
    assert f"{system.upper()}_TOKEN is not set" in push(system, book)[1]


def test_a_token_is_sent_to_no_other_machine_in_plain_text(there, system, book, monkeypatch):
    monkeypatch.setenv(f"{system.upper()}_URL", "http://example.org")
    assert "must begin with https://" in push(system, book)[1] and not there.asked


def test_no_address_and_no_log_holds_the_token(there, system, book, tmp_path, caplog):
    there.files = {"/files/7.py": FILE}
    with caplog.at_level(logging.DEBUG):
        push(system, book, "--send")
        assert pull(system, tmp_path / "in")[0] == 0
    assert caplog.records and TOKEN not in caplog.text
    assert all(TOKEN not in f"{path}" for _, path, _ in there.asked)
    assert all("Authorization" not in headers for headers in there.file_headers)


def test_what_is_no_such_system_gets_a_sentence(there, system, book):
    there.next_answers = [(b"<html>A page</html>", 200)]
    assert "is not" in push(system, book)[1]
    assert "assignments 'Nothing'" in push(system, book, "--name", "Nothing")[1]
    done = autograder("push", system, book, "--course", "13")
    assert done.returncode == 2 and "13" in done.stderr
    there.files = {"/files/7.py": FILE}
    there.next_answers = [(b"", 302, {"Location": "http://example.org/"})] * (system == "moodle")
    assert system == "canvas" or "leads to another address" in push(system, book)[1]


@pytest.mark.parametrize(
    ("where", "settings", "words"),
    [
        ("canvas", {"grading_type": "pass_fail"}, "has no points"),
        ("canvas", {"grading_type": "points", "anonymize_students": True}, "is anonymous"),
        ("moodle", {"teamsubmission": 1}, "is handed in by groups"),
        ("moodle", {"markingworkflow": 1}, "has a marking workflow"),
        ("moodle", {"blindmarking": 1}, "is anonymous"),
        ("moodle", {"grade": -3}, "has a scale"),
    ],
)
def test_what_cannot_take_marks_is_said(there, book, where, settings, words):
    there.settings = settings
    status, said = push(where, book, "--send")
    assert status == 2 and words in said and not there.written


def test_what_canvas_excuses_is_left(there, book):
    there.excused = {8}
    status, said = push("canvas", book, "--send", "--replace")
    assert status == 1 and there.marks == {7: 10.0} and "excused in Canvas" in said


def test_a_comment_that_is_in_moodle_stays(there, book):
    there.comments = {7: "<p>By a person.</p>", 8: ""}
    assert push("moodle", book, "--send")[0] == 0
    assert there.comments == {7: "<p>By a person.</p>", 8: ""}
    there.comments[7] = '<img src="https://x.org/webservice/pluginfile.php/1/a.png">'
    there.marks = {}
    status, said = push("moodle", book, "--send")
    assert status == 2 and "holds a file, which would be lost" in said and not there.marks


def test_a_mark_that_moodle_does_not_take_is_said(there, book):
    there.is_locked = True
    status, said = push("moodle", book, "--send")
    assert status == 2 and "is it locked there?" in said


def test_a_learner_who_is_not_there_is_named(there, system, book, tmp_path):
    graded(tmp_path, accepted=(), names=("Ann Lee", "Zoe"))
    status, said = push(system, book)
    assert status == 1 and "Zoe: no row has this name" in said


def pull(system, folder, *words):
    done = autograder("pull", system, folder, "--course", "12", "--name", "First", *words)
    assert TOKEN not in done.stdout + done.stderr
    return done.returncode, " ".join(f"{done.stdout} {done.stderr}".split())


NAMES = {
    "canvas": ["leeann_7_207_7.py", "leebo_LATE_8_208_8.ipynb"],
    "moodle": [
        "Ann Lee_107_assignsubmission_file/file/x/7.py",
        "Bo Lee_108_assignsubmission_file/file/x/8.ipynb",
    ],
}


def test_what_is_handed_in_is_fetched_once_and_graded(there, system, tmp_path):
    there.files = {"/files/7.py": FILE, "/files/8.ipynb": b"{}"}
    folder = tmp_path / "in"
    status, said = pull(system, folder)
    assert status == 0 and said.count(": new, of 20") == 2
    assert sorted(p.relative_to(folder).as_posix() for p in folder.rglob("*.*") if p.is_file()) == sorted(
        NAMES[system]
    )
    assert (folder / NAMES[system][0]).read_bytes() == FILE
    asked = len(there.file_headers)
    assert "new" not in pull(system, folder)[1] and len(there.file_headers) == asked
    del there.files["/files/8.ipynb"]
    there.files["/files/7.py"] = b"pass"
    said = pull(system, folder)[1]
    assert f"{NAMES[system][1]} is no longer handed in" in said and ": another version" in said
    assert (folder / NAMES[system][0]).read_bytes() == b"pass" and not (folder / NAMES[system][1]).exists()
    kept = [p.read_bytes() for p in (tmp_path / "in.replaced").rglob("*") if p.is_file()]
    assert sorted(kept) == sorted([FILE, b"{}"])


def test_a_file_that_breaks_off_gets_a_sentence_and_is_fetched_again(there, system, tmp_path):
    there.files, there.of_files = {"/files/7.py": FILE}, {"Content-Length": str(len(FILE) + 1)}
    status, said = pull(system, tmp_path / "in")
    assert status == 2 and "cannot be reached: there is no connection" in said
    there.of_files = {}
    assert pull(system, tmp_path / "in")[0] == 0
    assert (tmp_path / "in" / NAMES[system][0]).read_bytes() == FILE


def test_marks_of_what_was_fetched_find_their_learners_again(there, system, tmp_path):
    there.files = {"/files/7.py": FILE, "/files/8.py": b"def masked_softmax(X, valid_length):\n    return X"}
    folder, book = tmp_path / "in", tmp_path / "book.sqlite"
    pull(system, folder)
    done = autograder("grade", folder, "--gradebook", book, "--exercise", "masked_softmax")
    assert done.returncode == 0, done.stderr
    assert push(system, book, "--name", "First", "--send")[0] == 0 and there.marks == {7: 10.0, 8: 0.0}


def test_the_guide_goes_from_the_hand_ins_to_the_marks(there, tmp_path, monkeypatch):
    """Its lines as they are printed, but for the address and the token."""
    guide = (ROOT / "chapters" / "teaching.md").read_text(encoding="utf-8")
    lines = re.findall("^attention (.*)$", guide.partition("## Without files")[2].partition("\n## ")[0], re.M)
    there.files = {"/files/7.py": FILE}
    (tmp_path / "first.toml").write_text("name = 'First'\n[exercises]\nmasked_softmax = 2\n")
    monkeypatch.chdir(tmp_path)
    for line in lines:
        done = CliRunner().invoke(app, shlex.split(line), prog_name="attention")
        assert done.exit_code == 0, f"{line}\n{done.output}"
    assert there.marks == {7: 10.0} and len(lines) == 4


def test_what_was_fetched_from_moodle_is_named_as_in_its_own_download(there, tmp_path):
    """So what is made by hand finds its learners too; two of one name are told apart, also without numbers."""
    there.files = {f"/files/{n}.py": FILE for n in (7, 8, 9)}
    there.people |= {7: "Chloé O'Neill", 9: "Bo Lee"}
    folder, book, times = tmp_path / "in", tmp_path / "book.sqlite", tmp_path / "book.times.moodle.csv"
    pull("moodle", folder, "--times", times)
    done = autograder("grade", folder, "--gradebook", book, "--exercise", "masked_softmax")
    assert "This is a download of Moodle" in done.stderr + done.stdout
    with closing(Gradebook(book)) as kept:
        standing = standing_in(kept)
        assert [who.name for who in standing.learners] == [
            "Bo Lee (Moodle 108)", "Bo Lee (Moodle 109)", "Chloé O'Neill (Moodle 107)"
        ]  # fmt: skip
        assert all(who.is_timed for who in standing.learners) and not standing.unread
    assert push("moodle", book, "--name", "First", "--send")[0] == 0 and len(there.marks) == 3
    there.numbers = {7: 107}
    pull("moodle", folder)
    assert sorted(p.name for p in folder.iterdir() if any(p.rglob("*.py"))) == [
        "Bo Lee 8", "Bo Lee 9", "Chloé O'Neill"
    ]  # fmt: skip


def test_learners_with_long_names_are_told_by_their_numbers(there, system, tmp_path, monkeypatch):
    there.people = {7: "Ann " * 50 + "Lee", 8: "A." * 100, 9: "安" * 201}
    there.files = {f"/files/{'x' * 300}{n}.py": FILE for n in there.people}
    for number, name in there.people.items():
        monkeypatch.setitem(PEOPLE, number, name)
    folder, book = tmp_path / "in", tmp_path / "book.sqlite"
    assert pull(system, folder)[0] == 0
    autograder("grade", folder, "--gradebook", book, "--exercise", "masked_softmax")
    assert push(system, book, "--name", "First", "--send")[0] == 0 and there.marks == dict.fromkeys(
        PEOPLE, 10
    )


def test_two_learners_of_moodle_with_one_long_beginning_are_told_apart(there, tmp_path):
    there.files, there.numbers = {"/files/7.py": FILE, "/files/8.py": FILE}, {}
    there.people |= {7: "Ann " * 50 + "Lee", 8: "Ann " * 50 + "Roe"}
    pull("moodle", tmp_path / "in")
    assert len([*(tmp_path / "in").iterdir()]) == 2


def test_a_name_of_moodles_zip_finds_its_learner_where_no_number_does(there, tmp_path):
    graded(tmp_path, accepted=(), names=("Ann Lee (Moodle 41)", "Bo Lee (Moodle 42)", "Cy Roe (Moodle 43)"))
    there.numbers, there.people[9] = {8: 77}, "Ann Lee"
    status, said = push("moodle", tmp_path / "first.sqlite", "--send")
    assert status == 1 and not there.marks and said.count("this is not the only learner") == 1
    there.numbers, there.people[9] = {}, "Cy Roe"
    assert push("moodle", tmp_path / "first.sqlite", "--send")[0] == 0 and len(there.marks) == 3


def test_a_library_that_is_not_installed_is_named(system, book, tmp_path):
    code = "import sys; sys.modules['requests'] = None; from autograder.cli.commands import app; app()"
    for words in (["pull", system, tmp_path / "in"], ["push", system, book]):
        asked = [sys.executable, "-c", code, *words, "--course", "3", "--name", "First"]
        done = subprocess.run(asked, cwd=ROOT, capture_output=True, text=True)
        assert (done.returncode, done.stderr) == (2, "This needs `pip install requests`.\n")


def test_moodles_token_goes_to_no_other_host(there, tmp_path):
    there.files, there.host = {"/files/7.py": FILE}, "http://example.org"
    status, said = pull("moodle", tmp_path / "in")
    assert status == 2 and "names a file at another address" in said


@pytest.mark.parametrize(
    ("name", "safe"),
    [
        ("../../a.py", "a.py"), ("..", "file"), (".hidden", "hidden"), ("a\\b.ipynb", "b.ipynb"),
        ("x" * 300 + ".py", "x" * 91 + "-1b432d13.py"), ("Übung 1 (2).ipynb", "Übung 1 (2).ipynb"), ("a\x00/b\n\x00.py", "b _.py"),
        ("Chloé O'Neill", "Chloé O'Neill"), ("प्रिया", "प्रिया"),
    ],
)  # fmt: skip
def test_a_name_that_a_stranger_chose_stays_in_its_folder(name, safe):
    assert safe_name(name) == safe
