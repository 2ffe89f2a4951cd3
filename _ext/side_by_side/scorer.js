// How the search ranks, cuts and shows pages; Sphinx loads it behind its own script (html_search_scorer). The numbers are
// Sphinx's own. A name such as masked_softmax stands in the code of many chapters, all with the same score: the
// chapter whose title or file holds all words of the question comes first, and the shorter title before a longer. What
// a chapter teaches that its title does not name stands in taught.json and in the names of its exercises.
const TAUGHT = {};

var Scorer = {
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
  score([page, title, , , score]) {
    const words = (text) => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
    const asked = words(new URLSearchParams(location.search).get("q") ?? "");
    if (title.includes(" > ")) return score; // a section: its page has a line of its own
    const file = page.split("/").pop();
    if (file === "glossary") return Math.min(score, 20); // a chapter that teaches the term comes before its entry
    const names = [words(title), words(file), ...(TAUGHT[file] ?? []).map(words)];
    const fits = names.filter((name) => asked.length && asked.every((word) => name.includes(word)));
    return score + Math.max(0, ...fits.map((name) => 20 + (20 * asked.length) / name.length));
  },
};

// Each page once, where it fits best: results are listed from their end.
const everyResult = Search._performSearch;
Search._performSearch = (...question) => {
  const pages = new Set();
  return everyResult(...question).reverse().filter(([page]) => !pages.has(page) && pages.add(page)).reverse();
};

// Of a page that was found, the words of its article: its head has a policy that forbids what this page may do, and a
// formula is a row of letters there.
Search.htmlToText = (html) => {
  const article = html.slice(html.indexOf("<article"), html.lastIndexOf("</article>"));
  const page = new DOMParser().parseFromString(article, "text/html");
  page.querySelectorAll("h1, .headerlink, script, style, svg, .in-page, .before").forEach((part) => part.remove());
  page.querySelectorAll(".math").forEach((formula) => formula.replaceWith("…"));
  return page.body.textContent.replace(/\s+/g, " ");
};
