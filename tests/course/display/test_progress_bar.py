"""The progress bar."""

from course.display import progress_bar


def test_a_bar_passes_everything_on_and_leaves_nothing_behind(monkeypatch):
    assert list(progress_bar.progress(iter("abc"), 3)) == ["a", "b", "c"]
    drawn = []
    monkeypatch.setattr(progress_bar, "_notebook_display", lambda: drawn.append)
    monkeypatch.setattr(progress_bar, "SECONDS", -1)
    assert list(progress_bar.progress(iter("ab"), 2, what="<b>")) == ["a", "b"]
    assert ['value="0" max="2"' in html for html in drawn] == [True, False, False]
    assert "&lt;b&gt;: 1 of 2" in drawn[1] and drawn[-1] == ""
