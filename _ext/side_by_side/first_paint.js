// Before the first paint: the reader's theme, which the theme's own script would set seconds later on a slow
// line, and both frameworks or one. Storage may be blocked; the system's theme and both are then shown.
(() => {
  const root = document.documentElement;
  const kept = (key) => {
    try {
      return localStorage.getItem(key);
    } catch {
      return null;
    }
  };
  const mode = kept("mode") || "auto";
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.mode = mode;
  root.dataset.theme = mode === "auto" ? (dark ? "dark" : "light") : mode;
  const asked = new URLSearchParams(location.search).get("framework");
  const one = asked || kept("side-by-side-layout") === "one";
  root.dataset.frameworks = one ? "one" : "both";
  if (one) root.dataset.framework = asked || kept("sphinx-design-tab-id-framework") || "";
})();
