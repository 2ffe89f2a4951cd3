"""A learner's copies, opened in JupyterLab in a real browser: nothing raw on the page, and links that lead on."""

import json
import os
import socket
import subprocess
import sys
import time
import urllib.request
from importlib.util import find_spec

import pytest
from playwright.sync_api import expect

from autograder.book.contents import file_of
from autograder.cli.book import without_news
from autograder.copies.start import start

pytestmark = pytest.mark.xdist_group("jupyterlab")
SECONDS = 60
HEIGHT = 1000
# Every cell is on the page at once, not only those in sight.
ALL_CELLS = {"windowingMode": "none"}
# The words on the page, without code, whose signs may look like those of Markdown.
PROSE = """() => [...document.querySelectorAll('.jp-RenderedMarkdown')].map(cell => {
    const copy = cell.cloneNode(true);
    copy.querySelectorAll('code, mjx-container').forEach(part => part.remove());
    return copy.textContent;
}).join(' ')"""
RAW = ("```", ":::", ":label:", "{exercise}", "{warning}", "{doc}", "](", "**", ")=", "[^")
COPIES = ("index.ipynb", *(file_of(chapter) for chapter in ("translation", "errata")))


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    """The address of a JupyterLab on fresh copies, with settings of its own."""
    if find_spec("jupyterlab") is None:
        pytest.skip("jupyterlab is not installed: `pip install '.[book]'`")
    home = tmp_path_factory.mktemp("jupyter")
    start(home / "learn")
    settings = home / "settings" / "@jupyterlab" / "notebook-extension"
    settings.mkdir(parents=True)
    (settings / "tracker.jupyterlab-settings").write_text(json.dumps(ALL_CELLS))
    variables = {name: str(home / name.lower()) for name in ("JUPYTER_CONFIG_DIR", "JUPYTER_RUNTIME_DIR")}
    variables |= without_news()
    variables |= {
        "JUPYTERLAB_SETTINGS_DIR": str(home / "settings"),
        "JUPYTERLAB_WORKSPACES_DIR": str(home / "w"),
    }
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", "--ip=127.0.0.1"]
    command += [f"--port={port}", "--IdentityProvider.token=", f"--ServerApp.root_dir={home / 'learn'}"]
    with (home / "log").open("w") as log:
        server = subprocess.Popen(command, env={**os.environ, **variables}, stdout=log, stderr=log)
    try:
        wait_for(f"http://127.0.0.1:{port}/api", home / "log")
        yield f"http://127.0.0.1:{port}/lab"
    finally:
        server.terminate()
        # It once waited for a kernel that did not end, and half of the whole run waited with it.
        try:
            server.wait(SECONDS)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()


def wait_for(address, log):
    for _ in range(SECONDS * 2):
        try:
            with urllib.request.urlopen(address):
                return
        except OSError:
            time.sleep(0.5)
    raise TimeoutError(log.read_text())


@pytest.fixture(scope="module")
def window(browser):
    """A window of the browser, as wide as a laptop's."""
    context = browser.new_context(viewport={"width": 1400, "height": HEIGHT})
    context.set_default_timeout(SECONDS * 1000)
    yield context
    context.close()


def opened(window, lab, name):
    """The page of a notebook whose Markdown, and the formulas in it, are all rendered."""
    page = window.new_page()
    page.goto(f"{lab}/tree/{name}?reset")
    page.wait_for_function(
        "() => { const cells = [...document.querySelectorAll('.jp-MarkdownCell')];"
        " return cells.length && cells.every(cell => cell.querySelector('.jp-RenderedMarkdown')?.innerText.trim())"
        # The index holds no formula.
        " && (location.pathname.endsWith('index.ipynb') || document.querySelector('mjx-container')); }"
    )
    return page


@pytest.mark.parametrize("name", COPIES)
def test_a_copy_shows_no_raw_directive(window, lab, name):
    page = opened(window, lab, name)
    # Formulas are set; code may quote a formula's source.
    page.wait_for_function("() => !/\\$\\$|\\\\[a-z]+\\{/.test((" + PROSE + ")())")
    text = page.evaluate(PROSE)
    assert [sign for sign in RAW if sign in text] == []
    assert page.locator("mjx-merror").count() == 0
    titles = page.locator(".jp-RenderedMarkdown h3").all_inner_texts()
    assert name == "index.ipynb" or any(title.startswith("Exercise: ") for title in titles)
    page.close()


def test_no_question_about_news_lies_over_the_first_page(window, lab):
    page = opened(window, lab, "index.ipynb")
    page.wait_for_timeout(5000)  # where it is asked, it stands there by then
    assert page.locator(".Toastify__toast").all_inner_texts() == []
    page.close()


def test_links_lead_to_the_next_copy_and_to_a_heading(window, lab):
    page = opened(window, lab, file_of("looking_inside"))
    page.get_by_role("link", name="Errata →").first.click()
    page.get_by_role("heading", name="Errata", exact=True).wait_for()
    heading = page.get_by_role("heading", name="21 · A state is no word").first
    heading.wait_for(state="attached")
    page.wait_for_function("() => document.querySelector('mjx-container')")
    assert heading.bounding_box()["y"] > HEIGHT
    page.locator(".jp-RenderedMarkdown td a", has_text="21").click()
    expect(heading).to_be_in_viewport(timeout=SECONDS * 1000)
    page.close()
