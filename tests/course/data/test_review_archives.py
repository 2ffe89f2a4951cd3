"""Real reviews: how their archives come, and what they hold."""

import hashlib
import io
import json
import tarfile
from dataclasses import replace

import numpy as np
import pytest

from autograder.model.paths import SHARED_DATA
from course.data import archives, review_archives, reviews
from course.data.download import DataError


def packed(members):
    """A tar.gz of names and bytes."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        for name, data in members.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
    return buffer.getvalue()


def little_archive(name):
    """The form of an archive, with few reviews of our own."""
    if name == "uci":
        entries = {
            source: json.dumps(
                [{"text": "", "class": None}, {"text": f"A {source} I don’t like!", "class": 0}]
            )
            for source in ("amazon", "imdb", "yelp")
        }
        return packed({f"package/test/fixtures/{s}.json": t.encode() for s, t in entries.items()})
    rows = "1\t2.5\tA fine caf\xe9\r\n2\t0.2\tSo so\r\n3\t-1.0\tDull\r\n"
    inner = packed({"hutto_ICWSM_2014/movieReviewSnippets_GroundTruth.txt": rows.encode("latin-1")})
    return packed({"vaderSentiment-3.3.2/additional_resources/hutto_ICWSM_2014.tar.gz": inner})


@pytest.fixture
def empty(tmp_path, monkeypatch):
    """A machine that has no archive yet."""
    monkeypatch.setenv("ATTENTION_DATA", str(tmp_path))
    monkeypatch.delenv(SHARED_DATA, raising=False)
    return tmp_path / "reviews"


def pretend(monkeypatch, name, data, script):
    """Expect other bytes, and put a shell script in the client's place; its last argument is the folder."""
    archive = review_archives.ARCHIVES[name]
    other = replace(
        archive, sha256=hashlib.sha256(data).hexdigest(), command=("sh", "-c", script, "client"), into="into"
    )
    monkeypatch.setitem(review_archives.ARCHIVES, name, other)
    return other


@pytest.mark.parametrize("name", ["uci", "films"])
def test_a_client_brings_an_archive_once_and_it_is_read_without_unpacking(empty, tmp_path, monkeypatch, name):
    data = little_archive(name)
    (tmp_path / "offered").write_bytes(data)
    file = review_archives.ARCHIVES[name].file
    pretend(monkeypatch, name, data, f'cp {tmp_path}/offered "$2/{file}"; echo >> {tmp_path}/calls')
    texts = review_archives.real_reviews(name)
    assert review_archives.real_reviews(name) == texts
    assert (tmp_path / "calls").read_text() == "\n", "the client was called again"
    assert [path.name for path in empty.iterdir()] == [file]
    if name == "uci":
        assert texts[0] == reviews.Review(("a", "amazon", "i", "don't", "like", "!"), 0)
    else:
        assert [(r.words[-1], r.label) for r in texts] == [("caf", 1), ("dull", 0)]


def test_an_archive_with_another_hash_is_thrown_away(empty, monkeypatch):
    archive = pretend(monkeypatch, "uci", b"wanted", "")
    script = f'printf other > "$2/{archive.file}"'
    monkeypatch.setitem(review_archives.ARCHIVES, "uci", replace(archive, command=("sh", "-c", script, "x")))
    with pytest.raises(DataError, match="another SHA-256"):
        review_archives.ARCHIVES["uci"].fetch()
    assert not list(empty.iterdir())


def test_without_a_network_the_clients_own_last_words_and_a_way_out_are_said(empty, monkeypatch):
    pretend(monkeypatch, "films", b"", "echo details >&2; echo no route to anywhere >&2; exit 1")
    with pytest.raises(DataError, match=r"did not bring .*no route to anywhere.*another machine"):
        review_archives.ARCHIVES["films"].fetch()


def test_without_a_client_the_sentence_names_it(empty, monkeypatch):
    monkeypatch.setattr(archives.shutil, "which", lambda name: None)
    with pytest.raises(DataError, match=r"npm is needed to fetch sentiment-5\.0\.2\.tgz"):
        review_archives.ARCHIVES["uci"].fetch()


def test_a_client_that_hangs_is_given_up(empty, monkeypatch):
    archive = pretend(monkeypatch, "uci", b"", "sleep 9")
    with pytest.raises(DataError, match="gave no answer"):
        replace(archive, seconds=0.2).fetch()


def test_where_nothing_can_be_kept_the_sentence_names_the_folder(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("ATTENTION_DATA", str(tmp_path / "file"))
    monkeypatch.delenv(SHARED_DATA, raising=False)
    monkeypatch.setattr(archives.shutil, "which", lambda name: name)
    with pytest.raises(DataError, match=r"cannot be kept in .*ATTENTION_DATA"):
        review_archives.ARCHIVES["uci"].fetch()


def test_a_damaged_archive_is_named(empty, monkeypatch):
    archive = pretend(monkeypatch, "uci", b"no archive", "")
    empty.mkdir()
    (empty / archive.file).write_bytes(b"no archive")
    with pytest.raises(DataError, match="cannot be read"):
        review_archives.real_reviews("uci")
    with pytest.raises(ValueError, match="no reviews named 'tweets'"):
        review_archives.real_reviews("tweets")


@pytest.mark.parametrize(("name", "count", "praised"), [("uci", 2979, 0.5), ("films", 10070, 0.5)])
def test_the_real_archives_hold_what_the_chapter_says(name, count, praised):
    if review_archives.ARCHIVES[name].at_hand() is None:
        pytest.skip(f"{review_archives.ARCHIVES[name].file} is neither in the cache nor below {SHARED_DATA}.")
    dealt = review_archives.real_splits(name)
    everything = [*dealt.train, *dealt.valid, *dealt.test]
    assert len(everything) == count == len({review.words for review in everything})
    assert abs(np.mean([review.label for review in everything]) - praised) < 0.05
