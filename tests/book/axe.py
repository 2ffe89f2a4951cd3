"""axe-core, which finds what a page keeps from readers with other eyes, hands and devices.

npm's client fetches one version, once; its hash is the one that the registry names. The rules are those of
WCAG 2.0 to 2.2, A and AA, and two of what axe calls best practices: each header of a table has a word, and all
that a page says lies in a landmark, to which a screen reader can jump.
"""

import base64
import hashlib
import shutil
import subprocess
import tarfile
from functools import cache
from pathlib import Path

import pooch
import pytest
from playwright.sync_api import Page

VERSION = "4.14.1"
SHA512 = "FHfa+lmNjQZfJz1q8wKqIDwC6DExcHt/pkjNQb09a3NPjCKg2rhu5qb2S4r76ASyFNNtuFooJpZe37OgudVGtQ=="
SECONDS = 60
Options = dict[str, object]  # of axe.run
EVERY_RULE: Options = {
    "runOnly": {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]},
    "rules": {"empty-table-header": {"enabled": True}, "region": {"enabled": True}},
}
CONTRAST: Options = {"runOnly": {"type": "rule", "values": ["color-contrast"]}}
# Of the texts that look alike, on grounds alike, the contrast of three is computed: a page has a thousand such texts.
# What is placed freely may lie on anything, and is always looked at.
RUN = """(options) => {
    const looks = new Map();  // of an element's ground; null where it is placed freely
    const ground = (element) => {
        if (!element) return "";
        if (!looks.has(element)) {
            const { position, backgroundColor, backgroundImage, opacity, filter } = getComputedStyle(element);
            const behind = ground(element.parentElement);
            const own = [backgroundColor, backgroundImage, opacity, filter].join();
            looks.set(element, behind === null || /absolute|fixed/.test(position) ? null : `${behind} / ${own}`);
        }
        return looks.get(element);
    };
    const count = new Map();
    const alike = [...document.querySelectorAll("body *")].filter((element) => {
        const behind = ground(element);
        const box = element.getBoundingClientRect();
        if (behind === null || !element.checkVisibility() || box.width <= 1 || box.height <= 1) return false;
        const { color, fontSize, fontWeight, textShadow } = getComputedStyle(element);
        const look = [element.tagName, behind, color, fontSize, fontWeight, textShadow].join();
        const text = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
        if (!text) return false;
        count.set(look, (count.get(look) ?? 0) + 1);
        return count.get(look) > 3;
    });
    for (const element of document.querySelectorAll("[data-alike]")) element.removeAttribute("data-alike");
    for (const element of alike) element.setAttribute("data-alike", "");
    axe.configure({ rules: [{ id: "color-contrast", selector: "*:not([data-alike])" }] });
    return axe.run(document, { ...options, resultTypes: ["violations"] }).then(({ violations }) =>
        violations.flatMap(({ id, nodes }) => nodes.map(({ html, any, all, none }) =>
            [id, html.slice(0, 200), ...[...any, ...all, ...none].map(({ message }) => message)].join(" | "))));
}"""


@cache
def script() -> str:
    """axe-core's source; skips the test where it is not at hand and npm cannot bring it."""
    folder = Path(pooch.os_cache("attention-side-by-side")) / "npm"
    archive = folder / f"axe-core-{VERSION}.tgz"
    if not archive.is_file():
        fetch(folder)
    checksum = base64.b64encode(hashlib.sha512(archive.read_bytes()).digest()).decode()
    if checksum != SHA512:
        raise ValueError(
            f"{archive} is not axe-core {VERSION} as the registry has it: delete it, and try again."
        )
    with tarfile.open(archive) as opened:
        member = opened.extractfile("package/axe.min.js")
        assert member is not None
        return member.read().decode()


def fetch(folder: Path) -> None:
    """Have npm's client put the archive into a folder."""
    if shutil.which("npm") is None:
        pytest.skip("axe-core needs npm: install it (apt install npm), and try again")
    folder.mkdir(parents=True, exist_ok=True)
    command = ["npm", "pack", "--silent", f"axe-core@{VERSION}", "--pack-destination", str(folder)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        pytest.skip(f"npm did not bring axe-core in {SECONDS} seconds: connect to a network, and try again")
    if done.returncode:
        pytest.skip("npm did not bring axe-core: connect to a network, and try again")


# A page's code has thousands of words in a dozen colours, and its formulas thousands of elements of one kind. Of each
# colour on each ground one word stays marked, and of the formulas in a line the first; the others become plain text,
# whose contrast is that of what they stand in.
ONE_OF_EACH_KIND = """() => {
    const seen = new Set();
    const others = [];
    for (const pre of document.querySelectorAll(".highlight pre")) {
        const ground = getComputedStyle(pre.parentElement).backgroundColor + getComputedStyle(pre).backgroundColor;
        for (const word of pre.querySelectorAll("span:not(.line, :has(*))")) {
            const { color, backgroundColor, fontWeight } = getComputedStyle(word);
            const kind = [word.className, ground, color, backgroundColor, fontWeight].join();
            if (word.checkVisibility() && !seen.has(kind)) seen.add(kind);
            else if (seen.has(kind)) others.push(word);
        }
    }
    for (const formula of document.querySelectorAll("mjx-container:not([display])")) {
        const kind = "formula" + getComputedStyle(formula).color;
        if (formula.checkVisibility() && !seen.has(kind)) seen.add(kind);
        else if (seen.has(kind)) others.push(formula);
    }
    // All at once: a style that is asked for after each change is computed anew each time.
    for (const other of others) other.replaceWith(other.textContent || "x");
    for (const pre of document.querySelectorAll(".highlight pre")) pre.normalize();
}"""


def violations(page: Page, options: Options = EVERY_RULE) -> list[str]:
    """What axe-core finds on a page that has its script: the rule, the element, and what is wrong with it."""
    # The head of a page stays in view: where it lies over a button, depends on how far the page is scrolled.
    page.evaluate("scrollTo({ top: 0, behavior: 'instant' })")
    return page.evaluate(RUN, options)
