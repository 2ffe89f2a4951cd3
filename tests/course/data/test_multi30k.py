"""Multi30k: the loader, without and with the data."""

import errno
import gzip
import hashlib
import json
import re
from functools import cache
from http.server import BaseHTTPRequestHandler

import pooch
import pytest
import typer

from autograder.model.paths import ROOT, SHARED_DATA
from benchmarks import translation
from course.data import multi30k
from course.data.download import DataError
from course.data.sentence_pairs import Vocabulary
from tools.serve import serving

CONTENT = gzip.compress(b"Ein Hund.\nZwei Katzen.\n", mtime=0)


@pytest.fixture
def elsewhere(tmp_path, monkeypatch):
    """A cache of its own, and no shared folder."""
    monkeypatch.setenv("ATTENTION_DATA", str(tmp_path))
    monkeypatch.delenv(SHARED_DATA, raising=False)
    return tmp_path / "multi30k"


@pytest.fixture
def server():
    """A server on this machine; gives its address and what it answers, by path."""
    answers = {}

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            body = answers.get(self.path.strip("/"))
            self.send_response(200 if body is not None else 404)
            self.end_headers()
            self.wfile.write(body or b"")

        def log_message(self, *args):
            pass

    with serving(Handler) as address:
        yield address, answers


def expect_content(monkeypatch, content=CONTENT):
    monkeypatch.setitem(multi30k.FILES, "val.de.gz", hashlib.sha256(content).hexdigest())


def test_a_file_is_downloaded_once_checked_and_kept(elsewhere, server, monkeypatch):
    address, answers = server
    expect_content(monkeypatch)
    answers["val.de.gz"] = CONTENT
    assert multi30k.lines("valid", "de", address) == ["Ein Hund.", "Zwei Katzen."]
    assert [path.name for path in elsewhere.iterdir()] == ["val.de.gz"]
    answers.clear()  # from now on it comes from the cache
    assert multi30k.tokenised("valid", "de", address=address) == [
        ["ein", "hund", "."],
        ["zwei", "katzen", "."],
    ]


def test_a_file_with_a_wrong_hash_is_thrown_away(elsewhere, server, monkeypatch):
    address, answers = server
    expect_content(monkeypatch)
    answers["val.de.gz"] = CONTENT + b"!"
    with pytest.raises(DataError, match=r"val\.de\.gz .* has another SHA-256"):
        multi30k.fetch("val.de.gz", address)
    assert not list(elsewhere.iterdir())


def test_a_damaged_file_in_the_cache_is_replaced(elsewhere, server, monkeypatch):
    address, answers = server
    expect_content(monkeypatch)
    answers["val.de.gz"] = CONTENT
    elsewhere.mkdir()
    (elsewhere / "val.de.gz").write_bytes(b"half a fi")
    assert "val.de.gz" in multi30k.missing()
    assert multi30k.fetch("val.de.gz", address).read_bytes() == CONTENT


def test_without_a_network_a_sentence_says_what_to_do(elsewhere, monkeypatch):
    expect_content(monkeypatch)
    with pytest.raises(DataError, match=r"cannot be reached\. If you have val\.de\.gz already"):
        multi30k.fetch("val.de.gz", "http://127.0.0.1:9")


def test_an_address_without_the_file_is_named(elsewhere, server, monkeypatch):
    expect_content(monkeypatch)
    with pytest.raises(DataError, match="answers 404"):
        multi30k.fetch("val.de.gz", server[0])


def test_a_full_disk_is_named(elsewhere, server, monkeypatch):
    expect_content(monkeypatch)

    def full(*args, **more):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(pooch, "retrieve", full)
    with pytest.raises(DataError, match=r"the disk is full: 2 MB are needed\. Set ATTENTION_DATA"):
        multi30k.fetch("val.de.gz", server[0])


def test_a_cache_that_cannot_be_written_is_named(tmp_path, monkeypatch):
    expect_content(monkeypatch)
    (tmp_path / "file").write_text("not a folder")
    monkeypatch.setenv("ATTENTION_DATA", str(tmp_path / "file"))
    monkeypatch.delenv(SHARED_DATA, raising=False)
    with pytest.raises(DataError, match="cannot be kept in"):
        multi30k.fetch("val.de.gz", "http://127.0.0.1:9")


def test_what_is_not_a_gzip_file_is_named(elsewhere, server, monkeypatch):
    address, answers = server
    answers["val.de.gz"] = b"plain text"
    expect_content(monkeypatch, b"plain text")
    with pytest.raises(DataError, match="cannot be read"):
        multi30k.lines("valid", "de", address)


@cache
def real(part, language):
    if multi30k.missing():
        pytest.skip(
            "Multi30k is neither in the cache nor below ATTENTION_SHARED_DATA, and tests download nothing."
        )
    return multi30k.lines(part, language)


def test_the_data_is_pinned_to_one_commit():
    assert multi30k.COMMIT in multi30k.ADDRESS and len(multi30k.COMMIT) == 40
    assert all(len(digest) == 64 for digest in multi30k.FILES.values())
    assert {f"{p}.{e}.gz" for p in multi30k.PARTS.values() for e in multi30k.LANGUAGES} == set(multi30k.FILES)


@pytest.mark.parametrize(("part", "count"), [("train", 29000), ("valid", 1014), ("test", 1000)])
def test_multi30k_has_its_published_size(part, count):
    assert len(real(part, "de")) == len(real(part, "en")) == count


@pytest.mark.parametrize("number", multi30k.PRINTED)
def test_the_sources_samples_come_out(number):
    for language in multi30k.LANGUAGES:
        real("train", language)
        assert multi30k.is_printed(number, language)
        assert not any(token != token.lower() for token in multi30k.sample(number, language))


tokens_once = cache(multi30k.tokens)  # of 58,000 sentences, which two tests count in several ways


@pytest.mark.slow
def test_the_stored_counts_of_the_chapter_are_those_of_the_data_and_hold_no_sentence(monkeypatch):
    monkeypatch.setattr(multi30k, "tokens", tokens_once)
    stored = json.loads((ROOT / "benchmarks" / "results" / "translation_tutorial.json").read_text())
    assert {type(value) for row in stored["rows"] for value in row.values()} == {str, int, bool}
    assert {row["language"] for row in stored["rows"]} == set(multi30k.LANGUAGES)
    real("train", "de")
    assert stored["rows"] == translation.tutorial()


@pytest.mark.slow
def test_one_command_prints_what_the_source_prints(monkeypatch, capsys):
    monkeypatch.setattr(multi30k, "tokens", tokens_once)
    real("train", "de")
    multi30k.main()
    printed = capsys.readouterr().out.splitlines()
    assert len(printed) == 10 and printed[0].startswith("   0 de: ")
    assert printed[-2:] == [
        "de: 18,659 tokens in lower case, 19,205 as written",
        "en: 9,799 tokens in lower case, 10,839 as written",
    ]
    assert len(Vocabulary(multi30k.tokenised("train", "de"))) == 18_659


def test_the_command_says_in_one_sentence_that_there_is_no_network(elsewhere, monkeypatch, capsys):
    monkeypatch.setattr(multi30k.fetch_all, "__defaults__", ("http://127.0.0.1:9",))
    with pytest.raises(typer.Exit) as ended:
        multi30k.main()
    assert ended.value.exit_code == 2
    output = capsys.readouterr()
    assert not output.out
    assert "train.de.gz is needed once from http://127.0.0.1:9, which cannot be reached." in " ".join(
        output.err.split()
    )


def test_no_sentence_of_multi30k_stands_in_the_course():
    """Its terms forbid passing it on: no eight words in a row, marks and capitals aside."""

    def eights(text):
        words = re.findall(r"\w+", text.lower())
        return {tuple(words[i : i + 8]) for i in range(len(words) - 7)}

    theirs = {
        e
        for part in multi30k.PARTS
        for lang in multi30k.LANGUAGES
        for s in real(part, lang)
        for e in eights(s)
    }
    assert len(theirs) > 100_000
    ours = [p for name in ("chapters", "course", "tests", "benchmarks") for p in (ROOT / name).rglob("*.*")]
    for path in ours:
        if path.suffix not in (".py", ".ipynb", ".json") or path.stem == "errata":
            continue  # the errata quote one sentence that a source prints, to show what is wrong with it
        assert not eights(path.read_text()) & theirs, path


def test_joining_tokens_again_gives_bleu_the_sentences_as_they_were_written():
    import sacrebleu

    metric = sacrebleu.BLEU(lowercase=True)
    sentences = real("test", "en")
    joined = [multi30k.joined(sentence) for sentence in multi30k.tokenised("test", "en")]
    assert metric.corpus_score(joined, [sentences]).score > 99.5
