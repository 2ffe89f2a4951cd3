"""Texts that a reader may not be able to read: their contrast with what lies behind them."""

from playwright.sync_api import Page

from tests.book.browsing import wait_until

IN_CELLS = ".cell pre, .cell pre span, .verdict, .verdict *, attention-map *:not(script, style)"
# For each text, its contrast with the grounds behind it, the translucent ones laid over each other.
CONTRASTS = """(selector) => {
  const brush = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const known = new Map();
  const parse = (colour) => {
    if (!known.has(colour)) {
      brush.clearRect(0, 0, 1, 1);
      brush.fillStyle = colour;
      brush.fillRect(0, 0, 1, 1);
      const [r, g, b, alpha] = brush.getImageData(0, 0, 1, 1).data;
      known.set(colour, { rgb: [r, g, b], alpha: alpha / 255 });
    }
    return known.get(colour);
  };
  const linear = (c) => (c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  const light = ([r, g, b]) => 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
  const grounds = new Map();
  const ground = (element) => {
    if (!element) return [255, 255, 255];
    if (!grounds.has(element)) {
      const { rgb, alpha } = parse(getComputedStyle(element).backgroundColor);
      const behind = alpha === 1 ? rgb : ground(element.parentElement);
      grounds.set(element, rgb.map((c, i) => alpha * c + (1 - alpha) * behind[i]));
    }
    return grounds.get(element);
  };
  const holdsText = (element) => [...element.childNodes].some((n) => n.nodeType === 3 && n.data.trim());
  return [...document.querySelectorAll(selector)].filter(holdsText).map((element) => {
    const [a, b] = [light(parse(getComputedStyle(element).color).rgb), light(ground(element))];
    return [element.textContent.trim(), (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)];
  });
}"""

# A colour that comes to its end may be inherited, and begin another way there.
FINISH = """() => {
    const ways = () => document.getAnimations().filter((way) => way instanceof CSSTransition);
    for (let left = ways(); left.length; left = ways()) for (const way of left) way.finish();
}"""


def faint_texts(page: Page, scheme: str, selector: str) -> list[str]:
    """Texts with a contrast below 4.5 (WCAG AA) in a colour scheme."""
    use_scheme(page, scheme)
    for _ in range(20):
        contrasts = page.evaluate(CONTRASTS, selector)
        faint = [f"faint in {scheme} mode, {ratio:.1f}: {text}" for text, ratio in contrasts if ratio < 4.5]
        if not faint:
            break
        page.wait_for_timeout(300)  # a script may follow the theme a little later; a fault stays
    return faint


def use_scheme(page: Page, scheme: str) -> None:
    """Show a page in a colour scheme, with no colour on its way from the other one."""
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    wait_until(page, f"(document.documentElement.dataset.theme ?? '{scheme}') === '{scheme}'")
    page.evaluate(FINISH)
