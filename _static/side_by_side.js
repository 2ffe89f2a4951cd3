// The choice between both frameworks and one, for code and text. sphinx-design keeps the chosen tab;
// this keeps the layout ("both" or "one") in the same way, and offers one switch for the page.
(() => {
  "use strict";
  const LAYOUT_KEY = "side-by-side-layout";
  const GROUP = "framework";
  const root = document.documentElement;

  /** Storage may be blocked: the switch then works, but is not remembered. */
  const setLayout = (layout) => {
    root.dataset.frameworks = layout;
    try {
      localStorage.setItem(LAYOUT_KEY, layout);
    } catch {
      // not remembered
    }
  };

  // The page's head has set the layout already, before the first paint; a choice in the address is kept.
  if (new URLSearchParams(location.search).has(GROUP)) setLayout("one");

  const tabs = () => [...document.querySelectorAll(`.frameworks > label[data-sync-group="${GROUP}"]`)];
  const inputOf = (label) => document.getElementById(label.htmlFor);

  /** The frameworks of this page, as pairs of id and name, in the order of buttons. */
  const frameworksHere = () => {
    const names = new Map(tabs().map((label) => [label.dataset.syncId, label.textContent.trim()]));
    const order = document.querySelector('meta[name="frameworks"]').content.split(" ");
    return order.filter((id) => names.has(id)).map((id) => [id, names.get(id)]);
  };

  /** Open one framework's tabs; sphinx-design carries the change to all groups and remembers it. */
  const openTabs = (id) => {
    const input = inputOf(tabs().find((label) => label.dataset.syncId === id));
    input.checked = true;
    input.dispatchEvent(new Event("change"));
  };

  const option = (id, name) => {
    const label = document.createElement("label");
    const input = document.createElement("input");
    input.type = "radio";
    input.name = "framework-switch";
    input.value = id;
    input.addEventListener("change", () => {
      setLayout(id === "both" ? "both" : "one");
      if (id === "both") showText(id);
      else openTabs(id);
    });
    label.append(input, Object.assign(document.createElement("span"), { textContent: name }));
    return label;
  };

  const makeSwitch = (frameworks) => {
    const field = document.createElement("fieldset");
    field.className = "framework-switch";
    const legend = document.createElement("legend");
    legend.textContent = "Code and text for";
    field.append(legend, ...frameworks.map(([id, name]) => option(id, name)), option("both", "both"));
    return field;
  };

  /** Hide the text of other frameworks than this one; none where both are shown. */
  const showText = (id) => {
    if (id === "both") delete root.dataset.framework;
    else root.dataset.framework = id;
  };

  /** Mark what the page shows, however it was chosen: by the switch, a tab, the address, an earlier page. */
  const showState = (field) => {
    const open = tabs().filter((label) => inputOf(label).checked);
    const shown = root.dataset.frameworks === "both" ? "both" : open[0].dataset.syncId;
    field.querySelector(`input[value="${shown}"]`).checked = true;
    showText(shown);
  };

  /** The maps that let a reader choose a framework, with their buttons in the order of the switch. */
  const orderMaps = (frameworks) => {
    for (const field of document.querySelectorAll("attention-map fieldset")) {
      const buttons = [...field.querySelectorAll("label")];
      const named = frameworks.map(([, name]) => buttons.find((label) => label.textContent.trim() === name));
      if (field.querySelector("legend").textContent === GROUP) field.append(...named.filter(Boolean));
    }
  };

  /** Paper is white: print in the light theme, and give the screen its own back. */
  let onScreen = null;
  const print = (paper) => {
    if (paper) onScreen ??= root.dataset.theme;
    root.dataset.theme = paper ? "light" : onScreen ?? root.dataset.theme;
    if (!paper) onScreen = null;
  };
  matchMedia("print").addEventListener("change", (event) => print(event.matches));
  addEventListener("beforeprint", () => print(true));
  addEventListener("afterprint", () => print(false));

  /** The theme makes what scrolls reachable by keyboard, when the window changes; it also appears when a fold or a
   *  tab opens. */
  for (const name of ["toggle", "change"]) {
    document.addEventListener(name, () => dispatchEvent(new Event("resize")), true);
  }

  /** A formula that is wider than its line scrolls, and so is reachable by keyboard; others are no stop for Tab. */
  const reachFormulas = () => {
    for (const box of document.querySelectorAll('div.math, mjx-container[display="true"]')) {
      if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
      else box.removeAttribute("tabindex");
    }
  };
  addEventListener("resize", reachFormulas);
  addEventListener("load", reachFormulas);

  /** While a word that names a role is pointed at, its parts stand out in the pictures of its section. */
  const light = (word) => {
    document.querySelectorAll("[data-lit]").forEach((picture) => { delete picture.dataset.lit; });
    const role = word?.classList[1];
    for (const picture of word?.closest("section").querySelectorAll("svg.drawing, figure.live .panel") ?? []) {
      const isNear = picture.closest("section") === word.closest("section");
      if (isNear && picture.querySelector(`.${role}`)) picture.dataset.lit = role;
    }
  };
  document.addEventListener("pointerover", ({ target }) => light(target.closest(".role")));

  /** A picture in the margin that is higher than the window stays in view with its end, not with its beginning. */
  const measure = new ResizeObserver((pictures) => {
    for (const { target } of pictures) target.style.setProperty("--tall", `${target.offsetHeight}px`);
  });

  /** A link to a folded section opens it. */
  const unfold = () => {
    const place = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    place?.closest("section")?.querySelector(":scope > details.notes")?.setAttribute("open", "");
  };
  addEventListener("hashchange", unfold);

  document.addEventListener("DOMContentLoaded", () => {
    unfold();
    document.querySelectorAll(".stays").forEach((picture) => measure.observe(picture));
    const frameworks = frameworksHere();
    orderMaps(frameworks);
    const header = document.querySelector(".header-article-items__end");
    if (!frameworks.length || !header) return showText("both");
    const field = makeSwitch(frameworks);
    // The header of a narrow page has no room for it.
    const wide = matchMedia("(min-width: 1200px)");
    const place = () => (wide.matches ? header.prepend(field) : document.querySelector(".framework-room").append(field));
    wide.addEventListener("change", place);
    place();
    showState(field);
    tabs().forEach((label) => inputOf(label).addEventListener("change", () => showState(field)));
  });
})();
