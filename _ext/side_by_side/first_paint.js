// Before the first paint: the reader's theme, which the theme's own script would set seconds later on a slow
// line, and both columns or one. Storage may be blocked; the system's theme and both columns are then shown.
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
  const chosen = new URLSearchParams(location.search).has("framework");
  root.dataset.frameworks = chosen || kept("side-by-side-layout") === "one" ? "one" : "both";
})();
