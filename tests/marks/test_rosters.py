"""The files of real universities: their encodings, languages and numbers, and what people have written there."""

import csv
import io
import unicodedata
from contextlib import closing

import pytest

from autograder.marks.exports.canvas import canvas
from autograder.marks.exports.export import MAX_SHOWN
from autograder.marks.exports.moodle import moodle
from autograder.marks.exports.roster import Overwriting, read_roster, same
from autograder.marks.gradebook import Gradebook
from autograder.marks.tables import number_in
from autograder.model.errors import UsageError
from autograder.model.results import SubmissionResult
from autograder.model.text import few
from tests.support import verdict

GERMAN = (
    "ID,Vollständiger Name,ID-Nummer,E-Mail-Adresse,Status,Bewertung,Bestwertung,Bewertung kann geändert werden,"
    "Zuletzt geändert (Abgabe),Zuletzt geändert (Bewertung),Feedback als Kommentar"
)
FRENCH = (
    "Identifiant;Nom complet;Adresse de courriel;Statut;Note;Note maximale;La note peut être modifiée;"
    "Dernière modification (travail remis);Dernière modification (note);Feedback par commentaires"
)
SPANISH = (
    "Identificador\tNombre completo\tGrupo\tEstado\tCalificación\tCalificación máxima\tLa calificación puede ser cambiada\t"
    "Última modificación (calificación)"
)
JAPANESE = "識別子,フルネーム,メールアドレス,ステータス,評定,最大評定,評定変更可,最終更新日時 (評定),フィードバックコメント"
CANVAS = ["Student", "ID", "SIS Login ID", "Section", "Attention (1)", "Final Score"]


@pytest.fixture
def book(tmp_path):
    """Two learners with 2 and 0 of 2 points."""
    opened = Gradebook(tmp_path / "book")
    for name, outcome in (("Zoë Müller", "accepted"), ("Ann Lee", "rejected")):
        opened.add(SubmissionResult(f"{name}/a.py", name, None, [verdict(outcome=outcome)]), "all")
    yield opened
    opened.close()


def rows(export, separator=","):
    return list(csv.reader(io.StringIO(export.text, newline=""), delimiter=separator))


def table(path, *lines, encoding="utf-8", separator=","):
    output = io.StringIO()
    csv.writer(output, delimiter=separator).writerows(lines)
    path.write_bytes(output.getvalue().encode(encoding))
    return path


def lines(path, *text, encoding="utf-8"):
    path.write_bytes("\r\n".join([*text, ""]).encode(encoding))
    return path


def graded(tmp_path, *cells, header=CANVAS, **more):
    """A table of Canvas with these marks for Zoë and Ann."""
    people = [["Müller, Zoë", "1", "zm", "A"], ["Lee, Ann", "2", "al", "A"]]
    both = [[*person, cell, ""] for person, cell in zip(people, cells, strict=True)]
    return table(
        tmp_path / "canvas.csv",
        header,
        ["    Points Possible", "", "", "", "2", "(read only)"],
        *both,
        **more,
    )


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "cp1252"])
@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_a_table_is_read_in_any_encoding_and_with_any_separator(tmp_path, book, encoding, separator):
    export = canvas(book, graded(tmp_path, "", "", encoding=encoding, separator=separator), "Attention")
    output = rows(export, separator)
    assert [row[0] for row in output] == ["Student", "    Points Possible", "Müller, Zoë", "Lee, Ann"]
    assert [row[4] for row in output] == ["Attention (1)", "2", "2", "0"] and export.unmatched == ()
    assert any("what is written is in UTF-8" in words for words in export.notes) is (encoding[:5] != "utf-8")


def test_a_byte_order_mark_of_the_other_order_is_read(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes("\ufeffStudent,ID\nZoë,1\n".encode("utf-16-be"))
    assert read_roster(path).header == ["Student", "ID"] and read_roster(path).rows == [["Zoë", "1"]]


def test_excels_first_line_is_not_the_header(tmp_path):
    roster = read_roster(
        lines(tmp_path / "a.csv", "SEP=;", "Student;ID", "Lee, Ann, MSc, PhD;1;more", "short", "")
    )
    assert roster.header == ["Student", "ID"] and roster.rows == [["Lee, Ann, MSc, PhD", "1"], ["short", ""]]
    assert (roster.separator, roster.comma) == (";", False)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"\x81\xff\xfe", "not a CSV file in UTF-8, UTF-16 or Windows-1252"),
        (b"\xff\xfea", "not a CSV file in UTF-8, UTF-16 or Windows-1252"),
        (b'Student,ID\n"' + b"a" * 200_000 + b'"\n', "cannot be read as CSV: field larger"),
        (b"", "has no column Student"),
        (b"Name,ID,SIS Login ID,A (1)\nAnn,1,a,\n", "has no column Student, nor LastName and FirstName"),
        (b"a,b\n1,2\n", "has no column Student"),
    ],
)
def test_what_is_no_table_is_a_sentence(tmp_path, book, data, words):
    (tmp_path / "a.csv").write_bytes(data)
    with pytest.raises(UsageError, match=words):
        canvas(book, tmp_path / "a.csv", "Attention")
    with pytest.raises(UsageError, match="cannot be read: No such file"):
        canvas(book, tmp_path / "none.csv", "Attention")


def test_numbers_are_read_with_a_point_or_a_comma():
    texts = (
        "100,00",
        "85.50",
        " 7 ",
        "1.234,5",
        "1,234.5",
        "-0,5",
        "12",
        "",
        "-",
        "EX",
        "1 2",
        "A1",
        ".",
        ".5",
        "+5",
    )
    numbers = [100, 85.5, 7, 1234.5, 1234.5, -0.5, 12, None, None, None, None, None, None, 0.5, 5]
    assert [number_in(text) for text in texts] == numbers
    assert (
        same("50,00", "50.0")
        and same(" a ", "a")
        and same("1.001", "1")
        and same("1", "1.001")
        and not same("1.04", "1")
        and same("", " ")
    )
    assert not same("50", "50.01") and not same("5", "five") and not same("a", "b")


def test_german_moodle_is_filled_in_with_decimal_commas(tmp_path, book):
    roster = lines(
        tmp_path / "moodle.csv", GERMAN,
        'Teilnehmer/in1,Zoë Müller,12,z@uni.example,Zur Bewertung abgegeben,-,"24,00",Ja,"Mo, 1.",-,',
        'Teilnehmer/in2,Ann Lee,13,a@uni.example,Zur Bewertung abgegeben,,"24,00",Ja,"Mo, 1.",-,',
        'Teilnehmer/in3,Bo,14,b@uni.example,Keine Abgabe,"3,50","24,00",Ja,-,-,"Siehe\nmich, +1"',
    )  # fmt: skip
    export = moodle(book, roster)
    output = rows(export)
    assert ",".join(output[0]) == GERMAN
    assert export.notes == ("Marks are scaled from 2 to Moodle's 24 points.",)
    assert [row[5] for row in output[1:]] == ["24,00", "0,00", "3,50"]
    assert output[1][10].startswith("masked_softmax: accepted") and output[3][10] == "Siehe\nmich, +1"


def test_a_row_of_moodle_whose_number_and_name_disagree_is_named(tmp_path):
    with closing(Gradebook(tmp_path / "other")) as book:
        for who, i in (("Chloé ONeill", 1), ("Bo Lee", 2)):
            book.add(SubmissionResult(f"{who} (Moodle {i})/a.py", who, None, [verdict()]), "all")
        cells = "Participant 1,Chloé O'Neill,,-,,", "Participant 2,Ann Lee,,-,,"
        header = "Identifier,Full name,Email address,Grade,Maximum Grade,Feedback comments"
        sentences = moodle(book, lines(tmp_path / "moodle.csv", header, *cells), practice=True).notes
    assert [words for words in sentences if "by the number" in words] == [
        "Ann Lee gets the mark of Bo Lee (Moodle 2), by the number: is it the assignment's own worksheet?"
    ]


def test_moodle_in_other_languages_is_known_by_what_it_holds(tmp_path, book):
    roster = lines(
        tmp_path / "moodle.csv", FRENCH,
        "Participant 1;Zoë Müller;z@uni.example;Remis;-;20,00;Oui;lundi;-;",
        "Participant 2;Ann Lee;;Remis;4,5;20,00;Oui;mardi;jeudi;bien",
    )  # fmt: skip
    export = moodle(book, roster, overwriting=Overwriting.replaced)
    output = rows(export, ";")
    assert [row[4] for row in output[1:]] == ["20,00", "0,00"]
    assert output[2][9].startswith("masked_softmax: rejected") and output[2][8] == "jeudi"
    sentence = export.notes[0]
    for words in ("identifier is 'Identifiant'", "name is 'Nom complet'", "email is 'Adresse de courriel'",
                  "grade is 'Note'", "maximum is 'Note maximale'", "comments is 'Feedback par commentaires'"):  # fmt: skip
        assert words in sentence


def test_moodles_dates_are_not_taken_for_comments(tmp_path, book):
    roster = lines(
        tmp_path / "moodle.csv", SPANISH,
        "Participante 1\tZoë Müller\t3\tEnviado\t-\t10.00\tSí\t-",
        "Participante 2\tAnn Lee\t3\tEnviado\t\t10.00\tSí\tlunes",
    )  # fmt: skip
    output = rows(moodle(book, roster), "\t")
    assert [row[4:] for row in output[1:]] == [
        ["10.00", "10.00", "Sí", "-"],
        ["0.00", "10.00", "Sí", "lunes"],
    ]


def test_a_name_in_the_other_script_is_found_in_a_japanese_table(tmp_path, book):
    book.add(SubmissionResult("山田 花子/a.py", "y", None, [verdict(outcome="accepted")]), "all")
    roster = lines(
        tmp_path / "moodle.csv", JAPANESE,
        "参加者1,山田 花子,y@uni.example,提出済み,,5,Yes,-,", "参加者2,Ann Lee,a@uni.example,提出済み,,5,Yes,-,",
    )  # fmt: skip
    export = moodle(book, roster)
    assert [row[4] for row in rows(export)[1:]] == ["5.00", "0.00"]
    assert export.unmatched == ("Zoë Müller: no row has this name or number",)


def test_columns_are_named_by_hand_where_nothing_tells_them(tmp_path, book):
    roster = table(
        tmp_path / "list.csv",
        ["Wer", "Punkte", "Worte", "Max"],
        ["Ann Lee", "", "", "x"],
        ["Bo", "7", "", "y"],
    )
    with pytest.raises(UsageError, match="no column that is known for email, number, identifier, name"):
        moodle(book, roster)
    with pytest.raises(UsageError, match="no column that is known for the grades, and Moodle would wipe"):
        moodle(book, roster, column_names={"name": "Wer"})
    columns = {"name": "Wer", "grade": "Punkte", "comments": "Worte"}
    export = moodle(book, roster, column_names=columns)
    assert [row[1] for row in rows(export)[1:]] == ["0.00", "7"] and export.notes == ()
    assert rows(export)[1][2].startswith("masked_softmax: rejected")
    for wrong in ({"mark": "Punkte"}, {"grade": "Points"}):
        with pytest.raises(
            UsageError, match=r"names no column of .*list\.csv: say one of email, .*Wer, Punkte"
        ):
            moodle(book, roster, column_names=columns | wrong)


def test_a_column_named_by_hand_takes_the_place_of_the_one_that_is_known(tmp_path, book):
    header = ["Full name", "Grade", "Second grade", "Maximum Grade"]
    roster = table(tmp_path / "list.csv", header, ["Zoë Müller", "3", "", "10"])
    export = moodle(book, roster, column_names={"grade": "Second grade"})
    assert rows(export)[1] == ["Zoë Müller", "3", "10.00", "10"]
    export = moodle(book, roster, column_names={"grade": "Second grade"}, scaled=False)
    assert rows(export)[1] == ["Zoë Müller", "3", "2.00", "10"] and export.notes == ()


def test_canvas_with_two_columns_for_names(tmp_path, book):
    header = ["LastName", "FirstName", "ID", "SIS User ID", "Integration ID", "Root Account", "Section", "Notes",
              "Attention (1)"]  # fmt: skip
    roster = table(
        tmp_path / "canvas.csv", header,
        ["", "", "", "", "", "", "", "", "Manual Posting"],
        ["    Points Possible", "", "", "", "", "", "", "", "2"],
        [unicodedata.normalize("NFD", "Müller"), "Zoë", "1", "s1", "i1", "r", "A", "late", ""],
        ["Lee", "Ann", "2", "s2", "i2", "r", "A", "", ""],
    )  # fmt: skip
    output = rows(canvas(book, roster, "Attention"))
    assert output[0] == [*header[:7], "Attention (1)"]
    assert [row[7] for row in output[1:]] == ["Manual Posting", "2", "2", "0"]
    assert output[2][0] == "    Points Possible" and output[3][1:4] == ["Zoë", "1", "s1"]


def test_canvass_points_are_left_alone_and_marks_scaled_to_them_unless_said(tmp_path, book):
    roster = graded(tmp_path, "", "")
    text = roster.read_text().replace("Possible,,,,2,", "Possible,,,,75,")
    roster.write_text(text)
    export = canvas(book, roster, "Attention")
    assert [row[4] for row in rows(export)[1:]] == ["75", "75", "0"]
    assert export.notes == ("Marks are scaled from 2 to Canvas's 75 points.",)
    export = canvas(book, roster, "Attention", scaled=False)
    assert [row[4] for row in rows(export)[1:]] == ["75", "2", "0"] and export.notes == ()
    roster.write_text(text.replace(",75,", ',"12,50",'))
    assert [row[4] for row in rows(canvas(book, roster, "Attention"))[1:]] == ["12,50", "12,5", "0"]
    roster.write_text(text.replace(",75,", ",(read only),"))
    assert [row[4] for row in rows(canvas(book, roster, "Attention"))[1:]] == ["(read only)", "2", "0"]


def test_what_a_person_wrote_is_refused_kept_or_replaced_and_always_said(tmp_path, book):
    roster = graded(tmp_path, "EX", "0.0")
    with pytest.raises(UsageError, match=r"not these: Müller, Zoë: EX \(here 2\)\. Say --keep"):
        canvas(book, roster, "Attention")
    export = canvas(book, roster, "Attention", overwriting=Overwriting.kept)
    assert [row[4] for row in rows(export)[2:]] == ["EX", "0"]
    assert export.notes == ("Müller, Zoë: EX (here 2) is kept",)
    export = canvas(book, roster, "Attention", overwriting=Overwriting.replaced)
    assert [row[4] for row in rows(export)[2:]] == ["2", "0"]
    assert export.notes == ("Müller, Zoë: EX (here 2) is replaced",)


def test_a_comment_of_an_assistant_stays(tmp_path, book):
    header = ["Full name", "Grade", "Maximum Grade", "Feedback comments"]
    cells = [["Zoë Müller", "85.50", "100", "TA: see me!"], ["Ann Lee", "–", "100", " "]]
    roster = table(tmp_path / "moodle.csv", header, *cells)
    with pytest.raises(
        UsageError, match=r"Zoë Müller: 85.50 \(here 100.00\); Zoë Müller: TA: see me! \(here masked"
    ):
        moodle(book, roster)
    export = moodle(book, roster, overwriting=Overwriting.kept)
    assert rows(export)[1] == cells[0] and rows(export)[2][1] == "0.00" and len(export.notes) == 3
    export = moodle(book, roster, overwriting=Overwriting.replaced)
    assert rows(export)[1][1] == "100.00" and "accepted" in rows(export)[1][3]
    again = table(tmp_path / "moodle.csv", *rows(export))
    assert rows(moodle(book, again)) == rows(export)


def test_two_long_comments_are_shown_where_they_differ(tmp_path, book):
    rest = "masked_softmax: accepted. It computes the reference on all cases, values and gradients."
    book.add(
        SubmissionResult("Zoë Müller.py", "z", None, [verdict(outcome="accepted", message=rest[26:])]), "all"
    )
    roster = table(tmp_path / "m.csv", ["Full name", "Grade", "Feedback comments"], ["Zoë Müller", "", rest])
    (sentence,) = moodle(book, roster, overwriting=Overwriting.kept).notes
    assert sentence.startswith("Zoë Müller: …") and "gradients. (here …" in sentence and "Graded" in sentence


def test_why_a_file_could_not_be_read_comes_first_in_a_comment(tmp_path, book):
    book.add(SubmissionResult("Ann Lee/b.py", "b", "b.py is not UTF-8" + "!" * 400), "all")
    roster = table(tmp_path / "m.csv", ["Full name", "Grade", "Feedback comments"], ["Ann Lee", "", ""])
    words = rows(moodle(book, roster))[1][2]
    assert words.startswith("b.py is not UTF-8!!!") and words.index("masked_softmax: rejected") == 301


def test_a_refusal_names_ten_and_counts_the_rest(tmp_path):
    book = Gradebook(tmp_path / "many")
    header, people = ["Full name", "Grade"], [[f"u{i:02}", "9"] for i in range(12)]
    for name, _ in people:
        book.add(SubmissionResult(f"{name}.py", name, None, [verdict()]), "all")
    with pytest.raises(UsageError) as refused:
        moodle(book, table(tmp_path / "m.csv", header, *people))
    assert "u09: 9 (here 0.00); and 2 more. Say" in str(refused.value) and "u10" not in str(refused.value)
    with pytest.raises(UsageError) as refused:
        moodle(book, table(tmp_path / "m.csv", header, *people[:10]))
    assert "u09: 9 (here 0.00). Say" in str(refused.value)
    with pytest.raises(UsageError) as refused:
        moodle(book, table(tmp_path / "m.csv", header, ["nobody at all", ""]))
    assert "has a row for nobody in the gradebook. u00: no row has" in str(refused.value)
    assert "u09" in str(refused.value) and str(refused.value).endswith("number; and 2 more.")
    assert [few(["a"] * many, MAX_SHOWN, "; ") for many in (10, 11)] == [
        "; ".join(["a"] * 10),
        "; ".join(["a"] * 10) + "; and 1 more",
    ]
    book.close()
    book = Gradebook(tmp_path / "empty")
    assert rows(moodle(book, table(tmp_path / "m.csv", header, ["a", ""])))[1] == ["a", ""]
    book.close()


def test_who_has_no_row_is_told_with_the_nearest(tmp_path):
    book = Gradebook(tmp_path / "more")
    names = ("Jose Perez", "leeann (Canvas 9)", "stranger", "known", "Perez, José (Canvas 2)")
    for name in names:
        book.add(SubmissionResult(f"{name}/a.py", name, None, [verdict()]), "all")
    people = [["Pérez Gómez, José", "1", "jp", "A"], ["Lee, Ann", "3", "al", "A"], ["Known", "4", "", "A"],
              ["Pérez, Josef", "2", "jf", "A"], ["Lee, Anna", "5", "aa", "A"]]  # fmt: skip
    export = canvas(book, table(tmp_path / "c.csv", CANVAS, *[[*p, "", ""] for p in people]), "Attention")
    assert export.unmatched == (
        "Jose Perez: no row has this name or number; the nearest: Pérez Gómez, José",
        "leeann (Canvas 9): no row has this name or number; the nearest: Lee, Ann or Lee, Anna",
        "stranger: no row has this name or number",
    )
    assert [row[4] for row in rows(export)[1:]] == ["", "", "0", "0", ""]
    book.close()


def test_learners_may_be_called_by_any_name_or_number_of_canvas(tmp_path):
    book = Gradebook(tmp_path / "more")
    for name in ("S1", "2", "l3", "lee, ann", "BO LEE", "Canvas 7"):
        book.add(SubmissionResult(f"{name}/a.py", name, None, [verdict(outcome="accepted")]), "all")
    header = ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", "Attention (1)"]
    people = [["A", "1", "s1", "l1"], ["B", "2", "s2", "l2"], ["C", "3", "s3", "l3"], ["Lee, Ann", "4", "", ""],
              ["Lee, Bo", "5", "", ""], ["Canvas", "7", "", ""]]  # fmt: skip
    export = canvas(book, table(tmp_path / "c.csv", header, *[[*p, "A", ""] for p in people]), "Attention")
    assert [row[5] for row in rows(export)[1:]] == ["2"] * 5 + [""] and len(export.unmatched) == 1
    book.close()


def test_the_three_nearest_are_enough(tmp_path):
    book = Gradebook(tmp_path / "more")
    for name in ("Kimberly", "known"):
        book.add(SubmissionResult(f"{name}/a.py", name, None, [verdict()]), "all")
    roster = [["Full name", "Grade"], ["Kimberley", ""], ["Kimberly A", ""], ["Kimberl", ""], ["Kim", ""], ["known", ""],
              ["Kimberly Bo", ""], ["Kimxxxxx", ""]]  # fmt: skip
    (line,) = moodle(book, table(tmp_path / "m.csv", *roster)).unmatched
    assert line.endswith("; the nearest: Kimberley or Kimberl or Kimberly A")
    (line,) = moodle(book, table(tmp_path / "m.csv", roster[0], ["known", ""], ["Kimxxxxx", ""])).unmatched
    assert line == "Kimberly: no row has this name or number"
    book.close()


def test_a_surer_name_decides_before_another(tmp_path):
    """The number of a download first, then login, numbers and names, in either order of the words."""
    book = Gradebook(tmp_path / "more")
    for name, outcome in (("x (Canvas 1)", "accepted"), ("al", "rejected"), ("Ann Lee", "rejected")):
        book.add(SubmissionResult(f"{name}/a.py", name, None, [verdict(outcome=outcome)]), "all")
    roster = table(tmp_path / "c.csv", CANVAS, ["Lee, Ann", "1", "al", "A", "", ""])
    export = canvas(book, roster, "Attention")
    assert rows(export)[1][4] == "2" and [words.split(":")[0] for words in export.unmatched] == [
        "al",
        "Ann Lee",
    ]
    roster = table(tmp_path / "c.csv", CANVAS, ["Lee, Ann", "7", "", "A", "", ""])
    export = canvas(book, roster, "Attention")
    assert rows(export)[1][4] == "0" and [words.split(":")[0] for words in export.unmatched] == [
        "al",
        "x (Canvas 1)",
    ]
    book.close()


def test_what_is_not_ours_is_given_back_as_it_was(tmp_path, book):
    comment = "-1 point\nfor style" + "!" * 3000
    header = ["Full name", "=Grade", "Feedback comments", "Grade"]
    roster = table(tmp_path / "m.csv", header, ["Bo", "=1+1", comment, "3"], ["Zoë Müller", "+2", "", ""])
    output = rows(moodle(book, roster))
    assert output[0] == header and output[1] == ["Bo", "=1+1", comment, "3"] and output[2][1:2] == ["+2"]
