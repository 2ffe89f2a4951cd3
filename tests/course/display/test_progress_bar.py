"""The progress bar."""

from course.display import progress_bar


def test_a_bar_passes_everything_on_and_leaves_nothing_behind(monkeypatch):
    assert list(progress_bar.progress(iter("abc"), 3)) == ["a", "b", "c"]
    displays = []
    monkeypatch.setattr(progress_bar, "_notebook_display", lambda: displays.append)
    monkeypatch.setattr(progress_bar, "SECONDS", -1)
    assert list(progress_bar.progress(iter("ab"), 2, what="<b>")) == ["a", "b"]
    assert ['value="0" max="2"' in html for html in displays] == [True, False, False]
    assert "&lt;b&gt;: 1 of 2" in displays[1] and displays[-1] == ""
