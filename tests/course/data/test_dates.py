"""Dates in sixteen languages, and which letters say what."""

from course.data import dates


def test_dates_say_in_sixteen_languages_what_iso_says():
    assert len(set(dates.LOCALES)) == 16
    text, places = dates.format_date(dates.date(2024, 3, 7), "de", "full")
    assert text == "Donnerstag, 7. März 2024"
    fields = {field: "".join(text[i] for i in sorted(at)) for field, at in places.items()}
    assert fields == {"day": "7", "month": "März", "year": "2024"}
    pair = dates.pair(dates.date(2024, 3, 7), "en_US", "long")
    assert "".join(pair.source) == "March 7, 2024" and "".join(pair.target) == "2024-03-07"


def test_no_two_dates_are_written_alike():
    iso_of = {}
    for pair in dates.pairs(8000, seed=11):
        assert iso_of.setdefault(pair.source, pair.target) == pair.target


def test_the_gold_alignment_of_a_date_points_at_its_fields():
    for pair in dates.pairs(300, seed=2):
        assert len(pair.gold) == len(pair.target) == len(pair.content) == 10
        year = "".join(pair.source[i] for i in sorted(pair.gold[0]))
        assert year == "".join(pair.target[:4])
        assert int("".join(pair.source[i] for i in sorted(pair.gold[9]))) == int("".join(pair.target[8:]))
        assert not pair.gold[4] and not pair.content[4]
