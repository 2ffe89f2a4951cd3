"""The changelog: its versions are those that the code has had, and each entry is short and has a kind of change."""

import re
import tomllib
from datetime import date

from autograder import __version__
from autograder.model.paths import ROOT

CHANGELOG = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
VERSION = re.compile(r"## \[(\d+)\.(\d+)\.(\d+)\] - (\d{4}-\d\d-\d\d)")
# The kinds of change of Keep a Changelog.
KINDS = ["Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"]


def test_what_is_released_is_this_version_and_older_ones():
    released = re.findall(r"^## (?!\[Unreleased\]).*", CHANGELOG, re.MULTILINE)
    matches = [VERSION.fullmatch(heading) for heading in released]
    assert all(matches), f"write '## [1.2.3] - 2026-11-21': {released}"
    versions = [tuple(int(n) for n in match.groups()[:3]) for match in matches]
    dates = [date.fromisoformat(match[4]) for match in matches]
    assert ".".join(map(str, versions[0])) == __version__
    assert versions == sorted(set(versions), reverse=True) and dates == sorted(dates, reverse=True)


def test_every_entry_stands_under_a_kind_of_change():
    for version in CHANGELOG.split("\n## ")[1:]:
        name, *kinds = version.split("\n### ")
        titles = [kind.partition("\n")[0] for kind in kinds]
        assert titles == [kind for kind in KINDS if kind in titles], name
        assert not re.search(r"^- ", name, re.MULTILINE), f"{name}: an entry above the first kind"
        assert all(re.search(r"^- ", kind, re.MULTILINE) for kind in kinds), f"{name}: an empty kind"


def test_every_entry_and_every_fragment_is_short():
    fragments = list((ROOT / "changes.d").glob("*.md"))
    kinds = "|".join(KINDS).lower()
    assert [f.name for f in fragments if not re.fullmatch(rf"\+\w+\.({kinds})\.md", f.name)] == []
    entries = re.findall(r"^- (.*(?:\n  .*)*)", CHANGELOG, re.MULTILINE)
    entries += [fragment.read_text(encoding="utf-8") for fragment in fragments]
    assert [entry for entry in entries if len(entry.split()) > 25] == []


def test_a_release_takes_the_fragments_under_the_kinds_of_the_changelog():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["towncrier"]
    assert [kind["name"] for kind in settings["type"]] == KINDS
    assert CHANGELOG.count("\n<!-- towncrier release notes start -->\n\n## ") == 1


def test_who_cites_the_course_names_this_version():
    assert f"\nversion: {__version__}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
