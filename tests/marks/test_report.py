"""The pages: what a teacher opens before the next lecture, and what a learner gets back."""

import re
from contextlib import closing

import numpy as np
import pytest

from autograder.marks import standing
from autograder.marks.exports.plain import plain_csv
from autograder.marks.gradebook import Gradebook
from autograder.marks.overview import class_summary, histogram, summaries
from autograder.marks.report import page_of, write_pages
from autograder.marks.standing import standing_in
from autograder.model.assignment import Assignment
from autograder.model.catalogue import all_exercises
from autograder.model.errors import UsageError
from autograder.model.results import SubmissionResult
from autograder.model.verdict import Difference
from autograder.read.submission import digest_of
from tests.support import verdict

HOSTILE = "<script>alert(1)</script>\u202e\x1b[31m{{ 70001 * 70003 }}"


@pytest.fixture
def book(tmp_path):
    """Four learners: two with one wrong idea, one right in the second framework, one unreadable."""
    opened = Gradebook(tmp_path / "book")
    idea = {"failed_stage": "misconception", "misconception": "mask_after_softmax"}
    opened.add(SubmissionResult("one.py", "d1", None, [verdict(**idea)], 0.5, False), "all")
    opened.add(SubmissionResult("two/a.py", "d2", None, [verdict(**idea)], 0.25, False), "all")
    both = [verdict(), verdict(framework="mxnet", outcome="accepted")]
    opened.add(SubmissionResult("three.py", "d3", None, both, 0.25, False), "all")
    opened.add(SubmissionResult("four.ipynb", "d4", "four.ipynb is not a readable notebook."), "all")
    yield opened
    opened.close()


def test_an_exercise_counts_once_in_the_better_framework(book):
    learners = {who.name: who for who in standing_in(book).learners}
    assert list(learners) == ["four", "one", "three", "two"]
    assert (learners["three"].points, learners["three"].passed) == (2, 1)
    assert (learners["one"].points, learners["one"].passed) == (0, 0)


def test_the_classs_wrong_ideas_are_counted(book):
    (summary,) = summaries(standing_in(book).learners)
    assert dict(summary.outcomes) == {"rejected": 2, "accepted": 1, "missing": 1} and summary.attempted == 3
    (finding,) = summary.mistakes
    assert (finding.idea, len(finding.answers)) == ("mask_after_softmax", 2) and finding.hint
    assert [who.name for who, _ in finding.answers] == ["one", "two"] and summary.wrong == 2


def test_every_learner_has_a_page_and_the_class_links_to_it(book, tmp_path):
    page = write_pages(book, tmp_path / "pages")
    text = page.read_text()
    links = re.findall(r'href="([^"#]+)"', text.partition("<h2>Marks")[2])
    assert len(links) == 4 and set(re.findall(r'href="([^"#]+)#masked_softmax"', text)) < set(links)
    for link in links:
        assert (tmp_path / "pages" / link).is_file()
        assert "href" not in (tmp_path / "pages" / link).read_text()
        assert '<section id="masked_softmax">' in (tmp_path / "pages" / link).read_text()
    assert "not a readable notebook" in text and "2×" in text


def test_hostile_words_do_not_reach_a_page(tmp_path):
    book = Gradebook(tmp_path / "book")
    book.add(
        SubmissionResult(f"{HOSTILE}.py", "d1", None, [verdict(message=HOSTILE, case=HOSTILE)], 0.1, False),
        "all",
    )
    write_pages(book, tmp_path / "pages")
    for page in (tmp_path / "pages").glob("*.html"):
        text = re.sub(r'href="[^"]*"', "", page.read_text())
        assert (
            "alert(1)</" not in text
            and "\u202e" not in text
            and "\x1b" not in text
            and "4900280003" not in text
        )
        assert "default-src 'none'" in text


def test_pages_fetch_nothing(book, tmp_path):
    write_pages(book, tmp_path / "pages")
    for page in (tmp_path / "pages").glob("*.html"):
        assert not re.search(r"(src|href)=[\"']?(https?:)?//", page.read_text())


def test_a_page_keeps_its_name_inside_the_folder(tmp_path):
    book = Gradebook(tmp_path / "book")
    book.add(SubmissionResult("..", "d1", None, [verdict()], 0.1, False), "all")
    book.add(SubmissionResult("../../etc/x.py", "d2", None, [verdict()], 0.1, False), "all")
    write_pages(book, tmp_path / "pages")
    assert sorted(p.parent for p in tmp_path.rglob("*.html")) == [tmp_path / "pages"] * 2


def test_wide_numbers_scroll_in_their_own_box_on_a_learners_phone(browser, tmp_path):
    numbers = np.linspace(-12.345, 12.345, 48).reshape(4, 12)
    wrong = verdict(difference=Difference("scores", (0, 0), 1.0, 2.0, numbers, numbers + 1))
    opened = Gradebook(tmp_path / "book")
    opened.add(SubmissionResult("one.py", "d1", None, [wrong], 0.5, False), "all")
    write_pages(opened, tmp_path / "pages")
    opened.close()
    (file,) = (path for path in (tmp_path / "pages").rglob("*.html") if "<h1>one" in path.read_text())
    page = browser.new_page(viewport={"width": 420, "height": 900})
    page.goto(file.as_uri())
    assert page.locator("main .verdict table").count() == 2
    assert page.evaluate("document.documentElement.scrollWidth") <= 420
    page.close()


def test_a_page_reads_at_both_widths_in_a_browser(book, browser, tmp_path):
    page_path = write_pages(book, tmp_path / "pages")
    page = browser.new_page()
    errors = []
    page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    for width in (1400, 420):
        page.set_viewport_size({"width": width, "height": 900})
        page.goto(page_path.as_uri())
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        page.click("tbody a >> nth=1")
        assert "one" in page.text_content("h1")
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.close()
    assert not errors


def test_the_marks_are_sorted_and_a_slide_is_shown_by_keyboard(browser, tmp_path):
    opened = Gradebook(tmp_path / "book")
    numbers = np.eye(2)
    wrong = verdict(
        failed_stage="values", difference=Difference("weights", (0, 0), 1.0, 2.0, numbers, numbers + 1)
    )
    verdicts = {
        "Ann": wrong,
        "Bo": verdict(outcome="accepted"),
        "Cy": verdict(failed_stage="values"),
        "Di": verdict(outcome="missing"),
    }
    for name, one in verdicts.items():
        opened.add(SubmissionResult(f"{name}/a.py", name, None, [one], 0.5, False), "all")
    page = browser.new_page()
    page.goto(write_pages(opened, tmp_path / "pages").as_uri())
    opened.close()

    def column(place):
        return page.locator(f".marks tbody td:nth-child({place})").all_text_contents()

    page.get_by_role("button", name="points").press("Enter")
    assert column(2) == ["0", "0", "0", "2"]
    page.get_by_role("button", name="points").press("Enter")
    assert column(1)[0] == "Bo" and page.locator("th[aria-sort=descending]").text_content() == "points"
    page.get_by_role("button", name="masked_softmax").press("Enter")
    assert column(4) == ["–", "0", "0", "2"]
    slide = page.locator(".slide")
    assert not slide.is_visible()
    page.get_by_role("button", name="Slide").press("Enter")
    assert slide.is_visible() and "weights, expected" in slide.text_content()
    assert not any(name in slide.text_content() for name in verdicts)
    page.keyboard.press("Escape")
    assert not slide.is_visible()
    page.close()


def test_the_marks_are_counted_in_bars(tmp_path):
    opened = Gradebook(tmp_path / "book")
    for i in range(3):
        opened.add(
            SubmissionResult(f"{i}.py", f"{i}", None, [verdict(outcome="accepted" if i else "rejected")]),
            "all",
        )
    bars = histogram(standing_in(opened))
    assert bars == [("0", 1, 0.5), ("1", 2, 1.0)]
    opened.close()


@pytest.mark.parametrize(
    ("table", "absent"),
    [
        ('Student,ID,SIS Login ID\n    Points Possible,,\n"Lee, Ann",7,one\n"Ray, Bo",8,bo\n', "Ray, Bo"),
        ("Identifier,Full name,Grade\nParticipant 7,Bo Ray,\nParticipant 8,one,\n", "Bo Ray"),
        ("learner\none\ntwo\nBo <Ray>\n", "Bo &lt;Ray&gt;"),
    ],
)
def test_who_did_not_hand_in_is_named_by_the_roster(book, tmp_path, table, absent):
    (tmp_path / "table.csv").write_text(table)
    text = write_pages(book, tmp_path / "pages", roster=tmp_path / "table.csv").read_text()
    assert f"<p>1 of the table: {absent}.</p>" in text


def test_a_table_that_names_nobody_of_the_class_is_refused(book, tmp_path):
    (tmp_path / "table.csv").write_text("learner\nSomebody Else\n")
    with pytest.raises(UsageError, match=r"names nobody of this gradebook: .* such as Somebody Else"):
        write_pages(book, tmp_path / "pages", roster=tmp_path / "table.csv")


def test_the_teacher_is_told_what_to_look_at(tmp_path):
    book = Gradebook(tmp_path / "book")
    flagged = verdict("dot_product_attention", outcome="accepted", flag="its source names layer_norm")
    book.add(SubmissionResult("one.py", "d1", None, [flagged], 0.5, False), "all")
    book.add(SubmissionResult("two.py", "d2", None, [verdict()], 0.5, False), "all")
    page = write_pages(book, tmp_path / "pages").read_text()
    part = page.partition("To look at")[2].partition("<h2>")[0]
    assert "its source names layer_norm" in part and ">one<" in part and ">two<" not in part
    book.close()


def test_what_to_look_at_is_a_line_for_each_file_and_an_accepted_answer_comes_first(tmp_path):
    book = Gradebook(tmp_path / "book")
    flag = "its source names sys"
    both = [
        verdict("dot_product_attention", outcome=outcome, framework=framework, flag=flag)
        for framework, outcome in (("mxnet", "missing"), ("torch", "rejected"))
    ]
    verdicts = [*both, verdict("weights_after", outcome="accepted", flag=flag)]
    book.add(SubmissionResult("ann.py", "d1", None, both, 0.5, False), "all")
    book.add(SubmissionResult("bo.py", "d2", None, verdicts, 0.5, False), "all")
    book.add(SubmissionResult("cy.py", "d3", None, both[:1], 0.5, False), "all")
    part = write_pages(book, tmp_path / "pages").read_text().partition("To look at")[2].partition("<h2>")[0]
    book.close()
    lines = [line for line in part.split("\n") if line.startswith("<summary>")]
    assert [line.partition("</a>")[0][-2:] for line in lines] == ["bo", "nn"]
    assert "missing" not in part and lines[0].index("weights_after (") < lines[0].index(
        "dot_product_attention ("
    )


def test_an_untouched_stub_hides_no_answer(tmp_path):
    """A learner's copy holds a cell for each framework; most learners fill in one of them."""
    book = Gradebook(tmp_path / "book")
    idea = {
        "failed_stage": "misconception",
        "misconception": "mask_after_softmax",
        "message": "The mask is late.",
    }
    stub = verdict(framework="mxnet", outcome="missing", message="Not written yet.")
    book.add(SubmissionResult("one.ipynb", "d1", None, [stub, verdict(**idea)], 0.5, False), "all")
    book.add(SubmissionResult("two.ipynb", "d2", None, [stub, verdict(outcome="timeout")], 0.5, False), "all")
    everyone = standing_in(book).learners
    assert [who.best["masked_softmax"].outcome for who in everyone] == ["rejected", "timeout"]
    assert class_summary(standing_in(book)) == "2 learners; points: median 0 of 2, from 0 to 0."
    (summary,) = summaries(everyone)
    assert [(f.idea, f.hint is None) for f in summary.mistakes] == [
        ("mask_after_softmax", False), ("timeout", True)
    ]  # fmt: skip
    write_pages(book, tmp_path / "pages")
    text = (tmp_path / "pages" / everyone[0].page).read_text()
    assert "The mask is late." in text and "Not written yet." not in text and "0 of 1 passed" in text


def test_what_is_not_answered_is_a_dash_on_the_page_and_empty_in_the_table(tmp_path):
    """An untouched copy too; a person's 0 is a mark."""
    stub = verdict(outcome="missing", message="Not written yet.")
    with closing(Gradebook(tmp_path / "book.sqlite")) as book:
        for name in ("ann", "bo"):
            book.add(SubmissionResult(f"{name}.ipynb", name, None, [stub], 0.5, False), "all")
        (tmp_path / "book.corrections.csv").write_text("learner,exercise,points\nbo,masked_softmax,0\n")
        cells = [line.split(",")[1] for line in plain_csv(book).text.splitlines()[1:]]
        page = write_pages(book, tmp_path / "pages").read_text()
    assert cells == ['""', '"0"'] and re.findall('title="missing">(.*?)<', page) == ["–", "0"]


def test_an_empty_folder_is_told_until_something_is_in_it(tmp_path):
    book = Gradebook(tmp_path / "book")
    book.add(SubmissionResult("one/", "d1", "one/ holds no notebook."), "all")
    (who,) = standing_in(book).learners
    assert (who.name, who.problems) == ("one", ["one/ holds no notebook."])
    book.add(SubmissionResult("one/work.py", "d2", None, [verdict(outcome="accepted")], 0, False), "all")
    (who,) = standing_in(book).learners
    assert (who.points, who.problems) == (2, [])
    assert class_summary(standing_in(book)) == "1 learner; points: median 2 of 2, from 2 to 2."


def test_files_are_told_apart_on_a_learners_page(tmp_path):
    book = Gradebook(tmp_path / "book")
    book.add(SubmissionResult("one/first.py", "d1", None, [verdict()], 0.5, False), "all")
    book.add(SubmissionResult("one/second.py", "d2", None, [verdict(outcome="accepted")], 0.5, False), "all")
    write_pages(book, tmp_path / "pages")
    (who,) = standing_in(book).learners
    text = (tmp_path / "pages" / who.page).read_text()
    assert text.index("one/first.py") < text.index("PyTorch: not yet") < text.index("one/second.py")


def test_the_class_page_says_what_is_wrong_and_what_the_class_has(tmp_path):
    """Hints of known ideas, the layer where no idea is known, the median, and whether it is practice."""
    book = Gradebook(tmp_path / "book")
    idea = {
        "failed_stage": "misconception",
        "misconception": "mask_after_softmax",
        "hint": "Mask the scores first.",
    }
    verdicts = [verdict(**idea), verdict(failed_stage="values"), verdict(outcome="accepted")]
    for i, one in enumerate(verdicts):
        book.add(SubmissionResult(f"u{i}.py", f"d{i}", None, [one], 0.5, True), "all")
    (summary,) = summaries(standing_in(book).learners)
    (misconception,) = (m for m in summary.exercise.misconceptions if m.name == "mask_after_softmax")
    groups = [(finding.idea, finding.hint, len(finding.answers)) for finding in summary.mistakes]
    assert groups == [("mask_after_softmax", misconception.hint, 1), ("values", None, 1)]
    folder = tmp_path / "pages" / "of the class"
    text = [write_pages(book, folder).read_text() for _ in range(2)][1]
    assert "3 learners; points: median 0 of 2, from 0 to 2." in text and "Practice: " in text
    assert all("Practice: " in path.read_text() for path in folder.glob("u?-*.html"))
    book.add(SubmissionResult("u3.py", "d3", None, [verdict(outcome="accepted")], 0.5, False), "all")
    book.add(SubmissionResult("u4.py", "d4", None, [verdict(outcome="accepted")], 0.5, False), "all")
    for i in range(3):
        book.add(SubmissionResult(f"u{i}.py", f"d{i}", None, [verdicts[2]], 0.5, False), "all")
    text = write_pages(book, folder).read_text()
    assert "5 learners; points: median 2 of 2, from 2 to 2." in text and "Practice: " not in text
    assert "Of practice, 3 results are kept" in text
    assert not any("Practice: " in path.read_text() for path in folder.glob("u?-*.html"))
    book.close()


def test_errors_are_one_group_whatever_line_they_quote_and_what_breaks_a_rule_says_how(tmp_path):
    lost = "f is not defined here (NameError in line {}: `{}`)."
    words = [lost.format(3, "a = f(x)"), lost.format(12, "return f(y)[0]")]
    contract = "It must give `(2, 3)`, but gives `(3, 2)`."
    verdicts = [verdict(outcome="error", message=message) for message in words]
    verdicts.append(verdict(failed_stage="contract", message=contract))
    sums = "Each row of weights must sum to 1, but row [0, {}] sums to {}.0000."
    verdicts += [verdict(failed_stage="properties", message=sums.format(i, i + 2)) for i in range(2)]
    with closing(Gradebook(tmp_path / "book")) as book:
        for i, one in enumerate(verdicts):
            book.add(SubmissionResult(f"u{i}.py", f"d{i}", None, [one]), "all")
        (summary,) = summaries(standing_in(book).learners)
        assert [len(mistake.answers) for mistake in summary.mistakes] == [2, 2, 1]
        page = write_pages(book, tmp_path / "pages").read_text()
    assert "no idea that is known: It must give <code>(2, 3)</code>" in page
    assert "no idea that is known: Each row of weights must sum to 1" in page


def test_an_error_whatever_the_inputs_is_one_row(tmp_path):
    lost = [f"math is not defined here (NameError in line {line})." for line in (3, 3, 12)]
    zero = "The answer stops with ZeroDivisionError: division by zero"
    words = [(message, f"inputs {i}") for i, message in enumerate([*lost, zero, zero])]
    with closing(Gradebook(tmp_path / "book")) as book:
        for i, (message, case) in enumerate(words):
            one = verdict(outcome="error", message=message, case=case)
            book.add(SubmissionResult(f"u{i}.py", f"d{i}", None, [one]), "all")
        (summary,) = summaries(standing_in(book).learners)
    assert [len(mistake.answers) for mistake in summary.mistakes] == [3, 2]


@pytest.mark.parametrize(("most", "others"), [(5, 4), (4, 4), (2, 1)])
def test_a_majority_that_computes_the_same_puts_the_reference_in_doubt(tmp_path, most, others):
    same = {"failed_stage": "values", "fingerprint": (2.0, 0.25)}
    idea = {"failed_stage": "misconception", "misconception": "mask_after_softmax"}
    verdicts = [verdict(**idea)] * others + [verdict(**same)] * most
    with closing(Gradebook(tmp_path / "book")) as book:
        for i, one in enumerate(verdicts):
            book.add(SubmissionResult(f"u{i}.py", f"d{i}", None, [one]), "all")
        (summary,) = summaries(standing_in(book).learners)
        page = write_pages(book, tmp_path / "pages").read_text()
    question = "5 of 9 answers to masked_softmax compute the same: is the reference right?"
    assert summary.doubt == (question if most == 5 else "") and (question in page) == (most == 5)
    assert [len(mistake.answers) for mistake in summary.mistakes] == sorted((most, others), reverse=True)


def test_the_page_of_an_empty_class_says_so(tmp_path):
    book = Gradebook(tmp_path / "book")
    text = write_pages(book, tmp_path / "pages").read_text()
    assert "0 learners." in text and "Practice" not in text
    book.close()


def test_the_idea_of_an_edit_keeps_the_hint_of_its_verdict(tmp_path):
    book = Gradebook(tmp_path / "book")
    wrong = verdict(failed_stage="misconception", misconception="edit:an idea", hint="A hint of its own.")
    book.add(SubmissionResult("a.py", "d", None, [wrong], 0.5, False), "all")
    (summary,) = summaries(standing_in(book).learners)
    groups = [(finding.idea, finding.hint, len(finding.answers)) for finding in summary.mistakes]
    assert groups == [("edit:an idea", "A hint of its own.", 1)]
    book.close()


@pytest.mark.slow
def test_the_page_of_a_class_of_300_is_below_two_megabytes(tmp_path):
    """Twelve exercises with answers of 30 lines, half of them right and the others wrong in 15 ways."""
    names = list(all_exercises())[:12]
    numbers = np.linspace(-12.345, 12.345, 12).reshape(3, 4)
    wrong = Difference("scores", (0, 0), 1.0, 2.0, numbers, numbers + 1)
    folder, book = tmp_path / "class", Gradebook(tmp_path / "book")
    folder.mkdir()
    files = [f"learner {number}.py" for number in range(300)]
    book.begin(str(folder), files, Assignment(dict.fromkeys(names, 2.0)), practice=False)
    for number, file in enumerate(files):
        lines = [f"    line_{i} = inputs_of_the_layer + {i}" for i in range(30)]
        code = [f"def {all_exercises()[name].entry}(X):\n" + "\n".join(lines) for name in names]
        data = "\n".join([*code, f"# {number}"]).encode()
        (folder / file).write_bytes(data)
        more = {"misconception": f"idea_{number % 30}", "failed_stage": "misconception", "difference": wrong}
        verdicts = [verdict(name, **(more if number % 2 else {"outcome": "accepted"})) for name in names]
        book.add(SubmissionResult(file, digest_of(data, file), None, verdicts), "all")
    page = write_pages(book, tmp_path / "pages")
    book.close()
    assert "line_29" in page.read_text() and page.stat().st_size < 2_000_000


def test_what_a_learners_page_says_is_worked_out_once(book, monkeypatch):
    calls = []
    counted = standing._counted_verdict
    monkeypatch.setattr(standing, "_counted_verdict", lambda *words: calls.append(words) or counted(*words))
    (who, *_) = (who for who in standing_in(book).learners if who.name == "one")
    assert page_of(who, standing_in(book)) and who.points == 0 and len(calls) == 1
