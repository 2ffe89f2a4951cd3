"""Fill the head of a page: theme and scripts, its description, and where the book is published.

Where the book is published is not known to the book. `html_baseurl` and `book_repository` in `_config.yml`
say so, or the variables BOOK_URL and BOOK_REPOSITORY; while they are empty, nothing points anywhere.
"""

from __future__ import annotations

import os
import re
import subprocess
import time
from collections.abc import Callable
from functools import cache
from html import escape, unescape
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.environment import BuildEnvironment

from autograder import __version__
from autograder.book.contents import file_of
from autograder.book.edition import names_to_leave_out
from autograder.copies.hosting import COLAB, colab
from autograder.frameworks import frameworks
from autograder.model.paths import ROOT

from .pairs import OPENS_FIRST

HERE = Path(__file__).parent
# What no page loads: icons as a script and as fonts (`icons.py`), maps for debugging the theme, and templates
# that the theme reads while the book is built, whose links lead nowhere.
UNUSED = (
    "scripts/fontawesome.js*",
    "vendor/fontawesome/webfonts/*",
    "scripts/*.map",
    "styles/*.map",
    "*macros.html",
)
# These must run where they stand: a line of script behind the first one uses it at once.
IMMEDIATE = ("documentation_options.js",)
# Where a page shows code of a framework, its title leaves room for the switch, which a script puts there: else all that
# is below would move on a narrow page.
OF_A_FRAMEWORK, ROOM = 'data-sync-group="framework"', '<div class="framework-room"></div>'
# Shown until the first script of a page has run, so where a browser or a host's policy lets none run.
STILL = (
    '<div class="no-scripts">The scripts in this page do not run here: this browser or this host forbids it. Figures '
    "stand still, and answers cannot be checked.</div>"
)
DESCRIPTION = 200  # characters that a search engine or a messenger shows
PREVIEW = "_static/page.png"
KNOWN_HOSTS = ("github", "gitlab", "bitbucket")
# Where a chapter can be opened and run with nothing to install; `.binder/` says how it is set up there.
BINDER = {"binderhub_url": "https://mybinder.org", "notebook_interface": "jupyterlab"}


def published(app: Sphinx, config: Config) -> None:
    """Link the repository, where one is named, say in the footer how old this is, and add the page for no page."""
    config.html_baseurl = os.environ.get("BOOK_URL", config.html_baseurl)
    repository = os.environ.get("BOOK_REPOSITORY", config.book_repository)
    options = config.html_theme_options
    if repository:
        options |= {"repository_url": repository, "use_repository_button": True, "use_issues_button": True}
        options |= {"repository_branch": "HEAD", "launch_buttons": BINDER}
        if colab(repository):  # the theme warns where it lies elsewhere
            options["launch_buttons"] = BINDER | {"colab_url": COLAB}
        # The theme refuses a host that it does not know; its two buttons are the same for all of them.
        if not any(host in repository.lower() for host in KNOWN_HOSTS):
            options["repository_provider"] = KNOWN_HOSTS[0]
    dated = ", ".join(filter(None, [f"Version {__version__}", last_change(Path(app.confdir))]))
    options["extra_footer"] = " · ".join(filter(None, [options.get("extra_footer"), dated]))
    config.templates_path.insert(0, str(HERE / "templates"))
    config.mathjax_path = "mathjax/startup.js"
    config.html_additional_pages = {**config.html_additional_pages, "404": "404.html"}


def last_change(folder: Path) -> str:
    """Return the day of the last commit, as 22 November 2026; empty where git does not know it.

    SOURCE_DATE_EPOCH, the seconds that a reproducible build names, comes first.
    """
    seconds = os.environ.get("SOURCE_DATE_EPOCH")
    if seconds is None:
        command = ["git", "-C", str(folder), "log", "-1", "--format=%ct"]
        try:
            seconds = subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()
        except OSError:  # git is not installed
            seconds = ""
    day = time.gmtime(int(seconds)) if seconds else None
    return f"{day.tm_mday} {time.strftime('%B %Y', day)}" if day else ""


def fill_head(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """Give each page its title, its description and what a preview of it shows; defer its scripts."""
    context["first_paint"] = first_paint()
    context["root"] = f"{urlsplit(app.config.html_baseurl).path.rstrip('/')}/"
    book, title = app.config.html_title, plain(context.get("title", ""))
    context["page_title"] = escape(title if title in ("", book) else f"{title} – {book}") or escape(book)
    context["metatags"] = context.get("metatags", "") + "".join(metadata(app, context, doctree))
    # docutils gives a bibliography the role of a list, which may not hold its anchors, and its entries a role that
    # ARIA 1.2 took back.
    body = context.get("body") or ""
    context["body"] = body.replace(' role="doc-biblioentry"', "").replace(
        ' role="list" class="citation', ' class="citation'
    )
    if OF_A_FRAMEWORK in context["body"]:
        context["body"] = context["body"].replace("</h1>", f"</h1>{ROOM}", 1)
    if doctree is not None:
        context["body"] = context["body"].replace("</h1>", f"</h1>{STILL}", 1)
    if page != "search":
        context["js_tag"] = deferred(context["js_tag"])


def plain(title: str) -> str:
    """Return a title without its markup, which holds the chapter's number."""
    return unescape(re.sub(r"<[^>]*>", "", title))


def metadata(app: Sphinx, context: dict[str, Any], doctree: nodes.document | None) -> list[str]:
    """Return the elements that describe a page to search engines and to messengers (Open Graph)."""
    about = description(doctree) if doctree is not None else ""
    properties = {
        "og:title": context["page_title"],
        "og:type": "article",
        "og:site_name": escape(app.config.html_title),
    }
    if about:
        properties["og:description"] = escape(about)
    # A preview needs whole addresses, so there is no picture while the book has none.
    if context.get("pageurl"):
        base = app.config.html_baseurl.rstrip("/")
        properties |= {"og:url": escape(context["pageurl"]), "og:image": f"{escape(base)}/{PREVIEW}"}
    tags = [f'<meta property="{name}" content="{content}">' for name, content in properties.items()]
    return [*tags, f'<meta name="description" content="{escape(about)}">'] if about else tags


def description(doctree: nodes.document) -> str:
    """Return the first paragraph of a page, cut at a word."""
    first = next(iter(doctree.findall(nodes.paragraph)), None)
    if first is None or any(first.findall(nodes.math)):
        return ""
    text = " ".join(first.astext().split())
    return text if len(text) <= DESCRIPTION else f"{text[: text.rfind(' ', 0, DESCRIPTION)]} …"


@cache
def first_paint() -> str:
    """Return the script that a page runs before it is painted, without its comments."""
    lines = (HERE / "first_paint.js").read_text(encoding="utf-8").splitlines()
    return " ".join(line.strip() for line in lines if not line.startswith("//"))


def deferred(js_tag: Callable[..., str]) -> Callable[..., str]:
    """Return a page's function that writes a script's element, with `defer` added: the text need not wait."""

    def tag(script: Any) -> str:
        element = js_tag(script)
        waits = " src=" in element and not any(name in element for name in IMMEDIATE)
        return (
            element.replace("<script ", "<script defer ", 1) if waits and " defer" not in element else element
        )

    return tag


def describe_frameworks(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: object
) -> None:
    """Give each page the frameworks: their order in its buttons, the colours of their tabs, and what hides one's text."""
    names = sorted(frameworks(), key=lambda name: name != OPENS_FIRST)
    rules = "".join(
        f".framework-{name}{{--framework:{f.colours[0]}}}"
        f"html[data-theme=dark] .framework-{name}{{--framework:{f.colours[1]}}}"
        for name, f in frameworks().items()
    )
    hidden = "".join(
        f'html[data-framework="{name}"] .{other},'
        for name, f in frameworks().items()
        for other in sorted(names_to_leave_out(name) - set(f.needs))
    )
    rules += f"@media screen{{{hidden.rstrip(',')}{{display:none!important}}}}"
    head = f'<meta name="frameworks" content="{" ".join(names)}"><style>{rules}</style>'
    context["metatags"] = context.get("metatags", "") + head


def without_downloads(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: object
) -> None:
    """Take the source files out of the menu: a chapter does not run alone, and holds the solutions."""
    for group in context.get("header_buttons", []):
        if group.get("label") == "download-buttons":
            buttons = [button for button in group["buttons"] if button["label"] == "download-pdf-button"]
            group |= {"buttons": buttons, "tooltip": "Print this page"}


def launch_copies(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: object) -> None:
    """Let Binder and Colab open a chapter's copy: the chapter itself holds the solutions.

    At Binder `.binder/postBuild` makes it; Colab takes it from the branch on which the workflow puts the copies.
    """
    for group in context.get("header_buttons", []):
        if group.get("label") == "launch-buttons":
            copy = file_of(Path(page).name)
            for button in group["buttons"]:
                if button["url"].startswith(COLAB):
                    button["url"] = colab(app.config.html_theme_options["repository_url"], copy)
                else:
                    button["url"] = button["url"].replace(f"{page}.ipynb", f"learn/{copy}")


def drop_unused(app: Sphinx, error: Exception | None) -> None:
    """Delete what no page loads."""
    if error is not None:
        return
    static = Path(app.outdir, "_static")
    for path in (path for pattern in UNUSED for path in static.glob(pattern)):
        path.unlink(missing_ok=True)


def outdated(app: Sphinx, env: BuildEnvironment, *sets: set[str]) -> set[str]:
    """Return all pages, where style, extensions or exercises changed after the first page was written.

    Sphinx itself asks for texts alone, but a quiz and a stub are made of an exercise (`in_page.py`).
    """
    first_page = Path(app.outdir, f"{app.config.root_doc}.html")
    folders = [Path(app.confdir, folder) for folder in (*app.config.html_static_path, "_ext")]
    folders += [ROOT / "exercises", ROOT / "autograder" / "book", ROOT / "autograder" / "page"]
    files = (path for folder in folders for path in folder.rglob("*") if "__pycache__" not in path.parts)
    newest = max((path.stat().st_mtime for path in files), default=0.0)
    return env.found_docs if first_page.is_file() and newest > first_page.stat().st_mtime else set()


def register(app: Sphinx) -> None:
    """Fill the heads of all pages."""
    app.connect("env-get-outdated", outdated)
    app.add_config_value("book_repository", "", "html")
    app.connect("config-inited", published)
    app.connect("html-page-context", describe_frameworks)
    app.connect("html-page-context", fill_head)
    # Behind the theme, which adds its buttons at 501.
    app.connect("html-page-context", without_downloads, priority=900)
    app.connect("html-page-context", launch_copies, priority=900)
    app.connect("build-finished", drop_unused, priority=900)
